// SPDX-License-Identifier: GPL-2.0-only
/* Makes a recording comparable: its answers and files by place and name. The ids in uncore
 * directories identify them, because their numbers change with each boot. */
#include "record/items.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "base/json_fields.h"
#include "base/number.h"
#include "isst_abi.h"
#include "record/parts.h"

#define MAX_FILE_BYTES (16U << 20)
#define CPU_MARK       "#/"
#define TOPOLOGY       FILES_CPUS "/cpu#/topology/"
#define UNCORE_PREFIX  FILES_CPUS "/intel_uncore_frequency/"
#define MACHINE        "machine"

static void cpu_values_done(struct cpu_values *values)
{
	for (size_t i = 0; i < values->n_values; i++)
		json_decref(values->values[i]);
	free(values->values);
	free(values->by_cpu);
	free(values->name);
}

void items_done(struct items *items)
{
	json_decref(items->places);
	for (size_t i = 0; i < items->n_names; i++)
		cpu_values_done(&items->names[i]);
	free(items->names);
	cpu_values_done(&items->packages);
	cpu_values_done(&items->dies);
}

/* Items. */

/* Adds a value (takes ownership) at a place. */
static void put(struct items *items, const char *place, const char *name, json_t *value)
{
	json_t *names = json_object_get(items->places, place);

	if (!names) {
		names = json_object();
		json_object_set_new(items->places, place, names);
	}
	if (json_object_set_new(names, name, value))
		items->is_short_of_memory = true;
}

/* Adds a value (takes ownership) of CPUs. Returns false without memory. */
static bool add_cpus(struct cpu_values *to, const struct cpuset *cpus, json_t *value)
{
	size_t n_cpus = cpuset_is_empty(cpus) ? 0 : (size_t)cpuset_last(cpus) + 1;
	json_t **added = array_add(&to->values, &to->n_values, sizeof(*added));

	if (!added) {
		json_decref(value);
		return false;
	}
	*added = value;
	if (n_cpus > to->n_cpus) {
		size_t size = n_cpus > 2 * to->n_cpus ? n_cpus : 2 * to->n_cpus;
		uint16_t *by_cpu = realloc(to->by_cpu, size * sizeof(*by_cpu));

		if (!by_cpu)
			return false;
		memset(by_cpu + to->n_cpus, 0, (size - to->n_cpus) * sizeof(*by_cpu));
		to->by_cpu = by_cpu;
		to->n_cpus = size;
	}
	cpuset_foreach (cpu, cpus)
		to->by_cpu[cpu] = (uint16_t)to->n_values;
	return value && to->n_values <= UINT16_MAX;
}

json_t *items_value(const struct cpu_values *values, size_t cpu)
{
	return values && cpu < values->n_cpus && values->by_cpu[cpu]
		       ? values->values[values->by_cpu[cpu] - 1]
		       : NULL;
}

struct cpu_values *items_find(const struct items *items, const char *name)
{
	for (size_t i = 0; i < items->n_names; i++) {
		if (strcmp(items->names[i].name, name) == 0)
			return &items->names[i];
	}
	return NULL;
}

/* Returns the values of a name, which is added if it is new; NULL: no memory. */
static struct cpu_values *find_or_add(struct items *items, const char *name)
{
	struct cpu_values *found = items_find(items, name);

	if (found)
		return found;
	found = array_add(&items->names, &items->n_names, sizeof(*found));
	if (found && !(found->name = strdup(name))) {
		items->n_names--;
		return NULL;
	}
	return found;
}

static void put_of_cpus(struct items *items, struct cpu_values *to, const struct cpuset *cpus,
			json_t *value)
{
	if (!to)
		json_decref(value);
	if (!to || !add_cpus(to, cpus, value))
		items->is_short_of_memory = true;
}

/* Adds a value (takes ownership) of a CPU. A wrong file can have numbers that no CPU has. */
static void put_of_cpu(struct items *items, const char *name, uint64_t cpu, json_t *value)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	if (cpu <= CPUSET_MAX_CPU && cpuset_add(&cpus, (uint32_t)cpu) == 0) {
		put_of_cpus(items, find_or_add(items, name), &cpus, value);
	} else {
		_cleanup_free_ char *place = text_format("cpu-%" PRIu64, cpu);

		put(items, place ?: "", name, value);
	}
}

/* Converts a value of a file: a text of digits becomes a number. */
static json_t *typed(json_t *value)
{
	const char *text = json_string_value(value);
	uint64_t number;

	if (text && number_parse(text, 0, INT64_MAX, &number) == 0)
		return json_integer((json_int_t)number);
	return json_incref(value);
}

static void read_of_cpus(struct items *items, json_t *object, struct cpu_values *to)
{
	const char *list;
	json_t *value;

	json_object_foreach (object, list, value) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (cpulist_parse(list, &cpus) == 0)
			put_of_cpus(items, to, &cpus, typed(value));
	}
}

/* Figures of mailbox parts, whose words have no names. */

struct word_figure {
	uint16_t word; /* command and sub-command */
	const char *name;
	uint8_t shift;
	uint8_t bits; /* 0: the word has four bytes, each a figure; 32: a bit for each core */
	uint8_t unit; /* 0: true or false */
};

#define CLOS_WORD        0xd001
#define ASSOC_WORD       0xd000
#define RATIO_INFO_WORD  0x7f0c
#define UPPER_HALF       (1U << 8)
#define UNCORE           (1U << 16)
#define FIRST_CLOS       0x08 /* registers */
#define FIRST_ASSOC      0x20
#define ASSOC_BITS       0x30000U
#define LEVELS_COMMAND   0x7f
#define LEVELS_INFO_WORD 0x7f00

static const struct word_figure figures[] = {
	{ LEVELS_INFO_WORD, "version", 0, 8, 1 },
	{ LEVELS_INFO_WORD, "current_level", 16, 8, 1 },
	{ LEVELS_INFO_WORD, "locked", 24, 1, 0 },
	{ LEVELS_INFO_WORD, "enabled", 31, 1, 0 },
	{ 0x7f01, "turbo_freq", 0, 1, 0 },
	{ 0x7f01, "base_freq", 1, 1, 0 },
	{ 0x7f01, "turbo_freq_on", 16, 1, 0 },
	{ 0x7f01, "base_freq_on", 17, 1, 0 },
	{ 0x7f03, "tdp_w", 0, 15, 1 },
	{ 0x7f03, "tdp_ratio", 16, 8, 1 },
	{ 0x7f05, "tjunction_max_c", 0, 8, 1 },
	{ 0x7f06, "cores", 0, 32, 1 },
	{ 0x7f07, "turbo mhz", 0, 0, 100 },
	{ 0x7f09, "uncore_mhz max", 0, 8, 100 },
	{ 0x7f09, "uncore_mhz base", 8, 8, 100 },
	{ 0x7f0a, "base_mhz sse", 0, 8, 100 },
	{ 0x7f0a, "base_mhz avx2", 8, 8, 100 },
	{ 0x7f0a, "base_mhz avx512", 16, 8, 100 },
	{ 0x7f0a, "base_mhz amx", 24, 8, 100 },
	{ 0x7f0b, "memory", 0, 8, 1 },
	{ RATIO_INFO_WORD, "uncore_mhz max", 0, 8, 100 },
	{ RATIO_INFO_WORD, "uncore_mhz base", 8, 8, 100 },
	{ RATIO_INFO_WORD, "uncore_mhz min", 24, 8, 100 },
	{ 0x7f10, "turbo_freq cores", 0, 0, 1 },
	{ 0x7f11, "turbo_freq mhz", 0, 0, 100 },
	{ 0x7f12, "turbo_freq clip_mhz", 0, 0, 100 },
	{ 0x7f20, "base_freq cores", 0, 32, 1 },
	{ 0x7f21, "base_freq low_mhz", 0, 8, 100 },
	{ 0x7f21, "base_freq high_mhz", 8, 8, 100 },
	{ 0x7f22, "base_freq tjunction_c", 0, 8, 1 },
	{ 0x7f23, "base_freq tdp_w", 0, 16, 1 },
	{ 0x9403, "core_power supported", 0, 1, 0 },
	{ 0x9403, "core_power enabled", 16, 1, 0 },
	{ 0xd002, "core_power clos_enabled", 1, 1, 0 },
	{ 0xd002, "core_power priority", 2, 1, 1 },
	{ CLOS_WORD, "epp", 0, 4, 1 },
	{ CLOS_WORD, "weight", 4, 4, 1 },
	{ CLOS_WORD, "min_mhz", 8, 8, 100 },
	{ CLOS_WORD, "max_mhz", 16, 8, 100 },
	{ CLOS_WORD, "desired_mhz", 24, 8, 100 },
	{ ASSOC_WORD, "clos", 16, 2, 1 },
};

/* A word of a power domain: of a level, of a CLOS or of a core. */
struct word {
	uint16_t word;
	const char *of; /* "level-", "clos-", "core-"; NULL: of the domain */
	uint32_t number;
	uint32_t data; /* of the request */
	uint32_t value;
};

static json_t *figure_value(const struct word_figure *figure, const struct word *word)
{
	uint32_t bits = word->value >> figure->shift & ((1U << figure->bits % 32) - 1);
	_cleanup_cpuset_ struct cpuset cores = { 0 };
	_cleanup_free_ char *list = NULL;
	json_t *bytes;

	if (!figure->bits) {
		bytes = json_array();
		for (unsigned int i = 0; i < 4; i++)
			json_array_append_new(
				bytes, json_integer((json_int_t)(uint8_t)(word->value >> 8 * i) *
						    figure->unit));
		return bytes;
	}
	if (figure->bits < 32)
		return figure->unit ? json_integer((json_int_t)bits * figure->unit)
				    : json_boolean(bits);
	for (uint32_t core = 0; core < 32; core++) {
		if (word->value >> core & 1 &&
		    cpuset_add(&cores, core + (word->data & UPPER_HALF ? 32 : 0)))
			return NULL;
	}
	list = cpuset_format_ranges(&cores);
	return list ? json_string(list) : NULL;
}

/* Returns the part of a figure that this word has, if several words have the figure. */
static char *figure_part(const struct word_figure *figure, const struct word *word)
{
	bool is_upper = word->data & UPPER_HALF;

	if (figure->bits == 32)
		return text_format("%s", is_upper ? " 32-63" : "");
	if (figure->bits)
		return strdup("");
	return text_format(" %" PRIu32 " %s", word->data >> 16 & 7, is_upper ? "4-7" : "0-3");
}

static void put_figures(struct items *items, const char *place, const struct word *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct word_figure *figure = &figures[i];
		_cleanup_free_ char *part = NULL, *name = NULL;

		if (figure->word != word->word ||
		    (word->word == RATIO_INFO_WORD && !(word->data & UNCORE)))
			continue;
		part = figure_part(figure, word);
		name = word->of ? text_format("%s%" PRIu32 " %s%s", word->of, word->number,
					      figure->name, part ?: "")
				: text_format("%s%s", figure->name, part ?: "");
		if (name && part)
			put(items, place, name, figure_value(figure, word));
		else
			items->is_short_of_memory = true;
	}
}

/* Adds the figures in the answer of a mailbox command or in a register. Returns true if there is
 * nothing else, as in the registers of cores, which are many. */
static bool put_word(struct items *items, const char *place, const struct request_item *item)
{
	uint32_t command = (uint32_t)requests_member(item, "command");
	uint32_t data = (uint32_t)requests_member(item, "req_data");
	uint32_t reg = (uint32_t)requests_member(item, "reg");
	struct word word = {
		.word = (uint16_t)(command << 8 | requests_member(item, "sub_command")),
		.number = (uint32_t)requests_member(item, "parameter") & 0xff,
		.data = data,
		.value = (uint32_t)requests_member(item, "resp_data"),
	};

	if (item->request == ISST_IF_IO_CMD) {
		word.word = reg >= FIRST_ASSOC ? ASSOC_WORD : CLOS_WORD;
		word.number = (reg - (reg >= FIRST_ASSOC ? FIRST_ASSOC : FIRST_CLOS)) / 4;
		word.value = (uint32_t)requests_member(item, "value");
	}
	if (word.word == CLOS_WORD)
		word.of = "clos-";
	else if (word.word == ASSOC_WORD)
		word.of = "core-";
	else if (command == LEVELS_COMMAND && word.word != LEVELS_INFO_WORD) {
		word.of = "level-";
		word.number = data & 0xff;
	}
	put_figures(items, place, &word);
	return item->request == ISST_IF_IO_CMD && word.word == ASSOC_WORD &&
	       !(word.value & ~ASSOC_BITS);
}

/* Requests. */

static json_t *member_value(const struct request_member *member)
{
	_cleanup_json_ json_t *list = json_array();

	for (size_t i = 0; i < member->count; i++) {
		char text[24];

		snprintf(text, sizeof(text), "0x%" PRIx64, member->values[i]);
		json_array_append_new(list, member->is_hex || member->values[i] > INT64_MAX
						    ? json_string(text)
						    : json_integer((json_int_t)member->values[i]));
	}
	return json_incref(member->count == 1 ? json_array_get(list, 0) : list);
}

/* Returns the place of a request, such as "package-0 die-0". */
static char *place_of(const struct items *items, const struct request_item *item)
{
	uint32_t cpu = (uint32_t)requests_member(item, "logical_cpu");
	json_int_t package = json_integer_value(items_value(&items->packages, cpu));

	switch (item->request) {
	case ISST_IF_GET_PLATFORM_INFO:
		return strdup(MACHINE);
	case ISST_IF_MSR_COMMAND:
		return text_format("package-%" JSON_INTEGER_FORMAT, package);
	case ISST_IF_GET_PHY_ID:
	case ISST_IF_MBOX_COMMAND:
	case ISST_IF_IO_CMD:
		return text_format("package-%" JSON_INTEGER_FORMAT " die-%" JSON_INTEGER_FORMAT,
				   package, json_integer_value(items_value(&items->dies, cpu)));
	case ISST_IF_COUNT_TPMI_INSTANCES:
		return text_format("package-%" PRIu64, requests_member(item, "socket_id"));
	default:
		return text_format("package-%" PRIu64 " powerdomain-%" PRIu64,
				   requests_member(item, "socket_id"),
				   requests_member(item, "power_domain_id"));
	}
}

static bool is_place(const struct request_member *member)
{
	static const char *const names[] = { "logical_cpu", "socket_id", "power_domain_id" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == member->name_length &&
		    strncmp(member->name, names[i], member->name_length) == 0)
			return true;
	}
	return false;
}

/* Appends the name of a request and its key members. */
static void append_asked(struct buffer *to, const struct request_item *item)
{
	struct request_member member;

	buffer_append_string(to, requests_name(item->request));
	for (size_t at = 0; requests_next_member(item, &at, &member);) {
		if (!member.is_key || is_place(&member))
			continue;
		buffer_print(to, " %.*s", (int)member.name_length, member.name);
		buffer_print(to, member.is_hex ? " 0x%" PRIx64 : " %" PRIu64, member.values[0]);
	}
}

/* Adds the answer of a request at its place, with the name and the key members of the request. */
static void put_request(struct items *items, const struct request_item *item)
{
	const char *error = item->error ? error_name(item->error) ?: "EIO" : NULL;
	_cleanup_free_ char *place = place_of(items, item);
	_cleanup_buffer_ struct buffer asked = { 0 };
	struct request_member member;

	append_asked(&asked, item);
	if (!place || asked.has_failed) {
		items->is_short_of_memory = true;
		return;
	}
	if (!error && (item->request == ISST_IF_MBOX_COMMAND || item->request == ISST_IF_IO_CMD) &&
	    put_word(items, place, item))
		return;
	for (size_t at = 0; requests_next_member(item, &at, &member);) {
		_cleanup_free_ char *name = text_format("%s: %.*s", buffer_text(&asked),
							(int)member.name_length, member.name);
		json_t *value;

		if (member.is_key || !name)
			continue;
		value = error ? json_pack("{s:s}", "error", error) : member_value(&member);
		if (item->request == ISST_IF_GET_PHY_ID)
			put_of_cpu(items, name, requests_member(item, "logical_cpu"), value);
		else
			put(items, place, name, value);
		if (error)
			break;
	}
}

/* Lines are freed when they have been read, because there are many. */
static void put_requests(struct items *items, const json_t *recorded)
{
	json_t *lines = json_object_get(recorded, "requests"), *line;
	size_t i;

	put(items, MACHINE, "device",
	    json_incref(json_object_get(recorded, "open")) ?: json_null());
	json_array_foreach (lines, i, line) {
		const char *text = json_string_value(line);
		struct request_item item;

		if (text && requests_parse(text, &item) == 0)
			put_request(items, &item);
		json_array_set_new(lines, i, json_null());
	}
}

/* Files. */

/* Returns the number in a file of an uncore directory, as text for a place; "?": no number. */
static const char *uncore_id(const struct items *items, const char *directory, const char *name)
{
	_cleanup_free_ char *path = text_format(UNCORE_PREFIX "%s/%s", directory, name);

	return (path ? json_get_text(items->files, path) : NULL) ?: "?";
}

/* Adds a file of an uncore directory. The ids in the directory give the place. */
static void put_uncore(struct items *items, const char *path, json_t *value)
{
	_cleanup_free_ char *directory = strdup(path), *place = NULL, *label = NULL;
	char *slash = directory ? strchr(directory, '/') : NULL;

	if (!slash)
		return;
	*slash = '\0';
	if (strncmp(directory, "uncore", strlen("uncore")) == 0)
		place = text_format("package-%s powerdomain-%s cluster-%s",
				    uncore_id(items, directory, "package_id"),
				    uncore_id(items, directory, "domain_id"),
				    uncore_id(items, directory, "fabric_cluster_id"));
	else
		place = strdup(directory);
	label = text_format("uncore %s", slash + 1);
	if (place && label)
		put(items, place, label, typed(value));
}

/* Adds the fields of the first CPU in /proc/cpuinfo. Its frequency and bogomips vary. */
static void put_cpuinfo(struct items *items, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *line;

	while (copy && (line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':');
		size_t length = strcspn(line, "\t:");
		_cleanup_free_ char *name =
			colon ? text_format("cpuinfo %.*s", (int)length, line) : NULL;
		json_t *value;

		if (!name || (!items->with_varying && (strcmp(name, "cpuinfo cpu MHz") == 0 ||
						       strcmp(name, "cpuinfo bogomips") == 0)))
			continue;
		value = json_string(colon[1] == ' ' ? colon + 2 : colon + 1);
		put(items, MACHINE, name, typed(value));
		json_decref(value);
	}
}

static void put_files(struct items *items)
{
	const char *path;
	json_t *value;
	void *next;

	json_object_foreach_safe(items->files, next, path, value)
	{
		const struct record_path *row = record_find_path(path);
		const char *mark = strstr(path, CPU_MARK);

		if (row && row->flags & PATH_VARIES && !items->with_varying)
			continue;
		if (strcmp(path, "/proc/cpuinfo") == 0 && json_is_string(value))
			put_cpuinfo(items, json_string_value(value));
		else if (strncmp(path, UNCORE_PREFIX, strlen(UNCORE_PREFIX)) == 0)
			put_uncore(items, path + strlen(UNCORE_PREFIX), value);
		else if (mark)
			read_of_cpus(items, value, find_or_add(items, mark + strlen(CPU_MARK)));
		else
			put(items, MACHINE, path, typed(value));
		if (mark)
			json_object_del(items->files, path);
	}
}

int items_init(struct items *items, json_t *recording, bool with_varying)
{
	const json_t *recorded = json_object_get(recording, "recorded");

	*items = (struct items){
		.with_varying = with_varying,
		.files = json_object_get(recorded, "files"),
		.places = json_object(),
	};
	read_of_cpus(items, json_object_get(items->files, TOPOLOGY "physical_package_id"),
		     &items->packages);
	read_of_cpus(items, json_object_get(items->files, TOPOLOGY "die_id"), &items->dies);
	put_requests(items, recorded);
	put_files(items);
	items->files = NULL;
	if (!items->is_short_of_memory)
		return 0;
	items_done(items);
	return -ENOMEM;
}

/* Opens a regular file of a recording's size. Returns 0; or a negative errno, -EINVAL if it is not
 * a regular file. */
static int open_file(const char *path, FILE **ret_file)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;

	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (S_ISDIR(about.st_mode))
		return -EISDIR;
	if (!S_ISREG(about.st_mode))
		return -EINVAL;
	if (about.st_size > MAX_FILE_BYTES)
		return -EFBIG;
	*ret_file = fdopen(fd, "r");
	if (!*ret_file)
		return -errno;
	steal_fd(&fd);
	return 0;
}

int items_read(const char *path, bool with_varying, struct items *ret_items, char **ret_message)
{
	_cleanup_json_ json_t *recording = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	json_error_t error = { .line = 0 };
	int err = open_file(path, &file);

	if (err) {
		*ret_message = err == -EINVAL
				       ? text_format("%s is not a regular file", path)
				       : text_format("%s cannot be read: %s", path, strerror(-err));
		return err;
	}
	recording = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	if (!recording) {
		*ret_message = json_describe_error(path, &error);
		return *ret_message ? -EINVAL : -ENOMEM;
	}
	if (!json_is_object(json_object_get(json_object_get(recording, "recorded"), "files"))) {
		*ret_message = text_format("%s is not a recording; machine record makes one", path);
		return -EINVAL;
	}
	return items_init(ret_items, recording, with_varying);
}

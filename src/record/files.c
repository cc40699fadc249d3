// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files and directories of the table, each once, and joins CPUs that have the same value.
 * A part of a path with "*" stands for each name of a directory that an earlier row has read. A
 * value that the kernel has once for a core type is read from the first CPU of the type. */
#include "record/parts.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "base/number.h"
#include "host/core_types.h"
#include "host/kept_files.h"

#define CGROUP      "/sys/fs/cgroup"
#define IRQS        "/proc/irq"
#define CPU_MARK    '#'
#define PATH_SIZE   256
#define UPDATE_STEP 64 /* CPUs */

/* A value and its CPUs, which are added in ascending order. */
struct shared_value {
	json_t *value;
	struct buffer cpus; /* ranges with commas between, without the last range */
	uint32_t first; /* of the last range */
	uint32_t last;
};

/* The values of a path of CPUs. */
struct shared_path {
	char *path;
	struct shared_value *values; /* in the order in which they were found */
	size_t n_values;
	json_t *index; /* numbers of values, by the text of the value */
	json_t *of_types; /* with PATH_OF_DRIVER: values by core type */
};

struct reader {
	struct files *files;
	const struct cpuset *cpus;
	const struct cpuset *online;
	struct core_types types;
	bool has_types; /* the lists of types could be read */
	const struct record_options *options;
	struct kernel_files *found;
	struct shared_path *shared; /* paths of the present row */
	size_t n_shared;
	/* By path of a directory: a list of its names, and a list of the names in the recording. */
	json_t *names;
	json_t *last_names; /* many directories have the same names */
	size_t done;
	bool is_short_of_memory;
};

/* A row of the table for a CPU, while its path is made. */
struct place {
	const struct record_path *row;
	uint32_t cpu; /* if the path has "#" */
	char real[PATH_SIZE]; /* the path that is read */
	char kept[PATH_SIZE]; /* the one in the recording */
};

static json_t *error_value(struct reader *reader, int error)
{
	const char *name = error_name(error);

	reader->found->n_denied += error == -EACCES || error == -EPERM;
	return json_pack("{s:s}", "error", name ?: "EIO");
}

static json_t *hex_value(const char *text, size_t length)
{
	_cleanup_free_ char *hex = malloc(2 * length + 1);

	if (!hex)
		return NULL;
	for (size_t i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)text[i]);
	hex[2 * length] = '\0';
	return json_pack("{s:s}", "hex", hex);
}

/* Makes the value of a text. Most texts end in one newline, which is left out. */
static json_t *text_value(const char *text, size_t length)
{
	json_t *value;

	for (size_t i = 0; i < length; i++) {
		if (iscntrl((unsigned char)text[i]) && !strchr("\t\n", text[i]))
			return hex_value(text, length);
	}
	if (strlen(text) != length)
		return hex_value(text, length);
	if (length > 0 && text[length - 1] == '\n')
		return json_stringn(text, length - 1) ?: hex_value(text, length);
	value = json_stringn(text, length);
	return value ? json_pack("{s:o}", "exact", value) : hex_value(text, length);
}

static json_t *read_text(struct reader *reader, const struct place *place)
{
	_cleanup_free_ char *text = NULL, *filtered = NULL;
	size_t length;
	const struct record_path *row = place->row;
	char *(*filter)(const char *text) =
		reader->options->is_shared && row->share_filter ? row->share_filter : row->filter;
	int err;

	if (reader->options->is_shared && row->flags & PATH_IS_PRIVATE)
		return error_value(reader, -ENODATA);
	err = reader->files->ops->read(reader->files, place->real, 0, &text, &length);
	if (err)
		return err == -ENOMEM ? NULL : error_value(reader, err);
	if (!filter)
		return text_value(text, length);
	filtered = filter(text);
	return filtered ? text_value(filtered, strlen(filtered)) : NULL;
}

/* Returns true if a row of the table reads something below the name of a directory. */
static bool is_used(const char *directory, const char *name)
{
	char path[PATH_SIZE];
	int length = snprintf(path, sizeof(path), "%s/%s", directory, name);

	for (size_t i = 0; i < n_record_paths && length < PATH_SIZE; i++) {
		const char *row = record_paths[i].path;
		const char *end = row;

		/* end is after as many parts of the row as the path has */
		for (const char *at = path; *end && *at; at++) {
			if (*at == '/')
				end += 1 + strcspn(end + 1, "/");
		}
		if (*end) {
			_cleanup_free_ char *start = strndup(row, (size_t)(end - row));

			if (start && fnmatch(start, path, FNM_PATHNAME) == 0)
				return true;
		}
	}
	return false;
}

/* Returns true for the name of a file in a control group. Names of groups say what runs on the
 * machine. */
static bool is_cgroup_file(const char *name)
{
	static const char *const prefixes[] = { "cgroup.", "cpu.",  "cpuset.", "io.",
						"memory.", "pids.", "misc.",   "hugetlb.",
						"rdma.",   "irq.",  "dmem.",   "perf_event" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* Returns true for a control group of this program: numbers with dashes between them. */
static bool is_our_group(const char *name)
{
	return name[strspn(name, "0123456789-")] == '\0';
}

/* Returns true for a file that every interrupt has. Other names in its directory are handlers. */
static bool is_irq_file(const char *directory, const char *name)
{
	static const char *const names[] = {
		"affinity_hint", "effective_affinity", "effective_affinity_list",
		"node",          "smp_affinity",       "smp_affinity_list",
		"spurious"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return strncmp(directory, IRQS "/", strlen(IRQS "/")) == 0;
	}
	return false;
}

/* Replaces PCI addresses, such as 0000:3b:00.0, by zeros: names of interrupts contain addresses. */
static void hide_pci(char *name)
{
	static const char zeros[] = "0000:00:00.0";

	for (; strlen(name) >= strlen(zeros); name++) {
		size_t i = 0;

		while (i < strlen(zeros) && (zeros[i] == '0' ? isxdigit((unsigned char)name[i]) != 0
							     : name[i] == zeros[i]))
			i++;
		if (i == strlen(zeros))
			memcpy(name, zeros, i);
	}
}

/* Returns true for the name of a handler that says only the kind of device. Other names contain
 * those of network interfaces, which can be addresses or names that people chose. */
static bool is_plain_handler(const char *name)
{
	/* the names have no digits */
	static const char plain[] =
		" ACPI:Ged acpi aerdrv ahci[::.] dmar ehci_hcd:usb i idxd-misc idxd-portal ioat-msix "
		"megasas-msix mlx_async@pci:::. mlx_comp@pci:::. mptsas-msix nvmeq pciehp rtc timer "
		"ttyS virtio-config virtio-control virtio-event virtio-input virtio-input. "
		"virtio-output. virtio-req. virtio-rx virtio-tx xhci_hcd ";
	char kind[32] = " ";
	size_t length = 1;

	for (; *name; name++) {
		if (isdigit((unsigned char)*name))
			continue;
		if (*name == ' ' || length == sizeof(kind) - 2)
			return false;
		kind[length++] = *name;
	}
	kind[length] = ' ';
	return length > 1 && strstr(plain, kind);
}

static bool is_below(const char *directory, const char *above)
{
	return strncmp(directory, above, strlen(above)) == 0 && directory[strlen(above)] == '/';
}

/* Returns true for a name that the recording leaves out: no row needs it, or all interrupts have
 * it. */
static bool is_left_out(const struct place *place, const char *name)
{
	char path[2 * PATH_SIZE];
	bool is_group = strcmp(place->kept, CGROUP) == 0 && !is_cgroup_file(name);

	if (place->row->flags & PATH_ONLY_LISTS && !is_used(place->kept, name))
		return true;
	if (is_group || strncmp(place->kept, CGROUP, strlen(CGROUP)) != 0)
		return is_irq_file(place->kept, name);
	snprintf(path, sizeof(path), "%s/%s", place->kept, name);
	return !record_find_path(path);
}

/* Makes the name in the recording for a name of the directory; plain has no PCI addresses.
 * Handlers, and control groups of other programs, get numbers. */
static json_t *name_value(const struct reader *reader, const char *directory, const char *name,
			  const char *plain, unsigned int *n_renamed)
{
	bool is_group =
		strcmp(directory, CGROUP) == 0 && !is_cgroup_file(name) && !is_our_group(name);
	bool is_handler = is_below(directory, IRQS) &&
			  (reader->options->is_shared || !is_plain_handler(plain));
	_cleanup_free_ char *number = NULL;

	if (!is_group && !is_handler)
		return json_string(name) ?: hex_value(name, strlen(name));
	number = text_format("%s-%u", is_group ? "group" : "handler", ++*n_renamed);
	return number ? json_string(number) : NULL;
}

/* Keeps the names of a directory for the rows below it. */
static void keep_names(struct reader *reader, const char *path, json_t *names)
{
	if (reader->last_names && json_equal(names, reader->last_names)) {
		json_decref(names);
		names = json_incref(reader->last_names);
	}
	reader->last_names = names;
	json_object_set_new(reader->names, path, names);
}

static json_t *read_names(struct reader *reader, const struct place *place)
{
	_cleanup_(files_free_names) char **names = NULL;
	json_t *value = json_array(), *real = json_array();
	unsigned int n_renamed = 0;
	int err = files_list(reader->files, place->real, &names);

	if (err) {
		json_decref(value);
		json_decref(real);
		return err == -ENOMEM ? NULL : error_value(reader, err);
	}
	for (size_t i = 0; names[i]; i++) {
		_cleanup_free_ char *plain = strdup(names[i]);
		json_t *kept = NULL;

		if (is_left_out(place, names[i]))
			continue;
		if (plain) {
			hide_pci(plain);
			kept = name_value(reader, place->kept,
					  reader->options->with_pci ? names[i] : plain, plain,
					  &n_renamed);
		}
		if (!json_is_string(kept)) { /* not UTF-8 */
			json_decref(kept);
			continue;
		}
		json_array_append_new(value, kept);
		json_array_append_new(real, json_string(names[i]));
	}
	keep_names(reader, place->real, json_pack("[o,O]", real, value));
	return value;
}

/* Values of CPUs. */

/* Returns the entry of a path, which is added if it is new; NULL: no memory. */
static struct shared_path *find_shared(struct reader *reader, const char *path)
{
	struct shared_path *shared;

	for (size_t i = 0; i < reader->n_shared; i++) {
		if (strcmp(reader->shared[i].path, path) == 0)
			return &reader->shared[i];
	}
	shared = array_add(&reader->shared, &reader->n_shared, sizeof(*shared));
	if (!shared)
		return NULL;
	shared->path = strdup(path);
	shared->index = json_object();
	shared->of_types = json_object();
	return shared->path && shared->index && shared->of_types ? shared : NULL;
}

/* Returns the entry of a value (takes ownership); NULL: no memory. */
static struct shared_value *find_value(struct shared_path *shared, json_t *value)
{
	_cleanup_free_ char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	const json_t *number = text ? json_object_get(shared->index, text) : NULL;
	struct shared_value *found;

	if (number) {
		json_decref(value);
		return &shared->values[json_integer_value(number)];
	}
	found = array_add(&shared->values, &shared->n_values, sizeof(*found));
	if (!found) {
		json_decref(value);
		return NULL;
	}
	found->value = value;
	found->first = CPUSET_NONE;
	if (!text || json_object_set_new(shared->index, text,
					 json_integer((json_int_t)shared->n_values - 1)) < 0)
		return NULL;
	return found;
}

static void append_range(struct buffer *to, const struct shared_value *value)
{
	if (to->length)
		buffer_append_char(to, ',');
	buffer_append_number(to, value->first);
	if (value->last == value->first)
		return;
	buffer_append_char(to, '-');
	buffer_append_number(to, value->last);
}

static void add_cpu(struct shared_value *value, uint32_t cpu)
{
	if (value->first != CPUSET_NONE && cpu == value->last + 1) {
		value->last = cpu;
		return;
	}
	if (value->first != CPUSET_NONE)
		append_range(&value->cpus, value);
	value->first = value->last = cpu;
}

/* Adds each path of the row as an object with a member for each value, named by its CPUs. */
static void finish_shared(struct reader *reader)
{
	for (size_t i = 0; i < reader->n_shared; i++) {
		struct shared_path *shared = &reader->shared[i];
		json_t *folded = json_object();

		for (size_t j = 0; j < shared->n_values; j++) {
			struct shared_value *value = &shared->values[j];

			append_range(&value->cpus, value);
			if (value->cpus.has_failed ||
			    json_object_set_new(folded, buffer_text(&value->cpus), value->value))
				reader->is_short_of_memory = true;
			buffer_done(&value->cpus);
		}
		if (json_object_set_new(reader->found->object, shared->path, folded))
			reader->is_short_of_memory = true;
		json_decref(shared->index);
		json_decref(shared->of_types);
		free(shared->values);
		free(shared->path);
	}
	free(steal(reader->shared));
	reader->n_shared = 0;
}

static void keep(struct reader *reader, const struct place *place, json_t *value)
{
	struct shared_path *shared;
	struct shared_value *found = NULL;

	if (value && !strchr(place->kept, CPU_MARK)) {
		json_object_set_new(reader->found->object, place->kept, value);
		return;
	}
	shared = value ? find_shared(reader, place->kept) : NULL;
	if (shared)
		found = find_value(shared, value);
	if (found)
		add_cpu(found, place->cpu);
	else
		reader->is_short_of_memory = true;
}

/* Returns the core type of the CPU if all CPUs of the type have the value; else NULL. */
static const char *find_type(const struct reader *reader, const struct place *place)
{
	if (!(place->row->flags & PATH_OF_DRIVER) || !reader->has_types ||
	    !cpuset_has(reader->online, place->cpu))
		return NULL;
	return core_types_name(&reader->types, place->cpu) ?: "";
}

/* Reads the file or directory of place, or uses the value of a CPU of the same core type. */
static json_t *read_value(struct reader *reader, const struct place *place)
{
	const char *type = find_type(reader, place);
	struct shared_path *shared = type ? find_shared(reader, place->kept) : NULL;
	json_t *value = shared ? json_object_get(shared->of_types, type) : NULL;

	if (value)
		return json_incref(value);
	if (place->row->flags & PATH_IS_DIRECTORY)
		return read_names(reader, place);
	value = read_text(reader, place);
	if (shared && value && !json_object_get(value, "error"))
		json_object_set(shared->of_types, type, value);
	return value;
}

static void read_place(struct reader *reader, struct place *place, const char *rest);

/* Reads the rest of the path for every name of the directory that matches the pattern. */
static void read_matches(struct reader *reader, struct place *place, const char *pattern,
			 const char *rest)
{
	const struct place directory = *place;
	const json_t *names = json_object_get(reader->names, directory.real);
	const json_t *kept = json_array_get(names, 1);
	const json_t *name;
	size_t i;

	json_array_foreach (json_array_get(names, 0), i, name) {
		const char *text = json_string_value(name);

		if (!text || fnmatch(pattern, text, 0) != 0 ||
		    (strcmp(directory.kept, CGROUP) == 0 && is_cgroup_file(text)))
			continue;
		*place = directory;
		if (snprintf(place->real, PATH_SIZE, "%.180s/%.70s", directory.real, text) < 0 ||
		    snprintf(place->kept, PATH_SIZE, "%.180s/%.70s", directory.kept,
			     json_string_value(json_array_get(kept, i))) < 0)
			continue;
		read_place(reader, place, rest);
	}
	*place = directory;
}

/* Appends the rest of the row's path, and then reads the file or directory. */
static void read_place(struct reader *reader, struct place *place, const char *rest)
{
	while (*rest) {
		size_t length = 1 + strcspn(rest + 1, "/");
		size_t real_length = strlen(place->real), kept_length = strlen(place->kept);
		char part[64];

		snprintf(part, sizeof(part), "%.*s", (int)length, rest);
		rest += length;
		if (strchr(part, '*')) {
			read_matches(reader, place, part + 1, rest);
			return;
		}
		if (part[strlen(part) - 1] == CPU_MARK)
			snprintf(place->real + real_length, PATH_SIZE - real_length, "%.*s%u",
				 (int)strlen(part) - 1, part, place->cpu);
		else
			snprintf(place->real + real_length, PATH_SIZE - real_length, "%s", part);
		snprintf(place->kept + kept_length, PATH_SIZE - kept_length, "%s", part);
	}
	keep(reader, place, read_value(reader, place));
}

static void report_progress(struct reader *reader, size_t total)
{
	if (reader->options->progress && reader->done % UPDATE_STEP == 0)
		reader->options->progress(reader->options->progress_data, reader->done, total);
}

/* Returns the number of rows from this one on that are read together for each CPU. */
static size_t count_together(size_t first)
{
	size_t next = first + 1;

	while (record_paths[first].flags & PATH_OF_DEVICE && next < n_record_paths &&
	       record_paths[next].flags & PATH_OF_DEVICE)
		next++;
	return next - first;
}

static int read_rows(struct reader *reader, const struct record_path *rows, size_t count)
{
	size_t n_cpus = cpuset_count(reader->cpus);

	if (!strchr(rows->path, CPU_MARK)) {
		read_place(reader, &(struct place){ .row = rows }, rows->path);
		reader->done += n_cpus;
		return 0;
	}
	cpuset_foreach (cpu, reader->cpus) {
		for (size_t i = 0; i < count; i++) {
			if (wait_is_stopped(reader->options->stop))
				return -EINTR;
			read_place(reader, &(struct place){ .row = &rows[i], .cpu = cpu },
				   rows[i].path);
			reader->done++;
			report_progress(reader, n_record_paths * n_cpus);
		}
	}
	return 0;
}

static int read_all(struct reader *reader)
{
	int err = core_types_read(reader->files, &reader->types);

	if (err == -ENOMEM)
		return err;
	reader->has_types = !err;
	err = 0;
	for (size_t i = 0, count; i < n_record_paths && !err; i += count) {
		count = count_together(i);
		if (reader->options->with_pci || !(record_paths[i].flags & PATH_NEEDS_PCI))
			err = read_rows(reader, &record_paths[i], count);
		finish_shared(reader);
		if (reader->is_short_of_memory)
			err = -ENOMEM;
	}
	return err;
}

int kernel_files_read(struct files *files, const struct cpuset *cpus, const struct cpuset *online,
		      const struct record_options *options, struct kernel_files *ret_files)
{
	struct kernel_files found = { .object = json_object() };
	_cleanup_json_ json_t *names = json_object();
	struct reader reader = {
		.cpus = cpus, .online = online, .options = options, .found = &found, .names = names
	};
	int err = kept_files_open(files, "cpus", &reader.files); /* the lists of core types */

	if (!err) {
		err = read_all(&reader);
		kept_files_close(reader.files);
	}
	core_types_done(&reader.types);
	if (err) {
		kernel_files_done(&found);
		return err;
	}
	*ret_files = found;
	return 0;
}

void kernel_files_done(struct kernel_files *files)
{
	json_decref(files->object);
	*files = (struct kernel_files){ 0 };
}

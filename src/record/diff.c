// SPDX-License-Identifier: GPL-2.0-only
/* Compares recordings by place and name. A recording is made an object of places, each with named
 * values: members of the platform file, members of requests, files. Values of CPUs are compared CPU
 * by CPU; those that differ alike share a place. Uncore directories are found by their ids, since
 * their numbers change with each boot. */
#include "record/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/error_name.h"
#include "base/fileio.h"
#include "base/number.h"
#include "isst_abi.h"
#include "record/parts.h"

#define MAX_FILE_BYTES (16U << 20)
#define CPU_MARK       "#/"
#define UNCORE_PREFIX  FILES_CPUS "/intel_uncore_frequency/"
#define MACHINE        "machine"
#define ONLINE         "online" /* the file of a CPU */

/* A recording that is made comparable. */
struct items {
	const json_t *recording;
	bool with_varying;
	json_t *places; /* by place: values by name */
	json_t *by_cpu; /* by name: a list of values by CPU, null if there is none */
};

static void items_done(struct items *items)
{
	json_decref(items->places);
	json_decref(items->by_cpu);
}

/* Reads the text of a regular file. Returns 0, or a negative errno: -EINVAL for another kind. */
static int read_text(const char *path, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;

	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (S_ISDIR(about.st_mode))
		return -EISDIR;
	if (!S_ISREG(about.st_mode))
		return -EINVAL;
	return fileio_read_whole(fd, MAX_FILE_BYTES, ret_text, ret_length);
}

int diff_read(const char *path, json_t **ret_recording, char **ret_message)
{
	_cleanup_json_ json_t *recording = NULL;
	_cleanup_free_ char *text = NULL;
	json_error_t error = { .line = 0 };
	size_t length;
	int err = read_text(path, &text, &length);

	if (err) {
		*ret_message = err == -EINVAL
				       ? text_format("%s is no regular file", path)
				       : text_format("%s cannot be read: %s", path, strerror(-err));
		return err;
	}
	recording = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (!recording) {
		*ret_message =
			text_format("%s:%d: %s", path, error.line > 0 ? error.line : 1, error.text);
		return -EINVAL;
	}
	if (!json_is_object(json_object_get(json_object_get(recording, "recorded"), "files"))) {
		*ret_message = text_format("%s is not a recording; machine record makes one", path);
		return -EINVAL;
	}
	*ret_recording = steal(recording);
	return 0;
}

/* Items. */

/* Adds a value, which is taken over, at a place. */
static void put(struct items *items, const char *place, const char *name, json_t *value)
{
	json_t *names = json_object_get(items->places, place);

	if (!names) {
		names = json_object();
		json_object_set_new(items->places, place, names);
	}
	json_object_set_new(names, name, value);
}

/* Adds a value, which is taken over, of a CPU. A wrong file can have numbers that no CPU has. */
static void put_of_cpu(struct items *items, const char *name, size_t cpu, json_t *value)
{
	json_t *values = json_object_get(items->by_cpu, name);

	if (cpu > CPUSET_MAX_CPU) {
		_cleanup_free_ char *place = text_format("cpu-%zu", cpu);

		put(items, place ?: "", name, value);
		return;
	}
	if (!values) {
		values = json_array();
		json_object_set_new(items->by_cpu, name, values);
	}
	while (json_array_size(values) <= cpu)
		json_array_append_new(values, json_null());
	json_array_set_new(values, cpu, value);
}

/* A value of a file: texts of digits are numbers. */
static json_t *typed(json_t *value)
{
	const char *text = json_string_value(value);
	uint64_t number;

	if (text && number_parse(text, 0, INT64_MAX, &number) == 0)
		return json_integer((json_int_t)number);
	return json_incref(value);
}

static uint64_t number_at(const json_t *list, size_t index)
{
	return (uint64_t)json_integer_value(json_array_get(list, index));
}

/* The place of a power domain of the platform file, or of its package. */
static char *place_of(const struct items *items, uint64_t package, uint64_t domain, bool of_package)
{
	const json_t *topology = json_object_get(items->recording, "topology");
	const json_t *domains = json_object_get(
		json_array_get(json_object_get(topology, "packages"), package), "domains");
	const json_t *found = json_array_get(domains, domain);
	const char *kind = json_string_value(
		json_object_get(json_object_get(items->recording, "interface"), "kind"));

	if (of_package)
		return text_format("package-%" PRIu64, package);
	if (kind && strcmp(kind, "tpmi") == 0)
		return text_format("package-%" PRIu64 " powerdomain-%" JSON_INTEGER_FORMAT, package,
				   json_integer_value(json_object_get(found, "punit")));
	return text_format("package-%" PRIu64 " die-%" JSON_INTEGER_FORMAT, package,
			   json_integer_value(json_object_get(found, "die")));
}

/* Adds the values of an object or a list, each under a name of all names above it. Elements of a
 * list of objects are named by their member "level", else by their number. */
static void put_tree(struct items *items, const char *place, const char *name, json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;

	if (!json_is_object(value) &&
	    !(json_is_array(value) && json_is_object(json_array_get(value, 0)))) {
		put(items, place, name, json_incref(value));
		return;
	}
	json_object_foreach (value, key, member) {
		_cleanup_free_ char *full = text_format("%s%s%s", name, *name ? " " : "", key);

		if (full && strcmp(key, "level") != 0)
			put_tree(items, place, full, member);
	}
	json_array_foreach (value, i, member) {
		const json_t *level = json_object_get(member, "level");
		_cleanup_free_ char *full = level ? text_format("level-%" JSON_INTEGER_FORMAT,
								json_integer_value(level))
						  : text_format("%s-%zu", name, i);

		if (full)
			put_tree(items, place, full, member);
	}
}

/* Speed Select of the domains. */
static void put_sst(struct items *items)
{
	const json_t *topology = json_object_get(items->recording, "topology");
	json_t *list = json_object_get(items->recording, "sst"), *package;
	size_t number = 0, i;

	json_array_foreach (json_object_get(topology, "packages"), i, package) {
		json_t *domain;
		size_t j;

		json_array_foreach (json_object_get(package, "domains"), j, domain) {
			_cleanup_free_ char *place = place_of(items, i, j, false);

			if (place)
				put_tree(items, place, "", json_array_get(list, number++));
		}
	}
}

static void put_members(struct items *items)
{
	static const char *const members[] = { "cpu", "interface" };
	const char *kind = json_string_value(
		json_object_get(json_object_get(items->recording, "interface"), "kind"));
	const json_t *topology = json_object_get(items->recording, "topology");

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		put_tree(items, MACHINE, members[i], json_object_get(items->recording, members[i]));
	put(items, MACHINE, "packages",
	    json_integer((json_int_t)json_array_size(json_object_get(topology, "packages"))));
	/* the answers of TPMI have a name for each figure; the words of a mailbox have none */
	if (kind && strcmp(kind, "mailbox") == 0)
		put_sst(items);
}

/* The value of a member of a request. */
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

/* Adds the answer of a request: its name is that of the request and what it asks, its place where
 * it goes. */
static void put_request(struct items *items, const struct request_item *item)
{
	const json_t *cpus = json_object_get(json_object_get(items->recording, "topology"), "cpus");
	_cleanup_buffer_ struct buffer asked = { 0 };
	_cleanup_free_ char *place = NULL;
	uint64_t package = requests_member(item, "socket_id"), cpu = 0;
	bool has_cpu = false, has_domain = false;
	struct request_member member;

	buffer_append_string(&asked, requests_name(item->request));
	for (size_t at = 0; requests_next_member(item, &at, &member);) {
		char value[24];

		if (!member.is_key)
			continue;
		if (strncmp(member.name, "logical_cpu:", strlen("logical_cpu:")) == 0) {
			has_cpu = true;
			cpu = member.values[0];
		} else if (strncmp(member.name, "power_domain_id:", strlen("power_domain_id:")) ==
			   0) {
			has_domain = true;
			place = text_format("package-%" PRIu64 " powerdomain-%" PRIu64, package,
					    member.values[0]);
		} else if (strncmp(member.name, "socket_id:", strlen("socket_id:")) != 0) {
			buffer_append_char(&asked, ' ');
			buffer_append(&asked, member.name, member.name_length);
			snprintf(value, sizeof(value), member.is_hex ? " 0x%" PRIx64 : " %" PRIu64,
				 member.values[0]);
			buffer_append_string(&asked, value);
		}
	}
	if (has_cpu)
		place = place_of(items, number_at(json_array_get(cpus, cpu), 0),
				 number_at(json_array_get(cpus, cpu), 1),
				 item->request == ISST_IF_MSR_COMMAND);
	else if (!has_domain)
		place = item->request == ISST_IF_GET_PLATFORM_INFO
				? strdup(MACHINE)
				: text_format("package-%" PRIu64, package);
	for (size_t at = 0; place && requests_next_member(item, &at, &member);) {
		_cleanup_free_ char *name = text_format("%s: %.*s", buffer_text(&asked),
							(int)member.name_length, member.name);
		const char *error = item->error ? error_name(item->error) ?: "EIO" : NULL;
		json_t *value;

		if (member.is_key || !name)
			continue;
		value = error ? json_pack("{s:s}", "error", error) : member_value(&member);
		if (item->request == ISST_IF_GET_PHY_ID)
			put_of_cpu(items, name, cpu, value);
		else
			put(items, place, name, value);
		if (error)
			break;
	}
}

static void put_requests(struct items *items)
{
	const json_t *recorded = json_object_get(items->recording, "recorded");
	const json_t *line;
	size_t i;

	put(items, MACHINE, "device", json_incref(json_object_get(recorded, "open")));
	json_array_foreach (json_object_get(recorded, "requests"), i, line) {
		const char *text = json_string_value(line);
		struct request_item item;

		if (text && requests_parse(text, &item) == 0)
			put_request(items, &item);
	}
}

/* The number in a file of an uncore directory, as text for a place; "?": there is none. */
static const char *uncore_id(const struct items *items, const char *directory, const char *name)
{
	const json_t *files =
		json_object_get(json_object_get(items->recording, "recorded"), "files");
	_cleanup_free_ char *path = text_format(UNCORE_PREFIX "%s/%s", directory, name);

	return (path ? json_string_value(json_object_get(files, path)) : NULL) ?: "?";
}

/* Adds a file of an uncore directory, whose place are the ids in it. */
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

/* Adds the fields of the first CPU in /proc/cpuinfo; its present frequency varies. */
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
	json_t *files = json_object_get(json_object_get(items->recording, "recorded"), "files");
	const char *path, *list;
	json_t *value, *of_cpus;

	json_object_foreach (files, path, value) {
		const struct record_path *row = record_find_path(path);
		const char *mark = strstr(path, CPU_MARK);

		if (row && row->flags & PATH_VARIES && !items->with_varying)
			continue;
		if (strcmp(path, "/proc/cpuinfo") == 0 && json_is_string(value)) {
			put_cpuinfo(items, json_string_value(value));
		} else if (strncmp(path, UNCORE_PREFIX, strlen(UNCORE_PREFIX)) == 0) {
			put_uncore(items, path + strlen(UNCORE_PREFIX), value);
		} else if (!mark) {
			put(items, MACHINE, path, typed(value));
		} else {
			json_object_foreach (value, list, of_cpus) {
				_cleanup_cpuset_ struct cpuset cpus = { 0 };

				if (cpulist_parse(list, &cpus))
					continue;
				cpuset_foreach (cpu, &cpus)
					put_of_cpu(items, mark + strlen(CPU_MARK), cpu,
						   typed(of_cpus));
			}
		}
	}
}

static void items_init(struct items *items, const json_t *recording, bool with_varying)
{
	*items = (struct items){
		.recording = recording,
		.with_varying = with_varying,
		.places = json_object(),
		.by_cpu = json_object(),
	};
	put_members(items);
	put_requests(items);
	put_files(items);
}

/* Differences. */

static void add_pair(json_t *differences, const char *place, const char *name, json_t *left,
		     json_t *right)
{
	json_t *names = json_object_get(differences, place);

	if (!names) {
		names = json_object();
		json_object_set_new(differences, place, names);
	}
	json_object_set_new(names, name,
			    json_pack("{s:O, s:O}", "a", left ?: json_null(), "b",
				      right ?: json_null()));
}

static bool is_same(const json_t *left, const json_t *right)
{
	bool has_left = left && !json_is_null(left), has_right = right && !json_is_null(right);

	return has_left == has_right && (!has_left || json_equal(left, right));
}

/* Adds what the places of one recording have, unless it is the same in the other; swapped: the
 * first is the second recording, and only what the other lacks is added. */
static void compare_places(json_t *differences, json_t *places, json_t *others, bool swapped)
{
	const char *place, *name;
	json_t *names, *value;

	json_object_foreach (places, place, names) {
		json_t *other_names = json_object_get(others, place);

		json_object_foreach (names, name, value) {
			json_t *other = json_object_get(other_names, name);

			if (is_same(value, other) || (swapped && other))
				continue;
			add_pair(differences, place, name, swapped ? NULL : value,
				 swapped ? value : other);
		}
	}
}

/* The CPUs that are online in one recording alone: their other files come and go with them. */
static int find_moved(const struct items *a, const struct items *b, struct cpuset *moved)
{
	const json_t *left = json_object_get(a->by_cpu, ONLINE);
	const json_t *right = json_object_get(b->by_cpu, ONLINE);
	const json_t *value;
	size_t cpu;

	json_array_foreach (left, cpu, value) {
		const json_t *other = json_array_get(right, cpu);
		bool has_both = json_is_integer(value) && json_is_integer(other);

		if (has_both && !json_equal(value, other) && cpuset_add(moved, (uint32_t)cpu))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the CPUs of which the values of a name differ, those that differ alike at one place. Leaves
 * out the values of moved CPUs, except whether they are online. */
static int compare_cpus(json_t *differences, const char *name, const json_t *left,
			const json_t *right, const struct cpuset *moved)
{
	size_t count = json_array_size(left) > json_array_size(right) ? json_array_size(left)
								      : json_array_size(right);
	_cleanup_json_ json_t *groups = json_object();
	const char *key;
	json_t *group;

	for (size_t i = 0; i < count; i++) {
		json_t *a = json_array_get(left, i) ?: json_null();
		json_t *b = json_array_get(right, i) ?: json_null();
		_cleanup_json_ json_t *pair = json_pack("[O,O]", a, b);
		bool is_left_out = cpuset_has(moved, (uint32_t)i) && strcmp(name, ONLINE) != 0;
		_cleanup_free_ char *text =
			is_left_out || is_same(a, b) ? NULL : json_dumps(pair, JSON_COMPACT);

		if (!text)
			continue;
		group = json_object_get(groups, text);
		if (!group) {
			group = json_pack("{s:O, s:O, s:[]}", "a", a, "b", b, "cpus");
			json_object_set_new(groups, text, group);
		}
		json_array_append_new(json_object_get(group, "cpus"), json_integer((json_int_t)i));
	}
	json_object_foreach (groups, key, group) {
		_cleanup_free_ char *list = record_format_cpus(json_object_get(group, "cpus"));
		_cleanup_free_ char *place = list ? text_format("cpu-%s", list) : NULL;

		if (!place)
			return -ENOMEM;
		add_pair(differences, place, name, json_object_get(group, "a"),
			 json_object_get(group, "b"));
	}
	return 0;
}

/* Adds what differs between the values of CPUs. */
static int compare_all_cpus(json_t *differences, const struct items *a, const struct items *b)
{
	_cleanup_cpuset_ struct cpuset moved = { 0 };
	const char *name;
	json_t *values;

	if (!a->with_varying && find_moved(a, b, &moved))
		return -ENOMEM;
	json_object_foreach (a->by_cpu, name, values) {
		if (compare_cpus(differences, name, values, json_object_get(b->by_cpu, name),
				 &moved))
			return -ENOMEM;
	}
	json_object_foreach (b->by_cpu, name, values) {
		if (!json_object_get(a->by_cpu, name) &&
		    compare_cpus(differences, name, NULL, values, &moved))
			return -ENOMEM;
	}
	return 0;
}

int diff_make(const json_t *left, const json_t *right, bool with_varying, json_t **ret_differences)
{
	_cleanup_(items_done) struct items a, b;
	_cleanup_json_ json_t *differences = json_object();
	int err;

	items_init(&a, left, with_varying);
	items_init(&b, right, with_varying);
	compare_places(differences, a.places, b.places, false);
	compare_places(differences, b.places, a.places, true);
	err = compare_all_cpus(differences, &a, &b);
	if (err)
		return err;
	*ret_differences = steal(differences);
	return 0;
}

static void append_value(struct buffer *to, const json_t *value)
{
	_cleanup_free_ char *text = NULL;
	const char *error = json_string_value(json_object_get(value, "error"));

	if (json_is_null(value)) {
		buffer_append_string(to, "absent");
	} else if (error) {
		buffer_append_string(to, error);
	} else if (json_is_string(value) && *json_string_value(value)) {
		buffer_append_clean(to, json_string_value(value));
	} else {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		buffer_append_clean(to, text ?: "");
	}
}

size_t diff_append_lines(const json_t *differences, struct buffer *to)
{
	const char *place, *name;
	json_t *names, *pair;
	size_t count = 0;

	json_object_foreach ((json_t *)(uintptr_t)differences, place, names) {
		json_object_foreach (names, name, pair) {
			buffer_append_clean(to, place);
			buffer_append_char(to, ' ');
			buffer_append_clean(to, name);
			buffer_append_string(to, ": ");
			append_value(to, json_object_get(pair, "a"));
			buffer_append_string(to, " -> ");
			append_value(to, json_object_get(pair, "b"));
			buffer_append_char(to, '\n');
			count++;
		}
	}
	return count;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Recorded answers of a machine: requests as lines, sorted by what they ask; files by path, where
 * "#" stands for the number of each CPU and the values are by CPU. */
#include "simulator/recording.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/error_name.h"
#include "base/number.h"
#include "isst_abi.h"
#include "base/json_fields.h"
#include "simulator/platform_file.h"

#define MAX_PATH 256

/* What the number of a CPU follows. */
static const char *const cpu_prefixes[] = { "/sys/devices/system/cpu/cpu", "/dev/cpu/" };

/* A request and where it goes: the domain that a mailbox command or register is of, the package
 * of an MSR, the CPU of an id; 0 for the others, which name it. */
struct recorded_request {
	uint64_t digest; /* of what it asks */
	uint32_t place;
	struct request_item item;
};

struct recorded_path {
	const char *path;
	json_t *value; /* or NULL: it is by CPU */
	json_t **by_cpu; /* n_cpus of them, NULL if unknown; or NULL */
};

struct recording {
	const struct sim_platform *platform;
	const char *date; /* when hardware was recorded; NULL: unknown */
	const char *model; /* the simulated machine that was recorded; NULL: hardware was */
	int open_error;
	bool lacks_capability;
	const char *cpu_map; /* or NULL */
	size_t n_requests;
	struct recorded_request *requests; /* by digest */
	size_t n_paths;
	struct recorded_path *paths; /* by path */
};

/* Requests. */

/* Finds where a request goes. Returns whether the machine has such a CPU. */
static bool find_place(const struct sim_platform *platform, const struct request_item *item,
		       uint32_t cpu, uint32_t *ret_place)
{
	*ret_place = 0;
	if (cpu == UINT32_MAX)
		return true;
	if (cpu >= platform->n_cpus)
		return false;
	*ret_place = item->request == ISST_IF_GET_PHY_ID    ? cpu
		     : item->request == ISST_IF_MSR_COMMAND ? platform->cpus[cpu].package
							    : platform->cpus[cpu].domain;
	return true;
}

/* Sets the digest and the place of a request. */
static bool place_request(const struct sim_platform *platform, struct recorded_request *request)
{
	struct {
		uint32_t request;
		uint32_t place;
		uint8_t key[REQUESTS_MAX_SIZE];
	} asked = { .request = request->item.request };
	uint32_t cpu;

	requests_key(&request->item, true, asked.key, &cpu);
	if (!find_place(platform, &request->item, cpu, &request->place))
		return false;
	asked.place = request->place;
	request->digest = digest_bytes((const char *)&asked, sizeof(asked));
	return true;
}

static int compare_requests(const void *left_pointer, const void *right_pointer)
{
	const struct recorded_request *left = left_pointer, *right = right_pointer;

	return number_compare(left->digest, right->digest);
}

static void read_request(struct json_reader *reader, json_t *value, void *to)
{
	struct recording *recording = to;
	const char *line = json_read_text(reader, value);
	struct recorded_request *request;

	if (!line)
		return;
	request = array_add(&recording->requests, &recording->n_requests, sizeof(*request));
	if (!request)
		json_refuse_memory(reader);
	else if (requests_parse(line, &request->item))
		json_refuse(reader, NULL, "\"%s\" is not a request and its answer", line);
	else if (!place_request(recording->platform, request))
		json_refuse(reader, NULL, "the machine has no such CPU");
}

static const struct recorded_request *find_request(const struct sim_platform *platform,
						   const struct request_item *item)
{
	const struct recording *recording = platform->recording;
	struct recorded_request wanted = { .item = *item };

	if (!place_request(platform, &wanted))
		return NULL;
	return bsearch(&wanted, recording->requests, recording->n_requests, sizeof(wanted),
		       compare_requests);
}

void recording_replay(const struct sim_platform *platform, struct request_item *now,
		      const struct request_item *start)
{
	const struct recorded_request *found = find_request(platform, now);
	struct request_item merged;

	if (!found)
		return;
	merged = found->item;
	if (now->error != start->error ||
	    (!now->error && memcmp(now->bytes, start->bytes, now->size) != 0)) {
		if (now->error || start->error || merged.error)
			return;
		for (size_t i = 0; i < now->size; i++) {
			uint8_t changed = now->bytes[i] ^ start->bytes[i];

			merged.bytes[i] =
				(uint8_t)((merged.bytes[i] & ~changed) | (now->bytes[i] & changed));
		}
	}
	now->error = merged.error;
	if (!now->error)
		requests_take_answer(now, &merged);
}

/* Files. */

static int compare_paths(const void *left, const void *right)
{
	return strcmp(((const struct recorded_path *)left)->path,
		      ((const struct recorded_path *)right)->path);
}

static void check_names(struct json_reader *reader, const char *of, json_t *list)
{
	const json_t *name;
	size_t i;

	json_array_foreach (list, i, name) {
		const char *text = json_string_value(name);

		if (!text || !*text || strpbrk(text, "/\n"))
			json_refuse(reader, of, "a directory has a list of names");
	}
}

/* Decodes hex digits. Returns a new text of *ret_length bytes; NULL: they are none, or no memory.
 */
static char *decode_bytes(const char *digits, size_t *ret_length)
{
	size_t length = strlen(digits) / 2;
	char *bytes = strlen(digits) % 2 ? NULL : malloc(length + 1);

	for (size_t i = 0; bytes && i < length; i++) {
		const char pair[] = { digits[2 * i], digits[2 * i + 1], '\0' };
		const char *end = pair;
		uint64_t byte;

		if (number_parse_digits(&end, 16, &byte) || *end) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (char)byte;
	}
	if (bytes)
		bytes[length] = '\0';
	*ret_length = length;
	return bytes;
}

/* Checks a value: a text without the newline at its end, the names in a directory, or an object
 * with one member: a text as it is, bytes in hex, or the name of an error. */
static void check_value(struct json_reader *reader, const char *of, json_t *value)
{
	const char *error = json_string_value(json_object_get(value, "error"));
	const char *hex = json_string_value(json_object_get(value, "hex"));
	_cleanup_free_ char *bytes = NULL;
	size_t length;

	if (json_is_string(value))
		return;
	if (json_is_array(value)) {
		check_names(reader, of, value);
		return;
	}
	if (hex)
		bytes = decode_bytes(hex, &length);
	if (json_object_size(value) != 1 ||
	    (!bytes && !json_is_string(json_object_get(value, "exact")) &&
	     !(error && error_find(error, strlen(error)))))
		json_refuse(reader, of,
			    "must be a text, a list of names, or an object with \"exact\", \"hex\" "
			    "or \"error\"");
}

/* Sorts the values of a path by CPU. */
static void read_by_cpu(struct json_reader *reader, json_t *object, struct recording *recording,
			struct recorded_path *path)
{
	size_t n_cpus = recording->platform->n_cpus;
	const char *list;
	json_t *value;

	path->by_cpu = calloc(n_cpus, sizeof(*path->by_cpu));
	if (!path->by_cpu) {
		json_refuse_memory(reader);
		return;
	}
	json_object_foreach (object, list, value) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (cpulist_parse(list, &cpus) ||
		    (!cpuset_is_empty(&cpus) && cpuset_last(&cpus) >= n_cpus))
			json_refuse(reader, list, "is not a list of CPUs of this machine");
		if (reader->err)
			return;
		check_value(reader, list, value);
		cpuset_foreach (cpu, &cpus)
			path->by_cpu[cpu] = value;
	}
}

/* The rest of a path after the prefix of a CPU's files; NULL: it has none. */
static const char *find_cpu(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpu_prefixes); i++) {
		size_t length = strlen(cpu_prefixes[i]);

		if (strncmp(path, cpu_prefixes[i], length) == 0)
			return path + length;
	}
	return NULL;
}

static void read_files(struct json_reader *reader, json_t *object, void *to)
{
	struct recording *recording = to;
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		json_refuse(reader, NULL, "must be an object");
	json_object_foreach (object, name, value) {
		const char *rest = find_cpu(name);
		bool is_by_cpu = rest && strncmp(rest, "#/", strlen("#/")) == 0;
		struct recorded_path *path =
			array_add(&recording->paths, &recording->n_paths, sizeof(*path));

		if (!path) {
			json_refuse_memory(reader);
			return;
		}
		path->path = name;
		if (*name != '/' || strlen(name) > MAX_PATH)
			json_refuse(reader, name, "must be an absolute path");
		else if (is_by_cpu && !json_is_object(value))
			json_refuse(reader, name, "must be an object with lists of CPUs");
		else if (is_by_cpu)
			read_by_cpu(reader, value, recording, path);
		else
			check_value(reader, name, value);
		path->value = is_by_cpu ? NULL : value;
	}
	if (recording->n_paths)
		qsort(recording->paths, recording->n_paths, sizeof(*recording->paths),
		      compare_paths);
}

static void read_open_error(struct json_reader *reader, json_t *value, void *to)
{
	const char *name = json_read_text(reader, value);
	struct recording *recording = to;

	recording->open_error = name ? error_find(name, strlen(name)) : 0;
	if (!recording->open_error)
		json_refuse(reader, NULL, "must be the name of an error");
}

static void read_capability(struct json_reader *reader, json_t *value, void *to)
{
	(void)reader;
	((struct recording *)to)->lacks_capability = json_is_false(value);
}

/* "2026-11-24" */
static void check_date(struct json_reader *reader, json_t *value, void *to)
{
	const char *text = json_string_value(value);
	struct tm fields;
	const char *end = strptime(text, "%Y-%m-%d", &fields);

	(void)to;
	if (!end || *end || strlen(text) != strlen("YYYY-MM-DD"))
		json_refuse(reader, NULL, "must be a date like \"2026-11-24\"");
}

#define MAX_REQUESTS 1000000

static const struct json_field fields[] = {
	{ JSON_FIELD(struct recording, date, "date"), .is_optional = true, .read = check_date },
	{ JSON_FIELD(struct recording, model, "simulated"), .is_optional = true },
	{ .name = "open", .is_optional = true, .read = read_open_error },
	{ .name = "capability", .read = read_capability },
	{ JSON_FIELD(struct recording, cpu_map, "cpu_map"), .is_optional = true },
	{ JSON_ELEMENTS("requests", 0, MAX_REQUESTS, read_request) },
	{ .name = "files", .read = read_files },
	{ 0 },
};

void recording_read(struct json_reader *reader, json_t *object, void *to)
{
	struct sim_platform *platform = to;
	struct recording *recording = calloc(1, sizeof(*recording));

	platform->recording = recording;
	if (!recording) {
		json_refuse_memory(reader);
		return;
	}
	recording->platform = platform;
	json_read_fields(reader, object, fields, recording);
	if (recording->n_requests)
		qsort(recording->requests, recording->n_requests, sizeof(*recording->requests),
		      compare_requests);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->n_paths; i++)
		free(recording->paths[i].by_cpu);
	free(recording->paths);
	free(recording->requests);
	free(recording);
}

const char *recording_date(const struct recording *recording)
{
	return recording->date;
}

const char *recording_model(const struct recording *recording)
{
	return recording->model;
}

int recording_open_error(const struct recording *recording)
{
	return recording ? recording->open_error : 0;
}

bool recording_lacks_capability(const struct recording *recording)
{
	return recording && recording->lacks_capability;
}

const char *recording_cpu_map(const struct recording *recording)
{
	return recording ? recording->cpu_map : NULL;
}

/* The value that was recorded for a path, or NULL. */
static json_t *find_value(const struct recording *recording, const char *path)
{
	struct recorded_path wanted = { .path = path };
	const struct recorded_path *found;
	char pattern[MAX_PATH];
	const char *number = find_cpu(path), *rest = number;
	uint64_t cpu = 0;

	if (number && isdigit((unsigned char)*number) &&
	    number_parse_digits(&rest, 10, &cpu) == 0) {
		if (cpu >= recording->platform->n_cpus ||
		    (size_t)snprintf(pattern, sizeof(pattern), "%.*s#%s", (int)(number - path),
				     path, rest) >= sizeof(pattern))
			return NULL;
		wanted.path = pattern;
	}
	found = bsearch(&wanted, recording->paths, recording->n_paths, sizeof(wanted),
			compare_paths);
	if (!found)
		return NULL;
	return found->by_cpu ? found->by_cpu[cpu] : found->value;
}

/* Appends the text of a value, or the names in a directory. Returns 0, the error that the value
 * is, or -EINVAL: it is a value of the other kind. */
static int append_value(json_t *value, bool is_directory, struct buffer *to)
{
	const char *error = json_string_value(json_object_get(value, "error"));
	const char *hex = json_string_value(json_object_get(value, "hex"));
	_cleanup_free_ char *bytes = NULL;
	size_t i, length = 0;
	json_t *name;

	if (error)
		return error_find(error, strlen(error));
	if (is_directory != json_is_array(value))
		return is_directory ? -ENOTDIR : -EISDIR;
	json_array_foreach (value, i, name) {
		buffer_append_string(to, json_string_value(name));
		buffer_append_char(to, '\n');
	}
	if (hex) {
		bytes = decode_bytes(hex, &length);
		buffer_append(to, bytes ?: "", bytes ? length : 0);
	} else if (json_is_object(value)) {
		buffer_append_string(to, json_string_value(json_object_get(value, "exact")));
	} else if (json_is_string(value)) {
		buffer_append_string(to, json_string_value(value));
		buffer_append_char(to, '\n');
	}
	return 0;
}

/* Is the name among the names of a directory? */
static bool has_name(const json_t *names, const char *name, size_t length)
{
	const json_t *value;
	size_t i;

	json_array_foreach (names, i, value) {
		if (json_string_length(value) == length &&
		    memcmp(json_string_value(value), name, length) == 0)
			return true;
	}
	return false;
}

bool recording_find_file(const struct recording *recording, const char *path, bool is_directory,
			 struct recorded_file *file)
{
	json_t *value = find_value(recording, path);
	char above[MAX_PATH];
	char *slash;

	if (value) {
		file->error = append_value(value, is_directory, &file->text);
		return true;
	}
	if ((size_t)snprintf(above, sizeof(above), "%s", path) >= sizeof(above))
		return false;
	while ((slash = strrchr(above, '/')) && slash > above) {
		const char *name = path + (slash + 1 - above);

		*slash = '\0';
		value = find_value(recording, above);
		if (json_is_array(value) && !has_name(value, name, strcspn(name, "/")))
			file->error = -ENOENT;
		else if (json_is_object(value))
			file->error = append_value(value, true, &file->text);
		if (value)
			return file->error != 0;
	}
	return false;
}

/* Hands a value to take, if it is a text. Returns whether more are wanted. */
static bool take_value(json_t *value, const char *path,
		       bool (*take)(void *data, const char *path, const char *text), void *data)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	if (!value || json_is_array(value) || append_value(value, false, &text) || text.has_failed)
		return true;
	return take(data, path, buffer_text(&text));
}

void recording_for_each(const struct recording *recording,
			bool (*take)(void *data, const char *path, const char *text), void *data)
{
	for (size_t i = 0; i < recording->n_paths; i++)
		take_value(recording->paths[i].value, recording->paths[i].path, take, data);
	for (size_t i = 0; i < recording->n_paths; i++) {
		const struct recorded_path *path = &recording->paths[i];
		bool is_wanted = path->by_cpu;

		for (size_t cpu = 0; is_wanted && cpu < recording->platform->n_cpus; cpu++) {
			const char *mark = find_cpu(path->path);
			char of_cpu[MAX_PATH + 16];

			snprintf(of_cpu, sizeof(of_cpu), "%.*s%zu%s", (int)(mark - path->path),
				 path->path, cpu, mark + strlen("#"));
			is_wanted = take_value(path->by_cpu[cpu], of_cpu, take, data);
		}
	}
}

/* Is the line, with its newline, one of the lines of text? */
static bool has_line(const char *text, const char *line, size_t length)
{
	for (; *text; text += strcspn(text, "\n") + 1) {
		if (strncmp(text, line, length) == 0)
			return true;
	}
	return false;
}

/* Appends the lines of from that are not in without. */
static void append_lines(struct buffer *to, const char *from, const char *without)
{
	for (size_t length; *from; from += length) {
		length = strcspn(from, "\n") + 1;
		if (!has_line(without, from, length))
			buffer_append(to, from, length);
	}
}

void recording_replay_names(const struct buffer *start, struct recorded_file *file,
			    struct buffer *now)
{
	_cleanup_buffer_ struct buffer gone = { 0 };
	struct buffer names = { 0 };

	append_lines(&gone, buffer_text(start), buffer_text(now));
	append_lines(&names, buffer_text(&file->text), buffer_text(&gone));
	append_lines(&names, buffer_text(now), buffer_text(start));
	buffer_done(now);
	*now = names;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Recorded answers of a machine. Requests are sorted by a digest of what they ask, files by path.
 * In a path "#" stands for the number of a CPU; such a path has values by CPU. */
#include "simulator/recording.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
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

/* The prefixes of paths before the number of a CPU. */
static const char *const cpu_prefixes[] = { "/sys/devices/system/cpu/cpu", "/dev/cpu/" };

struct recorded_request {
	uint64_t digest; /* of what the request asks, and where it goes */
	uint32_t request;
	uint32_t size;
	int error;
	size_t offset; /* of its bytes in the answers */
};

/* The content of a file or directory. */
struct recorded_value {
	int error; /* the negative errno of reading it; or 0 */
	bool is_directory; /* its text has the names, with a newline after each */
	uint32_t offset; /* of its text */
	uint32_t length;
};

/* A file that is not of a CPU has one value. For a file of CPUs, by_cpu has the number of each
 * CPU's value, from 1; 0: none. */
struct recorded_path {
	char *path;
	size_t n_values;
	struct recorded_value *values;
	uint16_t *by_cpu;
};

struct recording {
	struct recording_about about;
	size_t n_requests;
	struct recorded_request *requests; /* by digest, after recording_place() */
	struct buffer answers;
	struct buffer texts; /* of values, each with a zero at its end */
	size_t n_paths;
	struct recorded_path *paths; /* by path */
	struct texts kept; /* strings of the model */
};

/* Requests. */

/* Finds the digest of what a request asks, and where it goes: the domain of a mailbox command or
 * register, the package of an MSR, the CPU of an id; 0 for requests that name a domain. Returns
 * false if the machine does not have the CPU. */
static bool find_digest(const struct sim_platform *platform, const struct request_item *item,
			uint64_t *ret_digest)
{
	struct {
		uint32_t request;
		uint32_t place;
		uint8_t key[REQUESTS_MAX_SIZE];
	} asked = { .request = item->request };
	uint32_t cpu;

	requests_key(item, true, asked.key, &cpu);
	if (cpu != UINT32_MAX && cpu >= platform->n_cpus)
		return false;
	if (cpu != UINT32_MAX)
		asked.place = item->request == ISST_IF_GET_PHY_ID    ? cpu
			      : item->request == ISST_IF_MSR_COMMAND ? platform->cpus[cpu].package
								     : platform->cpus[cpu].domain;
	*ret_digest = digest_bytes((const char *)&asked, sizeof(asked));
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
	struct request_item item;

	if (!line)
		return;
	if (requests_parse(line, &item)) {
		json_refuse(reader, NULL,
			    "\"%s\" does not have the form of a request with its answer", line);
		return;
	}
	request = array_add(&recording->requests, &recording->n_requests, sizeof(*request));
	if (request)
		*request = (struct recorded_request){ .request = item.request,
						      .size = (uint32_t)item.size,
						      .error = item.error,
						      .offset = recording->answers.length };
	buffer_append(&recording->answers, (const char *)item.bytes, item.size);
	json_lacks_memory(reader, !request || recording->answers.has_failed);
}

static struct request_item load_item(const struct recording *recording,
				     const struct recorded_request *request)
{
	struct request_item item = { request->request, request->error, request->size, { 0 } };

	memcpy(item.bytes, recording->answers.data + request->offset, item.size);
	return item;
}

bool recording_next(const struct recording *recording, size_t *position,
		    struct request_item *ret_item)
{
	if (*position == recording->n_requests)
		return false;
	*ret_item = load_item(recording, &recording->requests[(*position)++]);
	return true;
}

void recording_place(struct json_reader *reader, const struct sim_platform *platform)
{
	struct recording *recording = platform->recording;

	for (size_t i = 0; i < recording->n_requests; i++) {
		struct recorded_request *request = &recording->requests[i];
		const struct request_item item = load_item(recording, request);
		char member[48];

		snprintf(member, sizeof(member), "recorded.requests[%zu]", i);
		if (!find_digest(platform, &item, &request->digest))
			json_refuse(reader, member, "the machine has no such CPU");
	}
	if (recording->n_requests)
		qsort(recording->requests, recording->n_requests, sizeof(*recording->requests),
		      compare_requests);
}

/* Finds the recorded answer to the same request. Returns false if there is none. */
static bool find_item(const struct sim_platform *platform, const struct request_item *wanted,
		      struct request_item *ret_item)
{
	const struct recording *recording = platform->recording;
	struct recorded_request key = { .digest = 0 };
	const struct recorded_request *found;

	if (!find_digest(platform, wanted, &key.digest))
		return false;
	found = bsearch(&key, recording->requests, recording->n_requests, sizeof(key),
			compare_requests);
	if (found)
		*ret_item = load_item(recording, found);
	return found;
}

void recording_replay(const struct sim_platform *platform, struct request_item *now,
		      const struct request_item *start)
{
	struct request_item merged;

	if (!find_item(platform, now, &merged))
		return;
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

static const char *text_of(const struct recording *recording, const struct recorded_value *value)
{
	return recording->texts.data + value->offset;
}

static void append_names(struct json_reader *reader, const char *of, json_t *list,
			 struct buffer *to)
{
	const json_t *name;
	size_t i;

	json_array_foreach (list, i, name) {
		const char *text = json_string_value(name);

		if (!text || !*text || strpbrk(text, "/\n"))
			json_refuse(reader, of, "a directory has a list of names");
		buffer_append_string(to, text ?: "");
		buffer_append_char(to, '\n');
	}
}

bool recording_append_hex(struct buffer *to, const char *digits)
{
	for (; *digits; digits += 2) {
		const char pair[] = { digits[0], digits[1], '\0' };
		const char *end = pair;
		uint64_t byte;

		if (!digits[1] || number_parse_digits(&end, 16, &byte) || *end)
			return false;
		buffer_append_char(to, (char)byte);
	}
	return true;
}

/* Reads a value: a text without its final newline, the names in a directory, or an object with one
 * member: an exact text, bytes in hex, or the name of an error. */
static void read_value(struct json_reader *reader, const char *of, json_t *value,
		       struct recording *recording, struct recorded_path *path)
{
	const char *error = json_string_value(json_object_get(value, "error"));
	const char *hex = json_string_value(json_object_get(value, "hex"));
	const char *exact = json_string_value(json_object_get(value, "exact"));
	struct buffer *texts = &recording->texts;
	size_t start = texts->length;
	struct recorded_value *read =
		array_add(&path->values, &path->n_values, sizeof(*path->values));
	bool is_valid = json_is_string(value) || json_is_array(value) || exact;

	if (json_lacks_memory(reader, !read))
		return;
	read->is_directory = json_is_array(value);
	if (error)
		read->error = error_find(error, strlen(error));
	else if (hex)
		is_valid = recording_append_hex(texts, hex);
	buffer_append_string(texts, exact ?: json_string_value(value) ?: "");
	if (json_is_string(value))
		buffer_append_char(texts, '\n');
	append_names(reader, of, value, texts);
	if ((!is_valid && !read->error) || (json_is_object(value) && json_object_size(value) != 1))
		json_refuse(
			reader, of,
			"must be a string, a list of names, or an object with \"exact\", \"hex\" "
			"or \"error\"");
	read->offset = (uint32_t)start;
	read->length = (uint32_t)(texts->length - start);
	buffer_append_char(texts, '\0');
	json_lacks_memory(reader, texts->has_failed);
}

/* Reads the values of a path by CPU. If a CPU is in two lists, the last list counts. */
static void read_by_cpu(struct json_reader *reader, json_t *object, struct recording *recording,
			struct recorded_path *path)
{
	const char *list;
	json_t *value;

	path->by_cpu = calloc(recording->about.n_cpus + 1, sizeof(*path->by_cpu));
	if (json_lacks_memory(reader, !path->by_cpu))
		return;
	json_object_foreach (object, list, value) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (path->n_values == UINT16_MAX || cpulist_parse(list, &cpus) ||
		    (!cpuset_is_empty(&cpus) && cpuset_last(&cpus) >= recording->about.n_cpus))
			json_refuse(reader, list, "is not a list of CPUs of this machine");
		if (reader->err)
			return;
		read_value(reader, list, value, recording, path);
		cpuset_foreach (cpu, &cpus)
			path->by_cpu[cpu] = (uint16_t)path->n_values;
	}
}

/* Returns the rest of a path after the prefix of a CPU's files, or NULL. */
static const char *find_cpu(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpu_prefixes); i++) {
		size_t length = strlen(cpu_prefixes[i]);

		if (strncmp(path, cpu_prefixes[i], length) == 0)
			return path + length;
	}
	return NULL;
}

static void read_path(struct json_reader *reader, const char *name, json_t *value,
		      struct recording *recording)
{
	const char *rest = find_cpu(name);
	bool is_by_cpu = rest && strncmp(rest, "#/", strlen("#/")) == 0;
	struct recorded_path *path =
		array_add(&recording->paths, &recording->n_paths, sizeof(*path));

	if (json_lacks_memory(reader, !path || !(path->path = strdup(name))))
		return;
	if (*name != '/' || strlen(name) > MAX_PATH)
		json_refuse(reader, name, "must be an absolute path");
	else if (is_by_cpu && !json_is_object(value))
		json_refuse(reader, name, "must be an object with lists of CPUs");
	else if (is_by_cpu)
		read_by_cpu(reader, value, recording, path);
	else
		read_value(reader, name, value, recording, path);
}

static int compare_paths(const void *left, const void *right)
{
	return strcmp(((const struct recorded_path *)left)->path,
		      ((const struct recorded_path *)right)->path);
}

static void read_files(struct json_reader *reader, json_t *object, void *to)
{
	struct recording *recording = to;
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		json_refuse(reader, NULL, "must be an object");
	json_object_foreach (object, name, value)
		read_path(reader, name, value, recording);
	if (!reader->err && recording->n_paths)
		qsort(recording->paths, recording->n_paths, sizeof(*recording->paths),
		      compare_paths);
}

static void read_open_error(struct json_reader *reader, json_t *value, void *to)
{
	const char *name = json_read_text(reader, value);
	struct recording *recording = to;

	recording->about.open_error = name ? error_find(name, strlen(name)) : 0;
	if (!recording->about.open_error)
		json_refuse(reader, NULL, "must be the name of an error");
}

static void read_capability(struct json_reader *reader, json_t *value, void *to)
{
	(void)reader;
	((struct recording *)to)->about.lacks_capability = json_is_false(value);
}

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
	{ JSON_FIELD(struct recording, about.date, "date"), .is_optional = true,
	  .read = check_date },
	{ JSON_FIELD(struct recording, about.model, "simulated"), .is_optional = true },
	{ .name = "open", .is_optional = true, .read = read_open_error },
	{ .name = "capability", .read = read_capability },
	{ JSON_FIELD(struct recording, about.cpu_map, "cpu_map"), .is_optional = true },
	{ JSON_ELEMENTS("requests", 0, MAX_REQUESTS, read_request) },
	{ .name = "files", .read = read_files },
	{ 0 },
};

static void add_cpus(struct json_reader *reader, json_t *files, const char *path,
		     struct cpuset *cpus)
{
	json_t *value = json_object_get(files, path);
	const char *text =
		json_string_value(value) ?: json_string_value(json_object_get(value, "exact"));
	_cleanup_cpuset_ struct cpuset listed = { 0 };

	if (!text || cpulist_parse(text, &listed))
		json_refuse(reader, "files", "%s must be a list of CPUs", path);
	else if (cpuset_add_all(cpus, &listed))
		json_refuse_memory(reader);
}

/* Counts the CPUs of a machine that only its recording describes. */
static size_t count_cpus(struct json_reader *reader, json_t *object)
{
	json_t *files = json_object_get(object, "files");
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	add_cpus(reader, files, "/sys/devices/system/cpu/present", &cpus);
	add_cpus(reader, files, "/sys/devices/system/cpu/online", &cpus);
	if (!reader->err && (cpuset_is_empty(&cpus) || cpuset_last(&cpus) >= SIM_MAX_CPUS))
		json_refuse(reader, "files", "the CPUs must be 0 to %d at most", SIM_MAX_CPUS - 1);
	return reader->err ? 0 : (size_t)cpuset_last(&cpus) + 1;
}

void recording_read(struct json_reader *reader, json_t *object, void *to)
{
	struct sim_platform *platform = to;
	struct recording *recording = calloc(1, sizeof(*recording));

	platform->recording = recording;
	if (json_lacks_memory(reader, !recording))
		return;
	recording->about.n_cpus = platform->n_cpus ?: count_cpus(reader, object);
	json_read_fields(reader, object, fields, recording);
	/* their content is in arrays now */
	json_object_del(object, "requests");
	json_object_del(object, "files");
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->n_paths; i++) {
		free(recording->paths[i].path);
		free(recording->paths[i].values);
		free(recording->paths[i].by_cpu);
	}
	texts_done(&recording->kept);
	free(recording->paths);
	free(recording->requests);
	buffer_done(&recording->answers);
	buffer_done(&recording->texts);
	free(recording);
}

const struct recording_about *recording_about(const struct recording *recording)
{
	static const struct recording_about none;

	return recording ? &recording->about : &none;
}

const char *recording_keep(struct recording *recording, const char *text, size_t length)
{
	char *kept = strndup(text, length);

	if (kept)
		printable_clean(kept, strlen(kept));
	return texts_take(&recording->kept, kept);
}

static const struct recorded_value *find_value(const struct recording *recording, const char *path)
{
	const char *number = find_cpu(path), *rest = number;
	struct recorded_path key = { .path = (char *)(uintptr_t)path };
	const struct recorded_path *found;
	char pattern[MAX_PATH];
	uint64_t cpu = 0;

	if (number && isdigit((unsigned char)*number) &&
	    number_parse_digits(&rest, 10, &cpu) == 0) {
		if (cpu >= recording->about.n_cpus ||
		    (size_t)snprintf(pattern, sizeof(pattern), "%.*s#%s", (int)(number - path),
				     path, rest) >= sizeof(pattern))
			return NULL;
		key.path = pattern;
	}
	found = bsearch(&key, recording->paths, recording->n_paths, sizeof(key), compare_paths);
	if (!found || !found->by_cpu)
		return found ? found->values : NULL;
	return found->by_cpu[cpu] ? &found->values[found->by_cpu[cpu] - 1] : NULL;
}

const char *recording_text(const struct recording *recording, const char *format, ...)
{
	const struct recorded_value *value;
	char path[MAX_PATH];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	value = find_value(recording, path);
	return value && !value->error && !value->is_directory ? text_of(recording, value) : NULL;
}

/* Is the name among the names of a directory? */
static bool has_name(const char *names, const char *name, size_t length)
{
	for (; *names; names += strcspn(names, "\n") + 1) {
		if (strcspn(names, "\n") == length && memcmp(names, name, length) == 0)
			return true;
	}
	return false;
}

bool recording_find_file(const struct recording *recording, const char *path, bool is_directory,
			 struct recorded_file *ret_file)
{
	const struct recorded_value *value = find_value(recording, path);
	struct recorded_file file = { .text = "" };
	char above[MAX_PATH];
	char *slash;

	if ((size_t)snprintf(above, sizeof(above), "%s", path) >= sizeof(above))
		return false;
	if (value) {
		file.error = value->error;
		if (!file.error && is_directory != value->is_directory)
			file.error = is_directory ? -ENOTDIR : -EISDIR;
		file.text = text_of(recording, value);
		file.length = value->length;
	}
	while (!value && (slash = strrchr(above, '/')) && slash > above) {
		const char *name = path + (slash + 1 - above);

		*slash = '\0';
		value = find_value(recording, above);
		if (!value)
			continue;
		file.error = value->error;
		if (value->is_directory &&
		    !has_name(text_of(recording, value), name, strcspn(name, "/")))
			file.error = -ENOENT;
		if (!file.error)
			return false;
	}
	*ret_file = file;
	return value;
}

/* Calls take with a value that is a text. Returns false if take wants no more values. */
static bool take_value(const struct recording *recording, const struct recorded_value *value,
		       const char *path,
		       bool (*take)(void *data, const char *path, const char *text), void *data)
{
	return value->error || value->is_directory || take(data, path, text_of(recording, value));
}

void recording_for_each(const struct recording *recording,
			bool (*take)(void *data, const char *path, const char *text), void *data)
{
	for (size_t i = 0; i < recording->n_paths; i++) {
		if (!recording->paths[i].by_cpu)
			take_value(recording, recording->paths[i].values, recording->paths[i].path,
				   take, data);
	}
	for (size_t i = 0; i < recording->n_paths; i++) {
		const struct recorded_path *path = &recording->paths[i];
		bool is_wanted = path->by_cpu;

		for (size_t cpu = 0; is_wanted && cpu < recording->about.n_cpus; cpu++) {
			const char *mark = find_cpu(path->path);
			char of_cpu[MAX_PATH + 16];

			if (!path->by_cpu[cpu])
				continue;
			snprintf(of_cpu, sizeof(of_cpu), "%.*s%zu%s", (int)(mark - path->path),
				 path->path, cpu, mark + strlen("#"));
			is_wanted = take_value(recording, &path->values[path->by_cpu[cpu] - 1],
					       of_cpu, take, data);
		}
	}
}

/* Appends the names in `from` that are not in `without`. */
static void append_other_names(struct buffer *to, const char *from, const char *without)
{
	for (size_t length; *from; from += length + 1) {
		length = strcspn(from, "\n");
		if (!has_name(without, from, length))
			buffer_append(to, from, length + 1);
	}
}

void recording_replay_names(const struct buffer *start, const char *recorded, struct buffer *now)
{
	_cleanup_buffer_ struct buffer gone = { 0 };
	struct buffer names = { 0 };

	append_other_names(&gone, buffer_text(start), buffer_text(now));
	append_other_names(&names, recorded, buffer_text(&gone));
	append_other_names(&names, buffer_text(now), buffer_text(start));
	buffer_done(now);
	*now = names;
}

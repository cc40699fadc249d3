// SPDX-License-Identifier: GPL-2.0-only
/* The files of the simulated machine: finds the directory and the attribute of a path in the
 * tables, and uses them under the lock of the state. Nothing is kept between two accesses, because
 * directories and attributes come and go with online CPUs (hardware.md, section 5). */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "simulator/recording.h"

#define MAX_INDEX_DIGITS 9
#define OTHER_NUMBERS    SIM_MAX_DOMAINS /* above the numbers in paths, except CPUs and domains */

struct sysfs {
	struct files files; /* first: callers hold a pointer to it */
	struct sim_state *state;
	struct sim_faults *faults;
};

/* One operation of struct files. */
struct request {
	enum sim_fault_point point;
	/* Runs the operation, and may cut path. Returns 0 or a negative errno. */
	int (*run)(struct sysfs_place *place, char *path, struct request *request);
	size_t limit; /* of reading; 0: none */
	const char *text; /* to write */
	struct buffer result; /* what is read or listed */
};

static void request_done(struct request *request)
{
	buffer_done(&request->result);
}

static const struct sysfs_directory *const tables[] = {
	sysfs_cpu,    sysfs_cpufreq, sysfs_uncore, sysfs_powercap,
	sysfs_cgroup, sysfs_kernel,  sysfs_pmu,    sysfs_heat,
};

/* Reads the number at the start of text: at least width digits, and no leading zero if there are
 * more. Returns the text after the number, or NULL. */
static const char *read_index(const char *text, size_t width, uint32_t *ret_number)
{
	size_t length = strspn(text, "0123456789");
	uint64_t number;

	if (length < width || length > MAX_INDEX_DIGITS || (length > width && *text == '0') ||
	    number_parse_digits(&text, 10, &number))
		return NULL;
	*ret_number = (uint32_t)number;
	return text;
}

/* Returns true if path matches the first length bytes of pattern. Sets numbers and name of
 * place. */
static bool match(struct sysfs_place *place, const char *pattern, size_t length, const char *path)
{
	const char *end = pattern + length;
	size_t n_numbers = 0;

	while (pattern < end) {
		size_t width = *pattern == '#' ? strspn(pattern, "#") : 0;

		if (width > 0) {
			path = read_index(path, width, &place->numbers[n_numbers++]);
			if (!path)
				return false;
			pattern += width;
		} else if (*pattern == '*' && *path) {
			place->name = path;
			path += strcspn(path, "/");
			pattern++;
		} else if (*path++ != *pattern++) {
			return false;
		}
	}
	return *path == '\0';
}

/* Compares the last byte of a path first: most patterns begin with the same bytes. */
static bool can_match(const char *pattern, size_t length, char last)
{
	const char wanted = pattern[length - 1];

	return wanted == '*' || wanted == last || (wanted == '#' && last >= '0' && last <= '9');
}

static bool directory_exists(struct sysfs_place *place)
{
	const struct sysfs_directory *directory = place->directory;

	return (!directory->find || directory->find(place)) &&
	       (!directory->exists || directory->exists(place));
}

static const struct sysfs_directory *find_directory(struct sysfs_place *place, const char *path)
{
	const char last = *path ? path[strlen(path) - 1] : '\0';

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		for (const struct sysfs_directory *it = tables[i]; it->path; it++) {
			const size_t length = strlen(it->path);
			struct sysfs_place found;

			if (!can_match(it->path, length, last))
				continue;
			found = *place;
			found.directory = it;
			if (match(&found, it->path, length, path) && directory_exists(&found)) {
				*place = found;
				return it;
			}
		}
	}
	return NULL;
}

static bool attribute_exists(const struct sysfs_place *place,
			     const struct sysfs_attribute *attribute)
{
	struct sysfs_place found = *place;

	found.attribute = attribute;
	return !attribute->exists || attribute->exists(&found);
}

/* Finds an attribute that exists in the directory of place, or NULL. */
static const struct sysfs_attribute *find_attribute(const struct sysfs_place *place,
						    const struct sysfs_directory *directory,
						    const char *name)
{
	for (const struct sysfs_attribute *it = directory->attributes; it && it->name; it++) {
		if (strcmp(it->name, name) == 0 && attribute_exists(place, it))
			return it;
	}
	return NULL;
}

/* Finds the directory at path; or the file at path, which becomes place->attribute, and its
 * directory. Cuts path to the directory. Returns 0, -ENOENT, or -ENOTDIR if path goes on after a
 * file. The directory of a file is searched first, because most paths name files. */
static int find(struct sysfs_place *place, char *path, const struct sysfs_directory **ret_directory)
{
	const struct sysfs_directory *parent = NULL, *directory;
	struct sysfs_place in_parent = *place;
	char *slash = strrchr(path, '/');
	int err;

	if (slash) {
		*slash = '\0';
		parent = find_directory(&in_parent, path);
		if (parent)
			in_parent.attribute = find_attribute(&in_parent, parent, slash + 1);
		if (in_parent.attribute) {
			*place = in_parent;
			*ret_directory = parent;
			return 0;
		}
		*slash = '/';
	}
	directory = find_directory(place, path);
	if (directory) {
		*ret_directory = directory;
		return 0;
	}
	if (!slash || parent)
		return -ENOENT;
	*slash = '\0';
	err = find(place, path, ret_directory);
	return err ? err : -ENOTDIR;
}

/* As find(), for a file that can be used now. Also returns -EISDIR, and -EACCES for a file that
 * cannot be written. */
static int find_file(struct sysfs_place *place, char *path, bool write)
{
	const struct sysfs_directory *directory;
	int err = find(place, path, &directory);

	if (err)
		return err;
	if (!place->attribute)
		return -EISDIR;
	if (write && !place->attribute->store && !place->attribute->set)
		return -EACCES;
	return directory->ready ? directory->ready(place) : 0;
}

static int read_file(struct sysfs_place *place, char *path, struct request *request)
{
	int err = find_file(place, path, false);
	const struct sysfs_attribute *attribute = place->attribute;
	struct buffer *to = &request->result;

	if (err)
		return err;
	if (attribute->fixed)
		buffer_append_string(to, attribute->fixed);
	else if (attribute->number)
		buffer_append_number(to, attribute->number(place));
	else if (attribute->text)
		buffer_append_string(to, attribute->text(place));
	else
		err = attribute->append(place, to);
	buffer_append_char(to, '\n');
	return err;
}

static int write_file(struct sysfs_place *place, char *path, struct request *request)
{
	int err = find_file(place, path, true);
	const struct sysfs_attribute *attribute = place->attribute;
	uint64_t value;

	if (err || *request->text == '\0') /* an empty text does nothing */
		return err;
	if (attribute->store)
		return attribute->store(place, request->text);
	err = number_parse(request->text, 0, UINT32_MAX, &value);
	if (err)
		return err;
	if (attribute->max && value > attribute->max)
		return -EINVAL;
	return attribute->set(place, (uint32_t)value);
}

/* Appends the names of a directory whose last part has one number, for each number that exists. */
static void list_numbers(const struct sysfs_place *place, const char *last, struct buffer *names)
{
	const char *mark = strchr(last, '#');
	size_t index = strchr(place->directory->path, '#') != mark, width = strspn(mark, "#");
	size_t end = OTHER_NUMBERS;

	if (index == 0) /* the first number can be a CPU or a domain */
		end += place->platform->n_cpus + place->platform->n_domains;
	for (uint32_t number = 0; number < end; number++) {
		struct sysfs_place child = *place;

		child.numbers[index] = number;
		if (directory_exists(&child))
			buffer_print(names, "%.*s%0*u%s\n", (int)(mark - last), last, (int)width,
				     number, mark + width);
	}
}

/* Appends the directories of the tables that are directly in path. */
static int list_directories(const struct sysfs_place *place, const char *path, struct buffer *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		for (const struct sysfs_directory *it = tables[i]; it->path; it++) {
			const char *slash = strrchr(it->path, '/');
			struct sysfs_place child = *place;
			int err = 0;

			child.directory = it;
			if (!match(&child, it->path, (size_t)(slash - it->path), path))
				continue;
			if (it->list)
				err = it->list(&child, names);
			else if (strchr(slash, '#'))
				list_numbers(&child, slash + 1, names);
			else if (directory_exists(&child))
				buffer_print(names, "%s\n", slash + 1);
			if (err)
				return err;
		}
	}
	return 0;
}

static int list_directory(struct sysfs_place *place, char *path, struct request *request)
{
	const struct sysfs_directory *directory;
	const struct sysfs_attribute *attribute;
	int err = find(place, path, &directory);

	if (err)
		return err;
	if (place->attribute)
		return -ENOTDIR;
	for (attribute = directory->attributes; attribute && attribute->name; attribute++) {
		if (attribute_exists(place, attribute))
			buffer_print(&request->result, "%s\n", attribute->name);
	}
	return list_directories(place, path, &request->result);
}

static int make_directory(struct sysfs_place *place, char *path, struct request *request)
{
	const struct sysfs_directory *directory, *existing;
	char *slash = strrchr(path, '/');

	(void)request;
	*slash = '\0';
	directory = find_directory(place, path);
	*slash = '/';
	if (find(place, path, &existing) == 0)
		return -EEXIST;
	if (!directory)
		return -ENOENT;
	return directory->make ? directory->make(place, slash + 1) : -EPERM;
}

static int remove_directory(struct sysfs_place *place, char *path, struct request *request)
{
	const struct sysfs_directory *directory;
	int err = find(place, path, &directory);

	(void)request;
	if (err)
		return err;
	if (place->attribute)
		return -ENOTDIR;
	return directory->remove ? directory->remove(place) : -EPERM;
}

/* Inverts the bits of the number to write. Returns false if the text is not a number. */
static bool flip_number(struct request *request, uint64_t flip, struct buffer *flipped)
{
	uint64_t number;

	if (!request->text || number_parse(request->text, 0, UINT32_MAX, &number))
		return false;
	buffer_append_number(flipped, number ^ flip);
	request->text = buffer_text(flipped);
	return true;
}

/* Returns true if a file counts what happens on the machine. */
static bool is_counter(const char *path)
{
	static const char *const counters[] = {
		SYSFS_CPUS "/cpu*/cpuidle/state*/[utabr]*",
		SYSFS_CPUS "/cpu*/thermal_throttle/*",
		"/sys/class/powercap/*/energy_uj",
	};

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (fnmatch(counters[i], path, FNM_PATHNAME) == 0)
			return true;
	}
	return false;
}

/* Continues a counter from its recorded value. Returns 0. */
static int add_counted(struct request *request, const char *start, const char *recorded)
{
	uint64_t now, before, base;

	if (number_parse_file(buffer_text(&request->result), &now) ||
	    number_parse_file(start, &before) || number_parse_file(recorded, &base))
		return 0;
	buffer_done(&request->result);
	buffer_print(&request->result, "%" PRIu64 "\n", base + (now - before));
	return 0;
}

/* Replaces the answer of the model, err or request->result, by that of the recorded machine. */
static int replay(struct sim_state *state, const char *path, struct request *request, int err)
{
	struct recorded_file file;
	_cleanup_(request_done) struct request start = { .point = request->point,
							 .run = request->run,
							 .limit = request->limit };
	struct sysfs_place place = { .state = state->start,
				     .platform = state->platform,
				     .limit = request->limit };
	bool is_directory = request->run == list_directory;
	_cleanup_free_ char *copy = NULL;
	int start_err;

	if (!recording_find_file(state->platform->recording, path, is_directory, &file))
		return err;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	start_err = request->run(&place, copy, &start);
	if (err == start_err &&
	    (err || strcmp(buffer_text(&request->result), buffer_text(&start.result)) == 0)) {
		buffer_clear(&request->result);
		buffer_append(&request->result, file.text, file.length);
		return file.error;
	}
	if (!err && !start_err && !file.error && !is_directory && is_counter(path))
		return add_counted(request, buffer_text(&start.result), file.text);
	if (!err && !start_err && !file.error && is_directory)
		recording_replay_names(&start.result, file.text, &request->result);
	return err;
}

/* Returns true if the recorded machine lacked a file that the model has and can write. */
static bool is_missing(struct sim_state *state, const char *path)
{
	struct recorded_file file;
	struct sysfs_place place = { .state = state->start, .platform = state->platform };
	_cleanup_free_ char *copy = strdup(path);

	return copy && recording_find_file(state->platform->recording, path, false, &file) &&
	       file.error == -ENOENT && find_file(&place, copy, true) == 0;
}

/* Applies the faults that the user ordered for the path, then runs the request under the lock. */
static int run(struct files *files, const char *path, struct request *request)
{
	struct sysfs *sysfs = (struct sysfs *)(void *)files;
	struct sysfs_place place = {
		.state = sysfs->state,
		.platform = sysfs->state->platform,
		.faults = sysfs->faults,
		.limit = request->limit,
	};
	const struct sim_fault_event event = {
		.point = request->point,
		.write = request->point == SIM_FAULT_WRITE,
		.path = path,
	};
	const struct sim_fault_effect effect = faults_apply(sysfs->faults, &event);
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_buffer_ struct buffer flipped = { 0 };
	int err = effect.error;

	if (err || effect.ignored)
		return err;
	if (effect.flip && !flip_number(request, effect.flip, &flipped))
		return 0;
	if (!copy)
		return -ENOMEM;
	err = state_lock(sysfs->state);
	if (err)
		return err;
	err = *path == '/' ? 0 : -ENOENT;
	if (sysfs->state->start && request->run == write_file && is_missing(sysfs->state, path))
		err = -ENOENT;
	if (!err)
		err = request->run(&place, copy, request);
	if (sysfs->state->start && request->point == SIM_FAULT_READ)
		err = replay(sysfs->state, path, request, err);
	if (!err && effect.bytes) {
		buffer_done(&request->result);
		recording_append_hex(&request->result, effect.bytes);
	}
	return state_end_request(sysfs->state, request->point != SIM_FAULT_WRITE, err);
}

/* The state that takes recorded texts. */
struct taking {
	struct sim_state *state;
	bool has_failed;
};

/* Writes a recorded text to the model, which may refuse it. Returns false if the file cannot be
 * written at all. */
static bool take_file(void *data, const char *path, const char *text)
{
	struct taking *taking = data;
	struct sysfs_place place = { .state = taking->state, .platform = taking->state->platform };
	_cleanup_free_ char *copy = strdup(path), *value = strndup(text, strcspn(text, "\n"));
	struct request request = { .point = SIM_FAULT_WRITE, .text = value };
	const struct sysfs_directory *directory;

	if (!copy || !value || find(&place, copy, &directory))
		return true; /* perhaps a file of an offline CPU */
	if (place.is_package || directory->make || directory->remove || !place.attribute ||
	    (!place.attribute->set && !place.attribute->store) ||
	    strcmp(place.attribute->name, "online") == 0)
		return false;
	place = (struct sysfs_place){ .state = taking->state, .platform = taking->state->platform };
	strcpy(copy, path);
	if (write_file(&place, copy, &request))
		taking->has_failed = true;
	return true;
}

/* Removes limits at an end of the range, so that they follow the hardware. */
static void forget_open_limits(struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;

	if (!platform->has_cpufreq)
		return;
	for (uint32_t i = 0; i < platform->n_cpus; i++) {
		struct sim_cpu_state *cpu = &state->cpus[i];

		if (cpu->scaling_max_khz >= sysfs_highest_khz(state, i))
			cpu->scaling_max_khz = SIM_NO_LIMIT_KHZ;
	}
	if (state->machine->min_percent <=
	    (uint64_t)platform->cpufreq.min_khz * 100 / sysfs_highest_khz(state, 0))
		state->machine->min_percent = 0;
}

void sysfs_take_recorded(struct sim_state *state)
{
	struct taking taking = { .state = state };

	sysfs_cgroup_take_recorded(state);
	recording_for_each(state->platform->recording, take_file, &taking);
	/* a file may accept a value only after another file was written */
	if (taking.has_failed)
		recording_for_each(state->platform->recording, take_file, &taking);
	forget_open_limits(state);
}

/* The operations of struct files. */

static int run_for_text(struct files *files, const char *path, struct request *request,
			char **ret_text, size_t *ret_length)
{
	int err = run(files, path, request);
	size_t length;
	_cleanup_free_ char *text = buffer_steal(&request->result, &length);

	if (err)
		return err;
	if (!text)
		return -ENOMEM;
	if (request->limit && length > request->limit) {
		length = request->limit;
		text[length] = '\0';
	}
	*ret_text = steal(text);
	*ret_length = length;
	return 0;
}

static int sysfs_read(struct files *files, const char *path, size_t limit, char **ret_text,
		      size_t *ret_length)
{
	struct request request = { .point = SIM_FAULT_READ, .run = read_file, .limit = limit };

	return run_for_text(files, path, &request, ret_text, ret_length);
}

static int sysfs_write(struct files *files, const char *path, const char *text)
{
	return run(files, path,
		   &(struct request){ .point = SIM_FAULT_WRITE, .run = write_file, .text = text });
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Makes a sorted array of the lines of text, and changes text. */
static int split_lines(char *text, char ***ret_names)
{
	size_t size = 2, count = 0; /* the last line may lack a newline */
	char **names, *line;

	for (const char *at = text; *at; at++)
		size += *at == '\n';
	names = calloc(size, sizeof(*names));
	if (!names)
		return -ENOMEM;
	while ((line = strsep(&text, "\n")) && *line) {
		names[count] = strdup(line);
		if (!names[count++]) {
			files_free_names(&names);
			return -ENOMEM;
		}
	}
	qsort(names, count, sizeof(*names), compare_names);
	*ret_names = names;
	return 0;
}

static int sysfs_list(struct files *files, const char *path, char ***ret_names)
{
	struct request request = { .point = SIM_FAULT_READ, .run = list_directory };
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = run_for_text(files, path, &request, &text, &length);

	return err ? err : split_lines(text, ret_names);
}

static int sysfs_change_directory(struct files *files, const char *path, bool makes)
{
	return run(files, path,
		   &(struct request){ .point = SIM_FAULT_WRITE,
				      .run = makes ? make_directory : remove_directory });
}

static const struct files_ops sysfs_ops = {
	.read = sysfs_read,
	.write = sysfs_write,
	.list = sysfs_list,
	.change_directory = sysfs_change_directory,
};

int sysfs_open(struct sim_state *state, struct sim_faults *faults, struct files **ret_files)
{
	struct sysfs *sysfs = malloc(sizeof(*sysfs));

	if (!sysfs)
		return -ENOMEM;
	*sysfs = (struct sysfs){ { .ops = &sysfs_ops }, state, faults };
	*ret_files = &sysfs->files;
	return 0;
}

void sysfs_close(struct files *files)
{
	free(files);
}

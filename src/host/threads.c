// SPDX-License-Identifier: GPL-2.0-only
/* Reads threads from /proc: CPU time from schedstat, the last CPU from stat, and CPUs from
 * status. */
#include "host/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

#define FIELDS_TO_CPU 37 /* of stat, after the name in parentheses */
#define DEPTH_MOST    16 /* levels of groups in groups */

void threads_done(struct threads *threads)
{
	free(threads->list);
	*threads = (struct threads){ 0 };
}

/* Reads the last CPU from a line of stat. The process name, in parentheses, can contain blanks. */
static int parse_cpu(const char *line, uint32_t *ret_cpu)
{
	const char *at = strrchr(line, ')');
	uint64_t cpu;

	for (unsigned int i = 0; at && i < FIELDS_TO_CPU; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	if (!at || number_parse_digits(&at, 10, &cpu) || cpu > CPUSET_MAX_CPU)
		return -EINVAL;
	*ret_cpu = (uint32_t)cpu;
	return 0;
}

static int read_thread(struct files *files, uint32_t id, struct threads *threads)
{
	_cleanup_free_ char *stat_path = text_format("/proc/%" PRIu32 "/stat", id);
	_cleanup_free_ char *time_path = text_format("/proc/%" PRIu32 "/schedstat", id);
	_cleanup_free_ char *stat = NULL, *time = NULL;
	struct thread found = { .id = id }, *thread;
	const char *at;
	int err = stat_path && time_path ? files_read_line(files, stat_path, &stat) : -ENOMEM;

	if (!err)
		err = files_read_line(files, time_path, &time);
	if (err)
		return err == -ENOENT || err == -ESRCH ? 0 : err; /* the thread has ended */
	at = time;
	if (parse_cpu(stat, &found.cpu) || number_parse_digits(&at, 10, &found.run_ns))
		return -EINVAL;
	thread = array_add(&threads->list, &threads->count, sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	*thread = found;
	return 0;
}

int threads_add(struct files *files, uint32_t process, struct threads *threads)
{
	_cleanup_free_ char *path = text_format("/proc/%" PRIu32 "/task", process);
	char **names;
	int err = path ? files_list(files, path, &names) : -ENOMEM;

	if (err)
		return err;
	for (char **name = names; *name && !err; name++) {
		const char *at = *name;
		uint64_t id;

		if (!number_parse_digits(&at, 10, &id) && !*at && id <= UINT32_MAX)
			err = read_thread(files, (uint32_t)id, threads);
	}
	files_free_names(&names);
	return err;
}

/* Adds the threads of one group's processes; cgroup.procs has one process in each line. */
static int add_processes(struct files *files, const char *path, struct threads *threads)
{
	_cleanup_free_ char *file = text_format("%s/cgroup.procs", path), *text = NULL;
	size_t length;
	char *rest;
	int err = file ? files->ops->read(files, file, 0, &text, &length) : -ENOMEM;

	if (err)
		return err;
	for (char *line = strtok_r(text, "\n", &rest); line && !err;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *at = line;
		uint64_t process;

		if (number_parse_digits(&at, 10, &process) || *at || process > UINT32_MAX)
			return -EINVAL;
		err = threads_add(files, (uint32_t)process, threads);
		err = err == -ENOENT ? 0 : err; /* the process has ended */
	}
	return err;
}

static int add_group(struct files *files, const char *path, unsigned int depth,
		     struct threads *threads)
{
	char **names;
	int err = add_processes(files, path, threads);

	if (err || depth == DEPTH_MOST)
		return err;
	err = files_list(files, path, &names);
	if (err)
		return err;
	for (char **name = names; *name && (!err || err == -ENOENT || err == -ENOTDIR); name++) {
		_cleanup_free_ char *below = text_format("%s/%s", path, *name);

		/* names of files contain a point; other names that are no groups have no
		 * cgroup.procs */
		err = below ? 0 : -ENOMEM;
		if (!err && !strchr(*name, '.'))
			err = add_group(files, below, depth + 1, threads);
	}
	files_free_names(&names);
	return err == -ENOENT || err == -ENOTDIR ? 0 : err;
}

int threads_add_group(struct files *files, const char *path, struct threads *threads)
{
	return add_group(files, path, 0, threads);
}

static int compare_threads(const void *left, const void *right)
{
	return number_compare(((const struct thread *)left)->id,
			      ((const struct thread *)right)->id);
}

void threads_sort(struct threads *threads)
{
	if (threads->count)
		qsort(threads->list, threads->count, sizeof(*threads->list), compare_threads);
}

const struct thread *threads_find(const struct threads *threads, uint32_t id)
{
	const struct thread key = { .id = id };

	return threads->count
		       ? bsearch(&key, threads->list, threads->count, sizeof(key), compare_threads)
		       : NULL;
}

int threads_read_allowed(struct files *files, uint32_t id, struct cpuset *cpus)
{
	static const char label[] = "\nCpus_allowed_list:\t";
	_cleanup_free_ char *path = text_format("/proc/%" PRIu32 "/status", id), *text = NULL;
	_cleanup_cpuset_ struct cpuset found = { 0 };
	size_t length;
	char *at;
	int err = path ? files->ops->read(files, path, 0, &text, &length) : -ENOMEM;

	if (err)
		return err;
	at = strstr(text, label);
	if (!at)
		return -EINVAL;
	at += strlen(label);
	at[strcspn(at, "\n")] = '\0';
	err = cpulist_parse(at, &found);
	return err ? err : cpuset_add_all(cpus, &found);
}

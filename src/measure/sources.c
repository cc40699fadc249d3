// SPDX-License-Identifier: GPL-2.0-only
/* Opens, reads and closes all sources of a measurement: the counters of each CPU, and the files
 * (measure.md, "Sources, rights, traps"). */
#include "measure/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "instruments/workload.h"
#include "measure/parts.h"

const char *sources_keep(struct sources *sources, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	if (text)
		printable_clean(text, strlen(text));
	return texts_take(&sources->texts, text) ?: "out of memory";
}

const char *sources_name(struct sources *sources, const char *text)
{
	return sources->options.machine->host->model.name
		       ? sources_keep(sources, FIGURE_MODEL "%s", text)
		       : text;
}

const char *sources_keep_error(struct sources *sources, const char *path, int err)
{
	if (err == -EINVAL || err == -ERANGE)
		return sources_keep(sources, "%s is garbled", path);
	if (err == -EACCES)
		return sources_keep(sources, "%s may be read by root only", path);
	if (err == -EPERM)
		return sources_keep(sources, "%s: the kernel does not permit it, as under lockdown",
				    path);
	if (err == -ENOENT)
		return sources_keep(sources, "the kernel has no %s", path);
	return sources_keep(sources, "%s: %s", path, strerror(-err));
}

bool sources_may_ask(const struct sources *sources, const struct package_source *package)
{
	return !cpuset_has(sources->options.isolated, package->first_cpu);
}

/* Adds the package unless it is in the list. Returns 0 or -ENOMEM. */
static int add_package(struct sources *sources, uint32_t package)
{
	const struct topology *topology = &sources->options.machine->topology;
	struct package_source *place;

	for (size_t i = 0; i < sources->n_packages; i++) {
		if (sources->packages[i].package == package)
			return 0;
	}
	place = array_add(&sources->packages, &sources->n_packages, sizeof(*place));
	if (!place)
		return -ENOMEM;
	place->package = package;
	place->first_cpu = CPUSET_NONE;
	cpuset_foreach (cpu, &topology->online) {
		if (topology->places[cpu].package != package)
			continue;
		place->first_cpu = cpu;
		break;
	}
	for (size_t i = 0; i < PMU_KINDS; i++)
		place->groups[i] = NO_GROUP;
	return 0;
}

static int compare_packages(const void *left, const void *right)
{
	return number_compare(((const struct package_source *)left)->package,
			      ((const struct package_source *)right)->package);
}

/* Lists the CPUs and their packages. */
static int list_places(struct sources *sources)
{
	const struct topology *topology = &sources->options.machine->topology;

	cpuset_foreach (cpu, sources->options.cpus) {
		struct cpu_source *place =
			array_add(&sources->cpus, &sources->n_cpus, sizeof(*place));

		if (!place || add_package(sources, topology->places[cpu].package))
			return -ENOMEM;
		place->cpu = cpu;
		place->package = topology->places[cpu].package;
		place->is_pinned = cpuset_has(sources->options.isolated, cpu);
		for (size_t i = 0; i < PMU_KINDS; i++)
			place->groups[i] = NO_GROUP;
	}
	if (sources->n_packages > 1)
		qsort(sources->packages, sources->n_packages, sizeof(*sources->packages),
		      compare_packages);
	return 0;
}

/* Lets the process open as many files as it may, because each counter is an open file. */
static void raise_limit(struct sources *sources)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &sources->open_files))
		return;
	most = (struct rlimit){ .rlim_cur = sources->open_files.rlim_max,
				.rlim_max = sources->open_files.rlim_max };
	sources->has_more_files = most.rlim_cur > sources->open_files.rlim_cur &&
				  setrlimit(RLIMIT_NOFILE, &most) == 0;
}

int sources_open(const struct sources_options *options, struct sources **ret_sources)
{
	const struct host *host = options->machine->host;
	_cleanup_sources_ struct sources *sources = calloc(1, sizeof(*sources));
	int err;

	if (!sources)
		return -ENOMEM;
	sources->options = *options;
	sources->files = host->files;
	sources->perf = host->perf;
	sources->workload = host->workload;
	raise_limit(sources);
	files_keep_open(sources->files, options->keeps_files);
	err = list_places(sources);
	if (!err)
		err = sources_open_groups(sources);
	if (!err)
		err = sources_find_files(sources);
	if (err || sources->texts.has_failed)
		return -ENOMEM;
	*ret_sources = steal(sources);
	return 0;
}

void sources_close(struct sources **sources)
{
	struct sources *closed = *sources;

	if (!closed)
		return;
	sources_close_groups(closed);
	files_keep_open(closed->files, false);
	/* a command that is started later gets the original limit */
	if (closed->has_more_files)
		setrlimit(RLIMIT_NOFILE, &closed->open_files);
	sources_free_files(closed);
	texts_done(&closed->texts);
	free(closed->cpus);
	free(closed->packages);
	free(closed);
	*sources = NULL;
}

const char *sources_refusal(const struct sources *sources)
{
	const char *reason = sources->pmus[PMU_MSR].missing;

	for (size_t i = 0; i < sources->n_cpus && !sources->pmus[PMU_MSR].missing; i++) {
		size_t group = sources->cpus[i].groups[PMU_MSR];

		if (group == NO_GROUP || sources->groups[group].leader >= 0)
			return NULL;
		reason = sources->groups[group].missing;
	}
	return reason;
}

/* Makes the arrays of a reading. */
static struct sources_reading *new_reading(const struct sources *sources)
{
	struct sources_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->groups = calloc(sources->n_groups + 1, sizeof(*reading->groups));
	reading->cpus = calloc(sources->n_cpus + 1, sizeof(*reading->cpus));
	reading->packages = calloc(sources->n_packages + 1, sizeof(*reading->packages));
	reading->uncore_khz = calloc(sources->uncore.count + 1, sizeof(*reading->uncore_khz));
	if (!reading->groups || !reading->cpus || !reading->packages || !reading->uncore_khz)
		sources_reading_free(&reading);
	return reading;
}

void sources_reading_free(struct sources_reading **reading)
{
	struct sources_reading *freed = *reading;

	if (!freed)
		return;
	free(freed->groups);
	free(freed->cpus);
	free(freed->packages);
	free(freed->uncore_khz);
	for (size_t i = 0; i < freed->n_limits; i++)
		free(freed->limits[i].reasons);
	free(freed->limits);
	free(freed);
	*reading = NULL;
}

int sources_read(struct sources *sources, struct sources_reading **ret_reading)
{
	_cleanup_sources_reading_ struct sources_reading *reading = new_reading(sources);
	int err;

	if (!reading)
		return -ENOMEM;
	reading->now_ns = sources->workload->ops->now_ns(sources->workload);
	sources_read_groups(sources, reading->groups);
	err = sources_read_files(sources, reading);
	if (err || sources->texts.has_failed)
		return -ENOMEM;
	*ret_reading = steal(reading);
	return 0;
}

void sources_take_texts(struct sources *sources, struct texts *texts)
{
	*texts = steal(sources->texts);
}

// SPDX-License-Identifier: GPL-2.0-only
/* priority: publishes and shows the cores that are fast now, also for programs without privileges
 * (docs/spec/choose.md, "priority"). show reads only the record: few system calls, no driver. */
#include "features/features.h"
#include "features/priority.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/units.h"
#include "choose/priority.h"
#include "host/change_log.h"
#include "host/cpufreq.h"
#include "host/run_directory.h"
#include "output/output.h"
#include "run/context.h"

/* With more than 40 packages, the rest is noted as not compared: the limit is fewer than 300 system
 * calls (choose.md, "priority"). */
#define MOST_COMPARED 80
#define POSSIBLE      FILES_CPUS "/possible"
#define PCI_DEVICES   "/sys/bus/pci/devices"
#define MOST_NUMBER   (PRIORITY_UNKNOWN - 1)

/* The file name in the directory of --nfd. */
#define LABELS_NAME "intel-speed-select"
#define MOST_EXPIRE 31536000

struct arguments {
	struct option_number node;
	struct option_number package;
	const char *near;
	struct option_number cores;
	struct option_number threads;
	bool low;
	struct option_number as;
};

struct publish_arguments {
	const char *nfd;
	struct option_number expire_s;
};

enum { THREADS_ONE, THREADS_ALL };
enum { AS_LIST, AS_JSON, AS_NUMACTL, AS_TASKSET, AS_SYSTEMD, AS_MASK };

/* Reports an error of the record, with its message. Returns 0 or -ENOMEM. */
static int report_record(struct context *context, int err, const char *message)
{
	if (err && err != -ENOMEM)
		context_report(context, NULL,
			       err == -ENOTSUP ? REPORT_UNSUPPORTED : report_kind_of(err), "%s",
			       message ?: strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Writes the published record as labels of the node. */
static int write_labels(struct context *context, const char *path)
{
	const struct publish_arguments *arguments = context->request->arguments;
	_cleanup_priority_ struct priority priority = { 0 };
	_cleanup_buffer_ struct buffer text = { 0 };
	_cleanup_free_ char *message = NULL;
	char expiry[CHANGE_LOG_TIME_SIZE];
	int err = priority_read(context->request->host, &priority, &message);

	if (err)
		return report_record(context, err, message);
	if (arguments->expire_s.given)
		change_log_format_later((uint32_t)arguments->expire_s.value, expiry);
	err = priority_format_labels(&priority, arguments->expire_s.given ? expiry : NULL, &text);
	if (err)
		return err;
	fileio_remove_unfinished(path);
	err = fileio_publish(path, 0644, buffer_text(&text), text.length);
	if (err)
		context_fail_file(context, path, err);
	return err == -ENOMEM ? err : 0;
}

/* Writes the record, and the labels if they are requested. If the record cannot be written, removes
 * the labels, since the state that they describe is unknown. */
static int publish(struct context *context)
{
	const struct publish_arguments *arguments = context->request->arguments;
	struct host *host = context->request->host;
	_cleanup_free_ char *message = NULL, *path = NULL;
	const struct priority_known known = {
		.machine = context->machine,
		.answers = context->plan.execution.answers,
	};
	int err;

	if (arguments->expire_s.given && !arguments->nfd) {
		context_refuse_usage(context, "--expire needs --nfd");
		return 0;
	}
	if (arguments->nfd) {
		path = text_format("%s/" LABELS_NAME, arguments->nfd);
		if (!path)
			return -ENOMEM;
	}
	if (context->request->globals->dry_run) {
		context_note(context, NULL, "the record in %s is not written", host->run_directory);
		if (path)
			context_note(context, NULL, "%s is not written", path);
		return 0;
	}
	err = priority_publish(host, &known, NULL, &message);
	if (!err)
		return path ? write_labels(context, path) : 0;
	if (path && unlink(path) < 0 && errno != ENOENT)
		context_fail(context, NULL, -errno, "%s cannot be removed", path);
	return report_record(context, err, message);
}

/* A core that can be chosen. */
struct candidate {
	const struct priority_group *group;
	uint32_t cpus[PRIORITY_THREADS];
	size_t n_cpus;
};

struct selection {
	struct priority priority;
	struct candidate *candidates;
	size_t count;
	struct cpuset cpus;
};

static void selection_done(struct selection *selection)
{
	priority_done(&selection->priority);
	free(selection->candidates);
	cpuset_done(&selection->cpus);
}

static int read_record(struct context *context, struct priority *ret_priority)
{
	_cleanup_free_ char *message = NULL;
	int err = priority_read(context->request->host, ret_priority, &message);

	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT || err == -EPERM)
		context_lack(context, NULL, "%s", message ?: strerror(-err));
	else if (err)
		context_refuse(context, NULL, "%s", message ?: strerror(-err));
	return 0;
}

/* The base frequencies that were compared with those of the record. */
struct comparison {
	size_t n_files; /* number of files that were read */
	struct cpuset unknown; /* CPUs whose files cannot be read */
	struct cpuset left; /* CPUs whose files were not read */
};

static void comparison_done(struct comparison *comparison)
{
	cpuset_done(&comparison->unknown);
	cpuset_done(&comparison->left);
}

/* Compares the base frequency of a CPU with that of the record. Another level or SST-BF changes
 * this frequency. */
static int compare_base(struct context *context, const struct priority_witness *witness,
			struct comparison *comparison)
{
	uint64_t khz = 0;
	int err;

	if (witness->cpu == PRIORITY_UNKNOWN || report_has_problem(&context->report))
		return 0;
	if (comparison->n_files == MOST_COMPARED)
		return cpuset_add(&comparison->left, witness->cpu);
	comparison->n_files++;
	err = files_read_number(context->request->host->files,
				files_cpu_path(witness->cpu, "cpufreq/base_frequency").text, &khz);
	if (err == -ENOMEM)
		return err;
	if (err || !witness->base_khz)
		return cpuset_add(&comparison->unknown, witness->cpu);
	if (khz != witness->base_khz)
		context_lack(context, NULL,
			     "the record is not of the present state: base_frequency of CPU %u is "
			     "%" PRIu64 " MHz, and was %u; `%s priority publish`, as root, "
			     "writes it again",
			     witness->cpu, khz / KHZ_PER_MHZ, witness->base_khz / KHZ_PER_MHZ,
			     host_command(context->request->host));
	return 0;
}

/* Compares a fast core of each package, then another core of each. */
static int compare_record(struct context *context, const struct priority *priority)
{
	_cleanup_(comparison_done) struct comparison comparison = { 0 };
	int err = 0;

	for (size_t i = 0; i < priority->n_packages && !err; i++)
		err = compare_base(context, &priority->packages[i].fast, &comparison);
	for (size_t i = 0; i < priority->n_packages && !err; i++)
		err = compare_base(context, &priority->packages[i].other, &comparison);
	if (err || report_has_problem(&context->report))
		return err;
	context_report_cpus(context, REPORT_NOTE, "base_frequency of CPUs ", &comparison.unknown,
			    " cannot be read: whether the record is of the present level is "
			    "unknown");
	context_report_cpus(context, REPORT_NOTE, "base_frequency of CPUs ", &comparison.left,
			    " is not compared with the record: there are too many packages");
	return 0;
}

int priority_read_present(struct context *context, struct priority *ret_priority)
{
	int err = read_record(context, ret_priority);

	return err || report_has_problem(&context->report) ? err
							   : compare_record(context, ret_priority);
}

/* local_cpulist of the device decides; numa_node is only for the message. */
int priority_read_near(struct context *context, const char *near, struct cpuset *cpus)
{
	struct files *files = context->request->host->files;
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	_cleanup_free_ char *text = text_format("near:%s", near), *path = NULL, *node_path = NULL;
	_cleanup_free_ char *node = NULL;
	struct cpu_names_problem problem;
	int err = text ? cpu_names_parse(text, &names, &problem) : -ENOMEM;

	if (err == -ENOMEM)
		return err;
	if (err || names.count != 1 || names.list[0].kind != CPU_NAME_NEAR) {
		context_refuse_usage(context, "--near %s: a PCI address was expected: 0000:3b:00.0",
				     near);
		return 0;
	}
	path = text_format(PCI_DEVICES "/%s/local_cpulist", names.list[0].address);
	node_path = text_format(PCI_DEVICES "/%s/numa_node", names.list[0].address);
	if (!path || !node_path)
		return -ENOMEM;
	err = files_read_cpus(files, path, cpus);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		context_lack(context, NULL, "--near %s: there is no such PCI device", near);
	else if (err)
		context_fail(context, NULL, err, "--near %s", near);
	else if (cpuset_is_empty(cpus) && !files_read_line(files, node_path, &node))
		context_lack(context, NULL, "--near %s: its local_cpulist is empty (numa_node %s)",
			     near, node);
	return 0;
}

/* Checks that the record has the requested package or node. */
static void check_place(struct context *context, const struct priority *priority,
			const struct arguments *arguments)
{
	bool has_node = false, has_package = false;

	for (size_t i = 0; i < priority->n_groups; i++) {
		has_node = has_node || priority->groups[i].node == arguments->node.value;
		has_package =
			has_package || priority->groups[i].package == arguments->package.value;
	}
	if (arguments->node.given && !has_node)
		context_lack(context, NULL, "--node %" PRIu64 ": the record has no CPU of it",
			     arguments->node.value);
	if (arguments->package.given && !has_package)
		context_lack(context, NULL, "--package %" PRIu64 ": the record has no CPU of it",
			     arguments->package.value);
}

static bool is_wanted(const struct arguments *arguments, const struct priority_group *group)
{
	return (group->reasons == 0) == arguments->low &&
	       (!arguments->node.given || group->node == arguments->node.value) &&
	       (!arguments->package.given || group->package == arguments->package.value);
}

/* Adds the cores of a group, with their threads that are in among. */
static int add_group(struct selection *selection, const struct priority_group *group,
		     const struct cpuset *among)
{
	uint32_t cpus[PRIORITY_THREADS];
	size_t n_cores = cpuset_count(&group->threads[0]);

	for (size_t i = 0; i < PRIORITY_THREADS; i++)
		cpus[i] = cpuset_next(&group->threads[i], 0);
	for (size_t core = 0; core < n_cores; core++) {
		struct candidate candidate = { .group = group };

		for (size_t i = 0; i < PRIORITY_THREADS; i++) {
			if (cpus[i] == CPUSET_NONE)
				continue;
			if (cpuset_has(among, cpus[i]))
				candidate.cpus[candidate.n_cpus++] = cpus[i];
			cpus[i] = cpuset_next(&group->threads[i], cpus[i] + 1);
		}
		if (candidate.n_cpus > 0)
			selection->candidates[selection->count++] = candidate;
	}
	return 0;
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *one = left, *other = right;

	return number_compare(other->group->mhz, one->group->mhz)
		       ?: number_compare(one->cpus[0], other->cpus[0]);
}

/* Finds the CPUs of the record that are online now and, if a device is given, close to it. */
static int read_among(struct context *context, const struct priority *priority, const char *near,
		      struct cpuset *among)
{
	_cleanup_cpuset_ struct cpuset online = { 0 }, close = { 0 };
	int err = near ? priority_read_near(context, near, &close) : 0;

	for (size_t i = 0; i < priority->n_groups && !err; i++) {
		for (size_t j = 0; j < PRIORITY_THREADS && !err; j++)
			err = cpuset_add_all(among, &priority->groups[i].threads[j]);
	}
	if (err)
		return err;
	err = files_read_cpus(context->request->host->files, FILES_CPUS "/online", &online);
	if (!err)
		cpuset_keep(among, &online);
	if (near)
		cpuset_keep(among, &close);
	return err == -ENOMEM ? err : 0;
}

/* Chooses the cores: the fastest first, then by number. */
static int select_cores(struct context *context, struct selection *selection)
{
	const struct arguments *arguments = context->request->arguments;
	const struct priority *priority = &selection->priority;
	_cleanup_cpuset_ struct cpuset among = { 0 };
	size_t wanted;
	int err = read_among(context, priority, arguments->near, &among);

	if (err)
		return err;
	check_place(context, priority, arguments);
	if (report_has_problem(&context->report))
		return 0;
	selection->candidates = calloc(cpuset_count(&among) + 1, sizeof(*selection->candidates));
	if (!selection->candidates)
		return -ENOMEM;
	for (size_t i = 0; i < priority->n_groups && !err; i++) {
		if (is_wanted(arguments, &priority->groups[i]))
			err = add_group(selection, &priority->groups[i], &among);
	}
	qsort(selection->candidates, selection->count, sizeof(*selection->candidates),
	      compare_candidates);
	wanted = arguments->cores.given ? arguments->cores.value
		 : arguments->as.given  ? selection->count ?: 1
					: selection->count;
	if (selection->count < wanted) {
		context_refuse(context, NULL, "%zu %s core%s requested, and the record has %zu",
			       wanted, arguments->low ? "other" : "fast", wanted == 1 ? "" : "s",
			       selection->count);
		return err;
	}
	selection->count = wanted;
	for (size_t i = 0; i < wanted && !err; i++) {
		const struct candidate *candidate = &selection->candidates[i];
		size_t n_cpus = arguments->threads.given && arguments->threads.value == THREADS_ALL
					? candidate->n_cpus
					: 1;

		for (size_t j = 0; j < n_cpus && !err; j++)
			err = cpuset_add(&selection->cpus, candidate->cpus[j]);
	}
	return err;
}

/* Appends words of 32 bits in hex, the highest first. The first has the digits of the possible
 * CPUs, as in masks of the kernel. */
static int append_mask(struct context *context, const struct cpuset *cpus, struct buffer *line)
{
	_cleanup_cpuset_ struct cpuset possible = { 0 };
	uint32_t last;

	if (files_read_cpus(context->request->host->files, POSSIBLE, &possible) == -ENOMEM ||
	    cpuset_add_all(&possible, cpus))
		return -ENOMEM;
	last = cpuset_last(&possible);
	for (uint32_t word = last / 32 + 1; word-- > 0;) {
		uint32_t bits = 0;
		char digits[10];

		for (uint32_t bit = 0; bit < 32; bit++)
			bits |= (uint32_t)cpuset_has(cpus, word * 32 + bit) << bit;
		snprintf(digits, sizeof(digits), "%0*x%s",
			 word == last / 32 ? (int)(last % 32 / 4 + 1) : 8, bits, word ? "," : "");
		buffer_append_string(line, digits);
	}
	return 0;
}

static int show_as(struct context *context, const struct selection *selection, uint64_t as)
{
	static const char *const before[] = {
		[AS_NUMACTL] = "--physcpubind=",
		[AS_SYSTEMD] = "CPUAffinity=",
		[AS_MASK] = "",
	};
	_cleanup_buffer_ struct buffer line = { 0 };
	int err = 0;

	if (as < ARRAY_SIZE(before) && before[as])
		buffer_append_string(&line, before[as]);
	if (as == AS_MASK)
		err = append_mask(context, &selection->cpus, &line);
	else
		cpuset_append_ranges(&selection->cpus, &line);
	buffer_append_char(&line, '\n');
	if (err || line.has_failed)
		return -ENOMEM;
	output_document(context->output, buffer_text(&line));
	return 0;
}

static json_t *pack_cpu(uint32_t cpu, const struct priority_group *group)
{
	json_t *entry = json_write_fields(priority_group_fields, group);

	json_object_del(entry, "threads");
	json_object_set_new(entry, "cpu", json_integer(cpu));
	return entry;
}

static json_t *pack_cpus(const struct selection *selection)
{
	json_t *array = json_array();

	cpuset_foreach (cpu, &selection->cpus) {
		for (size_t i = 0; i < selection->priority.n_groups; i++) {
			const struct priority_group *group = &selection->priority.groups[i];
			bool is_there = false;

			for (size_t j = 0; j < PRIORITY_THREADS; j++)
				is_there = is_there || cpuset_has(&group->threads[j], cpu);
			if (is_there)
				json_array_append_new(array, pack_cpu(cpu, group));
		}
	}
	return array;
}

static int show_json(struct context *context, const struct selection *selection)
{
	_cleanup_free_ char *list = cpuset_format_ranges(&selection->cpus);
	_cleanup_json_ json_t *root =
		json_write_fields(priority_shown_fields, &selection->priority);

	if (!list || !root || output_make_json(context->output))
		return -ENOMEM;
	json_object_set_new(root, "list", json_string(list));
	json_object_set_new(root, "cpus", pack_cpus(selection));
	output_json_members(context->output, root);
	return 0;
}

static const char *on_or_off(bool is_on)
{
	return is_on ? "on" : "off";
}

/* "  fast 0-3: 3100 MHz, base 2600 MHz, CLOS 0, SST-TF bucket 1, SST-BF core, node 0" */
static void append_group(const struct selection *selection, const struct priority_group *group,
			 struct buffer *text)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL, *line = NULL;
	char mhz[32] = "frequency unknown", above[48] = "", clos[24] = "", bucket[32] = "",
	     node[24] = "";

	if (cpuset_copy(&cpus, &selection->cpus))
		text->has_failed = true;
	for (uint32_t cpu = cpuset_next(&cpus, 0); cpu != CPUSET_NONE;
	     cpu = cpuset_next(&cpus, cpu + 1)) {
		if (!cpuset_has(&group->threads[0], cpu) && !cpuset_has(&group->threads[1], cpu))
			cpuset_remove(&cpus, cpu);
	}
	if (cpuset_is_empty(&cpus))
		return;
	if (group->mhz && group->is_at_most)
		snprintf(mhz, sizeof(mhz), "at most %u MHz", group->high_mhz ?: group->mhz);
	else if (group->high_mhz)
		snprintf(mhz, sizeof(mhz), "%u-%u MHz", group->mhz, group->high_mhz);
	else if (group->mhz)
		snprintf(mhz, sizeof(mhz), "%u MHz", group->mhz);
	if (group->above_mhz)
		snprintf(above, sizeof(above), " (Linux has not taken over %u)", group->above_mhz);
	if (group->clos != PRIORITY_UNKNOWN)
		snprintf(clos, sizeof(clos), ", CLOS %u", group->clos);
	if (group->bucket != PRIORITY_UNKNOWN)
		snprintf(bucket, sizeof(bucket), ", SST-TF bucket %u", group->bucket);
	if (group->node != PRIORITY_UNKNOWN)
		snprintf(node, sizeof(node), ", node %u", group->node);
	list = cpuset_format_ranges(&cpus);
	line = list ? text_format("  %s %s: %s%s, base %u MHz%s%s%s%s\n",
				  group->reasons ? "fast" : "others", list, mhz, above,
				  group->base_mhz, clos, bucket,
				  group->reasons & PRIORITY_OF_BASE_FREQ ? ", SST-BF core" : "",
				  node)
		    : NULL;
	text->has_failed = text->has_failed || !line;
	buffer_append_string(text, line ?: "");
}

/* Appends the buckets of SST-TF, "2 at 3200, 4 at 3100". */
static void append_buckets(const struct sst_turbo *buckets, struct buffer *text)
{
	for (size_t i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++) {
		_cleanup_free_ char *bucket = text_format(
			"%s%u at %u", i ? ", " : "", buckets->core_counts[i], buckets->mhz[0][i]);

		buffer_append_string(text, bucket ?: "");
	}
}

/* "package 0 at level 0: SST-TF on (3 of 4 cores; buckets 2 at 3200, 4 at 3100), SST-BF off, SST-CP
 * on" */
static void append_package(const struct priority_package *package, struct buffer *text)
{
	_cleanup_buffer_ struct buffer buckets = { 0 };
	_cleanup_free_ char *line = NULL, *use = NULL;
	char level[32] = "";

	if (package->level != PRIORITY_UNKNOWN)
		snprintf(level, sizeof(level), " at level %u", package->level);
	append_buckets(&package->buckets, &buckets);
	if (package->turbo_freq_on)
		use = text_format(" (%zu of %zu %s; buckets %s)", package->used, package->capacity,
				  package->counts_modules ? "modules" : "cores",
				  buffer_text(&buckets));
	line = text_format("package %u%s: SST-TF %s%s, SST-BF %s, SST-CP %s\n", package->package,
			   level, on_or_off(package->turbo_freq_on), use ?: "",
			   on_or_off(package->base_freq_on), on_or_off(package->core_power_on));
	text->has_failed = text->has_failed || !line || buckets.has_failed;
	buffer_append_string(text, line ?: "");
}

static int show_text(struct context *context, const struct selection *selection)
{
	const struct arguments *arguments = context->request->arguments;
	const struct priority *priority = &selection->priority;
	_cleanup_buffer_ struct buffer text = { 0 };
	_cleanup_free_ char *head = text_format("published %s by version %s, counted per package\n",
						priority->time, priority->program);

	buffer_append_string(&text, head ?: "");
	for (size_t i = 0; i < priority->n_packages; i++) {
		const struct priority_package *package = &priority->packages[i];

		if (arguments->package.given && arguments->package.value != package->package)
			continue;
		append_package(package, &text);
		for (size_t j = 0; j < priority->n_groups; j++) {
			if (priority->groups[j].package == package->package)
				append_group(selection, &priority->groups[j], &text);
		}
	}
	if (!head || text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&text));
	return 0;
}

static void warn(struct context *context, const struct priority *priority)
{
	for (size_t i = 0; i < priority->warnings.count; i++)
		context_warn(context, NULL, "%s", priority->warnings.list[i]);
}

static int show(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_(selection_done) struct selection selection = { 0 };
	bool is_json = output_is_json(context->output) ||
		       (arguments->as.given && arguments->as.value == AS_JSON);
	int n_places = arguments->node.given + arguments->package.given + !!arguments->near;
	int err;

	if (n_places > 1) {
		context_refuse_usage(context, "--node, --package and --near cannot be used "
					      "together");
		return 0;
	}
	err = priority_read_present(context, &selection.priority);
	if (err || report_has_problem(&context->report))
		return err;
	warn(context, &selection.priority);
	err = select_cores(context, &selection);
	if (err || report_has_problem(&context->report))
		return err;
	if (is_json)
		return show_json(context, &selection);
	if (arguments->as.given)
		return show_as(context, &selection, arguments->as.value);
	return show_text(context, &selection);
}

static const char *const threads_words[] = { "one", "all", NULL };
static const char *const as_words[] = { "list",    "json", "numactl", "taskset",
					"systemd", "mask", NULL };

static const struct option show_options[] = {
	{ 0, "node", "N", "Only cores of this NUMA node",
	  OPTION_NUMBER(struct arguments, node, 0, MOST_NUMBER) },
	{ 0, "package", "N", "Only cores of this package",
	  OPTION_NUMBER(struct arguments, package, 0, MOST_NUMBER) },
	{ 0, "near", "PCI", "Only cores close to this PCI device, as 0000:3b:00.0",
	  OPTION_TEXT(struct arguments, near) },
	{ 0, "cores", "N",
	  "Number of cores to show, the fastest first; an error if there are fewer",
	  OPTION_NUMBER(struct arguments, cores, 1, CPUSET_MAX_CPU) },
	{ 0, "threads", "one|all", "CPUs of each core (default one)",
	  OPTION_WORD(struct arguments, threads, threads_words) },
	{ 0, "low", NULL, "Only cores that are not fast", OPTION_FLAG(struct arguments, low) },
	{ 0, "as", "FORM", "For scripts: list, json, numactl, taskset, systemd or mask",
	  OPTION_WORD(struct arguments, as, as_words) },
	{ 0 },
};

static const struct option publish_options[] = {
	{ 0, "nfd", "DIR", "Also write labels for Node Feature Discovery into this directory",
	  OPTION_TEXT(struct publish_arguments, nfd), .path = OPTION_PATH_DIRECTORY },
	{ 0, "expire", "TIME", "Time until the labels expire (default: never)",
	  OPTION_SECONDS(struct publish_arguments, expire_s, 1, MOST_EXPIRE) },
	{ 0 },
};

#define PRIORITY_FLAGS \
	(COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS | COMMAND_NO_MACHINE)

const struct command priority_commands[] = {
	{ "publish", "Record which cores are fast now, for programs without privilege",
	  PRIORITY_FLAGS | COMMAND_TAKES_LOCK, publish_options, sizeof(struct publish_arguments),
	  .about =
		  "The record is priority.json in /run/intel-speed-select. Each setting command and the daemon write it too.",
	  .run = publish },
	{ "show", "Show which cores are fast, and why; needs no privilege and no driver",
	  PRIORITY_FLAGS, show_options, sizeof(struct arguments),
	  .about =
		  "Without a record of the present state the exit status is 3. High-priority cores are counted per package.",
	  .run = show },
	{ "check", "Show whether a process or a control group runs on fast cores", PRIORITY_FLAGS,
	  priority_check_options, sizeof(struct priority_check_arguments),
	  .about =
		  "Its threads are sampled; CPU time counts for the CPU that a thread ran on last. Processes of others need root.",
	  .run = priority_check },
	{ 0 },
};

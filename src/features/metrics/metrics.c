// SPDX-License-Identifier: GPL-2.0-only
/* metrics shows figures of the present state for Prometheus, once or at intervals
 * (docs/spec/fleet.md, "Metrics"). It leaves out unreadable figures; isst_source_up is 0 then. */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/units.h"
#include "base/wait.h"
#include "features/metrics/metrics.h"
#include "change/journal_spans.h"
#include "host/change_log.h"
#include "host/cpufreq.h"
#include "host/uncore.h"
#include "output/output.h"
#include "run/unread.h"
#include "state/site.h"

struct arguments {
	const char *textfile;
	struct option_number interval_s;
	bool per_core;
	bool limit_reasons;
};

#define GAUGE(family, about)                      \
	{                                         \
		.name = (family), .help = (about) \
	}
#define COUNTER(family, about)                                        \
	{                                                             \
		.name = (family), .help = (about), .is_counter = true \
	}

static const struct exposition_family families[N_METRICS] = {
	[METRIC_BUILD_INFO] = GAUGE("isst_build_info", "The program that writes these metrics"),
	[METRIC_LEVEL] = GAUGE("isst_performance_level", "Current performance level"),
	[METRIC_LEVEL_LOCKED] =
		GAUGE("isst_performance_level_locked", "1 if the performance level is locked"),
	[METRIC_FEATURE] =
		GAUGE("isst_feature_enabled", "1 if the feature is on: SST-BF (base-freq), "
					      "SST-TF (turbo-freq), SST-CP (core-power)"),
	[METRIC_ORDERED] = GAUGE("isst_core_power_ordered",
				 "1 if SST-CP shares power in order of CLOS, 0 if in proportion"),
	[METRIC_CLOS_CORES] = GAUGE("isst_clos_cores", "Online cores in the CLOS"),
	[METRIC_CLOS_MIN] =
		GAUGE("isst_clos_minimum_frequency_hertz", "Lowest frequency of the CLOS"),
	[METRIC_CLOS_MAX] = GAUGE("isst_clos_maximum_frequency_hertz",
				  "Highest frequency of the CLOS; absent if it is not limited"),
	[METRIC_HIGH_CAPACITY] =
		GAUGE("isst_high_priority_capacity_cores",
		      "High-priority cores that reach the frequency of those in CLOS 0 and 1: "
		      "their bucket of SST-TF, counted per package"),
	[METRIC_HIGH_USED] = GAUGE("isst_high_priority_used_cores",
				   "Online cores in CLOS 0 and 1, counted per package"),
	[METRIC_BUCKET_CORES] = GAUGE("isst_turbo_freq_bucket_cores",
				      "High-priority cores of a bucket of SST-TF at the current "
				      "level, counted per package"),
	[METRIC_BUCKET] = GAUGE("isst_turbo_freq_bucket_frequency_hertz",
				"Frequency of a bucket of SST-TF at the current level"),
	[METRIC_ONLINE_CORES] = GAUGE("isst_online_cores", "Cores with an online CPU"),
	[METRIC_BASE] = GAUGE("isst_base_frequency_hertz",
			      "Base frequency of the cores: all, or with SST-BF on high and low"),
	[METRIC_SCALING] = GAUGE("isst_scaling_limit_frequency_hertz",
				 "Lowest and highest of the limits that cpufreq policies have now"),
	[METRIC_UNCORE] = GAUGE("isst_uncore_frequency_hertz", "Present uncore frequency"),
	[METRIC_UNCORE_LIMIT] =
		GAUGE("isst_uncore_limit_frequency_hertz", "Uncore frequency limit"),
	[METRIC_THROTTLE_EVENTS] =
		COUNTER("isst_thermal_throttle_events_total",
			"Times that cores, each counted once, or the package were "
			"throttled for heat"),
	[METRIC_THROTTLE_SECONDS] =
		COUNTER("isst_thermal_throttle_seconds_total",
			"Time that cores, added up, or the package were throttled "
			"for heat"),
	[METRIC_ENERGY] =
		COUNTER("isst_energy_joules_total", "Energy used since boot or since the first "
						    "reading"),
	[METRIC_POWER_LIMIT] = GAUGE("isst_power_limit_watts", "Power limit"),
	[METRIC_LIMIT_REASON] = GAUGE("isst_limit_reason_active",
				      "1 if the frequency was limited for this reason since the "
				      "reasons were last cleared"),
	[METRIC_DRIFT] = GAUGE("isst_state_drift", "1 if the machine differs from its state file"),
	[METRIC_DRIFT_SETTINGS] =
		GAUGE("isst_state_drift_settings", "Settings that differ from the state file"),
	[METRIC_CHANGE_TIME] = GAUGE("isst_last_change_timestamp_seconds",
				     "When a command or the daemon last wrote a setting"),
	[METRIC_CHANGE_SUCCESS] = GAUGE("isst_last_change_success", "1 if that succeeded"),
	[METRIC_SOURCE_UP] =
		GAUGE("isst_source_up", "1 if the source was read; absent if the machine does not "
					"have it"),
	[METRIC_DURATION] = GAUGE("isst_collect_duration_seconds", "How long reading it took"),
	[METRIC_CORE_CLOS] = GAUGE("isst_core_clos", "CLOS of the core"),
	[METRIC_CORE_THROTTLE] = COUNTER("isst_core_thermal_throttle_events_total",
					 "Times that the core was throttled for heat"),
};

/* Sources. */

/* The lowest and highest numbers of a package. */
struct extent {
	uint32_t package;
	uint32_t lowest[2], highest[2]; /* of scaling_min_freq and scaling_max_freq */
};

static struct extent *find_extent(struct extent **list, size_t *count, uint32_t package)
{
	struct extent *extent;

	for (size_t i = 0; i < *count; i++) {
		if ((*list)[i].package == package)
			return &(*list)[i];
	}
	extent = array_add(list, count, sizeof(**list));
	if (extent)
		*extent =
			(struct extent){ .package = package, .lowest = { UINT32_MAX, UINT32_MAX } };
	return extent;
}

static int read_limits(struct metrics *metrics, uint32_t cpu, struct extent *extent)
{
	static const char *const names[] = { "scaling_min_freq", "scaling_max_freq" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t khz;
		int err = files_read_number(metrics->host->files,
					    files_cpu_path(cpu, "cpufreq/%s", names[i]).text, &khz);

		if (err) {
			metrics->problem = text_format("cpu-%" PRIu32 ": %s: %s", cpu, names[i],
						       files_describe_unread(err));
			return err;
		}
		if (khz < extent->lowest[i])
			extent->lowest[i] = (uint32_t)khz;
		if (khz > extent->highest[i])
			extent->highest[i] = (uint32_t)khz;
	}
	return 0;
}

static int collect_cpufreq(struct metrics *metrics)
{
	static const char *const limits[] = { "min", "max" };
	const struct topology *topology = &metrics->context->machine->topology;
	_cleanup_cpuset_ struct cpuset policies = { 0 };
	_cleanup_free_ struct extent *extents = NULL;
	size_t count = 0;
	int err = cpufreq_list_policies(metrics->host->files, &policies);

	cpuset_keep(&policies, &topology->online);
	for (uint32_t cpu = cpuset_next(&policies, 0); cpu != CPUSET_NONE && !err;
	     cpu = cpuset_next(&policies, cpu + 1)) {
		struct extent *extent =
			find_extent(&extents, &count, topology->places[cpu].package);

		err = extent ? read_limits(metrics, cpu, extent) : -ENOMEM;
	}
	for (size_t i = 0; i < count && !err; i++) {
		struct exposition_number package = exposition_number(extents[i].package);

		for (size_t j = 0; j < ARRAY_SIZE(limits); j++) {
			exposition_add(&metrics->exposition, METRIC_SCALING,
				       extents[i].lowest[j] * HZ_PER_KHZ, "package", package.text,
				       "limit", limits[j], "of", "lowest", NULL);
			exposition_add(&metrics->exposition, METRIC_SCALING,
				       extents[i].highest[j] * HZ_PER_KHZ, "package", package.text,
				       "limit", limits[j], "of", "highest", NULL);
		}
	}
	if (!err && count == 0) /* the directory also exists without a driver */
		return -ENOENT;
	return err;
}

static int collect_uncore(struct metrics *metrics)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	int err = uncore_read_units(metrics->host->files, true, &units), unit_error = 0;

	for (size_t i = 0; i < units.count && !err; i++) {
		const struct uncore_unit *unit = &units.units[i];
		struct exposition_number package = exposition_number(unit->package);
		const int unread =
			files_find_unread(&uncore_detail_files, &unit->unread, UNCORE_CURRENT);

		if (unit->current_khz.is_known)
			exposition_add(&metrics->exposition, METRIC_UNCORE,
				       unit->current_khz.value * HZ_PER_KHZ, "package",
				       package.text, "instance", unit->name, NULL);
		if (unread) {
			unit_error = unread;
			free(metrics->problem);
			metrics->problem = text_format("%s: " UNCORE_CURRENT ": %s", unit->name,
						       files_describe_unread(unread));
		}
		if (unit->error) {
			unit_error = unit->error;
			continue;
		}
		exposition_add(&metrics->exposition, METRIC_UNCORE_LIMIT,
			       unit->min_khz * HZ_PER_KHZ, "package", package.text, "instance",
			       unit->name, "limit", "min", NULL);
		exposition_add(&metrics->exposition, METRIC_UNCORE_LIMIT,
			       unit->max_khz * HZ_PER_KHZ, "package", package.text, "instance",
			       unit->name, "limit", "max", NULL);
	}
	return err ?: unit_error;
}

/* Fails if the comparison is incomplete: its count would be too low. */
static int collect_state(struct metrics *metrics)
{
	struct context *context = metrics->context;
	_cleanup_(site_drift_done) struct site_drift drift;
	int err = site_compare(context->machine, context->platform, context->output,
			       &metrics->state, &drift);

	metrics->problem = steal(drift.problem);
	if (!err && metrics->problem)
		err = -EIO;
	if (!err) {
		exposition_add(&metrics->exposition, METRIC_DRIFT, drift.count > 0, NULL);
		exposition_add(&metrics->exposition, METRIC_DRIFT_SETTINGS, (double)drift.count,
			       NULL);
	}
	return err;
}

/* Finds when the last change began that has ended and is not part of a measurement, and whether it
 * was done. */
static int find_last_change(const struct host *host, char **ret_time, bool *ret_is_done)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	_cleanup_journal_spans_ struct journal_spans spans = { 0 };
	int err = journal_reader_open(host->files, host->run_directory, &reader);

	if (!err)
		err = journal_spans_list(reader, &spans);
	for (size_t i = spans.count; i-- > 0 && !err;) {
		struct journal_span *span = &spans.list[i];

		if (span->is_temporary || !span->has_ended)
			continue;
		*ret_time = steal(span->time);
		*ret_is_done = span->is_done;
		return 0;
	}
	return err ?: -ENOENT;
}

static int collect_changes(struct metrics *metrics)
{
	_cleanup_free_ char *time = NULL;
	struct tm fields = { 0 };
	bool is_done = false;
	int err = find_last_change(metrics->host, &time, &is_done);

	if (err && err != -ENOENT && err != -ESTALE && err != -ENOMEM)
		metrics->problem = strdup(journal_problem(err));
	if (err)
		return err == -ESTALE ? -ENOENT : err;
	if (!strptime(time, "%Y-%m-%dT%H:%M:%SZ", &fields))
		return -EBADMSG;
	exposition_add(&metrics->exposition, METRIC_CHANGE_TIME, (double)timegm(&fields), NULL);
	exposition_add(&metrics->exposition, METRIC_CHANGE_SUCCESS, is_done, NULL);
	return 0;
}

/* Collection. The state file comes first: values read for the comparison are not read again. */

static const struct source {
	const char *name; /* value of the label */
	const char *what; /* for messages */
	int (*collect)(struct metrics *metrics);
} sources[] = {
	{ "state", "the comparison with the state file", collect_state },
	{ "speed_select", "Speed Select", metrics_collect_sst },
	{ "cpufreq", "limits of cpufreq", collect_cpufreq },
	{ "uncore", "uncore frequencies", collect_uncore },
	{ "limit_reasons", "limit reasons", metrics_collect_limit_reasons },
	{ "thermal_throttle", "counters of throttling", metrics_collect_throttling },
	{ "powercap", "energy and power limits", metrics_collect_power },
	{ "changes", "the change journal", collect_changes },
};

static void metrics_done(struct metrics *metrics)
{
	exposition_done(&metrics->exposition);
	state_machine_done(&metrics->state);
	cpuset_done(&metrics->cores);
}

/* Reads one source. Returns 0 or -ENOMEM. */
static int collect_source(struct metrics *metrics, const struct source *source)
{
	uint64_t start_us = wait_now_us();
	int err = source->collect(metrics);
	_cleanup_free_ char *problem = steal(metrics->problem);

	if (err == -ENOMEM || err == -ENOENT)
		return err == -ENOMEM ? err : 0;
	if (err && metrics->reports && problem)
		context_refuse(metrics->context, NULL, "%s: %s", source->what, problem);
	else if (err && metrics->reports)
		context_fail(metrics->context, NULL, err, "%s", source->what);
	exposition_add(&metrics->exposition, METRIC_SOURCE_UP, !err, "source", source->name, NULL);
	exposition_add_parts(&metrics->exposition, METRIC_DURATION, wait_now_us() - start_us,
			     US_PER_S, "source", source->name, NULL);
	return 0;
}

/* Reads all sources; if one fails, the others are still shown. Returns 0 with a new text; or
 * -ENOMEM. */
static int collect(struct context *context, bool reports, struct buffer *text)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_(metrics_done) struct metrics metrics = {
		.context = context,
		.host = context->request->host,
		.per_core = arguments->per_core,
		.limit_reasons = arguments->limit_reasons,
		.reports = reports,
	};
	int err = exposition_init(&metrics.exposition, families, N_METRICS);

	if (!err)
		err = topology_find_cores(metrics.host->files, &context->machine->topology,
					  &metrics.cores);
	if (err)
		return err;
	exposition_add(&metrics.exposition, METRIC_BUILD_INFO, 1, "version", VERSION, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !err; i++)
		err = collect_source(&metrics, &sources[i]);
	return err ?: exposition_write(&metrics.exposition, text);
}

static bool check_arguments(struct context *context, const struct arguments *arguments)
{
	const char *ending = arguments->textfile ? strrchr(arguments->textfile, '.') : NULL;

	if (arguments->interval_s.given && !arguments->textfile)
		context_refuse_usage(context, "--interval needs --textfile");
	if (arguments->textfile && (!ending || strcmp(ending, ".prom") != 0))
		context_refuse_usage(context,
				     "--textfile %s: its name must end in .prom, or node_exporter "
				     "ignores it",
				     arguments->textfile);
	return !report_has_problem(&context->report);
}

/* Collects once, and writes the file or shows the text. */
static int collect_once(struct context *context, bool reports)
{
	const struct arguments *arguments = context->request->arguments;
	const char *file = arguments->textfile;
	_cleanup_buffer_ struct buffer text = { 0 };
	int err = collect(context, reports, &text);

	if (err)
		return err;
	if (!file) {
		output_document(context->output, buffer_text(&text));
		return 0;
	}
	fileio_remove_unfinished(file);
	err = fileio_publish(file, 0644, buffer_text(&text), text.length);
	if (err)
		context_fail_file(context, file, err);
	return err == -ENOMEM ? err : 0;
}

static int show(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	const struct wait_stop *stop = context->plan.execution.environment.stop;
	uint64_t next_us = wait_now_us(), now_us;
	int err;

	if (!check_arguments(context, arguments))
		return 0;
	if (context->request->globals->dry_run && arguments->textfile) {
		context_note(context, NULL, "%s is not written", arguments->textfile);
		return 0;
	}
	if (arguments->textfile)
		signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is reported, like a full disk */
	context->report.n_results++;
	err = collect_once(context, !arguments->interval_s.given);
	while (arguments->interval_s.given && !err && !report_has_problem(&context->report)) {
		next_us += arguments->interval_s.value * US_PER_S;
		now_us = wait_now_us();
		if (next_us > now_us && wait_us_or_stop(stop, next_us - now_us))
			return 0;
		if (next_us < now_us)
			next_us = now_us; /* skips times that have passed on a slow machine */
		err = context_reopen(context);
		if (!err)
			err = collect_once(context, false);
	}
	return err == -ECANCELED ? 0 : err;
}

static const struct option show_options[] = {
	{ 0, "textfile", "FILE.prom",
	  "File to replace, for node_exporter (default: standard output)",
	  OPTION_TEXT(struct arguments, textfile), .path = OPTION_PATH_FILE },
	{ 0, "interval", "TIME",
	  "Rewrite the file at this interval, until a signal ends the command",
	  OPTION_SECONDS(struct arguments, interval_s, 1, 86400) },
	{ 0, "per-core", NULL, "Also the CLOS and throttling of each core",
	  OPTION_FLAG(struct arguments, per_core) },
	{ 0, "limit-reasons", NULL,
	  "Also why the hardware limited frequencies: a request for each CPU",
	  OPTION_FLAG(struct arguments, limit_reasons) },
	{ 0 },
};

const struct command metrics_commands[] = {
	{ "show", "Show figures of the present state in the text format of Prometheus",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS |
		  COMMAND_IS_IMPLIED,
	  show_options, sizeof(struct arguments),
	  .about = "Changes nothing. A series is absent if the machine does not have the value; "
		   "isst_source_up is 0 for a source that could not be read.",
	  .run = show, .keeps_files = "scaling_max_freq" },
	{ 0 },
};

// SPDX-License-Identifier: GPL-2.0-only
/* Makes the findings of machine summary. Each has a message and, if a command helps, a remedy. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/machine/summary.h"
#include "host/run_directory.h"
#include "settings/cgroup.h"
#include "sst/trl_note.h"
#include "state/recovery.h"
#include "state/site.h"

/* Adds a finding: a message in printf form, and a remedy, a new text (takes ownership); NULL:
 * none. */
static void __attribute__((format(printf, 4, 5)))
add_finding(struct summary *summary, const char *kind, char *remedy, const char *format, ...)
{
	_cleanup_free_ char *message = NULL;
	va_list args;

	remedy = host_complete_commands(summary->context->machine->host, remedy);
	va_start(args, format);
	message = text_format_list(format, args);
	va_end(args);
	json_array_append_new(json_object_get(summary->tree, "findings"),
			      json_pack("{s:s, s:s, s:o}", "kind", kind, "message", message ?: "",
					"remedy", remedy ? json_string(remedy) : json_null()));
	free(remedy);
}

/* Finds the online CPUs, except those that a control group isolates like offline CPUs. */
static int find_usable(struct summary *summary, struct cpuset *usable)
{
	const struct machine *machine = summary->context->machine;
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	int err = cgroup_read_isolated(machine->host->files, &isolated);

	if (err == -ENOMEM || cpuset_copy(usable, &machine->topology.online))
		return -ENOMEM;
	if (err && err != -ENOENT)
		summary_add_unread(summary, err, "control groups");
	cpuset_remove_all(usable, &isolated);
	return 0;
}

static bool is_level_locked(const struct platform_pp_query *pp)
{
	return !pp->error && pp->pp.enabled && pp->pp.locked;
}

/* Appends the command that sets the level again in the domains that have it already. The command
 * takes CPUs online and offline, even if the level is locked. */
static int append_follow(struct buffer *line, const struct expected *expected, uint32_t level)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL, *command = NULL;
	size_t count = 0;

	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct cpuset *all = &expected->levels[i].domain->cpus;

		if (expected->levels[i].level != level || cpuset_is_empty(all))
			continue;
		count++;
		if (cpuset_add(&cpus, cpuset_next(all, 0)))
			return -ENOMEM;
	}
	list = cpuset_format_ranges(&cpus);
	if (!list)
		return -ENOMEM;
	command = text_format("%sisst%s%s perf-profile set-config-level -l %u --online",
			      line->length ? " && " : "", count < expected->n_domains ? " -c " : "",
			      count < expected->n_domains ? list : "", level);
	if (!command)
		return -ENOMEM;
	buffer_append_string(line, command);
	return 0;
}

/* Returns a new text: the commands that set the present levels again. NULL: no memory. */
static char *format_follow(const struct summary *summary)
{
	const struct expected *expected = &summary->expected;
	_cleanup_buffer_ struct buffer line = { 0 };
	int err = 0;

	for (size_t i = 0; i < expected->n_domains && !err; i++) {
		bool is_new = true;

		for (size_t j = 0; j < i; j++)
			is_new = is_new && expected->levels[j].level != expected->levels[i].level;
		if (is_new)
			err = append_follow(&line, expected, expected->levels[i].level);
	}
	return err ? NULL : buffer_steal(&line, NULL);
}

static void add_cpus(struct summary *summary, const struct cpuset *cpus, const char *what,
		     char *remedy)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	if (cpuset_is_empty(cpus))
		free(remedy);
	else
		add_finding(summary, "online", remedy, "%s: CPUs %s", what, list ?: "");
}

/* Finds CPUs that are online or offline against the level of their power domain. Second threads
 * that are offline because SMT is off are correct. */
static int find_online(struct summary *summary)
{
	const struct topology *topology = &summary->context->machine->topology;
	const struct expected *expected = &summary->expected;
	_cleanup_cpuset_ struct cpuset usable = { 0 }, over = { 0 }, missing = { 0 };
	_cleanup_cpuset_ struct cpuset threads = { 0 }, unplaced = { 0 };
	int err = find_usable(summary, &usable);

	if (err || topology_find_threads(topology, &threads) ||
	    topology_find_unplaced(topology, &unplaced))
		return -ENOMEM;
	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_level_query *level = &expected->levels[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (level->error || !level->info.has_enabled_cpus)
			continue;
		if (cpuset_add_all(&missing, &level->info.enabled_cpus) ||
		    cpuset_copy(&cpus, &level->domain->cpus))
			return -ENOMEM;
		cpuset_keep(&cpus, &usable);
		cpuset_remove_all(&cpus, &level->info.enabled_cpus);
		if (cpuset_add_all(&over, &cpus))
			return -ENOMEM;
	}
	cpuset_remove_all(&missing, &usable);
	cpuset_remove_all(&missing, &threads);
	add_cpus(summary, &over, "online, but not enabled by the performance level",
		 format_follow(summary));
	add_cpus(summary, &missing, "offline, but enabled by the performance level",
		 format_follow(summary));
	if (expected->n_domains)
		add_cpus(summary, &unplaced,
			 "offline, and whether the performance level enables them is unknown until "
			 "they are online",
			 strdup("isst --all-cpus-online perf-profile info"));
	return 0;
}

static const struct platform_level_query *find_level(const struct summary *summary,
						     uint32_t package)
{
	for (size_t i = 0; i < summary->expected.n_domains; i++) {
		const struct platform_level_query *level = &summary->expected.levels[i];

		if (level->domain->package == package && !level->error)
			return level;
	}
	return NULL;
}

/* Finds packages with more cores in CLOS 0 and 1 than the largest bucket has. */
static int find_high_priority(struct summary *summary)
{
	const struct expected *expected = &summary->expected;

	for (size_t i = 0; i < expected->n_domains; i++) {
		uint32_t package = expected->levels[i].domain->package, capacity;
		const struct platform_level_query *level = find_level(summary, package);
		size_t count = expected->counts[i].activity.high_units;
		const char *unit;

		/* once for each package */
		if (!level || level->domain != expected->levels[i].domain ||
		    !level->info.turbo_freq_on)
			continue;
		unit = level->info.turbo_freq.counts_modules ? "modules" : "cores";
		capacity = frequency_capacity(&level->info.turbo_freq.buckets);
		if (count > capacity)
			add_finding(
				summary, "high-priority-cores", NULL,
				"package-%u has %zu %s in CLOS 0 and 1, but the largest bucket "
				"of SST-TF has %u: they get no more than the turbo-ratio limits, "
				"unless some are moved to CLOS 2 or 3",
				package, count, unit, capacity);
	}
	return 0;
}

/* Returns a limit of cpufreq that contradicts the CLOS of a CPU, as a row that CPUs may share. */
static json_t *contradiction(const char *what, uint32_t clos, uint32_t clos_khz,
			     enum frequency_limit limit, uint32_t khz)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:i}", "what", what, "clos", clos, "clos-mhz",
			 clos_khz / KHZ_PER_MHZ, "limit", frequency_limit_name(limit), "mhz",
			 khz / KHZ_PER_MHZ);
}

/* Predicts from the limits of the kernel, without the limits of Speed Select itself. */
static struct frequency_prediction predict_kernel(const struct summary_cpu *cpu)
{
	struct frequency_inputs inputs = cpu->expected.inputs;

	inputs.lowest_khz = 0;
	inputs.has_clos = inputs.turbo_freq_on = inputs.has_trl = false;
	return frequency_predict(&inputs, 0, &cpu->expected.counts.activity);
}

/* Adds what the hardware has above the highest frequency that Linux knows, for SST-TF. */
static json_t *find_behind(const struct summary *summary, const struct summary_cpu *cpu,
			   json_t *row, uint32_t highest_khz, bool is_highest)
{
	struct frequency_prediction prediction = {
		.cap_khz = highest_khz,
		.above_highest_khz =
			is_highest ? cpu->prediction.khz[FREQUENCY_TURBO_FREQ_BUCKET] : 0,
	};

	expected_check_highest(summary->context->machine->host->files, cpu->cpu, &prediction);
	json_object_set_new(row, "above-mhz",
			    json_integer((json_int_t)(prediction.above_highest_khz / KHZ_PER_MHZ)));
	return row;
}

static int add_contradictions(const struct summary *summary, const struct summary_cpu *cpu,
			      struct summary_rows *rows)
{
	struct frequency_prediction kernel = predict_kernel(cpu);
	enum frequency_limit lower = frequency_find_binding(&kernel, FREQUENCY_LOWER);
	const uint32_t *khz = cpu->prediction.khz;
	uint32_t clos = cpu->expected.inputs.clos;
	int err = 0;

	if (!cpu->expected.inputs.level || !cpu->expected.inputs.has_clos)
		return 0;
	if (kernel.cap_by != FREQUENCY_NO_LIMIT) {
		if (kernel.cap_khz < khz[FREQUENCY_CLOS_MIN])
			err = summary_add_row(rows, cpu->cpu,
					      contradiction("asks for at least", clos,
							    khz[FREQUENCY_CLOS_MIN], kernel.cap_by,
							    kernel.cap_khz));
		else if (kernel.cap_khz < khz[FREQUENCY_TURBO_FREQ_BUCKET])
			err = summary_add_row(
				rows, cpu->cpu,
				find_behind(summary, cpu,
					    contradiction("gets from SST-TF up to", clos,
							  khz[FREQUENCY_TURBO_FREQ_BUCKET],
							  kernel.cap_by, kernel.cap_khz),
					    kernel.cap_khz,
					    kernel.cap_by == FREQUENCY_HIGHEST_POSSIBLE));
	}
	if (!err && khz[FREQUENCY_CLOS_MAX] && lower != FREQUENCY_NO_LIMIT &&
	    kernel.khz[lower] > khz[FREQUENCY_CLOS_MAX])
		err = summary_add_row(rows, cpu->cpu,
				      contradiction("allows at most", clos, khz[FREQUENCY_CLOS_MAX],
						    lower, kernel.khz[lower]));
	return err;
}

/* Returns the command that lifts a limit of the kernel. is_behind: Linux has not taken over all
 * that the hardware has. NULL: there is none, or no memory. */
static char *lift(const char *limit, const char *cpus, bool is_behind)
{
	if (strcmp(limit, frequency_limit_name(FREQUENCY_HIGHEST_POSSIBLE)) == 0)
		return is_behind ? strdup(EXPECTED_RETAKE) : NULL;
	if (strcmp(limit, "no_turbo") == 0)
		return strdup("isst cpufreq set --turbo on");
	if (strcmp(limit, "max_perf_pct") == 0)
		return strdup("isst cpufreq set --max-pct 100");
	if (strcmp(limit, "min_perf_pct") == 0)
		return strdup("isst cpufreq set --min-pct 0");
	return text_format("isst -c %s cpufreq set --%s", cpus,
			   strcmp(limit, "scaling-minimum") == 0 ? "min min" : "max max");
}

/* Finds limits that make CLOS ineffective; none if CLOS is off. */
static int find_limits(struct summary *summary)
{
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	json_t *list, *row;
	size_t i;
	int err = 0;

	for (i = 0; i < summary->n_cpus && !err; i++)
		err = add_contradictions(summary, &summary->cpus[i], &rows);
	if (err)
		return err;
	list = summary_rows_to_json(&rows);
	json_array_foreach (list, i, row) {
		const char *what, *limit, *cpus;
		int clos, clos_mhz, mhz, above_mhz = 0;
		_cleanup_free_ char *above = NULL;

		if (json_unpack(row, "{s:s, s:s, s:s, s:i, s:i, s:i, s?i}", "what", &what, "limit",
				&limit, "cpus", &cpus, "clos", &clos, "clos-mhz", &clos_mhz, "mhz",
				&mhz, "above-mhz", &above_mhz))
			continue;
		if (above_mhz)
			above = text_format(" (Linux has not taken over %d)", above_mhz);
		add_finding(summary, "limits", lift(limit, cpus, above_mhz),
			    "CPUs %s: CLOS %d %s %d MHz, but %s is %d MHz%s", cpus, clos, what,
			    clos_mhz, limit, mhz, above ?: "");
	}
	json_decref(list);
	return 0;
}

/* Returns true if firmware limited the last turbo-ratio limits that this program wrote. */
static bool is_limited_by_firmware(const struct summary *summary, const struct platform_query *trl)
{
	const struct host *host = summary->context->machine->host;
	uint64_t written, read_back;

	return !trl_note_read(host->files, host->run_directory, trl->domain->package, &written,
			      &read_back) &&
	       written != read_back && trl->value.number == read_back;
}

/* Adds the CPUs of a domain whose turbo-ratio limits are below the frequency of their bucket. */
static int add_defeated(const struct summary *summary, size_t domain, struct summary_rows *rows)
{
	bool is_limited = is_limited_by_firmware(summary, &summary->expected.trl[domain]);

	for (size_t i = 0; i < summary->n_cpus; i++) {
		const struct summary_cpu *cpu = &summary->cpus[i];
		uint32_t bucket_khz = cpu->prediction.khz[FREQUENCY_TURBO_FREQ_BUCKET];
		uint32_t khz = cpu->prediction.khz[FREQUENCY_TURBO_RATIO_LIMIT];

		if (cpu->domain == domain && khz && khz < bucket_khz &&
		    summary_add_row(rows, cpu->cpu,
				    json_pack("{s:i, s:i, s:b}", "bucket-mhz",
					      bucket_khz / KHZ_PER_MHZ, "mhz", khz / KHZ_PER_MHZ,
					      "is-limited", is_limited)))
			return -ENOMEM;
	}
	return 0;
}

/* Finds turbo-ratio limits that defeat SST-TF, which has an effect only after they are opened. */
static int find_turbo_ratios(struct summary *summary)
{
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	json_t *list, *row;
	size_t i;
	int err = 0;

	for (i = 0; i < summary->expected.n_domains && !err; i++) {
		if (summary->expected.levels[i].info.turbo_freq_on)
			err = add_defeated(summary, i, &rows);
	}
	if (err)
		return err;
	list = summary_rows_to_json(&rows);
	json_array_foreach (list, i, row) {
		const char *cpus;
		int bucket_mhz, mhz, is_limited;

		if (json_unpack(row, "{s:s, s:i, s:i, s:b}", "cpus", &cpus, "bucket-mhz",
				&bucket_mhz, "mhz", &mhz, "is-limited", &is_limited))
			continue;
		add_finding(summary, "turbo-ratio-limits",
			    is_limited ? NULL
				       : text_format("isst -c %s turbo-mode set-trl -t 0x%" PRIx64,
						     cpus, FREQUENCY_TRL_OPEN),
			    "CPUs %s: SST-TF gives up to %d MHz, but with all cores active the "
			    "turbo-ratio limits allow %d MHz%s",
			    cpus, bucket_mhz, mhz,
			    is_limited ? "; they were set higher, and firmware limits them" : "");
	}
	json_decref(list);
	return 0;
}

/* Finds a level that cannot be changed, on a part that has others. */
static int find_lock(struct summary *summary)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	_cleanup_free_ char *list = NULL;

	for (size_t i = 0; i < summary->expected.n_domains; i++) {
		const struct platform_pp_query *pp = &summary->expected.pp[i];

		if (is_level_locked(pp) && pp->pp.highest_level > 0 &&
		    cpuset_add(&packages, pp->domain->package))
			return -ENOMEM;
	}
	if (cpuset_is_empty(&packages))
		return 0;
	list = cpuset_format_ranges(&packages);
	add_finding(summary, "locked", NULL,
		    "the performance level of package %s is locked, usually by BIOS: it cannot be "
		    "changed",
		    list ?: "");
	return 0;
}

/* Finds a command that began to write and was killed. */
static int find_unfinished(struct summary *summary)
{
	enum recovery_state state;
	_cleanup_free_ char *text = recovery_describe(summary->context->machine->host, &state);

	if (state == RECOVERY_CUT_OFF)
		add_finding(summary, "unfinished", strdup("isst state restore"),
			    "a command was interrupted while it was changing settings: %s; the "
			    "next setting "
			    "command undoes its changes",
			    text ?: "?");
	else if (state == RECOVERY_FOLLOWING)
		add_finding(summary, "unfinished", NULL, RECOVERY_FOLLOWING_TEXT, text ?: "?");
	else if (state == RECOVERY_UNUSABLE)
		add_finding(summary, "unfinished",
			    text_format("rm %s/" JOURNAL_NAME,
					summary->context->machine->host->run_directory),
			    "%s", text ?: "?");
	return 0;
}

/* Compares the machine with the state document of the site. */
static int find_differences(struct summary *summary)
{
	struct context *context = summary->context;
	const char *file = context->machine->host->state_file;
	_cleanup_buffer_ struct buffer check = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_(site_drift_done) struct site_drift drift;
	int err =
		site_compare(context->machine, context->platform, context->output, &state, &drift);

	if (err == -ENOMEM || err == -ENOENT)
		return err == -ENOMEM ? err : 0;
	buffer_append_string(&check, "isst state check ");
	buffer_append_shell_word(&check, file);
	if (err == -EINVAL)
		add_finding(summary, "state-file", NULL, "the state document is wrong: %s",
			    drift.problem ?: strerror(-err));
	else if (err)
		summary_add_unread(summary, err, "%s", file);
	if (drift.count)
		add_finding(summary, "state-file", strdup(buffer_text(&check)),
			    "%zu settings differ from %s", drift.count, file);
	if (!err && drift.problem)
		add_finding(summary, "state-file", strdup(buffer_text(&check)),
			    "the comparison with %s is not complete: %s", file, drift.problem);
	return 0;
}

int summary_add_findings(struct summary *summary)
{
	int (*const finders[])(struct summary *) = {
		find_online, find_high_priority, find_turbo_ratios, find_limits,
		find_lock,   find_unfinished,    find_differences,
	};
	int err = 0;

	json_object_set_new(summary->tree, "findings", json_array());
	for (size_t i = 0; i < ARRAY_SIZE(finders) && !err; i++)
		err = finders[i](summary);
	return err;
}

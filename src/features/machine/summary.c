// SPDX-License-Identifier: GPL-2.0-only
/* machine summary: reads everything once and makes one tree of it, which is shown as JSON or as a
 * screen of text (record.md, "summary"). What cannot be read is listed, and the rest is shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/number.h"
#include "base/units.h"
#include "features/machine/machine.h"
#include "features/machine/summary.h"
#include "host/cpuidle.h"
#include "host/powercap.h"
#include "host/uncore.h"
#include "run/unread.h"
#include "output/screen.h"

static void summary_done(struct summary *summary)
{
	json_decref(summary->tree);
	cpuset_done(&summary->cores);
	core_types_done(&summary->types);
	expected_done(&summary->expected);
	cpufreq_machine_done(&summary->cpufreq);
	for (size_t i = 0; i < summary->n_policies; i++)
		cpufreq_policy_done(&summary->policies[i]);
	free(summary->policies);
	free(summary->cpus);
}

static void add_unread_text(struct summary *summary, int err, const char *text)
{
	json_t *list = json_object_get(summary->tree, "not-read"), *item;
	size_t i;

	report_add(&summary->context->report, report_kind_of(err), NULL);
	json_array_foreach (list, i, item) {
		if (strcmp(json_string_value(item), text) == 0)
			return;
	}
	json_array_append_new(list, json_string(text));
}

void summary_add_unread(struct summary *summary, int err, const char *format, ...)
{
	struct target_cause cause = platform_find_cause(summary->context->platform, err);
	_cleanup_free_ char *what = NULL, *text = NULL;
	va_list args;

	va_start(args, format);
	what = text_format_list(format, args);
	va_end(args);
	text = text_format("%s: %s", what ?: "", cause.text);
	add_unread_text(summary, cause.error, text ?: what ?: "");
}

/* Records files of CPUs that exist but cannot be read. */
static void add_unread_cpus(struct summary *summary, const struct unread_list *unread)
{
	for (size_t i = 0; i < unread->count; i++) {
		const struct unread_cpus *cpus = &unread->list[i];

		for (int err = 0; (err = files_next_unread(&cpus->unread, err));) {
			_cleanup_free_ char *files =
				unread_format(cpus, &cpufreq_policy_files, err);
			_cleanup_free_ char *text =
				text_format("%s: %s", files ?: "", files_describe_unread(err));

			add_unread_text(summary, err, text ?: "");
		}
	}
}

/* Records other files that exist but cannot be read; what: their location, or "". */
static void add_unread_files(struct summary *summary, const char *what,
			     const struct file_members *members, const struct files_unread *unread)
{
	for (int err = 0; (err = files_next_unread(unread, err));) {
		_cleanup_free_ char *files = files_format_unread(members, unread, err);
		_cleanup_free_ char *text = text_format("%s%s%s: %s", what, *what ? ": " : "",
							files ?: "", files_describe_unread(err));

		if (err != -EACCES ||
		    members != &uncore_detail_files) /* which only root may read */
			add_unread_text(summary, err, text ?: "");
	}
}

/* Records an error of reading other than -ENOMEM. */
static int note_unread(struct summary *summary, int err, const char *what)
{
	if (err && err != -ENOMEM && err != -ENOENT)
		summary_add_unread(summary, err, "%s", what);
	return err == -ENOMEM ? err : 0;
}

static int add_processor(struct summary *summary)
{
	const struct machine *machine = summary->context->machine;
	const struct identity *identity = &machine->identity;
	const struct topology *topology = &machine->topology;
	_cleanup_cpuset_ struct cpuset offline = { 0 }, packages = { 0 };
	int err = cpuset_copy(&offline, &topology->present);

	err = err ?: topology_find_packages(topology, &packages);
	if (err)
		return err;
	cpuset_remove_all(&offline, &topology->online);
	err = note_unread(summary,
			  topology_find_cores(machine->host->files, topology, &summary->cores),
			  "cores");
	if (err)
		return err;
	if (machine->host->model.estimates)
		json_object_set_new(summary->tree, "estimates",
				    json_string(machine->host->model.estimates));
	json_object_set_new(summary->tree, "processor",
			    json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", identity->model_name,
				      "vendor", identity->vendor, "family", identity->family,
				      "model", identity->model, "stepping", identity->stepping));
	json_object_set_new(summary->tree, "cpus",
			    json_pack("{s:I, s:o, s:I, s:I, s:o, s:o}", "packages",
				      (json_int_t)cpuset_count(&packages), "cores",
				      summary_number(cpuset_count(&summary->cores)), "cpus",
				      (json_int_t)cpuset_count(&topology->present), "online",
				      (json_int_t)cpuset_count(&topology->online), "online-cpus",
				      json_cpu_list(&topology->online), "offline-cpus",
				      json_cpu_list(&offline)));
	return 0;
}

static void add_driver(struct summary *summary)
{
	const struct context *context = summary->context;
	const struct platform *platform = context->platform;
	json_t *driver;

	if (!platform || !platform->transport)
		driver = json_pack("{s:n, s:n, s:n, s:s}", "interface", "api-version",
				   "driver-version", "reason",
				   platform ? "all of Speed Select is set in BIOS"
					    : context->lacks_platform ?: "no Speed Select");
	else
		driver = json_pack("{s:s, s:i, s:i, s:n}", "interface",
				   platform->shows_power_domains ? "tpmi" : "mailbox",
				   "api-version", platform->info.api_version, "driver-version",
				   platform->info.driver_version, "reason");
	json_object_set_new(summary->tree, "driver", driver);
	if (!platform && context->platform_error != -ENOTSUP)
		summary_add_unread(summary, context->platform_error, "Speed Select");
}

/* Returns the last policy read of a CPU of the same package and core type, or NULL. */
static const struct cpufreq_policy *find_like(const struct summary *summary, uint32_t cpu)
{
	const struct cpu_place *places = summary->context->machine->topology.places;
	const char *type = core_types_name(&summary->types, cpu);

	for (size_t i = summary->n_policies ? summary->n_cpus : 0; i-- > 0;) {
		const struct summary_cpu *other = &summary->cpus[i];

		if (other->policy && places[other->cpu].package == places[cpu].package &&
		    core_types_name(&summary->types, other->cpu) == type)
			return other->policy;
	}
	return NULL;
}

/* Reads the next policy of a CPU. Returns 0, -ENOMEM, or another negative errno, which is noted. */
static int read_policy(struct summary *summary, uint32_t cpu, bool are_single,
		       struct unread_list *unread)
{
	const struct cpufreq_reading reading = {
		.are_single = are_single,
		.like = find_like(summary, cpu),
	};
	struct cpufreq_policy *policy = &summary->policies[summary->n_policies];
	int err =
		cpufreq_read_policy(summary->context->machine->host->files, cpu, &reading, policy);

	if (!err)
		summary->n_policies++;
	if (files_next_unread(&policy->unread, 0))
		return unread_list_add(unread, &policy->unread, cpu) ?: err;
	return note_unread(summary, err, "cpufreq") ?: err;
}

/* Reads the policies of the online CPUs, each once. */
static int read_policies(struct summary *summary)
{
	const struct topology *topology = &summary->context->machine->topology;
	struct files *files = summary->context->machine->host->files;
	size_t most = cpuset_count(&topology->online);
	_cleanup_free_ struct cpufreq_policy **of_cpu =
		calloc(cpuset_last(&topology->present) + 1, sizeof(*of_cpu));
	_cleanup_unread_list_ struct unread_list unread = { 0 };
	bool are_single;
	int err;

	summary->policies = calloc(most, sizeof(*summary->policies));
	summary->cpus = calloc(most, sizeof(*summary->cpus));
	if (!of_cpu || !summary->policies || !summary->cpus ||
	    cpufreq_find_single_policies(files, &topology->present, &are_single))
		return -ENOMEM;
	cpuset_foreach (cpu, &topology->online) {
		struct cpufreq_policy *policy = &summary->policies[summary->n_policies];

		summary->cpus[summary->n_cpus++].cpu = cpu;
		if (!of_cpu[cpu]) {
			err = read_policy(summary, cpu, are_single, &unread);
			if (err == -ENOMEM)
				return err;
			summary->cpus[summary->n_cpus - 1].expected.inputs.is_unread =
				err && err != -ENOENT;
			if (err)
				continue;
			of_cpu[cpu] = policy;
		}
		summary->cpus[summary->n_cpus - 1].policy = of_cpu[cpu];
		cpuset_foreach (other, &of_cpu[cpu]->cpus) {
			if (cpuset_has(&topology->present, other))
				of_cpu[other] = of_cpu[cpu];
		}
	}
	add_unread_cpus(summary, &unread);
	err = cpufreq_read_machine(files, &summary->cpufreq);
	add_unread_files(summary, "", &cpufreq_machine_files, &summary->cpufreq.unread);
	return files_next_unread(&summary->cpufreq.unread, 0)
		       ? 0
		       : note_unread(summary, err, "cpufreq of the whole machine");
}

/* Finds the domain of a CPU among those of the context. */
static size_t find_domain(const struct context *context, uint32_t cpu)
{
	size_t i = 0;

	while (i < context->targets.n_domains &&
	       !cpuset_has(&context->targets.domains[i]->cpus, cpu))
		i++;
	return i;
}

/* Collects the limits of each CPU. */
static void take_cpus(struct summary *summary)
{
	for (size_t i = 0; i < summary->n_cpus; i++) {
		struct summary_cpu *cpu = &summary->cpus[i];
		const bool is_unread = cpu->expected.inputs.is_unread;

		cpu->domain = find_domain(summary->context, cpu->cpu);
		if (cpu->domain < summary->expected.n_domains)
			cpu->expected = expected_of_cpu(&summary->expected, cpu->domain, cpu->cpu);
		if (cpu->policy)
			cpufreq_take_limits(&summary->cpufreq, cpu->policy, &cpu->expected.inputs);
		else
			cpu->expected.inputs.is_unread = is_unread;
		cpu->prediction = expected_predict(&cpu->expected, 0);
		expected_check_highest(summary->context->machine->host->files, cpu->cpu,
				       &cpu->prediction);
	}
}

/* Returns what makes the CPU faster than others of its package, or NULL. */
static const char *find_feature(const struct frequency_inputs *inputs, const char *type)
{
	bool is_tf = inputs->turbo_freq_on && inputs->clos <= FREQUENCY_HIGHEST_CLOS;

	if (inputs->is_base_freq_core)
		return is_tf ? "SST-BF and SST-TF" : "SST-BF";
	if (is_tf)
		return "SST-TF";
	return type && strcmp(type, "performance") == 0 ? "core type" : NULL;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *parsed_or_null(const char *text)
{
	uint64_t number;

	return text && !number_parse_file(text, &number) ? json_integer((json_int_t)number)
							 : json_null();
}

static json_t *cpu_to_json(const struct summary *summary, const struct summary_cpu *cpu)
{
	const struct cpufreq_policy *policy = cpu->policy;
	const struct frequency_inputs *inputs = &cpu->expected.inputs;
	const struct frequency_prediction *prediction = &cpu->prediction;
	uint32_t base_khz = prediction->khz[FREQUENCY_BASE_FREQ_BASE]
				    ?: inputs->base_khz ?: prediction->khz[FREQUENCY_LEVEL_BASE];
	bool has_cap = prediction->cap_by != FREQUENCY_NO_LIMIT;
	const char *type = core_types_name(&summary->types, cpu->cpu);
	size_t shared = cpuset_count(&policy->cpus) ?: 1;
	json_t *row = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "up-to-mhz",
		summary_mhz(prediction->cap_khz), "up-to-high-mhz",
		summary_mhz(prediction->high_khz > prediction->cap_khz ? prediction->high_khz : 0),
		FREQUENCY_KEY_ABOVE, summary_mhz(prediction->above_highest_khz),
		FREQUENCY_KEY_BOUND_BY,
		text_or_null(has_cap ? frequency_limit_name(prediction->cap_by) : NULL), "fast-by",
		text_or_null(find_feature(inputs, type)), FREQUENCY_KEY_BASE, summary_mhz(base_khz),
		"min-mhz", summary_mhz(inputs->min_khz), "max-mhz", summary_mhz(inputs->max_khz),
		"lowest-mhz", summary_mhz(inputs->lowest_khz), "highest-mhz",
		summary_mhz(inputs->highest_khz), "clos",
		inputs->level && inputs->has_clos ? json_integer(inputs->clos) : json_null());

	json_object_update_new(row, json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "governor",
					      text_or_null(policy->governor), "epp",
					      text_or_null(policy->epp), "epb",
					      parsed_or_null(policy->epb), "driver",
					      text_or_null(policy->driver), "cpus-of-a-policy",
					      (json_int_t)shared, "core-type", text_or_null(type)));
	return row;
}

/* Sorts the fastest first: by "up-to-mhz", then "base-mhz", then the first CPU. */
static int compare_groups(const void *left, const void *right)
{
	static const char *const keys[] = { "up-to-mhz", FREQUENCY_KEY_BASE };
	const struct summary_row *left_row = left, *right_row = right;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		double left_mhz = json_number_value(json_object_get(left_row->members, keys[i]));
		double right_mhz = json_number_value(json_object_get(right_row->members, keys[i]));

		if (left_mhz != right_mhz)
			return left_mhz > right_mhz ? -1 : 1;
	}
	return number_compare(cpuset_next(&left_row->of, 0), cpuset_next(&right_row->of, 0));
}

static int add_cpufreq(struct summary *summary)
{
	const struct cpufreq_machine *machine = &summary->cpufreq;
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	bool is_known = machine->no_turbo || machine->boost;
	int err = 0;

	for (size_t i = 0; i < summary->n_cpus && !err; i++) {
		if (summary->cpus[i].policy)
			err = summary_add_row(&rows, summary->cpus[i].cpu,
					      cpu_to_json(summary, &summary->cpus[i]));
	}
	json_object_set_new(summary->tree, "cpufreq", json_null());
	if (err || !rows.count)
		return err;
	qsort(rows.list, rows.count, sizeof(*rows.list), compare_groups);
	json_object_set_new(summary->tree, "cpufreq",
			    json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "turbo",
				      is_known ? json_boolean(!cpufreq_turbo_is_off(machine))
					       : json_null(),
				      "pstate", text_or_null(machine->status), "hwp-boost",
				      parsed_or_null(machine->hwp_dynamic_boost), "min-pct",
				      parsed_or_null(machine->min_perf_pct), "max-pct",
				      parsed_or_null(machine->max_perf_pct), "groups",
				      summary_rows_to_json(&rows)));
	return 0;
}

/* Idle states of one core type; the names are those of its first CPU. */
struct idle_type {
	uint32_t cpu;
	const char *type;
	struct cpuidle_cpu names;
};

static json_t *latency_to_json(const char *text)
{
	if (!text || strcmp(text, "0") == 0)
		return json_null();
	return strcmp(text, "n/a") == 0 ? json_integer(0) : parsed_or_null(text);
}

/* Reads the deepest state that a CPU may enter, the forbidden states, and its latency limit. */
static int read_idle_cpu(struct summary *summary, uint32_t cpu, const struct idle_type *type,
			 json_t **ret_row)
{
	struct files *files = summary->context->machine->host->files;
	json_t *forbidden = json_array();
	_cleanup_free_ char *latency = NULL;
	const char *deepest = NULL;
	int err = 0;

	for (size_t i = 0; i < type->names.n_states && !err; i++) {
		const struct cpuidle_state *state = &type->names.states[i];
		bool is_disabled = false;

		err = cpuidle_read_disabled(files, cpu, state->number, &is_disabled);
		if (is_disabled)
			json_array_append_new(forbidden, json_string(state->name));
		else
			deepest = state->name;
	}
	if (!err)
		err = files_read_line(files, files_cpu_path(cpu, CPUIDLE_RESUME_LATENCY).text,
				      &latency);
	if (err && err != -ENOENT) {
		json_decref(forbidden);
		return err;
	}
	*ret_row = json_pack("{s:o, s:o, s:o, s:o}", "deepest", text_or_null(deepest), "forbidden",
			     forbidden, "qos-latency-us", latency_to_json(latency), "core-type",
			     text_or_null(type->type));
	return *ret_row ? 0 : -ENOMEM;
}

/* Finds the type of a CPU, or reads its names. Returns 0 or a negative errno. */
static int find_idle_type(struct summary *summary, uint32_t cpu, struct idle_type *types,
			  size_t *n_types, struct idle_type **ret_type)
{
	const char *name = core_types_name(&summary->types, cpu);
	int err;

	for (size_t i = 0; i < *n_types; i++) {
		if (types[i].type == name) {
			*ret_type = &types[i];
			return 0;
		}
	}
	types[*n_types] = (struct idle_type){ .cpu = cpu, .type = name };
	err = cpuidle_read_names(summary->context->machine->host->files, cpu,
				 &types[*n_types].names);
	*ret_type = &types[*n_types];
	*n_types += !err;
	return err;
}

static int read_idle_groups(struct summary *summary, struct summary_rows *rows, json_t *states)
{
	struct idle_type types[N_CORE_TYPES + 1] = { 0 };
	size_t n_types = 0;
	int err = 0;

	for (size_t i = 0; i < summary->n_cpus && !err; i++) {
		uint32_t cpu = summary->cpus[i].cpu;
		struct idle_type *type;
		json_t *row = NULL;

		err = find_idle_type(summary, cpu, types, &n_types, &type);
		if (!err)
			err = read_idle_cpu(summary, cpu, type, &row);
		/* if reading fails for one CPU, the values of the others are shown */
		err = note_unread(summary, err, "idle states");
		if (row && !err)
			err = summary_add_row(rows, cpu, row);
	}
	for (size_t i = 0; i < n_types; i++) {
		for (size_t j = 0; j < types[i].names.n_states && i == 0; j++)
			json_array_append_new(states, json_string(types[i].names.states[j].name));
		cpuidle_cpu_done(&types[i].names);
	}
	return err;
}

static json_t *switch_or_null(const char *text)
{
	return text ? json_boolean(strcmp(text, "0") != 0) : json_null();
}

static int add_cpuidle(struct summary *summary)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	json_t *states = json_array();
	int err = read_idle_groups(summary, &rows, states);

	err = err
		      ?: note_unread(summary,
				     cpuidle_read_machine(summary->context->machine->host->files,
							  &machine),
				     "cpuidle of the whole machine");
	if (err || !rows.count) {
		json_decref(states);
		json_object_set_new(summary->tree, "cpuidle", json_null());
		return err;
	}
	json_object_set_new(summary->tree, "cpuidle",
			    json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "driver",
				      text_or_null(machine.driver), "governor",
				      text_or_null(machine.governor), "c1-demotion",
				      switch_or_null(machine.c1_demotion), "c02",
				      switch_or_null(machine.enable_c02), "umwait-max-time",
				      parsed_or_null(machine.max_time), "states", states, "groups",
				      summary_rows_to_json(&rows)));
	return 0;
}

static char *format_unit(const struct uncore_unit *unit)
{
	struct location location = uncore_location(unit);
	char *text, *whole;

	/* As in the other tables, a power domain is shown without its die. */
	location.die_is_unknown = unit->is_cluster;
	text = location_format(&location);
	if (!text || !unit->is_cluster || unit->cluster == 0)
		return text;
	whole = text_format("%s cluster-%u", text, unit->cluster);
	free(text);
	return whole;
}

static json_t *unit_to_json(const struct uncore_unit *unit)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "min-mhz", summary_mhz(unit->min_khz),
			 "max-mhz", summary_mhz(unit->max_khz), "initial-min-mhz",
			 summary_mhz(unit->initial_min_khz.value), "initial-max-mhz",
			 summary_mhz(unit->initial_max_khz.value), "agents",
			 text_or_null(unit->agent_types));
}

static int add_uncore(struct summary *summary)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	int err = uncore_read_units(summary->context->machine->host->files, true, &units);

	err = note_unread(summary, err, "uncore limits");
	for (size_t i = 0; i < units.count && !err; i++) {
		const struct uncore_unit *unit = &units.units[i];

		err = summary_add_place(&rows, unit->package, format_unit(unit));
		add_unread_files(summary, unit->name, &uncore_detail_files, &unit->unread);
		if (unit->error)
			summary_add_unread(summary, unit->error, "uncore limits of %s", unit->name);
		else if (!err)
			err = summary_add_row(&rows, (uint32_t)i, unit_to_json(unit));
	}
	json_object_set_new(summary->tree, "uncore",
			    units.count ? summary_rows_to_json(&rows) : json_null());
	return err;
}

static json_t *watts(uint64_t uw)
{
	return uw % UW_PER_W ? json_real((double)(uw / UW_PER_MW) / MW_PER_W)
			     : summary_number(uw / UW_PER_W);
}

static int add_power(struct summary *summary)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	_cleanup_summary_rows_ struct summary_rows rows = { 0 };
	int err = power_zones_read(summary->context->machine->host->files, false, &zones);

	err = note_unread(summary, err, "power limits");
	for (size_t i = 0; i < zones.count && !err; i++) {
		const struct power_zone *zone = &zones.list[i];

		err = summary_add_place(&rows, zone->package, strdup(zone->name));
		if (!err)
			err = summary_add_row(
				&rows, (uint32_t)i,
				json_pack("{s:o, s:o, s:o, s:o}", "long-term-w",
					  watts(zone->constraints[POWER_LONG_TERM].limit_uw),
					  "short-term-w",
					  watts(zone->constraints[POWER_SHORT_TERM].limit_uw),
					  "peak-w", watts(zone->constraints[POWER_PEAK].limit_uw),
					  "enabled",
					  zone->enabled.is_known ? json_boolean(zone->enabled.value)
								 : json_null()));
	}
	json_object_set_new(summary->tree, "power-limits",
			    rows.count ? summary_rows_to_json(&rows) : json_null());
	return err;
}

static int make_tree(struct summary *summary)
{
	struct files *files = summary->context->machine->host->files;
	int err = add_processor(summary);

	if (err)
		return err;
	add_driver(summary);
	err = note_unread(summary, core_types_read(files, &summary->types), "core types");
	if (!err && summary->context->platform)
		err = summary_read_sst(summary);
	if (!err)
		err = summary_add_sst(summary);
	if (!err)
		err = read_policies(summary);
	if (err)
		return err;
	take_cpus(summary);
	err = add_cpufreq(summary);
	if (!err)
		err = add_cpuidle(summary);
	if (!err)
		err = add_uncore(summary);
	if (!err)
		err = add_power(summary);
	if (!err)
		err = summary_add_findings(summary);
	return err;
}

/* Makes a member the last one. */
static void move_to_end(json_t *object, const char *name)
{
	json_t *value = json_incref(json_object_get(object, name));

	json_object_del(object, name);
	json_object_set_new(object, name, value);
}

/* Puts the tree into the output, which is JSON or one text. */
static int put_tree(struct context *context, json_t *tree)
{
	const struct machine_summary_arguments *arguments = context->request->arguments;
	unsigned int width = arguments->width.given ? (unsigned int)arguments->width.value
						    : screen_find_width(context->output);
	_cleanup_free_ char *text = NULL;

	if (output_is_json(context->output)) {
		output_json_members(context->output, tree);
		return 0;
	}
	text = summary_format(tree, width, context->request->host);
	if (!text)
		return -ENOMEM;
	output_text(context->output, text);
	return 0;
}

int machine_summary(struct context *context)
{
	_cleanup_(summary_done) struct summary summary = {
		.context = context,
		.tree = json_pack("{s:[]}", "not-read"),
	};
	int err = summary.tree ? make_tree(&summary) : -ENOMEM;

	context->report.n_results++;
	move_to_end(summary.tree, "not-read");
	return err ? err : put_tree(context, summary.tree);
}

// SPDX-License-Identifier: GPL-2.0-only
/* core-power, SST-CP: shows and sets priorities of cores by CLOS (commands.md, "core-power"). */
#include "features/core_power.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "features/features.h"
#include "features/levels.h"
#include "sst/values.h"

int core_power_read(struct context *context, bool with_clos,
		    struct platform_core_power_query **ret_queries)
{
	_cleanup_free_ struct platform_core_power_query *queries =
		context_new_queries(context, sizeof(*queries));
	struct platform *platform = context->platform;
	int err = 0;

	if (!queries)
		return -ENOMEM;
	if (platform->ops->read_core_power) /* else no domain has SST-CP */
		err = platform->ops->read_core_power(
			platform, with_clos ? PLATFORM_CLOS : PLATFORM_CORE_POWER, queries,
			context->targets.n_domains);
	if (!err)
		*ret_queries = steal(queries);
	return err;
}

static int info(struct context *context)
{
	_cleanup_free_ struct platform_core_power_query *queries = NULL;
	int err = core_power_read(context, true, &queries);

	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_core_power_query *query = &queries[target->domain];
		const struct sst_core_power *state = &query->core_power;
		struct output *output = context->output;

		if (query->error) {
			context_fail(context, target, query->error, "core-power status");
			continue;
		}
		_cleanup_scope_ struct output_scope scope =
			context_enter(context, target, "core-power");

		output_known_text(output, "support-status",
				  state->supported ? "supported" : "unsupported");
		output_known_text(output, "enable-status", state->enabled ? "enabled" : "disabled");
		output_known_text(output, "clos-enable-status",
				  state->clos_enabled ? "enabled" : "disabled");
		output_known_text(output, "priority-type",
				  state->ordered ? "ordered" : "proportional");
	}
	return err;
}

/* The options; each command has some of them. */
struct arguments {
	struct option_number clos;
	struct option_number epp;
	struct option_number weight;
	struct option_number min_mhz;
	struct option_number max_mhz;
	struct option_number desired_mhz;
	struct option_number priority; /* 0 proportional, 1 ordered */
	bool ranges;
};

static int get_config(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_free_ struct platform_query *queries =
		context_new_queries(context, sizeof(*queries));
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < context->targets.n_domains; i++)
		queries[i].index = (uint32_t)arguments->clos.value;
	err = platform_read_clos(context->platform, queries, context->targets.n_domains);
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		const struct platform_query *query = &queries[target->domain];
		const struct sst_clos clos = value_to_clos(&query->value);
		struct output *output = context->output;

		if (query->error) {
			context_fail(context, target, query->error, "parameters of CLOS %u",
				     query->index);
			continue;
		}
		_cleanup_scope_ struct output_scope scope =
			context_enter(context, target, "core-power");

		output_number(output, "clos", query->index, "");
		output_number(output, "epp", clos.epp, "");
		output_number(output, "clos-proportional-priority", clos.weight, "");
		output_number(output, "clos-min", clos.min_mhz, " MHz");
		if (clos.unlimited)
			output_known_text(output, "clos-max", "Max Turbo frequency");
		else
			output_number(output, "clos-max", clos.max_mhz, " MHz");
		output_number(output, "clos-desired", clos.desired_mhz, " MHz");
	}
	return err;
}

/* Puts the CPUs of one domain by CLOS: one node for each CLOS, or "clos-0:0-3,32-35". */
static int put_associated(struct context *context, const struct platform_query *queries,
			  size_t domain)
{
	const struct arguments *arguments = context->request->arguments;
	struct output_place place = context_place(
		context, context_find_target(context, context->targets.domains[domain]));
	_cleanup_scope_ struct output_scope scope = { 0 };

	place.cpu = OUTPUT_NOT_SHOWN;
	if (arguments->ranges)
		scope = output_enter_place(context->output, &place, "get-assoc");
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *list = NULL;
		_cleanup_scope_ struct output_scope of_clos = { 0 }; /* closed before cpus */
		const char name[] = { 'c', 'l', 'o', 's', '-', (char)('0' + clos), '\0' };

		for (size_t i = 0; i < context->targets.n; i++) {
			if (context->targets.list[i].domain == domain && !queries[i].error &&
			    queries[i].value.number == clos && cpuset_add(&cpus, queries[i].cpu))
				return -ENOMEM;
		}
		if (cpuset_is_empty(&cpus))
			continue;
		if (!arguments->ranges) {
			place.cpus = &cpus;
			of_clos = output_enter_place(context->output, &place, "get-assoc");
			output_number(context->output, "clos", clos, "");
			continue;
		}
		list = cpuset_format_ranges(&cpus);
		output_value(context->output, name, "%s", list ?: "");
	}
	return 0;
}

static int get_assoc(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	/* programs that run the old name expect a node for each CPU */
	const bool is_each = !arguments->ranges &&
			     (context->request->globals->each || !context->request->strict);
	_cleanup_free_ struct platform_query *queries =
		calloc(context->targets.n ?: 1, sizeof(*queries));
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < context->targets.n; i++)
		queries[i].cpu = context->targets.list[i].cpu;
	err = platform_read_assoc(context->platform, queries, context->targets.n);
	for (size_t i = 0; i < context->targets.n && !err; i++) {
		const struct target *target = &context->targets.list[i];
		_cleanup_scope_ struct output_scope scope = { 0 };

		if (queries[i].error) {
			context_fail(context, target, queries[i].error, "association to a CLOS");
			continue;
		}
		if (!is_each) {
			context->report.n_results++;
			continue;
		}
		scope = context_enter(context, target, "get-assoc");
		output_value(context->output, "clos", "%" PRIu64, queries[i].value.number);
	}
	for (size_t i = 0; i < context->targets.n_domains && !is_each && !err; i++)
		err = put_associated(context, queries, i);
	return err;
}

#define HIGHEST_MHZ 25500 /* the highest ratio: no limit */
#define STEP_MHZ    100

/* Parameters and associations can be set only if every domain has SST-CP. */
static int check_support(struct context *context)
{
	_cleanup_free_ struct platform_core_power_query *queries = NULL;
	int err = core_power_read(context, false, &queries);

	for (size_t i = 0; i < context->targets.n_domains && !err; i++) {
		const struct target *target =
			context_find_target(context, context->targets.domains[i]);

		if (queries[i].error)
			context_fail(context, target, queries[i].error, "core-power status");
		else if (!queries[i].core_power.supported)
			context_lack(context, target, "core-power is not supported");
	}
	return err;
}

/* Chooses the priority type to set: that of --priority, else the default of the part. Returns true
 * if this machine has it. */
static bool choose_type(struct context *context, bool *ret_ordered)
{
	const struct arguments *arguments = context->request->arguments;
	bool lacks_proportional = context->platform->lacks_proportional;

	*ret_ordered = arguments->priority.given ? arguments->priority.value : lacks_proportional;
	if (lacks_proportional && !*ret_ordered)
		context_refuse_usage(context,
				     "%s 0: this machine has only the ordered priority type, 1",
				     arguments->priority.name);
	return !lacks_proportional || *ret_ordered;
}

/* Priorities of --auto (commands.md, "base-freq" and "turbo-freq"): CLOS 0 has EPP and weight 0,
 * other CLOS have 15 and 15. */
#define HIGH_CLOS 0
#define LOW_CLOS  3

void core_power_request_clos(struct context *context, size_t domain, uint32_t high_mhz,
			     uint32_t low_mhz)
{
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++) {
		bool high = clos == HIGH_CLOS;

		context_request(context, "core-power.clos", .domain = context->targets.domains[domain],
				.value.clos = {
					.id = clos,
					.parameters = {
						.epp = high ? 0 : 15,
						.weight = high ? 0 : 15,
						.min_mhz = high ? high_mhz : low_mhz,
						.unlimited = true,
					},
					.keep_desired = true,
				});
	}
}

/* Returns true if the context has the domain or, for whole_packages, another of its package. */
static bool is_included(const struct context *context, const struct power_domain *domain,
			bool whole_packages)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		if (context->targets.domains[i] == domain ||
		    (whole_packages && context->targets.domains[i]->package == domain->package))
			return true;
	}
	return false;
}

/* Requests high priorities first: a core is written once, by its first request, so it has high
 * priority if any of its CPUs has. */
static void request_assocs(struct context *context, const struct cpuset *cpus,
			   const struct cpuset *high)
{
	cpuset_foreach (cpu, cpus) {
		if (cpuset_has(high, cpu))
			context_request(context, "core-power.assoc", .cpu = cpu,
					.value.number = HIGH_CLOS);
	}
	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(high, cpu))
			context_request(context, "core-power.assoc", .cpu = cpu,
					.value.number = LOW_CLOS);
	}
}

int core_power_request_priorities(struct context *context, const struct cpuset *high,
				  bool whole_packages)
{
	const struct domain_list *list = &context->platform->domains;
	_cleanup_cpuset_ struct cpuset all = { 0 }, online = { 0 };

	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];

		if (is_included(context, domain,
				whole_packages && context->platform->shares_clos) &&
		    cpuset_add_all(&all, &domain->cpus))
			return -ENOMEM;
	}
	if (cpuset_copy(&online, &all))
		return -ENOMEM;
	cpuset_keep(&online, &context->machine->topology.online);
	cpuset_remove_all(&all, &online);
	request_assocs(context, &online, high);
	if (!whole_packages) /* SST-BF: offline cores have their CLOS when they come online */
		request_assocs(context, &all, high);
	return 0;
}

static int enable(struct context *context)
{
	bool ordered;

	if (choose_type(context, &ordered))
		levels_request(context, NULL, "core-power.enabled",
			       .value.core_power = { .on = true, .ordered = ordered });
	context->plan.wanted.is_planned_anyway = true;
	return 0;
}

/* While SST-TF is on, SST-CP of a mailbox part stays on. A TPMI part switches SST-CP off, and its
 * cores then have no priorities; settings_plan() finds that in other domains of the packages. */
static int disable(struct context *context)
{
	_cleanup_levels_ struct levels levels = { 0 };
	bool ordered;
	int err;

	if (!choose_type(context, &ordered))
		return 0;
	err = levels_read_current(context, PLATFORM_SUPPORT, &levels);
	if (err)
		return err;
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct platform_level_query *query = levels_of_domain(&levels, i);

		if (!query || !query->info.turbo_freq_on)
			continue;
		if (context->platform->guards_core_power) /* scripts search for this message */
			context_refuse(context,
				       context_find_target(context, context->targets.domains[i]),
				       "Ignoring request, turbo-freq feature is still enabled; "
				       "`%s turbo-freq disable` comes first",
				       host_command(context->request->host));
		context->plan.wanted.warning =
			"core-power is switched off although turbo-freq is on: its cores then have "
			"no priorities";
	}
	levels_request(context, NULL, "core-power.enabled",
		       .value.core_power = { .force = true, .ordered = ordered });
	return 0;
}

/* Rounds a frequency in MHz down to a step, as the hardware keeps it, with a note. */
static uint32_t round_mhz(struct context *context, const struct option_number *number,
			  uint32_t default_mhz)
{
	bool is_number = number->given && !number->word;
	uint32_t mhz = is_number ? (uint32_t)number->value : default_mhz;

	if (mhz % STEP_MHZ)
		context_note(context, NULL, "%s %u: stored in steps of 100 MHz, as %u",
			     number->name, mhz, mhz - mhz % STEP_MHZ);
	return mhz - mhz % STEP_MHZ;
}

/* Notes the options that are left out, and their values. */
static void note_defaults(struct context *context, const struct arguments *given,
			  const struct sst_clos *clos)
{
	bool has_epp = !context->platform->lacks_clos_epp;
	char epp[24], weight[24];
	const struct {
		bool is_left_out;
		const char *text;
	} parts[] = {
		{ !given->epp.given && has_epp, epp },
		{ !given->weight.given, weight },
		{ !given->min_mhz.given, "min 0" },
		{ !given->max_mhz.given, "max unlimited" },
		{ !given->desired_mhz.given && has_epp, "desired 0" },
	};
	struct buffer text = { 0 };

	snprintf(epp, sizeof(epp), "epp %u", clos->epp);
	snprintf(weight, sizeof(weight), "weight %u", clos->weight);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].is_left_out)
			continue;
		buffer_append_string(&text, text.length ? ", " : "");
		buffer_append_string(&text, parts[i].text);
	}
	if (text.length)
		context_note(context, NULL, "left out, so set to the default: %s",
			     buffer_text(&text));
	buffer_done(&text);
}

/* Refuses a frequency that would be rounded down to 0. Returns true if it did. */
static bool is_below_step(struct context *context, const struct option_number *mhz)
{
	if (mhz->word || !mhz->value || mhz->value >= STEP_MHZ)
		return false;
	context_refuse_usage(context,
			     "%s %" PRIu64 " would be rounded to 0: it is in MHz, in "
			     "steps of 100",
			     mhz->name, mhz->value);
	return true;
}

/* Returns the parameters that the options give; limits that are words are resolved later. Returns
 * false if they are refused. */
static bool choose_clos(struct context *context, const struct arguments *given,
			struct sst_clos *ret_clos)
{
	const struct platform *platform = context->platform;
	bool fixed = platform->lacks_proportional;
	uint32_t level = fixed ? 15 : 0; /* the default of EPP and of weight */

	if (fixed && (given->epp.given || given->weight.given)) {
		const char *name = given->epp.given ? given->epp.name : given->weight.name;
		static const char message[] =
			"%s has no effect: this machine keeps EPP 15 and weight 15";

		if (context->request->strict) {
			context_refuse_usage(context, message, name);
			return false;
		}
		context_warn(context, NULL, message, name);
	}
	if (platform->lacks_clos_epp && given->desired_mhz.value > 0) {
		context_refuse_usage(context,
				     "%s %" PRIu64 ": a CLOS of this machine has no desired "
				     "frequency; leave the option out",
				     given->desired_mhz.name, given->desired_mhz.value);
		return false;
	}
	if (is_below_step(context, &given->min_mhz) || is_below_step(context, &given->desired_mhz))
		return false;
	if (given->max_mhz.given && !given->max_mhz.word && given->max_mhz.value < STEP_MHZ) {
		context_refuse_usage(context,
				     "%s %" PRIu64 " would hold cores at their lowest frequency; "
				     "at least 100 is needed",
				     given->max_mhz.name, given->max_mhz.value);
		return false;
	}
	if (platform->lacks_clos_epp && given->epp.given)
		context_note(context, NULL, "%s has no effect: a CLOS of this machine has no EPP",
			     given->epp.name);
	*ret_clos = (struct sst_clos){
		.epp = given->epp.given && !fixed ? (uint32_t)given->epp.value : level,
		.weight = given->weight.given && !fixed ? (uint32_t)given->weight.value : level,
		.min_mhz = round_mhz(context, &given->min_mhz, 0),
		.max_mhz = round_mhz(context, &given->max_mhz, HIGHEST_MHZ),
		.desired_mhz = round_mhz(context, &given->desired_mhz, 0),
	};
	return true;
}

/* Returns true if a limit is a keyword whose frequency depends on the level (base, max). */
static bool needs_level(const struct option_number *limit, bool is_upper)
{
	uint32_t mhz;

	return limit->word && value_find_clos_limit(limit->word, is_upper, NULL, &mhz);
}

/* Resolves a limit that is a word. Returns false if the level does not report such a frequency. */
static bool resolve_limit(struct context *context, const struct target *target,
			  const struct option_number *limit, bool is_upper,
			  const struct sst_level *level, uint32_t *mhz)
{
	if (!limit->word || value_find_clos_limit(limit->word, is_upper, level, mhz) == 0)
		return true;
	context_lack(context, target,
		     "%s %s: the performance level reports no such frequency; give it in MHz",
		     limit->name, limit->word);
	return false;
}

/* Formats a limit as the user typed it; for a word, adds its meaning. */
static char *format_limit(const struct option_number *limit, uint32_t mhz)
{
	if (limit->word)
		return text_format("%s %s (%u MHz)", limit->name, limit->word, mhz);
	return text_format("%s %u", limit->name, mhz);
}

static int refuse_order(struct context *context, const struct arguments *given,
			const struct sst_clos *clos)
{
	_cleanup_free_ char *min = format_limit(&given->min_mhz, clos->min_mhz);
	_cleanup_free_ char *max = format_limit(&given->max_mhz, clos->max_mhz);

	if (!min || !max)
		return -ENOMEM;
	context_refuse_usage(context, "%s is above %s", min, max);
	return 0;
}

/* Finds the domain whose level defines the frequencies of keywords. If a package shares its CLOS,
 * this is the first domain of the package, as in a state document. */
static size_t find_level_domain(const struct context *context, size_t index)
{
	for (size_t i = 0; context->platform->shares_clos && i < index; i++) {
		if (context->targets.domains[i]->package ==
		    context->targets.domains[index]->package)
			return i;
	}
	return index;
}

/* Requests the parameters for each domain, with words resolved. levels: NULL if no word needs them.
 */
static int request_config(struct context *context, const struct arguments *given,
			  const struct sst_clos *clos, const struct levels *levels)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		size_t from = find_level_domain(context, i);
		const struct platform_level_query *query =
			levels ? levels_of_domain(levels, from) : NULL;
		const struct target *target =
			context_find_target(context, context->targets.domains[from]);
		struct sst_clos parameters = *clos;

		if (context->targets.states[i] != DOMAIN_SET || (levels && !query))
			continue;
		if (!resolve_limit(context, target, &given->min_mhz, false,
				   query ? &query->info : NULL, &parameters.min_mhz) ||
		    !resolve_limit(context, target, &given->max_mhz, true,
				   query ? &query->info : NULL, &parameters.max_mhz))
			continue;
		if (parameters.min_mhz > parameters.max_mhz)
			return refuse_order(context, given, &parameters);
		parameters.unlimited = parameters.max_mhz == HIGHEST_MHZ;
		context_request(context, "core-power.clos", .domain = context->targets.domains[i],
				.value.clos = { .id = (uint32_t)given->clos.value,
						.parameters = parameters });
	}
	return 0;
}

static int config(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	bool has_levels =
		needs_level(&arguments->min_mhz, false) || needs_level(&arguments->max_mhz, true);
	_cleanup_levels_ struct levels levels = { 0 };
	struct sst_clos clos;
	int err;

	if (!choose_clos(context, arguments, &clos))
		return 0;
	err = check_support(context);
	if (!err && has_levels && !report_has_problem(&context->report))
		err = levels_read_current(context, PLATFORM_LEVEL, &levels);
	if (err)
		return err;
	if (has_levels && report_has_problem(&context->report))
		return 0;
	err = request_config(context, arguments, &clos, has_levels ? &levels : NULL);
	if (!err && !report_has_problem(&context->report))
		note_defaults(context, arguments, &clos);
	return err;
}

static int assoc(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	int err = check_support(context);

	for (size_t i = 0; i < context->targets.n; i++)
		context_request(context, "core-power.assoc", .cpu = context->targets.list[i].cpu,
				.value.number = arguments->clos.value);
	return err;
}

static const struct option get_assoc_options[] = {
	{ 0, "ranges", NULL, "Show the CPUs of each CLOS as a list",
	  OPTION_FLAG(struct arguments, ranges) },
	{ 0 },
};

#define CLOS_OPTION                                                                      \
	{                                                                                \
		'c', "clos", "CLOS", "The CLOS, 0 to 3",                                 \
			OPTION_NUMBER(struct arguments, clos, 0, SST_CLOS_COUNT - 1),    \
			.required = true, .from_upstream = true, .upstream_letter = true \
	}

static const struct option clos_options[] = {
	CLOS_OPTION,
	{ 0 },
};

static const struct option switch_options[] = {
	{ 'p', "priority", "TYPE", "Priority type: 0 proportional, 1 ordered (default 0)",
	  OPTION_NUMBER(struct arguments, priority, 0, 1), .from_upstream = true },
	{ 0 },
};

static const char *const lower_words[] = { "min", "base", "max", NULL };
static const char *const upper_words[] = { "base", "max", NULL };

static const struct option config_options[] = {
	CLOS_OPTION,
	{ 'e', "epp", "EPP", "Energy-performance preference, 0 to 15 (default 0)",
	  OPTION_NUMBER(struct arguments, epp, 0, 15), .from_upstream = true },
	{ 'w', "weight", "WEIGHT", "Weight, 0 (highest priority) to 15 (default 0)",
	  OPTION_NUMBER(struct arguments, weight, 0, 15), .from_upstream = true },
	{ 'n', "min", "MHZ|min|base|max",
	  "Lowest frequency in MHz, or the base or the highest turbo frequency of the level (default 0)",
	  OPTION_MHZ_OR_WORD(struct arguments, min_mhz, 0, HIGHEST_MHZ, lower_words),
	  .from_upstream = true },
	{ 'm', "max", "MHZ|base|max", "Highest frequency in MHz, or max for no limit (default max)",
	  OPTION_MHZ_OR_WORD(struct arguments, max_mhz, 0, HIGHEST_MHZ, upper_words),
	  .from_upstream = true },
	{ 'd', "desired", "MHZ", "Desired frequency in MHz (default 0, none)",
	  OPTION_MHZ(struct arguments, desired_mhz, 0, HIGHEST_MHZ), .from_upstream = true },
	{ 0 },
};

const struct command core_power_commands[] = {
	{ "info", "Show whether SST-CP and CLOS are on, and the priority type", .run = info },
	{ "get-config", "Show the parameters of one CLOS of each power domain", 0, clos_options,
	  sizeof(struct arguments), .run = get_config },
	{ "get-assoc", "Show the CLOS of CPUs", COMMAND_EACH_CPU, get_assoc_options,
	  sizeof(struct arguments),
	  .about = "CPUs of one CLOS are shown together. Without --cpu: all CPUs that are online.",
	  .run = get_assoc },
	{ "enable", "Switch on SST-CP and CLOS", COMMAND_WRITES, switch_options,
	  sizeof(struct arguments), .run = enable },
	{ "disable", "Switch off SST-CP and CLOS", COMMAND_WRITES, switch_options,
	  sizeof(struct arguments), .run = disable },
	{ "config", "Set the parameters of one CLOS", COMMAND_WRITES | COMMAND_NOT_FOR_IO,
	  config_options, sizeof(struct arguments), .run = config },
	{ "assoc", "Put the cores of the CPUs of --cpu into a CLOS",
	  COMMAND_WRITES | COMMAND_NEEDS_CPUS, clos_options, sizeof(struct arguments),
	  .run = assoc },
	{ 0 },
};

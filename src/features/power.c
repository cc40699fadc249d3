// SPDX-License-Identifier: GPL-2.0-only
/* power: shows and sets power limits of packages, of their DRAM and of the complete machine
 * (docs/spec/power.md). Limits are set in the same way as by a state document. */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "features/state_job.h"
#include "host/powercap.h"
#include "instruments/powercap.h"
#include "instruments/workload.h"
#include "output/screen.h"
#include "run/context.h"

#define NAME       "power set"
#define MAX_MW     4294967 /* what 32 bits of uW hold */
#define PRESENT_NS (NS_PER_S / 5) /* counters of energy move every millisecond */
#define COUNTS     4294967296.0 /* counts of an energy counter before it restarts at 0 */

struct power_arguments {
	struct option_number pl1, pl2; /* in mW */
	struct option_number pl1_window, pl2_window; /* in us */
	struct option_number domain; /* an index of domain_words */
	bool enable, disable;
};

static const char *const limit_words[] = { "tdp", "max", NULL };
static const char *const domain_words[] = { "package", "dram", "psys", NULL };

/* Returns true if the package has a CPU of --cpu, or if there is no --cpu. */
static bool is_chosen(const struct context *context, const struct power_zone *zone)
{
	if (!context->request->cpus || zone->kind == POWER_PSYS)
		return !context->request->cpus || zone->kind != POWER_PSYS;
	cpuset_foreach (cpu, context->targets.cpus) {
		const struct cpu_place *place = &context->machine->topology.places[cpu];

		if (power_zone_is_of(zone, place->package, place->die))
			return true;
	}
	return false;
}

/* Reads the zones. Returns 0, also if something cannot be read, which is reported, or -ENOMEM. */
static int read_zones(struct context *context, struct power_zones *ret_zones)
{
	int err = power_zones_read(context->machine->host->files, true, ret_zones);
	_cleanup_free_ char *problem =
		err && err != -ENOMEM ? power_zones_problem(ret_zones, err) : NULL;

	if (problem)
		context_report(context, NULL,
			       ret_zones->unread ? report_kind_of(err) : REPORT_UNSUPPORTED, "%s",
			       problem);
	return err && !problem ? -ENOMEM : 0;
}

/* Showing. */

/* A number with up to three decimals, or null for 0. */
static json_t *thousandths(uint64_t number)
{
	if (number == 0)
		return json_null();
	return number % 1000 ? json_real((double)number / 1000)
			     : json_integer((json_int_t)(number / 1000));
}

static json_t *watts(uint64_t uw)
{
	return thousandths(uw_to_mw(uw));
}

static const struct power_counter *find_counter(const struct power_counters *counters,
						const struct power_zone *zone)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (strcmp(counters->list[i].zone, zone->zone) == 0)
			return &counters->list[i];
	}
	return NULL;
}

/* Two readings of the counters of energy. */
struct energy {
	struct power_counters before, after;
	uint64_t ns;
};

static void energy_done(struct energy *energy)
{
	power_counters_done(&energy->before);
	power_counters_done(&energy->after);
}

/* Reads the counters; omits those that are missing or only for root. Returns 0 or -ENOMEM. */
static int read_energy(struct context *context, struct energy *energy)
{
	struct files *files = context->machine->host->files;
	struct workload *workload = context->machine->host->workload;
	uint64_t start_ns = workload->ops->now_ns(workload);
	int err = power_counters_read(files, &energy->before);

	if (err)
		return err == -ENOMEM ? err : 0;
	workload->ops->wait_ns(workload, PRESENT_NS, NULL);
	energy->ns = workload->ops->now_ns(workload) - start_ns;
	err = power_counters_read(files, &energy->after);
	return err == -ENOMEM ? err : 0;
}

/* Returns the present power of a zone in uW; 0: unknown. */
static uint64_t find_present_uw(const struct energy *energy, const struct power_zone *zone)
{
	const struct power_counter *before = find_counter(&energy->before, zone);
	const struct power_counter *after = find_counter(&energy->after, zone);
	uint64_t uj;

	if (!before || !after || !energy->ns)
		return 0;
	uj = power_count_uj(before->energy_uj, after->energy_uj, after->range_uj);
	return (uint64_t)((double)uj * NS_PER_S / (double)energy->ns);
}

static json_t *describe_limits(const struct power_zone *zone)
{
	json_t *limits = json_array();

	for (enum power_constraint_kind i = 0; i < N_POWER_CONSTRAINTS; i++) {
		const struct power_constraint *limit = &zone->constraints[i];

		if (limit->exists)
			json_array_append_new(limits, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name",
								power_constraint_name(i), "w",
								watts(limit->limit_uw), "window-ms",
								thousandths(limit->window_us),
								"lowest-w", watts(limit->min_uw),
								"highest-w", watts(limit->max_uw)));
	}
	return limits;
}

static json_t *describe_zone(const struct power_zone *zone, const struct energy *energy)
{
	_cleanup_free_ char *selector =
		zone->kind == POWER_PSYS ? strdup("machine") : power_zone_format_selector(zone);
	const struct power_counter *counter = find_counter(&energy->before, zone);

	return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "place", selector ?: "",
			 "domain", power_domain_kind_name(zone->kind), "zone", zone->zone,
			 "is-set-here", !zone->is_other, "enabled",
			 zone->enabled.is_known ? json_boolean(zone->enabled.value) : json_null(),
			 "limits", describe_limits(zone), "present-w",
			 watts(find_present_uw(energy, zone)), "energy-unit-uj",
			 counter && counter->range_uj
				 ? json_real((double)(counter->range_uj + 1) / COUNTS)
				 : json_null());
}

/* Returns one row for each limit of each zone. */
static json_t *flatten(const json_t *zones)
{
	json_t *rows = json_array(), *zone, *limit;
	size_t i, j;

	json_array_foreach (zones, i, zone) {
		json_array_foreach (json_object_get(zone, "limits"), j, limit) {
			json_t *row = json_copy(limit);

			json_object_set(row, "domain", json_object_get(zone, "domain"));
			json_object_set(row, "zone", json_object_get(zone, "zone"));
			if (j == 0) {
				json_object_set(row, "place", json_object_get(zone, "place"));
				json_object_set(row, "present-w",
						json_object_get(zone, "present-w"));
			}
			if (json_is_false(json_object_get(zone, "enabled")))
				json_object_set_new(row, "state",
						    json_string("off, or locked by BIOS"));
			else if (json_is_false(json_object_get(zone, "is-set-here")))
				json_object_set_new(row, "state", json_string("not set here"));
			json_array_append_new(rows, row);
		}
	}
	return rows;
}

static int put_zones(struct context *context, json_t *zones)
{
	static const struct screen_column columns[] = {
		{ .heading = "", .key = "place" },
		{ .heading = "domain", .key = "domain" },
		{ .heading = "limit", .key = "name" },
		{ .heading = "W", .key = "w" },
		{ .heading = "window ms", .key = "window-ms" },
		{ .heading = "lowest", .key = "lowest-w", .rank = 2 },
		{ .heading = "highest", .key = "highest-w", .rank = 1 },
		{ .heading = "now W", .key = "present-w" },
		{ .heading = "zone", .key = "zone", .rank = 3 },
		{ .heading = "", .key = "state" },
	};
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output),
						  .is_flush = true };
	_cleanup_json_ json_t *rows = flatten(zones);

	screen_put_table(&screen, NULL, rows, columns, ARRAY_SIZE(columns));
	output_json_member(context->output, "zones", zones);
	output_text(context->output, buffer_text(&screen.text));
	return screen.text.has_failed ? -ENOMEM : 0;
}

/* Reports limits that the zone has but that cannot be read. */
static void report_unreadable(struct context *context, const struct power_zone *zone)
{
	if (zone->limits_error)
		context_fail(context, NULL, zone->limits_error, POWERCAP "/%s/constraint_*_name",
			     zone->zone);
	for (enum power_constraint_kind i = 0; i < N_POWER_CONSTRAINTS; i++) {
		if (zone->constraints[i].error)
			context_fail(context, NULL, zone->constraints[i].error, "%s",
				     power_constraint_path(zone, i, "power_limit_uw").text);
	}
}

static int info(struct context *context)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	_cleanup_(energy_done) struct energy energy = { 0 };
	json_t *list;
	int err = read_zones(context, &zones);

	if (err || !zones.count)
		return err;
	err = read_energy(context, &energy);
	if (err)
		return err;
	list = json_array();
	for (size_t i = 0; i < zones.count; i++) {
		if (!is_chosen(context, &zones.list[i]))
			continue;
		report_unreadable(context, &zones.list[i]);
		json_array_append_new(list, describe_zone(&zones.list[i], &energy));
	}
	return put_zones(context, list);
}

/* Setting. */

static void add_value(json_t *values, const char *key, const struct option_number *number)
{
	if (!number->given)
		return;
	json_object_set_new(values, key,
			    number->word ? json_string(number->word) : thousandths(number->value));
}

/* Returns the members that the options set, below "power". */
static json_t *make_values(const struct power_arguments *arguments)
{
	const char *domain = domain_words[arguments->domain.value];
	json_t *values = json_object();

	add_value(values, "pl1-w", &arguments->pl1);
	add_value(values, "pl1-window-ms", &arguments->pl1_window);
	add_value(values, "pl2-w", &arguments->pl2);
	add_value(values, "pl2-window-ms", &arguments->pl2_window);
	if (arguments->enable || arguments->disable)
		json_object_set_new(values, "enabled", json_boolean(arguments->enable));
	return arguments->domain.value == POWER_PACKAGE ? values
							: json_pack("{s:o}", domain, values);
}

static bool check_usage(struct context *context, const struct power_arguments *arguments)
{
	const char *domain = domain_words[arguments->domain.value];
	bool has_others = arguments->pl1_window.given || arguments->pl2.given ||
			  arguments->pl2_window.given || arguments->enable || arguments->disable;

	if (!arguments->pl1.given && !has_others)
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (arguments->enable && arguments->disable)
		context_refuse_usage(context, "--enable and --disable exclude each other");
	else if (arguments->domain.value != POWER_PACKAGE && has_others)
		context_refuse_usage(context, "--domain %s: only --pl1 can be set for it", domain);
	else if (arguments->domain.value != POWER_PACKAGE && arguments->pl1.word &&
		 strcmp(arguments->pl1.word, limit_words[0]) == 0)
		context_refuse_usage(context, "--pl1 tdp: only --domain package has a TDP");
	else if (arguments->domain.value == POWER_PSYS && context->request->cpus)
		context_refuse_usage(
			context,
			"--domain psys is of the whole machine: --cpu cannot be used with it");
	return !report_has(&context->report, REPORT_USAGE);
}

static void add_entry(json_t *settings, const char *on, const struct power_arguments *arguments)
{
	json_array_append_new(settings,
			      json_pack("{s:s, s:o}", "for", on, "power", make_values(arguments)));
}

/* Checks that each package with online CPUs has a zone: all packages are set, or none. */
static void check_packages(struct context *context, const struct power_zones *zones)
{
	const struct topology *topology = &context->machine->topology;
	uint32_t last = POWER_NO_PACKAGE;

	cpuset_foreach (cpu, &topology->online) {
		uint32_t package = topology->places[cpu].package;
		bool has_zone = package == last || !cpuset_has(&topology->placed, cpu);

		for (size_t i = 0; i < zones->count && !has_zone; i++)
			has_zone = zones->list[i].package == package && !zones->list[i].is_other;
		if (!has_zone) {
			context_lack(context, NULL,
				     "package-%u has no power limits in " POWERCAP
				     "; --cpu selects packages that have",
				     package);
			return;
		}
		last = package;
	}
}

/* Makes the document of the options, for all zones or those of --cpu. Returns 0 or -ENOMEM. */
static int make_settings(struct context *context, struct state_job *job, json_t *settings)
{
	const struct power_arguments *arguments = context->request->arguments;
	struct power_zones *zones;
	int err;

	if (arguments->domain.value == POWER_PSYS) {
		add_entry(settings, "machine", arguments);
		return 0;
	}
	zones = job->zones = calloc(1, sizeof(*zones));
	err = zones ? read_zones(context, zones) : -ENOMEM;
	if (err || report_has_problem(&context->report))
		return err;
	if (!context->request->cpus) {
		check_packages(context, zones);
		add_entry(settings, "all", arguments);
		return 0;
	}
	for (size_t i = 0; i < zones->count; i++) {
		const struct power_zone *zone = &zones->list[i];
		_cleanup_free_ char *selector = NULL;

		if (zone->kind != POWER_PACKAGE || zone->is_other || !is_chosen(context, zone))
			continue;
		selector = power_zone_format_selector(zone);
		if (!selector)
			return -ENOMEM;
		add_entry(settings, selector, arguments);
	}
	if (json_array_size(settings) == 0)
		context_lack(context, NULL, "no power limit is of the packages of --cpu");
	return 0;
}

/* Returns the option of a setting. */
static const char *name_option(enum setting_id setting)
{
	switch (setting) {
	case SETTING_PL1:
		return "--pl1";
	case SETTING_DRAM_PL1:
		return "--domain dram --pl1";
	case SETTING_PSYS_PL1:
		return "--domain psys --pl1";
	case SETTING_PL1_WINDOW:
		return "--pl1-window";
	case SETTING_PL2:
		return "--pl2";
	case SETTING_PL2_WINDOW:
		return "--pl2-window";
	default:
		return NULL;
	}
}

static int make_document(struct context *context, struct state_job *job)
{
	_cleanup_free_ char *problem = NULL;
	_cleanup_json_ json_t *settings = json_array();
	int err;

	if (!check_usage(context, context->request->arguments))
		return 0;
	err = settings ? make_settings(context, job, settings) : -ENOMEM;
	if (err || report_has_problem(&context->report))
		return err;
	err = document_take(json_pack("{s:s, s:i, s:O}", "format", DOCUMENT_FORMAT, "version",
				      DOCUMENT_VERSION, "settings", settings),
			    NAME, false, &job->document, &problem);
	if (err && err != -ENOMEM)
		context_refuse_usage(context, "%s", problem ?: strerror(-err));
	job->document.is_built_in = true;
	job->document.name_option = name_option;
	return err == -ENOMEM ? err : 0;
}

static int set(struct context *context)
{
	return state_apply_document(context, make_document);
}

#define WATTS(member)                      \
	.value = "W|tdp|max", .unit = "W", \
	OPTION_DECIMAL(struct power_arguments, member, 1, MAX_MW, limit_words)
#define WINDOW(member) .value = "TIME", OPTION_US(struct power_arguments, member, 1, UINT32_MAX)

static const struct option set_options[] = {
	{ .name = "pl1",
	  .help = "Long-term limit: watts, the TDP of the level, or the highest",
	  WATTS(pl1) },
	{ .name = "pl1-window",
	  .help = "Averaging window of PL1, such as 28s",
	  WINDOW(pl1_window) },
	{ .name = "pl2",
	  .help = "Short-term limit: watts, the TDP of the level, or the highest",
	  WATTS(pl2) },
	{ .name = "pl2-window",
	  .help = "Averaging window of PL2, such as 28s",
	  WINDOW(pl2_window) },
	{ 0, "domain", "package|dram|psys", "Domain that is limited (default package)",
	  OPTION_WORD(struct power_arguments, domain, domain_words) },
	{ 0, "enable", NULL, "Switch on all limits of the domain",
	  OPTION_FLAG(struct power_arguments, enable) },
	{ 0, "disable", NULL, "Switch off all limits of the domain, and their clamping",
	  OPTION_FLAG(struct power_arguments, disable) },
	{ 0 },
};

const struct command power_commands[] = {
	{ "info", "Show power limits, their windows and ranges, and the present power",
	  COMMAND_ANY_MACHINE | COMMAND_IS_NEW, .run = info },
	{ "set", "Set power limits",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW | COMMAND_WRITES, set_options,
	  sizeof(struct power_arguments),
	  .about = "Sets all or nothing, and reads the values back. --cpu selects the packages of "
		   "those CPUs. The hardware rounds limits and windows; a note shows the result. A "
		   "limit that BIOS has locked is not changed.",
	  .run = set },
	{ 0 },
};

// SPDX-License-Identifier: GPL-2.0-only
/* uncore: limits of uncore frequencies and efficiency latency control (ELC), by package and die or
 * power domain (sysfs.md, "uncore"). If a die has no online CPU, only that die has an error. */
#include "features/features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/target.h"
#include "host/uncore.h"
#include "run/context.h"
#include "run/unread.h"
#include "settings/uncore.h"
#include "state/uncore_words.h"

#define MIN_MHZ 100
#define MAX_MHZ 12700 /* 7 bits of 100 MHz */

/* The options; info has only those that choose units. */
struct arguments {
	struct option_number min_mhz;
	struct option_number max_mhz;
	struct option_number elc_low_percent;
	struct option_number elc_high_percent;
	struct option_number elc_high;
	struct option_number elc_floor_mhz;
	/* which units of a machine the command is about */
	struct option_number package;
	struct option_number domain; /* the power domain, or the die */
};

/* Returns the power domain or the die, as --domain names it. */
static uint32_t domain_of(const struct uncore_unit *unit)
{
	return unit->is_cluster ? unit->domain : unit->die;
}

/* Returns true if options choose the unit, and it is the uncore of one of the CPUs of --cpu. For a
 * power domain only its package is known. */
static bool is_chosen(const struct context *context, const struct arguments *arguments,
		      const struct uncore_unit *unit)
{
	if ((arguments->package.given && arguments->package.value != unit->package) ||
	    (arguments->domain.given &&
	     (unit->domain_is_ambiguous || arguments->domain.value != domain_of(unit))))
		return false;
	if (!context->request->cpus)
		return true;
	cpuset_foreach (cpu, context->targets.cpus) {
		const struct cpu_place *place = &context->machine->topology.places[cpu];

		if (place->package == unit->package && (!unit->has_die || place->die == unit->die))
			return true;
	}
	return false;
}

/* Lists the packages of all units, or the power domains or dies of a package (of all packages if
 * none is given): "0-1,3-4". NULL if memory is short. */
static char *format_ids(const struct uncore_units *units, bool of_packages,
			const struct option_number *package)
{
	_cleanup_cpuset_ struct cpuset ids = { 0 };

	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];

		if ((of_packages || !package->given || package->value == unit->package) &&
		    cpuset_add(&ids, of_packages ? unit->package : domain_of(unit)) == -ENOMEM)
			return NULL;
	}
	return cpuset_format_ranges(&ids);
}

/* Called if the options select no unit. Reports which option is wrong, and what the machine has.
 * Returns 0 or -ENOMEM. */
static int refuse_choice(struct context *context, const struct arguments *arguments,
			 const struct uncore_units *units)
{
	const struct option_number *package = &arguments->package, *domain = &arguments->domain;
	_cleanup_free_ char *packages = format_ids(units, true, package);
	_cleanup_free_ char *domains = format_ids(units, false, package);
	const char *what = units->units[0].is_cluster ? "power domain" : "die";
	bool has_package = false, has_domain = false, is_ambiguous = false;

	if (!packages || !domains)
		return -ENOMEM;
	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		bool is_in = !package->given || package->value == unit->package;

		has_package = has_package || is_in;
		is_ambiguous = is_ambiguous || (is_in && unit->domain_is_ambiguous);
		has_domain = has_domain ||
			     (is_in && (!domain->given || domain->value == domain_of(unit)));
	}
	if (!has_package)
		context_refuse_usage(context, "%s %" PRIu64 ": no such package; there are %s",
				     package->name, package->value, packages);
	else if (domain->given && is_ambiguous)
		context_lack(context, NULL,
			     "%s %" PRIu64 ": this kernel gives several power domains of a package "
			     "the same number; Linux 6.18 and later give each its own",
			     domain->name, domain->value);
	else if (!has_domain)
		context_refuse_usage(context, "%s %" PRIu64 ": no such %s; %s %s", domain->name,
				     domain->value, what,
				     package->given ? "the package has" : "the packages have",
				     domains);
	else
		context_refuse_usage(context, "no uncore belongs to the CPUs of --cpu%s",
				     package->given || domain->given ? " and to the other options"
								     : "");
	return 0;
}

/* Reads the units of the packages (and, if they are dies, of the dies) of the CPUs of --cpu, of one
 * package, or of one power domain or die. Reports a file that is missing as an error, with no
 * units. Returns 0 or -ENOMEM. */
static int read_chosen(struct context *context, const struct arguments *arguments,
		       bool with_details, struct uncore_units *ret_units)
{
	int err = uncore_read_units(context->machine->host->files, with_details, ret_units);
	size_t kept = 0;
	bool has_any = false;

	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		context_lack(
			context, NULL,
			"this machine has no uncore frequencies: intel_uncore_frequency is not "
			"loaded, or has nothing to drive");
	else if (err)
		context_fail(context, NULL, err, "uncore frequencies");
	if (err)
		return 0;
	for (size_t i = 0; i < ret_units->count; i++)
		has_any = has_any || is_chosen(context, arguments, &ret_units->units[i]);
	if (!has_any)
		err = refuse_choice(context, arguments, ret_units);
	for (size_t i = 0; i < ret_units->count; i++) {
		struct uncore_unit unit = ret_units->units[i];

		if (!is_chosen(context, arguments, &unit))
			continue;
		ret_units->units[i] = ret_units->units[kept];
		ret_units->units[kept++] = unit;
	}
	uncore_units_cut(ret_units, kept);
	return err;
}

static void report_unit(struct context *context, const struct uncore_unit *unit)
{
	struct target_cause cause = file_target_cause(unit->path, unit->error);
	const struct location location = uncore_location(unit);
	_cleanup_free_ char *place = location_format(&location);

	context_refuse(context, NULL, "%s: %s", place ?: unit->name,
		       cause.text ?: strerror(-unit->error));
}

static void put_number(struct output *output, const char *name, const struct file_number *number)
{
	if (number->is_known)
		output_number(output, name, number->value, "");
}

/* Puts a frequency that can be 0. */
static void put_mhz(struct output *output, const char *name, const struct file_number *khz)
{
	char mhz[NUMBER_MHZ_SIZE];

	number_format_mhz(khz->value, mhz);
	if (khz->is_known)
		output_value(output, name, "%s", mhz);
}

static void put_values(struct output *output, const struct uncore_unit *unit)
{
	output_known_mhz(output, "minimum-frequency(MHz)", unit->min_khz);
	output_known_mhz(output, "maximum-frequency(MHz)", unit->max_khz);
	output_known_mhz(output, "initial-minimum-frequency(MHz)", unit->initial_min_khz.value);
	output_known_mhz(output, "initial-maximum-frequency(MHz)", unit->initial_max_khz.value);
	output_known_mhz(output, "current-frequency(MHz)", unit->current_khz.value);
	put_number(output, "elc-low-threshold(%)", &unit->elc_low_percent);
	put_number(output, "elc-high-threshold(%)", &unit->elc_high_percent);
	put_number(output, "elc-high-threshold-enabled", &unit->elc_high_enabled);
	put_mhz(output, "elc-floor-frequency(MHz)", &unit->elc_floor_khz);
	output_known_text(output, "agent-types", unit->agent_types);
	put_number(output, "instance-id", &unit->instance_id);
}

static void put_unit(struct context *context, const struct uncore_unit *unit)
{
	struct output_place place = context_unit_place(unit);
	_cleanup_scope_ struct output_scope scope =
		output_enter_place(context->output, &place, "uncore");
	_cleanup_scope_ struct output_scope cluster = { 0 };

	context->report.n_results++;
	if (unit->is_cluster)
		cluster = output_enter(context->output, "cluster-%u", unit->cluster);
	put_values(context->output, unit);
}

/* Reports details of a unit that exist but cannot be read. Only root may read some: one note
 * reports these for all units. */
static void report_unread(struct context *context, const struct uncore_unit *unit, bool *is_noted)
{
	const struct location location = uncore_location(unit);
	_cleanup_free_ char *place = location_format(&location);

	for (int err = 0; (err = files_next_unread(&unit->unread, err));) {
		_cleanup_free_ char *files =
			files_format_unread(&uncore_detail_files, &unit->unread, err);

		if (err != -EACCES)
			unread_report(context, err, "%s (%s): %s", place ?: "", unit->name,
				      files ?: "");
		else if (!*is_noted)
			context_note(context, NULL, "%s: only root may read this", files ?: "");
		*is_noted = *is_noted || err == -EACCES;
	}
}

static int info(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	bool is_noted = false;
	int err = read_chosen(context, arguments, true, &units);

	if (err)
		return err;
	for (size_t i = 0; i < units.count; i++) {
		if (units.units[i].error)
			report_unit(context, &units.units[i]);
		else
			put_unit(context, &units.units[i]);
	}
	for (size_t i = 0; i < units.count; i++)
		report_unread(context, &units.units[i], &is_noted);
	return 0;
}

/* The kernel would also round a limit down, without a message. */
static void note_rounding(struct context *context, const char *option,
			  const struct option_number *mhz)
{
	if (mhz->given && !mhz->word && mhz->value % MHZ_PER_RATIO)
		context_note(context, NULL,
			     "%s %" PRIu64 ": rounded down to %" PRIu64 " MHz, the hardware has "
			     "steps of 100 MHz",
			     option, mhz->value, mhz->value / MHZ_PER_RATIO * MHZ_PER_RATIO);
}

static bool check_usage(struct context *context, const struct arguments *arguments)
{
	if (!arguments->min_mhz.given && !arguments->max_mhz.given &&
	    !arguments->elc_low_percent.given && !arguments->elc_high_percent.given &&
	    !arguments->elc_high.given && !arguments->elc_floor_mhz.given)
		context_refuse_usage(context, "nothing to set: --help lists what can be set");
	else if (arguments->min_mhz.given && arguments->max_mhz.given && !arguments->min_mhz.word &&
		 !arguments->max_mhz.word && arguments->min_mhz.value > arguments->max_mhz.value)
		context_refuse_usage(context, "--min %" PRIu64 " is above --max %" PRIu64,
				     arguments->min_mhz.value, arguments->max_mhz.value);
	else if (arguments->elc_low_percent.given && arguments->elc_high_percent.given &&
		 arguments->elc_low_percent.value > arguments->elc_high_percent.value)
		context_refuse_usage(context,
				     "--elc-low-threshold %" PRIu64
				     " is above --elc-high-threshold %" PRIu64,
				     arguments->elc_low_percent.value,
				     arguments->elc_high_percent.value);
	note_rounding(context, "--min", &arguments->min_mhz);
	note_rounding(context, "--max", &arguments->max_mhz);
	note_rounding(context, "--elc-floor", &arguments->elc_floor_mhz);
	return !report_has(&context->report, REPORT_USAGE);
}

/* Refuses options that would put the lower limit of a unit above its upper limit. */
static void refuse_order(struct context *context, const struct arguments *arguments,
			 const struct uncore_unit *unit, uint32_t min_mhz, uint32_t max_mhz)
{
	const struct location location = uncore_location(unit);
	_cleanup_free_ char *place = location_format(&location);

	if (arguments->min_mhz.given && arguments->max_mhz.given)
		context_refuse(context, NULL, "%s: --min, %u MHz, is above --max, %u MHz",
			       place ?: unit->name, min_mhz, max_mhz);
	else if (arguments->min_mhz.given)
		context_refuse(context, NULL,
			       "%s: --min %u is above the upper limit, %u MHz, and the kernel does "
			       "not check that; give --max too",
			       place ?: unit->name, min_mhz, max_mhz);
	else
		context_refuse(context, NULL,
			       "%s: --max %u is below the lower limit, %u MHz, and the kernel does "
			       "not check that; give --min too",
			       place ?: unit->name, max_mhz, min_mhz);
}

/* Finds a limit of a unit: the given number, the meaning of the given word, or the present value.
 * Returns false if nothing reports the meaning of the word. */
static bool find_limit(struct context *context, const struct uncore_unit *unit,
		       const struct option_number *given, uint32_t of_word_khz, uint32_t *khz)
{
	const struct location location = uncore_location(unit);
	_cleanup_free_ char *place = location_format(&location);

	if (given->given)
		*khz = given->word ? of_word_khz : uncore_round_khz(given->value);
	if (*khz || !given->word)
		return true;
	context_lack(context, NULL, "%s: --%s %s: nothing reports this frequency; give it in MHz",
		     place ?: unit->name, given->name + strspn(given->name, "-"), given->word);
	return false;
}

/* range: the meaning of the words for this unit. */
static void request_limits(struct context *context, const struct arguments *arguments,
			   const struct uncore_unit *unit, const struct khz_range *range)
{
	uint32_t min_khz = unit->min_khz, max_khz = unit->max_khz;

	/* All CPUs of the die will come online. */
	if (unit->error == -ENXIO && context->is_trial)
		return;
	if (unit->error) {
		report_unit(context, unit);
		return;
	}
	if (!find_limit(context, unit, &arguments->min_mhz, range->min_khz, &min_khz) ||
	    !find_limit(context, unit, &arguments->max_mhz, range->max_khz, &max_khz))
		return;
	if (min_khz > max_khz) {
		refuse_order(context, arguments, unit, min_khz / KHZ_PER_MHZ,
			     max_khz / KHZ_PER_MHZ);
		return;
	}
	context_request(context, "uncore.min-mhz", .uncore = unit,
			.value.range = { .min_khz = min_khz, .max_khz = max_khz });
}

static void request_elc(struct context *context, const struct arguments *arguments,
			const struct uncore_unit *unit)
{
	if (arguments->elc_floor_mhz.given)
		context_request(context, "uncore.elc-floor-mhz", .uncore = unit,
				.value.number = uncore_round_khz(arguments->elc_floor_mhz.value));
	if (arguments->elc_low_percent.given)
		context_request(context, "uncore.elc-low-threshold", .uncore = unit,
				.value.number = arguments->elc_low_percent.value);
	if (arguments->elc_high_percent.given)
		context_request(context, "uncore.elc-high-threshold", .uncore = unit,
				.value.number = arguments->elc_high_percent.value);
	if (arguments->elc_high.given)
		context_request(context, "uncore.elc-high", .uncore = unit,
				.value.on = option_switch_is_on(&arguments->elc_high));
}

/* Finds the frequencies of the keywords of the options for each unit. If there is a device, it must
 * be open, since the level has the range. Returns 0 or -ENOMEM. */
static int find_words(struct context *context, const struct arguments *arguments,
		      const struct uncore_units *units, struct khz_range *ranges)
{
	if (!arguments->min_mhz.word && !arguments->max_mhz.word)
		return 0;
	if (!context->platform && context->platform_error != -ENOTSUP &&
	    context->platform_error != -ENOENT) {
		context_report(context, NULL, report_kind_of(context->platform_error),
			       "words for limits need the performance level: %s",
			       context->lacks_platform);
		return 0;
	}
	return uncore_words_find(context->machine, context->platform, units,
				 arguments->min_mhz.word, arguments->max_mhz.word, ranges);
}

/* Notes a limit that none of these uncores reaches: the kernel accepts it. */
static void note_beyond(struct context *context, const struct arguments *arguments,
			const struct uncore_units *units)
{
	const uint64_t mhz = arguments->max_mhz.word ? 0 : arguments->max_mhz.value;
	uint64_t highest_khz = 0;

	for (size_t i = 0; i < units->count; i++) {
		if (!units->units[i].initial_max_khz.is_known)
			return;
		if (units->units[i].initial_max_khz.value > highest_khz)
			highest_khz = units->units[i].initial_max_khz.value;
	}
	if (units->count && uncore_round_khz(mhz) > highest_khz)
		context_note(context, NULL,
			     "--max %" PRIu64 ": above %" PRIu64 " MHz, the highest that the "
			     "driver found; more may have no effect",
			     mhz, highest_khz / KHZ_PER_MHZ);
}

static int set(struct context *context)
{
	const struct arguments *arguments = context->request->arguments;
	_cleanup_free_ struct khz_range *ranges = NULL;
	struct uncore_units *units;
	int err;

	if (!check_usage(context, arguments))
		return 0;
	units = context_keep(context, sizeof(*units), uncore_units_done);
	if (!units)
		return -ENOMEM;
	err = read_chosen(context, arguments, arguments->max_mhz.given, units);
	if (err || report_has_problem(&context->report))
		return err;
	note_beyond(context, arguments, units);
	ranges = calloc(units->count + 1, sizeof(*ranges));
	err = ranges ? find_words(context, arguments, units, ranges) : -ENOMEM;
	if (err)
		return err;
	for (size_t i = 0; i < units->count && !report_has_problem(&context->report); i++) {
		if (arguments->min_mhz.given || arguments->max_mhz.given)
			request_limits(context, arguments, &units->units[i], &ranges[i]);
		request_elc(context, arguments, &units->units[i]);
	}
	context->plan.wanted.units = units;
	context->plan.wanted.is_planned_anyway = true;
	return 0;
}

#define CHOICE_OPTIONS                                                                         \
	{ 0, "package", "N", "Only this package",                                              \
	  OPTION_NUMBER(struct arguments, package, 0, UINT32_MAX) },                           \
	{                                                                                      \
		0, "domain", "N", "Only this power domain or, where there are none, this die", \
			OPTION_NUMBER(struct arguments, domain, 0, UINT32_MAX)                 \
	}

static const struct option info_options[] = {
	CHOICE_OPTIONS,
	{ 0 },
};

static const char *const limit_words[] = { "min", "base", "max", NULL };

static const struct option set_options[] = {
	{ .name = "min",
	  .value = "MHZ|min|base|max",
	  .help = "Lower limit, in steps of 100 MHz, or a frequency of the level",
	  OPTION_MHZ_OR_WORD(struct arguments, min_mhz, MIN_MHZ, MAX_MHZ, limit_words) },
	{ 0, "max", "MHZ|min|base|max",
	  "Upper limit, in steps of 100 MHz, or a frequency of the level",
	  OPTION_MHZ_OR_WORD(struct arguments, max_mhz, MIN_MHZ, MAX_MHZ, limit_words) },
	{ 0, "elc-low-threshold", "PERCENT",
	  "Load below which efficiency latency control (ELC) goes to its floor",
	  OPTION_NUMBER(struct arguments, elc_low_percent, 0, 100) },
	{ 0, "elc-high-threshold", "PERCENT", "Load above which ELC raises the frequency",
	  OPTION_NUMBER(struct arguments, elc_high_percent, 0, 100) },
	{ 0, "elc-high", "on|off", "Whether ELC uses the high threshold",
	  OPTION_WORD(struct arguments, elc_high, option_switch_words) },
	{ 0, "elc-floor", "MHZ",
	  "Floor of ELC, in steps of 100 MHz; without effect below the lower limit",
	  OPTION_MHZ(struct arguments, elc_floor_mhz, 0, MAX_MHZ) },
	CHOICE_OPTIONS,
	{ 0 },
};

const struct command uncore_commands[] = {
	{ "info", "Show uncore frequency limits by package and die or power domain",
	  COMMAND_ANY_MACHINE, info_options, sizeof(struct arguments), .run = info },
	{ "set", "Set uncore frequency limits and efficiency latency control",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_WRITES, set_options,
	  sizeof(struct arguments),
	  .about =
		  "Sets all or nothing, and reads the values back. --cpu selects the dies of those "
		  "CPUs or, on parts with power domains, for their packages.",
	  .run = set, .keeps_files = "*" },
	{ 0 },
};

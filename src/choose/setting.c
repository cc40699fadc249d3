// SPDX-License-Identifier: GPL-2.0-only
/* Writes what sets a chosen row: a state document, and commands that reach the same state
 * (docs/spec/choose.md, "machine choose"). The commands set a feature with its priorities (--auto);
 * the document names everything that they set. */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "state/compare.h"
#include "state/export.h"
#include "state/writer.h"

#define FAMILY_WITHOUT_UNCORE 19 /* set-config-level leaves the fabric to its firmware */
#define LOW_CLOS              (SST_CLOS_COUNT - 1)
#define NAME                  "document" /* name of the document in messages */
#define LOW_WEIGHT            15 /* weight and EPP of all CLOS except 0, as --auto sets them */

/* Returns true if is_so() is true of a domain in a package that the row sets. */
static bool find_domain(const struct choose_facts *facts, const struct choose_row *row,
			bool (*is_so)(const struct choose_facts *facts, size_t domain))
{
	for (size_t i = 0; i < facts->n_domains && facts->platform->has_levels; i++) {
		if (choose_sets_domain(facts, row, i) && is_so(facts, i))
			return true;
	}
	return false;
}

static bool has_base_freq(const struct choose_facts *facts, size_t domain)
{
	return facts->expected.levels[domain].info.base_freq_on;
}

static bool has_turbo_freq(const struct choose_facts *facts, size_t domain)
{
	return facts->expected.levels[domain].info.turbo_freq_on;
}

static bool has_core_power(const struct choose_facts *facts, size_t domain)
{
	const struct platform_core_power_query *query = &facts->expected.core_power[domain];

	return !query->error && (query->core_power.enabled || query->core_power.clos_enabled);
}

/* Returns true if the setting opens an upper limit of cpufreq in a package that the row sets. While
 * turbo is off, the kernel shows the base frequency as the limit of an unlimited CPU. */
static bool opens_limits(const struct choose_facts *facts, const struct choose_row *row)
{
	cpuset_foreach (cpu, &row->online) {
		uint32_t package = facts->topology->places[cpu].package;

		for (size_t i = 0; i < facts->n_packages; i++) {
			if (row->is_set[i] && facts->packages[i].number == package &&
			    facts->max_mhz[cpu] && facts->max_mhz[cpu] < facts->open_mhz[cpu])
				return true;
		}
	}
	return false;
}

/* Returns true if the row sets all packages of the machine: "all" and commands without --cpu mean
 * the same then. */
static bool sets_all(const struct choose_facts *facts, const struct choose_row *row)
{
	const struct domain_list *list = &facts->platform->domains;

	for (size_t i = 0; i < facts->n_packages; i++) {
		if (!row->is_set[i])
			return false;
	}
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].cpu == CPUSET_NONE && !cpuset_is_empty(&list->domains[i].cpus))
			return false;
	}
	return true;
}

/* Returns true if there are IO dies. SST-BF is not set in them: CLOS parameters that --auto finds
 * in the last power domain hold for the complete package. */
static bool has_other_domains(const struct choose_facts *facts)
{
	for (size_t i = 0; i < facts->n_packages; i++) {
		if (facts->packages[i].has_other_domains)
			return true;
	}
	return false;
}

/* Adds the CPUs of packages that the row sets, if they are online afterwards. */
static int add_set_cpus(const struct choose_facts *facts, const struct choose_row *row,
			struct cpuset *cpus)
{
	int err = 0;

	for (size_t i = 0; i < facts->n_domains && !err; i++) {
		if (choose_sets_domain(facts, row, i))
			err = cpuset_add_all(cpus, &facts->domains[i]->cpus);
	}
	cpuset_keep(cpus, &row->online);
	return err;
}

/* Adds the CPUs that are in CLOS 0 after the row is set. */
static int add_high_cpus(const struct choose_facts *facts, const struct choose_row *row,
			 struct cpuset *cpus)
{
	int err = row->feature & CHOOSE_TURBO_FREQ ? cpuset_add_all(cpus, &row->cpus) : 0;

	for (size_t i = 0; i < facts->n_domains && row->feature == CHOOSE_BASE_FREQ && !err; i++) {
		if (choose_sets_domain(facts, row, i))
			err = cpuset_add_all(
				cpus,
				&choose_find_level(facts, i, row->level)->info.base_freq.high_cpus);
	}
	cpuset_keep(cpus, &row->online);
	return err;
}

/* A document while it is made. */
struct builder {
	const struct choose_facts *facts;
	const struct choose_row *row;
	struct writer writer;
	struct state_value *values; /* by domain; STATE_NONE: not set */
	bool covers_all;
};

static struct state_value word(const char *text)
{
	return (struct state_value){ .kind = STATE_WORD, .text = text };
}

static struct state_value boolean(bool is_on)
{
	return (struct state_value){ .kind = STATE_BOOLEAN, .number = is_on };
}

static struct state_value number(uint64_t value)
{
	return (struct state_value){ .kind = STATE_NUMBER, .number = value };
}

static struct state_value khz(uint32_t mhz)
{
	return (struct state_value){ .kind = STATE_KHZ, .number = (uint64_t)mhz * KHZ_PER_MHZ };
}

/* Are the values of the domains from first on the same? */
static bool are_equal(const struct builder *builder, size_t first, size_t count)
{
	for (size_t i = first + 1; i < first + count; i++) {
		if (!state_value_equal(&builder->values[first], &builder->values[i]))
			return false;
	}
	return true;
}

static char *format_domain(const struct power_domain *domain)
{
	return domain->has_id
		       ? text_format("package-%u powerdomain-%u", domain->package, domain->id)
		       : text_format("package-%u die-%u", domain->package, domain->die);
}

/* Writes the values of the domains of a package. */
static int put_package(struct builder *builder, const struct state_row *row, bool of_package,
		       const struct choose_package *package)
{
	const struct state_value *values = &builder->values[package->first];
	int err = 0;

	/* one value per package: if domains differ, commands write that of the last domain */
	for (size_t i = package->n_domains; i > 0 && of_package; i--) {
		if (values[i - 1].kind != STATE_NONE)
			return writer_add(&builder->writer,
					  text_format("package-%u", package->number), row,
					  &values[i - 1]);
	}
	if (of_package)
		return 0;
	if (!package->has_other_domains && values[0].kind != STATE_NONE &&
	    are_equal(builder, package->first, package->n_domains))
		return writer_add(&builder->writer, text_format("package-%u", package->number), row,
				  &values[0]);
	for (size_t i = 0; i < package->n_domains && !err; i++) {
		if (values[i].kind != STATE_NONE)
			err = writer_add(&builder->writer,
					 format_domain(builder->facts->domains[package->first + i]),
					 row, &values[i]);
	}
	return err;
}

/* Writes builder->values of a member: on all, on packages, or on domains. Clears them. */
static int put_values(struct builder *builder, const char *path, uint32_t clos, bool of_package)
{
	const struct choose_facts *facts = builder->facts;
	const struct state_row row = { .setting = setting_find(path), .clos = clos };
	int err = 0;

	if (builder->covers_all && builder->values[0].kind != STATE_NONE &&
	    are_equal(builder, 0, facts->n_domains))
		err = writer_add(&builder->writer, strdup("all"), &row, &builder->values[0]);
	else
		for (size_t i = 0; i < facts->n_packages && !err; i++)
			err = put_package(builder, &row, of_package, &facts->packages[i]);
	memset(builder->values, 0, facts->n_domains * sizeof(*builder->values));
	return err;
}

/* Writes one value of all domains that the row sets. */
static int put_value(struct builder *builder, const char *path, uint32_t clos, bool of_package,
		     struct state_value value)
{
	for (size_t i = 0; i < builder->facts->n_domains; i++) {
		if (choose_sets_domain(builder->facts, builder->row, i))
			builder->values[i] = value;
	}
	return put_values(builder, path, clos, of_package);
}

/* Writes a value of CPUs, if there are any. */
static int put_cpus(struct builder *builder, const char *path, const struct cpuset *cpus,
		    struct state_value value)
{
	const struct state_row row = { .setting = setting_find(path) };
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	if (!list)
		return -ENOMEM;
	return cpuset_is_empty(cpus)
		       ? 0
		       : writer_add(&builder->writer, text_format("cpu %s", list), &row, &value);
}

/* Adds the level, the settings of Linux that follow it, and SST-BF and SST-TF, if the level has
 * them. */
static int put_level(struct builder *builder)
{
	const struct choose_facts *facts = builder->facts;
	const struct choose_row *row = builder->row;
	bool covers_all = builder->covers_all;
	int err;

	for (size_t i = 0; i < facts->n_domains; i++) {
		if (choose_sets_domain(facts, row, i) && facts->expected.pp[i].pp.enabled)
			builder->values[i] = number(row->level);
	}
	err = put_values(builder, "perf-profile.level", 0, false);
	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct sst_level *level = &choose_find_level(facts, i, row->level)->info;

		if (choose_sets_domain(facts, row, i) && level->base_freq_supported)
			builder->values[i] = boolean(row->feature & CHOOSE_BASE_FREQ);
	}
	builder->covers_all =
		covers_all && (!(row->feature & CHOOSE_BASE_FREQ) || !has_other_domains(facts));
	if (!err)
		err = put_values(builder, "base-freq.enabled", 0, false);
	builder->covers_all = covers_all;
	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct sst_level *level = &choose_find_level(facts, i, row->level)->info;

		if (choose_sets_domain(facts, row, i) && level->turbo_freq_supported)
			builder->values[i] = boolean(row->feature & CHOOSE_TURBO_FREQ);
	}
	if (!err)
		err = put_values(builder, "turbo-freq.enabled", 0, false);
	/* switching SST-TF opens or closes turbo-ratio limits that the document does not name; they
	 * can differ from that only if SST-TF was on before */
	for (size_t i = 0; i < facts->n_domains; i++) {
		if (choose_sets_domain(facts, row, i) && has_turbo_freq(facts, i) &&
		    !choose_changes_package(facts, row, choose_find_package(facts, i)))
			builder->values[i] =
				word(row->feature & CHOOSE_TURBO_FREQ ? "open" : "level");
	}
	return err ?: put_values(builder, "turbo-mode.trl", 0, true);
}

/* Adds the parameters that --auto gives to a CLOS. */
static int put_clos(struct builder *builder, uint32_t clos)
{
	const struct choose_facts *facts = builder->facts;
	const struct platform *platform = facts->platform;
	const struct choose_row *row = builder->row;
	uint32_t weight = clos == 0 ? 0 : LOW_WEIGHT;
	int err;

	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct sst_base_freq *base_freq =
			&choose_find_level(facts, i, row->level)->info.base_freq;
		uint32_t mhz = clos == 0 ? base_freq->high_mhz : base_freq->low_mhz;

		if (choose_sets_domain(facts, row, i))
			builder->values[i] =
				row->feature == CHOOSE_BASE_FREQ ? khz(mhz) : word("min");
	}
	err = put_values(builder, "core-power.clos.N.min-mhz", clos, platform->shares_clos);
	if (!err)
		err = put_value(builder, "core-power.clos.N.max-mhz", clos, platform->shares_clos,
				word("max"));
	if (!err && !platform->lacks_clos_epp)
		err = put_value(builder, "core-power.clos.N.epp", clos, false, number(weight));
	if (!err)
		err = put_value(builder, "core-power.clos.N.weight", clos, platform->shares_clos,
				number(weight));
	return err;
}

/* Adds SST-CP: on with the priorities of the feature, or off. */
static int put_core_power(struct builder *builder)
{
	const struct choose_facts *facts = builder->facts;
	const struct platform *platform = facts->platform;
	const struct choose_row *row = builder->row;
	bool is_on = row->feature != CHOOSE_NO_FEATURE, is_supported = true;
	bool is_ordered = is_on || platform->lacks_proportional;
	_cleanup_cpuset_ struct cpuset high = { 0 }, low = { 0 };
	int err = 0;

	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct platform_core_power_query *query = &facts->expected.core_power[i];

		if (choose_sets_domain(facts, row, i) &&
		    (query->error || !query->core_power.supported))
			is_supported = false;
	}
	if (!is_supported)
		return 0;
	err = put_value(builder, "core-power.enabled", 0, platform->shares_clos, boolean(is_on));
	if (!err && (is_on || find_domain(facts, row, has_core_power)))
		err = put_value(builder, "core-power.priority", 0, platform->shares_clos,
				word(is_ordered ? "ordered" : "proportional"));
	for (uint32_t clos = 0; clos < SST_CLOS_COUNT && is_on && !err; clos++)
		err = put_clos(builder, clos);
	if (err || !is_on)
		return err;
	if (add_high_cpus(facts, row, &high) || add_set_cpus(facts, row, &low))
		return -ENOMEM;
	cpuset_remove_all(&low, &high);
	err = put_cpus(builder, "core-power.assoc", &high, number(0));
	return err ?: put_cpus(builder, "core-power.assoc", &low, number(LOW_CLOS));
}

/* Adds frequency limits: --auto raises the lower limits with SST-BF, and lowers them after it.
 * While turbo is off, --auto and a change of the level open the upper limits. */
static int put_limits(struct builder *builder)
{
	const struct choose_facts *facts = builder->facts;
	const struct choose_row *row = builder->row;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	bool has_cpufreq;
	int err = add_set_cpus(facts, row, &cpus);

	has_cpufreq = !err && !cpuset_is_empty(&cpus) && facts->highest_mhz[cpuset_next(&cpus, 0)];
	if (!has_cpufreq)
		return err;
	if (row->feature == CHOOSE_BASE_FREQ && !facts->platform->base_freq_by_cpufreq)
		err = put_cpus(builder, "cpufreq.min-mhz", &cpus,
			       word(facts->turbo_is_off ? "base" : "max"));
	else if (find_domain(facts, row, has_base_freq))
		err = put_cpus(builder, "cpufreq.min-mhz", &cpus, word("min"));
	if (!err &&
	    (opens_limits(facts, row) ||
	     (facts->turbo_is_off && (row->feature == CHOOSE_BASE_FREQ || row->changes_level))))
		err = put_cpus(builder, "cpufreq.max-mhz", &cpus, word("max"));
	return err;
}

/* Adds the uncore range of a new level, for power domains that report it and have a directory. */
static int put_uncore(struct builder *builder)
{
	const struct choose_facts *facts = builder->facts;
	const struct choose_row *row = builder->row;
	const struct machine *machine = facts->platform->machine;
	int err = 0;

	if (!row->changes_level || machine->identity.family == FAMILY_WITHOUT_UNCORE)
		return 0;
	builder->covers_all = builder->covers_all && !has_other_domains(facts); /* not IO dies */
	for (int is_max = 0; is_max < 2 && !err; is_max++) {
		for (size_t i = 0; i < facts->n_domains; i++) {
			const struct sst_level *level =
				&choose_find_level(facts, i, row->level)->info;
			uint32_t mhz = is_max ? level->uncore.max_mhz : level->uncore.min_mhz;

			if (choose_sets_domain(facts, row, i) && mhz && facts->state->units.count)
				builder->values[i] = word(is_max ? "max" : "min");
		}
		err = put_values(builder, is_max ? "uncore.max-mhz" : "uncore.min-mhz", 0, false);
	}
	return err;
}

/* Formats the present values of the settings that the documents of other rows change. */
static char *format_present(const struct choose_facts *facts)
{
	static const char *const only[] = { "perf-profile", "base-freq",  "turbo-freq",
					    "turbo-mode",   "core-power", NULL };
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	char *text = NULL;

	if (export_make(facts->state, &(struct export_options){ .only = only }, &text, &remarks))
		return NULL;
	return text;
}

/* Formats the document of a row that is to be set. */
static char *format_setting(const struct choose_facts *facts, const struct choose_row *row)
{
	struct builder builder = {
		.facts = facts,
		.row = row,
		.values = calloc(facts->n_domains + 1, sizeof(*builder.values)),
		.covers_all = sets_all(facts, row),
	};
	char *text = NULL;
	int err = builder.values ? 0 : -ENOMEM;

	if (!err && facts->platform->has_levels) {
		err = put_level(&builder);
		if (!err)
			err = put_core_power(&builder);
		/* set-config-level -o does this beside the level */
		if (!err && row->changes_level)
			err = put_value(&builder, "online", 0, false, word("follow-level"));
	}
	if (!err)
		err = put_limits(&builder);
	if (!err && facts->platform->has_levels)
		err = put_uncore(&builder);
	if (!err)
		text = writer_format(&builder.writer, facts->platform->machine,
				     WRITER_REQUIRES_ALL);
	writer_done(&builder.writer);
	free(builder.values);
	return text;
}

char *choose_format_document(const struct choose_facts *facts, const struct choose_row *row)
{
	return row->feature == CHOOSE_PRESENT ? format_present(facts) : format_setting(facts, row);
}

int choose_check(const struct choose_facts *facts, const struct choose_row *row, char **ret_problem)
{
	_cleanup_free_ char *text = choose_format_document(facts, row), *problem = NULL;
	_cleanup_document_ struct document document = { 0 };
	_cleanup_wanted_ struct wanted_state wanted = { 0 };
	_cleanup_comparison_ struct comparison comparison = { 0 };
	_cleanup_(report_done) struct report report = { .is_held = true, .drops_notes = true };
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;
	const char *first;
	int err = json ? document_take(json, NAME, false, &document, &problem) : -ENOMEM;

	if (!err)
		err = wanted_resolve(&wanted, &document, facts->state, &report);
	if (!err)
		err = comparison_make(&wanted, true, &comparison);
	first = report_first_problem(&report);
	if (first && strncmp(first, NAME ": ", strlen(NAME ": ")) == 0)
		first += strlen(NAME ": ");
	if (problem || (!err && first)) {
		*ret_problem = text_format("state apply refuses it: %s", problem ?: first);
		err = *ret_problem ? 0 : -ENOMEM;
	}
	return err;
}

/* Commands while they are listed. */
struct script {
	const struct choose_facts *facts;
	const struct choose_row *row;
	json_t *list;
	char *before, *after; /* " -c LIST" of one CPU of each domain, or "" */
	const char *known; /* " --known-cpus-only", or "" */
	bool has_failed;
};

static void add(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct script *script, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = host_complete_commands(script->facts->platform->machine->host,
				      text_format_list(format, args));
	va_end(args);
	if (!text || json_array_append_new(script->list, json_string(text)))
		script->has_failed = true;
}

/* Returns the option that names one online CPU of each domain that is set; "" if is_all. */
static char *format_scope(const struct choose_facts *facts, const struct choose_row *row,
			  const struct cpuset *online, bool is_all)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;

	if (is_all)
		return strdup("");
	for (size_t i = 0; i < facts->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset of_domain = { 0 };

		if (!choose_sets_domain(facts, row, i))
			continue;
		if (cpuset_copy(&of_domain, &facts->domains[i]->cpus))
			return NULL;
		cpuset_keep(&of_domain, online);
		if (!cpuset_is_empty(&of_domain) && cpuset_add(&cpus, cpuset_next(&of_domain, 0)))
			return NULL;
	}
	list = cpuset_format_ranges(&cpus);
	return list ? text_format(" -c %s", list) : NULL;
}

/* Adds commands that turn off what the row does not use. A change of the level switches SST-BF and
 * SST-TF off, but leaves the limits and priorities that --auto has set. */
static void add_removals(struct script *script)
{
	const struct choose_facts *facts = script->facts;
	const struct choose_row *row = script->row;
	bool keeps_turbo_freq = row->feature & CHOOSE_TURBO_FREQ && !row->changes_level;

	if (find_domain(facts, row, has_base_freq) &&
	    (row->feature != CHOOSE_BASE_FREQ || row->changes_level))
		add(script, "isst%s%s base-freq disable --auto", script->known, script->before);
	if (find_domain(facts, row, has_turbo_freq) && !keeps_turbo_freq)
		add(script, "isst%s turbo-freq disable", script->before);
	if (row->feature == CHOOSE_NO_FEATURE && find_domain(facts, row, has_core_power))
		add(script, "isst%s core-power disable", script->before);
	if (row->changes_level)
		add(script, "isst%s%s perf-profile set-config-level -l %u -o", script->known,
		    script->before, row->level);
}

static void add_limits(struct script *script)
{
	const struct choose_facts *facts = script->facts;
	const struct choose_row *row = script->row;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;

	if (!opens_limits(facts, row))
		return;
	script->has_failed = add_set_cpus(facts, row, &cpus) || script->has_failed;
	list = cpuset_format_ranges(&cpus);
	add(script, "isst -c %s cpufreq set --max max", list ?: "");
}

/* Adds SST-TF with the priorities of the chosen cores, and in power domains without chosen cores.
 * On mailbox parts each of these domains has its own CLOS. */
static void add_turbo_freq(struct script *script)
{
	const struct choose_facts *facts = script->facts;
	const struct choose_row *row = script->row;
	_cleanup_cpuset_ struct cpuset first = { 0 }, low = { 0 };
	_cleanup_free_ char *high = cpuset_format_ranges(&row->cpus);
	_cleanup_free_ char *firsts = NULL, *lows = NULL;

	for (size_t i = 0; i < facts->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (!choose_sets_domain(facts, row, i) ||
		    cpuset_intersects(&row->cpus, &facts->domains[i]->cpus))
			continue;
		if (cpuset_copy(&cpus, &facts->domains[i]->cpus))
			script->has_failed = true;
		cpuset_keep(&cpus, &row->online);
		if (!cpuset_is_empty(&cpus) &&
		    (cpuset_add(&first, cpuset_next(&cpus, 0)) || cpuset_add_all(&low, &cpus)))
			script->has_failed = true;
	}
	firsts = cpuset_format_ranges(&first);
	lows = cpuset_format_ranges(&low);
	script->has_failed = script->has_failed || !high || !firsts || !lows;
	if (!cpuset_is_empty(&low) && !facts->platform->shares_clos) {
		for (uint32_t clos = 0; clos < SST_CLOS_COUNT; clos++)
			add(script, "isst -c %s core-power config --clos %u%s --min min --max max",
			    firsts, clos,
			    facts->platform->lacks_proportional ? ""
			    : clos == 0                         ? " --epp 0 --weight 0"
								: " --epp 15 --weight 15");
		add(script, "isst -c %s core-power assoc --clos %u", lows, LOW_CLOS);
	}
	add(script, "isst%s -c %s turbo-freq enable --auto", script->known, high);
	if (!cpuset_is_empty(&low) || (!*script->after && facts->platform->shows_power_domains))
		add(script, "isst%s turbo-freq enable", script->after);
}

/* Adds SST-BF; with its priorities only without SST-TF, which has other ones. */
static void add_base_freq(struct script *script)
{
	const struct choose_facts *facts = script->facts;
	bool has_priorities = script->row->feature == CHOOSE_BASE_FREQ;
	_cleanup_free_ char *scope =
		format_scope(facts, script->row, &script->row->online,
			     sets_all(facts, script->row) && !has_other_domains(facts));

	add(script, "isst%s%s base-freq enable%s", has_priorities ? script->known : "", scope ?: "",
	    has_priorities ? " --auto" : "");
	script->has_failed = script->has_failed || !scope;
}

json_t *choose_list_commands(const struct choose_facts *facts, const struct choose_row *row)
{
	bool is_all = sets_all(facts, row);
	struct script script = {
		.facts = facts,
		.row = row,
		.list = json_array(),
		.before = format_scope(facts, row, &facts->topology->online, is_all),
		.after = format_scope(facts, row, &row->online, is_all),
		.known = facts->lacks_places ? " --known-cpus-only" : "",
	};

	script.has_failed = !script.list || !script.before || !script.after;
	if (!script.has_failed && row->feature != CHOOSE_PRESENT) {
		if (facts->platform->has_clos)
			add_removals(&script);
		if (!(row->feature & CHOOSE_TURBO_FREQ))
			add_limits(&script);
		if (row->feature & CHOOSE_BASE_FREQ && !facts->platform->base_freq_by_cpufreq)
			add_base_freq(&script);
		if (row->feature & CHOOSE_TURBO_FREQ) {
			add_turbo_freq(&script);
			add_limits(&script); /* "max" follows SST-TF */
		}
	}
	free(script.before);
	free(script.after);
	if (!script.has_failed)
		return script.list;
	json_decref(script.list);
	return NULL;
}

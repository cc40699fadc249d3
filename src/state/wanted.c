// SPDX-License-Identifier: GPL-2.0-only
/* Resolves the entries of a state document to locations of this machine: first levels, then online
 * CPUs, then all other settings. "all" means the CPUs that are online after apply. */
#include "state/wanted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/powercap.h"
#include "settings/families.h"

/* Whether a selector includes a location, a part of it (both bits), or excludes it. */
enum { MATCH_IN = 1, MATCH_OUT = 2 };

/* Members are resolved in this order. */
enum pass { PASS_LEVEL, PASS_ONLINE, PASS_REST };

void wanted_report(struct wanted_state *wanted, size_t entry, enum report_kind kind,
		   const char *format, ...)
{
	const struct document *document = wanted->document;
	bool is_note = kind == REPORT_UNSUPPORTED && document->entries[entry].is_optional;
	_cleanup_free_ char *text = NULL;
	va_list args;

	if (is_note && document->is_built_in)
		return;
	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	report_add(wanted->report, is_note ? REPORT_NOTE : kind, "%s: %s%s%s", document->file,
		   document_name_entry(document, entry).text, text ?: "out of memory",
		   is_note ? "; skipped, as the entry is optional" : "");
}

enum report_kind wanted_kind_of_unread(const struct wanted_state *wanted, enum setting_id setting,
				       int err)
{
	const struct platform *platform = wanted->state->platform;
	bool is_ours = wanted->document->is_built_in || wanted->document->is_past;
	enum report_kind kind = report_kind_of(err);

	if (kind != REPORT_UNSUPPORTED || err != -ENOTTY)
		return kind;
	if (setting_get(setting)->type == SETTING_TYPE_RATIOS)
		return is_ours ? REPORT_NOTE : kind;
	return is_ours || (platform && platform->domains.by_id) ? REPORT_REFUSED : kind;
}

static void require_number(struct wanted_state *wanted, const struct file_number *number,
			   uint32_t is, const char *name)
{
	if (number->is_known && number->value != is)
		report_add(wanted->report, REPORT_UNSUPPORTED,
			   "%s: require.%s is %u, but this machine has %u: the document is not for "
			   "it",
			   wanted->document->file, name, number->value, is);
}

static int check_require(struct wanted_state *wanted)
{
	const struct document_require *require = &wanted->document->require;
	const struct machine *machine = wanted->state->machine;
	const struct identity *identity = &machine->identity;
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	int err = topology_find_packages(&machine->topology, &packages);

	if (require->vendor && strcmp(require->vendor, identity->vendor) != 0)
		report_add(wanted->report, REPORT_UNSUPPORTED,
			   "%s: require.vendor is %s, but this machine is of %s",
			   wanted->document->file, require->vendor, identity->vendor);
	require_number(wanted, &require->family, identity->family, "family");
	require_number(wanted, &require->model, identity->model, "model");
	require_number(wanted, &require->packages, (uint32_t)cpuset_count(&packages), "packages");
	require_number(wanted, &require->cpus, (uint32_t)cpuset_count(&machine->topology.present),
		       "cpus");
	return err;
}

static bool is_in_domain(const struct selector *on, const struct power_domain *domain)
{
	return domain->package == on->package &&
	       (!on->has_die || (domain->die == on->die && !domain->die_is_io)) &&
	       (!on->has_power_domain || (domain->has_id && domain->id == on->power_domain));
}

/* Returns true if a selector includes an uncore directory: "all", or a part of its package. */
static bool wanted_has_uncore(const struct selector *on, const struct uncore_unit *unit)
{
	if (on->kind != SELECTOR_PACKAGE)
		return on->kind == SELECTOR_ALL;
	return unit->package == on->package &&
	       (!on->has_die || (unit->has_die && unit->die == on->die)) &&
	       (!on->has_power_domain || uncore_is_of_domain(unit, on->power_domain)) &&
	       (!on->has_cluster || (unit->is_cluster && unit->cluster == on->cluster)) &&
	       (!on->has_uncore || (unit->is_cluster && unit->number == on->uncore));
}

/* Returns how a selector of a package matches a power zone. A part of a zone cannot be set. */
static unsigned int match_zone(const struct selector *on, const struct power_zone *zone)
{
	if (zone->package != on->package || (on->has_die && zone->has_die && zone->die != on->die))
		return MATCH_OUT;
	return on->has_power_domain || on->has_cluster || on->has_uncore ||
			       (on->has_die && !zone->has_die)
		       ? MATCH_IN | MATCH_OUT
		       : MATCH_IN;
}

/* Returns true if the CPU is in the package, or in the part of it, that the selector names. */
static bool is_cpu_in_part(const struct wanted_state *wanted, const struct selector *on,
			   uint32_t cpu)
{
	const struct topology *topology = &wanted->state->machine->topology;
	const struct platform *platform = wanted->state->platform;
	const struct power_domain *domain = platform ? domains_find(&platform->domains, cpu) : NULL;

	if (!cpuset_has(&topology->placed, cpu))
		return false;
	if (domain)
		return is_in_domain(on, domain);
	return topology->places[cpu].package == on->package && !on->has_power_domain &&
	       (!on->has_die || topology->places[cpu].die == on->die);
}

static bool is_cpu_in(const struct wanted_state *wanted, size_t entry, uint32_t cpu)
{
	const struct selector *on = &wanted->document->entries[entry].on;

	if (on->kind == SELECTOR_PACKAGE)
		return is_cpu_in_part(wanted, on, cpu);
	return cpuset_has(&wanted->cpus[entry], cpu);
}

/* Returns how a selector matches the parts of a location: a domain, an uncore, a zone, a package or
 * the machine. */
static unsigned int match_whole(const struct wanted_state *wanted, size_t entry,
				enum place_kind kind, const struct place *place)
{
	const struct selector *on = &wanted->document->entries[entry].on;
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	unsigned int match = 0;

	if (kind == PLACE_UNCORE && on->kind == SELECTOR_PACKAGE)
		return wanted_has_uncore(on, place->uncore) ? MATCH_IN : MATCH_OUT;
	if (kind == PLACE_ZONE && on->kind == SELECTOR_PACKAGE)
		return match_zone(on, place->zone);
	for (size_t i = 0; on->kind == SELECTOR_PACKAGE && i < domains->count; i++) {
		const struct power_domain *domain = domains->list[i].domain;
		bool is_part = kind == PLACE_DOMAIN    ? domain == place->domain
			       : kind == PLACE_PACKAGE ? domain->package == place->package
						       : true;

		if (is_part)
			match |= is_in_domain(on, domain) ? MATCH_IN : MATCH_OUT;
	}
	if (match)
		return (on->has_cluster || on->has_uncore) && match & MATCH_IN
			       ? MATCH_IN | MATCH_OUT
			       : match;
	/* other selectors, or a machine without Speed Select: match by CPUs */
	cpuset_foreach (cpu, &wanted->state->machine->topology.present) {
		const struct power_domain *domain =
			wanted->state->platform
				? domains_find(&wanted->state->platform->domains, cpu)
				: NULL;
		bool is_part = kind == PLACE_DOMAIN    ? domain == place->domain
			       : kind == PLACE_PACKAGE ? domain && domain->package == place->package
			       : kind == PLACE_UNCORE || kind == PLACE_ZONE
				       ? wanted->state->machine->topology.places[cpu].package ==
						 place->package
				       : true;

		if (is_part)
			match |= is_cpu_in(wanted, entry, cpu) ? MATCH_IN : MATCH_OUT;
	}
	return match;
}

/* Sets matches to how the selector of an entry matches each location of a kind. */
static void match_places(const struct wanted_state *wanted, size_t entry,
			 const struct place_list *places, unsigned char *matches)
{
	const struct selector *on = &wanted->document->entries[entry].on;
	bool has_cpus = places->kind >= PLACE_CORE;

	if (on->kind == SELECTOR_ALL || on->kind == SELECTOR_MACHINE) {
		memset(matches, MATCH_IN, places->count);
		return;
	}
	memset(matches, 0, places->count);
	for (size_t i = 0; i < places->count && !has_cpus; i++)
		matches[i] =
			(unsigned char)match_whole(wanted, entry, places->kind, &places->list[i]);
	cpuset_foreach (cpu, &wanted->state->machine->topology.present) {
		if (has_cpus && places->of_cpu[cpu] != PLACE_UNKNOWN)
			matches[places->of_cpu[cpu]] |=
				is_cpu_in(wanted, entry, cpu) ? MATCH_IN : MATCH_OUT;
	}
	for (size_t i = 0; i < places->count; i++) {
		/* a list with one of its CPUs selects a core or policy; "other" must have all */
		if (on->kind == SELECTOR_CPUS && has_cpus && matches[i] & MATCH_IN)
			matches[i] = MATCH_IN;
		if (on->kind == SELECTOR_OTHER && matches[i] & MATCH_OUT)
			matches[i] = 0;
	}
}

static const char *const kind_names[N_PLACE_KINDS] = {
	[PLACE_MACHINE] = "the whole machine",
	[PLACE_PACKAGE] = "a whole package",
	[PLACE_DOMAIN] = "a whole power domain",
	[PLACE_UNCORE] = "a directory of uncore limits",
	[PLACE_ZONE] = "a whole package, or a die with limits of its own",
	[PLACE_CORE] = "a core",
	[PLACE_POLICY] = "a cpufreq policy",
	[PLACE_CPU] = "a CPU",
};

static void refuse_scope(struct wanted_state *wanted, size_t entry, const struct entry_value *value,
			 enum place_kind kind)
{
	_cleanup_free_ char *path = document_path(wanted->document, value);

	report_add(wanted->report, REPORT_USAGE,
		   "%s: %s: it is set for %s, and \"for\": \"%s\" is %s; use \"%s\"",
		   wanted->document->file, path ?: "a setting", kind_names[kind],
		   wanted->document->entries[entry].on.text,
		   kind == PLACE_MACHINE ? "finer" : "not that, or a part of it",
		   kind == PLACE_MACHINE ? "machine" : "all");
}

bool wanted_is_past(const struct wanted_state *wanted, size_t entry)
{
	return wanted->document->is_past || entry < wanted->document->n_past;
}

/* Returns true if the earlier list names a CPU of the location that the later list lacks. Naming
 * more CPUs is no contradiction. */
static bool is_contradiction(const struct wanted_state *wanted, const struct place_list *places,
			     size_t place, size_t earlier, size_t later)
{
	const struct selector *on = &wanted->document->entries[earlier].on;

	if (on->kind != SELECTOR_CPUS || wanted_is_past(wanted, earlier))
		return false;
	cpuset_foreach (cpu, &wanted->cpus[earlier]) {
		if (cpu < wanted->state->n_cpus && places->of_cpu[cpu] == place &&
		    !cpuset_has(&wanted->cpus[later], cpu))
			return true;
	}
	return false;
}

/* Sets the value of a location. A contradiction is reported. */
static void set_value(struct wanted_state *wanted, struct state_row *row, size_t place,
		      size_t entry, const struct entry_value *value)
{
	const struct place_list *places = row->places;
	struct state_value *to = &row->values[place];

	if (to->kind != STATE_NONE && !state_value_equal(to, &value->value) && places->of_cpu &&
	    wanted->document->entries[entry].on.kind == SELECTOR_CPUS &&
	    is_contradiction(wanted, places, place, to->entry, entry)) {
		_cleanup_free_ char *path = document_path(wanted->document, value);
		_cleanup_free_ char *name = state_row_format_place(wanted->state, row, place);

		report_add(wanted->report, REPORT_USAGE,
			   "%s: %s: settings[%u] sets another value for other CPUs of the same "
			   "location (%s)",
			   wanted->document->file, path ?: "a setting",
			   to->entry - (uint32_t)wanted->document->n_past, name ?: "?");
	}
	*to = value->value;
	to->entry = (uint32_t)entry;
	to->is_past = wanted_is_past(wanted, entry);
}

/* Returns true if a location of the selector may have the setting, with the CPUs that are online
 * after apply. */
static bool is_usable(const struct wanted_state *wanted, size_t entry, const struct state_row *row,
		      size_t index)
{
	const struct place_list *places = row->places;
	const struct document_entry *from = &wanted->document->entries[entry];

	if (places->kind < PLACE_CORE || setting_is_about_online(row->setting))
		return true;
	if (cpuset_has(&wanted->online, places->list[index].cpu))
		return true;
	if (places->kind == PLACE_CPU)
		return wanted_is_past(wanted, entry) &&
		       cpuset_has(&wanted->state->machine->topology.online,
				  places->list[index].cpu);
	if (from->on.kind == SELECTOR_CPUS) /* offline CPUs of the list are refused */
		return true;
	cpuset_foreach (cpu, &wanted->online) {
		if (places->of_cpu[cpu] == index)
			return true;
	}
	return false;
}

/* Returns true if a domain of mailbox parts cannot be queried, since all its CPUs are offline. */
static bool is_offline(const struct wanted_state *wanted, const struct power_domain *domain)
{
	return !wanted->state->platform->domains.by_id && domain->cpu == CPUSET_NONE &&
	       !cpuset_is_empty(&domain->cpus);
}

bool wanted_brings_online(const struct wanted_state *wanted, const struct place *place)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];

	for (size_t i = 0; wanted->state->platform && i < domains->count; i++) {
		const struct power_domain *domain = domains->list[i].domain;

		if (domain->package == place->package && is_offline(wanted, domain) &&
		    cpuset_intersects(&wanted->pending, &domain->cpus))
			return true;
	}
	return false;
}

/* "follow-level": each CPU of the domains is online if the level enables it. If all CPUs of a
 * domain are offline, its level is unknown, and all of them come online. */
static int follow_level(struct wanted_state *wanted, struct state_row *row, size_t entry,
			const struct entry_value *value, const unsigned char *matches)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	const struct place_list *cpus = &wanted->state->places[PLACE_CPU];
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	size_t n_unknown = 0;

	/* the level does not turn on SMT */
	if (topology_find_threads(&wanted->state->machine->topology, &threads))
		return -ENOMEM;
	for (size_t i = 0; i < domains->count; i++) {
		const struct wanted_level *level = &wanted->levels[i];
		bool is_known = !is_offline(wanted, domains->list[i].domain);

		if (!(matches[i] & MATCH_IN) || cpuset_is_empty(&domains->list[i].domain->cpus))
			continue;
		if (is_known && level->info_error) {
			wanted_report(
				wanted, entry,
				wanted_kind_of_unread(wanted, row->setting, level->info_error),
				"online: package-%u: the CPUs of the level: %s",
				domains->list[i].package,
				platform_find_cause(wanted->state->platform, level->info_error)
					.text);
			continue;
		}
		cpuset_foreach (cpu, &domains->list[i].domain->cpus) {
			struct entry_value of_cpu = *value;

			if (cpuset_has(&threads, cpu))
				continue;
			if (cpuset_has(&wanted->state->platform->unknown_cores, cpu)) {
				n_unknown++;
				continue;
			}
			of_cpu.value = (struct state_value){
				.kind = STATE_BOOLEAN,
				.number = !is_known || !level->info.has_enabled_cpus ||
					  cpuset_has(&level->info.enabled_cpus, cpu),
			};
			set_value(wanted, row, cpus->of_cpu[cpu], entry, &of_cpu);
		}
	}
	if (n_unknown)
		wanted_report(
			wanted, entry, REPORT_NOTE,
			"online: the cores of %zu CPUs are not known, and these CPUs are left "
			"as they are",
			n_unknown);
	return 0;
}

/* Reports that the selector includes no location of the machine. */
static void report_no_place(struct wanted_state *wanted, size_t entry, const struct state_row *row)
{
	const struct state_machine *state = wanted->state;
	_cleanup_free_ char *path = state_row_format_name(row);
	_cleanup_free_ char *problem = NULL;

	if (setting_get(row->setting)->place == PLACE_ZONE && state->power_error)
		problem = power_zones_problem(state->zones, state->power_error);
	if (problem)
		wanted_report(wanted, entry,
			      state->zones->unread ? report_kind_of(state->power_error)
						   : REPORT_UNSUPPORTED,
			      "%s: %s", path ?: "power", problem);
	else
		wanted_report(wanted, entry, REPORT_UNSUPPORTED,
			      "\"for\": \"%s\": this machine has no such location for %s",
			      wanted->document->entries[entry].on.text, path ?: "it");
}

/* Resolves one value of an entry. */
static int resolve_value(struct wanted_state *wanted, size_t entry, const struct entry_value *value)
{
	bool follows = setting_get(value->setting)->flags & SETTING_ON_DOMAINS &&
		       value->value.kind == STATE_WORD;
	const struct place_list *places =
		follows ? &wanted->state->places[PLACE_DOMAIN]
			: state_machine_places(wanted->state, value->setting);
	const struct selector *on = &wanted->document->entries[entry].on;
	_cleanup_free_ unsigned char *matches = calloc(places->count ?: 1, 1);
	struct state_row *row;
	bool is_matched = false;

	if (!matches)
		return -ENOMEM;
	if (on->kind == SELECTOR_MACHINE && places->kind != PLACE_MACHINE) {
		refuse_scope(wanted, entry, value, places->kind);
		return 0;
	}
	if (setting_get(value->setting)->flags & SETTING_OF_SST && !wanted->state->platform) {
		_cleanup_free_ char *path = document_path(wanted->document, value);

		wanted_report(wanted, entry, REPORT_UNSUPPORTED,
			      "%s: Speed Select is not available here",
			      path ? strchr(path, '.') + 1 : "a setting");
		return 0;
	}
	match_places(wanted, entry, places, matches);
	row = state_rows_add(&wanted->rows, wanted->state, value->setting, value->clos,
			     value->idle_state);
	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < places->count; i++) {
		if (matches[i] == (MATCH_IN | MATCH_OUT)) {
			refuse_scope(wanted, entry, value, places->kind);
			return 0;
		}
		if (!(matches[i] & MATCH_IN))
			continue;
		is_matched = true;
		if (!follows && is_usable(wanted, entry, row, i))
			set_value(wanted, row, i, entry, value);
	}
	/* the first stage brings locations of past values back */
	if (wanted->document->is_past && !cpuset_is_empty(&wanted->pending))
		is_matched = true;
	if (!is_matched && on->kind != SELECTOR_OTHER && !wanted->is_refused[entry])
		report_no_place(wanted, entry, row);
	return follows ? follow_level(wanted, row, entry, value, matches) : 0;
}

static enum pass pass_of(enum setting_id member)
{
	if (member == level_row.setting)
		return PASS_LEVEL;
	return setting_is_about_online(member) ? PASS_ONLINE : PASS_REST;
}

static int resolve_pass(struct wanted_state *wanted, enum pass pass)
{
	for (size_t i = 0; i < wanted->document->n_entries; i++) {
		const struct document_entry *entry = &wanted->document->entries[i];

		for (size_t j = 0; j < entry->n_values; j++) {
			int err = pass_of(entry->values[j].setting) == pass
					  ? resolve_value(wanted, i, &entry->values[j])
					  : 0;

			if (err)
				return err;
		}
	}
	return 0;
}

/* Reads the levels that the domains have now. */
static int read_levels_now(struct wanted_state *wanted)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	struct platform *platform = wanted->state->platform;
	_cleanup_free_ struct platform_pp_query *queries = NULL;
	int err;

	wanted->levels = calloc(domains->count ?: 1, sizeof(*wanted->levels));
	queries = calloc(domains->count ?: 1, sizeof(*queries));
	if (!wanted->levels || !queries)
		return -ENOMEM;
	if (!platform)
		return 0;
	for (size_t i = 0; i < domains->count; i++)
		queries[i].domain = domains->list[i].domain;
	err = platform->ops->read_pp(platform, queries, domains->count);
	for (size_t i = 0; i < domains->count && !err; i++)
		wanted->levels[i] = (struct wanted_level){
			.pp = queries[i].pp,
			.error = queries[i].error,
			.number = queries[i].pp.current_level,
		};
	return err;
}

/* Refuses the level that the document wants in a domain. A domain without CPUs is ignored if it
 * lacks the level. */
static void refuse_level(struct wanted_state *wanted, size_t domain)
{
	const struct state_row *row = state_rows_find(&wanted->rows, level_row.setting, 0, NULL);
	const struct place *place = &wanted->state->places[PLACE_DOMAIN].list[domain];
	struct wanted_level *level = &wanted->levels[domain];
	struct state_value *value = &row->values[domain];
	_cleanup_free_ char *name = state_machine_format_place(wanted->state, PLACE_DOMAIN, place);

	if (!cpuset_is_empty(&place->domain->cpus))
		wanted_report(wanted, value->entry, REPORT_UNSUPPORTED,
			      "perf-profile.level: %s has no level %u", name ?: "a power domain",
			      (unsigned int)value->number);
	value->kind = STATE_NONE;
	level->number = level->pp.current_level;
	level->is_changed = false;
}

/* Chooses the levels that the document wants. Refuses a level that a domain lacks. */
static void choose_levels(struct wanted_state *wanted)
{
	const struct state_row *row = state_rows_find(&wanted->rows, level_row.setting, 0, NULL);
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];

	for (size_t i = 0; row && i < domains->count; i++) {
		struct wanted_level *level = &wanted->levels[i];
		const struct state_value *value = &row->values[i];

		if (value->kind != STATE_NUMBER || level->error)
			continue;
		if (value->number == level->pp.current_level)
			continue;
		if (level->pp.enabled && value->number <= level->pp.highest_level) {
			level->number = (uint32_t)value->number;
			level->is_changed = true;
			continue;
		}
		refuse_level(wanted, i);
	}
}

/* Returns true if the document sets a cpufreq limit and a setting that changes the base frequency.
 * While turbo is off, the kernel lowers the upper limit, which is written with the lower one, to
 * the new base frequency. */
static bool can_lower(const struct document *document)
{
	bool sets_limit = false, sets_base = false;

	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (!document->sets[id])
			continue;
		sets_limit = sets_limit || setting_get(id)->type == SETTING_TYPE_MHZ;
		sets_base = sets_base || setting_get(id)->flags & SETTING_MOVES_BASE;
	}
	return sets_limit && sets_base;
}

/* Returns the parts of the levels that the document needs. */
static unsigned int find_parts(const struct wanted_state *wanted)
{
	unsigned int base_parts = wanted->state->platform->base_freq_by_cpufreq
					  ? 0
					  : PLATFORM_LEVEL | PLATFORM_BASE_FREQ;
	unsigned int parts = can_lower(wanted->document) ? base_parts : PLATFORM_SUPPORT;

	for (size_t i = 0; i < wanted->document->n_entries; i++) {
		const struct document_entry *entry = &wanted->document->entries[i];

		for (size_t j = 0; j < entry->n_values; j++) {
			const struct entry_value *value = &entry->values[j];

			if (value->value.kind != STATE_WORD)
				continue;
			if (setting_get(value->setting)->flags & SETTING_ON_DOMAINS)
				parts |= PLATFORM_CPUS;
			else if (setting_get(value->setting)->type == SETTING_TYPE_HUNDREDS ||
				 setting_get(value->setting)->level_part == PLATFORM_LEVEL)
				parts |= PLATFORM_LEVEL;
			else if (setting_get(value->setting)->type == SETTING_TYPE_MHZ &&
				 strcmp(value->value.text, "base") == 0)
				parts |= base_parts;
		}
		for (size_t j = 0; entry->on.cpus && j < wanted->names[i].count; j++) {
			if (wanted->names[i].list[j].kind == CPU_NAME_BASE_FREQ)
				parts |= PLATFORM_BASE_FREQ;
		}
	}
	return parts;
}

/* Reads the levels that the domains will have. */
static int read_levels(struct wanted_state *wanted)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	struct platform *platform = wanted->state->platform;
	_cleanup_free_ struct platform_level_query *queries =
		calloc(domains->count ?: 1, sizeof(*queries));
	size_t n_queries = 0, next = 0;
	bool lacks_level = false;
	int err;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < domains->count; i++) {
		sst_level_done(&wanted->levels[i].info);
		wanted->levels[i].info_error = wanted->levels[i].error;
		if (!wanted->levels[i].error)
			queries[n_queries++] = (struct platform_level_query){
				.domain = domains->list[i].domain,
				.level = wanted->levels[i].number,
				.pp_enabled = wanted->levels[i].pp.enabled,
			};
	}
	if (!platform || !n_queries)
		return 0;
	err = platform->ops->read_levels(platform, find_parts(wanted), queries, n_queries);
	for (size_t i = 0; i < domains->count && next < n_queries; i++) {
		if (wanted->levels[i].error)
			continue;
		struct wanted_level *level = &wanted->levels[i];

		level->info = queries[next].info;
		level->info_error = err ?: queries[next].error;
		next++;
		if (level->info_error == -ENOENT && level->is_changed) {
			refuse_level(wanted, i);
			lacks_level = true;
		}
		level->pp_after = level->pp;
		level->pp_after.current_level = level->number;
		if (level->is_changed)
			level->info.base_freq_on = level->info.turbo_freq_on = false;
	}
	if (err == -ENOMEM)
		return err;
	/* domains that lack the wanted level keep their level */
	return lacks_level ? read_levels(wanted) : 0;
}

static int find_online(struct wanted_state *wanted)
{
	int err = online_find(wanted->state, &wanted->rows, &wanted->online, &wanted->pending,
			      &wanted->isolated);

	return err ? err : state_machine_add_policies(wanted->state, &wanted->pending);
}

/* Reads the power zones if the document names a setting of them. */
static int find_zones(struct wanted_state *wanted)
{
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (wanted->document->sets[id] && setting_get(id)->place == PLACE_ZONE)
			return state_read_zones(wanted->state);
	}
	return 0;
}

static int resolve(struct wanted_state *wanted)
{
	int err = wanted_parse_cpus(wanted) ?: find_zones(wanted);

	if (!err)
		err = read_levels_now(wanted);
	if (!err && wanted->document->has_sst && !wanted->state->platform)
		return 0; /* the caller reports why */
	if (!err)
		err = resolve_pass(wanted, PASS_LEVEL);
	if (err)
		return err;
	choose_levels(wanted);
	err = read_levels(wanted);
	if (!err)
		err = wanted_resolve_cpus(wanted, true);
	if (!err)
		err = resolve_pass(wanted, PASS_ONLINE);
	if (!err)
		err = find_online(wanted);
	if (!err)
		err = wanted_resolve_cpus(wanted, false);
	return err ?: resolve_pass(wanted, PASS_REST);
}

int wanted_resolve(struct wanted_state *wanted, const struct document *document,
		   struct state_machine *state, struct report *report)
{
	int err;

	*wanted = (struct wanted_state){ .document = document, .state = state, .report = report };
	state->is_past = document->is_past;
	err = check_require(wanted);
	wanted->is_of_another = report_has(wanted->report, REPORT_UNSUPPORTED);
	return err || report_has_problem(report) ? err : resolve(wanted);
}

void wanted_done(struct wanted_state *wanted)
{
	size_t n_levels = wanted->state ? wanted->state->places[PLACE_DOMAIN].count : 0;
	size_t n_entries = wanted->document ? wanted->document->n_entries : 0;

	for (size_t i = 0; wanted->levels && i < n_levels; i++)
		sst_level_done(&wanted->levels[i].info);
	for (size_t i = 0; i < n_entries; i++) {
		if (wanted->cpus)
			cpuset_done(&wanted->cpus[i]);
		if (wanted->names)
			cpu_names_done(&wanted->names[i]);
	}
	free(wanted->levels);
	free(wanted->cpus);
	free(wanted->names);
	free(wanted->is_refused);
	state_rows_done(&wanted->rows);
	cpuset_done(&wanted->online);
	cpuset_done(&wanted->pending);
	cpuset_done(&wanted->isolated);
	*wanted = (struct wanted_state){ 0 };
}

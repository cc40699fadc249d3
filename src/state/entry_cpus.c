// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs of entries for "cpu SET": lists of numbers, named sets for the state after apply, and
 * the CPUs that no earlier entry names. */
#include "state/wanted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_usual(enum setting_id member)
{
	return setting_get(member)->rank > SETTING_RANK_LEVEL;
}

/* Does the entry have a setting of this kind? */
static bool sets(const struct document_entry *entry, bool (*is_kind)(enum setting_id member))
{
	for (size_t i = 0; i < entry->n_values; i++) {
		if (is_kind(entry->values[i].setting))
			return true;
	}
	return false;
}

static bool sets_online(const struct document_entry *entry)
{
	return sets(entry, setting_is_about_online);
}

/* Is the entry for cores? While the CPUs of a core are offline, other CPUs query it. */
static bool sets_assoc(const struct document_entry *entry)
{
	return entry->n_values && setting_get(entry->values[0].setting)->place == PLACE_CORE;
}

static int add_base_freq(void *data, struct cpuset *cpus, char **ret_message)
{
	struct wanted_state *wanted = data;

	*ret_message = NULL;
	for (size_t i = 0; i < wanted->state->places[PLACE_DOMAIN].count; i++) {
		const struct wanted_level *level = &wanted->levels[i];

		if (level->info_error) {
			*ret_message = strdup("the SST-BF cores of the level cannot be read");
			return level->info_error;
		}
		if (level->info.base_freq_supported &&
		    cpuset_add_all(cpus, &level->info.base_freq.high_cpus))
			return -ENOMEM;
	}
	return 0;
}

static int add_clos(void *data, uint32_t clos, struct cpuset *cpus, char **ret_message)
{
	struct wanted_state *wanted = data;
	const struct place_list *cores = &wanted->state->places[PLACE_CORE];
	_cleanup_free_ struct platform_query *queries = calloc(cores->count ?: 1, sizeof(*queries));
	size_t n_queries = 0;
	int err;

	*ret_message = NULL;
	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < cores->count; i++) {
		if (cpuset_has(&wanted->state->machine->topology.online, cores->list[i].cpu))
			queries[n_queries++].cpu = cores->list[i].cpu;
	}
	err = platform_read_assoc(wanted->state->platform, queries, n_queries);
	for (size_t i = 0; i < n_queries && !err; i++) {
		const struct platform_query *query = &queries[i];

		err = query->error;
		if (err || query->value.number != clos)
			continue;
		cpuset_foreach (cpu, &wanted->online) {
			if (cores->of_cpu[cpu] == cores->of_cpu[query->cpu] &&
			    cpuset_add(cpus, cpu))
				return -ENOMEM;
		}
	}
	if (err && err != -ENOMEM)
		*ret_message = strdup("the CLOS of the cores cannot be read");
	return err;
}

/* Reports CPUs of a list that the machine lacks, or that are offline after apply. */
static void check_numbers(struct wanted_state *wanted, size_t entry, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset bad = { 0 }, leaving = { 0 };
	_cleanup_free_ char *list = NULL;
	const struct cpuset *present = &wanted->state->machine->topology.present;

	if (cpuset_copy(&bad, cpus))
		return;
	cpuset_remove_all(&bad, present);
	wanted->is_refused[entry] = !cpuset_is_empty(&bad);
	if (!cpuset_is_empty(&bad)) {
		list = cpuset_format_ranges(&bad);
		wanted_report(wanted, entry, REPORT_UNSUPPORTED,
			      "\"for\": this machine has no CPUs %s", list ?: "?");
		cpuset_keep(cpus, present);
		return;
	}
	if (!sets(&wanted->document->entries[entry], is_usual))
		return;
	cpuset_remove_all(&bad, &bad);
	if (cpuset_copy(&bad, cpus))
		return;
	cpuset_remove_all(&bad, &wanted->online);
	if (wanted_is_past(wanted, entry)) {
		cpuset_remove_all(&bad, &wanted->state->machine->topology.online);
		if (wanted->state->is_past && sets_assoc(&wanted->document->entries[entry]))
			cpuset_remove_all(&bad, &wanted->state->machine->topology.placed);
		cpuset_remove_all(cpus, &bad);
		return;
	}
	wanted->is_refused[entry] = !cpuset_is_empty(&bad);
	if (!wanted->is_refused[entry] || cpuset_copy(&leaving, &bad))
		return;
	cpuset_keep(&leaving, &wanted->state->machine->topology.online);
	list = cpuset_format_ranges(cpuset_is_empty(&leaving) ? &bad : &leaving);
	if (cpuset_is_empty(&leaving))
		wanted_report(
			wanted, entry, REPORT_REFUSED,
			"\"for\": CPUs %s are offline, so that they cannot be set; set \"online\": "
			"true for them, or leave them out",
			list ?: "?");
	else
		wanted_report(wanted, entry, REPORT_REFUSED,
			      "\"for\": CPUs %s are to go offline, so that they cannot be set; "
			      "leave them out",
			      list ?: "?");
}

/* Returns true if the value sets what a named set depends on, besides the level: associations, or
 * which CPUs are isolated. */
static bool sets_what(const struct entry_value *value, enum cpu_name_kind kind)
{
	return kind == CPU_NAME_CLOS
		       ? setting_get(value->setting)->place == PLACE_CORE
		       : kind == CPU_NAME_ISOLATED && setting_is_about_online(value->setting);
}

/* Returns the index of the entry that sets what the name depends on; n_entries: no such entry. */
static size_t find_source(const struct document *document, const struct cpu_name *name)
{
	for (size_t i = 0; i < document->n_entries; i++) {
		for (size_t j = 0; j < document->entries[i].n_values; j++) {
			if (sets_what(&document->entries[i].values[j], name->kind))
				return i;
		}
	}
	return document->n_entries;
}

/* Returns true, and reports it, if an entry sets what a named set of this entry depends on. */
static bool needs_own_result(struct wanted_state *wanted, size_t entry)
{
	const struct cpu_names *names = &wanted->names[entry];

	if (names->count && sets_online(&wanted->document->entries[entry])) {
		wanted_report(
			wanted, entry, REPORT_USAGE,
			"\"for\": which CPUs \"%s\" means depends on \"online\" beside it; give "
			"CPU numbers",
			wanted->document->entries[entry].on.text);
		return true;
	}
	for (size_t i = 0; i < names->count; i++) {
		size_t source = find_source(wanted->document, &names->list[i]);

		if (source == wanted->document->n_entries)
			continue;
		wanted_report(
			wanted, entry, REPORT_USAGE,
			"\"for\": which CPUs %s means depends on %s of settings[%zu]; give CPU "
			"numbers",
			names->list[i].text,
			names->list[i].kind == CPU_NAME_CLOS ? "core-power.assoc" : "online",
			source);
		return true;
	}
	return false;
}

static int resolve_names(struct wanted_state *wanted, size_t entry)
{
	_cleanup_cpuset_ struct cpuset left_out = { 0 };
	_cleanup_free_ char *message = NULL;
	const struct cpu_names_environment environment = {
		.files = wanted->state->machine->host->files,
		.topology = &wanted->state->machine->topology,
		.online = &wanted->online,
		.add_clos = add_clos,
		.add_base_freq = add_base_freq,
		.data = wanted,
	};
	int err;

	if (cpu_names_find_sst(&wanted->names[entry]) && !wanted->state->platform) {
		wanted_report(wanted, entry, REPORT_UNSUPPORTED,
			      "\"for\": %s needs Speed Select, which this machine does not have",
			      cpu_names_find_sst(&wanted->names[entry])->text);
		wanted->is_refused[entry] = true;
		return 0;
	}
	err = cpu_names_resolve(&wanted->names[entry], &environment, &wanted->cpus[entry],
				&left_out, &message);
	if (err == -ENOMEM)
		return err;
	wanted->is_refused[entry] = err;
	if (err)
		wanted_report(wanted, entry,
			      err == -ENODATA || err == -ENOENT || err == -ENOTSUP
				      ? REPORT_UNSUPPORTED
				      : report_kind_of(err),
			      "\"for\": %s", message ?: strerror(-err));
	if (!err && !cpuset_is_empty(&left_out)) {
		_cleanup_free_ char *list = cpuset_format_ranges(&left_out);

		wanted_report(wanted, entry, REPORT_NOTE,
			      "\"for\": CPUs %s are offline, and are left out", list ?: "?");
	}
	return 0;
}

/* Returns true if a past entry has "online": true and "offline-by": its CPUs leave the control
 * groups of this program. CPUs that are offline by hotplug stay offline. */
static bool leaves_groups(const struct wanted_state *wanted, size_t index)
{
	const struct document_entry *entry = &wanted->document->entries[index];
	bool is_online = false, has_offline_by = false;

	for (size_t i = 0; i < entry->n_values; i++) {
		const struct entry_value *value = &entry->values[i];

		if (!setting_is_about_online(value->setting))
			continue;
		if (setting_get(value->setting)->type == SETTING_TYPE_WORD)
			has_offline_by = true;
		else if (value_is_on(&value->value))
			is_online = true;
	}
	return is_online && has_offline_by && wanted_is_past(wanted, index);
}

int wanted_resolve_cpus(struct wanted_state *wanted, bool of_online)
{
	_cleanup_cpuset_ struct cpuset named = { 0 };

	for (size_t i = 0; i < wanted->document->n_entries; i++) {
		const struct document_entry *entry = &wanted->document->entries[i];
		struct cpuset *cpus = &wanted->cpus[i];
		bool is_known = !cpuset_is_empty(cpus);
		int err = 0;

		if (entry->on.kind == SELECTOR_OTHER) {
			cpuset_done(cpus);
			if (cpuset_copy(cpus, &wanted->state->machine->topology.present))
				return -ENOMEM;
			cpuset_remove_all(cpus, &named);
		}
		if (entry->on.kind != SELECTOR_CPUS || wanted->is_refused[i])
			continue;
		if (of_online == sets_online(entry)) {
			wanted->is_refused[i] = needs_own_result(wanted, i);
			err = wanted->is_refused[i] ? 0 : resolve_names(wanted, i);
		}
		if (leaves_groups(wanted, i))
			cpuset_keep(cpus, &wanted->state->machine->topology.online);
		if (!err && !of_online && (is_known || !cpuset_is_empty(cpus)))
			check_numbers(wanted, i, cpus);
		if (!err && i >= wanted->document->n_past)
			err = cpuset_add_all(&named, cpus);
		if (err)
			return -ENOMEM;
	}
	return 0;
}

int wanted_parse_cpus(struct wanted_state *wanted)
{
	size_t count = wanted->document->n_entries;

	wanted->cpus = calloc(count ?: 1, sizeof(*wanted->cpus));
	wanted->names = calloc(count ?: 1, sizeof(*wanted->names));
	wanted->is_refused = calloc(count ?: 1, sizeof(*wanted->is_refused));
	if (!wanted->cpus || !wanted->names || !wanted->is_refused)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct selector *on = &wanted->document->entries[i].on;
		struct cpu_names_problem problem;
		int err = on->kind == SELECTOR_CPUS
				  ? cpu_names_parse(on->cpus, &wanted->names[i], &problem)
				  : 0;

		if (err == -ENOMEM)
			return err;
		wanted->is_refused[i] = err;
		if (err)
			wanted_report(wanted, i, REPORT_USAGE, "\"for\": \"%s\": %s%s%.*s",
				      on->text, problem.expected, problem.length ? " at " : "",
				      (int)problem.length, problem.length ? problem.at : "");
	}
	return 0;
}

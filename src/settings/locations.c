// SPDX-License-Identifier: GPL-2.0-only
/* Lists the locations of a machine: packages, power domains, uncores, cores, policies, CPUs. */
#include "settings/locations.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/core_types.h"
#include "host/cpufreq.h"
#include "host/powercap.h"

static int add_place(struct place_list *list, struct place place)
{
	struct place *added = array_add(&list->list, &list->count, sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = place;
	return 0;
}

/* Adds the location that a CPU stands for. */
static int add_of_cpu(struct state_machine *state, enum place_kind kind, uint32_t cpu)
{
	const struct topology *topology = &state->machine->topology;
	struct place_list *list = &state->places[kind];

	list->of_cpu[cpu] = (uint32_t)list->count;
	return add_place(list, (struct place){
				       .cpu = cpu,
				       .package = cpuset_has(&topology->placed, cpu)
							  ? topology->places[cpu].package
							  : 0,
			       });
}

static int add_domains(struct state_machine *state)
{
	const struct domain_list *domains = state->platform ? &state->platform->domains : NULL;
	struct place_list *packages = &state->places[PLACE_PACKAGE];

	for (size_t i = 0; domains && i < domains->n_domains; i++) {
		const struct power_domain *domain = &domains->domains[i];
		const struct place place = { domain->package, domain->cpu, domain, NULL, NULL };
		const struct place *last =
			packages->count ? &packages->list[packages->count - 1] : NULL;

		if (add_place(&state->places[PLACE_DOMAIN], place) ||
		    (domain->cpu != CPUSET_NONE && (!last || last->package != domain->package) &&
		     add_place(packages, place)))
			return -ENOMEM;
	}
	return 0;
}

static int add_uncores(struct state_machine *state)
{
	int err = 0;

	state->uncore_error = uncore_read_units(state->machine->host->files, true, &state->units);
	if (state->uncore_error == -ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < state->units.count && !err; i++) {
		const struct uncore_unit *unit = &state->units.units[i];

		err = add_place(&state->places[PLACE_UNCORE],
				(struct place){ unit->package, CPUSET_NONE, NULL, unit, NULL });
	}
	return err;
}

static int add_cpus(struct state_machine *state)
{
	int err = 0;

	cpuset_foreach (cpu, &state->machine->topology.present) {
		if (!err)
			err = add_of_cpu(state, PLACE_CPU, cpu);
	}
	return err;
}

/* Adds the cores of CPUs whose core is known; the lowest online CPU stands for its core. */
static int add_cores(struct state_machine *state)
{
	const struct topology *topology = &state->machine->topology;
	struct place_list *list = &state->places[PLACE_CORE];
	_cleanup_free_ uint32_t *indexes = NULL;
	size_t n_domains = state->platform ? state->platform->domains.n_domains : 0;

	indexes = calloc(n_domains * PUNIT_CORES ?: 1, sizeof(*indexes)); /* index + 1 */
	if (!indexes)
		return -ENOMEM;
	cpuset_foreach (cpu, &topology->placed) {
		const struct power_domain *domain =
			n_domains ? domains_find(&state->platform->domains, cpu) : NULL;
		const struct cpu_place *at = &topology->places[cpu];
		uint32_t *index;

		if (!domain || !at->has_physical_cpu || at->core >= PUNIT_CORES ||
		    !state->platform->has_clos)
			continue;
		index = &indexes[(size_t)(domain - state->platform->domains.domains) * PUNIT_CORES +
				 at->core];
		if (!*index &&
		    add_place(list, (struct place){ at->package, cpu, domain, NULL, NULL }))
			return -ENOMEM;
		*index = *index ?: (uint32_t)list->count;
		list->of_cpu[cpu] = *index - 1;
		if (!cpuset_has(&topology->online, list->list[*index - 1].cpu) &&
		    cpuset_has(&topology->online, cpu))
			list->list[*index - 1].cpu = cpu;
	}
	return 0;
}

/* Adds the policies of online CPUs. Skips a CPU if its policy was added for an earlier CPU. */
static int add_policies(struct state_machine *state)
{
	struct place_list *list = &state->places[PLACE_POLICY];
	bool are_single = false;

	if (cpufreq_find_single_policies(state->machine->host->files,
					 &state->machine->topology.present, &are_single))
		return -ENOMEM;
	cpuset_foreach (cpu, &state->machine->topology.online) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		int err;

		if (list->of_cpu[cpu] != PLACE_UNKNOWN)
			continue;
		err = are_single
			      ? 0
			      : cpufreq_read_policy_cpus(state->machine->host->files, cpu, &cpus);
		if (err == -ENOMEM)
			return err;
		if (err) {
			state->policy_error = err;
			continue;
		}
		if (add_of_cpu(state, PLACE_POLICY, cpu))
			return -ENOMEM;
		cpuset_foreach (other, &cpus) {
			if (other < state->n_cpus)
				list->of_cpu[other] = (uint32_t)(list->count - 1);
		}
	}
	return 0;
}

int state_machine_add_policies(struct state_machine *state, const struct cpuset *cpus)
{
	int err = 0;

	cpuset_foreach (cpu, cpus) {
		if (!err && state->places[PLACE_POLICY].of_cpu[cpu] == PLACE_UNKNOWN)
			err = add_of_cpu(state, PLACE_POLICY, cpu);
	}
	return err;
}

int state_machine_init(struct state_machine *state, const struct machine *machine,
		       struct platform *platform, bool with_files)
{
	int err;

	*state = (struct state_machine){
		.machine = machine,
		.platform = platform,
		.n_cpus = cpuset_last(&machine->topology.present) + 1,
	};
	if (platform && !platform->channel.answers) {
		platform->channel.answers = answers_new();
		if (!platform->channel.answers)
			return -ENOMEM;
		state->owns_answers = true;
	}
	if (platform)
		answers_begin(platform->channel.answers);
	state->figures = calloc(state->n_cpus, N_CPUFREQ_FREQUENCIES * sizeof(*state->figures));
	if (!state->figures)
		return -ENOMEM;
	for (enum place_kind i = 0; i < N_PLACE_KINDS; i++) {
		state->places[i].kind = i;
		if (i < PLACE_CORE)
			continue;
		state->places[i].of_cpu = malloc(state->n_cpus * sizeof(uint32_t));
		if (!state->places[i].of_cpu)
			return -ENOMEM;
		memset(state->places[i].of_cpu, 0xff, state->n_cpus * sizeof(uint32_t));
	}
	err = add_place(&state->places[PLACE_MACHINE], (struct place){ .cpu = CPUSET_NONE });
	if (!err)
		err = add_domains(state);
	if (!err)
		err = add_cpus(state);
	if (!err)
		err = add_cores(state);
	if (!err && with_files)
		err = add_uncores(state);
	if (!err && with_files)
		err = add_policies(state);
	return err;
}

void state_machine_done(struct state_machine *state)
{
	for (size_t i = 0; i < N_PLACE_KINDS; i++) {
		free(state->places[i].list);
		free(state->places[i].of_cpu);
	}
	if (state->owns_answers)
		answers_free(&state->platform->channel.answers);
	free(state->figures);
	if (state->types)
		core_types_done(state->types);
	free(state->types);
	cpuidle_cpu_done(&state->idle);
	cpuset_done(&state->isolated);
	uncore_units_done(&state->units);
	if (state->zones)
		power_zones_done(state->zones);
	free(state->zones);
	tdestroy(state->texts, free);
	*state = (struct state_machine){ 0 };
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(left, right);
}

const char *state_machine_keep(struct state_machine *state, const char *text)
{
	char **found = tfind(text, &state->texts, compare_texts);
	char *copy = found ? *found : strdup(text);

	if (!found && copy && !tsearch(copy, &state->texts, compare_texts)) {
		free(copy);
		return NULL;
	}
	return copy;
}

const struct place_list *state_machine_places(const struct state_machine *state,
					      enum setting_id member)
{
	bool is_shared = state->platform && state->platform->shares_clos && !state->is_past &&
			 setting_is_shared(member);

	return &state->places[is_shared ? PLACE_PACKAGE : setting_get(member)->place];
}

uint32_t state_machine_find_place(const struct state_machine *state, enum setting_id member,
				  const struct place *place)
{
	const struct place_list *list = state_machine_places(state, member);

	if (list->kind == PLACE_MACHINE)
		return 0;
	if (list->of_cpu)
		return place->cpu == CPUSET_NONE ? PLACE_UNKNOWN : list->of_cpu[place->cpu];
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->kind == PLACE_DOMAIN   ? list->list[i].domain == place->domain
		    : list->kind == PLACE_UNCORE ? list->list[i].uncore == place->uncore
						 : list->list[i].package == place->package)
			return i;
	}
	return PLACE_UNKNOWN;
}

char *state_machine_format_place(const struct state_machine *state, enum place_kind kind,
				 const struct place *place)
{
	struct location location;

	switch (kind) {
	case PLACE_MACHINE:
	case PLACE_PACKAGE:
	case PLACE_ZONE:
		return state_machine_format_selector(kind, place);
	case PLACE_DOMAIN:
		location = domains_location(place->domain);
		break;
	case PLACE_UNCORE:
		location = uncore_location(place->uncore);
		break;
	default:
		location = location_of_cpu(state->machine, place->cpu);
	}
	_cleanup_free_ char *text = location_format_cpu(&location);

	if (text && kind == PLACE_UNCORE && place->uncore->is_cluster)
		return text_format("%s cluster-%u", text, place->uncore->cluster);
	return steal(text);
}

char *state_machine_format_selector(enum place_kind kind, const struct place *place)
{
	const struct power_domain *domain = place->domain;

	switch (kind) {
	case PLACE_MACHINE:
		return strdup("machine");
	case PLACE_PACKAGE:
		return text_format("package-%u", place->package);
	case PLACE_ZONE:
		return power_zone_format_selector(place->zone);
	case PLACE_DOMAIN:
		return domain->has_id
			       ? text_format("package-%u powerdomain-%u", domain->package,
					     domain->id)
			       : text_format("package-%u die-%u", domain->package, domain->die);
	case PLACE_UNCORE:
		return uncore_format_selector(place->uncore);
	default:
		return text_format("cpu %u", place->cpu);
	}
}

char *state_row_format_place(const struct state_machine *state, const struct state_row *row,
			     size_t place)
{
	return state_machine_format_place(state, row->places->kind, &row->places->list[place]);
}

char *state_row_format_name(const struct state_row *row)
{
	const struct setting *member = setting_get(row->setting);
	const char *last = strrchr(member->path, '.');

	if (member->flags & SETTING_IN_CLOS)
		return text_format("core-power.clos.%u%s", row->clos, last);
	if (member->flags & SETTING_IN_IDLE_STATE)
		return text_format("cpuidle.states.%s", row->idle_state);
	return strdup(member->path);
}

void state_rows_done(struct state_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->list[i].values);
	free(rows->list);
	*rows = (struct state_rows){ 0 };
}

static bool is_row(const struct state_row *row, enum setting_id member, uint32_t clos,
		   const char *idle_state)
{
	return row->setting == member && row->clos == clos &&
	       (!idle_state || strcmp(row->idle_state, idle_state) == 0);
}

struct state_row *state_rows_find(const struct state_rows *rows, enum setting_id member,
				  uint32_t clos, const char *idle_state)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (is_row(&rows->list[i], member, clos, idle_state))
			return &rows->list[i];
	}
	return NULL;
}

const struct state_value *state_rows_find_value(const struct state_rows *rows,
						enum setting_id member, uint32_t clos, size_t place)
{
	const struct state_row *row = state_rows_find(rows, member, clos, NULL);

	return row ? &row->values[place] : NULL;
}

struct state_row *state_rows_add(struct state_rows *rows, const struct state_machine *state,
				 enum setting_id member, uint32_t clos, const char *idle_state)
{
	const struct place_list *places = state_machine_places(state, member);
	size_t at = 0;
	struct state_row *row = state_rows_find(rows, member, clos, idle_state);
	struct state_value *values;

	if (row)
		return row;
	values = calloc(places->count ?: 1, sizeof(*values));
	if (!values || !array_add(&rows->list, &rows->count, sizeof(*row))) {
		free(values);
		return NULL;
	}
	/* sorted by member, then by CLOS */
	while (at + 1 < rows->count &&
	       (rows->list[at].setting < member ||
		(rows->list[at].setting == member && (idle_state || rows->list[at].clos < clos))))
		at++;
	memmove(&rows->list[at + 1], &rows->list[at], (rows->count - 1 - at) * sizeof(*rows->list));
	rows->list[at] = (struct state_row){ member, clos, idle_state, values, places };
	return &rows->list[at];
}

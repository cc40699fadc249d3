// SPDX-License-Identifier: GPL-2.0-only
/* Makes a document of the present state: reads every member, turns the ends of ranges into words,
 * joins locations with equal values, and writes one entry per line. */
#include "state/export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "settings/families.h"
#include "state/writer.h"

struct exporter {
	const struct export_options *options;
	struct export_remarks *remarks;
	struct setting_export export;
	/* online CPUs that no control group of this program isolates; the kernel and documents set
	 * isolated CPUs like others */
	struct cpuset online;
	struct writer writer;
	bool names_cpus; /* it names CPUs by number */
};

void export_remarks_done(struct export_remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++)
		free(remarks->list[i].text);
	free(remarks->list);
	*remarks = (struct export_remarks){ 0 };
}

__attribute__((format(printf, 3, 4))) static int remark(struct exporter *exporter, int error,
							const char *format, ...)
{
	struct export_remarks *remarks = exporter->remarks;
	_cleanup_free_ char *text = NULL;
	struct export_remark *added;
	va_list arguments;

	va_start(arguments, format);
	text = text_format_list(format, arguments);
	va_end(arguments);
	added = text ? array_add(&remarks->list, &remarks->count, sizeof(*added)) : NULL;
	if (!added)
		return -ENOMEM;
	printable_clean(text, strlen(text));
	*added = (struct export_remark){ steal(text), error };
	return 0;
}

/* Is the member part of the document? */
static bool is_selected(const struct exporter *exporter, enum setting_id id)
{
	const struct export_options *options = exporter->options;
	const struct setting *member = setting_get(id);

	if (!member->path || (options->cpus && member->place < PLACE_CORE))
		return false;
	for (size_t i = 0; options->only && options->only[i]; i++) {
		if (setting_is_named(id, options->only[i]))
			return true;
	}
	return !options->only;
}

/* Does the document have any member of this kind of locations? */
static bool is_any_selected(const struct exporter *exporter, enum place_kind kind)
{
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (setting_get(id)->place == kind && is_selected(exporter, id))
			return true;
	}
	return false;
}

/* Requests a member at all its locations. */
static int ask(struct exporter *exporter, enum setting_id id, uint32_t clos, const char *idle_state)
{
	struct state_row *row = state_rows_add(&exporter->export.rows, exporter->export.state, id,
					       clos, idle_state);

	for (size_t i = 0; row && i < row->places->count; i++)
		row->values[i].kind = STATE_ASKED;
	return row ? 0 : -ENOMEM;
}

/* Requests the idle states; all CPUs have the same. */
static int ask_idle_states(struct exporter *exporter, enum setting_id id)
{
	const struct cpuidle_cpu *idle = &exporter->export.state->idle;
	int err = state_read_idle(exporter->export.state);

	if (err && err != -ENOENT)
		return err == -ENOMEM ? err : remark(exporter, err, "machine cpuidle.states");
	for (size_t i = 0; i < idle->n_states && !err; i++) {
		const char *name = state_machine_keep(exporter->export.state, idle->states[i].name);

		if (!name)
			return -ENOMEM;
		if (!writer_can_have_key(name))
			err = remark(exporter, 0,
				     "the idle state \"%s\" has no name that a document can have; "
				     "it is left out",
				     name);
		else
			err = ask(exporter, id, 0, name);
	}
	return err == -ENOENT ? 0 : err;
}

/* Does the document have a setting that depends on this one? */
static bool is_needed_by_others(const struct exporter *exporter, enum setting_id id)
{
	for (enum setting_id other = 0; other < N_SETTINGS; other++) {
		const enum setting_id *needed = setting_get(other)->exported_by;

		for (; needed && *needed != N_SETTINGS; needed++) {
			if (*needed == id && is_selected(exporter, other))
				return true;
		}
	}
	return false;
}

/* Requests the settings that are written, and the settings that they depend on. */
static int ask_all(struct exporter *exporter)
{
	bool needs_level = exporter->options->is_portable;
	int err = 0;

	for (enum setting_id id = 0; id < N_SETTINGS && !err; id++) {
		bool in_clos = setting_get(id)->flags & SETTING_IN_CLOS;
		bool is_idle_state = setting_get(id)->flags & SETTING_IN_IDLE_STATE;
		bool is_needed = (id == level_row.setting && needs_level) ||
				 setting_is_about_online(id) || is_needed_by_others(exporter, id);

		if (!is_needed && !is_selected(exporter, id))
			continue;
		if (is_idle_state)
			err = ask_idle_states(exporter, id);
		for (uint32_t clos = 0;
		     clos < (in_clos ? SST_CLOS_COUNT : 1) && !is_idle_state && !err; clos++)
			err = ask(exporter, id, clos, NULL);
	}
	return err;
}

/* Returns the parts of the current levels that words are made from. */
static unsigned int find_parts(const struct exporter *exporter)
{
	unsigned int parts = exporter->options->is_portable ? PLATFORM_BASE_FREQ : 0;

	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		if (is_selected(exporter, id) &&
		    state_machine_places(exporter->export.state, id)->count)
			parts |= setting_get(id)->level_part;
	}
	return parts;
}

static int read_all(struct exporter *exporter)
{
	const struct state_machine *state = exporter->export.state;
	const struct place_list *cpus = &state->places[PLACE_CPU];
	int err = is_any_selected(exporter, PLACE_ZONE) ? state_read_zones(exporter->export.state)
							: 0;

	if (!err)
		err = ask_all(exporter);

	if (!err)
		err = state_read(exporter->export.state, &exporter->export.rows);
	for (size_t i = 0; i < cpus->count && !err; i++) {
		if (export_find(&exporter->export, online_row.setting, 0, i)->number)
			err = cpuset_add(&exporter->online, cpus->list[i].cpu);
	}
	return err ?: sst_export_levels(&exporter->export, find_parts(exporter));
}

/* Converts a value that was read to one of a document; STATE_NONE: it is left out. */
static int convert(struct exporter *exporter, const struct state_row *row, size_t place,
		   struct state_value *value)
{
	const struct setting *setting = setting_get(row->setting);
	_cleanup_free_ char *note = NULL;
	int err = setting->export ? setting->export(&exporter->export, row, place, value) : 0;

	note = exporter->export.note;
	exporter->export.note = NULL;
	return err || !note ? err : remark(exporter, 0, "%s", note);
}

/* Adds an entry, or a remark, on a value of the locations on. Takes ownership of on. */
static int put(struct exporter *exporter, const struct state_row *row,
	       const struct state_value *value, char *on)
{
	_cleanup_free_ char *name = state_row_format_name(row), *text = state_value_format(value);
	_cleanup_free_ char *place = on;
	bool is_in_parts = setting_get(row->setting)->flags & SETTING_IN_PARTS;
	struct state_value written = *value;
	int err = 0;

	if (!on || !name || !text)
		return -ENOMEM;
	if (value->kind == STATE_UNREADABLE)
		return remark(exporter, value->error, "%s %s", on, name);
	if (!state_value_is_possible(row->setting, value) && !is_in_parts)
		return remark(exporter, 0,
			      "%s %s is %s, which no document can have; it is left out", on, name,
			      text);
	if (is_in_parts && value->kind == STATE_WORD) {
		written = (struct state_value){ .kind = STATE_BOOLEAN };
		err = remark(exporter, 0,
			     "%s %s: only a part of SST-CP is on; the document has false", on,
			     name);
	}
	return err ?: writer_add(&exporter->writer, steal(place), row, &written);
}

/* Is this location a part of "all" or a package? Domains without CPUs may lack the setting. */
static bool takes_part(const struct place_list *places, size_t place,
		       const struct state_value *value)
{
	return places->kind != PLACE_DOMAIN ||
	       !cpuset_is_empty(&places->list[place].domain->cpus) || value->kind != STATE_LACKING;
}

/* Locations with one value: is_in is set at their indexes. */
struct group {
	const struct state_row *row;
	const struct place_list *places;
	const struct state_value *values; /* of all places */
	bool *is_in;
};

/* Returns true if the group has all locations of a package that take part; NULL: of the machine. */
static bool covers(const struct group *group, const uint32_t *package)
{
	for (size_t i = 0; i < group->places->count; i++) {
		if ((!package || group->places->list[i].package == *package) && !group->is_in[i] &&
		    takes_part(group->places, i, &group->values[i]))
			return false;
	}
	return true;
}

/* Writes a group of locations that are not CPUs: as "all", as packages, or one by one. */
static int put_places(struct exporter *exporter, const struct group *group,
		      const struct state_value *value)
{
	const struct place *last = NULL;
	int err = 0;

	if (group->places->kind == PLACE_MACHINE)
		return put(exporter, group->row, value, strdup("machine"));
	if (covers(group, NULL))
		return put(exporter, group->row, value, strdup("all"));
	for (size_t i = 0; i < group->places->count && !err; i++) {
		const struct place *place = &group->places->list[i];
		bool is_whole = group->is_in[i] && covers(group, &place->package);

		if (!group->is_in[i] || (is_whole && last && last->package == place->package))
			continue;
		last = is_whole ? place : last;
		err = put(exporter, group->row, value,
			  is_whole ? text_format("package-%u", place->package)
				   : state_machine_format_selector(group->places->kind, place));
	}
	return err;
}

/* Finds the online CPUs that "all" means (package is NULL), or that "package-N" means. */
static int find_meant(const struct exporter *exporter, const uint32_t *package,
		      struct cpuset *ret_cpus)
{
	const struct place_list *cpus = &exporter->export.state->places[PLACE_CPU];

	cpuset_foreach (cpu, &exporter->export.state->machine->topology.online) {
		const struct place *place = &cpus->list[cpus->of_cpu[cpu]];

		if ((!package || place->package == *package) && cpuset_add(ret_cpus, cpu))
			return -ENOMEM;
	}
	return 0;
}

static int put_list(struct exporter *exporter, const struct state_row *row,
		    const struct state_value *value, const struct cpuset *cpus)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	exporter->names_cpus = true;
	return list ? put(exporter, row, value, text_format("cpu %s", list)) : -ENOMEM;
}

/* Writes the value of CPUs: as "all", in portable documents as packages, or as a list. */
static int put_cpus(struct exporter *exporter, const struct state_row *row,
		    const struct state_value *value, struct cpuset *cpus)
{
	const struct place_list *packages = &exporter->export.state->places[PLACE_CPU];
	_cleanup_cpuset_ struct cpuset meant = { 0 };
	int err = find_meant(exporter, NULL, &meant);

	if (!err && cpuset_equal(cpus, &meant))
		return put(exporter, row, value, strdup("all"));
	for (uint32_t cpu = cpuset_next(cpus, 0);
	     cpu != CPUSET_NONE && exporter->options->is_portable && !err;
	     cpu = cpuset_next(cpus, cpu + 1)) {
		const uint32_t package = packages->list[packages->of_cpu[cpu]].package;
		_cleanup_cpuset_ struct cpuset of_package = { 0 }, common = { 0 };

		err = find_meant(exporter, &package, &of_package);
		if (!err)
			err = cpuset_copy(&common, &of_package);
		cpuset_keep(&common, cpus);
		if (err || cpuset_next(&of_package, 0) != cpu ||
		    !cpuset_equal(&common, &of_package))
			continue;
		err = put(exporter, row, value, text_format("package-%u", package));
		cpuset_remove_all(cpus, &of_package);
	}
	return err || cpuset_is_empty(cpus) ? err : put_list(exporter, row, value, cpus);
}

static int put_group(struct exporter *exporter, const struct group *group,
		     const struct state_value *value)
{
	const struct export_options *options = exporter->options;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	if (group->places->kind < PLACE_CORE)
		return put_places(exporter, group, value);
	cpuset_foreach (cpu, &exporter->export.state->machine->topology.online) {
		uint32_t place = group->places->of_cpu[cpu];

		if (place != PLACE_UNKNOWN && group->is_in[place] &&
		    (!options->cpus || cpuset_has(options->cpus, cpu)) && cpuset_add(&cpus, cpu))
			return -ENOMEM;
	}
	return cpuset_is_empty(&cpus) ? 0 : put_cpus(exporter, group->row, value, &cpus);
}

/* For portable documents: writes two values by name, if all SST-BF cores of the levels have one,
 * and all other CPUs have the other. Returns 1 if it wrote them, 0 or -ENOMEM. */
static int put_by_priority(struct exporter *exporter, const struct group *group)
{
	const struct state_value *values[2] = { NULL }; /* [1]: of SST-BF cores; [0]: of others */
	_cleanup_cpuset_ struct cpuset high = { 0 };
	int err;

	for (size_t i = 0; i < exporter->export.state->places[PLACE_DOMAIN].count; i++) {
		if (cpuset_add_all(&high, &exporter->export.levels[i].info.base_freq.high_cpus))
			return -ENOMEM;
	}
	cpuset_foreach (cpu, &exporter->export.state->machine->topology.online) {
		uint32_t place = group->places->of_cpu[cpu];
		const struct state_value **value = &values[cpuset_has(&high, cpu)];

		if (place == PLACE_UNKNOWN || group->values[place].kind < STATE_BOOLEAN ||
		    (*value && !state_value_equal(*value, &group->values[place])))
			return 0;
		*value = &group->values[place];
	}
	if (!values[0] || !values[1] || state_value_equal(values[0], values[1]))
		return 0;
	err = put(exporter, group->row, values[0], strdup("all"));
	return err ?: put(exporter, group->row, values[1], strdup("cpu base-freq")) ?: 1;
}

static int put_row(struct exporter *exporter, const struct state_row *row)
{
	const struct place_list *places = row->places;
	_cleanup_free_ struct state_value *values = calloc(places->count ?: 1, sizeof(*values));
	_cleanup_free_ bool *is_done = calloc(places->count ?: 1, sizeof(*is_done));
	_cleanup_free_ bool *is_in = calloc(places->count ?: 1, sizeof(*is_in));
	struct group group = { row, places, values, is_in };
	int err = 0;

	exporter->export.is_clamped = false;
	if (!values || !is_done || !is_in)
		return -ENOMEM;
	for (size_t i = 0; i < places->count && !err; i++) {
		values[i] = row->values[i];
		err = convert(exporter, row, i, &values[i]);
	}
	if (!err && exporter->options->is_portable && !exporter->options->cpus &&
	    places->kind >= PLACE_CORE)
		err = put_by_priority(exporter, &group);
	if (err)
		return err < 0 ? err : 0;
	for (size_t i = 0; i < places->count && !err; i++) {
		if (is_done[i] || values[i].kind == STATE_NONE || values[i].kind == STATE_LACKING)
			continue;
		for (size_t j = 0; j < places->count; j++) {
			is_in[j] = j >= i && state_value_equal(&values[i], &values[j]);
			is_done[j] = is_done[j] || is_in[j];
		}
		err = put_group(exporter, &group, &values[i]);
	}
	if (!err && exporter->export.is_clamped)
		err = remark(exporter, 0,
			     "turbo is off, and the kernel shows upper frequency limits above the "
			     "base frequency as that: they are written as max");
	return err;
}

/* How to write the CPUs of a domain: with the level, if exactly the level's CPUs are online. */
struct domain_cpus {
	bool follows;
	bool is_isolated; /* a group isolates the others, none is offline */
};

static int find_follower(const struct exporter *exporter, size_t index,
			 struct domain_cpus *ret_cpus)
{
	const struct topology *topology = &exporter->export.state->machine->topology;
	const struct platform_level_query *level = &exporter->export.levels[index];
	_cleanup_cpuset_ struct cpuset isolated = { 0 }, offline = { 0 }, enabled = { 0 };
	const struct cpuset *cpus;

	*ret_cpus = (struct domain_cpus){ 0 };
	if (!level->domain || level->error || !level->info.has_enabled_cpus)
		return 0;
	cpus = &level->domain->cpus;
	if (cpuset_copy(&isolated, cpus) || cpuset_copy(&offline, cpus) ||
	    cpuset_copy(&enabled, cpus))
		return -ENOMEM;
	cpuset_keep(&isolated, &topology->online);
	cpuset_remove_all(&isolated, &exporter->online);
	cpuset_remove_all(&offline, &topology->online);
	cpuset_keep(&enabled, &exporter->online);
	ret_cpus->is_isolated = !cpuset_is_empty(&isolated);
	ret_cpus->follows = !cpuset_is_empty(cpus) &&
			    cpuset_equal(&enabled, &level->info.enabled_cpus) &&
			    (cpuset_is_empty(&isolated) || cpuset_is_empty(&offline));
	return 0;
}

/* Writes the domains that follow their levels; adds their CPUs to done. */
static int put_followers(struct exporter *exporter, struct cpuset *done)
{
	const struct place_list *domains = &exporter->export.state->places[PLACE_DOMAIN];
	const struct state_value follow = value_of_word("follow-level"),
				 by_group = value_of_word("cgroup");
	_cleanup_free_ struct domain_cpus *cpus = calloc(domains->count ?: 1, sizeof(*cpus));
	_cleanup_free_ struct state_value *values = calloc(domains->count ?: 1, sizeof(*values));
	_cleanup_free_ bool *is_in = calloc(domains->count ?: 1, sizeof(*is_in));
	struct group group = { &online_row, domains, values, is_in };
	int err = 0;

	if (!cpus || !values || !is_in)
		return -ENOMEM;
	for (size_t i = 0; i < domains->count && !err; i++) {
		values[i].kind = STATE_LACKING; /* lets takes_part() skip domains without CPUs */
		err = find_follower(exporter, i, &cpus[i]);
		if (!err && cpus[i].follows)
			err = cpuset_add_all(done, &domains->list[i].domain->cpus);
	}
	for (size_t pass = 0; pass < 2 && !err; pass++) {
		bool has_any = false;

		for (size_t i = 0; i < domains->count; i++) {
			is_in[i] = cpus[i].follows && cpus[i].is_isolated == pass;
			has_any = has_any || is_in[i];
		}
		group.row = &online_row;
		if (has_any)
			err = put_places(exporter, &group, &follow);
		group.row = &offline_by_row;
		if (has_any && pass && !err)
			err = put_places(exporter, &group, &by_group);
	}
	return err;
}

/* Writes which CPUs are online: with their levels, or by number. */
static int put_online(struct exporter *exporter)
{
	const struct topology *topology = &exporter->export.state->machine->topology;
	_cleanup_cpuset_ struct cpuset done = { 0 }, online = { 0 }, isolated = { 0 },
				       offline = { 0 };
	const struct state_value yes = { .kind = STATE_BOOLEAN, .number = true },
				 no = { .kind = STATE_BOOLEAN }, by_group = value_of_word("cgroup");
	int err = exporter->options->cpus ? 0 : put_followers(exporter, &done);

	cpuset_foreach (cpu, &topology->present) {
		struct cpuset *to = cpuset_has(&exporter->online, cpu)   ? &online
				    : cpuset_has(&topology->online, cpu) ? &isolated
									 : &offline;

		if (cpuset_has(&done, cpu) ||
		    (exporter->options->cpus && !cpuset_has(exporter->options->cpus, cpu)))
			continue;
		if (!err)
			err = cpuset_add(to, cpu);
	}
	if (!err && !cpuset_is_empty(&online))
		err = put_list(exporter, &online_row, &yes, &online);
	if (!err && !cpuset_is_empty(&offline))
		err = put_list(exporter, &online_row, &no, &offline);
	if (!err && !cpuset_is_empty(&isolated))
		err = put_list(exporter, &online_row, &no, &isolated);
	if (!err && !cpuset_is_empty(&isolated))
		err = put_list(exporter, &offline_by_row, &by_group, &isolated);
	return err;
}

/* Adds remarks on settings whose locations an error hides, and on cores whose ids are unknown. */
static int put_errors(struct exporter *exporter)
{
	const struct state_machine *state = exporter->export.state;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };
	_cleanup_free_ char *list = NULL;
	int err = 0;

	if (state->policy_error && is_any_selected(exporter, PLACE_POLICY))
		err = remark(exporter, state->policy_error, "machine cpufreq");
	if (!err && state->uncore_error && state->uncore_error != -ENOENT &&
	    is_any_selected(exporter, PLACE_UNCORE))
		err = remark(exporter, state->uncore_error, "machine uncore");
	if (err || !state->platform || !is_any_selected(exporter, PLACE_CORE))
		return err;
	if (cpuset_copy(&unknown, &state->platform->unknown_cores))
		return -ENOMEM;
	cpuset_keep(&unknown, &state->machine->topology.online);
	if (cpuset_is_empty(&unknown))
		return 0;
	list = cpuset_format_ranges(&unknown);
	return list ? remark(exporter, 0, "cpu %s core-power.assoc: the core is unknown; left out",
			     list)
		    : -ENOMEM;
}

static int put_all(struct exporter *exporter)
{
	const char *feature = "";
	int err = put_errors(exporter);

	for (size_t i = 0; i < exporter->export.rows.count && !err; i++) {
		const struct state_row *row = &exporter->export.rows.list[i];
		const char *path = setting_get(row->setting)->path;
		bool is_online = row->setting == online_row.setting;

		if (row->setting == offline_by_row.setting ||
		    !(is_selected(exporter, row->setting) ||
		      (is_online && is_selected(exporter, offline_by_row.setting))))
			continue;
		if (strncmp(path, feature, strcspn(path, ".") + 1) != 0)
			writer_start_feature(&exporter->writer);
		feature = path;
		err = is_online ? put_online(exporter) : put_row(exporter, row);
	}
	return err;
}

static void exporter_done(struct exporter *exporter)
{
	const struct place_list *domains = &exporter->export.state->places[PLACE_DOMAIN];

	for (size_t i = 0; i < domains->count && exporter->export.levels; i++)
		sst_level_done(&exporter->export.levels[i].info);
	free(exporter->export.levels);
	writer_done(&exporter->writer);
	cpuset_done(&exporter->online);
	state_rows_done(&exporter->export.rows);
}

bool export_is_incomplete(const struct export_options *options)
{
	const struct exporter exporter = { .options = options };

	for (enum setting_id id = 0; id < N_SETTINGS && options->lacks_platform; id++) {
		if (setting_get(id)->flags & SETTING_OF_SST && is_selected(&exporter, id))
			return true;
	}
	return false;
}

int export_make(struct state_machine *state, const struct export_options *options, char **ret_text,
		struct export_remarks *remarks)
{
	_cleanup_(exporter_done) struct exporter exporter = {
		.options = options,
		.remarks = remarks,
		.export = { .state = state,
			    .is_portable = options->is_portable,
			    .not_asked = options->not_asked },
	};
	int err = read_all(&exporter) ?: put_all(&exporter);

	if (err)
		return err;
	if (export_is_incomplete(options))
		exporter.writer.lacks_platform = options->lacks_platform;
	*ret_text = writer_format(&exporter.writer, state->machine,
				  !options->is_portable ? WRITER_REQUIRES_ALL
				  : exporter.names_cpus ? WRITER_REQUIRES_CPUS
							: WRITER_REQUIRES_NOTHING);
	return *ret_text ? 0 : -ENOMEM;
}

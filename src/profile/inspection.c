// SPDX-License-Identifier: GPL-2.0-only
/* Reads what several items of a profile can use: settings of the CPUs that are checked, the
 * kernel's command line, the names of processes. */
#include "profile/inspection.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "host/boot_words.h"
#include "host/channel.h"
#include "settings/cpu_names.h"

#define COMMAND_LINE "/proc/cmdline"
#define COMM_LENGTH  15 /* the kernel cuts names of processes */

void inspection_done(struct inspection *inspection)
{
	state_rows_done(&inspection->rows);
	free(inspection->command_line.text);
	files_free_names(&inspection->processes.names);
}

int inspection_find_isolated(const struct machine *machine, struct cpuset *ret_isolated,
			     char **ret_problem)
{
	struct files *files = machine->host->files;
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	_cleanup_free_ char *message = NULL;
	int err = cpu_names_read_list(files, CPU_NAMES_ISOLATED, &isolated, &message);

	if (!err) {
		err = cpu_names_read_list(files, CPU_NAMES_ISOLATED_BY_GROUPS, &isolated, &message);
		err = err == -ENOENT ? 0 : err;
	}
	if (err == -ENOMEM)
		return err;
	if (err) {
		*ret_problem = steal(message);
		return 0;
	}
	cpuset_keep(&isolated, &machine->topology.online);
	*ret_isolated = steal(isolated);
	return 0;
}

/* Readings. */

/* Keeps a text of details or reasons; cleans it, because it can have names of the kernel. */
static int keep(struct inspection *inspection, const char *text, const char **ret_kept)
{
	_cleanup_free_ char *clean = text ? strdup(text) : NULL;

	if (clean)
		printable_clean(clean, strlen(clean));
	*ret_kept = clean ? state_machine_keep(inspection->state, clean) : NULL;
	return *ret_kept ? 0 : -ENOMEM;
}

int reading_refuse(struct inspection *inspection, struct reading *reading, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = text_format_list(format, arguments);
	va_end(arguments);
	*reading = (struct reading){ 0 };
	return keep(inspection, text, &reading->reason);
}

int reading_fail(struct inspection *inspection, struct reading *reading, int err, const char *path)
{
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		return reading_refuse(inspection, reading, "%s does not exist", path);
	return reading_refuse(inspection, reading, "%s: %s", path, strerror(-err));
}

int reading_detail(struct inspection *inspection, struct reading *reading, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = text_format_list(format, arguments);
	va_end(arguments);
	return keep(inspection, text, &reading->detail);
}

void reading_take_flag(struct reading *reading, bool is_set)
{
	reading->value = (struct state_value){ .kind = STATE_BOOLEAN, .number = is_set };
}

void reading_take_number(struct reading *reading, uint64_t number)
{
	reading->value = (struct state_value){ .kind = STATE_NUMBER, .number = number };
}

void reading_take_word(struct reading *reading, const char *word)
{
	reading->value = (struct state_value){ .kind = STATE_WORD, .text = word };
}

/* Lists of CPUs in parameters. */

static int parse_cpu(const char **text, uint32_t last_cpu, uint64_t *ret_cpu)
{
	if (**text != 'N')
		return number_parse_digits(text, 10, ret_cpu);
	*ret_cpu = last_cpu;
	(*text)++;
	return 0;
}

/* Adds "3", "1-N" or "0-31:2/8". */
static int add_range(const char *text, uint32_t last_cpu, struct cpuset *set)
{
	uint64_t first, last, used = 1, group = 1;
	int err = parse_cpu(&text, last_cpu, &first);

	last = first;
	if (!err && *text == '-') {
		text++;
		err = parse_cpu(&text, last_cpu, &last);
	}
	if (!err && *text == ':') {
		text++;
		err = number_parse_digits(&text, 10, &used);
		if (!err && *text++ != '/')
			return -EINVAL;
		if (!err)
			err = number_parse_digits(&text, 10, &group);
	}
	if (err)
		return err;
	if (*text || first > last || used == 0 || used > group)
		return -EINVAL;
	if (last > CPUSET_MAX_CPU)
		return -ERANGE;
	for (uint64_t cpu = first; cpu <= last; cpu++) {
		if ((cpu - first) % group < used && cpuset_add(set, (uint32_t)cpu))
			return -ENOMEM;
	}
	return 0;
}

int inspection_parse_cpus(const char *text, uint32_t last_cpu, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	_cleanup_free_ char *copy = strdup(cpulist_is_unset(text) ? "" : text);
	char *rest;
	int err = copy ? 0 : -ENOMEM;

	for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !err;
	     word = strtok_r(NULL, ",", &rest)) {
		if (strcmp(word, "all") == 0)
			err = cpuset_add_range(&set, 0, last_cpu);
		else if (!islower((unsigned char)*word))
			err = add_range(word, last_cpu, &set);
	}
	if (!err)
		*ret_set = steal(set);
	return err;
}

/* The kernel's command line. */

static int read_command_line(struct inspection *inspection)
{
	if (!inspection->command_line.is_read)
		inspection->command_line.err = files_read_line(
			inspection_files(inspection), COMMAND_LINE, &inspection->command_line.text);
	inspection->command_line.is_read = true;
	return inspection->command_line.err;
}

int inspection_find_parameter(struct inspection *inspection, const char *name, char **ret_text)
{
	_cleanup_free_ char *found = NULL;
	int err = read_command_line(inspection);
	const char *word = inspection->command_line.text;
	size_t skipped = strlen(name) + 1;

	if (err)
		return err;
	for (size_t length = 0; (word = boot_words_next(word + length, &length));) {
		if (!boot_words_is_named(word, length, name))
			continue;
		free(found);
		found = length < skipped ? strdup("") : strndup(word + skipped, length - skipped);
		if (!found)
			return -ENOMEM;
	}
	*ret_text = steal(found);
	return 0;
}

/* Processes. */

/* Replaces the numbers of processes by their names; leaves out processes that ended meanwhile. */
static int read_names(struct inspection *inspection, char **names)
{
	size_t count = 0;
	int err = 0;

	inspection->processes.are_hidden = true;
	for (size_t i = 0; names[i]; i++) {
		_cleanup_free_ char *number = names[i], *path = NULL, *name = NULL;

		names[i] = NULL;
		if (err || number_parse(number, 0, UINT64_MAX, &(uint64_t){ 0 }))
			continue;
		path = text_format("/proc/%s/comm", number);
		err = path ? files_read_line(inspection_files(inspection), path, &name) : -ENOMEM;
		if (err == -ENOMEM)
			continue;
		if (!err && strcmp(number, "1") == 0)
			inspection->processes.are_hidden = false;
		err = 0;
		if (name)
			names[count++] = steal(name);
	}
	return err;
}

static int read_processes(struct inspection *inspection)
{
	if (inspection->processes.is_read)
		return inspection->processes.err;
	inspection->processes.is_read = true;
	inspection->processes.err =
		files_list(inspection_files(inspection), "/proc", &inspection->processes.names);
	if (!inspection->processes.err)
		inspection->processes.err = read_names(inspection, inspection->processes.names);
	return inspection->processes.err;
}

int inspection_find_process(struct inspection *inspection, const char *name,
			    struct reading *reading)
{
	int err = read_processes(inspection);

	if (err)
		return reading_fail(inspection, reading, err, "/proc");
	for (char **process = inspection->processes.names; *process; process++) {
		if (strncmp(*process, name, COMM_LENGTH) == 0) {
			reading_take_flag(reading, true);
			return 0;
		}
	}
	if (!inspection->processes.names[0])
		return reading_refuse(inspection, reading, "/proc shows no processes");
	if (inspection->processes.are_hidden)
		return reading_refuse(inspection, reading,
				      "/proc does not show the processes of other users");
	reading_take_flag(reading, false);
	return 0;
}

/* Settings. */

bool inspection_has_package(const struct inspection *inspection, uint32_t package)
{
	cpuset_foreach (cpu, inspection->cpus) {
		if (inspection->state->machine->topology.places[cpu].package == package)
			return true;
	}
	return false;
}

/* Returns the index of a setting's location that has the CPU, or PLACE_UNKNOWN. */
static size_t place_of_cpu(const struct inspection *inspection, enum setting_id member,
			   uint32_t cpu)
{
	const struct state_machine *state = inspection->state;
	const struct place_list *places = state_machine_places(state, member);
	uint32_t package = state->machine->topology.places[cpu].package;
	const struct power_domain *domain;

	switch (state_machine_places(state, member)->kind) {
	case PLACE_MACHINE:
		return 0;
	case PLACE_PACKAGE:
		for (size_t i = 0; i < places->count; i++) {
			if (places->list[i].package == package)
				return i;
		}
		return PLACE_UNKNOWN;
	case PLACE_DOMAIN:
		domain = state->platform ? domains_find(&state->platform->domains, cpu) : NULL;
		return domain ? (size_t)(domain - state->platform->domains.domains) : PLACE_UNKNOWN;
	case PLACE_UNCORE:
	case PLACE_ZONE:
		return PLACE_UNKNOWN;
	default:
		return cpu < state->n_cpus ? places->of_cpu[cpu] : PLACE_UNKNOWN;
	}
}

int inspection_ask(struct inspection *inspection, enum setting_id member)
{
	struct state_machine *state = inspection->state;
	enum place_kind kind = state_machine_places(state, member)->kind;
	const struct place_list *places = state_machine_places(state, member);
	struct state_row *row;

	if (setting_get(member)->flags & SETTING_OF_SST && !state->platform)
		return 0;
	if (kind == PLACE_ZONE && state_read_zones(state))
		return -ENOMEM;
	row = state_rows_add(&inspection->rows, state, member, 0, NULL);
	if (!row)
		return -ENOMEM;
	if (kind == PLACE_MACHINE)
		row->values[0].kind = STATE_ASKED;
	cpuset_foreach (cpu, inspection->cpus) {
		size_t place = place_of_cpu(inspection, member, cpu);

		if (place != PLACE_UNKNOWN)
			row->values[place].kind = STATE_ASKED;
	}
	for (size_t i = 0; inspection_has_directories(kind) && i < places->count; i++) {
		if (inspection_has_package(inspection, places->list[i].package))
			row->values[i].kind = STATE_ASKED;
	}
	return 0;
}

/* Returns the source of a setting's value for messages: its file, or its name. A new text. */
static char *format_origin(const struct inspection *inspection, enum setting_id id, size_t place)
{
	const struct setting *member = setting_get(id);
	const struct place *at = &state_machine_places(inspection->state, id)->list[place];
	const struct setting_request request = {
		.setting = id,
		.cpu = at->cpu,
		.uncore = at->uncore,
	};

	if (!member->file)
		return strdup(member->path);
	return strdup(setting_path(&request).text);
}

static int lack_feature(struct inspection *inspection, struct reading *reading)
{
	*reading = (struct reading){ .lacks_feature = true };
	return keep(inspection, "this processor or level does not have it", &reading->reason);
}

int reading_of_setting(struct inspection *inspection, enum setting_id member, size_t place,
		       struct reading *reading)
{
	const struct state_machine *state = inspection->state;
	const struct state_row *row = state_rows_find(&inspection->rows, member, 0, NULL);
	_cleanup_free_ char *origin = NULL;
	struct target_cause cause;

	if (!row)
		return reading_refuse(inspection, reading, "%s",
				      inspection->lacks_platform ?: "there is no Speed Select");
	*reading = (struct reading){ .value = row->values[place] };
	if (reading->value.kind > STATE_UNREADABLE)
		return 0;
	origin = format_origin(inspection, member, place);
	if (!origin)
		return -ENOMEM;
	if (reading->value.kind != STATE_UNREADABLE) {
		if (*origin == '/')
			return reading_fail(inspection, reading, -ENOENT, origin);
		return setting_get(member)->flags & SETTING_OF_SST
			       ? lack_feature(inspection, reading)
			       : reading_refuse(inspection, reading,
						"%s: this machine has no such setting", origin);
	}
	cause = platform_find_cause(state->platform, reading->value.error);
	return reading_refuse(inspection, reading, "%s: %s", origin, cause.text);
}

int reading_of_cpu(struct inspection *inspection, enum setting_id member, uint32_t cpu,
		   struct reading *reading)
{
	size_t place = place_of_cpu(inspection, member, cpu);
	bool lacks_row = !state_rows_find(&inspection->rows, member, 0, NULL);

	if (place != PLACE_UNKNOWN || lacks_row)
		return reading_of_setting(inspection, member, place, reading);
	if (state_machine_places(inspection->state, member)->kind == PLACE_POLICY)
		return reading_refuse(inspection, reading, "cpufreq: %s",
				      inspection->state->policy_error
					      ? strerror(-inspection->state->policy_error)
					      : "no policy");
	if (inspection->state->platform && !inspection->state->platform->has_clos)
		return lack_feature(inspection, reading); /* the platform has no PLACE_CORE */
	return reading_refuse(inspection, reading, "%s: the location of the CPU is unknown",
			      setting_get(member)->path);
}

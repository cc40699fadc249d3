/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that is checked by a profile, and what is read of it: settings, parameters of the
 * kernel, processes; each once. */
#ifndef PROFILE_INSPECTION_H
#define PROFILE_INSPECTION_H

#include "settings/locations.h"

/* One value that was read, or why it was not. */
struct reading {
	struct state_value value; /* STATE_NONE: unknown, or not requested */
	const char *detail; /* more about the value for people: "C6"; or NULL */
	const char *reason; /* why there is no value; or NULL */
	bool lacks_feature; /* there is no value since Speed Select lacks it: it is not on */
};

/* The machine that is checked. Its values point to texts of state. */
struct inspection {
	struct state_machine *state;
	struct state_rows rows; /* settings of the items, and those that facts need */
	const struct cpuset *cpus; /* those that are checked; online */
	const struct cpuset *isolated;
	const char *isolated_problem; /* why isolated is unknown, or NULL */
	const char *lacks_platform; /* why there is no Speed Select, or NULL */
	/* What several items use is read once; a negative errno if it cannot be. */
	struct {
		bool is_read;
		int err;
		char *text;
	} command_line;
	struct {
		bool is_read;
		int err;
		char **names; /* of all processes, NULL-terminated */
		bool are_hidden; /* those of other users */
	} processes;
};

#define _cleanup_inspection_ __attribute__((cleanup(inspection_done)))

void inspection_done(struct inspection *inspection);

static inline struct files *inspection_files(const struct inspection *inspection)
{
	return inspection->state->machine->host->files;
}

/* Fills the empty ret_isolated with the CPUs that `-c isolated` means; none is no error. Returns 0;
 * or 0 with *ret_problem a new text, why they are unknown; or -ENOMEM. */
int inspection_find_isolated(const struct machine *machine, struct cpuset *ret_isolated,
			     char **ret_problem);

/* Notes that the setting of the CPUs that are checked, or of their places, is to be read by
 * state_read(). Returns 0 or -ENOMEM. */
int inspection_ask(struct inspection *inspection, enum setting_id member);

/* Notes why a reading has no value: "PATH: cause" of a negative errno; or, in printf form, another
 * reason. Returns 0 or -ENOMEM. */
int reading_fail(struct inspection *inspection, struct reading *reading, int err, const char *path);
int reading_refuse(struct inspection *inspection, struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The value of a setting at a place as a reading. Returns 0 or -ENOMEM. */
int reading_of_setting(struct inspection *inspection, enum setting_id member, size_t place,
		       struct reading *reading);

/* The same of the place that has a CPU. */
int reading_of_cpu(struct inspection *inspection, enum setting_id member, uint32_t cpu,
		   struct reading *reading);

/* Are places of the kind directories of a package, of which none is that of a CPU? */
static inline bool inspection_has_directories(enum place_kind kind)
{
	return kind == PLACE_UNCORE || kind == PLACE_ZONE;
}

/* Is the CPU checked, or a CPU of the package? */
bool inspection_has_package(const struct inspection *inspection, uint32_t package);

/* Finds a parameter of the kernel's command line; the last of several counts. *ret_text: its value,
 * "" without one, or NULL if it is not given; a new text. Returns 0, a negative errno of reading
 * /proc/cmdline, or -ENOMEM. */
int inspection_find_parameter(struct inspection *inspection, const char *name, char **ret_text);

/* Reads whether a process of that name runs. Returns 0 or -ENOMEM. */
int inspection_find_process(struct inspection *inspection, const char *name,
			    struct reading *reading);

/* Puts more about the value of a reading, in printf form. Returns 0 or -ENOMEM. */
int reading_detail(struct inspection *inspection, struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Give a reading a value; a word must live as long as inspection->state. */
void reading_take_flag(struct reading *reading, bool is_set);
void reading_take_number(struct reading *reading, uint64_t number);
void reading_take_word(struct reading *reading, const char *word);

/* Reads a list of CPUs as kernel parameters have it: numbers, ranges, "all", "N" for the last CPU,
 * "0-31:2/8" for two CPUs of each eight; words that begin with a letter (isolcpus=domain,1-3) are
 * skipped. "(null)" is an empty list. ret_set must be empty. Returns 0, -EINVAL, -ERANGE or
 * -ENOMEM. */
int inspection_parse_cpus(const char *text, uint32_t last_cpu, struct cpuset *ret_set);

#endif

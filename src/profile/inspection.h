/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that is checked with a profile. Its settings, kernel parameters and processes are read
 * once. */
#ifndef PROFILE_INSPECTION_H
#define PROFILE_INSPECTION_H

#include "settings/locations.h"

/* One value that was read, or the reason why there is none. */
struct reading {
	struct state_value value; /* STATE_NONE: unknown, or not requested */
	const char *detail; /* more about the value for people: "C6"; or NULL */
	const char *reason; /* why there is no value; or NULL */
	bool lacks_feature; /* no value: Speed Select lacks the feature, so it is not on */
};

/* The machine that is checked. Its values point to texts of state. */
struct inspection {
	struct state_machine *state;
	struct state_rows rows; /* settings of the items, and settings that facts need */
	const struct cpuset *cpus; /* the CPUs that are checked, all online */
	const struct cpuset *isolated;
	const char *isolated_problem; /* why isolated is unknown, or NULL */
	const char *lacks_platform; /* why there is no Speed Select, or NULL */
	/* Read once, because several items use it; err: a negative errno of reading. */
	struct {
		bool is_read;
		int err;
		char *text;
	} command_line;
	struct {
		bool is_read;
		int err;
		char **names; /* of all processes, NULL-terminated */
		bool are_hidden; /* processes of other users are hidden */
	} processes;
};

#define _cleanup_inspection_ __attribute__((cleanup(inspection_done)))

void inspection_done(struct inspection *inspection);

static inline struct files *inspection_files(const struct inspection *inspection)
{
	return inspection->state->machine->host->files;
}

/* Fills the empty ret_isolated with the CPUs that `-c isolated` means, or none. Returns 0; 0 with
 * the reason why they are unknown in *ret_problem, a new text; or -ENOMEM. */
int inspection_find_isolated(const struct machine *machine, struct cpuset *ret_isolated,
			     char **ret_problem);

/* Marks the setting to be read by state_read() for the CPUs that are checked, or the locations with
 * these CPUs. Returns 0 or -ENOMEM. */
int inspection_ask(struct inspection *inspection, enum setting_id member);

/* Set why a reading has no value: "PATH: cause" for a negative errno; or another reason, in printf
 * form. Return 0 or -ENOMEM. */
int reading_fail(struct inspection *inspection, struct reading *reading, int err, const char *path);
int reading_refuse(struct inspection *inspection, struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Converts the value of a setting at a location to a reading. Returns 0 or -ENOMEM. */
int reading_of_setting(struct inspection *inspection, enum setting_id member, size_t place,
		       struct reading *reading);

/* Works like reading_of_setting() for the location that has a CPU. */
int reading_of_cpu(struct inspection *inspection, enum setting_id member, uint32_t cpu,
		   struct reading *reading);

/* Are locations of this kind directories of a package, and not of a CPU? */
static inline bool inspection_has_directories(enum place_kind kind)
{
	return kind == PLACE_UNCORE || kind == PLACE_ZONE;
}

/* Is a CPU of the package checked? */
bool inspection_has_package(const struct inspection *inspection, uint32_t package);

/* Finds a parameter of the kernel's command line; the last of several counts. *ret_text: its value,
 * "" without one, or NULL if it is not given; a new text. Returns 0, a negative errno of reading
 * /proc/cmdline, or -ENOMEM. */
int inspection_find_parameter(struct inspection *inspection, const char *name, char **ret_text);

/* Reads whether a process of that name runs. Returns 0 or -ENOMEM. */
int inspection_find_process(struct inspection *inspection, const char *name,
			    struct reading *reading);

/* Sets the detail of a reading, in printf form. Returns 0 or -ENOMEM. */
int reading_detail(struct inspection *inspection, struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Give a reading a value; a word must live as long as inspection->state. */
void reading_take_flag(struct reading *reading, bool is_set);
void reading_take_number(struct reading *reading, uint64_t number);
void reading_take_word(struct reading *reading, const char *word);

/* Reads a list of CPUs in the form of kernel parameters: numbers, ranges, "all", "N" for the last
 * CPU, "0-31:2/8" for two CPUs of each eight; words that begin with a letter (isolcpus=domain,1-3)
 * are skipped. "(null)" is an empty list. ret_set must be empty. Returns 0, -EINVAL, -ERANGE or
 * -ENOMEM. */
int inspection_parse_cpus(const char *text, uint32_t last_cpu, struct cpuset *ret_set);

#endif

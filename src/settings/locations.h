/* SPDX-License-Identifier: GPL-2.0-only */
/* The locations of a machine that settings apply to, by kind, and the values of settings there. */
#ifndef SETTINGS_LOCATIONS_H
#define SETTINGS_LOCATIONS_H

#include "host/cpuidle.h"
#include "host/uncore.h"
#include "sst/platform.h"
#include "settings/value.h"

struct core_types;
struct power_zone;
struct power_zones;

/* A location that settings apply to. Unused members are 0, NULL or CPUSET_NONE. */
struct place {
	uint32_t package; /* of all kinds except the machine, if known */
	uint32_t cpu; /* the lowest (CPUs, cores, policies: online if possible) or CPUSET_NONE */
	const struct power_domain *domain; /* domains; packages: the first with a CPU */
	const struct uncore_unit *uncore;
	const struct power_zone *zone;
};

/* The locations of one kind, in the order of documents. */
struct place_list {
	struct place *list;
	size_t count;
	enum place_kind kind;
	uint32_t *of_cpu; /* kinds with CPUs: the index by CPU, or PLACE_UNKNOWN */
};

#define PLACE_UNKNOWN UINT32_MAX

/* A frequency of a policy that a word of documents stands for. */
struct policy_figure {
	bool is_read;
	int16_t error;
	uint32_t khz;
};

/* The machine that a document is compared with, and all its locations. As long as it exists,
 * results of the driver are cached, so that no request is made twice (host/answers.h). */
struct state_machine {
	const struct machine *machine;
	struct platform *platform; /* NULL: no member of Speed Select is read or set */
	struct place_list places[N_PLACE_KINDS];
	uint32_t n_cpus; /* the highest present CPU plus 1 */
	struct uncore_units units; /* with details */
	int uncore_error; /* why there are none: a negative errno */
	struct power_zones *zones; /* with details; NULL: they were not read */
	int power_error; /* why there are none */
	bool has_zones; /* PLACE_ZONE has its locations */
	int policy_error; /* why policies are missing: a negative errno */
	struct policy_figure *figures; /* N_CPUFREQ_FREQUENCIES of each CPU */
	struct core_types *types; /* NULL: they were not read */
	int types_error; /* of reading them */
	struct cpuidle_cpu idle; /* names of the idle states, which are the same for all CPUs */
	int idle_error; /* of reading them */
	bool has_idle; /* they were read */
	bool owns_answers; /* the platform's cache belongs to this */
	struct cpuset isolated; /* CPUs that this program's groups isolate */
	int isolated_error;
	bool has_isolated;
	/* for past values: core-power is read of power domains, which may have differed even if
	 * packages share CLOS; and cores without online CPUs have an association */
	bool is_past;
	void *texts; /* texts of values, each once: a tree of search.h */
};

#define _cleanup_state_machine_ __attribute__((cleanup(state_machine_done)))

/* Finds the locations of an open machine; uncores and policies only if with_files. platform may be
 * NULL. machine and platform must outlive state. Nothing may be written before
 * state_machine_done(). Returns 0 or -ENOMEM; other errors of reading are in state. */
int state_machine_init(struct state_machine *state, const struct machine *machine,
		       struct platform *platform, bool with_files);
/* Adds policies of CPUs that come online, which cannot be read yet. Returns 0 or -ENOMEM. */
int state_machine_add_policies(struct state_machine *state, const struct cpuset *cpus);
void state_machine_done(struct state_machine *state);

/* Returns a copy of the text that is valid as long as state; equal texts share one; NULL: no
 * memory. */
const char *state_machine_keep(struct state_machine *state, const char *text);

/* Returns the locations of a member: for core-power, packages if they share CLOS. */
const struct place_list *state_machine_places(const struct state_machine *state,
					      enum setting_id member);

/* Returns the index of the member's location that contains place, by CPU or domain; or
 * PLACE_UNKNOWN. */
uint32_t state_machine_find_place(const struct state_machine *state, enum setting_id member,
				  const struct place *place);

/* Names a location as output and exported documents do: "machine", "package-0 powerdomain-1",
 * "package-0", "package-0 die-0 cpu-5". A new text; NULL: no memory. */
char *state_machine_format_place(const struct state_machine *state, enum place_kind kind,
				 const struct place *place);

/* Formats the selector of a location for documents: "package-0 powerdomain-1", "cpu 5". A new text;
 * NULL: no memory. */
char *state_machine_format_selector(enum place_kind kind, const struct place *place);

/* The values of one member (of one CLOS, of one idle state) at all its locations. */
struct state_row {
	enum setting_id setting;
	uint32_t clos; /* with SETTING_IN_CLOS; else 0 */
	const char *idle_state; /* with SETTING_IN_IDLE_STATE; else NULL; not owned */
	struct state_value *values; /* as many as places, in that order */
	const struct place_list *places; /* those of the member */
};

/* Names a location of a row, as state_machine_format_place(). */
char *state_row_format_place(const struct state_machine *state, const struct state_row *row,
			     size_t place);

/* The name of a row for messages, "core-power.clos.3.max-mhz": a new text; NULL: no memory. */
char *state_row_format_name(const struct state_row *row);

struct state_rows {
	struct state_row *list; /* in the order of members, then of CLOS or first use */
	size_t count;
};

#define _cleanup_state_rows_ __attribute__((cleanup(state_rows_done)))

void state_rows_done(struct state_rows *rows);

/* The row of a member, or NULL. */
struct state_row *state_rows_find(const struct state_rows *rows, enum setting_id member,
				  uint32_t clos, const char *idle_state);

/* One value of a row, or NULL. */
const struct state_value *state_rows_find_value(const struct state_rows *rows,
						enum setting_id member, uint32_t clos,
						size_t place);

/* Returns the row; adds it with values that are STATE_NONE if there is none. NULL: no memory. */
struct state_row *state_rows_add(struct state_rows *rows, const struct state_machine *state,
				 enum setting_id member, uint32_t clos, const char *idle_state);

/* Reads the values that are STATE_ASKED: each file and each request once, in batches. Uncores and
 * which CPUs are online are not read again. A value that cannot be read becomes STATE_UNREADABLE or
 * STATE_LACKING. Other values get the kind of the member, or STATE_PARTLY; a frequency is
 * STATE_KHZ, never "min", "max" or "base". A CLOS without an upper limit has 25500000. Each CPU has
 * a STATE_BOOLEAN for online: also false if a group of this program isolates the CPU. Then its
 * offline-by is "cgroup", else "hotplug". Returns 0 or -ENOMEM. */
int state_read(struct state_machine *state, struct state_rows *rows);

/* Reads the names of the idle states into state->idle, once for all callers. Returns 0, or the
 * negative errno of reading: -ENOENT if there are none. */
int state_read_idle(struct state_machine *state);

/* Reads the power zones, and adds the locations of PLACE_ZONE, once for all callers. Call this
 * before rows of such settings are added. Returns 0 or -ENOMEM; other errors are in
 * state->power_error. */
int state_read_zones(struct state_machine *state);

/* A frequency of the policy of a CPU in kHz, if it was read; or 0. */
uint32_t state_known_frequency(const struct state_machine *state, uint32_t cpu,
			       enum cpufreq_frequency which);

/* Reads a frequency of the policy of a CPU, once for all callers. Returns 0, or the negative errno
 * of reading the file: -ENOENT if the policy has no such file. */
int state_read_frequency(struct state_machine *state, uint32_t cpu, enum cpufreq_frequency which,
			 uint32_t *ret_khz);

/* Reads the lowest frequency of a policy whose limits could be read, as state_read_frequency().
 * Uses the value of another CPU with the same package, core type and highest frequency, if it was
 * read. */
int state_read_lowest(struct state_machine *state, uint32_t cpu, uint32_t *ret_khz);

#endif

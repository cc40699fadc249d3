/* SPDX-License-Identifier: GPL-2.0-only */
/* Every setting that the program changes is a row of one table: its name, where it applies, the
 * type of its value, what must come before it, and how a change is planned for many places at once.
 * A command lists requests, in any order; settings_plan() turns them into changes in the order of
 * the table. Writing, reading back and rolling back are the same for all (change/transaction.h). */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "change/change.h"
#include "sst/platform.h"

struct cpufreq_policy;
struct cpuidle_state;
struct uncore_unit;

enum setting_id {
	SETTING_LEVEL,
	SETTING_BASE_FREQ,
	SETTING_TURBO_FREQ,
	SETTING_CORE_POWER,
	SETTING_CLOS,
	SETTING_ASSOC,
	SETTING_TRL,
	SETTING_UNCORE_LIMITS,
	SETTING_ELC_FLOOR,
	SETTING_ELC_LOW_THRESHOLD,
	SETTING_ELC_HIGH_THRESHOLD,
	SETTING_ELC_HIGH_ENABLE,
	SETTING_TURBO,
	SETTING_GOVERNOR,
	SETTING_EPP,
	SETTING_EPB,
	SETTING_FREQUENCY_LIMITS,
	SETTING_IDLE_GOVERNOR,
	SETTING_IDLE_C02,
	SETTING_UMWAIT_MAX_TIME,
	SETTING_IDLE_STATE,
	SETTING_QOS_LATENCY,
	N_SETTINGS
};

/* Where a setting applies, which is what names the place of a request. */
enum setting_scope {
	SETTING_OF_MACHINE, /* nothing */
	SETTING_OF_DOMAIN, /* .domain; also settings of a package, which are written once */
	SETTING_OF_CPU, /* .cpu; also settings of a core, which are written once */
	SETTING_OF_UNCORE /* .uncore */
};

/* Which member of the value is used. */
enum setting_type {
	SETTING_BOOLEAN, /* on */
	SETTING_NUMBER, /* number */
	SETTING_TEXT, /* text */
	SETTING_CORE_POWER_SWITCH, /* core_power */
	SETTING_CLOS_PARAMETERS, /* clos */
	SETTING_RATIOS, /* trl */
	SETTING_RANGE /* range */
};

/* The order in which settings are written. A feature goes on after what it needs, and off before
 * it: SST-TF off, the turbo-ratio limits that it opened, SST-CP off. */
enum setting_rank {
	SETTING_RANK_LEVEL,
	SETTING_RANK_FEATURES_OFF, /* SST-BF and SST-TF */
	SETTING_RANK_CLOS,
	SETTING_RANK_ASSOC,
	SETTING_RANK_CORE_POWER_ON,
	SETTING_RANK_FEATURES_ON,
	SETTING_RANK_TRL,
	SETTING_RANK_CORE_POWER_OFF,
	SETTING_RANK_UNCORE,
	SETTING_RANK_TURBO,
	SETTING_RANK_GOVERNOR,
	SETTING_RANK_EPP,
	SETTING_RANK_EPB,
	SETTING_RANK_FREQUENCY_LIMITS,
	SETTING_RANK_IDLE_MACHINE,
	SETTING_RANK_IDLE_CPU
};

union setting_value {
	bool on;
	uint64_t number;
	const char *text;
	struct {
		bool on;
		bool ordered; /* the priority type: else proportional */
		bool force; /* off even if SST-TF of another domain of the package needs it */
	} core_power;
	struct {
		uint32_t id; /* 0 to 3 */
		struct sst_clos parameters; /* MHz rounded down to 100 */
		bool keep_desired; /* the desired frequency stays as it is */
	} clos;
	struct {
		bool is_of_level; /* the limits of the level; else ratios */
		uint64_t ratios; /* eight bytes of 100 MHz, as in the MSR */
	} trl;
	struct {
		uint32_t min_khz;
		uint32_t max_khz;
		/* of a CPU whose policy was not read, or that is still to come online: the cpufreq
		 * file with the limit, or NULL; without a file, 0 and UINT32_MAX leave a limit as
		 * it is */
		const char *min_file;
		const char *max_file;
		/* the lower limit gets the value of the upper one, which is opened first if it is
		 * below base_khz */
		bool raises;
		uint32_t base_khz;
	} range;
};

/* One place and the value that the setting is to have there. */
struct setting_request {
	enum setting_id setting;
	const struct power_domain *domain; /* scope domain */
	uint32_t cpu; /* scope CPU */
	const struct uncore_unit *uncore; /* scope uncore; limits: its limits can be read */
	const struct cpuidle_state *idle_state; /* of the CPU, as it was read */
	union setting_value value;
	/* What was read before, so that it is not read again; NULL: it is read if it is needed. */
	const struct sst_pp *pp; /* SST-PP of the domain */
	const struct sst_level *current; /* its current level */
	const struct cpufreq_policy *policy; /* of the CPU */
	bool is_optional; /* limits: no error if the machine has no cpufreq */
	bool always; /* written even if it has the value: an earlier change may alter it */

	/* Answers of settings_plan(). */
	int error; /* a negative errno of reading: this place has no change */
	const char *failed; /* what could not be read, if other than the setting; static, or NULL */
	const struct power_domain *failed_domain; /* of which domain, if another one; or NULL */
	bool is_absent; /* SST-CP: the domain lacks it, and it has no change */
	bool is_needed; /* SST-CP goes off: SST-TF of another domain of the package needs it */
	size_t position; /* settings_plan() keeps the order of requests of one rank by it */
};

/* Requests of one command. */
struct setting_list {
	struct setting_request *requests;
	size_t count;
	size_t size;
	bool is_incomplete; /* memory was short when a request was added */
};

#define _cleanup_setting_list_ __attribute__((cleanup(setting_list_done)))

/* Adds a copy of the request, whose place and value must be valid until the list was planned. If
 * memory is short settings_plan() fails. */
void setting_list_add(struct setting_list *list, const struct setting_request *request);

/* Frees the requests and leaves none. */
void setting_list_done(struct setting_list *list);

/* What requests are planned with. */
struct setting_environment {
	struct platform *platform; /* NULL: no request is of Speed Select */
	const struct machine *machine;
	struct change_list *changes; /* where changes are added */
};

/* Brings the requests into the order in which they are written, and adds the changes that they
 * need: none for a setting that already has the value. What could not be read is in the requests.
 * Returns 0 or -ENOMEM. */
int settings_plan(struct setting_list *list, const struct setting_environment *environment);

/* A row of the table. */
struct setting {
	const char *name; /* as in a state file: "core-power.assoc" */
	const char *what; /* in messages */
	enum setting_scope scope;
	enum setting_type type;
	enum setting_rank rank;
	enum setting_rank rank_off; /* of types with a member on, if that is false */
	/* Plans requests that are all of this setting. Returns 0 or -ENOMEM. */
	int (*plan)(const struct setting_environment *environment, struct setting_request *requests,
		    size_t count);
	/* of settings that are the value of one file: below /sys/devices/system/cpu, its cpuN, or
	 * the directory of an uncore */
	const char *file;
	bool is_online_only; /* the file can be read only while its CPU is online */
};

/* Writes the path of the file of a request whose setting has one. */
void setting_write_path(const struct setting_request *request, char path[FILES_CPU_PATH_SIZE]);

/* The row of a setting. */
const struct setting *setting_get(enum setting_id id);

#endif

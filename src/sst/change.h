/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests for settings, and planning those of Speed Select, the same for every generation. */
#ifndef SST_CHANGE_H
#define SST_CHANGE_H

#include "change/change.h"
#include "sst/platform.h"

struct cpufreq_policy;
struct cpuidle_state;
struct uncore_unit;

/* In the order of the documents that are exported. */
enum setting_id {
	SETTING_LEVEL,
	SETTING_BASE_FREQ,
	SETTING_TURBO_FREQ,
	SETTING_TRL,
	SETTING_CORE_POWER,
	SETTING_PRIORITY,
	SETTING_CLOS_MIN,
	SETTING_CLOS_MAX,
	SETTING_CLOS_DESIRED,
	SETTING_CLOS_EPP,
	SETTING_CLOS_WEIGHT,
	SETTING_ASSOC,
	SETTING_ONLINE,
	SETTING_OFFLINE_BY,
	SETTING_CPUFREQ_MIN,
	SETTING_CPUFREQ_MAX,
	SETTING_GOVERNOR,
	SETTING_EPP,
	SETTING_EPB,
	SETTING_TURBO,
	SETTING_HWP_BOOST,
	SETTING_MIN_PCT,
	SETTING_MAX_PCT,
	SETTING_PSTATE,
	SETTING_IDLE_STATE,
	SETTING_QOS_LATENCY,
	SETTING_IDLE_GOVERNOR,
	SETTING_C02,
	SETTING_UMWAIT_MAX_TIME,
	SETTING_C1_DEMOTION,
	SETTING_UNCORE_MIN,
	SETTING_UNCORE_MAX,
	SETTING_ELC_LOW_THRESHOLD,
	SETTING_ELC_HIGH_THRESHOLD,
	SETTING_ELC_HIGH,
	SETTING_ELC_FLOOR,
	N_SETTINGS,
	/* requests for groups of them */
	SETTING_CLOS = SETTING_CLOS_MIN,
	SETTING_FREQUENCY_LIMITS = SETTING_CPUFREQ_MIN,
	SETTING_UNCORE_LIMITS = SETTING_UNCORE_MIN
};

/* SST-CP and CLOS are switched one by one on mailbox parts. */
#define SETTING_PART_PM_CONFIG "pm-config"
#define SETTING_PART_CLOS      "clos"

/* What a change of a setting is in the change journal. */
static inline struct change_subject subject_of(enum setting_id id)
{
	return (struct change_subject){ .setting = (unsigned int)id + 1 };
}

static inline struct change_subject subject_of_part(enum setting_id id, const char *part)
{
	return (struct change_subject){ .setting = (unsigned int)id + 1, .part = part };
}

union setting_value {
	bool on;
	uint64_t number;
	const char *text;
	struct {
		bool on;
		bool ordered; /* the priority type: else proportional */
		bool clos_differs; /* with two switches: that of CLOS gets the opposite of on */
		bool force; /* off even if SST-TF of another domain of the package needs it */
	} core_power;
	struct {
		uint32_t id; /* 0 to 3 */
		struct sst_clos parameters; /* MHz rounded down to 100 */
		bool keep_desired; /* the desired frequency stays as it is */
	} clos;
	struct {
		bool is_of_level; /* those of the current level, which planning reads */
		uint64_t ratios; /* else: eight bytes of 100 MHz, as in the MSR */
	} trl;
	struct {
		uint32_t min_khz;
		uint32_t max_khz;
		/* of a CPU whose policy was not read, or that is about to come online: the cpufreq
		 * file with the limit, or NULL; without a file, 0 and UINT32_MAX leave a limit as
		 * it is */
		const char *min_file;
		const char *max_file;
		/* the upper limit is the highest frequency, which earlier changes move: undoing
		 * removes it */
		bool was_open;
		/* the lower limit gets the value of the upper one, which is opened first if it is
		 * below base_khz */
		bool raises;
		uint32_t base_khz; /* the base frequency after the plan; 0: as now */
		struct khz_range ends; /* of the range, as far as they were read; 0: not known */
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
	/* limits: no error if the machine has no cpufreq; turbo: a note if BIOS has it off */
	bool is_optional;
	/* written even if it has the value: an earlier change may alter it; settings_plan() sets
	 * it, too, after a change of cpufreq.pstate */
	bool always;
	bool is_coming; /* the CPU is offline until earlier changes are made */

	/* Answers of settings_plan(). */
	int error; /* a negative errno of reading: this place has no change */
	const char *failed; /* what could not be read, if other than the setting; static, or NULL */
	const struct power_domain *failed_domain; /* of which domain, if another one; or NULL */
	bool is_absent; /* SST-CP: the domain lacks it, and it has no change */
	bool is_needed; /* SST-CP goes off: SST-TF of another domain of the package needs it */

	/* Of settings_plan(): the order of requests of one rank; and whether SST-BF or SST-TF goes
	 * off in one change with the other one, which goes on. */
	size_t position;
	bool goes_on_with_other;
};

/* What requests are planned with. */
struct setting_environment {
	struct platform *platform; /* NULL: no request is of Speed Select */
	const struct machine *machine;
	struct change_list *changes; /* where changes are added */
};

/* Each plans requests of one setting, as settings_plan() does: reads the present values, for all
 * requests together, and adds the changes that differ. A request whose error is not 0 then, a
 * negative errno of channel.h, could not be read and has no change. All return 0 or -ENOMEM. */

/* The performance level (value.number); undoing restores what a change of level resets. After the
 * last change there is a wait until Linux shows the new base frequencies. Each domain once. Error
 * -EROFS: the level is locked. */
int sst_plan_level(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* SST-BF and SST-TF at the current level (value.on), each of a domain once: both are one change.
 * One without a request stays as it is. */
int sst_plan_feature(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count);

/* SST-CP and CLOS, with that priority type (value.core_power). Each domain once. If the platform
 * shares_clos, the last request of a package sets all its domains, here and for parameters, unless
 * one of them cannot be read, or SST-TF is on in one that no request is for (is_needed). */
int sst_plan_core_power(const struct setting_environment *environment,
			struct setting_request *requests, size_t count);

/* The parameters of a CLOS (value.clos). Each CLOS of a domain once. If the platform shares_clos
 * and SST-CP of a domain without CPUs cannot be read, the requests of its package fail;
 * associations too. */
int sst_plan_clos(const struct setting_environment *environment, struct setting_request *requests,
		  size_t count);

/* The CLOS of the core of a CPU (value.number); a core is written once, by its first request. */
int sst_plan_assoc(const struct setting_environment *environment, struct setting_request *requests,
		   size_t count);

/* The turbo-ratio limits of the domain's package (value.trl); a package is written once, by its
 * last request. A domain without an online CPU is ignored. */
int sst_plan_trl(const struct setting_environment *environment, struct setting_request *requests,
		 size_t count);

/* The turbo-ratio limits of each package of which the changes so far bring CPUs online, once more,
 * as they are before these or as the changes leave them: kernels before 6.16 set those again that
 * were last written through the device (hardware.md, section 2). Only of packages with a note of
 * such a write (sst/trl_note.h) and an online CPU, and not of those in others (NULL: none). Limits
 * that cannot be read are left alone. To be called after the last CPU came online. Returns 0 or
 * -ENOMEM. */
int sst_plan_trl_again(const struct setting_environment *environment, const struct cpuset *others);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests for settings: each is one setting, its location, and the value that a command wants. */
#ifndef SETTINGS_REQUEST_H
#define SETTINGS_REQUEST_H

#include "change/change.h"
#include "host/cpufreq.h"
#include "sst/platform.h"

struct cpuidle_state;
struct power_zone;
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
	SETTING_PL1,
	SETTING_PL1_WINDOW,
	SETTING_PL2,
	SETTING_PL2_WINDOW,
	SETTING_POWER_ENABLED,
	SETTING_DRAM_PL1,
	SETTING_PSYS_PL1,
	N_SETTINGS,
	/* identifiers of groups of settings */
	SETTING_CLOS = SETTING_CLOS_MIN,
	SETTING_FREQUENCY_LIMITS = SETTING_CPUFREQ_MIN,
	SETTING_UNCORE_LIMITS = SETTING_UNCORE_MIN
};

/* Parts of settings. Mailbox parts switch SST-CP and CLOS one by one; Cascade Lake-N implements
 * SST-BF with limits of cpufreq; files of control groups isolate CPUs. */
#define SETTING_PART_PM_CONFIG   "pm-config"
#define SETTING_PART_CLOS        "clos"
#define SETTING_PART_MIN         "min-mhz"
#define SETTING_PART_MAX         "max-mhz"
#define SETTING_PART_CONTROLLERS "controllers"
#define SETTING_PART_GROUP       "group"
#define SETTING_PART_CPUS        "cpus"
#define SETTING_PART_PARTITION   "partition"

/* Identify a setting, or a part of a setting, in the change journal. */
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
		bool force; /* off even if SST-TF of another domain needs SST-CP */
	} core_power;
	struct {
		uint32_t id; /* 0 to 3 */
		struct sst_clos parameters; /* MHz rounded down to 100 */
		bool keep_desired; /* the desired frequency stays unchanged */
	} clos;
	struct {
		bool is_of_level; /* use the ratios of the current level, which planning reads */
		uint64_t ratios; /* else: eight bytes of 100 MHz, as in the MSR */
	} trl;
	struct {
		uint32_t min_khz;
		uint32_t max_khz;
		/* for a CPU whose policy was not read, or that is about to come online: the
		 * frequency that becomes the limit; without it, min_khz 0 and max_khz UINT32_MAX
		 * leave a limit unchanged */
		enum cpufreq_frequency min_from;
		enum cpufreq_frequency max_from;
		/* earlier changes move the highest frequency: undoing removes an upper limit that
		 * equals the present highest one */
		bool moves;
		/* the lower limit becomes the upper one, which is removed first if it is below
		 * base_khz */
		bool raises;
		uint32_t base_khz; /* the base frequency after the plan; 0: as now */
		struct khz_range present; /* the limits as they were read; 0: unknown */
		struct khz_range ends; /* of the range, as far as they were read; 0: unknown */
	} range;
};

/* One location, and the value that the setting gets there. A large machine has tens of thousands of
 * requests, so the order of members leaves few gaps. */
struct setting_request {
	enum setting_id setting;
	const struct power_domain *domain; /* scope domain */
	uint32_t cpu; /* scope CPU */
	bool is_raised; /* a limit that rises */
	bool is_disabled; /* the idle state is disabled on the CPU now */
	/* limits: no error if the machine has no cpufreq; turbo: a note if BIOS keeps it off */
	bool is_optional;
	/* written even if the value is the same, as an earlier change may alter it; also set by
	 * settings_plan() after a change of cpufreq.pstate */
	bool always;
	const struct uncore_unit *uncore; /* scope uncore; limits: its limits can be read */
	const struct power_zone *zone; /* of power limits; NULL: the machine has no such zone */
	const struct cpuidle_state *idle_state; /* its number and name, the same on each CPU */
	union setting_value value;
	/* Values that were read before and are not read again. NULL: read if needed. */
	const struct sst_pp *pp; /* SST-PP of the domain */
	const struct sst_level *current; /* its current level */
	const struct cpufreq_policy *policy; /* of the CPU */
	bool is_pending; /* the CPU is offline until earlier changes are made */
	bool is_alone; /* SST-CP and CLOS: only of this domain, even if its package shares them */

	/* Results of settings_plan(). */
	bool is_absent; /* SST-CP: the domain lacks it, so there is no change */
	bool is_needed; /* SST-CP goes off, but SST-TF of another domain in the package needs it */
	int error; /* a negative errno of reading: the request has no change */
	/* What could not be read, if not the setting: static text, or the path of a file of the
	 * machine that all requests need. Or NULL. */
	const char *failed;
	const struct power_domain *failed_domain; /* the domain that failed, if another */

	/* For settings_plan(): the order of requests of one rank; and true if SST-BF or SST-TF goes
	 * off in the same change that switches the other one on. */
	uint32_t position;
	bool goes_on_with_other;
};

/* Objects that planning uses. */
struct setting_environment {
	struct platform *platform; /* NULL: no request is of Speed Select */
	const struct machine *machine;
	struct change_list *changes; /* changes are added to this list */
};

/* Requests of one command. */
struct setting_list {
	struct setting_request *requests;
	size_t count;
	size_t size;
	bool is_incomplete; /* memory was short when a request was added */
};

#define _cleanup_setting_list_ __attribute__((cleanup(setting_list_done)))

/* Adds a copy of the request. Its location and value must be valid until the list is planned. If
 * memory is short, settings_plan() fails. */
void setting_list_add(struct setting_list *list, const struct setting_request *request);

/* Frees the requests and leaves none. */
void setting_list_done(struct setting_list *list);

/* Sorts the requests into the order of writing, and adds the changes that they need: none for a
 * setting that already has the value. A request that could not be read has an error. If SST-CP is
 * to be switched on in a domain that does not have it, later requests of the domain are dropped.
 * Returns 0 or -ENOMEM. */
int settings_plan(struct setting_list *list, const struct setting_environment *environment);

#endif

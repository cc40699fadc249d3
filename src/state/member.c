// SPDX-License-Identifier: GPL-2.0-only
/* The table of the members of state documents, and their values. */
#include "state/member.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

static const char *const trl_words[] = { "level", "open", NULL };
static const char *const priority_words[] = { "proportional", "ordered", NULL };
static const char *const limit_words[] = { "min", "base", "max", NULL };
static const char *const online_words[] = { "follow-level", NULL };
static const char *const offline_words[] = { "hotplug", "cgroup", NULL };
static const char *const epp_words[] = { "performance", "balance_performance", "balance_power",
					 "power", NULL };
static const char *const pstate_words[] = { "active", "passive", NULL };
static const char *const latency_words[] = { "none", NULL };

#define KHZ_PER_MHZ 1000
#define CLOS_FLAGS  (MEMBER_OF_SST | MEMBER_IN_CLOS)
#define MAX_KHZ     STATE_UNLIMITED_KHZ

static const struct member members[N_MEMBERS] = {
	[MEMBER_LEVEL] = { "perf-profile.level", SETTING_LEVEL, PLACE_DOMAIN, MEMBER_TYPE_NUMBER,
			   .max = SST_MAX_LEVEL, .flags = MEMBER_OF_SST,
			   .about = "performance level" },
	[MEMBER_BASE_FREQ] = { "base-freq.enabled", SETTING_BASE_FREQ, PLACE_DOMAIN,
			       MEMBER_TYPE_BOOLEAN, .flags = MEMBER_OF_SST,
			       .about = "SST-BF: some cores have a higher base frequency",
			       .reset = "false" },
	[MEMBER_TURBO_FREQ] = { "turbo-freq.enabled", SETTING_TURBO_FREQ, PLACE_DOMAIN,
				MEMBER_TYPE_BOOLEAN, .flags = MEMBER_OF_SST,
				.about = "SST-TF: some cores have a higher turbo frequency",
				.reset = "false" },
	[MEMBER_TRL] = { "turbo-mode.trl", SETTING_TRL, PLACE_PACKAGE, MEMBER_TYPE_RATIOS,
			 trl_words, .flags = MEMBER_OF_SST,
			 .about =
				 "turbo-ratio limits: of the level, none, or eight bytes of 100 MHz",
			 .reset = "\"level\"" },
	[MEMBER_CORE_POWER] = { "core-power.enabled", SETTING_CORE_POWER, PLACE_DOMAIN,
				MEMBER_TYPE_BOOLEAN, .flags = MEMBER_OF_SST,
				.about = "SST-CP: priorities of cores by CLOS", .reset = "false" },
	[MEMBER_PRIORITY] = { "core-power.priority", SETTING_CORE_POWER, PLACE_DOMAIN,
			      MEMBER_TYPE_WORD, priority_words, .flags = MEMBER_OF_SST,
			      .about = "how CLOS share power", .reset = "\"proportional\"" },
	[MEMBER_CLOS_MIN] = { "core-power.clos.N.min-mhz", SETTING_CLOS, PLACE_DOMAIN,
			      MEMBER_TYPE_HUNDREDS, limit_words, .max = MAX_KHZ,
			      .flags = CLOS_FLAGS, .unit = "MHz",
			      .about = "lower frequency limit of the CLOS", .reset = "\"min\"" },
	[MEMBER_CLOS_MAX] = { "core-power.clos.N.max-mhz", SETTING_CLOS, PLACE_DOMAIN,
			      MEMBER_TYPE_HUNDREDS, limit_words, .min = 100000, .max = MAX_KHZ,
			      .flags = CLOS_FLAGS, .unit = "MHz",
			      .about = "upper frequency limit of the CLOS", .reset = "\"max\"" },
	[MEMBER_CLOS_DESIRED] = { "core-power.clos.N.desired-mhz", SETTING_CLOS, PLACE_DOMAIN,
				  MEMBER_TYPE_HUNDREDS, .max = MAX_KHZ, .flags = CLOS_FLAGS,
				  .unit = "MHz", .about = "desired frequency of the CLOS",
				  .reset = "0" },
	[MEMBER_CLOS_EPP] = { "core-power.clos.N.epp", SETTING_CLOS, PLACE_DOMAIN,
			      MEMBER_TYPE_NUMBER, .max = 15, .flags = CLOS_FLAGS,
			      .about = "energy performance preference of the CLOS", .reset = "0" },
	[MEMBER_CLOS_WEIGHT] = { "core-power.clos.N.weight", SETTING_CLOS, PLACE_DOMAIN,
				 MEMBER_TYPE_NUMBER, .max = 15, .flags = CLOS_FLAGS,
				 .about = "weight of the CLOS with proportional priority",
				 .reset = "0" },
	[MEMBER_ASSOC] = { "core-power.assoc", SETTING_ASSOC, PLACE_CORE, MEMBER_TYPE_NUMBER,
			   .max = SST_CLOS_COUNT - 1, .flags = MEMBER_OF_SST,
			   .about = "the CLOS of the core", .reset = "0" },
	[MEMBER_ONLINE] = { "online", N_SETTINGS, PLACE_CPU, MEMBER_TYPE_BOOLEAN, online_words,
			    .flags = MEMBER_ON_DOMAINS,
			    .about = "CPUs online; of power domains: those that the level enables",
			    .reset = "\"follow-level\"" },
	[MEMBER_OFFLINE_BY] = { "offline-by", N_SETTINGS, PLACE_CPU, MEMBER_TYPE_WORD,
				offline_words, .about = "how CPUs beside \"online\" go offline" },
	[MEMBER_CPUFREQ_MIN] = { "cpufreq.min-mhz", SETTING_FREQUENCY_LIMITS, PLACE_POLICY,
				 MEMBER_TYPE_MHZ, limit_words, .min = 1, .max = UINT32_MAX,
				 .unit = "MHz", .about = "lower frequency limit of the policy",
				 .reset = "\"min\"" },
	[MEMBER_CPUFREQ_MAX] = { "cpufreq.max-mhz", SETTING_FREQUENCY_LIMITS, PLACE_POLICY,
				 MEMBER_TYPE_MHZ, limit_words, .min = 1, .max = UINT32_MAX,
				 .unit = "MHz", .about = "upper frequency limit of the policy",
				 .reset = "\"max\"" },
	[MEMBER_GOVERNOR] = { "cpufreq.governor", SETTING_GOVERNOR, PLACE_POLICY, MEMBER_TYPE_TEXT,
			      .about = "governor of the policy" },
	[MEMBER_EPP] = { "cpufreq.epp", SETTING_EPP, PLACE_POLICY, MEMBER_TYPE_NUMBER, epp_words,
			 .max = 255, .about = "energy performance preference of the policy" },
	[MEMBER_EPB] = { "cpufreq.epb", SETTING_EPB, PLACE_CPU, MEMBER_TYPE_NUMBER, .max = 15,
			 .about = "energy performance bias of the CPU" },
	[MEMBER_TURBO] = { "cpufreq.turbo", SETTING_TURBO, PLACE_MACHINE, MEMBER_TYPE_BOOLEAN,
			   .about = "turbo of the whole machine", .reset = "true" },
	[MEMBER_HWP_BOOST] = { "cpufreq.hwp-boost", SETTING_HWP_BOOST, PLACE_MACHINE,
			       MEMBER_TYPE_BOOLEAN,
			       .about = "intel_pstate: raise the frequency of CPUs that waited for "
					"input or output" },
	[MEMBER_MIN_PCT] = { "cpufreq.min-pct", SETTING_MIN_PERCENT, PLACE_MACHINE,
			     MEMBER_TYPE_NUMBER, .max = 100, .unit = "percent",
			     .about = "intel_pstate: lower limit of all CPUs, of the highest "
				      "frequency" },
	[MEMBER_MAX_PCT] = { "cpufreq.max-pct", SETTING_MAX_PERCENT, PLACE_MACHINE,
			     MEMBER_TYPE_NUMBER, .max = 100, .unit = "percent",
			     .about = "intel_pstate: upper limit of all CPUs, of the highest "
				      "frequency" },
	[MEMBER_PSTATE] = { "cpufreq.pstate", SETTING_PSTATE, PLACE_MACHINE, MEMBER_TYPE_WORD,
			    pstate_words, .about = "mode of intel_pstate" },
	[MEMBER_IDLE_STATE] = { "cpuidle.states.NAME", SETTING_IDLE_STATE, PLACE_CPU,
				MEMBER_TYPE_BOOLEAN, .flags = MEMBER_IN_IDLE_STATE,
				.about = "true: the CPU may use the idle state", .reset = "true" },
	[MEMBER_QOS_LATENCY] = { "cpuidle.qos-latency-us", SETTING_QOS_LATENCY, PLACE_CPU,
				 MEMBER_TYPE_NUMBER, latency_words, .max = 2147483646, .unit = "us",
				 .about = "longest wake-up latency of the CPU",
				 .reset = "\"none\"" },
	[MEMBER_IDLE_GOVERNOR] = { "cpuidle.governor", SETTING_IDLE_GOVERNOR, PLACE_MACHINE,
				   MEMBER_TYPE_TEXT, .about = "governor of idle states" },
	[MEMBER_C02] = { "cpuidle.c02", SETTING_IDLE_C02, PLACE_MACHINE, MEMBER_TYPE_BOOLEAN,
			 .about = "the state C0.2 of umwait" },
	[MEMBER_UMWAIT_MAX_TIME] = { "cpuidle.umwait-max-time", SETTING_UMWAIT_MAX_TIME,
				     PLACE_MACHINE, MEMBER_TYPE_NUMBER, .max = UINT32_MAX - 3,
				     .unit = "TSC ticks",
				     .about =
					     "longest time in umwait, a multiple of 4; 0: no limit",
				     .step = 4 },
	[MEMBER_C1_DEMOTION] = { "cpuidle.c1-demotion", SETTING_C1_DEMOTION, PLACE_MACHINE,
				 MEMBER_TYPE_BOOLEAN,
				 .about = "let the CPU use C1 where the kernel asks for C1E" },
	[MEMBER_UNCORE_MIN] = { "uncore.min-mhz", SETTING_UNCORE_LIMITS, PLACE_UNCORE,
				MEMBER_TYPE_HUNDREDS, limit_words, .min = 100000, .max = MAX_KHZ,
				.unit = "MHz", .about = "lower limit of the uncore frequency",
				.reset = "\"min\"" },
	[MEMBER_UNCORE_MAX] = { "uncore.max-mhz", SETTING_UNCORE_LIMITS, PLACE_UNCORE,
				MEMBER_TYPE_HUNDREDS, limit_words, .min = 100000, .max = MAX_KHZ,
				.unit = "MHz", .about = "upper limit of the uncore frequency",
				.reset = "\"max\"" },
	[MEMBER_ELC_LOW_THRESHOLD] = { "uncore.elc-low-threshold", SETTING_ELC_LOW_THRESHOLD,
				       PLACE_UNCORE, MEMBER_TYPE_NUMBER, .max = 100,
				       .unit = "percent",
				       .about = "utilization below which the floor holds" },
	[MEMBER_ELC_HIGH_THRESHOLD] = { "uncore.elc-high-threshold", SETTING_ELC_HIGH_THRESHOLD,
					PLACE_UNCORE, MEMBER_TYPE_NUMBER, .max = 100,
					.unit = "percent",
					.about =
						"utilization above which frequency rises at once" },
	[MEMBER_ELC_HIGH] = { "uncore.elc-high", SETTING_ELC_HIGH_ENABLE, PLACE_UNCORE,
			      MEMBER_TYPE_BOOLEAN, .about = "use the high threshold" },
	[MEMBER_ELC_FLOOR] = { "uncore.elc-floor-mhz", SETTING_ELC_FLOOR, PLACE_UNCORE,
			       MEMBER_TYPE_HUNDREDS, .max = MAX_KHZ, .unit = "MHz",
			       .about = "frequency below which a little used uncore does not go" },
};

const char *place_kind_scope(enum place_kind kind)
{
	static const char *const scopes[N_PLACE_KINDS] = {
		[PLACE_MACHINE] = "the whole machine",
		[PLACE_PACKAGE] = "each package",
		[PLACE_DOMAIN] = "each power domain",
		[PLACE_UNCORE] = "each uncore",
		[PLACE_CORE] = "each core",
		[PLACE_POLICY] = "each cpufreq policy",
		[PLACE_CPU] = "each CPU",
	};

	return scopes[kind];
}

const struct member *member_get(enum member_id id)
{
	return &members[id];
}

bool member_is_named(enum member_id id, const char *name)
{
	const char *path = members[id].path;
	size_t length = strlen(name);

	return path && length && strncmp(name, path, length) == 0 &&
	       (path[length] == '\0' || path[length] == '.');
}

bool state_value_equal(const struct state_value *left, const struct state_value *right)
{
	if (left->kind != right->kind)
		return false;
	switch (left->kind) {
	case STATE_NONE:
	case STATE_ASKED:
	case STATE_LACKING:
		return true;
	case STATE_UNREADABLE:
		return left->error == right->error;
	case STATE_WORD:
		return strcmp(left->text, right->text) == 0;
	default:
		return left->number == right->number;
	}
}

char *state_value_format(const struct state_value *value)
{
	char mhz[NUMBER_MHZ_SIZE];

	switch (value->kind) {
	case STATE_BOOLEAN:
		return strdup(value->number ? "true" : "false");
	case STATE_NUMBER:
		return text_format("%" PRIu64, value->number);
	case STATE_KHZ:
		number_format_mhz((uint32_t)value->number, mhz);
		return strdup(mhz);
	case STATE_RATIOS:
		return text_format("0x%016" PRIx64, value->number);
	case STATE_WORD:
		return strdup(value->text);
	default:
		return strdup("-");
	}
}

json_t *state_value_to_json(const struct state_value *value)
{
	_cleanup_free_ char *text = NULL;

	switch (value->kind) {
	case STATE_BOOLEAN:
		return json_boolean(value->number);
	case STATE_NUMBER:
		return json_integer((json_int_t)value->number);
	case STATE_KHZ:
		return value->number % KHZ_PER_MHZ
			       ? json_real((double)value->number / KHZ_PER_MHZ)
			       : json_integer((json_int_t)(value->number / KHZ_PER_MHZ));
	case STATE_RATIOS:
	case STATE_WORD:
		text = state_value_format(value);
		return text ? json_string(text) : NULL;
	default:
		return json_null();
	}
}

const char *member_find_unknown(const char *const *only)
{
	for (; only && *only; only++) {
		bool is_known = false;

		for (enum member_id id = 0; id < N_MEMBERS && !is_known; id++) {
			is_known = member_is_named(id, *only);
		}
		if (!is_known)
			return *only;
	}
	return NULL;
}

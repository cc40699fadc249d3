/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and checks a platform file, and converts it for the simulator: ratios instead of MHz, an
 * entry for each logical CPU. intel-speed-select-platform(5) describes the file. */
#ifndef SIMULATOR_PLATFORM_FILE_H
#define SIMULATOR_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "simulator/punit.h"

struct json_reader;
struct json_t;
struct recording;

enum sim_interface { SIM_INTERFACE_NONE, SIM_INTERFACE_MAILBOX, SIM_INTERFACE_TPMI };
enum sim_uncore_layout { SIM_UNCORE_LEGACY, SIM_UNCORE_TPMI, SIM_UNCORE_NONE };

#define SIM_MAX_WORDS       255
#define SIM_MAX_IDLE_STATES 10
#define SIM_MAX_PACKAGES    64
#define SIM_MAX_DOMAINS     32 /* of a package: power-domain ids have 5 bits in physical_cpu */
#define SIM_MAX_CPUS        8192
#define SIM_MAX_FAMILY      270 /* 0xf and the 8 bits of the extended family */
#define SIM_MAX_STEPPING    15
#define SIM_MAX_KHZ         25500000 /* a ratio has 8 bits */
#define SIM_MAX_UNCORE_KHZ  12700000 /* an uncore ratio has 7 bits */

/* One logical CPU. */
struct sim_cpu {
	uint32_t package;
	uint32_t domain; /* index into sim_platform.domains */
	uint32_t core_id; /* as sysfs shows it: unique within the package */
	uint32_t physical_cpu; /* the answer of GET_PHY_ID */
	uint32_t policy; /* the lowest CPU of its cpufreq policy */
	uint32_t first; /* the lowest CPU of its core */
};

struct sim_domain {
	uint32_t package;
	uint32_t socket; /* the number of the package; in a recording there can be gaps */
	uint32_t die;
	uint32_t punit; /* its power-domain id within the package */
	uint32_t index; /* its position in the package, from 0, in the order of the file */
	uint32_t partition; /* the number of its TPMI device in the package */
	struct cpuset cores; /* PUNIT core ids; empty for an IO die */
	struct cpuset cpus;
	bool has_sst;
	struct punit_fuses fuses;
	struct punit_state initial;
};

struct sim_idle_state {
	const char *name;
	const char *desc;
	uint32_t latency_us;
	uint32_t true_latency_us; /* of the hardware; 0: latency_us */
	uint32_t residency_us;
	bool disabled;
};

struct sim_cpufreq {
	const char *driver;
	uint32_t min_khz;
	uint32_t max_khz;
	uint32_t base_khz;
	const char
		*governors[SIM_MAX_WORDS + 1]; /* NULL-terminated; governor and epp are indices */
	uint32_t governor;
	const char *epps[SIM_MAX_WORDS + 1];
	uint32_t epp;
	uint32_t epb;
	bool no_turbo;
	struct cpuset high_priority_cpus; /* Cascade Lake-N: CPUs with another base frequency */
	uint32_t high_priority_base_khz;
};

/* The words of smt/control. */
enum sim_smt { SIM_SMT_ON, SIM_SMT_OFF, SIM_SMT_FORCEOFF, SIM_SMT_NOTSUPPORTED, SIM_SMT_WORDS };
extern const char *const sim_smt_words[SIM_SMT_WORDS + 1]; /* NULL-terminated */

/* The unit whose active cores are counted by the turbo-ratio tables of TPMI parts. */
enum sim_turbo_counts { SIM_COUNTS_PACKAGE, SIM_COUNTS_POWER_DOMAIN };

/* When cpuinfo_max_freq follows HWP_CAPABILITIES: at once, when the guaranteed frequency changes
 * too, or only when policies are made. */
enum sim_highest_follows { SIM_FOLLOWS_ALWAYS, SIM_FOLLOWS_WITH_GUARANTEED, SIM_FOLLOWS_NEVER };

/* The sources of the activity of CPUs. A machine can lack each of them. */
struct sim_sources {
	uint32_t perf_event_paranoid;
	bool cpu, msr, cstate_core, cstate_pkg, power; /* PMUs */
	bool energy; /* of powercap */
	bool temperature;
	bool throttle;
	bool limit_reasons;
	bool uncore_current;
};

/* Power limits by their names. */
enum sim_power_limit { SIM_LONG_TERM, SIM_SHORT_TERM, SIM_PEAK_POWER, SIM_POWER_LIMITS };

/* "long_term", "short_term", "peak_power". */
extern const char *const sim_power_names[SIM_POWER_LIMITS + 1]; /* NULL-terminated */

#define SIM_NO_PACKAGE UINT32_MAX

struct sim_power_state {
	uint64_t uw[SIM_POWER_LIMITS];
	uint32_t window_us[SIM_POWER_LIMITS];
	uint32_t enabled;
};

/* A directory of /sys/class/powercap. */
struct sim_power_zone {
	char directory[32]; /* "intel-rapl:0" */
	char name[32]; /* "package-0" */
	bool is_mmio;
	uint32_t package; /* SIM_NO_PACKAGE: of the platform, or of a part of a package */
	/* The kind of each limit, by its number; SIM_POWER_LIMITS: no such limit. */
	uint8_t order[SIM_POWER_LIMITS];
	struct sim_power_state start;
};

struct sim_platform {
	uint32_t schema;
	const char *name;
	const char *description;
	const char *estimates; /* which figures are only estimates, or NULL */
	const char *kernel; /* release, such as "6.12" */
	struct {
		uint32_t family;
		uint32_t model;
		uint32_t stepping;
		const char *model_name;
		bool hfi;
	} cpu;
	enum sim_interface interface;
	enum sim_turbo_counts turbo_counts;
	enum sim_highest_follows highest_follows;
	uint16_t api_version;
	uint16_t driver_version;
	uint16_t max_cmds_per_ioctl;
	bool mbox;
	bool mmio;
	uint32_t threads_per_core;
	uint32_t cores_per_module;
	uint32_t numbering; /* of logical CPUs */
	bool cpu0_online_file;
	uint32_t smt; /* index into sim_smt_words */
	struct cpuset offline; /* CPUs that are offline at first */
	struct cpuset shared; /* CPUs that share a policy */
	bool is_hybrid;
	struct cpuset efficient; /* CPUs of a hybrid machine; the others are performance cores */
	uint32_t efficient_max_khz;
	uint32_t efficient_base_khz;
	size_t n_packages;
	size_t n_domains;
	struct sim_domain *domains; /* in the file's order: package by package */
	size_t n_cpus;
	struct sim_cpu *cpus; /* by logical CPU; numbers have no holes */
	bool has_cpufreq;
	bool has_high_priority;
	struct sim_cpufreq cpufreq;
	bool has_cpuidle;
	const char *idle_driver;
	const char *idle_governor;
	uint8_t n_idle_states;
	struct sim_idle_state idle_states[SIM_MAX_IDLE_STATES];
	bool has_c1_demotion;
	bool c1_demotion;
	bool has_umwait;
	bool umwait_c02;
	uint32_t umwait_max_time;
	enum sim_uncore_layout uncore;
	uint32_t uncore_min_khz;
	uint32_t uncore_max_khz; /* of domains with cores */
	uint32_t uncore_io_max_khz; /* of domains without cores; 0: uncore_max_khz */
	bool has_powercap;
	uint32_t long_term_w, short_term_w; /* power limits of each package */
	uint32_t long_term_us; /* their windows; 0: the simulator's default */
	uint32_t short_term_us;
	uint32_t power_max_w; /* shown as the highest limits; 0: unknown */
	uint32_t power_min_w; /* 0: not shown */
	uint32_t dram_w; /* of each package's DRAM; 0: it has no limit */
	uint32_t mmio_w; /* of each package's MMIO zone; 0: no such zone */
	uint32_t power_unit_bits; /* limits are multiples of 1 / 2^n W */
	uint32_t time_unit_bits; /* windows are made of units of 1 / 2^n s */
	bool power_locked; /* by BIOS */
	bool power_follows_level; /* firmware sets the long-term limit to the TDP of a new level */
	struct sim_power_zone *power_zones;
	size_t n_power_zones;
	struct sim_sources sources;
	uint32_t workload_seed;
	bool has_msrs;
	struct punit_package *msrs; /* at start, by package; NULL: none */
	bool has_sst; /* of domains with cores */
	bool has_io_sst; /* of domains without cores */
	struct recording *recording; /* the recorded answers of a real machine; or NULL */
	uint64_t digest; /* of the text, which the state must match */
	struct json_t *json; /* owns the strings */
};

/* Reads and checks the text of a platform file; file_name is for messages only.
 * Returns 0 and a new platform; or -EINVAL, and *ret_message is a new line "FILE: MEMBER: what is
 * wrong" (unknown, missing, malformed, out of range, contradictory) or, for a text that is not
 * JSON, "FILE:LINE: what is wrong"; or -ENOMEM. */
int platform_file_parse(const char *file_name, const char *text, size_t length,
			struct sim_platform **ret_platform, char **ret_message);

/* Returns true for a second thread that the kernel keeps offline because SMT is off. */
bool platform_file_is_held(const struct sim_platform *platform, uint32_t cpu);

/* Returns the id of the PUNIT core that a CPU belongs to. */
static inline uint32_t platform_file_core(const struct sim_platform *platform, uint32_t cpu)
{
	return platform->cpus[cpu].physical_cpu >> (platform->api_version == 1 ? 1 : 3) & 0xff;
}

/* Returns the first domain that has the die of an earlier domain of its package, or NULL. */
const struct sim_domain *platform_file_find_shared_die(const struct sim_platform *platform);

/* Finds the first length bytes of word in a NULL-terminated list. Returns the index, or -1. */
int platform_file_find_word(const char *const *words, const char *word, size_t length);

/* Frees the platform; NULL is fine. */
void platform_file_free(struct sim_platform *platform);

/* Reads the member `sst` or `io_sst` (platform_sst.c): the fuses and the initial state of every
 * compute domain or IO domain. to is a struct sim_platform whose other members are known. */
void platform_sst_read(struct json_reader *reader, struct json_t *object, void *to);

/* FNV-1a, 64 bits. It detects that a text has changed; it does not protect against an attacker. */
static inline uint64_t digest_bytes(const char *data, size_t length)
{
	uint64_t digest = 0xcbf29ce484222325U;

	for (size_t i = 0; i < length; i++) {
		digest ^= (unsigned char)data[i];
		digest *= 0x100000001b3U;
	}
	return digest;
}

#endif

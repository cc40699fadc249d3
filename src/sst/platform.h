/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses Speed Select of any generation, with one table of operations for mailbox parts, one for
 * TPMI parts, one for Cascade Lake-N. An operation handles all domains of a command at once, so
 * that requests go out in batches, and sets an error in each element. */
#ifndef SST_PLATFORM_H
#define SST_PLATFORM_H

#include "host/machine.h"
#include "host/target.h"
#include "sst/domains.h"
#include "sst/sst.h"

/* Which parts of a level to read. */
enum platform_part {
	PLATFORM_SUPPORT = 0, /* which of SST-BF and SST-TF it has; always read */
	PLATFORM_LEVEL = 1 << 0, /* the level's own figures */
	PLATFORM_BASE_FREQ = 1 << 1, /* SST-BF, if supported */
	PLATFORM_TURBO_FREQ = 1 << 2, /* SST-TF, if supported */
	PLATFORM_CPUS = 1 << 3 /* the CPUs that it enables; part of PLATFORM_LEVEL too */
};

/* Queries, each with room for its answer; error is 0 or a negative errno of channel.h. A query
 * about a domain begins with the domain. */

struct platform_pp_query {
	const struct power_domain *domain;
	struct sst_pp pp;
	int error;
};

struct platform_level_query {
	const struct power_domain *domain;
	uint32_t level;
	bool pp_enabled;
	struct sst_level info;
	int error; /* -ENOENT: there is no such level */
	const char *failed; /* with another error: the request that failed (static text) */
};

/* Which parts of SST-CP to read. */
enum platform_core_power_part {
	PLATFORM_CORE_POWER, /* without CLOS */
	PLATFORM_CLOS, /* CLOS too */
	/* for planning (settings/sst.c): the switches too; recent answers may be reused */
	PLATFORM_SWITCHES
};

struct platform_core_power_query {
	const struct power_domain *domain;
	struct sst_core_power core_power;
	/* for planning: values of PLATFORM_TARGET_CORE_POWER and, on mailbox parts, _CLOS_SWITCH */
	struct target_value switches[2];
	bool is_unknown; /* for planning: this part does not report the first switch */
	int error;
};

/* A query of the value of a target; for planning, the target is part of the answer. */
struct platform_query {
	const struct power_domain *domain; /* associations: part of the answer */
	uint32_t cpu; /* associations only */
	/* a CLOS, 0 to 3; associations: the PUNIT core of the CPU (part of the answer), which can
	 * be a module of several cores */
	uint32_t index;
	/* an earlier query of the same core or package, whose answer is copied; or NULL */
	const struct platform_query *same;
	struct write_target target;
	struct target_value value;
	/* Also -ENODEV: the driver does not serve the domain; or the errno of an unknown core. */
	int error;
};

/* Settings that can be written, and the meaning of the index of the target. */
enum platform_target {
	PLATFORM_TARGET_LEVEL,
	PLATFORM_TARGET_FEATURES, /* SST-BF and SST-TF; the index is the current level */
	PLATFORM_TARGET_CORE_POWER, /* TPMI parts: CLOS and its priority type, too */
	PLATFORM_TARGET_CLOS_SWITCH, /* mailbox parts: CLOS and its priority type */
	PLATFORM_TARGET_CLOS, /* the parameters of a CLOS, which is the index */
	PLATFORM_TARGET_ASSOCIATION /* the CLOS of a PUNIT core, which is the index */
};

/* Names for parts that number their turbo-ratio levels. */
extern const char *const platform_trl_numbers[SST_TRL_LEVELS];

struct change_list;
struct platform;
struct tpmi_domain;

/* All return 0 or -ENOMEM; operations that a platform lacks are NULL. */
struct platform_ops {
	int (*read_pp)(struct platform *platform, struct platform_pp_query *queries, size_t count);
	/* Fastest if the levels of a domain follow each other: some registers are then read once.
	 */
	int (*read_levels)(struct platform *platform, unsigned int parts,
			   struct platform_level_query *queries, size_t count);
	/* Replaces in query->info what differs by CPU on this platform: the base frequency of cpu.
	 * Returns 0 or the negative errno of reading it. */
	int (*refine_level)(struct platform *platform, struct platform_level_query *query,
			    uint32_t cpu);
	int (*read_core_power)(struct platform *platform, enum platform_core_power_part part,
			       struct platform_core_power_query *queries, size_t count);
	/* Reads the turbo ratios of a level (turbo-ratio level 0) in the format of the
	 * turbo-ratio-limit MSR. Also returns a negative errno of channel.h. */
	int (*read_level_trl)(struct platform *platform, const struct power_domain *domain,
			      uint32_t level, uint64_t *ret_trl);
	/* For planning (settings/sst.c): reads if SST-BF and SST-TF are on at the level, which is
	 * the current one. May reuse recent answers. */
	int (*read_features)(struct platform *platform, struct platform_level_query *queries,
			     size_t count);
	/* Returns the target of a setting of a domain, for values of sst/values.h; cpu is the
	 * domain's. */
	struct write_target (*target)(const struct platform *platform, enum platform_target what,
				      const struct power_domain *domain, uint32_t index);
	/* Returns the likely cause if a reading request failed with error. */
	struct target_cause (*find_cause)(int error);
};

struct platform {
	const struct platform_ops *ops;
	bool has_levels; /* SST-PP: levels with turbo-ratio limits can be read */
	bool has_clos; /* SST-CP: CLOS and associations of cores */
	/* only cpufreq shows the base frequencies of SST-BF, which is on if the limits hold each
	 * CPU at its base frequency */
	bool base_freq_by_cpufreq;
	bool lacks_proportional; /* the Skylake generation: CLOS has the ordered priority type only
				  */
	bool shows_power_domains; /* power-domain ids are part of a location in the output */
	bool guards_core_power; /* SST-CP cannot be turned off while SST-TF is on */
	bool has_level_lock; /* MSR SST_MSR_TDP_CONTROL can lock the performance level */
	bool lacks_clos_epp; /* CLOS has no EPP and no desired frequency */
	bool shares_clos; /* CLOS, its parameters and SST-CP are set for a package, not a domain */
	struct machine *machine;
	struct transport *transport; /* NULL: no driver is needed, since BIOS sets everything */
	struct channel channel;
	const struct change_list *assumed; /* see struct platform_options */
	struct isst_if_platform_info info;
	struct domain_list domains;
	struct cpuset unknown_cores; /* placed CPUs without a known core; see core_error */
	const char *const *trl_names; /* of turbo-ratio levels: "avx2"; n_trl_levels of them */
	unsigned int n_trl_levels;
	struct tpmi_domain *tpmi; /* by index of the domain: answers of a TPMI driver; or NULL */
	/* Why some packages with CPUs cannot be queried although others can; or NULL */
	char *unserved;
};

/* The beginning of the message of platform_open() if no device is there. */
#define PLATFORM_NO_DRIVER "no Speed Select driver is loaded"

struct platform_options {
	struct channel channel; /* its tries, pause, progress, stop and answers are used */
	FILE *trace; /* or NULL */
	/* Changes that are not made; reads return the values after them. None sets the level. They
	 * must outlive the platform. NULL: none. */
	const struct change_list *assumed;
};

/* Chooses the operations of this machine, opens the device and lists the power domains. Returns 0;
 * or a negative errno with *ret_message a new message for the user (perhaps NULL): -ENOTSUP (no SST
 * here, a driver missing or too new), -EACCES and -EPERM (the device may not be opened), -EIO
 * (requests could be fatal; tpmi_check_devices()), -ENOMEM, others from reading the machine. */
int platform_open(struct machine *machine, const struct platform_options *options,
		  struct platform **ret_platform, char **ret_message);

/* Closes the device and frees *platform, which may be NULL; leaves NULL. */
void platform_close(struct platform **platform);

/* Reads the parameters of each query's CLOS (value_to_clos()). Returns 0 or -ENOMEM. */
int platform_read_clos(const struct platform *platform, struct platform_query *queries,
		       size_t count);

/* Reads the CLOS of each query's CPU, each core once. Returns 0 or -ENOMEM. */
int platform_read_assoc(const struct platform *platform, struct platform_query *queries,
			size_t count);

/* Reads the targets of the queries without an error, in batches. Returns 0 or -ENOMEM. */
int platform_read(const struct platform *platform, struct platform_query *queries, size_t count);

/* Returns the value of a target of ops->target() after the assumed changes; NULL: no change. */
const struct target_value *platform_find_assumed(const struct platform *platform,
						 enum platform_target what,
						 const struct power_domain *domain, uint32_t index);

/* Gives the platform the operations of Cascade Lake-N, which has no driver: BIOS sets everything,
 * and cpufreq shows it (hardware.md, section 7). */
void clx_n_init(struct platform *platform);

/* Reads the base frequencies of the online CPUs of a package into the empty base_freq: the lowest,
 * the highest, and the CPUs with the highest. Returns 0, -ENOMEM, or the negative errno of a failed
 * read. */
int platform_read_base_freq_by_cpufreq(const struct machine *machine, const struct cpuset *cpus,
				       struct sst_base_freq *base_freq);

/* Returns the TDP ratio in a model name: "@ 2.30GHz" is 23; 0 if the name has none. */
uint32_t clx_n_parse_ratio(const char *model_name);

/* Does the same as ops->find_cause, for any platform (NULL: none is open), and for -EROFS, a locked
 * level (hardware.md, sections 3 and 4). The text is never NULL. */
struct target_cause platform_find_cause(const struct platform *platform, int error);

/* Returns a new text "PLACE: WHAT: CAUSE" about something of a domain that cannot be read; NULL: no
 * memory. */
char *platform_describe_failure(const struct platform *platform, const struct power_domain *domain,
				const char *what, int error);

#endif

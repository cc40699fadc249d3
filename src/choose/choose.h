/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses a setting that makes some cores fast: the performance level and the feature with the
 * highest frequency, the cores, and what sets them (docs/spec/choose.md, "machine choose"). Changes
 * nothing on the machine. facts.c reads the machine, placing.c places cores, rows.c finds and ranks
 * possible settings, setting.c writes a document and commands. Frequencies are in MHz; 0: unknown,
 * or none. */
#ifndef CHOOSE_CHOOSE_H
#define CHOOSE_CHOOSE_H

#include <jansson.h>

#include "settings/locations.h"
#include "sst/expected.h"

/* Features are bits: SST-BF and SST-TF can be combined. */
enum choose_feature {
	CHOOSE_NO_FEATURE = 0,
	CHOOSE_BASE_FREQ = 1,
	CHOOSE_TURBO_FREQ = 2,
	CHOOSE_BOTH = CHOOSE_BASE_FREQ | CHOOSE_TURBO_FREQ,
	CHOOSE_PRESENT = 4 /* the present setting stays */
};

/* How cores are placed on packages and power domains. */
enum choose_placing {
	CHOOSE_FEW_PACKAGES, /* as few packages as needed; evenly over their power domains */
	CHOOSE_SPREAD, /* evenly over all packages and their power domains */
	CHOOSE_PACK /* as few packages as needed, and in each as few power domains as needed */
};

/* What is requested. */
struct choose_request {
	size_t n_cores; /* at least 1; PUNIT cores */
	uint32_t mhz; /* at least, of these cores; 0: as fast as possible */
	uint32_t others_mhz; /* at least, of all other cores; 0: any */
	uint32_t watts; /* at most, TDP of each package; 0: any */
	unsigned int trl_level; /* the instruction set: a turbo-ratio level */
	bool allow_offline; /* rows that take cores offline are accepted, too */
	enum choose_placing placing;
	const struct cpuset *candidates; /* cores with one of these CPUs; NULL: all */
};

/* A PUNIT core, which can be a module; on Cascade Lake-N a set of thread siblings. */
struct choose_core {
	size_t domain; /* index into the domains */
	const uint32_t *cpus; /* CPUs of the core, ascending, offline ones too */
	size_t n_cpus;
	bool is_candidate;
};

struct choose_package {
	uint32_t number;
	size_t first; /* index of its first domain; the others follow */
	size_t n_domains;
	bool has_other_domains; /* domains without an online CPU: IO dies */
};

/* What was read of the machine. */
struct choose_facts {
	struct platform *platform;
	const struct topology *topology;
	const struct power_domain **domains; /* those with an online CPU, sorted by package */
	size_t n_domains;
	struct choose_package *packages;
	size_t n_packages;
	struct choose_core *cores; /* sorted by domain, then by first CPU */
	size_t n_cores;
	uint32_t *core_cpus; /* the array into which cores[].cpus point */
	struct state_machine *state; /* documents are compared with this state */
	struct expected expected; /* with the other levels; Cascade Lake-N has only .levels */
	struct cpuset threads; /* second threads that SMT off keeps offline */
	bool lacks_places; /* some offline CPUs have no known location */
	bool turbo_is_off;
	uint32_t max_percent; /* max_perf_pct of intel_pstate; 100: no limit */
	uint32_t *highest_mhz, *max_mhz; /* by CPU: limits of the hardware and of cpufreq */
	uint32_t *open_mhz; /* max_mhz of an online CPU without a limit of cpufreq; 0: unknown */
};

#define _cleanup_choose_facts_ __attribute__((cleanup(choose_facts_done)))

/* Reads the machine. candidates is that of the request. Returns 0; or a negative errno with
 * *ret_message a new text for the user (NULL: no memory) that names what cannot be read. */
int choose_facts_read(struct platform *platform, const struct cpuset *candidates,
		      struct choose_facts *facts, char **ret_message);
void choose_facts_done(struct choose_facts *facts);

/* Returns a level of a domain (an index), also the current one; NULL: the domain does not have it.
 */
const struct platform_level_query *choose_find_level(const struct choose_facts *facts,
						     size_t domain, uint32_t level);

/* Is the domain in the package? */
static inline bool choose_package_has(const struct choose_package *package, size_t domain)
{
	return domain >= package->first && domain < package->first + package->n_domains;
}

/* Returns the package of a domain (an index). */
const struct choose_package *choose_find_package(const struct choose_facts *facts, size_t domain);

#define CHOOSE_LEVELS_DIFFER UINT32_MAX

/* One way to set the machine. */
struct choose_row {
	uint32_t level; /* in the present setting CHOOSE_LEVELS_DIFFER if packages differ */
	enum choose_feature feature;
	unsigned int bucket; /* of SST-TF; SST_BUCKETS: the level has none */
	char *reason; /* why the row does not meet the request; NULL: it does */
	bool is_withheld; /* meets the request, but takes cores offline, which is not allowed */
	/* valid if the row meets the request or is withheld */
	uint32_t high_mhz; /* lowest of the chosen cores, with turbo and all cores busy */
	uint32_t guaranteed_mhz; /* lowest base frequency of the chosen cores */
	uint32_t others_mhz; /* high_mhz of all other online cores; 0: there are none */
	uint32_t others_guaranteed_mhz;
	uint32_t others_now_mhz; /* present frequency of the slowest other core online now; 0: none
				  */
	size_t others_slowed; /* number of other cores that get less than now */
	uint32_t tdp_w; /* the highest of the packages that are set */
	size_t cores_online; /* cores of the machine that are online afterwards */
	size_t cores_lost; /* cores that are online now, but not afterwards */
	bool changes_level;
	bool levels_differ; /* afterwards, packages have different levels */
	uint32_t *core_mhz; /* by index of the core, with turbo and all cores busy; 0: offline */
	bool *is_chosen; /* by index of the core */
	bool *is_set; /* by index of the package; other packages do not change */
	struct cpuset online; /* CPUs that are online after the row is set */
	struct cpuset cpus; /* online CPUs of the chosen cores */
};

struct choice {
	/* first the present setting if it meets the request; then other rows that meet it, best
	 * first; withheld rows, best first; rows that do not meet it, by level */
	struct choose_row *rows;
	size_t n_rows;
	size_t n_serving;
	size_t n_withheld;
	struct choose_row now; /* the present setting, with or without cores chosen */
};

#define _cleanup_choice_ __attribute__((cleanup(choice_done)))

/* Finds and ranks all rows. Compares each row that meets the request, except the present setting,
 * with the machine as state apply does. Returns 0 or -ENOMEM; choice_done() is needed in any case.
 */
int choose_find(const struct choose_facts *facts, const struct choose_request *request,
		struct choice *choice);
void choice_done(struct choice *choice);

/* Makes the row of the present setting, without chosen cores. Its frequencies are 0 if a level
 * reports none for the instruction set. Returns 0 or -ENOMEM; choose_row_done() is needed in any
 * case. */
int choose_read_present(const struct choose_facts *facts, const struct choose_request *request,
			struct choose_row *row);

/* Chooses the fastest candidates in a row of choose_read_present(). *ret_serves: the row meets the
 * request and, if no frequency is requested, is as fast as best (NULL: need not be). Returns 0 or
 * -ENOMEM. */
int choose_find_present(const struct choose_facts *facts, const struct choose_request *request,
			const struct choose_row *best, struct choose_row *row, bool *ret_serves);

void choose_row_done(struct choose_row *row);

/* Returns the first online CPU of a core, or CPUSET_NONE. */
uint32_t choose_first_online(const struct choose_core *core, const struct cpuset *online);

/* Returns true if a core is online and a level enables it. Cores that it does not enable may be
 * online. */
bool choose_is_available(const struct choose_core *core, const struct sst_level *level,
			 const struct cpuset *online);

/* Returns the highest TDP of the level in a package; 0: it is not reported. */
uint32_t choose_find_tdp(const struct choose_facts *facts, const struct choose_package *package,
			 uint32_t level);

/* Sentences that explain how rows are ranked. */
extern const char choose_rule[];

/* Where cores can be placed. */
struct choose_room {
	bool *is_usable; /* by core */
	size_t *weights; /* by core: its number of units */
	size_t *capacity; /* by package: the most units that its chosen cores may have */
};

/* Makes the arrays. Returns 0 or -ENOMEM; choose_room_done() is needed in any case. */
int choose_room_init(const struct choose_facts *facts, struct choose_room *room);
void choose_room_done(struct choose_room *room);

/* Makes the arrays of a row. Returns 0 or -ENOMEM; choose_row_done() is needed in any case. */
int choose_row_init(const struct choose_facts *facts, struct choose_row *row);

/* Adds the online CPUs of the cores chosen to the row. Returns 0 or -ENOMEM. */
int choose_add_cpus(const struct choose_facts *facts, struct choose_row *row);

/* Chooses the cores of a row: sets is_chosen and is_set. Returns 0 with *ret_most, the largest
 * number of units in a package; -ENOSPC if there are too few cores, with *ret_room, the number of
 * cores available; or -ENOMEM. */
int choose_place(const struct choose_facts *facts, const struct choose_request *request,
		 const struct choose_room *room, struct choose_row *row, size_t *ret_room,
		 size_t *ret_most);

/* Fills in the frequencies of a row for a turbo-ratio level, and the number of its online cores.
 * The caller sets level, feature, cores, packages and online CPUs of the row; core_mhz has room for
 * each core. Packages that the row does not set do not change. Returns 0 or -ENOMEM. */
int choose_predict(const struct choose_facts *facts, unsigned int trl_level,
		   struct choose_row *row);

/* Compares the document of a row with the machine, as state apply does before it writes. Returns 0
 * with *ret_problem NULL, or a new text: why state apply would refuse the document; or -ENOMEM. */
int choose_check(const struct choose_facts *facts, const struct choose_row *row,
		 char **ret_problem);

/* Return the state document of a row that meets the request, a new text, and the commands that set
 * the same state, a new array of texts. NULL: no memory. */
char *choose_format_document(const struct choose_facts *facts, const struct choose_row *row);
json_t *choose_list_commands(const struct choose_facts *facts, const struct choose_row *row);

/* Returns true if a domain of the package has another level now than the row. */
bool choose_changes_package(const struct choose_facts *facts, const struct choose_row *row,
			    const struct choose_package *package);

/* Is the domain with this index in a package that the row sets? */
bool choose_sets_domain(const struct choose_facts *facts, const struct choose_row *row,
			size_t domain);

/* Returns true if the row has SST-BF, which gives the CPU a high base frequency. */
bool choose_is_base_freq_cpu(const struct choose_facts *facts, const struct choose_row *row,
			     size_t domain, uint32_t cpu);

#endif

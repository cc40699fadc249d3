/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of fast cores: which CPUs are faster than others now, why, and what frequency they can
 * be expected to reach (docs/spec/choose.md, "priority"). publish.c finds that out on an open
 * machine; priority.c writes, removes and reads the record in the run directory. */
#ifndef CHOOSE_PRIORITY_H
#define CHOOSE_PRIORITY_H

#include "base/json_fields.h"
#include "sst/expected.h"

/* Why a core is fast: a bit each. */
enum priority_reason {
	PRIORITY_OF_CLOS = 1 << 0, /* in CLOS 0 or 1, while other cores are in 2 or 3 */
	PRIORITY_OF_BASE_FREQ = 1 << 1, /* an SST-BF core */
	PRIORITY_OF_TURBO_FREQ = 1 << 2 /* in CLOS 0 or 1, and a bucket of SST-TF holds these */
};

#define PRIORITY_UNKNOWN UINT32_MAX
#define PRIORITY_THREADS 2 /* of a core, at most */

/* Cores that are equal. Frequencies in MHz; 0: unknown. */
struct priority_group {
	uint32_t package;
	uint32_t node; /* or PRIORITY_UNKNOWN */
	unsigned int reasons; /* 0: not fast */
	uint32_t mhz; /* that is expected */
	bool is_at_most; /* limits of cpufreq, which can take mhz down, were not read */
	uint32_t high_mhz; /* above it if the readings of the turbo-ratio limits differ; else 0 */
	uint32_t above_mhz; /* what Linux has not taken over; else 0 */
	uint32_t base_mhz;
	uint32_t clos; /* or PRIORITY_UNKNOWN: SST-CP is off */
	uint32_t bucket; /* of SST-TF, or PRIORITY_UNKNOWN */
	/* The threads of the n-th core are the n-th CPUs of these sets; the last are empty if cores
	 * have fewer threads. */
	struct cpuset threads[PRIORITY_THREADS];
};

/* The base frequency of a CPU in kHz as the kernel showed it; 0: it showed none. */
struct priority_witness {
	uint32_t cpu; /* or PRIORITY_UNKNOWN: there is none */
	uint32_t base_khz;
};

struct priority_package {
	uint32_t package;
	uint32_t level; /* or PRIORITY_UNKNOWN: its power domains differ */
	bool turbo_freq_on, base_freq_on, core_power_on; /* in a power domain */
	uint32_t counts_modules; /* 0 or 1: as buckets do */
	uint32_t counted; /* 0: by package */
	/* Of SST-TF; 0 cores end them. capacity: of the bucket that those in CLOS 0 and 1 have, or
	 * of the largest. */
	struct sst_turbo buckets;
	size_t capacity;
	size_t used; /* cores in CLOS 0 and 1; 0: SST-CP is off */
	/* not in the record: is an online core in CLOS 2 or 3, which others are faster than? */
	bool has_low;
	/* not in the record: does SST-TF make a core faster than it is without, with all cores
	 * active, or is that unknown; and what a core gets, by which limit */
	bool turbo_freq_helps;
	uint32_t turbo_mhz;
	enum frequency_limit turbo_by;
	struct priority_witness fast, other;
};

struct priority {
	const char *time; /* RFC 3339; when it was published */
	const char *program; /* version */
	struct texts warnings; /* what a user should know */
	struct priority_package *packages;
	size_t n_packages;
	struct priority_group *groups;
	size_t n_groups;
	struct texts texts; /* of the members above */
};

#define _cleanup_priority_ __attribute__((cleanup(priority_done)))

void priority_done(struct priority *priority);

/* Fields of a group, and those shown once for all groups. */
extern const struct json_field priority_group_fields[], priority_shown_fields[];

/* Finds what is fast on an open machine. Returns 0; or a negative errno with *ret_message a new
 * text for the user (NULL: no memory): what cannot be read. */
int priority_find(struct platform *platform, struct priority *ret_priority, char **ret_message);

/* Have more cores high priority than the largest bucket of SST-TF holds? */
bool priority_exceeds_bucket(const struct priority_package *package);

/* Why SST-TF makes no core of a package faster, as a new text for the user; NULL: it does, or it is
 * off, or there is no memory. */
char *priority_explain_turbo_freq(const struct priority_package *package);

/* What the caller has read of the machine, which did not change since; NULL: to be read. */
struct priority_known {
	struct machine *machine;
	struct answers *answers;
};

/* Finds what is fast and writes the record and the lists of CPUs, which replace those before. To be
 * called under the lock. Opens the driver for itself, so that a trace, and what the caller counts,
 * do not have it. known may be NULL. If that fails there is no record. Returns 0, with what is
 * fast in *ret_priority (NULL: not needed); or a negative errno with *ret_message a new text for
 * the user (NULL: no memory). -ENOTSUP: no Speed Select. */
int priority_publish(struct host *host, const struct priority_known *known,
		     struct priority *ret_priority, char **ret_message);

/* Appends the record as a feature file of Node Feature Discovery (docs/spec/fleet.md, "Node Feature
 * Discovery"): counts, the lowest expected frequency of fast cores in MHz, and what is on in a
 * package; what is unknown, or differs between packages, is left out. expiry: until when the labels
 * hold, as RFC 3339 writes it, or NULL. Returns 0 or -ENOMEM. */
int priority_format_labels(const struct priority *priority, const char *expiry, struct buffer *to);

/* Is there a record of this boot? */
bool priority_is_published(const struct host *host);

/* Removes the record and the lists, before something is set, so that they cannot be read as the
 * state after it. Returns 0, also if there is none; or a negative errno with *ret_message. */
int priority_withdraw(const struct host *host, char **ret_message);

/* The same of the record alone, by one system call. */
int priority_withdraw_record(const struct host *host, char **ret_message);

/* Reads the record, as any user, if only root can have written it (choose.md, "priority"). Returns
 * 0; or a negative errno with *ret_message a new text for the user (NULL: no memory), the reason.
 */
int priority_read(const struct host *host, struct priority *ret_priority, char **ret_message);

#endif

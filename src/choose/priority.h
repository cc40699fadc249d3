/* SPDX-License-Identifier: GPL-2.0-only */
/* Publishes the record of fast cores: which CPUs are faster than others now, why, and their
 * expected frequency (docs/spec/choose.md, "priority"). publish.c finds the fast cores of an open
 * machine; priority.c writes, removes and reads the record in the run directory. */
#ifndef CHOOSE_PRIORITY_H
#define CHOOSE_PRIORITY_H

#include "base/json_fields.h"
#include "sst/expected.h"

/* Why a core is fast: one bit per reason. */
enum priority_reason {
	PRIORITY_OF_CLOS = 1 << 0, /* in CLOS 0 or 1, while other cores are in 2 or 3 */
	PRIORITY_OF_BASE_FREQ = 1 << 1, /* an SST-BF core */
	PRIORITY_OF_TURBO_FREQ = 1 << 2 /* in CLOS 0 or 1, whose cores fit in a bucket of SST-TF */
};

#define PRIORITY_UNKNOWN UINT32_MAX
#define PRIORITY_THREADS 2 /* per core, at most */

/* Equal cores. Frequencies are in MHz; 0: unknown. */
struct priority_group {
	uint32_t package;
	uint32_t node; /* or PRIORITY_UNKNOWN */
	unsigned int reasons; /* 0: not fast */
	uint32_t mhz; /* the expected frequency */
	bool is_at_most; /* limits of cpufreq were not read; they can lower mhz */
	uint32_t high_mhz; /* above mhz if the readings of the turbo-ratio limits differ; else 0 */
	uint32_t above_mhz; /* the frequency that Linux has not taken over; else 0 */
	uint32_t base_mhz;
	uint32_t clos; /* or PRIORITY_UNKNOWN: SST-CP is off */
	uint32_t bucket; /* of SST-TF, or PRIORITY_UNKNOWN */
	/* The threads of the n-th core are the n-th CPUs of these sets; the last sets are empty if
	 * cores have fewer threads. */
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
	bool turbo_freq_on, base_freq_on, core_power_on; /* in one power domain at least */
	uint32_t counts_modules; /* 0 or 1: buckets count modules */
	uint32_t counted; /* 0: by package */
	/* Of SST-TF; 0 cores end them. capacity is the size of the bucket of the cores in CLOS 0
	 * and 1, or of the largest bucket. */
	struct sst_turbo buckets;
	size_t capacity;
	size_t used; /* cores in CLOS 0 and 1; 0: SST-CP is off */
	/* not in the record: an online core is in CLOS 2 or 3 */
	bool has_low;
	/* not in the record: with all cores active, SST-TF makes a core faster, or this is unknown;
	 * then the frequency of a core with SST-TF, and the limit that binds */
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
	struct texts texts; /* owns the texts of the members above */
};

#define _cleanup_priority_ __attribute__((cleanup(priority_done)))

void priority_done(struct priority *priority);

/* Fields of a group, and those shown once for all groups. */
extern const struct json_field priority_group_fields[], priority_shown_fields[];

/* Finds the fast cores of an open machine. Returns 0; or a negative errno with *ret_message a new
 * text for the user (NULL: no memory) that names what cannot be read. */
int priority_find(struct platform *platform, struct priority *ret_priority, char **ret_message);

/* Returns true if more cores have high priority than the largest bucket of SST-TF holds. */
bool priority_exceeds_bucket(const struct priority_package *package);

/* Returns a new text for the user: why SST-TF makes no core of a package faster. NULL: SST-TF makes
 * one faster, SST-TF is off, or there is no memory. */
char *priority_explain_turbo_freq(const struct priority_package *package);

/* What the caller has read of the machine, if it has not changed since; NULL: not read. */
struct priority_known {
	struct machine *machine;
	struct answers *answers;
};

/* Finds the fast cores, and replaces the record and the lists of CPUs. The caller holds the lock.
 * Opens the driver again, so that a trace and the counts of the caller do not include its requests.
 * known may be NULL. After a failure there is no record. Returns 0, with the fast cores in
 * *ret_priority (NULL: not needed); or a negative errno with *ret_message a new text for the user
 * (NULL: no memory). -ENOTSUP: no Speed Select. */
int priority_publish(struct host *host, const struct priority_known *known,
		     struct priority *ret_priority, char **ret_message);

/* Appends the record as a feature file of Node Feature Discovery (docs/spec/fleet.md, "Node Feature
 * Discovery"): counts, the lowest expected frequency of fast cores in MHz, and what is on in a
 * package. Leaves out what is unknown, or differs between packages. expiry: the time in the format
 * of RFC 3339 until which the labels hold, or NULL. Returns 0 or -ENOMEM. */
int priority_format_labels(const struct priority *priority, const char *expiry, struct buffer *to);

/* Is there a record of this boot? */
bool priority_is_published(const struct host *host);

/* Removes the record and the lists. Call it before a setting changes, so that no program reads the
 * old record afterwards. Returns 0, also without a record; or a negative errno with *ret_message.
 */
int priority_withdraw(const struct host *host, char **ret_message);

/* Removes only the record, by one system call. Returns the same as priority_withdraw(). */
int priority_withdraw_record(const struct host *host, char **ret_message);

/* Reads the record if only root can have written it (choose.md, "priority"). Any user may read it.
 * Returns 0; or a negative errno with *ret_message a new text for the user (NULL: no memory): the
 * reason. */
int priority_read(const struct host *host, struct priority *ret_priority, char **ret_message);

#endif

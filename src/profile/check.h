/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks a machine by a profile: reads what the items name, and compares (record.md, "check"). */
#ifndef PROFILE_JUDGEMENT_H
#define PROFILE_JUDGEMENT_H

#include "profile/profile.h"

enum verdict { VERDICT_OK, VERDICT_UNKNOWN, VERDICT_DIFFERS };

/* Places with the same value. */
struct finding {
	enum verdict verdict;
	struct reading reading;
	struct cpuset cpus; /* of CPUs; else empty */
	const char *place; /* of an uncore: "package-0 die-0"; else NULL */
};

struct item_result {
	const struct profile_item *item;
	enum verdict verdict; /* differs if one finding differs; else unknown if one is unknown */
	struct finding *findings;
	size_t n_findings;
	struct cpuset wrong; /* the CPUs that differ; all that are checked, if the item has none */
};

struct profile_check {
	struct item_result *results; /* one for each item, in their order */
	size_t count;
	size_t counts[VERDICT_DIFFERS + 1];
};

#define _cleanup_profile_check_ __attribute__((cleanup(profile_check_done)))

/* Checks all items; each file, setting and request is read once. The CPUs of the inspection may be
 * none: no_cpus says why, and is the reason of items about CPUs. Returns 0 or -ENOMEM; what cannot
 * be read is in the results. */
int profile_check_make(const struct profile *profile, struct inspection *inspection,
		       const char *no_cpus, struct profile_check *ret_check);

void profile_check_done(struct profile_check *profile_check);

/* Have two findings the same verdict, value, detail and reason, numbers in the reason apart? */
bool finding_is_equal(const struct finding *left, const struct finding *right);

/* The value of a finding as JSON of its type; null if there is none. A new reference; NULL: no
 * memory. */
json_t *finding_to_json(const struct profile_item *item, const struct finding *finding);

#endif

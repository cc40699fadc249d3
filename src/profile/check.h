/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks a machine with a profile: reads the values of its items, and compares (record.md,
 * "check"). */
#ifndef PROFILE_JUDGEMENT_H
#define PROFILE_JUDGEMENT_H

#include "profile/profile.h"

enum verdict { VERDICT_OK, VERDICT_UNKNOWN, VERDICT_DIFFERS };

/* Locations with the same value. */
struct finding {
	enum verdict verdict;
	struct reading reading;
	struct cpuset cpus; /* the CPUs with this value, or empty */
	const char *place; /* of an uncore or zone: "package-0 die-0"; else NULL */
};

struct item_result {
	const struct profile_item *item;
	enum verdict verdict; /* differs if one finding differs; else unknown if one is unknown */
	struct finding *findings;
	size_t n_findings;
	struct cpuset wrong; /* CPUs that differ; if the item has none, all that are checked */
};

struct profile_check {
	struct item_result *results; /* one for each item, in their order */
	size_t count;
	size_t counts[VERDICT_DIFFERS + 1];
};

#define _cleanup_profile_check_ __attribute__((cleanup(profile_check_done)))

/* Checks all items; reads each file, setting and request once. If the inspection has no CPUs,
 * no_cpus is the reason of items about CPUs. Returns 0 or -ENOMEM; other errors of reading are in
 * the results. */
int profile_check_make(const struct profile *profile, struct inspection *inspection,
		       const char *no_cpus, struct profile_check *ret_check);

void profile_check_done(struct profile_check *profile_check);

/* Returns true if two findings have the same verdict, value, detail and reason, except numbers in
 * the reason. */
bool finding_is_equal(const struct finding *left, const struct finding *right);

/* Returns a new reference to the value of a finding as JSON; JSON null if it has no value. NULL: no
 * memory. */
json_t *finding_to_json(const struct profile_item *item, const struct finding *finding);

#endif

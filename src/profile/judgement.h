/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges a machine by a profile: reads what the items name, and compares (record.md, "check"). */
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
	enum verdict verdict; /* differs if one finding does; else unknown if one is */
	struct finding *findings;
	size_t n_findings;
	struct cpuset wrong; /* the CPUs that differ; all that are judged, if the item has none */
};

struct judgement {
	struct item_result *results; /* one for each item, in their order */
	size_t count;
	size_t counts[VERDICT_DIFFERS + 1];
};

#define _cleanup_judgement_ __attribute__((cleanup(judgement_done)))

/* Judges all items; each file, setting and request is read once. The CPUs of the inspection may be
 * none: no_cpus says why, and is the reason of items about CPUs. Returns 0 or -ENOMEM; what cannot
 * be read is in the results. */
int judgement_make(const struct profile *profile, struct inspection *inspection,
		   const char *no_cpus, struct judgement *ret_judgement);

void judgement_done(struct judgement *judgement);

/* Have two findings the same verdict, value, detail and reason, numbers in the reason apart? */
bool finding_is_alike(const struct finding *left, const struct finding *right);

/* The value of a finding as JSON of its type; null if there is none. A new reference; NULL: no
 * memory. */
json_t *finding_to_json(const struct profile_item *item, const struct finding *finding);

#endif

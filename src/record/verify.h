/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares values that a machine reports in two ways: what commands show, with MSRs, files of the
 * kernel and the driver (docs/spec/record.md, "verify"). */
#ifndef RECORD_VERIFY_H
#define RECORD_VERIFY_H

#include <jansson.h>

#include "base/cpuset.h"
#include "sst/expected.h"

enum verify_result {
	VERIFY_AGREES,
	VERIFY_READ, /* there is nothing beside it, but it can be read */
	VERIFY_UNKNOWN,
	VERIFY_DIFFERS,
	VERIFY_NOT_READ, /* a reading command fails */
	N_VERIFY_RESULTS
};

/* The words of "result", such as "unknown". */
extern const char *const verify_words[N_VERIFY_RESULTS];

/* What the number of a row is of. */
enum verify_place { VERIFY_MACHINE, VERIFY_PACKAGE, VERIFY_CPU };

struct verify_row {
	const char *check; /* static text */
	enum verify_result result;
	enum verify_place kind;
	struct cpuset places; /* packages or CPUs */
	char *shown; /* what commands show, or NULL */
	char *found; /* what it is compared with, or NULL */
	const char *source; /* static text: where that is from, or NULL */
	char *reason; /* with VERIFY_UNKNOWN and VERIFY_NOT_READ */
};

struct verify_rows {
	struct verify_row *list; /* in the order in which checks were made */
	size_t count;
	bool is_short_of_memory;
};

#define _cleanup_verify_rows_ __attribute__((cleanup(verify_rows_done)))
void verify_rows_done(struct verify_rows *rows);

/* Adds a row about one package or CPU (number), whose texts it takes ownership of. A row that
 * says the same of another one is the same row. Of two values (shown and found) the result is
 * whether they are equal. */
void verify_add(struct verify_rows *rows, struct verify_row row, uint32_t number);

/* The rows as JSON: "check", "packages" or "cpus" (a list), "shown", "found", "source", "reason",
 * "result". NULL: no memory. */
json_t *verify_rows_to_json(const struct verify_rows *rows);

/* What is compared. */
struct verify_job {
	const struct machine *machine;
	const struct expected *expected; /* of all domains with CPUs, all levels; or none */
	const char *lacks_platform; /* why there is none */
	const struct cpuset *isolated; /* CPUs that are not asked anything */
};

/* Makes all static checks; nothing is set. Returns 0 or -ENOMEM. */
int verify_make(const struct verify_job *job, struct verify_rows *rows);

#endif

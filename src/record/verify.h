/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two sources of a value: what commands show, and MSRs, files of the kernel or the driver
 * (docs/spec/record.md, "verify"). */
#ifndef RECORD_VERIFY_H
#define RECORD_VERIFY_H

#include <jansson.h>

#include "base/cpuset.h"
#include "sst/expected.h"

enum verify_result {
	VERIFY_AGREES,
	VERIFY_READ, /* it can be read, but not compared */
	VERIFY_UNKNOWN,
	VERIFY_DIFFERS,
	VERIFY_NOT_READ, /* a reading command fails */
	N_VERIFY_RESULTS
};

/* The words of "result", such as "unknown". */
extern const char *const verify_words[N_VERIFY_RESULTS];

/* The kind of a row's number. */
enum verify_place { VERIFY_MACHINE, VERIFY_PACKAGE, VERIFY_CPU };

struct verify_row {
	const char *check; /* static text */
	enum verify_result result;
	enum verify_place kind;
	struct cpuset places; /* packages or CPUs */
	char *shown; /* what commands show, or NULL */
	char *found; /* the value to compare with, or NULL */
	const char *source; /* static text: the source of found, or NULL */
	char *reason; /* with VERIFY_UNKNOWN and VERIFY_NOT_READ */
};

struct verify_rows {
	struct verify_row *list; /* in the order in which checks were made */
	size_t count;
	bool is_short_of_memory;
};

#define _cleanup_verify_rows_ __attribute__((cleanup(verify_rows_done)))
void verify_rows_done(struct verify_rows *rows);

/* Adds a row about one package or CPU (number), and takes ownership of its texts. Equal rows of
 * several packages or CPUs become one row. If the row has shown and found, the result is whether
 * they are equal. */
void verify_add(struct verify_rows *rows, struct verify_row row, uint32_t number);

/* The rows as JSON: "check", "packages" or "cpus" (a list), "shown", "found", "source", "reason",
 * "result". NULL: no memory. */
json_t *verify_rows_to_json(const struct verify_rows *rows);

/* The input of the checks. */
struct verify_job {
	const struct machine *machine;
	const struct expected *expected; /* all levels of all domains with CPUs; or no domains */
	const char *lacks_platform; /* why expected has no domains, or NULL */
	const struct cpuset *isolated; /* CPUs that must not be read */
};

/* Makes all static checks; nothing is set. Returns 0 or -ENOMEM. */
int verify_make(const struct verify_job *job, struct verify_rows *rows);

#endif

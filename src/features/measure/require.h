/* SPDX-License-Identifier: GPL-2.0-only */
/* --require of the measure commands: a figure must be below or above a number. The exit status
 * shows if it is (measure.md, "jitter, ladder, explain" and "try"). */
#ifndef FEATURES_MEASURE_REQUIRE_H
#define FEATURES_MEASURE_REQUIRE_H

#include "base/json_fields.h"
#include "run/context.h"

struct run_job;

/* A requirement: "max-us<20". */
struct requirement {
	const char *text;
	const char *figure; /* the name of a field of the tables */
	bool is_less; /* the figure must be below the number, else above it */
	double number;
	/* Set by requirements_take(): a row has the figure; the figure was on the wrong side, or
	 * missing for this reason; the value nearest to the wrong side, or farthest on it. */
	bool is_found, is_missed;
	const char *missing;
	double worst;
};

struct requirements {
	struct requirement *list;
	size_t count;
	const struct json_field *const *tables; /* with the figures; NULL ends them */
};

#define _cleanup_requirements_ __attribute__((cleanup(requirements_done)))
void requirements_done(struct requirements *requirements);

/* Reads texts into the empty list: a figure of requirements->tables, < or >, and a number followed
 * by the unit ("%" or ""). A mistake is reported as wrong use. Returns 0 or -ENOMEM. */
int requirements_read(struct context *context, const struct option_texts *texts, const char *unit,
		      struct requirements *requirements);

/* Reports figures of runs (enum run_figure) that the work cannot have. */
void requirements_check_work(struct context *context, const struct requirements *requirements,
			     const struct run_job *job);

/* Compares the figures of all rows with the requirements. The texts of the figures must stay
 * valid. */
void requirements_take(struct requirements *requirements, const struct json_rows *rows);

/* Adds the list of "requirements" to a document, if any. Returns 0 or -ENOMEM. */
int requirements_add(const struct requirements *requirements, json_t *document);

/* Shows the requirements as text unless results are JSON. If one is not met, the command ends with
 * STATUS_DIFFERS. Reports a figure that is missing. Returns 0 or -ENOMEM. */
int requirements_finish(struct context *context, const struct requirements *requirements);

#endif

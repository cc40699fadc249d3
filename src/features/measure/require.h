/* SPDX-License-Identifier: GPL-2.0-only */
/* --require of commands that measure: on which side of a number a figure must be, so that it is an
 * exit status (measure.md, "jitter, ladder, explain" and "try"). */
#ifndef FEATURES_MEASURE_REQUIRE_H
#define FEATURES_MEASURE_REQUIRE_H

#include "base/json_fields.h"
#include "run/context.h"

struct run_job;

/* One of them, "max-us<20". */
struct requirement {
	const char *text;
	const char *figure; /* the name of a field of the tables */
	bool is_less; /* the figure must be below the number, else above it */
	double number;
	/* Of requirements_take(): the figure was found; it was on the wrong side, or missing for
	 * this reason; the value that is nearest to the wrong side, or farthest on it. */
	bool is_found, is_missed;
	const char *missing;
	double worst;
};

struct requirements {
	struct requirement *list;
	size_t count;
	const struct json_field *const *tables; /* with the figures, up to NULL */
};

#define _cleanup_requirements_ __attribute__((cleanup(requirements_done)))
void requirements_done(struct requirements *requirements);

/* Reads the texts, each a figure of requirements->tables, < or >, and a number followed by the unit
 * ("%" or ""), to the empty list. A mistake is reported, as a wrong use. Returns 0 or -ENOMEM. */
int requirements_read(struct context *context, const struct option_texts *texts, const char *unit,
		      struct requirements *requirements);

/* Reports figures of runs (enum run_figure) that the work cannot have. */
void requirements_check_work(struct context *context, const struct requirements *requirements,
			     const struct run_job *job);

/* Compares the figures of all rows with the requirements. The texts of the figures must stay
 * valid. */
void requirements_take(struct requirements *requirements, const struct json_rows *rows);

/* Adds the list of "requirements" to a document, if there are some. Returns 0 or -ENOMEM. */
int requirements_add(const struct requirements *requirements, json_t *document);

/* Shows them as text unless results are JSON, if there are some; the command ends with
 * STATUS_DIFFERS if one is not met, and reports a figure that is missing. Returns 0 or -ENOMEM. */
int requirements_finish(struct context *context, const struct requirements *requirements);

#endif

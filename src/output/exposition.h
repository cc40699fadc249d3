/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics in the text format of Prometheus, version 0.0.4 (fleet.md, "Metrics"): families with HELP
 * and TYPE, samples with labels, "# EOF" at the end. A family without a sample is left out, as an
 * absent figure is an absent series. */
#ifndef OUTPUT_EXPOSITION_H
#define OUTPUT_EXPOSITION_H

#include <stdint.h>

#include "base/buffer.h"

struct exposition_family {
	const char *name; /* of each sample; that of a counter ends in "_total" */
	const char *help; /* one sentence without a full stop */
	bool is_counter; /* else a gauge */
};

struct exposition {
	const struct exposition_family *families; /* owned by the caller */
	size_t n_families;
	struct buffer *samples; /* of each family */
};

#define _cleanup_exposition_ __attribute__((cleanup(exposition_done)))

/* Begins an empty exposition of these families. Returns 0 or -ENOMEM. */
int exposition_init(struct exposition *exposition, const struct exposition_family *families,
		    size_t n_families);
void exposition_done(struct exposition *exposition);

/* Adds a sample of the family with this index. Labels follow the value, each a name and a text;
 * NULL ends them. A label whose text is NULL is left out. */
void exposition_add(struct exposition *exposition, size_t family, double value, ...)
	__attribute__((sentinel));

/* As exposition_add(), with the exact value number / units_per_one; units_per_one is a power of
 * ten. */
void exposition_add_parts(struct exposition *exposition, size_t family, uint64_t number,
			  uint64_t units_per_one, ...) __attribute__((sentinel));

/* A number as the text of a label. */
struct exposition_number {
	char text[24];
};
struct exposition_number exposition_number(uint64_t number);

/* Appends the text of the exposition. Returns 0 or -ENOMEM. */
int exposition_write(const struct exposition *exposition, struct buffer *to);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record as a table of fields: what each is called, what it is, where it lies, when it is left
 * out. One loop puts them all.
 */
#ifndef OUTPUT_FIELDS_H
#define OUTPUT_FIELDS_H

#include <stddef.h>

#include "output/output.h"

enum field_kind {
	FIELD_NUMBER, /* uint32_t */
	FIELD_MHZ, /* uint32_t, shown with " MHz" */
	FIELD_WORD, /* const char * */
	FIELD_CPU_COUNT, /* struct cpuset */
	FIELD_CPU_MASK,
	FIELD_CPU_LIST
};

struct field {
	const char *name;
	enum field_kind kind;
	bool omit_zero; /* a zero number, an empty set, a NULL word is left out */
	bool conditional; /* left out where the bool at condition is false */
	size_t offset;
	size_t condition;
};

#define FIELD_OFFSET_(type, member, wanted)                                                    \
	(offsetof(type, member) +                                                              \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted) \
				 ? 1                                                           \
				 : -1]))

#define FIELD_AS_NUMBER(type, member) \
	.kind = FIELD_NUMBER, .offset = FIELD_OFFSET_(type, member, uint32_t)
#define FIELD_AS_MHZ(type, member) \
	.kind = FIELD_MHZ, .offset = FIELD_OFFSET_(type, member, uint32_t)
#define FIELD_AS_WORD(type, member) \
	.kind = FIELD_WORD, .offset = FIELD_OFFSET_(type, member, const char *)
#define FIELD_AS_CPUS(type, member, shape) \
	.kind = (shape), .offset = FIELD_OFFSET_(type, member, struct cpuset)
#define FIELD_IF(type, member) .conditional = true, .condition = FIELD_OFFSET_(type, member, bool)

/* Puts the fields of record below the present node. */
void fields_put(struct output *output, const struct field *fields, size_t n_fields,
		const void *record);

#endif

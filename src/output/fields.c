// SPDX-License-Identifier: GPL-2.0-only
/* The one loop behind every record (output.md, "Nodes and values, in order"). */
#include "output/fields.h"

static bool is_zero(const struct field *field, const void *value)
{
	switch (field->kind) {
	case FIELD_NUMBER:
	case FIELD_MHZ:
		return *(const uint32_t *)value == 0;
	case FIELD_WORD:
		return !*(const char *const *)value;
	case FIELD_CPU_COUNT:
	case FIELD_CPU_MASK:
	case FIELD_CPU_LIST:
		return cpuset_is_empty(value);
	}
	return false;
}

static void put_field(struct output *output, const struct field *field, const void *value)
{
	switch (field->kind) {
	case FIELD_NUMBER:
		output_number(output, field->name, *(const uint32_t *)value, "");
		break;
	case FIELD_MHZ:
		output_number(output, field->name, *(const uint32_t *)value, " MHz");
		break;
	case FIELD_WORD:
		output_value(output, field->name, "%s", *(const char *const *)value);
		break;
	case FIELD_CPU_COUNT:
		output_cpu_count(output, field->name, value);
		break;
	case FIELD_CPU_MASK:
		output_cpu_mask(output, field->name, value);
		break;
	case FIELD_CPU_LIST:
		output_cpu_list(output, field->name, value);
		break;
	}
}

void fields_put(struct output *output, const struct field *fields, size_t n_fields,
		const void *record)
{
	for (size_t i = 0; i < n_fields; i++) {
		const struct field *field = &fields[i];
		const char *value = (const char *)record + field->offset;

		if (field->conditional && !*(const bool *)((const char *)record + field->condition))
			continue;
		if (field->omit_zero && is_zero(field, value))
			continue;
		put_field(output, field, value);
	}
}

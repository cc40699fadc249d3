// SPDX-License-Identifier: GPL-2.0-only
/* Makes rows of the tables of machine summary. Equal places or CPUs share a row. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/units.h"
#include "features/machine/summary.h"

json_t *summary_number(uint64_t number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

json_t *summary_mhz(uint32_t khz)
{
	return khz % KHZ_PER_MHZ ? json_real((double)khz / KHZ_PER_MHZ)
				 : summary_number(khz / KHZ_PER_MHZ);
}

int summary_add_row(struct summary_rows *rows, uint32_t of, json_t *members)
{
	_cleanup_json_ json_t *owned = members;
	struct summary_row *row = NULL;

	for (size_t i = 0; i < rows->count && !row; i++) {
		if (json_equal(rows->list[i].members, owned))
			row = &rows->list[i];
	}
	if (!row && owned) {
		row = array_add(&rows->list, &rows->count, sizeof(*row));
		if (row)
			row->members = steal(owned);
	}
	return row ? cpuset_add(&row->of, of) : -ENOMEM;
}

int summary_add_place(struct summary_rows *rows, uint32_t package, char *name)
{
	struct summary_place *place =
		name ? array_add(&rows->places, &rows->n_places, sizeof(*place)) : NULL;

	if (!place) {
		free(name);
		return -ENOMEM;
	}
	*place = (struct summary_place){ .package = package, .name = name };
	return 0;
}

/* Returns true if a row is about all places of a package, except optional places without a row. */
static bool has_package(const struct summary_rows *rows, const struct summary_row *row,
			uint32_t package)
{
	for (size_t i = 0; i < rows->n_places; i++) {
		const struct summary_place *place = &rows->places[i];
		bool is_left_out = place->is_optional;

		for (size_t j = 0; j < rows->count && is_left_out; j++)
			is_left_out = !cpuset_has(&rows->list[j].of, (uint32_t)i);
		if (place->package == package && !is_left_out && !cpuset_has(&row->of, (uint32_t)i))
			return false;
	}
	return true;
}

/* Returns the names of the places of a row, or the name of a package if the row has all of it. */
static json_t *list_places(const struct summary_rows *rows, const struct summary_row *row)
{
	json_t *names = json_array();
	uint32_t named = UINT32_MAX; /* the last package that was named */

	cpuset_foreach (i, &row->of) {
		const struct summary_place *place = &rows->places[i];
		bool is_whole = has_package(rows, row, place->package);

		if (is_whole && named != place->package)
			json_array_append_new(names, json_sprintf("package-%u", place->package));
		if (is_whole)
			named = place->package;
		else
			json_array_append_new(names, json_string(place->name));
	}
	return names;
}

json_t *summary_rows_to_json(const struct summary_rows *rows)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->count; i++) {
		const struct summary_row *row = &rows->list[i];
		json_t *object = rows->places
					 ? json_pack("{s:o}", "places", list_places(rows, row))
					 : json_pack("{s:o, s:I}", "cpus", json_cpu_list(&row->of),
						     "count", (json_int_t)cpuset_count(&row->of));

		json_object_update(object, row->members);
		json_array_append_new(list, object);
	}
	return list;
}

void summary_rows_done(struct summary_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		json_decref(rows->list[i].members);
		cpuset_done(&rows->list[i].of);
	}
	for (size_t i = 0; i < rows->n_places; i++)
		free(rows->places[i].name);
	free(rows->list);
	free(rows->places);
	*rows = (struct summary_rows){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/* Rows of the tables of machine summary: places and CPUs that are equal share one. */
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

/* Has an earlier row the same members as row, and perhaps more? */
static bool is_equal(const json_t *earlier, json_t *row)
{
	const char *key;
	json_t *value;

	json_object_foreach (row, key, value) {
		if (!json_equal(value, json_object_get(earlier, key)))
			return false;
	}
	return true;
}

/* Finds the row that is like row, which is taken over, or adds it. Returns its index; SIZE_MAX: no
 * memory. */
static size_t find_row(struct summary_rows *rows, json_t *row)
{
	size_t count = json_array_size(rows->list);

	for (size_t i = 0; row && i < count; i++) {
		if (is_equal(json_array_get(rows->list, i), row)) {
			json_decref(row);
			return i;
		}
	}
	rows->list = rows->list ?: json_array();
	return json_array_append_new(rows->list, row) < 0 ? SIZE_MAX : count;
}

int summary_add_place(struct summary_rows *rows, size_t place, json_t *row)
{
	size_t index = find_row(rows, row);
	json_t *found, *places;

	if (index == SIZE_MAX)
		return -ENOMEM;
	found = json_array_get(rows->list, index);
	places = json_object_get(found, "places");
	if (!places) { /* it is the first member */
		json_t *members = json_copy(found);

		json_object_clear(found);
		json_object_set_new(found, "places", json_array());
		json_object_update(found, members);
		json_decref(members);
		places = json_object_get(found, "places");
	}
	return json_array_append_new(places, json_integer((json_int_t)place)) < 0 ? -ENOMEM : 0;
}

int summary_add_cpu(struct summary_rows *rows, uint32_t cpu, json_t *row)
{
	size_t index = find_row(rows, row);

	if (index == SIZE_MAX ||
	    (index == rows->n_cpus && !array_add(&rows->cpus, &rows->n_cpus, sizeof(*rows->cpus))))
		return -ENOMEM;
	return cpuset_add(&rows->cpus[index], cpu);
}

static bool has_index(const json_t *indexes, size_t place)
{
	const json_t *index;
	size_t i;

	json_array_foreach (indexes, i, index) {
		if ((size_t)json_integer_value(index) == place)
			return true;
	}
	return false;
}

bool summary_has_place(const struct summary_rows *rows, size_t place)
{
	const json_t *row;
	size_t i;

	json_array_foreach (rows->list, i, row) {
		if (has_index(json_object_get(row, "places"), place))
			return true;
	}
	return false;
}

/* Is a row about all places of a package? */
static bool has_package(const json_t *indexes, const struct summary_place *places, size_t n_places,
			uint32_t package)
{
	for (size_t i = 0; i < n_places; i++) {
		if (places[i].package == package && !places[i].is_left_out &&
		    !has_index(indexes, i))
			return false;
	}
	return true;
}

json_t *summary_name_places(struct summary_rows *rows, const struct summary_place *places,
			    size_t n_places)
{
	json_t *row;
	size_t i;

	json_array_foreach (rows->list, i, row) {
		json_t *indexes = json_object_get(row, "places"), *names = json_array();
		uint32_t named = UINT32_MAX; /* the last package that is named as a whole */

		for (size_t j = 0; j < n_places; j++) {
			uint32_t package = places[j].package;
			bool is_whole = has_package(indexes, places, n_places, package);
			_cleanup_free_ char *name = NULL;

			if (!has_index(indexes, j) || (is_whole && named == package))
				continue;
			if (is_whole)
				named = package;
			name = is_whole ? text_format("package-%u", package) : NULL;
			json_array_append_new(names, json_string(name ?: places[j].name));
		}
		json_object_set_new(row, "places", names);
	}
	return rows->list ? json_incref(rows->list) : json_array();
}

json_t *summary_name_cpus(struct summary_rows *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach (rows->list, i, row) {
		json_t *members = json_copy(row);

		json_object_clear(row);
		json_object_set_new(row, "cpus", json_cpu_list(&rows->cpus[i]));
		json_object_set_new(row, "count",
				    json_integer((json_int_t)cpuset_count(&rows->cpus[i])));
		json_object_update(row, members);
		json_decref(members);
	}
	return rows->list ? json_incref(rows->list) : json_array();
}

int summary_sort(json_t *list, int (*compare)(const void *left, const void *right))
{
	size_t count = json_array_size(list);
	_cleanup_free_ json_t **sorted = calloc(count ?: 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = json_incref(json_array_get(list, i));
	qsort(sorted, count, sizeof(*sorted), compare);
	json_array_clear(list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, sorted[i]);
	return 0;
}

void summary_rows_done(struct summary_rows *rows)
{
	json_decref(rows->list);
	for (size_t i = 0; i < rows->n_cpus; i++)
		cpuset_done(&rows->cpus[i]);
	free(rows->cpus);
	*rows = (struct summary_rows){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/* Compares recordings by place and name. Values of CPUs are compared CPU by CPU; CPUs with the same
 * difference share a place. */
#include "record/diff.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"

#define ONLINE "online" /* the file of a CPU */

static void add_pair(json_t *differences, const char *place, const char *name, json_t *left,
		     json_t *right)
{
	json_t *names = json_object_get(differences, place);

	if (!names) {
		names = json_object();
		json_object_set_new(differences, place, names);
	}
	json_object_set_new(names, name,
			    json_pack("{s:O, s:O}", "a", left ?: json_null(), "b",
				      right ?: json_null()));
}

static bool is_same(const json_t *left, const json_t *right)
{
	bool has_left = left && !json_is_null(left), has_right = right && !json_is_null(right);

	return has_left == has_right && (!has_left || json_equal(left, right));
}

/* Adds the values of places that differ in others. swapped: places is of the second recording, and
 * only values that others does not have are added. */
static void compare_places(json_t *differences, json_t *places, json_t *others, bool swapped)
{
	const char *place, *name;
	json_t *names, *value;

	json_object_foreach (places, place, names) {
		json_t *other_names = json_object_get(others, place);

		json_object_foreach (names, name, value) {
			json_t *other = json_object_get(other_names, name);

			if (is_same(value, other) || (swapped && other))
				continue;
			add_pair(differences, place, name, swapped ? NULL : value,
				 swapped ? value : other);
		}
	}
}

/* Finds the CPUs that are online in only one recording. Their other files exist only there. */
static int find_moved(const struct items *a, const struct items *b, struct cpuset *moved)
{
	const struct cpu_values *left = items_find(a, ONLINE), *right = items_find(b, ONLINE);

	for (size_t cpu = 0; left && cpu < left->n_cpus; cpu++) {
		const json_t *value = items_value(left, cpu), *other = items_value(right, cpu);
		bool has_both = json_is_integer(value) && json_is_integer(other);

		if (has_both && !json_equal(value, other) && cpuset_add(moved, (uint32_t)cpu))
			return -ENOMEM;
	}
	return 0;
}

/* CPUs with the same difference. */
struct group {
	json_t *a;
	json_t *b;
	struct cpuset cpus;
};

struct groups {
	struct group *list;
	size_t count;
	json_t *index; /* numbers of groups by the text of both values */
};

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		cpuset_done(&groups->list[i].cpus);
	free(groups->list);
	json_decref(groups->index);
}

/* Adds a CPU to the group of CPUs with the same two values. */
static int add_to_group(struct groups *groups, json_t *a, json_t *b, uint32_t cpu)
{
	_cleanup_json_ json_t *pair = json_pack("[O,O]", a ?: json_null(), b ?: json_null());
	_cleanup_free_ char *text = pair ? json_dumps(pair, JSON_COMPACT) : NULL;
	const json_t *number = text ? json_object_get(groups->index, text) : NULL;
	struct group *group = number ? &groups->list[json_integer_value(number)] : NULL;

	if (!group && text) {
		group = array_add(&groups->list, &groups->count, sizeof(*group));
		if (group)
			*group = (struct group){ .a = a, .b = b };
		json_object_set_new(groups->index, text,
				    json_integer((json_int_t)groups->count - 1));
	}
	return group ? cpuset_add(&group->cpus, cpu) : -ENOMEM;
}

/* Adds the CPUs whose values for a name differ; CPUs with the same difference share a place. Leaves
 * out the values of moved CPUs, except whether they are online. */
static int compare_cpus(json_t *differences, const char *name, const struct cpu_values *left,
			const struct cpu_values *right, const struct cpuset *moved)
{
	_cleanup_(groups_done) struct groups groups = { .index = json_object() };
	size_t left_count = left ? left->n_cpus : 0, right_count = right ? right->n_cpus : 0;
	int err = 0;

	for (size_t i = 0; !err && (i < left_count || i < right_count); i++) {
		json_t *a = items_value(left, i), *b = items_value(right, i);
		bool is_left_out = cpuset_has(moved, (uint32_t)i) && strcmp(name, ONLINE) != 0;

		if (!is_left_out && !is_same(a, b))
			err = add_to_group(&groups, a, b, (uint32_t)i);
	}
	for (size_t i = 0; i < groups.count && !err; i++) {
		_cleanup_free_ char *list = cpuset_format_ranges(&groups.list[i].cpus);
		_cleanup_free_ char *place = list ? text_format("cpu-%s", list) : NULL;

		if (place)
			add_pair(differences, place, name, groups.list[i].a, groups.list[i].b);
		else
			err = -ENOMEM;
	}
	return err;
}

static int compare_all_cpus(json_t *differences, const struct items *a, const struct items *b)
{
	_cleanup_cpuset_ struct cpuset moved = { 0 };
	int err = a->with_varying ? 0 : find_moved(a, b, &moved);

	for (size_t i = 0; i < a->n_names && !err; i++)
		err = compare_cpus(differences, a->names[i].name, &a->names[i],
				   items_find(b, a->names[i].name), &moved);
	for (size_t i = 0; i < b->n_names && !err; i++) {
		if (!items_find(a, b->names[i].name))
			err = compare_cpus(differences, b->names[i].name, NULL, &b->names[i],
					   &moved);
	}
	return err;
}

int diff_make(const struct items *a, const struct items *b, json_t **ret_differences)
{
	_cleanup_json_ json_t *differences = json_object();
	int err;

	compare_places(differences, a->places, b->places, false);
	compare_places(differences, b->places, a->places, true);
	err = compare_all_cpus(differences, a, b);
	if (!err)
		*ret_differences = steal(differences);
	return err;
}

static void append_value(struct buffer *to, const json_t *value)
{
	_cleanup_free_ char *text = NULL;
	const char *error = json_get_text(value, "error");

	if (json_is_null(value)) {
		buffer_append_string(to, "absent");
	} else if (error) {
		buffer_append_string(to, error);
	} else if (json_is_string(value) && *json_string_value(value)) {
		buffer_append_clean(to, json_string_value(value));
	} else {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		buffer_append_clean(to, text ?: "");
	}
}

size_t diff_append_lines(const json_t *differences, struct buffer *to)
{
	const char *place, *name;
	json_t *names, *pair;
	size_t count = 0;

	json_object_foreach ((json_t *)(uintptr_t)differences, place, names) {
		json_object_foreach (names, name, pair) {
			buffer_append_clean(to, place);
			buffer_append_char(to, ' ');
			buffer_append_clean(to, name);
			buffer_append_string(to, ": ");
			append_value(to, json_object_get(pair, "a"));
			buffer_append_string(to, " -> ");
			append_value(to, json_object_get(pair, "b"));
			buffer_append_char(to, '\n');
			count++;
		}
	}
	return count;
}

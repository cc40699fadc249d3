// SPDX-License-Identifier: GPL-2.0-only
/* Shows differences from a state document: as JSON by location and setting, and as lines of text.
 * Equal CPUs share a line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "settings/families.h"
#include "state/compare.h"

#define POWER_DOMAIN "powerdomain"

static bool has_same_values(const struct difference *left, const struct difference *right)
{
	return left->row == right->row && left->is_reset == right->is_reset &&
	       state_value_equal(&left->is, &right->is) &&
	       state_value_equal(&left->wanted, &right->wanted) &&
	       left->wanted.is_highest == right->wanted.is_highest;
}

/* Returns true if a setting of a package is compared by power domains, and all differ equally. */
static bool is_of_package(const struct comparison *comparison, const struct difference *difference)
{
	const struct state_machine *state = comparison->wanted->state;

	if (!state->is_past || !state->platform || !state->platform->shares_clos ||
	    !setting_is_shared(comparison_row(comparison, difference)->setting))
		return false;
	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *other = &comparison->list[i];

		if (other->row == difference->row && !has_same_values(other, difference) &&
		    comparison_place(comparison, other)->package ==
			    comparison_place(comparison, difference)->package)
			return false;
	}
	return true;
}

static char *format_place(const struct comparison *comparison, const struct difference *difference)
{
	if (is_of_package(comparison, difference))
		return text_format("package-%u", comparison_place(comparison, difference)->package);
	return state_row_format_place(comparison->wanted->state,
				      comparison_row(comparison, difference), difference->place);
}

/* Lets equal neighbours share one value: a large machine has many equal CPUs. */
static void share_equal(json_t *root)
{
	json_t *last = NULL, *value;
	const char *key;

	json_object_foreach (root, key, value) {
		if (last && json_equal(last, value))
			json_object_iter_set(root, json_object_key_to_iter(key), last);
		else
			last = value;
	}
}

json_t *comparison_to_json(const struct comparison *comparison, const char *is_key,
			   const char *wanted_key)
{
	const struct difference *last = NULL; /* locations with equal values share its JSON */
	_cleanup_json_ json_t *root = json_object();
	json_t *last_pair = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];
		_cleanup_free_ char *place = NULL, *name = NULL;
		json_t *at, *pair;

		if (difference->is_lost)
			continue;
		place = format_place(comparison, difference);
		name = state_row_format_name(comparison_row(comparison, difference));
		at = place ? json_object_get(root, place) : NULL;
		pair = last && has_same_values(last, difference)
			       ? json_incref(last_pair)
			       : json_pack("{s:o, s:o}", is_key,
					   state_value_to_json(&difference->is), wanted_key,
					   state_value_to_json(&difference->wanted));
		last = difference;
		last_pair = pair;
		if (place && !at) {
			json_object_set_new(root, place, json_object());
			at = json_object_get(root, place);
		}
		if (pair && difference->is_reset)
			json_object_set_new(pair, "note", json_string("reset by the level change"));
		if (!at || !name || !pair || json_object_set_new(at, name, pair) < 0)
			return NULL;
	}
	share_equal(root);
	return steal(root);
}

/* Formats a value for people. The value of an offline CPU is "unknown". Limits of a CLOS that do
 * not limit are words, as in documents. */
static char *format_value(const struct state_row *row, const struct state_value *value)
{
	if (value->kind == STATE_NONE)
		return strdup("unknown");
	return sst_find_clos_word(row->setting, value)
		       ? strdup(sst_find_clos_word(row->setting, value))
		       : state_value_format(value);
}

/* Returns true if two differences share a line: they have the same setting, package and values. */
static bool is_equal(const struct comparison *comparison, const struct difference *left,
		     const struct difference *right)
{
	return (comparison_row(comparison, left)->places->of_cpu ||
		is_of_package(comparison, left)) &&
	       has_same_values(left, right) &&
	       comparison_place(comparison, left)->package ==
		       comparison_place(comparison, right)->package;
}

/* Cuts the text of a location before its power domain; *ret_rest is the text after it. Returns
 * false if there is none. */
static bool cut_power_domain(char *place, uint32_t *ret_domain, const char **ret_rest)
{
	char *word = strstr(place, POWER_DOMAIN "-"), *end;

	if (!word)
		return false;
	*ret_domain = (uint32_t)strtoul(word + strlen(POWER_DOMAIN "-"), &end, 10);
	*ret_rest = end;
	*word = '\0';
	return true;
}

/* Formats the location of a difference with later power domains of its die that have the same
 * values: "package-0 die-0 powerdomain 0-4". Marks them as shown. */
static char *format_domains(const struct comparison *comparison, size_t index, bool *is_shown)
{
	const struct difference *first = &comparison->list[index];
	_cleanup_free_ char *place = format_place(comparison, first), *list = NULL;
	_cleanup_cpuset_ struct cpuset domains = { 0 };
	const char *rest, *other_rest;
	uint32_t domain;

	if (!place || !cut_power_domain(place, &domain, &rest))
		return steal(place);
	if (cpuset_add(&domains, domain))
		return NULL;
	for (size_t i = index + 1; i < comparison->count; i++) {
		_cleanup_free_ char *other = NULL;

		if (is_shown[i] || !has_same_values(first, &comparison->list[i]))
			continue;
		other = format_place(comparison, &comparison->list[i]);
		if (!other)
			return NULL;
		if (!cut_power_domain(other, &domain, &other_rest) || strcmp(other, place) != 0 ||
		    strcmp(other_rest, rest) != 0)
			continue;
		is_shown[i] = true;
		if (cpuset_add(&domains, domain))
			return NULL;
	}
	list = cpuset_format_ranges(&domains);
	return list ? text_format("%s" POWER_DOMAIN "%c%s%s", place,
				  cpuset_count(&domains) > 1 ? ' ' : '-', list, rest)
		    : NULL;
}

/* Formats the location of a difference and of later ones on its line: "package-0 CPUs 0-3". */
static char *format_places(const struct comparison *comparison, size_t index, bool *is_shown)
{
	const struct difference *first = &comparison->list[index];
	const struct place_list *places = comparison_row(comparison, first)->places;
	bool is_core = places->kind == PLACE_CORE;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;

	for (size_t i = index; i < comparison->count; i++) {
		if (is_shown[i] || !is_equal(comparison, first, &comparison->list[i]))
			continue;
		is_shown[i] = true;
		if (places->of_cpu &&
		    cpuset_add(&cpus, places->list[comparison->list[i].place].cpu))
			return NULL;
	}
	if (cpuset_is_empty(&cpus))
		return format_domains(comparison, index, is_shown);
	if (cpuset_count(&cpus) < 2)
		return format_place(comparison, first);
	list = cpuset_format_ranges(&cpus);
	return list ? text_format("package-%u %s %s", places->list[first->place].package,
				  is_core ? "cores of CPUs" : "CPUs", list)
		    : NULL;
}

int comparison_write_demoted(const struct comparison *comparison, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];

		if (comparison_row(comparison, difference)->setting == SETTING_ASSOC &&
		    difference->is.kind == STATE_NUMBER &&
		    sst_loses_priority(difference->is.number, difference->wanted.number) &&
		    cpuset_add(&cpus, comparison_place(comparison, difference)->cpu))
			return -ENOMEM;
	}
	if (cpuset_is_empty(&cpus))
		return 0;
	list = cpuset_format_ranges(&cpus);
	if (!list)
		return -ENOMEM;
	buffer_append_string(to, "no longer high priority: cores of CPUs ");
	buffer_append_string(to, list);
	buffer_append_string(to, "\n");
	return to->has_failed ? -ENOMEM : 0;
}

int comparison_write(const struct comparison *comparison, const char *between, struct buffer *to)
{
	_cleanup_free_ bool *is_shown = calloc(comparison->count ?: 1, sizeof(*is_shown));

	if (!is_shown)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];
		_cleanup_free_ char *place = NULL, *name = NULL, *is = NULL, *wanted = NULL;

		if (is_shown[i] || difference->is_lost)
			continue;
		place = format_places(comparison, i, is_shown);
		is_shown[i] = true;
		name = state_row_format_name(comparison_row(comparison, difference));
		is = format_value(comparison_row(comparison, difference), &difference->is);
		wanted = format_value(comparison_row(comparison, difference), &difference->wanted);
		if (!place || !name || !is || !wanted)
			return -ENOMEM;
		buffer_append_clean(to, place);
		buffer_append_string(to, " ");
		buffer_append_clean(to, name);
		buffer_append_string(to, ": ");
		buffer_append_clean(to, is);
		buffer_append_string(to, between);
		buffer_append_clean(to, wanted);
		buffer_append_string(to, difference->is_reset ? " (reset by the level change)\n"
							      : "\n");
	}
	return to->has_failed ? -ENOMEM : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Joins locations with equal nodes, so that text shows the nodes once. The numbers of joined
 * locations must not name another location: package-0-1 and powerdomain-0-1 name four power
 * domains, and text must not show a value for one that was not read. Follows output.md, "Terse
 * results". */
#include "output/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Which locations may be joined, from the largest set to the smallest. */
enum scope { OF_MACHINE, OF_PACKAGE, OF_DIE, OF_POWER_DOMAIN, N_SCOPES };

/* Entries of a fold. */
struct list {
	struct fold_entry **entries;
	size_t count;
};

static void sets_done(struct fold_entry *entry)
{
	cpuset_done(&entry->packages);
	cpuset_done(&entry->dies);
	cpuset_done(&entry->power_domains);
	cpuset_done(&entry->cpus);
}

void fold_done(struct fold *fold)
{
	for (size_t i = 0; i < fold->count; i++) {
		sets_done(&fold->entries[i]);
		free(fold->entries[i].nodes);
	}
	free(fold->entries);
	*fold = (struct fold){ 0 };
}

int fold_add(struct fold *fold, const struct output_place *place, const char *nodes)
{
	struct fold_entry *entry = array_add(&fold->entries, &fold->count, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->place = *place;
	entry->place.cpus = NULL;
	entry->nodes = strdup(nodes);
	if (!entry->nodes)
		return -ENOMEM;
	return place->cpus ? cpuset_copy(&entry->cpus, place->cpus) : 0;
}

/* Compares entries by their nodes. Entries with equal nodes keep their order. */
static int compare_nodes(const void *one, const void *other)
{
	const struct fold_entry *first = *(struct fold_entry *const *)one;
	const struct fold_entry *second = *(struct fold_entry *const *)other;

	return strcmp(first->nodes, second->nodes) ?: (first > second) - (first < second);
}

/* Returns the number of the power domain in its package; without one, the number of the die. */
static int64_t domain_of(const struct fold_entry *entry)
{
	return entry->place.power_domain >= 0 ? entry->place.power_domain : entry->place.die;
}

static int compare_domains(const void *one, const void *other)
{
	const struct fold_entry *first = *(struct fold_entry *const *)one;
	const struct fold_entry *second = *(struct fold_entry *const *)other;
	int64_t difference = first->place.package - second->place.package;

	if (!difference)
		difference = domain_of(first) - domain_of(second);
	return (difference > 0) - (difference < 0);
}

/* Returns true if both are numbers, or both are the same word. */
static bool is_like(int64_t part, int64_t other)
{
	return part >= 0 ? other >= 0 : part == other;
}

static bool can_join(const struct output_place *place, const struct output_place *other,
		     enum scope scope)
{
	return is_like(place->package, other->package) && is_like(place->die, other->die) &&
	       is_like(place->power_domain, other->power_domain) &&
	       is_like(place->cpu, other->cpu) &&
	       (scope < OF_PACKAGE || place->package == other->package) &&
	       (scope < OF_DIE || place->die == other->die) &&
	       (scope < OF_POWER_DOMAIN || place->power_domain == other->power_domain);
}

static int add_number(struct cpuset *numbers, int64_t number)
{
	return number < 0 ? 0 : cpuset_add(numbers, (uint32_t)number);
}

/* Adds the numbers of an entry. Returns 0 or -ENOMEM. */
static int add_numbers(struct fold_entry *to, const struct fold_entry *entry)
{
	const struct output_place *place = &entry->place;

	if (add_number(&to->packages, place->package) || add_number(&to->dies, place->die) ||
	    add_number(&to->power_domains, place->power_domain))
		return -ENOMEM;
	return cpuset_is_empty(&entry->cpus) ? add_number(&to->cpus, place->cpu)
					     : cpuset_add_all(&to->cpus, &entry->cpus);
}

/* Returns true if the numbers of joined entries name only these locations. */
static bool names_only(const struct fold_entry *joined, size_t n_places, bool dies_differ)
{
	size_t n_packages = cpuset_count(&joined->packages);

	if (joined->place.power_domain >= 0)
		return n_places == n_packages * cpuset_count(&joined->power_domains);
	if (joined->place.die >= 0 && !dies_differ)
		return n_places == n_packages * cpuset_count(&joined->dies);
	return true;
}

/* Counts the locations of the entries; several CPUs may share one. Sorts the entries. */
static size_t count_places(const struct list *list)
{
	size_t n_places = 1;

	qsort(list->entries, list->count, sizeof(*list->entries), compare_domains);
	for (size_t i = 1; i < list->count; i++)
		n_places += compare_domains(&list->entries[i - 1], &list->entries[i]) != 0;
	return n_places;
}

/* Joins members, the first entry and those that can join it, if their numbers name no other
 * location. Returns 1; 0 if they name one; or -ENOMEM. */
static int join_members(struct fold_entry *first, const struct list *members, bool dies_differ)
{
	struct fold_entry joined = { .place = first->place, .nodes = first->nodes };
	int err = 0;

	for (size_t i = 0; !err && i < members->count; i++)
		err = add_numbers(&joined, members->entries[i]);
	if (err || !names_only(&joined, count_places(members), dies_differ)) {
		sets_done(&joined);
		return err;
	}
	for (size_t i = 0; i < members->count; i++)
		members->entries[i]->is_joined = true;
	sets_done(first);
	*first = joined;
	return 1;
}

/* Joins entries with equal nodes. members has room for all of them. */
static int join_equal(const struct list *equal, struct list *members, bool dies_differ)
{
	for (size_t i = 0; i < equal->count; i++) {
		struct fold_entry *first = equal->entries[i];

		for (enum scope scope = OF_MACHINE; !first->is_joined && scope < N_SCOPES;
		     scope++) {
			int result;

			members->count = 0;
			for (size_t j = i; j < equal->count; j++)
				if (!equal->entries[j]->is_joined &&
				    can_join(&first->place, &equal->entries[j]->place, scope))
					members->entries[members->count++] = equal->entries[j];
			if (members->count < 2)
				break;
			result = join_members(first, members, dies_differ);
			if (result < 0)
				return result;
			if (result > 0)
				break;
		}
	}
	return 0;
}

int fold_join(struct fold *fold, bool dies_differ)
{
	_cleanup_free_ struct fold_entry **sorted = calloc(fold->count, sizeof(*sorted));
	_cleanup_free_ struct fold_entry **room = calloc(fold->count, sizeof(*room));
	struct list members = { room, 0 };
	int err = 0;

	if (!sorted || !room)
		return fold->count ? -ENOMEM : 0;
	for (size_t i = 0; i < fold->count; i++)
		sorted[i] = &fold->entries[i];
	qsort(sorted, fold->count, sizeof(*sorted), compare_nodes);
	for (size_t i = 0, n; !err && i < fold->count; i += n) {
		for (n = 1; i + n < fold->count; n++)
			if (strcmp(sorted[i]->nodes, sorted[i + n]->nodes) != 0)
				break;
		err = join_equal(&(struct list){ sorted + i, n }, &members, dies_differ);
	}
	return err;
}

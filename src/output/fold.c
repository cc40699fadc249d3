// SPDX-License-Identifier: GPL-2.0-only
#include "output/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Which places may become one, from the most to the fewest. */
enum scope { OF_MACHINE, OF_PACKAGE, OF_DIE, OF_POWER_DOMAIN, N_SCOPES };

static void entry_done(struct fold_entry *entry)
{
	cpuset_done(&entry->packages);
	cpuset_done(&entry->dies);
	cpuset_done(&entry->power_domains);
	cpuset_done(&entry->cpus);
	free(steal(entry->nodes));
}

void fold_done(struct fold *fold)
{
	for (size_t i = 0; i < fold->count; i++)
		entry_done(&fold->entries[i]);
	free(fold->entries);
	*fold = (struct fold){ 0 };
}

static int add_number(struct cpuset *numbers, int64_t number)
{
	return number < 0 ? 0 : cpuset_add(numbers, (uint32_t)number);
}

int fold_add(struct fold *fold, const struct output_place *place, const char *nodes)
{
	struct fold_entry *entry = array_add(&fold->entries, &fold->count, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->place = *place;
	entry->place.cpus = NULL;
	entry->nodes = strdup(nodes);
	if (!entry->nodes || add_number(&entry->packages, place->package) ||
	    add_number(&entry->dies, place->die) ||
	    add_number(&entry->power_domains, place->power_domain))
		return -ENOMEM;
	return place->cpus ? cpuset_copy(&entry->cpus, place->cpus)
			   : add_number(&entry->cpus, place->cpu);
}

/* Are both numbers, or the same word? */
static bool is_like(int64_t part, int64_t other)
{
	return part >= 0 ? other >= 0 : part == other;
}

static bool can_join(const struct fold_entry *entry, const struct fold_entry *other,
		     enum scope scope)
{
	const struct output_place *place = &entry->place, *of_other = &other->place;

	return !other->is_taken && is_like(place->package, of_other->package) &&
	       is_like(place->die, of_other->die) &&
	       is_like(place->power_domain, of_other->power_domain) &&
	       is_like(place->cpu, of_other->cpu) &&
	       (scope < OF_PACKAGE || place->package == of_other->package) &&
	       (scope < OF_DIE || place->die == of_other->die) &&
	       (scope < OF_POWER_DOMAIN || place->power_domain == of_other->power_domain) &&
	       strcmp(entry->nodes, other->nodes) == 0;
}

/* Collects the places that can join the first one: they are in, and ret_joined has all numbers. */
static int collect(struct fold *fold, struct fold_entry *first, enum scope scope,
		   struct fold_entry *ret_joined)
{
	for (struct fold_entry *entry = fold->entries; entry < fold->entries + fold->count;
	     entry++) {
		entry->is_in = entry == first || (entry > first && can_join(first, entry, scope));
		if (entry->is_in &&
		    (cpuset_add_all(&ret_joined->packages, &entry->packages) ||
		     cpuset_add_all(&ret_joined->dies, &entry->dies) ||
		     cpuset_add_all(&ret_joined->power_domains, &entry->power_domains) ||
		     cpuset_add_all(&ret_joined->cpus, &entry->cpus)))
			return -ENOMEM;
	}
	return 0;
}

static bool has_number(const struct cpuset *numbers, int64_t number)
{
	return number < 0 ? cpuset_is_empty(numbers) : cpuset_has(numbers, (uint32_t)number);
}

static bool has_place(const struct fold *fold, const struct output_place *place)
{
	for (size_t i = 0; i < fold->count; i++) {
		const struct output_place *other = &fold->entries[i].place;

		if (fold->entries[i].is_in && place->package == other->package &&
		    place->die == other->die && place->power_domain == other->power_domain)
			return true;
	}
	return false;
}

/* Do the numbers name a place that is not in? CPUs of one place may differ: their numbers tell them
 * apart. */
static bool names_others(const struct fold *fold, const struct fold_entry *joined)
{
	for (size_t i = 0; i < fold->count; i++) {
		const struct output_place *place = &fold->entries[i].place;

		if (!fold->entries[i].is_in && has_number(&joined->packages, place->package) &&
		    has_number(&joined->dies, place->die) &&
		    has_number(&joined->power_domains, place->power_domain) &&
		    !has_place(fold, place))
			return true;
	}
	return false;
}

static void take(struct fold *fold, struct fold_entry *first, struct fold_entry *joined)
{
	for (size_t i = 0; i < fold->count; i++)
		fold->entries[i].is_taken |= fold->entries[i].is_in;
	first->is_taken = false;
	joined->place = first->place;
	joined->nodes = steal(first->nodes);
	entry_done(first);
	*first = *joined;
	*joined = (struct fold_entry){ 0 };
}

int fold_join(struct fold *fold)
{
	for (size_t i = 0; i < fold->count; i++) {
		struct fold_entry *first = &fold->entries[i];

		for (enum scope scope = OF_MACHINE; !first->is_taken && scope < N_SCOPES; scope++) {
			struct fold_entry joined = { 0 };
			int err = collect(fold, first, scope, &joined);

			if (!err && (scope == OF_POWER_DOMAIN || !names_others(fold, &joined))) {
				take(fold, first, &joined);
				break;
			}
			entry_done(&joined);
			if (err)
				return err;
		}
	}
	return 0;
}

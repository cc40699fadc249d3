// SPDX-License-Identifier: GPL-2.0-only
/* Places cores on packages and power domains (docs/spec/choose.md, "machine choose", "Placing"). In
 * a power domain the cores with the lowest CPU numbers are chosen. */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Counts the cores that a package can give within its capacity. The count is the largest possible
 * if all cores of a package have one weight, as on all existing parts. */
static size_t count_room(const struct choose_facts *facts, const struct choose_package *package,
			 const struct choose_room *cores, size_t capacity)
{
	size_t count = 0, used = 0;

	for (size_t i = 0; i < facts->n_cores; i++) {
		if (!cores->is_usable[i] || !choose_package_has(package, facts->cores[i].domain) ||
		    used + cores->weights[i] > capacity)
			continue;
		used += cores->weights[i];
		count++;
	}
	return count;
}

/* Distributes cores evenly: each to a place with room that has the fewest cores. */
static void share_evenly(size_t n_cores, const size_t *room, const bool *takes_part,
			 size_t n_places, size_t *shares)
{
	for (; n_cores > 0; n_cores--) {
		size_t best = n_places;

		for (size_t i = 0; i < n_places; i++) {
			if (takes_part[i] && shares[i] < room[i] &&
			    (best == n_places || shares[i] < shares[best]))
				best = i;
		}
		if (best == n_places)
			return;
		shares[best]++;
	}
}

/* Distributes cores in order: fills each place before the next one. */
static void share_in_order(size_t n_cores, const size_t *room, const bool *takes_part,
			   size_t n_places, size_t *shares)
{
	for (size_t i = 0; i < n_places && n_cores > 0; i++) {
		size_t share = room[i] < n_cores ? room[i] : n_cores;

		if (!takes_part[i])
			continue;
		shares[i] = share;
		n_cores -= share;
	}
}

/* Marks the smallest number of places that have room for the cores: the largest first; of equal
 * places, the first. */
static void mark_few(size_t n_cores, const size_t *room, size_t n_places, bool *takes_part)
{
	size_t total = 0;

	while (total < n_cores) {
		size_t best = n_places;

		for (size_t i = 0; i < n_places; i++) {
			if (!takes_part[i] && room[i] > 0 &&
			    (best == n_places || room[i] > room[best]))
				best = i;
		}
		if (best == n_places)
			return;
		takes_part[best] = true;
		total += room[best];
	}
}

/* Distributes cores over places that have enough room. */
static void share(enum choose_placing placing, bool few, size_t n_cores, const size_t *room,
		  size_t n_places, bool *takes_part, size_t *shares)
{
	for (size_t i = 0; i < n_places; i++) {
		takes_part[i] = !few && room[i] > 0;
		shares[i] = 0;
	}
	if (few)
		mark_few(n_cores, room, n_places, takes_part);
	if (placing == CHOOSE_PACK)
		share_in_order(n_cores, room, takes_part, n_places, shares);
	else
		share_evenly(n_cores, room, takes_part, n_places, shares);
}

/* Chooses n_cores cores of a package. Returns 0 or -ENOMEM. */
static int choose_in_package(const struct choose_facts *facts, enum choose_placing placing,
			     const struct choose_package *package, const bool *is_usable,
			     size_t n_cores, bool *is_chosen)
{
	_cleanup_free_ bool *takes_part = calloc(package->n_domains, sizeof(*takes_part));
	_cleanup_free_ size_t *room = calloc(package->n_domains, sizeof(*room));
	_cleanup_free_ size_t *shares = calloc(package->n_domains, sizeof(*shares));

	if (!takes_part || !room || !shares)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_cores; i++) {
		size_t domain = facts->cores[i].domain;

		if (is_usable[i] && choose_package_has(package, domain))
			room[domain - package->first]++;
	}
	share(placing, placing == CHOOSE_PACK, n_cores, room, package->n_domains, takes_part,
	      shares);
	for (size_t i = 0; i < facts->n_cores; i++) {
		size_t domain = facts->cores[i].domain;

		if (!is_usable[i] || !choose_package_has(package, domain) ||
		    shares[domain - package->first] == 0)
			continue;
		is_chosen[i] = true;
		shares[domain - package->first]--;
	}
	return 0;
}

/* Counts the units of the chosen cores of a package. */
static size_t count_units(const struct choose_facts *facts, const struct choose_package *package,
			  const bool *is_chosen, const size_t *weights)
{
	size_t units = 0;

	for (size_t i = 0; i < facts->n_cores; i++) {
		if (is_chosen[i] && choose_package_has(package, facts->cores[i].domain))
			units += weights[i];
	}
	return units;
}

void choose_room_done(struct choose_room *room)
{
	free(room->is_usable);
	free(room->weights);
	free(room->capacity);
}

int choose_room_init(const struct choose_facts *facts, struct choose_room *room)
{
	room->is_usable = calloc(facts->n_cores + 1, sizeof(*room->is_usable));
	room->weights = calloc(facts->n_cores + 1, sizeof(*room->weights));
	room->capacity = calloc(facts->n_packages + 1, sizeof(*room->capacity));
	return room->is_usable && room->weights && room->capacity ? 0 : -ENOMEM;
}

int choose_place(const struct choose_facts *facts, const struct choose_request *request,
		 const struct choose_room *cores, struct choose_row *row, size_t *ret_room,
		 size_t *ret_most)
{
	_cleanup_free_ size_t *room = calloc(facts->n_packages * 2 + 1, sizeof(*room));
	_cleanup_free_ bool *takes_part = calloc(facts->n_packages + 1, sizeof(*takes_part));
	size_t *shares, total = 0, most = 0;

	if (!room || !takes_part)
		return -ENOMEM;
	shares = room + facts->n_packages;
	for (size_t i = 0; i < facts->n_packages; i++) {
		room[i] = count_room(facts, &facts->packages[i], cores, cores->capacity[i]);
		total += room[i];
	}
	*ret_room = total;
	if (total < request->n_cores)
		return -ENOSPC;
	share(request->placing, request->placing != CHOOSE_SPREAD, request->n_cores, room,
	      facts->n_packages, takes_part, shares);
	for (size_t i = 0; i < facts->n_packages; i++) {
		const struct choose_package *package = &facts->packages[i];
		size_t units;

		row->is_set[i] = shares[i] > 0;
		if (choose_in_package(facts, request->placing, package, cores->is_usable, shares[i],
				      row->is_chosen))
			return -ENOMEM;
		units = count_units(facts, package, row->is_chosen, cores->weights);
		if (units > cores->capacity[i])
			return -ENOSPC;
		if (units > most)
			most = units;
	}
	*ret_most = most;
	return 0;
}

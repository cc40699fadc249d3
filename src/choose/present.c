// SPDX-License-Identifier: GPL-2.0-only
/* Makes the row of the present setting for machine choose: the present frequencies of the cores,
 * and the fastest cores (docs/spec/choose.md, "machine choose"). */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"

static const struct sst_level *find_level(const struct choose_facts *facts, size_t domain)
{
	return &facts->expected.levels[domain].info;
}

/* Returns true if all current levels have limits for the instruction set. */
static bool has_frequencies(const struct choose_facts *facts, unsigned int trl_level)
{
	for (size_t i = 0; i < facts->n_domains && trl_level > 0; i++) {
		if (!find_level(facts, i)->turbo.mhz[trl_level][0])
			return false;
	}
	return true;
}

int choose_read_present(const struct choose_facts *facts, const struct choose_request *request,
			struct choose_row *row)
{
	row->feature = CHOOSE_PRESENT;
	row->bucket = SST_BUCKETS;
	row->level = facts->n_domains ? facts->expected.levels[0].level : CHOOSE_LEVELS_DIFFER;
	if (choose_row_init(facts, row) || cpuset_copy(&row->online, &facts->topology->online))
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_domains; i++) {
		if (facts->expected.levels[i].level != row->level)
			row->levels_differ = true;
	}
	if (row->levels_differ)
		row->level = CHOOSE_LEVELS_DIFFER;
	return has_frequencies(facts, request->trl_level)
		       ? choose_predict(facts, request->trl_level, row)
		       : 0;
}

static int compare_descending(const void *left, const void *right)
{
	const uint32_t *one = left, *other = right;

	return number_compare(*other, *one);
}

/* Finds the cores that can be chosen; *ret_mhz: their frequencies, descending, as a new array. */
static int find_usable(const struct choose_facts *facts, const struct choose_row *row,
		       struct choose_room *cores, uint32_t **ret_mhz, size_t *ret_count)
{
	uint32_t *mhz = *ret_mhz = calloc(facts->n_cores + 1, sizeof(*mhz));
	size_t count = 0;

	if (!mhz || choose_room_init(facts, cores))
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_packages; i++)
		cores->capacity[i] = SIZE_MAX;
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];

		cores->weights[i] = 1;
		cores->is_usable[i] =
			core->is_candidate &&
			choose_is_available(core, find_level(facts, core->domain), &row->online);
		if (cores->is_usable[i])
			mhz[count++] = row->core_mhz[i];
	}
	qsort(mhz, count, sizeof(*mhz), compare_descending);
	*ret_count = count;
	return 0;
}

/* Chooses the fastest cores; places equally fast ones as the request does. Returns 0, -ENOSPC if
 * there are not enough, or -ENOMEM. */
static int choose_fastest(const struct choose_facts *facts, const struct choose_request *request,
			  struct choose_row *row)
{
	_cleanup_(choose_room_done) struct choose_room cores = { 0 };
	_cleanup_free_ uint32_t *usable_mhz = NULL;
	struct choose_request rest = *request;
	size_t n_usable, room, most;
	int err = find_usable(facts, row, &cores, &usable_mhz, &n_usable);
	uint32_t mhz;

	if (err)
		return err;
	if (n_usable < request->n_cores)
		return -ENOSPC;
	mhz = usable_mhz[request->n_cores - 1];
	for (size_t i = 0; i < facts->n_cores; i++) {
		row->is_chosen[i] = cores.is_usable[i] && row->core_mhz[i] > mhz;
		rest.n_cores -= row->is_chosen[i];
		cores.is_usable[i] = cores.is_usable[i] && row->core_mhz[i] == mhz;
	}
	err = choose_place(facts, &rest, &cores, row, &room, &most);
	for (size_t i = 0; i < facts->n_packages; i++)
		row->is_set[i] = false;
	return err;
}

/* Fills in what does not depend on frequencies. */
static int fill_row(const struct choose_facts *facts, struct choose_row *row)
{
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];
		uint32_t level = facts->expected.levels[core->domain].level, tdp_w;

		if (!row->is_chosen[i])
			continue;
		tdp_w = choose_find_tdp(facts, choose_find_package(facts, core->domain), level);
		if (tdp_w > row->tdp_w)
			row->tdp_w = tdp_w;
	}
	return choose_add_cpus(facts, row);
}

int choose_find_present(const struct choose_facts *facts, const struct choose_request *request,
			const struct choose_row *best, struct choose_row *row, bool *ret_serves)
{
	uint32_t wanted_mhz = request->mhz ?: best ? best->high_mhz : 0;
	int err;

	*ret_serves = false;
	if (!has_frequencies(facts, request->trl_level))
		return 0;
	err = choose_fastest(facts, request, row);
	if (err)
		return err == -ENOSPC ? 0 : err;
	err = fill_row(facts, row);
	if (!err)
		err = choose_predict(facts, request->trl_level, row);
	row->others_now_mhz = row->others_mhz;
	*ret_serves =
		!err && row->high_mhz >= wanted_mhz &&
		(row->cores_online <= request->n_cores || row->others_mhz >= request->others_mhz) &&
		(!request->watts || (row->tdp_w && row->tdp_w <= request->watts));
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The present setting as an answer of machine choose: what the cores have now, and the fastest of
 * them (docs/spec/choose.md, "machine choose"). */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"

static const struct sst_level *find_level(const struct choose_facts *facts, size_t domain)
{
	return &facts->expected.levels[domain].info;
}

/* Has each level that is set limits for the instruction set? */
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
	row->is_chosen = calloc(facts->n_cores + 1, sizeof(*row->is_chosen));
	row->is_set = calloc(facts->n_packages + 1, sizeof(*row->is_set));
	row->core_mhz = calloc(facts->n_cores + 1, sizeof(*row->core_mhz));
	if (!row->is_chosen || !row->is_set || !row->core_mhz ||
	    cpuset_copy(&row->online, &facts->topology->online))
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

/* Cores while they are chosen; arrays by core, or, the capacity, by package. */
struct choosing {
	bool *is_usable;
	uint32_t *mhz; /* of those that are usable, n_usable of them */
	size_t n_usable;
	size_t *weights, *capacity;
};

static void choosing_done(struct choosing *choosing)
{
	free(choosing->is_usable);
	free(choosing->mhz);
	free(choosing->weights);
	free(choosing->capacity);
}

static int choosing_init(struct choosing *choosing, const struct choose_facts *facts,
			 const struct choose_row *row)
{
	choosing->is_usable = calloc(facts->n_cores + 1, sizeof(*choosing->is_usable));
	choosing->mhz = calloc(facts->n_cores + 1, sizeof(*choosing->mhz));
	choosing->weights = calloc(facts->n_cores + 1, sizeof(*choosing->weights));
	choosing->capacity = calloc(facts->n_packages + 1, sizeof(*choosing->capacity));
	if (!choosing->is_usable || !choosing->mhz || !choosing->weights || !choosing->capacity)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_packages; i++)
		choosing->capacity[i] = SIZE_MAX;
	for (size_t i = 0; i < facts->n_cores; i++) {
		const struct choose_core *core = &facts->cores[i];

		choosing->weights[i] = 1;
		choosing->is_usable[i] =
			core->is_candidate &&
			choose_is_available(core, find_level(facts, core->domain), &row->online);
		if (choosing->is_usable[i])
			choosing->mhz[choosing->n_usable++] = row->core_mhz[i];
	}
	qsort(choosing->mhz, choosing->n_usable, sizeof(*choosing->mhz), compare_descending);
	return 0;
}

/* Chooses the fastest cores; of those that are equal as they would be placed. Returns 0, -ENOSPC if
 * there are not enough, or -ENOMEM. */
static int choose_fastest(const struct choose_facts *facts, const struct choose_request *request,
			  struct choose_row *row)
{
	_cleanup_(choosing_done) struct choosing choosing = { 0 };
	struct choose_request rest = *request;
	int err = choosing_init(&choosing, facts, row);
	size_t room, most;
	uint32_t mhz;

	if (err)
		return err;
	if (choosing.n_usable < request->n_cores)
		return -ENOSPC;
	mhz = choosing.mhz[request->n_cores - 1];
	for (size_t i = 0; i < facts->n_cores; i++) {
		row->is_chosen[i] = choosing.is_usable[i] && row->core_mhz[i] > mhz;
		rest.n_cores -= row->is_chosen[i];
		choosing.is_usable[i] = choosing.is_usable[i] && row->core_mhz[i] == mhz;
	}
	err = choose_place(facts, &rest, choosing.is_usable, choosing.capacity, choosing.weights,
			   row, &room, &most);
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
		for (size_t j = 0; j < core->n_cpus; j++) {
			if (cpuset_has(&row->online, core->cpus[j]) &&
			    cpuset_add(&row->cpus, core->cpus[j]))
				return -ENOMEM;
		}
	}
	return 0;
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

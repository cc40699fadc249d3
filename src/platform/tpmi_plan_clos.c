// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning the parameters of a CLOS and which core is in which (hardware.md, section 4). Parameters
 * are package-wide in effect: they are set in every power domain of the package that has SST-CP, IO
 * dies too, once. A core, or a module of four CPUs, is set once.
 */
#include "platform/tpmi_clos.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "plan/subject.h"
#include "plan/tpmi_words.h"
#include "platform/words.h"

#define TEXT_SIZE 64 /* of three numbers and their names */
#define CLOS_MASK 3

/* A step that writes a word and reads it back. */
static struct plan_step make_step(struct plan_write write, uint64_t old_value, uint64_t mask)
{
	return (struct plan_step){
		.write = write,
		.old_value = old_value,
		.check = { .kind = PLAN_CHECK_WORD,
			   .read = write,
			   .mask = mask,
			   .value = write.value & mask,
			   .old_value = old_value & mask,
			   .tries = 1 },
	};
}

/* The word of parameters: whole steps of 100 MHz, as the driver keeps them. */
static uint64_t encode_clos(const struct sst_clos *clos)
{
	uint32_t step = word_ratio_mhz(1), most = word_ratio_mhz(WORD_RATIO_UNLIMITED);
	uint32_t min_mhz = clos->min_mhz < most ? clos->min_mhz : most;
	uint32_t max_mhz = clos->unlimited || clos->max_mhz > most ? most : clos->max_mhz;

	return tpmi_words_clos(clos->weight & 0xf, min_mhz / step * step, max_mhz / step * step);
}

static void format_clos(char text[TEXT_SIZE], uint64_t word)
{
	uint32_t weight = word & 0xff, min_mhz = word >> 16 & 0xffff;
	uint32_t max_mhz = word >> 32 & 0xffff;
	char max[24];

	snprintf(max, sizeof(max), "%u MHz", max_mhz);
	snprintf(text, TEXT_SIZE, "weight:%u min:%u MHz max:%s", weight, min_mhz,
		 max_mhz >= word_ratio_mhz(WORD_RATIO_UNLIMITED) ? "unlimited" : max);
}

static int add_clos(struct plan *plan, const struct power_domain *domain,
		    const struct platform_clos_wish *wish, const struct isst_clos_param *param,
		    uint32_t batch)
{
	uint64_t old = tpmi_words_clos(param->prop_prio, param->min_freq_mhz, param->max_freq_mhz);
	uint64_t new = encode_clos(&wish->wanted);
	char what[16], old_text[TEXT_SIZE], new_text[TEXT_SIZE];
	struct plan_step step;

	if (new == old)
		return 0;
	snprintf(what, sizeof(what), "CLOS %u", wish->clos);
	format_clos(old_text, old);
	format_clos(new_text, new);
	step = make_step((struct plan_write){ .kind = PLAN_TPMI,
					      .address = ISST_CLOS_PARAM,
					      .parameter = wish->clos,
					      .package = domain->package,
					      .power_domain = domain->id,
					      .value = new },
			 old, UINT64_MAX);
	step.subject = domains_subject(domain);
	step.what = what;
	step.old_text = old_text;
	step.new_text = new_text;
	step.batch = batch;
	return plan_add(plan, &step);
}

static bool is_same(const struct platform_clos_wish *left, const struct platform_clos_wish *right)
{
	return left->domain && right->domain && left->domain->package == right->domain->package &&
	       left->clos == right->clos;
}

static bool is_outdone(const struct platform_clos_wish *wishes, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (is_same(&wishes[i], &wishes[index]))
			return true;
	}
	return false;
}

static void fail_wishes(struct platform_clos_wish *wishes, size_t count,
			const struct platform_clos_wish *wish, int err)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same(&wishes[i], wish))
			wishes[i].error = err;
	}
}

/* Is the domain one of those that are set for a wish? An IO die may be without SST-CP. */
static bool is_set_for(struct platform *platform, const struct power_domain *domain,
		       const struct platform_clos_wish *wish)
{
	const struct tpmi_state *state;

	if (domain->package != wish->domain->package || !domain->is_served)
		return false;
	if (!cpuset_is_empty(&domain->cpus))
		return true;
	state = tpmi_read_state_of(platform, domain, false);
	return !state->error && state->state.supported;
}

/* The steps of one wish. Returns 0 or -ENOMEM; *ret_failed is what could not be read, or 0. */
static int add_package(struct platform *platform, struct plan *plan,
		       const struct platform_clos_wish *wish, uint32_t batch, int *ret_failed)
{
	const struct domain_list *list = &platform->domains;
	int err = 0;

	*ret_failed = wish->domain->is_served ? 0 : -ENODEV;
	for (size_t i = 0; i < list->n_domains && !err && !*ret_failed; i++) {
		const struct power_domain *domain = &list->domains[i];
		struct isst_clos_param param = { 0 };

		if (!is_set_for(platform, domain, wish))
			continue;
		*ret_failed = tpmi_read_param(platform, domain, wish->clos, &param);
		if (!*ret_failed)
			err = add_clos(plan, domain, wish, &param, batch);
	}
	return err;
}

int tpmi_plan_clos(struct platform *platform, struct plan *plan, struct platform_clos_wish *wishes,
		   size_t count)
{
	uint32_t batch = plan_new_batch(plan);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		int failed;

		if (!wishes[i].domain || is_outdone(wishes, i, count))
			continue;
		err = add_package(platform, plan, &wishes[i], batch, &failed);
		if (!err)
			fail_wishes(wishes, count, &wishes[i], failed);
	}
	return err;
}

static int add_association(const struct platform *platform, struct plan *plan,
			   const struct platform_assoc_wish *wish,
			   const struct isst_clos_assoc *core, uint32_t batch)
{
	char what[40], old_text[16], new_text[16];
	struct plan_step step;

	if (core->clos == wish->clos)
		return 0;
	snprintf(what, sizeof(what), "association of core %u", core->logical_cpu);
	snprintf(old_text, sizeof(old_text), "CLOS %u", core->clos);
	snprintf(new_text, sizeof(new_text), "CLOS %u", wish->clos);
	step = make_step((struct plan_write){ .kind = PLAN_TPMI,
					      .address = ISST_CLOS_ASSOC,
					      .parameter = core->logical_cpu,
					      .package = core->socket_id,
					      .power_domain = core->power_domain_id,
					      .value = wish->clos },
			 core->clos, CLOS_MASK);
	step.subject = subject_of_cpu(platform->machine, wish->cpu);
	step.what = what;
	step.old_text = old_text;
	step.new_text = new_text;
	step.batch = batch;
	return plan_add(plan, &step);
}

int tpmi_plan_assoc(struct platform *platform, struct plan *plan,
		    struct platform_assoc_wish *wishes, size_t count)
{
	_cleanup_free_ uint32_t *cpus = calloc(count ?: 1, sizeof(*cpus));
	_cleanup_free_ bool *is_granted = calloc(count ?: 1, sizeof(*is_granted));
	_cleanup_(tpmi_clos_done) struct core_list list = { 0 };
	uint32_t batch = plan_new_batch(plan);
	int err;

	if (!cpus || !is_granted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		cpus[i] = wishes[i].cpu;
	err = tpmi_clos_read_cores(platform, cpus, count, &list);
	for (size_t i = 0; i < count && !err; i++) {
		size_t core = list.core_of[i];

		wishes[i].error = tpmi_clos_error_of(platform, &list, cpus, i);
		if (wishes[i].error || is_granted[core])
			continue;
		is_granted[core] = true;
		err = add_association(platform, plan, &wishes[i], &list.cores[core], batch);
	}
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning SST-CP: CORE_POWER_STATE is package-wide in effect, so it is set in every power domain
 * of the package that has it, IO dies too, once (hardware.md, section 4).
 */
#include "platform/tpmi.h"

#include <errno.h>
#include <stdio.h>

#include "platform/tpmi_clos.h"
#include "plan/tpmi_words.h"

#define CHECK_TRIES 5 /* a change takes effect a little later */

static void format_state(char text[32], bool on, bool ordered)
{
	snprintf(text, 32, "CLOS %s, %s", on ? "on" : "off", ordered ? "ordered" : "proportional");
}

static int add_state(struct plan *plan, const struct power_domain *domain,
		     const struct isst_core_power_state *state,
		     const struct platform_core_power_wish *wish)
{
	uint64_t old = tpmi_words_core_power(state->enable, state->priority_type);
	uint64_t new = tpmi_words_core_power(wish->on, wish->ordered);
	struct plan_write write = {
		.kind = PLAN_TPMI,
		.address = ISST_CORE_POWER_STATE,
		.package = domain->package,
		.power_domain = domain->id,
		.value = new,
	};
	char old_text[32], new_text[32];

	if (new == old)
		return 0;
	format_state(old_text, state->enable, state->priority_type);
	format_state(new_text, wish->on, wish->ordered);
	return plan_add(plan, &(struct plan_step){
				      .subject = domains_subject(domain),
				      .what = "SST-CP and its priority type",
				      .write = write,
				      .old_value = old,
				      .old_text = old_text,
				      .new_text = new_text,
				      .check = { .kind = PLAN_CHECK_WORD,
						 .read = write,
						 .mask = tpmi_words_core_power(true, true),
						 .value = new,
						 .old_value = old,
						 .tries = CHECK_TRIES },
			      });
}

static bool is_of(const struct platform_core_power_wish *wish, uint32_t package)
{
	return wish->domain && wish->domain->package == package;
}

static bool is_wished(const struct platform_core_power_wish *wishes, size_t count,
		      const struct power_domain *domain)
{
	for (size_t i = 0; i < count; i++) {
		if (wishes[i].domain == domain)
			return true;
	}
	return false;
}

/* Does a domain of the package that nobody wishes for have SST-TF on, which needs SST-CP? */
static bool is_needed(struct platform *platform, const struct platform_core_power_wish *wishes,
		      size_t count, uint32_t package)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];
		const struct tpmi_levels *answer;

		if (domain->package != package || !domain->is_served ||
		    is_wished(wishes, count, domain))
			continue;
		answer = tpmi_read_levels_of(platform, domain, false);
		if (!answer->error && answer->levels.feature_state & ISST_FEATURE_TF)
			return true;
	}
	return false;
}

/*
 * The first domain of the package whose state cannot be read, or NULL. The package cannot be set
 * then: the domain would keep another state than the others. An IO die without SST-CP can be read,
 * and is not supported.
 */
static const struct power_domain *find_unread(struct platform *platform, uint32_t package)
{
	const struct domain_list *list = &platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];

		if (domain->package == package && domain->is_served &&
		    tpmi_read_state_of(platform, domain, false)->error)
			return domain;
	}
	return NULL;
}

static int add_package(struct platform *platform, struct plan *plan,
		       const struct platform_core_power_wish *wish)
{
	const struct domain_list *list = &platform->domains;
	int err = 0;

	for (size_t i = 0; i < list->n_domains && !err; i++) {
		const struct power_domain *domain = &list->domains[i];
		const struct tpmi_state *state;

		if (domain->package != wish->domain->package || !domain->is_served)
			continue;
		state = tpmi_read_state_of(platform, domain, false);
		if (state->state.supported)
			err = add_state(plan, domain, &state->state, wish);
	}
	return err;
}

/* Is a later wish about the same package? */
static bool is_outdone(const struct platform_core_power_wish *wishes, size_t index, size_t count)
{
	for (size_t i = index + 1; i < count; i++) {
		if (is_of(&wishes[i], wishes[index].domain->package))
			return true;
	}
	return false;
}

/* What each wish's own domain has. */
static void find_states(struct platform *platform, struct platform_core_power_wish *wishes,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tpmi_state *state;

		if (!wishes[i].domain)
			continue;
		state = tpmi_read_state_of(platform, wishes[i].domain, false);
		wishes[i].error = state->error;
		if (!state->error)
			wishes[i].found = tpmi_clos_decode_state(&state->state);
		else
			wishes[i].unread = wishes[i].domain;
	}
}

static void note_turbo_freq(struct platform_core_power_wish *wishes, size_t count, uint32_t package)
{
	for (size_t i = 0; i < count; i++) {
		if (is_of(&wishes[i], package))
			wishes[i].turbo_freq_on = true;
	}
}

/* Wishes whose own domain has an error keep it. */
static void fail_package(struct platform_core_power_wish *wishes, size_t count, uint32_t package,
			 int err, const struct power_domain *unread)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_of(&wishes[i], package) || wishes[i].error)
			continue;
		wishes[i].error = err;
		wishes[i].unread = unread;
	}
}

/* Plans the package of a wish, or fails all wishes of it. Returns 0 or -ENOMEM. */
static int plan_package(struct platform *platform, struct plan *plan,
			struct platform_core_power_wish *wishes, size_t count,
			const struct platform_core_power_wish *wish)
{
	uint32_t package = wish->domain->package;
	const struct power_domain *unread = find_unread(platform, package);

	if (unread) {
		fail_package(wishes, count, package,
			     tpmi_read_state_of(platform, unread, false)->error, unread);
		return 0;
	}
	if (!wish->on && is_needed(platform, wishes, count, package)) {
		note_turbo_freq(wishes, count, package);
		if (!wish->force) {
			fail_package(wishes, count, package, -EUSERS, NULL);
			return 0;
		}
	}
	return add_package(platform, plan, wish);
}

int tpmi_plan_core_power(struct platform *platform, struct plan *plan,
			 struct platform_core_power_wish *wishes, size_t count)
{
	int err = 0;

	find_states(platform, wishes, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (wishes[i].domain && !is_outdone(wishes, i, count))
			err = plan_package(platform, plan, wishes, count, &wishes[i]);
	}
	return err;
}

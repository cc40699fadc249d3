// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning a change of the performance level, and of SST-BF and SST-TF at the current one
 * (hardware.md, section 3). A level change switches both off and sets the turbo-ratio limits anew,
 * so taking it back restores them.
 */
#include "platform/mailbox_plan.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "platform/level_words.h"

#define SETTLE_US   10000 /* until cpufreq shows new base frequencies */
#define CHECK_TRIES 5

/* What a domain is at. */
struct domain_state {
	const struct power_domain *domain;
	const struct sst_pp *known_pp;
	const struct sst_level *known_level;
	bool is_unconcerned; /* nothing more need be known */
	struct sst_pp pp;
	bool base_freq_on;
	bool turbo_freq_on;
	int error;
};

static void take_pp(struct domain_state *state, const struct sst_pp *pp, int err)
{
	state->error = err;
	if (!err)
		state->pp = *pp;
}

/* The current level, of those of which it is not known. */
static int ask_pp(struct platform *platform, struct domain_state *states, size_t count)
{
	_cleanup_free_ struct platform_pp_query *queries = calloc(count ?: 1, sizeof(*queries));
	size_t n_queries = 0, n_taken = 0;
	int err = 0;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!states[i].known_pp)
			queries[n_queries++].domain = states[i].domain;
	}
	if (n_queries)
		err = platform->ops->read_pp(platform, queries, n_queries);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		if (states[i].known_pp)
			take_pp(&states[i], states[i].known_pp, 0);
		else
			take_pp(&states[i], &queries[n_taken].pp, queries[n_taken].error);
		n_taken += !states[i].known_pp;
	}
	return 0;
}

static bool needs_control(const struct domain_state *state)
{
	return !state->error && !state->is_unconcerned && !state->known_level;
}

static void take_control(struct domain_state *state, const struct sst_level *level)
{
	state->base_freq_on = level->base_freq_on;
	state->turbo_freq_on = level->turbo_freq_on;
}

static void take_control_word(struct domain_state *state, uint32_t answer, int err)
{
	struct sst_level level = { 0 };

	state->error = err;
	level_words_decode_control(answer, &level);
	if (!err)
		take_control(state, &level);
}

/* What is on at the current level, of those of which it is not known. */
static int ask_control(struct platform *platform, struct domain_state *states, size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands = calloc(count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	size_t n_commands = 0;
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (needs_control(&states[i]))
			commands[n_commands++] =
				mailbox_command(states[i].domain->cpu, WORD_CONFIG_TDP,
						WORD_GET_TDP_CONTROL, 0,
						states[i].pp.current_level);
	}
	err = channel_mailbox(&platform->channel, commands, errors, n_commands);
	if (err)
		return err;
	n_commands = 0;
	for (size_t i = 0; i < count; i++) {
		if (needs_control(&states[i])) {
			take_control_word(&states[i], commands[n_commands].resp_data,
					  errors[n_commands]);
			n_commands++;
		} else if (states[i].known_level) {
			take_control(&states[i], states[i].known_level);
		}
	}
	return 0;
}

static struct plan_write control_write(const struct domain_state *state, uint32_t bits)
{
	return mailbox_plan_command(state->domain->cpu, WORD_CONFIG_TDP, WORD_SET_TDP_CONTROL, 0,
				    bits);
}

static struct plan_write control_read(const struct domain_state *state)
{
	return mailbox_plan_command(state->domain->cpu, WORD_CONFIG_TDP, WORD_GET_TDP_CONTROL, 0,
				    state->pp.current_level);
}

static uint32_t control_bits(const struct domain_state *state)
{
	return word_encode_control(state->base_freq_on, state->turbo_freq_on);
}

/* A package's MSRs of a level change: the lock, then the turbo-ratio limits. */
#define MSRS_PER_PACKAGE 2

/* The first read of the domain's package, or NULL. */
static struct msr_read *find_package(struct msr_read *reads, size_t n_reads,
				     const struct power_domain *domain)
{
	for (size_t i = 0; i < n_reads; i += MSRS_PER_PACKAGE) {
		if (reads[i].domain->package == domain->package)
			return &reads[i];
	}
	return NULL;
}

/* Some CPUs let nobody see the limits: then there is nothing to restore. */
static bool has_no_limits(const struct msr_read *limits)
{
	return limits->error == -EIO;
}

/* Once for each package where a level changes; a lock and what fails become the domains' errors. */
static int ask_msrs(const struct platform *platform, struct domain_state *states, size_t count,
		    struct msr_read *reads, size_t *ret_n_reads)
{
	size_t n_reads = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = states[i].domain;

		if (states[i].error || states[i].is_unconcerned ||
		    find_package(reads, n_reads, domain))
			continue;
		reads[n_reads++] =
			(struct msr_read){ .domain = domain, .msr = WORD_MSR_TDP_CONTROL };
		reads[n_reads++] =
			(struct msr_read){ .domain = domain, .msr = WORD_MSR_TURBO_RATIO_LIMIT };
	}
	err = limits_read_msrs(platform, reads, n_reads);
	for (size_t i = 0; i < count && !err; i++) {
		const struct msr_read *lock = find_package(reads, n_reads, states[i].domain);

		if (states[i].error || states[i].is_unconcerned)
			continue;
		states[i].error = lock[0].error ?: has_no_limits(&lock[1]) ? 0 : lock[1].error;
		if (!states[i].error && lock[0].value & WORD_MSR_TDP_CONTROL_LOCKED)
			states[i].error = -EROFS;
	}
	*ret_n_reads = n_reads;
	return err;
}

static struct plan_write level_write(const struct domain_state *state, uint32_t level)
{
	return mailbox_plan_command(state->domain->cpu, WORD_CONFIG_TDP, WORD_SET_LEVEL, 0, level);
}

/* Taking a level change back restores what the change resets, each read back beside the level. */
struct restoring {
	struct plan_write writes[3];
	struct plan_check checks[2];
	size_t n_writes;
	size_t n_checks;
};

static void restore(struct restoring *restoring, struct plan_write write, struct plan_write read,
		    uint64_t mask, uint64_t value)
{
	restoring->writes[restoring->n_writes++] = write;
	restoring->checks[restoring->n_checks++] = (struct plan_check){
		.kind = PLAN_CHECK_WORD,
		.read = read,
		.mask = mask,
		.value = value,
		.tries = CHECK_TRIES,
	};
}

static struct restoring make_restoring(const struct domain_state *state,
				       const struct msr_read *limits)
{
	uint32_t cpu = state->domain->cpu, old = state->pp.current_level;
	uint32_t bits = control_bits(state);
	struct restoring restoring = { .writes = { level_write(state, old) }, .n_writes = 1 };

	if (bits)
		restore(&restoring, control_write(state, bits), control_read(state),
			WORD_TDP_CONTROL_ON, bits);
	if (!has_no_limits(limits))
		restore(&restoring, limits_write_msr(cpu, limits->msr, limits->value),
			limits_write_msr(cpu, limits->msr, 0), UINT64_MAX, limits->value);
	return restoring;
}

static int add_level(struct plan *plan, const struct domain_state *state, uint32_t level,
		     const struct msr_read *limits, bool is_last)
{
	uint32_t cpu = state->domain->cpu, old = state->pp.current_level;
	struct restoring restoring = make_restoring(state, limits);
	char old_text[12], new_text[12];

	snprintf(old_text, sizeof(old_text), "%u", old);
	snprintf(new_text, sizeof(new_text), "%u", level);
	return plan_add(plan,
			&(struct plan_step){
				.subject = domains_subject(state->domain),
				.what = "performance level",
				.write = level_write(state, level),
				.old_value = old,
				.old_text = old_text,
				.new_text = new_text,
				.undo = restoring.writes,
				.n_undo = restoring.n_writes,
				.undo_checks = restoring.checks,
				.n_undo_checks = restoring.n_checks,
				.check = mailbox_plan_check(
					mailbox_plan_command(cpu, WORD_CONFIG_TDP,
							     WORD_GET_LEVELS_INFO, 0, 0),
					WORD_LEVELS_INFO_CURRENT, word_encode_current_level(level),
					word_encode_current_level(old), CHECK_TRIES),
				.settle_us = is_last ? SETTLE_US : 0,
			});
}

static int add_levels(struct plan *plan, const struct domain_state *states,
		      const struct platform_level_wish *wishes, size_t count,
		      struct msr_read *reads, size_t n_reads)
{
	size_t last = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		if (!states[i].error && !states[i].is_unconcerned)
			last = i;
	}
	for (size_t i = 0; i < count && !err; i++) {
		if (states[i].error || states[i].is_unconcerned)
			continue;
		err = add_level(plan, &states[i], wishes[i].level,
				find_package(reads, n_reads, states[i].domain) + 1, i == last);
	}
	return err;
}

int mailbox_plan_level(struct platform *platform, struct plan *plan,
		       struct platform_level_wish *wishes, size_t count)
{
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	_cleanup_free_ struct msr_read *reads =
		calloc(MSRS_PER_PACKAGE * count ?: 1, sizeof(*reads));
	size_t n_reads = 0;
	int err;

	if (!states || !reads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		states[i] = (struct domain_state){ .domain = wishes[i].domain,
						   .known_pp = wishes[i].pp,
						   .known_level = wishes[i].current };
	err = ask_pp(platform, states, count);
	for (size_t i = 0; i < count && !err; i++) {
		states[i].is_unconcerned = states[i].pp.current_level == wishes[i].level;
		if (!states[i].error && !states[i].is_unconcerned && states[i].pp.locked)
			states[i].error = -EROFS;
	}
	err = err ?: ask_control(platform, states, count);
	err = err ?: ask_msrs(platform, states, count, reads, &n_reads);
	for (size_t i = 0; i < count && !err; i++)
		wishes[i].error = states[i].error;
	return err ?: add_levels(plan, states, wishes, count, reads, n_reads);
}

static bool is_on_after(enum platform_switch wish, bool is_on)
{
	switch (wish) {
	case PLATFORM_KEEP:
		return is_on;
	case PLATFORM_ON:
		return true;
	case PLATFORM_OFF:
		return false;
	}
	return is_on;
}

static void format_control(char text[32], bool base_freq_on, bool turbo_freq_on)
{
	snprintf(text, 32, "SST-BF %s, SST-TF %s", base_freq_on ? "on" : "off",
		 turbo_freq_on ? "on" : "off");
}

static int add_features(struct plan *plan, const struct domain_state *state,
			const struct platform_feature_wish *wish)
{
	bool base_freq = is_on_after(wish->base_freq, state->base_freq_on);
	bool turbo_freq = is_on_after(wish->turbo_freq, state->turbo_freq_on);
	uint32_t old = control_bits(state), new = word_encode_control(base_freq, turbo_freq);
	char old_text[32], new_text[32];

	if (new == old)
		return 0;
	format_control(old_text, state->base_freq_on, state->turbo_freq_on);
	format_control(new_text, base_freq, turbo_freq);
	return plan_add(plan, &(struct plan_step){
				      .subject = domains_subject(state->domain),
				      .what = "SST-BF and SST-TF",
				      .write = control_write(state, new),
				      .old_value = old,
				      .old_text = old_text,
				      .new_text = new_text,
				      .check = mailbox_plan_check(control_read(state),
								  WORD_TDP_CONTROL_ON, new, old,
								  CHECK_TRIES),
			      });
}

int mailbox_plan_features(struct platform *platform, struct plan *plan,
			  struct platform_feature_wish *wishes, size_t count)
{
	_cleanup_free_ struct domain_state *states = calloc(count ?: 1, sizeof(*states));
	int err;

	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		states[i] = (struct domain_state){ .domain = wishes[i].domain,
						   .known_pp = wishes[i].pp,
						   .known_level = wishes[i].current };
	err = ask_pp(platform, states, count);
	err = err ?: ask_control(platform, states, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (!wishes[i].domain)
			continue;
		wishes[i].error = states[i].error;
		if (!states[i].error)
			err = add_features(plan, &states[i], &wishes[i]);
	}
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planning SST-CP (hardware.md, section 3): its two switches, the parameters of a CLOS and which
 * core is in which. Parameters and associations go out in batches, each word once; what a word
 * holds besides stays as it was read.
 */
#include "platform/mailbox_plan.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "plan/subject.h"
#include "platform/mailbox_clos.h"
#include "platform/words.h"

#define CHECK_TRIES 5 /* a change may take effect a little later */

/* READ_PM_CONFIG and PM_QOS_CONFIG of a domain. */
struct switch_words {
	uint32_t pm_config;
	uint32_t qos_config;
	bool has_pm_config; /* not every part answers it */
	int error;
};

static void take_switches(struct switch_words *words, struct platform_core_power_wish *wish,
			  int pm_error, int qos_error)
{
	bool is_refused = pm_error == -ENXIO || pm_error == -EINVAL;

	words->has_pm_config = !pm_error;
	words->error = qos_error ?: is_refused ? 0 : pm_error;
	wish->error = words->error;
	wish->found = (struct sst_core_power){ 0 };
	if (!pm_error)
		word_decode_pm_config(words->pm_config, &wish->found);
	if (!qos_error)
		word_decode_qos_config(words->qos_config, &wish->found);
}

static int read_switches(const struct platform *platform, struct platform_core_power_wish *wishes,
			 struct switch_words *words, size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands =
		calloc(2 * count ?: 1, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(2 * count ?: 1, sizeof(*errors));
	size_t n_commands = 0;
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = wishes[i].domain;

		if (!domain)
			continue;
		commands[n_commands++] =
			mailbox_command(domain->cpu, WORD_READ_PM_CONFIG, WORD_PM_FEATURE, 0, 0);
		commands[n_commands++] =
			mailbox_command(domain->cpu, WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG, 0, 0);
	}
	err = channel_mailbox(&platform->channel, commands, errors, n_commands);
	n_commands = 0;
	for (size_t i = 0; i < count && !err; i++) {
		if (!wishes[i].domain)
			continue;
		words[i].pm_config = commands[n_commands].resp_data;
		words[i].qos_config = commands[n_commands + 1].resp_data;
		take_switches(&words[i], &wishes[i], errors[n_commands], errors[n_commands + 1]);
		n_commands += 2;
	}
	return err;
}

/*
 * SST-CP itself. On a part that does not answer READ_PM_CONFIG its state is unknown, so that a
 * failure is a note.
 */
static int add_pm_config(struct plan *plan, const struct platform_core_power_wish *wish,
			 const struct switch_words *words)
{
	uint32_t cpu = wish->domain->cpu;
	uint32_t old = words->pm_config & WORD_PM_CONFIG_ENABLED;
	uint32_t new = word_encode_pm_config(wish->on);
	struct plan_step step = {
		.subject = domains_subject(wish->domain),
		.what = "SST-CP",
		.write = mailbox_plan_command(cpu, WORD_WRITE_PM_CONFIG, WORD_PM_FEATURE, 0, new),
		.new_text = wish->on ? "on" : "off",
		.optional = !words->has_pm_config,
		.not_undoable = !words->has_pm_config,
	};

	if (words->has_pm_config) {
		if (new == old)
			return 0;
		step.old_value = old;
		step.old_text = old ? "on" : "off";
		step.check = mailbox_plan_check(mailbox_plan_command(cpu, WORD_READ_PM_CONFIG,
								     WORD_PM_FEATURE, 0, 0),
						WORD_PM_CONFIG_ENABLED, new, old, CHECK_TRIES);
	}
	return plan_add(plan, &step);
}

static void format_qos_config(char text[32], uint32_t word)
{
	struct sst_core_power core_power = { 0 };

	word_decode_qos_config(word, &core_power);
	snprintf(text, 32, "CLOS %s, %s", core_power.clos_enabled ? "on" : "off",
		 core_power.ordered ? "ordered" : "proportional");
}

static int add_qos_config(struct plan *plan, const struct platform_core_power_wish *wish,
			  uint32_t old)
{
	uint32_t cpu = wish->domain->cpu;
	uint32_t new = word_encode_qos_config(old, wish->on, wish->ordered);
	char old_text[32], new_text[32];

	if (new == old)
		return 0;
	format_qos_config(old_text, old);
	format_qos_config(new_text, new);
	return plan_add(
		plan,
		&(struct plan_step){
			.subject = domains_subject(wish->domain),
			.what = "CLOS and its priority type",
			.write = mailbox_plan_command(cpu, WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG,
						      WORD_CLOS_WRITE, new),
			.old_value = old,
			.old_text = old_text,
			.new_text = new_text,
			.check = mailbox_plan_check(
				mailbox_plan_command(cpu, WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG, 0, 0),
				WORD_QOS_CONFIG_SETTINGS, new, old, CHECK_TRIES),
		});
}

int mailbox_plan_core_power(struct platform *platform, struct plan *plan,
			    struct platform_core_power_wish *wishes, size_t count)
{
	_cleanup_free_ struct switch_words *words = calloc(count ?: 1, sizeof(*words));
	int err;

	if (!words)
		return -ENOMEM;
	err = read_switches(platform, wishes, words, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (!wishes[i].domain || words[i].error)
			continue;
		err = add_pm_config(plan, &wishes[i], &words[i]);
		err = err ?: add_qos_config(plan, &wishes[i], words[i].qos_config);
	}
	return err;
}

/* How a CLOS word is written, or (write false) read back. */
static struct plan_write clos_request(const struct platform *platform, const struct clos_word *word,
				      bool write, uint32_t value)
{
	if (mailbox_is_skylake(platform))
		return mailbox_plan_command(word->cpu, WORD_CLOS, word->sub_command,
					    word->parameter | (write ? WORD_CLOS_WRITE : 0), value);
	return (struct plan_write){
		.kind = PLAN_MMIO,
		.cpu = word->cpu,
		.address = word->reg,
		.value = value,
	};
}

/* The parts of a step that every CLOS word has. */
static struct plan_step clos_step(const struct platform *platform, const struct clos_word *word,
				  uint32_t value, uint32_t mask)
{
	return (struct plan_step){
		.write = clos_request(platform, word, true, value),
		.old_value = word->answer,
		.check = mailbox_plan_check(clos_request(platform, word, false, 0), mask, value,
					    word->answer, 1),
	};
}

#define CLOS_TEXT_SIZE 128 /* of five numbers and their names */

static void format_clos(char text[CLOS_TEXT_SIZE], uint32_t word)
{
	struct sst_clos clos = word_decode_clos(word);
	char max[24];

	snprintf(max, sizeof(max), "%u MHz", clos.max_mhz);
	snprintf(text, CLOS_TEXT_SIZE, "epp:%u weight:%u min:%u MHz max:%s desired:%u MHz",
		 clos.epp, clos.weight, clos.min_mhz, clos.unlimited ? "unlimited" : max,
		 clos.desired_mhz);
}

static int add_clos(const struct platform *platform, struct plan *plan,
		    const struct platform_clos_wish *wish, const struct clos_word *word,
		    uint32_t batch)
{
	struct sst_clos wanted = wish->wanted;
	char what[16], old_text[CLOS_TEXT_SIZE], new_text[CLOS_TEXT_SIZE];
	struct plan_step step;
	uint32_t value;

	if (wish->keep_desired)
		wanted.desired_mhz = word_decode_clos(word->answer).desired_mhz;
	value = word_encode_clos(&wanted);
	if (value == word->answer)
		return 0;
	snprintf(what, sizeof(what), "CLOS %u", wish->clos);
	format_clos(old_text, word->answer);
	format_clos(new_text, value);
	step = clos_step(platform, word, value, UINT32_MAX);
	step.subject = domains_subject(wish->domain);
	step.what = what;
	step.old_text = old_text;
	step.new_text = new_text;
	step.batch = batch;
	return plan_add(plan, &step);
}

int mailbox_plan_clos(struct platform *platform, struct plan *plan,
		      struct platform_clos_wish *wishes, size_t count)
{
	_cleanup_free_ struct clos_word *words = calloc(count ?: 1, sizeof(*words));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	uint32_t batch = plan_new_batch(plan);
	int err;

	if (!words || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		words[i] = mailbox_clos_parameters(wishes[i].domain->cpu, wishes[i].clos);
	err = mailbox_clos_read_words(platform, words, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		wishes[i].error = errors[i];
		if (!errors[i])
			err = add_clos(platform, plan, &wishes[i], &words[i], batch);
	}
	return err;
}

static int add_association(const struct platform *platform, struct plan *plan,
			   const struct platform_assoc_wish *wish, const struct clos_word *word,
			   uint32_t batch)
{
	uint32_t value = word_encode_association(word->answer, wish->clos);
	char what[40], old_text[16], new_text[16];
	struct plan_step step;

	if (value == word->answer)
		return 0;
	snprintf(what, sizeof(what), "association of core %u", word->parameter);
	snprintf(old_text, sizeof(old_text), "CLOS %u", word_decode_association(word->answer));
	snprintf(new_text, sizeof(new_text), "CLOS %u", word_decode_association(value));
	step = clos_step(platform, word, value, WORD_ASSOCIATION);
	step.subject = subject_of_cpu(platform->machine, wish->cpu);
	step.what = what;
	step.old_text = old_text;
	step.new_text = new_text;
	step.batch = batch;
	return plan_add(plan, &step);
}

/* What a wish's CPU stands for: its core's word, and whether another wish has been granted there.
 */
struct assoc_work {
	uint32_t *cpus;
	size_t *word_of;
	struct clos_word *words;
	int *errors; /* of words */
	bool *is_granted; /* of words */
};

static void assoc_work_done(struct assoc_work *work)
{
	free(work->cpus);
	free(work->word_of);
	free(work->words);
	free(work->errors);
	free(work->is_granted);
}

static int assoc_work_init(struct assoc_work *work, const struct platform_assoc_wish *wishes,
			   size_t count)
{
	work->cpus = calloc(count ?: 1, sizeof(*work->cpus));
	work->word_of = calloc(count ?: 1, sizeof(*work->word_of));
	work->words = calloc(count ?: 1, sizeof(*work->words));
	work->errors = calloc(count ?: 1, sizeof(*work->errors));
	work->is_granted = calloc(count ?: 1, sizeof(*work->is_granted));
	if (!work->cpus || !work->word_of || !work->words || !work->errors || !work->is_granted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		work->cpus[i] = wishes[i].cpu;
	return 0;
}

int mailbox_plan_assoc(struct platform *platform, struct plan *plan,
		       struct platform_assoc_wish *wishes, size_t count)
{
	_cleanup_(assoc_work_done) struct assoc_work work = { 0 };
	int err = assoc_work_init(&work, wishes, count);
	uint32_t batch = plan_new_batch(plan);
	size_t n_words = 0;

	err = err
		      ?: mailbox_clos_collect_cores(platform, work.cpus, count, work.words,
						    work.word_of, &n_words);
	err = err ?: mailbox_clos_read_words(platform, work.words, work.errors, n_words);
	for (size_t i = 0; i < count && !err; i++) {
		size_t word = work.word_of[i];

		wishes[i].error = word == SIZE_MAX ? -ENODATA : work.errors[word];
		if (wishes[i].error || work.is_granted[word])
			continue;
		work.is_granted[word] = true;
		err = add_association(platform, plan, &wishes[i], &work.words[word], batch);
	}
	return err;
}

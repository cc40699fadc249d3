// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading SST-CP of mailbox parts (hardware.md, section 3): its switches by mailbox, CLOS
 * parameters and associations as mailbox_clos.h reaches them. A core is asked once, however many of
 * its threads are asked for.
 */
#include "platform/mailbox_clos.h"

#include <errno.h>

#include "base/cleanup.h"
#include "platform/words.h"

/* One READ_PM_CONFIG a domain, then, with_clos, one PM_QOS_CONFIG a domain. */
int mailbox_read_core_power(struct platform *platform, bool with_clos,
			    struct platform_core_power_query *queries, size_t count)
{
	size_t n_words = with_clos ? 2 : 1;
	_cleanup_free_ struct isst_mbox_command *commands =
		calloc(n_words * count, sizeof(*commands));
	_cleanup_free_ int *errors = calloc(n_words * count, sizeof(*errors));
	int err;

	if (!commands || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t cpu = queries[i].domain->cpu;

		commands[i] = mailbox_command(cpu, WORD_READ_PM_CONFIG, WORD_PM_FEATURE, 0, 0);
		if (with_clos)
			commands[count + i] =
				mailbox_command(cpu, WORD_CLOS, WORD_CLOS_PM_QOS_CONFIG, 0, 0);
	}
	err = channel_mailbox(&platform->channel, commands, errors, n_words * count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct sst_core_power *core_power = &queries[i].core_power;

		word_decode_pm_config(commands[i].resp_data, core_power);
		queries[i].error = errors[i];
		if (with_clos) {
			word_decode_qos_config(commands[count + i].resp_data, core_power);
			queries[i].error = errors[i] ?: errors[count + i];
		}
	}
	return 0;
}

int mailbox_read_clos(struct platform *platform, struct platform_clos_query *queries, size_t count)
{
	_cleanup_free_ struct clos_word *words = calloc(count, sizeof(*words));
	_cleanup_free_ int *errors = calloc(count, sizeof(*errors));
	int err;

	if (!words || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		words[i] = mailbox_clos_parameters(queries[i].domain->cpu, queries[i].clos);
	err = mailbox_clos_read_words(platform, words, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = errors[i];
		queries[i].info = word_decode_clos(words[i].answer);
	}
	return err;
}

int mailbox_read_assoc(struct platform *platform, struct platform_assoc_query *queries,
		       size_t count)
{
	_cleanup_free_ uint32_t *cpus = calloc(count ?: 1, sizeof(*cpus));
	_cleanup_free_ struct clos_word *words = calloc(count ?: 1, sizeof(*words));
	_cleanup_free_ size_t *word_of = calloc(count ?: 1, sizeof(*word_of));
	_cleanup_free_ int *errors = calloc(count ?: 1, sizeof(*errors));
	size_t n_words;
	int err;

	if (!cpus || !words || !word_of || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		cpus[i] = queries[i].cpu;
	err = mailbox_clos_collect_cores(platform, cpus, count, words, word_of, &n_words);
	err = err ?: mailbox_clos_read_words(platform, words, errors, n_words);
	for (size_t i = 0; i < count && !err; i++) {
		if (word_of[i] == SIZE_MAX) {
			queries[i].error =
				platform->machine->topology.places[queries[i].cpu].core_error;
			continue;
		}
		queries[i].error = errors[word_of[i]];
		queries[i].clos = word_decode_association(words[word_of[i]].answer);
	}
	return err;
}

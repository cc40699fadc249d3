// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLOS parameters and associations (hardware.md, section 3): registers in the MMIO window, on the
 * Skylake generation words of the mailbox. An association is a core's, whichever of its threads is
 * named.
 */
#include "platform/mailbox_clos.h"

#include <errno.h>

#include "base/cleanup.h"
#include "platform/words.h"

#define CORES_PER_DOMAIN 256 /* core ids have 8 bits in physical_cpu */

struct clos_word mailbox_clos_parameters(uint32_t cpu, uint32_t clos)
{
	return (struct clos_word){
		.cpu = cpu,
		.sub_command = WORD_CLOS_PM_CLOS,
		.parameter = clos,
		.reg = WORD_MMIO_PM_CLOS(clos),
	};
}

static struct clos_word association_word(uint32_t cpu, uint32_t core)
{
	return (struct clos_word){
		.cpu = cpu,
		.sub_command = WORD_CLOS_PQR_ASSOC,
		.parameter = core,
		.reg = WORD_MMIO_PQR_ASSOC(core),
	};
}

static int read_by_mailbox(const struct channel *channel, struct clos_word *words, int *errors,
			   size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands = calloc(count ?: 1, sizeof(*commands));
	int err;

	if (!commands)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = mailbox_command(words[i].cpu, WORD_CLOS, words[i].sub_command,
					      words[i].parameter, 0);
	err = channel_mailbox(channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++)
		words[i].answer = commands[i].resp_data;
	return err;
}

static int read_by_mmio(const struct channel *channel, struct clos_word *words, int *errors,
			size_t count)
{
	_cleanup_free_ struct isst_io_command *commands = calloc(count ?: 1, sizeof(*commands));
	int err;

	if (!commands)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_io_command){
			.logical_cpu = words[i].cpu,
			.reg = words[i].reg,
		};
	err = channel_mmio(channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++)
		words[i].answer = commands[i].value;
	return err;
}

int mailbox_clos_read_words(const struct platform *platform, struct clos_word *words, int *errors,
			    size_t count)
{
	if (mailbox_is_skylake(platform))
		return read_by_mailbox(&platform->channel, words, errors, count);
	return read_by_mmio(&platform->channel, words, errors, count);
}

/* The core id of a CPU of the domain, or SIZE_MAX where the driver tells none. */
static size_t core_of(const struct topology *topology, uint32_t cpu)
{
	const struct cpu_place *place = &topology->places[cpu];

	return place->has_physical_cpu ? place->core : SIZE_MAX;
}

int mailbox_clos_collect_cores(const struct platform *platform, const uint32_t *cpus, size_t count,
			       struct clos_word *words, size_t *word_of, size_t *ret_n_words)
{
	const struct topology *topology = &platform->machine->topology;
	const struct domain_list *list = &platform->domains;
	size_t n_cores = list->n_domains * CORES_PER_DOMAIN, n_words = 0;
	_cleanup_free_ size_t *word_of_core = calloc(n_cores ?: 1, sizeof(*word_of_core));

	if (!word_of_core)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = domains_find(list, cpus[i]);
		size_t core = domain ? core_of(topology, cpus[i]) : SIZE_MAX;
		size_t *known;

		word_of[i] = SIZE_MAX;
		if (core == SIZE_MAX)
			continue;
		known = &word_of_core[(size_t)(domain - list->domains) * CORES_PER_DOMAIN + core];
		if (*known == 0) {
			bool can_ask = topology_can_ask(topology, cpus[i]);
			uint32_t cpu = can_ask ? cpus[i] : domain->cpu;

			words[n_words++] = association_word(cpu, (uint32_t)core);
			*known = n_words; /* counted from 1: 0 is "not yet" */
		}
		word_of[i] = *known - 1;
	}
	*ret_n_words = n_words;
	return 0;
}

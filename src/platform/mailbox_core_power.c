// SPDX-License-Identifier: GPL-2.0-only
/*
 * SST-CP of mailbox parts (hardware.md, section 3): its switches by mailbox, CLOS parameters and
 * associations by MMIO, on the Skylake generation by mailbox too. A core is asked once, however
 * many of its threads are asked for.
 */
#include "platform/mailbox.h"

#include <errno.h>

#include "base/cleanup.h"
#include "platform/words.h"

#define CORES_PER_DOMAIN 256 /* core ids have 8 bits in physical_cpu */

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

/* One read of a CLOS word: of a PM_CLOS by id, or of a PQR_ASSOC by core. */
struct clos_read {
	uint32_t cpu;
	uint16_t sub_command;
	uint32_t parameter;
	uint32_t reg;
	uint32_t answer;
};

static int read_by_mailbox(const struct channel *channel, struct clos_read *reads, int *errors,
			   size_t count)
{
	_cleanup_free_ struct isst_mbox_command *commands = calloc(count, sizeof(*commands));
	int err;

	if (!commands)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = mailbox_command(reads[i].cpu, WORD_CLOS, reads[i].sub_command,
					      reads[i].parameter, 0);
	err = channel_mailbox(channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++)
		reads[i].answer = commands[i].resp_data;
	return err;
}

static int read_by_mmio(const struct channel *channel, struct clos_read *reads, int *errors,
			size_t count)
{
	_cleanup_free_ struct isst_io_command *commands = calloc(count, sizeof(*commands));
	int err;

	if (!commands)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		commands[i] = (struct isst_io_command){
			.logical_cpu = reads[i].cpu,
			.reg = reads[i].reg,
		};
	err = channel_mmio(channel, commands, errors, count);
	for (size_t i = 0; i < count && !err; i++)
		reads[i].answer = commands[i].value;
	return err;
}

static int read_words(const struct platform *platform, struct clos_read *reads, int *errors,
		      size_t count)
{
	if (mailbox_is_skylake(platform))
		return read_by_mailbox(&platform->channel, reads, errors, count);
	return read_by_mmio(&platform->channel, reads, errors, count);
}

int mailbox_read_clos(struct platform *platform, struct platform_clos_query *queries, size_t count)
{
	_cleanup_free_ struct clos_read *reads = calloc(count, sizeof(*reads));
	_cleanup_free_ int *errors = calloc(count, sizeof(*errors));
	int err;

	if (!reads || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		reads[i] = (struct clos_read){
			.cpu = queries[i].domain->cpu,
			.sub_command = WORD_CLOS_PM_CLOS,
			.parameter = queries[i].clos,
			.reg = WORD_MMIO_PM_CLOS(queries[i].clos),
		};
	err = read_words(platform, reads, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = errors[i];
		queries[i].info = word_decode_clos(reads[i].answer);
	}
	return err;
}

/*
 * Collects one read for each core of the queries. read_of[i] becomes the read of queries[i], or
 * SIZE_MAX where the core is not known.
 */
static int collect_cores(const struct platform *platform,
			 const struct platform_assoc_query *queries, size_t count,
			 struct clos_read *reads, size_t *read_of, size_t *ret_n_reads)
{
	const struct domain_list *list = &platform->domains;
	size_t n_cores = list->n_domains * CORES_PER_DOMAIN, n_reads = 0;
	_cleanup_free_ size_t *read_of_core = calloc(n_cores ?: 1, sizeof(*read_of_core));

	if (!read_of_core)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t cpu = queries[i].cpu;
		const struct power_domain *domain = domains_find(list, cpu);
		const struct cpu_place *place = &platform->machine->topology.places[cpu];
		uint32_t core = word_decode_core(place->physical_cpu);
		size_t *known;

		read_of[i] = SIZE_MAX;
		if (!domain || !place->has_physical_cpu)
			continue;
		known = &read_of_core[(size_t)(domain - list->domains) * CORES_PER_DOMAIN + core];
		if (*known == 0) {
			reads[n_reads++] = (struct clos_read){
				.cpu = cpu,
				.sub_command = WORD_CLOS_PQR_ASSOC,
				.parameter = core,
				.reg = WORD_MMIO_PQR_ASSOC(core),
			};
			*known = n_reads; /* counted from 1: 0 is "not yet" */
		}
		read_of[i] = *known - 1;
	}
	*ret_n_reads = n_reads;
	return 0;
}

int mailbox_read_assoc(struct platform *platform, struct platform_assoc_query *queries,
		       size_t count)
{
	_cleanup_free_ struct clos_read *reads = calloc(count, sizeof(*reads));
	_cleanup_free_ size_t *read_of = calloc(count, sizeof(*read_of));
	_cleanup_free_ int *errors = calloc(count, sizeof(*errors));
	size_t n_reads;
	int err;

	if (!reads || !read_of || !errors)
		return -ENOMEM;
	err = collect_cores(platform, queries, count, reads, read_of, &n_reads);
	err = err ?: read_words(platform, reads, errors, n_reads);
	for (size_t i = 0; i < count && !err; i++) {
		if (read_of[i] == SIZE_MAX) {
			queries[i].error =
				platform->machine->topology.places[queries[i].cpu].core_error;
			continue;
		}
		queries[i].error = errors[read_of[i]];
		queries[i].clos = word_decode_association(reads[read_of[i]].answer);
	}
	return err;
}

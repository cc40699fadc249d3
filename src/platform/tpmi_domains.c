// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power domains of TPMI parts (hardware.md, section 4): of a CPU GET_PHY_ID alone tells its
 * domain, of a package COUNT_TPMI_INSTANCES tells which there are, with holes. Dies are only a
 * label.
 */
#include "platform/tpmi.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "platform/tpmi_devices.h"

/* Which domains of a package the driver serves; none where it has no instance for the package. */
static uint32_t ask_instances(const struct platform *platform, uint32_t package)
{
	struct isst_tpmi_instances instances = { .socket_id = (__u8)package };
	int err;

	if (package > UINT8_MAX)
		return 0;
	err = channel_request(&platform->channel, ISST_COUNT_TPMI_INSTANCES, &instances);
	return err < 0 ? 0 : instances.valid_mask;
}

/* The packages of all CPUs, each once. */
static int list_packages(const struct topology *topology, struct cpuset *packages)
{
	int err = 0;

	cpuset_foreach (cpu, &topology->placed) {
		uint32_t package = topology->places[cpu].package;

		if (!err && package <= CPUSET_MAX_CPU)
			err = cpuset_add(packages, package);
	}
	return err;
}

static int make_memory(struct platform *platform)
{
	size_t count = platform->domains.n_domains ?: 1;
	struct tpmi_memory *memory = calloc(1, sizeof(*memory));

	platform->tpmi = memory;
	if (!memory)
		return -ENOMEM;
	memory->levels = calloc(count, sizeof(*memory->levels));
	memory->states = calloc(count, sizeof(*memory->states));
	return memory->levels && memory->states ? 0 : -ENOMEM;
}

void tpmi_forget(struct tpmi_memory **memory)
{
	if (*memory) {
		free((*memory)->levels);
		free((*memory)->states);
		free(*memory);
	}
	*memory = NULL;
}

int tpmi_enumerate(struct platform *platform, char **ret_message)
{
	const struct topology *topology = &platform->machine->topology;
	struct domain_list *list = &platform->domains;
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	int err = domains_init(topology, DOMAIN_BY_ID, list);

	err = err ?: list_packages(topology, &packages);
	err = err ?: tpmi_devices_check(platform->machine, &packages, ret_message);
	cpuset_foreach (package, &packages)
		err = err ?: domains_add_instances(list, package, ask_instances(platform, package));
	if (err)
		return err;
	domains_sort(list);
	err = domains_label_io(list, topology);
	return err ?: make_memory(platform);
}

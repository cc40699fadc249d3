// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which generation's operations serve this machine. The driver's api_version decides, not the CPU
 * model; the model only tells machines that need no driver or can have none (hardware.md, section
 * 1).
 */
#include "platform/platform.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/cpu_map.h"
#include "platform/bios_fixed.h"
#include "platform/mailbox.h"
#include "platform/tpmi.h"
#include "platform/trace.h"
#include "platform/words.h"

static int __attribute__((format(printf, 3, 4)))
explain(char **ret_message, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(ret_message, format, args) < 0)
		*ret_message = NULL;
	va_end(args);
	return err;
}

static int explain_open(char **ret_message, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return explain(
			ret_message, -ENOTSUP,
			"no Speed Select driver is loaded (%s: %s); try modprobe "
			"isst_if_mbox_pci, isst_if_mmio, isst_if_mbox_msr or isst_tpmi, and see "
			"that Speed Select is on in BIOS",
			ISST_DEVICE_PATH, strerror(-err));
	case -EACCES:
	case -EPERM:
		return explain(ret_message, -EACCES, "%s may not be opened: %s; run this as root",
			       ISST_DEVICE_PATH, strerror(-err));
	}
	return explain(ret_message, err, "%s cannot be opened: %s", ISST_DEVICE_PATH,
		       strerror(-err));
}

/* The CPU has the last word only where it rules a driver out. */
static int check_generation(const struct identity *identity, char **ret_message)
{
	switch (identity->generation) {
	case GENERATION_OTHER_VENDOR:
		return explain(ret_message, -ENOTSUP,
			       "this CPU is not Intel's: it has no Speed Select Technology");
	case GENERATION_CASCADE_LAKE:
		return explain(ret_message, -ENOTSUP,
			       "this Cascade Lake CPU (%s) is not supported: only 6252N, 6230N and "
			       "5218N have Speed Select",
			       identity->model_name);
	case GENERATION_UNKNOWN:
	case GENERATION_SKYLAKE:
	case GENERATION_CASCADE_LAKE_N:
	case GENERATION_ICE_LAKE:
	case GENERATION_SAPPHIRE_RAPIDS:
	case GENERATION_EMERALD_RAPIDS:
	case GENERATION_TPMI:
		break;
	}
	return 0;
}

static int open_device(struct platform *platform, FILE *trace, char **ret_message)
{
	struct transport *traced;
	int err = host_open_device(platform->machine->host, &platform->transport);

	if (err)
		return explain_open(ret_message, err);
	if (!trace)
		return 0;
	err = transport_new_traced(platform->transport, trace, &traced);
	if (!err)
		platform->transport = traced;
	return err;
}

static int choose_ops(struct platform *platform, char **ret_message)
{
	unsigned int version = platform->info.api_version;

	if (version > ISST_API_HIGHEST)
		return explain(
			ret_message, -ENOTSUP,
			"the driver's API version %u is newer than this program knows (up to "
			"%u); a newer intel-speed-select is needed",
			version, ISST_API_HIGHEST);
	if (version < ISST_API_MAILBOX)
		return explain(ret_message, -ENOTSUP,
			       "the driver's API version is %u; intel-speed-select knows %u to %u",
			       version, ISST_API_MAILBOX, ISST_API_HIGHEST);
	if (version == ISST_API_MAILBOX)
		mailbox_init(platform);
	else
		tpmi_init(platform);
	return 0;
}

static int ask_driver(struct platform *platform, const struct platform_options *options,
		      char **ret_message)
{
	int err = transport_request(platform->transport, ISST_GET_PLATFORM_INFO, &platform->info);

	if (err < 0)
		return explain(ret_message, err == -ENOTTY ? -ENOTSUP : err,
			       "%s does not tell what it is: %s", ISST_DEVICE_PATH, strerror(-err));
	platform->channel = (struct channel){
		.transport = platform->transport,
		.max_commands = platform->info.max_cmds_per_ioctl ?: 1,
		.tries = options->tries ?: 1,
		.pause_ms = options->pause_ms,
		.progress = options->progress,
		.progress_data = options->progress_data,
		.stop = options->stop,
	};
	return choose_ops(platform, ret_message);
}

/* A physical_cpu of all ones tells that its MSR could not be read. */
static int take_phy_ids(struct platform *platform, const struct isst_phy_id *ids, const int *errors,
			size_t count)
{
	struct topology *topology = &platform->machine->topology;

	for (size_t i = 0; i < count; i++) {
		struct cpu_place *place = &topology->places[ids[i].logical_cpu];
		int err;

		if (!errors[i] && ids[i].physical_cpu != UINT32_MAX) {
			place->physical_cpu = ids[i].physical_cpu;
			place->has_physical_cpu = true;
			place->core_error = 0;
			continue;
		}
		place->core_error = errors[i] ?: -ENODATA;
		err = cpuset_add(&platform->unknown_cores, ids[i].logical_cpu);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Only online CPUs are asked: the driver's answer for others may be of no CPU at all. A machine
 * that was used before has the answers, which never change.
 */
static int ask_phy_ids(struct platform *platform)
{
	const struct topology *topology = &platform->machine->topology;
	size_t most = cpuset_count(&topology->online), count = 0;
	_cleanup_free_ struct isst_phy_id *ids = calloc(most, sizeof(*ids));
	_cleanup_free_ int *errors = calloc(most, sizeof(*errors));
	int err;

	if (!ids || !errors)
		return -ENOMEM;
	cpuset_foreach (cpu, &topology->online) {
		if (!topology->places[cpu].has_physical_cpu)
			ids[count++].logical_cpu = cpu;
	}
	if (!count)
		return 0;
	err = channel_phy_ids(&platform->channel, ids, errors, count);
	return err ?: take_phy_ids(platform, ids, errors, count);
}

static int choose_generation(struct platform *platform, const struct platform_options *options,
			     char **ret_message)
{
	const struct identity *identity = &platform->machine->identity;
	int err = check_generation(identity, ret_message);

	if (err)
		return err;
	if (identity->generation == GENERATION_CASCADE_LAKE_N) {
		platform->bios_fixed = true;
		platform->ops = &bios_fixed_ops;
		return 0;
	}
	err = open_device(platform, options->trace, ret_message);
	err = err ?: ask_driver(platform, options, ret_message);
	return err ?: ask_phy_ids(platform);
}

/* A map may hold CPUs whose cores were not known when it was written. */
static int take_map_gaps(struct platform *platform)
{
	struct topology *topology = &platform->machine->topology;
	int err = 0;

	cpuset_foreach (cpu, &topology->placed) {
		struct cpu_place *place = &topology->places[cpu];

		if (place->has_physical_cpu || cpuset_has(&topology->online, cpu))
			continue;
		place->core_error = -ENODATA;
		err = err ?: cpuset_add(&platform->unknown_cores, cpu);
	}
	return err;
}

/* What physical_cpu says, the driver's answer or the map's. */
static void decode_places(const struct platform *platform)
{
	struct topology *topology = &platform->machine->topology;

	cpuset_foreach (cpu, &topology->placed) {
		struct cpu_place *place = &topology->places[cpu];

		if (!place->has_physical_cpu)
			continue;
		place->has_power_domain = platform->shows_power_domains;
		if (platform->shows_power_domains) {
			place->core = word_decode_tpmi_core(place->physical_cpu);
			place->power_domain = word_decode_tpmi_domain(place->physical_cpu);
		} else {
			place->core = word_decode_core(place->physical_cpu);
		}
	}
}

/* Without a map that fits, offline CPUs stay without a place; callers can see that. */
static int enumerate_domains(struct platform *platform, char **ret_message)
{
	struct machine *machine = platform->machine;
	int err = 0;

	if (!cpuset_equal(&machine->topology.present, &machine->topology.placed))
		err = cpu_map_apply(machine->host->files, machine->host->run_directory,
				    &machine->topology);
	if (err == -ENOMEM)
		return err;
	err = platform->bios_fixed ? 0 : take_map_gaps(platform);
	decode_places(platform);
	if (!err && platform->shows_power_domains)
		return tpmi_enumerate(platform, ret_message);
	return err ?: domains_init(&machine->topology, DOMAIN_BY_DIE, &platform->domains);
}

int platform_open(struct machine *machine, const struct platform_options *options,
		  struct platform **ret_platform, char **ret_message)
{
	struct platform *platform = calloc(1, sizeof(*platform));
	int err;

	*ret_message = NULL;
	if (!platform)
		return -ENOMEM;
	platform->machine = machine;
	err = choose_generation(platform, options, ret_message);
	err = err ?: enumerate_domains(platform, ret_message);
	if (err) {
		platform_close(&platform);
		return err;
	}
	if (options->trace)
		trace_write_map(options->trace, platform);
	*ret_platform = platform;
	return 0;
}

struct platform_cause platform_find_cause(struct platform *platform, const struct plan_write *write,
					  int error)
{
	if (platform && platform->ops->find_cause)
		return platform->ops->find_cause(platform, write, error);
	return (struct platform_cause){ .error = error };
}

void platform_close(struct platform **platform)
{
	if (*platform) {
		tpmi_forget(&(*platform)->tpmi);
		domains_done(&(*platform)->domains);
		cpuset_done(&(*platform)->unknown_cores);
		transport_close(&(*platform)->transport);
		free(*platform);
	}
	*platform = NULL;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Opens Speed Select: chooses the operations of this machine's generation. The driver's api_version
 * decides, not the CPU model; the model only shows which machines need no driver or cannot have one
 * (hardware.md, section 1). */
#include "sst/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "change/change.h"
#include "host/device.h"
#include "host/topology.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/tpmi/tpmi.h"

const char *const platform_trl_numbers[SST_TRL_LEVELS] = { "level-0", "level-1", "level-2",
							   "level-3", "level-4", "level-5" };

static int __attribute__((format(printf, 3, 4)))
explain(char **ret_message, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*ret_message = text_format_list(format, args);
	va_end(args);
	return err;
}

#define OF_MAILBOX                                                                            \
	"load the modules isst_if_mbox_pci and isst_if_mmio, and check that Speed Select is " \
	"enabled in BIOS"

/* Returns the advice for a machine without a driver. */
static const char *driver_advice(enum generation generation)
{
	static const char *const advice[] = {
		[GENERATION_SKYLAKE] = "load the module isst_if_mbox_msr, and check that Speed "
				       "Select is enabled in BIOS",
		[GENERATION_ICE_LAKE] = OF_MAILBOX,
		[GENERATION_SAPPHIRE_RAPIDS] = OF_MAILBOX,
		[GENERATION_EMERALD_RAPIDS] = OF_MAILBOX,
		[GENERATION_TPMI] = "load the module isst_tpmi, and check that Speed Select is "
				    "enabled in BIOS",
	};
	const char *found = generation < ARRAY_SIZE(advice) ? advice[generation] : NULL;

	return found ?: "this CPU is not known to have Speed Select";
}

static int open_device(struct platform *platform, FILE *trace, char **ret_message)
{
	struct transport *traced;
	struct host *host = platform->machine->host;
	int err = device_open(host, &platform->transport);

	if (err == -ENOENT || err == -ENXIO || err == -ENODEV)
		return explain(ret_message, -ENOTSUP, PLATFORM_NO_DRIVER " (%s: %s); %s",
			       ISST_DEVICE_PATH, strerror(-err),
			       driver_advice(platform->machine->identity.generation));
	if (err == -EACCES || err == -EPERM)
		return explain(ret_message, -EACCES, "%s may not be opened: %s; run this as root",
			       ISST_DEVICE_PATH, strerror(-err));
	if (err)
		return explain(ret_message, err, "%s cannot be opened: %s", ISST_DEVICE_PATH,
			       strerror(-err));
	if (!trace)
		return 0;
	err = transport_new_traced(platform->transport, trace, &traced);
	if (!err)
		platform->transport = traced;
	return err;
}

static int ask_driver(struct platform *platform, const struct platform_options *options,
		      char **ret_message)
{
	int err =
		transport_request(platform->transport, ISST_IF_GET_PLATFORM_INFO, &platform->info);
	unsigned int version = platform->info.api_version;

	if (err < 0)
		return explain(ret_message, err == -ENOTTY ? -ENOTSUP : err,
			       "%s does not answer GET_PLATFORM_INFO: %s", ISST_DEVICE_PATH,
			       strerror(-err));
	platform->channel = options->channel;
	platform->channel.transport = platform->transport;
	platform->channel.max_commands = platform->info.max_cmds_per_ioctl ?: 1;
	platform->channel.tries = options->channel.tries ?: 1;
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

/* Requests the ids of online CPUs only: for other CPUs the driver's answer may be of no CPU at all.
 * The answers never change, so the machine keeps them for its next platform. */
static int ask_phy_ids(struct platform *platform)
{
	const struct topology *topology = &platform->machine->topology;
	size_t most = cpuset_count(&topology->online), count = 0;
	_cleanup_free_ struct isst_if_cpu_map *ids = calloc(most, sizeof(*ids));
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
	err = channel_send(&platform->channel, ISST_IF_GET_PHY_ID, ids, errors, count);
	for (size_t i = 0; i < count && !err; i++) {
		struct cpu_place *place = &topology->places[ids[i].logical_cpu];

		/* all ones: the CPU's MSR could not be read */
		place->has_physical_cpu = !errors[i] && ids[i].physical_cpu != UINT32_MAX;
		place->core_error = errors[i];
		if (place->has_physical_cpu)
			place->physical_cpu = ids[i].physical_cpu;
	}
	return err;
}

/* The CPU model counts only if it rules a driver out. */
static int choose_generation(struct platform *platform, const struct platform_options *options,
			     char **ret_message)
{
	const struct identity *identity = &platform->machine->identity;
	int err;

	if (identity->generation == GENERATION_OTHER_VENDOR)
		return explain(ret_message, -ENOTSUP,
			       "this CPU is not Intel's: it has no Speed Select Technology");
	if (identity->generation == GENERATION_CASCADE_LAKE)
		return explain(ret_message, -ENOTSUP,
			       "this Cascade Lake CPU (%s) is not supported: only 6252N, 6230N and "
			       "5218N have Speed Select",
			       identity->model_name);
	if (identity->generation == GENERATION_CASCADE_LAKE_N) {
		clx_n_init(platform);
		return 0;
	}
	err = open_device(platform, options->trace, ret_message);
	if (err)
		return err;
	err = ask_driver(platform, options, ret_message);
	if (err)
		return err;
	return ask_phy_ids(platform);
}

/* Decodes physical_cpu from the driver or the CPU map. If no map fits, offline CPUs have no
 * location, which callers can detect. */
static int enumerate_domains(struct platform *platform, char **ret_message)
{
	struct machine *machine = platform->machine;
	struct topology *topology = &machine->topology;
	int err = 0;

	if (!cpuset_equal(&machine->topology.present, &machine->topology.placed))
		err = cpu_map_apply(machine->host->files, machine->host->run_directory,
				    &machine->topology);
	if (err == -ENOMEM)
		return err;
	cpuset_foreach (cpu, &topology->placed) {
		struct cpu_place *place = &topology->places[cpu];
		struct phy_id id =
			phy_id_decode(platform->shows_power_domains, place->physical_cpu);

		if (!place->has_physical_cpu) {
			/* a map can hold offline CPUs whose cores were unknown when it was written
			 */
			place->core_error = place->core_error ?: -ENODATA;
			if (platform->transport && cpuset_add(&platform->unknown_cores, cpu))
				return -ENOMEM;
			continue;
		}
		place->core = id.core;
		place->has_power_domain = platform->shows_power_domains;
		if (place->has_power_domain)
			place->power_domain = id.punit;
	}
	err = platform->shows_power_domains ? tpmi_enumerate(platform, ret_message)
					    : domains_init(topology, false, &platform->domains);
	if (!err)
		domains_mark_modules(&platform->domains, topology);
	return err;
}

/* Writes the location and PUNIT core of each online CPU in a format that programs can match
 * (commands.md, option -d). */
static void trace_map(FILE *trace, const struct platform *platform)
{
	const struct machine *machine = platform->machine;

	cpuset_foreach (cpu, &machine->topology.online) {
		const struct cpu_place *place = &machine->topology.places[cpu];
		struct phy_id id =
			phy_id_decode(platform->shows_power_domains, place->physical_cpu);
		uint64_t core_id = 0;

		if (files_read_number(machine->host->files,
				      files_cpu_path(cpu, "topology/core_id").text, &core_id))
			core_id = 0;
		fprintf(trace, "map logical_cpu:%u core: %" PRIu64 " die:%u pkg:%u ", cpu, core_id,
			place->die, place->package);
		fprintf(trace, "punit:%u punit_cpu:%u punit_core:%u\n", id.punit, id.punit_cpu,
			id.core);
	}
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
	platform->assumed = options->assumed;
	err = choose_generation(platform, options, ret_message);
	if (!err)
		err = enumerate_domains(platform, ret_message);
	if (err) {
		platform_close(&platform);
		return err;
	}
	if (options->trace)
		trace_map(options->trace, platform);
	*ret_platform = platform;
	return 0;
}

void platform_close(struct platform **platform)
{
	if (*platform) {
		free((*platform)->tpmi);
		free((*platform)->unserved);
		domains_done(&(*platform)->domains);
		cpuset_done(&(*platform)->unknown_cores);
		transport_close(&(*platform)->transport);
		free(*platform);
	}
	*platform = NULL;
}

/* Returns true if two targets that differ only in the CPU are the same register. */
static bool is_near(const struct platform *platform, const struct write_target *left,
		    const struct write_target *right)
{
	const struct topology *topology = &platform->machine->topology;
	const struct cpu_place *a, *b;

	if (left->cpu == right->cpu)
		return true;
	if (!cpuset_has(&topology->placed, left->cpu) || !cpuset_has(&topology->placed, right->cpu))
		return false;
	a = &topology->places[left->cpu];
	b = &topology->places[right->cpu];
	return a->package == b->package && (limits_is_target(left) || a->die == b->die);
}

static const struct target_value *find_assumed(const struct platform *platform,
					       const struct write_target *target)
{
	const struct change_list *assumed = platform->assumed;

	for (size_t i = assumed ? assumed->n_changes : 0; i-- > 0;) {
		const struct write_target *other = &assumed->changes[i].target;

		if (other->ops == target->ops && other->index == target->index &&
		    other->package == target->package &&
		    other->power_domain == target->power_domain && is_near(platform, other, target))
			return &assumed->changes[i].value;
	}
	return NULL;
}

const struct target_value *platform_find_assumed(const struct platform *platform,
						 enum platform_target what,
						 const struct power_domain *domain, uint32_t index)
{
	const struct write_target target = platform->ops->target(platform, what, domain, index);

	return find_assumed(platform, &target);
}

/* Replaces the value of a query with its value after the assumed changes. */
static void take_assumed(const struct platform *platform, struct platform_query *query)
{
	const struct target_value *assumed = find_assumed(platform, &query->target);
	uint32_t other_bits = query->value.other_bits;

	if (!assumed)
		return;
	query->value = *assumed;
	query->value.other_bits = other_bits;
}

int platform_read(const struct platform *platform, struct platform_query *queries, size_t count)
{
	_cleanup_free_ struct target_request *requests = calloc(count ?: 1, sizeof(*requests));
	const struct target_request *answer = requests;
	struct target_io io;
	size_t n = 0;
	int err;

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!queries[i].error && !queries[i].same)
			requests[n++].target = &queries[i].target;
	}
	err = target_io_init(&io, &platform->channel, NULL, n);
	if (err)
		return err;
	io.channel.progress = platform->channel.progress;
	target_run(&io, requests, n, false);
	target_io_done(&io);
	for (size_t i = 0; i < count; i++) {
		struct platform_query *query = &queries[i];

		if (query->error)
			continue;
		query->error = query->same ? query->same->error : answer->error;
		query->value = query->same ? query->same->value : answer++->value;
		if (platform->assumed && !query->error)
			take_assumed(platform, query);
	}
	return 0;
}

int platform_read_clos(const struct platform *platform, struct platform_query *queries,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		queries[i].error = queries[i].domain->is_served ? 0 : -ENODEV;
		queries[i].target = platform->ops->target(platform, PLATFORM_TARGET_CLOS,
							  queries[i].domain, queries[i].index);
	}
	return platform_read(platform, queries, count);
}

/* Finds the core of a query's CPU. Returns 0, or the negative errno if it cannot be queried. */
static int find_core(const struct platform *platform, struct platform_query *query)
{
	const struct topology *topology = &platform->machine->topology;
	const struct cpu_place *place = &topology->places[query->cpu];

	query->domain = domains_find(&platform->domains, query->cpu);
	if (!place->has_physical_cpu || !query->domain)
		return place->core_error ?: -ENODATA;
	if (!query->domain->is_served)
		return -ENODEV;
	query->index = place->core;
	query->target = platform->ops->target(platform, PLATFORM_TARGET_ASSOCIATION, query->domain,
					      place->core);
	/* a core without an online CPU is read through another CPU of its domain */
	if (topology_can_ask(topology, query->cpu))
		query->target.cpu = query->cpu;
	return 0;
}

int platform_read_assoc(const struct platform *platform, struct platform_query *queries,
			size_t count)
{
	const struct domain_list *domains = &platform->domains;
	/* by domain and core: the first query of the core, or NULL */
	_cleanup_free_ const struct platform_query **first_of =
		calloc(domains->n_domains ?: 1, PUNIT_CORES * sizeof(*first_of));

	if (!first_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct platform_query *query = &queries[i];
		const struct platform_query **first;

		query->error = find_core(platform, query);
		if (query->error)
			continue;
		first = &first_of[(size_t)(query->domain - domains->domains) * PUNIT_CORES +
				  query->index];
		query->same = *first;
		*first = *first ?: query;
	}
	return platform_read(platform, queries, count);
}

struct target_cause platform_find_cause(const struct platform *platform, int error)
{
	struct target_cause cause = { .error = error };

	if (platform && platform->ops->find_cause)
		cause = platform->ops->find_cause(error);
	if (error == -EROFS)
		cause.text = "it is locked by BIOS";
	cause.text = cause.text ?: channel_error_text(error);
	return cause;
}

char *platform_describe_failure(const struct platform *platform, const struct power_domain *domain,
				const char *what, int error)
{
	const struct location location = domains_location(domain);
	_cleanup_free_ char *place = location_format(&location);

	return text_format("%s: %s: %s", place ?: "a power domain", what,
			   platform_find_cause(platform, error).text);
}

// SPDX-License-Identifier: GPL-2.0-only
/* metrics of power and heat: energy since boot, power limits, thermal throttling. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/metrics/metrics.h"
#include "instruments/powercap.h"
#include "host/run_directory.h"
#include "instruments/throttle.h"

/* The last values of the counters, and what was lost when they restarted at 0. Only root may read
 * the record, since the rate of the counters shows what the machine does. */
static const struct run_file energy_file = {
	.name = "energy.json",
	.format = "intel-speed-select energy",
	.is_private = true,
};

/* Energy. */

/* Returns what a counter counted before it last restarted at 0. */
static uint64_t find_offset(const json_t *zones, const struct power_counter *counter)
{
	json_int_t raw, offset;

	if (json_unpack(json_object_get(zones, counter->zone), "{s:I, s:I}", "raw", &raw, "offset",
			&offset) ||
	    raw < 0 || offset < 0)
		return 0;
	if ((uint64_t)raw > counter->energy_uj && counter->range_uj)
		offset += (json_int_t)counter->range_uj + 1;
	return (uint64_t)offset;
}

/* Adds the offsets to the counters and keeps them for the next time. Ignores a file that is damaged
 * or of another boot. Returns 0; or a negative errno of writing the file. */
static int keep_offsets(struct metrics *metrics, struct power_counters *counters)
{
	_cleanup_json_ json_t *members = NULL, *zones = json_object();
	struct host *host = metrics->host;
	int err = run_file_read(host->files, host->run_directory, &energy_file, &members);

	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < counters->count; i++) {
		struct power_counter *counter = &counters->list[i];
		uint64_t offset = find_offset(json_object_get(members, "zones"), counter);

		json_object_set_new(zones, counter->zone,
				    json_pack("{s:I, s:I}", "raw", (json_int_t)counter->energy_uj,
					      "offset", (json_int_t)offset));
		counter->energy_uj += offset;
	}
	return run_file_write(host->files, host->run_directory, &energy_file,
			      json_pack("{s:O}", "zones", zones));
}

/* Adds the sum of the counters of one kind and package, which can have several dies. */
static void add_energy(struct metrics *metrics, const struct power_counters *counters, size_t first)
{
	const struct power_counter *counter = &counters->list[first];
	struct exposition_number package = exposition_number(counter->package);
	uint64_t sum_uj = 0;

	for (size_t i = 0; i < counters->count; i++) {
		const struct power_counter *other = &counters->list[i];

		if (other->kind != counter->kind || other->package != counter->package)
			continue;
		if (i < first)
			return; /* it has been added */
		sum_uj += other->energy_uj;
	}
	exposition_add_parts(&metrics->exposition, METRIC_ENERGY, sum_uj, UJ_PER_J, "package",
			     counter->package == POWER_NO_PACKAGE ? NULL : package.text, "domain",
			     power_domain_kind_name(counter->kind), NULL);
}

static int collect_energy(struct metrics *metrics)
{
	_cleanup_power_counters_ struct power_counters counters = { 0 };
	int err = power_counters_read(metrics->host->files, &counters);

	if (!err)
		err = keep_offsets(metrics, &counters);
	for (size_t i = 0; i < counters.count && !err; i++)
		add_energy(metrics, &counters, i);
	return err;
}

static void add_limits(struct metrics *metrics, const struct power_zone *zone)
{
	struct exposition_number package = exposition_number(zone->package);
	struct exposition_number die = exposition_number(zone->die);

	for (enum power_constraint_kind i = 0; i < N_POWER_CONSTRAINTS; i++) {
		if (zone->constraints[i].limit_uw)
			exposition_add_parts(&metrics->exposition, METRIC_POWER_LIMIT,
					     zone->constraints[i].limit_uw, UW_PER_W, "package",
					     package.text, "die", zone->has_die ? die.text : NULL,
					     "constraint", power_constraint_name(i), NULL);
	}
}

int metrics_collect_power(struct metrics *metrics)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	int err = power_zones_read(metrics->host->files, false, &zones), energy_error;

	if (err)
		return err;
	for (size_t i = 0; i < zones.count; i++)
		add_limits(metrics, &zones.list[i]);
	energy_error = collect_energy(metrics);
	return energy_error == -ENOENT && zones.count ? 0 : energy_error;
}

/* Throttling. */

static void add_throttling(struct metrics *metrics, enum throttle_scope scope, uint32_t package,
			   const struct throttle_counts *counts)
{
	struct exposition_number number = exposition_number(package);

	exposition_add(&metrics->exposition, METRIC_THROTTLE_EVENTS, (double)counts->events,
		       "package", number.text, "scope", throttle_scope_name(scope), NULL);
	if (counts->has_total_ms)
		exposition_add_parts(&metrics->exposition, METRIC_THROTTLE_SECONDS,
				     counts->total_ms, MS_PER_S, "package", number.text, "scope",
				     throttle_scope_name(scope), NULL);
}

/* Adds up the counters of the cores of a package. */
static int sum_cores(struct metrics *metrics, uint32_t package, struct throttle_counts *sum)
{
	const struct topology *topology = &metrics->context->machine->topology;
	struct exposition_number number = exposition_number(package);

	*sum = (struct throttle_counts){ .has_total_ms = true };
	cpuset_foreach (cpu, &metrics->cores) {
		struct exposition_number core = exposition_number(cpu);
		struct throttle_counts counts;
		int err;

		if (topology->places[cpu].package != package)
			continue;
		err = throttle_read(metrics->host->files, cpu, THROTTLE_CORE, &counts);
		if (err)
			return err;
		sum->events += counts.events;
		sum->total_ms += counts.total_ms;
		sum->has_total_ms = sum->has_total_ms && counts.has_total_ms;
		if (metrics->per_core)
			exposition_add(&metrics->exposition, METRIC_CORE_THROTTLE,
				       (double)counts.events, "package", number.text, "core",
				       core.text, NULL);
	}
	return 0;
}

int metrics_collect_throttling(struct metrics *metrics)
{
	const struct topology *topology = &metrics->context->machine->topology;
	_cleanup_cpuset_ struct cpuset done = { 0 };

	cpuset_foreach (cpu, &metrics->cores) {
		uint32_t package = topology->places[cpu].package;
		struct throttle_counts counts;
		int err;

		if (cpuset_has(&done, package))
			continue;
		if (cpuset_add(&done, package))
			return -ENOMEM;
		err = throttle_read(metrics->host->files, cpu, THROTTLE_PACKAGE, &counts);
		if (err)
			return err;
		add_throttling(metrics, THROTTLE_PACKAGE, package, &counts);
		err = sum_cores(metrics, package, &counts);
		if (err)
			return err;
		add_throttling(metrics, THROTTLE_CORE, package, &counts);
	}
	return 0;
}

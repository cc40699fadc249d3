// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the fake TPMI machine (hardware.md, section 4), and what was asked of it. The
 * requests themselves: fake_tpmi_driver.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fake_tpmi_driver.h"

#define CPU_ROOT "/sys/devices/system/cpu/"

static int open_device(struct host *host, struct transport **ret_transport)
{
	*ret_transport = fake_tpmi_driver_open((struct fake_tpmi *)host);
	return 0;
}

static int has_capability(struct host *host)
{
	return !((struct fake_tpmi *)host)->machine.lacks_capability;
}

/* The machine is its test's. */
static void close_host(struct host *host)
{
	(void)host;
}

static void set_cpu_file(struct fake_machine *machine, uint32_t cpu, const char *name,
			 const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), CPU_ROOT "cpu%u/topology/%s", cpu, name);
	fake_machine_set_file(machine, path, text, 0);
}

/* All CPUs of a package get one die, which is called as the package. */
static void join_dies(struct fake_tpmi *tpmi)
{
	struct fake_machine *machine = &tpmi->machine;
	uint32_t half = fake_machine_cpus(machine) / 2, size = half / tpmi->shape.packages;

	for (uint32_t cpu = 0; cpu < 2 * half; cpu++) {
		uint32_t package = cpu % half / size, first = package * size;
		char die[12], list[64];

		snprintf(die, sizeof(die), "%u", package);
		snprintf(list, sizeof(list), "%u-%u,%u-%u", first, first + size - 1, half + first,
			 half + first + size - 1);
		set_cpu_file(machine, cpu, "die_id", die);
		set_cpu_file(machine, cpu, "die_cpus_list", list);
	}
}

static void init_domain(const struct fake_tpmi *tpmi, struct fake_tpmi_domain *domain,
			uint32_t package, uint32_t index)
{
	const struct fake_tpmi_shape *shape = &tpmi->shape;
	uint32_t n_cores = shape->cores / (shape->cores_of_module ?: 1);
	bool computes = index < shape->n_compute;

	*domain = (struct fake_tpmi_domain){
		.package = package,
		.id = shape->ids[index],
		.levels = { .max_level = 1,
			    .feature_rev = 1,
			    .level_mask = 0x3,
			    .enabled = 1,
			    .sst_tf_support = 0x2,
			    .sst_bf_support = 0x3 },
		.state = { .supported = 1 },
		.core_mask = computes ? UINT64_MAX >> (n_cores < 64 ? 64 - n_cores : 0) : 0,
		.high_mask = computes ? 1 : 0,
	};
	for (size_t i = 0; i < ISST_CLOS_COUNT; i++)
		domain->clos[i].max_freq_mhz = 25500;
}

void fake_tpmi_init(struct fake_tpmi *tpmi, const struct fake_tpmi_shape *shape)
{
	static const struct host_ops ops = {
		.open_device = open_device,
		.has_capability = has_capability,
		.close = close_host,
	};
	const struct fake_shape as_mailbox = {
		.packages = shape->packages,
		.dies = shape->n_compute,
		.cores = shape->cores,
		.model = 0xad,
	};
	uint32_t per_package = shape->n_compute + shape->n_io;

	*tpmi = (struct fake_tpmi){ .shape = *shape, .allowed_levels = 0x3 };
	fake_machine_init(&tpmi->machine, &as_mailbox);
	tpmi->machine.host.ops = &ops;
	tpmi->machine.info.api_version = (__u16)(shape->api_version ?: 3);
	tpmi->machine.info.mbox_supported = 0;
	tpmi->machine.info.mmio_supported = 0;
	fake_machine_set_file(&tpmi->machine, CPU_ROOT "intel_pstate/status", "active", 0);
	fake_machine_set_file(&tpmi->machine, CPU_ROOT "cpu0/cpufreq/base_frequency", "2000000", 0);
	tpmi->domains = calloc(shape->packages * per_package, sizeof(*tpmi->domains));
	assert_non_null(tpmi->domains);
	for (uint32_t i = 0; i < shape->packages * per_package; i++)
		init_domain(tpmi, &tpmi->domains[tpmi->n_domains++], i / per_package,
			    i % per_package);
	for (size_t i = 0; i < ARRAY_SIZE(tpmi->limits); i++)
		tpmi->limits[i] = 0x2020202020202020;
	if (shape->one_die)
		join_dies(tpmi);
}

void fake_tpmi_done(struct fake_tpmi *tpmi)
{
	fake_tpmi_forget(tpmi);
	free(tpmi->domains);
	fake_machine_done(&tpmi->machine);
}

struct fake_tpmi_domain *fake_tpmi_domain(struct fake_tpmi *tpmi, uint32_t package, uint32_t id)
{
	for (size_t i = 0; i < tpmi->n_domains; i++) {
		if (tpmi->domains[i].package == package && tpmi->domains[i].id == id)
			return &tpmi->domains[i];
	}
	return NULL;
}

size_t fake_tpmi_count(const struct fake_tpmi *tpmi, uint32_t request, bool only_setting)
{
	size_t count = 0;

	for (size_t i = 0; i < tpmi->n_records; i++)
		count += tpmi->records[i].request == request &&
			 (tpmi->records[i].sets || !only_setting);
	return count;
}

static int compare(const void *left_pointer, const void *right_pointer)
{
	const struct fake_tpmi_record *left = left_pointer, *right = right_pointer;
	const uint32_t pairs[][2] = {
		{ left->request, right->request }, { left->package, right->package },
		{ left->id, right->id },           { left->detail, right->detail },
		{ left->sets, right->sets },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	}
	return 0;
}

void fake_tpmi_assert_once(const struct fake_tpmi *tpmi)
{
	_cleanup_free_ struct fake_tpmi_record *sorted =
		calloc(tpmi->n_records + 1, sizeof(*sorted));

	assert_non_null(sorted);
	if (tpmi->n_records) {
		memcpy(sorted, tpmi->records, tpmi->n_records * sizeof(*sorted));
		qsort(sorted, tpmi->n_records, sizeof(*sorted), compare);
	}
	for (size_t i = 1; i < tpmi->n_records; i++) {
		if (compare(&sorted[i - 1], &sorted[i]) == 0)
			fail_msg("request 0x%x, detail %u, twice to package %u domain %u",
				 sorted[i].request, sorted[i].detail, sorted[i].package,
				 sorted[i].id);
	}
}

void fake_tpmi_forget(struct fake_tpmi *tpmi)
{
	free(tpmi->records);
	tpmi->records = NULL;
	tpmi->n_records = 0;
	tpmi->n_assoc_requests = 0;
}

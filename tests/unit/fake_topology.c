// SPDX-License-Identifier: GPL-2.0-only
/* Topology directories of online CPUs, as hardware.md, section 5, has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_topology.h"
#include "base/cleanup.h"
#include "base/cpuset.h"

static char *format_ranges(const struct cpuset *set)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	cpuset_write_ranges(set, to);
	fputc('\n', to);
	assert_int_equal(fclose(to), 0);
	return text;
}

/* The online CPUs of a die, or of all dies of its package. */
static char *make_list(const struct fake_topology *topology, const struct fake_die *die,
		       bool of_package)
{
	_cleanup_cpuset_ struct cpuset online = { 0 }, list = { 0 };

	assert_int_equal(cpulist_parse(topology->online, &online), 0);
	for (size_t i = 0; i < FAKE_DIES && topology->dies[i].cpus; i++) {
		const struct fake_die *other = &topology->dies[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (of_package ? other->package != die->package : other != die)
			continue;
		assert_int_equal(cpulist_parse(other->cpus, &cpus), 0);
		assert_int_equal(cpuset_add_all(&list, &cpus), 0);
	}
	cpuset_keep(&list, &online);
	return format_ranges(&list);
}

static void set_number(struct fake_files *fake, uint32_t cpu, const char *name, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	fake_files_set(fake, text, FAKE_CPU_ROOT "/cpu%u/topology/%s", cpu, name);
}

static void set_list(struct fake_files *fake, uint32_t cpu, const char *name, const char *list)
{
	fake_files_set(fake, list, FAKE_CPU_ROOT "/cpu%u/topology/%s", cpu, name);
}

static void add_die(struct fake_files *fake, const struct fake_topology *topology,
		    const struct fake_die *die)
{
	_cleanup_free_ char *die_list = make_list(topology, die, false);
	_cleanup_free_ char *package_list = make_list(topology, die, true);
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(cpulist_parse(die_list, &cpus), 0);
	cpuset_foreach (cpu, &cpus) {
		set_number(fake, cpu, "physical_package_id", die->package);
		set_number(fake, cpu, "core_id", cpu * 3 + cpu / 4); /* with holes */
		if (!topology->no_die_id)
			set_number(fake, cpu, "die_id", die->die);
		if (!topology->no_die_id && !topology->no_die_list)
			set_list(fake, cpu, "die_cpus_list", die_list);
		if (!topology->no_package_list)
			set_list(fake, cpu, "package_cpus_list", package_list);
	}
}

void fake_topology_add(struct fake_files *fake, const struct fake_topology *topology)
{
	fake_files_set(fake, topology->present, FAKE_CPU_ROOT "/present");
	fake_files_set(fake, topology->online, FAKE_CPU_ROOT "/online");
	fake_files_set(fake, topology->possible, FAKE_CPU_ROOT "/possible");
	for (size_t i = 0; i < FAKE_DIES && topology->dies[i].cpus; i++)
		add_die(fake, topology, &topology->dies[i]);
}

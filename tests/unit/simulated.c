// SPDX-License-Identifier: GPL-2.0-only
/* The machine of simulated.h. Whatever goes wrong here is a failure of the test itself: abort(). */
#include "simulated.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define PACKAGES           2U
#define CORES_PER_PACKAGE  4U
#define THREADS_PER_CORE   2U
#define PUNIT_CLOS_DEFAULT 0x00ff0000U /* no lower limit, highest frequency */

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void *make_array(size_t count, size_t size)
{
	void *array = calloc(count, size);

	require(array != NULL);
	return array;
}

static void add_cpu(struct sim_platform *platform, uint32_t package, uint32_t core, uint32_t thread)
{
	uint32_t cpu = (thread * PACKAGES + package) * CORES_PER_PACKAGE + core;

	platform->cpus[cpu] = (struct sim_cpu){
		.package = package,
		.domain = package,
		.core_id = core,
		.physical_cpu = core << 1 | thread,
		.first = package * CORES_PER_PACKAGE + core,
	};
	require(cpuset_add(&platform->domains[package].cores, core) == 0);
	require(cpuset_add(&platform->domains[package].cpus, cpu) == 0);
}

static void fill_domain(struct sim_platform *platform, uint32_t package)
{
	struct sim_domain *domain = &platform->domains[package];

	domain->package = domain->socket = package;
	domain->has_sst = true;
	domain->fuses = simulated_guide_fuses;
	for (size_t i = 0; i < PUNIT_CLOS_COUNT; i++)
		domain->initial.clos[i] = PUNIT_CLOS_DEFAULT;
	for (uint32_t core = 0; core < CORES_PER_PACKAGE; core++) {
		for (uint32_t thread = 0; thread < THREADS_PER_CORE; thread++)
			add_cpu(platform, package, core, thread);
	}
}

static void fill_cpufreq(struct sim_platform *platform)
{
	platform->has_cpufreq = true;
	platform->cpufreq = (struct sim_cpufreq){
		.driver = "intel_pstate",
		.min_khz = 800000,
		.max_khz = 3200000,
		.base_khz = 2600000,
		.governors = { "performance", "powersave" },
		.governor = 1,
		.epps = { "default", "performance", "balance_performance" },
		.epp = 2,
		.epb = 6,
	};
}

static void fill_idle_states(struct sim_platform *platform)
{
	platform->has_cpuidle = true;
	platform->idle_driver = "intel_idle";
	platform->idle_governor = "menu";
	platform->n_idle_states = 2;
	platform->idle_states[0] = (struct sim_idle_state){
		.name = "POLL",
		.desc = "CPUIDLE CORE POLL IDLE",
	};
	platform->idle_states[1] = (struct sim_idle_state){
		.name = "C6",
		.desc = "MWAIT 0x20",
		.latency_us = 170,
		.residency_us = 600,
		.disabled = true,
	};
}

struct sim_platform *simulated_new(void)
{
	struct sim_platform *platform = make_array(1, sizeof(*platform));

	*platform = (struct sim_platform){
		.name = "small",
		.description = "Two packages of four cores",
		.kernel = "6.12",
		.cpu = { .family = 6,
			 .model = 0x6a,
			 .stepping = 6,
			 .model_name = "Intel(R) Xeon(R) Gold 6330N CPU @ 2.60GHz" },
		.interface = SIM_INTERFACE_MAILBOX,
		.api_version = 1,
		.driver_version = 1,
		.max_cmds_per_ioctl = 64,
		.mbox = true,
		.mmio = true,
		.threads_per_core = THREADS_PER_CORE,
		.cores_per_module = 1,
		.n_packages = PACKAGES,
		.n_domains = PACKAGES,
		.n_cpus = (size_t)PACKAGES * CORES_PER_PACKAGE * THREADS_PER_CORE,
		.has_umwait = true,
		.umwait_c02 = true,
		.umwait_max_time = 100000,
		.uncore = SIM_UNCORE_LEGACY,
		.uncore_min_khz = 800000,
		.uncore_max_khz = 2400000,
		.has_msrs = true,
		.digest = 0x5151515151515151,
	};
	platform->domains = make_array(PACKAGES, sizeof(*platform->domains));
	platform->cpus = make_array(platform->n_cpus, sizeof(*platform->cpus));
	platform->msrs = make_array(PACKAGES, sizeof(*platform->msrs));
	for (uint32_t package = 0; package < PACKAGES; package++) {
		fill_domain(platform, package);
		platform->msrs[package] = (struct punit_package){
			.turbo_ratio_limit = 0x1f1f1f1f1f1f1f20,
			.turbo_ratio_limit_cores = 0x100e0c0a08060402,
		};
	}
	fill_cpufreq(platform);
	fill_idle_states(platform);
	return platform;
}

void simulated_free(struct sim_platform *platform)
{
	platform_file_free(platform);
}

char *simulated_make_directory(void)
{
	const char *base = getenv("TMPDIR");
	char *name = NULL;

	require(asprintf(&name, "%s/isst-test-XXXXXX", base ? base : ".") >= 0);
	require(mkdtemp(name) != NULL);
	return name;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

void simulated_remove_directory(char *directory)
{
	require(nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
	free(directory);
}

void simulated_write(const char *directory, const char *name, const char *text)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *file = NULL;

	require(asprintf(&path, "%s/%s", directory, name) >= 0);
	file = fopen(path, "we");
	require(file && fputs(text, file) >= 0);
}

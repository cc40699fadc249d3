// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/cpuinfo (hardware.md, section 1) and the boot's id. What a platform file does not say
 * (microcode, cache size) is left out, as the kernel leaves out what it does not know. A reader of
 * the first stanza alone gets no more made than it asks for.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Flags that every machine with Speed Select has, up to where the settable ones begin. */
#define COMMON_FLAGS                                                                           \
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts " \
	"acpi mmx fxsr sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art "   \
	"arch_perfmon pebs bts rep_good nopl xtopology nonstop_tsc cpuid aperfmperf "          \
	"tsc_known_freq pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 sdbg fma "   \
	"cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes "    \
	"xsave avx f16c rdrand lahf_lm abm 3dnowprefetch cpuid_fault"

/* One package: its online CPUs and its cores. */
struct package_count {
	uint32_t cpus;
	uint32_t cores;
};

static void write_flags(const struct sim_platform *platform, FILE *to)
{
	bool has_hwp = platform->has_cpufreq && platform->cpufreq.epps && platform->cpufreq.epps[0];

	fputs(COMMON_FLAGS, to);
	if (platform->has_cpufreq)
		fputs(" epb", to);
	fputs(" ibrs ibpb stibp fsgsbase tsc_adjust bmi1 avx2 smep bmi2 erms invpcid dtherm ida "
	      "arat pln pts",
	      to);
	if (has_hwp)
		fputs(" hwp hwp_act_window hwp_epp hwp_pkg_req", to);
	if (platform->cpu.hfi)
		fputs(" hfi", to);
	if (platform->has_umwait)
		fputs(" waitpkg", to);
}

static void write_stanza(const struct sim_platform *platform, uint32_t cpu,
			 const struct package_count *package, FILE *to)
{
	uint32_t mhz = platform->has_cpufreq ? platform->cpufreq.base_khz / 1000 : 0;

	fprintf(to, "processor\t: %" PRIu32 "\nvendor_id\t: GenuineIntel\n", cpu);
	fprintf(to, "cpu family\t: %" PRIu32 "\nmodel\t\t: %" PRIu32 "\nmodel name\t: %s\n",
		platform->cpu.family, platform->cpu.model, platform->cpu.model_name);
	fprintf(to, "stepping\t: %" PRIu32 "\n", platform->cpu.stepping);
	if (mhz)
		fprintf(to, "cpu MHz\t\t: %" PRIu32 ".000\n", mhz);
	fprintf(to, "physical id\t: %" PRIu32 "\nsiblings\t: %" PRIu32 "\n",
		platform->cpus[cpu].package, package->cpus);
	fprintf(to, "core id\t\t: %" PRIu32 "\ncpu cores\t: %" PRIu32 "\n",
		platform->cpus[cpu].core_id, package->cores);
	fprintf(to, "apicid\t\t: %" PRIu32 "\ninitial apicid\t: %" PRIu32 "\n", cpu, cpu);
	fputs("fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: 27\nwp\t\t: yes\nflags\t\t: ",
	      to);
	write_flags(platform, to);
	fputs("\nbugs\t\t: spectre_v1 spectre_v2 spec_store_bypass swapgs\n", to);
	if (mhz)
		fprintf(to, "bogomips\t: %" PRIu32 ".00\n", mhz * 2);
	fputs("clflush size\t: 64\ncache_alignment\t: 64\n"
	      "address sizes\t: 52 bits physical, 57 bits virtual\npower management:\n",
	      to);
}

/* Counts the online CPUs and the cores of each package. */
static struct package_count *count_packages(const struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;
	struct package_count *counts = calloc(platform->n_packages, sizeof(*counts));

	if (!counts)
		return NULL;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		struct package_count *count = &counts[platform->cpus[cpu].package];

		count->cpus += state->cpus[cpu].online != 0;
	}
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		counts[domain->package].cores +=
			(uint32_t)(cpuset_count(&domain->cpus) / platform->threads_per_core);
	}
	return counts;
}

static int show_cpuinfo(const struct sysfs_place *place, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);
	_cleanup_free_ struct package_count *counts = count_packages(place->state);
	const char *separator = "";

	if (!counts)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (place->limit && (size_t)ftell(to) >= place->limit)
			break;
		if (!place->state->cpus[cpu].online)
			continue;
		fputs(separator, to);
		write_stanza(platform, cpu, &counts[platform->cpus[cpu].package], to);
		separator = "\n";
	}
	return 0;
}

static int show_boot_id(const struct sysfs_place *place, FILE *to)
{
	fputs(place->state->machine->boot_id, to);
	return 0;
}

static const struct sysfs_attribute random_attributes[] = {
	{ .name = "boot_id", .show = show_boot_id },
	{ 0 },
};

static const struct sysfs_directory random_directory = {
	.name = "random",
	.attributes = random_attributes,
};

static const struct sysfs_directory kernel_directory = {
	.name = "kernel",
	.children = (const struct sysfs_directory *const[]){ &random_directory, NULL },
};

static const struct sysfs_directory sys_directory = {
	.name = "sys",
	.children = (const struct sysfs_directory *const[]){ &kernel_directory, NULL },
};

static const struct sysfs_attribute proc_attributes[] = {
	{ .name = "cpuinfo", .show = show_cpuinfo },
	{ 0 },
};

const struct sysfs_directory sysfs_proc = {
	.name = "proc",
	.attributes = proc_attributes,
	.children = (const struct sysfs_directory *const[]){ &sys_directory, NULL },
};

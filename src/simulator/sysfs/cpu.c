// SPDX-License-Identifier: GPL-2.0-only
/* The files of CPUs: /proc/cpuinfo and the boot id (hardware.md, section 1), CPU lists, hotplug and
 * topology (section 5), idle states, energy bias, wake-up latency limits and umwait (sysfs.md).
 * Topology lists name online CPUs only, and an offline CPU has no topology directory. CPUs of a
 * simulated machine idle while the virtual clock advances (simulator/clock.h). An offline CPU keeps
 * its settings, but has no file for its energy bias. */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "simulator/activity.h"

#define TPMI_DEVICES         "/sys/bus/auxiliary/devices"
#define NODES                "/sys/devices/system/node"
#define PCI_DEVICES          "/sys/bus/pci/devices"
#define MAX_EPB              15
#define MAX_LATENCY_US       (INT32_MAX - 1)
#define NO_LATENCY_ALLOWED   (-1) /* reads "n/a" */
#define UMWAIT_TIME_LOW_BITS 3U
#define FIRST_WITHOUT_REPLAY "6.16" /* kernels */

/* Flags of every machine with Speed Select. */
#define COMMON_FLAGS                                                                           \
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts " \
	"acpi mmx fxsr sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art "   \
	"arch_perfmon pebs bts rep_good nopl xtopology nonstop_tsc cpuid aperfmperf epb"

/* The kind of a CPU list; argument of the attributes. From LIST_ONLINE on, all CPUs are online.
 * From LIST_PACKAGE on, all CPUs share a package, die or core with place->cpu. */
enum list {
	LIST_PRESENT,
	LIST_OFFLINE,
	LIST_ONLINE,
	LIST_PERFORMANCE,
	LIST_EFFICIENT,
	LIST_PACKAGE,
	LIST_DIE,
	LIST_CORE
};

static const char *const usual_governors[] = { "ladder", "menu", "teo" };

static bool is_online(const struct sysfs_place *place, uint32_t cpu)
{
	return place->state->cpus[cpu].online != 0;
}

bool sysfs_find_cpu(struct sysfs_place *place)
{
	place->cpu = place->numbers[0];
	return place->cpu < place->platform->n_cpus;
}

bool sysfs_any_online(const struct sim_state *state, size_t domain)
{
	cpuset_foreach (cpu, &state->platform->domains[domain].cpus) {
		if (state->cpus[cpu].online)
			return true;
	}
	return false;
}

/* /proc, with the fields that identify a processor. */

/* Stops at the limit of the reader, which wants only the first stanza. */
static int append_cpuinfo(const struct sysfs_place *place, struct buffer *to)
{
	const struct sim_platform *platform = place->platform;

	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (place->limit && to->length >= place->limit)
			break;
		if (!is_online(place, cpu))
			continue;
		buffer_print(to, "%sprocessor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: %u\n",
			     to->length ? "\n" : "", cpu, platform->cpu.family);
		buffer_print(to, "model\t\t: %u\nmodel name\t: %s\nstepping\t: %u\n",
			     platform->cpu.model, platform->cpu.model_name, platform->cpu.stepping);
		buffer_print(to, "flags\t\t: %s%s%s%s\n", COMMON_FLAGS,
			     platform->has_cpufreq ? " hwp hwp_act_window hwp_epp hwp_pkg_req" : "",
			     platform->cpu.hfi ? " hfi" : "",
			     platform->has_umwait ? " waitpkg" : "");
	}
	return 0;
}

SYSFS_TEXT(get_boot_id, place->state->machine->boot_id);

/* Lists of CPUs, and hotplug. */

static const struct sim_domain *domain_of(const struct sysfs_place *place, uint32_t cpu)
{
	return &place->platform->domains[place->platform->cpus[cpu].domain];
}

static bool is_listed(const struct sysfs_place *place, uint32_t cpu)
{
	const struct sim_cpu *cpus = place->platform->cpus;
	enum list list = (enum list)place->attribute->argument;

	if (list <= LIST_ONLINE)
		return list == LIST_PRESENT || is_online(place, cpu) == (list == LIST_ONLINE);
	if (list < LIST_PACKAGE)
		return is_online(place, cpu) &&
		       cpuset_has(&place->platform->efficient, cpu) == (list == LIST_EFFICIENT);
	if (!is_online(place, cpu) || cpus[cpu].package != cpus[place->cpu].package)
		return false;
	if (list == LIST_CORE)
		return cpus[cpu].core_id == cpus[place->cpu].core_id;
	return list == LIST_PACKAGE ||
	       domain_of(place, cpu)->die == domain_of(place, place->cpu)->die;
}

/* Each package is a node, and has one PCI device. */
static bool find_cpu_of_package(struct sysfs_place *place, uint32_t package)
{
	for (uint32_t cpu = 0;
	     cpu < place->platform->n_cpus && package < place->platform->n_packages; cpu++) {
		place->cpu = cpu;
		if (place->platform->cpus[cpu].package == package)
			return true;
	}
	return false;
}

static bool find_package(struct sysfs_place *place)
{
	return find_cpu_of_package(place, place->numbers[0]);
}

static int append_cpus(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };

	for (uint32_t cpu = 0; cpu < place->platform->n_cpus; cpu++) {
		if (is_listed(place, cpu) && cpuset_add(&set, cpu) < 0)
			return -ENOMEM;
	}
	cpuset_append_ranges(&set, to);
	return 0;
}

SYSFS_NUMBER(get_node, place->numbers[0]);

SYSFS_HAS(has_online_file, place->cpu != 0 || place->platform->cpu0_online_file);
SYSFS_NUMBER(get_online, is_online(place, place->cpu));

static bool is_last_online(const struct sysfs_place *place)
{
	for (uint32_t cpu = 0; cpu < place->platform->n_cpus; cpu++) {
		if (cpu != place->cpu && is_online(place, cpu))
			return false;
	}
	return true;
}

/* Older kernels write the turbo-ratio limits again that were last set through the device. */
static void replay_limit(const struct sysfs_place *place)
{
	struct punit_package *package =
		&place->state->packages[place->platform->cpus[place->cpu].package];

	if (package->written_limit && strverscmp(place->platform->kernel, FIRST_WITHOUT_REPLAY) < 0)
		package->turbo_ratio_limit = package->written_limit;
}

static int set_online(const struct sysfs_place *place, uint32_t online)
{
	size_t domain = place->platform->cpus[place->cpu].domain;

	if (online == is_online(place, place->cpu))
		return 0;
	if (!online && is_last_online(place))
		return -EBUSY;
	if (online && platform_file_is_held(place->platform, place->cpu))
		return -EPERM;
	if (online && !sysfs_any_online(place->state, domain))
		sysfs_uncore_resample(place->state, domain);
	sysfs_cpu_state(place)->online = (uint8_t)online;
	if (online)
		replay_limit(place);
	return 0;
}

/* SMT, which cannot be switched here. */
SYSFS_TEXT(get_smt, sim_smt_words[place->platform->smt]);

/* Topology. */

SYSFS_HAS(has_topology, is_online(place, place->cpu));
SYSFS_NUMBER(get_package, domain_of(place, place->cpu)->socket);
SYSFS_NUMBER(get_die, domain_of(place, place->cpu)->die);
SYSFS_NUMBER(get_core, place->platform->cpus[place->cpu].core_id);

/* The idle driver and its governor. */

SYSFS_HAS(has_idle, place->platform->has_cpuidle);
SYSFS_TEXT(get_idle_driver, place->platform->idle_driver);

/* Returns the governor that has this number in the state. */
static const char *idle_governor(const struct sysfs_place *place, uint8_t number)
{
	return number ? usual_governors[number - 1] : place->platform->idle_governor;
}

SYSFS_TEXT(get_idle_governor, idle_governor(place, place->state->machine->idle_governor));

static int store_idle_governor(const struct sysfs_place *place, const char *text)
{
	for (uint8_t i = 0; i <= ARRAY_SIZE(usual_governors); i++) {
		if (strcmp(text, idle_governor(place, i)) == 0) {
			place->state->machine->idle_governor = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int append_idle_governors(const struct sysfs_place *place, struct buffer *to)
{
	const char *own = place->platform->idle_governor;
	bool is_usual = false;

	for (size_t i = 0; i < ARRAY_SIZE(usual_governors); i++) {
		buffer_print(to, "%s%s", i ? " " : "", usual_governors[i]);
		is_usual |= strcmp(usual_governors[i], own) == 0;
	}
	if (!is_usual)
		buffer_print(to, " %s", own);
	return 0;
}

SYSFS_HAS(has_c1_demotion, place->platform->has_c1_demotion);
SYSFS_NUMBER(get_c1_demotion, place->state->machine->c1_demotion);
SYSFS_SET(set_c1_demotion, place->state->machine->c1_demotion, value);

/* An idle state of a CPU. */

SYSFS_HAS(has_idle_state, has_idle(place) && place->numbers[1] < place->platform->n_idle_states);

static const struct sim_idle_state *idle_state(const struct sysfs_place *place)
{
	return &place->platform->idle_states[place->numbers[1]];
}

SYSFS_TEXT(get_name, idle_state(place)->name);
SYSFS_TEXT(get_desc, idle_state(place)->desc);
SYSFS_NUMBER(get_latency, idle_state(place)->latency_us);
SYSFS_NUMBER(get_residency, idle_state(place)->residency_us);
SYSFS_TEXT(get_default_status, idle_state(place)->disabled ? "disabled" : "enabled");

static const struct sim_idle_counters *idle_counters(const struct sysfs_place *place)
{
	return &place->state->idle[place->cpu * place->platform->n_idle_states + place->numbers[1]];
}

SYSFS_NUMBER(get_time,
	     (idle_counters(place)->idle_ns + idle_counters(place)->round_ns) / NS_PER_US);
/* A CPU on which nothing runs wakes up every 4 ms. */
SYSFS_NUMBER(get_usage,
	     idle_counters(place)->idle_ns / USUAL_SLEEP_NS + idle_counters(place)->rounds);
SYSFS_NUMBER(get_disable, sysfs_cpu_state(place)->idle_disabled >> place->numbers[1] & 1);

static int set_disable(const struct sysfs_place *place, uint32_t value)
{
	uint32_t bit = 1U << place->numbers[1];

	if (faults_settings(place->faults)->missing_capability)
		return -EPERM;
	if (value)
		sysfs_cpu_state(place)->idle_disabled |= bit;
	else
		sysfs_cpu_state(place)->idle_disabled &= ~bit;
	return 0;
}

/* Energy bias and wake-up latency limit of a CPU, and umwait. */

SYSFS_HAS(has_epb, sysfs_cpu_state(place)->online && place->platform->has_cpufreq);
SYSFS_NUMBER(get_epb, sysfs_cpu_state(place)->epb);
SYSFS_SET(set_epb, sysfs_cpu_state(place)->epb, value);

static int append_resume_latency(const struct sysfs_place *place, struct buffer *to)
{
	int32_t latency_us = sysfs_cpu_state(place)->resume_latency_us;

	if (latency_us == NO_LATENCY_ALLOWED)
		buffer_append_string(to, "n/a");
	else
		buffer_print(to, "%d", latency_us);
	return 0;
}

static int store_resume_latency(const struct sysfs_place *place, const char *text)
{
	struct sim_cpu_state *cpu = sysfs_cpu_state(place);
	uint64_t latency_us;

	if (strcmp(text, "n/a") == 0)
		cpu->resume_latency_us = NO_LATENCY_ALLOWED;
	else if (number_parse(text, 0, MAX_LATENCY_US, &latency_us) < 0)
		return -EINVAL;
	else
		cpu->resume_latency_us = (int32_t)latency_us;
	return 0;
}

SYSFS_HAS(has_umwait, place->platform->has_umwait);
SYSFS_NUMBER(get_enable_c02, place->state->machine->umwait_c02);
SYSFS_SET(set_enable_c02, place->state->machine->umwait_c02, value);
SYSFS_NUMBER(get_max_time, place->state->machine->umwait_max_time);

static int set_max_time(const struct sysfs_place *place, uint32_t value)
{
	if (value & UMWAIT_TIME_LOW_BITS)
		return -EINVAL;
	place->state->machine->umwait_max_time = value;
	return 0;
}

/* TPMI devices on the auxiliary bus, with their driver: one for each package, or for each partition
 * of it (hardware.md, section 4). */

SYSFS_HAS(has_tpmi_devices, place->platform->interface == SIM_INTERFACE_TPMI);

static bool find_tpmi_device(struct sysfs_place *place)
{
	const struct sim_platform *platform = place->platform;
	uint32_t n_before = 0;

	if (!has_tpmi_devices(place) || place->numbers[0] >= platform->n_domains)
		return false;
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i], *other = domain;
		bool is_first = true;

		while (other-- > domain - domain->index)
			is_first &= other->partition != domain->partition;
		if (is_first && n_before++ == place->numbers[0])
			return find_cpu_of_package(place, domain->package);
	}
	return false;
}

static const struct sysfs_attribute machine_attributes[] = {
	{ "isolated", .fixed = "" }, /* set by a boot parameter, which no platform has */
	{ "nohz_full", .fixed = "(null)" }, /* set by a boot parameter, too */
	{ "offline", .append = append_cpus, .argument = LIST_OFFLINE },
	{ "online", .append = append_cpus, .argument = LIST_ONLINE },
	{ "possible", .append = append_cpus, .argument = LIST_PRESENT },
	{ "present", .append = append_cpus, .argument = LIST_PRESENT },
	{ 0 },
};

static const struct sysfs_attribute topology_attributes[] = {
	{ "core_cpus_list", .append = append_cpus, .argument = LIST_CORE },
	{ "core_id", .number = get_core },
	{ "die_cpus_list", .append = append_cpus, .argument = LIST_DIE },
	{ "die_id", .number = get_die },
	{ "package_cpus_list", .append = append_cpus, .argument = LIST_PACKAGE },
	{ "physical_package_id", .number = get_package },
	{ "thread_siblings_list", .append = append_cpus, .argument = LIST_CORE },
	{ 0 },
};

static const struct sysfs_attribute idle_attributes[] = {
	{ "available_governors", .append = append_idle_governors },
	{ "current_driver", .text = get_idle_driver },
	{ "current_governor", .text = get_idle_governor, .store = store_idle_governor },
	{ "current_governor_ro", .text = get_idle_governor },
	{ SYSFS_READ_WRITE("intel_c1_demotion", c1_demotion, 1), .exists = has_c1_demotion },
	{ 0 },
};

static const struct sysfs_attribute idle_state_attributes[] = {
	{ "above", .fixed = "0" },
	{ "below", .fixed = "0" },
	{ "default_status", .text = get_default_status },
	{ "desc", .text = get_desc },
	{ "disable", .number = get_disable, .set = set_disable },
	{ "latency", .number = get_latency },
	{ "name", .text = get_name },
	{ "rejected", .fixed = "0" },
	{ "residency", .number = get_residency },
	{ "time", .number = get_time },
	{ "usage", .number = get_usage },
	{ 0 },
};

SYSFS_HAS(is_hybrid, place->platform->is_hybrid);

const struct sysfs_directory sysfs_cpu[] = {
	{ "/proc",
	  SYSFS_FILES({ "cmdline", .fixed = "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1 ro quiet" },
		      { "cpuinfo", .append = append_cpuinfo }) },
	{ "/proc/sys/kernel/random", SYSFS_FILES({ "boot_id", .text = get_boot_id }) },
	{ SYSFS_CPUS, .attributes = machine_attributes },
	{ SYSFS_CPUS "/cpu#", .find = sysfs_find_cpu,
	  SYSFS_FILES({ SYSFS_READ_WRITE("online", online, 1), .exists = has_online_file }) },
	{ SYSFS_CPUS "/cpu#/topology", .find = sysfs_find_cpu, .exists = has_topology,
	  .attributes = topology_attributes },
	{ .path = NODES },
	{ NODES "/node#", .find = find_package,
	  SYSFS_FILES({ "cpulist", .append = append_cpus, .argument = LIST_PACKAGE }) },
	{ .path = PCI_DEVICES },
	{ PCI_DEVICES "/0000:##:00.0", .find = find_package,
	  SYSFS_FILES({ "local_cpulist", .append = append_cpus, .argument = LIST_PACKAGE },
		      { "numa_node", .number = get_node }) },
	{ TPMI_DEVICES, .exists = has_tpmi_devices },
	{ TPMI_DEVICES "/intel_vsec.tpmi-sst.#", .find = find_tpmi_device },
	{ TPMI_DEVICES "/intel_vsec.tpmi-sst.#/driver", .find = find_tpmi_device },
	{ TPMI_DEVICES "/intel_vsec.tpmi-sst.#/../..", .find = find_tpmi_device,
	  SYSFS_FILES({ "local_cpulist", .append = append_cpus, .argument = LIST_PACKAGE }) },
	{ SYSFS_CPUS "/smt", SYSFS_FILES({ "control", .text = get_smt }) },
	{ SYSFS_CPUS "/cpuidle", .exists = has_idle, .attributes = idle_attributes },
	{ SYSFS_CPUS "/cpu#/cpuidle", .find = sysfs_find_cpu, .exists = has_idle },
	{ SYSFS_CPUS "/cpu#/cpuidle/state#", .find = sysfs_find_cpu, .exists = has_idle_state,
	  .attributes = idle_state_attributes },
	{ SYSFS_CPUS "/cpu#/power", .find = sysfs_find_cpu,
	  SYSFS_FILES({ SYSFS_READ_WRITE("energy_perf_bias", epb, MAX_EPB), .exists = has_epb },
		      { "pm_qos_resume_latency_us", .append = append_resume_latency,
			.store = store_resume_latency }) },
	{ "/sys/devices/cpu_core", .exists = is_hybrid,
	  SYSFS_FILES({ "cpus", .append = append_cpus, .argument = LIST_PERFORMANCE }) },
	{ "/sys/devices/cpu_atom", .exists = is_hybrid,
	  SYSFS_FILES({ "cpus", .append = append_cpus, .argument = LIST_EFFICIENT }) },
	{ SYSFS_CPUS "/umwait_control", .exists = has_umwait,
	  SYSFS_FILES({ SYSFS_READ_WRITE("enable_c02", enable_c02, 1) },
		      { "max_time", .number = get_max_time, .set = set_max_time }) },
	{ 0 },
};

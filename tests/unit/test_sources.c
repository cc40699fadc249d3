// SPDX-License-Identifier: GPL-2.0-only
/* The sources of a measurement on a machine of files and counters in memory: what each figure is
 * made of, and what becomes of it when its file is absent, unreadable or garbled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "fake_topology.h"
#include "host/machine.h"
#include "host/run_directory.h"
#include "host/workload.h"
#include "measure/figure.h"
#include "measure/sources.h"

#define SECOND   UINT64_C(1000000000)
#define MAX_OPEN 128
#define LOST_J   0x1p18
#define CPU      "/sys/devices/system/cpu/cpu%d/"
#define CPU0     "/sys/devices/system/cpu/cpu0/"
#define PMUS     "/sys/bus/event_source/devices/"
#define ZONES    "/sys/class/powercap/"
#define HEAT     "/sys/class/hwmon/"
#define UNCORE   "/sys/devices/system/cpu/intel_uncore_frequency/"
#define PLR      "/sys/kernel/debug/tpmi-0000:00:03.1/plr/"

enum { TYPE_MSR = 10, TYPE_POWER = 20, TYPE_CORE = 30, TYPE_PACKAGE = 31, TYPE_CPU = 4 };

struct opened {
	struct perf_event_attr attr;
	int cpu, group;
	uint32_t by; /* the CPU that opened it, as run_on() has it; CPUSET_NONE: any */
	bool is_closed;
};

/* Two packages of two cores with two threads: 0-3 and 4-7, cores {0,2} {1,3} {4,6} {5,7}. */
struct bench {
	struct fake_files files;
	struct perf perf;
	struct workload workload;
	struct host host;
	struct machine machine;
	struct cpuset cpus, isolated;
	uint64_t now_ns;
	uint32_t on; /* the CPU of the present run_on() */
	struct opened list[MAX_OPEN];
	int n_open, most_open, refusal;
	bool counts_nothing;
	uint64_t lost_at_ns; /* from then on the counts of power lack LOST_J; 0: never */
};

static struct bench *bench_of_perf(struct perf *perf)
{
	return (struct bench *)(void *)((char *)perf - offsetof(struct bench, perf));
}

static struct bench *bench_of_workload(struct workload *workload)
{
	return (struct bench *)(void *)((char *)workload - offsetof(struct bench, workload));
}

static int fake_open(struct perf *perf, const struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	struct bench *bench = bench_of_perf(perf);

	assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
	assert_int_equal(pid, -1);
	assert_true(group < 0 || bench->list[group].cpu == cpu);
	if (bench->refusal)
		return bench->refusal;
	if (bench->n_open >= bench->most_open)
		return -EMFILE;
	bench->list[bench->n_open] =
		(struct opened){ .attr = *attr, .cpu = cpu, .group = group, .by = bench->on };
	return bench->n_open++;
}

/* How much an event counts in a second. */
static double rate_of(const struct opened *event)
{
	static const double msr[] = { 2600e6, 1500e6, 1300e6, 0, 1 };

	switch (event->attr.type) {
	case TYPE_MSR:
		return msr[event->attr.config];
	case TYPE_POWER: /* on other CPUs than those of the mask it counts nothing */
		if (event->cpu != 0 && event->cpu != 4)
			return 0;
		return (event->attr.config == 2 ? 140.5 : 11.25) * 0x1p32;
	case TYPE_CORE:
		return 650e6;
	case TYPE_PACKAGE:
		return 260e6;
	default:
		return event->attr.config == 0x10ec ? 150e6 : 300e6;
	}
}

static ssize_t fake_read(struct perf *perf, int handle, void *buffer, size_t size)
{
	struct bench *bench = bench_of_perf(perf);
	uint64_t words[11] = { 0, bench->now_ns, bench->now_ns };

	assert_in_range(handle, 0, bench->n_open - 1);
	assert_int_equal(bench->list[handle].group, -1);
	assert_int_equal(bench->list[handle].by, bench->on);
	for (int i = handle; i < bench->n_open; i++) {
		if (i != handle && bench->list[i].group != handle)
			continue;
		words[3 + words[0]] = bench->counts_nothing
					      ? 0
					      : (uint64_t)(rate_of(&bench->list[i]) *
							   (double)bench->now_ns / 1e9);
		if (bench->list[i].attr.type == TYPE_POWER && bench->lost_at_ns &&
		    bench->now_ns >= bench->lost_at_ns)
			words[3 + words[0]] -= (uint64_t)(LOST_J * 0x1p32);
		words[0]++;
	}
	assert_int_equal(size, (3 + words[0]) * sizeof(*words));
	memcpy(buffer, words, size);
	return (ssize_t)size;
}

static void fake_close(struct perf *perf, int handle)
{
	struct bench *bench = bench_of_perf(perf);

	assert_in_range(handle, 0, bench->n_open - 1);
	assert_false(bench->list[handle].is_closed);
	assert_int_equal(bench->list[handle].by, bench->on);
	bench->list[handle].is_closed = true;
}

static uint64_t fake_now(struct workload *workload)
{
	return bench_of_workload(workload)->now_ns;
}

static int fake_run_on(struct workload *workload, uint32_t cpu, void (*function)(void *data),
		       void *data)
{
	struct bench *bench = bench_of_workload(workload);

	bench->on = cpu;
	function(data);
	bench->on = CPUSET_NONE;
	return 0;
}

static const struct perf_ops perf_ops = {
	.open = fake_open,
	.read = fake_read,
	.close = fake_close,
};

static const struct workload_ops workload_ops = {
	.now_ns = fake_now,
	.run_on = fake_run_on,
};

static void add_pmu(struct fake_files *files, const char *name, int type, const char *format)
{
	char number[16];

	snprintf(number, sizeof(number), "%d\n", type);
	fake_files_set(files, number, PMUS "%s/type", name);
	fake_files_set(files, format, PMUS "%s/format/event", name);
}

static void add_event(struct fake_files *files, const char *pmu, const char *name, int config)
{
	char text[32];

	snprintf(text, sizeof(text), "event=0x%02x\n", (unsigned int)config);
	fake_files_set(files, text, PMUS "%s/events/%s", pmu, name);
}

static void add_pmus(struct fake_files *files)
{
	static const char *const msr[] = { "tsc", "aperf", "mperf", NULL, "smi" };

	add_pmu(files, "msr", TYPE_MSR, "config:0-63\n");
	for (int i = 0; i < 5; i++) {
		if (msr[i])
			add_event(files, "msr", msr[i], i);
	}
	add_pmu(files, "power", TYPE_POWER, "config:0-7\n");
	add_event(files, "power", "energy-pkg", 2);
	add_event(files, "power", "energy-ram", 3);
	fake_files_set(files, "2.3283064365386962890625e-10\n",
		       PMUS "power/events/energy-pkg.scale");
	fake_files_set(files, "2.3283064365386962890625e-10\n",
		       PMUS "power/events/energy-ram.scale");
	fake_files_set(files, "Joules\n", PMUS "power/events/energy-pkg.unit");
	fake_files_set(files, "0,4\n", PMUS "power/cpumask");
	add_pmu(files, "cstate_core", TYPE_CORE, "config:0-63\n");
	add_event(files, "cstate_core", "c6-residency", 2);
	fake_files_set(files, "0-1,4-5\n", PMUS "cstate_core/cpumask");
	add_pmu(files, "cstate_pkg", TYPE_PACKAGE, "config:0-63\n");
	add_event(files, "cstate_pkg", "c6-residency", 2);
	fake_files_set(files, "0,4\n", PMUS "cstate_pkg/cpumask");
	add_pmu(files, "cpu", TYPE_CPU, "config:0-7\n");
	fake_files_set(files, "config:8-15\n", PMUS "cpu/format/umask");
	fake_files_set(files, "2\n", "/proc/sys/kernel/perf_event_paranoid");
}

static void add_cpu(struct fake_files *files, int cpu)
{
	static const char *const siblings[] = { "0,2\n", "1,3\n", "0,2\n", "1,3\n",
						"4,6\n", "5,7\n", "4,6\n", "5,7\n" };
	static const char *const idle[] = { "POLL", "C1", "C6" };
	static const char *const counts[] = { "usage", "time", "above", "below", "rejected" };

	fake_files_set(files, siblings[cpu], CPU "topology/thread_siblings_list", cpu);
	for (int i = 0; i < 3; i++) {
		fake_files_set(files, idle[i], CPU "cpuidle/state%d/name", cpu, i);
		for (int j = 0; j < 5; j++)
			fake_files_set(files, "1000\n", CPU "cpuidle/state%d/%s", cpu, i,
				       counts[j]);
	}
	fake_files_set(files, "7\n", CPU "thermal_throttle/core_throttle_count", cpu);
	fake_files_set(files, "70\n", CPU "thermal_throttle/core_throttle_total_time_ms", cpu);
	fake_files_set(files, "3\n", CPU "thermal_throttle/package_throttle_count", cpu);
	fake_files_set(files, "30\n", CPU "thermal_throttle/package_throttle_total_time_ms", cpu);
}

static void add_zone(struct fake_files *files, const char *zone, const char *name, const char *uj)
{
	fake_files_set(files, name, ZONES "%s/name", zone);
	fake_files_set(files, uj, ZONES "%s/energy_uj", zone);
	fake_files_set(files, "999999\n", ZONES "%s/max_energy_range_uj", zone);
}

/* The numbers of zones and sensors are not those of packages. */
static void add_packages(struct fake_files *files)
{
	add_zone(files, "intel-rapl:0", "psys\n", "1\n");
	add_zone(files, "intel-rapl:1", "package-1\n", "900000\n");
	add_zone(files, "intel-rapl:1:0", "core\n", "1\n");
	add_zone(files, "intel-rapl:1:1", "dram\n", "5000\n");
	add_zone(files, "intel-rapl:2", "package-0\n", "100000\n");
	add_zone(files, "intel-rapl-mmio:0", "package-0\n", "100000\n");
	fake_files_set(files, "nvme\n", HEAT "hwmon0/name");
	fake_files_set(files, "coretemp\n", HEAT "hwmon1/name");
	fake_files_set(files, "Package id 1\n", HEAT "hwmon1/temp1_label");
	fake_files_set(files, "71000\n", HEAT "hwmon1/temp1_input");
	fake_files_set(files, "coretemp\n", HEAT "hwmon2/name");
	fake_files_set(files, "Package id 0\n", HEAT "hwmon2/temp1_label");
	fake_files_set(files, "45500\n", HEAT "hwmon2/temp1_input");
	for (int i = 0; i < 2; i++) {
		fake_files_set(files, "800000\n", UNCORE "package_0%d_die_00/min_freq_khz", i);
		fake_files_set(files, "2400000\n", UNCORE "package_0%d_die_00/max_freq_khz", i);
		fake_files_set(files, i ? "1800000\n" : "2100000\n",
			       UNCORE "package_0%d_die_00/current_freq_khz", i);
	}
	fake_files_set(files, "cpus: POWER\ncpu0: none\ncpu2: none\n", PLR "domain0/status");
}

static int setup(void **state)
{
	static struct bench bench;
	const struct fake_topology topology = {
		.present = "0-7",
		.online = "0-7",
		.possible = "0-7",
		.dies = { { "0-3", 0, 0 }, { "4-7", 1, 0 } },
	};

	bench = (struct bench){ .now_ns = SECOND, .on = CPUSET_NONE, .most_open = MAX_OPEN };
	bench.perf.ops = &perf_ops;
	bench.workload.ops = &workload_ops;
	fake_files_init(&bench.files);
	fake_topology_add(&bench.files, &topology);
	add_pmus(&bench.files);
	for (int cpu = 0; cpu < 8; cpu++)
		add_cpu(&bench.files, cpu);
	add_packages(&bench.files);
	bench.host = (struct host){
		.files = &bench.files.files,
		.perf = &bench.perf,
		.workload = &bench.workload,
	};
	bench.machine.host = &bench.host;
	assert_int_equal(topology_read(&bench.files.files, &bench.machine.topology), 0);
	assert_int_equal(cpuset_add_range(&bench.cpus, 0, 7), 0);
	*state = &bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	for (int i = 0; i < bench->n_open; i++)
		assert_true(bench->list[i].is_closed);
	topology_done(&bench->machine.topology);
	cpuset_done(&bench->cpus);
	cpuset_done(&bench->isolated);
	fake_files_done(&bench->files);
	return 0;
}

/* Measures a second; what "later" changes in between is up to the caller's files. */
static json_t *measure(struct bench *bench, void (*later)(struct fake_files *files))
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	const struct sources_options options = {
		.machine = &bench->machine,
		.cpus = &bench->cpus,
		.isolated = &bench->isolated,
		.with_details = true,
		.with_limits = true,
	};
	json_t *window;

	assert_int_equal(sources_open(&options, &sources), 0);
	assert_int_equal(sources_read(sources, &before), 0);
	bench->now_ns += SECOND;
	if (later)
		later(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_compare(sources, before, after);
	assert_non_null(window);
	return window;
}

static const json_t *cpu_of(const json_t *window, size_t at)
{
	return json_array_get(json_object_get(window, "cpus"), at);
}

static const json_t *package_of(const json_t *window, size_t at)
{
	return json_array_get(json_object_get(window, "packages"), at);
}

static void check(const json_t *object, const char *name, double expected)
{
	double value;

	if (figure_get(object, name, &value))
		fail_msg("%s is missing: %s", name, figure_reason(object, name));
	if (fabs(value - expected) > 0.002)
		fail_msg("%s is %f, not %f", name, value, expected);
}

static void check_lack(const json_t *object, const char *name, const char *reason)
{
	if (!json_is_null(json_object_get(object, name)))
		fail_msg("%s is not missing", name);
	assert_string_equal(figure_reason(object, name), reason);
}

static void pass_second(struct fake_files *files)
{
	fake_files_set(files, "51000\n", CPU "cpuidle/state1/time", 0);
	fake_files_set(files, "1005\n", CPU "cpuidle/state1/usage", 0);
	fake_files_set(files, "401000\n", CPU "cpuidle/state2/time", 0);
	fake_files_set(files, "1003\n", CPU "cpuidle/state2/rejected", 0);
	fake_files_set(files, "9\n", CPU "thermal_throttle/core_throttle_count", 0);
	fake_files_set(files, "85\n", CPU "thermal_throttle/core_throttle_total_time_ms", 0);
	fake_files_set(files, "33\n", CPU "thermal_throttle/package_throttle_total_time_ms", 4);
	fake_files_set(files, "cpus: POWER FREQUENCY\ncpu0: POWER_PKG_PL1\ncpu2: none\n",
		       PLR "domain0/status");
}

static void test_all(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = measure(bench, pass_second);
	const json_t *cpu = cpu_of(window, 0), *idle, *package = package_of(window, 0);

	check(window, "tsc-mhz", 2600);
	assert_int_equal(json_array_size(json_object_get(window, "cpus")), 8);
	check(cpu, "busy-percent", 50);
	check(cpu, "mhz", 3000);
	check(cpu, "smi-count", 1);
	check(cpu, "core-c6-percent", 25);
	check(cpu_of(window, 3), "core-c6-percent", 25);
	check(cpu, "throttle-count", 2);
	check(cpu, "throttle-ms", 15);
	check(cpu_of(window, 1), "throttle-ms", 0);
	assert_string_equal(json_string_value(json_object_get(cpu, "top-idle-state")), "C6");
	assert_string_equal(json_string_value(json_object_get(cpu, "mhz-source")),
			    "PMU msr: tsc x aperf/mperf");
	idle = json_array_get(json_object_get(cpu, "idle-states"), 1);
	check(idle, "time-percent", 5);
	check(idle, "entered", 5);
	check(json_array_get(json_object_get(cpu, "idle-states"), 2), "rejected", 3);
	check(package, "watts", 140.5);
	check(package, "joules", 140.5);
	check(package, "dram-watts", 11.25);
	check(package, "package-c6-percent", 10);
	check(package, "degrees-celsius", 45.5);
	check(package_of(window, 1), "degrees-celsius", 71);
	check(package_of(window, 1), "throttle-ms", 3);
	check(json_array_get(json_object_get(package_of(window, 1), "uncore"), 0), "mhz", 1800);
	assert_null(json_object_get(cpu, "c01-percent")); /* no umwait */
}

/* What appeared during the window, and what was set before, which somebody has to clear. */
static void test_limits(void **state)
{
	_cleanup_json_ json_t *window = measure(*state, pass_second);
	_cleanup_json_ json_t *new_ones = json_pack("[s]", "FREQUENCY"),
			      *old_ones = json_pack("[s]", "POWER"),
			      *of_cpu = json_pack("[s]", "POWER_PKG_PL1"), *none = json_array();
	const json_t *package = package_of(window, 0), *cpu = cpu_of(window, 0);

	assert_true(json_equal(json_object_get(package, "limits"), new_ones));
	assert_true(json_equal(json_object_get(package, "limits-earlier"), old_ones));
	assert_true(json_equal(json_object_get(cpu, "limits"), of_cpu));
	assert_true(json_equal(json_object_get(cpu_of(window, 2), "limits"), none));
}

static void test_attributes(void **state)
{
	struct bench *bench = *state;
	_cleanup_json_ json_t *window = measure(bench, NULL);
	struct perf_event_attr expected = {
		.size = sizeof(expected),
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int n_leaders = 0;

	assert_non_null(window);
	for (int i = 0; i < bench->n_open; i++) {
		const struct opened *event = &bench->list[i];

		expected.type = event->attr.type;
		expected.config = event->attr.config;
		assert_memory_equal(&event->attr, &expected, sizeof(expected));
		n_leaders += event->group < 0;
		if (event->attr.type == TYPE_MSR && event->group < 0)
			assert_int_equal(event->attr.config, 0); /* tsc leads */
		if (event->attr.type == TYPE_POWER)
			assert_true(event->cpu == 0 || event->cpu == 4);
	}
	/* of each CPU; of 4 cores; of 2 packages, idle states and power */
	assert_int_equal(n_leaders, 8 + 4 + 2 + 2);
}

static void test_user_idle(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	fake_files_set(&bench->files, "1\n", "/sys/devices/system/cpu/umwait_control/enable_c02");
	window = measure(bench, NULL);
	check(cpu_of(window, 5), "c01-percent", 10);
	check(cpu_of(window, 5), "c02-percent", 20);
	json_decref(window);
}

static void wrap_zones(struct fake_files *files)
{
	fake_files_set(files, "399999\n", ZONES "intel-rapl:1/energy_uj");
	fake_files_set(files, "25000\n", ZONES "intel-rapl:1:1/energy_uj");
	fake_files_set(files, "350000\n", ZONES "intel-rapl:2/energy_uj");
}

/* Without the PMU; the second control type counts the same again. */
static void test_powercap(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	fake_files_remove(&bench->files, PMUS "power");
	window = measure(bench, wrap_zones);
	check(package_of(window, 0), "watts", 0.25);
	check(package_of(window, 1), "watts", 0.5); /* 399999 - 900000 + 1000000 */
	check(package_of(window, 1), "dram-watts", 0.02);
	assert_null(json_object_get(package_of(window, 0), "dram-watts"));
	json_decref(window);
	/* the PMU's events are open, and rest */
	window = measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move");
	json_decref(window);
	fake_files_remove(&bench->files, ZONES "intel-rapl:");
	window = measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move"); /* of -mmio */
	check_lack(package_of(window, 1), "watts",
		   "/sys/class/powercap has no zone of the package");
	json_decref(window);
}

/* A counter that wraps more than once between the borders is kept up with. */
static void test_keep_up(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	const struct sources_options options = {
		.machine = &bench->machine,
		.cpus = &bench->cpus,
		.isolated = &bench->isolated,
	};
	json_t *window;

	fake_files_remove(&bench->files, PMUS "power");
	assert_int_equal(sources_open(&options, &sources), 0);
	assert_int_equal(sources_read(sources, &before), 0);
	for (int i = 0; i < 4000; i++) {
		fake_files_set(&bench->files, "900000\n", ZONES "intel-rapl:2/energy_uj");
		sources_keep_up(sources);
		fake_files_set(&bench->files, "100000\n", ZONES "intel-rapl:2/energy_uj");
		sources_keep_up(sources);
	}
	bench->now_ns += SECOND;
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_compare(sources, before, after);
	check(package_of(window, 0), "joules", 4000);
	json_decref(window);
}

static void move_zone(struct fake_files *files)
{
	fake_files_set(files, "350000\n", ZONES "intel-rapl:2/energy_uj");
}

/* A kernel that loses what the hardware's counter had when that went on at 0: powercap has it. */
static void test_lost_power(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->lost_at_ns = bench->now_ns + SECOND;
	window = measure(bench, move_zone);
	check(package_of(window, 0), "watts", 0.25);
	assert_string_equal(
		json_string_value(json_object_get(package_of(window, 0), "watts-source")),
		"powercap");
	json_decref(window);
	/* before the first reading it does not matter */
	window = measure(bench, NULL);
	check(package_of(window, 0), "watts", 140.5);
	json_decref(window);
	bench->lost_at_ns = bench->now_ns + SECOND;
	fake_files_fail(&bench->files, ZONES "intel-rapl:2/energy_uj", -EACCES);
	window = measure(bench, move_zone);
	check_lack(package_of(window, 0), "watts",
		   "the count of PMU power went back: the kernel does not follow a counter that "
		   "goes on at 0");
	json_decref(window);
}

/* The same between the borders of a long time, after which the count is higher again. */
static void test_lost_power_later(void **state)
{
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	struct bench *bench = *state;
	const struct sources_options options = {
		.machine = &bench->machine,
		.cpus = &bench->cpus,
		.isolated = &bench->isolated,
	};
	_cleanup_json_ json_t *window = NULL;

	assert_int_equal(sources_open(&options, &sources), 0);
	assert_int_equal(sources_read(sources, &before), 0);
	bench->lost_at_ns = bench->now_ns + SECOND;
	bench->now_ns += SECOND;
	sources_keep_up(sources);
	bench->now_ns += 3600 * SECOND;
	move_zone(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	window = sources_compare(sources, before, after);
	check(package_of(window, 0), "joules", 0.25);
}

static void test_still(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->counts_nothing = true;
	window = measure(bench, NULL);
	check_lack(package_of(window, 0), "watts", "counter does not move");
	check_lack(cpu_of(window, 0), "busy-percent", "PMU msr: tsc does not move");
	check_lack(cpu_of(window, 0), "mhz", "the CPU was idle all the time");
	json_decref(window);
}

static void test_rights(void **state)
{
	static const char *const texts[] = {
		"perf_event_paranoid is 3: counters of a CPU need CAP_PERFMON, or sysctl "
		"kernel.perf_event_paranoid=0",
		"perf_event_open is refused, although perf_event_paranoid is -1: lockdown or a "
		"container",
	};
	struct bench *bench = *state;

	bench->refusal = -EACCES;
	for (int i = 0; i < 2; i++) {
		_cleanup_json_ json_t *window = NULL;

		assert_non_null(
			fake_files_text(&bench->files, "/proc/sys/kernel/perf_event_paranoid"));
		fake_files_set(&bench->files, i ? "-1\n" : "3\n",
			       "/proc/sys/kernel/perf_event_paranoid");
		window = measure(bench, pass_second);
		check_lack(cpu_of(window, 0), "mhz", texts[i]);
		check_lack(cpu_of(window, 7), "busy-percent", texts[i]);
		assert_non_null(json_object_get(cpu_of(window, 0), "idle-states-source"));
	}
}

/* The first CPUs are measured. */
static void test_limit_of_files(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	bench->most_open = 6 + 5 + 5; /* of the packages, and of two CPUs with their cores */
	window = measure(bench, NULL);
	check(cpu_of(window, 0), "mhz", 3000);
	check(cpu_of(window, 1), "mhz", 3000);
	check_lack(cpu_of(window, 2), "mhz",
		   "more files would have to be open than the limit allows: raise it (ulimit -Hn)");
	json_decref(window);
}

/* Isolated CPUs are measured by themselves (fake_read() checks that), and nothing of theirs is
 * asked from elsewhere; the others of the machine are measured from anywhere. */
static void test_isolated(void **state)
{
	struct bench *bench = *state;
	json_t *window;

	assert_int_equal(cpuset_add_range(&bench->isolated, 4, 5), 0);
	cpuset_done(&bench->cpus);
	assert_int_equal(cpuset_add(&bench->cpus, 0), 0);
	assert_int_equal(cpuset_add(&bench->cpus, 5), 0);
	window = measure(bench, NULL);
	check(cpu_of(window, 1), "mhz", 3000);
	check(cpu_of(window, 1), "core-c6-percent", 25);
	assert_true(json_is_true(json_object_get(cpu_of(window, 1), "isolated")));
	assert_null(json_object_get(cpu_of(window, 0), "isolated"));
	check(package_of(window, 0), "watts", 140.5);
	check_lack(package_of(window, 1), "watts",
		   "PMU power counts on CPU 4, which is isolated and not in --cpu");
	check_lack(package_of(window, 1), "degrees-celsius",
		   "CPU 4, which is isolated, would be asked");
	check_lack(package_of(window, 0), "uncore", "CPU 4, which is isolated, would be asked");
	for (int i = 0; i < bench->n_open; i++)
		assert_int_equal(bench->list[i].by, bench->list[i].cpu == 5 ? 5U : CPUSET_NONE);
	json_decref(window);
}

/* Each file in turn: absent, for root only, garbled. What hangs on it is missing, with a reason
 * that names it, and the other figures stay. */
static void test_damaged(void **state)
{
	static const struct {
		const char *path, *object, *figure, *absent, *denied, *garbled;
	} rows[] = {
		{ PMUS "msr/type", "cpus", "mhz", "the kernel has no PMU msr", "root only",
		  "msr is garbled" },
		{ PMUS "msr/events/tsc", "cpus", "busy-percent", "PMU msr has no event tsc",
		  "root only", "msr is garbled" },
		{ PMUS "msr/events/aperf", "cpus", "mhz", "PMU msr has no event aperf", "root only",
		  "msr is garbled" },
		{ PMUS "msr/events/mperf", "cpus", "busy-percent", "PMU msr has no event mperf",
		  "root only", "msr is garbled" },
		{ PMUS "msr/events/smi", "cpus", "smi-count", "PMU msr has no event smi",
		  "root only", "msr is garbled" },
		{ PMUS "msr/format/event", "cpus", "mhz", "msr is garbled", "root only",
		  "msr is garbled" },
		{ PMUS "cstate_core/type", "cpus", "core-idle-percent",
		  "the kernel has no PMU cstate_core", "root only", "is garbled" },
		{ PMUS "cstate_core/cpumask", "cpus", "core-idle-percent", NULL, NULL,
		  "cstate_core/cpumask is garbled" },
		{ PMUS "cstate_pkg/type", "packages", "package-idle-percent",
		  "the kernel has no PMU cstate_pkg", "root only", "is garbled" },
		{ CPU0 "cpuidle/state0/name", "cpus", "idle-states",
		  "the kernel has no idle states", "root only", NULL },
		{ CPU0 "thermal_throttle/core_throttle_count", "cpus", "throttle-count",
		  "the kernel has no thermal_throttle", "root only", "is garbled" },
		{ CPU0 "thermal_throttle/core_throttle_total_time_ms", "cpus", "throttle-ms",
		  "the kernel has no thermal_throttle", "root only", "is garbled" },
		{ CPU0 "thermal_throttle/package_throttle_count", "packages", "throttle-count",
		  "the kernel has no thermal_throttle", "root only", "is garbled" },
		{ HEAT "hwmon2/name", "packages", "degrees-celsius", "no sensor coretemp",
		  "no sensor coretemp", "no sensor coretemp" },
		{ HEAT "hwmon2/temp1_label", "packages", "degrees-celsius", "no sensor coretemp",
		  "no sensor coretemp", "no sensor coretemp" },
		{ HEAT "hwmon2/temp1_input", "packages", "degrees-celsius", "the kernel has no",
		  "root only", "is garbled" },
		{ ZONES "intel-rapl:2/name", "packages", "watts", "no zone of the package",
		  "no zone of the package", "no zone of the package" },
		{ ZONES "intel-rapl:2/energy_uj", "packages", "watts",
		  "the kernel has no /sys/class/powercap/intel-rapl:2/energy_uj", "root only",
		  "energy_uj is garbled" },
		{ ZONES "intel-rapl:2/max_energy_range_uj", "packages", "joules",
		  "the kernel has no", "root only", "is garbled" },
		{ UNCORE "package_00_die_00/max_freq_khz", "packages", "uncore", NULL, NULL, NULL },
		{ PLR "domain0/status", "packages", "limits", NULL, "root only", NULL },
	};

	for (size_t i = 0; i < 3 * ARRAY_SIZE(rows); i++) {
		const char *reasons[] = { rows[i / 3].absent, rows[i / 3].denied,
					  rows[i / 3].garbled };
		const char *path = rows[i / 3].path, *found;
		_cleanup_json_ json_t *window = NULL;
		struct bench *bench = *state;
		const json_t *object;

		if (strncmp(path, ZONES, strlen(ZONES)) == 0)
			fake_files_remove(&bench->files, PMUS "power");
		assert_non_null(fake_files_text(&bench->files, path));
		if (i % 3 == 0)
			fake_files_remove(&bench->files, path);
		else if (i % 3 == 1)
			fake_files_fail(&bench->files, path, -EACCES);
		else
			fake_files_set(&bench->files, "\xff garbage ,\n", "%s", path);
		window = measure(bench, NULL);
		object = json_array_get(json_object_get(window, rows[i / 3].object), 0);
		found = figure_reason(object, rows[i / 3].figure);
		if (reasons[i % 3] && (!json_is_null(json_object_get(object, rows[i / 3].figure)) ||
				       !found || !strstr(found, reasons[i % 3])))
			fail_msg("%s, way %zu: %s: %s", path, i % 3, rows[i / 3].figure,
				 found ?: "(not missing)");
		check(window, "seconds", 1);
		teardown(state);
		setup(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_attributes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_user_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_powercap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_power, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_power_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_still, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rights, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limit_of_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_isolated, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

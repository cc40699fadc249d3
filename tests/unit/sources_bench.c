// SPDX-License-Identifier: GPL-2.0-only
/* The bench of the tests of sources: files in memory, and counters with fixed rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources_bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "fake_topology.h"
#include "figures.h"

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
	if (bench->answers_wrongly) {
		memset(buffer, 0, size);
		return bench->answer;
	}
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
	bench->now_ns += bench->pause_ns;
	bench->pause_ns = 0;
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

void sources_bench_add_pmu(struct fake_files *files, const char *name, int type, const char *format)
{
	char number[16];

	snprintf(number, sizeof(number), "%d\n", type);
	fake_files_set(files, number, PMUS "%s/type", name);
	fake_files_set(files, format, PMUS "%s/format/event", name);
}

void sources_bench_add_event(struct fake_files *files, const char *pmu, const char *name,
			     int config)
{
	char text[32];

	snprintf(text, sizeof(text), "event=0x%02x\n", (unsigned int)config);
	fake_files_set(files, text, PMUS "%s/events/%s", pmu, name);
}

static void add_pmus(struct fake_files *files)
{
	static const char *const msr[] = { "tsc", "aperf", "mperf", NULL, "smi" };

	sources_bench_add_pmu(files, "msr", TYPE_MSR, "config:0-63\n");
	for (int i = 0; i < 5; i++) {
		if (msr[i])
			sources_bench_add_event(files, "msr", msr[i], i);
	}
	sources_bench_add_pmu(files, "power", TYPE_POWER, "config:0-7\n");
	sources_bench_add_event(files, "power", "energy-pkg", 2);
	sources_bench_add_event(files, "power", "energy-ram", 3);
	fake_files_set(files, "2.3283064365386962890625e-10\n",
		       PMUS "power/events/energy-pkg.scale");
	fake_files_set(files, "2.3283064365386962890625e-10\n",
		       PMUS "power/events/energy-ram.scale");
	fake_files_set(files, "Joules\n", PMUS "power/events/energy-pkg.unit");
	fake_files_set(files, "0,4\n", PMUS "power/cpumask");
	sources_bench_add_pmu(files, "cstate_core", TYPE_CORE, "config:0-63\n");
	sources_bench_add_event(files, "cstate_core", "c6-residency", 2);
	fake_files_set(files, "0-1,4-5\n", PMUS "cstate_core/cpumask");
	sources_bench_add_pmu(files, "cstate_pkg", TYPE_PACKAGE, "config:0-63\n");
	sources_bench_add_event(files, "cstate_pkg", "c6-residency", 2);
	fake_files_set(files, "0,4\n", PMUS "cstate_pkg/cpumask");
	sources_bench_add_pmu(files, "cpu", TYPE_CPU, "config:0-7\n");
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

int sources_bench_setup(void **state)
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

int sources_bench_teardown(void **state)
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

json_t *sources_bench_compare(struct sources *sources, const struct sources_reading *before,
			      const struct sources_reading *after)
{
	_cleanup_run_window_ struct run_window window = { 0 };
	json_t *object;

	assert_int_equal(sources_compare(sources, before, after, &window), 0);
	object = json_write_fields(run_window_fields, &window);
	assert_non_null(object);
	return object;
}

json_t *sources_bench_measure(struct bench *bench, void (*later)(struct fake_files *files))
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

	assert_int_equal(sources_open(&options, &sources), 0);
	assert_int_equal(sources_read(sources, &before), 0);
	bench->now_ns += SECOND;
	if (later)
		later(&bench->files);
	assert_int_equal(sources_read(sources, &after), 0);
	return sources_bench_compare(sources, before, after);
}

const json_t *cpu_of(const json_t *window, size_t at)
{
	return json_array_get(json_object_get(window, "cpus"), at);
}

const json_t *package_of(const json_t *window, size_t at)
{
	return json_array_get(json_object_get(window, "packages"), at);
}

void check_figure(const json_t *object, const char *name, double expected)
{
	double value = 0;

	if (figure_get(object, name, &value))
		fail_msg("%s is missing: %s", name, figure_reason(object, name));
	if (fabs(value - expected) > 0.002)
		fail_msg("%s is %f, not %f", name, value, expected);
}

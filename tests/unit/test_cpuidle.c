// SPDX-License-Identifier: GPL-2.0-only
/* Idle states as the kernel shows them: their order, what old kernels lack, counts over a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/cpuidle.h"

#define CPU "/sys/devices/system/cpu/cpu2/"

static void set_state(struct fake_files *fake, unsigned int number, const char *name)
{
	fake_files_set(fake, name, CPU "cpuidle/state%u/name", number);
	fake_files_set(fake, "7\n", CPU "cpuidle/state%u/latency", number);
	fake_files_set(fake, "0\n", CPU "cpuidle/state%u/disable", number);
	fake_files_set(fake, "100\n", CPU "cpuidle/state%u/usage", number);
	fake_files_set(fake, "18446744073709551615\n", CPU "cpuidle/state%u/time", number);
}

static void test_missing(void **state)
{
	struct cpuidle_cpu cpu = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(cpuidle_read_cpu(&fake.files, 2, true, &cpu), -ENOENT);
	assert_null(cpu.states);
	set_state(&fake, 0, "POLL");
	set_state(&fake, 1, "C1");
	fake_files_remove(&fake, CPU "cpuidle/state1/name");
	assert_int_equal(cpuidle_read_names(&fake.files, 2, &cpu), -EINVAL);
	assert_null(cpu.states);
	fake_files_done(&fake);
}

static void test_order(void **state)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu cpu = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	for (unsigned int i = 0; i < 11; i++)
		set_state(&fake, i, i == 10 ? "C10\n" : "C1\n");
	fake_files_set(&fake, "n/a\n", CPU "power/pm_qos_resume_latency_us");
	assert_int_equal(cpuidle_read_cpu(&fake.files, 2, true, &cpu), 0);
	assert_int_equal(cpu.n_states, 11);
	assert_string_equal(cpu.states[10].name, "C10");
	assert_int_equal(cpu.states[2].number, 2);
	assert_int_equal(cpu.states[2].latency_us, 7);
	assert_true(cpu.states[2].time_us == UINT64_MAX);
	assert_null(cpu.states[2].default_status);
	assert_string_equal(cpu.resume_latency, "n/a");
	fake_files_done(&fake);
}

/* The usage of states is read only on request; otherwise files that are missing are not a failure.
 */
static void test_usage(void **state)
{
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	set_state(&fake, 0, "POLL\n");
	fake_files_set(&fake, "often\n", CPU "cpuidle/state0/usage");
	for (int with_usage = 0; with_usage < 2; with_usage++) {
		_cleanup_cpuidle_cpu_ struct cpuidle_cpu cpu = { 0 };
		size_t before = fake.n_reads;

		assert_int_equal(cpuidle_read_cpu(&fake.files, 2, with_usage, &cpu),
				 with_usage ? -EINVAL : 0);
		if (with_usage)
			continue;
		/* Six of the state, the name of a next one, and the latency. */
		assert_int_equal(fake.n_reads - before, 8);
		assert_int_equal(cpu.states[0].latency_us, 7);
		assert_int_equal(cpu.states[0].usage, 0);
		assert_int_equal(cpu.states[0].time_us, 0);
	}
	fake_files_done(&fake);
}

#define OTHER "/sys/devices/system/cpu/cpu3/"

/* Of a CPU that is like another only what differs is read; of one that has other states, all. */
static void test_like(void **state)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu like = { 0 };
	const struct cpuidle_choice choice = { .disable = "C6,C1" };
	const struct {
		struct cpuidle_reading reading;
		size_t n_reads;
		uint64_t disabled[3];
		uint64_t usage;
	} rows[] = {
		{ { .with_usage = false }, 4, { 0, 1, 1 }, 0 },
		{ { .with_usage = true }, 10, { 0, 1, 1 }, 5 },
		{ { .choice = &choice }, 2, { 0, 0, 1 }, 0 },
	};
	static const char *const names[] = { "C1", "C1E", "C6" };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	for (unsigned int i = 0; i < 3; i++) {
		set_state(&fake, i, names[i]);
		fake_files_set(&fake, i ? "1" : "0", OTHER "cpuidle/state%u/disable", i);
		fake_files_set(&fake, "5", OTHER "cpuidle/state%u/usage", i);
		fake_files_set(&fake, "6", OTHER "cpuidle/state%u/time", i);
	}
	fake_files_set(&fake, "9", OTHER "power/pm_qos_resume_latency_us");
	assert_int_equal(cpuidle_read_cpu(&fake.files, 2, false, &like), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_cpuidle_cpu_ struct cpuidle_cpu cpu = { 0 };
		size_t before = fake.n_reads;

		assert_int_equal(cpuidle_read_like(&fake.files, 3, &like, &rows[i].reading, &cpu),
				 0);
		assert_int_equal(fake.n_reads - before, rows[i].n_reads);
		assert_int_equal(cpu.n_states, 3);
		for (size_t j = 0; j < 3; j++) {
			assert_string_equal(cpu.states[j].name, names[j]);
			assert_int_equal(cpu.states[j].number, j);
			assert_int_equal(cpu.states[j].latency_us, 7);
			assert_int_equal(cpu.states[j].disabled, rows[i].disabled[j]);
			assert_int_equal(cpu.states[j].usage, rows[i].usage);
		}
		assert_true(!cpu.resume_latency == !!rows[i].reading.choice);
	}
	fake_files_remove(&fake, OTHER "cpuidle/state2/disable");
	fake_files_set(&fake, "OTHER", OTHER "cpuidle/state0/name");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_cpuidle_cpu_ struct cpuidle_cpu cpu = { 0 };

		assert_int_equal(cpuidle_read_like(&fake.files, 3, &like, &rows[i].reading, &cpu),
				 0);
		assert_int_equal(cpu.n_states, 1);
		assert_string_equal(cpu.states[0].name, "OTHER");
	}
	fake_files_done(&fake);
}

static void test_nonsense(void **state)
{
	struct cpuidle_cpu cpu = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	set_state(&fake, 0, "POLL\n");
	fake_files_remove(&fake, CPU "cpuidle/state0/latency");
	fake_files_set(&fake, "soon\n", CPU "cpuidle/state0/latency");
	assert_int_equal(cpuidle_read_cpu(&fake.files, 2, true, &cpu), -EINVAL);
	fake_files_fail(&fake, CPU "cpuidle/state0/latency", -EIO);
	assert_int_equal(cpuidle_read_cpu(&fake.files, 2, true, &cpu), -EIO);
	fake_files_done(&fake);
}

static struct cpuidle_state left_state = { .name = (char[]){ "C1" }, .usage = 10, .time_us = 50 };
static struct cpuidle_state right_state = { .name = (char[]){ "C1" }, .usage = 3, .time_us = 20 };

static void test_counts(void **state)
{
	struct cpuidle_state counted = left_state;
	struct cpuidle_cpu left = { .states = &counted, .n_states = 1 };
	struct cpuidle_cpu right = { .states = &right_state, .n_states = 1 };

	(void)state;
	assert_true(cpuidle_cpu_equal(&left, &right, false));
	assert_false(cpuidle_cpu_equal(&left, &right, true));
	cpuidle_subtract(&left, &right);
	assert_int_equal(counted.usage, 7);
	assert_int_equal(counted.time_us, 30);
	counted.disabled = 1;
	assert_false(cpuidle_cpu_equal(&left, &right, false));
	left.resume_latency = (char[]){ "10" };
	assert_false(cpuidle_cpu_equal(&left, &right, false));
}

static void test_uptime(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t us;
	} vectors[] = {
		{ "12.50 20.00\n", 0, 12500000 },
		{ "0.01 0.00\n", 0, 10000 },
		{ "\n", -EINVAL, 7 },
		{ "long\n", -EINVAL, 7 },
		{ "-1\n", -EINVAL, 7 },
		{ "nan\n", -EINVAL, 7 },
		{ "1e300\n", -EINVAL, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t us = 7;
		struct fake_files fake;

		fake_files_init(&fake);
		fake_files_set(&fake, vectors[i].text, "/proc/uptime");
		assert_int_equal(cpuidle_read_uptime(&fake.files, &us), vectors[i].err);
		assert_int_equal(us, vectors[i].us);
		fake_files_done(&fake);
	}
}

static void test_machine(void **state)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "menu\n", "/sys/devices/system/cpu/cpuidle/current_governor_ro");
	fake_files_set(&fake, "1\n", "/sys/devices/system/cpu/cpuidle/intel_c1_demotion");
	fake_files_set(&fake, "0\n", "/sys/devices/system/cpu/umwait_control/enable_c02");
	assert_int_equal(cpuidle_read_machine(&fake.files, &machine), 0);
	assert_string_equal(machine.governor, "menu");
	assert_string_equal(machine.c1_demotion, "1");
	assert_string_equal(machine.enable_c02, "0");
	assert_null(machine.driver);
	fake_files_done(&fake);
}

/* /dev/cpu_dma_latency has a number of 32 bits, in binary; nobody holds it with 2000 s and more. */
static void test_held_latency(void **state)
{
	static const struct {
		const char *text;
		int error;
		uint32_t us;
	} vectors[] = {
		{ "\x04\x03\x02\x01", 0, 0x01020304 }, { "\x77\x77\x77\x77", -ENODATA, 0 },
		{ "\xff\xff\xff\xff", -EINVAL, 0 },    { "100", -EINVAL, 0 },
		{ "0x00000064", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct fake_files fake;
		uint32_t us = 0;

		print_message("row %zu\n", i);
		fake_files_init(&fake);
		assert_int_equal(cpuidle_read_held_latency(&fake.files, &us), -ENOENT);
		fake_files_set(&fake, vectors[i].text, "/dev/cpu_dma_latency");
		assert_int_equal(cpuidle_read_held_latency(&fake.files, &us), vectors[i].error);
		assert_int_equal(us, vectors[i].us);
		fake_files_done(&fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),      cmocka_unit_test(test_order),
		cmocka_unit_test(test_usage),        cmocka_unit_test(test_like),
		cmocka_unit_test(test_nonsense),     cmocka_unit_test(test_counts),
		cmocka_unit_test(test_uptime),       cmocka_unit_test(test_machine),
		cmocka_unit_test(test_held_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Policies as kernels of several vendors show them, with files missing, in use, or nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/cpufreq.h"

#define CPU  "/sys/devices/system/cpu/cpu3/"
#define ROOT "/sys/devices/system/cpu/"

static const struct cpufreq_reading whole = { .with_current = true };

static void make_amd(struct fake_files *fake)
{
	fake_files_init(fake);
	fake_files_set(fake, "amd-pstate-epp\n", CPU "cpufreq/scaling_driver");
	fake_files_set(fake, "powersave\n", CPU "cpufreq/scaling_governor");
	fake_files_set(fake, "performance powersave \n", CPU "cpufreq/scaling_available_governors");
	fake_files_set(fake, "400000\n", CPU "cpufreq/scaling_min_freq");
	fake_files_set(fake, "3700750\n", CPU "cpufreq/scaling_max_freq");
	fake_files_set(fake, "2400\n", CPU "acpi_cppc/nominal_freq");
	fake_files_set(fake, "3 7 11\n", CPU "cpufreq/related_cpus");
}

static void test_other_vendor(void **state)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	struct fake_files fake;

	(void)state;
	make_amd(&fake);
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), 0);
	assert_string_equal(policy.driver, "amd-pstate-epp");
	assert_string_equal(policy.governors, "performance powersave");
	assert_int_equal(policy.min_khz, 400000);
	assert_int_equal(policy.max_khz, 3700750);
	assert_int_equal(policy.lowest_khz, 0);
	assert_int_equal(policy.base_khz, 2400000);
	assert_null(policy.epp);
	assert_null(policy.epb);
	assert_int_equal(cpuset_count(&policy.cpus), 3);
	assert_true(cpuset_has(&policy.cpus, 11));
	fake_files_done(&fake);
}

/* A set for each of a thousand CPUs would take much memory: one for a CPU alone is empty. */
static void test_sharing(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} vectors[] = {
		{ "3\n", 0 }, { "3 \n", 0 }, { "4\n", 1 }, { "3 4\n", 2 }, { "2 3\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
		struct fake_files fake;

		fake_files_init(&fake);
		fake_files_set(&fake, "800000\n", CPU "cpufreq/scaling_min_freq");
		fake_files_set(&fake, vectors[i].text, CPU "cpufreq/related_cpus");
		assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), 0);
		assert_int_equal(cpuset_count(&policy.cpus), vectors[i].count);
		fake_files_done(&fake);
	}
}

static void test_failures(void **state)
{
	static const struct {
		const char *path;
		const char *text; /* NULL: reading gives err */
		int err;
		int expected;
		const char *unread; /* the file that is named as unread; NULL: none */
	} vectors[] = {
		{ CPU "cpufreq/scaling_driver", NULL, -EBUSY, -EBUSY, NULL },
		{ CPU "cpufreq/scaling_max_freq", NULL, -EBUSY, -EBUSY, NULL },
		{ CPU "cpufreq/scaling_max_freq", "fast\n", 0, -EINVAL, "scaling_max_freq" },
		{ CPU "cpufreq/scaling_max_freq", "4294967296\n", 0, -EINVAL, "scaling_max_freq" },
		{ CPU "acpi_cppc/nominal_freq", "4294968\n", 0, -EINVAL, "nominal_freq" },
		{ CPU "cpufreq/related_cpus", "99999999\n", 0, -EINVAL, NULL },
		{ CPU "cpufreq/scaling_cur_freq", NULL, -EIO, 0, "scaling_cur_freq" },
		{ CPU "power/energy_perf_bias", NULL, -EACCES, 0, "energy_perf_bias" },
		{ CPU "power/energy_perf_bias", NULL, -ENODEV, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
		_cleanup_free_ char *unread = NULL;
		struct fake_files fake;

		make_amd(&fake);
		fake_files_remove(&fake, vectors[i].path);
		if (vectors[i].text)
			fake_files_set(&fake, vectors[i].text, "%s", vectors[i].path);
		else
			fake_files_fail(&fake, vectors[i].path, vectors[i].err);
		assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy),
				 vectors[i].expected);
		assert_int_equal(!policy.driver, vectors[i].expected != 0);
		unread = files_format_unread(&cpufreq_policy_files, &policy.unread,
					     vectors[i].expected ?: vectors[i].err);
		assert_string_equal(unread ?: "", vectors[i].unread ?: "");
		assert_int_equal(files_next_unread(&policy.unread, 0),
				 !unread ? 0 : vectors[i].expected ?: vectors[i].err);
		fake_files_done(&fake);
	}
}

/* Files that cannot be read for several reasons, and what is left of them after a failure. */
static void test_unread(void **state)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy policy = { 0 };
	_cleanup_free_ char *refused = NULL, *broken = NULL, *failed = NULL;
	struct fake_files fake;

	(void)state;
	make_amd(&fake);
	fake_files_fail(&fake, CPU "cpufreq/scaling_available_governors", -EACCES);
	fake_files_fail(&fake, CPU "cpufreq/scaling_driver", -EIO);
	fake_files_fail(&fake, CPU CPUFREQ_EPB, -EIO);
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), 0);
	assert_int_equal(files_next_unread(&policy.unread, 0), -EIO);
	assert_int_equal(files_next_unread(&policy.unread, -EIO), -EACCES);
	assert_int_equal(files_next_unread(&policy.unread, -EACCES), 0);
	broken = files_format_unread(&cpufreq_policy_files, &policy.unread, -EIO);
	assert_string_equal(broken, "scaling_driver, energy_perf_bias");
	refused = files_format_unread(&cpufreq_policy_files, &policy.unread, -EACCES);
	assert_string_equal(refused, "scaling_available_governors");
	assert_int_equal(files_find_unread(&cpufreq_policy_files, &policy.unread, CPUFREQ_EPB),
			 -EIO);
	assert_int_equal(files_find_unread(&cpufreq_policy_files, &policy.unread, CPUFREQ_EPP), 0);
	cpufreq_policy_done(&policy);
	fake_files_fail(&fake, CPU "cpufreq/scaling_max_freq", -EIO);
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), -EIO);
	failed = files_format_unread(&cpufreq_policy_files, &policy.unread, -EIO);
	assert_string_equal(failed, "scaling_max_freq");
	assert_int_equal(files_next_unread(&policy.unread, -EIO), 0);
	fake_files_set(&fake, "3700750\n", CPU "cpufreq/scaling_max_freq");
	fake_files_fail(&fake, CPU "cpufreq/related_cpus", -EIO);
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), -EIO);
	assert_int_equal(files_next_unread(&policy.unread, 0), 0);
	fake_files_done(&fake);
}

/* What the driver has for all CPUs is taken from another policy, and only the rest is read. */
static void test_like(void **state)
{
	_cleanup_cpufreq_policy_ struct cpufreq_policy other = { 0 }, policy = { 0 };
	struct cpufreq_reading reading = { .like = &other };
	struct fake_files fake;

	(void)state;
	make_amd(&fake);
	fake_files_set(&fake, "400000\n", CPU "cpufreq/cpuinfo_min_freq");
	fake_files_set(&fake, "performance power\n",
		       CPU "cpufreq/energy_performance_available_preferences");
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &other), 0);
	fake_files_set(&fake, "not read\n", CPU "cpufreq/scaling_driver");
	fake_files_set(&fake, "not read\n", CPU "cpufreq/scaling_available_governors");
	fake_files_set(&fake, "not read\n", CPU "cpufreq/energy_performance_available_preferences");
	fake_files_set(&fake, "not read\n", CPU "cpufreq/cpuinfo_min_freq");
	fake_files_set(&fake, "not read\n", CPU "cpufreq/scaling_cur_freq");
	fake_files_set(&fake, "performance\n", CPU "cpufreq/scaling_governor");
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &reading, &policy), 0);
	assert_string_equal(policy.driver, "amd-pstate-epp");
	assert_string_equal(policy.governors, "performance powersave");
	assert_string_equal(policy.epps, "performance power");
	assert_string_equal(policy.governor, "performance");
	assert_int_equal(policy.lowest_khz, 400000);
	assert_int_equal(policy.current_khz, 0);
	assert_int_equal(cpuset_count(&policy.cpus), 3);
	cpufreq_policy_done(&policy);
	fake_files_set(&fake, "not read\n", CPU "cpufreq/related_cpus");
	reading.are_single = true;
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &reading, &policy), 0);
	assert_true(cpuset_is_empty(&policy.cpus));
	fake_files_done(&fake);
}

static void test_no_policy(void **state)
{
	struct cpufreq_policy policy = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "6\n", CPU "power/energy_perf_bias");
	assert_int_equal(cpufreq_read_policy(&fake.files, 3, &whole, &policy), -ENOENT);
	assert_null(policy.epb);
	fake_files_done(&fake);
}

static void test_policies(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, none = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	assert_int_equal(cpufreq_list_policies(&fake.files, &none), -ENOENT);
	assert_true(cpuset_is_empty(&none));
	fake_files_set(&fake, "0\n", ROOT "cpufreq/boost");
	fake_files_set(&fake, "3\n", ROOT "cpufreq/policy3/related_cpus");
	fake_files_set(&fake, "12\n", ROOT "cpufreq/policy12/related_cpus");
	fake_files_set(&fake, "1\n", ROOT "cpufreq/policyholder/related_cpus");
	assert_int_equal(cpufreq_list_policies(&fake.files, &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), 2);
	assert_true(cpuset_has(&cpus, 3));
	assert_true(cpuset_has(&cpus, 12));
	fake_files_done(&fake);
}

static void test_equal(void **state)
{
	struct cpufreq_policy left = { .driver = (char[]){ "a" }, .max_khz = 5 }, right = left;

	(void)state;
	right.current_khz = 9;
	assert_true(cpufreq_policy_equal(&left, &right));
	right.max_khz = 6;
	assert_false(cpufreq_policy_equal(&left, &right));
	right = left;
	right.driver = (char[]){ "b" };
	assert_false(cpufreq_policy_equal(&left, &right));
	right.driver = NULL;
	assert_false(cpufreq_policy_equal(&left, &right));
	right = left;
	right.epb = (char[]){ "6" };
	assert_false(cpufreq_policy_equal(&left, &right));
}

static void test_machine(void **state)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "off\n", ROOT "intel_pstate/status");
	fake_files_fail(&fake, ROOT "intel_pstate/no_turbo", -EAGAIN);
	fake_files_set(&fake, "1\n", ROOT "cpufreq/boost");
	assert_int_equal(cpufreq_read_machine(&fake.files, &machine), 0);
	assert_string_equal(machine.status, "off");
	assert_null(machine.no_turbo);
	assert_null(machine.min_perf_pct);
	assert_string_equal(machine.boost, "1");
	fake_files_done(&fake);
}

static void test_turbo_is_off(void **state)
{
	static const struct {
		const char *no_turbo, *boost;
		bool is_off;
	} vectors[] = {
		{ "0", NULL, false },   { "1", NULL, true },
		{ "0", "0", false },    { NULL, "0", true },
		{ NULL, "1", false },   { NULL, NULL, false },
		{ "word", "0", false }, { "99999999999999999999", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct cpufreq_machine machine = {
			.no_turbo = (char *)(uintptr_t)vectors[i].no_turbo,
			.boost = (char *)(uintptr_t)vectors[i].boost,
		};

		assert_int_equal(cpufreq_turbo_is_off(&machine), vectors[i].is_off);
	}
}

static void test_khz(void **state)
{
	uint32_t khz = 0;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "3200000\n", CPU "cpufreq/cpuinfo_max_freq");
	fake_files_set(&fake, "4294967296\n", CPU "cpufreq/scaling_max_freq");
	fake_files_set(&fake, "performance\n", CPU "cpufreq/scaling_governor");
	assert_int_equal(cpufreq_read_khz(&fake.files, 3, "cpuinfo_max_freq", &khz), 0);
	assert_int_equal(khz, 3200000);
	assert_int_equal(cpufreq_read_khz(&fake.files, 99, "cpuinfo_max_freq", &khz), -ENOENT);
	assert_int_equal(cpufreq_read_khz(&fake.files, 3, "scaling_max_freq", &khz), -ERANGE);
	assert_int_equal(cpufreq_read_khz(&fake.files, 3, "scaling_governor", &khz), -EINVAL);
	assert_int_equal(khz, 3200000);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_vendor), cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_failures),     cmocka_unit_test(test_no_policy),
		cmocka_unit_test(test_policies),     cmocka_unit_test(test_equal),
		cmocka_unit_test(test_machine),      cmocka_unit_test(test_turbo_is_off),
		cmocka_unit_test(test_like),         cmocka_unit_test(test_unread),
		cmocka_unit_test(test_khz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

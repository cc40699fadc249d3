// SPDX-License-Identifier: GPL-2.0-only
/* TPMI devices that are not bound to the driver: kernels from 6.13 to 7.1 must then not be asked
 * (vm-lab.md, "Other kernels"), all others are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "program_run.h"
#include "tpmi_bench.h"

#define BUS "/sys/bus/auxiliary/"

struct device {
	const char *cpus; /* local_cpulist of its PCI device; NULL: the list ends */
	bool is_unbound;
};

/* CPUs 0-3 and 8-11 are package 0, the others package 1. */
#define PACKAGE_0 "0-3,8-11"
#define PACKAGE_1 "4-7,12-15"
#define BOTH      "0-15"

#define BOUND(list)            \
	{                      \
		.cpus = (list) \
	}
#define UNBOUND(list)                              \
	{                                          \
		.cpus = (list), .is_unbound = true \
	}

struct vector {
	const char *what;
	const char *release; /* NULL: the file is missing */
	struct device devices[6]; /* intel_vsec.tpmi-sst.0, 1... */
	bool is_refused;
	const char *says[2]; /* where it is refused; or NULL */
};

static const struct vector vectors[] = {
	{ "all bound",
	  "6.18.5+deb14-amd64",
	  { BOUND(PACKAGE_0), BOUND(PACKAGE_1) },
	  false,
	  { NULL } },
	{ "package 1 unbound",
	  "6.18.5+deb14-amd64",
	  { BOUND(PACKAGE_0), UNBOUND(PACKAGE_1) },
	  true,
	  { "package 1 has none", "kernel 6.18.5+deb14-amd64" } },
	{ "package 0 unbound",
	  "6.18.5+deb14-amd64",
	  { UNBOUND(PACKAGE_0), BOUND(PACKAGE_1) },
	  true,
	  { "package 0 has none", "bind intel_vsec.tpmi-sst.0 to isst_tpmi" } },
	{ "both unbound",
	  "6.18.5",
	  { UNBOUND(PACKAGE_0), UNBOUND(PACKAGE_1) },
	  true,
	  { "package 0-1 has none", "only 0 of 2 TPMI devices" } },
	{ "one device gone", "6.18.5", { BOUND(PACKAGE_1) }, true, { "package 0 has none", NULL } },
	{ "packages unknown",
	  "6.18.5",
	  { BOUND(BOTH), UNBOUND(BOTH) },
	  true,
	  { "only 1 of 2 TPMI devices", "belong to is unknown for 1 of them" } },
	{ "packages unknown, all bound", "6.18.5", { BOUND(BOTH), BOUND(BOTH) }, false, { NULL } },
	{ "packages told wrongly, all bound",
	  "6.18.5",
	  { BOUND(PACKAGE_0), BOUND(PACKAGE_0) },
	  false,
	  { NULL } },
	{ "partitioned, all bound",
	  "6.18.5",
	  { BOUND(PACKAGE_0), BOUND(PACKAGE_0), BOUND(PACKAGE_1), BOUND(PACKAGE_1) },
	  false,
	  { NULL } },
	{ "partitioned, one of each package unbound",
	  "6.18.5",
	  { BOUND(PACKAGE_0), UNBOUND(PACKAGE_0), UNBOUND(PACKAGE_1), BOUND(PACKAGE_1) },
	  false,
	  { NULL } },
	{ "partitioned, package 1 unbound",
	  "6.18.5",
	  { BOUND(PACKAGE_0), BOUND(PACKAGE_0), UNBOUND(PACKAGE_1), UNBOUND(PACKAGE_1) },
	  true,
	  { "only 2 of 4 TPMI devices", "package 1 has none" } },
	{ "partitioned, unknown, two unbound",
	  "6.18.5",
	  { BOUND(BOTH), BOUND(BOTH), UNBOUND(BOTH), UNBOUND(BOTH) },
	  true,
	  { "which packages the bound ones belong to is unknown", NULL } },
	{ "partitioned, unknown, one unbound",
	  "6.18.5",
	  { BOUND(BOTH), BOUND(BOTH), UNBOUND(BOTH), BOUND(BOTH) },
	  false,
	  { NULL } },
	{ "no device, no bus", "6.18.5", { { NULL, false } }, false, { NULL } },
	/* The package that is not bound answers with an error there. */
	{ "before the defect", "6.12.117+deb12-amd64", { UNBOUND(PACKAGE_0) }, false, { NULL } },
	{ "the first with it", "6.13.0-rc1", { UNBOUND(PACKAGE_0) }, true, { NULL } },
	{ "the last with it", "7.1.9", { UNBOUND(PACKAGE_0) }, true, { NULL } },
	{ "after the defect", "7.2.0", { UNBOUND(PACKAGE_0) }, false, { NULL } },
	{ "long before", "5.14.0-570.el9.x86_64", { UNBOUND(PACKAGE_0) }, false, { NULL } },
	{ "long after", "10.0", { UNBOUND(PACKAGE_0) }, false, { NULL } },
	{ "no release",
	  NULL,
	  { UNBOUND(PACKAGE_0) },
	  true,
	  { "kernel (of unknown release)", "to isst_tpmi in" } },
	{ "nonsense", "Linux", { UNBOUND(PACKAGE_0) }, true, { "kernel Linux", NULL } },
};

static void set_file(struct fake_machine *machine, int device, const char *leaf, const char *text)
{
	_cleanup_free_ char *path = NULL;

	assert_true(asprintf(&path, BUS "devices/intel_vsec.tpmi-sst.%d/%s", device, leaf) > 0);
	fake_machine_set_file(machine, path, text, 0);
}

static void set_devices(struct fake_machine *machine, const struct device *devices)
{
	for (int i = 0; devices[i].cpus; i++) {
		set_file(machine, i, "uevent", "");
		if (!devices[i].is_unbound)
			set_file(machine, i, "driver/module", "");
		set_file(machine, i, "../../local_cpulist", devices[i].cpus);
	}
}

static void check_vector(const struct vector *vector, const char *command)
{
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;
	size_t counted;

	fake_tpmi_init(&tpmi, &tpmi_bench_shape);
	if (vector->release)
		fake_machine_set_file(&tpmi.machine, "/proc/sys/kernel/osrelease", vector->release,
				      0);
	set_devices(&tpmi.machine, vector->devices);
	run = program_run(&tpmi.machine, command);
	counted = fake_tpmi_count(&tpmi, ISST_IF_COUNT_TPMI_INSTANCES, false);
	if (run.status != vector->is_refused || counted != (vector->is_refused ? 0 : 2))
		fail_msg("%s: status %d, %zu requests: %s", vector->what, run.status, counted,
			 run.err);
	if (vector->is_refused)
		assert_int_equal(tpmi.n_records, 0);
	for (size_t i = 0; i < ARRAY_SIZE(vector->says) && vector->says[i]; i++)
		program_assert_holds(run.err, vector->says[i]);
	fake_tpmi_done(&tpmi);
}

static void sends_nothing_to_kernels_that_would_hang(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		check_vector(&vectors[i], "isst perf-profile get-config-levels");
		check_vector(&vectors[i], "isst --info");
		check_vector(&vectors[i], "isst --dry-run core-power enable");
	}
}

/* Where the driver answers with an error, the other package is shown. */
static void shows_the_other_package(void **state)
{
	static const struct device devices[] = { BOUND(PACKAGE_0),
						 UNBOUND(PACKAGE_1),
						 { NULL, false } };
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_tpmi tpmi;

	(void)state;
	fake_tpmi_init(&tpmi, &tpmi_bench_shape);
	fake_machine_set_file(&tpmi.machine, "/proc/sys/kernel/osrelease", "7.2.0", 0);
	set_devices(&tpmi.machine, devices);
	tpmi.unserved = 0x2;
	run = program_run(&tpmi.machine, "isst perf-profile get-config-levels");
	assert_int_equal(run.status, 1);
	program_assert_holds(run.err, "package-1 die-0 powerdomain-0");
	program_assert_holds(run.err, "the driver has no instance for this power domain");
	program_assert_holds(run.out, "package-0");
	program_assert_lacks(run.out, "package-1");
	fake_tpmi_done(&tpmi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_nothing_to_kernels_that_would_hang),
		cmocka_unit_test(shows_the_other_package),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

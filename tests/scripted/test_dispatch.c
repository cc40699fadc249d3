// SPDX-License-Identifier: GPL-2.0-only
/* Exit statuses and messages of whole command lines on machines that lack something, refuse
 * something or differ between packages (commands.md, "Exit status"). Each runs as text and as JSON:
 * then stderr is one document, whatever happens, with the same errors in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "program_run.h"

/* One rule that goes before those of the machine. */
#define MAILBOX_RULE(on, cmd, sub, err, value)                                      \
	{                                                                           \
		.request = ISST_IF_MBOX_COMMAND, .package = (on), .command = (cmd), \
		.sub_command = (sub), .error = (err), .answer = (value)             \
	}

struct vector {
	const char *name;
	const char *command; /* after the program's name */
	struct fake_rule rule; /* request 0: none */
	const struct fake_shape *shape; /* NULL: the Ice Lake machine's */
	void (*arrange)(struct fake_machine *machine);
	int status;
	const char *says[4]; /* on stderr, as text */
	const char *lacks; /* and this must not be there */
	size_t n_errors;
};

static const struct fake_shape other_vendor = {
	.packages = 1, .dies = 1, .cores = 2, .model = 0x6a, .vendor = "AuthenticAMD"
};
static const struct fake_shape cascade_lake = {
	.packages = 1,
	.dies = 1,
	.cores = 2,
	.model = 0x55,
	.stepping = 7,
	.model_name = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"
};
static const struct fake_shape cascade_lake_n = {
	.packages = 2,
	.dies = 1,
	.cores = 2,
	.model = 0x55,
	.stepping = 7,
	.model_name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz"
};
static const uint32_t high_core_ids[] = { 7, 8 };
static const struct fake_shape skylake = { .packages = 2,
					   .dies = 1,
					   .cores = 2,
					   .model = 0x55,
					   .stepping = 11,
					   .core_ids = high_core_ids };
static const struct fake_shape unknown_cpu = { .packages = 1, .dies = 1, .cores = 2, .model = 0x9 };

static void no_driver(struct fake_machine *machine)
{
	machine->open_error = -ENOENT;
}

static void not_root(struct fake_machine *machine)
{
	machine->open_error = -EACCES;
}

static void broken_device(struct fake_machine *machine)
{
	machine->open_error = -EIO;
}

static void newer_driver(struct fake_machine *machine)
{
	machine->info.api_version = 4;
}

static void no_mailbox(struct fake_machine *machine)
{
	machine->info.api_version = 0;
}

static void cpu_3_offline(struct fake_machine *machine)
{
	cpuset_remove(&machine->online, 3);
}

static void package_1_offline(struct fake_machine *machine)
{
	static const uint32_t cpus[] = { 2, 3, 6, 7 };

	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		cpuset_remove(&machine->online, cpus[i]);
}

static void set_by_bios(struct fake_machine *machine)
{
	static const char *const khz[] = { "2700000", "2100000" };

	for (unsigned int cpu = 0; cpu < fake_machine_cpus(machine); cpu++) {
		char path[80];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/base_frequency",
			 cpu);
		fake_machine_set_file(machine, path, khz[cpu % 2], 0);
	}
}

static void no_cpuinfo(struct fake_machine *machine)
{
	fake_machine_set_file(machine, "/proc/cpuinfo", NULL, -EIO);
}

static void hidden_topology(struct fake_machine *machine)
{
	fake_machine_set_file(machine, "/sys/devices/system/cpu/present", NULL, -EACCES);
}

/* Reading core 8 by mailbox is what the driver guards. */
static void guarded_core(struct fake_machine *machine)
{
	static const struct fake_rule rules[] = {
		{ .request = ISST_IF_MBOX_COMMAND,
		  .command = 0xd0,
		  .place = 8,
		  .place_mask = UINT32_MAX,
		  .error = -EPERM },
		{ .request = ISST_IF_MBOX_COMMAND, .command = 0xd0, .answer = 0x20000 },
	};

	fake_machine_add_rules(machine, rules, ARRAY_SIZE(rules));
}

static const struct vector vectors[] = {
	{ "all is well", "perf-profile get-config-levels",
	  .says = { " package-0\n  die-0\n    cpu-0\n      get-config-levels:2\n",
		    " package-1\n  die-0\n    cpu-2\n      get-config-levels:2\n" } },
	{ "CPUs ascending, each once", "-c 4,1,0..1,4 perf-profile get-lock-status",
	  .says = { "cpu-0\n      get-lock-status:unlocked\n package-0\n  die-0\n    cpu-1\n      "
		    "get-lock-status:unlocked\n package-0\n  die-0\n    cpu-4\n" } },
	{ "one package lacks SST-BF", "base-freq info -l 0",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(1), 0x7f, 0x01, 0, 1), .status = 1, .n_errors = 1,
	  .says = { "package-1 die-0 cpu-2: base-freq is not supported at level 0\n",
		    "high-priority-base-frequency(MHz):2700\n" } },
	{ "one package lacks SST-TF", "turbo-freq info -l 0",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(0), 0x7f, 0x01, 0, 2), .status = 1, .n_errors = 1,
	  .says = { "package-0 die-0 cpu-0: turbo-freq is not supported at level 0\n",
		    " package-1\n" } },
	{ "no package has SST-BF there", "base-freq info -l 2", .status = 3, .n_errors = 2,
	  .says = { "base-freq is not supported at level 2\n" }, .lacks = " package-0\n" },
	{ "no package has SST-TF there", "turbo-freq info -l 2", .status = 3, .n_errors = 2,
	  .says = { "turbo-freq is not supported at level 2\n" } },
	{ "a level between that does not exist", "base-freq info -l 1", .status = 3, .n_errors = 2,
	  .says = { "performance level 1 does not exist here\n" } },
	{ "the same of perf-profile", "perf-profile info -l 1", .status = 3, .n_errors = 2,
	  .says = { "performance level 1 does not exist here\n" },
	  .lacks = "perf-profile-level-1" },
	{ "all levels pass it over", "perf-profile info",
	  .says = { "perf-profile-level-0\n", "perf-profile-level-2\n" },
	  .lacks = "perf-profile-level-1" },
	{ "above the highest level", "turbo-freq info -l 3", .status = 2, .n_errors = 1,
	  .says = { "-l 3: the highest level of this machine is 2\n" }, .lacks = " package-0\n" },
	{ "the same of perf-profile", "perf-profile info -l 7", .status = 2, .n_errors = 1,
	  .says = { "-l 7: the highest level of this machine is 2\n" } },
	{ "above what any machine has", "perf-profile info -l 8", .status = 2, .n_errors = 1 },
	{ "one package ends below the level", "perf-profile info -l 2",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(1), 0x7f, 0x00, 0, 0x80000003), .status = 1,
	  .n_errors = 1, .says = { "package-1 die-0 cpu-2: ", "perf-profile-level-2\n" } },
	{ "a bucket without cores", "turbo-freq info -l 0 -b 2", .status = 3, .n_errors = 2,
	  .says = { "package-0 die-0 cpu-0: bucket 2 of level 0 has no cores\n",
		    "package-1 die-0 cpu-2: bucket 2 of level 0 has no cores\n" } },
	{ "a bucket without cores in one package", "turbo-freq info -l 0 -b 2",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(1), 0x7f, 0x10, 0, 0x00060402), .status = 1,
	  .n_errors = 1,
	  .says = { "package-0 die-0 cpu-0: bucket 2 of level 0 has no cores\n", "bucket-2\n" },
	  .lacks = "bucket-1\n" },
	{ "a bucket after the last", "turbo-freq info -l 0 -b 3",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x10, 0, 0x05000402), .status = 3, .n_errors = 2,
	  .says = { "bucket 3 of level 0 has no cores\n" } },
	{ "a bucket that no machine has", "turbo-freq info -l 0 -b 8", .status = 2, .n_errors = 1 },
	{ "a turbo-ratio level that this part lacks", "turbo-freq info -l 0 -r level-3",
	  .status = 3, .n_errors = 1,
	  .says = { "-r level-3: this machine's turbo-ratio levels are sse to avx512\n" } },
	{ "a CPU that is offline", "-c 3 core-power get-assoc", .arrange = cpu_3_offline,
	  .status = 2, .n_errors = 1, .says = { "-c 3: this CPU is offline\n" } },
	{ "a CPU that the machine lacks", "-c 0,8 perf-profile get-config-levels", .status = 2,
	  .n_errors = 1, .says = { "-c 8: this machine has no such CPU; the highest is 7\n" },
	  .lacks = "cpu-0" },
	{ "a CPU far beyond", "-c 65537 perf-profile get-config-levels", .status = 2, .n_errors = 1,
	  .says = { "-c 65537: this machine has no such CPU" } },
	{ "no CPUs where they are needed", "core-power assoc -c 1", .status = 2, .n_errors = 1,
	  .says = { "--cpu LIST" } },
	{ "core 8 of the Skylake generation", "-c 1 core-power get-assoc", .shape = &skylake,
	  .arrange = guarded_core, .status = 4, .n_errors = 1,
	  .says = { "package-0 die-0 cpu-1: association to a CLOS: not permitted (EPERM); "
		    "CAP_SYS_ADMIN is needed\n" } },
	{ "core 8 beside core 7", "-c 0,1 core-power get-assoc", .shape = &skylake,
	  .arrange = guarded_core, .status = 1, .n_errors = 1,
	  .says = { "Error: package-0 die-0 cpu-1: ",
		    "    cpu-0\n      get-assoc\n        clos:2\n" } },
	{ "no driver", "perf-profile get-config-levels", .arrange = no_driver, .status = 3,
	  .n_errors = 1, .says = { "no Speed Select driver is loaded (/dev/isst_interface" } },
	{ "no driver: which modules", "perf-profile get-config-levels", .arrange = no_driver,
	  .status = 3, .n_errors = 1,
	  .says = { "load the modules isst_if_mbox_pci and isst_if_mmio, and check" } },
	{ "no driver of the Skylake generation", "perf-profile get-config-levels",
	  .shape = &skylake, .arrange = no_driver, .status = 3, .n_errors = 1,
	  .says = { "load the module isst_if_mbox_msr, and check" } },
	{ "no driver of an unknown CPU", "perf-profile get-config-levels", .shape = &unknown_cpu,
	  .arrange = no_driver, .status = 3, .n_errors = 1,
	  .says = { "this CPU is not known to have Speed Select" }, .lacks = "isst_if_mbox" },
	{ "no permission", "--info", .arrange = not_root, .status = 4, .n_errors = 1,
	  .says = { "/dev/isst_interface may not be opened: Permission denied" } },
	{ "a broken device", "--info", .arrange = broken_device, .status = 1, .n_errors = 1,
	  .says = { "/dev/isst_interface cannot be opened: Input/output error\n" } },
	{ "no driver: what else there is", "perf-profile info", .arrange = no_driver, .status = 3,
	  .n_errors = 1,
	  .says = { "cpufreq, cpuidle, uncore and power work without Speed Select" } },
	{ "no driver: --info", "--info", .arrange = no_driver,
	  .says = { "no Speed Select driver is loaded",
		    "cpufreq (feature cpufreq) is not available" } },
	{ "another vendor: --info", "--info", .shape = &other_vendor,
	  .says = { "cannot be used here: this CPU is not Intel's" } },
	{ "a newer driver", "perf-profile info", .arrange = newer_driver, .status = 3,
	  .n_errors = 1,
	  .says = { "the driver's API version 4 is newer than this program knows" } },
	{ "a newer driver: --info", "--info", .arrange = newer_driver,
	  .says = { "the driver's API version 4 is newer than this program knows" } },
	{ "a driver of no known kind", "core-power info", .arrange = no_mailbox, .status = 3,
	  .n_errors = 1, .says = { "the driver's API version is 0" } },
	{ "no permission: SST command", "core-power info", .arrange = not_root, .status = 4,
	  .n_errors = 1, .lacks = "work without Speed Select" },
	{ "another vendor", "perf-profile get-lock-status", .shape = &other_vendor, .status = 3,
	  .n_errors = 1, .says = { "this CPU is not Intel's" } },
	{ "Cascade Lake", "perf-profile info", .shape = &cascade_lake, .status = 3, .n_errors = 1,
	  .says = { "(Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz) is not supported" } },
	{ "a CPU that is not in the table is the driver's", "perf-profile get-config-levels",
	  .shape = &unknown_cpu, .says = { "get-config-levels:2\n" } },
	{ "BIOS has set it all", "perf-profile get-config-levels", .shape = &cascade_lake_n,
	  .arrange = no_driver, .status = 3, .n_errors = 1,
	  .says = { "perf-profile get-config-levels: on this platform everything is set in BIOS" } },
	{ "BIOS has set it all: --info", "--info", .shape = &cascade_lake_n, .arrange = set_by_bios,
	  .says = { "Platform: everything is set in BIOS\n",
		    "Intel(R) SST-PP (feature perf-profile) is not supported\n",
		    "Intel(R) SST-BF (feature base-freq) is supported\n" },
	  .lacks = "API version" },
	{ "BIOS has set it all: cores", "-c 0 core-power get-assoc", .shape = &cascade_lake_n,
	  .status = 3, .n_errors = 1 },
	{ "BIOS has set it all: shown", "base-freq info -l 0", .shape = &cascade_lake_n,
	  .arrange = set_by_bios,
	  .says = { "high-priority-base-frequency(MHz):2700\n", "high-priority-cpu-list:0,4\n",
		    "low-priority-base-frequency(MHz):2100\n" },
	  .lacks = "tjunction" },
	{ "BIOS has set it all: no cpufreq", "base-freq info -l 0", .shape = &cascade_lake_n,
	  .status = 1, .n_errors = 2, .says = { "base_frequency of cpufreq" } },
	{ "BIOS has set it all: one level", "base-freq info -l 1", .shape = &cascade_lake_n,
	  .status = 2, .n_errors = 1, .says = { "the highest level of this machine is 0" } },
	{ "firmware that stays busy", "perf-profile get-config-levels",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x00, -EBUSY, 0), .status = 1, .n_errors = 2,
	  .says = { "SST-PP status: it stayed busy (EBUSY)" }, .lacks = "get-config-levels" },
	{ "no mailbox driver", "perf-profile get-config-levels",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x00, -ENOTTY, 0), .status = 3, .n_errors = 2,
	  .says = { "SST-PP status: the driver module for this request is not loaded (ENOTTY)" } },
	{ "a level that may exist where firmware is busy", "perf-profile info -l 5",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(0), 0x7f, 0x00, -EBUSY, 0), .status = 1, .n_errors = 2,
	  .says = { "package-0 die-0 cpu-0: SST-PP status: ",
		    "package-1 die-0 cpu-2: no such performance level here; get-config-levels shows the highest\n" } },
	{ "SST-PP is there, but not enabled", "perf-profile info",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x00, 0, 0x00000203),
	  .says = { "just base-config level 0 is valid\n", "perf-profile-level-0\n" },
	  .lacks = "perf-profile-level-2" },
	{ "not enabled: its levels", "base-freq info -l 2",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x00, 0, 0x00000203), .status = 2, .n_errors = 1,
	  .says = { "the highest level of this machine is 0\n" } },
	{ "firmware of one package", "perf-profile info -l 0",
	  .rule = MAILBOX_RULE(FAKE_PACKAGE(0), 0x7f, 0x03, -ENXIO, 0), .status = 1, .n_errors = 1,
	  .says = { "package-0 die-0 cpu-0: performance level 0: GET_TDP_INFO: the firmware refused "
		    "the request, or the CPU is offline (ENXIO)\n",
		    " package-1\n" },
	  .lacks = " package-0\n" },
	{ "no SST-PP", "perf-profile info", .rule = MAILBOX_RULE(0, 0x7f, 0x00, -ENXIO, 0),
	  .says = { "Information: perf-profile feature is not supported, just base-config level 0 "
		    "is valid\n package-0\n",
		    "perf-profile-level-0\n" },
	  .lacks = "perf-profile-level-2" },
	{ "no SST-PP: lock", "perf-profile get-lock-status",
	  .rule = MAILBOX_RULE(0, 0x7f, 0x00, -ENXIO, 0), .says = { "get-lock-status:locked\n" } },
	{ "no SST-CP", "perf-profile info -l 0", .rule = MAILBOX_RULE(0, 0x94, 0x03, -ENXIO, 0),
	  .says = { "speed-select-core-power:unsupported\n" } },
	{ "SST-CP that cannot be asked", "perf-profile info -l 0",
	  .rule = MAILBOX_RULE(0, 0x94, 0x03, -EINVAL, 0), .status = 1, .n_errors = 2,
	  .says = { "core-power status: the driver does not accept the request for this CPU "
		    "(EINVAL)" } },
	{ "no SST-CP: info", "core-power info", .rule = MAILBOX_RULE(0, 0x94, 0x03, -ENXIO, 0),
	  .status = 1, .n_errors = 2, .says = { "core-power status: the firmware refused" } },
	{ "no MMIO driver: parameters", "core-power get-config --clos 0",
	  .rule = { .request = ISST_IF_IO_CMD, .error = -ENOTTY }, .status = 3, .n_errors = 2,
	  .says = { "parameters of CLOS 0: the driver module for this request is not loaded" },
	  .lacks = "clos-min" },
	{ "no MMIO driver: association", "-c 0 core-power get-assoc",
	  .rule = { .request = ISST_IF_IO_CMD, .error = -ENOTTY }, .status = 3, .n_errors = 1,
	  .lacks = "clos:" },
	{ "a CLOS above 3", "core-power get-config --clos 4", .status = 2, .n_errors = 1 },
	{ "no MSR driver", "turbo-mode get-trl",
	  .rule = { .request = ISST_IF_MSR_COMMAND, .error = -ENOTTY }, .status = 3, .n_errors = 2,
	  .says = { "turbo-ratio limits: the driver module for this request is not loaded" },
	  .lacks = "trl:" },
	{ "an MSR of one package", "turbo-mode get-trl",
	  .rule = { .request = ISST_IF_MSR_COMMAND, .package = FAKE_PACKAGE(1), .error = -ENXIO },
	  .status = 1, .n_errors = 1,
	  .says = { "package-1 die-0 cpu-2: turbo-ratio limits: ", "trl:0x1e1e1e1e1f1f2022\n" } },
	{ "no /proc/cpuinfo", "--info", .arrange = no_cpuinfo, .status = 1, .n_errors = 1,
	  .says = { "the CPU cannot be identified from /proc/cpuinfo: Input/output error\n" } },
	{ "a topology that may not be read", "--info", .arrange = hidden_topology, .status = 4,
	  .n_errors = 1, .says = { "/sys/devices/system/cpu" } },
	{ "a package that is offline", "perf-profile get-config-levels",
	  .arrange = package_1_offline, .says = { " package-0\n" }, .lacks = " package-1\n" },
	{ "a package that is offline, counted", "perf-profile info -l 0",
	  .arrange = package_1_offline,
	  .says = { "Information: CPUs 2-3,6-7 are offline, and no map of this boot has" } },
	{ "no command", "perf-profile", .status = 2, .n_errors = 1 },
	{ "an unknown option", "core-power info --dri-run", .status = 2, .n_errors = 1 },
};

/* The machine of a vector. */
static void arrange(const struct vector *vector, struct fake_machine *machine)
{
	fake_machine_init(machine, vector->shape ?: &ice_lake_shape);
	fake_machine_add_rules(machine, ice_lake_rules, n_ice_lake_rules);
	if (vector->rule.request)
		fake_machine_add_rules(machine, &vector->rule, 1);
	if (vector->arrange)
		vector->arrange(machine);
}

static struct program_run run_as(struct fake_machine *machine, const char *how, const char *command)
{
	_cleanup_free_ char *line = NULL;

	assert_true(asprintf(&line, "%s %s", how, command) > 0);
	return program_run(machine, line);
}

static void check_status(const struct vector *vector, const char *how,
			 const struct program_run *run)
{
	if (run->status != vector->status)
		fail_msg("%s (%s): status %d, not %d\n%s", vector->name, how, run->status,
			 vector->status, run->err);
}

static void check_text(const struct vector *vector, const struct program_run *run)
{
	size_t n_errors = program_run_count(run->err, "Error: ");

	check_status(vector, "text", run);
	for (size_t i = 0; i < ARRAY_SIZE(vector->says) && vector->says[i]; i++) {
		if (!strstr(run->err, vector->says[i]))
			fail_msg("%s: \"%s\" is missing in\n%s", vector->name, vector->says[i],
				 run->err);
	}
	if (vector->lacks && strstr(run->err, vector->lacks))
		fail_msg("%s: \"%s\" is in\n%s", vector->name, vector->lacks, run->err);
	if (n_errors != vector->n_errors)
		fail_msg("%s: %zu errors, not %zu in\n%s", vector->name, n_errors, vector->n_errors,
			 run->err);
}

static size_t count_errors(const json_t *document)
{
	size_t count = 0;
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)document, name, value)
		count += strncmp(name, "Error", 5) == 0 &&
			 json_is_string(json_object_get(value, "message"));
	return count;
}

/* stderr is one document; errors are members of it. */
static void check_json(const struct vector *vector, const struct program_run *run)
{
	json_t *document = program_run_json(run->err);
	size_t n_errors = count_errors(document);

	check_status(vector, "JSON", run);
	if (n_errors != vector->n_errors)
		fail_msg("%s: %zu errors, not %zu in\n%s", vector->name, n_errors, vector->n_errors,
			 run->err);
	json_decref(document);
}

/* With results on stdout, that is one document too, and words go to stderr. */
static void check_modern_json(const struct vector *vector, const struct program_run *run)
{
	json_t *document = program_run_json(run->out);

	check_status(vector, "JSON on stdout", run);
	assert_int_equal(count_errors(document), 0);
	assert_int_equal(program_run_count(run->err, "Error: "), vector->n_errors);
	json_decref(document);
}

static void statuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct fake_machine machine;

		arrange(&vectors[i], &machine);
		_cleanup_program_run_ struct program_run text =
			run_as(&machine, "intel-speed-select", vectors[i].command);
		_cleanup_program_run_ struct program_run json =
			run_as(&machine, "intel-speed-select -f json", vectors[i].command);
		_cleanup_program_run_ struct program_run modern =
			run_as(&machine, "/usr/bin/isst --format json", vectors[i].command);

		check_text(&vectors[i], &text);
		check_json(&vectors[i], &json);
		check_modern_json(&vectors[i], &modern);
		fake_machine_done(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

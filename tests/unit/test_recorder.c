// SPDX-License-Identifier: GPL-2.0-only
/* What a recording keeps of kernel files, and which requests it sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "fake_files.h"
#include "isst_abi.h"
#include "record/parts.h"

#define GROUP "/sys/fs/cgroup"
#define IRQ   "/proc/irq/24"

/* Files. */

static void assert_kept(const struct kernel_files *files, const char *path, const char *json)
{
	_cleanup_free_ char *text =
		json_dumps(json_object_get(files->object, path), JSON_ENCODE_ANY | JSON_COMPACT);

	assert_non_null(text);
	assert_string_equal(text, json);
}

static void read_files(struct fake_files *fake, bool with_pci, struct kernel_files *ret_files)
{
	const struct record_options options = { .with_pci = with_pci };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(cpuset_add(&cpus, 0), 0);
	assert_int_equal(kernel_files_read(&fake->files, &cpus, &cpus, &options, ret_files), 0);
}

static void test_files(void **state)
{
	struct kernel_files found;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "processor: 0\nflags: a\n\nprocessor: 1\n", "/proc/cpuinfo");
	fake_files_set(&fake, "#1 SMP PREEMPT_RT root@host 2026\n", "/proc/sys/kernel/version");
	fake_files_set(&fake, "1-2-3\n", "/proc/sys/kernel/random/boot_id");
	fake_files_set(&fake, "ip=192.0.2.1 nosmt\n", "/proc/cmdline");
	fake_files_fail(&fake, "/sys/devices/system/cpu/smt/control", -EACCES);
	fake_files_fail(&fake, "/sys/devices/system/cpu/isolated", -EPERM);
	fake_files_fail(&fake, "/sys/devices/system/cpu/nohz_full", -EIO);
	read_files(&fake, false, &found);
	assert_kept(&found, "/proc/cpuinfo", "\"processor: 0\\nflags: a\"");
	assert_kept(&found, "/proc/sys/kernel/version", "\"#1 SMP PREEMPT_RT\"");
	assert_kept(&found, "/proc/sys/kernel/random/boot_id",
		    "\"00000000-0000-0000-0000-000000000000\"");
	assert_kept(&found, "/proc/cmdline", "\"nosmt\"");
	assert_kept(&found, "/sys/devices/system/cpu/smt/control", "{\"error\":\"EACCES\"}");
	assert_kept(&found, "/sys/devices/system/cpu/nohz_full", "{\"error\":\"EIO\"}");
	assert_int_equal(found.n_denied, 2);
	kernel_files_done(&found);
	fake_files_done(&fake);
}

/* Names that say where a device is or whose a control group is are replaced. */
static void test_names(void **state)
{
	struct kernel_files found;
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "0\n", IRQ "/smp_affinity_list");
	fake_files_set(&fake, "", IRQ "/mlx5_comp3@pci:0000:3b:00.1/x");
	fake_files_set(&fake, "0-3\n", GROUP "/customer.slice/cpuset.cpus");
	fake_files_set(&fake, "4\n", GROUP "/0-0-1/cpuset.cpus");
	read_files(&fake, false, &found);
	assert_kept(&found, IRQ, "[\"mlx5_comp3@pci:0000:00:00.0\"]");
	assert_kept(&found, GROUP, "[\"0-0-1\",\"group-1\"]");
	assert_kept(&found, GROUP "/group-1/cpuset.cpus", "\"0-3\"");
	assert_kept(&found, GROUP "/0-0-1/cpuset.cpus", "\"4\"");
	assert_null(json_object_get(found.object, "/sys/bus/pci/devices"));
	kernel_files_done(&found);
	read_files(&fake, true, &found);
	assert_kept(&found, IRQ, "[\"mlx5_comp3@pci:0000:3b:00.1\"]");
	assert_non_null(json_object_get(found.object, "/sys/bus/pci/devices"));
	kernel_files_done(&found);
	fake_files_done(&fake);
}

/* Names and latencies of idle states are those of the first online CPU of a core type; counters
 * are each CPU's own, and nothing is taken from a CPU that cannot be read. */
static void test_driver(void **state)
{
	static const struct record_options options;
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, online = { 0 };
	struct kernel_files found;
	struct fake_files fake;

	(void)state;
	assert_int_equal(cpulist_parse("0-5", &cpus), 0);
	assert_int_equal(cpulist_parse("0-4", &online), 0);
	fake_files_init(&fake);
	for (uint32_t cpu = 0; cpu < 6; cpu++) {
		_cleanup_free_ char *number = text_format("%u\n", cpu);

		fake_files_set(&fake, number, "%s",
			       files_cpu_path(cpu, "cpuidle/state0/latency").text);
		fake_files_set(&fake, number, "%s",
			       files_cpu_path(cpu, "cpuidle/state0/usage").text);
	}
	fake_files_set(&fake, "0-2\n", "/sys/devices/cpu_core/cpus");
	fake_files_set(&fake, "3-4\n", "/sys/devices/cpu_atom/cpus");
	fake_files_fail(&fake, files_cpu_path(0, "cpuidle/state0/latency").text, -EIO);
	assert_int_equal(kernel_files_read(&fake.files, &cpus, &online, &options, &found), 0);
	assert_kept(&found, FILES_CPUS "/cpu#/cpuidle/state0/latency",
		    "{\"0\":{\"error\":\"EIO\"},\"1-2\":\"1\",\"3-4\":\"3\",\"5\":\"5\"}");
	assert_kept(&found, FILES_CPUS "/cpu#/cpuidle/state0/usage",
		    "{\"0\":\"0\",\"1\":\"1\",\"2\":\"2\",\"3\":\"3\",\"4\":\"4\",\"5\":\"5\"}");
	kernel_files_done(&found);
	/* without the types, each CPU is read */
	fake_files_fail(&fake, "/sys/devices/cpu_core/cpus", -EACCES);
	assert_int_equal(kernel_files_read(&fake.files, &cpus, &online, &options, &found), 0);
	assert_kept(&found, FILES_CPUS "/cpu#/cpuidle/state0/latency",
		    "{\"0\":{\"error\":\"EIO\"},\"1\":\"1\",\"2\":\"2\",\"3\":\"3\",\"4\":\"4\","
		    "\"5\":\"5\"}");
	kernel_files_done(&found);
	fake_files_done(&fake);
}

/* Requests. */

/* A device that answers, after some refusals. */
struct device {
	struct transport transport;
	size_t n_sent;
	size_t n_busy; /* refusals that are left */
	size_t n_broken; /* the same, for good */
};

static struct device device;

static int answer(struct transport *transport, uint32_t request, void *argument)
{
	struct isst_if_cpu_maps *maps = argument;

	(void)transport;
	assert_int_equal(request, ISST_IF_GET_PHY_ID);
	assert_int_equal(maps->cmd_count, 1);
	device.n_sent++;
	if (device.n_busy > 0) {
		device.n_busy--;
		return -EBUSY;
	}
	if (device.n_broken > 0)
		return -EIO;
	maps->entries[0].physical_cpu = maps->entries[0].logical_cpu + 40;
	return 1;
}

static void do_not_close(struct transport *transport)
{
	(void)transport;
}

static int open_device(struct host *host, struct transport **ret_transport)
{
	static const struct transport_ops ops = { .request = answer, .close = do_not_close };

	(void)host;
	device.transport.ops = &ops;
	*ret_transport = &device.transport;
	return 0;
}

static int ask(struct transport *transport, uint32_t cpu, uint32_t *ret_physical)
{
	struct isst_if_cpu_maps maps = { .cmd_count = 1, .entries[0].logical_cpu = cpu };
	int result = transport_request(transport, ISST_IF_GET_PHY_ID, &maps);

	*ret_physical = maps.entries[0].physical_cpu;
	return result;
}

static void test_requests(void **state)
{
	static const struct host_ops ops = { .open_device = open_device };
	struct host inner = { .ops = &ops };
	struct asked asked = { 0 };
	struct host *host = asked_host_new(&inner, &asked);
	_cleanup_transport_ struct transport *transport = NULL;
	struct isst_if_msr_cmds write = { .cmd_count = 1, .entries[0].read_write = 1 };
	uint32_t physical;

	(void)state;
	device = (struct device){ .n_busy = 1 };
	assert_int_equal(host->ops->open_device(host, &transport), 0);
	/* only after EBUSY and EINTR the same is sent again */
	assert_int_equal(ask(transport, 7, &physical), -EBUSY);
	assert_int_equal(ask(transport, 7, &physical), 1);
	assert_int_equal(ask(transport, 7, &physical), 1);
	assert_int_equal(physical, 47);
	assert_int_equal(device.n_sent, 2);
	device.n_broken = 1;
	assert_int_equal(ask(transport, 8, &physical), -EIO);
	assert_int_equal(ask(transport, 8, &physical), -EIO);
	assert_int_equal(device.n_sent, 3);
	assert_int_equal(asked.n_items, 2);
	/* nothing that changes the machine is sent */
	assert_int_equal(transport_request(transport, ISST_IF_MSR_COMMAND, &write), -EPERM);
	assert_int_equal(device.n_sent, 3);
	asked_done(&asked);
	asked_host_free(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_driver),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

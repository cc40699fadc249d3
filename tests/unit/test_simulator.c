// SPDX-License-Identifier: GPL-2.0-only
/* The simulated machine as a host, opened from a platform's name as main opens it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "host/machine.h"
#include "isst_abi.h"
#include "measure/run.h"
#include "platform_texts.h"
#include "simulated.h"
#include "simulator/simulator.h"
#include "simulator/state.h"

static int set_up(void **test)
{
	*test = simulated_make_directory();
	return 0;
}

static int tear_down(void **test)
{
	simulated_remove_directory(*test);
	return 0;
}

static struct host *open_guide(const char *directory, bool reset)
{
	_cleanup_free_ char *message = NULL;
	struct host *host = NULL;
	int err = simulator_open("guide", directory, reset, &host, &message);

	if (err)
		fail_msg("%d: %s", err, message ? message : "");
	return host;
}

static void test_parts_belong_together(void **test)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";
	_cleanup_host_ struct host *host = open_guide(*test, false);
	_cleanup_transport_ struct transport *transport = NULL;
	_cleanup_free_ char *run = NULL;
	struct isst_if_msr_cmds read = { .cmd_count = 1,
					 .entries = { { .logical_cpu = 1, .msr = 0x1ad } } };

	assert_true(asprintf(&run, "%s/run", (const char *)*test) >= 0);
	assert_string_equal(host->run_directory, run);
	assert_int_equal(host->ops->has_capability(host), 1);
	assert_int_equal(host->ops->open_device(host, &transport), 0);
	assert_int_equal(transport_request(transport, ISST_IF_MSR_COMMAND, &read), 1);
	assert_int_equal(read.entries[0].data, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(files_write(host->files, online, "0"), 0);
	assert_int_equal(transport_request(transport, ISST_IF_MSR_COMMAND, &read), -ENXIO);
}

static void test_state_lasts_until_reset(void **test)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";
	struct host *host = open_guide(*test, false);
	uint64_t value;

	assert_int_equal(files_write(host->files, online, "0"), 0);
	host_close(&host);
	host = open_guide(*test, false);
	assert_int_equal(files_read_number(host->files, online, &value), 0);
	assert_int_equal(value, 0);
	host_close(&host);
	host = open_guide(*test, true);
	assert_int_equal(files_read_number(host->files, online, &value), 0);
	assert_int_equal(value, 1);
	host_close(&host);
}

static void test_marks(void **test)
{
	static const struct {
		const char *recorded, *name, *title;
	} vectors[] = {
		{ "null", "guide", "simulated machine guide" },
		{ "{}", "recording of Xeon 1", "recording of Xeon 1" },
		{ "{\"date\": \"2026-11-24\"}", "recording of Xeon 1, 2026-11-24",
		  "recording of Xeon 1, 2026-11-24" },
		{ "{\"simulated\": \"other\"}", "other", "simulated machine other" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *text = NULL, *path = NULL, *message = NULL;
		json_t *json = platform_texts_load("guide"), *recorded;
		struct host *host = NULL;

		platform_texts_edit(json, "cpu.model_name", "\"Xeon 1\"");
		platform_texts_edit(json, "recorded", vectors[i].recorded);
		recorded = json_object_get(json, "recorded");
		if (json_is_object(recorded))
			json_object_update_new(recorded,
					       json_pack("{s:b, s:[], s:{}}", "capability", true,
							 "requests", "files"));
		else
			json_object_del(json, "recorded");
		text = platform_texts_dump(json);
		json_decref(json);
		simulated_write(*test, "real.json", text);
		assert_true(asprintf(&path, "%s/real.json", (const char *)*test) >= 0);
		assert_int_equal(simulator_open(path, *test, true, &host, &message), 0);
		assert_string_equal(host->model.name, vectors[i].name);
		assert_string_equal(host->model.title, vectors[i].title);
		host_close(&host);
	}
}

static void test_ordered_faults(void **test)
{
	_cleanup_host_ struct host *host = NULL;
	struct transport *transport = NULL;

	simulated_write(*test, "faults.json",
			"{\"missing_capability\": true,"
			"\"orders\": [{\"at\": \"open\", \"error\": \"EACCES\"}]}");
	host = open_guide(*test, false);
	assert_int_equal(host->ops->has_capability(host), 0);
	assert_int_equal(host->ops->open_device(host, &transport), -EACCES);
}

struct failure {
	const char *platform;
	int error;
	const char *words;
};

static void test_failures(void **test)
{
	static const struct failure failures[] = {
		{ .platform = "no-such-platform", .error = -ENOENT, .words = "no-such-platform" },
		{ .platform = "./no-such-file.json", .error = -ENOENT, .words = "no-such-file" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		_cleanup_free_ char *message = NULL;
		struct host *host = NULL;

		assert_int_equal(simulator_open(failures[i].platform, *test, false, &host,
						&message),
				 failures[i].error);
		assert_null(host);
		assert_non_null(strstr(message, failures[i].words));
	}
}

static void test_failures_after_the_platform(void **test)
{
	_cleanup_free_ char *message = NULL, *again = NULL;
	struct host *host = NULL;

	simulated_write(*test, "faults.json", "{\"orders\": 1}");
	assert_int_equal(simulator_open("guide", *test, false, &host, &message), -EINVAL);
	assert_non_null(strstr(message, "faults.json: orders: "));
	simulated_write(*test, "state", "");
	assert_int_equal(simulator_open("guide", *test, false, &host, &again), -EINVAL);
	assert_non_null(strstr(again, "--simulate-reset"));
	assert_null(host);
}

/* The base is the user's own; what comes after it is ours. */
static void check_home(const char *platform, const char *name, const char *last)
{
	_cleanup_free_ char *path = NULL, *expected = NULL;
	const struct passwd *user = getpwuid(geteuid());

	unsetenv("XDG_STATE_HOME");
	assert_non_null(user);
	assert_int_equal(state_directory_find(platform, name, &path), 0);
	assert_true(asprintf(&expected, "%s/.local/state/intel-speed-select/%s", user->pw_dir,
			     last) >= 0);
	assert_memory_equal(path, expected, strlen(expected));
	if (!strchr(platform, '/'))
		assert_string_equal(path, expected);
}

static void test_state_directory(void **test)
{
	_cleanup_free_ char *file = NULL, *other = NULL, *first = NULL, *second = NULL;
	const char *directory = *test;

	check_home("guide", "guide", "guide");
	check_home("guide", "../gui de", "_._gui_de");
	simulated_write(directory, "a.json", "{}");
	simulated_write(directory, "b.json", "{}");
	assert_true(asprintf(&file, "%s/a.json", directory) >= 0);
	assert_true(asprintf(&other, "%s/b.json", directory) >= 0);
	check_home(file, "guide", "guide-");
	assert_int_equal(state_directory_find(file, "guide", &first), 0);
	assert_int_equal(state_directory_find(other, "guide", &second), 0);
	assert_string_not_equal(first, second);
	assert_int_equal(state_directory_find("./no-such.json", "guide", &first), -ENOENT);
}

/* Root takes nothing from the environment. */
static void test_state_directory_from_environment(void **test)
{
	_cleanup_free_ char *path = NULL, *relative = NULL;

	(void)test;
	setenv("XDG_STATE_HOME", "/somewhere", 1);
	assert_int_equal(state_directory_find("guide", "guide", &path), 0);
	if (geteuid())
		assert_string_equal(path, "/somewhere/intel-speed-select/guide");
	else
		assert_null(strstr(path, "/somewhere"));
	setenv("XDG_STATE_HOME", "somewhere", 1);
	assert_int_equal(state_directory_find("guide", "guide", &relative), 0);
	assert_int_equal(relative[0], '/');
	unsetenv("XDG_STATE_HOME");
}

static const struct workload_ops *inner;
static uint64_t permille; /* of the cycles of the first chain, those of the second one */

static int read_skewed(struct workload *workload, struct load_readings *ret_readings)
{
	assert_int_equal(inner->read_loads(workload, ret_readings), 0);
	assert_int_equal(ret_readings->count, 1);
	ret_readings->list->add_cycles = ret_readings->list->multiply_cycles / 1000 * permille;
	return 0;
}

/* The frequency that a load saw is shown if both of its chains give it, within 3 percent. */
static void test_chains(void **test)
{
	static const struct {
		uint64_t permille;
		bool agrees;
	} rows[] = {
		{ 1000, true }, { 971, true }, { 1029, true }, { 969, false }, { 1032, false }
	};
	_cleanup_host_ struct host *host = open_guide(*test, false);
	_cleanup_(machine_close) struct machine *machine = NULL;
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, isolated = { 0 };
	struct workload_ops ops = *host->workload->ops;
	struct run_load load = { .kind = LOAD_SCALAR };
	struct run_job job = { .ns = 1000000000, .loads = &load, .n_loads = 1 };
	char *message = NULL;

	inner = host->workload->ops;
	ops.read_loads = read_skewed;
	host->workload->ops = &ops;
	assert_int_equal(machine_open(host, &machine, &message), 0);
	assert_int_equal(cpuset_add(&cpus, 0), 0);
	load.cpus = cpus;
	job.sources = (struct sources_options){ .machine = machine,
						.cpus = &cpus,
						.isolated = &isolated };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_run_result_ struct run_result result = { 0 };
		const struct figure *mhz;

		permille = rows[i].permille;
		assert_int_equal(run_measure(&job, &result), 0);
		mhz = &result.window.cpus->loop_mhz;
		assert_true(mhz->value == (rows[i].agrees ? 3200 : 0));
		assert_string_equal(mhz->about, rows[i].agrees ? "model: loop" : "chains disagree");
	}
}

#define DIRECTORY_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DIRECTORY_TEST(test_parts_belong_together),
		DIRECTORY_TEST(test_state_lasts_until_reset),
		DIRECTORY_TEST(test_marks),
		DIRECTORY_TEST(test_ordered_faults),
		DIRECTORY_TEST(test_failures),
		DIRECTORY_TEST(test_failures_after_the_platform),
		DIRECTORY_TEST(test_state_directory),
		DIRECTORY_TEST(test_state_directory_from_environment),
		DIRECTORY_TEST(test_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Faults: which events they affect, their order, and the messages for a wrong file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "simulated.h"
#include "simulator/faults.h"

struct fixture {
	struct sim_platform *platform;
	char *directory;
	struct sim_state *state;
};

static int set_up(void **test)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	_cleanup_free_ char *message = NULL;

	if (!fixture)
		return -1;
	fixture->platform = simulated_new();
	fixture->directory = simulated_make_directory();
	*test = fixture;
	return state_open(fixture->platform, fixture->directory, false, &fixture->state, &message);
}

static int tear_down(void **test)
{
	struct fixture *fixture = *test;

	state_close(fixture->state);
	simulated_free(fixture->platform);
	simulated_remove_directory(fixture->directory);
	free(fixture);
	return 0;
}

static struct sim_faults *open_text(const struct fixture *fixture, const char *text)
{
	_cleanup_free_ char *message = NULL;
	struct sim_faults *faults = NULL;
	int err;

	simulated_write(fixture->directory, "faults.json", text);
	err = faults_open(fixture->state, &faults, &message);
	if (err)
		fail_msg("%d: %s", err, message ? message : "");
	return faults;
}

static const struct sim_fault_event levels_info = { .point = SIM_FAULT_MAILBOX, .number = 0x7f00 };

static void test_no_file(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_faults *faults = NULL;
	char *message = NULL;

	assert_int_equal(faults_open(fixture->state, &faults, &message), 0);
	assert_false(faults_settings(faults)->missing_capability);
	assert_int_equal(faults_apply(faults, &levels_info).error, 0);
	assert_int_equal(fixture->state->machine->faults_digest, 0);
	faults_close(faults);
}

static void test_capability(void **test)
{
	struct sim_faults *faults = open_text(*test, "{ \"missing_capability\": true }");

	assert_true(faults_settings(faults)->missing_capability);
	faults_close(faults);
	faults = open_text(*test, "{ \"missing_capability\": false, \"orders\": [] }");
	assert_false(faults_settings(faults)->missing_capability);
	faults_close(faults);
}

struct match {
	const char *order; /* besides its error */
	struct sim_fault_event event;
	bool hit;
};

#define MAILBOX(word, ...)                                                \
	{                                                                 \
		.point = SIM_FAULT_MAILBOX, .number = (word), __VA_ARGS__ \
	}
#define AT(where, ...)                                  \
	{                                               \
		.point = SIM_FAULT_##where, __VA_ARGS__ \
	}

#define HIT(text, ...)                                             \
	{                                                          \
		.order = (text), .event = __VA_ARGS__, .hit = true \
	}
#define MISS(text, ...)                               \
	{                                             \
		.order = (text), .event = __VA_ARGS__ \
	}

static const struct match matches[] = {
	HIT("'at': 'open'", AT(OPEN, )),
	MISS("'at': 'open'", AT(READ, .path = "/proc/cpuinfo")),
	HIT("'at': 'mailbox'", MAILBOX(0x9403, )),
	HIT("'at': 'mailbox', 'command': '0x7f'", MAILBOX(0x7f23, )),
	MISS("'at': 'mailbox', 'command': '0x7f'", MAILBOX(0x9403, )),
	HIT("'at': 'mailbox', 'command': '0x7F/0x03'", MAILBOX(0x7f03, )),
	MISS("'at': 'mailbox', 'command': '0x7f/0x03'", MAILBOX(0x7f02, )),
	HIT("'at': 'mailbox', 'parameter': 8", MAILBOX(0xd000, .parameter = 8)),
	MISS("'at': 'mailbox', 'parameter': '0x108'", MAILBOX(0xd000, .parameter = 8)),
	HIT("'at': 'mailbox', 'data': 1", MAILBOX(0x7f03, .data = 1)),
	MISS("'at': 'mailbox', 'data': '0x0'", MAILBOX(0x7f03, .data = 1)),
	HIT("'at': 'mailbox', 'cpu': 0", MAILBOX(0x7f00, )),
	MISS("'at': 'mailbox', 'cpu': 15", MAILBOX(0x7f00, .cpu = 4)),
	HIT("'at': 'mmio', 'register': '0x20'", AT(MMIO, .number = 0x20)),
	MISS("'at': 'mmio', 'register': 32", AT(MMIO, .number = 0x24)),
	HIT("'at': 'mmio', 'access': 'read'", AT(MMIO, .number = 0x20)),
	MISS("'at': 'mmio', 'access': 'read'", AT(MMIO, .write = true)),
	HIT("'at': 'msr', 'msr': '0x1ad', 'access': 'write'",
	    AT(MSR, .number = 0x1ad, .write = true)),
	MISS("'at': 'msr', 'msr': '0x1ad', 'access': 'write'", AT(MSR, .number = 0x1ad)),
	HIT("'at': 'phy_id', 'cpu': 7", AT(PHY_ID, .cpu = 7)),
	HIT("'at': 'request', 'request': 'GET_PHY_ID'", AT(REQUEST, .number = ISST_IF_GET_PHY_ID)),
	MISS("'at': 'request', 'request': 'GET_PHY_ID'",
	     AT(REQUEST, .number = ISST_IF_MSR_COMMAND)),
	HIT("'at': 'request'", AT(REQUEST, .number = ISST_IF_PERF_LEVELS)),
	HIT("'at': 'read'", AT(READ, .path = "/proc/cpuinfo")),
	MISS("'at': 'write'", AT(READ, .path = "/proc/cpuinfo")),
	HIT("'at': 'write', 'path': '/sys/devices/system/cpu/cpu[0-3]/online'",
	    AT(WRITE, .path = "/sys/devices/system/cpu/cpu3/online")),
	MISS("'at': 'write', 'path': '/sys/devices/system/cpu/cpu[0-3]/online'",
	     AT(WRITE, .path = "/sys/devices/system/cpu/cpu4/online")),
	MISS("'at': 'write', 'path': '/sys/*/online'",
	     AT(WRITE, .path = "/sys/devices/system/cpu/cpu4/online")),
};

/* The text with double quotes for single ones. */
static char *quote(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	for (char *at = strchr(copy, '\''); at; at = strchr(at, '\''))
		*at = '"';
	return copy;
}

static void test_matches(void **test)
{
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		_cleanup_free_ char *order = quote(matches[i].order), *text = NULL;
		struct sim_faults *faults;
		int error;

		assert_true(asprintf(&text, "{\"orders\": [{%s, \"error\": \"EBUSY\"}]}", order) >=
			    0);
		faults = open_text(*test, text);
		error = faults_apply(faults, &matches[i].event).error;
		faults_close(faults);
		if (error != (matches[i].hit ? -EBUSY : 0))
			fail_msg("%s: %d", matches[i].order, error);
	}
}

static const char third_and_fourth[] =
	"{\"orders\": [{\"at\": \"mailbox\", \"skip\": 2, \"times\": 2, \"error\": \"EBUSY\"}]}";

/* Events in turn get these errors. */
static void apply_in_turn(struct sim_faults *faults, const int *errors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(faults_apply(faults, &levels_info).error, errors[i]);
}

static void test_turns(void **test)
{
	static const int errors[] = { 0, 0, -EBUSY, -EBUSY, 0, 0 };
	struct sim_faults *faults = open_text(*test, third_and_fourth);

	apply_in_turn(faults, errors, ARRAY_SIZE(errors));
	faults_close(faults);
}

static void test_turns_without_end(void **test)
{
	static const int errors[] = { 0, -EIO, -EIO, -EIO };
	struct fixture *fixture = *test;
	struct sim_faults *faults = open_text(
		fixture, "{\"orders\": [{\"at\": \"mailbox\", \"skip\": 1, \"error\": \"EIO\"}]}");

	apply_in_turn(faults, errors, ARRAY_SIZE(errors));
	fixture->state->fault_counts[0] = UINT32_MAX;
	apply_in_turn(faults, errors + 1, 2);
	assert_int_equal(fixture->state->fault_counts[0], UINT32_MAX);
	faults_close(faults);
}

/* Counts go on while the text is the same, and start again when it changes. */
static void test_counts_follow_the_text(void **test)
{
	static const int before[] = { 0, 0, -EBUSY }, after[] = { -EBUSY, 0 };
	static const int afresh[] = { 0, 0, -EBUSY, -EBUSY };
	_cleanup_free_ char *changed = NULL;
	struct sim_faults *faults = open_text(*test, third_and_fourth);

	apply_in_turn(faults, before, ARRAY_SIZE(before));
	faults_close(faults);
	faults = open_text(*test, third_and_fourth);
	apply_in_turn(faults, after, ARRAY_SIZE(after));
	faults_close(faults);
	assert_true(asprintf(&changed, "%s\n", third_and_fourth) >= 0);
	faults = open_text(*test, changed);
	apply_in_turn(faults, afresh, ARRAY_SIZE(afresh));
	faults_close(faults);
}

static void test_processes_count_together(void **test)
{
	static const int errors[] = { 0, 0 }, mine[] = { -EBUSY, -EBUSY, 0 };
	struct sim_faults *faults = open_text(*test, third_and_fourth);
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct sim_faults *own = open_text(*test, third_and_fourth);

		apply_in_turn(own, errors, ARRAY_SIZE(errors));
		faults_close(own);
		faults_close(faults);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	apply_in_turn(faults, mine, ARRAY_SIZE(mine));
	faults_close(faults);
}

static void test_several_orders(void **test)
{
	struct sim_faults *faults = open_text(
		*test, "{\"orders\": [{\"at\": \"mailbox\", \"delay_us\": 200},"
		       "{\"at\": \"mailbox\", \"code\": 22, \"times\": 1},"
		       "{\"at\": \"mailbox\", \"skip\": 1, \"error\": \"EINTR\", \"delay_us\": 50},"
		       "{\"at\": \"mailbox\", \"error\": \"EBUSY\", \"skip\": 1},"
		       "{\"at\": \"mailbox\", \"ignored\": true, \"skip\": 1},"
		       "{\"at\": \"mailbox\", \"flip\": \"0x10000000000002\", \"skip\": 1},"
		       "{\"at\": \"mailbox\", \"flip\": \"0x4\", \"skip\": 1}]}");
	struct sim_fault_effect effect = faults_apply(faults, &levels_info);

	assert_int_equal(effect.error, 0);
	assert_int_equal(effect.completion_code, 22);
	assert_int_equal(effect.delay_us, 200);
	assert_false(effect.ignored);
	effect = faults_apply(faults, &levels_info);
	assert_true(effect.ignored);
	assert_int_equal(effect.flip, 0x10000000000006);
	assert_int_equal(effect.error, -EINTR);
	assert_int_equal(effect.completion_code, 0);
	assert_int_equal(effect.delay_us, 250);
	faults_close(faults);
}

/* All delays are waited out, one after the other. */
static void test_delays(void **test)
{
	struct sim_faults *faults =
		open_text(*test, "{\"orders\": [{\"at\": \"mailbox\", \"delay_us\": 2000},"
				 "{\"at\": \"mailbox\", \"delay_us\": 1000, \"error\": \"EIO\"}]}");
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(faults_apply(faults, &levels_info).error, -EIO);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >=
		    3000000);
	faults_close(faults);
}

struct mistake {
	const char *text;
	const char *message; /* after the file's name */
};

#define MISTAKE(wrong, words)                       \
	{                                           \
		.text = (wrong), .message = (words) \
	}

static const struct mistake mistakes[] = {
	MISTAKE("{\n'orders': [\n}", ":3: "),
	MISTAKE("[]", ": must be an object"),
	MISTAKE("{'ord\\\n\033[2J': []}", ":2: invalid escape"),
	MISTAKE("{'order': []}", ": order: unknown member"),
	MISTAKE("{\n'missing_capability': 1}", ": missing_capability: must be true or false"),
	MISTAKE("{'hwp_off': 'yes'}", "hwp_off: must be true or false"),
	MISTAKE("{'ignored_writes': null}", "ignored_writes: must be true or false"),
	MISTAKE("{'allowed_levels': [8]}", "allowed_levels[0]: "),
	MISTAKE("{'allowed_levels': 3}", "allowed_levels: "),
	MISTAKE("{'slow_status': 256}", "slow_status: "),
	MISTAKE("{'orders': [{'at': 'mmio', 'package': 0, 'error': 'EIO'}]}",
		"package: has no effect at this point"),
	MISTAKE("{'orders': [{'at': 'tpmi', 'cpu': 0, 'error': 'EIO'}]}",
		"cpu: has no effect at this point"),
	MISTAKE("{'orders': {}}", ": orders: must be a list"),
	MISTAKE("{'orders': [\n1]}", ": orders[0]: must be an object"),
	MISTAKE("{'orders': [\n{'error': 'EIO'}]}", ": orders[0].at: is missing"),
	MISTAKE("{'orders': [{'at': 'sysfs', 'error': 'EIO'}]}",
		": orders[0].at: \"sysfs\" is an unknown value"),
	MISTAKE("{'orders': [{'at': 'open'}]}", ": orders[0]: must have an error, a code"),
	MISTAKE("{'clamped_limits': 1}", "clamped_limits: must be true or false"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'ignored': false}]}", "ignored: must be true"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'flip': '0x0'}]}", "flip: must be bits such"),
	MISTAKE("{'orders': [{'at': 'read', 'bytes': 'abc'}]}", "bytes: must be pairs of hex"),
	MISTAKE("{'orders': [{'at': 'read', 'bytes': '0G'}]}", "bytes: must be pairs of hex"),
	MISTAKE("{'orders': [{'at': 'write', 'bytes': '00'}]}", "bytes: has no effect at"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'flip': 1}]}", "flip: must be a string"),
	MISTAKE("{'orders': [{'at': 'read', 'ignored': true}]}", "ignored: has no effect"),
	MISTAKE("{'orders': [{'at': 'msr', 'ignored': true}]}",
		"ignored and flip need \"access\": \"write\""),
	MISTAKE("{'orders': [{'at': 'tpmi', 'access': 'read', 'flip': '0x1'}]}",
		"need \"access\": \"write\""),
	MISTAKE("{'orders': [{'at': 'mailbox', 'error': 'EIO', 'code': 1}]}",
		"both an error and a code"),
	MISTAKE("{'orders': [{'at': 'open', 'error': 'EFUN'}]}",
		"orders[0].error: \"EFUN\" is an unknown value"),
	MISTAKE("{'orders': [{'at': 'open', 'error': 5}]}", "orders[0].error: must be a string"),
	MISTAKE("{'orders': [{'at': 'open', 'error': 'EIO'},\n{'at': 'open',\n'code': 1}]}",
		": orders[1].code: has no effect at this point"),
	MISTAKE("{'orders': [{'at': 'mmio', 'msr': 1}]}", "orders[0].msr: has no effect"),
	MISTAKE("{'orders': [{'at': 'open', 'cpu': 1}]}", "orders[0].cpu: has no effect"),
	MISTAKE("{'orders': [{'at': 'open', 'tims': 1}]}", "orders[0].tims: unknown member"),
	MISTAKE("{'orders': [{'at': 'open', 'times': 0}]}", "orders[0].times: must be from 1 to"),
	MISTAKE("{'orders': [{'at': 'open', 'skip': -1}]}", "orders[0].skip: must be from 0 to"),
	MISTAKE("{'orders': [{'at': 'open', 'delay_us': 1.5}]}",
		"delay_us: must be a whole number"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'code': 256}]}", "code: must be from 1 to 255"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'command': '7f'}]}",
		"command: must be a command such"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'command': '0x7f/'}]}", "must be a command such"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'command': '0x100/0x01'}]}",
		"must be a command such"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'data': '12'}]}",
		"must be a whole number or one such"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'data': '0x100000000'}]}",
		"must be a whole number or"),
	MISTAKE("{'orders': [{'at': 'msr', 'access': 'rw'}]}",
		"access: \"rw\" is an unknown value"),
	MISTAKE("{'orders': [{'at': 'request', 'request': 'GET'}]}",
		"request: \"GET\" is an unknown value"),
	MISTAKE("{'orders': [{'at': 'read', 'path': 'proc/cpuinfo'}]}", "must begin with a slash"),
	MISTAKE("{'orders': [{'at': 'mailbox', 'cpu': 16, 'error': 'EIO'}]}",
		"orders[0].cpu: the machine has CPUs 0 to 15 only"),
	MISTAKE("{'orders': [{'at': 'open', 'at': 'open', 'error': 'EIO'}]}", ":1: "),
};

static void test_mistakes(void **test)
{
	const struct fixture *fixture = *test;

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		_cleanup_free_ char *text = quote(mistakes[i].text), *message = NULL, *name = NULL;
		struct sim_faults *faults = NULL;

		simulated_write(fixture->directory, "faults.json", text);
		assert_true(asprintf(&name, "%s/faults.json:", fixture->directory) >= 0);
		assert_int_equal(faults_open(fixture->state, &faults, &message), -EINVAL);
		assert_null(faults);
		if (!message || !strstr(message, mistakes[i].message) || strchr(message, '\n') ||
		    strncmp(message, name, strlen(name)) != 0)
			fail_msg("%s: \"%s\"", mistakes[i].text, message ? message : "");
	}
}

static void test_too_many(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *text = NULL, *message = NULL;
	struct sim_faults *faults = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	fputs("{\"orders\": [", to);
	for (size_t i = 0; i < SIM_MAX_FAULTS + 1; i++)
		fprintf(to, "%s{\"at\": \"open\", \"error\": \"EIO\"}", i ? "," : "");
	fputs("]}", to);
	fclose(to);
	simulated_write(fixture->directory, "faults.json", text);
	assert_int_equal(faults_open(fixture->state, &faults, &message), -EINVAL);
	assert_non_null(strstr(message, "not 257"));
}

static void test_unreadable(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *path = NULL, *message = NULL;
	struct sim_faults *faults = NULL;

	assert_true(asprintf(&path, "%s/faults.json", fixture->directory) >= 0);
	assert_int_equal(symlink("faults.json", path), 0);
	assert_int_equal(faults_open(fixture->state, &faults, &message), -ELOOP);
	assert_non_null(strstr(message, "faults.json: "));
}

#define FIXTURE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_no_file),
		FIXTURE_TEST(test_capability),
		FIXTURE_TEST(test_matches),
		FIXTURE_TEST(test_turns),
		FIXTURE_TEST(test_turns_without_end),
		FIXTURE_TEST(test_counts_follow_the_text),
		FIXTURE_TEST(test_processes_count_together),
		FIXTURE_TEST(test_several_orders),
		FIXTURE_TEST(test_delays),
		FIXTURE_TEST(test_mistakes),
		FIXTURE_TEST(test_too_many),
		FIXTURE_TEST(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

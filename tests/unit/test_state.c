// SPDX-License-Identifier: GPL-2.0-only
/* The shared state: what it starts with, who sees it, who may use it, and what damage does to
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "simulated.h"
#include "simulator/state.h"

#define PROCESSES 4
#define ROUNDS    500
#define KILLS     20

struct fixture {
	struct sim_platform *platform;
	char *directory;
};

static int set_up(void **test)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	fixture->platform = simulated_new();
	fixture->directory = simulated_make_directory();
	*test = fixture;
	return 0;
}

static int tear_down(void **test)
{
	struct fixture *fixture = *test;

	simulated_free(fixture->platform);
	simulated_remove_directory(fixture->directory);
	free(fixture);
	return 0;
}

static char *path_of(const struct fixture *fixture, const char *name)
{
	char *path = NULL;

	assert_true(asprintf(&path, "%s/%s", fixture->directory, name) >= 0);
	return path;
}

static struct sim_state *open_it(const struct fixture *fixture, bool reset)
{
	_cleanup_free_ char *message = NULL;
	struct sim_state *state = NULL;
	int err = state_open(fixture->platform, fixture->directory, reset, &state, &message);

	if (err)
		fail_msg("%d: %s", err, message ? message : "");
	return state;
}

/* Opening fails with this error and message, and returns no state. */
static void refuse(const struct fixture *fixture, const char *directory, int error,
		   const char *words)
{
	_cleanup_free_ char *message = NULL;
	struct sim_state *state = NULL;
	int err = state_open(fixture->platform, directory, false, &state, &message);

	assert_null(state);
	assert_int_equal(err, error);
	assert_non_null(message);
	if (!strstr(message, words) || strncmp(message, directory, strlen(directory)) != 0)
		fail_msg("\"%s\" does not say \"%s\" of %s", message, words, directory);
}

static void test_first_values(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *state = open_it(fixture, false);

	assert_int_equal(state->cpus[15].online, 1);
	assert_int_equal(state->cpus[15].governor, 1);
	assert_int_equal(state->cpus[15].epb, 6);
	assert_int_equal(state->cpus[15].epp, SIM_EPP_NAMED + 2);
	assert_int_equal(state->cpus[15].scaling_min_khz, 0);
	assert_int_equal(state->cpus[15].scaling_max_khz, SIM_NO_LIMIT_KHZ);
	assert_int_equal(state->cpus[15].idle_disabled, 0x2);
	assert_int_equal(state->cpus[15].resume_latency_us, 0);
	assert_int_equal(state->uncore[1].khz[SIM_LIMIT_MIN], 800000);
	assert_int_equal(state->uncore[1].khz[SIM_LIMIT_MAX], 2400000);
	assert_int_equal(state->packages[1].turbo_ratio_limit, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(state->packages[1].turbo_ratio_limit_cores, 0x100e0c0a08060402);
	assert_int_equal(state->punits[1].clos[3], 0x00ff0000);
	assert_int_equal(state->machine->no_turbo, 0);
	assert_int_equal(state->machine->umwait_c02, 1);
	assert_int_equal(state->machine->umwait_max_time, 100000);
	assert_int_equal(state->fault_counts[SIM_MAX_FAULTS - 1], 0);
	state_close(state);
}

/* 8-4-4-4-12 digits of a random UUID. */
static void check_boot_id(const char *id)
{
	static const char form[] = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";

	assert_int_equal(strlen(id), strlen(form));
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == 'x')
			assert_non_null(strchr("0123456789abcdef", id[i]));
		else if (form[i] == 'y')
			assert_non_null(strchr("89ab", id[i]));
		else
			assert_int_equal(id[i], form[i]);
	}
}

static void test_settings_stay(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *first = open_it(fixture, false), *second = open_it(fixture, false);
	char boot_id[sizeof(first->machine->boot_id)];

	memcpy(boot_id, first->machine->boot_id, sizeof(boot_id));
	check_boot_id(boot_id);
	assert_int_equal(state_lock(first), 0);
	first->cpus[3].online = 0;
	assert_int_equal(state_commit(first), 0);
	assert_int_equal(state_lock(second), 0);
	assert_int_equal(second->cpus[3].online, 0);
	state_unlock(second);
	state_close(first);
	state_close(second);

	first = open_it(fixture, false);
	assert_int_equal(first->cpus[3].online, 0);
	assert_string_equal(first->machine->boot_id, boot_id);
	state_close(first);

	first = open_it(fixture, true);
	assert_int_equal(first->cpus[3].online, 1);
	assert_string_not_equal(first->machine->boot_id, boot_id);
	state_close(first);
}

static bool exists(const struct fixture *fixture, const char *name)
{
	_cleanup_free_ char *path = path_of(fixture, name);
	struct stat status;

	return lstat(path, &status) == 0;
}

static void test_reset_removes_what_was_made(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *run = path_of(fixture, "run"), *deep = path_of(fixture, "cgroup/a/b");
	_cleanup_free_ char *cgroup = path_of(fixture, "cgroup"), *a = path_of(fixture, "cgroup/a");
	_cleanup_free_ char *link = path_of(fixture, "cgroup/link");

	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(mkdir(cgroup, 0700), 0);
	assert_int_equal(mkdir(a, 0700), 0);
	assert_int_equal(mkdir(deep, 0700), 0);
	assert_int_equal(symlink("..", link), 0);
	simulated_write(deep, "cpuset.cpus", "0-3\n");
	simulated_write(run, "cpu_map", "x");
	simulated_write(fixture->directory, "state.new", "half written");
	simulated_write(fixture->directory, "faults.json", "{}");
	simulated_write(fixture->directory, "notes", "the user's");
	state_close(open_it(fixture, true));
	assert_false(exists(fixture, "run"));
	assert_false(exists(fixture, "cgroup"));
	assert_false(exists(fixture, "state.new"));
	assert_true(exists(fixture, "state"));
	assert_true(exists(fixture, "faults.json"));
	assert_true(exists(fixture, "notes"));
}

static void test_directories_are_made(void **test)
{
	struct fixture *fixture = *test;
	_cleanup_free_ char *deep = path_of(fixture, "a/b/c///"),
			    *clean = path_of(fixture, "a/b/c");
	struct sim_state *state = NULL;
	char *message = NULL;
	struct stat status;

	assert_int_equal(state_open(fixture->platform, deep, false, &state, &message), 0);
	assert_string_equal(state->directory, clean);
	assert_int_equal(fstat(state->directory_fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(fstat(state->fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	state_close(state);
}

static void test_untrusted_directories(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *link = path_of(fixture, "link"), *file = path_of(fixture, "file");
	_cleanup_free_ char *open = path_of(fixture, "open");
	_cleanup_free_ char *slash = path_of(fixture, "link/");
	_cleanup_free_ char *message = NULL;
	struct sim_state *state = NULL;

	assert_int_equal(symlink(".", link), 0);
	refuse(fixture, link, -EPERM, "is a link");
	assert_int_equal(state_open(fixture->platform, slash, false, &state, &message), -EPERM);
	simulated_write(fixture->directory, "file", "");
	refuse(fixture, file, -ENOTDIR, strerror(ENOTDIR));
	assert_int_equal(mkdir(open, 0700), 0);
	assert_int_equal(chmod(open, 0770), 0);
	refuse(fixture, open, -EPERM, "may be written by other users");
	assert_int_equal(chmod(open, 0702), 0);
	refuse(fixture, open, -EPERM, "may be written by other users");
	assert_int_equal(chmod(open, 0755), 0);
	assert_int_equal(state_open(fixture->platform, open, false, &state, &message), 0);
	state_close(state);
}

/* Root can give a directory away; for anyone else one of root's will do. */
static void test_foreign_directory(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *foreign = path_of(fixture, "foreign");

	if (geteuid()) {
		refuse(fixture, "/usr", -EPERM, "belongs to another user");
		return;
	}
	assert_int_equal(mkdir(foreign, 0700), 0);
	assert_int_equal(chown(foreign, 65534, 65534), 0);
	refuse(fixture, foreign, -EPERM, "belongs to another user");
}

static void test_other_platform_text(void **test)
{
	const struct fixture *fixture = *test;

	state_close(open_it(fixture, false));
	fixture->platform->digest++;
	refuse(fixture, fixture->directory, -EINVAL, "made for another platform file");
	refuse(fixture, fixture->directory, -EINVAL, "--simulate-reset");
	state_close(open_it(fixture, true));
	state_close(open_it(fixture, false));
}

/* Overwrites bytes of the state file, or with length 0 cuts it there. */
static void damage(const struct fixture *fixture, off_t at, const void *bytes, size_t length)
{
	_cleanup_free_ char *path = path_of(fixture, "state");
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	if (length)
		assert_int_equal(pwrite(fd, bytes, length, at), (ssize_t)length);
	else
		assert_int_equal(ftruncate(fd, at), 0);
}

static off_t offset_in(const struct sim_state *state, const void *field)
{
	return (const char *)field - (const char *)state->data;
}

static void test_damaged_headers(void **test)
{
	static const struct {
		off_t at;
		const char *bytes;
		size_t length;
		const char *words;
	} cases[] = {
		{ .at = 0, .words = "is truncated" },
		{ .at = 7, .words = "is truncated" },
		{ .at = 100, .words = "is truncated" },
		{ .at = 1 << 20, .words = "is damaged" },
		{ .at = 0, .bytes = "X", .length = 1, .words = "is not the state" },
		{ .at = 8, .bytes = "\377", .length = 1, .words = "another version" },
		{ .at = 12, .bytes = "\0", .length = 1, .words = "is damaged" },
		{ .at = 15, .bytes = "\1", .length = 1, .words = "is truncated" },
		{ .at = 16, .bytes = "\377", .length = 1, .words = "another platform file" },
	};
	const struct fixture *fixture = *test;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		state_close(open_it(fixture, true));
		damage(fixture, cases[i].at, cases[i].bytes, cases[i].length);
		refuse(fixture, fixture->directory, -EINVAL, cases[i].words);
		refuse(fixture, fixture->directory, -EINVAL, "--simulate-reset");
	}
	state_close(open_it(fixture, true));
}

static void test_damaged_content(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *state = open_it(fixture, true);
	const off_t places[] = {
		offset_in(state, &state->punits[1].current_level),
		offset_in(state, &state->punits[0].turbo_freq_on),
		offset_in(state, &state->punits[0].association[255]),
		offset_in(state, &state->cpus[15].online),
		offset_in(state, &state->cpus[0].governor),
		offset_in(state, (const char *)&state->cpus[0].epp + 1),
	};
	char unterminated[sizeof(state->machine->boot_id)];
	off_t boot_id = offset_in(state, state->machine->boot_id);

	state_close(state);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		state_close(open_it(fixture, true));
		damage(fixture, places[i], "\177", 1);
		refuse(fixture, fixture->directory, -EINVAL, "is damaged");
	}
	state_close(open_it(fixture, true));
	memset(unterminated, 'a', sizeof(unterminated));
	damage(fixture, boot_id, unterminated, sizeof(unterminated));
	refuse(fixture, fixture->directory, -EINVAL, "is damaged");
}

static void test_untrusted_files(void **test)
{
	const struct fixture *fixture = *test;
	_cleanup_free_ char *path = path_of(fixture, "state"), *other = path_of(fixture, "other");

	state_close(open_it(fixture, false));
	assert_int_equal(chmod(path, 0620), 0);
	refuse(fixture, fixture->directory, -EPERM, "may be written by other users");
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink("other", path), 0);
	refuse(fixture, fixture->directory, -EPERM, "is a link");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	refuse(fixture, fixture->directory, -EISDIR, strerror(EISDIR));
}

/* Adds one to a figure, again and again, with the lock. */
static int count_in_child(const struct fixture *fixture)
{
	struct sim_state *state = NULL;
	char *message = NULL;

	if (state_open(fixture->platform, fixture->directory, false, &state, &message))
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t seen;

		if (state_lock(state))
			return 1;
		seen = state->uncore[0].khz[SIM_LIMIT_MIN];
		if (i % 50 == 0)
			usleep(100);
		state->uncore[0].khz[SIM_LIMIT_MIN] = seen + 1;
		state->uncore[0].khz[SIM_LIMIT_MAX] = seen + 1;
		if (state_commit(state))
			return 1;
	}
	state_close(state);
	return 0;
}

/* All start together with no state there: one of them makes it. */
static void test_processes_share(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *state;
	pid_t children[PROCESSES];
	int status;

	for (size_t i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(count_in_child(fixture));
		assert_true(children[i] > 0);
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	state = open_it(fixture, false);
	assert_int_equal(state->uncore[0].khz[SIM_LIMIT_MIN], 800000 + PROCESSES * ROUNDS);
	state_close(state);
}

static void take_offline(struct sim_state *state, uint32_t cpu)
{
	assert_int_equal(state_lock(state), 0);
	state->cpus[cpu].online = 0;
	assert_int_equal(state_commit(state), 0);
}

/* The two files change places at each write. */
static void test_writes_of_another_process_are_seen(void **test)
{
	const struct fixture *fixture = *test;

	for (uint32_t writes = 1; writes <= 4; writes++) {
		struct sim_state *reader = open_it(fixture, true);
		struct sim_state *writer = open_it(fixture, false);

		for (uint32_t cpu = 0; cpu < writes; cpu++)
			take_offline(writer, cpu);
		assert_int_equal(state_lock(reader), 0);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			assert_int_equal(reader->cpus[cpu].online, cpu >= writes);
		state_unlock(reader);
		state_close(writer);
		state_close(reader);
	}
}

static void test_reset_of_another_process_is_seen(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *reader = open_it(fixture, false);
	struct sim_state *other;

	take_offline(reader, 1);
	other = open_it(fixture, true);
	assert_int_equal(state_lock(reader), 0);
	assert_int_equal(reader->cpus[1].online, 1);
	state_unlock(reader);
	state_close(other);
	state_close(reader);
}

/* A process that is killed at any moment leaves the old state or the new one, whole. */
static void test_killed_writers(void **test)
{
	const struct fixture *fixture = *test;

	assert_int_equal(count_in_child(fixture), 0); /* both figures are the same from here on */
	for (unsigned int i = 0; i < KILLS; i++) {
		struct sim_state *state;
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			while (count_in_child(fixture) == 0)
				;
			_exit(1);
		}
		usleep(500 + 300 * i);
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		state = open_it(fixture, false);
		assert_int_equal(state->uncore[0].khz[SIM_LIMIT_MIN],
				 state->uncore[0].khz[SIM_LIMIT_MAX]);
		assert_true(state->uncore[0].khz[SIM_LIMIT_MIN] >= 800000);
		state_close(state);
	}
}

/* A file that cannot be written changes nothing, for this process neither. */
static void test_failed_commit(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *state = open_it(fixture, false);
	_cleanup_free_ char *obstacle = path_of(fixture, "state.new");

	assert_int_equal(mkdir(obstacle, 0700), 0);
	assert_int_equal(state_lock(state), 0);
	state->cpus[3].online = 0;
	assert_int_not_equal(state_commit(state), 0);
	assert_int_equal(state->cpus[3].online, 1);
	assert_int_equal(rmdir(obstacle), 0);
	assert_int_equal(state_lock(state), 0);
	state->cpus[3].online = 0;
	assert_int_equal(state_commit(state), 0);
	state_close(state);
	state = open_it(fixture, false);
	assert_int_equal(state->cpus[3].online, 0);
	state_close(state);
}

static void test_punit_of_a_domain(void **test)
{
	const struct fixture *fixture = *test;
	struct sim_state *state = open_it(fixture, false);
	struct punit punit = state_punit(state, 1);

	assert_ptr_equal(punit.fuses, &fixture->platform->domains[1].fuses);
	assert_ptr_equal(punit.state, &state->punits[1]);
	assert_ptr_equal(punit.package, &state->packages[1]);
	state_close(state);
}

#define FIXTURE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_first_values),
		FIXTURE_TEST(test_settings_stay),
		FIXTURE_TEST(test_reset_removes_what_was_made),
		FIXTURE_TEST(test_directories_are_made),
		FIXTURE_TEST(test_untrusted_directories),
		FIXTURE_TEST(test_foreign_directory),
		FIXTURE_TEST(test_other_platform_text),
		FIXTURE_TEST(test_damaged_headers),
		FIXTURE_TEST(test_damaged_content),
		FIXTURE_TEST(test_untrusted_files),
		FIXTURE_TEST(test_processes_share),
		FIXTURE_TEST(test_writes_of_another_process_are_seen),
		FIXTURE_TEST(test_reset_of_another_process_is_seen),
		FIXTURE_TEST(test_killed_writers),
		FIXTURE_TEST(test_failed_commit),
		FIXTURE_TEST(test_punit_of_a_domain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Whole recordings of simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/run_directory.h"
#include "record/record.h"
#include "simulator/simulator.h"
#include "temporary.h"

#define LEVEL_OPEN   "\"locked\": false"
#define LEVEL_LOCKED "\"locked\": true "
#define BOOT_ID      "/proc/sys/kernel/random/boot_id"

/* Makes a platform file below directory: the guide's, with a locked level. Returns its path. */
static char *make_platform(const char *directory)
{
	_cleanup_free_ char *from = text_format("%s/guide.json", getenv("PLATFORM_FILES"));
	_cleanup_free_ char *text = NULL;
	char *path = temporary_path(directory, "platform.json"), *at;
	size_t length;

	assert_int_equal(fileio_read(from, 0, &text, &length), 0);
	at = strstr(text, LEVEL_OPEN);
	assert_non_null(at);
	memcpy(at, LEVEL_LOCKED, strlen(LEVEL_LOCKED));
	temporary_write(path, text, 0644);
	return path;
}

/* The lock of a level is kept, and the boot of the map of offline CPUs is not. */
static void test_kept(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *platform = make_platform(directory);
	_cleanup_free_ char *state_directory = temporary_path(directory, "state");
	_cleanup_free_ char *run = temporary_path(state_directory, "run");
	_cleanup_free_ char *map = temporary_path(run, "cpu-map.json");
	_cleanup_free_ char *message = NULL, *text = NULL, *boot_id = NULL, *map_text = NULL;
	_cleanup_host_ struct host *host = NULL;
	_cleanup_json_ json_t *recording = NULL;
	struct record_remarks remarks;
	const json_t *member;

	(void)state;
	assert_int_equal(mkdir(state_directory, 0700), 0);
	assert_int_equal(simulator_open(platform, state_directory, false, &host, &message), 0);
	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(files_read_line(host->files, BOOT_ID, &boot_id), 0);
	map_text = text_format("{\"boot\": \"%s\"}", boot_id);
	temporary_write(map, map_text, 0644);
	assert_int_equal(
		record_make(host, &(struct record_options){ 0 }, &text, &remarks, &message), 0);
	assert_null(strstr(text, boot_id));
	recording = json_loads(text, 0, NULL);
	assert_non_null(recording);
	member = json_object_get(json_object_get(recording, "recorded"), "cpu_map");
	assert_non_null(strstr(json_string_value(member), "00000000-0000"));
	member = json_object_get(recording, "sst");
	member = json_is_array(member) ? json_array_get(member, 0) : member;
	assert_true(json_is_true(json_object_get(member, "locked")));
	record_remarks_done(&remarks);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

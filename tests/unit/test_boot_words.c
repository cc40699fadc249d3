// SPDX-License-Identifier: GPL-2.0-only
/* Which words of the kernel's command line a recording keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/boot_words.h"
#include "profile/profile.h"

static void test_kept(void **state)
{
	static const struct {
		const char *line, *kept;
	} lines[] = {
		{ "", "\n" },
		{ "\n", "\n" },
		{ "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro quiet\n", "\n" },
		{ "isolcpus=2,3 quiet nohz_full=2\n", "isolcpus=2,3 nohz_full=2\n" },
		{ "  idle=poll   nosmt  ", "idle=poll nosmt\n" },
		{ "nohz nohz_fullest=1 isolcpus.x=1 xisolcpus=1", "nohz\n" },
		{ "ip=192.0.2.7 hostname=mitigations mitigations=off", "mitigations=off\n" },
		{ "intel_idle.max_cstate=1 tsc=reliable",
		  "intel_idle.max_cstate=1 tsc=reliable\n" },
		{ "nohz-full=2 isolcpus=\"2, 3\"\tro", "nohz-full=2 isolcpus=\"2, 3\"\n" },
		{ "name=\"x idle=poll\" nosmt", "nosmt\n" },
		{ "nosmt name=\"open idle=poll\n", "nosmt\n" },
		{ "nosmt -- idle=poll", "nosmt\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *kept = boot_words_keep(lines[i].line);

		assert_string_equal(kept, lines[i].kept);
	}
}

/* Fails unless a recording keeps each word with a value in a text. */
static void check_kept(const char *profile, const char *text)
{
	const char *word = text;

	for (size_t length = 0; (word = boot_words_next(word + length, &length));) {
		_cleanup_free_ char *one = strndup(word, length);
		_cleanup_free_ char *kept = boot_words_keep(one);

		if (strchr(one, '=') && strcmp(kept, "\n") == 0)
			fail_msg("%s: a recording does not keep %s", profile, one);
	}
}

/* What our profiles read and recommend is kept: the recording of a machine is checked as it is. */
static void test_profiles(void **state)
{
	static const char *const names[] = { "latency", "realtime", "throughput" };
	const char *const directories[] = { getenv("PROFILE_FILES"), NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_profile_ struct profile profile = { 0 };
		_cleanup_free_ char *problem = NULL;

		assert_int_equal(profile_read(names[i], directories, &profile, &problem), 0);
		for (size_t j = 0; j < profile.n_items; j++) {
			const struct profile_item *item = &profile.items[j];
			const json_t *boot = json_object_get(item->remedy, "boot");

			check_kept(names[i], json_string_value(boot) ?: "");
			if (item->source.kind == SOURCE_PARAMETER) {
				_cleanup_free_ char *word = text_format("%s=", item->source.name);

				check_kept(names[i], word);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

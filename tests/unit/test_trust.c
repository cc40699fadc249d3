// SPDX-License-Identifier: GPL-2.0-only
/* Whose files are trusted, by what stat() would show of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"

static void test_user(void **state)
{
	(void)state;
	assert_true(trust_user(0));
	assert_true(trust_user(geteuid()));
	assert_false(trust_user(geteuid() + 1));
	assert_false(trust_user(UINT32_MAX));
}

/* Who is a user is asked each time: rights may have been dropped. */
static void test_dropped(void **state)
{
	const uid_t other = 4321;
	bool trusts_itself;

	(void)state;
	if (geteuid() != 0)
		return; /* test_user() has shown it of this user */
	assert_false(trust_user(other));
	assert_int_equal(seteuid(other), 0);
	trusts_itself = trust_user(other);
	assert_int_equal(seteuid(0), 0);
	assert_true(trusts_itself);
	assert_false(trust_user(other));
}

static void test_alone(void **state)
{
	static const struct {
		mode_t mode;
		bool is_ours, is_trusted;
	} cases[] = {
		{ .mode = 0644, .is_ours = true, .is_trusted = true },
		{ .mode = 0755, .is_ours = true, .is_trusted = true },
		{ .mode = 0, .is_ours = true, .is_trusted = true },
		{ .mode = 0664, .is_ours = true, .is_trusted = false },
		{ .mode = 0646, .is_ours = true, .is_trusted = false },
		{ .mode = 01777, .is_ours = true, .is_trusted = false },
		{ .mode = 0600, .is_ours = false, .is_trusted = false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat about = { .st_mode = S_IFREG | cases[i].mode,
				      .st_uid = geteuid() + !cases[i].is_ours };

		assert_int_equal(trust_is_exclusive(&about), cases[i].is_trusted);
		about.st_uid = cases[i].is_ours ? 0 : UINT32_MAX;
		assert_int_equal(trust_is_exclusive(&about), cases[i].is_trusted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

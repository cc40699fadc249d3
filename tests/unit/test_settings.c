// SPDX-License-Identifier: GPL-2.0-only
/* The table of settings: every row is complete, and named as in a state file: FEATURE.SETTING. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "features/features.h"
#include "settings/settings.h"

static bool is_of_feature(const char *name)
{
	for (const struct command *feature = features; feature->name; feature++) {
		size_t length = strlen(feature->name);

		if (strncmp(name, feature->name, length) == 0 && name[length] == '.')
			return true;
	}
	return false;
}

static void names(void **state)
{
	(void)state;
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		const struct setting *setting = setting_get(id);

		if (!setting->path ||
		    (setting->rank != SETTING_RANK_NONE && !is_of_feature(setting->path)))
			fail_msg("row %d: \"%s\" is not FEATURE.SETTING", id,
				 setting->path ? setting->path : "");
		for (enum setting_id other = 0; other < id; other++) {
			if (strcmp(setting->path, setting_get(other)->path) == 0)
				fail_msg("%s has two rows", setting->path);
		}
	}
}

static void rows(void **state)
{
	(void)state;
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		const struct setting *setting = setting_get(id);

		const struct setting *first = setting_get(setting_group(id));

		if (first->rank != SETTING_RANK_NONE &&
		    (!first->what || !(first->plan || first->plan_one || first->file)))
			fail_msg("%s: it has no name for messages, or cannot be planned",
				 setting->path);
		if (first->place != setting->place || first->rank != setting->rank)
			fail_msg("%s: it is not planned as %s is", setting->path, first->path);
		if (setting->rank_off && setting->type != SETTING_TYPE_BOOLEAN)
			fail_msg("%s: a rank for off, but nothing to switch", setting->path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

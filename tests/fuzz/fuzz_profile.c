// SPDX-License-Identifier: GPL-2.0-only
/* Profiles: refused with one line that names the file, or taken and then sound; and the same bytes
 * as a list of CPUs of a boot parameter. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "profile/profile.h"

#define LAST_CPU 63

static void check_item(const struct profile_item *item)
{
	_cleanup_cpuset_ struct cpuset none = { 0 };
	const struct remedy_cpus cpus = { &none, &none, &none, NULL };
	_cleanup_free_ char *expected = profile_format_expectation(item);
	const char *kind;
	json_t *text;

	FUZZ_REQUIRE(item->name && *item->name && item->effect && *item->effect);
	FUZZ_REQUIRE(expected && item->expectation.value);
	FUZZ_REQUIRE(json_object_size(item->remedy) > 0);
	FUZZ_REQUIRE(item->source.kind != SOURCE_FACT || item->source.fact);
	FUZZ_REQUIRE(item->source.kind != SOURCE_FILE || item->source.name[0] == '/');
	json_object_foreach ((json_t *)(uintptr_t)item->remedy, kind, text) {
		_cleanup_free_ char *line = profile_format_remedy(json_string_value(text), &cpus);

		FUZZ_REQUIRE(line && strcmp(line, json_string_value(text)) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *problem = NULL;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_profile_ struct profile profile = { 0 };
	int err;

	FUZZ_REQUIRE(text);
	err = profile_parse("it.json", text, size, &profile, &problem);
	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (problem == NULL));
	FUZZ_REQUIRE((err == 0) == (profile.json != NULL));
	if (problem)
		FUZZ_REQUIRE(strncmp(problem, "it.json:", 8) == 0 && !strchr(problem, '\n'));
	FUZZ_REQUIRE(profile.n_items <= PROFILE_MAX_ITEMS);
	for (size_t i = 0; i < profile.n_items; i++)
		check_item(&profile.items[i]);
	err = inspection_parse_cpus(text, LAST_CPU, &cpus);
	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	FUZZ_REQUIRE(err == 0 || cpuset_is_empty(&cpus));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Lists of CPUs in all forms; what was read is written as list, ranges and mask, and read again.
 * Named sets: a text that is accepted has members, and each again is a text that is accepted. */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "settings/cpu_names.h"

#define MOST_BYTES   64 /* more bring no more kinds of members, but take long */
#define MOST_COUNTED 4096 /* one by one */

static void check_set(const struct cpuset *set)
{
	_cleanup_free_ char *ranges = cpuset_format_ranges(set);
	_cleanup_cpuset_ struct cpuset again = { 0 };
	_cleanup_buffer_ struct buffer mask = { 0 };
	uint32_t last = cpuset_last(set);
	size_t count = 0;

	FUZZ_REQUIRE(ranges);
	FUZZ_REQUIRE(cpulist_parse(ranges, &again) == 0);
	FUZZ_REQUIRE(cpuset_equal(set, &again));
	FUZZ_REQUIRE(last <= CPUSET_MAX_CPU || last == CPUSET_NONE);
	if (cpuset_count(set) < MOST_COUNTED) {
		cpuset_foreach (cpu, set)
			count++;
		FUZZ_REQUIRE(count == cpuset_count(set));
	}
	FUZZ_REQUIRE(cpuset_is_empty(set) == (last == CPUSET_NONE));
	if (last != CPUSET_NONE && last < 4096)
		cpuset_append_mask(set, last / 32 + 1, &mask);
	cpuset_remove_all(&again, set);
	FUZZ_REQUIRE(cpuset_is_empty(&again));
}

static void check_member(const struct cpu_name *name)
{
	_cleanup_(cpu_names_done) struct cpu_names again = { 0 };
	struct cpu_names_problem problem = { 0 };

	FUZZ_REQUIRE(name->first <= name->last && name->first_die <= name->last_die);
	FUZZ_REQUIRE((name->kind == CPU_NAME_NEAR) == (name->address != NULL));
	FUZZ_REQUIRE(!name->address || !strchr(name->address, '/'));
	FUZZ_REQUIRE(name->kind != CPU_NAME_NUMBERS || name->is_removed);
	FUZZ_REQUIRE(cpu_names_parse(name->text, &again, &problem) == 0);
	FUZZ_REQUIRE(again.count == (name->kind != CPU_NAME_NUMBERS));
	FUZZ_REQUIRE(again.count == 0 || again.list[0].kind == name->kind);
}

static void check_names(const char *text)
{
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	struct cpu_names_problem problem = { 0 };
	int err = cpu_names_parse(text, &names, &problem);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	FUZZ_REQUIRE(cpu_names_is_empty(&names) == (err != 0));
	if (err) {
		FUZZ_REQUIRE(problem.expected);
		FUZZ_REQUIRE(!problem.at || (problem.at >= text &&
					     problem.at + problem.length <= text + strlen(text)));
		return;
	}
	check_set(&names.numbers);
	for (size_t i = 0; i < names.count; i++)
		check_member(&names.list[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size < MOST_BYTES ? size : MOST_BYTES };
	bool user = fuzz_byte(&input) & 1;
	_cleanup_free_ char *text = fuzz_text(&input, input.left);
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *problem = NULL;
	int err = user ? cpulist_parse_user(text, &set, &problem) : cpulist_parse(text, &set);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	check_names(text);
	FUZZ_REQUIRE(!user || !err || problem);
	FUZZ_REQUIRE(!user || err || !cpuset_is_empty(&set));
	if (!err)
		check_set(&set);
	return 0;
}

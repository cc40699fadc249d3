// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader of "A", "A-B" and "A..B" members serves both forms; they differ in what may be empty
 * and in the dots (hardware.md, section 5; commands.md, "Options before the feature").
 */
#include "base/cpulist.h"

#include <errno.h>
#include <string.h>

#define PROBLEM_NUMBER "a number was expected"
#define PROBLEM_RANGE  "no machine has so many CPUs"

static int parse_cpu(const char **text, uint32_t *ret_cpu)
{
	const char *start = *text;
	uint64_t value = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		value = value * 10 + (uint64_t)(**text - '0');
		if (value > CPUSET_MAX_CPU)
			return -ERANGE;
	}
	if (*text == start)
		return -EINVAL;
	*ret_cpu = (uint32_t)value;
	return 0;
}

/* Reads one member; allow_dots lets ".." stand for "-". */
static int parse_member(const char **text, bool allow_dots, struct cpuset *set,
			const char **ret_problem)
{
	uint32_t first, last;
	int err;

	*ret_problem = PROBLEM_NUMBER;
	err = parse_cpu(text, &first);
	if (err)
		goto out;
	last = first;
	if (**text == '-' || (allow_dots && strncmp(*text, "..", 2) == 0)) {
		*text += **text == '-' ? 1 : 2;
		err = parse_cpu(text, &last);
		if (err)
			goto out;
	}
	if (last < first) {
		*ret_problem = "a range runs from the lower to the higher number";
		return -EINVAL;
	}
	err = cpuset_add_range(set, first, last);
out:
	if (err == -ERANGE)
		*ret_problem = PROBLEM_RANGE;
	else if (err == -ENOMEM)
		*ret_problem = "out of memory";
	return err;
}

static int parse_members(const char *text, bool allow_dots, struct cpuset *ret_set,
			 const char **ret_end, const char **ret_problem)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err;

	for (;;) {
		err = parse_member(&text, allow_dots, &set, ret_problem);
		if (err)
			return err;
		if (*text != ',')
			break;
		text++;
	}
	*ret_end = text;
	*ret_set = set;
	set = (struct cpuset){ 0 };
	return 0;
}

int cpulist_parse(const char *text, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *problem, *end = text;
	int err;

	if (*text != '\0' && *text != '\n') {
		err = parse_members(text, false, &set, &end, &problem);
		if (err)
			return err;
	}
	if (*end == '\n')
		end++;
	if (*end != '\0')
		return -EINVAL;
	*ret_set = set;
	set = (struct cpuset){ 0 };
	return 0;
}

int cpulist_parse_user(const char *text, struct cpuset *ret_set, const char **ret_problem)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	const char *end;
	int err;

	if (*text == '\0') {
		*ret_problem = "the list is empty";
		return -EINVAL;
	}
	err = parse_members(text, true, &set, &end, ret_problem);
	if (err)
		return err;
	if (*end != '\0') {
		*ret_problem = "only numbers, ranges and commas belong there";
		return -EINVAL;
	}
	*ret_set = set;
	set = (struct cpuset){ 0 };
	return 0;
}

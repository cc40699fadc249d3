// SPDX-License-Identifier: GPL-2.0-only
/* CPU sets as growing bit maps, since a machine may have thousands of CPUs, and their lists in text
 * (hardware.md, section 5; commands.md, "Options before the feature"). */
#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define WORD_BITS  64
#define HEX_DIGITS 8 /* of 32 bits */

void cpuset_done(struct cpuset *set)
{
	free(set->words);
	*set = (struct cpuset){ 0 };
}

/* Makes room for that many words. It at least doubles, so that long lists are seldom copied. */
static int grow(struct cpuset *set, size_t n_words)
{
	uint64_t *words;

	if (n_words <= set->n_words)
		return 0;
	if (n_words < 2 * set->n_words)
		n_words = 2 * set->n_words;
	words = realloc(set->words, n_words * sizeof(*words));
	if (!words)
		return -ENOMEM;
	memset(words + set->n_words, 0, (n_words - set->n_words) * sizeof(*words));
	set->words = words;
	set->n_words = n_words;
	return 0;
}

int cpuset_add(struct cpuset *set, uint32_t cpu)
{
	int err;

	if (cpu > CPUSET_MAX_CPU)
		return -ERANGE;
	err = grow(set, cpu / WORD_BITS + 1);
	if (err)
		return err;
	set->words[cpu / WORD_BITS] |= UINT64_C(1) << (cpu % WORD_BITS);
	return 0;
}

int cpuset_add_range(struct cpuset *set, uint32_t first, uint32_t last)
{
	uint64_t mask = UINT64_MAX << (first % WORD_BITS);
	int err;

	if (last > CPUSET_MAX_CPU)
		return -ERANGE;
	err = grow(set, last / WORD_BITS + 1);
	if (err)
		return err;
	for (size_t i = first / WORD_BITS; i < last / WORD_BITS; i++) {
		set->words[i] |= mask;
		mask = UINT64_MAX;
	}
	set->words[last / WORD_BITS] |= mask & (UINT64_MAX >> (WORD_BITS - 1 - last % WORD_BITS));
	return 0;
}

int cpuset_add_all(struct cpuset *set, const struct cpuset *other)
{
	int err = grow(set, other->n_words);

	if (err)
		return err;
	for (size_t i = 0; i < other->n_words; i++)
		set->words[i] |= other->words[i];
	return 0;
}

void cpuset_remove(struct cpuset *set, uint32_t cpu)
{
	if (cpuset_has(set, cpu))
		set->words[cpu / WORD_BITS] &= ~(UINT64_C(1) << (cpu % WORD_BITS));
}

void cpuset_remove_all(struct cpuset *set, const struct cpuset *other)
{
	for (size_t i = 0; i < set->n_words && i < other->n_words; i++)
		set->words[i] &= ~other->words[i];
}

void cpuset_keep(struct cpuset *set, const struct cpuset *other)
{
	for (size_t i = 0; i < set->n_words; i++)
		set->words[i] &= i < other->n_words ? other->words[i] : 0;
}

int cpuset_copy(struct cpuset *set, const struct cpuset *other)
{
	struct cpuset copy = { 0 };
	int err = cpuset_add_all(&copy, other);

	if (err)
		return err;
	cpuset_done(set);
	*set = copy;
	return 0;
}

bool cpuset_has(const struct cpuset *set, uint32_t cpu)
{
	return cpu / WORD_BITS < set->n_words &&
	       (set->words[cpu / WORD_BITS] >> (cpu % WORD_BITS)) & 1;
}

bool cpuset_is_empty(const struct cpuset *set)
{
	return cpuset_next(set, 0) == CPUSET_NONE;
}

static uint64_t word_of(const struct cpuset *set, size_t index)
{
	return index < set->n_words ? set->words[index] : 0;
}

bool cpuset_equal(const struct cpuset *set, const struct cpuset *other)
{
	size_t n_words = set->n_words > other->n_words ? set->n_words : other->n_words;

	for (size_t i = 0; i < n_words; i++) {
		if (word_of(set, i) != word_of(other, i))
			return false;
	}
	return true;
}

bool cpuset_intersects(const struct cpuset *set, const struct cpuset *other)
{
	for (size_t i = 0; i < set->n_words && i < other->n_words; i++) {
		if (set->words[i] & other->words[i])
			return true;
	}
	return false;
}

size_t cpuset_count(const struct cpuset *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->n_words; i++)
		count += (size_t)__builtin_popcountll(set->words[i]);
	return count;
}

uint32_t cpuset_next(const struct cpuset *set, uint32_t from)
{
	uint64_t mask = UINT64_MAX << (from % WORD_BITS);

	for (size_t i = from / WORD_BITS; i < set->n_words; i++) {
		if (set->words[i] & mask)
			return (uint32_t)(i * WORD_BITS) +
			       (uint32_t)__builtin_ctzll(set->words[i] & mask);
		mask = UINT64_MAX;
	}
	return CPUSET_NONE;
}

uint32_t cpuset_last(const struct cpuset *set)
{
	for (size_t i = set->n_words; i > 0; i--) {
		if (set->words[i - 1])
			return (uint32_t)(i * WORD_BITS) - 1 -
			       (uint32_t)__builtin_clzll(set->words[i - 1]);
	}
	return CPUSET_NONE;
}

void cpuset_append_list(const struct cpuset *set, struct buffer *to)
{
	bool is_first = true;

	cpuset_foreach (cpu, set) {
		if (!is_first)
			buffer_append_char(to, ',');
		buffer_append_number(to, cpu);
		is_first = false;
	}
	if (is_first)
		buffer_append_string(to, "none");
}

/* The last CPU of the run of CPUs that begins with first. */
static uint32_t end_of_run(const struct cpuset *set, uint32_t first)
{
	uint64_t ignored = ~(UINT64_MAX << (first % WORD_BITS));

	for (size_t i = first / WORD_BITS; i < set->n_words; i++) {
		uint64_t there = set->words[i] | ignored;

		if (there != UINT64_MAX)
			return (uint32_t)(i * WORD_BITS) + (uint32_t)__builtin_ctzll(~there) - 1;
		ignored = 0;
	}
	return (uint32_t)(set->n_words * WORD_BITS) - 1;
}

void cpuset_append_ranges(const struct cpuset *set, struct buffer *to)
{
	uint32_t first, last;
	bool is_first = true;

	for (first = cpuset_next(set, 0); first != CPUSET_NONE;
	     first = cpuset_next(set, last + 1)) {
		last = end_of_run(set, first);
		if (!is_first)
			buffer_append_char(to, ',');
		buffer_append_number(to, first);
		if (last > first) {
			buffer_append_char(to, '-');
			buffer_append_number(to, last);
		}
		is_first = false;
	}
}

/* Eight hex digits. */
static void write_hex(uint32_t word, char *to)
{
	for (int i = HEX_DIGITS - 1; i >= 0; i--) {
		to[i] = "0123456789abcdef"[word % 16];
		word /= 16;
	}
}

void cpuset_append_mask(const struct cpuset *set, size_t n_words, struct buffer *to)
{
	char *at = n_words ? buffer_reserve(to, n_words * (HEX_DIGITS + 1) - 1) : NULL;

	for (size_t i = n_words; i > 0 && at; i--) {
		write_hex((uint32_t)(word_of(set, (i - 1) / 2) >> ((i - 1) % 2 * 32)), at);
		at += HEX_DIGITS;
		if (i > 1)
			*at++ = ',';
	}
}

void cpuset_write_ranges(const struct cpuset *set, FILE *to)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	cpuset_append_ranges(set, &text);
	fwrite(buffer_text(&text), 1, text.length, to);
}

char *cpuset_format_ranges(const struct cpuset *set)
{
	struct buffer text = { 0 };
	size_t length;

	cpuset_append_ranges(set, &text);
	return buffer_steal(&text, &length);
}

static int parse_cpu(const char **text, uint32_t *ret_cpu)
{
	uint64_t value;
	int err = number_parse_digits(text, 10, &value);

	if (err)
		return err;
	if (value > CPUSET_MAX_CPU)
		return -ERANGE;
	*ret_cpu = (uint32_t)value;
	return 0;
}

/* Reads "A", "A-B" or, with allow_dots, "A..B". Returns 0 or a negative errno; -EDOM: reversed. */
static int parse_member(const char **text, bool allow_dots, struct cpuset *set)
{
	uint32_t first, last;
	int err = parse_cpu(text, &first);

	if (err)
		return err;
	last = first;
	if (**text == '-' || (allow_dots && strncmp(*text, "..", 2) == 0)) {
		*text += **text == '-' ? 1 : 2;
		err = parse_cpu(text, &last);
		if (err)
			return err;
	}
	if (last < first)
		return -EDOM;
	return cpuset_add_range(set, first, last);
}

/* Reads members up to what is not a comma, to which *text is moved. */
static int parse_members(const char **text, bool allow_dots, struct cpuset *set)
{
	for (;; (*text)++) {
		int err = parse_member(text, allow_dots, set);

		if (err || **text != ',')
			return err;
	}
}

int cpulist_parse(const char *text, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };

	if (*text != '\0' && *text != '\n') {
		int err = parse_members(&text, false, &set);

		if (err)
			return err == -EDOM ? -EINVAL : err;
	}
	if (*text == '\n')
		text++;
	if (*text != '\0')
		return -EINVAL;
	*ret_set = cpuset_steal(&set);
	return 0;
}

static const char *problem_of(int err)
{
	switch (err) {
	case -EDOM:
		return "a range runs from the lower to the higher number";
	case -ERANGE:
		return "no machine has so many CPUs";
	case -ENOMEM:
		return "out of memory";
	}
	return "a number was expected";
}

int cpulist_parse_user(const char *text, struct cpuset *ret_set, const char **ret_problem)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err;

	if (*text == '\0') {
		*ret_problem = "the list is empty";
		return -EINVAL;
	}
	err = parse_members(&text, true, &set);
	if (err) {
		*ret_problem = problem_of(err);
		return err == -EDOM ? -EINVAL : err;
	}
	if (*text != '\0') {
		*ret_problem = "only numbers, ranges and commas belong there";
		return -EINVAL;
	}
	*ret_set = cpuset_steal(&set);
	return 0;
}

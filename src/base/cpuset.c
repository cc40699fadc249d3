// SPDX-License-Identifier: GPL-2.0-only
/* Keeps CPU sets as bit maps that grow, for thousands of CPUs, and reads and writes their lists in
 * text (hardware.md, section 5; commands.md, "Options before the feature"). */
#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define WORD_BITS 64

void cpuset_done(struct cpuset *set)
{
	free(set->words);
	*set = (struct cpuset){ 0 };
}

/* Makes room for n_words words. At least doubles the size: long lists are seldom copied. */
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
	return cpuset_add_range(set, cpu, cpu);
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

static void append(const struct cpuset *set, bool with_ranges, struct buffer *to)
{
	bool is_first = true;
	uint32_t first, last;

	for (first = cpuset_next(set, 0); first != CPUSET_NONE;
	     first = cpuset_next(set, last + 1)) {
		last = first;
		while (with_ranges && cpuset_has(set, last + 1))
			last++;
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

void cpuset_append_list(const struct cpuset *set, struct buffer *to)
{
	append(set, false, to);
	if (cpuset_is_empty(set))
		buffer_append_string(to, "none");
}

void cpuset_append_ranges(const struct cpuset *set, struct buffer *to)
{
	append(set, true, to);
}

void cpuset_append_mask(const struct cpuset *set, size_t n_words, struct buffer *to)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = n_words; i > 0; i--) {
		uint32_t word = (uint32_t)(word_of(set, (i - 1) / 2) >> ((i - 1) % 2 * 32));
		char hex[] = "00000000,";

		for (size_t digit = 8; digit-- > 0; word >>= 4)
			hex[digit] = digits[word & 15];
		buffer_append(to, hex, i > 1 ? 9 : 8);
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

	cpuset_append_ranges(set, &text);
	return buffer_steal(&text, NULL);
}

/* Reads members "A", "A-B" or, with allow_dots, "A..B", with commas between, and moves *text past
 * them. Returns 0 or a negative errno; -EDOM: a reversed range. */
static int parse_members(const char **text, bool allow_dots, struct cpuset *set)
{
	for (;; (*text)++) {
		uint64_t first, last;
		int err = number_parse_digits(text, 10, &first);

		if (err)
			return err;
		if (first > CPUSET_MAX_CPU)
			return -ERANGE;
		last = first;
		if (**text == '-' || (allow_dots && strncmp(*text, "..", 2) == 0)) {
			*text += **text == '-' ? 1 : 2;
			err = number_parse_digits(text, 10, &last);
			if (err)
				return err;
		}
		if (last > CPUSET_MAX_CPU)
			return -ERANGE;
		if (last < first)
			return -EDOM;
		err = cpuset_add_range(set, (uint32_t)first, (uint32_t)last);
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
	*ret_set = steal(set);
	return 0;
}

bool cpulist_is_unset(const char *text)
{
	return strcmp(text + strspn(text, " "), "(null)") == 0;
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
		*ret_problem = err == -EDOM     ? "a range runs from the lower to the higher number"
			       : err == -ERANGE ? "the CPU number is too large"
			       : err == -ENOMEM ? "out of memory"
			       : *text          ? "a number was expected"
						: "a number was expected at the end";
		return err == -EDOM ? -EINVAL : err;
	}
	if (*text != '\0') {
		*ret_problem = "only numbers, ranges and commas belong there, such as 0-3,8";
		return -EINVAL;
	}
	*ret_set = steal(set);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of logical CPUs (or of core ids) that grows as needed. A set of all zero bytes is empty and
 * valid; cpuset_done() frees what it holds and leaves it empty. */
#ifndef BASE_CPUSET_H
#define BASE_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"

#define CPUSET_NONE UINT32_MAX
/* The highest CPU that a list may name. This bounds the memory that a wrong list allocates. */
#define CPUSET_MAX_CPU ((1U << 20) - 1)

struct cpuset {
	uint64_t *words;
	size_t n_words;
};

#define _cleanup_cpuset_ __attribute__((cleanup(cpuset_done)))

/* Frees the set and leaves it empty. */
void cpuset_done(struct cpuset *set);

/* Adds a CPU, 0 to CPUSET_MAX_CPU. Returns 0, -ERANGE for a higher number, or -ENOMEM. */
int cpuset_add(struct cpuset *set, uint32_t cpu);

/* Adds the CPUs from first to last, both included; first is at most last. Returns 0, -ERANGE if
 * last is above CPUSET_MAX_CPU, or -ENOMEM. */
int cpuset_add_range(struct cpuset *set, uint32_t first, uint32_t last);

/* Adds every CPU of other. Returns 0 or -ENOMEM. */
int cpuset_add_all(struct cpuset *set, const struct cpuset *other);

/* Removes one CPU, if it is in the set. */
void cpuset_remove(struct cpuset *set, uint32_t cpu);

/* Removes every CPU of other from set. */
void cpuset_remove_all(struct cpuset *set, const struct cpuset *other);

/* Keeps only the CPUs that are in other too. */
void cpuset_keep(struct cpuset *set, const struct cpuset *other);

/* Makes set equal to other. Returns 0, or -ENOMEM with set unchanged. */
int cpuset_copy(struct cpuset *set, const struct cpuset *other);

/* These functions only read a set. A CPU above all that were added is not in the set. */
bool cpuset_has(const struct cpuset *set, uint32_t cpu);
bool cpuset_is_empty(const struct cpuset *set);
bool cpuset_equal(const struct cpuset *set, const struct cpuset *other);
bool cpuset_intersects(const struct cpuset *set, const struct cpuset *other);
size_t cpuset_count(const struct cpuset *set);

/* Returns the first CPU at or above from, or CPUSET_NONE. */
uint32_t cpuset_next(const struct cpuset *set, uint32_t from);

/* Returns the highest CPU, or CPUSET_NONE. */
uint32_t cpuset_last(const struct cpuset *set);

#define cpuset_foreach(cpu, set)                                     \
	for (uint32_t cpu = cpuset_next(set, 0); cpu != CPUSET_NONE; \
	     cpu = cpuset_next(set, cpu + 1))

/* Appends the numbers with commas between, without ranges; "none" for an empty set (output.md). */
void cpuset_append_list(const struct cpuset *set, struct buffer *to);

/* Appends the kernel's list form with ranges ("0-3,8"); nothing for an empty set. */
void cpuset_append_ranges(const struct cpuset *set, struct buffer *to);

/* Appends n_words 32-bit words in hex, highest first, with commas between (output.md). */
void cpuset_append_mask(const struct cpuset *set, size_t n_words, struct buffer *to);

/* Writes the ranges to a stream, whose error indicator shows if a write failed. */
void cpuset_write_ranges(const struct cpuset *set, FILE *to);

/* Returns the ranges as a new text; NULL if memory is short. */
char *cpuset_format_ranges(const struct cpuset *set);

/* Reads the kernel's form: "0-3,8-11", a trailing newline allowed; an empty text is an empty set.
 * Fills ret_set (which must be empty) and returns 0, or -EINVAL (malformed), -ERANGE (a number
 * above CPUSET_MAX_CPU), -ENOMEM. */
int cpulist_parse(const char *text, struct cpuset *ret_set);

/* Returns true for the kernel's text in place of a list that was never set: "(null)", with a space
 * before it for each possible CPU (nohz_full of a kernel that was booted without it). */
bool cpulist_is_unset(const char *text);

/* Reads a list that a user gives to -c: "1,2,4..6,8-10"; "5-5" is one CPU. Refuses an empty list,
 * an empty member, a reversed range and anything else (commands.md, "Options before the feature").
 * Fills ret_set (which must be empty) and returns 0; or -EINVAL, -ERANGE, -ENOMEM, with a few words
 * for the message in *ret_problem (static text). */
int cpulist_parse_user(const char *text, struct cpuset *ret_set, const char **ret_problem);

#endif

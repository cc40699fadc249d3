/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver's requests as lines of text: "mbox: logical_cpu:0 command:0x7f ...". A line is one
 * entry of a request with entries, or the structure of another one, with all its members
 * (hardware.md, sections 2 and 4). -d shows such lines, and a recording has them. */
#ifndef HOST_REQUESTS_H
#define HOST_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* At least the size of any entry or structure. */
#define REQUESTS_MAX_SIZE 256

/* An entry or a structure, with its answer. */
struct request_item {
	uint32_t request; /* an ISST_* number of isst_abi.h */
	int error; /* 0, or the negative errno instead of an answer */
	size_t size; /* of the bytes that are used */
	uint8_t bytes[REQUESTS_MAX_SIZE];
};

/* How entries are laid out in the structure of a request: where they begin, the size of one, and
 * where their count is. A structure without entries is one entry at 0. */
struct request_layout {
	uint32_t request;
	size_t entries_offset;
	size_t entry_size;
	size_t header_size; /* what comes before the entries; 0: it has no entries */
	bool has_short_count; /* the count has 16 bits, not 32 */
};

/* Finds the layout of a request. Returns whether it is known. */
bool requests_find_layout(uint32_t request, struct request_layout *ret_layout);

/* The number of entries in the argument of a request. */
size_t requests_count(const struct request_layout *layout, const void *argument);

/* Does it change the machine? argument is the structure, of which entry number index counts. What
 * is unknown counts as such. */
bool requests_sets(uint32_t request, const void *argument, size_t index);

/* Appends the line of entry number index of the argument, without a newline. Nothing for a request
 * that is unknown. */
void requests_append(struct buffer *to, uint32_t request, const void *argument, size_t index);

/* Appends the line of an item; one with an error has it at its end: "error:ENXIO". */
void requests_append_item(struct buffer *to, const struct request_item *item);

/* Reads such a line of a request that reads. Returns 0 or -EINVAL. */
int requests_parse(const char *line, struct request_item *ret_item);

/* Copies the members that say what is asked, and zeros for the others: two items with the same
 * request and the same key ask the same. The CPU is left out if without_cpu; *ret_cpu is the CPU,
 * or UINT32_MAX if it names none. */
void requests_key(const struct request_item *item, bool without_cpu,
		  uint8_t ret_key[REQUESTS_MAX_SIZE], uint32_t *ret_cpu);

/* Copies the members that answer from one item to another of the same request; members of the
 * request, and those without a name, do not change. */
void requests_take_answer(struct request_item *item, const struct request_item *from);

/* The number in the member of that name (the first element of a table); 0 if there is none. */
uint64_t requests_member(const struct request_item *item, const char *name);

/* A member of an item. */
struct request_member {
	const char *name; /* name_length bytes of it */
	size_t name_length;
	bool is_key; /* it says what is asked */
	bool is_hex; /* as lines have it */
	size_t count; /* of the elements of a table, or 1 */
	uint64_t values[REQUESTS_MAX_SIZE / 2];
};

/* The next member of an item; *position is 0 at first. Returns whether there is one. */
bool requests_next_member(const struct request_item *item, size_t *position,
			  struct request_member *ret_member);

/* What the request is called at the start of its line; NULL: it is unknown. */
const char *requests_name(uint32_t request);

#endif

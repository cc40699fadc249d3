/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver's requests as lines of text: "mbox: logical_cpu:0 command:0x7f ...". A line shows all
 * members of one entry, or of the structure if the request has no entries (hardware.md, sections 2
 * and 4). -d shows these lines, and a recording contains them. */
#ifndef HOST_REQUESTS_H
#define HOST_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* No entry or structure has more bytes. */
#define REQUESTS_MAX_SIZE 256

/* An entry or a structure, with its answer. */
struct request_item {
	uint32_t request; /* an ISST_* number of isst_abi.h */
	int error; /* 0, or the negative errno instead of an answer */
	size_t size; /* number of bytes that are used */
	uint8_t bytes[REQUESTS_MAX_SIZE];
};

/* The layout of a request's structure: the offset of the entries, the size of one, and the size of
 * their count. A structure without entries is one entry at offset 0. */
struct request_layout {
	uint32_t request;
	size_t entries_offset;
	size_t entry_size;
	size_t header_size; /* bytes before the entries; 0: it has no entries */
	bool has_short_count; /* the count has 16 bits, not 32 */
};

/* Finds the layout of a request. Returns false if the request is unknown. */
bool requests_find_layout(uint32_t request, struct request_layout *ret_layout);

/* Returns the number of entries in the argument of a request. */
size_t requests_count(const struct request_layout *layout, const void *argument);

/* Returns true if entry number index of the structure at argument changes the machine, or if the
 * request is unknown. */
bool requests_sets(uint32_t request, const void *argument, size_t index);

/* Appends the line of entry number index of the argument, without a newline. Appends nothing for an
 * unknown request. */
void requests_append(struct buffer *to, uint32_t request, const void *argument, size_t index);

/* Appends the line of an item. An error is at the end of the line: "error:ENXIO". */
void requests_append_item(struct buffer *to, const struct request_item *item);

/* Parses a line of a request that only reads. Returns 0 or -EINVAL. */
int requests_parse(const char *line, struct request_item *ret_item);

/* Copies the members that define the request, and sets the others to 0: two items with equal
 * request and equal key are the same request. If without_cpu, the key does not contain the CPU.
 * *ret_cpu is the CPU, or UINT32_MAX if the request names none. */
void requests_key(const struct request_item *item, bool without_cpu,
		  uint8_t ret_key[REQUESTS_MAX_SIZE], uint32_t *ret_cpu);

/* Copies the members of the answer from one item to another of the same request. Members that
 * define the request and members without a name do not change. */
void requests_take_answer(struct request_item *item, const struct request_item *from);

/* Returns the number in the member with this name (the first element of a table); 0: none. */
uint64_t requests_member(const struct request_item *item, const char *name);

/* A member of an item. */
struct request_member {
	const char *name; /* has name_length bytes */
	size_t name_length;
	bool is_key; /* it defines the request */
	bool is_hex; /* lines show it in hex */
	size_t count; /* number of elements of a table, or 1 */
	uint64_t values[REQUESTS_MAX_SIZE / 2];
};

/* Finds the next member of an item; *position is 0 at first. Returns false if there is none. */
bool requests_next_member(const struct request_item *item, size_t *position,
			  struct request_member *ret_member);

/* Returns the name of the request at the start of its line; NULL: it is unknown. */
const char *requests_name(uint32_t request);

#endif

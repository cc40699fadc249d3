/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a JSON text a value stands: the JSON library does not say once it has parsed. */
#ifndef SIMULATOR_JSON_LOCATE_H
#define SIMULATOR_JSON_LOCATE_H

#include <stddef.h>

/* One step from a value into it: to a member, or (member NULL) to an element of an array. */
struct json_step {
	const char *member;
	size_t index; /* from 0 */
};

/*
 * Follows steps from the outermost value of a text that is known to be valid JSON. Returns the
 * line, from 1, on which the member's name or the element begins; where a step leads nowhere, the
 * line of the value that should have it. Any other text gives some line of it.
 */
size_t json_locate(const char *text, size_t length, const struct json_step *steps, size_t n_steps);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replaces what a terminal could take for a command: the texts of kernel files, of drivers' names
 * and of file names reach the output, and a hostile or broken one must not act on it.
 */
#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Are all eight bytes printable ASCII? */
static bool are_plain(const char *text)
{
	uint64_t word, is_del;

	memcpy(&word, text, sizeof(word));
	is_del = word ^ 0x7f * ONES;
	/* The high bit of a byte is set here where it was set, or the byte is below a blank, or
	 * 0x7f. */
	return !((word | (word - ' ' * ONES) | ((is_del - ONES) & ~is_del)) & HIGHS);
}

/* May second follow first in a character of several bytes? What is too long for it may not. */
static bool is_second(unsigned char first, unsigned char second)
{
	unsigned char low = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

/*
 * How many bytes the printable character at text has; 0: there is none. U+0080 to U+009F, which
 * begin with 0xc2, are control characters, too.
 */
static size_t character_length(const unsigned char *text, size_t length)
{
	size_t wanted = text[0] >= 0xc2 && text[0] < 0xe0   ? 2
			: text[0] >= 0xe0 && text[0] < 0xf0 ? 3
			: text[0] >= 0xf0 && text[0] < 0xf5 ? 4
							    : 0;

	if (text[0] < 0x80)
		return text[0] >= ' ' && text[0] != 0x7f;
	if (!wanted || wanted > length || !is_second(text[0], text[1]))
		return 0;
	for (size_t i = 2; i < wanted; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	}
	return wanted;
}

void printable_clean(char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		size_t n_bytes;

		if (length - at >= sizeof(uint64_t) && are_plain(text + at)) {
			at += sizeof(uint64_t);
			continue;
		}
		n_bytes = character_length((const unsigned char *)text + at, length - at);
		if (!n_bytes)
			text[at] = '?';
		at += n_bytes ?: 1;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Appends texts and numbers to a text that grows. */
#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define FIRST_SIZE  256
#define LARGE_SIZE  (1 << 20) /* from here on doubling would waste megabytes */
#define MOST_DIGITS 20 /* of 64 bits */

void buffer_done(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

void buffer_truncate(struct buffer *buffer, size_t length)
{
	buffer->length = length;
	if (buffer->data)
		buffer->data[length] = '\0';
}

void buffer_clear(struct buffer *buffer)
{
	buffer_truncate(buffer, 0);
}

const char *buffer_text(const struct buffer *buffer)
{
	return buffer->data ?: "";
}

char *buffer_steal(struct buffer *buffer, size_t *ret_length)
{
	char *text = NULL;

	if (!buffer->has_failed)
		text = buffer->data ? steal(buffer->data) : strdup("");
	if (text && ret_length)
		*ret_length = buffer->length;
	buffer_done(buffer);
	return text;
}

char *buffer_grow(struct buffer *buffer, size_t length)
{
	size_t size = buffer->size ?: FIRST_SIZE;
	char *data;

	if (buffer->has_failed)
		return NULL;
	while (size - buffer->length <= length)
		size += size < LARGE_SIZE ? size : size / 16;
	data = realloc(buffer->data, size);
	if (!data) {
		buffer->has_failed = true;
		return NULL;
	}
	buffer->data = data;
	buffer->size = size;
	return buffer_reserve(buffer, length);
}

void buffer_append_number(struct buffer *buffer, uint64_t number)
{
	char digits[MOST_DIGITS];
	size_t first = MOST_DIGITS;

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	buffer_append(buffer, digits + first, MOST_DIGITS - first);
}

void buffer_append_shell_word(struct buffer *buffer, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "%+,-./:=@_";
	const bool is_plain = *word && word[strspn(word, plain)] == '\0';

	if (!is_plain)
		buffer_append_char(buffer, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buffer_append_string(buffer, "'\\'");
		buffer_append_char(buffer, *word);
	}
	if (!is_plain)
		buffer_append_char(buffer, '\'');
}

void buffer_append_clean(struct buffer *buffer, const char *string)
{
	size_t start = buffer->length;

	buffer_append_string(buffer, string);
	if (!buffer->has_failed)
		printable_clean(buffer->data + start, buffer->length - start);
}

void buffer_append_format(struct buffer *buffer, const char *format, va_list args)
{
	_cleanup_free_ char *text = text_format_list(format, args);

	if (text)
		buffer_append_string(buffer, text);
	else
		buffer->has_failed = true;
}

char *text_format_list(const char *format, va_list args)
{
	char *text;

	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buffer_append_format(buffer, format, args);
	va_end(args);
}

void buffer_add_item(struct buffer *buffer, const char *separator, const char *format, ...)
{
	va_list args;

	buffer_append_string(buffer, buffer->length ? separator : "");
	va_start(args, format);
	buffer_append_format(buffer, format, args);
	va_end(args);
}

char *text_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	return text;
}

/* Returns true if a character of several bytes can begin with these two; overlong forms cannot. */
static bool is_second(unsigned char first, unsigned char second)
{
	unsigned char low = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

/* Returns true for a character that turns the direction of writing or ends a line, so that a text
 * is misleading: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool is_misleading(const unsigned char *text)
{
	if (text[0] == 0xd8)
		return text[1] == 0x9c;
	if (text[0] != 0xe2)
		return false;
	return text[1] == 0x80 ? (text[2] >= 0x8e && text[2] <= 0x8f) ||
					 (text[2] >= 0xa8 && text[2] <= 0xae)
			       : text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9;
}

/* Returns the number of bytes of the printable character at text; 0: there is none. U+0080 to
 * U+009F, which begin with 0xc2, are control characters, too. */
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
	return is_misleading(text) ? 0 : wanted;
}

void *array_add(void *array, size_t *count, size_t size)
{
	char *elements;

	memcpy(&elements, array, sizeof(elements)); /* a pointer of any type */
	/* the size in memory is the next power of two */
	if ((*count & (*count - 1)) == 0) {
		elements = reallocarray(elements, *count ? 2 * *count : 1, size);
		if (!elements)
			return NULL;
		memcpy(array, &elements, sizeof(elements));
	}
	return memset(elements + size * (*count)++, 0, size);
}

void printable_clean(char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		size_t n_bytes = character_length((const unsigned char *)text + at, length - at);

		if (!n_bytes)
			text[at] = '?';
		at += n_bytes ?: 1;
	}
}

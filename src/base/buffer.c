// SPDX-License-Identifier: GPL-2.0-only
/* Appends texts and numbers to a text that grows. */
#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/printable.h"

#define FIRST_SIZE  256
#define LARGE_SIZE  (1 << 20) /* from here on doubling would waste megabytes */
#define MOST_DIGITS 20 /* of 64 bits */

void buffer_done(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

void buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

const char *buffer_text(const struct buffer *buffer)
{
	return buffer->data ?: "";
}

char *buffer_steal(struct buffer *buffer, size_t *ret_length)
{
	char *text = NULL;

	if (!buffer->has_failed)
		text = buffer->data ? steal_pointer(buffer->data) : strdup("");
	if (text)
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

void buffer_append_blanks(struct buffer *buffer, size_t count)
{
	char *to = buffer_reserve(buffer, count);

	if (to)
		memset(to, ' ', count);
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

void buffer_append_clean(struct buffer *buffer, const char *string)
{
	size_t start = buffer->length;

	buffer_append_string(buffer, string);
	if (!buffer->has_failed)
		printable_clean(buffer->data + start, buffer->length - start);
}

/* The fast conversions: appends the argument and returns what is after the conversion, or NULL. */
static const char *append_simple(struct buffer *buffer, const char *conversion, va_list *args)
{
	switch (conversion[0]) {
	case 's':
		buffer_append_string(buffer, va_arg(*args, const char *));
		return conversion + 1;
	case 'u':
		buffer_append_number(buffer, va_arg(*args, unsigned int));
		return conversion + 1;
	case 'z':
	case 'l':
		if (conversion[1] != 'u')
			return NULL;
		buffer_append_number(buffer, va_arg(*args, unsigned long));
		return conversion + 2;
	}
	return NULL;
}

static void __attribute__((format(printf, 2, 0)))
append_slowly(struct buffer *buffer, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
		buffer->has_failed = true;
		return;
	}
	buffer_append_string(buffer, text);
}

void buffer_append_format(struct buffer *buffer, const char *format, va_list args)
{
	size_t start = buffer->length;
	const char *at = format;
	va_list rest;

	va_copy(rest, args);
	while (at) {
		const char *end = strchrnul(at, '%');

		buffer_append(buffer, at, (size_t)(end - at));
		if (!*end)
			break;
		at = append_simple(buffer, end + 1, &rest);
	}
	va_end(rest);
	if (at)
		return;
	/* A conversion is left that needs printf: the whole format is done again. */
	if (buffer->data && !buffer->has_failed) {
		buffer->length = start;
		buffer->data[start] = '\0';
	}
	append_slowly(buffer, format, args);
}

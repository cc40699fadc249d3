/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts and arrays that grow. A struct buffer holds a text; if it is all zero bytes, it is empty
 * and valid. If memory runs out, it sets has_failed and ignores what is appended later. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
	char *data; /* zero-terminated once something was appended; NULL before */
	size_t length;
	size_t size;
	bool has_failed; /* memory was short */
};

#define _cleanup_buffer_ __attribute__((cleanup(buffer_done)))

/* Frees what it holds and leaves it empty. */
void buffer_done(struct buffer *buffer);

/* Shortens the text to length bytes, which must not be more than it has. Keeps the memory. */
void buffer_truncate(struct buffer *buffer, size_t length);

/* Empties the text, but keeps its memory for the next text. */
void buffer_clear(struct buffer *buffer);

/* Returns the text so far, "" if there is none; valid until the buffer changes. */
const char *buffer_text(const struct buffer *buffer);

/* Returns the text and its length (ret_length may be NULL), and leaves an empty buffer. The caller
 * frees the text. Returns NULL if memory was short. */
char *buffer_steal(struct buffer *buffer, size_t *ret_length);

/* Does the work of buffer_reserve() if memory must grow first. */
char *buffer_grow(struct buffer *buffer, size_t length);

/* Lengthens the text by length bytes, which the caller fills in. Returns their address, or NULL if
 * memory is or was short. */
static inline char *buffer_reserve(struct buffer *buffer, size_t length)
{
	char *to;

	if (length >= buffer->size - buffer->length)
		return buffer_grow(buffer, length);
	to = buffer->data + buffer->length;
	buffer->length += length;
	to[length] = '\0';
	return to;
}

static inline void buffer_append(struct buffer *buffer, const char *data, size_t length)
{
	char *to = buffer_reserve(buffer, length);

	if (to)
		memcpy(to, data, length);
}

static inline void buffer_append_string(struct buffer *buffer, const char *string)
{
	buffer_append(buffer, string, strlen(string));
}

static inline void buffer_append_char(struct buffer *buffer, char character)
{
	char *to = buffer_reserve(buffer, 1);

	if (to)
		*to = character;
}

/* Appends the number in decimal. */
void buffer_append_number(struct buffer *buffer, uint64_t number);

/* Appends a string as printable_clean() would leave it. */
void buffer_append_clean(struct buffer *buffer, const char *string);

/* Appends a word so that a shell reads it as one word: in quotes if it has characters other than
 * letters, digits and a few signs. */
void buffer_append_shell_word(struct buffer *buffer, const char *word);

/* Append in printf form. */
void buffer_append_format(struct buffer *buffer, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

void buffer_print(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends an item of a list in printf form, after the separator if the text is not empty. */
void buffer_add_item(struct buffer *buffer, const char *separator, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Formats a new text; NULL: no memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Adds an element of size bytes, all zero, to the end of an array of *count elements. array is the
 * address of the pointer to the first element, which may be NULL; only this function may lengthen
 * the array. Returns the element; or NULL if memory is short, with the array unchanged. */
void *array_add(void *array, size_t *count, size_t size);

/* Makes a text from outside safe for terminals, in place: replaces control characters (such as
 * newlines and escapes), characters that turn the direction of writing, and bytes that are not
 * UTF-8 by question marks. */
void printable_clean(char *text, size_t length);

#endif

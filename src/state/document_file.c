// SPDX-License-Identifier: GPL-2.0-only
/* Reads and parses the text of state documents from files and streams; document.c checks the JSON
 * (docs/spec/state.md, "Document"). */
#include "state/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"

/* Finds NUL bytes and too deep nesting, which must not reach the parser. Returns the problem with
 * its line and column, or NULL. */
static const char *scan(const char *text, size_t length, int *ret_line, int *ret_column)
{
	bool is_string = false;
	int depth = 0;

	*ret_line = 1;
	*ret_column = 0;
	for (size_t i = 0; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			++*ret_column;
		if (!text[i])
			return "a NUL byte";
		if (text[i] == '\n') {
			++*ret_line;
			*ret_column = 0;
		} else if (is_string && text[i] == '\\' && i + 1 < length && text[i + 1] &&
			   text[i + 1] != '\n') {
			++*ret_column;
			i++;
		} else if (text[i] == '"') {
			is_string = !is_string;
		} else if (!is_string && (text[i] == '[' || text[i] == '{')) {
			if (++depth > DOCUMENT_MAX_DEPTH)
				return "nested deeper than 32 levels";
		} else if (!is_string && (text[i] == ']' || text[i] == '}')) {
			depth--;
		}
	}
	return NULL;
}

/* Reads the stream to its end, or past the limit. Returns 0, a negative errno, or -ENOMEM. */
static int read_text(FILE *stream, struct buffer *ret_text)
{
	char chunk[4096];
	size_t length;

	do {
		errno = 0;
		length = fread(chunk, 1, sizeof(chunk), stream);
		buffer_append(ret_text, chunk, length);
	} while (length == sizeof(chunk) && ret_text->length <= DOCUMENT_MAX_BYTES);
	if (ferror(stream))
		return errno ? -errno : -EIO;
	return ret_text->has_failed ? -ENOMEM : 0;
}

/* Returns the first character that is not blank; NUL: there is none. */
static char find_first(const char *text)
{
	return text[strspn(text, " \t\r\n")];
}

/* Parses the text. Returns 0; -EINVAL with *ret_problem a new text; -ENOMEM. */
static int parse(const char *file, const struct buffer *text, json_t **ret_json, char **ret_problem)
{
	_cleanup_buffer_ struct buffer message = { 0 };
	_cleanup_free_ char *where = NULL;
	json_error_t error = { 0 };
	enum json_error_code code;
	const char first = find_first(buffer_text(text));
	int line, column;
	const char *problem = scan(buffer_text(text), text->length, &line, &column);

	if (!problem) {
		*ret_json =
			json_loadb(buffer_text(text), text->length, JSON_REJECT_DUPLICATES, &error);
		if (*ret_json)
			return 0;
		code = json_error_code(&error);
		if (code == json_error_out_of_memory)
			return -ENOMEM;
		line = error.line > 0 ? error.line : 1;
		column = error.column > 0 ? error.column : 1;
		problem = error.text;
		if (!first)
			problem = "the document is empty";
		else if (strncmp(buffer_text(text), "\xef\xbb\xbf", 3) == 0)
			problem = "a byte order mark, which JSON does not have";
		else if (first != '{' && first != '[')
			problem = "this is not JSON: a state document begins with {";
		else if (code == json_error_null_character || code == json_error_null_byte_in_key)
			problem = "a NUL character";
	}
	where = text_format("%s:%d:%d: ", file, line, column);
	buffer_append_clean(&message, where ?: "");
	buffer_append_clean(&message, problem);
	*ret_problem = where ? buffer_steal(&message, NULL) : NULL;
	return *ret_problem ? -EINVAL : -ENOMEM;
}

int document_read(FILE *stream, const char *file, struct document *ret_document, char **ret_problem)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	int err = read_text(stream, &text);
	json_t *json;

	if (err)
		return err;
	if (text.length > DOCUMENT_MAX_BYTES) {
		*ret_problem =
			text_format("%s: larger than %u MiB", file, DOCUMENT_MAX_BYTES >> 20);
		return *ret_problem ? -EINVAL : -ENOMEM;
	}
	err = parse(file, &text, &json, ret_problem);
	return err ?: document_take(json, file, false, ret_document, ret_problem);
}

int document_read_file(const char *file, struct document *ret_document, char **ret_problem)
{
	int fd = fileio_open_named(file);
	_cleanup_fclose_ FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !stream)
		close(fd);
	if (!stream)
		return fd < 0 ? fd : -ENOMEM;
	return document_read(stream, file, ret_document, ret_problem);
}

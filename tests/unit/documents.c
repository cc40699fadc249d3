// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "documents.h"
#include "base/buffer.h"
#include "base/cleanup.h"

char *quoted(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	for (char *at = copy; *at; at++) {
		if (*at == '\'')
			*at = '"';
	}
	return copy;
}

char *with_entries(const char *entries)
{
	return text_format(HEAD ",'settings':[%s]}", entries);
}

int read_bytes(const char *bytes, size_t length, struct document *ret_document, char **ret_problem)
{
	_cleanup_fclose_ FILE *stream = tmpfile();

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, length, stream), length);
	rewind(stream);
	return document_read(stream, DOCUMENT_NAME, ret_document, ret_problem);
}

int read_document(const char *text, struct document *ret_document, char **ret_problem)
{
	_cleanup_free_ char *bytes = quoted(text);

	return read_bytes(bytes, strlen(bytes), ret_document, ret_problem);
}

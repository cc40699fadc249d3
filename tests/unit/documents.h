/* SPDX-License-Identifier: GPL-2.0-only */
/* State documents in C texts, in which ' is a quotation mark. */
#ifndef UNIT_DOCUMENTS_H
#define UNIT_DOCUMENTS_H

#include "state/document.h"

/* A document as far as its version. */
#define HEAD "{'format':'intel-speed-select-state','version':1"

/* The name that documents have in messages. */
#define DOCUMENT_NAME "site.json"

/* A new text with quotation marks. */
char *quoted(const char *text);

/* A new text: the document with these entries. */
char *with_entries(const char *entries);

/* document_read() of these bytes, or of the text with quotation marks. */
int read_bytes(const char *bytes, size_t length, struct document *ret_document, char **ret_problem);
int read_document(const char *text, struct document *ret_document, char **ret_problem);

#endif

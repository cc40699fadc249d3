/* SPDX-License-Identifier: GPL-2.0-only */
/* State documents of the command line, for commands that are not of the feature word state. */
#ifndef FEATURES_STATE_H
#define FEATURES_STATE_H

#include "run/context.h"
#include "state/document.h"

/* Reads a document from a file, or standard input ("-"). Returns 0, also after a mistake, which is
 * reported, without document.json then; or -ENOMEM. */
int state_read_document(struct context *context, const char *file, struct document *ret_document);

/* Is the platform there if the document needs it? Reports if it is not. */
bool state_has_platform(struct context *context, const struct document *document);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads state documents of the command line, for commands of other features too. */
#ifndef FEATURES_STATE_H
#define FEATURES_STATE_H

#include "run/context.h"
#include "state/document.h"

/* Reads a document from a file, or from standard input ("-"). Returns 0 or -ENOMEM. A mistake is
 * reported: it returns 0, with ret_document->json NULL. */
int state_read_document(struct context *context, const char *file, struct document *ret_document);

/* Returns false, and reports the reason, if the document needs a platform that is missing. */
bool state_has_platform(struct context *context, const struct document *document);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* States that are kept in the run directory: the one at boot, before the first change, and the
 * document that was applied last (docs/spec/state.md, "Apply"). */
#ifndef STATE_SAVED_H
#define STATE_SAVED_H

#include <jansson.h>

#include "host/host.h"

/* Saves the present state as that at boot, boot-state.json, unless one of this boot is there. To be
 * called under the lock before the first write of a command. Opens the machine for itself, so that
 * a trace, and what the caller counts, do not have it. Returns 0; or a negative errno with
 * *ret_message a new text for the user, or NULL: nothing may be written then. */
int saved_keep_boot_state(struct host *host, char **ret_message);

/* Reads the document of the state at boot: *ret_document is new, and *ret_unreadable an array of
 * the places and settings that could not be read then. Returns as run_file_read(). */
int saved_read_boot_state(struct host *host, json_t **ret_document, json_t **ret_unreadable);

/* Keeps a document that was applied, applied.json, unless it is kept already. Returns as
 * run_file_write(). */
int saved_write_applied(struct host *host, json_t *document);

/* Reads it. Returns as run_file_read(). */
int saved_read_applied(struct host *host, json_t **ret_document);

#endif

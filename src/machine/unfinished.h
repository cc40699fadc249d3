/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes that were begun and not ended (commands.md, "Safety of every setting command"). Nobody can
 * undo after SIGKILL; but a note in the run directory outlives the process, so that the machine is
 * never half set without a word.
 */
#ifndef MACHINE_UNFINISHED_H
#define MACHINE_UNFINISHED_H

/*
 * Notes that this process begins to write, for command ("turbo-freq enable"). For who holds the
 * lock. Returns 0 or a negative errno of the file system; -ENOMEM.
 */
int unfinished_begin(const char *run_directory, const char *command);

/* Takes the note away. Returns 0 (also where there is none) or a negative errno. */
int unfinished_end(const char *run_directory);

/*
 * Reads what another process has left behind, for who holds the lock: *ret_text is a new text that
 * names it ("intel-speed-select, process 12, turbo-freq enable"), or NULL where there is none.
 * Returns 0 or a negative errno.
 */
int unfinished_read(const char *run_directory, char **ret_text);

/* The same without the lock: a process that is still writing has left nothing. Never waits. */
int unfinished_find(const char *run_directory, char **ret_text);

#endif

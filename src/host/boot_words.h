/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of /proc/cmdline that say how the machine is set up for latency and throughput. The
 * others can hold names of hosts, disks and networks, and are no concern of ours. */
#ifndef HOST_BOOT_WORDS_H
#define HOST_BOOT_WORDS_H

/* Names of parameters; "idle" also is "idle=poll". NULL-terminated. */
extern const char *const boot_words[];

/* The words of a command line that are in the table, with their values, blanks between, as a new
 * text. NULL: no memory. */
char *boot_words_keep(const char *command_line);

#endif

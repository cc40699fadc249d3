/* SPDX-License-Identifier: GPL-2.0-only */
/* A driver and kernel files in memory that share one counter of writes, so that the n-th write of a
 * plan can fail or be lost, of whatever kind it is. A word of each kind and CPU, and a few files.
 */
#ifndef SCRIPTED_BANK_H
#define SCRIPTED_BANK_H

#include "host/files.h"
#include "host/transport.h"

enum bank_kind { BANK_MAILBOX, BANK_MMIO, BANK_MSR };

#define BANK_KINDS 3
#define BANK_CPUS  8
#define BANK_FILES 8

/* The mailbox command that writes a performance level, and the one that reads it; registers are
 * any. */
#define BANK_COMMAND 0x7f
#define BANK_WRITE   0x08
#define BANK_READ    0x00

struct bank_file {
	char path[32];
	char text[64];
	bool is_directory;
};

/* What can be compared with an earlier copy. */
struct bank_state {
	uint64_t words[BANK_KINDS][BANK_CPUS];
	struct bank_file files[BANK_FILES]; /* an empty path: there is none */
};

/* From the first-th write (counted from 1) to the last-th: what happens instead. */
struct bank_fault {
	size_t first;
	size_t last;
	int error; /* 0: the write is lost without an error */
	bool takes_effect; /* the error is returned nevertheless */
};

#define BANK_FAULTS 3

/* So many reads of a file show what was there before it was last written. */
struct bank_lag {
	char path[32];
	size_t reads;
};

struct bank {
	struct transport transport;
	struct files files;
	struct bank_state state;
	struct bank_fault faults[BANK_FAULTS];
	struct bank_lag lag;
	char before[64]; /* what the file that lags showed */
	size_t n_writes;
	size_t n_requests;
	size_t n_reads; /* of files */
};

/* Words are 0x10 + CPU, files none. */
void bank_init(struct bank *bank);
void bank_set_file(struct bank *bank, const char *path, const char *text);
void bank_make_directory(struct bank *bank, const char *path);

/* What a file holds; NULL: there is none. */
const char *bank_text(const struct bank *bank, const char *path);

#endif

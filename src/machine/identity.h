/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPU the machine has (hardware.md, section 1). */
#ifndef MACHINE_IDENTITY_H
#define MACHINE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/files.h"

enum generation {
	GENERATION_UNKNOWN, /* Intel's, but not in the table */
	GENERATION_OTHER_VENDOR,
	GENERATION_SKYLAKE, /* 0x55: mailbox, CLOS by mailbox too */
	GENERATION_CASCADE_LAKE, /* 0x55 stepping 6 or 7: not a supported CPU */
	GENERATION_CASCADE_LAKE_N, /* the same, but set in BIOS */
	GENERATION_ICE_LAKE,
	GENERATION_SAPPHIRE_RAPIDS,
	GENERATION_EMERALD_RAPIDS,
	GENERATION_TPMI /* Granite Rapids, Sierra Forest and later */
};

struct identity {
	uint32_t family; /* 0, as model is, on an architecture that has none */
	uint32_t model;
	uint32_t stepping;
	char *model_name; /* "" where the kernel tells none */
	bool hfi;
	enum generation generation;
};

/*
 * Reads the first stanza of /proc/cpuinfo, and no more than that. Returns 0, a negative errno of
 * the file system, -EINVAL if there is no stanza, or it is Intel's and family or model is
 * missing, or -ENOMEM.
 */
int identity_read(struct files *files, struct identity *ret_identity);
void identity_done(struct identity *identity);

#endif

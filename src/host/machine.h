/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine: its host, its CPU (hardware.md, section 1), its topology, and its places. */
#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include "base/location.h"
#include "host/host.h"
#include "host/topology.h"

enum generation {
	GENERATION_UNKNOWN, /* Intel's, but not in the table */
	GENERATION_OTHER_VENDOR,
	GENERATION_SKYLAKE, /* 0x55: mailbox, CLOS by mailbox too */
	GENERATION_CASCADE_LAKE, /* 0x55 stepping 6 or 7: not a supported CPU */
	GENERATION_CASCADE_LAKE_N, /* the same, with SST-BF set in BIOS */
	GENERATION_ICE_LAKE,
	GENERATION_SAPPHIRE_RAPIDS,
	GENERATION_EMERALD_RAPIDS,
	GENERATION_TPMI /* Granite Rapids, Sierra Forest and later */
};

/* Which CPU the machine has. */
struct identity {
	uint32_t family; /* 0, like model, on an architecture that has none */
	uint32_t model;
	uint32_t stepping;
	char *model_name; /* "" if the kernel shows none */
	char *vendor; /* the same: "GenuineIntel" */
	bool hfi;
	enum generation generation;
};

struct machine {
	struct host *host; /* the caller's */
	struct identity identity;
	struct topology topology;
	/* CPUs that are known to have cpuN/online: nothing checks for the file again */
	struct cpuset switchable;
};

/* Reads the first stanza of /proc/cpuinfo, and no more than that. Returns 0; -EINVAL if there is no
 * stanza, or if it is Intel's and has no family or model; a negative errno of the file system; or
 * -ENOMEM. */
int identity_read(struct files *files, struct identity *ret_identity);
void identity_done(struct identity *identity);

/* Is it one of the models that the kernel's drivers of Speed Select bind to (hardware.md, section
 * 1)? If their device cannot be queried, the settings are unknown, not absent. */
bool identity_has_sst(const struct identity *identity);

/* Reads what the machine is. Returns 0; or a negative errno with *ret_message a new sentence for
 * the user, what could not be read and why, or NULL if memory is short. */
int machine_open(struct host *host, struct machine **ret_machine, char **ret_message);

/* Reads again what can change while a process runs: which CPUs are online. If *machine is NULL, or
 * a CPU came online that it does not know, everything is read. *ret_moved: other CPUs are online
 * than before, so that what was derived from *machine is out of date. Returns as machine_open(),
 * with *machine NULL on failure. */
int machine_update(struct host *host, struct machine **machine, bool *ret_moved,
		   char **ret_message);

/* Frees *machine, which may be NULL, and leaves NULL. */
void machine_close(struct machine **machine);

/* The location of one CPU, with its package and die if the topology has them. */
struct location location_of_cpu(const struct machine *machine, uint32_t cpu);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine: its host, its CPU (hardware.md, section 1), its topology, and its locations. */
#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include "base/location.h"
#include "host/host.h"
#include "host/topology.h"

enum generation {
	GENERATION_UNKNOWN, /* an Intel CPU that is not in the table */
	GENERATION_OTHER_VENDOR,
	GENERATION_SKYLAKE, /* 0x55: mailbox, also for CLOS */
	GENERATION_CASCADE_LAKE, /* 0x55 stepping 6 or 7: not a supported CPU */
	GENERATION_CASCADE_LAKE_N, /* the same, with SST-BF set in BIOS */
	GENERATION_ICE_LAKE,
	GENERATION_SAPPHIRE_RAPIDS,
	GENERATION_EMERALD_RAPIDS,
	GENERATION_TPMI /* Granite Rapids, Sierra Forest and later */
};

/* The model of the machine's CPU. */
struct identity {
	uint32_t family; /* family and model are 0 on an architecture without them */
	uint32_t model;
	uint32_t stepping;
	char *model_name; /* "" if the kernel shows none */
	char *vendor; /* "GenuineIntel"; "" if the kernel shows none */
	bool hfi;
	enum generation generation;
};

struct machine {
	struct host *host; /* the caller's */
	struct identity identity;
	struct topology topology;
	/* CPUs that are known to have cpuN/online, so that the file is not checked again */
	struct cpuset switchable;
};

/* Reads only the first stanza of /proc/cpuinfo. Returns 0; -EINVAL if there is no stanza, or if a
 * stanza of Intel has no family or model; a negative errno of the file system; or -ENOMEM. */
int identity_read(struct files *files, struct identity *ret_identity);
void identity_done(struct identity *identity);

/* Returns true if the kernel's Speed Select drivers bind to this model (hardware.md, section 1). If
 * their device cannot be queried, the settings are unknown, not absent. */
bool identity_has_sst(const struct identity *identity);

/* Reads the identity and the topology of the machine. Returns 0; or a negative errno with
 * *ret_message a new sentence for the user about what could not be read and why, or NULL if memory
 * is short. */
int machine_open(struct host *host, struct machine **ret_machine, char **ret_message);

/* Reads again which CPUs are online. If *machine is NULL, or an unknown CPU came online, reads
 * everything. *ret_moved is true if other CPUs are online than before: data that was derived from
 * *machine is then out of date. Returns as machine_open(), with *machine NULL on failure. */
int machine_update(struct host *host, struct machine **machine, bool *ret_moved,
		   char **ret_message);

/* Frees *machine, which may be NULL, and sets it to NULL. */
void machine_close(struct machine **machine);

/* Returns the location of one CPU, with its package and die if the topology has them. */
struct location location_of_cpu(const struct machine *machine, uint32_t cpu);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the daemon remembers over a restart of itself, not of the machine (commands.md, "Daemon"):
 * the level that each power domain was last followed to, and the CPUs taken offline for it.
 */
#ifndef DAEMON_RECORD_H
#define DAEMON_RECORD_H

#include "machine/files.h"
#include "platform/domains.h"

struct record_domain {
	uint32_t package;
	uint32_t die;
	bool has_id; /* on TPMI parts, where the next is what names it, and not the die */
	uint32_t power_domain;
	uint32_t level;
	bool is_pending; /* not all of it could be done */
	struct cpuset taken; /* offline CPUs that were online before we followed */
};

struct record {
	char *boot; /* the id of this boot; NULL: it is read for each writing */
	struct record_domain *domains;
	size_t n_domains;
};

#define _cleanup_record_ __attribute__((cleanup(record_done)))

/* Frees what a record holds and leaves it empty. */
void record_done(struct record *record);

/* The entry of a power domain, or NULL. */
struct record_domain *record_find(const struct record *record, const struct power_domain *domain);

/* Adds an entry for a power domain at a level. Returns 0 or -ENOMEM. */
int record_add(struct record *record, const struct power_domain *domain, uint32_t level);

/* Reads the id of this boot into the record, if it is missing. Returns 0 or a negative errno. */
int record_read_boot(struct files *files, struct record *record);

/*
 * Reads the record of this boot from the run directory. Returns 0; -ENOENT where there is none;
 * -ESTALE where it is of another boot; -EBADMSG where it is damaged; -EPERM where somebody else
 * could have written it; another negative errno of reading; -ENOMEM.
 */
int record_read(struct files *files, const char *run_directory, struct record *ret_record);

/*
 * Writes it, whole or not at all; a process that is killed afterwards leaves it so. Returns 0, a
 * negative errno of the file system, or -ENOMEM.
 */
int record_write(struct files *files, const char *run_directory, const struct record *record);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon remembers when it is restarted within one boot (commands.md, "Daemon"): the last
 * level that Linux followed in each power domain, and the CPUs taken offline for that level. */
#ifndef SETTINGS_RECORD_H
#define SETTINGS_RECORD_H

#include "host/files.h"
#include "host/machine.h"
#include "settings/follow.h"
#include "sst/domains.h"

struct record_domain {
	struct location place; /* on TPMI parts only the power domain is compared, not the die */
	uint32_t level;
	bool is_pending; /* Linux has not followed the level completely */
	struct cpuset taken; /* offline CPUs that were online before Linux followed the level */
};

struct record {
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

/* Reads the record of this boot from the run directory. Returns as run_file_read(). */
int record_read(struct files *files, const char *run_directory, struct record *ret_record);

/* Identifies the file of a record. Its replacement has another version. All zero: no file. */
struct record_version {
	uint64_t inode;
	int64_t changed_s;
	int64_t changed_ns;
};

/* The version of the record in the run directory. */
struct record_version record_find_version(const char *run_directory);

/* Writes the record, completely or not at all. Returns as run_file_write(). */
int record_write(struct files *files, const char *run_directory, const struct record *record);

/* Notes that a command set domains[0..count-1] to their levels and moved their CPUs. before: the
 * CPUs that were online. The daemon then does not follow the level again. It brings CPUs that went
 * offline online again when a level enables them. Does nothing without a readable record of this
 * boot: no daemon has run, and a daemon that starts later treats these CPUs as CPUs that were
 * offline before. Needs the lock. Returns 0; -ENOMEM; or a negative errno of reading which CPUs are
 * online, or of record_write(). */
int record_note_levels(struct files *files, const char *run_directory,
		       const struct follow_domain *domains, size_t count,
		       const struct cpuset *before);

#endif

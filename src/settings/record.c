// SPDX-License-Identifier: GPL-2.0-only
/* The record's file has the member "domains": [{"package", "die", "power_domain" (-1: it has no
 * id), "level", "pending", "taken": "4,6"}]. An invalid file is ignored (commands.md, "Daemon"). */
#include "settings/record.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/run_directory.h"
#include "sst/sst.h"

#define NO_ID (-1)

static const struct run_file record_file = {
	.name = "oob-record.json",
	.format = "intel-speed-select oob record",
};

void record_done(struct record *record)
{
	for (size_t i = 0; i < record->n_domains; i++)
		cpuset_done(&record->domains[i].taken);
	free(record->domains);
	*record = (struct record){ 0 };
}

struct record_domain *record_find(const struct record *record, const struct power_domain *domain)
{
	for (size_t i = 0; i < record->n_domains; i++) {
		const struct location *place = &record->domains[i].place;

		if (place->package == domain->package &&
		    place->has_power_domain == domain->has_id &&
		    place->power_domain == domain->id &&
		    (domain->has_id || place->die == domain->die))
			return &record->domains[i];
	}
	return NULL;
}

int record_add(struct record *record, const struct power_domain *domain, uint32_t level)
{
	struct record_domain *entry =
		array_add(&record->domains, &record->n_domains, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->place = domains_location(domain);
	entry->level = level;
	return 0;
}

static int decode_domain(json_t *object, struct record *record)
{
	json_int_t package, die, power_domain, level;
	struct power_domain domain;
	struct record_domain *entry;
	const char *taken;
	int pending, err;

	if (json_unpack(object, "{s:I, s:I, s:I, s:I, s:b, s:s !}", "package", &package, "die",
			&die, "power_domain", &power_domain, "level", &level, "pending", &pending,
			"taken", &taken) < 0)
		return -EBADMSG;
	if (package < 0 || package > UINT32_MAX || die < 0 || die > UINT32_MAX ||
	    power_domain < NO_ID || power_domain > UINT32_MAX || level < 0 || level > SST_MAX_LEVEL)
		return -EBADMSG;
	domain = (struct power_domain){
		.package = (uint32_t)package,
		.die = (uint32_t)die,
		.has_id = power_domain != NO_ID,
		.id = power_domain == NO_ID ? 0 : (uint32_t)power_domain,
	};
	err = record_add(record, &domain, (uint32_t)level);
	if (err)
		return err;
	entry = &record->domains[record->n_domains - 1];
	entry->is_pending = pending;
	err = cpulist_parse(taken, &entry->taken);
	return err && err != -ENOMEM ? -EBADMSG : err;
}

int record_read(struct files *files, const char *run_directory, struct record *ret_record)
{
	_cleanup_record_ struct record record = { 0 };
	_cleanup_json_ json_t *root = NULL;
	json_t *domains, *object;
	size_t index;
	int err = run_file_read(files, run_directory, &record_file, &root);

	if (err)
		return err;
	if (json_unpack(root, "{s:o !}", "domains", &domains) < 0 || !json_is_array(domains))
		return -EBADMSG;
	json_array_foreach (domains, index, object) {
		err = decode_domain(object, &record);
		if (err)
			return err;
	}
	*ret_record = steal(record);
	return 0;
}

struct record_version record_find_version(const char *run_directory)
{
	_cleanup_free_ char *path = text_format("%s/%s", run_directory, record_file.name);
	struct stat about;

	if (!path || lstat(path, &about) < 0)
		return (struct record_version){ 0 };
	return (struct record_version){
		.inode = about.st_ino,
		.changed_s = about.st_ctim.tv_sec,
		.changed_ns = about.st_ctim.tv_nsec,
	};
}

int record_write(struct files *files, const char *run_directory, const struct record *record)
{
	_cleanup_json_ json_t *domains = json_array();

	for (size_t i = 0; i < record->n_domains; i++) {
		const struct record_domain *entry = &record->domains[i];
		_cleanup_free_ char *taken = cpuset_format_ranges(&entry->taken);
		const struct location *place = &entry->place;
		json_int_t id = place->has_power_domain ? (json_int_t)place->power_domain : NO_ID;
		json_t *object =
			json_pack("{s:I, s:I, s:I, s:I, s:b, s:s}", "package",
				  (json_int_t)place->package, "die", (json_int_t)place->die,
				  "power_domain", id, "level", (json_int_t)entry->level, "pending",
				  (int)entry->is_pending, "taken", taken);

		/* json_pack() refuses a text that is NULL */
		if (json_array_append_new(domains, object) < 0)
			return -ENOMEM;
	}
	return run_file_write(files, run_directory, &record_file,
			      json_pack("{s:O}", "domains", domains));
}

int record_note_levels(struct files *files, const char *run_directory,
		       const struct follow_domain *domains, size_t count,
		       const struct cpuset *before)
{
	_cleanup_record_ struct record record = { 0 };
	_cleanup_cpuset_ struct cpuset online = { 0 };
	int err = record_read(files, run_directory, &record);
	bool is_changed = false;

	/* the daemon does not use a record that cannot be read either */
	if (err)
		return err == -ENOMEM ? err : 0;
	err = files_read_cpus(files, FILES_CPUS "/online", &online);
	for (size_t i = 0; i < count && !err; i++) {
		const struct power_domain *domain = domains[i].domain;
		struct record_domain *entry = record_find(&record, domain);
		_cleanup_cpuset_ struct cpuset taken = { 0 };

		is_changed = is_changed || !entry || entry->is_pending ||
			     entry->level != domains[i].level_number;
		if (!entry) {
			err = record_add(&record, domain, domains[i].level_number);
			entry = &record.domains[record.n_domains - 1];
		}
		if (err || cpuset_copy(&taken, &entry->taken) ||
		    cpuset_add_all(&entry->taken, before))
			return -ENOMEM;
		cpuset_keep(&entry->taken, &domain->cpus);
		cpuset_remove_all(&entry->taken, &online);
		is_changed = is_changed || !cpuset_equal(&taken, &entry->taken);
		entry->level = domains[i].level_number;
		entry->is_pending = false;
	}
	if (err || !is_changed)
		return err;
	return record_write(files, run_directory, &record);
}

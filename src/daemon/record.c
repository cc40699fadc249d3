// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file is JSON: {"format": "intel-speed-select oob record", "version": 1, "boot": BOOT_ID,
 * "domains": [{"package", "die", "power_domain" (-1: it has no id), "level", "pending", "taken":
 * "4,6"}]}. It is used whole or not at all (commands.md, "Daemon").
 */
#include "daemon/record.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "base/fileio.h"
#include "machine/run_directory.h"
#include "platform/sst.h"

#define RECORD_NAME    "oob-record.json"
#define RECORD_FORMAT  "intel-speed-select oob record"
#define RECORD_VERSION 1
#define NO_ID          (-1)
#define MAX_BYTES      (16U << 20)
#define BOOT_ID        "/proc/sys/kernel/random/boot_id"

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}

#define _cleanup_json_ _cleanup_(cleanup_json)

void record_done(struct record *record)
{
	for (size_t i = 0; i < record->n_domains; i++)
		cpuset_done(&record->domains[i].taken);
	free(record->domains);
	free(record->boot);
	*record = (struct record){ 0 };
}

struct record_domain *record_find(const struct record *record, const struct power_domain *domain)
{
	for (size_t i = 0; i < record->n_domains; i++) {
		struct record_domain *entry = &record->domains[i];

		if (entry->package == domain->package && entry->has_id == domain->has_id &&
		    entry->power_domain == domain->id &&
		    (domain->has_id || entry->die == domain->die))
			return entry;
	}
	return NULL;
}

static struct record_domain *grow(struct record *record)
{
	struct record_domain *domains;

	domains = reallocarray(record->domains, record->n_domains + 1, sizeof(*domains));
	if (!domains)
		return NULL;
	record->domains = domains;
	domains[record->n_domains] = (struct record_domain){ 0 };
	return &domains[record->n_domains++];
}

int record_add(struct record *record, const struct power_domain *domain, uint32_t level)
{
	struct record_domain *entry = grow(record);

	if (!entry)
		return -ENOMEM;
	entry->package = domain->package;
	entry->die = domain->die;
	entry->has_id = domain->has_id;
	entry->power_domain = domain->id;
	entry->level = level;
	return 0;
}

static int make_path(const char *run_directory, char **ret_path)
{
	return asprintf(ret_path, "%s/" RECORD_NAME, run_directory) < 0 ? -ENOMEM : 0;
}

static int decode_domain(json_t *object, struct record *record)
{
	json_int_t package, die, power_domain, level;
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
	entry = grow(record);
	if (!entry)
		return -ENOMEM;
	entry->package = (uint32_t)package;
	entry->die = (uint32_t)die;
	entry->has_id = power_domain != NO_ID;
	entry->power_domain = entry->has_id ? (uint32_t)power_domain : 0;
	entry->level = (uint32_t)level;
	entry->is_pending = pending;
	err = cpulist_parse(taken, &entry->taken);
	return err && err != -ENOMEM ? -EBADMSG : err;
}

int record_read_boot(struct files *files, struct record *record)
{
	return record->boot ? 0 : files_read_line(files, BOOT_ID, &record->boot);
}

static int decode(struct files *files, const json_t *root, struct record *record)
{
	const char *format, *boot_then;
	json_t *domains, *object;
	size_t index;
	int version, err = record_read_boot(files, record);

	if (err)
		return err;
	if (json_unpack((json_t *)(uintptr_t)root, "{s:s, s:i, s:s, s:o !}", "format", &format,
			"version", &version, "boot", &boot_then, "domains", &domains) < 0 ||
	    strcmp(format, RECORD_FORMAT) != 0 || version != RECORD_VERSION ||
	    !json_is_array(domains))
		return -EBADMSG;
	if (strcmp(record->boot, boot_then) != 0)
		return -ESTALE;
	json_array_foreach (domains, index, object) {
		err = decode_domain(object, record);
		if (err)
			return err;
	}
	return 0;
}

int record_read(struct files *files, const char *run_directory, struct record *ret_record)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	_cleanup_record_ struct record record = { 0 };
	_cleanup_json_ json_t *root = NULL;
	size_t length;
	int err = make_path(run_directory, &path);

	err = err ?: fileio_read_trusted(path, MAX_BYTES, &text, &length);
	if (err)
		return err;
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	err = root ? decode(files, root, &record) : -EBADMSG;
	if (err)
		return err;
	*ret_record = record;
	record = (struct record){ 0 };
	return 0;
}

static json_t *encode_domain(const struct record_domain *entry)
{
	_cleanup_free_ char *taken = cpuset_format_ranges(&entry->taken);

	if (!taken)
		return NULL;
	return json_pack("{s:I, s:I, s:I, s:I, s:b, s:s}", "package", (json_int_t)entry->package,
			 "die", (json_int_t)entry->die, "power_domain",
			 entry->has_id ? (json_int_t)entry->power_domain : (json_int_t)NO_ID,
			 "level", (json_int_t)entry->level, "pending", (int)entry->is_pending,
			 "taken", taken);
}

static json_t *encode(const struct record *record, const char *boot)
{
	json_t *domains = json_array();

	for (size_t i = 0; i < record->n_domains; i++) {
		if (json_array_append_new(domains, encode_domain(&record->domains[i])) < 0) {
			json_decref(domains);
			return NULL;
		}
	}
	return json_pack("{s:s, s:i, s:s, s:o}", "format", RECORD_FORMAT, "version", RECORD_VERSION,
			 "boot", boot, "domains", domains);
}

int record_write(struct files *files, const char *run_directory, const struct record *record)
{
	_cleanup_free_ char *path = NULL, *boot = NULL, *text = NULL;
	_cleanup_json_ json_t *root = NULL;
	int err = record->boot ? 0 : files_read_line(files, BOOT_ID, &boot);

	err = err ?: make_path(run_directory, &path);
	if (err)
		return err;
	root = encode(record, record->boot ?: boot);
	text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	if (!text)
		return -ENOMEM;
	err = run_directory_make(run_directory);
	return err ?: fileio_replace(path, 0644, text, strlen(text));
}

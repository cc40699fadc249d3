// SPDX-License-Identifier: GPL-2.0-only
/*
 * A platform file from its text to a machine. Everything is read and checked here and in the files
 * of its parts: what platform_file_parse() returns contradicts neither itself nor hardware.md.
 */
#include "simulator/platform_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "simulator/digest.h"
#include "simulator/member.h"
#include "simulator/platform_file_level.h"
#include "simulator/platform_file_sst.h"
#include "simulator/platform_file_sysfs.h"
#include "simulator/platform_file_topology.h"

#define SCHEMA          1
#define MAX_FAMILY      270 /* 0xf and the 8 bits of the extended family */
#define MAX_MODEL       255
#define MAX_STEPPING    15
#define MAX_NAME        64
#define MAILBOX_VERSION 1
#define TPMI_VERSION    2

static const struct member_field TOP_FIELDS[] = {
	MEMBER_NESTED_FIELD("schema"),
	MEMBER_TEXT_FIELD(struct sim_platform, name, "name"),
	MEMBER_TEXT_FIELD(struct sim_platform, description, "description"),
	MEMBER_NESTED_FIELD("source"),
	MEMBER_NESTED_FIELD("cpu"),
	MEMBER_NESTED_FIELD("interface"),
	MEMBER_NESTED_FIELD("topology"),
	MEMBER_NESTED_FIELD("cpufreq"),
	MEMBER_NESTED_FIELD("cpuidle"),
	MEMBER_NESTED_FIELD("umwait"),
	MEMBER_NESTED_FIELD("uncore"),
	MEMBER_NESTED_FIELD("msr"),
	MEMBER_NESTED_FIELD("sst"),
	MEMBER_NESTED_FIELD("io_sst"),
};

static const struct member_field CPU_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct sim_platform, cpu.family, "family", 0, MAX_FAMILY),
	MEMBER_NUMBER_FIELD(struct sim_platform, cpu.model, "model", 0, MAX_MODEL),
	MEMBER_NUMBER_FIELD(struct sim_platform, cpu.stepping, "stepping", 0, MAX_STEPPING),
	MEMBER_TEXT_FIELD(struct sim_platform, cpu.model_name, "model_name"),
	MEMBER_BOOL_FIELD(struct sim_platform, cpu.hfi, "hfi"),
};

static const struct member_field INTERFACE_FIELDS[] = {
	MEMBER_NESTED_FIELD("kind"),
	MEMBER_NUMBER_FIELD(struct sim_platform, api_version, "api_version", 0, UINT16_MAX),
	MEMBER_NUMBER_FIELD(struct sim_platform, driver_version, "driver_version", 0, UINT16_MAX),
	MEMBER_NUMBER_FIELD(struct sim_platform, max_cmds_per_ioctl, "max_cmds_per_ioctl", 0,
			    UINT16_MAX),
	MEMBER_FLAG_FIELD(struct sim_platform, mbox, "mbox"),
	MEMBER_FLAG_FIELD(struct sim_platform, mmio, "mmio"),
};

static const struct member_field MSR_FIELDS[] = {
	MEMBER_NESTED_FIELD("turbo_ratio_limit"),
	MEMBER_NESTED_FIELD("turbo_ratio_limit_cores"),
};

static const char *const KINDS[] = {
	[SIM_INTERFACE_NONE] = "none",
	[SIM_INTERFACE_MAILBOX] = "mailbox",
	[SIM_INTERFACE_TPMI] = "tpmi",
};

/* The name becomes part of file names. */
static void check_name(const struct member *root, const char *name)
{
	struct member member = member_of(root, "name");

	if (!name)
		return;
	if (strlen(name) > MAX_NAME)
		member_refuse(&member, "must not be longer than %d characters", MAX_NAME);
	for (const char *character = name; *character; character++) {
		if (!isalnum((unsigned char)*character) && !strchr("-_.+", *character))
			member_refuse(&member, "only letters, digits and -_.+ belong there");
	}
	if (*name == '.')
		member_refuse(&member, "must not begin with a dot");
}

/* Refuses a member of the interface that is outside what its kind can have. */
static void check_range(const struct member *interface, const char *name, uint32_t min,
			uint32_t max)
{
	struct member member = member_of(interface, name);

	member_read_number(&member, min, max);
}

static void check_interface(const struct member *interface, enum sim_interface kind)
{
	switch (kind) {
	case SIM_INTERFACE_NONE:
		for (size_t i = 1; i < ARRAY_SIZE(INTERFACE_FIELDS); i++)
			check_range(interface, INTERFACE_FIELDS[i].name, 0, 0);
		break;
	case SIM_INTERFACE_MAILBOX:
		check_range(interface, "api_version", MAILBOX_VERSION, MAILBOX_VERSION);
		check_range(interface, "max_cmds_per_ioctl", 1, UINT16_MAX);
		break;
	case SIM_INTERFACE_TPMI:
		check_range(interface, "api_version", TPMI_VERSION, UINT16_MAX);
		check_range(interface, "max_cmds_per_ioctl", 1, UINT16_MAX);
		check_range(interface, "mbox", 0, 0);
		check_range(interface, "mmio", 0, 0);
		break;
	}
}

static void read_interface(const struct member *interface, struct sim_platform *platform)
{
	struct member kind = member_of(interface, "kind");

	member_read_fields(interface, INTERFACE_FIELDS, ARRAY_SIZE(INTERFACE_FIELDS), platform);
	platform->interface = (enum sim_interface)member_read_word(&kind, KINDS, ARRAY_SIZE(KINDS));
	if (!interface->reader->err)
		check_interface(interface, platform->interface);
}

/* Reads 8 figures to an MSR, bucket 0 in the lowest byte. */
static uint64_t read_buckets(const struct member *object, const char *name)
{
	struct member list = member_of(object, name);
	uint8_t buckets[PUNIT_BUCKETS] = { 0 };
	uint64_t packed = 0;

	platform_file_level_read_counts(&list, buckets);
	for (size_t i = 0; i < PUNIT_BUCKETS; i++)
		packed |= (uint64_t)buckets[i] << (8 * i);
	return packed;
}

static void read_msrs(const struct member *msr, struct sim_platform *platform)
{
	platform->has_msrs = true;
	member_read_fields(msr, MSR_FIELDS, ARRAY_SIZE(MSR_FIELDS), NULL);
	platform->msrs.turbo_ratio_limit = read_buckets(msr, "turbo_ratio_limit");
	platform->msrs.turbo_ratio_limit_cores = read_buckets(msr, "turbo_ratio_limit_cores");
}

/* Refuses an `sst` or `io_sst` that goes with nothing else in the file. */
static void check_sst(const struct member *root, const struct member *sst,
		      const struct member *io_sst, const struct sim_platform *platform)
{
	struct member msr = member_of(root, "msr");
	struct member cpufreq = member_of(root, "cpufreq");
	struct member high_priority = member_of(&cpufreq, "high_priority");

	if (member_is_given(sst) && platform->interface == SIM_INTERFACE_NONE)
		member_refuse(sst, "must be null where interface.kind is \"none\"");
	if (member_is_given(io_sst) && platform->interface != SIM_INTERFACE_TPMI)
		member_refuse(io_sst, "must be null where interface.kind is not \"tpmi\"");
	if (member_is_given(sst) && high_priority.value)
		member_refuse(&high_priority, "sst gives the base frequencies of this machine");
	if ((member_is_given(sst) || member_is_given(io_sst)) && !platform->has_msrs)
		member_refuse(&msr, "must not be null on a machine with SST");
}

static void read_sst(const struct member *root, struct sim_platform *platform)
{
	struct member sst = member_of(root, "sst");
	struct member io_sst = member_of(root, "io_sst");

	check_sst(root, &sst, &io_sst, platform);
	if (member_is_given(&sst))
		platform_file_sst_read(&sst, platform, false);
	if (member_is_given(&io_sst))
		platform_file_sst_read(&io_sst, platform, true);
}

static void read_platform(const struct member *root, struct sim_platform *platform)
{
	struct member schema = member_of(root, "schema");
	struct member source = member_of(root, "source");
	struct member cpu = member_of(root, "cpu");
	struct member interface = member_of(root, "interface");
	struct member topology = member_of(root, "topology");
	struct member msr = member_of(root, "msr");

	if (schema.value)
		member_read_number(&schema, SCHEMA, SCHEMA);
	member_read_fields(root, TOP_FIELDS, ARRAY_SIZE(TOP_FIELDS), platform);
	check_name(root, platform->name);
	member_read_text(&source);
	member_read_fields(&cpu, CPU_FIELDS, ARRAY_SIZE(CPU_FIELDS), platform);
	read_interface(&interface, platform);
	platform_file_topology_read(&topology, platform);
	if (root->reader->err)
		return;
	platform_file_sysfs_read(root, platform);
	if (member_is_given(&msr))
		read_msrs(&msr, platform);
	read_sst(root, platform);
}

/* The place of the last such character in front of a place in the text, or 0. */
static size_t find_before(const char *text, size_t place, char character)
{
	while (place > 0 && text[place] != character)
		place--;
	return place;
}

/* The name in quotes that stands last in front of a place in the text: its start and length. */
static const char *find_name(const char *text, size_t place, size_t *ret_length)
{
	size_t colon = find_before(text, place, ':');
	size_t end = find_before(text, colon, '"');
	size_t start = end > 0 ? find_before(text, end - 1, '"') : 0;

	*ret_length = start > 0 ? end - start - 1 : 0;
	return text + start + 1;
}

/* The text is no JSON: the library's words, in our form, with the member that it was at. */
static int refuse_text(const char *file_name, const char *text, const json_error_t *error,
		       char **ret_message)
{
	size_t place = error->position > 0 ? (size_t)error->position : 0, length;
	const char *name = find_name(text, place, &length);
	char *message;

	if (json_error_code(error) == json_error_out_of_memory)
		return -ENOMEM;
	if (asprintf(&message, "%s:%d: %.*s%s%s", file_name, error->line > 0 ? error->line : 1,
		     (int)length, name, length ? ": " : "", error->text) < 0)
		return -ENOMEM;
	member_replace_controls(message);
	*ret_message = message;
	return -EINVAL;
}

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}

int platform_file_parse(const char *file_name, const char *text, size_t length,
			struct sim_platform **ret_platform, char **ret_message)
{
	struct member_reader reader = { .file_name = file_name, .text = text, .length = length };
	__attribute__((cleanup(cleanup_json))) json_t *json = NULL;
	struct sim_platform *platform;
	struct member root;
	json_error_t error;

	json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return refuse_text(file_name, text, &error, ret_message);
	platform = calloc(1, sizeof(*platform));
	if (!platform)
		return -ENOMEM;
	platform->digest = digest_bytes(text, length);
	root = member_root(&reader, json);
	read_platform(&root, platform);
	if (reader.err) {
		platform_file_free(platform);
		if (reader.message)
			*ret_message = reader.message;
		return reader.err;
	}
	*ret_platform = platform;
	return 0;
}

void platform_file_free(struct sim_platform *platform)
{
	if (!platform)
		return;
	for (size_t i = 0; i < platform->n_domains; i++) {
		cpuset_done(&platform->domains[i].cores);
		cpuset_done(&platform->domains[i].cpus);
	}
	free(platform->domains);
	free(platform->cpus);
	cpuset_done(&platform->offline);
	free(platform->name);
	free(platform->description);
	free(platform->cpu.model_name);
	platform_file_sysfs_free(platform);
	free(platform);
}

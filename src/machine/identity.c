// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's identity out of /proc/cpuinfo (hardware.md, section 1). Reading is bounded: the whole
 * file costs milliseconds on a large server.
 */
#include "machine/identity.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define STANZA_LIMIT 8192 /* a stanza with all flags is below 4 KiB */

/* Cascade Lake parts with SST-BF set in BIOS. */
static const char *const cascade_lake_n_names[] = { "6252N", "6230N", "5218N" };

struct generation_row {
	uint32_t family;
	uint32_t model;
	enum generation generation;
};

static const struct generation_row generations[] = {
	{ .family = 6, .model = 0x6a, .generation = GENERATION_ICE_LAKE },
	{ .family = 6, .model = 0x6c, .generation = GENERATION_ICE_LAKE },
	{ .family = 6, .model = 0x8f, .generation = GENERATION_SAPPHIRE_RAPIDS },
	{ .family = 6, .model = 0xcf, .generation = GENERATION_EMERALD_RAPIDS },
	{ .family = 6, .model = 0xad, .generation = GENERATION_TPMI },
	{ .family = 6, .model = 0xae, .generation = GENERATION_TPMI },
	{ .family = 6, .model = 0xaf, .generation = GENERATION_TPMI },
	{ .family = 6, .model = 0xdd, .generation = GENERATION_TPMI },
	{ .family = 6, .model = 0xb6, .generation = GENERATION_TPMI },
};

static enum generation find_skylake_kind(const struct identity *identity)
{
	if (identity->stepping != 6 && identity->stepping != 7)
		return GENERATION_SKYLAKE;
	for (size_t i = 0; i < ARRAY_SIZE(cascade_lake_n_names); i++) {
		if (strstr(identity->model_name, cascade_lake_n_names[i]))
			return GENERATION_CASCADE_LAKE_N;
	}
	return GENERATION_CASCADE_LAKE;
}

static enum generation find_generation(const struct identity *identity, const char *vendor)
{
	if (strcmp(vendor, "GenuineIntel") != 0)
		return GENERATION_OTHER_VENDOR;
	if (identity->family == 6 && identity->model == 0x55)
		return find_skylake_kind(identity);
	if (identity->family == 19 && identity->model >= 0x01)
		return GENERATION_TPMI;
	for (size_t i = 0; i < ARRAY_SIZE(generations); i++) {
		if (generations[i].family == identity->family &&
		    generations[i].model == identity->model)
			return generations[i].generation;
	}
	return GENERATION_UNKNOWN;
}

/* The value of "name<tab>: value" in the stanza, ended by the line's end, as a new string. */
static int find_value(const char *stanza, const char *name, char **ret_value)
{
	size_t length = strlen(name);

	for (const char *line = stanza; *line;) {
		const char *end = strchrnul(line, '\n');
		const char *colon = memchr(line, ':', (size_t)(end - line));

		if (colon && strncmp(line, name, length) == 0 &&
		    strspn(line + length, " \t") == (size_t)(colon - line) - length) {
			colon += 1 + (colon[1] == ' ');
			*ret_value = strndup(colon, colon < end ? (size_t)(end - colon) : 0);
			return *ret_value ? 0 : -ENOMEM;
		}
		line = *end ? end + 1 : end;
	}
	return -ENOENT;
}

static int find_number(const char *stanza, const char *name, uint32_t *ret_value)
{
	_cleanup_free_ char *text = NULL;
	uint64_t value;
	int err = find_value(stanza, name, &text);

	if (!err)
		err = number_parse(text, 0, UINT32_MAX, &value);
	if (!err)
		*ret_value = (uint32_t)value;
	return err == -ENOENT || err == -ERANGE ? -EINVAL : err;
}

/* As find_value, but "" where the stanza has no such line. */
static int find_text(const char *stanza, const char *name, char **ret_value)
{
	int err = find_value(stanza, name, ret_value);

	if (err != -ENOENT)
		return err;
	*ret_value = strdup("");
	return *ret_value ? 0 : -ENOMEM;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += length) {
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* Other architectures have no vendor_id, and no family and model of this kind. */
static int find_family(const char *stanza, const char *vendor, struct identity *identity)
{
	int err = find_number(stanza, "cpu family", &identity->family);

	err = err ?: find_number(stanza, "model", &identity->model);
	if (!err || strcmp(vendor, "GenuineIntel") == 0 || !strchr(stanza, ':'))
		return err;
	identity->family = 0;
	identity->model = 0;
	return 0;
}

static int parse_stanza(const char *stanza, struct identity *ret_identity)
{
	_cleanup_free_ char *vendor = NULL, *flags = NULL, *model_name = NULL;
	struct identity identity = { 0 };
	int err = find_text(stanza, "vendor_id", &vendor);

	err = err ?: find_text(stanza, "flags", &flags);
	err = err ?: find_text(stanza, "model name", &model_name);
	err = err ?: find_family(stanza, vendor, &identity);
	if (err)
		return err;
	/* A missing stepping ("unknown" under some hypervisors) is no reason to give up. */
	if (find_number(stanza, "stepping", &identity.stepping))
		identity.stepping = 0;
	identity.model_name = steal_pointer(model_name);
	identity.hfi = has_word(flags, "hfi");
	identity.generation = find_generation(&identity, vendor);
	*ret_identity = identity;
	return 0;
}

int identity_read(struct files *files, struct identity *ret_identity)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	char *end;
	int err = files->ops->read(files, "/proc/cpuinfo", STANZA_LIMIT, &text, &length);

	if (err)
		return err;
	end = strstr(text, "\n\n");
	if (end)
		end[1] = '\0';
	return parse_stanza(text, ret_identity);
}

void identity_done(struct identity *identity)
{
	free(identity->model_name);
	*identity = (struct identity){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads the CPU's identity from /proc/cpuinfo, and the topology, each once (hardware.md, sections 1
 * and 5). Reads only the start of /proc/cpuinfo: the complete file takes milliseconds on a large
 * server. */
#include "host/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

#define INTEL        "GenuineIntel"
#define STANZA_LIMIT 8192 /* a stanza with all flags is below 4 KiB */

/* Cascade Lake parts with SST-BF set in BIOS. */
static const char *const cascade_lake_n_names[] = { "6252N", "6230N", "5218N" };

/* Models of family 6. */
static const struct {
	uint32_t model;
	enum generation generation;
} generations[] = {
	{ 0x6a, GENERATION_ICE_LAKE },
	{ 0x6c, GENERATION_ICE_LAKE },
	{ 0x8f, GENERATION_SAPPHIRE_RAPIDS },
	{ 0xcf, GENERATION_EMERALD_RAPIDS },
	{ 0xad, GENERATION_TPMI },
	{ 0xae, GENERATION_TPMI },
	{ 0xaf, GENERATION_TPMI },
	{ 0xdd, GENERATION_TPMI },
	{ 0xb6, GENERATION_TPMI },
};

static enum generation find_generation(const struct identity *identity, const char *vendor)
{
	if (strcmp(vendor, INTEL) != 0)
		return GENERATION_OTHER_VENDOR;
	if (identity->family == 19 && identity->model >= 0x01)
		return GENERATION_TPMI;
	if (identity->family != 6)
		return GENERATION_UNKNOWN;
	if (identity->model == 0x55 && identity->stepping != 6 && identity->stepping != 7)
		return GENERATION_SKYLAKE;
	if (identity->model == 0x55) {
		for (size_t i = 0; i < ARRAY_SIZE(cascade_lake_n_names); i++) {
			if (strstr(identity->model_name, cascade_lake_n_names[i]))
				return GENERATION_CASCADE_LAKE_N;
		}
		return GENERATION_CASCADE_LAKE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(generations); i++) {
		if (generations[i].model == identity->model)
			return generations[i].generation;
	}
	return GENERATION_UNKNOWN;
}

/* A line "name<tab>: value" of a stanza, and its value; NULL: there is no such line. */
struct field {
	const char *name;
	const char *value;
};

enum { VENDOR, FAMILY, MODEL, MODEL_NAME, STEPPING, FLAGS, N_FIELDS };

/* Cuts the stanza into lines and finds the fields. Returns false if it has no "name: value". */
static bool find_fields(char *stanza, struct field *fields)
{
	bool has_lines = false;
	char *line;

	while ((line = strsep(&stanza, "\n")) && *line) {
		const char *colon = strchr(line, ':');

		has_lines = has_lines || colon;
		for (struct field *field = fields; colon && field < fields + N_FIELDS; field++) {
			size_t length = strlen(field->name);

			if (!field->value && strncmp(line, field->name, length) == 0 &&
			    line + length + strspn(line + length, " \t") == colon)
				field->value = colon + 1 + (colon[1] == ' ');
		}
	}
	return has_lines;
}

static bool parse_number(const struct field *field, uint32_t *ret_value)
{
	uint64_t value;

	if (!field->value || number_parse(field->value, 0, UINT32_MAX, &value))
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

int identity_read(struct files *files, struct identity *ret_identity)
{
	struct field fields[N_FIELDS] = {
		[VENDOR] = { .name = "vendor_id" },  [FAMILY] = { .name = "cpu family" },
		[MODEL] = { .name = "model" },       [MODEL_NAME] = { .name = "model name" },
		[STEPPING] = { .name = "stepping" }, [FLAGS] = { .name = "flags" },
	};
	struct identity identity = { 0 };
	_cleanup_free_ char *text = NULL;
	const char *vendor;
	size_t length;
	bool has_lines;
	int err = files->ops->read(files, "/proc/cpuinfo", STANZA_LIMIT, &text, &length);

	if (err)
		return err;
	has_lines = find_fields(text, fields);
	vendor = fields[VENDOR].value ?: "";
	if (!parse_number(&fields[FAMILY], &identity.family) ||
	    !parse_number(&fields[MODEL], &identity.model)) {
		/* Other architectures do not have vendor_id, family and model. */
		if (strcmp(vendor, INTEL) == 0 || !has_lines)
			return -EINVAL;
		identity.family = 0;
	}
	/* A missing stepping ("unknown" under some hypervisors) is no failure. */
	parse_number(&fields[STEPPING], &identity.stepping);
	identity.hfi = files_has_word(fields[FLAGS].value, "hfi");
	identity.model_name = strdup(fields[MODEL_NAME].value ?: "");
	identity.vendor = strdup(vendor);
	if (!identity.model_name || !identity.vendor) {
		identity_done(&identity);
		return -ENOMEM;
	}
	identity.generation = find_generation(&identity, vendor);
	*ret_identity = identity;
	return 0;
}

bool identity_has_sst(const struct identity *identity)
{
	return identity->generation == GENERATION_SKYLAKE ||
	       identity->generation >= GENERATION_ICE_LAKE;
}

void identity_done(struct identity *identity)
{
	free(identity->model_name);
	free(identity->vendor);
	*identity = (struct identity){ 0 };
}

int machine_open(struct host *host, struct machine **ret_machine, char **ret_message)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	const char *what = "the CPU cannot be identified from /proc/cpuinfo";
	int err;

	*ret_message = NULL;
	if (!machine)
		return -ENOMEM;
	machine->host = host;
	err = identity_read(host->files, &machine->identity);
	if (!err) {
		what = "the CPU topology below /sys/devices/system/cpu cannot be read";
		err = topology_read(host->files, &machine->topology);
	}
	if (err) {
		machine_close(&machine);
		*ret_message = text_format("%s: %s", what, strerror(-err));
		return err;
	}
	*ret_machine = machine;
	return 0;
}

int machine_update(struct host *host, struct machine **machine, bool *ret_moved, char **ret_message)
{
	int err;

	*ret_message = NULL;
	if (*machine && topology_update(host->files, &(*machine)->topology, ret_moved) == 0)
		return 0;
	machine_close(machine);
	err = machine_open(host, machine, ret_message);
	if (!err)
		*ret_moved = true;
	return err;
}

void machine_close(struct machine **machine)
{
	if (*machine) {
		identity_done(&(*machine)->identity);
		topology_done(&(*machine)->topology);
		cpuset_done(&(*machine)->switchable);
		free(*machine);
	}
	*machine = NULL;
}

struct location location_of_cpu(const struct machine *machine, uint32_t cpu)
{
	struct location location = { .package = LOCATION_NO_PACKAGE, .cpu = cpu };

	if (cpuset_has(&machine->topology.placed, cpu)) {
		const struct cpu_place *place = &machine->topology.places[cpu];

		location.package = place->package;
		location.die = place->die;
		location.has_power_domain = place->has_power_domain;
		location.power_domain = place->power_domain;
	}
	return location;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a PUNIT is fused with and how it starts (hardware.md, section 3). It is read once and then
 * given to every domain; only core masks and core counts differ between domains.
 */
#include "simulator/platform_file_sst.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "simulator/platform_file_level.h"

#define MAX_SUB_COMMAND 63
#define MAX_TPMI_PUNIT  15 /* the driver's mask of valid domains has 16 bits */
#define SKYLAKE_FAMILY  6
#define SKYLAKE_MODEL   0x55

static const struct member_field SST_FIELDS[] = {
	MEMBER_BOOL_FIELD(struct punit_fuses, pp_enabled, "enabled"),
	MEMBER_NUMBER_FIELD(struct punit_fuses, pp_version, "version", 0, UINT8_MAX),
	MEMBER_BOOL_FIELD(struct punit_fuses, locked, "locked"),
	MEMBER_NESTED_FIELD("current_level"),
	MEMBER_NESTED_FIELD("allowed_levels"),
	MEMBER_NESTED_FIELD("core_power"),
	MEMBER_NESTED_FIELD("clos"),
	MEMBER_NESTED_FIELD("unanswered"),
	MEMBER_NESTED_FIELD("levels"),
};

struct core_power {
	bool supported;
	bool enabled;
	bool clos_enabled;
	uint8_t priority;
};

static const struct member_field CORE_POWER_FIELDS[] = {
	MEMBER_BOOL_FIELD(struct core_power, supported, "supported"),
	MEMBER_BOOL_FIELD(struct core_power, enabled, "enabled"),
	MEMBER_BOOL_FIELD(struct core_power, clos_enabled, "clos_enabled"),
	MEMBER_NUMBER_FIELD(struct core_power, priority, "priority", 0, 1),
};

struct clos {
	uint8_t epp;
	uint8_t weight;
	uint8_t min_ratio;
	uint8_t max_ratio;
	uint8_t desired_ratio;
};

static const struct member_field CLOS_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct clos, epp, "epp", 0, 15),
	MEMBER_NUMBER_FIELD(struct clos, weight, "weight", 0, 15),
	MEMBER_RATIO_FIELD(struct clos, min_ratio, "min_mhz"),
	MEMBER_RATIO_FIELD(struct clos, max_ratio, "max_mhz"),
	MEMBER_RATIO_FIELD(struct clos, desired_ratio, "desired_mhz"),
};

static void read_core_power(const struct member *object, bool tpmi, struct punit_fuses *fuses,
			    struct punit_state *state)
{
	struct member enabled = member_of(object, "enabled");
	struct member clos_enabled = member_of(object, "clos_enabled");
	struct core_power core_power = { 0 };

	member_read_fields(object, CORE_POWER_FIELDS, ARRAY_SIZE(CORE_POWER_FIELDS), &core_power);
	if (core_power.enabled && !core_power.supported)
		member_refuse(&enabled, "what is not supported is not enabled");
	if (core_power.clos_enabled && !core_power.supported)
		member_refuse(&clos_enabled, "what is not supported is not enabled");
	if (tpmi && core_power.enabled != core_power.clos_enabled)
		member_refuse(&clos_enabled, "must be the same as enabled on TPMI parts");
	fuses->cp_supported = core_power.supported;
	state->cp_enabled = core_power.enabled;
	state->clos_enabled = core_power.clos_enabled;
	state->clos_ordered = core_power.priority;
}

/* Reads a CLOS to its PM_CLOS word. */
static uint32_t read_clos(const struct member *object)
{
	struct member min = member_of(object, "min_mhz");
	struct clos clos = { 0 };

	member_read_fields(object, CLOS_FIELDS, ARRAY_SIZE(CLOS_FIELDS), &clos);
	if (clos.min_ratio > clos.max_ratio)
		member_refuse(&min, "%u is above max_mhz", clos.min_ratio * 100U);
	return (uint32_t)clos.desired_ratio << 24 | (uint32_t)clos.max_ratio << 16 |
	       (uint32_t)clos.min_ratio << 8 | (uint32_t)clos.weight << 4 | clos.epp;
}

static void read_all_clos(const struct member *sst, struct punit_state *state)
{
	struct member list = member_of(sst, "clos");
	size_t count = member_read_list(&list, PUNIT_CLOS_COUNT, PUNIT_CLOS_COUNT);

	for (size_t i = 0; i < count; i++) {
		struct member object = member_at(&list, i);

		state->clos[i] = read_clos(&object);
	}
}

/* Reads a list of different numbers, 0 to max, at most 63, to a bit for each. */
static uint64_t read_bits(const struct member *list, uint32_t max)
{
	size_t count = member_read_list(list, 0, max + 1);
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		struct member element = member_at(list, i);
		uint64_t bit = UINT64_C(1) << member_read_number(&element, 0, max);

		if (bits & bit)
			member_refuse(&element, "is in the list already");
		bits |= bit;
	}
	return bits;
}

static void read_unanswered(const struct member *sst, bool tpmi, struct punit_fuses *fuses)
{
	struct member list = member_of(sst, "unanswered");

	fuses->unanswered = read_bits(&list, MAX_SUB_COMMAND);
	if (tpmi && fuses->unanswered)
		member_refuse(&list, "TPMI parts have no mailbox commands");
}

/* Reads the levels, and returns a bit for each that there is. */
static uint8_t read_levels(const struct member *sst, const struct sim_domains *domains,
			   struct punit_fuses *fuses)
{
	struct member list = member_of(sst, "levels");
	size_t count = member_read_list(&list, 1, PUNIT_MAX_LEVELS);
	unsigned int mask = 0;

	for (size_t i = 0; i < count; i++) {
		struct member object = member_at(&list, i);
		struct member number = member_of(&object, "level");
		uint8_t level;

		platform_file_level_read(&object, domains, fuses->pp_version, &fuses->levels[i]);
		level = fuses->levels[i].level;
		if (mask & 1U << level)
			member_refuse(&number, "level %" PRIu8 " is listed already", level);
		mask |= 1U << level;
	}
	fuses->n_levels = (uint8_t)count;
	return (uint8_t)mask;
}

/* Reads the members that name levels; level_mask has those that there are. */
static void read_level_numbers(const struct member *sst, unsigned int level_mask,
			       struct punit_fuses *fuses, struct punit_state *state)
{
	struct member current = member_of(sst, "current_level");
	struct member allowed = member_of(sst, "allowed_levels");

	state->current_level = (uint8_t)member_read_number(&current, 0, PUNIT_MAX_LEVELS - 1);
	if (!(level_mask & 1U << state->current_level))
		member_refuse(&current, "level %" PRIu8 " is not listed in levels",
			      state->current_level);
	fuses->allowed_level_mask = (uint8_t)read_bits(&allowed, PUNIT_MAX_LEVELS - 1);
	for (size_t i = 0; i < json_array_size(allowed.value); i++) {
		struct member element = member_at(&allowed, i);
		uint32_t level = member_read_number(&element, 0, PUNIT_MAX_LEVELS - 1);

		if (!(level_mask & 1U << level))
			member_refuse(&element, "level %" PRIu32 " is not listed in levels", level);
	}
}

static bool is_skylake_generation(const struct sim_platform *platform)
{
	return platform->cpu.family == SKYLAKE_FAMILY && platform->cpu.model == SKYLAKE_MODEL;
}

static void fill_domains(const struct member *sst, const struct sim_domains *domains,
			 const struct punit_fuses *fuses, const struct punit_state *state)
{
	struct member list = member_of(sst, "levels");

	for (size_t i = 0; i < domains->count; i++) {
		domains->domains[i]->has_sst = true;
		domains->domains[i]->fuses = *fuses;
		domains->domains[i]->initial = *state;
	}
	for (size_t i = 0; i < fuses->n_levels; i++) {
		struct member level = member_at(&list, i);

		platform_file_level_read_domains(&level, domains, i);
	}
}

/* Finds the domains; on TPMI parts the driver must be able to tell of each. */
static void find_domains(const struct member *sst, struct sim_domains *domains)
{
	struct sim_platform *platform = domains->platform;

	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (cpuset_is_empty(&domain->cores) != domains->io)
			continue;
		domains->domains[domains->count++] = domain;
		if (platform->interface == SIM_INTERFACE_TPMI && domain->punit > MAX_TPMI_PUNIT)
			member_refuse(sst,
				      "TPMI has ids up to %d for domains with SST, not %" PRIu32,
				      MAX_TPMI_PUNIT, domain->punit);
	}
	if (!domains->count)
		member_refuse(sst, "the machine has no domain without cores");
}

void platform_file_sst_read(const struct member *sst, struct sim_platform *platform, bool io)
{
	_cleanup_free_ struct sim_domain **found = calloc(platform->n_domains + 1, sizeof(*found));
	struct sim_domains domains = { .platform = platform, .io = io, .domains = found };
	struct member core_power = member_of(sst, "core_power");
	bool tpmi = platform->interface == SIM_INTERFACE_TPMI;
	struct punit_fuses fuses = { 0 };
	struct punit_state state = { 0 };

	if (!found) {
		member_refuse_memory(sst);
		return;
	}
	find_domains(sst, &domains);
	member_read_fields(sst, SST_FIELDS, ARRAY_SIZE(SST_FIELDS), &fuses);
	fuses.clos_by_mailbox = !tpmi && is_skylake_generation(platform);
	read_core_power(&core_power, tpmi, &fuses, &state);
	read_all_clos(sst, &state);
	read_unanswered(sst, tpmi, &fuses);
	read_level_numbers(sst, read_levels(sst, &domains, &fuses), &fuses, &state);
	if (!sst->reader->err)
		fill_domains(sst, &domains, &fuses, &state);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads the fuses and first settings of PUNITs from a platform file, as ratios. The values must fit
 * into the bits of the mailbox (hardware.md, section 3) or of the TPMI registers (section 4). One
 * object for all domains is read for each domain; only core masks and core counts differ. */
#include "simulator/platform_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_fields.h"

#define MAX_SUB_COMMAND 63
#define MAX_TPMI_PUNIT  15 /* the driver's mask of valid domains has 16 bits */
#define SKYLAKE_FAMILY  6
#define SKYLAKE_MODEL   0x55

#define MAX_POWER_W         32767 /* 15 bits */
#define MAX_TPMI_POWER_W    4095 /* 15 bits of eighths */
#define MAX_MEMORY_CODE     255
#define MAX_TPMI_MEMORY_MHZ 12700 /* 7 bits of 100 MHz */
#define MAX_COOLING_TYPE    3
#define MAX_MASK_CORE       63
#define UNCORE1_PP_VERSION  2

/* The member `sst` or `io_sst` while it is read for a domain. */
struct sst {
	const struct sim_platform *platform;
	bool is_tpmi;
	bool is_io;
	const struct sim_domain *domain;
	struct punit_fuses fuses;
	struct punit_state state;
	struct punit_level level;
	struct cpuset cores; /* of the list that is being read */
	struct cpuset assoc[PUNIT_CLOS_COUNT]; /* the cores in each CLOS */
	bool is_list; /* each domain has its own object */
	bool is_null; /* the object of this domain is null */
	uint64_t all_cores[PUNIT_MAX_LEVELS]; /* of the domains so far, by index of the level */
};

struct clos {
	uint8_t epp;
	uint8_t weight;
	uint8_t min_ratio;
	uint8_t max_ratio;
	uint8_t desired_ratio;
};

#define FIELD(field, name)                 JSON_FIELD(struct sst, field, name)
#define RATIO(field, name)                 JSON_FIELD_AS(struct sst, field, name, JSON_RATIO)
#define HAS(field)                         JSON_HAS(struct sst, field)
#define FIELD_AS(field, name, kind)        JSON_FIELD_AS(struct sst, field, name, kind)
#define ARRAY(field, name, min, max, read) JSON_ARRAY(struct sst, field, name, min, max, read)

static const struct json_field count = { .kind = JSON_U8, .max = UINT8_MAX };
static const struct json_field ratio = { .kind = JSON_RATIO };

#define BUCKETS(each) \
	.min = PUNIT_BUCKETS, .max = PUNIT_BUCKETS, .element = (each), .element_size = 1

static const struct json_field ratios = { .kind = JSON_LIST, BUCKETS(&ratio) };

/* Returns the cores of sst->cores as bits, and empties the set. Refuses cores that the domain does
 * not have. */
static uint64_t take_cores(struct json_reader *reader, struct sst *sst)
{
	uint64_t mask = cpuset_is_empty(&sst->cores) ? 0 : sst->cores.words[0];

	cpuset_foreach (core, &sst->cores) {
		if (!cpuset_has(&sst->domain->cores, core))
			json_refuse(reader, NULL,
				    "core %" PRIu32 " is not in domain %" PRIu32
				    " of package %" PRIu32,
				    core, sst->domain->index, sst->domain->package);
	}
	cpuset_done(&sst->cores);
	return mask;
}

static void take_enabled_cores(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;

	(void)value;
	sst->level.core_mask = take_cores(reader, sst);
}

/* High-priority cores must be enabled at their level. */
static void take_high_cores(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	struct punit_level *level = &sst->level;
	uint64_t disabled;

	(void)value;
	level->base_freq.core_mask = take_cores(reader, sst);
	disabled = level->base_freq.core_mask & ~level->core_mask;
	if (disabled)
		json_refuse(reader, NULL, "core %d is not among the level's enabled cores",
			    __builtin_ctzll(disabled));
}

/* On mailbox parts these counts come from an MSR, which is the same for all levels and domains. */
static void read_turbo_counts(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	const struct json_field field = {
		FIELD_AS(level.turbo_core_counts, "cores", JSON_LIST),
		BUCKETS(&count),
		.is_each = sst->is_tpmi,
	};

	json_read_value(reader, value, &field, sst);
	if (!sst->is_tpmi && sst->platform->msrs &&
	    punit_pack_buckets(sst->level.turbo_core_counts) !=
		    sst->platform->msrs[sst->domain->package].turbo_ratio_limit_cores)
		json_refuse(reader, NULL, "must be the same as msr.turbo_ratio_limit_cores");
}

static const struct json_field base_mhz_fields[] = {
	{ RATIO(level.base_ratio_sse, "sse") },
	{ RATIO(level.base_ratio_avx2, "avx2") },
	{ RATIO(level.base_ratio_avx512, "avx512") },
	{ RATIO(level.base_ratio_amx, "amx") },
	{ 0 },
};

static const struct json_field fabric_fields[] = {
	{ JSON_FIELD_AS(struct punit_fabric, max_ratio, "max", JSON_RATIO) },
	{ JSON_FIELD_AS(struct punit_fabric, base_ratio, "base", JSON_RATIO), .not_above = "max" },
	{ JSON_FIELD_AS(struct punit_fabric, min_ratio, "min", JSON_RATIO), .not_above = "max" },
	{ 0 },
};

static const struct json_field power_fields[] = {
	{ FIELD(level.power_max_w, "max"), .max = MAX_POWER_W },
	{ FIELD(level.power_min_w, "min"), .max = MAX_POWER_W, .not_above = "max" },
	{ 0 },
};

static const struct json_field turbo_fields[] = {
	{ .name = "cores", .read = read_turbo_counts },
	{ ARRAY(level.turbo_ratios, "mhz", 1, PUNIT_TRL_LEVELS, &ratios),
	  .count = offsetof(struct sst, level.n_turbo_rows) },
	{ 0 },
};

static const struct json_field base_freq_fields[] = {
	{ RATIO(level.base_freq.high_ratio, "high_mhz") },
	{ RATIO(level.base_freq.low_ratio, "low_mhz"), .not_above = "high_mhz" },
	{ FIELD(cores, "cores"), .max = MAX_MASK_CORE, .is_each = true, .read = take_high_cores },
	{ FIELD(level.base_freq.tjunction_c, "tjunction_c"), .max = UINT8_MAX },
	{ FIELD(level.base_freq.control_c, "control_c"), .max = UINT8_MAX },
	{ FIELD(level.base_freq.tdp_w, "tdp_w"), .max = MAX_POWER_W },
	{ 0 },
};

static const struct json_field turbo_freq_fields[] = {
	{ ARRAY(level.turbo_freq.core_counts, "cores", PUNIT_BUCKETS, PUNIT_BUCKETS, &count) },
	{ ARRAY(level.turbo_freq.ratios, "mhz", 1, PUNIT_TRL_LEVELS, &ratios),
	  .count = offsetof(struct sst, level.turbo_freq.n_rows) },
	{ ARRAY(level.turbo_freq.clip_ratios, "clip_mhz", 1, PUNIT_TRL_LEVELS, &ratio),
	  .count = offsetof(struct sst, level.turbo_freq.n_clips) },
	{ 0 },
};

static const struct json_field level_fields[] = {
	{ FIELD(level.level, "level"), .max = PUNIT_MAX_LEVELS - 1 },
	{ FIELD(cores, "cores"), .max = MAX_MASK_CORE, .is_each = true,
	  .read = take_enabled_cores },
	{ FIELD(level.tdp_w, "tdp_w"), .max = MAX_POWER_W },
	{ FIELD(level.tdp_ratio, "tdp_ratio"), .max = UINT8_MAX },
	{ .name = "base_mhz", .fields = base_mhz_fields },
	{ FIELD(level.tjunction_max_c, "tjunction_max_c"), .max = UINT8_MAX },
	{ FIELD_AS(level.uncore[0], "uncore_mhz", JSON_PART), .fields = fabric_fields },
	{ FIELD_AS(level.uncore[1], "uncore1_mhz", JSON_PART), .is_optional = true,
	  .has = offsetof(struct sst, level.has_uncore1), .fields = fabric_fields },
	{ FIELD(level.memory, "memory"), .max = UINT16_MAX },
	{ .name = "power_w", .fields = power_fields },
	{ FIELD(level.cooling_type, "cooling_type"), .max = MAX_COOLING_TYPE },
	{ .name = "turbo", .fields = turbo_fields },
	{ .name = "base_freq", HAS(level.has_base_freq), .fields = base_freq_fields },
	{ .name = "turbo_freq", HAS(level.has_turbo_freq), .fields = turbo_freq_fields },
	{ 0 },
};

/* Refuses values that TPMI registers cannot hold or the mailbox cannot answer. */
static void check_level(struct json_reader *reader, struct sst *sst)
{
	const struct punit_level *level = &sst->level;
	uint64_t *all_cores = &sst->all_cores[sst->fuses.n_levels];

	*all_cores |= level->core_mask;
	if (!*all_cores && !sst->is_io && !sst->is_list && reader->each == reader->n_each - 1)
		json_refuse(reader, "cores", "a level must have cores");
	if (level->has_uncore1 && (!sst->is_tpmi || sst->fuses.pp_version < UNCORE1_PP_VERSION))
		json_refuse(reader, "uncore1_mhz",
			    "a second fabric needs kind \"tpmi\" and version %d",
			    UNCORE1_PP_VERSION);
	if (punit_find_level(&sst->fuses, level->level))
		json_refuse(reader, "level", "level %" PRIu8 " is listed already", level->level);
	json_check_range(reader, "memory", level->memory, 0,
			 sst->is_tpmi ? MAX_TPMI_MEMORY_MHZ : MAX_MEMORY_CODE);
	if (!sst->is_tpmi)
		return;
	json_check_range(reader, "tdp_w", level->tdp_w, 0, MAX_TPMI_POWER_W);
	json_check_range(reader, "base_freq.tdp_w", level->base_freq.tdp_w, 0, MAX_TPMI_POWER_W);
	if (level->memory % 100)
		json_refuse(reader, "memory", "must be a multiple of 100 MHz, not %" PRIu16,
			    level->memory);
	json_check_range(reader, "tdp_ratio", level->tdp_ratio, level->base_ratio_sse,
			 level->base_ratio_sse);
}

static void read_level(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	sst->level = (struct punit_level){ 0 };
	json_read_fields(reader, object, level_fields, sst);
	check_level(reader, sst);
	sst->fuses.levels[sst->fuses.n_levels++] = sst->level;
}

static const struct json_field core_power_fields[] = {
	{ FIELD(fuses.cp_supported, "supported") },
	{ FIELD_AS(state.cp_enabled, "enabled", JSON_BOOL) },
	{ FIELD_AS(state.clos_enabled, "clos_enabled", JSON_BOOL) },
	{ FIELD(state.clos_ordered, "priority"), .max = 1 },
	{ 0 },
};

static const struct json_field clos_fields[] = {
	{ JSON_FIELD(struct clos, epp, "epp"), .max = 15 },
	{ JSON_FIELD(struct clos, weight, "weight"), .max = 15 },
	{ JSON_FIELD_AS(struct clos, min_ratio, "min_mhz", JSON_RATIO), .not_above = "max_mhz" },
	{ JSON_FIELD_AS(struct clos, max_ratio, "max_mhz", JSON_RATIO) },
	{ JSON_FIELD_AS(struct clos, desired_ratio, "desired_mhz", JSON_RATIO) },
	{ 0 },
};

/* Reads a CLOS into its PM_CLOS word. */
static void read_clos(struct json_reader *reader, json_t *object, void *to)
{
	struct clos clos = { 0 };

	json_read_fields(reader, object, clos_fields, &clos);
	*(uint32_t *)to = (uint32_t)clos.desired_ratio << 24 | (uint32_t)clos.max_ratio << 16 |
			  (uint32_t)clos.min_ratio << 8 | (uint32_t)clos.weight << 4 | clos.epp;
}

static const struct json_field clos_element = { .read = read_clos };

static const struct json_field cores_of_clos = { .kind = JSON_CPUS, .max = PUNIT_MAX_CORES - 1 };

/* Associates the cores. Cores that are in no list stay in the first CLOS. */
static void take_assoc(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;

	(void)reader;
	(void)value;
	for (uint8_t clos = 0; clos < PUNIT_CLOS_COUNT; clos++) {
		cpuset_foreach (core, &sst->assoc[clos])
			sst->state.association[core] = clos;
	}
}

static const struct json_field sst_fields[] = {
	{ FIELD(fuses.pp_enabled, "enabled") },
	{ FIELD(fuses.pp_version, "version"), .max = UINT8_MAX },
	{ FIELD(fuses.locked, "locked") },
	{ .name = "core_power", .fields = core_power_fields },
	{ ARRAY(state.clos, "clos", PUNIT_CLOS_COUNT, PUNIT_CLOS_COUNT, &clos_element) },
	{ FIELD_AS(fuses.unanswered, "unanswered", JSON_BITS), .max = MAX_SUB_COMMAND },
	{ JSON_ELEMENTS("levels", 1, PUNIT_MAX_LEVELS, read_level) },
	{ FIELD(state.current_level, "current_level"), .max = PUNIT_MAX_LEVELS - 1 },
	{ FIELD_AS(fuses.allowed_level_mask, "allowed_levels", JSON_BITS),
	  .max = PUNIT_MAX_LEVELS - 1 },
	{ FIELD_AS(state.base_freq_on, "base_freq_on", JSON_BOOL), .is_optional = true },
	{ FIELD_AS(state.turbo_freq_on, "turbo_freq_on", JSON_BOOL), .is_optional = true },
	{ ARRAY(assoc, "assoc", PUNIT_CLOS_COUNT, PUNIT_CLOS_COUNT, &cores_of_clos),
	  .is_optional = true, .read = take_assoc },
	{ 0 },
};

/* Checks members that depend on each other. */
static void check_sst(struct json_reader *reader, const struct sst *sst)
{
	const struct punit_state *state = &sst->state;

	if (state->cp_enabled && !sst->fuses.cp_supported)
		json_refuse(reader, "core_power.enabled", "what is not supported is not enabled");
	if (state->clos_enabled && !sst->fuses.cp_supported)
		json_refuse(reader, "core_power.clos_enabled",
			    "what is not supported is not enabled");
	if (sst->is_tpmi && state->cp_enabled != state->clos_enabled)
		json_refuse(reader, "core_power.clos_enabled",
			    "must be the same as enabled on TPMI parts");
	if (sst->is_tpmi && sst->fuses.unanswered)
		json_refuse(reader, "unanswered", "TPMI parts have no mailbox commands");
	if (!punit_find_level(&sst->fuses, state->current_level))
		json_refuse(reader, "current_level", "level %" PRIu8 " is not listed in levels",
			    state->current_level);
	for (uint8_t level = 0; level < PUNIT_MAX_LEVELS; level++) {
		if (sst->fuses.allowed_level_mask >> level & 1 &&
		    !punit_find_level(&sst->fuses, level))
			json_refuse(reader, "allowed_levels",
				    "level %" PRIu8 " is not listed in levels", level);
	}
}

/* Reads the object of a domain; null in a list: the domain has no Speed Select. */
static void read_domain(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	sst->is_null = sst->is_list && json_is_null(object);
	if (sst->is_null)
		return;
	json_read_fields(reader, object, sst_fields, sst);
	check_sst(reader, sst);
	for (size_t clos = 0; clos < PUNIT_CLOS_COUNT; clos++)
		cpuset_done(&sst->assoc[clos]);
}

static const struct json_field sst_of_domain = { .is_each = true, .read = read_domain };

void platform_sst_read(struct json_reader *reader, json_t *object, void *to)
{
	struct sim_platform *platform = to;
	struct sst sst = {
		.platform = platform,
		.is_tpmi = platform->interface == SIM_INTERFACE_TPMI,
		.is_io = strcmp(reader->path, "io_sst") == 0,
		.is_list = json_is_array(object),
	};

	reader->each = reader->n_each = 0;
	if (platform->interface == SIM_INTERFACE_NONE)
		json_refuse(reader, NULL, "must be null if interface.kind is \"none\"");
	if (sst.is_io && !sst.is_tpmi)
		json_refuse(reader, NULL, "must be null if interface.kind is not \"tpmi\"");
	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (cpuset_is_empty(&domain->cores) != sst.is_io)
			continue;
		reader->n_each++;
		if (sst.is_tpmi && domain->punit > MAX_TPMI_PUNIT)
			json_refuse(reader, NULL,
				    "TPMI has ids up to %d for domains with SST, not %" PRIu32,
				    MAX_TPMI_PUNIT, domain->punit);
	}
	if (!reader->n_each)
		json_refuse(reader, NULL, "the machine has no IO die (a domain without cores)");
	for (size_t i = 0; i < platform->n_domains && !reader->err; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (cpuset_is_empty(&domain->cores) != sst.is_io)
			continue;
		sst.domain = domain;
		sst.fuses = (struct punit_fuses){
			.clos_by_mailbox = !sst.is_tpmi && platform->cpu.family == SKYLAKE_FAMILY &&
					   platform->cpu.model == SKYLAKE_MODEL,
		};
		sst.state = (struct punit_state){ 0 };
		json_read_value(reader, object, &sst_of_domain, &sst);
		domain->has_sst = !sst.is_null;
		domain->fuses = sst.fuses;
		domain->initial = sst.state;
		reader->each++;
	}
}

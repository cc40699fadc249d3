// SPDX-License-Identifier: GPL-2.0-only
/* The fuses and first settings of PUNITs in a platform file, as ratios and within the bits that the
 * mailbox (hardware.md, section 3) or TPMI registers (section 4) have for them. They are read once
 * for all domains; only core masks and core counts differ between domains. */
#include "simulator/platform_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/json_fields.h"

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

/* An `sst` or `io_sst` while it is read. */
struct sst {
	struct sim_platform *platform;
	bool is_tpmi;
	bool is_io;
	struct sim_domain **domains; /* those that it is about */
	size_t n_domains;
	bool cp_enabled;
	bool clos_enabled;
	struct punit_fuses fuses; /* without the levels, which are read to the domains */
	struct punit_state state;
	struct punit_level level; /* the part of a level that all domains share */
	uint32_t level_mask;
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
#define ARRAY(field, name, min, max, read) JSON_ARRAY(struct sst, field, name, min, max, read)

static void read_counts(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, PUNIT_BUCKETS, PUNIT_BUCKETS, json_read_count, to, 1);
}

static void read_row(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, PUNIT_BUCKETS, PUNIT_BUCKETS, json_read_ratio, to, 1);
}

static void check_tpmi_power(struct json_reader *reader, const struct sst *sst, uint32_t tdp_w)
{
	if (sst->is_tpmi)
		json_check_limit(reader, "tdp_w", tdp_w, "the 4095 W that TPMI has bits for",
				 MAX_TPMI_POWER_W);
}

static void check_base_freq(struct json_reader *reader, json_t *object, void *to)
{
	const struct sst *sst = to;

	(void)object;
	check_tpmi_power(reader, sst, sst->level.base_freq.tdp_w);
}

/* What TPMI registers cannot hold, or the mailbox cannot answer. */
static void check_interface(struct json_reader *reader, const struct sst *sst)
{
	const struct punit_level *level = &sst->level;

	if (!sst->is_tpmi) {
		json_check_limit(reader, "memory", level->memory,
				 "the codes that a mailbox answers", MAX_MEMORY_CODE);
		return;
	}
	check_tpmi_power(reader, sst, level->tdp_w);
	json_check_limit(reader, "memory", level->memory, "the 12700 MHz that TPMI has bits for",
			 MAX_TPMI_MEMORY_MHZ);
	if (level->memory % 100)
		json_refuse(reader, "memory", "must be a multiple of 100 MHz, not %" PRIu16,
			    level->memory);
	if (level->tdp_ratio != level->base_ratio_sse)
		json_refuse(reader, "tdp_ratio",
			    "must be that of base_mhz.sse on TPMI parts, %" PRIu8,
			    level->base_ratio_sse);
}

/* The level that is being read, of the domain that an entry of sst.domains points to. */
static struct punit_level *level_of(void *entry)
{
	struct punit_fuses *fuses = &(*(struct sim_domain **)entry)->fuses;

	return &fuses->levels[fuses->n_levels];
}

/* Reads a member that has either one value for all domains or a list with one entry for each. */
static void read_for_domains(struct json_reader *reader, json_t *value, const struct sst *sst,
			     json_read *read)
{
	bool is_list = json_is_array(value) && !json_is_integer(json_array_get(value, 0));

	if (is_list && json_array_size(value) != sst->n_domains)
		json_refuse(reader, NULL, "%zu lists do not fit the machine's %zu %s domains",
			    json_array_size(value), sst->n_domains, sst->is_io ? "IO" : "compute");
	else if (is_list)
		json_read_list(reader, value, 0, SIZE_MAX, read, sst->domains,
			       sizeof(struct sim_domain *));
	for (size_t i = 0; !is_list && i < sst->n_domains && !reader->err; i++)
		read(reader, value, &sst->domains[i]);
}

/* Reads the ids of cores that exist in the domain. */
static uint64_t read_core_mask(struct json_reader *reader, json_t *value,
			       const struct sim_domain *domain)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };

	json_read_set(reader, value, MAX_MASK_CORE, &cores);
	cpuset_foreach (core, &cores) {
		if (!cpuset_has(&domain->cores, core))
			json_refuse(reader, NULL,
				    "core %" PRIu32 " is not in domain %" PRIu32
				    " of package %" PRIu32,
				    core, domain->index, domain->package);
	}
	return cpuset_is_empty(&cores) ? 0 : cores.words[0];
}

static void read_enabled_of_domain(struct json_reader *reader, json_t *value, void *to)
{
	level_of(to)->core_mask = read_core_mask(reader, value, *(struct sim_domain **)to);
}

static void read_enabled_cores(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	uint64_t all = 0;

	read_for_domains(reader, value, sst, read_enabled_of_domain);
	for (size_t i = 0; i < sst->n_domains; i++)
		all |= level_of(&sst->domains[i])->core_mask;
	if (!all && !sst->is_io)
		json_refuse(reader, NULL, "a level must have cores");
}

/* High-priority cores must be enabled at their level. */
static void read_high_of_domain(struct json_reader *reader, json_t *value, void *to)
{
	struct punit_level *level = level_of(to);
	uint64_t disabled;

	level->base_freq.core_mask = read_core_mask(reader, value, *(struct sim_domain **)to);
	disabled = level->base_freq.core_mask & ~level->core_mask;
	if (disabled)
		json_refuse(reader, NULL, "core %d is not among the level's enabled cores",
			    __builtin_ctzll(disabled));
}

static void read_high_cores(struct json_reader *reader, json_t *value, void *to)
{
	read_for_domains(reader, value, to, read_high_of_domain);
}

static void read_counts_of_domain(struct json_reader *reader, json_t *value, void *to)
{
	read_counts(reader, value, level_of(to)->turbo_core_counts);
}

/* On mailbox parts these counts come from an MSR, one for all levels. */
static void read_turbo_counts(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;

	if (sst->is_tpmi) {
		read_for_domains(reader, value, sst, read_counts_of_domain);
		return;
	}
	for (size_t i = 0; i < sst->n_domains && !reader->err; i++) {
		uint8_t *counts = level_of(&sst->domains[i])->turbo_core_counts;

		read_counts(reader, value, counts);
		if (punit_pack_buckets(counts) != sst->platform->msrs.turbo_ratio_limit_cores)
			json_refuse(reader, NULL,
				    "must be the same as msr.turbo_ratio_limit_cores");
	}
}

static const struct json_field base_mhz_fields[] = {
	{ RATIO(level.base_ratio_sse, "sse") },
	{ RATIO(level.base_ratio_avx2, "avx2") },
	{ RATIO(level.base_ratio_avx512, "avx512") },
	{ RATIO(level.base_ratio_amx, "amx") },
	{ 0 },
};

static const struct json_field uncore_fields[] = {
	{ RATIO(level.uncore_max_ratio, "max") },
	{ RATIO(level.uncore_base_ratio, "base"), .not_above = "max" },
	{ RATIO(level.uncore_min_ratio, "min"), .not_above = "max" },
	{ 0 },
};

static const struct json_field uncore1_fields[] = {
	{ RATIO(level.uncore1_max_ratio, "max") },
	{ RATIO(level.uncore1_base_ratio, "base"), .not_above = "max" },
	{ RATIO(level.uncore1_min_ratio, "min"), .not_above = "max" },
	{ 0 },
};

static void read_uncore1(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	if (!sst->is_tpmi || sst->fuses.pp_version < UNCORE1_PP_VERSION)
		json_refuse(reader, NULL, "a second fabric needs kind \"tpmi\" and version %d",
			    UNCORE1_PP_VERSION);
	sst->level.has_uncore1 = true;
	json_read_fields(reader, object, uncore1_fields, sst);
}

static const struct json_field power_fields[] = {
	{ FIELD(level.power_max_w, "max"), .max = MAX_POWER_W },
	{ FIELD(level.power_min_w, "min"), .max = MAX_POWER_W, .not_above = "max" },
	{ 0 },
};

static const struct json_field turbo_fields[] = {
	{ .name = "cores", .read = read_turbo_counts },
	{ ARRAY(level.turbo_ratios, "mhz", 1, PUNIT_TRL_LEVELS, read_row),
	  .count = offsetof(struct sst, level.n_turbo_rows) },
	{ 0 },
};

static const struct json_field base_freq_fields[] = {
	{ RATIO(level.base_freq.high_ratio, "high_mhz") },
	{ RATIO(level.base_freq.low_ratio, "low_mhz"), .not_above = "high_mhz" },
	{ .name = "cores", .read = read_high_cores },
	{ FIELD(level.base_freq.tjunction_c, "tjunction_c"), .max = UINT8_MAX },
	{ FIELD(level.base_freq.control_c, "control_c"), .max = UINT8_MAX },
	{ FIELD(level.base_freq.tdp_w, "tdp_w"), .max = MAX_POWER_W },
	{ 0 },
};

static const struct json_field turbo_freq_fields[] = {
	{ ARRAY(level.turbo_freq.core_counts, "cores", PUNIT_BUCKETS, PUNIT_BUCKETS,
		json_read_count) },
	{ ARRAY(level.turbo_freq.ratios, "mhz", 1, PUNIT_TRL_LEVELS, read_row),
	  .count = offsetof(struct sst, level.turbo_freq.n_rows) },
	{ ARRAY(level.turbo_freq.clip_ratios, "clip_mhz", 1, PUNIT_TRL_LEVELS, json_read_ratio),
	  .count = offsetof(struct sst, level.turbo_freq.n_clips) },
	{ 0 },
};

/* Cores and turbo.cores are read to the domains, all else to sst.level. */
static const struct json_field level_fields[] = {
	{ FIELD(level.level, "level"), .max = PUNIT_MAX_LEVELS - 1 },
	{ .name = "cores", .read = read_enabled_cores },
	{ FIELD(level.tdp_w, "tdp_w"), .max = MAX_POWER_W },
	{ FIELD(level.tdp_ratio, "tdp_ratio"), .max = UINT8_MAX },
	{ .name = "base_mhz", .fields = base_mhz_fields },
	{ FIELD(level.tjunction_max_c, "tjunction_max_c"), .max = UINT8_MAX },
	{ .name = "uncore_mhz", .fields = uncore_fields },
	{ .name = "uncore1_mhz", .is_optional = true, .read = read_uncore1 },
	{ FIELD(level.memory, "memory"), .max = UINT16_MAX },
	{ .name = "power_w", .fields = power_fields },
	{ FIELD(level.cooling_type, "cooling_type"), .max = MAX_COOLING_TYPE },
	{ .name = "turbo", .fields = turbo_fields },
	{ .name = "base_freq",
	  HAS(level.has_base_freq),
	  .fields = base_freq_fields,
	  .read = check_base_freq },
	{ .name = "turbo_freq", HAS(level.has_turbo_freq), .fields = turbo_freq_fields },
	{ 0 },
};

static void read_level(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	sst->level = (struct punit_level){ 0 };
	json_read_fields(reader, object, level_fields, sst);
	check_interface(reader, sst);
	if (sst->level_mask & 1U << sst->level.level)
		json_refuse(reader, "level", "level %" PRIu8 " is listed already",
			    sst->level.level);
	sst->level_mask |= 1U << sst->level.level;
	for (size_t i = 0; i < sst->n_domains; i++) {
		struct punit_level *level = level_of(&sst->domains[i]), own = *level;

		*level = sst->level;
		level->core_mask = own.core_mask;
		level->base_freq.core_mask = own.base_freq.core_mask;
		memcpy(level->turbo_core_counts, own.turbo_core_counts,
		       sizeof(own.turbo_core_counts));
		sst->domains[i]->fuses.n_levels++;
	}
}

/* Reads the number of a level of the machine. */
static uint8_t read_level_number(struct json_reader *reader, json_t *value, const struct sst *sst)
{
	uint32_t level = json_read_number(reader, value, 0, PUNIT_MAX_LEVELS - 1);

	if (!(sst->level_mask & 1U << level))
		json_refuse(reader, NULL, "level %" PRIu32 " is not listed in levels", level);
	return (uint8_t)level;
}

static void read_current_level(struct json_reader *reader, json_t *value, void *to)
{
	((struct sst *)to)->state.current_level = read_level_number(reader, value, to);
}

static void read_allowed_level(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	uint8_t bit = (uint8_t)(1U << read_level_number(reader, value, sst));

	if (sst->fuses.allowed_level_mask & bit)
		json_refuse(reader, NULL, "is in the list already");
	sst->fuses.allowed_level_mask |= bit;
}

static void read_sub_command(struct json_reader *reader, json_t *value, void *to)
{
	struct punit_fuses *fuses = &((struct sst *)to)->fuses;
	uint64_t bit = UINT64_C(1) << json_read_number(reader, value, 0, MAX_SUB_COMMAND);

	if (fuses->unanswered & bit)
		json_refuse(reader, NULL, "is in the list already");
	fuses->unanswered |= bit;
}

static void read_unanswered(struct json_reader *reader, json_t *list, void *to)
{
	const struct sst *sst = to;

	json_read_list(reader, list, 0, MAX_SUB_COMMAND + 1, read_sub_command, to, 0);
	if (sst->is_tpmi && sst->fuses.unanswered)
		json_refuse(reader, NULL, "TPMI parts have no mailbox commands");
}

static const struct json_field core_power_fields[] = {
	{ FIELD(fuses.cp_supported, "supported") },
	{ FIELD(cp_enabled, "enabled") },
	{ FIELD(clos_enabled, "clos_enabled") },
	{ FIELD(state.clos_ordered, "priority"), .max = 1 },
	{ 0 },
};

static void check_core_power(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	(void)object;
	if (sst->cp_enabled && !sst->fuses.cp_supported)
		json_refuse(reader, "enabled", "what is not supported is not enabled");
	if (sst->clos_enabled && !sst->fuses.cp_supported)
		json_refuse(reader, "clos_enabled", "what is not supported is not enabled");
	if (sst->is_tpmi && sst->cp_enabled != sst->clos_enabled)
		json_refuse(reader, "clos_enabled", "must be the same as enabled on TPMI parts");
	sst->state.cp_enabled = sst->cp_enabled;
	sst->state.clos_enabled = sst->clos_enabled;
}

static const struct json_field clos_fields[] = {
	{ JSON_FIELD(struct clos, epp, "epp"), .max = 15 },
	{ JSON_FIELD(struct clos, weight, "weight"), .max = 15 },
	{ JSON_FIELD_AS(struct clos, min_ratio, "min_mhz", JSON_RATIO), .not_above = "max_mhz" },
	{ JSON_FIELD_AS(struct clos, max_ratio, "max_mhz", JSON_RATIO) },
	{ JSON_FIELD_AS(struct clos, desired_ratio, "desired_mhz", JSON_RATIO) },
	{ 0 },
};

/* Reads a CLOS to its PM_CLOS word. */
static void read_clos(struct json_reader *reader, json_t *object, void *to)
{
	struct clos clos = { 0 };

	json_read_fields(reader, object, clos_fields, &clos);
	*(uint32_t *)to = (uint32_t)clos.desired_ratio << 24 | (uint32_t)clos.max_ratio << 16 |
			  (uint32_t)clos.min_ratio << 8 | (uint32_t)clos.weight << 4 | clos.epp;
}

static const struct json_field sst_fields[] = {
	{ FIELD(fuses.pp_enabled, "enabled") },
	{ FIELD(fuses.pp_version, "version"), .max = UINT8_MAX },
	{ FIELD(fuses.locked, "locked") },
	{ .name = "core_power", .fields = core_power_fields, .read = check_core_power },
	{ ARRAY(state.clos, "clos", PUNIT_CLOS_COUNT, PUNIT_CLOS_COUNT, read_clos) },
	{ .name = "unanswered", .read = read_unanswered },
	{ JSON_ELEMENTS("levels", 1, PUNIT_MAX_LEVELS, read_level) },
	{ .name = "current_level", .read = read_current_level },
	{ JSON_ELEMENTS("allowed_levels", 0, PUNIT_MAX_LEVELS, read_allowed_level) },
	{ 0 },
};

static void read_sst(struct json_reader *reader, json_t *object, struct sim_platform *platform,
		     bool is_io)
{
	_cleanup_free_ struct sim_domain **domains =
		calloc(platform->n_domains + 1, sizeof(*domains));
	struct sst sst = {
		.platform = platform,
		.is_tpmi = platform->interface == SIM_INTERFACE_TPMI,
		.is_io = is_io,
		.domains = domains,
	};

	if (!domains) {
		json_refuse_memory(reader);
		return;
	}
	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (cpuset_is_empty(&domain->cores) != is_io)
			continue;
		domains[sst.n_domains++] = domain;
		if (sst.is_tpmi && domain->punit > MAX_TPMI_PUNIT)
			json_refuse(reader, NULL,
				    "TPMI has ids up to %d for domains with SST, not %" PRIu32,
				    MAX_TPMI_PUNIT, domain->punit);
	}
	if (!sst.n_domains)
		json_refuse(reader, NULL, "the machine has no domain without cores");
	json_read_fields(reader, object, sst_fields, &sst);
	sst.fuses.clos_by_mailbox = !sst.is_tpmi && platform->cpu.family == SKYLAKE_FAMILY &&
				    platform->cpu.model == SKYLAKE_MODEL;
	for (size_t i = 0; i < sst.n_domains; i++) {
		struct punit_fuses own = domains[i]->fuses;

		domains[i]->has_sst = true;
		domains[i]->initial = sst.state;
		domains[i]->fuses = sst.fuses;
		domains[i]->fuses.n_levels = own.n_levels;
		memcpy(domains[i]->fuses.levels, own.levels, sizeof(own.levels));
	}
}

void platform_sst_read(struct json_reader *reader, json_t *object, void *to)
{
	read_sst(reader, object, to, false);
}

void platform_sst_read_io(struct json_reader *reader, json_t *object, void *to)
{
	read_sst(reader, object, to, true);
}

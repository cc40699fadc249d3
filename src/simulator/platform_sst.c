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
#define MHZ_PER_RATIO       100U

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

#define NUMBER(field, name, max) JSON_NUMBER(struct sst, field, name, 0, max)
#define RATIO(field, name)       JSON_VALUE_AS(struct sst, field, name, JSON_RATIO, 0)

static void read_counts(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, PUNIT_BUCKETS, PUNIT_BUCKETS, json_read_count, to, 1);
}

static void read_row(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, PUNIT_BUCKETS, PUNIT_BUCKETS, json_read_ratio, to, 1);
}

/* Reads one list of 8 MHz figures for each turbo-ratio level. */
static uint8_t read_rows(struct json_reader *reader, json_t *list, uint8_t rows[][PUNIT_BUCKETS])
{
	return (uint8_t)json_read_list(reader, list, 1, PUNIT_TRL_LEVELS, read_row, rows,
				       PUNIT_BUCKETS);
}

static void read_turbo_rows(struct json_reader *reader, json_t *list, void *to)
{
	struct punit_level *level = &((struct sst *)to)->level;

	level->n_turbo_rows = read_rows(reader, list, level->turbo_ratios);
}

static void read_turbo_freq_rows(struct json_reader *reader, json_t *list, void *to)
{
	struct punit_turbo_freq *turbo_freq = &((struct sst *)to)->level.turbo_freq;

	turbo_freq->n_rows = read_rows(reader, list, turbo_freq->ratios);
}

static void read_clips(struct json_reader *reader, json_t *list, void *to)
{
	struct punit_turbo_freq *turbo_freq = &((struct sst *)to)->level.turbo_freq;

	turbo_freq->n_clips = (uint8_t)json_read_list(reader, list, 1, PUNIT_TRL_LEVELS,
						      json_read_ratio, turbo_freq->clip_ratios, 1);
}

static void check_uncore(struct json_reader *reader, uint8_t min, uint8_t base, uint8_t max)
{
	json_check_limit(reader, "base", base * MHZ_PER_RATIO, "max", max * MHZ_PER_RATIO);
	json_check_limit(reader, "min", min * MHZ_PER_RATIO, "max", max * MHZ_PER_RATIO);
}

static const struct json_field base_mhz_fields[] = {
	RATIO(level.base_ratio_sse, "sse"),
	RATIO(level.base_ratio_avx2, "avx2"),
	RATIO(level.base_ratio_avx512, "avx512"),
	RATIO(level.base_ratio_amx, "amx"),
	{ 0 },
};

static const struct json_field uncore_fields[] = {
	RATIO(level.uncore_max_ratio, "max"),
	RATIO(level.uncore_base_ratio, "base"),
	RATIO(level.uncore_min_ratio, "min"),
	{ 0 },
};

static void read_uncore(struct json_reader *reader, json_t *object, void *to)
{
	const struct punit_level *level = &((struct sst *)to)->level;

	json_read_fields(reader, object, uncore_fields, to);
	check_uncore(reader, level->uncore_min_ratio, level->uncore_base_ratio,
		     level->uncore_max_ratio);
}

static const struct json_field uncore1_fields[] = {
	RATIO(level.uncore1_max_ratio, "max"),
	RATIO(level.uncore1_base_ratio, "base"),
	RATIO(level.uncore1_min_ratio, "min"),
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
	check_uncore(reader, sst->level.uncore1_min_ratio, sst->level.uncore1_base_ratio,
		     sst->level.uncore1_max_ratio);
}

static const struct json_field power_fields[] = {
	NUMBER(level.power_max_w, "max", MAX_POWER_W),
	NUMBER(level.power_min_w, "min", MAX_POWER_W),
	{ 0 },
};

static void read_power(struct json_reader *reader, json_t *object, void *to)
{
	const struct punit_level *level = &((struct sst *)to)->level;

	json_read_fields(reader, object, power_fields, to);
	json_check_limit(reader, "min", level->power_min_w, "max", level->power_max_w);
}

static const struct json_field turbo_fields[] = {
	JSON_IGNORED("cores"), /* differs between domains */
	JSON_PART("mhz", read_turbo_rows),
	{ 0 },
};

static const struct json_field base_freq_fields[] = {
	RATIO(level.base_freq.high_ratio, "high_mhz"),
	RATIO(level.base_freq.low_ratio, "low_mhz"),
	JSON_IGNORED("cores"), /* differs between domains */
	NUMBER(level.base_freq.tjunction_c, "tjunction_c", UINT8_MAX),
	NUMBER(level.base_freq.control_c, "control_c", UINT8_MAX),
	NUMBER(level.base_freq.tdp_w, "tdp_w", MAX_POWER_W),
	{ 0 },
};

static void check_tpmi_power(struct json_reader *reader, const struct sst *sst, uint32_t tdp_w)
{
	if (sst->is_tpmi)
		json_check_limit(reader, "tdp_w", tdp_w, "the 4095 W that TPMI has bits for",
				 MAX_TPMI_POWER_W);
}

static void read_base_freq(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;
	const struct punit_base_freq *base_freq = &sst->level.base_freq;

	if (json_is_null(object))
		return;
	sst->level.has_base_freq = true;
	json_read_fields(reader, object, base_freq_fields, sst);
	json_check_limit(reader, "low_mhz", base_freq->low_ratio * MHZ_PER_RATIO, "high_mhz",
			 base_freq->high_ratio * MHZ_PER_RATIO);
	check_tpmi_power(reader, sst, base_freq->tdp_w);
}

static const struct json_field turbo_freq_fields[] = {
	JSON_BY(struct sst, level.turbo_freq.core_counts, "cores", read_counts),
	JSON_PART("mhz", read_turbo_freq_rows),
	JSON_PART("clip_mhz", read_clips),
	{ 0 },
};

static void read_turbo_freq(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	if (json_is_null(object))
		return;
	sst->level.has_turbo_freq = true;
	json_read_fields(reader, object, turbo_freq_fields, sst);
}

static const struct json_field level_fields[] = {
	NUMBER(level.level, "level", PUNIT_MAX_LEVELS - 1),
	JSON_IGNORED("cores"), /* differs between domains */
	NUMBER(level.tdp_w, "tdp_w", MAX_POWER_W),
	NUMBER(level.tdp_ratio, "tdp_ratio", UINT8_MAX),
	JSON_OBJECT("base_mhz", base_mhz_fields),
	NUMBER(level.tjunction_max_c, "tjunction_max_c", UINT8_MAX),
	JSON_PART("uncore_mhz", read_uncore),
	JSON_MAYBE_PART("uncore1_mhz", read_uncore1),
	NUMBER(level.memory, "memory", UINT16_MAX),
	JSON_PART("power_w", read_power),
	NUMBER(level.cooling_type, "cooling_type", MAX_COOLING_TYPE),
	JSON_OBJECT("turbo", turbo_fields),
	JSON_PART("base_freq", read_base_freq),
	JSON_PART("turbo_freq", read_turbo_freq),
	{ 0 },
};

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

static void read_high_priority(struct json_reader *reader, json_t *value, void *to)
{
	read_for_domains(reader, value, to, read_high_of_domain);
}

static void read_base_freq_cores(struct json_reader *reader, json_t *object, void *to)
{
	json_read_member(reader, object, "cores", read_high_priority, to);
}

static void read_counts_of_domain(struct json_reader *reader, json_t *value, void *to)
{
	read_counts(reader, value, level_of(to)->turbo_core_counts);
}

/* On mailbox parts these counts come from an MSR, one for all levels. */
static void read_turbo_counts(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	uint8_t counts[PUNIT_BUCKETS] = { 0 };

	if (sst->is_tpmi) {
		read_for_domains(reader, value, sst, read_counts_of_domain);
		return;
	}
	read_counts(reader, value, counts);
	if (punit_pack_buckets(counts) != sst->platform->msrs.turbo_ratio_limit_cores)
		json_refuse(reader, NULL, "must be the same as msr.turbo_ratio_limit_cores");
	for (size_t i = 0; i < sst->n_domains; i++)
		memcpy(level_of(&sst->domains[i])->turbo_core_counts, counts, sizeof(counts));
}

static void read_turbo_cores(struct json_reader *reader, json_t *object, void *to)
{
	json_read_member(reader, object, "cores", read_turbo_counts, to);
}

static void read_level(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	sst->level = (struct punit_level){ 0 };
	json_read_fields(reader, object, level_fields, sst);
	check_interface(reader, sst);
	if (sst->level_mask & 1U << sst->level.level)
		json_refuse(reader, "level", "level %" PRIu8 " is listed already",
			    sst->level.level);
	if (reader->err)
		return;
	sst->level_mask |= 1U << sst->level.level;
	for (size_t i = 0; i < sst->n_domains; i++)
		*level_of(&sst->domains[i]) = sst->level;
	json_read_member(reader, object, "cores", read_enabled_cores, sst);
	json_read_member(reader, object, "turbo", read_turbo_cores, sst);
	if (sst->level.has_base_freq)
		json_read_member(reader, object, "base_freq", read_base_freq_cores, sst);
	for (size_t i = 0; i < sst->n_domains; i++)
		sst->domains[i]->fuses.n_levels++;
}

static void read_levels(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, 1, PUNIT_MAX_LEVELS, read_level, to, 0);
}

static void read_current_level(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	uint32_t level = json_read_number(reader, value, 0, PUNIT_MAX_LEVELS - 1);

	if (!(sst->level_mask & 1U << level))
		json_refuse(reader, NULL, "level %" PRIu32 " is not listed in levels", level);
	sst->state.current_level = (uint8_t)level;
}

static void read_allowed_level(struct json_reader *reader, json_t *value, void *to)
{
	struct sst *sst = to;
	uint32_t level = json_read_number(reader, value, 0, PUNIT_MAX_LEVELS - 1);

	if (sst->fuses.allowed_level_mask & 1U << level)
		json_refuse(reader, NULL, "is in the list already");
	if (!(sst->level_mask & 1U << level))
		json_refuse(reader, NULL, "level %" PRIu32 " is not listed in levels", level);
	sst->fuses.allowed_level_mask |= (uint8_t)(1U << level);
}

static void read_allowed_levels(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, 0, PUNIT_MAX_LEVELS, read_allowed_level, to, 0);
}

static void read_sub_command(struct json_reader *reader, json_t *value, void *to)
{
	uint64_t *bits = to, bit = UINT64_C(1)
				   << json_read_number(reader, value, 0, MAX_SUB_COMMAND);

	if (*bits & bit)
		json_refuse(reader, NULL, "is in the list already");
	*bits |= bit;
}

static void read_unanswered(struct json_reader *reader, json_t *list, void *to)
{
	struct sst *sst = to;

	json_read_list(reader, list, 0, MAX_SUB_COMMAND + 1, read_sub_command,
		       &sst->fuses.unanswered, 0);
	if (sst->is_tpmi && sst->fuses.unanswered)
		json_refuse(reader, NULL, "TPMI parts have no mailbox commands");
}

static const struct json_field core_power_fields[] = {
	JSON_VALUE(struct sst, fuses.cp_supported, "supported"),
	JSON_VALUE(struct sst, cp_enabled, "enabled"),
	JSON_VALUE(struct sst, clos_enabled, "clos_enabled"),
	NUMBER(state.clos_ordered, "priority", 1),
	{ 0 },
};

static void read_core_power(struct json_reader *reader, json_t *object, void *to)
{
	struct sst *sst = to;

	json_read_fields(reader, object, core_power_fields, sst);
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
	JSON_NUMBER(struct clos, epp, "epp", 0, 15),
	JSON_NUMBER(struct clos, weight, "weight", 0, 15),
	JSON_VALUE_AS(struct clos, min_ratio, "min_mhz", JSON_RATIO, 0),
	JSON_VALUE_AS(struct clos, max_ratio, "max_mhz", JSON_RATIO, 0),
	JSON_VALUE_AS(struct clos, desired_ratio, "desired_mhz", JSON_RATIO, 0),
	{ 0 },
};

/* Reads a CLOS to its PM_CLOS word. */
static void read_clos(struct json_reader *reader, json_t *object, void *to)
{
	struct clos clos = { 0 };

	json_read_fields(reader, object, clos_fields, &clos);
	json_check_limit(reader, "min_mhz", clos.min_ratio * MHZ_PER_RATIO, "max_mhz",
			 clos.max_ratio * MHZ_PER_RATIO);
	*(uint32_t *)to = (uint32_t)clos.desired_ratio << 24 | (uint32_t)clos.max_ratio << 16 |
			  (uint32_t)clos.min_ratio << 8 | (uint32_t)clos.weight << 4 | clos.epp;
}

static void read_all_clos(struct json_reader *reader, json_t *list, void *to)
{
	json_read_list(reader, list, PUNIT_CLOS_COUNT, PUNIT_CLOS_COUNT, read_clos, to,
		       sizeof(uint32_t));
}

static const struct json_field sst_fields[] = {
	JSON_VALUE(struct sst, fuses.pp_enabled, "enabled"),
	NUMBER(fuses.pp_version, "version", UINT8_MAX),
	JSON_VALUE(struct sst, fuses.locked, "locked"),
	JSON_PART("core_power", read_core_power),
	JSON_BY(struct sst, state.clos, "clos", read_all_clos),
	JSON_PART("unanswered", read_unanswered),
	JSON_PART("levels", read_levels),
	JSON_PART("current_level", read_current_level),
	JSON_PART("allowed_levels", read_allowed_levels),
	{ 0 },
};

/* Finds the domains; the driver of TPMI parts must have a bit for each. */
static void find_domains(struct json_reader *reader, struct sst *sst)
{
	for (size_t i = 0; i < sst->platform->n_domains; i++) {
		struct sim_domain *domain = &sst->platform->domains[i];

		if (cpuset_is_empty(&domain->cores) != sst->is_io)
			continue;
		sst->domains[sst->n_domains++] = domain;
		if (sst->is_tpmi && domain->punit > MAX_TPMI_PUNIT)
			json_refuse(reader, NULL,
				    "TPMI has ids up to %d for domains with SST, not %" PRIu32,
				    MAX_TPMI_PUNIT, domain->punit);
	}
	if (!sst->n_domains)
		json_refuse(reader, NULL, "the machine has no domain without cores");
}

static void fill_domain(struct sim_domain *domain, const struct sst *sst)
{
	struct punit_fuses fuses = sst->fuses;

	fuses.n_levels = domain->fuses.n_levels;
	memcpy(fuses.levels, domain->fuses.levels, sizeof(fuses.levels));
	domain->has_sst = true;
	domain->fuses = fuses;
	domain->initial = sst->state;
}

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
	find_domains(reader, &sst);
	json_read_fields(reader, object, sst_fields, &sst);
	sst.fuses.clos_by_mailbox = !sst.is_tpmi && platform->cpu.family == SKYLAKE_FAMILY &&
				    platform->cpu.model == SKYLAKE_MODEL;
	for (size_t i = 0; i < sst.n_domains; i++)
		fill_domain(sst.domains[i], &sst);
}

void platform_sst_read(struct json_reader *reader, json_t *object, void *to)
{
	read_sst(reader, object, to, false);
}

void platform_sst_read_io(struct json_reader *reader, json_t *object, void *to)
{
	read_sst(reader, object, to, true);
}

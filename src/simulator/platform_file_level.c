// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures of a level, as ratios and within the bits that the mailbox (hardware.md, section 3)
 * or the TPMI registers (section 4) have for them.
 */
#include "simulator/platform_file_level.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/platform_file_topology.h"

#define MAX_POWER_W         32767 /* 15 bits */
#define MAX_TPMI_POWER_W    4095 /* 15 bits of eighths */
#define MAX_MEMORY_CODE     255
#define MAX_TPMI_MEMORY_MHZ 12700 /* 7 bits of 100 MHz */
#define MAX_COOLING_TYPE    3
#define MAX_MASK_CORE       63
#define UNCORE1_PP_VERSION  2

static const struct member_field LEVEL_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct punit_level, level, "level", 0, PUNIT_MAX_LEVELS - 1),
	MEMBER_NESTED_FIELD("cores"),
	MEMBER_NUMBER_FIELD(struct punit_level, tdp_w, "tdp_w", 0, MAX_POWER_W),
	MEMBER_NUMBER_FIELD(struct punit_level, tdp_ratio, "tdp_ratio", 0, UINT8_MAX),
	MEMBER_NESTED_FIELD("base_mhz"),
	MEMBER_NUMBER_FIELD(struct punit_level, tjunction_max_c, "tjunction_max_c", 0, UINT8_MAX),
	MEMBER_NESTED_FIELD("uncore_mhz"),
	MEMBER_OPTIONAL_FIELD("uncore1_mhz"),
	MEMBER_NUMBER_FIELD(struct punit_level, memory, "memory", 0, UINT16_MAX),
	MEMBER_NESTED_FIELD("power_w"),
	MEMBER_NUMBER_FIELD(struct punit_level, cooling_type, "cooling_type", 0, MAX_COOLING_TYPE),
	MEMBER_NESTED_FIELD("turbo"),
	MEMBER_NESTED_FIELD("base_freq"),
	MEMBER_NESTED_FIELD("turbo_freq"),
};

static const struct member_field BASE_MHZ_FIELDS[] = {
	MEMBER_RATIO_FIELD(struct punit_level, base_ratio_sse, "sse"),
	MEMBER_RATIO_FIELD(struct punit_level, base_ratio_avx2, "avx2"),
	MEMBER_RATIO_FIELD(struct punit_level, base_ratio_avx512, "avx512"),
	MEMBER_RATIO_FIELD(struct punit_level, base_ratio_amx, "amx"),
};

static const struct member_field UNCORE_FIELDS[] = {
	MEMBER_RATIO_FIELD(struct punit_level, uncore_max_ratio, "max"),
	MEMBER_RATIO_FIELD(struct punit_level, uncore_base_ratio, "base"),
	MEMBER_RATIO_FIELD(struct punit_level, uncore_min_ratio, "min"),
};

static const struct member_field UNCORE1_FIELDS[] = {
	MEMBER_RATIO_FIELD(struct punit_level, uncore1_max_ratio, "max"),
	MEMBER_RATIO_FIELD(struct punit_level, uncore1_base_ratio, "base"),
	MEMBER_RATIO_FIELD(struct punit_level, uncore1_min_ratio, "min"),
};

static const struct member_field POWER_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct punit_level, power_max_w, "max", 0, MAX_POWER_W),
	MEMBER_NUMBER_FIELD(struct punit_level, power_min_w, "min", 0, MAX_POWER_W),
};

static const struct member_field TURBO_FIELDS[] = {
	MEMBER_NESTED_FIELD("cores"),
	MEMBER_NESTED_FIELD("mhz"),
};

static const struct member_field BASE_FREQ_FIELDS[] = {
	MEMBER_RATIO_FIELD(struct punit_base_freq, high_ratio, "high_mhz"),
	MEMBER_RATIO_FIELD(struct punit_base_freq, low_ratio, "low_mhz"),
	MEMBER_NESTED_FIELD("cores"),
	MEMBER_NUMBER_FIELD(struct punit_base_freq, tjunction_c, "tjunction_c", 0, UINT8_MAX),
	MEMBER_NUMBER_FIELD(struct punit_base_freq, control_c, "control_c", 0, UINT8_MAX),
	MEMBER_NUMBER_FIELD(struct punit_base_freq, tdp_w, "tdp_w", 0, MAX_POWER_W),
};

static const struct member_field TURBO_FREQ_FIELDS[] = {
	MEMBER_NESTED_FIELD("cores"),
	MEMBER_NESTED_FIELD("mhz"),
	MEMBER_NESTED_FIELD("clip_mhz"),
};

static bool is_tpmi(const struct sim_domains *domains)
{
	return domains->platform->interface == SIM_INTERFACE_TPMI;
}

static void read_ratios(const struct member *list, size_t count, uint8_t *to)
{
	for (size_t i = 0; i < count; i++) {
		struct member element = member_at(list, i);

		to[i] = member_read_ratio(&element);
	}
}

void platform_file_level_read_counts(const struct member *list, uint8_t counts[PUNIT_BUCKETS])
{
	size_t count = member_read_list(list, PUNIT_BUCKETS, PUNIT_BUCKETS);

	for (size_t i = 0; i < count; i++) {
		struct member element = member_at(list, i);

		counts[i] = (uint8_t)member_read_number(&element, 0, UINT8_MAX);
	}
}

/* Reads one list of 8 MHz figures for each turbo-ratio level. */
static void read_turbo_rows(const struct member *object, uint8_t ratios[][PUNIT_BUCKETS],
			    uint8_t *ret_n_rows)
{
	struct member rows = member_of(object, "mhz");
	size_t count = member_read_list(&rows, 1, PUNIT_TRL_LEVELS);

	for (size_t i = 0; i < count; i++) {
		struct member row = member_at(&rows, i);
		size_t n_buckets = member_read_list(&row, PUNIT_BUCKETS, PUNIT_BUCKETS);

		read_ratios(&row, n_buckets, ratios[i]);
	}
	*ret_n_rows = (uint8_t)count;
}

/* Refuses a member of object that is above a limit, in the units of the file. */
static void check_order(const struct member *object, const char *name, uint32_t value,
			const char *limit_name, uint32_t limit)
{
	struct member member = member_of(object, name);

	if (value > limit)
		member_refuse(&member, "%" PRIu32 " is above %s", value, limit_name);
}

static void check_uncore(const struct member *object, uint8_t min, uint8_t base, uint8_t max)
{
	check_order(object, "base", base * 100U, "max", max * 100U);
	check_order(object, "min", min * 100U, "max", max * 100U);
}

static void read_uncore1(const struct member *object, const struct sim_domains *domains,
			 uint8_t pp_version, struct punit_level *level)
{
	if (!is_tpmi(domains) || pp_version < UNCORE1_PP_VERSION)
		member_refuse(object, "a second fabric needs kind \"tpmi\" and version %d",
			      UNCORE1_PP_VERSION);
	level->has_uncore1 = true;
	member_read_fields(object, UNCORE1_FIELDS, ARRAY_SIZE(UNCORE1_FIELDS), level);
	check_uncore(object, level->uncore1_min_ratio, level->uncore1_base_ratio,
		     level->uncore1_max_ratio);
}

static void read_base_freq(const struct member *object, const struct sim_domains *domains,
			   struct punit_base_freq *base_freq)
{
	member_read_fields(object, BASE_FREQ_FIELDS, ARRAY_SIZE(BASE_FREQ_FIELDS), base_freq);
	check_order(object, "low_mhz", base_freq->low_ratio * 100U, "high_mhz",
		    base_freq->high_ratio * 100U);
	if (is_tpmi(domains))
		check_order(object, "tdp_w", base_freq->tdp_w, "the 4095 W that TPMI can tell",
			    MAX_TPMI_POWER_W);
}

static void read_turbo_freq(const struct member *object, struct punit_turbo_freq *turbo_freq)
{
	struct member cores = member_of(object, "cores");
	struct member clips = member_of(object, "clip_mhz");
	size_t n_clips;

	member_read_fields(object, TURBO_FREQ_FIELDS, ARRAY_SIZE(TURBO_FREQ_FIELDS), NULL);
	platform_file_level_read_counts(&cores, turbo_freq->core_counts);
	read_turbo_rows(object, turbo_freq->ratios, &turbo_freq->n_rows);
	n_clips = member_read_list(&clips, 1, PUNIT_TRL_LEVELS);
	read_ratios(&clips, n_clips, turbo_freq->clip_ratios);
	turbo_freq->n_clips = (uint8_t)n_clips;
}

/* What TPMI registers cannot hold, or the mailbox cannot answer. */
static void check_interface(const struct member *object, const struct sim_domains *domains,
			    const struct punit_level *level)
{
	struct member memory = member_of(object, "memory");
	struct member tdp_ratio = member_of(object, "tdp_ratio");

	if (!is_tpmi(domains)) {
		check_order(object, "memory", level->memory, "the codes that a mailbox answers",
			    MAX_MEMORY_CODE);
		return;
	}
	check_order(object, "tdp_w", level->tdp_w, "the 4095 W that TPMI can tell",
		    MAX_TPMI_POWER_W);
	check_order(object, "memory", level->memory, "the 12700 MHz that TPMI can tell",
		    MAX_TPMI_MEMORY_MHZ);
	if (level->memory % 100)
		member_refuse(&memory, "must be a multiple of 100 MHz, not %" PRIu16,
			      level->memory);
	if (level->tdp_ratio != level->base_ratio_sse)
		member_refuse(&tdp_ratio, "must be that of base_mhz.sse on TPMI parts, %" PRIu8,
			      level->base_ratio_sse);
}

/* Reads the objects within a level that are never null. */
static void read_figures(const struct member *object, struct punit_level *level)
{
	struct member base = member_of(object, "base_mhz");
	struct member uncore = member_of(object, "uncore_mhz");
	struct member power = member_of(object, "power_w");
	struct member turbo = member_of(object, "turbo");

	member_read_fields(&base, BASE_MHZ_FIELDS, ARRAY_SIZE(BASE_MHZ_FIELDS), level);
	member_read_fields(&uncore, UNCORE_FIELDS, ARRAY_SIZE(UNCORE_FIELDS), level);
	check_uncore(&uncore, level->uncore_min_ratio, level->uncore_base_ratio,
		     level->uncore_max_ratio);
	member_read_fields(&power, POWER_FIELDS, ARRAY_SIZE(POWER_FIELDS), level);
	check_order(&power, "min", level->power_min_w, "max", level->power_max_w);
	member_read_fields(&turbo, TURBO_FIELDS, ARRAY_SIZE(TURBO_FIELDS), NULL);
	read_turbo_rows(&turbo, level->turbo_ratios, &level->n_turbo_rows);
}

void platform_file_level_read(const struct member *object, const struct sim_domains *domains,
			      uint8_t pp_version, struct punit_level *ret_level)
{
	struct member uncore1 = member_of(object, "uncore1_mhz");
	struct member base_freq = member_of(object, "base_freq");
	struct member turbo_freq = member_of(object, "turbo_freq");
	struct punit_level level = { 0 };

	member_read_fields(object, LEVEL_FIELDS, ARRAY_SIZE(LEVEL_FIELDS), &level);
	read_figures(object, &level);
	check_interface(object, domains, &level);
	if (uncore1.value)
		read_uncore1(&uncore1, domains, pp_version, &level);
	level.has_base_freq = member_is_given(&base_freq);
	if (level.has_base_freq)
		read_base_freq(&base_freq, domains, &level.base_freq);
	level.has_turbo_freq = member_is_given(&turbo_freq);
	if (level.has_turbo_freq)
		read_turbo_freq(&turbo_freq, &level.turbo_freq);
	*ret_level = level;
}

/*
 * The element of a list with one entry per domain, or the member itself where it holds for all of
 * them. An entry of turbo.cores is a list itself.
 */
static struct member member_of_domain(const struct member *member, size_t index)
{
	if (json_is_array(member->value) && !json_is_integer(json_array_get(member->value, 0)))
		return member_at(member, index);
	return *member;
}

/* Refuses a list with one entry per domain that has too many or too few. */
static void check_entries(const struct member *member, const struct sim_domains *domains)
{
	size_t count = json_array_size(member->value);

	if (json_is_array(member->value) && !json_is_integer(json_array_get(member->value, 0)) &&
	    count != domains->count)
		member_refuse(member, "%zu lists do not fit the machine's %zu %s domains", count,
			      domains->count, domains->io ? "IO" : "compute");
}

/* Reads the ids of cores that exist in the domain. */
static uint64_t read_core_mask(const struct member *list, const struct sim_domains *domains,
			       const struct sim_domain *domain)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };

	member_read_set(list, MAX_MASK_CORE, &cores);
	cpuset_foreach (core, &cores) {
		if (!cpuset_has(&domain->cores, core))
			member_refuse(list,
				      "core %" PRIu32 " is not in domain %zu of package %" PRIu32,
				      core, platform_file_topology_index(domains->platform, domain),
				      domain->package);
	}
	return cpuset_is_empty(&cores) ? 0 : cores.words[0];
}

static void read_enabled_cores(const struct member *level, const struct sim_domains *domains,
			       size_t index)
{
	struct member cores = member_of(level, "cores");
	uint64_t all = 0;

	check_entries(&cores, domains);
	for (size_t i = 0; i < domains->count && !level->reader->err; i++) {
		struct member list = member_of_domain(&cores, i);
		struct punit_level *to = &domains->domains[i]->fuses.levels[index];

		to->core_mask = read_core_mask(&list, domains, domains->domains[i]);
		all |= to->core_mask;
	}
	if (!all && !domains->io)
		member_refuse(&cores, "a level must have cores");
}

/* Reads the high-priority cores; each must be enabled at its level. */
static void read_high_priority(const struct member *base_freq, const struct sim_domains *domains,
			       size_t index)
{
	struct member cores = member_of(base_freq, "cores");

	check_entries(&cores, domains);
	for (size_t i = 0; i < domains->count && !cores.reader->err; i++) {
		struct member list = member_of_domain(&cores, i);
		struct punit_level *to = &domains->domains[i]->fuses.levels[index];
		uint64_t disabled;

		to->base_freq.core_mask = read_core_mask(&list, domains, domains->domains[i]);
		disabled = to->base_freq.core_mask & ~to->core_mask;
		if (disabled)
			member_refuse(&list, "core %d is not among the level's enabled cores",
				      __builtin_ctzll(disabled));
	}
}

/* On mailbox parts these counts come from an MSR, one for all levels. */
static void check_turbo_counts(const struct member *list, const struct sim_platform *platform,
			       const uint8_t counts[PUNIT_BUCKETS])
{
	uint64_t packed = 0;

	for (size_t i = 0; i < PUNIT_BUCKETS; i++)
		packed |= (uint64_t)counts[i] << (8 * i);
	if (packed != platform->msrs.turbo_ratio_limit_cores)
		member_refuse(list, "must be the same as msr.turbo_ratio_limit_cores");
}

static void read_turbo_counts(const struct member *turbo, const struct sim_domains *domains,
			      size_t index)
{
	struct member cores = member_of(turbo, "cores");

	if (is_tpmi(domains))
		check_entries(&cores, domains);
	for (size_t i = 0; i < domains->count && !cores.reader->err; i++) {
		struct member list = is_tpmi(domains) ? member_of_domain(&cores, i) : cores;
		struct punit_level *to = &domains->domains[i]->fuses.levels[index];

		platform_file_level_read_counts(&list, to->turbo_core_counts);
		if (!is_tpmi(domains))
			check_turbo_counts(&list, domains->platform, to->turbo_core_counts);
	}
}

void platform_file_level_read_domains(const struct member *level, const struct sim_domains *domains,
				      size_t index)
{
	struct member turbo = member_of(level, "turbo");
	struct member base_freq = member_of(level, "base_freq");

	read_enabled_cores(level, domains, index);
	read_turbo_counts(&turbo, domains, index);
	if (member_is_given(&base_freq))
		read_high_priority(&base_freq, domains, index);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a platform file says about cpufreq, cpuidle, umwait and uncore, within the limits that the
 * kernel's files have (sysfs.md).
 */
#include "simulator/platform_file_sysfs.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_KHZ         25500000 /* a ratio has 8 bits */
#define KHZ_PER_RATIO   100000
#define MAX_UNCORE_KHZ  12700000 /* an uncore ratio has 7 bits */
#define MAX_WORDS       255
#define MAX_IDLE_STATES 10
#define MAX_TIME_STEP   4 /* the two low bits of umwait's max_time are not its own */

static const struct member_field CPUFREQ_FIELDS[] = {
	MEMBER_TEXT_FIELD(struct sim_cpufreq, driver, "driver"),
	MEMBER_NUMBER_FIELD(struct sim_cpufreq, min_khz, "min_khz", 1, MAX_KHZ),
	MEMBER_NUMBER_FIELD(struct sim_cpufreq, max_khz, "max_khz", 1, MAX_KHZ),
	MEMBER_NUMBER_FIELD(struct sim_cpufreq, base_khz, "base_khz", 1, MAX_KHZ),
	MEMBER_NESTED_FIELD("governor"),
	MEMBER_NESTED_FIELD("governors"),
	MEMBER_NESTED_FIELD("epp"),
	MEMBER_NESTED_FIELD("epps"),
	MEMBER_NUMBER_FIELD(struct sim_cpufreq, epb, "epb", 0, 15),
	MEMBER_FLAG_FIELD(struct sim_cpufreq, no_turbo, "no_turbo"),
	MEMBER_OPTIONAL_FIELD("high_priority"),
};

static const struct member_field HIGH_PRIORITY_FIELDS[] = {
	MEMBER_NESTED_FIELD("cpus"),
	MEMBER_NUMBER_FIELD(struct sim_cpufreq, high_priority_base_khz, "base_khz", 1, MAX_KHZ),
};

static const struct member_field CPUIDLE_FIELDS[] = {
	MEMBER_TEXT_FIELD(struct sim_platform, idle_driver, "driver"),
	MEMBER_TEXT_FIELD(struct sim_platform, idle_governor, "governor"),
	MEMBER_NESTED_FIELD("states"),
};

static const struct member_field IDLE_STATE_FIELDS[] = {
	MEMBER_TEXT_FIELD(struct sim_idle_state, name, "name"),
	MEMBER_TEXT_FIELD(struct sim_idle_state, desc, "desc"),
	MEMBER_NUMBER_FIELD(struct sim_idle_state, latency_us, "latency_us", 0, UINT32_MAX),
	MEMBER_NUMBER_FIELD(struct sim_idle_state, residency_us, "residency_us", 0, UINT32_MAX),
	MEMBER_FLAG_FIELD(struct sim_idle_state, disabled, "disable"),
};

static const struct member_field UMWAIT_FIELDS[] = {
	MEMBER_FLAG_FIELD(struct sim_platform, umwait_c02, "enable_c02"),
	MEMBER_NUMBER_FIELD(struct sim_platform, umwait_max_time, "max_time", 0, UINT32_MAX),
};

static const struct member_field UNCORE_FIELDS[] = {
	MEMBER_NESTED_FIELD("layout"),
	MEMBER_NUMBER_FIELD(struct sim_platform, uncore_min_khz, "min_khz", KHZ_PER_RATIO,
			    MAX_UNCORE_KHZ),
	MEMBER_NUMBER_FIELD(struct sim_platform, uncore_max_khz, "max_khz", KHZ_PER_RATIO,
			    MAX_UNCORE_KHZ),
};

static const char *const LAYOUTS[] = { "legacy", "tpmi" };

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* A word of a list that the kernel writes with blanks between. */
static char *read_new_word(const struct member *member, char *const *earlier, size_t n_earlier)
{
	const char *text = member_read_text(member);
	char *word;

	if (!text)
		return NULL;
	if (*text == '\0' || strchr(text, ' '))
		member_refuse(member, "must be one word");
	for (size_t i = 0; i < n_earlier; i++) {
		if (strcmp(earlier[i], text) == 0)
			member_refuse(member, "\"%s\" is in the list already", text);
	}
	word = member->reader->err ? NULL : strdup(text);
	if (!word)
		member_refuse_memory(member);
	return word;
}

/* Reads a list of words to a new NULL-terminated array; it holds what could be read. */
static void read_words(const struct member *member, char ***ret_words)
{
	size_t count = member_read_list(member, 1, MAX_WORDS);
	char **words = calloc(count + 1, sizeof(*words));

	if (!words)
		member_refuse_memory(member);
	for (size_t i = 0; i < count && words && !member->reader->err; i++) {
		struct member element = member_at(member, i);

		words[i] = read_new_word(&element, words, i);
	}
	*ret_words = words;
}

/* Reads a list of words and the one of them that is in force. */
static void read_choice(const struct member *object, const char *list_name, const char *name,
			char ***ret_words, uint32_t *ret_index)
{
	struct member list = member_of(object, list_name);
	struct member chosen = member_of(object, name);

	read_words(&list, ret_words);
	if (!object->reader->err)
		*ret_index = member_read_word(&chosen, (const char *const *)*ret_words,
					      json_array_size(list.value));
}

/* Refuses a frequency outside min_khz to max_khz. */
static void check_base(const struct member *object, const struct sim_cpufreq *cpufreq,
		       uint32_t base_khz)
{
	struct member member = member_of(object, "base_khz");

	if (base_khz < cpufreq->min_khz || base_khz > cpufreq->max_khz)
		member_refuse(&member,
			      "%" PRIu32 " is not between cpufreq.min_khz and cpufreq.max_khz",
			      base_khz);
}

static void read_high_priority(const struct member *object, struct sim_platform *platform)
{
	struct sim_cpufreq *cpufreq = &platform->cpufreq;
	struct member cpus = member_of(object, "cpus");

	member_read_fields(object, HIGH_PRIORITY_FIELDS, ARRAY_SIZE(HIGH_PRIORITY_FIELDS), cpufreq);
	member_read_set(&cpus, CPUSET_MAX_CPU, &cpufreq->high_priority_cpus);
	if (cpuset_is_empty(&cpufreq->high_priority_cpus))
		member_refuse(&cpus, "must not be empty");
	else if (cpuset_last(&cpufreq->high_priority_cpus) >= platform->n_cpus)
		member_refuse(&cpus, "CPU %" PRIu32 " is not in the machine, its last is %zu",
			      cpuset_next(&cpufreq->high_priority_cpus, (uint32_t)platform->n_cpus),
			      platform->n_cpus - 1);
	check_base(object, cpufreq, cpufreq->high_priority_base_khz);
}

static void read_cpufreq(const struct member *object, struct sim_platform *platform)
{
	struct sim_cpufreq *cpufreq = &platform->cpufreq;
	struct member min = member_of(object, "min_khz");
	struct member high_priority = member_of(object, "high_priority");

	platform->has_cpufreq = true;
	member_read_fields(object, CPUFREQ_FIELDS, ARRAY_SIZE(CPUFREQ_FIELDS), cpufreq);
	if (cpufreq->min_khz > cpufreq->max_khz)
		member_refuse(&min, "%" PRIu32 " is above max_khz", cpufreq->min_khz);
	check_base(object, cpufreq, cpufreq->base_khz);
	read_choice(object, "governors", "governor", &cpufreq->governors, &cpufreq->governor);
	read_choice(object, "epps", "epp", &cpufreq->epps, &cpufreq->epp);
	if (high_priority.value)
		read_high_priority(&high_priority, platform);
}

static void read_cpuidle(const struct member *object, struct sim_platform *platform)
{
	struct member states = member_of(object, "states");
	size_t count;

	platform->has_cpuidle = true;
	member_read_fields(object, CPUIDLE_FIELDS, ARRAY_SIZE(CPUIDLE_FIELDS), platform);
	count = member_read_list(&states, 1, MAX_IDLE_STATES);
	platform->idle_states = calloc(count + 1, sizeof(*platform->idle_states));
	if (!platform->idle_states) {
		member_refuse_memory(object);
		return;
	}
	platform->n_idle_states = count;
	for (size_t i = 0; i < count; i++) {
		struct member state = member_at(&states, i);

		member_read_fields(&state, IDLE_STATE_FIELDS, ARRAY_SIZE(IDLE_STATE_FIELDS),
				   &platform->idle_states[i]);
	}
}

static void read_umwait(const struct member *object, struct sim_platform *platform)
{
	struct member max_time = member_of(object, "max_time");

	platform->has_umwait = true;
	member_read_fields(object, UMWAIT_FIELDS, ARRAY_SIZE(UMWAIT_FIELDS), platform);
	if (platform->umwait_max_time % MAX_TIME_STEP)
		member_refuse(&max_time, "must be a multiple of %d, not %" PRIu32, MAX_TIME_STEP,
			      platform->umwait_max_time);
}

/* The legacy layout has one directory for each die. */
static void check_dies(const struct member *layout, const struct sim_platform *platform)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		for (size_t j = i; j > 0 && domain[-1].package == domain->package; j--, domain--) {
			if (domain[-1].die == platform->domains[i].die)
				member_refuse(layout,
					      "\"legacy\" needs one domain a die, package %" PRIu32
					      " has more on die %" PRIu32,
					      domain->package, domain[-1].die);
		}
	}
}

static void check_uncore_khz(const struct member *object, const char *name, uint32_t khz)
{
	struct member member = member_of(object, name);

	if (khz % KHZ_PER_RATIO)
		member_refuse(&member, "must be a multiple of %d kHz, not %" PRIu32, KHZ_PER_RATIO,
			      khz);
}

static void read_uncore(const struct member *object, struct sim_platform *platform)
{
	struct member layout = member_of(object, "layout");
	struct member min = member_of(object, "min_khz");

	member_read_fields(object, UNCORE_FIELDS, ARRAY_SIZE(UNCORE_FIELDS), platform);
	check_uncore_khz(object, "min_khz", platform->uncore_min_khz);
	check_uncore_khz(object, "max_khz", platform->uncore_max_khz);
	if (platform->uncore_min_khz > platform->uncore_max_khz)
		member_refuse(&min, "%" PRIu32 " is above max_khz", platform->uncore_min_khz);
	platform->uncore = SIM_UNCORE_LEGACY;
	if (member_read_word(&layout, LAYOUTS, ARRAY_SIZE(LAYOUTS)) == 1)
		platform->uncore = SIM_UNCORE_TPMI;
	else
		check_dies(&layout, platform);
}

void platform_file_sysfs_read(const struct member *root, struct sim_platform *platform)
{
	struct member cpufreq = member_of(root, "cpufreq");
	struct member cpuidle = member_of(root, "cpuidle");
	struct member umwait = member_of(root, "umwait");
	struct member uncore = member_of(root, "uncore");

	if (member_is_given(&cpufreq))
		read_cpufreq(&cpufreq, platform);
	if (member_is_given(&cpuidle))
		read_cpuidle(&cpuidle, platform);
	if (member_is_given(&umwait))
		read_umwait(&umwait, platform);
	if (member_is_given(&uncore))
		read_uncore(&uncore, platform);
}

void platform_file_sysfs_free(struct sim_platform *platform)
{
	free(platform->cpufreq.driver);
	free_words(platform->cpufreq.governors);
	free_words(platform->cpufreq.epps);
	cpuset_done(&platform->cpufreq.high_priority_cpus);
	free(platform->idle_driver);
	free(platform->idle_governor);
	for (size_t i = 0; i < platform->n_idle_states; i++) {
		free(platform->idle_states[i].name);
		free(platform->idle_states[i].desc);
	}
	free(platform->idle_states);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Makes a machine from the text of a platform file: CPU model, driver, topology, and the values of
 * kernel files. What platform_file_parse() returns is consistent, and conforms to the
 * specification. The ids of CPUs are those of the driver (hardware.md, section 2, "From logical CPU
 * to PUNIT core") and of sysfs (section 5). The numbers of logical CPUs have no holes, and two
 * cores of a package never share a core_id. */
#include "simulator/platform_file.h"
#include "simulator/power.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/json_fields.h"
#include "simulator/recorded.h"

#define SCHEMA          1
#define POWER_UNIT_BITS 3 /* 1/8 W and 976 us, as on most machines */
#define TIME_UNIT_BITS  10
#define DEFAULT_KERNEL  "6.12"
#define MAX_MODEL       255
#define MAX_NAME        64
#define MAILBOX_VERSION 1
#define TPMI_VERSION    2

#define MAX_DIE           65535
#define MAX_PARTITION     3 /* 2 bits of TPMI_INFO */
#define MAX_TPMI_CORE     63 /* core masks have 64 bits */
#define MODULE_PLACES     8 /* 3 bits of physical_cpu */
#define CORE_IDS_A_DOMAIN 64

#define KHZ_PER_RATIO 100000
#define MAX_WATTS     4095
#define MAX_PARANOID  4 /* in patched kernels of distributions */
#define PARANOID      2 /* the kernel's default */
#define SEED          1
#define MAX_TIME_STEP 4 /* the two low bits of umwait's max_time have another meaning */

#define FIELD(field, name)          JSON_FIELD(struct sim_platform, field, name)
#define FIELD_AS(field, name, kind) JSON_FIELD_AS(struct sim_platform, field, name, kind)
#define HAS(field)                  JSON_HAS(struct sim_platform, field)
#define ARRAY(field, name, most, element) \
	JSON_ARRAY(struct sim_platform, field, name, 1, most, element)

enum numbering { SIBLINGS_LAST, SIBLINGS_ADJACENT, PACKAGES_INTERLEAVED };

static const char *const kinds[] = { "none", "mailbox", "tpmi", NULL };
static const char *const numberings[] = { "siblings-last", "siblings-adjacent",
					  "packages-interleaved", NULL };
static const char *const turbo_counts[] = { "package", "power-domain", NULL };
static const char *const follows[] = { "always", "with-guaranteed", "never", NULL };
static const char *const layouts[] = { "legacy", "tpmi", NULL };

const char *const sim_smt_words[SIM_SMT_WORDS + 1] = { "on", "off", "forceoff", "notsupported",
						       NULL };

static const struct json_field cpu_fields[] = {
	{ FIELD(cpu.family, "family"), .max = SIM_MAX_FAMILY },
	{ FIELD(cpu.model, "model"), .max = MAX_MODEL },
	{ FIELD(cpu.stepping, "stepping"), .max = SIM_MAX_STEPPING },
	{ FIELD(cpu.model_name, "model_name") },
	{ FIELD(cpu.hfi, "hfi") },
	{ 0 },
};

static const struct json_field interface_fields[] = {
	{ FIELD_AS(interface, "kind", JSON_WORD), .words = kinds },
	{ FIELD(api_version, "api_version"), .max = UINT16_MAX },
	{ FIELD(driver_version, "driver_version"), .max = UINT16_MAX },
	{ FIELD(max_cmds_per_ioctl, "max_cmds_per_ioctl"), .max = UINT16_MAX },
	{ FIELD_AS(mbox, "mbox", JSON_U8), .max = 1 },
	{ FIELD_AS(mmio, "mmio", JSON_U8), .max = 1 },
	{ 0 },
};

static const struct json_field domain_fields[] = {
	{ JSON_FIELD(struct sim_domain, die, "die"), .max = MAX_DIE },
	{ JSON_FIELD(struct sim_domain, punit, "punit"), .max = SIM_MAX_DOMAINS - 1 },
	{ JSON_FIELD(struct sim_domain, cores, "cores"), .max = PUNIT_MAX_CORES - 1 },
	{ JSON_FIELD(struct sim_domain, partition, "partition"), .max = MAX_PARTITION,
	  .is_optional = true },
	{ 0 },
};

static void read_domain(struct json_reader *reader, json_t *value, void *to)
{
	struct sim_platform *platform = to;
	struct sim_domain *domain =
		array_add(&platform->domains, &platform->n_domains, sizeof(*domain));
	const struct sim_domain *other;

	if (json_lacks_memory(reader, !domain))
		return;
	other = domain;
	domain->package = domain->socket = (uint32_t)platform->n_packages - 1;
	json_read_fields(reader, value, domain_fields, domain);
	while (other-- > platform->domains && other->package == domain->package) {
		domain->index++;
		if (other->punit == domain->punit)
			json_refuse(reader, "punit",
				    "%" PRIu32 " is the id of another domain of this package",
				    domain->punit);
	}
	if (platform->interface == SIM_INTERFACE_TPMI && !cpuset_is_empty(&domain->cores) &&
	    cpuset_last(&domain->cores) > MAX_TPMI_CORE)
		json_refuse(reader, "cores", "must not contain numbers above %d", MAX_TPMI_CORE);
	if (platform->interface == SIM_INTERFACE_MAILBOX && cpuset_is_empty(&domain->cores))
		json_refuse(reader, "cores", "mailbox parts have no domains without cores");
	if (platform->interface != SIM_INTERFACE_TPMI && domain->partition)
		json_refuse(reader, "partition", "only TPMI parts have several devices");
}

static void check_domains(struct json_reader *reader, json_t *list, void *to)
{
	const struct sim_platform *platform = to;
	bool has_cores = false;

	for (size_t i = 1; i <= json_array_size(list); i++)
		has_cores |= !cpuset_is_empty(&platform->domains[platform->n_domains - i].cores);
	if (!has_cores)
		json_refuse(reader, NULL, "no domain of this package has cores");
}

static const struct json_field package_fields[] = {
	{ JSON_ELEMENTS("domains", 1, SIM_MAX_DOMAINS, read_domain), .read = check_domains },
	{ 0 },
};

static void read_package(struct json_reader *reader, json_t *value, void *to)
{
	struct sim_platform *platform = to;

	platform->n_packages++;
	json_read_fields(reader, value, package_fields, platform);
}

/* Returns the distance between the first core_ids of two domains of a package: 64, or a higher
 * multiple of 64 if the package has several compute domains whose ids need it. */
static uint32_t core_id_stride(const struct sim_platform *platform, uint32_t package)
{
	uint32_t n_compute = 0, highest = 0;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];
		uint32_t last = cpuset_last(&domain->cores);

		if (domain->package != package || last == CPUSET_NONE)
			continue;
		n_compute++;
		if (last > highest)
			highest = last;
	}
	if (n_compute < 2)
		return CORE_IDS_A_DOMAIN;
	highest = (highest + 1) * platform->cores_per_module - 1;
	return (highest / CORE_IDS_A_DOMAIN + 1) * CORE_IDS_A_DOMAIN;
}

/* Returns the number of cores before the core of this rank in its package. The first core of each
 * package comes first, then the second core of each, and so on. */
static size_t count_interleaved(const struct sim_platform *platform, uint32_t package, size_t rank)
{
	size_t before = 0, first_rank = 0;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];
		size_t count = cpuset_count(&domain->cores);
		size_t end = rank + (domain->package < package);

		if (domain->index == 0)
			first_rank = 0;
		if (end > first_rank)
			before += end - first_rank < count ? end - first_rank : count;
		first_rank += count;
	}
	return before;
}

/* Fills in the logical CPUs of the core with this number; a slot is a thread, or a core of the
 * module. */
static void number_core(struct json_reader *reader, struct sim_platform *platform,
			struct sim_domain *domain, uint32_t core, size_t number)
{
	uint32_t places = platform->cores_per_module, slots = places * platform->threads_per_core;
	uint32_t first_id = core_id_stride(platform, domain->package) * domain->punit;
	uint32_t slot_bits = platform->interface == SIM_INTERFACE_MAILBOX ? 1 : 3, first = 0;

	for (uint32_t slot = 0; slot < slots; slot++) {
		size_t cpu = number * slots + slot;

		if (platform->numbering != SIBLINGS_ADJACENT && places == 1)
			cpu = number + slot * (platform->n_cpus / slots);
		if (slot == 0 || places > 1)
			first = (uint32_t)cpu;
		platform->cpus[cpu] = (struct sim_cpu){
			.package = domain->package,
			.domain = (uint32_t)(domain - platform->domains),
			.core_id = first_id + core * places + (places > 1 ? slot : 0),
			.physical_cpu = (domain->punit << 8 | core) << slot_bits | slot,
			.policy = (uint32_t)cpu,
			.first = first,
		};
		json_lacks_memory(reader, cpuset_add(&domain->cpus, (uint32_t)cpu));
	}
}

/* Makes the logical CPUs of all packages. */
static void number_packages(struct json_reader *reader, json_t *list, void *to)
{
	struct sim_platform *platform = to;
	size_t n_cores = 0, number = 0, rank = 0;

	(void)list;
	for (size_t i = 0; i < platform->n_domains; i++)
		n_cores += cpuset_count(&platform->domains[i].cores);
	platform->n_cpus = n_cores * platform->threads_per_core * platform->cores_per_module;
	if (platform->n_cpus > SIM_MAX_CPUS) {
		json_refuse(reader, NULL, "%zu logical CPUs are too many, %d is the most",
			    platform->n_cpus, SIM_MAX_CPUS);
		return;
	}
	platform->cpus = calloc(platform->n_cpus + 1, sizeof(*platform->cpus));
	if (json_lacks_memory(reader, !platform->cpus))
		return;
	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (domain->index == 0)
			rank = 0;
		cpuset_foreach (core, &domain->cores) {
			number_core(reader, platform, domain, core,
				    platform->numbering == PACKAGES_INTERLEAVED
					    ? count_interleaved(platform, domain->package, rank)
					    : number);
			number++;
			rank++;
		}
	}
}

const struct sim_domain *platform_file_find_shared_die(const struct sim_platform *platform)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i], *other = domain;

		while (other-- > domain - domain->index) {
			if (other->die == domain->die)
				return domain;
		}
	}
	return NULL;
}

int platform_file_find_word(const char *const *words, const char *word, size_t length)
{
	for (int i = 0; words[i]; i++) {
		if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
			return i;
	}
	return -1;
}

bool platform_file_is_held(const struct sim_platform *platform, uint32_t cpu)
{
	bool is_off = platform->smt == SIM_SMT_OFF || platform->smt == SIM_SMT_FORCEOFF;

	return is_off && platform->threads_per_core > 1 && platform->cpus[cpu].physical_cpu & 1;
}

static void read_cpus(struct json_reader *reader, json_t *value,
		      const struct sim_platform *platform, struct cpuset *to)
{
	const struct json_field field = { .kind = JSON_CPUS,
					  .max = (uint32_t)platform->n_cpus - 1 };

	json_read_value(reader, value, &field, to);
}

static void read_offline(struct json_reader *reader, json_t *value, void *to)
{
	read_cpus(reader, value, to, &((struct sim_platform *)to)->offline);
}

static const struct json_field topology_fields[] = {
	{ FIELD(threads_per_core, "threads_per_core"), .min = 1, .max = 2 },
	{ FIELD(cores_per_module, "cores_per_module"), .min = 1, .max = MODULE_PLACES },
	{ FIELD_AS(numbering, "numbering", JSON_WORD), .words = numberings },
	{ FIELD(cpu0_online_file, "cpu0_online_file") },
	{ JSON_ELEMENTS("packages", 1, SIM_MAX_PACKAGES, read_package), .read = number_packages },
	{ FIELD_AS(smt, "smt", JSON_WORD), .is_optional = true, .words = sim_smt_words },
	{ .name = "offline", .is_optional = true, .read = read_offline },
	{ 0 },
};

/* While SMT is off, second threads are offline at first. Without the member `smt`, SMT is on if
 * cores have two threads, and not supported if cores have one thread. */
static void check_topology(struct json_reader *reader, json_t *topology, void *to)
{
	struct sim_platform *platform = to;

	if (platform->cores_per_module > 1 && platform->threads_per_core > 1)
		json_refuse(reader, "cores_per_module",
			    "cores in modules have one thread, threads_per_core is %" PRIu32,
			    platform->threads_per_core);
	if (platform->cores_per_module > 1 && platform->interface == SIM_INTERFACE_MAILBOX)
		json_refuse(reader, "cores_per_module", "mailbox parts have no modules");
	if (reader->err)
		return;
	if (!json_object_get(topology, "smt"))
		platform->smt = platform->threads_per_core > 1 ? SIM_SMT_ON : SIM_SMT_NOTSUPPORTED;
	if (platform->threads_per_core == 1 && platform->smt != SIM_SMT_NOTSUPPORTED)
		json_refuse(reader, "smt", "cores have one thread: must be \"notsupported\"");
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (platform_file_is_held(platform, cpu) && cpuset_add(&platform->offline, cpu))
			json_refuse_memory(reader);
	}
	if (cpuset_has(&platform->offline, 0))
		json_refuse(reader, "offline", "CPU 0 starts the machine");
}

/* Refuses blanks in a word, because the kernel puts blanks between words. */
static void check_word(struct json_reader *reader, json_t *value, void *to)
{
	(void)to;
	if (strchr(json_string_value(value), ' '))
		json_refuse(reader, NULL, "must be one word");
}

static const struct json_field word = { .kind = JSON_TEXT, .read = check_word };

static void check_words(struct json_reader *reader, json_t *list, void *to)
{
	(void)to;
	for (size_t i = 0; i < json_array_size(list); i++) {
		for (size_t j = 0; j < i; j++) {
			char place[24];

			snprintf(place, sizeof(place), "[%zu]", i);
			if (json_equal(json_array_get(list, i), json_array_get(list, j)))
				json_refuse(reader, place, "is listed twice");
		}
	}
}

static void read_policy(struct json_reader *reader, json_t *value, void *to)
{
	struct sim_platform *platform = to;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	uint32_t first;

	read_cpus(reader, value, platform, &cpus);
	first = cpuset_next(&cpus, 0);
	if (!reader->err && cpuset_count(&cpus) < 2)
		json_refuse(reader, NULL, "a policy that is listed has two CPUs at least");
	cpuset_foreach (cpu, &cpus) {
		if (cpuset_has(&platform->shared, cpu))
			json_refuse(reader, NULL, "CPU %" PRIu32 " is in a policy already", cpu);
		platform->cpus[cpu].policy = first;
	}
	json_lacks_memory(reader, cpuset_add_all(&platform->shared, &cpus));
}

static const struct json_field high_priority_fields[] = {
	{ FIELD(cpufreq.high_priority_cpus, "cpus"), .max = CPUSET_MAX_CPU },
	{ FIELD(cpufreq.high_priority_base_khz, "base_khz"), .min = 1, .max = SIM_MAX_KHZ },
	{ 0 },
};

static const struct json_field cpufreq_fields[] = {
	{ FIELD(cpufreq.driver, "driver") },
	{ FIELD(cpufreq.min_khz, "min_khz"), .min = 1, .max = SIM_MAX_KHZ, .not_above = "max_khz" },
	{ FIELD(cpufreq.max_khz, "max_khz"), .min = 1, .max = SIM_MAX_KHZ },
	{ FIELD(cpufreq.base_khz, "base_khz"), .min = 1, .max = SIM_MAX_KHZ },
	{ ARRAY(cpufreq.governors, "governors", SIM_MAX_WORDS, &word), .read = check_words },
	{ .name = "governor" },
	{ ARRAY(cpufreq.epps, "epps", SIM_MAX_WORDS, &word), .read = check_words },
	{ .name = "epp" },
	{ FIELD(cpufreq.epb, "epb"), .max = 15 },
	{ FIELD_AS(cpufreq.no_turbo, "no_turbo", JSON_U8), .max = 1 },
	{ JSON_ELEMENTS("policies", 1, SIM_MAX_CPUS, read_policy), .is_optional = true },
	{ .name = "high_priority",
	  .is_optional = true,
	  .has = offsetof(struct sim_platform, has_high_priority),
	  .fields = high_priority_fields },
	{ 0 },
};

/* Also reads governor and epp, which are words of the file's own lists. */
static void check_cpufreq(struct json_reader *reader, json_t *object, void *to)
{
	const struct sim_cpufreq *cpufreq = &((struct sim_platform *)to)->cpufreq;
	const struct json_field chosen[] = {
		{ FIELD_AS(cpufreq.governor, "governor", JSON_WORD), .words = cpufreq->governors },
		{ FIELD_AS(cpufreq.epp, "epp", JSON_WORD), .words = cpufreq->epps },
	};

	for (size_t i = 0; i < ARRAY_SIZE(chosen); i++)
		json_read_field(reader, object, &chosen[i], to);
}

static void read_efficient(struct json_reader *reader, json_t *value, void *to)
{
	read_cpus(reader, value, to, &((struct sim_platform *)to)->efficient);
}

static const struct json_field core_type_fields[] = {
	{ .name = "efficient", .read = read_efficient },
	{ FIELD(efficient_max_khz, "efficient_max_khz"), .min = 1, .max = SIM_MAX_KHZ },
	{ FIELD(efficient_base_khz, "efficient_base_khz"), .min = 1, .max = SIM_MAX_KHZ,
	  .not_above = "efficient_max_khz" },
	{ 0 },
};

static const struct json_field idle_state_fields[] = {
	{ JSON_FIELD(struct sim_idle_state, name, "name") },
	{ JSON_FIELD(struct sim_idle_state, desc, "desc") },
	{ JSON_FIELD(struct sim_idle_state, latency_us, "latency_us"), .max = UINT32_MAX },
	{ JSON_FIELD(struct sim_idle_state, true_latency_us, "true_latency_us"),
	  .is_optional = true, .min = 1, .max = UINT32_MAX },
	{ JSON_FIELD(struct sim_idle_state, residency_us, "residency_us"), .max = UINT32_MAX },
	{ JSON_FIELD_AS(struct sim_idle_state, disabled, "disable", JSON_U8), .max = 1 },
	{ 0 },
};

static const struct json_field idle_state = { .fields = idle_state_fields };

static const struct json_field cpuidle_fields[] = {
	{ FIELD(idle_driver, "driver") },
	{ FIELD(idle_governor, "governor") },
	{ ARRAY(idle_states, "states", SIM_MAX_IDLE_STATES, &idle_state),
	  .count = offsetof(struct sim_platform, n_idle_states) },
	{ FIELD_AS(c1_demotion, "c1_demotion", JSON_U8), .max = 1, .is_optional = true,
	  .has = offsetof(struct sim_platform, has_c1_demotion) },
	{ 0 },
};

static const struct json_field umwait_fields[] = {
	{ FIELD_AS(umwait_c02, "enable_c02", JSON_U8), .max = 1 },
	{ FIELD(umwait_max_time, "max_time"), .max = UINT32_MAX, .step = MAX_TIME_STEP,
	  .unit = "" },
	{ 0 },
};

#define UNCORE_KHZ \
	.min = KHZ_PER_RATIO, .max = SIM_MAX_UNCORE_KHZ, .step = KHZ_PER_RATIO, .unit = " kHz"

static const struct json_field uncore_fields[] = {
	{ FIELD(uncore_min_khz, "min_khz"), UNCORE_KHZ, .not_above = "max_khz" },
	{ FIELD(uncore_max_khz, "max_khz"), UNCORE_KHZ },
	{ FIELD(uncore_io_max_khz, "io_max_khz"), UNCORE_KHZ, .is_optional = true },
	{ FIELD_AS(uncore, "layout", JSON_WORD), .words = layouts },
	{ 0 },
};

#define MAY(field, name) FIELD(field, name), .is_optional = true

static const struct json_field powercap_fields[] = {
	{ FIELD(long_term_w, "long_term_w"), .min = 1, .max = MAX_WATTS,
	  .not_above = "short_term_w" },
	{ FIELD(short_term_w, "short_term_w"), .min = 1, .max = MAX_WATTS },
	{ MAY(long_term_us, "long_term_us"), .min = 1, .max = INT32_MAX },
	{ MAY(short_term_us, "short_term_us"), .min = 1, .max = INT32_MAX },
	{ MAY(power_max_w, "max_w"), .min = 1, .max = MAX_WATTS },
	{ MAY(power_min_w, "min_w"), .min = 1, .max = MAX_WATTS },
	{ MAY(dram_w, "dram_w"), .min = 1, .max = MAX_WATTS },
	{ MAY(mmio_w, "mmio_w"), .min = 1, .max = MAX_WATTS },
	{ MAY(power_unit_bits, "power_unit_bits"), .max = 15 },
	{ MAY(time_unit_bits, "time_unit_bits"), .max = 15 },
	{ MAY(power_locked, "locked") },
	{ MAY(power_follows_level, "follows_level") },
	{ 0 },
};

static const struct sim_sources all_sources = {
	.perf_event_paranoid = PARANOID,
	.cpu = true,
	.msr = true,
	.cstate_core = true,
	.cstate_pkg = true,
	.power = true,
	.energy = true,
	.temperature = true,
	.throttle = true,
	.limit_reasons = true,
	.uncore_current = true,
};

static const struct json_field source_fields[] = {
	{ MAY(sources.perf_event_paranoid, "perf_event_paranoid"), .max = MAX_PARANOID },
	{ MAY(sources.cpu, "pmu_cpu") },
	{ MAY(sources.msr, "pmu_msr") },
	{ MAY(sources.cstate_core, "pmu_cstate_core") },
	{ MAY(sources.cstate_pkg, "pmu_cstate_pkg") },
	{ MAY(sources.power, "pmu_power") },
	{ MAY(sources.energy, "energy") },
	{ MAY(sources.temperature, "temperature") },
	{ MAY(sources.throttle, "throttle") },
	{ MAY(sources.limit_reasons, "limit_reasons") },
	{ MAY(sources.uncore_current, "uncore_current") },
	{ 0 },
};

static const struct json_field workload_fields[] = {
	{ FIELD(workload_seed, "seed"), .max = UINT32_MAX },
	{ 0 },
};

static const struct json_field bucket = { .kind = JSON_U8, .max = UINT8_MAX };

/* Bucket 0 is the lowest byte of an MSR. */
#define BUCKETS .min = PUNIT_BUCKETS, .max = PUNIT_BUCKETS, .element = &bucket, .element_size = 1

static const struct json_field msr_fields[] = {
	{ JSON_FIELD_AS(struct punit_package, turbo_ratio_limit, "turbo_ratio_limit", JSON_LIST),
	  BUCKETS },
	{ JSON_FIELD_AS(struct punit_package, turbo_ratio_limit_cores, "turbo_ratio_limit_cores",
			JSON_LIST),
	  BUCKETS },
	{ 0 },
};

static const struct json_field msrs_of_package = { .fields = msr_fields };

/* Reads one object for all packages, or a list with an object for each package. */
static void read_msrs(struct json_reader *reader, json_t *value, void *to)
{
	struct sim_platform *platform = to;
	const struct json_field list = {
		.kind = JSON_LIST,
		.min = (uint32_t)platform->n_packages,
		.max = (uint32_t)platform->n_packages,
		.element = &msrs_of_package,
		.element_size = sizeof(*platform->msrs),
	};

	platform->msrs = calloc(platform->n_packages + 1, sizeof(*platform->msrs));
	if (json_lacks_memory(reader, !platform->msrs))
		return;
	if (json_is_array(value)) {
		json_read_value(reader, value, &list, platform->msrs);
		return;
	}
	json_read_fields(reader, value, msr_fields, platform->msrs);
	for (size_t i = 1; i < platform->n_packages; i++)
		platform->msrs[i] = platform->msrs[0];
}

/* Checks the name, which becomes part of file names. */
static void check_name(struct json_reader *reader, json_t *value, void *to)
{
	const char *name = json_string_value(value);

	(void)to;
	if (strlen(name) > MAX_NAME)
		json_refuse(reader, NULL, "must not be longer than %d characters", MAX_NAME);
	for (const char *character = name; *character; character++) {
		if (!isalnum((unsigned char)*character) && !strchr("-_.+", *character))
			json_refuse(reader, NULL, "only letters, digits and -_.+ belong there");
	}
	if (*name == '.')
		json_refuse(reader, NULL, "must not begin with a dot");
}

/* Checks the release, which is compared with versions. */
static void check_kernel(struct json_reader *reader, json_t *value, void *to)
{
	const char *release = json_string_value(value);
	size_t digits = strspn(release, "0123456789");

	(void)to;
	if (digits == 0 || release[digits] != '.' || !isdigit((unsigned char)release[digits + 1]))
		json_refuse(reader, NULL, "must begin like \"6.12\"");
}

static void read_source(struct json_reader *reader, json_t *value, void *to)
{
	(void)to;
	json_read_text(reader, value);
}

/* The first members of a platform file. A recording has only these and `recorded`. */
#define HEAD_FIELDS                                                                               \
	{ FIELD(schema, "schema"), .min = SCHEMA, .max = SCHEMA },                                \
		{ FIELD(name, "name"), .read = check_name },                                      \
		{ FIELD(description, "description") }, { .name = "source", .read = read_source }, \
		{ FIELD(estimates, "estimates"), .is_optional = true },                           \
		{ FIELD(kernel, "kernel"), .read = check_kernel, .is_optional = true },           \
		{ FIELD_AS(turbo_counts, "turbo-counts", JSON_WORD), .is_optional = true,         \
		  .words = turbo_counts },                                                        \
		{ FIELD_AS(highest_follows, "highest-follows", JSON_WORD), .is_optional = true,   \
		  .words = follows },                                                             \
		{ .name = "measuring", .is_optional = true, .fields = source_fields },            \
	{                                                                                         \
		.name = "workload", .is_optional = true, .fields = workload_fields                \
	}

static const struct json_field platform_fields[] = {
	HEAD_FIELDS,
	{ .name = "cpu", .fields = cpu_fields },
	{ .name = "interface", .fields = interface_fields },
	{ .name = "topology", .fields = topology_fields, .read = check_topology },
	{ .name = "cpufreq", HAS(has_cpufreq), .fields = cpufreq_fields, .read = check_cpufreq },
	{ .name = "core_types", .is_optional = true, HAS(is_hybrid), .fields = core_type_fields },
	{ .name = "cpuidle", HAS(has_cpuidle), .fields = cpuidle_fields },
	{ .name = "umwait", HAS(has_umwait), .fields = umwait_fields },
	{ .name = "uncore", .is_nullable = true, .fields = uncore_fields },
	{ .name = "powercap", .is_optional = true, HAS(has_powercap), .fields = powercap_fields },
	{ .name = "msr", HAS(has_msrs), .read = read_msrs },
	{ .name = "sst", HAS(has_sst), .read = platform_sst_read },
	{ .name = "io_sst", HAS(has_io_sst), .read = platform_sst_read },
	{ .name = "recorded", .is_optional = true, .read = recording_read },
	{ 0 },
};

/* The members of a recording. The other figures are made from the answers. */
static const struct json_field recording_fields[] = {
	HEAD_FIELDS,
	{ .name = "recorded", .read = recording_read },
	{ 0 },
};

static void check_interface(struct json_reader *reader, const struct sim_platform *platform)
{
	bool has_none = platform->interface == SIM_INTERFACE_NONE;
	bool is_mailbox = platform->interface == SIM_INTERFACE_MAILBOX;
	uint32_t least_api = TPMI_VERSION, most_api = UINT16_MAX;

	if (has_none || is_mailbox)
		least_api = most_api = is_mailbox ? MAILBOX_VERSION : 0;
	json_check_range(reader, "interface.api_version", platform->api_version, least_api,
			 most_api);
	json_check_range(reader, "interface.driver_version", platform->driver_version, 0,
			 has_none ? 0 : UINT16_MAX);
	json_check_range(reader, "interface.max_cmds_per_ioctl", platform->max_cmds_per_ioctl,
			 !has_none, has_none ? 0 : UINT16_MAX);
	json_check_range(reader, "interface.mbox", platform->mbox, 0, is_mailbox);
	json_check_range(reader, "interface.mmio", platform->mmio, 0, is_mailbox);
}

/* Checks members that depend on each other. */
static void check_platform(struct json_reader *reader, const struct sim_platform *platform)
{
	const struct sim_cpufreq *cpufreq = &platform->cpufreq;
	const struct cpuset *high_cpus = &cpufreq->high_priority_cpus;
	const struct sim_domain *shared_die;

	check_interface(reader, platform);
	if (platform->turbo_counts == SIM_COUNTS_POWER_DOMAIN &&
	    platform->interface != SIM_INTERFACE_TPMI)
		json_refuse(reader, "turbo-counts", "only TPMI parts count by power domain");
	if (platform->has_cpufreq)
		json_check_range(reader, "cpufreq.base_khz", cpufreq->base_khz, cpufreq->min_khz,
				 cpufreq->max_khz);
	if (platform->has_high_priority) {
		json_check_range(reader, "cpufreq.high_priority.base_khz",
				 cpufreq->high_priority_base_khz, cpufreq->min_khz,
				 cpufreq->max_khz);
		if (cpuset_is_empty(high_cpus))
			json_refuse(reader, "cpufreq.high_priority.cpus", "must not be empty");
		else
			json_check_range(reader, "cpufreq.high_priority.cpus",
					 cpuset_last(high_cpus), 0, (uint32_t)platform->n_cpus - 1);
		if (platform->has_sst)
			json_refuse(reader, "cpufreq.high_priority",
				    "sst gives the base frequencies of this machine");
	}
	if (platform->uncore_io_max_khz) {
		json_check_range(reader, "uncore.io_max_khz", platform->uncore_io_max_khz,
				 platform->uncore_min_khz, SIM_MAX_UNCORE_KHZ);
		if (platform->uncore != SIM_UNCORE_TPMI)
			json_refuse(reader, "uncore.io_max_khz",
				    "only the layout \"tpmi\" has domains without cores");
	}
	/* The legacy layout has one directory for each die. */
	shared_die = platform_file_find_shared_die(platform);
	if (platform->uncore == SIM_UNCORE_LEGACY && shared_die)
		json_refuse(reader, "uncore.layout",
			    "\"legacy\" needs one domain a die, package %" PRIu32
			    " has more on die %" PRIu32,
			    shared_die->package, shared_die->die);
	if (platform->is_hybrid && platform->has_sst)
		json_refuse(reader, "core_types", "a machine with SST is not hybrid");
	if (platform->is_hybrid && cpuset_is_empty(&platform->efficient))
		json_refuse(reader, "core_types.efficient", "must not be empty");
	if (platform->is_hybrid && platform->has_cpufreq)
		json_check_range(reader, "core_types.efficient_max_khz",
				 platform->efficient_max_khz, cpufreq->min_khz, cpufreq->max_khz);
	if ((platform->has_sst || platform->has_io_sst) && !platform->has_msrs)
		json_refuse(reader, "msr", "must not be null on a machine with SST");
}

int platform_file_parse(const char *file_name, const char *text, size_t length,
			struct sim_platform **ret_platform, char **ret_message)
{
	struct json_reader reader = { .file_name = file_name };
	json_t *root = json_reader_load(&reader, text, length);
	bool is_recording = json_object_get(root, "recorded") && !json_object_get(root, "topology");
	struct sim_platform *platform = calloc(1, sizeof(*platform));

	if (!platform) {
		json_refuse_memory(&reader);
	} else if (!reader.err) {
		platform->uncore = SIM_UNCORE_NONE;
		platform->sources = all_sources;
		platform->workload_seed = SEED;
		platform->power_unit_bits = POWER_UNIT_BITS;
		platform->time_unit_bits = TIME_UNIT_BITS;
		platform->digest = digest_bytes(text, length);
		platform->json = json_incref(root);
		if (json_object_get(root, "schema")) /* another schema has other members */
			json_read_field(&reader, root, &platform_fields[0], platform);
		json_read_fields(&reader, root, is_recording ? recording_fields : platform_fields,
				 platform);
		if (!is_recording)
			check_platform(&reader, platform);
		if (is_recording && !reader.err)
			recorded_fill(&reader, platform);
		else if (platform->recording && !reader.err)
			recording_place(&reader, platform);
		platform->kernel = platform->kernel ?: DEFAULT_KERNEL;
		if (!reader.err && !sim_power_make(platform))
			json_refuse_memory(&reader);
	}
	json_decref(root);
	if (reader.err) {
		platform_file_free(platform);
		return json_reader_finish(&reader, ret_message);
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
	cpuset_done(&platform->cpufreq.high_priority_cpus);
	cpuset_done(&platform->offline);
	recording_free(platform->recording);
	free(platform->msrs);
	free(platform->power_zones);
	cpuset_done(&platform->efficient);
	cpuset_done(&platform->shared);
	free(platform->domains);
	free(platform->cpus);
	json_decref(platform->json);
	free(platform);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Compares what commands show with a second source in the hardware (docs/spec/record.md, "verify").
 * A value without a second source is not an error: its row says what is missing. */
#include "record/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "host/core_types.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "host/uncore.h"
#include "instruments/powercap.h"
#include "sst/trl_note.h"

/* MSRs that the module msr reads. */
enum {
	MSR_PLATFORM_INFO = 0xce,
	MSR_POWER_UNITS = 0x606,
	MSR_POWER_INFO = 0x614,
	MSR_UNCORE_LIMITS = 0x620,
	MSR_HWP_CAPABILITIES = 0x771
};

#define RATIO_UNKNOWN    255 /* HWP: the highest ratio is not reported */
#define ENERGY_RANGE     UINT32_MAX /* energy counters have 32 bits */
#define TDP_BITS         0x7fff
#define NO_FIGURE        "level 0 has no figure"
#define NOT_READ         "the level is not read"
#define HYBRID           "the driver scales it by core type"
#define MSR_TEXT(number) "MSR " #number

/* The machine while it is checked. */
struct verify {
	const struct verify_job *job;
	const struct expected *expected;
	struct files *files;
	struct verify_rows *rows;
	bool is_hybrid;
	const char *turbo_reason; /* why turbo may be off; NULL: it is on */
	uint64_t highest_khz; /* of all CPUs */
};

#define PACKAGE_ROW(...) ((struct verify_row){ .kind = VERIFY_PACKAGE, __VA_ARGS__ })
#define CPU_ROW(...)     ((struct verify_row){ .kind = VERIFY_CPU, __VA_ARGS__ })

static uint32_t package_of(const struct verify *verify, size_t domain)
{
	return verify->expected->pp[domain].domain->package;
}

/* Adds a row that is compared. A row with a reason has no verdict, and its values are dropped. */
static void add_compared(struct verify *verify, struct verify_row row, uint32_t number)
{
	if (row.reason) {
		row.result = VERIFY_UNKNOWN;
		free(steal(row.shown));
		free(steal(row.found));
	}
	verify_add(verify->rows, row, number);
}

/* Adds a row without a verdict. reason: a new text. */
static void add_unknown(struct verify *verify, struct verify_row row, uint32_t number, char *reason)
{
	row.reason = reason;
	row.result = VERIFY_UNKNOWN;
	verify_add(verify->rows, row, number);
}

/* Adds a row about whether a value could be read; problem: why not, or NULL. */
static void add_read(struct verify *verify, struct verify_row row, uint32_t number,
		     const char *problem)
{
	row.result = problem ? VERIFY_NOT_READ : VERIFY_READ;
	row.reason = problem ? strdup(problem) : NULL;
	verify_add(verify->rows, row, number);
}

static const char *problem_of(int err)
{
	return err ? strerror(-err) : NULL;
}

/* Returns the first online CPU of a package, or with has_die of a die, that is not isolated;
 * CPUSET_NONE: there is none. */
static uint32_t first_cpu(const struct verify *verify, uint32_t package, bool has_die, uint32_t die)
{
	const struct topology *topology = &verify->job->machine->topology;

	cpuset_foreach (cpu, &topology->online) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->package == package && (!has_die || place->die == die) &&
		    !cpuset_has(verify->job->isolated, cpu))
			return cpu;
	}
	return CPUSET_NONE;
}

/* Reads an MSR of a CPU (CPUSET_NONE is allowed). If mask is not 0, a value without a bit of mask
 * counts as missing. Returns NULL; or a new text that says why there is no value. */
static char *read_msr(const struct verify *verify, uint32_t cpu, uint32_t msr, uint64_t mask,
		      uint64_t *ret_value)
{
	int err;

	if (cpu == CPUSET_NONE)
		return strdup("all CPUs are isolated");
	err = files_read_number(verify->files, files_msr_path(cpu, msr).text, ret_value);
	if (!err)
		return mask && !(*ret_value & mask) ? strdup("it has 0") : NULL;
	if (err == -ENOENT || err == -ENXIO || err == -ENODEV)
		return strdup("needs the module msr");
	if (err == -EIO)
		return strdup("the CPU has no such MSR");
	return text_format("%s%s", strerror(-err),
			   err == -EACCES || err == -EPERM ? "; root may read MSRs" : "");
}

/* Reads an MSR of the first online CPU of a package. */
static char *read_package_msr(const struct verify *verify, uint32_t package, uint32_t msr,
			      uint64_t mask, uint64_t *ret_value)
{
	return read_msr(verify, first_cpu(verify, package, false, 0), msr, mask, ret_value);
}

static char *mhz_text(uint64_t khz)
{
	return text_format("%" PRIu64 " MHz", khz / KHZ_PER_MHZ);
}

static char *ratio_text(uint32_t ratio)
{
	return text_format("%" PRIu32 " MHz", sst_ratio_mhz(ratio));
}

static char *count_text(size_t count, const char *thing)
{
	return text_format("%zu %s%s", count, thing, count == 1 ? "" : "s");
}

/* Returns the eight bytes of a word as numbers, each multiplied by factor. */
static char *bytes_text(uint64_t word, uint32_t factor)
{
	struct buffer text = { 0 };

	for (unsigned int i = 0; i < SST_BUCKETS; i++) {
		buffer_append_string(&text, i ? " " : "");
		buffer_append_number(&text, (uint64_t)sst_byte(word, i) * factor);
	}
	return buffer_steal(&text, NULL);
}

/* Speed Select. */

/* Returns level 0 of a domain; if there is none, a level with an error. */
static const struct platform_level_query *find_level_0(const struct expected *expected,
						       size_t domain)
{
	static const struct platform_level_query none = { .error = -ENOENT };

	return expected_find_level(expected, domain, 0) ?: &none;
}

/* Returns a new text that says why a figure of a level is unknown; NULL: it is known. */
static char *lacks_figure(const struct platform_level_query *level, uint32_t figure)
{
	if (level->error)
		return strdup(NOT_READ);
	return figure ? NULL : strdup(NO_FIGURE);
}

/* Adds a row about whether the values of a domain could be read; shown: takes ownership. */
static void add_requests(struct verify *verify, const char *check, size_t domain, int err,
			 char *shown)
{
	add_read(verify, PACKAGE_ROW(.check = check, .shown = shown), package_of(verify, domain),
		 err ? platform_find_cause(verify->expected->platform, err).text : NULL);
}

static void check_levels(struct verify *verify, size_t domain)
{
	const struct expected *expected = verify->expected;
	int err = expected->pp[domain].error ?: expected->levels[domain].error;
	size_t n_levels = 1;

	for (size_t i = 0; i < expected->n_others; i++) {
		if (expected->others[i].domain != expected->pp[domain].domain ||
		    expected->others[i].error == -ENOENT)
			continue;
		n_levels++;
		err = err ?: expected->others[i].error;
	}
	add_requests(verify, "perf-profile", domain, err, count_text(n_levels, "level"));
}

static void check_core_power(struct verify *verify, size_t domain)
{
	const struct platform_core_power_query *query = &verify->expected->core_power[domain];

	add_requests(verify, "core-power", domain, query->error,
		     text_format("SST-CP %s", !query->core_power.supported ? "unsupported"
					      : query->core_power.enabled  ? "enabled"
									   : "disabled"));
}

static void check_turbo_mode(struct verify *verify, size_t domain)
{
	add_requests(verify, "turbo-mode", domain, verify->expected->trl[domain].error,
		     strdup("turbo-ratio limits"));
}

/* MSR 0x1AE has the core counts of level 0, summed over all compute domains. Mailbox parts have no
 * other source of counts. */
static void check_counts(struct verify *verify, size_t domain)
{
	const struct expected *expected = verify->expected;
	const struct platform_query *query = &expected->trl_counts[domain];
	struct verify_row row = PACKAGE_ROW(.check = "turbo-cores", .source = MSR_TEXT(0x1AE));
	uint32_t counts[SST_BUCKETS] = { 0 }, package = package_of(verify, domain);
	uint64_t word = 0, value = query->value.number;
	int err = expected_sum_counts(expected, domain, 0, counts);

	if (!expected->platform->domains.by_id)
		return;
	if (query->error)
		row.reason = read_package_msr(verify, package, SST_MSR_TURBO_RATIO_LIMIT_CORES, 0,
					      &value);
	if (err && !row.reason)
		row.reason = strdup(NOT_READ);
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		word |= (uint64_t)(counts[i] & UINT8_MAX) << 8 * i;
	row.shown = bytes_text(word, 1);
	row.found = bytes_text(value, 1);
	add_compared(verify, row, package);
}

/* Reads the present turbo-ratio limits of a package. */
static char *read_limits(const struct verify *verify, size_t domain, uint64_t *ret_limits)
{
	const struct platform_query *query = &verify->expected->trl[domain];

	if (query->error)
		return read_package_msr(verify, package_of(verify, domain),
					SST_MSR_TURBO_RATIO_LIMIT, 0, ret_limits);
	*ret_limits = query->value.number;
	return NULL;
}

/* MSR 0x1AD has the ratios of the level, unless SST-TF or a user has written others. */
static void check_limits(struct verify *verify, size_t domain)
{
	const struct platform_level_query *level = &verify->expected->levels[domain];
	struct verify_row row = PACKAGE_ROW(.check = "turbo-ratios", .source = MSR_TEXT(0x1AD));
	const char *run_directory = verify->job->machine->host->run_directory;
	uint32_t package = package_of(verify, domain);
	uint64_t value = 0, written, read_back;

	if (level->error)
		row.reason = strdup(NOT_READ);
	else if (level->info.turbo_freq_on)
		row.reason = strdup("SST-TF opens the register");
	else if (trl_note_read(verify->files, run_directory, package, &written, &read_back) == 0)
		row.reason = strdup("the register was written in this boot");
	else
		row.reason = read_limits(verify, domain, &value);
	if (!row.reason && value == FREQUENCY_TRL_OPEN)
		row.reason = strdup("the register is open");
	row.shown = bytes_text(frequency_trl_of_level(&level->info), 100);
	row.found = bytes_text(value, 100);
	add_compared(verify, row, package);
}

/* MSR 0x614 has the TDP of level 0, in bits 14:0, in the power units of MSR 0x606, bits 3:0. */
static void check_tdp(struct verify *verify, size_t domain)
{
	const struct platform_level_query *level = find_level_0(verify->expected, domain);
	struct verify_row row = PACKAGE_ROW(.check = "tdp", .source = MSR_TEXT(0x614));
	uint32_t package = package_of(verify, domain);
	uint64_t units = 0, info = 0;

	row.reason = lacks_figure(level, level->info.tdp_w);
	if (!row.reason)
		row.reason = read_package_msr(verify, package, MSR_POWER_UNITS, 0, &units);
	if (!row.reason)
		row.reason = read_package_msr(verify, package, MSR_POWER_INFO, TDP_BITS, &info);
	row.shown = text_format("%" PRIu32 " W", level->info.tdp_w);
	row.found = text_format("%" PRIu64 " W", (info & TDP_BITS) >> (units & 0xf));
	add_compared(verify, row, package);
}

/* MSR 0xCE has the base ratio of level 0 in bits 15:8. */
static void check_level_0_base(struct verify *verify, size_t domain)
{
	const struct platform_level_query *level = find_level_0(verify->expected, domain);
	struct verify_row row = PACKAGE_ROW(.check = "level-0-base", .source = MSR_TEXT(0xCE));
	uint32_t package = package_of(verify, domain);
	uint64_t info = 0;

	row.reason = lacks_figure(level, level->info.base_mhz);
	if (!row.reason)
		row.reason = read_package_msr(verify, package, MSR_PLATFORM_INFO, 0xff00, &info);
	row.shown = text_format("%" PRIu32 " MHz", level->info.base_mhz);
	row.found = ratio_text(sst_byte(info, 1));
	add_compared(verify, row, package);
}

/* The level enables the CPUs that are online. */
static void check_enabled(struct verify *verify, size_t domain)
{
	const struct platform_level_query *level = &verify->expected->levels[domain];
	const struct power_domain *of = verify->expected->pp[domain].domain;

	cpuset_foreach (cpu, &of->cpus) {
		bool is_enabled = cpuset_has(&level->info.enabled_cpus, cpu);

		if (!topology_can_ask(&verify->job->machine->topology, cpu) || level->error ||
		    !level->info.has_enabled_cpus)
			continue;
		verify_add(verify->rows,
			   CPU_ROW(.check = "enabled-cpus", .source = "online",
				   .shown = strdup(is_enabled ? "enabled" : "not enabled"),
				   .found = strdup("enabled")),
			   cpu);
	}
}

/* Online CPUs have the base frequency of the level or, with SST-BF, one of its two. */
static void check_level_base(struct verify *verify, size_t domain)
{
	const struct platform_level_query *level = &verify->expected->levels[domain];
	const struct power_domain *of = verify->expected->pp[domain].domain;
	const struct sst_level *info = &level->info;

	cpuset_foreach (cpu, &of->cpus) {
		struct verify_row row = CPU_ROW(.check = "level-base", .source = "base_frequency");
		uint64_t khz;

		if (!topology_can_ask(&verify->job->machine->topology, cpu) || level->error ||
		    !info->base_mhz || cpuset_has(verify->job->isolated, cpu) ||
		    files_read_number(verify->files,
				      files_cpu_path(cpu, "cpufreq/base_frequency").text, &khz))
			continue;
		row.shown =
			text_format("%" PRIu32 " MHz", !info->base_freq_on ? info->base_mhz
						       : cpuset_has(&info->base_freq.high_cpus, cpu)
							       ? info->base_freq.high_mhz
							       : info->base_freq.low_mhz);
		row.found = mhz_text(khz);
		verify_add(verify->rows, row, cpu);
	}
}

static void check_sst(struct verify *verify)
{
	static void (*const checks[])(struct verify * verify, size_t domain) = {
		check_levels, check_core_power,   check_turbo_mode, check_counts,     check_limits,
		check_tdp,    check_level_0_base, check_enabled,    check_level_base,
	};
	const struct expected *expected = verify->expected;

	if (!expected->n_domains) {
		add_unknown(verify, (struct verify_row){ .check = "perf-profile" }, 0,
			    strdup(verify->job->lacks_platform ?: "no Speed Select"));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		for (size_t domain = 0; domain < expected->n_domains; domain++)
			checks[i](verify, domain);
	}
}

/* cpufreq. */

/* A file of cpufreq, and a byte of an MSR to compare: a ratio in units of 100 MHz. */
struct cpufreq_check {
	const char *check;
	const char *file;
	const char *source;
	uint32_t msr;
	unsigned int byte;
	bool is_scaled; /* by the driver, on hybrid machines */
	bool is_highest; /* of the CPU, with turbo */
	bool is_of_level_0; /* it does not follow the level or SST-BF */
};

static const struct cpufreq_check cpufreq_checks[] = {
	{ "highest", "cpuinfo_max_freq", MSR_TEXT(0x771), MSR_HWP_CAPABILITIES, 0,
	  .is_scaled = true, .is_highest = true },
	{ "guaranteed", "base_frequency", MSR_TEXT(0x771), MSR_HWP_CAPABILITIES, 1,
	  .is_scaled = true },
	{ "base", "base_frequency", MSR_TEXT(0xCE), MSR_PLATFORM_INFO, 1, .is_scaled = true,
	  .is_of_level_0 = true },
	{ "lowest", "cpuinfo_min_freq", MSR_TEXT(0xCE), MSR_PLATFORM_INFO, 5, .is_scaled = false },
};

/* Returns a new text that says why a CPU has another base frequency than MSR 0xCE; NULL: it has the
 * same. Without Speed Select, the guaranteed ratio of HWP shows whether it has another one. */
static char *find_other_base(const struct verify *verify, uint32_t cpu, uint32_t ratio)
{
	const struct expected *expected = verify->expected;
	_cleanup_free_ char *unread = NULL;
	uint64_t value = 0;

	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_level_query *level = &expected->levels[i];

		if (!cpuset_has(&expected->pp[i].domain->cpus, cpu) || level->error)
			continue;
		return level->level == 0 && !level->info.base_freq_on
			       ? NULL
			       : strdup("SST-BF is on, or the level is not 0");
	}
	unread = read_msr(verify, cpu, MSR_HWP_CAPABILITIES, 0, &value);
	return unread || sst_byte(value, 1) == ratio
		       ? NULL
		       : strdup("SST-BF or configurable TDP has another");
}

/* Reads the ratio to compare with. Returns NULL; or a new text that says why there is no ratio. */
static char *find_ratio(const struct verify *verify, uint32_t cpu,
			const struct cpufreq_check *check, uint32_t *ret_ratio)
{
	uint64_t value = 0;
	char *reason;

	if (check->is_scaled && verify->is_hybrid)
		return strdup(HYBRID);
	if (check->is_highest && verify->turbo_reason)
		return strdup(verify->turbo_reason);
	reason = read_msr(verify, cpu, check->msr, 0, &value);
	if (reason)
		return reason;
	*ret_ratio = sst_byte(value, check->byte);
	if (*ret_ratio == 0 || (check->is_highest && *ret_ratio == RATIO_UNKNOWN))
		return text_format("it has %u", *ret_ratio);
	return check->is_of_level_0 ? find_other_base(verify, cpu, *ret_ratio) : NULL;
}

static void check_ratio(struct verify *verify, uint32_t cpu, const struct cpufreq_check *check)
{
	struct verify_row row = CPU_ROW(.check = check->check, .source = check->source);
	uint32_t ratio = 0;
	uint64_t khz = 0;
	int err = files_read_number(verify->files,
				    files_cpu_path(cpu, "cpufreq/%s", check->file).text, &khz);

	if (check->is_highest && !err && khz > verify->highest_khz)
		verify->highest_khz = khz;
	if (err)
		row.reason = text_format("%s: %s", check->file, strerror(-err));
	else
		row.reason = find_ratio(verify, cpu, check, &ratio);
	row.shown = mhz_text(khz);
	row.found = ratio_text(ratio);
	add_compared(verify, row, cpu);
}

/* Checks the drivers, and keeps only CPUs whose driver takes ratios from MSRs. */
static int check_drivers(struct verify *verify, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset all = { 0 };

	if (cpuset_copy(&all, cpus))
		return -ENOMEM;
	cpuset_foreach (cpu, &all) {
		_cleanup_free_ char *driver = NULL;
		int err = files_read_line(
			verify->files, files_cpu_path(cpu, "cpufreq/scaling_driver").text, &driver);

		if (err == -ENOMEM)
			return err;
		if (err == -ENOENT)
			add_unknown(verify, CPU_ROW(.check = "cpufreq"), cpu,
				    strdup("no cpufreq driver"));
		else
			add_read(verify, CPU_ROW(.check = "cpufreq", .shown = strdup(driver ?: "")),
				 cpu, problem_of(err));
		if (!driver ||
		    (strcmp(driver, "intel_pstate") != 0 && strcmp(driver, "intel_cpufreq") != 0))
			cpuset_remove(cpus, cpu);
	}
	return 0;
}

/* The highest ratio of MSR 0x1AD is the highest frequency of a CPU. */
static void check_highest(struct verify *verify, uint32_t cpu)
{
	const struct expected *expected = verify->expected;
	struct verify_row row = { .check = "highest-of-all", .source = MSR_TEXT(0x1AD) };
	uint64_t limits = 0;
	uint32_t ratio = 0;

	if (!verify->highest_khz)
		return;
	if (verify->turbo_reason)
		row.reason = strdup(verify->turbo_reason);
	else if (expected->n_domains == 0)
		row.reason = read_msr(verify, cpu, SST_MSR_TURBO_RATIO_LIMIT, 0, &limits);
	for (size_t i = 0; i < (expected->n_domains ?: 1) && !row.reason; i++) {
		if (expected->n_domains)
			row.reason = read_limits(verify, i, &limits);
		for (unsigned int byte = 0; byte < SST_BUCKETS; byte++)
			ratio = sst_byte(limits, byte) > ratio ? sst_byte(limits, byte) : ratio;
	}
	if (!row.reason && (ratio == 0 || ratio == SST_RATIO_UNLIMITED))
		row.reason = strdup(ratio ? "the register is open" : "it has 0");
	row.shown = mhz_text(verify->highest_khz);
	row.found = ratio_text(ratio);
	add_compared(verify, row, 0);
}

static int check_cpufreq(struct verify *verify)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = cpufreq_read_machine(verify->files, &machine);

	if (err == -ENOMEM)
		return err;
	verify->turbo_reason = machine.is_unread ? "whether turbo is off cannot be read"
			       : cpufreq_turbo_is_off(&machine) ? "turbo is off"
								: NULL;
	err = cpuset_copy(&cpus, &verify->job->machine->topology.online);
	cpuset_remove_all(&cpus, verify->job->isolated);
	if (!err)
		err = check_drivers(verify, &cpus);
	for (size_t i = 0; i < ARRAY_SIZE(cpufreq_checks) && !err; i++) {
		cpuset_foreach (cpu, &cpus)
			check_ratio(verify, cpu, &cpufreq_checks[i]);
	}
	if (!err && !cpuset_is_empty(&cpus))
		check_highest(verify, cpuset_next(&cpus, 0));
	return err;
}

/* Idle states, uncore, energy. */

static int check_idle(struct verify *verify)
{
	uint32_t cpu = cpuset_next(&verify->job->machine->topology.online, 0);
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	struct verify_row row = { .check = "cpuidle" };
	int err = cpuidle_read_names(verify->files, cpu, &idle);

	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT) {
		add_unknown(verify, row, 0, strdup("no idle states"));
	} else {
		row.shown = count_text(idle.n_states, "state");
		add_read(verify, row, 0, problem_of(err));
	}
	return 0;
}

/* MSR 0x620 has the upper limit of an uncore in bits 6:0, the lower one in bits 14:8. */
static void check_uncore_unit(struct verify *verify, const struct uncore_unit *unit)
{
	struct verify_row row = PACKAGE_ROW(.check = "uncore-limits", .source = MSR_TEXT(0x620));
	uint32_t cpu = first_cpu(verify, unit->package, unit->has_die, unit->die);
	uint64_t value = 0;

	if (unit->is_cluster)
		row.reason = strdup("uncores of power domains have no MSR");
	else
		row.reason = read_msr(verify, cpu, MSR_UNCORE_LIMITS, UINT64_MAX, &value);
	row.shown = text_format("%" PRIu32 "-%" PRIu32 " MHz", unit->min_khz / KHZ_PER_MHZ,
				unit->max_khz / KHZ_PER_MHZ);
	row.found =
		text_format("%" PRIu32 "-%" PRIu32 " MHz", sst_ratio_mhz(sst_byte(value, 1) & 0x7f),
			    sst_ratio_mhz(sst_byte(value, 0) & 0x7f));
	add_compared(verify, row, unit->package);
}

static int check_uncore(struct verify *verify)
{
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	struct verify_row row = { .check = "uncore" };
	int err = uncore_read_units(verify->files, false, &units);

	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT) {
		add_unknown(verify, row, 0, strdup("no driver of uncore frequencies"));
		return 0;
	}
	for (size_t i = 0; i < units.count; i++)
		err = err ?: units.units[i].error;
	row.shown = count_text(units.count, "uncore");
	add_read(verify, row, 0, problem_of(err));
	for (size_t i = 0; i < units.count; i++) {
		if (!units.units[i].error)
			check_uncore_unit(verify, &units.units[i]);
	}
	return 0;
}

/* The range of an energy counter has 32 bits of the energy unit. MSR 0x606 has the unit in bits
 * 12:8; Linux uses it as an integer in nJ. */
static void check_energy_unit(struct verify *verify, const struct power_zone *place)
{
	struct verify_row row = PACKAGE_ROW(.check = "energy-unit", .source = MSR_TEXT(0x606));
	_cleanup_free_ char *path = power_zone_path(place->zone, "max_energy_range_uj");
	uint64_t range = 0, units = 0;
	int err = path ? files_read_number(verify->files, path, &range) : -ENOMEM;

	if (err || !range || range > UINT64_MAX / NJ_PER_UJ)
		row.reason = strdup("max_energy_range_uj cannot be read");
	else
		row.reason = read_package_msr(verify, place->package, MSR_POWER_UNITS, UINT64_MAX,
					      &units);
	row.shown = text_format("%" PRIu64 " nJ",
				(range * NJ_PER_UJ + ENERGY_RANGE / 2) / ENERGY_RANGE);
	row.found = text_format("%u nJ", NJ_PER_J >> (sst_byte(units, 1) & 0x1f));
	add_compared(verify, row, place->package);
}

static int check_energy(struct verify *verify)
{
	_cleanup_power_zones_ struct power_zones places = { 0 };
	int err = power_zones_list(verify->files, POWER_RAPL, &places);
	bool has_any = false;

	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < places.count; i++) {
		const struct power_zone *place = &places.list[i];

		if (place->error || place->kind != POWER_PACKAGE || place->is_part)
			continue;
		has_any = true;
		check_energy_unit(verify, place);
	}
	if (!has_any)
		add_unknown(verify, (struct verify_row){ .check = "energy-unit" }, 0,
			    err && err != -ENOENT ? text_format("powercap: %s", strerror(-err))
						  : strdup("no zones of powercap"));
	return 0;
}

int verify_make(const struct verify_job *job, struct verify_rows *rows)
{
	struct verify verify = {
		.job = job,
		.expected = job->expected,
		.files = job->machine->host->files,
		.rows = rows,
	};
	_cleanup_core_types_ struct core_types types = { 0 };
	int err = core_types_read(verify.files, &types);

	for (unsigned int type = 0; type < N_CORE_TYPES; type++)
		verify.is_hybrid = verify.is_hybrid || !cpuset_is_empty(&types.cpus[type]);
	if (err == -ENOMEM)
		return err;
	check_sst(&verify);
	err = check_cpufreq(&verify);
	if (!err)
		err = check_idle(&verify);
	if (!err)
		err = check_uncore(&verify);
	if (!err)
		err = check_energy(&verify);
	return rows->is_short_of_memory ? -ENOMEM : err;
}

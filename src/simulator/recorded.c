// SPDX-License-Identifier: GPL-2.0-only
/* Makes the model of a recorded machine: its processor, its driver, and what kernel files say about
 * cpufreq, idle states and uncores. The first CPU that has a file stands for all CPUs. */
#include "simulator/recorded.h"
#include "simulator/power.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/number.h"
#include "host/files.h"
#include "isst_abi.h"

#define CPUS        "/sys/devices/system/cpu"
#define UNCORES     CPUS "/intel_uncore_frequency"
#define MAX_EPB     15
#define USUAL_EPB   6
#define WORD_SIZE   64
#define TIME_STEP   4 /* of umwait's max_time */
#define UNCORE_STEP 100000

struct filling {
	struct json_reader *reader;
	struct sim_platform *platform;
	const struct recording *recording;
	uint32_t first_cpu; /* its files stand for those of all CPUs */
};

static uint64_t clamp(uint64_t number, uint64_t low, uint64_t high)
{
	return number < low ? low : number > high ? high : number;
}

/* Returns a copy of length bytes of a text, printable and not empty, which the recording owns. */
static const char *keep(const struct filling *filling, const char *text, size_t length)
{
	const char *kept = recording_keep(filling->platform->recording, length ? text : "-",
					  length ? length : strlen("-"));

	json_lacks_memory(filling->reader, !kept);
	return kept;
}

static const char *keep_line(const struct filling *filling, const char *text)
{
	return keep(filling, text, strcspn(text, "\n"));
}

/* The processor, from /proc/cpuinfo. */

/* Returns the value of a field of the first CPU, or NULL. *ret_length is without the newline. */
static const char *find_field(const char *cpuinfo, const char *name, size_t *ret_length)
{
	for (const char *line = cpuinfo; *line && *line != '\n';
	     line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		size_t length = strlen(name);
		const char *value = line + length + strspn(line + length, " \t");

		if (strncmp(line, name, length) != 0 || *value != ':')
			continue;
		value += value[1] == ' ' ? 2 : 1;
		*ret_length = strcspn(value, "\n");
		return value;
	}
	return NULL;
}

static uint32_t find_number(const char *cpuinfo, const char *name, uint32_t most)
{
	size_t length;
	const char *text = find_field(cpuinfo, name, &length);
	uint64_t number = 0;

	if (text)
		number_parse_digits(&text, 10, &number);
	return (uint32_t)clamp(number, 0, most);
}

static void fill_processor(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	const char *cpuinfo = recording_text(filling->recording, "/proc/cpuinfo") ?: "";
	size_t length = 0;
	const char *line = find_field(cpuinfo, "flags", &length), *name;
	_cleanup_free_ char *flags = strndup(line ?: "", length);

	json_lacks_memory(filling->reader, !flags);
	platform->cpu.hfi = files_has_word(flags, "hfi");
	platform->cpu.family = find_number(cpuinfo, "cpu family", SIM_MAX_FAMILY);
	platform->cpu.model = find_number(cpuinfo, "model", UINT8_MAX);
	platform->cpu.stepping = find_number(cpuinfo, "stepping", SIM_MAX_STEPPING);
	length = 0;
	name = find_field(cpuinfo, "model name", &length);
	platform->cpu.model_name =
		length ? keep(filling, name, length) : keep_line(filling, "unknown processor");
}

/* Sets the kernel release up to its second number, unless the platform file has a release. */
static void fill_kernel(const struct filling *filling)
{
	const char *release = recording_text(filling->recording, "/proc/sys/kernel/osrelease");
	const char *at = release;
	uint64_t number;

	if (!filling->platform->kernel && release && number_parse_digits(&at, 10, &number) == 0 &&
	    *at++ == '.' && number_parse_digits(&at, 10, &number) == 0)
		filling->platform->kernel = keep(filling, release, (size_t)(at - release));
}

/* Without an answer, or with API version 0, the machine has no driver. */
static void fill_interface(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	struct isst_if_platform_info info;
	struct request_item item;
	size_t position = 0;

	do {
		if (!recording_next(filling->recording, &position, &item))
			return;
	} while (item.request != ISST_IF_GET_PLATFORM_INFO);
	memcpy(&info, item.bytes, sizeof(info));
	if (item.error || !info.api_version)
		return;
	platform->interface = info.api_version == 1 ? SIM_INTERFACE_MAILBOX : SIM_INTERFACE_TPMI;
	platform->api_version = info.api_version;
	platform->driver_version = info.driver_version;
	platform->max_cmds_per_ioctl = info.max_cmds_per_ioctl ?: 1;
	platform->mbox = info.api_version == 1 && info.mbox_supported;
	platform->mmio = info.api_version == 1 && info.mmio_supported;
}

/* cpufreq. */

static const char *cpu_text(const struct filling *filling, uint32_t cpu, const char *file)
{
	return recording_text(filling->recording, CPUS "/cpu%" PRIu32 "/%s", cpu, file);
}

/* Returns the number in a text, or `otherwise`. */
static uint64_t number_of(const char *text, uint64_t otherwise)
{
	uint64_t number;

	return text && number_parse_file(text, &number) == 0 ? number : otherwise;
}

static uint64_t machine_number(const struct filling *filling, const char *file, uint64_t otherwise)
{
	return number_of(recording_text(filling->recording, CPUS "/%s", file), otherwise);
}

static bool is_online(const struct filling *filling, uint32_t cpu)
{
	return !cpuset_has(&filling->platform->offline, cpu);
}

/* Returns the lowest or highest number in a file of all online CPUs; 0: no CPU has the file. */
static uint32_t find_extreme(const struct filling *filling, const char *file, bool is_highest)
{
	uint64_t extreme = 0;

	for (uint32_t cpu = 0; cpu < filling->platform->n_cpus; cpu++) {
		uint64_t khz =
			is_online(filling, cpu) ? number_of(cpu_text(filling, cpu, file), 0) : 0;

		if (khz && (!extreme || (is_highest ? khz > extreme : khz < extreme)))
			extreme = khz;
	}
	return (uint32_t)clamp(extreme, 0, UINT32_MAX);
}

/* Reads the words of a file, each once; if there are none, `otherwise`. Returns the index of the
 * word that chosen_file has; 0 if the list does not have it. */
static uint32_t fill_words(const struct filling *filling, const char *file, const char *chosen_file,
			   const char *otherwise, const char *words[SIM_MAX_WORDS + 1])
{
	const char *text = cpu_text(filling, filling->first_cpu, file) ?: "";
	const char *chosen = cpu_text(filling, filling->first_cpu, chosen_file) ?: "";
	size_t count = 0;
	int index;

	for (size_t length; *(text += strspn(text, " \t\n")); text += length) {
		length = strcspn(text, " \t\n");
		if (count < SIM_MAX_WORDS && length < WORD_SIZE &&
		    platform_file_find_word(words, text, length) < 0)
			words[count++] = keep(filling, text, length);
		if (filling->reader->err)
			return 0;
	}
	if (!count)
		words[0] = otherwise;
	index = platform_file_find_word(words, chosen, strcspn(chosen, "\n"));
	return index < 0 ? 0 : (uint32_t)index;
}

/* Finds the CPUs with the highest base frequency, if not all CPUs have it, on a machine without the
 * Speed Select driver. */
static void fill_high_priority(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	struct sim_cpufreq *cpufreq = &platform->cpufreq;
	uint32_t high_khz = find_extreme(filling, "cpufreq/base_frequency", true);

	if (platform->interface != SIM_INTERFACE_NONE || high_khz < cpufreq->min_khz ||
	    high_khz > cpufreq->max_khz ||
	    high_khz == find_extreme(filling, "cpufreq/base_frequency", false))
		return;
	platform->has_high_priority = true;
	cpufreq->high_priority_base_khz = high_khz;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		const char *base = cpu_text(filling, cpu, "cpufreq/base_frequency");

		if (is_online(filling, cpu) && number_of(base, 0) == high_khz &&
		    cpuset_add(&cpufreq->high_priority_cpus, cpu))
			json_refuse_memory(filling->reader);
	}
}

/* Joins the CPUs of a policy. The file has numbers with blanks between them. */
static void join_policy(const struct filling *filling, uint32_t cpu)
{
	struct sim_platform *platform = filling->platform;
	const char *at = cpu_text(filling, cpu, "cpufreq/related_cpus");
	uint64_t other;

	while (at && number_parse_digits(&at, 10, &other) == 0) {
		if (other > cpu && other < platform->n_cpus &&
		    platform->cpus[other].policy == other)
			platform->cpus[other].policy = cpu;
		at += strspn(at, " ");
	}
}

static void fill_cpufreq(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	struct sim_cpufreq *cpufreq = &platform->cpufreq;
	const char *driver = cpu_text(filling, filling->first_cpu, "cpufreq/scaling_driver");
	uint32_t min_khz = find_extreme(filling, "cpufreq/cpuinfo_min_freq", false);
	uint32_t max_khz = find_extreme(filling, "cpufreq/cpuinfo_max_freq", true);
	uint32_t base_khz = find_extreme(filling, "cpufreq/base_frequency", false);

	if (!driver || *driver == '\n' || !*driver || !min_khz || !max_khz || min_khz > max_khz)
		return;
	platform->has_cpufreq = true;
	cpufreq->driver = keep_line(filling, driver);
	cpufreq->max_khz = (uint32_t)clamp(max_khz, 1, SIM_MAX_KHZ);
	cpufreq->min_khz = (uint32_t)clamp(min_khz, 1, cpufreq->max_khz);
	cpufreq->base_khz =
		(uint32_t)clamp(base_khz ?: max_khz, cpufreq->min_khz, cpufreq->max_khz);
	cpufreq->governor =
		fill_words(filling, "cpufreq/scaling_available_governors",
			   "cpufreq/scaling_governor", "performance", cpufreq->governors);
	cpufreq->epp =
		fill_words(filling, "cpufreq/energy_performance_available_preferences",
			   "cpufreq/energy_performance_preference", "default", cpufreq->epps);
	cpufreq->epb = (uint32_t)clamp(
		number_of(cpu_text(filling, filling->first_cpu, "power/energy_perf_bias"),
			  USUAL_EPB),
		0, MAX_EPB);
	cpufreq->no_turbo = machine_number(filling, "intel_pstate/no_turbo", 0) != 0;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (is_online(filling, cpu) && platform->cpus[cpu].policy == cpu)
			join_policy(filling, cpu);
	}
	fill_high_priority(filling);
}

/* Finds the efficient CPUs of a hybrid machine and their frequencies. */
static void fill_core_types(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	const char *text = recording_text(filling->recording, "/sys/devices/cpu_atom/cpus");
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	uint64_t max_khz, base_khz;
	uint32_t first;

	if (!text || cpulist_parse(text, &cpus) || cpuset_is_empty(&cpus) ||
	    cpuset_last(&cpus) >= platform->n_cpus || platform->interface != SIM_INTERFACE_NONE)
		return;
	first = cpuset_next(&cpus, 0);
	max_khz = number_of(cpu_text(filling, first, "cpufreq/cpuinfo_max_freq"), 0);
	base_khz = number_of(cpu_text(filling, first, "cpufreq/base_frequency"), max_khz);
	if (!max_khz || max_khz > SIM_MAX_KHZ || base_khz > max_khz)
		return;
	platform->is_hybrid = true;
	platform->efficient = steal(cpus);
	platform->efficient_max_khz = (uint32_t)max_khz;
	platform->efficient_base_khz = (uint32_t)base_khz;
}

/* Idle states and umwait. */

/* Returns the text of a file of an idle state of the first CPU; NULL: no file, or it is empty. */
static const char *idle_text(const struct filling *filling, uint8_t number, const char *name)
{
	const char *text =
		recording_text(filling->recording, CPUS "/cpu%" PRIu32 "/cpuidle/state%u/%s",
			       filling->first_cpu, number, name);

	return text && *text && *text != '\n' ? text : NULL;
}

static uint32_t idle_number(const struct filling *filling, uint8_t number, const char *name)
{
	return (uint32_t)clamp(number_of(idle_text(filling, number, name), 0), 0, UINT32_MAX);
}

/* Returns the line of the first of two files that exists, or `otherwise`. */
static const char *fill_word(const struct filling *filling, const char *file, const char *other,
			     const char *otherwise)
{
	const char *text = recording_text(filling->recording, CPUS "/cpuidle/%s", file)
				   ?: recording_text(filling->recording, CPUS "/cpuidle/%s", other);

	return text && *text && *text != '\n' ? keep_line(filling, text) : otherwise;
}

static void fill_cpuidle(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	const char *demotion =
		recording_text(filling->recording, CPUS "/cpuidle/intel_c1_demotion");
	uint8_t count = 0;

	for (const char *name; count < SIM_MAX_IDLE_STATES &&
			       (name = idle_text(filling, count, "name")) && !filling->reader->err;
	     count++) {
		const char *status = idle_text(filling, count, "default_status");

		platform->idle_states[count] = (struct sim_idle_state){
			.name = keep_line(filling, name),
			.desc = keep_line(filling, idle_text(filling, count, "desc") ?: ""),
			.latency_us = idle_number(filling, count, "latency"),
			.residency_us = idle_number(filling, count, "residency"),
			.disabled = status && strcmp(status, "disabled\n") == 0,
		};
	}
	if (!count)
		return;
	platform->has_cpuidle = true;
	platform->n_idle_states = count;
	platform->idle_driver = fill_word(filling, "current_driver", "current_driver", "none");
	platform->idle_governor =
		fill_word(filling, "current_governor", "current_governor_ro", "menu");
	platform->has_c1_demotion = demotion;
	platform->c1_demotion = demotion && strcmp(demotion, "0\n") != 0;
}

static void fill_umwait(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	uint64_t max_time = machine_number(filling, "umwait_control/max_time", 0);
	const char *enable = recording_text(filling->recording, CPUS "/umwait_control/enable_c02");

	platform->has_umwait = enable;
	platform->umwait_c02 = enable && strcmp(enable, "0\n") != 0;
	platform->umwait_max_time =
		(uint32_t)clamp(max_time, 0, UINT32_MAX) / TIME_STEP * TIME_STEP;
}

/* Uncores. */

/* Returns a limit of an uncore directory, in steps of 100 MHz. */
static uint32_t uncore_khz(const struct filling *filling, const char *name, size_t length,
			   const char *file)
{
	uint64_t khz = number_of(recording_text(filling->recording, UNCORES "/%.*s/%s", (int)length,
						name, file),
				 UNCORE_STEP);

	return (uint32_t)clamp(khz, UNCORE_STEP, SIM_MAX_UNCORE_KHZ) / UNCORE_STEP * UNCORE_STEP;
}

static void fill_uncore(const struct filling *filling)
{
	struct sim_platform *platform = filling->platform;
	struct recorded_file names;

	if (!recording_find_file(filling->recording, UNCORES, true, &names) || names.error ||
	    !*names.text)
		return;
	/* the legacy layout has a directory for each die */
	platform->uncore =
		platform_file_find_shared_die(platform) ? SIM_UNCORE_TPMI : SIM_UNCORE_LEGACY;
	platform->uncore_min_khz = SIM_MAX_UNCORE_KHZ;
	for (const char *name = names.text; *name; name += strcspn(name, "\n") + 1) {
		size_t length = strcspn(name, "\n");
		uint32_t min_khz = uncore_khz(filling, name, length, "initial_min_freq_khz");
		uint32_t max_khz = uncore_khz(filling, name, length, "initial_max_freq_khz");

		if (strncmp(name, "uncore", strlen("uncore")) == 0)
			platform->uncore = SIM_UNCORE_TPMI;
		if (min_khz < platform->uncore_min_khz)
			platform->uncore_min_khz = min_khz;
		if (max_khz > platform->uncore_max_khz)
			platform->uncore_max_khz = max_khz;
	}
	if (platform->uncore_min_khz > platform->uncore_max_khz)
		platform->uncore_min_khz = platform->uncore_max_khz;
}

/* Returns the first CPU whose file could be read, or else 0. */
static uint32_t find_first(const struct filling *filling, const char *file)
{
	for (uint32_t cpu = 0; cpu < filling->platform->n_cpus; cpu++) {
		if (cpu_text(filling, cpu, file))
			return cpu;
	}
	return 0;
}

void recorded_fill(struct json_reader *reader, struct sim_platform *platform)
{
	struct filling filling = { reader, platform, platform->recording, 0 };

	fill_processor(&filling);
	fill_kernel(&filling);
	fill_interface(&filling);
	recorded_find_places(reader, platform);
	if (reader->err)
		return;
	filling.first_cpu = find_first(&filling, "cpuidle/state0/name");
	fill_cpuidle(&filling);
	filling.first_cpu = find_first(&filling, "cpufreq/scaling_driver");
	fill_cpufreq(&filling);
	fill_core_types(&filling);
	fill_umwait(&filling);
	fill_uncore(&filling);
	json_lacks_memory(reader, !sim_power_fill(platform));
}

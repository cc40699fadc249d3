// SPDX-License-Identifier: GPL-2.0-only
/* Plans scaling_min_freq and scaling_max_freq (sysfs.md, "cpufreq policy"). The kernel silently
 * clamps what it does not accept, so every limit is read back, except the one that means "no
 * limit". A limit takes effect only after a worker of the kernel has run (seen with 6.12), so it is
 * read more than once. */
#include "settings/scaling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "host/cpufreq.h"
#include "host/location.h"
#include "settings/file_change.h"

#define KHZ_PER_RATIO 100000
#define UNLIMITED     "2147483647"
#define CHECK_TRIES   50 /* a busy machine may be slow; a clamped value costs this wait */

#define MAX_FILE "scaling_max_freq"
#define MIN_FILE "scaling_min_freq"

enum { NUMBER_SIZE = 16, NEW_TEXT_SIZE = 48 };

static void write_path(uint32_t cpu, const char *name, char path[FILES_CPU_PATH_SIZE])
{
	files_format_cpu_path(path, cpu, "cpufreq/%s", name);
}

int scaling_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz)
{
	char path[FILES_CPU_PATH_SIZE];
	uint64_t khz;
	int err;

	write_path(cpu, name, path);
	err = files_read_number(files, path, &khz);
	if (err)
		return err;
	if (khz > UINT32_MAX)
		return -ERANGE;
	*ret_khz = (uint32_t)khz;
	return 0;
}

bool scaling_is_available(const struct machine *machine)
{
	cpuset_foreach (cpu, &machine->topology.online) {
		uint32_t khz;

		if (scaling_read_khz(machine->host->files, cpu, MAX_FILE, &khz) != -ENOENT)
			return true;
	}
	return false;
}

static int add_text(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		    const char *name, uint32_t old_khz, const char *text, enum file_content content)
{
	char path[FILES_CPU_PATH_SIZE], old_text[NUMBER_SIZE];

	write_path(cpu, name, path);
	snprintf(old_text, sizeof(old_text), "%" PRIu32, old_khz);
	return file_change_add(changes, NULL,
			       &(struct file_change){
				       .location = location_of_cpu(machine, cpu),
				       .path = path,
				       .what = name,
				       .text = text,
				       .old_text = old_text,
				       .content = content,
				       .tries = CHECK_TRIES,
			       });
}

static int add_limit(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		     const char *name, uint32_t old_khz, uint32_t khz)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu32, khz);
	return add_text(changes, machine, cpu, name, old_khz, text, FILE_NUMBER);
}

static int change_range(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			const struct scaling_range *old, const struct scaling_range *wanted)
{
	bool max_first = wanted->max_khz >= old->min_khz;
	int err;

	if (max_first) {
		err = add_limit(changes, machine, cpu, MAX_FILE, old->max_khz, wanted->max_khz);
		if (err)
			return err;
	}
	err = add_limit(changes, machine, cpu, MIN_FILE, old->min_khz, wanted->min_khz);
	if (err || max_first)
		return err;
	return add_limit(changes, machine, cpu, MAX_FILE, old->max_khz, wanted->max_khz);
}

int scaling_plan_range(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       uint32_t min_khz, uint32_t max_khz)
{
	const struct scaling_range wanted = { min_khz, max_khz };
	struct files *files = machine->host->files;
	struct scaling_range old;
	int err;

	if (min_khz > max_khz)
		return -EINVAL;
	err = scaling_read_khz(files, cpu, MIN_FILE, &old.min_khz);
	if (err)
		return err;
	err = scaling_read_khz(files, cpu, MAX_FILE, &old.max_khz);
	if (err)
		return err;
	return change_range(changes, machine, cpu, &old, &wanted);
}

int scaling_plan_change(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			const struct scaling_range *old, const struct scaling_range *wanted)
{
	if (!old->min_khz || !old->max_khz)
		return scaling_plan_range(changes, machine, cpu, wanted->min_khz, wanted->max_khz);
	if (wanted->min_khz > wanted->max_khz)
		return -EINVAL;
	return change_range(changes, machine, cpu, old, wanted);
}

struct scaling_turbo scaling_read_turbo(struct files *files)
{
	uint64_t no_turbo = 0;
	int err = files_read_number(files, CPUFREQ_NO_TURBO, &no_turbo);

	if (err && err != -ENOENT)
		return (struct scaling_turbo){ .error = err };
	return (struct scaling_turbo){ .is_off = no_turbo != 0 };
}

/* The limit of a CPU that is still to come online can be shown, and planned when it is. */
static int add_coming(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		      const char *name, const char *new_text)
{
	char path[FILES_CPU_PATH_SIZE];
	uint32_t khz;

	if (scaling_read_khz(machine->host->files, cpu, name, &khz) == -ENOENT)
		return -ENOENT; /* it was online before, and has no cpufreq */
	write_path(cpu, name, path);
	return file_change_add_coming(changes, &(struct file_change){
						       .location = location_of_cpu(machine, cpu),
						       .path = path,
						       .what = name,
						       .text = new_text,
					       });
}

static int plan_limit_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			 const char *name, const char *source)
{
	struct files *files = machine->host->files;
	uint32_t khz, old_khz;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu))
		return add_coming(changes, machine, cpu, name, source);
	err = scaling_read_khz(files, cpu, source, &khz);
	if (err)
		return err;
	err = scaling_read_khz(files, cpu, name, &old_khz);
	if (err)
		return err;
	return add_limit(changes, machine, cpu, name, old_khz, khz);
}

int scaling_plan_max_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			const char *source)
{
	return plan_limit_as(changes, machine, cpu, MAX_FILE, source);
}

int scaling_plan_min_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			const char *source)
{
	return plan_limit_as(changes, machine, cpu, MIN_FILE, source);
}

/* Adds the change that removes an upper limit of max_khz, if it is to be removed. */
static int open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		    uint32_t max_khz, uint32_t base_khz, const struct scaling_turbo *turbo,
		    bool *ret_opens)
{
	bool opens = max_khz < base_khz || turbo->is_off;

	if (max_khz >= base_khz && turbo->error)
		return turbo->error;
	*ret_opens = opens;
	if (!opens)
		return 0;
	return add_text(changes, machine, cpu, MAX_FILE, max_khz, UNLIMITED, FILE_ANY);
}

int scaling_plan_open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, const struct scaling_turbo *turbo)
{
	uint32_t max_khz;
	bool opens;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu))
		return scaling_plan_open_max_later(changes, machine, cpu, base_khz, turbo);
	err = scaling_read_khz(machine->host->files, cpu, MAX_FILE, &max_khz);
	if (err)
		return err;
	return open_max(changes, machine, cpu, max_khz, base_khz, turbo, &opens);
}

int scaling_plan_raise(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, const struct scaling_turbo *turbo)
{
	struct files *files = machine->host->files;
	uint32_t min_khz, max_khz, highest_khz;
	bool opens;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu)) {
		err = scaling_plan_open_max_later(changes, machine, cpu, base_khz, turbo);
		if (err)
			return err;
		return scaling_plan_min_as(changes, machine, cpu, MAX_FILE);
	}
	err = scaling_read_khz(files, cpu, "cpuinfo_max_freq", &highest_khz);
	if (err)
		return err;
	err = scaling_read_khz(files, cpu, MAX_FILE, &max_khz);
	if (err)
		return err;
	err = scaling_read_khz(files, cpu, MIN_FILE, &min_khz);
	if (err)
		return err;
	err = open_max(changes, machine, cpu, max_khz, base_khz, turbo, &opens);
	if (err)
		return err;
	return add_limit(changes, machine, cpu, MIN_FILE, min_khz,
			 opens || max_khz > highest_khz ? highest_khz : max_khz);
}

int scaling_plan_open_max_later(struct change_list *changes, const struct machine *machine,
				uint32_t cpu, uint32_t base_khz, const struct scaling_turbo *turbo)
{
	char path[FILES_CPU_PATH_SIZE], new_text[NEW_TEXT_SIZE];

	if (turbo->error)
		return turbo->error;
	write_path(cpu, MAX_FILE, path);
	snprintf(new_text, sizeof(new_text), UNLIMITED " where below %" PRIu32, base_khz);
	return change_list_add(changes, &(struct change){
						.location = location_of_cpu(machine, cpu),
						.what = MAX_FILE,
						.target = file_target(path, FILE_ANY),
						.value = { .text = UNLIMITED },
						.new_text = turbo->is_off ? NULL : new_text,
						.is_read_first = true,
						.sufficient = turbo->is_off ? 0 : base_khz,
					});
}

/* The base frequencies of the online CPUs of a package, as ratios. */
struct base_ratios {
	struct cpuset high_cpus; /* those with the high one */
	uint32_t high;
	uint32_t low;
};

/* Returns 0; -ENOMEM; or why a CPU's could not be read, -ENODATA for a base frequency of 0. */
static int read_ratios(const struct machine *machine, const struct cpuset *cpus,
		       struct base_ratios *ratios)
{
	cpuset_foreach (cpu, cpus) {
		uint32_t ratio;
		int err;

		if (!topology_can_ask(&machine->topology, cpu))
			continue;
		err = cpufreq_read_base_ratio(machine->host->files, cpu, &ratio);
		if (err || ratio == 0)
			return err ? err : -ENODATA;
		if (ratio > ratios->high) {
			ratios->high = ratio;
			cpuset_done(&ratios->high_cpus);
		}
		if (ratios->low == 0 || ratio < ratios->low)
			ratios->low = ratio;
		if (ratio == ratios->high && cpuset_add(&ratios->high_cpus, cpu))
			return -ENOMEM;
	}
	return 0;
}

/* Both limits of a CPU that is still to come online get the values of those files. */
static int plan_coming(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       const char *max_file, const char *min_file)
{
	int err = scaling_plan_max_as(changes, machine, cpu, max_file);

	if (err)
		return err;
	return scaling_plan_min_as(changes, machine, cpu, min_file);
}

static int hold_at_base(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			const struct base_ratios *ratios)
{
	uint32_t khz;

	if (cpuset_has(&machine->topology.coming, cpu))
		return plan_coming(changes, machine, cpu, "base_frequency", "base_frequency");
	khz = KHZ_PER_RATIO * (cpuset_has(&ratios->high_cpus, cpu) ? ratios->high : ratios->low);
	return scaling_plan_range(changes, machine, cpu, khz, khz);
}

static int open_range(struct change_list *changes, const struct machine *machine, uint32_t cpu)
{
	uint32_t min_khz, max_khz;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu))
		return plan_coming(changes, machine, cpu, "cpuinfo_max_freq", "cpuinfo_min_freq");
	err = scaling_read_khz(machine->host->files, cpu, "cpuinfo_min_freq", &min_khz);
	if (err)
		return err;
	err = scaling_read_khz(machine->host->files, cpu, "cpuinfo_max_freq", &max_khz);
	if (err)
		return err;
	return scaling_plan_range(changes, machine, cpu, min_khz, max_khz);
}

int scaling_plan_base_freq(struct change_list *changes, const struct machine *machine,
			   const struct cpuset *cpus, bool on)
{
	const struct topology *topology = &machine->topology;
	struct base_ratios ratios = { 0 };
	int err = on ? read_ratios(machine, cpus, &ratios) : 0;

	cpuset_foreach (cpu, cpus) {
		if (err)
			break;
		if (topology_can_ask(topology, cpu) || cpuset_has(&topology->coming, cpu))
			err = on ? hold_at_base(changes, machine, cpu, &ratios)
				 : open_range(changes, machine, cpu);
	}
	cpuset_done(&ratios.high_cpus);
	return err;
}

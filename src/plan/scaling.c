// SPDX-License-Identifier: GPL-2.0-only
/*
 * scaling_min_freq and scaling_max_freq (sysfs.md, "cpufreq policy"). The kernel clamps what it
 * does not like and says nothing, so that every limit is read back, but for the one that lifts the
 * limit. A limit is in force only when a worker of the kernel has had its turn (seen with 6.12), so
 * that it is read more than once.
 */
#include "plan/scaling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "plan/file_step.h"
#include "plan/subject.h"

#define CPU_ROOT  "/sys/devices/system/cpu"
#define UNLIMITED "2147483647"

#define CHECK_TRIES 50 /* a busy machine may be slow; what was clamped waits so long in vain */

#define MAX_FILE "scaling_max_freq"
#define MIN_FILE "scaling_min_freq"

enum { PATH_SIZE = 80, NUMBER_SIZE = 16, NEW_TEXT_SIZE = 48 };

static void write_path(uint32_t cpu, const char *name, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, CPU_ROOT "/cpu%" PRIu32 "/cpufreq/%s", cpu, name);
}

int scaling_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz)
{
	char path[PATH_SIZE];
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

static int add_step(struct plan *plan, const struct machine *machine, uint32_t cpu,
		    const char *name, uint32_t old_khz, const char *text,
		    enum plan_check_kind check)
{
	char path[PATH_SIZE], old_text[NUMBER_SIZE];

	write_path(cpu, name, path);
	snprintf(old_text, sizeof(old_text), "%" PRIu32, old_khz);
	return plan_add(plan, &(struct plan_step){
				      .subject = subject_of_cpu(machine, cpu),
				      .what = name,
				      .write = { .kind = PLAN_FILE, .path = path, .text = text },
				      .old_text = old_text,
				      .check = { .kind = check, .tries = CHECK_TRIES },
			      });
}

static int add_change(struct plan *plan, const struct machine *machine, uint32_t cpu,
		      const char *name, uint32_t old_khz, uint32_t khz)
{
	char text[NUMBER_SIZE];

	if (khz == old_khz)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu32, khz);
	return add_step(plan, machine, cpu, name, old_khz, text, PLAN_CHECK_NUMBER);
}

static int change_range(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const struct scaling_range *old, const struct scaling_range *wanted)
{
	bool max_first = wanted->max_khz >= old->min_khz;
	int err = 0;

	if (max_first)
		err = add_change(plan, machine, cpu, MAX_FILE, old->max_khz, wanted->max_khz);
	err = err ?: add_change(plan, machine, cpu, MIN_FILE, old->min_khz, wanted->min_khz);
	if (!max_first)
		err = err
			      ?: add_change(plan, machine, cpu, MAX_FILE, old->max_khz,
					    wanted->max_khz);
	return err;
}

int scaling_plan_range(struct plan *plan, const struct machine *machine, uint32_t cpu,
		       uint32_t min_khz, uint32_t max_khz)
{
	const struct scaling_range wanted = { min_khz, max_khz };
	struct scaling_range old;
	int err;

	if (min_khz > max_khz)
		return -EINVAL;
	err = scaling_read_khz(machine->host->files, cpu, MIN_FILE, &old.min_khz);
	err = err ?: scaling_read_khz(machine->host->files, cpu, MAX_FILE, &old.max_khz);
	return err ?: change_range(plan, machine, cpu, &old, &wanted);
}

int scaling_plan_change(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const struct scaling_range *old, const struct scaling_range *wanted)
{
	if (!old->min_khz || !old->max_khz)
		return scaling_plan_range(plan, machine, cpu, wanted->min_khz, wanted->max_khz);
	if (wanted->min_khz > wanted->max_khz)
		return -EINVAL;
	return change_range(plan, machine, cpu, old, wanted);
}

static int plan_limit(struct plan *plan, const struct machine *machine, uint32_t cpu,
		      const char *name, uint32_t khz)
{
	uint32_t old_khz;
	int err = scaling_read_khz(machine->host->files, cpu, name, &old_khz);

	return err ?: add_change(plan, machine, cpu, name, old_khz, khz);
}

struct scaling_turbo scaling_read_turbo(struct files *files)
{
	uint64_t no_turbo = 0;
	int err = files_read_number(files, CPU_ROOT "/intel_pstate/no_turbo", &no_turbo);

	if (err && err != -ENOENT)
		return (struct scaling_turbo){ .error = err };
	return (struct scaling_turbo){ .is_off = no_turbo != 0 };
}

/* The limit of a CPU that is not online yet: it can be shown, and planned once it is. */
static int add_later(struct plan *plan, const struct machine *machine, uint32_t cpu,
		     const char *name, const char *new_text)
{
	char path[PATH_SIZE];
	uint32_t khz;

	if (scaling_read_khz(machine->host->files, cpu, name, &khz) == -ENOENT)
		return -ENOENT; /* it was online before, and has no cpufreq */
	write_path(cpu, name, path);
	return file_step_add_later(plan, &(struct file_step){
						 .subject = subject_of_cpu(machine, cpu),
						 .path = path,
						 .what = name,
						 .text = new_text,
					 });
}

static int plan_limit_as(struct plan *plan, const struct machine *machine, uint32_t cpu,
			 const char *name, const char *source)
{
	uint32_t khz = 0;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu))
		return add_later(plan, machine, cpu, name, source);
	err = scaling_read_khz(machine->host->files, cpu, source, &khz);
	return err ?: plan_limit(plan, machine, cpu, name, khz);
}

int scaling_plan_max_as(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const char *source)
{
	return plan_limit_as(plan, machine, cpu, MAX_FILE, source);
}

int scaling_plan_min_as(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const char *source)
{
	return plan_limit_as(plan, machine, cpu, MIN_FILE, source);
}

/* Adds the step that opens an upper limit of max_khz, if it is to be opened. */
static int open_max(struct plan *plan, const struct machine *machine, uint32_t cpu,
		    uint32_t max_khz, uint32_t base_khz, const struct scaling_turbo *turbo,
		    bool *ret_opens)
{
	bool opens = max_khz < base_khz || turbo->is_off;
	int err = max_khz < base_khz ? 0 : turbo->error;

	if (!err && opens)
		err = add_step(plan, machine, cpu, MAX_FILE, max_khz, UNLIMITED, PLAN_CHECK_NONE);
	if (!err)
		*ret_opens = opens;
	return err;
}

int scaling_plan_open_max(struct plan *plan, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, const struct scaling_turbo *turbo)
{
	uint32_t max_khz;
	bool opens;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu))
		return scaling_plan_open_max_later(plan, machine, cpu, base_khz, turbo);
	err = scaling_read_khz(machine->host->files, cpu, MAX_FILE, &max_khz);
	return err ? err : open_max(plan, machine, cpu, max_khz, base_khz, turbo, &opens);
}

int scaling_plan_raise(struct plan *plan, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, const struct scaling_turbo *turbo)
{
	struct files *files = machine->host->files;
	uint32_t min_khz, max_khz, highest_khz;
	bool opens;
	int err;

	if (cpuset_has(&machine->topology.coming, cpu)) {
		err = scaling_plan_open_max_later(plan, machine, cpu, base_khz, turbo);
		return err ?: scaling_plan_min_as(plan, machine, cpu, MAX_FILE);
	}
	err = scaling_read_khz(files, cpu, "cpuinfo_max_freq", &highest_khz);
	err = err ?: scaling_read_khz(files, cpu, MAX_FILE, &max_khz);
	err = err ?: scaling_read_khz(files, cpu, MIN_FILE, &min_khz);
	err = err ?: open_max(plan, machine, cpu, max_khz, base_khz, turbo, &opens);
	if (err)
		return err;
	return add_change(plan, machine, cpu, MIN_FILE, min_khz,
			  opens || max_khz > highest_khz ? highest_khz : max_khz);
}

int scaling_plan_open_max_later(struct plan *plan, const struct machine *machine, uint32_t cpu,
				uint32_t base_khz, const struct scaling_turbo *turbo)
{
	char path[PATH_SIZE], new_text[NEW_TEXT_SIZE];

	if (turbo->error)
		return turbo->error;
	write_path(cpu, MAX_FILE, path);
	snprintf(new_text, sizeof(new_text), UNLIMITED " where below %" PRIu32, base_khz);
	return plan_add(plan,
			&(struct plan_step){
				.subject = subject_of_cpu(machine, cpu),
				.what = MAX_FILE,
				.write = { .kind = PLAN_FILE, .path = path, .text = UNLIMITED },
				.new_text = turbo->is_off ? NULL : new_text,
				.late = true,
				.enough = turbo->is_off ? 0 : base_khz,
			});
}

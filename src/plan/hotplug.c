// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs are judged by cpuN/online alone (hardware.md, section 5). What is online is what the
 * topology tells, changed by the steps that the plan has already; the machine never loses its last
 * CPU.
 */
#include "plan/hotplug.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/subject.h"

#define ONLINE_STEP "online"

enum { PATH_SIZE = 64, TEXT_SIZE = 32 };

static void write_path(uint32_t cpu, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/sys/devices/system/cpu/cpu%" PRIu32 "/online", cpu);
}

/* Fills the empty ret_set with the CPUs that are online when the steps of the plan are done. */
static int find_online(const struct plan *plan, const struct machine *machine,
		       struct cpuset *ret_set)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);
	int err = cpuset_copy(ret_set, &machine->topology.online);

	for (size_t i = 0; i < count && !err; i++) {
		uint32_t cpu = steps[i].subject.cpu;

		if (steps[i].write.kind != PLAN_FILE || strcmp(steps[i].what, ONLINE_STEP) != 0)
			continue;
		if (*steps[i].write.text == '1')
			err = cpuset_add(ret_set, cpu);
		else
			cpuset_remove(ret_set, cpu);
	}
	return err;
}

/* A step whose failure with ignored_error is a note: of a second thread, while SMT is off. */
static int add_step(struct plan *plan, const struct machine *machine, uint32_t cpu, bool online,
		    int ignored_error)
{
	char path[PATH_SIZE], announcement[TEXT_SIZE];

	write_path(cpu, path);
	snprintf(announcement, sizeof(announcement), "%s cpu %" PRIu32,
		 online ? "online" : "offline", cpu);
	return plan_add(
		plan,
		&(struct plan_step){
			.subject = subject_of_cpu(machine, cpu),
			.what = ONLINE_STEP,
			.write = { .kind = PLAN_FILE, .path = path, .text = online ? "1" : "0" },
			.old_text = online ? "0" : "1",
			.check.kind = PLAN_CHECK_NUMBER,
			.ignored_error = ignored_error,
			.announce = announcement,
		});
}

static int add_saying(struct plan *plan, const struct machine *machine, uint32_t cpu)
{
	char announcement[TEXT_SIZE];

	snprintf(announcement, sizeof(announcement), "online cpu %" PRIu32, cpu);
	return plan_add(plan, &(struct plan_step){
				      .subject = subject_of_cpu(machine, cpu),
				      .what = ONLINE_STEP,
				      .write.kind = PLAN_SAY,
				      .announce = announcement,
			      });
}

int hotplug_plan_online(struct plan *plan, const struct machine *machine, const struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset online = { 0 }, threads = { 0 };
	struct files *files = machine->host->files;
	int err = find_online(plan, machine, &online), ignored_error = 0;

	err = err ?: topology_find_threads(files, &machine->topology, &threads);
	if (!cpuset_equal(&machine->topology.present, &online) && topology_is_smt_off(files))
		ignored_error = -EPERM;
	cpuset_foreach (cpu, cpus) {
		if (err)
			break;
		if (cpuset_has(&online, cpu))
			err = add_saying(plan, machine, cpu);
		else if (!cpuset_has(&threads, cpu))
			err = add_step(plan, machine, cpu, true, ignored_error);
	}
	return err;
}

int hotplug_has_file(const struct machine *machine, uint32_t cpu)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_SIZE];
	int err;

	if (cpuset_has(&machine->switchable, cpu))
		return 1;
	write_path(cpu, path);
	err = files_read_line(machine->host->files, path, &text);
	return err == -ENOENT ? 0 : err ?: 1;
}

/* Splits the CPUs of cpus that are online into those that can go and those that stay. */
static int split(const struct plan *plan, const struct machine *machine, const struct cpuset *cpus,
		 struct cpuset *ret_going, struct cpuset *ret_kept)
{
	_cleanup_cpuset_ struct cpuset left = { 0 };
	int err = find_online(plan, machine, &left);

	cpuset_foreach (cpu, cpus) {
		int has = err || !cpuset_has(&left, cpu) ? err : hotplug_has_file(machine, cpu);

		err = has < 0 ? has : 0;
		if (err)
			break;
		if (cpuset_has(&left, cpu))
			err = cpuset_add(has ? ret_going : ret_kept, cpu);
	}
	if (err)
		return err;
	cpuset_remove_all(&left, ret_going);
	if (!cpuset_is_empty(&left) || cpuset_is_empty(ret_going))
		return 0;
	err = cpuset_add(ret_kept, cpuset_next(ret_going, 0));
	cpuset_remove_all(ret_going, ret_kept);
	return err;
}

int hotplug_find_kept(const struct plan *plan, const struct machine *machine,
		      const struct cpuset *cpus, struct cpuset *ret_kept)
{
	_cleanup_cpuset_ struct cpuset going = { 0 };

	return split(plan, machine, cpus, &going, ret_kept);
}

int hotplug_plan_offline(struct plan *plan, const struct machine *machine,
			 const struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset going = { 0 }, kept = { 0 };
	int err = split(plan, machine, cpus, &going, &kept);

	cpuset_foreach (cpu, &going) {
		if (err)
			break;
		err = add_step(plan, machine, cpu, false, 0);
	}
	return err;
}

const char *hotplug_error_text(int err)
{
	switch (err) {
	case -EBUSY:
		return "the kernel says that it is busy: the last CPU of an isolated partition, one with "
		       "deadline tasks, or one with an interrupt that cannot move";
	case -EPERM:
		return "the kernel does not permit it, as it does not for second threads of cores "
		       "while SMT is off (smt/control)";
	case -EINVAL:
		return "the kernel refuses it";
	case -ENOENT:
		return "the kernel has no file to switch it by";
	default:
		return strerror(-err);
	}
}

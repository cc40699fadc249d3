// SPDX-License-Identifier: GPL-2.0-only
/* Plans which CPUs go online and offline, only through cpuN/online (hardware.md, section 5). A CPU
 * counts as online if it is online after the changes planned so far. The machine never loses its
 * last CPU. */
#include "settings/hotplug.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/target.h"
#include "host/machine.h"
#include "settings/settings.h"

#define ONLINE_FILE "online"

enum { TEXT_SIZE = 32 };

/* Fills the empty ret_set with the CPUs that are online after the changes. */
static int find_online(const struct change_list *changes, const struct machine *machine,
		       struct cpuset *ret_set)
{
	int err = cpuset_copy(ret_set, &machine->topology.online);

	for (size_t i = 0; i < changes->n_changes && !err; i++) {
		const struct change *change = &changes->changes[i];
		uint32_t cpu = change->location.cpu;

		if (strcmp(change->what, ONLINE_FILE) != 0)
			continue;
		if (*change->value.text == '1')
			err = cpuset_add(ret_set, cpu);
		else
			cpuset_remove(ret_set, cpu);
	}
	return err;
}

static int add_change(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		      bool online)
{
	const struct file_path path = files_cpu_path(cpu, ONLINE_FILE);
	char announcement[TEXT_SIZE];

	snprintf(announcement, sizeof(announcement), "%s cpu %" PRIu32,
		 online ? "online" : "offline", cpu);
	return change_list_add(
		changes,
		&(struct change){
			.location = location_of_cpu(machine, cpu),
			.what = ONLINE_FILE,
			.subject = subject_of(SETTING_ONLINE),
			.target = file_target(path.text, FILE_NUMBER),
			.value = { .text = online ? "1" : "0" },
			.old_value = { .text = online ? "0" : "1" },
			.has_old_value = true,
			/* SMT is off: the CPU may be a second thread that the topology does not
			   know */
			.ignored_error = online && machine->topology.smt_is_off ? -EPERM : 0,
			.announcement = announcement,
			.undo_turn = online ? CHANGE_UNDONE_LAST : CHANGE_UNDONE_FIRST,
		});
}

int hotplug_plan_online(struct change_list *changes, const struct machine *machine,
			const struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset online = { 0 }, threads = { 0 };

	if (find_online(changes, machine, &online) ||
	    topology_find_threads(&machine->topology, &threads))
		return -ENOMEM;
	cpuset_foreach (cpu, cpus) {
		char announcement[TEXT_SIZE];
		int err = 0;

		snprintf(announcement, sizeof(announcement), "online cpu %" PRIu32, cpu);
		if (cpuset_has(&online, cpu))
			err = change_list_announce(changes, announcement);
		else if (!cpuset_has(&threads, cpu))
			err = add_change(changes, machine, cpu, true);
		if (err)
			return err;
	}
	return 0;
}

int hotplug_has_file(const struct machine *machine, uint32_t cpu)
{
	_cleanup_free_ char *text = NULL;
	int err;

	if (cpuset_has(&machine->switchable, cpu))
		return 1;
	err = files_read_line(machine->host->files, files_cpu_path(cpu, ONLINE_FILE).text, &text);
	if (err == -ENOENT)
		return 0;
	return err ? err : 1;
}

int hotplug_plan_offline(struct change_list *changes, const struct machine *machine,
			 const struct cpuset *cpus, struct cpuset *ret_kept)
{
	_cleanup_cpuset_ struct cpuset left = { 0 }, going = { 0 };

	if (find_online(changes, machine, &left) || cpuset_copy(ret_kept, cpus))
		return -ENOMEM;
	cpuset_keep(ret_kept, &left);
	cpuset_foreach (cpu, ret_kept) {
		int has_file = hotplug_has_file(machine, cpu);

		if (has_file < 0)
			return has_file;
		if (has_file && cpuset_add(&going, cpu))
			return -ENOMEM;
	}
	cpuset_remove_all(&left, &going);
	if (cpuset_is_empty(&left))
		cpuset_remove(&going, cpuset_next(&going, 0));
	cpuset_remove_all(ret_kept, &going);
	cpuset_foreach (cpu, &going) {
		int err = add_change(changes, machine, cpu, false);

		if (err)
			return err;
	}
	return 0;
}

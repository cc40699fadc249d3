// SPDX-License-Identifier: GPL-2.0-only
/* Reads cpufreq or cpuidle CPU by CPU, and groups CPUs with equal values (output.md, "Text"). If a
 * CPU goes offline meanwhile, only this CPU fails; the others are shown. */
#include "run/cpu_records.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "host/core_types.h"
#include "host/cpufreq.h"
#include "run/unread.h"

void cpu_records_done(void *pointer)
{
	struct cpu_records *records = pointer;

	for (size_t i = 0; i < records->count; i++) {
		if (records->list[i].data && records->are_idle)
			cpuidle_cpu_done(records->list[i].data);
		else if (records->list[i].data)
			cpufreq_policy_done(records->list[i].data);
	}
	free(records->storage);
	free(records->list);
	*records = (struct cpu_records){ 0 };
}

/* Reports a CPU that cannot be read, with the file if it is known. */
static void report_failure(struct context *context, const struct cpu_record *record,
			   const char *name, const struct files_unread *unread)
{
	_cleanup_free_ char *file =
		unread ? files_format_unread(&cpufreq_policy_files, unread, record->error) : NULL;

	if (file)
		unread_report(context, record->error, "cpu-%u: %s", record->cpu, file);
	else
		context_fail(context, NULL, record->error, "cpu-%u: %s", record->cpu, name);
}

static void report_all(struct context *context, const struct cpu_records *records)
{
	const char *name = records->are_idle ? "cpuidle" : "cpufreq";
	const struct cpufreq_policy *failed = records->storage;
	size_t n_absent = 0;

	for (size_t i = 0; i < records->count; i++)
		n_absent += records->list[i].error == -ENOENT;
	if (n_absent == records->count) {
		context_lack(context, NULL, "this machine has no %s: no driver of it is loaded",
			     name);
		return;
	}
	for (size_t i = 0; i < records->count; i++) {
		uint32_t cpu = records->list[i].cpu;
		int err = records->list[i].error;

		if (err == -EBUSY)
			context_refuse(context, NULL,
				       "cpu-%u: its %s policy is inactive: the CPU went offline",
				       cpu, name);
		else if (err == -ENOENT)
			context_lack(context, NULL, "cpu-%u: it has no %s", cpu, name);
		else if (err)
			report_failure(context, &records->list[i], name,
				       records->are_idle ? NULL : &failed[i].unread);
	}
}

/* Returns the data of an earlier CPU of the same core type and, for policies, package; or NULL. */
static const void *find_like(const struct cpu_records *records, const struct topology *topology,
			     const struct cpu_record *record)
{
	for (size_t i = records->count; i-- > 0;) {
		const struct cpu_record *other = &records->list[i];

		if (other->data && other->core_type == record->core_type &&
		    (records->are_idle ||
		     topology->places[other->cpu].package == topology->places[record->cpu].package))
			return other->data;
	}
	return NULL;
}

static int read_idle(struct files *files, uint32_t cpu, const struct cpuidle_cpu *like,
		     const struct cpuidle_reading *reading, struct cpuidle_cpu *ret_cpu)
{
	return like ? cpuidle_read_like(files, cpu, like, reading, ret_cpu)
		    : cpuidle_read_cpu(files, cpu, reading->with_usage, ret_cpu);
}

int cpu_records_read(struct context *context, const struct cpuidle_reading *idle,
		     struct cpu_records *ret_records)
{
	size_t size = idle ? sizeof(struct cpuidle_cpu) : sizeof(struct cpufreq_policy);
	const struct topology *topology = &context->machine->topology;
	struct files *files = context->machine->host->files;
	size_t most = cpuset_count(context->targets.cpus);
	_cleanup_cpu_records_ struct cpu_records records = {
		.list = calloc(most, sizeof(*records.list)),
		.storage = calloc(most, size),
		.are_idle = idle,
	};

	_cleanup_core_types_ struct core_types types = { 0 };
	struct cpufreq_reading policy = { .with_current = true };
	bool has_read = false; /* else there is no similar CPU */
	int err = core_types_read(files, &types);

	if (!records.list || !records.storage || err == -ENOMEM)
		return -ENOMEM;
	if (!idle && cpufreq_find_single_policies(files, &topology->present, &policy.are_single))
		return -ENOMEM;
	if (err)
		context_fail(context, NULL, err, "core types");
	cpuset_foreach (cpu, context->targets.cpus) {
		struct cpu_record *record = &records.list[records.count];
		void *data = (char *)records.storage + records.count++ * size;
		const void *like;

		record->cpu = cpu;
		record->core_type = core_types_name(&types, cpu);
		like = has_read ? find_like(&records, topology, record) : NULL;
		policy.like = idle ? NULL : like;
		record->error = idle ? read_idle(files, cpu, like, idle, data)
				     : cpufreq_read_policy(files, cpu, &policy, data);
		if (record->error == -ENOMEM)
			return -ENOMEM;
		if (!record->error) {
			record->data = data;
			has_read = true;
		} else if (cpuset_has(&topology->pending, cpu)) {
			record->error = 0; /* the CPU may lack it until it is online */
		}
	}
	report_all(context, &records);
	*ret_records = steal(records);
	return 0;
}

int cpu_records_report_unread(struct context *context, const struct cpu_records *policies,
			      const char *only)
{
	_cleanup_unread_list_ struct unread_list unread = { 0 };

	for (size_t i = 0; i < policies->count; i++) {
		const struct cpufreq_policy *policy = policies->list[i].data;

		if (policy &&
		    (!only || files_find_unread(&cpufreq_policy_files, &policy->unread, only)) &&
		    unread_list_add(&unread, &policy->unread, policies->list[i].cpu))
			return -ENOMEM;
	}
	for (size_t i = 0; i < unread.count; i++) {
		const struct unread_cpus *cpus = &unread.list[i];

		for (int err = 0; (err = files_next_unread(&cpus->unread, err));) {
			_cleanup_free_ char *text = unread_format(cpus, &cpufreq_policy_files, err);

			unread_report(context, err, "%s", text ?: "");
		}
	}
	return 0;
}

void cpu_records_report_machine(struct context *context, const struct cpufreq_machine *machine,
				int err)
{
	if (err && !files_next_unread(&machine->unread, 0))
		context_fail(context, NULL, err, "cpufreq of the whole machine");
	for (err = 0; (err = files_next_unread(&machine->unread, err));) {
		_cleanup_free_ char *names =
			files_format_unread(&cpufreq_machine_files, &machine->unread, err);

		unread_report(context, err, "%s", names ?: "");
	}
}

static int compare_records(const void *cpu, const void *record)
{
	return number_compare(*(const uint32_t *)cpu, ((const struct cpu_record *)record)->cpu);
}

void *cpu_records_find(const struct cpu_records *records, uint32_t cpu)
{
	const struct cpu_record *record = bsearch(&cpu, records->list, records->count,
						  sizeof(*records->list), compare_records);

	return record ? record->data : NULL;
}

static struct cpu_group *find_group(struct cpu_groups *groups, const struct cpu_place *place,
				    const struct cpu_record *record,
				    bool (*equal)(const void *, const void *))
{
	for (size_t i = groups->count; i-- > 0 && equal;) {
		struct cpu_group *group = &groups->groups[i];

		if (group->package == place->package && group->die == place->die &&
		    group->core_type == record->core_type && equal(group->data, record->data))
			return group;
	}
	return NULL;
}

static int compare_groups(const void *left_pointer, const void *right_pointer)
{
	const struct cpu_group *left = left_pointer, *right = right_pointer;

	int order = number_compare(left->package, right->package);

	order = order ?: number_compare(left->die, right->die);
	return order ?: number_compare(left->cpu, right->cpu);
}

int cpu_groups_make(const struct topology *topology, const struct cpu_record *records, size_t count,
		    bool (*equal)(const void *, const void *), struct cpu_groups *ret_groups)
{
	_cleanup_cpu_groups_ struct cpu_groups groups = {
		.groups = calloc(count + 1, sizeof(*groups.groups)),
	};

	if (!groups.groups)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct cpu_place *place = &topology->places[records[i].cpu];
		struct cpu_group *group;

		if (!records[i].data || records[i].is_left_out)
			continue;
		group = find_group(&groups, place, &records[i], equal);
		if (group &&
		    ((cpuset_is_empty(&group->cpus) && cpuset_add(&group->cpus, group->cpu)) ||
		     cpuset_add(&group->cpus, records[i].cpu)))
			return -ENOMEM;
		if (!group)
			groups.groups[groups.count++] = (struct cpu_group){
				.package = place->package,
				.die = place->die,
				.cpu = records[i].cpu,
				.data = records[i].data,
				.core_type = records[i].core_type,
			};
	}
	qsort(groups.groups, groups.count, sizeof(*groups.groups), compare_groups);
	*ret_groups = steal(groups);
	return 0;
}

void cpu_groups_done(struct cpu_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		cpuset_done(&groups->groups[i].cpus);
	free(groups->groups);
	*groups = (struct cpu_groups){ 0 };
}

struct output_place cpu_groups_place(const struct cpu_group *group)
{
	return (struct output_place){
		.package = group->package,
		.die = group->die,
		.power_domain = OUTPUT_NOT_SHOWN,
		.cpu = group->cpu,
		.cpus = cpuset_is_empty(&group->cpus) ? NULL : &group->cpus,
	};
}

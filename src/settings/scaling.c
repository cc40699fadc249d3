// SPDX-License-Identifier: GPL-2.0-only
/* Plans scaling_min_freq and scaling_max_freq (sysfs.md, "cpufreq policy"). The kernel silently
 * clamps what it does not accept, so every limit is read back, except the one that means "no
 * limit". A limit takes effect only after a worker of the kernel has run (seen with 6.12), so it is
 * read more than once. */
#include "settings/scaling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "host/cpufreq.h"
#include "settings/settings.h"

#define CHECK_TRIES 50 /* a busy machine may be slow; a clamped value costs this wait */

enum { TEXT_SIZE = 48 };

bool scaling_is_available(const struct machine *machine)
{
	cpuset_foreach (cpu, &machine->topology.online) {
		uint32_t khz;

		if (cpufreq_read_khz(machine->host->files, cpu, SCALING_MAX, &khz) != -ENOENT)
			return true;
	}
	return false;
}

int scaling_read_turbo(struct files *files, bool *ret_is_off)
{
	uint64_t no_turbo = 0;
	int err = files_read_number(files, CPUFREQ_NO_TURBO, &no_turbo);

	if (err && !files_is_absent(err))
		return err;
	*ret_is_off = no_turbo != 0;
	return 0;
}

/* Describes the limits of a CPU, whose files are in directory. */
static struct file_limits limits_of(const struct machine *machine, uint32_t cpu,
				    const struct file_path *directory)
{
	return (struct file_limits){
		.location = location_of_cpu(machine, cpu),
		.subject = subject_of(SETTING_CPUFREQ_MIN),
		.directory = directory->text,
		.min_name = SCALING_MIN,
		.max_name = SCALING_MAX,
		.tries = CHECK_TRIES,
	};
}

int scaling_plan_range(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       const struct khz_range *old, const struct khz_range *wanted,
		       const struct khz_range *ends, unsigned int flags)
{
	const struct file_path directory = files_cpu_path(cpu, "cpufreq");
	struct file_limits limits = limits_of(machine, cpu, &directory);
	struct khz_range found;
	int err;

	limits.flags = flags;
	limits.ends = ends ? *ends : limits.ends;
	if (wanted->min_khz > wanted->max_khz && wanted->min_khz != LIMIT_NONE_KHZ)
		return -EINVAL;
	if (old && old->min_khz && old->max_khz)
		return file_change_add_range(changes, &limits, old, wanted);
	err = cpufreq_read_khz(machine->host->files, cpu, SCALING_MIN, &found.min_khz);
	if (!err)
		err = cpufreq_read_khz(machine->host->files, cpu, SCALING_MAX, &found.max_khz);
	return err ? err : file_change_add_range(changes, &limits, &found, wanted);
}

/* Adds a change of a cpufreq file. The caller's change has the value and the text to show. */
static int add(struct change_list *changes, const struct machine *machine, uint32_t cpu,
	       const char *name, struct change change)
{
	const struct file_path path = files_cpu_path(cpu, "cpufreq/%s", name);

	change.location = location_of_cpu(machine, cpu);
	change.what = name;
	change.subject = subject_of(strcmp(name, SCALING_MAX) == 0 ? SETTING_CPUFREQ_MAX
								   : SETTING_CPUFREQ_MIN);
	change.target = file_target(path.text, FILE_ANY);
	return change_list_add(changes, &change);
}

static int plan_later(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		      const char *name, const char *text)
{
	return add(changes, machine, cpu, name, (struct change){ .new_text = text });
}

int scaling_plan_limit_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  const char *name, const char *source)
{
	struct files *files = machine->host->files;
	const struct file_path directory = files_cpu_path(cpu, "cpufreq");
	struct file_limits limits = limits_of(machine, cpu, &directory);
	uint32_t khz, old_khz;
	int err;

	if (cpuset_has(&machine->topology.pending, cpu)) {
		if (cpufreq_read_khz(files, cpu, name, &khz) == -ENOENT)
			return -ENOENT; /* the CPU was online before, and has no cpufreq */
		return plan_later(changes, machine, cpu, name, source);
	}
	err = cpufreq_read_khz(files, cpu, source, &khz);
	if (!err)
		err = cpufreq_read_khz(files, cpu, name, &old_khz);
	return err ? err : file_change_add_khz(changes, &limits, name, old_khz, khz);
}

/* Reads the base frequency of a CPU; absent_khz if the CPU is offline or has no such file. */
static int read_base(const struct machine *machine, uint32_t cpu, uint32_t absent_khz,
		     uint32_t *ret_khz)
{
	int err = cpufreq_read_khz(machine->host->files, cpu, "base_frequency", ret_khz);

	if (!files_is_absent(err) && err != -EBUSY)
		return err;
	*ret_khz = absent_khz;
	return 0;
}

/* Adds the change that removes the upper limit, if it is below base_khz or turbo is off. */
static int open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		    uint32_t max_khz, uint32_t base_khz, bool is_turbo_off, bool *ret_opens)
{
	bool opens = max_khz < base_khz || is_turbo_off;
	const struct file_path path = files_cpu_path(cpu, "cpufreq/%s", SCALING_MAX);
	const struct change_undo undo = { .target = file_target(path.text, FILE_ANY),
					  .value = { .text = LIMIT_NONE_TEXT } };
	uint32_t lowered_khz = 0;
	char old_text[TEXT_SIZE];
	bool is_lowered;
	int err;

	*ret_opens = opens;
	if (!opens)
		return 0;
	snprintf(old_text, sizeof(old_text), "%" PRIu32, max_khz);
	/* a limit that reads as the base frequency may be any higher limit */
	err = is_turbo_off ? read_base(machine, cpu, 0, &lowered_khz) : 0;
	if (err)
		return err;
	is_lowered = max_khz == lowered_khz;
	return add(changes, machine, cpu, SCALING_MAX,
		   (struct change){
			   .value = { .text = LIMIT_NONE_TEXT },
			   .word = "max",
			   .old_word = is_lowered ? "max" : NULL,
			   .old_value = { .text = old_text },
			   .has_old_value = true,
			   .tries = CHECK_TRIES,
			   .undo = &undo,
			   .n_undo = is_lowered,
			   .undo_turn = is_lowered ? CHANGE_UNDONE_AFTER : CHANGE_UNDONE_FIRST,
		   });
}

/* Like open_max(), for a limit that can be read only when the change is made. */
static int open_max_later(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, bool is_turbo_off)
{
	char new_text[TEXT_SIZE];

	snprintf(new_text, sizeof(new_text), LIMIT_NONE_TEXT " where below %" PRIu32, base_khz);
	return add(changes, machine, cpu, SCALING_MAX,
		   (struct change){
			   .value = { .text = LIMIT_NONE_TEXT },
			   .word = "max",
			   .new_text = is_turbo_off ? NULL : new_text,
			   .is_read_first = true,
			   .sufficient = is_turbo_off ? 0 : base_khz,
		   });
}

int scaling_plan_open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, bool is_turbo_off)
{
	uint32_t max_khz;
	bool opens;
	int err;

	if (!topology_can_ask(&machine->topology, cpu))
		return open_max_later(changes, machine, cpu, base_khz, is_turbo_off);
	err = cpufreq_read_khz(machine->host->files, cpu, SCALING_MAX, &max_khz);
	return err ? err : open_max(changes, machine, cpu, max_khz, base_khz, is_turbo_off, &opens);
}

int scaling_plan_raise(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, bool is_turbo_off)
{
	struct files *files = machine->host->files;
	const struct file_path directory = files_cpu_path(cpu, "cpufreq");
	struct file_limits limits = limits_of(machine, cpu, &directory);
	uint32_t min_khz, max_khz, highest_khz;
	bool opens;
	int err;

	if (cpuset_has(&machine->topology.pending, cpu)) {
		err = open_max_later(changes, machine, cpu, base_khz, is_turbo_off);
		return err ? err
			   : scaling_plan_limit_as(changes, machine, cpu, SCALING_MIN, SCALING_MAX);
	}
	err = cpufreq_read_khz(files, cpu, "cpuinfo_max_freq", &highest_khz);
	if (!err)
		err = cpufreq_read_khz(files, cpu, SCALING_MAX, &max_khz);
	if (!err)
		err = cpufreq_read_khz(files, cpu, SCALING_MIN, &min_khz);
	if (!err)
		err = open_max(changes, machine, cpu, max_khz, base_khz, is_turbo_off, &opens);
	if (err)
		return err;
	limits.ends.max_khz = highest_khz;
	if (is_turbo_off && base_khz && base_khz < highest_khz)
		highest_khz = base_khz;
	return file_change_add_khz(changes, &limits, SCALING_MIN, min_khz,
				   opens || max_khz > highest_khz ? highest_khz : max_khz);
}

/* Plans both limits of a CPU: its base frequency, or the complete range if base_freq is NULL. */
static int plan_fixed(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		      const struct sst_base_freq *base_freq, bool always)
{
	const char *max_file = base_freq ? "base_frequency" : "cpuinfo_max_freq";
	const char *min_file = base_freq ? "base_frequency" : "cpuinfo_min_freq";
	int err;

	if (base_freq && !cpuset_has(&machine->topology.pending, cpu)) {
		bool is_high = cpuset_has(&base_freq->high_cpus, cpu);
		uint32_t khz = KHZ_PER_MHZ * (is_high ? base_freq->high_mhz : base_freq->low_mhz);
		const struct khz_range wanted = { khz, khz };

		return scaling_plan_range(changes, machine, cpu, NULL, &wanted, NULL,
					  always ? FILE_LIMITS_ALWAYS : 0);
	}
	err = scaling_plan_limit_as(changes, machine, cpu, SCALING_MAX, max_file);
	return err ? err : scaling_plan_limit_as(changes, machine, cpu, SCALING_MIN, min_file);
}

static int plan_base_freq(struct change_list *changes, const struct machine *machine,
			  const struct cpuset *cpus, bool on, bool always)
{
	const struct topology *topology = &machine->topology;
	struct sst_base_freq base_freq = { 0 };
	int err = on ? platform_read_base_freq_by_cpufreq(machine, cpus, &base_freq) : 0;

	if (!err && base_freq.low_mhz == 0 && !cpuset_is_empty(&base_freq.high_cpus))
		err = -ENODATA;
	cpuset_foreach (cpu, cpus) {
		if (!err &&
		    (topology_can_ask(topology, cpu) || cpuset_has(&topology->pending, cpu)))
			err = plan_fixed(changes, machine, cpu, on ? &base_freq : NULL, always);
	}
	cpuset_done(&base_freq.high_cpus);
	return err;
}

/* Is turbo off? */
struct turbo_off {
	bool now;
	/* when limits are written; also true if a change that switches turbo on may fail */
	bool then;
};

static int read_turbo_off(const struct setting_environment *environment,
			  struct turbo_off *ret_is_off)
{
	const struct change_list *changes = environment->changes;
	bool is_off;
	int err;

	for (size_t i = changes->n_changes; i-- > 0;) {
		const struct change *change = &changes->changes[i];

		if (!change->target.path || strcmp(change->target.path, CPUFREQ_NO_TURBO) != 0)
			continue;
		*ret_is_off = (struct turbo_off){
			.now = change->old_value.text && strcmp(change->old_value.text, "1") == 0,
			.then = strcmp(change->value.text, "1") == 0 || change->ignored_error,
		};
		return 0;
	}
	err = scaling_read_turbo(environment->machine->host->files, &is_off);
	if (!err)
		*ret_is_off = (struct turbo_off){ is_off, is_off };
	return err;
}

/* While turbo is off, the kernel lowers limits to the base frequency: the present one, or that
 * after the plan (base_khz; 0: the same). Lets the limits from changes[first] on read as that
 * frequency. An upper limit that reads as the present one now is "max" in documents. Returns 0 or a
 * negative errno of reading. */
static int allow_lowered(const struct setting_environment *environment,
			 const struct turbo_off *is_off, size_t first, uint32_t base_khz)
{
	struct change_list *changes = environment->changes;

	for (size_t i = first; i < changes->n_changes && (is_off->now || is_off->then); i++) {
		struct change *change = &changes->changes[i];
		uint32_t now_khz = 0;
		uint64_t old_khz;
		int err = read_base(environment->machine, change->location.cpu, base_khz, &now_khz);

		if (err)
			return err;
		if (is_off->then)
			change->lowered = base_khz && base_khz < now_khz ? base_khz : now_khz;
		if (is_off->now && change->has_old_value && !change->old_word &&
		    strcmp(change->what, SCALING_MAX) == 0 &&
		    !number_parse_file(change->old_value.text, &old_khz) && old_khz == now_khz)
			change->old_word = "max";
	}
	return 0;
}

int scaling_plan_fixed_base_freq(const struct setting_environment *environment,
				 struct setting_request *request)
{
	size_t first = environment->changes->n_changes;
	struct turbo_off is_off;
	int err = read_turbo_off(environment, &is_off);

	request->failed = err ? CPUFREQ_NO_TURBO : "frequency limits";
	if (!err)
		err = plan_base_freq(environment->changes, environment->machine,
				     &request->domain->cpus, request->value.on, request->always);
	if (!err)
		err = allow_lowered(environment, &is_off, first, 0);
	for (size_t i = first; i < environment->changes->n_changes; i++) {
		struct change *change = &environment->changes->changes[i];
		bool is_max = strcmp(change->what, SCALING_MAX) == 0;

		change->subject = subject_of_part(SETTING_BASE_FREQ,
						  is_max ? SETTING_PART_MAX : SETTING_PART_MIN);
	}
	return err;
}

/* Plans one limit of a CPU that is about to come online; kept_khz leaves the limit unchanged. */
static int plan_limit_later(const struct setting_environment *environment, uint32_t cpu,
			    const char *name, const char *file, uint32_t khz, uint32_t kept_khz)
{
	char number[TEXT_SIZE];

	if (!file && khz == kept_khz)
		return 0;
	snprintf(number, sizeof(number), "%" PRIu32, khz);
	return plan_later(environment->changes, environment->machine, cpu, name, file ?: number);
}

static int plan_limits(const struct setting_environment *environment,
		       struct setting_request *request, bool is_turbo_off)
{
	struct change_list *changes = environment->changes;
	const struct machine *machine = environment->machine;
	const struct khz_range wanted = { request->value.range.min_khz,
					  request->value.range.max_khz };
	const char *max_file = cpufreq_frequency_file(request->value.range.max_from);
	const char *min_file = cpufreq_frequency_file(request->value.range.min_from);
	const unsigned int flags = (request->always ? FILE_LIMITS_ALWAYS : 0U) |
				   (request->value.range.moves ? FILE_LIMITS_MOVE : 0U);
	struct khz_range old, ends;
	int err = 0;

	if (request->policy && cpuset_has(&machine->topology.pending, request->cpu)) {
		err = plan_limit_later(environment, request->cpu, SCALING_MAX, max_file,
				       wanted.max_khz, UINT32_MAX);
		return err ? err
			   : plan_limit_later(environment, request->cpu, SCALING_MIN, min_file,
					      wanted.min_khz, 0);
	}
	if (request->policy) {
		old = (struct khz_range){ request->policy->min_khz, request->policy->max_khz };
		ends = (struct khz_range){ request->policy->lowest_khz,
					   request->policy->highest_khz };
		return scaling_plan_range(changes, machine, request->cpu, &old, &wanted, &ends,
					  flags);
	}
	if (request->value.range.raises)
		return scaling_plan_raise(changes, machine, request->cpu,
					  request->value.range.base_khz, is_turbo_off);
	if (!max_file && !min_file)
		return scaling_plan_range(changes, machine, request->cpu,
					  &request->value.range.present, &wanted,
					  &request->value.range.ends, flags);
	/* the limits become values of other files of the CPU, which are read now */
	request->failed = max_file ?: min_file;
	if (max_file)
		err = scaling_plan_limit_as(changes, machine, request->cpu, SCALING_MAX, max_file);
	if (!err && min_file)
		err = scaling_plan_limit_as(changes, machine, request->cpu, SCALING_MIN, min_file);
	return err;
}

int scaling_plan_requests(const struct setting_environment *environment,
			  struct setting_request *requests, size_t count)
{
	const struct topology *topology = &environment->machine->topology;
	bool is_cpufreq_missing = false, is_cpufreq_known = false;
	struct turbo_off is_off;

	requests[0].error = read_turbo_off(environment, &is_off);
	if (requests[0].error) {
		requests[0].failed = CPUFREQ_NO_TURBO;
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		size_t first = environment->changes->n_changes;
		int err = plan_limits(environment, &requests[i], is_off.now);

		if (!err) {
			err = allow_lowered(environment, &is_off, first,
					    requests[i].value.range.base_khz);
			requests[i].failed = err ? "base_frequency" : NULL;
		}
		if (err == -ENOMEM)
			return err;
		if (err == -ENOENT && requests[i].is_optional && !is_cpufreq_known) {
			is_cpufreq_missing = !scaling_is_available(environment->machine);
			is_cpufreq_known = true;
		}
		if (err == -ENOENT && requests[i].is_optional &&
		    (is_cpufreq_missing || cpuset_has(&topology->pending, requests[i].cpu)))
			err = 0;
		requests[i].error = err;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The members of a platform file about kernel files, made of those of the first online CPU. */
#include "record/model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define KHZ_STEP       100000
#define MAX_KHZ        25500000
#define MAX_UNCORE_KHZ 12700000
#define MAX_STATES     10
#define MAX_WORDS      255

#define CPU     FILES_CPUS "/cpu#"
#define CPUFREQ CPU "/cpufreq"

/* The words of a file, each once, at least one. *ret_index is where a word of another file is among
 * them; the first if it is not. */
static json_t *words_of(const struct model *model, const char *path, const char *chosen_path,
			const char *otherwise, const char **ret_chosen)
{
	const char *text = kernel_files_text(model->files, path, model->first_cpu) ?: "";
	const char *chosen = kernel_files_text(model->files, chosen_path, model->first_cpu);
	json_t *words = json_array(), *known = json_object();

	for (size_t length; *(text += strspn(text, " \t\n")); text += length) {
		char word[64];

		length = strcspn(text, " \t\n");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (json_array_size(words) < MAX_WORDS && !json_object_get(known, word) &&
		    length < sizeof(word)) {
			json_object_set_new(known, word, json_true());
			json_array_append_new(words, json_string(word));
		}
	}
	if (json_array_size(words) == 0)
		json_array_append_new(words, json_string(otherwise));
	*ret_chosen = json_string_value(json_array_get(words, 0));
	if (chosen && json_object_get(known, chosen))
		*ret_chosen = chosen;
	json_decref(known);
	return words;
}

/* The lowest or the highest of a number of all CPUs. */
static uint64_t find_extreme(const struct model *model, const char *path, bool is_highest)
{
	uint64_t extreme = 0;

	cpuset_foreach (cpu, &model->machine->topology.online) {
		uint64_t khz = kernel_files_number(model->files, path, cpu, 0);

		if (khz && (!extreme || (is_highest ? khz > extreme : khz < extreme)))
			extreme = khz;
	}
	return extreme;
}

/* The CPUs with the highest base frequency, if not all have it, on a machine whose base frequencies
 * no driver sets; else NULL. */
static json_t *high_priority(const struct model *model, uint64_t min_khz, uint64_t max_khz)
{
	uint64_t high_khz = find_extreme(model, CPUFREQ "/base_frequency", true);
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	if (model->is_tpmi || model->is_mailbox || high_khz < min_khz || high_khz > max_khz ||
	    high_khz == find_extreme(model, CPUFREQ "/base_frequency", false))
		return NULL;
	cpuset_foreach (cpu, &model->machine->topology.online) {
		if (kernel_files_number(model->files, CPUFREQ "/base_frequency", cpu, 0) ==
			    high_khz &&
		    cpuset_add(&cpus, cpu))
			return NULL;
	}
	return json_pack("{s:o, s:I}", "cpus", model_list(&cpus), "base_khz", (json_int_t)high_khz);
}

/* Adds the CPUs of a policy to the list if there are several and none is in a policy of it yet.
 * Returns 0 or -ENOMEM. */
static int add_policy(const struct model *model, uint32_t cpu, struct cpuset *listed, json_t *list)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	const char *text = kernel_files_text(model->files, CPUFREQ "/related_cpus", cpu);
	const char *at = text;
	uint64_t other;

	/* numbers with blanks between */
	while (at && !number_parse_digits(&at, 10, &other)) {
		if (cpuset_has(&model->machine->topology.present, (uint32_t)other) &&
		    cpuset_add(&cpus, (uint32_t)other))
			return -ENOMEM;
		at += strspn(at, " ");
	}
	if (cpuset_count(&cpus) < 2 || cpuset_intersects(&cpus, listed))
		return 0;
	if (json_array_append_new(list, model_list(&cpus)) < 0)
		return -ENOMEM;
	return cpuset_add_all(listed, &cpus);
}

/* The policies of several CPUs; NULL: there are none. */
static json_t *policies(const struct model *model)
{
	_cleanup_cpuset_ struct cpuset listed = { 0 };
	json_t *list = json_array();

	cpuset_foreach (cpu, &model->machine->topology.online) {
		if (add_policy(model, cpu, &listed, list))
			break;
	}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

/* The efficient CPUs of a hybrid machine and their frequencies. */
json_t *model_core_types(const struct model *model)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	const char *text = kernel_files_text(model->files, "/sys/devices/cpu_atom/cpus", 0);
	uint64_t max_khz, base_khz;
	uint32_t first;

	if (!text || cpulist_parse(text, &cpus) || cpuset_is_empty(&cpus) || model->is_tpmi ||
	    model->is_mailbox)
		return json_null();
	first = cpuset_next(&cpus, 0);
	max_khz = kernel_files_number(model->files, CPUFREQ "/cpuinfo_max_freq", first, 0);
	base_khz = kernel_files_number(model->files, CPUFREQ "/base_frequency", first, max_khz);
	if (!max_khz || max_khz > MAX_KHZ || base_khz > max_khz)
		return json_null();
	return json_pack("{s:o, s:I, s:I}", "efficient", model_list(&cpus), "efficient_max_khz",
			 (json_int_t)max_khz, "efficient_base_khz", (json_int_t)base_khz);
}

json_t *model_cpufreq(const struct model *model)
{
	uint64_t min_khz = find_extreme(model, CPUFREQ "/cpuinfo_min_freq", false);
	uint64_t max_khz = find_extreme(model, CPUFREQ "/cpuinfo_max_freq", true);
	uint64_t base_khz = find_extreme(model, CPUFREQ "/base_frequency", false);
	const char *driver =
		kernel_files_text(model->files, CPUFREQ "/scaling_driver", model->first_cpu);
	const char *governor, *epp;
	json_t *governors, *epps;

	if (!driver || !*driver || !min_khz || !max_khz || min_khz > max_khz)
		return json_null();
	max_khz = (uint64_t)model_clamp(max_khz, 1, MAX_KHZ);
	min_khz = (uint64_t)model_clamp(min_khz, 1, max_khz);
	governors = words_of(model, CPUFREQ "/scaling_available_governors",
			     CPUFREQ "/scaling_governor", "performance", &governor);
	epps = words_of(model, CPUFREQ "/energy_performance_available_preferences",
			CPUFREQ "/energy_performance_preference", "default", &epp);
	return json_pack(
		"{s:o, s:I, s:I, s:I, s:o, s:s, s:o, s:s, s:I, s:I, s:o*, s:o*}", "driver",
		model_text(driver), "min_khz", (json_int_t)min_khz, "max_khz", (json_int_t)max_khz,
		"base_khz", model_clamp(base_khz ?: max_khz, min_khz, max_khz), "governors",
		governors, "governor", governor, "epps", epps, "epp", epp, "epb",
		model_clamp(kernel_files_number(model->files, CPU "/power/energy_perf_bias",
						model->first_cpu, 6),
			    0, 15),
		"no_turbo",
		model_clamp(kernel_files_number(model->files, FILES_CPUS "/intel_pstate/no_turbo",
						0, 0),
			    0, 1),
		"policies", policies(model), "high_priority",
		high_priority(model, min_khz, max_khz));
}

/* The text of a file of an idle state of the first CPU, which is not empty. */
static const char *idle_text(const struct model *model, size_t number, const char *name)
{
	char path[128];
	const char *text;

	snprintf(path, sizeof(path), CPU "/cpuidle/state%zu/%s", number, name);
	text = kernel_files_text(model->files, path, model->first_cpu);
	return text && *text ? text : NULL;
}

static json_int_t idle_number(const struct model *model, size_t number, const char *name)
{
	const char *text = idle_text(model, number, name);
	uint64_t value = 0;

	if (text)
		number_parse_file(text, &value);
	return model_clamp(value, 0, UINT32_MAX);
}

json_t *model_cpuidle(const struct model *model)
{
	const char *driver =
		kernel_files_text(model->files, FILES_CPUS "/cpuidle/current_driver", 0);
	const char *governor =
		kernel_files_text(model->files, FILES_CPUS "/cpuidle/current_governor", 0)
			?: kernel_files_text(model->files,
					     FILES_CPUS "/cpuidle/current_governor_ro", 0);
	const char *demotion =
		kernel_files_text(model->files, FILES_CPUS "/cpuidle/intel_c1_demotion", 0);
	json_t *states = json_array(), *member;

	for (size_t i = 0; i < MAX_STATES && idle_text(model, i, "name"); i++) {
		const char *status = idle_text(model, i, "default_status");

		json_array_append_new(
			states, json_pack("{s:o, s:o, s:I, s:I, s:i}", "name",
					  model_text(idle_text(model, i, "name")), "desc",
					  model_text(idle_text(model, i, "desc") ?: ""),
					  "latency_us", idle_number(model, i, "latency"),
					  "residency_us", idle_number(model, i, "residency"),
					  "disable", status && strcmp(status, "disabled") == 0));
	}
	if (json_array_size(states) == 0) {
		json_decref(states);
		return json_null();
	}
	member = json_pack("{s:o, s:o, s:o}", "driver",
			   model_text(driver && *driver ? driver : "none"), "governor",
			   model_text(governor && *governor ? governor : "menu"), "states", states);
	if (demotion)
		json_object_set_new(member, "c1_demotion",
				    json_integer(strcmp(demotion, "0") != 0));
	return member;
}

json_t *model_umwait(const struct model *model)
{
	const char *enable =
		kernel_files_text(model->files, FILES_CPUS "/umwait_control/enable_c02", 0);
	uint64_t max_time =
		kernel_files_number(model->files, FILES_CPUS "/umwait_control/max_time", 0, 0);

	if (!enable)
		return json_null();
	return json_pack("{s:i, s:I}", "enable_c02", strcmp(enable, "0") != 0, "max_time",
			 model_clamp(max_time, 0, UINT32_MAX) / 4 * 4);
}

static json_int_t uncore_khz(uint64_t khz)
{
	return model_clamp(khz / KHZ_STEP * KHZ_STEP, KHZ_STEP, MAX_UNCORE_KHZ);
}

#define UNCORE FILES_CPUS "/intel_uncore_frequency"

json_t *model_uncore(const struct model *model)
{
	json_t *names = json_object_get(model->files->object, UNCORE);
	json_int_t min_khz = MAX_UNCORE_KHZ, max_khz = 0;
	bool has_clusters = false;
	json_t *name;
	size_t i;

	json_array_foreach (names, i, name) {
		const char *text = json_string_value(name);
		char path[192];
		uint64_t min, max;

		snprintf(path, sizeof(path), UNCORE "/%.60s/initial_min_freq_khz", text);
		min = kernel_files_number(model->files, path, 0, KHZ_STEP);
		snprintf(path, sizeof(path), UNCORE "/%.60s/initial_max_freq_khz", text);
		max = kernel_files_number(model->files, path, 0, KHZ_STEP);
		has_clusters = has_clusters || strncmp(text, "uncore", strlen("uncore")) == 0;
		min_khz = uncore_khz(min) < min_khz ? uncore_khz(min) : min_khz;
		max_khz = uncore_khz(max) > max_khz ? uncore_khz(max) : max_khz;
	}
	for (size_t j = 1; j < model->n_domains; j++) {
		const struct model_domain *domain = &model->domains[j];

		/* the other layout has a directory for each die */
		has_clusters = has_clusters ||
			       (domain->index &&
				model_find_domain(model, domain->package, domain->die) < j);
	}
	if (json_array_size(names) == 0)
		return json_null();
	return json_pack("{s:s, s:I, s:I}", "layout", has_clusters ? "tpmi" : "legacy", "min_khz",
			 min_khz < max_khz ? min_khz : max_khz, "max_khz", max_khz);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The members of a platform file (docs/platform-file.md) that describe the recorded machine, made
 * of decoded answers and of files. Replay uses them for what a command sets; what a command reads
 * is replayed as it was recorded. So a figure that a platform file cannot have is limited to what
 * it can. */
#include "record/model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/kernel.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

#define MHZ_STEP    100
#define MAX_MHZ     25500
#define MAX_POWER_W 4095

static void model_done(struct model *model)
{
	for (size_t i = 0; i < model->n_domains; i++) {
		cpuset_done(&model->domains[i].cores);
		cpuset_done(&model->domains[i].cpus);
	}
	free(model->domains);
	free(model->cpus);
}

/* A frequency as a platform file has it: steps of 100 MHz, 8 bits. */
static json_int_t mhz(uint32_t number)
{
	return model_clamp(number / MHZ_STEP * MHZ_STEP, 0, MAX_MHZ);
}

json_t *model_text(const char *text)
{
	_cleanup_free_ char *clean = strdup(*text ? text : "-");

	if (!clean)
		return NULL;
	printable_clean(clean, strlen(clean));
	return json_string(clean);
}

json_t *model_list(const struct cpuset *set)
{
	_cleanup_free_ char *text = cpuset_format_ranges(set);

	return text ? json_string(text) : NULL;
}

/* The cores of a mask that the domain has. */
static json_t *cores_of(const struct model_domain *domain, uint64_t mask)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };

	for (uint32_t core = 0; core < 64; core++) {
		if (mask >> core & 1 && cpuset_has(&domain->cores, core) &&
		    cpuset_add(&cores, core))
			return NULL;
	}
	return model_list(&cores);
}

/* Answers. */

static bool find_mailbox(const struct model *model, uint32_t cpu, uint16_t sub_command,
			 uint32_t data, uint32_t *ret_answer)
{
	const struct isst_if_mbox_cmd command =
		mailbox_command(cpu, WORD_CONFIG_TDP, sub_command, data);
	struct request_item wanted = { .request = ISST_IF_MBOX_COMMAND, .size = sizeof(command) };
	const struct request_item *found;

	memcpy(wanted.bytes, &command, sizeof(command));
	found = asked_find(model->asked, &wanted);
	if (!found || found->error)
		return false;
	*ret_answer = (uint32_t)requests_member(found, "resp_data");
	return true;
}

/* A mask of cores of a level: all that are enabled, or those of SST-BF. */
uint64_t model_find_mask(const struct model *model, const struct power_domain *domain,
			 uint32_t level, bool of_base_freq)
{
	uint16_t word = of_base_freq ? WORD_PBF_GET_CORE_MASK_INFO : WORD_GET_CORE_MASK;
	uint32_t lower = 0, upper = 0;
	struct isst_perf_level_cpu_mask mask = { .socket_id = (__u8)domain->package,
						 .power_domain_id = (__u8)domain->id,
						 .level = (__u8)level };
	struct request_item wanted = { .size = sizeof(mask) };
	const struct request_item *found;

	if (model->is_mailbox) {
		if (find_mailbox(model, domain->cpu, word, level, &lower))
			find_mailbox(model, domain->cpu, word, level | WORD_UPPER_HALF, &upper);
		return (uint64_t)upper << 32 | lower;
	}
	wanted.request =
		of_base_freq ? ISST_IF_GET_BASE_FREQ_CPU_MASK : ISST_IF_GET_PERF_LEVEL_CPU_MASK;
	memcpy(wanted.bytes, &mask, sizeof(mask));
	found = asked_find(model->asked, &wanted);
	return found && !found->error ? requests_member(found, "mask") : 0;
}

/* MSRs and Speed Select. */

static uint64_t find_msr(const struct model *model, uint32_t package, uint32_t msr)
{
	for (size_t i = 0; i < model->n_domains; i++) {
		const struct model_domain *domain = &model->domains[i];

		if (domain->package_index == package && domain->like != MODEL_NO_DOMAIN)
			package = model->domains[domain->like].package_index;
	}
	for (size_t i = 0; i < model->asked->n_items; i++) {
		const struct request_item *item = model->asked->items[i];
		uint64_t cpu = requests_member(item, "logical_cpu");

		if (item->request == ISST_IF_MSR_COMMAND && !item->error &&
		    requests_member(item, "msr") == msr && cpu < model->n_cpus &&
		    model->domains[model->cpus[cpu].domain].package_index == package)
			return requests_member(item, "data");
	}
	return 0;
}

static json_t *bytes_of(uint64_t word)
{
	json_t *bytes = json_array();

	for (unsigned int i = 0; i < 8; i++)
		json_array_append_new(bytes, json_integer(sst_byte(word, i)));
	return bytes;
}

static json_t *msr_member(const struct model *model)
{
	json_t *packages = json_array();

	for (uint32_t package = 0; package < model->n_packages; package++)
		json_array_append_new(
			packages,
			json_pack("{s:o, s:o}", "turbo_ratio_limit",
				  bytes_of(find_msr(model, package, SST_MSR_TURBO_RATIO_LIMIT)),
				  "turbo_ratio_limit_cores",
				  bytes_of(find_msr(model, package,
						    SST_MSR_TURBO_RATIO_LIMIT_CORES))));
	return packages;
}

/* Rows of turbo frequencies up to the last that has any, at least one. */
static json_t *rows_of(const struct sst_turbo *turbo)
{
	json_t *rows = json_array();
	unsigned int n_rows = 1;

	for (unsigned int i = 0; i < SST_TRL_LEVELS * SST_BUCKETS; i++) {
		if (turbo->mhz[i / SST_BUCKETS][i % SST_BUCKETS])
			n_rows = i / SST_BUCKETS + 1;
	}
	for (unsigned int row = 0; row < n_rows; row++) {
		json_t *buckets = json_array();

		for (unsigned int i = 0; i < SST_BUCKETS; i++)
			json_array_append_new(buckets, json_integer(mhz(turbo->mhz[row][i])));
		json_array_append_new(rows, buckets);
	}
	return rows;
}

static json_t *counts_of(const struct sst_turbo *turbo)
{
	json_t *counts = json_array();

	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		json_array_append_new(counts,
				      json_integer(model_clamp(turbo->core_counts[i], 0, 255)));
	return counts;
}

static json_t *fabric_of(const struct sst_fabric *fabric)
{
	uint32_t max = fabric->max_mhz;

	return json_pack("{s:I, s:I, s:I}", "max", mhz(max), "base",
			 mhz(model_least(fabric->base_mhz, max)), "min",
			 mhz(model_least(fabric->min_mhz, max)));
}

static json_t *base_freq_of(const struct model *model, const struct model_domain *domain,
			    const struct platform_level_query *query, uint64_t cores)
{
	const struct sst_base_freq *info = &query->info.base_freq;
	uint64_t high = model_find_mask(model, domain->served, query->level, true) & cores;

	if (!query->info.base_freq_supported)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:I, s:i, s:I}", "high_mhz", mhz(info->high_mhz),
			 "low_mhz", mhz(model_least(info->low_mhz, info->high_mhz)), "cores",
			 cores_of(domain, high), "tjunction_c",
			 model_clamp(info->tjunction_c, 0, 255), "control_c", 0, "tdp_w",
			 model_clamp(info->tdp_w, 0, MAX_POWER_W));
}

static json_t *turbo_freq_of(const struct platform_level_query *query)
{
	const struct sst_turbo_freq *info = &query->info.turbo_freq;
	json_t *clips = json_array();

	if (!query->info.turbo_freq_supported) {
		json_decref(clips);
		return json_null();
	}
	for (unsigned int i = 0; i < SST_TRL_LEVELS; i++)
		json_array_append_new(clips, json_integer(mhz(info->clip_mhz[i])));
	return json_pack("{s:o, s:o, s:o}", "cores", counts_of(&info->buckets), "mhz",
			 rows_of(&info->buckets), "clip_mhz", clips);
}

static uint64_t all_cores(const struct model_domain *domain)
{
	return cpuset_is_empty(&domain->cores) ? 0 : domain->cores.words[0];
}

/* A level. One that cannot be read enables all cores. */
static json_t *level_of(const struct model *model, const struct model_domain *domain,
			const struct platform_level_query *query)
{
	const struct sst_level *info = &query->info;
	uint64_t cores = model_find_mask(model, domain->served, query->level, false);
	uint32_t memory = info->memory_mhz;
	json_t *counts = counts_of(&info->turbo), *level;

	cores = cores ? cores & all_cores(domain) : all_cores(domain);
	if (model->is_mailbox) {
		uint32_t code = 0;

		find_mailbox(model, domain->served->cpu, WORD_GET_MEM_FREQ, query->level, &code);
		memory = code & 0xff;
		json_decref(counts);
		counts = bytes_of(
			find_msr(model, domain->package_index, SST_MSR_TURBO_RATIO_LIMIT_CORES));
	} else {
		memory = model_least(memory / MHZ_STEP * MHZ_STEP, 12700);
	}
	level = json_pack(
		"{s:I, s:o, s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:o, s:I, s:{s:i, s:i}, s:I}",
		"level", (json_int_t)query->level, "cores", cores_of(domain, cores), "tdp_w",
		model_clamp(info->tdp_w, 0, MAX_POWER_W), "tdp_ratio",
		model->is_mailbox ? model_clamp(info->tdp_ratio, 0, 255)
				  : mhz(info->base_mhz) / MHZ_STEP,
		"base_mhz", "sse", mhz(info->base_mhz), "avx2", mhz(info->base_avx2_mhz), "avx512",
		mhz(info->base_avx512_mhz), "amx", mhz(info->base_amx_mhz), "tjunction_max_c",
		model_clamp(info->tjunction_max_c, 0, 255), "uncore_mhz", fabric_of(&info->uncore),
		"memory", (json_int_t)memory, "power_w", "max", 0, "min", 0, "cooling_type",
		model_clamp(info->cooling_type, 0, 3));
	if (info->uncore1.max_mhz)
		json_object_set_new(level, "uncore1_mhz", fabric_of(&info->uncore1));
	json_object_set_new(level, "turbo",
			    json_pack("{s:o, s:o}", "cores", counts, "mhz", rows_of(&info->turbo)));
	json_object_set_new(level, "base_freq", base_freq_of(model, domain, query, cores));
	json_object_set_new(level, "turbo_freq", turbo_freq_of(query));
	return level;
}

/* The parameters of the four CLOS; those that cannot be read have no limits. */
static json_t *clos_member(const struct model *model, const struct power_domain *domain)
{
	struct platform_query queries[SST_CLOS_COUNT] = { 0 };
	json_t *list = json_array();

	for (uint32_t i = 0; i < SST_CLOS_COUNT; i++)
		queries[i] = (struct platform_query){ .domain = domain, .index = i };
	platform_read_clos(model->platform, queries, SST_CLOS_COUNT);
	for (uint32_t i = 0; i < SST_CLOS_COUNT; i++) {
		struct sst_clos clos = { .max_mhz = MAX_MHZ };

		if (!queries[i].error)
			clos = value_to_clos(&queries[i].value);
		json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:I, s:I}", "epp",
						      model_clamp(clos.epp, 0, 15), "weight",
						      model_clamp(clos.weight, 0, 15), "min_mhz",
						      mhz(model_least(clos.min_mhz, clos.max_mhz)),
						      "max_mhz", mhz(clos.max_mhz), "desired_mhz",
						      mhz(clos.desired_mhz)));
	}
	return list;
}

/* The cores in each CLOS. */
static json_t *assoc_member(const struct model *model, const struct model_domain *domain)
{
	struct cpuset cores[SST_CLOS_COUNT] = { 0 };
	json_t *list = json_array();

	cpuset_foreach (cpu, &domain->cpus) {
		struct platform_query query = { .cpu = cpu };

		if (!cpuset_has(&model->machine->topology.placed, cpu) ||
		    platform_read_assoc(model->platform, &query, 1) || query.error)
			continue;
		if (query.value.number < SST_CLOS_COUNT)
			cpuset_add(&cores[query.value.number], query.index);
	}
	for (size_t i = 0; i < SST_CLOS_COUNT; i++) {
		json_array_append_new(list, model_list(&cores[i]));
		cpuset_done(&cores[i]);
	}
	return list;
}

/* What a level's query says of all levels. */
struct levels {
	json_t *list;
	json_t *numbers;
	bool base_freq_on;
	bool turbo_freq_on;
	bool has_current;
};

static int add_levels(const struct model *model, const struct model_domain *domain,
		      const struct sst_pp *pp, struct levels *levels)
{
	struct platform_level_query queries[MODEL_LEVELS] = { 0 };
	int err;

	for (uint32_t i = 0; i < MODEL_LEVELS; i++)
		queries[i] = (struct platform_level_query){ .domain = domain->served,
							    .level = i,
							    .pp_enabled = pp->enabled };
	err = model->platform->ops->read_levels(model->platform,
						PLATFORM_LEVEL | PLATFORM_BASE_FREQ |
							PLATFORM_TURBO_FREQ | PLATFORM_CPUS,
						queries, MODEL_LEVELS);
	for (uint32_t i = 0; i < MODEL_LEVELS; i++) {
		bool is_current = i == pp->current_level;

		if (!err && (queries[i].error != -ENOENT || is_current)) {
			json_array_append_new(levels->list, level_of(model, domain, &queries[i]));
			json_array_append_new(levels->numbers, json_integer(i));
			levels->has_current |= is_current;
		}
		if (is_current) {
			levels->base_freq_on = queries[i].info.base_freq_on;
			levels->turbo_freq_on = queries[i].info.turbo_freq_on;
		}
		sst_level_done(&queries[i].info);
	}
	return err;
}

/* Speed Select of a domain; null if the driver does not serve it. */
static json_t *sst_of_domain(const struct model *model, const struct model_domain *domain)
{
	const struct power_domain *served = domain->served;
	struct platform_pp_query pp = { .domain = served };
	struct platform_core_power_query core_power = { .domain = served };
	struct levels levels = { .list = json_array(), .numbers = json_array() };
	const struct sst_core_power *state = &core_power.core_power;
	bool is_enabled;

	if (!served || !served->is_served || (model->is_mailbox && served->cpu == CPUSET_NONE) ||
	    model->platform->ops->read_pp(model->platform, &pp, 1) ||
	    model->platform->ops->read_core_power(model->platform, PLATFORM_CLOS, &core_power, 1) ||
	    add_levels(model, domain, &pp.pp, &levels) || !levels.has_current) {
		json_decref(levels.list);
		json_decref(levels.numbers);
		return json_null();
	}
	is_enabled = state->supported && state->enabled;
	return json_pack(
		"{s:b, s:I, s:b, s:I, s:o, s:{s:b, s:b, s:b, s:i}, s:o, s:[], s:b, s:b, s:o, s:o}",
		"enabled", pp.pp.enabled, "version", model_clamp(pp.pp.version, 0, 255), "locked",
		pp.pp.locked, "current_level", (json_int_t)pp.pp.current_level, "allowed_levels",
		levels.numbers, "core_power", "supported", state->supported, "enabled", is_enabled,
		"clos_enabled",
		model->is_tpmi ? is_enabled : state->supported && state->clos_enabled, "priority",
		state->ordered, "clos", clos_member(model, served), "unanswered", "base_freq_on",
		levels.base_freq_on, "turbo_freq_on", levels.turbo_freq_on, "assoc",
		assoc_member(model, domain), "levels", levels.list);
}

/* Speed Select of the domains with cores, or of those without; null if there are none. */
static json_t *sst_member(const struct model *model, bool is_io)
{
	json_t *list = json_array();
	bool has_any = false;

	for (size_t i = 0; i < model->n_domains && (model->is_tpmi || model->is_mailbox); i++) {
		const struct model_domain *domain = &model->domains[i];
		json_t *of_domain;

		if (cpuset_is_empty(&domain->cores) != is_io)
			continue;
		of_domain = sst_of_domain(model, domain->like == MODEL_NO_DOMAIN
							 ? domain
							 : &model->domains[domain->like]);
		has_any = has_any || !json_is_null(of_domain);
		json_array_append_new(list, of_domain);
	}
	if (has_any)
		return list;
	json_decref(list);
	return json_null();
}

/* The machine. */

/* The name of the processor; kernels of other architectures have none. */
static const char *processor_name(const struct model *model)
{
	const char *name = model->machine->identity.model_name;

	return *name ? name : "unknown processor";
}

static json_t *cpu_member(const struct model *model)
{
	const struct identity *identity = &model->machine->identity;

	return json_pack("{s:I, s:I, s:I, s:o, s:b}", "family",
			 model_clamp(identity->family, 0, 270), "model",
			 model_clamp(identity->model, 0, 255), "stepping",
			 model_clamp(identity->stepping, 0, 15), "model_name",
			 model_text(processor_name(model)), "hfi", identity->hfi);
}

static json_t *interface_member(const struct model *model)
{
	const struct isst_if_platform_info *info = model->platform ? &model->platform->info : NULL;
	const char *kind = model->is_tpmi ? "tpmi" : model->is_mailbox ? "mailbox" : "none";

	if (!model->is_tpmi && !model->is_mailbox)
		return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "kind", kind, "api_version", 0,
				 "driver_version", 0, "max_cmds_per_ioctl", 0, "mbox", 0, "mmio",
				 0);
	return json_pack("{s:s, s:I, s:I, s:I, s:i, s:i}", "kind", kind, "api_version",
			 (json_int_t)info->api_version, "driver_version",
			 (json_int_t)info->driver_version, "max_cmds_per_ioctl",
			 model_clamp(info->max_cmds_per_ioctl, 1, UINT16_MAX), "mbox",
			 model->is_mailbox && info->mbox_supported, "mmio",
			 model->is_mailbox && info->mmio_supported);
}

static json_t *put_together(const struct model *model)
{
	const struct identity *identity = &model->machine->identity;
	const char *kernel = kernel_files_text(model->files, KERNEL_RELEASE, 0);
	_cleanup_free_ char *name =
		text_format("recorded-%" PRIu32 "-%" PRIu32 "-%" PRIu32, identity->family,
			    identity->model, identity->stepping);
	_cleanup_free_ char *description =
		text_format("%s, %zu package%s, %zu CPUs", processor_name(model), model->n_packages,
			    model->n_packages == 1 ? "" : "s",
			    cpuset_count(&model->machine->topology.present));
	_cleanup_free_ char *source = text_format(
		"recorded by intel-speed-select from a machine with kernel %s", kernel ?: "-");
	_cleanup_free_ char *release = NULL;
	json_t *sst = sst_member(model, false), *io_sst = sst_member(model, true);
	bool has_msrs = model->is_mailbox || model->is_tpmi;
	unsigned int major, minor;

	if (!name || !description || !source)
		return NULL;
	if (kernel && sscanf(kernel, "%3u.%3u", &major, &minor) == 2)
		release = text_format("%u.%u", major, minor);
	return json_pack(
		"{s:i, s:s, s:o, s:o, s:s*, s:s*, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", 1, "name", name, "description", model_text(description), "source",
		model_text(source), "estimates", model->machine->host->model.estimates, "kernel",
		release, "cpu", cpu_member(model), "interface", interface_member(model), "topology",
		model_topology(model), "cpufreq", model_cpufreq(model), "core_types",
		model_core_types(model), "cpuidle", model_cpuidle(model), "umwait",
		model_umwait(model), "uncore", model_uncore(model), "msr",
		has_msrs ? msr_member(model) : json_null(), "sst", sst, "io_sst", io_sst);
}

json_t *model_make(const struct machine *machine, struct platform *platform,
		   const struct asked *asked, const struct kernel_files *files)
{
	struct model model = {
		.machine = machine,
		.platform = platform,
		.asked = asked,
		.files = files,
		.is_tpmi = platform && platform->transport && platform->shows_power_domains,
		.is_mailbox = platform && platform->transport && !platform->shows_power_domains,
		.first_cpu = cpuset_next(&machine->topology.online, 0),
		.n_cpus = (size_t)cpuset_last(&machine->topology.present) + 1,
	};
	json_t *members = NULL;

	if (model_find_places(&model) == 0)
		members = put_together(&model);
	model_done(&model);
	return members;
}

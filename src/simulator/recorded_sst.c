// SPDX-License-Identifier: GPL-2.0-only
/* Fills MSRs and Speed Select of a recorded machine. Each answer sets the fuses or the first
 * settings of the power domain that gave it. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/units.h"
#include "isst_abi.h"
#include "simulator/driver.h"
#include "simulator/recorded.h"

#define LEVELS           PUNIT_MAX_LEVELS
#define FAMILY           6
#define MODEL_SKYLAKE_X  0x55
#define CLOS_OPEN        0x00ff0000 /* no limits */
#define MSR_TURBO_LIMITS 0x1ad
#define MSR_TURBO_COUNTS 0x1ae
#define MAX_RATIO        255
#define MAX_PRIORITY     15
#define COMMAND_LEVELS   0x7f
#define COMMAND_PM       0x94
#define COMMAND_CLOS     0xd0
#define SUB_LEVELS_INFO  0x00
#define SUB_CONTROL      0x01
#define QOS_REGISTER     0x04
#define CLOS_REGISTER    0x08
#define ASSOC_REGISTER   0x20

/* The requests about Speed Select that a domain has answered. */
enum { HAS_LEVELS = 1, HAS_CORE_POWER = 2, HAS_CLOS_SWITCH = 4, HAS_ALL = 7 };

/* A power domain while it is filled; levels[n] is level n. */
struct filled {
	struct sim_domain *domain;
	struct punit_level levels[LEVELS];
	uint8_t level_mask;
	uint8_t features_on[LEVELS]; /* of mailbox parts: 1 SST-TF, 2 SST-BF */
	uint8_t answered;
};

/* Returns the domain of a request, or NULL. TPMI requests name the domain, others a CPU. */
static struct sim_domain *find_domain(const struct sim_platform *platform,
				      const struct request_item *item)
{
	uint64_t cpu = requests_member(item, "logical_cpu");
	uint64_t package = requests_member(item, "socket_id");
	uint64_t number = requests_member(item, "power_domain_id");

	if (platform->interface != SIM_INTERFACE_TPMI)
		return cpu < platform->n_cpus ? &platform->domains[platform->cpus[cpu].domain]
					      : NULL;
	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (domain->socket == package && domain->punit == number)
			return domain;
	}
	return NULL;
}

/* Mailbox parts. */

static void take_control(struct filled *filled, uint8_t number, uint32_t answer)
{
	filled->levels[number].has_turbo_freq = answer & 1;
	filled->levels[number].has_base_freq = answer >> 1 & 1;
	filled->features_on[number] = answer >> 16 & 3;
}

/* Firmware without SST-PP refuses GET_LEVELS_INFO. */
static void take_levels_info(struct filled *filled, uint32_t answer, int error)
{
	struct punit_fuses *fuses = &filled->domain->fuses;

	if (error && error != -ENXIO)
		return;
	filled->answered |= HAS_LEVELS;
	fuses->locked = error || answer >> 24 & 1;
	if (error)
		return;
	fuses->pp_version = (uint8_t)answer;
	fuses->pp_enabled = answer >> 31;
	filled->domain->initial.current_level = (uint8_t)(answer >> 16);
}

/* A level exists if GET_TDP_CONTROL is answered, or fails with another error than -ENXIO. */
static void take_level_word(struct filled *filled, const struct isst_if_mbox_cmd *command,
			    int error)
{
	uint8_t number = (uint8_t)(command->req_data & 0xff);

	if (command->sub_command == SUB_LEVELS_INFO) {
		take_levels_info(filled, command->resp_data, error);
		return;
	}
	if (number >= LEVELS)
		return;
	if (command->sub_command == SUB_CONTROL && error != -ENXIO)
		filled->level_mask |= (uint8_t)(1U << number);
	if (!error && command->sub_command == SUB_CONTROL)
		take_control(filled, number, command->resp_data);
	else if (!error)
		punit_take_answer(&filled->levels[number], (uint8_t)command->sub_command,
				  command->req_data, command->resp_data);
}

/* Stores an association, a CLOS or the switch of SST-CP, as a write to the model's register. */
static void take_register(struct filled *filled, uint32_t number, uint32_t value)
{
	struct punit punit = { .state = &filled->domain->initial };

	punit_mmio(&punit, number, true, value);
	if (number == QOS_REGISTER)
		filled->answered |= HAS_CLOS_SWITCH;
}

static void take_mailbox(struct filled *filled, const struct request_item *item)
{
	struct isst_if_mbox_cmd command;
	uint32_t id;

	memcpy(&command, item->bytes, sizeof(command));
	id = command.parameter & 0xff;
	if (command.command == COMMAND_LEVELS) {
		take_level_word(filled, &command, item->error);
	} else if (item->error) {
		return;
	} else if (command.command == COMMAND_PM) {
		filled->answered |= HAS_CORE_POWER;
		filled->domain->fuses.cp_supported = command.resp_data & 1;
		filled->domain->initial.cp_enabled =
			command.resp_data & 1 && command.resp_data >> 16 & 1;
	} else if (command.command == COMMAND_CLOS) {
		take_register(filled,
			      command.sub_command == 0   ? ASSOC_REGISTER + 4 * id
			      : command.sub_command == 1 ? CLOS_REGISTER + 4 * id
							 : QOS_REGISTER,
			      command.resp_data);
	}
}

/* TPMI parts. */

static uint8_t ratio_of(uint32_t mhz)
{
	uint32_t ratio = mhz / MHZ_PER_RATIO;

	return (uint8_t)(ratio < MAX_RATIO ? ratio : MAX_RATIO);
}

/* Returns true if a level has a feature, according to the support member of PERF_LEVELS. */
static bool has_feature(const struct sim_platform *platform, uint8_t support, uint8_t level)
{
	return platform->api_version < ISST_API_TPMI_MASKS ? support : support >> level & 1;
}

static void take_levels(const struct sim_platform *platform, struct filled *filled,
			const struct request_item *item)
{
	struct punit_fuses *fuses = &filled->domain->fuses;
	struct isst_perf_level_info info;

	memcpy(&info, item->bytes, sizeof(info));
	filled->answered |= HAS_LEVELS;
	filled->level_mask = info.enabled ? info.level_mask : 1;
	fuses->pp_enabled = info.enabled;
	fuses->pp_version = info.feature_rev;
	fuses->locked = info.locked;
	filled->domain->initial.current_level = info.current_level;
	filled->domain->initial.base_freq_on = (info.feature_state & ISST_FEATURE_BF) != 0;
	filled->domain->initial.turbo_freq_on = (info.feature_state & ISST_FEATURE_TF) != 0;
	for (uint8_t i = 0; i < LEVELS; i++) {
		filled->levels[i].has_base_freq = has_feature(platform, info.sst_bf_support, i);
		filled->levels[i].has_turbo_freq = has_feature(platform, info.sst_tf_support, i);
	}
}

static void take_core_power(struct filled *filled, const struct request_item *item)
{
	struct punit_state *initial = &filled->domain->initial;
	struct isst_core_power state;

	memcpy(&state, item->bytes, sizeof(state));
	filled->answered |= HAS_CORE_POWER | HAS_CLOS_SWITCH;
	filled->domain->fuses.cp_supported = state.supported;
	initial->cp_enabled = initial->clos_enabled = state.supported && state.enable;
	initial->clos_ordered = state.priority_type != 0;
}

static void take_clos(struct filled *filled, const struct request_item *item)
{
	struct isst_clos_param param;

	memcpy(&param, item->bytes, sizeof(param));
	filled->domain->initial.clos[param.clos % PUNIT_CLOS_COUNT] =
		(uint32_t)(param.prop_prio & MAX_PRIORITY) << 4 |
		(uint32_t)ratio_of(param.min_freq_mhz) << 8 |
		(uint32_t)ratio_of(param.max_freq_mhz) << 16;
}

static void take_assoc(struct filled *filled, const struct request_item *item)
{
	struct isst_if_clos_assoc assoc;

	memcpy(&assoc, item->bytes, sizeof(assoc));
	if (assoc.logical_cpu < PUNIT_MAX_CORES && assoc.clos < PUNIT_CLOS_COUNT)
		filled->domain->initial.association[assoc.logical_cpu] = (uint8_t)assoc.clos;
}

/* Stores the answer to a request. Requests that fail count only on mailbox parts, because they show
 * there which features exist. */
static void take_item(const struct sim_platform *platform, struct filled *filled,
		      const struct request_item *item)
{
	struct isst_if_io_reg reg;
	uint64_t level = requests_member(item, "level");

	if (item->request == ISST_IF_MBOX_COMMAND) {
		take_mailbox(filled, item);
		return;
	}
	if (item->error)
		return;
	switch (item->request) {
	case ISST_IF_IO_CMD:
		memcpy(&reg, item->bytes, sizeof(reg));
		take_register(filled, reg.reg, reg.value);
		break;
	case ISST_IF_PERF_LEVELS:
		take_levels(platform, filled, item);
		break;
	case ISST_IF_CORE_POWER_STATE:
		take_core_power(filled, item);
		break;
	case ISST_IF_CLOS_PARAM:
		take_clos(filled, item);
		break;
	case ISST_IF_CLOS_ASSOC:
		take_assoc(filled, item);
		break;
	default:
		if (level < LEVELS)
			driver_tpmi_take_answer(item, &filled->levels[level]);
	}
}

/* MSRs of packages. */

static void take_msr(struct sim_platform *platform, const struct request_item *item)
{
	struct isst_if_msr_cmd command;
	struct punit_package *package;

	memcpy(&command, item->bytes, sizeof(command));
	if (item->error || command.logical_cpu >= platform->n_cpus)
		return;
	package = &platform->msrs[platform->cpus[command.logical_cpu].package];
	if (command.msr == MSR_TURBO_LIMITS)
		package->turbo_ratio_limit = command.data;
	else if (command.msr == MSR_TURBO_COUNTS)
		package->turbo_ratio_limit_cores = command.data;
}

/* Completion of a domain. */

/* Returns the number of rows up to the last row that has ratios; at least 1. */
static uint8_t count_rows(uint8_t ratios[PUNIT_TRL_LEVELS][PUNIT_BUCKETS])
{
	uint8_t n_rows = 1;

	for (uint8_t i = 0; i < PUNIT_TRL_LEVELS; i++) {
		if (punit_pack_buckets(ratios[i]))
			n_rows = i + 1;
	}
	return n_rows;
}

static void unpack_buckets(uint64_t word, uint8_t buckets[PUNIT_BUCKETS])
{
	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		buckets[i] = (uint8_t)(word >> 8 * i);
}

/* Completes a level of a mailbox part. Core counts are in an MSR; on the Skylake generation without
 * SST-PP the ratios too. A base ratio that is not reported is the TDP ratio. */
static void complete_level(const struct sim_platform *platform, const struct sim_domain *domain,
			   struct punit_level *level)
{
	const struct punit_package *msrs = &platform->msrs[domain->package];
	bool is_skylake = platform->cpu.family == FAMILY && platform->cpu.model == MODEL_SKYLAKE_X;

	unpack_buckets(msrs->turbo_ratio_limit_cores, level->turbo_core_counts);
	if (is_skylake && !domain->fuses.pp_enabled)
		unpack_buckets(msrs->turbo_ratio_limit, level->turbo_ratios[0]);
	level->base_ratio_sse = level->base_ratio_sse ?: level->tdp_ratio;
}

/* A level without a core mask enables all cores. */
static void finish_level(const struct sim_platform *platform, const struct sim_domain *domain,
			 uint8_t number, struct punit_level *level)
{
	uint64_t cores = cpuset_is_empty(&domain->cores) ? 0 : domain->cores.words[0];

	level->level = number;
	level->core_mask = level->core_mask ? level->core_mask & cores : cores;
	level->base_freq.core_mask &= level->core_mask;
	if (platform->interface == SIM_INTERFACE_MAILBOX)
		complete_level(platform, domain, level);
	else
		level->tdp_ratio = level->base_ratio_sse;
	level->n_turbo_rows = count_rows(level->turbo_ratios);
	level->turbo_freq.n_rows = count_rows(level->turbo_freq.ratios);
	level->turbo_freq.n_clips = PUNIT_TRL_LEVELS;
	level->has_uncore1 = level->uncore[1].max_ratio != 0;
}

/* Stores the levels that exist, and for mailbox parts the features of the present level. */
static void finish_domain(const struct sim_platform *platform, struct filled *filled)
{
	struct sim_domain *domain = filled->domain;
	struct punit_fuses *fuses = &domain->fuses;
	uint8_t current = domain->initial.current_level;

	fuses->clos_by_mailbox = platform->interface == SIM_INTERFACE_MAILBOX &&
				 platform->cpu.family == FAMILY &&
				 platform->cpu.model == MODEL_SKYLAKE_X;
	if (current < LEVELS && platform->interface == SIM_INTERFACE_MAILBOX) {
		filled->level_mask |= (uint8_t)(1U << current);
		domain->initial.turbo_freq_on = filled->features_on[current] & 1;
		domain->initial.base_freq_on = filled->features_on[current] >> 1 & 1;
	}
	for (uint8_t i = 0; i < LEVELS; i++) {
		if (!(filled->level_mask >> i & 1))
			continue;
		finish_level(platform, domain, i, &filled->levels[i]);
		fuses->levels[fuses->n_levels++] = filled->levels[i];
	}
	fuses->allowed_level_mask = filled->level_mask;
	domain->has_sst = domain->has_sst && filled->answered == HAS_ALL && current < LEVELS &&
			  filled->level_mask >> current & 1;
}

static void add_masked_cores(struct json_reader *reader, struct filled *filled)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < LEVELS; i++)
		mask |= filled->levels[i].core_mask;
	for (uint32_t core = 0; core < 64 && !cpuset_is_empty(&filled->domain->cpus); core++) {
		if (mask >> core & 1 && cpuset_add(&filled->domain->cores, core))
			json_refuse_memory(reader);
	}
}

void recorded_fill_sst(struct json_reader *reader, struct sim_platform *platform)
{
	_cleanup_free_ struct filled *all = calloc(platform->n_domains, sizeof(*all));
	struct request_item item;
	size_t position = 0;

	platform->has_msrs = platform->interface != SIM_INTERFACE_NONE;
	platform->msrs = calloc(SIM_MAX_PACKAGES, sizeof(*platform->msrs));
	if (json_lacks_memory(reader, !all || !platform->msrs))
		return;
	for (size_t i = 0; i < platform->n_domains; i++) {
		all[i].domain = &platform->domains[i];
		for (size_t j = 0; j < PUNIT_CLOS_COUNT; j++)
			all[i].domain->initial.clos[j] = CLOS_OPEN;
	}
	while (recording_next(platform->recording, &position, &item)) {
		const struct sim_domain *domain = find_domain(platform, &item);

		if (item.request == ISST_IF_MSR_COMMAND)
			take_msr(platform, &item);
		else if (domain)
			take_item(platform, &all[domain - platform->domains], &item);
	}
	for (size_t i = 0; i < platform->n_domains; i++) {
		bool is_io = cpuset_is_empty(&platform->domains[i].cpus);

		add_masked_cores(reader, &all[i]);
		finish_domain(platform, &all[i]);
		platform->has_sst |= platform->domains[i].has_sst && !is_io;
		platform->has_io_sst |= platform->domains[i].has_sst && is_io;
	}
}

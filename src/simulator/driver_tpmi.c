// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPMI back end (hardware.md, section 4): which block a request names, what the driver checks
 * before it touches a register, and what it sets. Every error becomes ENOTTY on its way out.
 */
#include "simulator/driver_tpmi.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define RATIO_MHZ      100
#define MAX_RATIO      255
#define MAX_PRIORITY   15
#define MAX_CLOS       3
#define MAX_CORE       63
#define CORES_PER_WORD 16
#define FOLLOWS_READS  50 /* of the status, until the driver gives a level up */

#define CP_CONTROL      1
#define CP_STATUS       2
#define CP_CLOS         3
#define CP_ASSOCIATIONS 7
#define PP_HEADER       0
#define PP_PARTS        1
#define PP_LEVELS       2
#define PP_CONTROL      3
#define PP_STATUS       4

/* A request on one block. */
struct block_request {
	uint32_t number;
	uint8_t socket_offset; /* of socket_id, with power_domain_id behind it */
	bool sets; /* always; where not, those with get_set do if it says so */
	bool has_get_set; /* as its first byte */
	bool needs_hwp; /* to set */
	uint8_t value_offset; /* of the first byte of what is set: faults invert its bits */
	int (*run)(struct tpmi_block *block, uint16_t api, void *argument);
};

static uint64_t read_register(struct tpmi_block *block, uint32_t quadword)
{
	return punit_tpmi_read(&block->punit, quadword);
}

uint64_t driver_tpmi_read_pp(struct tpmi_block *block, uint32_t word)
{
	return read_register(block, block->pp + word);
}

uint64_t driver_tpmi_read_cp(struct tpmi_block *block, uint32_t word)
{
	return read_register(block, block->cp + word);
}

void driver_tpmi_write_pp(struct tpmi_block *block, uint32_t word, uint64_t value)
{
	punit_tpmi_write(&block->punit, &block->manner, block->pp + word, value);
}

void driver_tpmi_write_cp(struct tpmi_block *block, uint32_t word, uint64_t value)
{
	punit_tpmi_write(&block->punit, &block->manner, block->cp + word, value);
}

uint64_t driver_tpmi_read_level(struct tpmi_block *block, uint32_t level, enum tpmi_part part,
				uint32_t word)
{
	uint32_t first = driver_tpmi_field(driver_tpmi_read_pp(block, PP_LEVELS), 8 * level, 8);
	uint32_t offset = driver_tpmi_field(driver_tpmi_read_pp(block, PP_PARTS), 8 * part, 8);

	return driver_tpmi_read_pp(block, first + offset + word);
}

bool driver_tpmi_has_level(struct tpmi_block *block, uint32_t level)
{
	return level < PUNIT_MAX_LEVELS &&
	       driver_tpmi_field(driver_tpmi_read_pp(block, PP_HEADER), 12 + level, 1);
}

/* With HWP off nothing that needs it is set. Only intel_pstate switches it on. */
static bool is_hwp_off(const struct driver *driver)
{
	const struct sim_platform *platform = driver->state->platform;

	return faults_settings(driver->faults)->hwp_off || !platform->has_cpufreq ||
	       strncmp(platform->cpufreq.driver, "intel_", strlen("intel_")) != 0;
}

/* The domain of these ids, or the number of domains. */
static size_t find_domain(const struct sim_platform *platform, uint32_t package, uint32_t id)
{
	size_t i = 0;

	while (i < platform->n_domains &&
	       (!platform->domains[i].has_sst || platform->domains[i].package != package ||
		platform->domains[i].punit != id))
		i++;
	return i;
}

static int find_block(struct driver *driver, uint32_t package, uint32_t id,
		      struct tpmi_block *ret_block)
{
	const struct fault_settings *settings = faults_settings(driver->faults);
	size_t domain = find_domain(driver->state->platform, package, id);
	struct tpmi_block *block = ret_block;
	uint64_t header;

	if (domain == driver->state->platform->n_domains)
		return -EINVAL;
	*block = (struct tpmi_block){
		.punit = state_punit(driver->state, domain),
		.manner = { .slow_reads = settings->slow_status,
			    .is_deaf = settings->ignored_writes },
	};
	block->fuses = *block->punit.fuses;
	block->fuses.locked = block->fuses.locked || settings->locked;
	if (settings->has_allowed_levels)
		block->fuses.allowed_level_mask = settings->allowed_levels;
	block->punit.fuses = &block->fuses;
	header = read_register(block, 0);
	block->cp = driver_tpmi_field(header, 16, 8);
	block->pp = driver_tpmi_field(header, 24, 8);
	return 0;
}

static int set_core_power(struct tpmi_block *block, const struct isst_core_power_state *state)
{
	uint64_t control = driver_tpmi_read_cp(block, CP_CONTROL) & ~UINT64_C(3);

	control |= (state->enable ? 1U : 0) | (state->priority_type ? 2U : 0);
	driver_tpmi_write_cp(block, CP_CONTROL, control);
	return 0;
}

static int core_power_state(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_core_power_state *state = argument;
	bool is_supported = driver_tpmi_field(read_register(block, 0), 8, 1);
	uint64_t status;

	(void)api;
	/* On parts that lack SST-CP the driver writes all the same, and firmware ignores it. */
	if (state->get_set)
		return set_core_power(block, state);
	status = driver_tpmi_read_cp(block, CP_STATUS);
	state->supported = is_supported;
	state->enable = (__u8)driver_tpmi_field(status, 0, 1);
	state->priority_type = (__u8)driver_tpmi_field(status, 1, 1);
	return 0;
}

static int set_clos(struct tpmi_block *block, const struct isst_clos_param *param)
{
	uint32_t min = param->min_freq_mhz / RATIO_MHZ, max = param->max_freq_mhz / RATIO_MHZ;
	uint64_t word = driver_tpmi_read_cp(block, CP_CLOS + param->clos) & ~UINT64_C(0xfffff0);

	if (min > MAX_RATIO || max > MAX_RATIO || param->prop_prio > MAX_PRIORITY)
		return -EINVAL;
	word |= (uint64_t)param->prop_prio << 4 | (uint64_t)min << 8 | (uint64_t)max << 16;
	driver_tpmi_write_cp(block, CP_CLOS + param->clos, word);
	return 0;
}

static int clos_param(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_clos_param *param = argument;
	uint64_t word;

	(void)api;
	if (param->clos > MAX_CLOS)
		return -EINVAL;
	if (param->get_set)
		return set_clos(block, param);
	word = driver_tpmi_read_cp(block, CP_CLOS + param->clos);
	param->prop_prio = (__u8)driver_tpmi_field(word, 4, 4);
	param->min_freq_mhz = (__u16)(driver_tpmi_field(word, 8, 8) * RATIO_MHZ);
	param->max_freq_mhz = (__u16)(driver_tpmi_field(word, 16, 8) * RATIO_MHZ);
	return 0;
}

/* SST-PP: a level that firmware does not follow is -EFAULT; one that it does loses its features. */
static int set_level(struct tpmi_block *block, uint16_t api, void *argument)
{
	const struct isst_perf_set_level *wanted = argument;
	uint64_t header = driver_tpmi_read_pp(block, PP_HEADER), control;

	(void)api;
	if (!driver_tpmi_has_level(block, wanted->level) ||
	    !driver_tpmi_field(header, 20 + wanted->level, 1) ||
	    driver_tpmi_field(driver_tpmi_read_pp(block, PP_STATUS), 0, 3) == wanted->level)
		return -EINVAL;
	control = driver_tpmi_read_pp(block, PP_CONTROL);
	driver_tpmi_write_pp(block, PP_CONTROL, (control & ~UINT64_C(7)) | wanted->level);
	for (int i = 0;
	     driver_tpmi_field(driver_tpmi_read_pp(block, PP_STATUS), 0, 3) != wanted->level; i++) {
		if (i == FOLLOWS_READS)
			return -EFAULT;
	}
	control = driver_tpmi_read_pp(block, PP_CONTROL);
	driver_tpmi_write_pp(block, PP_CONTROL, control & ~UINT64_C(0xff00));
	return 0;
}

static int set_feature(struct tpmi_block *block, uint16_t api, void *argument)
{
	const struct isst_perf_set_feature *wanted = argument;
	uint64_t control = driver_tpmi_read_pp(block, PP_CONTROL) & ~UINT64_C(0xff00);

	(void)api;
	driver_tpmi_write_pp(block, PP_CONTROL, control | (uint64_t)(wanted->feature & 3) << 8);
	return 0;
}

static const struct block_request block_requests[] = {
	{ .number = ISST_CORE_POWER_STATE,
	  .socket_offset = 1,
	  .has_get_set = true,
	  .needs_hwp = true,
	  .value_offset = offsetof(struct isst_core_power_state, enable),
	  .run = core_power_state },
	{ .number = ISST_CLOS_PARAM,
	  .socket_offset = 1,
	  .has_get_set = true,
	  .value_offset = offsetof(struct isst_clos_param, prop_prio),
	  .run = clos_param },
	{ .number = ISST_PERF_LEVELS, .run = driver_tpmi_perf_levels },
	{ .number = ISST_PERF_SET_LEVEL,
	  .sets = true,
	  .needs_hwp = true,
	  .value_offset = offsetof(struct isst_perf_set_level, level),
	  .run = set_level },
	{ .number = ISST_PERF_SET_FEATURE,
	  .sets = true,
	  .needs_hwp = true,
	  .value_offset = offsetof(struct isst_perf_set_feature, feature),
	  .run = set_feature },
	{ .number = ISST_GET_PERF_LEVEL_INFO, .run = driver_tpmi_level_info },
	{ .number = ISST_GET_PERF_LEVEL_CPU_MASK, .run = driver_tpmi_level_cpu_mask },
	{ .number = ISST_GET_BASE_FREQ_INFO, .run = driver_tpmi_base_freq_info },
	{ .number = ISST_GET_BASE_FREQ_CPU_MASK, .run = driver_tpmi_base_freq_cpu_mask },
	{ .number = ISST_GET_TURBO_FREQ_INFO, .run = driver_tpmi_turbo_freq_info },
	{ .number = ISST_GET_PERF_LEVEL_FABRIC_INFO, .run = driver_tpmi_fabric_info },
};

static const struct block_request *find_block_request(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(block_requests); i++) {
		if (block_requests[i].number == number)
			return &block_requests[i];
	}
	return NULL;
}

/* May this process, and does this machine, set anything? */
static int check_setting(const struct driver *driver, bool needs_hwp)
{
	if (faults_deny_capability(driver->faults) ||
	    faults_settings(driver->faults)->blocked_writes)
		return -EPERM;
	return needs_hwp && is_hwp_off(driver) ? -EINVAL : 0;
}

/* A request on a block meets its faults; then the lock is taken. */
static int begin(struct driver *driver, uint32_t number, bool sets, uint32_t package, uint32_t id,
		 struct sim_fault_effect *ret_effect)
{
	const struct sim_fault_event event = {
		.point = SIM_FAULT_TPMI,
		.number = number,
		.parameter = package,
		.data = id,
		.write = sets,
	};

	*ret_effect = driver_meet_faults(driver, &event);
	return ret_effect->error ?: state_lock(driver->state);
}

/* The request itself, unless it sets and is ignored; what it sets may be altered on its way. */
static int run_request(struct driver *driver, const struct block_request *request,
		       struct tpmi_block *block, const struct sim_fault_effect *effect,
		       void *argument)
{
	uint8_t *value = (uint8_t *)argument + request->value_offset, flip = (uint8_t)effect->flip;
	int err;

	if (effect->ignored)
		return 0;
	if (flip)
		*value ^= flip;
	err = request->run(block, driver->state->platform->api_version, argument);
	if (flip)
		*value ^= flip;
	return err;
}

static int run_on_block(struct driver *driver, const struct block_request *request, void *argument)
{
	const uint8_t *bytes = argument, *ids = bytes + request->socket_offset;
	bool sets = request->sets || (request->has_get_set && bytes[0]);
	int err = sets ? check_setting(driver, request->needs_hwp) : 0;
	struct sim_fault_effect effect;
	struct tpmi_block block;

	err = err ?: begin(driver, request->number, sets, ids[0], ids[1], &effect);
	if (err)
		return err;
	err = find_block(driver, ids[0], ids[1], &block);
	err = err ?: run_request(driver, request, &block, &effect, argument);
	state_unlock(driver->state);
	return err;
}

static int count_instances(struct driver *driver, struct isst_tpmi_instances *instances)
{
	const struct sim_platform *platform = driver->state->platform;
	uint16_t mask = 0;
	uint8_t count = 0;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (domain->package != instances->socket_id || !domain->has_sst)
			continue;
		mask = (uint16_t)(mask | 1U << domain->punit);
		if (domain->punit >= count)
			count = (uint8_t)(domain->punit + 1);
	}
	if (!mask)
		return -EINVAL;
	instances->count = count;
	instances->valid_mask = mask;
	return 0;
}

/* One association; the lock is held. */
static int associate(struct driver *driver, bool sets, const struct sim_fault_effect *effect,
		     struct isst_clos_assoc *assoc)
{
	uint32_t clos = assoc->clos ^ (uint32_t)effect->flip;
	uint32_t word = CP_ASSOCIATIONS + assoc->logical_cpu / CORES_PER_WORD;
	unsigned int lowest = 4 * (assoc->logical_cpu % CORES_PER_WORD);
	struct tpmi_block block;
	uint64_t value;
	int err = find_block(driver, assoc->socket_id, assoc->power_domain_id, &block);

	if (err || assoc->logical_cpu > MAX_CORE || clos > MAX_CLOS)
		return err ?: -EINVAL;
	if (effect->ignored)
		return 0;
	value = driver_tpmi_read_cp(&block, word);
	if (sets)
		driver_tpmi_write_cp(&block, word,
				     (value & ~(UINT64_C(0xf) << lowest)) | (uint64_t)clos
										    << lowest);
	else
		assoc->clos = (__u16)driver_tpmi_field(value, lowest, 4);
	return 0;
}

static int run_associations(struct driver *driver, struct isst_clos_assocs *assocs)
{
	int err = assocs->get_set ? check_setting(driver, false) : 0;

	if (!assocs->cmd_count || assocs->cmd_count > ISST_ENTRIES_PER_CALL ||
	    assocs->punit_cpu_map != 1)
		return -EINVAL;
	for (uint16_t i = 0; i < assocs->cmd_count && !err; i++) {
		struct isst_clos_assoc *assoc = &assocs->entries[i];
		struct sim_fault_effect effect;

		err = begin(driver, ISST_CLOS_ASSOC, assocs->get_set, assoc->socket_id,
			    assoc->power_domain_id, &effect);
		if (err)
			break;
		err = associate(driver, assocs->get_set, &effect, assoc);
		state_unlock(driver->state);
	}
	return err;
}

bool driver_tpmi_answers(const struct sim_platform *platform, uint32_t number)
{
	return platform->interface == SIM_INTERFACE_TPMI &&
	       (find_block_request(number) || number == ISST_COUNT_TPMI_INSTANCES ||
		number == ISST_CLOS_ASSOC);
}

int driver_tpmi_request(struct driver *driver, uint32_t number, void *argument)
{
	int err;

	if (number == ISST_COUNT_TPMI_INSTANCES)
		err = count_instances(driver, argument);
	else if (number == ISST_CLOS_ASSOC)
		err = run_associations(driver, argument);
	else
		err = run_on_block(driver, find_block_request(number), argument);
	return err ? -ENOTTY : 0;
}

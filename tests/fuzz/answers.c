// SPDX-License-Identifier: GPL-2.0-only
/* Answers of the driver, distorted: for each request that the driver does, a byte says what becomes
 * of it, and further bytes which of the answer's bytes are changed and how. The members that name
 * the object of a request stay, as the driver does not change them (hardware.md, sections 2 and 4).
 */
#include <errno.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "machine.h"

/* Where the answers are in a request. */
struct answer_place {
	uint32_t request;
	size_t first; /* entry; 0 where there are no entries */
	size_t stride;
	size_t from; /* within the entry, or the structure */
	size_t size;
};

#define BEHIND(number, type, member)                                        \
	{                                                                   \
		.request = (number), .from = offsetof(struct type, member), \
		.size = sizeof(struct type) - offsetof(struct type, member) \
	}
#define ENTRY(number, list, type, member)                                             \
	{                                                                             \
		.request = (number), .first = offsetof(struct list, entries),         \
		.stride = sizeof(struct type), .from = offsetof(struct type, member), \
		.size = sizeof(((struct type *)0)->member)                            \
	}

static const struct answer_place places[] = {
	BEHIND(ISST_IF_GET_PLATFORM_INFO, isst_if_platform_info, api_version),
	ENTRY(ISST_IF_GET_PHY_ID, isst_if_cpu_maps, isst_if_cpu_map, physical_cpu),
	ENTRY(ISST_IF_IO_CMD, isst_if_io_regs, isst_if_io_reg, value),
	ENTRY(ISST_IF_MBOX_COMMAND, isst_if_mbox_cmds, isst_if_mbox_cmd, resp_data),
	ENTRY(ISST_IF_MSR_COMMAND, isst_if_msr_cmds, isst_if_msr_cmd, data),
	ENTRY(ISST_IF_CLOS_ASSOC, isst_if_clos_assoc_cmds, isst_if_clos_assoc, clos),
	BEHIND(ISST_IF_COUNT_TPMI_INSTANCES, isst_tpmi_instance_count, count),
	BEHIND(ISST_IF_CORE_POWER_STATE, isst_core_power, enable),
	BEHIND(ISST_IF_CLOS_PARAM, isst_clos_param, min_freq_mhz),
	BEHIND(ISST_IF_PERF_LEVELS, isst_perf_level_info, max_level),
	BEHIND(ISST_IF_GET_PERF_LEVEL_INFO, isst_perf_level_data_info, tdp_ratio),
	BEHIND(ISST_IF_GET_PERF_LEVEL_CPU_MASK, isst_perf_level_cpu_mask, mask),
	BEHIND(ISST_IF_GET_BASE_FREQ_INFO, isst_base_freq_info, high_base_freq_mhz),
	BEHIND(ISST_IF_GET_BASE_FREQ_CPU_MASK, isst_perf_level_cpu_mask, mask),
	BEHIND(ISST_IF_GET_TURBO_FREQ_INFO, isst_turbo_freq_info, max_clip_freqs),
	BEHIND(ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, isst_perf_level_fabric_info, max_fabrics),
};

static const int refusals[] = { -ENXIO, -EINVAL, -EBUSY, -EINTR, -EPERM, -ENOTTY, -ENODEV, -EIO };

#define IS_REFUSED 0x80U
#define IS_SHORT   0x40U
#define CHANGES    0x0fU

static void change_bytes(struct fuzz_input *input, uint8_t *bytes, size_t size, unsigned int count)
{
	while (count-- > 0) {
		size_t at = fuzz_byte(input);

		bytes[at % size] ^= fuzz_byte(input);
	}
}

static void change_place(struct fuzz_input *input, const struct answer_place *place,
			 uint8_t *argument, size_t n_done, unsigned int count)
{
	size_t entry = place->first ? fuzz_byte(input) % n_done : 0;

	change_bytes(input, argument + place->first + entry * place->stride + place->from,
		     place->size, count);
}

int fuzz_answers_distort(struct fuzz_input *input, uint32_t request, void *argument, int result)
{
	unsigned int control = fuzz_byte(input);

	if (control & IS_REFUSED)
		return refusals[control % ARRAY_SIZE(refusals)];
	if (result < 0)
		return result;
	for (size_t i = 0; i < ARRAY_SIZE(places) && control & CHANGES; i++) {
		if (places[i].request == request)
			change_place(input, &places[i], argument, result > 0 ? (size_t)result : 1,
				     control & CHANGES);
	}
	return control & IS_SHORT && result > 1 ? result - 1 : result;
}

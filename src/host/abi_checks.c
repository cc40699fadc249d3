// SPDX-License-Identifier: GPL-2.0-only
/* Checks at compile time that isst_abi.h agrees with hardware.md, sections 2 and 4: request
 * numbers, sizes and last members. With CHECK_SYSTEM (meson.build), the file checks the system's
 * linux/isst_if.h instead, for the structures that this header has. Nothing here is linked in. */
#include <stddef.h>

#ifdef CHECK_SYSTEM
#include <sys/ioctl.h>

#include <linux/isst_if.h>
#define CHECK_LAST(type, member, offset) _Static_assert(1, "names of members can differ")
#else
#include "isst_abi.h"
#define CHECK_LAST(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
#endif

#define CHECK_TYPE(type, size, last, at)                      \
	_Static_assert(sizeof(struct type) == (size), #type); \
	CHECK_LAST(type, last, at)

/* Checks a request and its structure. A request number contains the size of a pointer. */
#define CHECK(name, number, type, size, last, at)                                 \
	_Static_assert(sizeof(void *) != 8 || ISST_IF_##name == (number), #name); \
	CHECK_TYPE(type, size, last, at)

CHECK(GET_PLATFORM_INFO, 0x8008fe00, isst_if_platform_info, 8, mmio_supported, 7);
CHECK(GET_PHY_ID, 0xc008fe01, isst_if_cpu_maps, 12, entries, 4);
CHECK(IO_CMD, 0x4008fe02, isst_if_io_regs, 20, entries, 4);
CHECK(MBOX_COMMAND, 0xc008fe03, isst_if_mbox_cmds, 28, entries, 4);
CHECK(MSR_COMMAND, 0xc008fe04, isst_if_msr_cmds, 32, entries, 8);
CHECK_TYPE(isst_if_cpu_map, 8, physical_cpu, 4);
CHECK_TYPE(isst_if_io_reg, 16, value, 12);
CHECK_TYPE(isst_if_mbox_cmd, 24, reserved, 20);
CHECK_TYPE(isst_if_msr_cmd, 24, data, 16);
#ifdef ISST_IF_COUNT_TPMI_INSTANCES
CHECK(COUNT_TPMI_INSTANCES, 0x8008fe05, isst_tpmi_instance_count, 4, valid_mask, 2);
CHECK(CORE_POWER_STATE, 0xc008fe06, isst_core_power, 6, priority_type, 5);
CHECK(CLOS_PARAM, 0xc008fe07, isst_clos_param, 10, prop_prio, 8);
CHECK(CLOS_ASSOC, 0xc008fe08, isst_if_clos_assoc_cmds, 12, entries, 6);
CHECK_TYPE(isst_if_clos_assoc, 6, clos, 4);
CHECK(PERF_LEVELS, 0xc008fe09, isst_perf_level_info, 11, sst_bf_support, 10);
CHECK(PERF_SET_LEVEL, 0x4008fe0a, isst_perf_level_control, 3, level, 2);
CHECK(PERF_SET_FEATURE, 0x4008fe0b, isst_perf_feature_control, 3, feature, 2);
CHECK(GET_PERF_LEVEL_INFO, 0x8008fe0c, isst_perf_level_data_info, 154, trl_freq_mhz, 58);
CHECK(GET_PERF_LEVEL_CPU_MASK, 0x8008fe0d, isst_perf_level_cpu_mask, 24, cpu_buffer, 18);
CHECK(GET_BASE_FREQ_INFO, 0x8008fe0e, isst_base_freq_info, 12, thermal_design_power_w, 10);
CHECK(GET_BASE_FREQ_CPU_MASK, 0x8008fe0f, isst_perf_level_cpu_mask, 24, cpu_buffer, 18);
CHECK(GET_TURBO_FREQ_INFO, 0x8008fe10, isst_turbo_freq_info, 134, trl_freq_mhz, 38);
#endif
#ifdef ISST_IF_GET_PERF_LEVEL_FABRIC_INFO
CHECK(GET_PERF_LEVEL_FABRIC_INFO, 0x8008fe11, isst_perf_level_fabric_info, 54, pm_fabric_freq_mhz,
      38);
#endif

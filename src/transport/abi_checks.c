// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds isst_abi.h against hardware.md, sections 2 and 4: every request number, size and offset,
 * when the program is compiled. Nothing here is linked in.
 */
#include <stddef.h>

#include "isst_abi.h"

#define CHECK_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
#define CHECK_OFFSET(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
#define CHECK_NUMBER(name, number) _Static_assert((name) == (number), #name)

CHECK_NUMBER(ISST_GET_PLATFORM_INFO, 0x8008fe00);
CHECK_NUMBER(ISST_GET_PHY_ID, 0xc008fe01);
CHECK_NUMBER(ISST_IO_CMD, 0x4008fe02);
CHECK_NUMBER(ISST_MBOX_COMMAND, 0xc008fe03);
CHECK_NUMBER(ISST_MSR_COMMAND, 0xc008fe04);
CHECK_NUMBER(ISST_COUNT_TPMI_INSTANCES, 0x8008fe05);
CHECK_NUMBER(ISST_CORE_POWER_STATE, 0xc008fe06);
CHECK_NUMBER(ISST_CLOS_PARAM, 0xc008fe07);
CHECK_NUMBER(ISST_CLOS_ASSOC, 0xc008fe08);
CHECK_NUMBER(ISST_PERF_LEVELS, 0xc008fe09);
CHECK_NUMBER(ISST_PERF_SET_LEVEL, 0x4008fe0a);
CHECK_NUMBER(ISST_PERF_SET_FEATURE, 0x4008fe0b);
CHECK_NUMBER(ISST_GET_PERF_LEVEL_INFO, 0x8008fe0c);
CHECK_NUMBER(ISST_GET_PERF_LEVEL_CPU_MASK, 0x8008fe0d);
CHECK_NUMBER(ISST_GET_BASE_FREQ_INFO, 0x8008fe0e);
CHECK_NUMBER(ISST_GET_BASE_FREQ_CPU_MASK, 0x8008fe0f);
CHECK_NUMBER(ISST_GET_TURBO_FREQ_INFO, 0x8008fe10);
CHECK_NUMBER(ISST_GET_PERF_LEVEL_FABRIC_INFO, 0x8008fe11);

CHECK_SIZE(isst_platform_info, 8);
CHECK_OFFSET(isst_platform_info, api_version, 0);
CHECK_OFFSET(isst_platform_info, driver_version, 2);
CHECK_OFFSET(isst_platform_info, max_cmds_per_ioctl, 4);
CHECK_OFFSET(isst_platform_info, mbox_supported, 6);
CHECK_OFFSET(isst_platform_info, mmio_supported, 7);

CHECK_SIZE(isst_phy_id, 8);
CHECK_OFFSET(isst_phy_id, logical_cpu, 0);
CHECK_OFFSET(isst_phy_id, physical_cpu, 4);

CHECK_SIZE(isst_phy_ids, 12);
CHECK_OFFSET(isst_phy_ids, cmd_count, 0);
CHECK_OFFSET(isst_phy_ids, entries, 4);

CHECK_SIZE(isst_io_command, 16);
CHECK_OFFSET(isst_io_command, read_write, 0);
CHECK_OFFSET(isst_io_command, logical_cpu, 4);
CHECK_OFFSET(isst_io_command, reg, 8);
CHECK_OFFSET(isst_io_command, value, 12);

CHECK_SIZE(isst_io_commands, 20);
CHECK_OFFSET(isst_io_commands, req_count, 0);
CHECK_OFFSET(isst_io_commands, entries, 4);

CHECK_SIZE(isst_mbox_command, 24);
CHECK_OFFSET(isst_mbox_command, logical_cpu, 0);
CHECK_OFFSET(isst_mbox_command, parameter, 4);
CHECK_OFFSET(isst_mbox_command, req_data, 8);
CHECK_OFFSET(isst_mbox_command, resp_data, 12);
CHECK_OFFSET(isst_mbox_command, command, 16);
CHECK_OFFSET(isst_mbox_command, sub_command, 18);
CHECK_OFFSET(isst_mbox_command, reserved, 20);

CHECK_SIZE(isst_mbox_commands, 28);
CHECK_OFFSET(isst_mbox_commands, cmd_count, 0);
CHECK_OFFSET(isst_mbox_commands, entries, 4);

CHECK_SIZE(isst_msr_command, 24);
CHECK_OFFSET(isst_msr_command, read_write, 0);
CHECK_OFFSET(isst_msr_command, logical_cpu, 4);
CHECK_OFFSET(isst_msr_command, msr, 8);
CHECK_OFFSET(isst_msr_command, data, 16);

CHECK_SIZE(isst_msr_commands, 32);
CHECK_OFFSET(isst_msr_commands, cmd_count, 0);
CHECK_OFFSET(isst_msr_commands, entries, 8);

CHECK_SIZE(isst_tpmi_instances, 4);
CHECK_OFFSET(isst_tpmi_instances, socket_id, 0);
CHECK_OFFSET(isst_tpmi_instances, count, 1);
CHECK_OFFSET(isst_tpmi_instances, valid_mask, 2);

CHECK_SIZE(isst_core_power_state, 6);
CHECK_OFFSET(isst_core_power_state, get_set, 0);
CHECK_OFFSET(isst_core_power_state, socket_id, 1);
CHECK_OFFSET(isst_core_power_state, power_domain_id, 2);
CHECK_OFFSET(isst_core_power_state, enable, 3);
CHECK_OFFSET(isst_core_power_state, supported, 4);
CHECK_OFFSET(isst_core_power_state, priority_type, 5);

CHECK_SIZE(isst_clos_param, 10);
CHECK_OFFSET(isst_clos_param, get_set, 0);
CHECK_OFFSET(isst_clos_param, socket_id, 1);
CHECK_OFFSET(isst_clos_param, power_domain_id, 2);
CHECK_OFFSET(isst_clos_param, clos, 3);
CHECK_OFFSET(isst_clos_param, min_freq_mhz, 4);
CHECK_OFFSET(isst_clos_param, max_freq_mhz, 6);
CHECK_OFFSET(isst_clos_param, prop_prio, 8);

CHECK_SIZE(isst_clos_assoc, 6);
CHECK_OFFSET(isst_clos_assoc, socket_id, 0);
CHECK_OFFSET(isst_clos_assoc, power_domain_id, 1);
CHECK_OFFSET(isst_clos_assoc, logical_cpu, 2);
CHECK_OFFSET(isst_clos_assoc, clos, 4);

CHECK_SIZE(isst_clos_assocs, 12);
CHECK_OFFSET(isst_clos_assocs, cmd_count, 0);
CHECK_OFFSET(isst_clos_assocs, get_set, 2);
CHECK_OFFSET(isst_clos_assocs, punit_cpu_map, 4);
CHECK_OFFSET(isst_clos_assocs, entries, 6);

CHECK_SIZE(isst_perf_levels, 11);
CHECK_OFFSET(isst_perf_levels, socket_id, 0);
CHECK_OFFSET(isst_perf_levels, power_domain_id, 1);
CHECK_OFFSET(isst_perf_levels, max_level, 2);
CHECK_OFFSET(isst_perf_levels, feature_rev, 3);
CHECK_OFFSET(isst_perf_levels, level_mask, 4);
CHECK_OFFSET(isst_perf_levels, current_level, 5);
CHECK_OFFSET(isst_perf_levels, feature_state, 6);
CHECK_OFFSET(isst_perf_levels, locked, 7);
CHECK_OFFSET(isst_perf_levels, enabled, 8);
CHECK_OFFSET(isst_perf_levels, sst_tf_support, 9);
CHECK_OFFSET(isst_perf_levels, sst_bf_support, 10);

CHECK_SIZE(isst_perf_set_level, 3);
CHECK_OFFSET(isst_perf_set_level, socket_id, 0);
CHECK_OFFSET(isst_perf_set_level, power_domain_id, 1);
CHECK_OFFSET(isst_perf_set_level, level, 2);

CHECK_SIZE(isst_perf_set_feature, 3);
CHECK_OFFSET(isst_perf_set_feature, socket_id, 0);
CHECK_OFFSET(isst_perf_set_feature, power_domain_id, 1);
CHECK_OFFSET(isst_perf_set_feature, feature, 2);

CHECK_SIZE(isst_perf_level_info, 154);
CHECK_OFFSET(isst_perf_level_info, socket_id, 0);
CHECK_OFFSET(isst_perf_level_info, power_domain_id, 1);
CHECK_OFFSET(isst_perf_level_info, level, 2);
CHECK_OFFSET(isst_perf_level_info, tdp_ratio, 4);
CHECK_OFFSET(isst_perf_level_info, base_freq_mhz, 6);
CHECK_OFFSET(isst_perf_level_info, base_freq_avx2_mhz, 8);
CHECK_OFFSET(isst_perf_level_info, base_freq_avx512_mhz, 10);
CHECK_OFFSET(isst_perf_level_info, base_freq_amx_mhz, 12);
CHECK_OFFSET(isst_perf_level_info, thermal_design_power_w, 14);
CHECK_OFFSET(isst_perf_level_info, tjunction_max_c, 16);
CHECK_OFFSET(isst_perf_level_info, max_memory_freq_mhz, 18);
CHECK_OFFSET(isst_perf_level_info, cooling_type, 20);
CHECK_OFFSET(isst_perf_level_info, p0_freq_mhz, 22);
CHECK_OFFSET(isst_perf_level_info, p1_freq_mhz, 24);
CHECK_OFFSET(isst_perf_level_info, pn_freq_mhz, 26);
CHECK_OFFSET(isst_perf_level_info, pm_freq_mhz, 28);
CHECK_OFFSET(isst_perf_level_info, p0_fabric_freq_mhz, 30);
CHECK_OFFSET(isst_perf_level_info, p1_fabric_freq_mhz, 32);
CHECK_OFFSET(isst_perf_level_info, pn_fabric_freq_mhz, 34);
CHECK_OFFSET(isst_perf_level_info, pm_fabric_freq_mhz, 36);
CHECK_OFFSET(isst_perf_level_info, max_buckets, 38);
CHECK_OFFSET(isst_perf_level_info, max_trl_levels, 40);
CHECK_OFFSET(isst_perf_level_info, bucket_core_counts, 42);
CHECK_OFFSET(isst_perf_level_info, trl_freq_mhz, 58);

CHECK_SIZE(isst_perf_level_cpu_mask, 24);
CHECK_OFFSET(isst_perf_level_cpu_mask, socket_id, 0);
CHECK_OFFSET(isst_perf_level_cpu_mask, power_domain_id, 1);
CHECK_OFFSET(isst_perf_level_cpu_mask, level, 2);
CHECK_OFFSET(isst_perf_level_cpu_mask, punit_cpu_map, 3);
CHECK_OFFSET(isst_perf_level_cpu_mask, mask, 8);
CHECK_OFFSET(isst_perf_level_cpu_mask, cpu_buffer_size, 16);
CHECK_OFFSET(isst_perf_level_cpu_mask, cpu_buffer, 18);

CHECK_SIZE(isst_base_freq_info, 12);
CHECK_OFFSET(isst_base_freq_info, socket_id, 0);
CHECK_OFFSET(isst_base_freq_info, power_domain_id, 1);
CHECK_OFFSET(isst_base_freq_info, level, 2);
CHECK_OFFSET(isst_base_freq_info, high_base_freq_mhz, 4);
CHECK_OFFSET(isst_base_freq_info, low_base_freq_mhz, 6);
CHECK_OFFSET(isst_base_freq_info, tjunction_max_c, 8);
CHECK_OFFSET(isst_base_freq_info, thermal_design_power_w, 10);

CHECK_SIZE(isst_turbo_freq_info, 134);
CHECK_OFFSET(isst_turbo_freq_info, socket_id, 0);
CHECK_OFFSET(isst_turbo_freq_info, power_domain_id, 1);
CHECK_OFFSET(isst_turbo_freq_info, level, 2);
CHECK_OFFSET(isst_turbo_freq_info, max_clip_freqs, 4);
CHECK_OFFSET(isst_turbo_freq_info, max_buckets, 6);
CHECK_OFFSET(isst_turbo_freq_info, max_trl_levels, 8);
CHECK_OFFSET(isst_turbo_freq_info, lp_clip_freq_mhz, 10);
CHECK_OFFSET(isst_turbo_freq_info, bucket_core_counts, 22);
CHECK_OFFSET(isst_turbo_freq_info, trl_freq_mhz, 38);

CHECK_SIZE(isst_perf_level_fabric_info, 54);
CHECK_OFFSET(isst_perf_level_fabric_info, socket_id, 0);
CHECK_OFFSET(isst_perf_level_fabric_info, power_domain_id, 1);
CHECK_OFFSET(isst_perf_level_fabric_info, level, 2);
CHECK_OFFSET(isst_perf_level_fabric_info, max_fabrics, 4);
CHECK_OFFSET(isst_perf_level_fabric_info, p0_fabric_freq_mhz, 6);
CHECK_OFFSET(isst_perf_level_fabric_info, p1_fabric_freq_mhz, 22);
CHECK_OFFSET(isst_perf_level_fabric_info, pm_fabric_freq_mhz, 38);

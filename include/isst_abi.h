/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's Speed Select interface, /dev/isst_interface: request numbers and structures of API
 * versions 1 to 3, in our own declarations under the kernel's names (hardware.md, sections 2 and
 * 4). The header linux/isst_if.h of many systems has version 1 only. src/host/abi_checks.c compares
 * both with the specification. */
#ifndef ISST_ABI_H
#define ISST_ABI_H

#include <linux/types.h>

#define ISST_DEVICE_PATH "/dev/isst_interface"

#define ISST_API_MAILBOX      1 /* SST by mailbox and MMIO */
#define ISST_API_TPMI         2 /* SST by TPMI; support as one yes or no for all levels */
#define ISST_API_TPMI_MASKS   3 /* SST by TPMI; support as a mask of levels */
#define ISST_API_HIGHEST      ISST_API_TPMI_MASKS
#define ISST_ENTRIES_PER_CALL 64 /* the limit of today's driver */

#define ISST_BUCKETS    8 /* turbo buckets, by core count */
#define ISST_TRL_LEVELS 6 /* turbo-ratio levels that a structure has room for */
#define ISST_FABRICS    8
#define ISST_CLOS_COUNT 4
#define ISST_FEATURE_BF 0x01 /* SST-BF, in feature_state and in PERF_SET_FEATURE */
#define ISST_FEATURE_TF 0x02 /* SST-TF */

/* Request numbers. Their size field is that of a pointer (hardware.md, section 2). */
#define ISST_READ_(nr)       (0x8008fe00U | (nr))
#define ISST_WRITE_(nr)      (0x4008fe00U | (nr))
#define ISST_READ_WRITE_(nr) (0xc008fe00U | (nr))

#define ISST_IF_GET_PLATFORM_INFO          ISST_READ_(0)
#define ISST_IF_GET_PHY_ID                 ISST_READ_WRITE_(1)
#define ISST_IF_IO_CMD                     ISST_WRITE_(2)
#define ISST_IF_MBOX_COMMAND               ISST_READ_WRITE_(3)
#define ISST_IF_MSR_COMMAND                ISST_READ_WRITE_(4)
#define ISST_IF_COUNT_TPMI_INSTANCES       ISST_READ_(5)
#define ISST_IF_CORE_POWER_STATE           ISST_READ_WRITE_(6)
#define ISST_IF_CLOS_PARAM                 ISST_READ_WRITE_(7)
#define ISST_IF_CLOS_ASSOC                 ISST_READ_WRITE_(8)
#define ISST_IF_PERF_LEVELS                ISST_READ_WRITE_(9)
#define ISST_IF_PERF_SET_LEVEL             ISST_WRITE_(10)
#define ISST_IF_PERF_SET_FEATURE           ISST_WRITE_(11)
#define ISST_IF_GET_PERF_LEVEL_INFO        ISST_READ_(12)
#define ISST_IF_GET_PERF_LEVEL_CPU_MASK    ISST_READ_(13)
#define ISST_IF_GET_BASE_FREQ_INFO         ISST_READ_(14)
#define ISST_IF_GET_BASE_FREQ_CPU_MASK     ISST_READ_(15)
#define ISST_IF_GET_TURBO_FREQ_INFO        ISST_READ_(16)
#define ISST_IF_GET_PERF_LEVEL_FABRIC_INFO ISST_READ_(17)

struct isst_if_platform_info {
	__u16 api_version;
	__u16 driver_version;
	__u16 max_cmds_per_ioctl;
	__u8 mbox_supported;
	__u8 mmio_supported;
};

/* The four requests below take a count and that many entries, in order (section 2). */

struct isst_if_cpu_map {
	__u32 logical_cpu;
	__u32 physical_cpu;
};

struct isst_if_cpu_maps {
	__u32 cmd_count;
	struct isst_if_cpu_map entries[1];
};

struct isst_if_io_reg {
	__u32 read_write; /* 0 reads, 1 writes */
	__u32 logical_cpu;
	__u32 reg;
	__u32 value;
};

struct isst_if_io_regs {
	__u32 req_count;
	struct isst_if_io_reg entries[1];
};

struct isst_if_mbox_cmd {
	__u32 logical_cpu;
	__u32 parameter;
	__u32 req_data;
	__u32 resp_data;
	__u16 command;
	__u16 sub_command;
	__u32 reserved;
};

struct isst_if_mbox_cmds {
	__u32 cmd_count;
	struct isst_if_mbox_cmd entries[1];
};

struct isst_if_msr_cmd {
	__u32 read_write; /* 0 reads, 1 writes */
	__u32 logical_cpu;
	__u64 msr;
	__u64 data;
};

struct isst_if_msr_cmds {
	__u32 cmd_count;
	struct isst_if_msr_cmd entries[1];
};

/* TPMI (section 4). Frequencies are in MHz. */

struct isst_tpmi_instance_count {
	__u8 socket_id;
	__u8 count;
	__u16 valid_mask;
};

struct isst_core_power {
	__u8 get_set; /* 1 sets */
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 enable;
	__u8 supported;
	__u8 priority_type;
};

struct isst_clos_param {
	__u8 get_set; /* 1 sets */
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 clos;
	__u16 min_freq_mhz;
	__u16 max_freq_mhz;
	__u8 prop_prio;
	__u8 padding; /* has a name so that initializers zero it */
};

struct isst_if_clos_assoc {
	__u8 socket_id;
	__u8 power_domain_id;
	__u16 logical_cpu; /* the PUNIT core id */
	__u16 clos;
};

struct isst_if_clos_assoc_cmds {
	__u16 cmd_count;
	__u16 get_set;
	__u16 punit_cpu_map; /* must be 1 */
	struct isst_if_clos_assoc entries[1];
};

struct isst_perf_level_info {
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 max_level;
	__u8 feature_rev;
	__u8 level_mask;
	__u8 current_level;
	__u8 feature_state;
	__u8 locked;
	__u8 enabled;
	__u8 sst_tf_support;
	__u8 sst_bf_support;
};

struct isst_perf_level_control {
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 level;
};

struct isst_perf_feature_control {
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 feature;
};

struct isst_perf_level_data_info {
	__u8 socket_id;
	__u8 power_domain_id;
	__u16 level;
	__u16 tdp_ratio;
	__u16 base_freq_mhz;
	__u16 base_freq_avx2_mhz;
	__u16 base_freq_avx512_mhz;
	__u16 base_freq_amx_mhz;
	__u16 thermal_design_power_w;
	__u16 tjunction_max_c;
	__u16 max_memory_freq_mhz;
	__u16 cooling_type;
	__u16 p0_freq_mhz;
	__u16 p1_freq_mhz;
	__u16 pn_freq_mhz;
	__u16 pm_freq_mhz;
	__u16 p0_fabric_freq_mhz;
	__u16 p1_fabric_freq_mhz;
	__u16 pn_fabric_freq_mhz;
	__u16 pm_fabric_freq_mhz;
	__u16 max_buckets;
	__u16 max_trl_levels;
	__u16 bucket_core_counts[ISST_BUCKETS];
	__u16 trl_freq_mhz[ISST_TRL_LEVELS][ISST_BUCKETS];
};

struct isst_perf_level_cpu_mask {
	__u8 socket_id;
	__u8 power_domain_id;
	__u8 level;
	__u8 punit_cpu_map; /* must be 1 */
	__u32 padding;
	__u64 mask;
	__u16 cpu_buffer_size;
	__s8 cpu_buffer[1];
	__u8 padding_at_end[5];
};

struct isst_base_freq_info {
	__u8 socket_id;
	__u8 power_domain_id;
	__u16 level;
	__u16 high_base_freq_mhz;
	__u16 low_base_freq_mhz;
	__u16 tjunction_max_c;
	__u16 thermal_design_power_w;
};

struct isst_turbo_freq_info {
	__u8 socket_id;
	__u8 power_domain_id;
	__u16 level;
	__u16 max_clip_freqs;
	__u16 max_buckets;
	__u16 max_trl_levels;
	__u16 lp_clip_freq_mhz[ISST_TRL_LEVELS];
	__u16 bucket_core_counts[ISST_BUCKETS];
	__u16 trl_freq_mhz[ISST_TRL_LEVELS][ISST_BUCKETS];
};

struct isst_perf_level_fabric_info {
	__u8 socket_id;
	__u8 power_domain_id;
	__u16 level;
	__u16 max_fabrics;
	__u16 p0_fabric_freq_mhz[ISST_FABRICS];
	__u16 p1_fabric_freq_mhz[ISST_FABRICS];
	__u16 pm_fabric_freq_mhz[ISST_FABRICS];
};

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* What -d shows of TPMI requests (hardware.md, section 4): every member that is in use, by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "host/transport.h"

struct vector {
	uint32_t request;
	void *argument;
	const char *line;
};

static struct isst_tpmi_instance_count instances = { 1, 5, 0x1b };
static struct isst_core_power state_of_core_power = { 1, 2, 3, 1, 0, 1 };
static struct isst_clos_param clos = {
	.socket_id = 1,
	.power_domain_id = 2,
	.clos = 3,
	.min_freq_mhz = 800,
	.max_freq_mhz = 25500,
	.prop_prio = 15,
};
static struct isst_perf_level_info levels = { 1, 2, 4, 2, 0x15, 4, 3, 0, 1, 0x11, 0x1 };
static struct isst_perf_level_control set_level = { 1, 2, 3 };
static struct isst_perf_feature_control set_feature = { 1, 2, 3 };
static struct isst_perf_level_cpu_mask mask = {
	.socket_id = 1,
	.power_domain_id = 2,
	.level = 3,
	.punit_cpu_map = 1,
	.mask = 0xffffffff00000001,
};
static struct isst_base_freq_info base_freq = { 1, 2, 3, 2400, 1900, 95, 340 };
/* Structures of 16-bit numbers after two bytes: each number is its position. */
static uint16_t numbered[sizeof(struct isst_perf_level_data_info) / sizeof(uint16_t)];

static struct isst_if_clos_assoc_cmds assocs = { 1, 1, 1, { { 1, 2, 33, 3 } } };

static const struct vector vectors[] = {
	{ ISST_IF_COUNT_TPMI_INSTANCES, &instances,
	  "tpmi instances: socket_id:1 count:5 valid_mask:27\n" },
	{ ISST_IF_CORE_POWER_STATE, &state_of_core_power,
	  "tpmi core-power state: get_set:1 socket_id:2 power_domain_id:3 enable:1 supported:0 "
	  "priority_type:1\n" },
	{ ISST_IF_CLOS_PARAM, &clos,
	  "tpmi clos: get_set:0 socket_id:1 power_domain_id:2 clos:3 min_freq_mhz:800 "
	  "max_freq_mhz:25500 prop_prio:15\n" },
	{ ISST_IF_CLOS_ASSOC, &assocs,
	  "tpmi assoc: get_set:1 socket_id:1 power_domain_id:2 core:33 clos:3\n" },
	{ ISST_IF_PERF_LEVELS, &levels,
	  "tpmi levels: socket_id:1 power_domain_id:2 max_level:4 feature_rev:2 level_mask:21 "
	  "current_level:4 feature_state:3 locked:0 enabled:1 sst_tf_support:17 "
	  "sst_bf_support:1\n" },
	{ ISST_IF_PERF_SET_LEVEL, &set_level,
	  "tpmi set level: socket_id:1 power_domain_id:2 level:3\n" },
	{ ISST_IF_PERF_SET_FEATURE, &set_feature,
	  "tpmi set feature: socket_id:1 power_domain_id:2 feature:3\n" },
	{ ISST_IF_GET_PERF_LEVEL_INFO, numbered,
	  "tpmi level: socket_id:1 power_domain_id:2 level:1 tdp_ratio:2 "
	  "base_freq_mhz:3 base_freq_avx2_mhz:4 base_freq_avx512_mhz:5 "
	  "base_freq_amx_mhz:6 thermal_design_power_w:7 tjunction_max_c:8 "
	  "max_memory_freq_mhz:9 cooling_type:10 p0_freq_mhz:11 p1_freq_mhz:12 "
	  "pn_freq_mhz:13 pm_freq_mhz:14 p0_fabric_freq_mhz:15 p1_fabric_freq_mhz:16 "
	  "pn_fabric_freq_mhz:17 pm_fabric_freq_mhz:18 max_buckets:19 "
	  "max_trl_levels:20 bucket_core_counts:21,22,23,24,25,26,27,28 "
	  "trl_freq_mhz:29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,"
	  "49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,"
	  "73,74,75,76\n" },
	{ ISST_IF_GET_PERF_LEVEL_CPU_MASK, &mask,
	  "tpmi level cores: socket_id:1 power_domain_id:2 level:3 mask:18446744069414584321\n" },
	{ ISST_IF_GET_BASE_FREQ_INFO, &base_freq,
	  "tpmi base-freq: socket_id:1 power_domain_id:2 level:3 high_base_freq_mhz:2400 "
	  "low_base_freq_mhz:1900 tjunction_max_c:95 thermal_design_power_w:340\n" },
	{ ISST_IF_GET_BASE_FREQ_CPU_MASK, &mask,
	  "tpmi base-freq cores: socket_id:1 power_domain_id:2 level:3 "
	  "mask:18446744069414584321\n" },
	{ ISST_IF_GET_TURBO_FREQ_INFO, numbered,
	  "tpmi turbo-freq: socket_id:1 power_domain_id:2 level:1 max_clip_freqs:2 "
	  "max_buckets:3 max_trl_levels:4 lp_clip_freq_mhz:5,6,7,8,9,10 "
	  "bucket_core_counts:11,12,13,14,15,16,17,18 trl_freq_mhz:19,20,21,22,23,24,"
	  "25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,"
	  "49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66\n" },
	{ ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, numbered,
	  "tpmi fabrics: socket_id:1 power_domain_id:2 level:1 max_fabrics:2 "
	  "p0_fabric_freq_mhz:3,4,5,6,7,8,9,10 p1_fabric_freq_mhz:11,12,13,14,15,16,"
	  "17,18 pm_fabric_freq_mhz:19,20,21,22,23,24,25,26\n" },
};

static int leave_as_it_is(struct transport *transport, uint32_t request, void *argument)
{
	(void)transport;
	(void)request;
	(void)argument;
	return 0;
}

static void close_nothing(struct transport *transport)
{
	(void)transport;
}

static void shows_every_request(void **state)
{
	static const struct transport_ops ops = { .request = leave_as_it_is,
						  .close = close_nothing };

	(void)state;
	memcpy(numbered, (const uint8_t[]){ 1, 2 }, 2);
	for (uint16_t i = 1; i < ARRAY_SIZE(numbered); i++)
		numbered[i] = i;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *vector = &vectors[i];
		struct transport inner = { .ops = &ops };
		_cleanup_transport_ struct transport *traced = NULL;
		_cleanup_free_ char *text = NULL;
		size_t length;
		FILE *to = open_memstream(&text, &length);

		assert_non_null(to);
		assert_int_equal(transport_new_traced(&inner, to, &traced), 0);
		assert_int_equal(transport_request(traced, vector->request, vector->argument), 0);
		assert_int_equal(fclose(to), 0);
		assert_string_equal(text, vector->line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_every_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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
#include "transport/trace_tpmi.h"

struct vector {
	uint32_t request;
	const void *argument;
	const char *line; /* all of it, or with starts its beginning */
	bool starts;
};

static const struct isst_tpmi_instances instances = { 1, 5, 0x1b };
static const struct isst_core_power_state state_of_core_power = { 1, 2, 3, 1, 0, 1 };
static const struct isst_clos_param clos = {
	.socket_id = 1,
	.power_domain_id = 2,
	.clos = 3,
	.min_freq_mhz = 800,
	.max_freq_mhz = 25500,
	.prop_prio = 15,
};
static const struct isst_perf_levels levels = { 1, 2, 4, 2, 0x15, 4, 3, 0, 1, 0x11, 0x1 };
static const struct isst_perf_set_level set_level = { 1, 2, 3 };
static const struct isst_perf_set_feature set_feature = { 1, 2, 3 };
static const struct isst_perf_level_info info = {
	.socket_id = 1,
	.power_domain_id = 2,
	.level = 3,
	.tdp_ratio = 20,
	.base_freq_mhz = 2000,
};
static const struct isst_perf_level_cpu_mask mask = {
	.socket_id = 1,
	.power_domain_id = 2,
	.level = 3,
	.punit_cpu_map = 1,
	.mask = 0xffffffff00000001,
};
static const struct isst_base_freq_info base_freq = { 1, 2, 3, 2400, 1900, 95, 340 };
static const struct isst_turbo_freq_info turbo_freq = {
	.max_clip_freqs = 6,
	.max_buckets = 8,
	.max_trl_levels = 6,
	.lp_clip_freq_mhz = { 2000, 1900, 1800, 1700, 1600, 1500 },
};
static const struct isst_perf_level_fabric_info fabrics = {
	.max_fabrics = 2,
	.p0_fabric_freq_mhz = { 2500, 2400 },
};
static const struct isst_clos_assocs assocs = { 1, 1, 1, { { 1, 2, 33, 3 } } };

static const struct vector vectors[] = {
	{ ISST_COUNT_TPMI_INSTANCES, &instances,
	  "tpmi instances: socket_id:1 count:5 valid_mask:27\n", false },
	{ ISST_CORE_POWER_STATE, &state_of_core_power,
	  "tpmi core-power state: get_set:1 socket_id:2 power_domain_id:3 enable:1 supported:0 "
	  "priority_type:1\n",
	  false },
	{ ISST_CLOS_PARAM, &clos,
	  "tpmi clos: get_set:0 socket_id:1 power_domain_id:2 clos:3 min_freq_mhz:800 "
	  "max_freq_mhz:25500 prop_prio:15\n",
	  false },
	{ ISST_CLOS_ASSOC, &assocs,
	  "tpmi assoc: get_set:1 socket_id:1 power_domain_id:2 core:33 clos:3\n", false },
	{ ISST_PERF_LEVELS, &levels,
	  "tpmi levels: socket_id:1 power_domain_id:2 max_level:4 feature_rev:2 level_mask:21 "
	  "current_level:4 feature_state:3 locked:0 enabled:1 sst_tf_support:17 "
	  "sst_bf_support:1\n",
	  false },
	{ ISST_PERF_SET_LEVEL, &set_level,
	  "tpmi set level: socket_id:1 power_domain_id:2 level:3\n", false },
	{ ISST_PERF_SET_FEATURE, &set_feature,
	  "tpmi set feature: socket_id:1 power_domain_id:2 feature:3\n", false },
	{ ISST_GET_PERF_LEVEL_INFO, &info,
	  "tpmi level: socket_id:1 power_domain_id:2 level:3 tdp_ratio:20 base_freq_mhz:2000 ",
	  true },
	{ ISST_GET_PERF_LEVEL_CPU_MASK, &mask,
	  "tpmi level cores: socket_id:1 power_domain_id:2 level:3 mask:18446744069414584321\n",
	  false },
	{ ISST_GET_BASE_FREQ_INFO, &base_freq,
	  "tpmi base-freq: socket_id:1 power_domain_id:2 level:3 high_base_freq_mhz:2400 "
	  "low_base_freq_mhz:1900 tjunction_max_c:95 thermal_design_power_w:340\n",
	  false },
	{ ISST_GET_BASE_FREQ_CPU_MASK, &mask,
	  "tpmi base-freq cores: socket_id:1 power_domain_id:2 level:3 "
	  "mask:18446744069414584321\n",
	  false },
	{ ISST_GET_TURBO_FREQ_INFO, &turbo_freq,
	  "tpmi turbo-freq: socket_id:0 power_domain_id:0 level:0 max_clip_freqs:6 max_buckets:8 "
	  "max_trl_levels:6 lp_clip_freq_mhz:2000,1900,1800,1700,1600,1500 bucket_core_counts:0,0,",
	  true },
	{ ISST_GET_PERF_LEVEL_FABRIC_INFO, &fabrics,
	  "tpmi fabrics: socket_id:0 power_domain_id:0 level:0 max_fabrics:2 "
	  "p0_fabric_freq_mhz:2500,2400,0,0,0,0,0,0 p1_fabric_freq_mhz:0,",
	  true },
};

static void shows_every_request(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *vector = &vectors[i];
		_cleanup_free_ char *text = NULL;
		size_t length;
		FILE *to = open_memstream(&text, &length);

		assert_non_null(to);
		assert_true(trace_tpmi_request(to, vector->request, vector->argument));
		assert_int_equal(fclose(to), 0);
		assert_int_equal(text[length - 1], '\n');
		if (vector->starts)
			text[strlen(vector->line)] = '\0';
		assert_string_equal(text, vector->line);
	}
}

/* Others are left to the tracer itself. */
static void leaves_others_alone(void **state)
{
	static const uint32_t requests[] = { ISST_GET_PLATFORM_INFO, ISST_GET_PHY_ID,
					     ISST_MBOX_COMMAND, ISST_MSR_COMMAND, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		assert_false(trace_tpmi_request(stdout, requests[i], &instances));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_every_request),
		cmocka_unit_test(leaves_others_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

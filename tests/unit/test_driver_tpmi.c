// SPDX-License-Identifier: GPL-2.0-only
/* The TPMI back end (hardware.md, section 4): what it answers and sets, what it refuses, and that
 * every refusal is ENOTTY. The machine has the levels 0 and 1 of guide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "simulated_device.h"

#define PACKAGE 1

/* Opens the machine with TPMI, of that API version, with these faults. */
static struct simulated_device *open_tpmi(void **test, uint16_t api, const char *faults)
{
	struct simulated_device *device = *test;

	device->platform->interface = SIM_INTERFACE_TPMI;
	device->platform->api_version = api;
	assert_int_equal(simulated_device_open(device, faults), 0);
	return device;
}

static struct isst_perf_level_info read_levels(const struct simulated_device *device)
{
	struct isst_perf_level_info levels = { .socket_id = PACKAGE };

	assert_int_equal(transport_request(device->transport, ISST_IF_PERF_LEVELS, &levels), 0);
	return levels;
}

static int set_level(const struct simulated_device *device, uint8_t level)
{
	struct isst_perf_level_control wanted = { .socket_id = PACKAGE, .level = level };

	return transport_request(device->transport, ISST_IF_PERF_SET_LEVEL, &wanted);
}

static int set_feature(const struct simulated_device *device, uint8_t feature)
{
	struct isst_perf_feature_control wanted = { .socket_id = PACKAGE, .feature = feature };

	return transport_request(device->transport, ISST_IF_PERF_SET_FEATURE, &wanted);
}

static int set_core_power(const struct simulated_device *device, uint8_t enable, uint8_t priority)
{
	struct isst_core_power state = {
		.get_set = 1,
		.socket_id = PACKAGE,
		.enable = enable,
		.priority_type = priority,
	};

	return transport_request(device->transport, ISST_IF_CORE_POWER_STATE, &state);
}

static struct isst_core_power read_core_power(const struct simulated_device *device)
{
	struct isst_core_power state = { .socket_id = PACKAGE };

	assert_int_equal(transport_request(device->transport, ISST_IF_CORE_POWER_STATE, &state), 0);
	return state;
}

static void test_instances(void **test)
{
	struct simulated_device *device = *test;
	struct isst_tpmi_instance_count instances = { .socket_id = 1 };

	device->platform->domains[1].punit = 3;
	open_tpmi(test, 3, NULL);
	assert_int_equal(
		transport_request(device->transport, ISST_IF_COUNT_TPMI_INSTANCES, &instances), 0);
	assert_int_equal(instances.count, 4);
	assert_int_equal(instances.valid_mask, 1 << 3);
	instances.socket_id = 2;
	assert_int_equal(transport_request(device->transport, ISST_IF_COUNT_TPMI_INSTANCES,
					   &instances),
			 -ENOTTY);
}

/* Support is a mask of levels, or (API 2) one word for all of them. */
static void test_perf_levels(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);
	struct isst_perf_level_info levels = read_levels(device);

	assert_int_equal(levels.max_level, 1);
	assert_int_equal(levels.level_mask, 0x03);
	assert_int_equal(levels.feature_rev, 1);
	assert_int_equal(levels.current_level, 0);
	assert_int_equal(levels.enabled, 1);
	assert_int_equal(levels.locked, 0);
	assert_int_equal(levels.sst_bf_support, 0x01);
	assert_int_equal(levels.sst_tf_support, 0x03);
	device->platform->api_version = 2;
	levels = read_levels(device);
	assert_int_equal(levels.sst_bf_support, 1);
	assert_int_equal(levels.sst_tf_support, 1);
}

/* Figures of level 1, and members that the driver does not know. */
static void test_level_info(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);
	const struct punit_level *level = punit_find_level(&simulated_guide_fuses, 1);
	struct isst_perf_level_data_info info = { .socket_id = PACKAGE,
						  .level = 1,
						  .pn_fabric_freq_mhz = 4711 };
	struct isst_perf_level_cpu_mask mask = { .socket_id = PACKAGE,
						 .level = 1,
						 .punit_cpu_map = 1 };

	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PERF_LEVEL_INFO, &info),
			 0);
	assert_int_equal(info.tdp_ratio, level->base_ratio_sse);
	assert_int_equal(info.base_freq_mhz, level->base_ratio_sse * 100);
	assert_int_equal(info.base_freq_avx512_mhz, level->base_ratio_avx512 * 100);
	assert_int_equal(info.thermal_design_power_w, level->tdp_w);
	assert_int_equal(info.tjunction_max_c, level->tjunction_max_c);
	assert_int_equal(info.p0_fabric_freq_mhz, 2400);
	assert_int_equal(info.pm_fabric_freq_mhz, 800);
	assert_int_equal(info.pn_fabric_freq_mhz, 4711);
	assert_int_equal(info.bucket_core_counts[7], 16);
	assert_int_equal(info.trl_freq_mhz[1][1], 3000);
	assert_int_equal(info.trl_freq_mhz[3][0], 0);
	assert_int_equal(
		transport_request(device->transport, ISST_IF_GET_PERF_LEVEL_CPU_MASK, &mask), 0);
	assert_int_equal(mask.mask, level->core_mask);
}

/* SST-BF and SST-TF where they are, and zeros where not. */
static void test_features_info(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);
	const struct punit_base_freq *wanted =
		&punit_find_level(&simulated_guide_fuses, 0)->base_freq;

	for (uint16_t level = 0; level <= 1; level++) {
		bool has = level == 0;
		struct isst_base_freq_info base = { .socket_id = PACKAGE, .level = level };
		struct isst_perf_level_cpu_mask mask = { .socket_id = PACKAGE,
							 .level = (uint8_t)level,
							 .punit_cpu_map = 1 };
		struct isst_turbo_freq_info turbo = { .socket_id = PACKAGE, .level = level };

		assert_int_equal(
			transport_request(device->transport, ISST_IF_GET_BASE_FREQ_INFO, &base), 0);
		assert_int_equal(base.high_base_freq_mhz, has ? wanted->high_ratio * 100 : 0);
		assert_int_equal(base.low_base_freq_mhz, has ? wanted->low_ratio * 100 : 0);
		assert_int_equal(base.thermal_design_power_w, has ? wanted->tdp_w : 0);
		assert_int_equal(transport_request(device->transport,
						   ISST_IF_GET_BASE_FREQ_CPU_MASK, &mask),
				 0);
		assert_int_equal(mask.mask, has ? wanted->core_mask : 0);
		assert_int_equal(transport_request(device->transport, ISST_IF_GET_TURBO_FREQ_INFO,
						   &turbo),
				 0);
		assert_int_equal(turbo.bucket_core_counts[2], 6);
		assert_int_equal(turbo.lp_clip_freq_mhz[2], 2100);
		assert_int_equal(turbo.trl_freq_mhz[2][2], 2900);
	}
}

/* From SST-PP revision 2 on: a second fabric, and unused bucket counts that stay as they came. */
static void test_revision_2(void **test)
{
	struct simulated_device *device = *test;
	struct punit_fuses *fuses = &device->platform->domains[PACKAGE].fuses;
	struct isst_perf_level_fabric_info fabric = { .socket_id = PACKAGE };
	struct isst_turbo_freq_info turbo = { .socket_id = PACKAGE,
					      .bucket_core_counts = { 9, 9, 9, 9, 9, 9, 9, 9 } };

	open_tpmi(test, 3, NULL);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PERF_LEVEL_FABRIC_INFO,
					   &fabric),
			 -ENOTTY);
	fuses->pp_version = 2;
	fuses->levels[0].has_uncore1 = true;
	fuses->levels[0].uncore[1].max_ratio = 25;
	fuses->levels[0].uncore[1].min_ratio = 7;
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PERF_LEVEL_FABRIC_INFO,
					   &fabric),
			 0);
	assert_int_equal(fabric.max_fabrics, 2);
	assert_int_equal(fabric.p0_fabric_freq_mhz[0], 2400);
	assert_int_equal(fabric.p0_fabric_freq_mhz[1], 2500);
	assert_int_equal(fabric.pm_fabric_freq_mhz[1], 700);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_TURBO_FREQ_INFO, &turbo),
			 0);
	assert_int_equal(turbo.bucket_core_counts[2], 6);
	assert_int_equal(turbo.bucket_core_counts[3], 9);
}

/* A level change switches the features off; one that is current is refused. */
static void test_set_level(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);

	assert_int_equal(set_feature(device, ISST_FEATURE_BF | ISST_FEATURE_TF), 0);
	assert_int_equal(read_levels(device).feature_state, 3);
	assert_int_equal(set_level(device, 0), -ENOTTY);
	assert_int_equal(read_levels(device).feature_state, 3);
	assert_int_equal(set_level(device, 1), 0);
	assert_int_equal(read_levels(device).current_level, 1);
	assert_int_equal(read_levels(device).feature_state, 0);
	assert_int_equal(set_level(device, 3), -ENOTTY);
	assert_int_equal(set_level(device, 8), -ENOTTY);
	/* Level 1 lacks SST-BF, and nothing reports that. */
	assert_int_equal(set_feature(device, ISST_FEATURE_BF | ISST_FEATURE_TF), 0);
	assert_int_equal(read_levels(device).feature_state, ISST_FEATURE_TF);
}

static void test_core_power(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);

	assert_int_equal(set_core_power(device, 1, 1), 0);
	assert_int_equal(read_core_power(device).enable, 1);
	assert_int_equal(read_core_power(device).priority_type, 1);
	assert_int_equal(read_core_power(device).supported, 1);
	assert_int_equal(device->state->punits[PACKAGE].cp_enabled, 1);
	assert_int_equal(device->state->punits[PACKAGE].clos_enabled, 1);
	assert_int_equal(device->state->punits[0].cp_enabled, 0);
	assert_int_equal(set_core_power(device, 0, 0), 0);
	assert_int_equal(read_core_power(device).enable, 0);
}

static void test_clos_param(void **test)
{
	static const struct {
		struct isst_clos_param param;
		int result;
		uint16_t min_mhz;
		uint16_t max_mhz;
	} vectors[] = {
		{ { .clos = 2, .min_freq_mhz = 850, .max_freq_mhz = 2599, .prop_prio = 15 },
		  0,
		  800,
		  2500 },
		{ { .clos = 3, .min_freq_mhz = 25500, .max_freq_mhz = 25599 }, 0, 25500, 25500 },
		{ { .clos = 3, .max_freq_mhz = 25600 }, -ENOTTY, 25500, 25500 },
		{ { .clos = 3, .min_freq_mhz = 65535 }, -ENOTTY, 25500, 25500 },
		{ { .clos = 3, .prop_prio = 16 }, -ENOTTY, 25500, 25500 },
		{ { .clos = 4 }, -ENOTTY, 0, 0 },
	};
	struct simulated_device *device = open_tpmi(test, 3, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct isst_clos_param set = vectors[i].param, got = { .socket_id = PACKAGE };

		set.get_set = 1;
		set.socket_id = PACKAGE;
		got.clos = set.clos;
		assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_PARAM, &set),
				 vectors[i].result);
		if (set.clos > 3)
			continue;
		assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_PARAM, &got), 0);
		assert_int_equal(got.min_freq_mhz, vectors[i].min_mhz);
		assert_int_equal(got.max_freq_mhz, vectors[i].max_mhz);
		if (!vectors[i].result)
			assert_int_equal(got.prop_prio, set.prop_prio);
	}
}

/* Room for one more entry than the driver takes. */
union assoc_batch {
	struct isst_if_clos_assoc_cmds assocs;
	struct {
		uint16_t head[3];
		struct isst_if_clos_assoc entries[ISST_ENTRIES_PER_CALL + 1];
	} room;
};

static void test_associations(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);
	union assoc_batch batch = { .assocs = {
					    .cmd_count = 2, .get_set = 1, .punit_cpu_map = 1 } };
	struct isst_if_clos_assoc *entries = batch.room.entries;

	entries[0] =
		(struct isst_if_clos_assoc){ .socket_id = PACKAGE, .logical_cpu = 3, .clos = 2 };
	entries[1] =
		(struct isst_if_clos_assoc){ .socket_id = PACKAGE, .logical_cpu = 63, .clos = 3 };
	assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_ASSOC, &batch), 0);
	batch.assocs.get_set = 0;
	entries[0].clos = 0;
	entries[1].clos = 0;
	assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_ASSOC, &batch), 0);
	assert_int_equal(entries[0].clos, 2);
	assert_int_equal(entries[1].clos, 3);
	assert_int_equal(device->state->punits[PACKAGE].association[3], 2);
	assert_int_equal(device->state->punits[PACKAGE].association[4], 0);
}

static void test_associations_refused(void **test)
{
	static const struct {
		uint16_t count;
		uint16_t map;
		struct isst_if_clos_assoc entry;
		int result;
	} vectors[] = {
		{ 1, 1, { .socket_id = PACKAGE }, 0 },
		{ 64, 1, { .socket_id = PACKAGE }, 0 },
		{ 65, 1, { .socket_id = PACKAGE }, -ENOTTY },
		{ 0, 1, { .socket_id = PACKAGE }, -ENOTTY },
		{ 1, 0, { .socket_id = PACKAGE }, -ENOTTY },
		{ 1, 1, { .socket_id = 2 }, -ENOTTY },
		{ 1, 1, { .socket_id = PACKAGE, .power_domain_id = 1 }, -ENOTTY },
		{ 1, 1, { .socket_id = PACKAGE, .logical_cpu = 64 }, -ENOTTY },
		{ 1, 1, { .socket_id = PACKAGE, .clos = 4 }, -ENOTTY },
	};
	struct simulated_device *device = open_tpmi(test, 3, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		union assoc_batch batch = { 0 };

		batch.assocs.cmd_count = vectors[i].count;
		batch.assocs.punit_cpu_map = vectors[i].map;
		for (size_t entry = 0; entry < ARRAY_SIZE(batch.room.entries); entry++)
			batch.room.entries[entry] = vectors[i].entry;
		assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_ASSOC, &batch),
				 vectors[i].result);
	}
}

/* Domains and levels that do not exist, and requests for masks with wrong members. */
static void test_unknown(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, NULL);
	struct isst_perf_level_info no_package = { .socket_id = 2 };
	struct isst_perf_level_info no_domain = { .socket_id = PACKAGE, .power_domain_id = 1 };
	struct isst_perf_level_data_info no_level = { .socket_id = PACKAGE, .level = 3 };
	struct isst_perf_level_data_info above = { .socket_id = PACKAGE, .level = 260 };
	struct isst_perf_level_cpu_mask no_map = { .socket_id = PACKAGE };
	struct transport *transport = device->transport;

	assert_int_equal(transport_request(transport, ISST_IF_PERF_LEVELS, &no_package), -ENOTTY);
	assert_int_equal(transport_request(transport, ISST_IF_PERF_LEVELS, &no_domain), -ENOTTY);
	assert_int_equal(transport_request(transport, ISST_IF_GET_PERF_LEVEL_INFO, &no_level),
			 -ENOTTY);
	assert_int_equal(transport_request(transport, ISST_IF_GET_PERF_LEVEL_INFO, &above),
			 -ENOTTY);
	assert_int_equal(transport_request(transport, ISST_IF_GET_PERF_LEVEL_CPU_MASK, &no_map),
			 -ENOTTY);
}

/* What sets is refused, what reads is answered. */
static void assert_settings_refused(const struct simulated_device *device, bool clos_too)
{
	struct isst_clos_param param = { .get_set = 1, .socket_id = PACKAGE };

	assert_int_equal(set_level(device, 1), -ENOTTY);
	assert_int_equal(set_feature(device, ISST_FEATURE_TF), -ENOTTY);
	assert_int_equal(set_core_power(device, 1, 1), -ENOTTY);
	assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_PARAM, &param),
			 clos_too ? -ENOTTY : 0);
	assert_int_equal(read_levels(device).current_level, 0);
	assert_int_equal(read_levels(device).feature_state, 0);
	assert_int_equal(read_core_power(device).enable, 0);
}

static void test_no_capability(void **test)
{
	assert_settings_refused(open_tpmi(test, 3, "{\"missing_capability\": true}"), true);
}

#define LOST_THEN_ALTERED(request)                                                              \
	"{\"at\": \"tpmi\", \"request\": \"" request "\", \"access\": \"write\", \"times\": 1," \
	"\"ignored\": true}, {\"at\": \"tpmi\", \"request\": \"" request                        \
	"\", \"access\": \"write\","                                                            \
	"\"skip\": 1, \"flip\": \"0x1\"}"

static const char lost_then_altered[] =
	"{\"orders\": [" LOST_THEN_ALTERED("PERF_SET_FEATURE") "," LOST_THEN_ALTERED(
		"CLOS_PARAM") "," LOST_THEN_ALTERED("CLOS_"
						    "ASSOC") "," LOST_THEN_ALTERED("CORE_POWER_STATE") "]}";

static void set_each(const struct simulated_device *device)
{
	struct isst_clos_param param = {
		.get_set = 1, .socket_id = PACKAGE, .clos = 2, .prop_prio = 8
	};
	union assoc_batch batch = { .assocs = {
					    .cmd_count = 1, .get_set = 1, .punit_cpu_map = 1 } };

	batch.room.entries[0] =
		(struct isst_if_clos_assoc){ .socket_id = PACKAGE, .logical_cpu = 1, .clos = 2 };
	assert_int_equal(set_feature(device, 2), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_PARAM, &param), 0);
	assert_int_equal(param.prop_prio, 8);
	assert_int_equal(transport_request(device->transport, ISST_IF_CLOS_ASSOC, &batch), 0);
	assert_int_equal(set_core_power(device, 1, 1), 0);
}

/* Each kind of request that sets: the first is lost, the second sets another value. */
static void test_lost_then_altered(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, lost_then_altered);
	const struct punit_state *punit = &device->state->punits[PACKAGE];
	const struct punit_state before = *punit;

	set_each(device);
	assert_memory_equal(punit, &before, sizeof(before));
	set_each(device);
	assert_int_equal(punit->base_freq_on, 1);
	assert_int_equal(punit->turbo_freq_on, 1);
	assert_int_equal(punit->clos[2] >> 4 & 0xf, 9);
	assert_int_equal(punit->association[1], 3);
	assert_int_equal(punit->clos_enabled, before.clos_enabled);
	assert_int_equal(punit->clos_ordered, 1);
}

static void test_blocked_writes(void **test)
{
	assert_settings_refused(open_tpmi(test, 3, "{\"blocked_writes\": true}"), true);
}

/* CLOS parameters and associations do without HWP. */
static void test_hwp_off(void **test)
{
	assert_settings_refused(open_tpmi(test, 3, "{\"hwp_off\": true}"), false);
}

static void test_locked(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, "{\"locked\": true}");

	assert_int_equal(read_levels(device).locked, 1);
	assert_int_equal(set_level(device, 1), -ENOTTY);
	assert_int_equal(set_feature(device, ISST_FEATURE_TF), 0);
}

static void test_allowed_levels(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, "{\"allowed_levels\": [0]}");

	assert_int_equal(read_levels(device).level_mask, 0x03);
	assert_int_equal(set_level(device, 1), -ENOTTY);
	assert_int_equal(read_levels(device).current_level, 0);
}

/* Firmware that ignores writes: the driver notices that for a level only. */
static void test_ignored_writes(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, "{\"ignored_writes\": true}");

	assert_int_equal(set_level(device, 1), -ENOTTY);
	assert_int_equal(set_feature(device, ISST_FEATURE_TF), 0);
	assert_int_equal(set_core_power(device, 1, 1), 0);
	assert_int_equal(read_levels(device).feature_state, 0);
	assert_int_equal(read_core_power(device).enable, 0);
}

static void test_slow_status(void **test)
{
	struct simulated_device *device = open_tpmi(test, 3, "{\"slow_status\": 2}");

	assert_int_equal(set_feature(device, ISST_FEATURE_TF), 0);
	assert_int_equal(set_core_power(device, 1, 1), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read_levels(device).feature_state, 0);
		assert_int_equal(read_core_power(device).enable, 0);
	}
	assert_int_equal(read_levels(device).feature_state, ISST_FEATURE_TF);
	assert_int_equal(read_core_power(device).enable, 1);
	assert_int_equal(set_level(device, 1), 0);
}

/* Orders by package, power domain and what the request does. */
static void test_orders(void **test)
{
	struct simulated_device *device = open_tpmi(
		test, 3,
		"{\"orders\": [{\"at\": \"tpmi\", \"request\": \"CORE_POWER_STATE\", \"access\": "
		"\"write\", \"package\": 1, \"power_domain\": 0, \"error\": \"EIO\", \"skip\": 1}]}");
	struct isst_core_power other = { .get_set = 1, .enable = 1 };

	assert_int_equal(set_core_power(device, 1, 0), 0);
	assert_int_equal(set_core_power(device, 0, 0), -ENOTTY);
	assert_int_equal(read_core_power(device).enable, 1);
	assert_int_equal(transport_request(device->transport, ISST_IF_CORE_POWER_STATE, &other), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIMULATED_DEVICE_TEST(test_instances),
		SIMULATED_DEVICE_TEST(test_perf_levels),
		SIMULATED_DEVICE_TEST(test_level_info),
		SIMULATED_DEVICE_TEST(test_features_info),
		SIMULATED_DEVICE_TEST(test_revision_2),
		SIMULATED_DEVICE_TEST(test_set_level),
		SIMULATED_DEVICE_TEST(test_core_power),
		SIMULATED_DEVICE_TEST(test_clos_param),
		SIMULATED_DEVICE_TEST(test_associations),
		SIMULATED_DEVICE_TEST(test_associations_refused),
		SIMULATED_DEVICE_TEST(test_unknown),
		SIMULATED_DEVICE_TEST(test_no_capability),
		SIMULATED_DEVICE_TEST(test_lost_then_altered),
		SIMULATED_DEVICE_TEST(test_blocked_writes),
		SIMULATED_DEVICE_TEST(test_hwp_off),
		SIMULATED_DEVICE_TEST(test_locked),
		SIMULATED_DEVICE_TEST(test_allowed_levels),
		SIMULATED_DEVICE_TEST(test_ignored_writes),
		SIMULATED_DEVICE_TEST(test_slow_status),
		SIMULATED_DEVICE_TEST(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

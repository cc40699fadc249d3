// SPDX-License-Identifier: GPL-2.0-only
/* SST-PP as a whole, SST-CP and the turbo-ratio limits of mailbox parts: exactly which requests go
 * out and what is made of the answers (hardware.md, section 3). Levels: test_mailbox_levels.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "mailbox_bench.h"
#include "sst/limits.h"
#include "sst/values.h"

/* CPU 5, the second thread of the second core, has no core that the driver knows. */
static const struct fake_rule unknown_core_rules[] = {
	{ .request = ISST_IF_GET_PHY_ID, .package = FAKE_PACKAGE(0), .answer = UINT32_MAX },
};

struct pp_vector {
	int result; /* of the request to package 1 */
	uint64_t answer;
	int error;
	struct sst_pp pp;
};

static const struct pp_vector pp_vectors[] = {
	{ 1,
	  0x80020403,
	  0,
	  { .enabled = true, .version = 3, .highest_level = 4, .current_level = 2 } },
	{ 1, 0x81000001, 0, { .enabled = true, .locked = true, .version = 1 } },
	{ 1, 0x00000002, 0, { .version = 2 } },
	/* Refused: absent, locked, level 0 only. */
	{ -ENXIO, 0, 0, { .locked = true } },
	{ -EINVAL, 0, -EINVAL, { 0 } },
	{ -EPERM, 0, -EPERM, { 0 } },
	{ -ENOTTY, 0, -ENOTTY, { 0 } },
};

/* Package 0 answers; package 1 does what the vector says, after a short count. */
static void run_pp_vector(const struct pp_vector *vector)
{
	const struct entry entries[] = {
		ENTRY_MAILBOX(0, 0x7f, 0x00, 0, 0x80000102),
		ENTRY_MAILBOX(2, 0x7f, 0x00, 0, vector->answer),
	};
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, vector->result, entries, 1),
	};
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, SAPPHIRE_RAPIDS, NULL, NULL, 0);
	struct platform_pp_query queries[] = {
		{ .domain = mailbox_bench_domain(&bench, 0) },
		{ .domain = mailbox_bench_domain(&bench, 1) },
	};

	mailbox_bench_expect(&bench, steps, ARRAY_SIZE(steps));
	assert_int_equal(bench.platform->ops->read_pp(bench.platform, queries, 2), 0);
	mailbox_bench_expect_end(&bench);
	assert_int_equal(queries[0].error, 0);
	assert_int_equal(queries[0].pp.highest_level, 1);
	assert_int_equal(queries[1].error, vector->error);
	if (!vector->error) {
		assert_int_equal(queries[1].pp.enabled, vector->pp.enabled);
		assert_int_equal(queries[1].pp.locked, vector->pp.locked);
		assert_int_equal(queries[1].pp.version, vector->pp.version);
		assert_int_equal(queries[1].pp.highest_level, vector->pp.highest_level);
		assert_int_equal(queries[1].pp.current_level, vector->pp.current_level);
	}
	mailbox_bench_close(&bench);
}

static void perf_profile(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pp_vectors); i++)
		run_pp_vector(&pp_vectors[i]);
}

static void run_core_power(bool with_clos, const struct script_step *steps, size_t n_steps,
			   struct platform_core_power_query queries[2])
{
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, ICE_LAKE, NULL, NULL, 0);
	for (uint32_t package = 0; package < 2; package++)
		queries[package] = (struct platform_core_power_query){
			.domain = mailbox_bench_domain(&bench, package)
		};
	mailbox_bench_expect(&bench, steps, n_steps);
	assert_int_equal(bench.platform->ops->read_core_power(
				 bench.platform, with_clos ? PLATFORM_CLOS : PLATFORM_CORE_POWER,
				 queries, 2),
			 0);
	mailbox_bench_expect_end(&bench);
	mailbox_bench_close(&bench);
}

/* Both words of all domains in one request; without CLOS half of that. */
static void core_power(void **state)
{
	const struct script_step both[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL,
			    ENTRY_MAILBOX(0, 0x94, 0x03, 0, 0x00010001),
			    ENTRY_MAILBOX(2, 0x94, 0x03, 0, 0x00000001),
			    ENTRY_MAILBOX(0, 0xd0, 0x02, 0, 0x6),
			    ENTRY_MAILBOX(2, 0xd0, 0x02, 0, 0x0)),
	};
	const struct script_step without_clos[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ENTRY_MAILBOX(0, 0x94, 0x03, 0, 0),
			    ENTRY_MAILBOX(2, 0x94, 0x03, 0, 0x10000)),
	};
	struct platform_core_power_query queries[2];

	(void)state;
	run_core_power(true, both, ARRAY_SIZE(both), queries);
	assert_true(queries[0].core_power.supported && queries[0].core_power.enabled);
	assert_true(queries[0].core_power.clos_enabled && queries[0].core_power.ordered);
	assert_true(queries[1].core_power.supported && !queries[1].core_power.enabled);
	assert_false(queries[1].core_power.clos_enabled || queries[1].core_power.ordered);
	run_core_power(false, without_clos, ARRAY_SIZE(without_clos), queries);
	assert_false(queries[0].core_power.supported || queries[0].core_power.enabled);
	assert_true(!queries[1].core_power.supported && queries[1].core_power.enabled);
}

/* Either word that fails is its domain's failure, and no other's. */
static void core_power_refused(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, -ENXIO, ENTRY_MAILBOX(0, 0x94, 0x03, 0, 0),
			    ENTRY_MAILBOX(2, 0x94, 0x03, 0, 1), ENTRY_MAILBOX(0, 0xd0, 0x02, 0, 0),
			    ENTRY_MAILBOX(2, 0xd0, 0x02, 0, 0)),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, 2, ENTRY_MAILBOX(2, 0x94, 0x03, 0, 1),
			    ENTRY_MAILBOX(0, 0xd0, 0x02, 0, 0), ENTRY_MAILBOX(2, 0xd0, 0x02, 0, 0)),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, -EINVAL, ENTRY_MAILBOX(2, 0xd0, 0x02, 0, 0)),
	};
	struct platform_core_power_query queries[2];

	(void)state;
	run_core_power(true, steps, ARRAY_SIZE(steps), queries);
	assert_int_equal(queries[0].error, -ENXIO);
	assert_int_equal(queries[1].error, -EINVAL);
}

static void run_clos(uint32_t model, const struct script_step *steps, size_t n_steps,
		     struct platform_query queries[2])
{
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, model, NULL, NULL, 0);
	for (uint32_t package = 0; package < 2; package++)
		queries[package] = (struct platform_query){
			.domain = mailbox_bench_domain(&bench, package),
			.index = 3,
		};
	mailbox_bench_expect(&bench, steps, n_steps);
	assert_int_equal(platform_read_clos(bench.platform, queries, 2), 0);
	mailbox_bench_expect_end(&bench);
	mailbox_bench_close(&bench);
}

static void check_clos(const struct platform_query queries[2])
{
	assert_int_equal(queries[0].error, 0);
	assert_int_equal(value_to_clos(&queries[0].value).epp, 15);
	assert_int_equal(value_to_clos(&queries[0].value).weight, 9);
	assert_int_equal(value_to_clos(&queries[0].value).min_mhz, 800);
	assert_int_equal(value_to_clos(&queries[0].value).max_mhz, 25500);
	assert_int_equal(value_to_clos(&queries[0].value).desired_mhz, 1600);
	assert_int_equal(queries[1].error, 0);
	assert_int_equal(value_to_clos(&queries[1].value).max_mhz, 2000);
	assert_int_equal(value_to_clos(&queries[1].value).epp, 0);
}

/* By mailbox on the Skylake generation, by MMIO elsewhere; the word is the same. */
static void clos_parameters(void **state)
{
	const struct script_step mailbox[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ENTRY_CLOS(0, 0x01, 3, 0x10ff089f),
			    ENTRY_CLOS(2, 0x01, 3, 0x00140000)),
	};
	const struct script_step mmio[] = {
		SCRIPT_STEP(ISST_IF_IO_CMD, SCRIPT_ALL, ENTRY_READ(0, 0x14, 0x10ff089f),
			    ENTRY_READ(2, 0x14, 0x00140000)),
	};
	static const uint32_t by_mmio[] = { ICE_LAKE, SAPPHIRE_RAPIDS, EMERALD_RAPIDS };
	struct platform_query queries[2];

	(void)state;
	run_clos(SKYLAKE, mailbox, ARRAY_SIZE(mailbox), queries);
	check_clos(queries);
	for (size_t i = 0; i < ARRAY_SIZE(by_mmio); i++) {
		run_clos(by_mmio[i], mmio, ARRAY_SIZE(mmio), queries);
		check_clos(queries);
	}
}

/* Without the MMIO driver there is no value to be shown (known of another tool: garbage is). */
static void clos_without_driver(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_STEP(ISST_IF_IO_CMD, -ENOTTY, ENTRY_READ(0, 0x14, 0),
			    ENTRY_READ(2, 0x14, 0)),
	};
	struct platform_query queries[2];

	(void)state;
	run_clos(ICE_LAKE, steps, ARRAY_SIZE(steps), queries);
	assert_int_equal(queries[0].error, -ENOTTY);
	assert_int_equal(queries[1].error, -ENOTTY);
}

struct assoc_vector {
	uint32_t model;
	const uint32_t *core_ids;
	const struct fake_rule *rules;
	size_t n_rules;
	const struct script_step *steps;
	size_t n_steps;
	uint32_t clos[8]; /* of all CPUs */
	int errors[8];
};

static const uint32_t far_ids[] = { 3, 44 };
static const uint32_t eighth_ids[] = { 7, 8 };

static const struct script_step assoc_mailbox[] = {
	SCRIPT_STEP(ISST_IF_MBOX_COMMAND, 1, ENTRY_CLOS(0, 0x00, 7, 0x20000),
		    ENTRY_CLOS(1, 0x00, 8, 0), ENTRY_CLOS(2, 0x00, 7, 0x10000),
		    ENTRY_CLOS(3, 0x00, 8, 0)),
	SCRIPT_STEP(ISST_IF_MBOX_COMMAND, -EPERM, ENTRY_CLOS(1, 0x00, 8, 0),
		    ENTRY_CLOS(2, 0x00, 7, 0x10000), ENTRY_CLOS(3, 0x00, 8, 0)),
	SCRIPT_STEP(ISST_IF_MBOX_COMMAND, 1, ENTRY_CLOS(2, 0x00, 7, 0x10000),
		    ENTRY_CLOS(3, 0x00, 8, 0)),
	SCRIPT_STEP(ISST_IF_MBOX_COMMAND, -EPERM, ENTRY_CLOS(3, 0x00, 8, 0)),
};

static const struct script_step assoc_mmio[] = {
	SCRIPT_STEP(ISST_IF_IO_CMD, SCRIPT_ALL, ENTRY_READ(0, 0x2c, 0xfffdffff),
		    ENTRY_READ(1, 0xd0, 0x30000), ENTRY_READ(2, 0x2c, 0), ENTRY_READ(3, 0xd0, 0)),
};

static const struct script_step assoc_far[] = {
	SCRIPT_STEP(ISST_IF_IO_CMD, 3, ENTRY_READ(0, 0x20, 0x10000), ENTRY_READ(1, 0x24, 0x30000),
		    ENTRY_READ(2, 0x20, 0), ENTRY_READ(3, 0x24, 0)),
	SCRIPT_STEP(ISST_IF_IO_CMD, -EINVAL, ENTRY_READ(3, 0x24, 0)),
};

static const struct script_step assoc_unknown[] = {
	SCRIPT_STEP(ISST_IF_IO_CMD, SCRIPT_ALL, ENTRY_READ(2, 0x20, 0x10000),
		    ENTRY_READ(3, 0x24, 0x30000)),
};

static const struct assoc_vector assoc_vectors[] = {
	/* Reading core 8 asks for CAP_SYS_ADMIN: the others are shown all the same. */
	{ .model = SKYLAKE,
	  .core_ids = eighth_ids,
	  .steps = assoc_mailbox,
	  .n_steps = ARRAY_SIZE(assoc_mailbox),
	  .clos = { 2, 0, 1, 0, 2, 0, 1, 0 },
	  .errors = { 0, -EPERM, 0, -EPERM, 0, -EPERM, 0, -EPERM } },
	/* Core ids with holes: registers go by id, not by count. */
	{ .model = ICE_LAKE,
	  .core_ids = far_ids,
	  .steps = assoc_mmio,
	  .n_steps = ARRAY_SIZE(assoc_mmio),
	  .clos = { 1, 3, 0, 0, 1, 3, 0, 0 } },
	{ .model = EMERALD_RAPIDS,
	  .steps = assoc_far,
	  .n_steps = ARRAY_SIZE(assoc_far),
	  .clos = { 1, 3, 0, 0, 1, 3, 0, 0 },
	  .errors = { 0, 0, 0, -EINVAL, 0, 0, 0, -EINVAL } },
	/* A CPU whose core the driver does not know is not asked about. */
	{ .model = SAPPHIRE_RAPIDS,
	  .rules = unknown_core_rules,
	  .n_rules = ARRAY_SIZE(unknown_core_rules),
	  .steps = assoc_unknown,
	  .n_steps = ARRAY_SIZE(assoc_unknown),
	  .clos = { 0, 0, 1, 3, 0, 0, 1, 3 },
	  .errors = { -ENODATA, -ENODATA, 0, 0, -ENODATA, -ENODATA, 0, 0 } },
};

/* All eight CPUs are asked for; each core goes out once. */
static void associations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(assoc_vectors); i++) {
		const struct assoc_vector *vector = &assoc_vectors[i];
		struct platform_query queries[8] = { 0 };
		struct mailbox_bench bench;

		mailbox_bench_open(&bench, vector->model, vector->core_ids, vector->rules,
				   vector->n_rules);
		for (uint32_t cpu = 0; cpu < 8; cpu++)
			queries[cpu].cpu = cpu;
		mailbox_bench_expect(&bench, vector->steps, vector->n_steps);
		assert_int_equal(platform_read_assoc(bench.platform, queries, 8), 0);
		mailbox_bench_expect_end(&bench);
		for (uint32_t cpu = 0; cpu < 8; cpu++) {
			assert_int_equal(queries[cpu].error, vector->errors[cpu]);
			if (!queries[cpu].error)
				assert_int_equal(queries[cpu].value.number, vector->clos[cpu]);
		}
		mailbox_bench_close(&bench);
	}
}

static void turbo_ratio_limits(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, 1, ENTRY_READ(0, 0x1ad, 0x2122232425262728),
			    ENTRY_READ(2, 0x1ad, 0)),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, -ENXIO, ENTRY_READ(2, 0x1ad, 0)),
	};
	struct mailbox_bench bench;

	(void)state;
	mailbox_bench_open(&bench, ICE_LAKE, NULL, NULL, 0);
	struct platform_query queries[] = {
		{ .domain = mailbox_bench_domain(&bench, 0) },
		{ .domain = mailbox_bench_domain(&bench, 1) },
	};

	mailbox_bench_expect(&bench, steps, ARRAY_SIZE(steps));
	assert_int_equal(limits_read(bench.platform, queries, 2), 0);
	mailbox_bench_expect_end(&bench);
	assert_int_equal(queries[0].error, 0);
	assert_true(queries[0].value.number == 0x2122232425262728);
	assert_int_equal(queries[1].error, -ENXIO);
	mailbox_bench_close(&bench);
}

/* What each part calls its turbo-ratio levels. */
static void level_names(void **state)
{
	static const struct {
		uint32_t model;
		unsigned int count;
		const char *last;
	} rows[] = {
		{ SKYLAKE, 3, "avx512" },
		{ ICE_LAKE, 3, "avx512" },
		{ SAPPHIRE_RAPIDS, 3, "avx512" },
		{ EMERALD_RAPIDS, 5, "level-4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mailbox_bench bench;

		mailbox_bench_open(&bench, rows[i].model, NULL, NULL, 0);
		assert_int_equal(bench.platform->n_trl_levels, rows[i].count);
		assert_string_equal(bench.platform->trl_names[rows[i].count - 1], rows[i].last);
		assert_false(bench.platform->shows_power_domains);
		mailbox_bench_close(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_profile),        cmocka_unit_test(core_power),
		cmocka_unit_test(core_power_refused),  cmocka_unit_test(clos_parameters),
		cmocka_unit_test(clos_without_driver), cmocka_unit_test(associations),
		cmocka_unit_test(turbo_ratio_limits),  cmocka_unit_test(level_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

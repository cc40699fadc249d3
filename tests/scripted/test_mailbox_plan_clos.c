// SPDX-License-Identifier: GPL-2.0-only
/* Planning SST-CP and the turbo-ratio limits on mailbox parts: exactly which requests go out, and
 * which steps come of the answers (hardware.md, section 3); and how few they are on large
 * machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "plan_steps.h"
#include "settings/sst.h"

#define READ_PM(cpu, answer)  ENTRY_MAILBOX(cpu, 0x94, 0x03, 0, answer)
#define READ_QOS(cpu, answer) ENTRY_CLOS(cpu, 0x02, 0, answer)
#define CP_ON                 (1U << 16)

#define CHECK_PM(on_cpu, new, old)                                                          \
	{                                                                                   \
		.read = READ_WORD(on_cpu, 0x94, 0x03, 0, 0), .mask = CP_ON, .value = (new), \
		.old_value = (old), .tries = 5                                              \
	}
#define CHECK_QOS(on_cpu, new, old)                                                     \
	{                                                                               \
		.read = READ_WORD(on_cpu, 0xd0, 0x02, 0, 0), .mask = 6, .value = (new), \
		.old_value = (old), .tries = 5                                          \
	}

static void make_core_power(struct mailbox_bench *bench, struct change_list *plan,
			    const void *wanted, int errors[2])
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[2];

	for (uint32_t i = 0; i < 2; i++) {
		requests[i] = ((const struct setting_request *)wanted)[i];
		requests[i].domain = mailbox_bench_domain(bench, i);
	}
	assert_int_equal(sst_plan_core_power(&environment, requests, 2), 0);
	for (uint32_t i = 0; i < 2; i++)
		errors[i] = requests[i].error;
	assert_false(requests[1].is_absent);
}

/* Package 0 has all off; package 1 has all on, but proportional, and strange bits set. */
static void core_power_on(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, READ_PM(0, 1), READ_QOS(0, 0),
			    READ_PM(2, CP_ON | 1), READ_QOS(2, 0xffff0002)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "SST-CP",
		  .write = WRITE_WORD(0, 0x95, 0x03, 0, CP_ON),
		  .old_text = "off",
		  .new_text = "on",
		  .check = CHECK_PM(0, CP_ON, 0) },
		{ .what = "CLOS and its priority type",
		  .write = WRITE_WORD(0, 0xd0, 0x02, 0x100, 6),
		  .old_text = "CLOS off, proportional",
		  .new_text = "CLOS on, ordered",
		  .check = CHECK_QOS(0, 6, 0) },
		{ .what = "CLOS and its priority type",
		  .package = 1,
		  .write = WRITE_WORD(2, 0xd0, 0x02, 0x100, 0xffff0006),
		  .old_value = 0xffff0002,
		  .old_text = "CLOS on, proportional",
		  .new_text = "CLOS on, ordered",
		  .check = CHECK_QOS(2, 6, 2) },
	};
	static const struct setting_request requests[] = {
		{ .value.core_power = { .on = true, .ordered = true } },
		{ .value.core_power = { .on = true, .ordered = true } },
	};
	static const uint32_t models[] = { ICE_LAKE, SKYLAKE, EMERALD_RAPIDS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		plan_vector_run(&(struct plan_vector){ .model = models[i],
						       VECTOR_SCRIPT(script),
						       VECTOR_STEPS(steps) },
				make_core_power, requests);
}

/* Package 0 is to be proportional afterwards, package 1 stays ordered. */
static void core_power_off(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, READ_PM(0, CP_ON | 1), READ_QOS(0, 6),
			    READ_PM(2, 1), READ_QOS(2, 6)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "SST-CP",
		  .write = WRITE_WORD(0, 0x95, 0x03, 0, 0),
		  .old_value = CP_ON,
		  .old_text = "on",
		  .new_text = "off",
		  .check = CHECK_PM(0, 0, CP_ON) },
		{ .what = "CLOS and its priority type",
		  .write = WRITE_WORD(0, 0xd0, 0x02, 0x100, 0),
		  .old_value = 6,
		  .old_text = "CLOS on, ordered",
		  .new_text = "CLOS off, proportional",
		  .check = CHECK_QOS(0, 0, 6) },
		{ .what = "CLOS and its priority type",
		  .package = 1,
		  .write = WRITE_WORD(2, 0xd0, 0x02, 0x100, 4),
		  .old_value = 6,
		  .old_text = "CLOS on, ordered",
		  .new_text = "CLOS off, ordered",
		  .check = CHECK_QOS(2, 4, 6) },
	};
	static const struct setting_request requests[] = { { .value.core_power.on = false },
							   { .value.core_power.ordered = true } };

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = SAPPHIRE_RAPIDS,
					       VECTOR_SCRIPT(script),
					       VECTOR_STEPS(steps) },
			make_core_power, requests);
}

/* A refused READ_PM_CONFIG is no obstacle: its write is tried. Nothing to do adds nothing. */
static void core_power_unread(void **state)
{
	const struct entry entries[] = { READ_PM(0, 0), READ_QOS(0, 6), READ_PM(2, CP_ON | 1),
					 READ_QOS(2, 2) };
	const struct script_step refused[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, entries, 1),
	};
	const struct script_step failed[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 2, entries, 1),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, entries, 3),
	};
	static const struct wanted_step tried[] = {
		{ .what = "SST-CP",
		  .write = WRITE_WORD(0, 0x95, 0x03, 0, CP_ON),
		  .new_text = "on",
		  .optional = true,
		  .not_undoable = true },
	};
	static const struct setting_request requests[] = {
		{ .value.core_power = { .on = true, .ordered = true } },
		{ .value.core_power.on = true },
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(refused),
					       VECTOR_STEPS(tried) },
			make_core_power, requests);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(failed),
					       .errors = { -EPERM, -ENXIO } },
			make_core_power, requests);
}

#define N_CLOS_REQUESTS 3

static void make_clos(struct mailbox_bench *bench, struct change_list *plan, const void *wanted,
		      int errors[2])
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[N_CLOS_REQUESTS];

	for (uint32_t i = 0; i < N_CLOS_REQUESTS; i++) {
		requests[i] = ((const struct setting_request *)wanted)[i];
		requests[i].domain = mailbox_bench_domain(bench, i ? 1 : 0);
	}
	assert_int_equal(sst_plan_clos(&environment, requests, N_CLOS_REQUESTS), 0);
	errors[0] = requests[0].error;
	errors[1] = requests[1].error;
}

/* Of package 0 CLOS 1, of package 1 CLOS 0 (as it already is) and CLOS 3. */
static const struct setting_request clos_requests[N_CLOS_REQUESTS] = {
	{ .value.clos = { 1, { .min_mhz = 3099, .unlimited = true, .desired_mhz = 700 }, true } },
	{ .value.clos = { .id = 0,
			  .parameters = { .min_mhz = 800,
					  .max_mhz = 2000,
					  .epp = 3,
					  .weight = 9 } } },
	{ .value.clos = { .id = 3,
			  .parameters = { .epp = 15,
					  .weight = 15,
					  .max_mhz = 3000,
					  .desired_mhz = 2500 } } },
};

#define CLOS_TEXT_OLD_1 "epp:15 weight:1 min:0 MHz max:100 MHz desired:1600 MHz"
#define CLOS_TEXT_NEW_1 "epp:0 weight:0 min:3000 MHz max:unlimited desired:1600 MHz"
#define CLOS_TEXT_OLD_3 "epp:0 weight:0 min:0 MHz max:0 MHz desired:0 MHz"
#define CLOS_TEXT_NEW_3 "epp:15 weight:15 min:0 MHz max:3000 MHz desired:2500 MHz"

static void clos_by_mailbox(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ENTRY_CLOS(0, 0x01, 1, 0x1001001f),
			    ENTRY_CLOS(2, 0x01, 0, 0x00140893), ENTRY_CLOS(2, 0x01, 3, 0)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "CLOS 1",
		  .write = WRITE_WORD(0, 0xd0, 0x01, 0x101, 0x10ff1e00),
		  .old_value = 0x1001001f,
		  .old_text = CLOS_TEXT_OLD_1,
		  .new_text = CLOS_TEXT_NEW_1,
		  .check = { .read = READ_WORD(0, 0xd0, 0x01, 1, 0),
			     .mask = UINT32_MAX,
			     .value = 0x10ff1e00,
			     .old_value = 0x1001001f },
		  .batched = true },
		{ .what = "CLOS 3",
		  .package = 1,
		  .write = WRITE_WORD(2, 0xd0, 0x01, 0x103, 0x191e00ff),
		  .old_text = CLOS_TEXT_OLD_3,
		  .new_text = CLOS_TEXT_NEW_3,
		  .check = { .read = READ_WORD(2, 0xd0, 0x01, 3, 0),
			     .mask = UINT32_MAX,
			     .value = 0x191e00ff },
		  .batched = true },
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = SKYLAKE,
					       VECTOR_SCRIPT(script),
					       VECTOR_STEPS(steps) },
			make_clos, clos_requests);
}

static void clos_by_mmio(void **state)
{
	const struct entry entries[] = { ENTRY_READ(0, 0x0c, 0x1001001f),
					 ENTRY_READ(2, 0x08, 0x00140893), ENTRY_READ(2, 0x14, 0) };
	const struct script_step script[] = { SCRIPT_SLICE(ISST_IF_IO_CMD, SCRIPT_ALL, entries,
							   0) };
	const struct script_step failed[] = {
		SCRIPT_SLICE(ISST_IF_IO_CMD, 1, entries, 0),
		SCRIPT_SLICE(ISST_IF_IO_CMD, -EINVAL, entries, 1),
		SCRIPT_SLICE(ISST_IF_IO_CMD, SCRIPT_ALL, entries, 2),
	};
	const struct script_step no_driver[] = { SCRIPT_SLICE(ISST_IF_IO_CMD, -ENOTTY, entries,
							      0) };
	static const struct wanted_step steps[] = {
		{ .what = "CLOS 1",
		  .write = WRITE_MMIO(0, 0x0c, 0x10ff1e00),
		  .old_value = 0x1001001f,
		  .old_text = CLOS_TEXT_OLD_1,
		  .new_text = CLOS_TEXT_NEW_1,
		  .check = { .read = READ_MMIO(0, 0x0c),
			     .mask = UINT32_MAX,
			     .value = 0x10ff1e00,
			     .old_value = 0x1001001f },
		  .batched = true },
		{ .what = "CLOS 3",
		  .package = 1,
		  .write = WRITE_MMIO(2, 0x14, 0x191e00ff),
		  .old_text = CLOS_TEXT_OLD_3,
		  .new_text = CLOS_TEXT_NEW_3,
		  .check = { .read = READ_MMIO(2, 0x14), .mask = UINT32_MAX, .value = 0x191e00ff },
		  .batched = true },
	};
	static const uint32_t models[] = { ICE_LAKE, SAPPHIRE_RAPIDS, EMERALD_RAPIDS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		plan_vector_run(&(struct plan_vector){ .model = models[i],
						       VECTOR_SCRIPT(script),
						       VECTOR_STEPS(steps) },
				make_clos, clos_requests);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(failed),
					       VECTOR_STEPS(steps),
					       .errors = { 0, -EINVAL } },
			make_clos, clos_requests);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(no_driver),
					       .errors = { -ENOTTY, -ENOTTY } },
			make_clos, clos_requests);
}

/* CPUs 5 and 1 are threads of one core, 7 and 3 of another; CPU 0's core is where it belongs. */
static const struct setting_request assoc_requests[] = {
	{ .cpu = 5, .value.number = 0 }, { .cpu = 3, .value.number = 3 },
	{ .cpu = 1, .value.number = 3 }, { .cpu = 7, .value.number = 1 },
	{ .cpu = 0, .value.number = 2 },
};

static void make_assoc(struct mailbox_bench *bench, struct change_list *plan, const void *wanted,
		       int errors[2])
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[ARRAY_SIZE(assoc_requests)];

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		requests[i] = ((const struct setting_request *)wanted)[i];
	assert_int_equal(sst_plan_assoc(&environment, requests, ARRAY_SIZE(requests)), 0);
	errors[0] = requests[0].error;
	errors[1] = requests[1].error;
	assert_int_equal(requests[2].error, errors[0]); /* the same core */
	assert_int_equal(requests[3].error, errors[1]);
}

#define CHECK_ASSOC(request, new, old)                                                           \
	{                                                                                        \
		.read = request, .mask = 0x30000, .value = (new) << 16, .old_value = (old) << 16 \
	}

static const uint32_t eighth_ids[] = { 7, 8 };

/* The first request of a core counts; the other bits of the word stay. */
static void assoc_by_mailbox(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ENTRY_CLOS(5, 0x00, 8, 0xfffeffff),
			    ENTRY_CLOS(3, 0x00, 8, 0), ENTRY_CLOS(0, 0x00, 7, 0x20000)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "association of core 8",
		  .cpu = WANTED_CPU(5),
		  .write = WRITE_WORD(5, 0xd0, 0x00, 0x108, 0xfffcffff),
		  .old_value = 0xfffeffff,
		  .old_text = "CLOS 2",
		  .new_text = "CLOS 0",
		  .check = CHECK_ASSOC(READ_WORD(5, 0xd0, 0x00, 8, 0), 0, 2),
		  .batched = true },
		{ .what = "association of core 8",
		  .package = 1,
		  .cpu = WANTED_CPU(3),
		  .write = WRITE_WORD(3, 0xd0, 0x00, 0x108, 0x30000),
		  .old_text = "CLOS 0",
		  .new_text = "CLOS 3",
		  .check = CHECK_ASSOC(READ_WORD(3, 0xd0, 0x00, 8, 0), 3, 0),
		  .batched = true },
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = SKYLAKE,
					       .core_ids = eighth_ids,
					       VECTOR_SCRIPT(script),
					       VECTOR_STEPS(steps) },
			make_assoc, assoc_requests);
}

static void assoc_by_mmio(void **state)
{
	static const struct fake_rule unknown_core[] = {
		{ .request = ISST_IF_GET_PHY_ID, .package = FAKE_PACKAGE(0), .answer = UINT32_MAX },
	};
	const struct entry entries[] = { ENTRY_READ(5, 0x24, 0), ENTRY_READ(3, 0x24, 0x10000),
					 ENTRY_READ(0, 0x20, 0x20000) };
	const struct script_step script[] = { SCRIPT_SLICE(ISST_IF_IO_CMD, SCRIPT_ALL, entries,
							   0) };
	const struct script_step unknown[] = {
		SCRIPT_STEP(ISST_IF_IO_CMD, SCRIPT_ALL, ENTRY_READ(3, 0x24, 0x10000)),
	};
	const struct script_step failed[] = {
		SCRIPT_SLICE(ISST_IF_IO_CMD, 1, entries, 0),
		SCRIPT_SLICE(ISST_IF_IO_CMD, -EINVAL, entries, 1),
		SCRIPT_SLICE(ISST_IF_IO_CMD, SCRIPT_ALL, entries, 2),
	};
	static const struct wanted_step step = {
		.what = "association of core 1",
		.package = 1,
		.cpu = WANTED_CPU(3),
		.write = WRITE_MMIO(3, 0x24, 0x30000),
		.old_value = 0x10000,
		.old_text = "CLOS 1",
		.new_text = "CLOS 3",
		.check = CHECK_ASSOC(READ_MMIO(3, 0x24), 3, 1),
		.batched = true,
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = EMERALD_RAPIDS,
					       VECTOR_SCRIPT(script),
					       .steps = &step,
					       .n_steps = 1 },
			make_assoc, assoc_requests);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       .rules = unknown_core,
					       .n_rules = 1,
					       VECTOR_SCRIPT(unknown),
					       .steps = &step,
					       .n_steps = 1,
					       .errors = { -ENODATA, 0 } },
			make_assoc, assoc_requests);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(failed),
					       .errors = { 0, -EINVAL } },
			make_assoc, assoc_requests);
}

/* Limits that are asked for, and what was read of package 0's level before. */
struct trl_request {
	uint64_t limits[3];
	const struct sst_pp *pp;
	bool is_of_level; /* package 0, in place of the limits */
};

static void make_trl(struct mailbox_bench *bench, struct change_list *plan,
		     const void *request_pointer, int errors[2])
{
	const struct trl_request *request = request_pointer;
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[3] = { { .pp = request->pp },
					       { 0 },
					       { .pp = request->pp } };

	for (uint32_t i = 0; i < 3; i++) {
		requests[i].domain = mailbox_bench_domain(bench, i % 2);
		requests[i].value.trl.ratios = request->limits[i];
		requests[i].value.trl.is_of_level = i != 1 && request->is_of_level;
	}
	assert_int_equal(sst_plan_trl(&environment, requests, 3), 0);
	errors[0] = requests[0].error;
	errors[1] = requests[1].error;
	assert_int_equal(requests[2].error, errors[0]);
}

#define LIMITS       0x2122232425262728
#define LEVEL_LIMITS 0x1112131415161718

#define READ_RATIOS(level)                                               \
	ENTRY_MAILBOX(0, 0x7f, 0x07, (level), LEVEL_LIMITS &UINT32_MAX), \
		ENTRY_MAILBOX(0, 0x7f, 0x07, (level) | 0x100, LEVEL_LIMITS >> 32)

#define LIMITS_STEP(of_level)                                                           \
	{                                                                               \
		.what = "turbo-ratio limits", .write = WRITE_MSR(0, 0x1ad, UINT64_MAX), \
		.old_value = LIMITS, .old_text = "0x2122232425262728",                  \
		.new_text = "0xffffffffffffffff", .undone_last = true, .check = {       \
			.read = READ_MSR(0, 0x1ad),                                     \
			.mask = UINT64_MAX,                                             \
			.value = UINT64_MAX,                                            \
			.old_value = LIMITS,                                            \
			.tries = 5,                                                     \
			.level_limits = (of_level),                                     \
		}                                                                       \
	}

/* The last request for package 0 counts, whichever package comes first. */
static void turbo_ratio_limits(void **state)
{
	const struct entry entries[] = { ENTRY_READ(2, 0x1ad, LIMITS),
					 ENTRY_READ(0, 0x1ad, LIMITS) };
	const struct entry ratios[] = { READ_RATIOS(3) };
	const struct script_step script[] = {
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
	};
	const struct script_step failed[] = {
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -ENXIO, entries, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -EPERM, entries, 1),
	};
	static const struct wanted_step step = LIMITS_STEP(LEVEL_LIMITS);
	static const struct sst_pp pp = { .enabled = true, .current_level = 3 };
	static const struct trl_request request = { .limits = { 1, LIMITS, UINT64_MAX },
						    .pp = &pp };
	static const uint32_t models[] = { SKYLAKE, ICE_LAKE, EMERALD_RAPIDS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		plan_vector_run(&(struct plan_vector){ .model = models[i],
						       VECTOR_SCRIPT(script),
						       .steps = &step,
						       .n_steps = 1 },
				make_trl, &request);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(failed),
					       .errors = { -EPERM, -ENXIO } },
			make_trl, &request);
}

/* What firmware may limit them to is read of the current level, where it is not known. */
static void level_limits(void **state)
{
	const struct entry entries[] = { ENTRY_READ(2, 0x1ad, UINT64_MAX),
					 ENTRY_READ(0, 0x1ad, LIMITS) };
	const struct entry level[] = { ENTRY_MAILBOX(0, 0x7f, 0x00, 0, 0x80030400) };
	const struct entry ratios[] = { READ_RATIOS(3) };
	const struct script_step all_read[] = {
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, level, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, level, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
	};
	const struct script_step level_known[] = {
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
	};
	const struct script_step refused[] = {
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, entries, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, level, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, ratios, 1),
	};
	static const struct wanted_step known = LIMITS_STEP(LEVEL_LIMITS);
	static const struct wanted_step unknown = LIMITS_STEP(0);
	static const struct sst_pp pp = { .enabled = true, .current_level = 3 };
	static const struct trl_request requests[] = {
		{ .limits = { 1, UINT64_MAX, UINT64_MAX } },
		{ .limits = { 1, UINT64_MAX, UINT64_MAX }, .pp = &pp },
	};

	(void)state;
	plan_vector_run(
		&(struct plan_vector){
			.model = ICE_LAKE, VECTOR_SCRIPT(all_read), .steps = &known, .n_steps = 1 },
		make_trl, &requests[0]);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(level_known),
					       .steps = &known,
					       .n_steps = 1 },
			make_trl, &requests[1]);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(refused),
					       .steps = &unknown,
					       .n_steps = 1 },
			make_trl, &requests[0]);
}

/* Back to the limits of the level: they are read first, and once. */
static void limits_of_level(void **state)
{
	const struct entry ratios[] = { READ_RATIOS(3) };
	const struct script_step all_read[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, ratios, 0),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(2, 0x1ad, LIMITS),
			    ENTRY_READ(0, 0x1ad, UINT64_MAX)),
	};
	const struct script_step refused[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, ratios, 1),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, ratios, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, ratios, 1),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(2, 0x1ad, LIMITS)),
	};
	static const struct wanted_step step = {
		.what = "turbo-ratio limits",
		.write = WRITE_MSR(0, 0x1ad, LEVEL_LIMITS),
		.old_value = UINT64_MAX,
		.old_text = "0xffffffffffffffff",
		.new_text = "0x1112131415161718",
		.undone_last = true,
		.check = { .read = READ_MSR(0, 0x1ad),
			   .mask = UINT64_MAX,
			   .value = LEVEL_LIMITS,
			   .old_value = UINT64_MAX,
			   .tries = 5,
			   .level_limits = LEVEL_LIMITS },
	};
	static const struct sst_pp pp = { .enabled = true, .current_level = 3 };
	static const struct trl_request request = { .limits = { 0, LIMITS, 0 },
						    .pp = &pp,
						    .is_of_level = true };

	(void)state;
	plan_vector_run(
		&(struct plan_vector){
			.model = ICE_LAKE, VECTOR_SCRIPT(all_read), .steps = &step, .n_steps = 1 },
		make_trl, &request);
	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(refused),
					       .errors = { -EPERM, 0 } },
			make_trl, &request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_power_on),     cmocka_unit_test(core_power_off),
		cmocka_unit_test(core_power_unread), cmocka_unit_test(clos_by_mailbox),
		cmocka_unit_test(clos_by_mmio),      cmocka_unit_test(assoc_by_mailbox),
		cmocka_unit_test(assoc_by_mmio),     cmocka_unit_test(turbo_ratio_limits),
		cmocka_unit_test(level_limits),      cmocka_unit_test(limits_of_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Planning levels, SST-BF and SST-TF on mailbox parts: exactly which requests go out, and which
 * steps come of the answers (hardware.md, section 3). SST-CP and the rest:
 * test_mailbox_plan_clos.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "plan_steps.h"
#include "settings/sst.h"

#define GET_LEVELS(cpu, answer)         ENTRY_MAILBOX(cpu, 0x7f, 0x00, 0, answer)
#define GET_CONTROL(cpu, level, answer) ENTRY_MAILBOX(cpu, 0x7f, 0x01, level, answer)
#define SET_LEVEL(cpu, level)           WRITE_WORD(cpu, 0x7f, 0x08, 0, level)
#define SET_CONTROL(cpu, bits)          WRITE_WORD(cpu, 0x7f, 0x02, 0, bits)

#define BF_ON (1U << 17)
#define TF_ON (1U << 16)
#define TRL   0x2122232425262728

static void make_levels(struct mailbox_bench *bench, struct change_list *plan, const void *wanted,
			int errors[2])
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[2];

	for (uint32_t i = 0; i < 2; i++) {
		requests[i] = ((const struct setting_request *)wanted)[i];
		requests[i].domain = mailbox_bench_domain(bench, i);
	}
	assert_int_equal(sst_plan_level(&environment, requests, 2), 0);
	errors[0] = requests[0].error;
	errors[1] = requests[1].error;
}

#define CHECK_LEVEL(on_cpu, level, old)                                        \
	{                                                                      \
		.read = READ_WORD(on_cpu, 0x7f, 0x00, 0, 0), .mask = 0xff0000, \
		.value = (level) << 16, .old_value = (old) << 16, .tries = 5   \
	}

/* What undoing must read: the switches at the old level, the old limits. */
#define CHECK_ON(on_cpu, level, bits)                                                   \
	{                                                                               \
		.read = READ_WORD(on_cpu, 0x7f, 0x01, 0, level), .mask = BF_ON | TF_ON, \
		.value = (bits), .tries = 5                                             \
	}
#define CHECK_LIMITS(on_cpu, limits)                                                               \
	{                                                                                          \
		.read = READ_MSR(on_cpu, 0x1ad), .mask = UINT64_MAX, .value = (limits), .tries = 5 \
	}

/* Both packages change: one had both features on, one had none. */
static void level_changes(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_LEVELS(0, 0x80000403),
			    GET_LEVELS(2, 0x80030403)),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_CONTROL(0, 0, BF_ON | TF_ON | 3),
			    GET_CONTROL(2, 3, 3)),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL), ENTRY_READ(2, 0x64b, ~(1ULL << 31)),
			    ENTRY_READ(2, 0x1ad, UINT64_MAX)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "performance level",
		  .package = 0,
		  .write = SET_LEVEL(0, 4),
		  .old_value = 0,
		  .old_text = "0",
		  .new_text = "4",
		  .undo = { SET_LEVEL(0, 0), SET_CONTROL(0, BF_ON | TF_ON),
			    WRITE_MSR(0, 0x1ad, TRL) },
		  .n_undo = 3,
		  .undo_checks = { CHECK_ON(0, 0, BF_ON | TF_ON), CHECK_LIMITS(0, TRL) },
		  .n_undo_checks = 2,
		  .check = CHECK_LEVEL(0, 4, 0) },
		{ .what = "performance level",
		  .package = 1,
		  .write = SET_LEVEL(2, 4),
		  .old_value = 3,
		  .old_text = "3",
		  .new_text = "4",
		  .undo = { SET_LEVEL(2, 3), WRITE_MSR(2, 0x1ad, UINT64_MAX) },
		  .n_undo = 2,
		  .undo_checks = { CHECK_LIMITS(2, UINT64_MAX) },
		  .n_undo_checks = 1,
		  .check = CHECK_LEVEL(2, 4, 3),
		  .settle_us = 10000 },
	};
	static const struct setting_request requests[] = { { .value.number = 4 },
							   { .value.number = 4 } };
	static const uint32_t models[] = { ICE_LAKE, SKYLAKE, EMERALD_RAPIDS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		plan_vector_run(&(struct plan_vector){ .model = models[i],
						       VECTOR_SCRIPT(script),
						       VECTOR_STEPS(steps) },
				make_levels, requests);
}

/* What is known is not asked, what is current is not set. */
static void level_known(void **state)
{
	const struct script_step script[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_LEVELS(2, 0x80020403)),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL)),
	};
	static const struct wanted_step steps[] = {
		{ .what = "performance level",
		  .write = SET_LEVEL(0, 2),
		  .old_value = 1,
		  .old_text = "1",
		  .new_text = "2",
		  .undo = { SET_LEVEL(0, 1), SET_CONTROL(0, TF_ON), WRITE_MSR(0, 0x1ad, TRL) },
		  .n_undo = 3,
		  .undo_checks = { CHECK_ON(0, 1, TF_ON), CHECK_LIMITS(0, TRL) },
		  .n_undo_checks = 2,
		  .check = CHECK_LEVEL(0, 2, 1),
		  .settle_us = 10000 },
	};
	const struct sst_pp pp = { .enabled = true, .highest_level = 4, .current_level = 1 };
	const struct sst_level current = { .turbo_freq_on = true };
	const struct setting_request requests[] = {
		{ .value.number = 2, .pp = &pp, .current = &current },
		{ .value.number = 2 },
	};
	const struct setting_request same[] = {
		{ .value.number = 1, .pp = &pp, .current = &current },
		{ .value.number = 1, .pp = &pp },
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = SAPPHIRE_RAPIDS,
					       VECTOR_SCRIPT(script),
					       VECTOR_STEPS(steps) },
			make_levels, requests);
	plan_vector_run(&(struct plan_vector){ .model = SAPPHIRE_RAPIDS }, make_levels, same);
}

static const struct wanted_step first_level[] = {
	{ .what = "performance level",
	  .write = SET_LEVEL(0, 1),
	  .old_text = "0",
	  .new_text = "1",
	  .undo = { SET_LEVEL(0, 0), WRITE_MSR(0, 0x1ad, TRL) },
	  .n_undo = 2,
	  .undo_checks = { CHECK_LIMITS(0, TRL) },
	  .n_undo_checks = 1,
	  .check = CHECK_LEVEL(0, 1, 0),
	  .settle_us = 10000 },
};

/* Package 1 is locked, by GET_LEVELS_INFO or by its MSR, or something of it cannot be read. */
static void level_refused(void **state)
{
	static const struct entry both[] = { GET_LEVELS(0, 0x80000403), GET_LEVELS(2, 0x80000403) };
	static const struct entry controls[] = { GET_CONTROL(0, 0, 3), GET_CONTROL(2, 0, 3) };
	static const struct entry msrs[] = { ENTRY_READ(0, 0x64b, 0), ENTRY_READ(0, 0x1ad, TRL),
					     ENTRY_READ(2, 0x64b, 0), ENTRY_READ(2, 0x1ad, TRL) };
	const struct script_step locked[] = {
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_LEVELS(0, 0x80000403),
			    GET_LEVELS(2, 0x81000403)),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_CONTROL(0, 0, 3)),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL)),
	};
	const struct script_step msr_locked[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, both, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, controls, 0),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL), ENTRY_READ(2, 0x64b, 1ULL << 31 | 3),
			    ENTRY_READ(2, 0x1ad, TRL)),
	};
	const struct script_step no_level[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, both, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EPERM, both, 1),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_CONTROL(0, 0, 3)),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL)),
	};
	const struct script_step no_control[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, both, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, controls, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, controls, 1),
		SCRIPT_STEP(ISST_IF_MSR_COMMAND, SCRIPT_ALL, ENTRY_READ(0, 0x64b, 0),
			    ENTRY_READ(0, 0x1ad, TRL)),
	};
	const struct script_step no_lock[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, both, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, controls, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, 2, msrs, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -EIO, msrs, 2),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, msrs, 3),
	};
	const struct script_step no_limits[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, both, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, controls, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, 3, msrs, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -ENXIO, msrs, 3),
	};
	const struct plan_vector vectors[] = {
		{ VECTOR_SCRIPT(locked), .errors = { 0, -EROFS } },
		{ VECTOR_SCRIPT(msr_locked), .errors = { 0, -EROFS } },
		{ VECTOR_SCRIPT(no_level), .errors = { 0, -EPERM } },
		{ VECTOR_SCRIPT(no_control), .errors = { 0, -ENXIO } },
		{ VECTOR_SCRIPT(no_lock), .errors = { 0, -EIO } },
		{ VECTOR_SCRIPT(no_limits), .errors = { 0, -ENXIO } },
	};
	static const struct setting_request requests[] = { { .value.number = 1 },
							   { .value.number = 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct plan_vector vector = vectors[i];

		vector.model = ICE_LAKE;
		vector.steps = first_level;
		vector.n_steps = 1;
		plan_vector_run(&vector, make_levels, requests);
	}
}

/* Limits that cannot be read are not restored either; without SST-PP there is level 0 alone. */
static void level_without_limits(void **state)
{
	static const struct entry msrs[] = { ENTRY_READ(0, 0x64b, 0), ENTRY_READ(0, 0x1ad, 0) };
	static const struct entry levels[] = { GET_LEVELS(0, 0x80000403), GET_LEVELS(2, 0) };
	const struct script_step script[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, levels, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, levels, 1),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, GET_CONTROL(0, 0, 3)),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, 1, msrs, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -EIO, msrs, 1),
	};
	static const struct setting_request requests[] = { { .value.number = 1 },
							   { .value.number = 0 } };
	struct wanted_step step = first_level[0];

	(void)state;
	step.n_undo = 1;
	step.n_undo_checks = 0;
	plan_vector_run(
		&(struct plan_vector){
			.model = SKYLAKE, VECTOR_SCRIPT(script), .steps = &step, .n_steps = 1 },
		make_levels, requests);
}

static void make_features(struct mailbox_bench *bench, struct change_list *plan, const void *wanted,
			  int errors[2])
{
	const struct setting_environment environment = { bench->platform, bench->machine, plan };
	struct setting_request requests[2];

	for (uint32_t i = 0; i < 2; i++) {
		requests[i] = ((const struct setting_request *)wanted)[i];
		requests[i].domain = mailbox_bench_domain(bench, i);
	}
	assert_int_equal(sst_plan_feature(&environment, requests, 2), 0);
	errors[0] = requests[0].error;
	errors[1] = requests[1].error;
}

struct feature_vector {
	uint32_t old;
	enum setting_id feature;
	bool on;
	uint32_t new;
	const char *old_text;
	const char *new_text;
};

static const struct feature_vector feature_vectors[] = {
	{ 0, SETTING_BASE_FREQ, true, BF_ON, "SST-BF off, SST-TF off", "SST-BF on, SST-TF off" },
	{ TF_ON, SETTING_BASE_FREQ, true, BF_ON | TF_ON, "SST-BF off, SST-TF on",
	  "SST-BF on, SST-TF on" },
	{ BF_ON | TF_ON, SETTING_TURBO_FREQ, false, BF_ON, "SST-BF on, SST-TF on",
	  "SST-BF on, SST-TF off" },
	{ BF_ON | TF_ON, SETTING_BASE_FREQ, false, TF_ON, "SST-BF on, SST-TF on",
	  "SST-BF off, SST-TF on" },
	{ BF_ON, SETTING_TURBO_FREQ, true, BF_ON | TF_ON, "SST-BF on, SST-TF off",
	  "SST-BF on, SST-TF on" },
	{ 0, SETTING_TURBO_FREQ, false, 0, NULL, NULL },
	{ TF_ON, SETTING_TURBO_FREQ, true, TF_ON, NULL, NULL },
	{ BF_ON, SETTING_BASE_FREQ, true, BF_ON, NULL, NULL },
};

/* Package 0, at level 2, as in the vector; package 1, known to be at level 1, has both on. */
static void run_feature_vector(const struct feature_vector *vector)
{
	const struct entry levels = GET_LEVELS(0, 0x80020403);
	const struct entry control = GET_CONTROL(0, 2, vector->old | 3);
	const struct script_step script[] = {
		{ ISST_IF_MBOX_COMMAND, SCRIPT_ALL, &levels, 1 },
		{ ISST_IF_MBOX_COMMAND, SCRIPT_ALL, &control, 1 },
	};
	const struct wanted_step step = {
		.what = "SST-BF and SST-TF",
		.write = SET_CONTROL(0, vector->new),
		.old_value = vector->old,
		.old_text = vector->old_text,
		.new_text = vector->new_text,
		.check = { .read = READ_WORD(0, 0x7f, 0x01, 0, 2),
			   .mask = 0x30000,
			   .value = vector->new,
			   .old_value = vector->old,
			   .tries = 5 },
	};
	const struct sst_pp pp = { .enabled = true, .current_level = 1 };
	const struct sst_level current = { .base_freq_on = true, .turbo_freq_on = true };
	const struct setting_request requests[] = {
		{ vector->feature, .value.on = vector->on },
		{ vector->feature, .value.on = true, .pp = &pp, .current = &current },
	};

	plan_vector_run(&(struct plan_vector){ .model = ICE_LAKE,
					       VECTOR_SCRIPT(script),
					       .steps = &step,
					       .n_steps = vector->new_text ? 1 : 0 },
			make_features, requests);
}

static void features(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(feature_vectors); i++)
		run_feature_vector(&feature_vectors[i]);
}

/* Neither word may be guessed (known of another tool: a level is). */
static void features_unread(void **state)
{
	static const struct entry levels[] = { GET_LEVELS(0, 0), GET_LEVELS(2, 0x80010403) };
	const struct script_step script[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EINVAL, levels, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, levels, 1),
		SCRIPT_STEP(ISST_IF_MBOX_COMMAND, -ENXIO, GET_CONTROL(2, 1, 0)),
	};
	static const struct setting_request requests[] = {
		{ SETTING_TURBO_FREQ, .value.on = true }, { SETTING_TURBO_FREQ, .value.on = true }
	};

	(void)state;
	plan_vector_run(&(struct plan_vector){ .model = SKYLAKE,
					       VECTOR_SCRIPT(script),
					       .errors = { -EINVAL, -ENXIO } },
			make_features, requests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(level_changes), cmocka_unit_test(level_known),
		cmocka_unit_test(level_refused), cmocka_unit_test(level_without_limits),
		cmocka_unit_test(features),      cmocka_unit_test(features_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

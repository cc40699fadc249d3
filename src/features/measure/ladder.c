// SPDX-License-Identifier: GPL-2.0-only
/* measure ladder: one busy core, then two, and so on. Each step is compared with what the settings
 * promise for it (measure.md, "jitter, ladder, explain"). */
#include "features/measure/ladder.h"

#include <string.h>

#include "base/cleanup.h"
#include "features/levels.h"
#include "features/measure/measure.h"

#define MAX_SECONDS   3600
#define MAX_TOLERANCE 100

static const struct measure_kind kind = {
	.command = "ladder",
	.unit = "",
	.tables = { ladder_group_fields },
	.fields = ladder_result_fields,
	.has_machine_last = true,
	.show = measure_ladder_show,
};

static int take_arguments(struct ladder *ladder)
{
	static const enum load_kind kinds[] = {
		[FREQUENCY_SSE] = LOAD_SCALAR,
		[FREQUENCY_AVX2] = LOAD_AVX2,
		[FREQUENCY_AVX512] = LOAD_AVX512,
		[FREQUENCY_AVX512_HEAVY] = LOAD_AVX512,
	};
	struct context *context = ladder->measurement.context;
	const struct measure_ladder_arguments *arguments = context->request->arguments;
	const uint32_t trl_level = levels_trl_of(&arguments->isa, 0);

	if (trl_level < ARRAY_SIZE(kinds))
		ladder->kind = kinds[trl_level];
	else
		context_lack(context, NULL, "--isa %s: there is no load of these instructions",
			     levels_trl_words[arguments->isa.value]);
	ladder->seconds = measurement_option(&arguments->seconds, LADDER_SECONDS);
	ladder->clears_limits = arguments->clear_limits;
	ladder->measurement.rules.tolerance_percent =
		(double)measurement_option(&arguments->tolerance_percent, LADDER_TOLERANCE);
	return measurement_begin(&ladder->measurement, &kind, "the ladder keeps CPUs busy");
}

/* Reports a level without limits for heavy AVX-512, if --isa requests these. The load of dense
 * AVX-512 is compared with them, or with those of AVX-512 if the level has no others. */
static void check_isa(const struct ladder *ladder)
{
	struct context *context = ladder->measurement.context;
	const struct measure_ladder_arguments *arguments = context->request->arguments;
	const struct expected *expected = &ladder->measurement.expected;

	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_level_query *level = &expected->levels[i];

		if (levels_trl_of(&arguments->isa, FREQUENCY_SSE) != FREQUENCY_AVX512_HEAVY ||
		    level->error || frequency_dense(&level->info) == FREQUENCY_AVX512_HEAVY)
			continue;
		context_lack(context, NULL, "level %u reports no turbo-ratio limits for --isa %s",
			     level->level, levels_trl_words[arguments->isa.value]);
		return;
	}
}

static struct figure count_steps(const struct ladder_result *ladder, const char *result)
{
	uint64_t count = 0;

	for (size_t i = 0; i < ladder->n_steps; i++)
		count += strcmp(ladder->steps[i].result, result) == 0;
	return figure_make_count(count, NULL);
}

/* Saves and shows the steps. */
static int finish(struct ladder *ladder)
{
	struct measurement *measurement = &ladder->measurement;
	struct context *context = measurement->context;
	struct ladder_result *result = &ladder->result;
	_cleanup_json_ json_t *document = NULL;

	measurement_note_end(context);
	result->passed = count_steps(result, "pass");
	result->failed = count_steps(result, "fail");
	result->not_checked = count_steps(result, "not-checked");
	if (result->failed.value > 0)
		context->report.has_differences = true;
	for (size_t i = 0; i < result->n_steps; i++) {
		const struct ladder_step *step = &result->steps[i];
		const struct json_rows rows = { step->groups, step->n_groups, sizeof(*step->groups),
						ladder_group_fields };

		requirements_take(&measurement->requirements, &rows);
	}
	document = measurement_make_document(measurement, result);
	return measurement_finish(measurement, document, json_object_get(document, "steps"),
				  result);
}

int measure_ladder(struct context *context)
{
	_cleanup_(ladder_done) struct ladder ladder = { .measurement.context = context };
	int err = take_arguments(&ladder);

	if (err || report_has_problem(&context->report) || context->is_trial)
		return err;
	err = measurement_read_limits(&ladder.measurement);
	if (!err)
		check_isa(&ladder);
	if (!err && !report_has_problem(&context->report))
		err = ladder_measure(&ladder);
	return err || report_has_problem(&context->report) ? err : finish(&ladder);
}

const struct option measure_ladder_options[] = {
	MEASURE_ALL,
	{ 0, "isa", LEVELS_TRL_VALUE, "Instruction set of the load (default sse)",
	  OPTION_WORD(struct measure_ladder_arguments, isa, levels_trl_words) },
	{ 0, "seconds", "TIME", "How long each step is measured (default 2s)",
	  OPTION_SECONDS(struct measure_ladder_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "tolerance", "PERCENT", "Allowed shortfall below a prediction, in percent (default 2)",
	  OPTION_NUMBER(struct measure_ladder_arguments, tolerance_percent, 0, MAX_TOLERANCE) },
	{ 0, "clear-limits", NULL,
	  "Clear the limit reasons before each step, also for other programs",
	  OPTION_FLAG(struct measure_ladder_arguments, clear_limits) },
	MEASURE_REQUIRE_NUMBER,
	MEASURE_SAVE("the steps"),
	{ 0 },
};

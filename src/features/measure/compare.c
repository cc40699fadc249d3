// SPDX-License-Identifier: GPL-2.0-only
/* measure compare: reads saved measurements and shows how the figures of other groups differ from
 * those of the first group (measure.md, "try"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/run_directory.h"
#include "measure/compare.h"
#include "output/screen.h"

#define MOST_SETTINGS 10 /* settings that differ; JSON has all of them */

/* Puts "before.json", and on the next line "6 runs, without; and 2 more files". */
static void put_group(struct screen *screen, const char *label, const struct compare_group *group)
{
	const size_t others = json_array_size(group->files) - 1;
	const double runs = group->runs.value;
	_cleanup_free_ char *more =
		text_format("; and %zu more file%s", others, others == 1 ? "" : "s");

	screen_put(screen, label, json_string_value(json_array_get(group->files, 0)));
	screen_put_format(screen, NULL, "%.0f run%s%s%s%s", runs, runs == 1 ? "" : "s",
			  group->side ? ", " : "", group->side ?: "", others && more ? more : "");
}

/* "all false, package-0 true"; "-" for none. */
static char *format_places(const json_t *places)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	const char *on;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)places, on, value) {
		_cleanup_free_ char *shown =
			json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

		buffer_add_item(&text, ", ", "%s %s", on, shown ?: "?");
	}
	return text.length ? buffer_steal(&text, NULL) : strdup("-");
}

static void put_settings(struct screen *screen, const json_t *settings)
{
	size_t shown = 0;
	const char *name;
	json_t *pair;

	json_object_foreach ((json_t *)(uintptr_t)settings, name, pair) {
		void *first = json_object_iter(pair); /* of the reference */
		_cleanup_free_ char *reference = format_places(json_object_iter_value(first));
		_cleanup_free_ char *value =
			format_places(json_object_iter_value(json_object_iter_next(pair, first)));

		if (shown++ < MOST_SETTINGS)
			screen_put_format(screen, shown == 1 ? "settings" : NULL, "%s: %s -> %s",
					  name, reference ?: "?", value ?: "?");
	}
	if (shown > MOST_SETTINGS)
		screen_put_format(screen, NULL, "and %zu more", shown - MOST_SETTINGS);
}

/* Shows the spread of figures if all files are runs of one group. */
static int show_group(struct context *context, const struct compare_group *group)
{
	static const struct screen_column columns[] = {
		{ SCREEN_MEMBER(struct spread_figure, figure) },
		{ SCREEN_MEMBER(struct spread_figure, mean),
		  .format_figure = measure_try_format_mean },
		{ SCREEN_MEMBER(struct spread_figure, lowest),
		  .format_figure = measure_try_format_mean },
		{ SCREEN_MEMBER(struct spread_figure, highest),
		  .format_figure = measure_try_format_mean },
	};
	const struct json_rows rows = { group->spread, group->n_spread, sizeof(*group->spread),
					spread_figure_fields };
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };

	put_group(&screen, "runs", group);
	screen_put(&screen, "note",
		   "all files have the same machine, kernel, settings and work: they are runs of "
		   "one group, and there is nothing to compare");
	screen.is_flush = true;
	screen_put_rows(&screen, NULL, &rows, columns, ARRAY_SIZE(columns));
	return screen_output(&screen, context->output);
}

static int show_comparison(struct context *context, const struct compare_group *reference,
			   const struct compare_group *comparison)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };

	put_group(&screen, "reference", reference);
	put_group(&screen, "value", comparison);
	for (size_t i = 0; i < comparison->warnings.count; i++)
		screen_put(&screen, i ? NULL : "warning", comparison->warnings.list[i]);
	put_settings(&screen, comparison->settings);
	if (comparison->n_figures)
		measure_try_put_figures(&screen, comparison->figures, comparison->n_figures,
					compared_figure_fields);
	else
		screen_put(&screen, "figures", "none that both have");
	if (comparison->note)
		screen_put(&screen, "note", comparison->note);
	return screen_output(&screen, context->output);
}

static int show(struct context *context, const struct compare_result *result)
{
	_cleanup_json_ json_t *object = NULL;
	int err = 0;

	context->report.n_results++;
	if (output_is_json(context->output)) {
		object = json_write_fields(compare_result_fields, result);
		output_json_members(context->output, object);
		return object ? 0 : -ENOMEM;
	}
	if (result->n_comparisons == 0)
		return show_group(context, &result->reference);
	for (size_t i = 0; i < result->n_comparisons && !err; i++)
		err = show_comparison(context, &result->reference, &result->comparisons[i]);
	return err;
}

/* Refuses to show figures of hardware beside those of a model, and refuses files that do not name
 * their source. */
static void check_models(struct context *context, const struct saved_runs *runs)
{
	const struct saved_run *first = runs->list;
	const char *machine = first ? saved_model_prefix(first->model) : "";

	for (size_t i = 0; i < runs->count; i++) {
		const struct saved_run *run = &runs->list[i];

		if (!json_object_get(run->json, HOST_MODEL_MEMBER))
			context_refuse_usage(context,
					     "%s: does not say whether it is " HOST_MODEL_MEMBER,
					     run->file);
		else if (!run->model != !first->model)
			context_refuse_usage(
				context,
				"%s is of %s%s, %s of %s%s: figures of a model say nothing about "
				"hardware",
				first->file, machine, first->model ?: "hardware", run->file,
				saved_model_prefix(run->model), run->model ?: "hardware");
		else if (run->model && strcmp(run->model, first->model) != 0)
			context_warn(context, NULL, "%s is of %s%s, %s of %s%s", first->file,
				     machine, first->model, run->file,
				     saved_model_prefix(run->model), run->model);
	}
}

/* Marks the results with the machine of the files, not with this machine. */
static int mark_results(struct output *output, const char *model)
{
	_cleanup_free_ char *line = text_format("%s%s", saved_model_prefix(model), model);

	return line ? output_mark(output, HOST_MODEL_MEMBER, model, line) : -ENOMEM;
}

int measurement_read_saved(struct context *context, const struct option_texts *files,
			   struct saved_runs *runs)
{
	runs->list = calloc(files->count, sizeof(*runs->list));
	if (!runs->list)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		_cleanup_free_ char *problem = NULL;
		int err = saved_run_read(files->list[i], &runs->list[runs->count], &problem);

		if (err == -ENOMEM)
			return err;
		if (err)
			context_refuse_usage(context, "%s", problem);
		else
			runs->count++;
	}
	check_models(context, runs);
	return runs->count && runs->list[0].model
		       ? mark_results(context->output, runs->list[0].model)
		       : output_mark(context->output, HOST_MODEL_MEMBER, NULL, NULL);
}

static void result_done(struct compare_result *result)
{
	json_free_fields(compare_result_fields, result);
}

int measure_compare(struct context *context)
{
	const struct measure_compare_arguments *arguments = context->request->arguments;
	_cleanup_saved_runs_ struct saved_runs runs = { 0 };
	_cleanup_(result_done) struct compare_result result = { 0 };
	_cleanup_texts_ struct texts texts = { 0 };
	_cleanup_free_ char *problem = NULL;
	int err = measurement_read_saved(context, &arguments->files, &runs);

	if (err || report_has_problem(&context->report))
		return err;
	if (runs.count == 1 && runs.list[0].kind != SAVED_RUN_TRY) {
		context_refuse_usage(context, "%s: two files are needed, or one of measure try",
				     runs.list[0].file);
		return 0;
	}
	err = compare_runs(runs.list, runs.count, &texts, &result, &problem);
	if (err == -EINVAL)
		context_refuse_usage(context, "%s", problem);
	return err == -EINVAL ? 0 : err ? err : show(context, &result);
}

const struct option measure_compare_options[] = {
	{ 0, "files", "FILE...", "Files of --save; the first is the reference",
	  OPTION_TEXTS(struct measure_compare_arguments, files), .required = true,
	  .positional = true, .path = OPTION_PATH_FILE },
	{ 0 },
};

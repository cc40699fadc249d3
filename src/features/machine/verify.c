// SPDX-License-Identifier: GPL-2.0-only
/* machine verify compares what commands show of this machine with MSRs and kernel files. With
 * --measure it also compares the frequencies of busy cores with predictions (docs/spec/record.md,
 * "verify"). */
#include "record/verify.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/machine/machine.h"
#include "features/measure/ladder.h"
#include "host/kernel.h"
#include "host/run_directory.h"
#include "measure/results.h"
#include "output/screen.h"
#include "profile/inspection.h"
#include "record/record.h"

#define FORMAT            "intel-speed-select-verify"
#define VERSION_OF_FORMAT 1
#define LONGEST_LIST      16 /* longest list of CPUs beside a row */
#define TOLERANCE_PERCENT 2 /* the same as that of measure ladder */

/* Results that are counted together. */
static const struct {
	const char *member;
	enum verify_result results[2];
} counted[] = {
	{ "differ", { VERIFY_DIFFERS, VERIFY_NOT_READ } },
	{ "unknown", { VERIFY_UNKNOWN, VERIFY_UNKNOWN } },
	{ "agree", { VERIFY_AGREES, VERIFY_AGREES } },
	{ "read", { VERIFY_READ, VERIFY_READ } },
};

static bool has_result(const json_t *row, enum verify_result result)
{
	const char *word = json_get_text(row, "result");

	return word && strcmp(word, verify_words[result]) == 0;
}

static size_t count(const json_t *rows, const enum verify_result results[2])
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach (rows, i, row)
		n += has_result(row, results[0]) || has_result(row, results[1]);
	return n;
}

/* Compares what can be read. */
static int make_rows(struct context *context, json_t **ret_rows)
{
	_cleanup_expected_ struct expected expected = { 0 };
	_cleanup_verify_rows_ struct verify_rows rows = { 0 };
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	_cleanup_free_ char *problem = NULL;
	const bool has_sst = context->platform && context->platform->transport;
	const struct verify_job job = {
		.machine = context->machine,
		.expected = &expected,
		.lacks_platform = context->platform ? "all of Speed Select is set in BIOS"
						    : context->lacks_platform,
		.isolated = &isolated,
	};
	int err = inspection_find_isolated(context->machine, &isolated, &problem);

	if (!err && has_sst)
		err = context_choose_targets(context, NULL, false);
	if (!err && has_sst)
		err = expected_read(context->platform, context->targets.domains,
				    context->targets.n_domains, true, &expected);
	if (!err)
		err = verify_make(&job, &rows);
	if (err)
		return err;
	context_report_cpus(context, REPORT_NOTE, "isolated CPUs ", &isolated,
			    " are not compared, since that would disturb them");
	*ret_rows = verify_rows_to_json(&rows);
	return *ret_rows ? 0 : -ENOMEM;
}

/* Busy cores. */

/* Returns true if all CPUs of a group are faster than the higher prediction: it is wrong then. */
static bool is_above(const struct ladder_group *group)
{
	const struct figure *high = figure_is_known(&group->promised_high_mhz)
					    ? &group->promised_high_mhz
					    : &group->promised_mhz;

	return figure_is_known(&group->measured_mhz) && figure_is_known(high) &&
	       group->measured_mhz.value > high->value * (100 + TOLERANCE_PERCENT) / 100;
}

static json_t *mhz_text(const struct figure *low, const struct figure *high)
{
	_cleanup_free_ char *text = figure_range(low, high);

	return text ? json_sprintf("%s MHz", text) : NULL;
}

/* Returns the row of a group of CPUs of a step, which have one prediction. */
static json_t *group_to_row(const struct ladder_step *step, const struct ladder_group *group)
{
	const struct figure none = { 0 };
	const bool is_checked = strcmp(step->result, "not-checked") != 0;
	const bool agrees = strcmp(step->result, "pass") == 0 && !is_above(group);

	return json_pack("{s:s, s:I, s:o*, s:o*, s:s*, s:s*, s:s}", "check", "busy-cores", "cores",
			 (json_int_t)step->cores.value, "shown",
			 mhz_text(&group->promised_mhz, &group->promised_high_mhz), "found",
			 mhz_text(&group->measured_mhz, &none), "source", group->measured_source,
			 "reason", is_checked ? NULL : step->reasons.list[0], "result",
			 verify_words[!is_checked ? VERIFY_UNKNOWN
				      : agrees    ? VERIFY_AGREES
						  : VERIFY_DIFFERS]);
}

/* Adds the reading of the turbo-ratio limits that fits the steps; mailbox parts have only one. */
static int add_counts(json_t *rows, const char *counts)
{
	const bool is_decided = counts && strcmp(counts, "not decided") != 0;

	if (!counts)
		return 0;
	return json_array_append_new(
		       rows,
		       json_pack("{s:s, s:s, s:s}", "check", "turbo-counts",
				 is_decided ? "shown" : "reason",
				 is_decided ? counts
					    : "no step shows which reading of the turbo-ratio "
					      "limits applies",
				 "result", verify_words[is_decided ? VERIFY_READ : VERIFY_UNKNOWN]))
		       ? -ENOMEM
		       : 0;
}

static int add_measured(struct context *context, json_t *rows)
{
	_cleanup_ladder_result_ struct ladder_result ladder = { 0 };
	int err = measure_ladder_short(context, &ladder);

	for (size_t i = 0; i < ladder.n_steps && !err; i++) {
		const struct ladder_step *step = &ladder.steps[i];

		for (size_t j = 0; j < step->n_groups; j++) {
			if (json_array_append_new(rows, group_to_row(step, &step->groups[j])))
				return -ENOMEM;
		}
	}
	return err ? err : add_counts(rows, ladder.turbo_counts);
}

/* Results. */

/* Returns the location that a row is about. online: a list of all online CPUs. */
static char *format_place(const json_t *row, const char *online)
{
	const char *packages = json_get_text(row, "packages");
	const char *cpus = json_get_text(row, "cpus");
	const json_t *cores = json_object_get(row, "cores");

	if (packages)
		return text_format("package %s", packages);
	if (cores)
		return text_format("%" JSON_INTEGER_FORMAT " busy", json_integer_value(cores));
	if (!cpus)
		return strdup("machine");
	if (strcmp(cpus, online) == 0)
		return strdup("all CPUs");
	return strlen(cpus) > LONGEST_LIST ? strdup("some CPUs") : text_format("CPU %s", cpus);
}

/* Returns both sides if they differ, else one. */
static char *format_sides(const json_t *row)
{
	const char *shown = json_get_text(row, "shown");
	const char *found = json_get_text(row, "found");
	const char *source = json_get_text(row, "source");
	const char *reason = json_get_text(row, "reason");

	if (reason)
		return text_format("%s%s%s", source ?: "", source ? ": " : "", reason);
	if (!found)
		return text_format("%s", shown ?: "");
	if (json_object_get(row, "cores"))
		return text_format("predicted %.*s, measured %s", (int)strcspn(shown, " "), shown,
				   found);
	if (has_result(row, VERIFY_AGREES))
		return text_format("%s, as %s", shown, source);
	return text_format("%s, %s: %s", shown, source, found);
}

/* Adds "of" and "value" for the table; a long list of CPUs goes below the value. */
static int add_texts(json_t *row, const char *online)
{
	const char *cpus = json_get_text(row, "cpus");
	_cleanup_free_ char *place = format_place(row, online), *sides = format_sides(row);
	const bool is_long = place && strcmp(place, "some CPUs") == 0;

	return place && sides && json_object_set_new(row, "of", json_string(place)) == 0 &&
			       json_object_set_new(row, "value",
						   json_sprintf("%s%s%s", sides,
								is_long ? ": CPU " : "",
								is_long ? cpus : "")) == 0
		       ? 0
		       : -ENOMEM;
}

static int put_text(struct context *context, const json_t *document)
{
	static const struct screen_column columns[] = {
		{ .heading = "result", .key = "result" },
		{ .heading = "check", .key = "check" },
		{ .heading = "of", .key = "of", .rank = 1 },
		{ .heading = "value", .key = "value", .is_list = true },
	};
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	_cleanup_json_ json_t *rows = json_deep_copy(json_object_get(document, "rows"));
	_cleanup_free_ char *online = cpuset_format_ranges(&context->machine->topology.online);
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		if (!online || add_texts(row, online))
			return -ENOMEM;
	}
	screen_put(&screen, "processor", json_get_text(document, "processor"));
	screen_put(&screen, "kernel", json_get_text(document, "kernel") ?: "-");
	screen_put_format(&screen, "result", "%zu differ, %zu unknown, %zu agree, %zu read",
			  count(rows, counted[0].results), count(rows, counted[1].results),
			  count(rows, counted[2].results), count(rows, counted[3].results));
	screen.is_flush = true;
	screen_put_table(&screen, NULL, rows, columns, ARRAY_SIZE(columns));
	if (screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	return 0;
}

static json_t *make_document(const struct context *context, json_t *rows)
{
	_cleanup_free_ char *kernel = NULL;
	json_t *document;
	int err = files_read_line(context->machine->host->files, KERNEL_RELEASE, &kernel);

	if (err == -ENOMEM)
		return NULL;
	document = json_pack("{s:s, s:s?, s:s}", "processor", context->machine->identity.model_name,
			     "kernel", kernel, "program", VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		json_object_set_new(document, counted[i].member,
				    json_integer((json_int_t)count(rows, counted[i].results)));
	json_object_set(document, "rows", rows);
	return document;
}

/* Returns the kernel version of a shared recording, which does not name its builder. */
static json_t *find_kernel(const json_t *recording)
{
	const json_t *files = json_object_get(json_object_get(recording, "recorded"), "files");

	return json_object_get(files, KERNEL_RELEASE);
}

/* Writes the table and a recording of the machine, the same as from machine record --share. */
static int save(struct context *context, const struct sink *sink, json_t *document)
{
	const struct machine_verify_arguments *arguments = context->request->arguments;
	const struct record_options options = {
		.is_shared = true,
		.stop = context->plan.execution.environment.stop,
	};
	_cleanup_(record_remarks_done) struct record_remarks remarks = { 0 };
	_cleanup_free_ char *recording = NULL, *message = NULL, *text = NULL;
	_cleanup_json_ json_t *saved = NULL;
	int err = record_make(context->request->host, &options, &recording, &remarks, &message);

	if (err == -ENOMEM)
		return err;
	if (err) {
		context_fail(context, NULL, err, "%s", message ?: "the machine cannot be recorded");
		return 0;
	}
	saved = json_pack("{s:s, s:i, s:s?}", "format", FORMAT, "version", VERSION_OF_FORMAT,
			  HOST_MODEL_MEMBER, context->request->host->model.name);
	json_object_update(saved, document);
	json_object_set_new(saved, "recording", json_loads(recording, 0, NULL));
	json_object_set(saved, "kernel", find_kernel(json_object_get(saved, "recording")));
	text = json_dumps(saved, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	if (!text)
		return -ENOMEM;
	err = sink_write(sink, text, strlen(text));
	if (err)
		context_refuse(context, NULL, "--save %s: %s", arguments->save,
			       sink_problem(sink, err));
	return 0;
}

static int show(struct context *context, const json_t *document)
{
	context->report.n_results++;
	if (!output_is_json(context->output))
		return put_text(context, document);
	output_json_members(context->output, (json_t *)(uintptr_t)document);
	return 0;
}

/* Reports what makes the command useless: a processor without the MSRs that are compared, or a file
 * that cannot be written. */
static void check_arguments(struct context *context, const struct sink *sink)
{
	const struct machine_verify_arguments *arguments = context->request->arguments;
	int err = arguments->save ? sink_check(sink) : 0;

	if (err)
		context_refuse(context, NULL, "--save %s: %s", arguments->save,
			       sink_problem(sink, err));
	if (context->machine->identity.generation == GENERATION_OTHER_VENDOR)
		context_lack(context, NULL, "this CPU is not Intel's: there is nothing to compare");
}

int machine_verify(struct context *context)
{
	const struct machine_verify_arguments *arguments = context->request->arguments;
	const struct sink sink = sink_choose(arguments->save, true);
	_cleanup_json_ json_t *rows = NULL, *document = NULL;
	int err;

	check_arguments(context, &sink);
	if (report_has_problem(&context->report))
		return 0;
	err = make_rows(context, &rows);
	if (!err && arguments->measure)
		err = add_measured(context, rows);
	if (err || report_has_problem(&context->report))
		return err;
	document = make_document(context, rows);
	if (!document)
		return -ENOMEM;
	context->report.has_differences = count(rows, counted[0].results) > 0;
	if (arguments->save)
		err = save(context, &sink, document);
	if (!err)
		err = show(context, document);
	if (!err && !context->report.has_differences && count(rows, counted[2].results) == 0)
		context_refuse(context, NULL, "nothing could be compared");
	return err;
}

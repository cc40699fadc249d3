// SPDX-License-Identifier: GPL-2.0-only
/* machine record writes a platform file with everything that reading commands can request from this
 * machine. machine diff shows the differences of two such files (docs/spec/record.md). */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/machine/machine.h"
#include "host/run_directory.h"
#include "output/output.h"
#include "record/diff.h"
#include "record/record.h"
#include "run/progress.h"

static int put_list(struct context *context, bool with_pci)
{
	_cleanup_buffer_ struct buffer lines = { 0 };
	int err = record_list(with_pci, &lines);

	if (!err)
		output_document(context->output, buffer_text(&lines));
	return err;
}

static void note_remarks(struct context *context, const struct record_remarks *remarks)
{
	if (remarks->no_platform)
		context_note(context, NULL, "nothing of Speed Select is recorded: %s",
			     remarks->no_platform);
	if (remarks->n_denied)
		context_note(
			context, NULL,
			"%zu requests and files may not be read by this user, and are recorded "
			"so; root may read all",
			remarks->n_denied);
}

/* Writes a recording that is meant for others, and shows its contents. */
static int share(struct context *context, const struct sink *sink, const char *text)
{
	const struct machine_record_arguments *arguments = context->request->arguments;
	_cleanup_buffer_ struct buffer lines = { 0 };
	int err = record_list_contents(text, &lines);

	if (err)
		return err;
	err = sink_write(sink, text, strlen(text));
	if (err) {
		context_refuse(context, NULL, "--share %s: %s", arguments->share,
			       sink_problem(sink, err));
		return 0;
	}
	output_document(context->output, buffer_text(&lines));
	return 0;
}

int machine_record(struct context *context)
{
	const struct machine_record_arguments *arguments = context->request->arguments;
	_cleanup_(progress_end) struct progress progress = progress_start(false);
	_cleanup_(record_remarks_done) struct record_remarks remarks = { 0 };
	_cleanup_free_ char *text = NULL, *message = NULL;
	const struct sink sink = sink_choose(arguments->share, true);
	const struct record_options options = {
		.with_pci = arguments->pci,
		.is_shared = arguments->share,
		.stop = context->plan.execution.environment.stop,
		.progress = progress_update,
		.progress_data = &progress,
	};
	int err;

	if (arguments->share && (arguments->list || arguments->pci))
		context_refuse_usage(context, "--share cannot be used with --%s",
				     arguments->list ? "list" : "pci");
	else if (arguments->share && (err = sink_check(&sink)))
		context_refuse(context, NULL, "--share %s: %s", arguments->share,
			       sink_problem(&sink, err));
	if (report_has_problem(&context->report))
		return 0;
	if (arguments->list)
		return put_list(context, arguments->pci);
	progress.things = "files";
	err = record_make(context->request->host, &options, &text, &remarks, &message);
	if (err == -ENOMEM)
		return err;
	if (err) {
		context_fail(context, NULL, err, "%s", message ?: "the machine cannot be recorded");
		return 0;
	}
	note_remarks(context, &remarks);
	if (arguments->share)
		return share(context, &sink, text);
	output_document(context->output, text);
	return 0;
}

/* Reads a recording, or reports that it cannot be read. Returns 0 or -ENOMEM. */
static int read_recording(struct context *context, const char *path, struct items *ret_items)
{
	const struct machine_diff_arguments *arguments = context->request->arguments;
	_cleanup_free_ char *message = NULL;
	int err = items_read(path, arguments->all, ret_items, &message);

	if (err && !message)
		return -ENOMEM;
	if (err)
		context_refuse_usage(context, "%s", message);
	return 0;
}

int machine_diff(struct context *context)
{
	const struct machine_diff_arguments *arguments = context->request->arguments;
	_cleanup_items_ struct items left = { 0 }, right = { 0 };
	_cleanup_json_ json_t *differences = NULL;
	_cleanup_buffer_ struct buffer lines = { 0 };
	size_t count;
	int err = read_recording(context, arguments->left, &left);

	if (!err)
		err = read_recording(context, arguments->right, &right);
	if (err || report_has_problem(&context->report))
		return err;
	err = diff_make(&left, &right, &differences);
	if (err)
		return err;
	count = diff_append_lines(differences, &lines);
	context->report.has_differences = count > 0;
	output_json_member(context->output, "equal", json_boolean(count == 0));
	output_json_member(context->output, "differences", json_incref(differences));
	output_text(context->output, buffer_text(&lines));
	return 0;
}

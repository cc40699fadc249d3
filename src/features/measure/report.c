// SPDX-License-Identifier: GPL-2.0-only
/* measure report reads files of --save, on any machine, and makes one HTML page of them
 * (measure.md, "report"). */
#include "features/measure/measure.h"

#include "base/cleanup.h"
#include "measure/saved.h"
#include "report/page.h"

/* No machine has more, and a page cannot show more. */
#define MOST_CPUS  8192
#define MOST_ROWS  512 /* of a CPU: idle states times gaps */
#define MOST_FILES 32

/* Returns true if a CPU of measure wake has more than MOST_ROWS states and gaps. */
static bool has_many_rows(const struct saved_run *run)
{
	for (size_t i = 0; i < run->wake.n_cpus; i++) {
		if (run->wake.cpus[i].n_rows > MOST_ROWS)
			return true;
	}
	return false;
}

/* Refuses a file with more than a page can show. */
static void check_size(struct context *context, const struct saved_run *run)
{
	const size_t counts[] = { run->run.n_cpus,     run->wake.n_cpus,    run->jitter.n_cpus,
				  run->machine.n_cpus, run->ladder.n_steps, run->machine.n_limits };

	if (has_many_rows(run))
		context_refuse_usage(context, "%s: has more than %d states and gaps of a CPU",
				     run->file, MOST_ROWS);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (counts[i] <= MOST_CPUS)
			continue;
		context_refuse_usage(context, "%s: has more than %d CPUs, steps or limits",
				     run->file, MOST_CPUS);
		return;
	}
}

int measure_report(struct context *context)
{
	const struct measure_report_arguments *arguments = context->request->arguments;
	const struct globals *globals = context->request->globals;
	_cleanup_saved_runs_ struct saved_runs runs = { 0 };
	_cleanup_free_ char *page = NULL;
	int err = 0;

	if (!globals->out)
		context_refuse_usage(context, "measure report needs -o FILE for the page; - is "
					      "stdout");
	if (output_is_json(context->output))
		context_refuse_usage(context, "measure report writes HTML, not JSON");
	if (arguments->files.count > MOST_FILES)
		context_refuse_usage(context, "more than %d files", MOST_FILES);
	for (size_t i = 0; i < arguments->files.count && globals->out; i++) {
		if (sink_is_file(output_sink(context->output), arguments->files.list[i]))
			context_refuse_usage(context, "-o %s: it is one of the files that are read",
					     globals->out);
	}
	if (!report_has_problem(&context->report))
		err = measurement_read_saved(context, &arguments->files, &runs);
	for (size_t i = 0; i < runs.count; i++)
		check_size(context, &runs.list[i]);
	if (err || report_has_problem(&context->report))
		return err;
	err = page_make(runs.list, runs.count, &page);
	if (err)
		return err;
	output_document(context->output, page);
	context->report.n_results++;
	return 0;
}

const struct option measure_report_options[] = {
	{ 0, "file", "FILE...", "Files that --save of measure wrote",
	  OPTION_TEXTS(struct measure_report_arguments, files), .required = true,
	  .positional = true, .path = OPTION_PATH_FILE },
	{ 0 },
};

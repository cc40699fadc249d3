// SPDX-License-Identifier: GPL-2.0-only
/* The run of the program: the command line, where the output goes, what needs no machine, the host,
 * the dispatcher, and writing what came out (output.md, "Where it goes"). */
#include "run/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "run/dispatch.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "output/output.h"

#define MODERN_NAME "isst"

struct invocation {
	const struct app *app;
	const char *program; /* the name that we were called by */
	const struct option *options;
	struct globals globals;
	struct parse_result parsed;
	struct output *output;
	int argc;
	char **argv;
};

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ?: "intel-speed-select";
}

static bool is_modern(const struct invocation *run)
{
	return strcmp(run->program, MODERN_NAME) == 0;
}

static enum status usage(struct invocation *run, const char *mistake)
{
	output_error(run->output, "%s", mistake);
	return STATUS_USAGE;
}

/* Status of something that was written straight to stdout. */
static enum status wrote_stdout(struct invocation *run)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_DONE;
	output_error(run->output, "stdout: %s", strerror(errno));
	return STATUS_REFUSED;
}

static enum status show_help(struct invocation *run)
{
	const struct parse_result *parsed = &run->parsed;

	switch (parsed->help) {
	case PARSE_HELP_NONE:
		break;
	case PARSE_HELP_TOP:
		help_write_top(run->program, &run->app->features, run->options, stdout);
		break;
	case PARSE_HELP_ALL:
		help_write_all(run->program, &run->app->features, run->options, stdout);
		break;
	case PARSE_HELP_FEATURE:
		help_write_feature(run->program, parsed->feature, stdout);
		break;
	case PARSE_HELP_COMMAND:
		help_write_command(run->program, parsed->feature, parsed->command, stdout);
		break;
	}
	return wrote_stdout(run);
}

static enum status list_platforms(struct invocation *run)
{
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	int err = run->app->simulator->list(false, &platforms);

	if (err) {
		output_error(run->output, "the platform files cannot be listed: %s",
			     strerror(-err));
		return STATUS_REFUSED;
	}
	for (size_t i = 0; i < platforms.count; i++)
		printf("%-16s %s\n", platforms.list[i].name, platforms.list[i].description);
	return wrote_stdout(run);
}

/* Candidates for the words behind "--complete --". */
static enum status complete(struct invocation *run)
{
	const struct app_simulator *simulator = run->app->simulator;
	int first = 1;

	while (first < run->argc && strcmp(run->argv[first], "--") != 0)
		first++;
	if (first < run->argc)
		help_complete(&run->app->features, run->options, simulator ? simulator->list : NULL,
			      run->argc - first - 1, run->argv + first + 1, stdout);
	return wrote_stdout(run);
}

static enum status describe(struct invocation *run)
{
	int err = help_describe(&run->app->features, run->options, stdout);

	if (err) {
		output_error(run->output, "stdout: %s", strerror(-err));
		return STATUS_REFUSED;
	}
	return wrote_stdout(run);
}

/* Is it an error of the file that --simulate names: absent, too large, not a platform file? */
static bool is_wrong_file(int err)
{
	return err == -ENOENT || err == -EINVAL || err == -EISDIR || err == -ENOTDIR ||
	       err == -EFBIG || err == -ELOOP || err == -ENAMETOOLONG;
}

/* The name of the simulated platform that is nearest to a name, as a new text, or NULL. */
static char *find_platform(const struct invocation *run, const char *name)
{
	struct option_nearest nearest = option_nearest_start(name);
	_cleanup_host_choices_ struct host_choices platforms = { 0 };

	if (run->app->simulator->list(true, &platforms))
		return NULL;
	for (size_t i = 0; i < platforms.count; i++)
		option_nearest_try(&nearest, platforms.list[i].name);
	return nearest.name ? strdup(nearest.name) : NULL;
}

static enum status open_host(struct invocation *run, struct host **ret_host)
{
	const struct globals *globals = &run->globals;
	_cleanup_free_ char *message = NULL, *nearest = NULL;
	int err;

	if (globals->simulate)
		err = run->app->simulator->open(globals->simulate, globals->simulate_state,
						globals->simulate_reset, ret_host, &message);
	else
		err = host_open_real(ret_host);
	if (!err)
		return STATUS_DONE;
	nearest = err == -ENOENT ? find_platform(run, globals->simulate) : NULL;
	output_error(run->output, "%s%s%s%s", message ?: strerror(-err),
		     nearest ? "; did you mean " : "", nearest ?: "", nearest ? "?" : "");
	/* A wrong name or file is a mistake of the user; a state that cannot be kept is not. */
	return is_wrong_file(err) ? STATUS_USAGE : status_from_errno(err);
}

static enum status run_on_host(struct invocation *run, const struct command *command,
			       const char *name)
{
	_cleanup_host_ struct host *host = NULL;
	struct dispatch dispatch = {
		.command = command,
		.name = name,
		.arguments = run->parsed.arguments,
		.globals = &run->globals,
		.output = run->output,
	};
	enum status status = open_host(run, &host);

	if (status != STATUS_DONE)
		return status;
	dispatch.host = host;
	dispatch.strict = is_modern(run);
	dispatch.banner = !is_modern(run) && (run->globals.format.index != OUTPUT_JSON ||
					      !output_shares(run->output, stdout));
	return dispatch_run(&dispatch);
}

/* An option that is a command of its own, or NULL. */
static const char *find_lone_option(const struct globals *globals)
{
	return globals->version          ? "--version"
	       : globals->list_platforms ? "--list-platforms"
	       : globals->describe       ? "--describe"
	       : globals->info           ? "--info"
	       : globals->oob            ? "--oob"
					 : NULL;
}

/* Mistakes that the parser cannot see, for want of the whole; a new string, or NULL. */
static char *find_mistake(const struct invocation *run)
{
	const struct globals *globals = &run->globals;
	const struct command *command = run->parsed.command;
	const char *lone = find_lone_option(globals);
	char *mistake = NULL;

	if (run->parsed.mistake)
		return strdup(run->parsed.mistake);
	if (lone && run->parsed.feature) {
		if (asprintf(&mistake, "%s is used alone, without a feature", lone) < 0)
			return NULL;
		return mistake;
	}
	if (globals->oob && globals->info)
		return strdup("--oob and --info are two things to do");
	if (globals->oob && globals->dry_run)
		return strdup("--oob follows what it finds: there is no --dry-run of that");
	if (!run->app->simulator && (globals->simulate || globals->list_platforms))
		return strdup("this program was built without its simulator");
	if (!run->app->follow && globals->oob)
		return strdup("this program was built without its daemon");
	if (!globals->simulate && (globals->simulate_state || globals->simulate_reset))
		return strdup("--simulate-state and --simulate-reset go with --simulate");
	if (lone || (!run->parsed.feature && globals->simulate_reset))
		return NULL;
	if (!command)
		return strdup("a feature and a command are needed; --help lists them");
	if (command->flags & COMMAND_NEEDS_CPUS && cpuset_is_empty(&globals->cpus.set))
		return strdup("--cpu LIST is needed");
	return NULL;
}

/* --simulate-reset alone: opening the host does it. */
static enum status reset(struct invocation *run)
{
	_cleanup_host_ struct host *host = NULL;

	return open_host(run, &host);
}

/* --oob. What it says goes to stderr as it happens; there are no results. */
static enum status follow(struct invocation *run)
{
	_cleanup_host_ struct host *host = NULL;
	enum status status = open_host(run, &host);

	if (run->globals.all_cpus_online || !cpuset_is_empty(&run->globals.cpus.set))
		fputs("Information: --cpu and --all-cpus-online mean nothing with --oob\n", stderr);
	return status == STATUS_DONE ? run->app->follow(&run->globals, host, run->output) : status;
}

static enum status run_command(struct invocation *run)
{
	const struct parse_result *parsed = &run->parsed;
	_cleanup_free_ char *name = NULL;

	for (size_t i = 0; i < parsed->warnings.count; i++)
		output_warning(run->output, "%s", parsed->warnings.list[i]);
	for (size_t i = 0; i < parsed->notes.count; i++)
		output_note(run->output, "%s", parsed->notes.list[i]);
	if (!run->globals.oob && (run->globals.no_daemon || run->globals.interval_s.given))
		output_note(run->output, "--no-daemon and --delay mean nothing without --oob");
	if (run->globals.info)
		return run_on_host(run, run->app->info, "--info");
	if (run->globals.oob)
		return follow(run);
	if (!parsed->command)
		return reset(run);
	if (asprintf(&name, "%s %s", parsed->feature->name, parsed->command->name) < 0)
		name = NULL;
	return run_on_host(run, parsed->command, name ?: parsed->command->name);
}

/* Did the command set something that remains? */
static bool has_set(const struct invocation *run, enum status status)
{
	const struct command *command = run->parsed.command;

	return status == STATUS_DONE && command && command->flags & COMMAND_WRITES &&
	       !run->globals.dry_run;
}

/* Writes the results. Usage errors leave a file that -o names as it was. */
static enum status finish(struct invocation *run, enum status status)
{
	const char *file = run->globals.out ?: is_modern(run) ? "-" : "stderr";
	int err;

	/* A daemon that was ready has no results, and its parent only reports that it runs. */
	if (run->globals.oob && status == STATUS_DONE)
		return status;
	if (status == STATUS_USAGE && !output_shares(run->output, stderr) &&
	    !output_shares(run->output, stdout))
		return status;
	err = output_finish(run->output);
	if (!err)
		return status;
	fprintf(stderr, "Error: the results cannot be written to %s: %s\n",
		strcmp(file, "-") == 0 ? "stdout" : file, output_problem(run->output, err));
	if (has_set(run, status))
		fputs("Information: what was asked for is set; only the results are lost\n",
		      stderr);
	return status == STATUS_DONE ? STATUS_REFUSED : status;
}

/* What is answered on stdout and needs no machine; or the command. */
static enum status run_parsed(struct invocation *run)
{
	_cleanup_free_ char *mistake = NULL;

	if (run->globals.complete)
		return complete(run);
	if (run->parsed.help != PARSE_HELP_NONE)
		return show_help(run);
	if (run->argc < 2 && is_modern(run)) {
		help_write_begin(run->program, stderr);
		return STATUS_USAGE;
	}
	mistake = find_mistake(run);
	if (mistake || run->parsed.mistake)
		return finish(run, usage(run, mistake ?: run->parsed.mistake));
	if (run->globals.version) {
		printf("Version v%s %s\n", run->app->version, "intel-speed-select");
		return wrote_stdout(run);
	}
	if (run->globals.describe)
		return describe(run);
	if (run->globals.list_platforms)
		return list_platforms(run);
	return finish(run, run_command(run));
}

enum status app_run(const struct app *app, int argc, char **argv)
{
	struct invocation run = {
		.app = app,
		.program = base_name(argc > 0 ? argv[0] : NULL),
		.options = globals_options,
		.argc = argc,
		.argv = argv,
	};
	const struct parse_tables tables = {
		.list = &app->features,
		.global = run.options,
		.strict = is_modern(&run),
	};
	enum status status = STATUS_REFUSED;
	int err = fileio_guard_streams();

	if (!err)
		err = parse_command_line(&tables, &run.globals, argc > 0 ? argc - 1 : 0,
					 argv + 1, &run.parsed);
	if (!err)
		err = output_open(run.globals.format.index == OUTPUT_JSON ? OUTPUT_JSON
									  : OUTPUT_TEXT,
				  run.globals.out, is_modern(&run), &run.output);
	if (err)
		fprintf(stderr, "Error: %s\n", strerror(-err));
	else
		status = run_parsed(&run);
	output_close(&run.output);
	parse_result_done(&run.parsed);
	parse_free_values(run.options, &run.globals);
	return status;
}

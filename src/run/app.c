// SPDX-License-Identifier: GPL-2.0-only
/* Runs the program: parses the command line, opens the output, answers what needs no machine, opens
 * the host, calls the dispatcher, and writes the results (output.md, "Where it goes"). */
#include "run/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/nearest.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "instruments/instruments.h"
#include "output/output.h"
#include "run/dispatch.h"

struct invocation {
	const struct app *app;
	struct parse_tables tables;
	const char *program; /* the name under which the program was called */
	bool is_modern; /* the name is isst, or the command is new */
	struct globals globals;
	struct parse_result parsed;
	struct output *output;
	struct passed_status passed;
	int argc;
	char **argv;
};

#define PASSED_FAILURE 125 /* as of env(1): the program failed, not the command that it ran */

/* Returns the status of direct writes to stdout. Writes the message itself, since the output may
 * keep messages until it is finished. */
static enum status wrote_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_DONE;
	fprintf(stderr, "Error: stdout: %s\n", strerror(errno));
	return STATUS_REFUSED;
}

static enum status list_platforms(const struct invocation *run)
{
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	int err = run->app->simulator->list(false, &platforms);

	if (err) {
		fprintf(stderr, "Error: the platform files cannot be listed: %s\n", strerror(-err));
		return STATUS_REFUSED;
	}
	for (size_t i = 0; i < platforms.count; i++)
		printf("%-16s %s\n", platforms.list[i].name, platforms.list[i].description);
	return wrote_stdout();
}

/* Writes the candidates for the words after "--complete --". */
static enum status complete(const struct invocation *run)
{
	const struct app_simulator *simulator = run->app->simulator;
	int first = 1;

	while (first < run->argc && strcmp(run->argv[first], "--") != 0)
		first++;
	if (first < run->argc)
		help_complete(&run->tables, simulator ? simulator->list : NULL,
			      run->argc - first - 1, run->argv + first + 1, stdout);
	return wrote_stdout();
}

static int open_real(struct host **ret_host)
{
	_cleanup_host_ struct host *host = NULL;
	int err = host_open_real(&host);

	if (!err)
		err = instruments_open_real(host);
	if (err)
		return err;
	*ret_host = steal(host);
	return 0;
}

/* Sets how the commands that are printed for a simulated machine begin, and marks its results. */
static int name_host(struct invocation *run, struct host *host)
{
	const struct globals *globals = &run->globals;
	const struct command *command = run->parsed.command;
	const struct host_model *model = &host->model;
	_cleanup_buffer_ struct buffer text = { 0 };

	if (!model->name)
		return 0;
	buffer_append_string(&text, "isst --simulate ");
	buffer_append_shell_word(&text, globals->simulate);
	if (globals->simulate_state) {
		buffer_append_string(&text, " --simulate-state ");
		buffer_append_shell_word(&text, globals->simulate_state);
	}
	host->command = buffer_steal(&text, NULL);
	if (!host->command)
		return -ENOMEM;
	/* under its name, commands of the kernel's tool print what that tool prints: no mark */
	if (!run->is_modern && !(command && command_is_ours(command)))
		return 0;
	return output_mark(run->output, HOST_MODEL_MEMBER, model->name, model->title);
}

/* Opens the host. If no simulated platform has the name, the message has the nearest name. */
static enum status open_host(struct invocation *run, struct host **ret_host)
{
	const struct globals *globals = &run->globals;
	struct nearest nearest = nearest_start(globals->simulate ?: "");
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	_cleanup_free_ char *message = NULL;
	int err;

	if (globals->simulate)
		err = run->app->simulator->open(globals->simulate, globals->simulate_state,
						globals->simulate_reset, ret_host, &message);
	else
		err = open_real(ret_host);
	if (!err)
		err = name_host(run, *ret_host);
	if (!err)
		return STATUS_DONE;
	if (err == -ENOENT && globals->simulate)
		run->app->simulator->list(true, &platforms);
	for (size_t i = 0; i < platforms.count; i++)
		nearest_try(&nearest, platforms.list[i].name);
	output_error(run->output, "%s%s%s%s", message ?: strerror(-err),
		     nearest.name ? "; did you mean " : "", nearest.name ?: "",
		     nearest.name ? "?" : "");
	switch (err) {
	case -ENOENT:
	case -EINVAL:
	case -EISDIR:
	case -ENOTDIR:
	case -EFBIG:
	case -ELOOP:
	case -ENAMETOOLONG:
		/* A wrong name or file is a mistake of the user; a state that cannot be kept is
		 * not. */
		return STATUS_USAGE;
	}
	return status_from_errno(err);
}

/* Returns an option that is a command of its own, or NULL. */
static const char *find_lone_option(const struct globals *globals)
{
	return globals->version          ? "--version"
	       : globals->list_platforms ? "--list-platforms"
	       : globals->describe       ? "--describe"
	       : globals->info           ? "--info"
	       : globals->oob            ? "--oob"
					 : NULL;
}

/* Changes to the command that an option of the parsed command selects. */
static void choose_command(struct parse_result *parsed)
{
	const struct command *command = parsed->command;
	const char *arguments = parsed->arguments;

	if (command && arguments && command->measured &&
	    ((const struct option_number *)(const void *)(arguments + command->measured_offset))
		    ->given)
		parsed->command = command->measured;
}

/* Finds mistakes that show only when all of the command line is parsed. */
static const char *find_mistake(const struct invocation *run)
{
	const struct globals *globals = &run->globals;
	const struct command *command = run->parsed.command;

	if (globals->oob && globals->info)
		return "--oob and --info cannot be used together";
	if (globals->oob && globals->dry_run)
		return "--oob cannot be used with --dry-run";
	if (!run->app->simulator && (globals->simulate || globals->list_platforms))
		return "this program was built without its simulator";
	if (!globals->simulate && (globals->simulate_state || globals->simulate_reset))
		return "--simulate-state and --simulate-reset need --simulate";
	if (run->is_modern && (globals->info || globals->oob) &&
	    option_cpus_is_given(&globals->cpus))
		return "--cpu cannot be used with --info and --oob: they are about the whole "
		       "machine";
	if (!run->app->follow && globals->oob)
		return "this program was built without its daemon";
	if (find_lone_option(globals) || (!run->parsed.feature && globals->simulate_reset))
		return NULL;
	if (!command)
		return "a feature and a command are needed; --help lists them";
	if (command->flags & COMMAND_NEEDS_CPUS && !option_cpus_is_given(&globals->cpus))
		return "--cpu LIST is needed";
	if (command->flags & COMMAND_NOT_OF_CPUS && option_cpus_is_given(&globals->cpus))
		return "--cpu cannot be used with this command: it is about the whole machine, or "
		       "a document names its CPUs";
	if (command->flags & COMMAND_IS_NEW &&
	    (globals->all_cpus_online || globals->cgroup || globals->cpu0_workaround))
		return "--all-cpus-online, --cgroup and --cpu0-workaround cannot be used with this "
		       "command: it uses the CPUs that are online, or a document specifies which "
		       "are";
	return NULL;
}

/* Runs what needs a machine: a command, --info or --oob. --simulate-reset without a command has its
 * effect when the host is opened. */
static enum status run_on_host(struct invocation *run)
{
	const struct parse_result *parsed = &run->parsed;
	const struct globals *globals = &run->globals;
	const struct command *command = globals->info ? run->app->info : parsed->command;
	_cleanup_host_ struct host *host = NULL;
	_cleanup_free_ char *name = NULL;
	struct run_request request;
	enum status status;

	for (size_t i = 0; i < parsed->warnings.count; i++)
		output_warning(run->output, "%s", parsed->warnings.list[i]);
	for (size_t i = 0; i < parsed->notes.count; i++)
		output_note(run->output, "%s", parsed->notes.list[i]);
	if (!globals->oob && (globals->no_daemon || globals->interval_s.given))
		output_note(run->output, "--no-daemon and --delay have no effect without --oob");
	if (globals->each && !globals->dry_run && command && command->flags & COMMAND_WRITES)
		output_note(run->output, "--each has no effect without --dry-run");
	status = open_host(run, &host);
	if (globals->oob && (globals->all_cpus_online || option_cpus_is_given(&globals->cpus)))
		fputs("Information: --cpu and --all-cpus-online have no effect with --oob\n",
		      stderr);
	if (status != STATUS_DONE)
		return status;
	if (globals->oob)
		return run->app->follow(globals, host, run->output);
	if (!command)
		return STATUS_DONE;
	if (!globals->info)
		name = text_format("%s %s", parsed->feature->name, command->name);
	request = (struct run_request){
		.command = command,
		.name = globals->info ? "--info" : name ?: command->name,
		.arguments = parsed->arguments,
		.globals = globals,
		.cpus = option_cpus_is_given(&globals->cpus) ? &globals->cpus.names.numbers : NULL,
		.host = host,
		.output = run->output,
		.writes = command->flags & COMMAND_WRITES,
		.passed = &run->passed,
		.strict = run->is_modern,
		.banner = !run->is_modern && (globals->format.value != OUTPUT_JSON ||
					      !sink_is_stream(output_sink(run->output), stdout)),
	};
	return dispatch_run(&request);
}

/* Writes the results. Usage errors leave a file of -o unchanged. */
static enum status finish(struct invocation *run, enum status status)
{
	const struct command *command = run->parsed.command;
	const char *file = run->globals.out ?: run->is_modern ? "-" : "stderr";
	const struct sink *sink = output_sink(run->output);
	_cleanup_free_ char *name = NULL;
	int err;

	/* A daemon that was ready has no results, and its parent only reports that it runs. */
	if (run->globals.oob && status == STATUS_DONE)
		return status;
	if (status == STATUS_USAGE && !sink_is_stream(sink, stderr) &&
	    !sink_is_stream(sink, stdout))
		return status;
	err = output_finish(run->output);
	if (!err)
		return status;
	name = strdup(strcmp(file, "-") == 0 ? "stdout" : file);
	if (name)
		printable_clean(name, strlen(name));
	fprintf(stderr, "Error: the results cannot be written to %s: %s\n", name ?: "the file",
		sink_problem(sink, err));
	if (status == STATUS_DONE && command && command->flags & COMMAND_WRITES &&
	    !run->globals.dry_run)
		fputs("Information: the settings are made; only the results are lost\n", stderr);
	return status == STATUS_DONE || status == STATUS_DIFFERS ? STATUS_REFUSED : status;
}

/* Scripts for the kernel tree's tool expect its form of the version: major and minor number. */
static void write_version(const struct invocation *run)
{
	const char *version = run->app->version;

	if (run->is_modern)
		printf("isst %s\n", version);
	else
		printf("Version v%.*s intel-speed-select\n", (int)(strrchr(version, '.') - version),
		       version);
}

/* Answers on stdout what needs no machine, or runs the command. */
static enum status run_parsed(struct invocation *run)
{
	const struct globals *globals = &run->globals;
	const char *lone = run->parsed.feature ? find_lone_option(globals) : NULL;
	const char *mistake = run->parsed.mistake;
	int err;

	if (globals->complete)
		return complete(run);
	if (run->parsed.help != PARSE_HELP_NONE) {
		help_write(run->program, &run->tables, &run->parsed, stdout);
		return wrote_stdout();
	}
	if (run->argc < 2 && run->is_modern) {
		help_write_begin(run->program, stderr);
		return STATUS_USAGE;
	}
	if (!mistake && !lone)
		mistake = find_mistake(run);
	if (mistake)
		output_error(run->output, "%s", mistake);
	else if (lone)
		output_error(run->output, "%s is used alone, without a feature", lone);
	if (mistake || lone)
		return finish(run, STATUS_USAGE);
	if (globals->version) {
		write_version(run);
		return wrote_stdout();
	}
	if (globals->describe) {
		err = help_describe(&run->tables, stdout);
		if (err != -ENOMEM)
			return wrote_stdout();
		fprintf(stderr, "Error: %s\n", strerror(-err));
		return STATUS_REFUSED;
	}
	if (globals->list_platforms)
		return list_platforms(run);
	return finish(run, run_on_host(run));
}

/* Returns the exit status: that of a command which was run, unless this program failed itself. */
static int passed_on(const struct invocation *run, enum status status)
{
	if (!run->parsed.has_rest)
		return run->passed.is_set && status == STATUS_DONE ? run->passed.status
								   : (int)status;
	if (run->passed.is_set && (run->passed.status || status == STATUS_DONE))
		return run->passed.status;
	return status == STATUS_DONE ? STATUS_DONE : PASSED_FAILURE;
}

int app_run(const struct app *app, int argc, char **argv)
{
	const char *path = argc > 0 ? argv[0] : "intel-speed-select";
	const char *slash = strrchr(path, '/'), *program = slash ? slash + 1 : path;
	bool is_modern = strcmp(program, "isst") == 0;
	struct invocation run = {
		.app = app,
		.tables = { app->features, globals_options, .strict = is_modern },
		.program = program,
		.is_modern = is_modern,
		.globals = { .tries.value = GLOBALS_DEFAULT_TRIES, .argc = argc, .argv = argv },
		.argc = argc,
		.argv = argv,
	};
	enum status status = STATUS_REFUSED;
	int err = fileio_guard_streams(), result;

	if (!err)
		err = parse_command_line(&run.tables, &run.globals, argc > 0 ? argc - 1 : 0,
					 argv + 1, &run.parsed);
	if (!err)
		choose_command(&run.parsed);
	/* No old script uses a command that the kernel tree's tool lacks. */
	if (!err && run.parsed.command && run.parsed.command->flags & COMMAND_IS_NEW)
		run.is_modern = true;
	if (!err)
		err = output_open((enum output_format)run.globals.format.value, run.globals.out,
				  run.is_modern && !run.parsed.has_rest, &run.output);
	if (err)
		fprintf(stderr, "Error: %s\n", strerror(-err));
	else
		status = run_parsed(&run);
	result = passed_on(&run, status);
	output_close(&run.output);
	parse_result_done(&run.parsed);
	parse_free_values(globals_options, &run.globals);
	return result;
}

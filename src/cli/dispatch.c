// SPDX-License-Identifier: GPL-2.0-only
/* The steps before and after a handler, the same for every command (commands.md). */
#include "cli/dispatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/carry_out.h"
#include "cli/context.h"
#include "cli/dry_run.h"
#include "cli/online.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "machine/lock.h"
#include "machine/run_directory.h"
#include "machine/unfinished.h"

static enum status report(struct output *output, int err, const char *message)
{
	output_error(output, "%s", message ?: strerror(-err));
	return status_from_errno(err);
}

static void put_banner(const struct machine *machine)
{
	printf("Intel(R) Speed Select Technology\n");
	printf("Executing on CPU model:%u[0x%x]\n", machine->identity.model,
	       machine->identity.model);
	fflush(stdout);
}

/*
 * Notes the offline CPUs whose places are not known (hardware.md, section 5). Setting commands
 * report them themselves.
 */
static void note_unplaced(const struct context *context)
{
	_cleanup_cpuset_ struct cpuset lost = { 0 };
	_cleanup_free_ char *list = NULL;

	if (topology_find_unplaced(context->machine->host->files, &context->machine->topology,
				   &lost) ||
	    cpuset_is_empty(&lost))
		return;
	list = cpuset_format_ranges(&lost);
	output_note(context->output,
		    "CPUs %s are offline, and no map of this boot has their places: they are "
		    "missing from counts and lists; --all-cpus-online brings them online first",
		    list ?: "");
}

/* Cascade Lake-N tells priorities by cpufreq, which is silent for offline CPUs. */
static void note_unknown_priority(const struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	_cleanup_free_ char *list = NULL;

	if (!context->platform->bios_fixed || cpuset_copy(&offline, &topology->placed))
		return;
	cpuset_remove_all(&offline, &topology->online);
	if (cpuset_is_empty(&offline))
		return;
	list = cpuset_format_ranges(&offline);
	output_note(context->output,
		    "CPUs %s are offline: whether they are high-priority ones is not known",
		    list ?: "");
}

/*
 * A command that lists CPUs fails for the domains that have CPUs whose core nobody tells: their
 * lists are not whole. A domain of which no core is known is not shown at all.
 */
static void report_unknown_cores(struct context *context)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct power_domain *domain = context->domains[i];
		const struct target *target = context_find_target(context, i);
		_cleanup_cpuset_ struct cpuset lost = { 0 };
		_cleanup_free_ char *list = NULL;

		if (!target || cpuset_copy(&lost, &context->platform->unknown_cores))
			continue;
		cpuset_keep(&lost, &domain->cpus);
		if (cpuset_is_empty(&lost))
			continue;
		list = cpuset_format_ranges(&lost);
		context_fail(context, target,
			     context->machine->topology.places[cpuset_next(&lost, 0)].core_error,
			     "CPUs %s are missing from lists, their cores are not known",
			     list ?: "");
		if (cpuset_equal(&lost, &domain->cpus))
			context_drop_domain(context, i);
	}
}

/* CPUs of which not even the power domain is known are in no list at all. */
static void report_homeless(struct context *context)
{
	const struct platform *platform = context->platform;
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset lost = { 0 };
	_cleanup_free_ char *list = NULL;

	if (cpuset_copy(&lost, &topology->placed))
		return;
	for (size_t i = 0; i < platform->domains.n_domains; i++)
		cpuset_remove_all(&lost, &platform->domains.domains[i].cpus);
	if (cpuset_is_empty(&lost))
		return;
	list = cpuset_format_ranges(&lost);
	context_fail(context, NULL, topology->places[cpuset_next(&lost, 0)].core_error ?: -ENODATA,
		     "CPUs %s are missing from lists, their power domains are not known",
		     list ?: "");
}

static enum status run_on_targets(const struct dispatch *dispatch, struct context *context)
{
	bool by_domain = cpuset_is_empty(&dispatch->globals->cpus);
	bool shows_cpus = dispatch->command->flags & COMMAND_SHOWS_CPUS;
	int err;

	if (context->n_targets == 0) {
		if (context_status(context) != STATUS_DONE || context->rehearses)
			return context_status(context);
		output_error(context->output, "no power domain with an online CPU was found");
		return STATUS_REFUSED;
	}
	if ((by_domain || shows_cpus) && !context->writes)
		note_unplaced(context);
	if (shows_cpus) {
		note_unknown_priority(context);
		report_unknown_cores(context);
		if (by_domain)
			report_homeless(context);
	}
	err = dispatch->command->run(context, dispatch->arguments);
	if (err)
		return report(context->output, err, NULL);
	return context_status(context);
}

/* The CPUs to run for: those of --cpu, or all that are online, or (NULL) by domain. */
static const struct cpuset *choose_cpus(const struct dispatch *dispatch,
					const struct context *context)
{
	if (!cpuset_is_empty(&dispatch->globals->cpus))
		return &dispatch->globals->cpus;
	if (dispatch->command->flags & COMMAND_EACH_CPU)
		return &context->machine->topology.online;
	return NULL;
}

static enum status run_command(const struct dispatch *dispatch, struct context *context)
{
	int err;

	if (context->platform->bios_fixed && !(dispatch->command->flags & COMMAND_ON_BIOS_FIXED)) {
		context_lack(context, NULL,
			     "%s: on this platform everything is set in BIOS; there are "
			     "perf-profile info and base-freq info, enable and disable",
			     dispatch->name);
		return context_status(context);
	}
	output_set_mask_words(context->output, topology_mask_words(&context->machine->topology));
	err = context_choose_targets(context, choose_cpus(dispatch, context),
				     !(dispatch->command->flags & COMMAND_NOT_FOR_IO));
	if (err)
		return report(context->output, err, NULL);
	return context->tally.usage ? context_status(context) : run_on_targets(dispatch, context);
}

/* A command that needs no platform runs once, for all its CPUs. */
static enum status run_anywhere(const struct dispatch *dispatch, struct context *context)
{
	int err =
		context_choose_cpus(context, context->cpus_given ? &dispatch->globals->cpus : NULL);

	if (err)
		return report(context->output, err, NULL);
	if (context->tally.usage || cpuset_is_empty(context->cpus))
		return context_status(context);
	err = dispatch->command->run(context, dispatch->arguments);
	return err ? report(context->output, err, NULL) : context_status(context);
}

/* Where -d writes to: not into a JSON document, should all streams be one file. */
static FILE *choose_trace(const struct dispatch *dispatch)
{
	FILE *trace = output_shares(dispatch->output, stdout) ? stderr : stdout;

	if (!dispatch->globals->debug)
		return NULL;
	if (dispatch->globals->format.index == OUTPUT_JSON &&
	    output_shares(dispatch->output, trace)) {
		output_note(dispatch->output, "no trace: it would stand in the JSON document");
		return NULL;
	}
	return trace;
}

/*
 * Writes what a running plan announces to stderr ("online cpu N"), unless a JSON document goes
 * there. A large machine has a thousand such lines, so many are written together.
 */
struct announcer {
	struct progress *progress;
	bool quiet;
	char held[4096];
	size_t n_held;
};

static void flush(void *data)
{
	struct announcer *announcer = data;

	if (announcer->n_held == 0)
		return;
	progress_end(announcer->progress);
	fwrite(announcer->held, 1, announcer->n_held, stderr);
	announcer->n_held = 0;
}

static void announce(void *data, const char *text)
{
	struct announcer *announcer = data;
	size_t length = strlen(text) + 1;

	if (announcer->quiet)
		return;
	if (announcer->n_held + length > sizeof(announcer->held))
		flush(announcer);
	if (length > sizeof(announcer->held)) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	memcpy(announcer->held + announcer->n_held, text, length - 1);
	announcer->n_held += length;
	announcer->held[announcer->n_held - 1] = '\n';
}

static void show_progress(void *data, size_t done, size_t total)
{
	struct announcer *announcer = data;

	if (progress_is_due(announcer->progress))
		flush(announcer);
	progress_update(announcer->progress, done, total);
}

static void prepare_environment(struct context *context, struct announcer *announcer)
{
	context->environment.files = context->machine->host->files;
	context->environment.announce = announce;
	context->environment.flush = flush;
	context->environment.progress = show_progress;
	context->environment.data = announcer;
}

/*
 * Opens the platform of a machine that is open, where the command wants one. Returns 0, or a
 * negative errno with *ret_message as platform_open().
 */
static int open_platform(const struct dispatch *dispatch, struct context *context,
			 const struct platform_options *options, char **ret_message)
{
	unsigned int flags = dispatch->command->flags;
	int err;

	*ret_message = NULL;
	if (flags & COMMAND_ANY_MACHINE && !(flags & COMMAND_ASKS_SST))
		return 0;
	err = platform_open(context->machine, options, &context->platform, ret_message);
	if (!err || err == -ENOMEM || !(flags & COMMAND_ASKS_SST))
		return err;
	context->platform_error = err;
	context->lacks_platform = *ret_message ?: strerror(-err);
	return 0;
}

/* An SST command on a machine that has none: says what else can be done there. */
static enum status report_no_platform(const struct dispatch *dispatch, int err, const char *message)
{
	enum status status = report(dispatch->output, err, message);

	if (err == -ENOTSUP)
		output_note(dispatch->output,
			    "cpufreq, cpuidle and uncore work without Speed Select; --info says "
			    "what of it this machine has");
	return status;
}

/* The program was asked to stop before it carried anything out, or between two stages. */
static enum status report_stopped(const struct context *context)
{
	output_error(context->output, "the program was told to stop");
	if (!context->run)
		output_note(context->output, "nothing had been changed before that");
	return STATUS_REFUSED;
}

/* Runs a command whose platform, if it wants one, is open. */
static enum status run_prepared(const struct dispatch *dispatch, struct context *context)
{
	bool is_anywhere = dispatch->command->flags & COMMAND_ANY_MACHINE || !context->platform;
	int err = context->rehearses && context->writes ? online_expect(context) : 0;

	if (err)
		return report(context->output, err, NULL);
	if (context->rehearses && context->dry_run && !context->writes)
		dry_run_put(context->output, context->plan, context->each);
	return is_anywhere ? run_anywhere(dispatch, context) : run_command(dispatch, context);
}

/* Runs a command on a machine that is open. */
static enum status run_on_machine(const struct dispatch *dispatch, struct context *context)
{
	const struct globals *globals = dispatch->globals;
	bool document =
		globals->format.index == OUTPUT_JSON && output_shares(dispatch->output, stderr);
	_cleanup_free_ char *message = NULL;
	struct progress progress = progress_start(!document);
	struct announcer announcer = { .progress = &progress, .quiet = document };
	const struct platform_options options = {
		.tries = globals->tries.given ? (unsigned int)globals->tries.value
					      : GLOBALS_DEFAULT_TRIES,
		.pause_ms = (unsigned int)globals->pause_ms.value,
		.progress = progress_update,
		.progress_data = &progress,
		.stop = context->environment.stop,
		.trace = choose_trace(dispatch),
	};
	enum status status;
	int err = open_platform(dispatch, context, &options, &message);

	if (err && !context_is_stopped(context))
		return report_no_platform(dispatch, err, message);
	prepare_environment(context, &announcer);
	if (!err && context->platform && context->platform->transport)
		context->environment.channel = &context->platform->channel;
	status = err ? STATUS_REFUSED : run_prepared(dispatch, context);
	progress_end(&progress);
	context_done(context);
	context->environment.channel = NULL;
	context->environment.announce = NULL;
	context->environment.flush = NULL;
	context->environment.progress = NULL;
	platform_close(&context->platform);
	if (context_is_stopped(context) && !context->is_carried_out)
		return report_stopped(context);
	return status;
}

/* Reads the machine anew, as it is after CPUs came online or were only expected to. */
static int read_again(struct context *context)
{
	_cleanup_free_ char *message = NULL;
	struct machine *fresh = NULL;
	int err = machine_open(context->machine->host, &fresh, &message);

	if (err)
		return err;
	machine_close(&context->machine);
	context->machine = fresh;
	return 0;
}

/* Begins the plan anew, for the CPUs that are offline now. */
static int plan_again(struct context *context)
{
	int err = read_again(context);

	plan_free(&context->plan);
	err = err ?: plan_new(&context->plan);
	return err ?: online_plan(context);
}

/*
 * Finds out whether the command is refused, before CPUs are brought online for it. A reading
 * command that fails for some of its targets may still read others.
 */
static enum status rehearse(const struct dispatch *dispatch, struct context *context)
{
	enum status status;
	bool refused;
	int err = output_hold(context->output);

	if (err)
		return report(context->output, err, NULL);
	context->rehearses = true;
	status = run_on_machine(dispatch, context);
	context->rehearses = false;
	refused = context->writes || context_is_stopped(context)
			  ? status != STATUS_DONE
			  : status == STATUS_USAGE || status == STATUS_UNSUPPORTED;
	output_release(context->output, refused);
	context->tally = (struct tally){ 0 };
	return refused ? status : STATUS_DONE;
}

/* Brings CPUs online as the first stage of the command, and carries out the rest for them. */
static enum status run_in_stages(const struct dispatch *dispatch, struct context *context)
{
	enum status status = rehearse(dispatch, context);
	int err;

	if (status != STATUS_DONE)
		return status;
	err = plan_again(context);
	context->environment.files = context->machine->host->files;
	err = err ?: carry_out_stage(context);
	if (!err && context_status(context) != STATUS_DONE)
		return context_status(context);
	err = err ?: read_again(context);
	if (!err)
		return run_on_machine(dispatch, context);
	output_error(context->output, "CPUs cannot be brought online: %s", strerror(-err));
	return STATUS_REFUSED;
}

/* Runs, with --all-cpus-online for the CPUs as they will be, or after they came online. */
static enum status run_all(const struct dispatch *dispatch, struct context *context)
{
	int err = dispatch->globals->all_cpus_online ? online_plan(context) : 0;

	if (err)
		return report(dispatch->output, err, NULL);
	if (dispatch->globals->all_cpus_online)
		online_note_threads(context);
	if (cpuset_is_empty(&context->machine->topology.coming))
		return run_on_machine(dispatch, context);
	if (!context->dry_run)
		return run_in_stages(dispatch, context);
	context->rehearses = true;
	return run_on_machine(dispatch, context);
}

/* What must hold before the first write: the capability, and a place for the results. */
static enum status check_writer(const struct dispatch *dispatch)
{
	if (output_check(dispatch->output)) {
		/* output_finish() will tell why */
		output_note(dispatch->output,
			    "nothing is set, since there is no place for results");
		return STATUS_REFUSED;
	}
	if (dispatch->host->ops->has_capability(dispatch->host) <= 0) {
		output_error(dispatch->output, "setting needs the capability CAP_SYS_ADMIN, which "
					       "this process does not have");
		return STATUS_NOT_PERMITTED;
	}
	return STATUS_DONE;
}

/*
 * Takes the machine's lock. A user who has the capability but may not write to the run directory is
 * served without it, and told so.
 */
static enum status take_lock(const struct dispatch *dispatch, const struct context *context,
			     struct lock **ret_lock)
{
	const char *directory = dispatch->host->run_directory;
	_cleanup_free_ char *holder = NULL, *problem = NULL;
	int err = lock_take(directory, context->environment.stop, ret_lock, &holder);

	switch (err) {
	case 0:
		return STATUS_DONE;
	case -EACCES:
		output_note(
			dispatch->output,
			"no lock could be taken in %s (%s): nothing keeps another instance from "
			"setting this machine at the same time",
			directory, strerror(-err));
		return STATUS_DONE;
	case -EINTR:
		return report_stopped(context);
	case -EBUSY:
		output_error(dispatch->output, "another instance is setting this machine: %s",
			     holder ?: "its name is not known");
		return STATUS_BUSY;
	}
	problem = lock_problem(directory, err);
	output_error(dispatch->output, "the lock in %s cannot be taken: %s", directory,
		     problem ?: strerror(-err));
	return status_from_errno(err);
}

/* Tells what another process has left behind that was killed while it was writing. */
static void note_unfinished(const struct dispatch *dispatch, const struct lock *lock)
{
	const char *directory = dispatch->host->run_directory;
	_cleanup_free_ char *text = NULL;
	int err = lock ? unfinished_read(directory, &text) : unfinished_find(directory, &text);

	if (!err && text)
		output_note(dispatch->output,
			    "an earlier instance (%s) ended while it was writing: what it was to "
			    "set may be incomplete, and is best set again",
			    text);
}

/* Opens the machine as it is now, and runs. */
static enum status run_fresh(const struct dispatch *dispatch, struct context *context)
{
	_cleanup_free_ char *message = NULL;
	enum status status;
	int err = machine_open(dispatch->host, &context->machine, &message);

	if (err)
		return report(dispatch->output, err, message);
	if (dispatch->banner)
		put_banner(context->machine);
	status = carry_out_end(context, run_all(dispatch, context));
	machine_close(&context->machine);
	return status;
}

/*
 * A writer alone: checked, with the lock, and with signals held until a write is over. The machine
 * is read under the lock, since who had it before may have taken CPUs away.
 */
static enum status run_as_writer(const struct dispatch *dispatch, struct context *context)
{
	_cleanup_lock_ struct lock *lock = NULL;
	enum status status = check_writer(dispatch);
	int err;

	if (status != STATUS_DONE)
		return status;
	err = stop_install();
	if (err)
		return report(dispatch->output, err, NULL);
	context->stop = stop_source();
	context->environment.stop = &context->stop;
	status = take_lock(dispatch, context, &lock);
	if (status == STATUS_DONE) {
		note_unfinished(dispatch, lock);
		status = run_fresh(dispatch, context);
	}
	stop_settle();
	return status;
}

enum status dispatch_run(const struct dispatch *dispatch)
{
	const struct globals *globals = dispatch->globals;
	bool writes = dispatch->command->flags & COMMAND_WRITES;
	struct context context = {
		.output = dispatch->output,
		.command = dispatch->name,
		.cpus_given = !cpuset_is_empty(&globals->cpus),
		.strict = dispatch->strict,
		.writes = writes,
		.dry_run = globals->dry_run,
		.each = globals->each,
		.known_cpus_only = globals->known_cpus_only,
		.cgroup = globals->cgroup,
		.cpu0_workaround = globals->cpu0_workaround,
	};
	enum status status;
	int err = plan_new(&context.plan);

	if (err)
		return report(dispatch->output, err, NULL);
	if ((writes || globals->all_cpus_online) && !globals->dry_run) {
		status = run_as_writer(dispatch, &context);
	} else {
		note_unfinished(dispatch, NULL);
		status = run_fresh(dispatch, &context);
	}
	plan_free(&context.plan);
	return status;
}

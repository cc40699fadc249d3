// SPDX-License-Identifier: GPL-2.0-only
/* Runs the stages of a command (commands.md): takes the lock, opens the machine and the platform,
 * chooses the targets, calls the handler, and gets the status from the report. With
 * --all-cpus-online, the first changes of the command bring CPUs online, so that a failure takes
 * them offline again. Before that, a trial run plans the command for the CPUs that will be online.
 * This finds problems before anything is written, and a dry run shows this plan. */
#include "run/dispatch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "host/device.h"
#include "host/kept_files.h"
#include "host/topology.h"
#include "host/run_directory.h"
#include "run/carry_out.h"
#include "run/context.h"
#include "run/progress.h"
#include "run/setting.h"
#include "run/signals.h"
#include "run/writer.h"
#include "settings/hotplug.h"
#include "state/assumption.h"

#define SMT_OFF "since SMT is off (/sys/devices/system/cpu/smt/control)"

static enum status end(struct context *context, int err, const char *message)
{
	report_add(&context->report, REPORT_REFUSED, "%s", message ?: strerror(-err));
	return status_from_errno(err);
}

static void note_threads(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset threads = { 0 };

	if (topology_find_threads(topology, &threads) || cpuset_is_empty(&threads))
		return;
	if (cpuset_is_empty(&topology->pending))
		context_note(
			context, NULL,
			"--all-cpus-online: only second threads of cores are offline, and they "
			"stay offline, " SMT_OFF);
	else
		context_report_cpus(context, REPORT_NOTE, "--all-cpus-online: CPUs ", &threads,
				    " are second threads of cores, and stay offline, " SMT_OFF);
}

/* Plans to bring every present CPU online, and sets topology.pending to those CPUs: without second
 * threads while SMT is off. Returns 0 or -ENOMEM. */
static int plan_online(struct context *context)
{
	struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset threads = { 0 };

	if (topology_find_threads(topology, &threads) ||
	    cpuset_copy(&topology->pending, &topology->present))
		return -ENOMEM;
	cpuset_remove_all(&topology->pending, &topology->online);
	cpuset_remove_all(&topology->pending, &threads);
	return hotplug_plan_online(&context->plan.changes, context->machine, &topology->pending);
}

/* In a dry run, notes the CPUs for which nothing can be shown. */
static int note_unknown(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	const struct platform *platform = context->platform;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };

	if (cpuset_copy(&unknown, &topology->pending))
		return -ENOMEM;
	cpuset_remove_all(&unknown, &topology->online);
	for (size_t i = 0; platform && i < platform->domains.n_domains; i++) {
		const struct power_domain *domain = &platform->domains.domains[i];

		/* nothing can be planned before one of its CPUs is online */
		if (domain->cpu == CPUSET_NONE && !platform->shows_power_domains &&
		    cpuset_add_all(&unknown, &domain->cpus))
			return -ENOMEM;
	}
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &unknown,
			    " are offline: what is written for them, or for their power domains, "
			    "is known only when they are online, and is not shown");
	return 0;
}

/* In a trial run of a setting command, counts pending CPUs as online if their packages and cores
 * are known; without an open platform, counts all of them. Notes the others in a dry run. Returns 0
 * or -ENOMEM. */
static int expect_online(struct context *context)
{
	struct machine *machine = context->machine;
	struct topology *topology = &machine->topology;
	_cleanup_cpuset_ struct cpuset expected = { 0 };

	/* As platform_open() does. Without a valid map the packages and cores of offline CPUs stay
	 * unknown. */
	if (!context->platform &&
	    cpu_map_apply(machine->host->files, machine->host->run_directory, topology) == -ENOMEM)
		return -ENOMEM;
	if (cpuset_copy(&expected, &topology->pending))
		return -ENOMEM;
	if (context->platform)
		cpuset_keep(&expected, &topology->placed);
	if (cpuset_add_all(&topology->online, &expected))
		return -ENOMEM;
	return note_unknown(context);
}

/* Notes the offline CPUs: cpufreq gives the priority of online CPUs only. */
static void note_unknown_priority(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset offline = { 0 };

	if (!context->platform->base_freq_by_cpufreq || cpuset_copy(&offline, &topology->placed))
		return;
	cpuset_remove_all(&offline, &topology->online);
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &offline,
			    " are offline: whether they are high-priority ones is unknown");
}

/* A command that lists CPUs fails for domains that have CPUs whose core is unknown, since their
 * lists are incomplete. A domain without any known core is not shown at all. */
static void report_unknown_cores(struct context *context)
{
	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct power_domain *domain = context->targets.domains[i];
		const struct target *target =
			context_find_target(context, context->targets.domains[i]);
		_cleanup_cpuset_ struct cpuset unknown = { 0 };

		if (!target || cpuset_copy(&unknown, &context->platform->unknown_cores))
			continue;
		cpuset_keep(&unknown, &domain->cpus);
		context_fail_cpus(context, target, "CPUs ", &unknown,
				  " are missing from lists: their cores are unknown");
		if (!cpuset_is_empty(&unknown) && cpuset_equal(&unknown, &domain->cpus))
			context_drop_domain(context, i);
	}
}

/* CPUs whose power domain is unknown too are in no list at all. */
static void report_without_domain(struct context *context)
{
	const struct domain_list *domains = &context->platform->domains;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };

	if (cpuset_copy(&unknown, &context->machine->topology.placed))
		return;
	for (size_t i = 0; i < domains->n_domains; i++)
		cpuset_remove_all(&unknown, &domains->domains[i].cpus);
	context_fail_cpus(context, NULL, "CPUs ", &unknown,
			  " are missing from lists: their power domains are unknown");
}

/* Runs the handler and then, if it found no problem, the next stages of a setting command. Some
 * commands plan in spite of a problem; then nothing is carried out. */
static enum status handle(struct context *context)
{
	int err = context->request->command->run(context);

	if (!err && context->request->writes && !context->plan.execution.is_over &&
	    (!report_has_problem(&context->report) || context->plan.wanted.is_planned_anyway))
		err = setting_run(context);
	if (context->attempt.is_busy)
		return STATUS_BUSY;
	return err ? end(context, err, NULL) : report_status(&context->report);
}

static enum status run_on_targets(struct context *context)
{
	bool by_domain = !context->request->cpus;
	bool shows_cpus = context->request->command->flags & COMMAND_SHOWS_CPUS;

	if (context->targets.n == 0) {
		if (report_status(&context->report) == STATUS_DONE && !context->is_trial)
			context_refuse(context, NULL,
				       "no power domain with an online CPU was found");
		return report_status(&context->report);
	}
	/* setting commands report these CPUs themselves */
	if ((by_domain || shows_cpus) && !context->request->writes)
		context_report_unplaced(context, SIZE_MAX, "they are missing from counts and lists",
					NULL);
	if (shows_cpus) {
		note_unknown_priority(context);
		report_unknown_cores(context);
		if (by_domain)
			report_without_domain(context);
	}
	return handle(context);
}

static enum status run_on_platform(struct context *context)
{
	unsigned int flags = context->request->command->flags;
	const struct topology *topology = &context->machine->topology;
	const struct cpuset *cpus = context->targets.requested_cpus;
	int err;

	if (!context->platform->transport && !(flags & COMMAND_WITHOUT_DRIVER)) {
		context_lack(context, NULL,
			     "%s: on this platform everything is set in BIOS; there are "
			     "perf-profile info and base-freq info, enable and disable",
			     context->request->name);
		return report_status(&context->report);
	}
	output_set_mask_words(context->output, topology_mask_words(topology));
	if (!cpus && flags & COMMAND_EACH_CPU)
		cpus = &topology->online;
	err = context_choose_targets(context, cpus, !(flags & COMMAND_NOT_FOR_IO));
	if (err)
		return end(context, err, NULL);
	if (report_has(&context->report, REPORT_USAGE))
		return STATUS_USAGE;
	return run_on_targets(context);
}

/* Returns true if --cpu has a named set that needs Speed Select. */
static bool has_sst_set(const struct context *context)
{
	return cpu_names_find_sst(&context->request->globals->cpus.names);
}

/* Returns the channel of the platform, else that of the device which is kept for undoing; or
 * NULL. */
static const struct channel *find_channel(const struct context *context)
{
	return context->platform && context->platform->transport
		       ? &context->platform->channel
		       : device_channel(context->plan.execution.device);
}

/* Finds the CPUs of --cpu, then closes a platform that the command does not use. Returns whether
 * there are CPUs to continue with; if not, *ret_status is the status. */
static bool resolve_cpus(struct context *context, enum status *ret_status)
{
	unsigned int flags = context->request->command->flags;
	int err = context_resolve_cpus(context);

	if (flags & COMMAND_ANY_MACHINE && !(flags & COMMAND_ASKS_SST)) {
		platform_close(&context->platform);
		context->plan.execution.environment.channel = find_channel(context);
	}
	/* there are none after a problem, or in a trial run that cannot find them yet */
	if (!err && context->targets.requested_cpus &&
	    cpuset_is_empty(context->targets.requested_cpus)) {
		if (context->request->globals->dry_run && !report_has_problem(&context->report))
			err = carry_out_show(context->output, &context->plan.changes,
					     context->request->globals->each);
		*ret_status = report_status(&context->report);
		return false;
	}
	if (err)
		*ret_status = end(context, err, NULL);
	return !err;
}

static bool is_writer(const struct context *context)
{
	const struct globals *globals = context->request->globals;

	return (context->request->writes || globals->all_cpus_online) && !globals->dry_run;
}

/* Returns true if the command runs under the lock of writers. */
static bool is_locked(const struct context *context)
{
	return is_writer(context) || (context->request->command->flags & COMMAND_TAKES_LOCK &&
				      !context->request->globals->dry_run);
}

/* Writes the map of CPUs if it lacks what is known now: it locates CPUs that go offline later. If
 * writing fails, a later command writes it. */
static void keep_cpu_map(const struct context *context)
{
	const struct machine *machine = context->machine;
	const struct host *host = machine->host;
	_cleanup_lock_ struct lock *lock = NULL;
	_cleanup_free_ char *holder = NULL;

	if (!cpu_map_has(host->files, host->run_directory, &machine->topology) &&
	    (is_locked(context) || !lock_take(host->run_directory, 0, NULL, &lock, &holder)))
		cpu_map_write(host->files, host->run_directory, &machine->topology);
}

/* Opens the platform if the command or a named set uses one. Returns 0, or a negative errno with
 * *ret_message as platform_open(). */
static int open_platform(struct context *context, struct progress *progress, char **ret_message)
{
	const struct globals *globals = context->request->globals;
	const struct sink *sink = output_sink(context->output);
	const unsigned int flags = context->request->command->flags;
	/* The trace does not go into a JSON document, if all streams are one file. */
	FILE *shown = sink_is_stream(sink, stdout) ? stderr : stdout;
	FILE *trace = globals->debug ? shown : NULL;
	bool in_document =
		trace && globals->format.value == OUTPUT_JSON && sink_is_stream(sink, trace);
	const struct assumption *assumption = context->plan.execution.assumption;
	const struct platform_options options = {
		.channel.tries = (unsigned int)globals->tries.value,
		.channel.pause_ms = (unsigned int)globals->pause_ms.value,
		.channel.progress = progress_update,
		.channel.progress_data = progress,
		.channel.stop = context->plan.execution.environment.stop,
		.trace = in_document ? NULL : trace,
		.assumed = assumption ? &assumption->changes : NULL,
		.channel.answers = context->plan.execution.answers,
	};
	int err;

	if (in_document)
		context_note(context, NULL, "no trace: it would be in the JSON document");
	if (flags & COMMAND_ANY_MACHINE && !(flags & COMMAND_ASKS_SST) && !has_sst_set(context))
		return 0;
	err = platform_open(context->machine, &options, &context->platform, ret_message);
	if (!err)
		keep_cpu_map(context);
	if (!err && context->platform->transport && is_writer(context))
		err = device_keep(&context->plan.execution.device, context->machine->host,
				  &context->platform->channel);
	if (!err || err == -ENOMEM || !(flags & (COMMAND_ASKS_SST | COMMAND_ANY_MACHINE)))
		return err;
	context->platform_error = err;
	context->lacks_platform = *ret_message ?: strerror(-err);
	return 0;
}

/* Runs a command whose platform, if it uses one, is open. */
static enum status run_opened(struct context *context)
{
	int err = 0;

	if (context->is_trial && context->request->writes)
		err = expect_online(context);
	else if (context->is_trial && context->request->globals->dry_run)
		err = carry_out_show(context->output, &context->plan.changes,
				     context->request->globals->each);
	if (err)
		return end(context, err, NULL);
	if (context->platform && !(context->request->command->flags & COMMAND_ANY_MACHINE))
		return run_on_platform(context);
	/* A command that needs no platform runs once, for all its CPUs. */
	err = context_choose_cpus(context, context->targets.requested_cpus);
	if (err)
		return end(context, err, NULL);
	if (report_has(&context->report, REPORT_USAGE) || cpuset_is_empty(context->targets.cpus))
		return report_status(&context->report);
	return handle(context);
}

static struct progress start_progress(const struct context *context)
{
	return progress_start(context->request->globals->format.value == OUTPUT_JSON &&
			      sink_is_stream(output_sink(context->output), stderr));
}

/* Runs a command on a machine that is open. */
static enum status run_on_machine(struct context *context)
{
	_cleanup_(progress_end) struct progress progress = start_progress(context);
	struct transaction_environment *environment = &context->plan.execution.environment;
	_cleanup_free_ char *message = NULL;
	enum status status = STATUS_REFUSED;
	int err = open_platform(context, &progress, &message);

	if (err && !context_is_stopped(context)) {
		status = end(context, err, message);
		if (err == -ENOTSUP)
			context_note(
				context, NULL,
				"cpufreq, cpuidle, uncore and power work without Speed Select; "
				"--info shows which parts of Speed Select this machine has");
		return status;
	}
	*environment = (struct transaction_environment){
		.channel = find_channel(context),
		.files = context->machine->host->files,
		.stop = environment->stop,
		.announce = progress_announce,
		.shows_changes = !context->request->strict,
		.flush = progress_flush,
		.progress = progress_update,
		.data = &progress,
	};
	if (!err && resolve_cpus(context, &status))
		status = run_opened(context);
	bool has_written = context->plan.execution.transaction;

	/* undoing needs the open driver */
	if (status != STATUS_DONE && context->plan.execution.transaction)
		status = carry_out_end(context, status);
	progress_end(&progress);
	context_done(context);
	platform_close(&context->platform);
	*environment = (struct transaction_environment){
		.channel = find_channel(context),
		.files = environment->files,
		.stop = environment->stop,
	};
	if (context_is_stopped(context) && !context->plan.execution.is_over)
		return writer_end_stopped(context, has_written);
	return status;
}

/* Reads the machine again, after CPUs came online or a trial run assumed that. Returns 0, -ENOMEM,
 * or -ECANCELED after it reported why the machine cannot be read. */
static int read_again(struct context *context)
{
	_cleanup_free_ char *message = NULL;
	struct machine *fresh = NULL;
	int err = machine_open(context->machine->host, &fresh, &message);

	if (message)
		report_add(&context->report, REPORT_REFUSED, "the machine cannot be read again: %s",
			   message);
	if (err)
		return message ? -ECANCELED : -ENOMEM;
	machine_close(&context->machine);
	context->machine = fresh;
	return 0;
}

int context_reopen(struct context *context)
{
	struct transaction_environment *environment = &context->plan.execution.environment;
	const char *lacks_platform = context->lacks_platform;
	bool had_platform = context->platform;
	_cleanup_free_ char *message = NULL;
	int err;

	platform_close(&context->platform);
	err = read_again(context);
	if (!err)
		err = open_platform(context, environment->data, &message);
	if (!err && had_platform && !context->platform)
		err = context->platform_error;
	context->lacks_platform = lacks_platform;
	environment->files = context->machine->host->files;
	environment->channel = find_channel(context);
	if (err && err != -ENOMEM && err != -ECANCELED) {
		if (message)
			report_add(&context->report, report_kind_of(err), "%s", message);
		else
			context_fail(context, NULL, err, "Speed Select");
		err = -ECANCELED;
	}
	return err;
}

/* Plans the command without carrying it out: if planning fails, no CPU is brought online. A reading
 * command that fails for some of its targets can still read others. */
static enum status try_out(struct context *context)
{
	enum status status;
	bool failed;

	output_hold(context->output, true);
	context->report.is_held = true;
	context->is_trial = true;
	status = run_on_machine(context);
	context->is_trial = false;
	failed = context->request->writes || context_is_stopped(context)
			 ? status != STATUS_DONE
			 : status == STATUS_USAGE || status == STATUS_UNSUPPORTED;
	output_hold(context->output, false);
	report_release(&context->report, failed);
	return failed ? status : STATUS_DONE;
}

/* Brings CPUs online as the first stage of the command, and then runs the rest. */
static enum status run_in_stages(struct context *context)
{
	const struct transaction_outcome *outcome;
	enum status status = try_out(context);
	int err;

	if (status != STATUS_DONE)
		return status;
	err = read_again(context);
	change_list_done(&context->plan.changes);
	if (!err)
		err = plan_online(context);
	if (!err) {
		context->plan.execution.environment.files = context->machine->host->files;
		err = carry_out_can_begin(context) ? carry_out_plan(context, false, &outcome) : 0;
	}
	if (!err && report_status(&context->report) != STATUS_DONE)
		return report_status(&context->report);
	if (!err)
		err = read_again(context);
	if (!err)
		return run_on_machine(context);
	return err == -ECANCELED ? STATUS_REFUSED : end(context, err, NULL);
}

/* Runs the command. With --all-cpus-online, CPUs come online first; a dry run assumes this. */
static enum status run_stages(struct context *context)
{
	int err;

	if (!context->request->globals->all_cpus_online)
		return run_on_machine(context);
	err = plan_online(context);
	if (err)
		return end(context, err, NULL);
	note_threads(context);
	context->is_trial = context->request->globals->dry_run &&
			    !cpuset_is_empty(&context->machine->topology.pending);
	if (context->is_trial || cpuset_is_empty(&context->machine->topology.pending))
		return run_on_machine(context);
	return run_in_stages(context);
}

/* Opens the machine as it is now, and runs the command. */
static enum status run(struct context *context)
{
	_cleanup_free_ char *message = NULL;
	int err;

	if (context->request->command->flags & COMMAND_NO_MACHINE)
		return handle(context);
	err = machine_open(context->request->host, &context->machine, &message);

	if (err)
		return end(context, err, message);
	if (context->request->strict && !context->request->globals->each &&
	    !output_is_json(context->output))
		output_set_fold(context->output, topology_dies_differ(&context->machine->topology));
	if (context->request->banner) {
		uint32_t model = context->machine->identity.model;

		printf("Intel(R) Speed Select Technology\n");
		printf("Executing on CPU model:%u[0x%x]\n", model, model);
		fflush(stdout);
	}
	return carry_out_end(context, run_stages(context));
}

/* Runs as the only writer. The machine is read under the lock, since its last holder may have
 * changed the CPUs. */
static enum status run_as_writer(struct context *context)
{
	_cleanup_lock_ struct lock *lock = NULL;
	enum status status;

	if (sink_check(output_sink(context->output))) {
		/* output_finish() reports the reason. */
		context_note(context, NULL,
			     "nothing is set, since the results could not be written");
		return STATUS_REFUSED;
	}
	status = writer_begin(context, &lock);
	if (status == STATUS_DONE) {
		status = run(context);
		carry_out_publish(context, status);
		device_release(&context->plan.execution.device);
	}
	/* without the lock another process may replace the journal */
	journaled_done(&context->plan.execution.journaled);
	return status;
}

/* Returns true if the handler takes the lock. */
static bool is_temporary(const struct context *context)
{
	return context->request->command->flags & COMMAND_TEMPORARY &&
	       !context->request->globals->dry_run;
}

/* Runs under the lock, but does not check the capability for setting. */
static enum status run_locked(struct context *context)
{
	_cleanup_lock_ struct lock *lock = NULL;
	enum status status = writer_take_lock(context, &lock);

	return status == STATUS_DONE ? run(context) : status;
}

static enum status run_by_rights(struct context *context)
{
	enum status status;

	if (is_writer(context)) {
		status = run_as_writer(context);
	} else if (is_locked(context)) {
		status = run_locked(context);
	} else {
		if (!is_temporary(context))
			writer_note_others(context);
		status = report_has_problem(&context->report) ? report_status(&context->report)
							      : run(context);
		if (!writer_knows_state(context))
			status = report_status(&context->report);
	}
	machine_close(&context->machine);
	assumption_end(&context->plan.execution.assumption);
	return status;
}

/* Runs the command with some files that are read only once. Keeps the driver's answers, too, unless
 * the command measures. */
static enum status run_once(struct context *context)
{
	const struct command *command = context->request->command;
	struct execution *execution = &context->plan.execution;
	struct host *host = context->request->host;
	struct files *files = host->files;
	enum status status;
	int err = 0;

	if (!(command->flags & COMMAND_MEASURES)) {
		execution->answers = answers_new();
		if (!execution->answers)
			return end(context, -ENOMEM, NULL);
	}
	if (command->keeps_files)
		err = kept_files_open(files, command->keeps_files, &host->files);
	status = err ? end(context, err, NULL) : run_by_rights(context);
	if (!err && command->keeps_files) {
		kept_files_close(host->files);
		host->files = files;
	}
	answers_free(&execution->answers);
	return status;
}

#define ATTEMPT_US 250000
#define QUIET_US   2000000

/* Returns true if another attempt can succeed after one with this status. */
static bool can_wait(const struct context *context, enum status status)
{
	return !context->attempt.is_wrong && !context->plan.execution.is_over &&
	       (status == STATUS_BUSY || status == STATUS_UNSUPPORTED ||
		context->attempt.lacks_driver);
}

static void announce_wait(const struct context *context, uint64_t wait_s)
{
	_cleanup_(progress_end) struct progress progress = start_progress(context);
	_cleanup_free_ char *text =
		text_format("Information: waiting for up to %" PRIu64 " seconds: %s", wait_s,
			    report_first_problem(&context->report) ?: "");

	if (text)
		progress_announce(&progress, text);
}

/* Called if the lock stayed busy to the end. Plans the command without the lock, as a dry run whose
 * results are dropped, and reports what else is missing. Returns STATUS_BUSY if nothing else is
 * missing, else the status of that problem (docs/spec/state.md, table of exit statuses). */
static enum status find_missing(struct context *context)
{
	_cleanup_(output_close) struct output *dropped = NULL;
	struct globals globals = *context->request->globals;
	struct run_request request = *context->request;
	struct context trial = { .request = &request, .report.is_held = true };
	enum status status = STATUS_BUSY;

	if (output_open(OUTPUT_TEXT, NULL, false, &dropped))
		return status;
	globals.dry_run = true;
	request.globals = &globals;
	request.output = dropped;
	request.banner = false;
	trial.output = trial.report.output = dropped;
	trial.plan.execution.environment.stop = context->plan.execution.environment.stop;
	trial.plan.data = context->plan.data;
	trial.plan.data_done = context->plan.data_done;
	status = run(&trial);
	context->plan.data = trial.plan.data;
	context->plan.data_done = trial.plan.data_done;
	if (status != STATUS_UNSUPPORTED && !trial.attempt.lacks_driver)
		status = STATUS_BUSY;
	if (status != STATUS_BUSY)
		report_add_held(&context->report, &trial.report);
	change_list_done(&trial.plan.changes);
	report_done(&trial.report);
	return status;
}

/* Runs the command, and repeats it while another instance is setting the machine, or something is
 * missing that may still appear. The messages of the last attempt are shown. */
static enum status run_and_wait(struct context *context, uint64_t wait_s)
{
	const uint64_t start_us = wait_now_us();
	bool is_announced = false;

	for (;;) {
		bool is_last = wait_now_us() - start_us >= wait_s * US_PER_S;
		enum status status;

		context->report.is_held = !is_last;
		context->attempt.lacks_driver = context->attempt.is_busy = false;
		status = run_once(context);
		if (is_last && status == STATUS_BUSY)
			status = find_missing(context);
		if (is_last || !can_wait(context, status)) {
			report_release(&context->report, true);
			return status;
		}
		if (!is_announced && wait_now_us() - start_us >= QUIET_US) {
			announce_wait(context, wait_s);
			is_announced = true;
		}
		report_release(&context->report, false);
		change_list_done(&context->plan.changes);
		context->attempt.is_later = true;
		if (wait_us_or_stop(context->plan.execution.environment.stop, ATTEMPT_US))
			return writer_end_stopped(context, false);
	}
}

/* Runs the command, with --wait perhaps several times. A writer acts on signals after a write. */
static enum status run_command(struct context *context)
{
	size_t wait_offset = context->request->command->wait_offset;
	const struct option_number *wait =
		wait_offset
			? (const void *)((const char *)context->request->arguments + wait_offset)
			: NULL;
	const bool ends_early = context->request->command->flags & COMMAND_ENDS_EARLY;
	struct wait_stop stop = { 0 };
	enum status status;
	int err;

	if (is_writer(context) || is_temporary(context) || ends_early) {
		err = signals_install();
		if (err)
			return end(context, err, NULL);
		stop = signals_source();
		context->plan.execution.environment.stop = &stop;
	}
	status = wait && wait->given ? run_and_wait(context, wait->value) : run_once(context);
	if (ends_early && context_is_stopped(context) && status == STATUS_DONE &&
	    context->request->passed)
		*context->request->passed =
			(struct passed_status){ .is_set = true, .status = 128 + signals_first() };
	context->plan.execution.environment.stop = NULL;
	if (stop.is_asked)
		signals_settle();
	return status;
}

enum status dispatch_run(const struct run_request *request)
{
	struct context context = {
		.request = request,
		.output = request->output,
		.report.output = request->output,
	};
	enum status status = run_command(&context);

	change_list_done(&context.plan.changes);
	if (context.plan.data)
		context.plan.data_done(context.plan.data);
	free(context.plan.data);
	report_done(&context.report);
	return status;
}

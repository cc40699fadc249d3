// SPDX-License-Identifier: GPL-2.0-only
/* Applies a document as one transaction and takes it back. The machine is opened anew before each
 * comparison, since CPUs may have come online. */
#include "state/apply.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/device.h"
#include "host/run_directory.h"
#include "host/topology.h"

void comparing_done(struct comparing *comparing)
{
	comparison_done(&comparing->comparison);
	wanted_done(&comparing->wanted);
	state_machine_done(&comparing->state);
	*comparing = (struct comparing){ 0 };
}

int comparison_refuse(const struct comparison *comparison, struct report *report)
{
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_free_ char *text = NULL;
	int err = comparison_write(comparison, ", wanted ", &lines);
	char *rest;

	text = err ? NULL : strdup(buffer_text(&lines));
	if (!text)
		return -ENOMEM;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		report_add(report, REPORT_REFUSED, "after all writes this still differs: %s", line);
	return 0;
}

static void close_machine(struct state_apply *apply)
{
	platform_close(&apply->platform);
	machine_close(&apply->machine);
}

/* Opens the machine; without Speed Select, the rest of it is there. A failure is reported. */
static int open_machine(struct state_apply *apply)
{
	const struct platform_options options = {
		.channel.tries = 3,
		.channel.stop = apply->environment.stop,
	};
	_cleanup_free_ char *message = NULL, *unavailable = NULL;
	int err;

	close_machine(apply);
	err = machine_open(apply->host, &apply->machine, &message);
	if (err) {
		report_add(apply->report, REPORT_REFUSED, "the machine cannot be read: %s",
			   message ?: strerror(-err));
		return err == -ENOMEM ? err : -ECANCELED;
	}
	err = platform_open(apply->machine, &options, &apply->platform, &unavailable);
	if (!err && apply->platform->transport)
		err = device_keep(&apply->device, apply->host, &apply->platform->channel);
	if (err && err != -ENOMEM && apply->document->has_sst) {
		report_add(apply->report, report_kind_of(err), "%s: %s", apply->document->file,
			   unavailable ?: strerror(-err));
		return -ECANCELED;
	}
	return err == -ENOMEM ? err : 0;
}

int state_apply_compare(struct state_apply *apply, bool is_planned)
{
	struct comparing *comparing = &apply->comparing;
	int err;

	comparing_done(comparing);
	err = open_machine(apply);
	if (err)
		return err == -ECANCELED ? 0 : err;
	err = state_machine_init(&comparing->state, apply->machine, apply->platform, true);
	if (!err)
		err = wanted_resolve(&comparing->wanted, apply->document, &comparing->state,
				     apply->report);
	if (!err && !report_has(apply->report, REPORT_USAGE) &&
	    !report_has(apply->report, REPORT_UNSUPPORTED))
		err = comparison_make(&comparing->wanted, is_planned, &comparing->comparison);
	return err;
}

static struct transaction_environment environment_of(const struct state_apply *apply)
{
	struct transaction_environment environment = apply->environment;

	environment.files = apply->host->files;
	environment.channel = device_channel(apply->device);
	return environment;
}

static void end_transaction(struct state_apply *apply)
{
	transaction_free(&apply->transaction);
	change_list_done(&apply->plan);
}

/* Carries out one stage. */
static int make_changes(struct state_apply *apply)
{
	const struct transaction_environment environment = environment_of(apply);
	const struct transaction_outcome *outcome;
	int err = apply->transaction ? 0 : transaction_new(&apply->plan, &apply->transaction);

	for (size_t i = 0; i < apply->plan.n_changes && environment.keeps_changes; i++)
		apply->plan.changes[i].is_optional = true;
	if (!err)
		err = transaction_continue(apply->transaction, &environment);
	if (err)
		return err;
	outcome = transaction_get_outcome(apply->transaction);
	if (!outcome->failed)
		return 0;
	if (apply->report_outcome)
		apply->report_outcome(apply->report, apply->platform, &apply->plan, outcome);
	else
		report_add(apply->report, REPORT_REFUSED, "%s: %s",
			   apply->plan.changes[outcome->failure.change].what,
			   strerror(-outcome->failure.error));
	return -ECANCELED;
}

/* Plans and carries out what was compared: as one stage, or, before the machine is read again, as
 * the first of two. */
static int run_stage(struct state_apply *apply, bool is_second, bool *ret_more)
{
	const struct comparison *comparison = &apply->comparing.comparison;
	bool needs_stages = !is_second && comparison_needs_stages(comparison);
	int err = comparison_plan(&apply->comparing.comparison,
				  needs_stages ? STAGE_CPUS : STAGE_ALL, &apply->plan);

	if (!err && report_has_problem(apply->report))
		err = -ECANCELED;
	if (!err && apply->before)
		err = apply->before(apply->data, comparison);
	/* nothing may be written while it lives */
	comparing_done(&apply->comparing);
	/* The map keeps the places of the CPUs that go offline. */
	if (!err && !is_second)
		cpu_map_write(apply->host->files, apply->host->run_directory,
			      &apply->machine->topology);
	if (!err)
		err = make_changes(apply);
	*ret_more = needs_stages;
	return err;
}

/* Reads everything that the document names once more. */
static int verify(struct state_apply *apply)
{
	int err = state_apply_compare(apply, false);

	if (!err && !report_has_problem(apply->report) && apply->comparing.comparison.count)
		err = comparison_refuse(&apply->comparing.comparison, apply->report);
	comparing_done(&apply->comparing);
	return !err && report_has_problem(apply->report) ? -ECANCELED : err;
}

int state_apply_make(struct state_apply *apply)
{
	bool has_more = false;
	int err = run_stage(apply, false, &has_more);

	if (!err && has_more)
		err = state_apply_compare(apply, true);
	if (!err && has_more)
		err = report_has_problem(apply->report) ? -ECANCELED
							: run_stage(apply, true, &has_more);
	return err;
}

int state_apply_carry_out(struct state_apply *apply)
{
	const bool drops_notes = apply->report->drops_notes;
	int err;

	apply->report->drops_notes = true;
	err = state_apply_make(apply);
	if (!err)
		err = verify(apply);
	apply->report->drops_notes = drops_notes;
	if (!err)
		return 0;
	comparing_done(&apply->comparing);
	if (apply->transaction && !transaction_get_outcome(apply->transaction)->failed)
		state_apply_undo(apply);
	end_transaction(apply);
	return err;
}

int state_apply_undo(struct state_apply *apply)
{
	const struct transaction_environment environment = environment_of(apply);
	const struct transaction_outcome *outcome;
	size_t left;

	if (!apply->transaction)
		return 0;
	transaction_undo(apply->transaction, &environment);
	outcome = transaction_get_outcome(apply->transaction);
	left = outcome->n_not_rolled_back;
	for (size_t i = 0; i < left; i++) {
		const struct transaction_failure *failure = &outcome->not_rolled_back[i];
		const struct change *change = &apply->plan.changes[failure->change];
		_cleanup_free_ char *name = change_format_name(change);
		_cleanup_free_ char *old = change_format_old(change);

		report_add(apply->report, REPORT_REFUSED, "%s: not undone: %s; it was %s",
			   name ?: change->what,
			   transaction_find_cause(change, failure, apply->host, environment.channel)
				   .text,
			   old ?: "other");
	}
	end_transaction(apply);
	return left ? -EIO : 0;
}

void state_apply_done(struct state_apply *apply)
{
	comparing_done(&apply->comparing);
	end_transaction(apply);
	close_machine(apply);
	device_release(&apply->device);
}

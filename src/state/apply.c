// SPDX-License-Identifier: GPL-2.0-only
/* Applies a document as one transaction. The machine is read again before each comparison, since
 * CPUs may have come online. */
#include "state/apply.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/device.h"
#include "host/run_directory.h"
#include "host/topology.h"
#include "settings/families.h"

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

/* Opens the machine. Without Speed Select, fails if the document needs it. Reports a failure. */
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

/* Notes offline CPUs whose locations are unknown: entries for "all" and packages do not apply to
 * them. CPUs whose "online" the document sets by number are left out. Returns 0 or -ENOMEM. */
static int note_unplaced(struct state_apply *apply)
{
	const struct wanted_state *wanted = &apply->comparing.wanted;
	const struct place_list *cpus = &wanted->state->places[PLACE_CPU];
	const struct state_row *row = state_rows_find(&wanted->rows, online_row.setting, 0, NULL);
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	_cleanup_free_ char *list = NULL;

	if (topology_find_unplaced(&apply->machine->topology, &unplaced))
		return -ENOMEM;
	for (size_t i = 0; row && i < cpus->count; i++) {
		if (row->values[i].kind != STATE_NONE)
			cpuset_remove(&unplaced, cpus->list[i].cpu);
	}
	if (cpuset_is_empty(&unplaced))
		return 0;
	list = cpuset_format_ranges(&unplaced);
	report_add(apply->report, REPORT_NOTE,
		   "CPUs %s are offline, and no map of this boot has their locations: entries "
		   "for \"all\" or for a package do not apply to them, nor to a package "
		   "that has no other CPUs",
		   list ?: "");
	return 0;
}

static int compare(struct state_apply *apply, bool is_planned)
{
	struct comparing *comparing = &apply->comparing;
	int err = state_machine_init(&comparing->state, apply->machine, apply->platform, true);

	comparing->state.zones = steal(apply->zones);
	if (!err)
		err = wanted_resolve(&comparing->wanted, apply->document, &comparing->state,
				     apply->report);
	if (!err && apply->notes_unplaced && apply->platform && apply->document->has_sst)
		err = note_unplaced(apply);
	if (!err)
		err = comparison_make(&comparing->wanted, is_planned, &comparing->comparison);
	return err;
}

int state_apply_compare(struct state_apply *apply, bool is_planned)
{
	const bool drops_notes = apply->report->drops_notes;
	int err;

	comparing_done(&apply->comparing);
	err = apply->open ? apply->open(apply) : open_machine(apply);
	if (err)
		return err == -ECANCELED ? 0 : err;
	apply->report->drops_notes = drops_notes || apply->is_compared;
	err = compare(apply, is_planned);
	apply->report->drops_notes = drops_notes;
	apply->is_compared = true;
	return err;
}

static struct transaction_environment environment_of(const struct state_apply *apply)
{
	struct transaction_environment environment = apply->environment;

	environment.files = apply->host->files;
	environment.channel = device_channel(apply->device);
	return environment;
}

/* Carries out one stage. */
static int make_changes(struct state_apply *apply)
{
	const struct transaction_environment environment = environment_of(apply);
	struct change_list *plan = apply->plan;
	const struct transaction_outcome *outcome;
	int err = apply->transaction ? 0 : transaction_new(plan, &apply->transaction);

	for (size_t i = 0; i < plan->n_changes && environment.keeps_changes; i++)
		plan->changes[i].is_optional = true;
	/* The map keeps the locations of CPUs that go offline. */
	cpu_map_write(apply->host->files, apply->host->run_directory, &apply->machine->topology);
	if (!err)
		err = transaction_continue(apply->transaction, &environment);
	if (err)
		return err;
	outcome = transaction_get_outcome(apply->transaction);
	if (!outcome->failed)
		return 0;
	if (apply->report_outcome)
		apply->report_outcome(apply->report, apply->platform, plan, outcome);
	else
		report_add(apply->report, REPORT_REFUSED, "%s: %s",
			   plan->changes[outcome->failure.change].what,
			   strerror(-outcome->failure.error));
	return -ECANCELED;
}

/* Plans and carries out all differences, or the first of two stages: the machine is read again
 * before the second (*ret_more). */
static int run_stage(struct state_apply *apply, bool is_second, bool *ret_more)
{
	struct comparison *comparison = &apply->comparing.comparison;
	int err = apply->before ? apply->before(apply->data, comparison) : 0;

	*ret_more = !is_second && comparison_needs_stages(comparison);
	if (!err)
		err = comparison_plan(comparison, *ret_more ? STAGE_CPUS : STAGE_ALL, apply->plan);
	if (!err && report_has_problem(apply->report))
		err = -ECANCELED;
	if (!err && !comparison->count && !apply->plan->n_changes)
		return 0;
	comparing_done(&apply->comparing);
	if (err)
		return err;
	return apply->make ? apply->make(apply) : make_changes(apply);
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
	const struct comparison *comparison = &apply->comparing.comparison;
	int err = state_apply_make(apply);

	/* if nothing was written, the comparison is still valid */
	if (err || comparison->wanted)
		return err;
	err = state_apply_compare(apply, false);
	if (!err && !report_has_problem(apply->report) && comparison->count)
		err = comparison_refuse(comparison, apply->report);
	return !err && report_has_problem(apply->report) ? -ECANCELED : err;
}

void state_apply_undo(struct state_apply *apply)
{
	const struct transaction_environment environment = environment_of(apply);
	const struct transaction_outcome *outcome;

	if (!apply->transaction || transaction_get_outcome(apply->transaction)->failed)
		return;
	transaction_undo(apply->transaction, &environment);
	outcome = transaction_get_outcome(apply->transaction);
	for (size_t i = 0; i < outcome->n_not_rolled_back; i++) {
		const struct transaction_failure *failure = &outcome->not_rolled_back[i];
		const struct change *change = &apply->plan->changes[failure->change];
		_cleanup_free_ char *name = change_format_name(change);
		_cleanup_free_ char *old = change_format_old(change);

		report_add(apply->report, REPORT_REFUSED, "%s: not undone: %s; it was %s",
			   name ?: change->what,
			   transaction_find_cause(change, failure, apply->host, environment.channel)
				   .text,
			   old ?: "other");
	}
}

void state_apply_done(struct state_apply *apply)
{
	comparing_done(&apply->comparing);
	transaction_free(&apply->transaction);
	if (!apply->open)
		close_machine(apply);
	device_release(&apply->device);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Carries out the changes of a command, or shows them for --dry-run, and reports their outcome
 * (commands.md, "Safety of every setting command"). Changes that differ only in a number or in
 * their CPU share one line or one name. */
#include "run/carry_out.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "choose/priority.h"
#include "host/change_log.h"

static const char *const out_of_memory = "out of memory";

/* The texts that show a change; NULL: no memory. */
struct line {
	char *target;
	char *old;
	char *new;
};

static struct line format_line(const struct change *change)
{
	return (struct line){
		.target = change->target.ops->format_place(&change->target, &change->value),
		.old = change_format_old(change),
		.new = change_format_new(change),
	};
}

static void line_done(struct line *line)
{
	free(line->target);
	free(line->old);
	free(line->new);
}

/* Changes of one package, die and power domain that differ only in a last number or in their CPU:
 * they share a line. */
struct group {
	const struct change *first;
	size_t count;
	size_t stem_length; /* of first->what without its last number */
	struct cpuset numbers; /* the last numbers */
	struct cpuset cpus; /* of the changes that are of one CPU */
};

struct groups {
	struct group *list; /* in the order of their first changes */
	size_t count;
	bool is_each; /* each change has a group of its own */
	bool by_value; /* only changes with the same old and new value share a group */
};

/* A command may have thousands of groups: only the latest are compared with a change. */
#define MOST_COMPARED 64

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		cpuset_done(&groups->list[i].numbers);
		cpuset_done(&groups->list[i].cpus);
	}
	free(groups->list);
}

/* Splits "CLOS 3" into the length of "CLOS" and 3. Without a number, *ret_number is CPUSET_NONE. */
static size_t split(const char *what, uint32_t *ret_number)
{
	const char *blank = strrchr(what, ' ');
	uint64_t number;

	*ret_number = CPUSET_NONE;
	if (!blank || number_parse(blank + 1, 0, CPUSET_MAX_CPU, &number))
		return strlen(what);
	*ret_number = (uint32_t)number;
	return (size_t)(blank - what);
}

static bool belongs(const struct groups *groups, const struct group *group,
		    const struct change *change, size_t stem_length)
{
	const struct change *first = group->first;
	const struct location *of = &first->location, *location = &change->location;

	return of->package == location->package &&
	       (of->package == LOCATION_NO_PACKAGE || of->die == location->die) &&
	       of->has_power_domain == location->has_power_domain &&
	       of->power_domain == location->power_domain && group->stem_length == stem_length &&
	       strncmp(group->first->what, change->what, stem_length) == 0 &&
	       (!groups->by_value || (first->target.ops == change->target.ops &&
				      first->has_old_value == change->has_old_value &&
				      target_value_equal(&first->old_value, &change->old_value) &&
				      target_value_equal(&first->value, &change->value) &&
				      strcmp(first->new_text ?: "", change->new_text ?: "") == 0));
}

/* Returns the group of a change, which may be a new group. */
static struct group *find_group(struct groups *groups, const struct change *change,
				size_t stem_length)
{
	size_t first = groups->count > MOST_COMPARED ? groups->count - MOST_COMPARED : 0;
	struct group *group;

	for (size_t i = groups->count; i > first && !groups->is_each; i--) {
		if (belongs(groups, &groups->list[i - 1], change, stem_length))
			return &groups->list[i - 1];
	}
	group = &groups->list[groups->count++];
	*group = (struct group){ .first = change, .stem_length = stem_length };
	return group;
}

/* Groups changes[0..count-1] in *groups, whose list is empty. Returns 0 or -ENOMEM. */
static int make_groups(const struct change *const *changes, size_t count, struct groups *groups)
{
	groups->list = calloc(count ?: 1, sizeof(*groups->list));
	if (!groups->list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t number, cpu = changes[i]->location.cpu;
		struct group *group =
			find_group(groups, changes[i], split(changes[i]->what, &number));
		int err = number != CPUSET_NONE ? cpuset_add(&group->numbers, number) : 0;

		if (!err && cpu != LOCATION_NO_CPU)
			err = cpuset_add(&group->cpus, cpu);
		if (err)
			return err;
		group->count++;
	}
	return 0;
}

/* " package-0 die-0 cpus 0-13 scaling_max_freq: 3200000 -> 2600000 (14 writes)" */
static void write_group(const struct group *group, FILE *to)
{
	const struct change *change = group->first;
	bool has_numbers = !cpuset_is_empty(&group->numbers);
	_cleanup_free_ char *place = location_format(&change->location);
	_cleanup_(line_done) struct line line = format_line(change);

	if (group->count == 1) {
		fprintf(to, " %s %s: %s -> %s", line.target ?: out_of_memory, change->what,
			line.old ?: out_of_memory, line.new ?: out_of_memory);
		return;
	}
	fprintf(to, " %s%s", place ?: "", place && *place ? " " : "");
	if (!has_numbers && !cpuset_is_empty(&group->cpus)) {
		fputs("cpus ", to);
		cpuset_write_ranges(&group->cpus, to);
		fputc(' ', to);
	}
	fprintf(to, "%.*s", (int)group->stem_length, change->what);
	if (has_numbers) {
		fputs(cpuset_is_empty(&group->cpus) ? " " : "s ", to);
		cpuset_write_ranges(&group->numbers, to);
	}
	fprintf(to, ": %s -> %s (%zu writes)", line.old ?: out_of_memory, line.new ?: out_of_memory,
		group->count);
}

static void put_member(struct output *output, const struct change *change, size_t number)
{
	_cleanup_(line_done) struct line line = format_line(change);
	_cleanup_scope_ struct output_scope scope = output_enter(output, "write-%zu", number);

	output_value(output, "what", "%s", change->what);
	output_value(output, "where", "%s", line.target ?: out_of_memory);
	output_value(output, "old", "%s", line.old ?: out_of_memory);
	output_value(output, "new", "%s", line.new ?: out_of_memory);
}

int carry_out_show(struct output *output, const struct change_list *plan, bool each)
{
	size_t count = plan->n_changes;
	_cleanup_free_ const struct change **writes = calloc(count ?: 1, sizeof(*writes));
	_cleanup_(groups_done) struct groups groups = { .is_each = each, .by_value = true };

	if (!writes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		writes[i] = &plan->changes[i];
	for (size_t i = 0; i < count && output_is_json(output); i++)
		put_member(output, writes[i], i);
	if (!output_is_json(output) && make_groups(writes, count, &groups))
		return -ENOMEM;
	for (size_t i = 0; i < groups.count; i++) {
		_cleanup_free_ char *line = NULL;
		size_t length;
		FILE *to = open_memstream(&line, &length);

		if (to)
			write_group(&groups.list[i], to);
		output_sentence(output, "%s", to && fclose(to) == 0 ? line : out_of_memory);
	}
	if (count == 0)
		output_note(output, "there is nothing to write");
	return 0;
}

static struct target_cause find_cause(struct platform *platform, const struct change *change,
				      const struct transaction_failure *failure)
{
	return transaction_find_cause(change, failure, platform ? platform->machine->host : NULL,
				      platform ? &platform->channel : NULL);
}

/* "3", "0 to 3", "0-3,8". */
static void write_numbers(const struct cpuset *set, FILE *to)
{
	uint32_t first = cpuset_next(set, 0), last = cpuset_last(set);

	if (first != last && cpuset_count(set) == (size_t)(last - first) + 1)
		fprintf(to, "%u to %u", first, last);
	else
		cpuset_write_ranges(set, to);
}

/* "CLOS 0 to 3 of package-0 die-0", "scaling_max_freq of CPUs 0 to 7 in package-0 die-0" */
static void write_name(const struct group *group, FILE *to)
{
	_cleanup_free_ char *place = location_format(&group->first->location);
	bool has_cpus = !cpuset_is_empty(&group->cpus);

	fprintf(to, "%.*s", (int)group->stem_length, group->first->what);
	if (!cpuset_is_empty(&group->numbers)) {
		fputc(' ', to);
		write_numbers(&group->numbers, to);
	}
	if (has_cpus) {
		fputs(cpuset_count(&group->cpus) == 1 ? " of CPU " : " of CPUs ", to);
		write_numbers(&group->cpus, to);
	}
	if (place && *place)
		fprintf(to, " %s %s", has_cpus ? "in" : "of", place);
}

/* Names the changes undone[0..count-1] in the order of the plan; undone has the order of undoing.
 * Returns a new text; NULL if memory is short. */
static char *name_undone(const struct change *changes, const size_t *undone, size_t count)
{
	_cleanup_free_ const struct change **list = calloc(count ?: 1, sizeof(*list));
	_cleanup_(groups_done) struct groups groups = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to;

	for (size_t i = 0; i < count && list; i++)
		list[i] = &changes[undone[count - 1 - i]];
	if (!list || make_groups(list, count, &groups))
		return NULL;
	to = open_memstream(&text, &length);
	if (!to)
		return NULL;
	for (size_t i = 0; i < groups.count; i++) {
		fputs(i ? ", " : "", to);
		write_name(&groups.list[i], to);
	}
	return fclose(to) ? NULL : steal(text);
}

static void report_undone(struct report *report, struct platform *platform,
			  const struct change *changes, const struct transaction_outcome *outcome)
{
	size_t count = outcome->n_rolled_back;
	_cleanup_free_ char *names = NULL;

	if (count > 0) {
		names = name_undone(changes, outcome->rolled_back, count);
		report_add(report, REPORT_NOTE, "undone: %zu write%s%s%s", count,
			   count == 1 ? "" : "s", names ? ": " : "", names ?: "");
	} else if (outcome->n_not_rolled_back == 0) {
		report_add(report, REPORT_NOTE, "nothing had been changed before that");
	}
	for (size_t i = 0; i < outcome->n_not_rolled_back; i++) {
		const struct transaction_failure *failure = &outcome->not_rolled_back[i];
		const struct change *change = &changes[failure->change];
		const char *cause = find_cause(platform, change, failure).text;
		_cleanup_free_ char *name = change_format_name(change);
		_cleanup_free_ char *old = change_format_old(change);
		_cleanup_free_ char *written = change_format_new(change);

		if (change->has_old_value)
			report_add(report, REPORT_REFUSED,
				   "%s: not undone: %s; it was %s, and %s was written",
				   name ?: change->what, cause, old ?: "other",
				   written ?: "another value");
		else
			report_add(report, REPORT_REFUSED, "%s: not undone: %s; %s was written",
				   name ?: change->what, cause, written ?: "another value");
	}
}

void carry_out_report(struct report *report, struct platform *platform,
		      const struct change_list *plan, const struct transaction_outcome *outcome)
{
	const struct change *changes = plan->changes, *failed;
	_cleanup_free_ char *failed_name = NULL;
	struct target_cause cause;

	for (size_t i = 0; i < outcome->n_notes; i++) {
		const struct transaction_failure *note = &outcome->notes[i];
		const struct change *change = &changes[note->change];
		_cleanup_free_ char *name = change_format_name(change);

		/* A change that the hardware limited is undone with the others. */
		if (note->error || !outcome->failed)
			report_add(report, REPORT_NOTE, "%s: %s%s", name ?: change->what,
				   find_cause(platform, change, note).text,
				   note->error ? "; continuing without it" : "");
	}
	if (!outcome->failed)
		return;
	if (outcome->failure.is_of_record) {
		report_add(report, REPORT_REFUSED, "%s",
			   outcome->failure.reason ?: strerror(-outcome->failure.error));
		report_undone(report, platform, changes, outcome);
		return;
	}
	failed = &changes[outcome->failure.change];
	failed_name = change_format_name(failed);
	cause = find_cause(platform, failed, &outcome->failure);
	/* The failure counts as refused if a change stays in force; else its cause decides. */
	report_add(report,
		   outcome->n_not_rolled_back ? REPORT_REFUSED : report_kind_of(cause.error),
		   "%s: %s", failed_name ?: failed->what, cause.text);
	report_undone(report, platform, changes, outcome);
}

bool carry_out_withdraw(struct context *context)
{
	_cleanup_free_ char *message = NULL;
	int err = priority_withdraw(context->request->host, &message);

	context->plan.execution.is_withdrawn = !err;
	if (err)
		context_refuse(context, NULL, "%s", message ?: strerror(-err));
	return !err;
}

bool carry_out_can_begin(struct context *context)
{
	return !context->plan.changes.n_changes || context->plan.execution.transaction ||
	       carry_out_withdraw(context);
}

void carry_out_publish(struct context *context, enum status status)
{
	_cleanup_cpuset_ struct cpuset packages =
		steal(context->plan.execution.turbo_freq_packages);
	struct host *host = context->request->host;
	_cleanup_priority_ struct priority priority = { 0 };
	_cleanup_free_ char *message = NULL;
	struct priority_known known = {
		.machine = context->machine,
		.answers = context->plan.execution.answers,
	};
	int err;

	if (!context->plan.execution.is_withdrawn &&
	    (status != STATUS_DONE || (cpuset_is_empty(&packages) && priority_is_published(host))))
		return;
	if (context->plan.execution.is_withdrawn) {
		answers_end(known.answers);
		answers_begin(known.answers);
		known.machine = NULL;
	}
	err = priority_publish(host, &known, &priority, &message);
	if (err && err != -ENOTSUP)
		report_add(&context->report, REPORT_NOTE,
			   "which cores are fast is not published: %s", message ?: strerror(-err));
	for (size_t i = 0; i < priority.n_packages && status == STATUS_DONE; i++) {
		const struct priority_package *package = &priority.packages[i];
		_cleanup_free_ char *text = cpuset_has(&packages, package->package)
						    ? priority_explain_turbo_freq(package)
						    : NULL;

		if (text)
			report_add(&context->report, REPORT_NOTE, "%s", text);
	}
}

/* Returns the environment of the transaction, which records its changes in the journal. */
static const struct transaction_environment *open_environment(struct context *context)
{
	struct execution *execution = &context->plan.execution;
	const struct globals *globals = context->request->globals;

	execution->journaled.host = context->request->host;
	if (context->machine)
		execution->journaled.topology = &context->machine->topology;
	execution->journaled.transaction.argc = globals->argc;
	execution->journaled.transaction.argv = globals->argv;
	execution->environment.record = journaled_record;
	execution->environment.record_data = &execution->journaled;
	return &execution->environment;
}

/* Records that the transaction is over. If that fails, all of its changes are undone. */
static void end_record(struct context *context)
{
	struct execution *execution = &context->plan.execution;
	const struct transaction_outcome *outcome = transaction_get_outcome(execution->transaction);
	_cleanup_free_ char *reason = NULL;
	int err = journaled_end(&execution->journaled, &context->plan.changes, outcome, false,
				&reason);

	if (err && !outcome->failed)
		transaction_reject(execution->transaction, open_environment(context), err,
				   steal(reason));
	else if (err)
		report_add(&context->report, REPORT_NOTE, "%s", reason ?: strerror(-err));
}

int carry_out_plan(struct context *context, bool is_last,
		   const struct transaction_outcome **ret_outcome)
{
	struct execution *execution = &context->plan.execution;
	const struct transaction_outcome *outcome;
	int err = execution->transaction
			  ? 0
			  : transaction_new(&context->plan.changes, &execution->transaction);

	if (err)
		return err;
	err = transaction_continue(execution->transaction, open_environment(context));
	if (err)
		return err;
	outcome = transaction_get_outcome(execution->transaction);
	*ret_outcome = outcome;
	execution->is_over = is_last || outcome->failed;
	if (!execution->is_over)
		return 0;
	end_record(context);
	carry_out_report(&context->report, context->platform, &context->plan.changes, outcome);
	return 0;
}

/* Writes a line to syslog if the command has made changes, also if all were undone. */
static void log_changes(struct context *context, enum status status)
{
	const struct globals *globals = context->request->globals;
	size_t count = transaction_count_made(
		transaction_get_outcome(context->plan.execution.transaction));

	if (count)
		change_log_send(context->request->host, globals->argc, globals->argv,
				"status %d, %zu write%s", (int)status, count,
				count == 1 ? "" : "s");
}

/* Ends a command that only reads, whose only change was to bring CPUs online. */
static enum status end_first_stage(struct context *context)
{
	const struct transaction_outcome *outcome =
		transaction_get_outcome(context->plan.execution.transaction);

	context->plan.execution.is_over = true;
	end_record(context);
	if (!outcome->failed)
		return STATUS_DONE;
	carry_out_report(&context->report, context->platform, &context->plan.changes, outcome);
	return STATUS_REFUSED;
}

enum status carry_out_end(struct context *context, enum status status)
{
	struct execution *execution = &context->plan.execution;

	if (execution->transaction && !execution->is_over && status != STATUS_DONE) {
		const struct transaction_outcome *outcome =
			transaction_get_outcome(execution->transaction);

		transaction_undo(execution->transaction, open_environment(context));
		end_record(context);
		report_undone(&context->report, context->platform, context->plan.changes.changes,
			      outcome);
		if (outcome->n_not_rolled_back)
			status = STATUS_REFUSED;
	}
	if (execution->transaction && !execution->is_over && status == STATUS_DONE)
		status = end_first_stage(context);
	if (execution->transaction)
		log_changes(context, status);
	journaled_done(&execution->journaled);
	transaction_free(&execution->transaction);
	return status;
}

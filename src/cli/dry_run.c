// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plan as lines: " cpu-0 mailbox 0x7f/0x08 performance level: 0 -> 1" (commands.md, "Safety of
 * every setting command"). It reads the same steps as the run does.
 */
#include "cli/dry_run.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/cleanup.h"
#include "cli/step_groups.h"
#include "output/output.h"
#include "plan/plan.h"
#include "plan/subject.h"
#include "plan/tpmi_words.h"

static const char *const out_of_memory = "out of memory";

/* Formats into *text, which the caller frees. */
static const char *__attribute__((format(printf, 2, 3)))
format_text(char **text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(text, format, args) < 0)
		*text = NULL;
	va_end(args);
	return *text ?: out_of_memory;
}

static const char *format_mailbox(const struct plan_write *write, char **text)
{
	if (write->parameter == 0)
		return format_text(text, "cpu-%u mailbox 0x%02x/0x%02x", write->cpu, write->command,
				   write->sub_command);
	return format_text(text, "cpu-%u mailbox 0x%02x/0x%02x parameter 0x%x", write->cpu,
			   write->command, write->sub_command, write->parameter);
}

static const char *format_place(const struct plan_write *write, char **text)
{
	switch (write->kind) {
	case PLAN_MAILBOX:
		return format_mailbox(write, text);
	case PLAN_MMIO:
		return format_text(text, "cpu-%u mmio 0x%02x", write->cpu, write->address);
	case PLAN_MSR:
		return format_text(text, "cpu-%u msr 0x%x", write->cpu, write->address);
	case PLAN_TPMI:
		return format_text(text, "package-%u powerdomain-%u ioctl %s", write->package,
				   write->power_domain, tpmi_words_name(write->address));
	case PLAN_FILE:
		return write->path;
	case PLAN_MAKE_DIRECTORY:
		return format_text(text, "mkdir %s", write->path);
	case PLAN_REMOVE_DIRECTORY:
		return format_text(text, "rmdir %s", write->path);
	case PLAN_SAY:
		break;
	}
	return "";
}

static const char *old_value(const struct plan_step *step)
{
	if (step->old_text)
		return step->old_text;
	if (step->write.kind == PLAN_MAKE_DIRECTORY)
		return "absent";
	return step->write.kind == PLAN_REMOVE_DIRECTORY ? "present" : "unknown";
}

static const char *new_value(const struct plan_step *step, char **text)
{
	if (step->new_text)
		return step->new_text;
	switch (step->write.kind) {
	case PLAN_FILE:
		return step->write.text;
	case PLAN_MAKE_DIRECTORY:
		return "present";
	case PLAN_REMOVE_DIRECTORY:
		return "absent";
	case PLAN_MAILBOX:
	case PLAN_MMIO:
	case PLAN_MSR:
	case PLAN_TPMI:
	case PLAN_SAY:
		break;
	}
	return format_text(text, "0x%" PRIx64, step->write.value);
}

/* A write as a member and, with_line, as a line. */
static void put_step(struct output *output, const struct plan_step *step, size_t number,
		     bool with_line)
{
	_cleanup_free_ char *name = NULL, *line = NULL, *place = NULL, *value = NULL;
	const char *where = format_place(&step->write, &place);
	const char *old = old_value(step), *new = new_value(step, &value);
	const struct output_cell cells[] = {
		{ .name = "what", .value = step->what },
		{ .name = "where", .value = where },
		{ .name = "old", .value = old },
		{ .name = "new", .value = new },
	};

	output_row(output,
		   with_line ? format_text(&line, "%s %s: %s -> %s", where, step->what, old, new)
			     : NULL,
		   format_text(&name, "write-%zu", number), cells, ARRAY_SIZE(cells));
}

/* "package-0 die-0 cpus 0-13 scaling_max_freq: 3200000 -> 2600000 (14 writes)" */
static void write_group(const struct step_group *group, FILE *to)
{
	const struct plan_step *step = group->first;
	bool has_numbers = !cpuset_is_empty(&group->numbers);
	_cleanup_free_ char *place = subject_name_place(&step->subject), *value = NULL;

	fprintf(to, " %s%s", place ?: "", place && *place ? " " : "");
	if (!has_numbers && !cpuset_is_empty(&group->cpus)) {
		fputs("cpus ", to);
		cpuset_write_ranges(&group->cpus, to);
		fputc(' ', to);
	}
	fprintf(to, "%.*s", (int)group->stem_length, step->what);
	if (has_numbers) {
		fputs(cpuset_is_empty(&group->cpus) ? " " : "s ", to);
		cpuset_write_ranges(&group->numbers, to);
	}
	fprintf(to, ": %s -> %s (%zu writes)", old_value(step), new_value(step, &value),
		group->count);
}

static void put_group(struct output *output, const struct step_group *group)
{
	_cleanup_free_ char *line = NULL;
	size_t length;
	FILE *to = open_memstream(&line, &length);

	if (to)
		write_group(group, to);
	output_sentence(output, to && fclose(to) == 0 ? line : out_of_memory, NULL, NULL);
}

/* The lines of like writes; one that is alone has the line that it has in full. */
static void put_groups(struct output *output, const struct step_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct step_group *group = &groups->list[i];
		_cleanup_free_ char *line = NULL, *place = NULL, *value = NULL;
		const struct plan_step *step = group->first;

		if (group->count > 1) {
			put_group(output, group);
			continue;
		}
		output_sentence(output,
				format_text(&line, " %s %s: %s -> %s",
					    format_place(&step->write, &place), step->what,
					    old_value(step), new_value(step, &value)),
				NULL, NULL);
	}
}

size_t dry_run_put(struct output *output, const struct plan *plan, bool each)
{
	size_t count, n_writes = 0;
	const struct plan_step *steps = plan_steps(plan, &count);
	_cleanup_free_ const struct plan_step **writes = calloc(count ?: 1, sizeof(*writes));
	_cleanup_step_groups_ struct step_groups groups = { 0 };

	for (size_t i = 0; i < count && writes; i++) {
		if (steps[i].write.kind != PLAN_SAY)
			writes[n_writes++] = &steps[i];
	}
	each = each || !writes || step_groups_make(writes, n_writes, true, &groups);
	n_writes = 0;
	for (size_t i = 0; i < count; i++) {
		if (steps[i].write.kind != PLAN_SAY)
			put_step(output, &steps[i], n_writes++, each);
	}
	if (!each)
		put_groups(output, &groups);
	return n_writes;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Computes the figures of a complete run from those of its CPUs and packages. */
#include "measure/run_figures.h"

#include <string.h>

#include "measure/run.h"

/* The field of a figure in trial_sample_fields. */
static const struct json_field *field_of(enum run_figure figure)
{
	return json_find_field(trial_sample_fields, offsetof(struct trial_sample, figures) +
							    figure * sizeof(struct figure));
}

const char *run_figure_name(enum run_figure figure)
{
	return field_of(figure)->name;
}

enum run_figure run_figure_find(const char *name)
{
	enum run_figure figure = 0;

	while (figure < RUN_FIGURES && strcmp(run_figure_name(figure), name) != 0)
		figure++;
	return figure;
}

const char *run_figure_find_lack(const struct run_job *job, enum run_figure figure)
{
	if (figure == RUN_SECONDS && !job->command)
		return "only a command has it";
	if ((figure == RUN_USECS_PER_OP || figure == RUN_OPS_PER_SECOND) && !job->has_pipe)
		return "only --pipe has it";
	return NULL;
}

/* A figure of a part of the run (NULL: no such part), or why it is missing. */
static struct figure get_of(const struct figure *figure, const char *without)
{
	if (!figure)
		return figure_make_missing(without);
	return figure_is_known(figure)
		       ? *figure
		       : figure_make_missing(figure->about ?: "it was not measured");
}

/* The weight of a CPU: the frequency of an idle CPU is not significant. */
static double weigh(const struct run_cpu *cpu)
{
	if (figure_is_known(&cpu->busy_percent))
		return cpu->busy_percent.value;
	return figure_is_known(&cpu->load_cpu_percent) ? cpu->load_cpu_percent.value : 1;
}

static struct figure get_mhz(const struct run_window *window)
{
	double sum = 0, weights = 0;
	const char *reason = NULL;

	for (size_t i = 0; i < window->n_cpus; i++) {
		const struct run_cpu *cpu = &window->cpus[i];

		if (!figure_is_known(&cpu->mhz)) {
			reason = reason ?: figure_why(&cpu->mhz);
			continue;
		}
		sum += weigh(cpu) * cpu->mhz.value;
		weights += weigh(cpu);
	}
	if (weights > 0)
		return figure_make_exact(sum / weights);
	if (figure_is_known(&window->process.mhz))
		return window->process.mhz;
	return figure_make_missing(figure_why(&window->process.mhz)
					   ?: reason
					   ?: "no CPU was measured");
}

/* The sum of the figures with this name over all packages; missing if one of them is missing. */
static struct figure add_packages(const struct run_window *window, const char *name)
{
	const struct json_field *field = run_package_fields;
	double sum = 0;

	if (window->n_packages == 0)
		return figure_make_missing("no package was measured");
	while (strcmp(field->name, name) != 0)
		field++;
	for (size_t i = 0; i < window->n_packages; i++) {
		const struct figure figure = get_of(
			(const void *)((const char *)&window->packages[i] + field->offset), NULL);

		if (!figure_is_known(&figure))
			return figure;
		sum += figure.value;
	}
	return figure_make_exact(sum);
}

struct figure run_figure_get(const struct run_window *window, enum run_figure figure)
{
	const struct run_pipe *pipe = window->has_pipe ? &window->pipe : NULL;
	struct figure found;

	switch (figure) {
	case RUN_SECONDS:
		found = get_of(window->has_process ? &window->process.seconds : NULL,
			       "only a command has a duration of its own");
		break;
	case RUN_USECS_PER_OP:
		found = get_of(pipe ? &pipe->usecs_per_op : NULL, "there was no pipe");
		break;
	case RUN_OPS_PER_SECOND:
		found = get_of(pipe ? &pipe->ops_per_second : NULL, "there was no pipe");
		break;
	case RUN_MHZ:
		found = get_mhz(window);
		break;
	case RUN_FIGURES:
		return figure_make_missing(NULL);
	default:
		found = add_packages(window, run_figure_name(figure));
	}
	return figure_is_known(&found) && found.value <= 0 ? figure_make_missing("it was 0")
							   : found;
}

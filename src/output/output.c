// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of nodes. Which renderer is behind it, and whether errors are lines on stderr or part
 * of what is rendered, is decided once, when it is opened (output.md, "Where it goes").
 */
#include "output/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/renderer.h"
#include "output/sink.h"

struct output {
	struct renderer *renderer;
	enum output_format format;
	struct sink sink;
	bool keeps_messages; /* errors and notes are among the results */
	size_t mask_words;
	int error; /* the first that a renderer returned */
};

/* Formats into *text, which the caller frees; remembers running out of memory. */
static const char *__attribute__((format(printf, 3, 0)))
format_text(struct output *output, char **text, const char *format, va_list args)
{
	if (vasprintf(text, format, args) < 0) {
		*text = NULL;
		output->error = output->error ?: -ENOMEM;
		return "";
	}
	return *text;
}

static void keep_error(struct output *output, int err)
{
	output->error = output->error ?: err;
}

/* A path may be a standard stream, as /dev/stdout is: what others wrote there must stay. */
static void choose_stream(struct output *output)
{
	struct sink *sink = &output->sink;

	if (sink->kind == SINK_PATH && sink_is_stream(sink, stderr))
		sink->kind = SINK_STDERR;
	else if (sink->kind == SINK_PATH && sink_is_stream(sink, stdout))
		sink->kind = SINK_STDOUT;
	output->keeps_messages = sink->kind == SINK_STDERR ||
				 (output->format == OUTPUT_JSON && sink_is_stream(sink, stderr));
}

int output_open(enum output_format format, const char *path, bool to_stdout,
		struct output **ret_output)
{
	struct output *output = calloc(1, sizeof(*output));
	int err;

	if (!output)
		return -ENOMEM;
	err = format == OUTPUT_JSON ? renderer_new_json(&output->renderer)
				    : renderer_new_text(&output->renderer);
	if (err) {
		free(output);
		return err;
	}
	output->format = format;
	output->sink = sink_choose(path, to_stdout);
	choose_stream(output);
	output->mask_words = 1;
	*ret_output = output;
	return 0;
}

void output_close(struct output **output)
{
	if (*output) {
		(*output)->renderer->ops->free((*output)->renderer);
		free(*output);
	}
	*output = NULL;
}

void output_set_mask_words(struct output *output, size_t n_words)
{
	output->mask_words = n_words;
}

struct output_scope output_enter_place(struct output *output, const struct output_place *place)
{
	keep_error(output, output->renderer->ops->enter_place(output->renderer, place));
	return (struct output_scope){ .output = output };
}

struct output_scope output_enter(struct output *output, const char *format, ...)
{
	_cleanup_free_ char *name = NULL;
	va_list args;

	va_start(args, format);
	format_text(output, &name, format, args);
	va_end(args);
	keep_error(output, output->renderer->ops->enter(output->renderer, name ?: ""));
	return (struct output_scope){ .output = output };
}

void output_leave(struct output_scope *scope)
{
	struct output *output = scope->output;

	if (!output)
		return;
	scope->output = NULL;
	output->renderer->ops->leave(output->renderer);
}

static void put_value(struct output *output, const char *name, const char *value)
{
	keep_error(output, output->renderer->ops->value(output->renderer, name, value));
}

void output_value(struct output *output, const char *name, const char *format, ...)
{
	_cleanup_free_ char *value = NULL;
	va_list args;

	va_start(args, format);
	put_value(output, name, format_text(output, &value, format, args));
	va_end(args);
}

void output_cpu_count(struct output *output, const char *name, const struct cpuset *cpus)
{
	output_value(output, name, "%zu", cpuset_count(cpus));
}

/* Puts what write_cpus writes: a mask of n_words words, or (n_words 0) a list. */
static void put_cpus(struct output *output, const char *name, const struct cpuset *cpus,
		     size_t n_words)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to) {
		keep_error(output, -ENOMEM);
		return;
	}
	if (n_words)
		cpuset_write_mask(cpus, n_words, to);
	else
		cpuset_write_list(cpus, to);
	if (fclose(to))
		keep_error(output, -ENOMEM);
	else
		put_value(output, name, text);
}

void output_cpu_mask(struct output *output, const char *name, const struct cpuset *cpus)
{
	put_cpus(output, name, cpus, output->mask_words);
}

void output_cpu_list(struct output *output, const char *name, const struct cpuset *cpus)
{
	put_cpus(output, name, cpus, 0);
}

void output_row(struct output *output, const char *line, const char *name,
		const struct output_cell *cells, size_t n_cells)
{
	keep_error(output,
		   output->renderer->ops->row(output->renderer, line, name, cells, n_cells));
}

void output_sentence(struct output *output, const char *sentence, const char *name,
		     const char *value)
{
	keep_error(output,
		   output->renderer->ops->sentence(output->renderer, sentence, name, value));
}

void output_information(struct output *output, const char *message)
{
	keep_error(output,
		   output->renderer->ops->message(output->renderer, "Information", message));
}

/* A message goes where stderr goes: into the results, in order, where that is their file. */
static void __attribute__((format(printf, 3, 0)))
put_message(struct output *output, const char *kind, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;
	const char *message = format_text(output, &text, format, args);

	if (output->keeps_messages)
		keep_error(output, output->renderer->ops->message(output->renderer, kind, message));
	else
		fprintf(stderr, "%s: %s\n", kind, message);
}

void output_error(struct output *output, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(output, "Error", format, args);
	va_end(args);
}

void output_warning(struct output *output, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(output, "Warning", format, args);
	va_end(args);
}

void output_note(struct output *output, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(output, "Information", format, args);
	va_end(args);
}

void output_remark(struct output *output, const char *format, ...)
{
	va_list args;

	if (output->format == OUTPUT_JSON && output->keeps_messages)
		return;
	va_start(args, format);
	put_message(output, "Information", format, args);
	va_end(args);
}

bool output_shares(const struct output *output, FILE *stream)
{
	return sink_is_stream(&output->sink, stream);
}

int output_check(const struct output *output)
{
	return sink_check(&output->sink);
}

int output_finish(struct output *output)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = output->renderer->ops->finish(output->renderer, &text, &length);

	if (err || output->error)
		return output->error ?: err;
	return sink_write(&output->sink, text, length);
}

const char *output_problem(const struct output *output, int err)
{
	return sink_problem(&output->sink, err);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The stream of nodes. Its renderer, and whether errors are lines on stderr or part of the results,
 * is decided once, when it is opened (output.md, "Where it goes"). */
#include "output/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "output/renderer.h"
#include "output/sink.h"

struct output {
	struct renderer *renderer;
	struct renderer *shown; /* while results are dropped: the renderer of those that are not */
	enum output_format format;
	struct sink sink;
	bool keeps_messages; /* errors and notes are among the results */
	size_t mask_words;
	struct buffer text; /* of the value or message that is being put */
};

/* Formats into the stream's own text, which the next one replaces. */
static const char *__attribute__((format(printf, 2, 0)))
format_text(struct output *output, const char *format, va_list args)
{
	buffer_clear(&output->text);
	buffer_append_format(&output->text, format, args);
	return buffer_text(&output->text);
}

int output_open(enum output_format format, const char *path, bool to_stdout,
		struct output **ret_output)
{
	struct output *output = calloc(1, sizeof(*output));
	struct sink sink = sink_choose(path, to_stdout);
	int err;

	if (!output)
		return -ENOMEM;
	err = format == OUTPUT_JSON ? renderer_new_json(&output->renderer)
				    : renderer_new_text(&output->renderer);
	if (err) {
		free(output);
		return err;
	}
	/* A path may be a standard stream, as /dev/stdout is: what others wrote there must stay. */
	if (sink.kind == SINK_PATH && sink_is_stream(&sink, stderr))
		sink.kind = SINK_STDERR;
	else if (sink.kind == SINK_PATH && sink_is_stream(&sink, stdout))
		sink.kind = SINK_STDOUT;
	output->format = format;
	output->sink = sink;
	output->keeps_messages = sink.kind == SINK_STDERR ||
				 (format == OUTPUT_JSON && sink_is_stream(&sink, stderr));
	output->mask_words = 1;
	*ret_output = output;
	return 0;
}

void output_close(struct output **output)
{
	if (*output) {
		output_release(*output);
		(*output)->renderer->ops->free((*output)->renderer);
		buffer_done(&(*output)->text);
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
	output->renderer->ops->enter_place(output->renderer, place);
	return (struct output_scope){ .output = output };
}

struct output_scope output_enter(struct output *output, const char *format, ...)
{
	const char *name;
	va_list args;

	va_start(args, format);
	name = format_text(output, format, args);
	va_end(args);
	output->renderer->ops->enter(output->renderer, name);
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
	output->renderer->ops->value(output->renderer, name, value);
}

void output_value(struct output *output, const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_value(output, name, format_text(output, format, args));
	va_end(args);
}

void output_known_text(struct output *output, const char *name, const char *text)
{
	if (text)
		output_value(output, name, "%s", text);
}

void output_known_mhz(struct output *output, const char *name, uint32_t khz)
{
	char mhz[NUMBER_MHZ_SIZE];

	if (!khz)
		return;
	number_format_mhz(khz, mhz);
	output_value(output, name, "%s", mhz);
}

void output_number(struct output *output, const char *name, uint64_t number, const char *unit)
{
	buffer_clear(&output->text);
	buffer_append_number(&output->text, number);
	buffer_append_string(&output->text, unit);
	put_value(output, name, buffer_text(&output->text));
}

void output_cpu_mask(struct output *output, const char *name, const struct cpuset *cpus)
{
	buffer_clear(&output->text);
	cpuset_append_mask(cpus, output->mask_words, &output->text);
	put_value(output, name, buffer_text(&output->text));
}

void output_cpu_list(struct output *output, const char *name, const struct cpuset *cpus)
{
	buffer_clear(&output->text);
	cpuset_append_list(cpus, &output->text);
	put_value(output, name, buffer_text(&output->text));
}

void output_row(struct output *output, const char *line, const char *name,
		const struct output_cell *cells, size_t n_cells)
{
	output->renderer->ops->row(output->renderer, line, name, cells, n_cells);
}

void output_fact(struct output *output, const char *sentence, const char *name, const char *value)
{
	output->renderer->ops->sentence(output->renderer, sentence, name, value);
}

void output_information(struct output *output, const char *message)
{
	output->renderer->ops->message(output->renderer, "Information", message);
}

void output_message(struct output *output, const char *kind, const char *format, ...)
{
	struct buffer *text = &output->text;
	va_list args;

	if (!kind && output->format == OUTPUT_JSON && output->keeps_messages)
		return;
	kind = kind ?: "Information";
	va_start(args, format);
	format_text(output, format, args);
	va_end(args);
	if (text->data)
		printable_clean(text->data, text->length);
	if (output->keeps_messages)
		output->renderer->ops->message(output->renderer, kind, buffer_text(text));
	else
		fprintf(stderr, "%s: %s\n", kind, buffer_text(text));
}

int output_hold(struct output *output)
{
	struct renderer *dropped;
	int err = renderer_new_text(&dropped);

	if (err)
		return err;
	output->shown = output->renderer;
	output->renderer = dropped;
	return 0;
}

void output_release(struct output *output)
{
	if (!output->shown)
		return;
	output->renderer->ops->free(output->renderer);
	output->renderer = steal_pointer(output->shown);
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
	size_t length;
	_cleanup_free_ char *text = output->renderer->ops->finish(output->renderer, &length);

	if (!text || output->text.has_failed)
		return -ENOMEM;
	return sink_write(&output->sink, text, length);
}

const char *output_problem(const struct output *output, int err)
{
	return sink_problem(&output->sink, err);
}

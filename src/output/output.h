/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as a stream of named nodes and typed values, which become text or JSON (output.md), and
 * the file that they go to (commands.md, option -o). Control characters in names, values and
 * messages are shown as "?". Nothing reaches the output file before output_finish(). Running out of
 * memory on the way is remembered and reported there. */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cpuset.h"

enum output_format { OUTPUT_TEXT, OUTPUT_JSON };

#define OUTPUT_NO_ID     (-1)
#define OUTPUT_NOT_SHOWN (-2)

/* Where a result belongs. OUTPUT_NO_ID: die an IO die; cpu none; power_domain none in particular.
 * OUTPUT_NOT_SHOWN: this machine has no power_domain to show; the result is of no CPU, or of a
 * power domain whose die is unknown. */
struct output_place {
	int64_t package;
	int64_t die;
	int64_t power_domain;
	int64_t cpu;
	/* Or several CPUs that are equal, in place of cpu: text shows them as one list, JSON each
	 * of them with the same nodes. Stays the caller's until the place is left. NULL: it is
	 * cpu. */
	const struct cpuset *cpus;
};

struct output;

/* A node that is closed when the variable goes out of scope. */
struct output_scope {
	struct output *output;
	unsigned int level; /* of the node around it */
};

#define _cleanup_scope_ __attribute__((cleanup(output_leave), unused))

/* Opens the stream to a file: path, "-" for stdout, or NULL for the standard stream given by
 * to_stdout. A path is not touched before output_finish(). Returns 0 or -ENOMEM. */
int output_open(enum output_format format, const char *path, bool to_stdout,
		struct output **ret_output);

/* Frees the stream; what was not finished is lost. */
void output_close(struct output **output);

/* The file of the stream. */
const struct sink *output_sink(const struct output *output);

bool output_is_json(const struct output *output);

/* Makes the results JSON, before there are any. Returns 0 or -ENOMEM. */
int output_make_json(struct output *output);

/* Names what gave the results, in place of what was named before: text begins with the line, JSON
 * with a member of that name and value (output.md, "Simulated machines"). value NULL: no mark.
 * Returns 0 or -ENOMEM. */
int output_mark(struct output *output, const char *member, const char *value, const char *line);

/* From now on text shows places with equal nodes as one; JSON does not (output.md, "Terse
 * results"). dies_differ: no die of a package has the number of one of another package. */
void output_set_fold(struct output *output, bool dies_differ);

/* How many 32-bit words a CPU mask shows (output.md, "perf-profile-level-N"). */
void output_set_mask_words(struct output *output, size_t n_words);

/* Opens the node of a place and, in it, a named one (NULL: none); or a named node (printf form)
 * below the present one. */
struct output_scope output_enter_place(struct output *output, const struct output_place *place,
				       const char *name);
struct output_scope output_enter(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_leave(struct output_scope *scope);

/* A value below the present node, as text in printf form. */
void output_value(struct output *output, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A text; NULL is left out. */
void output_known_text(struct output *output, const char *name, const char *text);

/* A frequency, shown in MHz; 0 is left out. */
void output_known_mhz(struct output *output, const char *name, uint32_t khz);

/* A frequency with two ends: "NAME(MHz):3600-3900" as text, NAME(MHz) and NAME-high(MHz) in JSON;
 * one that is the same at both is one value; 0 is left out. */
void output_known_mhz_range(struct output *output, const char *name, uint32_t khz,
			    uint32_t high_khz);

/* A number, and its unit with a blank before it (" MHz"), or "". */
void output_number(struct output *output, const char *name, uint64_t number, const char *unit);

/* CPU sets: as mask of output_set_mask_words() words, as list. */
void output_cpu_mask(struct output *output, const char *name, const struct cpuset *cpus);
void output_cpu_list(struct output *output, const char *name, const struct cpuset *cpus);

/* A line of text alone, in printf form, which is not indented; a value of JSON alone. */
void output_sentence(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_member(struct output *output, const char *name, const char *value);

/* A typed value of JSON alone; this call takes ownership (NULL: memory is short). */
void output_json_member(struct output *output, const char *name, json_t *value);

/* The same of each member of an object, which stays the caller's. */
void output_json_members(struct output *output, json_t *object);

/* A text of lines that is all of the results if they are text. */
void output_text(struct output *output, const char *text);

/* A text that is all of the results, whatever the format is: a document or a value for programs.
 * The line of output_mark() is on stderr then. */
void output_document(struct output *output, const char *text);

/* An "Information" that is part of the results (output.md, "Where it goes"). */
void output_information(struct output *output, const char *message);

/* Errors, warnings and notes, one line without a full stop: on stderr, or among the results if
 * stderr is their file, so that a JSON document stays one. */
#define output_error(output, ...)   output_message(output, "Error", __VA_ARGS__)
#define output_warning(output, ...) output_message(output, "Warning", __VA_ARGS__)
#define output_note(output, ...)    output_message(output, "Information", __VA_ARGS__)
/* A note that is left out if it would be in a JSON document (output.md, "Where it goes"). */
#define output_text_note(output, ...) output_message(output, NULL, __VA_ARGS__)

/* kind is the word before the message, or NULL for a note as output_text_note(). */
void output_message(struct output *output, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* From now on results are dropped, or no longer; no message may be put meanwhile, and no scope may
 * be open. */
void output_hold(struct output *output, bool is_held);

/* Writes the results so far, if they are text for a standard stream: results of long commands are
 * seen early. Else they are kept. output_finish() returns the error if that fails. */
void output_flush(struct output *output);

/* Another process writes the results: output_finish() writes none. */
void output_leave_to_other(struct output *output);

/* Writes everything by sink_write(). Call it once. Returns 0 or a negative errno (of the file
 * system, or -ENOMEM). */
int output_finish(struct output *output);

enum sink_kind { SINK_PATH, SINK_STDOUT = STDOUT_FILENO, SINK_STDERR = STDERR_FILENO };

struct sink {
	enum sink_kind kind;
	const char *path; /* with SINK_PATH; the caller's */
};

/* path as given to -o, "-" for stdout; NULL: stdout or stderr. */
struct sink sink_choose(const char *path, bool to_stdout);

/* Is this sink the same file as stream? */
bool sink_is_stream(const struct sink *sink, FILE *stream);

/* Would sink_write() replace the regular file at path, whatever the names and links? */
bool sink_is_file(const struct sink *sink, const char *path);

/* The meaning of an error of sink_check() or sink_write(): static text, or that of
 * strerror(). */
const char *sink_problem(const struct sink *sink, int err);

/* Checks whether sink_write() can be expected to work, without changing anything. Returns 0 or the
 * negative errno that it would fail with. */
int sink_check(const struct sink *sink);

/* Writes all of data: a regular file or a new name is replaced whole or not at all, anything else
 * (a device, a pipe) written directly. Returns 0; -EPERM if the path leads through a link of
 * another user (not of root), or ends at a pipe or, in a world-writable directory, at a file
 * of one; or another negative errno. */
int sink_write(const struct sink *sink, const char *data, size_t length);

#endif

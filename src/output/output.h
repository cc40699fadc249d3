/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as a stream of named nodes and typed values, which become text or JSON (output.md), and
 * the file for them (commands.md, option -o). Control characters in names, values and messages are
 * shown as "?". Nothing is written to the output file before output_finish(), which also reports if
 * memory was short before. */
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

/* The location of a result. OUTPUT_NO_ID: the die is an IO die; there is no CPU; no particular
 * power domain. OUTPUT_NOT_SHOWN: this machine shows no power domains; the result is of no CPU; the
 * die of the power domain is unknown. */
struct output_place {
	int64_t package;
	int64_t die;
	int64_t power_domain;
	int64_t cpu;
	/* Several CPUs with equal values, in place of cpu; or NULL. Text shows them as one list,
	 * JSON shows each with the same nodes. The caller keeps the set until the location is
	 * left. */
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

/* Frees the stream. Results that output_finish() did not write are lost. */
void output_close(struct output **output);

/* Returns the file of the stream. */
const struct sink *output_sink(const struct output *output);

bool output_is_json(const struct output *output);

/* Makes the results JSON, before there are any. Returns 0 or -ENOMEM. */
int output_make_json(struct output *output);

/* Marks the results with their origin, in place of an earlier mark: text begins with the line, JSON
 * with a member of that name and value (output.md, "Simulated machines"). value NULL: no mark.
 * Returns 0 or -ENOMEM. */
int output_mark(struct output *output, const char *member, const char *value, const char *line);

/* From now on text, but not JSON, shows locations with equal nodes as one (output.md, "Terse
 * results"). dies_differ: dies of different packages have different numbers. */
void output_set_fold(struct output *output, bool dies_differ);

/* Sets how many 32-bit words a CPU mask shows (output.md, "perf-profile-level-N"). */
void output_set_mask_words(struct output *output, size_t n_words);

/* Open the node of a location and a named node in it (NULL: none); or a named node (printf form)
 * below the present one. */
struct output_scope output_enter_place(struct output *output, const struct output_place *place,
				       const char *name);
struct output_scope output_enter(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_leave(struct output_scope *scope);

/* Puts a value below the present node, as text in printf form. */
void output_value(struct output *output, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts a text; leaves out NULL. */
void output_known_text(struct output *output, const char *name, const char *text);

/* Puts a frequency in MHz; leaves out 0. */
void output_known_mhz(struct output *output, const char *name, uint32_t khz);

/* Puts a frequency with two ends: "NAME(MHz):3600-3900" as text, NAME(MHz) and NAME-high(MHz) in
 * JSON. Equal ends are one value. Leaves out 0. */
void output_known_mhz_range(struct output *output, const char *name, uint32_t khz,
			    uint32_t high_khz);

/* Puts a number and its unit: with a blank before it (" MHz"), or "". */
void output_number(struct output *output, const char *name, uint64_t number, const char *unit);

/* Put CPU sets: as a mask of output_set_mask_words() words, or as a list. */
void output_cpu_mask(struct output *output, const char *name, const struct cpuset *cpus);
void output_cpu_list(struct output *output, const char *name, const struct cpuset *cpus);

/* Put a line only in text, in printf form and not indented; or a value only in JSON. */
void output_sentence(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_member(struct output *output, const char *name, const char *value);

/* Puts a typed value only in JSON, and takes its ownership (NULL: memory is short). */
void output_json_member(struct output *output, const char *name, json_t *value);

/* Puts each member of an object as output_json_member(). The caller keeps the object. */
void output_json_members(struct output *output, json_t *object);

/* Puts lines that are the complete results, unless the results are JSON. */
void output_text(struct output *output, const char *text);

/* Puts a text that is the complete results in any format: a document or a value for programs. The
 * line of output_mark() goes to stderr then. */
void output_document(struct output *output, const char *text);

/* Puts an "Information" that is part of the results (output.md, "Where it goes"). */
void output_information(struct output *output, const char *message);

/* Put an error, a warning or a note: one line without a full stop. It goes to stderr; or, if stderr
 * is the file of the results, to the results, so that a JSON document stays valid. */
#define output_error(output, ...)   output_message(output, "Error", __VA_ARGS__)
#define output_warning(output, ...) output_message(output, "Warning", __VA_ARGS__)
#define output_note(output, ...)    output_message(output, "Information", __VA_ARGS__)
/* Puts a note, but not into a JSON document (output.md, "Where it goes"). */
#define output_text_note(output, ...) output_message(output, NULL, __VA_ARGS__)

/* kind is the word before the message, or NULL for output_text_note(). */
void output_message(struct output *output, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Starts or stops dropping results. Until it stops, no message may be put. No scope may be open. */
void output_hold(struct output *output, bool is_held);

/* Writes the results so far, so that results of long commands appear early. Keeps them if they are
 * not text for a standard stream. output_finish() returns the error if writing fails. */
void output_flush(struct output *output);

/* Tells output_finish() to write nothing, since another process writes the results. */
void output_leave_to_other(struct output *output);

/* Writes everything with sink_write(). Call it once. Returns 0 or a negative errno (of the file
 * system, or -ENOMEM). */
int output_finish(struct output *output);

enum sink_kind { SINK_PATH, SINK_STDOUT = STDOUT_FILENO, SINK_STDERR = STDERR_FILENO };

struct sink {
	enum sink_kind kind;
	const char *path; /* with SINK_PATH; owned by the caller */
};

/* Chooses the sink for the path of -o: "-" is stdout; NULL is stdout or stderr. */
struct sink sink_choose(const char *path, bool to_stdout);

/* Returns true if this sink is the same file as stream. */
bool sink_is_stream(const struct sink *sink, FILE *stream);

/* Returns true if sink_write() would replace the regular file at path, even under another name. */
bool sink_is_file(const struct sink *sink, const char *path);

/* Describes an error of sink_check() or sink_write(): static text, or that of strerror(). */
const char *sink_problem(const struct sink *sink, int err);

/* Checks if sink_write() can be expected to work, without changing anything. Returns 0 or the
 * negative errno that is expected. */
int sink_check(const struct sink *sink);

/* Writes all of data. Replaces a regular file completely or not at all, or makes a new one; writes
 * directly to anything else (a device, a pipe). Returns 0; -EPERM if the path leads through a link
 * of another user (except root), or ends at a pipe of such a user or, in a world-writable
 * directory, at a file of one; or another negative errno. */
int sink_write(const struct sink *sink, const char *data, size_t length);

#endif

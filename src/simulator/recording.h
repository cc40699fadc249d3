/* SPDX-License-Identifier: GPL-2.0-only */
/* What a real machine answered, in the member `recorded` of a platform file
 * (intel-speed-select-platform(5), "Recorded answers"). An answer of the simulated machine is the
 * recorded one as long as the model answers what it answered at its start; what changed in the
 * model since then replaces it. */
#ifndef SIMULATOR_RECORDING_H
#define SIMULATOR_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "host/requests.h"

struct json_reader;
struct json_t;
struct recording;
struct sim_platform;

/* Reads the member into the struct sim_platform at to. Requests are not found before they are
 * placed. */
void recording_read(struct json_reader *reader, struct json_t *object, void *to);

/* Finds the power domains and packages of the requests, once those of the CPUs are known. Refuses
 * one that names a CPU that the machine does not have. */
void recording_place(struct json_reader *reader, const struct sim_platform *platform);

/* Frees the recording; NULL is fine. */
void recording_free(struct recording *recording);

struct recording_about {
	const char *date; /* when hardware was recorded, "2026-11-24"; NULL: unknown */
	const char *model; /* the simulated machine that was recorded; NULL: hardware was */
	int open_error; /* why the device could not be opened, a negative errno; 0: it could */
	bool lacks_capability; /* the recorder had no CAP_SYS_ADMIN */
	const char *cpu_map; /* of offline CPUs, from the run directory of the machine, or NULL */
	size_t n_cpus; /* the highest CPU that was present, and 1 */
};

/* All zero for NULL. */
const struct recording_about *recording_about(const struct recording *recording);

/* The next request and its answer; *position is 0 at first. Returns whether there is one. */
bool recording_next(const struct recording *recording, size_t *position,
		    struct request_item *ret_item);

/* The text of the file at a path in printf form; NULL: none was read. */
const char *recording_text(const struct recording *recording, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends bytes in hex digits. Returns whether they are. */
bool recording_append_hex(struct buffer *to, const char *digits);

/* Keeps a printable copy of length bytes of a text until the recording is freed. NULL: no memory.
 */
const char *recording_keep(struct recording *recording, const char *text, size_t length);

/* Replaces an answer of the model. now and start are the same item as the model answers it now and
 * at its start; now becomes the answer. An item that was not recorded stays as it is. */
void recording_replay(const struct sim_platform *platform, struct request_item *now,
		      const struct request_item *start);

/* A file or directory as it was recorded. */
struct recorded_file {
	int error; /* the negative errno of reading it; or 0 */
	const char *text; /* of a file, or the names in a directory with a newline after each */
	size_t length;
};

/* Finds what was recorded of a path: a directory, or a file. What a recorded directory does not
 * list is missing. Returns whether anything was recorded. */
bool recording_find_file(const struct recording *recording, const char *path, bool is_directory,
			 struct recorded_file *ret_file);

/* Calls take for the path and the text of each file that could be read, those of the machine first,
 * then once for each CPU, until it returns false for a file: then the other CPUs are left out. */
void recording_for_each(const struct recording *recording,
			bool (*take)(void *data, const char *path, const char *text), void *data);

/* Makes the list of names in now that a recorded directory has, in which the names differ as those
 * of now differ from those of start. */
void recording_replay_names(const struct buffer *start, const char *recorded, struct buffer *now);

#endif

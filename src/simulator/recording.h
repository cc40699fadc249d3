/* SPDX-License-Identifier: GPL-2.0-only */
/* The answers of a real machine, in the member `recorded` of a platform file
 * (intel-speed-select-platform(5), "Recorded answers"). The simulated machine gives the recorded
 * answer while the model answers the same as at its start. Later changes in the model replace the
 * recorded values. */
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

/* Reads the member into the struct sim_platform at to. No request can be found before
 * recording_place(). */
void recording_read(struct json_reader *reader, struct json_t *object, void *to);

/* Finds the power domain or package of each request; those of the CPUs must be known. Refuses a
 * request that names a CPU which the machine does not have. */
void recording_place(struct json_reader *reader, const struct sim_platform *platform);

/* Frees the recording; NULL is fine. */
void recording_free(struct recording *recording);

struct recording_about {
	const char *date; /* when hardware was recorded, "2026-11-24"; NULL: unknown */
	const char *model; /* the simulated machine that was recorded; NULL: hardware */
	int open_error; /* the negative errno of opening the device; or 0 */
	bool lacks_capability; /* the recorder had no CAP_SYS_ADMIN */
	const char *cpu_map; /* the map of offline CPUs from the run directory, or NULL */
	size_t n_cpus; /* the highest CPU that was present, plus 1 */
};

/* Returns facts about a recording; all zero for NULL. */
const struct recording_about *recording_about(const struct recording *recording);

/* Gets the next request and its answer; *position is 0 at first. Returns false at the end. */
bool recording_next(const struct recording *recording, size_t *position,
		    struct request_item *ret_item);

/* Returns the recorded text of a file, or NULL. The path is given in printf form. */
const char *recording_text(const struct recording *recording, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends the bytes of pairs of hex digits. Returns false if digits are wrong. */
bool recording_append_hex(struct buffer *to, const char *digits);

/* Keeps a printable copy of length bytes of a text until recording_free(). NULL: no memory. */
const char *recording_keep(struct recording *recording, const char *text, size_t length);

/* Replaces an answer of the model by the recorded one. now and start are the model's answers to a
 * request, now and at its start. *now becomes the answer to give. It stays unchanged if the request
 * was not recorded. */
void recording_replay(const struct sim_platform *platform, struct request_item *now,
		      const struct request_item *start);

/* A recorded file or directory. */
struct recorded_file {
	int error; /* the negative errno of reading it; or 0 */
	const char *text; /* of a file; or the names in a directory, a newline after each */
	size_t length;
};

/* Finds the recorded file or directory at a path. A name that a recorded directory does not list is
 * -ENOENT. Returns false if nothing is recorded. */
bool recording_find_file(const struct recording *recording, const char *path, bool is_directory,
			 struct recorded_file *ret_file);

/* Calls take with the path and the text of each file that could be read, first the files of the
 * machine, then those of CPUs. After take has returned false for a file, the file is skipped for
 * the other CPUs. */
void recording_for_each(const struct recording *recording,
			bool (*take)(void *data, const char *path, const char *text), void *data);

/* Changes a recorded list of names as the names have changed from *start to *now: adds new names,
 * and removes names that are gone. *now becomes the result. */
void recording_replay_names(const struct buffer *start, const char *recorded, struct buffer *now);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole program, from the command line to the exit status, on a fake machine. */
#ifndef SCRIPTED_PROGRAM_RUN_H
#define SCRIPTED_PROGRAM_RUN_H

#include <jansson.h>

#include "fake_machine.h"

struct program_run {
	int status;
	char *out; /* what came on stdout and on stderr */
	char *err;
};

#define _cleanup_program_run_ __attribute__((cleanup(program_run_done)))

/* Runs a command line of words with a blank between; the first is the program's name. What an
 * earlier run asked of the machine is forgotten before. */
struct program_run program_run(struct fake_machine *machine, const char *command_line);

/* As program_run(), but without a machine: a program built without its simulator and daemon. */
struct program_run program_run_bare(const char *command_line);
void program_run_done(struct program_run *run);

/* Reads text as one JSON object, whole; another text fails the test. */
json_t *program_run_json(const char *text);

/* How often needle is in text. */
size_t program_run_count(const char *text, const char *needle);

/* A machine of the Ice Lake generation: SST-PP with levels 0 and 2 (1 does not exist), SST-BF and
 * SST-TF (two buckets) at level 0, SST-CP on; all CLOS and all cores have equal values. It answers
 * both cores of a die only. */
extern const struct fake_shape
	ice_lake_shape; /* 2 packages of 2 cores: CPUs 0, 1, 4, 5; 2, 3, 6, 7 */
extern const struct fake_rule ice_lake_rules[];
extern const size_t n_ice_lake_rules;

/* Makes the usual machine, an Ice Lake, with one rule more for its firmware, or none (NULL). */
void program_open_ice_lake(struct fake_machine *machine, const struct fake_rule *rule);

/* Fail unless the text holds, or lacks, the part. */
void program_assert_holds(const char *text, const char *part);
void program_assert_lacks(const char *text, const char *part);

#endif

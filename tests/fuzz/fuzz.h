/* SPDX-License-Identifier: GPL-2.0-only */
/* What fuzz targets share. A target is a file with LLVMFuzzerTestOneInput(): libFuzzer's where it
 * is built in, else replay.c calls it with the files of the corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes one input; returns 0. What must hold is required with FUZZ_REQUIRE(). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, so that the input is kept, where a promise of the code is broken. */
#define FUZZ_REQUIRE(condition)                                                          \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
				#condition);                                             \
			abort();                                                         \
		}                                                                        \
	} while (0)

/* Bytes that are taken from the front. */
struct fuzz_input {
	const uint8_t *data;
	size_t left;
};

/* The next byte; 0 where there is none. */
uint8_t fuzz_byte(struct fuzz_input *input);

/* The next count bytes (at most 8) as a number, lowest first. */
uint64_t fuzz_number(struct fuzz_input *input, size_t count);

/* The next bytes, at most count, as a new zero-terminated text. */
char *fuzz_text(struct fuzz_input *input, size_t count);

/* The bytes up to the next newline, which is taken too, as a new text; NULL where none is left. */
char *fuzz_line(struct fuzz_input *input);

/* A directory of this process, made below $TMPDIR or the current directory when first asked for,
 * and removed at exit. */
const char *fuzz_directory(void);

/* Makes the file at path hold these bytes, for its owner alone. */
void fuzz_write(const char *path, const void *data, size_t size);

/* A file of tests/fuzz/machines, whole, as a new text. */
char *fuzz_machine_text(const char *name, size_t *ret_length);

/* A stream whose output goes nowhere. */
FILE *fuzz_sink(void);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* In place of libFuzzer: gives a target every file of the directories that are named, whole, cut in
 * half, and with one bit changed here and there, so that the corpus tests every build. */
#include <dirent.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "fuzz.h"

#define CHANGES 16 /* of each file */

/* A copy of exactly that size, so that reading past it shows. */
static void run_copy(const char *text, size_t size, size_t change)
{
	_cleanup_free_ uint8_t *copy = malloc(size ?: 1);

	FUZZ_REQUIRE(copy);
	memcpy(copy, text, size);
	if (change < size)
		copy[change] ^= (uint8_t)(1U << (change % 8));
	LLVMFuzzerTestOneInput(copy, size);
}

static void run_file(const char *directory, const char *name)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	size_t size;

	FUZZ_REQUIRE(asprintf(&path, "%s/%s", directory, name) > 0);
	FUZZ_REQUIRE(fileio_read(path, 0, &text, &size) == 0);
	run_copy(text, size, size);
	run_copy(text, size / 2, size);
	for (size_t i = 0; i < CHANGES; i++)
		run_copy(text, size, size * i / CHANGES);
}

static size_t run_directory(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort);
	size_t n_files = 0;

	FUZZ_REQUIRE(count >= 0);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			run_file(directory, entries[i]->d_name);
			n_files++;
		}
		free(entries[i]);
	}
	free(entries);
	return n_files;
}

int main(int argc, char **argv)
{
	size_t n_files = 0;

	run_copy("", 0, 0);
	for (int i = 1; i < argc; i++)
		n_files += run_directory(argv[i]);
	fprintf(stderr, "%zu files\n", n_files);
	return n_files ? 0 : 1;
}

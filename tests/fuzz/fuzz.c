// SPDX-License-Identifier: GPL-2.0-only
/* Inputs taken apart, and files for those targets that read files. */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"

uint8_t fuzz_byte(struct fuzz_input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->data++;
}

uint64_t fuzz_number(struct fuzz_input *input, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value |= (uint64_t)fuzz_byte(input) << (8 * i);
	return value;
}

char *fuzz_text(struct fuzz_input *input, size_t count)
{
	size_t length = count < input->left ? count : input->left;
	char *text = calloc(1, length + 1);

	FUZZ_REQUIRE(text);
	if (length)
		memcpy(text, input->data, length);
	input->data += length;
	input->left -= length;
	return text;
}

char *fuzz_line(struct fuzz_input *input)
{
	const uint8_t *end = input->left ? memchr(input->data, '\n', input->left) : NULL;
	char *text;

	if (!input->left)
		return NULL;
	text = fuzz_text(input, end ? (size_t)(end - input->data) : input->left);
	fuzz_byte(input);
	return text;
}

static char *directory;

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_directory(void)
{
	nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(directory);
	directory = NULL;
}

const char *fuzz_directory(void)
{
	const char *parent = getenv("TMPDIR");

	if (directory)
		return directory;
	FUZZ_REQUIRE(asprintf(&directory, "%s/isst-fuzz-XXXXXX", parent ?: ".") > 0);
	FUZZ_REQUIRE(mkdtemp(directory));
	FUZZ_REQUIRE(atexit(remove_directory) == 0);
	return directory;
}

void fuzz_write(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_REQUIRE(fd >= 0);
	FUZZ_REQUIRE(fileio_write_fd(fd, data, size) == 0);
}

char *fuzz_machine_text(const char *name, size_t *ret_length)
{
	_cleanup_free_ char *path = NULL;
	char *text;

	FUZZ_REQUIRE(asprintf(&path, "%s/%s", FUZZ_MACHINES, name) > 0);
	FUZZ_REQUIRE(fileio_read(path, 0, &text, ret_length) == 0);
	return text;
}

FILE *fuzz_sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "we");
	FUZZ_REQUIRE(sink);
	return sink;
}

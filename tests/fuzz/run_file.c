// SPDX-License-Identifier: GPL-2.0-only
/* Files that the program leaves for itself are read from a real directory. */
#include "run_file.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

const char *fuzz_run_file(const char *name, const uint8_t *data, size_t size)
{
	_cleanup_free_ char *path = NULL;

	FUZZ_REQUIRE(asprintf(&path, "%s/%s", fuzz_directory(), name) > 0);
	fuzz_write(path, data, size);
	return fuzz_directory();
}

static int read_boot(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	(void)files;
	(void)limit;
	if (strcmp(path, "/proc/sys/kernel/random/boot_id") != 0)
		return -ENOENT;
	*ret_text = strdup(RUN_FILE_BOOT "\n");
	FUZZ_REQUIRE(*ret_text);
	*ret_length = strlen(*ret_text);
	return 0;
}

struct files *fuzz_run_files(void)
{
	static const struct files_ops ops = { .read = read_boot };
	static struct files files = { .ops = &ops };

	return &files;
}

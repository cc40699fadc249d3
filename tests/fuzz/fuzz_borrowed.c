// SPDX-License-Identifier: GPL-2.0-only
/* borrowed.json of a measurement that was killed: whatever is in it, only files below /sys are
 * written, with values of one printable line, and what is shown is plain text. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "measure/borrowed.h"
#include "run_file.h"

static int read_file(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	if (strncmp(path, "/sys/", strlen("/sys/")) != 0)
		return fuzz_run_files()->ops->read(files, path, limit, ret_text, ret_length);
	*ret_text = strdup("1\n");
	FUZZ_REQUIRE(*ret_text);
	*ret_length = strlen(*ret_text);
	return 0;
}

static void require_plain(const char *text)
{
	for (; text && *text; text++)
		FUZZ_REQUIRE(isprint((unsigned char)*text));
}

static int write_file(struct files *files, const char *path, const char *text)
{
	(void)files;
	FUZZ_REQUIRE(strncmp(path, "/sys/", strlen("/sys/")) == 0 && !strstr(path, "/../"));
	require_plain(path);
	require_plain(text);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct files_ops ops = { .read = read_file, .write = write_file };
	static struct files files = { .ops = &ops };
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_t *root = json_loadb((const char *)data, size, 0, NULL);
	struct host host = {
		.files = &files,
		.run_directory = fuzz_run_file("borrowed.json", data, size),
	};

	text = borrowed_describe(&host);
	require_plain(text);
	/* documents need a machine */
	if (root && json_object_get(root, "settings") && !json_object_get(root, "found"))
		(void)borrowed_mend(&host, &outcome);
	require_plain(outcome.owner);
	require_plain(outcome.put_back);
	require_plain(outcome.changed);
	require_plain(outcome.gone);
	require_plain(outcome.failed);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Results go to stderr, as they do by default, and stderr to a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "capture.h"
#include "shown.h"
#include "temporary.h"

char *shown(enum output_format format, void (*put)(struct output *output, void *data), void *data)
{
	char *directory = temporary_make(), *text = NULL;
	_cleanup_free_ char *path = temporary_path(directory, "stderr");
	struct capture capture = capture_start(STDERR_FILENO, path);
	struct output *output = NULL;
	int err = output_open(format, NULL, false, &output);
	size_t length;

	if (!err) {
		put(output, data);
		err = output_finish(output);
	}
	output_close(&output);
	capture_stop(&capture);
	assert_int_equal(err, 0);
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	temporary_remove(directory);
	return text;
}

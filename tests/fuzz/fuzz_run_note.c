// SPDX-License-Identifier: GPL-2.0-only
/* The note of an interrupted command: whatever is in it, its text can be shown. */
#include <ctype.h>
#include <string.h>

#include "run_file.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *directory = fuzz_run_file("unfinished", data, size);
	_cleanup_free_ char *text = NULL;

	FUZZ_REQUIRE(run_note_read(fuzz_run_files(), directory, true, &text) == 0);
	for (const char *at = text; at && *at; at++)
		FUZZ_REQUIRE(isprint((unsigned char)*at));
	return 0;
}

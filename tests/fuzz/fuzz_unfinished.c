// SPDX-License-Identifier: GPL-2.0-only
/* The note of writes that were not ended: whatever is in it, what is shown can be shown. */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/unfinished.h"
#include "run_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *directory = run_file_write("unfinished", data, size);
	_cleanup_free_ char *text = NULL;

	FUZZ_REQUIRE(unfinished_read(directory, &text) == 0 && text);
	FUZZ_REQUIRE(strlen(text) <= size);
	for (const char *at = text; *at; at++)
		FUZZ_REQUIRE(isprint((unsigned char)*at));
	return 0;
}

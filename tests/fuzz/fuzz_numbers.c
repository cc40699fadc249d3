// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of options (the turbo-ratio limits of set-trl among them) and of kernel files, compared
 * with what the C library reads. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "fuzz.h"

static void check_decimal(const char *text)
{
	uint64_t value;
	int err = number_parse(text, 0, UINT64_MAX, &value);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	if (!err)
		FUZZ_REQUIRE(strspn(text, "0123456789") == strlen(text) &&
			     value == strtoull(text, NULL, 10));
	else if (*text && strspn(text, "0123456789") == strlen(text))
		FUZZ_REQUIRE(err == -ERANGE);
}

static void check_hex(const char *text)
{
	uint64_t value;
	int err = number_parse_hex(text, &value);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	if (!err)
		FUZZ_REQUIRE(text[0] == '0' && (text[1] | 0x20) == 'x' &&
			     value == strtoull(text, NULL, 16));
}

static void check_file(const char *text)
{
	uint64_t value;
	int err = number_parse_file(text, &value);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL || err == -ERANGE);
	if (!err)
		FUZZ_REQUIRE(value ==
			     strtoull(text, NULL, strchr("xX", text[1]) && text[1] ? 16 : 10));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, input.left);

	check_decimal(text);
	check_hex(text);
	check_file(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of options (the turbo-ratio limits of set-trl among them), of kernel files, and as the
 * simulated kernel reads what is written to its files. The C library is the other opinion.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "fuzz.h"
#include "simulator/sysfs_parse.h"

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

static void check_written(const char *text)
{
	char word[SYSFS_WORD_SIZE];
	uint64_t number;
	int32_t signed_number;
	uint32_t prefix;
	bool flag;

	sysfs_parse_bool(text, &flag);
	if (sysfs_parse_unsigned(text, 10, 1000, &number) == 0)
		FUZZ_REQUIRE(number <= 1000);
	sysfs_parse_unsigned(text, 0, UINT64_MAX, &number);
	sysfs_parse_unsigned(text, 16, UINT32_MAX, &number);
	sysfs_parse_signed(text, &signed_number);
	sysfs_parse_prefix(text, &prefix);
	if (sysfs_parse_word(text, 16, word) == 0)
		FUZZ_REQUIRE(*word && strlen(word) <= 16);
	sysfs_parse_numbered(text, "cpu", &prefix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, input.left);

	check_decimal(text);
	check_hex(text);
	check_file(text);
	check_written(text);
	return 0;
}

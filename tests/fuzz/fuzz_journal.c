// SPDX-License-Identifier: GPL-2.0-only
/* The change journal: whatever is in it, it is read or refused; and what a writer accepts can be
 * read afterwards, with the transaction that it adds as the last one. */
#include <string.h>

#include "run_file.h"
#include "base/cleanup.h"
#include "change/journal.h"

/* Reads all lines and changes. Returns how it ends, with what the last line is. */
static int read_all(const char *directory, struct journal_line *ret_last)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	int err = journal_reader_open(fuzz_run_files(), directory, &reader);

	while (!err) {
		json_t *change;

		err = journal_reader_next(reader, ret_last);
		if (err <= 0)
			return err;
		err = 0;
		while (ret_last->kind == JOURNAL_BEGIN &&
		       (err = journal_line_next(ret_last, &change)) > 0)
			json_decref(change);
	}
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *directory = fuzz_run_file(JOURNAL_NAME, data, size);
	char program[] = "isst", *argv[] = { program };
	const struct journal_transaction transaction = { .argc = 1, .argv = argv };
	const struct journal_outcome outcome = { .outcome = JOURNAL_DONE };
	_cleanup_journal_ struct journal *journal = NULL;
	const struct cpuset online = { 0 };
	struct journal_line last;
	bool is_sound;

	is_sound = read_all(directory, &last) == 0;
	if (journal_open(fuzz_run_files(), directory, &online, &journal)) {
		FUZZ_REQUIRE(!is_sound);
		return 0;
	}
	FUZZ_REQUIRE(!journal_begin(journal, fuzz_run_files(), &transaction, "[]"));
	FUZZ_REQUIRE(!journal_end(journal, &outcome));
	if (is_sound) {
		FUZZ_REQUIRE(read_all(directory, &last) == 0);
		FUZZ_REQUIRE(last.kind == JOURNAL_END && last.id == journal_last_id(journal));
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Finds what the words of uncore limits mean: compares the machine with a document that has them.
 * So they mean the same in commands and in documents. */
#include "state/uncore_words.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/report.h"
#include "settings/families.h"
#include "state/compare.h"

#define NAME "uncore words"

/* The document that sets the words on all uncores. NULL: no memory. */
static json_t *make_document(const char *min_word, const char *max_word)
{
	return json_pack("{s:s, s:i, s:[{s:s, s:{s:s*, s:s*}}]}", "format",
			 "intel-speed-select-state", "version", 1, "settings", "for", "all",
			 "uncore", "min-mhz", min_word, "max-mhz", max_word);
}

/* Copies the limits of the locations to the units, which have the same directories. */
static void take_ranges(const struct wanted_state *wanted, const struct uncore_units *units,
			struct khz_range *ranges)
{
	const struct place_list *places = &wanted->state->places[PLACE_UNCORE];

	for (size_t i = 0; i < units->count; i++) {
		for (size_t j = 0; j < places->count; j++) {
			if (strcmp(places->list[j].uncore->path, units->units[i].path) != 0)
				continue;
			ranges[i] = uncore_wanted_range(&wanted->rows, j);
		}
	}
}

int uncore_words_find(const struct machine *machine, struct platform *platform,
		      const struct uncore_units *units, const char *min_word, const char *max_word,
		      struct khz_range *ret_ranges)
{
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_document_ struct document document = { 0 };
	_cleanup_(report_done) struct report report = { .is_held = true, .drops_notes = true };
	_cleanup_wanted_ struct wanted_state wanted = { 0 };
	_cleanup_comparison_ struct comparison comparison = { 0 };
	_cleanup_free_ char *problem = NULL;
	json_t *json = make_document(min_word, max_word);
	int err = json ? document_take(json, NAME, false, &document, &problem) : -ENOMEM;

	if (!err)
		err = state_machine_init(&state, machine, platform, true);
	if (!err)
		err = wanted_resolve(&wanted, &document, &state, &report);
	/* A word whose value nothing reports is a problem of the report, and stays. */
	if (!err)
		err = comparison_make(&wanted, false, &comparison);
	if (err)
		return err == -ENOMEM ? err : 0;
	take_ranges(&wanted, units, ret_ranges);
	return 0;
}

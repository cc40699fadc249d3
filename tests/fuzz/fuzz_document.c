// SPDX-License-Identifier: GPL-2.0-only
/* State documents: refused with one line that names the file, or taken and then sound. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "state/document.h"

static void check_value(const struct document *document, const struct entry_value *value,
			size_t entry)
{
	_cleanup_free_ char *path = document_path(document, value);
	_cleanup_free_ char *text = state_value_format(&value->value);
	const struct setting *member = setting_get(value->setting);

	FUZZ_REQUIRE(path && strncmp(path, "settings[", 9) == 0);
	FUZZ_REQUIRE(text && *text && strcmp(text, "-") != 0);
	FUZZ_REQUIRE(member->path && value->value.entry == entry);
	FUZZ_REQUIRE(value->clos < SST_CLOS_COUNT);
	FUZZ_REQUIRE(!(member->flags & SETTING_IN_IDLE_STATE) || *value->idle_state);
	if (value->value.kind == STATE_NUMBER || value->value.kind == STATE_KHZ)
		FUZZ_REQUIRE(value->value.number >= member->min &&
			     value->value.number <= member->max);
}

static void check_document(const struct document *document)
{
	FUZZ_REQUIRE(document->n_entries <= DOCUMENT_MAX_ENTRIES);
	for (size_t i = 0; i < document->n_entries; i++) {
		const struct document_entry *entry = &document->entries[i];

		FUZZ_REQUIRE(entry->on.text && *entry->on.text);
		FUZZ_REQUIRE(entry->on.kind != SELECTOR_CPUS || *entry->on.cpus);
		for (size_t j = 0; j < entry->n_values; j++)
			check_value(document, &entry->values[j], i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *problem = NULL;
	_cleanup_fclose_ FILE *stream = fmemopen(text, size ?: 1, "r");
	_cleanup_document_ struct document document = { 0 };
	int err;

	FUZZ_REQUIRE(stream);
	err = document_read(stream, "it.json", &document, &problem);
	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (problem == NULL));
	FUZZ_REQUIRE((err == 0) == (document.json != NULL));
	if (problem)
		FUZZ_REQUIRE(strncmp(problem, "it.json:", 8) == 0 && !strchr(problem, '\n'));
	check_document(&document);
	return 0;
}

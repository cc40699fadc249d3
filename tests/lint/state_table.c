// SPDX-License-Identifier: GPL-2.0-only
/* Prints the table of settings and the JSON Schema, for state_members.py. */
#include <stdio.h>

#include "settings/settings.h"
#include "state/document.h"

static json_t *list_words(const char *const *words)
{
	json_t *list = json_array();

	for (; words && *words; words++)
		json_array_append_new(list, json_string(*words));
	return list;
}

static json_t *describe(const struct setting *member)
{
	static const char *const types[] = {
		[SETTING_TYPE_BOOLEAN] = "boolean", [SETTING_TYPE_NUMBER] = "number",
		[SETTING_TYPE_MHZ] = "mhz",         [SETTING_TYPE_HUNDREDS] = "hundreds",
		[SETTING_TYPE_WORD] = "word",       [SETTING_TYPE_TEXT] = "text",
		[SETTING_TYPE_RATIOS] = "ratios",   [SETTING_TYPE_DECIMAL] = "decimal",
	};

	return json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:i, s:s*, s:s, s:s*}", "path",
			 member->path, "scope", place_kind_scope(member->place), "type",
			 types[member->type], "words", list_words(member->words), "min",
			 (json_int_t)member->min, "max", (json_int_t)member->max, "step",
			 (int)member->step, "unit", member->unit, "about", member->about, "reset",
			 member->reset);
}

int main(void)
{
	json_auto_t *members = json_array(), *root = NULL;

	for (enum setting_id id = 0; id < N_SETTINGS; id++)
		json_array_append_new(members, describe(setting_get(id)));
	root = json_pack("{s:O, s:o}", "members", members, "schema", document_schema());
	return json_dumpf(root, stdout, JSON_REAL_PRECISION(15)) < 0;
}

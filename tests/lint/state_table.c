// SPDX-License-Identifier: GPL-2.0-only
/* Prints the table of members of state documents, the names of all settings and the JSON Schema,
 * for state_members.py. */
#include <stdio.h>

#include "state/document.h"

static json_t *list_words(const char *const *words)
{
	json_t *list = json_array();

	for (; words && *words; words++)
		json_array_append_new(list, json_string(*words));
	return list;
}

static json_t *describe(const struct member *member)
{
	static const char *const types[] = {
		[MEMBER_TYPE_BOOLEAN] = "boolean", [MEMBER_TYPE_NUMBER] = "number",
		[MEMBER_TYPE_MHZ] = "mhz",         [MEMBER_TYPE_HUNDREDS] = "hundreds",
		[MEMBER_TYPE_WORD] = "word",       [MEMBER_TYPE_TEXT] = "text",
		[MEMBER_TYPE_RATIOS] = "ratios",
	};
	const struct setting *setting =
		member->setting < N_SETTINGS ? setting_get(member->setting) : NULL;

	return json_pack("{s:s, s:s*, s:s, s:s, s:o, s:I, s:I, s:i, s:s*, s:s, s:s*}", "path",
			 member->path, "setting", setting ? setting->name : NULL, "scope",
			 place_kind_scope(member->place), "type", types[member->type], "words",
			 list_words(member->words), "min", (json_int_t)member->min, "max",
			 (json_int_t)member->max, "step", (int)member->step, "unit", member->unit,
			 "about", member->about, "reset", member->reset);
}

int main(void)
{
	json_auto_t *members = json_array(), *settings = json_array(), *root = NULL;

	for (size_t i = 0; i < N_MEMBERS; i++) {
		const struct member *member = member_get((enum member_id)i);

		if (member->path)
			json_array_append_new(members, describe(member));
	}
	for (size_t i = 0; i < N_SETTINGS; i++)
		json_array_append_new(settings, json_string(setting_get((enum setting_id)i)->name));
	root = json_pack("{s:O, s:O, s:o}", "members", members, "settings", settings, "schema",
			 document_schema());
	return json_dumpf(root, stdout, JSON_REAL_PRECISION(15)) < 0;
}

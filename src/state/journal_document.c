// SPDX-License-Identifier: GPL-2.0-only
/* Makes documents from the change journal. Parts of a setting that are written one by one become
 * the setting that documents have. */
#include "state/journal_document.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/run_directory.h"
#include "settings/journaled.h"
#include "settings/settings.h"
#include "state/document.h"
#include "state/writer.h"

#define POWER_DOMAIN " powerdomain-"
#define CORE_POWER   "core-power.enabled"

/* A document that is being made. */
struct making {
	const struct journal_fold *fold;
	json_t *settings;
	size_t *place_of;
	size_t place; /* index in fold */
	enum journal_side side;
	bool of_packages;
	int pass;
	char *unknown;
};

/* Adds an entry for a location with members. Takes ownership of both; NULL: no memory. */
static int add_entry(struct making *making, char *place, json_t *members)
{
	_cleanup_free_ char *own_place = place;
	_cleanup_json_ json_t *entry = members;

	if (!entry || !own_place || json_object_set_new(entry, "for", json_string(own_place)) ||
	    json_object_set_new(entry, "optional", json_true()))
		return -ENOMEM;
	making->place_of[json_array_size(making->settings)] = making->place;
	return json_array_append(making->settings, entry) ? -ENOMEM : 0;
}

/* Adds an entry for a location with one value at the path. Takes ownership of both. */
static int add(struct making *making, char *place, const char *path, json_t *value)
{
	json_t *entry = json_object();
	int err = writer_put(entry, path, value);

	return add_entry(making, place, entry) ?: err;
}

/* Formats the location as documents name it. With of_packages, SST-CP and CLOS of TPMI parts are
 * settings of packages, otherwise of power domains. */
static char *format_place(const struct making *making, const struct journal_places *places,
			  const char *path)
{
	_cleanup_free_ char *list = NULL;
	const char *domain;

	if (!places->place) {
		list = cpuset_format_ranges(&places->cpus);
		return list ? text_format("cpu %s", list) : NULL;
	}
	domain = strstr(places->place, POWER_DOMAIN);
	if (domain && making->of_packages &&
	    strncmp(path, "core-power.", strlen("core-power.")) == 0)
		return strndup(places->place, (size_t)(domain - places->place));
	return strdup(places->place);
}

/* Returns the value of the side, owned by the change; NULL: none. An upper limit that was the
 * highest one is returned as a word. Its number depends on turbo and on the level, and would stay
 * when these change. */
static json_t *find_value(const struct making *making, const struct journal_places *places)
{
	bool is_now = making->side == JOURNAL_NOW || making->side == JOURNAL_NOW_WORDS;
	bool has_words =
		making->side == JOURNAL_WAS_WORDS || making->side == JOURNAL_NOW_WORDS ||
		(!is_now && strcmp(places->setting, setting_get(SETTING_CPUFREQ_MAX)->path) == 0);
	const json_t *values = is_now ? places->now : places->was;
	json_t *word = has_words ? json_object_get(values, is_now ? "now-word" : "was-word") : NULL;

	return word ?: json_object_get(values, is_now ? "now" : "was");
}

/* Reads the CPUs of a control group before or after the changes. */
static int read_list(const json_t *values, const char *key, struct cpuset *cpus)
{
	const char *text = json_string_value(json_object_get(values, key));

	if (!text)
		return -EBADMSG;
	return *text ? cpulist_parse(text, cpus) : 0;
}

/* Adds an entry for CPUs, if there are any, with members (takes ownership). */
static int add_cpus(struct making *making, const struct cpuset *cpus, json_t *members)
{
	_cleanup_free_ char *list = cpuset_format_ranges(cpus);

	if (!cpuset_is_empty(cpus))
		return add_entry(making, list ? text_format("cpu %s", list) : NULL, members);
	json_decref(members);
	return 0;
}

/* Control groups have two passes, with the entries for "online" of CPUs between them. */
enum pass {
	PASS_FREED, /* CPUs that are in a group only on the other side leave it */
	PASS_SETTINGS, /* all settings except groups */
	PASS_ISOLATED, /* CPUs of a group go offline, but not by hotplug */
	N_PASSES
};

static int add_group(struct making *making, const struct journal_places *places)
{
	bool is_now = making->side == JOURNAL_NOW || making->side == JOURNAL_NOW_WORDS;
	_cleanup_cpuset_ struct cpuset was = { 0 }, now = { 0 };
	struct cpuset *in = is_now ? &now : &was, *out = is_now ? &was : &now;
	int err = read_list(places->was, "was", &was) ?: read_list(places->now, "now", &now);

	if (err)
		return err;
	if (making->pass == PASS_ISOLATED)
		return add_cpus(making, in,
				json_pack("{s:b, s:s}", "online", 0, "offline-by", "cgroup"));
	cpuset_remove_all(out, in);
	return add_cpus(making, out, json_pack("{s:b, s:s}", "online", 1, "offline-by", "cgroup"));
}

/* Returns the other part of SST-CP at the same location, or NULL. */
static const struct journal_places *find_sibling(const struct making *making,
						 const struct journal_places *places)
{
	for (size_t i = 0; i < making->fold->count; i++) {
		const struct journal_places *other = &making->fold->list[i];
		struct journaled_name name;

		if (other != places && other->place && journaled_split(other->setting, &name) &&
		    name.part && strcmp(name.path, CORE_POWER) == 0 &&
		    strcmp(other->place, places->place) == 0)
			return other;
	}
	return NULL;
}

/* Adds a switch of SST-CP. Both parts become one value, which is new to other documents. */
static int add_core_power(struct making *making, const struct journal_places *places, bool is_clos,
			  json_t *value)
{
	const struct journal_places *sibling = find_sibling(making, places);
	const json_t *other = sibling ? find_value(making, sibling) : NULL;
	bool is_on = json_is_true(value);
	const char *word = is_clos ? is_on ? STATE_CLOS_ON : STATE_CLOS_OFF
			   : is_on ? STATE_PM_CONFIG_ON
				   : STATE_PM_CONFIG_OFF;

	if (other && is_clos)
		return 0; /* the entry of its sibling has it */
	if (json_is_boolean(other))
		word = is_on ? STATE_PM_CONFIG_ONLY : STATE_CLOS_ONLY;
	return add(making, format_place(making, places, CORE_POWER), CORE_POWER,
		   json_is_boolean(other) && json_is_true(other) == is_on ? json_boolean(is_on)
									  : json_string(word));
}

static int add_places(struct making *making, const struct journal_places *places)
{
	struct journaled_name name;
	json_t *value = find_value(making, places);
	const char *path = name.path;

	if (!journaled_split(places->setting, &name))
		return -EBADMSG;
	if (making->pass != PASS_SETTINGS)
		return journaled_is(places->setting, SETTING_OFFLINE_BY, SETTING_PART_CPUS)
			       ? add_group(making, places)
			       : 0;
	if (journaled_is(places->setting, SETTING_OFFLINE_BY, NULL))
		return 0;
	if (name.part && strcmp(name.path, CORE_POWER) == 0 && json_is_boolean(value))
		return add_core_power(making, places, strcmp(name.part, SETTING_PART_CLOS) == 0,
				      value);
	if (!value)
		return 0; /* the setting belongs to another mode of intel_pstate */
	if (json_is_false(value) && strcmp(path, "online") == 0) /* the file of hotplug */
		return add_cpus(making, &places->cpus,
				json_pack("{s:b, s:s}", "online", 0, "offline-by", "hotplug"));
	if (!json_is_null(value))
		return add(making, format_place(making, places, path), path, json_incref(value));
	if (!making->unknown)
		making->unknown = text_format("%s %s", places->place ?: "CPUs", places->setting);
	return 0;
}

int journal_document_make(const struct journal_fold *fold, enum journal_side side, bool of_packages,
			  json_t **ret_document, size_t **ret_place_of, char **ret_unknown)
{
	_cleanup_free_ size_t *place_of = calloc(3 * fold->count + 1, sizeof(*place_of));
	_cleanup_json_ json_t *document = json_pack("{s:s, s:i, s:[]}", "format", DOCUMENT_FORMAT,
						    "version", DOCUMENT_VERSION, "settings");
	struct making making = {
		.fold = fold,
		.settings = json_object_get(document, "settings"),
		.place_of = place_of,
		.side = side,
		.of_packages = of_packages,
	};
	int err = document && place_of ? 0 : -ENOMEM;

	for (; making.pass < N_PASSES && !err; making.pass++) {
		for (making.place = 0; making.place < fold->count && !err; making.place++)
			err = add_places(&making, &fold->list[making.place]);
	}
	if (err) {
		free(making.unknown);
		return err;
	}
	*ret_document = steal(document);
	*ret_place_of = steal(place_of);
	*ret_unknown = making.unknown;
	return 0;
}

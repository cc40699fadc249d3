// SPDX-License-Identifier: GPL-2.0-only
/* Folds changes of the journal. CPUs with the same old and new values are one set. A change of some
 * of these CPUs removes them from the set (docs/spec/journal.md, "Format"). */
#include "change/journal_fold.h"

#include <errno.h>
#include <string.h>

#include "host/run_directory.h"

#define CPU "cpu "

static void places_done(struct journal_places *places)
{
	free(places->setting);
	free(places->place);
	cpuset_done(&places->cpus);
	json_decref(places->was);
	json_decref(places->now);
	json_decref(places->read);
}

void journal_fold_done(struct journal_fold *fold)
{
	for (size_t i = 0; i < fold->count; i++)
		places_done(&fold->list[i]);
	free(fold->list);
	json_decref(fold->first_mode);
	json_decref(fold->mode);
	*fold = (struct journal_fold){ 0 };
}

/* The setting and the location of a change. */
struct subject {
	const char *setting;
	const char *place; /* NULL: cpus has the location */
	struct cpuset cpus;
};

static void subject_done(struct subject *subject)
{
	cpuset_done(&subject->cpus);
}

/* Gives one name to each file: SST-BF of Cascade Lake-N consists of cpufreq limits. */
static const char *find_name(const char *setting)
{
	if (setting && strcmp(setting, "base-freq.enabled.max-mhz") == 0)
		return "cpufreq.max-mhz";
	if (setting && strcmp(setting, "base-freq.enabled.min-mhz") == 0)
		return "cpufreq.min-mhz";
	return setting;
}

static int read_subject(const json_t *change, struct subject *subject)
{
	subject->setting = find_name(json_string_value(json_object_get(change, "setting")));
	subject->place = json_string_value(json_object_get(change, "for"));
	if (!subject->setting || !subject->place)
		return -EBADMSG;
	if (strncmp(subject->place, CPU, strlen(CPU)) == 0) {
		const char *list = subject->place + strlen(CPU);

		subject->place = NULL;
		if (cpulist_parse(list, &subject->cpus) || cpuset_is_empty(&subject->cpus))
			return -EBADMSG;
	}
	return 0;
}

static bool is_of(const struct journal_places *places, const struct subject *subject)
{
	if (strcmp(places->setting, subject->setting) != 0 || !places->place != !subject->place)
		return false;
	return subject->place ? strcmp(places->place, subject->place) == 0
			      : cpuset_intersects(&places->cpus, &subject->cpus);
}

/* Returns true if only the CPUs differ. */
static bool are_equal(const struct journal_places *left, const struct journal_places *right)
{
	return !left->place && !right->place && strcmp(left->setting, right->setting) == 0 &&
	       json_equal(left->was, right->was) && json_equal(left->now, right->now) &&
	       (left->read == right->read || json_equal(left->read, right->read));
}

/* Adds places and takes their ownership. CPUs join an entry with equal values. */
static int add(struct journal_fold *fold, struct journal_places *places)
{
	struct journal_places *added;

	for (size_t i = 0; i < fold->count; i++) {
		if (are_equal(&fold->list[i], places)) {
			int err = cpuset_add_all(&fold->list[i].cpus, &places->cpus);

			places_done(places);
			*places = (struct journal_places){ 0 };
			return err;
		}
	}
	added = array_add(&fold->list, &fold->count, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = steal(*places);
	return 0;
}

/* Moves the places of the subject that are in list[index] to *ret_places. */
static int take(struct journal_fold *fold, size_t index, const struct subject *subject,
		struct journal_places *ret_places)
{
	struct journal_places *from = &fold->list[index];
	int err = 0;

	*ret_places = (struct journal_places){
		.setting = strdup(from->setting),
		.place = from->place ? strdup(from->place) : NULL,
		.was = json_incref(from->was),
		.now = json_incref(from->now),
		.read = json_incref(from->read),
	};
	if (!ret_places->setting || !from->place != !ret_places->place)
		return -ENOMEM;
	if (!from->place) {
		err = cpuset_copy(&ret_places->cpus, &subject->cpus);
		cpuset_keep(&ret_places->cpus, &from->cpus);
		cpuset_remove_all(&from->cpus, &ret_places->cpus);
	}
	if (from->place || cpuset_is_empty(&from->cpus)) {
		places_done(from);
		*from = fold->list[--fold->count];
	}
	return err;
}

/* Returns an object of two members of a change: "was" and "was-word". */
static json_t *get_value(const json_t *change, const char *name, const char *word_name)
{
	return json_pack("{s:O*, s:O*}", name, json_object_get(change, name), word_name,
			 json_object_get(change, word_name));
}

/* Updates the places of the subject that the fold has, and removes them from the subject. If now is
 * given, it becomes their new value, and `was` their old value if that is unknown. `read` becomes
 * the value that was read. */
static int replace(struct journal_fold *fold, struct subject *subject, json_t *was, json_t *now,
		   json_t *read)
{
	for (size_t i = fold->count; i-- > 0;) {
		struct journal_places places;
		int err;

		if (!is_of(&fold->list[i], subject))
			continue;
		err = take(fold, i, subject, &places);
		cpuset_remove_all(&subject->cpus, &places.cpus);
		if (now) {
			json_decref(places.now);
			places.now = json_incref(now);
			if (!json_object_get(places.was, "was")) {
				json_decref(places.was);
				places.was = json_incref(was);
			}
		}
		json_decref(places.read);
		places.read = json_incref(read);
		err = err ?: add(fold, &places);
		if (err) {
			places_done(&places);
			return err;
		}
		if (subject->place) {
			subject->setting = NULL;
			return 0;
		}
	}
	return 0;
}

/* Adds a change for the places that are in the subject. */
static int add_change(struct journal_fold *fold, const json_t *change, struct subject *subject)
{
	_cleanup_json_ json_t *was = get_value(change, "was", "was-word");
	_cleanup_json_ json_t *now = get_value(change, "now", "now-word");
	struct journal_places places = { 0 };
	int err = was && now ? replace(fold, subject, was, now, NULL) : -ENOMEM;

	if (err || !subject->setting || (!subject->place && cpuset_is_empty(&subject->cpus)))
		return err;
	places = (struct journal_places){
		.setting = strdup(subject->setting),
		.place = subject->place ? strdup(subject->place) : NULL,
		.cpus = steal(subject->cpus),
		.was = steal(was),
		.now = steal(now),
	};
	err = places.setting && !places.place == !subject->place ? add(fold, &places) : -ENOMEM;
	if (err)
		places_done(&places);
	return err;
}

/* Reduces a subject to an array of changes. Returns 1 if something is left, 0, or a negative
 * errno. */
static int keep_left(struct subject *subject, json_t *left)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	size_t index;
	json_t *entry;

	json_array_foreach (left, index, entry) {
		_cleanup_(subject_done) struct subject other = { 0 };
		int err = read_subject(entry, &other);

		if (err)
			return err;
		if (strcmp(other.setting, subject->setting) != 0)
			continue;
		if (subject->place && other.place && strcmp(other.place, subject->place) == 0)
			return 1;
		if (cpuset_add_all(&cpus, &other.cpus))
			return -ENOMEM;
	}
	cpuset_keep(&subject->cpus, &cpus);
	return !subject->place && !cpuset_is_empty(&subject->cpus);
}

/* Returns true for a setting of cpufreq policies: a new mode of intel_pstate makes new policies. */
static bool is_of_policy(const char *setting)
{
	static const char *const lost[] = { "cpufreq.governor", "cpufreq.epp", "cpufreq.min-mhz",
					    "cpufreq.max-mhz" };

	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		if (strcmp(setting, lost[i]) == 0)
			return true;
	}
	return false;
}

/* After a new mode, earlier settings are unknown, also of offline CPUs, which the line does not
 * name. */
static int take_mode(struct journal_fold *fold, const json_t *change)
{
	for (size_t i = 0; i < fold->count; i++) {
		struct journal_places *places = &fold->list[i];

		if (!is_of_policy(places->setting))
			continue;
		json_decref(places->now);
		places->now = json_pack("{s:n}", "now");
		if (!places->now)
			return -ENOMEM;
	}
	if (!fold->first_mode)
		fold->first_mode = json_incref(json_object_get(change, "was"));
	json_decref(fold->mode);
	fold->mode = json_incref(json_object_get(change, "now"));
	return 0;
}

int journal_fold_changes(struct journal_fold *fold, struct journal_line *line, json_t *left)
{
	_cleanup_json_ json_t *change = NULL;
	bool is_of_other_mode = fold->mode && !json_equal(fold->first_mode, fold->mode);
	int err;

	while ((err = journal_line_next(line, &change)) > 0) {
		_cleanup_(subject_done) struct subject subject = { 0 };

		err = read_subject(change, &subject);
		if (!err)
			err = left ? keep_left(&subject, left) : 1;
		if (err > 0 && strcmp(subject.setting, "cpufreq.pstate") == 0)
			err = take_mode(fold, change) ?: err;
		/* the value before, in the other mode, is not the value of this mode */
		if (err > 0 && is_of_other_mode && is_of_policy(subject.setting)) {
			json_object_del(change, "was");
			json_object_del(change, "was-word");
		}
		if (err > 0)
			err = add_change(fold, change, &subject);
		if (err < 0)
			return err;
		json_decref(steal(change));
	}
	return err;
}

int journal_fold_read(struct journal_fold *fold, json_t *read)
{
	size_t index;
	json_t *entry;

	json_array_foreach (read, index, entry) {
		_cleanup_(subject_done) struct subject subject = { 0 };
		json_t *value = json_object_get(entry, "read");
		int err = value ? read_subject(entry, &subject) : -EBADMSG;

		if (!err)
			err = replace(fold, &subject, NULL, NULL, value);
		if (err)
			return err;
	}
	return 0;
}

/* Appends the object to the text of an array. */
static int append(struct buffer *to, json_t *object)
{
	_cleanup_json_ json_t *owned = object;
	_cleanup_free_ char *text =
		owned ? json_dumps(owned, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	if (!text)
		return -ENOMEM;
	buffer_append_string(to, to->length > 1 ? "," : "");
	buffer_append_string(to, text);
	return 0;
}

int journal_fold_append(struct journal_fold *fold, struct buffer *changes, struct buffer *read)
{
	int err = 0;

	buffer_append_char(changes, '[');
	buffer_append_char(read, '[');
	for (size_t i = 0; i < fold->count && !err; i++) {
		const struct journal_places *places = &fold->list[i];
		_cleanup_buffer_ struct buffer place = { 0 };
		json_t *change;

		buffer_append_string(&place, places->place ?: CPU);
		cpuset_append_ranges(&places->cpus, &place);
		change = json_pack("{s:s, s:s}", "for", buffer_text(&place), "setting",
				   places->setting);
		if (!change || json_object_update(change, places->was) ||
		    json_object_update(change, places->now) || place.has_failed)
			err = -ENOMEM;
		err = append(changes, change) ?: err;
		if (!err && places->read)
			err = append(read,
				     json_pack("{s:s, s:s, s:O}", "for", buffer_text(&place),
					       "setting", places->setting, "read", places->read));
	}
	buffer_append_char(changes, ']');
	buffer_append_char(read, ']');
	return err ?: (changes->has_failed || read->has_failed ? -ENOMEM : 0);
}

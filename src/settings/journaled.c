// SPDX-License-Identifier: GPL-2.0-only
/* Describes changes as settings of places, with their values before and after, for the lines of the
 * change journal (docs/spec/journal.md, "Format"). CPUs whose changes are the same share an entry.
 */
#include "settings/journaled.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "host/cpufreq.h"
#include "host/host.h"
#include "host/run_directory.h"
#include "host/topology.h"
#include "settings/settings.h"
#include "sst/values.h"

#define UNKNOWN "null" /* as JSON */

void journaled_done(struct journaled *journaled)
{
	journal_close(&journaled->journal);
	for (size_t i = 0; i < journaled->n_stages; i++)
		journal_entries_done(&journaled->stages[i]);
	free(steal(journaled->stages));
	journaled->n_stages = 0;
}

/* One field of a change: a setting, and its values as JSON texts. */
struct field {
	char setting[48]; /* or its beginning, which the part follows */
	const char *part; /* printable ASCII; or NULL */
	const char *suffix; /* after the part; or NULL */
	char was[40], now[40]; /* JSON */
	/* in place of these two, texts of control groups, of any length; or NULL */
	const char *was_text, *now_text;
	const char *was_word, *now_word; /* or NULL */
};

enum { MOST_FIELDS = 5 };

/* The place of a change of the setting: a new text; NULL: a CPU, or no memory. */
static char *format_place(const struct setting *setting, const struct change *change)
{
	const struct location *location = &change->location;

	if (change->selector)
		return strdup(change->selector);
	if (location->cpu != LOCATION_NO_CPU)
		return NULL;
	if (location->package == LOCATION_NO_PACKAGE)
		return strdup("machine");
	if (setting->place == PLACE_PACKAGE)
		return text_format("package-%u", location->package);
	return location->has_power_domain
		       ? text_format("package-%u powerdomain-%u", location->package,
				     location->power_domain)
		       : text_format("package-%u die-%u", location->package, location->die);
}

static void put_number(char text[40], uint64_t number)
{
	snprintf(text, 40, "%" PRIu64, number);
}

static void put_boolean(char text[40], bool value)
{
	strcpy(text, value ? "true" : "false");
}

static void put_khz(char text[40], uint64_t khz)
{
	char mhz[NUMBER_MHZ_SIZE];

	number_format_mhz((uint32_t)khz, mhz);
	snprintf(text, 40, "%s", mhz);
}

static void put_ratios(char text[40], uint64_t ratios)
{
	snprintf(text, 40, "\"0x%016" PRIx64 "\"", ratios);
}

/* A short text of a kernel file. */
static void put_text(char text[40], const char *value)
{
	size_t length = 0;

	text[length++] = '"';
	for (; *value && length < 37; value++)
		text[length++] = *value < ' ' || *value > '~' || *value == '"' || *value == '\\'
					 ? '?'
					 : *value;
	text[length++] = '"';
	text[length] = '\0';
}

/* How the longest wake-up latency reads: 0 is none, "n/a" is 0. */
static void put_latency(char text[40], const char *value)
{
	uint64_t number = 0;

	if (strncmp(value, "n/a", 3) == 0 || (!number_parse_file(value, &number) && number))
		put_number(text, number);
	else
		strcpy(text, "\"none\"");
}

/* What a file holds. inverted: 1 means false. */
static void put_file(char text[40], enum setting_id id, bool inverted, const char *value)
{
	const struct setting *setting = setting_get(id);
	uint64_t number;

	if (!value)
		strcpy(text, UNKNOWN);
	else if (id == SETTING_QOS_LATENCY)
		put_latency(text, value);
	else if (setting->type == SETTING_TYPE_TEXT || number_parse_file(value, &number))
		put_text(text, value);
	else if (setting->type == SETTING_TYPE_BOOLEAN)
		put_boolean(text, (number != 0) != inverted);
	else if (setting->type == SETTING_TYPE_DECIMAL)
		put_khz(text, (number + setting->file_units / 2) / setting->file_units);
	else if (setting->type == SETTING_TYPE_MHZ || setting->type == SETTING_TYPE_HUNDREDS)
		put_khz(text, number);
	else
		put_number(text, number);
}

/* Adds the field if its values differ. */
static void keep_if_changed(struct field *fields, size_t *count)
{
	*count += strcmp(fields[*count].was, fields[*count].now) != 0;
}

/* The field of a setting, to be filled in. */
static struct field *start(struct field *fields, size_t count, enum setting_id id)
{
	struct field *field = &fields[count];

	*field = (struct field){ 0 };
	snprintf(field->setting, sizeof(field->setting), "%s", setting_get(id)->path);
	return field;
}

/* Before and after a write of Speed Select. before, after: NULL: not known. */
struct pair {
	const struct target_value *before, *after;
};

static void put_boolean_of(char text[40], const struct target_value *value, size_t index)
{
	if (value)
		put_boolean(text, value->numbers[index]);
	else
		strcpy(text, UNKNOWN);
}

static size_t describe_features(const struct pair *pair, struct field *fields)
{
	static const enum setting_id ids[] = {
		[VALUE_BASE_FREQ] = SETTING_BASE_FREQ,
		[VALUE_TURBO_FREQ] = SETTING_TURBO_FREQ,
	};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct field *field = start(fields, count, ids[i]);

		put_boolean_of(field->was, pair->before, i);
		put_boolean_of(field->now, pair->after, i);
		keep_if_changed(fields, &count);
	}
	return count;
}

static size_t describe_core_power(const struct pair *pair, const char *part, struct field *fields)
{
	struct field *field = start(fields, 0, SETTING_CORE_POWER);
	size_t count = 0;

	field->part = part;
	put_boolean_of(field->was, pair->before, VALUE_ENABLED);
	put_boolean_of(field->now, pair->after, VALUE_ENABLED);
	keep_if_changed(fields, &count);
	if (part && strcmp(part, SETTING_PART_PM_CONFIG) == 0)
		return count;
	field = start(fields, count, SETTING_PRIORITY);
	put_text(field->was,
		 pair->before && pair->before->numbers[VALUE_ORDERED] ? "ordered" : "proportional");
	put_text(field->now,
		 pair->after && pair->after->numbers[VALUE_ORDERED] ? "ordered" : "proportional");
	keep_if_changed(fields, &count);
	return count;
}

/* A parameter of a CLOS as a document has it, and its word. */
static const char *put_clos(char text[40], const struct target_value *value, enum setting_id id)
{
	const struct sst_clos clos = value_to_clos(value);

	switch (id) {
	case SETTING_CLOS_MIN:
		put_number(text, clos.min_mhz);
		return clos.min_mhz ? NULL : "min";
	case SETTING_CLOS_MAX:
		put_number(text, clos.unlimited ? SST_RATIO_UNLIMITED * 100U : clos.max_mhz);
		return clos.unlimited ? "max" : NULL;
	case SETTING_CLOS_DESIRED:
		put_number(text, clos.desired_mhz);
		return NULL;
	case SETTING_CLOS_EPP:
		put_number(text, clos.epp);
		return NULL;
	default:
		put_number(text, clos.weight);
		return NULL;
	}
}

static size_t describe_clos(const struct pair *pair, const char *number, struct field *fields)
{
	size_t count = 0;

	for (enum setting_id id = SETTING_CLOS_MIN; id <= SETTING_CLOS_WEIGHT; id++) {
		struct field *field = start(fields, count, id);

		field->suffix = strrchr(setting_get(id)->path, '.');
		*strchr(field->setting, 'N') = '\0';
		field->part = number;
		field->was_word = put_clos(field->was, pair->before, id);
		field->now_word = put_clos(field->now, pair->after, id);
		keep_if_changed(fields, &count);
	}
	return count;
}

/* A value that is one number. */
static size_t describe_number(enum setting_id id, const struct pair *pair, struct field *fields)
{
	struct field *field = start(fields, 0, id);
	void (*put)(char *text, uint64_t number) = id == SETTING_TRL ? put_ratios : put_number;

	strcpy(field->was, UNKNOWN);
	strcpy(field->now, UNKNOWN);
	if (pair->before)
		put(field->was, pair->before->number);
	if (pair->after)
		put(field->now, pair->after->number);
	return 1;
}

static size_t describe_sst(const struct change_subject *subject, const struct pair *pair,
			   struct field *fields)
{
	enum setting_id id = subject->setting - 1;

	switch (id) {
	case SETTING_BASE_FREQ:
		return describe_features(pair, fields);
	case SETTING_CORE_POWER:
		return describe_core_power(pair, subject->part, fields);
	case SETTING_CLOS:
		return describe_clos(pair, subject->part, fields);
	default:
		return describe_number(id, pair, fields);
	}
}

/* A file. was, now: its texts; NULL: not known. */
static size_t describe_file(const struct change_subject *subject, const char *path, const char *was,
			    const char *now, struct field *fields)
{
	enum setting_id id = subject->setting - 1;
	struct field *field = start(fields, 0, id);
	/* the limits that are SST-BF of Cascade Lake-N */
	bool is_limit = id == SETTING_BASE_FREQ;
	bool inverted = id == SETTING_IDLE_STATE ||
			(id == SETTING_TURBO && strcmp(path, CPUFREQ_NO_TURBO) == 0);

	field->part = subject->part;
	if (id == SETTING_IDLE_STATE)
		*strstr(field->setting, "NAME") = '\0';
	if (id == SETTING_OFFLINE_BY) {
		field->was_text = was ?: "";
		field->now_text = now ?: "";
		return 1;
	}
	put_file(field->was, is_limit ? SETTING_CPUFREQ_MAX : id, inverted, was);
	put_file(field->now, is_limit ? SETTING_CPUFREQ_MAX : id, inverted, now);
	return 1;
}

static size_t describe(const struct change *change, const char *found, struct field *fields)
{
	const struct pair pair = { change->has_old_value ? &change->old_value : NULL,
				   &change->value };
	size_t count;

	if (target_is_directory(&change->target)) {
		struct field *field = start(fields, 0, SETTING_OFFLINE_BY);

		field->part = change->subject.part;
		put_boolean(field->was, change->old_value.number);
		put_boolean(field->now, change->value.number);
		return 1;
	}
	if (change->target.path)
		count = describe_file(&change->subject, change->target.path,
				      found         ? found
				      : pair.before ? pair.before->text
						    : NULL,
				      change->value.text, fields);
	else
		count = describe_sst(&change->subject, &pair, fields);
	if (count == 1 && !fields[0].was_word) {
		fields[0].was_word = change->old_word;
		fields[0].now_word = change->word;
	}
	return count;
}

/* What a change alters besides itself, as far as undoing it restores that. */
static size_t describe_undo(const struct change_undo *undo, struct field *fields)
{
	static const struct target_value off;
	enum setting_id id = undo->subject.setting - 1;
	/* a change of the level: SST-BF and SST-TF go off, and its limits are in force */
	const struct pair pair = { &undo->value, id == SETTING_BASE_FREQ ? &off : NULL };
	size_t count = undo->target.path ? describe_file(&undo->subject, undo->target.path,
							 undo->value.text, NULL, fields)
					 : describe_sst(&undo->subject, &pair, fields);

	if (undo->word)
		fields[0].was_word = undo->word;
	if (id == SETTING_TRL)
		fields[0].now_word = "level";
	return count;
}

/* The name of a field with its part, "cpuidle.states.C6": a new text; NULL: no memory. */
static char *format_name(const struct field *field)
{
	const char *part = field->part ?: "";
	bool has_dot = *part && field->setting[strlen(field->setting) - 1] != '.';

	return text_format("%s%s%s%s", field->setting, has_dot ? "." : "", part,
			   field->suffix ?: "");
}

/* A text of a control group as JSON, printable but for its end: a new text; NULL: no memory. */
static char *quote(const char *text)
{
	_cleanup_buffer_ struct buffer quoted = { 0 };

	buffer_append_char(&quoted, '"');
	for (; *text; text++) {
		if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
			buffer_append_char(&quoted, *text);
	}
	buffer_append_char(&quoted, '"');
	return buffer_steal(&quoted, NULL);
}

/* Adds an entry for a field of a change of the setting; without its values if it is_left. */
static int add_field(struct journal_entries *entries, const struct change *change,
		     unsigned int setting, uint32_t cpu, const struct field *field, bool is_left)
{
	bool is_of_cpu = cpu != LOCATION_NO_CPU;
	_cleanup_free_ char *place =
		is_of_cpu ? NULL : format_place(setting_get(setting - 1), change);
	_cleanup_free_ char *name = format_name(field);
	_cleanup_free_ char *was = field->was_text ? quote(field->was_text) : NULL;
	_cleanup_free_ char *now = field->now_text ? quote(field->now_text) : NULL;
	const char *texts[N_ENTRY_TEXTS] = { [ENTRY_PLACE] = place, [ENTRY_SETTING] = name };

	if (!name || !place == !is_of_cpu || !was != !field->was_text || !now != !field->now_text)
		return -ENOMEM;
	if (!is_left) {
		texts[ENTRY_WAS] = was ?: field->was;
		texts[ENTRY_WAS_WORD] = field->was_word;
		texts[ENTRY_NOW] = now ?: field->now;
		texts[ENTRY_NOW_WORD] = field->now_word;
	}
	return journal_entries_add(entries, texts, cpu);
}

/* Adds an entry for each field. */
static int add_fields(struct journal_entries *entries, const struct change *change,
		      unsigned int setting, uint32_t cpu, const struct field *fields, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = add_field(entries, change, setting, cpu, &fields[i], false);
	return err;
}

/* A core's association is named by all its CPUs: it has one value, of whichever a command names. */
static int add_core(struct journal_entries *entries, const struct change *change,
		    const struct topology *topology, const struct field *fields, size_t count)
{
	const struct cpu_place *of = &topology->places[change->location.cpu];
	int err = 0;

	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];
		bool is_of_core = place->has_physical_cpu && !place->core_error &&
				  place->core == of->core && place->package == of->package &&
				  place->die == of->die && place->power_domain == of->power_domain;

		if (!err && (is_of_core || cpu == change->location.cpu))
			err = add_fields(entries, change, change->subject.setting, cpu, fields,
					 count);
	}
	return err;
}

/* Adds what a change resets besides. */
static int add_reset(struct journal_entries *entries, const struct change *change,
		     const struct change_reset *reset)
{
	struct change at = { .location = change->location, .selector = reset->selector };
	struct field fields[MOST_FIELDS];
	size_t count = describe_file(&reset->subject, "", reset->was, reset->now, fields);

	return add_fields(entries, &at, reset->subject.setting,
			  reset->selector ? LOCATION_NO_CPU : change->location.cpu, fields, count);
}

static int add_change(struct journal_entries *entries, const struct change *change,
		      const struct topology *topology, const char *found)
{
	struct field fields[MOST_FIELDS];
	size_t count;
	int err;

	if (!change->subject.setting)
		return 0;
	count = describe(change, found, fields);
	err = change->subject.setting - 1 == SETTING_ASSOC
		      ? add_core(entries, change, topology, fields, count)
		      : add_fields(entries, change, change->subject.setting, change->location.cpu,
				   fields, count);
	for (size_t i = 0; i < change->n_undo && !err; i++) {
		const struct change_undo *undo = &change->undo[i];
		uint32_t cpu = undo->target.path ? undo->cpu : LOCATION_NO_CPU;

		if (undo->subject.setting && undo->subject.setting != change->subject.setting)
			err = add_fields(entries, change, undo->subject.setting, cpu, fields,
					 describe_undo(undo, fields));
	}
	for (const struct change_reset *reset = change->reset; reset && !err; reset = reset->next)
		err = add_reset(entries, change, reset);
	return err;
}

/* Opens the journal if it is not open. */
static int open_journal(struct journaled *journaled, char **ret_reason)
{
	struct host *host = journaled->host;
	int err = journaled->journal
			  ? 0
			  : journal_open(host->files, host->run_directory,
					 &journaled->topology->online, &journaled->journal);

	if (err == -EBADMSG || err == -ELOOP || err == -EINVAL || err == -EPERM)
		*ret_reason = text_format("the change journal %s/" JOURNAL_NAME
					  " cannot be used, and nothing is set without it: %s; "
					  "remove the file",
					  host->run_directory, journal_problem(err));
	else if (err)
		*ret_reason = text_format("the change journal in %s cannot be written (%s), and "
					  "nothing is set without it",
					  host->run_directory, run_directory_problem(err));
	return err;
}

int journaled_record(void *data, const struct change_list *list, size_t first, size_t count,
		     const struct target_value *found, char **ret_reason)
{
	struct journaled *journaled = data;
	_cleanup_journal_entries_ struct journal_entries entries = { 0 };
	_cleanup_free_ char *text = NULL;
	struct journal_entries *stage;
	int err = 0;

	for (size_t i = first; i < first + count && !err; i++) {
		const struct change *change = &list->changes[i];
		const char *read = found ? found[i].text : NULL;

		if (!change->is_read_first || read)
			err = add_change(&entries, change, journaled->topology, read);
	}
	if (err || entries.count == 0)
		return err;
	text = journal_entries_format(&entries);
	if (!text)
		return -ENOMEM;
	err = open_journal(journaled, ret_reason);
	if (err)
		return err;
	stage = array_add(&journaled->stages, &journaled->n_stages, sizeof(*stage));
	if (!stage)
		return -ENOMEM;
	*stage = steal(entries);
	err = journal_begin(journaled->journal, journaled->host->files, &journaled->transaction,
			    text);
	if (err)
		*ret_reason = text_format("the change journal in %s cannot be written (%s), and "
					  "nothing is set without it",
					  journaled->host->run_directory, strerror(-err));
	return err;
}

/* Adds the places of a change that could not be undone. */
static int add_left(struct journal_entries *entries, const struct change *change)
{
	struct field fields[MOST_FIELDS];
	size_t count = change->subject.setting ? describe(change, NULL, fields) : 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = add_field(entries, change, change->subject.setting, change->location.cpu,
				&fields[i], true);
	return err;
}

/* Adds turbo-ratio limits that read otherwise than they were written. */
static int add_read(struct journal_entries *entries, const struct change *change,
		    uint64_t read_back)
{
	const struct setting *setting = setting_get(SETTING_TRL);
	_cleanup_free_ char *place = NULL;
	char text[40];
	const char *texts[N_ENTRY_TEXTS] = { [ENTRY_SETTING] = setting->path, [ENTRY_READ] = text };

	if (change->subject.setting - 1 != SETTING_TRL || read_back == change->value.number)
		return 0;
	place = format_place(setting, change);
	if (!place)
		return -ENOMEM;
	put_ratios(text, read_back);
	texts[ENTRY_PLACE] = place;
	return journal_entries_add(entries, texts, LOCATION_NO_CPU);
}

int journaled_end(struct journaled *journaled, const struct change_list *list,
		  const struct transaction_outcome *outcome, bool recovered, char **ret_reason)
{
	_cleanup_journal_entries_ struct journal_entries left = { 0 }, read = { 0 };
	_cleanup_free_ char *left_text = NULL, *read_text = NULL;
	struct journal_outcome end = { .outcome = JOURNAL_DONE, .recovered = recovered };
	bool is_kept = false, is_undone = outcome->failed;
	int err = 0;

	if (!journaled->journal || !journal_has_begun(journaled->journal))
		return 0;
	for (size_t i = 0; i < outcome->n_effects && !err; i++) {
		enum transaction_state state = outcome->effects[i].state;

		is_kept = is_kept || state == TRANSACTION_MADE;
		is_undone = is_undone || state == TRANSACTION_UNDONE;
		if (state == TRANSACTION_NOT_UNDONE)
			err = add_left(&left, &list->changes[i]);
		else if (state == TRANSACTION_MADE)
			err = add_read(&read, &list->changes[i], outcome->effects[i].read_back);
	}
	if (left.count)
		end.outcome = JOURNAL_MIXED;
	else if (is_undone && !is_kept)
		end.outcome = JOURNAL_UNDONE;
	left_text = left.count ? journal_entries_format(&left) : NULL;
	read_text = read.count ? journal_entries_format(&read) : NULL;
	end.left = left_text;
	end.read = read_text;
	if (err || (left.count && !left_text) || (read.count && !read_text))
		return -ENOMEM;
	err = journal_end(journaled->journal, &end);
	if (err)
		*ret_reason = text_format("the change journal in %s cannot be written (%s)",
					  journaled->host->run_directory, strerror(-err));
	return err;
}

static bool has_part(const struct setting *setting, const char *part)
{
	for (size_t i = 0; setting->parts[i]; i++) {
		if (strcmp(setting->parts[i], part) == 0)
			return true;
	}
	return false;
}

bool journaled_split(const char *name, struct journaled_name *ret_name)
{
	*ret_name = (struct journaled_name){ 0 };
	if (strlen(name) >= sizeof(ret_name->path))
		return false;
	strcpy(ret_name->path, name);
	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		const struct setting *setting = setting_get(id);
		size_t length = strlen(setting->path);

		if (!setting->parts || strncmp(name, setting->path, length) != 0 ||
		    name[length] != '.')
			continue;
		ret_name->path[length] = '\0';
		ret_name->part = name + length + 1;
		return has_part(setting, ret_name->part);
	}
	return true;
}

bool journaled_is(const char *name, enum setting_id id, const char *part)
{
	struct journaled_name split;

	return journaled_split(name, &split) && strcmp(split.path, setting_get(id)->path) == 0 &&
	       (!part || (split.part && strcmp(split.part, part) == 0));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Describes changes for the lines of the change journal: settings, their locations, and their
 * values before and after (docs/spec/journal.md, "Format"). CPUs with the same change share an
 * entry. */
#include "settings/journaled.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "host/host.h"
#include "host/run_directory.h"
#include "host/topology.h"
#include "settings/families.h"
#include "sst/values.h"

void journaled_done(struct journaled *journaled)
{
	journal_close(&journaled->journal);
	for (size_t i = 0; i < journaled->n_stages; i++)
		journal_entries_done(&journaled->stages[i]);
	free(steal(journaled->stages));
	journaled->n_stages = 0;
}

/* One field of a change: a setting, and its values. */
struct field {
	char setting[48]; /* or its beginning, before a part */
	const char *part; /* printable ASCII; or NULL */
	const char *suffix; /* after the part; or NULL */
	struct state_value was, now; /* STATE_NONE: unknown */
	const char *was_word, *now_word; /* or NULL */
};

enum { MOST_FIELDS = 5 };

/* Formats the location of a change as a new text; NULL: a CPU, or no memory. */
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

/* Formats a value as JSON: a new text; NULL: no memory. Texts of kernel files are printable, except
 * the end of a line. */
static char *format_value(const struct state_value *value)
{
	_cleanup_free_ char *text = value->kind ? state_value_format(value) : strdup("null");
	_cleanup_buffer_ struct buffer quoted = { 0 };

	if (!text || (value->kind != STATE_WORD && value->kind != STATE_RATIOS))
		return steal(text);
	buffer_append_char(&quoted, '"');
	for (const char *at = text; *at; at++) {
		bool is_plain = *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\';

		if (*at != '\n')
			buffer_append_char(&quoted, is_plain ? *at : '?');
	}
	buffer_append_char(&quoted, '"');
	return buffer_steal(&quoted, NULL);
}

/* Converts the text of a file to a value. NULL: it is unknown. inverted: 1 means false. */
static struct state_value value_of_file(enum setting_id id, bool inverted, const char *text)
{
	struct state_value value = { .kind = STATE_NONE };

	if (text)
		value = value_of_text(id, text);
	if (value.kind == STATE_BOOLEAN && inverted)
		value.number = !value.number;
	return value;
}

/* Adds the field if its values differ. */
static void keep_if_changed(struct field *fields, size_t *count)
{
	*count += !state_value_equal(&fields[*count].was, &fields[*count].now);
}

/* Starts a field of a setting; the caller sets its values. */
static struct field *start(struct field *fields, size_t count, enum setting_id id)
{
	struct field *field = &fields[count];

	*field = (struct field){ 0 };
	snprintf(field->setting, sizeof(field->setting), "%s", setting_get(id)->path);
	return field;
}

/* Values before and after a write of Speed Select; NULL: unknown. */
struct pair {
	const struct target_value *before, *after;
};

static struct state_value boolean_of(const struct target_value *value, size_t index)
{
	return value ? value_of(STATE_BOOLEAN, value->numbers[index] != 0)
		     : (struct state_value){ .kind = STATE_NONE };
}

static struct state_value priority_of(const struct target_value *value)
{
	return value_of_word(value && value->numbers[VALUE_ORDERED] ? "ordered" : "proportional");
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

		field->was = boolean_of(pair->before, i);
		field->now = boolean_of(pair->after, i);
		keep_if_changed(fields, &count);
	}
	return count;
}

static size_t describe_core_power(const struct pair *pair, const char *part, struct field *fields)
{
	struct field *field = start(fields, 0, SETTING_CORE_POWER);
	size_t count = 0;

	field->part = part;
	field->was = boolean_of(pair->before, VALUE_ENABLED);
	field->now = boolean_of(pair->after, VALUE_ENABLED);
	keep_if_changed(fields, &count);
	if (part && strcmp(part, SETTING_PART_PM_CONFIG) == 0)
		return count;
	field = start(fields, count, SETTING_PRIORITY);
	field->was = priority_of(pair->before);
	field->now = priority_of(pair->after);
	keep_if_changed(fields, &count);
	return count;
}

static size_t describe_clos(const struct pair *pair, const char *number, struct field *fields)
{
	size_t count = 0;

	for (enum setting_id id = SETTING_CLOS_MIN; id <= SETTING_CLOS_WEIGHT; id++) {
		struct field *field = start(fields, count, id);

		field->suffix = strrchr(setting_get(id)->path, '.');
		*strchr(field->setting, 'N') = '\0';
		field->part = number;
		field->was = sst_value_of_clos(id, pair->before);
		field->now = sst_value_of_clos(id, pair->after);
		field->was_word = sst_find_clos_word(id, &field->was);
		field->now_word = sst_find_clos_word(id, &field->now);
		keep_if_changed(fields, &count);
	}
	return count;
}

/* Describes a value that is one number. */
static size_t describe_number(enum setting_id id, const struct pair *pair, struct field *fields)
{
	struct field *field = start(fields, 0, id);
	enum state_kind kind = id == SETTING_TRL ? STATE_RATIOS : STATE_NUMBER;

	if (pair->before)
		field->was = value_of(kind, pair->before->number);
	if (pair->after)
		field->now = value_of(kind, pair->after->number);
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

/* Describes a write of a file. was, now: its texts; NULL: unknown. */
static size_t describe_file(const struct change_subject *subject, const char *path, const char *was,
			    const char *now, struct field *fields)
{
	enum setting_id id = subject->setting - 1;
	struct field *field = start(fields, 0, id);
	bool inverted = id == SETTING_IDLE_STATE ||
			(id == SETTING_TURBO && strcmp(path, CPUFREQ_NO_TURBO) == 0);

	field->part = subject->part;
	if (id == SETTING_IDLE_STATE)
		*strstr(field->setting, "NAME") = '\0';
	if (id == SETTING_OFFLINE_BY) {
		field->was = value_of_word(was ?: "");
		field->now = value_of_word(now ?: "");
		return 1;
	}
	/* limits implement SST-BF on Cascade Lake-N */
	if (id == SETTING_BASE_FREQ)
		id = SETTING_CPUFREQ_MAX;
	field->was = value_of_file(id, inverted, was);
	field->now = value_of_file(id, inverted, now);
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
		field->was = value_of(STATE_BOOLEAN, change->old_value.number);
		field->now = value_of(STATE_BOOLEAN, change->value.number);
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

/* Describes what else a change alters, if undoing the change restores it. */
static size_t describe_undo(const struct change_undo *undo, struct field *fields)
{
	static const struct target_value off;
	enum setting_id id = undo->subject.setting - 1;
	/* a change of the level: SST-BF and SST-TF go off, and the limits of the level apply */
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

/* Adds an entry for a field of a change. is_left: without its values. */
static int add_field(struct journal_entries *entries, const struct change *change,
		     unsigned int setting, uint32_t cpu, const struct field *field, bool is_left)
{
	bool is_of_cpu = cpu != LOCATION_NO_CPU;
	_cleanup_free_ char *place =
		is_of_cpu ? NULL : format_place(setting_get(setting - 1), change);
	_cleanup_free_ char *name = format_name(field);
	_cleanup_free_ char *was = format_value(&field->was), *now = format_value(&field->now);
	const char *texts[N_ENTRY_TEXTS] = { [ENTRY_PLACE] = place, [ENTRY_SETTING] = name };

	if (!name || !place == !is_of_cpu || !was || !now)
		return -ENOMEM;
	if (!is_left) {
		texts[ENTRY_WAS] = was;
		texts[ENTRY_WAS_WORD] = field->was_word;
		texts[ENTRY_NOW] = now;
		texts[ENTRY_NOW_WORD] = field->now_word;
	}
	return journal_entries_add(entries, texts, cpu);
}

static int add_fields(struct journal_entries *entries, const struct change *change,
		      unsigned int setting, uint32_t cpu, const struct field *fields, size_t count,
		      bool is_left)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = add_field(entries, change, setting, cpu, &fields[i], is_left);
	return err;
}

/* Adds the association of a core with all its CPUs, whichever of them a command names. */
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
					 count, false);
	}
	return err;
}

/* Adds a setting that a change also resets. */
static int add_reset(struct journal_entries *entries, const struct change *change,
		     const struct change_reset *reset)
{
	struct change at = { .location = change->location, .selector = reset->selector };
	struct field fields[MOST_FIELDS];
	size_t count = describe_file(&reset->subject, "", reset->was, reset->now, fields);

	return add_fields(entries, &at, reset->subject.setting,
			  reset->selector ? LOCATION_NO_CPU : change->location.cpu, fields, count,
			  false);
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
				   fields, count, false);
	for (size_t i = 0; i < change->n_undo && !err; i++) {
		const struct change_undo *undo = &change->undo[i];
		uint32_t cpu = undo->target.path ? undo->cpu : LOCATION_NO_CPU;

		if (undo->subject.setting && undo->subject.setting != change->subject.setting)
			err = add_fields(entries, change, undo->subject.setting, cpu, fields,
					 describe_undo(undo, fields), false);
	}
	for (const struct change_reset *reset = change->reset; reset && !err; reset = reset->next)
		err = add_reset(entries, change, reset);
	return err;
}

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

/* Adds the entries of a change that could not be undone. */
static int add_left(struct journal_entries *entries, const struct change *change)
{
	struct field fields[MOST_FIELDS];
	size_t count = change->subject.setting ? describe(change, NULL, fields) : 0;

	return add_fields(entries, change, change->subject.setting, change->location.cpu, fields,
			  count, true);
}

/* Adds turbo-ratio limits that differ from the written ones when they are read back. */
static int add_read(struct journal_entries *entries, const struct change *change,
		    uint64_t read_back)
{
	const struct setting *setting = setting_get(SETTING_TRL);
	const struct state_value read = value_of(STATE_RATIOS, read_back);
	_cleanup_free_ char *place = NULL, *text = NULL;

	if (change->subject.setting - 1 != SETTING_TRL || read_back == change->value.number)
		return 0;
	place = format_place(setting, change);
	text = format_value(&read);
	if (!place || !text)
		return -ENOMEM;
	return journal_entries_add(entries,
				   (const char *const[N_ENTRY_TEXTS]){ [ENTRY_PLACE] = place,
								       [ENTRY_SETTING] =
									       setting->path,
								       [ENTRY_READ] = text },
				   LOCATION_NO_CPU);
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

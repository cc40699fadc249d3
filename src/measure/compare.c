// SPDX-License-Identifier: GPL-2.0-only
/* Sorts saved measurements into groups, and compares the figures and settings of each group with
 * those of the first. */
#include "measure/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "host/run_directory.h"
#include "measure/trial.h"

#define SESSIONS                                                                                  \
	"runs of different sessions differ by more than chance: if a session shifts all of its "  \
	"runs by their standard deviation, 12 to 40 % of such results are false alarms; measure " \
	"try lets both sides take turns"
#define SAME_LENGTH 0.05 /* runs whose lengths differ by less are equally long */

/* Runs of the same settings. */
struct group {
	const struct saved_run *first;
	size_t side; /* of measure try: SAVED_WITHOUT or SAVED_WITH */
	char *key; /* what the files of a group have in common */
	json_t *files;
	json_t *figures; /* for each name an array of values */
	size_t n_runs; /* the largest number of values of a figure */
};

struct groups {
	struct group *list;
	size_t count;
};

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free(groups->list[i].key);
		json_decref(groups->list[i].files);
		json_decref(groups->list[i].figures);
	}
	free(groups->list);
}

static const char command_word[] = "command"; /* if there is no memory for its words */

/* Adds the work as the user gave it: "scalar:0-3", "pipe 4,5", "command sh -c ...". */
static void take_given(const json_t *words, json_t *work)
{
	_cleanup_buffer_ struct buffer command = { 0 };
	bool is_command = false;
	const char *option = "";
	const json_t *word;
	size_t i;

	json_array_foreach (words, i, word) {
		const char *text = json_string_value(word) ?: "";

		if (is_command) {
			buffer_append_char(&command, ' ');
			buffer_append_string(&command, text);
		} else if (strncmp(text, "--", 2) == 0) {
			option = text;
			is_command = text[2] == '\0';
		} else {
			_cleanup_free_ char *given =
				text_format("%s%s", strcmp(option, "--pipe") ? "" : "pipe ", text);

			json_object_set_new(work, given ?: text, json_true());
		}
	}
	if (is_command) {
		_cleanup_free_ char *given = text_format("command%s", buffer_text(&command));

		json_object_set_new(work, given ?: command_word, json_true());
	}
}

/* Makes an object of the work: the loads, a pipe, a command. If the file does not have the given
 * words, the object has only the kinds of work. */
static json_t *find_work(const struct saved_run *run)
{
	static const char *const members[] = {
		"load", "by", "forced", "interval-us", "seconds-of-a-step", "disturbed-by"
	};
	json_t *work = json_object();
	size_t i;

	take_given(run->given_work, work);
	if (json_object_size(work))
		return work;
	for (i = 0; i < run->trial.work.count; i++)
		json_object_set_new(work, run->trial.work.list[i], json_true());
	if (run->kind == SAVED_RUN_TRY)
		return work;
	if (run->kind == SAVED_RUN_RUN) {
		for (i = 0; i < run->run.n_cpus; i++) {
			if (run->run.cpus[i].load)
				json_object_set_new(work, run->run.cpus[i].load, json_true());
		}
		if (run->run.has_process)
			json_object_set_new(work, command_word, json_true());
		return work;
	}
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		json_t *value = json_object_get(run->json, members[i]);

		if (value)
			json_object_set(work, members[i], value);
	}
	return work;
}

static char *dump(const json_t *value)
{
	return json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT);
}

/* The measured CPUs: "0-3,28-31"; "" for a trial. NULL: no memory. */
static char *format_cpus(const struct saved_run *run)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = 0;

	for (size_t i = 0; i < run->run.n_cpus && !err; i++)
		err = cpuset_add(&cpus, run->run.cpus[i].cpu);
	for (size_t i = 0; i < run->wake.n_cpus && !err; i++)
		err = cpuset_add(&cpus, run->wake.cpus[i].cpu);
	for (size_t i = 0; i < run->jitter.n_cpus && !err; i++)
		err = cpuset_add(&cpus, run->jitter.cpus[i].cpu);
	if (err)
		return NULL;
	return cpuset_format_ranges(&cpus);
}

/* What the files of a group have in common, as a text. NULL: no memory. */
static char *make_key(const struct saved_run *run, size_t side)
{
	_cleanup_json_ json_t *work = find_work(run);
	_cleanup_free_ char *cpus = format_cpus(run);
	_cleanup_json_ json_t *key =
		json_pack("[i, i, s?, s?, s?, O?, O?, O, s]", (int)run->kind, (int)side, run->model,
			  run->about.kernel, run->about.processor, run->state, run->document, work,
			  cpus ?: "");

	return key && cpus ? dump(key) : NULL;
}

/* The group that a file belongs to, which may be a new one. NULL: no memory. */
static struct group *find_group(struct groups *groups, const struct saved_run *run, size_t side)
{
	_cleanup_free_ char *key = make_key(run, side);
	struct group *group;

	for (size_t i = 0; i < groups->count && key; i++) {
		if (strcmp(groups->list[i].key, key) == 0)
			return &groups->list[i];
	}
	group = key ? array_add(&groups->list, &groups->count, sizeof(*group)) : NULL;
	if (!group)
		return NULL;
	*group = (struct group){
		.first = run,
		.side = side,
		.key = steal(key),
		.files = json_array(),
		.figures = json_object(),
	};
	return group;
}

static int add_side(struct group *group, const struct saved_run *run, size_t side)
{
	json_array_append_new(group->files, json_string(run->file));
	for (size_t i = 0; i < run->sides[side].n_figures; i++) {
		const struct saved_figure *figure = &run->sides[side].figures[i];
		json_t *values = json_object_get(group->figures, figure->name);

		if (!values) {
			values = json_array();
			if (json_object_set_new(group->figures, figure->name, values))
				return -ENOMEM;
		}
		for (size_t j = 0; j < figure->n_values; j++) {
			if (json_array_append_new(values, json_real(figure->values[j])))
				return -ENOMEM;
		}
		if (json_array_size(values) > group->n_runs)
			group->n_runs = json_array_size(values);
	}
	return 0;
}

static int make_groups(const struct saved_run *runs, size_t count, struct groups *groups)
{
	for (size_t i = 0; i < count; i++) {
		const size_t n_sides = runs[i].kind == SAVED_RUN_TRY ? SAVED_SIDES : 1;

		for (size_t side = 0; side < n_sides; side++) {
			struct group *group = find_group(groups, &runs[i], side);

			if (!group || !group->files || !group->figures ||
			    add_side(group, &runs[i], side))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Figures. */

/* The values of an array as numbers. NULL: no memory. */
static double *take_values(const json_t *values)
{
	double *list = calloc(json_array_size(values) + 1, sizeof(*list));

	for (size_t i = 0; list && i < json_array_size(values); i++)
		list[i] = json_number_value(json_array_get(values, i));
	return list;
}

static int compare_figures(const struct group *reference, const struct group *group,
			   struct compare_group *to)
{
	const char *name;
	json_t *values;

	to->figures = calloc(json_object_size(reference->figures) + 1, sizeof(*to->figures));
	if (!to->figures)
		return -ENOMEM;
	json_object_foreach (reference->figures, name, values) {
		const json_t *others = json_object_get(group->figures, name);
		_cleanup_free_ double *left = take_values(values), *right = take_values(others);
		struct trial trial;

		if (!others)
			continue;
		if (!left || !right ||
		    trial_of_files(left, json_array_size(values), right, json_array_size(others),
				   &trial))
			return -ENOMEM;
		to->figures[to->n_figures++] = (struct trial_figure){
			.figure = name,
			.without = figure_make_exact(trial.without),
			.with = figure_make_exact(trial.with),
			.change_percent = trial_percent(true, trial.change),
			.low_percent = trial_percent(trial.has_interval, trial.low),
			.high_percent = trial_percent(trial.has_interval, trial.high),
			.result = trial.has_interval ? trial_word(trial.verdict) : NULL,
		};
	}
	return 0;
}

/* Settings. */

/* Adds the members of an object; their paths are the names: "core-power.clos.0.min-mhz". */
static int flatten(const json_t *object, const char *path, const char *on, json_t *settings)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
		_cleanup_free_ char *name = text_format("%s%s%s", path, *path ? "." : "", key);
		json_t *places;
		int err = 0;

		if (!name)
			return -ENOMEM;
		if (!*path && (strcmp(key, "for") == 0 || strcmp(key, "comment") == 0 ||
			       strcmp(key, "optional") == 0))
			continue;
		if (json_is_object(value)) {
			err = flatten(value, name, on, settings);
		} else {
			if (!json_object_get(settings, name))
				json_object_set_new(settings, name, json_object());
			places = json_object_get(settings, name);
			err = places && !json_object_set(places, on, value) ? 0 : -ENOMEM;
		}
		if (err)
			return err;
	}
	return 0;
}

/* Adds the settings of a document. The selectors begin with before. */
static int flatten_document(const json_t *document, const char *before, json_t *settings)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (saved_settings(document), i, entry) {
		_cleanup_free_ char *on =
			text_format("%s%s", before, json_get_text(entry, "for") ?: "");
		int err = on ? flatten(entry, "", on, settings) : -ENOMEM;

		if (err)
			return err;
	}
	return 0;
}

/* The settings of a group: for each member the selectors and values. Selectors of settings from
 * measure try are "tried on ON". NULL: no memory. */
static json_t *find_settings(const struct group *group)
{
	_cleanup_json_ json_t *settings = json_object();
	int err = settings ? flatten_document(group->first->state, "", settings) : -ENOMEM;

	if (!err && group->side == SAVED_WITH)
		err = flatten_document(group->first->document, "tried on ", settings);
	return err ? NULL : steal(settings);
}

/* Adds the members that differ between two objects of settings. */
static int diff_settings(const json_t *reference, const json_t *value, json_t *differences)
{
	const json_t *const sides[] = { reference, value };
	json_t *places;
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		json_object_foreach ((json_t *)(uintptr_t)sides[i], name, places) {
			json_t *left = json_object_get(reference, name);
			json_t *right = json_object_get(value, name);

			if ((left && right && json_equal(left, right)) ||
			    json_object_get(differences, name))
				continue;
			if (json_object_set_new(differences, name,
						json_pack("{s:O?, s:O?}", "reference", left,
							  "value", right)))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Warnings. */

static int add_warning(struct texts *warnings, char *text)
{
	return texts_take(warnings, text) ? 0 : -ENOMEM;
}

/* The work as a text: "pipe, scalar". NULL: no memory. */
static char *format_work(const struct saved_run *run)
{
	_cleanup_json_ json_t *work = find_work(run);
	_cleanup_buffer_ struct buffer text = { 0 };
	const char *word;
	json_t *value;

	json_object_foreach (work, word, value) {
		_cleanup_free_ char *shown = json_is_true(value) ? NULL : dump(value);

		buffer_add_item(&text, ", ", "%s%s%s", word, shown ? " " : "", shown ?: "");
	}
	return text.length ? buffer_steal(&text, NULL) : strdup("none");
}

/* Warns if a text that describes both groups differs. */
static int compare_texts(struct texts *warnings, const char *what, const char *reference,
			 const char *value)
{
	if (strcmp(reference ?: "", value ?: "") == 0)
		return 0;
	return add_warning(warnings, text_format("%s: %s, not %s", what, value ?: "unknown",
						 reference ?: "unknown"));
}

/* Warns if runs of a load or a pipe are longer in one group: a load that warms the machine for
 * longer gives different figures. The duration of a command is a result and is not checked. */
static int compare_lengths(struct texts *warnings, const struct saved_run *left,
			   const struct saved_run *right)
{
	const struct {
		const char *member, *unit;
	} lengths[] = { { "seconds", "s" }, { "samples-wanted", "rounds" } };

	if (left->run.has_process || right->run.has_process)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		const json_t *first = json_object_get(left->json, lengths[i].member);
		const json_t *second = json_object_get(right->json, lengths[i].member);
		const double a = json_number_value(first), b = json_number_value(second);

		if (first && second && fabs(a - b) > SAME_LENGTH * fmax(a, b))
			return add_warning(warnings,
					   text_format("another length: %.6g %s, not %.6g", b,
						       lengths[i].unit, a));
	}
	return 0;
}

static int compare_conditions(const struct group *reference, const struct group *group,
			      struct texts *warnings)
{
	const struct saved_run *left = reference->first, *right = group->first;
	_cleanup_free_ char *left_work = format_work(left), *right_work = format_work(right);
	_cleanup_free_ char *left_machine = dump(json_object_get(left->state, "require"));
	_cleanup_free_ char *right_machine = dump(json_object_get(right->state, "require"));
	_cleanup_free_ char *left_cpus = format_cpus(left), *right_cpus = format_cpus(right);
	int err = compare_texts(warnings, "another processor", left->about.processor,
				right->about.processor);

	if (!err)
		err = compare_texts(warnings, "another machine", left_machine, right_machine);
	if (!err)
		err = compare_texts(warnings, "another kernel", left->about.kernel,
				    right->about.kernel);
	if (!err)
		err = compare_texts(warnings, "other work", left_work, right_work);
	if (!err && strcmp(left_machine ?: "", right_machine ?: "") == 0 && left_cpus &&
	    right_cpus && *left_cpus && *right_cpus)
		err = compare_texts(warnings, "other CPUs", left_cpus, right_cpus);
	return err ? err : compare_lengths(warnings, left, right);
}

/* Results. */

static void describe(const struct group *group, struct compare_group *to)
{
	static const char *const sides[] = { "without", "with" };

	*to = (struct compare_group){
		.files = json_incref(group->files),
		.side = group->first->kind == SAVED_RUN_TRY ? sides[group->side] : NULL,
		.runs = figure_make_count(group->n_runs, NULL),
	};
}

/* Describes the figures of the only group: the mean, lowest and highest values of its runs. */
static int describe_figures(const struct group *group, struct compare_group *to)
{
	const char *name;
	json_t *values;

	to->spread = calloc(json_object_size(group->figures) + 1, sizeof(*to->spread));
	if (!to->spread)
		return -ENOMEM;
	to->is_alone = true;
	json_object_foreach (group->figures, name, values) {
		_cleanup_free_ double *numbers = take_values(values);
		const size_t count = json_array_size(values);
		double low = 0, high = 0, sum = 0;

		if (!numbers)
			return -ENOMEM;
		for (size_t i = 0; i < count; i++) {
			low = i && low < numbers[i] ? low : numbers[i];
			high = i && high > numbers[i] ? high : numbers[i];
			sum += log(numbers[i]);
		}
		/* rounded logarithms can move the mean out of low to high */
		to->spread[to->n_spread++] = (struct spread_figure){
			.figure = name,
			.mean = figure_make_exact(fmin(fmax(exp(sum / (double)count), low), high)),
			.lowest = figure_make_exact(low),
			.highest = figure_make_exact(high),
		};
	}
	return 0;
}

/* Returns true if a figure has a verdict. */
static bool has_result(const struct compare_group *group)
{
	for (size_t i = 0; i < group->n_figures; i++) {
		if (group->figures[i].result)
			return true;
	}
	return false;
}

static int compare_group(const struct group *reference, const struct group *group,
			 struct compare_group *to)
{
	_cleanup_json_ json_t *left = find_settings(reference), *right = find_settings(group);
	int err;

	describe(group, to);
	to->settings = json_object();
	if (!left || !right || !to->settings)
		return -ENOMEM;
	err = compare_figures(reference, group, to);
	if (!err)
		err = compare_conditions(reference, group, &to->warnings);
	/* the two sides of one file of measure try took turns */
	if (reference->first != group->first && has_result(to))
		to->note = SESSIONS;
	return err ? err : diff_settings(left, right, to->settings);
}

/* Returns true if both measurements have the same kinds of figures. */
static bool is_comparable(const struct saved_run *left, const struct saved_run *right)
{
	const bool left_runs = left->kind == SAVED_RUN_RUN || left->kind == SAVED_RUN_TRY;
	const bool right_runs = right->kind == SAVED_RUN_RUN || right->kind == SAVED_RUN_TRY;

	return left->kind == right->kind || (left_runs && right_runs);
}

/* Copies the names of figures, which belong to the groups, to texts. */
static int keep_names(struct compare_result *result, struct texts *texts)
{
	for (size_t i = 0; i < result->reference.n_spread; i++) {
		const char **name = &result->reference.spread[i].figure;

		*name = texts_take(texts, strdup(*name));
	}
	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct compare_group *group = &result->comparisons[i];

		for (size_t j = 0; j < group->n_figures; j++)
			group->figures[j].figure =
				texts_take(texts, strdup(group->figures[j].figure));
	}
	return texts->has_failed ? -ENOMEM : 0;
}

/* Checks that all files are of one command. If not, *ret_problem is the message. */
static int check_kinds(const struct saved_run *runs, size_t count, char **ret_problem)
{
	for (size_t i = 1; i < count; i++) {
		if (is_comparable(&runs[0], &runs[i]))
			continue;
		*ret_problem = text_format("%s is of measure %s, and %s of measure %s: only those "
					   "of one command can be compared",
					   runs[0].file, saved_run_command(runs[0].kind),
					   runs[i].file, saved_run_command(runs[i].kind));
		return *ret_problem ? -EINVAL : -ENOMEM;
	}
	return 0;
}

int compare_runs(const struct saved_run *runs, size_t count, struct texts *texts,
		 struct compare_result *result, char **ret_problem)
{
	_cleanup_(groups_done) struct groups groups = { 0 };
	int err = check_kinds(runs, count, ret_problem);

	if (!err)
		err = make_groups(runs, count, &groups);
	if (err)
		return err;
	result->comparisons = calloc(groups.count, sizeof(*result->comparisons));
	if (!result->comparisons)
		return -ENOMEM;
	describe(&groups.list[0], &result->reference);
	/* runs of one group differ only by chance */
	if (groups.count == 1)
		err = describe_figures(&groups.list[0], &result->reference);
	for (size_t i = 1; i < groups.count && !err; i++)
		err = compare_group(&groups.list[0], &groups.list[i],
				    &result->comparisons[result->n_comparisons++]);
	return err ? err : keep_names(result, texts);
}

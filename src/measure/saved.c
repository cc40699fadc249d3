// SPDX-License-Identifier: GPL-2.0-only
/* Reads files of --save. Checks every member that is used, and leaves the others unchecked. */
#include "measure/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/json_fields.h"
#include "host/host.h"
#include "measure/run_figures.h"
#include "state/document.h"

static const char *const commands[SAVED_RUN_KINDS + 1] = {
	[SAVED_RUN_RUN] = "run",       [SAVED_RUN_WAKE] = "wake", [SAVED_RUN_JITTER] = "jitter",
	[SAVED_RUN_LADDER] = "ladder", [SAVED_RUN_TRY] = "try",
};

const char *saved_model_prefix(const char *model)
{
	static const char recording[] = "recording of ";

	return model && strncmp(model, recording, strlen(recording)) != 0 ? HOST_MODEL_MEMBER
		       " machine "
									  : "";
}

const char *saved_run_command(enum saved_run_kind kind)
{
	return commands[kind];
}

static void side_done(struct saved_side *side)
{
	for (size_t i = 0; i < side->n_figures; i++) {
		free(side->figures[i].name);
		free(side->figures[i].values);
	}
	free(side->figures);
}

void saved_run_done(struct saved_run *run)
{
	for (size_t i = 0; i < SAVED_SIDES; i++)
		side_done(&run->sides[i]);
	json_free_fields(measured_machine_fields, &run->about);
	json_free_fields(described_machine_fields, &run->machine);
	run_window_done(&run->run);
	ladder_result_done(&run->ladder);
	json_free_fields(trial_result_fields, &run->trial);
	json_free_fields(wake_result_fields, &run->wake);
	json_free_fields(jitter_result_fields, &run->jitter);
	json_decref(run->json);
	*run = (struct saved_run){ 0 };
}

void saved_runs_done(struct saved_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		saved_run_done(&runs->list[i]);
	free(runs->list);
}

const struct saved_figure *saved_side_find(const struct saved_side *side, const char *name)
{
	for (size_t i = 0; i < side->n_figures; i++) {
		if (strcmp(side->figures[i].name, name) == 0)
			return &side->figures[i];
	}
	return NULL;
}

/* The file that is being read. */
struct reading {
	struct saved_run run;
	struct saved_side *side; /* figures are added to this side */
	bool is_single; /* a figure has one value */
	const char *cpu; /* the prefix of the names of figures */
};

/* Adds a value to the figure with this name. Frees or keeps name (NULL: no memory). */
static void take_figure(struct json_reader *reader, struct reading *reading, char *name,
			double value)
{
	_cleanup_free_ char *owned = name;
	struct saved_figure *figure;
	double *element;

	if (!name) {
		json_refuse_memory(reader);
		return;
	}
	figure = (struct saved_figure *)(uintptr_t)saved_side_find(reading->side, name);
	if (figure && reading->is_single) {
		json_refuse(reader, NULL, "\"%s\" is given twice", name);
		return;
	}
	if (!figure && reading->side->n_figures == SAVED_RUN_MAX_FIGURES) {
		json_refuse(reader, NULL, "has more than %d figures", SAVED_RUN_MAX_FIGURES);
		return;
	}
	if (!figure)
		figure = array_add(&reading->side->figures, &reading->side->n_figures,
				   sizeof(*figure));
	if (figure && !figure->name)
		figure->name = steal(owned);
	element = figure ? array_add(&figure->values, &figure->n_values, sizeof(*element)) : NULL;
	if (!element)
		json_refuse_memory(reader);
	else
		*element = value;
}

/* measure run. */

static void take_window(struct json_reader *reader, struct reading *reading,
			const struct run_window *window)
{
	for (enum run_figure i = 0; i < RUN_FIGURES && !reader->err; i++) {
		const struct figure figure = run_figure_get(window, i);

		if (figure_is_known(&figure))
			take_figure(reader, reading, strdup(run_figure_name(i)), figure.value);
	}
}

static void read_run(struct json_reader *reader, json_t *json, struct reading *reading)
{
	const struct run_window *window = &reading->run.run;

	json_read_fields(reader, json, run_window_fields, &reading->run.run);
	reading->is_single = !window->intervals;
	if (!window->intervals)
		take_window(reader, reading, window);
	for (size_t i = 0; i < window->n_intervals; i++)
		take_window(reader, reading, &window->intervals[i]);
}

/* measure wake and jitter. */

/* Adds the figures of a structure that are compared between files. Their names are "cpu-3 p50-us of
 * C6 after 100 us"; if there is only one CPU, "cpu-3 " is left out. */
static void take_fields(struct json_reader *reader, struct reading *reading,
			const struct json_field *fields, const void *from, const char *after)
{
	for (const struct json_field *field = fields; field->name; field++) {
		const struct figure *figure = (const void *)((const char *)from + field->offset);

		if (field->is_compared && figure->value > 0)
			take_figure(reader, reading,
				    text_format("%s%s%s", reading->cpu, field->name, after),
				    figure->value);
	}
}

/* Sets the prefix for the names of a CPU's figures. */
static void enter_cpu(struct reading *reading, uint32_t cpu, size_t n_cpus, char text[16])
{
	snprintf(text, 16, "cpu-%" PRIu32 " ", cpu);
	reading->cpu = n_cpus > 1 ? text : "";
}

/* Adds the rows of a CPU. A row does not count if another state was requested. */
static void take_wake_cpu(struct json_reader *reader, struct reading *reading, size_t at)
{
	const struct wake_cpu *cpu = &reading->run.wake.cpus[at];
	char text[16];

	enter_cpu(reading, cpu->cpu, reading->run.wake.n_cpus, text);
	for (size_t i = 0; i < cpu->n_rows && !reader->err; i++) {
		const struct wake_row *row = &cpu->rows[i];
		_cleanup_free_ char *after =
			text_format(" of %s after %.0f us", row->state, row->gap_us.value);

		snprintf(reader->path, sizeof(reader->path), "cpus[%zu].rows[%zu]", at, i);
		if (after && !row->requested)
			take_fields(reader, reading, wake_row_fields, row, after);
	}
}

static void read_wake(struct json_reader *reader, json_t *json, struct reading *reading)
{
	json_read_fields(reader, json, wake_result_fields, &reading->run.wake);
	for (size_t i = 0; i < reading->run.wake.n_cpus && !reader->err; i++)
		take_wake_cpu(reader, reading, i);
}

static void read_jitter(struct json_reader *reader, json_t *json, struct reading *reading)
{
	const struct jitter_result *result = &reading->run.jitter;
	char text[16];

	json_read_fields(reader, json, jitter_result_fields, &reading->run.jitter);
	for (size_t i = 0; i < result->n_cpus && !reader->err; i++) {
		enter_cpu(reading, result->cpus[i].cpu, result->n_cpus, text);
		take_fields(reader, reading, jitter_cpu_fields, &result->cpus[i], "");
	}
}

/* A step has the frequency of its slowest core. */
static void read_ladder(struct json_reader *reader, json_t *json, struct reading *reading)
{
	const struct ladder_result *ladder = &reading->run.ladder;

	json_read_fields(reader, json, ladder_result_fields, &reading->run.ladder);
	for (size_t i = 0; i < ladder->n_steps && !reader->err; i++) {
		const struct ladder_step *step = &ladder->steps[i];
		double least = 0;

		for (size_t j = 0; j < step->n_groups; j++) {
			const double mhz = step->groups[j].measured_mhz.value;

			least = mhz > 0 && (least <= 0 || mhz < least) ? mhz : least;
		}
		snprintf(reader->path, sizeof(reader->path), "steps[%zu]", i);
		if (!figure_is_known(&step->cores))
			json_refuse(reader, "cores", "must be a whole number");
		else if (least > 0)
			take_figure(reader, reading,
				    text_format("mhz with %.0f cores", step->cores.value), least);
	}
}

static void read_trial(struct json_reader *reader, json_t *json, struct reading *reading)
{
	json_read_fields(reader, json, trial_result_fields, &reading->run.trial);
	for (size_t i = 0; i < reading->run.trial.n_samples && !reader->err; i++) {
		const struct trial_sample *sample = &reading->run.trial.samples[i];

		reading->side = &reading->run.sides[sample->is_with ? SAVED_WITH : SAVED_WITHOUT];
		take_fields(reader, reading, trial_sample_fields, sample, "");
	}
}

static void read_kind(struct json_reader *reader, json_t *json, struct reading *reading)
{
	static void (*const readers[SAVED_RUN_KINDS])(struct json_reader *, json_t *,
						      struct reading *) = {
		[SAVED_RUN_RUN] = read_run,       [SAVED_RUN_WAKE] = read_wake,
		[SAVED_RUN_JITTER] = read_jitter, [SAVED_RUN_LADDER] = read_ladder,
		[SAVED_RUN_TRY] = read_trial,
	};
	const enum saved_run_kind kind = reading->run.kind;

	reading->side = &reading->run.sides[SAVED_WITHOUT];
	reading->is_single = kind != SAVED_RUN_TRY;
	reading->cpu = "";
	json_read_fields(reader, json, described_machine_fields, &reading->run.machine);
	readers[kind](reader, json, reading);
}

/* Checks a state document in the file. Returns 0; -EINVAL with *ret_problem; -ENOMEM. */
static int check_state(const char *file, json_t *json, const char *name, char **ret_problem)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *place = text_format("%s: %s", file, name);

	return place ? document_take(json_incref(json), place, false, &document, ret_problem)
		     : -ENOMEM;
}

/* Reads everything except the figures. */
static void read_head(struct json_reader *reader, json_t *json, struct saved_run *run)
{
	static const char *const formats[] = { SAVED_RUN_FORMAT, NULL };
	uint32_t format = 0, version = 0, kind = 0;
	const struct json_field members[] = {
		{
			.name = "format",
			.kind = JSON_WORD,
			.words = formats,
		},
		{ .name = "version",
		  .kind = JSON_U32,
		  .min = SAVED_RUN_VERSION,
		  .max = SAVED_RUN_VERSION },
		{ .name = "command", .kind = JSON_WORD, .words = commands },
	};
	static const struct json_field texts[] = {
		{ JSON_FIELD(struct saved_run, host, "host"), .is_nullable = true,
		  .is_optional = true },
		{ JSON_FIELD(struct saved_run, time, "time"), .is_optional = true },
		{ JSON_FIELD(struct saved_run, model, HOST_MODEL_MEMBER), .is_nullable = true,
		  .is_optional = true },
	};
	uint32_t *const to[] = { &format, &version, &kind };

	if (!json_is_object(json))
		json_refuse(reader, NULL, "must be an object");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		json_read_field(reader, json, &members[i], to[i]);
	json_read_fields(reader, json, measured_machine_fields, &run->about);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_read_field(reader, json, &texts[i], run);
	run->kind = (enum saved_run_kind)kind;
	run->state = json_object_get(json, SAVED_STATE);
	run->document = run->kind == SAVED_RUN_TRY ? json_object_get(json, SAVED_DOCUMENT) : NULL;
	run->given_work = json_object_get(json, "given-work");
	if (!run->state)
		json_refuse(reader, SAVED_STATE, "is missing");
	if (run->kind == SAVED_RUN_TRY && !run->document)
		json_refuse(reader, SAVED_DOCUMENT, "is missing");
}

static void reading_done(struct reading *reading)
{
	saved_run_done(&reading->run);
}

#define NEEDED "a file that a measure command wrote with --save is needed"

/* The kind of a document that is no saved run; or NULL. */
static const char *find_other_kind(const json_t *json)
{
	static const struct {
		const char *format, *about;
	} kinds[] = {
		{ "intel-speed-select-state", "a state document" },
		{ "intel-speed-select-profile", "a profile of machine check" },
		{ "intel-speed-select-verify", "a result of machine verify" },
		{ "intel-speed-select-journal", "a change journal" },
	};
	const char *format = json_string_value(json_object_get(json, "format"));

	for (size_t i = 0; format && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].format, format) == 0)
			return kinds[i].about;
	}
	return !format && json_object_get(json, "schema")
		       ? "a platform file, such as machine record writes"
		       : NULL;
}

int saved_run_parse(const char *file, const char *text, size_t length, struct saved_run *ret_run,
		    char **ret_problem)
{
	_cleanup_(reading_done) struct reading reading = { .run.file = file };
	struct json_reader reader = { .file_name = file };
	const char *other;
	int err;

	reading.run.json = json_reader_load(&reader, text, length);
	reader.ignores_others = true;
	other = reading.run.json ? find_other_kind(reading.run.json) : NULL;
	if (other)
		json_refuse(&reader, NULL, "this is %s; " NEEDED, other);
	else if (reading.run.json)
		read_head(&reader, reading.run.json, &reading.run);
	if (!reader.err)
		read_kind(&reader, reading.run.json, &reading);
	err = json_reader_finish(&reader, ret_problem);
	if (!err)
		err = check_state(file, reading.run.state, SAVED_STATE, ret_problem);
	if (!err && reading.run.document)
		err = check_state(file, reading.run.document, SAVED_DOCUMENT, ret_problem);
	if (err)
		return err;
	*ret_run = steal(reading.run);
	return 0;
}

int saved_run_read(const char *file, struct saved_run *ret_run, char **ret_problem)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = fileio_open_named(file);
	size_t length;
	int err = fd < 0 ? fd : fileio_read_whole(fd, SAVED_RUN_MAX_BYTES, &text, &length);

	if (!err)
		return saved_run_parse(file, text, length, ret_run, ret_problem);
	if (err == -ENOMEM)
		return err;
	*ret_problem = err == -EISDIR ? text_format("%s: this is a directory; " NEEDED, file)
				      : text_format("%s: %s", file, strerror(-err));
	if (!*ret_problem)
		return -ENOMEM;
	printable_clean(*ret_problem, strlen(*ret_problem));
	return err;
}

const json_t *saved_settings(const json_t *document)
{
	return json_object_get(document, "settings");
}

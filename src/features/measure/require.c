// SPDX-License-Identifier: GPL-2.0-only
#include "features/measure/require.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/measure/common.h"
#include "measure/run_figures.h"
#include "output/screen.h"

void requirements_done(struct requirements *requirements)
{
	free(requirements->list);
	*requirements = (struct requirements){ 0 };
}

static const char *find_figure(const struct requirements *requirements, const char *word)
{
	for (size_t i = 0; requirements->tables[i]; i++) {
		for (const struct json_field *field = requirements->tables[i]; field->name;
		     field++) {
			if (field->kind == JSON_FIGURE && strcmp(field->name, word) == 0)
				return field->name;
		}
	}
	return NULL;
}

/* Reads a decimal number followed by the unit. strtod() also accepts other numbers. */
static bool read_number(const char *text, const char *unit, double *ret_number)
{
	const size_t length = strspn(text, " +-.0123456789");
	char *end;

	*ret_number = strtod(text, &end);
	return end != text && text + length == end + strspn(end, " ") &&
	       strcmp(text + length, unit) == 0 && isfinite(*ret_number);
}

/* Reads one requirement. A mistake is reported. */
static int read_one(struct context *context, const char *text, const char *unit,
		    struct requirements *requirements)
{
	const size_t length = strcspn(text, "<>= ");
	const char *sign = text + length + strspn(text + length, " ");
	_cleanup_free_ char *word = strndup(text, length);
	_cleanup_free_ char *words = json_list_figures(requirements->tables);
	_cleanup_free_ char *with_unit = word ? text_format("%s-us", word) : NULL;
	struct requirement requirement = { .text = text, .is_less = *sign == '<' };

	if (!word || !words || !with_unit)
		return -ENOMEM;
	requirement.figure = find_figure(requirements, word);
	if (!requirement.figure)
		context_refuse_usage(context, "--require %s: unknown figure %s; there are %s%s",
				     text, word, words,
				     option_suggest(words, find_figure(requirements, with_unit)
								   ? with_unit
								   : word)
					     .text);
	else if ((*sign != '<' && *sign != '>') ||
		 !read_number(sign + 1, unit, &requirement.number))
		context_refuse_usage(context,
				     "--require %s: FIGURE<NUMBER%s or FIGURE>NUMBER%s is "
				     "expected, such as %s<%s",
				     text, unit, unit, word, *unit ? "-5%" : "20, without a unit");
	else
		requirements->list[requirements->count++] = requirement;
	return 0;
}

int requirements_read(struct context *context, const struct option_texts *texts, const char *unit,
		      struct requirements *requirements)
{
	int err = 0;

	requirements->list = calloc(texts->count + 1, sizeof(*requirements->list));
	if (!requirements->list)
		return -ENOMEM;
	for (size_t i = 0; i < texts->count && !err; i++)
		err = read_one(context, texts->list[i], unit, requirements);
	return err;
}

void requirements_check_work(struct context *context, const struct requirements *requirements,
			     const struct run_job *job)
{
	for (size_t i = 0; i < requirements->count; i++) {
		const struct requirement *requirement = &requirements->list[i];
		const char *lack = run_figure_find_lack(job, run_figure_find(requirement->figure));

		if (lack)
			context_refuse_usage(context, "--require %s: %s will not be available: %s",
					     requirement->text, requirement->figure, lack);
	}
}

static void take_figure(struct requirement *requirement, const struct figure *figure)
{
	if (figure->state == FIGURE_MISSING)
		requirement->missing = figure->about ?: "it was not measured";
	if (!figure_is_known(figure))
		return;
	if (!requirement->is_found || (requirement->is_less ? figure->value > requirement->worst
							    : figure->value < requirement->worst))
		requirement->worst = figure->value;
	requirement->is_found = true;
	requirement->is_missed = requirement->is_less ? requirement->worst >= requirement->number
						      : requirement->worst <= requirement->number;
}

void requirements_take(struct requirements *requirements, const struct json_rows *rows)
{
	for (size_t i = 0; i < requirements->count; i++) {
		struct requirement *requirement = &requirements->list[i];

		for (const struct json_field *field = rows->fields; field->name; field++) {
			const char *at = (const char *)rows->list + field->offset;

			if (field->kind != JSON_FIGURE ||
			    strcmp(field->name, requirement->figure) != 0)
				continue;
			for (size_t row = 0; row < rows->count; row++)
				take_figure(requirement,
					    (const struct figure *)(at + row * rows->size));
		}
	}
}

static bool is_met(const struct requirement *requirement)
{
	return requirement->is_found && !requirement->is_missed && !requirement->missing;
}

int requirements_add(const struct requirements *requirements, json_t *document)
{
	_cleanup_json_ json_t *list = json_array();

	if (requirements->count == 0)
		return 0;
	for (size_t i = 0; i < requirements->count; i++) {
		const struct trial_requirement row = { requirements->list[i].text,
						       is_met(&requirements->list[i]) };

		if (json_array_append_new(list, json_write_fields(trial_requirement_fields, &row)))
			return -ENOMEM;
	}
	return json_object_set(document, "requirements", list) ? -ENOMEM : 0;
}

int requirements_finish(struct context *context, const struct requirements *requirements)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };

	for (size_t i = 0; i < requirements->count; i++) {
		const struct requirement *requirement = &requirements->list[i];

		if (requirement->is_missed) {
			context->report.has_differences = true;
			screen_put_format(&screen, "Required", "%s: not met: %.6g",
					  requirement->text, requirement->worst);
			continue;
		}
		screen_put_format(&screen, "Required", "%s: %s", requirement->text,
				  is_met(requirement) ? "met" : "not known");
		if (!is_met(requirement))
			context_lack(context, NULL, "--require %s: there is no %s: %s",
				     requirement->text, requirement->figure,
				     requirement->missing ?: "it was not measured");
	}
	return requirements->count == 0 || output_is_json(context->output)
		       ? 0
		       : measurement_put_screen(context, &screen);
}

// SPDX-License-Identifier: GPL-2.0-only
/* machine check compares the machine with a profile. It shows the settings that do not fit a
 * purpose, their effect, and what to do about them (record.md, "check"). */
#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "features/machine/machine.h"
#include "output/screen.h"
#include "profile/check.h"

#define SITE_PROFILES  "/etc/intel-speed-select/profiles"
#define BUILD_PROFILES "../profiles" /* relative to the directory of the program */
#define SHOWN_FINDINGS 3

static const char *const verdict_words[] = {
	[VERDICT_OK] = "ok",
	[VERDICT_UNKNOWN] = "unknown",
	[VERDICT_DIFFERS] = "differs",
};

/* The CPUs of the command. */
struct chosen {
	struct cpuset cpus;
	struct cpuset isolated;
	char *isolated_problem; /* why isolated is unknown, or NULL */
	char *none; /* why there are no CPUs, or NULL */
};

static void chosen_done(struct chosen *chosen)
{
	cpuset_done(&chosen->cpus);
	cpuset_done(&chosen->isolated);
	free(chosen->isolated_problem);
	free(chosen->none);
}

static int choose_cpus(struct context *context, const struct profile *profile,
		       struct chosen *chosen)
{
	int err = inspection_find_isolated(context->machine, &chosen->isolated,
					   &chosen->isolated_problem);

	if (err)
		return err;
	if (context->targets.requested_cpus)
		return cpuset_copy(&chosen->cpus, context->targets.cpus);
	if (profile->is_of_online)
		return cpuset_copy(&chosen->cpus, &context->machine->topology.online);
	err = cpuset_copy(&chosen->cpus, &chosen->isolated);
	if (err || !cpuset_is_empty(&chosen->cpus))
		return err;
	chosen->none = strdup(chosen->isolated_problem ?: "no CPU is isolated; -c names CPUs");
	if (!chosen->none)
		return -ENOMEM;
	context_note(context, NULL, "%s: items about CPUs are unknown; name the CPUs with -c",
		     chosen->isolated_problem ?: "no CPU is isolated");
	return 0;
}

/* Returns the name of the profile as given or, if the site has a profile of that name, its file. */
static const char *name_of(const struct context *context, const struct profile *profile)
{
	const struct machine_check_arguments *arguments = context->request->arguments;

	return strncmp(profile->file, SITE_PROFILES, strlen(SITE_PROFILES)) == 0
		       ? profile->file
		       : arguments->profile;
}

/* Text. */

/* Appends a finding; n_places: how many uncores have it. */
static void append_finding(struct buffer *to, const struct item_result *result,
			   const struct finding *finding, size_t n_places)
{
	bool shows_cpus = result->n_findings > 1;
	const struct profile_item *item = result->item;
	const struct reading *reading = &finding->reading;
	json_t *json = finding_to_json(item, finding);
	_cleanup_free_ char *value = profile_format_value(json);
	const char *unit = profile_item_unit(item);

	json_decref(json);
	if (reading->reason)
		buffer_append_string(to, reading->reason);
	else if (reading->value.kind == STATE_LACKING)
		buffer_append_string(to, "absent");
	else if (reading->value.kind == STATE_WORD && !*reading->value.text)
		buffer_append_string(to, "empty");
	else
		buffer_append_string(to, value ?: "");
	if (unit && !reading->reason && reading->value.kind != STATE_WORD) {
		buffer_append_char(to, ' ');
		buffer_append_string(to, unit);
	}
	if (reading->detail) {
		buffer_append_string(to, " (");
		buffer_append_string(to, reading->detail);
		buffer_append_char(to, ')');
	}
	if (n_places > 1) {
		buffer_append_string(to, " of ");
		buffer_append_number(to, n_places);
		buffer_append_string(to, " uncores");
	} else if (finding->place) {
		buffer_append_string(to, " of ");
		buffer_append_string(to, finding->place);
	} else if (shows_cpus && !cpuset_is_empty(&finding->cpus)) {
		buffer_append_string(to,
				     cpuset_count(&finding->cpus) > 1 ? " on CPUs " : " on CPU ");
		cpuset_append_ranges(&finding->cpus, to);
	}
}

/* Counts the findings of uncores, from the first on, that are equal to the first. */
static size_t count_equal(const struct item_result *result, size_t first)
{
	const struct finding *finding = &result->findings[first];
	size_t count = 1;

	while (finding->place && first + count < result->n_findings &&
	       finding_is_equal(finding, &result->findings[first + count]))
		count++;
	return count;
}

/* Appends the findings that make the verdict of the item. */
static void append_findings(struct buffer *to, const struct item_result *result)
{
	size_t n_shown = 0, n_left = 0, count;

	for (size_t i = 0; i < result->n_findings; i += count) {
		const struct finding *finding = &result->findings[i];

		count = count_equal(result, i);
		if (finding->verdict != result->verdict)
			continue;
		if (n_shown == SHOWN_FINDINGS) {
			n_left++;
			continue;
		}
		buffer_append_string(to, n_shown++ ? "; " : "");
		append_finding(to, result, finding, count);
	}
	if (n_left) {
		buffer_append_string(to, "; and ");
		buffer_append_number(to, n_left);
		buffer_append_string(to, n_left > 1 ? " more values" : " more value");
	}
}

/* Puts a line without folding it, so that users can copy it. */
static void put_line(struct screen *screen, const char *kind, const char *line)
{
	static const struct {
		const char *kind, *heading;
	} headings[] = { { "command", "Command: " },
			 { "sysctl", "Sysctl: " },
			 { "boot", "Boot parameter: " } };

	for (size_t i = 0; i < ARRAY_SIZE(headings); i++) {
		if (strcmp(headings[i].kind, kind) != 0)
			continue;
		screen_put_command(screen, NULL, headings[i].heading, line);
		return;
	}
	screen_put_format(screen, NULL, "%s: %s", strcmp(kind, "bios") == 0 ? "BIOS" : "Other",
			  line);
}

static int put_item(struct screen *screen, const struct item_result *result, size_t width,
		    const struct remedy_cpus *cpus)
{
	_cleanup_free_ char *expected = profile_format_expectation(result->item);
	_cleanup_buffer_ struct buffer found = { 0 };
	const char *name;
	json_t *text;

	append_findings(&found, result);
	if (!expected || found.has_failed)
		return -ENOMEM;
	screen_put_format(screen, verdict_words[result->verdict], "%-*s  %s%s%s", (int)width,
			  result->item->name, buffer_text(&found),
			  result->verdict == VERDICT_DIFFERS ? "; expected " : "",
			  result->verdict == VERDICT_DIFFERS ? expected : "");
	if (result->verdict != VERDICT_DIFFERS)
		return 0;
	screen_put(screen, NULL, result->item->effect);
	json_object_foreach ((json_t *)(uintptr_t)result->item->remedy, name, text) {
		_cleanup_free_ char *line = profile_format_remedy(json_string_value(text), cpus);

		if (!line)
			return -ENOMEM;
		put_line(screen, name, line);
	}
	return 0;
}

static struct remedy_cpus cpus_of(const struct context *context, const struct chosen *chosen,
				  const struct item_result *result)
{
	return (struct remedy_cpus){ &result->wrong, &chosen->cpus,
				     &context->machine->topology.online, context->request->host };
}

/* Puts the items that are unknown; items with the same reason share it. */
static int put_unknown(struct screen *screen, const struct profile_check *profile_check,
		       size_t width)
{
	_cleanup_free_ bool *is_shown = calloc(profile_check->count ?: 1, sizeof(*is_shown));

	for (size_t i = 0; i < profile_check->count && is_shown; i++) {
		const struct item_result *result = &profile_check->results[i];
		_cleanup_buffer_ struct buffer reason = { 0 }, names = { 0 };
		size_t n_names = 0;

		if (is_shown[i] || result->verdict != VERDICT_UNKNOWN)
			continue;
		append_findings(&reason, result);
		for (size_t j = i; j < profile_check->count; j++) {
			_cleanup_buffer_ struct buffer other = { 0 };

			if (profile_check->results[j].verdict != VERDICT_UNKNOWN)
				continue;
			append_findings(&other, &profile_check->results[j]);
			if (strcmp(buffer_text(&reason), buffer_text(&other)) != 0)
				continue;
			is_shown[j] = true;
			buffer_append_string(&names, n_names++ ? ", " : "");
			buffer_append_string(&names, profile_check->results[j].item->name);
		}
		if (n_names > 1)
			screen_put_format(screen, verdict_words[VERDICT_UNKNOWN], "%s: %s",
					  buffer_text(&names), buffer_text(&reason));
		else
			screen_put_format(screen, verdict_words[VERDICT_UNKNOWN], "%-*s  %s",
					  (int)width, buffer_text(&names), buffer_text(&reason));
	}
	return is_shown ? 0 : -ENOMEM;
}

/* Puts the items with a verdict, after an empty line. */
static int put_items(struct screen *screen, struct context *context, const struct chosen *chosen,
		     const struct profile_check *profile_check, enum verdict verdict)
{
	size_t width = 0;
	int err = 0;

	for (size_t i = 0; i < profile_check->count; i++) {
		size_t length = strlen(profile_check->results[i].item->name);

		width = length > width ? length : width;
	}
	buffer_append_char(&screen->text, '\n');
	if (verdict == VERDICT_UNKNOWN)
		return put_unknown(screen, profile_check, width);
	for (size_t i = 0; i < profile_check->count && !err; i++) {
		const struct item_result *result = &profile_check->results[i];
		const struct remedy_cpus cpus = cpus_of(context, chosen, result);

		if (result->verdict == verdict)
			err = put_item(screen, result, width, &cpus);
	}
	return err;
}

static int put_text(struct context *context, const struct profile *profile,
		    const struct chosen *chosen, const struct profile_check *profile_check)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	_cleanup_free_ char *list = cpuset_format_ranges(&chosen->cpus);
	int err = 0;

	if (!list)
		return -ENOMEM;
	screen_put(&screen, "profile", name_of(context, profile));
	screen_put(&screen, "purpose", profile->description);
	screen_put(&screen, "CPUs", *list ? list : "none");
	screen_put_format(&screen, "result", "%zu differ, %zu unknown, %zu ok",
			  profile_check->counts[VERDICT_DIFFERS],
			  profile_check->counts[VERDICT_UNKNOWN],
			  profile_check->counts[VERDICT_OK]);
	for (enum verdict verdict = VERDICT_DIFFERS + 1; verdict-- > 0 && !err;) {
		if (profile_check->counts[verdict])
			err = put_items(&screen, context, chosen, profile_check, verdict);
	}
	if (err || screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	return 0;
}

/* JSON. */

static json_t *pack_finding(const struct item_result *result, const struct finding *finding)
{
	_cleanup_free_ char *cpus = cpuset_format_ranges(&finding->cpus);

	if (!cpus)
		return NULL;
	return json_pack("{s:s*, s:s*, s:s, s:o, s:s*, s:s*}", "cpus", *cpus ? cpus : NULL, "place",
			 finding->place, "result", verdict_words[finding->verdict], "value",
			 finding_to_json(result->item, finding), "detail", finding->reading.detail,
			 "reason", finding->reading.reason);
}

/* Returns NULL if memory is short, as do the functions below. */
static json_t *list_findings(const struct item_result *result)
{
	_cleanup_json_ json_t *list = json_array();

	for (size_t i = 0; i < result->n_findings; i++) {
		if (json_array_append_new(list, pack_finding(result, &result->findings[i])))
			return NULL;
	}
	return steal(list);
}

static json_t *remedy_to_json(const struct item_result *result, const struct remedy_cpus *cpus)
{
	_cleanup_json_ json_t *remedy = json_object();
	const char *name;
	json_t *text;

	json_object_foreach ((json_t *)(uintptr_t)result->item->remedy, name, text) {
		_cleanup_free_ char *line = profile_format_remedy(json_string_value(text), cpus);

		if (!line || json_object_set_new(remedy, name, json_string(line)))
			return NULL;
	}
	return steal(remedy);
}

static json_t *item_to_json(const struct item_result *result, const struct remedy_cpus *cpus)
{
	const bool differs = result->verdict == VERDICT_DIFFERS;
	json_t *item =
		json_pack("{s:s, s:s, s:o, s:o, s:s*}", "name", result->item->name, "result",
			  verdict_words[result->verdict], "expected",
			  profile_expectation_to_json(result->item), "found", list_findings(result),
			  "effect", differs ? result->item->effect : NULL);

	if (!differs || json_object_set_new(item, "remedy", remedy_to_json(result, cpus)) == 0)
		return item;
	json_decref(item);
	return NULL;
}

static int put_json(struct context *context, const struct profile *profile,
		    const struct chosen *chosen, const struct profile_check *profile_check)
{
	struct output *output = context->output;
	_cleanup_free_ char *list = cpuset_format_ranges(&chosen->cpus);
	json_t *items = json_array();

	for (size_t i = 0; i < profile_check->count; i++) {
		const struct item_result *result = &profile_check->results[i];
		const struct remedy_cpus cpus = cpus_of(context, chosen, result);

		if (json_array_append_new(items, item_to_json(result, &cpus)) < 0) {
			json_decref(items);
			return -ENOMEM;
		}
	}
	output_json_member(output, "profile", json_string(name_of(context, profile)));
	output_json_member(output, "description", json_string(profile->description));
	output_json_member(output, "cpus", json_string(list ?: ""));
	for (enum verdict verdict = VERDICT_OK; verdict <= VERDICT_DIFFERS; verdict++)
		output_json_member(output, verdict_words[verdict],
				   json_integer((json_int_t)profile_check->counts[verdict]));
	output_json_member(output, "items", items);
	return 0;
}

/* Reads the profile of the command line. Returns 0 or -ENOMEM; a problem is reported. */
static int read_profile(struct context *context, struct profile *profile)
{
	const struct machine_check_arguments *arguments = context->request->arguments;
	_cleanup_free_ char *build_tree = fileio_find_near_program(BUILD_PROFILES);
	const char *const directories[] = { SITE_PROFILES, build_tree ?: PROFILE_DIRECTORY,
					    PROFILE_DIRECTORY, NULL };
	_cleanup_free_ char *problem = NULL;
	int err = profile_read(arguments->profile, directories, profile, &problem);

	if (err && err != -ENOMEM)
		context_refuse_usage(context, "%s%s", problem ?: strerror(-err),
				     option_suggest_of(machine_profiles, arguments->profile).text);
	return err == -ENOMEM ? err : 0;
}

int machine_check(struct context *context)
{
	_cleanup_profile_ struct profile profile = { 0 };
	_cleanup_(chosen_done) struct chosen chosen = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_profile_check_ struct profile_check profile_check = { 0 };
	_cleanup_inspection_ struct inspection inspection = {
		.state = &state,
		.cpus = &chosen.cpus,
		.isolated = &chosen.isolated,
		.lacks_platform = context->lacks_platform,
	};
	int err = read_profile(context, &profile);

	if (err || report_has_problem(&context->report))
		return err;
	err = choose_cpus(context, &profile, &chosen);
	inspection.isolated_problem = chosen.isolated_problem;
	if (!err)
		err = state_machine_init(&state, context->machine, context->platform, true);
	if (!err)
		err = profile_check_make(&profile, &inspection, chosen.none, &profile_check);
	if (!err)
		err = output_is_json(context->output)
			      ? put_json(context, &profile, &chosen, &profile_check)
			      : put_text(context, &profile, &chosen, &profile_check);
	if (err)
		return err;
	context->report.has_differences = profile_check.counts[VERDICT_DIFFERS];
	if (profile_check.counts[VERDICT_UNKNOWN] == profile_check.count)
		context_refuse(context, NULL, "no item of the profile could be checked");
	return 0;
}

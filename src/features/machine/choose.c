// SPDX-License-Identifier: GPL-2.0-only
/* machine choose shows the level and the feature that give some cores the highest frequency, the
 * CPUs of these cores, and what sets them (docs/spec/choose.md, "machine choose"). Text and JSON
 * are made of the same rows. Nothing on the machine changes. */
#include "features/machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "choose/choose.h"
#include "features/levels.h"
#include "output/screen.h"

#define COUNTED "per package"

/* Makes the request from the options. */
static void take_request(const struct machine_choose_arguments *arguments,
			 struct choose_request *request)
{
	request->n_cores = arguments->cores.value;
	request->mhz = arguments->mhz.given ? (uint32_t)arguments->mhz.value : 0;
	request->others_mhz =
		arguments->others_mhz.given ? (uint32_t)arguments->others_mhz.value : 0;
	request->watts = arguments->watts.given ? (uint32_t)arguments->watts.value : 0;
	request->trl_level = levels_trl_of(&arguments->isa, 0);
	request->allow_offline = arguments->allow_offline;
	request->placing = arguments->spread ? CHOOSE_SPREAD
			   : arguments->pack ? CHOOSE_PACK
					     : CHOOSE_FEW_PACKAGES;
}

/* Reports options that contradict each other. Returns true if there are any. */
static bool refuse_options(struct context *context)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	int n_places = arguments->node.given + !!arguments->near + !!context->request->cpus;

	if (n_places > 1)
		context_refuse_usage(context, "--near, --node and --cpu cannot be used together");
	if (arguments->spread && arguments->pack)
		context_refuse_usage(context, "--spread and --pack cannot be used together");
	if (arguments->state && strcmp(arguments->state, "-") == 0)
		context_refuse_usage(context, "--state -: the name of a file is expected; with "
					      "--format json the document is among the results");
	return report_has(&context->report, REPORT_USAGE);
}

/* Finds the CPUs of --near or --node, which mean the same as near: and node: in -c. */
static int find_candidates(struct context *context, struct cpuset *cpus)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	_cleanup_free_ char *message = NULL;
	_cleanup_free_ char *text = arguments->near
					    ? text_format("near:%s", arguments->near)
					    : text_format("node:%" PRIu64, arguments->node.value);
	struct cpu_names_problem problem;
	int err = text ? cpu_names_parse(text, &names, &problem) : -ENOMEM;

	if (err == -ENOMEM)
		return err;
	if (err || names.count != 1 || !cpuset_is_empty(&names.numbers)) {
		context_refuse_usage(context, "--near %s: a PCI address was expected: 0000:3b:00.0",
				     arguments->near ?: "");
		return 0;
	}
	err = cpu_names_find(&names, context->machine->host->files, &context->machine->topology,
			     cpus, &message);
	if (err == -ENOENT || err == -ENODATA)
		context_lack(context, NULL, "--%s %s", arguments->near ? "near" : "node",
			     message ? strchr(message, ':') + 1 : strerror(-err));
	else if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s", message ?: strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Returns "SST-TF bucket 1"; both: the word for SST-BF and SST-TF. */
static char *format_feature(const struct choose_row *row, const char *both)
{
	const char *turbo_freq = row->feature == CHOOSE_BOTH ? both : "SST-TF";

	if (row->feature & CHOOSE_TURBO_FREQ && row->bucket < SST_BUCKETS)
		return text_format("%s bucket %u", turbo_freq, row->bucket);
	return strdup(row->feature == CHOOSE_PRESENT     ? "present"
		      : row->feature & CHOOSE_TURBO_FREQ ? turbo_freq
		      : row->feature == CHOOSE_BASE_FREQ ? "SST-BF"
							 : "none");
}

static json_t *pack_number(uint32_t number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *pack_count(bool has_figures, size_t count)
{
	return has_figures ? json_integer((json_int_t)count) : json_null();
}

/* Returns the JSON of a row; number: the row number in the table, from 1. */
static json_t *pack_row(const struct choose_row *row, size_t number)
{
	static const char *const features[] = {
		[CHOOSE_NO_FEATURE] = "none",       [CHOOSE_BASE_FREQ] = "base-freq",
		[CHOOSE_TURBO_FREQ] = "turbo-freq", [CHOOSE_BOTH] = "base-freq+turbo-freq",
		[CHOOSE_PRESENT] = "present",
	};
	bool serves = !row->reason, has_figures = serves || row->is_withheld;

	return json_pack(
		"{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}",
		"row", pack_count(serves, number), "level",
		pack_count(row->level != CHOOSE_LEVELS_DIFFER, row->level), "feature",
		features[row->feature], "bucket",
		pack_count(row->bucket < SST_BUCKETS, row->bucket), "high-mhz",
		pack_number(has_figures ? row->high_mhz : 0), "guaranteed-mhz",
		pack_number(has_figures ? row->guaranteed_mhz : 0), "others-mhz",
		pack_number(has_figures ? row->others_mhz : 0), "others-guaranteed-mhz",
		pack_number(has_figures ? row->others_guaranteed_mhz : 0), "others-now-mhz",
		pack_number(has_figures ? row->others_now_mhz : 0), "others-slowed",
		pack_count(has_figures, row->others_slowed), "cores-online",
		pack_count(has_figures, row->cores_online), "cores-lost",
		pack_count(has_figures, row->cores_lost), "changes-level",
		has_figures ? json_boolean(row->changes_level) : json_null(), "levels-differ",
		has_figures ? json_boolean(row->levels_differ) : json_null(), "tdp-w",
		pack_number(has_figures ? row->tdp_w : 0), "reason", row->reason);
}

/* The result, as text and JSON show it. */
struct result {
	const struct choose_facts *facts;
	const struct choose_request *request;
	const struct choice *choice;
	const struct choose_row *row; /* the best row, or that of --pick */
	size_t number;
	json_t *rows, *commands, *cpus,
		*kept; /* packages that do not change, while others are set */
	char *document;
};

static void result_done(struct result *result)
{
	json_decref(result->rows);
	json_decref(result->commands);
	json_decref(result->cpus);
	json_decref(result->kept);
	free(result->document);
}

/* Returns the CPUs of the row by package and power domain. */
static json_t *pack_cpus(const struct choose_facts *facts, const struct choose_row *row)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->n_domains; i++) {
		const struct power_domain *domain = facts->domains[i];
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *list = NULL;
		size_t n_cores = 0;

		for (size_t j = 0; j < facts->n_cores; j++)
			n_cores += facts->cores[j].domain == i && row->is_chosen[j];
		if (cpuset_copy(&cpus, &row->cpus))
			return NULL;
		cpuset_keep(&cpus, &domain->cpus);
		list = cpuset_format_ranges(&cpus);
		if (n_cores > 0)
			json_array_append_new(
				array,
				json_pack("{s:i, s:o, s:i, s:s}", "package", (int)domain->package,
					  domain->has_id ? "power-domain" : "die",
					  json_integer(domain->has_id ? domain->id : domain->die),
					  "cores", (int)n_cores, "cpus", list ?: ""));
	}
	return array;
}

static int make_result(struct result *result)
{
	const struct choice *choice = result->choice;

	result->rows = json_array();
	for (size_t i = 0; i < choice->n_rows; i++)
		json_array_append_new(result->rows, pack_row(&choice->rows[i], i + 1));
	if (!result->row)
		return result->rows ? 0 : -ENOMEM;
	result->commands = choose_list_commands(result->facts, result->row);
	result->document = choose_format_document(result->facts, result->row);
	result->cpus = pack_cpus(result->facts, result->row);
	result->kept = json_array();
	for (size_t i = 0; i < result->facts->n_packages; i++) {
		if (!result->row->is_set[i] && result->row->feature != CHOOSE_PRESENT)
			json_array_append_new(result->kept,
					      json_integer(result->facts->packages[i].number));
	}
	return result->rows && result->commands && result->document && result->cpus && result->kept
		       ? 0
		       : -ENOMEM;
}

static int put_json(struct context *context, struct result *result)
{
	const struct choose_request *request = result->request;
	struct output *output = context->output;
	_cleanup_free_ char *list = NULL;
	json_t *chosen = json_null();

	if (result->row) {
		list = cpuset_format_ranges(&result->row->cpus);
		chosen = json_pack("{s:i, s:s*, s:O, s:O, s:O, s:o}", "row", (int)result->number,
				   "cpus", list, "places", result->cpus, "packages-kept",
				   result->kept, "commands", result->commands, "document",
				   json_loads(result->document, 0, NULL));
		if (!list || !chosen)
			return -ENOMEM;
	}
	output_json_member(output, "cores", json_integer((json_int_t)request->n_cores));
	output_json_member(output, "isa",
			   json_string(request->trl_level < context->platform->n_trl_levels
					       ? context->platform->trl_names[request->trl_level]
					       : "sse"));
	output_json_member(output, "counted", json_string(COUNTED));
	output_json_member(output, "rows", json_incref(result->rows));
	output_json_member(output, "chosen", chosen);
	return 0;
}

/* Puts the rows that meet the request. */
static int put_table(const struct result *result, struct screen *screen)
{
	static const struct screen_column columns[] = {
		{ .heading = "row", .key = "row" },
		{ .heading = "level", .key = "level" },
		{ .heading = "feature", .key = "feature" },
		{ .heading = "turbo", .key = "high-mhz" },
		{ .heading = "base", .key = "guaranteed-mhz" },
		{ .heading = "others", .key = "others-mhz" },
		{ .heading = "slowed", .key = "others-slowed", .rank = 1 },
		{ .heading = "online", .key = "cores-online" },
		{ .heading = "cores lost", .key = "cores-lost" },
		{ .heading = "TDP (W)", .key = "tdp-w" },
	};
	_cleanup_json_ json_t *serving = json_array();

	for (size_t i = 0; i < result->choice->n_serving; i++) {
		const struct choose_row *row = &result->choice->rows[i];
		_cleanup_free_ char *feature = format_feature(row, "BF+TF");
		json_t *cells = json_copy(json_array_get(result->rows, i));

		if (!feature || json_object_set_new(cells, "feature", json_string(feature)) ||
		    (!row->others_mhz &&
		     json_object_set_new(cells, "others-mhz", json_string("-"))) ||
		    json_array_append_new(serving, cells))
			return -ENOMEM;
	}
	screen_put_table(screen, NULL, serving, columns, ARRAY_SIZE(columns));
	return 0;
}

/* Puts the number of rows that --allow-offline adds, and the best of them. */
static void put_withheld(const struct result *result, struct screen *screen)
{
	const struct choice *choice = result->choice;
	const struct choose_row *best = &choice->rows[choice->n_serving];
	_cleanup_free_ char *feature = NULL;

	if (!choice->n_withheld)
		return;
	feature = format_feature(best, "SST-BF and SST-TF");
	screen_put_format(screen, NULL,
			  "--allow-offline adds %zu row%s; the best, level %u, %s, gives %u MHz "
			  "and takes %zu core%s offline",
			  choice->n_withheld, choice->n_withheld == 1 ? "" : "s", best->level,
			  feature ?: "", best->high_mhz, best->cores_lost,
			  best->cores_lost == 1 ? "" : "s");
}

/* Puts the present frequencies: "now: 28 cores online, 2600-3200 MHz". */
static void put_now(const struct result *result, struct screen *screen)
{
	const struct choose_row *now = &result->choice->now;
	uint32_t lowest = UINT32_MAX, highest = 0;

	for (size_t i = 0; i < result->facts->n_cores; i++) {
		uint32_t mhz = now->core_mhz[i];

		lowest = mhz && mhz < lowest ? mhz : lowest;
		highest = mhz > highest ? mhz : highest;
	}
	if (highest > lowest)
		screen_put_format(screen, NULL, "now: %zu cores online, %u-%u MHz",
				  now->cores_online, lowest, highest);
	else if (highest)
		screen_put_format(screen, NULL, "now: %zu cores online, %u MHz", now->cores_online,
				  highest);
}

/* Returns true if a row has the reason of the row before, at the next level: they share a line. */
static bool continues(const struct choose_row *before, const struct choose_row *row)
{
	return row->level == before->level + 1 && row->feature == before->feature &&
	       row->bucket == before->bucket && strcmp(row->reason, before->reason) == 0;
}

/* Puts rows that do not meet the request: "levels 1-4, SST-BF: the level does not have it". */
static void put_reasons(const struct result *result, struct screen *screen)
{
	const struct choice *choice = result->choice;
	_cleanup_free_ bool *is_done = calloc(choice->n_rows + 1, sizeof(*is_done));

	if (choice->n_serving + choice->n_withheld < choice->n_rows)
		screen_put(screen, NULL, "cannot serve:");
	for (size_t i = choice->n_serving + choice->n_withheld; i < choice->n_rows && is_done;
	     i++) {
		const struct choose_row *first = &choice->rows[i], *last = first;
		_cleanup_free_ char *feature = format_feature(first, "SST-BF and SST-TF");
		char levels[32];

		if (is_done[i])
			continue;
		for (size_t j = i + 1; j < choice->n_rows; j++) {
			if (!continues(last, &choice->rows[j]))
				continue;
			last = &choice->rows[j];
			is_done[j] = true;
		}
		snprintf(levels, sizeof(levels), last == first ? "level %u" : "levels %u-%u",
			 first->level, last->level);
		screen_put_format(screen, NULL, "  %s, %s: %s", levels, feature ?: "",
				  first->reason);
	}
	if (!is_done)
		screen->text.has_failed = true;
}

/* Puts the disadvantages for the other cores. */
static void put_price(const struct choose_row *row, size_t n_chosen, struct screen *screen)
{
	if (row->feature != CHOOSE_PRESENT && row->others_mhz && row->others_now_mhz)
		screen_put_format(screen, NULL,
				  "  others: %u MHz or more, now %u; %zu of %zu get less than now",
				  row->others_mhz, row->others_now_mhz, row->others_slowed,
				  row->cores_online - n_chosen);
	if (row->cores_lost)
		screen_put_format(screen, NULL, "  %zu core%s offline then, and online now",
				  row->cores_lost, row->cores_lost == 1 ? " is" : "s are");
}

/* Puts the chosen cores, and what sets the row. */
static void put_chosen(const struct result *result, struct screen *screen)
{
	const json_t *entry;
	size_t i;

	screen_put_format(screen, NULL, "row %zu: %sthese CPUs", result->number,
			  result->row->feature == CHOOSE_PRESENT ? "nothing to change; " : "");
	json_array_foreach (result->cpus, i, entry) {
		const json_t *domain = json_object_get(entry, "power-domain");
		int n_cores = (int)json_integer_value(json_object_get(entry, "cores"));
		screen_put_format(screen, NULL, "  package %d %s %d: %d core%s, CPUs %s",
				  (int)json_integer_value(json_object_get(entry, "package")),
				  domain ? "power domain" : "die",
				  (int)json_integer_value(domain ?: json_object_get(entry, "die")),
				  n_cores, n_cores == 1 ? "" : "s", json_get_text(entry, "cpus"));
	}
	json_array_foreach (result->kept, i, entry)
		screen_put_format(screen, NULL, "  package %d stays as it is",
				  (int)json_integer_value(entry));
	put_price(result->row, result->request->n_cores, screen);
	if (json_array_size(result->commands) == 0) {
		screen_put(screen, NULL,
			   "No command is needed: the machine already has these settings.");
		return;
	}
	screen_put(screen, NULL, "commands that set it:");
	json_array_foreach (result->commands, i, entry)
		screen_put_command(screen, NULL, "  ", json_string_value(entry));
}

/* Is a PUNIT core a module of several cores here? */
static bool are_modules(const struct choose_facts *facts)
{
	return facts->n_cores > 0 && facts->cores[0].n_cpus > DOMAIN_THREADS;
}

static int put_text(struct context *context, const struct result *result)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	const struct choose_request *request = result->request;
	_cleanup_screen_ struct screen screen = { .width = SCREEN_WIDTH, .is_flush = true };
	const char *unit = are_modules(result->facts) ? "PUNIT core" : "core";
	char goal[48] = "as fast as possible";

	if (request->mhz)
		snprintf(goal, sizeof(goal), "at %u MHz or more", request->mhz);
	screen_put_format(&screen, NULL, "%zu %s%s %s, %s (MHz; SST-TF counted " COUNTED ")",
			  request->n_cores, unit, request->n_cores == 1 ? "" : "s", goal,
			  arguments->isa.given ? levels_trl_words[arguments->isa.value] : "sse");
	put_now(result, &screen);
	if (result->row && put_table(result, &screen))
		return -ENOMEM;
	put_withheld(result, &screen);
	put_reasons(result, &screen);
	if (arguments->explain)
		screen_put_format(&screen, NULL, "order: %s", choose_rule);
	if (result->row)
		put_chosen(result, &screen);
	if (screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	return 0;
}

/* Writes the document to the file of --state. */
static void write_document(struct context *context, const struct result *result)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	const struct sink sink = sink_choose(arguments->state, true);
	int err = sink_write(&sink, result->document, strlen(result->document));

	if (err)
		context_report(context, NULL, report_kind_of(err), "--state %s: %s",
			       arguments->state, sink_problem(&sink, err));
}

static void put_notes(struct context *context, const struct choose_facts *facts)
{
	if (facts->turbo_is_off)
		context_note(context, NULL,
			     "turbo is off: no core gets more than its base frequency; `%s "
			     "cpufreq set --turbo on` switches it on",
			     host_command(context->request->host));
	if (facts->max_percent < 100)
		context_note(context, NULL,
			     "max_perf_pct of intel_pstate is %u: no core gets more than that "
			     "part of its highest frequency",
			     facts->max_percent);
	if (facts->lacks_places)
		context_note(context, NULL,
			     "the locations of some offline CPUs are unknown; they stay offline, "
			     "and the commands leave them out");
}

/* Shows the rows, and the row that is picked. */
static int show(struct context *context, const struct choose_facts *facts,
		const struct choose_request *request, const struct choice *choice)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	_cleanup_(result_done) struct result result = {
		.facts = facts,
		.request = request,
		.choice = choice,
		.number = arguments->pick.given ? arguments->pick.value : 1,
	};
	int err;

	if (choice->n_serving > 0 && result.number > choice->n_serving) {
		context_refuse_usage(context, "--pick %zu: there %s %zu row%s", result.number,
				     choice->n_serving == 1 ? "is" : "are", choice->n_serving,
				     choice->n_serving == 1 ? "" : "s");
		return 0;
	}
	if (choice->n_serving > 0)
		result.row = &choice->rows[result.number - 1];
	err = make_result(&result);
	if (!err)
		err = output_is_json(context->output) ? put_json(context, &result)
						      : put_text(context, &result);
	if (err)
		return err;
	if (!result.row)
		context_lack(context, NULL, "no row meets the request: see the reasons%s",
			     choice->n_withheld ? ", and --allow-offline" : "");
	else if (arguments->state)
		write_document(context, &result);
	if (result.row && !report_has_problem(&context->report))
		context->report.n_results++;
	return 0;
}

int machine_choose(struct context *context)
{
	const struct machine_choose_arguments *arguments = context->request->arguments;
	struct platform *platform = context->platform;
	_cleanup_choose_facts_ struct choose_facts facts = { 0 };
	_cleanup_choice_ struct choice choice = { 0 };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *message = NULL;
	struct choose_request request = { 0 };
	int err = 0;

	if (refuse_options(context))
		return 0;
	take_request(arguments, &request);
	if (request.trl_level > 0 && request.trl_level >= platform->n_trl_levels) {
		context_lack(context, NULL, "--isa %s: this machine does not report it",
			     levels_trl_words[arguments->isa.value]);
		return 0;
	}
	if (arguments->near || arguments->node.given)
		err = find_candidates(context, &cpus);
	if (err || report_has_problem(&context->report))
		return err;
	request.candidates =
		arguments->near || arguments->node.given ? &cpus : context->targets.requested_cpus;
	err = choose_facts_read(platform, request.candidates, &facts, &message);
	if (err == -ENOMEM)
		return err;
	if (err) {
		context_report(context, NULL, report_kind_of(err), "%s", message ?: strerror(-err));
		return 0;
	}
	put_notes(context, &facts);
	err = choose_find(&facts, &request, &choice);
	return err ?: show(context, &facts, &request, &choice);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Compares values that were read with the expectations of a profile's items; CPUs with the same
 * value share a finding. */
#include "profile/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/powercap.h"

#define CPU_PART "{cpu}"

/* Comparison. */

/* Compares a value with a number; values in thousandths, with a number in MHz, W or ms. *ret_order
 * is below, at or above 0. Returns false if the value is not a number. */
static bool compare_number(const struct state_value *value, const json_t *expected, int *ret_order)
{
	uint64_t number = (uint64_t)json_integer_value(expected), found = value->number;

	if (value->kind == STATE_WORD) {
		if (number_parse_file(value->text, &found))
			return false;
	} else if (value->kind == STATE_KHZ || value->kind == STATE_DECIMAL) {
		number *= KHZ_PER_MHZ;
	} else if (value->kind != STATE_NUMBER) {
		return false;
	}
	*ret_order = number_compare(found, number);
	return true;
}

static bool is_equal(const struct state_value *value, const json_t *expected)
{
	const char *text = json_string_value(expected);
	int order;

	if (json_is_boolean(expected))
		return value->kind == STATE_BOOLEAN &&
		       (value->number != 0) == json_is_true(expected);
	if (text)
		return value->kind == STATE_WORD && strcmp(value->text, text) == 0;
	return compare_number(value, expected, &order) && order == 0;
}

static bool is_any_of(const struct state_value *value, const json_t *list)
{
	const json_t *element;
	size_t i;

	json_array_foreach (list, i, element) {
		if (is_equal(value, element))
			return true;
	}
	return false;
}

/* Compares a value with a number or, if a text is expected, with a version. */
static bool compare(const struct state_value *value, const json_t *expected, int *ret_order)
{
	const char *version = json_string_value(expected);

	if (!version)
		return compare_number(value, expected, ret_order);
	*ret_order = value->kind == STATE_WORD ? strverscmp(value->text, version) : 0;
	return value->kind == STATE_WORD;
}

static bool is_expected(const struct profile_expectation *expectation,
			const struct state_value *value)
{
	int order;

	switch (expectation->kind) {
	case EXPECT_IS:
		return is_equal(value, expectation->value);
	case EXPECT_NOT:
		return !is_equal(value, expectation->value);
	case EXPECT_ANY_OF:
		return is_any_of(value, expectation->value);
	case EXPECT_AT_LEAST:
		return compare(value, expectation->value, &order) && order >= 0;
	case EXPECT_AT_MOST:
		return compare(value, expectation->value, &order) && order <= 0;
	default:
		return false; /* other kinds are checked when they are read */
	}
}

static enum verdict check(const struct profile_expectation *expectation,
			  const struct reading *reading)
{
	bool is_off = expectation->kind == EXPECT_IS && json_is_false(expectation->value);

	if (reading->reason) /* a feature that the processor lacks is off */
		return reading->lacks_feature && is_off ? VERDICT_OK : VERDICT_UNKNOWN;
	return is_expected(expectation, &reading->value) ? VERDICT_OK : VERDICT_DIFFERS;
}

/* Findings. */

static bool is_same_text(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

/* Are two reasons the same, except numbers in them, such as CPU numbers? */
static bool is_same_reason(const char *left, const char *right)
{
	while (left && right && *left && *right) {
		size_t n_left = strspn(left, "0123456789"), n_right = strspn(right, "0123456789");

		if (n_left && n_right) {
			left += n_left;
			right += n_right;
		} else if (*left++ != *right++) {
			return false;
		}
	}
	return left == right || (left && right && *left == *right);
}

bool finding_is_equal(const struct finding *left, const struct finding *right)
{
	return left->verdict == right->verdict &&
	       is_same_reason(left->reading.reason, right->reading.reason) &&
	       is_same_text(left->reading.detail, right->reading.detail) &&
	       state_value_equal(&left->reading.value, &right->reading.value);
}

static struct finding *add_finding(struct item_result *result, const struct reading *reading,
				   enum verdict verdict)
{
	struct finding *finding =
		array_add(&result->findings, &result->n_findings, sizeof(*finding));

	if (!finding)
		return NULL;
	finding->verdict = verdict;
	finding->reading = *reading;
	if (verdict > result->verdict)
		result->verdict = verdict;
	return finding;
}

/* Adds the reading of a CPU or, with CPUSET_NONE, of another location. */
static int add_verdict(struct item_result *result, uint32_t cpu, const struct reading *reading,
		       enum verdict verdict)
{
	const struct finding wanted = { .verdict = verdict, .reading = *reading };
	struct finding *finding = NULL;

	for (size_t i = result->n_findings; i-- > 0 && cpu != CPUSET_NONE && !finding;) {
		if (finding_is_equal(&result->findings[i], &wanted))
			finding = &result->findings[i];
	}
	if (!finding)
		finding = add_finding(result, reading, verdict);
	if (!finding)
		return -ENOMEM;
	if (cpu == CPUSET_NONE)
		return 0;
	if (cpuset_add(&finding->cpus, cpu))
		return -ENOMEM;
	return verdict == VERDICT_DIFFERS ? cpuset_add(&result->wrong, cpu) : 0;
}

static int add(struct item_result *result, uint32_t cpu, const struct reading *reading)
{
	return add_verdict(result, cpu, reading, check(&result->item->expectation, reading));
}

/* Settings. */

/* Checks settings of directories of uncore limits, or of power zones. */
static int check_directories(struct inspection *inspection, struct item_result *result,
			     enum place_kind kind, struct reading *readings)
{
	struct state_machine *state = inspection->state;
	const struct place_list *places = &state->places[kind];
	bool is_uncore = kind == PLACE_UNCORE;
	struct reading none = { 0 };

	for (size_t i = 0; i < places->count; i++) {
		_cleanup_free_ char *place = NULL;
		int err;

		if (!inspection_has_package(inspection, places->list[i].package))
			continue;
		place = state_machine_format_place(state, kind, &places->list[i]);
		err = place ? add(result, CPUSET_NONE, &readings[i]) : -ENOMEM;
		if (err)
			return err;
		result->findings[result->n_findings - 1].place = state_machine_keep(state, place);
	}
	if (result->n_findings)
		return 0;
	if (reading_fail(inspection, &none,
			 (is_uncore ? state->uncore_error : state->power_error) ?: -ENOENT,
			 is_uncore ? FILES_CPUS "/intel_uncore_frequency" : POWERCAP))
		return -ENOMEM;
	return add(result, CPUSET_NONE, &none);
}

static int check_setting(struct inspection *inspection, struct item_result *result)
{
	enum setting_id member = result->item->source.setting;
	enum place_kind kind = state_machine_places(inspection->state, member)->kind;
	const struct place_list *places = &inspection->state->places[kind];
	_cleanup_free_ struct reading *readings = calloc(places->count ?: 1, sizeof(*readings));
	int err = readings ? 0 : -ENOMEM;

	if (!err && kind == PLACE_MACHINE) {
		err = reading_of_setting(inspection, member, 0, readings);
		return err ?: add(result, CPUSET_NONE, readings);
	}
	for (size_t i = 0; i < places->count && inspection_has_directories(kind) && !err; i++)
		err = reading_of_setting(inspection, member, i, &readings[i]);
	if (err || inspection_has_directories(kind))
		return err ?: check_directories(inspection, result, kind, readings);
	cpuset_foreach (cpu, inspection->cpus) {
		struct reading reading = { 0 };

		err = reading_of_cpu(inspection, member, cpu, &reading);
		err = err ?: add(result, cpu, &reading);
		if (err)
			return err;
	}
	return 0;
}

static int check_fact(struct inspection *inspection, struct item_result *result)
{
	const struct fact *fact = result->item->source.fact;
	size_t count = fact->place == FACT_OF_MACHINE  ? 1
		       : fact->place == FACT_OF_UNCORE ? inspection->state->units.count
						       : cpuset_count(inspection->cpus);
	_cleanup_free_ struct reading *readings = calloc(count ?: 1, sizeof(*readings));
	int err = readings ? 0 : -ENOMEM;
	size_t i = 0;

	if (!err && fact->read)
		err = fact->read(inspection, readings);
	if (err)
		return err;
	if (fact->place == FACT_OF_MACHINE)
		return add(result, CPUSET_NONE, readings);
	if (fact->place == FACT_OF_UNCORE)
		return check_directories(inspection, result, PLACE_UNCORE, readings);
	cpuset_foreach (cpu, inspection->cpus) {
		struct reading *reading = &readings[i++];

		err = fact->read_cpu ? fact->read_cpu(inspection, cpu, reading) : 0;
		err = err ?: add(result, cpu, reading);
		if (err)
			return err;
	}
	return 0;
}

/* Files and parameters. */

/* Cuts the word in brackets out of text: "always [madvise] never" to "madvise". NULL: none. */
static const char *select_word(char *text)
{
	char *start = strchr(text, '['), *end = start ? strchr(start, ']') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	return start + 1;
}

/* Checks a list of CPUs, which must have all checked CPUs, or none of them. */
static int check_cpus(struct inspection *inspection, struct item_result *result,
		      struct reading *reading)
{
	bool includes = result->item->expectation.kind == EXPECT_INCLUDES_CPUS;
	uint32_t last = cpuset_last(&inspection->state->machine->topology.possible);
	_cleanup_cpuset_ struct cpuset listed = { 0 }, wrong = { 0 };
	int err = inspection_parse_cpus(reading->value.text, last, &listed);
	struct reading bad = { 0 };

	if (err == -ENOMEM)
		return err;
	if (err) {
		err = reading_refuse(inspection, &bad, "%s: \"%s\" is not a list of CPUs",
				     result->item->source.name, reading->value.text);
		return err ?: add(result, CPUSET_NONE, &bad);
	}
	if (cpuset_copy(&wrong, inspection->cpus))
		return -ENOMEM;
	if (cpuset_is_empty(&listed))
		reading->value.text = "";
	if (includes)
		cpuset_remove_all(&wrong, &listed);
	else
		cpuset_keep(&wrong, &listed);
	if (!add_finding(result, reading, cpuset_is_empty(&wrong) ? VERDICT_OK : VERDICT_DIFFERS))
		return -ENOMEM;
	result->wrong = steal(wrong);
	return 0;
}

/* Adds the verdict on a file or parameter that does not exist. */
static int check_absence(struct item_result *result, uint32_t cpu)
{
	const struct profile_expectation *expectation = &result->item->expectation;
	const struct reading reading = { .value.kind = STATE_LACKING };
	bool is_fine = expectation->kind == EXPECT_PRESENT
			       ? json_is_false(expectation->value)
			       : expectation->kind == EXPECT_NOT ||
					 expectation->kind == EXPECT_EXCLUDES_CPUS;

	return add_verdict(result, cpu, &reading, is_fine ? VERDICT_OK : VERDICT_DIFFERS);
}

/* Checks a text of a CPU or, with CPUSET_NONE, of the machine. */
static int check_text(struct inspection *inspection, struct item_result *result, uint32_t cpu,
		      const char *text)
{
	const struct profile_expectation *expectation = &result->item->expectation;
	struct reading reading = { 0 };

	reading_take_word(&reading, state_machine_keep(inspection->state, text));
	if (!reading.value.text)
		return -ENOMEM;
	if (expectation->kind == EXPECT_PRESENT)
		return add_verdict(result, cpu, &reading,
				   json_is_true(expectation->value) ? VERDICT_OK : VERDICT_DIFFERS);
	if (expectation->kind == EXPECT_INCLUDES_CPUS || expectation->kind == EXPECT_EXCLUDES_CPUS)
		return check_cpus(inspection, result, &reading);
	return add(result, cpu, &reading);
}

static int check_unreadable(struct inspection *inspection, struct item_result *result, uint32_t cpu,
			    int err, const char *path)
{
	struct reading reading = { 0 };

	if (reading_fail(inspection, &reading, err, path))
		return -ENOMEM;
	return add(result, cpu, &reading);
}

static int check_file(struct inspection *inspection, struct item_result *result, uint32_t cpu,
		      const char *path)
{
	bool is_presence = result->item->expectation.kind == EXPECT_PRESENT;
	_cleanup_free_ char *text = NULL;
	const char *part;
	int err = files_read_line(inspection_files(inspection), path, &text);

	if (err == -ENOENT && is_presence)
		return check_absence(result, cpu);
	if (err)
		return check_unreadable(inspection, result, cpu, err, path);
	part = result->item->source.is_selected ? select_word(text) : text;
	return part ? check_text(inspection, result, cpu, part)
		    : check_unreadable(inspection, result, cpu, -EINVAL, path);
}

static int check_files(struct inspection *inspection, struct item_result *result)
{
	const char *path = result->item->source.name, *part = strstr(path, CPU_PART);

	if (!part)
		return check_file(inspection, result, CPUSET_NONE, path);
	cpuset_foreach (cpu, inspection->cpus) {
		_cleanup_free_ char *own = text_format("%.*s%u%s", (int)(part - path), path, cpu,
						       part + strlen(CPU_PART));
		int err = own ? check_file(inspection, result, cpu, own) : -ENOMEM;

		if (err)
			return err;
	}
	return 0;
}

static int check_parameter(struct inspection *inspection, struct item_result *result)
{
	_cleanup_free_ char *text = NULL;
	int err = inspection_find_parameter(inspection, result->item->source.name, &text);

	if (err)
		return check_unreadable(inspection, result, CPUSET_NONE, err, "/proc/cmdline");
	return text ? check_text(inspection, result, CPUSET_NONE, text)
		    : check_absence(result, CPUSET_NONE);
}

static int check_process(struct inspection *inspection, struct item_result *result)
{
	struct reading reading = { 0 };
	int err = inspection_find_process(inspection, result->item->source.name, &reading);

	return err ?: add(result, CPUSET_NONE, &reading);
}

/* Items. */

/* Is the item about CPUs, so that there is nothing to check without CPUs? */
static bool is_about_cpus(const struct inspection *inspection, const struct profile_item *item)
{
	const struct profile_source *source = &item->source;

	if (item->expectation.kind == EXPECT_INCLUDES_CPUS ||
	    item->expectation.kind == EXPECT_EXCLUDES_CPUS)
		return true;
	if (source->kind == SOURCE_SETTING)
		return state_machine_places(inspection->state, source->setting)->kind !=
		       PLACE_MACHINE;
	return source->kind == SOURCE_FACT ? source->fact->place != FACT_OF_MACHINE
					   : source->is_of_cpu;
}

static int check_item(struct inspection *inspection, const char *no_cpus,
		      struct item_result *result)
{
	struct reading nothing = { .reason = no_cpus };

	if (cpuset_is_empty(inspection->cpus) && is_about_cpus(inspection, result->item))
		return add(result, CPUSET_NONE, &nothing);
	switch (result->item->source.kind) {
	case SOURCE_SETTING:
		return check_setting(inspection, result);
	case SOURCE_FACT:
		return check_fact(inspection, result);
	case SOURCE_FILE:
		return check_files(inspection, result);
	case SOURCE_PARAMETER:
		return check_parameter(inspection, result);
	case SOURCE_PROCESS:
		return check_process(inspection, result);
	}
	return 0;
}

/* Reads the settings of all items, and settings that facts need. */
static int read_settings(const struct profile *profile, struct inspection *inspection)
{
	int err = 0;

	for (size_t i = 0; i < profile->n_items && !err; i++) {
		const struct profile_source *source = &profile->items[i].source;
		const char *const *needs = source->kind == SOURCE_FACT ? source->fact->needs : NULL;

		if (source->kind == SOURCE_SETTING)
			err = inspection_ask(inspection, source->setting);
		for (; needs && *needs && !err; needs++)
			err = inspection_ask(inspection, setting_find(*needs));
	}
	return err ?: state_read(inspection->state, &inspection->rows);
}

int profile_check_make(const struct profile *profile, struct inspection *inspection,
		       const char *no_cpus, struct profile_check *ret_check)
{
	struct profile_check profile_check = {
		.results = calloc(profile->n_items ?: 1, sizeof(*profile_check.results)),
		.count = profile->n_items,
	};
	int err = profile_check.results ? read_settings(profile, inspection) : -ENOMEM;

	for (size_t i = 0; i < profile->n_items && !err; i++) {
		struct item_result *result = &profile_check.results[i];

		result->item = &profile->items[i];
		err = check_item(inspection, no_cpus, result);
		if (!err && cpuset_is_empty(&result->wrong))
			err = cpuset_copy(&result->wrong, inspection->cpus);
		profile_check.counts[result->verdict]++;
	}
	if (err)
		profile_check_done(&profile_check);
	else
		*ret_check = profile_check;
	return err;
}

void profile_check_done(struct profile_check *profile_check)
{
	for (size_t i = 0; i < profile_check->count && profile_check->results; i++) {
		struct item_result *result = &profile_check->results[i];

		for (size_t j = 0; j < result->n_findings; j++)
			cpuset_done(&result->findings[j].cpus);
		free(result->findings);
		cpuset_done(&result->wrong);
	}
	free(profile_check->results);
	*profile_check = (struct profile_check){ 0 };
}

json_t *finding_to_json(const struct profile_item *item, const struct finding *finding)
{
	const struct state_value *value = &finding->reading.value;
	bool is_text = item->source.kind == SOURCE_FILE || item->source.kind == SOURCE_PARAMETER;
	const char *text = value->kind == STATE_WORD ? value->text : NULL;
	_cleanup_free_ char *clean = NULL;
	uint64_t number;

	if (is_text && text && text[strspn(text, "0123456789")] == '\0' &&
	    !number_parse(text, 0, INT64_MAX, &number))
		return json_integer((json_int_t)number);
	if (!text)
		return state_value_to_json(value);
	clean = strdup(text);
	if (clean)
		printable_clean(clean, strlen(clean));
	return clean ? json_string(clean) : NULL;
}

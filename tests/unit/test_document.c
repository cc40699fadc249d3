// SPDX-License-Identifier: GPL-2.0-only
/* State documents: what is read from right ones (wrong ones: test_document_errors.c). In the
 * texts ' is a quotation mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "documents.h"
#include "base/buffer.h"
#include "base/cleanup.h"

static void test_most_entries(void **test)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *problem = NULL;

	(void)test;
	buffer_append_string(&text, HEAD ",'settings':[{'for':'all'}");
	for (size_t i = 1; i < DOCUMENT_MAX_ENTRIES; i++)
		buffer_append_string(&text, ",{'for':'all'}");
	buffer_append_string(&text, "]}");
	assert_int_equal(read_document(buffer_text(&text), &document, &problem), 0);
	assert_int_equal(document.n_entries, DOCUMENT_MAX_ENTRIES);
}

/* Selectors, as they are read. */
static const struct {
	const char *text;
	struct selector wanted;
} SELECTORS[] = {
	{ "machine", { .kind = SELECTOR_MACHINE } },
	{ "all", { .kind = SELECTOR_ALL } },
	{ "package-0", { .kind = SELECTOR_PACKAGE } },
	{ "package-12 die-1",
	  { .kind = SELECTOR_PACKAGE, .package = 12, .has_die = true, .die = 1 } },
	{ "package-1 powerdomain-4",
	  { .kind = SELECTOR_PACKAGE, .package = 1, .has_power_domain = true, .power_domain = 4 } },
	{ "package-1 cluster-2",
	  { .kind = SELECTOR_PACKAGE, .package = 1, .has_cluster = true, .cluster = 2 } },
	{ "package-1 uncore-12",
	  { .kind = SELECTOR_PACKAGE, .package = 1, .has_uncore = true, .uncore = 12 } },
	{ "package-1 die-2 powerdomain-3 cluster-4294967295",
	  { .kind = SELECTOR_PACKAGE,
	    .package = 1,
	    .has_die = true,
	    .has_power_domain = true,
	    .has_cluster = true,
	    .die = 2,
	    .power_domain = 3,
	    .cluster = 4294967295 } },
	{ "cpu 0-3,28-31", { .kind = SELECTOR_CPUS, .cpus = "0-3,28-31" } },
	{ "cpu near:0000:17:00.0,!0", { .kind = SELECTOR_CPUS, .cpus = "near:0000:17:00.0,!0" } },
	{ "cpu other", { .kind = SELECTOR_OTHER } },
};

static void test_selectors(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(SELECTORS); i++) {
		const struct selector *wanted = &SELECTORS[i].wanted, *on;
		_cleanup_free_ char *entry = text_format("{'for':'%s'}", SELECTORS[i].text);
		_cleanup_free_ char *text = with_entries(entry), *problem = NULL;
		_cleanup_document_ struct document document = { 0 };

		assert_int_equal(read_document(text, &document, &problem), 0);
		assert_int_equal(document.n_entries, 1);
		on = &document.entries[0].on;
		assert_string_equal(on->text, SELECTORS[i].text);
		assert_int_equal(on->kind, wanted->kind);
		assert_int_equal(on->package, wanted->package);
		assert_int_equal(on->has_die, wanted->has_die);
		assert_int_equal(on->die, wanted->die);
		assert_int_equal(on->has_power_domain, wanted->has_power_domain);
		assert_int_equal(on->power_domain, wanted->power_domain);
		assert_int_equal(on->has_cluster, wanted->has_cluster);
		assert_int_equal(on->cluster, wanted->cluster);
		assert_int_equal(on->has_uncore, wanted->has_uncore);
		assert_int_equal(on->uncore, wanted->uncore);
		assert_string_equal(on->cpus ? on->cpus : "", wanted->cpus ? wanted->cpus : "");
		assert_int_equal(document.entries[0].n_values, 0);
	}
}

/* An entry after an empty one, and its values: kind, path, text; all right ones of one row. */
static const struct {
	const char *entry;
	bool has_sst;
	struct {
		enum state_kind kind;
		const char *path;
		const char *text;
	} values[5];
} RIGHT[] = {
	{ "{'for':'all','perf-profile':{'level':7},'base-freq':{'enabled':true},"
	  "'turbo-freq':{'enabled':false},'turbo-mode':{'trl':'open'}}",
	  true,
	  { { STATE_NUMBER, "perf-profile.level", "7" },
	    { STATE_BOOLEAN, "base-freq.enabled", "true" },
	    { STATE_BOOLEAN, "turbo-freq.enabled", "false" },
	    { STATE_WORD, "turbo-mode.trl", "open" } } },
	{ "{'for':'package-1','turbo-mode':{'trl':'0x1E1e1e1e1f1f2022'}}",
	  true,
	  { { STATE_RATIOS, "turbo-mode.trl", "0x1e1e1e1e1f1f2022" } } },
	{ "{'core-power':{'priority':'ordered','enabled':true,'clos':{'0':{'min-mhz':'base'},"
	  "'3':{'max-mhz':2000,'desired-mhz':0}}},'for':'package-0'}",
	  true,
	  { { STATE_WORD, "core-power.priority", "ordered" },
	    { STATE_BOOLEAN, "core-power.enabled", "true" },
	    { STATE_WORD, "core-power.clos.0.min-mhz", "base" },
	    { STATE_KHZ, "core-power.clos.3.max-mhz", "2000" },
	    { STATE_KHZ, "core-power.clos.3.desired-mhz", "0" } } },
	{ "{'for':'all','core-power':{'clos':{'1':{'epp':15,'weight':0,'max-mhz':25500.0}}}}",
	  true,
	  { { STATE_NUMBER, "core-power.clos.1.epp", "15" },
	    { STATE_NUMBER, "core-power.clos.1.weight", "0" },
	    { STATE_KHZ, "core-power.clos.1.max-mhz", "25500" } } },
	{ "{'for':'cpu other','core-power':{'assoc':3}}",
	  true,
	  { { STATE_NUMBER, "core-power.assoc", "3" } } },
	{ "{'for':'package-0','online':'follow-level','offline-by':'cgroup'}",
	  true,
	  { { STATE_WORD, "online", "follow-level" }, { STATE_WORD, "offline-by", "cgroup" } } },
	{ "{'for':'all','optional':true,'online':'follow-level','turbo-mode':{'trl':'open'}}",
	  false,
	  { { STATE_WORD, "online", "follow-level" }, { STATE_WORD, "turbo-mode.trl", "open" } } },
	{ "{'for':'cpu 4-7','offline-by':'hotplug','online':false}",
	  false,
	  { { STATE_WORD, "offline-by", "hotplug" }, { STATE_BOOLEAN, "online", "false" } } },
	{ "{'for':'cpu 0-3','cpufreq':{'min-mhz':2794.75,'max-mhz':4294967.295,"
	  "'governor':'fifteen-letters','epp':'power','epb':15}}",
	  false,
	  { { STATE_KHZ, "cpufreq.min-mhz", "2794.75" },
	    { STATE_KHZ, "cpufreq.max-mhz", "4294967.295" },
	    { STATE_WORD, "cpufreq.governor", "fifteen-letters" },
	    { STATE_WORD, "cpufreq.epp", "power" },
	    { STATE_NUMBER, "cpufreq.epb", "15" } } },
	{ "{'for':'all','cpufreq':{'min-mhz':0.001,'max-mhz':3.2e3,'epp':255,'turbo':true}}",
	  false,
	  { { STATE_KHZ, "cpufreq.min-mhz", "0.001" },
	    { STATE_KHZ, "cpufreq.max-mhz", "3200" },
	    { STATE_NUMBER, "cpufreq.epp", "255" },
	    { STATE_BOOLEAN, "cpufreq.turbo", "true" } } },
	{ "{'for':'machine','cpufreq':{'turbo':false},'cpuidle':{'c02':true,"
	  "'umwait-max-time':4294967292,'governor':'menu'}}",
	  false,
	  { { STATE_BOOLEAN, "cpufreq.turbo", "false" },
	    { STATE_BOOLEAN, "cpuidle.c02", "true" },
	    { STATE_NUMBER, "cpuidle.umwait-max-time", "4294967292" },
	    { STATE_WORD, "cpuidle.governor", "menu" } } },
	{ "{'for':'machine','cpufreq':{'hwp-boost':true,'min-pct':0,'max-pct':100,"
	  "'pstate':'passive'},'cpuidle':{'c1-demotion':false}}",
	  false,
	  { { STATE_BOOLEAN, "cpufreq.hwp-boost", "true" },
	    { STATE_NUMBER, "cpufreq.min-pct", "0" },
	    { STATE_NUMBER, "cpufreq.max-pct", "100" },
	    { STATE_WORD, "cpufreq.pstate", "passive" },
	    { STATE_BOOLEAN, "cpuidle.c1-demotion", "false" } } },
	{ "{'for':'cpu 0','cpuidle':{'states':{'C6':false,'a.b':true},'qos-latency-us':0}}",
	  false,
	  { { STATE_BOOLEAN, "cpuidle.states.C6", "false" },
	    { STATE_BOOLEAN, "cpuidle.states.a.b", "true" },
	    { STATE_NUMBER, "cpuidle.qos-latency-us", "0" } } },
	{ "{'for':'cpu 0','cpuidle':{'qos-latency-us':'none','states':{}},'cpufreq':{}}",
	  false,
	  { { STATE_WORD, "cpuidle.qos-latency-us", "none" } } },
	{ "{'for':'package-0 cluster-1','uncore':{'min-mhz':1200,'max-mhz':'max',"
	  "'elc-low-threshold':0,'elc-high-threshold':100,'elc-high':true}}",
	  false,
	  { { STATE_KHZ, "uncore.min-mhz", "1200" },
	    { STATE_WORD, "uncore.max-mhz", "max" },
	    { STATE_NUMBER, "uncore.elc-low-threshold", "0" },
	    { STATE_NUMBER, "uncore.elc-high-threshold", "100" },
	    { STATE_BOOLEAN, "uncore.elc-high", "true" } } },
	{ "{'for':'all','uncore':{'elc-floor-mhz':800}}",
	  false,
	  { { STATE_KHZ, "uncore.elc-floor-mhz", "800" } } },
};

static void check_values(size_t row, const struct document *document)
{
	const struct document_entry *entry = &document->entries[1];

	for (size_t i = 0; i < entry->n_values; i++) {
		const struct entry_value *value = &entry->values[i];
		_cleanup_free_ char *path = document_path(document, value);
		_cleanup_free_ char *text = state_value_format(&value->value);

		assert_true(i < ARRAY_SIZE(RIGHT[row].values) && RIGHT[row].values[i].path);
		assert_int_equal(value->value.kind, RIGHT[row].values[i].kind);
		assert_true(strncmp(path, "settings[1].", 12) == 0);
		assert_string_equal(path + 12, RIGHT[row].values[i].path);
		assert_string_equal(text, RIGHT[row].values[i].text);
	}
	assert_true(entry->n_values == ARRAY_SIZE(RIGHT[row].values) ||
		    !RIGHT[row].values[entry->n_values].path);
}

static void test_right_entries(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(RIGHT); i++) {
		_cleanup_free_ char *entries = text_format("{'for':'all'},%s", RIGHT[i].entry);
		_cleanup_free_ char *text = with_entries(entries), *problem = NULL;
		_cleanup_document_ struct document document = { 0 };

		if (read_document(text, &document, &problem) < 0)
			fail_msg("%s: %s", RIGHT[i].entry, problem);
		assert_int_equal(document.n_entries, 2);
		assert_int_equal(document.has_sst, RIGHT[i].has_sst);
		check_values(i, &document);
	}
}

static void test_whole_document(void **test)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *problem = NULL;

	(void)test;
	assert_int_equal(
		read_document(
			" " HEAD ",'comment':'x','require':{'vendor':'GenuineIntel','model':106,"
			"'cpus':56},'settings':[{'for':'machine','optional':true,'comment':''},"
			"{'for':'all','optional':false}]}\n",
			&document, &problem),
		0);
	assert_string_equal(document.file, DOCUMENT_NAME);
	assert_string_equal(document.require.vendor, "GenuineIntel");
	assert_false(document.require.family.is_known);
	assert_true(document.require.model.is_known && document.require.model.value == 106);
	assert_false(document.require.packages.is_known);
	assert_true(document.require.cpus.is_known && document.require.cpus.value == 56);
	assert_int_equal(document.n_entries, 2);
	assert_true(document.entries[0].is_optional);
	assert_false(document.entries[1].is_optional);
	assert_false(document.has_sst);
}

static void test_empty_list(void **test)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *problem = NULL;

	(void)test;
	assert_int_equal(read_document(HEAD ",'settings':[]}", &document, &problem), 0);
	assert_int_equal(document.n_entries, 0);
	assert_null(document.require.vendor);
}

/* JSON that was read already is checked like a file, and is the document's then. */
static void test_taken_json(void **test)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_free_ char *problem = NULL;
	json_t *json = json_pack("{s:s, s:i, s:[{s:s, s:{s:b}}]}", "format", DOCUMENT_FORMAT,
				 "version", 1, "settings", "for", "machine", "cpufreq", "turbo", 0);

	(void)test;
	assert_int_equal(document_take(json, "boot-state.json", false, &document, &problem), 0);
	assert_ptr_equal(document.json, json);
	assert_int_equal(document.entries[0].values[0].setting, SETTING_TURBO);
	assert_int_equal(document_take(json_array(), "boot-state.json", false, &document, &problem),
			 -EINVAL);
	assert_string_equal(problem, "boot-state.json: must be an object, not a list");
	assert_ptr_equal(document.json, json);
}

static void test_stream_that_cannot_be_read(void **test)
{
	_cleanup_document_ struct document document = { 0 };
	_cleanup_fclose_ FILE *stream = fopen("/", "r");
	_cleanup_free_ char *problem = NULL;

	(void)test;
	assert_non_null(stream);
	assert_int_equal(document_read(stream, "/", &document, &problem), -EISDIR);
	assert_null(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_entries),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_right_entries),
		cmocka_unit_test(test_whole_document),
		cmocka_unit_test(test_empty_list),
		cmocka_unit_test(test_taken_json),
		cmocka_unit_test(test_stream_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

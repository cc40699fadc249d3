// SPDX-License-Identifier: GPL-2.0-only
/* Profiles as files: what is refused and with which words, which file a name means, the texts of
 * expectations and remedies; and lists of CPUs in boot parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "profile/profile.h"
#include "temporary.h"

#define HEAD                                                                                    \
	"{\"format\": \"intel-speed-select-profile\", \"version\": 1, \"description\": \"d\", " \
	"\"items\": ["
#define ITEM_OF(name, read, expect, remedy)                                                 \
	"{\"name\": \"" name "\", \"read\": " read ", \"expect\": " expect ", \"effect\": " \
	"\"e\", \"remedy\": " remedy "}"
#define REMEDY "{\"other\": \"r\"}"
#define FILE_A "{\"file\": \"/proc/a\"}"
/* A profile of one item that reads and expects this. */
#define ONE(read, expect) HEAD ITEM_OF("a", read, expect, REMEDY) "]}"
#define GOOD              ONE(FILE_A, "{\"is\": 1}")

struct wrong {
	const char *text;
	const char *problem; /* after "p.json:" */
};

static const struct wrong wrongs[] = {
	{ "{", "1: " },
	{ "[]", " must be an object" },
	{ "{\"format\": \"intel-speed-select-profile\"}", " version: is missing" },
	{ "{\"format\": \"x\", \"version\": 1, \"description\": \"d\", \"items\": [1]}",
	  " format: must be one of \"intel-speed-select-profile\", not \"x\"" },
	{ "{\"format\": \"intel-speed-select-profile\", \"version\": 2}",
	  " version: must be 1, not 2" },
	{ "{\"format\": \"intel-speed-select-profile\", \"versoin\": 1}",
	  " versoin: unknown member; did you mean version?" },
	{ "{\"format\": \"a\", \"format\": \"b\"}", "1: " },
	{ HEAD "]}", " items: must have 1 to 200 elements, not 0" },
	{ HEAD "1]}", " items[0]: must be an object" },
	{ HEAD "{\"name\": \"A b\"}]}",
	  " items[0].name: must be 1 to 30 lower-case letters, digits and dashes" },
	{ HEAD "{\"name\": \"a\"}]}", " items[0].read: is missing" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", "{}") "]}",
	  " items[0].remedy: must be an object with one or more of command, sysctl, boot, bios, "
	  "other" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", "{\"shell\": \"x\"}") "]}",
	  " items[0].remedy.shell: is unknown here" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", "{\"sysctrl\": \"x\"}") "]}",
	  " items[0].remedy.sysctrl: is unknown here; known are command, sysctl, boot, bios, other; "
	  "did you mean sysctl?" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", "{\"boot\": \"a={cpu}\"}") "]}",
	  " items[0].remedy.boot: braces are for {cpus}, {judged} and {others}" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", "{\"boot\": 3}") "]}",
	  " items[0].remedy.boot: must be a string" },
	{ HEAD ITEM_OF("a", FILE_A, "{\"is\": 1}", REMEDY) ", " ITEM_OF("a", FILE_A, "{\"is\": 1}",
									REMEDY) "]}",
	  " items[1].name: \"a\" is the name of items[0], too" },
	{ ONE("{}", "{\"is\": 1}"),
	  " items[0].read: must have one of setting, fact, file, parameter, process" },
	{ ONE("{\"file\": \"/proc/a\", \"fact\": \"irqs\"}", "{\"is\": 1}"),
	  " items[0].read: must have one of" },
	{ ONE("{\"file\": \"/etc/shadow\"}", "{\"is\": 1}"),
	  " items[0].read.file: \"/etc/shadow\" is not a file below /proc or /sys" },
	{ ONE("{\"file\": \"/proc/../etc/shadow\"}", "{\"is\": 1}"),
	  " items[0].read.file: \"/proc/../etc/shadow\" is not a file" },
	{ ONE("{\"file\": \"/proc/{cpu}/{cpu}\"}", "{\"is\": 1}"),
	  " items[0].read.file: {cpu} may be in it once" },
	{ ONE("{\"fact\": \"mood\"}", "{\"is\": 1}"),
	  " items[0].read.fact: \"mood\" is an unknown fact; there are isolated, rcu-nocbs" },
	{ ONE("{\"setting\": \"cpufreq.mood\"}", "{\"is\": 1}"),
	  " items[0].read.setting: \"cpufreq.mood\" is not a setting" },
	{ ONE("{\"setting\": \"cpuidle.states.NAME\"}", "{\"is\": true}"),
	  " items[0].read.setting: \"cpuidle.states.NAME\" cannot be an item: it is not one value "
	  "of a place" },
	{ ONE("{\"setting\": \"cpufreq.turbo\", \"part\": \"selected\"}", "{\"is\": true}"),
	  " items[0].read.part: needs \"file\"" },
	{ ONE("{\"file\": \"/proc/a\", \"part\": \"last\"}", "{\"is\": 1}"),
	  " items[0].read.part: must be one of \"selected\"" },
	{ ONE("{\"process\": \"a b\"}", "{\"is\": false}"),
	  " items[0].read.process: \"a b\" must be one word" },
	{ ONE("{\"parameter\": \"a=b\"}", "{\"present\": true}"),
	  " items[0].read.parameter: \"a=b\" must be one word" },
	{ ONE(FILE_A, "{\"is\": 1, \"not\": 2}"),
	  " items[0].expect: must be an object with one of is, not, any-of" },
	{ ONE(FILE_A, "{\"like\": 1}"), " items[0].expect.like: is unknown here" },
	{ ONE(FILE_A, "{\"is\": true}"),
	  " items[0].expect.is: must be a string that is possible for /proc/a" },
	{ ONE(FILE_A, "{\"is\": -1}"), " items[0].expect.is: must be a string" },
	{ ONE(FILE_A, "{\"any-of\": []}"),
	  " items[0].expect.any-of: must be a list of 1 to 32 values" },
	{ ONE(FILE_A, "{\"any-of\": [1, null]}"), " items[0].expect.any-of: must be a string" },
	{ ONE(FILE_A, "{\"at-most\": true}"),
	  " items[0].expect.at-most: must be a number that is possible for /proc/a, or a version" },
	{ ONE(FILE_A, "{\"includes-cpus\": false}"),
	  " items[0].expect.includes-cpus: must be true" },
	{ ONE(FILE_A, "{\"present\": 1}"), " items[0].expect.present: must be true or false" },
	{ ONE("{\"fact\": \"irqs\"}", "{\"present\": true}"),
	  " items[0].expect.present: needs a file or parameter" },
	{ ONE("{\"fact\": \"irqs\"}", "{\"is\": \"few\"}"),
	  " items[0].expect.is: must be a number or word that is possible for irqs" },
	{ ONE("{\"fact\": \"irqs\"}", "{\"at-least\": \"1.2\"}"),
	  " items[0].expect.at-least: must be a number that is possible for irqs" },
	{ ONE("{\"fact\": \"isolated\"}", "{\"at-least\": 1}"),
	  " items[0].expect.at-least: must be a number" },
	{ ONE("{\"fact\": \"isolated\"}", "{\"is\": \"yes\"}"),
	  " items[0].expect.is: must be true or false, all that is possible for isolated" },
	{ ONE("{\"process\": \"a\"}", "{\"is\": 0}"),
	  " items[0].expect.is: must be true or false" },
	{ ONE("{\"file\": \"/sys/cpu{cpu}/a\"}", "{\"includes-cpus\": true}"),
	  " items[0].expect.includes-cpus: needs a file or parameter of the whole machine" },
	{ ONE("{\"setting\": \"cpufreq.epp\"}", "{\"is\": \"fast\"}"),
	  " items[0].expect.is: must be a number or word that is possible for cpufreq.epp" },
	{ ONE("{\"setting\": \"cpufreq.governor\"}", "{\"is\": 3}"),
	  " items[0].expect.is: must be a string that is possible for cpufreq.governor" },
};

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		_cleanup_profile_ struct profile profile = { 0 };
		_cleanup_free_ char *problem = NULL;
		int err = profile_parse("p.json", wrongs[i].text, strlen(wrongs[i].text), &profile,
					&problem);

		if (err != -EINVAL)
			fail_msg("%s: %d", wrongs[i].problem, err);
		if (strncmp(problem, "p.json:", 7) != 0 || !strstr(problem, wrongs[i].problem))
			fail_msg("\"%s\" is not in \"%s\"", wrongs[i].problem, problem);
	}
}

static const char *const rights[] = {
	GOOD,
	ONE(FILE_A, "{\"is\": \"text\"}"),
	ONE(FILE_A, "{\"not\": \"text\"}"),
	ONE(FILE_A, "{\"any-of\": [1, \"text\"]}"),
	ONE(FILE_A, "{\"at-least\": \"6.1\"}"),
	ONE(FILE_A, "{\"at-most\": 3}"),
	ONE(FILE_A, "{\"excludes-cpus\": true}"),
	ONE("{\"parameter\": \"nosmt\"}", "{\"present\": true}"),
	ONE("{\"process\": \"tuned\"}", "{\"is\": false}"),
	ONE("{\"setting\": \"cpuidle.qos-latency-us\"}", "{\"is\": \"none\"}"),
	ONE("{\"setting\": \"cpuidle.qos-latency-us\"}", "{\"at-most\": 2}"),
	ONE("{\"setting\": \"cpufreq.min-mhz\"}", "{\"is\": 800}"),
	ONE("{\"setting\": \"core-power.priority\"}", "{\"is\": \"ordered\"}"),
	ONE("{\"fact\": \"split-lock\"}", "{\"is\": \"fatal\"}"),
};

static void accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rights); i++) {
		_cleanup_profile_ struct profile profile = { 0 };
		_cleanup_free_ char *problem = NULL;

		if (profile_parse("p", rights[i], strlen(rights[i]), &profile, &problem))
			fail_msg("%s", problem);
		assert_int_equal(profile.n_items, 1);
		assert_false(profile.is_of_online);
	}
}

/* A name is found in the first directory that has it; a path is a path. */
static void found_by_name(void **state)
{
	char *first = temporary_make(), *second = temporary_make();
	const char *const directories[] = { first, second, second, NULL };
	_cleanup_free_ char *a = temporary_path(second, "a.json");
	_cleanup_free_ char *b = temporary_path(first, "b.json");
	_cleanup_free_ char *b2 = temporary_path(second, "b.json"), *problem = NULL;
	_cleanup_profile_ struct profile by_name = { 0 }, by_path = { 0 }, other = { 0 };

	(void)state;
	temporary_write(a, GOOD, 0644);
	temporary_write(b, GOOD, 0644);
	temporary_write(b2, "{", 0644);
	assert_int_equal(profile_read("a", directories, &by_name, &problem), 0);
	assert_string_equal(by_name.file, a);
	assert_int_equal(profile_read("b", directories, &other, &problem), 0);
	assert_string_equal(other.file, b);
	assert_int_equal(profile_read(a, directories + 3, &by_path, &problem), 0);
	assert_int_equal(profile_read("c", directories, &by_path, &problem), -ENOENT);
	assert_string_equal(problem, "c: no profile has this name; the profiles are b, a; to use "
				     "a file, write its name with a slash or as NAME.json");
	free(steal(problem));
	assert_int_equal(profile_read("c.json", directories, &by_path, &problem), -ENOENT);
	assert_string_equal(problem, "c.json: No such file or directory");
	free(steal(problem));
	assert_int_equal(profile_read(b2, directories, &by_path, &problem), -EINVAL);
	free(steal(problem));
	assert_int_equal(profile_read(second[0] == '/' ? "/" : "./", directories, &by_path,
				      &problem),
			 -EISDIR);
	temporary_remove(first);
	temporary_remove(second);
}

struct expected_text {
	const char *profile;
	const char *text;
};

static const struct expected_text expected_texts[] = {
	{ GOOD, "1" },
	{ ONE(FILE_A, "{\"not\": \"a\"}"), "not a" },
	{ ONE(FILE_A, "{\"any-of\": [1, 2, \"c\"]}"), "1, 2 or c" },
	{ ONE(FILE_A, "{\"at-least\": \"6.1\"}"), "at least 6.1" },
	{ ONE("{\"fact\": \"deepest-idle\"}", "{\"at-most\": 2}"), "at most 2 us" },
	{ ONE("{\"fact\": \"isolated\"}", "{\"is\": true}"), "yes" },
	{ ONE("{\"setting\": \"cpuidle.qos-latency-us\"}", "{\"is\": \"none\"}"), "none" },
	{ ONE(FILE_A, "{\"includes-cpus\": true}"), "a list with these CPUs" },
	{ ONE(FILE_A, "{\"present\": false}"), "absent" },
};

static void texts_of_expectations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected_texts); i++) {
		const struct expected_text *row = &expected_texts[i];
		_cleanup_profile_ struct profile profile = { 0 };
		_cleanup_free_ char *problem = NULL, *text = NULL;

		assert_int_equal(profile_parse("p", row->profile, strlen(row->profile), &profile,
					       &problem),
				 0);
		text = profile_format_expectation(&profile.items[0]);
		assert_string_equal(text, row->text);
	}
}

static void texts_of_remedies(void **state)
{
	_cleanup_cpuset_ struct cpuset wrong = { 0 }, checked = { 0 }, online = { 0 }, none = { 0 };
	struct remedy_cpus cpus = { &wrong, &checked, &online, NULL };
	_cleanup_free_ char *text = NULL, *empty = NULL;

	(void)state;
	assert_int_equal(cpuset_add_range(&wrong, 3, 3), 0);
	assert_int_equal(cpuset_add_range(&checked, 2, 3), 0);
	assert_int_equal(cpuset_add_range(&online, 0, 5), 0);
	text = profile_format_remedy("-c {cpus} a={judged} b={others}.", &cpus);
	assert_string_equal(text, "-c 3 a=2-3 b=0-1,4-5.");
	cpus.wrong = &none;
	empty = profile_format_remedy("-c {cpus}", &cpus);
	assert_string_equal(empty, "-c {cpus}");
}

struct list {
	const char *text;
	const char *cpus; /* NULL: refused */
};

static const struct list lists[] = {
	{ "", "" },
	{ "(null)", "" },
	{ "1-3,8", "1-3,8" },
	{ "all", "0-15" },
	{ "N", "15" },
	{ "13-N", "13-15" },
	{ "0-15:2/8", "0-1,8-9" },
	{ "domain,managed_irq,4-5", "4-5" },
	{ "nohz", "" },
	{ "3-1", NULL },
	{ "1-", NULL },
	{ "1-3:0/2", NULL },
	{ "1-3:3/2", NULL },
	{ "1-3:1", NULL },
	{ "1x", NULL },
	{ "1,,99999999999999999999", NULL },
	{ "0-4294967295", NULL },
};

static void lists_of_cpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *text = NULL;
		int err = inspection_parse_cpus(lists[i].text, 15, &cpus);

		text = cpuset_format_ranges(&cpus);
		if (!err != !!lists[i].cpus)
			fail_msg("%s: %d", lists[i].text, err);
		if (lists[i].cpus)
			assert_string_equal(text, lists[i].cpus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),           cmocka_unit_test(accepted),
		cmocka_unit_test(found_by_name),     cmocka_unit_test(texts_of_expectations),
		cmocka_unit_test(texts_of_remedies), cmocka_unit_test(lists_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

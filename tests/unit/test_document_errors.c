// SPDX-License-Identifier: GPL-2.0-only
/* Wrong state documents: the message about each. In the texts ' is a quotation mark. */
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

/* Fails unless the message about the text begins with that; is_whole: unless it is that. */
static void assert_refused(const char *text, const char *wanted, bool is_whole)
{
	_cleanup_free_ char *message = quoted(wanted), *problem = NULL;
	_cleanup_document_ struct document document = { 0 };
	int err = read_document(text, &document, &problem);

	if (err != -EINVAL || strncmp(problem, DOCUMENT_NAME, strlen(DOCUMENT_NAME)) != 0 ||
	    strncmp(problem + strlen(DOCUMENT_NAME), message, strlen(message)) != 0 ||
	    (is_whole && strlen(problem) != strlen(DOCUMENT_NAME) + strlen(message)))
		fail_msg("%s gives %d, %s", text, err, problem ? problem : "no message");
}

struct wrong {
	const char *text;
	const char *message;
};

/* No JSON: where the mistake is. What jansson calls it differs between its versions. */
static const struct wrong SYNTAX[] = {
	{ "", ":1:1: " },
	{ " ", ":1:1: " },
	{ "{", ":1:1: " },
	{ "'text'", ":1:6: " },
	{ "12", ":1:2: " },
	{ "null", ":1:4: " },
	{ HEAD ",'settings':[]", ":1:62: " },
	{ HEAD ",'settings':[],}", ":1:64: " },
	{ HEAD ",'settings':[]} x", ":1:65: " },
	{ HEAD ",\n'settings':[\n{'for':'all',}]}", ":3:14: " },
	{ HEAD ",'settings':[],'settings':[]}", ":1:73: " },
	{ HEAD ",'settings':[{'for':'all','online':'follow-level','online':'follow-level'}]}",
	  ":1:106: " },
	{ HEAD ",'settings':[],'comment':'\\u0000'}", ":1:81: a NUL character" },
	{ HEAD ",'settings':[],'comment':'a\nb'}", ":1:75: " },
	{ HEAD ",'settings':[],'comment':'\\x'}", ":1:76: " },
	{ HEAD ",'settings':[],'comment':'\\ud800'}", ":1:81: " },
	{ HEAD ",'settings':[{'for':'cpu 0','cpufreq':{'epb':99999999999999999999}}]}",
	  ":1:113: " },
	{ HEAD ",'settings':[{'for':'cpu 0','cpufreq':{'epb':1e999}}]}", ":1:98: " },
	{ HEAD ",'settings':[{'for':'cpu 0','cpufreq':{'epb':01}}]}", ":1:94: " },
	{ HEAD ",'settings':[{'for':'cpu 0','cpufreq':{'epb':NaN}}]}", ":1:96: " },
};

static void test_syntax(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(SYNTAX); i++)
		assert_refused(SYNTAX[i].text, SYNTAX[i].message, false);
}

/* What is wrong with the document. */
static const struct wrong DOCUMENTS[] = {
	{ "[]", ": must be an object, not a list" },
	{ "{}", ": format: is missing; it must be 'intel-speed-select-state'" },
	{ "{'a':1}", ": format: is missing; it must be 'intel-speed-select-state'" },
	{ HEAD "}", ": settings: is missing; it must be a list of entries" },
	{ "{'version':1,'settings':[]}",
	  ": format: is missing; it must be 'intel-speed-select-state'" },
	{ "{'format':'intel-speed-select cpu map','version':1,'settings':[]}",
	  ": format: must be 'intel-speed-select-state', not 'intel-speed-select cpu map'" },
	{ "{'format':1,'version':1,'settings':[]}",
	  ": format: must be 'intel-speed-select-state', not 1" },
	{ "{'format':'intel-speed-select-state','settings':[]}",
	  ": version: is missing; it must be 1" },
	{ "{'format':'intel-speed-select-state','version':2,'settings':[]}",
	  ": version: must be 1, not 2" },
	{ "{'format':'intel-speed-select-state','version':'1','settings':[]}",
	  ": version: must be 1, not '1'" },
	{ HEAD ",'settings':{}}", ": settings: must be a list of entries, not an object" },
	{ HEAD ",'settings':null}", ": settings: must be a list of entries, not null" },
	{ HEAD ",'Settings':[]}",
	  ": Settings: unknown member; known here: format, version, comment, require, incomplete, settings; did you mean settings?" },
	{ HEAD ",'settings':[],'\\u001b[2J':1}",
	  ": ?[2J: unknown member; known here: format, version, comment, require, incomplete, settings" },
	{ HEAD ",'settings':[],'comment':['a']}", ": comment: must be a string, not a list" },
	{ HEAD ",'settings':[],'require':[]}", ": require: must be an object, not a list" },
	{ HEAD ",'settings':[],'require':{'stepping':6}}",
	  ": require.stepping: unknown member; known here: vendor, family, model, packages, cpus" },
	{ HEAD ",'settings':[],'require':{'vendor':''}}",
	  ": require.vendor: must be a non-empty string, not ''" },
	{ HEAD ",'settings':[],'require':{'vendor':6}}",
	  ": require.vendor: must be a non-empty string, not 6" },
	{ HEAD ",'settings':[],'require':{'family':'6'}}",
	  ": require.family: must be a whole number from 0 to 4294967295, not '6'" },
	{ HEAD ",'settings':[],'require':{'model':-1}}",
	  ": require.model: must be a whole number from 0 to 4294967295, not -1" },
	{ HEAD ",'settings':[],'require':{'packages':4294967296}}",
	  ": require.packages: must be a whole number from 0 to 4294967295, not 4294967296" },
	{ HEAD ",'settings':[],'require':{'cpus':1.5}}",
	  ": require.cpus: must be a whole number from 0 to 4294967295, not 1.5" },
	{ HEAD ",'settings':[],'require':{'cpus':null}}",
	  ": require.cpus: must be a whole number from 0 to 4294967295, not null" },
};

static void test_documents(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(DOCUMENTS); i++)
		assert_refused(DOCUMENTS[i].text, DOCUMENTS[i].message, true);
}

#define FOR                                                                                  \
	"must be 'machine', 'all', 'package-N' (and 'die-N', 'powerdomain-N', 'cluster-N', " \
	"'uncore-N' in this order), 'cpu SET' or 'cpu other', not "
#define PADDED "must be a selector whose numbers have no leading zeros, not "
#define MHZ \
	"must be 'min', 'base', 'max' or MHz with up to three decimals from 0.001 to 4294967.295, not "
#define RATIOS "must be 'level', 'open' or '0x' and 16 hexadecimal digits, not "

/* Entries of a document that is right otherwise. */
static const struct wrong ENTRIES[] = {
	{ "[]", "0]: must be an object, not a list" },
	{ "'all'", "0]: must be an object, not 'all'" },
	{ "{}",
	  "0].for: is missing; it must be 'machine', 'all', 'package-N' (and 'die-N', 'powerdomain-N', 'cluster-N', 'uncore-N' in this order), 'cpu SET' or 'cpu other'" },
	{ "{'on':'all'}", "0].on: unknown member; write 'for'" },
	{ "{'cpufreq':{'epp':0},'on':'machine'}", "0].on: unknown member; write 'for'" },
	{ "{'for':'all','on':'all'}", "0].on: unknown member; write 'for'" },
	{ "{'on':null}", "0].on: unknown member; write 'for'" },
	{ "{'for':1}", "0].for: " FOR "1" },
	{ "{'for':''}", "0].for: " FOR "''" },
	{ "{'for':'All'}", "0].for: " FOR "'All'" },
	{ "{'for':'all '}", "0].for: " FOR "'all '" },
	{ "{'for':'package'}", "0].for: " FOR "'package'" },
	{ "{'for':'package-'}", "0].for: " FOR "'package-'" },
	{ "{'for':'package-x'}", "0].for: " FOR "'package-x'" },
	{ "{'for':'package-+1'}", "0].for: " FOR "'package-+1'" },
	{ "{'for':'package-0x1'}", "0].for: " FOR "'package-0x1'" },
	{ "{'for':'package-4294967296'}", "0].for: " FOR "'package-4294967296'" },
	{ "{'for':'package-01'}", "0].for: " PADDED "'package-01'" },
	{ "{'for':'package-00'}", "0].for: " PADDED "'package-00'" },
	{ "{'for':'package-1 die-02'}", "0].for: " PADDED "'package-1 die-02'" },
	{ "{'for':'package-1 powerdomain-02'}", "0].for: " PADDED "'package-1 powerdomain-02'" },
	{ "{'for':'package-1 cluster-00'}", "0].for: " PADDED "'package-1 cluster-00'" },
	{ "{'for':'cpu 01'}", "0].for: " PADDED "'cpu 01'" },
	{ "{'for':'cpu 1-03'}", "0].for: " PADDED "'cpu 1-03'" },
	{ "{'for':'cpu 1,!00'}", "0].for: " PADDED "'cpu 1,!00'" },
	{ "{'for':'cpu clos:00'}", "0].for: " PADDED "'cpu clos:00'" },
	{ "{'for':'cpu near:0000:01:00.0,02'}", "0].for: " PADDED "'cpu near:0000:01:00.0,02'" },
	{ "{'for':'package-0 '}", "0].for: " FOR "'package-0 '" },
	{ "{'for':'package-0  die-0'}", "0].for: " FOR "'package-0  die-0'" },
	{ "{'for':'package-0,die-0'}", "0].for: " FOR "'package-0,die-0'" },
	{ "{'for':'package-0 powerdomain-0 die-0'}",
	  "0].for: " FOR "'package-0 powerdomain-0 die-0'" },
	{ "{'for':'package-0 die-0 die-1'}", "0].for: " FOR "'package-0 die-0 die-1'" },
	{ "{'for':'package-0 cpu-1'}", "0].for: " FOR "'package-0 cpu-1'" },
	{ "{'for':'die-0'}", "0].for: " FOR "'die-0'" },
	{ "{'for':'cpu'}", "0].for: " FOR "'cpu'" },
	{ "{'for':'cpu '}", "0].for: " FOR "'cpu '" },
	{ "{'for':'cpu  '}", "0].for: " FOR "'cpu  '" },
	{ "{'for':'cpu-0'}", "0].for: " FOR "'cpu-0'" },
	{ "{'for':'CPU 0'}", "0].for: " FOR "'CPU 0'" },
	{ "{'for':'all','comment':7}", "0].comment: must be a string, not 7" },
	{ "{'for':'all','optional':'yes'}", "0].optional: must be true or false, not 'yes'" },
	{ "{'for':'all','optional':1}", "0].optional: must be true or false, not 1" },
	{ "{'for':'all','turbo':true}",
	  "0].turbo: unknown member; known here: for, comment, optional, perf-profile, base-freq, turbo-freq, turbo-mode, core-power, online, offline-by, cpufreq, cpuidle, uncore, power; did you mean cpufreq.turbo?" },
	{ "{'for':'all','governor':'performance'}",
	  "0].governor: unknown member; known here: for, comment, optional, perf-profile, base-freq, turbo-freq, turbo-mode, core-power, online, offline-by, cpufreq, cpuidle, uncore, power; did you mean cpufreq.governor or cpuidle.governor?" },
	{ "{'for':'all','cpufreq.epp':'performance'}",
	  "0].cpufreq.epp: unknown member; known here: for, comment, optional, perf-profile, base-freq, turbo-freq, turbo-mode, core-power, online, offline-by, cpufreq, cpuidle, uncore, power; each part between dots is an object of its own" },
	{ "{'for':'all','cpufreq':{'min_mhz':800}}",
	  "0].cpufreq.min_mhz: unknown member; known here: min-mhz, max-mhz, governor, epp, epb, turbo, "
	  "hwp-boost, min-pct, max-pct, pstate; did you mean min-mhz?" },
	{ "{'for':'all','core-power':{'clos':{'4':{'epp':0}}}}",
	  "0].core-power.clos.4: unknown member; known here: '0' to '3'" },
	{ "{'for':'all','core-power':{'clos':{'00':{'epp':0}}}}",
	  "0].core-power.clos.00: unknown member; known here: '0' to '3'" },
	{ "{'for':'all','core-power':{'clos':{'N':{'epp':0}}}}",
	  "0].core-power.clos.N: unknown member; known here: '0' to '3'" },
	{ "{'for':'all','core-power':{'clos':{'0':{'min':0}}}}",
	  "0].core-power.clos.0.min: unknown member; known here: min-mhz, max-mhz, desired-mhz, epp, weight" },
	{ "{'for':'all','core-power':{'clos':[]}}",
	  "0].core-power.clos: must be an object, not a list" },
	{ "{'for':'all','core-power':true}", "0].core-power: must be an object, not true" },
	{ "{'for':'all','cpufreq':null}", "0].cpufreq: must be an object, not null" },
	{ "{'for':'cpu 0','cpuidle':{'states':{'':true}}}",
	  "0].cpuidle.states.: unknown member; known here: names of idle states" },
	{ "{'for':'cpu 0','cpuidle':{'states':'C6'}}",
	  "0].cpuidle.states: must be an object, not 'C6'" },
	{ "{'for':'all'},{'for':'all','perf-profile':{'level':8}}",
	  "1].perf-profile.level: must be a whole number from 0 to 7, not 8" },
	{ "{'for':'all','perf-profile':{'level':-1}}",
	  "0].perf-profile.level: must be a whole number from 0 to 7, not -1" },
	{ "{'for':'all','perf-profile':{'level':'0'}}",
	  "0].perf-profile.level: must be a whole number from 0 to 7, not '0'" },
	{ "{'for':'all','perf-profile':{'level':true}}",
	  "0].perf-profile.level: must be a whole number from 0 to 7, not true" },
	{ "{'for':'all','perf-profile':{'level':0.5}}",
	  "0].perf-profile.level: must be a whole number from 0 to 7, not 0.5" },
	{ "{'for':'all','base-freq':{'enabled':1}}",
	  "0].base-freq.enabled: must be true or false, not 1" },
	{ "{'for':'all','turbo-freq':{'enabled':'true'}}",
	  "0].turbo-freq.enabled: must be true or false, not 'true'" },
	{ "{'for':'all','turbo-mode':{'trl':'closed'}}", "0].turbo-mode.trl: " RATIOS "'closed'" },
	{ "{'for':'all','turbo-mode':{'trl':'0x1e1e1e1e1f1f202'}}",
	  "0].turbo-mode.trl: " RATIOS "'0x1e1e1e1e1f1f202'" },
	{ "{'for':'all','turbo-mode':{'trl':'0x1e1e1e1e1f1f20222'}}",
	  "0].turbo-mode.trl: " RATIOS "'0x1e1e1e1e1f1f20222'" },
	{ "{'for':'all','turbo-mode':{'trl':'0X1e1e1e1e1f1f2022'}}",
	  "0].turbo-mode.trl: " RATIOS "'0X1e1e1e1e1f1f2022'" },
	{ "{'for':'all','turbo-mode':{'trl':'1e1e1e1e1f1f202200'}}",
	  "0].turbo-mode.trl: " RATIOS "'1e1e1e1e1f1f202200'" },
	{ "{'for':'all','turbo-mode':{'trl':'0x1e1e1e1e1f1f202g'}}",
	  "0].turbo-mode.trl: " RATIOS "'0x1e1e1e1e1f1f202g'" },
	{ "{'for':'all','turbo-mode':{'trl':18446744073709551}}",
	  "0].turbo-mode.trl: " RATIOS "18446744073709551" },
	{ "{'for':'all','core-power':{'enabled':null}}",
	  "0].core-power.enabled: must be true or false, not null" },
	{ "{'for':'all','core-power':{'priority':'Ordered'}}",
	  "0].core-power.priority: must be 'proportional' or 'ordered', not 'Ordered'" },
	{ "{'for':'all','core-power':{'priority':1}}",
	  "0].core-power.priority: must be 'proportional' or 'ordered', not 1" },
	{ "{'for':'all','core-power':{'clos':{'0':{'min-mhz':2050}}}}",
	  "0].core-power.clos.0.min-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 0 to 25500, not 2050" },
	{ "{'for':'all','core-power':{'clos':{'1':{'min-mhz':25600}}}}",
	  "0].core-power.clos.1.min-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 0 to 25500, not 25600" },
	{ "{'for':'all','core-power':{'clos':{'2':{'min-mhz':-100}}}}",
	  "0].core-power.clos.2.min-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 0 to 25500, not -100" },
	{ "{'for':'all','core-power':{'clos':{'3':{'max-mhz':0}}}}",
	  "0].core-power.clos.3.max-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 100 to 25500, not 0" },
	{ "{'for':'all','core-power':{'clos':{'3':{'max-mhz':'none'}}}}",
	  "0].core-power.clos.3.max-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 100 to 25500, not 'none'" },
	{ "{'for':'all','core-power':{'clos':{'3':{'max-mhz':2000.5}}}}",
	  "0].core-power.clos.3.max-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 100 to 25500, not 2000.5" },
	{ "{'for':'all','core-power':{'clos':{'3':{'desired-mhz':'base'}}}}",
	  "0].core-power.clos.3.desired-mhz: must be a multiple of 100 MHz from 0 to 25500, not 'base'" },
	{ "{'for':'all','core-power':{'clos':{'0':{'epp':16}}}}",
	  "0].core-power.clos.0.epp: must be a whole number from 0 to 15, not 16" },
	{ "{'for':'all','core-power':{'clos':{'0':{'weight':[]}}}}",
	  "0].core-power.clos.0.weight: must be a whole number from 0 to 15, not a list" },
	{ "{'for':'cpu 0','core-power':{'assoc':4}}",
	  "0].core-power.assoc: must be a whole number from 0 to 3, not 4" },
	{ "{'for':'all','online':true}",
	  "0].online: must be 'follow-level' (in an entry for CPUs: true or false), not true" },
	{ "{'for':'package-0','online':false}",
	  "0].online: must be 'follow-level' (in an entry for CPUs: true or false), not false" },
	{ "{'for':'cpu 0','online':'follow-level'}",
	  "0].online: must be true or false (in an entry for 'all' or a package: 'follow-level'), not 'follow-level'" },
	{ "{'for':'cpu other','online':1}",
	  "0].online: must be true or false (in an entry for 'all' or a package: 'follow-level'), not 1" },
	{ "{'for':'all','online':'follow-level','offline-by':'cgroups'}",
	  "0].offline-by: must be 'hotplug' or 'cgroup', not 'cgroups'" },
	{ "{'for':'cpu 1','offline-by':'cgroup'}",
	  "0].offline-by: must be in an entry with 'online'" },
	{ "{'for':'all','cpufreq':{'min-mhz':0}}", "0].cpufreq.min-mhz: " MHZ "0" },
	{ "{'for':'all','cpufreq':{'min-mhz':800.0001}}", "0].cpufreq.min-mhz: " MHZ "800.0001" },
	{ "{'for':'all','cpufreq':{'max-mhz':4294967.296}}",
	  "0].cpufreq.max-mhz: " MHZ "4294967.296" },
	{ "{'for':'all','cpufreq':{'max-mhz':1e300}}", "0].cpufreq.max-mhz: " MHZ "1e300" },
	{ "{'for':'all','cpufreq':{'max-mhz':'2100'}}", "0].cpufreq.max-mhz: " MHZ "'2100'" },
	{ "{'for':'all','cpufreq':{'max-mhz':'a text that is much longer than what a message should show of it, because nobody reads it'}}",
	  "0].cpufreq.max-mhz: " MHZ
	  "'a text that is much longer than what a message should show of it, because nobod..." },
	{ "{'for':'all','cpufreq':{'governor':''}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not ''" },
	{ "{'for':'all','cpufreq':{'governor':'sixteen-letters-'}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not 'sixteen-letters-'" },
	{ "{'for':'all','cpufreq':{'governor':'two words'}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not 'two words'" },
	{ "{'for':'all','cpufreq':{'governor':'\\u001b[2J'}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not '\\u001B[2J'" },
	{ "{'for':'all','cpufreq':{'governor':'\\u00e4'}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not 'ä'" },
	{ "{'for':'all','cpufreq':{'governor':5}}",
	  "0].cpufreq.governor: must be a name of 1 to 15 printable characters, not 5" },
	{ "{'for':'all','cpufreq':{'epp':'default'}}",
	  "0].cpufreq.epp: must be 'performance', 'balance_performance', 'balance_power', 'power' or a whole number from 0 to 255, not 'default'" },
	{ "{'for':'all','cpufreq':{'epp':256}}",
	  "0].cpufreq.epp: must be 'performance', 'balance_performance', 'balance_power', 'power' or a whole number from 0 to 255, not 256" },
	{ "{'for':'all','cpufreq':{'epb':16}}",
	  "0].cpufreq.epb: must be a whole number from 0 to 15, not 16" },
	{ "{'for':'cpu 0-3','cpufreq':{'turbo':true}}",
	  "0].cpufreq.turbo: is set for the whole machine; put it into an entry for 'machine'" },
	{ "{'for':'package-0','cpufreq':{'turbo':true}}",
	  "0].cpufreq.turbo: is set for the whole machine; put it into an entry for 'machine'" },
	{ "{'for':'all','cpufreq':{'turbo':'on'}}",
	  "0].cpufreq.turbo: must be true or false, not 'on'" },
	{ "{'for':'machine','cpufreq':{'governor':'powersave'}}",
	  "0].cpufreq.governor: is set for each cpufreq policy; put it into an entry for 'all', 'package-N' or 'cpu SET'" },
	{ "{'for':'machine','online':true}",
	  "0].online: is set for each CPU; put it into an entry for 'all', 'package-N' or 'cpu SET'" },
	{ "{'for':'machine','perf-profile':{'level':0}}",
	  "0].perf-profile.level: is set for each power domain; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'cpu 0','perf-profile':{'level':0}}",
	  "0].perf-profile.level: is set for each power domain; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'cpu other','turbo-mode':{'trl':'level'}}",
	  "0].turbo-mode.trl: is set for each package; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'machine','turbo-mode':{'trl':'level'}}",
	  "0].turbo-mode.trl: is set for each package; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'cpu 0','core-power':{'enabled':true}}",
	  "0].core-power.enabled: is set for each power domain; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'machine','core-power':{'assoc':0}}",
	  "0].core-power.assoc: is set for each core; put it into an entry for 'all', 'package-N' or 'cpu SET'" },
	{ "{'for':'machine','cpufreq':{'epb':6}}",
	  "0].cpufreq.epb: is set for each CPU; put it into an entry for 'all', 'package-N' or 'cpu SET'" },
	{ "{'for':'cpu 0','uncore':{'max-mhz':2000}}",
	  "0].uncore.max-mhz: is set for each uncore; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'machine','uncore':{'max-mhz':2000}}",
	  "0].uncore.max-mhz: is set for each uncore; put it into an entry for 'all' or 'package-N'" },
	{ "{'for':'cpu 0','cpuidle':{'c02':true}}",
	  "0].cpuidle.c02: is set for the whole machine; put it into an entry for 'machine'" },
	{ "{'for':'machine','cpuidle':{'states':{'C6':false}}}",
	  "0].cpuidle.states.C6: is set for each CPU; put it into an entry for 'all', 'package-N' or 'cpu SET'" },
	{ "{'for':'all','cpuidle':{'states':{'C6':0}}}",
	  "0].cpuidle.states.C6: must be true or false, not 0" },
	{ "{'for':'all','cpuidle':{'states':{'C6':{}}}}",
	  "0].cpuidle.states.C6: must be true or false, not an object" },
	{ "{'for':'all','cpuidle':{'qos-latency-us':2147483647}}",
	  "0].cpuidle.qos-latency-us: must be 'none' or a whole number from 0 to 2147483646, not 2147483647" },
	{ "{'for':'all','cpuidle':{'qos-latency-us':'n/a'}}",
	  "0].cpuidle.qos-latency-us: must be 'none' or a whole number from 0 to 2147483646, not 'n/a'" },
	{ "{'for':'machine','cpuidle':{'governor':true}}",
	  "0].cpuidle.governor: must be a name of 1 to 15 printable characters, not true" },
	{ "{'for':'machine','cpufreq':{'pstate':'off'}}",
	  "0].cpufreq.pstate: must be 'active' or 'passive', not 'off'" },
	{ "{'for':'machine','cpufreq':{'min-pct':101}}",
	  "0].cpufreq.min-pct: must be a whole number from 0 to 100, not 101" },
	{ "{'for':'machine','cpufreq':{'hwp-boost':1}}",
	  "0].cpufreq.hwp-boost: must be true or false, not 1" },
	{ "{'for':'machine','cpuidle':{'umwait-max-time':100001}}",
	  "0].cpuidle.umwait-max-time: must be a multiple of 4 from 0 to 4294967292, not 100001" },
	{ "{'for':'machine','cpuidle':{'umwait-max-time':4294967296}}",
	  "0].cpuidle.umwait-max-time: must be a multiple of 4 from 0 to 4294967292, not 4294967296" },
	{ "{'for':'all','uncore':{'min-mhz':0}}",
	  "0].uncore.min-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 100 to 25500, not 0" },
	{ "{'for':'all','uncore':{'max-mhz':1250}}",
	  "0].uncore.max-mhz: must be 'min', 'base', 'max' or a multiple of 100 MHz from 100 to 25500, not 1250" },
	{ "{'for':'all','uncore':{'elc-low-threshold':101}}",
	  "0].uncore.elc-low-threshold: must be a whole number from 0 to 100, not 101" },
	{ "{'for':'all','uncore':{'elc-high':'true'}}",
	  "0].uncore.elc-high: must be true or false, not 'true'" },
	{ "{'for':'all','uncore':{'elc-floor-mhz':850}}",
	  "0].uncore.elc-floor-mhz: must be a multiple of 100 MHz from 0 to 25500, not 850" },
};

static void test_entries(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(ENTRIES); i++) {
		_cleanup_free_ char *text = with_entries(ENTRIES[i].text);
		_cleanup_free_ char *message = text_format(": settings[%s", ENTRIES[i].message);

		assert_refused(text, message, true);
	}
}

/* Texts that are not for a table: the first, the middle count times, the last. */
static const struct {
	const char *first, *middle, *last;
	size_t count;
	const char *message;
} LARGE[] = {
	{ HEAD ",'settings':[", "{'for':'all'},", "{'for':'all'}]}", DOCUMENT_MAX_ENTRIES,
	  ": settings: has 100001 entries; the most is 100000" },
	{ HEAD ",'comment':'", "0123456789abcdef", "'}", 1 << 20, ": larger than 16 MiB" },
	{ "{'a':", "[", "1", 32, ":1:37: nested deeper than 32 levels" },
	{ "", "[", "", 100000, ":1:33: nested deeper than 32 levels" },
	{ "", "[{'a':\n", "", 100000, ":17:1: nested deeper than 32 levels" },
	{ "", "[", "", 32, ":1:32: " },
};

static void test_large(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(LARGE); i++) {
		_cleanup_buffer_ struct buffer text = { 0 };

		buffer_append_string(&text, LARGE[i].first);
		for (size_t j = 0; j < LARGE[i].count; j++)
			buffer_append_string(&text, LARGE[i].middle);
		buffer_append_string(&text, LARGE[i].last);
		assert_refused(buffer_text(&text), LARGE[i].message, false);
	}
}

#define BYTES_OF(text) text, sizeof(text) - 1

/* What C texts cannot hold, invalid UTF-8, and brackets in texts, which are no levels. */
static const struct {
	const char *bytes;
	size_t length;
	const char *message;
} BYTES[] = {
	{ BYTES_OF("{\n \"a\0b\": 1}"), ":2:4: a NUL byte" },
	{ BYTES_OF("{\"a\": \"\\\0\"}"), ":1:9: a NUL byte" },
	{ BYTES_OF("{}\n\0"), ":2:1: a NUL byte" },
	{ BYTES_OF("{\"\xc3\xa4\": [[\"\xff\"]]}"), ":1:" },
	{ BYTES_OF("{\"a\": \"\xed\xa0\x80\"}"), ":1:" },
	{ BYTES_OF("{\"a\xff\": 1}"), ":1:" },
	{ BYTES_OF("{\"[[[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[[[[[[[[[[[[[\": 1}"),
	  ": format: is missing" },
};

static void test_bytes(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(BYTES); i++) {
		_cleanup_document_ struct document document = { 0 };
		_cleanup_free_ char *problem = NULL;

		assert_int_equal(read_bytes(BYTES[i].bytes, BYTES[i].length, &document, &problem),
				 -EINVAL);
		if (strncmp(problem + strlen(DOCUMENT_NAME), BYTES[i].message,
			    strlen(BYTES[i].message)) != 0)
			fail_msg("row %zu gives %s", i, problem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syntax),  cmocka_unit_test(test_documents),
		cmocka_unit_test(test_entries), cmocka_unit_test(test_large),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

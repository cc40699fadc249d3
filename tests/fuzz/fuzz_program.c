// SPDX-License-Identifier: GPL-2.0-only
/* The program as a whole, reading or planning, on a machine whose answers and files are distorted.
 * The first byte of an input chooses the command, the second how: which of the two is distorted,
 * text or JSON, with a trace or without. What is on stdout must be one JSON document, or
 * nothing. */
#include <jansson.h>

#include "base/cleanup.h"
#include "machine.h"
#include "whole_program.h"

#define IS_JSON      0x01U
#define IS_TRACED    0x02U
#define HAS_CONTENTS 0x04U

static const char *const commands[] = {
	"--info",
	"perf-profile info",
	"perf-profile info -l 0",
	"perf-profile get-lock-status",
	"perf-profile get-config-levels",
	"perf-profile get-config-version",
	"perf-profile get-config-enabled",
	"perf-profile get-config-current-level",
	"base-freq info -l 0",
	"turbo-freq info -l 0",
	"turbo-freq info -l 0 -b 1 -r avx2",
	"core-power info",
	"core-power get-config --clos 1",
	"-c 0,3 core-power get-assoc",
	"-c 1 perf-profile info -l 1",
	"turbo-mode get-trl",
	"--dry-run perf-profile set-config-level -l 1",
	"--dry-run perf-profile set-config-level -l 3 -o",
	"--dry-run base-freq enable",
	"--dry-run base-freq enable -a",
	"--dry-run base-freq disable -a",
	"--dry-run -c 1 turbo-freq enable -a",
	"--dry-run turbo-freq enable",
	"--dry-run turbo-freq disable",
	"--dry-run core-power enable -p 1",
	"--dry-run core-power disable",
	"--dry-run core-power config --clos 1 -n 1000 -m 2000",
	"--dry-run -c 0-3 core-power assoc --clos 2",
	"--dry-run turbo-mode set-trl -t 0x2020",
	"--dry-run turbo-mode disable",
	"cpufreq info",
	"cpufreq explain -c 1",
	"cpuidle info",
	"cpuidle info --usage",
	"uncore info",
	"--dry-run cpufreq set --lock base --governor performance",
	"--dry-run cpufreq set --min min --max 2000 --epp power --turbo off",
	"--dry-run cpuidle set --deepest C1 --qos-latency 10us --c02 off",
	"--dry-run cpuidle set --max-latency 50us --umwait-max-time 1000",
	"--dry-run uncore set --min 1000 --max 1800",
};

static void check_document(void)
{
	_cleanup_free_ char *text = NULL;
	size_t length = fuzz_program_output(&text);
	json_t *document;

	if (!length)
		return;
	document = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(document))
		fprintf(stderr, "%s\n", text);
	FUZZ_REQUIRE(json_is_object(document));
	json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_machine *machine;
	struct fuzz_input input = { .data = data, .left = size };
	const char *command = commands[fuzz_byte(&input) % ARRAY_SIZE(commands)];
	unsigned int how = fuzz_byte(&input);
	_cleanup_free_ char *words = NULL;
	int status;

	if (!machine)
		machine = fuzz_machine_open(FUZZ_MACHINE);
	FUZZ_REQUIRE(asprintf(&words, "-f %s%s %s", how & IS_JSON ? "json" : "text",
			      how & IS_TRACED ? " -d" : "", command) > 0);
	fuzz_machine_restart(machine, how & HAS_CONTENTS ? NULL : &input,
			     how & HAS_CONTENTS ? &input : NULL);
	status = fuzz_program_run(&machine->host, words);
	FUZZ_REQUIRE(status >= 0 && status <= 5);
	if (how & IS_JSON)
		check_document();
	return 0;
}

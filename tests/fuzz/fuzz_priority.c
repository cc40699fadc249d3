// SPDX-License-Identifier: GPL-2.0-only
/* The record of fast cores, as `priority show` reads it. The first byte of an input chooses the
 * form, the rest is the record: shown, or refused with nothing on stdout. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "run_file.h"
#include "whole_program.h"

enum form { FORM_LIST, FORM_MASK, FORM_JSON, FORM_TEXT };

static const struct {
	const char *command;
	enum form form;
	const char *before; /* the list */
} commands[] = {
	{ "priority show", FORM_TEXT, "" },
	{ "priority show --low", FORM_TEXT, "" },
	{ "--json priority show", FORM_JSON, "" },
	{ "priority show --as list", FORM_LIST, "" },
	{ "priority show --as json --threads all", FORM_JSON, "" },
	{ "priority show --as numactl --threads all", FORM_LIST, "--physcpubind=" },
	{ "priority show --as taskset --cores 2", FORM_LIST, "" },
	{ "priority show --as systemd --node 0 --low", FORM_LIST, "CPUAffinity=" },
	{ "priority show --as mask --package 0", FORM_MASK, "" },
};

/* The files of a machine of eight CPUs, and the boot id. */
static int read_file(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	static const struct {
		const char *path, *text;
	} texts[] = {
		{ "/proc/sys/kernel/random/boot_id", RUN_FILE_BOOT "\n" },
		{ FILES_CPUS "/online", "0-6\n" },
		{ FILES_CPUS "/possible", "0-7\n" },
		{ FILES_CPUS "/cpu0/cpufreq/base_frequency", "2000000\n" },
		{ FILES_CPUS "/cpu4/cpufreq/base_frequency", "1800000\n" },
	};

	(void)files;
	(void)limit;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (strcmp(path, texts[i].path) != 0)
			continue;
		*ret_text = strdup(texts[i].text);
		FUZZ_REQUIRE(*ret_text);
		*ret_length = strlen(*ret_text);
		return 0;
	}
	return -ENOENT;
}

/* The host lives as long as the process. */
static void close_host(struct host *host)
{
	(void)host;
}

static void check_list(const char *text, const char *before)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	FUZZ_REQUIRE(strncmp(text, before, strlen(before)) == 0);
	FUZZ_REQUIRE(cpulist_parse(text + strlen(before), &cpus) == 0);
	FUZZ_REQUIRE(!cpuset_is_empty(&cpus) && cpuset_last(&cpus) <= 6);
}

static void check_output(const char *text, size_t length, size_t command)
{
	json_t *document;

	FUZZ_REQUIRE(strlen(text) == length && text[length - 1] == '\n');
	for (const char *at = text; *at; at++)
		FUZZ_REQUIRE(*at == '\n' || !iscntrl((unsigned char)*at));
	if (commands[command].form == FORM_LIST)
		check_list(text, commands[command].before);
	if (commands[command].form == FORM_MASK)
		FUZZ_REQUIRE(length == 3 && strspn(text, "0123456789abcdef") == 2);
	if (commands[command].form != FORM_JSON)
		return;
	document = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	FUZZ_REQUIRE(json_is_object(document));
	json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct files_ops files_ops = { .read = read_file };
	static const struct host_ops host_ops = { .close = close_host };
	static struct files files = { .ops = &files_ops };
	static struct host host = { .ops = &host_ops, .files = &files };
	struct fuzz_input input = { .data = data, .left = size };
	size_t command = fuzz_byte(&input) % ARRAY_SIZE(commands), length;
	_cleanup_free_ char *words = strdup(commands[command].command), *text = NULL;
	int status;

	FUZZ_REQUIRE(words);
	host.run_directory = fuzz_run_file("priority.json", input.data, input.left);
	status = fuzz_program_run(&host, words);
	length = fuzz_program_output(&text);
	FUZZ_REQUIRE(status >= 0 && status <= 3 && status != 2);
	if (status == 0)
		check_output(text, length, command);
	else
		FUZZ_REQUIRE(length == 0 || commands[command].form == FORM_JSON);
	return 0;
}

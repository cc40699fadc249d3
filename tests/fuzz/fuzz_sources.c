// SPDX-License-Identifier: GPL-2.0-only
/* The files that describe counters, a line of the input for each, and limit reasons, the rest: what
 * is taken of them is in range, and what is shown is plain text. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "fuzz.h"
#include "instruments/limit_reasons.h"
#include "instruments/perf.h"

#define LINES 6

static struct {
	struct files files;
	char *lines[LINES]; /* type, event, two formats, scale, cpumask */
	const uint8_t *rest;
	size_t n_rest;
} input;

static int read_input(struct files *files, const char *path, size_t limit, char **ret_text,
		      size_t *ret_length)
{
	static const char *const ends[LINES] = { "/type",           "/events/e",
						 "/format/event",   "/format/umask",
						 "/events/e.scale", "/cpumask" };
	const uint8_t *from = input.rest;
	size_t length = input.n_rest;

	(void)files;
	(void)limit;
	if (strcmp(path, "status") != 0) {
		from = NULL;
		for (size_t i = 0; i < LINES && !from; i++) {
			if (input.lines[i] && strlen(path) > strlen(ends[i]) &&
			    strcmp(path + strlen(path) - strlen(ends[i]), ends[i]) == 0)
				from = (const uint8_t *)input.lines[i];
		}
		if (!from)
			return -ENOENT;
		length = strlen((const char *)from);
	}
	*ret_text = calloc(1, length + 1);
	FUZZ_REQUIRE(*ret_text);
	if (length)
		memcpy(*ret_text, from, length);
	*ret_length = length;
	return 0;
}

static void check_reasons(void)
{
	_cleanup_limit_reasons_ struct limit_reasons reasons = { 0 };
	int err = limit_reasons_read(&input.files, "status", &reasons);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	for (size_t i = 0; i < reasons.count; i++) {
		json_t *text;

		FUZZ_REQUIRE(reasons.list[i].cpu == CPUSET_NONE ||
			     reasons.list[i].cpu <= CPUSET_MAX_CPU);
		for (const char *at = reasons.list[i].reasons; *at; at++)
			FUZZ_REQUIRE(!iscntrl((unsigned char)*at));
		text = json_string(reasons.list[i].reasons);
		FUZZ_REQUIRE(text); /* UTF-8 */
		json_decref(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct files_ops ops = { .read = read_input };
	struct fuzz_input lines = { data, size };
	struct perf_event event = { .scale = -1 };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	input.files.ops = &ops;
	for (size_t i = 0; i < LINES; i++)
		input.lines[i] = fuzz_line(&lines);
	input.rest = lines.data;
	input.n_rest = lines.left;
	if (perf_find_event(&input.files, "pmu", "e", &event) == 0)
		FUZZ_REQUIRE(event.scale >= 0 && isfinite(event.scale));
	else
		FUZZ_REQUIRE(event.scale < 0);
	(void)perf_read_cpumask(&input.files, "pmu", &cpus);
	check_reasons();
	for (size_t i = 0; i < LINES; i++)
		free(input.lines[i]);
	return 0;
}

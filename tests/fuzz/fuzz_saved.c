// SPDX-License-Identifier: GPL-2.0-only
/* Files of measure --save: refused with one line that names the file, or taken and then sound. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "measure/saved.h"

static void check_side(const struct saved_side *side)
{
	FUZZ_REQUIRE(side->n_figures <= SAVED_RUN_MAX_FIGURES);
	for (size_t i = 0; i < side->n_figures; i++) {
		const struct saved_figure *figure = &side->figures[i];

		FUZZ_REQUIRE(saved_side_find(side, figure->name) == figure);
		FUZZ_REQUIRE(figure->n_values > 0);
		for (size_t j = 0; j < figure->n_values; j++)
			FUZZ_REQUIRE(isfinite(figure->values[j]) && figure->values[j] > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *problem = NULL;
	_cleanup_saved_run_ struct saved_run run = { 0 };
	int err;

	FUZZ_REQUIRE(text);
	err = saved_run_parse("it.json", text, size, &run, &problem);
	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (problem == NULL));
	FUZZ_REQUIRE((err == 0) == (run.json != NULL));
	if (problem)
		FUZZ_REQUIRE(strncmp(problem, "it.json:", 8) == 0 && !strchr(problem, '\n'));
	else
		FUZZ_REQUIRE(run.state && run.about.program);
	for (size_t i = 0; i < SAVED_SIDES; i++)
		check_side(&run.sides[i]);
	return 0;
}

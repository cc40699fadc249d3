// SPDX-License-Identifier: GPL-2.0-only
/* Buckets that ask for more cores than the whole package has enabled (commands.md, "turbo-freq
 * (SST-TF)"). The machine has two packages of two cores, and buckets of 2 and 4 cores at level
 * 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_tpmi.h"
#include "program_run.h"

#define NOTE(package, bucket, asked, enabled)                                               \
	"Information: package-" #package ": bucket " #bucket " of level 0 asks for " #asked \
	" high-priority cores, and the package has " #enabled " enabled\n"

struct vector {
	const char *name;
	const char *command;
	uint32_t dies;
	struct fake_rule rule; /* request 0: none */
	const char *says; /* exactly, on stderr */
};

#define MASK_RULE(die_cores, err)                                                      \
	{                                                                              \
		.request = ISST_IF_MBOX_COMMAND, .command = 0x7f, .sub_command = 0x06, \
		.answer = (die_cores), .error = (err)                                  \
	}

static const struct vector vectors[] = {
	{ .name = "two cores a package",
	  .command = "isst turbo-freq info -l 0",
	  .dies = 1,
	  .says = NOTE(0, 1, 4, 2) NOTE(1, 1, 4, 2) },
	{ .name = "the package of the CPU alone",
	  .command = "isst -c 2 turbo-freq info -l 0",
	  .dies = 1,
	  .says = NOTE(1, 1, 4, 2) },
	{ .name = "a bucket that is not shown",
	  .command = "isst turbo-freq info -l 0 -b 0",
	  .dies = 1,
	  .says = "" },
	{ .name = "a bucket that is shown",
	  .command = "isst -c 0 turbo-freq info -l 0 -b 1",
	  .dies = 1,
	  .says = NOTE(0, 1, 4, 2) },
	{ .name = "one core is not enabled",
	  .command = "isst -c 0 turbo-freq info -l 0",
	  .dies = 1,
	  .rule = MASK_RULE(1, 0),
	  .says = NOTE(0, 0, 2, 1) NOTE(0, 1, 4, 1) },
	{ .name = "two dies have four cores, also where one is not asked for",
	  .command = "isst -c 0 turbo-freq info -l 0",
	  .dies = 2,
	  .says = "" },
	{ .name = "two dies of one core each",
	  .command = "isst turbo-freq info -l 0",
	  .dies = 2,
	  .rule = MASK_RULE(2, 0),
	  .says = NOTE(0, 1, 4, 2) NOTE(1, 1, 4, 2) },
};

static void open_machine(struct fake_machine *machine, const struct vector *vector)
{
	struct fake_shape shape = ice_lake_shape;

	shape.dies = vector->dies;
	fake_machine_init(machine, &shape);
	fake_machine_add_rules(machine, ice_lake_rules, n_ice_lake_rules);
	if (vector->rule.request)
		fake_machine_add_rules(machine, &vector->rule, 1);
}

static void notes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_machine machine;

		print_message("%s\n", vectors[i].name);
		open_machine(&machine, &vectors[i]);
		run = program_run(&machine, vectors[i].command);
		assert_int_equal(run.status, 0);
		assert_string_equal(run.err, vectors[i].says);
		fake_machine_done(&machine);
	}
}

/* Two packages of two domains, each of two modules of two cores; buckets of 4 and 8 at level 1. */
static const struct fake_tpmi_shape modules_shape = {
	.packages = 2,
	.cores = 4,
	.cores_of_module = 2,
	.n_compute = 2,
	.ids = { 0, 1 },
};

/* From SST-PP revision 2 on, which brings that of SST-TF, three buckets at most count modules. */
static void modules(void **state)
{
	static const struct {
		const char *command;
		uint8_t revision;
		uint64_t enabled; /* modules of a domain */
		const char *says;
	} rows[] = {
		{ "isst -c 0 turbo-freq info -l 1", 1, 3, "" },
		{ "isst -c 0 turbo-freq info -l 1", 2, 3,
		  "Information: package-0: bucket 1 of level 1 asks for 8 high-priority modules, "
		  "and the package has 4 enabled\n" },
		{ "isst -c 0 turbo-freq info -l 1", 3, 1,
		  "Information: package-0: bucket 0 of level 1 asks for 4 high-priority modules, "
		  "and the package has 2 enabled\n"
		  "Information: package-0: bucket 1 of level 1 asks for 8 high-priority modules, "
		  "and the package has 2 enabled\n" },
		{ "isst turbo-freq info -l 1 -b 1", 2, 3,
		  "Information: package-0: bucket 1 of level 1 asks for 8 high-priority modules, "
		  "and the package has 4 enabled\n"
		  "Information: package-1: bucket 1 of level 1 asks for 8 high-priority modules, "
		  "and the package has 4 enabled\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_program_run_ struct program_run run = { 0 };
		struct fake_tpmi tpmi;

		fake_tpmi_init(&tpmi, &modules_shape);
		for (size_t j = 0; j < tpmi.n_domains; j++) {
			tpmi.domains[j].levels.feature_rev = rows[i].revision;
			tpmi.domains[j].core_mask = rows[i].enabled;
		}
		run = program_run(&tpmi.machine, rows[i].command);
		assert_int_equal(run.status, 0);
		assert_string_equal(run.err, rows[i].says);
		fake_tpmi_done(&tpmi);
	}
}

/* A JSON document on stderr has no place for it; one on stdout leaves stderr to it. */
static void documents(void **state)
{
	_cleanup_program_run_ struct program_run on_stdout = { 0 }, on_stderr = { 0 };
	struct fake_machine machine;
	json_t *document;

	(void)state;
	open_machine(&machine, &vectors[0]);
	on_stdout = program_run(&machine, "isst -f json turbo-freq info -l 0");
	assert_string_equal(on_stdout.err, vectors[0].says);
	on_stderr = program_run(&machine, "intel-speed-select -f json turbo-freq info -l 0");
	document = program_run_json(on_stderr.err);
	assert_int_equal(json_object_size(document), 2);
	program_assert_lacks(on_stderr.err, "Information");
	json_decref(document);
	fake_machine_done(&machine);
}

/* Nothing is asked twice for it, whatever is asked of domains outside the command. */
static void requests(void **state)
{
	static const struct vector vector = { .dies = 2 };
	_cleanup_program_run_ struct program_run run = { 0 };
	struct fake_machine machine;
	struct entry entry;

	(void)state;
	open_machine(&machine, &vector);
	run = program_run(&machine, "isst -c 0 turbo-freq info -l 0");
	assert_int_equal(run.status, 0);
	assert_false(record_log_find_repeat(&machine.log, ISST_IF_MBOX_COMMAND, fake_machine_domain,
					    &machine, &entry));
	fake_machine_done(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes),
		cmocka_unit_test(modules),
		cmocka_unit_test(documents),
		cmocka_unit_test(requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

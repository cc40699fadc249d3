// SPDX-License-Identifier: GPL-2.0-only
/* Every word of hardware.md, section 3, asked of the fuses of four platforms; then what setting
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulated.h"

#define INVALID PUNIT_INVALID_COMMAND
#define ILLEGAL PUNIT_ILLEGAL_DATA
#define WRITE   0x100
#define TF_ON   0x10000
#define BF_ON   0x20000
#define CLOS_ON 0x2

/* One domain in its first state. */
struct machine {
	struct punit_state state;
	struct punit_package package;
	struct punit punit;
};

static void start(struct machine *machine, const struct punit_fuses *fuses)
{
	*machine = (struct machine){ .punit = { .fuses = fuses } };
	machine->punit.state = &machine->state;
	machine->punit.package = &machine->package;
}

struct request {
	uint8_t command;
	uint8_t sub_command;
	uint32_t parameter;
	uint32_t data;
	uint8_t code;
	uint32_t answer;
};

struct vector {
	const char *what;
	const struct punit_fuses *fuses;
	struct request request;
};

/* clang-format off */
#define QUERY(text, part, sub, word, reply) \
	{ .what = (text), .fuses = &simulated_##part##_fuses, \
	  .request = { .command = 0x7f, .sub_command = (sub), .data = (word), .answer = (reply) } }
#define REFUSAL(text, part, sub, word, completion) \
	{ .what = (text), .fuses = &simulated_##part##_fuses, \
	  .request = { .command = 0x7f, .sub_command = (sub), .data = (word), \
		       .code = (completion) } }

static const struct vector vectors[] = {
	QUERY("levels info: version, highest, current, enabled", guide, 0x00, 0, 0x80000101),
	QUERY("levels info: levels 0, 3, 4", spr, 0x00, 0, 0x80000403),
	QUERY("levels info: locked, SST-PP not enabled", cpx, 0x00, 0, 0x01000002),
	QUERY("TDP control: both features", guide, 0x01, 0, 0x3),
	QUERY("TDP control: SST-TF only", guide, 0x01, 1, 0x1),
	QUERY("TDP control: SST-TF only", spr, 0x01, 4, 0x1),
	REFUSAL("TDP control of a level that is not listed", spr, 0x01, 1, ILLEGAL),
	REFUSAL("TDP control of a level above the highest", guide, 0x01, 5, ILLEGAL),
	QUERY("TDP and its ratio", guide, 0x03, 0, 205 | 26 << 16),
	QUERY("TDP and its ratio", guide, 0x03, 1, 195 | 26 << 16),
	QUERY("TDP and its ratio", emr, 0x03, 0, 350 | 19 << 16),
	QUERY("TDP and its ratio", spr, 0x03, 4, 205 | 25 << 16),
	REFUSAL("TDP of a level that is not listed", spr, 0x03, 2, ILLEGAL),
	QUERY("power", cpx, 0x04, 0, 150),
	QUERY("Tj max", spr, 0x05, 3, 96),
	QUERY("core mask, lower half", guide, 0x06, 0, 0x3fff),
	QUERY("core mask, upper half", guide, 0x06, 0x100, 0),
	QUERY("core mask with holes", cpx, 0x06, 0, 0x0f1f0f1f),
	QUERY("core mask of 64 cores, lower half", emr, 0x06, 0, 0xffffffff),
	QUERY("core mask of 64 cores, upper half", emr, 0x06, 0x100, 0xffffffff),
	QUERY("core mask of a level", spr, 0x06, 4, 0x00ff00ff),
	QUERY("turbo ratios, sse, buckets 0-3", guide, 0x07, 0, 0x1f1f1f20),
	QUERY("turbo ratios, sse, buckets 4-7", guide, 0x07, 0x100, 0x1f1f1f1f),
	QUERY("turbo ratios, avx2", guide, 0x07, 0x10000, 0x1d1d1e1f),
	QUERY("turbo ratios, avx512, buckets 4-7", spr, 0x07, 0x20103, 0x16171819),
	REFUSAL("turbo ratios, a fourth level", guide, 0x07, 0x30000, ILLEGAL),
	QUERY("turbo ratios, the fifth level", emr, 0x07, 0x40000, 0x16181a1e),
	REFUSAL("turbo ratios, a sixth level", emr, 0x07, 0x50000, ILLEGAL),
	QUERY("uncore P0 and P1", guide, 0x09, 0, 24 | 14 << 8),
	QUERY("base ratios", guide, 0x0a, 0, 26 | 22 << 8 | 19 << 16),
	QUERY("base ratios with AMX", emr, 0x0a, 0, 19 | 17 << 8 | 15 << 16 | 12 << 24),
	REFUSAL("base ratios where they are not answered", cpx, 0x0a, 0, INVALID),
	REFUSAL("not answered comes before an unknown level", cpx, 0x0a, 9, INVALID),
	QUERY("memory code", spr, 0x0b, 0, 24),
	QUERY("memory code", emr, 0x0b, 0, 28),
	QUERY("uncore P0, P1 and Pm", spr, 0x0c, 0x10000, 25 | 16 << 8 | 8 << 24),
	QUERY("core P0 and P1", spr, 0x0c, 3, 36 | 22 << 8),
	REFUSAL("ratios where they are not answered", cpx, 0x0c, 0x10000, INVALID),
	QUERY("SST-TF core counts", guide, 0x10, 0, 0x00060402),
	QUERY("SST-TF core counts, buckets 4-7", guide, 0x10, 0x100, 0),
	QUERY("SST-TF ratios, avx2", guide, 0x11, 0x10000, 0x001e1e20),
	QUERY("SST-TF ratios, the fifth level", emr, 0x11, 0x40000, 0x001b1d1e),
	REFUSAL("SST-TF ratios, a fourth level", cpx, 0x11, 0x30000, ILLEGAL),
	QUERY("SST-TF clip ratios", guide, 0x12, 0, 26 | 24 << 8 | 21 << 16),
	QUERY("SST-TF clip ratios, three of five", emr, 0x12, 0, 19 | 19 << 8 | 17 << 16),
	QUERY("SST-BF core mask", guide, 0x20, 0, 0x2160),
	QUERY("SST-BF core mask, lower half", emr, 0x20, 0, 0xff),
	QUERY("SST-BF core mask, upper half", emr, 0x20, 0x100, 0xff),
	QUERY("SST-BF low and high ratio", guide, 0x21, 0, 24 | 30 << 8),
	QUERY("SST-BF T-prochot and T-control", guide, 0x22, 0, 125),
	QUERY("SST-BF TDP", guide, 0x23, 0, 205),
	REFUSAL("SST-BF mask of a level without", guide, 0x20, 1, ILLEGAL),
	REFUSAL("SST-BF ratios of a level without", guide, 0x21, 1, ILLEGAL),
	REFUSAL("SST-BF temperatures of a level without", spr, 0x22, 4, ILLEGAL),
	REFUSAL("SST-BF TDP of a level without", spr, 0x23, 4, ILLEGAL),
	REFUSAL("a sub-command between others", guide, 0x0d, 0, INVALID),
	REFUSAL("the first sub-command after all", guide, 0x24, 0, INVALID),
	REFUSAL("the highest sub-command", guide, 0xff, 0, INVALID),
};

#define CONTROL(sub, word, completion) \
	{ .command = 0x7f, .sub_command = (sub), .data = (word), .code = (completion) }
#define CONTROL_READS(level, reply) \
	{ .command = 0x7f, .sub_command = 0x01, .data = (level), .answer = (reply) }
#define LEVELS_READ(reply) { .command = 0x7f, .answer = (reply) }
#define PM_READS(reply) { .command = 0x94, .sub_command = 3, .answer = (reply) }
#define PM_WRITE(word, completion) \
	{ .command = 0x95, .sub_command = 3, .data = (word), .code = (completion) }
#define CLOS_READS(sub, id, reply) \
	{ .command = 0xd0, .sub_command = (sub), .parameter = (id), .answer = (reply) }
#define CLOS_WRITE(sub, id, word, reply) \
	{ .command = 0xd0, .sub_command = (sub), .parameter = (id) | WRITE, .data = (word), \
	  .answer = (reply) }
#define CLOS_REFUSES(sub, whole_parameter, word, completion) \
	{ .command = 0xd0, .sub_command = (sub), .parameter = (whole_parameter), \
	  .data = (word), .code = (completion) }

/* Requests one after the other to one domain, which remembers. */
static const struct request turbo_freq_needs_clos[] = {
	CONTROL(0x02, TF_ON, ILLEGAL),
	CONTROL_READS(0, 0x3),
	CLOS_WRITE(2, 0, CLOS_ON, CLOS_ON),
	CONTROL(0x02, TF_ON, 0),
	CONTROL_READS(0, 0x3 | TF_ON),
	CONTROL_READS(1, 0x1),
	CLOS_REFUSES(2, WRITE, 0, ILLEGAL),
	CLOS_READS(2, 0, CLOS_ON),
	CLOS_WRITE(2, 0, CLOS_ON | 4, CLOS_ON | 4),
	CONTROL(0x02, TF_ON | BF_ON, 0),
	CONTROL_READS(0, 0x3 | TF_ON | BF_ON),
	CONTROL(0x02, 0, 0),
	CONTROL_READS(0, 0x3),
	CLOS_WRITE(2, 0, 0, 0),
};

static const struct request level_change[] = {
	CLOS_WRITE(2, 0, CLOS_ON, CLOS_ON),
	CONTROL(0x02, TF_ON | BF_ON, 0),
	CONTROL(0x08, 0, 0),
	CONTROL_READS(0, 0x3 | TF_ON | BF_ON),
	CONTROL(0x08, 2, ILLEGAL),
	CONTROL_READS(0, 0x3 | TF_ON | BF_ON),
	CONTROL(0x08, 1, 0),
	LEVELS_READ(0x80010101),
	CONTROL_READS(1, 0x1),
	CONTROL_READS(0, 0x3),
	CONTROL(0x02, BF_ON, ILLEGAL),
	CONTROL(0x02, TF_ON, 0),
	CONTROL_READS(1, 0x1 | TF_ON),
	CONTROL_READS(0, 0x3),
};

static const struct request locked_part[] = {
	CONTROL(0x08, 0, ILLEGAL),
	CONTROL(0x02, BF_ON, 0),
	CONTROL_READS(0, 0x3 | BF_ON),
};

static const struct request core_power[] = {
	PM_READS(0x1),
	PM_WRITE(0x10000, 0),
	PM_READS(0x10001),
	PM_WRITE(0xffff, 0),
	PM_READS(0x1),
	CLOS_READS(2, 0, 0),
};

/* The Skylake generation: all of CLOS by mailbox. */
static const struct request clos_words[] = {
	CLOS_WRITE(0, 8, 0x20000, 0x20000),
	CLOS_READS(0, 8, 0x20000),
	CLOS_READS(0, 7, 0),
	CLOS_WRITE(0, 255, 0xffffffff, 0x30000),
	CLOS_REFUSES(0, 0x200, 0, ILLEGAL),
	CLOS_WRITE(1, 3, 0xff0c1f2f, 0xff0c1f2f),
	CLOS_READS(1, 3, 0xff0c1f2f),
	CLOS_READS(1, 2, 0),
	CLOS_REFUSES(1, 4, 0, ILLEGAL),
	CLOS_REFUSES(1, 4 | WRITE, 0, ILLEGAL),
	CLOS_WRITE(2, 0, 0xffffffff, 0x6),
	CLOS_READS(2, 0, 0x6),
	CLOS_REFUSES(2, 1, 0, ILLEGAL),
	CLOS_REFUSES(3, 0, 0, INVALID),
};

/* Everywhere else only the switch is a mailbox command. */
static const struct request clos_words_elsewhere[] = {
	CLOS_REFUSES(0, 0, 0, INVALID),
	CLOS_REFUSES(0, 0 | WRITE, 0x10000, INVALID),
	CLOS_REFUSES(1, 0, 0, INVALID),
	CLOS_WRITE(2, 0, 0x4, 0x4),
	CLOS_READS(2, 0, 0x4),
};

static const struct request no_such_command[] = {
	{ .command = 0x00, .code = INVALID },
	{ .command = 0x94, .sub_command = 2, .code = INVALID },
	{ .command = 0x95, .sub_command = 4, .code = INVALID },
};
/* clang-format on */

static void ask(struct machine *machine, const struct request *request, const char *what)
{
	uint32_t answer = 0xdeadbeef;
	uint8_t code = punit_mailbox(&machine->punit, request->command, request->sub_command,
				     request->parameter, request->data, &answer);
	uint32_t expected = request->code ? 0xdeadbeef : request->answer;

	if (code != request->code || answer != expected)
		fail_msg("%s: %#x/%#x parameter %#x data %#x: code %#x answer %#x, not %#x and %#x",
			 what, request->command, request->sub_command, request->parameter,
			 request->data, code, answer, request->code, expected);
}

static void test_queries(void **test)
{
	struct machine machine;

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		start(&machine, vectors[i].fuses);
		ask(&machine, &vectors[i].request, vectors[i].what);
	}
}

static void run(const char *what, const struct punit_fuses *fuses, const struct request *requests,
		size_t count)
{
	struct machine machine;

	start(&machine, fuses);
	for (size_t i = 0; i < count; i++)
		ask(&machine, &requests[i], what);
}

#define RUN(part, requests) \
	run(#requests, &simulated_##part##_fuses, requests, ARRAY_SIZE(requests))

static void test_setting(void **test)
{
	(void)test;
	RUN(guide, turbo_freq_needs_clos);
	RUN(guide, level_change);
	RUN(cpx, locked_part);
	RUN(guide, core_power);
	RUN(cpx, core_power);
	RUN(cpx, clos_words);
	RUN(spr, clos_words_elsewhere);
	RUN(cpx, no_such_command);
}

static void test_unsupported_core_power(void **test)
{
	static const struct request requests[] = { PM_READS(0), PM_WRITE(0x10000, ILLEGAL),
						   PM_READS(0) };
	struct punit_fuses fuses = simulated_guide_fuses;

	(void)test;
	fuses.cp_supported = false;
	run("no SST-CP", &fuses, requests, ARRAY_SIZE(requests));
}

static void test_level_not_allowed(void **test)
{
	static const struct request requests[] = { CONTROL(0x08, 3, 0), CONTROL(0x08, 4, ILLEGAL),
						   LEVELS_READ(0x80030403) };
	struct punit_fuses fuses = simulated_spr_fuses;

	(void)test;
	fuses.allowed_level_mask = 1 << 0 | 1 << 3;
	run("not allowed", &fuses, requests, ARRAY_SIZE(requests));
}

static void test_level_change_sets_turbo_limits(void **test)
{
	static const struct request to_1 = CONTROL(0x08, 1, 0), same = CONTROL(0x08, 0, 0);
	struct punit_fuses without = simulated_guide_fuses;
	struct machine machine;

	(void)test;
	start(&machine, &simulated_guide_fuses);
	machine.package.turbo_ratio_limit = UINT64_MAX;
	machine.package.turbo_ratio_limit_cores = 0x55;
	ask(&machine, &same, "the level that is current");
	assert_int_equal(machine.package.turbo_ratio_limit, UINT64_MAX);
	ask(&machine, &to_1, "level 1");
	assert_int_equal(machine.package.turbo_ratio_limit, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(machine.package.turbo_ratio_limit_cores, 0x55);

	without.levels[1].n_turbo_rows = 0;
	start(&machine, &without);
	machine.package.turbo_ratio_limit = 0x77;
	ask(&machine, &to_1, "a level without turbo ratios");
	assert_int_equal(machine.package.turbo_ratio_limit, 0x77);
}

/* A damaged state must not lead outside the table of levels. */
static void test_current_level_not_listed(void **test)
{
	static const struct request requests[] = { CONTROL(0x02, BF_ON, ILLEGAL),
						   CONTROL(0x02, 0, 0) };
	struct machine machine;

	(void)test;
	start(&machine, &simulated_guide_fuses);
	machine.state.current_level = 77;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		ask(&machine, &requests[i], "level 77 is current");
}

static void test_find_level(void **test)
{
	(void)test;
	assert_ptr_equal(punit_find_level(&simulated_spr_fuses, 3), &simulated_spr_fuses.levels[1]);
	assert_null(punit_find_level(&simulated_spr_fuses, 1));
}

struct register_vector {
	uint32_t reg;
	uint32_t written;
	uint32_t read;
};

static const struct register_vector registers[] = {
	{ .reg = 0x04, .written = 0xffffffff, .read = 0x6 }, /* PM_QOS_CONFIG */
	{ .reg = 0x08, .written = 0x01234567, .read = 0x01234567 }, /* PM_CLOS 0 */
	{ .reg = 0x14, .written = 0x89abcdef, .read = 0x89abcdef }, /* PM_CLOS 3 */
	{ .reg = 0x18, .written = 0xffffffff, .read = 0 }, /* between them */
	{ .reg = 0x1c, .written = 0xffffffff, .read = 0 },
	{ .reg = 0x20, .written = 0x00010000, .read = 0x00010000 }, /* PQR_ASSOC of core 0 */
	{ .reg = 0xd0, .written = 0xffffffff, .read = 0x00030000 }, /* core 44 */
	{ .reg = 0x11c, .written = 0x00020000, .read = 0x00020000 }, /* core 63 */
	{ .reg = 0x420, .written = 0xffffffff, .read = 0 }, /* after the last core */
	{ .reg = 0x00, .written = 0xffffffff, .read = 0 },
	{ .reg = 0x0a, .written = 0xffffffff, .read = 0 }, /* no multiple of 4 */
};

static void test_registers(void **test)
{
	struct machine machine;

	(void)test;
	start(&machine, &simulated_guide_fuses);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		punit_mmio(&machine.punit, registers[i].reg, true, registers[i].written);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		assert_int_equal(punit_mmio(&machine.punit, registers[i].reg, false, 0),
				 registers[i].read);
	assert_int_equal(machine.state.association[44], 3);
	assert_int_equal(machine.state.clos[3], 0x89abcdef);
	assert_int_equal(machine.state.clos_enabled, 1);
}

static void test_register_keeps_clos_on(void **test)
{
	struct machine machine;

	(void)test;
	start(&machine, &simulated_guide_fuses);
	machine.state.clos_enabled = 1;
	machine.state.turbo_freq_on = 1;
	punit_mmio(&machine.punit, 0x04, true, 0);
	assert_int_equal(punit_mmio(&machine.punit, 0x04, false, 0), CLOS_ON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_setting),
		cmocka_unit_test(test_unsupported_core_power),
		cmocka_unit_test(test_level_not_allowed),
		cmocka_unit_test(test_level_change_sets_turbo_limits),
		cmocka_unit_test(test_current_level_not_listed),
		cmocka_unit_test(test_find_level),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_register_keeps_clos_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

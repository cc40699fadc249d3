// SPDX-License-Identifier: GPL-2.0-only
/* The registers of a power domain, and firmware's reaction to what is written (hardware.md, section
 * 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "simulated.h"
#include "simulator/punit_tpmi.h"

#define LEVEL(number, word) \
	(PUNIT_TPMI_PP + PUNIT_TPMI_LEVEL_0 + (number)*PUNIT_TPMI_LEVEL_SIZE + (word))
#define CONTROL (PUNIT_TPMI_PP + 3)
#define STATUS  (PUNIT_TPMI_PP + 4)

struct bench {
	struct punit_fuses fuses;
	struct punit_state state;
	struct punit_package package;
	struct punit punit;
	struct punit_tpmi_manner manner;
};

static void bench_init(struct bench *bench)
{
	*bench = (struct bench){ .fuses = simulated_guide_fuses };
	bench->punit = (struct punit){ &bench->fuses, &bench->state, &bench->package };
}

static void write_word(struct bench *bench, uint32_t quadword, uint64_t value)
{
	punit_tpmi_write(&bench->punit, &bench->manner, quadword, value);
}

/* Bit fields of registers that nothing changes. */
static void test_fuses(void **state)
{
	static const struct {
		uint32_t quadword;
		unsigned int lowest;
		unsigned int size;
		uint64_t value;
	} vectors[] = {
		{ 0, 0, 8, 1 },
		{ 0, 8, 8, 3 },
		{ 0, 16, 8, PUNIT_TPMI_CP },
		{ 0, 24, 8, PUNIT_TPMI_PP },
		{ PUNIT_TPMI_PP, 4, 8, 1 },
		{ PUNIT_TPMI_PP, 12, 8, 0x03 },
		{ PUNIT_TPMI_PP, 20, 8, 0x1f },
		{ PUNIT_TPMI_PP, 34, 8, 22 },
		{ PUNIT_TPMI_PP, 42, 1, 1 },
		{ PUNIT_TPMI_PP + 1, 0, 24, 0x0e0c00 },
		{ PUNIT_TPMI_PP + 2, 0, 8, 5 },
		{ PUNIT_TPMI_PP + 2, 8, 8, 5 + 22 },
		{ LEVEL(0, 0), 0, 8, 26 },
		{ LEVEL(0, 0), 16, 8, 19 },
		{ LEVEL(0, 1), 47, 8, 100 },
		{ LEVEL(0, 4), 0, 16, 0x1f20 },
		{ LEVEL(0, 6), 0, 8, 30 },
		{ LEVEL(0, 7), 0, 64, 0 },
		{ LEVEL(0, 10), 0, 16, 0x0402 },
		{ LEVEL(0, 11), 32, 8, 24 },
		{ LEVEL(0, 11), 48, 8, 8 },
		{ LEVEL(0, 12), 12, 1, 1 },
		{ LEVEL(1, 12), 12, 1, 0 },
		{ LEVEL(0, 14), 12, 1, 1 },
		{ LEVEL(0, 14), 16, 24, 0x15181a },
		{ LEVEL(0, 15), 0, 32, 0x00060402 },
		{ LEVEL(0, 16), 0, 8, 32 },
		{ LEVEL(2, 0), 0, 64, 0 },
		{ PUNIT_TPMI_QUADWORDS, 0, 64, 0 },
		{ UINT32_MAX, 0, 64, 0 },
	};
	struct bench bench;

	(void)state;
	bench_init(&bench);
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t word = punit_tpmi_read(&bench.punit, vectors[i].quadword);
		uint64_t mask = UINT64_MAX >> (64 - vectors[i].size);

		print_message("quadword %u from bit %u\n", vectors[i].quadword, vectors[i].lowest);
		assert_int_equal(word >> vectors[i].lowest & mask, vectors[i].value);
	}
}

/* A domain without levels is a die that is not there. */
static void test_absent(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	bench.fuses.n_levels = 0;
	assert_true(punit_tpmi_read(&bench.punit, 0) == UINT64_MAX);
}

static void test_levels(void **state)
{
	static const struct {
		uint64_t control;
		bool locked;
		uint8_t allowed;
		uint64_t status;
	} vectors[] = {
		{ 1, false, 0x1f, 1 },         { 1, false, 0x1d, 1 << 4 },
		{ 1, true, 0x1f, 1 << 4 | 8 }, { 3, false, 0x1f, 1 << 4 },
		{ 0x300, false, 0x1f, 0x300 }, { 0x301, false, 0x1f, 1 },
		{ 0, false, 0x1f, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bench bench;

		bench_init(&bench);
		bench.fuses.locked = vectors[i].locked;
		bench.fuses.allowed_level_mask = vectors[i].allowed;
		write_word(&bench, CONTROL, vectors[i].control);
		assert_int_equal(punit_tpmi_read(&bench.punit, STATUS), vectors[i].status);
	}
}

/* A level change brings the level's turbo ratios. */
static void test_turbo_limits(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	write_word(&bench, CONTROL, 1);
	assert_true(bench.package.turbo_ratio_limit == 0x1f1f1f1f1f1f1f20);
}

static void test_core_power(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	for (uint64_t value = 0; value < 4; value++) {
		write_word(&bench, PUNIT_TPMI_CP + 1, value);
		assert_int_equal(punit_tpmi_read(&bench.punit, PUNIT_TPMI_CP + 1), value);
		assert_int_equal(punit_tpmi_read(&bench.punit, PUNIT_TPMI_CP + 2), value);
		assert_int_equal(bench.state.clos_enabled, value & 1);
	}
	bench.fuses.cp_supported = false;
	write_word(&bench, PUNIT_TPMI_CP + 1, 0);
	assert_int_equal(punit_tpmi_read(&bench.punit, PUNIT_TPMI_CP + 1), 3);
	assert_int_equal(punit_tpmi_read(&bench.punit, 0) >> 8 & 0xff, 2);
}

/* Priority, minimum and maximum of a CLOS; there is no EPP and no desired frequency. */
static void test_clos(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	for (uint32_t clos = 0; clos < PUNIT_CLOS_COUNT; clos++) {
		write_word(&bench, PUNIT_TPMI_CP + 3 + clos, 0xffffffff12345678);
		assert_int_equal(punit_tpmi_read(&bench.punit, PUNIT_TPMI_CP + 3 + clos), 0x345670);
		assert_int_equal(bench.state.clos[clos], 0x345670);
	}
}

static void test_associations(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	for (uint32_t word = 0; word < 4; word++) {
		write_word(&bench, PUNIT_TPMI_CP + 7 + word, 0x3000000000000021);
		assert_true(punit_tpmi_read(&bench.punit, PUNIT_TPMI_CP + 7 + word) ==
			    0x3000000000000021);
		assert_int_equal(bench.state.association[16 * word], 1);
		assert_int_equal(bench.state.association[16 * word + 1], 2);
		assert_int_equal(bench.state.association[16 * word + 15], 3);
	}
	assert_int_equal(bench.state.association[64], 0);
}

/* Firmware that does not listen, and a status that follows late. */
static void test_manners(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	bench.manner.is_deaf = true;
	write_word(&bench, CONTROL, 0x300);
	assert_int_equal(punit_tpmi_read(&bench.punit, STATUS), 0);
	bench.manner = (struct punit_tpmi_manner){ .slow_reads = 2 };
	write_word(&bench, CONTROL, 0x300);
	assert_int_equal(punit_tpmi_read(&bench.punit, STATUS), 0);
	assert_int_equal(punit_tpmi_read(&bench.punit, STATUS), 0);
	assert_int_equal(punit_tpmi_read(&bench.punit, STATUS), 0x300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fuses),        cmocka_unit_test(test_absent),
		cmocka_unit_test(test_levels),       cmocka_unit_test(test_turbo_limits),
		cmocka_unit_test(test_core_power),   cmocka_unit_test(test_clos),
		cmocka_unit_test(test_associations), cmocka_unit_test(test_manners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

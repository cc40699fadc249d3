// SPDX-License-Identifier: GPL-2.0-only
/* Every mailbox and MMIO word that the program writes (hardware.md, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/mailbox/words.h"

/* What is written decodes to what was meant, in exactly its bits. */
static void encoded_switches(void **state)
{
	(void)state;
	for (uint32_t on = 0; on < 4; on++) {
		bool first = on & 1, second = on & 2;
		uint32_t word = word_encode_control(second, first);
		struct sst_core_power core_power = { 0 };
		struct sst_level level = { 0 };

		word_decode_control(word, &level);
		assert_int_equal(word & ~0x30000U, 0);
		assert_int_equal(level.turbo_freq_on, first);
		assert_int_equal(level.base_freq_on, second);
		assert_int_equal(word_encode_pm_config(first), first ? 0x10000 : 0);
		word = word_encode_qos_config(0x5a5a5a5a, first, second);
		word_decode_qos_config(word, &core_power);
		assert_int_equal(core_power.clos_enabled, first);
		assert_int_equal(core_power.ordered, second);
		assert_int_equal((word ^ 0x5a5a5a5a) & ~6U, 0); /* others are kept */
		word = word_encode_association(0xa5a5a5a5, on);
		assert_int_equal(word_decode_association(word), on);
		assert_int_equal((word ^ 0xa5a5a5a5) & ~0x30000U, 0);
	}
}

static void encoded_clos(void **state)
{
	static const struct {
		struct sst_clos clos;
		uint32_t word;
	} rows[] = {
		{ { 0 }, 0 },
		{ { .unlimited = true }, 0x00ff0000 },
		{ { .unlimited = true, .max_mhz = 2000 }, 0x00ff0000 },
		{ { .epp = 15, .weight = 15, .unlimited = true }, 0x00ff00ff },
		{ { .epp = 1, .weight = 2, .min_mhz = 300, .max_mhz = 400, .desired_mhz = 500 },
		  0x05040321 },
		/* Rounded down to 100 MHz, and never around the end (known of another tool). */
		{ { .min_mhz = 99, .max_mhz = 199, .desired_mhz = 2999 }, 0x1d010000 },
		{ { .min_mhz = 25400, .max_mhz = 25499 }, 0x00fefe00 },
		{ { .min_mhz = 25500, .max_mhz = 25600, .desired_mhz = UINT32_MAX }, 0xffffff00 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(word_encode_clos(&rows[i].clos), rows[i].word);
	/* Every bit of the word belongs to some member. */
	for (unsigned int bit = 0; bit < 32; bit++) {
		struct sst_clos alone = word_decode_clos(1U << bit);
		struct sst_clos missing = word_decode_clos(~(1U << bit));

		assert_int_equal(word_encode_clos(&alone), 1U << bit);
		assert_int_equal(word_encode_clos(&missing), ~(1U << bit));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded_switches),
		cmocka_unit_test(encoded_clos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Every mailbox and MMIO word that the program writes (hardware.md, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/mailbox/words.h"

/* An encoded word decodes to the same value, and uses only the bits of that value. */
static void encoded_switches(void **state)
{
	(void)state;
	for (uint32_t on = 0; on < 4; on++) {
		bool first = on & 1, second = on & 2;
		struct target_value value = value_of_features(second, first);
		uint32_t word = word_encode(&word_control, &value);
		struct sst_level level = { 0 };

		word_decode_control(word, &level);
		assert_int_equal(word & ~0x30000U, 0);
		assert_int_equal(level.turbo_freq_on, first);
		assert_int_equal(level.base_freq_on, second);
		value = word_decode(&word_pm_config, first ? 0x10001 : 1);
		assert_int_equal(word_encode(&word_pm_config, &value), first ? 0x10000 : 0);
		value = word_decode(&word_qos_config, 0x5a5a5a5a);
		value.numbers[VALUE_ENABLED] = first;
		value.numbers[VALUE_ORDERED] = second;
		word = word_encode(&word_qos_config, &value);
		assert_int_equal(word & 2, first ? 2 : 0);
		assert_int_equal(word & 4, second ? 4 : 0);
		assert_int_equal((word ^ 0x5a5a5a5a) & ~6U, 0); /* others are kept */
		value = word_decode(&word_association, 0xa5a5a5a5);
		value.number = on;
		word = word_encode(&word_association, &value);
		assert_int_equal(word >> 16 & 3, on);
		assert_int_equal((word ^ 0xa5a5a5a5) & ~0x30000U, 0);
	}
}

static uint32_t encode_clos(const struct sst_clos *clos)
{
	struct target_value value = value_of_clos(clos);

	return word_encode(&word_clos, &value);
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
		assert_int_equal(encode_clos(&rows[i].clos), rows[i].word);
	/* Every bit of the word belongs to some member. */
	for (unsigned int bit = 0; bit < 32; bit++) {
		struct target_value alone = word_decode(&word_clos, 1U << bit);
		struct target_value missing = word_decode(&word_clos, ~(1U << bit));

		assert_int_equal(word_encode(&word_clos, &alone), 1U << bit);
		assert_int_equal(word_encode(&word_clos, &missing), ~(1U << bit));
	}
}

/* A number may be more than its bits hold: the most that they hold is written. */
static void encoded_number_is_limited(void **state)
{
	struct target_value value = { 0 };

	(void)state;
	value.numbers[VALUE_MIN_MHZ] = 25600;
	value.numbers[VALUE_MAX_MHZ] = UINT16_MAX;
	value.numbers[VALUE_WEIGHT] = 16;
	assert_int_equal(word_encode(&word_clos, &value), 0x00fffff0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded_switches),
		cmocka_unit_test(encoded_clos),
		cmocka_unit_test(encoded_number_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The CPU out of /proc/cpuinfo: every row of hardware.md, section 1, and texts that lack lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "base/cleanup.h"
#include "host/machine.h"

#define STANZA_LIMIT 8192

static int read_text(const char *text, struct identity *ret_identity)
{
	struct fake_files fake;
	int err;

	fake_files_init(&fake);
	fake_files_set(&fake, text, "/proc/cpuinfo");
	err = identity_read(&fake.files, ret_identity);
	assert_int_equal(fake.n_reads, 1);
	assert_in_range(fake.last_limit, 1, STANZA_LIMIT);
	fake_files_done(&fake);
	return err;
}

struct row {
	uint32_t family, model, stepping;
	const char *name;
	enum generation generation;
};

static const struct row rows[] = {
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 6,
	  .name = "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz",
	  .generation = GENERATION_CASCADE_LAKE_N },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz",
	  .generation = GENERATION_CASCADE_LAKE_N },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 6,
	  .name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
	  .generation = GENERATION_CASCADE_LAKE_N },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
	  .generation = GENERATION_CASCADE_LAKE_N },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "Intel(R) Xeon(R) Gold 5218N CPU @ 2.30GHz",
	  .generation = GENERATION_CASCADE_LAKE_N },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 6,
	  .name = "Intel(R) Xeon(R) Gold 6252 CPU @ 2.10GHz",
	  .generation = GENERATION_CASCADE_LAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz",
	  .generation = GENERATION_CASCADE_LAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "Intel(R) Xeon(R) Gold 6230R CPU @ 2.10GHz",
	  .generation = GENERATION_CASCADE_LAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 7,
	  .name = "",
	  .generation = GENERATION_CASCADE_LAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 4,
	  .name = "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz",
	  .generation = GENERATION_SKYLAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 5,
	  .name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
	  .generation = GENERATION_SKYLAKE },
	{ .family = 6,
	  .model = 0x55,
	  .stepping = 11,
	  .name = "Intel(R) Xeon(R) Gold 5318H CPU @ 2.50GHz",
	  .generation = GENERATION_SKYLAKE },
	{ .family = 6,
	  .model = 0x6a,
	  .stepping = 6,
	  .name = "Intel(R) Xeon(R) Platinum 8360Y CPU @ 2.40GHz",
	  .generation = GENERATION_ICE_LAKE },
	{ .family = 6,
	  .model = 0x6c,
	  .stepping = 1,
	  .name = "Intel(R) Xeon(R) D-2796NT CPU @ 2.00GHz",
	  .generation = GENERATION_ICE_LAKE },
	{ .family = 6,
	  .model = 0x8f,
	  .stepping = 8,
	  .name = "Intel(R) Xeon(R) Gold 6438N",
	  .generation = GENERATION_SAPPHIRE_RAPIDS },
	{ .family = 6,
	  .model = 0xcf,
	  .stepping = 2,
	  .name = "INTEL(R) XEON(R) PLATINUM 8592+",
	  .generation = GENERATION_EMERALD_RAPIDS },
	{ .family = 6,
	  .model = 0xad,
	  .stepping = 1,
	  .name = "Intel(R) Xeon(R) 6980P",
	  .generation = GENERATION_TPMI },
	{ .family = 6,
	  .model = 0xae,
	  .stepping = 1,
	  .name = "Intel(R) Xeon(R) 6726P-B",
	  .generation = GENERATION_TPMI },
	{ .family = 6,
	  .model = 0xaf,
	  .stepping = 3,
	  .name = "Intel(R) Xeon(R) 6746E",
	  .generation = GENERATION_TPMI },
	{ .family = 6,
	  .model = 0xdd,
	  .stepping = 0,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_TPMI },
	{ .family = 6,
	  .model = 0xb6,
	  .stepping = 0,
	  .name = "Intel Atom(R) P6900",
	  .generation = GENERATION_TPMI },
	{ .family = 19,
	  .model = 0x01,
	  .stepping = 0,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_TPMI },
	{ .family = 19,
	  .model = 0x02,
	  .stepping = 7,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_TPMI },
	{ .family = 19,
	  .model = 0xff,
	  .stepping = 7,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_TPMI },
	{ .family = 19,
	  .model = 0x00,
	  .stepping = 7,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_UNKNOWN },
	{ .family = 18,
	  .model = 0x01,
	  .stepping = 0,
	  .name = "Genuine Intel(R) 0000",
	  .generation = GENERATION_UNKNOWN },
	{ .family = 15,
	  .model = 0x55,
	  .stepping = 6,
	  .name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
	  .generation = GENERATION_UNKNOWN },
	{ .family = 6, .model = 0x6b, .stepping = 6, .name = "", .generation = GENERATION_UNKNOWN },
	{ .family = 6,
	  .model = 0x8e,
	  .stepping = 10,
	  .name = "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz",
	  .generation = GENERATION_UNKNOWN },
	{ .family = 6, .model = 0x01, .stepping = 0, .name = "", .generation = GENERATION_UNKNOWN },
};

/* As a kernel writes it, with an empty line between CPUs. */
static const char stanzas[] = "processor\t: 0\n"
			      "vendor_id\t: %s\n"
			      "cpu family\t: %u\n"
			      "model\t\t: %u\n"
			      "model name\t: %s\n"
			      "stepping\t: %u\n"
			      "microcode\t: 0x2b000590\n"
			      "physical id\t: 0\n"
			      "flags\t\t: fpu vme hwp hfi avx512f\n"
			      "vmx flags\t: vnmi\n"
			      "bugs\t\t: spectre_v1\n"
			      "power management:\n"
			      "\n"
			      "processor\t: 1\n"
			      "vendor_id\t: AuthenticAMD\n"
			      "cpu family\t: 25\n"
			      "model\t\t: 17\n"
			      "model name\t: another\n"
			      "stepping\t: 9\n"
			      "flags\t\t: fpu\n"
			      "\n";

static struct identity read_row(const struct row *row, const char *vendor)
{
	_cleanup_free_ char *text = NULL;
	struct identity identity;

	assert_true(asprintf(&text, stanzas, vendor, row->family, row->model, row->name,
			     row->stepping) > 0);
	assert_int_equal(read_text(text, &identity), 0);
	assert_int_equal(identity.family, row->family);
	assert_int_equal(identity.model, row->model);
	assert_int_equal(identity.stepping, row->stepping);
	assert_string_equal(identity.model_name, row->name);
	assert_true(identity.hfi);
	return identity;
}

static void test_rows(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct identity identity = read_row(&rows[i], "GenuineIntel");

		if (identity.generation != rows[i].generation)
			fail_msg("family %u model 0x%x stepping %u: generation %d, not %d",
				 rows[i].family, rows[i].model, rows[i].stepping,
				 (int)identity.generation, (int)rows[i].generation);
		identity_done(&identity);
		assert_null(identity.model_name);
	}
}

static void test_other_vendors(void **test)
{
	static const char *const vendors[] = { "AuthenticAMD", "HygonGenuine", "GenuineIntel2",
					       "genuineintel", "CentaurHauls", "" };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
		struct identity identity = read_row(&rows[i], vendors[i]);

		assert_int_equal(identity.generation, GENERATION_OTHER_VENDOR);
		identity_done(&identity);
	}
}

static void test_hfi_is_a_word(void **test)
{
	static const struct {
		const char *flags;
		bool hfi;
	} cases[] = {
		{ .flags = "flags\t\t: hfi\n", .hfi = true },
		{ .flags = "flags\t\t: fpu hfi\n", .hfi = true },
		{ .flags = "flags\t\t: hfi vnmi\n", .hfi = true },
		{ .flags = "flags\t\t: hfi_x xhfi hfi vnmi\n", .hfi = true },
		{ .flags = "flags\t\t: hfihfi hfi", .hfi = true },
		{ .flags = "flags\t\t: xhfi\n" },
		{ .flags = "flags\t\t: hfi2 vnmi\n" },
		{ .flags = "flags\t\t: hfi_thread fpu_hfi ahfib\n" },
		{ .flags = "flags\t\t: hfihfi\n" },
		{ .flags = "flags\t\t: HFI\n" },
		{ .flags = "flags\t\t:\n" },
		{ .flags = "flags\t\t: hf i\n" },
		{ .flags = "vmx flags\t: hfi\n" },
		{ .flags = "flags2\t\t: hfi\n" },
		{ .flags = "model name\t: hfi\n" },
		{ .flags = "" },
		{ .flags = "\nflags\t\t: hfi\n" }, /* of the second CPU */
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;
		struct identity identity;

		assert_true(asprintf(&text, "cpu family\t: 6\nmodel\t\t: 143\n%s", cases[i].flags) >
			    0);
		assert_int_equal(read_text(text, &identity), 0);
		if (identity.hfi != cases[i].hfi)
			fail_msg("\"%s\": hfi is %d", cases[i].flags, identity.hfi);
		identity_done(&identity);
	}
}

struct text_case {
	const char *text;
	int err;
	struct identity wanted;
};

#define INTEL "vendor_id\t: GenuineIntel\n"

static const struct text_case text_cases[] = {
	{ .text = INTEL "cpu family\t: 6\nmodel\t\t: 143\n",
	  .wanted = { .family = 6,
		      .model = 143,
		      .model_name = (char[]){ "" },
		      .generation = GENERATION_SAPPHIRE_RAPIDS } },
	{ .text = "cpu family\t: 6\nmodel\t\t: 143\nstepping\t: 8\n",
	  .wanted = { .family = 6,
		      .model = 143,
		      .stepping = 8,
		      .model_name = (char[]){ "" },
		      .generation = GENERATION_OTHER_VENDOR } },
	{ .text = "model name\t: 5\nmodel\t\t: 207\n" INTEL "cpu family\t: 6",
	  .wanted = { .family = 6,
		      .model = 207,
		      .model_name = (char[]){ "5" },
		      .generation = GENERATION_EMERALD_RAPIDS } },
	{ .text = INTEL "cpu family\t: 6\nmodel\t\t: 106\nstepping\t: unknown\n",
	  .wanted = { .family = 6,
		      .model = 106,
		      .model_name = (char[]){ "" },
		      .generation = GENERATION_ICE_LAKE } },
	{ .text = INTEL "cpu family:6\nmodel:106\nmodel name:  two: parts \nstepping\t:\n",
	  .wanted = { .family = 6,
		      .model = 106,
		      .model_name = (char[]){ " two: parts " },
		      .generation = GENERATION_ICE_LAKE } },
	/* Other architectures. */
	{ .text = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"
		  "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n",
	  .wanted = { .model_name = (char[]){ "" }, .generation = GENERATION_OTHER_VENDOR } },
	{ .text = "vendor_id       : IBM/S390\n# processors    : 4\n",
	  .wanted = { .model_name = (char[]){ "" }, .generation = GENERATION_OTHER_VENDOR } },
	{ .text = "processor\t: 0\ncpu\t\t: POWER9\nmodel\t\t: 9006-22P\n",
	  .wanted = { .model_name = (char[]){ "" }, .generation = GENERATION_OTHER_VENDOR } },
	{ .text = "", .err = -EINVAL },
	{ .text = "\n\n", .err = -EINVAL },
	{ .text = INTEL "model\t\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 6\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 6\nmodel name\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 6\n\nmodel\t\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 6\nmodel\t\t:\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 6\nmodel\t\t: 0x8f\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: six\nmodel\t\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: -6\nmodel\t\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\t: 4294967296\nmodel\t\t: 143\n", .err = -EINVAL },
	{ .text = INTEL "cpu family\nmodel\t\t: 143\n", .err = -EINVAL },
};

static void test_texts(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(text_cases); i++) {
		const struct identity *wanted = &text_cases[i].wanted;
		struct identity identity = { 0 };
		int err = read_text(text_cases[i].text, &identity);

		if (err != text_cases[i].err)
			fail_msg("case %zu: %d, not %d", i, err, text_cases[i].err);
		assert_int_equal(identity.family, wanted->family);
		assert_int_equal(identity.model, wanted->model);
		assert_int_equal(identity.stepping, wanted->stepping);
		assert_int_equal(identity.generation, wanted->generation);
		if (err)
			assert_null(identity.model_name);
		else
			assert_string_equal(identity.model_name, wanted->model_name);
		identity_done(&identity);
	}
}

/* Text after the part that is read has no effect, and reading ends cleanly there. */
static void test_long_stanza(void **test)
{
	char text[STANZA_LIMIT + 200];
	struct identity identity;
	size_t length;

	(void)test;
	length = (size_t)snprintf(text, sizeof(text),
				  INTEL "cpu family\t: 6\nmodel\t\t: 143\nflags\t\t:");
	while (length < STANZA_LIMIT - 5)
		length += (size_t)snprintf(text + length, sizeof(text) - length, " word");
	snprintf(text + length, sizeof(text) - length, " later hfi\nstepping\t: 8\n");
	assert_int_equal(read_text(text, &identity), 0);
	assert_int_equal(identity.generation, GENERATION_SAPPHIRE_RAPIDS);
	assert_int_equal(identity.stepping, 0);
	assert_false(identity.hfi);
	identity_done(&identity);
}

static void test_read_errors(void **test)
{
	static const int errors[] = { -ENOENT, -EACCES, -EIO };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct identity identity = { .stepping = 77 };
		struct fake_files fake;

		fake_files_init(&fake);
		fake_files_fail(&fake, "/proc/cpuinfo", errors[i]);
		assert_int_equal(identity_read(&fake.files, &identity), errors[i]);
		assert_int_equal(identity.stepping, 77);
		fake_files_done(&fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),          cmocka_unit_test(test_other_vendors),
		cmocka_unit_test(test_hfi_is_a_word), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_long_stanza),   cmocka_unit_test(test_read_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

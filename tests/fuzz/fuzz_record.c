// SPDX-License-Identifier: GPL-2.0-only
/* The daemon's record: refused, or read, and then what is written again reads the same. */
#include <errno.h>

#include "settings/record.h"
#include "sst/sst.h"
#include "run_file.h"

static void check_again(const char *directory, const struct record *record)
{
	_cleanup_record_ struct record again = { 0 };

	FUZZ_REQUIRE(record_write(fuzz_run_files(), directory, record) == 0);
	FUZZ_REQUIRE(record_read(fuzz_run_files(), directory, &again) == 0);
	FUZZ_REQUIRE(again.n_domains == record->n_domains);
	for (size_t i = 0; i < again.n_domains; i++) {
		const struct record_domain *left = &record->domains[i], *right = &again.domains[i];

		FUZZ_REQUIRE(left->level <= SST_MAX_LEVEL && left->level == right->level);
		FUZZ_REQUIRE(left->place.package == right->place.package &&
			     left->place.die == right->place.die);
		FUZZ_REQUIRE(left->place.has_power_domain == right->place.has_power_domain &&
			     left->place.power_domain == right->place.power_domain);
		FUZZ_REQUIRE(left->is_pending == right->is_pending);
		FUZZ_REQUIRE(cpuset_equal(&left->taken, &right->taken));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *directory = fuzz_run_file("oob-record.json", data, size);
	struct record record = { 0 };
	int err = record_read(fuzz_run_files(), directory, &record);

	FUZZ_REQUIRE(err == 0 || err == -ESTALE || err == -EBADMSG);
	FUZZ_REQUIRE(!err || !record.domains);
	/* Writing syncs, which is slow: not always. */
	if (!err && size % 16 == 0)
		check_again(directory, &record);
	record_done(&record);
	return 0;
}

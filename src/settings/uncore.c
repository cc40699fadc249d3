// SPDX-License-Identifier: GPL-2.0-only
/* Plans uncore frequency limits (sysfs.md, "uncore"). The kernel rounds limits down to 100 MHz and
 * does not compare them: here they are rounded, kept in order and read back. */
#include "settings/uncore.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "settings/file_change.h"
#include "settings/settings.h"

int uncore_plan_limits(struct change_list *changes, const struct location *location,
		       const struct uncore_unit *unit, uint32_t min_khz, uint32_t max_khz)
{
	_cleanup_free_ char *selector = uncore_format_selector(unit);
	const struct file_limits limits = {
		.location = *location,
		.subject = subject_of(SETTING_UNCORE_MIN),
		.selector = selector,
		.directory = unit->path,
		.min_name = UNCORE_MIN,
		.max_name = UNCORE_MAX,
	};
	const struct khz_range old = { unit->min_khz, unit->max_khz };
	const struct khz_range wanted = { min_khz, max_khz };

	return selector ? file_change_add_range(changes, &limits, &old, &wanted) : -ENOMEM;
}

uint32_t uncore_round_khz(uint64_t mhz)
{
	return (uint32_t)(mhz / MHZ_PER_RATIO * MHZ_PER_RATIO * KHZ_PER_MHZ);
}

/* The die of a mailbox part is a label; a TPMI part's power domain is found by its number. */
static bool is_of(const struct uncore_unit *unit, const struct uncore_range *range)
{
	return unit->package == range->package &&
	       (unit->is_cluster ? uncore_is_of_domain(unit, range->power_domain)
				 : unit->die == range->die);
}

int uncore_plan_range(struct change_list *changes, const struct uncore_units *units, int read_error,
		      const struct uncore_range *range, bool *ret_has_unit)
{
	const struct location location = {
		.package = range->package,
		.die = range->die,
		.cpu = LOCATION_NO_CPU,
	};
	bool has_unit = read_error;
	int unit_error = 0;

	for (size_t i = 0; i < units->count; i++) {
		if (!is_of(&units->units[i], range))
			continue;
		has_unit = true;
		unit_error = unit_error ?: units->units[i].error;
	}
	*ret_has_unit = has_unit;
	/* an upper limit below 100 MHz counts as unknown */
	if (uncore_round_khz(range->max_mhz ?: range->min_mhz) == 0)
		return -ENOENT;
	if (read_error)
		return read_error;
	if (range->max_mhz && range->min_mhz > range->max_mhz)
		return -EINVAL;
	if (!has_unit || unit_error)
		return has_unit ? unit_error : -ENOENT;
	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		/* A limit that is unknown stays as it is, unless the known one passes it. */
		uint32_t max_khz = uncore_round_khz(range->max_mhz) ?: unit->max_khz;
		uint32_t min_khz = uncore_round_khz(range->min_mhz) ?: unit->min_khz;

		if (!is_of(unit, range))
			continue;
		if (min_khz > max_khz)
			min_khz = max_khz;
		if (uncore_plan_limits(changes, &location, unit, min_khz, max_khz))
			return -ENOMEM;
	}
	return 0;
}

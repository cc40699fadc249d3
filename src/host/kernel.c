// SPDX-License-Identifier: GPL-2.0-only
/* Lists the defects of kernel releases that this program works around. */
#include "host/kernel.h"

#include <ctype.h>
#include <string.h>

const struct kernel_defect kernel_defects[] = {
	[KERNEL_REPLAYS_LIMITS] = { NULL, "6.16", "before 6.16" },
	[KERNEL_DIES_OF_UNBOUND_TPMI] = { "6.13", "7.2", "6.13 to 7.1" },
	[KERNEL_LACKS_IDLE_TABLE] = { NULL, "7.0", "before 7.0" },
};

bool kernel_has_defect(const char *release, enum kernel_defect_id id)
{
	const struct kernel_defect *defect = &kernel_defects[id];
	size_t digits = release ? strspn(release, "0123456789") : 0;

	if (digits == 0 || release[digits] != '.' || !isdigit((unsigned char)release[digits + 1]))
		return true;
	return (!defect->first || strverscmp(release, defect->first) >= 0) &&
	       strverscmp(release, defect->repaired) < 0;
}

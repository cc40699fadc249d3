// SPDX-License-Identifier: GPL-2.0-only
/* Formats a location of the machine. */
#include "base/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

char *location_format(const struct location *location)
{
	char die[24] = " die-IO", domain[32] = "";

	if (location->die_is_unknown)
		die[0] = '\0';
	else if (!location->die_is_io)
		snprintf(die, sizeof(die), " die-%" PRIu32, location->die);
	if (location->has_power_domain)
		snprintf(domain, sizeof(domain), " powerdomain-%" PRIu32, location->power_domain);
	if (location->package == LOCATION_NO_PACKAGE)
		return strdup("");
	return text_format("package-%" PRIu32 "%s%s", location->package, die, domain);
}

char *location_format_cpu(const struct location *location)
{
	_cleanup_free_ char *place = location_format(location);

	if (!place || location->cpu == LOCATION_NO_CPU)
		return steal(place);
	return text_format("%s%scpu-%" PRIu32, place, *place ? " " : "", location->cpu);
}

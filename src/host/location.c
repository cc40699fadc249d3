// SPDX-License-Identifier: GPL-2.0-only
/* From a CPU to the package, die and power domain that messages name (hardware.md, section 5). */
#include "host/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

struct location location_of_cpu(const struct machine *machine, uint32_t cpu)
{
	struct location location = { .package = LOCATION_NO_PACKAGE, .cpu = cpu };

	if (cpuset_has(&machine->topology.placed, cpu)) {
		const struct cpu_place *place = &machine->topology.places[cpu];

		location.package = place->package;
		location.die = place->die;
		location.has_power_domain = place->has_power_domain;
		location.power_domain = place->power_domain;
	}
	return location;
}

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

// SPDX-License-Identifier: GPL-2.0-only
/* From a CPU to the package, die and power domain that messages name (hardware.md, section 5). */
#include "plan/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct plan_subject subject_of_cpu(const struct machine *machine, uint32_t cpu)
{
	struct plan_subject subject = { .package = PLAN_NO_PACKAGE, .cpu = cpu };

	if (cpuset_has(&machine->topology.placed, cpu)) {
		const struct cpu_place *place = &machine->topology.places[cpu];

		subject.package = place->package;
		subject.die = place->die;
		subject.has_power_domain = place->has_power_domain;
		subject.power_domain = place->power_domain;
	}
	return subject;
}

char *subject_name_place(const struct plan_subject *subject)
{
	char die[24] = " die-IO", domain[32] = "";
	char *name;

	if (subject->die_is_unknown)
		die[0] = '\0';
	else if (!subject->die_is_io)
		snprintf(die, sizeof(die), " die-%" PRIu32, subject->die);
	if (subject->has_power_domain)
		snprintf(domain, sizeof(domain), " powerdomain-%" PRIu32, subject->power_domain);
	if (subject->package == PLAN_NO_PACKAGE)
		return strdup("");
	if (asprintf(&name, "package-%" PRIu32 "%s%s", subject->package, die, domain) < 0)
		return NULL;
	return name;
}

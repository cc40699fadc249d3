// SPDX-License-Identifier: GPL-2.0-only
/* From a CPU to the package and die that messages name (hardware.md, section 5). */
#include "plan/subject.h"

struct plan_subject subject_of_cpu(const struct machine *machine, uint32_t cpu)
{
	struct plan_subject subject = { .package = PLAN_NO_PACKAGE, .cpu = cpu };

	if (cpuset_has(&machine->topology.placed, cpu)) {
		subject.package = machine->topology.places[cpu].package;
		subject.die = machine->topology.places[cpu].die;
	}
	return subject;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What a step is about. */
#ifndef PLAN_SUBJECT_H
#define PLAN_SUBJECT_H

#include "machine/machine.h"
#include "plan/plan.h"

/* The subject of a step on one CPU, with its package and die where the topology tells them. */
struct plan_subject subject_of_cpu(const struct machine *machine, uint32_t cpu);

/*
 * Where it is, as a new text: "package-0 die-1", "package-0 die-1 powerdomain-2"; of the whole
 * machine "". NULL where memory is short.
 */
char *subject_name_place(const struct plan_subject *subject);

#endif

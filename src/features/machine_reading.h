/* SPDX-License-Identifier: GPL-2.0-only */
/* One record for each CPU of a command that needs no Speed Select. */
#ifndef FEATURES_MACHINE_READING_H
#define FEATURES_MACHINE_READING_H

#include "cli/context.h"

/* What was read of the CPUs of a context, in their order. */
struct machine_reading {
	const void **records; /* NULL: it could not be read, which was reported */
	void *storage;
	size_t record_size;
	size_t count;
	void (*done)(void *record);
};

#define _cleanup_machine_reading_ __attribute__((cleanup(machine_reading_done)))

/* Frees the records and leaves none. */
void machine_reading_done(struct machine_reading *reading);

/*
 * Read struct cpufreq_policy, or struct cpuidle_cpu (with_usage: how states were used too), of each
 * CPU. Each CPU that cannot be read becomes an error in the output; if no CPU has it, there is one
 * error for all. Return 0 or -ENOMEM.
 */
int machine_reading_policies(struct context *context, struct machine_reading *ret_reading);
int machine_reading_idle(struct context *context, bool with_usage,
			 struct machine_reading *ret_reading);

#define MACHINE_READING_MHZ_SIZE 16

/* A frequency in MHz: "2600", "2794.75". */
void machine_reading_format_mhz(uint32_t khz, char text[MACHINE_READING_MHZ_SIZE]);

#endif

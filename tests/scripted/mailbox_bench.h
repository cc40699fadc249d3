/* SPDX-License-Identifier: GPL-2.0-only */
/* An open platform of a mailbox part, the requests of whose operations a test scripts. */
#ifndef SCRIPTED_MAILBOX_BENCH_H
#define SCRIPTED_MAILBOX_BENCH_H

#include "base/cleanup.h"
#include "fake_machine.h"
#include "sst/platform.h"
#include "script.h"

#define SKYLAKE         0x55
#define ICE_LAKE        0x6a
#define SAPPHIRE_RAPIDS 0x8f
#define EMERALD_RAPIDS  0xcf

struct mailbox_bench {
	struct fake_machine fake;
	struct machine *machine;
	struct platform *platform;
};

/* Opens a machine of 2 packages of 2 cores with two threads: CPUs 0, 1 and 4, 5 in package 0, CPUs
 * 2, 3 and 6, 7 in package 1. core_ids as in struct fake_shape; rules (or NULL) for opening it. */
void mailbox_bench_open(struct mailbox_bench *bench, uint32_t model, const uint32_t *core_ids,
			const struct fake_rule *rules, size_t n_rules);
void mailbox_bench_close(struct mailbox_bench *bench);

/* From here on these requests are expected, until mailbox_bench_expect_end(). */
void mailbox_bench_expect(struct mailbox_bench *bench, const struct script_step *steps,
			  size_t n_steps);
void mailbox_bench_expect_end(struct mailbox_bench *bench);

/* The first domain of a package. */
const struct power_domain *mailbox_bench_domain(const struct mailbox_bench *bench,
						uint32_t package);

/* Does the set hold these CPUs, in the kernel's list form? */
void mailbox_bench_assert_cpus(const struct cpuset *cpus, const char *list);

/* A step with the entries of an array from one on. */
#define SCRIPT_SLICE(number, outcome, array, first)                                     \
	{                                                                               \
		.request = (number), .result = (outcome), .entries = (array) + (first), \
		.n_entries = ARRAY_SIZE(array) - (first)                                \
	}

#endif

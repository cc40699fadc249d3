/* SPDX-License-Identifier: GPL-2.0-only */
/* A platform on a fake TPMI machine, and a plan: what tests of TPMI parts share. */
#ifndef SCRIPTED_TPMI_BENCH_H
#define SCRIPTED_TPMI_BENCH_H

#include "fake_tpmi.h"
#include "change/transaction.h"
#include "settings/sst.h"

struct tpmi_bench {
	struct fake_tpmi tpmi;
	struct machine *machine;
	struct platform *platform;
	struct change_list plan;
	struct setting_environment environment; /* of the three above */
};

/* 2 packages of 2 compute domains, 0 and 1, of 2 cores, and IO dies 3 and 4. */
extern const struct fake_tpmi_shape tpmi_bench_shape;

/* Makes the fake machine; it can be changed before it is opened. What opening asks is forgotten. */
void tpmi_bench_init(struct tpmi_bench *bench, const struct fake_tpmi_shape *shape);
void tpmi_bench_open(struct tpmi_bench *bench);
void tpmi_bench_close(struct tpmi_bench *bench);

const struct power_domain *tpmi_bench_domain(const struct tpmi_bench *bench, uint32_t package,
					     uint32_t id);

/* Carries the plan out, which must return 0. */
void tpmi_bench_run(struct tpmi_bench *bench, struct transaction_outcome *outcome);

size_t tpmi_bench_count_steps(const struct tpmi_bench *bench);

#endif

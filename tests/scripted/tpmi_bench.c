// SPDX-License-Identifier: GPL-2.0-only
/* The bench of tpmi_bench.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "tpmi_bench.h"

const struct fake_tpmi_shape tpmi_bench_shape = {
	.packages = 2,
	.cores = 2,
	.n_compute = 2,
	.n_io = 2,
	.ids = { 0, 1, 3, 4 },
};

void tpmi_bench_init(struct tpmi_bench *bench, const struct fake_tpmi_shape *shape)
{
	*bench = (struct tpmi_bench){ 0 };
	fake_tpmi_init(&bench->tpmi, shape);
}

void tpmi_bench_open(struct tpmi_bench *bench)
{
	const struct platform_options options = { .channel.tries = 1 };
	_cleanup_free_ char *message = NULL;

	assert_int_equal(machine_open(&bench->tpmi.machine.host, &bench->machine, &message), 0);
	assert_int_equal(platform_open(bench->machine, &options, &bench->platform, &message), 0);
	bench->environment =
		(struct setting_environment){ bench->platform, bench->machine, &bench->plan };
}

void tpmi_bench_close(struct tpmi_bench *bench)
{
	change_list_done(&bench->plan);
	platform_close(&bench->platform);
	machine_close(&bench->machine);
	fake_tpmi_done(&bench->tpmi);
}

const struct power_domain *tpmi_bench_domain(const struct tpmi_bench *bench, uint32_t package,
					     uint32_t id)
{
	const struct domain_list *list = &bench->platform->domains;

	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].package == package && list->domains[i].id == id)
			return &list->domains[i];
	}
	fail_msg("no domain %u in package %u", id, package);
	return NULL;
}

void tpmi_bench_run(struct tpmi_bench *bench, struct transaction_outcome *outcome)
{
	const struct transaction_environment environment = {
		.channel = &bench->platform->channel,
		.files = &bench->tpmi.machine.files,
	};

	assert_int_equal(transaction_run(&bench->plan, &environment, outcome), 0);
}

size_t tpmi_bench_count_steps(const struct tpmi_bench *bench)
{
	size_t count;

	count = bench->plan.n_changes;
	return count;
}

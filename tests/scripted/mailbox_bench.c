// SPDX-License-Identifier: GPL-2.0-only
/* The bench of mailbox_bench.h: the fake machine opens the platform, then the script takes over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mailbox_bench.h"
#include "base/cpuset.h"

void mailbox_bench_open(struct mailbox_bench *bench, uint32_t model, const uint32_t *core_ids,
			const struct fake_rule *rules, size_t n_rules)
{
	const struct fake_shape shape = {
		.packages = 2,
		.dies = 1,
		.cores = 2,
		.core_ids = core_ids,
		.model = model,
		.stepping = 4,
	};
	const struct platform_options options = { .channel.tries = 3 };
	_cleanup_free_ char *message = NULL;

	*bench = (struct mailbox_bench){ 0 };
	fake_machine_init(&bench->fake, &shape);
	if (rules)
		fake_machine_add_rules(&bench->fake, rules, n_rules);
	assert_int_equal(machine_open(&bench->fake.host, &bench->machine, &message), 0);
	assert_int_equal(platform_open(bench->machine, &options, &bench->platform, &message), 0);
	assert_int_equal(bench->platform->domains.n_domains, 2);
}

void mailbox_bench_close(struct mailbox_bench *bench)
{
	platform_close(&bench->platform);
	machine_close(&bench->machine);
	fake_machine_done(&bench->fake);
}

void mailbox_bench_expect(struct mailbox_bench *bench, const struct script_step *steps,
			  size_t n_steps)
{
	bench->platform->channel.transport = script_open(steps, n_steps);
}

void mailbox_bench_expect_end(struct mailbox_bench *bench)
{
	script_finish(&bench->platform->channel.transport);
}

const struct power_domain *mailbox_bench_domain(const struct mailbox_bench *bench, uint32_t package)
{
	return &bench->platform->domains.domains[package];
}

void mailbox_bench_assert_cpus(const struct cpuset *cpus, const char *list)
{
	_cleanup_cpuset_ struct cpuset wanted = { 0 };

	assert_int_equal(cpulist_parse(list, &wanted), 0);
	assert_true(cpuset_equal(cpus, &wanted));
}

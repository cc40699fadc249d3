// SPDX-License-Identifier: GPL-2.0-only
/* Orders of faults: taken, or refused with one line that names the file. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "simulator/fault_orders.h"

#define CPUS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *message = NULL;
	struct fault_orders orders = { 0 };
	int err = fault_orders_parse("faults.json", text, size, CPUS, &orders, &message);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (message == NULL));
	if (message)
		FUZZ_REQUIRE(strncmp(message, "faults.json:", 12) == 0 && !strchr(message, '\n'));
	FUZZ_REQUIRE(orders.n_orders <= SIM_MAX_FAULTS);
	for (size_t i = 0; i < orders.n_orders; i++)
		FUZZ_REQUIRE(!orders.orders[i].has_cpu || orders.orders[i].cpu < CPUS);
	fault_orders_done(&orders);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Adds the instruments to the host of the machine that the program runs on. */
#include "instruments/instruments.h"

#include <errno.h>
#include <stdlib.h>

#include "instruments/perf.h"
#include "instruments/workload.h"

static void close_real(struct host *host)
{
	free(host->perf);
	host->perf = NULL;
	workload_close_real(&host->workload);
}

int instruments_open_real(struct host *host)
{
	struct perf *perf = calloc(1, sizeof(*perf));

	if (!perf || workload_open_real(&host->workload)) {
		free(perf);
		return -ENOMEM;
	}
	perf_init_real(perf);
	host->perf = perf;
	host->close_instruments = close_real;
	return 0;
}

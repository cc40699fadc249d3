// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLOS_ASSOC returns 0 when all entries are done, and an error that says nothing when one is not
 * (hardware.md, section 4).
 */
#include "transport/assoc.h"

#include <errno.h>
#include <string.h>

/* A request with room for as many entries as the driver takes. */
struct assoc_request {
	struct isst_clos_assocs head;
	struct isst_clos_assoc room[ISST_ENTRIES_PER_CALL];
};

static int send_entries(const struct channel *channel, bool set, struct isst_clos_assoc *entries,
			size_t count)
{
	struct assoc_request request = {
		.head = { .cmd_count = (__u16)count, .get_set = set, .punit_cpu_map = 1 },
	};
	char *place = (char *)&request + offsetof(struct isst_clos_assocs, entries);
	int err;

	memcpy(place, entries, count * sizeof(*entries));
	err = channel_request(channel, ISST_CLOS_ASSOC, &request);
	if (err < 0)
		return err;
	memcpy(entries, place, count * sizeof(*entries));
	return 0;
}

/* Where it stops, those left keep the error of the request that they were in. */
static void send_singly(const struct channel *channel, bool set, struct isst_clos_assoc *entries,
			int *errors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		errors[i] = send_entries(channel, set, &entries[i], 1);
		if (errors[i] && channel->stop_at_error)
			return;
	}
}

void assoc_run(const struct channel *channel, bool set, struct isst_clos_assoc *entries,
	       int *errors, size_t count)
{
	size_t most = channel->max_commands < ISST_ENTRIES_PER_CALL ? channel->max_commands
								    : ISST_ENTRIES_PER_CALL;
	bool stopped = false;

	for (size_t first = 0; first < count; first += most) {
		size_t n = count - first < most ? count - first : most;
		int err = stopped ? -ECANCELED : send_entries(channel, set, &entries[first], n);

		for (size_t i = first; i < first + n; i++)
			errors[i] = err;
		if (err && !stopped && n > 1)
			send_singly(channel, set, &entries[first], &errors[first], n);
		stopped = stopped || (errors[first + n - 1] && channel->stop_at_error);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: which orders an event matches, and whose turn it is. The counts are in the shared state
 * and are only ever added to, atomically, so that processes count together without the lock.
 */
#include "simulator/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/digest.h"
#include "simulator/fault_orders.h"
#include "simulator/state_directory.h"

#define FAULTS_NAME "faults.json"
#define MAX_BYTES   (1U << 20)

struct sim_faults {
	struct sim_state *state;
	struct fault_orders orders;
};

/* Starts the counts again where they belong to other orders. */
static int claim_counts(struct sim_state *state, uint64_t digest)
{
	int err = state_lock(state);

	if (err)
		return err;
	if (state->machine->faults_digest != digest) {
		memset(state->fault_counts, 0, SIM_MAX_FAULTS * sizeof(*state->fault_counts));
		state->machine->faults_digest = digest;
	}
	state_unlock(state);
	return 0;
}

static int read_orders(struct sim_state *state, int fd, struct fault_orders *ret_orders,
		       char **ret_message)
{
	_cleanup_free_ char *text = NULL, *name = NULL;
	struct stat about;
	size_t length;
	int err = fstat(fd, &about) < 0 ? -errno : S_ISREG(about.st_mode) ? 0 : -EINVAL;

	err = err ?: fileio_read_whole(fd, MAX_BYTES, &text, &length);

	if (err)
		return state_directory_complain(ret_message, err, state->directory, FAULTS_NAME,
						err == -EINVAL ? "is no regular file"
							       : strerror(-err));
	if (asprintf(&name, "%s/%s", state->directory, FAULTS_NAME) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	err = fault_orders_parse(name, text, length, state->platform->n_cpus, ret_orders,
				 ret_message);
	return err ? err : claim_counts(state, digest_bytes(text, length));
}

int faults_open(struct sim_state *state, struct sim_faults **ret_faults, char **ret_message)
{
	_cleanup_close_ int fd = openat(state->directory_fd, FAULTS_NAME,
					O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;
	struct sim_faults *faults;

	if (err && err != -ENOENT)
		return state_directory_complain(ret_message, err, state->directory, FAULTS_NAME,
						strerror(-err));
	faults = calloc(1, sizeof(*faults));
	if (!faults)
		return -ENOMEM;
	faults->state = state;
	err = fd < 0 ? 0 : read_orders(state, fd, &faults->orders, ret_message);
	if (err) {
		faults_close(faults);
		return err;
	}
	*ret_faults = faults;
	return 0;
}

void faults_close(struct sim_faults *faults)
{
	if (!faults)
		return;
	fault_orders_done(&faults->orders);
	free(faults);
}

static bool matches_access(enum fault_access access, bool write)
{
	switch (access) {
	case FAULT_ACCESS_ANY:
		return true;
	case FAULT_ACCESS_READ:
		return !write;
	case FAULT_ACCESS_WRITE:
		return write;
	}
	return false;
}

static bool matches(const struct fault_order *order, const struct sim_fault_event *event)
{
	if (order->point != event->point)
		return false;
	if ((event->number & order->number_mask) != order->number)
		return false;
	if (order->has_cpu && order->cpu != event->cpu)
		return false;
	if (order->has_parameter && order->parameter != event->parameter)
		return false;
	if (order->has_data && order->data != event->data)
		return false;
	if (order->path && (!event->path || fnmatch(order->path, event->path, FNM_PATHNAME) != 0))
		return false;
	return matches_access(order->access, event->write);
}

/* Counts a match. Returns how many came before it; the count stops at its highest value. */
static uint32_t count_match(uint32_t *count)
{
	uint32_t before = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (before != UINT32_MAX &&
	       !__atomic_compare_exchange_n(count, &before, before + 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	return before;
}

static bool is_due(const struct fault_order *order, uint32_t before)
{
	if (before < order->skip)
		return false;
	return order->times == FAULT_TIMES_ALWAYS || before - order->skip < order->times;
}

struct sim_fault_effect faults_meet(struct sim_faults *faults, const struct sim_fault_event *event)
{
	struct sim_fault_effect effect = { .error = 0 };

	for (size_t i = 0; i < faults->orders.n_orders; i++) {
		const struct fault_order *order = &faults->orders.orders[i];

		if (!matches(order, event) ||
		    !is_due(order, count_match(&faults->state->fault_counts[i])))
			continue;
		if (!effect.error)
			effect.error = order->effect.error;
		if (!effect.completion_code)
			effect.completion_code = order->effect.completion_code;
		if (__builtin_add_overflow(effect.delay_us, order->effect.delay_us,
					   &effect.delay_us))
			effect.delay_us = UINT32_MAX;
		effect.ignored = effect.ignored || order->effect.ignored;
		effect.flip ^= order->effect.flip;
	}
	return effect;
}

void faults_wait(uint32_t delay_us)
{
	struct timespec left = { .tv_sec = delay_us / 1000000,
				 .tv_nsec = (long)(delay_us % 1000000) * 1000 };

	while (delay_us && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

bool faults_deny_capability(const struct sim_faults *faults)
{
	return faults->orders.settings.missing_capability;
}

const struct fault_settings *faults_settings(const struct sim_faults *faults)
{
	return &faults->orders.settings;
}

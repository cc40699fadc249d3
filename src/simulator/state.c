// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shared state: DIRECTORY/state, a header and the sections of state.h, mapped by every process.
 * It appears whole (made under another name, then renamed) and its size never changes. Opening,
 * making and resetting it hold a lock of the directory; its content is held under its own lock.
 */
#include "simulator/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/state_directory.h"
#include "simulator/state_layout.h"

#define KHZ_PER_RATIO 100000

#define STATE_NAME     "state"
#define STATE_NEW_NAME "state.new"

static uint8_t min_perf_pct(const struct sim_cpufreq *cpufreq)
{
	if (!cpufreq->max_khz)
		return 0;
	return (uint8_t)((uint64_t)cpufreq->min_khz * 100 / cpufreq->max_khz);
}

static int init_machine(const struct sim_platform *platform, struct sim_machine_state *machine)
{
	uint8_t id[16];

	*machine = (struct sim_machine_state){
		.no_turbo = platform->has_cpufreq && platform->cpufreq.no_turbo,
		.min_perf_pct = platform->has_cpufreq ? min_perf_pct(&platform->cpufreq) : 0,
		.max_perf_pct = 100,
		.umwait_c02 = platform->umwait_c02,
		.umwait_max_time = platform->umwait_max_time,
	};
	if (getrandom(id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return -errno;
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x40); /* a random UUID: version 4 */
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
	snprintf(machine->boot_id, sizeof(machine->boot_id),
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11],
		 id[12], id[13], id[14], id[15]);
	return 0;
}

static struct sim_cpu_state initial_cpu(const struct sim_platform *platform)
{
	struct sim_cpu_state cpu = { .online = 1 };

	if (platform->has_cpufreq) {
		cpu.governor = (uint8_t)platform->cpufreq.governor;
		cpu.epb = (uint8_t)platform->cpufreq.epb;
		cpu.epp = (uint16_t)(SIM_EPP_NAMED + platform->cpufreq.epp);
		cpu.scaling_min_khz = platform->cpufreq.min_khz;
		cpu.scaling_max_khz = platform->cpufreq.max_khz;
	}
	for (size_t i = 0; platform->has_cpuidle && i < platform->n_idle_states; i++) {
		if (platform->idle_states[i].disabled)
			cpu.idle_disabled |= 1U << i;
	}
	return cpu;
}

static int init_sections(struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_cpu_state cpu = initial_cpu(platform);

	for (size_t i = 0; i < platform->n_domains; i++) {
		state->punits[i] = platform->domains[i].initial;
		state->uncore[i] = (struct sim_uncore_state){
			.min_khz = platform->uncore_min_khz,
			.max_khz = platform->uncore_max_khz,
			.elc_floor = (uint8_t)(platform->uncore_min_khz / KHZ_PER_RATIO)
		};
	}
	for (size_t i = 0; i < platform->n_packages; i++)
		state->packages[i] = platform->msrs;
	for (size_t i = 0; i < platform->n_cpus; i++)
		state->cpus[i] = cpu;
	cpuset_foreach (offline, &platform->offline)
		state->cpus[offline].online = 0;
	return init_machine(platform, state->machine);
}

/* Maps the file behind state->fd, which has the size of the layout. */
static int map_file(struct sim_state *state)
{
	struct state_layout layout = state_layout_compute(state->platform);
	void *map = mmap(NULL, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, state->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	state->map = map;
	state->map_size = layout.size;
	state_layout_apply(&layout, state);
	return 0;
}

/* Fills the new, empty file behind state->fd and gives it its name. */
static int fill_new(struct sim_state *state)
{
	size_t size = state_layout_compute(state->platform).size;
	int err = posix_fallocate(state->fd, 0, (off_t)size); /* room now, or SIGBUS later */

	if (err)
		return -err;
	err = map_file(state);
	if (!err)
		err = init_sections(state);
	if (err)
		return err;
	state_layout_write_header(state->platform, state->map);
	if (renameat(state->directory_fd, STATE_NEW_NAME, state->directory_fd, STATE_NAME) < 0)
		return -errno;
	return 0;
}

static int create_file(struct sim_state *state, char **ret_message)
{
	int err;

	if (unlinkat(state->directory_fd, STATE_NEW_NAME, 0) < 0 && errno != ENOENT)
		err = -errno;
	else {
		state->fd = openat(state->directory_fd, STATE_NEW_NAME,
				   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		err = state->fd < 0 ? -errno : fill_new(state);
	}
	if (!err)
		return 0;
	unlinkat(state->directory_fd, STATE_NEW_NAME, 0);
	return state_directory_complain(ret_message, err, state->directory, STATE_NAME,
					strerror(-err));
}

static int use_file(struct sim_state *state, char **ret_message)
{
	const char *problem = NULL;
	int err = state_layout_check_file(state->platform, state->fd, &problem);

	if (!err) {
		err = map_file(state);
		if (err)
			problem = strerror(-err);
	}
	if (!err)
		err = state_layout_check_content(state, &problem);
	if (err)
		return state_directory_complain(ret_message, err, state->directory, STATE_NAME,
						problem);
	return 0;
}

static int open_file(struct sim_state *state, char **ret_message)
{
	struct stat about;

	state->fd = openat(state->directory_fd, STATE_NAME,
			   O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (state->fd >= 0 && fstat(state->fd, &about) == 0 && !S_ISREG(about.st_mode))
		return state_directory_complain(
			ret_message, -EINVAL, state->directory, STATE_NAME,
			"is no file of ours; --simulate-reset starts afresh");
	if (state->fd >= 0)
		return use_file(state, ret_message);
	if (errno == ENOENT)
		return create_file(state, ret_message);
	if (errno == ELOOP)
		return state_directory_complain(ret_message, -EPERM, state->directory, STATE_NAME,
						"is a link");
	return state_directory_complain(ret_message, -errno, state->directory, STATE_NAME,
					strerror(errno));
}

static int open_locked(struct sim_state *state, bool reset, char **ret_message)
{
	int err;

	if (reset) {
		err = state_directory_empty(state->directory_fd);
		if (err)
			return state_directory_complain(ret_message, err, state->directory, NULL,
							strerror(-err));
	}
	return open_file(state, ret_message);
}

int state_open(const struct sim_platform *platform, const char *directory, bool reset,
	       struct sim_state **ret_state, char **ret_message)
{
	struct sim_state *state = calloc(1, sizeof(*state));
	int err;

	if (!state)
		return -ENOMEM;
	*state = (struct sim_state){ .platform = platform, .directory_fd = -1, .fd = -1 };
	err = state_directory_open(directory, &state->directory, &state->directory_fd, ret_message);
	if (!err) {
		err = flock(state->directory_fd, LOCK_EX) < 0 ? -errno : 0;
		if (!err)
			err = open_locked(state, reset, ret_message);
		flock(state->directory_fd, LOCK_UN);
	}
	if (err) {
		state_close(state);
		return err;
	}
	*ret_state = state;
	return 0;
}

void state_close(struct sim_state *state)
{
	if (!state)
		return;
	if (state->map)
		munmap(state->map, state->map_size);
	cleanup_close(&state->fd);
	cleanup_close(&state->directory_fd);
	free(state->directory);
	free(state);
}

int state_lock(struct sim_state *state)
{
	int result;

	do
		result = flock(state->fd, LOCK_EX);
	while (result < 0 && errno == EINTR);
	return result < 0 ? -errno : 0;
}

void state_unlock(struct sim_state *state)
{
	flock(state->fd, LOCK_UN);
}

struct punit state_punit(struct sim_state *state, size_t domain)
{
	const struct sim_domain *description = &state->platform->domains[domain];

	return (struct punit){
		.fuses = &description->fuses,
		.state = &state->punits[domain],
		.package = &state->packages[description->package],
	};
}

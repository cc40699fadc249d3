// SPDX-License-Identifier: GPL-2.0-only
/* The shared state: DIRECTORY/state has a header and the arrays of struct sim_state as in memory. A
 * process that changes something writes DIRECTORY/state.new and exchanges the two files, under a
 * lock of the directory. The other processes read the file again when they take the lock. So a
 * process that is killed leaves the old state or the new one. Both files are kept, because removing
 * one at each write takes milliseconds on some file systems. The files are not synced: a simulated
 * machine need not survive a power failure. */
#include "simulator/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#ifndef RENAME_EXCHANGE /* musl has neither the flag nor the function */
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>
#define renameat2(from, name, to, new_name, flags) \
	syscall(SYS_renameat2, from, name, to, new_name, flags)
#endif

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/recording.h"
#include "simulator/sysfs/sysfs.h"

#define STATE_NAME     "state"
#define STATE_NEW_NAME "state.new"
#define STATE_MAGIC    "isstsim\n"
#define MAX_FILE_BYTES (64U << 20)
#define KHZ_PER_RATIO  100000
#define TRY_RESET      "; use --simulate-reset to start again"

/* The header of the file, which says which machine the file is about. */
struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t size; /* of the file */
	uint64_t digest; /* of the platform file's text */
	uint64_t checksum; /* of all after the header */
	uint64_t generation; /* number of writes until this one */
	uint64_t is_replaced; /* another file has a newer state, or will have it soon */
};

static void *add_array(struct sim_state *state, size_t count, size_t element_size)
{
	size_t size = count * element_size;
	char *array = state->data ? (char *)state->data + state->size : NULL;

	state->size +=
		(size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	return array;
}

/* Points the header and the arrays into the data, if there is any, and computes its size. */
static void lay_out(struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;

	state->size = 0;
	state->header = add_array(state, 1, sizeof(*state->header));
	state->machine = add_array(state, 1, sizeof(*state->machine));
	state->punits = add_array(state, platform->n_domains, sizeof(*state->punits));
	state->packages = add_array(state, platform->n_packages, sizeof(*state->packages));
	state->cpus = add_array(state, platform->n_cpus, sizeof(*state->cpus));
	state->uncore = add_array(state, platform->n_domains, sizeof(*state->uncore));
	state->power = add_array(state, platform->n_power_zones, sizeof(*state->power));
	state->fault_counts = add_array(state, SIM_MAX_FAULTS, sizeof(*state->fault_counts));
	state->settings_size = state->size;
	state->clock = add_array(state, 1, sizeof(*state->clock));
	state->cpu_counters = add_array(state, platform->n_cpus, sizeof(*state->cpu_counters));
	state->idle =
		add_array(state, platform->n_cpus * platform->n_idle_states, sizeof(*state->idle));
	state->package_counters =
		add_array(state, platform->n_packages, sizeof(*state->package_counters));
}

/* Returns the size of the file. The counters, which are large, are left out while all are 0. */
static size_t used_size(const struct sim_state *state)
{
	return state->clock->now_ns ? state->size : state->settings_size;
}

/* Makes a random UUID, version 4. */
static int make_boot_id(char *text, size_t size)
{
	uint16_t id[8];

	if (getrandom(id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return -errno;
	id[3] = (id[3] & 0x0fff) | 0x4000;
	id[4] = (id[4] & 0x3fff) | 0x8000;
	snprintf(text, size, "%04x%04x-%04x-%04x-%04x-%04x%04x%04x", id[0], id[1], id[2], id[3],
		 id[4], id[5], id[6], id[7]);
	return 0;
}

/* The checksum prevents the use of a damaged state: values in it are indices. It detects each
 * change of one word. */
static uint64_t compute_checksum(const struct sim_state *state)
{
	const uint64_t *words = state->data;
	size_t count = state->header->size / sizeof(*words);
	uint64_t sum = 0xcbf29ce484222325U;

	for (size_t i = sizeof(*state->header) / sizeof(*words); i < count; i++)
		sum = (sum ^ words[i]) * 0x100000001b3U;
	return sum;
}

static int init_data(struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_cpufreq *cpufreq = &platform->cpufreq;
	struct sim_cpu_state cpu = { .online = 1 };

	if (platform->has_cpufreq)
		cpu = (struct sim_cpu_state){
			.online = 1,
			.governor = (uint8_t)cpufreq->governor,
			.epb = (uint8_t)cpufreq->epb,
			.epp = (uint16_t)(SIM_EPP_NAMED + cpufreq->epp),
			.scaling_max_khz = SIM_NO_LIMIT_KHZ,
		};
	for (size_t i = 0; platform->has_cpuidle && i < SIM_MAX_IDLE_STATES; i++)
		cpu.idle_disabled |= (uint32_t)platform->idle_states[i].disabled << i;
	for (size_t i = 0; i < platform->n_domains; i++) {
		uint32_t max_khz = platform->uncore_max_khz;

		if (platform->uncore_io_max_khz && cpuset_is_empty(&platform->domains[i].cores))
			max_khz = platform->uncore_io_max_khz;
		state->punits[i] = platform->domains[i].initial;
		state->uncore[i] = (struct sim_uncore_state){
			.khz = { platform->uncore_min_khz, max_khz },
			.initial_khz = { platform->uncore_min_khz, max_khz },
			.elc_floor = (uint8_t)(platform->uncore_min_khz / KHZ_PER_RATIO)
		};
	}
	for (size_t i = 0; i < platform->n_power_zones; i++)
		state->power[i] = platform->power_zones[i].start;
	for (size_t i = 0; platform->msrs && i < platform->n_packages; i++)
		state->packages[i] = platform->msrs[i];
	for (size_t i = 0; i < platform->n_cpus; i++)
		state->cpus[i] = cpu;
	cpuset_foreach (offline, &platform->offline)
		state->cpus[offline].online = 0;
	*state->header = (struct state_header){
		.magic = STATE_MAGIC,
		.version = SIM_STATE_VERSION,
		.digest = platform->digest,
	};
	*state->machine = (struct sim_machine_state){
		.is_passive = platform->has_cpufreq &&
			      strcmp(platform->cpufreq.driver, SIM_PASSIVE_DRIVER) == 0,
		.no_turbo = platform->has_cpufreq && platform->cpufreq.no_turbo,
		.max_percent = 100,
		.c1_demotion = platform->c1_demotion,
		.umwait_c02 = platform->umwait_c02,
		.umwait_max_time = platform->umwait_max_time,
	};
	sysfs_take_highest(state);
	if (platform->recording)
		sysfs_take_recorded(state);
	return make_boot_id(state->machine->boot_id, sizeof(state->machine->boot_id));
}

/* Makes the state of a recorded machine at its start. Its directory has only control groups. */
static int make_start(struct sim_state *state)
{
	struct sim_state *start = state->start = calloc(1, sizeof(*start));
	int err;

	if (!start)
		return -ENOMEM;
	*start = (struct sim_state){ .platform = state->platform, .directory_fd = -1, .fd = -1 };
	lay_out(start); /* for the size */
	start->data = calloc(1, start->size);
	start->directory = text_format("%s/" STATE_START_NAME, state->directory);
	lay_out(start);
	err = start->data && start->directory ? init_data(start) : -ENOMEM;
	if (!err)
		memcpy(start->machine->boot_id, state->machine->boot_id,
		       sizeof(start->machine->boot_id));
	return err;
}

/* Marks the file, so that processes that have it open read the state again. It stays valid. */
static int mark_replaced(int fd)
{
	const uint64_t is_replaced = 1;
	ssize_t length = pwrite(fd, &is_replaced, sizeof(is_replaced),
				offsetof(struct state_header, is_replaced));

	return length < 0 ? -errno : 0;
}

/* Replaces the file by the data; the lock is held. */
static int write_file(struct sim_state *state)
{
	_cleanup_close_ int fd =
		openat(state->directory_fd, STATE_NEW_NAME,
		       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int directory = state->directory_fd, err;

	if (fd < 0)
		return -errno;
	state->header->generation++;
	state->header->size = (uint32_t)used_size(state);
	state->header->checksum = compute_checksum(state);
	err = fileio_write_fd(fd, state->data, state->header->size);
	/* The first writes can find a longer file of another machine; later sizes only grow. */
	if (!err && state->header->generation <= 2 && ftruncate(fd, (off_t)state->header->size) < 0)
		err = -errno;
	if (!err && state->fd >= 0)
		err = mark_replaced(state->fd);
	/* The exchange fails without an old file, and on some file systems. */
	if (!err &&
	    renameat2(directory, STATE_NEW_NAME, directory, STATE_NAME, RENAME_EXCHANGE) < 0 &&
	    renameat(directory, STATE_NEW_NAME, directory, STATE_NAME) < 0)
		err = -errno;
	if (err) {
		unlinkat(state->directory_fd, STATE_NEW_NAME, 0);
		return err;
	}
	cleanup_close(&state->fd);
	state->fd = steal_fd(&fd);
	memcpy(state->saved, state->data, state->size);
	return 0;
}

/* Copies the bytes of the file to the data. Returns what is wrong with them, or NULL. */
static const char *take_bytes(struct sim_state *state, const char *bytes, size_t length)
{
	struct state_header header = { .version = 0 };

	memcpy(&header, bytes, length < sizeof(header) ? length : sizeof(header));
	if (length >= sizeof(header.magic) &&
	    memcmp(header.magic, STATE_MAGIC, sizeof(header.magic)) != 0)
		return "is not the state of a simulated machine" TRY_RESET;
	if (length < sizeof(header))
		return "is truncated" TRY_RESET;
	if (header.version != SIM_STATE_VERSION)
		return "was made by another version of this program" TRY_RESET;
	if (header.digest != state->platform->digest)
		return "was made for another platform file; use --simulate-reset to start again, or "
		       "name another directory with --simulate-state";
	if (length < header.size)
		return "is truncated" TRY_RESET;
	if (length != header.size || (length != state->size && length != state->settings_size))
		return "is damaged" TRY_RESET;
	memcpy(state->data, bytes, length);
	memset((char *)state->data + length, 0, state->size - length);
	state->header->is_replaced = 0;
	return header.checksum == compute_checksum(state) ? NULL : "is damaged" TRY_RESET;
}

static int refuse_file(const struct sim_state *state, int err, const char *problem,
		       char **ret_message)
{
	return state_complain(ret_message, err, state->directory, STATE_NAME, problem);
}

/* Reads the file into the data. Refuses a file that another user can write. The lock is held.
 * Returns -ENOENT without a message if there is no file. */
static int read_file(struct sim_state *state, char **ret_message)
{
	_cleanup_close_ int fd = openat(state->directory_fd, STATE_NAME,
					O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *bytes = NULL;
	const char *problem;
	struct stat status;
	size_t length;
	int err;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && errno == ELOOP)
		return refuse_file(state, -EPERM, "is a link", ret_message);
	if (fd < 0 || fstat(fd, &status) < 0)
		return refuse_file(state, -errno, NULL, ret_message);
	if (!S_ISREG(status.st_mode))
		return refuse_file(state, -EINVAL, "is not a regular file" TRY_RESET, ret_message);
	if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))
		return refuse_file(state, -EPERM,
				   "belongs to another user or may be written by other users",
				   ret_message);
	err = fileio_read_whole(fd, MAX_FILE_BYTES, &bytes, &length);
	if (err)
		return refuse_file(state, err, NULL, ret_message);
	problem = take_bytes(state, bytes, length);
	if (problem)
		return refuse_file(state, -EINVAL, problem, ret_message);
	cleanup_close(&state->fd);
	state->fd = steal_fd(&fd);
	memcpy(state->saved, state->data, state->size);
	return 0;
}

/* Writes the recorded map of offline CPUs to the run directory. */
static int make_cpu_map(const struct sim_state *state)
{
	const char *text = recording_about(state->platform->recording)->cpu_map;
	_cleanup_free_ char *directory = text_format("%s/run", state->directory);
	_cleanup_free_ char *path = text_format("%s/run/cpu-map.json", state->directory);

	if (!text)
		return 0;
	if (!directory || !path)
		return -ENOMEM;
	return fileio_make_directories(directory, 0755)
		       ?: fileio_replace(path, 0644, text, strlen(text));
}

/* Reads the file, or makes it; the lock is held. */
static int open_locked(struct sim_state *state, bool reset, char **ret_message)
{
	int err = 0;

	if (reset) {
		_cleanup_close_ int fd = openat(state->directory_fd, STATE_NAME,
						O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0)
			mark_replaced(fd);
		err = state_directory_empty(state->directory_fd);
	}
	if (err)
		return state_complain(ret_message, err, state->directory, NULL, NULL);
	err = read_file(state, ret_message);
	if (err != -ENOENT)
		return err;
	err = init_data(state) ?: write_file(state) ?: make_cpu_map(state);
	return err ? refuse_file(state, err, NULL, ret_message) : 0;
}

static int lock_directory(const struct sim_state *state)
{
	while (flock(state->directory_fd, LOCK_EX) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int state_open(const struct sim_platform *platform, const char *directory, bool reset,
	       struct sim_state **ret_state, char **ret_message)
{
	struct sim_state *state = calloc(1, sizeof(*state));
	int err = -ENOMEM;

	if (!state)
		return -ENOMEM;
	*state = (struct sim_state){ .platform = platform, .directory_fd = -1, .fd = -1 };
	lay_out(state); /* for the size */
	state->data = calloc(1, state->size);
	state->saved = calloc(1, state->size);
	lay_out(state);
	if (state->data && state->saved)
		err = state_directory_open(directory, &state->directory, &state->directory_fd,
					   ret_message);
	if (!err)
		err = lock_directory(state);
	if (!err) {
		err = open_locked(state, reset, ret_message);
		state_unlock(state);
	}
	if (!err && platform->recording)
		err = make_start(state);
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
	state_close(state->start);
	cleanup_close(&state->fd);
	cleanup_close(&state->directory_fd);
	free(state->data);
	free(state->saved);
	free(state->directory);
	free(state);
}

/* Returns true if another process has written the state since this process read it. */
static bool is_replaced(const struct sim_state *state)
{
	struct state_header header;

	return pread(state->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	       header.is_replaced || header.generation != state->header->generation;
}

int state_lock(struct sim_state *state)
{
	_cleanup_free_ char *message = NULL;
	int err;

	if (state->directory_fd < 0)
		return 0;
	err = lock_directory(state);
	if (err || !is_replaced(state))
		return err;
	err = read_file(state, &message);
	if (err == -ENOENT) /* the file was removed, not replaced */
		return 0;
	if (err) {
		memcpy(state->data, state->saved, state->size);
		state_unlock(state);
	}
	return err;
}

void state_unlock(struct sim_state *state)
{
	flock(state->directory_fd, LOCK_UN);
}

int state_commit(struct sim_state *state)
{
	int err = 0;

	if (state->directory_fd < 0)
		return 0;
	if (memcmp(state->data, state->saved, state->size) != 0) {
		sysfs_follow_highest(state);
		err = write_file(state);
	}
	if (err)
		memcpy(state->data, state->saved, state->size);
	state_unlock(state);
	return err;
}

int state_end_request(struct sim_state *state, bool only_reads, int err)
{
	if (!only_reads)
		return state_commit(state) ?: err;
	state_unlock(state);
	return err;
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

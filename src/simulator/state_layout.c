// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state file: a header, then the sections one after the other, each on a boundary that suits
 * every type. The header says for which text of a platform file and which layout it was made.
 */
#include "simulator/state_layout.h"

#include <errno.h>
#include <stdalign.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define STATE_MAGIC   "isstsim\n"
#define STATE_VERSION 3 /* to be raised whenever a structure in the file changes */
#define TRY_RESET     "; start afresh with --simulate-reset"

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t n_domains;
	uint32_t n_packages;
	uint32_t n_cpus;
	uint64_t digest; /* of the platform file's text */
	uint64_t size;
};

static size_t add_section(size_t *size, size_t length)
{
	size_t offset = *size;

	*size += (length + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	return offset;
}

struct state_layout state_layout_compute(const struct sim_platform *platform)
{
	struct state_layout layout;
	size_t size = 0;

	add_section(&size, sizeof(struct state_header));
	layout.machine = add_section(&size, sizeof(struct sim_machine_state));
	layout.punits = add_section(&size, platform->n_domains * sizeof(struct punit_state));
	layout.packages = add_section(&size, platform->n_packages * sizeof(struct punit_package));
	layout.cpus = add_section(&size, platform->n_cpus * sizeof(struct sim_cpu_state));
	layout.uncore = add_section(&size, platform->n_domains * sizeof(struct sim_uncore_state));
	layout.fault_counts = add_section(&size, SIM_MAX_FAULTS * sizeof(uint32_t));
	layout.size = size;
	return layout;
}

void state_layout_apply(const struct state_layout *layout, struct sim_state *state)
{
	char *map = state->map;

	state->machine = (void *)(map + layout->machine);
	state->punits = (void *)(map + layout->punits);
	state->packages = (void *)(map + layout->packages);
	state->cpus = (void *)(map + layout->cpus);
	state->uncore = (void *)(map + layout->uncore);
	state->fault_counts = (void *)(map + layout->fault_counts);
}

static struct state_header make_header(const struct sim_platform *platform)
{
	struct state_header header = {
		.version = STATE_VERSION,
		.n_domains = (uint32_t)platform->n_domains,
		.n_packages = (uint32_t)platform->n_packages,
		.n_cpus = (uint32_t)platform->n_cpus,
		.digest = platform->digest,
		.size = state_layout_compute(platform).size,
	};

	memcpy(header.magic, STATE_MAGIC, sizeof(header.magic));
	return header;
}

void state_layout_write_header(const struct sim_platform *platform, void *map)
{
	*(struct state_header *)map = make_header(platform);
}

/* What is wrong with a header, or NULL. */
static const char *judge_header(const struct sim_platform *platform,
				const struct state_header *header, uint64_t file_size)
{
	const struct state_header wanted = make_header(platform);

	if (memcmp(header->magic, wanted.magic, sizeof(wanted.magic)) != 0)
		return "is no state of a simulated machine" TRY_RESET;
	if (header->version != wanted.version)
		return "was made by another version of this program" TRY_RESET;
	if (header->digest != wanted.digest)
		return "was made for another platform file; start afresh with --simulate-reset or "
		       "name another directory with --simulate-state";
	if (file_size < header->size)
		return "is truncated" TRY_RESET;
	if (header->size != wanted.size || file_size != wanted.size ||
	    header->n_domains != wanted.n_domains || header->n_packages != wanted.n_packages ||
	    header->n_cpus != wanted.n_cpus)
		return "is damaged" TRY_RESET;
	return NULL;
}

int state_layout_check_file(const struct sim_platform *platform, int fd, const char **ret_problem)
{
	struct state_header header;
	struct stat status;
	ssize_t got;

	if (fstat(fd, &status) < 0 || (got = pread(fd, &header, sizeof(header), 0)) < 0) {
		int err = -errno;

		*ret_problem = strerror(-err);
		return err;
	}
	if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    status.st_mode & (S_IWGRP | S_IWOTH)) {
		*ret_problem = "belongs to another user or may be written by other users";
		return -EPERM;
	}
	if ((size_t)got < sizeof(header)) {
		*ret_problem = "is truncated" TRY_RESET;
		return -EINVAL;
	}
	*ret_problem = judge_header(platform, &header, (uint64_t)status.st_size);
	return *ret_problem ? -EINVAL : 0;
}

static size_t count_names(char *const *names)
{
	size_t count = 0;

	while (names && names[count])
		count++;
	return count;
}

static bool is_sound_punit(const struct sim_domain *domain, const struct punit_state *punit)
{
	if (domain->has_sst && !punit_find_level(&domain->fuses, punit->current_level))
		return false;
	for (size_t i = 0; i < PUNIT_MAX_CORES; i++) {
		if (punit->association[i] >= PUNIT_CLOS_COUNT)
			return false;
	}
	return punit->base_freq_on <= 1 && punit->turbo_freq_on <= 1 && punit->cp_enabled <= 1 &&
	       punit->clos_enabled <= 1 && punit->clos_ordered <= 1;
}

static bool is_sound(const struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;
	size_t n_governors = count_names(platform->cpufreq.governors);
	size_t n_epps = count_names(platform->cpufreq.epps);

	for (size_t i = 0; i < platform->n_domains; i++) {
		if (!is_sound_punit(&platform->domains[i], &state->punits[i]))
			return false;
	}
	for (size_t i = 0; i < platform->n_cpus; i++) {
		const struct sim_cpu_state *cpu = &state->cpus[i];

		if (cpu->online > 1)
			return false;
		if (platform->has_cpufreq &&
		    (cpu->governor >= n_governors || cpu->epp >= SIM_EPP_NAMED + n_epps))
			return false;
	}
	return memchr(state->machine->boot_id, '\0', sizeof(state->machine->boot_id)) != NULL;
}

int state_layout_check_content(struct sim_state *state, const char **ret_problem)
{
	int err = state_lock(state);

	if (err) {
		*ret_problem = strerror(-err);
		return err;
	}
	if (!is_sound(state)) {
		*ret_problem = "is damaged" TRY_RESET;
		err = -EINVAL;
	}
	state_unlock(state);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Translates a platform file for the kernel module of the virtual machine: the simulator's own
 * reader makes of it what both of them run on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "module/blob.h"
#include "simulator/platform_file.h"

#define MAX_FILE (16 << 20)

static int write_header(const struct sim_platform *platform, FILE *out)
{
	struct lab_blob blob = {
		.magic = LAB_BLOB_MAGIC,
		.size = (uint32_t)(sizeof(blob) + platform->n_domains * sizeof(struct lab_domain) +
				   platform->n_cpus * sizeof(struct lab_cpu)),
		.interface = platform->interface,
		.model = platform->cpu.model,
		.api_version = platform->api_version,
		.n_packages = (uint32_t)platform->n_packages,
		.n_domains = (uint32_t)platform->n_domains,
		.n_cpus = (uint32_t)platform->n_cpus,
		.min_khz = platform->cpufreq.min_khz,
		.max_khz = platform->cpufreq.max_khz,
		.base_khz = platform->cpufreq.base_khz,
		.high_priority_base_khz = platform->cpufreq.high_priority_base_khz,
		.no_turbo = platform->cpufreq.no_turbo,
		.uncore_min_khz = platform->uncore_min_khz,
		.uncore_max_khz = platform->uncore_max_khz,
		.uncore_io_max_khz = platform->uncore_io_max_khz ?: platform->uncore_max_khz,
		.uncore_is_tpmi = platform->uncore == SIM_UNCORE_TPMI,
	};

	if (platform->msrs)
		blob.msrs = platform->msrs[0];
	snprintf(blob.cpufreq_driver, sizeof(blob.cpufreq_driver), "%s",
		 platform->cpufreq.driver ? platform->cpufreq.driver : "none");
	return fwrite(&blob, sizeof(blob), 1, out) == 1 ? 0 : -EIO;
}

static int write_domains(const struct sim_platform *platform, FILE *out)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *from = &platform->domains[i];
		struct lab_domain domain = {
			.package = from->package,
			.punit = from->punit,
			.partition = from->partition,
			.has_sst = from->has_sst,
			.has_cpus = !cpuset_is_empty(&from->cpus),
			.fuses = from->fuses,
			.initial = from->initial,
		};

		if (fwrite(&domain, sizeof(domain), 1, out) != 1)
			return -EIO;
	}
	return 0;
}

static int write_cpus(const struct sim_platform *platform, FILE *out)
{
	for (size_t i = 0; i < platform->n_cpus; i++) {
		const struct sim_cpu *from = &platform->cpus[i];
		struct lab_cpu cpu = {
			.package = from->package,
			.domain = from->domain,
			.physical_cpu = from->physical_cpu,
			.high_priority =
				cpuset_has(&platform->cpufreq.high_priority_cpus, (uint32_t)i),
		};

		if (fwrite(&cpu, sizeof(cpu), 1, out) != 1)
			return -EIO;
	}
	return 0;
}

static int write_blob(const struct sim_platform *platform, const char *path)
{
	FILE *out = fopen(path, "wbe");
	int err;

	if (!out)
		return -errno;
	err = write_header(platform, out);
	if (!err)
		err = write_domains(platform, out);
	if (!err)
		err = write_cpus(platform, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

int main(int argc, char **argv)
{
	struct sim_platform *platform = NULL;
	char *text = NULL, *message = NULL;
	size_t length;
	int err;

	if (argc != 3) {
		fputs("write_blob PLATFORM-FILE BLOB\n", stderr);
		return 2;
	}
	err = fileio_read(argv[1], MAX_FILE, &text, &length);
	if (!err)
		err = platform_file_parse(argv[1], text, length, &platform, &message);
	if (!err)
		err = write_blob(platform, argv[2]);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], message ? message : strerror(-err));
	platform_file_free(platform);
	free(message);
	free(text);
	return err ? 1 : 0;
}

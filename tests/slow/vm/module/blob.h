/* SPDX-License-Identifier: GPL-2.0-only */
/* A platform file in the form in which the module takes it: these structures one after the other,
 * written by ../write_blob.c for the same compiler's layout on the same architecture. */
#ifndef LAB_BLOB_H
#define LAB_BLOB_H

#include "simulator/punit.h"

#define LAB_BLOB_MAGIC 0x4c534953 /* "SISL" */

enum lab_interface { LAB_NO_INTERFACE, LAB_MAILBOX, LAB_TPMI };

struct lab_blob {
	uint32_t magic;
	uint32_t size; /* of everything, in bytes */
	uint32_t interface;
	uint32_t model; /* of the CPU */
	uint32_t api_version;
	uint32_t n_packages;
	uint32_t n_domains;
	uint32_t n_cpus;
	struct punit_package msrs; /* of every package, at start */
	uint32_t min_khz;
	uint32_t max_khz;
	uint32_t base_khz;
	uint32_t high_priority_base_khz; /* 0: none */
	uint32_t no_turbo;
	uint32_t uncore_min_khz; /* 0: no uncore */
	uint32_t uncore_max_khz;
	uint32_t uncore_io_max_khz; /* of domains without CPUs */
	uint32_t uncore_is_tpmi;
	char cpufreq_driver[16];
	/* then n_domains of struct lab_domain, then n_cpus of struct lab_cpu */
};

struct lab_domain {
	uint32_t package;
	uint32_t punit;
	uint32_t partition; /* which TPMI device of the package has its registers */
	uint32_t has_sst;
	uint32_t has_cpus;
	struct punit_fuses fuses;
	struct punit_state initial;
};

struct lab_cpu {
	uint32_t package;
	uint32_t domain; /* index */
	uint32_t physical_cpu; /* for MSR 0x53 and 0x54 */
	uint32_t high_priority;
};

#endif

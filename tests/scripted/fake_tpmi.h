/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake machine whose driver is of API version 2 or 3: it answers from tables that tests may
 * change, takes what is set, records each request, and checks that what a request does not fill in
 * is zero. Its errors are all ENOTTY, as the real ones (hardware.md, section 4). */
#ifndef SCRIPTED_FAKE_TPMI_H
#define SCRIPTED_FAKE_TPMI_H

#include "fake_machine.h"

#define FAKE_TPMI_DOMAINS 10
#define FAKE_TPMI_CORES   64

struct fake_tpmi_shape {
	uint32_t packages;
	uint32_t cores; /* of a compute domain; two CPUs each */
	uint32_t cores_of_module; /* 0 or 1: a PUNIT core is one; 2: it is a module of four CPUs */
	unsigned int api_version; /* 0: 3 */
	bool one_die; /* sysfs shows one die a package, whatever its domains */
	uint32_t n_compute;
	uint32_t n_io;
	uint32_t ids[FAKE_TPMI_DOMAINS]; /* of a package: compute domains, then IO dies */
};

struct fake_tpmi_domain {
	uint32_t package;
	uint32_t id;
	struct isst_perf_level_info levels;
	struct isst_core_power state;
	struct isst_clos_param clos[ISST_CLOS_COUNT];
	uint16_t assoc[FAKE_TPMI_CORES];
	uint64_t core_mask; /* of every level */
	uint64_t high_mask; /* of SST-BF */
};

/* A request, or an entry of CLOS_ASSOC. */
struct fake_tpmi_record {
	uint32_t request;
	uint32_t package;
	uint32_t id;
	uint32_t detail; /* the level, the CLOS, the core */
	bool sets;
};

/* Requests of that number fail, from the first-th one (counted from 1) to the last-th. */
struct fake_tpmi_fault {
	uint32_t request;
	bool sets; /* only setting requests match and are counted */
	size_t first;
	size_t last;
	size_t again; /* and this one; 0: none */
	bool takes_effect; /* all the same */
	bool is_lost; /* the driver reports success, but nothing changes */
	size_t n_seen;
};

struct fake_tpmi {
	struct fake_machine machine; /* first: program_run() takes it */
	struct fake_tpmi_shape shape;
	struct fake_tpmi_domain *domains; /* all of them, package by package */
	size_t n_domains;
	uint32_t unserved; /* bit per package that the driver has no instance for */
	bool has_fabrics; /* the driver knows GET_PERF_LEVEL_FABRIC_INFO */
	size_t slow_reads; /* this many reads return the old state of features and SST-CP */
	size_t n_slow;
	uint8_t allowed_levels;
	uint64_t limits[4]; /* MSR 0x1AD, by package */
	struct fake_tpmi_fault fault;
	struct fake_tpmi_record *records;
	size_t n_records;
	size_t n_assoc_requests;
};

/* Two levels, 0 and 1, both allowed, 0 current; SST-BF at both, SST-TF at level 1; SST-PP of
 * revision 1; SST-CP off. All CLOS and all cores have equal values. */
void fake_tpmi_init(struct fake_tpmi *tpmi, const struct fake_tpmi_shape *shape);
void fake_tpmi_done(struct fake_tpmi *tpmi);

/* The domain of that package and id. */
struct fake_tpmi_domain *fake_tpmi_domain(struct fake_tpmi *tpmi, uint32_t package, uint32_t id);

/* Requests of that number that were recorded, all or those that set; entries of CLOS_ASSOC. */
size_t fake_tpmi_count(const struct fake_tpmi *tpmi, uint32_t request, bool only_setting);

/* Fails the test if a request was recorded twice. */
void fake_tpmi_assert_once(const struct fake_tpmi *tpmi);

/* Forgets what was recorded. */
void fake_tpmi_forget(struct fake_tpmi *tpmi);

#endif

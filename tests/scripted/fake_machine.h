/* SPDX-License-Identifier: GPL-2.0-only */
/* A host for tests: any number of packages, with the files that the program reads of them and a
 * driver whose firmware answers by rules. It counts reads and records requests. */
#ifndef SCRIPTED_FAKE_MACHINE_H
#define SCRIPTED_FAKE_MACHINE_H

#include "base/cpuset.h"
#include "host/host.h"
#include "recorder.h"

/* Two threads a core; all first threads come first, in the order of packages, dies and cores. */
struct fake_shape {
	uint32_t packages;
	uint32_t dies; /* of a package */
	uint32_t cores; /* of a die */
	const uint32_t *core_ids; /* of a die's cores; NULL: 0, 1... */
	uint32_t model; /* of family 6 */
	uint32_t stepping;
	const char *vendor; /* NULL: Intel's */
	const char *model_name; /* NULL: some Xeon's */
};

/* How the firmware answers an entry. What is left out holds for all. */
struct fake_rule {
	uint32_t request; /* ISST_* */
	uint32_t package; /* 1 is package 0; 0 means all */
	uint16_t command;
	uint16_t sub_command;
	uint32_t place; /* where place_mask has ones */
	uint32_t place_mask;
	uint32_t data; /* where data_mask has ones */
	uint32_t data_mask;
	int error;
	uint64_t answer; /* where error is 0 */
};

#define FAKE_PACKAGE(id) (1U + (id))

struct fake_rules {
	const struct fake_rule *rules;
	size_t count;
};

struct fake_file;

struct fake_machine {
	struct host host;
	struct files files;
	struct fake_shape shape;
	struct cpuset online; /* all of them; tests take CPUs out */
	struct isst_if_platform_info info; /* API 1, 64 entries a request */
	int open_error; /* of the device, or 0 */
	bool lacks_capability;
	struct fake_rules rules[4]; /* asked from the last to the first */
	size_t n_rules;
	struct fake_file *overrides;
	size_t n_overrides;
	size_t n_reads; /* of files */
	struct record_log log;
};

void fake_machine_init(struct fake_machine *machine, const struct fake_shape *shape);
void fake_machine_done(struct fake_machine *machine);

/* Rules that go before those added earlier. What no rule answers is refused. */
void fake_machine_add_rules(struct fake_machine *machine, const struct fake_rule *rules,
			    size_t count);

/* A file that is there, or (text NULL) fails with a negative errno. Files of one directory are set
 * one after the other: it lists them in that order. */
void fake_machine_set_file(struct fake_machine *machine, const char *path, const char *text,
			   int error);

/* How often such a file was read. */
size_t fake_machine_reads_of(const struct fake_machine *machine, const char *path);

/* Forgets reads and requests. */
void fake_machine_forget(struct fake_machine *machine);

uint32_t fake_machine_cpus(const struct fake_machine *machine);

/* The number of a CPU's domain, counted over the whole machine (a struct fake_machine). */
uint32_t fake_machine_domain(const void *machine, uint32_t cpu);

/* The core id of a CPU, and its thread, as physical_cpu has them. */
uint32_t fake_machine_physical(const struct fake_machine *machine, uint32_t cpu);

/* The driver; it records into the machine's log. */
struct transport *fake_firmware_open(struct fake_machine *machine);

#endif

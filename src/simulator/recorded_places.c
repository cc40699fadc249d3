// SPDX-License-Identifier: GPL-2.0-only
/* Finds the packages, power domains and CPUs of a recorded machine. The location of a CPU that was
 * offline can be unknown; such a CPU gets a free slot of a core. */
#include "simulator/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/number.h"
#include "isst_abi.h"

#define CPUS        "/sys/devices/system/cpu"
#define MAX_CORE_ID UINT16_MAX
#define NO_ID       "-1\n" /* firmware gives no number; 0 is used */
#define SLOTS       8 /* of a core: threads, or places in a module */
#define MAX_PUNITS  32 /* of a package */
#define CORE_STEP   64 /* of core ids, between power domains */
#define TOO_MANY    "the machine has too many packages or power domains"

/* A CPU while its location is found. */
struct place {
	bool is_known; /* its package and die */
	bool has_physical_cpu;
	bool is_online;
	uint32_t package; /* the machine's number */
	uint32_t die;
	const struct sim_domain *domain; /* NULL: unknown */
	uint32_t core;
	uint32_t slot;
};

struct places {
	struct json_reader *reader;
	struct sim_platform *platform;
	const struct recording *recording;
	struct place *cpus;
	uint8_t (*taken)[PUNIT_MAX_CORES]; /* by domain and core: a bit for each slot */
	bool is_tpmi; /* answers of GET_PHY_ID distinguish domains */
};

/* Reads the number in a topology file of a CPU; 0 if the kernel has none. Returns false without the
 * file. */
static bool find_id(const struct places *places, uint32_t cpu, const char *file, uint32_t *ret_id)
{
	const char *text =
		recording_text(places->recording, CPUS "/cpu%" PRIu32 "/topology/%s", cpu, file);
	uint64_t id = 0;

	*ret_id = 0;
	if (text && strcmp(text, NO_ID) != 0 && number_parse_file(text, &id) == 0)
		*ret_id = (uint32_t)id;
	return text;
}

/* Reads the locations of CPUs in the map of the run directory. These CPUs were online before. */
static void read_map(struct places *places)
{
	const char *text = recording_about(places->recording)->cpu_map;
	json_t *map = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(map, "cpus"), i, entry) {
		json_int_t cpu, package, die, physical_cpu;
		struct place *place;

		if (json_unpack((json_t *)(uintptr_t)entry, "[I,I,I,I]", &cpu, &package, &die,
				&physical_cpu) < 0 ||
		    cpu < 0 || (size_t)cpu >= places->platform->n_cpus)
			continue;
		place = &places->cpus[cpu];
		if (place->is_known)
			continue;
		place->is_known = true;
		place->package = (uint32_t)package;
		place->die = (uint32_t)die;
		place->has_physical_cpu = physical_cpu >= 0;
		places->platform->cpus[cpu].physical_cpu = (uint32_t)physical_cpu;
	}
	json_decref(map);
}

/* Reads the known locations of CPUs. */
static void read_places(struct places *places)
{
	const char *online_text = recording_text(places->recording, CPUS "/online");
	struct sim_platform *platform = places->platform;
	_cleanup_cpuset_ struct cpuset online = { 0 };
	struct isst_if_cpu_map map;
	struct request_item item;
	size_t position = 0;

	if (json_lacks_memory(places->reader, cpulist_parse(online_text ?: "", &online) == -ENOMEM))
		return;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		struct place *place = &places->cpus[cpu];

		place->is_online = cpuset_has(&online, cpu);
		place->is_known = find_id(places, cpu, "physical_package_id", &place->package);
		find_id(places, cpu, "die_id", &place->die);
		find_id(places, cpu, "core_id", &platform->cpus[cpu].core_id);
		if (platform->cpus[cpu].core_id > MAX_CORE_ID)
			platform->cpus[cpu].core_id = MAX_CORE_ID;
		if (cpu && !place->is_online)
			json_lacks_memory(places->reader, cpuset_add(&platform->offline, cpu));
	}
	while (recording_next(places->recording, &position, &item)) {
		memcpy(&map, item.bytes, sizeof(map));
		if (item.request != ISST_IF_GET_PHY_ID || item.error ||
		    map.logical_cpu >= platform->n_cpus)
			continue;
		places->cpus[map.logical_cpu].has_physical_cpu = true;
		platform->cpus[map.logical_cpu].physical_cpu = map.physical_cpu;
	}
	read_map(places);
}

/* Power domains. */

/* Returns the power-domain id in the physical id of a CPU. */
static uint32_t punit_of(const struct places *places, uint32_t cpu)
{
	return places->platform->cpus[cpu].physical_cpu >> 11 & (MAX_PUNITS - 1);
}

/* Returns true if the location of a CPU is known. A TPMI part needs the power-domain id for it. */
static bool has_place(const struct places *places, uint32_t cpu)
{
	const struct place *place = &places->cpus[cpu];

	return place->is_known && (place->has_physical_cpu || !places->is_tpmi);
}

/* Returns what distinguishes the domains of a package: on TPMI parts the id, else the die. */
static uint32_t number_of(const struct places *places, uint32_t cpu)
{
	return places->is_tpmi ? punit_of(places, cpu) : places->cpus[cpu].die;
}

/* Returns the domain with this number in a package of the machine, or NULL. */
static struct sim_domain *find_domain(const struct places *places, uint32_t package,
				      uint32_t number)
{
	struct sim_platform *platform = places->platform;

	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];

		if (domain->socket == package &&
		    (places->is_tpmi ? domain->punit : domain->die) == number)
			return domain;
	}
	return NULL;
}

static struct sim_domain *add_domain(const struct places *places, uint32_t package, uint32_t die,
				     uint32_t punit)
{
	struct sim_platform *platform = places->platform;
	struct sim_domain *domain;

	if (platform->n_domains == SIM_MAX_PACKAGES * SIM_MAX_DOMAINS) {
		json_refuse(places->reader, NULL, TOO_MANY);
		return NULL;
	}
	domain = array_add(&platform->domains, &platform->n_domains, sizeof(*domain));
	if (json_lacks_memory(places->reader, !domain))
		return NULL;
	domain->socket = package;
	domain->die = die;
	domain->punit = punit;
	domain->has_sst = platform->interface == SIM_INTERFACE_MAILBOX;
	return domain;
}

/* Adds the domains without CPUs that the driver serves, with the die of the package's first CPU. */
static void add_served(const struct places *places)
{
	struct isst_tpmi_instance_count instances;
	struct request_item item;
	size_t position = 0;

	while (recording_next(places->recording, &position, &item)) {
		uint32_t cpu = 0;

		memcpy(&instances, item.bytes, sizeof(instances));
		if (item.request != ISST_IF_COUNT_TPMI_INSTANCES || item.error)
			continue;
		while (cpu < places->platform->n_cpus &&
		       (!has_place(places, cpu) ||
			places->cpus[cpu].package != instances.socket_id))
			cpu++;
		if (cpu == places->platform->n_cpus)
			continue;
		for (uint32_t punit = 0; punit < 16; punit++) {
			struct sim_domain *domain = find_domain(places, instances.socket_id, punit);

			if (!(instances.valid_mask >> punit & 1))
				continue;
			if (!domain)
				domain = add_domain(places, instances.socket_id,
						    places->cpus[cpu].die, punit);
			if (domain)
				domain->has_sst = true;
		}
	}
}

static int compare_domains(const void *left_pointer, const void *right_pointer)
{
	const struct sim_domain *left = left_pointer, *right = right_pointer;
	int order = number_compare(left->socket, right->socket);

	order = order ?: number_compare(left->punit, right->punit);
	return order ?: number_compare(left->die, right->die);
}

/* Lists the domains package by package, and numbers packages and domains without gaps. */
static void make_domains(const struct places *places)
{
	struct sim_platform *platform = places->platform;

	for (uint32_t cpu = 0; cpu < platform->n_cpus && !places->reader->err; cpu++) {
		const struct place *place = &places->cpus[cpu];

		if (has_place(places, cpu) &&
		    !find_domain(places, place->package, number_of(places, cpu)))
			add_domain(places, place->package, place->die,
				   places->is_tpmi ? punit_of(places, cpu) : 0);
	}
	if (places->is_tpmi)
		add_served(places);
	if (platform->n_domains)
		qsort(platform->domains, platform->n_domains, sizeof(*platform->domains),
		      compare_domains);
	for (size_t i = 0; i < platform->n_domains; i++) {
		struct sim_domain *domain = &platform->domains[i];
		bool is_first = i == 0 || domain[-1].socket != domain->socket;

		platform->n_packages += is_first;
		domain->package = (uint32_t)platform->n_packages - 1;
		domain->index = is_first ? 0 : domain[-1].index + 1;
		if (!places->is_tpmi)
			domain->punit = domain->index;
		if (domain->index >= SIM_MAX_DOMAINS || platform->n_packages > SIM_MAX_PACKAGES)
			json_refuse(places->reader, NULL, TOO_MANY);
	}
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (has_place(places, cpu))
			places->cpus[cpu].domain = find_domain(places, places->cpus[cpu].package,
							       number_of(places, cpu));
	}
	if (!platform->n_domains)
		json_refuse(places->reader, "files", "no CPU has a package");
}

/* CPUs. */

/* Puts a CPU into a domain. The core and slot of the CPU are known. */
static void take_place(struct places *places, uint32_t cpu, size_t index)
{
	struct sim_domain *domain = &places->platform->domains[index];
	struct sim_cpu *about = &places->platform->cpus[cpu];
	const struct place *place = &places->cpus[cpu];
	unsigned int slot_bits = places->platform->interface == SIM_INTERFACE_MAILBOX ? 1 : 3;

	places->taken[index][place->core] |= (uint8_t)(1U << place->slot);
	about->domain = (uint32_t)index;
	about->package = domain->package;
	if (!place->has_physical_cpu)
		about->physical_cpu = (domain->punit << 8 | place->core) << slot_bits | place->slot;
	json_lacks_memory(places->reader, cpuset_add(&domain->cores, place->core) ||
						  cpuset_add(&domain->cpus, cpu));
}

/* Returns the PUNIT core of a CPU; if unknown, the rank of the CPU's core id in the domain. */
static uint32_t find_core(const struct places *places, uint32_t cpu, const struct cpuset *core_ids)
{
	const struct sim_cpu *about = &places->platform->cpus[cpu];
	uint32_t rank = 0;

	if (places->cpus[cpu].has_physical_cpu)
		return platform_file_core(places->platform, cpu);
	cpuset_foreach (id, core_ids)
		rank += id < about->core_id;
	return rank < PUNIT_MAX_CORES ? rank : PUNIT_MAX_CORES - 1;
}

/* Puts the known CPUs of a domain into cores. Returns the most CPUs that share a core. */
static uint32_t place_domain(struct places *places, size_t index)
{
	struct sim_platform *platform = places->platform;
	const struct sim_domain *domain = &platform->domains[index];
	_cleanup_cpuset_ struct cpuset core_ids = { 0 };
	uint32_t counts[PUNIT_MAX_CORES] = { 0 }, most = 0;

	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (places->cpus[cpu].domain == domain)
			json_lacks_memory(places->reader,
					  cpuset_add(&core_ids, platform->cpus[cpu].core_id));
	}
	for (uint32_t cpu = 0; cpu < platform->n_cpus && !places->reader->err; cpu++) {
		struct place *place = &places->cpus[cpu];

		if (place->domain != domain)
			continue;
		place->core = find_core(places, cpu, &core_ids);
		place->slot = counts[place->core]++ % SLOTS;
		most = counts[place->core] > most ? counts[place->core] : most;
		take_place(places, cpu, index);
	}
	return most;
}

/* Returns true if CPUs of a PUNIT core are threads for Linux. In a module the CPUs are cores. */
static bool are_threads(const struct places *places)
{
	for (uint32_t cpu = 0; cpu < places->platform->n_cpus; cpu++) {
		const char *siblings =
			recording_text(places->recording,
				       CPUS "/cpu%" PRIu32 "/topology/thread_siblings_list", cpu);

		if (places->cpus[cpu].is_online)
			return !siblings || strpbrk(siblings, ",-");
	}
	return true;
}

/* Finds threads and modules from the most CPUs of a core. While SMT is off, second threads are
 * offline. */
static void find_threads(const struct places *places, uint32_t most)
{
	struct sim_platform *platform = places->platform;
	const char *control = recording_text(places->recording, CPUS "/smt/control");
	int word = control ? platform_file_find_word(sim_smt_words, control, strcspn(control, "\n"))
			   : -1;
	uint32_t smt = word < 0 ? SIM_SMT_ON : (uint32_t)word;

	platform->threads_per_core =
		most > 1 || smt == SIM_SMT_OFF || smt == SIM_SMT_FORCEOFF ? 2 : 1;
	platform->cores_per_module = 1;
	if (most > 1 && platform->interface != SIM_INTERFACE_MAILBOX && !are_threads(places)) {
		platform->threads_per_core = 1;
		platform->cores_per_module = most < SLOTS ? most : SLOTS;
	}
	platform->smt = platform->threads_per_core > 1 ? smt : SIM_SMT_NOTSUPPORTED;
}

/* Others. */

/* Returns true if the two threads of a core have consecutive numbers. While SMT is off, only first
 * threads are online; then their numbers are even. */
static bool are_paired(const struct places *places)
{
	bool are_even = true;

	for (uint32_t cpu = 0; cpu < places->platform->n_cpus; cpu++) {
		const struct place *place = &places->cpus[cpu];

		if (!place->is_online || !place->domain)
			continue;
		if (place->slot == 1 && cpu > 0)
			return place[-1].domain == place->domain && place[-1].core == place->core;
		are_even = are_even && cpu % 2 == 0;
	}
	return are_even;
}

/* Finds a core where the slot is free, and puts the CPU there. */
static bool place_at_slot(struct places *places, uint32_t cpu, uint32_t slot)
{
	struct sim_platform *platform = places->platform;
	struct place *place = &places->cpus[cpu];

	for (size_t i = 0; i < platform->n_domains; i++) {
		cpuset_foreach (core, &platform->domains[i].cores) {
			if (places->taken[i][core] >> slot & 1)
				continue;
			*place = (struct place){ .core = core, .slot = slot };
			platform->cpus[cpu].core_id = core + CORE_STEP * platform->domains[i].punit;
			take_place(places, cpu, i);
			return true;
		}
	}
	return false;
}

/* Puts a CPU into a free slot, as first or second thread according to its number. */
static bool place_free(struct places *places, uint32_t cpu, bool is_paired)
{
	const struct sim_platform *platform = places->platform;

	if (platform->threads_per_core > 1)
		return place_at_slot(places, cpu,
				     is_paired ? cpu % 2 : cpu >= platform->n_cpus / 2);
	for (uint32_t slot = 0; slot < platform->cores_per_module; slot++) {
		if (place_at_slot(places, cpu, slot))
			return true;
	}
	return false;
}

/* Adds a copy of the first package. */
static void add_package(struct places *places)
{
	struct sim_platform *platform = places->platform;
	uint32_t socket = platform->domains[platform->n_domains - 1].socket + 1;
	size_t n_first = 0, n_before = platform->n_domains;
	void *taken;

	while (n_first < n_before && platform->domains[n_first].package == 0)
		n_first++;
	if (platform->n_packages == SIM_MAX_PACKAGES) {
		json_refuse(places->reader, NULL, "some present CPUs have no topology");
		return;
	}
	taken = realloc(places->taken, (n_before + n_first) * sizeof(*places->taken));
	if (json_lacks_memory(places->reader, !taken))
		return;
	places->taken = taken;
	memset(places->taken[n_before], 0, n_first * sizeof(*places->taken));
	for (size_t i = 0; i < n_first && !places->reader->err; i++) {
		struct sim_domain *domain = add_domain(places, socket, 0, 0);

		if (!domain)
			return;
		*domain = platform->domains[i];
		domain->package = (uint32_t)platform->n_packages;
		domain->socket = socket;
		domain->cpus = domain->cores = (struct cpuset){ 0 };
		json_lacks_memory(places->reader,
				  cpuset_copy(&domain->cores, &platform->domains[i].cores));
	}
	platform->msrs[platform->n_packages++] = platform->msrs[0];
}

/* Gives locations to unknown CPUs, and to numbers that no CPU has, in ascending order. */
static void place_others(struct places *places)
{
	bool is_paired = are_paired(places);

	for (uint32_t cpu = 0; cpu < places->platform->n_cpus && !places->reader->err; cpu++) {
		if (has_place(places, cpu) || place_free(places, cpu, is_paired))
			continue;
		add_package(places);
		if (!places->reader->err && !place_free(places, cpu, is_paired))
			json_refuse(places->reader, NULL, "CPU %" PRIu32 " has no place", cpu);
	}
}

static void find_places(struct places *places)
{
	struct sim_platform *platform = places->platform;
	uint32_t most = 1;

	read_places(places);
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++)
		places->is_tpmi |= platform->interface == SIM_INTERFACE_TPMI &&
				   places->cpus[cpu].has_physical_cpu;
	make_domains(places);
	if (places->reader->err)
		return;
	places->taken = calloc(platform->n_domains, sizeof(*places->taken));
	if (json_lacks_memory(places->reader, !places->taken))
		return;
	for (size_t i = 0; i < platform->n_domains && !places->reader->err; i++) {
		uint32_t of_domain = place_domain(places, i);

		most = of_domain > most ? of_domain : most;
	}
	find_threads(places, most);
	recording_place(places->reader, platform);
	recorded_fill_sst(places->reader, platform);
	place_others(places);
}

static uint32_t find_first(const struct sim_cpu *cpus, uint32_t cpu)
{
	uint32_t first = 0;

	while (cpus[first].package != cpus[cpu].package || cpus[first].core_id != cpus[cpu].core_id)
		first++;
	return first;
}

void recorded_find_places(struct json_reader *reader, struct sim_platform *platform)
{
	struct places places = {
		.reader = reader,
		.platform = platform,
		.recording = platform->recording,
	};

	platform->n_cpus = recording_about(platform->recording)->n_cpus;
	platform->cpus = calloc(platform->n_cpus + 1, sizeof(*platform->cpus));
	places.cpus = calloc(platform->n_cpus + 1, sizeof(*places.cpus));
	platform->cpu0_online_file = recording_text(platform->recording, CPUS "/cpu0/online");
	if (platform->cpus && places.cpus)
		find_places(&places);
	else
		json_refuse_memory(reader);
	for (uint32_t cpu = 0; cpu < platform->n_cpus && platform->cpus; cpu++) {
		platform->cpus[cpu].policy = cpu;
		platform->cpus[cpu].first = find_first(platform->cpus, cpu);
	}
	free(places.cpus);
	free(places.taken);
}

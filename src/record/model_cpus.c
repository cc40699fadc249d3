// SPDX-License-Identifier: GPL-2.0-only
/* The topology of a platform file: packages, power domains and CPUs, which a recording lists one by
 * one. CPUs whose place is not known, offline ones, get places that are free. */
#include "record/model.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define MAX_CORE 255
#define CPU      FILES_CPUS "/cpu#"

static struct model_domain *add_domain(struct model *model, uint32_t package, uint32_t die)
{
	struct model_domain *domain =
		array_add(&model->domains, &model->n_domains, sizeof(*domain));

	if (!domain)
		return NULL;
	domain->package = package;
	domain->die = die;
	domain->like = MODEL_NO_DOMAIN;
	return domain;
}

size_t model_find_domain(const struct model *model, uint32_t package, uint32_t die)
{
	size_t i = 0;

	while (i < model->n_domains &&
	       (model->domains[i].package != package || model->domains[i].die != die))
		i++;
	return i < model->n_domains ? i : MODEL_NO_DOMAIN;
}

/* Makes the domains of the platform, or without one those of packages and dies. */
static int make_domains(struct model *model)
{
	const struct topology *topology = &model->machine->topology;
	const struct domain_list *list = model->platform ? &model->platform->domains : NULL;

	for (size_t i = 0; list && i < list->n_domains; i++) {
		const struct power_domain *from = &list->domains[i];
		struct model_domain *domain = add_domain(model, from->package, from->die);

		if (!domain || cpuset_copy(&domain->cpus, &from->cpus))
			return -ENOMEM;
		domain->served = from;
		domain->punit = from->has_id ? from->id : 0;
	}
	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];
		size_t found = model_find_domain(model, place->package, place->die);

		if (list && list->n_domains)
			break;
		if (found == MODEL_NO_DOMAIN && !add_domain(model, place->package, place->die))
			return -ENOMEM;
		found = model_find_domain(model, place->package, place->die);
		if (cpuset_add(&model->domains[found].cpus, cpu))
			return -ENOMEM;
	}
	return 0;
}

static int compare_domains(const void *left_pointer, const void *right_pointer)
{
	const struct model_domain *left = left_pointer, *right = right_pointer;
	int order = number_compare(left->package, right->package);

	order = order ?: number_compare(left->punit, right->punit);
	return order ?: number_compare(left->die, right->die);
}

/* Numbers packages and domains as the platform file does: in order, without gaps. */
static void number_domains(struct model *model)
{
	qsort(model->domains, model->n_domains, sizeof(*model->domains), compare_domains);
	for (size_t i = 0; i < model->n_domains; i++) {
		struct model_domain *domain = &model->domains[i];
		bool is_first = i == 0 || domain[-1].package != domain->package;

		model->n_packages += is_first;
		domain->package_index = (uint32_t)model->n_packages - 1;
		domain->index = is_first ? 0 : domain[-1].index + 1;
		if (!domain->served || !domain->served->has_id)
			domain->punit = domain->index;
		cpuset_foreach (cpu, &domain->cpus) {
			if (cpu < model->n_cpus)
				model->cpus[cpu].domain = i;
		}
	}
}

/* The core of a CPU: the PUNIT's, or if that is unknown the place of its core_id in the domain. */
static uint32_t find_core(const struct model *model, uint32_t cpu)
{
	const struct cpu_place *place = &model->machine->topology.places[cpu];
	const struct model_domain *domain = &model->domains[model->cpus[cpu].domain];
	_cleanup_cpuset_ struct cpuset lower = { 0 };

	if (place->has_physical_cpu)
		return place->core;
	cpuset_foreach (other, &domain->cpus) {
		uint64_t id = kernel_files_number(model->files, CPU "/topology/core_id", other, 0);

		if (id < model->cpus[cpu].core_id && id <= CPUSET_MAX_CPU &&
		    cpuset_add(&lower, (uint32_t)id))
			break;
	}
	return (uint32_t)model_clamp(cpuset_count(&lower), 0, model->is_tpmi ? 63 : MAX_CORE);
}

static uint32_t make_physical_cpu(const struct model *model, const struct model_cpu *cpu)
{
	unsigned int slot_bits = model->is_mailbox ? 1 : 3;
	uint32_t punit = model->domains[cpu->domain].punit;

	return (punit << 8 | cpu->core) << slot_bits | cpu->slot;
}

/* Places the CPUs whose place is known; counts the CPUs of a core. */
static int place_known(struct model *model)
{
	const struct topology *topology = &model->machine->topology;
	const char *control = kernel_files_text(model->files, FILES_CPUS "/smt/control", 0);
	uint32_t most = 1;

	cpuset_foreach (cpu, &topology->placed) {
		struct model_cpu *to = &model->cpus[cpu];
		struct model_domain *domain;

		if (to->domain == MODEL_NO_DOMAIN)
			continue;
		domain = &model->domains[to->domain];
		to->core_id = (uint32_t)model_clamp(
			kernel_files_number(model->files, CPU "/topology/core_id", cpu, 0), 0,
			UINT16_MAX);
		to->core = find_core(model, cpu);
		cpuset_foreach (other, &domain->cpus)
			to->slot += other < cpu && model->cpus[other].core == to->core;
		most = to->slot + 1 > most ? to->slot + 1 : most;
		to->physical_cpu = topology->places[cpu].has_physical_cpu
					   ? topology->places[cpu].physical_cpu
					   : make_physical_cpu(model, to);
		if (cpuset_add(&domain->cores, to->core))
			return -ENOMEM;
	}
	/* while SMT is off, second threads are offline */
	model->threads_per_core = most > 1 || (control && (strcmp(control, "off") == 0 ||
							   strcmp(control, "forceoff") == 0))
					  ? 2
					  : 1;
	model->cores_per_module = 1;
	if (most > 1 && !model->is_mailbox) {
		uint32_t cpu = model->first_cpu;
		const char *siblings =
			kernel_files_text(model->files, CPU "/topology/thread_siblings_list", cpu);

		/* threads share a core for Linux, too; the cores of a module do not */
		if (siblings && !strpbrk(siblings, ",-")) {
			model->threads_per_core = 1;
			model->cores_per_module = model_least(most, 8);
		}
	}
	return 0;
}

/* Adds the cores of the levels' masks. */
static int add_masked_cores(struct model *model)
{
	for (size_t i = 0; i < model->n_domains; i++) {
		struct model_domain *domain = &model->domains[i];

		if (!domain->served || cpuset_is_empty(&domain->cpus))
			continue;
		for (uint32_t level = 0; level < MODEL_LEVELS; level++) {
			uint64_t mask = model_find_mask(model, domain->served, level, false);

			for (uint32_t core = 0; core < 64; core++) {
				if (mask >> core & 1 && cpuset_add(&domain->cores, core))
					return -ENOMEM;
			}
		}
	}
	return 0;
}

static bool is_taken(const struct model *model, size_t domain, uint32_t core, uint32_t slot)
{
	cpuset_foreach (cpu, &model->domains[domain].cpus) {
		if (model->cpus[cpu].core == core && model->cpus[cpu].slot == slot)
			return true;
	}
	return false;
}

/* Do the two threads of a core have numbers that follow one another? While SMT is off, only first
 * threads are online, and have even numbers then. */
static bool are_paired(const struct model *model)
{
	const struct topology *topology = &model->machine->topology;
	bool are_even = true;

	cpuset_foreach (cpu, &topology->online) {
		const struct model_cpu *known = &model->cpus[cpu];

		if (known->slot == 1 && cpu > 0)
			return model->cpus[cpu - 1].domain == known->domain &&
			       model->cpus[cpu - 1].core == known->core;
		are_even = are_even && cpu % 2 == 0;
	}
	return are_even;
}

/* Finds a core of which no CPU has the slot. */
static bool find_core_with(const struct model *model, uint32_t slot, struct model_cpu *cpu)
{
	cpu->slot = slot;
	for (cpu->domain = 0; cpu->domain < model->n_domains; cpu->domain++) {
		cpuset_foreach (core, &model->domains[cpu->domain].cores) {
			cpu->core = core;
			if (!is_taken(model, cpu->domain, core, slot))
				return true;
		}
	}
	return false;
}

/* Finds a place that no CPU has for CPU number. Threads are first or second by their numbers. */
static bool find_free(const struct model *model, uint32_t number, bool is_paired,
		      struct model_cpu *cpu)
{
	uint32_t n_slots = model->threads_per_core * model->cores_per_module;
	bool is_second = is_paired ? number % 2 : number >= model->n_cpus / 2;

	if (model->threads_per_core > 1)
		return find_core_with(model, is_second, cpu);
	for (uint32_t slot = 0; slot < n_slots; slot++) {
		if (find_core_with(model, slot, cpu))
			return true;
	}
	return false;
}

/* Adds a package that is like the first one. */
static int add_package(struct model *model)
{
	uint32_t package = model->domains[model->n_domains - 1].package + 1;

	for (size_t i = 0; model->domains[i].package_index == 0; i++) {
		struct model_domain *domain = add_domain(model, package, model->domains[i].die);
		const struct model_domain *like = &model->domains[i];

		if (!domain || cpuset_copy(&domain->cores, &like->cores))
			return -ENOMEM;
		domain->package_index = (uint32_t)model->n_packages;
		domain->index = like->index;
		domain->punit = like->punit;
		domain->like = i;
	}
	model->n_packages++;
	return 0;
}

/* Gives the CPUs whose place is not known (offline ones, or numbers that no CPU has) places that
 * are free, in ascending order. */
static int place_others(struct model *model)
{
	bool is_paired = are_paired(model);

	for (uint32_t cpu = 0; cpu < model->n_cpus; cpu++) {
		struct model_cpu *to = &model->cpus[cpu];

		if (to->domain != MODEL_NO_DOMAIN)
			continue;
		if (!find_free(model, cpu, is_paired, to) &&
		    (add_package(model) || !find_free(model, cpu, is_paired, to)))
			return -ENOMEM;
		to->core_id =
			model_least(to->core + 64 * model->domains[to->domain].punit, UINT16_MAX);
		to->physical_cpu = make_physical_cpu(model, to);
		if (cpuset_add(&model->domains[to->domain].cpus, cpu))
			return -ENOMEM;
	}
	return 0;
}

int model_find_places(struct model *model)
{
	int err = make_domains(model);

	if (err)
		return err;
	model->cpus = calloc(model->n_cpus, sizeof(*model->cpus));
	if (!model->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < model->n_cpus; i++)
		model->cpus[i].domain = MODEL_NO_DOMAIN;
	number_domains(model);
	err = place_known(model);
	if (!err)
		err = add_masked_cores(model);
	return err ? err : place_others(model);
}

static json_t *packages_member(const struct model *model)
{
	json_t *packages = json_array(), *domains = NULL;

	for (size_t i = 0; i < model->n_domains; i++) {
		const struct model_domain *domain = &model->domains[i];

		if (domain->index == 0) {
			domains = json_array();
			json_array_append_new(packages, json_pack("{s:o}", "domains", domains));
		}
		json_array_append_new(domains, json_pack("{s:I, s:I, s:o}", "die",
							 model_clamp(domain->die, 0, UINT16_MAX),
							 "punit", (json_int_t)domain->punit,
							 "cores", model_list(&domain->cores)));
	}
	return packages;
}

static json_t *cpus_member(const struct model *model)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < model->n_cpus; i++) {
		const struct model_cpu *cpu = &model->cpus[i];
		const struct model_domain *domain = &model->domains[cpu->domain];

		json_array_append_new(cpus,
				      json_pack("[I,I,I,I]", (json_int_t)domain->package_index,
						(json_int_t)domain->index, (json_int_t)cpu->core_id,
						(json_int_t)cpu->physical_cpu));
	}
	return cpus;
}

json_t *model_topology(const struct model *model)
{
	static const char *const words[] = { "on", "off", "forceoff", "notsupported" };
	const struct topology *topology = &model->machine->topology;
	const char *control = kernel_files_text(model->files, FILES_CPUS "/smt/control", 0);
	const char *smt = model->threads_per_core > 1 ? "on" : "notsupported";
	_cleanup_cpuset_ struct cpuset offline = { 0 };

	for (size_t i = 0; control && i < ARRAY_SIZE(words) && model->threads_per_core > 1; i++) {
		if (strcmp(control, words[i]) == 0)
			smt = words[i];
	}
	for (uint32_t cpu = 1; cpu < model->n_cpus; cpu++) {
		if (!cpuset_has(&topology->online, cpu) && cpuset_add(&offline, cpu))
			return NULL;
	}
	return json_pack("{s:I, s:I, s:s, s:b, s:s, s:o, s:o, s:o}", "threads_per_core",
			 (json_int_t)model->threads_per_core, "cores_per_module",
			 (json_int_t)model->cores_per_module, "numbering", "listed",
			 "cpu0_online_file",
			 kernel_files_text(model->files, CPU "/online", 0) != NULL, "smt", smt,
			 "packages", packages_member(model), "cpus", cpus_member(model), "offline",
			 model_list(&offline));
}

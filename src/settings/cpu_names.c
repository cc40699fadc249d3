// SPDX-License-Identifier: GPL-2.0-only
/* Reads named sets of CPUs from a text, and resolves them with the files of the machine
 * (commands.md, "Named sets of CPUs"). Both are strict: a text that could mean more or fewer CPUs
 * than the user expects is refused. */
#include "settings/cpu_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define MAX_CLOS   3
#define MOST_SHOWN 200 /* bytes of a text in a message */
#define NODES      "/sys/devices/system/node"
#define DEVICES    "/sys/bus/pci/devices"

#define ONE_RANGE "one number, or one range from the lower to the higher number, was expected: "

const char *const cpu_names_words[] = {
	"all",       "online", "package:", "die:",      "node:", "isolated", "nohz-full",
	"base-freq", "clos:",  "near:",    "siblings:", "core:", NULL,
};

/* What is expected after a word, in the order of cpu_names_words: that of enum cpu_name_kind
 * without the first. */
static const char *const expected[] = {
	"nothing may follow all",
	"nothing may follow online",
	ONE_RANGE "package:0, package:0-1",
	"a package and a die were expected, each one number or one range: die:0:1, die:0-1:0",
	ONE_RANGE "node:0, node:0-1",
	"nothing may follow isolated",
	"nothing may follow nohz-full",
	"nothing may follow base-freq",
	"a CLOS from 0 to 3, or a range of them, was expected: clos:0, clos:0-2",
	"a PCI address was expected: near:0000:3b:00.0, near:3b:00.0",
	ONE_RANGE "siblings:0-3 (write siblings:0-3,siblings:8 for more)",
	ONE_RANGE "core:0-3 (write core:0-3,core:8 for more)",
};

static const char unknown[] =
	"a number, a range or a set was expected (all, online, package:N, die:N:M, node:N, "
	"isolated, nohz-full, base-freq, clos:N, near:PCI-ADDRESS, siblings:LIST, core:LIST)";

/* Parsing. */

/* Parses one number or range, and nothing else. */
static int parse_range(const char *text, uint32_t *ret_first, uint32_t *ret_last,
		       const char **ret_problem)
{
	_cleanup_cpuset_ struct cpuset range = { 0 };
	int err = cpulist_parse_user(text, &range, ret_problem);

	if (err)
		return err;
	*ret_first = cpuset_next(&range, 0);
	*ret_last = cpuset_last(&range);
	return 0;
}

/* Parses a package and a die; cuts text at the colon. */
static int parse_die(char *text, struct cpu_name *name)
{
	char *colon = strchr(text, ':');
	const char *problem;
	int err;

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	err = parse_range(text, &name->first, &name->last, &problem);
	return err ?: parse_range(colon + 1, &name->first_die, &name->last_die, &problem);
}

/* Converts a PCI address, with a domain or in domain 0, to the form of sysfs. */
static int parse_address(const char *text, char **ret_address)
{
	static const char ends[] = "::.";
	static const uint64_t limits[] = { UINT32_MAX, 0xff, 0x1f, 7 };
	uint64_t parts[4] = { 0 };
	const char *colon = strchr(text, ':');

	for (size_t i = colon && strchr(colon + 1, ':') ? 0 : 1; i < ARRAY_SIZE(parts); i++) {
		if (number_parse_digits(&text, 16, &parts[i]) || parts[i] > limits[i] ||
		    *text != (i < strlen(ends) ? ends[i] : '\0'))
			return -EINVAL;
		text += *text != '\0';
	}
	*ret_address = text_format("%04" PRIx64 ":%02" PRIx64 ":%02" PRIx64 ".%" PRIx64, parts[0],
				   parts[1], parts[2], parts[3]);
	return *ret_address ? 0 : -ENOMEM;
}

/* Parses the value after a word; can cut text. */
static int parse_value(char *text, struct cpu_name *name)
{
	const char *problem;
	int err;

	switch (name->kind) {
	case CPU_NAME_DIE:
		return parse_die(text, name);
	case CPU_NAME_NEAR:
		return parse_address(text, &name->address);
	case CPU_NAME_CLOS:
		err = parse_range(text, &name->first, &name->last, &problem);
		return err ?: name->last > MAX_CLOS ? -ERANGE : 0;
	default:
		return parse_range(text, &name->first, &name->last, &problem);
	}
}

/* Parses a member that begins with a letter: finds its word, and reads the value. */
static int parse_word(char *text, struct cpu_name *name, struct cpu_names_problem *problem)
{
	for (size_t i = 0; cpu_names_words[i]; i++) {
		size_t length = strlen(cpu_names_words[i]);
		bool has_value = cpu_names_words[i][length - 1] == ':';
		/* "package" without a value is the same word */
		size_t stem = has_value ? length - 1 : length;

		if (strncmp(text, cpu_names_words[i], stem) != 0 ||
		    (text[stem] != '\0' && text[stem] != ':'))
			continue;
		name->kind = (enum cpu_name_kind)(CPU_NAME_ALL + i);
		problem->expected = expected[i];
		if (has_value && text[stem] == ':')
			return parse_value(text + length, name);
		return has_value || text[stem] ? -EINVAL : 0;
	}
	problem->expected = unknown;
	problem->is_unknown = true;
	return -EINVAL;
}

/* Parses one member; a removal is kept without its ! or ^. */
static int parse_member(const char *text, size_t length, struct cpu_names *names,
			struct cpu_names_problem *problem)
{
	bool is_removed = length > 0 && (*text == '!' || *text == '^');
	_cleanup_free_ char *own = strndup(text + is_removed, length - is_removed);
	_cleanup_free_ char *cut = own ? strdup(own) : NULL;
	struct cpu_name name = { .is_removed = is_removed }, *added;
	int err = cut ? 0 : -ENOMEM;

	if (!err && isdigit((unsigned char)*own))
		err = parse_range(own, &name.first, &name.last, &problem->expected);
	else if (!err)
		err = parse_word(cut, &name, problem);
	if (!err && !is_removed && name.kind == CPU_NAME_NUMBERS)
		return cpuset_add_range(&names->numbers, name.first, name.last);
	added = err ? NULL : array_add(&names->list, &names->count, sizeof(*added));
	if (!added) {
		free(name.address);
		return err ?: -ENOMEM;
	}
	name.text = steal(own);
	*added = name;
	return 0;
}

/* A list without a name or a removal is plain: every member begins with a digit, or is wrong. */
static bool is_plain(const char *text)
{
	for (; text; text = strchr(text, ',')) {
		text += *text == ',';
		if (isalpha((unsigned char)*text) || *text == '!' || *text == '^')
			return false;
	}
	return true;
}

static bool has_addition(const struct cpu_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!names->list[i].is_removed)
			return true;
	}
	return !cpuset_is_empty(&names->numbers);
}

int cpu_names_parse(const char *text, struct cpu_names *ret_names,
		    struct cpu_names_problem *ret_problem)
{
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	struct cpu_names_problem problem = { 0 };
	int err = 0;

	if (is_plain(text)) {
		*ret_problem = problem;
		err = cpulist_parse_user(text, &names.numbers, &ret_problem->expected);
		if (!err)
			*ret_names = steal(names);
		return err;
	}
	for (const char *at = text; at; at = problem.at[problem.length] ? at : NULL) {
		problem.at = at;
		problem.length = strcspn(at, ",");
		problem.member++;
		err = parse_member(at, problem.length, &names, &problem);
		if (err) {
			*ret_problem = problem;
			if (!strchr(text, ','))
				ret_problem->member = 0;
			return err;
		}
		at += problem.length + 1;
	}
	if (!has_addition(&names)) {
		*ret_problem = (struct cpu_names_problem){
			.expected = "it only removes CPUs; begin with the set to remove them from, "
				    "as in online,!0",
		};
		return -EINVAL;
	}
	names.text = strdup(text);
	if (!names.text)
		return -ENOMEM;
	*ret_names = steal(names);
	return 0;
}

void cpu_names_done(struct cpu_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->list[i].address);
		free(names->list[i].text);
	}
	free(names->list);
	free(names->text);
	cpuset_done(&names->numbers);
	*names = (struct cpu_names){ 0 };
}

const struct cpu_name *cpu_names_find_sst(const struct cpu_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (cpu_name_needs_sst(&names->list[i]))
			return &names->list[i];
	}
	return NULL;
}

/* Resolving. */

struct resolver {
	const struct cpu_names_environment *environment;
	struct cpuset numbers; /* added by number, offline ones too */
	struct cpuset added, removed; /* by name */
	char *message;
};

static bool is_placed(const struct topology *topology, uint32_t cpu, uint32_t package)
{
	return cpuset_has(&topology->placed, cpu) && topology->places[cpu].package == package;
}

/* Adds the CPUs of a package, or of one die of it (NULL: of all). Returns -ENOENT if there are
 * none. */
static int add_place(const struct topology *topology, uint32_t package, const uint32_t *die,
		     struct cpuset *set)
{
	bool has_any = false;

	cpuset_foreach (cpu, &topology->placed) {
		if (!is_placed(topology, cpu, package) ||
		    (die && topology->places[cpu].die != *die))
			continue;
		has_any = true;
		if (cpuset_add(set, cpu))
			return -ENOMEM;
	}
	return has_any ? 0 : -ENOENT;
}

static int add_packages(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	const struct topology *topology = at->environment->topology;
	int err = 0;

	for (uint32_t package = name->first; package <= name->last && !err; package++) {
		err = add_place(topology, package, NULL, set);
		if (err == -ENOENT)
			at->message = text_format("no CPU of this machine is known to be in "
						  "package %u",
						  package);
	}
	return err;
}

static int add_dies(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	const struct topology *topology = at->environment->topology;
	int err = 0;

	for (uint32_t package = name->first; package <= name->last && !err; package++) {
		for (uint32_t die = name->first_die; die <= name->last_die && !err; die++) {
			err = add_place(topology, package, &die, set);
			if (err == -ENOENT)
				at->message = text_format("no CPU of this machine is known to be "
							  "in package %u, die %u",
							  package, die);
		}
	}
	return err;
}

int cpu_names_read_list(struct files *files, const char *path, struct cpuset *cpus,
			char **ret_message)
{
	_cleanup_cpuset_ struct cpuset read = { 0 };
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(files, path, &text);

	if (!err && cpulist_is_unset(text))
		return 0;
	if (!err)
		err = cpulist_parse(text, &read);
	if (!err)
		return cpuset_add_all(cpus, &read);
	*ret_message = text_format("%s: %s", path, strerror(-err));
	return err;
}

/* Adds the CPUs of a list file that may be absent, empty or unset. Returns 0 or a negative errno
 * with a message. */
static int add_file(struct resolver *at, const char *path, struct cpuset *set)
{
	int err = cpu_names_read_list(at->environment->files, path, set, &at->message);

	if (err != -ENOENT)
		return err;
	free(steal(at->message));
	return 0;
}

/* The kernel's list of a node or device has only online CPUs. Adds CPUs that count as online but
 * cannot be read yet, if all online CPUs of their die are listed. */
static int add_pending(const struct cpu_names_environment *environment, struct cpuset *set)
{
	const struct topology *topology = environment->topology;
	_cleanup_cpuset_ struct cpuset inside = { 0 }, outside = { 0 };

	cpuset_foreach (cpu, environment->online) {
		const struct cpu_place *place;

		if (topology_can_ask(topology, cpu) || !cpuset_has(&topology->placed, cpu))
			continue;
		place = &topology->places[cpu];
		cpuset_done(&inside);
		if (add_place(topology, place->package, &place->die, &inside) == -ENOMEM ||
		    cpuset_copy(&outside, &inside))
			return -ENOMEM;
		cpuset_keep(&inside, set);
		cpuset_keep(&outside, &topology->online);
		cpuset_remove_all(&outside, &topology->pending);
		cpuset_remove_all(&outside, set);
		if (!cpuset_is_empty(&inside) && cpuset_is_empty(&outside) && cpuset_add(set, cpu))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the CPUs of the list file of a node or device. what: its name in messages. */
static int add_list(struct resolver *at, const char *path, const char *what, struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = files_read_cpus(at->environment->files, path, &cpus);

	if (err == -ENOENT || err == -ENODEV) {
		at->message = text_format("this machine has no %s (%s)", what, path);
		return -ENOENT;
	}
	if (err) {
		at->message = text_format("%s: %s", path, strerror(-err));
		return err;
	}
	err = add_pending(at->environment, &cpus);
	return err ?: cpuset_add_all(set, &cpus);
}

static int add_nodes(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	int err = 0;

	for (uint32_t node = name->first; node <= name->last && !err; node++) {
		_cleanup_free_ char *path = text_format(NODES "/node%u/cpulist", node);
		_cleanup_free_ char *what = text_format("NUMA node %u", node);

		err = path && what ? add_list(at, path, what, set) : -ENOMEM;
	}
	return err;
}

static int add_near(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	_cleanup_free_ char *path = text_format(DEVICES "/%s/local_cpulist", name->address);
	_cleanup_free_ char *what = text_format("PCI device %s", name->address);

	return path && what ? add_list(at, path, what, set) : -ENOMEM;
}

/* Adds the threads of a CPU's core: from the CPU's list, if it can be read, and from the topology,
 * as the other thread may be offline. More than two CPUs at one location are a module of cores. */
static int add_threads(struct resolver *at, uint32_t cpu, struct cpuset *set)
{
	const struct topology *topology = at->environment->topology;
	const struct cpu_place *place = &topology->places[cpu];
	uint32_t other = CPUSET_NONE;
	size_t n_others = 0;
	int err = cpuset_add(set, cpu);

	if (!err && topology_can_ask(topology, cpu))
		err = add_file(at, files_cpu_path(cpu, "topology/thread_siblings_list").text, set);
	if (err || !place->has_physical_cpu || cpuset_equal(&topology->placed, &topology->online))
		return err;
	cpuset_foreach (thread, &topology->placed) {
		const struct cpu_place *its = &topology->places[thread];

		if (thread == cpu || !its->has_physical_cpu || its->package != place->package ||
		    its->die != place->die || its->power_domain != place->power_domain ||
		    its->core != place->core)
			continue;
		other = thread;
		n_others++;
	}
	return n_others == 1 ? cpuset_add(set, other) : 0;
}

/* Adds the CPUs of "siblings:" and "core:" for CPUs that count as online. Other CPUs are added to
 * the numbers of the list, which are checked later. */
static int add_cores(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	const struct cpu_names_environment *environment = at->environment;
	_cleanup_cpuset_ struct cpuset known = { 0 };
	int err = 0;

	for (uint32_t cpu = name->first; cpu <= name->last && !err; cpu++) {
		_cleanup_cpuset_ struct cpuset threads = { 0 };
		uint32_t first;

		if (cpuset_has(&known, cpu))
			continue;
		if (!cpuset_has(environment->online, cpu) ||
		    !cpuset_has(&environment->topology->present, cpu)) {
			if (!name->is_removed || !cpuset_has(&environment->topology->present, cpu))
				err = cpuset_add(&at->numbers, cpu);
			continue;
		}
		err = add_threads(at, cpu, &threads);
		if (err || cpuset_add_all(&known, &threads))
			return err ?: -ENOMEM;
		if (name->kind == CPU_NAME_SIBLINGS) {
			err = cpuset_add_all(set, &threads);
			continue;
		}
		cpuset_keep(&threads, environment->online);
		first = cpuset_next(&threads, 0);
		err = cpuset_add(set, first == CPUSET_NONE ? cpu : first);
	}
	return err;
}

/* Adds a removal by number. A CPU that the machine lacks becomes an addition, which is refused. */
static int add_numbers(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset lacking = { 0 };

	if (cpuset_add_range(set, name->first, name->last) || cpuset_copy(&lacking, set))
		return -ENOMEM;
	cpuset_remove_all(&lacking, &at->environment->topology->present);
	return cpuset_add_all(&at->numbers, &lacking);
}

static int add_sst(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	const struct cpu_names_environment *environment = at->environment;
	int err = 0;

	if (name->kind == CPU_NAME_BASE_FREQ)
		return environment->add_base_freq(environment->data, set, &at->message);
	for (uint32_t clos = name->first; clos <= name->last && !err; clos++)
		err = environment->add_clos(environment->data, clos, set, &at->message);
	return err;
}

/* Adds the CPUs of one member to an empty set. */
static int add_member(struct resolver *at, const struct cpu_name *name, struct cpuset *set)
{
	int err;

	switch (name->kind) {
	case CPU_NAME_NUMBERS:
		return add_numbers(at, name, set);
	case CPU_NAME_ALL:
		return cpuset_add_all(set, &at->environment->topology->present);
	case CPU_NAME_ONLINE:
		return cpuset_add_all(set, at->environment->online);
	case CPU_NAME_PACKAGE:
		return add_packages(at, name, set);
	case CPU_NAME_DIE:
		return add_dies(at, name, set);
	case CPU_NAME_NODE:
		return add_nodes(at, name, set);
	case CPU_NAME_ISOLATED:
		err = add_file(at, CPU_NAMES_ISOLATED, set);
		return err ?: add_file(at, CPU_NAMES_ISOLATED_BY_GROUPS, set);
	case CPU_NAME_NOHZ_FULL:
		return add_file(at, FILES_CPUS "/nohz_full", set);
	case CPU_NAME_BASE_FREQ:
	case CPU_NAME_CLOS:
		return add_sst(at, name, set);
	case CPU_NAME_NEAR:
		return add_near(at, name, set);
	case CPU_NAME_SIBLINGS:
	case CPU_NAME_CORE:
		return add_cores(at, name, set);
	}
	return -EINVAL;
}

static int add_members(struct resolver *at, const struct cpu_names *names)
{
	int err = cpuset_copy(&at->numbers, &names->numbers);

	for (size_t i = 0; i < names->count && !err; i++) {
		const struct cpu_name *name = &names->list[i];
		_cleanup_cpuset_ struct cpuset set = { 0 };
		_cleanup_free_ char *cause = NULL;

		err = add_member(at, name, &set);
		if (!err)
			err = cpuset_add_all(name->is_removed ? &at->removed : &at->added, &set);
		cause = steal(at->message);
		if (err && err != -ENOMEM)
			at->message = text_format("%s: %s", name->text, cause ?: strerror(-err));
	}
	return err;
}

/* Combines the sets. A CPU that is added by number stays, online or offline, unless a removal names
 * it. */
static int combine(struct resolver *at, struct cpuset *cpus, struct cpuset *left_out)
{
	const struct cpu_names_environment *environment = at->environment;

	if (cpuset_copy(left_out, &at->added))
		return -ENOMEM;
	cpuset_keep(&at->added, environment->online);
	cpuset_remove_all(left_out, environment->online);
	cpuset_remove_all(left_out, &at->removed);
	cpuset_remove_all(left_out, &at->numbers);
	cpuset_keep(left_out, &environment->topology->present);
	/* removed numbers that the machine lacks are in numbers, and must be refused */
	cpuset_keep(&at->removed, &environment->topology->present);
	if (cpuset_add_all(cpus, &at->numbers) || cpuset_add_all(cpus, &at->added))
		return -ENOMEM;
	cpuset_remove_all(cpus, &at->removed);
	if (!cpuset_is_empty(cpus))
		return 0;
	return -ENODATA;
}

int cpu_names_resolve(const struct cpu_names *names,
		      const struct cpu_names_environment *environment, struct cpuset *ret_cpus,
		      struct cpuset *ret_left_out, char **ret_message)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, left_out = { 0 };
	struct resolver at = { .environment = environment };
	int err = add_members(&at, names);

	if (!err)
		err = combine(&at, &cpus, &left_out);
	if (err == -ENODATA)
		at.message = text_format("%.*s: %s", MOST_SHOWN, names->text ?: "",
					 cpuset_is_empty(&left_out)
						 ? "no CPU is in this set"
						 : "all CPUs of this set are offline");
	cpuset_done(&at.numbers);
	cpuset_done(&at.added);
	cpuset_done(&at.removed);
	if (!err) {
		*ret_cpus = steal(cpus);
		*ret_left_out = steal(left_out);
	}
	*ret_message = at.message;
	return err;
}

int cpu_names_find(const struct cpu_names *names, struct files *files,
		   const struct topology *topology, struct cpuset *ret_cpus, char **ret_message)
{
	const struct cpu_names_environment environment = {
		.files = files,
		.topology = topology,
		.online = &topology->online,
	};
	_cleanup_cpuset_ struct cpuset left_out = { 0 };

	return names->count
		       ? cpu_names_resolve(names, &environment, ret_cpus, &left_out, ret_message)
		       : cpuset_copy(ret_cpus, &names->numbers);
}

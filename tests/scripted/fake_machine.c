// SPDX-License-Identifier: GPL-2.0-only
/* The fake host and its files (hardware.md, section 5): an offline CPU has no topology
 * directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fake_machine.h"

#define CPU_ROOT "/sys/devices/system/cpu/"
#define THREADS  2

struct fake_file {
	char *path;
	char *text; /* or NULL */
	int error;
	size_t n_reads;
};

static struct fake_machine *machine_of(struct files *files)
{
	return (struct fake_machine *)((char *)files - offsetof(struct fake_machine, files));
}

static uint32_t cores_of(const struct fake_machine *machine)
{
	return machine->shape.packages * machine->shape.dies * machine->shape.cores;
}

uint32_t fake_machine_cpus(const struct fake_machine *machine)
{
	return THREADS * cores_of(machine);
}

uint32_t fake_machine_domain(const void *machine_pointer, uint32_t cpu)
{
	const struct fake_machine *machine = machine_pointer;

	return cpu % cores_of(machine) / machine->shape.cores;
}

uint32_t fake_machine_physical(const struct fake_machine *machine, uint32_t cpu)
{
	uint32_t core = cpu % machine->shape.cores;
	uint32_t id = machine->shape.core_ids ? machine->shape.core_ids[core] : core;

	return id << 1 | cpu / cores_of(machine);
}

/* Writes the online CPUs whose first threads are count ones from first on. */
static void write_group(const struct fake_machine *machine, uint32_t first, uint32_t count,
			FILE *to)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		for (uint32_t i = 0; i < count; i++) {
			uint32_t cpu = thread * cores_of(machine) + first + i;

			if (cpuset_has(&machine->online, cpu))
				assert_int_equal(cpuset_add(&group, cpu), 0);
		}
	}
	cpuset_write_ranges(&group, to);
}

/* Returns 0, or -ENOENT for a file that this machine lacks. */
static int write_topology(const struct fake_machine *machine, uint32_t cpu, const char *name,
			  FILE *to)
{
	const struct fake_shape *shape = &machine->shape;
	uint32_t domain = fake_machine_domain(machine, cpu), package = domain / shape->dies;
	uint32_t per_package = shape->dies * shape->cores;

	if (!cpuset_has(&machine->online, cpu))
		return -ENOENT;
	if (strcmp(name, "physical_package_id") == 0)
		fprintf(to, "%u", package);
	else if (strcmp(name, "die_id") == 0)
		fprintf(to, "%u", domain % shape->dies);
	else if (strcmp(name, "core_id") == 0)
		fprintf(to, "%u", fake_machine_physical(machine, cpu) >> 1);
	else if (strcmp(name, "package_cpus_list") == 0)
		write_group(machine, package * per_package, per_package, to);
	else if (strcmp(name, "die_cpus_list") == 0)
		write_group(machine, domain * shape->cores, shape->cores, to);
	else
		return -ENOENT;
	return 0;
}

static void write_cpuinfo(const struct fake_shape *shape, FILE *to)
{
	fprintf(to, "processor\t: 0\nvendor_id\t: %s\ncpu family\t: 6\nmodel\t\t: %u\n",
		shape->vendor ?: "GenuineIntel", shape->model);
	fprintf(to, "model name\t: %s\nstepping\t: %u\nflags\t\t: fpu\n\nprocessor\t: 1\n",
		shape->model_name ?: "Intel(R) Xeon(R) Test CPU @ 2.60GHz", shape->stepping);
}

static int write_file(const struct fake_machine *machine, const char *path, FILE *to)
{
	unsigned int cpu;
	int used = 0;

	if (strcmp(path, "/proc/cpuinfo") == 0)
		write_cpuinfo(&machine->shape, to);
	else if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
		fputs("0b007000-0000-4000-8000-000000000001", to);
	else if (strcmp(path, CPU_ROOT "online") == 0)
		cpuset_write_ranges(&machine->online, to);
	else if (strcmp(path, CPU_ROOT "present") == 0 || strcmp(path, CPU_ROOT "possible") == 0)
		fprintf(to, "0-%u", fake_machine_cpus(machine) - 1);
	else if (sscanf(path, CPU_ROOT "cpu%u/topology/%n", &cpu, &used) == 1 && used > 0)
		return write_topology(machine, cpu, path + used, to);
	else
		return -ENOENT;
	return 0;
}

static int override_file(const struct fake_file *file, char **ret_text)
{
	if (!file->text)
		return file->error;
	*ret_text = strdup(file->text);
	return *ret_text ? 0 : -ENOMEM;
}

static int fake_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct fake_machine *machine = machine_of(files);
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	int err = to ? write_file(machine, path, to) : -ENOMEM;

	assert_true(to && fputc('\n', to) == '\n' && fclose(to) == 0);
	machine->n_reads++;
	for (size_t i = 0; i < machine->n_overrides; i++) {
		if (strcmp(machine->overrides[i].path, path) != 0)
			continue;
		free(steal(text));
		machine->overrides[i].n_reads++;
		err = override_file(&machine->overrides[i], &text);
	}
	if (err)
		return err;
	length = strlen(text);
	if (limit && length > limit)
		text[length = limit] = '\0';
	*ret_text = steal(text);
	*ret_length = length;
	return 0;
}

/* Reading commands write nothing. */
static int fake_write(struct files *files, const char *path, const char *text)
{
	(void)files;
	fail_msg("\"%s\" written to %s", text, path);
	return -EROFS;
}

/* The name below a directory that a path goes through, or NULL. */
static char *name_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (strncmp(path, directory, length) != 0 || path[length] != '/')
		return NULL;
	return strndup(path + length + 1, strcspn(path + length + 1, "/"));
}

/* Directories are those of the files that the test has set, in their order. */
static int fake_list(struct files *files, const char *path, char ***ret_names)
{
	const struct fake_machine *machine = machine_of(files);
	char **names = calloc(machine->n_overrides + 1, sizeof(*names));
	size_t count = 0;

	assert_non_null(names);
	for (size_t i = 0; i < machine->n_overrides; i++) {
		char *name = name_below(machine->overrides[i].path, path);

		if (name && (count == 0 || strcmp(names[count - 1], name) != 0))
			names[count++] = name;
		else
			free(name);
	}
	if (count == 0) {
		free(names);
		return -ENOENT;
	}
	*ret_names = names;
	return 0;
}

static int fake_change_directory(struct files *files, const char *path, bool makes)
{
	(void)files;
	(void)makes;
	fail_msg("directory %s made or removed", path);
	return -EROFS;
}

static int fake_open_device(struct host *host, struct transport **ret_transport)
{
	struct fake_machine *machine = (struct fake_machine *)host;

	if (machine->open_error)
		return machine->open_error;
	*ret_transport = fake_firmware_open(machine);
	return 0;
}

static int fake_has_capability(struct host *host)
{
	return !((struct fake_machine *)host)->lacks_capability;
}

/* The machine is its test's. */
static void fake_close(struct host *host)
{
	(void)host;
}

void fake_machine_init(struct fake_machine *machine, const struct fake_shape *shape)
{
	static const struct host_ops host_ops = {
		.open_device = fake_open_device,
		.has_capability = fake_has_capability,
		.close = fake_close,
	};
	static const struct files_ops files_ops = {
		.read = fake_read,
		.write = fake_write,
		.list = fake_list,
		.change_directory = fake_change_directory,
	};

	*machine = (struct fake_machine){
		.host = { .ops = &host_ops, .run_directory = "/proc/nonexistent/run" },
		.files = { .ops = &files_ops },
		.shape = *shape,
		.info = { .api_version = 1,
			  .driver_version = 1,
			  .max_cmds_per_ioctl = 64,
			  .mbox_supported = 1,
			  .mmio_supported = 1 },
	};
	machine->host.files = &machine->files;
	for (uint32_t cpu = 0; cpu < fake_machine_cpus(machine); cpu++)
		assert_int_equal(cpuset_add(&machine->online, cpu), 0);
}

void fake_machine_done(struct fake_machine *machine)
{
	for (size_t i = 0; i < machine->n_overrides; i++) {
		free(machine->overrides[i].path);
		free(machine->overrides[i].text);
	}
	free(machine->overrides);
	cpuset_done(&machine->online);
	record_log_done(&machine->log);
}

void fake_machine_add_rules(struct fake_machine *machine, const struct fake_rule *rules,
			    size_t count)
{
	assert_true(machine->n_rules < ARRAY_SIZE(machine->rules));
	machine->rules[machine->n_rules++] = (struct fake_rules){ .rules = rules, .count = count };
}

void fake_machine_set_file(struct fake_machine *machine, const char *path, const char *text,
			   int error)
{
	struct fake_file *files =
		realloc(machine->overrides, (machine->n_overrides + 1) * sizeof(*files));

	assert_non_null(files);
	machine->overrides = files;
	files[machine->n_overrides] = (struct fake_file){
		.path = strdup(path),
		.text = text ? strdup(text) : NULL,
		.error = error,
	};
	assert_non_null(files[machine->n_overrides++].path);
}

size_t fake_machine_reads_of(const struct fake_machine *machine, const char *path)
{
	for (size_t i = 0; i < machine->n_overrides; i++) {
		if (strcmp(machine->overrides[i].path, path) == 0)
			return machine->overrides[i].n_reads;
	}
	return 0;
}

void fake_machine_forget(struct fake_machine *machine)
{
	machine->n_reads = 0;
	for (size_t i = 0; i < machine->n_overrides; i++)
		machine->overrides[i].n_reads = 0;
	record_log_done(&machine->log);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Writes a simulated machine's kernel files into a directory, where the stand-in (standin.c) shows
 * them under their real names. Files that cannot be read there (offline CPUs, files for writing
 * only) are left out, and of each CPU all but those that Speed Select commands read: a machine of a
 * thousand CPUs has a hundred thousand files. With "whole" every file of each CPU is written.
 *
 * make_tree PLATFORM-FILE STATE-DIRECTORY ROOT-DIRECTORY [whole] */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulated_machine.h"

#define CPU_ROOT "/sys/devices/system/cpu/"
#define POLICIES CPU_ROOT "cpufreq/policy" /* whose files are those of cpuN/cpufreq */

/* What is copied of each CPU. */
static const char *const cpu_files[] = {
	"online",
	"topology",
	"topology/core_cpus_list",
	"topology/core_id",
	"topology/die_cpus_list",
	"topology/die_id",
	"topology/package_cpus_list",
	"topology/physical_package_id",
	"cpufreq",
	"cpufreq/base_frequency",
};

/* The path below a CPU's directory, or NULL where path is not in one. */
static const char *path_of_cpu(const char *path)
{
	unsigned int cpu;
	int length = 0;

	if (sscanf(path, CPU_ROOT "cpu%u/%n", &cpu, &length) < 1 || !length)
		return NULL;
	return path + length;
}

/* What is written, and where. */
struct tree {
	struct files *files;
	const char *root;
	bool whole; /* every file of each CPU */
};

static bool is_wanted(const struct tree *tree, const char *path)
{
	const char *below = path_of_cpu(path);

	if (strncmp(path, POLICIES, strlen(POLICIES)) == 0)
		return !strchr(path + strlen(POLICIES), '/');
	if (!below)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(cpu_files); i++)
		if (!strcmp(below, cpu_files[i]))
			return true;
	return tree->whole;
}

static int write_file(const char *root, const char *path, const char *text, size_t length)
{
	_cleanup_free_ char *target = NULL;
	_cleanup_fclose_ FILE *file = NULL;

	if (asprintf(&target, "%s%s", root, path) < 0)
		return -ENOMEM;
	file = fopen(target, "we");
	if (!file)
		return -errno;
	return fwrite(text, 1, length, file) == length ? 0 : -EIO;
}

static int copy_file(const struct tree *tree, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t length;

	if (tree->files->ops->read(tree->files, path, 0, &text, &length) < 0)
		return 0;
	return write_file(tree->root, path, text, length);
}

static int copy_tree(const struct tree *tree, const char *path);

/* Copies one name of a directory. */
static int copy_name(const struct tree *tree, const char *path, const char *name)
{
	_cleanup_free_ char *below = NULL;

	if (asprintf(&below, "%s/%s", path, name) < 0)
		return -ENOMEM;
	return is_wanted(tree, below) ? copy_tree(tree, below) : 0;
}

/* Makes a directory whose parent exists. */
static int make_directory(const char *root, const char *path)
{
	_cleanup_free_ char *target = NULL;

	if (asprintf(&target, "%s%s", root, path) < 0)
		return -ENOMEM;
	return mkdir(target, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int copy_tree(const struct tree *tree, const char *path)
{
	char **names = NULL;
	int r;

	if (files_list(tree->files, path, &names) < 0)
		return copy_file(tree, path);
	r = make_directory(tree->root, path);
	for (char **name = names; !r && *name; name++)
		r = copy_name(tree, path, *name);
	files_free_names(&names);
	return r;
}

static int make_directories(const char *root, const char *path)
{
	_cleanup_free_ char *target = NULL;

	if (asprintf(&target, "%s%s", root, path) < 0)
		return -ENOMEM;
	return fileio_make_directories(target, 0755);
}

static int copy_machine(const struct tree *tree)
{
	static const char *const directories[] = { "/proc/sys",  "/run",
						   "/sys/class", "/sys/devices/system",
						   "/sys/fs",    "/sys/kernel/mm" };
	static const char *const sources[] = { "/proc/cmdline",
					       "/proc/cpuinfo",
					       "/proc/irq",
					       "/proc/sys/kernel",
					       "/sys/class/powercap",
					       "/sys/devices/system/clocksource",
					       "/sys/devices/system/cpu",
					       "/sys/fs/cgroup",
					       "/sys/kernel/mm/transparent_hugepage" };
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(directories); i++)
		r = make_directories(tree->root, directories[i]);
	for (size_t i = 0; !r && i < ARRAY_SIZE(sources); i++)
		r = copy_tree(tree, sources[i]);
	return r;
}

int main(int argc, char **argv)
{
	struct simulated_machine machine;
	bool whole = argc == 5 && !strcmp(argv[4], "whole");
	int r;

	if (argc != 4 && !whole) {
		fprintf(stderr, "usage: make_tree PLATFORM-FILE STATE-DIRECTORY ROOT-DIRECTORY "
				"[whole]\n");
		return 2;
	}
	r = simulated_machine_init(&machine, argv[1], argv[2]);
	if (!r)
		r = copy_machine(&(struct tree){ machine.files, argv[3], whole });
	if (r < 0)
		fprintf(stderr, "make_tree: %s\n", strerror(-r));
	simulated_machine_done(&machine);
	return r < 0;
}

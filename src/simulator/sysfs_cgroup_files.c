// SPDX-License-Identifier: GPL-2.0-only
/*
 * One file per setting, in the form in which the kernel shows the setting (sysfs.md, "cgroup v2
 * cpuset"), so that the state directory can be read by eye.
 */
#include "simulator/sysfs_cgroup_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "base/fileio.h"

#define MAX_BYTES (1U << 20)

struct setting {
	const char *name;
	int (*parse)(struct sysfs_cgroup *group, char *text);
	void (*write)(const struct sysfs_cgroup *group, FILE *to);
};

static const char *const fault_words[] = {
	[SYSFS_PARTITION_VALID] = "",
	[SYSFS_PARTITION_EMPTY] = " invalid (cpuset.cpus and cpuset.cpus.exclusive are empty)",
	[SYSFS_PARTITION_NOT_EXCLUSIVE] = " invalid (Cpu list in cpuset.cpus not exclusive)",
	[SYSFS_PARTITION_NO_CPU_LEFT] = " invalid (Parent unable to distribute cpu downstream)",
	[SYSFS_PARTITION_BAD_EXCLUSIVE] = " invalid (Invalid cpu list in cpuset.cpus.exclusive)",
	[SYSFS_PARTITION_BAD_PARENT] = " invalid (Parent is an invalid partition root)",
};

static void write_cpus(const struct sysfs_cgroup *group, FILE *to)
{
	cpuset_write_ranges(&group->cpus, to);
}

static int parse_cpus(struct sysfs_cgroup *group, char *text)
{
	return cpulist_parse(text, &group->cpus);
}

static void write_exclusive(const struct sysfs_cgroup *group, FILE *to)
{
	cpuset_write_ranges(&group->exclusive, to);
}

static int parse_exclusive(struct sysfs_cgroup *group, char *text)
{
	return cpulist_parse(text, &group->exclusive);
}

void sysfs_cgroup_files_write_partition(enum sysfs_partition partition,
					enum sysfs_partition_fault fault, FILE *to)
{
	fprintf(to, "%s%s", sysfs_cgroup_tree_partitions[partition], fault_words[fault]);
}

int sysfs_cgroup_files_parse_partition(const char *text, enum sysfs_partition *ret_partition,
				       enum sysfs_partition_fault *ret_fault)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sysfs_cgroup_tree_partitions); i++) {
		size_t length = strlen(sysfs_cgroup_tree_partitions[i]);

		if (strncmp(text, sysfs_cgroup_tree_partitions[i], length) != 0)
			continue;
		for (unsigned int fault = 0; fault < ARRAY_SIZE(fault_words); fault++) {
			if (strcmp(text + length, fault_words[fault]) != 0)
				continue;
			*ret_partition = (enum sysfs_partition)i;
			*ret_fault = (enum sysfs_partition_fault)fault;
			return 0;
		}
	}
	return -EINVAL;
}

static void write_partition(const struct sysfs_cgroup *group, FILE *to)
{
	sysfs_cgroup_files_write_partition(group->partition, group->fault, to);
}

static int parse_partition(struct sysfs_cgroup *group, char *text)
{
	return sysfs_cgroup_files_parse_partition(text, &group->partition, &group->fault);
}

static void write_enabled(const struct sysfs_cgroup *group, FILE *to)
{
	sysfs_cgroup_tree_write_controllers(group->enabled, to);
}

static int parse_enabled(struct sysfs_cgroup *group, char *text)
{
	char *name;

	group->enabled = 0;
	while ((name = strsep(&text, " "))) {
		uint32_t controller = sysfs_cgroup_tree_controller(name);

		if (!controller && *name != '\0')
			return -EINVAL;
		group->enabled |= controller;
	}
	return 0;
}

static void write_pids(const struct sysfs_cgroup *group, FILE *to)
{
	for (size_t i = 0; i < group->n_pids; i++)
		fprintf(to, "%s%" PRIu32, i ? " " : "", group->pids[i]);
}

static int parse_pids(struct sysfs_cgroup *group, char *text)
{
	char *word;

	while ((word = strsep(&text, " "))) {
		unsigned long pid = strtoul(word, NULL, 10);
		int err;

		if (pid == 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
			continue;
		err = sysfs_cgroup_tree_attach(group, group, (uint32_t)pid);
		if (err)
			return err;
	}
	return 0;
}

static const struct setting settings[] = {
	{ "cgroup.procs", parse_pids, write_pids },
	{ "cgroup.subtree_control", parse_enabled, write_enabled },
	{ "cpuset.cpus", parse_cpus, write_cpus },
	{ "cpuset.cpus.exclusive", parse_exclusive, write_exclusive },
	{ "cpuset.cpus.partition", parse_partition, write_partition },
};

static int load_setting(int directory_fd, const struct setting *setting, struct sysfs_cgroup *group)
{
	_cleanup_close_ int fd =
		openat(directory_fd, setting->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = fileio_read_whole(fd, MAX_BYTES, &text, &length);
	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	return setting->parse(group, text);
}

int sysfs_cgroup_files_load(int fd, struct sysfs_cgroup *group)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = load_setting(fd, &settings[i], group);
	group->is_changed = false;
	return err;
}

static int save_setting(int directory_fd, const struct setting *setting,
			const struct sysfs_cgroup *group)
{
	int fd = openat(directory_fd, setting->name,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	_cleanup_fclose_ FILE *to = NULL;

	if (fd < 0)
		return -errno;
	to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		return -ENOMEM;
	}
	setting->write(group, to);
	fputc('\n', to);
	return fflush(to) == 0 ? 0 : -errno;
}

int sysfs_cgroup_files_save(int fd, const struct sysfs_cgroup *group)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = save_setting(fd, &settings[i], group);
	return err;
}

int sysfs_cgroup_files_remove(int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (unlinkat(fd, settings[i].name, 0) < 0 && errno != ENOENT)
			return -errno;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated machine's files as struct files: each access first suffers the faults that a user
 * ordered for its path, then looks at the state or changes it under the lock. Nothing but control
 * groups is stored as files: every text is made when it is read.
 */
#include "simulator/sysfs.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/sysfs_cgroup.h"
#include "simulator/sysfs_tree.h"

/* What a FILE has written to it. */
struct memory {
	FILE *stream;
	char *text;
	size_t length;
};

struct sysfs {
	struct files files; /* first: what callers hold */
	struct sim_state *state;
	struct sim_faults *faults;
	struct memory memory; /* kept from file to file: a new one costs more than most texts */
};

static struct sysfs *sysfs_of(struct files *files)
{
	return (struct sysfs *)(void *)files;
}

static int suffer(struct sysfs *sysfs, enum sim_fault_point point, const char *path)
{
	const struct sim_fault_event event = {
		.point = point,
		.write = point == SIM_FAULT_WRITE,
		.path = path,
	};
	struct sim_fault_effect effect = faults_meet(sysfs->faults, &event);

	faults_wait(effect.delay_us);
	return effect.error;
}

/* Suffers what is ordered, then takes the lock. On failure it is not held. */
static int begin(struct sysfs *sysfs, enum sim_fault_point point, const char *path)
{
	int err = suffer(sysfs, point, path);

	return err ? err : state_lock(sysfs->state);
}

static struct sysfs_place start_place(const struct sysfs *sysfs)
{
	return (struct sysfs_place){ .state = sysfs->state, .faults = sysfs->faults };
}

static int read_locked(struct sysfs *sysfs, const char *path, size_t limit, FILE *to)
{
	const char *in_cgroup = sysfs_cgroup_path(path);
	struct sysfs_place place = start_place(sysfs);

	place.limit = limit;
	return in_cgroup ? sysfs_cgroup_read(sysfs->state, in_cgroup, to)
			 : sysfs_tree_read(&place, path, to);
}

/* A copy of what was written to the stream, up to limit. */
static int copy_text(const struct memory *memory, size_t limit, char **ret_text, size_t *ret_length)
{
	off_t end = fflush(memory->stream) ? -1 : ftello(memory->stream);
	size_t length = (size_t)end;
	char *text;

	if (end < 0)
		return -ENOMEM;
	if (limit && length > limit)
		length = limit;
	text = malloc(length + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, memory->text, length);
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	return 0;
}

static int sysfs_read(struct files *files, const char *path, size_t limit, char **ret_text,
		      size_t *ret_length)
{
	struct sysfs *sysfs = sysfs_of(files);
	int err = begin(sysfs, SIM_FAULT_READ, path);

	if (err)
		return err;
	rewind(sysfs->memory.stream);
	err = read_locked(sysfs, path, limit, sysfs->memory.stream);
	state_unlock(sysfs->state);
	return err ? err : copy_text(&sysfs->memory, limit, ret_text, ret_length);
}

static int sysfs_write(struct files *files, const char *path, const char *text)
{
	const char *in_cgroup = sysfs_cgroup_path(path);
	struct sysfs *sysfs = sysfs_of(files);
	struct sysfs_place place = start_place(sysfs);
	int err = begin(sysfs, SIM_FAULT_WRITE, path);

	if (err)
		return err;
	err = in_cgroup ? sysfs_cgroup_write(sysfs->state, in_cgroup, text)
			: sysfs_tree_write(&place, path, text);
	state_unlock(sysfs->state);
	return err;
}

static int sysfs_list(struct files *files, const char *path, char ***ret_names)
{
	_cleanup_sysfs_names_ struct sysfs_names names = { 0 };
	const char *in_cgroup = sysfs_cgroup_path(path);
	struct sysfs *sysfs = sysfs_of(files);
	struct sysfs_place place = start_place(sysfs);
	int err = begin(sysfs, SIM_FAULT_READ, path);

	if (err)
		return err;
	err = in_cgroup ? sysfs_cgroup_list(sysfs->state, in_cgroup, &names)
			: sysfs_tree_list(&place, path, &names);
	state_unlock(sysfs->state);
	return err ? err : sysfs_names_finish(&names, ret_names);
}

/*
 * Makes or removes a directory: change does so with a control group's. Nobody may with any other:
 * that ends in an error, of which there is one for what exists and one for what does not.
 */
static int change_directory(struct files *files, const char *path,
			    int (*change)(struct sim_state *state, const char *path),
			    int existing_err, int missing_err)
{
	const char *in_cgroup = sysfs_cgroup_path(path);
	struct sysfs *sysfs = sysfs_of(files);
	struct sysfs_place place = start_place(sysfs);
	int err = begin(sysfs, SIM_FAULT_WRITE, path);

	if (err)
		return err;
	if (in_cgroup)
		err = change(sysfs->state, in_cgroup);
	else
		err = sysfs_tree_exists(&place, path) ? existing_err : missing_err;
	state_unlock(sysfs->state);
	return err;
}

static int sysfs_make_directory(struct files *files, const char *path)
{
	return change_directory(files, path, sysfs_cgroup_make, -EEXIST, -EPERM);
}

static int sysfs_remove_directory(struct files *files, const char *path)
{
	return change_directory(files, path, sysfs_cgroup_remove, -EPERM, -ENOENT);
}

static const struct files_ops sysfs_ops = {
	.read = sysfs_read,
	.write = sysfs_write,
	.list = sysfs_list,
	.make_directory = sysfs_make_directory,
	.remove_directory = sysfs_remove_directory,
};

int sysfs_open(struct sim_state *state, struct sim_faults *faults, struct files **ret_files)
{
	struct sysfs *sysfs = malloc(sizeof(*sysfs));

	if (!sysfs)
		return -ENOMEM;
	*sysfs = (struct sysfs){
		.files = { .ops = &sysfs_ops },
		.state = state,
		.faults = faults,
	};
	sysfs->memory.stream = open_memstream(&sysfs->memory.text, &sysfs->memory.length);
	if (!sysfs->memory.stream) {
		free(sysfs);
		return -ENOMEM;
	}
	*ret_files = &sysfs->files;
	return 0;
}

void sysfs_close(struct files *files)
{
	struct sysfs *sysfs = files ? sysfs_of(files) : NULL;

	if (!sysfs)
		return;
	fclose(sysfs->memory.stream);
	free(sysfs->memory.text);
	free(sysfs);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Writes, removes and reads the record of fast cores, priority.json, and lists of CPUs with one
 * line each: priority-cpus, priority-cpus.node0. Users other than root read the record; only its
 * owner and mode show that root wrote it. */
#include "choose/priority.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "base/number.h"
#include "host/run_directory.h"

#define LIST_NAME "priority-cpus"
#define MAX_BYTES (16U << 20)

static const struct run_file record_file = {
	.name = "priority.json",
	.format = "intel-speed-select-priority",
	.boot_member = "boot-id",
};

/* Names of enum priority_reason, in order of the bits; NULL-terminated. */
static const char *const reason_names[] = { "clos", "base-freq", "turbo-freq", NULL };
static const char *const unit_names[] = { "cores", "modules", NULL };
static const char *const counted_names[] = { "per package", NULL };

#define FIELD(type, field, text) JSON_FIELD(struct type, field, text), .max = PRIORITY_UNKNOWN - 1
#define KNOWN(type, field, text) \
	FIELD(type, field, text), .is_nullable = true, .null = PRIORITY_UNKNOWN
#define NUMBER(type, field, text) FIELD(type, field, text), .is_nullable = true
#define WORD(field, text, names) \
	JSON_FIELD_AS(struct priority_package, field, text, JSON_WORD), .words = (names)

static const struct json_field witness_fields[] = {
	{ JSON_FIELD(struct priority_witness, cpu, "cpu"), .is_nullable = true,
	  .null = PRIORITY_UNKNOWN, .max = CPUSET_MAX_CPU },
	{ NUMBER(priority_witness, base_khz, "base-khz") },
	{ 0 },
};
/* The fields of the first bucket; in each array, those of other buckets follow. */
static const struct json_field bucket_fields[] = {
	{ FIELD(sst_turbo, core_counts[0], "cores") },
	{ FIELD(sst_turbo, mhz[0][0], "mhz") },
	{ 0 },
};
static const struct json_field bucket = { .kind = JSON_PART, .fields = bucket_fields };
#define WITNESS(field)                                                                         \
	JSON_FIELD_AS(struct priority_package, field, #field, JSON_PART), .is_nullable = true, \
									  .fields = witness_fields
static const struct json_field package_fields[] = {
	{ FIELD(priority_package, package, "package") },
	{ KNOWN(priority_package, level, "level") },
	{ FIELD(priority_package, turbo_freq_on, "turbo-freq"), .is_optional = true },
	{ FIELD(priority_package, base_freq_on, "base-freq"), .is_optional = true },
	{ FIELD(priority_package, core_power_on, "core-power"), .is_optional = true },
	{ FIELD(priority_package, capacity, "capacity") },
	/* records of older programs have none */
	{ JSON_FIELD_AS(struct priority_package, buckets, "buckets", JSON_LIST),
	  .is_optional = true, .max = SST_BUCKETS, .element = &bucket,
	  .element_size = sizeof(uint32_t) },
	{ FIELD(priority_package, used, "used") },
	{ WORD(counts_modules, "unit", unit_names) },
	{ WORD(counted, "counted", counted_names) },
	{ WITNESS(fast) },
	{ WITNESS(other) },
	{ 0 },
};
static const struct json_field thread_set = { .kind = JSON_CPUS, .max = CPUSET_MAX_CPU };
const struct json_field priority_group_fields[] = {
	{ FIELD(priority_group, package, "package") },
	{ KNOWN(priority_group, node, "node") },
	{ JSON_FIELD_AS(struct priority_group, reasons, "reasons", JSON_WORDS),
	  .words = reason_names },
	{ NUMBER(priority_group, mhz, "mhz"), .is_optional = true },
	{ FIELD(priority_group, is_at_most, "at-most"), .is_optional = true },
	{ NUMBER(priority_group, high_mhz, FREQUENCY_KEY_HIGH), .is_optional = true },
	{ NUMBER(priority_group, above_mhz, FREQUENCY_KEY_ABOVE), .is_optional = true },
	{ FIELD(priority_group, base_mhz, FREQUENCY_KEY_BASE) },
	{ KNOWN(priority_group, clos, "clos") },
	{ KNOWN(priority_group, bucket, "bucket") },
	{ JSON_ARRAY(struct priority_group, threads, "threads", 1, PRIORITY_THREADS, &thread_set) },
	{ 0 },
};
#define OF_ALL                                                                                  \
	{ FIELD(priority, program, "program") },                                                \
		{ FIELD(priority, warnings, "warnings"), .is_optional = true },                 \
	{                                                                                       \
		JSON_ROWS_OF(struct priority, packages, "packages", n_packages, package_fields) \
	}
const struct json_field priority_shown_fields[] = {
	{ FIELD(priority, time, "published") },
	OF_ALL,
	{ 0 },
};
static const struct json_field record_fields[] = {
	{ FIELD(priority, time, "time") },
	OF_ALL,
	{ JSON_ROWS_OF(struct priority, groups, "groups", n_groups, priority_group_fields) },
	{ 0 },
};

void priority_done(struct priority *priority)
{
	json_free_fields(record_fields, priority);
	texts_done(&priority->texts);
	*priority = (struct priority){ 0 };
}

bool priority_exceeds_bucket(const struct priority_package *package)
{
	return package->turbo_freq_on && package->used > frequency_capacity(&package->buckets);
}

char *priority_explain_turbo_freq(const struct priority_package *package)
{
	static const char without[] = "turbo-freq makes no core faster";
	const char *unit = package->counts_modules ? "modules" : "cores";

	if (!package->turbo_freq_on || package->turbo_freq_helps)
		return NULL;
	if (!package->used)
		return text_format("package-%u: %s: none has high priority (CLOS 0 or 1)",
				   package->package, without);
	if (priority_exceeds_bucket(package))
		return text_format(
			"package-%u: %s: %zu %s have high priority (CLOS 0 or 1), but "
			"the largest bucket holds only %zu; for fewer %s, use turbo-freq "
			"enable --auto with a shorter --cpu list",
			package->package, without, package->used, unit, package->capacity, unit);
	if (package->turbo_by != FREQUENCY_TURBO_FREQ_BUCKET)
		return text_format("package-%u: %s: %s limits them to %u MHz", package->package,
				   without, frequency_limit_name(package->turbo_by),
				   package->turbo_mhz);
	return text_format("package-%u: %s: with all cores active the turbo-ratio limits give %u "
			   "MHz, too",
			   package->package, without, package->turbo_mhz);
}

/* Writes the list of the fast cores of a node, or of all nodes (PRIORITY_UNKNOWN). Never writes an
 * empty list, which a program could treat as all CPUs. */
static int write_list(const char *run_directory, const struct priority *priority, uint32_t node)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL, *path = NULL, *line = NULL;
	int err = 0;

	for (size_t i = 0; i < priority->n_groups && !err; i++) {
		const struct priority_group *group = &priority->groups[i];

		if (group->reasons && (node == PRIORITY_UNKNOWN || group->node == node))
			err = cpuset_add_all(&cpus, &group->threads[0]);
	}
	if (err || cpuset_is_empty(&cpus))
		return err;
	list = cpuset_format_ranges(&cpus);
	line = list ? text_format("%s\n", list) : NULL;
	path = node == PRIORITY_UNKNOWN
		       ? text_format("%s/" LIST_NAME, run_directory)
		       : text_format("%s/" LIST_NAME ".node%u", run_directory, node);
	return line && path ? fileio_replace(path, 0644, line, strlen(line)) : -ENOMEM;
}

static int write_lists(const char *run_directory, const struct priority *priority)
{
	_cleanup_cpuset_ struct cpuset nodes = { 0 };
	int err = write_list(run_directory, priority, PRIORITY_UNKNOWN);

	for (size_t i = 0; i < priority->n_groups && !err; i++) {
		if (priority->groups[i].node != PRIORITY_UNKNOWN)
			err = cpuset_add(&nodes, priority->groups[i].node);
	}
	cpuset_foreach (node, &nodes)
		err = err ?: write_list(run_directory, priority, node);
	return err;
}

static int write_all(const struct host *host, const struct priority *priority)
{
	int err = run_directory_make(host->run_directory);

	if (!err)
		err = write_lists(host->run_directory, priority);
	return err
		       ?: run_file_write(host->files, host->run_directory, &record_file,
					 json_write_fields(record_fields, priority));
}

int priority_publish(struct host *host, const struct priority_known *known,
		     struct priority *ret_priority, char **ret_message)
{
	const struct platform_options options = {
		.channel.tries = 3,
		.channel.answers = known ? known->answers : NULL,
	};
	_cleanup_(machine_close) struct machine *own = NULL;
	struct machine *machine = known ? known->machine : NULL;
	_cleanup_(platform_close) struct platform *platform = NULL;
	_cleanup_priority_ struct priority priority = { 0 };
	_cleanup_free_ char *ignored = NULL;
	int err = priority_withdraw(host, ret_message);

	if (!err && !machine) {
		err = machine_open(host, &own, ret_message);
		machine = own;
	}
	if (!err)
		err = platform_open(machine, &options, &platform, ret_message);
	if (err)
		return err;
	/* the map locates CPUs that go offline later; after a failure another command writes it */
	if (!cpu_map_has(host->files, host->run_directory, &machine->topology))
		cpu_map_write(host->files, host->run_directory, &machine->topology);
	err = priority_find(platform, &priority, ret_message);
	if (err)
		return err;
	err = write_all(host, &priority);
	if (err) {
		*ret_message = text_format("the record cannot be written in %s: %s",
					   host->run_directory, run_directory_problem(err));
		priority_withdraw(host, &ignored);
		return err;
	}
	if (ret_priority)
		*ret_priority = steal(priority);
	return 0;
}

bool priority_is_published(const struct host *host)
{
	return run_file_is_current(host->files, host->run_directory, &record_file, NULL);
}

/* Removal of the record. */

static int remove_lists(const char *run_directory)
{
	DIR *directory = opendir(run_directory);
	const struct dirent *entry;
	int err = directory || errno == ENOENT ? 0 : -errno;

	if (!directory)
		return err;
	while (!err && (errno = 0, entry = readdir(directory))) {
		if (strncmp(entry->d_name, LIST_NAME, strlen(LIST_NAME)) == 0 &&
		    unlinkat(dirfd(directory), entry->d_name, 0) < 0 && errno != ENOENT)
			err = -errno;
	}
	if (!err)
		err = -errno;
	closedir(directory);
	return err;
}

/* Sets the message if there is an error; returns it. */
static int explain_removal(const struct host *host, int err, char **ret_message)
{
	if (err)
		*ret_message = text_format("the record of fast cores in %s cannot be removed: %s",
					   host->run_directory, run_directory_problem(err));
	return err;
}

int priority_withdraw_record(const struct host *host, char **ret_message)
{
	_cleanup_free_ char *path = text_format("%s/%s", host->run_directory, record_file.name);
	int err = !path ? -ENOMEM : unlink(path) < 0 && errno != ENOENT ? -errno : 0;

	*ret_message = NULL;
	return explain_removal(host, err, ret_message);
}

int priority_withdraw(const struct host *host, char **ret_message)
{
	int err = priority_withdraw_record(host, ret_message);

	return err ?: explain_removal(host, remove_lists(host->run_directory), ret_message);
}

/* Reading of the record. */

/* Returns true if the user namespace maps user 0 of the outer one, or if that cannot be read. Files
 * of root then show the mapped user, never the overflow user. */
static bool knows_root(void)
{
	_cleanup_free_ char *map = NULL;
	size_t length;
	char *line, *rest;

	if (fileio_read("/proc/self/uid_map", 0, &map, &length))
		return true;
	for (line = strtok_r(map, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long inside, outside, count;

		if (sscanf(line, "%lu %lu %lu", &inside, &outside, &count) != 3 || outside == 0)
			return true;
	}
	return false;
}

static uint32_t read_overflow_user(void)
{
	_cleanup_free_ char *text = NULL;
	uint64_t user = 65534;
	size_t length;

	if (!fileio_read("/proc/sys/kernel/overflowuid", 32, &text, &length))
		number_parse_file(text, &user);
	return (uint32_t)user;
}

static bool is_read_only(int fd)
{
	struct statvfs about;

	return fstatvfs(fd, &about) == 0 && about.f_flag & ST_RDONLY;
}

/* Returns why the record cannot be trusted, static text; or NULL. If the machine is not that of
 * this kernel, the present user may own the record. */
static const char *find_distrust(const struct host *host, int fd, const struct stat *about)
{
	if (!S_ISREG(about->st_mode))
		return "it is not a regular file";
	if (about->st_mode & (S_IWGRP | S_IWOTH))
		return "users other than its owner may write to it";
	if (about->st_uid == 0 || (!host->has_kernel && about->st_uid == geteuid()))
		return NULL;
	if (about->st_uid != read_overflow_user() || knows_root())
		return "it belongs to another user than root";
	return is_read_only(fd) ? NULL
				: "its owner is unknown in this user namespace, and its file "
				  "system is not mounted read-only";
}

static int refuse(const struct host *host, const char *reason, char **ret_message)
{
	*ret_message =
		text_format("%s/%s is refused: %s; `%s priority publish`, as root, "
			    "writes it again",
			    host->run_directory, record_file.name, reason, host_command(host));
	return -EPERM;
}

static bool has_package(const struct priority *priority, uint32_t number)
{
	for (size_t i = 0; i < priority->n_packages; i++) {
		if (priority->packages[i].package == number)
			return true;
	}
	return false;
}

/* Adds the CPUs of a group to those of earlier groups. Returns 0; -EBADMSG if the sets differ in
 * size, or if a CPU is there already, since it is a thread of only one core; or -ENOMEM. */
static int take_cpus(const struct priority_group *group, struct cpuset *cpus)
{
	const size_t n_cores = cpuset_count(&group->threads[0]);

	for (size_t i = 0; i < PRIORITY_THREADS; i++) {
		const size_t count = cpuset_count(&group->threads[i]);

		if (i == 0 ? count == 0 : count > 0 && count != n_cores)
			return -EBADMSG;
		if (cpuset_intersects(cpus, &group->threads[i]))
			return -EBADMSG;
		if (cpuset_add_all(cpus, &group->threads[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Returns true if a text has only printable ASCII characters: texts are shown unchanged. */
static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

/* Returns 0, -EBADMSG or -ENOMEM, with what priority_done() frees. */
static int take_record(json_t *root, struct priority *priority)
{
	struct json_reader reader = { .file_name = record_file.name, .ignores_others = true };
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *message = NULL;
	int err;

	json_read_fields(&reader, root, record_fields, priority);
	err = json_reader_finish(&reader, &message);
	if (err)
		return err == -ENOMEM ? err : -EBADMSG;
	if (!is_plain(priority->time) || !is_plain(priority->program))
		return -EBADMSG;
	for (size_t i = 0; i < priority->warnings.count; i++) {
		if (!is_plain(priority->warnings.list[i]))
			return -EBADMSG;
	}
	for (size_t i = 0; i < priority->n_groups && !err; i++) {
		const struct priority_group *group = &priority->groups[i];

		err = has_package(priority, group->package) ? take_cpus(group, &cpus) : -EBADMSG;
	}
	priority->time = texts_take(&priority->texts, strdup(priority->time));
	priority->program = texts_take(&priority->texts, strdup(priority->program));
	return err ?: priority->texts.has_failed ? -ENOMEM : 0;
}

/* Opens and reads the file. Returns 0 or a negative errno with *ret_message. */
static int read_text(const struct host *host, char **ret_text, size_t *ret_length,
		     char **ret_message)
{
	_cleanup_free_ char *path = text_format("%s/%s", host->run_directory, record_file.name);
	_cleanup_close_ int fd =
		path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	const char *distrust;
	struct stat about;
	int err;

	if (!path)
		return -ENOMEM;
	if (fd < 0 && errno == ENOENT) {
		*ret_message =
			text_format("there is no record of fast cores (%s); on a machine with "
				    "Speed Select `%s priority publish`, as root, writes it, "
				    "and so does each setting command",
				    path, host_command(host));
		return -ENOENT;
	}
	if (fd < 0 && errno == ELOOP)
		return refuse(host, "it is a link", ret_message);
	if (fd < 0 || fstat(fd, &about) < 0) {
		err = -errno;
		*ret_message = text_format("%s cannot be read: %s", path, strerror(-err));
		return err;
	}
	distrust = find_distrust(host, fd, &about);
	if (distrust)
		return refuse(host, distrust, ret_message);
	err = fileio_read_whole(fd, MAX_BYTES, ret_text, ret_length);
	if (err == -EFBIG)
		return refuse(host, "it is larger than 16 MiB", ret_message);
	if (err && err != -ENOMEM)
		*ret_message = text_format("%s cannot be read: %s", path, strerror(-err));
	return err;
}

int priority_read(const struct host *host, struct priority *ret_priority, char **ret_message)
{
	_cleanup_priority_ struct priority priority = { 0 };
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_t *root = NULL;
	size_t length;
	int err;

	*ret_message = NULL;
	err = read_text(host, &text, &length, ret_message);
	if (err)
		return err;
	err = run_file_parse(host->files, &record_file, text, length, &root);
	if (!err)
		err = take_record(root, &priority);
	if (err == -ESTALE)
		return refuse(host, "it was written in another boot", ret_message);
	if (err == -EBADMSG)
		return refuse(host, "it is damaged, or another version of this program wrote it",
			      ret_message);
	if (err) {
		*ret_message = text_format("%s/%s cannot be read: %s", host->run_directory,
					   record_file.name, strerror(-err));
		return err;
	}
	*ret_priority = steal(priority);
	return 0;
}

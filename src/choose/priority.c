// SPDX-License-Identifier: GPL-2.0-only
/* Writes, removes and reads the record of fast cores, priority.json, and beside it lists of CPUs,
 * one line each: priority-cpus, priority-cpus.node0. Users that are not root read the record, so
 * that nothing but its owner and mode shows that root wrote it. */
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

void priority_done(struct priority *priority)
{
	for (size_t i = 0; i < priority->n_groups; i++) {
		for (size_t j = 0; j < PRIORITY_THREADS; j++)
			cpuset_done(&priority->groups[i].threads[j]);
	}
	free(priority->groups);
	free(priority->packages);
	free(priority->time);
	free(priority->program);
	*priority = (struct priority){ 0 };
}

/* Have more cores high priority than the largest bucket of SST-TF holds? */
static bool exceeds_bucket(const struct priority_package *package)
{
	return package->turbo_freq_on && package->used > frequency_capacity(&package->buckets);
}

static bool has_fast(const struct priority *priority)
{
	for (size_t i = 0; i < priority->n_groups; i++) {
		if (priority->groups[i].reasons)
			return true;
	}
	return false;
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
	if (exceeds_bucket(package))
		return text_format("package-%u: %s: %zu %s have high priority (CLOS 0 or 1), and "
				   "the largest bucket holds %zu",
				   package->package, without, package->used, unit,
				   package->capacity);
	if (package->turbo_by != FREQUENCY_TURBO_FREQ_BUCKET)
		return text_format("package-%u: %s: %s limits them to %u MHz", package->package,
				   without, frequency_limit_name(package->turbo_by),
				   package->turbo_mhz);
	return text_format("package-%u: %s: with all cores active the turbo-ratio limits give %u "
			   "MHz, too",
			   package->package, without, package->turbo_mhz);
}

json_t *priority_pack_warnings(const struct priority *priority)
{
	json_t *warnings = json_array();

	for (size_t i = 0; i < priority->n_packages; i++) {
		const struct priority_package *package = &priority->packages[i];

		if (exceeds_bucket(package))
			json_array_append_new(
				warnings,
				json_sprintf("package %u: %zu %s have high priority, and the "
					     "largest bucket holds %zu",
					     package->package, package->used,
					     package->counts_modules ? "modules" : "cores",
					     (size_t)frequency_capacity(&package->buckets)));
	}
	if (!has_fast(priority))
		json_array_append_new(warnings, json_string("no feature makes any core fast"));
	return warnings;
}

/* Making the record. */

static json_t *pack_known(uint32_t number)
{
	return number == PRIORITY_UNKNOWN ? json_null() : json_integer(number);
}

static json_t *number_or_null(uint32_t number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *pack_witness(const struct priority_witness *witness)
{
	if (witness->cpu == PRIORITY_UNKNOWN)
		return json_null();
	return json_pack("{s:I, s:o}", "cpu", (json_int_t)witness->cpu, "base-khz",
			 witness->base_khz ? json_integer(witness->base_khz) : json_null());
}

static json_t *pack_buckets(const struct sst_turbo *buckets)
{
	json_t *list = json_array();

	for (size_t i = 0; i < SST_BUCKETS && buckets->core_counts[i]; i++)
		json_array_append_new(list, json_pack("{s:I, s:I}", "cores",
						      (json_int_t)buckets->core_counts[i], "mhz",
						      (json_int_t)buckets->mhz[0][i]));
	return list;
}

json_t *priority_pack_package(const struct priority_package *package)
{
	return json_pack("{s:I, s:o, s:b, s:b, s:b, s:I, s:o, s:I, s:s, s:s, s:o, s:o}", "package",
			 (json_int_t)package->package, "level", pack_known(package->level),
			 "turbo-freq", package->turbo_freq_on, "base-freq", package->base_freq_on,
			 "core-power", package->core_power_on, "capacity",
			 (json_int_t)package->capacity, "buckets", pack_buckets(&package->buckets),
			 "used", (json_int_t)package->used, "unit",
			 package->counts_modules ? "modules" : "cores", "counted", "per package",
			 "fast", pack_witness(&package->fast), "other",
			 pack_witness(&package->other));
}

static json_t *pack_reasons(unsigned int reasons)
{
	json_t *names = json_array();

	for (size_t i = 0; reason_names[i]; i++) {
		if (reasons & (1U << i))
			json_array_append_new(names, json_string(reason_names[i]));
	}
	return names;
}

json_t *priority_pack_group(const struct priority_group *group)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < PRIORITY_THREADS; i++) {
		_cleanup_free_ char *list = cpuset_format_ranges(&group->threads[i]);

		if (!list || *list)
			json_array_append_new(threads, json_string(list));
	}
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "package",
			 (json_int_t)group->package, "node", pack_known(group->node), "reasons",
			 pack_reasons(group->reasons), "mhz", number_or_null(group->mhz),
			 "high-mhz", number_or_null(group->high_mhz), "not-taken-over-mhz",
			 number_or_null(group->above_mhz), "base-mhz", (json_int_t)group->base_mhz,
			 "clos", pack_known(group->clos), "bucket", pack_known(group->bucket),
			 "threads", threads);
}

static json_t *pack_record(const struct priority *priority)
{
	json_t *packages = json_array(), *groups = json_array();

	for (size_t i = 0; i < priority->n_packages; i++)
		json_array_append_new(packages, priority_pack_package(&priority->packages[i]));
	for (size_t i = 0; i < priority->n_groups; i++)
		json_array_append_new(groups, priority_pack_group(&priority->groups[i]));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "time", priority->time, "program",
			 priority->program, "warnings", priority_pack_warnings(priority),
			 "packages", packages, "groups", groups);
}

/* Writes one list: of the fast cores of a node, or (PRIORITY_UNKNOWN) of all; nothing if there are
 * none, as a program that gets an empty list may take it for all CPUs. */
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
					 pack_record(priority));
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
	/* CPUs that go offline by hand later are found by it; if not, another command writes it */
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

/* Removing it. */

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

/* Reading it. */

/* Is the user with the id 0 of the namespace outside known in this one? Then what root owns shows
 * that id, and never the overflow user. */
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

/* Why the record cannot be trusted, static text; or NULL. If the machine is not that of this
 * kernel, the record is of its user. */
static const char *find_distrust(const struct host *host, int fd, const struct stat *about)
{
	if (!S_ISREG(about->st_mode))
		return "it is not a regular file";
	if (about->st_mode & (S_IWGRP | S_IWOTH))
		return "others than its owner may write to it";
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

static bool take_known(const json_t *value, uint32_t *ret_number)
{
	json_int_t number = json_integer_value(value);

	if (json_is_null(value))
		*ret_number = PRIORITY_UNKNOWN;
	else if (json_is_integer(value) && number >= 0 && number < PRIORITY_UNKNOWN)
		*ret_number = (uint32_t)number;
	else
		return false;
	return true;
}

static bool take_number(const json_t *value, uint32_t *ret_number)
{
	return take_known(value, ret_number) && *ret_number != PRIORITY_UNKNOWN;
}

static bool take_witness(const json_t *value, struct priority_witness *witness)
{
	witness->cpu = PRIORITY_UNKNOWN;
	if (json_is_null(value))
		return true;
	if (!take_number(json_object_get(value, "cpu"), &witness->cpu) ||
	    !take_known(json_object_get(value, "base-khz"), &witness->base_khz) ||
	    witness->cpu > CPUSET_MAX_CPU)
		return false;
	if (witness->base_khz == PRIORITY_UNKNOWN)
		witness->base_khz = 0;
	return true;
}

static bool take_buckets(const json_t *value, struct sst_turbo *buckets)
{
	const json_t *bucket;
	size_t i;

	if (value && (!json_is_array(value) || json_array_size(value) > SST_BUCKETS))
		return false; /* a record of an older program has none */
	json_array_foreach (value, i, bucket) {
		if (!take_number(json_object_get(bucket, "cores"), &buckets->core_counts[i]) ||
		    !take_number(json_object_get(bucket, "mhz"), &buckets->mhz[0][i]))
			return false;
	}
	return true;
}

static bool take_package(const json_t *value, struct priority_package *package)
{
	uint32_t capacity, used;
	const char *unit = json_get_text(value, "unit");

	if (!take_number(json_object_get(value, "package"), &package->package) ||
	    !take_known(json_object_get(value, "level"), &package->level) ||
	    !take_number(json_object_get(value, "capacity"), &capacity) ||
	    !take_number(json_object_get(value, "used"), &used) || !unit ||
	    !take_buckets(json_object_get(value, "buckets"), &package->buckets) ||
	    !take_witness(json_object_get(value, "fast"), &package->fast) ||
	    !take_witness(json_object_get(value, "other"), &package->other))
		return false;
	package->turbo_freq_on = json_is_true(json_object_get(value, "turbo-freq"));
	package->base_freq_on = json_is_true(json_object_get(value, "base-freq"));
	package->core_power_on = json_is_true(json_object_get(value, "core-power"));
	package->counts_modules = strcmp(unit, "modules") == 0;
	package->capacity = capacity;
	package->used = used;
	return true;
}

static bool take_threads(const json_t *value, struct priority_group *group)
{
	size_t count = json_array_size(value);

	if (count == 0 || count > PRIORITY_THREADS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *list = json_string_value(json_array_get(value, i));

		if (!list || cpulist_parse(list, &group->threads[i]) ||
		    cpuset_is_empty(&group->threads[i]) ||
		    cpuset_count(&group->threads[i]) != cpuset_count(&group->threads[0]))
			return false;
	}
	return true;
}

static bool take_reasons(const json_t *value, unsigned int *ret_reasons)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return false;
	json_array_foreach (value, i, item) {
		unsigned int bit = 0;

		if (!json_is_string(item))
			return false;
		while (reason_names[bit] && strcmp(reason_names[bit], json_string_value(item)) != 0)
			bit++;
		if (!reason_names[bit])
			return false;
		*ret_reasons |= 1U << bit;
	}
	return true;
}

/* A frequency; null is 0, and so is one that a record of an older program lacks. */
static bool take_mhz(const json_t *value, uint32_t *ret_mhz)
{
	*ret_mhz = 0;
	if (value && !take_known(value, ret_mhz))
		return false;
	if (*ret_mhz == PRIORITY_UNKNOWN)
		*ret_mhz = 0;
	return true;
}

static bool take_group(const json_t *value, struct priority_group *group)
{
	if (!take_number(json_object_get(value, "package"), &group->package) ||
	    !take_known(json_object_get(value, "node"), &group->node) ||
	    !take_reasons(json_object_get(value, "reasons"), &group->reasons) ||
	    !take_mhz(json_object_get(value, "mhz"), &group->mhz) ||
	    !take_mhz(json_object_get(value, "high-mhz"), &group->high_mhz) ||
	    !take_mhz(json_object_get(value, "not-taken-over-mhz"), &group->above_mhz) ||
	    !take_number(json_object_get(value, "base-mhz"), &group->base_mhz) ||
	    !take_known(json_object_get(value, "clos"), &group->clos) ||
	    !take_known(json_object_get(value, "bucket"), &group->bucket) ||
	    !take_threads(json_object_get(value, "threads"), group))
		return false;
	return true;
}

static bool has_package(const struct priority *priority, uint32_t number)
{
	for (size_t i = 0; i < priority->n_packages; i++) {
		if (priority->packages[i].package == number)
			return true;
	}
	return false;
}

/* Adds the CPUs of a group to those of the groups before it. Returns 0; -EBADMSG if one of them is
 * there already: a CPU is a thread of one core; or -ENOMEM. */
static int take_cpus(const struct priority_group *group, struct cpuset *cpus)
{
	for (size_t i = 0; i < PRIORITY_THREADS; i++) {
		if (cpuset_intersects(cpus, &group->threads[i]))
			return -EBADMSG;
		if (cpuset_add_all(cpus, &group->threads[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Texts are shown as they are. */
static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

/* Returns 0, -EBADMSG or -ENOMEM, with what priority_done() frees. */
static int take_record(json_t *root, struct priority *priority)
{
	const char *time, *program;
	json_t *packages, *groups, *item;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	size_t i;

	if (json_unpack_ex(root, NULL, 0, "{s:s, s:s, s:o, s:o}", "time", &time, "program",
			   &program, "packages", &packages, "groups", &groups) < 0 ||
	    !json_is_array(packages) || !json_is_array(groups) || !is_plain(time) ||
	    !is_plain(program))
		return -EBADMSG;
	priority->time = strdup(time);
	priority->program = strdup(program);
	if (!priority->time || !priority->program)
		return -ENOMEM;
	json_array_foreach (packages, i, item) {
		struct priority_package *package =
			array_add(&priority->packages, &priority->n_packages, sizeof(*package));

		if (!package)
			return -ENOMEM;
		if (!take_package(item, package))
			return -EBADMSG;
	}
	json_array_foreach (groups, i, item) {
		struct priority_group *group =
			array_add(&priority->groups, &priority->n_groups, sizeof(*group));
		int err;

		if (!group)
			return -ENOMEM;
		if (!take_group(item, group) || !has_package(priority, group->package))
			return -EBADMSG;
		err = take_cpus(group, &cpus);
		if (err)
			return err;
	}
	return 0;
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
		*ret_message = text_format("there is no record of fast cores (%s); `%s priority "
					   "publish`, as root, writes it, and so does each setting "
					   "command",
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
		return refuse(host, "it is of another boot", ret_message);
	if (err == -EBADMSG)
		return refuse(host, "it is damaged, or of another version", ret_message);
	if (err) {
		*ret_message = text_format("%s/%s cannot be read: %s", host->run_directory,
					   record_file.name, strerror(-err));
		return err;
	}
	*ret_priority = steal(priority);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* A stand-in for the Speed Select driver, loaded by LD_PRELOAD: the program opens the real device
 * path and makes real calls; here they are answered by the simulated driver, and the kernel's files
 * come from a directory that make_tree wrote. Every request also makes one ioctl system call that
 * fails, so that a tracer counts what a real machine would see.
 *
 * ISST_STANDIN_PLATFORM, ISST_STANDIN_STATE and ISST_STANDIN_ROOT name platform file, state
 * directory and that directory; ISST_STANDIN_LOG a file that gets a line for each request
 * (requests.c). With ISST_STANDIN_LIVE, kernel files are answered by the simulated kernel (live.c),
 * so that they follow what is set, /proc/cmdline is the file at ISST_STANDIN_CMDLINE and /proc/stat
 * that at ISST_STANDIN_STAT; the file at ISST_STANDIN_LOCKS gets a line for each exclusive lock;
 * ISST_STANDIN_TRICK makes the driver misbehave (trick.c), and
 * makes the file at ISST_STANDIN_PLAYED when it did. With ISST_STANDIN_READ_ONLY every file is on a
 * mount that is read-only, and with ISST_STANDIN_LATE timers are a millisecond late. Lines for
 * syslog go into a file (keep_line()).
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "live.h"
#include "memory.h"
#include "simulated_machine.h"
#include "requests.h"
#include "trick.h"

/* From here to the end of the block nothing that is allocated is the program's (memory.c). */
#define PAUSE_MEMORY                                               \
	int pause __attribute__((cleanup(end_pause), unused)) = 1; \
	set_pause(1)

static void set_pause(int paused)
{
	if (memory_pause)
		memory_pause(paused);
}

static void end_pause(int *pause)
{
	(void)pause;
	set_pause(0);
}

/* Calls the function of that name that this library replaces. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static struct {
	struct simulated_machine machine;
	struct transport *transport;
	int fds[4]; /* the program may open the device more than once at a time */
} device = { .fds = { -1, -1, -1, -1 } };

/* Replaces a descriptor of the device by another one. Returns whether it was found. */
static int replace_fd(int fd, int by)
{
	for (size_t i = 0; i < ARRAY_SIZE(device.fds); i++) {
		if (device.fds[i] != fd)
			continue;
		device.fds[i] = by;
		return 1;
	}
	return 0;
}

static const char *log_name = "";

#define MSRS "/dev/cpu"

static const char *const shown_paths[] = {
	MSRS,
	"/proc/cmdline",
	"/proc/cpuinfo",
	"/proc/irq",
	"/proc/self/uid_map",
	"/proc/sys/kernel",
	"/run/intel-speed-select",
	"/sys/bus/auxiliary",
	"/sys/class/powercap",
	"/sys/devices/cpu_atom",
	"/sys/devices/cpu_core",
	"/sys/devices/cpu_lowpower",
	"/sys/devices/system/clocksource",
	"/sys/devices/system/cpu",
	"/sys/fs/cgroup",
	"/sys/kernel/debug",
	"/sys/kernel/mm/transparent_hugepage",
	"/sys/kernel/realtime",
};

/* Is it the list of processes, or a file of one of them by number? */
static int is_of_processes(const char *path)
{
	return !strcmp(path, "/proc") || !strcmp(path, "/proc/") ||
	       (!strncmp(path, "/proc/", 6) && path[6] >= '0' && path[6] <= '9');
}

/* The file of the test in place of one that is real unless a test has another, or NULL. */
static const char *replacement(const char *path)
{
	return !strcmp(path, "/proc/cmdline") ? getenv("ISST_STANDIN_CMDLINE")
	       : !strcmp(path, "/proc/stat")  ? getenv("ISST_STANDIN_STAT")
					      : NULL;
}

/* The path that replaces path: in buffer, or path itself. */
static const char *real_path(const char *path, char buffer[PATH_MAX])
{
	const char *root = getenv("ISST_STANDIN_ROOT");

	if (!root)
		return path;
	if (is_of_processes(path)) {
		snprintf(buffer, PATH_MAX, "%s%s", root, path);
		return buffer;
	}
	if (replacement(path)) {
		snprintf(buffer, PATH_MAX, "%s", replacement(path));
		return buffer;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shown_paths); i++) {
		size_t length = strlen(shown_paths[i]);

		if (strncmp(path, shown_paths[i], length))
			continue;
		if (path[length] && path[length] != '/')
			continue;
		snprintf(buffer, PATH_MAX, "%s%s", root, path);
		return buffer;
	}
	return path;
}

static int open_machine(void)
{
	const char *platform_file = getenv("ISST_STANDIN_PLATFORM");
	const char *state_directory = getenv("ISST_STANDIN_STATE");
	int r;

	PAUSE_MEMORY;

	if (device.machine.state)
		return 0;
	if (!platform_file || !state_directory)
		return -ENOENT;
	r = simulated_machine_init(&device.machine, platform_file, state_directory);
	if (r)
		simulated_machine_done(&device.machine);
	return r;
}

static int open_device(void)
{
	PAUSE_MEMORY;
	int r = open_machine();

	if (!r && !device.transport)
		r = driver_open(device.machine.state, device.machine.faults, &device.transport);
	if (r < 0) {
		errno = -r;
		return -1;
	}
	trick_open();
	r = memfd_create("isst_interface", MFD_CLOEXEC);
	replace_fd(-1, r);
	return r;
}

/* The simulated kernel if it answers for this path; NULL if a real file does. */
static struct files *live_files(const char *path)
{
	char buffer[PATH_MAX];

	if (!getenv("ISST_STANDIN_LIVE") || real_path(path, buffer) == path ||
	    !strncmp(path, "/run", strlen("/run")) || !strncmp(path, MSRS, strlen(MSRS)) ||
	    !strcmp(path, "/proc/cmdline") || replacement(path) || open_machine())
		return NULL;
	return device.machine.files;
}

/* A result of the simulated kernel in the form of the C library. */
static int told(int r)
{
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

static mode_t mode_argument(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

static int open_at(int directory_fd, const char *path, int flags, mode_t mode)
{
	char buffer[PATH_MAX];

	struct files *files;

	if (!strcmp(path, ISST_DEVICE_PATH))
		return open_device();
	files = live_files(path);
	if (files) {
		PAUSE_MEMORY;
		return told(live_open(files, path, flags));
	}
	return NEXT(openat)(directory_fd, real_path(path, buffer), flags, mode);
}

#define STAND_IN_FRONT_OF_OPEN(name)                         \
	int name(const char *path, int flags, ...)           \
	{                                                    \
		va_list arguments;                           \
		mode_t mode;                                 \
                                                             \
		va_start(arguments, flags);                  \
		mode = mode_argument(flags, arguments);      \
		va_end(arguments);                           \
		return open_at(AT_FDCWD, path, flags, mode); \
	}

#define STAND_IN_FRONT_OF_OPENAT(name)                               \
	int name(int directory_fd, const char *path, int flags, ...) \
	{                                                            \
		va_list arguments;                                   \
		mode_t mode;                                         \
                                                                     \
		va_start(arguments, flags);                          \
		mode = mode_argument(flags, arguments);              \
		va_end(arguments);                                   \
		return open_at(directory_fd, path, flags, mode);     \
	}

/* A function of a path and, perhaps, more. */
#define STAND_IN_FRONT_OF_PATH(result, name, parameters, ...) \
	result name parameters                                \
	{                                                     \
		char buffer[PATH_MAX];                        \
                                                              \
		path = real_path(path, buffer);               \
		return NEXT(name)(__VA_ARGS__);               \
	}

STAND_IN_FRONT_OF_OPEN(open)
STAND_IN_FRONT_OF_OPEN(open64)
STAND_IN_FRONT_OF_OPENAT(openat)
STAND_IN_FRONT_OF_OPENAT(openat64)
STAND_IN_FRONT_OF_PATH(FILE *, fopen, (const char *path, const char *mode), path, mode)
STAND_IN_FRONT_OF_PATH(FILE *, fopen64, (const char *path, const char *mode), path, mode)
STAND_IN_FRONT_OF_PATH(DIR *, opendir, (const char *path), path)
STAND_IN_FRONT_OF_PATH(int, access, (const char *path, int mode), path, mode)
STAND_IN_FRONT_OF_PATH(int, stat, (const char *path, struct stat *ret_status), path, ret_status)
STAND_IN_FRONT_OF_PATH(int, stat64, (const char *path, struct stat64 *ret_status), path, ret_status)
STAND_IN_FRONT_OF_PATH(int, lstat, (const char *path, struct stat *ret_status), path, ret_status)
STAND_IN_FRONT_OF_PATH(int, lstat64, (const char *path, struct stat64 *ret_status), path,
		       ret_status)
STAND_IN_FRONT_OF_PATH(int, unlink, (const char *path), path)
STAND_IN_FRONT_OF_PATH(int, chmod, (const char *path, mode_t mode), path, mode)
STAND_IN_FRONT_OF_PATH(char *, realpath, (const char *path, char *resolved), path, resolved)

int flock(int fd, int operation)
{
	const char *list = getenv("ISST_STANDIN_LOCKS");
	int result = NEXT(flock)(fd, operation);
	char link[64], path[PATH_MAX];
	FILE *file = result == 0 && (operation & LOCK_EX) && list ? fopen(list, "ae") : NULL;
	ssize_t length;

	if (!file)
		return result;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	fprintf(file, "%.*s\n", length < 0 ? 0 : (int)length, path);
	fclose(file);
	return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
		    struct timespec *ret_left)
{
	const struct timespec late = { .tv_nsec = 1000000 };
	int r = NEXT(clock_nanosleep)(clock, flags, until, ret_left);

	if (getenv("ISST_STANDIN_LATE"))
		nanosleep(&late, NULL);
	return r;
}

int mkdir(const char *path, mode_t mode)
{
	struct files *files = live_files(path);
	char buffer[PATH_MAX];

	if (files)
		return told(files_change_directory(files, path, true));
	return NEXT(mkdir)(real_path(path, buffer), mode);
}

int rmdir(const char *path)
{
	struct files *files = live_files(path);
	char buffer[PATH_MAX];

	if (files)
		return told(files_change_directory(files, path, false));
	return NEXT(rmdir)(real_path(path, buffer));
}

ssize_t write(int fd, const void *data, size_t length)
{
	ssize_t r;

	if (!live_owns(fd))
		return NEXT(write)(fd, data, length);
	PAUSE_MEMORY;
	r = live_write(device.machine.files, fd, data, length);
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

#define STAND_IN_FRONT_OF_PREAD(name, offset_type)                                    \
	ssize_t name(int fd, void *data, size_t length, offset_type offset)           \
	{                                                                             \
		ssize_t r;                                                            \
                                                                                      \
		if (!live_owns(fd))                                                   \
			return NEXT(name)(fd, data, length, offset);                  \
		PAUSE_MEMORY;                                                         \
		r = live_read(device.machine.files, fd, data, length, (off_t)offset); \
		if (r >= 0)                                                           \
			return r;                                                     \
		errno = (int)-r;                                                      \
		return -1;                                                            \
	}

STAND_IN_FRONT_OF_PREAD(pread, off_t)
STAND_IN_FRONT_OF_PREAD(pread64, off64_t)

int close(int fd)
{
	if (fd >= 0)
		replace_fd(fd, -1);
	live_forget(fd);
	return NEXT(close)(fd);
}

#ifdef CLOSE_RANGE_CLOEXEC
int close_range(unsigned int first, unsigned int last, int flags)
{
	for (unsigned int fd = first; fd <= last; fd++)
		live_forget((int)fd);
	return NEXT(close_range)(first, last, flags);
}
#endif

/* The names that the simulated kernel lists, in the form of scandir. */
static int list_live(struct files *files, const char *path, struct dirent ***ret_entries)
{
	_cleanup_(files_free_names) char **names = NULL;
	struct dirent **entries;
	int count = 0, r = files_list(files, path, &names);

	if (r)
		return told(r);
	while (names[count])
		count++;
	entries = calloc((size_t)count + 1, sizeof(struct dirent *));
	for (int i = 0; entries && i < count; i++) {
		entries[i] = calloc(1, sizeof(struct dirent));
		if (entries[i])
			snprintf(entries[i]->d_name, sizeof(entries[i]->d_name), "%s", names[i]);
	}
	*ret_entries = entries;
	return entries ? count : told(-ENOMEM);
}

int scandir(const char *path, struct dirent ***ret_entries,
	    int (*filter)(const struct dirent *entry),
	    int (*compare)(const struct dirent **a, const struct dirent **b))
{
	struct files *files = live_files(path);
	char buffer[PATH_MAX];

	if (files)
		return list_live(files, path, ret_entries);
	return NEXT(scandir)(real_path(path, buffer), ret_entries, filter, compare);
}

int scandir64(const char *path, struct dirent64 ***ret_entries,
	      int (*filter)(const struct dirent64 *entry),
	      int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
	struct files *files = live_files(path);
	char buffer[PATH_MAX];

	/* Both kinds of entries are the same on 64-bit machines. */
	static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "two kinds of entries");
	if (files)
		return list_live(files, path, (struct dirent ***)ret_entries);
	return NEXT(scandir64)(real_path(path, buffer), ret_entries, filter, compare);
}

int fstatvfs(int fd, struct statvfs *ret_status)
{
	int r = NEXT(fstatvfs)(fd, ret_status);

	if (!r && getenv("ISST_STANDIN_READ_ONLY"))
		ret_status->f_flag |= ST_RDONLY;
	return r;
}

int fstatvfs64(int fd, struct statvfs64 *ret_status)
{
	int r = NEXT(fstatvfs64)(fd, ret_status);

	if (!r && getenv("ISST_STANDIN_READ_ONLY"))
		ret_status->f_flag |= ST_RDONLY;
	return r;
}

int rename(const char *from, const char *to)
{
	char from_buffer[PATH_MAX], to_buffer[PATH_MAX];

	return NEXT(rename)(real_path(from, from_buffer), real_path(to, to_buffer));
}

/* What goes to syslog is in the file "syslog" of the directory that ISST_STANDIN_ROOT names. */
static void __attribute__((format(printf, 2, 0)))
keep_line(int priority, const char *format, va_list arguments)
{
	const char *root = getenv("ISST_STANDIN_ROOT");
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/syslog", root ? root : ".");
	file = root ? fopen(path, "ae") : NULL;
	if (!file)
		return;
	fprintf(file, "<%d>%s: ", priority, log_name);
	vfprintf(file, format, arguments);
	fputc('\n', file);
	fclose(file);
}

void openlog(const char *name, int options, int facility)
{
	(void)options;
	(void)facility;
	log_name = name;
}

void syslog(int priority, const char *format, ...)
{
	PAUSE_MEMORY;
	va_list arguments;

	va_start(arguments, format);
	keep_line(priority, format, arguments);
	va_end(arguments);
}

/* What programs that were built with _FORTIFY_SOURCE call. */
void __syslog_chk(int priority, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	PAUSE_MEMORY;
	va_list arguments;

	(void)flag;
	va_start(arguments, format);
	keep_line(priority, format, arguments);
	va_end(arguments);
}

static void note_played(void)
{
	const char *path = getenv("ISST_STANDIN_PLAYED");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (file)
		fclose(file);
}

int ioctl(int fd, unsigned long request, ...)
{
	PAUSE_MEMORY;
	va_list arguments;
	void *argument;
	int r;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (fd < 0 || !replace_fd(fd, fd) || !requests_is_ours(request))
		return NEXT(ioctl)(fd, request, argument);
	syscall(SYS_ioctl, fd, request, argument);
	r = trick_carry_out(device.transport, (uint32_t)request, argument,
			    getenv("ISST_STANDIN_TRICK"), getenv("ISST_STANDIN_LOG"));
	if (trick_was_played())
		note_played();
	return told(r);
}

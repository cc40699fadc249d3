// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for the Speed Select driver, loaded by LD_PRELOAD: the program opens the real device
 * path and makes real calls; here they are answered by the simulated driver, and the kernel's files
 * come from a directory that make_tree wrote. Every request also makes one ioctl system call that
 * fails, so that a tracer counts what a real machine would see.
 *
 * ISST_STANDIN_PLATFORM, ISST_STANDIN_STATE and ISST_STANDIN_ROOT name platform file, state
 * directory and that directory; ISST_STANDIN_LOG a file that gets a line for each request
 * (requests.c).
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "requests.h"
#include "simulated_machine.h"

/* Calls the function of that name that we stand in front of. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static struct {
	struct simulated_machine machine;
	struct transport *transport;
	int fd;
} device = { .fd = -1 };

static const char *const shown_paths[] = {
	"/proc/cpuinfo",  "/proc/sys/kernel/random/boot_id", "/sys/devices/system/cpu",
	"/sys/fs/cgroup", "/run/intel-speed-select",
};

/* The path that stands for path, in buffer or path itself. */
static const char *real_path(const char *path, char buffer[PATH_MAX])
{
	const char *root = getenv("ISST_STANDIN_ROOT");

	if (!root)
		return path;
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

	if (!platform_file || !state_directory)
		return -ENOENT;
	r = simulated_machine_init(&device.machine, platform_file, state_directory);
	if (!r)
		r = driver_open(device.machine.state, device.machine.faults, &device.transport);
	return r;
}

static int open_device(void)
{
	int r;

	if (!device.transport) {
		r = open_machine();
		if (r < 0) {
			simulated_machine_done(&device.machine);
			errno = -r;
			return -1;
		}
	}
	device.fd = memfd_create("isst_interface", MFD_CLOEXEC);
	return device.fd;
}

static mode_t mode_argument(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

static int open_at(int directory_fd, const char *path, int flags, mode_t mode)
{
	char buffer[PATH_MAX];

	if (!strcmp(path, ISST_DEVICE_PATH))
		return open_device();
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
STAND_IN_FRONT_OF_PATH(int, mkdir, (const char *path, mode_t mode), path, mode)
STAND_IN_FRONT_OF_PATH(int, unlink, (const char *path), path)
STAND_IN_FRONT_OF_PATH(char *, realpath, (const char *path, char *resolved), path, resolved)

int scandir(const char *path, struct dirent ***ret_entries,
	    int (*filter)(const struct dirent *entry),
	    int (*compare)(const struct dirent **a, const struct dirent **b))
{
	char buffer[PATH_MAX];

	return NEXT(scandir)(real_path(path, buffer), ret_entries, filter, compare);
}

int scandir64(const char *path, struct dirent64 ***ret_entries,
	      int (*filter)(const struct dirent64 *entry),
	      int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
	char buffer[PATH_MAX];

	return NEXT(scandir64)(real_path(path, buffer), ret_entries, filter, compare);
}

int rename(const char *from, const char *to)
{
	char from_buffer[PATH_MAX], to_buffer[PATH_MAX];

	return NEXT(rename)(real_path(from, from_buffer), real_path(to, to_buffer));
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	int r;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (fd != device.fd || !requests_is_ours(request))
		return NEXT(ioctl)(fd, request, argument);
	syscall(SYS_ioctl, fd, request, argument);
	r = requests_carry_out(device.transport, (uint32_t)request, argument,
			       getenv("ISST_STANDIN_LOG"));
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

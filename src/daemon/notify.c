// SPDX-License-Identifier: GPL-2.0-only
/*
 * The protocol is a datagram to a socket that is named by a path, or, with '@', in the abstract
 * namespace (sd_notify(3), sd_watchdog_enabled(3)). No library is needed for it.
 */
#include "daemon/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "base/number.h"

int notify_send(const char *words)
{
	const char *name = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = name ? strlen(name) : 0;
	_cleanup_close_ int fd = -1;
	socklen_t size;

	if (!name)
		return 0;
	if ((*name != '/' && *name != '@') || length < 2 || length >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, words, strlen(words), MSG_NOSIGNAL, (struct sockaddr *)&address, size) < 0)
		return -errno;
	return 0;
}

/* A number of the environment, or 0. */
static uint64_t read_variable(const char *name)
{
	const char *text = secure_getenv(name);
	uint64_t value = 0;

	return text && number_parse(text, 0, INT64_MAX, &value) == 0 ? value : 0;
}

uint64_t notify_watchdog_us(void)
{
	uint64_t pid = read_variable("WATCHDOG_PID");

	if (pid && pid != (uint64_t)getpid())
		return 0;
	return read_variable("WATCHDOG_USEC");
}

bool notify_stderr_is_journal(void)
{
	const char *text = secure_getenv("JOURNAL_STREAM");
	unsigned long device, inode;
	struct stat about;
	char *rest;

	if (!text || fstat(STDERR_FILENO, &about) < 0)
		return false;
	device = strtoul(text, &rest, 10);
	if (*rest != ':')
		return false;
	inode = strtoul(rest + 1, &rest, 10);
	return *rest == '\0' && about.st_dev == device && about.st_ino == inode;
}

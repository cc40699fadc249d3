// SPDX-License-Identifier: GPL-2.0-only
/* The machine that the program runs on: its files, its device (hardware.md, section 2), its
 * capabilities, its /run. */
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <syslog.h>

#include "isst_abi.h"
#include "base/buffer.h"
#include "base/cleanup.h"

#define STATE_FILE    "/etc/intel-speed-select/state.json"
#define RUN_DIRECTORY "/run/intel-speed-select"

/* C libraries declare different types for the request of ioctl(). */
#ifdef __GLIBC__
#define AS_REQUEST(number) ((unsigned long)(number))
#else
#define AS_REQUEST(number) ((int)(number))
#endif

struct device {
	struct transport transport;
	int fd;
};

static int device_request(struct transport *transport, uint32_t request, void *argument)
{
	struct device *device = (struct device *)transport;
	int result = ioctl(device->fd, AS_REQUEST(request), argument);

	return result < 0 ? -errno : result;
}

static void device_close(struct transport *transport)
{
	struct device *device = (struct device *)transport;

	close(device->fd);
	free(device);
}

static const struct transport_ops device_ops = {
	.request = device_request,
	.close = device_close,
};

/* Opens it read-only: to change settings, the driver requires CAP_SYS_ADMIN, not write access. */
int transport_open_device(const char *path, struct transport **ret_transport)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct device *device;

	if (fd < 0)
		return -errno;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->transport.ops = &device_ops;
	device->fd = steal_fd(&fd);
	*ret_transport = &device->transport;
	return 0;
}

static void free_capabilities(cap_t *capabilities)
{
	if (*capabilities)
		cap_free(*capabilities);
}

#define _cleanup_capabilities_ _cleanup_(free_capabilities)

int capability_has_sys_admin(void)
{
	_cleanup_capabilities_ cap_t capabilities = cap_get_proc();
	cap_flag_value_t value;

	if (!capabilities || cap_get_flag(capabilities, CAP_SYS_ADMIN, CAP_EFFECTIVE, &value))
		return -errno;
	return value == CAP_SET;
}

/* Copies a capability from old to new if old has it. Returns 0 or -1. */
static int keep(cap_t old, cap_t new, cap_value_t capability)
{
	cap_flag_value_t has;

	if (cap_get_flag(old, capability, CAP_PERMITTED, &has))
		return -1;
	if (has != CAP_SET)
		return 0;
	if (cap_set_flag(new, CAP_PERMITTED, 1, &capability, CAP_SET))
		return -1;
	return cap_set_flag(new, CAP_EFFECTIVE, 1, &capability, CAP_SET);
}

int capability_drop_others(bool keeps_files)
{
	_cleanup_capabilities_ cap_t old = cap_get_proc(), new = cap_init();
	bool keeps_access = keeps_files || geteuid() != 0;

	if (!old || !new)
		return -ENOMEM;
	if (keep(old, new, CAP_SYS_ADMIN) || (keeps_access && keep(old, new, CAP_DAC_OVERRIDE)) ||
	    cap_set_proc(new))
		return -errno;
	return 0;
}

static int real_open_device(struct host *host, struct transport **ret_transport)
{
	(void)host;
	return transport_open_device(ISST_DEVICE_PATH, ret_transport);
}

static int real_has_capability(struct host *host)
{
	(void)host;
	return capability_has_sys_admin();
}

static void real_log_change(struct host *host, const char *line)
{
	(void)host;
	openlog("intel-speed-select", LOG_PID, LOG_DAEMON);
	syslog(LOG_NOTICE, "%s", line);
}

static void real_close(struct host *host)
{
	files_close_real(&host->files);
	free(host);
}

static const struct host_ops real_ops = {
	.open_device = real_open_device,
	.has_capability = real_has_capability,
	.log_change = real_log_change,
	.close = real_close,
};

char *host_complete_commands(const struct host *host, char *text)
{
	static const char name[] = "isst ";
	_cleanup_buffer_ struct buffer owned = { 0 };
	const char *from = text, *at;

	if (!text || !host || !host->command)
		return text;
	while ((at = strstr(from, name))) {
		buffer_append(&owned, from, (size_t)(at - from));
		buffer_append_string(&owned, host->command);
		buffer_append_char(&owned, ' ');
		from = at + strlen(name);
	}
	buffer_append_string(&owned, from);
	free(text);
	return buffer_steal(&owned, NULL);
}

int host_open_real(struct host **ret_host)
{
	struct host *host = calloc(1, sizeof(*host));

	if (!host)
		return -ENOMEM;
	if (files_open_real(&host->files)) {
		real_close(host);
		return -ENOMEM;
	}
	host->ops = &real_ops;
	host->run_directory = RUN_DIRECTORY;
	host->state_file = STATE_FILE;
	host->has_kernel = true;
	*ret_host = host;
	return 0;
}

void host_choices_done(struct host_choices *choices)
{
	for (size_t i = 0; i < choices->count; i++) {
		free(choices->list[i].name);
		free(choices->list[i].description);
	}
	free(choices->list);
	*choices = (struct host_choices){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/* The machine that we run on: its files, its device (hardware.md, section 2), its /run. */
#include "machine/host.h"

#include <errno.h>
#include <stdlib.h>

#include "isst_abi.h"
#include "machine/capability.h"

#define RUN_DIRECTORY "/run/intel-speed-select"

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

static void real_close(struct host *host)
{
	files_close_real(&host->files);
	free(host);
}

static const struct host_ops real_ops = {
	.open_device = real_open_device,
	.has_capability = real_has_capability,
	.close = real_close,
};

int host_open_real(struct host **ret_host)
{
	struct host *host = calloc(1, sizeof(*host));
	struct files *files;

	if (!host || files_open_real(&files)) {
		free(host);
		return -ENOMEM;
	}
	*host = (struct host){
		.ops = &real_ops,
		.files = files,
		.run_directory = RUN_DIRECTORY,
		.has_kernel = true,
	};
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

// SPDX-License-Identifier: GPL-2.0-only
/* Capabilities of this process, by libcap. */
#include "machine/capability.h"

#include <errno.h>
#include <sys/capability.h>
#include <unistd.h>

int capability_has_sys_admin(void)
{
	cap_t capabilities = cap_get_proc();
	cap_flag_value_t value;
	int failed;

	if (!capabilities)
		return -errno;
	failed = cap_get_flag(capabilities, CAP_SYS_ADMIN, CAP_EFFECTIVE, &value);
	cap_free(capabilities);
	return failed ? -errno : value == CAP_SET;
}

static void free_capabilities(cap_t *capabilities)
{
	if (*capabilities)
		cap_free(*capabilities);
}

#define _cleanup_capabilities_ __attribute__((cleanup(free_capabilities)))

/* Lets new have a capability that old has. Returns 0 or -1. */
static int keep(cap_t old, cap_t new, cap_value_t capability)
{
	cap_flag_value_t has;

	if (cap_get_flag(old, capability, CAP_PERMITTED, &has))
		return -1;
	if (has != CAP_SET)
		return 0;
	return cap_set_flag(new, CAP_PERMITTED, 1, &capability, CAP_SET)
		       ?: cap_set_flag(new, CAP_EFFECTIVE, 1, &capability, CAP_SET);
}

int capability_drop_others(bool keeps_files)
{
	_cleanup_capabilities_ cap_t old = cap_get_proc(), new = cap_init();
	int result;

	if (!old || !new)
		return -ENOMEM;
	result = keep(old, new, CAP_SYS_ADMIN);
	if (keeps_files || geteuid() != 0)
		result = result ?: keep(old, new, CAP_DAC_OVERRIDE);
	result = result ?: cap_set_proc(new);
	return result ? -errno : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Capabilities of this process, by libcap. */
#include "machine/capability.h"

#include <errno.h>
#include <sys/capability.h>

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

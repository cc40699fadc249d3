// SPDX-License-Identifier: GPL-2.0-only
/* What an errno means to the caller of the program (commands.md, "Exit status"). */
#include "cli/status.h"

#include <errno.h>

enum status status_from_errno(int err)
{
	switch (err) {
	case -ENOTSUP:
		return STATUS_UNSUPPORTED;
	case -EACCES:
	case -EPERM:
		return STATUS_NOT_PERMITTED;
	}
	return STATUS_REFUSED;
}

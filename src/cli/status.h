/* SPDX-License-Identifier: GPL-2.0-only */
/* Exit statuses (commands.md, "Exit status"). */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

enum status {
	STATUS_DONE = 0,
	STATUS_REFUSED = 1, /* the hardware or the kernel refused, wholly or in part */
	STATUS_USAGE = 2,
	STATUS_UNSUPPORTED = 3, /* this machine or level lacks it, or no driver is loaded */
	STATUS_NOT_PERMITTED = 4,
	STATUS_BUSY = 5 /* another instance holds the machine */
};

/* The status of a run that ended with a negative errno, before or outside its targets. */
enum status status_from_errno(int err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* <stddef.h> for the freestanding PUNIT model in a kernel module. */
#include <linux/stddef.h>

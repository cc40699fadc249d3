/* SPDX-License-Identifier: GPL-2.0-only */
/* <stdbool.h> for the freestanding PUNIT model in a kernel module. */
#include <linux/types.h>

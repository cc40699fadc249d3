/* SPDX-License-Identifier: GPL-2.0-only */
/* What the freestanding PUNIT model needs of <stdint.h>, in a kernel module. */
#ifndef LAB_SHIM_STDINT_H
#define LAB_SHIM_STDINT_H

#include <linux/types.h>

#ifndef UINT64_MAX
#define UINT64_MAX (~0ULL)
#endif

#endif

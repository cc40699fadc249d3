/* SPDX-License-Identifier: GPL-2.0-only */
/* FNV-1a, 64 bits: to see that a text has changed; no protection against an attacker. */
#ifndef SIMULATOR_DIGEST_H
#define SIMULATOR_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The digest of length bytes. */
static inline uint64_t digest_bytes(const char *data, size_t length)
{
	uint64_t digest = 0xcbf29ce484222325U;

	for (size_t i = 0; i < length; i++) {
		digest ^= (unsigned char)data[i];
		digest *= 0x100000001b3U;
	}
	return digest;
}

#endif

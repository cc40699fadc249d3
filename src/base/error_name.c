// SPDX-License-Identifier: GPL-2.0-only
/* The names of the error numbers that drivers and kernel files return. */
#include "base/error_name.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define ERROR(name)          \
	{                    \
#name, -name \
	}

static const struct {
	const char *name;
	int error;
} errors[] = {
	ERROR(E2BIG),     ERROR(EACCES), ERROR(EAGAIN), ERROR(EBADF),        ERROR(EBUSY),
	ERROR(ECANCELED), ERROR(EFAULT), ERROR(EFBIG),  ERROR(EINTR),        ERROR(EINVAL),
	ERROR(EIO),       ERROR(EISDIR), ERROR(ELOOP),  ERROR(ENAMETOOLONG), ERROR(ENODATA),
	ERROR(ENODEV),    ERROR(ENOENT), ERROR(ENOMEM), ERROR(ENOSPC),       ERROR(ENOSYS),
	ERROR(ENOTDIR),   ERROR(ENOTTY), ERROR(ENXIO),  ERROR(EOPNOTSUPP),   ERROR(EPERM),
	ERROR(ERANGE),    ERROR(EROFS),  ERROR(ESRCH),  ERROR(ESTALE),       ERROR(ETIMEDOUT),
};

const char *error_name(int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (errors[i].error == error)
			return errors[i].name;
	}
	return NULL;
}

int error_find(const char *text, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (strlen(errors[i].name) == length && memcmp(errors[i].name, text, length) == 0)
			return errors[i].error;
	}
	return 0;
}

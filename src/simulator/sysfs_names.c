// SPDX-License-Identifier: GPL-2.0-only
/* Names of a listed directory: collected in any order, handed out in ascending byte order. */
#include "simulator/sysfs_names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define FIRST_SIZE 16

void sysfs_names_done(struct sysfs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sysfs_names){ 0 };
}

/* Makes room for one name and the NULL behind the last. */
static int make_room(struct sysfs_names *names)
{
	size_t size = names->size ? names->size * 2 : FIRST_SIZE;
	char **longer;

	if (names->count + 2 <= names->size)
		return 0;
	longer = realloc(names->names, size * sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	names->names = longer;
	names->size = size;
	return 0;
}

int sysfs_names_add(struct sysfs_names *names, const char *name)
{
	char *copy;
	int err = make_room(names);

	if (err)
		return err;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	names->names[names->count++] = copy;
	return 0;
}

int sysfs_names_add_format(struct sysfs_names *names, const char *format, ...)
{
	_cleanup_free_ char *name = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&name, format, arguments);
	va_end(arguments);
	if (length < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return sysfs_names_add(names, name);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int sysfs_names_finish(struct sysfs_names *names, char ***ret_names)
{
	int err = make_room(names);

	if (err)
		return err;
	qsort(names->names, names->count, sizeof(*names->names), compare_names);
	names->names[names->count] = NULL;
	*ret_names = steal_pointer(names->names);
	*names = (struct sysfs_names){ 0 };
	return 0;
}

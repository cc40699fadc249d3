// SPDX-License-Identifier: GPL-2.0-only
#include "run/unread.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

int unread_list_add(struct unread_list *list, const struct files_unread *unread, uint32_t cpu)
{
	struct unread_cpus *found = NULL;

	if (!files_next_unread(unread, 0))
		return 0;
	for (size_t i = 0; i < list->count && !found; i++) {
		if (memcmp(&list->list[i].unread, unread, sizeof(*unread)) == 0)
			found = &list->list[i];
	}
	if (!found) {
		found = array_add(&list->list, &list->count, sizeof(*found));
		if (!found)
			return -ENOMEM;
		*found = (struct unread_cpus){ .unread = *unread };
	}
	return cpuset_add(&found->cpus, cpu);
}

void unread_list_done(struct unread_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		cpuset_done(&list->list[i].cpus);
	free(list->list);
	*list = (struct unread_list){ 0 };
}

char *unread_format(const struct unread_cpus *cpus, const struct file_members *members, int error)
{
	_cleanup_free_ char *files = files_format_unread(members, &cpus->unread, error);
	_cleanup_free_ char *list = cpuset_format_ranges(&cpus->cpus);

	if (!files || !list)
		return NULL;
	return text_format("%s%s: %s", cpuset_count(&cpus->cpus) == 1 ? "cpu-" : "CPUs ", list,
			   files);
}

void unread_report(struct context *context, int error, const char *format, ...)
{
	_cleanup_free_ char *files = NULL;
	va_list args;

	va_start(args, format);
	files = text_format_list(format, args);
	va_end(args);
	context_report(context, NULL, report_kind_of(error), "%s: %s", files ?: "",
		       files_describe_unread(error));
}

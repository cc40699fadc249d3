// SPDX-License-Identifier: GPL-2.0-only
/* Formats the record of fast cores as labels of a node, as text for the local source of Node
 * Feature Discovery. */
#include <errno.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "choose/priority.h"

#define LABEL_PREFIX "feature.node.kubernetes.io/sst-"

static void append_label(struct buffer *to, const char *name, const char *value)
{
	buffer_append_string(to, LABEL_PREFIX);
	buffer_append_string(to, name);
	buffer_append_char(to, '=');
	buffer_append_string(to, value);
	buffer_append_char(to, '\n');
}

static void append_number(struct buffer *to, const char *name, uint64_t number)
{
	_cleanup_free_ char *value = text_format("%" PRIu64, number);

	to->has_failed = to->has_failed || !value;
	append_label(to, name, value ?: "");
}

/* Appends the features that are on in any package, and the level if all packages have the same. */
static void append_packages(const struct priority *priority, struct buffer *to)
{
	struct priority_package all = { .level = PRIORITY_UNKNOWN };

	for (size_t i = 0; i < priority->n_packages; i++) {
		const struct priority_package *package = &priority->packages[i];

		if (i == 0 || package->level != all.level)
			all.level = i == 0 ? package->level : PRIORITY_UNKNOWN;
		all.turbo_freq_on |= package->turbo_freq_on;
		all.base_freq_on |= package->base_freq_on;
		all.core_power_on |= package->core_power_on;
	}
	if (all.level != PRIORITY_UNKNOWN)
		append_number(to, "level", all.level);
	append_label(to, "turbo-freq", all.turbo_freq_on ? "true" : "false");
	append_label(to, "base-freq", all.base_freq_on ? "true" : "false");
	append_label(to, "core-power", all.core_power_on ? "true" : "false");
}

int priority_format_labels(const struct priority *priority, const char *expiry, struct buffer *to)
{
	uint32_t lowest_mhz = UINT32_MAX;
	size_t n_cores = 0;

	if (expiry) {
		buffer_append_string(to, "# +expiry-time=");
		buffer_append_string(to, expiry);
		buffer_append_char(to, '\n');
	}
	append_packages(priority, to);
	for (size_t i = 0; i < priority->n_groups; i++) {
		const struct priority_group *group = &priority->groups[i];

		if (!group->reasons)
			continue;
		n_cores += cpuset_count(&group->threads[0]);
		if (group->mhz < lowest_mhz)
			lowest_mhz = group->mhz;
	}
	append_number(to, "high-priority-cores", n_cores);
	if (n_cores && lowest_mhz)
		append_number(to, "high-priority-mhz", lowest_mhz);
	return to->has_failed ? -ENOMEM : 0;
}

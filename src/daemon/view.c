// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device is opened for each scan: drivers come and go, and one that is open cannot be unloaded.
 * Events name CPUs, and only their domains are asked then (commands.md, "Daemon"; hardware.md,
 * section 8).
 */
#include "daemon/view.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

void view_done(struct view *view)
{
	free(view->pp);
	platform_close(&view->platform);
	*view = (struct view){ 0 };
}

static bool have_common(const struct cpuset *one, const struct cpuset *other)
{
	cpuset_foreach (cpu, one) {
		if (cpuset_has(other, cpu))
			return true;
	}
	return false;
}

/* Is each of the CPUs in some domain? */
static bool are_placed(const struct cpuset *cpus, const struct domain_list *list)
{
	cpuset_foreach (cpu, cpus) {
		size_t i = 0;

		while (i < list->n_domains && !cpuset_has(&list->domains[i].cpus, cpu))
			i++;
		if (i == list->n_domains)
			return false;
	}
	return true;
}

static bool is_wanted(const struct power_domain *domain, const struct record *record,
		      const struct cpuset *named)
{
	const struct record_domain *entry = record_find(record, domain);

	return !named || !entry || entry->is_pending || have_common(named, &domain->cpus);
}

static int ask_levels(struct view *view, const struct record *record, const struct cpuset *named)
{
	const struct domain_list *list = &view->platform->domains;

	view->pp = calloc(list->n_domains ?: 1, sizeof(*view->pp));
	if (!view->pp)
		return -ENOMEM;
	if (named && !are_placed(named, list))
		named = NULL;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (is_wanted(&list->domains[i], record, named))
			view->pp[view->n_domains++].domain = &list->domains[i];
	}
	return view->platform->ops->read_pp(view->platform, view->pp, view->n_domains);
}

int view_ask_again(struct view *view)
{
	for (size_t i = 0; i < view->n_domains; i++)
		view->pp[i] = (struct platform_pp_query){ .domain = view->pp[i].domain };
	return view->platform->ops->read_pp(view->platform, view->pp, view->n_domains);
}

int view_open(struct machine *machine, const struct platform_options *options,
	      const struct record *record, const struct cpuset *named, struct view *view,
	      char **ret_message)
{
	int err = platform_open(machine, options, &view->platform, ret_message);

	if (!err && view->platform->bios_fixed) {
		*ret_message =
			strdup("on this platform everything is set in BIOS: no level changes");
		err = -ENOTSUP;
	}
	err = err ?: ask_levels(view, record, named);
	if (err)
		view_done(view);
	return err;
}

bool view_can_follow(const struct platform_pp_query *query)
{
	return !cpuset_is_empty(&query->domain->cpus) && !query->error && query->pp.enabled;
}

// SPDX-License-Identifier: GPL-2.0-only
/* A host whose device records every request and its answer. Each entry of a request is sent
 * separately: an entry that fails need not be sent again to find out why (hardware.md, section 2).
 * A request is sent again only after EBUSY and EINTR. */
#include "record/parts.h"

#include <errno.h>
#include <search.h>

#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

struct asked_host {
	struct host host;
	struct host *inner;
	struct asked *asked;
};

struct asked_transport {
	struct transport transport;
	struct transport *inner;
	struct asked *asked;
};

static int compare_items(const void *left_pointer, const void *right_pointer)
{
	const struct request_item *left = left_pointer, *right = right_pointer;
	uint8_t left_key[REQUESTS_MAX_SIZE], right_key[REQUESTS_MAX_SIZE];
	uint32_t cpu;

	if (left->request != right->request)
		return left->request < right->request ? -1 : 1;
	requests_key(left, false, left_key, &cpu);
	requests_key(right, false, right_key, &cpu);
	return memcmp(left_key, right_key, sizeof(left_key));
}

static struct request_item *find_item(const struct asked *asked, const struct request_item *wanted)
{
	struct request_item *const *found = tfind(wanted, &asked->index, compare_items);

	return found ? *found : NULL;
}

/* The bytes of an item that are used. */
static size_t size_of_item(const struct request_item *item)
{
	return offsetof(struct request_item, bytes) + item->size;
}

/* Keeps an answer. Returns the item, or NULL: no memory. */
static struct request_item *keep_item(struct asked *asked, const struct request_item *item)
{
	struct request_item **place =
		array_add(&asked->items, &asked->n_items, sizeof(*asked->items));

	if (!place)
		return NULL;
	*place = malloc(size_of_item(item));
	if (*place)
		memcpy(*place, item, size_of_item(item));
	if (!*place || !tsearch(*place, &asked->index, compare_items)) {
		free(*place);
		asked->n_items--;
		return NULL;
	}
	return *place;
}

/* Sends an entry in a structure of its own: the header of argument with a count of 1. */
static int send_one(struct asked_transport *transport, const struct request_layout *layout,
		    const void *argument, struct request_item *item)
{
	char alone[64 + REQUESTS_MAX_SIZE] __attribute__((aligned(8))) = { 0 };
	const uint32_t count_32 = 1;
	const uint16_t count_16 = 1;
	int result;

	memcpy(alone, argument, layout->header_size);
	if (layout->header_size && layout->has_short_count)
		memcpy(alone, &count_16, sizeof(count_16));
	else if (layout->header_size)
		memcpy(alone, &count_32, sizeof(count_32));
	memcpy(alone + layout->entries_offset, item->bytes, item->size);
	result = transport_request(transport->inner, item->request, alone);
	if (result == 0 && layout->header_size && !layout->has_short_count)
		result = -EIO; /* nothing done and no error: the driver never answers that */
	memcpy(item->bytes, alone + layout->entries_offset, item->size);
	return result < 0 ? result : 0;
}

/* Answers an entry from the kept answers, else sends it. Returns 0 or a negative errno. */
static int ask_entry(struct asked_transport *transport, const struct request_layout *layout,
		     const void *argument, uint32_t request, char *entry)
{
	struct request_item item = { .request = request, .size = layout->entry_size };
	struct request_item *known;

	memcpy(item.bytes, entry, item.size);
	known = find_item(transport->asked, &item);
	if (!known || known->error == -EBUSY || known->error == -EINTR) {
		item.error = send_one(transport, layout, argument, &item);
		if (known)
			memcpy(known, &item, size_of_item(&item));
		else
			known = keep_item(transport->asked, &item);
	}
	if (!known) {
		transport->asked->is_short_of_memory = true;
		return -ENOMEM;
	}
	if (!known->error)
		memcpy(entry, known->bytes, known->size);
	return known->error;
}

static int asked_request(struct transport *generic, uint32_t request, void *argument)
{
	struct asked_transport *transport = (struct asked_transport *)generic;
	struct request_layout layout;
	size_t count;

	if (!requests_find_layout(request, &layout))
		return -EPERM;
	count = requests_count(&layout, argument);
	for (size_t i = 0; i < count; i++) {
		if (requests_sets(request, argument, i))
			return -EPERM;
	}
	for (size_t i = 0; i < count; i++) {
		char *entry = (char *)argument + layout.entries_offset + i * layout.entry_size;
		int err = ask_entry(transport, &layout, argument, request, entry);

		if (err)
			return i && !layout.has_short_count ? (int)i : err;
	}
	return layout.header_size && !layout.has_short_count ? (int)count : 0;
}

static void asked_close(struct transport *generic)
{
	struct asked_transport *transport = (struct asked_transport *)generic;

	transport_close(&transport->inner);
	free(transport);
}

static const struct transport_ops transport_ops = {
	.request = asked_request,
	.close = asked_close,
};

static int open_device(struct host *host, struct transport **ret_transport)
{
	struct asked_host *asking = (struct asked_host *)host;
	struct asked_transport *transport = calloc(1, sizeof(*transport));
	int err;

	if (!transport)
		return -ENOMEM;
	transport->transport.ops = &transport_ops;
	transport->asked = asking->asked;
	err = asking->inner->ops->open_device(asking->inner, &transport->inner);
	if (err) {
		asking->asked->open_error = err;
		free(transport);
		return err;
	}
	*ret_transport = &transport->transport;
	return 0;
}

static int has_capability(struct host *host)
{
	struct host *inner = ((struct asked_host *)host)->inner;

	return inner->ops->has_capability(inner);
}

static const struct host_ops host_ops = {
	.open_device = open_device,
	.has_capability = has_capability,
};

struct host *asked_host_new(struct host *inner, struct asked *asked)
{
	struct asked_host *host = calloc(1, sizeof(*host));

	if (!host)
		return NULL;
	host->host = *inner;
	host->host.device = NULL;
	host->host.ops = &host_ops;
	host->inner = inner;
	host->asked = asked;
	return &host->host;
}

void asked_host_free(struct host **host)
{
	free(*host);
	*host = NULL;
}

static void forget(void *item)
{
	(void)item; /* asked->items owns it */
}

void asked_done(struct asked *asked)
{
	tdestroy(asked->index, forget);
	for (size_t i = 0; i < asked->n_items; i++)
		free(asked->items[i]);
	free(asked->items);
	*asked = (struct asked){ 0 };
}

/* The walk over everything that can be queried. */

/* Returns true if requests can name the domain. On mailbox parts they need an online CPU of it. */
static bool can_ask(const struct platform *platform, const struct power_domain *domain)
{
	return domain->is_served && (domain->cpu != CPUSET_NONE || platform->shows_power_domains);
}

#define LEVELS (SST_MAX_LEVEL + 1)

/* Reads every level that a command line can name, each part separately, because a request that
 * fails ends its part. */
static int ask_levels(struct platform *platform, const struct power_domain *domain)
{
	static const unsigned int parts[] = { PLATFORM_LEVEL, PLATFORM_BASE_FREQ,
					      PLATFORM_TURBO_FREQ, PLATFORM_CPUS };
	struct platform_pp_query pp = { .domain = domain };
	uint64_t trl;
	int err = platform->ops->read_pp(platform, &pp, 1);

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		struct platform_level_query queries[LEVELS] = { 0 };

		for (uint32_t level = 0; level < LEVELS; level++)
			queries[level] = (struct platform_level_query){
				.domain = domain, .level = level, .pp_enabled = pp.pp.enabled
			};
		err = platform->ops->read_levels(platform, parts[i], queries, LEVELS);
		for (size_t j = 0; j < LEVELS; j++) {
			if (!err && queries[j].error != -ENOENT && platform->ops->read_level_trl)
				platform->ops->read_level_trl(platform, domain, queries[j].level,
							      &trl);
			sst_level_done(&queries[j].info);
		}
	}
	return err;
}

/* Reads cores 32 to 63 of the masks, which other code requests only if they have known CPUs. */
static void ask_upper_cores(struct platform *platform, const struct asked *asked,
			    const struct power_domain *domain)
{
	static const uint16_t masks[] = { WORD_GET_CORE_MASK, WORD_PBF_GET_CORE_MASK_INFO };

	if (platform->shows_power_domains)
		return;
	for (uint32_t i = 0; i < LEVELS * ARRAY_SIZE(masks); i++) {
		uint32_t level = i / ARRAY_SIZE(masks);
		struct isst_if_mbox_cmd command = mailbox_command(
			domain->cpu, WORD_CONFIG_TDP, masks[i % ARRAY_SIZE(masks)], level);
		struct request_item lower = { .request = ISST_IF_MBOX_COMMAND,
					      .size = sizeof(command) };
		const struct request_item *known;
		int error;

		memcpy(lower.bytes, &command, sizeof(command));
		known = find_item(asked, &lower);
		command.req_data |= WORD_UPPER_HALF;
		if (known && !known->error)
			channel_send(&platform->channel, ISST_IF_MBOX_COMMAND, &command, &error, 1);
	}
}

static int ask_core_power(struct platform *platform, const struct power_domain *domain)
{
	struct platform_core_power_query query = { .domain = domain };
	struct platform_query clos[SST_CLOS_COUNT] = { 0 };
	int err = platform->ops->read_core_power(platform, PLATFORM_CLOS, &query, 1);

	for (uint32_t i = 0; i < SST_CLOS_COUNT; i++)
		clos[i] = (struct platform_query){ .domain = domain, .index = i };
	return err ? err : platform_read_clos(platform, clos, SST_CLOS_COUNT);
}

static int ask_msrs(struct platform *platform, const struct power_domain *domain)
{
	struct platform_query reads[] = {
		limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT),
		limits_query(domain, SST_MSR_TURBO_RATIO_LIMIT_CORES),
		limits_query(domain, SST_MSR_TDP_CONTROL),
	};

	return platform_read(platform, reads, ARRAY_SIZE(reads) - !platform->has_level_lock);
}

/* Reads the CLOS of every core that has a CPU. */
static int ask_associations(struct platform *platform)
{
	const struct topology *topology = &platform->machine->topology;
	_cleanup_free_ struct platform_query *queries =
		calloc(cpuset_count(&topology->placed) + 1, sizeof(*queries));
	size_t count = 0;

	if (!queries)
		return -ENOMEM;
	cpuset_foreach (cpu, &topology->placed) {
		const struct power_domain *domain = domains_find(&platform->domains, cpu);

		if (domain && can_ask(platform, domain))
			queries[count++].cpu = cpu;
	}
	return platform_read_assoc(platform, queries, count);
}

static int ask_domain(struct platform *platform, const struct asked *asked,
		      const struct power_domain *domain)
{
	int err = ask_levels(platform, domain);

	if (err)
		return err;
	ask_upper_cores(platform, asked, domain);
	return ask_core_power(platform, domain);
}

int asked_walk(struct platform *platform, const struct asked *asked)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	int err = 0;

	if (!platform->transport)
		return 0;
	for (size_t i = 0; i < platform->domains.n_domains && !err; i++) {
		const struct power_domain *domain = &platform->domains.domains[i];

		if (can_ask(platform, domain))
			err = ask_domain(platform, asked, domain);
		if (!err && domain->cpu != CPUSET_NONE && !cpuset_has(&packages, domain->package))
			err = cpuset_add(&packages, domain->package) ?: ask_msrs(platform, domain);
		if (wait_is_stopped(platform->channel.stop))
			return -EINTR;
	}
	if (!err)
		err = ask_associations(platform);
	if (wait_is_stopped(platform->channel.stop))
		return -EINTR;
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The driver of the fake machine (hardware.md, section 2): it takes a batch up to its limit, stops
 * at the first entry that fails and then returns how many were done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_machine.h"

struct firmware {
	struct transport transport;
	struct fake_machine *machine;
};

static bool fits(const struct fake_rule *rule, uint32_t request, uint32_t package,
		 const struct entry *entry)
{
	return rule->request == request &&
	       (rule->package == 0 || rule->package == FAKE_PACKAGE(package)) &&
	       rule->command == entry->command && rule->sub_command == entry->sub_command &&
	       (entry->place & rule->place_mask) == rule->place &&
	       (entry->data & rule->data_mask) == rule->data;
}

static const struct fake_rule *find_rule(const struct fake_machine *machine, uint32_t request,
					 const struct entry *entry)
{
	uint32_t package = fake_machine_domain(machine, entry->cpu) / machine->shape.dies;

	for (size_t i = machine->n_rules; i > 0; i--) {
		const struct fake_rules *rules = &machine->rules[i - 1];

		for (size_t j = 0; j < rules->count; j++) {
			if (fits(&rules->rules[j], request, package, entry))
				return &rules->rules[j];
		}
	}
	return NULL;
}

/* What comes of one entry: 0 with an answer, or a negative errno. */
static int answer(const struct fake_machine *machine, uint32_t request, const struct entry *entry,
		  uint64_t *ret_answer)
{
	const struct fake_rule *rule;

	if (entry->cpu >= fake_machine_cpus(machine))
		return -EINVAL;
	rule = find_rule(machine, request, entry);
	if (rule) {
		*ret_answer = rule->answer;
		return rule->error;
	}
	*ret_answer = fake_machine_physical(machine, entry->cpu);
	return request == ISST_IF_GET_PHY_ID     ? 0
	       : request == ISST_IF_MBOX_COMMAND ? -ENXIO
						 : -EINVAL;
}

static int firmware_request(struct transport *transport, uint32_t request, void *argument)
{
	const struct fake_machine *machine = ((struct firmware *)transport)->machine;
	size_t count = entry_count(request, argument);

	if (request == ISST_IF_GET_PLATFORM_INFO) {
		memcpy(argument, &machine->info, sizeof(machine->info));
		return 0;
	}
	if (count == 0)
		return -ENOTTY;
	if (machine->info.max_cmds_per_ioctl && count > machine->info.max_cmds_per_ioctl)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		struct entry entry = entry_read(request, argument, i);
		uint64_t found;
		int err = answer(machine, request, &entry, &found);

		assert_false(entry.write); /* reading commands write nothing */
		if (err)
			return i ? (int)i : err;
		entry_answer(request, argument, i, found);
	}
	return (int)count;
}

static void firmware_close(struct transport *transport)
{
	free(transport);
}

struct transport *fake_firmware_open(struct fake_machine *machine)
{
	static const struct transport_ops ops = {
		.request = firmware_request,
		.close = firmware_close,
	};
	struct firmware *firmware = calloc(1, sizeof(*firmware));

	assert_non_null(firmware);
	firmware->transport.ops = &ops;
	firmware->machine = machine;
	return recorder_open(&firmware->transport, &machine->log);
}

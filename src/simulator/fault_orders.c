// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading of faults.json. Each member of an order has a row in one table: at which points it means
 * something, and how it is read. A member that means nothing where it stands is refused, so that no
 * order silently does something else than it says.
 */
#include "simulator/fault_orders.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "isst_abi.h"
#include "simulator/member.h"

#define MAX_COUNT    1000000000U
#define MAX_DELAY_US 60000000U
#define MAX_CODE     255U

#define AT(point)    (1U << (point))
#define AT_ALL       (AT(SIM_FAULT_WRITE + 1) - 1)
#define AT_REGISTERS (AT(SIM_FAULT_MMIO) | AT(SIM_FAULT_MSR))
#define AT_REQUESTS  (AT(SIM_FAULT_REQUEST) | AT(SIM_FAULT_TPMI))
#define AT_FILES     (AT(SIM_FAULT_READ) | AT(SIM_FAULT_WRITE))
#define AT_COMMANDS  (AT(SIM_FAULT_MAILBOX) | AT_REGISTERS | AT(SIM_FAULT_PHY_ID))
#define AT_SETTINGS  (AT(SIM_FAULT_MAILBOX) | AT_REGISTERS | AT(SIM_FAULT_TPMI))

struct name {
	const char *name;
	uint32_t value;
};

static const struct name points[] = {
	{ .name = "open", .value = SIM_FAULT_OPEN },
	{ .name = "mailbox", .value = SIM_FAULT_MAILBOX },
	{ .name = "mmio", .value = SIM_FAULT_MMIO },
	{ .name = "msr", .value = SIM_FAULT_MSR },
	{ .name = "phy_id", .value = SIM_FAULT_PHY_ID },
	{ .name = "request", .value = SIM_FAULT_REQUEST },
	{ .name = "tpmi", .value = SIM_FAULT_TPMI },
	{ .name = "read", .value = SIM_FAULT_READ },
	{ .name = "write", .value = SIM_FAULT_WRITE },
};

static const struct name accesses[] = {
	{ .name = "read", .value = FAULT_ACCESS_READ },
	{ .name = "write", .value = FAULT_ACCESS_WRITE },
};

static const struct name requests[] = {
	{ .name = "GET_PLATFORM_INFO", .value = ISST_GET_PLATFORM_INFO },
	{ .name = "GET_PHY_ID", .value = ISST_GET_PHY_ID },
	{ .name = "IO_CMD", .value = ISST_IO_CMD },
	{ .name = "MBOX_COMMAND", .value = ISST_MBOX_COMMAND },
	{ .name = "MSR_COMMAND", .value = ISST_MSR_COMMAND },
	{ .name = "COUNT_TPMI_INSTANCES", .value = ISST_COUNT_TPMI_INSTANCES },
	{ .name = "CORE_POWER_STATE", .value = ISST_CORE_POWER_STATE },
	{ .name = "CLOS_PARAM", .value = ISST_CLOS_PARAM },
	{ .name = "CLOS_ASSOC", .value = ISST_CLOS_ASSOC },
	{ .name = "PERF_LEVELS", .value = ISST_PERF_LEVELS },
	{ .name = "PERF_SET_LEVEL", .value = ISST_PERF_SET_LEVEL },
	{ .name = "PERF_SET_FEATURE", .value = ISST_PERF_SET_FEATURE },
	{ .name = "GET_PERF_LEVEL_INFO", .value = ISST_GET_PERF_LEVEL_INFO },
	{ .name = "GET_PERF_LEVEL_CPU_MASK", .value = ISST_GET_PERF_LEVEL_CPU_MASK },
	{ .name = "GET_BASE_FREQ_INFO", .value = ISST_GET_BASE_FREQ_INFO },
	{ .name = "GET_BASE_FREQ_CPU_MASK", .value = ISST_GET_BASE_FREQ_CPU_MASK },
	{ .name = "GET_TURBO_FREQ_INFO", .value = ISST_GET_TURBO_FREQ_INFO },
	{ .name = "GET_PERF_LEVEL_FABRIC_INFO", .value = ISST_GET_PERF_LEVEL_FABRIC_INFO },
};

static const struct name errors[] = {
	{ .name = "E2BIG", .value = E2BIG },     { .name = "EACCES", .value = EACCES },
	{ .name = "EAGAIN", .value = EAGAIN },   { .name = "EBADF", .value = EBADF },
	{ .name = "EBUSY", .value = EBUSY },     { .name = "EFAULT", .value = EFAULT },
	{ .name = "EINTR", .value = EINTR },     { .name = "EINVAL", .value = EINVAL },
	{ .name = "EIO", .value = EIO },         { .name = "ENODATA", .value = ENODATA },
	{ .name = "ENODEV", .value = ENODEV },   { .name = "ENOENT", .value = ENOENT },
	{ .name = "ENOMEM", .value = ENOMEM },   { .name = "ENOSPC", .value = ENOSPC },
	{ .name = "ENOTDIR", .value = ENOTDIR }, { .name = "ENOTTY", .value = ENOTTY },
	{ .name = "ENXIO", .value = ENXIO },     { .name = "EOPNOTSUPP", .value = EOPNOTSUPP },
	{ .name = "EPERM", .value = EPERM },     { .name = "ERANGE", .value = ERANGE },
	{ .name = "EROFS", .value = EROFS },     { .name = "ETIMEDOUT", .value = ETIMEDOUT },
};

/* Reads one of a few words. Returns 0 when refused. */
static uint32_t read_name(const struct member *member, const struct name *names, size_t count)
{
	const char *text = member_read_text(member);

	for (size_t i = 0; text && i < count; i++) {
		if (strcmp(names[i].name, text) == 0)
			return names[i].value;
	}
	if (text)
		member_refuse(member, "\"%s\" is none of the words that are known here", text);
	return 0;
}

/* Reads a number as it stands or, in quotes, in hex. */
static uint32_t read_hex_or_number(const struct member *member)
{
	uint64_t value = 0;

	if (!json_is_string(member->value))
		return member_read_number(member, 0, UINT32_MAX);
	if (number_parse_hex(json_string_value(member->value), &value) || value > UINT32_MAX)
		member_refuse(member, "must be a whole number or one such as \"0x1ad\"");
	return (uint32_t)value;
}

/* Reads "0x7f" (all of its sub-commands) or "0x7f/0x03". */
static void read_command(const struct member *member, struct fault_order *order)
{
	const char *text = member_read_text(member);
	_cleanup_free_ char *command = text ? strdup(text) : NULL;
	uint64_t number = 0, sub_number = 0;
	char *sub_command;
	int err;

	if (!command) {
		if (text)
			member_refuse_memory(member);
		return;
	}
	sub_command = strchr(command, '/');
	if (sub_command)
		*sub_command++ = '\0';
	err = number_parse_hex(command, &number);
	if (!err && sub_command)
		err = number_parse_hex(sub_command, &sub_number);
	if (err || number > 0xff || sub_number > 0xff) {
		member_refuse(member, "must be a command such as \"0x7f\" or \"0x7f/0x03\"");
		return;
	}
	order->number = number << 8 | sub_number;
	order->number_mask = sub_command ? UINT64_MAX : ~(uint64_t)0xff;
}

static void read_register(const struct member *member, struct fault_order *order)
{
	order->number = read_hex_or_number(member);
	order->number_mask = UINT64_MAX;
}

static void read_request(const struct member *member, struct fault_order *order)
{
	order->number = read_name(member, requests, ARRAY_SIZE(requests));
	order->number_mask = UINT64_MAX;
}

static void read_access(const struct member *member, struct fault_order *order)
{
	order->access = (enum fault_access)read_name(member, accesses, ARRAY_SIZE(accesses));
}

/* Whether the machine has the CPU is looked at by the caller, which knows the machine. */
static void read_cpu(const struct member *member, struct fault_order *order)
{
	order->cpu = member_read_number(member, 0, CPUSET_MAX_CPU);
	order->has_cpu = true;
}

static void read_parameter(const struct member *member, struct fault_order *order)
{
	order->parameter = read_hex_or_number(member);
	order->has_parameter = true;
}

static void read_data(const struct member *member, struct fault_order *order)
{
	order->data = read_hex_or_number(member);
	order->has_data = true;
}

static void read_path(const struct member *member, struct fault_order *order)
{
	const char *text = member_read_text(member);

	if (!text)
		return;
	if (*text != '/')
		member_refuse(member, "must begin with a slash");
	order->path = strdup(text);
	if (!order->path)
		member_refuse_memory(member);
}

static void read_skip(const struct member *member, struct fault_order *order)
{
	order->skip = member_read_number(member, 0, MAX_COUNT);
}

static void read_times(const struct member *member, struct fault_order *order)
{
	order->times = member_read_number(member, 1, MAX_COUNT);
}

static void read_error(const struct member *member, struct fault_order *order)
{
	order->effect.error = -(int)read_name(member, errors, ARRAY_SIZE(errors));
}

static void read_code(const struct member *member, struct fault_order *order)
{
	order->effect.completion_code = (uint8_t)member_read_number(member, 1, MAX_CODE);
}

static void read_delay(const struct member *member, struct fault_order *order)
{
	order->effect.delay_us = member_read_number(member, 1, MAX_DELAY_US);
}

static void read_ignored(const struct member *member, struct fault_order *order)
{
	if (!json_is_true(member->value))
		member_refuse(member, "must be true");
	order->effect.ignored = true;
}

/* A number in quotes, as JSON has no hexadecimal ones. */
static void read_flip(const struct member *member, struct fault_order *order)
{
	const char *text = member_read_text(member);

	if (text && (number_parse_hex(text, &order->effect.flip) || !order->effect.flip))
		member_refuse(member, "must be bits such as \"0x10000\"");
}

static const struct {
	const char *name;
	unsigned int points;
	void (*read)(const struct member *member, struct fault_order *order);
} order_members[] = {
	{ .name = "command", .points = AT(SIM_FAULT_MAILBOX), .read = read_command },
	{ .name = "parameter", .points = AT(SIM_FAULT_MAILBOX), .read = read_parameter },
	{ .name = "data", .points = AT(SIM_FAULT_MAILBOX), .read = read_data },
	{ .name = "register", .points = AT(SIM_FAULT_MMIO), .read = read_register },
	{ .name = "msr", .points = AT(SIM_FAULT_MSR), .read = read_register },
	{ .name = "access", .points = AT_REGISTERS | AT(SIM_FAULT_TPMI), .read = read_access },
	{ .name = "request", .points = AT_REQUESTS, .read = read_request },
	{ .name = "package", .points = AT(SIM_FAULT_TPMI), .read = read_parameter },
	{ .name = "power_domain", .points = AT(SIM_FAULT_TPMI), .read = read_data },
	{ .name = "path", .points = AT_FILES, .read = read_path },
	{ .name = "cpu", .points = AT_COMMANDS, .read = read_cpu },
	{ .name = "skip", .points = AT_ALL, .read = read_skip },
	{ .name = "times", .points = AT_ALL, .read = read_times },
	{ .name = "error", .points = AT_ALL, .read = read_error },
	{ .name = "code", .points = AT(SIM_FAULT_MAILBOX), .read = read_code },
	{ .name = "delay_us", .points = AT_ALL, .read = read_delay },
	{ .name = "ignored", .points = AT_SETTINGS, .read = read_ignored },
	{ .name = "flip", .points = AT_SETTINGS, .read = read_flip },
};

static void read_order_member(const struct member *member, struct fault_order *order)
{
	for (size_t i = 0; i < ARRAY_SIZE(order_members); i++) {
		if (strcmp(order_members[i].name, member->name) != 0)
			continue;
		if (order_members[i].points & AT(order->point))
			order_members[i].read(member, order);
		else
			member_refuse(member, "means nothing at this point");
		return;
	}
	member_refuse(member, "a member of this name is not known");
}

static void check_effect(const struct member *member, const struct fault_order *order)
{
	const struct sim_fault_effect *effect = &order->effect;
	bool changes = effect->ignored || effect->flip;

	if (!effect->error && !effect->completion_code && !effect->delay_us && !changes)
		member_refuse(member,
			      "must have an error, a code, a delay_us, an ignored or a flip");
	if (changes && order->point != SIM_FAULT_MAILBOX && order->access != FAULT_ACCESS_WRITE)
		member_refuse(member, "ignored and flip need \"access\": \"write\"");
	if (effect->error && effect->completion_code)
		member_refuse(member, "must not have both an error and a code");
}

static void read_order(const struct member *member, size_t n_cpus, struct fault_order *order)
{
	struct member at = member_of(member, "at"), cpu = member_of(member, "cpu");
	const char *name;
	json_t *value;

	if (!json_is_object(member->value)) {
		member_refuse(member, "must be an object");
		return;
	}
	order->times = FAULT_TIMES_ALWAYS;
	order->point = (enum sim_fault_point)read_name(&at, points, ARRAY_SIZE(points));
	json_object_foreach (member->value, name, value) {
		struct member child = member_of(member, name);

		if (strcmp(name, "at") != 0 && !member->reader->err)
			read_order_member(&child, order);
	}
	if (order->has_cpu && order->cpu >= n_cpus)
		member_refuse(&cpu, "the machine has CPUs 0 to %zu only", n_cpus - 1);
	check_effect(member, order);
}

static void read_orders(const struct member *list, size_t n_cpus, struct fault_orders *orders)
{
	size_t count = member_read_list(list, 0, SIM_MAX_FAULTS);

	if (!count)
		return;
	orders->orders = calloc(count, sizeof(*orders->orders));
	if (!orders->orders) {
		member_refuse_memory(list);
		return;
	}
	orders->n_orders = count;
	for (size_t i = 0; i < count; i++) {
		struct member order = member_at(list, i);

		read_order(&order, n_cpus, &orders->orders[i]);
	}
}

static const struct member_field root_fields[] = {
	MEMBER_OPTIONAL_FIELD("missing_capability"),
	MEMBER_OPTIONAL_FIELD("clamped_limits"),
	MEMBER_OPTIONAL_FIELD("hwp_off"),
	MEMBER_OPTIONAL_FIELD("locked"),
	MEMBER_OPTIONAL_FIELD("allowed_levels"),
	MEMBER_OPTIONAL_FIELD("blocked_writes"),
	MEMBER_OPTIONAL_FIELD("ignored_writes"),
	MEMBER_OPTIONAL_FIELD("slow_status"),
	MEMBER_OPTIONAL_FIELD("orders"),
};

/* A member that may be left out, which is false. */
static bool read_flag(const struct member *root, const char *name)
{
	struct member member = member_of(root, name);

	if (member.value && !json_is_boolean(member.value))
		member_refuse(&member, "must be true or false");
	return json_is_true(member.value);
}

static void read_allowed_levels(const struct member *root, struct fault_settings *settings)
{
	struct member list = member_of(root, "allowed_levels");
	size_t count = list.value ? member_read_list(&list, 0, PUNIT_MAX_LEVELS) : 0;

	settings->has_allowed_levels = list.value;
	for (size_t i = 0; i < count; i++) {
		struct member level = member_at(&list, i);

		settings->allowed_levels |=
			(uint8_t)(1U << member_read_number(&level, 0, PUNIT_MAX_LEVELS - 1));
	}
}

static void read_settings(const struct member *root, struct fault_settings *settings)
{
	struct member slow_status = member_of(root, "slow_status");

	settings->missing_capability = read_flag(root, "missing_capability");
	settings->clamped_limits = read_flag(root, "clamped_limits");
	settings->hwp_off = read_flag(root, "hwp_off");
	settings->locked = read_flag(root, "locked");
	settings->blocked_writes = read_flag(root, "blocked_writes");
	settings->ignored_writes = read_flag(root, "ignored_writes");
	if (slow_status.value)
		settings->slow_status = (uint8_t)member_read_number(&slow_status, 0, UINT8_MAX);
	read_allowed_levels(root, settings);
}

static void read_root(const struct member *root, size_t n_cpus, struct fault_orders *orders)
{
	struct member list = member_of(root, "orders");

	member_read_fields(root, root_fields, ARRAY_SIZE(root_fields), orders);
	read_settings(root, &orders->settings);
	if (list.value)
		read_orders(&list, n_cpus, orders);
}

/* The text is no JSON: the library's words, which show a part of it. */
static int refuse_text(const char *file_name, const json_error_t *error, char **ret_message)
{
	char *message;

	if (json_error_code(error) == json_error_out_of_memory ||
	    asprintf(&message, "%s:%d: %s", file_name, error->line, error->text) < 0)
		return -ENOMEM;
	member_replace_controls(message);
	*ret_message = message;
	return -EINVAL;
}

int fault_orders_parse(const char *file_name, const char *text, size_t length, size_t n_cpus,
		       struct fault_orders *ret_orders, char **ret_message)
{
	struct member_reader reader = { .file_name = file_name, .text = text, .length = length };
	struct fault_orders orders = { .n_orders = 0 };
	json_error_t error;
	json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	struct member root = member_root(&reader, value);

	if (!value)
		return refuse_text(file_name, &error, ret_message);
	read_root(&root, n_cpus, &orders);
	json_decref(value);
	if (reader.err) {
		fault_orders_done(&orders);
		if (reader.message)
			*ret_message = reader.message;
		return reader.err;
	}
	*ret_orders = orders;
	return 0;
}

void fault_orders_done(struct fault_orders *orders)
{
	for (size_t i = 0; i < orders->n_orders; i++)
		free(orders->orders[i].path);
	free(orders->orders);
	*orders = (struct fault_orders){ .n_orders = 0 };
}

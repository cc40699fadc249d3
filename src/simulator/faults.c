// SPDX-License-Identifier: GPL-2.0-only
/* Reads faults.json, and finds the orders that an event matches. A member that has no meaning at
 * the point of its order is refused, so that no order does something else than its text says. The
 * counts are in the shared state, so that the events of all processes count. */
#include "simulator/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "base/fileio.h"
#include "base/number.h"
#include "isst_abi.h"
#include "base/json_fields.h"

#define MAX_CAP_W    4095
#define FAULTS_NAME  "faults.json"
#define MAX_BYTES    (1U << 20)
#define MAX_COUNT    1000000000U
#define MAX_DELAY_US 60000000U
#define TIMES_ALWAYS UINT32_MAX
#define ANY_CPU      UINT32_MAX
#define ANY          UINT64_MAX

#define AT(point)    (1U << (point))
#define AT_ALL       (AT(SIM_FAULT_PERF + 1) - 1)
#define AT_REGISTERS (AT(SIM_FAULT_MMIO) | AT(SIM_FAULT_MSR))
#define AT_REQUESTS  (AT(SIM_FAULT_REQUEST) | AT(SIM_FAULT_TPMI))
#define AT_FILES     (AT(SIM_FAULT_READ) | AT(SIM_FAULT_WRITE))
#define AT_COMMANDS  (AT(SIM_FAULT_MAILBOX) | AT_REGISTERS | AT(SIM_FAULT_PHY_ID))
#define AT_SETTINGS \
	(AT(SIM_FAULT_MAILBOX) | AT_REGISTERS | AT(SIM_FAULT_TPMI) | AT(SIM_FAULT_WRITE))

enum fault_access { FAULT_ACCESS_ANY, FAULT_ACCESS_READ, FAULT_ACCESS_WRITE };

/* An order: which events match, which of the matches are affected, and the effect. */
struct fault_order {
	enum sim_fault_point point;
	uint64_t number;
	int request; /* another name of number; 0: none */
	unsigned int number_shift; /* number of low bits to ignore in an event's number */
	uint32_t cpu;
	uint64_t parameter;
	uint64_t data;
	enum fault_access access;
	const char *path; /* fnmatch() pattern; NULL: any path */
	uint32_t skip; /* number of first matches without an effect */
	uint32_t times; /* number of matches with the effect after them, or TIMES_ALWAYS */
	struct sim_fault_effect effect;
};

struct sim_faults {
	struct sim_state *state;
	json_t *json; /* owns the strings */
	struct fault_settings settings;
	size_t n_orders;
	struct fault_order orders[SIM_MAX_FAULTS]; /* in the file's order */
};

static const struct json_name points[] = {
	{ "open", SIM_FAULT_OPEN },
	{ "mailbox", SIM_FAULT_MAILBOX },
	{ "mmio", SIM_FAULT_MMIO },
	{ "msr", SIM_FAULT_MSR },
	{ "phy_id", SIM_FAULT_PHY_ID },
	{ "request", SIM_FAULT_REQUEST },
	{ "tpmi", SIM_FAULT_TPMI },
	{ "read", SIM_FAULT_READ },
	{ "write", SIM_FAULT_WRITE },
	{ "perf", SIM_FAULT_PERF },
	{ NULL, 0 },
};

static const struct json_name accesses[] = {
	{ "read", FAULT_ACCESS_READ },
	{ "write", FAULT_ACCESS_WRITE },
	{ NULL, 0 },
};

#define REQUEST(name) #name, (int)ISST_IF_##name

static const struct json_name requests[] = {
	{ REQUEST(GET_PLATFORM_INFO) },
	{ REQUEST(GET_PHY_ID) },
	{ REQUEST(IO_CMD) },
	{ REQUEST(MBOX_COMMAND) },
	{ REQUEST(MSR_COMMAND) },
	{ REQUEST(COUNT_TPMI_INSTANCES) },
	{ REQUEST(CORE_POWER_STATE) },
	{ REQUEST(CLOS_PARAM) },
	{ REQUEST(CLOS_ASSOC) },
	{ REQUEST(PERF_LEVELS) },
	{ REQUEST(PERF_SET_LEVEL) },
	{ REQUEST(PERF_SET_FEATURE) },
	{ REQUEST(GET_PERF_LEVEL_INFO) },
	{ REQUEST(GET_PERF_LEVEL_CPU_MASK) },
	{ REQUEST(GET_BASE_FREQ_INFO) },
	{ REQUEST(GET_BASE_FREQ_CPU_MASK) },
	{ REQUEST(GET_TURBO_FREQ_INFO) },
	{ REQUEST(GET_PERF_LEVEL_FABRIC_INFO) },
	{ NULL, 0 },
};

/* Reads the name of an error as a negative errno. */
static void read_error(struct json_reader *reader, json_t *value, void *to)
{
	const char *text = json_read_text(reader, value);

	*(int *)to = text ? error_find(text, strlen(text)) : 0;
	if (text && !*(int *)to)
		json_refuse(reader, NULL, "\"%s\" is an unknown value", text);
}

/* Reads a number, or a text with a number in hex. */
static void read_hex_or_number(struct json_reader *reader, json_t *value, void *to)
{
	static const struct json_field any_number = { .kind = JSON_U32, .max = UINT32_MAX };
	uint64_t number = 0;
	uint32_t decimal = 0;

	if (!json_is_string(value))
		json_read_value(reader, value, &any_number, &decimal);
	else if (number_parse_hex(json_string_value(value), &number) || number > UINT32_MAX)
		json_refuse(reader, NULL, "must be a whole number or one such as \"0x1ad\"");
	*(uint64_t *)to = number | decimal;
}

/* Reads "0x7f" (all of its sub-commands) or "0x7f/0x03". */
static void read_command(struct json_reader *reader, json_t *value, void *to)
{
	const char *text = json_read_text(reader, value);
	const char *slash = text ? strchr(text, '/') : NULL;
	_cleanup_free_ char *command = text ? strndup(text, strcspn(text, "/")) : NULL;
	uint64_t number = 0, sub_number = 0;
	struct fault_order *order = to;

	if (json_lacks_memory(reader, !command))
		return;
	if (number_parse_hex(command, &number) || number > 0xff ||
	    (slash && (number_parse_hex(slash + 1, &sub_number) || sub_number > 0xff)))
		json_refuse(reader, NULL, "must be a command such as \"0x7f\" or \"0x7f/0x03\"");
	order->number = number << 8 | sub_number;
	order->number_shift = slash ? 0 : 8;
}

static void read_path(struct json_reader *reader, json_t *value, void *to)
{
	const char **path = to;

	*path = json_read_text(reader, value);
	if (*path && **path != '/')
		json_refuse(reader, NULL, "must begin with a slash");
}

static void read_ignored(struct json_reader *reader, json_t *value, void *to)
{
	if (!json_is_true(value))
		json_refuse(reader, NULL, "must be true");
	*(bool *)to = true;
}

/* Reads a text with a number in hex, because JSON has no hexadecimal numbers. */
static void read_flip(struct json_reader *reader, json_t *value, void *to)
{
	const char *text = json_read_text(reader, value);
	uint64_t *flip = to;

	if (text && (number_parse_hex(text, flip) || !*flip))
		json_refuse(reader, NULL, "must be bits such as \"0x10000\"");
}

/* Reads bytes as pairs of hex digits; an empty text stands for an empty file. */
static void read_bytes(struct json_reader *reader, json_t *value, void *to)
{
	const char *text = json_read_text(reader, value);
	const char **bytes = to;

	if (text && (strlen(text) % 2 || text[strspn(text, "0123456789abcdef")]))
		json_refuse(reader, NULL, "must be pairs of hex digits such as \"310a\"");
	*bytes = text;
}

#define MAYBE(points)      .is_optional = true, .marks = (points)
#define FIELD(field, name) JSON_FIELD(struct fault_order, field, name)
#define NAMED(field, name, list) \
	JSON_FIELD_AS(struct fault_order, field, name, JSON_NAME), .names = (list)
#define BY(field, name, function) \
	JSON_FIELD_AS(struct fault_order, field, name, JSON_PART), .read = (function)

/* The members of an order; marks: the points at which the member has a meaning. */
static const struct json_field order_fields[] = {
	{ NAMED(point, "at", points), .marks = AT_ALL },
	{ MAYBE(AT(SIM_FAULT_MAILBOX)), .name = "command", .read = read_command },
	{ MAYBE(AT(SIM_FAULT_MAILBOX)), BY(parameter, "parameter", read_hex_or_number) },
	{ MAYBE(AT(SIM_FAULT_MAILBOX)), BY(data, "data", read_hex_or_number) },
	{ MAYBE(AT(SIM_FAULT_MMIO)), BY(number, "register", read_hex_or_number) },
	{ MAYBE(AT(SIM_FAULT_MSR)), BY(number, "msr", read_hex_or_number) },
	{ MAYBE(AT_REGISTERS | AT(SIM_FAULT_TPMI)), NAMED(access, "access", accesses) },
	{ MAYBE(AT_REQUESTS), NAMED(request, "request", requests) },
	{ MAYBE(AT(SIM_FAULT_TPMI)), BY(parameter, "package", read_hex_or_number) },
	{ MAYBE(AT(SIM_FAULT_TPMI)), BY(data, "power_domain", read_hex_or_number) },
	{ MAYBE(AT_FILES), BY(path, "path", read_path) },
	{ MAYBE(AT_COMMANDS | AT(SIM_FAULT_PERF)), FIELD(cpu, "cpu"), .max = CPUSET_MAX_CPU },
	{ MAYBE(AT_ALL), FIELD(skip, "skip"), .max = MAX_COUNT },
	{ MAYBE(AT_ALL), FIELD(times, "times"), .min = 1, .max = MAX_COUNT },
	{ MAYBE(AT_ALL), BY(effect.error, "error", read_error) },
	{ MAYBE(AT(SIM_FAULT_MAILBOX)), FIELD(effect.completion_code, "code"), .min = 1,
	  .max = UINT8_MAX },
	{ MAYBE(AT_ALL), FIELD(effect.delay_us, "delay_us"), .min = 1, .max = MAX_DELAY_US },
	{ MAYBE(AT_SETTINGS), BY(effect.ignored, "ignored", read_ignored) },
	{ MAYBE(AT_SETTINGS), BY(effect.flip, "flip", read_flip) },
	{ MAYBE(AT(SIM_FAULT_READ)), BY(effect.bytes, "bytes", read_bytes) },
	{ 0 },
};

static void read_order(struct json_reader *reader, json_t *object, void *to)
{
	struct sim_faults *faults = to;
	struct fault_order *order = &faults->orders[faults->n_orders++];
	const struct sim_fault_effect *effect = &order->effect;
	size_t n_cpus = faults->state->platform->n_cpus;
	bool changes;

	*order = (struct fault_order){
		.number = ANY,
		.cpu = ANY_CPU,
		.parameter = ANY,
		.data = ANY,
		.times = TIMES_ALWAYS,
	};
	json_read_fields(reader, object, order_fields, order);
	if (order->request)
		order->number = (uint32_t)order->request;
	for (const struct json_field *field = order_fields; field->name; field++) {
		if (!(field->marks & AT(order->point)) && json_object_get(object, field->name))
			json_refuse(reader, field->name, "has no effect at this point");
	}
	if (order->cpu != ANY_CPU && order->cpu >= n_cpus)
		json_refuse(reader, "cpu", "the machine has CPUs 0 to %zu only", n_cpus - 1);
	changes = effect->ignored || effect->flip;
	if (!effect->error && !effect->completion_code && !effect->delay_us && !changes &&
	    !effect->bytes)
		json_refuse(reader, NULL,
			    "must have an error, a code, a delay_us, an ignored, a flip or bytes");
	if (changes && order->point != SIM_FAULT_MAILBOX && order->point != SIM_FAULT_WRITE &&
	    order->access != FAULT_ACCESS_WRITE)
		json_refuse(reader, NULL, "ignored and flip need \"access\": \"write\"");
	if (effect->error && effect->completion_code)
		json_refuse(reader, NULL, "must not have both an error and a code");
}

#define SETTING(field) JSON_FIELD(struct sim_faults, settings.field, #field), .is_optional = true

static const struct json_field root_fields[] = {
	{ SETTING(missing_capability) },
	{ SETTING(clamped_limits) },
	{ SETTING(power_cap_w), .min = 1, .max = MAX_CAP_W },
	{ SETTING(throttled), .max = CPUSET_MAX_CPU },
	{ SETTING(hwp_off) },
	{ SETTING(locked) },
	{ JSON_FIELD_AS(struct sim_faults, settings.allowed_levels, "allowed_levels", JSON_BITS),
	  .is_optional = true, .max = PUNIT_MAX_LEVELS - 1,
	  .has = offsetof(struct sim_faults, settings.has_allowed_levels) },
	{ SETTING(blocked_writes) },
	{ SETTING(ignored_writes) },
	{ SETTING(slow_status), .max = UINT8_MAX },
	{ JSON_ELEMENTS("orders", 0, SIM_MAX_FAULTS, read_order), .is_optional = true },
	{ 0 },
};

/* Reads the text of faults.json; without the file *ret_text is not set. */
static int read_file(const struct sim_state *state, char **ret_text, size_t *ret_length,
		     char **ret_message)
{
	_cleanup_close_ int fd = openat(state->directory_fd, FAULTS_NAME,
					O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;
	int err;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &about) < 0)
		err = -errno;
	else if (!S_ISREG(about.st_mode))
		return state_complain(ret_message, -EINVAL, state->directory, FAULTS_NAME,
				      "is not a regular file");
	else
		err = fileio_read_whole(fd, MAX_BYTES, ret_text, ret_length);
	if (err)
		return state_complain(ret_message, err, state->directory, FAULTS_NAME, NULL);
	return 0;
}

int faults_open(struct sim_state *state, struct sim_faults **ret_faults, char **ret_message)
{
	_cleanup_free_ char *text = NULL, *name = NULL;
	struct json_reader reader = { .err = 0 };
	struct sim_faults *faults;
	uint64_t digest;
	size_t length;
	int err = read_file(state, &text, &length, ret_message);

	if (err)
		return err;
	reader.file_name = name = text_format("%s/%s", state->directory, FAULTS_NAME);
	faults = calloc(1, sizeof(*faults));
	if (!name || !faults) {
		free(faults);
		return -ENOMEM;
	}
	faults->state = state;
	if (!text) {
		*ret_faults = faults;
		return 0;
	}
	digest = digest_bytes(text, length);
	faults->json = json_reader_load(&reader, text, length);
	if (faults->json)
		json_read_fields(&reader, faults->json, root_fields, faults);
	err = json_reader_finish(&reader, ret_message) ?: state_lock(state);
	if (!err && state->machine->faults_digest != digest) {
		/* The counts belong to other orders. */
		memset(state->fault_counts, 0, SIM_MAX_FAULTS * sizeof(*state->fault_counts));
		state->machine->faults_digest = digest;
	}
	if (!err)
		err = state_commit(state);
	if (err) {
		faults_close(faults);
		return err;
	}
	state->power_cap_w = faults->settings.power_cap_w;
	*ret_faults = faults;
	return 0;
}

void faults_close(struct sim_faults *faults)
{
	if (!faults)
		return;
	cpuset_done(&faults->settings.throttled);
	json_decref(faults->json);
	free(faults);
}

/* Returns true if the order is about any number, or about the number of the event. */
static bool fits(uint64_t ordered, uint64_t number)
{
	return ordered == ANY || ordered == number;
}

static bool matches(const struct fault_order *order, const struct sim_fault_event *event)
{
	unsigned int shift = order->number_shift;

	if (order->point != event->point || !fits(order->parameter, event->parameter) ||
	    !fits(order->data, event->data))
		return false;
	if (order->number != ANY && event->number >> shift != order->number >> shift)
		return false;
	if (order->cpu != ANY_CPU && order->cpu != event->cpu)
		return false;
	if (order->path && (!event->path || fnmatch(order->path, event->path, FNM_PATHNAME) != 0))
		return false;
	return order->access == FAULT_ACCESS_ANY ||
	       (order->access == FAULT_ACCESS_WRITE) == event->write;
}

/* Counts a match, up to the highest value. Adds the effect if skip and times allow it. */
static void add_match(const struct fault_order *order, uint32_t *count,
		      struct sim_fault_effect *effect)
{
	const struct sim_fault_effect *ordered = &order->effect;
	uint32_t before = *count;

	if (before != UINT32_MAX)
		++*count;
	if (before < order->skip ||
	    (order->times != TIMES_ALWAYS && before - order->skip >= order->times))
		return;
	if (!effect->error)
		effect->error = ordered->error;
	if (!effect->completion_code)
		effect->completion_code = ordered->completion_code;
	if (__builtin_add_overflow(effect->delay_us, ordered->delay_us, &effect->delay_us))
		effect->delay_us = UINT32_MAX;
	effect->ignored = effect->ignored || ordered->ignored;
	effect->flip ^= ordered->flip;
	if (!effect->bytes)
		effect->bytes = ordered->bytes;
}

struct sim_fault_effect faults_apply(struct sim_faults *faults, const struct sim_fault_event *event)
{
	struct sim_fault_effect effect = { .error = 0 };
	struct sim_state *state = faults ? faults->state : NULL;
	struct timespec left;
	int err;

	if (!faults || !faults->n_orders)
		return effect;
	err = state_lock(state);
	for (size_t i = 0; !err && i < faults->n_orders; i++) {
		if (matches(&faults->orders[i], event))
			add_match(&faults->orders[i], &state->fault_counts[i], &effect);
	}
	if (!err)
		err = state_commit(state);
	if (err)
		return (struct sim_fault_effect){ .error = err };
	left = (struct timespec){ .tv_sec = effect.delay_us / 1000000,
				  .tv_nsec = (long)(effect.delay_us % 1000000) * 1000 };
	while (effect.delay_us && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
	return effect;
}

const struct fault_settings *faults_settings(const struct sim_faults *faults)
{
	static const struct fault_settings none;

	return faults ? &faults->settings : &none;
}

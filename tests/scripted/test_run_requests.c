// SPDX-License-Identifier: GPL-2.0-only
/* Which requests a plan's run sends, to the last (hardware.md, section 2): batches, short counts,
 * what is read back and how often; and the message for a difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "bank.h"
#include "base/cleanup.h"
#include "change/transaction.h"
#include "host/target.h"
#include "script.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

/* CLOS register 2 of a CPU's domain: to write, to read. */
#define SET(of, to)                                                     \
	{                                                               \
		.cpu = (of), .place = 0x10, .write = true, .data = (to) \
	}
#define GET(of, answered) ENTRY_READ(of, 0x10, answered)

/* SET_LEVEL, and GET_LEVELS_INFO with its answer; of CPU 5. */
#define SET_LEVEL(level)        ENTRY_MAILBOX(5, 0x7f, 0x08, level, 0)
#define GET_LEVEL(level)        ENTRY_MAILBOX(5, 0x7f, 0x00, 0, 0x80000400 | (level) << 16)
#define MAILBOX(outcome, ...)   SCRIPT_STEP(ISST_IF_MBOX_COMMAND, outcome, __VA_ARGS__)
#define REGISTERS(outcome, ...) SCRIPT_STEP(ISST_IF_IO_CMD, outcome, __VA_ARGS__)

#define MOST_STEPS      16
#define READS_UNCHANGED 5 /* of limits that the second write is to change */

/* Level 0 becomes 3, or registers of CPUs 0 to n_registers - 1 in one batch 0xa0 become 0xb0. */
struct request_case {
	const char *name;
	unsigned int n_registers;
	uint32_t optional; /* a bit for each register's step */
	unsigned int tries; /* of the channel; 0 is 3 */
	unsigned int check_tries;
	struct script_step steps[MOST_STEPS]; /* a request of 0 ends them */
	int error;
	const char *reason;
	size_t failed_step;
	size_t n_rolled_back, n_not_rolled_back, n_notes;
};

static const struct request_case request_cases[] = {
	{ .name = "written and read back",
	  .steps = { MAILBOX(1, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(3)) } },
	{ .name = "refused: nothing to undo",
	  .steps = { MAILBOX(-ENXIO, SET_LEVEL(3)) },
	  .error = -ENXIO },
	{ .name = "busy twice, then done",
	  .steps = { MAILBOX(-EBUSY, SET_LEVEL(3)), MAILBOX(-EBUSY, SET_LEVEL(3)),
		     MAILBOX(1, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(3)) } },
	{ .name = "busy for good, and it reads as before",
	  .tries = 1,
	  .steps = { MAILBOX(-EBUSY, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(0)) },
	  .error = -EBUSY },
	{ .name = "busy for good, but it took effect",
	  .tries = 1,
	  .steps = { MAILBOX(-EBUSY, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(3)),
		     MAILBOX(1, SET_LEVEL(0)), MAILBOX(1, GET_LEVEL(0)) },
	  .error = -EBUSY,
	  .n_rolled_back = 1 },
	{ .name = "interrupted, and it took effect",
	  .tries = 1,
	  .steps = { MAILBOX(-EINTR, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(3)),
		     MAILBOX(1, SET_LEVEL(0)), MAILBOX(1, GET_LEVEL(0)) },
	  .error = -EINTR,
	  .n_rolled_back = 1 },
	{ .name = "busy for good, result unknown",
	  .tries = 1,
	  .steps = { MAILBOX(-EBUSY, SET_LEVEL(3)), MAILBOX(-EBUSY, GET_LEVEL(0)),
		     MAILBOX(-EBUSY, SET_LEVEL(0)), MAILBOX(-EBUSY, SET_LEVEL(0)),
		     MAILBOX(-EBUSY, SET_LEVEL(0)), MAILBOX(-EBUSY, GET_LEVEL(0)),
		     MAILBOX(-EBUSY, GET_LEVEL(0)), MAILBOX(-EBUSY, GET_LEVEL(0)),
		     MAILBOX(-EBUSY, SET_LEVEL(0)), MAILBOX(-EBUSY, SET_LEVEL(0)),
		     MAILBOX(-EBUSY, SET_LEVEL(0)), MAILBOX(-EBUSY, GET_LEVEL(0)),
		     MAILBOX(-EBUSY, GET_LEVEL(0)), MAILBOX(-EBUSY, GET_LEVEL(0)) },
	  .error = -EBUSY,
	  .n_not_rolled_back = 1 },
	{ .name = "the level does not change: that counts as done, and is undone",
	  .steps = { MAILBOX(1, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(1)), MAILBOX(1, SET_LEVEL(0)),
		     MAILBOX(1, GET_LEVEL(0)) },
	  .error = -EIO,
	  .reason = "it is 1, expected 3",
	  .n_rolled_back = 1 },
	{ .name = "the level changes late",
	  .check_tries = 3,
	  .steps = { MAILBOX(1, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(0)), MAILBOX(1, GET_LEVEL(0)),
		     MAILBOX(1, GET_LEVEL(3)) } },
	{ .name = "the level changes too late",
	  .check_tries = 2,
	  .steps = { MAILBOX(1, SET_LEVEL(3)), MAILBOX(1, GET_LEVEL(0)), MAILBOX(1, GET_LEVEL(0)),
		     MAILBOX(1, SET_LEVEL(0)), MAILBOX(1, GET_LEVEL(0)) },
	  .error = -EIO,
	  .reason = "it is 0, expected 3",
	  .n_rolled_back = 1 },
	{ .name = "cannot be read back, neither then nor undone",
	  .steps = { MAILBOX(1, SET_LEVEL(3)), MAILBOX(-EPERM, GET_LEVEL(0)),
		     MAILBOX(1, SET_LEVEL(0)), MAILBOX(-EPERM, GET_LEVEL(0)),
		     MAILBOX(1, SET_LEVEL(0)), MAILBOX(-EPERM, GET_LEVEL(0)) },
	  .error = -EPERM,
	  .reason = "cannot be read back: not permitted (EPERM); CAP_SYS_ADMIN is needed",
	  .n_not_rolled_back = 1 },
	{ .name = "a batch is one request, and so is reading back",
	  .n_registers = 3,
	  .steps = { REGISTERS(3, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(3, GET(0, 0xb0), GET(1, 0xb0), GET(2, 0xb0)) } },
	{ .name = "only what reads otherwise is read again",
	  .n_registers = 3,
	  .check_tries = 2,
	  .steps = { REGISTERS(3, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(3, GET(0, 0xb0), GET(1, 0xa0), GET(2, 0xb0)),
		     REGISTERS(1, GET(1, 0xb0)) } },
	{ .name = "a short count: the rest is not sent, what was done is undone backwards",
	  .n_registers = 4,
	  .steps = { REGISTERS(2, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0), SET(3, 0xb0)),
		     REGISTERS(-ENXIO, SET(2, 0xb0), SET(3, 0xb0)), REGISTERS(1, SET(1, 0xa0)),
		     REGISTERS(1, GET(1, 0xa0)), REGISTERS(1, SET(0, 0xa0)),
		     REGISTERS(1, GET(0, 0xa0)) },
	  .error = -ENXIO,
	  .failed_step = 2,
	  .n_rolled_back = 2 },
	{ .name = "interrupted, and all of the batch took effect but one",
	  .n_registers = 3,
	  .tries = 1,
	  .steps = { REGISTERS(-EINTR, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(3, GET(0, 0xb0), GET(1, 0xa0), GET(2, 0xb0)),
		     REGISTERS(1, SET(2, 0xa0)), REGISTERS(1, GET(2, 0xa0)),
		     REGISTERS(1, SET(0, 0xa0)), REGISTERS(1, GET(0, 0xa0)) },
	  .error = -EINTR,
	  .n_rolled_back = 2 },
	{ .name = "a short count that was a passing one",
	  .n_registers = 3,
	  .steps = { REGISTERS(1, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(2, SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(3, GET(0, 0xb0), GET(1, 0xb0), GET(2, 0xb0)) } },
	{ .name = "behind an optional step that is refused the batch goes on",
	  .n_registers = 3,
	  .optional = 1 << 1,
	  .steps = { REGISTERS(1, SET(0, 0xb0), SET(1, 0xb0), SET(2, 0xb0)),
		     REGISTERS(-ENXIO, SET(1, 0xb0), SET(2, 0xb0)), REGISTERS(1, GET(0, 0xb0)),
		     REGISTERS(1, SET(2, 0xb0)), REGISTERS(1, GET(2, 0xb0)) },
	  .n_notes = 1 },
	{ .name = "the first difference is the failure, all of the batch is undone",
	  .n_registers = 2,
	  .steps = { REGISTERS(2, SET(0, 0xb0), SET(1, 0xb0)),
		     REGISTERS(2, GET(0, 0xc0), GET(1, 0xa0)), REGISTERS(1, SET(1, 0xa0)),
		     REGISTERS(1, GET(1, 0xa0)), REGISTERS(1, SET(0, 0xa0)),
		     REGISTERS(1, GET(0, 0xc0)), REGISTERS(1, SET(0, 0xa0)),
		     REGISTERS(1, GET(0, 0xc0)) },
	  .error = -EIO,
	  .reason = "it is epp:0 weight:12 min:0 MHz max:0 MHz desired:0 MHz, expected epp:0 "
		    "weight:11 min:0 MHz max:0 MHz desired:0 MHz",
	  .n_rolled_back = 1,
	  .n_not_rolled_back = 1 },
	{ .name = "no back end",
	  .n_registers = 2,
	  .steps = { REGISTERS(-ENOTTY, SET(0, 0xb0), SET(1, 0xb0)) },
	  .error = -ENOTTY },
};

static void add_level(struct change_list *plan, unsigned int check_tries)
{
	const struct change step = {
		.what = "performance level",
		.target = mailbox_target(false, PLATFORM_TARGET_LEVEL, 5, 0),
		.value = { .number = 3 },
		.has_old_value = true,
		.tries = check_tries,
	};

	assert_int_equal(change_list_add(plan, &step), 0);
}

static void add_register(struct change_list *plan, uint32_t cpu, bool optional,
			 unsigned int check_tries)
{
	const struct change step = {
		.what = "CLOS 2",
		.target = mailbox_target(false, PLATFORM_TARGET_CLOS, cpu, 2),
		.value = word_decode(&word_clos, 0xb0),
		.old_value = word_decode(&word_clos, 0xa0),
		.has_old_value = true,
		.tries = check_tries,
		.is_optional = optional,
		.batch = 1,
	};

	assert_int_equal(change_list_add(plan, &step), 0);
}

static void check_outcome(const struct request_case *request,
			  const struct transaction_outcome *outcome)
{
	if (outcome->failed != (request->error != 0) || outcome->failure.error != request->error ||
	    outcome->failure.change != request->failed_step)
		fail_msg("%s: failed with %d at step %u", request->name, outcome->failure.error,
			 outcome->failure.change);
	if (outcome->n_rolled_back != request->n_rolled_back ||
	    outcome->n_not_rolled_back != request->n_not_rolled_back ||
	    outcome->n_notes != request->n_notes)
		fail_msg("%s: %zu undone, %zu not, %zu notes", request->name,
			 outcome->n_rolled_back, outcome->n_not_rolled_back, outcome->n_notes);
	if (request->reason)
		assert_string_equal(outcome->failure.reason, request->reason);
	else
		assert_null(outcome->failure.reason);
}

static void run_case(const struct request_case *request)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct channel channel = { .max_commands = 64, .tries = request->tries ?: 3 };
	struct transaction_environment environment = { .channel = &channel };
	size_t n_steps = 0;

	print_message("%s\n", request->name);
	if (request->n_registers == 0)
		add_level(&plan, request->check_tries);
	for (uint32_t cpu = 0; cpu < request->n_registers; cpu++)
		add_register(&plan, cpu, request->optional >> cpu & 1, request->check_tries);
	while (n_steps < MOST_STEPS && request->steps[n_steps].request)
		n_steps++;
	channel.transport = script_open(request->steps, n_steps);
	assert_int_equal(transaction_run(&plan, &environment, &outcome), 0);
	script_finish(&channel.transport);
	check_outcome(request, &outcome);
}

static void test_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(request_cases); i++)
		run_case(&request_cases[i]);
}

#define SET_LIMITS(to)                                                \
	{                                                             \
		.cpu = 0, .place = 0x1ad, .write = true, .data = (to) \
	}
#define GET_LIMITS(answered) ENTRY_READ(0, 0x1ad, answered)

#define LEVEL 0x1f1f1f1f1f1f1f20
#define ALL   UINT64_MAX

/* The turbo-ratio limits become `written`, and read otherwise; a failure is undone. */
struct limits_case {
	const char *name;
	uint64_t old;
	uint64_t written;
	uint64_t found;
	bool level_is_unknown;
	/* Of limited ones, after one ratio was written lower, and after it was written again; 0: as
	 * firmware that limits it answers. */
	uint64_t probed, again;
	uint64_t undone; /* what reads when the old value is written back; 0: the old one */
	int error;
	const char *reason; /* of the failure, or of the note */
};

static const struct limits_case limits_cases[] = {
	{ .name = "as written", .old = LEVEL, .written = ALL, .found = ALL },
	{ .name = "limited by the level",
	  .old = 0x1010101010101010,
	  .written = ALL,
	  .found = LEVEL,
	  .reason = "0xffffffffffffffff was written, 0x1f1f1f1f1f1f1f20 is in force: the level "
		    "limits it" },
	{ .name = "limited by the level, and so before",
	  .old = LEVEL,
	  .written = ALL,
	  .found = LEVEL,
	  .reason = "0xffffffffffffffff was written, 0x1f1f1f1f1f1f1f20 is in force: the level "
		    "limits it" },
	{ .name = "one ratio limited, lower ones as written",
	  .old = LEVEL,
	  .written = 0x1010101010101030,
	  .found = 0x1010101010101020,
	  .reason = "0x1010101010101030 was written, 0x1010101010101020 is in force: the level "
		    "limits it" },
	{ .name = "limited, but higher than the level",
	  .old = LEVEL,
	  .written = ALL,
	  .found = 0x2020202020202020,
	  .reason = "0xffffffffffffffff was written, 0x2020202020202020 is in force: firmware "
		    "limits it" },
	{ .name = "a lost write that lowers them",
	  .old = LEVEL,
	  .written = 0x1010101010101010,
	  .found = LEVEL,
	  .error = -EIO,
	  .reason = "0x1010101010101010 was written, 0x1f1f1f1f1f1f1f20 is in force" },
	{ .name = "a lost write that raises them within the level",
	  .old = 0x1010101010101010,
	  .written = 0x1111111111111111,
	  .found = 0x1010101010101010,
	  .error = -EIO,
	  .reason = "0x1111111111111111 was written, 0x1010101010101010 is in force" },
	{ .name = "a lost write over what is higher than the level",
	  .old = 0x2222222222222222,
	  .written = ALL,
	  .found = 0x2222222222222222,
	  .error = -EIO,
	  .reason = "0xffffffffffffffff was written, 0x2222222222222222 is in force" },
	{ .name = "one ratio is higher",
	  .old = LEVEL,
	  .written = 0x1e1e1e1e1e1e1e1e,
	  .found = 0x1e1e1e1e1e1e1f1e,
	  .error = -EIO,
	  .reason = "0x1e1e1e1e1e1e1e1e was written, 0x1e1e1e1e1e1e1f1e is in force" },
	{ .name = "one ratio is lower than the level allows",
	  .old = LEVEL,
	  .written = ALL,
	  .found = 0x1f1f1f1f011f1f20,
	  .error = -EIO,
	  .reason = "0xffffffffffffffff was written, 0x1f1f1f1f011f1f20 is in force" },
	{ .name = "the level's limits are not known: lower",
	  .old = LEVEL,
	  .written = ALL,
	  .found = 0x2020202020202020,
	  .level_is_unknown = true,
	  .reason = "0xffffffffffffffff was written, 0x2020202020202020 is in force: firmware "
		    "limits it" },
	{ .name = "the level's limits are not known: as before",
	  .old = LEVEL,
	  .written = ALL,
	  .found = LEVEL,
	  .level_is_unknown = true,
	  .error = -EIO,
	  .reason = "0xffffffffffffffff was written, 0x1f1f1f1f1f1f1f20 is in force" },
	{ .name = "lost, as the second write shows",
	  .old = LEVEL,
	  .written = ALL,
	  .found = LEVEL,
	  .probed = LEVEL,
	  .error = -EIO,
	  .reason =
		  "0xffffffffffffffff was written, 0x1f1f1f1f1f1f1f20 is in force; after "
		  "a write of 0x1f1f1f1f1f1f1f1f the register has 0x1f1f1f1f1f1f1f20: writes are lost "
		  "or altered" },
	{ .name = "altered, as the second write shows",
	  .old = LEVEL,
	  .written = ALL,
	  .found = 0xfffffffffffffeff,
	  .probed = 0xfffffffffffffffe,
	  .error = -EIO,
	  .reason =
		  "0xffffffffffffffff was written, 0xfffffffffffffeff is in force; after "
		  "a write of 0xfffffffffffffefe the register has 0xfffffffffffffffe: writes are lost "
		  "or altered" },
	{ .name = "lost once: the third write has its effect",
	  .old = LEVEL,
	  .written = ALL,
	  .found = LEVEL,
	  .again = ALL },
	{ .name = "the third write is lost",
	  .old = LEVEL,
	  .written = ALL,
	  .found = LEVEL,
	  .again = LEVEL - 1,
	  .error = -EIO,
	  .reason = "0xffffffffffffffff was written, 0x1f1f1f1f1f1f1f1f is in force" },
	{ .name = "the value stays when it is undone",
	  .old = LEVEL,
	  .written = 0x1010101010101010,
	  .found = 0x1818181818181818,
	  .undone = 0x1818181818181818,
	  .error = -EIO,
	  .reason = "0x1010101010101010 was written, 0x1818181818181818 is in force" },
	{ .name = "it is undone to less than there was",
	  .old = LEVEL,
	  .written = 0x1010101010101010,
	  .found = 0x1818181818181818,
	  .undone = 0x1f1f1f1f1f1f1f1f,
	  .error = -EIO,
	  .reason = "0x1010101010101010 was written, 0x1818181818181818 is in force" },
};

static void check_limits_outcome(const struct limits_case *row,
				 const struct transaction_outcome *outcome)
{
	bool has_note = row->reason && !row->error;

	assert_int_equal(outcome->failed, row->error != 0);
	assert_int_equal(outcome->failure.error, row->error);
	assert_int_equal(outcome->n_notes, has_note);
	if (has_note) {
		assert_int_equal(outcome->notes[0].error, 0);
		assert_string_equal(outcome->notes[0].reason, row->reason);
	} else if (row->error) {
		assert_string_equal(outcome->failure.reason, row->reason);
	}
	assert_int_equal(outcome->n_rolled_back, row->error && !row->undone);
	assert_int_equal(outcome->n_not_rolled_back, row->undone != 0);
}

/* The requests of a row: each has one entry. */
struct limits_script {
	struct script_step steps[MOST_STEPS];
	struct entry entries[MOST_STEPS];
	size_t count;
};

static void add_request(struct limits_script *script, struct entry entry)
{
	size_t i = script->count++;

	assert_true(i < MOST_STEPS);
	script->entries[i] = entry;
	script->steps[i] = (struct script_step){
		.request = ISST_IF_MSR_COMMAND,
		.result = 1,
		.entries = &script->entries[i],
		.n_entries = 1,
	};
}

/* One write and its reads, the more of them the longer the value stays as it was before. */
static void add_limits(struct limits_script *script, uint64_t before, uint64_t written,
		       uint64_t found)
{
	add_request(script, (struct entry)SET_LIMITS(written));
	for (int reads = found == before ? READS_UNCHANGED : 1; reads > 0; reads--)
		add_request(script, (struct entry)GET_LIMITS(found));
}

static void script_limits(const struct limits_case *row, struct limits_script *script)
{
	bool is_limited = (row->reason && !row->error) || row->probed || row->again;
	uint64_t probe = row->found - 1;

	script->count = 0;
	add_limits(script, 0, row->written, row->found);
	if (is_limited)
		add_limits(script, row->found, probe, row->probed ?: probe);
	if (is_limited && !row->probed)
		add_limits(script, probe, row->written, row->again ?: row->found);
	if (row->error)
		add_limits(script, 0, row->old, row->undone ?: row->old);
	if (row->undone)
		add_limits(script, 0, row->old, row->undone);
}

static void run_limits_case(const struct limits_case *row)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct channel channel = { .max_commands = 64, .tries = 3 };
	struct transaction_environment environment = { .channel = &channel };
	struct limits_script script;
	const struct change step = {
		.what = "turbo-ratio limits",
		.target = limits_target(0, row->level_is_unknown ? 0 : LEVEL),
		.value = { .number = row->written },
		.old_value = { .number = row->old },
		.has_old_value = true,
	};

	print_message("%s\n", row->name);
	assert_int_equal(change_list_add(&plan, &step), 0);
	script_limits(row, &script);
	channel.transport = script_open(script.steps, script.count);
	assert_int_equal(transaction_run(&plan, &environment, &outcome), 0);
	script_finish(&channel.transport);
	check_limits_outcome(row, &outcome);
}

static void test_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits_cases); i++)
		run_limits_case(&limits_cases[i]);
}

/* A file that turns what is written into something else, as the kernel does. */
struct liar {
	struct bank bank;
	struct files files;
	const char *reads; /* instead of what is written */
};

static struct liar *liar_of(struct files *files)
{
	return (struct liar *)((char *)files - offsetof(struct liar, files));
}

static int liar_write(struct files *files, const char *path, const char *text)
{
	struct liar *liar = liar_of(files);

	return files_write(&liar->bank.files, path, strcmp(text, "old") ? liar->reads : text);
}

static int liar_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct files *bank = &liar_of(files)->bank.files;

	return bank->ops->read(bank, path, limit, ret_text, ret_length);
}

static void test_file_reasons(void **state)
{
	static const struct files_ops ops = { .read = liar_read, .write = liar_write };
	static const struct {
		enum file_content content;
		const char *written;
		const char *reads;
		const char *reason; /* NULL: it is as it should be */
	} cases[] = {
		{ FILE_NUMBER, "2500000", "2500000\n", NULL },
		{ FILE_NUMBER, "2500000", "2400000\n", "the kernel made it 2400000" },
		{ FILE_NUMBER, "0x10", "16\n", NULL },
		{ FILE_NUMBER, "5", "<unsupported>\n", "reads \"<unsupported>\"" },
		{ FILE_TEXT, "isolated", "isolated\n", NULL },
		{ FILE_TEXT, "isolated\n", "isolated\n", NULL },
		{ FILE_TEXT, "isolated",
		  "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n",
		  "isolated invalid (Cpu list in cpuset.cpus not exclusive)" },
		{ FILE_TEXT, "isolated", "\n", "it is empty" },
		{ FILE_ANY, "5", "6\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
		_cleanup_change_list_ struct change_list plan = { 0 };
		struct liar liar = { .files.ops = &ops, .reads = cases[i].reads };
		struct transaction_environment environment = { .files = &liar.files };
		const struct change step = {
			.what = "file",
			.target = file_target("/f", cases[i].content),
			.value = { .text = cases[i].written },
			.old_value = { .text = "old" },
			.has_old_value = true,
		};

		print_message("file case %zu\n", i);
		bank_init(&liar.bank);
		bank_set_file(&liar.bank, "/f", "old\n");
		assert_int_equal(change_list_add(&plan, &step), 0);
		assert_int_equal(transaction_run(&plan, &environment, &outcome), 0);
		assert_int_equal(outcome.failure.error, cases[i].reason ? -EIO : 0);
		assert_int_equal(outcome.n_rolled_back, cases[i].reason ? 1 : 0);
		if (cases[i].reason)
			assert_string_equal(outcome.failure.reason, cases[i].reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_file_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

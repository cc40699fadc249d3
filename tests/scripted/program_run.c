// SPDX-License-Identifier: GPL-2.0-only
/* The program in this process, with files in place of stdout and stderr. The fake machine is opened
 * as --simulate opens a machine: the name that is there is its address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "run/app.h"
#include "features/features.h"
#include "program_run.h"

static int open_machine(const char *platform, const char *state_directory, bool reset,
			struct host **ret_host, char **ret_message)
{
	void *machine;

	(void)state_directory;
	(void)reset;
	(void)ret_message;
	if (sscanf(platform, "%p", &machine) != 1)
		return -EINVAL;
	*ret_host = &((struct fake_machine *)machine)->host;
	return 0;
}

static int list_none(bool brief, struct host_choices *ret_choices)
{
	(void)brief;
	*ret_choices = (struct host_choices){ 0 };
	return 0;
}

/* A stream of the process that goes to a file in memory for a while. */
struct diverted {
	int fd;
	int saved;
	int file;
};

static struct diverted divert(int fd)
{
	struct diverted diverted = {
		.fd = fd,
		.saved = fcntl(fd, F_DUPFD_CLOEXEC, 3),
		.file = memfd_create("stream", MFD_CLOEXEC),
	};

	assert_true(diverted.saved >= 0 && diverted.file >= 0);
	assert_int_equal(dup2(diverted.file, fd), fd);
	return diverted;
}

/* Puts the stream back and returns what was written to it. */
static char *restore(struct diverted *diverted)
{
	size_t length;
	char *text;

	assert_int_equal(dup2(diverted->saved, diverted->fd), diverted->fd);
	close(diverted->saved);
	assert_int_equal(lseek(diverted->file, 0, SEEK_SET), 0);
	assert_int_equal(fileio_read_fd(diverted->file, 0, &text, &length), 0);
	close(diverted->file);
	return text;
}

#define MOST_WORDS 32

/* Runs it with one word more, or none (NULL), after the program's name. */
static struct program_run run_app(const struct app_simulator *simulator, char *simulated,
				  const char *command_line)
{
	const struct app app = {
		.features = features,
		.info = &info_command,
		.simulator = simulator,
		.version = "9.9",
	};
	char *argv[MOST_WORDS + 3] = { 0 };
	_cleanup_free_ char *words = strdup(command_line);
	struct program_run run = { 0 };
	struct diverted out, err;
	int argc = 0;

	assert_non_null(words);
	for (char *at = words, *word; (word = strsep(&at, " "));) {
		assert_true(argc < MOST_WORDS);
		argv[argc++] = word;
		if (argc == 1 && simulated)
			argv[argc++] = simulated;
	}
	fflush(NULL);
	out = divert(STDOUT_FILENO);
	err = divert(STDERR_FILENO);
	run.status = (int)app_run(&app, argc, argv);
	fflush(NULL);
	run.err = restore(&err);
	run.out = restore(&out);
	return run;
}

struct program_run program_run(struct fake_machine *machine, const char *command_line)
{
	static const struct app_simulator opener = { .open = open_machine, .list = list_none };
	char simulate[64];

	snprintf(simulate, sizeof(simulate), "--simulate=%p", (void *)machine);
	fake_machine_forget(machine);
	return run_app(&opener, simulate, command_line);
}

struct program_run program_run_bare(const char *command_line)
{
	return run_app(NULL, NULL, command_line);
}

void program_run_done(struct program_run *run)
{
	free(run->out);
	free(run->err);
}

json_t *program_run_json(const char *text)
{
	json_error_t error;
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json_is_object(document))
		fail_msg("not one JSON object (%s): %s", error.text, text);
	return document;
}

size_t program_run_count(const char *text, const char *needle)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, needle)); at += strlen(needle))
		count++;
	return count;
}

const struct fake_shape ice_lake_shape = {
	.packages = 2,
	.dies = 1,
	.cores = 2,
	.model = 0x6a,
};

#define WORD(sub, answered)                                                             \
	{                                                                               \
		.request = ISST_IF_MBOX_COMMAND, .command = 0x7f, .sub_command = (sub), \
		.answer = (answered)                                                    \
	}
#define WORD_AT(sub, mask, bits, answered)                                              \
	{                                                                               \
		.request = ISST_IF_MBOX_COMMAND, .command = 0x7f, .sub_command = (sub), \
		.data_mask = (mask), .data = (bits), .answer = (answered)               \
	}

const struct fake_rule ice_lake_rules[] = {
	WORD(0x00, 0x80000203),
	WORD_AT(0x01, 0xff, 0, 0x00000003),
	WORD_AT(0x01, 0xff, 2, 0x00000000),
	WORD(0x03, 0x001700cd),
	WORD(0x05, 0x00000064),
	WORD(0x06, 0x00000003),
	WORD(0x07, 0x1e1f2022),
	WORD(0x0a, 0x0f111517),
	WORD(0x0b, 0x00000001),
	WORD(0x0c, 0x08001019),
	WORD_AT(0x10, 0x100, 0x100, 0),
	WORD(0x10, 0x00000402),
	WORD(0x11, 0x20222426),
	WORD(0x12, 0x0016181a),
	WORD(0x20, 0x00000001),
	WORD(0x21, 0x00001b15),
	WORD(0x22, 0x00005f55),
	WORD(0x23, 0x000000c8),
	{ .request = ISST_IF_MBOX_COMMAND, .command = 0xd0, .sub_command = 0x02, .answer = 0x6 },
	{ .request = ISST_IF_MBOX_COMMAND,
	  .command = 0x94,
	  .sub_command = 0x03,
	  .answer = 0x10001 },
	{ .request = ISST_IF_IO_CMD,
	  .place_mask = UINT32_MAX,
	  .place = 0x0c,
	  .answer = 0x00ff08f0 },
	{ .request = ISST_IF_IO_CMD, .answer = 0x20000 },
	{ .request = ISST_IF_MSR_COMMAND,
	  .place_mask = UINT32_MAX,
	  .place = 0x1ad,
	  .answer = 0x1e1e1e1e1f1f2022 },
	{ .request = ISST_IF_MSR_COMMAND,
	  .place_mask = UINT32_MAX,
	  .place = 0x1ae,
	  .answer = 0x100e0c0a08060402 },
};

const size_t n_ice_lake_rules = ARRAY_SIZE(ice_lake_rules);

void program_open_ice_lake(struct fake_machine *machine, const struct fake_rule *rule)
{
	fake_machine_init(machine, &ice_lake_shape);
	fake_machine_add_rules(machine, ice_lake_rules, n_ice_lake_rules);
	if (rule)
		fake_machine_add_rules(machine, rule, 1);
}

void program_assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is missing in\n%s", part, text);
}

void program_assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in\n%s", part, text);
}

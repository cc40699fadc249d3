// SPDX-License-Identifier: GPL-2.0-only
/* Runs the program on a host that a target has made. */
#include "whole_program.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "features/features.h"
#include "run/app.h"

#define MOST_WORDS 32

/* The name after --simulate is the address of the host. */
static int open_machine(const char *platform, const char *state_directory, bool reset,
			struct host **ret_host, char **ret_message)
{
	void *host;

	(void)state_directory;
	(void)reset;
	(void)ret_message;
	FUZZ_REQUIRE(sscanf(platform, "%p", &host) == 1);
	*ret_host = host;
	return 0;
}

static int list_none(bool brief, struct host_choices *ret_choices)
{
	(void)brief;
	*ret_choices = (struct host_choices){ 0 };
	return 0;
}

/* stdout is a file in memory, emptied for each run. */
static void empty_stdout(void)
{
	static bool is_ours;
	_cleanup_close_ int fd = -1;

	if (!is_ours) {
		fd = memfd_create("stdout", MFD_CLOEXEC);
		FUZZ_REQUIRE(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
		is_ours = true;
	}
	FUZZ_REQUIRE(ftruncate(STDOUT_FILENO, 0) == 0);
	FUZZ_REQUIRE(lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
}

int fuzz_program_run(struct host *host, char *words)
{
	static const struct app_simulator opener = { .open = open_machine, .list = list_none };
	const struct app app = {
		.features = features,
		.info = &info_command,
		.simulator = &opener,
		.version = "9.9",
	};
	char address[32], program[] = "isst", simulate[] = "--simulate";
	char *argv[MOST_WORDS + 4] = { program, simulate, address };
	int argc = 3;

	empty_stdout();
	snprintf(address, sizeof(address), "%p", (void *)host);
	for (char *word; argc < MOST_WORDS && (word = strsep(&words, " "));)
		argv[argc++] = word;
	return (int)app_run(&app, argc, argv);
}

size_t fuzz_program_output(char **ret_text)
{
	size_t length;

	fflush(stdout);
	FUZZ_REQUIRE(lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
	FUZZ_REQUIRE(fileio_read_fd(STDOUT_FILENO, 0, ret_text, &length) == 0);
	return length;
}

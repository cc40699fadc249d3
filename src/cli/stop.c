// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal handler can leave its word only in a variable of the file: this is the one (commands.md,
 * "Safety of every setting command").
 */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

#include "base/cleanup.h"

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t is_asked;

static void note(int number)
{
	(void)number;
	is_asked = 1;
}

static void pass_over(int number)
{
	(void)number;
}

/* One that was ignored, as a shell does for what it starts in the background, stays so. */
static void catch_all(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		sigaction(numbers[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

void stop_install(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	is_asked = 0;
	catch_all(note, 0);
	sigaction(SIGPIPE, &ignore, NULL);
}

bool stop_is_asked(void)
{
	return is_asked;
}

void stop_settle(void)
{
	catch_all(pass_over, (int)(SA_RESTART | SA_RESETHAND));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal handler can leave its word only in a variable of the file: this is the one (commands.md,
 * "Safety of every setting command").
 */
#include "cli/stop.h"

#include <stddef.h>

static volatile sig_atomic_t is_asked;

static void note(int number)
{
	(void)number;
	is_asked = 1;
}

static void catch (int number, struct sigaction *ret_old)
{
	struct sigaction action = { .sa_handler = note };

	sigemptyset(&action.sa_mask);
	sigaction(number, NULL, ret_old);
	if (ret_old->sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void stop_install(struct stop *ret_stop)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	is_asked = 0;
	catch (SIGINT, &ret_stop->old_interrupt);
	catch (SIGTERM, &ret_stop->old_terminate);
	catch (SIGHUP, &ret_stop->old_hangup);
	sigaction(SIGPIPE, &ignore, &ret_stop->old_pipe);
}

bool stop_is_asked(void)
{
	return is_asked;
}

void stop_restore(const struct stop *stop)
{
	sigaction(SIGINT, &stop->old_interrupt, NULL);
	sigaction(SIGTERM, &stop->old_terminate, NULL);
	sigaction(SIGHUP, &stop->old_hangup, NULL);
	sigaction(SIGPIPE, &stop->old_pipe, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Notes signals that ask the program to stop (commands.md, "Safety of every setting command"). The
 * handler sets a variable and makes an eventfd readable, which is not read before the next
 * installation: a wait that begins after the signal ends at once, too. */
#include "run/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t is_asked;
static volatile sig_atomic_t event_fd = -1; /* kept until the process ends */

static void note(int number)
{
	const eventfd_t one = 1;
	int before = errno;

	(void)number;
	is_asked = 1;
	/* It fails only when the counter is full: it is readable then. */
	if (write(event_fd, &one, sizeof(one)) < 0)
		errno = before;
}

static void ignore(int number)
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

int signals_install(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	eventfd_t earlier;

	if (event_fd < 0)
		event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return -errno;
	is_asked = 0;
	if (eventfd_read(event_fd, &earlier) < 0 && errno != EAGAIN)
		return -errno;
	catch_all(note, 0);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	return 0;
}

static bool has_been_asked(void *data)
{
	(void)data;
	return is_asked;
}

struct wait_stop signals_source(void)
{
	return (struct wait_stop){ .fd = event_fd, .is_asked = has_been_asked };
}

void signals_settle(void)
{
	catch_all(ignore, (int)(SA_RESTART | SA_RESETHAND));
}

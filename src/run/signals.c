// SPDX-License-Identifier: GPL-2.0-only
/* Records signals that request a stop (commands.md, "Safety of every setting command"). The handler
 * sets a variable and makes an eventfd readable. Until the next installation nothing reads the
 * eventfd, so that a wait that begins after the signal ends at once, too. */
#include "run/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
#define TOGETHER_US 100000 /* timeout(1) sends its signal twice */

static volatile struct {
	sig_atomic_t is_asked, is_asked_again, first;
	uint64_t first_us; /* the time of the first signal */
} state;

static volatile sig_atomic_t event_fd = -1; /* kept until the process ends */

static void note(int number)
{
	const eventfd_t one = 1;
	int before = errno;

	if (!state.is_asked) {
		state.first = number;
		state.first_us = wait_now_us();
	} else if (number != SIGHUP && wait_now_us() - state.first_us > TOGETHER_US) {
		state.is_asked_again = 1;
	}
	state.is_asked = 1;
	/* write() fails only if the counter is full; then the eventfd is readable. */
	if (write(event_fd, &one, sizeof(one)) < 0)
		errno = before;
}

static void ignore(int number)
{
	(void)number;
}

/* Sets the handler of all signals. A signal that was ignored stays ignored: a shell ignores signals
 * for a process in the background. */
static void catch_all(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&action.sa_mask, numbers[i]);
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
	state.is_asked = state.is_asked_again = state.first = 0;
	if (eventfd_read(event_fd, &earlier) < 0 && errno != EAGAIN)
		return -errno;
	catch_all(note, 0);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	return 0;
}

int signals_first(void)
{
	return state.first;
}

static bool has_been_asked(void *data)
{
	(void)data;
	return state.is_asked;
}

static bool has_been_asked_again(void *data)
{
	(void)data;
	return state.is_asked_again;
}

struct wait_stop signals_source(void)
{
	return (struct wait_stop){
		.fd = event_fd,
		.is_asked = has_been_asked,
		.is_asked_again = has_been_asked_again,
	};
}

void signals_settle(void)
{
	catch_all(ignore, (int)(SA_RESTART | SA_RESETHAND));
}

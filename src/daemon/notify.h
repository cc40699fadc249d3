/* SPDX-License-Identifier: GPL-2.0-only */
/* Words to the service manager, over the socket that NOTIFY_SOCKET names (sd_notify(3)). */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sends "READY=1", "STATUS=..." or the like; lines are parted by newlines. Returns 0, also where
 * there is no service manager; -EINVAL where the socket's name is of no use; or a negative errno of
 * sending.
 */
int notify_send(const char *words);

/* How often, in us, the service manager wants to hear "WATCHDOG=1" of this process; 0: never. */
uint64_t notify_watchdog_us(void);

/* Is stderr what JOURNAL_STREAM tells, the journal (systemd.exec(5))? */
bool notify_stderr_is_journal(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives the kernel's hardware feedback events by generic netlink (hardware.md, section 8). */
#ifndef DAEMON_EVENTS_H
#define DAEMON_EVENTS_H

#include "base/cpuset.h"

struct events;
struct nlmsghdr;

#define _cleanup_events_ __attribute__((cleanup(events_close)))

/* Listens to the kernel's thermal events. Returns 0; -ENOTSUP if the kernel has no such family;
 * -ELIBACC if libnl is not installed; another negative errno of the socket; -ENOMEM. */
int events_open(struct events **ret_events);

/* Returns the meaning of an error of events_open(): a text that needs no release. */
const char *events_problem(int err);

/* Stops listening, and sets *events, which may be NULL, to NULL. */
void events_close(struct events **events);

/* Returns the descriptor that becomes readable when there is an event. */
int events_fd(const struct events *events);

/* Receives all waiting events, and adds the CPUs that they name to cpus. Returns 0; -ENOBUFS if
 * events were lost, or -EBADMSG if one could not be decoded (these events can be about any CPU);
 * another negative errno if the socket is not usable any more. */
int events_take(struct events *events, struct cpuset *cpus);

/* Adds the CPUs that a message names, if it is about changed capabilities. Returns 0, also for
 * other messages; -EBADMSG for an invalid message, without adding a CPU; -ELIBACC; -ENOMEM. */
int events_decode(struct nlmsghdr *message, struct cpuset *cpus);

#endif

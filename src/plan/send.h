/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a plan on their way through the channel, with no memory taken on the way. */
#ifndef PLAN_SEND_H
#define PLAN_SEND_H

#include "plan/plan.h"
#include "transport/channel.h"

/* One command: what goes out, and what came of it. */
struct send_word {
	const struct plan_write *write; /* of a mailbox, register, MSR or TPMI request */
	bool reads; /* the write's place is read instead */
	uint64_t value; /* the request data, or what is written; then the answer */
	int error; /* 0, or as in channel.h; -ENODEV: there is no device */
};

struct sender {
	bool has_channel;
	struct channel channel; /* a copy: of its progress nobody is told here */
	void *commands;
	int *errors;
	void *buffer;
};

/* Gets ready for at most `most` words in one call. channel may be NULL. Returns 0 or -ENOMEM. */
int sender_init(struct sender *sender, const struct channel *channel, size_t most);
void sender_done(struct sender *sender);

/*
 * Sends words in order, neighbours of one kind in one call of the channel. With stop_at_error those
 * of a call that come behind one that failed are not sent (-ECANCELED).
 */
void sender_send(struct sender *sender, struct send_word *words, size_t count, bool stop_at_error);

#endif

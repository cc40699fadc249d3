/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbered commands of one kind, sent through a channel: what tests of it share. */
#ifndef SCRIPTED_CHANNEL_JOB_H
#define SCRIPTED_CHANNEL_JOB_H

#include "entry.h"
#include "host/channel.h"

#define CHANNEL_JOB_KINDS 4

/* The requests that carry entries. */
extern const uint32_t channel_job_kinds[CHANNEL_JOB_KINDS];

/* count commands of one kind; errors and answers by command. */
struct channel_job {
	uint32_t kind;
	size_t count;
	bool write; /* of registers and MSRs */
	int *errors; /* 1: neither done nor failed */
	uint64_t *answers;
};

#define _cleanup_channel_job_ __attribute__((cleanup(channel_job_done)))

struct channel_job channel_job_new(uint32_t kind, size_t count);
void channel_job_done(struct channel_job *job);

/* Sends all of it; the channel must return 0. */
void channel_job_send(const struct channel *channel, struct channel_job *job);

/* Command number index of a kind, as the driver must see it, with its answer. */
struct entry channel_job_entry(uint32_t kind, size_t index);

#endif

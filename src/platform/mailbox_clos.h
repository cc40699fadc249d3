/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of CLOS parameters and associations, which parts differ in how to reach. */
#ifndef PLATFORM_MAILBOX_CLOS_H
#define PLATFORM_MAILBOX_CLOS_H

#include "platform/mailbox.h"

/* A PM_CLOS or PQR_ASSOC: where it is, by mailbox and by MMIO, and what was read there. */
struct clos_word {
	uint32_t cpu;
	uint16_t sub_command;
	uint32_t parameter;
	uint32_t reg;
	uint32_t answer;
};

/* The parameters of a CLOS, 0 to 3, of the domain that cpu is in. */
struct clos_word mailbox_clos_parameters(uint32_t cpu, uint32_t clos);

/*
 * Reads words[0..count-1]; errors[i] is 0 or a negative errno of channel.h. Returns 0 or -ENOMEM.
 */
int mailbox_clos_read_words(const struct platform *platform, struct clos_word *words, int *errors,
			    size_t count);

/*
 * Makes one association word for each core of cpus[0..count-1], in the order of their first CPUs,
 * by that CPU where it is online, else by the domain's. words has room for count; word_of[i]
 * becomes the word of cpus[i], or SIZE_MAX where its core is not known. Returns 0 or -ENOMEM.
 */
int mailbox_clos_collect_cores(const struct platform *platform, const uint32_t *cpus, size_t count,
			       struct clos_word *words, size_t *word_of, size_t *ret_n_words);

#endif

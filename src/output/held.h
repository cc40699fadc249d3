/* SPDX-License-Identifier: GPL-2.0-only */
/* A renderer in place of another one: it drops results and keeps messages. */
#ifndef OUTPUT_HELD_H
#define OUTPUT_HELD_H

#include <stddef.h>

struct renderer;
struct held;

/* Takes the place of *renderer. Returns 0 or -ENOMEM. */
int held_new(struct renderer **renderer, struct held **ret_held);

/* The renderer whose place it took. */
struct renderer *held_give_back(const struct held *held);

/* Keeps a message; kind is a static text. Returns 0 or -ENOMEM. */
int held_add(struct held *held, const char *kind, const char *message);

/* The messages, from 0 on. */
size_t held_count(const struct held *held);
const char *held_kind(const struct held *held, size_t index);
const char *held_message(const struct held *held, size_t index);

void held_free(struct held *held);

#endif

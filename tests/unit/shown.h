/* SPDX-License-Identifier: GPL-2.0-only */
/* All that an output shows, its errors and notes in order among it, as one text. */
#ifndef UNIT_SHOWN_H
#define UNIT_SHOWN_H

#include "output/output.h"

/* Lets put() fill an output of that format. What comes out is a new text. */
char *shown(enum output_format format, void (*put)(struct output *output, void *data), void *data);

#endif

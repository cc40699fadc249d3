/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of machine summary: JSON objects that text is made of, too. */
#ifndef FEATURES_MACHINE_SUMMARY_H
#define FEATURES_MACHINE_SUMMARY_H

#include <jansson.h>

/* Makes the text of the tree, for a screen of that many columns, as a new text; NULL: no memory. */
char *machine_summary_format(const json_t *tree, unsigned int width);

#endif

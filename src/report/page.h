/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of measure report: one HTML file from saved measurements, which needs no network and no
 * script (measure.md, "report"). */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

#include "measure/saved.h"

/* Makes the page of n_runs (at least 1) measurements, in their order. The same measurements always
 * give the same page. A part that a measurement does not have is left out, or shown as missing.
 * Returns 0 with a new text, or -ENOMEM. */
int page_make(const struct saved_run *runs, size_t n_runs, char **ret_page);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The member of a state document that an unknown one may mean. */
#ifndef STATE_MEANT_H
#define STATE_MEANT_H

/* For the end of a message: "; did you mean min-mhz?" of the known members, commas and blanks
 * between; "; did you mean cpufreq.turbo?" if the key is one of another object; or "". A new text;
 * NULL: no memory. */
char *member_meant(const char *key, const char *known);

#endif

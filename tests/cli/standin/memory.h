/* SPDX-License-Identifier: GPL-2.0-only */
/* Which allocations are the program's: all but those made between pause and its end. */
#ifndef STANDIN_MEMORY_H
#define STANDIN_MEMORY_H

/* Pauses counting (not 0), or ends one pause (0); pauses nest. Is there with memory.so alone. */
void memory_pause(int paused) __attribute__((weak));

#endif

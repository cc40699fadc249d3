/* SPDX-License-Identifier: GPL-2.0-only */
/* All sources of the activity of CPUs, their power and their limits: opened once, read at the
 * beginning and the end of each window of time, and compared (measure.md, "Sources, rights,
 * traps"). A source that is missing, unreadable or garbled gives its figures a reason instead of a
 * value. */
#ifndef MEASURE_SOURCES_H
#define MEASURE_SOURCES_H

#include "base/figure.h"
#include "host/machine.h"

struct sources_options {
	const struct machine *machine;
	const struct cpuset *cpus; /* that are measured: online */
	/* CPUs that must not be interrupted by others. If they are measured too, threads on these
	 * CPUs open, read and close their counters. */
	const struct cpuset *isolated;
	bool with_details; /* how well idle states were chosen */
	bool with_limits; /* why the hardware limits frequencies: a request for each CPU */
	bool limits_are_clear; /* limit_reasons_clear() has just been called */
	bool with_stolen; /* time that a hypervisor took */
	bool keeps_files; /* files stay open from one reading to the next */
};

/* Why a CPU without work has no frequency: nothing is wrong. */
#define FIGURE_IDLE "the CPU was idle all the time"

/* What the sources of figures begin with that no hardware gave. */
#define FIGURE_MODEL "model: "

/* Begins the reason of "limits" of a kernel that has none. */
#define SOURCES_NO_LIMITS "the kernel shows no limit reasons"

struct run_window;
struct sources;
struct sources_reading;

/* Opens the counters of a machine; what options points to must outlive it. Returns 0 or -ENOMEM. */
int sources_open(const struct sources_options *options, struct sources **ret_sources);

/* Closes the counters, frees *sources, which may be NULL, and leaves NULL. */
void sources_close(struct sources **sources);

/* Reads all sources, in the order of the CPUs. Returns 0 or -ENOMEM. */
int sources_read(struct sources *sources, struct sources_reading **ret_reading);

/* Reads what wraps around; to be called at least every SOURCES_WRAP_NS. */
#define SOURCES_WRAP_NS UINT64_C(60000000000)
void sources_keep_up(struct sources *sources);

/* Frees *reading, which may be NULL, and leaves NULL. */
void sources_reading_free(struct sources_reading **reading);

/* The figures between two readings of the same sources. Their texts are those of the sources.
 * Returns 0 or -ENOMEM. */
int sources_compare(struct sources *sources, const struct sources_reading *before,
		    const struct sources_reading *after, struct run_window *ret_window);

/* How a figure was measured, a static text; of a model, that it is one: a text of the sources. */
const char *sources_name(struct sources *sources, const char *text);

/* Hands over the texts of all figures, which outlive the sources then; before they are closed. */
void sources_take_texts(struct sources *sources, struct texts *texts);

/* Why counters of CPUs cannot be opened at all, or NULL if they can. */
const char *sources_refusal(const struct sources *sources);

#define _cleanup_sources_         __attribute__((cleanup(sources_close)))
#define _cleanup_sources_reading_ __attribute__((cleanup(sources_reading_free)))

#endif

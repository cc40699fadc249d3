/* SPDX-License-Identifier: GPL-2.0-only */
/* All sources of the activity, power and limits of CPUs (measure.md, "Sources, rights, traps"). The
 * sources are opened once, read at the beginning and the end of each window of time, and compared.
 * If a source is missing, unreadable or garbled, its figures have a reason instead of a value. */
#ifndef MEASURE_SOURCES_H
#define MEASURE_SOURCES_H

#include "base/figure.h"
#include "host/machine.h"

struct sources_options {
	const struct machine *machine;
	const struct cpuset *cpus; /* the measured CPUs, all online */
	/* CPUs that other CPUs must not interrupt. If such a CPU is measured, a thread on it opens,
	 * reads and closes its counters. */
	const struct cpuset *isolated;
	bool with_details; /* how well idle states were chosen */
	bool with_limits; /* why the hardware limits frequencies: a request for each CPU */
	bool limits_are_clear; /* limit_reasons_clear() has just been called */
	bool with_stolen; /* time that a hypervisor took */
	bool keeps_files; /* files stay open from one reading to the next */
};

/* The reason why an idle CPU has no frequency. This is no fault. */
#define FIGURE_IDLE "the CPU was idle all the time"

/* The source of a figure begins with this if a model gave it, not hardware. */
#define FIGURE_MODEL "model: "

/* The reason of "limits" begins with this if the kernel has no limit reasons. */
#define SOURCES_NO_LIMITS "the kernel shows no limit reasons"

struct run_window;
struct sources;
struct sources_reading;

/* Opens the counters. What options points to must outlive the sources. Returns 0 or -ENOMEM. */
int sources_open(const struct sources_options *options, struct sources **ret_sources);

/* Closes the counters, frees *sources (which may be NULL), and sets it to NULL. */
void sources_close(struct sources **sources);

/* Reads all sources, in the order of the CPUs. Returns 0 or -ENOMEM. */
int sources_read(struct sources *sources, struct sources_reading **ret_reading);

/* Reads the counters that wrap around. Must be called at least every SOURCES_WRAP_NS. */
#define SOURCES_WRAP_NS UINT64_C(60000000000)
void sources_keep_up(struct sources *sources);

/* Frees *reading (which may be NULL), and sets it to NULL. */
void sources_reading_free(struct sources_reading **reading);

/* Computes the figures between two readings of the same sources. The sources own their texts.
 * Returns 0 or -ENOMEM. */
int sources_compare(struct sources *sources, const struct sources_reading *before,
		    const struct sources_reading *after, struct run_window *ret_window);

/* text (static) names how a figure was measured. Returns text; or, if a model gives the figures, a
 * text of the sources with FIGURE_MODEL before it. */
const char *sources_name(struct sources *sources, const char *text);

/* Moves the texts of all figures from the open sources to texts, so that they outlive the
 * sources. */
void sources_take_texts(struct sources *sources, struct texts *texts);

/* Why counters of CPUs cannot be opened at all, or NULL if they can. */
const char *sources_refusal(const struct sources *sources);

#define _cleanup_sources_         __attribute__((cleanup(sources_close)))
#define _cleanup_sources_reading_ __attribute__((cleanup(sources_reading_free)))

#endif

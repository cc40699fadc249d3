/* SPDX-License-Identifier: GPL-2.0-only */
/* What a state document says of this machine: its entries as values of places. */
#ifndef STATE_WANTED_H
#define STATE_WANTED_H

#include "settings/cpu_names.h"
#include "state/document.h"
#include "settings/view.h"

struct wanted_state {
	const struct document *document;
	struct state_machine *state;
	struct report *report;
	bool is_of_another; /* the document is for another machine, as "require" says */
	struct state_rows rows; /* STATE_NONE: not named. Words stay words: see state/result.h */
	struct wanted_level *levels; /* by place of PLACE_DOMAIN */
	struct cpuset online; /* after apply */
	struct cpuset pending; /* of these, offline now */
	struct cpuset isolated; /* CPUs that go offline by a control group */
	struct cpu_names *names; /* of each entry for "cpu SET" */
	struct cpuset *cpus; /* of each entry for "cpu ...", resolved */
	bool *is_refused; /* of each entry: a problem of its list of CPUs was reported */
};

#define _cleanup_wanted_ __attribute__((cleanup(wanted_done)))

/* Resolves the document's selectors and reads the levels that it needs. Adds what the document gets
 * wrong about this machine to report: require that does not match, places that it lacks, settings
 * that apply to more than a selector has, contradictions. Adds places of policies for CPUs that
 * come online. Returns 0, with a problem or without; or -ENOMEM. wanted_done() is needed in any
 * case. */
int wanted_resolve(struct wanted_state *wanted, const struct document *document,
		   struct state_machine *state, struct report *report);
void wanted_done(struct wanted_state *wanted);

/* Reports a problem of an entry; what the machine lacks is a note if the entry is optional. */
void wanted_report(struct wanted_state *wanted, size_t entry, enum report_kind kind,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Parses the lists of entries for "cpu SET". Problems are reported. Returns 0 or -ENOMEM. */
int wanted_parse_cpus(struct wanted_state *wanted);

/* Resolves them: first those of entries about "online", then the others, which mean CPUs that are
 * online after apply. Problems are reported. Returns 0 or -ENOMEM. */
int wanted_resolve_cpus(struct wanted_state *wanted, bool of_online);

/* Does the package of a place have a power domain that cannot be queried, as all its CPUs are
 * offline, until the document brings some online? Then its settings are unknown before that. */
bool wanted_brings_online(const struct wanted_state *wanted, const struct place *place);

/* Does the entry have values that places had? It is for CPUs that go offline, too, which get them
 * before; those that are offline are left out. */
bool wanted_is_past(const struct wanted_state *wanted, size_t entry);

/* The kind of report on a setting of Speed Select whose reading failed with this error. A power
 * domain of TPMI parts that does not answer may have the setting, so that this is a failure. In the
 * program's own documents it is one, too, except for turbo-ratio limits, whose MSR needs a module
 * of its own. */
enum report_kind wanted_kind_of_unread(const struct wanted_state *wanted, enum setting_id setting,
				       int err);

#endif

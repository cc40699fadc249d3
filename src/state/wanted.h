/* SPDX-License-Identifier: GPL-2.0-only */
/* Resolves a state document for this machine: its entries become values of locations. */
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
	struct state_rows rows; /* STATE_NONE: not named. state/compare.h resolves words */
	struct wanted_level *levels; /* by index in the places of PLACE_DOMAIN */
	struct cpuset online; /* CPUs that are online after apply */
	struct cpuset pending; /* CPUs of online that are offline now */
	struct cpuset isolated; /* CPUs that a control group takes offline */
	struct cpu_names *names; /* by entry; of those for "cpu SET" */
	struct cpuset *cpus; /* by entry; of those for "cpu ...", resolved */
	bool *is_refused; /* by entry: a problem of its list of CPUs was reported */
};

#define _cleanup_wanted_ __attribute__((cleanup(wanted_done)))

/* Resolves the document's selectors and reads the levels that it needs. Reports where the document
 * does not fit this machine: a mismatch of "require", missing locations, settings whose scope is
 * wider than the selector, contradictions. Adds policies for CPUs that come online. Returns 0, with
 * a problem or without; or -ENOMEM. wanted_done() is needed in any case. */
int wanted_resolve(struct wanted_state *wanted, const struct document *document,
		   struct state_machine *state, struct report *report);
void wanted_done(struct wanted_state *wanted);

/* Reports a problem of an entry. If it is optional, a setting that the machine lacks is a note. */
void wanted_report(struct wanted_state *wanted, size_t entry, enum report_kind kind,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Parses the lists of entries for "cpu SET". Problems are reported. Returns 0 or -ENOMEM. */
int wanted_parse_cpus(struct wanted_state *wanted);

/* Resolves the parsed lists. Call it first with of_online for entries about "online", then without
 * it for the others, which mean CPUs that are online after apply. Problems are reported. Returns 0
 * or -ENOMEM. */
int wanted_resolve_cpus(struct wanted_state *wanted, bool of_online);

/* Returns true if the package has a power domain whose CPUs are all offline, and the document
 * brings some online. Before that, the domain cannot be queried and its settings are unknown. */
bool wanted_brings_online(const struct wanted_state *wanted, const struct place *place);

/* Returns true if the entry has past values. It also sets CPUs that will go offline, before they
 * do. CPUs that are offline now are left out. */
bool wanted_is_past(const struct wanted_state *wanted, size_t entry);

/* Returns the kind of report for a Speed Select setting whose read failed with err. -ENOTTY is a
 * failure on TPMI parts, since a power domain that does not answer may have the setting. In past
 * values and the program's own documents it is a failure on all parts; but turbo-ratio limits are a
 * note there, since their MSR needs a module of its own. */
enum report_kind wanted_kind_of_unread(const struct wanted_state *wanted, enum setting_id setting,
				       int err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A state document as it was written: entries in order, each a selector of places and the values of
 * members there (docs/spec/state.md, "Document"). Reading one needs no machine: what it says of
 * this machine is resolved later (state/wanted.h). */
#ifndef STATE_DOCUMENT_H
#define STATE_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

#include "settings/value.h"

#define DOCUMENT_FORMAT      "intel-speed-select-state"
#define DOCUMENT_VERSION     1
#define DOCUMENT_MAX_BYTES   (16u << 20)
#define DOCUMENT_MAX_ENTRIES 100000
#define DOCUMENT_MAX_DEPTH   32

/* What an entry is for. */
struct selector {
	enum selector_kind {
		SELECTOR_MACHINE,
		SELECTOR_ALL,
		SELECTOR_PACKAGE, /* "package-0", with parts that narrow it */
		SELECTOR_CPUS, /* "cpu LIST" */
		SELECTOR_OTHER /* "cpu other" */
	} kind;
	const char *text; /* as written */
	uint32_t package; /* of SELECTOR_PACKAGE, and the parts below if they are given */
	bool has_die, has_power_domain, has_cluster, has_uncore;
	uint32_t die, power_domain, cluster, uncore;
	const char *cpus; /* of SELECTOR_CPUS: the list, in text */
};

/* A value that an entry gives to a member. */
struct entry_value {
	enum setting_id setting;
	uint32_t clos; /* with SETTING_IN_CLOS */
	const char *idle_state; /* with SETTING_IN_IDLE_STATE */
	struct state_value value; /* .entry is set */
};

struct document_entry {
	struct selector on;
	bool is_optional;
	struct entry_value *values;
	size_t n_values;
};

/* Numbers that must be the machine's; those that are not given are unknown. */
struct document_require {
	const char *vendor; /* or NULL */
	struct file_number family, model, packages, cpus;
};

struct document {
	const char *file; /* the name for messages; the caller's */
	struct document_require require;
	struct document_entry *entries;
	size_t n_entries;
	bool sets[N_SETTINGS]; /* which settings it has values of */
	/* A member of it is a setting of Speed Select, and its entry is not optional: the first
	 * one. */
	bool names_sst; /* also in an optional entry */
	bool has_sst;
	size_t sst_entry, sst_value;
	/* It is the program's own: messages do not name its entries, and what the machine lacks of
	 * an optional entry is skipped without a note. */
	bool is_built_in;
	/* If a command made it of its options: the option of a setting, for messages, or NULL */
	const char *(*name_option)(enum setting_id setting);
	/* Its values are those that places had: they are not checked, and may be such as other
	 * documents cannot have. */
	bool is_past;
	size_t n_past; /* of another one: so many entries before its own are of that kind */
	/* Of recovery: turbo-ratio limits must read as they are given: others that limit no more do
	 * not match. What cannot be read is a note, and its value becomes STATE_UNREADABLE. */
	bool is_exact;
	json_t *json; /* what the texts point into */
	json_t *past_json; /* and those of n_past entries */
};

#define _cleanup_document_ __attribute__((cleanup(document_done)))

/* Reads a document from a stream and checks all that can be checked without a machine: syntax,
 * duplicate keys, size, depth, members, types, ranges, words, selectors. file is its name for
 * messages. Returns 0; -EINVAL with *ret_problem a new text "FILE: settings[3].cpufreq.min-mhz:
 * ...", with line and column for a syntax error; another negative errno of reading; -ENOMEM. */
int document_read(FILE *stream, const char *file, struct document *ret_document,
		  char **ret_problem);

/* The same of a file, opened with fileio_open_named(). */
int document_read_file(const char *file, struct document *ret_document, char **ret_problem);

/* The same from JSON that was read already, also of past values; takes the reference over, also
 * after an error. */
int document_take(json_t *json, const char *file, bool is_past, struct document *ret_document,
		  char **ret_problem);

/* Puts the entries of a document of past values before those of a document, which override them;
 * past is empty then. Returns 0 or -ENOMEM. */
int document_prepend(struct document *document, struct document *past);

void document_done(struct document *document);

/* An entry of the document itself, for messages, "settings[3]: "; "" for one that was put before
 * them. */
struct document_entry_name {
	char text[32];
};

struct document_entry_name document_name_entry(const struct document *document, size_t entry);

/* The path of a value for messages: "settings[3].cpufreq.min-mhz", a new text; NULL: no memory. */
char *document_path(const struct document *document, const struct entry_value *value);

/* The JSON Schema (2020-12) of documents: a new object, or NULL if memory is short. It has limits
 * with decimals, which JSON_REAL_PRECISION(15) writes as they are. */
json_t *document_schema(void);

#endif

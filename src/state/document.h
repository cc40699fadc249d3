/* SPDX-License-Identifier: GPL-2.0-only */
/* A state document as it was written: entries in order. Each has a selector of locations and the
 * values of members there (docs/spec/state.md, "Document"). Reading a document needs no machine:
 * state/wanted.h resolves it later. */
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

/* The locations that an entry is for. */
struct selector {
	enum selector_kind {
		SELECTOR_MACHINE,
		SELECTOR_ALL,
		SELECTOR_PACKAGE, /* "package-0", with parts that narrow it */
		SELECTOR_CPUS, /* "cpu LIST" */
		SELECTOR_OTHER /* "cpu other" */
	} kind;
	const char *text; /* as written */
	uint32_t package; /* for SELECTOR_PACKAGE; the numbers below only if given */
	bool has_die, has_power_domain, has_cluster, has_uncore;
	uint32_t die, power_domain, cluster, uncore;
	const char *cpus; /* for SELECTOR_CPUS: the list, within text */
};

/* A value that an entry gives to a member. */
struct entry_value {
	enum setting_id setting;
	uint32_t clos; /* for SETTING_IN_CLOS */
	const char *idle_state; /* for SETTING_IN_IDLE_STATE */
	struct state_value value; /* .entry is set */
};

struct document_entry {
	struct selector on;
	bool is_optional;
	struct entry_value *values;
	size_t n_values;
};

/* What the machine must have. Numbers that are not given are unknown. */
struct document_require {
	const char *vendor; /* or NULL */
	struct file_number family, model, packages, cpus;
};

struct document {
	const char *file; /* its name in messages; owned by the caller */
	struct document_require require;
	struct document_entry *entries;
	size_t n_entries;
	bool sets[N_SETTINGS]; /* true for each setting that it has a value of */
	/* Settings of Speed Select: in any entry (names_sst), or in one that is not optional
	 * (has_sst). sst_entry and sst_value are the indexes of the first one, of has_sst if there
	 * is one. */
	bool names_sst;
	bool has_sst;
	size_t sst_entry, sst_value;
	/* The program made it: messages do not name its entries. Settings of optional entries that
	 * the machine lacks are skipped without a note. */
	bool is_built_in;
	/* For messages, if a command made it: returns the option of a setting, or NULL */
	const char *(*name_option)(enum setting_id setting);
	/* It has past values, which are not checked: other documents cannot have some of them. */
	bool is_past;
	size_t n_past; /* if not is_past: the first n_past entries have past values */
	/* For recovery: turbo-ratio limits match only if they are equal, even if the present ones
	 * limit no more. A setting that cannot be read is a note, and its value becomes
	 * STATE_UNREADABLE. */
	bool is_exact;
	json_t *json; /* what the texts point into */
	json_t *past_json; /* what texts of the n_past entries point into */
};

#define _cleanup_document_ __attribute__((cleanup(document_done)))

/* Reads a document from a stream and checks all that can be checked without a machine: syntax,
 * duplicate keys, size, depth, members, types, ranges, words, selectors. file is its name for
 * messages. Returns 0; -EINVAL with *ret_problem a new text "FILE: settings[3].cpufreq.min-mhz:
 * ...", with line and column for a syntax error; another negative errno of reading; -ENOMEM. */
int document_read(FILE *stream, const char *file, struct document *ret_document,
		  char **ret_problem);

/* Reads a document from a file, opened with fileio_open_named(). Returns as document_read(). */
int document_read_file(const char *file, struct document *ret_document, char **ret_problem);

/* Does the same with JSON that was parsed already; is_past: it has past values. Takes ownership of
 * json, also after an error. */
int document_take(json_t *json, const char *file, bool is_past, struct document *ret_document,
		  char **ret_problem);

/* Moves the entries of past, which has past values, before those of document, which override them.
 * past is empty after success. Returns 0 or -ENOMEM. */
int document_prepend(struct document *document, struct document *past);

void document_done(struct document *document);

/* The name of an entry in messages, "settings[3]: "; "" for past entries, and in documents that the
 * program made. */
struct document_entry_name {
	char text[32];
};

struct document_entry_name document_name_entry(const struct document *document, size_t entry);

/* Returns the path of a value for messages, "settings[3].cpufreq.min-mhz": a new text; NULL: no
 * memory. */
char *document_path(const struct document *document, const struct entry_value *value);

/* Returns the JSON Schema (2020-12) of documents, a new object; NULL: no memory. It has limits with
 * decimals, which JSON_REAL_PRECISION(15) writes exactly. */
json_t *document_schema(void);

#endif

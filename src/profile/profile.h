/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles of `machine check`: items, each with a source, an expected value, the effect of another
 * value, and a remedy (record.md, "check"). Reading a profile needs no machine. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <jansson.h>

#include "profile/fact.h"
#include "settings/value.h"

#define PROFILE_FORMAT    "intel-speed-select-profile"
#define PROFILE_VERSION   1
#define PROFILE_MAX_BYTES (1u << 20)
#define PROFILE_MAX_ITEMS 200

/* What an item reads. */
enum source_kind {
	SOURCE_SETTING, /* a member of state documents */
	SOURCE_FACT,
	SOURCE_FILE, /* below /proc or /sys; with "{cpu}": a file of each CPU */
	SOURCE_PARAMETER, /* of the kernel's command line */
	SOURCE_PROCESS /* whether a process of this name runs */
};

struct profile_source {
	enum source_kind kind;
	enum setting_id setting; /* SOURCE_SETTING */
	const struct fact *fact; /* SOURCE_FACT */
	const char *name; /* as written: of the member or fact, a path, a parameter, a process */
	bool is_selected; /* SOURCE_FILE: the word in brackets counts: "always [madvise] never" */
	bool is_of_cpu; /* SOURCE_FILE: the path has {cpu} */
};

/* What is expected of the value. */
enum expectation_kind {
	EXPECT_IS,
	EXPECT_NOT,
	EXPECT_ANY_OF, /* one of a list */
	EXPECT_AT_LEAST, /* a number or, as a text, a version */
	EXPECT_AT_MOST,
	EXPECT_INCLUDES_CPUS, /* a list of CPUs that has all checked CPUs */
	EXPECT_EXCLUDES_CPUS, /* a list of CPUs that has no checked CPU */
	EXPECT_PRESENT /* value: whether the file or parameter exists */
};

struct profile_expectation {
	enum expectation_kind kind;
	const json_t *value;
};

struct profile_item {
	const char *name;
	struct profile_source source;
	struct profile_expectation expectation;
	const char *effect;
	const json_t *remedy; /* texts by the kind of remedy */
};

struct profile {
	char *file; /* its path, for messages */
	const char *description;
	bool is_of_online; /* without --cpu all online CPUs are checked; else isolated CPUs */
	struct profile_item *items;
	size_t n_items;
	json_t *json; /* the texts point into it */
};

#define _cleanup_profile_ __attribute__((cleanup(profile_done)))

/* Reads a profile: the file of a path, if name has a slash or ends in .json; else NAME.json in the
 * first of the directories (NULL-terminated) that has it. Returns 0; -EINVAL with *ret_problem a
 * new text "FILE: items[3].expect: ..." or, for a syntax error, "FILE:LINE: ..."; -ENOENT with a
 * message that lists the known names; another negative errno of reading with a message; -ENOMEM. */
int profile_read(const char *name, const char *const *directories, struct profile *ret_profile,
		 char **ret_problem);

/* Reads a profile from a text, as profile_read(). file: its path for messages. */
int profile_parse(const char *file, const char *text, size_t length, struct profile *ret_profile,
		  char **ret_problem);

void profile_done(struct profile *profile);

/* Formats what an item expects: "performance", "at most 2 us", "a or b". A new text; NULL: no
 * memory. */
char *profile_format_expectation(const struct profile_item *item);

/* Returns what an item expects as JSON, {"at-most": 2}: a new reference; NULL: no memory. */
json_t *profile_expectation_to_json(const struct profile_item *item);

/* The unit of the numbers that an item reads, or NULL. */
const char *profile_item_unit(const struct profile_item *item);

/* Formats a value for people: "yes", "no", a number, a text. A new text; NULL: no memory. */
char *profile_format_value(const json_t *value);

/* The CPUs that the placeholders of remedies stand for. */
struct remedy_cpus {
	const struct cpuset *wrong; /* {cpus}: the CPUs that differ */
	const struct cpuset *checked; /* {judged} */
	const struct cpuset *online; /* {others}: online CPUs that are not checked */
	const struct host *host; /* the host that commands are for; NULL: hardware */
};

/* Replaces the placeholders in the text of a remedy. A new text; NULL: no memory. */
char *profile_format_remedy(const char *text, const struct remedy_cpus *cpus);

#endif

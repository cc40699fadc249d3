/* SPDX-License-Identifier: GPL-2.0-only */
/* Every setting that the program changes is a row of one table: its name, where it applies, the
 * type of its value, what must come before it, and how a change is planned for many places at once.
 * A command lists requests, in any order; settings_plan() turns them into changes in the order of
 * the table. Writing, reading back and rolling back are the same for all (change/transaction.h). */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "sst/change.h"

/* Where a setting applies, which is what names the place of a request. */
enum setting_scope {
	SETTING_OF_MACHINE, /* nothing */
	SETTING_OF_DOMAIN, /* .domain; also settings of a package, which are written once */
	SETTING_OF_CPU, /* .cpu; also settings of a core, which are written once */
	SETTING_OF_UNCORE /* .uncore */
};

/* Which member of the value is used. */
enum setting_type {
	SETTING_BOOLEAN, /* on */
	SETTING_NUMBER, /* number */
	SETTING_TEXT, /* text */
	SETTING_CORE_POWER_SWITCH, /* core_power */
	SETTING_CLOS_PARAMETERS, /* clos */
	SETTING_RATIOS, /* trl */
	SETTING_RANGE /* range */
};

/* The order in which settings are written. A feature goes on after what it needs, and off before
 * it: SST-TF off, the turbo-ratio limits that it opened, SST-CP off. */
enum setting_rank {
	SETTING_RANK_LEVEL,
	SETTING_RANK_PSTATE,
	SETTING_RANK_FEATURES_OFF, /* SST-BF and SST-TF */
	SETTING_RANK_CLOS,
	SETTING_RANK_ASSOC,
	SETTING_RANK_CORE_POWER_ON,
	SETTING_RANK_FEATURES_ON,
	SETTING_RANK_TRL,
	SETTING_RANK_CORE_POWER_OFF,
	SETTING_RANK_UNCORE,
	SETTING_RANK_TURBO,
	SETTING_RANK_PERCENT,
	SETTING_RANK_GOVERNOR,
	SETTING_RANK_EPP,
	SETTING_RANK_EPB,
	SETTING_RANK_FREQUENCY_LIMITS,
	SETTING_RANK_IDLE_MACHINE,
	SETTING_RANK_IDLE_CPU
};

/* Requests of one command. */
struct setting_list {
	struct setting_request *requests;
	size_t count;
	size_t size;
	bool is_incomplete; /* memory was short when a request was added */
};

#define _cleanup_setting_list_ __attribute__((cleanup(setting_list_done)))

/* Adds a copy of the request, whose place and value must be valid until the list was planned. If
 * memory is short settings_plan() fails. */
void setting_list_add(struct setting_list *list, const struct setting_request *request);

/* Frees the requests and leaves none. */
void setting_list_done(struct setting_list *list);

/* Brings the requests into the order in which they are written, and adds the changes that they
 * need: none for a setting that already has the value. What could not be read is in the requests.
 * If SST-CP is to go on in a domain that lacks it, later requests of the domain are dropped.
 * Returns 0 or -ENOMEM. */
int settings_plan(struct setting_list *list, const struct setting_environment *environment);

/* A row of the table. */
struct setting {
	const char *name; /* as in a state file: "core-power.assoc" */
	const char *what; /* in messages */
	enum setting_scope scope;
	enum setting_type type;
	enum setting_rank rank;
	enum setting_rank rank_off; /* of types with a member on, if that is false */
	/* Plans requests of this setting, and of neighbours in the order of writing that have the
	 * same function. Returns 0 or -ENOMEM. NULL: plan_one is called for each. */
	int (*plan)(const struct setting_environment *environment, struct setting_request *requests,
		    size_t count);
	/* Plans one request. Returns what becomes its error; -ENOMEM ends planning. NULL: it is
	 * the value of .file. */
	int (*plan_one)(const struct setting_environment *environment,
			struct setting_request *request);
	/* of settings that are the value of one file: below /sys/devices/system/cpu, its cpuN, or
	 * the directory of an uncore */
	const char *file;
	bool is_online_only; /* the file can be read only while its CPU is online */
	bool is_reset_by_pstate; /* by a change of cpufreq.pstate */
};

/* The path of the file of a request whose setting has one. */
struct file_path setting_path(const struct setting_request *request);

/* The row of a setting. */
const struct setting *setting_get(enum setting_id id);

#endif

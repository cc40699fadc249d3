/* SPDX-License-Identifier: GPL-2.0-only */
/* What the stages of a command share: the user's request, the opened machine, the targets, the
 * planned changes, how they are carried out, and the problems found. */
#ifndef RUN_CONTEXT_H
#define RUN_CONTEXT_H

#include "host/uncore.h"
#include "run/dispatch.h"
#include "settings/journaled.h"
#include "settings/settings.h"

struct assumption;
struct follow;
struct kept_device;

/* A CPU of --cpu, or the first of a domain, for which the command runs. */
struct target {
	uint32_t cpu; /* CPUSET_NONE: of a domain without an online CPU */
	size_t domain; /* index into targets.domains */
	struct cpuset cpus; /* all CPUs of --cpu that share its node; empty: only this CPU */
};

/* What a setting command does with a domain. */
enum domain_state {
	DOMAIN_SET,
	DOMAIN_UNCHANGED, /* it has what the command sets: a result, but no write */
	DOMAIN_IGNORED /* it has no CPUs and lacks what the command sets: no result, no write */
};

/* How the changes are carried out. */
struct execution {
	struct transaction_environment environment;
	struct kept_device *device; /* open for a setting command from the first stage on */
	struct transaction *transaction; /* all stages so far; NULL: none yet */
	struct answers *answers; /* of the driver, until something is written; or NULL */
	bool is_over; /* the last stage was carried out, or one failed */
	bool is_withdrawn; /* the record of fast cores was removed */
	struct cpuset turbo_freq_packages; /* SST-TF is switched on: a note if no core is faster */
	struct journaled journaled; /* the lines of the change journal */
	bool has_recovered; /* an interrupted transaction was undone before */
	/* For a dry run that would first undo an interrupted transaction: the state after undoing,
	 * or NULL; the identifier of the transaction, or 0; whether it was reported that the writes
	 * of the command are not listed. */
	struct assumption *assumption;
	uint64_t unended;
	bool is_unlisted;
};

/* What a setting command wants. The handler fills it in. The next stages (run/setting.h) plan it,
 * carry it out and put results. */
struct wanted {
	struct setting_list settings; /* the requests, in any order */
	struct follow *follow; /* the domains that Linux follows to their levels; or NULL */
	const char *warning; /* reported if there is something to change; or NULL */
	const char *note; /* reported if planning finds no problem; or NULL */
	const char
		*watched; /* a file, with a note if the kernel changes the number in it; or NULL */
	const char *leaf; /* the name of each result; NULL: that of the command */
	bool is_planned_anyway; /* also after a problem: planning may find others */
	bool has_auto_result; /* a last result "--auto" without a CPU */
	bool of_machine; /* a result of the machine */
	bool of_cpus; /* a result of each CPU of the context */
	const struct uncore_units *units; /* a result of each die or power domain there; or NULL */
	void *data; /* what the requests point to; see context_keep() */
	void (*data_done)(void *data);
};

/* The CPUs and the power domains of a command. */
struct targets {
	/* those of --cpu, with its named sets, after context_resolve_cpus(); or NULL */
	const struct cpuset *requested_cpus;
	struct cpuset named_cpus; /* what requested_cpus points to if --cpu has named sets */
	const struct cpuset *cpus; /* of a COMMAND_ANY_MACHINE: those of --cpu, or all online */
	struct cpuset own_cpus; /* what cpus points to if some of --cpu are left out */
	struct target *list;
	size_t n;
	const struct power_domain **domains; /* the domains of list, each once */
	size_t n_domains;
	enum domain_state *states; /* of domains */
	bool has_reported_cpus; /* CPUs whose package and core are unknown */
};

/* What a command changes, and how much of it was done. */
struct command_plan {
	struct wanted wanted;
	struct change_list changes; /* the first ones may bring CPUs online */
	struct execution execution;
	void *data; /* of a handler, for all stages and attempts; or NULL */
	void (*data_done)(void *data);
};

/* What is known about an attempt of a command that may wait for another instance. */
struct attempt {
	bool is_busy; /* another process has the lock that the handler needs; it was reported */
	bool is_wrong; /* the command or its document is wrong: waiting does not help */
	bool lacks_driver; /* or a device is missing, but may still appear; at any status */
	bool is_later; /* not the first attempt: does not wait for the lock */
};

struct context {
	const struct run_request *request;
	struct output *output; /* of the request, for results; messages go to report */
	struct report report;
	struct machine *machine;
	struct platform *platform; /* NULL for a COMMAND_ANY_MACHINE, or if there is none */
	const char *lacks_platform; /* why a COMMAND_ASKS_SST has no platform, or NULL */
	int platform_error; /* with lacks_platform: the negative errno of platform_open() */
	/* A trial run: the command is planned for the CPUs that are online now and those that
	 * --all-cpus-online brings online (topology.pending). Nothing is carried out. */
	bool is_trial;
	struct targets targets;
	struct command_plan plan;
	struct attempt attempt;
};

/* Finds the CPUs of --cpu; uses the platform if a named set needs it. Adds a problem if this fails
 * or there are no CPUs, and a note for offline CPUs that named sets leave out. Returns 0 or
 * -ENOMEM. */
int context_resolve_cpus(struct context *context);

/* Makes the targets, which replace earlier ones: the CPUs of the list in ascending order, or (NULL)
 * the first online CPU of each domain. With with_io, a domain that works without a CPU gets a
 * target without one. Returns 0 or -ENOMEM. Adds a usage error for a CPU that is offline or that
 * the machine lacks, and an error for a CPU whose domain is unknown. */
int context_choose_targets(struct context *context, const struct cpuset *cpus, bool with_io);

/* Sets the CPUs of a COMMAND_ANY_MACHINE; NULL: all online CPUs. Adds a usage error for a CPU that
 * is offline or that the machine lacks. A trial run of a reading command leaves out CPUs that are
 * still offline. Returns 0 or -ENOMEM. */
int context_choose_cpus(struct context *context, const struct cpuset *cpus);

/* In a trial run, removes the CPUs from context->targets.cpus that are still offline. Returns 0 or
 * -ENOMEM. */
int context_leave_pending_out(struct context *context);

/* Adds a request of a setting command: takes the path of the setting, and members of
 * setting_request. settings_plan() reports a lack of memory. */
#define context_request(context, path, ...)                \
	setting_list_add(&(context)->plan.wanted.settings, \
			 &(const struct setting_request){ setting_find(path), __VA_ARGS__ })

/* Allocates zeroed memory for what the requests of a command point to; to be called once for each
 * run of a handler. done releases its contents when the command is over. NULL: no memory. */
void *context_keep(struct context *context, size_t size, void (*done)(void *data));

/* Reads the machine and the platform again after changes. Returns 0, -ENOMEM, or -ECANCELED after
 * it reported why they cannot be read. */
int context_reopen(struct context *context);

/* Frees the targets and what the command wants, and leaves none. */
void context_done(struct context *context);

/* Returns the first target of a domain, or NULL. */
const struct target *context_find_target(const struct context *context,
					 const struct power_domain *domain);

/* Removes the targets of a domain, which stays in domains. */
void context_drop_domain(struct context *context, size_t domain);

/* Makes an array of one query for each of context->targets.domains, in their order. A query has
 * query_size bytes, begins with a pointer to its domain, and is otherwise zero. NULL: no memory. */
void *context_new_queries(const struct context *context, size_t query_size);

/* Returns the location of a target's results in the output. */
struct output_place context_place(const struct context *context, const struct target *target);

/* Opens the location of a target's results in the output and a node there (NULL: none), and counts
 * the result. */
struct output_scope context_enter(struct context *context, const struct target *target,
				  const char *name);

/* Returns the location of the results of a directory of uncore limits. */
struct output_place context_unit_place(const struct uncore_unit *unit);

/* Returns true if a signal has requested a stop. */
bool context_is_stopped(const struct context *context);

/* Adds an entry to the report, after the name of a target (NULL: for the complete command). A
 * domain without CPUs is ignored if it lacks something (REPORT_UNSUPPORTED). */
void context_report(struct context *context, const struct target *target, enum report_kind kind,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Report a note; a warning; what the machine or the level does not have; what the machine does not
 * allow; a mistake in the command line. */
#define context_note(context, target, ...) context_report(context, target, REPORT_NOTE, __VA_ARGS__)
#define context_warn(context, target, ...) \
	context_report(context, target, REPORT_WARNING, __VA_ARGS__)
#define context_lack(context, target, ...) \
	context_report(context, target, REPORT_UNSUPPORTED, __VA_ARGS__)
#define context_refuse(context, target, ...) \
	context_report(context, target, REPORT_REFUSED, __VA_ARGS__)
#define context_refuse_usage(context, ...) context_report(context, NULL, REPORT_USAGE, __VA_ARGS__)

/* Reports CPUs as context_report() without a target: "before LIST after". Does nothing if the set
 * is empty. */
void context_report_cpus(struct context *context, enum report_kind kind, const char *before,
			 const struct cpuset *cpus, const char *after);

/* Reports a failure for CPUs with unknown data, if there are any. The cause is why the core of the
 * first CPU could not be read. */
void context_fail_cpus(struct context *context, const struct target *target, const char *before,
		       const struct cpuset *cpus, const char *after);

/* Reports what is left out because reading it failed with this negative errno, and not because the
 * machine lacks it. */
void context_fail_unread(struct context *context, const char *what, int err);

/* Reports a file that the command could not write. err is the negative errno of the file system. */
void context_fail_file(struct context *context, const char *path, int err);

/* Reports a failure with the cause of err, a negative errno of the platform. */
void context_fail(struct context *context, const struct target *target, int err, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));

/* Reports the offline CPUs whose package and core are unknown (hardware.md, section 5). Fewer than
 * `many` are a note, with of_few as the consequence. Otherwise of_many is the consequence: a note
 * with --known-cpus-only, else a problem if strict, else a warning. Returns 0 or -ENOMEM. */
int context_report_unplaced(struct context *context, size_t many, const char *of_few,
			    const char *of_many);

#endif

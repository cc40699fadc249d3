/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command's handler works with: the machine, the targets that the command line named, the
 * output, and a tally of how it went, from which the exit status comes.
 */
#ifndef CLI_CONTEXT_H
#define CLI_CONTEXT_H

#include "cli/status.h"
#include "output/output.h"
#include "plan/run.h"
#include "platform/platform.h"

/* One place where the command runs: a CPU of --cpu, or the first of a domain. */
struct target {
	uint32_t cpu; /* CPUSET_NONE: of a domain without an online CPU */
	size_t domain; /* index into context->domains */
};

struct context {
	struct output *output;
	const char *command; /* "turbo-freq enable" */
	struct machine *machine;
	struct platform
		*platform; /* NULL of a COMMAND_ANY_MACHINE; COMMAND_ASKS_SST: where it lacks */
	const char *lacks_platform; /* why there is none, where it was asked for; or NULL */
	int platform_error; /* with it: the negative errno of platform_open() */
	const struct cpuset *cpus; /* of a COMMAND_ANY_MACHINE: those of --cpu, or all online */
	struct cpuset asked_cpus; /* in a rehearsal: what cpus points to */
	struct target *targets;
	size_t n_targets;
	const struct power_domain **domains; /* of the targets, each once */
	size_t n_domains;
	bool *is_passed_over; /* by domain: it has no CPUs and lacks what the command is about */
	bool *is_settled; /* by domain: it is as the command wants it, and gets no write */
	bool cpus_given; /* the targets are CPUs of --cpu */
	bool strict; /* called as isst: refuse what is a warning to scripts for the kernel's tool */
	bool dry_run; /* show the plan, make no write */
	bool each; /* of a dry run: every write on a line of its own */
	bool known_cpus_only; /* leave out offline CPUs and those without a known place */
	bool cgroup; /* isolate CPUs instead of taking them offline */
	bool cpu0_workaround; /* the same, for CPU 0 alone */
	bool writes; /* a setting command */
	/*
	 * The command is planned for the CPUs that are online now and those that
	 * --all-cpus-online will bring online (topology.coming); nothing is carried out.
	 */
	bool rehearses;
	struct plan *plan; /* of the whole command; its first steps may bring CPUs online */
	struct run_environment environment; /* for carrying out the plan */
	struct wait_stop stop; /* of a command that writes: environment.stop points to it */
	struct run *run; /* the stages that were carried out; NULL: none yet */
	bool has_reported_unplaced; /* CPUs whose places are not known */
	bool is_carried_out; /* the last stage was */
	bool is_noted; /* the run directory has a note that this command is unfinished */
	struct tally {
		size_t done;
		size_t unsupported;
		size_t refused;
		size_t not_permitted;
		size_t usage;
	} tally;
};

/*
 * Makes the targets: the CPUs of the list in ascending order, or (NULL) the first online CPU of
 * each domain, or with_io none for a domain that can be asked without one. Returns 0, or -ENOMEM. A
 * CPU that the machine lacks or that is offline becomes an error in the output and counts as usage,
 * one whose domain is not known an error.
 */
int context_choose_targets(struct context *context, const struct cpuset *cpus, bool with_io);

/*
 * Takes the CPUs (NULL: all that are online) as those of a COMMAND_ANY_MACHINE. A CPU that the
 * machine lacks or that is offline becomes an error in the output and counts as usage. In a
 * rehearsal of a reading command those that are still offline are left out. Returns 0 or -ENOMEM.
 */
int context_choose_cpus(struct context *context, const struct cpuset *cpus);

/* Leaves those of context->cpus out that are still to come online. Returns 0 or -ENOMEM. */
int context_leave_coming_out(struct context *context);

/*
 * Reports that part of the machine is left out. The format says which part, and what follows from
 * it; the remedies are added. A note with --known-cpus-only; else a refusal if the command is
 * strict, and a warning if it is not.
 */
void context_leave_out(struct context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Has a signal asked the program to stop? Then errors are its consequences, and are not shown. */
bool context_is_stopped(const struct context *context);

/* The first target of a domain (an index into domains), or NULL. */
const struct target *context_find_target(const struct context *context, size_t domain);

/* Takes a domain's targets out; it stays in domains. */
void context_drop_domain(struct context *context, size_t domain);

/* Frees what the targets take, and leaves none. */
void context_done(struct context *context);

/* Has this domain (an index into domains) neither a write nor a result? */
bool context_is_passed_over(const struct context *context, size_t domain);

/* Has it no write, be it passed over or settled? */
bool context_is_left_out(const struct context *context, size_t domain);

/* Puts a note with the name of a target. */
void context_note(struct context *context, const struct target *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A new array of one query for each of context->domains, in their order. A query has query_size
 * bytes, begins with a pointer to its domain, and is else zero. NULL where memory is short.
 */
void *context_new_queries(const struct context *context, size_t query_size);

/* Where a target's results belong in the output. */
struct output_place context_place(const struct context *context, const struct target *target);

/* Notes that a target's results are shown. */
void context_count_done(struct context *context);

/*
 * Errors. Each puts one message out, of a target (NULL: of the whole command) in front of the
 * words, and counts it: as what err (a negative errno of the platform) stands for, as a thing that
 * the machine or level lacks, as what the machine does not allow, as a mistake in the command line.
 * What a domain without CPUs lacks is neither said nor counted: it is passed over.
 */
void context_fail(struct context *context, const struct target *target, int err, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));
void context_lack(struct context *context, const struct target *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void context_refuse(struct context *context, const struct target *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void context_refuse_usage(struct context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Counts a negative errno of the platform as what it stands for. */
void context_count_error(struct context *context, int err);

/* The exit status that the tally stands for. */
enum status context_status(const struct context *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Features and commands as data: used by the parser, help, completion and the dispatcher. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/option.h"

struct context;

/* Properties and needs of a command. The dispatcher acts on them, handlers do not. */
enum command_flag {
	COMMAND_WRITES = 1 << 0, /* changes the machine */
	COMMAND_NEEDS_CPUS = 1 << 1, /* makes no sense without --cpu */
	COMMAND_WITHOUT_DRIVER = 1 << 2, /* runs also if BIOS sets all of Speed Select */
	COMMAND_SHOWS_CPUS = 1 << 3, /* counts and lists CPUs, offline ones too */
	COMMAND_EACH_CPU = 1 << 4, /* without --cpu: runs for each online CPU, not domain */
	COMMAND_NOT_FOR_IO = 1 << 5, /* leaves out domains without an online CPU */
	/* Works on any Linux machine: no platform is opened, and context->targets.cpus are the only
	 * targets */
	COMMAND_ANY_MACHINE = 1 << 6,
	/* The platform is opened if there is one; else the command runs as COMMAND_ANY_MACHINE */
	COMMAND_ASKS_SST = 1 << 7,
	/* The kernel tree's tool has no such command: under both names, results go to standard
	 * output without a banner */
	COMMAND_IS_NEW = 1 << 8,
	COMMAND_NOT_OF_CPUS = 1 << 9, /* --cpu is refused */
	/* The machine is not opened; the handler uses context->request->host */
	COMMAND_NO_MACHINE = 1 << 10,
	COMMAND_TAKES_LOCK = 1 << 11, /* runs under the lock of commands that write */
	/* The handler takes the lock (run/writer.h), and may change settings temporarily: signals
	 * have the same effect as in a command that writes */
	COMMAND_TEMPORARY = 1 << 12,
	/* The only command of its feature; its word can be left out: "metrics --textfile FILE" */
	COMMAND_IS_IMPLIED = 1 << 13,
	/* The command reads a machine that changes: answers of the driver are not cached */
	COMMAND_MEASURES = 1 << 14,
	/* A signal ends the measurement early: the results so far are shown and saved, and the exit
	 * status is that of a process which the signal ends */
	COMMAND_ENDS_EARLY = 1 << 15
};

/* A command, or a feature, which has commands. An entry without a name ends a table. */
struct command {
	const char *name;
	const char *summary; /* one line, no full stop; "Intel(R) SST-PP: performance levels" */
	unsigned int flags;
	const struct option *options; /* or NULL */
	size_t arguments_size; /* of context->request->arguments, which the options fill */
	/* Runs the command. A reading command works on context->targets.list and puts the results
	 * into context->output. A writing command checks the user's values, and adds requests to
	 * context->plan.wanted; later stages plan them and carry them out (run/setting.h). Returns
	 * 0, also if single targets failed (the context has their failures), or a negative errno
	 * that ends the run. */
	int (*run)(struct context *context);
	int variant; /* for a handler of several commands: context->request->command->variant */
	const char *about; /* more for the command's own help, or NULL */
	const struct command *commands; /* of a feature; else NULL */
	/* Offset of a struct option_number in the arguments: the seconds that the command may wait
	 * for the lock, and for devices and files that are missing. 0: it does not wait. */
	size_t wait_offset;
	/* The command that runs in place of this one, with the same arguments, if the struct
	 * option_number at measured_offset is given; or NULL. */
	const struct command *measured;
	size_t measured_offset;
	/* Of a reading command: the names of files that several of its parts read, with blanks
	 * between, or "*" for all. Each file is read once. NULL: no two parts read the same
	 * file. */
	const char *keeps_files;
};

/* Returns true for a command that the kernel tree's tool lacks. It accepts letters of global
 * options, and no options of other commands. */
static inline bool command_is_ours(const struct command *command)
{
	return command->flags & (COMMAND_ANY_MACHINE | COMMAND_IS_NEW);
}

/* Returns true for a command that shows values of power domains, as reading commands of the kernel
 * tree's tool do. Under the name isst, CPUs of --cpu in one power domain share a node of text. */
static inline bool command_is_of_domains(const struct command *command)
{
	return !(command->flags & (COMMAND_WRITES | COMMAND_EACH_CPU | COMMAND_ANY_MACHINE |
				   COMMAND_NO_MACHINE | COMMAND_IS_NEW));
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the sample command line. */
#include "sample_commands.h"

#include "base/cleanup.h"

static const char *const sample_formats[] = { "text", "json", NULL };

const struct option sample_global_options[] = {
	{ .letter = 'c',
	  .name = "cpu",
	  .value = "LIST",
	  .from_upstream = true,
	  .help = "act on these logical CPUs: 1,2,4..6,8-10; without it a command runs once for each "
		  "power domain",
	  OPTION_CPUS(struct sample_global, cpus) },
	{ .name = "dry-run",
	  .help = "print the writes, make none",
	  OPTION_FLAG(struct sample_global, dry_run) },
	{ .name = "simulate",
	  .value = "NAME|FILE",
	  .help = "use a simulated machine",
	  .platform_name = true,
	  .path = OPTION_PATH_FILE,
	  OPTION_TEXT(struct sample_global, simulate) },
	{ .name = "simulate-state",
	  .value = "DIR",
	  .path = OPTION_PATH_DIRECTORY,
	  .help = "keep its state there",
	  OPTION_TEXT(struct sample_global, simulate_state) },
	{ .name = "simulate-reset",
	  .help = "forget that state",
	  OPTION_FLAG(struct sample_global, simulate_reset) },
	{ .name = "list-platforms",
	  .help = "list the platforms that can be simulated",
	  OPTION_FLAG(struct sample_global, list_platforms) },
	{ .letter = 'd',
	  .name = "debug",
	  .from_upstream = true,
	  .help = "trace every request",
	  OPTION_FLAG(struct sample_global, debug) },
	{ .letter = 'f',
	  .name = "format",
	  .value = "text|json",
	  .from_upstream = true,
	  .help = "output format",
	  OPTION_WORD(struct sample_global, format, sample_formats) },
	{ .letter = 'i',
	  .name = "info",
	  .from_upstream = true,
	  .help = "platform and feature summary",
	  OPTION_FLAG(struct sample_global, info) },
	{ .letter = 'a',
	  .name = "all-cpus-online",
	  .from_upstream = true,
	  .help = "bring every CPU online",
	  OPTION_FLAG(struct sample_global, all_online) },
	{ .letter = 'o',
	  .name = "out",
	  .value = "FILE",
	  .from_upstream = true,
	  .path = OPTION_PATH_FILE,
	  .help = "results go to FILE",
	  OPTION_TEXT(struct sample_global, out) },
	{ .letter = 'p',
	  .name = "pause",
	  .value = "MS",
	  .from_upstream = true,
	  .help = "pause between two mailbox commands",
	  OPTION_NUMBER(struct sample_global, pause_ms, 1, 10000) },
	{ .letter = 'r',
	  .name = "retry",
	  .value = "N",
	  .from_upstream = true,
	  .help = "tries of a mailbox command",
	  OPTION_NUMBER(struct sample_global, retry, 1, 100) },
	{ .letter = 'v',
	  .name = "version",
	  .from_upstream = true,
	  .help = "show the version",
	  OPTION_FLAG(struct sample_global, version) },
	{ .letter = 'b',
	  .name = "oob",
	  .from_upstream = true,
	  .help = "follow level changes",
	  OPTION_FLAG(struct sample_global, oob) },
	{ .letter = 'n',
	  .name = "no-daemon",
	  .from_upstream = true,
	  .help = "stay in the foreground",
	  OPTION_FLAG(struct sample_global, no_daemon) },
	{ .letter = 'w',
	  .name = "poll-interval",
	  .value = "SECONDS",
	  .from_upstream = true,
	  .help = "poll instead of listening",
	  OPTION_NUMBER(struct sample_global, delay_s, 1, UINT64_MAX) },
	{ .name = "delay",
	  .value = "SECONDS",
	  .help = "the same as --poll-interval",
	  OPTION_NUMBER(struct sample_global, delay_s, 1, UINT64_MAX) },
	{ .letter = 'g',
	  .name = "cgroupv2",
	  .from_upstream = true,
	  .help = "isolate CPUs with a cgroup",
	  OPTION_FLAG(struct sample_global, cgroup) },
	{ .letter = 'u',
	  .name = "cpu0-workaround",
	  .from_upstream = true,
	  .help = "do so for CPU 0 only",
	  OPTION_FLAG(struct sample_global, cpu0) },
	{ .name = "describe",
	  .hidden = true,
	  .help = "list the command line as JSON",
	  OPTION_FLAG(struct sample_global, describe) },
	{ 0 }
};

const size_t n_sample_global_options = ARRAY_SIZE(sample_global_options) - 1;

#define SAMPLE_LEVEL                                                              \
	.letter = 'l', .name = "level", .value = "LEVEL", .help = "SST-PP level", \
	.from_upstream = true, OPTION_NUMBER(struct sample_level, level, 0, 7)

static const struct option sample_level_any[] = { { SAMPLE_LEVEL }, { 0 } };
static const struct option sample_level_one[] = { { SAMPLE_LEVEL, .required = true }, { 0 } };
static const struct option sample_level_set[] = { { SAMPLE_LEVEL, .required = true },
						  { .letter = 'o',
						    .name = "online",
						    .from_upstream = true,
						    .help = "also bring CPUs online",
						    OPTION_FLAG(struct sample_level, online) },
						  { 0 } };
static const struct option sample_auto[] = { { .letter = 'a',
					       .name = "auto",
					       .from_upstream = true,
					       .help = "also set the priorities",
					       OPTION_FLAG(struct sample_level, automatic) },
					     { 0 } };

static const char *const sample_trl_names[] = { "sse", "avx2", "avx512", NULL };

static const struct option sample_turbo_info[] = {
	{ .letter = 'l',
	  .name = "level",
	  .value = "LEVEL",
	  .help = "SST-PP level",
	  .required = true,
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_turbo, level, 0, 7) },
	{ .letter = 'b',
	  .name = "bucket",
	  .value = "BUCKET",
	  .help = "this bucket alone",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_turbo, bucket, 0, 7) },
	{ .letter = 'r',
	  .name = "trl-type",
	  .value = "sse|avx2|avx512",
	  .help = "this turbo-ratio level alone",
	  .from_upstream = true,
	  OPTION_WORD(struct sample_turbo, level_name, sample_trl_names) },
	{ 0 }
};

#define SAMPLE_TRL                                                                        \
	.letter = 't', .name = "trl", .value = "0xHEX", .help = "the turbo-ratio limits", \
	.from_upstream = true, OPTION_HEX(struct sample_turbo, trl)

static const struct option sample_turbo_enable[] = { { SAMPLE_TRL },
						     { .letter = 'a',
						       .name = "auto",
						       .from_upstream = true,
						       .help = "also set the priorities",
						       OPTION_FLAG(struct sample_turbo,
								   automatic) },
						     { 0 } };
static const struct option sample_set_trl[] = { { SAMPLE_TRL, .required = true }, { 0 } };

#define SAMPLE_CLOS                                                                                \
	.letter = 'c', .name = "clos", .value = "CLOS", .help = "the CLOS", .from_upstream = true, \
	.required = true, .upstream_letter = true, OPTION_NUMBER(struct sample_clos, clos, 0, 3)

static const struct option sample_clos_one[] = { { SAMPLE_CLOS }, { 0 } };
static const struct option sample_priority[] = { { .letter = 'p',
						   .name = "priority",
						   .value = "0|1",
						   .from_upstream = true,
						   .help = "0 proportional, 1 ordered",
						   OPTION_NUMBER(struct sample_clos, priority, 0,
								 1) },
						 { 0 } };
static const struct option sample_clos_config[] = {
	{ SAMPLE_CLOS },
	{ .letter = 'e',
	  .name = "epp",
	  .value = "EPP",
	  .help = "energy performance preference",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_clos, epp, 0, 15) },
	{ .letter = 'w',
	  .name = "weight",
	  .value = "WEIGHT",
	  .help = "proportional weight",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_clos, weight, 0, 15) },
	{ .letter = 'n',
	  .name = "min",
	  .value = "MIN",
	  .help = "lowest frequency in MHz",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_clos, min_mhz, 0, 25500) },
	{ .letter = 'm',
	  .name = "max",
	  .value = "MAX",
	  .help = "highest frequency in MHz",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_clos, max_mhz, 1, 25500) },
	{ .letter = 'd',
	  .name = "desired",
	  .value = "DESIRED",
	  .help = "desired frequency in MHz",
	  .from_upstream = true,
	  OPTION_NUMBER(struct sample_clos, desired_mhz, 0, 25500) },
	{ 0 }
};

#define SAMPLE_COMMAND(word, line, table, type) \
	.name = (word), .summary = (line), .options = (table), .arguments_size = sizeof(type)

static const struct command sample_perf_profile_commands[] = {
	{ SAMPLE_COMMAND("info", "everything about a level", sample_level_any, struct sample_level),
	  .flags = COMMAND_WITHOUT_DRIVER },
	{ .name = "get-config-levels", .summary = "the highest level" },
	{ SAMPLE_COMMAND("set-config-level", "switch level", sample_level_set, struct sample_level),
	  .flags = COMMAND_WRITES, .about = "A level already current is left alone." },
	{ 0 },
};
static const struct command sample_base_freq_commands[] = {
	{ SAMPLE_COMMAND("info", "base frequencies", sample_level_one, struct sample_level) },
	{ SAMPLE_COMMAND("enable", "switch on", sample_auto, struct sample_level),
	  .flags = COMMAND_WRITES },
	{ 0 },
};
static const struct command sample_turbo_freq_commands[] = {
	{ SAMPLE_COMMAND("info", "turbo frequencies", sample_turbo_info, struct sample_turbo) },
	{ SAMPLE_COMMAND("enable", "switch on", sample_turbo_enable, struct sample_turbo),
	  .flags = COMMAND_WRITES },
	{ 0 },
};
static const struct command sample_core_power_commands[] = {
	{ .name = "info", .summary = "support and state" },
	{ SAMPLE_COMMAND("enable", "switch on", sample_priority, struct sample_clos),
	  .flags = COMMAND_WRITES },
	{ .name = "disable", .summary = "switch off", .flags = COMMAND_WRITES },
	{ SAMPLE_COMMAND("config", "set up a CLOS", sample_clos_config, struct sample_clos),
	  .flags = COMMAND_WRITES },
	{ SAMPLE_COMMAND("get-config", "show a CLOS", sample_clos_one, struct sample_clos) },
	{ SAMPLE_COMMAND("assoc", "put cores in a CLOS", sample_clos_one, struct sample_clos),
	  .flags = COMMAND_WRITES | COMMAND_NEEDS_CPUS },
	{ 0 },
};
static const struct command sample_turbo_mode_commands[] = {
	{ SAMPLE_COMMAND("set-trl", "set the MSR", sample_set_trl, struct sample_turbo),
	  .flags = COMMAND_WRITES },
	{ 0 },
};

const struct command sample_features[] = {
	{ "perf-profile", "Intel(R) SST-PP: performance levels",
	  .commands = sample_perf_profile_commands },
	{ "base-freq", "Intel(R) SST-BF: base frequencies", .commands = sample_base_freq_commands },
	{ "turbo-freq", "Intel(R) SST-TF: turbo frequencies",
	  .commands = sample_turbo_freq_commands },
	{ "core-power", "Intel(R) SST-CP: priorities of cores",
	  .commands = sample_core_power_commands },
	{ "turbo-mode", "Turbo mode", .commands = sample_turbo_mode_commands },
	{ 0 },
};

// SPDX-License-Identifier: GPL-2.0-only
/* measure: what this machine does while it works (measure.md). */
#include "features/features.h"
#include "features/measure/measure.h"

const struct command measure_commands[] = {
	{ "run", "Frequency, idle states, power and limits, while loads or a command run",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_MEASURES | COMMAND_ENDS_EARLY |
		  COMMAND_IS_NEW,
	  measure_run_options, sizeof(struct measure_run_arguments),
	  .about = "Shows the measured values of CPUs and packages, and what the settings predict. "
		   "Without --cpu: all online CPUs that are not isolated; --load without a SET "
		   "needs --cpu or --all. With a command, the results go to standard error or to "
		   "the file of -o, and its exit status is passed on.",
	  .run = measure_run },
	{ "wake", "How long a CPU takes to wake up from each of its idle states",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_MEASURES | COMMAND_TEMPORARY |
		  COMMAND_ENDS_EARLY | COMMAND_IS_NEW,
	  measure_wake_options, sizeof(struct measure_wake_arguments),
	  .about = "Forces each idle state in turn on the core of each CPU, and restores the "
		   "settings afterwards; meanwhile other setting commands fail with exit "
		   "status 5. It needs --cpu or --all.",
	  .run = measure_wake },
	{ "jitter", "How late timers wake threads on CPUs, for some time",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_MEASURES | COMMAND_TEMPORARY |
		  COMMAND_ENDS_EARLY | COMMAND_IS_NEW,
	  measure_jitter_options, sizeof(struct measure_jitter_arguments),
	  .about =
		  "A thread on each CPU sleeps until the next multiple of the interval. Shows a histogram of how late it ran, and the worst cases with what coincided. Changes no setting. It needs --cpu or --all.",
	  .run = measure_jitter },
	{ "ladder",
	  "Whether predicted frequencies are reached, with one busy core, with two, and so on",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_MEASURES | COMMAND_ENDS_EARLY |
		  COMMAND_IS_NEW,
	  measure_ladder_options, sizeof(struct measure_ladder_arguments),
	  .about = "Keeps one thread of each core of --cpu or --all busy, cores with high priority "
		   "first, and compares the frequency of each step with the prediction from the "
		   "settings. The exit status is 6 if a step does not reach its prediction.",
	  .run = measure_ladder },
	{ "try", "What a state document changes: runs without and with it take turns",
	  COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_MEASURES | COMMAND_TEMPORARY |
		  COMMAND_IS_NEW,
	  measure_try_options, sizeof(struct measure_try_arguments),
	  .about = "Applies the document for each run with it, and restores the settings after "
		   "each, however the command ends; meanwhile other setting commands fail with "
		   "exit status 5.",
	  .run = measure_try },
	{ "compare", "How saved measurements differ from the first of them",
	  COMMAND_NO_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, measure_compare_options,
	  sizeof(struct measure_compare_arguments),
	  .about =
		  "Files with the same settings, machine, kernel and work are runs of one group; with three runs of each the change has an interval. A file of measure try has both sides.",
	  .run = measure_compare },
	{ "report", "A page with pictures and tables of what was measured, for any browser",
	  COMMAND_NO_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, measure_report_options,
	  sizeof(struct measure_report_arguments),
	  .about =
		  "Reads files that --save wrote, on this machine or another one, and writes one HTML file with -o. The page loads nothing and needs no script.",
	  .run = measure_report },
	{ 0 },
};

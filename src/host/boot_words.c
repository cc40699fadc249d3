// SPDX-License-Identifier: GPL-2.0-only
/* The table of boot parameters that machine check judges and a recording keeps. */
#include "host/boot_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

const char *const boot_words[] = {
	"clocksource",
	"cpufreq.default_governor",
	"cpuidle.governor",
	"cpuidle.off",
	"hpet",
	"idle",
	"intel_idle.max_cstate",
	"intel_pstate",
	"irqaffinity",
	"isolcpus",
	"maxcpus",
	"mce",
	"mitigations",
	"nmi_watchdog",
	"nohz",
	"nohz_full",
	"nosmt",
	"nosoftlockup",
	"nowatchdog",
	"nr_cpus",
	"preempt",
	"processor.max_cstate",
	"rcu_nocb_poll",
	"rcu_nocbs",
	"rcupdate.rcu_expedited",
	"skew_tick",
	"split_lock_detect",
	"threadirqs",
	"transparent_hugepage",
	"tsc",
	NULL,
};

static bool is_known(const char *word, size_t length)
{
	size_t name_length = strcspn(word, "= \t\n");

	if (name_length > length)
		name_length = length;
	for (size_t i = 0; boot_words[i]; i++) {
		if (strlen(boot_words[i]) == name_length &&
		    strncmp(boot_words[i], word, name_length) == 0)
			return true;
	}
	return false;
}

char *boot_words_keep(const char *command_line)
{
	struct buffer kept = { 0 };
	const char *word = command_line + strspn(command_line, " \t\n");

	while (*word) {
		size_t length = strcspn(word, " \t\n");

		if (is_known(word, length)) {
			if (kept.length)
				buffer_append_char(&kept, ' ');
			buffer_append(&kept, word, length);
		}
		word += length + strspn(word + length, " \t\n");
	}
	buffer_append_char(&kept, '\n');
	return buffer_steal(&kept, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Splits the kernel's command line into words. A table has the words that a recording keeps. */
#include "host/boot_words.h"

#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

static const char *const kept_names[] = {
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
};

#define BLANKS " \t\n"

const char *boot_words_next(const char *at, size_t *ret_length)
{
	const char *word = at + strspn(at, BLANKS);
	bool is_quoted = false;
	size_t length = 0;

	for (; word[length] && (is_quoted || !strchr(BLANKS, word[length])); length++)
		is_quoted ^= word[length] == '"';
	if (length == 0 || (length == 2 && strncmp(word, "--", 2) == 0))
		return NULL; /* the rest is for init */
	*ret_length = length;
	return word;
}

bool boot_words_is_named(const char *word, size_t length, const char *name)
{
	size_t i = 0;

	for (; i < length && name[i] && word[i] != '='; i++) {
		char left = word[i] == '-' ? '_' : word[i], right = name[i] == '-' ? '_' : name[i];

		if (left != right)
			return false;
	}
	return !name[i] && (i == length || word[i] == '=');
}

static bool is_kept(const char *word, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_names); i++) {
		if (boot_words_is_named(word, length, kept_names[i]))
			return true;
	}
	return false;
}

char *boot_words_keep(const char *command_line)
{
	struct buffer kept = { 0 };
	const char *word = command_line;

	for (size_t length = 0; (word = boot_words_next(word + length, &length));) {
		if (!is_kept(word, length))
			continue;
		if (kept.length)
			buffer_append_char(&kept, ' ');
		buffer_append(&kept, word, length);
	}
	buffer_append_char(&kept, '\n');
	return buffer_steal(&kept, NULL);
}

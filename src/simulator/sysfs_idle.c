// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuidle: a machine-wide driver and governor, and the idle states of each CPU, which an offline
 * CPU keeps (sysfs.md, "cpuidle"). No CPU of a simulated machine ever idles: its counts stay 0.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/sysfs_parse.h"

#define MAX_GOVERNOR_NAME 15
#define POWER_UNSET       "4294967295"

static const char *const usual_governors[] = { "ladder", "menu", "teo" };

static bool has_idle(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpuidle;
}

/* Governors. */

static const char *current_governor(const struct sysfs_place *place)
{
	uint8_t choice = place->state->machine->idle_governor;

	if (choice == 0 || choice > ARRAY_SIZE(usual_governors))
		return sysfs_platform(place)->idle_governor;
	return usual_governors[choice - 1];
}

static int show_governor(const struct sysfs_place *place, FILE *to)
{
	fputs(current_governor(place), to);
	return 0;
}

static int store_governor(const struct sysfs_place *place, const char *text)
{
	struct sim_machine_state *machine = place->state->machine;
	char word[SYSFS_WORD_SIZE];
	int err = sysfs_parse_word(text, MAX_GOVERNOR_NAME, word);

	if (err)
		return err;
	if (strcmp(word, sysfs_platform(place)->idle_governor) == 0) {
		machine->idle_governor = 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(usual_governors); i++) {
		if (strcmp(word, usual_governors[i]) == 0) {
			machine->idle_governor = (uint8_t)(i + 1);
			return 0;
		}
	}
	return -EINVAL;
}

static int show_governors(const struct sysfs_place *place, FILE *to)
{
	const char *own = sysfs_platform(place)->idle_governor;
	bool is_usual = false;

	for (size_t i = 0; i < ARRAY_SIZE(usual_governors); i++) {
		fprintf(to, "%s%s", i ? " " : "", usual_governors[i]);
		is_usual |= strcmp(usual_governors[i], own) == 0;
	}
	if (!is_usual)
		fprintf(to, " %s", own);
	return 0;
}

static int show_driver(const struct sysfs_place *place, FILE *to)
{
	fputs(sysfs_platform(place)->idle_driver, to);
	return 0;
}

static const struct sysfs_attribute idle_attributes[] = {
	{ .name = "available_governors", .show = show_governors },
	{ .name = "current_driver", .show = show_driver },
	{ .name = "current_governor", .show = show_governor, .store = store_governor },
	{ .name = "current_governor_ro", .show = show_governor },
	{ 0 },
};

const struct sysfs_directory sysfs_idle = {
	.name = "cpuidle",
	.exists = has_idle,
	.attributes = idle_attributes,
};

/* A state of a CPU. */

static const struct sim_idle_state *idle_state(const struct sysfs_place *place)
{
	return &sysfs_platform(place)->idle_states[place->idle_state];
}

static int show_text(const char *text, FILE *to)
{
	fputs(*text ? text : "<null>", to);
	return 0;
}

static int show_name(const struct sysfs_place *place, FILE *to)
{
	return show_text(idle_state(place)->name, to);
}

static int show_desc(const struct sysfs_place *place, FILE *to)
{
	return show_text(idle_state(place)->desc, to);
}

static int show_latency(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, idle_state(place)->latency_us);
	return 0;
}

static int show_residency(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, idle_state(place)->residency_us);
	return 0;
}

static int show_power(const struct sysfs_place *place, FILE *to)
{
	fputs(strcmp(idle_state(place)->name, "POLL") == 0 ? POWER_UNSET : "0", to);
	return 0;
}

static int show_default_status(const struct sysfs_place *place, FILE *to)
{
	fputs(idle_state(place)->disabled ? "disabled" : "enabled", to);
	return 0;
}

static int show_count(const struct sysfs_place *place, FILE *to)
{
	(void)place;
	fputc('0', to);
	return 0;
}

static int show_disable(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, sysfs_cpu_state(place)->idle_disabled >> place->idle_state & 1);
	return 0;
}

static int store_disable(const struct sysfs_place *place, const char *text)
{
	uint32_t bit = 1U << place->idle_state;
	uint64_t value;
	int err;

	if (faults_deny_capability(place->faults))
		return -EPERM;
	err = sysfs_parse_unsigned(text, 0, UINT32_MAX, &value);
	if (err)
		return err;
	if (value)
		sysfs_cpu_state(place)->idle_disabled |= bit;
	else
		sysfs_cpu_state(place)->idle_disabled &= ~bit;
	return 0;
}

static const struct sysfs_attribute state_attributes[] = {
	{ .name = "above", .show = show_count },
	{ .name = "below", .show = show_count },
	{ .name = "default_status", .show = show_default_status },
	{ .name = "desc", .show = show_desc },
	{ .name = "disable", .show = show_disable, .store = store_disable },
	{ .name = "latency", .show = show_latency },
	{ .name = "name", .show = show_name },
	{ .name = "power", .show = show_power },
	{ .name = "rejected", .show = show_count },
	{ .name = "residency", .show = show_residency },
	{ .name = "time", .show = show_count },
	{ .name = "usage", .show = show_count },
	{ 0 },
};

static bool find_state(struct sysfs_place *place, const char *name)
{
	return sysfs_parse_numbered(name, "state", &place->idle_state) &&
	       place->idle_state < sysfs_platform(place)->n_idle_states;
}

static int list_states(const struct sysfs_place *place, struct sysfs_names *names)
{
	int err = 0;

	for (size_t i = 0; i < sysfs_platform(place)->n_idle_states && !err; i++)
		err = sysfs_names_add_format(names, "state%zu", i);
	return err;
}

static const struct sysfs_directory state_directory = {
	.find = find_state,
	.list = list_states,
	.attributes = state_attributes,
};

const struct sysfs_directory sysfs_idle_of_cpu = {
	.name = "cpuidle",
	.exists = has_idle,
	.children = (const struct sysfs_directory *const[]){ &state_directory, NULL },
};

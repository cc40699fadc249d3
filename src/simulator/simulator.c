// SPDX-License-Identifier: GPL-2.0-only
/* A simulated machine as a host: opens its platform, its shared state, the ordered faults and its
 * files, and closes them in reverse order. Each transport opens the device. */
#include "simulator/simulator.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/catalog.h"
#include "simulator/driver.h"
#include "simulator/sysfs.h"

struct simulator {
	struct host host;
	struct sim_platform *platform;
	struct sim_state *state;
	struct sim_faults *faults;
	char *run_directory;
};

static int simulator_open_device(struct host *host, struct transport **ret_transport)
{
	struct simulator *simulator = (struct simulator *)host;

	return driver_open(simulator->state, simulator->faults, ret_transport);
}

static int simulator_has_capability(struct host *host)
{
	const struct simulator *simulator = (const struct simulator *)host;

	return !faults_settings(simulator->faults)->missing_capability;
}

static void simulator_close(struct host *host)
{
	struct simulator *simulator = (struct simulator *)host;

	if (host->files)
		sysfs_close(host->files);
	faults_close(simulator->faults);
	state_close(simulator->state);
	platform_file_free(simulator->platform);
	free(simulator->run_directory);
	free(simulator);
}

static const struct host_ops simulator_ops = {
	.open_device = simulator_open_device,
	.has_capability = simulator_has_capability,
	.close = simulator_close,
};

static int load_platform(const char *platform, struct sim_platform **ret_platform,
			 char **ret_message)
{
	_cleanup_free_ char *file_name = NULL, *text = NULL;
	size_t length;
	int err = catalog_find(platform, &file_name, &text, &length, ret_message);

	if (err)
		return err;
	return platform_file_parse(file_name, text, length, ret_platform, ret_message);
}

static int find_directory(const char *platform, const char *name, const char *state_directory,
			  char **ret_directory, char **ret_message)
{
	char *message;
	int err;

	if (state_directory) {
		*ret_directory = strdup(state_directory);
		return *ret_directory ? 0 : -ENOMEM;
	}
	err = state_directory_find(platform, name, ret_directory);
	if (err &&
	    asprintf(&message, "no place for the state of %s: %s; name one with --simulate-state",
		     platform, strerror(-err)) >= 0)
		*ret_message = message;
	return err;
}

/* Opens what follows the platform. The caller closes what is open after a failure. */
static int open_machine(struct simulator *simulator, const char *directory, bool reset,
			char **ret_message)
{
	int err = state_open(simulator->platform, directory, reset, &simulator->state, ret_message);

	if (!err)
		err = faults_open(simulator->state, &simulator->faults, ret_message);
	if (!err)
		err = sysfs_open(simulator->state, simulator->faults, &simulator->host.files);
	if (err)
		return err;
	if (asprintf(&simulator->run_directory, "%s/run", simulator->state->directory) < 0) {
		simulator->run_directory = NULL;
		return -ENOMEM;
	}
	simulator->host.run_directory = simulator->run_directory;
	return 0;
}

int simulator_list_platforms(bool brief, struct host_choices *ret_choices)
{
	_cleanup_(catalog_free_directories) char **directories = NULL;
	int err = catalog_find_directories(&directories);

	return err ? err : catalog_list(directories, brief, ret_choices);
}

int simulator_open(const char *platform, const char *state_directory, bool reset,
		   struct host **ret_host, char **ret_message)
{
	struct simulator *simulator = calloc(1, sizeof(*simulator));
	_cleanup_free_ char *directory = NULL;
	int err;

	*ret_message = NULL;
	if (!simulator)
		return -ENOMEM;
	simulator->host.ops = &simulator_ops;
	err = load_platform(platform, &simulator->platform, ret_message);
	if (!err)
		err = find_directory(platform, simulator->platform->name, state_directory,
				     &directory, ret_message);
	if (!err)
		err = open_machine(simulator, directory, reset, ret_message);
	if (err) {
		simulator_close(&simulator->host);
		return err;
	}
	*ret_host = &simulator->host;
	return 0;
}

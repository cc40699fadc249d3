// SPDX-License-Identifier: GPL-2.0-only
/* A simulated machine as a host: opens the platform, the shared state, the faults and the files,
 * and closes them in reverse order. Each transport opens the device. */
#include "simulator/simulator.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/catalog.h"
#include "simulator/clock.h"
#include "simulator/driver.h"
#include "simulator/pmu.h"
#include "simulator/recording.h"
#include "simulator/sysfs/sysfs.h"

struct simulator {
	struct host host;
	struct sim_platform *platform;
	struct sim_state *state;
	struct sim_faults *faults;
	char *run_directory;
	char *state_file;
	char *title;
};

static int simulator_open_device(struct host *host, struct transport **ret_transport)
{
	struct simulator *simulator = (struct simulator *)host;

	return driver_open(simulator->state, simulator->faults, ret_transport);
}

static int simulator_has_capability(struct host *host)
{
	const struct simulator *simulator = (const struct simulator *)host;

	return !faults_settings(simulator->faults)->missing_capability &&
	       !recording_about(simulator->platform->recording)->lacks_capability;
}

static void simulator_close(struct host *host)
{
	struct simulator *simulator = (struct simulator *)host;

	clock_close(host->workload);
	pmu_close(host->perf);
	sysfs_close(host->files);
	faults_close(simulator->faults);
	state_close(simulator->state);
	platform_file_free(simulator->platform);
	free(simulator->run_directory);
	free(simulator->state_file);
	free(simulator->title);
	free(simulator);
}

static const struct host_ops simulator_ops = {
	.open_device = simulator_open_device,
	.has_capability = simulator_has_capability,
	.close = simulator_close,
};

/* Sets the model that results show. The answers of a recording are real, settings are not. A
 * recording of a simulated machine has the name of that machine. */
static int name_model(struct simulator *simulator)
{
	const struct sim_platform *platform = simulator->platform;
	const struct recording_about *about = recording_about(platform->recording);
	struct host_model *model = &simulator->host.model;

	model->is_recorded = platform->recording && !about->model;
	model->date = about->date;
	if (model->is_recorded)
		simulator->title = text_format("recording of %s%s%s", platform->cpu.model_name,
					       model->date ? ", " : "", model->date ?: "");
	else
		simulator->title =
			text_format("simulated machine %s", about->model ?: platform->name);
	model->name = model->is_recorded ? simulator->title : about->model ?: platform->name;
	model->title = simulator->title;
	model->estimates = platform->estimates;
	return simulator->title ? 0 : -ENOMEM;
}

/* If the default directory cannot be used, adds the option for another directory. */
static void suggest_directory(int err, char **message)
{
	_cleanup_free_ char *before = *message;

	if (before && (err == -EACCES || err == -EPERM || err == -EROFS))
		*message = text_format("%s; name another directory with --simulate-state", before);
	else
		steal(before);
}

/* Opens the parts in order. The caller closes what is open after a failure. */
static int open_machine(struct simulator *simulator, const char *platform,
			const char *state_directory, bool reset, char **ret_message)
{
	_cleanup_free_ char *file_name = NULL, *text = NULL, *usual = NULL;
	_cleanup_free_ char *build_tree = fileio_find_near_program(CATALOG_BUILD_TREE);
	const char *const directories[] = { PLATFORM_DIRECTORY, build_tree, NULL };
	size_t length;
	int err = catalog_find_in(directories, platform, &file_name, &text, &length, ret_message);

	if (err)
		return err;
	err = platform_file_parse(file_name, text, length, &simulator->platform, ret_message);
	if (!err && !state_directory) {
		err = state_directory_find(platform, simulator->platform->name, &usual);
		if (err)
			*ret_message =
				text_format("no directory for the state of %s: %s; name one with "
					    "--simulate-state",
					    platform, strerror(-err));
	}
	if (!err)
		err = name_model(simulator);
	if (err)
		return err;
	err = state_open(simulator->platform, state_directory ? state_directory : usual, reset,
			 &simulator->state, ret_message);
	if (err && usual)
		suggest_directory(err, ret_message);
	if (err)
		return err;
	err = faults_open(simulator->state, &simulator->faults, ret_message);
	if (err)
		return err;
	simulator->run_directory = text_format("%s/run", simulator->state->directory);
	simulator->host.run_directory = simulator->run_directory;
	simulator->state_file = text_format("%s/state.json", simulator->state->directory);
	simulator->host.state_file = simulator->state_file;
	if (!simulator->run_directory || !simulator->state_file)
		return -ENOMEM;
	err = sysfs_open(simulator->state, simulator->faults, &simulator->host.files);
	if (!err)
		err = clock_open(simulator->state, simulator->faults, &simulator->host.workload);
	return err ?: pmu_open(simulator->state, simulator->faults, &simulator->host.perf);
}

int simulator_list_platforms(bool brief, struct host_choices *ret_choices)
{
	_cleanup_free_ char *build_tree = fileio_find_near_program(CATALOG_BUILD_TREE);
	const char *const directories[] = { PLATFORM_DIRECTORY, build_tree, NULL };

	return catalog_list(directories, brief, ret_choices);
}

int simulator_open(const char *platform, const char *state_directory, bool reset,
		   struct host **ret_host, char **ret_message)
{
	struct simulator *simulator = calloc(1, sizeof(*simulator));
	int err;

	*ret_message = NULL;
	if (!simulator)
		return -ENOMEM;
	simulator->host.ops = &simulator_ops;
	err = open_machine(simulator, platform, state_directory, reset, ret_message);
	if (err) {
		simulator_close(&simulator->host);
		return err;
	}
	*ret_host = &simulator->host;
	return 0;
}

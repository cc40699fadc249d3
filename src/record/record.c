// SPDX-License-Identifier: GPL-2.0-only
/* Makes a recording: sends requests to the driver, reads the files, makes the members of the
 * platform file, and writes all into one text. */
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "base/fileio.h"
#include "host/kernel.h"
#include "host/change_log.h"
#include "record/parts.h"

#define BOOT_ID       "/proc/sys/kernel/random/boot_id"
#define MAX_MAP_BYTES (1U << 20)
#define TRIES         3 /* of a request while the firmware is busy */

/* The parts of a recording, which are freed together. */
struct recording {
	struct asked asked;
	struct host *host; /* keeps its requests */
	struct machine *machine;
	struct platform *platform;
	struct kernel_files files;
};

static void recording_done(struct recording *recording)
{
	platform_close(&recording->platform);
	machine_close(&recording->machine);
	kernel_files_done(&recording->files);
	asked_host_free(&recording->host);
	asked_done(&recording->asked);
}

/* Sends all requests to the driver, if there is one. */
static int ask(struct recording *recording, const struct record_options *options,
	       struct record_remarks *remarks)
{
	const struct platform_options platform_options = {
		.channel = { .tries = TRIES, .stop = options->stop },
	};
	int err = platform_open(recording->machine, &platform_options, &recording->platform,
				&remarks->no_platform);

	if (err == -ENOMEM || err == -EINTR)
		return err;
	return err ? 0 : asked_walk(recording->platform, &recording->asked);
}

static json_t *requests_member_of(struct recording *recording, struct record_remarks *remarks)
{
	json_t *list = json_array();

	for (size_t i = 0; i < recording->asked.n_items; i++) {
		const struct request_item *item = recording->asked.items[i];
		_cleanup_buffer_ struct buffer line = { 0 };

		requests_append_item(&line, item);
		remarks->n_denied += item->error == -EPERM || item->error == -EACCES;
		if (line.has_failed ||
		    json_array_append_new(list, json_string(buffer_text(&line)))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Returns the map of offline CPUs in the run directory, with zeros for the boot id; or NULL. */
static char *read_cpu_map(struct host *host)
{
	_cleanup_free_ char *path = text_format("%s/cpu-map.json", host->run_directory);
	_cleanup_free_ char *boot_id = NULL;
	char *text = NULL, *at;
	size_t length;

	if (!path || files_read_line(host->files, BOOT_ID, &boot_id) ||
	    fileio_read_trusted(path, MAX_MAP_BYTES, &text, &length))
		return NULL;
	while (*boot_id && (at = strstr(text, boot_id))) {
		for (size_t i = 0; i < strlen(boot_id); i++)
			at[i] = at[i] == '-' ? '-' : '0';
		if (strspn(boot_id, "0-") == strlen(boot_id))
			break;
	}
	return text;
}

/* Finds the date of a recording: today for hardware, else the model's date; "": unknown. */
static void find_date(const struct host_model *model, char date[CHANGE_LOG_TIME_SIZE])
{
	if (model->name)
		snprintf(date, CHANGE_LOG_TIME_SIZE, "%s", model->date ?: "");
	else
		change_log_format_now(date);
	date[strcspn(date, "T")] = '\0';
}

/* Makes the member `recorded`. */
static json_t *answers(struct recording *recording, struct record_remarks *remarks)
{
	const struct host_model *model = &recording->host->model;
	const char *open_error = recording->asked.open_error
					 ? error_name(recording->asked.open_error) ?: "EIO"
					 : NULL;
	bool has_capability = recording->host->ops->has_capability(recording->host) != 0;
	_cleanup_free_ char *cpu_map = read_cpu_map(recording->host);
	json_t *requests = requests_member_of(recording, remarks);
	char date[CHANGE_LOG_TIME_SIZE];

	if (!requests)
		return NULL;
	find_date(model, date);
	return json_pack("{s:s*, s:s*, s:s*, s:b, s:s*, s:o, s:O}", "date", *date ? date : NULL,
			 HOST_MODEL_MEMBER, model->is_recorded ? NULL : model->name, "open",
			 open_error, "capability", has_capability, "cpu_map", cpu_map, "requests",
			 requests, "files", recording->files.object);
}

/* Makes a string for a platform file: printable and in UTF-8. */
static json_t *plain_text(char *text)
{
	printable_clean(text, strlen(text));
	return json_string(text);
}

/* Makes the members of the platform file that describe the recording, beside `recorded`. */
static json_t *make_members(const struct recording *recording)
{
	const struct machine *machine = recording->machine;
	const struct identity *identity = &machine->identity;
	const char *kernel =
		json_string_value(json_object_get(recording->files.object, KERNEL_RELEASE));
	size_t n_cpus = cpuset_count(&machine->topology.present);
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	_cleanup_free_ char *name = NULL, *description = NULL, *source = NULL;
	const char *processor;

	if (topology_find_packages(&machine->topology, &packages))
		return NULL;
	name = text_format("recorded-%" PRIu32 "-%" PRIu32 "-%" PRIu32, identity->family,
			   identity->model, identity->stepping);
	processor = *identity->model_name ? identity->model_name : "unknown processor";
	description = text_format("%s, %zu package%s, %zu CPUs", processor, cpuset_count(&packages),
				  cpuset_count(&packages) == 1 ? "" : "s", n_cpus);
	source = text_format("recorded by intel-speed-select from a machine with kernel %s",
			     kernel ?: "-");
	if (!name || !description || !source)
		return NULL;
	return json_pack("{s:i, s:s, s:o, s:o, s:s*}", "schema", 1, "name", name, "description",
			 plain_text(description), "source", plain_text(source), "estimates",
			 machine->host->model.estimates);
}

static int write_text(struct recording *recording, struct record_remarks *remarks, char **ret_text)
{
	_cleanup_json_ json_t *platform = make_members(recording);
	struct buffer text = { 0 };
	json_t *recorded = platform ? answers(recording, remarks) : NULL;

	if (!recorded || json_object_set_new(platform, "recorded", recorded) < 0)
		return -ENOMEM;
	layout_append(&text, platform, 0);
	*ret_text = buffer_steal(&text, NULL);
	return *ret_text ? 0 : -ENOMEM;
}

int record_make(struct host *host, const struct record_options *options, char **ret_text,
		struct record_remarks *remarks, char **ret_message)
{
	_cleanup_(recording_done) struct recording recording = { 0 };
	int err;

	*ret_message = NULL;
	*remarks = (struct record_remarks){ 0 };
	recording.host = asked_host_new(host, &recording.asked);
	if (!recording.host)
		return -ENOMEM;
	err = machine_open(recording.host, &recording.machine, ret_message);
	if (!err)
		err = ask(&recording, options, remarks);
	if (!err)
		err = kernel_files_read(host->files, &recording.machine->topology.present,
					&recording.machine->topology.online, options,
					&recording.files);
	remarks->n_denied = recording.files.n_denied;
	if (!err)
		err = write_text(&recording, remarks, ret_text);
	return recording.asked.is_short_of_memory ? -ENOMEM : err;
}

static void append_request_kinds(struct buffer *to, const json_t *requests)
{
	_cleanup_json_ json_t *counts = json_object();
	const json_t *line;
	const char *kind;
	json_t *count;
	size_t i;

	json_array_foreach (requests, i, line) {
		const char *text = json_string_value(line) ?: "";
		_cleanup_free_ char *name = strndup(text, strcspn(text, ":"));

		if (!name)
			continue;
		json_object_set_new(
			counts, name,
			json_integer(1 + json_integer_value(json_object_get(counts, name))));
	}
	json_object_foreach (counts, kind, count)
		buffer_print(to, "%s: %" JSON_INTEGER_FORMAT " answer%s\n", kind,
			     json_integer_value(count), json_integer_value(count) == 1 ? "" : "s");
}

/* Returns true if a file has a value, for at least one CPU, that is not an error. */
static bool has_value(const json_t *value)
{
	const char *key;
	json_t *of_cpus;

	if (json_is_string(value) || json_array_size(value) > 0 ||
	    json_object_get(value, "exact") || json_object_get(value, "hex"))
		return true;
	if (json_object_get(value, "error"))
		return false;
	json_object_foreach ((json_t *)(uintptr_t)value, key, of_cpus) {
		if (!json_object_get(of_cpus, "error"))
			return true;
	}
	return false;
}

int record_list_contents(const char *text, struct buffer *to)
{
	_cleanup_json_ json_t *recording = json_loads(text, 0, NULL);
	const json_t *recorded = json_object_get(recording, "recorded");
	const char *path, *last = NULL;
	json_t *value;

	if (!recorded)
		return -EINVAL;
	append_request_kinds(to, json_object_get(recorded, "requests"));
	if (json_object_get(recorded, "cpu_map"))
		buffer_append_string(to, "the map of offline CPUs\n");
	json_object_foreach (json_object_get(recorded, "files"), path, value) {
		const struct record_path *row = record_find_path(path);
		const char *name = row ? row->path : path;

		/* all paths of one row share a line */
		if (!has_value(value) || (last && strcmp(last, name) == 0))
			continue;
		last = name;
		buffer_print(to, "%s\n", name);
	}
	return to->has_failed ? -ENOMEM : 0;
}

void record_remarks_done(struct record_remarks *remarks)
{
	free(steal(remarks->no_platform));
}

int record_list(bool with_pci, struct buffer *to)
{
	static const char *const requests[] = {
		"GET_PLATFORM_INFO: the driver's version",
		"GET_PHY_ID: the PUNIT core of each CPU",
		"MBOX_COMMAND, mailbox parts: 0x7f/0x00, 0x01, 0x03 to 0x07, 0x09 to 0x0c, 0x10 to "
		"0x12, 0x20 to 0x23 of each level and power domain; 0x94/0x03; 0xd0/0x00 to 0x02",
		"IO_CMD, mailbox parts: reads of 0x08 to 0x14 (CLOS) and from 0x20 on (CLOS of each "
		"core)",
		"MSR_COMMAND: reads of 0x1ad, 0x1ae, 0x64b of each package",
		"COUNT_TPMI_INSTANCES, PERF_LEVELS, CORE_POWER_STATE, CLOS_PARAM, CLOS_ASSOC: TPMI "
		"parts, each power domain",
		"GET_PERF_LEVEL_INFO, GET_PERF_LEVEL_CPU_MASK, GET_PERF_LEVEL_FABRIC_INFO, "
		"GET_BASE_FREQ_INFO, GET_BASE_FREQ_CPU_MASK, GET_TURBO_FREQ_INFO: TPMI parts, each "
		"level and power domain",
	};

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		buffer_print(to, "%s\n", requests[i]);
	for (size_t i = 0; i < n_record_paths; i++) {
		if (!(record_paths[i].flags & PATH_NEEDS_PCI) || with_pci)
			buffer_print(to, "%s%s\n", record_paths[i].path,
				     record_paths[i].flags & PATH_IS_DIRECTORY ? "/" : "");
	}
	return to->has_failed ? -ENOMEM : 0;
}

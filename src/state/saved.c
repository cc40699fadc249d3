// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the state at boot, {"format", "version", "boot-id", "time", "unreadable", "state"}, and the
 * document that was applied last. */
#include "state/saved.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/change_log.h"
#include "host/run_directory.h"
#include "state/document.h"
#include "state/export.h"

static const struct run_file boot_file = {
	.name = "boot-state.json",
	.format = "intel-speed-select-boot-state",
	.boot_member = "boot-id",
};

static const struct run_file applied_file = {
	.name = "applied.json",
	.format = DOCUMENT_FORMAT,
	.outlives_boot = true,
};

/* The members of the file: the present state of an open machine, and why it has no platform, or
 * NULL. NULL: no memory. */
static json_t *make_boot_state(const struct machine *machine, struct platform *platform,
			       const char *lacks_platform)
{
	const struct export_options options = { .lacks_platform = lacks_platform };
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	_cleanup_json_ json_t *unreadable = json_array(), *document = NULL;
	char time[CHANGE_LOG_TIME_SIZE];
	_cleanup_free_ char *text = NULL;

	if (state_machine_init(&state, machine, platform, true) ||
	    export_make(&state, &options, &text, &remarks))
		return NULL;
	document = json_loads(text, 0, NULL);
	for (size_t i = 0; i < remarks.count; i++) {
		if (remarks.list[i].error)
			json_array_append_new(unreadable, json_string(remarks.list[i].text));
	}
	change_log_format_now(time);
	return json_pack("{s:s, s:O, s:O}", "time", time, "unreadable", unreadable, "state",
			 document);
}

int saved_keep_boot_state(struct host *host, char **ret_message)
{
	const struct platform_options options = { .channel.tries = 3 };
	_cleanup_free_ char *message = NULL;
	_cleanup_(machine_close) struct machine *machine = NULL;
	_cleanup_(platform_close) struct platform *platform = NULL;
	json_t *members;
	int err;

	*ret_message = NULL;
	if (run_file_is_current(host->files, host->run_directory, &boot_file, NULL))
		return 0;
	err = machine_open(host, &machine, ret_message);
	if (err)
		return err;
	/* Without Speed Select the rest is saved. */
	err = platform_open(machine, &options, &platform, &message);
	if (err == -ENOMEM)
		return err;
	members = make_boot_state(machine, platform,
				  !identity_has_sst(&machine->identity) ? NULL
				  : platform ? platform->unserved
					     : message ?: strerror(-err));
	err = members ? run_file_write(host->files, host->run_directory, &boot_file, members)
		      : -ENOMEM;
	if (err)
		*ret_message = text_format(
			"the state before the first change of this boot cannot be saved in %s (%s), "
			"and nothing is set without that; make the directory writable",
			host->run_directory, run_directory_problem(err));
	return err;
}

int saved_read_boot_state(struct host *host, json_t **ret_document, json_t **ret_unreadable)
{
	_cleanup_json_ json_t *members = NULL;
	json_t *document, *unreadable;
	int err = run_file_read(host->files, host->run_directory, &boot_file, &members);

	if (err)
		return err;
	if (json_unpack(members, "{s:o, s:o}", "state", &document, "unreadable", &unreadable) < 0 ||
	    !json_is_array(unreadable))
		return -EBADMSG;
	*ret_document = json_incref(document);
	*ret_unreadable = json_incref(unreadable);
	return 0;
}

int saved_read_applied(struct host *host, json_t **ret_document)
{
	_cleanup_json_ json_t *members = NULL;
	int err = run_file_read(host->files, host->run_directory, &applied_file, &members);

	if (err)
		return err;
	if (json_object_set_new(members, "format", json_string(DOCUMENT_FORMAT)) < 0 ||
	    json_object_set_new(members, "version", json_integer(DOCUMENT_VERSION)) < 0)
		return -ENOMEM;
	*ret_document = steal(members);
	return 0;
}

int saved_write_applied(struct host *host, json_t *document)
{
	_cleanup_json_ json_t *members = json_copy(document), *kept = NULL;

	if (!saved_read_applied(host, &kept) && json_equal(kept, document))
		return 0;
	json_object_del(members, "format");
	json_object_del(members, "version");
	return run_file_write(host->files, host->run_directory, &applied_file, steal(members));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Machine, platform, places and values, and records of what was asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "change/transaction.h"
#include "simulator/simulator.h"
#include "state_bench.h"
#include "temporary.h"

static struct state_bench_files *recorded_of(struct files *files)
{
	return (struct state_bench_files *)files;
}

static int record_read(struct files *files, const char *path, size_t limit, char **ret_text,
		       size_t *ret_length)
{
	struct state_bench_files *recorded = recorded_of(files);

	if (recorded->log)
		fprintf(recorded->log, "%s\n", path);
	return recorded->inner->ops->read(recorded->inner, path, limit, ret_text, ret_length);
}

static int pass_write(struct files *files, const char *path, const char *text)
{
	return files_write(recorded_of(files)->inner, path, text);
}

static int pass_list(struct files *files, const char *path, char ***ret_names)
{
	return files_list(recorded_of(files)->inner, path, ret_names);
}

static int pass_directory(struct files *files, const char *path, bool makes)
{
	return files_change_directory(recorded_of(files)->inner, path, makes);
}

static const struct files_ops recorded_ops = { record_read,    pass_write, pass_list,
					       pass_directory, NULL,       NULL };

static void open_machine(struct state_bench *bench)
{
	const struct platform_options options = { .channel.tries = 3, .trace = bench->trace };
	_cleanup_free_ char *message = NULL;

	assert_int_equal(machine_open(bench->host, &bench->machine, &message), 0);
	if (platform_open(bench->machine, &options, &bench->platform, &message))
		bench->platform = NULL;
	assert_int_equal(state_machine_init(&bench->state, bench->machine, bench->platform, true),
			 0);
	assert_int_equal(state_read_zones(&bench->state), 0);
}

static void close_machine(struct state_bench *bench)
{
	state_rows_done(&bench->rows);
	state_machine_done(&bench->state);
	platform_close(&bench->platform);
	machine_close(&bench->machine);
}

void state_bench_renew(struct state_bench *bench)
{
	close_machine(bench);
	open_machine(bench);
}

void state_bench_open(struct state_bench *bench, const char *platform, const char *faults)
{
	_cleanup_free_ char *message = NULL;
	char path[4096];

	*bench = (struct state_bench){ .directory = temporary_make() };
	snprintf(path, sizeof(path), "%s/%s.json", getenv("PLATFORM_FILES"), platform);
	assert_int_equal(simulator_open(path, bench->directory, true, &bench->host, &message), 0);
	if (faults) {
		_cleanup_free_ char *file = temporary_path(bench->directory, "faults.json");

		temporary_write(file, faults, 0644);
		bench->host->ops->close(bench->host);
		assert_int_equal(
			simulator_open(path, bench->directory, false, &bench->host, &message), 0);
	}
	bench->recorded = (struct state_bench_files){ { &recorded_ops }, bench->host->files, NULL };
	bench->host->files = &bench->recorded.files;
	bench->trace = open_memstream(&bench->trace_text, &bench->trace_length);
	assert_non_null(bench->trace);
	open_machine(bench);
}

void state_bench_close(struct state_bench *bench)
{
	close_machine(bench);
	bench->host->files = bench->recorded.inner;
	bench->host->ops->close(bench->host);
	fclose(bench->trace);
	free(bench->trace_text);
	temporary_remove(bench->directory);
}

void state_bench_write(struct state_bench *bench, const char *path, const char *text)
{
	_cleanup_free_ char *whole = NULL;

	assert_true(asprintf(&whole, "%s%s", *path == '/' ? "" : FILES_CPUS "/", path) > 0);
	assert_int_equal(files_write(bench->host->files, whole, text), 0);
}

void state_bench_set(struct state_bench *bench, const struct setting_request *requests,
		     size_t count)
{
	_cleanup_setting_list_ struct setting_list list = { 0 };
	_cleanup_change_list_ struct change_list plan = { 0 };
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	const struct setting_environment environment = { bench->platform, bench->machine, &plan };
	const struct transaction_environment run = {
		.channel = &bench->platform->channel,
		.files = bench->host->files,
	};

	for (size_t i = 0; i < count; i++)
		setting_list_add(&list, &requests[i]);
	assert_int_equal(settings_plan(&list, &environment), 0);
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.requests[i].error, 0);
	assert_int_equal(transaction_run(&plan, &run, &outcome), 0);
	assert_false(outcome.failed);
}

void state_bench_ask(struct state_bench *bench, enum setting_id member, uint32_t clos,
		     const char *idle_state)
{
	struct state_row *row =
		state_rows_add(&bench->rows, &bench->state, member, clos, idle_state);

	assert_non_null(row);
	for (size_t i = 0; i < state_machine_places(&bench->state, member)->count; i++)
		row->values[i].kind = STATE_ASKED;
}

void state_bench_read_all(struct state_bench *bench, const char *const *idle_states)
{
	for (enum setting_id member = 0; member < N_SETTINGS; member++) {
		const struct setting *row = setting_get(member);
		bool in_clos = row->flags & SETTING_IN_CLOS;

		for (uint32_t clos = 0; clos < (in_clos ? SST_CLOS_COUNT : 1); clos++) {
			if (row->path && !(row->flags & SETTING_IN_IDLE_STATE))
				state_bench_ask(bench, member, clos, NULL);
		}
	}
	for (size_t i = 0; idle_states && idle_states[i]; i++)
		state_bench_ask(bench, SETTING_IDLE_STATE, 0, idle_states[i]);
	assert_int_equal(state_read(&bench->state, &bench->rows), 0);
}

static char *format_value(const struct state_value *value)
{
	if (value->kind == STATE_LACKING)
		return strdup("lacking");
	return value->kind == STATE_UNREADABLE ? strdup("unreadable") : state_value_format(value);
}

void state_bench_assert(struct state_bench *bench, enum setting_id member, uint32_t clos,
			const char *idle_state, const char *texts)
{
	const struct state_row *row = state_rows_find(&bench->rows, member, clos, idle_state);
	size_t count = state_machine_places(&bench->state, member)->count, length, n;
	_cleanup_free_ char *found = NULL;
	FILE *to = open_memstream(&found, &length);

	assert_non_null(row);
	for (size_t i = 0; i < count; i += n) {
		_cleanup_free_ char *text = format_value(&row->values[i]);

		for (n = 1;
		     i + n < count && state_value_equal(&row->values[i], &row->values[i + n]);)
			n++;
		fprintf(to, "%s%zux%s", i ? ", " : "", n, text);
	}
	fclose(to);
	if (strcmp(found, texts) != 0)
		fail_msg("%s (%u): \"%s\", not \"%s\"", setting_get(member)->path, clos, found,
			 texts);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The change journal in a temporary run directory: what is written, torn and damaged lines, a full
 * disk, other boots and owners, and compaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "fake_files.h"
#include "temporary.h"
#include "base/fileio.h"
#include "change/journal.h"
#include "host/run_directory.h"

#define BOOT   "/proc/sys/kernel/random/boot_id"
#define N_CPUS 24

static struct fake_files kernel;
static char program[] = "isst", word[] = "state";
static char *const command[] = { program, word };
static const struct journal_transaction ours = { .argc = 2, .argv = command };
static char *directory, *path;

static const char one_change[] =
	"[{\"for\":\"cpu 0-3\",\"setting\":\"core-power.assoc\",\"was\":0,\"now\":3}]";

static int set_up(void **state)
{
	(void)state;
	directory = temporary_make();
	path = temporary_path(directory, JOURNAL_NAME);
	fake_files_init(&kernel);
	fake_files_set(&kernel, "first-boot\n", BOOT);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_files_done(&kernel);
	free(path);
	temporary_remove(directory);
	return 0;
}

static int open_journal(struct journal **ret_journal)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };

	assert_int_equal(cpuset_add_range(&online, 0, N_CPUS - 1), 0);
	return journal_open(&kernel.files, directory, &online, ret_journal);
}

/* One transaction of so many stages; without an outcome it is not ended. */
static void transact(int stages, const char *outcome)
{
	const struct journal_outcome end = { .outcome = outcome };
	_cleanup_journal_ struct journal *journal = NULL;

	assert_int_equal(open_journal(&journal), 0);
	for (int i = 0; i < stages; i++)
		assert_int_equal(journal_begin(journal, &kernel.files, &ours, one_change), 0);
	if (outcome)
		assert_int_equal(journal_end(journal, &end), 0);
}

/* The lines of the journal as "journal", "begin ID STAGE CHANGES", "end ID OUTCOME"; or the error
 * that reading them ends with. */
static void assert_lines(const char *expected)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	_cleanup_free_ char *text = NULL;
	struct journal_line line;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	int err = journal_reader_open(&kernel.files, directory, &reader);

	while (!err && (err = journal_reader_next(reader, &line)) > 0) {
		json_t *change;
		int count = 0;

		if (line.kind == JOURNAL_FIRST) {
			fputs("journal\n", to);
		} else if (line.kind == JOURNAL_END) {
			fprintf(to, "end %d %s\n", (int)line.id,
				json_string_value(json_object_get(line.members, "outcome")));
		} else {
			for (; (err = journal_line_next(&line, &change)) > 0; count++)
				json_decref(change);
			fprintf(to, "begin %d %d %d\n", (int)line.id,
				(int)json_integer_value(json_object_get(line.members, "stage")),
				count);
		}
		if (err < 0)
			break;
		err = 0;
	}
	if (err)
		fprintf(to, "error %d\n", err);
	fclose(to);
	assert_string_equal(text, expected);
}

static void read_journal(char **ret_text, size_t *ret_length)
{
	assert_int_equal(fileio_read(path, 0, ret_text, ret_length), 0);
}

static void test_lines(void **state)
{
	mode_t mask = umask(077);
	json_t *members, *list;
	struct journal_line line;
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	const char *boot, *online;

	(void)state;
	assert_lines("error -2\n");
	transact(1, JOURNAL_DONE);
	umask(mask);
	assert_int_equal(temporary_mode(path), 0644);
	transact(2, JOURNAL_UNDONE);
	transact(1, NULL);
	assert_lines("journal\nbegin 1 1 1\nend 1 done\nbegin 2 1 1\nbegin 2 2 1\nend 2 undone\n"
		     "begin 3 1 1\n");
	assert_int_equal(journal_reader_open(&kernel.files, directory, &reader), 0);
	assert_int_equal(journal_reader_next(reader, &line), 1);
	assert_int_equal(
		json_unpack(line.members, "{s:s, s:s}", "boot-id", &boot, "online", &online), 0);
	assert_string_equal(boot, "first-boot");
	assert_string_equal(online, "0-23");
	assert_int_equal(journal_reader_next(reader, &line), 1);
	members = line.members;
	list = json_object_get(members, "command");
	assert_string_equal(json_string_value(json_array_get(list, 1)), "state");
	assert_int_equal(json_integer_value(json_object_get(members, "process")), getpid());
	assert_int_equal(json_integer_value(json_object_get(members, "uid")), getuid());
	assert_true(json_is_false(json_object_get(members, "temporary")));
	assert_true(json_is_null(json_object_get(members, "login-uid")));
}

static void test_end_members(void **state)
{
	const struct journal_outcome end = {
		.outcome = JOURNAL_MIXED,
		.left = "[{\"for\":\"cpu 1\",\"setting\":\"core-power.assoc\"}]",
		.read = "[]",
		.recovered = true,
	};
	_cleanup_journal_ struct journal *journal = NULL;
	_cleanup_free_ char *text = NULL;
	char wanted[160];
	size_t length;

	(void)state;
	assert_int_equal(open_journal(&journal), 0);
	assert_int_equal(journal_begin(journal, &kernel.files, &ours, one_change), 0);
	assert_int_equal(journal_end(journal, &end), 0);
	snprintf(wanted, sizeof(wanted),
		 "{\"line\":\"end\",\"id\":1,\"outcome\":\"mixed\",\"left\":%s,\"read\":[],"
		 "\"by\":%ld}\n",
		 end.left, (long)getpid());
	read_journal(&text, &length);
	assert_string_equal(strstr(text, "{\"line\":\"end\""), wanted);
}

/* The journal is cut at each byte: readers ignore the torn line, and the next writer removes it. */
static void test_torn(void **state)
{
	static const char *const whole[] = {
		"error -2\n",
		"journal\n",
		"journal\nbegin 1 1 1\n",
		"journal\nbegin 1 1 1\nend 1 done\n",
	};
	_cleanup_free_ char *text = NULL;
	size_t length, n_lines = 0;

	(void)state;
	transact(1, JOURNAL_DONE);
	read_journal(&text, &length);
	for (size_t cut = 0; cut <= length; cut++) {
		char expected[160];

		n_lines += cut > 0 && text[cut - 1] == '\n';
		assert_int_equal(fileio_replace(path, 0644, text, cut), 0);
		assert_lines(whole[n_lines]);
		transact(1, JOURNAL_DONE);
		snprintf(expected, sizeof(expected), "%sbegin %d 1 1\nend %d done\n",
			 n_lines ? whole[n_lines] : "journal\n", n_lines < 2 ? 1 : 2,
			 n_lines < 2 ? 1 : 2);
		assert_lines(expected);
	}
}

/* A last line that is whole, but damaged, counts as torn. */
static void test_damaged_last(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	char *at;

	(void)state;
	transact(1, JOURNAL_DONE);
	transact(1, NULL);
	read_journal(&text, &length);
	at = strstr(text, "\"id\":2");
	assert_non_null(at);
	memcpy(at, "\"id\":3\"", 8);
	assert_int_equal(fileio_replace(path, 0644, text, length), 0);
	assert_lines("journal\nbegin 1 1 1\nend 1 done\n");
	transact(1, JOURNAL_UNDONE);
	assert_lines("journal\nbegin 1 1 1\nend 1 done\nbegin 2 1 1\nend 2 undone\n");
}

/* An outcome before its transaction, whose identifier is used once more: the transaction begins at
 * its own line, not at the first line of the file, which may have no time. */
static void test_order(void **state)
{
	static const char outcome[] = "{\"line\":\"end\",\"id\":1,\"outcome\":\"done\"}\n";
	_cleanup_journal_last_ struct journal_last last = { 0 };
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_free_ char *text = NULL;
	char *begin, *time;
	size_t length;

	(void)state;
	transact(1, NULL);
	read_journal(&text, &length);
	begin = strchr(text, '\n') + 1;
	time = strstr(text, "\"time\"");
	assert_true(time && time < begin);
	memcpy(time, "\"tame\"", strlen("\"time\""));
	buffer_append(&lines, text, (size_t)(begin - text));
	buffer_append(&lines, outcome, strlen(outcome));
	buffer_append(&lines, begin, length - (size_t)(begin - text));
	assert_int_equal(fileio_replace(path, 0644, lines.data, lines.length), 0);
	assert_int_equal(journal_read_last(&kernel.files, directory, &last), 0);
	assert_true(last.is_found && !last.has_ended);
	assert_string_equal(last.command, "isst state");
	assert_non_null(last.time);
}

/* A line other than the last is damaged: the journal is refused, and stays as it is. */
static void test_damaged(void **state)
{
	static const struct {
		const char *what, *old, *new;
		bool is_seen_by_writer;
	} rows[] = {
		{ "format", "speed-select-journal", "speed-select-jOurnal", true },
		{ "version", "\"version\":1", "\"version\":2", true },
		{ "kind", "\"line\":\"begin\"", "\"line\":\"began\"", true },
		{ "identifier", "\"id\":1,\"stage\"", "\"id\":x,\"stage\"", true },
		{ "control byte", "\"stage\":1", "\"stage\":\t", true },
		{ "end of line", "\"now\":3}]}\n", "\"now\":3}]]\n", true },
		{ "member", "\"uptime-s\"", "\"uptime-x\"", false },
		{ "change", "\"setting\"", "\"sitting\"", false },
		{ "value", "\"was\":0", "\"was\":+", false },
	};
	_cleanup_free_ char *text = NULL;
	size_t length;

	(void)state;
	transact(1, JOURNAL_DONE);
	read_journal(&text, &length);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_journal_reader_ struct journal_reader *reader = NULL;
		_cleanup_journal_ struct journal *journal = NULL;
		_cleanup_free_ char *damaged = strdup(text);
		char *at = strstr(damaged, rows[i].old);
		struct journal_line line;
		json_t *change;
		int err;

		assert_non_null(at);
		memcpy(at, rows[i].new, strlen(rows[i].new));
		assert_int_equal(fileio_replace(path, 0644, damaged, length), 0);
		err = journal_reader_open(&kernel.files, directory, &reader);
		while (!err && (err = journal_reader_next(reader, &line)) > 0) {
			err = 0;
			while (line.kind == JOURNAL_BEGIN &&
			       (err = journal_line_next(&line, &change)) > 0)
				json_decref(change);
		}
		if (err != -EBADMSG)
			fail_msg("damaged %s: reading gives %d", rows[i].what, err);
		err = open_journal(&journal);
		if (err != (rows[i].is_seen_by_writer ? -EBADMSG : 0))
			fail_msg("damaged %s: opening gives %d", rows[i].what, err);
		temporary_assert_text(path, damaged);
	}
}

static void test_other_boot(void **state)
{
	(void)state;
	transact(3, JOURNAL_DONE);
	fake_files_set(&kernel, "second-boot\n", BOOT);
	assert_lines("error -116\n");
	transact(1, JOURNAL_DONE);
	assert_lines("journal\nbegin 1 1 1\nend 1 done\n");
}

static void assert_refused(int err)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	_cleanup_journal_ struct journal *journal = NULL;

	assert_int_equal(open_journal(&journal), err);
	assert_int_equal(journal_reader_open(&kernel.files, directory, &reader), err);
}

static void test_hostile_files(void **state)
{
	_cleanup_free_ char *other = temporary_path(directory, "other");

	(void)state;
	transact(1, JOURNAL_DONE);
	assert_int_equal(chmod(path, 0664), 0);
	assert_refused(-EPERM);
	assert_int_equal(chmod(path, 0646), 0);
	assert_refused(-EPERM);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(link(path, other), 0);
	assert_refused(-EPERM);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_refused(-ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_refused(-EINVAL);
	assert_int_equal(unlink(path), 0);
	if (geteuid() == 0) {
		assert_int_equal(rename(other, path), 0);
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_refused(-EPERM);
	}
}

static void limit_size(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The disk is full at each byte of a begin line: it is cut off again, and nothing may be written.
 * Once it was written, there is room for the end line. */
static void test_full_disk(void **state)
{
	_cleanup_free_ char *before = NULL;
	size_t length, full = 1;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	transact(1, JOURNAL_DONE);
	read_journal(&before, &length);
	for (size_t room = 0; full; room += 7) {
		const struct journal_outcome end = { .outcome = JOURNAL_DONE };
		_cleanup_journal_ struct journal *journal = NULL;
		int err;

		assert_int_equal(fileio_replace(path, 0644, before, length), 0);
		assert_int_equal(open_journal(&journal), 0);
		limit_size(length + room);
		err = journal_begin(journal, &kernel.files, &ours, one_change);
		if (err)
			temporary_assert_text(path, before);
		else
			err = journal_end(journal, &end);
		full = err != 0;
		limit_size(RLIM_INFINITY);
		assert_true(!err || err == -EFBIG || err == -ENOSPC);
	}
	assert_lines("journal\nbegin 1 1 1\nend 1 done\nbegin 2 1 1\nend 2 done\n");
}

/* Compaction. The oracle has one entry for each CPU and setting. */
enum { N_SETTINGS = 3, N_TRANSACTIONS = 400 };

struct cell {
	bool is_changed;
	int was, now;
};

static struct cell cells[N_SETTINGS][N_CPUS];
static const char *const names[N_SETTINGS] = { "cpufreq.epb", "core-power.assoc", "online" };

static unsigned int roll(unsigned int sides)
{
	static uint32_t seed = 33;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % sides;
}

/* A change of a range of CPUs to one value, an entry for each run of equal old values. */
static void append_random(struct buffer *changes, int values[N_SETTINGS][N_CPUS],
			  unsigned int padding)
{
	unsigned int setting = roll(N_SETTINGS), first = roll(N_CPUS);
	unsigned int last = first + roll(N_CPUS - first);
	int now = (int)roll(16);

	buffer_append_char(changes, '[');
	for (unsigned int cpu = first, end; cpu <= last; cpu = end + 1) {
		_cleanup_free_ char *text = NULL;

		for (end = cpu; end < last && values[setting][end + 1] == values[setting][cpu];)
			end++;
		text = text_format("%s{\"for\":\"cpu %u-%u\",\"setting\":\"%s\",\"was\":%d,"
				   "\"now\":%*d}",
				   cpu > first ? "," : "", cpu, end, names[setting],
				   values[setting][cpu], (int)padding, now);
		buffer_append_string(changes, text);
	}
	buffer_append_char(changes, ']');
	for (unsigned int cpu = first; cpu <= last; cpu++)
		values[setting][cpu] = now;
}

/* What the journal says of each CPU and setting, by its done transactions in order. */
static void read_cells(uint64_t *ret_first, uint64_t *ret_last, size_t *ret_count)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	struct journal_line line;

	memset(cells, 0, sizeof(cells));
	*ret_count = 0;
	assert_int_equal(journal_reader_open(&kernel.files, directory, &reader), 0);
	while (journal_reader_next(reader, &line) > 0) {
		json_t *change;

		*ret_count += line.kind == JOURNAL_END;
		if (line.kind == JOURNAL_BEGIN && *ret_count == 0)
			*ret_first = line.id;
		*ret_last = line.id;
		while (line.kind == JOURNAL_BEGIN && journal_line_next(&line, &change) > 0) {
			_cleanup_cpuset_ struct cpuset cpus = { 0 };
			const char *place, *name;
			unsigned int setting = 0;
			int was, now;

			assert_int_equal(json_unpack(change, "{s:s, s:s, s:i, s:i}", "for", &place,
						     "setting", &name, "was", &was, "now", &now),
					 0);
			while (strcmp(names[setting], name) != 0)
				setting++;
			assert_int_equal(cpulist_parse(place + 4, &cpus), 0);
			cpuset_foreach (cpu, &cpus) {
				struct cell *cell = &cells[setting][cpu];

				if (cell->is_changed)
					assert_int_equal(cell->now, was);
				else
					cell->was = was;
				cell->is_changed = true;
				cell->now = now;
			}
			json_decref(change);
		}
	}
}

static void test_compaction(void **state)
{
	static int values[N_SETTINGS][N_CPUS];
	bool is_touched[N_SETTINGS][N_CPUS] = { { false } };
	uint64_t first = 0, last = 0;
	size_t count = 0;
	struct stat about;

	(void)state;
	memset(values, 0, sizeof(values));
	for (int i = 1; i <= N_TRANSACTIONS; i++) {
		const struct journal_outcome end = { .outcome = JOURNAL_DONE };
		_cleanup_journal_ struct journal *journal = NULL;
		_cleanup_buffer_ struct buffer changes = { 0 };
		int before[N_SETTINGS][N_CPUS];

		memcpy(before, values, sizeof(values));
		append_random(&changes, values, 3000);
		for (int setting = 0; setting < N_SETTINGS; setting++) {
			for (int cpu = 0; cpu < N_CPUS; cpu++)
				is_touched[setting][cpu] =
					is_touched[setting][cpu] ||
					before[setting][cpu] != values[setting][cpu];
		}
		assert_int_equal(open_journal(&journal), 0);
		assert_int_equal(journal_begin(journal, &kernel.files, &ours, changes.data), 0);
		assert_int_equal(journal_last_id(journal), i);
		assert_int_equal(journal_end(journal, &end), 0);
		assert_int_equal(stat(path, &about), 0);
		/* one more transaction may pass the limit before the next writer compacts */
		assert_true(about.st_size < (1 << 20) + (256 << 10));
	}
	read_cells(&first, &last, &count);
	assert_int_equal(first, 0);
	assert_int_equal(last, N_TRANSACTIONS);
	assert_true(count < N_TRANSACTIONS);
	for (int setting = 0; setting < N_SETTINGS; setting++) {
		for (int cpu = 0; cpu < N_CPUS; cpu++) {
			const struct cell *cell = &cells[setting][cpu];

			if (!cell->is_changed) {
				assert_false(is_touched[setting][cpu]);
				continue;
			}
			assert_int_equal(cell->was, 0);
			assert_int_equal(cell->now, values[setting][cpu]);
		}
	}
	assert_int_equal(temporary_mode(path), 0644);
}

/* Adds so many transactions of 20 kB, so that the journal is compacted sooner; without an outcome
 * they are not ended. */
static void fill(const char *outcome, unsigned int count)
{
	_cleanup_buffer_ struct buffer changes = { 0 };
	const struct journal_outcome end = { .outcome = outcome };

	buffer_append_string(&changes, "[{\"for\":\"machine\",\"setting\":\"cpufreq.turbo\","
				       "\"was\":true,\"now\":");
	for (int i = 0; i < 20000; i++)
		buffer_append_char(&changes, ' ');
	buffer_append_string(&changes, "true}]");
	for (unsigned int i = 0; i < count; i++) {
		_cleanup_journal_ struct journal *journal = NULL;

		assert_int_equal(open_journal(&journal), 0);
		assert_int_equal(journal_begin(journal, &kernel.files, &ours, changes.data), 0);
		if (outcome)
			assert_int_equal(journal_end(journal, &end), 0);
	}
}

/* What counts of dropped transactions: nothing of undone and temporary ones, and of mixed ones what
 * was left. The last done one stays. */
static void test_compaction_of_outcomes(void **state)
{
	static const char mixed[] =
		"[{\"for\":\"cpu 0-3\",\"setting\":\"core-power.assoc\",\"was\":0,\"now\":2},"
		"{\"for\":\"machine\",\"setting\":\"cpufreq.turbo\",\"was\":true,\"now\":false},"
		"{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\",\"was\":\"0x1f\",\"now\":"
		"\"0x2f\"}]";
	const struct journal_outcome ends[] = {
		{ .outcome = JOURNAL_MIXED,
		  .left = "[{\"for\":\"cpu 1-2\",\"setting\":\"core-power.assoc\"},"
			  "{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\"}]",
		  .read = "[{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\",\"read\":"
			  "\"0x20\"}]" },
		{ .outcome = JOURNAL_UNDONE },
		{ .outcome = JOURNAL_DONE },
		{ .outcome = JOURNAL_DONE },
	};
	const struct journal_transaction kinds[] = {
		ours, ours, { .argc = 2, .argv = command, .temporary = true }, ours
	};
	const char *changes[] = { mixed, one_change, one_change, one_change };
	_cleanup_free_ char *text = NULL;
	size_t length;

	(void)state;
	for (int i = 0; i < 4; i++) {
		_cleanup_journal_ struct journal *journal = NULL;

		assert_int_equal(open_journal(&journal), 0);
		assert_int_equal(journal_begin(journal, &kernel.files, &kinds[i], changes[i]), 0);
		assert_int_equal(journal_end(journal, &ends[i]), 0);
	}
	fill(JOURNAL_UNDONE, 60);
	read_journal(&text, &length);
	assert_non_null(strstr(
		text,
		"\"changes\":[{\"for\":\"cpu 1-2\",\"setting\":\"core-power.assoc\",\"was\":0,"
		"\"now\":2},{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\",\"was\":\"0x1f\","
		"\"now\":\"0x2f\"}]}\n{\"line\":\"end\",\"id\":0,\"outcome\":\"done\",\"read\":"
		"[{\"for\":\"package-0\",\"setting\":\"turbo-mode.trl\",\"read\":\"0x20\"}]}\n"
		"{\"line\":\"begin\",\"id\":4,"));
}

/* A journal whose last transaction has not ended is not compacted: it is undone first. */
static void test_unfinished_is_kept(void **state)
{
	struct stat about;

	(void)state;
	fill(JOURNAL_DONE, 51);
	fill(NULL, 1);
	assert_int_equal(stat(path, &about), 0);
	assert_true(about.st_size > 1 << 20);
	transact(1, JOURNAL_DONE);
	assert_int_equal(stat(path, &about), 0);
	assert_true(about.st_size > 1 << 20);
	transact(1, JOURNAL_DONE);
	assert_int_equal(stat(path, &about), 0);
	assert_true(about.st_size < (512 << 10) + 4096);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_lines),
		TEST(test_end_members),
		TEST(test_torn),
		TEST(test_order),
		TEST(test_damaged),
		TEST(test_damaged_last),
		TEST(test_other_boot),
		TEST(test_hostile_files),
		TEST(test_full_disk),
		TEST(test_compaction),
		TEST(test_compaction_of_outcomes),
		TEST(test_unfinished_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

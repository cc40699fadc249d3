// SPDX-License-Identifier: GPL-2.0-only
/* Platforms by name and by path. Which build tree is trusted depends on where the program is, so
 * this program copies itself into a tree of its own and asks the copy. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "platform_texts.h"
#include "simulator/catalog.h"

#define ASK_BUILD_TREE "--build-tree"

/* Two directories of platform files. */
struct fixture {
	char *root;
	char *first;
	char *second;
	const char *directories[3];
};

static char *join(const char *directory, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", directory, name) >= 0);
	return path;
}

static char *make_directory(const char *parent, const char *name)
{
	char *path = join(parent, name);

	assert_int_equal(mkdir(path, 0755), 0);
	return path;
}

static void write_file(const char *directory, const char *name, const char *text)
{
	_cleanup_free_ char *path = join(directory, name);

	assert_int_equal(fileio_replace(path, 0755, text, strlen(text)), 0);
}

/* Writes the guide's platform under another description; recorded: what is recorded, or NULL: it
 * has estimates. */
static void write_platform(const char *directory, const char *name, const char *description,
			   json_t *recorded)
{
	json_t *json = platform_texts_load("guide");
	char *text;

	json_object_set_new(json, "description", json_string(description));
	json_object_del(json, "estimates");
	if (recorded)
		json_object_set_new(json, "recorded", recorded);
	else
		json_object_set_new(json, "estimates", json_string("level 1"));
	text = platform_texts_dump(json);
	write_file(directory, name, text);
	free(text);
	json_decref(json);
}

static char *make_root(void)
{
	const char *parent = getenv("TMPDIR");
	char *root = join(parent ?: ".", "test-catalog-XXXXXX"), *resolved;

	assert_non_null(mkdtemp(root));
	resolved = realpath(root, NULL);
	assert_non_null(resolved);
	free(root);
	return resolved;
}

static void remove_tree(const char *root)
{
	_cleanup_free_ char *command = NULL;

	assert_true(asprintf(&command, "rm -rf '%s'", root) >= 0);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->root = make_root();
	fixture->first = make_directory(fixture->root, "first");
	fixture->second = make_directory(fixture->root, "second");
	fixture->directories[0] = fixture->first;
	fixture->directories[1] = fixture->second;
	write_platform(fixture->first, "mine.json", "Mine", NULL);
	write_platform(fixture->first, "real.json", "Real",
		       json_pack("{s:b, s:[], s:{}}", "capability", 1, "requests", "files"));
	write_platform(fixture->first, "guide.json", "Not the guide", NULL);
	write_platform(fixture->first, ".hidden.json", "Hidden", NULL);
	write_platform(fixture->first, "notes.txt", "Notes", NULL);
	write_platform(fixture->second, "mine.json", "Not mine", NULL);
	write_platform(fixture->second, "another.json", "Another", NULL);
	write_file(fixture->second, "broken.json", "{\n\"schema\": 2}");
	free(make_directory(fixture->second, "directory.json"));
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	remove_tree(fixture->root);
	free(fixture->root);
	free(fixture->first);
	free(fixture->second);
	free(fixture);
	return 0;
}

static void check_choice(const struct host_choice *choice, const char *name,
			 const char *description)
{
	assert_string_equal(choice->name, name);
	if (strncmp(choice->description, description, strlen(description)) != 0)
		fail_msg("%s: %s", name, choice->description);
}

static void test_list(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	_cleanup_free_ char *broken = join(fixture->second, "broken.json"), *problem = NULL;

	assert_true(asprintf(&problem, "cannot be read: %s: schema: must be 1", broken) >= 0);
	assert_int_equal(catalog_list(fixture->directories, false, &platforms), 0);
	assert_int_equal(platforms.count, 6);
	check_choice(&platforms.list[0], "another", "Another");
	check_choice(&platforms.list[1], "broken", problem);
	check_choice(&platforms.list[2], "directory", "cannot be read: ");
	assert_non_null(strstr(platforms.list[2].description, "Is a directory"));
	check_choice(&platforms.list[3], "guide", "The two-socket, 28-core machine");
	assert_string_equal(platforms.list[4].description, "Mine; estimates: level 1");
	assert_string_equal(platforms.list[5].description, "Real (recorded)");
}

/* Descriptions as they are in the files, which are not checked. */
static void test_list_briefly(void **state)
{
	static const char *const odd[] = {
		"{\"description\": \"\"}",
		"{\"description\": \"a\\u001b\"}",
		"{\"description\"",
		"{\"description\": \"open",
		"{\"description\": \"two\nlines\"}",
		"{\"description\": \"a\033[2J\"}",
		"{\"description\": 3}",
	};
	const struct fixture *fixture = *state;
	_cleanup_host_choices_ struct host_choices platforms = { 0 };
	_cleanup_free_ char *path = NULL;

	assert_int_equal(catalog_list(fixture->directories, true, &platforms), 0);
	assert_int_equal(platforms.count, 6);
	check_choice(&platforms.list[0], "another", "Another");
	assert_null(platforms.list[1].description);
	assert_null(platforms.list[2].description);
	check_choice(&platforms.list[3], "guide", "The two-socket, 28-core machine");
	check_choice(&platforms.list[4], "mine", "Mine");
	assert_string_equal(platforms.list[4].description, "Mine");
	check_choice(&platforms.list[5], "real", "Real (recorded)");
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		_cleanup_host_choices_ struct host_choices again = { 0 };

		write_file(fixture->second, "aa.json", odd[i]);
		assert_int_equal(catalog_list(fixture->directories, true, &again), 0);
		assert_string_equal(again.list[0].name, "aa");
		assert_null(again.list[0].description);
	}
	path = join(fixture->second, "aa.json");
	assert_int_equal(unlink(path), 0);
}

/* Without any directory, and with one that is missing, the guide is still there. */
static void test_list_without_directories(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *missing = join(fixture->root, "missing");
	const char *const nowhere[] = { NULL }, *const not_there[] = { missing, NULL };
	const char *const *const lists[] = { nowhere, not_there };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_host_choices_ struct host_choices platforms = { 0 };

		assert_int_equal(catalog_list(lists[i], i, &platforms), 0);
		assert_int_equal(platforms.count, 1);
		assert_string_equal(platforms.list[0].name, "guide");
	}
}

/* Finds an existing platform, and checks its description and its name in messages. */
static void check_found(const struct fixture *fixture, const char *name, const char *description,
			const char *file_name)
{
	_cleanup_free_ char *found = NULL, *text = NULL, *message = NULL;
	struct sim_platform *platform;
	size_t length;

	assert_int_equal(
		catalog_find_in(fixture->directories, name, &found, &text, &length, &message), 0);
	assert_null(message);
	assert_string_equal(found, file_name);
	assert_int_equal(strlen(text), length);
	platform = platform_texts_parse(text);
	assert_memory_equal(platform->description, description, strlen(description));
	platform_file_free(platform);
}

static void test_find(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *first = join(fixture->first, "mine.json");
	_cleanup_free_ char *second = join(fixture->second, "mine.json");
	_cleanup_free_ char *another = join(fixture->second, "another.json");
	_cleanup_free_ char *notes = join(fixture->first, "notes.txt");

	check_found(fixture, "guide", "The two-socket", "guide.json");
	check_found(fixture, "mine", "Mine", first);
	check_found(fixture, "another", "Another", another);
	check_found(fixture, second, "Not mine", second);
	check_found(fixture, notes, "Notes", notes);
}

static void check_not_found(const struct fixture *fixture, const char *name, int err,
			    const char *words)
{
	_cleanup_free_ char *message = NULL;
	char *found = NULL, *text = NULL;
	size_t length = 42;

	assert_int_equal(
		catalog_find_in(fixture->directories, name, &found, &text, &length, &message), err);
	assert_null(found);
	assert_null(text);
	assert_int_equal(length, 42);
	assert_non_null(message);
	assert_non_null(strstr(message, name));
	if (!strstr(message, words))
		fail_msg("%s: %s", name, message);
}

static void test_find_in_working_directory(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_close_ int here = open(".", O_RDONLY | O_DIRECTORY);

	assert_true(here >= 0);
	assert_int_equal(chdir(fixture->second), 0);
	{
		_cleanup_free_ char *found = NULL, *text = NULL, *message = NULL;
		size_t length;

		assert_int_equal(catalog_find_in(fixture->directories, "mine.json", &found, &text,
						 &length, &message),
				 0);
		assert_non_null(strstr(text, "Not mine"));
		assert_int_equal(rename("mine.json", "plain"), 0);
		check_not_found(fixture, "plain", -ENOENT, "; the file is ./plain");
		assert_int_equal(rename("plain", "mine.json"), 0);
	}
	assert_int_equal(fchdir(here), 0);
}

static void test_not_found(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *missing = join(fixture->first, "missing");

	check_not_found(fixture, "nobody", -ENOENT, "no platform has this name");
	check_not_found(fixture, "", -ENOENT, "no platform has this name");
	check_not_found(fixture, "nobody.json", -ENOENT, "No such file");
	check_not_found(fixture, missing, -ENOENT, "No such file");
	check_not_found(fixture, fixture->first, -EISDIR, "Is a directory");
	check_not_found(fixture, "directory", -EISDIR, "Is a directory");
}

/* Nobody writes into it: opening it must not wait. */
static void test_fifo(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *path = join(fixture->first, "fifo.json");

	assert_int_equal(mkfifo(path, 0600), 0);
	check_not_found(fixture, path, -EINVAL, "is not a regular file");
	assert_int_equal(unlink(path), 0);
}

static void test_too_large(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *path = join(fixture->first, "large.json");

	write_file(fixture->first, "large.json", "");
	assert_int_equal(truncate(path, (16 << 20) + 1), 0);
	check_not_found(fixture, "large", -EFBIG, "too large");
	assert_int_equal(unlink(path), 0);
}

static void test_embedded_guide(void **state)
{
	_cleanup_free_ char *text = platform_texts_read("guide");

	(void)state;
	assert_int_equal(catalog_guide_length, strlen(text));
	assert_memory_equal(catalog_guide_text, text, catalog_guide_length);
}

static void copy_file(const char *from, const char *to)
{
	_cleanup_free_ char *text = NULL;
	size_t length;

	assert_int_equal(fileio_read(from, 0, &text, &length), 0);
	assert_int_equal(fileio_replace(to, 0755, text, length), 0);
}

/* Runs a copy of this program. Returns whether it would also search that directory. */
static bool copy_searches(const char *program, const char *directory)
{
	_cleanup_free_ char *command = NULL, *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *output;

	assert_true(asprintf(&command, "'%s' " ASK_BUILD_TREE, program) >= 0);
	output = popen(command, "r");
	assert_non_null(output);
	while (getline(&line, &size, output) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found |= strcmp(line, directory) == 0;
	}
	assert_int_equal(pclose(output), 0);
	return found;
}

static void test_build_tree(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_free_ char *build = make_directory(fixture->root, "build");
	_cleanup_free_ char *src = make_directory(build, "src");
	_cleanup_free_ char *program = join(src, "program");
	_cleanup_free_ char *platforms = join(build, "platforms");

	copy_file("/proc/self/exe", program);
	assert_false(copy_searches(program, platforms));
	write_file(build, "platforms", "no directory");
	assert_false(copy_searches(program, platforms));
	assert_int_equal(unlink(platforms), 0);
	free(make_directory(build, "platforms"));
	assert_true(copy_searches(program, platforms));
	assert_int_equal(chmod(platforms, 0777), 0);
	assert_false(copy_searches(program, platforms));
	assert_int_equal(chmod(platforms, 0755), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(platforms, 65534, 65534), 0);
		assert_false(copy_searches(program, platforms));
	}
}

static int print_build_tree(void)
{
	_cleanup_free_ char *build_tree = fileio_find_near_program(CATALOG_BUILD_TREE);

	puts(build_tree ?: "none");
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_briefly),
		cmocka_unit_test(test_list_without_directories),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_working_directory),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_embedded_guide),
		cmocka_unit_test(test_build_tree),
	};

	if (argc > 1 && strcmp(argv[1], ASK_BUILD_TREE) == 0)
		return print_build_tree();
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

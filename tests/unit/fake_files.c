// SPDX-License-Identifier: GPL-2.0-only
/* Files in memory, sorted by path when they are looked for: a machine may have tens of
 * thousands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"

static int compare_paths(const void *left, const void *right)
{
	return strcmp(((const struct fake_file *)left)->path,
		      ((const struct fake_file *)right)->path);
}

static struct fake_file *find(struct fake_files *fake, const char *path)
{
	struct fake_file wanted = { .path = (char *)(uintptr_t)path };

	if (!fake->n_entries)
		return NULL;
	if (!fake->sorted)
		qsort(fake->entries, fake->n_entries, sizeof(wanted), compare_paths);
	fake->sorted = true;
	return bsearch(&wanted, fake->entries, fake->n_entries, sizeof(wanted), compare_paths);
}

static void free_entry(struct fake_file *entry)
{
	free(entry->path);
	free(entry->text);
	free(entry->vanishing);
	free(entry->next_text);
}

/* Adds a file without looking whether there is one. */
static struct fake_file *append(struct fake_files *fake, const char *path)
{
	if (fake->n_entries == fake->size) {
		fake->size = fake->size ? fake->size * 2 : 64;
		fake->entries = realloc(fake->entries, fake->size * sizeof(*fake->entries));
		assert_non_null(fake->entries);
	}
	fake->sorted = false;
	fake->entries[fake->n_entries] = (struct fake_file){ .path = strdup(path) };
	return &fake->entries[fake->n_entries++];
}

void fake_files_set(struct fake_files *fake, const char *text, const char *path, ...)
{
	_cleanup_free_ char *whole = NULL;
	struct fake_file *entry;
	va_list args;

	va_start(args, path);
	assert_true(vasprintf(&whole, path, args) > 0);
	va_end(args);
	/* While a machine is built, nothing is looked for, and nothing sorted. */
	entry = fake->sorted ? find(fake, whole) : NULL;
	if (!entry)
		entry = append(fake, whole);
	free(entry->text);
	entry->text = strdup(text);
	entry->err = 0;
	assert_non_null(entry->text);
}

void fake_files_fail(struct fake_files *fake, const char *path, int err)
{
	struct fake_file *entry = find(fake, path) ?: append(fake, path);

	entry->err = err;
}

void fake_files_remove(struct fake_files *fake, const char *beginning)
{
	size_t kept = 0;

	for (size_t i = 0; i < fake->n_entries; i++) {
		if (strncmp(fake->entries[i].path, beginning, strlen(beginning)) == 0)
			free_entry(&fake->entries[i]);
		else
			fake->entries[kept++] = fake->entries[i];
	}
	fake->n_entries = kept;
}

void fake_files_remove_after(struct fake_files *fake, const char *path, const char *beginning)
{
	struct fake_file *entry = find(fake, path);

	assert_non_null(entry);
	free(entry->vanishing);
	entry->vanishing = strdup(beginning);
}

const char *fake_files_text(struct fake_files *fake, const char *path)
{
	struct fake_file *entry = find(fake, path);

	return entry ? entry->text : NULL;
}

void fake_files_set_next(struct fake_files *fake, const char *path, const char *text)
{
	struct fake_file *entry = find(fake, path);

	assert_non_null(entry);
	free(entry->next_text);
	entry->next_text = strdup(text);
	assert_non_null(entry->next_text);
}

static int fake_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct fake_files *fake = (struct fake_files *)files;
	struct fake_file *entry = find(fake, path);
	_cleanup_free_ char *vanishing = NULL;

	fake->n_reads++;
	fake->last_limit = limit;
	if (!entry || entry->err)
		return entry ? entry->err : -ENOENT;
	*ret_text = limit ? strndup(entry->text, limit) : strdup(entry->text);
	assert_non_null(*ret_text);
	*ret_length = strlen(*ret_text);
	if (entry->next_text) {
		free(entry->text);
		entry->text = steal(entry->next_text);
	}
	vanishing = steal(entry->vanishing);
	if (vanishing)
		fake_files_remove(fake, vanishing);
	return 0;
}

static int fake_write(struct files *files, const char *path, const char *text)
{
	struct fake_files *fake = (struct fake_files *)files;
	struct fake_file *entry = find(fake, path);

	if (!entry || entry->err)
		return entry ? entry->err : -ENOENT;
	fake_files_set(fake, text, "%s", path);
	return 0;
}

/* The name below a directory that an entry's path goes through, or NULL. */
static char *name_below(const struct fake_file *entry, const char *directory)
{
	size_t length = strlen(directory);

	if (strncmp(entry->path, directory, length) != 0 || entry->path[length] != '/')
		return NULL;
	return strndup(entry->path + length + 1, strcspn(entry->path + length + 1, "/"));
}

static int fake_list(struct files *files, const char *path, char ***ret_names)
{
	struct fake_files *fake = (struct fake_files *)(void *)files;
	char **names = calloc(fake->n_entries + 1, sizeof(*names));
	size_t count = 0;

	assert_non_null(names);
	find(fake, path); /* sorts them */
	for (size_t i = 0; i < fake->n_entries; i++) {
		char *name = name_below(&fake->entries[i], path);

		if (name && (count == 0 || strcmp(names[count - 1], name) != 0))
			names[count++] = name;
		else
			free(name);
	}
	if (count == 0) {
		free(names);
		return -ENOENT;
	}
	*ret_names = names;
	return 0;
}

static int fake_change_directory(struct files *files, const char *path, bool makes)
{
	(void)files;
	(void)makes;
	(void)path;
	return -EROFS;
}

void fake_files_init(struct fake_files *fake)
{
	static const struct files_ops ops = {
		.read = fake_read,
		.write = fake_write,
		.list = fake_list,
		.change_directory = fake_change_directory,
	};

	*fake = (struct fake_files){ .files.ops = &ops };
}

void fake_files_done(struct fake_files *fake)
{
	for (size_t i = 0; i < fake->n_entries; i++)
		free_entry(&fake->entries[i]);
	free(fake->entries);
	*fake = (struct fake_files){ 0 };
}

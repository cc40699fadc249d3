// SPDX-License-Identifier: GPL-2.0-only
/* The bank: a request stops at its first failing entry, as the driver does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank.h"
#include "entry.h"

static const struct bank_fault *next_fault(struct bank *bank)
{
	bank->n_writes++;
	for (size_t i = 0; i < BANK_FAULTS; i++) {
		const struct bank_fault *fault = &bank->faults[i];

		if (bank->n_writes >= fault->first && bank->n_writes <= fault->last)
			return fault;
	}
	return NULL;
}

static enum bank_kind kind_of(uint32_t request)
{
	return request == ISST_IF_MBOX_COMMAND ? BANK_MAILBOX
	       : request == ISST_IF_IO_CMD     ? BANK_MMIO
					       : BANK_MSR;
}

static int do_entry(struct bank *bank, uint32_t request, void *argument, size_t index)
{
	struct entry entry = entry_read(request, argument, index);
	uint64_t *word = &bank->state.words[kind_of(request)][entry.cpu];
	bool writes = entry.write || entry.sub_command == BANK_WRITE;
	const struct bank_fault *fault = writes ? next_fault(bank) : NULL;

	assert_true(entry.cpu < BANK_CPUS);
	if (request == ISST_IF_MBOX_COMMAND)
		assert_int_equal(entry.command, BANK_COMMAND);
	if (writes && (!fault || fault->takes_effect))
		*word = entry.data;
	if (!writes)
		entry_answer(request, argument, index,
			     request == ISST_IF_MBOX_COMMAND ? *word << 16 : *word);
	return fault ? fault->error : 0;
}

static int bank_request(struct transport *transport, uint32_t request, void *argument)
{
	struct bank *bank = (struct bank *)transport;
	size_t count = entry_count(request, argument);

	bank->n_requests++;
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		int err = do_entry(bank, request, argument, i);

		if (err && i > 0)
			bank->n_writes--; /* it will be sent again to get its error */
		if (err)
			return i > 0 ? (int)i : err;
	}
	return (int)count;
}

static struct bank_file *find(struct bank *bank, const char *path)
{
	for (size_t i = 0; i < BANK_FILES; i++) {
		if (strcmp(bank->state.files[i].path, path) == 0)
			return &bank->state.files[i];
	}
	return NULL;
}

/* Does this read of the file still show what was before? */
static bool lags(struct bank *bank, const char *path)
{
	if (!*bank->before || strcmp(bank->lag.path, path) != 0 || !bank->lag.reads)
		return false;
	bank->lag.reads--;
	return true;
}

static int bank_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct bank *bank = (struct bank *)((char *)files - offsetof(struct bank, files));
	const struct bank_file *file = find(bank, path);

	(void)limit;
	bank->n_reads++;
	if (!file || file->is_directory)
		return file ? -EISDIR : -ENOENT;
	*ret_text = strdup(lags(bank, path) ? bank->before : file->text);
	assert_non_null(*ret_text);
	*ret_length = strlen(*ret_text);
	return 0;
}

static int bank_write(struct files *files, const char *path, const char *text)
{
	struct bank *bank = (struct bank *)((char *)files - offsetof(struct bank, files));
	const struct bank_fault *fault = next_fault(bank);

	if (!find(bank, path))
		return -ENOENT;
	if (strcmp(bank->lag.path, path) == 0)
		snprintf(bank->before, sizeof(bank->before), "%s", find(bank, path)->text);
	if (!fault || fault->takes_effect)
		bank_set_file(bank, path, text);
	return fault ? fault->error : 0;
}

static int change_directory(struct files *files, const char *path, bool makes)
{
	struct bank *bank = (struct bank *)((char *)files - offsetof(struct bank, files));
	const struct bank_fault *fault = next_fault(bank);
	struct bank_file *file = find(bank, path);

	if (makes == (file != NULL))
		return makes ? -EEXIST : -ENOENT;
	if (!fault || fault->takes_effect) {
		if (makes)
			bank_make_directory(bank, path);
		else
			*file = (struct bank_file){ 0 };
	}
	return fault ? fault->error : 0;
}

void bank_init(struct bank *bank)
{
	static const struct transport_ops transport_ops = { .request = bank_request };
	static const struct files_ops files_ops = {
		.read = bank_read,
		.write = bank_write,
		.change_directory = change_directory,
	};

	*bank = (struct bank){ .transport.ops = &transport_ops, .files.ops = &files_ops };
	for (size_t kind = 0; kind < BANK_KINDS; kind++) {
		for (size_t cpu = 0; cpu < BANK_CPUS; cpu++)
			bank->state.words[kind][cpu] = 0x10 + cpu;
	}
}

/* What goes and comes back takes the first free place, its own again where no other went. */
static struct bank_file *place(struct bank *bank, const char *path)
{
	struct bank_file *file = find(bank, path) ?: find(bank, "");

	assert_non_null(file);
	*file = (struct bank_file){ 0 };
	snprintf(file->path, sizeof(file->path), "%s", path);
	return file;
}

void bank_set_file(struct bank *bank, const char *path, const char *text)
{
	struct bank_file *file = place(bank, path);

	snprintf(file->text, sizeof(file->text), "%s", text);
}

void bank_make_directory(struct bank *bank, const char *path)
{
	place(bank, path)->is_directory = true;
}

const char *bank_text(const struct bank *bank, const char *path)
{
	for (size_t i = 0; i < BANK_FILES; i++) {
		if (strcmp(bank->state.files[i].path, path) == 0)
			return bank->state.files[i].text;
	}
	return NULL;
}

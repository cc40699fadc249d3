// SPDX-License-Identifier: GPL-2.0-only
/* Counts what the program allocates, loaded by LD_PRELOAD: at the end the file that
 * ISST_MEMORY_LOG names gets the most bytes that were allocated at a time. What the stand-in
 * (standin.c) allocates is not the program's and does not count: it says so by memory_pause(). */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the C library, under names that nothing replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void __libc_free(void *pointer);

/* In front of each piece. */
struct head {
	size_t size;
	uint32_t offset; /* from the start of what the C library gave to the piece */
	uint32_t counts;
};

static struct {
	size_t bytes, most;
	unsigned int paused;
} memory;

void memory_pause(int paused)
{
	memory.paused += paused ? 1U : -1U;
}

static struct head *head_of(void *piece)
{
	return (struct head *)piece - 1;
}

static void count(const struct head *head)
{
	if (head->counts)
		memory.bytes += head->size;
	if (memory.bytes > memory.most)
		memory.most = memory.bytes;
}

static void forget(const struct head *head)
{
	if (head->counts)
		memory.bytes -= head->size;
}

static void *take(size_t alignment, size_t size)
{
	size_t offset = alignment > sizeof(struct head) ? alignment : sizeof(struct head);
	char *start, *piece;
	struct head *head;

	if (size > SIZE_MAX - 2 * offset) {
		errno = ENOMEM;
		return NULL;
	}
	start = __libc_malloc(size + 2 * offset);
	if (!start)
		return NULL;
	piece = start + offset;
	piece += (alignment - (uintptr_t)piece % alignment) % alignment;
	head = head_of(piece);
	*head = (struct head){ size, (uint32_t)(piece - start), !memory.paused };
	count(head);
	return piece;
}

void *malloc(size_t size)
{
	return take(sizeof(struct head), size);
}

void *calloc(size_t number, size_t size)
{
	void *piece;

	if (size && number > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	piece = malloc(number * size);
	return piece ? memset(piece, 0, number * size) : NULL;
}

void free(void *piece)
{
	struct head *head;

	if (!piece)
		return;
	head = head_of(piece);
	forget(head);
	__libc_free((char *)piece - head->offset);
}

/* To another place: what was aligned has its head somewhere else. */
static void *move(void *piece, size_t size)
{
	size_t old_size = head_of(piece)->size;
	void *moved = malloc(size);

	if (!moved)
		return NULL;
	memcpy(moved, piece, old_size < size ? old_size : size);
	free(piece);
	return moved;
}

void *realloc(void *piece, size_t size)
{
	struct head *head;
	char *start;

	if (!piece)
		return malloc(size);
	if (head_of(piece)->offset != sizeof(*head))
		return move(piece, size);
	if (size > SIZE_MAX - 2 * sizeof(*head)) {
		errno = ENOMEM;
		return NULL;
	}
	forget(head_of(piece));
	start = __libc_realloc(head_of(piece), size + sizeof(*head));
	head = head_of(start ? start + sizeof(*head) : piece);
	if (start)
		head->size = size;
	count(head);
	return start ? head + 1 : NULL;
}

int posix_memalign(void **ret_piece, size_t alignment, size_t size)
{
	void *piece = take(alignment, size);

	if (!piece)
		return ENOMEM;
	*ret_piece = piece;
	return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return take(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
	return take(alignment, size);
}

size_t malloc_usable_size(void *piece)
{
	return piece ? head_of(piece)->size : 0;
}

static void __attribute__((destructor)) write_log(void)
{
	const char *path = getenv("ISST_MEMORY_LOG");
	size_t most = memory.most;
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	fprintf(file, "%zu\n", most);
	fclose(file);
}

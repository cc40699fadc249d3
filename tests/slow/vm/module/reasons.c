// SPDX-License-Identifier: GPL-2.0-only
/* Why the hardware limits frequencies, as the TPMI feature PLR shows it: a register of each power
 * domain, and a mailbox that is asked for each core (vm-lab.md, "More TPMI registers"). */
#include "reasons.h"

#include <linux/io.h>
#include <linux/types.h>

#include "lab.h"

#define MAX_BLOCKS 64
#define CORES      256

/* Quadwords of a block. */
#define AT_HEADER    0
#define AT_INTERFACE 1
#define AT_DATA      2
#define AT_REASONS   3

#define VERSION       1
#define RUN           (1ULL << 63)
#define IS_WRITE      1ULL
#define CORE_AT       12
#define NO_SUCH_BLOCK (~0ULL)

struct block {
	void __iomem *at;
	int domain; /* index; -1: of a real machine */
	u64 cores[CORES]; /* reasons; they stay until a driver writes others */
};

static struct block blocks[MAX_BLOCKS];
static u32 n_blocks;

static u64 get(const struct block *block, u32 quadword)
{
	return readq(block->at + quadword * 8);
}

static void put(const struct block *block, u32 quadword, u64 value)
{
	writeq(value, block->at + quadword * 8);
}

static void reset_block(struct block *block)
{
	memset(block->cores, 0, sizeof(block->cores));
	put(block, AT_HEADER, VERSION);
	put(block, AT_INTERFACE, 0);
	put(block, AT_DATA, 0);
	put(block, AT_REASONS, 0);
}

int lab_reasons_add(int domain, void __iomem *at)
{
	struct block *block = &blocks[n_blocks];

	if (domain < 0) {
		writeq(NO_SUCH_BLOCK, at);
		return 0;
	}
	if (n_blocks == MAX_BLOCKS)
		return -ENOSPC;
	block->at = at;
	block->domain = domain;
	reset_block(block);
	n_blocks++;
	return 0;
}

int lab_reasons_add_recorded(void __iomem *at)
{
	struct block *block = &blocks[n_blocks];

	if (readq(at) == NO_SUCH_BLOCK)
		return 0;
	if (n_blocks == MAX_BLOCKS)
		return -ENOSPC;
	*block = (struct block){ .at = at, .domain = -1 };
	for (u32 i = 0; i < CORES; i++)
		block->cores[i] = get(block, AT_DATA);
	n_blocks++;
	return 0;
}

void lab_reasons_reset(void)
{
	for (u32 i = 0; i < n_blocks; i++) {
		if (blocks[i].domain >= 0)
			reset_block(&blocks[i]);
	}
}

void lab_reasons_sync(void)
{
	for (u32 i = 0; i < n_blocks; i++) {
		struct block *block = &blocks[i];
		u64 interface = get(block, AT_INTERFACE), *core;

		if (!(interface & RUN))
			continue;
		core = &block->cores[interface >> CORE_AT & (CORES - 1)];
		if (interface & IS_WRITE)
			*core = get(block, AT_DATA);
		else
			put(block, AT_DATA, *core);
		put(block, AT_INTERFACE, interface & ~RUN);
		lab.n_commands++;
	}
}

static struct block *find_block(int domain)
{
	for (u32 i = 0; i < n_blocks && domain >= 0; i++) {
		if (blocks[i].domain == domain)
			return &blocks[i];
	}
	return NULL;
}

static void set_core(u32 cpu, u64 mask)
{
	const struct lab_cpu *lab_cpu = &lab.cpus[cpu];
	struct block *block = find_block((int)lab_cpu->domain);

	if (block)
		block->cores[lab_core_of(cpu)] |= mask;
}

int lab_reasons_order(const char *text)
{
	u32 package, punit, cpu;
	unsigned long flags;
	struct block *block;
	u64 mask;

	if (sscanf(text, "cpu %u %llx", &cpu, &mask) == 2) {
		if (cpu >= lab.blob->n_cpus)
			return -ENODEV;
		spin_lock_irqsave(&lab.lock, flags);
		set_core(cpu, mask);
		spin_unlock_irqrestore(&lab.lock, flags);
		return 0;
	}
	if (sscanf(text, "domain %u %u %llx", &package, &punit, &mask) != 3)
		return -EINVAL;
	block = find_block(lab_find_domain(package, punit));
	if (!block)
		return -ENODEV;
	spin_lock_irqsave(&lab.lock, flags);
	put(block, AT_REASONS, get(block, AT_REASONS) | mask);
	spin_unlock_irqrestore(&lab.lock, flags);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Energy counters and power limits of packages, as the TPMI feature RAPL shows them (vm-lab.md,
 * "More TPMI registers"). Tests order the power; a timer moves the counters. */
#include "power.h"

#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/timer.h>

#include "lab.h"

/* Units of the registers: 1/8 W, 2^-14 J, 2^-10 s. */
#define POWER_UNIT      3
#define ENERGY_UNIT     14
#define TIME_UNIT       10
#define UNITS           (POWER_UNIT | ENERGY_UNIT << 6 | TIME_UNIT << 12)
#define POWER_UNIT_MASK 0xf
#define PER_WATT        (1ULL << POWER_UNIT)

/* A count is so many nJ; as a fraction, because 10^9 / 2^14 is none that ends. */
#define COUNT_NJ      1953125ULL
#define COUNT_NJ_PART 32

/* Quadwords of a block. */
#define AT_UNIT    1
#define AT_LIMIT_1 2
#define AT_LIMIT_2 3
#define AT_LIMIT_4 5
#define AT_ENERGY  7
#define AT_INFO    9
#define AT_DOMAIN  10
#define BLOCK      128 /* bytes */

/* What counters show at first: drivers take one that shows 0 for one that does not exist. */
#define AT_START 1000

#define LIMIT_ON     (1ULL << 62)
#define LIMIT_LOCKED (1ULL << 63)
#define WINDOW_AT    18
#define WINDOW_1S    10
#define INFO_MIN_AT  18
#define INFO_MAX_AT  36
#define IS_ROOT      1
#define MIN_SHARE    2 /* the least limit is half the TDP, the highest twice it */
#define MAX_SHARE    2
#define BURST_TENTHS 12 /* of the TDP: the second limit */

enum { METER_PACKAGE, METER_MEMORY, METER_SYSTEM, METERS };

/* The kinds of domains: types, and the registers that each has. */
static const struct {
	const char *name;
	u8 type;
	u16 registers;
} kinds[METERS] = {
	[METER_PACKAGE] = { "package", 2, 0x03ae },
	[METER_MEMORY] = { "memory", 4, 0x0386 },
	[METER_SYSTEM] = { "system", 1, 0x078e }, /* package 0 alone has it */
};

struct meter {
	void __iomem *block; /* NULL: there is none */
	u32 mw;
	u64 nj;
	ktime_t since; /* nj is of this time */
};

static struct meter meters[LAB_MAX_PACKAGES][METERS];
static struct timer_list timer;

static u32 count_meters(u32 package)
{
	return package == 0 ? METERS : METER_SYSTEM;
}

u32 lab_power_size(u32 package)
{
	return count_meters(package) * BLOCK;
}

/* The TDP of a package at level 0, in units of power. */
static u64 find_tdp(u32 package)
{
	u64 watts = 0;

	for (u32 i = 0; i < lab.blob->n_domains; i++) {
		const struct lab_domain *domain = &lab.domains[i];
		const struct punit_level *level =
			domain->package == package ? punit_find_level(&domain->fuses, 0) : NULL;

		watts = max(watts, level ? (u64)level->tdp_w : 0);
	}
	return watts * PER_WATT;
}

static void put(void __iomem *block, u32 quadword, u64 value)
{
	writeq(value, block + quadword * 8);
}

/* The least energy with which a counter shows this. */
static u64 find_nj(u32 count)
{
	return div_u64(count * COUNT_NJ + COUNT_NJ_PART - 1, COUNT_NJ_PART);
}

static void put_block(u32 package, u32 kind, void __iomem *block)
{
	u64 tdp = find_tdp(package);

	put(block, 0, 1 | (u64)kinds[kind].type << 8 | 1 << 16 | (u64)kinds[kind].registers << 32);
	put(block, AT_UNIT, UNITS);
	put(block, AT_LIMIT_1, tdp | WINDOW_1S << WINDOW_AT | LIMIT_ON);
	put(block, AT_LIMIT_2, tdp * BURST_TENTHS / 10 | LIMIT_ON);
	put(block, AT_LIMIT_4, tdp * MAX_SHARE | LIMIT_ON);
	put(block, AT_ENERGY, AT_START);
	put(block, AT_INFO, tdp | tdp / MIN_SHARE << INFO_MIN_AT | tdp * MAX_SHARE << INFO_MAX_AT);
	put(block, AT_DOMAIN, kind == METER_SYSTEM ? IS_ROOT : 0);
}

void lab_power_add(u32 package, void __iomem *blocks)
{
	for (u32 i = 0; i < count_meters(package); i++) {
		meters[package][i] =
			(struct meter){ .block = blocks + i * BLOCK, .nj = find_nj(AT_START) };
		put_block(package, i, meters[package][i].block);
	}
}

void lab_power_reset(void)
{
	for (u32 i = 0; i < LAB_MAX_PACKAGES; i++) {
		for (u32 j = 0; j < METERS; j++) {
			void __iomem *block = meters[i][j].block;

			meters[i][j] = (struct meter){ .block = block, .nj = find_nj(AT_START) };
			if (block)
				put_block(i, j, block);
		}
	}
}

static void move_meter(struct meter *meter)
{
	ktime_t now = ktime_get();

	meter->nj += div_u64((u64)ktime_to_ns(ktime_sub(now, meter->since)) * meter->mw, 1000);
	meter->since = now;
	if (meter->block)
		put(meter->block, AT_ENERGY, (u32)div64_u64(meter->nj * COUNT_NJ_PART, COUNT_NJ));
}

static void move_all(struct timer_list *unused)
{
	unsigned long flags;

	spin_lock_irqsave(&lab.lock, flags);
	for (u32 i = 0; i < lab.blob->n_packages; i++) {
		for (u32 j = 0; j < METERS; j++)
			move_meter(&meters[i][j]);
	}
	spin_unlock_irqrestore(&lab.lock, flags);
	mod_timer(&timer, jiffies + 1);
}

static struct meter *find_meter(u32 package, const char *name)
{
	for (u32 i = 0; package < LAB_MAX_PACKAGES && i < METERS; i++) {
		if (!strcmp(kinds[i].name, name) && meters[package][i].block)
			return &meters[package][i];
	}
	return NULL;
}

int lab_power_order(const char *text, bool is_count)
{
	struct meter *meter;
	unsigned long flags;
	u32 package, value;
	char name[8];

	if (sscanf(text, "%u %7s %u", &package, name, &value) != 3)
		return -EINVAL;
	meter = find_meter(package, name);
	if (!meter)
		return -ENODEV;
	spin_lock_irqsave(&lab.lock, flags);
	move_meter(meter);
	if (is_count) {
		meter->nj = find_nj(value);
		move_meter(meter);
	} else {
		meter->mw = value;
	}
	spin_unlock_irqrestore(&lab.lock, flags);
	mod_timer(&timer, jiffies + 1);
	return 0;
}

int lab_power_lock(u32 package)
{
	static const u32 limits[] = { AT_LIMIT_1, AT_LIMIT_2, AT_LIMIT_4 };

	if (package >= LAB_MAX_PACKAGES || !meters[package][METER_PACKAGE].block)
		return -ENODEV;
	for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
		void __iomem *at = meters[package][METER_PACKAGE].block + limits[i] * 8;

		writeq(readq(at) | LIMIT_LOCKED, at);
	}
	return 0;
}

void lab_power_unit(u32 bits)
{
	for (u32 i = 0; i < LAB_MAX_PACKAGES; i++) {
		for (u32 j = 0; j < METERS; j++) {
			if (meters[i][j].block)
				put(meters[i][j].block, AT_UNIT,
				    (UNITS & ~POWER_UNIT_MASK) | (bits & POWER_UNIT_MASK));
		}
	}
}

void lab_power_init(void)
{
	timer_setup(&timer, move_all, 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Shows what was measured, on which machines, and the class of each core (measure.md, "report"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "report/parts.h"

#define MOST_CLASSES  26 /* each of them has a letter */
#define LEAST_COLUMNS 10
#define MOST_COLUMNS  16
#define CELL_HEIGHT   30
#define GAP           2
#define HEAD_HEIGHT   22

char *page_summarize(const struct saved_run *run)
{
	const size_t n_cpus = run->wake.n_cpus + run->jitter.n_cpus;
	const char *plural = n_cpus == 1 ? "" : "s";

	switch (run->kind) {
	case SAVED_RUN_RUN:
		return text_format("%zu CPUs for %.1f s", run->run.n_cpus, run->run.seconds.value);
	case SAVED_RUN_LADDER:
		return text_format("%zu steps: %.0f passed, %.0f failed, %.0f not checked",
				   run->ladder.n_steps, run->ladder.passed.value,
				   run->ladder.failed.value, run->ladder.not_checked.value);
	case SAVED_RUN_WAKE:
		return text_format("%zu CPU%s, woken by %s, %s", n_cpus, plural, run->wake.by ?: "",
				   run->wake.forced ? "each idle state forced in turn"
						    : "idle states as the kernel chooses");
	case SAVED_RUN_JITTER:
		return text_format("%zu CPU%s, every %.0f us for %.1f s", n_cpus, plural,
				   run->jitter.interval_us.value, run->jitter.seconds.value);
	default:
		return text_format("%zu runs, half of them with the state document",
				   run->trial.n_samples);
	}
}

/* Puts a text, or why it is missing. */
static void put_known(struct html_table *table, const char *text, const char *reason)
{
	const struct figure missing = figure_make_missing(reason);

	if (text)
		html_put_cell(table, "%s", text);
	else
		html_put_figure(table, &missing, 0);
}

void page_put_runs(struct page *page)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("file", HTML_TEXT),     HTML_COLUMN("command", HTML_TEXT),
		HTML_COLUMN("measured", HTML_WIDE), HTML_COLUMN("processor", HTML_WIDE),
		HTML_COLUMN("kernel", HTML_TEXT),   HTML_COLUMN("program", HTML_TEXT),
	};
	struct html_table table;

	page_open_section(page);
	table = html_begin_table(&page->text, "Measurements", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct saved_run *run = &page->runs[i];
		_cleanup_free_ char *summary = page_summarize(run);

		html_put_cell(&table, "%s", page->labels[i]);
		html_put_cell(&table, "measure %s", saved_run_command(run->kind));
		html_put_cell(&table, "%s", summary ?: "");
		put_known(&table, run->about.processor, NULL);
		put_known(&table, run->about.kernel, run->about.kernel_reason);
		put_known(&table, run->about.program, NULL);
	}
	html_end_table(&table);
}

/* CPUs that Speed Select treats equally. */
struct class
{
	const char *name, *priority;
	struct cpuset cpus;
	size_t n_cores;
};

/* A core, and the lowest of its CPUs. */
struct core {
	const struct described_cpu *cpu;
	size_t class;
};

struct map {
	struct class classes[MOST_CLASSES]; /* the same in all maps of a page */
	size_t n_classes;
	size_t n_columns;
	struct core *cores; /* sorted by package, die and number */
	size_t n_cores;
};

static void map_done(struct map *map)
{
	for (size_t i = 0; i < map->n_classes; i++)
		cpuset_done(&map->classes[i].cpus);
	free(map->cores);
}

static int compare_numbers(double left, double right)
{
	return (left > right) - (left < right);
}

static bool is_same_die(const struct described_cpu *left, const struct described_cpu *right)
{
	return left->package == right->package && left->die == right->die;
}

static int compare_cores(const void *left, const void *right)
{
	const struct described_cpu *a = ((const struct core *)left)->cpu;
	const struct described_cpu *b = ((const struct core *)right)->cpu;

	return compare_numbers(a->package, b->package)
		       ?: compare_numbers(a->die, b->die)
		       ?: compare_numbers(a->power_domain.value, b->power_domain.value)
		       ?: compare_numbers(a->core.value, b->core.value)
		       ?: compare_numbers(a->cpu, b->cpu);
}

/* Finds the class of a CPU. Classes after the last letter share it. */
static size_t find_class(struct map *map, const struct described_cpu *cpu)
{
	const char *name = cpu->class ?: "", *priority = cpu->priority ?: "";
	size_t at = 0;

	while (at < map->n_classes && (strcmp(map->classes[at].name, name) != 0 ||
				       strcmp(map->classes[at].priority, priority) != 0))
		at++;
	if (at == MOST_CLASSES)
		return MOST_CLASSES - 1;
	if (at == map->n_classes)
		map->classes[map->n_classes++] =
			(struct class){ .name = name, .priority = priority };
	return at;
}

static bool is_same_core(const struct described_cpu *left, const struct described_cpu *right)
{
	return figure_is_known(&left->core) && figure_is_known(&right->core) &&
	       left->core.value == right->core.value &&
	       left->power_domain.value == right->power_domain.value && is_same_die(left, right);
}

/* Keeps only the lowest CPU of each core. A CPU without a core number counts as a core. */
static void leave_cores(struct map *map)
{
	size_t n_cores = 0;

	if (map->n_cores)
		qsort(map->cores, map->n_cores, sizeof(*map->cores), compare_cores);
	for (size_t i = 0; i < map->n_cores; i++) {
		if (i > 0 && is_same_core(map->cores[i - 1].cpu, map->cores[i].cpu))
			continue;
		map->classes[map->cores[i].class].n_cores++;
		map->cores[n_cores++] = map->cores[i];
	}
	map->n_cores = n_cores;
}

/* Chooses the number of columns that leaves the fewest empty cells in the last rows of dies. */
static size_t choose_columns(const struct map *map)
{
	size_t best = MOST_COLUMNS, least_empty = SIZE_MAX;

	for (size_t columns = MOST_COLUMNS; columns >= LEAST_COLUMNS; columns--) {
		size_t empty = 0, first = 0;

		for (size_t i = 1; i <= map->n_cores; i++) {
			if (i < map->n_cores &&
			    is_same_die(map->cores[first].cpu, map->cores[i].cpu))
				continue;
			empty += (columns - (i - first) % columns) % columns;
			first = i;
		}
		if (empty < least_empty)
			best = columns;
		least_empty = empty < least_empty ? empty : least_empty;
	}
	return best;
}

static int read_map(const struct described_machine *machine, struct map *map)
{
	for (size_t i = 0; i < machine->n_cpus; i++) {
		const struct described_cpu *cpu = &machine->cpus[i];
		const size_t class = find_class(map, cpu);
		struct core *core = array_add(&map->cores, &map->n_cores, sizeof(*core));

		if (!core || cpuset_add(&map->classes[class].cpus, cpu->cpu))
			return -ENOMEM;
		*core = (struct core){ cpu, class };
	}
	leave_cores(map);
	map->n_columns = choose_columns(map);
	return 0;
}

/* The first classes have their own colours; the others share one. */
static const char *find_style(size_t class)
{
	static const char *const styles[] = { "core a", "core b", "core c", "core d" };

	return class < ARRAY_SIZE(styles) ? styles[class] : "core e";
}

/* Draws the cores of one die, from first on. Returns the number of the next core. */
static size_t put_die(struct svg *svg, const struct map *map, size_t first, double *y)
{
	const struct described_cpu *of = map->cores[first].cpu;
	const size_t columns = map->n_columns;
	const double width = (PICTURE_WIDTH - 2.0 * PICTURE_EDGE) / (double)columns;
	size_t i = first;

	svg_text(svg, "head", "start", PICTURE_EDGE, *y + 14, "package %u, die %u", of->package,
		 of->die);
	*y += HEAD_HEIGHT;
	for (; i < map->n_cores && is_same_die(map->cores[i].cpu, of); i++) {
		const size_t at = i - first;
		const double x = PICTURE_EDGE + width * (double)(at % columns);
		const double top = *y + CELL_HEIGHT * (double)(at / columns);

		svg_box(svg, find_style(map->cores[i].class), x + 1, top + 1, width - GAP,
			CELL_HEIGHT - GAP);
		svg_text(svg, "head", "middle", x + width / 2, top + 13, "%c",
			 (char)('A' + map->cores[i].class));
		svg_text(svg, "small", "middle", x + width / 2, top + 24, "%u",
			 map->cores[i].cpu->cpu);
	}
	*y += CELL_HEIGHT * (double)((i - first + columns - 1) / columns);
	return i;
}

/* The height of the picture: a heading and rows for each die. */
static double find_height(const struct map *map)
{
	double height = GAP;
	size_t of_die = 0;

	for (size_t i = 0; i < map->n_cores; i++) {
		if (i == 0 || !is_same_die(map->cores[i - 1].cpu, map->cores[i].cpu)) {
			height += HEAD_HEIGHT;
			of_die = 0;
		}
		height += of_die++ % map->n_columns == 0 ? CELL_HEIGHT : 0;
	}
	return height;
}

static void put_map(struct page *page, const struct map *map)
{
	_cleanup_buffer_ struct buffer about = { 0 };
	double y = GAP;
	struct svg svg;

	for (size_t i = 0; i < map->n_classes; i++) {
		const struct class *class = &map->classes[i];

		buffer_add_item(&about, "; ", "%zu cores are %c, %s", class->n_cores,
				(char)('A' + i), *class->name ? class->name : "unknown");
	}
	svg = svg_begin(&page->text, page->n_pictures++, find_height(map), "Map of cores by class",
			buffer_text(&about));
	for (size_t i = 0; i < map->n_cores;)
		i = put_die(&svg, map, i, &y);
	svg_end(&svg);
}

static void put_classes(struct page *page, const struct map *map)
{
	static const struct html_column columns[] = {
		HTML_COLUMN("in the map", HTML_TEXT), HTML_COLUMN("class", HTML_TEXT),
		HTML_COLUMN("priority", HTML_TEXT),   HTML_COLUMN("cores", HTML_NUMBER),
		HTML_COLUMN("CPUs", HTML_WIDE),
	};
	struct html_table table =
		html_begin_table(&page->text, "Classes of cores", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < map->n_classes; i++) {
		const struct class *class = &map->classes[i];
		_cleanup_free_ char *cpus = cpuset_format_ranges(&class->cpus);

		if (cpuset_is_empty(&class->cpus))
			continue;
		html_put_cell(&table, "%c", (char)('A' + i));
		html_put_cell(&table, "%s", *class->name ? class->name : HTML_NONE);
		html_put_cell(&table, "%s", *class->priority ? class->priority : HTML_NONE);
		html_put_cell(&table, "%zu", class->n_cores);
		html_put_cell(&table, "%s", cpus ?: "");
	}
	html_end_table(&table);
}

/* Finds the classes of all maps first, so that a letter means the same in each. */
static void find_classes(const struct page *page, struct map *all)
{
	for (size_t i = 0; i < page->n_runs; i++) {
		const struct described_machine *machine = &page->runs[i].machine;

		for (size_t j = 0; j < machine->n_cpus; j++)
			find_class(all, &machine->cpus[j]);
	}
}

void page_put_map(struct page *page)
{
	struct map all = { 0 };

	find_classes(page, &all);
	for (size_t i = 0; i < page->n_runs; i++) {
		_cleanup_(map_done) struct map map = all;
		_cleanup_free_ char *labels = page_find_labels(page, i, "machine");

		if (page->runs[i].machine.n_cpus == 0 || page_repeats(page, i, "machine"))
			continue;
		if (read_map(&page->runs[i].machine, &map))
			page->text.has_failed = true;
		page_begin_figure(page, false, "%s", labels ?: "");
		put_map(page, &map);
		put_classes(page, &map);
		page_end_figure(page);
	}
}

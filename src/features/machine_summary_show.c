// SPDX-License-Identifier: GPL-2.0-only
/* The text of machine summary: lines and tables made of its tree. */
#include "features/machine_summary.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/screen.h"

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void put_processor(struct screen *screen, const json_t *tree)
{
	const json_t *processor = json_object_get(tree, "processor");
	const json_t *cpus = json_object_get(tree, "cpus"),
		     *driver = json_object_get(tree, "driver");
	json_int_t count = number_of(cpus, "cpus"), online = number_of(cpus, "online");
	const char *name = text_of(processor, "name");

	screen_put_format(screen, "Processor", "%s (family %d, model %d, stepping %d)",
			  *name ? name : "unknown", (int)number_of(processor, "family"),
			  (int)number_of(processor, "model"),
			  (int)number_of(processor, "stepping"));
	if (online == count)
		screen_put_format(screen, "CPUs", "%d packages, %d cores, %d CPUs, all online",
				  (int)number_of(cpus, "packages"), (int)number_of(cpus, "cores"),
				  (int)count);
	else
		screen_put_format(screen, "CPUs",
				  "%d packages, %d cores, %d of %d CPUs online; offline %s",
				  (int)number_of(cpus, "packages"), (int)number_of(cpus, "cores"),
				  (int)online, (int)count, text_of(cpus, "offline-cpus"));
	if (text_of(driver, "interface"))
		screen_put_format(screen, "Driver",
				  "Speed Select by %s, API version %d, driver version %d",
				  text_of(driver, "interface"),
				  (int)number_of(driver, "api-version"),
				  (int)number_of(driver, "driver-version"));
	else
		screen_put_format(screen, "Driver", "none: %s", text_of(driver, "reason"));
}

/* Makes sets of the packages and the power domains of a row's places. Returns whether all of these
 * power domains of all of these packages are in the row. */
static bool read_places(const json_t *row, struct cpuset *packages, struct cpuset *domains)
{
	const json_t *places = json_object_get(row, "places"), *place;
	unsigned int package, domain;
	size_t i;

	json_array_foreach (places, i, place) {
		int found = sscanf(json_string_value(place), "package-%u powerdomain-%u", &package,
				   &domain);

		if ((found >= 1 && cpuset_add(packages, package)) ||
		    (found == 2 && cpuset_add(domains, domain)))
			return false;
	}
	return cpuset_count(packages) * (cpuset_count(domains) ?: 1) == json_array_size(places);
}

static char *format_packages(const json_t *row)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 }, domains = { 0 };

	if (!read_places(row, &packages, &domains))
		return screen_format_value(json_object_get(row, "places"));
	return cpuset_format_ranges(&packages);
}

static char *format_domains(const json_t *row)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 }, domains = { 0 };

	if (!read_places(row, &packages, &domains) || cpuset_is_empty(&domains))
		return NULL;
	return cpuset_format_ranges(&domains);
}

static char *format_level(const json_t *row)
{
	return text_format("%d%s", (int)number_of(row, "level"),
			   json_is_true(json_object_get(row, "now")) ? " now" : "");
}

static char *format_base_freq(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");

	if (!json_is_object(base_freq))
		return NULL;
	return text_format("%d at %d, others %d", (int)number_of(base_freq, "high-priority-cores"),
			   (int)number_of(base_freq, "high-mhz"),
			   (int)number_of(base_freq, "low-mhz"));
}

static char *format_base_freq_short(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");

	if (!json_is_object(base_freq))
		return NULL;
	return text_format("%d at %d", (int)number_of(base_freq, "high-priority-cores"),
			   (int)number_of(base_freq, "high-mhz"));
}

static char *format_turbo_freq(const json_t *row)
{
	const json_t *turbo_freq = json_object_get(row, "turbo-freq"), *bucket;
	const char *unit =
		json_is_true(json_object_get(turbo_freq, "counts-modules")) ? " modules" : "";
	_cleanup_buffer_ struct buffer text = { 0 };
	size_t i;

	if (!json_is_object(turbo_freq))
		return NULL;
	json_array_foreach (json_object_get(turbo_freq, "buckets"), i, bucket) {
		_cleanup_free_ char *part =
			text_format("%s%d%s at %d", i ? ", " : "", (int)number_of(bucket, "cores"),
				    unit, (int)number_of(bucket, "mhz"));

		buffer_append_string(&text, part ?: "");
	}
	if (number_of(turbo_freq, "low-priority-mhz")) {
		_cleanup_free_ char *part =
			text_format(", others %d", (int)number_of(turbo_freq, "low-priority-mhz"));

		buffer_append_string(&text, part ?: "");
	}
	return buffer_steal(&text, NULL);
}

static char *format_turbo_freq_short(const json_t *row)
{
	const json_t *turbo_freq = json_object_get(row, "turbo-freq");
	const json_t *bucket = json_array_get(json_object_get(turbo_freq, "buckets"), 0);

	if (!bucket)
		return NULL;
	return text_format("%d at %d", (int)number_of(bucket, "cores"),
			   (int)number_of(bucket, "mhz"));
}

static const struct screen_column level_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "level", .format = format_level },
	{ "cores", .key = "cores" },
	{ "base", .key = "base-mhz" },
	{ "avx2", .key = "base-avx2-mhz", .rank = 7 },
	{ "avx512", .key = "base-avx512-mhz", .rank = 8 },
	{ "amx", .key = "base-amx-mhz", .rank = 9 },
	{ "turbo", .key = "turbo-mhz" },
	{ "all-core", .key = "all-core-turbo-mhz", .rank = 2 },
	{ "TDP W", .key = "tdp-w", .rank = 1 },
	{ "uncore", .key = "uncore-max-mhz", .rank = 5 },
	{ "memory", .key = "memory-mhz", .rank = 6 },
	{ "Tj C", .key = "tjunction-max-c", .rank = 10 },
	{ "SST-BF cores at MHz", .format = format_base_freq, .rank = 3 },
	{ "SST-BF", .format = format_base_freq_short, .instead_of = "SST-BF cores at MHz" },
	{ "SST-TF cores at MHz", .format = format_turbo_freq, .rank = 4 },
	{ "SST-TF", .format = format_turbo_freq_short, .instead_of = "SST-TF cores at MHz" },
};

static const struct screen_column feature_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "level", .key = "level" },
	{ "locked", .key = "locked" },
	{ "SST-BF", .key = "base-freq" },
	{ "SST-TF", .key = "turbo-freq" },
	{ "SST-CP", .key = "core-power" },
	{ "CLOS", .key = "clos" },
	{ "priority", .key = "priority" },
};

char *machine_summary_format(const json_t *tree, unsigned int width)
{
	_cleanup_screen_ struct screen screen = { .width = width };
	const json_t *item;
	size_t i;

	put_processor(&screen, tree);
	screen_put_table(&screen, "Speed Select", json_object_get(tree, "speed-select"),
			 feature_columns, ARRAY_SIZE(feature_columns));
	screen_put_table(&screen, "Levels, MHz", json_object_get(tree, "levels"), level_columns,
			 ARRAY_SIZE(level_columns));
	json_array_foreach (json_object_get(tree, "not-read"), i, item)
		screen_put(&screen, i ? NULL : "Not read", json_string_value(item));
	return buffer_steal(&screen.text, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of the kernel's PMUs, and counts events with perf_event_open(2) (measure.md,
 * "Sources, rights, traps"). */
#include "instruments/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/number.h"

static int real_open(struct perf *perf, const struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	long handle = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);

	(void)perf;
	return handle < 0 ? -errno : (int)handle;
}

static ssize_t real_read(struct perf *perf, int handle, void *buffer, size_t size)
{
	ssize_t length;

	(void)perf;
	do
		length = read(handle, buffer, size);
	while (length < 0 && errno == EINTR);
	return length < 0 ? -errno : length;
}

static void real_close(struct perf *perf, int handle)
{
	(void)perf;
	close(handle);
}

static const struct perf_ops real_ops = {
	.open = real_open,
	.read = real_read,
	.close = real_close,
};

void perf_init_real(struct perf *ret_perf)
{
	ret_perf->ops = &real_ops;
}

static int read_line(struct files *files, const char *pmu, const char *directory, const char *name,
		     char **ret_text)
{
	_cleanup_free_ char *path = text_format(PERF_PMUS "/%s/%s%s", pmu, directory, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

/* Reads the next range of bits of a format, "0-7" or "21". Returns 0 or -EINVAL. */
static int parse_bits(const char **text, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t first, last;

	if (number_parse_digits(text, 10, &first))
		return -EINVAL;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (number_parse_digits(text, 10, &last))
			return -EINVAL;
	}
	if (last > 63 || first > last)
		return -EINVAL;
	*ret_first = first;
	*ret_last = last;
	return 0;
}

/* Puts a value into the bits that a format names: "config1:0-7,32-35", lowest bits first. Returns
 * 0 or -EINVAL. */
static int place_value(const char *format, uint64_t value, uint64_t config[3])
{
	static const char *const names[] = { "config:", "config1:", "config2:" };
	uint64_t *word = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !word; i++) {
		if (strncmp(format, names[i], strlen(names[i])) != 0)
			continue;
		word = &config[i];
		format += strlen(names[i]);
	}
	if (!word)
		return -EINVAL;
	for (;;) {
		uint64_t first, last, width, mask;

		if (parse_bits(&format, &first, &last))
			return -EINVAL;
		width = last - first + 1;
		mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		*word = (*word & ~(mask << first)) | (value & mask) << first;
		value = width == 64 ? 0 : value >> width;
		if (!*format)
			return value ? -EINVAL : 0;
		if (*format++ != ',')
			return -EINVAL;
	}
}

/* Reads a number of an event, decimal or hex. Returns 0 or -EINVAL. */
static int parse_value(const char *text, uint64_t *ret_value)
{
	return strncmp(text, "0x", 2) == 0 ? number_parse_hex(text, ret_value)
					   : number_parse(text, 0, UINT64_MAX, ret_value);
}

/* Adds a term of an event, "umask=0x10" or "inv" for inv=1. */
static int add_term(struct files *files, const char *pmu, char *term, struct perf_event *event)
{
	_cleanup_free_ char *format = NULL;
	char *value = strchr(term, '=');
	uint64_t number = 1;
	int err;

	if (value)
		*value++ = '\0';
	if (!*term || strchr(term, '/') || (value && parse_value(value, &number)))
		return -EINVAL;
	/* "config", "config1" and "config2" need no format, but a format takes precedence. */
	err = read_line(files, pmu, "format/", term, &format);
	if (err == -ENOENT && strncmp(term, "config", strlen("config")) == 0) {
		format = text_format("%s:0-63", term);
		err = format ? 0 : -ENOMEM;
	}
	if (err)
		return err == -ENOENT ? -EINVAL : err;
	return place_value(format, number, event->config);
}

int perf_make_event(struct files *files, const char *pmu, const char *config,
		    struct perf_event *ret_event)
{
	_cleanup_free_ char *path = text_format(PERF_PMUS "/%s/type", pmu);
	_cleanup_free_ char *terms = strdup(config);
	struct perf_event event = { 0 };
	char *rest = terms;
	uint64_t type;
	int err;

	if (!path || !terms)
		return -ENOMEM;
	err = files_read_number(files, path, &type);
	if (err)
		return err == -ERANGE ? -EINVAL : err;
	if (type > UINT32_MAX)
		return -EINVAL;
	event.type = (uint32_t)type;
	for (char *term; (term = strsep(&rest, ","));) {
		err = add_term(files, pmu, term, &event);
		if (err)
			return err;
	}
	*ret_event = event;
	return 0;
}

/* Reads a decimal number above 0, always in the C locale: "2.3283064365386962890625e-10". Returns 0
 * or -EINVAL. */
static int parse_scale(const char *text, double *ret_scale)
{
	/* The program sets no locale, so strtod() uses the C locale. */
	char *end;
	double scale = strtod(text, &end);

	if (end == text || *end || !(scale > 0) || scale > 1e30)
		return -EINVAL;
	*ret_scale = scale;
	return 0;
}

int perf_find_event(struct files *files, const char *pmu, const char *name,
		    struct perf_event *ret_event)
{
	_cleanup_free_ char *config = NULL, *scale_name = text_format("%s.scale", name),
			    *scale = NULL;
	struct perf_event event;
	int err;

	if (!scale_name)
		return -ENOMEM;
	err = read_line(files, pmu, "events/", name, &config);
	if (err)
		return err;
	err = perf_make_event(files, pmu, config, &event);
	if (err)
		return err;
	err = read_line(files, pmu, "events/", scale_name, &scale);
	if (!err)
		err = parse_scale(scale, &event.scale);
	if (err && err != -ENOENT)
		return err;
	*ret_event = event;
	return 0;
}

int perf_read_cpumask(struct files *files, const char *pmu, struct cpuset *ret_cpus)
{
	_cleanup_free_ char *path = text_format(PERF_PMUS "/%s/cpumask", pmu);

	return path ? files_read_cpus(files, path, ret_cpus) : -ENOMEM;
}

#define READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static struct perf_event_attr make_attr(const struct perf_event *event, uint64_t read_format)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = event->type,
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.read_format = read_format,
	};
}

int perf_open_cpu(struct perf *perf, const struct perf_event *event, uint32_t cpu, int leader)
{
	struct perf_event_attr attr = make_attr(event, READ_FORMAT | PERF_FORMAT_GROUP);

	return perf->ops->open(perf, &attr, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

int perf_open_process(struct perf *perf, const struct perf_event *event, pid_t pid)
{
	/* The kernel refuses PERF_FORMAT_GROUP for inherited events. */
	struct perf_event_attr attr = make_attr(event, READ_FORMAT);

	attr.disabled = 1;
	attr.inherit = 1;
	attr.enable_on_exec = 1;
	return perf->ops->open(perf, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int check_length(ssize_t length, size_t expected)
{
	if (length < 0)
		return (int)length;
	if (length == 0)
		return -ENODATA;
	return (size_t)length == expected ? 0 : -EIO;
}

int perf_read_group(struct perf *perf, int leader, size_t n, struct perf_counts *ret_counts)
{
	uint64_t words[3 + PERF_GROUP_MAX]; /* number of events, enabled, running, counts */
	const size_t size = (3 + n) * sizeof(*words);
	int err = check_length(perf->ops->read(perf, leader, words, size), size);

	if (err)
		return err;
	if (words[0] != n)
		return -EIO;
	*ret_counts = (struct perf_counts){ .enabled_ns = words[1], .running_ns = words[2] };
	memcpy(ret_counts->values, &words[3], n * sizeof(*words));
	return 0;
}

int perf_read_process(struct perf *perf, int handle, struct perf_counts *ret_counts)
{
	uint64_t words[3]; /* count, enabled, running */
	int err = check_length(perf->ops->read(perf, handle, words, sizeof(words)), sizeof(words));

	if (err)
		return err;
	*ret_counts = (struct perf_counts){
		.enabled_ns = words[1],
		.running_ns = words[2],
		.values = { words[0] },
	};
	return 0;
}

void perf_close(struct perf *perf, int *handle)
{
	if (*handle >= 0)
		perf->ops->close(perf, *handle);
	*handle = -1;
}

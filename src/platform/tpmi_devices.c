// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the packages whose TPMI device is not bound to the driver. Kernels from 6.13 to 7.1 kill a
 * program that counts the power domains of such a package, and hang all later ones until reboot
 * (vm-lab.md, "Other kernels"); others return an error.
 *
 * The auxiliary bus lists the devices and which are bound; the local CPUs of a device's PCI device
 * are those of its package. A package that BIOS partitions has several devices. If sysfs does not
 * show the bus, nothing is known, and the driver is asked.
 */
#include "platform/tpmi_devices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define RELEASE       "/proc/sys/kernel/osrelease"
#define BUS           "/sys/bus/auxiliary"
#define DRIVER_PREFIX "isst_tpmi"
#define DEVICE_PREFIX "intel_vsec.tpmi-sst."

/* The first kernel with the defect, and the first without it again. */
static const unsigned int first_affected[] = { 6, 13 }, first_repaired[] = { 7, 2 };

/* What the auxiliary bus shows. */
struct bindings {
	size_t n_devices; /* bound or not */
	size_t n_linked; /* bound to a driver of any name */
	size_t n_bound;
	size_t n_unknown; /* bound ones whose package is not known */
	struct cpuset packages; /* of the other bound ones */
	char *unbound; /* names, commas between; NULL: none */
};

static void bindings_done(struct bindings *bindings)
{
	cpuset_done(&bindings->packages);
	free(bindings->unbound);
}

#define _cleanup_bindings_ _cleanup_(bindings_done)

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_before(const unsigned int *version, const unsigned int *other)
{
	return version[0] != other[0] ? version[0] < other[0] : version[1] < other[1];
}

/* A release that cannot be read counts as affected: asking could cost a reboot. */
static bool is_affected(const char *release)
{
	unsigned int version[2];

	if (!release || sscanf(release, "%u.%u", &version[0], &version[1]) != 2)
		return true;
	return !is_before(version, first_affected) && is_before(version, first_repaired);
}

/* The package of all CPUs in a list of the kernel's; false: of several, or of none. */
static bool find_package(const struct topology *topology, const struct cpuset *cpus,
			 uint32_t *ret_package)
{
	bool found = false;

	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(&topology->placed, cpu))
			continue;
		if (found && topology->places[cpu].package != *ret_package)
			return false;
		*ret_package = topology->places[cpu].package;
		found = true;
	}
	return found;
}

/* Notes the package of a bound device: the directory above its parent is its PCI device's. */
static int add_bound(const struct machine *machine, const char *driver, const char *device,
		     struct bindings *bindings)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *path = NULL;
	uint32_t package = 0;
	int err;

	if (asprintf(&path, BUS "/drivers/%s/%s/../../local_cpulist", driver, device) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	bindings->n_bound++;
	err = files_read_cpus(machine->host->files, path, &cpus);
	if (err == -ENOMEM)
		return err;
	if (!err && find_package(&machine->topology, &cpus, &package) && package <= CPUSET_MAX_CPU)
		return cpuset_add(&bindings->packages, package);
	bindings->n_unknown++;
	return 0;
}

static int read_driver(const struct machine *machine, const char *driver, struct bindings *bindings)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_free_ char *path = NULL;
	int err;

	if (asprintf(&path, BUS "/drivers/%s", driver) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = files_list(machine->host->files, path, &names);
	for (char **name = names; name && *name && !err; name++) {
		if (starts_with(*name, DEVICE_PREFIX))
			err = add_bound(machine, driver, *name, bindings);
	}
	return err;
}

static int read_drivers(const struct machine *machine, struct bindings *bindings)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err = files_list(machine->host->files, BUS "/drivers", &names);

	for (char **name = names; name && *name && !err; name++) {
		if (starts_with(*name, DRIVER_PREFIX))
			err = read_driver(machine, *name, bindings);
	}
	return err;
}

/* A device that is bound to a driver has a link to it. */
static int add_device(struct files *files, const char *device, struct bindings *bindings)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_free_ char *path = NULL, *longer = NULL;
	int err;

	bindings->n_devices++;
	if (asprintf(&path, BUS "/devices/%s/driver", device) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = files_list(files, path, &names);
	if (err != -ENOENT) {
		bindings->n_linked++;
		return err == -ENOMEM ? err : 0;
	}
	if (asprintf(&longer, "%s%s%s", bindings->unbound ?: "", bindings->unbound ? ", " : "",
		     device) < 0) {
		longer = NULL;
		return -ENOMEM;
	}
	free(bindings->unbound);
	bindings->unbound = steal_pointer(longer);
	return 0;
}

static int read_devices(const struct machine *machine, struct bindings *bindings)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err = files_list(machine->host->files, BUS "/devices", &names);

	for (char **name = names; name && *name && !err; name++) {
		if (starts_with(*name, DEVICE_PREFIX))
			err = add_device(machine->host->files, *name, bindings);
	}
	return err;
}

/* Adds devices bound to a driver of another name, and those of a bus that lists drivers alone. */
static void complete_counts(struct bindings *bindings)
{
	if (bindings->n_linked > bindings->n_bound) {
		bindings->n_unknown += bindings->n_linked - bindings->n_bound;
		bindings->n_bound = bindings->n_linked;
	}
	if (bindings->n_devices < bindings->n_bound)
		bindings->n_devices = bindings->n_bound;
}

/* Could a package be without a bound device? missing: the packages with no known one. */
static bool is_incomplete(const struct bindings *bindings, const struct cpuset *packages,
			  const struct cpuset *missing)
{
	size_t n_packages = cpuset_count(packages);
	size_t n_unbound = bindings->n_devices - bindings->n_bound;

	if (cpuset_is_empty(missing))
		return false;
	if (bindings->n_bound < n_packages)
		return true;
	/* As many unbound devices as a package has could all be of one package. */
	return n_unbound > 0 && n_unbound >= bindings->n_devices / n_packages;
}

static char *explain(const struct bindings *bindings, const struct cpuset *missing,
		     size_t n_packages, const char *release)
{
	_cleanup_free_ char *ranges = cpuset_format_ranges(missing);
	size_t length;
	char *text = NULL;
	FILE *to = ranges ? open_memstream(&text, &length) : NULL;

	if (!to)
		return NULL;
	fprintf(to,
		"only %zu of %zu TPMI devices of Speed Select are bound to the driver isst_tpmi, "
		"for %zu packages; ",
		bindings->n_bound, bindings->n_devices, n_packages);
	if (bindings->n_unknown)
		fprintf(to,
			"which packages the bound ones belong to is not known for %zu of them; ",
			bindings->n_unknown);
	else
		fprintf(to, "package %s has none; ", ranges);
	fprintf(to,
		"nothing was asked, since kernel %s can then kill the program and hang all "
		"later ones until reboot (defect of kernels 6.13 to 7.1); ",
		release ?: "(of unknown release)");
	if (bindings->unbound)
		fprintf(to, "bind %s to isst_tpmi in " BUS "/drivers/isst_tpmi/bind, or ",
			bindings->unbound);
	fputs("use another kernel", to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

int tpmi_devices_check(const struct machine *machine, const struct cpuset *packages,
		       char **ret_message)
{
	_cleanup_bindings_ struct bindings bindings = { 0 };
	_cleanup_cpuset_ struct cpuset missing = { 0 };
	_cleanup_free_ char *release = NULL;
	int err = files_read_line(machine->host->files, RELEASE, &release);

	if (err == -ENOMEM)
		return err;
	if (!is_affected(release))
		return 0;
	err = read_drivers(machine, &bindings);
	if (err != -ENOMEM)
		err = read_devices(machine, &bindings);
	complete_counts(&bindings);
	/* Without the bus, or without the devices on it, nothing is known. */
	if (err == -ENOMEM || bindings.n_devices == 0)
		return err == -ENOMEM ? err : 0;
	err = cpuset_copy(&missing, packages);
	if (err)
		return err;
	cpuset_remove_all(&missing, &bindings.packages);
	if (!is_incomplete(&bindings, packages, &missing))
		return 0;
	*ret_message = explain(&bindings, &missing, cpuset_count(packages), release);
	return -EIO;
}

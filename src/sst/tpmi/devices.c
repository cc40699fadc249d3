// SPDX-License-Identifier: GPL-2.0-only
/* Checks that the TPMI devices of all packages are bound to the driver. Some kernels kill a program
 * that counts the power domains of a package without a bound device (host/kernel.h); others return
 * an error.
 *
 * The auxiliary bus lists the devices and shows which are bound. The local CPUs of a device's PCI
 * device are the CPUs of its package. A package that BIOS partitions has several devices. If sysfs
 * does not show the bus, nothing is known, and requests are allowed. */
#include "sst/tpmi/tpmi.h"

#include <errno.h>
#include <limits.h>

#include "base/cleanup.h"
#include "host/kernel.h"

#define BUS           "/sys/bus/auxiliary"
#define DEVICE_PREFIX "intel_vsec.tpmi-sst."

/* The devices on the auxiliary bus. */
struct bindings {
	size_t n_devices; /* bound or not */
	size_t n_bound;
	size_t n_unknown; /* bound devices whose package is unknown */
	struct cpuset packages; /* of the other bound devices */
	struct buffer unbound; /* names, separated by commas */
};

static void bindings_done(struct bindings *bindings)
{
	cpuset_done(&bindings->packages);
	buffer_done(&bindings->unbound);
}

/* Returns the package of all CPUs in a list of the kernel; CPUSET_NONE: none, or more than one. */
static uint32_t find_package(const struct topology *topology, const struct cpuset *cpus)
{
	uint32_t package = CPUSET_NONE;

	cpuset_foreach (cpu, cpus) {
		if (!cpuset_has(&topology->placed, cpu))
			continue;
		if (package != CPUSET_NONE && topology->places[cpu].package != package)
			return CPUSET_NONE;
		package = topology->places[cpu].package;
	}
	return package;
}

/* Adds a device. A bound device has a link to its driver. The directory above the parent of the
 * device is that of its PCI device. */
static int add_device(const struct machine *machine, const char *device, struct bindings *bindings)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct files *files = machine->host->files;
	char path[PATH_MAX];
	uint32_t package;
	int err;

	bindings->n_devices++;
	snprintf(path, sizeof(path), BUS "/devices/%s/driver", device);
	err = files_list(files, path, &names);
	if (err == -ENOENT) {
		if (bindings->unbound.length)
			buffer_append_string(&bindings->unbound, ", ");
		buffer_append_string(&bindings->unbound, device);
		return bindings->unbound.has_failed ? -ENOMEM : 0;
	}
	if (err == -ENOMEM)
		return err;
	bindings->n_bound++;
	snprintf(path, sizeof(path), BUS "/devices/%s/../../local_cpulist", device);
	err = files_read_cpus(files, path, &cpus);
	if (err == -ENOMEM)
		return err;
	package = find_package(&machine->topology, &cpus);
	if (package <= CPUSET_MAX_CPU)
		return cpuset_add(&bindings->packages, package);
	bindings->n_unknown++;
	return 0;
}

/* Returns true if a package may have no bound device; missing: packages without a known one. */
static bool is_incomplete(const struct bindings *bindings, const struct cpuset *packages,
			  const struct cpuset *missing)
{
	size_t n_packages = cpuset_count(packages);
	size_t n_unbound = bindings->n_devices - bindings->n_bound;

	if (cpuset_is_empty(missing))
		return false;
	if (bindings->n_bound < n_packages)
		return true;
	/* If a package has as many devices as are unbound, all of these may be of that package. */
	return n_unbound > 0 && n_unbound >= bindings->n_devices / n_packages;
}

static char *explain(const struct bindings *bindings, const struct cpuset *missing,
		     size_t n_packages, const char *release)
{
	_cleanup_free_ char *ranges = cpuset_format_ranges(missing);
	_cleanup_free_ char *of_packages = NULL, *bind = NULL;

	if (bindings->n_unknown)
		of_packages = text_format("which packages the bound ones belong to is unknown for "
					  "%zu of them",
					  bindings->n_unknown);
	else if (ranges)
		of_packages = text_format("package %s has none", ranges);
	bind = bindings->unbound.length
		       ? text_format("bind %s to isst_tpmi in " BUS "/drivers/isst_tpmi/bind, or ",
				     buffer_text(&bindings->unbound))
		       : strdup("");
	if (!of_packages || !bind)
		return NULL;
	return text_format("only %zu of %zu TPMI devices of Speed Select are bound to the driver "
			   "isst_tpmi, for %zu packages; %s; no request was sent, since kernel %s "
			   "can then kill the program and hang all later ones until reboot (defect "
			   "of kernels %s); %suse another kernel",
			   bindings->n_bound, bindings->n_devices, n_packages, of_packages,
			   release ?: "(of unknown release)",
			   kernel_defects[KERNEL_DIES_OF_UNBOUND_TPMI].releases, bind);
}

int tpmi_check_devices(const struct machine *machine, const struct cpuset *packages,
		       char **ret_message)
{
	struct files *files = machine->host->files;
	_cleanup_(bindings_done) struct bindings bindings = { 0 };
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_cpuset_ struct cpuset missing = { 0 };
	_cleanup_free_ char *release = NULL;
	int err = files_read_line(files, KERNEL_RELEASE, &release);

	if (err == -ENOMEM)
		return err;
	if (!kernel_has_defect(release, KERNEL_DIES_OF_UNBOUND_TPMI))
		return 0;
	err = files_list(files, BUS "/devices", &names);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (char **name = names; *name; name++) {
		if (strncmp(*name, DEVICE_PREFIX, strlen(DEVICE_PREFIX)) != 0)
			continue;
		err = add_device(machine, *name, &bindings);
		if (err)
			return err;
	}
	if (bindings.n_devices == 0)
		return 0;
	err = cpuset_copy(&missing, packages);
	if (err)
		return err;
	cpuset_remove_all(&missing, &bindings.packages);
	if (!is_incomplete(&bindings, packages, &missing))
		return 0;
	*ret_message = explain(&bindings, &missing, cpuset_count(packages), release);
	return -EIO;
}

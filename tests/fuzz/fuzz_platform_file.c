// SPDX-License-Identifier: GPL-2.0-only
/* Platform files: taken and then sound, or refused with one line that names the file. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "simulator/platform_file.h"

static void check_platform(const struct sim_platform *platform)
{
	FUZZ_REQUIRE(platform->name && *platform->name);
	FUZZ_REQUIRE(platform->n_cpus > 0 && platform->n_cpus <= CPUSET_MAX_CPU + 1U);
	for (size_t i = 0; i < platform->n_cpus; i++) {
		FUZZ_REQUIRE(platform->cpus[i].domain < platform->n_domains);
		FUZZ_REQUIRE(
			cpuset_has(&platform->domains[platform->cpus[i].domain].cpus, (uint32_t)i));
	}
	for (size_t i = 0; i < platform->n_domains; i++)
		FUZZ_REQUIRE(platform->domains[i].package < platform->n_packages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	_cleanup_free_ char *text = fuzz_text(&input, size), *message = NULL;
	struct sim_platform *platform = NULL;
	int err = platform_file_parse("it.json", text, size, &platform, &message);

	FUZZ_REQUIRE(err == 0 || err == -EINVAL);
	FUZZ_REQUIRE((err == 0) == (platform != NULL) && (err == 0) == (message == NULL));
	if (platform)
		check_platform(platform);
	else
		FUZZ_REQUIRE(strncmp(message, "it.json:", 8) == 0 && !strchr(message, '\n'));
	platform_file_free(platform);
	return 0;
}

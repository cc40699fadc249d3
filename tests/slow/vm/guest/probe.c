// SPDX-License-Identifier: GPL-2.0-only
/* Raw requests to the device, wrong ones above all: what the driver answers, byte by byte. It runs
 * against the kernel's driver in the machine and against the simulated one behind the stand-in;
 * both must print the same (hardware.md, sections 2 and 4). With a word it also sets. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "isst_abi.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { SIZE = 4096, SHOWN = 160 };

/* bytes: "SIZE:VALUE" for each field in order, SIZE 1 to 8 bytes; what follows them is 0. */
struct probe {
	const char *name;
	uint32_t request;
	const char *bytes;
	char api; /* 'm' for mailbox parts, 't' for TPMI ones, 0 for both */
	char sets; /* only where setting is asked for */
};

#define MBOX(cpu, parameter, data, command, sub) \
	"4:" cpu " 4:" parameter " 4:" data " 4:0 2:" command " 2:" sub " 4:0 "

static const struct probe probes[] = {
	{ "platform info", ISST_IF_GET_PLATFORM_INFO, "", 0, 0 },
	{ "no such request", 0x8008fe30U, "", 0, 0 },
	{ "another magic", 0x8008fd00U, "", 0, 0 },
	{ "phy id of nothing", ISST_IF_GET_PHY_ID, "4:0", 0, 0 },
	{ "phy id of three", ISST_IF_GET_PHY_ID, "4:3 4:0 4:0 4:5 4:0 4:17 4:0", 0, 0 },
	{ "phy id of 64", ISST_IF_GET_PHY_ID, "4:64", 0, 0 },
	{ "phy id of 65", ISST_IF_GET_PHY_ID, "4:65", 0, 0 },
	{ "phy id of a CPU that does not exist", ISST_IF_GET_PHY_ID, "4:2 4:1 4:0 4:9999 4:0", 0,
	  0 },
	{ "phy id of no CPU at all", ISST_IF_GET_PHY_ID, "4:1 4:9999 4:0", 0, 0 },
	{ "mailbox: nothing", ISST_IF_MBOX_COMMAND, "4:0", 0, 0 },
	{ "mailbox: levels", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "127", "0"), 0, 0 },
	{ "mailbox: 65", ISST_IF_MBOX_COMMAND, "4:65", 0, 0 },
	{ "mailbox: not on the list", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "127", "63"),
	  'm', 0 },
	{ "mailbox: no such command", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "1", "0"),
	  'm', 0 },
	{ "mailbox: no such CPU", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("9999", "0", "0", "127", "0"),
	  'm', 0 },
	{ "mailbox: no such level", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "7", "127", "3"),
	  'm', 0 },
	{ "mailbox: the second of three fails", ISST_IF_MBOX_COMMAND,
	  "4:3 " MBOX("0", "0", "0", "127", "3") MBOX("0", "0", "7", "127", "3")
		  MBOX("0", "0", "0", "127", "3"),
	  'm', 0 },
	{ "mailbox: reading SST-CP", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "148", "3"),
	  'm', 0 },
	{ "mailbox: CLOS configuration", ISST_IF_MBOX_COMMAND,
	  "4:1 " MBOX("0", "0", "0", "208", "2"), 'm', 0 },
	{ "mailbox: core 8, in words of another part", ISST_IF_MBOX_COMMAND,
	  "4:1 " MBOX("0", "8", "0", "208", "0"), 'm', 0 },
	{ "mailbox: setting a level", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "127", "8"),
	  'm', 1 },
	{ "mailbox: setting features", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "127", "2"),
	  'm', 1 },
	{ "mailbox: SST-TF without CLOS", ISST_IF_MBOX_COMMAND,
	  "4:1 " MBOX("0", "0", "65536", "127", "2"), 'm', 1 },
	{ "mailbox: a level that does not exist", ISST_IF_MBOX_COMMAND,
	  "4:1 " MBOX("0", "0", "7", "127", "8"), 'm', 1 },
	{ "mailbox: CLOS configuration, writing", ISST_IF_MBOX_COMMAND,
	  "4:1 " MBOX("0", "256", "0", "208", "2"), 'm', 1 },
	{ "mailbox: SST-CP off", ISST_IF_MBOX_COMMAND, "4:1 " MBOX("0", "0", "0", "149", "3"), 'm',
	  1 },
	{ "mmio: nothing", ISST_IF_IO_CMD, "4:0", 'm', 0 },
	{ "mmio: 65", ISST_IF_IO_CMD, "4:65 4:0 4:0 4:8", 'm', 0 },
	{ "mmio: CLOS 0", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:8 4:0", 'm', 0 },
	{ "mmio: core 0", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:32 4:0", 'm', 0 },
	{ "mmio: register 0", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:0 4:0", 'm', 0 },
	{ "mmio: an odd register", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:9 4:0", 'm', 0 },
	{ "mmio: beyond the first window", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:212 4:0", 'm', 0 },
	{ "mmio: beyond the second window", ISST_IF_IO_CMD, "4:1 4:0 4:0 4:288 4:0", 'm', 0 },
	{ "mmio: no such CPU", ISST_IF_IO_CMD, "4:1 4:0 4:9999 4:8 4:0", 'm', 0 },
	{ "mmio: the second of two fails", ISST_IF_IO_CMD, "4:2 4:0 4:0 4:8 4:0 4:0 4:0 4:0 4:0",
	  'm', 0 },
	{ "mmio: writing CLOS 3", ISST_IF_IO_CMD, "4:1 4:1 4:0 4:20 4:4278190080", 'm', 1 },
	{ "msr: nothing", ISST_IF_MSR_COMMAND, "4:0", 'm', 0 },
	{ "msr: turbo limits", ISST_IF_MSR_COMMAND, "8:1 4:0 4:0 8:429 8:0", 'm', 0 },
	{ "msr: their cores", ISST_IF_MSR_COMMAND, "8:1 4:0 4:16 8:430 8:0", 'm', 0 },
	{ "msr: TDP control", ISST_IF_MSR_COMMAND, "8:1 4:0 4:0 8:1611 8:0", 'm', 0 },
	{ "msr: not on the list", ISST_IF_MSR_COMMAND, "8:1 4:0 4:0 8:16 8:0", 'm', 0 },
	{ "msr: no such CPU", ISST_IF_MSR_COMMAND, "8:1 4:0 4:9999 8:429 8:0", 'm', 0 },
	{ "msr: 65", ISST_IF_MSR_COMMAND, "8:65 4:0 4:0 8:429 8:0", 'm', 0 },
	{ "msr: writing turbo limits", ISST_IF_MSR_COMMAND,
	  "8:1 4:1 4:0 8:429 8:2314885530818453536", 'm', 1 },
	{ "instances", ISST_IF_COUNT_TPMI_INSTANCES, "1:0", 0, 0 },
	{ "instances of no package", ISST_IF_COUNT_TPMI_INSTANCES, "1:9", 0, 0 },
	{ "core power", ISST_IF_CORE_POWER_STATE, "1:0 1:0 1:0", 0, 0 },
	{ "core power of a hole", ISST_IF_CORE_POWER_STATE, "1:0 1:0 1:2", 't', 0 },
	{ "core power of no package", ISST_IF_CORE_POWER_STATE, "1:0 1:9 1:0", 't', 0 },
	{ "CLOS 1", ISST_IF_CLOS_PARAM, "1:0 1:0 1:0 1:1", 't', 0 },
	{ "CLOS 4", ISST_IF_CLOS_PARAM, "1:0 1:0 1:0 1:4", 't', 0 },
	{ "associations of nothing", ISST_IF_CLOS_ASSOC, "2:0 2:0 2:1", 't', 0 },
	{ "associations", ISST_IF_CLOS_ASSOC, "2:2 2:0 2:1 1:0 1:0 2:0 2:0 1:0 1:0 2:1 2:0", 't',
	  0 },
	{ "an association by CPU", ISST_IF_CLOS_ASSOC, "2:1 2:0 2:0 1:0 1:0 2:0 2:0", 't', 0 },
	{ "65 associations", ISST_IF_CLOS_ASSOC, "2:65 2:0 2:1", 't', 0 },
	{ "an association of core 64", ISST_IF_CLOS_ASSOC, "2:1 2:0 2:1 1:0 1:0 2:64 2:0", 't', 0 },
	{ "levels", ISST_IF_PERF_LEVELS, "1:0 1:0", 0, 0 },
	{ "levels of an IO die", ISST_IF_PERF_LEVELS, "1:0 1:3", 't', 0 },
	{ "levels of no domain", ISST_IF_PERF_LEVELS, "1:0 1:15", 't', 0 },
	{ "level 0", ISST_IF_GET_PERF_LEVEL_INFO, "1:0 1:0 2:0", 't', 0 },
	{ "level 7", ISST_IF_GET_PERF_LEVEL_INFO, "1:0 1:0 2:7", 't', 0 },
	{ "cores of level 0", ISST_IF_GET_PERF_LEVEL_CPU_MASK, "1:0 1:0 1:0 1:1", 't', 0 },
	{ "CPUs of level 0", ISST_IF_GET_PERF_LEVEL_CPU_MASK, "1:0 1:0 1:0 1:0", 't', 0 },
	{ "cores of level 7", ISST_IF_GET_PERF_LEVEL_CPU_MASK, "1:0 1:0 1:7 1:1", 't', 0 },
	{ "base frequencies", ISST_IF_GET_BASE_FREQ_INFO, "1:0 1:0 2:0", 't', 0 },
	{ "turbo frequencies", ISST_IF_GET_TURBO_FREQ_INFO, "1:0 1:0 2:0", 't', 0 },
	{ "setting the level that is", ISST_IF_PERF_SET_LEVEL, "1:0 1:0 1:0", 't', 1 },
	{ "setting level 7", ISST_IF_PERF_SET_LEVEL, "1:0 1:0 1:7", 't', 1 },
	{ "setting features", ISST_IF_PERF_SET_FEATURE, "1:0 1:0 1:0", 't', 1 },
	{ "setting CLOS 1", ISST_IF_CLOS_PARAM, "1:1 1:0 1:0 1:1 2:850 2:3000 1:5", 't', 1 },
	{ "setting CLOS 1 too high", ISST_IF_CLOS_PARAM, "1:1 1:0 1:0 1:1 2:0 2:25600 1:5", 't',
	  1 },
	{ "setting CLOS 1 to priority 16", ISST_IF_CLOS_PARAM, "1:1 1:0 1:0 1:1 2:0 2:2000 1:16",
	  't', 1 },
	{ "CLOS 1 again", ISST_IF_CLOS_PARAM, "1:0 1:0 1:0 1:1", 't', 0 },
	{ "setting an association", ISST_IF_CLOS_ASSOC, "2:1 2:1 2:1 1:0 1:0 2:1 2:2", 't', 1 },
	{ "setting an association to CLOS 4", ISST_IF_CLOS_ASSOC, "2:1 2:1 2:1 1:0 1:0 2:1 2:4",
	  't', 1 },
	{ "setting core power", ISST_IF_CORE_POWER_STATE, "1:1 1:0 1:0 1:1 1:0 1:1", 't', 1 },
	{ "core power again", ISST_IF_CORE_POWER_STATE, "1:0 1:0 1:0", 't', 0 },
};

static void fill(const char *bytes, unsigned char *buffer)
{
	unsigned int size;
	uint64_t value;
	int length;

	memset(buffer, 0, SIZE);
	while (sscanf(bytes, "%u:%" SCNu64 " %n", &size, &value, &length) == 2) {
		memcpy(buffer, &value, size);
		buffer += size;
		bytes += length;
	}
}

static void try(int fd, const struct probe *probe)
{
	static unsigned char buffer[SIZE];
	size_t shown = SHOWN;
	int result;

	fill(probe->bytes, buffer);
	result = ioctl(fd, probe->request, buffer);
	printf("%s: %d %s:", probe->name, result, result < 0 ? strerrorname_np(errno) : "-");
	while (shown > 0 && !buffer[shown - 1])
		shown--;
	for (size_t i = 0; i < shown; i++)
		printf(" %02x", buffer[i]);
	puts("");
}

int main(int argc, char **argv)
{
	struct isst_if_platform_info info = { 0 };
	int fd = open("/dev/isst_interface", O_RDWR);
	char api;

	(void)argv;
	if (fd < 0 || ioctl(fd, ISST_IF_GET_PLATFORM_INFO, &info)) {
		perror("/dev/isst_interface");
		return 1;
	}
	api = info.api_version == ISST_API_MAILBOX ? 'm' : 't';
	for (size_t i = 0; i < COUNT_OF(probes); i++) {
		if ((!probes[i].api || probes[i].api == api) && (!probes[i].sets || argc > 1))
			try(fd, &probes[i]);
	}
	close(fd);
	return 0;
}

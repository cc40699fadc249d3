// SPDX-License-Identifier: GPL-2.0-only
/* Messages of generic netlink, any length that the socket can give (hardware.md, section 8). */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "daemon/events.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ struct nlmsghdr *message = NULL;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err;

	if (size < sizeof(*message))
		return 0;
	message = malloc(size);
	FUZZ_REQUIRE(message);
	memcpy(message, data, size);
	/* What is longer than it came is never received; what is shorter than its head neither. */
	if (message->nlmsg_len > size || message->nlmsg_len < sizeof(*message))
		message->nlmsg_len = (uint32_t)size;
	err = events_decode(message, &cpus);
	FUZZ_REQUIRE(err == 0 || err == -EBADMSG);
	FUZZ_REQUIRE(err == 0 || cpuset_is_empty(&cpus));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* What the guest's shell cannot do: run a command with other rights, or be a task that CPU hotplug
 * meets. Statically linked.
 *
 *   helper without-admin COMMAND...      root without CAP_SYS_ADMIN
 *   helper user UID COMMAND...           a user without capabilities
 *   helper admin-user UID COMMAND...     a user with CAP_SYS_ADMIN alone
 *   helper deadline SECONDS              a deadline task; says "ready" when it is one
 *   helper broadcast GROUPS COUNT        sends that many messages, sound and not, to the generic
 *                                        netlink groups of a mask, as no process should */
#include <errno.h>
#include <linux/capability.h>
#include <linux/genetlink.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <linux/thermal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS_IN_NS 1000000ULL

static bool set_capabilities(uint64_t mask)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = data[i].permitted = data[i].inheritable =
			(uint32_t)(mask >> (32 * i));
	}
	return syscall(SYS_capset, &header, data) == 0;
}

static int execute(char **argv)
{
	execvp(argv[0], argv);
	fprintf(stderr, "helper: %s: %s\n", argv[0], strerror(errno));
	return 127;
}

/* The bounding set decides what root's programs get. */
static int without_admin(char **argv)
{
	if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0)) {
		perror("helper: PR_CAPBSET_DROP");
		return 126;
	}
	return execute(argv);
}

static int as_user(char **argv, uint64_t capabilities)
{
	uid_t uid = (uid_t)strtoul(argv[0], NULL, 10);

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid) || !set_capabilities(capabilities) ||
	    (capabilities && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0))) {
		perror("helper: rights");
		return 126;
	}
	return execute(argv + 1);
}

static int be_deadline(char **argv)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_DEADLINE,
		.sched_runtime = 90 * MS_IN_NS,
		.sched_deadline = 100 * MS_IN_NS,
		.sched_period = 100 * MS_IN_NS,
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0)) {
		perror("helper: sched_setattr");
		return 126;
	}
	puts("ready");
	fflush(stdout);
	sleep((unsigned int)strtoul(argv[0], NULL, 10));
	return 0;
}

/* An event that names CPU 0, or, changed, nonsense. */
struct event {
	struct nlmsghdr header;
	struct genlmsghdr command;
	struct nlattr list;
	struct nlattr cpu;
	uint32_t number;
};

static void damage(unsigned char *bytes, size_t length, unsigned int changes)
{
	while (changes-- > 0)
		bytes[(size_t)rand() % length] = (unsigned char)rand();
}

static int broadcast(char **argv)
{
	const struct event sound = {
		.header = { .nlmsg_len = sizeof(sound), .nlmsg_type = 30 },
		.command = { .cmd = THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE, .version = 1 },
		.list = { .nla_len = sizeof(sound) - offsetof(struct event, list),
			  .nla_type = THERMAL_GENL_ATTR_CPU_CAPABILITY | NLA_F_NESTED },
		.cpu = { .nla_len = sizeof(sound.cpu) + sizeof(sound.number),
			 .nla_type = THERMAL_GENL_ATTR_CPU_CAPABILITY_ID },
	};
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK,
					.nl_groups = (uint32_t)strtoul(argv[0], NULL, 16) };
	unsigned int count = (unsigned int)strtoul(argv[1], NULL, 10), sent = 0;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);

	for (unsigned int i = 0; i < count; i++) {
		struct event event = sound;

		damage((unsigned char *)&event, sizeof(event), i % 8);
		sent += sendto(fd, &event, sizeof(event), 0, (const struct sockaddr *)&to,
			       sizeof(to)) == sizeof(event);
	}
	close(fd);
	printf("%u\n", sent);
	return sent == count ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "without-admin"))
		return without_admin(argv + 2);
	if (argc >= 4 && !strcmp(argv[1], "user"))
		return as_user(argv + 2, 0);
	if (argc >= 4 && !strcmp(argv[1], "admin-user"))
		return as_user(argv + 2, 1ULL << CAP_SYS_ADMIN);
	if (argc == 3 && !strcmp(argv[1], "deadline"))
		return be_deadline(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "broadcast"))
		return broadcast(argv + 2);
	fputs("helper: see the comment in its source\n", stderr);
	return 2;
}

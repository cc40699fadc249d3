// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family "thermal", group "event", command CPU_CAPABILITY_CHANGE (hardware.md, section 8): a nested
 * attribute that repeats the number of a CPU, its performance and its efficiency. One change of a
 * level raises many events; what counts is that there was one.
 */
#include "daemon/events.h"

#include <errno.h>
#include <linux/thermal.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "base/cleanup.h"

#define RECEIVE_BUFFER (1 << 20) /* bytes: a burst of a thousand CPUs */

struct events {
	struct nl_sock *socket;
	struct cpuset *cpus; /* of events_take() */
	int error;
};

/* Of libnl's errors, as negative errno. */
static int to_errno(int err)
{
	switch (-err) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OBJ_NOTFOUND:
		return -ENOTSUP;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_INTR:
		return -EINTR;
	default:
		return -EIO;
	}
}

static int add_cpu(const struct nlattr *attribute, struct cpuset *cpus)
{
	if (nla_type(attribute) != THERMAL_GENL_ATTR_CPU_CAPABILITY_ID)
		return 0;
	if (nla_len(attribute) != sizeof(uint32_t) || nla_get_u32(attribute) > CPUSET_MAX_CPU)
		return -EBADMSG;
	return cpuset_add(cpus, nla_get_u32(attribute));
}

static int decode_list(const struct nlattr *list, struct cpuset *cpus)
{
	struct nlattr *attribute;
	int left, err = 0;

	nla_for_each_nested(attribute, list, left)
	{
		err = add_cpu(attribute, cpus);
		if (err)
			return err;
	}
	return left ? -EBADMSG : 0;
}

int events_decode(struct nlmsghdr *message, struct cpuset *cpus)
{
	struct nlattr *attributes[THERMAL_GENL_ATTR_MAX + 1];
	_cleanup_cpuset_ struct cpuset named = { 0 };
	const struct nlattr *list;
	int err;

	if (!genlmsg_valid_hdr(message, 0))
		return -EBADMSG;
	if (((const struct genlmsghdr *)nlmsg_data(message))->cmd !=
	    THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE)
		return 0;
	if (genlmsg_parse(message, 0, attributes, THERMAL_GENL_ATTR_MAX, NULL) < 0)
		return -EBADMSG;
	list = attributes[THERMAL_GENL_ATTR_CPU_CAPABILITY];
	err = list ? decode_list(list, &named) : -EBADMSG;
	return err ?: cpuset_add_all(cpus, &named);
}

/* Processes may send to the group too, if they are privileged: only the kernel is believed. */
static int check_sender(struct nl_msg *message, void *data)
{
	(void)data;
	return nlmsg_get_src(message)->nl_pid == 0 ? NL_OK : NL_SKIP;
}

static int take_message(struct nl_msg *message, void *data)
{
	struct events *events = data;
	int err = events_decode(nlmsg_hdr(message), events->cpus);

	if (err && events->error != -ENOMEM)
		events->error = err;
	return NL_OK;
}

static int subscribe(struct nl_sock *socket)
{
	int group = genl_ctrl_resolve_grp(socket, THERMAL_GENL_FAMILY_NAME,
					  THERMAL_GENL_EVENT_GROUP_NAME);
	int err = group < 0 ? group : nl_socket_add_membership(socket, group);

	nl_socket_disable_seq_check(socket);
	err = err ?: nl_socket_set_buffer_size(socket, RECEIVE_BUFFER, 0);
	return err ?: nl_socket_set_nonblocking(socket);
}

/* A socket whose messages no variable of the environment (NLCB, NLDBG) has shown on stderr. */
static struct nl_sock *make_socket(void)
{
	struct nl_cb *callbacks = nl_cb_alloc(NL_CB_DEFAULT);
	struct nl_sock *socket = callbacks ? nl_socket_alloc_cb(callbacks) : NULL;

	nl_debug = 0;
	nl_cb_put(callbacks);
	return socket;
}

int events_open(struct events **ret_events)
{
	_cleanup_events_ struct events *events = calloc(1, sizeof(*events));
	int err;

	if (!events)
		return -ENOMEM;
	events->socket = make_socket();
	if (!events->socket)
		return -ENOMEM;
	err = genl_connect(events->socket);
	err = err ?: subscribe(events->socket);
	if (err < 0)
		return to_errno(err);
	nl_socket_modify_cb(events->socket, NL_CB_MSG_IN, NL_CB_CUSTOM, check_sender, NULL);
	nl_socket_modify_cb(events->socket, NL_CB_VALID, NL_CB_CUSTOM, take_message, events);
	*ret_events = steal_pointer(events);
	return 0;
}

void events_close(struct events **events)
{
	if (*events) {
		nl_socket_free((*events)->socket);
		free(*events);
	}
	*events = NULL;
}

int events_fd(const struct events *events)
{
	return nl_socket_get_fd(events->socket);
}

int events_take(struct events *events, struct cpuset *cpus)
{
	int err;

	events->cpus = cpus;
	events->error = 0;
	do
		err = nl_recvmsgs_default(events->socket);
	while (err >= 0 || err == -NLE_INTR);
	events->cpus = NULL;
	if (events->error == -ENOMEM)
		return events->error;
	/* libnl tells an overrun as it tells want of memory: both mean that events are lost. */
	if (err == -NLE_NOMEM)
		return -ENOBUFS;
	err = to_errno(err);
	return err == -EAGAIN ? events->error : err;
}

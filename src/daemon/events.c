// SPDX-License-Identifier: GPL-2.0-only
/* Decodes events of family "thermal", group "event", command CPU_CAPABILITY_CHANGE (hardware.md,
 * section 8): a nested attribute repeats the number of a CPU, its performance and its efficiency.
 * One change of a level causes many events; only the fact that a level changed matters.
 *
 * libnl is loaded when the first socket is opened. Other commands do not need it, and loading it
 * would double the time of their start. */
#include "daemon/events.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/thermal.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "base/cleanup.h"

#define LIBRARY        "libnl-genl-3.so.200" /* it loads libnl-3.so.200 */
#define RECEIVE_BUFFER (1 << 20) /* bytes; enough for a burst of a thousand CPUs */

struct events {
	struct nl_sock *socket;
	struct cpuset *cpus; /* of events_take() */
	int error;
};

#define LIBNL_SYMBOLS(X)               \
	X(genl_connect)                \
	X(genl_ctrl_resolve_grp)       \
	X(genlmsg_parse)               \
	X(genlmsg_valid_hdr)           \
	X(nl_cb_alloc)                 \
	X(nl_cb_put)                   \
	X(nl_recvmsgs_default)         \
	X(nl_socket_add_membership)    \
	X(nl_socket_alloc_cb)          \
	X(nl_socket_disable_seq_check) \
	X(nl_socket_free)              \
	X(nl_socket_get_fd)            \
	X(nl_socket_modify_cb)         \
	X(nl_socket_set_buffer_size)   \
	X(nl_socket_set_nonblocking)   \
	X(nla_data)                    \
	X(nla_get_u32)                 \
	X(nla_len)                     \
	X(nla_next)                    \
	X(nla_ok)                      \
	X(nla_type)                    \
	X(nlmsg_data)                  \
	X(nlmsg_get_src)               \
	X(nlmsg_hdr)

#define DECLARE(name) __typeof__(&(name)) name;

struct libnl {
	int *nl_debug;
	LIBNL_SYMBOLS(DECLARE)
};

#ifdef IS_STATIC
#define REFER(name) .name = (name),

static const struct libnl libnl = { .nl_debug = &nl_debug, LIBNL_SYMBOLS(REFER) };

static int load_library(void)
{
	return 0;
}
#else
#define FIND(name) \
	libnl.name = (__typeof__(libnl.name))(uintptr_t)find(handle, #name, &is_complete);

static struct libnl libnl;

static void *find(void *handle, const char *name, bool *is_complete)
{
	void *symbol = dlsym(handle, name);

	*is_complete = *is_complete && symbol;
	return symbol;
}

/* Loads libnl unless it is loaded. Returns 0, or -ELIBACC. */
static int load_library(void)
{
	bool is_complete = true;
	void *handle;

	if (libnl.nl_debug)
		return 0;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return -ELIBACC;
	LIBNL_SYMBOLS(FIND)
	if (is_complete)
		libnl.nl_debug = dlsym(handle, "nl_debug");
	return libnl.nl_debug ? 0 : -ELIBACC;
}
#endif

/* Converts an error of libnl to a negative errno. */
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

/* Adds the CPUs of a nested attribute. */
static int decode_list(const struct nlattr *list, struct cpuset *cpus)
{
	const struct nlattr *attribute = libnl.nla_data(list);
	int left = libnl.nla_len(list);

	for (; libnl.nla_ok(attribute, left); attribute = libnl.nla_next(attribute, &left)) {
		int err;

		if (libnl.nla_type(attribute) != THERMAL_GENL_ATTR_CPU_CAPABILITY_ID)
			continue;
		if (libnl.nla_len(attribute) != sizeof(uint32_t) ||
		    libnl.nla_get_u32(attribute) > CPUSET_MAX_CPU)
			return -EBADMSG;
		err = cpuset_add(cpus, libnl.nla_get_u32(attribute));
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
	int err = load_library();

	if (err)
		return err;
	if (!libnl.genlmsg_valid_hdr(message, 0))
		return -EBADMSG;
	if (((const struct genlmsghdr *)libnl.nlmsg_data(message))->cmd !=
	    THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE)
		return 0;
	if (libnl.genlmsg_parse(message, 0, attributes, THERMAL_GENL_ATTR_MAX, NULL) < 0)
		return -EBADMSG;
	list = attributes[THERMAL_GENL_ATTR_CPU_CAPABILITY];
	err = list ? decode_list(list, &named) : -EBADMSG;
	if (err)
		return err;
	return cpuset_add_all(cpus, &named);
}

/* Accepts only messages of the kernel: privileged processes can also send to the group. */
static int check_sender(struct nl_msg *message, void *data)
{
	(void)data;
	return libnl.nlmsg_get_src(message)->nl_pid == 0 ? NL_OK : NL_SKIP;
}

static int take_message(struct nl_msg *message, void *data)
{
	struct events *events = data;
	int err = events_decode(libnl.nlmsg_hdr(message), events->cpus);

	if (err && events->error != -ENOMEM)
		events->error = err;
	return NL_OK;
}

/* Connects to the group of the thermal events. Returns 0 or a negative error of libnl. */
static int subscribe(struct nl_sock *socket)
{
	int group, err = libnl.genl_connect(socket);

	if (err < 0)
		return err;
	group = libnl.genl_ctrl_resolve_grp(socket, THERMAL_GENL_FAMILY_NAME,
					    THERMAL_GENL_EVENT_GROUP_NAME);
	if (group < 0)
		return group;
	err = libnl.nl_socket_add_membership(socket, group);
	if (err < 0)
		return err;
	libnl.nl_socket_disable_seq_check(socket);
	err = libnl.nl_socket_set_buffer_size(socket, RECEIVE_BUFFER, 0);
	return err < 0 ? err : libnl.nl_socket_set_nonblocking(socket);
}

int events_open(struct events **ret_events)
{
	_cleanup_events_ struct events *events = calloc(1, sizeof(*events));
	int err = events ? load_library() : -ENOMEM;
	struct nl_cb *callbacks;

	if (err)
		return err;
	/* Prevents messages of libnl that the environment (NLCB, NLDBG) requests. */
	callbacks = libnl.nl_cb_alloc(NL_CB_DEFAULT);
	*libnl.nl_debug = 0;
	events->socket = callbacks ? libnl.nl_socket_alloc_cb(callbacks) : NULL;
	libnl.nl_cb_put(callbacks);
	if (!events->socket)
		return -ENOMEM;
	err = subscribe(events->socket);
	if (err < 0)
		return to_errno(err);
	libnl.nl_socket_modify_cb(events->socket, NL_CB_MSG_IN, NL_CB_CUSTOM, check_sender, NULL);
	libnl.nl_socket_modify_cb(events->socket, NL_CB_VALID, NL_CB_CUSTOM, take_message, events);
	*ret_events = steal(events);
	return 0;
}

const char *events_problem(int err)
{
	if (err == -ELIBACC)
		return "libnl cannot be loaded (" LIBRARY
		       " of the package libnl-genl-3-200 or libnl3); --poll-interval SECONDS lets --oob poll "
		       "instead";
	return strerror(-err);
}

void events_close(struct events **events)
{
	if (*events) {
		if ((*events)->socket)
			libnl.nl_socket_free((*events)->socket);
		free(*events);
	}
	*events = NULL;
}

int events_fd(const struct events *events)
{
	return libnl.nl_socket_get_fd(events->socket);
}

int events_take(struct events *events, struct cpuset *cpus)
{
	int err;

	events->cpus = cpus;
	events->error = 0;
	do
		err = libnl.nl_recvmsgs_default(events->socket);
	while (err >= 0 || err == -NLE_INTR);
	events->cpus = NULL;
	if (events->error == -ENOMEM)
		return events->error;
	/* libnl reports an overrun like a lack of memory: in both cases events are lost. */
	if (err == -NLE_NOMEM)
		return -ENOBUFS;
	err = to_errno(err);
	return err == -EAGAIN ? events->error : err;
}

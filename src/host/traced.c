// SPDX-License-Identifier: GPL-2.0-only
/* A transport that logs all requests (-d). Each command of a request, or each TPMI structure, is
 * one line with its members and its answer (hardware.md, sections 2 and 4). */
#include "host/transport.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "host/requests.h"

struct traced {
	struct transport transport;
	struct transport *inner;
	FILE *to;
};

/* Logs the first count commands, which were completed. */
static void trace_request(FILE *to, uint32_t request, const void *argument, size_t count)
{
	struct request_layout layout;

	if (!requests_find_layout(request, &layout))
		return;
	if (!layout.header_size || layout.has_short_count)
		count = requests_count(&layout, argument);
	for (size_t i = 0; i < count; i++) {
		_cleanup_buffer_ struct buffer line = { 0 };

		requests_append(&line, request, argument, i);
		fprintf(to, "%s\n", buffer_text(&line));
	}
}

static int traced_request(struct transport *transport, uint32_t request, void *argument)
{
	struct traced *traced = (struct traced *)transport;
	int result = transport_request(traced->inner, request, argument);

	if (result < 0)
		fprintf(traced->to, "request 0x%" PRIx32 ": %s\n", request, strerror(-result));
	else
		trace_request(traced->to, request, argument, (size_t)result);
	return result;
}

static bool traced_is_lost(struct transport *transport)
{
	return transport_is_lost(((struct traced *)transport)->inner);
}

static int traced_reopen(struct transport *transport)
{
	struct traced *traced = (struct traced *)transport;

	return traced->inner->ops->reopen(traced->inner);
}

static void traced_close(struct transport *transport)
{
	struct traced *traced = (struct traced *)transport;

	transport_close(&traced->inner);
	free(traced);
}

static const struct transport_ops traced_ops = {
	.request = traced_request,
	.is_lost = traced_is_lost,
	.reopen = traced_reopen,
	.close = traced_close,
};

int transport_new_traced(struct transport *inner, FILE *to, struct transport **ret_transport)
{
	struct traced *traced = calloc(1, sizeof(*traced));

	if (!traced)
		return -ENOMEM;
	traced->transport.ops = &traced_ops;
	traced->inner = inner;
	traced->to = to;
	*ret_transport = &traced->transport;
	return 0;
}

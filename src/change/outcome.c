// SPDX-License-Identifier: GPL-2.0-only
/* The outcome of a transaction: the number of changes made, and why one failed. */
#include <stdlib.h>

#include "change/transaction.h"

size_t transaction_count_made(const struct transaction_outcome *outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < outcome->n_effects; i++)
		count += outcome->effects[i].state != TRANSACTION_NOT_MADE;
	return count;
}

static void free_reasons(struct transaction_failure *failures, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(failures[i].reason);
	free(failures);
}

void transaction_outcome_done(struct transaction_outcome *outcome)
{
	free(outcome->failure.reason);
	free(outcome->effects);
	free(outcome->rolled_back);
	free_reasons(outcome->not_rolled_back, outcome->n_not_rolled_back);
	free_reasons(outcome->notes, outcome->n_notes);
	*outcome = (struct transaction_outcome){ 0 };
}

struct target_cause transaction_find_cause(const struct change *change,
					   const struct transaction_failure *failure,
					   struct host *host, const struct channel *channel)
{
	if (failure->reason)
		return (struct target_cause){ .error = failure->error, .text = failure->reason };
	return target_find_cause(&change->target, &change->value, failure->error, host, channel);
}

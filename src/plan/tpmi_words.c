// SPDX-License-Identifier: GPL-2.0-only
/*
 * From words to TPMI structures and back (hardware.md, section 4). Every structure is zero before
 * it is filled. Associations that follow each other go in one request.
 */
#include "plan/tpmi_words.h"

#include <errno.h>

const char *tpmi_words_name(uint32_t request)
{
	switch (request) {
	case ISST_CORE_POWER_STATE:
		return "CORE_POWER_STATE";
	case ISST_CLOS_PARAM:
		return "CLOS_PARAM";
	case ISST_CLOS_ASSOC:
		return "CLOS_ASSOC";
	case ISST_PERF_LEVELS:
		return "PERF_LEVELS";
	case ISST_PERF_SET_LEVEL:
		return "PERF_SET_LEVEL";
	case ISST_PERF_SET_FEATURE:
		return "PERF_SET_FEATURE";
	}
	return "an unknown request";
}

static int send_core_power(const struct channel *channel, struct send_word *word)
{
	struct isst_core_power_state state = {
		.get_set = !word->reads,
		.socket_id = (__u8)word->write->package,
		.power_domain_id = (__u8)word->write->power_domain,
		.enable = word->reads ? 0 : word->value & 1,
		.priority_type = word->reads ? 0 : word->value >> 1 & 1,
	};
	int err = channel_request(channel, ISST_CORE_POWER_STATE, &state);

	if (err >= 0 && word->reads)
		word->value = tpmi_words_core_power(state.enable, state.priority_type);
	return err;
}

static int send_clos(const struct channel *channel, struct send_word *word)
{
	struct isst_clos_param clos = {
		.get_set = !word->reads,
		.socket_id = (__u8)word->write->package,
		.power_domain_id = (__u8)word->write->power_domain,
		.clos = (__u8)word->write->parameter,
	};
	int err;

	if (!word->reads) {
		clos.prop_prio = (__u8)word->value;
		clos.min_freq_mhz = (__u16)(word->value >> 16);
		clos.max_freq_mhz = (__u16)(word->value >> 32);
	}
	err = channel_request(channel, ISST_CLOS_PARAM, &clos);
	if (err >= 0 && word->reads)
		word->value = tpmi_words_clos(clos.prop_prio, clos.min_freq_mhz, clos.max_freq_mhz);
	return err;
}

static int read_levels(const struct channel *channel, struct send_word *word)
{
	struct isst_perf_levels levels = {
		.socket_id = (__u8)word->write->package,
		.power_domain_id = (__u8)word->write->power_domain,
	};
	int err = channel_request(channel, ISST_PERF_LEVELS, &levels);

	if (err >= 0)
		word->value = levels.current_level | tpmi_words_features(levels.feature_state);
	return err;
}

static int set_level(const struct channel *channel, const struct send_word *word)
{
	struct isst_perf_set_level level = {
		.socket_id = (__u8)word->write->package,
		.power_domain_id = (__u8)word->write->power_domain,
		.level = (__u8)word->value,
	};

	return channel_request(channel, ISST_PERF_SET_LEVEL, &level);
}

static int set_features(const struct channel *channel, const struct send_word *word)
{
	struct isst_perf_set_feature feature = {
		.socket_id = (__u8)word->write->package,
		.power_domain_id = (__u8)word->write->power_domain,
		.feature = (__u8)word->value,
	};

	return channel_request(channel, ISST_PERF_SET_FEATURE, &feature);
}

static int send_one(const struct channel *channel, struct send_word *word)
{
	switch (word->write->address) {
	case ISST_CORE_POWER_STATE:
		return send_core_power(channel, word);
	case ISST_CLOS_PARAM:
		return send_clos(channel, word);
	case ISST_PERF_LEVELS:
		return word->reads ? read_levels(channel, word) : -EINVAL;
	case ISST_PERF_SET_LEVEL:
		return word->reads ? -EINVAL : set_level(channel, word);
	case ISST_PERF_SET_FEATURE:
		return word->reads ? -EINVAL : set_features(channel, word);
	}
	return -EINVAL;
}

/* Associations, all read or all set. */
static void send_assocs(const struct channel *channel, struct send_word *words, size_t count,
			struct isst_clos_assoc *entries, int *errors)
{
	for (size_t i = 0; i < count; i++)
		entries[i] = (struct isst_clos_assoc){
			.socket_id = (__u8)words[i].write->package,
			.power_domain_id = (__u8)words[i].write->power_domain,
			.logical_cpu = (__u16)words[i].write->parameter,
			.clos = words[i].reads ? 0 : (__u16)words[i].value,
		};
	assoc_run(channel, !words[0].reads, entries, errors, count);
	for (size_t i = 0; i < count; i++) {
		if (!errors[i] && words[i].reads)
			words[i].value = entries[i].clos;
	}
}

/* How many of the words go together: one, or neighbouring associations. */
static size_t run_length(const struct send_word *words, size_t count)
{
	size_t length = 1;

	if (words[0].write->address != ISST_CLOS_ASSOC)
		return 1;
	while (length < count && words[length].write->address == ISST_CLOS_ASSOC &&
	       words[length].reads == words[0].reads)
		length++;
	return length;
}

void tpmi_words_send(const struct channel *channel, struct send_word *words, size_t count,
		     struct isst_clos_assoc *entries, int *errors)
{
	bool stopped = false;
	size_t length;

	for (size_t first = 0; first < count; first += length) {
		length = run_length(&words[first], count - first);
		if (stopped) {
			for (size_t i = first; i < first + length; i++)
				errors[i] = -ECANCELED;
		} else if (words[first].write->address == ISST_CLOS_ASSOC) {
			send_assocs(channel, &words[first], length, entries, &errors[first]);
		} else {
			int err = send_one(channel, &words[first]);

			errors[first] = err < 0 ? err : 0;
		}
		stopped = stopped || (errors[first + length - 1] && channel->stop_at_error);
	}
}

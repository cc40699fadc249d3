# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# measure try with the real drivers: runs without and with a state document in turn, and what it
# sets for a while comes back: at its end, when it is asked to stop, after a command that fails, and
# after it was killed.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

document=/run/document
limit=$cpus/cpu2/cpufreq/scaling_max_freq
max=$(cat "$limit")

# describe SETTINGS
describe() {
	printf '{"format": "intel-speed-select-state", "version": 1, "settings": [%s]}\n' "$1" >"$document"
}

# check_state WHEN: the machine is as at first.
check_state() {
	run 0 isst -o /run/exported state export
	cmp -s /run/first /run/exported ||
		fail "$1, not as at first: $(diff /run/first /run/exported)"
	check_ended "$1"
}

# shellcheck disable=SC2317 # wait_until calls it
is_set() {
	[ "$(cat "$limit")" = 1500000 ]
}

signal_when_set() {
	wait_until 60 is_set || return
	# shellcheck disable=SC2046 # each process is a word
	kill "-$1" $(pidof isst)
}

# stop_by SIGNAL STATUS: a trial that takes minutes otherwise.
stop_by() {
	signal_when_set "$1" &
	run "$2" isst measure try "$document" --runs 20 --seconds 3 --load scalar:2
	wait
}

describe '{"for": "machine", "cpufreq": {"turbo": false}},
	{"for": "cpu 0-3", "cpufreq": {"max-mhz": 1500, "governor": "performance"}, "cpuidle": {"qos-latency-us": 20}},
	{"for": "all", "optional": true, "core-power": {"enabled": true, "priority": "ordered", "clos": {"3": {"max-mhz": 2000}}}},
	{"for": "cpu 2-3", "optional": true, "core-power": {"assoc": 3}},
	{"for": "all", "optional": true, "turbo-freq": {"enabled": true}}'
run 0 isst -o /run/first state export

# The command sees what is set: once each unrecorded, then A B B A A B B A.
cat >/run/command <<EOF
cat $limit $cpus/intel_pstate/no_turbo | tr '\n' ' ' >>/run/seen
EOF
run 0 isst -f json -o /run/result measure try "$document" --runs 4 -- sh /run/command
a="$max 0 "
b="1500000 1 "
check "settings of the runs" "$a$b$a$b$b$a$a$b$b$a" "$(cat /run/seen)"
grep -q '"seconds"' /run/result || fail "no seconds: $(cat /run/result)"
check_state "at the end"
echo 'exit 3' >>/run/command
run 125 isst measure try "$document" --runs 4 -- sh /run/command
check_state "after a command that failed"
run 0 isst -c 2 measure try "$document" --runs 4 --seconds 1 --load scalar
check_state "after loads"

for signal in INT TERM; do
	stop_by $signal 1
	check_state "after SIG$signal"
done

# Killed: readers say so, and a value that somebody changed since is left and named.
kill_it() {
	stop_by KILL 137
	run 0 isst -c 2 cpufreq info
	says "a command was interrupted while it was changing settings"
	is_set || fail "a reading command undoes"
	echo 1800000 >"$limit"
}

check_changed() {
	says "undone: command"
	says "another program has changed"
	says "cpu-2 cpufreq.max-mhz (now 1800)"
	check "a limit that was changed since" 1800000 "$(cat "$limit")"
	echo "$max" >"$limit"
}

kill_it
run 0 isst state restore --to previous
check_changed
check_state "after state restore"
kill_it
run 0 isst -c 5 cpufreq set --max 1700
check_changed
check "its own setting" 1700000 "$(cat "$cpus/cpu5/cpufreq/scaling_max_freq")"
run 0 isst -c 5 cpufreq set --max max
check_state "after a setting command"

# A level that takes CPUs offline.
level=$(isst --info 2>&1 | sed -n 's/.*max level: //p')
if [ "${level:-0}" != 0 ]; then
	all=$(online)
	describe '{"for": "all", "perf-profile": {"level": '"$level"'}, "online": "follow-level"}'
	run 2 isst measure try "$document" --runs 4 --seconds 1 --load scalar:0
	says "--allow-offline"
	cat >/run/command <<-EOF
		cat $cpus/online >>/run/online
	EOF
	run 0 isst measure try "$document" --runs 4 --allow-offline -- sh /run/command
	check "CPUs of the runs" 5 "$(grep -cxF "$all" /run/online)"
	check "CPUs at the end" "$all" "$(online)"
	check_state "after a level"
fi
finish

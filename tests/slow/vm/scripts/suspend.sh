# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# The machine sleeps, its drivers too, between two requests of one process: a daemon that polls.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

sleep_and_wake() {
	echo devices >/sys/power/pm_test
	echo freeze >/sys/power/state || fail "the machine does not sleep"
}

# shellcheck disable=SC2317 # wait_until calls it
is_at_level_4() {
	[ "$(online)" = 0-3,6-7,10-11,16-31 ]
}

isst --oob -n -w 1 >/run/oob 2>&1 &
wait_until 5 [ -e /run/intel-speed-select/oob-record.json ] || fail "no daemon: $(cat /run/oob)"
order level 0 0 4
sleep_and_wake
wait_until 8 is_at_level_4 || fail "the daemon did not follow: $(online), $(cat /run/oob)"
order level 0 0 0
wait_until 8 [ -e "$cpus/cpu4/topology" ] || fail "the daemon brought nothing back: $(online)"
kill %1
wait %1
check "status of the daemon" 0 $?

# What was set through the driver stays: it sets it again on waking, over what others set meanwhile.
run 0 isst perf-profile set-config-level -l 3 -o
order level 0 0 4
sleep_and_wake
check "level after sleep" 3 "$(level 0)"
run 0 isst perf-profile set-config-level -l 0 -o
check "online" 0-31 "$(online)"
finish

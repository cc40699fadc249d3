# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: spr-6438n
# A management controller changes levels; the kernel's thermal events tell the daemon.
# shellcheck source=tests/vm/guest/functions.sh
. ./functions.sh

# wait_online LIST
wait_online() {
	tries=60
	until [ "$(online)" = "$1" ]; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || break
		usleep 50000
	done
	[ "$tries" -gt 0 ] || fail "online is $(online), not $1: $(cat /run/oob)"
}

run 3 isst --oob -n
says "hfi"
show_hfi
isst --oob -n >/run/oob 2>&1 &
wait_until 5 [ -e /run/intel-speed-select/oob-record.json ] || fail "no daemon: $(cat /run/oob)"
order level 0 0 3
usleep 300000
check "online before the event" 0-31 "$(online)"
order event 0
wait_online 0-13,16-31

# Of one package alone; then of both at once, in one burst for all CPUs.
order level 1 0 3
order event 16 16
wait_online 0-13,16-29
order level 1 0 0
order level 0 0 0
order event 0 32
wait_online 0-31

# The level that is there already; events that mean nothing; a level that changes at once again.
order event 0 64
order level 0 0 3
order event 0
order level 0 0 0
order event 0
usleep 500000
wait_online 0-31
kill %1
wait %1
check "status of the daemon" 0 $?
finish

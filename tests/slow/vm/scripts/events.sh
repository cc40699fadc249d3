# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: spr-6438n
# A management controller changes levels; the kernel's thermal events tell the daemon.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

run 3 isst --oob -n
says "hfi"
show_hfi

# In the background: the status of the parent says whether the daemon runs.
run 1 isst -o /nonexistent/x --oob
[ ! -e /run/intel-speed-select/oob.pid ] || fail "it runs without a place for its errors"
intel-speed-select --oob 2>&-
check "status without stderr" 1 $?
[ ! -e /run/intel-speed-select/oob.pid ] || fail "it runs without stderr"
run 0 isst --oob
kill "$(cat /run/intel-speed-select/oob.pid)"
wait_until 5 [ ! -e /run/intel-speed-select/oob.pid ] || fail "it does not end"
rm -r /run/intel-speed-select

isst --oob -n >/run/oob 2>&1 &
wait_until 5 [ -e /run/intel-speed-select/oob-record.json ] || fail "no daemon: $(cat /run/oob)"
order level 0 0 3
usleep 300000
check "online before the event" 0-31 "$(online)"
order event 0
wait_online 3 0-13,16-31 /run/oob

# Of one package alone; then of both at once, in one burst for all CPUs.
order level 1 0 3
order event 16 16
wait_online 3 0-13,16-29 /run/oob
order level 1 0 0
order level 0 0 0
order event 0 32
wait_online 3 0-31 /run/oob

# The level that is there already; events that mean nothing; a level that changes at once again.
order event 0 64
order level 0 0 3
order event 0
order level 0 0 0
order event 0
usleep 500000
wait_online 3 0-31 /run/oob
# The domain that an event names is asked, and no other.
commands() {
	before=$(cat /proc/isst_lab)
	order "$@"
	usleep 500000
	echo $(($(cat /proc/isst_lab) - before))
}

check "commands for CPU 0" 1 "$(commands event 0)"
check "commands for CPU 16" 1 "$(commands event 16)"
check "commands for both" 2 "$(commands event 15 2)"

# Nothing happens: it never wakes up.
wake_ups() {
	sed -n 's/^\(nonv\|v\)oluntary_ctxt_switches:\s*//p' "/proc/$(pidof isst)/status" | tr '\n' ' '
}

before=$(wake_ups)
sleep 5
check "wake-ups in 5 s" "$before" "$(wake_ups)"

# Ten thousand messages, valid and not, that are not the kernel's: they cause no request.
groups_of_daemon=$(awk -v pid="$(pidof isst)" \
	'$2 == 16 && $3 % 4194304 == pid && $4 != "00000000" { print $4 }' /proc/net/netlink)
before=$(cat /proc/isst_lab)
run 0 helper broadcast "$groups_of_daemon" 10000
usleep 500000
lost=$(grep -c "events were lost" /run/oob)
check "commands for foreign events" "$((2 * lost))" "$(($(cat /proc/isst_lab) - before))"
order level 0 0 3
order event 0
wait_online 3 0-13,16-31 /run/oob

kill %1
wait %1
check "status of the daemon" 0 $?
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: spr-6438n
# Thousands of changes of level in bursts, while CPUs refuse and the daemon is killed and started
# again: in the end exactly the CPUs of the last levels are online. Then a few that are let settle.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

bursts=${bursts:-30}
burst=100
settled=${settled:-8}
seed=${seed:-7}

random() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	random=$((seed / 65536 % $1))
}

start_daemon() {
	isst --oob -n >>/run/oob 2>&1 &
	daemon=$!
}

# expected LEVEL-OF-PACKAGE-0 LEVEL-OF-PACKAGE-1
expected() {
	case $1$2 in
	00) expected=0-31 ;;
	03) expected=0-29 ;;
	04) expected=0-23 ;;
	30) expected=0-13,16-31 ;;
	33) expected=0-13,16-29 ;;
	34) expected=0-13,16-23 ;;
	40) expected=0-7,16-31 ;;
	43) expected=0-7,16-29 ;;
	44) expected=0-7,16-23 ;;
	esac
}

# settles SECONDS: are exactly these CPUs online, soon?
settles() {
	wait_until "$1" is_online "$expected"
}

# A deadline task alone on CPU 30 does not let it go, until it is killed. The CPU has to be there
# first, and what the last burst asked for may come in between.
refuse() {
	order level 1 0 0
	order event 16
	wait_until 10 start_refuser ||
		fail "no deadline task: $(cat /run/refuse "$groups/busy/cpuset.cpus.partition")"
	before=$(count_refusals)
	order level 1 0 4
	order event 16
	# A change that was still under way may have taken the CPU before the task had it.
	wait_until 5 is_refused && refused=$((refused + 1))
}

count_refusals() {
	grep -c "cpu-30: online" /run/oob
}

# shellcheck disable=SC2317 # wait_until calls it
start_refuser() {
	[ -e "$cpus/cpu30/topology" ] || return 1
	echo member >"$groups/busy/cpuset.cpus.partition"
	echo root >"$groups/busy/cpuset.cpus.partition"
	rm -f /run/refuse
	sh -c "echo 0 >$groups/busy/cgroup.procs; exec helper deadline 600" >/run/refuse 2>&1 &
	refuser=$!
	until [ -s /run/refuse ]; do
		usleep 20000
	done
	grep -q ready /run/refuse && return
	# A second task beside this one would find no bandwidth left.
	kill -9 "$refuser" 2>/run/null
	wait "$refuser"
	return 1
}

# shellcheck disable=SC2317 # the same
is_refused() {
	[ "$(count_refusals)" -gt "$before" ]
}

level_of() {
	case $1 in
	0) level=0 ;;
	1) level=3 ;;
	*) level=4 ;;
	esac
}

show_hfi
echo +cpuset >"$groups/cgroup.subtree_control"
mkdir "$groups/busy"
echo 30 >"$groups/busy/cpuset.cpus"
echo root >"$groups/busy/cpuset.cpus.partition"
start_daemon
wait_until 5 [ -e /run/intel-speed-select/oob-record.json ] || fail "no daemon: $(cat /run/oob)"

changes=0
refused=0
refuser=
kills=0
round=0
while [ "$round" -lt "$bursts" ]; do
	orders=
	count=0
	while [ "$count" -lt "$burst" ]; do
		random 3
		level_of "$random"
		random 2
		orders="${orders}level $random 0 $level
event $((16 * random))
"
		count=$((count + 1))
	done
	echo "$orders" >/proc/isst_lab || fail "the machine does not take a burst"
	changes=$((changes + count))
	# Now and then it has the time to act.
	random 3
	[ "$random" -gt 0 ] || usleep 400000
	random 10
	case $random in
	0 | 1)
		kill -9 "$daemon"
		wait "$daemon" 2>/run/null
		kills=$((kills + 1))
		start_daemon
		;;
	2) [ -n "$refuser" ] || refuse ;;
	3 | 4)
		[ -z "$refuser" ] || kill "$refuser" 2>/run/null
		refuser=
		;;
	esac
	round=$((round + 1))
done
[ -z "$refuser" ] || kill "$refuser" 2>/run/null
echo "$changes changes, daemon killed $kills times, $refused tasks kept CPU 30"
[ "$refused" -gt $((bursts * 2 / 100)) ] || fail "only $refused tasks kept CPU 30"
[ "$kills" -gt $((bursts * 5 / 100)) ] || fail "the daemon was killed only $kills times"
order level 0 0 3
order level 1 0 4
order event 0 32
expected 3 4
settles 70 || fail "online is $(online), not $expected: $(tail -n 30 /run/oob)"

round=0
while [ "$round" -lt "$settled" ]; do
	random 3
	level_of "$random"
	first=$level
	random 3
	level_of "$random"
	order level 0 0 "$first"
	order level 1 0 "$level"
	order event 0
	order event 16
	expected "$first" "$level"
	settles 10 || fail "change $round: online is $(online), not $expected: $(tail -n 30 /run/oob)"
	round=$((round + 1))
done

# Nothing but what was offline for a level is offline in the end.
order level 0 0 0
order level 1 0 0
order event 0 32
expected 0 0
settles 10 || fail "online is $(online), not $expected"
kill "$daemon"
wait "$daemon"
check "status of the daemon" 0 $?
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For scripts in the guest. A script fails at its end where one of its checks did.

cpus=/sys/devices/system/cpu
groups=/sys/fs/cgroup
journal=/run/intel-speed-select/journal # the change journal
failures=0

# The machine as it was when it was saved.
reset_machine() {
	echo reset >/proc/isst_lab
	for file in "$cpus"/cpu*/online; do
		read -r state <"$file"
		[ "$state" = 1 ] || echo 1 >"$file"
	done
	for directory in "$groups"/*-*-*/; do
		[ -d "$directory" ] || continue
		echo member >"$directory/cpuset.cpus.partition"
		rmdir "$directory"
	done
	echo -cpuset >"$groups/cgroup.subtree_control" 2>/dev/null
	for directory in "$cpus"/cpu*/cpufreq/; do
		read -r max <"$directory/cpuinfo_max_freq"
		read -r min <"$directory/cpuinfo_min_freq"
		echo powersave >"$directory/scaling_governor"
		echo "$max" >"$directory/scaling_max_freq"
		echo "$min" >"$directory/scaling_min_freq"
	done
	# a limit of a whole package would bound those of its power domains from then on
	for directory in "$cpus"/intel_uncore_frequency/*/; do
		case $directory in
		*/package_*) [ ! -e "$cpus/intel_uncore_frequency/uncore00" ] || continue ;;
		esac
		cat "$directory/initial_max_freq_khz" >"$directory/max_freq_khz"
		cat "$directory/initial_min_freq_khz" >"$directory/min_freq_khz"
	done
	rm -rf /run/intel-speed-select
}

order() {
	echo "$*" >/proc/isst_lab || fail "the machine does not take the order: $*"
}

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# check WHAT EXPECTED FOUND
check() {
	[ "$2" = "$3" ] || fail "$1: expected \"$2\", found \"$3\""
}

# run STATUS COMMAND...: what it says goes into $said.
run() {
	expected=$1
	shift
	said=$("$@" 2>&1)
	status=$?
	[ "$status" = "$expected" ] || fail "$*: status $status, not $expected: $said"
}

# says WORDS: did the last run say so?
says() {
	case $said in
	*"$1"*) ;;
	*) fail "\"$1\" is not in: $said" ;;
	esac
}

online() {
	cat "$cpus/online"
}

# level CPU: the level of its domain.
level() {
	isst -c "$1" perf-profile get-config-current-level 2>&1 |
		sed -n 's/.*get-config-current_level://p' | head -n 1
}

# Is a transaction of the change journal open: running, or cut off?
is_open() {
	tail -n 1 "$journal" 2>/run/null | grep -q '^{"line":"begin"'
}

# check_ended WHEN: the last transaction of the journal has ended.
check_ended() {
	tail -n 1 "$journal" | grep -q '^{"line":"end"' ||
		fail "$1: a transaction is open: $(tail -n 1 "$journal")"
}

# wait_until SECONDS COMMAND...: 50 ms apart.
wait_until() {
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		usleep 50000
	done
}

is_online() {
	[ "$(online)" = "$1" ]
}

# wait_online SECONDS LIST LOG: until exactly these CPUs are online.
wait_online() {
	wait_until "$1" is_online "$2" || fail "online is $(online), not $2: $(cat "$3")"
}

# /proc/cpuinfo with the flag of CPUs that raise events: QEMU has none.
show_hfi() {
	sed '/^flags/s/$/ hfi/' /proc/cpuinfo >/run/cpuinfo
	mount --bind /run/cpuinfo /proc/cpuinfo
}

finish() {
	[ "$failures" -eq 0 ]
	exit
}

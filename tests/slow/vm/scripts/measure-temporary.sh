# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# Idle states that measure wake sets for a while come back: at its end, when it is asked to stop, and
# after it was killed; and CPUs that go offline meanwhile do not make it wait for ever.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

taskset -p 1 $$ >/run/null # the script itself is not to keep another CPU busy
cpu=5
limit=$cpus/cpu3/cpufreq/scaling_max_freq

disabled() {
	cat "$cpus"/cpu*/cpuidle/state*/disable
}

# shellcheck disable=SC2317 # wait_until calls it
is_forced() {
	is_open && grep -q 1 "$cpus/cpu$cpu/cpuidle/state3/disable"
}

# Signals all processes of the measurement once it has changed something.
signal_when_forced() {
	wait_until 30 is_forced || return
	# shellcheck disable=SC2046 # each process is a word
	kill "-$1" $(pidof isst)
}

# stop_by SIGNAL STATUS: a measurement that takes minutes otherwise.
stop_by() {
	signal_when_forced "$1" &
	run "$2" isst -c $cpu measure wake --gap 10000us --samples 10000
	wait
}

order "idle $cpu 1 0 0 0 0"
echo 1 >"$cpus/cpu4/cpuidle/state2/disable" # of the other thread, if it has one
before=$(disabled)

# It ends by itself, or is asked to.
run 0 isst -c $cpu measure wake --gap 1000us --samples 10
check "idle states at the end" "$before" "$(disabled)"
for signal in INT:130 TERM:143 HUP:129; do
	stop_by "${signal%:*}" "${signal#*:}"
	signal=${signal%:*}
	says "ended early by a signal"
	check "idle states after SIG$signal" "$before" "$(disabled)"
	check_ended "after SIG$signal"
done

# Other commands meanwhile: those that set something are refused, those that read are not.
isst -c $cpu measure wake --gap 10000us --samples 10000 >/run/wake 2>&1 &
wait_until 30 is_forced || fail "it does not begin: $(cat /run/wake)"
run 5 isst -c 2 cpuidle set --deepest C1
says "another instance is setting this machine: isst, process"
run 0 isst -c 2 cpuidle info
says "for a while by isst -c $cpu measure wake"
kill -TERM $!
wait $!
check "idle states after the other commands" "$before" "$(disabled)"

# kill_it: leaves idle states forced, and a limit that the measurement set to 1400 MHz, as measure
# try would, and that somebody has changed to 1500 MHz since.
kill_it() {
	stop_by KILL 137
	forced=$(disabled)
	[ "$forced" != "$before" ] || fail "SIGKILL changed nothing"
	change='{"for":"cpu 3","setting":"cpufreq.max-mhz","was":'$(($(cat "$limit") / 1000))',"now":1400},'
	sed -i "\$s/\"changes\":\[/&$change/" "$journal"
	echo 1500000 >"$limit"
	run 0 isst -c 2 cpuidle info
	says "a command was interrupted while it was changing settings"
	check "idle states after reading" "$forced" "$(disabled)"
}

# check_back AFTER: what was set for a while is back, and the other change is left and named.
check_back() {
	check "idle states after $1" "$before" "$(disabled)"
	says "undone: command"
	says "another program has changed"
	says "cpu-3 cpufreq.max-mhz (now 1500)"
	check "limit after $1" 1500000 "$(cat "$limit")"
	check_ended "after $1"
	run 0 isst -c 3 cpufreq set --max max
}

kill_it
run 0 isst state restore --to previous
check_back "state restore"
kill_it
run 0 isst -c 2 cpufreq set --max 2000
check_back "a setting command"
check "its own setting" 2000000 "$(cat "$cpus/cpu2/cpufreq/scaling_max_freq")"

# CPUs come and go: it may fail, but it ends, and what it changed is back.
hotplug_when_forced() {
	wait_until 30 is_forced || return
	for offline in "$@"; do
		echo 0 >"$cpus/cpu$offline/online"
		usleep 100000
		echo 1 >"$cpus/cpu$offline/online"
	done
}

for by in timer "futex --from 7"; do
	hotplug_when_forced 4 $cpu 7 $cpu &
	# shellcheck disable=SC2086 # a word, or three
	timeout 60 isst -c $cpu measure wake --by $by --gap 2000us --samples 300 --states C1,C6 \
		>/run/wake 2>&1
	status=$?
	[ $status -le 1 ] || fail "CPUs that go offline: status $status: $(cat /run/wake)"
	wait
	check "idle states after hotplug, by $by" "$before" "$(disabled)"
	check_ended "after hotplug"
done
order reset

# Nor do jitter and run hang then; jitter of another CPU is not this one's. How far they are when the
# CPU goes is open.
for command in "jitter --interval 20000us" "run --each"; do
	{
		sleep 2
		echo 0 >"$cpus/cpu$cpu/online"
		usleep 500000
		echo 1 >"$cpus/cpu$cpu/online"
	} &
	# shellcheck disable=SC2086 # words
	timeout 60 isst -c 4-$cpu measure $command --seconds 4 >/run/measured 2>&1
	status=$?
	wait
	[ $status = 0 ] || grep -q "went offline" /run/measured ||
		fail "$command: status $status: $(cat /run/measured)"
done
finish

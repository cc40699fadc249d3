# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# boot: isolcpus=1
# measure run on counters of a real kernel, with rights and without; the status of a command; a CPU
# that is isolated; and jitter, ladder and why, which must not judge an emulated processor.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

events=/sys/bus/event_source/devices/msr/events
paranoid="perf_event_paranoid is 3: counters of a CPU need CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0"

# measure ARGUMENTS...: into /run/result. Only the last bar of a histogram is open above.
measure() {
	run 0 isst -f json -o /run/result "$@"
	missing=$(awk '/: null,?$/ && !/"to-us"/ {
			split($0, part, "\"")
			getline
			if (!index($0, "\"" part[2] "-reason\": \""))
				print part[2]
		}' /run/result)
	check "figures without a reason" "" "$missing"
}

# has TEXT: is it in the result?
has() {
	grep -qF "$1" /run/result || fail "\"$1\" is not in the result: $(cat /run/result)"
}

# Counters, as root in spite of perf_event_paranoid: this processor has no aperf and mperf.
check "perf_event_paranoid" 3 "$(cat /proc/sys/kernel/perf_event_paranoid)"
measure -c 2-3 measure run --each --seconds 1
has '"tsc-mhz-source": "PMU msr: tsc"'
has '"mhz-reason": "PMU msr has no event aperf, as in virtual machines"'
has '"busy-percent-reason": "PMU msr has no event mperf, as in virtual machines"'
if [ -e "$events/smi" ]; then
	has '"smi-count": 0'
else
	has '"smi-count-reason"'
fi
measure -c 2-3 measure run --each --seconds 1 --load scalar
has '"loop-mhz-reason": "emulated'

# An ordinary user gets time, resources and the reason; with a right to the process, its counters.
helper user 1000 isst -f json -o - measure run -- true >/run/result 2>&1 || fail "as user: status $?"
has "\"tsc-mhz-reason\": \"$paranoid\""
has "\"mhz-reason\": \"$paranoid\""
has '"command-exit": 0'
has '"user-seconds-source": "rusage"'
has '"seconds-source": "CLOCK_MONOTONIC_RAW"'
has 'sysctl kernel.perf_event_paranoid=1'
helper user 1000 isst -f json -o - -c 2 measure run --seconds 1 --load scalar >/run/result 2>&1 ||
	fail "a load as user: status $?"
has '"loop-mhz-reason": "emulated'

# The status of a command.
run 0 isst measure run -- true
run 7 isst measure run -- sh -c 'exit 7'
run 125 isst measure run --load wrong -- true
run 126 isst measure run -- /job/script
run 127 isst measure run -- /nonexistent
run 137 isst measure run -- sh -c 'kill -9 $$'
isst measure run -- sh -c 'trap "exit 9" TERM; : >/run/started; while :; do usleep 20000; done' \
	>/run/said 2>&1 &
wait_until 20 [ -e /run/started ] || fail "the command does not begin: $(cat /run/said)"
kill -TERM $!
wait $!
check "status of a command that SIGTERM is passed on to" 9 $?

# An isolated CPU is left out, or measured without calling it from others.
calls() {
	awk '/CAL:/ { print $3 }' /proc/interrupts
}

calls_during() {
	before=$(calls)
	"$@" >/run/said 2>&1 || fail "$*: $(cat /run/said)"
	echo $(($(calls) - before))
}

check "isolated" 1 "$(cat "$cpus/isolated")"
measure measure run --seconds 1
check "CPU 1 is measured" 0 "$(grep -c '"cpu": 1,' /run/result)"
run 0 isst measure run --seconds 1
says "isolated CPUs 1 are not measured"
for _ in 1 2 3 4; do
	without=$(calls_during sleep 2)
	with=$(calls_during isst -f json -o /run/result measure run -c 1 --seconds 2)
	[ "$with" -gt $((without + 2)) ] || break
done
[ "$with" -le $((without + 2)) ] || fail "CPU 1 is called $with times, $without without measuring"
has '"smi-count"'
check "CPU 1 is measured" 1 "$(grep -c '"cpu": 1,' /run/result)"

# One of a partition that this process is not in cannot be measured, and that is the reason.
echo +cpuset >"$groups/cgroup.subtree_control"
mkdir "$groups/isolated"
echo 4 >"$groups/isolated/cpuset.cpus"
echo isolated >"$groups/isolated/cpuset.cpus.partition"
if [ -e "$groups/cpuset.cpus.isolated" ]; then # Linux 6.7 and later
	measure measure run --seconds 1
	check "CPU 4 is measured" 0 "$(grep -c '"cpu": 4,' /run/result)"
	measure measure run -c 4 --seconds 1
	has "no thread can run on CPU 4, which is isolated"
fi

# Nothing is concluded from frequencies that there are not.
measure -c 3 measure jitter --seconds 1 --interval 20000us
has '"cycles"'
run 0 isst -c 2,6 measure ladder --seconds 1
says "not checked"
run 0 isst -c 3 cpufreq explain --measure 1 --load scalar
says "not checked"
run 0 isst -c 3 cpufreq explain --measure 1
says "not checked"
finish

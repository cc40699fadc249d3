# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# measure wake on idle states that take 0, 5 and 20 ms to leave: which state a round is counted for,
# in which order their latencies are, and what is excluded. Emulated time says nothing about
# microseconds.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

last=$(($(nproc) - 1)) # the CPU that is measured
threads=$(cat "$cpus/cpu$last/topology/thread_siblings_list") # of its core
first=${threads%%[-,]*}
taskset -p 1 $$ >/run/null # the script itself is not to keep another CPU busy

# wake ARGUMENTS...: measures, into /run/wake (JSON) and /run/saved (every latency).
wake() {
	rm -f /run/saved
	run 0 isst -f json -o /run/wake -c "$last" measure wake --save /run/saved "$@"
}

# figure STATE NAME: of the first row of the state.
figure() {
	sed -n '/"state": "'"$1"'"/,/}/s/.*"'"$2"'": \([^,]*\),\{0,1\}$/\1/p' /run/wake | head -n 1
}

# median STATE: of the latencies that were saved, in microseconds.
median() {
	sed -n '/"state": "'"$1"'"/,/\]/s/^ *\([0-9]*\),\{0,1\}$/\1/p' /run/saved | sort -n |
		awk '{ ns[NR] = $1 } END { printf "%d", ns[int((NR + 1) / 2)] / 1000 }'
}

# has_rounds STATE LEAST
has_rounds() {
	rounds=$(figure "$1" rounds)
	[ "${rounds:-0}" -ge "$2" ] || fail "$1: ${rounds:-no} rounds, not $2: $(cat /run/wake)"
}

# excludes STATE KIND
excludes() {
	[ -n "$(figure "$1" "$2")" ] || fail "$1: no round is $2: $(cat /run/wake)"
}

disabled() {
	cat "$cpus"/cpu*/cpuidle/state*/disable
}

for state in "1 0" "2 5" "3 20"; do
	order "idle $last $state 0 0 0"
done
echo 1 >"$cpus/cpu$first/cpuidle/state2/disable" # is to come back
before=$(disabled)

# A deeper state takes longer, by timer and by futex.
wake --states C1,C1E,C6 --gap 2000us --samples 40
for state in C1 C1E C6; do
	has_rounds "$state" 20
done
[ "$(median C1)" -lt "$(median C1E)" ] || fail "C1 $(median C1), C1E $(median C1E) us"
[ "$(median C1E)" -lt "$(median C6)" ] || fail "C1E $(median C1E), C6 $(median C6) us"
[ "$(median C6)" -ge 19000 ] || fail "C6: $(median C6) us, and it takes 20 ms"
check "rows of other states" "" "$(sed -n 's/.*"requested"/&/p' /run/wake)"
wake --states C1,C1E --gap 2000us --samples 40 --by futex
has_rounds C1 5
has_rounds C1E 5
[ "$(median C1)" -lt "$(median C1E)" ] || fail "by futex: C1 $(median C1), C1E $(median C1E) us"

# Each third round is something else, which is no figure of the state.
order "idle $last 1 0 3 0 0"
order "idle $last 2 0 0 3 0"
order "idle $last 3 0 0 0 3"
wake --states C1,C1E,C6 --gap 1000us --samples 40
excludes C1 rejected
excludes C1E other-state
excludes C6 several
has_rounds C1 10
has_rounds C1E 10
has_rounds C6 10
grep -q '"requested": "C1E"' /run/wake || fail "no row of C1 instead of C1E: $(cat /run/wake)"
case $(figure C6 rejected)$(figure C1E rejected) in
"") ;;
*) fail "rejected in a state that is never: $(cat /run/wake)" ;;
esac
check "idle states after measuring" "$before" "$(disabled)"

# Nothing is changed if the kernel chooses.
wake --no-force --gap 2000us --samples 40
check "forced" 1 "$(grep -c '"forced": false' /run/wake)"
check "idle states without forcing" "$before" "$(disabled)"

# The command that --target prints works. A busy host can spoil one try.
for state in "1 0" "2 0" "3 20"; do
	order "idle $last $state 0 0 0"
done
for _ in 1 2 3 4 5 6; do
	wake --states C1 --gap 500us --samples 1000 --target 1000000us
	command=$(sed -n 's/.*"command": "\(isst .*\)".*/\1/p' /run/wake)
	[ -z "$command" ] || break
done
check "command" "isst -c $threads cpuidle set --deepest C1" "$command"
eval "run 0 $command"
for cpu in "$first" "$last"; do
	check "states of CPU $cpu" "0 0 1 1 " "$(cat "$cpus/cpu$cpu"/cpuidle/state*/disable | tr '\n' ' ')"
done
run 0 isst -c "$threads" cpuidle set --deepest C6
order reset
run 0 isst -c "$last" measure wake --gap 1000us --samples 20
says "no idle states"
finish

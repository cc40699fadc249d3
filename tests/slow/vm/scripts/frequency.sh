# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# cpufreq and uncore on a real kernel: limits that are in force a little later, policies that go away
# in the middle, an uncore driver that is missing.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

# All of a limit's values, each once.
limits() {
	cat "$cpus"/cpu*/cpufreq/scaling_"$1"_freq 2>/run/null | sort -u | tr '\n' ' '
}

run 0 isst cpufreq set --lock base -c 2-5
check "lower limit" 2600000 "$(cat "$cpus/cpu3/cpufreq/scaling_min_freq")"
check "upper limit" 2600000 "$(cat "$cpus/cpu3/cpufreq/scaling_max_freq")"
run 0 isst cpufreq explain -c 3
says "maximum-bound-by:scaling-maximum"
says "minimum-bound-by:scaling-minimum"
run 0 isst cpufreq info
says "cpu-0-1,6-31"
run 0 isst cpufreq set --min min --max max
check "lower limits" "800000 " "$(limits min)"
check "upper limits" "3200000 " "$(limits max)"

# The kernel keeps the preference at performance under that governor: it is said.
run 0 isst cpufreq set --governor performance
run 1 isst cpufreq set --epp power
says "--governor powersave"
run 0 isst cpufreq set --governor powersave --epp power
check "preference" power "$(cat "$cpus/cpu7/cpufreq/energy_performance_preference")"
run 2 isst cpufreq set --governor ondemand
says "powersave"
run 0 isst cpufreq set --turbo off
check "no_turbo" 1 "$(cat "$cpus/intel_pstate/no_turbo")"

# CPUs that go and come while limits are set: all of those that are there, or none.
flicker() {
	while :; do
		echo 0 >"$cpus/cpu20/online"
		echo 1 >"$cpus/cpu20/online"
	done
}
run 0 isst cpufreq set --min min --max max
flicker &
flickering=$!
round=0
while [ "$round" -lt 10 ]; do
	isst cpufreq set --max $((1000 + 100 * round)) >/run/said 2>&1
	status=$?
	others=$(for cpu in 0 8 16 31; do cat "$cpus/cpu$cpu/cpufreq/scaling_max_freq"; done | sort -u)
	case $status:$others in
	0:$((1000000 + 100000 * round))) last=$others ;;
	1:"${last:-3200000}" | 2:"${last:-3200000}") ;;
	*) fail "status $status left $others, before ${last:-3200000}: $(cat /run/said)" ;;
	esac
	round=$((round + 1))
done
kill "$flickering"
wait
echo 1 >"$cpus/cpu20/online" 2>/run/null
wait_until 5 [ -e "$cpus/cpu20/topology" ] || fail "CPU 20 stays away"

# Uncore by package, and without its driver.
run 0 isst uncore set --max 1800 --min 1000
check "uncore" 1800000 "$(cat "$cpus"/intel_uncore_frequency/package_01_die_*/max_freq_khz)"
run 0 isst -c 16 uncore set --max 2400
check "uncore of package 0" 1800000 "$(cat "$cpus/intel_uncore_frequency/package_00_die_00/max_freq_khz")"
check "uncore of package 1" 2400000 "$(cat "$cpus"/intel_uncore_frequency/package_01_die_*/max_freq_khz)"
rmmod intel_uncore_frequency
run 3 isst uncore info
run 3 isst uncore set --max 2000

# Without a Speed Select driver all this goes on, and is what is named.
rmmod isst_if_mmio
rmmod isst_if_mbox_pci
rmmod isst_if_common
run 0 isst --info
says "cpufreq"
run 3 isst perf-profile info
says "cpufreq"
run 0 isst cpufreq set --max 2000
check "upper limits" "2000000 " "$(limits max)"
run 3 isst cpuidle info
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: gnr-6776p-2s
# Energy and power limits by the kernel's intel_rapl_tpmi: the PMU power, and powercap.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

zones=/sys/class/powercap
pmu=/sys/bus/event_source/devices/power
result=/run/result

# zone NAME: its directory. The number of a zone is not that of the package.
zone() {
	for directory in "$zones"/intel-rapl:*; do
		[ "$(cat "$directory/name")" = "$1" ] && echo "$directory"
	done
}

# measure OPTION...: runs for a second on a CPU of each package.
measure() {
	run 0 isst -f json -o "$result" -c 0,16 measure run --seconds 1 "$@"
}

# figures NAME: of the packages, one after the other.
figures() {
	sed -n '/"packages"/,$s/^ *"'"$1"'": \(.*\)/\1/p' "$result" | tr -d '",' | tr '\n' ' '
}

# reason TEXT: is that one of the reasons?
reason() {
	grep -q "$1" "$result" || fail "\"$1\" is not in $(cat "$result")"
}

# near WHAT TOLERANCE-PERCENT EXPECTED... -- FOUND...
near() {
	what=$1
	tolerance=$2
	shift 2
	echo "$*" | awk -v tolerance="$tolerance" '
		{
			half = (NF - 1) / 2
			ok = $(half + 1) == "--"
			for (i = 1; i <= half; i++) {
				gap = $(half + 1 + i) - $i
				most = $i * tolerance / 100
				ok = ok && $(half + 1 + i) != "null" && gap <= most && -gap <= most
			}
			exit !ok
		}' || fail "$what: $*"
}

# jump COUNT COUNT...: the counter of package 0 moves from one to the next while a command runs.
jump() {
	order energy 0 package "$1"
	shift
	# shellcheck disable=SC2016 # expanded by the command
	measure -- sh -c 'for count; do
		echo energy 0 package "$count" >/proc/isst_lab
		sleep 2
	done' sh "$@"
}

# joules COUNT: so much energy is that, in units of 2^-14 J.
joules() {
	awk -v count="$1" 'BEGIN { print count / 16384 }'
}

last=4294967296 # counters go on at 0 there
noise=20 # percent: the emulator can stop a CPU for a tenth of a second

# No driver: no figure, but a reason.
measure
check "watts" "null null " "$(figures watts)"
reason '"watts-reason": "/sys/class/powercap has no zone of the package"'

insmod /lab/modules/intel_rapl_common.ko
insmod /lab/modules/intel_rapl_tpmi.ko
wait_until 5 [ -e "$pmu/type" ] || fail "no PMU"
check "zone 1" psys "$(cat "$zones/intel-rapl:1/name")"
check "zone 2" package-1 "$(cat "$zones/intel-rapl:2/name")"

# A counter that rests is no power of 0.
measure
check "watts" "null null " "$(figures watts)"
check "reason" "counter does not move counter does not move " "$(figures watts-reason)"
check "power of memory" "null null " "$(figures dram-watts)"

# By the PMU: each package has its own, and that of memory is not added.
order power 0 package 200000
order power 0 memory 80000
order power 0 system 400000
order power 1 package 100000
order power 1 memory 40000
measure
near "watts" $noise 200 100 -- "$(figures watts)"
near "watts of memory" $noise 80 40 -- "$(figures dram-watts)"
check "source" "PMU power PMU power " "$(figures watts-source)"

# Its first CPU goes: another one of the package counts.
echo 0 >"$cpus/cpu16/online"
run 0 isst -f json -o "$result" -c 0,17 measure run --seconds 1
near "watts" $noise 200 100 -- "$(figures watts)"
echo 1 >"$cpus/cpu16/online"

# A user without counters: powercap, if it may be read.
run 0 helper user 1000 isst -f json -o - -c 0,16 measure run --seconds 1
echo "$said" >"$result"
check "watts" "null null " "$(figures watts)"
reason '"watts-reason": "perf_event_paranoid is 3: .*; /sys/class/powercap/intel-rapl:0/energy_uj may be read by root only"'
chmod 0444 "$zones"/*/energy_uj
run 0 helper user 1000 isst -f json -o - -c 0,16 measure run --seconds 1
echo "$said" >"$result"
near "watts" $noise 200 100 -- "$(figures watts)"
near "watts of memory" $noise 80 40 -- "$(figures dram-watts)"
check "source" "powercap powercap " "$(figures watts-source)"
chmod 0400 "$zones"/*/energy_uj

# A counter that goes on at 0 loses nothing. The PMU of Linux 6.12 does: then powercap has the figure.
order power 0 package 0
jump $((last - 1000)) 2000000
near "joules" 0.01 "$(joules 2001000)" -- "$(figures joules | cut -d ' ' -f 1)"
# By powercap, more than once: a command can run longer than the time that was asked for.
mkdir /run/empty
mount --bind /run/empty "$pmu"
jump 1000 $((last / 2)) 2000 $((last / 2))
check "source" "powercap powercap " "$(figures watts-source)"
near "joules" 0.01 "$(joules $((last + last / 2 - 1000)))" -- "$(figures joules | cut -d ' ' -f 1)"
umount "$pmu"

# metrics: the counter of a domain, in joules.
metric() {
	isst metrics | sed -n "s/^isst_energy_joules_total{$1} //p"
}
order energy 0 package $((last - 1000))
before=$(metric 'package="0",domain="package"')
near "joules of metrics" 0.01 "$(awk '{ print $1 / 1e6 }' "$(zone package-0)/energy_uj")" -- "$before"
order energy 0 package 2000000
after=$(metric 'package="0",domain="package"')
near "joules of metrics" 0.01 "$(joules 2001000)" -- "$(echo "$after $before" | awk '{ print $1 - $2 }')"
order power 0 memory 0
order energy 0 memory 3000000
order power 0 system 0
order energy 0 system 4000000
rm -rf /run/intel-speed-select
near "joules of memory" 0.01 "$(joules 3000000)" -- "$(metric 'package="0",domain="dram"')"
near "joules of the machine" 0.01 "$(joules 4000000)" -- "$(metric 'domain="psys"')"

# Garbled.
mount --bind /run/empty "$pmu"
echo garbled >/run/garbled
mount --bind /run/garbled "$(zone package-0)/energy_uj"
measure
check "watts of package 0" null "$(figures watts | cut -d ' ' -f 1)"
reason '"watts-reason": "/sys/class/powercap/intel-rapl:0/energy_uj is garbled"'
near "watts of package 1" $noise 100 -- "$(figures watts | cut -d ' ' -f 2)"
umount "$(zone package-0)/energy_uj"
umount "$pmu"

# Power limits, by the name of the zone too.
order power 0 package 250000
order power 1 package 100000
echo 200000000 >"$(zone package-0)/constraint_0_power_limit_uw"
run 0 isst metrics
says 'isst_power_limit_watts{package="0",constraint="long_term"} 200'
says 'isst_power_limit_watts{package="0",constraint="short_term"} 360'
says 'isst_power_limit_watts{package="0",constraint="peak_power"} 600'
says 'isst_power_limit_watts{package="1",constraint="long_term"} 300'
run 0 isst -c 0,16 cpufreq explain --measure 1
says "W; the limit is 200.0 W (powercap)"
case $said in
*"the limit is 300"*) fail "package 1 is not at its limit: $said" ;;
esac
# One that is off limits nothing; the TDP of the level is higher.
echo 0 >"$(zone package-0)/enabled"
run 0 isst -c 0 cpufreq explain --measure 1
case $said in
*"the limit is"*) fail "the limit is off: $said" ;;
esac
# limit NAME CONSTRAINT: of a zone, in uW; window: in us.
limit() {
	cat "$(zone "$1")/constraint_$2_power_limit_uw"
}
window() {
	cat "$(zone "$1")/constraint_$2_time_window_us"
}

# Set: a limit that is off goes on; units of 1/8 W and 977 us; each zone by its name.
run 0 isst power info
says "off, or locked by BIOS"
run 0 isst -c 0 power set --enable
check "enabled" 1 "$(cat "$(zone package-0)/enabled")"
run 0 isst power set --pl1 250.3 --pl2 320 --pl1-window 5s
says "package-0: long-term power limit (PL1): the hardware rounds it to 250.25 W"
for package in package-0 package-1; do
	check "PL1 of $package" 250250000 "$(limit $package 0)"
	check "PL2 of $package" 320000000 "$(limit $package 1)"
	awk -v us="$(window $package 0)" 'BEGIN { exit !(us <= 5000000 && us >= 4000000) }' ||
		fail "window of $package: $(window $package 0)"
done
check "limit of the machine" 300000000 "$(limit psys 0)"
run 0 isst power set --pl1 250.3
check "said again" "" "$said"
run 0 isst -c 16 power set --pl1 tdp --pl2 400
check "PL1 of package 1" 300000000 "$(limit package-1 0)"
check "PL1 of package 0" 250250000 "$(limit package-0 0)"
run 0 isst power set --pl1 max --pl2 700
check "PL1 of package 0" "$(cat "$(zone package-0)/constraint_0_max_power_uw")" "$(limit package-0 0)"
run 0 isst power set --domain dram --pl1 180.5
check "PL1 of memory" 180500000 "$(cat "$zones/intel-rapl:0:0/constraint_0_power_limit_uw")"
run 0 isst power set --domain psys --pl1 600
check "PL1 of the machine" 600000000 "$(limit psys 0)"
run 2 isst power set --pl1 9
says "is below the lowest limit, 10 W"
run 0 isst state restore
for package in package-0 package-1; do
	check "PL2 of $package" 360000000 "$(limit $package 1)"
done
check "PL1 of package 1" 300000000 "$(limit package-1 0)"
check "limit of the machine" 300000000 "$(limit psys 0)"

# enabled: of packages alone, read back, and restored with a limit of the same command.
# enabled_of NAME...: one figure for each zone.
enabled_of() {
	for name; do
		cat "$(zone "$name")/enabled"
	done | tr '\n' ' '
}
run 0 isst power set --enable
check "enabled" "1 1 1 " "$(enabled_of package-0 package-1 psys)"
run 0 isst power set --disable --pl1 210
says "it cannot be undone exactly"
check "enabled" "0 0 1 " "$(enabled_of package-0 package-1 psys)"
check "enabled of memory" 1 "$(cat "$zones/intel-rapl:0:0/enabled")"
check "PL1 of package 1" 210000000 "$(limit package-1 0)"
run 0 isst power set --disable
check "said again" "" "$said"
run 0 isst -c 0 power set --enable
check "enabled" "1 0 1 " "$(enabled_of package-0 package-1 psys)"
# The limits of package 0 were off, and at 200 W, before the first command.
run 0 isst state restore
check "enabled" "0 1 1 " "$(enabled_of package-0 package-1 psys)"
check "PL1 of package 0" 200000000 "$(limit package-0 0)"
check "PL1 of package 1" 300000000 "$(limit package-1 0)"

# Units of 1 W.
rmmod intel_rapl_tpmi
order unit 0
insmod /lab/modules/intel_rapl_tpmi.ko
run 0 isst power set --pl1 1500.7 --pl2 2900
says "the hardware rounds it to 150"
before=$(limit package-0 0)
run 0 isst power set --pl1 1500.7
check "the same again" "$before" "$(limit package-0 0)"

# A lock of BIOS on one package: nothing is left changed on the other one.
rmmod intel_rapl_tpmi
order unit 3
order lock 1
insmod /lab/modules/intel_rapl_tpmi.ko
before=$(limit package-0 0)
run 1 isst power set --pl1 180
says "package-1: long-term power limit (PL1): locked by BIOS"
check "PL1 of package 0" "$before" "$(limit package-0 0)"
run 0 isst power info
says "off, or locked by BIOS"
run 1 isst -c 16 power set --enable
says "package-1: power limits of the zone: locked by BIOS"
run 0 isst -c 0 power set --pl1 180
check "PL1 of package 0" 180000000 "$(limit package-0 0)"
finish

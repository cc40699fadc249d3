# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# State documents with the real drivers: two documents that name all that this kernel has, one after
# the other; what others change is found; a clean state; and the change journal and an export bring
# the first state back.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

document=/run/document
level=$(isst --info 2>&1 | sed -n 's/.*max level: //p')
is_clx_n=$(grep -c 62..N /proc/cpuinfo)
max=$(cat "$cpus/cpu0/cpufreq/cpuinfo_max_freq")

# describe SETTINGS
describe() {
	printf '{"format": "intel-speed-select-state", "version": 1, "settings": [%s]}\n' "$1" >"$document"
}

# apply_it: then nothing differs, a second time nothing is written, and it is this machine's export.
apply_it() {
	run 0 isst state apply "$document"
	run 0 isst state check "$document"
	run 0 isst state apply "$document"
	case $said in
	*" -> "*) fail "it is applied again: $said" ;;
	esac
	run 0 isst -o /run/exported state export
	run 0 isst state check /run/exported
}

# differs PLACE-AND-SETTING FILE VALUE: a change by others, which is taken back.
differs() {
	before=$(cat "$2")
	echo "$3" >"$2"
	run 6 isst state check "$document"
	says "$1"
	echo "$before" >"$2"
}

# What Speed Select has: Cascade Lake-N is set by BIOS; some parts have no levels, or no SST-CP.
if isst --info 2>&1 | grep -q "SST-CP .* is supported"; then
	lacks_clos=false
else
	lacks_clos=true
fi
base=1200
[ -z "$level" ] || base='"base"'
speed_select='{"for": "all", "optional": true, "perf-profile": {"level": '${level:-0}'}, "online": "follow-level"},
	{"for": "all", "optional": true, "turbo-freq": {"enabled": true}},
	{"for": "all", "optional": '$lacks_clos', "core-power": {"enabled": true, "priority": "ordered", "clos":
		{"0": {"min-mhz": '$base', "weight": 1}, "3": {"max-mhz": 2000, "weight": 15}}}},
	{"for": "all", "optional": true, "core-power": {"clos": {"3": {"epp": 9, "desired-mhz": 1500}}}},
	{"for": "cpu 1", "optional": '$lacks_clos', "core-power": {"assoc": 3}},
	{"for": "cpu other", "optional": '$lacks_clos', "core-power": {"assoc": 0}},'
other_speed_select='{"for": "all", "optional": true, "perf-profile": {"level": 0}, "online": "follow-level"},
	{"for": "all", "optional": true, "base-freq": {"enabled": true}, "turbo-freq": {"enabled": false}},
	{"for": "all", "turbo-mode": {"trl": "level"}},
	{"for": "all", "optional": '$lacks_clos',
		"core-power": {"enabled": false, "priority": "proportional", "clos": {"0": {"min-mhz": "min"}}}},'
[ "$is_clx_n" = 0 ] || speed_select='' other_speed_select=''

run 0 isst -o /run/first state export
describe "$speed_select"'
	{"for": "all", "uncore": {"min-mhz": 1200, "max-mhz": 1800}},
	{"for": "machine", "cpufreq": {"turbo": true, "min-pct": 50, "max-pct": 90, "pstate": "active"}, "cpuidle": {"governor": "menu"}},
	{"for": "cpu 0-1", "cpufreq": {"min-mhz": 1200, "max-mhz": "max", "governor": "powersave", "epp": "power"}, "cpuidle": {"qos-latency-us": 20}},
	{"for": "cpu 2-3", "cpufreq": {"governor": "performance"}}'
apply_it
check "least frequency" 1200000 "$(cat "$cpus/cpu0/cpufreq/scaling_min_freq")"
check "governor" performance "$(cat "$cpus/cpu2/cpufreq/scaling_governor")"
check "latency" 20 "$(cat "$cpus/cpu1/power/pm_qos_resume_latency_us")"
[ "$is_clx_n" != 0 ] || check "level" "${level:-0}" "$(level 0)"

describe "$other_speed_select"'
	{"for": "package-1", "uncore": {"min-mhz": "min", "max-mhz": 2000}},
	{"for": "machine", "cpufreq": {"turbo": false, "min-pct": 30, "max-pct": 100}},
	{"for": "all", "cpufreq": {"min-mhz": "min", "max-mhz": 1500, "governor": "powersave", "epp": "balance_performance"}, "cpuidle": {"qos-latency-us": "none"}}'
apply_it
check "turbo" 1 "$(cat "$cpus/intel_pstate/no_turbo")"
check "highest frequency" 1500000 "$(cat "$cpus/cpu5/cpufreq/scaling_max_freq")"

# What others change is found.
differs "cpu-5 cpufreq.max-mhz: 1400, wanted 1500" "$cpus/cpu5/cpufreq/scaling_max_freq" 1400000
differs "cpufreq.turbo" "$cpus/intel_pstate/no_turbo" 0
differs "qos-latency-us: 7, wanted none" "$cpus/cpu3/power/pm_qos_resume_latency_us" 7
differs "uncore.max-mhz" "$(find "$cpus"/intel_uncore_frequency/*/ -name max_freq_khz | grep -v /package_00 | tail -n 1)" 1900000
if [ "$is_clx_n" = 0 ] && ! "$lacks_clos"; then
	run 0 isst core-power config --clos 0 -n 1200
	run 6 isst state check "$document"
	says "clos.0.min-mhz: 1200, wanted min"
	[ "${level:-0}" = 0 ] || {
		order level 1 0 "$level"
		run 6 isst state check "$document"
		says "package-1"
		says "perf-profile.level: $level, wanted 0"
	}
fi

# A clean state, which a second restore leaves as it is.
if [ -n "$level" ]; then
	run 0 isst state restore --to clean --level 0
else
	run 0 isst state restore --to clean
fi
check "turbo in the clean state" 0 "$(cat "$cpus/intel_pstate/no_turbo")"
check "highest frequency in the clean state" "$max" "$(cat "$cpus/cpu5/cpufreq/scaling_max_freq")"
run 0 isst state restore --to clean
case $said in
*" -> "*) fail "it is made clean again: $said" ;;
esac

# The first state, to the letter: from the change journal, and from its export.
check_first() {
	run 0 isst -o /run/exported state export
	cmp -s /run/first /run/exported || fail "$1: not as at first: $(diff /run/first /run/exported)"
}

run 0 isst state restore
check_first "restore"
run 0 isst state apply "$document"
run 0 isst state apply /run/first
check_first "apply"
finish

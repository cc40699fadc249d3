# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: gnr-6776p-2s
# with: plr
# Why the hardware limits frequencies, by the kernel's intel_plr_tpmi.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

debugfs=/sys/kernel/debug
result=/run/result

# Reasons as the registers have them: groups below bit 32, which are all that a power domain has.
power=4
thermal=8
per_core=80000000000000 # THERMAL_PER_CORE
package_limit=40000000000 # POWER_PKG_PL1_MSR_TPMI
turbo_limit=8000000000 # FREQUENCY_PCS_TRL
cap=100000000000 # POWER_PKG_PL1_PCS

# statuses: all that the driver shows.
statuses() {
	grep . "$debugfs"/tpmi-*/plr/domain*/status
}

# words NAME: the elements of that member of the first CPU, or of the package, in $result.
words() {
	tr -d ' \n' <"$result" | sed -n 's/.*"'"$1"'":\[\([^]]*\)\].*/\1/p'
}

# of_cpu NAME, of_package NAME: the same, of the only CPU, or of its package.
of_cpu() {
	sed '/"packages"/,$d' "$result" >"$result.part"
	result=$result.part words "$1"
}

of_package() {
	sed -n '/"packages"/,$p' "$result" >"$result.part"
	result=$result.part words "$1"
}

# reason TEXT: is that the reason why there are no limits?
reason() {
	run 0 isst -f json -c 2 measure run --seconds 1 --limits
	says "\"limits-reason\": \"$1"
}

reason "the kernel shows no limit reasons"
mount -t debugfs debugfs "$debugfs"
reason "the kernel shows no limit reasons ($debugfs/tpmi-*/plr)"
insmod intel_plr_tpmi.ko || fail "the driver does not load"
wait_until 5 [ -e "$debugfs/tpmi-0011:30:00.0/plr/domain4/status" ] || fail "no files"
check "an IO die" "cpus none" "$(cat "$debugfs/tpmi-0010:30:00.0/plr/domain3/status")"

# What is set before the window, and what appears in it: of the core, and of the power domain.
order reasons cpu 2 $per_core
order reasons domain 0 0 $thermal
order reasons cpu 16 $turbo_limit
before=$(cat /proc/isst_lab)
run 0 isst -f json -o "$result" -c 2 measure run --seconds 1 --limits -- \
	sh -c "printf '%s\\n' 'reasons cpu 2 $package_limit' 'reasons domain 0 0 $power' >/proc/isst_lab"
after=$(cat /proc/isst_lab)
check "limits of the CPU" '"POWER_PKG_PL1_MSR_TPMI"' "$(of_cpu limits)"
check "earlier ones" '"THERMAL_PER_CORE"' "$(of_cpu limits-earlier)"
check "limits of the package" '"POWER"' "$(of_package limits)"
check "earlier ones of the package" '"THERMAL"' "$(of_package limits-earlier)"
# A round for each CPU, at the start and at the end.
check "rounds" 64 $((after - before))
run 0 isst -c 2 measure run --seconds 1
check "rounds without --limits" "$after" "$(cat /proc/isst_lab)"
run 0 isst -f json -o "$result" -c 2 measure run --seconds 1 --limits
check "limits of the CPU" "" "$(of_cpu limits)"
check "earlier ones" '"POWER_PKG_PL1_MSR_TPMI","THERMAL_PER_CORE"' "$(of_cpu limits-earlier)"

# why: both threads of a core; another core is not limited.
(sleep 1 && order reasons cpu 3 $turbo_limit) &
run 0 isst -c 2-4 cpufreq explain --measure 3
says "limit reason FREQUENCY_PCS_TRL appeared"
says "POWER_PKG_PL1_MSR_TPMI, THERMAL_PER_CORE: since the last clear,"
check "explanations" 2 "$(echo "$said" | grep -c ^conclusion)"
case $said in
*"POWER_PKG_PL1_MSR_TPMI appeared"*) fail "that was set before: $said" ;;
esac

run 0 isst metrics --limit-reasons
for name in THERMAL POWER THERMAL_PER_CORE POWER_PKG_PL1_MSR_TPMI FREQUENCY_PCS_TRL; do
	says "isst_limit_reason_active{package=\"0\",power_domain=\"0\",reason=\"$name\"} 1"
done
says 'isst_limit_reason_active{package="1",power_domain="0",reason="FREQUENCY_PCS_TRL"} 1'
check "reasons" 6 "$(echo "$said" | grep -c '^isst_limit_reason_active.* 1$')"

# The driver lists offline CPUs, too.
echo 0 >"$cpus/cpu1/online"
echo 0 >"$cpus/cpu3/online"
grep -q "^cpu3 .*THERMAL_PER_CORE" "$debugfs/tpmi-0010:30:00.0/plr/domain0/status" || fail "no CPU 3"
run 0 isst -f json -o "$result" -c 2 measure run --seconds 1 --limits
check "earlier ones" '"FREQUENCY_PCS_TRL","POWER_PKG_PL1_MSR_TPMI","THERMAL_PER_CORE"' \
	"$(of_cpu limits-earlier)"
check "earlier ones of the package" '"POWER","THERMAL"' "$(of_package limits-earlier)"
echo 1 >"$cpus/cpu1/online"
echo 1 >"$cpus/cpu3/online"

# Nothing was cleared.
check "cpu2" "cpu2 FREQUENCY_PCS_TRL POWER_PKG_PL1_MSR_TPMI THERMAL_PER_CORE" \
	"$(statuses | sed -n 's/.*status:\(cpu2 \)/\1/p')"
check "cpu16" "cpu16 FREQUENCY_PCS_TRL" "$(statuses | sed -n 's/.*status:\(cpu16 \)/\1/p')"
check "power domain 0" "cpus POWER THERMAL" "$(sed -n 1p "$debugfs/tpmi-0010:30:00.0/plr/domain0/status")"

# The management controller caps the package: cleared on request, and there again. Without a
# frequency nothing is concluded from it.
order reasons cpu 4 $cap
(sleep 1 && order reasons cpu 4 $cap) &
run 0 isst -c 4 cpufreq explain --measure 3 --clear-limits
says "limit reason POWER_PKG_PL1_PCS appeared"
order reasons cpu 4 $cap
run 0 isst -c 4 cpufreq explain --measure 1 --clear-limits
case $said in
*POWER_PKG_PL1_PCS*appeared*) fail "it was cleared, and did not appear: $said" ;;
esac
check "cpu4" "" "$(statuses | grep 'status:cpu4 .*PCS')"

# A locked-down kernel lets nobody read it.
mount -t securityfs securityfs /sys/kernel/security
echo integrity >/sys/kernel/security/lockdown
reason "$debugfs/tpmi-0010:30:00.0/plr/domain0/status: the kernel does not permit it, as under lockdown"
rmmod intel_plr_tpmi
reason "the kernel shows no limit reasons ($debugfs/tpmi-*/plr)"
finish

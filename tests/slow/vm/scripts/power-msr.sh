# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# Power limits by the kernel's intel_rapl_msr: units, clamping, all zones by their names.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

zones=/sys/class/powercap
for module in intel_rapl_common intel_rapl_msr msr; do
	insmod /lab/modules/$module.ko
done
wait_until 5 [ -e "$zones/intel-rapl:1/name" ] || fail "no zones"

# limit ZONE FILE: of a zone.
limit() {
	cat "$zones/intel-rapl:$1/$2"
}

# register CPU: the upper and the lower half of MSR 0x610.
register() {
	dd if="/dev/cpu/$1/msr" bs=8 skip=$((0x610 / 8)) count=1 2>/dev/null |
		hexdump -e '2/4 "%08x "' | awk '{ print $2, $1 }'
}

other=0 # a CPU of package 1
while [ "$(cat "$cpus/cpu$other/topology/physical_package_id")" != 1 ]; do
	other=$((other + 1))
done

# The limits are on (bits 15 and 47) and clamp (16 and 48); there is no psys.
check "zones" "package-0 dram package-1 dram " "$(cat "$zones"/intel-rapl:*/name | tr '\n' ' ')"
first=$(register 0)
check "register" "000187b0 00158668" "$first"

# Units of 1/8 W and 977 us. Setting a limit clamps as before.
run 0 isst power set --pl1 150.3 --pl2 200 --pl1-window 5s
says "package-1: long-term power limit (PL1): the hardware rounds it to 150.25 W"
for zone in 0 1; do
	check "PL1 of zone $zone" 150250000 "$(limit $zone constraint_0_power_limit_uw)"
	check "PL2 of zone $zone" 200000000 "$(limit $zone constraint_1_power_limit_uw)"
	check "window of zone $zone" 4997120 "$(limit $zone constraint_0_time_window_us)"
done
set_limits=$(register $other)
run 0 isst -c $other power set --domain dram --pl1 30
check "PL1 of memory" 30000000 "$(limit 1:0 constraint_0_power_limit_uw)"
check "PL1 of the other memory" 40000000 "$(limit 0:0 constraint_0_power_limit_uw)"
run 3 isst power set --domain psys --pl1 300

# enabled switches both limits and their clamping, and comes back with both.
run 0 isst -c $other power set --disable
says "it cannot be undone exactly"
check "enabled" "1 0" "$(limit 0 enabled) $(limit 1 enabled)"
check "register" "00018640 005984b2" "$set_limits"
check "register of limits that are off" "00000640 005804b2" "$(register $other)"
run 0 isst -c $other power set --enable
check "enabled" "1 1" "$(limit 0 enabled) $(limit 1 enabled)"
check "register of limits that are on again" "$set_limits" "$(register $other)"

# Limits that do not clamp do so after that, as the note says.
printf '\262\204\130\0\100\206\0\0' |
	dd of="/dev/cpu/$other/msr" bs=8 seek=$((0x610 / 8)) 2>/dev/null
check "register without clamping" "00008640 005884b2" "$(register $other)"
run 0 isst -c $other power set --pl1 150 --pl2 200
check "limits alone are set" "00008640 005884b0" "$(register $other)"
run 0 isst -c $other power set --disable
run 0 isst -c $other power set --enable
check "register with clamping" "00018640 005984b0" "$(register $other)"

run 0 isst state restore
check "register" "$first" "$(register 0)"
check "register of package 1" "$first" "$(register $other)"
check "PL1 of memory" 40000000 "$(limit 1:0 constraint_0_power_limit_uw)"
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# CPUs really go offline with a level and come back; what is offline has no topology in the kernel's
# files, and cpu0 has no online file at all.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

[ ! -e "$cpus/cpu0/online" ] || fail "cpu0 has an online file here"

# The map is made while everything is online.
run 0 isst perf-profile get-config-current-level
run 0 isst perf-profile set-config-level -l 3 -o
check "online at level 3" 0-3,6-7,10-11,14-19,22-23,26-27,30-31 "$(online)"
[ ! -e "$cpus/cpu4/topology/physical_package_id" ] || fail "cpu4 kept its topology"

# What is offline is still known, and shown among the CPUs of its domain.
run 0 isst -c 0 perf-profile info -l 0
says "cpu-count:16"
says "enable-cpu-list:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
run 2 isst -c 4 core-power get-assoc
says "this CPU is offline"

run 0 isst perf-profile set-config-level -l 4 -o
check "online at level 4" 0-3,6-7,10-11,16-19,22-23,26-27 "$(online)"
run 0 isst perf-profile set-config-level -l 0 -o
check "online at level 0" 0-31 "$(online)"
check "level" 0 "$(level 0)"

# Without a map a CPU that is offline cannot be placed; the others are served.
echo 0 >"$cpus/cpu9/online"
rm -rf /run/intel-speed-select
run 0 isst perf-profile get-config-current-level
says "get-config-current_level:0"

# A package whose CPUs are all offline is not lost to those who have the map.
echo 1 >"$cpus/cpu9/online"
run 0 isst perf-profile get-config-current-level
for cpu in 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; do
	echo 0 >"$cpus/cpu$cpu/online"
done
run 0 isst -c 0 perf-profile get-config-current-level
says "get-config-current_level:0"
isst perf-profile get-config-current-level >/run/said 2>&1
grep -q "package-0" /run/said || fail "package 0 is gone: $(cat /run/said)"
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# cgroup v2: real partitions for -g, and one that the kernel makes invalid.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

# The CPUs of all isolated partitions; Linux 6.1 has no file of them.
isolated() {
	if [ -e "$groups/cpuset.cpus.isolated" ]; then
		cat "$groups/cpuset.cpus.isolated"
		return
	fi
	list=
	for directory in "$groups"/*/; do
		[ "$(cat "$directory/cpuset.cpus.partition")" = isolated ] || continue
		list=$list${list:+,}$(cat "$directory/cpuset.cpus.effective")
	done 2>/dev/null
	echo "$list"
}

run 0 isst -g perf-profile set-config-level -l 3 -o
check "CPUs of package 0" 4-5,8-9,12-13 "$(cat "$groups/0-0-0/cpuset.cpus")"
check "partition of package 0" isolated "$(cat "$groups/0-0-0/cpuset.cpus.partition")"
check "isolated CPUs" 4-5,8-9,12-13,20-21,24-25,28-29 "$(isolated)"
check "online" 0-31 "$(online)"
run 0 isst -g perf-profile set-config-level -l 0 -o
check "isolated CPUs at level 0" "" "$(isolated)"

# Somebody else has one of the CPUs for itself.
mkdir "$groups/other"
echo 28 >"$groups/other/cpuset.cpus"
echo isolated >"$groups/other/cpuset.cpus.partition"
run 1 isst -g perf-profile set-config-level -l 3 -o
says "another control group"
says "cpu-28"
check "level" 0 "$(level 0)"
check "isolated CPUs" 28 "$(isolated)"
echo member >"$groups/other/cpuset.cpus.partition"
rmdir "$groups/other"
run 0 isst -g perf-profile set-config-level -l 3 -o
check "isolated CPUs" 4-5,8-9,12-13,20-21,24-25,28-29 "$(isolated)"
finish

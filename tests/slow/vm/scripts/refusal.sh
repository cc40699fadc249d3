# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# A CPU that does not go: a deadline task has it alone. The level is taken back, nothing is half done.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

run 0 isst perf-profile get-config-current-level
echo +cpuset >"$groups/cgroup.subtree_control"
mkdir "$groups/busy"
echo 28 >"$groups/busy/cpuset.cpus"
echo isolated >"$groups/busy/cpuset.cpus.partition"
check "the partition" isolated "$(cat "$groups/busy/cpuset.cpus.partition")"
sh -c "echo 0 >$groups/busy/cgroup.procs; exec helper deadline 100" >/run/deadline &
wait_until 5 grep -q ready /run/deadline || fail "no deadline task"
if echo 0 >"$cpus/cpu28/online" 2>/dev/null; then
	fail "the kernel let CPU 28 go"
fi

run 1 isst perf-profile set-config-level -l 3 -o
says "cpu-28"
says "busy"
says "undone"
check "online" 0-31 "$(online)"
check "level" 0 "$(level 0)"
check "level of package 1" 0 "$(level 16)"

# As soon as the task is gone it works.
kill %1
wait
run 0 isst perf-profile set-config-level -l 3 -o
check "online at level 3" 0-3,6-7,10-11,14-19,22-23,26-27,30-31 "$(online)"
run 0 isst perf-profile set-config-level -l 0 -o
check "online at level 0" 0-31 "$(online)"

# A task in an isolated partition does not keep the CPU; the partition comes back with it.
sh -c "echo 0 >$groups/busy/cgroup.procs; exec sleep 100" &
usleep 100000
run 0 isst perf-profile set-config-level -l 3 -o
run 0 isst perf-profile set-config-level -l 0 -o
check "online" 0-31 "$(online)"
check "the partition" isolated "$(cat "$groups/busy/cpuset.cpus.partition")"
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# Hardware that misbehaves behind the real driver.
# mailbox NUMBER MASK DATA PACKAGE SKIP TIMES CODE BUSY DROP DELAY-US
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

# Busy twice: no effect. Busy for ever: it is reported, and nothing was changed.
order mailbox 7f08 ffff -1 -1 0 2 0 1 0 0
run 0 isst perf-profile set-config-level -l 3
check "level" 3 "$(level 0)"
order reset
order mailbox 7f08 ffff -1 -1 0 -1 0 1 0 0
run 1 isst perf-profile set-config-level -l 3
says "busy"
order reset
check "level" 0 "$(level 0)"

# A level that is taken and never comes, in one package.
order mailbox 7f08 ffff 3 1 0 -1 0 0 1 0
run 1 isst perf-profile set-config-level -l 3 -o
says "package-1"
says "undone"
check "level" 0 "$(level 0)"
check "level of package 1" 0 "$(level 16)"
check "online" 0-31 "$(online)"
order reset

# Firmware refuses the middle of a batch: the driver returns a short count and no errno.
before=$(cat /proc/isst_lab)
order mailbox 7f03 ffff 3 -1 0 -1 22 0 0 0
run 1 isst -c 0 perf-profile info
says "ENXIO"
after=$(cat /proc/isst_lab)
[ "$((after - before))" -gt 20 ] || fail "no batch was sent: $((after - before)) commands"
order reset

# A base frequency that is not reported is no error.
order mailbox 7f0a ffff -1 -1 0 -1 1 0 0 0
run 0 isst -c 0 perf-profile info -l 0
says "base-frequency(MHz)"
order reset

# A slow mailbox is slower than the driver waits, or it is not; nothing is half done.
order mailbox 7f08 ffff -1 -1 0 -1 0 0 0 3000
isst perf-profile set-config-level -l 4 >/run/said 2>&1
status=$?
order orders_done
case $status in
0) check "level of a slow mailbox" 4 "$(level 0)" ;;
1) check "level of a slow mailbox" 0 "$(level 0)" ;;
*) fail "status $status: $(cat /run/said)" ;;
esac
finish

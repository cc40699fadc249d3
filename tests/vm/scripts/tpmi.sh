# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: gnr-6776p-2s
# TPMI: what the real driver refuses, and firmware that does not listen, or lets one wait.
# shellcheck source=tests/vm/guest/functions.sh
. ./functions.sh

run 0 isst perf-profile set-config-level -l 1 -o
check "level" 1 "$(level 0)"
run 0 isst perf-profile set-config-level -l 1
run 0 isst perf-profile set-config-level -l 0 -o
check "online" 0-31 "$(online)"

order ignored_writes 1
run 1 isst perf-profile set-config-level -l 1
says "not allowed"
run 1 isst core-power enable
order reset
check "level" 0 "$(level 0)"

order allowed 1
run 1 isst perf-profile set-config-level -l 1
order reset

order hwp_off 1
run 1 isst perf-profile set-config-level -l 1
says "HWP is off"
order reset

run 4 helper without-admin isst perf-profile set-config-level -l 1
says "CAP_SYS_ADMIN"
run 0 isst perf-profile set-config-level -l 1

# BIOS blocks writing: the driver asks once, when it is bound.
order blocked_writes 1
rmmod isst_tpmi
insmod /lab/modules/isst_tpmi.ko
run 1 isst perf-profile set-config-level -l 0
run 1 isst core-power enable
run 0 isst perf-profile get-config-levels
check "level" 1 "$(level 0)"
order blocked_writes 0

# Without a driver for its instances.
rmmod isst_tpmi
run 3 isst perf-profile get-config-levels
says "the driver has no instance"
insmod /lab/modules/isst_tpmi.ko
run 0 isst perf-profile get-config-levels
check "level" 1 "$(level 0)"
run 0 isst perf-profile set-config-level -l 0
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# Who may do what: device permissions, and the driver's own questions for CAP_SYS_ADMIN.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

run 4 helper user 1000 isst perf-profile get-config-levels
says "ermission"
run 4 helper user 1000 isst perf-profile set-config-level -l 3

chmod 0644 /dev/isst_interface
run 0 helper user 1000 isst perf-profile get-config-levels
says "get-config-levels:4"
run 4 helper user 1000 isst perf-profile set-config-level -l 3
says "CAP_SYS_ADMIN"
run 4 helper user 1000 isst core-power config --clos 0 -w 3
says "CAP_SYS_ADMIN"
run 4 helper without-admin isst perf-profile set-config-level -l 3
says "CAP_SYS_ADMIN"
check "level" 0 "$(level 0)"
run 0 helper user 1000 isst --dry-run perf-profile set-config-level -l 3
says "0 -> 3"

# A user with the capability may set what is the driver's; kernel files stay root's.
run 0 helper admin-user 1000 isst perf-profile set-config-level -l 3
check "level" 3 "$(level 0)"
run 0 helper admin-user 1000 isst perf-profile set-config-level -l 0
run 4 helper admin-user 1000 isst perf-profile set-config-level -l 3 -o
says "ermission"
says "undone"
check "level" 0 "$(level 0)"

chmod 0000 /dev/isst_interface
run 4 helper user 1000 isst perf-profile get-config-levels
says "ermission"
finish

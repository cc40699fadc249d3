# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# Drivers that are missing, or go and come back.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

run 0 isst perf-profile get-config-levels
rmmod isst_if_mbox_pci || fail "the mailbox driver does not go"
run 3 isst perf-profile get-config-levels
says "the driver module for this request is not loaded"
run 3 isst perf-profile set-config-level -l 3
rmmod isst_if_mmio
rmmod isst_if_common || fail "the common driver does not go"
[ ! -e /dev/isst_interface ] || fail "the device stays"
run 3 isst perf-profile get-config-levels
says "/dev/isst_interface"

insmod /lab/modules/isst_if_common.ko
insmod /lab/modules/isst_if_mbox_pci.ko
run 0 isst perf-profile get-config-levels
run 3 isst core-power get-config --clos 0
insmod /lab/modules/isst_if_mmio.ko
run 0 isst core-power get-config --clos 0

# One package's device is taken from its driver: the driver then serves none at all.
driver=/sys/bus/pci/drivers/isst_if_mbox_pci
echo 0011:21:1e.1 >"$driver/unbind"
run 3 isst -c 16 perf-profile set-config-level -l 3
run 3 isst perf-profile set-config-level -l 3
echo 0011:21:1e.1 >"$driver/bind"
check "level of package 0" 0 "$(level 0)"
run 0 isst perf-profile set-config-level -l 3
check "level of package 1" 3 "$(level 16)"
run 0 isst perf-profile set-config-level -l 0

# A daemon keeps running: it reports that the driver is gone, and follows levels once it is back.
# shellcheck disable=SC2317 # wait_until calls it
is_at_level_4() {
	[ "$(online)" = 0-3,6-7,10-11,16-31 ]
}

isst --oob -n -w 1 >/run/oob 2>&1 &
wait_until 5 [ -e /run/intel-speed-select/oob-record.json ] || fail "no daemon: $(cat /run/oob)"
rmmod isst_if_mbox_pci || fail "the daemon keeps the driver"
order level 0 0 4
wait_until 5 grep -q "not loaded" /run/oob || fail "the daemon says nothing: $(cat /run/oob)"
insmod /lab/modules/isst_if_mbox_pci.ko
wait_until 20 is_at_level_4 || fail "the daemon did not follow: $(online), $(cat /run/oob)"
kill %1
wait %1
check "status of the daemon" 0 $?
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: gnr-6776p-2s
# TPMI: what the real driver refuses, and firmware that does not listen, or lets one wait.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

# Kernels from 6.13 to 7.1 would kill the program and keep its lock: they are not asked.
case $(uname -r) in
6.1[3-9].* | 7.[01].*) is_asked= ;;
*) is_asked=1 ;;
esac

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

# BIOS blocks writing: the driver asks once, when it is bound. That of 6.18 writes SST-CP all the
# same, which the hardware ignores.
order blocked_writes 1
rmmod isst_tpmi
insmod /lab/modules/isst_tpmi.ko
run 1 isst perf-profile set-config-level -l 0
run 1 isst core-power enable
says "SST-CP and its priority type: "
run 0 isst perf-profile get-config-levels
check "level" 1 "$(level 0)"
run 0 isst -o - -c 0 core-power info
says "enable-status:disabled"
order blocked_writes 0

# Without a driver for its instances.
rmmod isst_tpmi
if [ "$is_asked" ]; then
	run 3 isst perf-profile get-config-levels
	says "the driver has no instance"
else
	run 1 isst perf-profile get-config-levels
	says "package 0-1 has none"
fi
insmod /lab/modules/isst_tpmi.ko
run 0 isst perf-profile get-config-levels
check "level" 1 "$(level 0)"
run 0 isst perf-profile set-config-level -l 0

# One package's device is unbound: the kernel returns an error, and the other package is shown.
driver=/sys/bus/auxiliary/drivers/isst_tpmi
for link in "$driver"/intel_vsec.tpmi-sst.*; do
	device=${link##*/}
done
echo "$device" >"$driver/unbind"
if [ "$is_asked" ]; then
	run 1 isst -o - perf-profile get-config-levels
	says "package-1 die-1 powerdomain-0"
	says "the driver has no instance"
	says "get-config-levels:"
fi
# What the program does on the others, on this kernel.
echo 6.18.5+deb14-amd64 >/run/release
mount --bind /run/release /proc/sys/kernel/osrelease
run 1 isst perf-profile get-config-levels
says "package 1 has none"
says "bind $device to isst_tpmi"
run 1 isst perf-profile set-config-level -l 1
run 1 isst --info
# A command that waits goes on when the device is bound.
cat >/run/document <<END
{"format": "intel-speed-select-state", "version": 1, "settings": [{"for": "all", "perf-profile": {"level": 1}}]}
END
isst state apply --wait 60 /run/document >/run/applied 2>&1 &
sleep 3
echo "$device" >"$driver/bind"
wait $!
check "status of waiting" 0 $?
grep -q "waiting for up to 60 seconds: .*package 1 has none" /run/applied || fail "it said: $(cat /run/applied)"
check "level of package 1" 1 "$(level 16)"
umount /proc/sys/kernel/osrelease
run 0 isst perf-profile set-config-level -l 0
run 0 isst perf-profile get-config-levels
check "level of package 1" 0 "$(level 16)"
mount --bind /run/release /proc/sys/kernel/osrelease
run 0 isst perf-profile get-config-levels
umount /proc/sys/kernel/osrelease
finish

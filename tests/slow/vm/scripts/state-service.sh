# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: guide
# with: systemd
# The unit that applies a state document at boot, under the real service manager: drivers that come
# later than the unit starts, reloading, wrong documents, and the daemon after it.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

unit=intel-speed-select
units=/etc/systemd/system
manager=/run/manager
document=/etc/intel-speed-select/state.json

# It knows those of its own process namespace alone.
ctl() {
	nsenter -t "$(pidof systemd)" -m -p systemctl "$@"
}

# property NAME [UNIT]
property() {
	ctl show -p "$1" --value "${2:-$unit}"
}

# shellcheck disable=SC2317 # wait_until calls it
is_in_state() {
	[ "$(property ActiveState 2>/run/null)" = "$1" ]
}

# in_journal WORDS
in_journal() {
	journalctl -q -o cat -u "$unit" >/run/journal
	grep -q "$1" /run/journal || fail "\"$1\" is not in the journal: $(cat /run/journal)"
}

# describe SETTINGS
describe() {
	mkdir -p "${document%/*}"
	printf '{"format": "intel-speed-select-state", "version": 1, "settings": [%s]}\n' "$1" >"$document"
}

# check_level LEVEL CPUS: of both packages, and the CPUs that are online.
check_level() {
	check "level of package 0" "$1" "$(level 0)"
	check "level of package 1" "$1" "$(level 16)"
	check "online" "$2" "$(online)"
}

speed_select='{"for": "all", "perf-profile": {"level": 3}, "online": "follow-level"},
	{"for": "all", "core-power": {"enabled": true, "clos": {"1": {"max-mhz": 2000}}}},
	{"for": "cpu 1", "core-power": {"assoc": 1}}'
some_cpus=0-3,6-7,10-11,14-19,22-23,26-27,30-31

# Boot: the unit is enabled, as is the daemon, which polls; the drivers are loaded later, one by one.
mkdir -p /var/log /var/tmp "$units/multi-user.target.wants" "$units/$unit-oob.service.d"
for name in "$unit" "$unit-oob"; do
	ln -s "../$name.service" "$units/multi-user.target.wants/$name.service"
done
cat >"$units/$unit-oob.service.d/change.conf" <<END
[Service]
ExecStart=
ExecStart=/usr/bin/intel-speed-select --oob --no-daemon --poll-interval 1
END
cat >"$units/multi-user.target" <<END
[Unit]
Description=A target
END
describe "$speed_select, {\"for\": \"all\", \"uncore\": {\"max-mhz\": 1800}}"
for module in intel_uncore_frequency isst_if_mmio isst_if_mbox_pci isst_if_common; do
	rmmod "$module" || fail "$module does not go"
done
/lib/systemd/systemd-journald >/run/journald 2>&1 &
wait_until 5 [ -S /run/systemd/journal/stdout ] || fail "no journal: $(cat /run/journald)"
container=lab unshare -m -p -f sh -c 'mount -t proc proc /proc && exec /lib/systemd/systemd --system --log-target=console --show-status=no' >"$manager" 2>&1 &
wait_until 20 is_in_state activating || fail "it does not start: $(cat "$manager")"
sleep 3
for module in isst_if_common isst_if_mbox_pci isst_if_mmio; do
	insmod "/lab/modules/$module.ko"
	sleep 1
done
check "state before the last driver" activating "$(property ActiveState)"
insmod /lab/modules/intel_uncore_frequency.ko
wait_until 20 is_in_state active || fail "it does not apply: $(cat "$manager")"
check_level 3 "$some_cpus"
run 0 isst state check "$document"
# Which cores are fast is published at boot, for programs without privilege.
run 0 isst priority show
[ -s /run/intel-speed-select/priority.json ] || fail "no record of fast cores"
in_journal "waiting for up to 30 seconds: .*/dev/isst_interface"
in_journal "perf-profile.level: 0 -> 3"
# The daemon starts after it: else its condition, the device, would not hold.
wait_until 10 ctl is-active -q "$unit-oob" || fail "no daemon: $(cat "$manager")"

# Reloaded, it applies another document; the daemon moves no CPU back.
describe '{"for": "all", "perf-profile": {"level": 0}, "online": "follow-level"}'
run 0 ctl reload "$unit"
check_level 0 0-31
describe "$speed_select"
run 0 ctl reload "$unit"
check_level 3 "$some_cpus"
sleep 2
run 0 isst state check "$document"
run 0 ctl stop "$unit-oob"
[ -e /run/intel-speed-select/cpu-map.json ] || fail "the run directory is removed with the daemon"

# A reload that fails changes nothing, leaves it active, and is in the journal.
echo '{"format": "intel-speed-select-state",' >"$document"
run 1 ctl reload "$unit"
check "state after a failed reload" active "$(property ActiveState)"
check_level 3 "$some_cpus"
in_journal "$document:2:"

# A start that fails leaves the machine as it was; a wrong document fails at once.
run 0 ctl stop "$unit"
[ -e /run/intel-speed-select/cpu-map.json ] || fail "the run directory is removed"
describe '{"for": "all", "perf-profil": {"level": 0}}'
run 1 timeout 25 nsenter -t "$(pidof systemd)" -m -p systemctl start "$unit"
check "status of a wrong document" 2 "$(property ExecMainStatus)"
check "result of a wrong document" exit-code "$(property Result)"
in_journal "perf-profil"
describe '{"for": "all", "perf-profile": {"level": 0}, "online": "follow-level"}'
order mailbox 7f08 ffff 0 1 0 -1 22 0 0 0
run 1 ctl start "$unit"
order orders_done
check "status of a refusal" 1 "$(property ExecMainStatus)"
check_level 3 "$some_cpus"
in_journal "undone"

# Without a document there is nothing to do.
rm "$document"
run 0 ctl start "$unit"
check "condition" no "$(property ConditionResult)"
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# platform: spr-6438n
# with: systemd
# The installed units under the real service manager, with all that they forbid: they still work.
# shellcheck source=tests/slow/vm/guest/functions.sh
. ./functions.sh

unit=intel-speed-select-oob
units=/etc/systemd/system
manager=/run/manager

# It knows those of its own process namespace alone.
ctl() {
	nsenter -t "$(pidof systemd)" -m -p systemctl "$@"
}

# property NAME
property() {
	ctl show -p "$1" --value "$unit"
}

# shellcheck disable=SC2317 # wait_until calls it
is_running() {
	ctl is-system-running -q 2>/run/null
}

# shellcheck disable=SC2317 # the same
is_active() {
	ctl is-active -q "$unit"
}

# change_unit LINES: a drop-in, as an administrator makes it.
change_unit() {
	mkdir -p "$units/$unit.service.d"
	printf '[Service]\n%s\n' "$1" >"$units/$unit.service.d/change.conf"
	ctl daemon-reload
}

show_hfi
mkdir -p /var/log /var/tmp
container=lab unshare -m -p -f sh -c 'mount -t proc proc /proc && exec /lib/systemd/systemd --system --log-target=console' >"$manager" 2>&1 &
wait_until 20 is_running || fail "no service manager: $(cat "$manager")"

# This CPU has no events: it says so, and stays down.
ctl start "$unit" 2>/run/said && fail "it starts without events"
check "status" 3 "$(property ExecMainStatus)"
check "restarts" 0 "$(property NRestarts)"

# By polling, with everything else that the unit forbids.
change_unit "ExecStart=
ExecStart=/usr/bin/intel-speed-select --oob --no-daemon --poll-interval 1"
ctl reset-failed "$unit"
run 0 ctl start "$unit"
case $(property StatusText) in
*"package-0 die-0: level 0"*) ;;
*) fail "status text: $(property StatusText)" ;;
esac
check "capabilities" 0000000000200000 \
	"$(sed -n 's/^CapEff:\s*//p' "/proc/$(pidof intel-speed-select)/status")"
order level 0 0 3
wait_online 10 0-13,16-31 "$manager"
case $(property StatusText) in
*"package-0 die-0: level 3"*) ;;
*) fail "status text: $(property StatusText)" ;;
esac

# Killed, it comes again, and gives back what was taken.
kill -9 "$(pidof intel-speed-select)"
order level 0 0 0
wait_online 10 0-31 "$manager"
wait_until 10 is_active || fail "it did not come again: $(cat "$manager")"
check "restarts" 1 "$(property NRestarts)"
run 0 ctl reload "$unit"
run 0 ctl stop "$unit"
check "result" success "$(property Result)"
[ -e /run/intel-speed-select/oob-record.json ] || fail "its record does not stay"

# Control groups are made and removed with the capabilities and in the tree that the unit leaves it.
isolated() {
	cat "$groups/cpuset.cpus.isolated"
}

# shellcheck disable=SC2317 # wait_until calls it
is_isolated() {
	[ "$(isolated)" = "$1" ]
}

change_unit "ExecStart=
ExecStart=/usr/bin/intel-speed-select --oob --no-daemon --poll-interval 1 --cgroupv2"
run 0 ctl start "$unit"
check "capabilities with --cgroupv2" 0000000000200002 \
	"$(sed -n 's/^CapEff:\s*//p' "/proc/$(pidof intel-speed-select)/status")"
order level 0 0 3
wait_until 10 is_isolated 14-15 || fail "isolated: $(isolated), not 14-15: $(cat "$manager")"
check "online with --cgroupv2" 0-31 "$(online)"
order level 0 0 0
wait_until 10 is_isolated "" || fail "isolated: $(isolated): $(cat "$manager")"
wait_until 10 [ ! -e "$groups/0-0-0" ] || fail "the group is left: $(cat "$manager")"
run 0 ctl stop "$unit"

# By events, of a CPU that has them.
change_unit "BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo"
run 0 ctl start "$unit"
order level 1 0 4
order event 16
wait_online 10 0-23 "$manager"
order level 1 0 0
order event 16
wait_online 10 0-31 "$manager"
run 0 ctl stop "$unit"

# Which cores are fast is published where kernel files are read-only.
published=/run/intel-speed-select/priority.json
rm -f "$published"
run 0 ctl start intel-speed-select-priority
[ -s "$published" ] || fail "no record of fast cores: $(cat "$manager")"

# Every source of the metrics that the machine has is read.
metrics=/var/lib/prometheus/node-exporter
mkdir -p "$metrics"
run 0 ctl start intel-speed-select-metrics
wait_until 20 [ -s "$metrics/isst.prom" ] || fail "no metrics: $(cat "$manager")"
for source in speed_select cpufreq uncore changes; do
	grep -q "^isst_source_up{source=\"$source\"} 1\$" "$metrics/isst.prom" ||
		fail "$source is not read: $(grep isst_source_up "$metrics/isst.prom")"
done
said=$(grep '^isst_source_up.* 0$' "$metrics/isst.prom") && fail "not read: $said"
run 0 ctl stop intel-speed-select-metrics
finish

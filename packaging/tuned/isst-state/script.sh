#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Called by tuned with start, stop or verify. Prints nothing if that succeeds: tuned counts what a
# script prints to standard error as a failure.
set -u
program=${ISST:-isst}
document=${ISST_STATE_FILE:-/etc/intel-speed-select/state.json}
saved=${ISST_SAVED:-/run/intel-speed-select/before-tuned.json}

quietly() {
    messages=$("$@" 2>&1)
    status=$?
    [ "$status" -eq 0 ] || printf '%s\n' "$messages" >&2
    return "$status"
}

# A second start, as after a restart of tuned, keeps what the first one saved.
start() {
    if [ -e "$saved" ]; then
        quietly "$program" state apply "$document"
        return
    fi
    mkdir -p "${saved%/*}" || return
    quietly "$program" -o "$saved" state export || return
    quietly "$program" state apply "$document" && return
    status=$?
    rm -f "$saved"
    return "$status"
}

# All settings return to what start saved, also those that others have changed since. state restore
# would go back further, to what was there before the first change in this boot.
stop() {
    [ -e "$saved" ] || return 0
    quietly "$program" state apply "$saved" && rm -f "$saved"
}

# Status 6, the machine differs, is no error of the program.
verify() {
    quietly "$program" state check "$document"
    status=$?
    [ "$status" -ne 6 ] || status=1
    return "$status"
}

case ${1-} in
start | stop | verify) "$1" ;;
*)
    echo "usage: $0 start|stop|verify" >&2
    exit 2
    ;;
esac

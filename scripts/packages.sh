# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For demo and check: Debian packages that are missing are installed.

# Prints those of the packages that are not installed, each after a blank; nothing on other systems
# than Debian.
missing_packages() {
	command -v dpkg-query >/dev/null || return 0
	for package in "$@"; do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$state" = installed ] || printf ' %s' "$package"
	done
}

# Runs apt-get as root and quietly; what it said is shown when it fails.
run_apt_get() {
	set -- env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
	[ "$(id -u)" -eq 0 ] || set -- sudo "$@"
	"$@"
}

# Installs what is missing of the packages, unless install is "no". The lists are fetched only if
# that is needed.
install_packages() {
	[ "${install:-yes}" = yes ] || return 0
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		echo "No apt-get here: this needs what Debian calls $*." >&2
		echo "Going on with what is installed." >&2
		return
	fi
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		echo "Packages are missing. As root: apt-get install$missing" >&2
		exit 1
	fi
	echo "Installing$missing"
	log=$(mktemp)
	# shellcheck disable=SC2086 # a list of words
	if ! run_apt_get install -y --no-install-recommends $missing >"$log" 2>&1 &&
		! { run_apt_get update && run_apt_get install -y --no-install-recommends $missing; } \
			>"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		echo "The packages could not be installed:$missing" >&2
		exit 1
	fi
	rm -f "$log"
}

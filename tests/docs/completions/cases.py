# SPDX-License-Identifier: GPL-2.0-only
"""
What is typed and what the shells are to offer, for all shells alike: a case is (line, candidates)
or (line, candidates, True) where there may be more than these. The last word of the line is the one
that is completed; a candidate is that whole word, without quotes.
"""

ODD = "odd $(touch planted) & name"
FILES = ["levels.json", "sub dir"]
FEATURES = ["perf-profile", "base-freq", "turbo-freq", "core-power", "turbo-mode", "cpufreq",
            "cpuidle", "uncore", "power", "priority", "state", "measure",
            "machine", "metrics", "help", "version"]
SECTIONS = ["perf-profile", "base-freq", "turbo-freq", "turbo-mode", "core-power", "online",
            "offline-by", "cpufreq", "cpuidle", "uncore", "power"]
EPP = [str(number) for number in range(16)]

PINNED = [
    # Names.
    ("isst ", FEATURES),
    ("intel-speed-select ", FEATURES),
    ("isst per", ["perf-profile"]),
    ("intel-speed-select per", ["perf-profile"]),
    ("isst tur", ["turbo-freq", "turbo-mode"]),
    ("isst perf-profile get-config-l", ["get-config-levels"]),
    ("isst core-power get", ["get-config", "get-assoc"]),
    ("isst turbo-mode ", ["get-trl", "set-trl", "enable", "disable"]),
    # Global options.
    ("isst -", ["-c", "--cpu", "-f", "--format", "-o", "--out", "--simulate", "-h", "--help"], True),
    ("isst --simulate-", ["--simulate-state", "--simulate-reset"]),
    ("isst --dr", ["--dry-run"]),
    ("isst -d", ["-d"]),
    ("isst --desc", []),
    # After options that are whole.
    ("isst -d per", ["perf-profile"]),
    ("isst -c 0-3 per", ["perf-profile"]),
    ("isst -dc 0-3 per", ["perf-profile"]),
    ("isst --cpu=0-3 per", ["perf-profile"]),
    ("isst -o - per", ["perf-profile"]),
    ("isst --simulate guide per", ["perf-profile"]),
    ("isst --simulate guide perf-profile info -l ", list("01234567")),
    ("isst --simulate=guide core-power get-config --clos=", ["--clos=0", "--clos=1", "--clos=2",
                                                            "--clos=3"]),
    # Options of a command.
    ("isst turbo-freq info ", ["--level", "--bucket", "--trl-type", "--help"]),
    ("isst turbo-freq info -l 0 --b", ["--bucket"]),
    ("isst perf-profile set-config-level -l 3 -o ", ["--level", "--online", "--help"]),
    ("isst cpufreq set -c 0 --tu", ["--turbo"]),
    ("isst cpufreq set --cp", ["--cpu", "--cpu0-workaround"]),
    ("isst core-power info --fo", ["--format"]),
    # Values.
    ("isst -f ", ["text", "json"]),
    ("isst -f j", ["json"]),
    ("isst --format ", ["text", "json"]),
    ("isst --format=", ["--format=text", "--format=json"]),
    ("isst --format=j", ["--format=json"]),
    ("isst --simulate gui", ["guide"]),
    ("isst --simulate ", ["guide", ODD], True),
    ("isst --simulate=gui", ["--simulate=guide"]),
    ("isst base-freq info -l ", list("01234567")),
    ("isst base-freq info --level ", list("01234567")),
    ("isst base-freq info --level=3", ["--level=3"]),
    ("isst base-freq info -l 8", []),
    ("isst turbo-freq info -b ", list("01234567")),
    ("isst turbo-freq info -r avx", ["avx2", "avx512", "avx512-heavy"]),
    ("isst core-power get-config --clos ", list("0123")),
    ("isst -c 0 core-power assoc --clos ", list("0123")),
    ("isst core-power enable -p ", list("01")),
    ("isst core-power config -e ", EPP),
    ("isst core-power config --weight ", EPP),
    ("isst cpufreq set --turbo ", ["on", "off"]),
    ("isst cpufreq set --pstate ", ["active", "passive"]),
    ("isst cpufreq set --hwp", ["--hwp-boost"]),
    ("isst cpuidle set --c1-demotion ", ["on", "off"]),
    ("isst cpufreq set --lock ", ["min", "base", "max"]),
    ("isst cpufreq set --governor perf", ["performance"]),
    ("isst machine check re", ["realtime"]),
    ("isst machine check ", ["realtime", "latency", "throughput"], True),
    ("isst cpuidle set --disable C6,C1", ["C6,C1", "C6,C1E"]),
    ("isst cpuidle set --deepest C1", ["C1", "C1E"]),
    ("isst cpuidle set --disable ", ["POLL", "C0.2", "C1", "C1E", "C6", "C6P"]),
    ("isst measure wake --states ", ["all", "POLL", "C0.2", "C1", "C1E", "C6", "C6P"]),
    ("isst state export --only ", SECTIONS),
    ("isst state export --only cp", ["cpufreq", "cpuidle"]),
    ("isst state export --only=cpuidle,unc", ["--only=cpuidle,uncore"]),
    ("isst state export --only core-power.cl", ["core-power.clos"]),
    ("isst measure run --require ", ["seconds", "usecs-per-op", "watts"], True),
    ("isst measure run --require=us", ["--require=usecs-per-op"]),
    ("isst measure try levels.json --require wa", ["watts"]),
    ("isst measure wake --require p99", ["p99-us", "p99-low-us", "p99-high-us", "p99.9-us"]),
    ("isst measure jitter --require smi", ["smi-count"]),
    ("isst measure ladder --require meas", ["measured-mhz"]),
    # help
    ("isst help perf-profile set", ["set-config-level"]),
    ("isst help tur", ["turbo-freq", "turbo-mode"]),
    ("isst help perf-profile info ", []),
    ("isst help nothing ", []),
    ("isst -c isolated machine check th", ["throughput"]),
    ("isst -c ", ["all", "online", "package:", "die:", "node:", "isolated", "nohz-full",
                  "base-freq", "clos:", "near:", "siblings:", "core:"]),
    ("isst -c n", ["node:", "nohz-full", "near:"]),
    ("isst -c pa", ["package:"]),
    ("isst -c package:", []),
    ("isst -c package:0,iso", ["package:0,isolated"]),
    ("isst -c siblings:0-3,siblings:8,^is", ["siblings:0-3,siblings:8,^isolated"]),
    ("isst --cpu=on", ["--cpu=online"]),
    ("isst --cpu=die:0:1,ba", ["--cpu=die:0:1,base-freq"]),
    ("isst -c all,^isolated per", ["perf-profile"]),
    ("isst -p ", []),
    # After a wrong word there is nothing to say.
    ("isst nothing ", []),
    ("isst perf-profile nothing -", []),
    ("isst perf-profile lev", []),
    ("isst -x", []),
    ("isst \"per", ["perf-profile"]),
    # What the shells treat specially is a word like others, and nothing of it is run.
    ("isst --simulate odd", [ODD]),
    ("isst --simulate 'a b; touch planted' per", ["perf-profile"]),
    ("isst --simulate a\\ b per", ["perf-profile"]),
    ("isst -o a:b per", ["perf-profile"]),
    ("isst -o x=y:z per", ["perf-profile"]),
    ("isst 'perf-profile' get-lo", ["get-lock-status"]),
    ("isst -o '$(touch planted)' -c \"0\" per", ["perf-profile"]),
]

# What the shells look up themselves where the program says that there may be a path; directories
# without the slash that some of them put behind.
PATHS = [
    ("isst -o ", FILES, True),
    ("isst --out lev", ["levels.json"]),
    ("isst --out=lev", ["--out=levels.json"]),
    ("isst --simulate lev", ["levels.json"]),
    ("isst --simulate-state su", ["sub dir"]),
    ("isst --simulate-state lev", []),
    ("isst state check lev", ["levels.json"]),
    ("isst state apply ", FILES, True),
    ("isst measure report ", FILES, True),
    ("isst state apply --wait 5 lev", ["levels.json"]),
    ("isst state apply lev --wa", ["--wait"]),
    ("isst state check levels.json lev", []),
]


def visible(options):
    return [option for option in options
            if not option.get("hidden") and not option.get("positional")]


def long_names(options):
    return [f"--{option['name']}" for option in options]


def values(option):
    """What is known of an option's values, or nothing."""
    if option["kind"] == "number" and option.get("max", 99) - option["min"] < 16:
        return [str(number) for number in range(option["min"], option["max"] + 1)]
    return option.get("words", [])


def option_cases(before, options, more):
    """Each table whole, and the values of each of its options, by name and by letter."""
    yield f"{before} --", [*long_names(options), "--help", *more]
    for option in options:
        if values(option):
            yield f"{before} --{option['name']} ", values(option)
            if option.get("letter") and option["name"] != "clos":  # of intel-speed-select alone
                yield f"{before} -{option['letter']} ", values(option)


def table_cases(description):
    """Every feature, command and option that the program has, by its own account."""
    globals_ = visible(description["options"])
    yield "isst ", [*(feature["name"] for feature in description["features"]), "help", "version"]
    yield from option_cases("isst", globals_, [])
    for feature in description["features"]:
        commands = feature["commands"]
        if commands[0].get("implied"):
            yield f"isst {feature['name']} ", long_names(visible(commands[0]["options"])), True
        else:
            yield f"isst {feature['name']} ", [command["name"] for command in commands]
        any_machine = feature["name"] in ("cpufreq", "cpuidle", "uncore", "power", "state",
                                            "machine", "measure", "metrics",
                                            "priority")
        for command in commands:
            of_cpus = (feature["name"], command["name"]) in (
                ("state", "export"), ("machine", "check"), ("machine", "choose")) or \
                feature["name"] not in ("state", "machine", "metrics", "priority") and \
                (feature["name"], command["name"]) not in (
                    ("measure", "compare"), ("measure", "report"))
            is_new = any_machine or command["name"] == "compare"
            letters = ["--cpu"] * of_cpus + ["--out"] if is_new else []
            yield from option_cases(f"isst {feature['name']} {command['name']}",
                                    visible(command["options"]),
                                    letters or ["--cpu"] * command["needs-cpus"])

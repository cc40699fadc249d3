#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Writes the seeds of the corpus: command lines, lists, numbers and words of the
specification, small platform files, a state, events. Inputs that fuzzing found later are in the same directory.
"""

import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
BOOT = "0b007000-0000-4000-8000-000000000001"


def put(target, name, data):
    directory = HERE / "corpus" / target
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"seed-{name}.bin").write_bytes(data if isinstance(data, bytes) else data.encode())


def command_lines():
    lines = [
        "-c\n1,2,4..6,8-10\ncore-power\nassoc\n-c\n2", "--info", "-h", "perf-profile\n-h",
        "--debug\n--format\njson\nperf-profile\ninfo", "-o\nout\nturbo-freq\ninfo\n-l\n0\n-b\n1",
        "--dry-run\n--cpu=0-3\nturbo-freq\nenable\n-t\n0xff00\n--auto", "-fjson\n-p5\n-r\n7\n-i",
        "core-power\nconfig\n-c\n1\n--weight\n3\n--min\n1000\n--max\n2000", "--oob\n-n\n-w\n3",
        "--simulate\nguide\n--simulate-st\ndir\nperf-profile\nset-config-level\n-l\n258",
        "-au\nturbo-mode\nset-trl\n-t\n0x1e1e1e1e1f1f2022", "--\nbase-freq\nenable\n-a",
        "core-power\nenable\n-a\n-p\n1", "-format\njson\n-cpu\n0\nbase-freq\ninfo\n-l\n0", "--comp",
    ]
    for number, line in enumerate(lines):
        put("command_line", str(number), line)


def lists():
    for number, text in enumerate(["0-3,8-11\n", "0", "", "1048575", "0-1048575", "5-5", "1,,2"]):
        put("lists", f"kernel-{number}", "\0" + text)
    for number, text in enumerate(["1,2,4..6,8-10", "5-5", "3-1", "1,", "0..7", "4294967296"]):
        put("lists", f"user-{number}", "\1" + text)
    for number, text in enumerate(["all,!isolated,^0-3", "package:0-1,die:0:1,node:0,nohz-full",
                                   "near:0000:3b:00.0,siblings:0-3,core:8", "clos:0-3,base-freq",
                                   "!0", "all,,x:"]):
        put("lists", f"names-{number}", "\1" + text)


def numbers():
    for number, text in enumerate(["0", "258", "18446744073709551615", "18446744073709551616",
                                   "0x1e1e1e1e1f1f2022", "0XFF", "0x", "017", "+5\n", "-12\n", "on",
                                   "cpu12", "cpu01", "powersave\n", " 42 3", "0x00000000000000001"]):
        put("numbers", str(number), text)


def words():
    answers = [0x80000203, 0x00000003, 0x001700CD, 0x00000064, 0x1E1F2022, 0x0F111517, 0x08001019,
               0x20222426, 0x0016181A, 0x00001B15, 0x00005F55, 0x000000C8, 0x00FF08F0, 0x00020000]
    put("words", "levels", b"".join(struct.pack("<BBI", number, number * 37 % 256, word)
                                    for number, word in enumerate(answers)))


def platforms():
    for name in ("mailbox", "tpmi"):
        put("platform_file", name, (HERE / "machines" / f"{name}.json").read_bytes())
    fixed = json.loads((HERE.parents[1] / "platforms/clx-6230n-2s.json").read_text())
    put("platform_file", "fixed", json.dumps(fixed, separators=(",", ":")))
    recorded = json.loads((HERE / "machines/mailbox.json").read_text())
    recorded["recorded"] = {
        "open": "EACCES", "capability": False, "cpu_map": "{}",
        "requests": ["msr read: logical_cpu:0 msr:0x1ad data:0x1f20",
                     "mbox: logical_cpu:0 command:0x7f sub_command:0x3 parameter:0x0 req_data:0x0 "
                     "resp_data:0x0 error:ENXIO"],
        "files": {"/proc/cmdline": "idle=poll", "/sys/fs/cgroup": ["1-0-0"],
                  "/sys/fs/cgroup/1-0-0/cpuset.cpus": {"hex": "000a"},
                  "/sys/devices/system/cpu/nohz_full": {"exact": " (null)"},
                  "/sys/devices/system/cpu/cpu#/cpufreq/scaling_governor": {
                      "0": "powersave", "1": {"error": "EBUSY"}}}}
    put("platform_file", "recorded", json.dumps(recorded, separators=(",", ":")))
    put("platform_file", "recording-mailbox", recording(
        {"smt/control": "off", "cpu0/online": {"error": "ENOENT"}},
        ["platform info: api_version:1 driver_version:1 max_cmds_per_ioctl:64 mbox_supported:1 "
         "mmio_supported:1", "phys id: logical_cpu:0 physical_cpu:0x0",
         "phys id: logical_cpu:2 physical_cpu:0x46", "msr read: logical_cpu:0 msr:0x1ae data:0x402",
         "mmio read: logical_cpu:0 reg:0x24 value:0x20000"]
        + [f"mbox: logical_cpu:2 command:{word >> 8:#x} sub_command:{word & 255:#x} parameter:0x0 "
           f"req_data:0x0 resp_data:{answer:#x}" for word, answer in (
               (0x7f00, 0x80000301), (0x7f01, 3), (0x7f03, 0x1a00cd), (0x7f06, 3), (0x7f07, 0x1e1f20),
               (0x7f20, 1), (0x9403, 1), (0xd002, 6), (0xd001, 0xff0a00))]))
    put("platform_file", "recording-tpmi", recording(
        {"intel_uncore_frequency": ["uncore00"],
         "intel_uncore_frequency/uncore00/initial_max_freq_khz": "2400000"},
        ["platform info: api_version:3 driver_version:1 max_cmds_per_ioctl:64 mbox_supported:0 "
         "mmio_supported:0", "phys id: logical_cpu:0 physical_cpu:0x0",
         "phys id: logical_cpu:2 physical_cpu:0x809",
         "tpmi instances: socket_id:0 count:4 valid_mask:11",
         "tpmi core-power state: get_set:0 socket_id:0 power_domain_id:1 enable:1 supported:1 "
         "priority_type:1", "tpmi clos: get_set:0 socket_id:0 power_domain_id:1 clos:2 "
         "min_freq_mhz:800 max_freq_mhz:3000 prop_prio:3",
         "tpmi assoc: socket_id:0 power_domain_id:1 core:1 clos:2",
         "tpmi levels: socket_id:0 power_domain_id:1 max_level:3 feature_rev:2 level_mask:9 "
         "current_level:3 feature_state:1 locked:1 enabled:1 sst_tf_support:8 sst_bf_support:9",
         "tpmi level cores: socket_id:0 power_domain_id:1 level:3 mask:6",
         "tpmi base-freq: socket_id:0 power_domain_id:1 level:3 high_base_freq_mhz:2600 "
         "low_base_freq_mhz:2000 tjunction_max_c:95 thermal_design_power_w:350"]))


def recording(files, requests):
    """A recording of four CPUs, two of them online."""
    cpus = "/sys/devices/system/cpu"
    of_cpus = {"topology/physical_package_id": "0", "topology/die_id": "0",
               "topology/core_id": "1", "cpufreq/scaling_driver": "intel_pstate",
               "cpufreq/cpuinfo_min_freq": "800000", "cpufreq/cpuinfo_max_freq": "3500000",
               "cpufreq/related_cpus": "0 2", "cpuidle/state0/name": "POLL"}
    return json.dumps({"schema": 1, "name": "r", "description": "r", "source": "r", "recorded": {
        "capability": True, "cpu_map": '{"cpus":[[1,0,0,2]]}', "requests": requests, "files": {
            f"{cpus}/present": "0-3", f"{cpus}/online": "0,2",
            "/proc/cpuinfo": "cpu family\t: 6\nmodel\t\t: 143\nmodel name\t: X\nflags\t\t: hfi",
            "/proc/sys/kernel/osrelease": "6.12.1",
            **{f"{cpus}/{path}": value for path, value in files.items()},
            **{f"{cpus}/cpu#/{path}": {"0,2": value} for path, value in of_cpus.items()}}}},
                      separators=(",", ":"))


def faults():
    orders = [{"at": "mailbox", "command": "0x7f/0x08", "cpu": 3, "times": 2, "skip": 1,
               "error": "EBUSY"},
              {"at": "write", "path": "/sys/*/scaling_max_freq", "error": "EIO", "delay_us": 1},
              {"at": "tpmi", "request": "PERF_SET_LEVEL", "package": 1, "power_domain": 0,
               "error": "EFAULT", "access": "write"},
              {"at": "msr", "msr": "0x1ad", "access": "read", "cpu": 14, "error": "EIO"},
              {"at": "mmio", "register": 8, "delay_us": 3}, {"at": "mailbox", "code": 22}]
    put("faults", "orders", json.dumps({"orders": orders}))
    put("faults", "settings", '{"missing_capability":true,"locked":true,"hwp_off":true,'
                              '"allowed_levels":[0,1],"slow_status":3}')


def run_files():
    put("cpu_map", "whole", json.dumps({"format": "intel-speed-select cpu map", "version": 1,
                                        "boot": BOOT, "cpus": [[0, 0, 0, 0], [4, 1, 0, 4],
                                                               [5, 0, 0, -1]]}))
    domain = {"package": 0, "die": 1, "power_domain": -1, "level": 3, "pending": True,
              "taken": "4-7"}
    put("record", "whole", json.dumps({"format": "intel-speed-select oob record", "version": 1,
                                       "boot": BOOT, "domains": [domain, dict(domain, package=1,
                                                                              power_domain=4)]}))


def journals():
    first = {"line": "journal", "format": "intel-speed-select-journal", "version": 1,
             "boot-id": BOOT, "time": "2026-01-02T03:04:05Z", "online": "0-15"}
    begin = {"line": "begin", "id": 1, "stage": 1, "time": "2026-01-02T03:04:05Z", "uptime-s": 60,
             "command": ["isst", "state", "apply"], "process": 12, "uid": 0, "login-uid": None,
             "temporary": False, "forward": False,
             "changes": [{"for": "cpu 0-3,8", "setting": "cpufreq.max-mhz", "was": 3200.5,
                          "was-word": "max", "now": 2000},
                         {"for": "machine", "setting": "cpufreq.turbo", "was": True, "now": False},
                         {"for": "package-0", "setting": "turbo-mode.trl", "was": None,
                          "now": "0x1f"}]}
    end = {"line": "end", "id": 1, "outcome": "mixed", "by": 13,
           "left": [{"for": "cpu 1-2", "setting": "cpufreq.max-mhz"}],
           "read": [{"for": "package-0", "setting": "turbo-mode.trl", "read": "0x1e"}]}
    forms = {
        "whole": [first, begin, end, {**begin, "id": 2}, {**begin, "id": 2, "stage": 2}],
        "compacted": [{**first, "compact-at": 10}, begin, end, {**begin, "id": 2},
                      {"line": "end", "id": 2, "outcome": "undone"},
                      {**begin, "id": 3, "temporary": True},
                      {"line": "end", "id": 3, "outcome": "done"}],
        "boot": [{**first, "boot-id": BOOT[:-1] + "2"}, begin, end],
        "order": [first, end, begin],
    }
    for name, lines in forms.items():
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        put("journal", name, text)
    put("journal", "torn", text[:-20])


def priorities():
    package = {"package": 0, "level": 0, "turbo-freq": True, "base-freq": False, "core-power": True,
               "capacity": 6, "used": 2, "unit": "cores", "counted": "per package",
               "fast": {"cpu": 0, "base-khz": 2000000}, "other": {"cpu": 4, "base-khz": 1800000}}
    fast = {"package": 0, "node": 0, "reasons": ["turbo-freq", "clos"], "mhz": 3100,
            "base-mhz": 2000, "clos": 0, "bucket": 1, "threads": ["0-1", "2-3"]}
    low = {**fast, "reasons": [], "mhz": 1800, "base-mhz": 1800, "clos": 3, "bucket": None,
           "threads": ["4-5", "6-7"]}
    whole = {"format": "intel-speed-select-priority", "version": 1, "boot-id": BOOT,
             "time": "2026-01-02T03:04:05Z", "program": "1", "warnings": [], "packages": [package],
             "groups": [fast, low]}
    for form in range(9):
        put("priority", f"whole-{form}", bytes([form]) + json.dumps(whole).encode())
    wrong = {
        "boot": {**whole, "boot-id": BOOT[:-1] + "2"},
        "base": {**whole, "packages": [{**package, "fast": {"cpu": 0, "base-khz": 1}}]},
        "none": {**whole, "packages": [], "groups": []},
        "twice": {**whole, "groups": [fast, fast]},
        "often": {**whole, "groups": [fast] * 100},
        "threads": {**whole, "groups": [{**fast, "threads": ["0-1", "0-1"]}]},
        "far": {**whole, "groups": [{**fast, "threads": ["0-1048575"]}]},
        "numbers": {**whole, "packages": [{**package, "used": 4294967295, "capacity": 1e99}]},
        "node": {**whole, "groups": [{**fast, "node": 4294967294, "package": 4294967294}]},
        "controls": {**whole, "time": "\x1b[2J", "program": "\n\u009b"},
        "reasons": {**whole, "groups": [{**fast, "reasons": ["clos", 7]}]},
    }
    for number, (name, record) in enumerate(wrong.items()):
        put("priority", name, bytes([number]) + json.dumps(record).encode())


def documents():
    """State documents: right ones, and mistakes of each kind."""
    head = '{"format":"intel-speed-select-state","version":1'
    entries = [
        {"for": "all", "perf-profile": {"level": 0}, "online": "follow-level",
         "offline-by": "cgroup", "base-freq": {"enabled": True}, "turbo-freq": {"enabled": True}},
        {"for": "all", "turbo-mode": {"trl": "0x1e1e1e1e1f1f2022"}, "core-power": {
            "enabled": True, "priority": "ordered",
            "clos": {"0": {"min-mhz": "base", "epp": 15, "weight": 0},
                     "3": {"max-mhz": 2000, "desired-mhz": 0}}}},
        {"for": "package-1 die-0 powerdomain-2 cluster-3", "uncore": {
            "min-mhz": 1200, "max-mhz": "max", "elc-low-threshold": 10, "elc-high-threshold": 95,
            "elc-high": True, "elc-floor-mhz": 800}},
        {"for": "cpu 0-3,28-31", "online": True, "core-power": {"assoc": 0},
         "cpufreq": {"min-mhz": 2794.75, "max-mhz": "max", "governor": "performance", "epb": 6}},
        {"for": "cpu other", "optional": True, "cpufreq": {"epp": "balance_power"}, "cpuidle": {
            "states": {"C6": False}, "qos-latency-us": "none"}},
        {"for": "machine", "comment": "", "cpufreq": {
            "turbo": True, "hwp-boost": False, "min-pct": 0, "max-pct": 100, "pstate": "active"},
         "cpuidle": {"governor": "menu", "c02": True, "umwait-max-time": 100000,
                     "c1-demotion": False}},
    ]
    require = {"vendor": "GenuineIntel", "family": 6, "model": 106, "packages": 2, "cpus": 56}
    put("document", "whole", json.dumps({"format": "intel-speed-select-state", "version": 1,
                                         "comment": "x", "require": require, "settings": entries}))
    put("document", "empty", head + ',"settings":[]}')
    put("document", "deep", "[" * 40)
    put("document", "limit", '{"a":' * 31 + "[]" + "}" * 31)
    put("document", "twice", head + ',"settings":[{"for":"all","for":"machine"}]}')
    put("document", "bytes", head.encode() + b',"comment":"\xff\xc3(\0"}')
    for number, text in enumerate(["1e999", "99999999999999999999", "-1e-9", "2100.0001", "1e300"]):
        put("document", f"number-{number}",
            f'{head},"settings":[{{"for":"all","cpufreq":{{"min-mhz":{text}}}}}]}}')


def attribute(kind, payload):
    data = struct.pack("<HH", 4 + len(payload), kind) + payload
    return data + bytes(-len(data) % 4)


def events():
    """THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE (14) and its list (20) of 21, 22, 23."""
    for count in (1, 3, 16):
        entries = b"".join(attribute(21, struct.pack("<I", cpu)) +
                           attribute(22, struct.pack("<I", 900)) +
                           attribute(23, struct.pack("<I", 800)) for cpu in range(count))
        body = struct.pack("<BBH", 14, 1, 0) + attribute(20 | 0x8000, entries)
        put("events", str(count), struct.pack("<IHHII", 16 + len(body), 30, 0, 0, 0) + body)


def machines():
    for target in ("mailbox", "tpmi"):
        for command in range(30):
            put(target, f"plain-{command}", bytes([command, command % 2 * 3]))
        put(target, "answers", bytes([1, 1]) + bytes([0] * 4 + [1, 0, 2, 255] * 8))
        put(target, "refused", bytes([1, 1]) + bytes([0] * 6 + [0x80, 0x84, 0x41] * 4))
        put(target, "contents", bytes([1, 5]) + bytes([0] * 3 + [0x94]) + b"0-2\n" + bytes([0x81]))
    put("state", "whole", bytes([0]))
    put("state", "cut", bytes([1]))
    put("state", "one", bytes([0, 64, 0, 0, 255, 0, 1, 0, 7]))
    # in each sixth byte of the values
    values = [place.to_bytes(3, "little") + bytes([place * 37 % 256]) for place in range(0, 3000, 6)]
    put("state", "values", bytes([2]) + b"".join(values))
    cpu = "devices/system/cpu"
    put("simulated_files", "cpu", f"{cpu}/cpu1/online\n0\n{cpu}/cpu1/online\n1\n"
        f"{cpu}/cpu1/cpufreq/scaling_max_freq\n900000\n{cpu}/cpu2/cpufreq/scaling_min_freq\n1\n")
    put("simulated_files", "names", f"{cpu}/cpu1/cpufreq/scaling_governor\nperformance\n"
        f"{cpu}/cpu1/cpufreq/energy_performance_preference\n128\n"
        f"{cpu}/cpu1/power/energy_perf_bias\n6\n"
        f"{cpu}/cpu1/cpuidle/state1/disable\n1\n{cpu}/cpu1/power/pm_qos_resume_latency_us\nn/a\n")
    put("simulated_files", "machine", f"{cpu}/intel_pstate/no_turbo\n1\n"
        f"{cpu}/intel_pstate/status\npassive\n{cpu}/intel_pstate/max_perf_pct\n50\n"
        f"{cpu}/intel_uncore_frequency/uncore00/max_freq_khz\n1000000\n"
        f"{cpu}/cpuidle/current_governor\nteo\n")


def profiles():
    """Profiles: each kind of source and expectation, mistakes; lists of boot parameters."""
    sources = [({"setting": "cpufreq.governor"}, {"is": "performance"}),
               ({"setting": "cpuidle.qos-latency-us"}, {"any-of": ["none", 2]}),
               ({"fact": "deepest-idle"}, {"at-most": 2}), ({"fact": "isolated"}, {"is": True}),
               ({"file": "/proc/sys/kernel/osrelease"}, {"at-least": "6.1"}),
               ({"file": "/sys/a{cpu}/b", "part": "selected"}, {"not": "x"}),
               ({"parameter": "isolcpus"}, {"includes-cpus": True}),
               ({"parameter": "nosmt"}, {"present": False}), ({"process": "tuned"}, {"is": False})]
    items = [{"name": f"item-{number}", "read": read, "expect": expect, "effect": "e",
              "remedy": {"command": "isst -c {cpus}", "boot": "a={judged},{others}"}}
             for number, (read, expect) in enumerate(sources)]
    whole = {"format": "intel-speed-select-profile", "version": 1, "description": "d",
             "cpus": "online", "items": items}
    put("profile", "whole", json.dumps(whole))
    put("profile", "twice", json.dumps({**whole, "items": [items[0], items[0]]}))
    put("profile", "bytes", b'{"format":"intel-speed-select-profile","description":"\xff\x1b"}')
    put("profile", "number", json.dumps(whole).replace('"at-most": 2', '"at-most": 1e999'))
    put("profile", "deep", '{"items":' + "[" * 3000)
    put("profile", "list", "managed_irq,0-15:2/8,N,60-N,all")
    put("profile", "list-wrong", "3-1,0:0/0,4294967296-N")


def saved():
    """Files of measure --save: each kind, intervals, what is wrong with them."""
    state = {"format": "intel-speed-select-state", "version": 1, "settings": []}
    cpus = [{"cpu": 0, "busy-percent": 50, "mhz": 2600.5}, {"cpu": 1, "mhz": None}]
    window = {"cpus": cpus, "packages": [{"watts": 70.25, "joules": 702.5}],
              "pipe": {"usecs-per-op": 5.4356, "ops-per-second": 183971.4},
              "process": {"seconds": 1.5, "mhz": 2000}}
    row = {"state": "C1", "gap-us": 100, "p50-us": 2.5, "p99-us": 4}
    bodies = {
        "run": window, "intervals": {"cpus": [], "intervals": [window, window]},
        "wake": {"cpus": [{"cpu": 3, "rows": [row, {**row, "state": "POLL", "requested": "C1"}]}]},
        "jitter": {"cpus": [{"cpu": 1, "mean-us": 3, "max-us": 40.5}, {"cpu": 2, "max-us": 1}]},
        "ladder": {"steps": [{"cores": 2, "groups": [{"measured-mhz": 3200}], "packages": []}]},
        "try": {"document": state, "samples": [{"with": False, "seconds": 1},
                                               {"with": True, "seconds": 2, "watts": None}]}}
    for name, body in bodies.items():
        head = {"format": "intel-speed-select-run", "version": 1,
                "command": "run" if name == "intervals" else name, "kernel": "6.12", "program": "0.1",
                "processor": None, "state": state}
        put("saved", name, json.dumps({**head, **body}))
    put("saved", "number", json.dumps({**head, **window}).replace("2600.5", "1e999"))
    put("saved", "deep", "[" * 3000)
    put("saved", "twice", '{"format":"intel-speed-select-run","format":"\u001b"}')


def main():
    for write in (command_lines, lists, numbers, words, platforms, documents, profiles, faults, run_files,
                  journals, priorities, events, machines, saved):
        write()


if __name__ == "__main__":
    main()

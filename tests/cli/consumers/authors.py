# SPDX-License-Identifier: GPL-2.0-only
"""
How the unmodified files of each consumer are run on a simulated machine (stage.py), and what must
come of it: what their authors wanted. Each function yields trials: a name, and a function that
takes a stage, and returns a remark or raises Failed.
"""

import itertools
import json
import re

import cores
import role


class Failed(Exception):
    """The program of others did not get to the result that its authors wanted."""


class Skipped(Exception):
    """It cannot be tried here: something is missing that can be installed."""


class Unsuited(Exception):
    """The simulated machine is none of those that it is for, for the reason given."""


def expect(condition, what, done=None):
    if condition:
        return
    shown = f"\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}" if done else ""
    raise Failed(what + shown)


def speed_select(machine, feature, levels=None):
    """Has the machine the feature, at its first level or at one of the levels?"""
    sst = machine["sst"]
    if not sst:
        return False
    wanted = [sst["current_level"]] if levels is None else levels
    return any(level[feature] for level in sst["levels"] if level["level"] in wanted)


# container-experience-kits: the Ansible role configure_sst.

def run_role(stage, source, variables):
    stage.put(source / "cek" / "configure_sst")
    role.write(stage, variables)
    return stage.run(role.playbook_program(), "-i", "inventory", "playbook.yml",
                     **role.environment())


def status_of(stage, words):
    """The status of the last call with these words; fails if there was none."""
    found = [status for status, line in stage.calls() if line == words]
    expect(found, f"the role did not run: {words}")
    return found[-1]


def performance_profile(source, settings):
    """The second half of the role, with one combination of what it asks for."""
    def run(stage):
        top = max(stage.levels())
        done = run_role(stage, source, role.second_half(settings))
        if (settings["sst_cp"], settings["sst_tf"]) == ("disable", "enable") and \
                stage.machine["interface"]["kind"] == "mailbox":
            expect(status_of(stage, "core-power disable -a") == 1 and
                   "turbo-freq feature is still enabled" in done.stdout,
                   "core-power disable under SST-TF is not refused as documented", done)
            return "ends with status 1 and the phrase, as docs/differences.md says"
        lacks = lacking(stage, settings, top)
        if lacks:
            expect(done.returncode != 0 and status_of(stage, lacks) == 3,
                   f"{lacks} does not end with status 3", done)
            return f"the level lacks the feature: {lacks} ends with status 3"
        expect(done.returncode == 0, "the role fails", done)
        failures = [line for status, line in stage.calls() if status]
        expect(not failures, f"calls fail: {failures}", done)
        check_level(stage, top)
        saved = role.saved(stage)
        expect(len(saved["details"]) > 0 and len(saved["profile"]) > 0, "saved files are empty")
        if settings["sst_tf"] == "enable" and settings["online_cpus_range"] != "auto":
            check_classes(stage, settings["online_cpus_range"])
        return None
    return run


def lacking(stage, settings, top):
    """The first call of the role for a feature that its level lacks: v1.27 fails there, too."""
    first = stage.levels()[stage.machine["sst"]["current_level"]]
    if settings["sst_tf"] == "enable" and not first["turbo_freq"]:
        return "turbo-freq enable -a"
    if settings["sst_bf"] == "enable" and not first["base_freq"]:
        return "base-freq enable -a"
    listed = settings["online_cpus_range"]
    if settings["sst_tf"] == "enable" and listed != "auto" and \
            not stage.levels()[top]["turbo_freq"]:
        return f"-c {listed} turbo-freq enable -a"
    return None


def check_level(stage, level):
    for place, values in stage.ask("perf-profile", "get-config-current-level").items():
        expect(values.get("get-config-current_level") == str(level),
               f"{place} is not at level {level}")


def class_of(values):
    """The class of service of one CPU's member of get-assoc."""
    return next(value for members in values.values() for name, value in members.items()
                if name == "clos")


def check_classes(stage, cpus, others=None):
    answer = stage.ask("-c", cpus, "core-power", "get-assoc")
    expect(answer and all(class_of(values) == "0" for values in answer.values()),
           f"CPUs {cpus} are not of class 0: {answer}")
    if others:
        answer = stage.ask("-c", others, "core-power", "get-assoc")
        expect(answer and all(class_of(values) == "3" for values in answer.values()),
               f"CPUs {others} are not of class 3: {answer}")


def separate_features(source):
    """The first half of the role, on a machine of one level."""
    def run(stage):
        done = run_role(stage, source, role.first_half())
        expect(done.returncode == 0, "the role fails", done)
        failures = [line for status, line in stage.calls() if status]
        expect(not failures, f"calls fail: {failures}", done)
        for words in ("base-freq enable -a", "core-power enable -a", "turbo-freq enable -a",
                      "core-power enable --priority 1", "turbo-freq info -l 0",
                      "-c 2,3,5 core-power assoc -c 0"):
            status_of(stage, words)
        for words in ("base-freq", "turbo-freq"):
            text = json.dumps(stage.ask("perf-profile", "info", "-l", "0"))
            expect(f'"speed-select-{words}": "enabled"' in text, f"{words} is not on")
        return None
    return run


def container_experience_kits(source, machine):
    if not role.playbook_program():
        raise Skipped("ansible-playbook is not in PATH: pip install ansible-core")
    sst = machine["sst"]
    if not sst:
        raise Unsuited("the role leaves machines without a driver of Speed Select alone")
    levels = [level["level"] for level in sst["levels"]]
    if max(levels) == 0 and speed_select(machine, "base_freq") and \
            speed_select(machine, "turbo_freq"):
        yield "first half", separate_features(source)
    if sst["locked"] or not sst["enabled"]:
        return
    for feature in itertools.product(("enable", "disable"), repeat=3):
        for cpus in ("auto", "1,2,3"):
            settings = dict(zip(("sst_bf", "sst_cp", "sst_tf"), feature), online_cpus_range=cpus)
            run = performance_profile(source, settings)
            if settings["sst_tf"] == "disable" and cpus != "auto":
                run = skipping("the role does not make the directory that it saves to")
            yield " ".join(f"{name}={value}" for name, value in settings.items()), run


# LNST: a mixin whose methods run shell lines on a host.

LNST_HOST = '''
import collections, logging, re, subprocess, sys
import EnableIntelSSTTFMixin as mixin

Job = collections.namedtuple("Job", "passed stdout stderr")
class Host:
    lines = []
    def run(self, line, **unused):
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        self.lines.append((line, done.returncode))
        return Job(done.returncode == 0, done.stdout, done.stderr)

class Recipe(mixin.EnableIntelSSTTFMixin):
    matched = [Host()]
    class params(dict):
        enable_intel_sst_tf = True
        def get(self, name, default):
            return {"perf_tool_cpu": [2, 3], "dev_intr_cpu": [4]}.get(name, default)
    params = params()

warnings = []
logging.warning = lambda message, *rest: warnings.append(message)
recipe = Recipe()
if sys.argv[1] == "apply":
    recipe.apply_sub_configuration(None)
else:
    recipe.remove_sub_configuration(None)
print([message for message in warnings if "Could not" in message])
print(Host.lines)
'''
LNST_MODULES = {
    "lnst/Common/Utils.py":
        "import shutil\ndef is_installed(name):\n    return shutil.which(name)\n",
    "lnst/Common/Parameters.py": "class BoolParam:\n    pass\n",
    "lnst/Controller/Recipe.py": "class RecipeError(Exception):\n    pass\n",
    "lnst/Controller/RecipeResults.py": "class ResultLevel:\n    DEBUG = 1\n",
    "lnst/Recipes/ENRT/ConfigMixins/__init__.py":
        "class BaseSubConfigMixin:\n"
        "    def apply_sub_configuration(self, config): pass\n"
        "    def remove_sub_configuration(self, config): pass\n"
        "    def generate_sub_configuration_description(self, config): return []\n",
}


def turbo_freq_states(stage):
    """SST-TF at the current level, of each domain that has CPUs."""
    current = stage.ask("perf-profile", "get-config-current-level")
    answer = {}
    for place, values in current.items():
        level = values.get("get-config-current_level")
        profile = stage.ask("perf-profile", "info", "-l", level)[place]
        answer[place] = profile[f"perf-profile-level-{level}"]["speed-select-turbo-freq"]
    return {place: state for place, state in answer.items() if "cpu-None" not in place}


def lnst_mixin(source):
    def run(stage):
        stage.put(source / "lnst" / "EnableIntelSSTTFMixin.py")
        stage.write("host.py", LNST_HOST)
        for name, text in LNST_MODULES.items():
            path = stage.write(name, text)
            for directory in path.relative_to(stage.files).parents:
                (stage.files / directory / "__init__.py").touch()
        done = stage.run("/usr/bin/python3", "host.py", "apply")
        expect(done.returncode == 0, "apply_sub_configuration raises", done)
        states = turbo_freq_states(stage)
        expect("enabled" in states.values(), f"SST-TF is not on: {states}", done)
        done = stage.run("/usr/bin/python3", "host.py", "remove")
        expect(done.returncode == 0 and done.stdout.startswith("[]"), "removing fails", done)
        states = turbo_freq_states(stage)
        expect("enabled" not in states.values(), f"SST-TF is not off: {states}", done)
    return run


def lnst(source, machine):
    if not speed_select(machine, "turbo_freq"):
        raise Unsuited("the mixin wants SST-TF, which this machine lacks")
    yield "apply and remove", lnst_mixin(source)


# lkvs: a shell script of cases, with the library that it sources.

# What a case says of frequencies that turbostat, a stand-in here, measured: the end of what the
# tool can be judged by. All calls of the tool come before.
LKVS_FREQUENCIES = ("did not reach ISST HP base freq", "did not reach ISST HP turbo freq",
                    "CPUs base freq is 100Mhz larger than expected")
LKVS_NOT_OURS = {"isst_legacy_driver_sysfs": "looks for directories of the kernel's drivers only"}


def lkvs_level(sst, number):
    """The cores of a level."""
    return next(level["cores"] for level in sst["levels"] if level["level"] == number)


def lkvs_needs(case, machine):
    """Why v1.27 cannot pass the case on this machine, or None."""
    sst = machine["sst"]
    found = re.search(r"level_?(\d)", case)
    level = int(found[1]) if found else sst["current_level"]
    if case == "isst_unlock_status" and sst["locked"]:
        return "the machine is locked"
    if case == "isst_pp_config_enable_status" and not sst["enabled"]:
        return "SST-PP is not enabled"
    if level not in sst["allowed_levels"] or sst["locked"] and (found or "_bf_" in case):
        return f"software cannot set level {level}"
    if "_prop" in case and machine["cpu"]["model"] == 85:
        return "this generation has neither weights nor the proportional type"
    if "_tf_freq" in case and not {8, 9} <= cores.of_domain(machine, 0, lkvs_level(sst, level)):
        return f"CPUs 8 and 9, which it uses, are offline at level {level}"
    if "_bf_freq" in case and not speed_select(machine, "base_freq", {level}):
        return f"no SST-BF at level {level}"
    if "_bf_freq" in case and not speed_select(machine, "base_freq", {0}):
        return "no SST-BF at level 0, which it shows"
    if "_tf_freq" in case and not speed_select(machine, "turbo_freq", {level}):
        return f"no SST-TF at level {level}"
    if "_cp_" in case and not sst["core_power"]["supported"]:
        return "no SST-CP"
    if case == "isst_cap" and not (sst["core_power"]["supported"] and sst["enabled"] and
                                   all(speed_select(machine, feature, sst["allowed_levels"])
                                       for feature in ("base_freq", "turbo_freq"))):
        return "it wants all four features"
    return None


def lkvs_case(source, case):
    def run(stage):
        for name in ("common", "isst"):
            stage.put(source / "lkvs" / name)
        stage.write(".env", "source ../common/common.sh\n")
        done = stage.run("bash", "isst/intel_sst.sh", "-t", case)
        if done.returncode and any(text in done.stderr for text in LKVS_FREQUENCIES):
            expect(not [line for status, line in stage.calls() if status], "a call fails", done)
            return "up to the frequencies that turbostat measures"
        expect(done.returncode == 0, f"status {done.returncode}", done)
        return None
    return run


def lkvs(source, machine):
    if not machine["sst"]:
        raise Unsuited("the script wants --info to succeed, and there is no driver")
    text = (source / "lkvs" / "isst" / "tests").read_text(encoding="utf-8")
    for case in re.findall(r"^intel_sst\.sh -t (\w+)$", text, re.M):
        reason = LKVS_NOT_OURS.get(case) or lkvs_needs(case, machine)
        yield case, skipping(reason) if reason else lkvs_case(source, case)


def skipping(reason):
    def run(_stage):
        raise Unsuited(reason)
    run.is_unsuited = True
    return run


# optimization-zone: set, unset and check of priority core turbo.

def priority_core_turbo(source, level):
    def run(stage):
        for name in ("pct_map_and_set_clos.sh", "check_pct_status.sh"):
            stage.put(source / "optimization-zone" / name)
        variables = {"TDP_LEVEL": str(level)}
        done = stage.run("bash", "pct_map_and_set_clos.sh", ACTION="set", **variables)
        expect(done.returncode == 0 and "WARN" not in done.stderr, "set fails", done)
        fast = re.search(r"^HP effective +: (\S+)$", done.stdout, re.M)[1]
        check_classes(stage, fast)
        expect(re.search(r"^cpu-\d+ clos:0$", done.stdout, re.M), "no pairs are shown", done)
        done = stage.run("bash", "check_pct_status.sh", **variables)
        expect(done.returncode == 0, "check fails", done)
        for text in ("PCT/SST-TF turbo tables detected", "Core Power feature ENABLED",
                     "CLOS ENABLED", "exactly matches the bucket-0", f"clos:0 CPU list: {fast}"):
            expect(text in done.stdout, f"check does not say: {text}", done)
        done = stage.run("bash", "pct_map_and_set_clos.sh", ACTION="unset", **variables)
        expect(done.returncode == 0 and "WARN" not in done.stderr, "unset fails", done)
        done = stage.run("bash", "check_pct_status.sh", **variables)
        for text in ("Core Power disabled", "No CPUs currently report clos:0"):
            expect(text in done.stdout, f"check does not say after unset: {text}", done)
    return run


def optimization_zone(source, machine):
    if machine["interface"]["kind"] != "tpmi":
        raise Unsuited("the script reads power domains, which v1.27 shows on TPMI machines only")
    for level in machine["sst"]["levels"]:
        if level["turbo_freq"]:
            yield f"TDP_LEVEL={level['level']}", priority_core_turbo(source, level["level"])
    if not speed_select(machine, "turbo_freq", machine["sst"]["allowed_levels"]):
        raise Unsuited("no SST-TF")


# smbios-mdr: the answers of Redfish are made from the platform file.

REDFISH = '''
import json, pathlib, types
ANSWERS = json.loads(pathlib.Path(__file__).with_name("answers.json").read_text())
class Client:
    def login(self, auth): pass
    def get(self, path): return types.SimpleNamespace(text=json.dumps(ANSWERS[path]))
def redfish_client(**unused): return Client()
'''


def redfish_answers(machine):
    """What a controller would tell of the first power domain of each package."""
    answers, members = {}, []
    top = "/redfish/v1/Systems/system/Processors"
    sst = machine["sst"]
    for package in range(len(machine["topology"]["packages"])):
        path = f"{top}/cpu{package}"
        members.append({"@odata.id": path})
        configs = {f"{path}/OperatingConfigs/config{level['level']}":
                   cores.operating_config(machine, package, level) for level in sst["levels"]}
        current = next(level for level in sst["levels"] if level["level"] == sst["current_level"])
        answers[path] = {
            "Id": f"cpu{package}", "Status": {"State": "Enabled"},
            "AppliedOperatingConfig":
                {"@odata.id": f"{path}/OperatingConfigs/config{current['level']}"},
            "BaseSpeedPriorityState": "Disabled",
            "HighSpeedCoreIDs": sorted(cores.base_freq(machine, package, current)),
            "OperatingConfigs": {"@odata.id": f"{path}/OperatingConfigs"}}
        answers[f"{path}/OperatingConfigs"] = {
            "Members@odata.count": len(configs), "Members": [{"@odata.id": name}
                                                             for name in configs]}
        answers.update(configs)
    answers[top] = {"Members": members}
    return answers


def redfish_comparer(source):
    def run(stage):
        stage.put(source / "smbios-mdr" / "sst-compare-redfish-os.py")
        stage.write("redfish.py", REDFISH)
        stage.write("answers.json", json.dumps(redfish_answers(stage.machine)))
        done = stage.run("/usr/bin/python3", "sst-compare-redfish-os.py", "bmc")
        expect(done.returncode == 0 and "Everything matched! :)" in done.stdout,
               "\n".join(re.findall(r".*MISMATCH.*\n.*\n.*", done.stdout)) or "fails", done)
    return run


def smbios_mdr(source, machine):
    if not machine["sst"]:
        raise Unsuited("v1.27 has no levels to show without a driver")
    if machine["cpu"]["model"] == 85:
        raise Unsuited("v1.27 shows no tjunction-max(C) on this generation, which the script reads")
    if machine["topology"]["threads_per_core"] != 2:
        raise Unsuited("the script halves CPUs to cores: it wants two threads to a core")
    yield "compare", redfish_comparer(source)


# nri-plugins: the blocks of the page that run the tool.

def page_blocks(source):
    page = next((source / "nri-plugins").glob("*.md")).read_text(encoding="utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```$", page, re.M | re.S)
    return [block for block in blocks if "sudo intel-speed-select" in block]


def pct_page(source):
    def run(stage):
        cpus = "2,34,66,98"
        stage.write("sst", '#!/bin/sh\nexec /usr/bin/sst\n').chmod(0o755)
        done = {}
        for block in page_blocks(source):
            block = block.replace("<cpu-list>", cpus)
            key = "restore" if "turbo-freq disable" in block else \
                  "enable" if "turbo-freq enable" in block else \
                  "verify" if "perf-profile info" in block else "pods"
            if key == "restore":  # from here on the classes are those of the pods
                check_classes(stage, cpus, "0")
            done[key] = stage.run("bash", "-e", "-c", f"export TF_INIT_CPUS={cpus}\n{block}")
            expect(done[key].returncode == 0, f"the block '{key}' fails", done[key])
        check_page(stage, done)
        failures = [line for status, line in stage.calls() if status]
        expect(not failures, f"calls fail: {failures}")
    return run


def check_page(stage, done):
    expect(set(done) == {"enable", "verify", "pods", "restore"}, f"blocks: {sorted(done)}")
    expect("speed-select-turbo-freq:enabled" in done["verify"].stdout, "not enabled",
           done["verify"])
    pairs = re.findall(r"cpu-(\d+)\s+clos:(\d)", done["verify"].stdout)
    expect(pairs == [("0", "3"), ("2", "0"), ("34", "0"), ("66", "0"), ("98", "0")],
           f"get-assoc: {pairs}", done["verify"])
    expect(re.findall(r"clos:(\d)", done["pods"].stdout) == ["0"] * 4, "pods", done["pods"])
    lines = {line.strip() for line in done["restore"].stdout.splitlines()}
    for line in ("clos-enable-status:disabled", "enable-status:disabled",
                 "speed-select-turbo-freq:disabled"):
        expect(line in lines, f"no line {line}", done["restore"])
    expect("enabled" not in done["restore"].stdout, "something is still on", done["restore"])


LAST_CPU_OF_PAGE = 98


def nri_plugins(source, machine):
    if machine["interface"]["kind"] != "tpmi" or not speed_select(machine, "turbo_freq"):
        raise Unsuited("the page is for Xeon 6 with SST-TF")
    if cores.count_cpus(machine) <= LAST_CPU_OF_PAGE:
        raise Unsuited(f"the page names CPU {LAST_CPU_OF_PAGE}")
    yield "every block that runs the tool", pct_page(source)


CONSUMERS = {
    "cek": container_experience_kits,
    "lkvs": lkvs,
    "lnst": lnst,
    "nri-plugins": nri_plugins,
    "optimization-zone": optimization_zone,
    "smbios-mdr": smbios_mdr,
}

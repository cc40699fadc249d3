# SPDX-License-Identifier: GPL-2.0-only
"""
The command lines of published programs, to the letter and in their order, with the exit status
that each needs and what the program then searches for. A line is text of the published file:
`published` finds it there. What a template, a format string or a list computes is in the values of
its replay: a name that begins with a letter is a variable of the shell, any other text is replaced
in the line. Patterns are searched with <name> replaced by that value.
"""

import dataclasses
import itertools
import typing


class Path(typing.NamedTuple):
    """A file: where it is in the directory for `published`, and in its repository."""
    local: str
    remote: str


@dataclasses.dataclass(frozen=True)
class Source:
    folder: str
    repository: str
    commit: str
    paths: dict


@dataclasses.dataclass(frozen=True)
class Step:
    line: str
    path: str
    status: typing.Optional[object] = 0  # None: not looked at; "fails": any but 0
    out: tuple = ()  # patterns that stdout must have
    err: tuple = ()
    never: str = None  # a pattern that neither stream may have
    how: str = "shell"  # or "words" (split as a shell does, no shell) or "list" (of Python)
    document: tuple = ()  # stderr is one JSON document that has these members


@dataclasses.dataclass(frozen=True)
class Replay:
    source: str
    platforms: tuple
    steps: tuple
    values: tuple = ({},)  # once for each
    faults: str = None  # faults.json from the first step that needs "fails"


def product(**choices):
    """Every combination of the values of some variables."""
    return tuple(dict(zip(choices, row)) for row in itertools.product(*choices.values()))


ROLE = "configure_sst/"
SOURCES = {
    "container-experience-kits": Source(
        "cek", "intel/container-experience-kits", "7e91f39b",
        {name: Path(ROLE + name, "roles/" + ROLE + name) for name in (
            "tasks/sst_bf_cp_tf_pp_setup.yml", "tasks/sst_pp.yml", "tasks/icx_sst_bf.yml",
            "tasks/icx_sst_cp.yml", "tasks/icx_sst_tf.yml", "tasks/sst_pp_user_defined_setup.yml",
            "templates/sst-cp-config-icx.sh.j2", "templates/sst-pp-configure-icx.service.j2",
            "templates/sst-bf-configure-icx.service.j2",
            "templates/sst-tf-configure-icx.service.j2")}),
    "ecoran": Source("", "Mattiabe98/ecoran", "04005786", {"ecoran.py": Path("", "ecoran.py")}),
    "lkvs": Source("lkvs", "intel/lkvs", "e7b4f56a",
                   {"intel_sst.sh": Path("isst/intel_sst.sh", "BM/isst/intel_sst.sh")}),
    "lnst": Source("lnst", "LNST-project/lnst", "618effd8",
                   {"mixin": Path("EnableIntelSSTTFMixin.py",
                                  "lnst/Recipes/ENRT/ConfigMixins/EnableIntelSSTTFMixin.py")}),
    "nri-plugins": Source("nri-plugins", "containers/nri-plugins", "0705acc8", {
        "page": Path("balloons-pct-example-manual.md",
                     "docs/resource-policy/policy/howto/balloons-pct-example-manual.md")}),
    "optimization-zone": Source("optimization-zone", "intel/optimization-zone", "d9832e28", {
        name: Path(name, "hardware/priority_core_turbo/" + name)
        for name in ("pct_map_and_set_clos.sh", "check_pct_status.sh")}),
    "smbios-mdr": Source("smbios-mdr", "openbmc/smbios-mdr", "e3c676f1", {
        "comparer": Path("sst-compare-redfish-os.py", "tools/sst-compare-redfish-os.py")}),
    # Seen on Xeon 6962P; its authors published no file.
    "boot-script": Source("", "", "", {"boot": Path("", "")}),
}

ALL_FEATURES = ("emr-8592-2s", "guide", "icx-8360y-2s", "spr-6438n-2s", "spr-8460h-4s",
                "gnr-6980p-2s")
TPMI = ("gnr-6776p-2s", "gnr-6980p-2s")

# container-experience-kits

SETUP, PP = "tasks/sst_bf_cp_tf_pp_setup.yml", "tasks/sst_pp.yml"
NAMES = {"bf": "sst_bf_config", "cp": "sst_cp_config", "tf": "sst_tf_config",
         "level": "sst_pp_level_set.stdout", "cpus": "sst_tf_online_cpus"}


def words(line, path, **more):
    """A task of Ansible's module command."""
    return Step(line, path, how="words", **more)


CEK_BEGIN = (
    words("intel-speed-select --info", SETUP,
          err=(r"^Intel\(R\) SST-PP \(feature perf-profile\) is supported$",)),
    words("intel-speed-select perf-profile get-config-levels", SETUP,
          err=(r"get-config-levels:\d",)),
    words("intel-speed-select perf-profile get-lock-status", PP, err=("unlock",)),
    words("intel-speed-select turbo-freq {{ sst_tf_config }} -a", PP),
    words("intel-speed-select base-freq {{ sst_bf_config }} -a", PP))
CEK_CORE_POWER = "intel-speed-select core-power {{ sst_cp_config }} -a"
CEK_ONLINE = r"""set -o pipefail && \
intel-speed-select \
-d perf-profile set-config-level \
-l {{ sst_pp_level_set.stdout }} \
-o  2>&1 | \
grep -i 'online cpu' | \
grep -Eo '[0-9]{1,4}' | \
tr "\n" " " | \
tr ' ' ',' | \
"""
CEK_END = (
    words(CEK_CORE_POWER, PP, never="turbo-freq feature is still enabled"),
    Step("set -o pipefail && intel-speed-select perf-profile info -l 0 2>&1 | "
         "grep 'speed-select'", PP, out=("speed-select-base-freq:",)),
    words("intel-speed-select perf-profile get-config-levels", PP),
    Step("set -o pipefail && intel-speed-select perf-profile get-config-levels  2>&1 | "
         "grep get-config-levels | grep -Eo '[0-9]{1}' | awk 'FNR <= 1'", PP,
         out=(r"\A<{{ sst_pp_level_set.stdout }}>\n\Z",)),
    words("intel-speed-select -d perf-profile set-config-level "
          "-l {{ sst_pp_level_set.stdout }} -o", PP),
    Step(CEK_ONLINE + "sed '$ s/,$//g'\n", PP, out=(r"\A0,1,2,3,[\d,]*\d\n?\Z",)),
    Step(r"""set -o pipefail && \
intel-speed-select perf-profile info \
-l 0 2>&1 | \
grep -E '(core-count:|bucket|max-turbo|high-priority|low-priority)' > sst_pp_perf_profile.txt
""", PP),
    Step(r"""set -o pipefail && \
intel-speed-select \
-d perf-profile set-config-level \
-l {{ sst_pp_level_set.stdout }} -o | \
grep -E '(set_tdp_level | online | offline | logical)' > sst_pp_config_details.txt
""", PP),
    words("intel-speed-select -d perf-profile set-config-level "
          "-l {{ sst_pp_level_set.stdout }} -o", "templates/sst-pp-configure-icx.service.j2"))
CEK_LIST = (
    Step(CEK_ONLINE + "grep -Eo '{{ sst_tf_online_cpus }}'\n",
         "tasks/sst_pp_user_defined_setup.yml", out=(r"\A1,2,3\n",)),
    words("intel-speed-select -c {{ sst_tf_online_cpus }} turbo-freq enable -a",
          "tasks/sst_pp_user_defined_setup.yml"))
ON_OR_OFF = ("enable", "disable")


def cek_values(level, base_freq=ON_OR_OFF, core_power=ON_OR_OFF, turbo_freq=ON_OR_OFF):
    rows = product(bf=base_freq, cp=core_power, tf=turbo_freq, level=(level,), cpus=("1,2,3",))
    return tuple({f"{{{{ {NAMES[name]} }}}}": value for name, value in row.items()}
                 for row in rows)


def cek_levels(steps, level_of, **choices):
    return tuple(Replay("container-experience-kits", (platform,), steps,
                        cek_values(level, **choices)) for platform, level in level_of)


CEK_MAILBOX = (("icx-8360y-2s", "4"), ("spr-8460h-4s", "0"))
CEK_FIRST = (
    words("intel-speed-select perf-profile get-config-levels", SETUP,
          err=("get-config-levels:0",)),
    words("intel-speed-select base-freq enable -a", SETUP, err=("enable:succes",)),
    words("intel-speed-select core-power enable -a", SETUP, err=("enable:succes",)),
    words("intel-speed-select turbo-freq enable -a", SETUP, err=("enable:succes",)),
    words("intel-speed-select base-freq {{ icx_sst_bf_switch }} {{ core_priority_switch }}",
          "tasks/icx_sst_bf.yml"),
    words("intel-speed-select base-freq {{ icx_sst_bf_switch }} {{ core_priority_switch }}",
          "templates/sst-bf-configure-icx.service.j2"),
    words("intel-speed-select core-power enable --priority {{ sst_cp_priority_type }}",
          "tasks/icx_sst_cp.yml"),
    words("intel-speed-select core-power config --clos {{ item.id }} --weight "
          "{{ item.frequency_weight }} --min {{ item.min_MHz }} --max {{ item.max_MHz }}",
          "tasks/icx_sst_cp.yml"),
    words("intel-speed-select -c {{ item.cpus }} core-power assoc -c {{ item.clos }}",
          "tasks/icx_sst_cp.yml"),
    Step("intel-speed-select core-power config --clos {{ item.id }} --weight "
         "{{ item.frequency_weight }} --min {{ item.min_MHz }} --max {{ item.max_MHz }}",
         "templates/sst-cp-config-icx.sh.j2"),
    words("intel-speed-select turbo-freq {{ icx_sst_tf_switch }} {{ core_priority_switch }}",
          "tasks/icx_sst_tf.yml"),
    words("intel-speed-select turbo-freq {{ icx_sst_tf_switch }} {{ core_priority_switch }}",
          "templates/sst-tf-configure-icx.service.j2"),
    words("intel-speed-select turbo-freq info -l 0", "tasks/icx_sst_tf.yml"))
# The example of the role's documentation, in generate/profiles_templates/common/host_vars.j2.
CEK_FIRST_VALUES = {
    "{{ icx_sst_bf_switch }}": "enable", "{{ icx_sst_tf_switch }}": "enable",
    "{{ core_priority_switch }}": "-a", "{{ sst_cp_priority_type }}": "1", "{{ item.id }}": "0",
    "{{ item.frequency_weight }}": "0", "{{ item.min_MHz }}": "0", "{{ item.max_MHz }}": "25500",
    "{{ item.cpus }}": "2,3,5", "{{ item.clos }}": "0"}
CEK = (
    *cek_levels(CEK_BEGIN + CEK_END, CEK_MAILBOX, turbo_freq=("disable",)),
    *cek_levels(CEK_BEGIN + CEK_END, CEK_MAILBOX, turbo_freq=("enable",), core_power=("enable",)),
    # The kernel tree's tool ends with 0 here, and does not do it either.
    *cek_levels(CEK_BEGIN + (words(CEK_CORE_POWER, PP, status=1,
                                   err=("turbo-freq feature is still enabled",)),),
                CEK_MAILBOX, turbo_freq=("enable",), core_power=("disable",)),
    *cek_levels(CEK_BEGIN + CEK_END, (("gnr-6980p-2s", "0"),)),
    *cek_levels(CEK_BEGIN + CEK_END, (("gnr-6776p-2s", "1"),), base_freq=("disable",)),
    *cek_levels(CEK_BEGIN + CEK_END + CEK_LIST,
                (("spr-6438n-2s", "4"), ("gnr-6980p-2s", "0")), turbo_freq=("enable",),
                core_power=("enable",)),
    Replay("container-experience-kits", ("cpx-5318h-2s", "gnr-6980p-2s", "spr-8460h-4s"),
           CEK_FIRST, (CEK_FIRST_VALUES,)))

# EcoRAN

ECORAN_VALUES = {
    "self.intel_sst_path": '"intel-speed-select"', "str(cid)": '"1"', "str(freq)": '"1000"',
    '",".join(map(str, sorted(list(assoc_cores))))': '"2,3,4"'}
ECORAN = (Replay("ecoran", ("icx-8360y-2s", *TPMI), tuple(
    Step(line, "ecoran.py", how="list") for line in (
        '[self.intel_sst_path, "--version"]',
        '["intel-speed-select", "core-power", "enable"]',
        '["intel-speed-select", "core-power", "config", "-c", str(cid), "--min", str(freq)]',
        '["intel-speed-select", "-c", ",".join(map(str, sorted(list(assoc_cores)))), '
        '"core-power", "assoc", "-c", str(cid)]')), (ECORAN_VALUES,)),)

# lkvs


def lkvs(*steps):
    """Lines of the script: do_cmd must succeed, the others print what they find."""
    return tuple(Step(line, "intel_sst.sh", out=tuple(out), status=0 if "do_cmd" in line else None)
                 for line, *out in steps)


def lkvs_found(command, text, pattern, file="pp.out"):
    return ((f'do_cmd "intel-speed-select -o {file} {command}"',),
            (f"grep {text} {file} | awk -F \":\" '{{print $2}}'", pattern))


def lkvs_level(options, online):
    return lkvs(
        *lkvs_found("perf-profile get-config-current-level", "get-config-current_level",
                    r"\A(\d\n)+\Z"),
        *lkvs_found(f"{options}perf-profile set-config-level -l $level_id{online}",
                    "set_tdp_level", r"\A(success\n)+\Z"),
        *lkvs_found("perf-profile get-config-current-level", "get-config-current_level",
                    r"\A(<level_id>\n)+\Z"),
        (f'do_cmd "intel-speed-select -o pp.out {options}perf-profile set-config-level -l 0'
         f'{online}"',))


LKVS_READ = lkvs(
    ('do_cmd "intel-speed-select -o info.out -i"',),
    ('grep SST-PP info.out | grep "not supported"', r"\A\Z"),
    ('grep SST-CP info.out | grep "not supported"', r"\A\Z"),
    ('grep SST-BF info.out | grep "not supported"', r"\A\Z"),
    ('grep SST-TF info.out | grep "not supported"', r"\A\Z"),
    *lkvs_found("perf-profile get-lock-status", "get-lock-status", r"\A(unlocked\n)+\Z"),
    *lkvs_found("perf-profile get-config-enabled", "get-config-enabled", r"\A(enabled\n)+\Z"),
    ('do_cmd "intel-speed-select -o pp_info.out perf-profile info"',),
    ('do_cmd "intel-speed-select -o pp.out perf-profile info -l 0"',),
    ("grep \"base-frequency(MHz)\" pp.out | awk -F \":\" '{print $2}' | sed -n \"1, 1p\"",
     r"\A\d+\n\Z"))
LKVS_SWITCH = lkvs(
    ('do_cmd "intel-speed-select -o cp.out core-power $action -p $type"',),
    ('do_cmd "intel-speed-select -o cp.out core-power info"',),
    ("grep clos-enable-status cp.out | awk -F \":\" '{print $2}'", r"\A(<expected_status>\n)+\Z"),
    ("grep priority-type cp.out | awk -F \":\" '{print $2}'", r"\A(<priority>\n)+\Z"))
LKVS_CLASS = lkvs(
    ('do_cmd "intel-speed-select -o cp.out core-power config -n $min_mhz -c $clos_id"',),
    ('do_cmd "intel-speed-select -o cp.out core-power get-config -c $clos_id"',),
    ("grep clos: cp.out | awk -F \":\" '{print $2}'", r"\A(<clos_id>\n)+\Z"),
    ("grep clos-min cp.out | awk -F \":\" '{print $2}'", r"\A(<min_mhz> MHz\n)+\Z"),
    ('do_cmd "intel-speed-select -o cp.out core-power config -m $max_mhz -c $clos_id"',),
    ('do_cmd "intel-speed-select -o cp.out core-power get-config -c $clos_id"',),
    ("grep clos-max cp.out | awk -F \":\" '{print $2}'", r"\A(<max_mhz> MHz\n)+\Z"),
    ('do_cmd "intel-speed-select -o cp.out core-power config -w $prop_pri -c $clos_id"',),
    ('do_cmd "intel-speed-select -o cp.out core-power get-config -c $clos_id"',),
    ("grep clos-proportional-priority cp.out | awk -F \":\" '{print $2}'",
     r"\A(<prop_pri>\n)+\Z"),
    ('do_cmd "intel-speed-select -o cp.out -c 1 core-power assoc -c $clos_id"',),
    ("grep assoc cp.out | awk -F \":\" '{print $2}'", r"\Asuccess\n\Z"),
    ('do_cmd "intel-speed-select -o cp.out -c 1 core-power get-assoc"',),
    ("grep clos cp.out | awk -F \":\" '{print $2}'", r"\A<clos_id>\n\Z"),
    ('do_cmd "intel-speed-select -o cp.out -c $max_cpu core-power assoc -c $clos_id"',),
    ("grep assoc cp.out | awk -F \":\" '{print $2}'", r"\Asuccess\n\Z"))
LKVS_BASE_FREQ = lkvs(
    ('do_cmd "intel-speed-select -o pp.out perf-profile set-config-level -l $level_id -o"',),
    ('do_cmd "intel-speed-select -o bf.out base-freq enable -a"',),
    ("grep \"enable\" bf.out | awk -F \":\" '{print $2}'", r"\A(success\n)+\Z"),
    ('do_cmd "intel-speed-select -o bf.out base-freq info -l 0"',),
    ("grep \"high-priority-base-frequency(MHz)\" bf.out | awk -F \":\" '{print $2}' | "
     "sed -n \"1, 1p\"", r"\A\d+\n\Z"),
    ("grep \"high-priority-cpu-list\" bf.out | grep -v -c none", r"\A[1-9]"),
    ('do_cmd "intel-speed-select base-freq disable -a"',))
LKVS_TURBO_FREQ = lkvs(
    ('do_cmd "intel-speed-select -o pp.out perf-profile set-config-level -l $level_id -o"',),
    ('do_cmd "intel-speed-select -c 8,9 turbo-freq disable -a"',),
    ('do_cmd "intel-speed-select -o tf.out -c 8,9 turbo-freq enable -a"',),
    ('do_cmd "intel-speed-select -o tf.out -c 0 turbo-freq info -l 0"',),
    ("grep \"high-priority-max-frequency(MHz)\" tf.out | awk -F \":\" '{print $2}' | "
     "sed -n \"1, 1p\"",),
    ('do_cmd "intel-speed-select -c 8,9 turbo-freq disable -a"',))
LKVS = (
    Replay("lkvs", ("icx-8360y-2s", "spr-6438n-2s", "gnr-6776p-2s"), LKVS_READ),
    Replay("lkvs", ("icx-8360y-2s", "spr-6438n-2s"), lkvs_level("", " -o") + lkvs_level("-g ", ""),
           product(level_id=("3", "4"))),
    Replay("lkvs", ("gnr-6776p-2s",), lkvs_level("", " -o") + lkvs_level("-g ", ""),
           product(level_id=("1",))),
    Replay("lkvs", ("icx-8360y-2s", "gnr-6776p-2s"), LKVS_SWITCH, (
        {"action": "enable", "expected_status": "enabled", "type": "0",
         "priority": "proportional"},
        {"action": "enable", "expected_status": "enabled", "type": "1", "priority": "ordered"},
        {"action": "disable", "expected_status": "disabled", "type": "0",
         "priority": "proportional"},
        {"action": "disable", "expected_status": "disabled", "type": "1",
         "priority": "ordered"})),
    Replay("lkvs", ("icx-8360y-2s", "gnr-6776p-2s"), LKVS_CLASS,
           product(clos_id=("0", "3"), min_mhz=("2100",), max_mhz=("3500",), prop_pri=("10",),
                   max_cpu=("143",))),
    Replay("lkvs", ("spr-6438n-2s",), LKVS_BASE_FREQ, product(level_id=("0", "3"))),
    Replay("lkvs", ("spr-6438n-2s",), LKVS_TURBO_FREQ, product(level_id=("0", "3"))),
    Replay("lkvs", ("gnr-6776p-2s",), LKVS_TURBO_FREQ, product(level_id=("0", "1"))))

# LNST

LNST_VALUES = {"{self._system_cpus(host)}": ",".join(map(str, range(40))),
               "{self._ssted_cpus()}": "2,3"}
LNST = (Replay("lnst", ("cpx-5318h-2s", "gnr-6776p-2s", *ALL_FEATURES), (
    Step("intel-speed-select --info", "mixin",
         err=(r"Intel\(R\) SST-TF \(feature turbo-freq\) is supported",)),
    Step("intel-speed-select -c {self._system_cpus(host)} turbo-freq disable –auto", "mixin"),
    Step("intel-speed-select -c {self._ssted_cpus()} turbo-freq enable –auto", "mixin"),
    Step("intel-speed-select turbo-freq disable", "mixin"),
    Step("intel-speed-select -c {self._ssted_cpus()} turbo-freq enable –auto", "mixin",
         status="fails")), (LNST_VALUES,),
    faults='{"orders":[{"at":"mailbox","command":"0x7f/0x02","error":"ENXIO"},'
           '{"at":"tpmi","request":"PERF_SET_FEATURE","error":"EIO"}]}'),)

# nri-plugins

NRI = (Replay("nri-plugins", TPMI, (
    Step("sudo intel-speed-select -c $TF_INIT_CPUS turbo-freq enable -a", "page"),
    Step("sudo intel-speed-select perf-profile info 2>&1 \\\n"
         "    | grep -E 'package-|powerdomain-|speed-select-turbo-freq:'", "page",
         out=(r"^ +powerdomain-1$", "speed-select-turbo-freq:enabled")),
    Step("sudo intel-speed-select -c 0,2,34,66,98 core-power get-assoc 2>&1 \\\n"
         "    | grep -E 'cpu-|clos:'", "page",
         out=(r"cpu-0\n +clos:3", r"cpu-2\n +clos:0", r"cpu-34\n +clos:0", r"cpu-98\n +clos:0")),
    Step("sudo intel-speed-select -c <cpu-list> core-power get-assoc 2>&1 \\\n"
         "    | grep -E 'cpu-|clos:'", "page", out=(r"cpu-3\n +clos:3",)),
    Step("sudo intel-speed-select turbo-freq disable -a", "page"),
    Step("sudo intel-speed-select core-power disable", "page"),
    Step("sudo intel-speed-select core-power info 2>&1 \\\n"
         "    | grep -E 'enable-status' | sort -u", "page",
         out=(r"^ +clos-enable-status:disabled$", r"^ +enable-status:disabled$"),
         never=":enabled"),
    Step("sudo intel-speed-select perf-profile info 2>&1 \\\n"
         "    | grep -E 'speed-select-turbo-freq:' | sort -u", "page",
         out=("speed-select-turbo-freq:disabled",), never=":enabled")),
    ({"TF_INIT_CPUS": "2,34,66,98", "<cpu-list>": "1,3"},)),)

# optimization-zone

SET, CHECK = "pct_map_and_set_clos.sh", "check_pct_status.sh"
ASSOC = '$ISS -c "$cpu_list" core-power assoc --clos "$clos" 2>&1 >/dev/null'
PCT_CHECK = (
    Step('$SUDO intel-speed-select --info 2>&1 | grep -E "Intel|Executing|Supported|Features" '
         '|| true', CHECK, out=(r"Intel\(R\) SST-TF \(feature turbo-freq\) is supported",)),
    Step('$SUDO intel-speed-select turbo-freq info -l "$TDP_LEVEL" 2>&1 || true', CHECK,
         out=("high-priority",), never="specify tdp_level|Failed to get turbo-freq info"),
    Step("$SUDO intel-speed-select -c 0 core-power get-assoc >/dev/null 2>&1", CHECK),
    Step('$SUDO intel-speed-select -c "$cpu_list" core-power get-assoc 2>&1', CHECK,
         out=(r"cpu-2\n.*\n +clos:<clos>$",)))


def pct_step(line, **more):
    return Step(line, SET, **more)


PCT = (Replay("optimization-zone", ("gnr-6776p-2s", "gnr-6776p-pct-2s"), (
    pct_step('$ISS turbo-freq info -l "$tdp_level" 2>&1 || true',
             out=(r"bucket-0\n +high-priority-cores-count:\d+\n(.*\n)*?"
                  r" +high-priority-max-level-0-frequency\(MHz\):\d+", "cpu-None",
                  "powerdomain-1", "die-0", "package-1")),
    pct_step("$ISS core-power enable --priority 1"),
    pct_step(ASSOC, never="(?i)malformed arguments|Error:"),
    *PCT_CHECK,
    Step("$SUDO intel-speed-select core-power info 2>&1 || true", CHECK,
         out=("support-status:supported", "enable-status:enabled",
              "clos-enable-status:enabled")),
    pct_step("$ISS core-power disable --clos"),
    Step("$SUDO intel-speed-select core-power info 2>&1 || true", CHECK, never=":enabled")),
    product(ISS=("intel-speed-select",), SUDO=("",), tdp_level=("0", "1"), TDP_LEVEL=("1",),
            cpu_list=("0-3,32-35,64-67",), clos=("0", "2"))),)

# smbios-mdr

LEVEL_MEMBERS = ("enable-cpu-count", "enable-cpu-list", "base-frequency(MHz)", "tjunction-max(C)",
                 "thermal-design-power(W)", "core-count", "max-turbo-frequency(MHz)",
                 "speed-select-base-freq")
SMBIOS_MDR = (Replay("smbios-mdr", ("gnr-6776p-2s", *ALL_FEATURES), (
    Step('"/usr/bin/env",\n        "intel-speed-select",\n        "--debug",\n'
         '        "--format=json",\n        "perf-profile",\n        "info",', "comparer",
         how="list", document=LEVEL_MEMBERS,
         out=(r"^map logical_cpu:(\d+).*punit_core:(\d+)$",)),
    Step('"/usr/bin/env",\n        "intel-speed-select",\n        "--format=json",\n'
         '        "perf-profile",\n        "get-config-current-level",', "comparer", how="list",
         document=("get-config-current_level",))),),)

# One CPU of each domain, one after the other.
BOOT_LINES = tuple(Step(f"intel-speed-select -c {cpu} {command}", "boot", err=(result,))
                   for cpu in (0, 43, 86, 128) for command, result in
                   (("turbo-freq enable", "enable:success"),
                    ("core-power disable", "disable:success")))
BOOT = (Replay("boot-script", ("gnr-6980p-2s",), BOOT_LINES),)

REPLAYS = {
    "boot-script": BOOT, "container-experience-kits": CEK, "ecoran": ECORAN, "lkvs": LKVS,
    "lnst": LNST, "nri-plugins": NRI, "optimization-zone": PCT, "smbios-mdr": SMBIOS_MDR}


def lines():
    """(source, line, path) of everything that is replayed, each once."""
    return dict.fromkeys((replay.source, step.line, step.path)
                         for replays in REPLAYS.values() for replay in replays
                         for step in replay.steps)

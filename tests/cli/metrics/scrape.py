#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Figures of a simulated machine, through the textfile collector of node_exporter, in Prometheus: both
as installed, on loopback, in temporary directories. Every sample arrives with its value, each query
of the dashboard has data, and those of the page are valid. promtool finds nothing wrong or unusual in
the figures of any machine. Debian packages that are missing are installed.
"""

import argparse
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import metrics

ROOT = pathlib.Path(__file__).resolve().parents[3]
DASHBOARD = ROOT / "packaging/grafana/intel-speed-select.json"
PAGE = ROOT / "docs/fleet.md"
TOOLS = ("prometheus", "prometheus-node-exporter", "promtool")
INSTALL = ". scripts/packages.sh; install_packages prometheus prometheus-node-exporter"
SKIPPED = 77
WAIT_S = 300
REQUEST_S = 60
VARIABLES = {"$instance": ".*", "$__rate_interval": "1m"}
CONFIGURATION = """
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""
# Makes every family have a sample, but for what only other machines have.
SETUP = (("-c", "0-3", "turbo-freq", "enable", "--auto"),
         ("core-power", "config", "--clos", "2", "-n", "1000", "-m", "2000"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=REQUEST_S) as answer:
        return answer.read().decode()


def wait_until(condition, what):
    end = time.monotonic() + WAIT_S
    while True:
        try:
            if condition():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        metrics.expect(time.monotonic() < end, what)
        time.sleep(0.5)


def query(port, text):
    """The series of an expression: their labels, and their values as text."""
    try:
        answer = get(port, "/api/v1/query?" + urllib.parse.urlencode({"query": text}))
    except urllib.error.HTTPError as error:
        raise metrics.Failure(f"{text}: {error.read().decode()}") from error
    return [(row["metric"], row["value"][1]) for row in json.loads(answer)["data"]["result"]]


def queries_of_dashboard():
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        for target in panel["targets"]:
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            yield text


def queries_of_page():
    text = PAGE.read_text(encoding="utf-8").split("\n## Metrics for Prometheus\n")[1]
    for line in text.split("\n## ")[0].splitlines():
        found = re.fullmatch(r"\|.*\| `(.*)` \|", line)
        if found:
            yield found[1]


def compare(port, families):
    """What Prometheus has is what was written. It calls a label that it has itself exported_*."""
    missing = []
    for family, series in families.items():
        found = {frozenset((name.replace("exported_", ""), value) for name, value in labels.items()
                           if name not in ("__name__", "job", "instance")): float(value)
                 for labels, value in query(port, family)}
        if found != series:
            missing.append(family)
    metrics.expect(not missing, f"{missing} arrive not as they were written")


def try_promtool(program):
    for platform in sorted(ROOT.glob("platforms/*.json")):
        with tempfile.TemporaryDirectory(prefix="isst-promtool-") as directory:
            text = metrics.Tried(program, platform, directory).run(
                "metrics", "--per-core", "--limit-reasons").stdout
        done = subprocess.run(["promtool", "check", "metrics"], text=True, check=False, input=text,
                              capture_output=True, timeout=WAIT_S)
        metrics.expect(done.returncode == 0 and not done.stdout + done.stderr,
                       f"promtool: {platform.name}: {done.stdout}{done.stderr}")


def try_scrape(tried, start):
    textfiles = tried.directory / "textfiles"
    textfiles.mkdir()
    for words in SETUP:
        tried.run(*words)
    tried.run("-o", tried.directory / "state/state.json", "state", "export", "--only", "cpufreq")
    tried.run("metrics", "--per-core", "--textfile", textfiles / "isst.prom")
    families = metrics.parse((textfiles / "isst.prom").read_text(encoding="utf-8"))
    ports = free_port(), free_port()
    start("prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{ports[0]}",
          "--collector.disable-defaults", "--collector.textfile",
          f"--collector.textfile.directory={textfiles}")
    configuration = tried.directory / "prometheus.yml"
    configuration.write_text(CONFIGURATION.format(port=ports[0]), encoding="ascii")
    start("prometheus", f"--config.file={configuration}",
          f"--storage.tsdb.path={tried.directory / 'data'}",
          f"--web.listen-address=127.0.0.1:{ports[1]}")
    wait_until(lambda: "node_textfile_scrape_error 0" in get(ports[0], "/metrics"),
               "node_exporter does not read the file")
    wait_until(lambda: query(ports[1], "count_over_time(isst_build_info[1m]) > 3"),
               "Prometheus does not have the figures")
    compare(ports[1], families)
    empty = [text for text in queries_of_dashboard() if not query(ports[1], text)]
    metrics.expect(not empty, f"queries of the dashboard without data: {empty}")
    for text in queries_of_page():
        query(ports[1], text)
    print(f"{sum(map(len, families.values()))} series, {len(list(queries_of_dashboard()))} queries")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--platform", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not all(map(shutil.which, TOOLS)):
        subprocess.run(["sh", "-c", INSTALL], cwd=ROOT, check=False)
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: install {' '.join(missing)}")
        sys.exit(SKIPPED)
    started = []
    with tempfile.TemporaryDirectory(prefix="isst-scrape-") as directory:
        def start(*words):
            with open(pathlib.Path(directory) / f"{words[0]}.log", "wb") as log:
                started.append(subprocess.Popen(words, stdout=log, stderr=log))  # pylint: disable=consider-using-with
        try:
            try_promtool(arguments.program.absolute())
            try_scrape(metrics.Tried(arguments.program.absolute(), arguments.platform.resolve(),
                                     directory), start)
        except metrics.Failure as wrong:
            print(f"FAILED: {wrong}")
            for log in pathlib.Path(directory).glob("*.log"):
                print(log.read_text(encoding="utf-8")[-2000:])
            sys.exit(1)
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


if __name__ == "__main__":
    main()

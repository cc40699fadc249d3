#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs one fuzz target for so many executions or seconds; the corpus stays as it is unless --grow is
given. What broke is kept: its path is printed. The last line has libFuzzer's figures.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--runs", type=int)
    limit.add_argument("--seconds", type=int)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."),
                        help="directory for inputs that break something")
    parser.add_argument("--grow", action="store_true", help="put what is new into the corpus")
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    return parser.parse_args()


# Freed memory is poisoned all the same; what is left out takes half of the time.
ASAN_OPTIONS = "quarantine_size_mb=2:malloc_context_size=1:max_malloc_fill_size=0"


def run(arguments, scratch):
    environment = dict(os.environ, TMPDIR=str(scratch), ASAN_OPTIONS=ASAN_OPTIONS)
    found = scratch / "found"
    found.mkdir()
    keep = arguments.keep.resolve() / f"{arguments.target.name}-"
    limit = f"-runs={arguments.runs}" if arguments.runs else f"-max_total_time={arguments.seconds}"
    command = [arguments.target.resolve(), limit, f"-seed={arguments.seed}",
               "-max_len=8192", "-timeout=60", "-rss_limit_mb=1024", "-close_fd_mask=2",
               "-print_final_stats=1", f"-artifact_prefix={keep}", found, arguments.corpus]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                            env=environment)
    if arguments.grow:
        subprocess.run([arguments.target.resolve(), "-merge=1", "-close_fd_mask=2",
                        arguments.corpus, found], capture_output=True, check=False,
                       env=environment)
    return result


def main():
    arguments = parse_arguments()
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="isst-fuzz-", dir=place))
    try:
        result = run(arguments, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    figures = dict(re.findall(r"^stat::(\w+):\s+(\d+)$", result.stderr, re.M))
    coverage = re.findall(r"cov: (\d+)", result.stderr)
    print(f"{arguments.target.name}: {figures.get('number_of_executed_units', 0)} executions, "
          f"{figures.get('average_exec_per_sec', '?')} a second, coverage "
          f"{coverage[-1] if coverage else '?'}, seed {arguments.seed}: "
          f"{'nothing found' if result.returncode == 0 else 'BROKEN'}", flush=True)
    if result.returncode:
        print(result.stderr[-6000:])
    sys.exit(1 if result.returncode else 0)


if __name__ == "__main__":
    main()

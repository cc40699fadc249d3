# SPDX-License-Identifier: GPL-2.0-only
"""The newest ansible-core of PyPI for the Python present, in an environment of its own."""

import os
import pathlib
import subprocess
import sys

SKIPPED = 77
TIMEOUT_S = 900


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def pip(*words, program=(sys.executable, "-m", "pip")):
    """Ends the test as skipped if PyPI cannot be reached."""
    done = subprocess.run([*program, *words], text=True, check=False, capture_output=True,
                          timeout=TIMEOUT_S)
    if done.returncode:
        skip(f"pip {' '.join(map(str, words))}: {(done.stderr.splitlines() or ['?'])[-1]}")


def install(directory):
    """PATH with its programs first."""
    place = pathlib.Path(directory) / "newest"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=TIMEOUT_S)
    pip("install", "-q", "ansible-core", program=[place / "bin/pip"])
    return f"{place / 'bin'}:{os.environ['PATH']}"


def print_version(path):
    done = subprocess.run(["ansible", "--version"], env={**os.environ, "PATH": path}, text=True,
                          check=True, capture_output=True, timeout=TIMEOUT_S)
    print(done.stdout.splitlines()[0])

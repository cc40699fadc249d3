# SPDX-License-Identifier: GPL-2.0-only
"""The shells, each asked in its own way for the candidates of a line."""

import contextlib
import re
import shlex
import subprocess

from terminal import Terminal

BASH_FUNCTION = """
source "$1"
shift
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
_intel_speed_select "$2" "${@: -1}" "${@: -2:1}"
((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
exit 0
"""

BASH_RC = """
PS1= PS2=
bind 'set bell-style none' 'set enable-bracketed-paste off' 2>/dev/null
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind '"\\C-xa": insert-completions'
bind -x '"\\C-xd": printf %s "$READLINE_LINE" >"$DUMP"; READLINE_LINE=; echo LINE-IS-"WRITTEN"'
source "$COMPLETION"
echo SHELL-IS-"READY"
"""

ZSH_RC = """
PS1= PS2=
unsetopt beep promptsp promptcr
fpath=($SHARE/zsh/site-functions $fpath)
autoload -Uz compinit
compinit -u -D
all() { _main_complete; compstate[insert]=all; compstate[list]=; }
zle -C all complete-word all
bindkey '^Xa' all
bindkey '^Xl' list-choices
dump() { print -rn -- "$BUFFER" >$DUMP; BUFFER=; print -n LINE-IS-"WRITTEN"; }
zle -N dump
bindkey '^Xd' dump
print -n SHELL-IS-"READY"
"""

ALL_KEY = b"\x18a"
LIST_KEY = b"\x18l"
BREAKS = "=:"


def bash_words(line):
    """The words of a line as bash parts them for COMP_WORDS."""
    return re.findall(rf"(?:[^\s{BREAKS}'\"\\]|\\.|'[^']*'?|\"[^\"]*\"?)+|[{BREAKS}]+", line) + (
        [""] if line.endswith(" ") else [])


def last_word_at(line):
    """Where the word begins that is completed."""
    start, quote = 0, ""
    for place, letter in enumerate(line):
        if letter == quote:
            quote = ""
        elif not quote and letter in "'\"":
            quote = letter
        elif not quote and letter == " " and line[place - 1] != "\\":
            start = place + 1
    return start


def whole(line, candidates):
    """Compares candidates: bash completes the part after "=" or ":"; a directory may have a slash."""
    typed = line[last_word_at(line):]
    before = re.match(r".*:|--[\w-]+=", typed)
    return [word if not before or word.startswith(("--", before[0])) else before[0] + word
            for word in (candidate.rstrip("/") for candidate in candidates)]


class Function:
    """bash's function alone, called as bash would call it."""

    def __init__(self, sandbox):
        self.sandbox = sandbox

    def candidates(self, line):
        script = self.sandbox.share / "bash-completion/completions/isst"
        words = bash_words(line)
        run = subprocess.run(["bash", "--norc", "--noprofile", "-c", BASH_FUNCTION, "bash", script,
                              line, *words], cwd=self.sandbox.work, capture_output=True, text=True,
                             env=self.sandbox.environment(), check=True)
        if run.stderr:
            raise RuntimeError(f"{line!r}: bash says {run.stderr}")
        return whole(line, shlex.split(run.stdout))


class Typed:
    """A shell on a terminal, set up to insert all candidates into its line."""

    def __init__(self, sandbox, terminal):
        self.sandbox = sandbox
        self.terminal = terminal

    def candidates(self, line):
        became, _ = self.terminal.press(line, ALL_KEY)
        if became == line:
            return []
        start = last_word_at(line)
        if became[:start] != line[:start]:
            raise RuntimeError(f"{line!r} became {became!r}")
        return whole(line, shlex.split(became[start:]))

    def complete(self, line):
        """What a line becomes by the tabulator."""
        return self.terminal.press(line, b"\t")[0]


class Fish:
    """fish has a command for it, which runs what the tabulator runs."""

    def __init__(self, sandbox):
        self.sandbox = sandbox

    def lines(self, line):
        run = subprocess.run(["fish", "--private", "-c", "complete -C $argv[1]", line],
                             cwd=self.sandbox.work, capture_output=True, text=True, check=True,
                             env=self.sandbox.environment(
                                 XDG_DATA_DIRS=f"{self.sandbox.share}:/usr/local/share:/usr/share"))
        if run.stderr:
            raise RuntimeError(f"{line!r}: fish says {run.stderr}")
        return run.stdout.splitlines()

    def candidates(self, line):
        return whole(line, [found.split("\t")[0] for found in self.lines(line)])


def bash_terminal(sandbox, completion):
    (sandbox.home / "bashrc").write_text(BASH_RC, encoding="utf-8")
    environment = sandbox.environment(COMPLETION=str(completion), XDG_DATA_HOME=str(sandbox.share))
    argv = ["bash", "--noprofile", "--rcfile", str(sandbox.home / "bashrc"), "-i"]
    return Terminal(argv, sandbox, environment)


@contextlib.contextmanager
def bash_plain(sandbox):
    script = sandbox.share / "bash-completion/completions/isst"
    with bash_terminal(sandbox, script) as terminal:
        yield Typed(sandbox, terminal)


@contextlib.contextmanager
def bash_package(sandbox):
    """With the package bash-completion, which finds our file by itself at the first tabulator."""
    with bash_terminal(sandbox, "/usr/share/bash-completion/bash_completion") as terminal:
        yield Typed(sandbox, terminal)


@contextlib.contextmanager
def zsh(sandbox):
    (sandbox.home / ".zshrc").write_text(ZSH_RC, encoding="utf-8")
    environment = sandbox.environment(SHARE=str(sandbox.share), ZDOTDIR=str(sandbox.home))
    with Terminal(["zsh", "-d", "-i"], sandbox, environment) as terminal:
        yield Typed(sandbox, terminal)


@contextlib.contextmanager
def bash_function(sandbox):
    yield Function(sandbox)


@contextlib.contextmanager
def fish(sandbox):
    yield Fish(sandbox)


SHELLS = {"bash": bash_function, "bash-terminal": bash_plain, "bash-completion": bash_package,
          "fish": fish, "zsh": zsh}

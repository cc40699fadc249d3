#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The page of measure report (measure.md): well-formed, complete, the same each time, small, with text
alternatives, a table for each picture and enough contrast; texts of files are only ever text; what is
wrong is refused, and then no page is written.
"""

import argparse
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))

from machine import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "img-src data:")
MOST_BYTES = 500_000
SECTIONS = ["What a document changed", "What changed", "What was measured", "Cores by class",
            "Settings that differ", "Performance levels", "Frequencies and power", "Ladder",
            "Wake-up latency", "Jitter", "Limits", "Settings"]
VOID = {"meta", "link", "br", "img", "input", "hr"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--\u2028\x1b[31m"
# Elements that a report is made of, and attributes that these may have.
ELEMENTS = {"html", "head", "meta", "title", "link", "style", "body", "header", "main", "footer",
            "nav", "section", "figure", "h1", "h2", "h3", "p", "ul", "li", "a", "div", "table",
            "caption", "thead", "tbody", "tr", "th", "td", "script", "svg", "desc", "path", "rect",
            "text"}
# Pairs of colours: what is on what, and the least contrast: 4.5 for text, 3 for shapes (WCAG 2.2,
# 1.4.3 and 1.4.11).
CONTRAST = [(ink, ground, 4.5) for ink in ("ink", "soft", "a", "bad") for ground in ("bg", "mark")
            if ground == "bg" or ink == "ink"]
CONTRAST += [("ink", f"{name}-fill", 4.5) for name in "abcde"]
CONTRAST += [(name, "bg", 3) for name in ("a", "b", "c", "d", "soft", "bad")]
CONTRAST += [(name, f"{name}-fill", 3) for name in "abcd"]


# Headings, captions and columns, beside those that other checks look for.
TEXTS = ("Frequencies measured and predicted", "Figures of whole measurements",
         "degrees C at end", "logarithm of how many cycles were in it",
         "us late; columns: cycles, logarithmic", "as late or later %", "to turbo, all cores",
         "turbo (up to cores)", "SST-TF (up to cores)", "MHz, SSE, unless named",
         "What each level of the processor offers", "removed by this limit",
         "MHz, SSE, all cores active", "runs, half of them with the state document",
         "Map of cores by class", "Settings of the document that was tried",
         "Settings that differ between the measurements", "What the document changed",
         "For each figure a mark at the change in percent", "runs far off", "exit latency claimed",
         "lowest to highest", "Steps; equal ones share a row")


class Page(html.parser.HTMLParser):
    """The elements of a page, each with its path; a stack that does not close is a failure."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.stack, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        expect(not self.stack, f"open at the end: {self.stack}")

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        expect(len(set(names)) == len(names), f"<{tag}> has an attribute twice")
        self.elements.append((tag, dict(attrs), tuple(self.stack)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.stack)))

    def handle_endtag(self, tag):
        expect(self.stack and self.stack[-1] == tag, f"</{tag}> in {self.stack}")
        self.stack.pop()

    def handle_data(self, data):
        self.texts.append((tuple(self.stack), data))

    def of(self, tag):
        return [attributes for name, attributes, _ in self.elements if name == tag]

    def text_of(self, tag):
        return [text for stack, text in self.texts if stack and stack[-1] == tag]


class Lab:
    def __init__(self, program, platforms, directory):
        self.program, self.platforms = program, platforms
        self.directory = pathlib.Path(directory)

    def run(self, *argv, status=0):
        result = subprocess.run([self.program, *map(str, argv)], capture_output=True, text=True,
                                timeout=240, check=False, cwd=self.directory)
        expect(result.returncode == status,
               f"{argv}: {result.returncode}: {result.stderr}{result.stdout}")
        return result

    def save(self, name, machine, *argv):
        file = self.directory / f"{name}.json"
        self.run("--simulate", self.platforms / f"{machine}.json", "--simulate-state",
                 self.directory / f"state-{machine}", *argv, "--save", file)
        return file

    def change(self, machine, *argv):
        self.run("--simulate", self.platforms / f"{machine}.json", "--simulate-state",
                 self.directory / f"state-{machine}", *argv)

    def write(self, name, document):
        file = self.directory / name
        file.write_text(json.dumps(document), encoding="utf-8")
        return file

    def report(self, *files):
        out = self.directory / "report.html"
        out.unlink(missing_ok=True)
        self.run("measure", "report", *files, "-o", out)
        return out.read_text(encoding="utf-8")


def make_files(lab):
    """One file of each kind, before and after a change."""
    files = [lab.save("ladder-before", "guide", "-c", "package:0", "measure", "ladder"),
             lab.save("run-before", "guide", "measure", "run", "--seconds", "2", "--all", "--load", "scalar")]
    lab.change("guide", "-c", "12,13", "turbo-freq", "enable", "-a")
    files += [lab.save("ladder-after", "guide", "-c", "package:0", "measure", "ladder"),
              lab.save("run-after", "guide", "measure", "run", "--seconds", "2", "--all", "--load", "scalar"),
              lab.save("wake", "guide", "-c", "3", "measure", "wake")]
    document = lab.write("slower.json", {"format": "intel-speed-select-state", "version": 1, "settings": [
        {"for": "all", "cpufreq": {"max-mhz": 2400}}]})
    tried = lab.save("try", "guide", "measure", "try", "--runs", "4", "--pipe", "5,6", document,
                     "--require", "mhz<-5%")
    return files + [make_jitter(lab, files[-1]), tried]


def make_jitter(lab, wake):
    """A file as measure jitter writes it, which no simulated machine can measure."""
    document = json.loads(wake.read_text(encoding="utf-8"))
    bins = [0, 0, 0, 12, 3000, 900, 80, 7, 1, 0, 2]
    edges = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
    histogram = [{"from-us": edges[i], "to-us": edges[i + 1], "cycles": cycles}
                 for i, cycles in enumerate(bins)] + [{"from-us": 2000, "to-us": None, "cycles": 0}]
    cpu = {"scheduling": "SCHED_FIFO", "cycles": sum(bins), "overruns": 3, "gave-up": False,
           "min-us": 7.2, "mean-us": 15.1, "max-us": 1200.5, "histogram": histogram,
           "worst": [{"latency-us": 1200.5, "at-s": 3.25, "coincided": ["stolen time"]}]}
    document.update({"command": "jitter", "interval-us": 250, "seconds": 1.0, "disturbed-by": "8-13",
                     "cpus": [{"cpu": number, **cpu} for number in (2, 3)], "samples": []})
    return lab.write("jitter.json", document)


def check_structure(page):
    expect(page.text.startswith("<!DOCTYPE html>"), "no doctype")
    expect(page.of("html") == [{"lang": "en"}], "no language")
    policies = [one["content"] for one in page.of("meta")
                if one.get("http-equiv") == "Content-Security-Policy"]
    expect(policies == [POLICY], f"policy: {policies}")
    expect(page.elements[2][1].get("charset") == "utf-8", "the charset comes first")
    unknown = {tag for tag, _, _ in page.elements} - ELEMENTS
    expect(not unknown, f"elements: {unknown}")
    for tag, attributes, _ in page.elements:
        for name, value in attributes.items():
            expect(not name.startswith("on"), f"<{tag} {name}>")
            expect(name not in ("src", "style", "xlink:href"), f"<{tag} {name}>")
            expect(name != "href" or value.startswith("#") or value == "data:,", f"link: {value}")
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    expect(len(set(ids)) == len(ids), "an id twice")
    for _, attributes, _ in page.elements:
        for name in attributes.get("aria-labelledby", "").split():
            expect(name in ids, f"aria-labelledby {name}")
        if attributes.get("href", "").startswith("#"):
            expect(attributes["href"][1:] in ids, attributes["href"])
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    expect(levels[0] == 1 and levels.count(1) == 1, "one h1")
    expect(all(after <= before + 1 for before, after in zip(levels, levels[1:])), "headings skip")
    expect([one.get("type") for one in page.of("script")] == ["application/json"], "scripts")


def check_pictures(page):
    """Each has a title, a description and a table after it, and is well-formed XML."""
    pictures = re.findall(r"<svg.*?</svg>", page.text, re.S)
    expect(pictures, "no picture")
    for text in pictures:
        picture = xml.etree.ElementTree.fromstring(text)
        expect(picture.get("role") == "img", "role of a picture")
        expect([child.tag for child in picture][:2] == ["title", "desc"], "title and desc first")
        expect(all(child.text for child in list(picture)[:2]), "an empty title")
        width, height = map(float, picture.get("viewBox").split()[2:])
        for element in picture.iter("rect"):
            x, y, w, h = (float(element.get(name)) for name in ("x", "y", "width", "height"))
            expect(x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= width and y + h <= height,
                   f"a box outside: {element.attrib}")
        for element in picture.iter("text"):
            expect(0 <= float(element.get("x")) <= width, element.text)
            expect(0 <= float(element.get("y")) <= height, element.text)
    for figure in re.findall(r"<figure.*?</figure>", page.text, re.S):
        if "<svg" in figure:
            expect("<table>" in figure.split("</svg>")[-1], f"no table: {figure[:100]}")
    expect(page.text.count("<figure") == page.text.count("</figure>"), "figures")
    expect(len(re.findall(r"<figure(?:(?!</figure>).)*<svg", page.text, re.S)) == len(pictures),
           "a picture outside of a figure")


def check_tables(page):
    for table in re.findall(r"<table>.*?</table>", page.text, re.S):
        tree = xml.etree.ElementTree.fromstring(table)
        expect(tree.find("caption").text, "a caption")
        columns = len(tree.findall("thead/tr/th"))
        for row in tree.findall("tbody/tr"):
            expect(len(row) == columns, f"{len(row)} of {columns} cells")
            expect(row[0].tag == "th" and row[0].get("scope") == "row", "heading of a row")


def luminance(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check_contrast(page):
    style = page.text_of("style")[0]
    schemes = {}
    for name, mark in (("light", r"^:root"), ("dark", r"dark\) \{ :root"), ("print", r"print \{ :root")):
        rules = re.search(mark + r" \{([^}]*)\}", style, re.M)[1]
        schemes[name] = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rules))
    for name, colours in schemes.items():
        for ink, ground, least in CONTRAST:
            bright, dim = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
            ratio = (bright + 0.05) / (dim + 0.05)
            expect(ratio >= least, f"{name}: {ink} on {ground}: {ratio:.2f}, below {least}")
    used = set(re.findall(r"var\(--([\w-]+)\)", style)) - {"own", "own-fill"}
    expect(used <= set(schemes["light"]) == set(schemes["dark"]) == set(schemes["print"]),
           "colours of the schemes")


def check_head(page, files):
    """The machine, the host, the work and the time of each measurement, those alike in one line."""
    lines = [line.split(": ", 1) for line in page.text_of("p") if "simulated machine guide" in line]
    expect(sorted(label for labels, _ in lines for label in labels.split(", ")) ==
           sorted(file.stem for file in files), f"labels: {lines}")
    expect(len({rest.rpartition(", ")[0] for _, rest in lines}) == len(lines), f"alike: {lines}")
    for file in files:
        saved = json.loads(file.read_text(encoding="utf-8"))
        rest = next(rest for labels, rest in lines if file.stem in labels.split(", "))
        head = [saved["processor"], "simulated machine guide", f"host {saved['host']}",
                " ".join(saved["given-work"])]
        about, _, times = rest.rpartition(", ")
        expect(about == ", ".join(part for part in head if part), f"{file.stem}: {about}")
        first, _, last = times.partition(" to ")
        expect(first <= saved["time"] <= (last or first), f"{file.stem}: {times}")


def check_answer(lab):
    """Three files before and three after: the page opens with what compare says of them."""
    before = [lab.save(f"first-{run}", "gnr-6776p-2s", "-c", "0-7", "measure", "run", "--seconds",
                       "1", "--load", "scalar") for run in range(3)]
    lab.change("gnr-6776p-2s", "-c", "0-7", "cpufreq", "set", "--max", "2000")
    after = [lab.save(f"then-{run}", "gnr-6776p-2s", "-c", "0-7", "measure", "run", "--seconds",
                      "1", "--load", "scalar") for run in range(3)]
    names = [", ".join(file.stem for file in files) for files in (after, before)]
    page = Page(lab.report(*before, *after))
    expect(page.text_of("h2")[0] == "What changed", f"sections: {page.text_of('h2')}")
    expect(f"{names[0]} (3 runs) against {names[1]} (3 runs)" in page.text_of("h3"), "groups")
    expect(page.text_of("caption")[0] == "Geometric means of the runs, and the change", "caption")
    answer = page.text_of("p")[0]
    expect(answer.startswith(f"{names[0]} against {names[1]}: mhz less, "), answer)
    # one load on 8 cores: 3900 MHz of the level's turbo ratios, and the limit that was set
    change = f"{(2000 / 3900 - 1) * 100:+.2f}"
    expect(f"mhz less, {change} % (95 % interval {change} to {change})" in answer, answer)
    expect("watts less, -" in answer and "verdict" not in answer, answer)
    few = Page(lab.report(before[0], *after)).text_of("p")[0]
    expect(f"mhz {change} %; " in few and few.endswith("a verdict needs 3 runs of each"), few)
    ladders = [lab.save("before", "guide", "-c", "package:0", "measure", "ladder")]
    lab.change("guide", "-c", "0-13", "cpufreq", "set", "--max", "2600")
    ladders.append(lab.save("after", "guide", "-c", "package:0", "measure", "ladder"))
    many = Page(lab.report(*ladders)).text_of("p")
    expect(many[0] == "before: 14 steps: 14 passed, 0 failed, 0 not checked", many[0])
    # cores of high priority had 3200 MHz; the others are kept at 2600 by SST-TF
    wanted = f"changes of {(2600 / 3200 - 1) * 100:.2f} to 0.00 %"
    expect(many[2] == f"after against before: 14 figures: {wanted}; a verdict needs 3 runs of each",
           many[2])
    alone = Page(lab.report(*before))
    expect(alone.text_of("h2")[0] == "What was measured", "a comparison of one group")


def check_page(lab):
    files = make_files(lab)
    text = lab.report(*files)
    expect(text == lab.report(*files), "the same files give another page")
    expect(len(text.encode()) < MOST_BYTES, f"{len(text.encode())} bytes")
    page = Page(text)
    expect(page.text_of("h2") == SECTIONS, f"sections: {page.text_of('h2')}")
    for check in (check_structure, check_pictures, check_tables, check_contrast):
        check(page)
    cells = page.text_of("td") + page.text_of("th")
    for wanted in ("Intel(R) Xeon(R) Gold 6330N CPU @ 2.60GHz", "12-13,40-41",  # the map
                   "true on package-0; false on package-1",  # what differs
                   "2600 / 3200", "150.2 of 205",  # the ladder
                   "212.80", "stolen time", "+4.86 to +4.86", "mhz<-5%",  # wake, jitter, try
                    "effective, by turbo-freq-clip", "3100 (16)"):
        expect(wanted in cells, f"no cell {wanted}")
    missing = [wanted for wanted in TEXTS if not any(wanted in text for _, text in page.texts)]
    expect(not missing, f"nowhere {missing}")
    check_head(page, files)
    data = json.loads(page.text_of("script")[0])
    expect([one["label"] for one in data] == [file.stem for file in files], "labels")
    saved = json.loads(files[0].read_text(encoding="utf-8"))
    expect(data[0]["steps"] == saved["steps"] and data[0]["state"] == saved["state"], "data")
    for one in data:
        expect("samples" not in one, "samples")
    for file in files:  # each alone
        alone = Page(lab.report(file))
        check_structure(alone)
        check_tables(alone)
        if "<svg" in alone.text:
            check_pictures(alone)


def make_large_files(lab, machine, *argv):
    files = [lab.save(f"{machine}-{name}", machine, *(argv or ("--cpu", "3")), "measure", *command)
             for name, command in (("run", ("run", "--seconds", "1", "--load", "scalar")),
                                   ("wake", ("wake", "--samples", "100")))]
    if argv:
        files.append(lab.save("ladder", machine, *argv, "measure", "ladder", "--seconds", "1"))
    return files


def check_large(lab):
    """64 CPUs and more: small enough, and nothing overlaps the edge."""
    for machine, argv in (("gnr-6776p-2s", ("-c", "0-63")), ("srf-6746e-2s", ()),
                          ("cwf-6990e-2s", ())):
        text = lab.report(*make_large_files(lab, machine, *argv))
        expect(len(text.encode()) < MOST_BYTES, f"{machine}: {len(text.encode())} bytes")
        page = Page(text)
        for check in (check_structure, check_pictures, check_tables):
            check(page)
        levels = page.text.split(">Performance levels</h2>")[1].split("</section>")[0]
        expect(not re.search(r"\b0 MHz|>0 \(", levels), f"{machine}: levels without frequencies")
    for machine in ("arl-285k-1s", "clx-6230n-2s"):
        page = Page(lab.report(lab.save(machine, machine, "measure", "run", "--seconds", "1")))
        check_structure(page)
        check_tables(page)


def spoil(value, replace):
    """The value with each text replaced."""
    if isinstance(value, dict):
        return {key: spoil(one, replace) for key, one in value.items()}
    if isinstance(value, list):
        return [spoil(one, replace) for one in value]
    return replace(value)


def check_hostile(lab):
    """Texts of files are shown as text; figures of any size and kind break nothing."""
    keep = {"format", "version", "command", "state", "document"}
    replacements = (lambda old: HOSTILE if isinstance(old, str) else old,
                    lambda old: 1.7e308 if isinstance(old, float) else old,
                    lambda old: 5e-324 if isinstance(old, float) else old,
                    lambda old: 10**15 if isinstance(old, float) else old,
                    lambda old: 0 if isinstance(old, (int, float)) else old,
                    lambda old: None if isinstance(old, float) else old)
    kinds = ["ladder-after", "run-after", "wake", "jitter", "try"]
    shown = 0
    for number, replace in enumerate(replacements):
        files = []
        for kind in kinds:
            document = json.loads((lab.directory / f"{kind}.json").read_text(encoding="utf-8"))
            changed = {key: one if key in keep else spoil(one, replace)
                       for key, one in document.items()}
            files.append(lab.write(f"hostile-{number}-{kind}.json", changed))
        for file in files:
            result = subprocess.run([lab.program, "measure", "report", str(file), "-o", "h.html"],
                                    capture_output=True, text=True, timeout=60, check=False,
                                    cwd=lab.directory)
            if result.returncode:  # refused by the reader of files, with a reason
                expect(result.returncode == 2 and file.name in result.stderr, result.stderr)
                continue
            shown += 1
            page = Page((lab.directory / "h.html").read_text(encoding="utf-8"))
            check_structure(page)
            check_tables(page)
            if "<svg" in page.text:
                check_pictures(page)
            json.loads(page.text_of("script")[0])
    expect(shown >= 12, f"only {shown} hostile files were shown")
    odd = lab.directory / "<b>&\"'\x1b.json"
    odd.write_text((lab.directory / "wake.json").read_text(encoding="utf-8"), encoding="utf-8")
    page = Page(lab.report(odd))
    check_structure(page)
    expect("<b>&\"'?" in page.text_of("th"), "the name of the file")


def check_refusals(lab):
    wake = lab.directory / "wake.json"
    out = lab.directory / "kept.html"
    out.write_text("before", encoding="utf-8")
    for name, content in (("empty", ""), ("text", "hello"), ("list", "[]"), ("null", "null"),
                          ("state", json.dumps({"format": "intel-speed-select-state"})),
                          ("version", json.dumps({"format": "intel-speed-select-run", "version": 2}))):
        file = lab.directory / f"wrong-{name}.json"
        file.write_text(content, encoding="utf-8")
        for files in ((file,), (wake, file)):
            result = lab.run("measure", "report", *files, "-o", out, status=2)
            expect(file.name in result.stderr, f"{name}: {result.stderr}")
            expect(out.read_text(encoding="utf-8") == "before", f"{name}: a page was written")
    for argv in (("measure", "report", "-o", out), ("measure", "report", wake),
                 ("measure", "report", "missing.json", "-o", out),
                 ("-f", "json", "measure", "report", wake, "-o", out),
                 ("-c", "1", "measure", "report", wake, "-o", out)):
        lab.run(*argv, status=2)
        expect(out.read_text(encoding="utf-8") == "before", f"{argv}: a page was written")
    own = wake.read_text(encoding="utf-8")
    lab.run("measure", "report", wake, "-o", wake, status=2)
    expect(wake.read_text(encoding="utf-8") == own, "the page replaced what it is made of")
    crowd = json.loads(wake.read_text(encoding="utf-8"))
    crowd["machine"]["cpus"] = [{"cpu": 0}] * 8193
    result = lab.run("measure", "report", lab.write("crowd.json", crowd), "-o", out, status=2)
    expect("8192" in result.stderr, result.stderr)
    result = lab.run("measure", "report", wake, "-o", "/dev/full", status=1)
    expect("No space left" in result.stderr, result.stderr)
    before = out.stat().st_ino
    lab.run("measure", "report", wake, "-o", out)
    expect(out.read_text(encoding="utf-8").endswith("</html>\n"), "the page")
    expect(out.stat().st_ino != before, "the file was not replaced as a whole")
    expect(lab.run("measure", "report", wake, "-o", "-").stdout == lab.report(wake), "to stdout")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=os.path.abspath, required=True)
    parser.add_argument("--platforms", type=lambda path: pathlib.Path(path).resolve(), required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(arguments.program, arguments.platforms, directory)
        for check in (check_page, check_answer, check_hostile, check_refusals, check_large):
            try:
                check(lab)
            except Failure as failure:
                print(f"{check.__name__}: {failure}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

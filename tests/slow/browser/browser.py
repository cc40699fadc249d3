#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Pages of measure report in a browser, large and small, light and dark, and on paper: no message of the
console, no request, nothing wider than the window, no text of a picture on another one, and colours
with enough contrast as they are shown. With --keep DIRECTORY the pictures are left there, to look at.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli/report"))
import report  # pylint: disable=wrong-import-position

SIZES = [(1280, 1600), (400, 1600)]
SCHEMES = {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}
HEIGHT_OF_ALL = 16000
MOST_PAGES = 30
# Looks at the page from inside: the policy allows scripts of the page, of which a report has none.
PROBE = """<script>
const found = [], width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width)
  found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
for (const one of document.querySelectorAll('body *:not(.scroll *):not(svg *)'))
  if (one.getBoundingClientRect().right > width + 1) found.push(one.tagName + ' is too wide');
for (const picture of document.querySelectorAll('svg')) {
  const boxes = [...picture.querySelectorAll('text')].map(text => [text.textContent, text.getBBox()]);
  const size = picture.viewBox.baseVal;
  boxes.forEach(([text, box], i) => {
    if (box.x < 0 || box.y < 0 || box.x + box.width > size.width || box.y + box.height > size.height)
      found.push('outside: ' + text);
    for (const [other, at] of boxes.slice(i + 1))
      if (box.x < at.x + at.width && at.x < box.x + box.width &&
          box.y + 3 < at.y + at.height && at.y + 3 < box.y + box.height)
        found.push(text + ' is on ' + other);
  });
}
const style = getComputedStyle(document.body);
document.body.textContent = 'PROBE' + JSON.stringify(
  {found: found, ink: style.color, ground: style.backgroundColor}) + 'END';
</script>"""


def expect(condition, what):
    if not condition:
        raise report.Failure(what)


class Browser:
    def __init__(self, program, directory):
        self.directory = pathlib.Path(directory)
        self.command = [program, "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--disable-background-networking", "--enable-logging=stderr",
                        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={directory}/profile"]

    def run(self, page, *options):
        """What the page is (with --dump-dom) and the messages of its console."""
        result = subprocess.run([*self.command, *options, page.as_uri()], capture_output=True, text=True,
                                timeout=300, check=False, cwd=self.directory)
        expect(result.returncode == 0, f"{options}: {result.returncode}: {result.stderr[-500:]}")
        return result.stdout, re.findall(r".*:CONSOLE.*", result.stderr)

    def probe(self, text, *options):
        page = self.directory / "probe.html"
        page.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
        shown, messages = self.run(page, "--dump-dom", *options)
        return json.loads(re.search(r"PROBE(.*)END", shown)[1]), messages


def check_control(browser, text):
    """What the other checks look for is found if it is there."""
    wide = text.replace("<main>", "<main><p style=\"min-width: 5000px\">wide</p>"
                        "<svg viewBox=\"0 0 9 9\"><text y=\"8\">one</text><text y=\"8\">two</text></svg>")
    seen, _ = browser.probe(wide, "--window-size=400,800")
    expect("the page is 5016 wide" in seen["found"], f"a wide page: {seen['found']}")
    expect("one is on two" in seen["found"], f"texts on each other: {seen['found']}")
    loading = text.replace("<main>", "<main><img src=\"http://example.com/x.png\">")
    _, messages = browser.probe(loading, "--window-size=400,800")
    expect(any("Content Security Policy" in message for message in messages), f"no refusal: {messages}")


def rgb(text):
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", text)[:3])


def check_screens(browser, name, text, keep):
    grounds = set()
    page = browser.directory / f"{name}.html"
    page.write_text(text, encoding="utf-8")
    for width, height in SIZES:
        for scheme, options in SCHEMES.items():
            what = f"{name}, {width} wide, {scheme}"
            _, messages = browser.run(page, "--dump-dom", f"--window-size={width},{height}", *options)
            expect(not messages, f"{what}: {messages}")
            seen, _ = browser.probe(text, f"--window-size={width},{height}", *options)
            expect(not seen["found"], f"{what}: {seen['found'][:5]}")
            grounds.add(rgb(seen["ground"]))
            bright, dim = sorted((report.luminance(rgb(seen[part])) for part in ("ink", "ground")),
                                 reverse=True)
            expect((bright + 0.05) / (dim + 0.05) >= 7, f"{what}: contrast of the text")
            if keep:
                browser.run(page, f"--window-size={width},{HEIGHT_OF_ALL}", *options,
                            f"--screenshot={keep / f'{name}-{width}-{scheme}.png'}")
    expect(len(grounds) == 2, f"{name}: grounds {grounds}")


def check_paper(browser, name, text, keep):
    """All pages together have each cell of the tables, so nothing is cut off."""
    page, pdf = browser.directory / f"{name}.html", browser.directory / f"{name}.pdf"
    _, messages = browser.run(page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    expect(not messages, f"{name}, paper: {messages}")
    expect(pdf.read_bytes().startswith(b"%PDF"), f"{name}: no PDF")
    if keep:
        shutil.copy(pdf, keep)
    if not shutil.which("pdftotext"):
        print("the text of the PDF is not looked at: install poppler-utils")
        return
    shown = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True,
                           text=True).stdout
    expect(shown.count("\f") <= MOST_PAGES, f"{name}: {shown.count(chr(12))} pages")
    words = set(shown.split())
    for cell in report.Page(text).text_of("td"):
        if len(cell) <= 8 and " " not in cell:
            expect(cell in words, f"{name}, paper: no {cell}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=os.path.abspath, required=True)
    parser.add_argument("--platforms", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--browser", required=True)
    parser.add_argument("--keep", type=lambda path: pathlib.Path(path).resolve())
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        lab = report.Lab(arguments.program, arguments.platforms, directory)
        browser = Browser(arguments.browser, directory)
        pages = {"guide": lab.report(*report.make_files(lab)),
                 "large": lab.report(*report.make_large_files(lab, "gnr-6776p-2s", "-c", "0-63"))}
        try:
            check_control(browser, pages["guide"])
            for name, text in pages.items():
                check_screens(browser, name, text, arguments.keep)
                check_paper(browser, name, text, arguments.keep)
        except report.Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

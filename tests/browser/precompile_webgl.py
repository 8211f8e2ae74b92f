"""Write static/vendor/plotly-webgl.js: what lets Plotly's WebGL markers run without eval.

regl, which draws them, generates JavaScript and evaluates it; our Content-Security-Policy forbids that. It
looks into a table of code generated before, by hash, first: Plotly's `strict` bundle of npm ships one, the
bundle in the Python package ships it empty. So the code is generated here, once for a plotly.js version, in
a Chromium without a policy, and the page fills the table from a file. Run again after an upgrade of plotly:

    python -m tests.browser.precompile_webgl
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import plotly
from playwright.sync_api import sync_playwright

from tests.browser.chromium import launch

BUNDLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
TARGET = Path(__file__).resolve().parents[2] / "static" / "vendor" / "plotly-webgl.js"
HEADER = """\
// Code that regl generates for scattergl's markers, from plotly.js {version} (MIT licence, Plotly, Inc.).
// Made by tests/browser/precompile_webgl.py, which says why. Do not edit.
"""
DRAW = """async () => {
  const plot = document.createElement("div");
  document.body.append(plot);
  const marker = {size: [9, 12], symbol: ["circle", "square"], color: ["#f00", "#0f0"], line: {width: 1}};
  await Plotly.newPlot(plot, [{type: "scattergl", mode: "markers", x: [1, 2], y: ["a", "b"], marker}]);
  await new Promise((done) => setTimeout(done, 500));
  const table = plot._fullData[0]._module.plot.reglPrecompiled;
  return Object.entries(table).map(([hash, code]) => [hash, code.toString()]);
}"""


def plotly_js_version() -> str:
    """The version the bundle of the installed package says it is."""
    found = re.search(r"plotly\.js v([0-9.]+)", BUNDLE.read_text()[:400])
    assert found, BUNDLE
    return found[1]


def generate() -> str:
    """The module's text."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        page_file.write_text("<!doctype html><body>")
        browser = launch(playwright, webgl=True)
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.add_script_tag(path=BUNDLE)
        table = page.evaluate(DRAW)
        browser.close()
    assert table, "nothing was generated: has the bundle another table?"
    entries = ",\n".join(f'"{digest}": {code}' for digest, code in table)
    return f"{HEADER.format(version=plotly_js_version())}export const scattergl = {{\n{entries}\n}};\n"


if __name__ == "__main__":
    TARGET.write_text(generate())

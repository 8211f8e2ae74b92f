"""What the browser is given: small modules without eval or markup from data, and what they rely on."""

from __future__ import annotations

import re
from pathlib import Path

import plotly
import pytest
from django.contrib.staticfiles import finders

STATIC = Path(__file__).resolve().parents[2] / "static"
MODULES = sorted((STATIC / "js").glob("*.js"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_no_eval_and_no_markup_made_of_data(module):
    text = module.read_text()
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "globalThis.",
    ):
        assert word not in text


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_modules_import_what_exists(module):
    for name in re.findall(r'(?:from |import |import\()"(\./[^"]+|\.\./[^"]+)"', module.read_text()):
        assert (module.parent / name).exists(), name


@pytest.mark.parametrize(
    "name", ["plotly/plotly.min.js", "django_htmx/htmx-2.min.js", "css/site.css", "favicon.svg"]
)
def test_what_pages_link_is_served(name):
    assert finders.find(name)


def test_pages_that_name_no_icon_have_one_too(client):
    found = client.get("/favicon.ico")
    assert (found.status_code, found["Location"]) == (302, "/static/favicon.svg")


def test_the_generated_webgl_code_is_of_the_installed_plotly():
    bundle = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text()[:400]
    version = re.search(r"plotly\.js v([0-9.]+)", bundle)[1]
    assert f"plotly.js {version} " in (STATIC / "vendor" / "plotly-webgl.js").read_text()[:200]

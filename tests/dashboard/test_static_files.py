"""What the browser is given: small modules without eval or markup from data, and what they rely on."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from dashboard.templatetags.modules import list_needed, preload
from lifecycle.management.commands.up import gather_static_files

STATIC = Path(__file__).resolve().parents[2] / "static"
JS = STATIC / "js"
MODULES = sorted(JS.rglob("*.js"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(JS)))
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


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(JS)))
def test_modules_import_what_exists(module):
    for name in re.findall(r'(?:from |import |import\()"(\./[^"]+|\.\./[^"]+)"', module.read_text()):
        assert (module.parent / name).exists(), name


def test_all_modules_of_a_page_are_asked_for_at_once():
    """Each module that any of them imports, in whatever way the import is written."""
    needed = {"cluster_page", *list_needed("cluster_page")}
    for name in needed:
        module = JS / f"{name}.js"
        for one in re.findall(r'(?:from |import )"([^"]+)\.js"', module.read_text()):
            assert str((module.parent / one).resolve().relative_to(JS)) in needed, name
    assert {"charts/charts", "charts/sight", "format"} <= needed
    # What a key or a press asks for is read then.
    assert not needed & {"charts/objects", "charts/picture", "palette/palette", "table/pod_table"}
    links = preload("cluster_page")
    assert links.count("modulepreload") == len(list_needed("cluster_page")) > 20


@pytest.mark.parametrize(
    "name", ["vendor/plotly-basic.min.js", "django_htmx/htmx-2.min.js", "css/site.css", "favicon.svg"]
)
def test_what_pages_link_is_served(name):
    assert finders.find(name)


def test_pages_that_name_no_icon_have_one_too(client):
    found = client.get("/favicon.ico")
    assert (found.status_code, found["Location"]) == (302, f"/{settings.STATIC_URL.strip('/')}/favicon.svg")


def test_third_party_scripts_are_unchanged():
    rows = re.findall(
        r"^\| (\S+\.js) \|.*\| (\w{64}) \|$", (STATIC / "vendor" / "README.md").read_text(), re.M
    )
    assert rows
    for name, digest in rows:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest
    assert {name for name, _ in rows} == {path.name for path in (STATIC / "vendor").glob("*.js")}


@pytest.mark.slow
def test_gathered_files_are_compressed_and_kept_for_ever(tmp_path, settings):
    folder = tmp_path / "static" / "0123"
    settings.STATIC_ROOT, settings.STATIC_URL = folder, "/static/0123/"
    settings.WHITENOISE_USE_FINDERS = False
    older = tmp_path / "static" / "older"
    older.mkdir(parents=True)
    gather_static_files(folder / "complete")
    assert not older.exists()
    serve = WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))
    path = "/static/0123/vendor/plotly-basic.min.js"
    response = serve(RequestFactory().get(path, headers={"Accept-Encoding": "gzip"}))
    assert response["Content-Encoding"] == "gzip"
    assert response["Cache-Control"].endswith("public, immutable")
    assert int(response["Content-Length"]) < 420_000
    response.file_to_stream.close()


def test_what_a_first_cluster_page_loads_is_below_600_kb():
    roots = ("theme", "first_ask", "page", "cluster_page")
    modules = {name for root in roots for name in (root, *list_needed(root))}
    assert not [name for name in modules if name.startswith(("edit/", "palette/"))]
    loaded = [JS / f"{name}.js" for name in modules]
    loaded += [STATIC / "vendor" / "plotly-basic.min.js"]
    loaded += [STATIC / "css" / name for name in ("site.css", "plotly.css")]
    loaded.append(Path(finders.find("django_htmx/htmx-2.min.js")))
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) < 500_000

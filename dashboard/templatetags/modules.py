"""`{% preload "cluster_page" %}`: a page's modules all at once; `{% socket cluster %}`: where it watches a
cluster, `{% watch %}` with what it shows of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import get_script_prefix
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from lifecycle.models import Cluster

register = template.Library()
_IMPORT = re.compile(r'^import .*?"(\.\.?/[\w/-]+)\.js";$', re.MULTILINE)


@register.simple_tag
def preload(module: str) -> SafeString:
    """A link for each module that this one needs, the nearest first."""
    links = ((static(f"js/{name}.js"),) for name in list_needed(module))
    return format_html_join("", '<link rel="modulepreload" href="{}">', links)


@register.simple_tag
def socket(cluster: Cluster) -> str:
    """Where a page watches a cluster from: below the link by which it is looked at, if there is one."""
    return f"{get_script_prefix()}ws/clusters/{quote(cluster.address, safe='@')}/"


@register.simple_tag(takes_context=True)
def watch(context: dict[str, Any]) -> str:
    """Where a live page watches: its figures, the pods it asks for, and what comes after what it has."""
    cluster: Cluster = context["cluster"]
    asked = [("after", cluster.seq), ("window_ms", context["window_ms"])]
    asked += [("figure", name) for name in context["figures"]]
    if query := context.get("query"):
        asked.append(("q", query))
    return f"{socket(cluster)}?{urlencode(asked, quote_via=quote, safe='')}"


@cache
def list_needed(module: str) -> tuple[str, ...]:
    """All that a module imports, and what that imports, each once; `charts/view` of the folder of modules."""
    found: dict[str, None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop(0)
        path = finders.find(f"js/{name}.js")
        assert isinstance(path, str), f"there is no module {name}, which {module} needs"
        imported = _IMPORT.findall(Path(path).read_text())
        needed = [one for one in (normpath(join(dirname(name), one)) for one in imported) if one not in found]
        found |= dict.fromkeys(needed)
        waiting += needed
    return tuple(found)

"""Which workloads mention a Service: in their variables, commands and checks, and in what they read.

They are taken to depend on it. A name may be a host's, `db`, `db.shop`, `db.shop.svc.cluster.local`, a host
below it, or one of the variables that Kubernetes makes of a Service, `DB_SERVICE_HOST`.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.check.settled import CONFIG_MAP, SECRET, Settled, Workload
from lifecycle.engine.kinds.pod_specs import find_pod_spec

Json = Mapping[str, Any]


def list_callers(settled: Settled, namespace: str, name: str) -> list[Workload]:
    """The workloads that mention a Service, but for those behind it."""
    return [
        one
        for one in settled.workloads
        if (namespace, name) not in one.services
        and _make_pattern(namespace, name, one.namespace).search(_read_texts(settled, one))
    ]


def _make_pattern(namespace: str, name: str, of: str) -> re.Pattern[str]:
    below = rf"\.{re.escape(namespace)}(?:\.svc(?:\.[a-z0-9.-]+)?)?"
    host = re.escape(name) + (f"(?:{below})?" if of == namespace else below)
    # A folder's name after a slash is no host, the part of a URL after two is one.
    begin, end = r"(?:(?<=//)|(?<![A-Za-z0-9_/-]))", r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9])"
    variable = re.escape(name.upper().replace("-", "_"))
    return re.compile(rf"{begin}{host}{end}|\b{variable}_(?:SERVICE|PORT)_")


def _read_texts(settled: Settled, workload: Workload) -> str:
    spec = find_pod_spec(workload.data)
    read = [text for one in _list_read(settled, workload, spec) for text in _list_values(one)]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return "\n".join([*(text for one in containers for text in _list_said(one)), *read])


_SAID = ("command", "args", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle")


def _list_said(container: Json) -> Iterator[str]:
    for one in container.get("env") or ():
        yield str(one.get("value") or "")
    for name in _SAID:
        yield from _list_texts(container.get(name))


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _list_texts(one)


def _list_read(settled: Settled, workload: Workload, spec: Json) -> Iterator[Json]:
    """The ConfigMaps and Secrets that its pods name anywhere."""
    names = set(_list_texts(spec))
    for kind in (CONFIG_MAP, SECRET):
        for one in settled.others[kind]:
            if one["metadata"]["namespace"] == workload.namespace and one["metadata"]["name"] in names:
                yield one


def _list_values(data: Json) -> Iterator[str]:
    for text in (data.get("data") or {}).values():
        yield _decode(text) if data["kind"] == SECRET else str(text)


def _decode(text: str) -> str:
    try:
        return b64decode(text).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""

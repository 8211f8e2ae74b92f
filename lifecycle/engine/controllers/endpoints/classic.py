"""The older form: one Endpoints object a Service, of the Service's name, with at most a thousand addresses.

Models Kubernetes' endpoints controller. Of more addresses those that are ready come first; which of them are
shown is left to chance there, and here are those that came first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from ...objects.endpoint_slice import ENDPOINTS_KIND
from ...objects.meta import ObjectMeta, PlainObject, StoredObject
from ...rules.actions import Action, Create, Update
from ...rules.services import is_headless
from .decide import Port, Wanted
from .slices import HEADLESS_LABEL

MOST_ADDRESSES = 1000
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_MANAGED_BY = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
_FIELDS = ("hostname", "nodeName", "targetRef")

Address = dict[str, Any]


def decide_classic(
    service: StoredObject, current: StoredObject | None, known: Iterable[Wanted]
) -> list[Action]:
    """Write the Endpoints of a Service where they are not what they should be."""
    spec = service.spec or {}
    shown = [one for one in known if one.ports or not spec.get("ports")]
    is_over = False
    if len(shown) > MOST_ADDRESSES:
        ready = list(islice((one for one in shown if _is_ready(one)), MOST_ADDRESSES))
        others = (one for one in shown if not _is_ready(one) and _is_shown(one))
        rest = list(islice(others, MOST_ADDRESSES - len(ready) + 1))
        is_over = len(ready) == MOST_ADDRESSES or len(ready) + len(rest) > MOST_ADDRESSES
        shown = [*ready, *rest][:MOST_ADDRESSES]
    subsets = make_subsets(shown)
    labels = {**service.meta.labels, **({HEADLESS_LABEL: ""} if is_headless(spec) else {}), **_MANAGED_BY}
    annotations = dict(current.meta.annotations) if current is not None else {}
    annotations.pop(OVER_CAPACITY, None)
    if is_over:
        annotations[OVER_CAPACITY] = "truncated"
    if current is None:
        meta = ObjectMeta(service.meta.name, service.meta.namespace, labels=labels, annotations=annotations)
        return [Create(PlainObject(ENDPOINTS_KIND, meta, extra={"subsets": subsets}))]
    extra = current.extra or {}
    if (extra.get("subsets") or []) == subsets and current.meta.labels == labels:
        return []
    meta = current.meta.replace(labels=labels, annotations=annotations)
    return [Update(current.replace(meta=meta, extra={**extra, "subsets": subsets}))]


def _is_ready(one: Wanted) -> bool:
    """Whether it is listed as ready: a pod that ends only where all addresses are published."""
    return bool(one.endpoint["conditions"]["ready"])


def _is_shown(one: Wanted) -> bool:
    conditions = one.endpoint["conditions"]
    return bool(conditions["ready"] or not conditions["terminating"])


def make_subsets(shown: Iterable[Wanted]) -> list[dict[str, Any]]:
    """Addresses by the ports they have, in the order of the addresses."""
    groups: list[tuple[list[Port], list[Address], list[Address]]] = []
    for one in shown:
        if not _is_shown(one):
            continue
        known = next((group for group in groups if group[0] is one.ports or group[0] == one.ports), None)
        if known is None:
            known = (one.ports, [], [])
            groups.append(known)
        known[1 if _is_ready(one) else 2].append(_make_address(one))
    subsets = []
    for ports, ready, others in sorted(groups, key=lambda group: str(group[0])):
        ready.sort(key=_order)
        others.sort(key=_order)
        named = [_make_port(port) for port in ports]
        parts = (("addresses", ready), ("notReadyAddresses", others), ("ports", named))
        subsets.append({name: found for name, found in parts if found})
    return subsets


def _make_address(one: Wanted) -> Address:
    endpoint = one.endpoint
    address = {"ip": endpoint["addresses"][0]}
    for name in _FIELDS:
        if name in endpoint:
            address[name] = endpoint[name]
    return address


def _make_port(port: Port) -> Port:
    return {name: value for name, value in port.items() if value != ""}


def _order(address: Address) -> int:
    return _number(address["ip"])


@lru_cache(maxsize=65_536)
def _number(text: str) -> int:
    parts = [int(part) for part in text.split(".")]
    return int.from_bytes(bytes(parts), "big")

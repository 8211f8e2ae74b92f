"""The older form: one Endpoints object a Service, of the Service's name, with at most a thousand addresses.

Models Kubernetes' endpoints controller. Of more addresses those that are ready come first; which of them are
shown is left to chance there, and here are those that came first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from ...objects.endpoint_slice import ENDPOINTS_KIND
from ...objects.meta import ObjectMeta, PlainObject, StoredObject
from ...rules.actions import Action, Create, Update
from ...rules.network.services import HEADLESS_LABEL, is_headless
from .decide import Port, Wanted, pod_uid_of

MOST_ADDRESSES = 1000
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_MANAGED_BY = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
_FIELDS = ("hostname", "nodeName", "targetRef")

Address = dict[str, Any]
Entry = tuple[int, int, Address]
"""An address by its number, and by when its pod came."""


class _Group:
    """The addresses of pods with the same ports, by number and by who came first."""

    __slots__ = ("count", "others", "ports", "ready", "text")

    def __init__(self, ports: list[Port]) -> None:
        self.ports = ports
        self.text = str(ports)
        self.ready: list[Entry] = []
        self.others: list[Entry] = []
        # Pods that end are counted, and not shown.
        self.count = 0

    def list_of(self, one: Wanted) -> list[Entry] | None:
        """Where an endpoint stands, if anywhere."""
        return self.ready if _is_ready(one) else self.others if _is_shown(one) else None


Known = tuple[Wanted, _Group, Entry]


class Listing:
    """The endpoints of one Service as addresses, kept change by change, so that no look walks all of them."""

    __slots__ = ("_came", "_groups", "_known")

    def __init__(self, wanted: Iterable[Wanted] = ()) -> None:
        self._came = 0
        self._groups: list[_Group] = []
        # In order of arrival, by the pod's uid; each with its entry in its list.
        self._known: dict[str, Known] = {}
        for one in wanted:
            self.put(pod_uid_of(one.endpoint), one)

    def put(self, uid: str, one: Wanted) -> None:
        """A pod's endpoint stands like this now."""
        known = self._known.get(uid)
        if known is not None:
            _take_out(known)
        self._came += 1
        came = known[2][1] if known is not None else self._came
        entry = (_number(one.endpoint["addresses"][0]), came, _make_address(one))
        group = self._find_group(one.ports)
        self._known[uid] = (one, group, entry)
        group.count += 1
        entries = group.list_of(one)
        if entries is not None:
            insort(entries, entry)

    def drop(self, uid: str) -> None:
        """A pod has no endpoint any more, if it had one."""
        known = self._known.pop(uid, None)
        if known is not None:
            _take_out(known)

    def _find_group(self, ports: list[Port]) -> _Group:
        for group in self._groups:
            if group.ports is ports or group.ports == ports:
                return group
        self._groups.append(_Group(ports))
        self._groups.sort(key=lambda group: group.text)
        return self._find_group(ports)

    def _list_groups(self, needs_ports: bool) -> Iterable[_Group]:
        self._groups = [group for group in self._groups if group.count]
        return [group for group in self._groups if group.ports or not needs_ports]

    def count(self, needs_ports: bool) -> int:
        """How many endpoints there are, of those with ports or of all."""
        return sum(group.count for group in self._list_groups(needs_ports))

    def make_subsets(self, needs_ports: bool) -> list[dict[str, Any]]:
        """Addresses by the ports they have, in the order of the addresses."""
        groups = self._list_groups(needs_ports)
        found = (_make_subset(group.ports, group.ready, group.others) for group in groups)
        return [subset for subset in found if subset]

    def make_cut_subsets(self, needs_ports: bool) -> tuple[list[dict[str, Any]], bool]:
        """As many addresses as an object may have, ready ones first; and whether others are left out."""
        shown = [known for known in self._known.values() if known[0].ports or not needs_ports]
        ready = list(islice((known for known in shown if _is_ready(known[0])), MOST_ADDRESSES))
        others = (known for known in shown if not _is_ready(known[0]) and _is_shown(known[0]))
        rest = list(islice(others, MOST_ADDRESSES - len(ready) + 1))
        is_over = len(ready) == MOST_ADDRESSES or len(ready) + len(rest) > MOST_ADDRESSES
        subsets = []
        for group in self._list_groups(needs_ports):
            parts = (ready, rest[: MOST_ADDRESSES - len(ready)])
            chosen = [sorted(entry for _, its, entry in part if its is group) for part in parts]
            subsets.append(_make_subset(group.ports, *chosen))
        return [subset for subset in subsets if subset], is_over


def _make_subset(ports: list[Port], ready: Iterable[Entry], others: Iterable[Entry]) -> dict[str, Any]:
    """Nothing where there are no addresses."""
    parts = (
        ("addresses", [address for _, _, address in ready]),
        ("notReadyAddresses", [address for _, _, address in others]),
        ("ports", [_make_port(port) for port in ports]),
    )
    return {name: found for name, found in parts if found} if parts[0][1] or parts[1][1] else {}


def _take_out(known: Known) -> None:
    one, group, entry = known
    group.count -= 1
    entries = group.list_of(one)
    if entries is not None:
        del entries[bisect_left(entries, entry)]


def decide_classic(service: StoredObject, current: StoredObject | None, listing: Listing) -> list[Action]:
    """Write the Endpoints of a Service where they are not what they should be."""
    spec = service.spec or {}
    needs_ports, is_over = bool(spec.get("ports")), False
    if listing.count(needs_ports) > MOST_ADDRESSES:
        subsets, is_over = listing.make_cut_subsets(needs_ports)
    else:
        subsets = listing.make_subsets(needs_ports)
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


def _make_address(one: Wanted) -> Address:
    endpoint = one.endpoint
    address = {"ip": endpoint["addresses"][0]}
    for name in _FIELDS:
        if name in endpoint:
            address[name] = endpoint[name]
    return address


def _make_port(port: Port) -> Port:
    return {name: value for name, value in port.items() if value != ""}


@lru_cache(maxsize=65_536)
def _number(text: str) -> int:
    parts = [int(part) for part in text.split(".")]
    return int.from_bytes(bytes(parts), "big")

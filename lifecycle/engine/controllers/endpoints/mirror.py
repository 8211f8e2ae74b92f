"""Slices of Endpoints made by hand, so that whoever reads slices alone sees them too.

Models Kubernetes' endpointslicemirroring controller: for Services without a selector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api.context import Context
from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND, ENDPOINTS_KIND
from ...objects.meta import ObjectMeta, PlainObject, StoredObject, controller_reference
from ...rules.actions import Action, Create, Delete, Update
from ...rules.network.services import SERVICE_NAME_LABEL
from ..act import Act
from ..loop_controller import LoopController
from .decide import Endpoint, Port
from .slices import MANAGED_BY_LABEL, list_endpoints, rewritten

MIRROR = "endpointslicemirroring-controller.k8s.io"
SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror"
MOST_ADDRESSES = 1000

Part = tuple[str, list[Port], list[Endpoint]]
"""Family, ports and endpoints of a slice."""


class EndpointSliceMirror(LoopController):
    """Keys are Services and their Endpoints, which have one name."""

    name, kind, source = "endpointsliceMirroring", ENDPOINTS_KIND.id, "endpoint-slice-mirroring-controller"
    gathers = "endpoints"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen(ENDPOINTS_KIND.id, self._on_endpoints)
        context.store.listen("Service", self._on_service)

    def _on_endpoints(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and _is_by_hand(self._store.get("Service", new.meta.namespace, new.meta.name)):
            self._enqueue_object(new)

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        if some is not None and _is_by_hand(old) != _is_by_hand(new):
            self._enqueue_object(some)

    def sync(self, namespace: str, name: str) -> None:
        """Bring the slices of Endpoints up to date; those of some that are gone are their dependents."""
        endpoints = self.find(namespace, name)
        if endpoints is None:
            return
        service = self._store.get("Service", namespace, name)
        slices = [
            entry
            for entry in self._context.services.slices_of(namespace, name)
            if entry.meta.labels.get(MANAGED_BY_LABEL) == MIRROR
        ]
        is_mirrored = _is_by_hand(service) and endpoints.meta.labels.get(SKIP_MIRROR) != "true"
        self._do(decide_mirror(endpoints, slices) if is_mirrored else map(Delete, slices))


def _is_by_hand(service: StoredObject | None) -> bool:
    """Whether the Endpoints of a Service are somebody's own."""
    return service is not None and not (service.spec or {}).get("selector")


def decide_mirror(endpoints: StoredObject, slices: Sequence[StoredObject]) -> list[Action]:
    """One slice for each family and set of ports; none without any addresses."""
    left, actions = list(slices), list[Action]()
    made = []
    for part in list_parts((endpoints.extra or {}).get("subsets") or ()):
        known = next((entry for entry in left if _is_of(entry, part)), None)
        if known is None:
            made.append(part)
            continue
        left.remove(known)
        if list_endpoints(known) != part[2]:
            actions.append(Update(rewritten(known, {"endpoints": part[2] or None})))
    return [*(Create(_make_slice(endpoints, part)) for part in made), *actions, *map(Delete, left)]


def list_parts(subsets: Sequence[dict[str, Any]]) -> list[Part]:
    """What the subsets say, by family and ports."""
    parts: list[Part] = []
    for subset in subsets:
        ports = [{"name": "", "protocol": "TCP", **port} for port in subset.get("ports") or ()]
        for field, is_ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in subset.get(field) or ():
                family = "IPv6" if ":" in address["ip"] else "IPv4"
                known = next((part for part in parts if part[:2] == (family, ports)), None)
                if known is None:
                    known = (family, ports, [])
                    parts.append(known)
                if len(known[2]) < MOST_ADDRESSES:
                    known[2].append(_make_endpoint(address, is_ready))
    return parts


def _make_endpoint(address: dict[str, Any], is_ready: bool) -> Endpoint:
    named = {name: address[name] for name in ("hostname", "nodeName", "targetRef") if address.get(name)}
    return {"addresses": [address["ip"]], "conditions": {"ready": is_ready}, **named}


def _is_of(entry: StoredObject, part: Part) -> bool:
    extra = entry.extra or {}
    return (extra.get("addressType"), extra.get("ports") or []) == part[:2]


def _make_slice(endpoints: StoredObject, part: Part) -> PlainObject:
    meta = endpoints.meta
    labels = {**meta.labels, SERVICE_NAME_LABEL: meta.name, MANAGED_BY_LABEL: MIRROR}
    family, ports, found = part
    return PlainObject(
        ENDPOINT_SLICE_KIND,
        ObjectMeta(
            "",
            meta.namespace,
            labels=labels,
            owner_references=(controller_reference(endpoints),),
            generate_name=f"{meta.name}-",
        ),
        extra={"addressType": family, "endpoints": found or None, "ports": ports or None},
    )

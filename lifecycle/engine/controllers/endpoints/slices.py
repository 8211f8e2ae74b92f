"""In which slice an endpoint stands. Models the reconciler of Kubernetes' endpointslice library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ...objects.meta import ObjectMeta, PlainObject, StoredObject, controller_reference
from ...rules.actions import Action, Create, Delete, Update
from ...rules.network.services import HEADLESS_LABEL, SERVICE_NAME_LABEL, is_headless
from .decide import Endpoint, Port, Wanted, pod_uid_of

ENDPOINTS_PER_SLICE = 100
MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by"
MANAGER = "endpointslice-controller.k8s.io"
_RESERVED = (SERVICE_NAME_LABEL, MANAGED_BY_LABEL, HEADLESS_LABEL)


@dataclass(slots=True)
class Draft:
    """A slice as it is to be; `entry`: as it stands, if it does."""

    entry: StoredObject | None
    ports: list[Port]
    endpoints: list[Endpoint]
    is_changed: bool = False

    def fill(self, new: list[Endpoint]) -> None:
        """Take from the beginning of `new` what there is room for."""
        room = ENDPOINTS_PER_SLICE - len(self.endpoints)
        if room > 0 and new:
            self.endpoints, self.is_changed = self.endpoints + new[:room], True
            del new[:room]


def decide_slices(
    service: StoredObject,
    slices: Sequence[StoredObject],
    changed: Mapping[str, Wanted | None],
    places: Mapping[str, str],
) -> list[Action]:
    """Write the slices that changed endpoints concern, make those that are missing, drop those left empty.

    `places`: the uid of the slice that a pod's endpoint stands in, by the pod's uid.
    """
    labels = make_labels(service)
    touched = {places.get(uid) for uid in changed}
    drafts, placed = [], set[str]()
    for entry in slices:
        is_labelled = entry.meta.labels == labels
        draft = Draft(entry, list_ports(entry), list_endpoints(entry), not is_labelled)
        if entry.meta.uid in touched:
            placed |= _rewrite(draft, changed)
        drafts.append(draft)
    for ports, new in _group(wanted for uid, wanted in changed.items() if uid not in placed):
        group = [draft for draft in drafts if draft.ports == ports and draft.endpoints]
        drafts += _place(group, ports, new)
    return _finish(service, drafts, labels)


def _rewrite(draft: Draft, changed: Mapping[str, Wanted | None]) -> set[str]:
    """Bring the endpoints of a slice up to date, each in its place; the uids of those that stay in it."""
    kept, placed = [], set()
    for endpoint in draft.endpoints:
        uid = pod_uid_of(endpoint)
        wanted = changed.get(uid) if uid in changed else Wanted(endpoint, draft.ports)
        if wanted is not None and wanted.ports == draft.ports and uid not in placed:
            kept.append(wanted.endpoint)
            placed.add(uid)
    draft.is_changed = draft.is_changed or kept != draft.endpoints
    draft.endpoints = kept
    return placed


def _group(wanted: Iterable[Wanted | None]) -> list[tuple[list[Port], list[Endpoint]]]:
    groups: list[tuple[list[Port], list[Endpoint]]] = []
    for one in wanted:
        if one is None:
            continue
        known = next((endpoints for ports, endpoints in groups if ports == one.ports), None)
        if known is None:
            groups.append((one.ports, [one.endpoint]))
        else:
            known.append(one.endpoint)
    return groups


def _place(group: list[Draft], ports: list[Port], new: list[Endpoint]) -> list[Draft]:
    """Put new endpoints into slices that are written anyway, then into one that takes the rest, then new."""
    written = [draft for draft in group if draft.is_changed]
    others = [draft for draft in group if not draft.is_changed]
    for draft in sorted(written, key=lambda draft: -len(draft.endpoints)):
        draft.fill(new)
    made = []
    while new:
        room = [draft for draft in others if len(draft.endpoints) + len(new) <= ENDPOINTS_PER_SLICE]
        draft = max(room, key=lambda draft: len(draft.endpoints), default=Draft(None, ports, []))
        if draft.entry is None:
            made.append(draft)
        draft.fill(new)
    return made


def _finish(service: StoredObject, drafts: list[Draft], labels: dict[str, str]) -> list[Action]:
    """The writes. A Service has at least one slice, if an empty one; what is left over is written anew."""
    made = [draft for draft in drafts if draft.entry is None]
    kept = [draft for draft in drafts if draft.entry is not None and draft.endpoints]
    spare = [draft.entry for draft in drafts if draft.entry is not None and not draft.endpoints]
    if not kept and not made:
        if len(spare) == 1 and _is_placeholder(spare[0], labels):
            return []
        made = [Draft(None, [], [])]
    actions: list[Action] = [Update(_fill(draft.entry, draft, labels)) for draft in kept if draft.is_changed]  # type: ignore[arg-type]
    while made and spare:
        actions.append(Update(_fill(spare.pop(0), made.pop(), labels)))
    creates = [Create(_fill(_make_slice(service), draft, labels)) for draft in made]
    return [*creates, *actions, *(Delete(entry) for entry in spare)]


def _is_placeholder(entry: StoredObject, labels: dict[str, str]) -> bool:
    return not list_ports(entry) and not list_endpoints(entry) and entry.meta.labels == labels


def _fill(entry: StoredObject, draft: Draft, labels: dict[str, str]) -> StoredObject:
    # An empty list is lost on its way to the API server.
    lists = {"endpoints": draft.endpoints or None, "ports": draft.ports or None}
    return rewritten(entry.replace(meta=entry.meta.replace(labels=labels)), lists)


def rewritten(entry: StoredObject, lists: Mapping[str, Any]) -> StoredObject:
    """A slice with other lists; each such change is counted."""
    generation = entry.meta.generation and entry.meta.generation + 1
    meta = entry.meta.replace(generation=generation)
    return entry.replace(extra={**(entry.extra or {}), **lists}, meta=meta)


def _make_slice(service: StoredObject) -> PlainObject:
    meta = service.meta
    return PlainObject(
        ENDPOINT_SLICE_KIND,
        ObjectMeta(
            "",
            meta.namespace,
            owner_references=(controller_reference(service),),
            generate_name=f"{meta.name}-",
        ),
        extra={"addressType": "IPv4"},
    )


def make_labels(service: StoredObject) -> dict[str, str]:
    """The Service's own labels, and whose the slice is."""
    own = {name: value for name, value in service.meta.labels.items() if name not in _RESERVED}
    headless = {HEADLESS_LABEL: ""} if is_headless(service.spec or {}) else {}
    return {**own, **headless, SERVICE_NAME_LABEL: service.meta.name, MANAGED_BY_LABEL: MANAGER}


def is_managed(endpoint_slice: StoredObject) -> bool:
    """Whether a slice is this controller's to write: its label says so."""
    return endpoint_slice.meta.labels.get(MANAGED_BY_LABEL) == MANAGER


def list_endpoints(endpoint_slice: StoredObject) -> list[Endpoint]:
    """The endpoints of a slice as they stand."""
    return list((endpoint_slice.extra or {}).get("endpoints") or ())


def list_ports(endpoint_slice: StoredObject) -> list[dict[str, Any]]:
    """The ports of a slice as they stand."""
    ports: list[dict[str, Any]] = (endpoint_slice.extra or {}).get("ports") or []
    return ports

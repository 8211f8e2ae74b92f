"""Seeing which pods a Service selects and how they stand; only pods that changed are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ...api.admission.namespaces import is_namespace_ending
from ...api.context import Context
from ...heart.errors import ApiError
from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND, ENDPOINTS_KIND
from ...objects.meta import ObjectMeta, OwnerReference, StoredObject, Subject
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...rules.actions import Action, Delete
from ...store.selectors import SelectorIndex
from ..act import Act
from ..loop_controller import LoopController, Remembering
from ..owner.orphans import list_by_age
from .classic import Listing, decide_classic
from .decide import (
    Endpoint,
    Port,
    Wanted,
    decide_endpoints,
    endpoint_state,
    make_wanted,
    pod_uid_of,
    selector_of,
)
from .slices import decide_slices, is_managed, list_endpoints, list_ports


class EndpointSliceController(LoopController, Remembering):
    """Keys are Services. Only pods that changed since the last look are looked at."""

    name, kind, source = "endpointslice", "Service", "endpoint-slice-controller"
    gathers = "endpoints"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._selectors = SelectorIndex()
        self._hears_of_pods = False
        self._is_acting = False
        # All by the Service's uid: pods to look at; by pod uid, endpoints as they stand, and in which slice;
        # the endpoints as the older form lists them, and by pod uid what it has yet to take in: whether an
        # endpoint has left its place in between.
        self._dirty: dict[str, dict[str, None]] = {}
        self._known: dict[str, dict[str, Wanted]] = {}
        self._places: dict[str, dict[str, str]] = {}
        self._listings: dict[str, Listing] = {}
        self._moves: dict[str, dict[str, bool]] = {}
        # Pods that are gone and whose endpoints may still stand: who they were, by their uids.
        self._gone: dict[str, dict[str, Subject]] = {}
        context.store.listen("Service", self._on_service)
        context.store.listen(ENDPOINT_SLICE_KIND.id, self._on_slice)

    def restore(self) -> None:
        """Build what is derived again: every selected pod is looked at anew when its Service is."""
        for service in self._store.list("Service"):
            for entry in self._slices(service):
                self._learn(service.meta.uid, None, entry)
            self._describe(service)

    def save(self) -> dict[str, dict[str, list[str | None]]]:
        """The pods that are gone and whose endpoints may still stand."""
        return {uid: {pod: list(who) for pod, who in pods.items()} for uid, pods in self._gone.items()}

    def load(self, data: Mapping[str, Mapping[str, list[Any]]] | None) -> None:
        """Go on from what `save` described; without it such endpoints go untold."""
        for uid, pods in (data or {}).items():
            self._gone[uid] = {pod: Subject(*who) for pod, who in pods.items()}
            if uid in self._dirty:
                self._dirty[uid].update(dict.fromkeys(pods))

    # --- what has changed -------------------------------------------------------------------------------

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        if new is None:
            self._forget(some)
        elif old is None or old.spec is not new.spec:
            self._describe(new)
        elif old.meta.labels == new.meta.labels:
            return
        self._enqueue_object(some)

    def _describe(self, service: StoredObject) -> None:
        meta = service.meta
        namespace = meta.namespace or ""
        selector = selector_of(service)
        self._selectors.remove(meta.uid)
        dirty = self._dirty.setdefault(meta.uid, {})
        dirty.update(dict.fromkeys(self._known.get(meta.uid, ())))
        if selector is None:
            return
        if not self._hears_of_pods:
            # Most writes are to pods, and where no Service selects any they concern nobody here.
            self._hears_of_pods = True
            self._store.listen("Pod", self._on_pod)
        self._selectors.add(meta.uid, namespace, meta.name, selector)
        for uid in self._store.index.pods_by_namespace.get(namespace, ()):
            pod = self._store.pods.get(uid)
            if pod is not None and selector.matches(pod.meta.labels):
                dirty[uid] = None

    def _forget(self, service: StoredObject) -> None:
        """A Service is gone, and its pods are out of it; its slices follow as its dependents."""
        uid = service.meta.uid
        self._selectors.remove(uid)
        self._dirty.pop(uid, None)
        self._places.pop(uid, None)
        self._listings.pop(uid, None)
        self._moves.pop(uid, None)
        for pod_uid, wanted in self._known.pop(uid, {}).items():
            self._tell(service.meta, pod_uid, endpoint_state(wanted.endpoint), None)
        self._gone.pop(uid, None)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """What stands in a slice is known from it; what somebody else did to one is put right."""
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        owner = some.meta.controller
        if owner is None or owner.uid not in self._dirty or not is_managed(old or some):
            return
        if new is not None and not is_managed(new):
            new = None
        # Its own writes are told by the look that makes them.
        before = {} if self._is_acting else dict(self._known.get(owner.uid, ()))
        touched = self._learn(owner.uid, old, new)
        if self._is_acting:
            return
        known = self._known[owner.uid]
        for pod_uid in touched:
            was, is_now = before.get(pod_uid), known.get(pod_uid)
            states = [endpoint_state(one.endpoint) if one is not None else None for one in (was, is_now)]
            self._tell(owner, pod_uid, states[0], states[1])
            self._dirty[owner.uid][pod_uid] = None
        self._context.loop.enqueue(self.name, some.meta.namespace or "", owner.name)

    def _learn(self, uid: str, old: StoredObject | None, new: StoredObject | None) -> Sequence[str]:
        """Take in how a slice of a Service stands now; the uids of the pods that stand otherwise in it."""
        known, places = self._known.setdefault(uid, {}), self._places.setdefault(uid, {})
        moves = self._moves.setdefault(uid, {})
        before, after = _read(old), _read(new)
        is_same = before[1] is after[1]
        # Most of a slice stays as it is: the same objects in the same places.
        pairs = zip_longest(before[0], after[0])
        moved = [pair for pair in pairs if not is_same or pair[0] is not pair[1]]
        touched: dict[str, None] = {}
        for endpoint in (was for was, _ in moved if was is not None):
            pod_uid = pod_uid_of(endpoint)
            touched[pod_uid] = None
            if old is not None and places.get(pod_uid) == old.meta.uid:
                del places[pod_uid], known[pod_uid]
                moves.pop(pod_uid, None)
                moves[pod_uid] = True
        for endpoint in (now for _, now in moved if now is not None):
            pod_uid = pod_uid_of(endpoint)
            touched[pod_uid] = None
            if new is not None:
                known[pod_uid], places[pod_uid] = Wanted(endpoint, after[1]), new.meta.uid
                moves.setdefault(pod_uid, False)
        return list(touched)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._selectors.holders:
            return
        some = new if new is not None else old
        assert isinstance(some, Pod), "the store lists Pods as pods"
        if isinstance(old, Pod) and isinstance(new, Pod) and _looks_equal(old, new):
            return
        namespace = some.meta.namespace or ""
        found = dict(self._selectors.matching(namespace, some.meta.labels))
        if old is not None and old.meta.labels is not some.meta.labels:
            found.update(self._selectors.matching(namespace, old.meta.labels))
        for uid, name in found.items():
            self._dirty[uid][some.meta.uid] = None
            if new is None and some.meta.uid in self._known.get(uid, ()):
                self._gone.setdefault(uid, {})[some.meta.uid] = some.subject
            self._context.loop.enqueue(self.name, namespace, name)

    # --- a look -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Bring the endpoints of changed pods up to date."""
        service = self.find(namespace, name)
        classic = self._store.get(ENDPOINTS_KIND.id, namespace, name)
        if service is None:
            # Its Endpoints go with a Service, whoever made them; its slices are its dependents.
            self._do([Delete(classic)] if classic is not None else [])
            return
        selector = selector_of(service)
        if selector is None:
            # Whatever there is stays: it is somebody else's now.
            return
        uid = service.meta.uid
        known, places = self._known.setdefault(uid, {}), self._places.setdefault(uid, {})
        changed = decide_endpoints(self._see_pods(service, selector), known)
        before = {pod_uid: known.get(pod_uid) for pod_uid in changed}
        self._do(decide_slices(service, self._slices(service), changed, places))
        self._do(decide_classic(service, classic, self._list(uid, known)))
        for pod_uid, wanted in changed.items():
            was = before[pod_uid]
            states = [endpoint_state(one.endpoint) if one is not None else None for one in (was, wanted)]
            self._tell(service.meta, pod_uid, states[0], states[1])
        self._gone.pop(uid, None)

    def _list(self, uid: str, known: Mapping[str, Wanted]) -> Listing:
        listing, moves = self._listings.setdefault(uid, Listing()), self._moves.pop(uid, {})
        for pod_uid, has_left in moves.items():
            if has_left:
                listing.drop(pod_uid)
            if pod_uid in known:
                listing.put(pod_uid, known[pod_uid])
        return listing

    def _do(self, actions: Iterable[Action]) -> None:
        self._is_acting = True
        try:
            super()._do(actions)
        except ApiError as refusal:
            # While the namespace ends, creations go on failing: what is left to do is dropped.
            if not is_namespace_ending(refusal):
                raise
        finally:
            self._is_acting = False

    def _see_pods(self, service: StoredObject, selector: Selector) -> dict[str, Wanted | None]:
        """What the Service wants for the pods to look at, oldest first; None, and last, if they are gone."""
        uid = service.meta.uid
        dirty, self._dirty[uid] = self._dirty.get(uid, {}), {}
        seen: dict[str, Wanted | None] = {}
        for pod_uid in sorted(dirty, key=self._age):
            pod = self._store.pods.get(pod_uid)
            is_selected = pod is not None and selector.matches(pod.meta.labels)
            node = self._store.get("Node", "", pod.node_name) if pod is not None else None
            seen[pod_uid] = make_wanted(service, pod, node) if pod is not None and is_selected else None
        return seen

    def _age(self, uid: str) -> tuple[bool, int, str]:
        pod = self._store.pods.get(uid)
        return pod is None, (pod.meta.creation_ms or 0) if pod is not None else 0, uid

    def _slices(self, service: StoredObject) -> list[StoredObject]:
        children = list_by_age(self._store.find, self._store.index.children.get(service.meta.uid, ()))
        kind = ENDPOINT_SLICE_KIND.id
        return [entry for entry in children if entry.kind.id == kind and is_managed(entry)]

    def _tell(
        self, service: ObjectMeta | OwnerReference, pod_uid: str, was: str | None, is_now: str | None
    ) -> None:
        """A row about a pod, or one that is gone: its endpoint goes a moment after it."""
        pod = self._store.pods.get(pod_uid)
        subject = pod.subject if pod is not None else self._gone.get(service.uid, {}).get(pod_uid)
        if subject is not None and was != is_now:
            self._context.trace.transition(subject, f"endpoint.{service.name}", was, is_now)


def _read(endpoint_slice: StoredObject | None) -> tuple[list[Endpoint], list[Port]]:
    """What stands in a slice; nothing where there is none."""
    if endpoint_slice is None:
        return [], []
    return list_endpoints(endpoint_slice), list_ports(endpoint_slice)


def _looks_equal(old: Pod, new: Pod) -> bool:
    """Whether nothing an endpoint shows can have changed."""
    return (
        old.meta is new.meta
        and old.status.conditions is new.status.conditions
        and old.status.phase == new.status.phase
        and old.status.pod_ip == new.status.pod_ip
    )

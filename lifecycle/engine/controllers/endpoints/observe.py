"""Seeing which pods a Service selects and how they stand; only pods that changed are looked at."""

from __future__ import annotations

from collections.abc import Mapping

from ...api.context import Context
from ...objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ...objects.meta import StoredObject
from ...objects.pod import Pod
from ...objects.selector import Selector
from ..act import Act
from ..owner.orphans import list_by_age
from ..owner.selectors import SelectorIndex
from .decide import (
    Endpoint,
    Port,
    decide_endpoints,
    decide_slices,
    endpoint_state,
    is_managed,
    list_endpoints,
    make_ports,
    pod_uid_of,
    selector_of,
)


class EndpointSliceController:
    """Keys are Services. Only pods that changed since the last look are looked at."""

    name, kind, source = "endpointslice", "Service", "endpoint-slice-controller"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        self._selectors = SelectorIndex()
        self._hears_of_pods = False
        # Pods to look at, by the Service's uid; endpoints as they stand, by Service's and pod's uid.
        self._dirty: dict[str, dict[str, None]] = {}
        self._endpoints: dict[str, dict[str, Endpoint]] = {}
        context.loop.register(self.name, self.sync, "endpoints")
        context.store.listen("Service", self._on_service)
        context.store.listen("EndpointSlice", self._on_slice)

    def restore(self) -> None:
        """Build what is derived again: every selected pod is looked at anew when its Service is."""
        for service in self._store.list("Service"):
            self._describe(service)
            known = self._endpoints.setdefault(service.meta.uid, {})
            for entry in self._slices(service):
                for endpoint in list_endpoints(entry):
                    known[pod_uid_of(endpoint)] = endpoint
            self._dirty[service.meta.uid].update(dict.fromkeys(known))

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._forget(old)
            return
        if old is None or old.spec is not new.spec:
            self._describe(new)
            self._context.loop.enqueue(self.name, new.meta.namespace or "", new.meta.name)

    def _describe(self, service: StoredObject) -> None:
        meta = service.meta
        namespace = meta.namespace or ""
        selector = selector_of(service)
        self._selectors.remove(meta.uid)
        dirty = self._dirty.setdefault(meta.uid, {})
        dirty.update(dict.fromkeys(self._endpoints.setdefault(meta.uid, {})))
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
        uid, name = service.meta.uid, service.meta.name
        self._selectors.remove(uid)
        self._dirty.pop(uid, None)
        for pod_uid, endpoint in self._endpoints.pop(uid, {}).items():
            self._tell(name, pod_uid, endpoint_state(endpoint), None)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """A slice that is taken away while its Service stays is made again."""
        owner = old.meta.controller if old is not None else None
        known = self._endpoints.get(owner.uid) if owner is not None else None
        if new is not None or old is None or owner is None or known is None or not is_managed(old):
            return
        for endpoint in list_endpoints(old):
            pod_uid = pod_uid_of(endpoint)
            if known.pop(pod_uid, None) is not None:
                self._tell(owner.name, pod_uid, endpoint_state(endpoint), None)
                self._dirty[owner.uid][pod_uid] = None
        self._context.loop.enqueue(self.name, old.meta.namespace or "", owner.name)

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
            self._context.loop.enqueue(self.name, namespace, name)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The Service that a key names."""
        return self._store.get(self.kind, namespace, name)

    def sync(self, namespace: str, name: str) -> None:
        """Bring the endpoints of changed pods up to date."""
        service = self.find(namespace, name)
        if service is None:
            return
        known = self._endpoints.setdefault(service.meta.uid, {})
        selector = selector_of(service)
        publish = bool((service.spec or {}).get("publishNotReadyAddresses"))
        changed = decide_endpoints(self._see_pods(service, selector), known, publish)
        before = {pod_uid: endpoint_state(known.get(pod_uid)) for pod_uid in changed}
        for pod_uid, endpoint in changed.items():
            if endpoint is None:
                del known[pod_uid]
            else:
                known[pod_uid] = endpoint
        if selector is not None or changed:
            ports = self._ports(service, known)
            for action in decide_slices(service, self._slices(service), changed, ports):
                self._act(action)
        for pod_uid, endpoint in changed.items():
            self._tell(name, pod_uid, before[pod_uid], endpoint_state(endpoint))

    def _see_pods(self, service: StoredObject, selector: Selector | None) -> dict[str, Pod | None]:
        """The pods to look at that the Service selects, oldest first; None, and last, where they are gone."""
        uid = service.meta.uid
        dirty, self._dirty[uid] = self._dirty.get(uid, {}), {}
        seen: dict[str, Pod | None] = {}
        for pod_uid in sorted(dirty, key=self._age):
            pod = self._store.pods.get(pod_uid)
            is_selected = pod is not None and selector is not None and selector.matches(pod.meta.labels)
            seen[pod_uid] = pod if is_selected else None
        return seen

    def _age(self, uid: str) -> tuple[bool, int, str]:
        pod = self._store.pods.get(uid)
        return pod is None, (pod.meta.creation_ms or 0) if pod is not None else 0, uid

    def _ports(self, service: StoredObject, pods: Mapping[str, Endpoint]) -> list[Port]:
        spec = service.spec or {}
        has_names = any(isinstance(entry.get("targetPort"), str) for entry in spec.get("ports") or ())
        oldest = min(pods, key=self._age) if has_names and pods else None
        return make_ports(spec, self._store.pods.get(oldest) if oldest is not None else None)

    def _slices(self, service: StoredObject) -> list[StoredObject]:
        children = list_by_age(self._store.find, self._store.index.children.get(service.meta.uid, ()))
        kind = ENDPOINT_SLICE_KIND.id
        return [entry for entry in children if entry.kind.id == kind and is_managed(entry)]

    def _tell(self, name: str, pod_uid: str, was: str | None, is_now: str | None) -> None:
        pod = self._store.pods.get(pod_uid)
        if pod is not None and was != is_now:
            self._context.trace.transition(pod.subject, f"endpoint.{name}", was, is_now)


def _looks_equal(old: Pod, new: Pod) -> bool:
    """Whether nothing an endpoint shows can have changed."""
    return (
        old.meta is new.meta
        and old.status.conditions is new.status.conditions
        and old.status.phase == new.status.phase
        and old.status.pod_ip == new.status.pod_ip
    )

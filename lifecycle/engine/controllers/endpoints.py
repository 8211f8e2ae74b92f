"""EndpointSlices: which pods a Service sends traffic to, and how each of them stands.

Modelled: slices of at most a hundred endpoints, the conditions ready, serving and terminating,
`publishNotReadyAddresses`. Left out: topology hints, several address families, pods whose ports of one name
have different numbers (the oldest pod's counts), edits of a slice by hand, the older Endpoints objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..api.context import Context
from ..objects.kinds import KINDS
from ..objects.meta import ObjectMeta, OwnerReference, PlainObject, StoredObject
from ..objects.pod import Pod
from ..objects.selector import Selector
from ..rules.actions import Action, Create, Update
from .owner.selectors import SelectorIndex

ENDPOINTS_PER_SLICE = 100
SERVICE_NAME_LABEL = "kubernetes.io/service-name"
MANAGED_BY = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}
READY, SERVING, TERMINATING = "ready", "serving", "terminating"

Act = Callable[[Action], None]
Endpoint = dict[str, Any]
Port = dict[str, Any]


# --- deciding ---------------------------------------------------------------------------------------------


def make_endpoint(pod: Pod, publish_not_ready: bool) -> Endpoint | None:
    """The endpoint of a pod the Service selects; None without an address or after its end.

    A terminating pod is never ready, but goes on serving while its readiness holds.
    """
    if not pod.status.pod_ip or pod.is_finished:
        return None
    is_serving, is_terminating = pod.is_ready, pod.meta.deletion_ms is not None
    endpoint: Endpoint = {
        "addresses": [pod.status.pod_ip],
        "conditions": {
            "ready": publish_not_ready or (is_serving and not is_terminating),
            "serving": is_serving,
            "terminating": is_terminating,
        },
        "targetRef": {
            "kind": "Pod",
            "namespace": pod.meta.namespace,
            "name": pod.meta.name,
            "uid": pod.meta.uid,
        },
    }
    if pod.node_name:
        endpoint["nodeName"] = pod.node_name
    return endpoint


def endpoint_state(endpoint: Endpoint | None) -> str | None:
    """How people see it: ready, serving or terminating; None where no traffic goes."""
    if endpoint is None:
        return None
    conditions = endpoint["conditions"]
    if conditions["ready"]:
        return READY
    if not conditions["terminating"]:
        return None
    return SERVING if conditions["serving"] else TERMINATING


def make_ports(service_spec: Mapping[str, Any], pod: Pod | None) -> list[Port]:
    """The ports of a slice: the Service's target ports, names of container ports looked up in a pod."""
    ports = []
    for entry in service_spec.get("ports") or ():
        target = entry.get("targetPort", entry.get("port"))
        number = _port_number(target, pod) if isinstance(target, str) else target
        if number is not None:
            ports.append(
                {
                    "name": entry.get("name") or "",
                    "protocol": entry.get("protocol") or "TCP",
                    "port": number,
                }
            )
    return ports


def _port_number(name: str, pod: Pod | None) -> int | None:
    if pod is None:
        return None
    # Init containers have no say, but for those that go on beside the app (INIT-13).
    sidecars = [one for one in pod.spec.init_containers if one.is_sidecar]
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports:
            if port.get("name") == name:
                number = port.get("containerPort")
                return number if isinstance(number, int) else None
    return None


def place(slices: list[list[Endpoint]], wanted: Mapping[str, Endpoint | None]) -> list[list[Endpoint]]:
    """The slices with some pods' endpoints changed (None: taken out), by pod uid.

    A known endpoint keeps its place, a new one goes to the first slice with room.
    """
    left = dict(wanted)
    result = []
    for endpoints in slices:
        kept = []
        for endpoint in endpoints:
            new = left.pop(endpoint["targetRef"]["uid"], endpoint)
            if new is not None:
                kept.append(endpoint if new == endpoint else new)
        result.append(kept)
    for added in left.values():
        if added is None:
            continue
        roomy = next((entry for entry in result if len(entry) < ENDPOINTS_PER_SLICE), None)
        if roomy is None:
            result.append([added])
        else:
            roomy.append(added)
    return result


# --- observing and acting ---------------------------------------------------------------------------------


class EndpointSliceController:
    """Keys are Services. Only pods that changed since the last look are looked at."""

    name = "endpointslice"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._store = context.store
        self._act = act
        self._selectors = SelectorIndex()
        # Pods to look at, by the Service's uid; endpoints as they stand, by Service's and pod's uid.
        self._dirty: dict[str, dict[str, None]] = {}
        self._endpoints: dict[str, dict[str, Endpoint]] = {}
        context.loop.register(self.name, self.sync, "endpoints")
        context.store.listen("Service", self._on_service)
        context.store.listen("EndpointSlice", self._on_slice)
        context.store.listen("Pod", self._on_pod)

    def restore(self) -> None:
        """Build what is derived again: every selected pod is looked at anew when its Service is."""
        for service in self._store.list("Service"):
            self._describe(service)
            known = self._endpoints.setdefault(service.meta.uid, {})
            for entry in self._slices(service):
                for endpoint in _endpoints_of(entry):
                    known[endpoint["targetRef"]["uid"]] = endpoint
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
        selector = _selector_of(service)
        self._selectors.remove(meta.uid)
        dirty = self._dirty.setdefault(meta.uid, {})
        dirty.update(dict.fromkeys(self._endpoints.setdefault(meta.uid, {})))
        if selector is None:
            return
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
        if new is not None or old is None or owner is None or known is None:
            return
        for endpoint in _endpoints_of(old):
            pod_uid = endpoint["targetRef"]["uid"]
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

    def sync(self, namespace: str, name: str) -> None:
        """Bring the endpoints of changed pods up to date."""
        service = self._store.get("Service", namespace, name)
        if service is None:
            return
        uid = service.meta.uid
        dirty, self._dirty[uid] = self._dirty.get(uid, {}), {}
        known = self._endpoints.setdefault(uid, {})
        selector = _selector_of(service)
        publish = bool((service.spec or {}).get("publishNotReadyAddresses"))
        changed: dict[str, Endpoint | None] = {}
        # Oldest pods first whatever order they were noted in; those that are gone last.
        for pod_uid in sorted(dirty, key=self._age):
            pod = self._store.pods.get(pod_uid)
            is_selected = pod is not None and selector is not None and selector.matches(pod.meta.labels)
            endpoint = make_endpoint(pod, publish) if pod is not None and is_selected else None
            if endpoint != known.get(pod_uid):
                changed[pod_uid] = endpoint
        before = {pod_uid: endpoint_state(known.get(pod_uid)) for pod_uid in changed}
        for pod_uid, endpoint in changed.items():
            if endpoint is None:
                del known[pod_uid]
            else:
                known[pod_uid] = endpoint
        if selector is not None or changed:
            self._write(service, changed, self._ports(service, known))
        for pod_uid, endpoint in changed.items():
            self._tell(name, pod_uid, before[pod_uid], endpoint_state(endpoint))

    def _age(self, uid: str) -> tuple[bool, int, str]:
        pod = self._store.pods.get(uid)
        return pod is None, (pod.meta.creation_ms or 0) if pod is not None else 0, uid

    def _ports(self, service: StoredObject, pods: Mapping[str, Endpoint]) -> list[Port]:
        spec = service.spec or {}
        has_names = any(isinstance(entry.get("targetPort"), str) for entry in spec.get("ports") or ())
        oldest = min(pods, key=self._age) if has_names and pods else None
        return make_ports(spec, self._store.pods.get(oldest) if oldest is not None else None)

    def _write(
        self, service: StoredObject, changed: Mapping[str, Endpoint | None], ports: list[Port]
    ) -> None:
        slices = self._slices(service)
        before = [_endpoints_of(entry) for entry in slices]
        after = place(before, changed) if changed else before
        for entry, was, is_now in zip(slices, before, after, strict=False):
            extra = entry.extra or {}
            if was != is_now or extra.get("ports") != ports:
                self._act(Update(entry.replace(extra={**extra, "endpoints": is_now, "ports": ports})))
        for endpoints in after[len(slices) :] or ([] if slices else [[]]):
            self._act(Create(self._new_slice(service, endpoints, ports)))

    def _new_slice(self, service: StoredObject, endpoints: list[Endpoint], ports: list[Port]) -> PlainObject:
        meta = service.meta
        number = self._store.creations.get(meta.uid, 0) + 1
        _uid, suffix = self._context.chance.uid_and_suffix(meta.uid, number)
        reference = OwnerReference("v1", "Service", meta.name, meta.uid, True, True)
        return PlainObject(
            KINDS["EndpointSlice"],
            ObjectMeta(
                f"{meta.name}-{suffix}",
                meta.namespace,
                labels={**MANAGED_BY, SERVICE_NAME_LABEL: meta.name},
                owner_references=(reference,),
                generate_name=f"{meta.name}-",
            ),
            extra={
                "addressType": "IPv4",
                "endpoints": endpoints,
                "ports": ports,
            },
        )

    def _slices(self, service: StoredObject) -> list[StoredObject]:
        children = self._store.index.children.get(service.meta.uid, ())
        found = map(self._store.find, children)
        slices = [entry for entry in found if entry is not None and entry.kind.name == "EndpointSlice"]
        return sorted(slices, key=lambda entry: (entry.meta.creation_ms or 0, entry.meta.name))

    def _tell(self, name: str, pod_uid: str, was: str | None, is_now: str | None) -> None:
        pod = self._store.pods.get(pod_uid)
        if pod is not None and was != is_now:
            self._context.trace.transition(pod.subject, f"endpoint.{name}", was, is_now)


def _endpoints_of(endpoint_slice: StoredObject) -> list[Endpoint]:
    return list((endpoint_slice.extra or {}).get("endpoints") or ())


def _selector_of(service: StoredObject) -> Selector | None:
    """The labels a Service selects by; None when it has none or only names another host."""
    spec = service.spec or {}
    if spec.get("type") == "ExternalName" or not spec.get("selector"):
        return None
    return Selector.of_labels(spec["selector"])


def _looks_equal(old: Pod, new: Pod) -> bool:
    """Whether nothing an endpoint shows can have changed."""
    return (
        old.meta is new.meta
        and old.status.conditions is new.status.conditions
        and old.status.phase == new.status.phase
        and old.status.pod_ip == new.status.pod_ip
    )

"""The API server's part in a write: defaults, validation, identity, generation, graceful deletion.

Everything that changes an object goes through here, whoever asks: a command, a controller, a kubelet.
"""

from __future__ import annotations

from typing import Any

from ..heart.errors import AlreadyExists, ApiError, BadRequest, Conflict, Forbidden, Invalid
from ..objects.condition import Condition
from ..objects.deployment import Deployment
from ..objects.meta import ObjectMeta, PlainObject, StoredObject
from ..objects.node import Node
from ..objects.pod import PENDING, POD_KIND, Pod, PodSpec, PodStatus
from ..objects.pod_overlay import overlay_meta, overlay_spec
from ..objects.propagation import FINALIZERS, PROPAGATIONS
from ..objects.replica_set import ReplicaSet
from ..objects.times import format_time
from ..rules.actions import CreatePod
from ..rules.defaults import apply_defaults
from ..rules.defaults.nodes import register_node
from ..rules.defaults.pods import default_pod
from ..rules.grace import decide_deletion_grace_seconds, decide_shortened_grace_seconds
from ..rules.qos import decide_qos_class
from ..rules.validation import FieldError, to_status, validate_create, validate_update
from ..rules.validation.field_error import invalid
from ..rules.validation.pod_security import is_significant
from .context import Context
from .namespace_rules import require_account, require_namespace, require_security
from .quotas import QUOTA
from .requests import check_address, make_wanted

GATED_REASON, GATED_TEXT = "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"
_TYPED: dict[str, type[StoredObject]] = {
    "Pod": Pod,
    "Node": Node,
    "Deployment": Deployment,
    "ReplicaSet": ReplicaSet,
}
MAX_PODS = 150_000
"""As many as Kubernetes is made for. Where it would try to hold more, here they are refused."""
_RESERVED_META = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


def read_object(data: dict[str, Any], epoch_ms: int) -> StoredObject:
    """The typed reading of an object's JSON."""
    return _TYPED.get(data.get("kind", ""), PlainObject).from_json(data, epoch_ms)


def raise_invalid(data: dict[str, Any], errors: list[FieldError]) -> None:
    """Raise Invalid with every field error, if there are any."""
    if not errors:
        return
    name = (data.get("metadata") or {}).get("name") or ""
    status = to_status(data.get("kind", ""), name, errors, data.get("apiVersion", ""))
    details = status["details"]
    raise Invalid(
        status["message"], details.get("kind", ""), name, details.get("causes", ()), details.get("group", "")
    )


def _default_service_account(namespace: str) -> dict[str, Any]:
    meta = {"name": "default", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}


def _qos_of_json(spec: Any) -> str:
    return decide_qos_class(PodSpec.from_json(spec))


class ApiServer:
    """Writes to one cluster's store."""

    __slots__ = ("_clock", "_context", "_store")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._clock = context.clock

    # --- create ---------------------------------------------------------------------------------------

    def create_json(self, data: dict[str, Any]) -> StoredObject:
        """Create an object from its JSON. Raises Invalid, AlreadyExists, Forbidden."""
        kind = str(data.get("kind") or "")
        features = self._context.features
        data = self._with_name(apply_defaults(kind, data, features))
        raise_invalid(data, validate_create(data, features))
        if kind == "Service":
            data = self._with_cluster_ip(data)
        elif kind == "Node":
            now = format_time(self._clock.now_ms, self._clock.epoch_ms)
            data = register_node(data, self._context.settings.nodes, now)
        meta = {name: value for name, value in data["metadata"].items() if name not in _RESERVED_META}
        new = read_object({**data, "metadata": meta}, self._clock.epoch_ms)
        require_namespace(self._store, new)
        if not isinstance(new, Pod):
            self._clear_status(new)
        created = self.create(new)
        if kind == "Namespace":
            # Every namespace has a service account of this name from its beginning.
            self.create_json(_default_service_account(created.meta.name))
        return created

    def decode(self, data: dict[str, Any]) -> dict[str, Any]:
        """An object as it was sent, read field by field. Raises BadRequest naming one of a wrong type."""
        try:
            return self._context.decode_json(data)
        except ValueError as problem:
            meta, kind = data.get("metadata"), str(data.get("kind"))
            name = str(meta.get("name") or "") if isinstance(meta, dict) else ""
            raise BadRequest(f'{kind} "{name}": {problem}', kind, name) from None

    def _with_name(self, data: dict[str, Any]) -> dict[str, Any]:
        meta = data.get("metadata") or {}
        if meta.get("name") or not meta.get("generateName"):
            return data
        stem = f"{data.get('kind')}/{meta.get('namespace') or ''}/{meta['generateName']}"
        _uid, suffix = self._context.chance.uid_and_suffix(stem, self._count(stem))
        return {**data, "metadata": {**meta, "name": meta["generateName"] + suffix}}

    def _with_cluster_ip(self, data: dict[str, Any]) -> dict[str, Any]:
        """A Service's address: the next free one of 10.96.0.0/12, unless it asks for one or for none.

        Raises Invalid for one that another Service has.
        """
        spec = data.get("spec") or {}
        address = spec.get("clusterIP")
        if address == "None" or spec.get("type") == "ExternalName":
            return data
        taken = {(service.spec or {}).get("clusterIP") for service in self._store.list("Service")}
        if address and address in taken:
            detail = f"failed to allocate IP {address}: provided IP is already allocated"
            raise_invalid(data, [invalid("spec.clusterIPs", [address], detail)])
        while not address or address in taken:
            # The first ten are kept for the API server and DNS.
            number = self._count("clusterIP") + 10
            address = f"10.{96 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
        return {**data, "spec": {**spec, "clusterIP": address, "clusterIPs": [address]}}

    def _count(self, owner: str) -> int:
        number = self._store.creations.get(owner, 0) + 1
        self._store.creations[owner] = number
        return number

    def _clear_status(self, new: StoredObject) -> None:
        # A client's status is dropped, except a Node's, which says what its machine has.
        if isinstance(new, Node) or new.kind.name not in ("Deployment", "ReplicaSet"):
            return
        new.status = type(new)._read_status(None, self._clock.epoch_ms)

    def create(self, new: StoredObject) -> StoredObject:
        """Give an object its identity and store it. Its uid is keyed by its owner's creation count.

        So is the suffix that makes a name of `generateName` for an object without one.
        """
        meta = new.meta
        owner = meta.controller
        stem = owner.uid if owner is not None else f"{new.kind.name}/{meta.namespace or ''}/{meta.name}"
        uid, suffix = self._context.chance.uid_and_suffix(stem, self._count(stem))
        new.meta = meta.replace(
            name=meta.name or meta.generate_name + suffix,
            uid=uid,
            creation_ms=self._clock.now_ms,
            generation=1 if new.spec is not None else 0,
            namespace=meta.namespace if new.kind.namespaced else None,
        )
        if isinstance(new, Pod):
            self._admit(new.spec, new.meta)
            new.status = self._new_status(new.spec)
        if self._store.count(QUOTA):
            self._context.quotas.require_room(new)
        return self._store.create(new)

    def _new_status(self, spec: PodSpec) -> PodStatus:
        conditions: tuple[Condition, ...] = ()
        if spec.scheduling_gates:
            # Known from the first moment, before the scheduler has seen the pod (SGATE-03).
            conditions = (Condition("PodScheduled", "False", GATED_REASON, GATED_TEXT, self._clock.now_ms),)
        return PodStatus(PENDING, conditions, qos_class=decide_qos_class(spec))

    def create_pod(self, action: CreatePod) -> Pod:
        """Make a pod from a template: the hot path. Its template was defaulted and checked with its owner.

        Raises AlreadyExists when another pod has the name that was given, Forbidden.
        """
        template, owner = action.template, action.owner.meta
        store = self._store
        number = store.creations.get(owner.uid, 0) + 1
        store.creations[owner.uid] = number
        uid, suffix = self._context.chance.uid_and_suffix(owner.uid, number)
        meta = ObjectMeta(
            action.name or action.generate_name + suffix,
            owner.namespace,
            uid,
            template.labels,
            template.annotations,
            (action.reference,),
            self._clock.now_ms,
            action.generate_name,
            template.finalizers,
            generation=1,
        )
        spec = self._admitted(template.spec)
        if action.overlay is not None:
            meta, spec = overlay_meta(meta, action.overlay), overlay_spec(spec, action.overlay.spec)
        self._admit(spec, meta)
        status = self._new_status(spec) if spec.scheduling_gates else spec.memo["new_status"]
        pod = Pod(POD_KIND, meta, spec, status)
        if store.count(QUOTA):
            self._context.quotas.require_room(pod, action.name or action.generate_name)
        try:
            store.create(pod)
        except AlreadyExists:
            if action.name:
                raise
            # One name in fourteen million; the next number gives another.
            return self.create_pod(action)
        return pod

    def _admit(self, spec: PodSpec, meta: ObjectMeta) -> None:
        if len(self._store.pods) >= MAX_PODS:
            full = f"the cluster holds {MAX_PODS:,} pods, as many as it can"
            raise Forbidden(f'pods "{meta.name}" is forbidden: {full}', "pods", meta.name)
        require_account(self._store, spec, meta)
        require_security(self._store, spec.raw, meta, self._context.features)

    def _admitted(self, spec: PodSpec) -> PodSpec:
        # What admission adds to a pod is the same for all pods of a template.
        admitted = spec.memo.get("admitted")
        if isinstance(admitted, PodSpec):
            return admitted
        admitted = PodSpec.from_json(default_pod(spec.raw, self._context.features))
        admitted.memo["new_status"] = PodStatus(PENDING, qos_class=decide_qos_class(admitted))
        spec.memo["admitted"] = admitted
        return admitted

    # --- update ---------------------------------------------------------------------------------------

    def update_json(
        self, old: StoredObject, data: dict[str, Any], subresource: str | None = None
    ) -> StoredObject:
        """Replace an object by new JSON. Raises Conflict for a stale resourceVersion, Invalid for bad fields.

        A write that changes nothing is no version.
        """
        epoch_ms = self._clock.epoch_ms
        current = old.to_json(epoch_ms)
        check_address(current, data, subresource)
        data = self.decode(data)
        meta = dict(data.get("metadata") or {})
        version = meta.get("resourceVersion")
        if version not in (None, "", str(old.resource_version)):
            raise Conflict(
                f'Operation cannot be fulfilled on {old.kind.plural} "{old.meta.name}": the object has been'
                " modified; please apply your changes to the latest version and try again",
                old.kind.plural,
                old.meta.name,
            )
        meta.setdefault("uid", old.meta.uid)
        meta.setdefault("creationTimestamp", current["metadata"].get("creationTimestamp"))
        data = {**data, "metadata": meta}
        wanted = make_wanted(current, data, subresource, self._context.features)
        raise_invalid(
            wanted,
            validate_update(current, wanted, subresource or "", self._context.features, _qos_of_json),
        )
        if isinstance(old, Pod) and is_significant(old.spec.raw, wanted.get("spec") or {}):
            require_security(self._store, wanted["spec"], old.meta, self._context.features)
        if old.kind.name == "Service" and not (old.spec or {}).get("clusterIP"):
            # It was an alias, and is one no more.
            wanted = self._with_cluster_ip(wanted)
        new = read_object(wanted, epoch_ms)
        new.extra = new.extra or None
        if subresource == "resize" and self._store.count(QUOTA):
            self._context.quotas.require_room(new, old=old)
        return self._store_update(old, new, wanted.get("spec") != current.get("spec"), wanted != current)

    def _store_update(
        self, old: StoredObject, new: StoredObject, spec_changed: bool, is_change: bool
    ) -> StoredObject:
        if not is_change:
            return old
        meta = old.meta
        new.meta = meta.replace(
            labels=new.meta.labels,
            annotations=new.meta.annotations,
            finalizers=new.meta.finalizers,
            owner_references=new.meta.owner_references,
            extra=new.meta.extra,
            generation=meta.generation + 1 if spec_changed else meta.generation,
        )
        if not spec_changed:
            new.spec = old.spec
        if isinstance(new, Pod) and isinstance(old, Pod):
            new.node_name = old.node_name or new.node_name
        self._store.update(old, new)
        return self._finish_deletion(new)

    def _finish_deletion(self, new: StoredObject) -> StoredObject:
        # The last finalizer of a deleted object takes the object with it; a pod's grace must be over too.
        meta = new.meta
        is_over = not isinstance(new, Pod) or not meta.deletion_grace_seconds
        if meta.deletion_ms is not None and not meta.finalizers and is_over:
            self._store.remove(new)
        return new

    def update(self, new: StoredObject) -> StoredObject:
        """A component's own write, made from what is stored. A changed spec raises the generation."""
        kind, namespace, name = new.key
        old = self._store.require(kind, namespace, name)
        if old.meta.uid != new.meta.uid:
            raise Conflict(f"{kind} {namespace}/{name}: another object has taken the name", kind, name)
        if new.spec is not old.spec and not isinstance(new, Pod):
            new.meta = new.meta.replace(generation=old.meta.generation + 1)
        self._store.update(old, new)
        return self._finish_deletion(new)

    # --- delete ---------------------------------------------------------------------------------------

    def delete(
        self,
        old: StoredObject,
        *,
        grace_seconds: int | None = None,
        propagation: str | None = None,
        has_options: bool = True,
    ) -> StoredObject:
        """Delete an object. Pods go gracefully; finalizers keep an object until they are gone.

        Returns the object as it is now, or as it last was. Raises BadRequest for an unknown propagation.
        """
        if propagation is not None and propagation not in PROPAGATIONS:
            raise BadRequest(f"propagationPolicy {propagation!r}: use Background, Foreground or Orphan")
        if isinstance(old, Pod):
            return self.delete_pod(old, grace_seconds, has_options)
        meta = old.meta
        finalizers = meta.finalizers
        added = FINALIZERS.get(propagation or "")
        if added is not None and added not in finalizers and meta.deletion_ms is None:
            finalizers = (*finalizers, added)
        if not finalizers:
            self._store.remove(old)
            return old
        if meta.deletion_ms is not None:
            return old
        new = old.replace(
            meta=meta.replace(
                finalizers=finalizers,
                deletion_ms=self._clock.now_ms,
                deletion_grace_seconds=0,
                generation=meta.generation + 1,
            )
        )
        self._store.update(old, new)
        return new

    def delete_pod(self, pod: Pod, requested: int | None = None, has_options: bool = True) -> Pod:
        """Part A of the grace arithmetic, then the mark or the end (POD-TERM-02 to 04, FORCE-02)."""
        seconds: int | None
        if pod.meta.deletion_ms is not None:
            return self._delete_again(pod, requested)
        seconds = decide_deletion_grace_seconds(
            requested,
            pod.spec.termination_grace_seconds,
            is_bound=bool(pod.node_name),
            phase=pod.status.phase,
            has_options=has_options,
        )
        if not seconds and not pod.meta.finalizers:
            # The mark is never stored, but the history tells that the deletion was asked for.
            self._store.set_deletion_stage(pod, "requested")
            self._store.remove(pod)
            return pod
        return self._mark(pod, self._clock.now_ms + (seconds or 0) * 1000, seconds or 0)

    def _delete_again(self, pod: Pod, requested: int | None) -> Pod:
        seconds = decide_shortened_grace_seconds(pod.meta.deletion_grace_seconds, requested)
        if seconds is None:
            return pod
        if seconds == 0 and not pod.meta.finalizers:
            self._store.remove(pod)
            return pod
        return self._mark(pod, self._clock.now_ms + seconds * 1000, seconds)

    def _mark(self, pod: Pod, deletion_ms: int, seconds: int) -> Pod:
        new = pod.replace(
            meta=pod.meta.replace(
                deletion_ms=deletion_ms,
                deletion_grace_seconds=seconds,
                generation=pod.meta.generation + 1,
            )
        )
        self._store.update(pod, new)
        return new


__all__ = ["ApiError", "ApiServer", "raise_invalid", "read_object"]

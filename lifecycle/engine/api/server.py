"""The API server: every write to a cluster's objects, whoever asks for it, on one way.

    read -> decode -> default -> validate -> admit -> store

A station is a function in a module of its own: requests (read, decode, what a change would leave), rules
(defaults, validation), identity, addresses, admission, deletion, evictions. What single kinds ask beside that
stands in kind_hooks. A component's own write is made from what is stored, so it goes straight to the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.errors import AlreadyExists, Conflict
from ..kinds.defaults import apply_defaults
from ..kinds.namespace import NAMESPACE
from ..kinds.registry import kind_of_json, read_object
from ..kinds.validation import validate_create, validate_update
from ..objects.condition import Condition
from ..objects.meta import ObjectMeta, StoredObject
from ..objects.pod import PENDING, POD_KIND, Pod, PodSpec
from ..objects.pod_overlay import overlay_meta, overlay_spec
from ..objects.pod_status import PodStatus
from ..rules.actions import CreatePod
from ..rules.defaults.pods import default_pod
from ..rules.qos import decide_qos_class
from ..rules.validation.refusal import raise_invalid
from .admission import admit_changed, admit_new, admit_pod
from .completion import annotate
from .context import Context
from .deletion import (
    check_mortal,
    check_preconditions,
    check_propagation,
    delete_object,
    delete_pod,
    finish_deletion,
)
from .evictions import evict_pod
from .identity import generate, identify, require_fitting, with_name, with_uid
from .kind_hooks import complete_changed, complete_new, list_companions, list_forerunners, prepare_new
from .namespace_rules import delete_namespace, require_namespace
from .quotas import QUOTA
from .requests import (
    as_stored,
    check_address,
    check_subresource,
    decode,
    make_wanted,
    patched,
    read_new,
    require_fresh,
)

Json = dict[str, Any]
GATED_REASON, GATED_TEXT = "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"


class ApiServer:
    """Writes to one cluster's store."""

    __slots__ = ("_clock", "_context", "_store")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._clock = context.clock

    # --- create ---------------------------------------------------------------------------------------

    def create_json(self, data: Json) -> StoredObject:
        """Create an object from its JSON, as it was sent. Raises ApiError."""
        context = self._context
        data = apply_defaults(self.decode(data), context.features)
        data = with_uid(context, with_name(context, data))
        kind = kind_of_json(data)
        require_namespace(self._store, kind, data["metadata"])
        if kind.id == POD_KIND.id:
            data = context.completion.complete_json(data)
        raise_invalid(data, validate_create(data, context.features))
        new = read_new(complete_new(context, data), self._clock.epoch_ms)
        created = self._create(new)
        for companion in list_companions(created):
            self.create_json(companion)
        return created

    def decode(self, data: Json) -> Json:
        """An object as it was sent, read field by field. Raises BadRequest naming one of a wrong type."""
        return decode(data)

    def create(self, new: StoredObject) -> StoredObject:
        """A component's new object: complete it and store it. Raises Forbidden, AlreadyExists."""
        if isinstance(new, Pod):
            meta, spec = new.meta, new.spec
            raw, told = self._context.completion.complete(spec.raw, meta.namespace or "", new.is_mirror)
            new.spec = spec if raw == spec.raw else PodSpec.from_json(raw)
            if told:
                new.meta = meta.replace(annotations=annotate(meta.annotations, told))
        return self._create(new)

    def _create(self, new: StoredObject) -> StoredObject:
        """Give a complete object its identity, and store it."""
        for forerunner in list_forerunners(self._context, new):
            self.create_json(forerunner)
        identify(self._context, new)
        prepare_new(self._context, new)
        if isinstance(new, Pod):
            new.status = self._new_status(new.spec)
        admit_new(self._context, new)
        return self._store.create(new)

    def _new_status(self, spec: PodSpec) -> PodStatus:
        conditions: tuple[Condition, ...] = ()
        if spec.scheduling_gates:
            # Known from the first moment, before the scheduler has seen the pod (SGATE-03).
            conditions = (Condition("PodScheduled", "False", GATED_REASON, GATED_TEXT, self._clock.now_ms),)
        return PodStatus(PENDING, conditions, qos_class=decide_qos_class(spec))

    def create_pod(self, action: CreatePod) -> Pod:
        """Make a pod from a template: the hot path. Its template was defaulted and checked with its owner.

        Raises AlreadyExists when another pod has the name that was given, Invalid, Forbidden.
        """
        template, owner = action.template, action.owner.meta
        store = self._store
        number = store.creations.get(owner.uid, 0) + 1
        store.creations[owner.uid] = number
        uid, suffix = self._context.chance.uid_and_suffix(owner.uid, number)
        spec = self._admitted(template.spec, owner.namespace or "")
        told = spec.notes.limited
        spec, recommended = self._context.recommendations.apply(spec, owner.namespace or "", template.labels)
        meta = ObjectMeta(
            action.name or generate(action.generate_name, suffix),
            owner.namespace,
            uid,
            template.labels,
            annotate(template.annotations, told) if told else template.annotations,
            (action.reference,),
            self._clock.now_ms,
            action.generate_name,
            template.finalizers,
            generation=1,
        )
        if recommended:
            meta = meta.replace(annotations={**meta.annotations, **recommended})
        if action.overlay is not None:
            require_fitting(meta, action.overlay)
            meta, spec = overlay_meta(meta, action.overlay), overlay_spec(spec, action.overlay.spec)
        admit_pod(self._context, spec, meta)
        status = spec.notes.new_status or self._new_status(spec)
        pod = Pod(POD_KIND, meta, spec, status, node_name=template.node_name)
        if store.count(QUOTA):
            self._context.quotas.require_room(pod)
        try:
            store.create(pod)
        except AlreadyExists:
            if action.name:
                raise
            # One name in fourteen million; the next number gives another.
            return self.create_pod(action)
        return pod

    def _admitted(self, spec: PodSpec, namespace: str) -> PodSpec:
        # What admission adds to a pod is the same for all pods of a template.
        notes, completion = spec.notes, self._context.completion
        at = (completion.version, namespace)
        if notes.admitted is not None and notes.admitted_at == at:
            return notes.admitted
        raw, told = completion.complete(default_pod(spec.raw, self._context.features), namespace)
        notes.admitted_at = at
        if notes.admitted is not None and notes.admitted.raw == raw:
            return notes.admitted
        admitted = PodSpec.from_json(raw)
        admitted.notes.limited = told
        if not admitted.scheduling_gates:
            admitted.notes.new_status = self._new_status(admitted)
        spec.notes.admitted = admitted
        return admitted

    # --- update ---------------------------------------------------------------------------------------

    def update_json(self, old: StoredObject, data: Json, subresource: str | None = None) -> StoredObject:
        """Replace an object, or what a subresource shows of it, by new JSON. Raises ApiError.

        A write that changes nothing is no version.
        """
        context, epoch_ms = self._context, self._clock.epoch_ms
        current = old.to_json(epoch_ms)
        data = as_stored(current, data)
        check_address(current, data, subresource)
        data = self.decode(data)
        require_fresh(old, data)
        wanted = make_wanted(current, data, subresource, context.features)
        errors = validate_update(current, wanted, subresource or "", context.features)
        raise_invalid(wanted, errors)
        wanted = complete_changed(context, old, wanted)
        new = read_object(wanted, epoch_ms)
        admit_changed(context, old, new, subresource or "")
        if wanted == current:
            return old
        return self._put(old, new, wanted.get("spec") != current.get("spec"))

    def patch(self, old: StoredObject, patch: Any, how: str, subresource: str | None = None) -> StoredObject:
        """Change an object by a patch: `how` is json, merge or strategic. Raises ApiError."""
        current = old.to_json(self._clock.epoch_ms)
        check_subresource(current, subresource)
        return self.update_json(old, patched(current, patch, how), subresource)

    def _put(self, old: StoredObject, new: StoredObject, is_spec_changed: bool) -> StoredObject:
        """Store a client's change: of the metadata only what is a client's, the generation with the spec."""
        meta = old.meta
        new.meta = meta.replace(
            labels=new.meta.labels,
            annotations=new.meta.annotations,
            finalizers=new.meta.finalizers,
            owner_references=new.meta.owner_references,
            extra=new.meta.extra,
            generation=meta.generation + 1 if is_spec_changed else meta.generation,
        )
        new.extra = new.extra or None
        if not is_spec_changed:
            new.spec = old.spec
        if isinstance(new, Pod) and isinstance(old, Pod):
            new.node_name = old.node_name or new.node_name
        self._store.update(old, new)
        return finish_deletion(self._context, new)

    def update(self, new: StoredObject) -> StoredObject:
        """A component's own write, made from what is stored. A changed spec raises the generation."""
        kind, namespace, name = new.key
        old = self._store.require(kind, namespace, name)
        if old.meta.uid != new.meta.uid:
            raise Conflict(f"{kind} {namespace}/{name}: another object has taken the name", kind, name)
        if new.spec is not old.spec and not isinstance(new, Pod):
            new.meta = new.meta.replace(generation=old.meta.generation + 1)
        self._store.update(old, new)
        return finish_deletion(self._context, new)

    def remove_finalizer(self, pod: Pod, finalizer: str) -> None:
        """Take a finalizer off a pod, whatever has become of it since it was looked at."""
        old = self._store.pods.get(pod.meta.uid)
        if old is None or finalizer not in old.meta.finalizers:
            return
        kept = tuple(one for one in old.meta.finalizers if one != finalizer)
        new = old.with_meta(old.meta.with_finalizers(kept))
        self._store.update(old, new)
        finish_deletion(self._context, new)

    # --- delete ---------------------------------------------------------------------------------------

    def delete(
        self,
        old: StoredObject,
        *,
        grace_seconds: int | None = None,
        propagation: str | None = None,
        has_options: bool = True,
        preconditions: Mapping[str, str] | None = None,
    ) -> StoredObject:
        """Delete an object. Pods go gracefully; finalizers keep an object until they are gone.

        Returns the object as it is now, or as it last was. Raises BadRequest for an unknown propagation, and
        Conflict when a precondition (`uid`, `resourceVersion`) does not hold.
        """
        check_propagation(propagation)
        check_mortal(old)
        if preconditions:
            check_preconditions(old, preconditions)
        if isinstance(old, Pod):
            return delete_pod(self._context, old, grace_seconds, has_options, propagation)
        if old.kind.id == NAMESPACE.kind.id:
            return delete_namespace(self._context, old)
        return delete_object(self._context, old, propagation)

    def delete_pod(self, pod: Pod, requested: int | None = None, has_options: bool = True) -> Pod:
        """Delete a pod gracefully; `requested` seconds, or its own period."""
        return delete_pod(self._context, pod, requested, has_options)

    def evict(
        self,
        pod: Pod,
        grace_seconds: int | None = None,
        preconditions: Mapping[str, str] | None = None,
        is_dry_run: bool = False,
    ) -> Pod:
        """Delete a pod by the eviction API. Raises ApiError as `evict_pod` does."""
        return evict_pod(self._context, pod, grace_seconds, preconditions, is_dry_run)

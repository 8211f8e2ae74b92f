"""Field managers: the owners of fields after each write, and server-side apply.

An object is tracked from the first request of an API client on: then it has `managedFields`. Objects that
only the simulation writes are not tracked. On a tracked object, each write of a controller, a kubelet or
the scheduler gives it the fields that it changes. At the first apply to an untracked object, all its fields
are owned by `before-first-apply`, as in Kubernetes; those set by `kubectl apply` are owned by that.

All versions of a kind are assumed to have the same fields, which holds for the served ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...heart.errors import BadRequest, Conflict, Unknown
from ...objects.meta import StoredObject
from ...objects.names import DEFINITION, LAST_APPLIED
from ...objects.node import NODE_KIND
from ...objects.pods.pod import POD_KIND, Pod
from ...objects.times import format_time
from ...rules.limits.json_bounds import read_json
from ...rules.managed_fields.managers import (
    APPLY,
    UPDATE,
    Managers,
    Share,
    is_reset,
    make_manager,
    read_managers,
    write_managers,
)
from ...rules.managed_fields.paths import NONE, FieldSet, Path, path_to
from ...schema.typed.compare import compare, is_equal
from ...schema.typed.shapes import Shape, shape_of_custom, shape_of_kind
from ...schema.typed.values import TypedError, require_typed, set_of
from ..context import Context
from ..options import WriteOptions
from ..scales import SCALE_VERSION, make_scale, with_scale
from .three_way_apply import with_last_applied

Json = dict[str, Any]
FIELD = "managedFields"
BEFORE_FIRST_APPLY = "before-first-apply"
KUBECTL, CLIENT_SIDE_APPLY = "kubectl", "kubectl-client-side-apply"
CONTROLLER_MANAGER, KUBELET, SCHEDULER = "kube-controller-manager", "kubelet", "kube-scheduler"
API_SERVER = "kube-apiserver"
_BY_ADMISSION = frozenset(
    ("serviceAccountName", "serviceAccount", "tolerations", "priority", "preemptionPolicy")
)
# What an autoscaler gives another size; a ReplicaSet that is owned is sized by its owner.
_SIZED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_SIZE = frozenset((path_to("spec", "replicas"),))
_STATUS = (path_to("status"),)
# What a write to one place leaves as it is, whatever it says: nobody owns it by that.
_NOT_WRITTEN: dict[str, Sequence[Path]] = {
    "status": (path_to("spec"),),
    "scale": _STATUS,
}


def managed_fields_of(obj: StoredObject) -> Any:
    """The entries of an object that is tracked; None of one that is not."""
    return (obj.meta.extra or {}).get(FIELD)


def with_managed_fields(obj: StoredObject, entries: list[Json] | None) -> StoredObject:
    """The object with these entries, of which it becomes a holder; without any it is not tracked."""
    extra = {name: value for name, value in (obj.meta.extra or {}).items() if name != FIELD}
    if entries:
        extra[FIELD] = entries
    obj.meta = obj.meta.replace(extra=extra or None)
    return obj


class FieldManagers:
    """Keeps the managers of one cluster's objects."""

    __slots__ = ("_context",)

    def __init__(self, context: Context) -> None:
        self._context = context

    def shape_of(self, data: Json) -> Shape:
        """The shape of an object, by the tables or by its definition."""
        found = shape_of_kind(data["apiVersion"], data["kind"], self._context.release)
        return found or shape_of_custom(self._context.definitions.find_shape(data))

    # --- creates and updates ------------------------------------------------------------------------------

    def after_create(self, sent: Json, data: Json, options: WriteOptions) -> list[Json] | None:
        """The entries of a new object; None where it is not tracked.

        `sent`: without defaults. What admission adds to a pod belongs to nobody.
        """
        if not options.is_request:
            return None
        given = data["metadata"].get(FIELD)
        if data["kind"] == POD_KIND.name:
            added = _BY_ADMISSION - (sent.get("spec") or {}).keys()
            data = {**data, "spec": {name: one for name, one in data["spec"].items() if name not in added}}
        return self._updated({}, data, _read_or_none(given) or {}, options, "")

    def after_update(
        self, before: StoredObject, wanted: Json, given: Any, options: WriteOptions, subresource: str
    ) -> list[Json] | None:
        """The entries of a changed object. `given`: those that the request itself has, which count if sound.

        An object that is not tracked stays so, and one of which a client resets the managers becomes so.
        """
        known = _read_or_none(managed_fields_of(before)) or {}
        if not subresource:
            if is_reset(given):
                return None
            known = _read_or_none(given) or known
        if not known:
            return None
        return self._updated(before.to_json(self._epoch_ms), wanted, known, options, subresource)

    def _updated(
        self, current: Json, wanted: Json, managers: Managers, options: WriteOptions, subresource: str
    ) -> list[Json]:
        from ...rules.managed_fields.ownership import after_update
        from ...schema.typed.zeros import with_zeros

        head = {name: wanted[name] for name in ("apiVersion", "kind")}
        version, shape = wanted["apiVersion"], self.shape_of(wanted)
        before = with_zeros(_without_managers(current or head), shape)
        change = compare(before, with_zeros(_without_managers(wanted), shape), shape)
        writer = make_manager(options.manager, UPDATE, version, subresource)
        time = self._time()
        if subresource == "scale":
            # The manager of a size has the time it had as a manager of the object, as recorded.
            time = managers[writer].time if writer in managers else ""
        return write_managers(after_update(managers, change, writer, version, time))

    def _time(self) -> str:
        return format_time(self._context.clock.now_ms, self._epoch_ms)

    @property
    def _epoch_ms(self) -> int:
        return self._context.clock.epoch_ms

    # --- what the simulation itself writes ----------------------------------------------------------------

    def ascribe(self, old: StoredObject, new: StoredObject) -> None:
        """Ascribe a component's write to a tracked object, which is about to be kept.

        A client's write has its own entries by then. Bindings and deletions belong to nobody.
        """
        entries = managed_fields_of(new)
        if entries is None or entries is not managed_fields_of(old):
            return
        for subresource, manager, before, after in _list_parts(old, new, self._epoch_ms):
            options = WriteOptions(manager)
            known = _read_or_none(entries) or {}
            entries = self._updated(before, after, known, options, subresource)
        if entries != managed_fields_of(old):
            with_managed_fields(new, entries)

    # --- applies ------------------------------------------------------------------------------------------

    def apply(
        self, live: Json, applied: Json, options: WriteOptions, subresource: str, is_new: bool = False
    ) -> tuple[Json, list[Json]]:
        """The object that an apply makes of the live one, and its entries.

        A new object is applied over its bare name. Raises BadRequest, ApplyConflict, and Unknown for what is
        not of its shape.
        """
        from ...rules.managed_fields.ownership import (
            after_apply,
            describe_conflicts,
            find_conflicts,
            is_ignored,
            list_causes,
            without,
        )
        from ...schema.typed.applying import apply_over
        from ...schema.typed.zeros import without_empties

        self._require_applicable(live, applied)
        shape, version = self.shape_of(live), live["apiVersion"]
        managers = {} if is_new else self._known(live, shape)
        applier = make_manager(options.manager, APPLY, version, subresource)
        bare = without_empties(_without_managers(live), shape)
        left = self._not_written(live, subresource)
        stated = Share(without(set_of(applied, shape), left), version, self._time())
        merged = apply_over(bare, applied, shape, managers.get(applier), {**managers, applier: stated})
        merged = without_empties(merged, shape)
        change = compare(bare, merged, shape)
        found = find_conflicts(managers, change, applier)
        conflicts = [one for one in found if not is_ignored(one[1], left)]
        if conflicts and not options.is_forced:
            allowed = self._owned_by_kubectl(bare, shape) if applier.name == KUBECTL else NONE
            conflicts = conflicts if any(path not in allowed for _one, path in conflicts) else []
            conflicts = [one for one in conflicts if one[1] not in allowed]
            if conflicts:
                causes = list_causes(managers, conflicts)
                raise Conflict(describe_conflicts(managers, conflicts), causes=causes)
        after = after_apply(managers, change, applier, stated, is_new or not is_equal(bare, merged))
        return self._synced(merged, applied, options), write_managers(after)

    def apply_scale(self, current: Json, applied: Json, options: WriteOptions) -> tuple[Json, list[Json]]:
        """What an apply to /scale makes of an object: managers of its size are those of the Scale's.

        Raises as `apply` does.
        """
        path = self._context.definitions.find_replicas_path(current)
        at, version = path_to(*path), current["apiVersion"]
        managers = self._known(current, self.shape_of(current))
        sized = {
            manager: Share(_SIZE, SCALE_VERSION, share.time)
            for manager, share in managers.items()
            if at in share.fields
        }
        live = make_scale(current, path)
        live["metadata"][FIELD] = write_managers(sized)
        scale, entries = self.apply(live, applied, options, "scale")
        kept = read_managers(entries)
        for manager in sized.keys() - kept.keys():
            managers[manager] = Share(managers[manager].fields - {at}, version, managers[manager].time)
        applier = make_manager(options.manager, APPLY, version, "scale")
        if applier in kept and kept[applier].fields >= _SIZE:
            managers[applier] = Share(
                frozenset((at,)), version, sized[applier].time if applier in sized else ""
            )
        written = {name: managers[name] for name in managers if managers[name].fields}
        return with_scale(current, scale), write_managers(written)

    def _not_written(self, live: Json, subresource: str) -> Sequence[Path]:
        if subresource:
            return _NOT_WRITTEN.get(subresource, ())
        return _STATUS if self._context.definitions.has_status(live) else ()

    def _require_applicable(self, live: Json, applied: Json) -> None:
        version, kind = applied.get("apiVersion") or "", applied.get("kind") or ""
        if (version, kind) != (live["apiVersion"], live["kind"]):
            group, _, number = str(version).rpartition("/")
            raise BadRequest(f"invalid object type: {group}/{number}, Kind={kind}")
        meta = applied.get("metadata")
        if isinstance(meta, dict) and meta.get(FIELD) is not None:
            raise BadRequest("metadata.managedFields must be nil")
        try:
            require_typed(applied, self.shape_of(live))
        except TypedError as problem:
            raise Unknown(f"failed to create typed patch object ({_name(applied)}): {problem}") from problem

    def _known(self, live: Json, shape: Shape) -> Managers:
        """The managers of a live object; of one that is not tracked, those that it would have."""
        from ...rules.managed_fields.ownership import without
        from ...schema.typed.zeros import with_zeros

        known = _read_or_none(live["metadata"].get(FIELD))
        if known:
            return known
        bare = _without_managers(live)
        head = {name: live[name] for name in ("apiVersion", "kind")}
        change = compare(with_zeros(head, shape), with_zeros(bare, shape), shape)
        applied, managers = self._owned_by_kubectl(bare, shape), {}
        for name, fields in ((CLIENT_SIDE_APPLY, applied), (BEFORE_FIRST_APPLY, change.written - applied)):
            owned = without(fields, ())
            if owned:
                writer = make_manager(name, UPDATE, live["apiVersion"], "")
                managers[writer] = Share(owned, live["apiVersion"], self._time())
        return managers

    def _owned_by_kubectl(self, live: Json, shape: Shape) -> FieldSet:
        """What `kubectl apply` set on the client's side, and is still so."""
        text = (live["metadata"].get("annotations") or {}).get(LAST_APPLIED)
        try:
            last = read_json(text) if text else None
        except ValueError:
            last = None
        if not isinstance(last, dict) or last.get("apiVersion") != live["apiVersion"]:
            return NONE
        change = compare(last, live, shape)
        return set_of(last, shape) - change.written - change.removed

    def _synced(self, merged: Json, applied: Json, options: WriteOptions) -> Json:
        """The object, what `kubectl apply` remembers being up to date, if it remembers anything."""
        annotations = (merged.get("metadata") or {}).get("annotations") or {}
        if options.manager != KUBECTL or not annotations.get(LAST_APPLIED):
            return merged
        remembering = with_last_applied(applied, is_by_kubectl=False)
        remembered = remembering["metadata"]["annotations"].get(LAST_APPLIED, "")
        meta = {**merged["metadata"], "annotations": {**annotations, LAST_APPLIED: remembered}}
        return {**merged, "metadata": meta}


def _list_parts(old: StoredObject, new: StoredObject, epoch_ms: int) -> list[tuple[str, str, Json, Json]]:
    """(subresource, manager, before, after) of each part of an object that a component changed."""
    kind, parts = new.kind, []
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    is_end = old.meta.deletion_ms is None and new.meta.deletion_ms is not None
    is_bound = isinstance(old, Pod) and isinstance(new, Pod) and old.node_name != new.node_name
    if is_end or is_bound:
        return []
    if old.meta is not new.meta or old.spec is not new.spec:
        before, after = (
            {**head, "metadata": _owned_metadata(one), "spec": one.spec_json(epoch_ms)} for one in (old, new)
        )
        parts.append((_find_part(old, new, before, after), CONTROLLER_MANAGER, before, after))
    if old.status is not new.status:
        before, after = ({**head, "status": one.status_json(epoch_ms) or {}} for one in (old, new))
        parts.append(("status", _find_reporter(new), before, after))
    return parts


def _find_part(old: StoredObject, new: StoredObject, before: Json, after: Json) -> str:
    """The subresource by which a controller writes: a Deployment's revision goes with its status."""
    kind = new.kind.id
    if kind == "Deployment" and old.spec is new.spec:
        return "status"
    return "scale" if kind in _SIZED and not new.meta.controller and _differ_in_size(before, after) else ""


def _owned_metadata(obj: StoredObject) -> Json:
    meta = obj.meta
    data = {"labels": meta.labels, "annotations": meta.annotations, "finalizers": list(meta.finalizers)}
    owners = [reference.to_json() for reference in meta.owner_references]
    return {name: value for name, value in (*data.items(), ("ownerReferences", owners)) if value}


def _differ_in_size(before: Json, after: Json) -> bool:
    sizes = [(one["spec"] or {}).get("replicas") for one in (before, after)]
    return sizes[0] != sizes[1]


def _find_reporter(new: StoredObject) -> str:
    """Which component writes the status of a kind; of a pod that has no node the scheduler."""
    if isinstance(new, Pod):
        return KUBELET if new.node_name else SCHEDULER
    if new.kind.id == DEFINITION:
        return API_SERVER
    return KUBELET if new.kind.id == NODE_KIND.id else CONTROLLER_MANAGER


def _read_or_none(entries: Any) -> Managers | None:
    """Managers that can be read; what a client made up is none."""
    try:
        return read_managers(entries)
    except ValueError:
        return None


def _without_managers(data: Json) -> Json:
    meta = data.get("metadata")
    if not isinstance(meta, dict) or FIELD not in meta:
        return data
    return {**data, "metadata": {name: value for name, value in meta.items() if name != FIELD}}


def _name(applied: Json) -> str:
    """An object as failed applies name it: namespace/name; version, Kind=…"""
    meta = applied.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    names = (meta.get("namespace"), meta.get("name"))
    namespace, name = (one if isinstance(one, str) else "" for one in names)
    group, _, version = str(applied.get("apiVersion")).rpartition("/")
    return f"{namespace}/{name}; {group}/{version}, Kind={applied.get('kind')}"

"""Carrying out commands: each becomes writes through the API server, or an error that says why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .api.commands import VERSION, Command
from .api.context import Context
from .api.patches import apply_patch, json_patch, merge_patch, strategic_merge_patch, with_last_applied
from .api.server import ApiServer
from .controllers.deployment.decide.revisions import UndoError, decide_undo
from .heart.errors import BadRequest, NotFound
from .objects.condition import Condition, with_condition
from .objects.deployment import Deployment
from .objects.kinds import KINDS
from .objects.meta import StoredObject
from .objects.pod import Pod
from .objects.replica_set import ReplicaSet
from .objects.times import format_time

Payload = dict[str, Any]
_SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_TEMPLATED = (*_SCALABLE, "DaemonSet")


class CommandHandlers:
    """One method a kind. Each returns the code and the object the answer shows."""

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._context = context
        self._api = api
        self._store = context.store
        self._handlers: dict[str, Callable[[Payload], tuple[int, StoredObject]]] = {
            "create": self._create,
            "apply": self._apply,
            "replace": self._replace,
            "patch": self._patch,
            "delete": self._delete,
            "scale": self._scale,
            "setImage": self._set_image,
            "rollout": self._rollout,
            "evict": self._evict,
            "cordon": lambda payload: self._cordon(payload, True),
            "uncordon": lambda payload: self._cordon(payload, False),
            "taint": self._taint,
        }

    def add(self, kind: str, handler: Callable[[Payload], tuple[int, StoredObject]]) -> None:
        """Have another part carry out a kind of command."""
        self._handlers[kind] = handler

    def run(self, command: Command) -> tuple[int, StoredObject]:
        """Carry a command out. Raises ApiError."""
        if command.version > VERSION:
            raise BadRequest(f"command version {command.version}: this engine reads up to {VERSION}")
        handler = self._handlers.get(command.kind)
        if handler is None:
            raise BadRequest(
                f"unknown command {command.kind!r}; use one of {', '.join(sorted(self._handlers))}"
            )
        return handler(command.payload)

    # --- finding ----------------------------------------------------------------------------------------

    def _find(self, payload: Payload, kind: str | None = None) -> StoredObject:
        kind = kind or str(payload.get("kind") or "")
        known = KINDS.get(kind)
        name = payload.get("name")
        if not kind or not name:
            raise BadRequest("kind and name are required")
        namespaced = known is None or known.namespaced
        return self._store.require(
            kind, (payload.get("namespace") or "default") if namespaced else "", str(name)
        )

    def _object(self, payload: Payload) -> Payload:
        data = payload.get("object")
        if not isinstance(data, dict):
            raise BadRequest("object: an object's JSON is required")
        if not all(data.get(field) and isinstance(data[field], str) for field in ("apiVersion", "kind")):
            raise BadRequest("object: apiVersion and kind are required")
        return self._api.decode(data)

    def _existing(self, data: Payload) -> StoredObject | None:
        known = KINDS.get(data["kind"])
        meta = data.get("metadata") or {}
        namespaced = known is None or known.namespaced
        namespace = (meta.get("namespace") or "default") if namespaced else ""
        return self._store.get(data["kind"], namespace, meta.get("name") or "")

    # --- writes -----------------------------------------------------------------------------------------

    def _create(self, payload: Payload) -> tuple[int, StoredObject]:
        return 201, self._api.create_json(self._object(payload))

    def _apply(self, payload: Payload) -> tuple[int, StoredObject]:
        data = self._object(payload)
        old = self._existing(data)
        if old is None:
            return 201, self._api.create_json(with_last_applied(data))
        current = old.to_json(self._context.clock.epoch_ms)
        merged = apply_patch(current, data)
        merged["metadata"].pop("resourceVersion", None)
        return 200, self._api.update_json(old, merged)

    def _replace(self, payload: Payload) -> tuple[int, StoredObject]:
        data = self._object(payload)
        old = self._existing(data)
        if old is None:
            name = (data.get("metadata") or {}).get("name", "")
            raise NotFound(f'{data["kind"]} "{name}" not found', data["kind"], name)
        return 200, self._api.update_json(old, data, payload.get("subresource"))

    def _patch(self, payload: Payload) -> tuple[int, StoredObject]:
        old = self._find(payload)
        subresource = payload.get("subresource")
        current = old.to_json(self._context.clock.epoch_ms)
        patch, how = payload.get("patch"), payload.get("type") or "strategic"
        if subresource == "scale":
            spec = patch.get("spec") if isinstance(patch, dict) else None
            replicas = spec.get("replicas") if isinstance(spec, dict) else None
            return self._scale({**payload, "replicas": replicas})
        changed = self._patched(current, patch, how)
        if "resourceVersion" not in _meta_of(patch):
            _meta_of(changed).pop("resourceVersion", None)
        return 200, self._api.update_json(old, changed, subresource)

    def _patched(self, current: Payload, patch: Any, how: str) -> Payload:
        if how == "json":
            return dict(json_patch(current, patch))
        if not isinstance(patch, dict):
            raise BadRequest(f"patch: a {how} patch is a map such as {{spec: {{replicas: 3}}}}")
        if how == "merge":
            return dict(merge_patch(current, patch))
        if how in ("strategic", "apply"):
            return dict(strategic_merge_patch(current, patch))
        raise BadRequest(f"patch type {how!r}: use merge, strategic, json or apply")

    def _delete(self, payload: Payload) -> tuple[int, StoredObject]:
        removed = self._api.delete(
            self._find(payload),
            grace_seconds=_read_grace(payload),
            propagation=payload.get("propagationPolicy"),
            has_options=payload.get("options") is not False,
        )
        return 200, removed

    def _evict(self, payload: Payload) -> tuple[int, StoredObject]:
        """The eviction API: the pod is told why it goes before it is deleted (COND-15)."""
        pod, seconds = self._find(payload, "Pod"), _read_grace(payload)
        assert isinstance(pod, Pod), "it was asked for by kind"
        why = Condition(
            "DisruptionTarget",
            "True",
            "EvictionByEvictionAPI",
            "Eviction API: evicting",
            self._context.clock.now_ms,
        )
        told = pod.with_status(pod.status.replace(conditions=with_condition(pod.status.conditions, why)))
        self._store.update(pod, told)
        return 200, self._api.delete_pod(told, seconds)

    # --- workloads --------------------------------------------------------------------------------------

    def _change_spec(self, old: StoredObject, change: Callable[[Payload], None]) -> tuple[int, StoredObject]:
        data = json.loads(json.dumps(old.to_json(self._context.clock.epoch_ms)))
        data["metadata"].pop("resourceVersion", None)
        change(data)
        return 200, self._api.update_json(old, data)

    def _scale(self, payload: Payload) -> tuple[int, StoredObject]:
        old = self._find(payload)
        replicas = payload.get("replicas")
        if old.kind.name not in _SCALABLE:
            raise BadRequest(
                f"{old.kind.name} {old.meta.name}: has no size; scale one of {', '.join(_SCALABLE)}"
            )
        if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
            raise BadRequest(f"replicas {replicas!r}: use a whole number, 0 or more")
        return self._change_spec(old, lambda data: data["spec"].update(replicas=replicas))

    def _set_image(self, payload: Payload) -> tuple[int, StoredObject]:
        old = self._find(payload)
        name, image = payload.get("container"), payload.get("image")
        if not isinstance(image, str) or not image:
            raise BadRequest("image: the new image is required, such as nginx:1.27")

        def change(data: Payload) -> None:
            spec = data["spec"] if old.kind.name == "Pod" else data["spec"]["template"]["spec"]
            containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
            found = [one for one in containers if name in ("*", None) or one.get("name") == name]
            if not found:
                names = ", ".join(str(one.get("name")) for one in containers)
                raise BadRequest(f'{old.kind.name} {old.meta.name}: no container "{name}"; it has {names}')
            for one in found:
                one["image"] = image

        if old.kind.name != "Pod" and old.kind.name not in _TEMPLATED:
            raise BadRequest(f"{old.kind.name} {old.meta.name}: has no pod template")
        return self._change_spec(old, change)

    def _rollout(self, payload: Payload) -> tuple[int, StoredObject]:
        old = self._find(payload)
        action = payload.get("action")
        if old.kind.name not in _TEMPLATED:
            raise BadRequest(f"{old.kind.name} {old.meta.name}: has no rollout")
        if action == "restart":
            now = format_time(self._context.clock.now_ms, self._context.clock.epoch_ms)
            return self._change_spec(old, lambda data: _stamp(data, now))
        if action in ("pause", "resume"):
            return self._change_spec(old, lambda data: data["spec"].update(paused=action == "pause"))
        if action == "undo":
            return self._undo(old, payload.get("toRevision") or 0)
        raise BadRequest(f"rollout action {action!r}: use restart, pause, resume or undo")

    def _undo(self, old: StoredObject, to_revision: int) -> tuple[int, StoredObject]:
        if not isinstance(old, Deployment):
            raise BadRequest(f"{old.kind.name} {old.meta.name}: only a Deployment's rollout is undone here")
        uid = old.meta.uid
        children = map(self._store.find, self._store.index.children.get(uid, ()))
        sets = [one for one in children if isinstance(one, ReplicaSet)]
        try:
            undo = decide_undo(old, sets, to_revision)
        except UndoError as problem:
            raise BadRequest(f"deployment {old.meta.name}: {problem}") from problem
        if undo.template is None:
            return 200, old
        template, annotations = undo.template, undo.annotations

        def change(data: Payload) -> None:
            data["spec"]["template"] = json.loads(json.dumps(template.raw))
            data["metadata"]["annotations"] = dict(annotations or {})

        return self._change_spec(old, change)

    # --- nodes ------------------------------------------------------------------------------------------

    def _node(self, payload: Payload) -> StoredObject:
        return self._store.require("Node", "", str(payload.get("node") or payload.get("name") or ""))

    def _cordon(self, payload: Payload, is_cordoned: bool) -> tuple[int, StoredObject]:
        def change(data: Payload) -> None:
            spec = data.setdefault("spec", {})
            spec.pop("unschedulable", None)
            if is_cordoned:
                spec["unschedulable"] = True

        return self._change_spec(self._node(payload), change)

    def _taint(self, payload: Payload) -> tuple[int, StoredObject]:
        taints = payload.get("taints")
        if not isinstance(taints, list):
            raise BadRequest("taints: a list of {key, value, effect} is required")
        return self._change_spec(self._node(payload), lambda data: data["spec"].update(taints=taints))


def _read_grace(payload: Payload) -> int | None:
    """The seconds a pod is given to end; None: its own."""
    seconds = payload.get("gracePeriodSeconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int)):
        raise BadRequest(f"gracePeriodSeconds {seconds!r}: use a whole number of seconds")
    if seconds is None:
        return 0 if payload.get("force") else None
    # kubectl asks for 1 when told 0 without --force (FORCE-03).
    return 1 if seconds == 0 and not payload.get("force") else seconds


def _meta_of(patch: Any) -> Payload:
    meta = patch.get("metadata") if isinstance(patch, dict) else None
    return meta if isinstance(meta, dict) else {}


def _stamp(data: Payload, now: str) -> None:
    meta = data["spec"]["template"].setdefault("metadata", {})
    meta.setdefault("annotations", {})
    meta["annotations"] = {**(meta["annotations"] or {}), "kubectl.kubernetes.io/restartedAt": now}

"""`kubectl rollout`: restart, pause, resume, undo."""

from __future__ import annotations

import json

from ..controllers.deployment.decide.revisions import UndoError, decide_undo
from ..heart.errors import BadRequest
from ..objects.deployment import Deployment
from ..objects.meta import StoredObject
from ..objects.replica_set import ReplicaSet
from ..objects.times import format_time
from .client import Answer, Client, Payload
from .set_image import TEMPLATED

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


def rollout(client: Client, payload: Payload) -> Answer:
    """One of the actions on a workload's rollout. Raises ApiError."""
    old, action = client.find(payload), payload["action"]
    if old.kind.name not in TEMPLATED:
        raise BadRequest(f"{old.kind.name} {old.meta.name}: has no rollout")
    match action:
        case "restart":
            return _restart(client, old)
        case "undo":
            return _undo(client, old, payload.get("toRevision") or 0)
    return client.change(old, lambda data: data["spec"].update(paused=action == "pause"))


def _restart(client: Client, old: StoredObject) -> Answer:
    """New pods for old ones: the template is stamped with the time, and so is another one."""
    now = format_time(client.clock.now_ms, client.clock.epoch_ms)

    def stamp(data: Payload) -> None:
        meta = data["spec"]["template"].setdefault("metadata", {})
        meta["annotations"] = {**(meta.get("annotations") or {}), RESTARTED_AT: now}

    return client.change(old, stamp)


def _undo(client: Client, old: StoredObject, to_revision: int) -> Answer:
    """Back to the template of a former revision; 0: of the one before."""
    if not isinstance(old, Deployment):
        raise BadRequest(f"{old.kind.name} {old.meta.name}: only a Deployment's rollout is undone here")
    children = map(client.store.find, client.store.index.children.get(old.meta.uid, ()))
    sets = [one for one in children if isinstance(one, ReplicaSet)]
    try:
        undo = decide_undo(old, sets, to_revision)
    except UndoError as problem:
        raise BadRequest(f"deployment {old.meta.name}: {problem}") from problem
    if undo.template is None:
        return 200, old
    template, annotations = undo.template, undo.annotations

    def restore(data: Payload) -> None:
        data["spec"]["template"] = json.loads(json.dumps(template.raw))
        data["metadata"]["annotations"] = dict(annotations or {})

    return client.change(old, restore)

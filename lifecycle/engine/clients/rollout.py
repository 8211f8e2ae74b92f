"""`kubectl rollout`: restart, pause, resume, undo."""

from __future__ import annotations

import json
from functools import reduce
from operator import getitem

from ..controllers.deployment.decide.revisions import decide_undo
from ..heart.errors import BadRequest
from ..kinds.entry import PAUSE, RESTART, UNDO
from ..kinds.registry import entry_of
from ..objects.meta import StoredObject
from ..objects.names import RESTARTED_AT
from ..objects.selector import Selector
from ..objects.times import format_time
from ..objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision
from ..objects.workloads.deployment import Deployment
from ..objects.workloads.replica_set import ReplicaSet
from ..objects.workloads.workload import Workload
from ..rules.workloads.revisions import UndoError, find_restored
from .client import Answer, Client, Payload


def rollout(client: Client, payload: Payload) -> Answer:
    """One of the actions on a workload's rollout. Raises ApiError."""
    old, action = client.find(payload), payload["action"]
    can = entry_of(old.kind).rollout
    if action not in can:
        what = f"cannot {action}, only {' or '.join(can)}" if can else "has no rollout"
        raise BadRequest(f"{old.kind.name} {old.meta.name}: {what}")
    if action == UNDO:
        return _undo(client, old, payload.get("toRevision") or 0)
    problem = _find_problem(old, action)
    if problem:
        # kubectl's own words.
        raise BadRequest(f'{old.kind.resource} "{old.meta.name}" {problem}')
    if action == RESTART:
        return _restart(client, old)
    return client.change(old, lambda data: data["spec"].update(paused=action == PAUSE))


def _find_problem(old: StoredObject, action: str) -> str:
    """Why kubectl asks the API server for nothing; "" when it does."""
    is_paused = isinstance(old, Deployment) and old.spec.paused
    if action == RESTART:
        return "can't restart paused deployment (run rollout resume first)" if is_paused else ""
    if action == PAUSE:
        return "is already paused" if is_paused else ""
    return "" if is_paused else "is not paused"


def _restart(client: Client, old: StoredObject) -> Answer:
    """New pods for old ones: the template is stamped with the time, and so is another one."""
    now = format_time(client.clock.now_ms, client.clock.epoch_ms)

    def stamp(data: Payload) -> None:
        template = reduce(getitem, entry_of(old.kind).pod_spec_path[:-1], data)
        meta = template.setdefault("metadata", {})
        meta["annotations"] = {**(meta.get("annotations") or {}), RESTARTED_AT: now}

    return client.change(old, stamp)


def _undo(client: Client, old: StoredObject, to_revision: int) -> Answer:
    """Back to the template of a former revision; 0: of the one before."""
    try:
        if isinstance(old, Deployment):
            return _undo_to_replica_set(client, old, to_revision)
        assert isinstance(old, Workload), old.key
        return _undo_to_revision(client, old, to_revision)
    except UndoError as problem:
        # kubectl's own words, and nothing else.
        raise BadRequest(str(problem)) from problem


def _undo_to_replica_set(client: Client, old: Deployment, to_revision: int) -> Answer:
    children = map(client.store.find, client.store.index.children.get(old.meta.uid, ()))
    sets = [one for one in children if isinstance(one, ReplicaSet)]
    undo = decide_undo(old, sets, to_revision)
    if undo.template is None:
        return 200, old
    template, annotations = undo.template, undo.annotations

    def restore(data: Payload) -> None:
        data["spec"]["template"] = json.loads(json.dumps(template.raw))
        data["metadata"]["annotations"] = dict(annotations or {})

    return client.change(old, restore)


def _undo_to_revision(client: Client, old: Workload, to_revision: int) -> Answer:
    """A ControllerRevision is the very patch that restores its owner (KCTL-20)."""
    selector = Selector(old.spec.raw.get("selector"))
    history = [
        one
        for one in client.store.list(CONTROLLER_REVISION_KIND.id, old.meta.namespace)
        if isinstance(one, ControllerRevision)
        and one.meta.controller is not None
        and one.meta.controller.uid == old.meta.uid
        and selector.matches(one.meta.labels)
    ]
    present = old.spec.template.patch_text
    restored = find_restored(history, to_revision, present, client.clock.epoch_ms)
    if restored is None:
        return 200, old
    return 200, client.api.patch(old, restored.data, "strategic", options=client.options)

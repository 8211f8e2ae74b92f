"""Doing what was decided: one action, one write, no second thoughts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api.admission.namespaces import is_namespace_ending
from ..api.context import Context
from ..api.server import ApiServer
from ..api.template_cache import TemplateCache
from ..heart.errors import AlreadyExists, ApiError
from ..objects.meta import StoredObject
from ..objects.names import FAILED_CREATE
from ..rules.actions import (
    Action,
    Create,
    CreateJson,
    CreatePod,
    Delete,
    DeletePod,
    Evict,
    Patch,
    RecordEvent,
    RemoveFinalizer,
    Scale,
    Update,
)

Act = Callable[[Action], None]
"""Does one action. Raises ApiError when the API server refuses it."""


class Actor:
    """Does actions. Raises ApiError when the API server refuses one."""

    __slots__ = ("_api", "_loop", "_store", "_templates", "_trace", "_ways")

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._api = api
        self._templates = TemplateCache()
        self._loop = context.loop
        self._trace = context.trace
        self._store = context.store
        self._ways: dict[type[Any], Callable[[Any], object]] = {
            CreatePod: self._create_pod,
            Update: self._update,
            RecordEvent: self._record,
            DeletePod: self._delete_pod,
            RemoveFinalizer: self._remove_finalizer,
            Create: self._create,
            CreateJson: self._create_json,
            Evict: self._evict,
            Scale: self._scale,
            Patch: self._patch,
            Delete: self._delete,
        }

    def act(self, action: Action) -> None:
        """Do one action."""
        self._loop.writes += 1
        self._ways[type(action)](action)

    def _update(self, action: Update) -> None:
        self._api.update(action.new)

    def _remove_finalizer(self, action: RemoveFinalizer) -> None:
        self._api.remove_finalizer(action.pod, action.finalizer)

    def _create(self, action: Create) -> None:
        self._api.create(action.new)

    def _evict(self, action: Evict) -> None:
        self._api.evict(action.pod)

    def _scale(self, action: Scale) -> None:
        self._api.patch(action.old, {"spec": {"replicas": action.replicas}}, "merge", "scale")

    def _patch(self, action: Patch) -> None:
        self._api.patch(action.old, action.patch, "strategic")

    def _delete(self, action: Delete) -> None:
        self._api.delete(action.old, propagation=action.propagation)

    def _record(self, action: RecordEvent) -> None:
        # Of what is gone nobody counts any more how often something was said.
        is_there = self._store.find(action.about.meta.uid) is not None
        tell = self._trace.event if is_there else self._trace.plain_event
        tell(action.about.subject, action.event_type, action.reason, action.message, action.source)

    def _create_pod(self, action: CreatePod) -> None:
        """As Kubernetes' pod control: the owner says what became of it."""
        owner, source, words = action.owner, action.source, action.words
        try:
            pod = self._api.create_pod(action)
        except ApiError as refusal:
            self._tell_refused(owner, words.refused if words else "Error creating: ", refusal, source)
            raise
        created = words.created if words else f"Created pod: {pod.meta.name}"
        self._tell(owner, "Normal", "SuccessfulCreate", created, source)

    def _create_json(self, action: CreateJson) -> None:
        try:
            self._api.create_json(action.data, cached=self._templates.of(action.owner, action.data))
        except ApiError as refusal:
            self._tell_refused(action.owner, action.words.refused, refusal, action.source)
            raise
        self._tell(action.owner, "Normal", "SuccessfulCreate", action.words.created, action.source)

    def _tell_refused(self, owner: StoredObject, words: str, refusal: ApiError, source: str) -> None:
        # In a namespace that goes nothing can be made, and a name that is taken is tried again in silence.
        if not is_namespace_ending(refusal) and not isinstance(refusal, AlreadyExists):
            self._tell(owner, "Warning", FAILED_CREATE, f"{words}{refusal.message}", source)

    def _delete_pod(self, action: DeletePod) -> None:
        """By its uid: the pod may have changed since it was looked at."""
        pod = self._store.pods.get(action.pod.meta.uid)
        if pod is None:
            return
        self._api.delete_pod(pod, action.grace_seconds)
        if action.owner is not None:
            message = f"Deleted pod: {pod.meta.name}"
            self._tell(action.owner, "Normal", "SuccessfulDelete", message, action.source)

    def _tell(self, owner: StoredObject, event_type: str, reason: str, message: str, source: str) -> None:
        if source:
            self._trace.event(owner.subject, event_type, reason, message, source)

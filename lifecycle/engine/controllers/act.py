"""Doing what was decided: one action, one write, no second thoughts."""

from __future__ import annotations

from ..api.context import Context
from ..api.server import ApiServer
from ..rules.actions import Action, Create, CreatePod, Delete, DeletePod, RecheckAt, RecordEvent, Update


class Actor:
    """Does actions. Raises ApiError when the API server refuses one."""

    __slots__ = ("_api", "_trace")

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._api = api
        self._trace = context.trace

    def act(self, action: Action) -> None:
        """Do one action."""
        match action:
            case CreatePod():
                pod = self._api.create_pod(action)
                self._trace.event(
                    action.owner.subject,
                    "Normal",
                    "SuccessfulCreate",
                    f"Created pod: {pod.meta.name}",
                    action.source,
                )
            case Update():
                self._api.update(action.new)
            case RecordEvent():
                self._trace.event(
                    action.about.subject, action.event_type, action.reason, action.message, action.source
                )
            case DeletePod():
                self._api.delete_pod(action.pod)
                if action.owner is not None:
                    self._trace.event(
                        action.owner.subject,
                        "Normal",
                        "SuccessfulDelete",
                        f"Deleted pod: {action.pod.meta.name}",
                        action.source,
                    )
            case Create():
                self._api.create(action.new)
            case Delete():
                self._api.delete(action.old, propagation=action.propagation)
            case RecheckAt():
                raise AssertionError("a controller looks again by itself")

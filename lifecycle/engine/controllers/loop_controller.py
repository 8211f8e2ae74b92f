"""What all controllers have in common: a queue of keys, the object that a key is about, a look at it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ..api.context import Context
from ..heart.timing import QUEUE_BASE_MS, QUEUE_MAX_MS
from ..objects.meta import StoredObject
from ..rules.actions import Action
from .act import Act


class LoopController(ABC):
    """Keys are objects of `kind`, unless a controller says what else they are.

    It is registered with the loop when it is made, and listens to what concerns it after that.
    """

    name: str
    source: str
    """How the loop calls it, and how its events do."""
    kind = ""
    gathers: str | None = None
    """The latency for which changes are gathered before a look; None: a look follows at once."""
    retry_ms = (QUEUE_MAX_MS, QUEUE_BASE_MS)
    """Cap and first delay of the work queue's retries."""

    def __init__(self, context: Context, act: Act) -> None:
        self._context, self._store, self._act = context, context.store, act
        context.loop.register(self.name, self.sync, self.gathers, self.retry_ms)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The object that a key is about, if it is there."""
        return self._store.get(self.kind, namespace, name)

    def restore(self) -> None:  # noqa: B027 - most derive nothing
        """Build what is derived from the store again, after a cluster was loaded."""

    def begin_anew(self) -> None:  # noqa: B027 - to most it does not matter
        """Its process was started anew, and has heard of nothing yet."""

    @abstractmethod
    def sync(self, namespace: str, name: str) -> None:
        """Look at one key."""

    def _enqueue_object(self, one: StoredObject) -> None:
        """Look at an object soon."""
        self._context.loop.enqueue(self.name, one.meta.namespace or "", one.meta.name)

    def _do(self, actions: Iterable[Action]) -> None:
        for action in actions:
            self._act(action)


def tell_hot_keys(context: Context, controllers: Iterable[LoopController]) -> None:
    """From now on have an event say of which object a controller looks at again and again."""
    by_name = {one.name: one for one in controllers}

    def tell(key: tuple[str, str, str], delay_ms: int) -> None:
        controller = by_name.get(key[0])
        if controller is not None and (found := controller.find(key[1], key[2])) is not None:
            message = f"looked at more than 100 times within one instant; again in {delay_ms} ms"
            context.trace.event(found.subject, "Warning", "SyncBackOff", message, controller.source)

    context.loop.on_hot_key = tell


class Remembering(ABC):
    """A controller that knows more than the objects say: it is saved with the cluster, by its name."""

    @abstractmethod
    def save(self) -> Any:
        """Plain data."""

    @abstractmethod
    def load(self, data: Any) -> None:
        """Go on from what `save` described, or an older engine did; None: from nothing."""

"""What all controllers have in common: a queue of keys, the object that a key is about, a look at it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ..api.context import Context
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

    def __init__(self, context: Context, act: Act) -> None:
        self._context, self._store, self._act = context, context.store, act
        context.loop.register(self.name, self.sync, self.gathers)

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


class Remembering(ABC):
    """A controller that knows more than the objects say: it is saved with the cluster, by its name."""

    @abstractmethod
    def save(self) -> Any:
        """Plain data."""

    @abstractmethod
    def load(self, data: Any) -> None:
        """Go on from what `save` described, or an older engine did; None: from nothing."""

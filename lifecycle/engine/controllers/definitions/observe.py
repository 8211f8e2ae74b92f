"""Seeing definitions that are new, changed or going, and the objects of their kinds."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.names import DEFINITION
from ...objects.times import format_time
from ...rules.custom_resources.definition import read_definition
from ..act import Act
from ..loop_controller import LoopController

POLL_MS = 5_000


class DefinitionController(LoopController):
    """Keys are names of definitions."""

    name, kind, source = "definitions", DEFINITION, "customresourcedefinition-controller"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen(self.kind, self._on_definition)

    def _on_definition(self, old: StoredObject | None, new: StoredObject | None) -> None:
        one = new or old
        assert one is not None, "somebody was written"
        if new is not None:
            self._context.loop.enqueue(self.name, "", new.meta.name)
        if new is None or (old is not None and _granted(old) != _granted(new)):
            # A name may be free again: whoever waits for it looks.
            for other in self._others(one):
                self._context.loop.enqueue(self.name, "", other.meta.name)

    def _others(self, one: StoredObject) -> list[StoredObject]:
        group, uid = one.spec["group"], one.meta.uid
        found = self._store.list(self.kind)
        return [other for other in found if other.spec["group"] == group and other.meta.uid != uid]

    def sync(self, _namespace: str, name: str) -> None:
        """Name a definition, establish it, or end it."""
        from .decide import decide_established, decide_names, is_ending, list_taken

        definition, clock = self.find("", name), self._context.clock
        if definition is None:
            return
        now = format_time(clock.now_ms, clock.epoch_ms)
        if is_ending(definition):
            self._end(definition, now)
            return
        self._do(decide_names(definition, list_taken(self._others(definition)), now))
        named = self.find("", name)
        assert named is not None, "to be named is not to be deleted"
        self._do(decide_established(named, now))

    def _end(self, definition: StoredObject, now: str) -> None:
        from .decide import decide_deletions, decide_end

        kind = read_definition(definition.spec).kind_id
        self._do(decide_deletions(definition, list(self._store.list(kind)), now))
        if self._store.count(kind):
            due_ms = self._context.clock.now_ms + POLL_MS
            self._context.loop.enqueue_at(self.name, "", definition.meta.name, due_ms, False)
            return
        emptied = self.find("", definition.meta.name)
        assert emptied is not None, "its finalizer keeps it"
        self._act(decide_end(emptied, now))


def _granted(definition: StoredObject) -> object:
    return (definition.status or {}).get("acceptedNames")

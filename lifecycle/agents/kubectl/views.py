"""What is seen of a cluster: its objects as kubectl gets them, its events, its logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.objects.kinds import Kind
from lifecycle.lean_dataclasses import dataclass

Json = dict[str, Any]


class History(Protocol):
    """What an engine does not keep of its past."""

    def list_events(self) -> Sequence[Mapping[str, Any]]:
        """The events as rows of the trace, the last of each series, with `last_ms` and `count` as of now."""
        ...

    def read_log(self, uid: str, container: str, attempt: int) -> Sequence[str]:
        """The lines of a container's run, the oldest first; `attempt` counts from 0."""
        ...


def is_everything(kind: Kind) -> bool:
    """Nothing is hidden."""
    return True


@dataclass(frozen=True, slots=True)
class View:
    """A cluster as somebody sees it. `shows`: which kinds; `hidden`: how annotations begin that are not."""

    engine: Engine
    history: History
    shows: Callable[[Kind], bool] = is_everything
    hidden: str = ""

    def get(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """One object; None where there is none."""
        if not self.shows(kind):
            return None
        found = self.engine.get(kind.id, namespace if kind.namespaced else None, name)
        return None if found is None else self._clear(found)

    def list(self, kind: Kind, namespace: str | None) -> Sequence[Json]:
        """All of a kind, by namespace and name as an API server lists them."""
        if not self.shows(kind):
            return []
        found = self.engine.list(kind.id, namespace if kind.namespaced else None)
        ordered = sorted(
            found, key=lambda one: (one["metadata"].get("namespace") or "", one["metadata"]["name"])
        )
        return [self._clear(one) for one in ordered]

    def _clear(self, data: Json) -> Json:
        """Without what is hidden, and without what kubectl does not print."""
        found: Json = json.loads(json.dumps(data))
        found["metadata"].pop("managedFields", None)
        places = [found["metadata"], ((found.get("spec") or {}).get("template") or {}).get("metadata") or {}]
        for meta in places if self.hidden else ():
            kept = {
                key: value
                for key, value in (meta.get("annotations") or {}).items()
                if not key.startswith(self.hidden)
            }
            if "annotations" in meta:
                meta["annotations"] = kept
        return found

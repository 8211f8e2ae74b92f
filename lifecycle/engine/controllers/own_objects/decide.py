"""What is missing of a namespace's own objects, and what of them is not as it should be."""

from __future__ import annotations

from collections.abc import Iterable

from ...objects.meta import StoredObject
from ...rules.actions import Action, Create, Update


def decide_own(pairs: Iterable[tuple[StoredObject, StoredObject | None]]) -> list[Action]:
    """For each object as it should be and as it is: make the missing, put right a ConfigMap's data.

    Of an account only that it is there matters. Annotations are added to those that are there, never dropped.
    """
    actions: list[Action] = []
    for wanted, found in pairs:
        if found is None:
            actions.append(Create(wanted))
        elif wanted.extra and (found.extra or {}).get("data") != wanted.extra.get("data"):
            meta = found.meta.replace(annotations={**found.meta.annotations, **wanted.meta.annotations})
            actions.append(Update(found.replace(meta=meta, extra={**(found.extra or {}), **wanted.extra})))
    return actions

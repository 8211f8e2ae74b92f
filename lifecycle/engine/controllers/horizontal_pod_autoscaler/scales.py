"""What /scale tells of an object: read from the kinds that have a size."""

from __future__ import annotations

from typing import Any

from ...heart.errors import NotFound
from ...kinds.registry import entry_of
from ...objects.kinds import kind_for
from ...objects.meta import Key, StoredObject
from ...objects.selector import Selector
from ...rules.workload_columns import selector_text
from ...store.store import Store
from .decide import Scale

NO_SUBRESOURCE = "the server could not find the requested resource"


def target_key(autoscaler: StoredObject) -> Key:
    """The key of what an autoscaler scales."""
    reference = (autoscaler.spec or {}).get("scaleTargetRef") or {}
    kind = kind_for(str(reference.get("apiVersion") or ""), str(reference.get("kind") or ""))
    return kind.id, autoscaler.meta.namespace or "", str(reference.get("name") or "")


def read_scale(store: Store, autoscaler: StoredObject) -> tuple[StoredObject | None, Scale | str]:
    """What an autoscaler scales, and its /scale; a text where there is none: why, as clients are told."""
    reference = (autoscaler.spec or {}).get("scaleTargetRef") or {}
    kind = kind_for(str(reference.get("apiVersion") or ""), str(reference.get("kind") or ""))
    entry = entry_of(kind)
    if entry.is_custom:
        return None, f'no matches for kind "{kind.name}" in group "{kind.group}"'
    if not entry.replicas_path:
        return None, NO_SUBRESOURCE
    try:
        found = store.require(*target_key(autoscaler))
    except NotFound as problem:
        return None, problem.message
    selector = selector_of(found)
    return found, Scale(found.spec.replicas, found.status.replicas, selector_text(selector.raw))


def selector_of(scaled: StoredObject) -> Selector:
    """Whom an object that has a size selects."""
    selector: Any = scaled.spec.selector
    return selector if isinstance(selector, Selector) else Selector.of_labels(selector)

"""What becomes of all that is in a namespace that is going, and what the namespace says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.meta import StoredObject
from ...objects.pod import Pod
from ...rules.actions import Action, Delete, DeletePod, Update

GRACE_MS = 5_000
"""Time for what was let in last to be seen, before the first deletion (namespaceDeletionGracePeriod)."""
FINALIZER = "kubernetes"
"""Of the namespace's spec: held by its controller."""
_FINALIZERS_SECONDS = 15
"""How long finalizers are expected to take (finalizerEstimateSeconds)."""
_FIXED = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
)


def is_ending(namespace: StoredObject) -> bool:
    """Whether its controller still has to empty it."""
    finalizers = (namespace.spec or {}).get("finalizers") or ()
    return namespace.meta.deletion_ms is not None and FINALIZER in finalizers


def decide_deletions(content: Sequence[StoredObject]) -> list[Action]:
    """Delete what is not being deleted yet."""
    return [
        DeletePod(one) if isinstance(one, Pod) else Delete(one)
        for one in content
        if one.meta.deletion_ms is None
    ]


def decide_wait_ms(content: Sequence[StoredObject]) -> int:
    """When to look again at what is left: a second more than half of what it is expected to take.

    Pods take their longest grace period, other objects 15 s: with a pod of 30 s, 16 s.
    """
    seconds = 0
    for one in content:
        if not isinstance(one, Pod):
            seconds = max(seconds, _FINALIZERS_SECONDS)
        elif not one.is_finished:
            seconds = max(seconds, one.spec.termination_grace_seconds or 0)
    return (seconds // 2 + 1) * 1000


def decide_end(namespace: StoredObject) -> Action:
    """Nothing is left: the controller lets it go."""
    spec: Mapping[str, Any] = namespace.spec or {}
    kept = [one for one in spec.get("finalizers") or () if one != FINALIZER]
    rest = {name: value for name, value in spec.items() if name != "finalizers"}
    return Update(namespace.replace(spec={**rest, "finalizers": kept} if kept else rest))


def decide_conditions(namespace: StoredObject, content: Sequence[StoredObject], now: str) -> list[Action]:
    """Say what is left, and which finalizers hold it."""
    status: Mapping[str, Any] = namespace.status or {}
    known = {entry["type"]: entry for entry in status.get("conditions") or ()}
    conditions = []
    for type_, value, reason, message in _list_conditions(content):
        old = known.get(type_)
        since = old["lastTransitionTime"] if old is not None and old["status"] == value else now
        conditions.append(
            {
                "type": type_,
                "status": value,
                "lastTransitionTime": since,
                "reason": reason,
                "message": message,
            }
        )
    if conditions == status.get("conditions"):
        return []
    return [Update(namespace.replace(status={**status, "conditions": conditions}))]


def _list_conditions(content: Sequence[StoredObject]) -> list[tuple[str, str, str, str]]:
    found = [(type_, "False", reason, message) for type_, reason, message in _FIXED]
    kinds = Counter(one.kind.resource + "." * (not one.kind.group) for one in content)
    holders = Counter(finalizer for one in content for finalizer in one.meta.finalizers)
    remaining = ("NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed")
    if kinds:
        text = ", ".join(f"{kind} has {count} resource instances" for kind, count in sorted(kinds.items()))
        remaining = (*remaining[:1], "True", "SomeResourcesRemain", f"Some resources are remaining: {text}")
    held = (
        "NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    )  # fmt: skip
    if holders:
        text = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(holders.items()))
        text = f"Some content in the namespace has finalizers remaining: {text}"
        held = (*held[:1], "True", "SomeFinalizersRemain", text)
    return [*found, remaining, held]

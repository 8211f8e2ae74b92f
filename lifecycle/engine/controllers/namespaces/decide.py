"""What becomes of all that is in a namespace that is going, and what the namespace says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...rules.actions import Action, Delete, DeletePod, Update

GRACE_MS = 5_000
"""Time for what was written last to be seen, before the next look (namespaceDeletionGracePeriod)."""
MOST_RETRY_MS = 60_000
FINALIZER = "kubernetes"
"""Of the namespace's spec: held by its controller."""
_FINALIZERS_SECONDS = 15
"""How long finalizers are expected to take (finalizerEstimateSeconds)."""
_FAILURE, _REMAINING = "NamespaceDeletionContentFailure", "NamespaceContentRemaining"
_FINALIZERS = "NamespaceFinalizersRemaining"
# What each condition says, in their order, as long as there is nothing to say.
_FINE = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    _FAILURE: ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    _REMAINING: ("ContentRemoved", "All content successfully removed"),
    _FINALIZERS: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


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


def estimate_seconds(namespace: StoredObject, pods: Sequence[Pod], now_ms: int) -> int:
    """How long its pods may take: their longest grace period; 0 once that is over since its deletion."""
    graces = (one.spec.termination_grace_seconds or 0 for one in pods if not one.is_finished)
    longest = max(graces, default=0)
    return longest if now_ms - (namespace.meta.deletion_ms or 0) < longest * 1000 else 0


@dataclass(slots=True)
class Left:
    """What a look at a namespace has left in it: objects kind by kind, and how long its pods may take.

    As long as there are pods nothing else is deleted, and nothing is told of what is left.
    """

    content: Sequence[StoredObject]
    pods_seconds: int = 0

    @property
    def has_pods(self) -> bool:
        """Whether the rest waits for its pods."""
        return any(isinstance(one, Pod) for one in self.content)

    @property
    def is_held(self) -> bool:
        """Whether all that is left waits for somebody to take off a finalizer."""
        return all(one.meta.finalizers for one in self.content)


def decide_wait_ms(left: Left) -> int | None:
    """When to look again at what is left: a second more than half of what it is expected to take.

    With a pod of 30 s: 16 s, with a finalizer: 8 s. None: it should be gone and is not, so try again soon.
    """
    if _list_failures("", left):
        return None
    seconds = left.pods_seconds if left.has_pods and left.pods_seconds else _FINALIZERS_SECONDS
    return (seconds // 2 + 1) * 1000


def _list_failures(name: str, left: Left) -> list[str]:
    """Kinds of which objects are left that nothing holds."""
    if left.has_pods and left.pods_seconds:
        return []
    failures = []
    for kind, group in groupby(left.content, lambda one: one.kind):
        if not any(one.meta.finalizers for one in group):
            resource = f"{kind.group}/{kind.api_version.rpartition('/')[2]}, Resource={kind.plural}"
            failures.append(f"unexpected items still remain in namespace: {name} for gvr: {resource}")
    return failures


def decide_end(namespace: StoredObject) -> Action:
    """Nothing is left: the controller lets it go."""
    spec: Mapping[str, Any] = namespace.spec or {}
    kept = [one for one in spec.get("finalizers") or () if one != FINALIZER]
    rest = {name: value for name, value in spec.items() if name != "finalizers"}
    return Update(namespace.replace(spec={**rest, "finalizers": kept} if kept else rest))


def decide_conditions(namespace: StoredObject, left: Left, now: str) -> list[Action]:
    """Say what is left, and which finalizers hold it. Others' conditions stay."""
    status: Mapping[str, Any] = namespace.status or {}
    told = _tell(namespace.meta.name, left)
    found = {entry["type"]: entry for entry in status.get("conditions") or ()}
    for type_, (fine, text) in _FINE.items():
        value, reason, message = told.get(type_, ("False", fine, text))
        old = found.get(type_)
        since = old["lastTransitionTime"] if old is not None and old["status"] == value else now
        new = {"type": type_, "status": value, "lastTransitionTime": since}
        found[type_] = {**new, "reason": reason, "message": message}
    conditions = list(found.values())
    if conditions == status.get("conditions"):
        return []
    return [Update(namespace.replace(status={**status, "conditions": conditions}))]


def _tell(name: str, left: Left) -> dict[str, tuple[str, str, str]]:
    """The conditions that are true, with reason and message."""
    told = {}
    failures = sorted(_list_failures(name, left))
    if failures:
        text = f"Failed to delete all resource types, {len(failures)} remaining: {', '.join(failures)}"
        told[_FAILURE] = ("True", "ContentDeletionFailed", text)
    if left.has_pods or not left.content:
        return told
    kinds = Counter(one.kind.resource + "." * (not one.kind.group) for one in left.content)
    text = ", ".join(f"{kind} has {count} resource instances" for kind, count in sorted(kinds.items()))
    told[_REMAINING] = ("True", "SomeResourcesRemain", f"Some resources are remaining: {text}")
    holders = Counter(finalizer for one in left.content for finalizer in one.meta.finalizers)
    if holders:
        text = ", ".join(f"{one} in {count} resource instances" for one, count in sorted(holders.items()))
        text = f"Some content in the namespace has finalizers remaining: {text}"
        told[_FINALIZERS] = ("True", "SomeFinalizersRemain", text)
    return told

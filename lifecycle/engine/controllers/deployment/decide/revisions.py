"""Revisions: which ReplicaSet is new, what its annotations remember, which old ones to keep, undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cmp_to_key

from lifecycle.late_patterns import late_pattern

from ....objects.names import LAST_APPLIED
from ....objects.pods.template import HASH_LABEL, PodTemplate, is_same_template
from ....objects.shortened import shorten
from ....objects.workloads.deployment import NO_LIMIT, REVISION, Deployment
from ....objects.workloads.replica_set import ReplicaSet
from ....rules.workloads.revisions import UndoError

REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
_BOOKKEEPING = (
    LAST_APPLIED,
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    "deprecated.deployment.rollback.to",
)
HISTORY_LENGTH = 2000
"""The most characters of the revision-history annotation."""
_NEVER = -(1 << 62)
_NATURAL = late_pattern(r"\d+")


class AnnotationError(ValueError):
    """An annotation that should hold a non-negative 32-bit number."""


def read_natural(annotations: Mapping[str, str], name: str) -> int | None:
    """The number an annotation holds, None when it is absent. Raises AnnotationError for anything else."""
    text = annotations.get(name)
    if text is None:
        return None
    if not _NATURAL.fullmatch(text):
        raise AnnotationError(f"annotation {name}: {shorten(text)}: invalid syntax; use a number from 0")
    number = int(text)
    if number > NO_LIMIT:
        raise AnnotationError(f"annotation {name}: {shorten(text)}: value out of range; use 0 to {NO_LIMIT}")
    return number


def natural_or_none(annotations: Mapping[str, str], name: str) -> int | None:
    """The number an annotation holds; None when absent or unreadable."""
    try:
        return read_natural(annotations, name)
    except AnnotationError:
        return None


def revision_of(replica_set: ReplicaSet) -> int:
    """The revision a set serves, 0 when it has none."""
    text = replica_set.meta.annotations.get(REVISION, "")
    return int(text) if _NATURAL.fullmatch(text) else 0


def by_creation(replica_sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """Oldest first; by name within an instant."""
    return sorted(replica_sets, key=_age)


def _age(replica_set: ReplicaSet) -> tuple[int, str]:
    meta = replica_set.meta
    return (_NEVER if meta.creation_ms is None else meta.creation_ms, meta.name)


def find_new(template: PodTemplate, replica_sets: Iterable[ReplicaSet]) -> ReplicaSet | None:
    """The set of the present template: the oldest one with an equal template."""
    equal = [entry for entry in replica_sets if is_same_template(entry.spec.template, template)]
    return min(equal, key=_age, default=None)


def find_old(new: ReplicaSet | None, replica_sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """All other sets, in the order given."""
    name = new.meta.name if new is not None else None
    return [entry for entry in replica_sets if entry.meta.name != name]


def with_size(replica_sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """Those with a wanted size above 0."""
    return [entry for entry in replica_sets if entry.spec.replicas > 0]


def next_revision(old: Iterable[ReplicaSet]) -> int:
    """One above the highest revision of the old sets."""
    return max((revision_of(entry) for entry in old), default=0) + 1


def needs_size_annotations(annotations: Mapping[str, str], desired: int, maximum: int) -> bool:
    """Whether a set's record of the Deployment's size is out of date."""
    return annotations.get(DESIRED_REPLICAS) != str(desired) or annotations.get(MAX_REPLICAS) != str(maximum)


def size_annotations(desired: int, maximum: int) -> dict[str, str]:
    """What every set remembers of the Deployment's size, so that a resize is noticed later."""
    return {DESIRED_REPLICAS: str(desired), MAX_REPLICAS: str(maximum)}


def new_set_annotations(
    deployment_annotations: Mapping[str, str],
    annotations: Mapping[str, str],
    revision: int,
    history_length: int = HISTORY_LENGTH,
) -> dict[str, str]:
    """The new set's annotations: the Deployment's, and its revision if that is higher than before.

    A set that already had a revision is being rolled back to: its former number joins its history, the
    oldest entries of which are dropped so that it stays within `history_length` characters.
    """
    result = dict(annotations)
    for name, value in deployment_annotations.items():
        if name not in _BOOKKEEPING:
            result[name] = value
    former = result.get(REVISION)
    if former and not _NATURAL.fullmatch(former):
        return result
    if int(former or 0) >= revision:
        return result
    result[REVISION] = str(revision)
    if former:
        history = _longer_history(result.get(REVISION_HISTORY, ""), former, history_length)
        if history is not None:
            result[REVISION_HISTORY] = history
    return result


def _longer_history(history: str, former: str, limit: int) -> str | None:
    if not history:
        return former
    entries = history.split(",")
    total, start = len(history) + len(former) + 1, 0
    while total > limit and start < len(entries):
        total -= len(entries[start]) + 1
        start += 1
    return ",".join([*entries[start:], former]) if total <= limit else None


def decide_cleanup(old: Sequence[ReplicaSet], limit: int | None) -> list[ReplicaSet]:
    """Old sets beyond the limit, lowest revision first, that are empty and whose spec was observed."""
    if limit is None or limit == NO_LIMIT:
        return []
    alive = [entry for entry in old if entry.meta.deletion_ms is None]
    surplus = len(alive) - limit
    if surplus <= 0:
        return []
    alive.sort(key=cmp_to_key(_compare_revisions))
    return [
        entry
        for entry in alive[:surplus]
        if entry.status.replicas == 0
        and entry.spec.replicas == 0
        and entry.meta.generation <= entry.status.observed_generation
    ]


def _compare_revisions(one: ReplicaSet, other: ReplicaSet) -> int:
    """Lower revisions first; ages decide where they are equal, or one cannot be read."""
    first, second = ((revision_of(entry), _age(entry)) for entry in (one, other))
    if not all(_has_readable_revision(entry) for entry in (one, other)):
        first, second = (0, first[1]), (0, second[1])
    return (first > second) - (first < second)


def _has_readable_revision(replica_set: ReplicaSet) -> bool:
    text = replica_set.meta.annotations.get(REVISION)
    return text is None or _NATURAL.fullmatch(text) is not None


class Undo:
    """What `kubectl rollout undo` does: a new template and annotations, or only a word to the user."""

    __slots__ = ("annotations", "message", "template")

    def __init__(
        self,
        template: PodTemplate | None = None,
        annotations: dict[str, str] | None = None,
        message: str = "rolled back",
    ) -> None:
        self.template = template
        self.annotations = annotations
        self.message = message


def decide_undo(deployment: Deployment, replica_sets: Iterable[ReplicaSet], to_revision: int = 0) -> Undo:
    """Go back to a revision; 0 means the one before the present. Raises UndoError with kubectl's words.

    The template of the chosen set (without its hash label) and its recorded annotations come back; size,
    strategy and all else stay. The present revision is skipped with a message and no template.
    """
    name = deployment.meta.name
    chosen = _find_revision(name, replica_sets, to_revision)
    if deployment.spec.paused:
        raise UndoError(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume'"
            " and try again"
        )
    if is_same_template(chosen.spec.template, deployment.spec.template):
        return Undo(
            message=f"skipped rollback (current template already matches revision {revision_of(chosen)})"
        )
    kept = {key: value for key, value in deployment.meta.annotations.items() if key in _BOOKKEEPING}
    restored = {key: value for key, value in chosen.meta.annotations.items() if key not in _BOOKKEEPING}
    return Undo(chosen.spec.template.without_label(HASH_LABEL), {**kept, **restored})


def _find_revision(name: str, replica_sets: Iterable[ReplicaSet], to_revision: int) -> ReplicaSet:
    revisions = {revision_of(entry): entry for entry in by_creation(replica_sets) if revision_of(entry)}
    if to_revision > 0:
        if to_revision not in revisions:
            raise UndoError(f"unable to find specified revision {to_revision} in history")
        return revisions[to_revision]
    if len(revisions) < 2:
        raise UndoError(f'no rollout history found for deployment "{name}"')
    return revisions[sorted(revisions)[-2]]

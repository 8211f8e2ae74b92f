"""ControllerRevisions: the history of StatefulSets and DaemonSets. Pure.

A revision holds the owner's pod template as a strategic merge patch. Equal templates are one revision: going
back to a former one gives it the highest number. Names end in a hash of the patch; where another object has
the name, the owner's collision count makes a new one. Models Kubernetes' `history` and kubectl's undo.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...objects.meta import ObjectMeta, StoredObject, controller_reference
from ...objects.names import SAFE_LETTERS
from ...objects.pods.template import PodTemplate
from ...objects.times import floor_to_second
from ...objects.workloads.controller_revision import CONTROLLER_REVISION_KIND, ControllerRevision

HASH_LABEL = "controller.kubernetes.io/hash"
"""The label of a StatefulSet's revision that says the hash in its name."""
_LONGEST_STEM = 223


class UndoError(ValueError):
    """There is nothing to undo to; the message is kubectl's."""


# --- a revision by itself ---------------------------------------------------------------------------------


def hash_patch(text: str, collision_count: int) -> str:
    """The hash of a patch and a collision count: FNV-1 of 32 bits, its decimal digits spelled in letters."""
    number = 0x811C9DC5
    for byte in f"{text}{collision_count}".encode():
        number = (number * 0x01000193) & 0xFFFFFFFF ^ byte
    return encode_safely(str(number))


def encode_safely(text: str) -> str:
    """The text in letters of which no bad word can be made (SafeEncodeString)."""
    return "".join(SAFE_LETTERS[ord(one) % len(SAFE_LETTERS)] for one in text)


def name_revision(owner: str, digest: str) -> str:
    """The owner's name and the hash, the name cut so that both fit."""
    return f"{owner[:_LONGEST_STEM]}-{digest}"


def make_revision(
    owner: StoredObject, template: PodTemplate, number: int, digest: str, label: str = HASH_LABEL
) -> ControllerRevision:
    """A new revision of an owner's template, which has the owner's annotations; `label` says the hash."""
    meta = ObjectMeta(
        name_revision(owner.meta.name, digest),
        owner.meta.namespace,
        labels={**template.labels, label: digest},
        annotations=dict(owner.meta.annotations),
        owner_references=(controller_reference(owner),),
    )
    return ControllerRevision(
        CONTROLLER_REVISION_KIND, meta, extra={"data": template.patch, "revision": number}
    )


# --- a history --------------------------------------------------------------------------------------------


def sort_revisions(revisions: Iterable[ControllerRevision], epoch_ms: int) -> list[ControllerRevision]:
    """Earliest first: by number, then by the second of creation, then by name."""
    return sorted(
        revisions,
        key=lambda one: (one.revision, floor_to_second(one.meta.creation_ms or 0, epoch_ms), one.meta.name),
    )


def next_number(revisions: Sequence[ControllerRevision]) -> int:
    """The number of the revision that comes after these, which are sorted."""
    return revisions[-1].revision + 1 if revisions else 1


def find_equal(revisions: Sequence[ControllerRevision], text: str) -> ControllerRevision | None:
    """The latest revision of the same patch; they are sorted."""
    for one in reversed(revisions):
        if one.text == text:
            return one
    return None


def find_surplus(
    revisions: Sequence[ControllerRevision], live: Collection[str], limit: int
) -> list[ControllerRevision]:
    """The earliest revisions beyond the limit. Those whose names are `live` stay, and do not count."""
    former = [one for one in revisions if one.meta.name not in live]
    return former[: max(0, len(former) - limit)] if limit >= 0 else []


def find_restored(
    revisions: Iterable[ControllerRevision], to_revision: int, text: str, epoch_ms: int
) -> ControllerRevision | None:
    """The revision that `kubectl rollout undo` goes back to: 0 is the one before the latest.

    None where its patch is `text`: it is the present one. Raises UndoError with kubectl's words.
    """
    ordered = sort_revisions(revisions, epoch_ms)
    if to_revision == 0 and len(ordered) < 2:
        raise UndoError("no last revision to roll back to")
    if to_revision == 0:
        found: ControllerRevision | None = ordered[-2]
    else:
        found = next((one for one in ordered if one.revision == to_revision), None)
    if found is None:
        raise UndoError(f"unable to find specified revision {to_revision} in history")
    return None if found.text == text else found

"""Whom an owner takes and lets go: the rules of Kubernetes' ControllerRefManager."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...objects.meta import OwnerReference, StoredObject, controller_reference
from ...objects.selector import Selector
from ...rules.actions import Action, Update


def can_adopt(owner: StoredObject, selector: Selector, dependent: StoredObject) -> bool:
    """Whether an object is to be acquired: nobody's, in the owner's namespace, matching, here to stay.

    An owner that is being deleted acquires nothing.
    """
    return (
        owner.meta.deletion_ms is None
        and dependent.meta.controller is None
        and dependent.meta.deletion_ms is None
        and dependent.meta.namespace == owner.meta.namespace
        and selector.matches(dependent.meta.labels)
    )


def can_release(owner: StoredObject, dependent: StoredObject, is_wanted: bool) -> bool:
    """Whether an object is to be let go: it is the owner's, who does not want it any more.

    An owner that is being deleted lets nothing go: its dependents are the garbage collector's.
    """
    controller = dependent.meta.controller
    return (
        owner.meta.deletion_ms is None
        and controller is not None
        and controller.uid == owner.meta.uid
        and not is_wanted
    )


def decide_claims(
    owner: StoredObject,
    selector: Selector,
    orphans: Sequence[StoredObject],
    strays: Sequence[StoredObject],
    belongs: Callable[[StoredObject], bool] = lambda dependent: True,
    finalizers: Sequence[str] = (),
) -> list[Action]:
    """Adopt matching orphans, release strays that match no more.

    `belongs`: which of those that match an owner may have, where it is choosy. `finalizers` come and go with
    the owner.
    """
    wanted = [one for one in orphans if can_adopt(owner, selector, one) and belongs(one)]
    actions = [_adopt(owner, one, finalizers) for one in wanted]
    for one in strays:
        is_wanted = selector.matches(one.meta.labels) and belongs(one)
        if can_release(owner, one, is_wanted):
            actions.append(_release(owner, one, finalizers))
    return actions


def _adopt(owner: StoredObject, dependent: StoredObject, finalizers: Sequence[str]) -> Action:
    # A reference of the owner that did not control becomes the one that does.
    kept = dict.fromkeys((*dependent.meta.finalizers, *finalizers))
    return _with_references(dependent, (*_others(owner, dependent), controller_reference(owner)), tuple(kept))


def _release(owner: StoredObject, dependent: StoredObject, finalizers: Sequence[str]) -> Action:
    kept = tuple(one for one in dependent.meta.finalizers if one not in finalizers)
    return _with_references(dependent, _others(owner, dependent), kept)


def _others(owner: StoredObject, dependent: StoredObject) -> tuple[OwnerReference, ...]:
    return tuple(entry for entry in dependent.meta.owner_references if entry.uid != owner.meta.uid)


def _with_references(
    dependent: StoredObject, references: tuple[OwnerReference, ...], finalizers: tuple[str, ...]
) -> Action:
    meta = dependent.meta.replace(owner_references=references, finalizers=finalizers)
    return Update(dependent.replace(meta=meta))

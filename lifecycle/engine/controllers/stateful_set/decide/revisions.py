"""Which revision a StatefulSet is at, which one it goes to, and what has to be written for that first."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_dataclasses import dataclass

from ....objects.pods.template import PodTemplate
from ....objects.workloads.controller_revision import ControllerRevision
from ....objects.workloads.stateful_set import StatefulSet
from ....rules.actions import Action, Create, Delete, Update
from ....rules.workloads.revisions import (
    find_equal,
    find_surplus,
    hash_patch,
    make_revision,
    name_revision,
    next_number,
)
from .seen import Seen


@dataclass(slots=True)
class Plan:
    """The revisions of a look, by which pods are made. `actions`: to be done before anything else."""

    current: ControllerRevision
    update: ControllerRevision
    collision_count: int
    actions: Sequence[Action] = ()


def decide_revisions(seen: Seen) -> Plan:
    """The revision of the present template, made or put on top where it is not, and the former one."""
    owner, revisions = seen.owner, seen.revisions
    count = owner.status.collision_count or 0
    update = find_equal(revisions, owner.spec.template.patch_text)
    actions: list[Action] = []
    if update is None:
        update, count, actions = _decide_new(seen, count)
    elif update is not revisions[-1]:
        # A template that comes back takes the highest number.
        update = update.with_revision(next_number(revisions))
        actions = [Update(update)]
    return Plan(_find_current(seen) or update, update, count, actions)


def _find_current(seen: Seen) -> ControllerRevision | None:
    name = seen.owner.status.current_revision
    for one in seen.revisions:
        if one.meta.name == name:
            return one
    return None


def _decide_new(seen: Seen, count: int) -> tuple[ControllerRevision, int, list[Action]]:
    """A new revision under a name that nobody has for another one; each collision counts."""
    owner = seen.owner
    template = owner.spec.template
    digest = first = hash_patch(template.patch_text, count)
    found = seen.find_revision(name_revision(owner.meta.name, digest))
    while found is not None and found.text != template.patch_text:
        count += 1
        digest = hash_patch(template.patch_text, count)
        found = seen.find_revision(name_revision(owner.meta.name, digest))
    if found is not None:
        # Somebody else's, for now, but of the same template.
        return found, count, []
    # The label keeps the hash that was tried first.
    new = make_revision(owner, template, next_number(seen.revisions), first)
    new = new.replace(meta=new.meta.replace(name=name_revision(owner.meta.name, digest)))
    if count == (owner.status.collision_count or 0):
        return new, count, [Create(new)]
    status = owner.status.replace(collision_count=count)
    return new, count, [Create(new), Update(owner.with_status(status))]


def template_of(owner: StatefulSet, revision: ControllerRevision) -> PodTemplate:
    """The template that a revision restores; the set's own where they are the same."""
    own = owner.spec.template
    restored = None if revision.text == own.patch_text else revision.template
    # One that no controller made may hold nothing to restore.
    return own if restored is None else restored


def decide_cleanup(seen: Seen, plan: Plan) -> list[Action]:
    """The earliest revisions beyond the limit go; those of pods, and both of the plan, stay."""
    limit = seen.owner.spec.revision_history_limit
    if len(seen.revisions) <= limit:
        return []
    live = {*seen.members.live, plan.current.meta.name, plan.update.meta.name}
    surplus = find_surplus(seen.revisions, live, limit)
    return [Delete(one) for one in surplus]

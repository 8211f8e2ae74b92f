"""A DaemonSet's history: the revision of its present template, and how many former ones are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lifecycle.lean_dataclasses import dataclass

from ....objects.names import REVISION_LABEL
from ....objects.pods.pod import Pod
from ....objects.pods.template import make_hash
from ....objects.workloads.controller_revision import ControllerRevision
from ....objects.workloads.daemon_set import DaemonSet
from ....rules.actions import Action, Create, Decision, Delete, Refusal, Update
from ....rules.workloads.revisions import make_revision, name_revision, next_number


@dataclass(slots=True)
class History:
    """The revisions of a DaemonSet, earliest first: equal to its template, and former ones."""

    current: Sequence[ControllerRevision]
    former: Sequence[ControllerRevision]

    @property
    def digest(self) -> str:
        """The hash that the pods of the present template are labelled with."""
        return self.current[0].meta.labels.get(REVISION_LABEL, "")


def read_history(
    daemon_set: DaemonSet, revisions: Sequence[ControllerRevision], taken: ControllerRevision | None = None
) -> History:
    """The history of these revisions, earliest first. `taken`: one of somebody else, by the present's name.

    One that is equal serves although it is not the set's.
    """
    text = daemon_set.spec.template.patch_text
    current = [one for one in revisions if one.text == text]
    if not current and taken is not None and taken.text == text:
        current = [taken]
    return History(current, [one for one in revisions if one.text != text])


def decide_history(
    daemon_set: DaemonSet,
    history: History,
    taken: ControllerRevision | None,
    pods: Sequence[Pod],
    refusal: Refusal | None,
) -> Decision | None:
    """What keeps the history in order; None when it is. `pods`: all of the set, if a revision is double."""
    if refusal is not None:
        # Nothing else can be done without a revision.
        return Decision(is_failure=not refusal.is_ending)
    actions = [
        Update(_label(one, one.meta.name))
        for one in (*history.current, *history.former)
        if REVISION_LABEL not in one.meta.labels
    ]
    if actions:
        return Decision(actions, goes_on=True)
    number = next_number(history.former)
    if not history.current:
        return _decide_new(daemon_set, number, taken)
    kept = history.current[-1]
    if len(history.current) > 1:
        return Decision(_merge(kept, history.current[:-1], pods), goes_on=True)
    if kept.revision < number:
        return Decision([Update(kept.with_revision(number))], goes_on=True)
    return None


def _decide_new(daemon_set: DaemonSet, number: int, taken: ControllerRevision | None) -> Decision:
    status, template = daemon_set.status, daemon_set.spec.template
    if taken is not None:
        # Another template has the same hash: with another count the next look finds another name.
        count = (status.collision_count or 0) + 1
        return Decision(
            [Update(daemon_set.with_status(status.replace(collision_count=count)))], is_failure=True
        )
    digest = make_hash(template, status.collision_count)
    new = make_revision(daemon_set, template, number, digest, REVISION_LABEL)
    return Decision([Create(new)], goes_on=True)


def name_present(daemon_set: DaemonSet) -> str:
    """The name that the revision of the present template has, or would have."""
    digest = make_hash(daemon_set.spec.template, daemon_set.status.collision_count)
    return name_revision(daemon_set.meta.name, digest)


def _merge(
    kept: ControllerRevision, others: Sequence[ControllerRevision], pods: Sequence[Pod]
) -> list[Action]:
    """Pods of equal revisions become those of the latest, and the others go."""
    digest = kept.meta.labels[REVISION_LABEL]
    relabelled = [_label(pod, digest) for pod in pods if pod.meta.labels.get(REVISION_LABEL) != digest]
    return [*map(Update, relabelled), *map(Delete, others)]


def _label(one: Pod | ControllerRevision, digest: str) -> Pod | ControllerRevision:
    return one.replace(meta=one.meta.replace(labels={**one.meta.labels, REVISION_LABEL: digest}))


def decide_surplus(daemon_set: DaemonSet, history: History, live: Collection[str]) -> list[Action]:
    """The earliest former revisions beyond the limit, but for those that a pod is of, by their hash."""
    limit = daemon_set.spec.revision_history_limit
    count = len(history.former) - limit if limit is not None else 0
    if count <= 0:
        return []
    unused = [one for one in history.former if one.meta.labels.get(REVISION_LABEL) not in live]
    return [Delete(one) for one in unused[:count]]

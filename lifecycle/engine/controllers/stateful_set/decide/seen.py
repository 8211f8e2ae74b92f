"""What a StatefulSet's decision sees, and the words of its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.meta import StoredObject
from ....objects.pods.pod import Pod
from ....objects.workloads.controller_revision import ControllerRevision
from ....objects.workloads.stateful_set import StatefulSet
from ....rules.actions import CreateJson, CreatePod, RecordEvent, Tried, Words
from ....rules.event_sources import STATEFUL_SET as SOURCE
from .members import Members


@dataclass(frozen=True, slots=True)
class Options:
    """`has_max_unavailable`: the gate MaxUnavailableStatefulSet. `rounds_up`: percentages of it.

    `in_lower_case`: how events begin.
    """

    has_max_unavailable: bool = False
    rounds_up: bool = False
    in_lower_case: bool = False


@dataclass(slots=True)
class Seen:
    """One StatefulSet, its pods by uid, its history (earliest first), and what this look has done so far.

    `claims`: by claim template, then by ordinal. `find_revision`: who has the name of a ControllerRevision.
    """

    owner: StatefulSet
    members: Members
    pods: Mapping[str, Pod]
    revisions: Sequence[ControllerRevision] = ()
    claims: Mapping[str, Mapping[int, StoredObject]] = field(default_factory=dict)
    find_revision: Callable[[str], ControllerRevision | None] = lambda name: None
    options: Options = Options()
    tried: Tried = field(default_factory=Tried)

    def pod(self, ordinal: int) -> Pod:
        """The member of that ordinal, which is there."""
        return self.pods[self.members[ordinal].uid]

    def find_claim(self, template: str, ordinal: int) -> StoredObject | None:
        """The claim of a pod by one of the templates, if it is there."""
        return self.claims.get(template, {}).get(ordinal)

    @property
    def refused(self) -> dict[str, str]:
        """Names of pods and claims that could not be made in this look, and why."""
        return {
            one.action.name: one.message
            for one in self.tried.refusals
            if isinstance(one.action, CreatePod | CreateJson)
        }


def say(seen: Seen, verb: str, pod: str, problem: str = "") -> RecordEvent:
    """What is said of a pod: Create, Delete or Update, that it went well, or what was wrong."""
    owner = seen.owner
    about = f"{_begin(seen, verb)} Pod {pod} in StatefulSet {owner.meta.name}"
    if problem:
        return RecordEvent(owner, "Warning", f"Failed{verb}", f"{about} failed error: {problem}", SOURCE)
    return RecordEvent(owner, "Normal", f"Successful{verb}", f"{about} successful", SOURCE)


def words_of_pod(seen: Seen, pod: str) -> Words:
    """What is said of a pod that is made."""
    about = f"{_begin(seen, 'Create')} Pod {pod} in StatefulSet {seen.owner.meta.name}"
    return Words(f"{about} successful", f"{about} failed error: ")


def words_of_claim(seen: Seen, claim: str, pod: str) -> Words:
    """What is said of a claim that is made for a pod."""
    name, about = seen.owner.meta.name, f"{_begin(seen, 'Create')} Claim {claim}"
    return Words(
        f"{about} Pod {pod} in StatefulSet {name} success",
        f"{about} for Pod {pod} in StatefulSet {name} failed error: ",
    )


def _begin(seen: Seen, verb: str) -> str:
    return verb.lower() if seen.options.in_lower_case else verb

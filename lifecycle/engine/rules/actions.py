"""The writes that a deciding part may ask for. Plain values; `act.py` does them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..objects.meta import OwnerReference, StoredObject
from ..objects.pods.overlay import PodOverlay
from ..objects.pods.pod import Pod
from ..objects.pods.template import PodTemplate
from ..objects.propagation import BACKGROUND

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"
"""What admission calls a write."""


@dataclass(slots=True)
class Words:
    """What an owner says in an event of an object that it makes; the refusal's own words follow `refused`."""

    created: str
    refused: str


@dataclass(slots=True)
class CreatePod:
    """Make one pod from a template for an owner; `source` is who says so in an event ("": nobody).

    Its name is `generate_name` and a suffix that is drawn, unless `name` gives it. `overlay` is what the pod
    has of its own; the rest is shared with all pods of the template. `words`: where the kind of owner has its
    own; of a name that is taken such an owner says nothing.
    """

    owner: StoredObject
    template: PodTemplate
    reference: OwnerReference
    generate_name: str
    source: str
    name: str = ""
    overlay: PodOverlay | None = None
    words: Words | None = None


@dataclass(slots=True)
class DeletePod:
    """Delete a pod gracefully, for an owner that says so in an event (None: silently).

    `grace_seconds`: None for the pod's own period.
    """

    pod: Pod
    owner: StoredObject | None = None
    source: str = ""
    grace_seconds: int | None = None


@dataclass(slots=True)
class RemoveFinalizer:
    """Take a finalizer off a pod as it is by then, if it is still there: what a patch does."""

    pod: Pod
    finalizer: str


@dataclass(slots=True)
class Create:
    """Create an object; its uid is drawn from its owner and count."""

    new: StoredObject


@dataclass(slots=True)
class CreateJson:
    """Make an object as a client would, of JSON that was not looked at yet, for an owner that says so."""

    data: dict[str, Any]
    owner: StoredObject
    source: str
    words: Words

    @property
    def name(self) -> str:
        """What the object is to be called."""
        return str(self.data["metadata"]["name"])


@dataclass(slots=True)
class Update:
    """Put `new` in the place of the object of that name. A changed spec raises the generation."""

    new: StoredObject


@dataclass(slots=True)
class Evict:
    """Ask the eviction API to delete a pod; a budget may refuse it."""

    pod: Pod


@dataclass(slots=True)
class Scale:
    """Set the size of an object through its /scale."""

    old: StoredObject
    replicas: int


@dataclass(slots=True)
class Patch:
    """Change an object by a strategic merge patch, as a client does."""

    old: StoredObject
    patch: dict[str, Any]


@dataclass(slots=True)
class Delete:
    """Delete an object. `propagation` is Background, Foreground or Orphan."""

    old: StoredObject
    propagation: str = BACKGROUND


@dataclass(slots=True)
class RecordEvent:
    """Emit a Kubernetes Event about an object."""

    about: StoredObject
    event_type: str
    reason: str
    message: str
    source: str


Action = (
    CreatePod
    | DeletePod
    | RemoveFinalizer
    | Create
    | CreateJson
    | Update
    | Evict
    | Scale
    | Patch
    | Delete
    | RecordEvent
)


@dataclass(slots=True)
class Decision:
    """Where a look at a key leads: writes in order, and when to look next if nothing happens before.

    `goes_on`: decide again, with what came of the actions, before the look ends. `is_failure`: look again
    after the work queue's growing delay. `is_unfinished`: look again soon, as after a change.
    """

    actions: Sequence[Action] = ()
    goes_on: bool = field(default=False, kw_only=True)
    recheck_at_ms: int | None = field(default=None, kw_only=True)
    is_failure: bool = field(default=False, kw_only=True)
    is_unfinished: bool = field(default=False, kw_only=True)


@dataclass(slots=True)
class Refusal:
    """A creation that the API server refused, and why; `is_ending`: because its namespace goes."""

    action: CreatePod | Create | CreateJson
    message: str
    is_ending: bool = False


@dataclass(slots=True)
class Tried:
    """What one look at a key has done so far: how many pods it had created or deleted, what was refused.

    `deletions`: how many of the calls were for pods to be deleted.
    """

    calls: int = 0
    refusals: tuple[Refusal, ...] = ()
    deletions: int = 0

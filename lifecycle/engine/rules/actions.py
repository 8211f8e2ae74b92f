"""The writes that a deciding part may ask for. Plain values; `act.py` does them."""

from __future__ import annotations

from collections.abc import Sequence

from ..objects.meta import OwnerReference, StoredObject
from ..objects.pod import Pod
from ..objects.pod_overlay import PodOverlay
from ..objects.pod_template import PodTemplate
from ..objects.propagation import BACKGROUND
from ..objects.record import Record


class CreatePod(Record):
    """Make one pod from a template for an owner; `source` is who says so in an event ("": nobody).

    Its name is `generate_name` and a suffix that is drawn, unless `name` gives it. `overlay` is what the pod
    has of its own; the rest is shared with all pods of the template.
    """

    __slots__ = ("generate_name", "name", "overlay", "owner", "reference", "source", "template")

    def __init__(
        self,
        owner: StoredObject,
        template: PodTemplate,
        reference: OwnerReference,
        generate_name: str,
        source: str,
        name: str = "",
        overlay: PodOverlay | None = None,
    ) -> None:
        self.owner = owner
        self.template = template
        self.reference = reference
        self.generate_name = generate_name
        self.source = source
        self.name = name
        self.overlay = overlay


class DeletePod(Record):
    """Delete a pod gracefully, for an owner that says so in an event (None: silently)."""

    __slots__ = ("owner", "pod", "source")

    def __init__(self, pod: Pod, owner: StoredObject | None = None, source: str = "") -> None:
        self.pod = pod
        self.owner = owner
        self.source = source


class Create(Record):
    """Create an object; its uid is drawn from its owner and count."""

    __slots__ = ("new",)

    def __init__(self, new: StoredObject) -> None:
        self.new = new


class Update(Record):
    """Put `new` in the place of the object of that name. A changed spec raises the generation."""

    __slots__ = ("new",)

    def __init__(self, new: StoredObject) -> None:
        self.new = new


class Delete(Record):
    """Delete an object. `propagation` is Background, Foreground or Orphan."""

    __slots__ = ("old", "propagation")

    def __init__(self, old: StoredObject, propagation: str = BACKGROUND) -> None:
        self.old = old
        self.propagation = propagation


class RecordEvent(Record):
    """Emit a Kubernetes Event about an object."""

    __slots__ = ("about", "event_type", "message", "reason", "source")

    def __init__(self, about: StoredObject, event_type: str, reason: str, message: str, source: str) -> None:
        self.about = about
        self.event_type = event_type
        self.reason = reason
        self.message = message
        self.source = source


Action = CreatePod | DeletePod | Create | Update | Delete | RecordEvent


class Decision(Record):
    """Where a look at a key leads: writes in order, and when to look next if nothing happens before.

    `goes_on`: decide again, with what came of the actions, before the look ends. `is_failure`: look again
    after the work queue's growing delay. `is_unfinished`: look again soon, as after a change.
    """

    __slots__ = ("actions", "goes_on", "is_failure", "is_unfinished", "recheck_at_ms")

    def __init__(
        self,
        actions: Sequence[Action] = (),
        *,
        goes_on: bool = False,
        recheck_at_ms: int | None = None,
        is_failure: bool = False,
        is_unfinished: bool = False,
    ) -> None:
        self.actions = actions
        self.goes_on = goes_on
        self.recheck_at_ms = recheck_at_ms
        self.is_failure = is_failure
        self.is_unfinished = is_unfinished


class Refusal(Record):
    """A creation that the API server refused, and why; `is_ending`: because its namespace goes."""

    __slots__ = ("action", "is_ending", "message")

    def __init__(self, action: CreatePod | Create, message: str, is_ending: bool = False) -> None:
        self.action = action
        self.message = message
        self.is_ending = is_ending


class Tried(Record):
    """What one look at a key has done so far: how many pods it had created or deleted, what was refused."""

    __slots__ = ("calls", "refusals")

    def __init__(self, calls: int = 0, refusals: tuple[Refusal, ...] = ()) -> None:
        self.calls = calls
        self.refusals = refusals

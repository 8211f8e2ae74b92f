"""The writes that a deciding part may ask for. Plain values; `act.py` does them."""

from __future__ import annotations

from ..objects.meta import OwnerReference, StoredObject
from ..objects.pod import Pod, PodTemplate
from ..objects.record import Record


class CreatePod(Record):
    """Make one pod from a template for an owner. `source` is the component that says so in an event."""

    __slots__ = ("generate_name", "owner", "reference", "source", "template")

    def __init__(
        self,
        owner: StoredObject,
        template: PodTemplate,
        reference: OwnerReference,
        generate_name: str,
        source: str,
    ) -> None:
        self.owner = owner
        self.template = template
        self.reference = reference
        self.generate_name = generate_name
        self.source = source


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

    def __init__(self, old: StoredObject, propagation: str = "Background") -> None:
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


class RecheckAt(Record):
    """Look at this key again at an instant (ms)."""

    __slots__ = ("at_ms", "is_progress")

    def __init__(self, at_ms: int, is_progress: bool = True) -> None:
        self.at_ms = at_ms
        self.is_progress = is_progress


Action = CreatePod | DeletePod | Create | Update | Delete | RecordEvent | RecheckAt

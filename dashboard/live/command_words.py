"""What was asked, in as few words as a flag has room for: `image 1.4.2 → 1.5.0`, `scale 3 → 5`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dashboard.reading.causes import read_target
from dashboard.reading.patch_words import RESTART, tell_patch
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.models import Command

Json = dict[str, Any]
Target = tuple[str, str, str]
MOST_WORDS = 120
_ROLLOUTS = {"pause": "pause the rollout", "resume": "resume the rollout", "restart": "restart"}


@dataclass(slots=True)
class Known:
    """What was asked of one object so far: images by container, and replicas."""

    images: dict[str, str] = field(default_factory=dict)
    replicas: int | None = None


class Memory:
    """What commands have said, in their order, so that the next can be told as a change.

    `with_replicas`: False where autoscalers ask for others, so that what was asked last is not what there is.
    """

    def __init__(self, with_replicas: bool = True) -> None:
        self.with_replicas = with_replicas
        self.known: dict[Target, Known] = {}

    def tell(self, command: Command, page: str = "") -> str:
        """A command in few words, beside what it is about; what it says is remembered.

        `page`: what the page is about, `shop/Deployment/web`; that is not named again.
        """
        payload = command.payload if isinstance(command.payload, dict) else {}
        target = read_target(command)
        known = self.known.setdefault(target, Known())
        words = ", ".join(self._tell(command.kind, payload, known)) or command.kind
        kind, namespace, name = target
        about = name or kind
        is_named = about and page != f"{namespace}/{kind}/{name}"
        return f"{about}: {words}"[:MOST_WORDS] if is_named else words[:MOST_WORDS]

    def _tell(self, kind: str, payload: Json, known: Known) -> Iterator[str]:
        match kind:
            case "setImage":
                yield _tell_image(known, str(payload.get("container") or ""), str(payload.get("image") or ""))
            case "scale":
                yield self._tell_replicas(known, payload.get("replicas"))
            case "apply" | "create" | "replace":
                yield from self._tell_object(kind, payload.get("object"), known)
            case "patch":
                # What else it changes of these is not known any more.
                known.images.clear()
                known.replicas = None
                yield from _tell_changes(payload.get("patch"))
            case "rollout":
                yield _tell_rollout(payload, known)
            case "drain" if payload.get("cancel"):
                yield "cancel the drain"
            case "fault":
                yield " ".join(filter(None, ("fault", payload.get("kind"), payload.get("reason"))))

    def _tell_object(self, kind: str, given: Any, known: Known) -> Iterator[str]:
        """A manifest: what differs from what was asked before, as far as it is images and replicas."""
        data = given if isinstance(given, dict) else {}
        is_new, told = not known.images, []
        for container in _list_containers(data):
            name, image = str(container.get("name")), str(container.get("image"))
            if known.images.get(name) != image:
                told.append(_tell_image(known, name, image))
        replicas = (data.get("spec") or {}).get("replicas") if isinstance(data.get("spec"), dict) else None
        if replicas is not None and replicas != known.replicas:
            told.append(self._tell_replicas(known, replicas))
        yield from [kind] if is_new or not told else told

    def _tell_replicas(self, known: Known, replicas: Any) -> str:
        before, known.replicas = known.replicas, replicas if isinstance(replicas, int) else None
        if before is None or not self.with_replicas:
            return f"scale to {replicas}"
        return f"scale {before} → {replicas}"


def _list_containers(data: Json) -> list[Json]:
    try:
        found = find_pod_spec(data).get("containers")
    except (KeyError, ValueError, TypeError, AttributeError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _tell_image(known: Known, container: str, image: str) -> str:
    before = known.images.get(container)
    known.images[container] = image
    of = f" of {container}" if len(known.images) > 1 else ""
    if before is None or before == image:
        return f"image{of} {_last(image)}"
    (name, tag), (old_name, old_tag) = _split(image), _split(before)
    if name == old_name and tag and old_tag:
        return f"image{of} {old_tag} → {tag}"
    return f"image{of} {_last(before)} → {_last(image)}"


def _split(image: str) -> tuple[str, str]:
    """`nginx` and `1.27`; of a digest its beginning."""
    if "@" in image:
        name, _, digest = image.partition("@")
        return name, digest.partition(":")[2][:12]
    name, colon, tag = image.rpartition(":")
    return (name, tag) if colon and "/" not in tag else (image, "")


def _last(image: str) -> str:
    name, tag = _split(image)
    return f"{name.rpartition('/')[2]}{f':{tag}' if tag else ''}"


def _tell_rollout(payload: Json, known: Known) -> str:
    action = str(payload.get("action") or "")
    if action != "undo":
        return _ROLLOUTS.get(action, f"{action} of the rollout")
    known.images.clear()
    revision = payload.get("toRevision")
    return f"undo to revision {revision}" if revision else "undo"


def _tell_changes(patch: Any) -> Iterator[str]:
    words = list(tell_patch(patch))
    yield "restart" if RESTART in words else ", ".join(words) or "patch"

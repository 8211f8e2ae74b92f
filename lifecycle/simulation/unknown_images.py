"""Images that nobody knows are taken to start and answer; here a run tries the other way.

Either none of them can be pulled, or the well-known image is meant whose name it nearly has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.programs.images.doubts import find_meant, list_doubts
from lifecycle.engine.programs.profiles import make_profile
from lifecycle.engine.rules.reasons import ERR_IMAGE_PULL
from lifecycle.input.problems import list_names
from lifecycle.lean_dataclasses import dataclass, replace

if TYPE_CHECKING:
    from lifecycle.input.scenario_steps import Step

Json = Mapping[str, Any]
FLAG = "--unknown-images"
START, FAIL, MEANT = WAYS = ("start", "fail", "meant")
"""They start and answer; none can be pulled; the image is meant whose name it nearly has."""
_IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Trial:
    """The objects and steps of a run as they are tried, what comes before them, and what is said of it."""

    objects: Sequence[Json]
    steps: Sequence[Step]
    profiles: Sequence[Json] = ()
    notes: Sequence[str] = ()


def try_images(
    objects: Sequence[Json], steps: Sequence[Step], way: str, images: Sequence[str] | None = None
) -> Trial:
    """What is run where unknown images are taken so: `images`, or all that objects and steps may run."""
    if way == START:
        return Trial(objects, steps)
    doubts = _list_all(objects, steps) if images is None else images
    if way == FAIL:
        told = f"{FLAG} {FAIL}: cannot be pulled: {list_names(doubts)}"
        return Trial(objects, steps, [*map(_make_profile, doubts)], [told if doubts else _tell_nothing(way)])
    meant = {image: name for image in doubts if (name := find_meant(image))}
    told = f"{FLAG} {MEANT}: {list_names([f'{name} instead of {image}' for image, name in meant.items()])}"
    return Trial(
        [_rename(one, meant) for one in objects],
        [replace(one, payload=_rename(one.payload, meant)) for one in steps],
        notes=[told if meant else _tell_nothing(way)],
    )


def _tell_nothing(way: str) -> str:
    lacking = (
        "no image here is unknown"
        if way == FAIL
        else "no unknown image here has nearly the name of a known one"
    )
    return f"{FLAG} {way}: {lacking}, so nothing is tried"


def _list_all(objects: Iterable[Json], steps: Iterable[Step]) -> list[str]:
    """The images that nobody knows, of all pods that objects and steps may make."""
    given = [*objects, *(one.payload["object"] for one in steps if "object" in one.payload)]
    profiles = [one for one in given if kind_of_json(one).id == CONTAINER_PROFILE.id]
    pods: list[Json] = [{"metadata": find_pod_metadata(one), "spec": find_pod_spec(one)} for one in given]
    changed = [one.payload for one in steps if "object" not in one.payload]
    containers = [
        {"name": one.get("container") or one.get("name"), _IMAGE: one[_IMAGE]}
        for one in _find_images(changed)
    ]
    return list_doubts([*pods, {"spec": {"containers": containers}}], profiles)


def _find_images(data: Any) -> Iterator[Json]:
    """The mappings, at whatever depth, that name an image."""
    if isinstance(data, Mapping):
        if isinstance(data.get(_IMAGE), str):
            yield data
        data = list(data.values())
    if isinstance(data, list | tuple):
        for one in data:
            yield from _find_images(one)


def _rename(data: Any, meant: Mapping[str, str]) -> Any:
    """The same with each image that was meant instead of the one that is named."""
    if isinstance(data, Mapping):
        return {
            name: meant.get(value, value)
            if name == _IMAGE and isinstance(value, str)
            else _rename(value, meant)
            for name, value in data.items()
        }
    return [_rename(one, meant) for one in data] if isinstance(data, list) else data


def _make_profile(image: str) -> Json:
    return make_profile("unknown-image", image, {"pull": {"error": ERR_IMAGE_PULL}})

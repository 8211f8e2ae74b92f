"""Which times of containers are assumed, and which were measured on a real cluster.

Of an image it takes time to pull it, to start a container of it, and until its program listens. A
ContainerProfile that `podline calibrate` made says in its annotation on which samples each stands. What
somebody states in another profile, in a pod's annotation or in `timing` is neither assumed nor measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle.engine import Cluster
from lifecycle.engine.heart.timing import Timing
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.objects.names import BEHAVIOR, MEASURED
from lifecycle.engine.objects.pods.container import Container
from lifecycle.engine.objects.pods.pod import POD_KIND, PodSpec
from lifecycle.engine.programs.behavior import Behavior, Declared
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.programs.durations import NOTHING, Duration
from lifecycle.engine.programs.profiles import Profile, choose_profile, read_profile
from lifecycle.engine.programs.resolve import resolve_behavior
from lifecycle.input.problems import list_names
from lifecycle.input.scenario import format_duration
from lifecycle.lean_dataclasses import dataclass

Json = Mapping[str, Any]
PULL, START, READY = PARTS = ("pull", "start", "ready")
HOW = "podline calibrate measures them"
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_LATENCIES = {PULL: "image_pull", START: "container_start"}


@dataclass(frozen=True, slots=True)
class Basis:
    """What one time of an image stands on. `by`: samples, or whence it is taken; `profile`: who says so."""

    image: str
    part: str
    is_measured: bool
    takes: str
    by: str
    profile: str = ""


def list_bases(cluster: Cluster) -> list[Basis]:
    """By image, of the containers of all pods that are there, each time that is assumed or was measured."""
    given = cluster.list(CONTAINER_PROFILE.id)
    profiles = [read_profile(one)[0] for one in given]
    notes = {one["metadata"]["name"]: _read_note(one) for one in given}
    timing = Timing(cluster.settings.timing)
    found = {basis for pod in _choose_pods(cluster) for basis in _list_bases(pod, profiles, notes, timing)}
    return sorted(found, key=lambda one: (one.image, PARTS.index(one.part), one.profile, one.by))


def describe_bases(bases: Sequence[Basis]) -> Iterator[str]:
    """A line for each image that was measured, and one for all that is assumed."""
    measured: dict[str, list[str]] = {}
    assumed: dict[str, dict[str, None]] = {}
    for one in bases:
        if one.is_measured:
            measured.setdefault(one.image, []).append(f"{one.part} {one.takes} ({one.by})")
        else:
            assumed.setdefault(one.image, {})[one.part] = None
    for image, told in measured.items():
        yield f"measured: {image}: {', '.join(told)}"
    images: dict[str, list[str]] = {}
    for image, parts in assumed.items():
        images.setdefault(_join([*parts]), []).append(image)
    if images:
        told = [f"{parts} of {list_names(names)}" for parts, names in images.items()]
        yield f"assumed times: {'; '.join(told)} ({HOW})"


def _join(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _read_note(profile: Json) -> dict[str, str]:
    """By part its samples: `pull 12 samples; ready 9 samples, each to 3s`."""
    note = str((profile["metadata"].get("annotations") or {}).get(MEASURED, ""))
    segments = [segment.strip().partition(" ") for segment in note.split(";")]
    return {name: samples for name, _, samples in segments}


def _choose_pods(cluster: Cluster) -> list[Json]:
    """One of all that have the same owner and the same images."""
    chosen: dict[tuple[str, ...], Json] = {}
    for pod in cluster.list(POD_KIND.id):
        owners = pod["metadata"].get("ownerReferences") or [pod["metadata"]]
        images = [one.get("image", "") for field in _CONTAINERS for one in pod["spec"].get(field) or ()]
        chosen.setdefault((owners[0]["uid"], *images), pod)
    return list(chosen.values())


def _list_bases(
    pod: Json, profiles: Sequence[Profile], notes: Mapping[str, Mapping[str, str]], timing: Timing
) -> Iterator[Basis]:
    meta, spec = pod["metadata"], PodSpec.from_json(pod["spec"])
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    own = read_annotation(annotations[BEHAVIOR]).behaviors if annotations.get(BEHAVIOR) else {}
    for container in spec.all_containers:
        behavior = resolve_behavior(spec, container, annotations, profiles, labels)
        profile = choose_profile(profiles, container.image, container.name, labels)
        stated = own.get(container.name, Declared())
        for part in PARTS if _serves(behavior) else (PULL, START):
            if _has(stated, part):
                continue
            if profile is None or not _has(profile.behavior, part):
                yield from _assume(container, part, behavior, timing)
            elif by := notes[profile.name].get(part):
                takes = _tell(_find(profile.behavior, part))
                yield Basis(container.image, part, True, takes, by, profile.name)


def _serves(behavior: Behavior) -> bool:
    """Whether it matters when its program listens; a script does so when it comes to that."""
    return behavior.script is None and behavior.run_plan(0).for_ is None and not behavior.is_silent


def _assume(container: Container, part: str, behavior: Behavior, timing: Timing) -> Iterator[Basis]:
    if part == READY:
        by = "what is known of the image" if behavior.ready_after else "nothing: at once"
        yield Basis(container.image, part, False, _tell(behavior.ready_after), by)
    elif not timing.is_instant and _LATENCIES[part] not in timing.given:
        takes = _tell(Duration.between(*timing.spread(_LATENCIES[part])))
        yield Basis(container.image, part, False, takes, f"timing {_LATENCIES[part]}")


def _has(declared: Declared, part: str) -> bool:
    plans = {PULL: declared.pull, START: declared.start, READY: declared.listens_after or declared.probes}
    return plans[part] is not None


def _find(declared: Declared, part: str) -> Duration | None:
    plan = {PULL: declared.pull, START: declared.start}.get(part)
    return plan.takes if plan else declared.listens_after


def _tell(duration: Duration | None) -> str:
    """`3s`, `2s..6s` or `3s ±500ms`."""
    given = duration or NOTHING
    low, high = format_duration(given.low_ms), format_duration(given.high_ms)
    if given.deviation_ms:
        return f"{low} ±{format_duration(given.deviation_ms)}"
    return low if low == high else f"{low}..{high}"

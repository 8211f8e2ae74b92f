"""What people are told of how a pod's containers are simulated: whence it is known, and what is assumed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from ..kinds.defaults import DEFAULT_NAMESPACE
from ..kinds.makers import JOB_ID, find_made
from ..kinds.pod_specs import find_pod_metadata, find_pod_spec
from ..kinds.references import Reference, name_subject
from ..kinds.registry import kind_of_json
from ..objects.names import BEHAVIOR, MEASURED
from ..objects.pods.pod import PodSpec
from .behavior_yaml import read_annotation
from .images.sources import find_image
from .profiles import choose_profile, read_profile
from .resolve import MAY_CALL_API, has_own_token, resolve_behavior

BY_ANNOTATION = f"acts as its annotation {BEHAVIOR} says"
BY_SCRIPT = "runs its command line as it is written"
BY_IMAGE = "acts as the image "
BY_NOTHING = "nothing is known of its program"
_TASKS = (JOB_ID, "CronJob")
_OF_JOB = {"job-name": ""}
"""What tells a Job's pods from others."""


@dataclass(frozen=True, slots=True)
class Told:
    """One container: where its behaviour comes from, what is assumed of it, what was not interpreted."""

    container: str
    source: str
    assumptions: tuple[str, ...]
    problems: tuple[str, ...]
    assumed_image: str = ""
    """Its image, where nothing is known of the program: it is assumed to start and answer."""
    taken_as: str = ""
    """What its image is taken to be by a guess: `taken to be node, which ends at once: shop/library/node`."""
    may_call_api: bool = False
    """Whether it may make objects that nobody knows of."""
    unread: str = ""
    """What its script is taken to do, where that cannot be read to its end."""


def tell_behaviors(pod: Mapping[str, Any], profiles: Sequence[Mapping[str, Any]]) -> list[Told]:
    """For every container of a pod, given as JSON like the ContainerProfiles of its cluster."""
    meta = pod.get("metadata") or {}
    spec = PodSpec.from_json(pod.get("spec") or {})
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    known = [read_profile(one)[0] for one in profiles]
    annotated = read_annotation(annotations[BEHAVIOR]).behaviors if annotations.get(BEHAVIOR) else {}
    told: list[Told] = []
    for container in spec.all_containers:
        behavior = resolve_behavior(spec, container, annotations, known, labels)
        profile = choose_profile(known, container.image, container.name, labels)
        image = find_image(container.image)
        if container.name in annotated:
            source = BY_ANNOTATION
        elif profile is not None:
            raw = profiles[known.index(profile)]
            source = f"acts as the ContainerProfile {profile.name} says{_tell_measured(raw)}"
        elif behavior.script is not None:
            source = BY_SCRIPT
        elif image is not None and not behavior.problems and not _is_unknown(behavior.assumptions):
            source = f"{BY_IMAGE}{image.name} is known to"
        else:
            source = BY_NOTHING
        # What a profile leaves out, its writer leaves as it is assumed.
        assumed = container.image if behavior.is_assumed and profile is None else ""
        taken_as = f"{behavior.taken_as}: {container.image}" if behavior.taken_as else ""
        seen = (behavior.assumptions, behavior.problems, assumed, taken_as)
        told.append(Told(container.name, source, *seen, behavior.may_call_api, behavior.unread))
    return told


def tell_silence(pod: Mapping[str, Any], profiles: Sequence[Mapping[str, Any]], container: str) -> str:
    """Why the log of a container that ran is empty: it wrote nothing, or what it would write is not known."""
    sources = {one.container: one.source for one in tell_behaviors(pod, profiles)}
    source = sources.get(container, BY_NOTHING)
    if source == BY_NOTHING or source.startswith(BY_IMAGE):
        return (
            f"What {container} would write is not modelled: logs come from scripts, or as a behaviour says."
        )
    return f"{container} has written nothing."


def list_assumed_images(
    pods: Iterable[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The images of these pods that are assumed to start and answer, each once, in order."""
    return sorted({one.assumed_image for pod in pods for one in tell_behaviors(pod, profiles)} - {""})


def list_guesses(pods: Iterable[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]) -> list[str]:
    """What images of these pods are taken to be by their names alone, each once, in order."""
    return sorted({one.taken_as for pod in pods for one in tell_behaviors(pod, profiles)} - {""})


def list_unread(objects: Iterable[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]) -> list[str]:
    """Scripts that are not interpreted: `taken to wait: init container wait of Pod gate (line 1)`."""
    lines: dict[str, None] = {}
    for data in objects:
        spec = find_pod_spec(data)
        pod = {"metadata": find_pod_metadata(data), "spec": spec}
        starting = {str(one.get("name")) for one in spec.get("initContainers") or ()}
        for told in tell_behaviors(pod, profiles) if spec else ():
            if told.unread:
                taken, _, problem = told.unread.partition(": ")
                line = _LINE.search(problem)
                place = line[0] if line else problem
                what = "init container" if told.container in starting else "container"
                lines[f"{taken}: {what} {told.container} of {name_subject(data)} ({place})"] = None
    return [f"not interpreted, {line}" for line in lines]


def is_task(data: Mapping[str, Any]) -> bool:
    """Whether the pods of an object are there to end."""
    return kind_of_json(data).id in _TASKS


def list_api_callers(
    objects: Iterable[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Of each Job with a program that nobody knows and a token of its own, what is not made for it."""
    lines = []
    for data in objects:
        spec = find_pod_spec(data) if is_task(data) else {}
        if has_own_token(spec) and not find_made(data):
            metadata = find_pod_metadata(data)
            labels = {**(metadata.get("labels") or {}), **_OF_JOB}
            pod = {"metadata": {**metadata, "labels": labels}, "spec": spec}
            if any(one.may_call_api for one in tell_behaviors(pod, profiles)):
                account = f"the token of ServiceAccount {spec['serviceAccountName']}"
                remedy = f"(`creates` in {BEHAVIOR} says it)"
                lines.append(f"{name_subject(data)} has {account}: {MAY_CALL_API} {remedy}")
    return lines


def list_created(
    objects: Iterable[Mapping[str, Any]], profiles: Sequence[Mapping[str, Any]]
) -> Iterator[Reference]:
    """What containers of these objects are said to create: it is missing only until then."""
    known = [read_profile(one)[0] for one in profiles]
    for data in objects:
        metadata, spec = find_pod_metadata(data), PodSpec.from_json(find_pod_spec(data))
        namespace = (data.get("metadata") or {}).get("namespace") or DEFAULT_NAMESPACE
        labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
        # Few say any.
        for container in spec.all_containers if known or BEHAVIOR in annotations else ():
            for text in resolve_behavior(spec, container, annotations, known, labels).creates:
                made = json.loads(text)
                place = made["metadata"].get("namespace") or namespace
                yield kind_of_json(made).id, place, made["metadata"]["name"]


def _tell_measured(profile: Mapping[str, Any]) -> str:
    """`, measured: pull 12 samples`: on what its times stand, where `podline calibrate` made it."""
    note = ((profile.get("metadata") or {}).get("annotations") or {}).get(MEASURED)
    return f", measured: {note}" if note else ""


_LINE = late_pattern(r"line \d+")


def _is_unknown(assumptions: tuple[str, ...]) -> bool:
    return any("assumed to" in text for text in assumptions)

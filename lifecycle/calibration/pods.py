"""Pods as a dump has them: what their containers are, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.calibration.fields import Fields
from lifecycle.calibration.windows import SECOND_MS, Window
from lifecycle.engine.objects.shortened import shorten
from lifecycle.engine.programs.images.sources import find_image
from lifecycle.engine.programs.script import examine, is_interpretable
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

_LISTS = ("initContainers", "containers", "ephemeralContainers")
_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_IMAGE = late_pattern(r"[!-~]{1,1000}")
_GRACE_SECONDS = 30
_ALWAYS = "Always"


@dataclass(frozen=True, slots=True)
class Check:
    """A probe that holds readiness back: when it first looks, how often, how many successes it wants."""

    delay_ms: int
    period_ms: int
    successes: int


@dataclass(frozen=True, slots=True)
class End:
    """One run of a container that is over."""

    exit: int
    reason: str
    started: Window | None
    finished: Window | None


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod, with its status. `ends`: what the status knows of runs that are over."""

    name: str
    image: str
    pulls_always: bool
    is_ready_part: bool
    """Whether the pod is only ready while this one is: one of `containers`, or a sidecar."""
    startup: Check | None
    readiness: Check | None
    is_watched: bool
    """Whether a liveness or startup probe may end it."""
    has_pre_stop: bool
    is_script: bool
    """Its command line is one that the engine runs as it is written."""
    is_to_end: bool
    """It is there to end: an init container, or one of a Job's pod."""
    restarts: int = 0
    running_since: Window | None = None
    ends: tuple[End, ...] = ()

    @property
    def is_gate(self) -> bool:
        """Whether a probe of it holds the pod's readiness back."""
        return self.is_ready_part and (self.readiness or self.startup) is not None


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod. `ready_since`: when all its containers became ready; None while they are not."""

    uid: str
    name: str
    node: str
    grace_ms: int
    containers: tuple[Container, ...]
    ready_since: Window | None


def read_pod(pod: Fields) -> Pod | None:
    """A pod; None for one without a name."""
    metadata, spec, status = pod.mapping("metadata"), pod.mapping("spec"), pod.mapping("status")
    if not metadata.text("name"):
        metadata.note("name", "the pod has no name")
        return None
    grace_seconds = spec.whole("terminationGracePeriodSeconds")
    return Pod(
        metadata.text("uid"),
        f"{metadata.text('namespace')}/{metadata.text('name')}",
        spec.text("nodeName"),
        (_GRACE_SECONDS if grace_seconds is None else grace_seconds) * SECOND_MS,
        tuple(_read_containers(spec, status)),
        _read_ready(status),
    )


def _read_containers(spec: Fields, status: Fields) -> Iterator[Container]:
    ends = spec.text("restartPolicy") in ("Never", "OnFailure")
    for in_spec, in_status in zip(_LISTS, _STATUSES, strict=True):
        statuses = {one.text("name"): one for one in status.mappings(in_status)}
        for one in spec.mappings(in_spec):
            if container := _read_container(one, in_spec, statuses.get(one.text("name")), ends):
                yield container


def _read_container(one: Fields, in_spec: str, status: Fields | None, ends: bool) -> Container | None:
    """`ends`: whether its pod is one that is there to end."""
    name, image = one.text("name"), one.text("image")
    if not name or not _IMAGE.fullmatch(image):
        field, value = ("image", image) if name else ("name", name)
        one.note(field, f"{shorten(value)} is no {field} of a container")
        return None
    is_sidecar = in_spec == "initContainers" and one.text("restartPolicy") == _ALWAYS
    startup = _read_check(one, "startupProbe")
    state = status.mapping("state") if status else None
    last = status.mapping("lastState") if status else None
    over = [_read_end(part.mapping("terminated")) for part in (last, state) if part]
    return Container(
        name,
        image,
        one.text("imagePullPolicy") == _ALWAYS,
        is_sidecar or in_spec == "containers",
        startup,
        _read_check(one, "readinessProbe"),
        startup is not None or bool(one.mapping("livenessProbe").data),
        bool(one.mapping("lifecycle").mapping("preStop").data),
        _is_script(image, one.texts("command"), one.texts("args")),
        ends or (in_spec == "initContainers" and not is_sidecar),
        (status.whole("restartCount") or 0) if status else 0,
        state.mapping("running").window("startedAt") if state else None,
        tuple(end for end in over if end is not None),
    )


def _read_check(container: Fields, name: str) -> Check | None:
    probe = container.mapping(name)
    if not probe.data:
        return None
    return Check(
        (probe.whole("initialDelaySeconds") or 0) * SECOND_MS,
        (probe.whole("periodSeconds", 1) or 10) * SECOND_MS,
        probe.whole("successThreshold", 1) or 1,
    )


def _read_end(ended: Fields) -> End | None:
    code = ended.whole("exitCode")
    if code is None:
        return None
    started, finished = ended.window("startedAt"), ended.window("finishedAt")
    return End(code, ended.text("reason"), started, finished)


def _read_ready(status: Fields) -> Window | None:
    """Since when the containers are; Ready waits for readiness gates besides."""
    found: dict[str, Window | None] = {}
    for one in status.mappings("conditions"):
        if one.text("type") in ("ContainersReady", "Ready"):
            is_true = one.text("status") == "True"
            found[one.text("type")] = one.window("lastTransitionTime") if is_true else None
    return found.get("ContainersReady", found.get("Ready"))


def _is_script(image: str, command: tuple[str, ...], arguments: tuple[str, ...]) -> bool:
    if not command:
        known = find_image(image)
        command = (known.facts.entrypoint or ()) if known else ()
    words = (*command, *arguments)
    return is_interpretable(words) and not examine(words).unknown

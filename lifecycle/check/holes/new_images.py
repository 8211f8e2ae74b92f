"""A new image of a workload: as the present one but for what an ordeal says of it.

What an ordeal says is what a behaviour says, of every container, and besides

    listens: {later: 20s}    # it takes connections so much later than the present one
    listens: never           # it never does
    ready: never             # its readiness probe fails for ever; without one it takes no connections
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import yaml

from lifecycle.check.settled import Workload
from lifecycle.engine.heart.timing import parse_milliseconds, read_duration_ms
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.programs.behavior import FAILURE, PROBE_TYPES
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.programs.durations import Duration, read_duration
from lifecycle.engine.programs.profiles import Profile, choose_profile, make_profile, read_profile
from lifecycle.engine.programs.reading import Reader, read_declared
from lifecycle.engine.programs.resolve import resolve_behavior
from lifecycle.engine.schema.scalars import describe
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
_NEVER = "never"
_NOT_IN_THIS_LIFE = "10000h"


class NewImage(NamedTuple):
    """`patch`: gives a workload its new images. `profiles`: ContainerProfiles that hold for these, too."""

    patch: dict[str, Any]
    profiles: tuple[dict[str, Any], ...]


def make_new_image(workload: Workload, acts: Json, profiles: Sequence[Json]) -> NewImage:
    """New images for a workload's containers, which no node has yet, and which act as told.

    They are of the same repositories, so that what is known of those still holds; what is new is told by the
    annotation that says how containers act.
    """
    template = _find_template(workload)
    annotations = dict((template.get("metadata") or {}).get("annotations") or {})
    presently = _Present(workload, template, profiles)
    if acts:
        known = presently.told
        told = {one["name"]: _join(one, presently, acts) for one in workload.containers}
        annotations[BEHAVIOR] = yaml.safe_dump({**known, **told}, sort_keys=True)
    images = [
        {"name": one["name"], "image": name_next(one.get("image") or "")} for one in workload.containers
    ]
    changed: dict[str, Any] = {"spec": {"containers": images}}
    changed |= {"metadata": {"annotations": annotations}} if annotations else {}
    return NewImage(_wrap(workload, changed), tuple(presently.list_copies()))


def list_image_problems(acts: Json) -> Iterator[tuple[str, str]]:
    """What is wrong with how an ordeal has new images act: (path, text)."""
    listens, ready = acts.get("listens"), acts.get("ready", _NEVER)
    if ready != _NEVER:
        yield "ready", f"must be {_NEVER}, not {describe(ready)}"
    rest = {name: one for name, one in acts.items() if name != "ready"}
    if listens == _NEVER:
        del rest["listens"]
    elif isinstance(listens, Mapping) and listens.keys() == {"later"}:
        del rest["listens"]
        if not isinstance(listens["later"], str) or read_duration_ms(listens["later"]) is None:
            yield "listens.later", f"must be a duration, not {describe(listens['later'])}"
    reader = Reader()
    read_declared(reader, rest, "")
    yield from ((one.path.lstrip("."), one.text) for one in reader.problems)


def make_old_image(workload: Workload) -> dict[str, Any]:
    """A patch that takes the new images back, for what has no `rollout undo`."""
    template = _find_template(workload)
    before = ((template.get("metadata") or {}).get("annotations") or {}).get(BEHAVIOR)
    images = [{"name": one["name"], "image": one.get("image")} for one in workload.containers]
    return _wrap(workload, {"metadata": {"annotations": {BEHAVIOR: before}}, "spec": {"containers": images}})


def _find_template(workload: Workload) -> Json:
    spec = workload.data.get("spec") or {}
    if "jobTemplate" in spec:
        spec = spec["jobTemplate"].get("spec") or {}
    found: Json = spec.get("template") or {}
    return found


def _wrap(workload: Workload, template: Json) -> dict[str, Any]:
    spec = {"spec": {"template": template}}
    return {"spec": {"jobTemplate": spec}} if "jobTemplate" in (workload.data.get("spec") or {}) else spec


def name_next(image: str) -> str:
    """`shop/web:1.2-next` of `shop/web:1.2`; a digest names nothing that could be next to it."""
    name = image.partition("@")[0]
    return f"{name}-next" if ":" in name.rpartition("/")[2] else f"{name}:next"


class _Present:
    """How the containers of a workload act now, by annotation, profile and image."""

    def __init__(self, workload: Workload, template: Json, profiles: Sequence[Json]) -> None:
        meta = template.get("metadata") or {}
        self._workload, self._labels = workload, meta.get("labels") or {}
        self._annotations: Mapping[str, str] = meta.get("annotations") or {}
        sound = [one for one in profiles if not read_profile(one)[1]]
        self._raw = {one["metadata"]["name"]: one for one in sound}
        self._profiles = [read_profile(one)[0] for one in sound]
        self.told: Mapping[str, Any] = _read_told(self._annotations)

    def find_profile(self, container: Json, image: str) -> Profile | None:
        """The profile that holds for a container with an image."""
        return choose_profile(self._profiles, image, container["name"], self._labels)

    def list_copies(self) -> Iterator[dict[str, Any]]:
        """Profiles that hold for the present images alone, for the new ones as well."""
        for one in self._workload.containers:
            image = one.get("image") or ""
            new, profile = name_next(image), self.find_profile(one, image)
            if profile is None or self.find_profile(one, new) == profile:
                continue
            raw = self._raw[profile.name]["spec"]
            copy = make_profile(f"{profile.name}-next", new, raw.get("behavior") or {})
            copy["spec"]["match"] = {**(raw.get("match") or {}), **copy["spec"]["match"]}
            yield copy

    def tell(self, container: Json) -> dict[str, Any]:
        """What annotation and profile say of it, the annotation first, probes type by type."""
        profile = self.find_profile(container, container.get("image") or "")
        below = (self._raw[profile.name]["spec"].get("behavior") or {}) if profile is not None else {}
        above = self.told.get(container["name"]) or {}
        found = deepcopy({**below, **above})
        if "probes" in below and "probes" in above:
            found["probes"] = deepcopy({**below["probes"], **above["probes"]})
        return found

    def find_listens_after(self, container: Json) -> Duration | None:
        """After how long it takes connections; None: at once."""
        spec = PodSpec(dict(find_pod_spec(self._workload.data)))
        found = next(one for one in spec.containers if one.name == container["name"])
        return resolve_behavior(spec, found, self._annotations, self._profiles, self._labels).ready_after


def _read_told(annotations: Mapping[str, str]) -> Mapping[str, Any]:
    text = annotations.get(BEHAVIOR)
    if not text or read_annotation(text).problems:
        # What is wrong with it is said where it stands, and it is acted on as if it were not there.
        return {}
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found


# --- how a new one acts -------------------------------------------------------------------------------------


def _join(container: Json, presently: _Present, acts: Json) -> dict[str, Any]:
    """How it acts, with what is new in place of what was."""
    known = presently.tell(container)
    found = {
        **known,
        **deepcopy({name: one for name, one in acts.items() if name not in ("listens", "ready")}),
    }
    listens = acts.get("listens")
    if acts.get("ready") == _NEVER:
        found |= _never_ready(container, known)
    elif listens == _NEVER:
        found |= _never_listening(known)
    elif isinstance(listens, Mapping) and "later" in listens:
        found |= _listening_later(presently.find_listens_after(container), known, listens["later"])
    elif listens is not None:
        found["listens"] = deepcopy(listens)
    return found


def _never_ready(container: Json, known: Json) -> dict[str, Any]:
    if "readinessProbe" not in container:
        return _never_listening(known)
    return {"probes": {**(known.get("probes") or {}), "readiness": [{"at": "0s", "result": FAILURE}]}}


def _never_listening(known: Json) -> dict[str, Any]:
    """Probes whose results are told fail with it; all others find out."""
    told = {name: [{"at": "0s", "result": FAILURE}] for name in known.get("probes") or {}}
    return {"listens": {"after": _NOT_IN_THIS_LIFE}} | ({"probes": told} if told else {})


def _listening_later(present: Duration | None, known: Json, later: str) -> dict[str, Any]:
    later_ms = parse_milliseconds(later)
    found: dict[str, Any] = {"listens": {"after": _write(_shift(present, later_ms))}}
    probes = known.get("probes") or {}
    told = {name: _shift_points(probes[name], later_ms) for name in PROBE_TYPES if probes.get(name)}
    return found | ({"probes": told} if told else {})


def _shift_points(points: Sequence[Json], later_ms: int) -> list[dict[str, Any]]:
    """Until it listens a check fails; then it sees what it saw before, so much later."""
    moved = [{**one, "at": _write(_shift(read_duration(one.get("at", 0)), later_ms))} for one in points]
    return [{"at": "0s", "result": FAILURE}, *moved]


def _shift(present: Duration | None, later_ms: int) -> Duration:
    if present is None:
        return Duration.fixed(later_ms)
    return Duration(present.low_ms + later_ms, present.high_ms + later_ms, present.deviation_ms)


def _write(duration: Duration) -> Any:
    """A duration as a behaviour gives it."""
    if duration.deviation_ms:
        return {"normal": [f"{duration.low_ms}ms", f"{duration.deviation_ms}ms"]}
    if duration.is_fixed:
        return f"{duration.low_ms}ms"
    return f"{duration.low_ms}ms..{duration.high_ms}ms"

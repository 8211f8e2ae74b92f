"""Scenario documents: what a run is made of, what happens in it, and what it must show.

One document of this kind may stand beside the manifests of a file. Reading names every problem with its path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.rules.validation.kubelet_config import validate_kubelet_configuration
from lifecycle.engine.schema.paths import Path
from lifecycle.engine.schema.scalars import describe
from lifecycle.input.expressions import Expression, ExpressionError, parse
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.schema import check_document
from lifecycle.lean_dataclasses import dataclass, field, replace

if TYPE_CHECKING:
    from lifecycle.input.scenario_steps import Step, StepReader
    from lifecycle.input.sequences import Entry, Lane

API_VERSION = "podline.dev/v1alpha1"
KIND = "Scenario"
DEFAULT_EPOCH = "2026-01-01T00:00:00Z"
DEFAULT_SEED = 1
IDLE, READY = "idle", "ready"
# As many as Kubernetes is made for.
MOST_NODES = 5000
CLAIMS = ("always", "eventually", "holds", "sequence")


@dataclass(frozen=True, slots=True)
class Until:
    """When to stop: at an instant, when idle, when all is ready, or when an expression holds."""

    text: str
    at_ms: int | None = None
    expression: Expression | None = None

    def within(self, namespace: str) -> Until:
        """The same, of an object in this namespace where the text names none."""
        expression = self.expression
        if not namespace or expression is None or expression.namespace is None or " -n " in self.text:
            return self
        return replace(self, expression=replace(expression, namespace=namespace))


@dataclass(frozen=True, slots=True)
class Expect:
    """One claim about the run. `claim` is `always` (from, to), `eventually` (by) or `holds` (at)."""

    claim: str
    expression: Expression
    from_ms: int | None = None
    to_ms: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class LaneClaim:
    """The claim `sequence`: all that a field shows in a run, at the instants of timing `instant`."""

    lane: Lane
    entries: tuple[Entry, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as read. None where the document says nothing, so that defaults and flags can fill it."""

    name: str = ""
    description: str = ""
    seed: int | None = None
    epoch_ms: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    untils: tuple[Until, ...] = ()
    expects: tuple[Expect, ...] = ()
    sequences: tuple[LaneClaim, ...] = ()


def is_scenario(document: Document) -> bool:
    return document.data.get("kind") == KIND and document.data.get("apiVersion") == API_VERSION


def read_epoch_ms(text: str) -> int:
    """Unix time in ms of an RFC 3339 time. Raises ValueError."""
    moment = datetime.fromisoformat(text.upper().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return round(moment.timestamp() * 1000)


def read_until(text: Any) -> Until:
    """`10m`, `idle`, `ready` or an expression. Raises ExpressionError."""
    if text in (IDLE, READY):
        return Until(text)
    at_ms = read_duration_ms(text) if isinstance(text, str) else None
    if at_ms is not None:
        return Until(text, at_ms=at_ms)
    if not isinstance(text, str) or "/" not in text:
        raise ExpressionError(
            f'"{text}" is neither a duration such as 10m, nor idle, nor ready, nor an expression such as '
            '"deployment/web Available"'
        )
    return Until(text, expression=parse(text))


def read_scenario(document: Document) -> Scenario:
    """A structurally sound Scenario document. Raises ManifestError with every problem."""
    from lifecycle.input.scenario_steps import StepReader

    spec = document.data.get("spec") or {}
    reader = StepReader(document)
    settings = _read_settings(spec, reader)
    entries = enumerate(spec.get("steps") or ())
    steps = [step for index, entry in entries for step in reader.read(entry, ("spec", "steps", index))]
    untils = _read_untils(spec.get("until"), reader)
    claims = [
        claim
        for index, entry in enumerate(spec.get("expect") or ())
        for claim in _read_expect(entry, ("spec", "expect", index), reader)
    ]
    if reader.problems:
        raise ManifestError(reader.problems)
    return Scenario(
        name=(document.data.get("metadata") or {}).get("name") or "",
        description=spec.get("description") or "",
        seed=spec.get("seed"),
        epoch_ms=read_epoch_ms(spec["epoch"]) if spec.get("epoch") else None,
        settings=settings,
        # Sorting is stable: file order within one instant.
        steps=tuple(sorted(steps, key=lambda step: step.at_ms)),
        untils=tuple(untils),
        expects=tuple(claim for claim in claims if isinstance(claim, Expect)),
        sequences=tuple(claim for claim in claims if isinstance(claim, LaneClaim)),
    )


_SETTINGS = (
    "kubernetes",
    "compatibility",
    "timing",
    "nodes",
    "featureGates",
    "switches",
    "controllerManager",
)
_OF_THE_RELEASE = ("kubernetes", "compatibility")


def check_settings(settings: Any) -> list[Problem]:
    """What is wrong with the settings a new cluster is given.

    They are those of a Scenario; `kubelet` is a list of what would stand beside it, KubeletConfigurations.
    """
    if not isinstance(settings, dict):
        return [Problem(f"must be a mapping, not {describe(settings)}", 'such as {"nodes": {"count": 3}}')]
    known = (*_SETTINGS, "kubelet")
    if unknown := [name for name in settings if name not in known]:
        return [Problem("unknown setting", f"there are {', '.join(known)}", path=name) for name in unknown]
    try:
        json.dumps(settings, allow_nan=False)
    except ValueError:
        return [Problem("NaN and Infinity are no JSON", "write a number")]
    head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "settings"}}
    spec = {name: value for name, value in settings.items() if name != "kubelet" and value is not None}
    problems = _problems_of(Document({**head, "spec": spec}), read_scenario)
    problems = [Problem(one.message, one.remedy, one.path.removeprefix("spec.")) for one in problems]
    kubelets = settings.get("kubelet") or []
    if not isinstance(kubelets, list) or not all(_is_kubelet(one) for one in kubelets):
        return [*problems, Problem("must be a list of objects of kind KubeletConfiguration", path="kubelet")]
    return problems + [problem for one in kubelets for problem in _problems_of(Document(one), _check_kubelet)]


def _problems_of(document: Document, read: Callable[[Document], Any]) -> list[Problem]:
    """Of its structure, else of what it says."""
    if problems := check_document(document):
        return problems
    try:
        read(document)
    except ManifestError as error:
        return error.problems
    return []


def _is_kubelet(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "KubeletConfiguration"


def _check_kubelet(document: Document) -> None:
    errors = validate_kubelet_configuration(document.data)
    if errors:
        raise ManifestError([Problem(error.body, path=error.path) for error in errors])


def _read_settings(spec: Mapping[str, Any], reader: StepReader) -> dict[str, Any]:
    settings = {name: spec[name] for name in _SETTINGS if spec.get(name) is not None}
    # Which gates there are is for the release to say; what is wrong with it is said once.
    release: dict[str, Any] = {}
    for name, value in settings.items():
        try:
            Settings.from_json({**release, name: value})
        except (ValueError, TypeError) as error:
            reader.complain(("spec", name), str(error))
            continue
        if name in _OF_THE_RELEASE:
            release[name] = value
    count = (spec.get("nodes") or {}).get("count") or 0
    if not 0 <= count <= MOST_NODES:
        reader.complain(("spec", "nodes", "count"), f"must be from 0 to {MOST_NODES}, not {count}")
    return settings


def _read_untils(value: Any, reader: StepReader) -> list[Until]:
    """One condition, or a list of conditions that must hold together."""
    if value is None:
        return []
    untils = []
    for index, text in enumerate(value if isinstance(value, list) else [value]):
        try:
            untils.append(read_until(text))
        except ExpressionError as error:
            path: Path = ("spec", "until", index) if isinstance(value, list) else ("spec", "until")
            reader.complain(path, str(error))
    return untils


def _read_expect(entry: Mapping[str, Any], path: Path, reader: StepReader) -> list[Expect] | list[LaneClaim]:
    claims = [name for name in CLAIMS if name in entry]
    if len(claims) != 1:
        reader.complain(path, "must claim one thing", f"one of: {', '.join(CLAIMS)}")
        return []
    claim = claims[0]
    windows = _WINDOWS[claim]
    for name in entry:
        if name != claim and name not in windows:
            remedy = f"{claim} goes with {' and '.join(windows)}"
            reader.complain((*path, name), f'unknown field "{name}"', remedy)
    if claim == "sequence":
        return _read_sequence(entry, path, reader)
    times = {name: reader.duration(entry[name], (*path, name)) for name in windows if name in entry}
    if claim == "holds" and "at" not in times:
        reader.complain(path, "at is missing", "say when it must hold, such as at: 45s")
    text = entry[claim]
    try:
        expression = parse(text) if isinstance(text, str) else None
    except ExpressionError as error:
        reader.complain((*path, claim), str(error))
        return []
    if expression is None:
        reader.complain((*path, claim), f"must be an expression, not {describe(text)}")
        return []
    start_ms, end_ms = times.get("from"), times.get("to", times.get("within"))
    if claim == "holds":
        start_ms = end_ms = times.get("at")
    elif "within" in times and end_ms is not None and start_ms is not None:
        # `within` counts from `from`.
        end_ms += start_ms
    label = " ".join([claim, f'"{text}"', *(f"{name} {entry[name]}" for name in windows if name in entry)])
    return [Expect(claim, expression, start_ms, end_ms, label)]


_WINDOWS = {"always": ("from", "to"), "eventually": ("from", "within"), "holds": ("at",), "sequence": ("is",)}


def _read_sequence(entry: Mapping[str, Any], path: Path, reader: StepReader) -> list[LaneClaim]:
    from lifecycle.input.sequences import read_entry, read_lane

    wanted = entry.get("is")
    if not isinstance(wanted, list):
        reader.complain(
            (*path, "is"), f"must be a list, not {describe(wanted)}", 'such as ["0s Pending", "3s Running"]'
        )
        return []
    place: Path = (*path, "sequence")
    entries = []
    try:
        lane = read_lane(entry["sequence"])
        for index, text in enumerate(wanted):
            place = (*path, "is", index)
            entries.append(read_entry(text))
    except ExpressionError as error:
        reader.complain(place, str(error))
        return []
    return [LaneClaim(lane, tuple(entries), f'sequence "{entry["sequence"]}"')]


def format_duration(duration_ms: int) -> str:
    """Milliseconds as `90s` or `1500ms`: what every reader of durations takes."""
    return f"{duration_ms // 1000}s" if duration_ms % 1000 == 0 else f"{duration_ms}ms"

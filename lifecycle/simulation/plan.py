"""From files and flags to a plan: what to create, what to do when, when to stop, what must hold."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lifecycle.engine.api.patching.three_way_apply import NOT_REMEMBERED, is_remembered, with_last_applied
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.kinds.gated_fields import list_dropped
from lifecycle.engine.kinds.makers import list_assumed_made
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE, KUBELET_CONFIGURATION
from lifecycle.engine.kinds.references import Missing, list_missing
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.kinds.unmodelled import list_unmodelled
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.programs.told import list_api_callers, list_created, list_unread
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.validation.kubelet_config import validate_kubelet_configuration
from lifecycle.input.chart_hooks import list_times
from lifecycle.input.folders import KUSTOMIZATIONS, MANIFEST_SUFFIXES, is_hidden
from lifecycle.input.manifest_admission import list_problems
from lifecycle.input.manifests import FILE_LIMIT_BYTES, Document
from lifecycle.input.problems import ManifestError, Problem, list_names
from lifecycle.input.reading import Batch, Reading, read_batches
from lifecycle.input.renderers import NO_VALUES, Values, is_chart, render_chart, render_kustomization
from lifecycle.input.scenario import (
    DEFAULT_EPOCH,
    DEFAULT_SEED,
    Expect,
    LaneClaim,
    Scenario,
    Until,
    is_scenario,
    read_epoch_ms,
    read_scenario,
)
from lifecycle.input.stored_only import list_stored_only
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.simulation.unknown_images import START, try_images

if TYPE_CHECKING:
    from lifecycle.input.scenario_steps import Step

GIVEN_NAMESPACES = frozenset(("default", "kube-system", "kube-public", "kube-node-lease"))


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None or empty where it says nothing.

    `gates` and `switches` are set whatever the release says of them: to find out what they bring about.
    """

    nodes: int | None = None
    seed: int | None = None
    epoch_ms: int | None = None
    timing: str | None = None
    kubernetes: str | None = None
    untils: tuple[Until, ...] = ()
    hooks: str = "install"
    unknown_images: str = START
    gates: Mapping[str, bool] = field(default_factory=dict)
    switches: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run needs.

    `subjects` name the objects, one each; `refused` is what was wrong and is left out; `hooks` says when Helm
    runs some of the objects, by their places; so many `extra` ones come first that nobody gave; `then` is
    what all of it is upgraded to. `notes` are for who asked, `missing` is what the objects want and nobody
    gives. Without `untils` a run ends when nothing moves any more. Where nobody gave an epoch, `epoch_ms` is
    that of all runs without one.
    """

    objects: tuple[Mapping[str, Any], ...]
    settings: Settings
    seed: int
    epoch_ms: int
    is_epoch_given: bool = False
    steps: tuple[Step, ...] = ()
    untils: tuple[Until, ...] = ()
    expects: tuple[Expect, ...] = ()
    sequences: tuple[LaneClaim, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()
    hooks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    extra: int = 0
    then: Plan | None = None

    def list_notes(self) -> list[str]:
        """What is to be said of all of it, of an upgrade what is new."""
        later = self.then.notes if self.then is not None else ()
        return [*self.notes, *(f"then: {note}" for note in later if note not in self.notes)]


def take_inputs(
    names: Sequence[str],
    standard_input: Iterable[bytes] = (),
    namespace: str = "",
    hooks: str = "install",
    values: Values = NO_VALUES,
    overlays: Sequence[str] = (),
    release: Release | None = None,
) -> Reading:
    """What files, folders (recursively, in order of their names) and `-` hold, and what became of it.

    Charts and `overlays`, folders of kustomizations, are rendered by the user's own programs.
    `release`: whose fields there are, where none is told that of the Scenario.
    """
    batches = [open_input(name, standard_input, values) for name in names]
    batches += map(render_kustomization, overlays)
    if values and not any(map(is_chart, names)):
        remedy = "give the folder of a chart, or leave them out"
        batches.append(_refuse("-f and --set", "values are for a chart, and none is given", remedy))
    return read_batches(batches, namespace, hooks=hooks, release=release)


def open_input(name: str, standard_input: Iterable[bytes] = (), values: Values = NO_VALUES) -> Batch:
    """A file, a folder, a chart or `-`; what cannot be read is named in the batch."""
    if name == "-":
        return Batch({"standard input": b"".join(standard_input)})
    if name.startswith(("http://", "https://")):
        return _refuse(name, "nothing is downloaded", "download it first (curl -LO) and give the file")
    if is_chart(name) and (rendered := render_chart(name, values)):
        return rendered
    path = Path(name)
    if not path.is_dir():
        content = _read(path)
        return Batch({name: content}) if isinstance(content, bytes) else Batch({}, unreadable=(content,))
    # What is hidden is only named.
    contents = {file.as_posix(): b"" if is_hidden(file) else _read(path / file) for file in _list_files(path)}
    if not contents:
        return _refuse(name, "no manifests in this folder", "their names end in .yaml, .yml or .json")
    return Batch(
        {file: content for file, content in contents.items() if isinstance(content, bytes)},
        name,
        is_folder=True,
        unreadable=tuple(content for content in contents.values() if isinstance(content, Problem)),
    )


def _list_files(folder: Path) -> Iterator[Path]:
    """The paths, within a folder, of all that may be manifests."""
    for file in sorted(folder.rglob("*")):
        if (file.suffix in MANIFEST_SUFFIXES or file.name in KUSTOMIZATIONS) and file.is_file():
            yield file.relative_to(folder)


def _read(path: Path) -> bytes | Problem:
    """A file's bytes, no more than are needed to see that it is too large."""
    try:
        with path.open("rb") as file:
            return file.read(FILE_LIMIT_BYTES + 1)
    except OSError as error:
        return Problem(f"cannot be read: {error.strerror}", source=str(path))


def _refuse(name: str, message: str, remedy: str) -> Batch:
    return Batch({}, unreadable=(Problem(message, remedy, source=name),))


NO_OVERRIDES = Overrides()


def make_plan(
    documents: Sequence[Document],
    overrides: Overrides = NO_OVERRIDES,
    refused: Sequence[Problem] = (),
    lenient: Container[str] = frozenset(),
) -> Plan:
    """Put documents and flags together. Raises ManifestError with everything that is wrong.

    `refused`: what was found wrong before, told together with what is found now. `lenient`: the files that
    what is wrong may be left out of.
    """
    scenario = _find_scenario(documents)
    kubelets = [document for document in documents if _is_of(document, KUBELET_CONFIGURATION)]
    objects = [document for document in documents if not is_scenario(document) and document not in kubelets]
    _check_kubelets(kubelets)
    settings = _make_settings(scenario, overrides, objects, kubelets)
    objects, wrong = _admit(objects, settings.feature_gates, refused, lenient)
    namespaces = list_new_namespaces(objects)
    trial = try_images([one.data for one in objects], scenario.steps, overrides.unknown_images)
    made = [*map(make_namespace, namespaces), *trial.profiles]
    times = [list_times(document.data, overrides.hooks) for document in objects]
    notes = [*_list_notes(objects, settings, namespaces), *_tell_hooks(objects, times)]
    notes += [f"assumed: {line}" for line in _list_assumed(objects)]
    notes += trial.notes
    if overrides.seed is not None:
        seed = overrides.seed
    else:
        seed = DEFAULT_SEED if scenario.seed is None else scenario.seed
    epoch_ms = overrides.epoch_ms if overrides.epoch_ms is not None else scenario.epoch_ms
    return Plan(
        objects=(*made, *trial.objects),
        settings=settings,
        seed=seed,
        epoch_ms=read_epoch_ms(DEFAULT_EPOCH) if epoch_ms is None else epoch_ms,
        is_epoch_given=epoch_ms is not None,
        steps=tuple(trial.steps),
        untils=overrides.untils or scenario.untils,
        expects=scenario.expects,
        sequences=scenario.sequences,
        notes=tuple(notes),
        missing=tuple(map(str, _list_missing(objects))),
        refused=tuple(wrong),
        extra=len(made),
        hooks={len(made) + place: when for place, when in enumerate(times) if when},
        subjects=(
            *(f"{one['kind']} {one['metadata']['name']}" for one in made),
            *(document.subject for document in objects),
        ),
    )


def _list_notes(objects: Sequence[Document], settings: Settings, namespaces: Sequence[str]) -> list[str]:
    """What is stored, dropped, unread or made, and nobody asked for."""
    notes = _list_borrowed(settings.release)
    notes += list_stored_only(document.data for document in objects)
    notes += [f"Namespace {name} is named but not given: it is created first" for name in namespaces]
    notes += list_unmodelled(document.data for document in objects)
    notes += list_dropped((document.data for document in objects), settings.feature_gates)
    notes += list_unremembered(objects)
    return notes + list_unread((document.data for document in objects), _list_profiles(objects))


def _list_missing(objects: Sequence[Document]) -> list[Missing]:
    """What objects need and nobody gives, or is said to create."""
    every, profiles = [document.data for document in objects], _list_profiles(objects)
    return list_missing(every, list_created(every, profiles))


def _list_profiles(objects: Sequence[Document]) -> list[dict[str, Any]]:
    return [document.data for document in objects if _is_of(document, CONTAINER_PROFILE)]


def _list_assumed(objects: Sequence[Document]) -> list[str]:
    """What objects are taken to make, or might make, that nobody gives."""
    every, profiles = [document.data for document in objects], _list_profiles(objects)
    return [*list_assumed_made(every), *list_api_callers(every, profiles)]


def _admit(
    documents: Sequence[Document],
    gates: Mapping[str, bool],
    refused: Sequence[Problem],
    lenient: Container[str],
) -> tuple[list[Document], list[Problem]]:
    """The objects that are right, and what is wrong. Raises ManifestError if that may not be left out."""
    problems_of = [(document, list_problems(document, gates)) for document in documents]
    right = [document for document, problems in problems_of if not problems]
    wrong = sorted(
        [*refused, *(problem for _, problems in problems_of for problem in problems)],
        key=lambda problem: problem.place,
    )
    if wrong and (not right or any(problem.source not in lenient for problem in wrong)):
        raise ManifestError(wrong)
    return right, wrong


def _tell_hooks(objects: Sequence[Document], times: Sequence[Sequence[str]]) -> list[str]:
    """The hooks that are to run."""
    told = [f"{one.subject} ({', '.join(when)})" for one, when in zip(objects, times, strict=True) if when]
    return [f"hooks, which run one after the other as Helm runs them: {list_names(told)}"] if told else []


def _is_of(document: Document, kind: Kind) -> bool:
    return kind_of_json(document.data).id == kind.id


def _find_scenario(documents: Sequence[Document]) -> Scenario:
    found = [document for document in documents if is_scenario(document)]
    if len(found) > 1:
        raise ManifestError([found[1].problem(("kind",), "a second Scenario", "a run has at most one")])
    return read_scenario(found[0]) if found else Scenario()


def _check_kubelets(kubelets: Sequence[Document]) -> None:
    problems = [
        Problem(error.body, "", error.path, document.subject, document.source, document.number)
        for document in kubelets
        for error in validate_kubelet_configuration(document.data)
    ]
    if problems:
        raise ManifestError(problems)


def _make_settings(
    scenario: Scenario, overrides: Overrides, objects: Sequence[Document], kubelets: Sequence[Document]
) -> Settings:
    """Flags beat the Scenario, which beats the defaults; Node manifests stand in for the default nodes."""
    data = dict(scenario.settings)
    nodes = dict(data.get("nodes") or {})
    if overrides.nodes is not None:
        nodes["count"] = overrides.nodes
    elif "count" not in nodes and any(_is_of(document, NODE_KIND) for document in objects):
        nodes["count"] = 0
    data["nodes"] = nodes
    if overrides.timing is not None:
        data["timing"] = overrides.timing
    if overrides.kubernetes is not None:
        data |= {"kubernetes": overrides.kubernetes, "compatibility": None}
    data["kubelet"] = [document.data for document in kubelets]
    settings = Settings.from_json(data)
    settings.feature_gates |= overrides.gates
    settings.switches |= overrides.switches
    return settings


def _list_borrowed(release: Release) -> list[str]:
    """What a release has of another one, for whoever asked for it."""
    return [f"Kubernetes {release.name}: {release.told}"] if release.told else []


def list_new_namespaces(objects: Sequence[Document]) -> list[str]:
    """The namespaces that objects name, that are not among them, and that no cluster begins with."""
    given = {
        (document.data.get("metadata") or {}).get("name")
        for document in objects
        if _is_of(document, NAMESPACE.kind)
    }
    named = {_namespace_of(document.data) for document in objects} - {None}
    return sorted(name for name in named if name and name not in given and name not in GIVEN_NAMESPACES)


def _namespace_of(data: Mapping[str, Any]) -> str | None:
    if not kind_of_json(data).namespaced:
        return None
    return (data.get("metadata") or {}).get("namespace")


def make_namespace(name: str) -> dict[str, Any]:
    """The Namespace of that name, as a manifest."""
    return {"apiVersion": NAMESPACE.kind.api_version, "kind": NAMESPACE.kind.name, "metadata": {"name": name}}


def list_unremembered(objects: Sequence[Document]) -> list[str]:
    """What is said of objects that are too large for what apply keeps of them."""
    large = {
        document.subject: None for document in objects if not is_remembered(with_last_applied(document.data))
    }
    return [f"{list_names(list(large))}: {NOT_REMEMBERED}"] if large else []

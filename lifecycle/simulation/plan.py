"""From files and flags to a plan: what to create, what to do when, when to stop, what must hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.plain import KUBELET_CONFIGURATION
from lifecycle.engine.kinds.registry import entry_of_json, kind_of_json
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.rules.validation.kubelet_config import validate_kubelet_configuration
from lifecycle.engine.schema.tables import is_known_kind
from lifecycle.input.manifest_admission import admit
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import (
    DEFAULT_EPOCH,
    DEFAULT_SEED,
    Expect,
    LaneClaim,
    Scenario,
    Step,
    Until,
    is_scenario,
    read_epoch_ms,
    read_scenario,
)
from lifecycle.input.schema import read_manifests
from lifecycle.simulation.references import list_missing

MANIFEST_SUFFIXES = (".yaml", ".yml", ".json")
GIVEN_NAMESPACES = frozenset(("default", "kube-system", "kube-public", "kube-node-lease"))


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None or empty where it says nothing."""

    nodes: int | None = None
    seed: int | None = None
    epoch_ms: int | None = None
    timing: str | None = None
    untils: tuple[Until, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run needs.

    `subjects` name the objects, one each. `notes` are for the one who asked, `missing` is what the objects
    want and nobody gives. Without `untils` a run ends when nothing moves any more.
    """

    objects: tuple[Mapping[str, Any], ...]
    settings: Settings
    seed: int
    epoch_ms: int
    steps: tuple[Step, ...] = ()
    untils: tuple[Until, ...] = ()
    expects: tuple[Expect, ...] = ()
    sequences: tuple[LaneClaim, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()


def read_inputs(names: Sequence[str], standard_input: Iterable[bytes] = ()) -> list[Document]:
    """The documents of files, folders (recursively, in order of their names) and `-`, structurally checked.

    Raises ManifestError; a file that cannot be read is such an error too.
    """
    documents: list[Document] = []
    problems: list[Problem] = []
    for name in names:
        for source, content in _open_all(name, standard_input, problems):
            try:
                documents += read_manifests(content, source)
            except ManifestError as error:
                problems += error.problems
    if problems:
        raise ManifestError(problems)
    return documents


def _open_all(
    name: str, standard_input: Iterable[bytes], problems: list[Problem]
) -> Iterable[tuple[str, bytes]]:
    if name == "-":
        yield "standard input", b"".join(standard_input)
        return
    path = Path(name)
    files = (file for file in path.rglob("*") if file.suffix in MANIFEST_SUFFIXES and file.is_file())
    paths = sorted(files) if path.is_dir() else [path]
    if not paths:
        remedy = "their names end in .yaml, .yml or .json"
        problems.append(Problem("no manifests in this folder", remedy, source=name))
    for file in paths:
        try:
            content = file.read_bytes()
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror}", source=str(file)))
        else:
            yield str(file), content


def make_plan(documents: Sequence[Document], overrides: Overrides = Overrides()) -> Plan:
    """Put documents and flags together. Raises ManifestError with everything that is wrong."""
    scenario = _find_scenario(documents)
    kubelets = [document for document in documents if _is_of(document, KUBELET_CONFIGURATION)]
    objects = [document for document in documents if not is_scenario(document) and document not in kubelets]
    _check_kubelets(kubelets)
    settings = _make_settings(scenario, overrides, objects, kubelets)
    admit(objects, settings.feature_gates)
    namespaces = _list_new_namespaces(objects)
    notes = [f"Namespace {name} is named but not given: it is created first" for name in namespaces]
    notes += _list_passive(objects)
    if overrides.seed is not None:
        seed = overrides.seed
    else:
        seed = DEFAULT_SEED if scenario.seed is None else scenario.seed
    epoch_ms = overrides.epoch_ms if overrides.epoch_ms is not None else scenario.epoch_ms
    return Plan(
        objects=(*map(_make_namespace, namespaces), *(document.data for document in objects)),
        settings=settings,
        seed=seed,
        epoch_ms=read_epoch_ms(DEFAULT_EPOCH) if epoch_ms is None else epoch_ms,
        steps=scenario.steps,
        untils=overrides.untils or scenario.untils,
        expects=scenario.expects,
        sequences=scenario.sequences,
        notes=tuple(notes),
        missing=tuple(list_missing(objects)),
        subjects=(*(f"Namespace {name}" for name in namespaces), *(document.subject for document in objects)),
    )


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
    data["kubelet"] = [document.data for document in kubelets]
    return Settings.from_json(data)


def _list_new_namespaces(objects: Sequence[Document]) -> list[str]:
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


def _make_namespace(name: str) -> Mapping[str, Any]:
    return {"apiVersion": NAMESPACE.kind.api_version, "kind": NAMESPACE.kind.name, "metadata": {"name": name}}


def _list_passive(objects: Sequence[Document]) -> list[str]:
    notes = []
    for document in objects:
        api_version, kind = document.data.get("apiVersion", ""), document.data.get("kind", "")
        if not is_known_kind(api_version, kind):
            notes.append(f"{document.subject}: {api_version} is not modelled, so it is stored unchecked")
        elif entry_of_json(document.data).is_passive:
            notes.append(f"{document.subject}: stored, but nothing in the model acts on a {kind}")
    return notes

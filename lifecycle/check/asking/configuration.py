"""`podline.yaml` beside the manifests: what is checked of them, how strictly, and what is accepted.

    apiVersion: podline.dev/v1alpha1
    kind: CheckConfiguration
    spec:
      ordeals: [rollout-*, drain-each]     # only these
      withoutOrdeals: [zone-away]          # and of those not these
      seeds: 20
      failOn: serious
      claims:                              # see limits.py
        no-request-lost: {atMost: 500ms}
      workloads:
        Deployment/shop/web:
          whole-again: {within: 5m}
      accept:
      - {ordeal: node-crash, claim: no-request-lost, object: Deployment/shop/web, reason: one pod is enough}

The annotation `podline.dev/claims` of a workload holds the same as its entry under `workloads`. A baseline is
such a file that says nothing but what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from lifecycle.check.asking.places import title_of
from lifecycle.check.findings import Finding
from lifecycle.check.limits import Limit, Limits, read_choice, read_limits
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.scene import SEVERITIES
from lifecycle.engine.objects.shortened import shorten
from lifecycle.engine.programs.reading import Reader
from lifecycle.engine.schema.yaml_nodes import read_text
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import API_VERSION
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple

KIND = "CheckConfiguration"
FILE = "podline.yaml"
ANNOTATION = "podline.dev/claims"
MOST_SEEDS = 10_000
FIELDS = ("ordeals", "withoutOrdeals", "seeds", "failOn", "claims", "workloads", "accept")
MATCHED = ("id", "ordeal", "claim", "object")
WRITTEN = "known when this file was written"
"""The reason of what `--write-baseline` accepts."""


class Accept(NamedTuple):
    """A finding that is known. What is empty may be anything."""

    reason: str
    id: str = ""
    ordeal: str = ""
    claim: str = ""
    object: str = ""

    def is_of(self, one: Finding) -> bool:
        """Whether it is this finding."""
        told = (one.id, one.ordeal, one.claim, one.object)
        return all(not mine or mine == its for mine, its in zip(self[1:], told, strict=True))

    def tell(self) -> str:
        """`node-crash no-request-lost Deployment/shop/web`"""
        return " ".join(filter(None, self[1:]))


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a file says; None and nothing where it does not."""

    ordeals: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    seeds: int | None = None
    fail_on: str | None = None
    limits: Limits = field(default_factory=Limits)
    accepts: tuple[Accept, ...] = ()

    def choose(self, known: Sequence[Ordeal]) -> list[Ordeal]:
        """The ordeals to try."""
        return [
            one
            for one in known
            if (not self.ordeals or _matches(one.name, self.ordeals)) and not _matches(one.name, self.without)
        ]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, one) for one in patterns)


def find_file(inputs: Iterable[str], given: str | None) -> Path | None:
    """The file to read: the one that is named, or the one beside what is checked. Raises ManifestError."""
    if given:
        return Path(given)
    places = [Path(one) for one in inputs if one != "-"]
    found = {
        path.resolve(): path
        for place in places
        if (path := (place if place.is_dir() else place.parent) / FILE).is_file()
    }
    if len(found) > 1:
        remedy = f"name one: --config {next(iter(found.values()))}"
        told = ", ".join(map(str, found.values()))
        raise ManifestError([Problem(f"several stand beside what is checked: {told}", remedy, source=FILE)])
    return next(iter(found.values()), None)


def read_configuration(path: Path, known: Sequence[Ordeal]) -> Configuration:
    """What a file says. Raises ManifestError with everything that is wrong."""
    try:
        data = read_text(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ManifestError([Problem(f"cannot be read: {error.strerror}", source=str(path))]) from None
    except ValueError as error:
        raise ManifestError([Problem(str(error), source=str(path))]) from None
    reader = Reader()
    configuration = _read(reader, data, known)
    if reader.problems:
        raise ManifestError([Problem(one.text, "", one.path, KIND, str(path)) for one in reader.problems])
    return configuration


def _read(reader: Reader, data: Any, known: Sequence[Ordeal]) -> Configuration:
    head = reader.mapping(data, KIND, ("apiVersion", "kind", "spec"))
    for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if head.get(key) != wanted:
            reader.note(key, f"{shorten(head.get(key))} must be {wanted}")
    given = reader.mapping(head.get("spec") or {}, "spec", FIELDS)
    names = [one.name for one in known]
    workloads = given.get("workloads") or {}
    if not isinstance(workloads, dict):
        reader.note("spec.workloads", f"{shorten(workloads)} must map workloads, such as Deployment/shop/web")
        workloads = {}
    of_one = {
        str(title): read_limits(reader, value, f"spec.workloads[{title}]")
        for title, value in workloads.items()
    }
    return Configuration(
        _read_ordeals(reader, given, "ordeals", names),
        _read_ordeals(reader, given, "withoutOrdeals", names),
        reader.number(given, "seeds", "spec", 1, MOST_SEEDS),
        read_choice(reader, given, "failOn", "spec", SEVERITIES),
        Limits(read_limits(reader, given.get("claims") or {}, "spec.claims"), of_one),
        reader.entries(given["accept"], "spec.accept", _reads_accept(reader)) if "accept" in given else (),
    )


def _read_ordeals(
    reader: Reader, given: Mapping[str, Any], key: str, names: Sequence[str]
) -> tuple[str, ...]:
    """Names of ordeals, or patterns that some name fits."""
    if key not in given:
        return ()

    def read(value: Any, path: str) -> str | None:
        if isinstance(value, str) and any(fnmatchcase(one, value) for one in names):
            return value
        reader.note(path, f"no ordeal is called {shorten(value)}; there are {', '.join(names)}")
        return None

    return reader.entries(given[key], f"spec.{key}", read)


def _reads_accept(reader: Reader) -> Any:
    def read(value: Any, path: str) -> Accept | None:
        given = reader.mapping(value, path, (*MATCHED, "reason"))
        said = {name: reader.text(given, name, path) or "" for name in given}
        if not any(said.get(name) for name in MATCHED):
            reader.note(path, f"says of no finding that it is accepted; give one of {', '.join(MATCHED)}")
        if not said.get("reason"):
            reader.note(f"{path}.reason", "say why it is accepted")
            return None
        return Accept(**said)

    return read


def read_annotations(documents: Iterable[Document]) -> dict[str, dict[str, Limit]]:
    """The limits that workloads say themselves, by their titles. Raises ManifestError."""
    found, problems = dict[str, dict[str, Limit]](), list[Problem]()
    for document in documents:
        metadata = document.data.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
        text = annotations.get(ANNOTATION) if isinstance(annotations, Mapping) else None
        if not isinstance(text, str):
            continue
        reader, path = Reader(), f"metadata.annotations[{ANNOTATION}]"
        try:
            found[title_of(document)] = read_limits(reader, read_text(text), path)
        except ValueError as error:
            reader.note(path, str(error))
        line = document.line_of(("metadata", "annotations", ANNOTATION))
        problems += [
            Problem(one.text, "", one.path, document.subject, document.source, document.number, line)
            for one in reader.problems
        ]
    if problems:
        raise ManifestError(problems)
    return found


def write_baseline(findings: Iterable[Finding], accepted: Mapping[str, str]) -> str:
    """A file that accepts all that was found; what had a reason keeps it."""
    accepts = [
        {
            "id": one.id,
            "ordeal": one.ordeal,
            "claim": one.claim,
            "object": one.object,
            "reason": accepted.get(one.id, WRITTEN),
        }
        for one in findings
    ]
    spec = {"accept": accepts} if accepts else {}
    data = {"apiVersion": API_VERSION, "kind": KIND, "spec": spec}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)

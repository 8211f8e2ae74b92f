"""Versions of kinds in the input that are deprecated or served no more, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.engine.kinds.registry import entry_of_json
from lifecycle.engine.releases.release import Release
from lifecycle.engine.releases.tables.lifecycles import LIFECYCLES
from lifecycle.engine.schema.tables import load_tables
from lifecycle.input.reading import Head
from lifecycle.lean_tuples import NamedTuple

DEPRECATED, GONE = "deprecated", "gone"


class Api(NamedTuple):
    """`states`: by the name of each release DEPRECATED, GONE or "". `text`: all of it for people."""

    subjects: tuple[str, ...]
    api_version: str
    kind: str
    states: Mapping[str, str]
    text: str


def list_apis(heads: Iterable[Head], releases: Sequence[Release]) -> list[Api]:
    """Those of which at least one of the releases says so, in the order of the input."""
    subjects: dict[tuple[str, str], list[str]] = {}
    for one in heads:
        subjects.setdefault((one.api_version, one.kind), []).append(one.subject)
    found = (_find_api(*pair, tuple(names), releases) for pair, names in subjects.items())
    return [one for one in found if one is not None]


def _find_api(
    api_version: str, kind: str, subjects: tuple[str, ...], releases: Sequence[Release]
) -> Api | None:
    known = LIFECYCLES.get(api_version, {}).get(kind)
    if known is None:
        warning = entry_of_json({"apiVersion": api_version, "kind": kind}).warning
        states = dict.fromkeys((one.name for one in releases), DEPRECATED)
        return Api(subjects, api_version, kind, states, warning) if warning else None
    since, until, better = known.split()
    states = {one.name: _find_state(one, since, until) for one in releases}
    if not any(states.values()):
        return None
    end = f" and served until before {until}" if until != "-" else ""
    remedy = _tell_better(kind, better, releases[-1])
    return Api(
        subjects, api_version, kind, states, f"{api_version} {kind} is deprecated since {since}{end}{remedy}"
    )


def _find_state(release: Release, since: str, until: str) -> str:
    if until != "-" and _read_minor(until) <= release.served_minor:
        return GONE
    return DEPRECATED if since != "-" and _read_minor(since) <= release.served_minor else ""


def _read_minor(name: str) -> int:
    return int(name.rpartition(".")[2])


def _tell_better(kind: str, better: str, release: Release) -> str:
    """What the source says to write instead, else the version that the newest of the releases has."""
    version, _, name = better.rpartition("/")
    if better == "-":
        version, name = next(iter(load_tables(release).versions_of(kind)), ""), kind
    return f": write {version} {name}" if version else ""


def to_json(api: Api) -> dict[str, Any]:
    """Plain data."""
    return {
        "objects": list(api.subjects),
        "apiVersion": api.api_version,
        "kind": api.kind,
        "states": dict(api.states),
        "text": api.text,
    }

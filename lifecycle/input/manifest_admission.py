"""Everything that can be said of manifests before a cluster sees them: defaults, validation, behaviours.

The same checks the engine makes when a command arrives; made here so that a bad file is refused as a whole,
with every problem at its line, before anything is run or stored. No Django in here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS, Settings
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.kinds.validation import validate_manifest, validate_update
from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.programs.demand import DEMANDS, list_demand_problems
from lifecycle.engine.programs.profiles import read_profile
from lifecycle.engine.rules.limits.sizes import REQUEST_MOST_BYTES, STORED_MOST_BYTES, measure_bytes
from lifecycle.engine.schema.paths import Path, format_path
from lifecycle.input.hints import explain, name_patch
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem, parse_path
from lifecycle.lean_dataclasses import replace


def gates_of(settings: Mapping[str, Any]) -> Mapping[str, bool]:
    """The feature gates of a cluster that was given these settings."""
    return Settings.from_saved(settings).feature_gates


def list_problems(
    document: Document,
    gates: Mapping[str, bool] = FEATURE_DEFAULTS,
    stored: Mapping[str, Any] | None = None,
) -> list[Problem]:
    """What the API server would refuse in one object, and what is wrong with its behaviours.

    `stored`: the object that this one is to take the place of; None for a new one.
    """
    size_bytes = measure_bytes(document.data)
    for most, taker in ((REQUEST_MOST_BYTES, "an API server takes"), (STORED_MOST_BYTES, "etcd stores")):
        if size_bytes > most:
            message = f"{size_bytes:,} bytes as JSON are more than {taker}, {most:,}"
            return [document.problem((), message, "make it smaller, or several objects of it")]
    wanted = apply_defaults(document.data, gates)
    if stored is None:
        errors = validate_manifest(wanted, gates)
    else:
        errors = validate_update(stored, wanted, gates=gates)
    problems = []
    for error in errors:
        # The path stays as the API server writes it; only the line is looked up.
        problem = document.problem(parse_path(error.path), error.body)
        problems.append(explain(replace(problem, path=error.path)))
    if stored is None:
        problems = name_patch(document.data, problems)
    return problems + list(_list_behavior_problems(document))


def _list_behavior_problems(document: Document) -> Iterator[Problem]:
    for path, metadata in _find_metadata(document.data):
        text = (metadata.get("annotations") or {}).get(BEHAVIOR)
        if text:
            place = (*path, "annotations", BEHAVIOR)
            for problem in read_annotation(text).problems:
                found = document.problem(place, problem.text)
                # Its own path begins with the annotation's, and leads on into the text.
                yield replace(found, path=".".join(filter(None, (format_path(path[:-1]), problem.path))))
        annotations = metadata.get("annotations") or {}
        is_service = path == ("metadata",) and kind_of_json(document.data).id == "Service"
        for problem in list_demand_problems(annotations, is_service):
            name = next(one for one in DEMANDS if f"[{one}]" in problem.path)
            found = document.problem((*path, "annotations", name), problem.text)
            yield replace(found, path=".".join(filter(None, (format_path(path[:-1]), problem.path))))
    if kind_of_json(document.data).id == CONTAINER_PROFILE.id:
        for problem in read_profile(document.data)[1]:
            yield document.problem(parse_path(problem.path), problem.text)


def _find_metadata(
    data: Mapping[str, Any], path: Path = ("metadata",)
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The metadata of an object and of the pod templates in it."""
    yield path, data.get("metadata") or {}
    spec = data.get("spec")
    for name in ("template", "jobTemplate"):
        inner = spec.get(name) if isinstance(spec, Mapping) else None
        if isinstance(inner, Mapping):
            yield from _find_metadata(inner, (*path[:-1], "spec", name, "metadata"))

"""How somebody sees the same again: the command of a check, and a counter-example as a run of its own."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import yaml

from lifecycle.check.findings import Finding
from lifecycle.check.settled import Settled
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import API_VERSION, KIND, format_duration, is_scenario
from lifecycle.simulation.unknown_images import FLAG, START

Options = Mapping[str, Any]
_OF_ORDEAL = ("steps", "until", "expect", "sequences", "description")
"""What a counter-example has of its own; all else of a Scenario is what the world is like."""
_INPUTS = (
    *(("cluster", "--cluster"), ("user", "--user"), ("values", "-f"), ("set", "--set")),
    *(("kustomize", "-k"), ("config", "--config")),
)


def tell_command(one: Finding, options: Options, page: str = "") -> str:
    """What opens a counter-example: the same check writes it down, and `simulate` runs it; or a page."""
    if page:
        return f"{page}#finding-{one.id}"
    check = [
        *("podline", "check", *_list_inputs(options), *_list_circumstances(options)),
        *("--ordeals", one.ordeal, "--seeds", str(options["seeds"]), "--scenario", one.id),
    ]
    simulate = ["podline", "simulate", "-", *_list_circumstances(options), "-o", "summary"]
    return f"{shlex.join(check)} | {shlex.join(simulate)}"


def tell_check(options: Options) -> str:
    """What makes the same report again."""
    ordeals = ["--ordeals", options["ordeals"]] if options["ordeals"] else []
    words = ["podline", "check", *_list_inputs(options), *_list_circumstances(options), *ordeals]
    return shlex.join([*words, "--seeds", str(options["seeds"])])


def _list_inputs(options: Options) -> Iterator[str]:
    """What is checked, and what it is rendered with."""
    yield from options["inputs"]
    for name, flag in _INPUTS:
        values = options.get(name) or ()
        for value in [values] if isinstance(values, str) else values:
            yield from (flag, value)


def _list_circumstances(options: Options) -> Iterator[str]:
    """What `check` and `simulate` both take, as it was given."""
    for name in ("namespace", "nodes", "seed", "kubernetes", "timing"):
        if options[name] not in (None, ""):
            yield from (f"--{name}", str(options[name]))
    if options["epoch"] is not None:
        yield from ("--epoch", datetime.fromtimestamp(options["epoch"] / 1000, UTC).isoformat())
    if options["unknown_images"] != START:
        yield from (FLAG, options["unknown_images"])


def write_scenario(
    settled: Settled, findings: Sequence[Finding], documents: Sequence[Document], wanted: str
) -> str:
    """All that was given, with the counter-example of a finding as its Scenario: what `simulate` runs.

    Raises ManifestError where there is no such finding.
    """
    found = next((one for one in findings if one.id == wanted), None)
    if found is None:
        known = ", ".join(one.id for one in findings) or "none"
        problem = Problem(f"no finding is {wanted}", f"there are: {known}", source="--scenario")
        raise ManifestError([problem])
    wrong = {(one.source, one.document) for one in settled.plan.refused}
    right = [one for one in documents if (one.source, one.number) not in wrong]
    given = [one.data for one in right if not is_scenario(one)]
    world = next((one.data.get("spec") or {} for one in right if is_scenario(one)), {})
    objects = [*given, _make_scenario(settled.now_ms, found, world)]
    plain = orjson.loads(orjson.dumps(objects))
    return yaml.safe_dump_all(plain, sort_keys=False, allow_unicode=True)


def _make_scenario(begin_ms: int, found: Finding, world: Mapping[str, Any]) -> dict[str, Any]:
    trial = found.worst.trial
    steps: list[dict[str, Any]] = [{"at": format_duration(begin_ms), "chance": found.worst.seed}]
    for step in trial.written:
        steps.append({**step, "at": format_duration(begin_ms + (read_duration_ms(step["at"]) or 0))})
    spec = {
        "description": f"{trial.title}: {found.worst.violation.text}",
        **{name: value for name, value in world.items() if name not in _OF_ORDEAL},
        "steps": steps,
    }
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": found.ordeal},
        "spec": spec,
    }

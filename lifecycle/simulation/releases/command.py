"""`podline simulate … --kubernetes 1.35,1.36`: only what comes out otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from lifecycle.engine.releases.release import Release
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.reading import Reading
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.releases.apis import Api
from lifecycle.simulation.releases.comparing import (
    Lived,
    Step,
    Switched,
    compare_releases,
    read_releases,
)
from lifecycle.simulation.releases.telling import make_json, tell
from lifecycle.simulation.run import BAD_INPUT, FAILED, NOT_REACHED
from lifecycle.simulation.run import DONE_AS_ASKED as DONE

Options = Mapping[str, Any]
Read = Callable[[Options, bytes], Reading]
MakePlan = Callable[..., Plan]
TEXTS = (None, "table", "summary")
OUTPUTS = (*TEXTS, "json")


def simulate_all(options: Options, read: Read, make_plan: MakePlan) -> int:
    """Run under each of the releases, compare, write; the exit status, 2 where all refuse the input.

    `read`, `make_plan`: how one run reads what the options name.
    """
    refuse_output(options["output"], OUTPUTS)
    if options["logs"]:
        raise ManifestError([Problem("--logs: there is a folder for one run", "give one release")])
    releases = read_releases(options["kubernetes"])
    text = sys.stdin.buffer.read() if "-" in options["inputs"] else b""
    readings = {one: read(under(options, one), text) for one in releases}

    def plan(reading: Reading, release: Release, gates: Switched, switches: Switched) -> Plan:
        return make_plan(reading, under(options, release), gates, switches)

    found = compare_releases(releases, readings, plan)
    return write(options["output"], *found, _choose_status(found.lives))


def write(
    output: str | None, lives: Sequence[Lived], steps: Sequence[Step], used: Sequence[Api], status: int
) -> int:
    """Write what differs; the exit status."""
    if output == "json":
        data = make_json(lives, steps, used, status)
        style = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        sys.stdout.buffer.write(orjson.dumps(data, option=style))
    else:
        sys.stdout.write("".join(f"{line}\n" for line in tell(steps, used)))
    sys.stdout.flush()
    return status


def refuse_output(output: str | None, taken: tuple[str | None, ...]) -> None:
    """Raise ManifestError for an output that is one release's."""
    if output not in taken:
        kinds = " or ".join(one for one in taken if one)
        raise ManifestError([Problem(f"-o {output} is of one release", f"for several use {kinds}")])


def under(options: Options, release: Release) -> Options:
    return {**options, "kubernetes": release.name}


def _choose_status(lives: Sequence[Lived]) -> int:
    """The worst of all runs. Refused by some releases and not by others, an input has failed there."""
    if all(one.outcome is None for one in lives):
        return BAD_INPUT
    found = {FAILED if one.outcome is None else one.outcome.exit_status for one in lives}
    return next((status for status in (FAILED, NOT_REACHED) if status in found), DONE)

"""`podline simulate … --kubernetes 1.35,1.36`: only what comes out otherwise."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import orjson

from lifecycle.engine.releases.release import Release
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.simulation.command_line import make_plan_of, read_inputs
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.releases.apis import list_apis
from lifecycle.simulation.releases.comparing import Lived, compare_all, live_all, read_releases
from lifecycle.simulation.releases.telling import make_json, tell
from lifecycle.simulation.run import BAD_INPUT, FAILED, NOT_REACHED
from lifecycle.simulation.run import DONE_AS_ASKED as DONE

Options = Mapping[str, Any]
TEXTS = (None, "table", "summary")
OUTPUTS = (*TEXTS, "json")


def simulate_all(options: Options) -> int:
    """Run under each of the releases, compare, write; the exit status, 2 where all refuse the input."""
    refuse_output(options["output"], OUTPUTS)
    if options["logs"]:
        raise ManifestError([Problem("--logs: there is a folder for one run", "give one release")])
    releases = read_releases(options["kubernetes"])
    text = sys.stdin.buffer.read() if "-" in options["inputs"] else b""
    reading = {one: read_inputs(_under(options, one), text) for one in releases}

    def make(release: Release, gates: Mapping[str, bool], switches: Mapping[str, bool]) -> Plan:
        return make_plan_of(reading[release], _under(options, release), gates, switches)

    lives = live_all(releases, make)
    steps = compare_all(lives, make)
    used = list_apis(reading[releases[-1]].heads, releases)
    status = _choose_status(lives)
    if options["output"] == "json":
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


def _under(options: Options, release: Release) -> Options:
    return {**options, "kubernetes": release.name}


def _choose_status(lives: list[Lived]) -> int:
    """The worst of all runs. Refused by some releases and not by others, an input has failed there."""
    if all(one.outcome is None for one in lives):
        return BAD_INPUT
    found = {FAILED if one.outcome is None else one.outcome.exit_status for one in lives}
    return next((status for status in (FAILED, NOT_REACHED) if status in found), DONE)

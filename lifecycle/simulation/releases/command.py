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
from lifecycle.simulation.releases.apis import Api, list_apis
from lifecycle.simulation.releases.comparing import (
    Lived,
    Step,
    Switched,
    compare_all,
    find_facts,
    live_all,
    read_releases,
)
from lifecycle.simulation.releases.facts import Facts
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
    reading = {one: read(under(options, one), text) for one in releases}

    def live(release: Release) -> Lived:
        plan = make_plan(reading[release], under(options, release))
        facts, outcome = find_facts(plan)
        return Lived(release, facts, plan.settings, outcome)

    def retry(release: Release, gates: Switched, switches: Switched, _of: object) -> Facts:
        return find_facts(make_plan(reading[release], under(options, release), gates, switches))[0]

    lives = live_all(releases, live)
    used = list_apis(reading[releases[-1]].heads, releases)
    return write(options["output"], lives, compare_all(lives, retry), used, _choose_status(lives))


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

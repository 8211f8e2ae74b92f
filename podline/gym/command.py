"""`podline gym`: incidents for agents, by the shell."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from lifecycle.version import TOLD
from podline.gym import folder
from podline.gym.episode import HELP as ACTIONS
from podline.gym.incidents import find_incident, list_incidents

BAD_INPUT, FAILED = 2, 1
HELP = "Incidents for agents: a cluster in which something is wrong, kubectl's words, and a grader."
MOST_GIVEN = 2 * 1024 * 1024


def main(arguments: Sequence[str], program: str = "podline gym") -> int:
    """Run one command line; the exit status: 0 done, 1 a score below 1, 2 bad input."""
    parser = ArgumentParser(program, description=HELP)
    parser.add_argument("--version", action="version", version=TOLD)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listed = commands.add_parser("list", help="the incidents, each with what people say of it")
    listed.set_defaults(run=_list)
    begun = commands.add_parser("start", help="begin an incident in a folder of its own")
    begun.add_argument("name", metavar="NAME")
    begun.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    begun.set_defaults(run=_start)
    done = commands.add_parser("do", help="do one thing: -- get pods -n shop", description=ACTIONS)
    done.add_argument("folder", type=Path, metavar="DIR")
    done.add_argument("words", nargs="+", metavar="WORD")
    done.set_defaults(run=_do)
    scored = commands.add_parser("score", help="what the episode comes to, as JSON")
    scored.add_argument("folder", type=Path, metavar="DIR")
    scored.set_defaults(run=_score)
    options = parser.parse_args(arguments)
    run: Callable[[Namespace], int] = options.run
    try:
        return run(options)
    except (ValueError, OSError) as problem:
        sys.stderr.write(f"{program}: {problem}\n")
        return BAD_INPUT


def _list(options: Namespace) -> int:
    for name in list_incidents():
        sys.stdout.write(f"{name:<28}{find_incident(name).title}\n")
    return 0


def _start(options: Namespace) -> int:
    gym = folder.start(options.name, options.output)
    sys.stdout.write(f"{gym.title}\n{ACTIONS}\nSo: podline gym do {options.output} -- get pods -n shop\n")
    return 0


def _do(options: Namespace) -> int:
    words = [one for one in options.words if one != "--"]
    action = words[0] if len(words) == 1 else shlex.join(words)
    if _reads(words):
        action = f"{action}\n{sys.stdin.read(MOST_GIVEN)}"
    sys.stdout.write(f"{folder.do(options.folder, action)}\n")
    return 0


def _reads(words: Sequence[str]) -> bool:
    """Whether a command line wants what comes by standard input."""
    parts = words[0].split() if len(words) == 1 else words
    return any(parts[at : at + 2] == ["-f", "-"] for at in range(len(parts)))


def _score(options: Namespace) -> int:
    score = folder.take_up(options.folder)[0].score()
    sys.stdout.write(f"{json.dumps(score.to_json(), indent=1)}\n")
    return 0 if score.score == 1 else FAILED

"""The table of guesses has all of them, and whoever guesses says what the table says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lifecycle.engine.programs import guesses as of_containers
from lifecycle.userland import guesses as of_programs
from lifecycle.userland.guesses import GOES_ON, STOPS, Guess
from tests.engine.programs.worlds import FakeWorld, exec_probe, pod_spec, run_until, start

TOP = Path(__file__).resolve().parents[3] / "lifecycle"
TABLES = {TOP / "userland" / "guesses.py", TOP / "engine" / "programs" / "guesses.py"}
WORDS = re.compile(r"\b(taken|assumed) to ")


def list_modules() -> Iterator[Path]:
    for folder in ("userland", "engine/programs"):
        yield from sorted((TOP / folder).rglob("*.py"))


def list_texts(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    idle = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in idle:
            yield node.value


@pytest.mark.slow
def test_words_of_a_guess_stand_in_the_table_alone() -> None:
    found = [
        f"{path.relative_to(TOP)}: {text}"
        for path in list_modules()
        if path not in TABLES
        for text in list_texts(ast.parse(path.read_text()))
        if WORDS.search(text)
    ]
    # It says SCRIPT_WAITS in another tense.
    assert found == ["engine/programs/resolve.py: assumed to wait for ever"]


def test_every_guess_of_the_table_is_made_somewhere() -> None:
    names = {
        name
        for module in (of_programs, of_containers)
        for name, value in vars(module).items()
        if isinstance(value, Guess)
    }
    others = "".join(path.read_text() for path in list_modules() if path not in TABLES)
    assert sorted(name for name in names if f"{name}.taken" not in others and f"{name} if" not in others) == [
        "SCRIPT_RUNS"
    ]
    assert "else SCRIPT_RUNS" in others
    assert len(names) == len(of_containers.GUESSES)


@pytest.mark.parametrize("guess", of_containers.GUESSES, ids=lambda guess: guess.of)
def test_a_guess_tells_both_outcomes_and_which_way_it_leans(guess: Guess) -> None:
    assert guess.of and guess.taken and guess.otherwise and guess.taken != guess.otherwise
    assert guess.leans in (GOES_ON, STOPS)


ACME = {"image": "ghcr.io/acme/a:1"}


def note_of(script: str, **more: Any) -> list[str]:
    """What a script's guesses are said in."""
    world = FakeWorld()
    process = start(pod_spec({**ACME, "command": ["bash", "-c", script], **more}), world)
    run_until(process, world, 60_000)
    return process.take_problems()


@pytest.mark.parametrize(
    "script, guess",
    [
        ("acmectl sync; exit 0", of_programs.PROGRAM),
        ("acme serve", of_programs.LAST_PROGRAM_SERVES),
        (". /opt/acme.sh; exit 0", of_programs.SOURCED_FILE),
        ("cp /opt/acme /tmp/x; exit 0", of_programs.COPIED_FILE),
        ("touch /opt/acme/x; exit 0", of_programs.IMAGE_FOLDER),
        ("shopt -s globstar; exit 0", of_programs.SHELL_OPTION),
        ("declare -i n=1; exit 0", of_programs.ATTRIBUTE),
    ],
)
def test_what_is_said_is_what_the_table_says(script: str, guess: Guess) -> None:
    assert [guess.taken in note for note in note_of(script)] == [True]


def test_a_check_that_is_guessed_says_what_the_table_says() -> None:
    world = FakeWorld()
    process = start(pod_spec(ACME), world)
    run_until(process, world, 1_000)
    process.probe("readiness", exec_probe("sh", "-c", "acmectl status | grep ok"), 1_000, world)
    assert [of_containers.CHECK.taken in note for note in process.take_problems()] == [True]

"""Broken, endless and greedy scripts: nothing brings the interpreter down, everything stays bounded."""

import random

import pytest

from tests.engine.programs.corpus import CORPUS
from tests.engine.programs.test_corpus import friendly_world
from tests.engine.programs.test_differential import BASH_SCRIPTS, SCRIPTS
from tests.engine.programs.worlds import FakeWorld, pod_spec, run_script, run_until, start

TEXTS = [*SCRIPTS, *BASH_SCRIPTS, *(command[-1] for _, _, command in CORPUS)]
SIGNS = "$`\"'(){}[]|&;<>\\\n *?#!~=+-/%^:.,@0123456789abcxyz"


def mutate(text: str, chance: random.Random) -> str:
    """Some signs put in, taken out or cut."""
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(text) + 1)
        cut = chance.choice((0, 0, 1, 1, 6))
        text = text[:place] + (chance.choice(SIGNS) if cut == 0 else "") + text[place + cut :]
    return text


@pytest.mark.parametrize("seed", range(8))
def test_broken_scripts_fail_or_run_but_never_raise(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        world = friendly_world()
        shell = chance.choice(("sh", "bash", "dash"))
        script = mutate(chance.choice(TEXTS), chance)
        process = start(pod_spec({"command": [shell, "-c", script]}), world)
        run_until(process, world, 3_000)
        process.signal(3_000, "SIGTERM", world)
        run_until(process, world, 5_000)


@pytest.mark.parametrize(
    "script",
    [
        "while true; do :; done",
        "f() { f; }; f",
        "yes | cat > /dev/null",
        "x=a; while :; do x=$x$x; done",
        "while :; do date >> /tmp/log; done",
        ": | while :; do read x; done",
    ],
)
def test_what_never_waits_is_slowed_down_and_told(script: str) -> None:
    process, _ = run_script(script, until_ms=20_000)
    assert process.exit is not None or (process.next_wake_ms() or 0) > 20_000
    problems = process.take_problems()
    assert process.exit is not None or any("never waits" in problem for problem in problems)
    assert process.take_problems() == []


def test_loop_that_ends_by_itself_ends_in_time() -> None:
    process, lines = run_script("i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done; echo $i")
    assert lines == ["6000"]
    assert process.exit is not None and process.exit.at_ms <= 5_000


def test_endless_work_shows_in_the_cpu() -> None:
    process, _ = run_script("sleep 1; while :; do :; done", until_ms=2_500)
    assert process.usage(2_500)[0] == 1_000
    idle, _ = run_script("sleep 60", until_ms=2_500)
    assert idle.usage(2_500)[0] == 0


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("if true; then echo x", "the syntax in line 1"),
        ("echo 'open", "a quote that is not closed"),
        ("select x in a b; do echo $x; done", "select"),
        ("coproc cat", "coproc"),
    ],
)
def test_text_beyond_the_interpreter_is_named(script: str, named: str) -> None:
    world = FakeWorld()
    process = start(pod_spec({"command": ["bash", "-c", script]}), world)
    said = [*process.behavior.problems, *process.take_problems()]
    assert any(named in problem for problem in said), said


def test_growing_file_keeps_its_size() -> None:
    text = "i=0; while [ $i -lt 3000 ]; do echo 0123456789 >> /tmp/l; i=$((i+1)); done; wc -c < /tmp/l"
    assert run_script(text)[1] == ["33000"]

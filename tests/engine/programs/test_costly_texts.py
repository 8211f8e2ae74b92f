"""Reading a script is work as well: it is charged, and too long a one is not read."""

from __future__ import annotations

import pytest

from lifecycle.userland.errors import CannotInterpret
from lifecycle.userland.shell import compiler
from lifecycle.userland.shell.compiler import MOST_PARTS, compile_text
from tests.engine.programs.worlds import FakeWorld, start_script

DOUBLED = 'x=":"; for i in 1 2 3 4 5 6 7 8 9 10; do x="$x;$x"; done; '


@pytest.mark.slow
@pytest.mark.parametrize(
    "way",
    [
        pytest.param('eval "$x"', id="eval"),
        pytest.param('sh -c "$x"', id="another shell"),
        pytest.param('echo "$x" > /tmp/f; . /tmp/f', id="a file"),
        pytest.param('trap "$x" EXIT', id="what is done at the end"),
    ],
)
def test_reading_a_thousand_commands_is_work_like_two_thousand(way: str) -> None:
    """Running them comes on top of that; what makes them is some fifty instructions."""
    world = FakeWorld()
    start_script(f"{DOUBLED}{way}", world).run(0, world)
    assert world.crowd.steps > 3 * 1023


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(":;" * (MOST_PARTS + 1), id="commands"),
        pytest.param("echo " + "$x " * (MOST_PARTS + 1), id="values"),
        pytest.param("[ " * 150_000, id="words"),
    ],
)
def test_a_script_that_takes_long_to_read_is_not_read(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(compiler, "parse", lambda _: pytest.fail("it was read"))
    with pytest.raises(CannotInterpret, match="a script of more than 256 KiB or 20,000 commands"):
        compile_text(text)

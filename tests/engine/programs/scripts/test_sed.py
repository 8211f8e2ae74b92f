"""What `sed` does not do is named, and fails, so that nothing is guessed."""

import pytest

from tests.engine.programs.worlds import run_script


@pytest.mark.parametrize(
    "words",
    [
        "'y/el/ip/'",
        "'1!G;h;$!d'",
        "':a;N;$!ba;s/,/;/g'",
        "'s/a/1/;t'",
        "'/a/{s/a/b/;p}'",
        "'1i\\  first'",
        "'/a/c\\new'",
        "'1r file'",
        "'2~2p'",
        "'2,+1d'",
        "'0,/a/d'",
        "'1q5'",
        "'='",
        "'s/a/\\U&/'",
        "'s//x/'",
        "'s/a/b/w file'",
        "'s/a/b'",
        "'1,d'",
        "-s p",
        "-f script",
    ],
)
def test_what_is_not_modelled_is_named_and_fails(words: str) -> None:
    process, lines = run_script(f"printf 'a\\nb\\n' | sed {words}; echo $?")
    (problem,) = process.take_problems()
    assert problem.startswith("cannot interpret sed ") and problem.endswith("taken to fail with status 1")
    assert lines == ["1"]

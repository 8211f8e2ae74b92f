"""The awk language: what it makes of records as they come, and how it says what it cannot do."""

import pytest

from tests.engine.programs.worlds import FakeWorld, reload, run_script, run_until, start_script


def lines_of(script: str) -> list[str]:
    process, lines = run_script(script)
    assert process.take_problems() == []
    return lines


def test_rules_follow_a_stream_line_by_line() -> None:
    """What is printed for a line appears when the line does, not when the input ends."""
    script = (
        '(for i in 1 2 3; do echo "host$i $i"; sleep 5; done) |'
        " awk '{ s += $2; print $1, s } END { print \"total\", s, NR }'"
    )
    world = FakeWorld()
    process = start_script(script, world)
    run_until(process, world)
    assert process.take_output() == [
        (0, "host1 1"),
        (5_000, "host2 3"),
        (10_000, "host3 6"),
        (15_000, "total 6 3"),
    ]


def test_saving_between_two_records_changes_nothing() -> None:
    script = (
        '(for i in 3 x 5; do echo $i; sleep 2; done) | awk -v step=2 \'BEGIN { OFS = "-" }'
        ' NR > 0 { k += step; t = t $1; n = $1 > 2; print NR, t, n, $0 "" }'
        " END { print k, unset + 0, t }'"
    )
    world = FakeWorld()
    process = start_script(script, world)
    seen = process.take_output()
    for now_ms in range(0, 7_000, 1_000):
        process = reload(process)
        process.run(now_ms, world)
        seen += process.take_output()
    assert [text for _, text in seen] == ["1-3-1-3", "2-3x-1-x", "3-3x5-1-5", "6-0-3x5"]


@pytest.mark.parametrize(
    ("program", "named"),
    [
        ('BEGIN { system("id") }', "the function system"),
        ("BEGIN { print systime() }", "the function systime"),
        ('BEGIN { print strftime("%Y", 0) }', "the function strftime"),
        ("BEGIN { print rand() }", "the function rand"),
        ("BEGIN { print sqrt(16) }", "the function sqrt"),
        ("match($0, /b/)", "the function match"),
        ('{ print | "sort" }', "a pipe"),
        ('{ print > "out.txt" }', "a file to print to"),
        ('{ print($1) >> "out.txt" }', "a file to print to"),
        ('BEGIN { "date" | getline now }', "the statement getline"),
        ("{ getline; print }", "the statement getline"),
        ("BEGIN { frobnicate(1) }", "the function frobnicate"),
        ("function f(n) { return n } BEGIN { f(1) }", "the statement function"),
        ("BEGIN { while (1) n++ }", "the statement while"),
        ("BEGIN { do n++; while (n < 3) }", "the statement do"),
        ("{ for (i in k) print i }", "the statement for"),
        ("{ if ($1) print }", "the statement if"),
        ("{ print $1 ? 1 : 2 }", "a choice by ?"),
        ("$1 in k", "the statement in"),
        ("BEGIN { delete k[1] }", "the statement delete"),
        ("!seen[$1]++", "the array seen"),
        ('{ gsub(/a/, "b"); print }', "the function gsub"),
        ("length > 4", "the function length"),
        ("/a/,/b/", "a pattern up to another one"),
        ('BEGIN { RS = ";" }', "the variable RS"),
        ("BEGIN { print ARGC }", "the variable ARGC"),
        ("BEGIN { print 2 ^ 3 }", "the program at '^ 3 }'"),
        ("BEGIN { print 1 / 0 }", "a division by zero"),
        ("BEGIN { print (1 }", "the program at '}'"),
        ("/(/", "the pattern /(/"),
        ('BEGIN { x = "a}', "the program at '\"a}'"),
        ('BEGIN { s = "x"; ' + "s = s s; " * 21 + "}", "a value of more than 1 MiB"),
        ("BEGIN { $99999999 = 1 }", "the field $99999999"),
    ],
)
def test_what_is_not_modelled_is_named_and_fails(program: str, named: str) -> None:
    process, lines = run_script(f"echo a b | awk '{program}'; echo status $?")
    (problem,) = process.take_problems()
    assert problem.startswith("cannot interpret awk ") and named in problem
    assert problem.endswith(": taken to fail with status 2")
    assert lines == ["status 2"]


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ('1e300 * 1e300', "inf"),
        ('"3x" + 4', "7"),
        ('(1 > 2) "x"', "0x"),
    ],
)  # fmt: skip
def test_value(call: str, printed: str) -> None:
    assert lines_of(f"awk 'BEGIN {{ print {call} }}'") == [printed]


@pytest.mark.parametrize("words", ["-f prog.awk", "'{ print }' n=1 file", "--version"])
def test_a_command_line_that_is_not_modelled_is_named(words: str) -> None:
    process, lines = run_script(f"awk {words}; echo status $?")
    assert [problem.startswith("cannot interpret awk ") for problem in process.take_problems()] == [True]
    assert lines == ["status 2"]


def test_reader_that_stops_early_ends_the_pipe() -> None:
    assert lines_of("seq 1 5 | awk '$1 == 3 { print \"found\"; exit 7 }'; echo $?") == ["found", "7"]


def test_head_ends_an_awk_that_prints_for_ever() -> None:
    script = "while :; do echo tick; sleep 1; done | awk '{ print NR }' | head -n 2; echo done"
    assert lines_of(script)[:3] == ["1", "2", "done"]

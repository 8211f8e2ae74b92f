"""`pytest --spec-report`: which requirements of the specification are shown by a test that passed.

A test names what it shows with `@pytest.mark.spec("POD-TERM-07", ...)`. A requirement is covered when at
least one test naming it passed and none naming it failed. The requirements are the rows of the tables in
`docs/requirements/*.md` whose first column is `ID`, without `AMB-*`. Where a folder `../shared/spec` lies
beside the checkout, what its pages define counts besides.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
OWN_PAGES = TOP / "docs" / "requirements"
PAGES_BESIDE = TOP.parent / "shared" / "spec"

_ROW = re.compile(r"^\|\s*([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+)\s*\|", re.MULTILINE)


def requirements_in(markdown: str) -> list[str]:
    """The IDs that table rows of `markdown` define, in order; ambiguities are not requirements."""
    return [name for name in _ROW.findall(markdown) if not name.startswith("AMB-")]


def load_requirements(*folders: Path) -> list[str]:
    """Every requirement that the pages of these folders define, once, in order."""
    pages = [page for folder in folders for page in sorted(folder.glob("*.md"))]
    return list(dict.fromkeys(name for page in pages for name in requirements_in(page.read_text())))


def load_all_requirements() -> list[str]:
    """Those of the repository, then those that a specification beside it has more."""
    return load_requirements(OWN_PAGES, PAGES_BESIDE)


class SpecReport:
    """Collects outcomes (in the process that reports for all) and prints the report last."""

    def __init__(self, requirements: Iterable[str], show_missing: bool) -> None:
        self.requirements = list(requirements)
        self.show_missing = show_missing
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.unknown: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A passed call covers; a failure in any phase uncovers."""
        named = {value for key, value in report.user_properties if key == "spec"}
        for name in named.difference(self.requirements):
            self.unknown[name] = report.nodeid
        if report.failed:
            self.failed |= named
        elif report.passed and report.when == "call" and not hasattr(report, "wasxfail"):
            self.passed |= named

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A marker that names an unknown requirement fails the run."""
        if self.unknown and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def lines(self) -> list[str]:
        """The report; its last line is the figure that others read."""
        covered = [name for name in self.requirements if name in self.passed - self.failed]
        missing = [name for name in self.requirements if name not in self.passed - self.failed]
        lines = [
            f"spec: error: {name} is no requirement; named by {test}"
            for name, test in sorted(self.unknown.items())
        ]
        if self.show_missing:
            lines += missing
        else:
            lines += [
                f"spec: {family} {done} of {total}" for family, done, total in self.by_family(set(covered))
            ]
        return [*lines, f"spec: covered {len(covered)} of {len(self.requirements)} requirements"]

    def by_family(self, covered: set[str]) -> list[tuple[str, int, int]]:
        """(family, covered, all) for every family of IDs, such as POD-TERM, in the specification's order."""
        families: dict[str, list[bool]] = {}
        for name in self.requirements:
            families.setdefault(name.rpartition("-")[0], []).append(name in covered)
        return [(family, sum(shown), len(shown)) for family, shown in families.items()]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("specification")
    group.addoption("--spec-report", action="store_true", help="say which requirements passing tests show")
    group.addoption("--spec-missing", action="store_true", help="with --spec-report: list what no test shows")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--spec-report") or config.getoption("--spec-missing"):
        report = SpecReport(load_all_requirements(), config.getoption("--spec-missing"))
        config.pluginmanager.register(report, "podline-spec-report")
        # After every other report, so that the figure is the last line of all.
        config.add_cleanup(lambda: _print_report(config, report))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties travel with the reports of other processes; markers do not."""
    for item in items:
        for marker in item.iter_markers("spec"):
            item.user_properties += [("spec", name) for name in marker.args]


def _print_report(config: pytest.Config, report: SpecReport) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        for line in report.lines():
            terminal.write_line(line)

"""Ends a run with a line per decision table and their total, counted from the reports of all processes."""

import pytest

from tests.conformance.cases import adapted_tables, cases_folder, tables


class ConformanceReport:
    """Passed and counted cases by table. A skipped case (a gate we do not model) does not count."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, bool]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A case passes when its call passed and nothing around it failed."""
        for key, table in report.user_properties:
            if key == "conformance":
                cases = self.outcomes.setdefault(table, {})
                if report.failed:
                    cases[report.nodeid] = False
                elif report.when == "call" and report.passed:
                    cases.setdefault(report.nodeid, True)

    def lines(self) -> list[str]:
        """The report; the last line is the figure that others read."""
        known = tables()
        if not known:
            where = f"{cases_folder()} holds no decision tables; set CONFORMANCE_DIR to a folder that does"
            return [f"conformance: EVERYTHING SKIPPED: {where}", "conformance: total 0 of 0"]
        lines, passed, total = [], 0, 0
        for table in known:
            cases = self.outcomes.get(table)
            if cases is None:
                if table not in adapted_tables():
                    lines.append(f"conformance: {table}.json not yet")
                continue
            lines.append(f"conformance: {table}.json {sum(cases.values())} of {len(cases)}")
            passed, total = passed + sum(cases.values()), total + len(cases)
        return [*lines, f"conformance: total {passed} of {total}"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "conformance(table): a case of one decision table")
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin("podline-conformance"):
        config.pluginmanager.register(ConformanceReport(), "podline-conformance")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties travel with the reports of other processes; markers do not."""
    for item in items:
        for marker in item.iter_markers("conformance"):
            item.user_properties.append(("conformance", marker.args[0]))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """After pytest's own last line, so that the total is the last line of all."""
    report = config.pluginmanager.get_plugin("podline-conformance")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if report is not None and terminal is not None and report.outcomes:
        for line in report.lines():
            terminal.write_line(line)

"""`pytest --processes 2`: so many processes share the test files, each takes the next when done with one.

Under xdist every worker reads every file, and what it tells of each test costs more than most of these tests
do. Here a process reads what it runs, and the others tell the first what became of a file when they are done
with it. The first runs tests as well, and reports those of all.

What nobody has taken yet are the bytes of a pipe, two for each lot of files: who reads them has taken it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from itertools import pairwise
from queue import Empty, SimpleQueue
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.lots import find_files, make_lots

BYTES_OF_A_LOT = 2
LOOK_SECONDS, STOP_SECONDS = 0.2, 60.0
_HELPER = pytest.StashKey[list[int]]()
# With these a process ends that has run all it took: all passed, some failed, there was nothing to do.
_ENDED_WELL = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class Said(NamedTuple):
    """What is to be reported: by which hook, with what."""

    hook: str
    values: dict[str, Any]


class Sharer:
    """A process that runs lots as long as there are any."""

    def __init__(self, session: pytest.Session, untaken: int) -> None:
        self.config = session.config
        self.untaken = untaken
        self.lots: list[list[pytest.File]] = []
        self.collected = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Which files there are; what is in them is read when one is taken."""
        self.lots = make_lots(find_files(session))
        return True

    def take(self) -> list[pytest.File]:
        """The next lot; nothing when all are taken."""
        taken = os.read(self.untaken, BYTES_OF_A_LOT)
        return self.lots[int.from_bytes(taken, "big")] if taken else []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        while files := self.take():
            session.items = [item for file in files for item in session.genitems(file)]
            self.config.hook.pytest_collection_modifyitems(
                session=session, config=self.config, items=session.items
            )
            self.collected += len(session.items)
            self.run_lot(session)
        self.finish(session)
        return True

    def run_lot(self, session: pytest.Session) -> None:
        """Run what was collected last."""
        # After its last test a file is left; what belongs to the session stays for the next file.
        for item, following in pairwise([*session.items, session]):
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.after_test(session)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)

    def after_test(self, session: pytest.Session) -> None:
        """What else is to do after each test."""

    def finish(self, session: pytest.Session) -> None:
        """What else is to do when all lots are taken."""
        session.testscollected = self.collected


class Helper(Sharer):
    """A process that the first has started: it keeps what it would report, and tells the first."""

    def __init__(self, session: pytest.Session, untaken: int, told: int) -> None:
        super().__init__(session, untaken)
        self.told = os.fdopen(told, "wb")
        self.said: list[Said] = []

    def run_lot(self, session: pytest.Session) -> None:
        super().run_lot(session)
        self.tell()

    def tell(self) -> None:
        pickle.dump(self.said, self.told)
        self.told.flush()
        self.said = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self.tell()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.keep_report("pytest_runtest_logreport", report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self.keep_report("pytest_collectreport", report)

    def keep_report(self, hook: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.said.append(Said(hook, {"report": data}))

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.said.append(Said("pytest_deselected", {"items": [SimpleNamespace() for _ in items]}))

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        # A warning may hold anything; what the summary shows of it can be told.
        warning_message.message = f"{warning_message.category.__name__}: {warning_message.message}"
        warning_message.category, warning_message.source = Warning, None
        values = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        self.said.append(Said("pytest_warning_recorded", values))


class Started:
    """A helper as the first process sees it."""

    def __init__(self, config: pytest.Config, number: int, untaken: int) -> None:
        told, write = os.pipe()
        arguments = [*config.invocation_params.args, "--helper", f"{number},{untaken},{write}"]
        self.output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it is open as long as the process runs
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *map(str, arguments)],
            cwd=config.invocation_params.dir,
            pass_fds=(untaken, write),
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
        )
        os.close(write)
        self.heard: SimpleQueue[list[Said]] = SimpleQueue()
        # A pipe is soon full, and its writer would wait while a long test runs here.
        self.listener = threading.Thread(target=self._listen, args=(told,), daemon=True)
        self.listener.start()

    def _listen(self, told: int) -> None:
        with os.fdopen(told, "rb") as said:
            while True:
                try:
                    self.heard.put(pickle.load(said))
                # It has ended, or was ended while it wrote.
                except (EOFError, pickle.UnpicklingError):
                    return

    def next(self, seconds: float) -> list[Said] | None:
        """What it said next; None when it says nothing for so long."""
        try:
            return self.heard.get(timeout=seconds)
        except Empty:
            return None

    def stop(self) -> None:
        """End it if it runs still; what its tests have started it ends itself."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.output.close()

    def read_output(self) -> str:
        self.output.seek(0)
        return self.output.read()


class First(Sharer):
    """The process that was started by hand: it starts the others, and reports what all have found."""

    def __init__(self, session: pytest.Session, processes: int) -> None:
        untaken, self.put = os.pipe()
        super().__init__(session, untaken)
        self.helpers = [Started(session.config, number, untaken) for number in range(1, processes)]
        self.lots_done = 0

    def pytest_collection(self, session: pytest.Session) -> bool:
        super().pytest_collection(session)
        numbers = range(len(self.lots))
        os.write(self.put, b"".join(number.to_bytes(BYTES_OF_A_LOT, "big") for number in numbers))
        os.close(self.put)
        return True

    def run_lot(self, session: pytest.Session) -> None:
        super().run_lot(session)
        self.lots_done += 1

    def after_test(self, session: pytest.Session) -> None:
        for helper in self.helpers:
            while said := helper.next(0):
                self.report(session, said)
        self.reckon(session)

    def finish(self, session: pytest.Session) -> None:
        """Wait for what the others still run."""
        for helper in self.helpers:
            while helper.process.poll() is None:
                self.report(session, helper.next(LOOK_SECONDS) or [])
            helper.listener.join(STOP_SECONDS)
            self.after_test(session)
            if helper.process.returncode not in _ENDED_WELL:
                raise session.Interrupted(f"a process ended before its tests:\n{helper.read_output()}")

    def report(self, session: pytest.Session, said: list[Said]) -> None:
        self.lots_done += bool(said)
        # More than there are tests among it: what is told is reckoned after it.
        session.testscollected += len(said)
        for hook, values in said:
            if data := values.get("report"):
                given = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
                values = {"report": given}
            getattr(self.config.hook, hook)(**values)

    def reckon(self, session: pytest.Session) -> None:
        """Of how many tests those that ran are so many percent: nobody has counted what is not read yet."""
        ran = self.config.pluginmanager.get_plugin("terminalreporter").reported_progress
        session.testscollected = ran * len(self.lots) // max(self.lots_done, 1)

    def pytest_unconfigure(self) -> None:
        for helper in self.helpers:
            helper.stop()


def read_processes(config: pytest.Config) -> int:
    """How many are to share the files: one alone where tests are named, or only listed."""
    is_about_some = any("::" in argument for argument in config.args)
    return 1 if is_about_some or config.option.collectonly else config.option.processes


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sharing")
    group.addoption("--processes", type=int, default=1, metavar="N", help="share the files among N processes")
    group.addoption("--helper", default="", help="not by hand: the number and the pipes of a further process")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.stash[_HELPER] = [int(one) for one in config.option.helper.split(",") if one]
    if config.stash[_HELPER]:
        # By this other plugins know that they are not to write what the first process writes.
        config.workerinput = {"workerid": f"helper{config.stash[_HELPER][0]}"}  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if config.stash[_HELPER]:
        _, untaken, told = config.stash[_HELPER]
        config.pluginmanager.register(Helper(session, untaken, told), "podline-sharing")
    elif (processes := read_processes(config)) > 1:
        # Dots of several files stand in one line.
        config.pluginmanager.get_plugin("terminalreporter").showfspath = False
        config.pluginmanager.register(First(session, processes), "podline-sharing")

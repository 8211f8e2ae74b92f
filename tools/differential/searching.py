"""Runs many scenarios, here or beside a real cluster, and makes small what is found."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from tools.differential.case import Case
from tools.differential.judging import CHANCE, Verdict, judge_alone, judge_beside
from tools.differential.recorder import Recorder, Slot
from tools.differential.shrinking import shrink

LOW_PRIORITY = 10
APART_SECONDS = 0.5
"""Between two scenarios' starts: the first moments of many at once are more than a small machine bears."""


class Alone:
    """The search without a real cluster."""

    at_once = 1

    def judge(self, cases: Iterable[Case]) -> Iterator[Verdict]:
        """Verdicts, as they come."""
        yield from map(judge_alone, cases)


class Beside:
    """The search beside a real cluster: as many scenarios at once as there are slots.

    Ours run in a process of their own, at a low priority: nobody who listens to the cluster waits for them.
    """

    def __init__(self, recorder: Recorder, slots: Sequence[Slot], folder: Path) -> None:
        self.at_once = len(slots)
        self._recorder, self._folder = recorder, folder
        self._free: queue.Queue[Slot] = queue.Queue()
        for slot in slots:
            self._free.put(slot)
        self._starts = threading.Lock()
        self._runs = ProcessPoolExecutor(1, initializer=os.nice, initargs=(LOW_PRIORITY,))
        self._threads = ThreadPoolExecutor(len(slots))

    def judge(self, cases: Iterable[Case]) -> Iterator[Verdict]:
        """Verdicts, as they come."""
        for done in as_completed([self._threads.submit(self._judge, case) for case in cases]):
            yield done.result()

    def _judge(self, case: Case) -> Verdict:
        slot = self._free.get()
        with self._starts:
            time.sleep(APART_SECONDS)
        try:
            path = self._folder / f"{case.name}.{slot.name}.real.jsonl.gz"
            wall = self._recorder.record(case, slot, path)
        except (OSError, ValueError) as problem:
            return Verdict(case, "not recorded", text=str(problem))
        finally:
            self._free.put(slot)
        case, recorder = replace(case, epoch=wall[:23] + "Z"), self._recorder
        return self._runs.submit(judge_beside, case, path, recorder.release, recorder.timing).result()


Search = Alone | Beside


def run_again(search: Search, found: Sequence[Verdict], times: int) -> list[Verdict]:
    """The verdicts as they stand after so many further runs; chance is what one of them does not show.

    Of what stands the last run is told, with what all of them showed.
    """
    standing = {one.case.name: one for one in found}
    for _ in range(times):
        for one in search.judge([before.case for before in standing.values() if not before.is_sound]):
            before = standing[one.case.name].shown
            # What could not be recorded shows nothing: it is no chance, and makes nothing forgotten.
            shown = one.shown & before if before else one.shown
            if not one.shown and not one.is_sound:
                shown = before
            is_chance = one.is_sound or (one.shown and not shown)
            standing[one.case.name] = replace(one, word=CHANCE if is_chance else one.word, shown=shown)
    return [*standing.values()]


def shrink_verdict(search: Search, found: Verdict, most_tries: int) -> Verdict:
    """The verdict on the smallest scenario that shows one of the same marks."""
    smallest = [found]

    def find_showing(cases: Sequence[Case]) -> Case | None:
        showing = [one for one in search.judge(cases) if not one.is_sound and one.marks & found.marks]
        if not showing:
            return None
        smallest[0] = min(showing, key=lambda one: len(one.case.to_text()))
        return smallest[0].case

    shrink(found.case, find_showing, search.at_once, most_tries)
    return smallest[0]

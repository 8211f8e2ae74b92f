"""The same work by several processes: what comes back, and its order, does not depend on how many."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

Result = TypeVar("Result")
_work: Callable[[int], Any] | None = None
_COLLECT_AFTER = 40
"""A future leaves half a megabyte of garbage: it is looked for after so many of them."""
_done = count(1)


def count_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def do_all(work: Callable[[Any], Result], jobs: Sequence[Any], processes: int) -> Iterator[Result]:
    """`work(job)` of each job, in their order. A process begins with all that this one knows."""
    few = min(processes, len(jobs))
    if few < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, jobs)
        return
    global _work
    was, _work = _work, lambda place: work(jobs[place])
    try:
        with kept_shared():
            yield from _spread(len(jobs), few)
    finally:
        _work = was


@contextmanager
def kept_shared() -> Iterator[None]:
    """What processes share stays shared meanwhile: nobody looks for garbage in it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _spread(jobs: int, processes: int) -> Iterator[Any]:
    """Unlike those of a Pool, these processes may have processes of their own."""
    # Loaded by need: many commands end without it.
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), gc.disable)
    try:
        yield from executor.map(_do, range(jobs))
    finally:
        executor.shutdown(cancel_futures=True)


def _do(place: int) -> Any:
    assert _work is not None, "set before the process was made"
    if not next(_done) % _COLLECT_AFTER:
        gc.collect()
    return _work(place)

"""The limit for the engine: a bare heap loop that takes eight timed steps a pod and decides nothing."""

from collections.abc import Callable
from heapq import heappop, heappush

STEPS = 8

Entry = tuple[int, int, int, int]


def run_heap_loop(pods: int) -> int:
    """Push and pop (due, sequence, kind, target) tuples; the number of steps taken."""
    handlers: list[Callable[[int, int], int]] = [_make_handler(kind) for kind in range(STEPS)]
    heap: list[Entry] = []
    sequence = 0
    for pod in range(pods):
        sequence += 1
        heappush(heap, (pod % 1000, sequence, 0, pod))
    taken = 0
    while heap:
        due, _, kind, pod = heappop(heap)
        delay = handlers[kind](due, pod)
        taken += 1
        if kind + 1 < STEPS:
            sequence += 1
            heappush(heap, (due + delay, sequence, kind + 1, pod))
    return taken


def compare_rows(loop_seconds: float, pods: int, rows: int, seconds: float) -> float:
    """The `row_ratio` of rows recorded in so many seconds, by a loop for so many pods in the same run.

    A loop of 1 s for 125,000 pods takes 1 µs a step. 500,000 rows in 2 s take 4 µs each: 0.25, four steps a
    row.
    """
    return round(loop_seconds / (pods * STEPS) * rows / seconds, 4)


def _make_handler(kind: int) -> Callable[[int, int], int]:
    delay = 100 * (kind + 1)

    def handle(due: int, pod: int) -> int:
        return delay

    return handle

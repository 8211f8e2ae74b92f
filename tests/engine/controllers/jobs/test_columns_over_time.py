"""What `kubectl get` shows of Jobs and CronJobs, at every instant against what has happened by then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle.engine.kinds.presentation import decide_columns
from tests.engine.controllers.shift import Shift, make_job

Row = dict[str, Any]
JOB_SPEC = make_job(command="sleep 75")["spec"]
HOURLY = {"schedule": "* * * * *", "jobTemplate": {"spec": JOB_SPEC}}
CRON_JOB = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "work"}, "spec": HOURLY}


def live(shift: Shift, seconds: int) -> Iterator[tuple[int, list[Row]]]:
    """Each instant in which something happens, and all transitions by its end."""
    cluster = shift.cluster
    until_ms = cluster.now_ms + seconds * 1000
    while True:
        yield cluster.now_ms, [row for row in shift.rows if row["type"] == "transition"]
        if cluster.now_ms >= until_ms:
            return
        cluster.run_until(until_ms, stop=lambda _: True)


def show(shift: Shift, kind: str) -> dict[str, Any]:
    cluster = shift.cluster
    return decide_columns(shift.get(kind, "work"), cluster.now_ms, epoch_ms=cluster.epoch_ms)


def human(ms: int) -> str:
    """As kubectl writes it, below ten minutes."""
    minutes, seconds = divmod(ms // 1000, 60)
    if minutes < 2:
        return f"{ms // 1000}s"
    return f"{minutes}m{seconds}s" if seconds else f"{minutes}m"


def second_of(row: Row) -> int:
    """The whole second, in ms, that the API tells."""
    return row["at_ms"] // 1000 * 1000


@pytest.mark.spec("JOB-EX-19", "JOB-PAR-01")
@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_completions_and_duration_are_right_at_every_instant(timing: str) -> None:
    shift, seen = Shift(timing), set()
    shift.apply(make_job(command="sleep 7", completions=5, parallelism=2))
    for now_ms, rows in live(shift, 90):
        of_job = [row for row in rows if row["kind"] == "Job"]
        began = next((row for row in of_job if row["field"] == "active"), None)
        ended = next((row for row in of_job if row["field"] == "condition.Complete"), None)
        succeeded = [row["new"] for row in of_job if row["field"] == "succeeded"]
        shown = show(shift, "Job")
        assert shown["COMPLETIONS"] == f"{succeeded[-1] if succeeded else 0}/5"
        until_ms = second_of(ended) if ended is not None else now_ms
        assert shown["DURATION"] == ("" if began is None else human(until_ms - second_of(began))), now_ms
        seen.add(shown["COMPLETIONS"])
    assert {"0/5", "2/5", "4/5", "5/5"} <= seen


@pytest.mark.spec("CRON-CONC-01")
@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_active_and_last_schedule_are_right_at_every_instant(timing: str) -> None:
    shift, seen = Shift(timing), set()
    shift.apply(CRON_JOB)
    for now_ms, rows in live(shift, 300):
        made = [row for row in rows if row["kind"] == "Job" and row["new"] == "created"]
        ended = [row for row in rows if row["kind"] == "Job" and row["field"] == "condition.Complete"]
        shown = show(shift, "CronJob")
        # Each begins a tenth of a second after its minute.
        last_ms = made[-1]["at_ms"] // 60_000 * 60_000 if made else None
        assert shown["LAST SCHEDULE"] == ("<none>" if last_ms is None else human(now_ms - last_ms)), now_ms
        assert shown["ACTIVE"] == len(made) - len(ended), now_ms
        seen.add(shown["ACTIVE"])
    assert {0, 1, 2} <= seen

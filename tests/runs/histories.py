"""Histories to compare: what was recorded, and what an engine left alone makes of the same commands."""

from typing import Any

from lifecycle import frames
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.models import Cluster, Command, Event, Transition
from lifecycle.runs import checkpoints


def recorded(cluster: Cluster) -> list[dict[str, Any]]:
    """Every row there is in the database, above the cursor too."""
    rows = [frames.transition_json(row) for row in Transition.objects.filter(cluster=cluster)]
    rows += [frames.event_json(row) for row in Event.objects.filter(cluster=cluster)]
    return sorted(rows, key=lambda row: row["seq"])


def replayed(cluster: Cluster) -> list[dict[str, Any]]:
    """The rows of an uninterrupted run of (seed, epoch, settings, commands and their instants)."""
    cluster.refresh_from_db()
    engine = checkpoints.new_engine(cluster)
    done = cluster.commands.filter(state=Command.State.DONE, instant_ms__isnull=False)
    for command in done.order_by("instant_ms", "order"):
        engine.run_until(command.instant_ms)
        engine.submit(checkpoints.engine_command(command))
    engine.run_until(cluster.instant_ms)
    return [row_to_json(row) for row in engine.take_changes().rows]


def assert_whole(cluster: Cluster) -> None:
    """No gap, no double, nothing above the cursor, and equal to an uninterrupted replay."""
    rows = recorded(cluster)
    expected = replayed(cluster)
    assert [row["seq"] for row in rows] == list(range(1, cluster.seq + 1))
    assert rows == expected

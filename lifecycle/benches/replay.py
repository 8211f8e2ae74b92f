"""Is a recorded history what an uninterrupted run of the recorded commands gives, row for row?"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from lifecycle import reads
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.models import Cluster, Command
from lifecycle.runs import checkpoints

PAGE_ROWS = 2000


def find_difference(cluster: Cluster, is_pinned: bool = False) -> str:
    """The first row that differs, as text; "" when there is none.

    `is_pinned`: the commands enter at the instants they were pinned to, whatever was recorded of them.
    """
    cluster.refresh_from_db()
    column = "pinned_ms" if is_pinned else "instant_ms"
    for recorded, expected in zip_longest(_recorded(cluster), _replayed(cluster, column)):
        if recorded != expected:
            return f"recorded {recorded}, expected {expected}"
    return ""


def _recorded(cluster: Cluster) -> Iterator[dict[str, Any]]:
    after = 0
    while after < cluster.seq:
        rows = reads.rows_since(cluster, after, PAGE_ROWS)
        if not rows:
            return
        yield from rows
        after += PAGE_ROWS


def _replayed(cluster: Cluster, column: str) -> Iterator[dict[str, Any]]:
    engine = checkpoints.new_engine(cluster)
    done = cluster.commands.filter(state=Command.State.DONE, instant_ms__isnull=False)
    for command in done.order_by(column, "order"):
        engine.run_until(getattr(command, column))
        engine.submit(checkpoints.engine_command(command))
        yield from map(row_to_json, engine.take_changes().rows)
    engine.run_until(cluster.instant_ms)
    yield from map(row_to_json, engine.take_changes().rows)

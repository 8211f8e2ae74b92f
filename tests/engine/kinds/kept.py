"""A history of an engine, kept as a cluster of the database."""

from __future__ import annotations

from lifecycle.engine import Changes
from lifecycle.engine import Cluster as Engine
from lifecycle.models import Cluster
from lifecycle.runs import recorder
from lifecycle.runs.container_logs import Tails
from tests.builders import make_cluster


def keep(engine: Engine) -> Cluster:
    """All that was not taken yet, recorded."""
    return keep_changes(engine.take_changes(), engine.now_ms)


def keep_changes(changes: Changes, now_ms: int) -> Cluster:
    """These changes of an engine that has come to `now_ms`, recorded."""
    cluster = make_cluster()
    piece = recorder.Slice(now_ms, changes.rows, changes.versions)
    recorder.record(cluster, cluster.fence, piece, Tails(cluster.pk))
    return cluster

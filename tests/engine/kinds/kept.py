"""A history of an engine, kept as a cluster of the database."""

from __future__ import annotations

from lifecycle.engine import Cluster as Engine
from lifecycle.models import Cluster
from lifecycle.runs import recorder
from lifecycle.runs.container_logs import Tails
from tests.builders import make_cluster


def keep(engine: Engine) -> Cluster:
    """All that was not taken yet, recorded."""
    cluster, changes = make_cluster(), engine.take_changes()
    piece = recorder.Slice(engine.now_ms, changes.rows, changes.versions)
    recorder.record(cluster, cluster.fence, piece, Tails(cluster.pk))
    return cluster

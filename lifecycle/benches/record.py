"""`bench record`: a rollout's slices through the recorder, against raw inserts (or COPY) of equal rows."""

from django.db import connection, transaction

from lifecycle.benches import scratch, workload
from lifecycle.benches.report import Report, timed
from lifecycle.engine import Changes
from lifecycle.models import Cluster
from lifecycle.runs import bulk, recorder
from lifecycle.runs.container_logs import Tails
from lifecycle.runs.recorder import Slice


def run(pods: int, nodes: int) -> Report:
    """Run the engine first; then only the database is measured, with the same slices twice."""
    slices = _make_slices(pods, nodes)
    with scratch.database():
        recorded, raw = scratch.make_cluster("recorded"), scratch.make_cluster("raw")
        batches = _make_batches(raw, slices)
        rows = sum(len(rows) for batch in batches for _, rows in batch)
        raw_seconds, _ = timed(lambda: _insert_raw(batches))
        seconds, _ = timed(lambda: _record(recorded, slices))
        size = _database_bytes()
    return Report(
        bench="record",
        work={"pods": pods, "nodes": nodes, "slices": len(slices), "database": connection.vendor},
        figures={
            "rows": rows,
            "seconds": round(seconds, 3),
            "rows_per_second": round(rows / seconds),
            "bytes_per_row": round(size / 2 / rows),
        },
        limit_what="raw batched inserts of equal rows, rows/s",
        limit_value=round(rows / raw_seconds),
        ratio=round(raw_seconds / seconds, 4),
    )


def _make_slices(pods: int, nodes: int) -> list[Slice]:
    engine = workload.make_engine(pods, nodes)
    slices: list[Slice] = []

    def take(changes: Changes) -> None:
        slices.append(Slice(engine.now_ms, changes.rows, changes.versions, changes.logs))

    workload.create(engine, workload.make_deployment(pods))
    take(engine.take_changes())
    workload.run(engine, workload.LIMIT_MS, take, workload.is_ready(engine, pods))
    return slices


def _make_batches(cluster: Cluster, slices: list[Slice]) -> list[list[tuple[bulk.Table, list[bulk.Values]]]]:
    batches = []
    for piece in slices:
        rendered = recorder.render(cluster, piece)
        batches.append(
            [
                (recorder.TRANSITIONS, rendered.transitions),
                (recorder.EVENTS, rendered.events),
                (recorder.VERSIONS, rendered.versions),
                (recorder.OBJECTS, rendered.objects),
            ]
        )
    return batches


def _insert_raw(batches: list[list[tuple[bulk.Table, list[bulk.Values]]]]) -> None:
    for batch in batches:
        with transaction.atomic():
            for table, rows in batch:
                if table.name == recorder.OBJECTS.name:
                    bulk.upsert(table, rows)
                else:
                    bulk.insert(table, rows)


def _record(cluster: Cluster, slices: list[Slice]) -> None:
    for piece in slices:
        recorder.record(cluster, cluster.fence, piece, Tails(cluster.pk))


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return int(cursor.fetchone()[0])

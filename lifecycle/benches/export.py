"""`bench export`: a run's transitions as NDJSON, against a raw cursor and the same JSON library."""

import hashlib
import multiprocessing
import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
from django.db import connection, transaction

from lifecycle.benches import scratch, workload
from lifecycle.benches.report import Report, peak_rss_mb, timed
from lifecycle.engine import Changes, Command
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import Transition as TransitionRow
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.frames import TRANSITION_COLUMNS
from lifecycle.models import Cluster, Transition
from lifecycle.runs import recorder
from lifecycle.runs.container_logs import Tails
from lifecycle.runs.recorder import Slice
from lifecycle.sources import TRANSITIONS, Cursor
from lifecycle.writers import write_ndjson

FETCH_ROWS = 1000
JSON_COLUMNS = ("old", "new", "cause", "detail")
PODS, NODES = 1000, 100
# Long enough for a restart of every pod.
RESTART_EVERY_MS = 900_000


def run(rows: int) -> Report:
    """Record a run of so many transitions, then read them all, raw and exported."""
    with scratch.database():
        cluster = scratch.make_cluster("export")
        expected = _fill_apart(cluster, rows)
        raw_seconds, _ = timed(lambda: _read_raw(cluster))
        before = _rss_mb()
        seconds, (lines, found, most) = timed(lambda: _export(cluster))
    if (lines, found) != expected:
        raise RuntimeError(f"exported {lines} rows with hash {found}, expected {expected}")
    return Report(
        bench="export",
        work={"rows": lines, "database": connection.vendor},
        figures={
            "seconds": round(seconds, 3),
            "rows_per_second": round(lines / seconds),
            "rss_growth_mb": round(max(0.0, most - before), 1),
            "hash": found,
        },
        limit_what="raw cursor and encoder, rows/s",
        limit_value=round(lines / raw_seconds),
        ratio=round(raw_seconds / seconds, 4),
    )


def _fill_apart(cluster: Cluster, rows: int) -> tuple[int, str]:
    """`_fill` in a process of its own: what the run takes does not hide what the export takes."""
    connection.close()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        filled = pool.submit(_fill, cluster, rows).result()
    cluster.refresh_from_db()
    return filled


def _fill(cluster: Cluster, rows: int) -> tuple[int, str]:
    """Restart a Deployment until there are `rows` transitions: how many, and the hash of their lines."""
    engine = workload.make_engine(PODS, NODES)
    run = _Run(cluster, engine)
    workload.create(engine, workload.make_deployment(PODS))
    while run.transitions < rows:
        engine.submit(Command(id=f"restart-{engine.now_ms}", kind="rollout", payload=workload.RESTART))
        workload.run(engine, engine.now_ms + RESTART_EVERY_MS, run.take)
    with connection.cursor() as cursor:
        # A database that has run for a while knows how its tables are filled.
        cursor.execute("ANALYZE")
    connection.close()
    return run.transitions, run.digest.hexdigest()


class _Run:
    """Records what an engine did, and hashes its transitions as the trace has them."""

    def __init__(self, cluster: Cluster, engine: Engine) -> None:
        self.cluster, self.engine = cluster, engine
        self.digest, self.transitions = hashlib.sha256(), 0

    def take(self, changes: Changes) -> None:
        lines = [
            orjson.dumps(row_to_json(row), option=orjson.OPT_APPEND_NEWLINE)
            for row in changes.rows
            if isinstance(row, TransitionRow)
        ]
        self.digest.update(b"".join(lines))
        self.transitions += len(lines)
        piece = Slice(self.engine.now_ms, changes.rows, changes.versions, changes.logs)
        recorder.record(self.cluster, self.cluster.fence, piece, Tails(self.cluster.pk))


def _export(cluster: Cluster) -> tuple[int, str, float]:
    """(rows, hash, most memory in MiB on the way) of the NDJSON, its cursor line left out."""
    digest, lines, most = hashlib.sha256(), 0, 0.0
    pages = TRANSITIONS.walk(Transition.objects.filter(cluster=cluster), as_written=True)
    for chunk in write_ndjson(pages, TRANSITIONS.keys, Cursor(cluster.seq)):
        most = max(most, _rss_mb())
        if chunk.startswith(b'{"type":"cursor"'):
            break
        digest.update(chunk)
        lines += chunk.count(b"\n")
    return lines, digest.hexdigest(), most


def _read_raw(cluster: Cluster) -> int:
    return sum(len(chunk) for chunk in _raw_chunks(cluster))


def _raw_chunks(cluster: Cluster) -> Iterator[bytes]:
    with transaction.atomic(), connection.cursor() as cursor:
        columns = [
            # Its text, as SQLite keeps it: PostgreSQL's driver would read the JSON.
            f'CAST("{name}" AS text)' if name in JSON_COLUMNS else f'"{name}"'
            for name in TRANSITION_COLUMNS
        ]
        cursor.execute(
            f"SELECT {', '.join(columns)} FROM {Transition._meta.db_table}"
            " WHERE cluster_id = %s ORDER BY seq",
            [cluster.pk],
        )
        while page := cursor.fetchmany(FETCH_ROWS):
            yield b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page])


def _rss_mb() -> float:
    """The memory this process holds now, in MiB; where /proc is not there, the most it ever held."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return peak_rss_mb()
    return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20

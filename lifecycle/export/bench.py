"""`bench export`: transitions as NDJSON, against a raw cursor whose rows the same JSON library encodes."""

import hashlib
import resource
from collections.abc import Iterator
from typing import Any

import orjson
from django.db import connection, transaction

from lifecycle import bulk, recorder
from lifecycle.benches import scratch
from lifecycle.benches.report import Report, timed
from lifecycle.export.formats import write_ndjson
from lifecycle.export.sources import TRANSITIONS, Cursor
from lifecycle.frames import TRANSITION_COLUMNS
from lifecycle.models import Cluster, Transition

FETCH_ROWS = 1000
PODS = 1000


def run(rows: int) -> Report:
    """Fill a cluster with plausible transitions, then read them all, raw and exported."""
    with scratch.database():
        cluster = scratch.make_cluster("export")
        expected = _fill(cluster, rows)
        raw_seconds, _ = timed(lambda: _read_raw(cluster))
        before = _rss_kib()
        seconds, (lines, found) = timed(lambda: _export(cluster))
        growth_mb = max(0, _rss_kib() - before) / 1024
    if (lines, found) != (rows, expected):
        raise RuntimeError(f"exported {lines} rows with hash {found}, expected {rows} with {expected}")
    return Report(
        bench="export",
        work={"rows": rows, "database": connection.vendor},
        figures={
            "seconds": round(seconds, 3),
            "rows_per_second": round(rows / seconds),
            "rss_growth_mb": round(growth_mb, 1),
            "hash": found,
        },
        limit_what="raw cursor and encoder, rows/s",
        limit_value=round(rows / raw_seconds),
        ratio=round(raw_seconds / seconds, 4),
    )


def _make_row(pk: int, seq: int) -> tuple[Any, ...]:
    pod = seq % PODS
    owner, uid = "ReplicaSet/web-5d9c8b7f6", f"0b9c3a52-8b5e-4f7e-9d55-{pod:012d}"
    state = orjson.dumps({"exitCode": 1, "restartCount": seq // PODS}).decode() if seq % 5 == 0 else None
    return (
        *(pk, seq, seq * 3, "Pod", "default", f"web-5d9c8b7f6-{pod:05d}", uid, owner),
        *("container.app.state", '"Waiting"', '"Running"', "Started", None, str(max(seq - 1, 1)), state),
    )


def _fill(cluster: Cluster, rows: int) -> str:
    """Write the rows; the hash of the lines they should give."""
    digest = hashlib.sha256()
    for start in range(1, rows + 1, recorder.BATCH_ROWS):
        batch = [
            _make_row(cluster.pk, seq) for seq in range(start, min(start + recorder.BATCH_ROWS, rows + 1))
        ]
        with transaction.atomic():
            bulk.insert(recorder.TRANSITIONS, batch)
        for values in batch:
            digest.update(_line_of(values[1:]))
    Cluster.objects.filter(pk=cluster.pk).update(seq=rows, instant_ms=rows * 3)
    with connection.cursor() as cursor:
        # A database that has run for a while knows how its tables are filled.
        cursor.execute("ANALYZE")
    return digest.hexdigest()


def _line_of(values: tuple[Any, ...]) -> bytes:
    row: dict[str, Any] = {"type": "transition"} | dict(zip(TRANSITION_COLUMNS, values, strict=True))
    for name in ("old", "new", "cause", "detail"):
        row[name] = None if row[name] is None else orjson.loads(row[name])
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def _export(cluster: Cluster) -> tuple[int, str]:
    """(rows, hash) of the NDJSON, its cursor line left out."""
    digest, lines = hashlib.sha256(), 0
    pages = TRANSITIONS.walk(Transition.objects.filter(cluster=cluster))
    for chunk in write_ndjson(pages, TRANSITIONS.keys, Cursor(cluster.seq)):
        if chunk.startswith(b'{"type":"cursor"'):
            break
        digest.update(chunk)
        lines += chunk.count(b"\n")
    return lines, digest.hexdigest()


def _read_raw(cluster: Cluster) -> int:
    return sum(len(chunk) for chunk in _raw_chunks(cluster))


def _raw_chunks(cluster: Cluster) -> Iterator[bytes]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(TRANSITION_COLUMNS)} FROM {Transition._meta.db_table}"
            " WHERE cluster_id = %s ORDER BY seq",
            [cluster.pk],
        )
        while page := cursor.fetchmany(FETCH_ROWS):
            yield b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page])


def _rss_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

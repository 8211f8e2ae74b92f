"""What containers wrote: the last 64 KiB of a container's current and previous run."""

from collections.abc import Iterable

from django.db.models import Q

from lifecycle import bulk
from lifecycle.models import ContainerLog

KEPT_BYTES = 64 * 1024
LOGS = bulk.Table(
    ContainerLog._meta.db_table,
    ("cluster_id", "uid", "container", "attempt", "started_ms", "text"),
    ("cluster_id", "uid", "container", "attempt"),
)

# (pod uid, container, attempt, instant in ms, text)
Line = tuple[str, str, int, int, str]
Run = tuple[str, str, int]


def write(cluster_id: int, lines: Iterable[Line]) -> None:
    """Add lines to what is kept; runs before the previous one are forgotten."""
    texts: dict[Run, list[str]] = {}
    first_ms: dict[Run, int] = {}
    for uid, container, attempt, at_ms, text in lines:
        run = (uid, container, attempt)
        # PostgreSQL's text holds no NUL.
        texts.setdefault(run, []).append(text.replace("\x00", "\ufffd"))
        first_ms.setdefault(run, at_ms)
    if not texts:
        return
    known = {
        (row.uid, row.container, row.attempt): row
        for row in ContainerLog.objects.filter(cluster_id=cluster_id, uid__in={run[0] for run in texts})
    }
    rows = []
    for run, parts in texts.items():
        before = known.get(run)
        text = (before.text if before else "") + "".join(_as_lines(parts))
        started_ms = before.started_ms if before else first_ms[run]
        rows.append((cluster_id, *run, started_ms, _tail(text)))
    bulk.upsert(LOGS, rows)
    _forget(cluster_id, texts)


def _as_lines(parts: list[str]) -> Iterable[str]:
    return (part if part.endswith("\n") else f"{part}\n" for part in parts)


def _tail(text: str) -> str:
    """The last bytes of a text, from the beginning of a line."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= KEPT_BYTES:
        return text
    tail = encoded[-KEPT_BYTES:].decode("utf-8", "ignore")
    return tail.partition("\n")[2] or tail


def _forget(cluster_id: int, runs: Iterable[Run]) -> None:
    old = Q()
    for uid, container, attempt in runs:
        if attempt >= 2:
            old |= Q(uid=uid, container=container, attempt__lt=attempt - 1)
    if old:
        ContainerLog.objects.filter(old, cluster_id=cluster_id).delete()

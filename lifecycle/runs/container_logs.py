"""What containers wrote: the last 64 KiB of a container's current and previous run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import Q

from lifecycle.models import ContainerLog
from lifecycle.runs import bulk

KEPT_BYTES = 64 * 1024
COPIED_AT_ONCE = 100
LOGS = bulk.Table(
    ContainerLog._meta.db_table,
    ("cluster_id", "uid", "container", "attempt", "started_ms", "text", "lines"),
    ("cluster_id", "uid", "container", "attempt"),
)

# (pod uid, container, attempt, instant in ms, text)
Line = tuple[str, str, int, int, str]
Run = tuple[str, str, int]
# [instant in ms, how many lines were written then], in order
Marks = list[list[int]]


@dataclass
class _Written:
    """What one run wrote, and when."""

    started_ms: int | None
    texts: list[str] = field(default_factory=list)
    marks: Marks = field(default_factory=list)

    def add(self, at_ms: int, text: str) -> None:
        text = bulk.plain(text if text.endswith("\n") else f"{text}\n")
        self.texts.append(text)
        if self.marks and self.marks[-1][0] == at_ms:
            self.marks[-1][1] += text.count("\n")
        else:
            self.marks.append([at_ms, text.count("\n")])


def write(cluster_id: int, lines: Iterable[Line]) -> None:
    """Add lines to what is kept; runs before the previous one are forgotten."""
    runs: dict[Run, _Written] = {}
    for uid, container, attempt, at_ms, text in lines:
        runs.setdefault((uid, container, attempt), _Written(at_ms)).add(at_ms, text)
    if not runs:
        return
    known = {
        (row.uid, row.container, row.attempt): row
        for row in ContainerLog.objects.filter(cluster_id=cluster_id, uid__in={run[0] for run in runs})
    }
    rows = []
    for run, written in runs.items():
        before = known.get(run) or ContainerLog(started_ms=written.started_ms)
        text, marks = _tail(before.text + "".join(written.texts), before.lines + written.marks)
        rows.append((cluster_id, *run, before.started_ms, text, bulk.to_text(marks)))
    bulk.upsert(LOGS, rows)
    _forget(cluster_id, runs)


def copy(parent_id: int, child_id: int, at_ms: int) -> None:
    """What the containers of `parent_id` had written at an instant becomes the logs of `child_id`.

    Runs the parent has forgotten since, and lines it has cut off, are not known any more.
    """
    rows: list[bulk.Values] = []
    for row in ContainerLog.objects.filter(cluster_id=parent_id, started_ms__lte=at_ms).iterator():
        text, marks = _until(row, at_ms)
        run = (row.uid, row.container, row.attempt)
        rows.append((child_id, *run, row.started_ms, text, bulk.to_text(marks)))
        if len(rows) == COPIED_AT_ONCE:
            bulk.insert(LOGS, rows)
            rows = []
    bulk.insert(LOGS, rows)


def _until(row: ContainerLog, at_ms: int) -> tuple[str, Marks]:
    later = sum(lines for written_ms, lines in row.lines if written_ms > at_ms)
    # Every line ends in a newline, so that the last part is empty.
    kept = row.text.split("\n")[: -1 - later]
    return "".join(f"{line}\n" for line in kept), [mark for mark in row.lines if mark[0] <= at_ms]


def _tail(text: str, marks: Marks) -> tuple[str, Marks]:
    """The last bytes of a text, from the beginning of a line."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= KEPT_BYTES:
        return text, marks
    tail = encoded[-KEPT_BYTES:].decode("utf-8", "ignore")
    tail = tail.partition("\n")[2] or tail
    return tail, list(_newest(marks, tail.count("\n")))


def _newest(marks: Marks, lines: int) -> Iterator[list[int]]:
    """The marks of the last `lines` lines."""
    cut = sum(count for _, count in marks) - lines
    for at_ms, count in marks:
        if count > cut:
            yield [at_ms, count - max(0, cut)]
        cut -= count


def _forget(cluster_id: int, runs: Iterable[Run]) -> None:
    old = Q()
    for uid, container, attempt in runs:
        if attempt >= 2:
            old |= Q(uid=uid, container=container, attempt__lt=attempt - 1)
    if old:
        ContainerLog.objects.filter(old, cluster_id=cluster_id).delete()

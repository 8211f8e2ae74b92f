"""What containers wrote: the last 64 KiB of a container's current and of its previous run.

Of the runs before them as much is kept together, of the latest.

A run's log is kept in chunks. What is added goes to its last chunk until that is full, so that a slice
writes little, and reads nothing back: whoever runs a cluster remembers the open chunks.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q
from django.db.models.functions import Length

from lifecycle.models import Cluster, ContainerLog
from lifecycle.runs import bulk

KEPT_BYTES = 64 * 1024
# Of all runs before the previous one together, the latest of them; and of so many runs at most.
EARLIER_BYTES, MOST_RUNS = 64 * 1024, 100
CHUNK_BYTES = 8 * 1024
# So many runs are remembered; one that is not goes on in a new chunk.
OPEN_RUNS = 4096
COPIED_AT_ONCE = 100
LOGS = bulk.Table(
    ContainerLog._meta.db_table,
    ("cluster_id", "uid", "container", "attempt", "number", "started_ms", "text", "lines"),
    ("cluster_id", "uid", "container", "attempt", "number"),
)

# (pod uid, container, attempt, instant in ms, text)
Line = tuple[str, str, int, int, str]
Run = tuple[str, str, int]
# [instant in ms, how many lines were written then], in order
Marks = list[list[int]]


@dataclass(slots=True)
class _Chunk:
    """A part of what one run wrote, and when; `size` in bytes."""

    number: int
    started_ms: int
    text: str = ""
    marks: Marks = field(default_factory=list)
    size: int = 0

    def add(self, texts: Sequence[tuple[int, str]]) -> None:
        """More lines, each with its instant; of more than is kept the end."""
        marks = self.marks
        for at_ms, text in texts:
            if marks and marks[-1][0] == at_ms:
                marks[-1][1] += text.count("\n")
            else:
                marks.append([at_ms, text.count("\n")])
        self.text, self.marks = _tail(self.text + "".join(text for _, text in texts), marks)
        self.size = len(_encode(self.text))


@dataclass(slots=True)
class _Tail:
    """Where a run's log goes on: its open chunk, and the (number, size) of the closed ones that are kept."""

    open: _Chunk
    closed: list[tuple[int, int]]


@dataclass(slots=True)
class Rendered:
    """Rows to write, and which rows they make superfluous."""

    rows: list[bulk.Values]
    stale: Q | None


class Tails:
    """The open ends of a cluster's logs, in the memory of whoever runs it.

    They go with the cluster's engine: when a slice could not be recorded, both are made anew.
    """

    def __init__(self, cluster_id: int) -> None:
        self._cluster_id = cluster_id
        # The run that was written last comes last.
        self._tails: OrderedDict[Run, _Tail] = OrderedDict()

    def render(self, lines: Iterable[Line]) -> Rendered:
        """Rows for what was written, made before any transaction."""
        texts: dict[Run, list[tuple[int, str]]] = {}
        for uid, container, attempt, at_ms, text in lines:
            text = bulk.plain(text if text.endswith("\n") else f"{text}\n")
            texts.setdefault((uid, container, attempt), []).append((at_ms, text))
        ends = self._find_ends({run for run in texts if run not in self._tails})
        kept: dict[tuple[str, str], dict[int, _Tail]] = {}
        for (uid, container, attempt), tail in ends.items():
            kept.setdefault((uid, container), {})[attempt] = tail
        rendered = Rendered([], None)
        for run, added in texts.items():
            goes_on = self._tails.pop(run, None)
            if goes_on is None:
                goes_on = ends.get(run) or _Tail(_Chunk(0, added[0][0]), [])
                _forget_before(run, kept.get(run[:2], {}), rendered)
            goes_on.open.add(added)
            rendered.rows.append(_values(self._cluster_id, run, goes_on.open))
            _trim(run, goes_on, rendered)
            self._tails[run] = goes_on
        while len(self._tails) > OPEN_RUNS:
            self._tails.popitem(last=False)
        return rendered

    def _find_ends(self, runs: set[Run]) -> dict[Run, _Tail]:
        """Where what is kept of the pods of these runs ends; a new chunk begins behind it."""
        ends: dict[Run, _Tail] = {}
        if not runs:
            return ends
        rows = ContainerLog.objects.filter(cluster_id=self._cluster_id, uid__in={run[0] for run in runs})
        kept = rows.order_by("number").values_list(
            "uid", "container", "attempt", "number", "started_ms", Length("text")
        )
        for uid, container, attempt, number, started_ms, size in kept:
            tail = ends.setdefault((uid, container, attempt), _Tail(_Chunk(0, started_ms), []))
            tail.closed.append((number, size))
            tail.open = _Chunk(number + 1, started_ms)
        return ends


def _trim(run: Run, tail: _Tail, rendered: Rendered) -> None:
    """Begin a new chunk when the open one is full, and drop those behind which enough is kept."""
    chunk = tail.open
    if chunk.size >= CHUNK_BYTES:
        tail.closed.append((chunk.number, chunk.size))
        tail.open = _Chunk(chunk.number + 1, chunk.started_ms)
    left = sum(size for _, size in tail.closed) + tail.open.size
    while tail.closed and left - tail.closed[0][1] >= KEPT_BYTES:
        number, size = tail.closed.pop(0)
        left -= size
        uid, container, attempt = run
        _drop(rendered, Q(uid=uid, container=container, attempt=attempt, number__lte=number))


def _forget_before(run: Run, kept: Mapping[int, _Tail], rendered: Rendered) -> None:
    """When a run begins: of those before the previous one the earliest go, as soon as they are too much.

    `kept`: by attempt what is kept of this container.
    """
    uid, container, attempt = run
    earlier = sorted((one for one in kept if one < attempt - 1), reverse=True)
    left = EARLIER_BYTES
    for number, one in enumerate(earlier, 3):
        left -= sum(size for _, size in kept[one].closed)
        if left < 0 or number > MOST_RUNS:
            _drop(rendered, Q(uid=uid, container=container, attempt__lte=one))
            return


def write(cluster_id: int, rendered: Rendered) -> None:
    """Inside a transaction: add the rows, and delete what they make superfluous."""
    if rendered.rows:
        bulk.upsert(LOGS, rendered.rows)
    if rendered.stale is not None:
        ContainerLog.objects.filter(rendered.stale, cluster_id=cluster_id).delete()


def find_run(cluster: Cluster, uid: str, container: str, is_previous: bool = False) -> ContainerLog | None:
    """A container's current run or the one before, with all that is kept of its text; None: it has none.

    `is_previous` of a container with one run gives None.
    """
    rows = ContainerLog.objects.filter(cluster=cluster, uid=uid, container=container)
    attempts = rows.order_by("-attempt").values_list("attempt", flat=True).distinct()[:2]
    wanted = list(attempts)[int(is_previous) :][:1]
    chunks = list(rows.filter(attempt__in=wanted).order_by("number"))
    if not chunks:
        return None
    run = chunks[0]
    run.text, run.lines = _tail(
        "".join(chunk.text for chunk in chunks), [mark for chunk in chunks for mark in chunk.lines]
    )
    return run


def measure(cluster: Cluster, uid: str, container: str) -> dict[int, list[tuple[int, int]]]:
    """By run the number and length of each chunk that is kept, the first run first.

    The same as before: nothing was written.
    """
    rows = ContainerLog.objects.filter(cluster=cluster, uid=uid, container=container)
    found: dict[int, list[tuple[int, int]]] = {}
    for attempt, number, length in rows.order_by("attempt", "number").values_list(
        "attempt", "number", Length("text")
    ):
        found.setdefault(attempt, []).append((number, length))
    return found


def read_all(cluster: Cluster, uid: str, container: str) -> dict[int, list[tuple[int, str]]]:
    """By run all lines that are kept, as (instant in ms, line without its end), the first run first."""
    rows = ContainerLog.objects.filter(cluster=cluster, uid=uid, container=container)
    found: dict[int, list[tuple[int, str]]] = {}
    for row in rows.order_by("attempt", "number"):
        found.setdefault(row.attempt, []).extend(_timed(row))
    return found


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader of one run's log has come: so many lines of its chunk of that number."""

    number: int = 0
    lines: int = 0


def read_since(cluster: Cluster, run: Run, position: Position) -> tuple[list[tuple[int, str]], Position]:
    """What a run has written since, as (instant in ms, line without its end), and where that ends."""
    uid, container, attempt = run
    rows = ContainerLog.objects.filter(
        cluster=cluster, uid=uid, container=container, attempt=attempt, number__gte=position.number
    )
    found: list[tuple[int, str]] = []
    for row in rows.order_by("number"):
        lines = list(_timed(row))
        # A chunk that lost its beginning since has been read up to there or further.
        known = min(position.lines, len(lines)) if row.number == position.number else 0
        found += lines[known:]
        position = Position(row.number, len(lines))
    return found, position


def _timed(row: ContainerLog) -> Iterator[tuple[int, str]]:
    lines = iter(row.text.split("\n"))
    for at_ms, count in row.lines:
        for _ in range(count):
            yield at_ms, next(lines)


def copy(parent_id: int, child_id: int, at_ms: int) -> None:
    """What the containers of `parent_id` had written at an instant becomes the logs of `child_id`.

    Runs the parent has forgotten since, and lines it has cut off, are not known any more.
    """
    rows: list[bulk.Values] = []
    for row in ContainerLog.objects.filter(cluster_id=parent_id, started_ms__lte=at_ms).iterator():
        text, marks = _until(row, at_ms)
        if not text and row.number:
            continue
        chunk = _Chunk(row.number, row.started_ms or 0, text, marks)
        rows.append(_values(child_id, (row.uid, row.container, row.attempt), chunk))
        if len(rows) == COPIED_AT_ONCE:
            bulk.insert(LOGS, rows)
            rows = []
    bulk.insert(LOGS, rows)


def _values(cluster_id: int, run: Run, chunk: _Chunk) -> bulk.Values:
    return (cluster_id, *run, chunk.number, chunk.started_ms, chunk.text, bulk.to_text(chunk.marks))


def _drop(rendered: Rendered, stale: Q) -> None:
    rendered.stale = stale if rendered.stale is None else rendered.stale | stale


def _until(row: ContainerLog, at_ms: int) -> tuple[str, Marks]:
    later = sum(lines for written_ms, lines in row.lines if written_ms > at_ms)
    # Every line ends in a newline, so that the last part is empty.
    kept = row.text.split("\n")[: -1 - later]
    return "".join(f"{line}\n" for line in kept), [mark for mark in row.lines if mark[0] <= at_ms]


def _tail(text: str, marks: Marks) -> tuple[str, Marks]:
    """The last bytes of a text, from the beginning of a line."""
    if len(text) * 4 <= KEPT_BYTES:
        return text, marks
    encoded = _encode(text)
    if len(encoded) <= KEPT_BYTES:
        return text, marks
    tail = encoded[-KEPT_BYTES:].decode("utf-8", "ignore")
    tail = tail.partition("\n")[2] or tail
    return tail, _newest(marks, tail.count("\n"))


def _newest(marks: Marks, lines: int) -> Marks:
    """The marks of the last `lines` lines."""
    cut = sum(count for _, count in marks) - lines
    newest = []
    for at_ms, count in marks:
        if count > cut:
            newest.append([at_ms, count - max(0, cut)])
        cut -= count
    return newest


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

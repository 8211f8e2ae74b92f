"""Everything the engine knows at one drained instant, kept small and safe to read.

Format 1: zlib over JSON. No pickle: a checkpoint can carry data, never code. A checkpoint is replayed only
by the engine version that wrote it; without a usable one a cluster is replayed from its beginning, and where
that gives another history it is taken up at its cursor (`upgrades`).
"""

import zlib
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import Error, transaction
from django.db.models import F, Q, QuerySet

from lifecycle.engine import ENGINE_VERSION, Settings
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command as EngineCommand
from lifecycle.models import Checkpoint, Cluster, Command

FORMAT = 1
# Level 1: three times faster than the default and, for this JSON, hardly larger.
COMPRESSION = 1
KEPT = 16
# What a hostile or broken row may unfold to.
MAX_BYTES = 2 * 1024**3


class Unreadable(Exception):
    """The checkpoint is broken, or of another format."""


def pack(data: dict[str, Any]) -> bytes:
    """Plain data as a checkpoint's bytes."""
    return zlib.compress(orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS), COMPRESSION)


def unpack(packed: bytes) -> dict[str, Any]:
    """What `pack` made; Unreadable when it is not that, or unfolds to more than 2 GiB."""
    unfolder = zlib.decompressobj()
    try:
        text = unfolder.decompress(packed, MAX_BYTES)
        if unfolder.unconsumed_tail:
            raise Unreadable("the checkpoint unfolds to more than 2 GiB")
        data = orjson.loads(text)
    except (zlib.error, orjson.JSONDecodeError) as problem:
        raise Unreadable(f"the checkpoint cannot be read: {problem}") from problem
    if not isinstance(data, dict):
        raise Unreadable("the checkpoint is not a JSON object")
    return data


def save(cluster: Cluster, fence: int, engine: Engine) -> bool:
    """Keep the engine's state at the cluster's cursor; False when the cluster has a new owner.

    The engine must stand where the cursor is: nothing taken from it may be unrecorded.
    """
    packed = pack(engine.save())
    with transaction.atomic():
        if not Cluster.objects.filter(pk=cluster.pk, fence=fence).update(fence=F("fence")):
            return False
        Checkpoint.objects.update_or_create(
            cluster=cluster,
            instant_ms=cluster.instant_ms,
            command_order=last_order_at(cluster, cluster.instant_ms),
            seq=cluster.seq,
            defaults={
                "rv": cluster.rv,
                "engine_version": ENGINE_VERSION,
                "format": FORMAT,
                "data": packed,
            },
        )
        thin_out(cluster)
    return True


def thin_out(cluster: Cluster) -> None:
    """Past KEPT checkpoints every second one goes, the newest two and the first stay."""
    ids = list(cluster.checkpoints.order_by("instant_ms", "seq").values_list("pk", flat=True))
    if len(ids) > KEPT:
        Checkpoint.objects.filter(pk__in=ids[1:-2:2]).delete()


def last_order_at(cluster: Cluster, instant_ms: int) -> int:
    """The inbox order of the last command that entered at exactly this instant; 0 when none did."""
    entered = cluster.commands.filter(state=Command.State.DONE, instant_ms=instant_ms)
    return entered.order_by("-order").values_list("order", flat=True).first() or 0


def newest(cluster: Cluster, at_ms: int | None = None) -> Checkpoint | None:
    """The last checkpoint of this engine at or before an instant (default: the cursor)."""
    limit = cluster.instant_ms if at_ms is None else at_ms
    there = cluster.checkpoints.filter(
        instant_ms__lte=limit, seq__lte=cluster.seq, format=FORMAT, engine_version=ENGINE_VERSION
    )
    return there.order_by("-instant_ms", "-command_order", "-seq").first()


def commands_after(cluster: Cluster, instant_ms: int, order: int) -> QuerySet[Command]:
    """The commands that entered after a point of the history, in the order they did."""
    later = Q(instant_ms__gt=instant_ms) | Q(instant_ms=instant_ms, order__gt=order)
    return cluster.commands.filter(later, state=Command.State.DONE).order_by("instant_ms", "order")


def new_engine(cluster: Cluster) -> Engine:
    """The engine of a cluster at instant 0, before anything entered."""
    settings = Settings.from_saved(cluster.settings)
    return Engine(seed=cluster.seed, epoch_ms=cluster.epoch_ms, settings=settings)


def engine_command(command: Command) -> EngineCommand:
    """A recorded command as the engine takes it."""
    return EngineCommand(
        id=command.trace_id, kind=command.kind, payload=command.payload, version=command.version
    )


@dataclass(slots=True)
class Restored:
    """An engine at an instant of the recorded history, and the numbers of its last row and version."""

    engine: Engine
    seq: int
    rv: int


def restore(cluster: Cluster, at_ms: int | None = None) -> Restored:
    """The engine at an instant of the recorded history (default: the cursor).

    From the nearest checkpoint the recorded commands are entered again at their instants; the engine
    is deterministic, so this is the same history. Raises Unreadable when it cannot be had.
    """
    try:
        return _restore(cluster, at_ms)
    except (Error, Unreadable):
        raise
    except Exception as problem:
        # Whatever cannot be read or replayed was made by another engine, of this number or not.
        raise Unreadable(f"it cannot be replayed: {type(problem).__name__}: {problem}") from problem


def _restore(cluster: Cluster, at_ms: int | None) -> Restored:
    until_ms = cluster.instant_ms if at_ms is None else at_ms
    if cluster.rv == 0:
        # Nothing is recorded yet: what the engine did by coming to life is still to be taken.
        return Restored(new_engine(cluster), 0, 0)
    restored, instant_ms, order = _start(cluster, until_ms)
    replay = _Replay(restored)
    for command in commands_after(cluster, instant_ms, order).filter(instant_ms__lte=until_ms).iterator():
        assert command.instant_ms is not None, command.pk
        replay.run_to(command.instant_ms)
        restored.engine.submit(engine_command(command))
    replay.run_to(until_ms)
    if until_ms == cluster.instant_ms and restored.seq != cluster.seq:
        raise Unreadable(f"replayed, its history ends at row {restored.seq}; recorded are {cluster.seq}")
    return restored


def _start(cluster: Cluster, until_ms: int) -> tuple[Restored, int, int]:
    """Where a replay begins: the engine, its instant, and the last command in it."""
    checkpoint = newest(cluster, until_ms)
    if checkpoint is not None:
        engine = Engine.load(unpack(bytes(checkpoint.data)))
        restored = Restored(engine, checkpoint.seq, checkpoint.rv)
        return restored, checkpoint.instant_ms, checkpoint.command_order
    if cluster.engine_version != ENGINE_VERSION:
        raise Unreadable(
            f"what was up to instant {cluster.instant_ms} ms was recorded by engine version"
            f" {cluster.engine_version}; this is version {ENGINE_VERSION}"
        )
    if until_ms < cluster.replay_from_ms:
        raise Unreadable(
            f"what was before instant {cluster.replay_from_ms} ms was recorded by an earlier engine version"
        )
    return Restored(new_engine(cluster), 0, 0), -1, 0


class _Replay:
    """Runs an engine again over what is known. Its changes are dropped, a thousand instants at a time."""

    def __init__(self, restored: Restored) -> None:
        self.restored = restored
        self.instants = 0

    def run_to(self, instant_ms: int) -> None:
        engine = self.restored.engine
        while engine.now_ms < instant_ms:
            engine.run_until(instant_ms, stop=self._is_enough)
            self._drop()
        self._drop()

    def _is_enough(self, _: Engine) -> bool:
        self.instants += 1
        return self.instants % 1000 == 0

    def _drop(self) -> None:
        changes = self.restored.engine.take_changes()
        if changes.rows:
            self.restored.seq = changes.rows[-1].seq
        if changes.versions:
            self.restored.rv = changes.versions[-1].resource_version

"""After an upgrade every cluster goes on, whatever commit saved it.

A cluster whose history can be replayed is continued exactly. Any other is taken up where it stands: from the
checkpoint at its cursor as far as that can be read, else from the recorded objects. What was begun anew is
told by events, and on the cluster's page. From there on it has a checkpoint of this engine; what was before
can be looked at, but not replayed.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DataError, IntegrityError, transaction

from lifecycle.engine import ENGINE_VERSION, Changes, Settings
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.rules.columns.ages import human_duration
from lifecycle.engine.upgrades import Known
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import checkpoints, recorder
from lifecycle.runs.checkpoints import Restored, Unreadable
from lifecycle.runs.container_logs import Tails

log = logging.getLogger(__name__)

# How far a cluster is lived through once, on trial, before it is trusted: virtual time, and instants.
TRIAL_MS, TRIAL_INSTANTS = 600_000, 1000
MOST_NAMED = 5


@dataclass(slots=True)
class TakenUp(Restored):
    """An engine that goes on at the cursor, but not from the same state: its first changes are to be kept."""

    changes: Changes


def take_over(cluster: Cluster) -> Engine:
    """The engine of a cluster at its cursor, and nothing above it that was never committed.

    Raises FencedOff when the cluster has a new owner, Unreadable when it cannot be gone on from.
    """
    restored = restore(cluster)
    recorder.clear_above_cursor(cluster)
    if not keep(cluster, restored):
        raise recorder.FencedOff
    return restored.engine


def restore(cluster: Cluster, at_ms: int | None = None) -> Restored:
    """The engine at an instant of the recorded history (default: the cursor, where it is always to be had).

    Raises Unreadable when an earlier instant cannot be replayed any more.
    """
    try:
        return checkpoints.restore(cluster, at_ms)
    except Unreadable as problem:
        if at_ms is not None and at_ms < cluster.instant_ms:
            raise
        log.warning("taken up where it stands: %s", problem, extra={"cluster": cluster.log_name})
        return _take_up(cluster)


def _take_up(cluster: Cluster) -> TakenUp:
    engine, changes = go_on_from(_known(cluster), _saved_at_cursor(cluster))
    return TakenUp(engine, cluster.seq, cluster.rv, changes)


def go_on_from(known: Known, candidates: Iterable[dict[str, Any] | None]) -> tuple[Engine, Changes]:
    """An engine that goes on from the first of what was saved that it can live with, and its first changes.

    Raises Unreadable when it can live with none.
    """
    for saved in candidates:
        try:
            engine = Engine.take_up(known, saved)
            changes = engine.take_changes()
            _try_out(engine)
            return engine, changes
        except Exception:
            log.exception("cannot be gone on from", extra={"is_checkpoint": saved is not None})
    raise Unreadable("neither its last checkpoint nor its recorded objects can be gone on from")


def _known(cluster: Cluster) -> Known:
    stored = StoredObject.objects.filter(cluster=cluster).order_by("created_ms", "pk")
    creations: dict[str, int] = {}
    # No owner can have made more than there were writes.
    named = stored.values_list("group", "kind", "namespace", "name", "uid")
    for group, kind, namespace, name, uid in named.iterator():
        creations[uid] = creations[f"{kind_id(group, kind)}/{namespace or ''}/{name}"] = cluster.rv
    return Known(
        cluster.seed,
        cluster.epoch_ms,
        Settings.from_saved(cluster.settings),
        cluster.instant_ms,
        cluster.seq,
        cluster.rv,
        list(stored.filter(deleted_ms=None).values_list("data", flat=True)),
        creations,
    )


def _saved_at_cursor(cluster: Cluster) -> Iterator[dict[str, Any] | None]:
    """What any engine saved at the cursor, the best first; at last nothing."""
    there = cluster.checkpoints.filter(instant_ms=cluster.instant_ms, seq=cluster.seq, rv=cluster.rv)
    newest = there.order_by("-command_order", "-engine_version").first()
    if newest is not None:
        try:
            yield checkpoints.unpack(bytes(newest.data))
        except Unreadable as problem:
            log.warning("its checkpoint: %s", problem, extra={"cluster": cluster.log_name})
    yield None


def _try_out(engine: Engine) -> None:
    """Live on for a while in a copy: what breaks there would stop the cluster later."""
    copy = Engine.load(checkpoints.unpack(checkpoints.pack(engine.save())))
    copy.run_until(engine.now_ms + TRIAL_MS, max_wall_steps=TRIAL_INSTANTS)


def keep(cluster: Cluster, restored: Restored) -> bool:
    """Have the cluster go on from what was restored at its cursor; False when it has a new owner.

    What was begun anew is recorded together with the checkpoint that knows of it.
    """
    if cluster.seq == 0 and cluster.engine_version != ENGINE_VERSION:
        # Nothing of it has been recorded yet, so there is nothing that another engine made.
        cluster.engine_version = ENGINE_VERSION
        cluster.save(update_fields=["engine_version"])
    if not isinstance(restored, TakenUp):
        return True
    changes = restored.changes
    try:
        with transaction.atomic():
            piece = recorder.Slice(cluster.instant_ms, changes.rows, changes.versions, changes.logs)
            recorder.record(cluster, cluster.fence, piece, Tails(cluster.pk))
            cluster.engine_version, cluster.replay_from_ms = ENGINE_VERSION, cluster.instant_ms
            cluster.upgrade_note = describe(cluster.instant_ms, restored.engine.begun_anew)
            cluster.save(update_fields=["engine_version", "replay_from_ms", "upgrade_note"])
            if not checkpoints.save(cluster, cluster.fence, restored.engine):
                raise recorder.FencedOff
    except recorder.FencedOff:
        return False
    except (DataError, IntegrityError) as problem:
        raise Unreadable(f"what was begun anew cannot be recorded: {problem}") from problem
    return True


def describe(instant_ms: int, parts: Sequence[str]) -> str:
    """What the cluster's page says of an upgrade; "" when everything just went on."""
    if not parts:
        return ""
    more = f", and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    verb = "was" if len(parts) == 1 else "were"
    named = ", ".join(parts[:MOST_NAMED])
    return f"Podline was upgraded at {human_duration(instant_ms)}: {named}{more} {verb} begun anew"

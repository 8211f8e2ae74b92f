"""A fork shares a cluster's history up to an instant and then lives its own life.

It keeps seed, epoch, settings and the ids its causes name, so whatever it does not touch goes on exactly as
in its parent. Commands its parent got later, and steps still ahead of it, are not taken along.
"""

from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

from django.db import connection, transaction

from lifecycle import frames, limits, reads
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command as EngineCommand
from lifecycle.engine.kinds.presentation import summarize
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.releases.known import find_release
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs import bulk, checkpoints, container_logs, inbox, recorder, upgrades
from lifecycle.stored_kinds import kind_of_stored

BATCH_ROWS = 5000
UNFINISHED = "the fork is still being made"
# Not the parent's: who it is, how it runs, and how far it is.
TAKEN_ALONG = (
    "seed epoch settings engine_version replay_from_ms keep_ms keep_rows watch_ms watch_rows"
).split()


def fork(
    parent: Cluster,
    at_ms: int | None,
    owner: Any,
    name: str,
    is_look: bool = False,
    kubernetes: str = "",
    asked_by: Any = None,
) -> Cluster:
    """A new, paused cluster that is what `parent` was at `at_ms`; None: what it is now.

    `kubernetes`: the release that it goes on under, "" for its parent's. What is there stays as it is.
    `asked_by`: whose looking it is, where that is not the owner.

    ValueError when the instant is not recorded, or the release is not modelled; checkpoints.Unreadable when
    it cannot be replayed any more; ValidationError when its owner has one of that name or it is no DNS label;
    limits.Exceeded when the owner has as many as one may have, or makes too many at once.
    """
    limits.check_clusters(owner, wanted=0 if is_look else 1)
    with limits.preview(asked_by or owner):
        return _fork(parent, at_ms, owner, name, is_look, kubernetes)


def _fork(
    parent: Cluster, at_ms: int | None, owner: Any, name: str, is_look: bool, kubernetes: str
) -> Cluster:
    if parent.failure == UNFINISHED:
        raise ValueError("it is a fork itself, and still being made; ask again soon")
    restored = restore_at(parent, at_ms)
    former = restored.engine.settings.release
    release = find_release(kubernetes) if kubernetes else former
    if release is not former:
        restored = go_on_under(restored, release.name)
    child = _make_child(parent, restored, owner, name, is_look)
    if release is not former:
        _change_release(child, release.name)
    try:
        _copy_commands(parent, child)
        _copy_rows(recorder.TRANSITIONS, parent, child, "seq", range(child.oldest_seq, child.seq + 1))
        _copy_rows(recorder.EVENTS, parent, child, "seq", range(child.oldest_seq, child.seq + 1))
        _copy_rows(recorder.VERSIONS, parent, child, "rv", range(child.oldest_rv, child.rv + 1))
        _write_objects(parent, child, restored)
        container_logs.copy(parent.pk, child.pk, child.instant_ms)
        # Its shard may have moved meanwhile, and raised its fence; nobody serves it yet. What has not begun
        # to live begins as its parent does, from nothing.
        while child.rv and not _keep(child, restored):
            child.refresh_from_db(fields=["fence"])
    except BaseException:
        child.delete()
        raise
    child.failure = ""
    child.save(update_fields=["failure"])
    return child


def go_on_under(restored: checkpoints.Restored, kubernetes: str) -> checkpoints.Restored:
    """The same state, of another release from here on: the whole cluster is upgraded at once.

    Its kubelets restart, which is to be recorded in the fork.
    """
    saved = restored.engine.save()
    saved["settings"] = {**saved["settings"], "kubernetes": kubernetes, "compatibility": None}
    engine = Engine.load(checkpoints.unpack(checkpoints.pack(saved)))
    if not restored.rv:
        # Nothing has begun to live: it begins under that release.
        return replace(restored, engine=engine)
    for node in engine.list(NODE_KIND.id):
        payload = {"node": node["metadata"]["name"], "kubernetes": kubernetes}
        engine.submit(EngineCommand(str(uuid4()), "upgrade", payload))
    return upgrades.TakenUp(engine, restored.seq, restored.rv, engine.take_changes())


def _change_release(child: Cluster, kubernetes: str) -> None:
    """What was before has been lived through under another release: it is not replayed under this one."""
    child.settings = {**child.settings, "kubernetes": kubernetes, "compatibility": None}
    child.replay_from_ms = child.instant_ms
    child.save(update_fields=["settings", "replay_from_ms"])


def suggest_name(parent: Cluster, owner: Any) -> str:
    """A name for a fork of that owner's, who has no cluster of it yet."""
    return find_free_name(f"{parent.name[:50].rstrip('-')}-fork", owner)


def find_free_name(stem: str, owner: Any) -> str:
    """A name that begins so, and that no cluster of that owner's has yet: `shop-fork`, `shop-fork-2`…"""
    stem = stem[:55].rstrip("-")
    taken = set(
        Cluster.objects.filter(owner_id=owner.pk, name__startswith=stem).values_list("name", flat=True)
    )
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def restore_at(parent: Cluster, at_ms: int | None) -> checkpoints.Restored:
    """The parent at an instant up to virtual now.

    What is due between its cursor and virtual now is not recorded yet. Nothing may be, or the fork waits
    for a turn to record it; as it is now, the parent then is what it was at the cursor.
    """
    now_ms, recorded_ms = reads.virtual_now_ms(parent), parent.instant_ms
    wanted_ms = now_ms if at_ms is None else at_ms
    if not 0 <= wanted_ms <= now_ms:
        wanted = tell_instant(wanted_ms) if wanted_ms >= 0 else f"instant {wanted_ms} ms"
        raise ValueError(f"{wanted}: the recorded history goes from 0 to {tell_instant(now_ms)}")
    restored = upgrades.restore(parent, min(wanted_ms, recorded_ms))
    if wanted_ms > recorded_ms:
        wake_ms = restored.engine.next_wake()
        if parent.rv and (wake_ms is None or wake_ms > wanted_ms):
            restored.engine.run_until(wanted_ms)
        elif at_ms is not None:
            raise ValueError(
                f"{tell_instant(at_ms)}: history is recorded up to {tell_instant(recorded_ms)}; ask again"
                " soon"
            )
    return restored


def _keep(child: Cluster, restored: checkpoints.Restored) -> bool:
    if isinstance(restored, upgrades.TakenUp):
        return upgrades.keep(child, restored)
    return checkpoints.save(child, child.fence, restored.engine)


def _make_child(
    parent: Cluster, restored: checkpoints.Restored, owner: Any, name: str, is_look: bool
) -> Cluster:
    at_ms = restored.engine.now_ms
    child = Cluster(
        owner=owner,
        name=name,
        parent=parent,
        forked_at_ms=at_ms,
        is_look=is_look,
        kubernetes=restored.engine.settings.release.name,
        instant_ms=at_ms,
        anchor_instant_ms=at_ms,
        seq=restored.seq,
        rv=restored.rv,
        # Rows that its parent no longer keeps; what it writes itself is kept.
        oldest_seq=min(parent.oldest_seq, restored.seq + 1),
        oldest_rv=min(parent.oldest_rv, restored.rv + 1),
        recorded_bytes=parent.recorded_bytes,
        paused=True,
        # Nobody serves it before it is whole.
        failure=UNFINISHED,
        **{column: getattr(parent, column) for column in TAKEN_ALONG},
    )
    inbox.keep_new(child)
    return child


def _copy_commands(parent: Cluster, child: Cluster) -> None:
    entered = parent.commands.filter(state=Command.State.DONE, instant_ms__lte=child.instant_ms)
    copies = []
    for command in entered.order_by("instant_ms", "order").iterator():
        command.source = command.source or command.pk
        command.pk, command.cluster = uuid4(), child
        copies.append(command)
    Command.objects.bulk_create(copies, batch_size=500)
    child.inbox_head = max((command.order for command in copies), default=0)
    child.inbox_order = copies[-1].order if copies else 0
    child.save(update_fields=["inbox_head", "inbox_order"])


def _copy_rows(table: bulk.Table, parent: Cluster, child: Cluster, number: str, rows: range) -> None:
    """Inside the database, in short transactions."""
    columns = ", ".join(f'"{column}"' for column in table.columns if column != "cluster_id")
    for first in rows[::BATCH_ROWS]:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                f'INSERT INTO "{table.name}" ("cluster_id", {columns}) SELECT %s, {columns}'
                f' FROM "{table.name}" WHERE "cluster_id" = %s AND "{number}" BETWEEN %s AND %s',
                [child.pk, parent.pk, first, min(first + BATCH_ROWS - 1, rows[-1])],
            )


def _write_objects(parent: Cluster, child: Cluster, restored: checkpoints.Restored) -> None:
    """What had not changed since is copied, what had is read from the engine, the deleted stay deleted."""
    rows: list[bulk.Values] = []
    created = StoredObject.objects.filter(cluster=parent, created_ms__lte=child.instant_ms)
    for stored in created.iterator():
        values = _values_then(stored, child, restored)
        if values is not None:
            rows.append(values)
    for start in range(0, len(rows), BATCH_ROWS):
        with transaction.atomic():
            bulk.upsert(recorder.OBJECTS, rows[start : start + BATCH_ROWS])


def _values_then(stored: StoredObject, child: Cluster, restored: checkpoints.Restored) -> bulk.Values | None:
    summary: dict[str, Any] = {**frames.summary_of(stored)}
    if stored.rv <= child.rv:
        data = stored.data
    else:
        found = restored.engine.find(kind_of_stored(stored), stored.namespace, stored.name)
        # Created at that very instant, but later in it than the fork: not there yet.
        if found is None or found.meta.uid != stored.uid:
            return None
        data, summary = found.to_json(child.epoch_ms), summarize(found)
    return (child.pk, *[summary[column] for column in frames.SUMMARY_COLUMNS], bulk.to_text(data))

"""Own clusters: take due commands, advance, record what happened, tell who watches.

An owner keeps the engines of its clusters in memory. One *turn* of a cluster is bounded in wall time:
advance to virtual now, enter what waits in the inbox, record, publish. Whatever fails, the engine in
memory is dropped and made again from what was recorded.
"""

import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache

from django.db import DataError, Error, IntegrityError

from lifecycle import frames, limits
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.input import expressions
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs import (
    checkpoints,
    collector,
    engine_faults,
    entries,
    inbox,
    messages,
    metrics,
    publisher,
    recorder,
    retention,
    run_controls,
    upgrades,
)
from lifecycle.runs.container_logs import Tails
from lifecycle.runs.driving import auto
from lifecycle.runs.engine_faults import EngineFault
from lifecycle.runs.hot import Hot, hold, keep_time, stand
from lifecycle.runs.recorder import FencedOff, Slice
from lifecycle.runs.run_clock import RunClock, StepWatch
from lifecycle.runs.sharing import shards
from lifecycle.runs.sharing.shares import Due, Shares
from lifecycle.stored_kinds import of_kind

log = logging.getLogger(__name__)

TURN_SECONDS = 0.1
# What has made so many rows is recorded before it goes on.
ROWS_A_TURN = 2500
# What a cluster's owner may have is looked up this often while it grows.
HOLDINGS_SECONDS = 1.0
# A new checkpoint once this much engine time would have to be replayed, and four times what saving costs.
REPLAY_SECONDS = 1.0
HOT_CLUSTERS = 256

Wall = Callable[[], float]


def _nobody() -> None:
    """Nobody waits."""


class Owner:
    """The clusters one worker serves.

    `wall` gives seconds since 1970, `steady` seconds that nobody sets, which turns are measured by; tests
    hand in their own, so that a turn ends at the same place on a machine of any speed.
    """

    def __init__(self, name: str, wall: Wall = time.time, steady: Wall = time.monotonic) -> None:
        self.name = name
        self.wall = wall
        self.steady = steady
        self.steps = StepWatch(wall(), steady())
        self.hot: OrderedDict[int, Hot] = OrderedDict()
        self.shares = Shares()

    def turn_of(self, due: Due, seconds: float, between: Callable[[], object] = _nobody) -> float | None:
        """As `turn`, and counted as its owner's, without what others were served `between`."""
        began = self.steady()

        def charge() -> None:
            self.shares.charge(due.owner, self.steady() - began, self.steady())

        def leave() -> None:
            nonlocal began
            charge()
            between()
            began = self.steady()

        try:
            return self.turn(due.cluster, seconds, leave)
        finally:
            charge()

    def turn(
        self, cluster_id: int, seconds: float = TURN_SECONDS, between: Callable[[], object] = _nobody
    ) -> float | None:
        """One turn of a cluster. The wall time of its next one is returned; None: nothing will be due.

        `between` serves whoever should not wait for the turn's end; it is asked where a turn can be left.
        """
        is_recorded = False
        try:
            if self.steps.has_stepped(self.wall(), self.steady()):
                # Anchors are moved before any cluster takes the step for time that passed.
                shards.beat(self.name, len(self.hot))
            hot = self._own(cluster_id)
            wake = None if hot is None else self._advance(hot, seconds, between)
            is_recorded = True
            return wake
        except FencedOff:
            log.info("fenced off", extra={"cluster": cluster_id})
            return None
        except Error as problem:
            # The ticker asks again; meanwhile the other clusters of the shard have their turns.
            log.warning("turn not recorded: %s", problem, extra={"cluster": cluster_id})
            return None
        except EngineFault as fault:
            return self.wall() if engine_faults.note(fault) else None
        finally:
            if not is_recorded:
                collector.let_go(self.hot.pop(cluster_id, None))

    def close(self) -> None:
        """Leave every cluster with a checkpoint, so that the next owner starts at once."""
        while self.hot:
            _, hot = self.hot.popitem()
            try:
                _save(hot)
            except Exception:
                # It will be replayed from an older checkpoint.
                log.exception("no checkpoint at the end", extra={"cluster": hot.cluster.log_name})

    def _own(self, cluster_id: int) -> Hot | None:
        """The cluster's engine, hot or made again; None when another worker serves its shard."""
        cluster = shards.row_and_inbox(cluster_id)
        hot = self.hot.get(cluster_id)
        if cluster is not None and hot is not None and hot.cluster.fence == cluster.fence:
            self.hot.move_to_end(cluster_id)
            hot.cluster = cluster
            return hot
        collector.let_go(self.hot.pop(cluster_id, None))
        if cluster is None or not shards.take(cluster, self.name):
            return None
        # Only now nobody else moves its cursor.
        cluster = shards.row_and_inbox(cluster_id)
        if cluster is None:
            return None
        hot = self.hot[cluster_id] = self._take_over(cluster)
        while len(self.hot) > HOT_CLUSTERS:
            _, coldest = self.hot.popitem(last=False)
            _save(coldest)
            collector.let_go(coldest)
        return hot

    def _take_over(self, cluster: Cluster) -> Hot:
        """Make the cluster's engine again and clear away what was never committed."""
        started = time.perf_counter()
        try:
            engine = upgrades.take_over(cluster)
        except (Error, FencedOff):
            raise
        except Exception as problem:
            raise EngineFault(cluster, None, problem) from problem
        living = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
        pods = living.count()
        if pods != cluster.pods:
            cluster.pods = pods
            Cluster.objects.filter(pk=cluster.pk, fence=cluster.fence).update(pods=pods)
        clock = RunClock.of(cluster)
        if clock.anchor_wall is None:
            clock.anchor(cluster.instant_ms, self.wall())
        seconds = time.perf_counter() - started
        metrics.counters["take_overs"] += 1
        log.info("took over", extra={"cluster": cluster.log_name, "seconds": round(seconds, 3)})
        return Hot(cluster, engine, clock, Tails(cluster.pk), unsaved_seconds=seconds)

    def _advance(self, hot: Hot, seconds: float, between: Callable[[], object]) -> float | None:
        started, before = time.perf_counter(), (hot.cluster.seq, hot.cluster.rv)
        piece = Slice(instant_ms=hot.cluster.instant_ms)
        try:
            self._apply_controls(hot, piece)
            hold(hot, piece, self.wall())
            self._run(hot, piece, self.steady() + seconds)
            changes = hot.engine.take_changes()
        except (EngineFault, Error):
            raise
        except Exception as problem:
            raise EngineFault(hot.cluster, None, problem) from problem
        piece.instant_ms = hot.engine.now_ms
        piece.rows, piece.versions, piece.logs = changes.rows, changes.versions, changes.logs
        engine_seconds = time.perf_counter() - started
        wake = keep_time(hot, piece, self.wall())
        summaries = self._record(hot, piece, between)
        metrics.count_turn(piece, engine_seconds, time.perf_counter() - started - engine_seconds)
        hot.unsaved_seconds += engine_seconds
        _tell(hot, piece, before, summaries)
        _look_after(hot)
        # Of those that enter one by one, the next one should not wait for the ticker.
        is_next_due = entries.is_careful(hot.cluster) or (hot.clock.is_auto and hot.has_waiting)
        return self.wall() if is_next_due else wake

    def _record(self, hot: Hot, piece: Slice, between: Callable[[], object]) -> list[frames.Summary]:
        try:
            return recorder.record(hot.cluster, hot.cluster.fence, piece, hot.tails, between)
        except (DataError, IntegrityError) as problem:
            # The database is there and will never take this: asking again is no cure.
            raise EngineFault(hot.cluster, None, problem) from problem
        except (FencedOff, Error):
            raise
        except Exception as problem:
            # What the engine made cannot be written down: as much a defect as not making it.
            raise EngineFault(hot.cluster, None, problem) from problem

    def _apply_controls(self, hot: Hot, piece: Slice) -> None:
        """Run controls in the order they were asked for. Time passes up to now at the old speed first."""
        wall, clock = self.wall(), hot.clock
        if not hot.cluster.has_controls:
            return
        for control in hot.cluster.run_controls.filter(applied_at=None).order_by("id"):
            clock.anchor(max(clock.now_ms(wall), hot.engine.now_ms), wall)
            control.instant_ms = clock.anchor_instant_ms
            control.problem = run_controls.apply(control, clock, hot.engine)
            piece.controls.append(control)

    def _run(self, hot: Hot, piece: Slice, deadline: float) -> None:
        """Advance to where time or the run has come, at most until `steady` is at `deadline`.

        Commands enter on the way.
        """
        wall = self.wall()
        now_ms, target_ms = hot.clock.now_ms(wall), hot.clock.target_ms(wall)
        waiting, written = entries.list_waiting(hot.cluster, now_ms, target_ms), list[Command]()
        if hot.clock.is_auto:
            # What is written enters when time stands; a scenario's steps enter on the way.
            written = [command for _, command in waiting if command.pinned_ms is None]
            waiting = [(at_ms, command) for at_ms, command in waiting if command.pinned_ms is not None]
        is_done = self._go_on(hot, piece, deadline, waiting, target_ms)
        is_done = is_done and self._enter_one_by_one(hot, piece, deadline, written)
        hot.has_waiting = not is_done
        if is_done and entries.is_careful(hot.cluster):
            # Those that waited when the shard was lost have all been carried out.
            piece.columns["losses"] = 0

    def _enter_one_by_one(self, hot: Hot, piece: Slice, deadline: float, written: list[Command]) -> bool:
        """At speed `auto`: each enters when the run of the last one is over. Whether all have entered."""
        is_careful = entries.is_careful(hot.cluster)
        for command in written:
            if not hot.clock.is_paused or self.steady() >= deadline or (is_careful and piece.answers):
                return False
            answer = entries.enter(hot, command)
            piece.answers.append(answer)
            # What was refused or only tried moves no time.
            moves = answer.result["code"] < 400 and not inbox.is_rehearsal(command)
            if moves and not hot.excess:
                auto.begin_run(hot.clock)
                self._go_on(hot, piece, deadline, [], hot.clock.target_ms(self.wall()))
        return True

    def _go_on(
        self,
        hot: Hot,
        piece: Slice,
        deadline: float,
        waiting: list[tuple[int, Command]],
        target_ms: int,
    ) -> bool:
        """Advance to an instant; what waits enters on the way. Whether all of it has entered."""
        is_there, is_careful = True, entries.is_careful(hot.cluster)
        for until_ms, command in waiting:
            if piece.answers and (is_careful or self.steady() >= deadline):
                return False
            # One that is pinned further on than time allows holds the run there until the next turn.
            is_there = is_there and self._run_to(hot, until_ms, deadline)
            if is_there or command.pinned_ms is None:
                piece.answers.append(entries.enter(hot, command))
        is_there = is_there and self._run_to(hot, target_ms, deadline)
        # A run that was heading somewhere stands when it is there.
        if is_there and hot.clock.run_until_ms is not None and hot.engine.now_ms >= hot.clock.run_until_ms:
            stand(hot, self.wall(), has_reached=not hot.clock.condition)
        return True

    def _run_to(self, hot: Hot, until_ms: int, deadline: float) -> bool:
        """Whether the engine is there: time was enough, and no condition stopped it."""
        clock, engine = hot.clock, hot.engine
        # Paused, time goes on to the instant of the pause and no further.
        end_ms = min(until_ms, clock.anchor_instant_ms) if clock.is_paused else until_ms
        if end_ms <= engine.now_ms:
            return until_ms <= engine.now_ms
        holds = _condition(clock)

        def is_met(at: Engine) -> bool:
            return holds is not None and holds(at)

        most = engine.head + ROWS_A_TURN

        def is_over(at: Engine) -> bool:
            return is_met(at) or at.head > most or self.steady() >= deadline

        if not is_met(engine):
            with collector.out_of_sight():
                engine.run_until(end_ms, stop=is_over)
        if is_met(engine):
            stand(hot, self.wall(), has_reached=True)
            return False
        return engine.now_ms >= until_ms


def _condition(clock: RunClock) -> Callable[[Engine], bool] | None:
    """What a run stops at: `idle`, or an expression such as `deployment/web Available`."""
    text = clock.condition
    if not text:
        return None
    if text == auto.AUTO:
        return auto.Ending(clock)
    if text == run_controls.IDLE:
        return Engine.is_idle
    look = expressions.Look(expressions.parse(text))
    return lambda engine: look.at(engine).holds


def _tell(hot: Hot, piece: Slice, before: tuple[int, int], summaries: list[frames.Summary]) -> None:
    """After commit: whoever waits for a command or a control, and everyone who watches."""
    cluster = hot.cluster
    answered = [str(answer.command.pk) for answer in piece.answers]
    answered += [f"control-{control.pk}" for control in piece.controls]
    if answered:
        messages.carrier().announce_results(answered)
    if piece.is_empty and not hot.clock.as_fast_as_possible:
        return
    is_large = len(piece.rows) + len(summaries) > frames.MAX_ROWS
    rows = [] if is_large else [row_to_json(row) for row in piece.rows]
    publisher.publish(cluster.group, frames.make_frame(cluster, *before, rows, summaries, is_large))
    metrics.counters["frames"] += 1


def _look_after(hot: Hot) -> None:
    """Now and then a checkpoint, old history goes, and what the owner may have is looked up."""
    if time.monotonic() - hot.looked_at > HOLDINGS_SECONDS:
        hot.looked_at = time.monotonic()
        owner = hot.cluster.owner
        hot.excess = limits.find_excess(owner) if limits.is_bound(owner) else ""
    if hot.unsaved_seconds > max(REPLAY_SECONDS, 4 * hot.save_seconds):
        _save(hot)
    if time.monotonic() - hot.pruned_at > retention.EVERY_SECONDS:
        retention.prune(hot.cluster)
        hot.pruned_at = time.monotonic()


def _save(hot: Hot) -> None:
    if hot.unsaved_seconds == 0:
        return
    started = time.perf_counter()
    checkpoints.save(hot.cluster, hot.cluster.fence, hot.engine)
    hot.save_seconds = time.perf_counter() - started
    hot.unsaved_seconds = 0.0


@cache
def this_process() -> Owner:
    """The clusters of this worker process; its name is its host and process number."""
    return Owner(shards.worker_name(os.getpid()), shards.wall)

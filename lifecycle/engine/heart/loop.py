"""Queues of keys: a change enqueues what it can affect, a controller then looks at the whole key again.

Repeats of a key coalesce and the first cause wins. A controller may gather changes for a while before it
looks (`delay` names a latency of the timing table). A key looked at more than a hundred times within one
instant waits as in Kubernetes' work queue: 5 ms, doubling to 1,000 s while each wait ends as it began.

An instant has room for so many writes of controllers: keys that are left then wait for the next millisecond.
So no instant is without end, whatever a cluster is asked to do, and history goes by what happened alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .agenda import Agenda, Cause, Timer
from .clock import Clock
from .errors import ApiError
from .timing import QUEUE_BASE_MS, QUEUE_MAX_MS, ROOM_OF_INSTANT, SYNCS_PER_INSTANT, Timing
from .trace import Trace

Key = tuple[str, str, str]
"""(controller, namespace, name)"""
Sync = Callable[[str, str], None]
Handler = Callable[[Timer], None]
SYNC = "sync"
HOT_WAITS = 10
"""A key that was looked at too often so many times in a row makes no progress any more."""


class Loop:
    """The drain of one instant: due timers first, then the queue, until both are empty."""

    def __init__(self, clock: Clock, agenda: Agenda, trace: Trace, timing: Timing) -> None:
        self._clock = clock
        self._agenda = agenda
        self._trace = trace
        self._timing = timing
        self._controllers: dict[str, Sync] = {}
        self._delays: dict[str, int] = {}
        # Cap and first delay of retries, and who is told of keys that fail, by controller.
        self._retry_ms: dict[str, tuple[int, int]] = {}
        self._on_failing: dict[str, Callable[[bool], None]] = {}
        self._handlers: dict[str, Handler] = {SYNC: self._sync_due}
        self._queue: dict[Key, Cause] = {}
        # Keys of those who look at what an instant has come to: when nothing else is left to be done in it.
        self._last: dict[Key, Cause] = {}
        # Keys waiting on a timer: when it is due and its number.
        self._pending: dict[Key, tuple[int, int, bool]] = {}
        self._failures: dict[Key, int] = {}
        # Until when failing keys wait for their next retry. A look for another reason does not put it off.
        self._retries_at_ms: dict[Key, int] = {}
        # Whose last look ended with what an admission policy refused.
        self._refused: set[Key] = set()
        # Keys that were looked at too often: how long they waited last, and until when.
        self._hot: dict[Key, tuple[int, int]] = {}
        self._syncs: dict[Key, int] = {}
        self._syncs_at_ms = -1
        # Who is away, by the name of its keys or the kind of its timers, and what waits until it is back.
        self._away: dict[str, Sync | Handler] = {}
        self._kept_keys: dict[Key, Cause] = {}
        self._kept_timers: list[Timer] = []
        # What controllers have asked of the API server in this drain.
        self.writes = 0
        self.on_hot_key: Callable[[Key, int], None] | None = None

    def enqueue_last(self, controller: str, namespace: str, name: str) -> None:
        """Look at a key once nothing else is left to be done in this instant."""
        self._last.setdefault((controller, namespace, name), self._trace.cause)

    def register(
        self,
        name: str,
        sync: Sync,
        delay: str | None = None,
        retry_ms: tuple[int, int] = (QUEUE_MAX_MS, QUEUE_BASE_MS),
    ) -> None:
        """Have keys of a controller looked at by `sync(namespace, name)`. `retry_ms`: see `retry`."""
        self._controllers[name] = sync
        self._retry_ms[name] = retry_ms
        self._delays[name] = self._timing.spread(delay)[1] if delay else 0

    def on_failing(self, controller: str, told: Callable[[bool], None]) -> None:
        """Have `told` called for each key of a controller that begins to fail (True), or fails no more."""
        self._on_failing[controller] = told

    def on_timer(self, kind: str, handler: Handler) -> None:
        """Have timers of a kind handled."""
        assert kind not in self._handlers, kind
        self._handlers[kind] = handler

    def knows_timer(self, kind: str, target: str) -> bool:
        """Whether somebody handles timers of a kind; of a look at a key, whether its controller is there."""
        if kind == SYNC:
            parts = target.split("|")
            return len(parts) == 3 and parts[0] in self._controllers
        return kind in self._handlers

    def knows_controller(self, name: str) -> bool:
        """Whether keys of this controller can be looked at."""
        return name in self._controllers

    # --- who is away --------------------------------------------------------------------------------------

    def list_parts(self) -> list[str]:
        """Whose keys and timers are known so far."""
        return [*self._controllers, *(kind for kind in self._handlers if kind != SYNC)]

    def is_away(self, name: str) -> bool:
        """Whether nobody looks at these keys."""
        return name in self._away

    def hold(self, names: Iterable[str]) -> None:
        """These are away: their keys and timers wait until they are back."""
        for name in names:
            if name in self._away:
                continue
            if name in self._controllers:
                self._away[name] = self._controllers[name]
                self._controllers[name] = self._make_keeper(name)
            else:
                self._away[name] = self._handlers[name]
                self._handlers[name] = self._kept_timers.append

    def _make_keeper(self, controller: str) -> Sync:
        def keep(namespace: str, name: str) -> None:
            self._kept_keys.setdefault((controller, namespace, name), self._trace.cause)

        return keep

    def release(self, names: Iterable[str]) -> None:
        """These are back, and see to all that waited for them, in its order."""
        back = dict.fromkeys(name for name in names if name in self._away)
        for name in back:
            if name in self._controllers:
                self._controllers[name] = self._away.pop(name)  # type: ignore[assignment]
            else:
                self._handlers[name] = self._away.pop(name)  # type: ignore[assignment]
        for key in [one for one in self._kept_keys if one[0] in back]:
            self._queue.setdefault(key, self._kept_keys.pop(key))
        waiting = [one for one in self._kept_timers if one.kind in back]
        self._kept_timers[:] = [one for one in self._kept_timers if one.kind not in back]
        for timer in waiting:
            self._agenda.add(self._clock.now_ms, *timer[2:])

    # --- asking for a look --------------------------------------------------------------------------------

    def enqueue(self, controller: str, namespace: str, name: str) -> None:
        """Look at a key soon; a key that is already waiting no longer than that keeps its cause."""
        key = (controller, namespace, name)
        delay_ms = self._delays[controller]
        if delay_ms == 0:
            if key not in self._queue:
                self._queue[key] = self._trace.cause
            return
        self._enqueue_by(key, self._clock.now_ms + delay_ms, True)

    def enqueue_at(
        self, controller: str, namespace: str, name: str, due_ms: int, is_progress: bool = True
    ) -> None:
        """Look at a key at an instant, unless it will be looked at before."""
        key = (controller, namespace, name)
        if due_ms <= self._clock.now_ms:
            if key not in self._queue:
                self._queue[key] = self._trace.cause
            return
        self._enqueue_by(key, due_ms, is_progress)

    def lead_on(self, controller: str, namespace: str, name: str) -> None:
        """A key that waits in this instant follows from what was written last, not from an earlier row."""
        key, cause = (controller, namespace, name), self._trace.cause
        known = self._queue.get(key)
        if isinstance(known, int) and isinstance(cause, int) and known < cause:
            self._queue[key] = cause

    def make_progress(self, controller: str, namespace: str, name: str) -> None:
        """The look that a key waits for was upkeep, and leads somewhere now."""
        key = (controller, namespace, name)
        waiting = self._pending.get(key)
        if waiting is not None:
            self._enqueue_by(key, waiting[0], True)

    def retry(self, controller: str, namespace: str, name: str) -> int:
        """Look again after the work queue's growing delay, which is returned in ms.

        Its cap and its first delay are those that the controller is registered with. A key that waits for a
        retry already keeps it: client-go's queue moves a wait forward only.
        """
        key, now_ms = (controller, namespace, name), self._clock.now_ms
        most_ms, first_ms = self._retry_ms[controller]
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        if failures == 0:
            self._tell_failing(controller, True)
        delay_ms = min(first_ms << min(failures, 40), most_ms)
        due_ms = now_ms + delay_ms
        if now_ms < (waits_until_ms := self._retries_at_ms.get(key, 0)):
            due_ms = min(due_ms, waits_until_ms)
        self._retries_at_ms[key] = due_ms
        self._enqueue_by(key, due_ms, failures < 10)
        return delay_ms

    def count_looks(self, controllers: Sequence[str]) -> int:
        """How many looks of progress wait: of the first of `controllers`, and of the others at its keys.

        Fewer where a look of somebody else is among those that wait.
        """
        first, waiting, count = controllers[0], self._pending, 0
        for key, look in waiting.items():
            if not look[2]:
                continue
            of_first = waiting.get((first, key[1], key[2]))
            if key[0] not in controllers or of_first is None or not of_first[2]:
                # Others wait as well: that is said by any count below the whole one.
                break
            count += 1
        return count

    def count_retries(self, controller: str, namespace: str, name: str) -> int:
        """How often a key was to be looked at again since it last went well."""
        return self._failures.get((controller, namespace, name), 0)

    def forget(self, controller: str, namespace: str, name: str) -> None:
        """A key went well: its next retry is quick again."""
        if self._failures.pop((controller, namespace, name), None) is not None:
            self._retries_at_ms.pop((controller, namespace, name), None)
            self._tell_failing(controller, False)

    def _tell_failing(self, controller: str, is_failing: bool) -> None:
        told = self._on_failing.get(controller)
        if told is not None:
            told(is_failing)

    def _enqueue_by(self, key: Key, due_ms: int, is_progress: bool) -> None:
        waiting = self._pending.get(key)
        cause = self._trace.cause
        if waiting is not None:
            if waiting[0] <= due_ms and (waiting[2] or not is_progress):
                return
            due_ms = min(due_ms, waiting[0])
            is_progress = is_progress or waiting[2]
            self._agenda.cancel(waiting[1], waiting[2])
        sequence = self._agenda.add(due_ms, SYNC, "|".join(key), None, is_progress, cause)
        self._pending[key] = (due_ms, sequence, is_progress)

    def _sync_due(self, timer: Timer) -> None:
        controller, namespace, name = timer.target.split("|")
        key = (controller, namespace, name)
        self._pending.pop(key, None)
        if key not in self._queue:
            self._queue[key] = timer.cause

    def drain(self) -> None:
        """Live the present instant to its end, or until its room is full."""
        agenda, clock, trace, queue = self._agenda, self._clock, self._trace, self._queue
        handlers, controllers = self._handlers, self._controllers
        now_ms, self.writes = clock.now_ms, 0
        while True:
            if agenda.first_ms <= now_ms:
                for timer in agenda.take_due(now_ms):
                    trace.cause = timer[6]
                    handlers[timer[2]](timer)
            if not queue:
                if not self._last:
                    break
                key = next(iter(self._last))
                queue[key] = self._last.pop(key)
            if self.writes >= ROOM_OF_INSTANT:
                self._put_off(now_ms + 1)
                continue
            key = next(iter(queue))
            trace.cause = queue.pop(key)
            if self._is_hot(key, now_ms):
                continue
            if self._pending:
                # This look takes the place of the one that waits; the controller sets the next itself.
                waiting = self._pending.pop(key, None)
                if waiting is not None:
                    agenda.cancel(waiting[1], waiting[2])
            try:
                controllers[key[0]](key[1], key[2])
            except ApiError as refusal:
                if not refusal.is_by_policy:
                    raise
                self._refused.add(key)
                self.retry(*key)
            else:
                if self._refused and key in self._refused:
                    self._refused.discard(key)
                    self.forget(*key)
        trace.cause = None

    def _put_off(self, due_ms: int) -> None:
        """Nobody's fault: the keys that wait are looked at a moment later, in their order."""
        for key, cause in self._queue.items():
            self._trace.cause = cause
            self._enqueue_by(key, due_ms, True)
        self._queue.clear()

    def _is_hot(self, key: Key, now_ms: int) -> bool:
        if self._syncs_at_ms != now_ms:
            self._syncs.clear()
            self._syncs_at_ms = now_ms
        count = self._syncs.get(key, 0) + 1
        self._syncs[key] = count
        if count <= SYNCS_PER_INSTANT:
            return False
        if count == SYNCS_PER_INSTANT + 1:
            delay_ms = self._find_hot_delay(key, now_ms)
            self._hot[key] = delay_ms, now_ms + delay_ms
            if self.on_hot_key is not None:
                self.on_hot_key(key, delay_ms)
        delay_ms, due_ms = self._hot[key]
        self._enqueue_by(key, due_ms, delay_ms < QUEUE_BASE_MS << HOT_WAITS)
        return True

    def _find_hot_delay(self, key: Key, now_ms: int) -> int:
        """Twice the last wait where that was in vain; what has been quiet for as long begins anew."""
        waited_ms, due_ms = self._hot.get(key, (0, 0))
        if waited_ms == 0 or now_ms > due_ms + waited_ms:
            return QUEUE_BASE_MS
        return min(2 * waited_ms, QUEUE_MAX_MS)

    def save(self) -> dict[str, Any]:
        """Plain data; waiting keys are in the agenda."""
        saved: dict[str, Any] = {"failures": [[*key, count] for key, count in self._failures.items()]}
        if self._retries_at_ms:
            saved["retries"] = [[*key, due_ms] for key, due_ms in self._retries_at_ms.items()]
        if self._refused:
            saved["refused"] = [list(key) for key in sorted(self._refused)]
        if self._hot:
            saved["hot"] = [[*key, *wait] for key, wait in self._hot.items()]
        if self._away:
            saved["away"] = list(self._away)
            saved["kept_keys"] = [[*key, cause] for key, cause in self._kept_keys.items()]
            saved["kept_timers"] = [list(timer) for timer in self._kept_timers]
        return saved

    def load(self, data: dict[str, Any]) -> None:
        """Go on from what `save` described; the agenda is restored before."""
        self._failures = {(row[0], row[1], row[2]): row[3] for row in data["failures"]}
        self._retries_at_ms = {(row[0], row[1], row[2]): row[3] for row in data.get("retries", ())}
        self._refused = {(row[0], row[1], row[2]) for row in data.get("refused", ())}
        self._hot = {(row[0], row[1], row[2]): (row[3], row[4]) for row in data.get("hot", ())}
        self.hold(data.get("away", ()))
        self._kept_keys = {(row[0], row[1], row[2]): row[3] for row in data.get("kept_keys", ())}
        self._kept_timers[:] = [Timer(*row) for row in data.get("kept_timers", ())]
        for timer in self._agenda.timers():
            if timer.kind == SYNC:
                controller, namespace, name = timer.target.split("|")
                self._pending[controller, namespace, name] = (
                    timer.due_ms,
                    timer.sequence,
                    timer.is_progress,
                )
        for key in self._failures:
            self._tell_failing(key[0], True)

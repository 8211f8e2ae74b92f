"""The user's own claims: what a Scenario beside the manifests, or an ordeal, expects.

Of the Scenario's those hold in every ordeal that are to hold always: instants of theirs are of another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lifecycle.check.scene import SERIOUS, End, Scene, Violation
from lifecycle.engine.heart.trace import Row
from lifecycle.input.expressions import Look, Verdict
from lifecycle.input.scenario import Expect
from lifecycle.lean_dataclasses import replace

ALWAYS, EVENTUALLY, HOLDS = "always", "eventually", "holds"


def holds_everywhere(expect: Expect) -> bool:
    """Whether a claim of a Scenario means any future, not only its own."""
    return expect.claim == ALWAYS and expect.from_ms is None and expect.to_ms is None


def list_own(scene: Scene) -> Iterator[OwnClaim]:
    """One for each; those of an ordeal count from its beginning."""
    for expect in scene.settled.plan.expects:
        if holds_everywhere(expect):
            yield OwnClaim(scene, expect)
    for expect in scene.trial.expects:
        begin_ms = scene.begin_ms + (expect.from_ms or 0)
        end_ms = None if expect.to_ms is None else scene.begin_ms + expect.to_ms
        yield OwnClaim(scene, replace(expect, from_ms=begin_ms, to_ms=end_ms))


class OwnClaim:
    """Looks at one expression at every instant."""

    def __init__(self, scene: Scene, expect: Expect) -> None:
        self._scene, self._expect = scene, expect
        self._look = Look(expect.expression)
        self._last = Verdict(False, False, "nothing")
        self._has_held = False
        self._failed: Violation | None = None

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """Judge the state after this instant."""
        expect = self._expect
        if self._failed or (expect.to_ms is not None and now_ms > expect.to_ms):
            return
        self._last = self._look.at(self._scene.cluster)
        if now_ms < (expect.from_ms or 0):
            return
        self._has_held = self._has_held or self._last.holds
        if expect.claim == ALWAYS and not self._last.holds:
            self._fail(now_ms, self._last.seen, rows[0].seq if rows else None)

    def finish(self, end: End) -> Iterable[Violation]:
        """What failed, what was never so, and what was not so at its instant."""
        expect, seen = self._expect, self._last.seen
        if expect.claim == EVENTUALLY and not self._has_held:
            self._fail(end.now_ms, f"never so; last seen: {seen}", None)
        elif expect.claim == HOLDS and not self._last.holds:
            self._fail(end.now_ms if expect.to_ms is None else expect.to_ms, seen, None)
        return [self._failed] if self._failed else []

    def _fail(self, at_ms: int, seen: str, seq: int | None) -> None:
        expression = self._expect.expression
        name = "/".join(filter(None, expression.key))
        text = f"{expression.text} does not hold: {seen}"
        self._failed = Violation(expression.text, name, SERIOUS, at_ms, text, seq)

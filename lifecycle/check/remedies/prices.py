"""What a change brings and what it costs, in words: the figures with it and without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifecycle.check.figures import worst_of
from lifecycle.check.life import WHOLE, Figures, Future
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.lost_requests import tell_worth

_ENDLESS = ("nothing-stuck", "drain-ends")


def worst_by_seed(futures: Sequence[Future]) -> list[Figures]:
    """Of what was lived through under one seed the worst, seed by seed."""
    seeds = dict.fromkeys(one.seed for one in futures)
    return [worst_of([one for one in futures if one.seed == seed]) for seed in seeds]


def tell_price(before: Sequence[Future], after: Sequence[Future], pods: int) -> str:
    """`lost nothing instead of 4.1s; whole after 1m 14s instead of 1m 01s; 1 pod more`, at worst.

    `pods`: how many more there are. "" where all figures stay as they are.
    """
    return "; ".join(_tell(_find_worst(before), _find_worst(after), pods))


def _find_worst(futures: Sequence[Future]) -> Figures:
    worst = worst_of(futures)
    return worst if all(map(_has_ended, futures)) else worst._replace(recovery_ms=None)


def _has_ended(future: Future) -> bool:
    """All pods may be well while a drain goes on, or a run that was due does not begin: that is no end."""
    return future.end == WHOLE and not any(one.claim in _ENDLESS for one in future.violations)


def _tell(old: Figures, new: Figures, pods: int) -> Iterator[str]:
    yield from _compare("lost", _tell_lost(new.lost_ms), _tell_lost(old.lost_ms))
    yield from _compare("fewest available", str(new.fewest_available), str(old.fewest_available))
    yield from _compare("too few pods for", tell_span(new.below_budget_ms), tell_span(old.below_budget_ms))
    yield from _compare("whole", _tell_time(new.recovery_ms), _tell_time(old.recovery_ms))
    yield from _compare("restarts", str(new.restarts), str(old.restarts))
    if pods:
        yield f"{abs(pods)} {'pod' if abs(pods) == 1 else 'pods'} {'more' if pods > 0 else 'fewer'}"


def _compare(what: str, new: str, old: str) -> Iterator[str]:
    if new != old:
        yield f"{what} {new} instead of {old}"


def _tell_lost(lost_ms: int) -> str:
    return tell_worth(lost_ms) if lost_ms else "nothing"


def _tell_time(recovery_ms: int | None) -> str:
    return "never" if recovery_ms is None else f"after {tell_span(recovery_ms)}"

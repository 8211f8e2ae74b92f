"""How much of a sender's requests an endpoint got in the last while: what is lost when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .view import Standing, View

Turn = tuple[int, int]
"""From an instant on one of so many endpoints is used, or it is not: 0."""


def remember(view: View, now_ms: int, reach_ms: int) -> None:
    """Keep which endpoints are used from now on, and forget what is longer ago than anybody asks."""
    used, among = view.list_used(), view.count().among
    history = view.history
    if history and history[-1][0] == now_ms:
        history.pop()
    if not history or history[-1][1:] != (used, among):
        history.append((now_ms, used, among))
    while len(history) > 1 and history[1][0] <= now_ms - reach_ms:
        del history[0]


def remember_move(view: View, key: str, was: Standing | None, now_ms: int, reach_ms: int) -> None:
    """Keep how an endpoint stood until now."""
    moves = view.moves.setdefault(key, [])
    moves.append((now_ms, was))
    while moves and moves[0][0] <= now_ms - reach_ms:
        del moves[0]


def forget_moves(view: View, now_ms: int, reach_ms: int) -> None:
    """Drop what is known of endpoints that have not moved for longer than anybody asks."""
    for key in [one for one, moves in view.moves.items() if moves[-1][0] <= now_ms - reach_ms]:
        del view.moves[key]


def list_turns(view: View, key: str) -> Iterator[Turn]:
    """When an endpoint was used, and among how many; in order."""
    moves = view.moves.get(key, [])
    instants = sorted({at_ms for at_ms, _was in moves} | {at_ms for at_ms, _used, _among in view.history})
    for at_ms in instants:
        standing = next((was for moved_ms, was in moves if moved_ms > at_ms), view.find_standing(key))
        _since, used, among = next((one for one in reversed(view.history) if one[0] <= at_ms), (0, (), 0))
        yield at_ms, among if standing in used else 0


def sum_share(view: View, key: str, from_ms: int, to_ms: int, keep_alive_ms: int) -> Fraction:
    """How many ms' worth of a sender's requests an endpoint got between two instants.

    Connections that are kept open stay with it once it is used no more, and are closed by and by.
    """
    total, turns = Fraction(0), list(list_turns(view, key))
    for place, (at_ms, among) in enumerate(turns):
        until_ms = min(turns[place + 1][0] if place + 1 < len(turns) else to_ms, to_ms)
        begin_ms = max(at_ms, from_ms)
        if begin_ms >= until_ms:
            continue
        if among:
            total += Fraction(until_ms - begin_ms, among)
        elif keep_alive_ms:
            total += _sum_kept(turns, place, begin_ms, until_ms, keep_alive_ms)
    return total


def _sum_kept(turns: list[Turn], place: int, begin_ms: int, until_ms: int, keep_alive_ms: int) -> Fraction:
    """What is left of its connections, opened evenly over the time that each is kept: less and less."""
    last = next((one for one in reversed(range(place)) if turns[one][1]), None)
    if last is None:
        return Fraction(0)
    left_ms = turns[last + 1][0]
    end_ms = min(until_ms, left_ms + keep_alive_ms)
    if begin_ms >= end_ms:
        return Fraction(0)
    # The mean of a straight line over the span.
    left = 2 * keep_alive_ms - (begin_ms - left_ms) - (end_ms - left_ms)
    return Fraction((end_ms - begin_ms) * left, turns[last][1] * 2 * keep_alive_ms)

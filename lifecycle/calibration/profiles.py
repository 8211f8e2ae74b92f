"""ContainerProfiles made of what was measured, with what each figure stands on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifecycle.calibration.ends import CODES, KILLED_CODE, find_pattern
from lifecycle.calibration.measured import PULL, READY, RUNS, START, STOP, Measured
from lifecycle.calibration.spread import decide_spread
from lifecycle.calibration.windows import Window
from lifecycle.engine.objects.names import MEASURED
from lifecycle.engine.programs.profiles import make_profile
from lifecycle.input.scenario import format_duration
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

Json = dict[str, Any]
_NO_LETTERS = late_pattern(r"[^a-z0-9]+")
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a behaviour: what it is called, what it is, and the samples it stands on."""

    name: str
    key: str
    value: Any
    samples: tuple[Window, ...]

    def tell(self) -> str:
        """`ready 9 samples, each to 4s`: how much the least sharp one leaves open, in tenths of a second."""
        count = len(self.samples)
        open_ms = -(-max(one.width_ms for one in self.samples) // 100) * 100
        to = f", {'each ' if count > 1 else ''}to {format_duration(open_ms)}" if open_ms else ""
        return f"{self.name} {count} sample{'' if count == 1 else 's'}{to}"


def list_parts(measured: Measured) -> list[Part]:
    """What of a behaviour was measured, in the order in which it is written."""
    return [*_list_times(measured), *_list_ends(measured)]


def list_remarks(measured: Measured) -> list[str]:
    """What is to be known of the samples of an image: `not taken: ready: no readiness probe … (3 times)`."""
    reasons = dict(measured.why_not)
    if why := find_pattern(measured.lives).why_not:
        reasons[why] = len(measured.lives)
    if measured.stops and not _is_one_way(measured):
        reasons[CODES] = len(measured.stops)
    doubts = [f"in doubt: {doubt}" for doubt in measured.doubts]
    times = {why: f"{count} time{'' if count == 1 else 's'}" for why, count in reasons.items()}
    return [*doubts, *(f"not taken: {why} ({times[why]})" for why in sorted(times))]


def make_measured_profile(measured: Measured, when: str) -> Json | None:
    """The profile; None where nothing was measured. `when`: the time that the samples are of."""
    parts = list_parts(measured)
    if not parts:
        return None
    profile = make_profile(
        f"measured-{_slug(measured.image)}", measured.image, {part.key: part.value for part in parts}
    )
    profile["metadata"]["annotations"] = {MEASURED: "; ".join([*(part.tell() for part in parts), when])}
    return profile


def _list_times(measured: Measured) -> Iterator[Part]:
    given = (
        (PULL, "pull", "takes", measured.pulls),
        (START, "start", "takes", measured.starts),
        (READY, "listens", "after", measured.readies),
    )
    for name, key, field, samples in given:
        if samples:
            yield Part(name, key, {field: decide_spread(samples)}, tuple(samples))


def _list_ends(measured: Measured) -> Iterator[Part]:
    pattern = find_pattern(measured.lives)
    if pattern.runs:
        value: Json = {"for": decide_spread(pattern.runs), "exit": pattern.code}
        value |= {"reason": pattern.reason} if pattern.reason else {}
        yield Part(RUNS, "runs", [value], pattern.runs)
    if measured.stops and _is_one_way(measured):
        samples, code = tuple(took for took, _ in measured.stops), measured.stops[0][1]
        # Whom only SIGKILL ends has not heard its stop signal.
        ending = {"ignore": True} if code == KILLED_CODE else {"takes": decide_spread(samples), "exit": code}
        yield Part(STOP, "onTerm", ending, samples)


def _is_one_way(measured: Measured) -> bool:
    return len({code for _, code in measured.stops}) == 1


def _slug(image: str) -> str:
    """The last of its name, with the tag, as a label: two images may share it."""
    last = image.partition("@")[0].rpartition("/")[2].lower()
    return _NO_LETTERS.sub("-", last)[:_LONGEST].strip("-") or "image"

"""What was measured as text: profiles in YAML, with comments of what they stand on, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from lifecycle.calibration.dumps import Dump
from lifecycle.calibration.measured import PULL, READY, START, Measured
from lifecycle.calibration.profiles import Part, list_parts, list_remarks, make_measured_profile
from lifecycle.engine.objects.times import format_time
from lifecycle.input.problems import list_names

_HEAD = ("IMAGE", "SAMPLES", "PULL", "START", "READY", "RESTARTS")
_NONE = "<none>"
_WIDTH = 100


def write_profiles(dump: Dump, measured: Sequence[Measured]) -> str:
    """The profiles in YAML; above each what of its image could not be measured, and why."""
    when = _tell_when(dump)
    made = [(one, profile) for one in measured if (profile := make_measured_profile(one, when))]
    texts = [f"# {line}\n" for line in _list_head(dump, measured, [one.image for one, _ in made])]
    for one, profile in made:
        texts.append(f"---\n# {one.image}\n")
        texts += [f"# {remark}\n" for remark in list_remarks(one)]
        texts.append(yaml.safe_dump(profile, sort_keys=False, width=_WIDTH))
    return "".join(texts)


def write_table(measured: Sequence[Measured]) -> str:
    """A line for each image of the dump, as kubectl writes tables. SAMPLES: of pull, start and ready."""
    rows = [_HEAD, *map(_make_row, measured)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["   ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "".join(f"{line}\n" for line in lines)


def describe_remarks(measured: Sequence[Measured]) -> list[str]:
    """The same remarks as lines of their own, for who does not get them in the profiles."""
    return [f"{one.image}: {remark}" for one in measured for remark in list_remarks(one)]


def _list_head(dump: Dump, measured: Sequence[Measured], made: Sequence[str]) -> Iterator[str]:
    of = f"{_count(len(dump.pods), 'pod')} and {_count(dump.events, 'event')}"
    yield f"Made by podline calibrate of {of}, {_tell_when(dump)}."
    yield "Give it beside the manifests: podline simulate MANIFESTS THIS-FILE"
    yield "A range holds all that the dump leaves open: times of the API have whole seconds, and probes"
    yield "look once in a period. The annotation says on how many samples each figure stands, how sharp each."
    if others := [one.image for one in measured if one.image not in made]:
        yield f"Nothing was measured of {list_names(others)}"


def _tell_when(dump: Dump) -> str:
    if dump.span is None:
        return "without a time"
    return f"{format_time(0, dump.span.low_ms)} to {format_time(0, dump.span.high_ms)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _make_row(one: Measured) -> tuple[str, ...]:
    parts = {part.name: part for part in list_parts(one)}
    times = [parts.get(name) for name in (PULL, START, READY)]
    samples = "/".join(str(len(part.samples) if part else 0) for part in times)
    return (one.image, samples, *(_show(part) for part in times), str(one.restarts))


def _show(part: Part | None) -> str:
    """`3s`, `2s..6s`, or `3s ±500ms` of a normal one."""
    if part is None:
        return _NONE
    (value,) = part.value.values()
    return value if isinstance(value, str) else _show_bell(value)


def _show_bell(value: dict[str, Any]) -> str:
    mean, deviation = value["normal"]
    return f"{mean} ±{deviation}"

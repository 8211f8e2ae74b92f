"""When a CronJob runs: five fields as cron has them, or one of cron's words."""

from __future__ import annotations

import re

_NAMES = (
    "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    "sun mon tue wed thu fri sat".split(),
)
# Lowest and highest value of each field, and the names that stand for values.
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_NAMES[0], 1)}),
    (0, 6, {name: number for number, name in enumerate(_NAMES[1])}),
)
_WORDS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = "@every "
_DURATION = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+|[-+]?0", re.ASCII)
_ZONE_PART = re.compile(r"[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}")
_LARGEST = 2**63 - 1


def check_schedule(text: str) -> str:
    """What is wrong with a schedule, in the words of the parser that Kubernetes uses; "" when nothing is."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        text = text.partition(" ")[2].strip()
    try:
        _read(text)
    except ValueError as problem:
        return str(problem)
    return ""


def is_zone_name(text: str) -> bool:
    """Whether a time zone may be called so at all."""
    parts = text.split("/")
    return all(part not in (".", "..") and _ZONE_PART.fullmatch(part) for part in parts)


def _read(text: str) -> None:
    if text.startswith("@"):
        _read_word(text)
        return
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, (low, high, names) in zip(fields, _FIELDS, strict=True):
        for part in filter(None, field.split(",")):
            _read_range(part, low, high, names)


def _read_word(text: str) -> None:
    if text.startswith(_EVERY):
        duration = text.removeprefix(_EVERY)
        if not _DURATION.fullmatch(duration):
            raise ValueError(f'failed to parse duration {duration}: time: invalid duration "{duration}"')
    elif text not in _WORDS:
        raise ValueError(f"unrecognized descriptor: {text}")


def _read_range(text: str, low: int, high: int, names: dict[str, int]) -> None:
    """`*`, `5`, `1-5`, each with `/step`."""
    bounds, *steps = text.split("/")
    ends = bounds.split("-")
    if ends[0] in ("*", "?"):
        first, last = low, high
    else:
        first = _read_number(ends[0], names)
        if len(ends) > 2:
            raise ValueError(f"too many hyphens: {text}")
        last = _read_number(ends[1], names) if len(ends) == 2 else first
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {text}")
    step = _read_number(steps[0], {}) if steps else 1
    if steps and len(ends) == 1:
        last = high
    if first < low:
        raise ValueError(f"beginning of range ({first}) below minimum ({low}): {text}")
    if last > high:
        raise ValueError(f"end of range ({last}) above maximum ({high}): {text}")
    if first > last:
        raise ValueError(f"beginning of range ({first}) beyond end of range ({last}): {text}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {text}")


def _read_number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not re.fullmatch(r"[-+]?[0-9]+", text):
        raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    # A number of thousands of digits is not worth reading.
    if len(text) > 20 or abs(int(text)) > _LARGEST:
        raise ValueError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": value out of range'
        )
    if int(text) < 0:
        raise ValueError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)

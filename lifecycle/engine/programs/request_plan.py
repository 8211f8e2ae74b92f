"""What is asked of a Service: how many requests, how long each takes, who sends them.

metadata:
  annotations:
    podline.dev/requests: |          # on a Service
      perSecond: 200                 # absent: judged in shares alone
      takes: 80ms                    # a duration, range or {normal: […]}; its middle counts
      keepAlive: 30s                 # absent: a connection a request
      from: [pods]                   # pods, ingress, loadBalancer, dns; absent: what the objects say
      cpuPerRequest: {web: 5m}       # by container: CPU time that each costs, in seconds of one CPU
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..objects.quantity import parse_quantity
from ..objects.shortened import shorten
from ..rules.network.requests import SENDERS
from ..schema.yaml_nodes import read_text
from .durations import Duration
from .reading import Problem, Reader

REQUESTS = "podline.dev/requests"
CPU_PER_REQUEST = "cpuPerRequest"
_KEYS = ("perSecond", "takes", "keepAlive", "from", CPU_PER_REQUEST)
_MOST_PER_SECOND = 10_000_000
_MOST_MS = 3_600_000
_MOST_CPU_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """Of one Service. `per_second` None: only shares are known; `senders` None: the objects say who sends.

    `cpu_per_request`: by container, in seconds of one CPU.
    """

    per_second: int | None = None
    takes_ms: int = 0
    keep_alive_ms: int = 0
    senders: tuple[str, ...] | None = None
    cpu_per_request: Mapping[str, Fraction] = field(default_factory=dict)


NOTHING_SAID = RequestPlan()


@lru_cache(maxsize=1024)
def read_requests(text: str) -> tuple[RequestPlan, tuple[Problem, ...]]:
    """The plan that an annotation holds, and every mistake that was found; a part with one is left out."""
    reader, path = Reader(), f"metadata.annotations[{REQUESTS}]"
    try:
        parsed = read_text(text)
    except ValueError as error:
        reader.note(path, str(error))
        return NOTHING_SAID, tuple(reader.problems)
    given = reader.mapping(parsed, path, _KEYS)
    plan = RequestPlan(
        reader.number(given, "perSecond", path, 0, _MOST_PER_SECOND),
        _middle_ms(reader, given, "takes", path),
        _middle_ms(reader, given, "keepAlive", path),
        _read_senders(reader, given, path),
        _read_costs(reader, given, path),
    )
    return plan, tuple(reader.problems)


def _middle_ms(reader: Reader, given: Mapping[str, Any], key: str, path: str) -> int:
    duration = reader.duration(given, key, path) or Duration.fixed(0)
    middle_ms = (duration.low_ms + duration.high_ms) // 2
    if middle_ms > _MOST_MS:
        reader.note(f"{path}.{key}", f"{shorten(given[key])} is longer than may be, 1h")
        return 0
    return middle_ms


def _read_senders(reader: Reader, given: Mapping[str, Any], path: str) -> tuple[str, ...] | None:
    if "from" not in given:
        return None
    names = given["from"]
    wanted = f"must be a list of some of {', '.join(SENDERS)}"
    if not isinstance(names, list):
        reader.note(f"{path}.from", f"{shorten(names)} {wanted}")
        return None
    for index, name in enumerate(names):
        if name not in SENDERS:
            reader.note(f"{path}.from[{index}]", f"{shorten(name)}: {wanted}")
    return tuple(name for name in SENDERS if name in names)


def _read_costs(reader: Reader, given: Mapping[str, Any], path: str) -> dict[str, Fraction]:
    """What a request costs each container."""
    where = f"{path}.{CPU_PER_REQUEST}"
    costs = given.get(CPU_PER_REQUEST, {})
    if not isinstance(costs, dict):
        reader.note(where, f"{shorten(costs)} must map container names to CPU time, such as {{web: 5m}}")
        return {}
    if costs and "perSecond" not in given:
        reader.note(where, "needs perSecond beside it: how many requests cost so much")
    found = {}
    for name, value in costs.items():
        try:
            found[str(name)] = parse_quantity(value)
        except ValueError as error:
            reader.note(f"{where}.{name}", str(error))
            continue
        if not 0 <= found[str(name)] <= _MOST_CPU_SECONDS:
            reader.note(f"{where}.{name}", f"{shorten(value)} must be from 0 to {_MOST_CPU_SECONDS} seconds")
            del found[str(name)]
    return found


def list_request_problems(annotations: Mapping[str, str | None], is_service: bool) -> tuple[Problem, ...]:
    """What is wrong with the requests that an object's annotations tell of; it is left out."""
    text = annotations.get(REQUESTS)
    if not text:
        return ()
    if not is_service:
        return (Problem(f"metadata.annotations[{REQUESTS}]", "only a Service gets requests"),)
    return read_requests(text)[1]

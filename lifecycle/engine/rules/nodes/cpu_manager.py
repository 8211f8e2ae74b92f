"""Exclusive CPUs: who gets some of his own on a node with the CPU manager policy `static`. Pure.

A container of a Guaranteed pod that asks for whole CPUs gets that many for itself; all others share the rest.
Left out: the topology of sockets and threads, policy options, and CPUs of init containers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...objects.pods.container import Container
from ...objects.quantity import cpu_milli
from ..pods.qos import GUARANTEED

STATIC = "static"
MOST_CPUS = 8192
"""As many as Linux can have."""
_RESERVATIONS = ("systemReserved", "kubeReserved")


def is_static(configuration: Mapping[str, Any] | None) -> bool:
    """Whether a kubelet hands out CPUs."""
    return (configuration or {}).get("cpuManagerPolicy") == STATIC


def count_exclusive(container: Container, qos_class: str) -> int:
    """How many CPUs of its own a container gets: none unless it asks for whole ones."""
    asked = container.requests.get("cpu", 0)
    if qos_class != GUARANTEED or asked % 1000 or (container.is_init and not container.is_sidecar):
        return 0
    return asked // 1000


def find_reserved(configuration: Mapping[str, Any] | None) -> tuple[int, ...]:
    """The CPUs kept for the system and the kubelet: those that are named, else the first so many."""
    given = configuration or {}
    named = given.get("reservedSystemCPUs")
    if named:
        return read_cpus(str(named))
    milli = sum(cpu_milli((given.get(part) or {}).get("cpu") or 0) for part in _RESERVATIONS)
    return tuple(range(min(-(-milli // 1000), MOST_CPUS)))


def find_free(cpus: int, taken: Collection[int]) -> tuple[int, ...]:
    """The free CPUs of a node with so many."""
    return tuple(number for number in range(cpus) if number not in taken)


def read_cpus(text: str) -> tuple[int, ...]:
    """`0-2,5` as numbers. Raises ValueError for anything else."""
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        first, last = int(low), int(high if dash else low)
        if not first <= last < MOST_CPUS:
            raise ValueError(f"{part} is no range of CPUs")
        found.extend(range(first, last + 1))
    return tuple(found)


def format_cpus(cpus: Collection[int]) -> str:
    """Numbers as `0-2,5`."""
    texts: list[str] = []
    numbers = sorted(cpus)
    start = 0
    for index, number in enumerate(numbers):
        if index + 1 < len(numbers) and numbers[index + 1] == number + 1:
            continue
        first = numbers[start]
        texts.append(str(first) if first == number else f"{first}-{number}")
        start = index + 1
    return ",".join(texts)


def find_problem(configuration: Mapping[str, Any]) -> tuple[str, Any, str] | None:
    """(field path, value, what would be right) for a policy that cannot be."""
    policy = configuration.get("cpuManagerPolicy")
    if policy not in (None, "none", STATIC):
        return "cpuManagerPolicy", policy, "must be none or static"
    for part in _RESERVATIONS:
        cpu = (configuration.get(part) or {}).get("cpu")
        try:
            cpu_milli(cpu or 0)
        except ValueError:
            return f"{part}[cpu]", cpu, "must be a quantity such as 500m"
    try:
        reserved = find_reserved(configuration)
    except ValueError:
        text = configuration.get("reservedSystemCPUs")
        return "reservedSystemCPUs", text, "must be a list of CPUs such as 0-1,4"
    if policy == STATIC and not reserved:
        wanted = "the static policy requires systemReserved.cpu + kubeReserved.cpu to be greater than zero"
        return "cpuManagerPolicy", policy, wanted
    return None

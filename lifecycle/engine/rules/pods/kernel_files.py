"""What the kernel tells a container about itself: the mapping of its ids, and its control group. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ...objects.pods.container import Container
from .qos import GUARANTEED

WHOLE_RANGE = 4_294_967_295
PAGE = 4096
THROTTLING_PERCENT = 90
"""`memoryThrottlingFactor` of the kubelet, 0.9 unless it is configured."""
_PERIOD_US = 100_000
_LEAST_QUOTA_US = 1_000
"""The kernel takes no less, so the kubelet asks for no less."""


def id_files(first_host_id: int | None, block: int) -> dict[str, str]:
    """The maps of user and group ids: id inside, id on the node, how many; and who everybody else is."""
    row = (0, 0, WHOLE_RANGE) if first_host_id is None else (0, first_host_id, block)
    text = "".join(f"{number:>11}" for number in row).removeprefix(" ") + "\n"
    return {
        "/proc/self/uid_map": text,
        "/proc/self/gid_map": text,
        "/proc/1/uid_map": text,
        "/proc/1/gid_map": text,
        "/proc/sys/kernel/overflowuid": "65534\n",
        "/proc/sys/kernel/overflowgid": "65534\n",
    }


def control_group_files(
    container: Container, qos_class: str, node_memory: int, memory_qos: bool
) -> dict[str, str]:
    """Limits as the container's control group has them; with the gate MemoryQoS its protection as well."""
    memory, cpu = container.limits.get("memory"), container.limits.get("cpu")
    protected, throttled = decide_memory_qos(container, qos_class, node_memory) if memory_qos else (0, None)
    quota = max((cpu or 0) * _PERIOD_US // 1000, _LEAST_QUOTA_US)
    values: Mapping[str, str] = {
        "memory.max": str(memory) if memory else "max",
        "memory.min": str(protected),
        "memory.high": "max" if throttled is None else str(throttled),
        "cpu.max": f"{quota} {_PERIOD_US}" if cpu else f"max {_PERIOD_US}",
    }
    return {f"/sys/fs/cgroup/{name}": f"{value}\n" for name, value in values.items()}


def decide_memory_qos(container: Container, qos_class: str, node_memory: int) -> tuple[int, int | None]:
    """`memory.min` and `memory.high` in bytes; None: no throttling.

    What is asked for is never reclaimed. A container is slowed down at its request and nine tenths of what
    is between that and its limit, or the node's memory when it has none: 100 Mi and 200 Mi give 190 Mi.
    Guaranteed pods are not slowed down: they ask for all they may have.
    """
    asked = container.requests.get("memory", 0)
    if qos_class == GUARANTEED:
        return asked, None
    limit = container.limits.get("memory") or node_memory
    high = asked + (limit - asked) * THROTTLING_PERCENT // 100
    # A whole number of pages.
    return asked, high // PAGE * PAGE if high > asked else None

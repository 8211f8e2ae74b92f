"""What is reported of a pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition, read_conditions
from ..record import Record
from ..times import format_time, parse_time_or_none
from .container import ContainerStatus


@dataclass(slots=True, eq=False)
class PodStatus(Record):
    """What is reported of a pod. `start_ms` is the instant the kubelet acknowledged it."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    containers: tuple[ContainerStatus, ...] = ()
    init_containers: tuple[ContainerStatus, ...] = ()
    ephemeral_containers: tuple[ContainerStatus, ...] = ()
    reason: str = ""
    message: str = ""
    pod_ip: str = ""
    host_ip: str = ""
    start_ms: int | None = None
    qos_class: str = ""
    observed_generation: int | None = None
    nominated_node_name: str = ""
    extra: dict[str, Any] | None = None

    def copy(self) -> PodStatus:
        """A copy to be written to before anybody else sees it: the hot path's `replace`."""
        new: PodStatus = object.__new__(PodStatus)
        new.phase = self.phase
        new.conditions = self.conditions
        new.containers = self.containers
        new.init_containers = self.init_containers
        new.ephemeral_containers = self.ephemeral_containers
        new.reason = self.reason
        new.message = self.message
        new.pod_ip = self.pod_ip
        new.host_ip = self.host_ip
        new.start_ms = self.start_ms
        new.qos_class = self.qos_class
        new.observed_generation = self.observed_generation
        new.nominated_node_name = self.nominated_node_name
        new.extra = self.extra
        return new

    def with_conditions(self, conditions: tuple[Condition, ...], nominated_node_name: str) -> PodStatus:
        """The status as the scheduler changes it."""
        new = self.copy()
        new.conditions = conditions
        new.nominated_node_name = nominated_node_name
        return new

    def reported(
        self,
        phase: str,
        conditions: tuple[Condition, ...],
        containers: tuple[ContainerStatus, ...],
        pod_ip: str,
        host_ip: str,
        start_ms: int,
        observed_generation: int | None,
    ) -> PodStatus:
        """The status as a kubelet changes it on the way of a plain start: the hot path's `replace`."""
        new: PodStatus = object.__new__(PodStatus)
        new.phase = phase
        new.conditions = conditions
        new.containers = containers
        new.init_containers = self.init_containers
        new.ephemeral_containers = self.ephemeral_containers
        new.reason = self.reason
        new.message = self.message
        new.pod_ip = pod_ip
        new.host_ip = host_ip
        new.start_ms = start_ms
        new.qos_class = self.qos_class
        new.observed_generation = observed_generation
        new.nominated_node_name = self.nominated_node_name
        new.extra = self.extra
        return new

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> PodStatus:
        """Read `status`; unknown fields are kept in `extra`."""
        data = data or {}
        return cls(
            data.get("phase") or "",
            read_conditions(data.get("conditions"), epoch_ms),
            _statuses(data.get("containerStatuses"), epoch_ms),
            _statuses(data.get("initContainerStatuses"), epoch_ms),
            _statuses(data.get("ephemeralContainerStatuses"), epoch_ms),
            data.get("reason") or "",
            data.get("message") or "",
            data.get("podIP") or _first_ip(data.get("podIPs")),
            data.get("hostIP") or "",
            parse_time_or_none(data.get("startTime"), epoch_ms),
            data.get("qosClass") or "",
            data.get("observedGeneration"),
            data.get("nominatedNodeName") or "",
            {name: value for name, value in data.items() if name not in _STATUS_READ} or None,
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form."""
        data: dict[str, Any] = {}
        if self.observed_generation is not None:
            data["observedGeneration"] = self.observed_generation
        if self.phase:
            data["phase"] = self.phase
        if self.conditions:
            data["conditions"] = [one.to_json(epoch_ms) for one in _as_listed(self.conditions)]
        for name, text in (
            ("message", self.message),
            ("reason", self.reason),
            ("nominatedNodeName", self.nominated_node_name),
            ("hostIP", self.host_ip),
        ):
            if text:
                data[name] = text
        if self.host_ip:
            data["hostIPs"] = [{"ip": self.host_ip}]
        if self.pod_ip:
            data["podIP"] = self.pod_ip
            data["podIPs"] = [{"ip": self.pod_ip}]
        if self.start_ms is not None:
            data["startTime"] = format_time(self.start_ms, epoch_ms)
        for name, statuses in (
            ("initContainerStatuses", self.init_containers),
            ("containerStatuses", self.containers),
            ("ephemeralContainerStatuses", self.ephemeral_containers),
        ):
            if statuses:
                data[name] = [status.to_json(epoch_ms) for status in statuses]
        if self.qos_class:
            data["qosClass"] = self.qos_class
        if self.extra:
            data.update(self.extra)
        return data


_LISTED = {
    "PodReadyToStartContainers": 1, "Initialized": 2, "Ready": 3, "ContainersReady": 4, "PodScheduled": 5,
    "PodRestartInPlace": 6,
}  # fmt: skip
"""A kubelet lists its own conditions so, behind those of others."""


def _as_listed(conditions: tuple[Condition, ...]) -> Sequence[Condition]:
    # Before a kubelet writes they stand as they came.
    if len(conditions) < 2 or all(one.type != "Initialized" for one in conditions):
        return conditions
    return sorted(conditions, key=lambda one: _LISTED.get(one.type, 0))


_STATUS_READ = frozenset(
    (
        "phase conditions containerStatuses initContainerStatuses ephemeralContainerStatuses reason message"
        " podIP podIPs hostIP hostIPs startTime qosClass observedGeneration nominatedNodeName"
    ).split()
)


def _first_ip(data: Any) -> str:
    return data[0].get("ip", "") if data else ""


def _statuses(data: Any, epoch_ms: int) -> tuple[ContainerStatus, ...]:
    return tuple(ContainerStatus.from_json(entry, epoch_ms) for entry in data or ())

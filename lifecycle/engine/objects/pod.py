"""Pods. One typed reading of a spec serves every pod made from the same template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .condition import Condition, read_conditions
from .container import ALWAYS, Container, ContainerStatus
from .kinds import KINDS, Kind
from .meta import ObjectMeta, StoredObject
from .node import Taint
from .record import Record
from .shown import Shown
from .times import format_time, parse_time_or_none

PENDING, RUNNING, SUCCEEDED, FAILED, UNKNOWN = "Pending", "Running", "Succeeded", "Failed", "Unknown"
POD_KIND = KINDS["Pod"]
MIRROR = "kubernetes.io/config.mirror"
"""The annotation that a mirror pod has, and nothing else: it names the static pod it shows."""


class Toleration(Record):
    """One toleration; `seconds` None means for ever."""

    __slots__ = ("effect", "key", "operator", "seconds", "value")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.key: str = data.get("key") or ""
        self.operator: str = data.get("operator") or "Equal"
        self.value: str = data.get("value") or ""
        self.effect: str = data.get("effect") or ""
        self.seconds: int | None = data.get("tolerationSeconds")

    def covers(self, taint: Taint) -> bool:
        """Whether a taint is tolerated. An empty key with Exists covers every taint, an empty effect any."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        return self.operator == "Exists" or bool(self.key and self.value == taint.value)


class PodSpec(Record):
    """What a pod asks for. `raw` is the stored JSON (without the node, which lives on the pod).

    `base` and `overlay` tell of what `pod_overlay` made: the reading it shares, the fields that differ.
    """

    __slots__ = (
        "active_deadline_seconds",
        "affinity",
        "all_containers",
        "base",
        "containers",
        "ephemeral_containers",
        "host_network",
        "host_pid",
        "hostname",
        "init_containers",
        "is_plain",
        "memo",
        "node_selector",
        "os_name",
        "overhead",
        "overlay",
        "priority",
        "raw",
        "readiness_gates",
        "resources",
        "restart_policy",
        "scheduler_name",
        "scheduling_gates",
        "service_account_name",
        "share_process_namespace",
        "subdomain",
        "termination_grace_seconds",
        "tolerations",
        "topology_spread_constraints",
        "volumes",
    )

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.containers = _read_containers(raw, "containers")
        self.init_containers = _read_containers(raw, "initContainers")
        self.ephemeral_containers = _read_containers(raw, "ephemeralContainers")
        self.all_containers = (*self.init_containers, *self.containers, *self.ephemeral_containers)
        self.restart_policy: str = raw.get("restartPolicy") or ALWAYS
        self.termination_grace_seconds: int | None = raw.get("terminationGracePeriodSeconds")
        self.active_deadline_seconds: int | None = raw.get("activeDeadlineSeconds")
        self.node_selector: dict[str, str] = raw.get("nodeSelector") or {}
        self.tolerations = tuple(Toleration(entry) for entry in raw.get("tolerations") or ())
        self.topology_spread_constraints: tuple[dict[str, Any], ...] = tuple(
            raw.get("topologySpreadConstraints") or ()
        )
        self.readiness_gates: tuple[str, ...] = tuple(
            entry.get("conditionType", "") for entry in raw.get("readinessGates") or ()
        )
        self.scheduling_gates: tuple[str, ...] = tuple(
            entry.get("name", "") for entry in raw.get("schedulingGates") or ()
        )
        self.host_network: bool = bool(raw.get("hostNetwork"))
        self.host_pid: bool = bool(raw.get("hostPID"))
        self.share_process_namespace: bool = bool(raw.get("shareProcessNamespace"))
        self.os_name: str = (raw.get("os") or {}).get("name", "")
        self.priority: int = raw.get("priority") or 0
        self.overhead: dict[str, Any] = raw.get("overhead") or {}
        self.resources: dict[str, Any] = raw.get("resources") or {}
        self.service_account_name: str = raw.get("serviceAccountName") or "default"
        self.scheduler_name: str = raw.get("schedulerName") or "default-scheduler"
        others = (self.init_containers, self.ephemeral_containers, self.readiness_gates)
        # One container and nothing else that its conditions wait for.
        self.is_plain = len(self.containers) == 1 and not any(others)
        # Readings that others derive from the spec once per template (effective requests, behaviours).
        self.memo: dict[Any, Any] = {}
        self.base: PodSpec | None = None
        self.overlay: dict[str, Any] | None = None
        self.read_own_fields()

    def read_own_fields(self) -> None:
        """Read what pods of one template may differ in."""
        raw = self.raw
        self.affinity: dict[str, Any] = raw.get("affinity") or {}
        self.hostname: str = raw.get("hostname") or ""
        self.subdomain: str = raw.get("subdomain") or ""
        self.volumes: tuple[dict[str, Any], ...] = tuple(raw.get("volumes") or ())

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> PodSpec:
        """Read a pod spec. `nodeName` is left to the pod."""
        raw = dict(data or {})
        raw.pop("nodeName", None)
        return cls(raw)


def _read_containers(raw: dict[str, Any], section: str) -> tuple[Container, ...]:
    return tuple(Container(entry, section) for entry in raw.get(section) or ())


# What is derived from a spec is no part of its content.
PodSpec._fields = ("raw",)


def _replace_spec(self: PodSpec, **changes: Any) -> PodSpec:
    raise TypeError("a PodSpec is read from JSON; change the JSON and read it again")


PodSpec.replace = _replace_spec  # type: ignore[method-assign,assignment]


class PodStatus(Record):
    """What is reported of a pod. `start_ms` is the instant the kubelet acknowledged it."""

    __slots__ = (
        "conditions",
        "containers",
        "ephemeral_containers",
        "extra",
        "host_ip",
        "init_containers",
        "message",
        "nominated_node_name",
        "observed_generation",
        "phase",
        "pod_ip",
        "qos_class",
        "reason",
        "start_ms",
    )

    def __init__(
        self,
        phase: str = "",
        conditions: tuple[Condition, ...] = (),
        containers: tuple[ContainerStatus, ...] = (),
        init_containers: tuple[ContainerStatus, ...] = (),
        ephemeral_containers: tuple[ContainerStatus, ...] = (),
        reason: str = "",
        message: str = "",
        pod_ip: str = "",
        host_ip: str = "",
        start_ms: int | None = None,
        qos_class: str = "",
        observed_generation: int | None = None,
        nominated_node_name: str = "",
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.phase = phase
        self.conditions = conditions
        self.containers = containers
        self.init_containers = init_containers
        self.ephemeral_containers = ephemeral_containers
        self.reason = reason
        self.message = message
        self.pod_ip = pod_ip
        self.host_ip = host_ip
        self.start_ms = start_ms
        self.qos_class = qos_class
        self.observed_generation = observed_generation
        self.nominated_node_name = nominated_node_name
        self.extra = extra

    def with_conditions(self, conditions: tuple[Condition, ...], nominated_node_name: str) -> PodStatus:
        """The status as the scheduler changes it: the hot path's `replace`."""
        return PodStatus(
            self.phase,
            conditions,
            self.containers,
            self.init_containers,
            self.ephemeral_containers,
            self.reason,
            self.message,
            self.pod_ip,
            self.host_ip,
            self.start_ms,
            self.qos_class,
            self.observed_generation,
            nominated_node_name,
            self.extra,
        )

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
            data["conditions"] = [condition.to_json(epoch_ms) for condition in self.conditions]
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


class Pod(StoredObject):
    """A pod. `node_name` is "" until the scheduler binds it; the shared spec never says it.

    `shown` is what was told of it when it was written; the store sets it.
    """

    __slots__ = ("node_name", "shown")
    shown: Shown
    KIND = "Pod"
    spec: PodSpec
    status: PodStatus

    def __init__(
        self,
        kind: Kind = POD_KIND,
        meta: ObjectMeta | None = None,
        spec: Any = None,
        status: Any = None,
        resource_version: int = 0,
        extra: dict[str, Any] | None = None,
        node_name: str = "",
    ) -> None:
        self.kind = kind
        self.meta = meta if meta is not None else ObjectMeta("")
        self.spec = spec if spec is not None else PodSpec({})
        self.status = status if status is not None else PodStatus()
        self.resource_version = resource_version
        self.extra = extra
        self.node_name = node_name

    @classmethod
    def from_json(cls, data: Mapping[str, Any], epoch_ms: int = 0) -> Pod:
        """Read a pod."""
        pod = super().from_json(data, epoch_ms)
        pod.node_name = (data.get("spec") or {}).get("nodeName") or ""
        return pod

    @classmethod
    def _read_spec(cls, data: Mapping[str, Any], epoch_ms: int) -> PodSpec:
        return PodSpec.from_json(data.get("spec"))

    @classmethod
    def _read_status(cls, data: Any, epoch_ms: int) -> PodStatus:
        return PodStatus.from_json(data, epoch_ms)

    def spec_json(self, epoch_ms: int = 0) -> Any:
        """The shared spec with this pod's node."""
        return {**self.spec.raw, "nodeName": self.node_name} if self.node_name else self.spec.raw

    def status_json(self, epoch_ms: int = 0) -> Any:
        """The API form of the status."""
        return self.status.to_json(epoch_ms)

    def with_status(self, status: PodStatus, node_name: str | None = None) -> Pod:
        """The pod with another status, and on a node if one is named: the hot path's `replace`."""
        new: Pod = object.__new__(Pod)
        new.kind = self.kind
        new.meta = self.meta
        new.spec = self.spec
        new.status = status
        new.resource_version = self.resource_version
        new.extra = self.extra
        new.node_name = self.node_name if node_name is None else node_name
        return new

    @property
    def is_mirror(self) -> bool:
        """Whether it only shows a static pod: what it says has no effect."""
        return MIRROR in self.meta.annotations

    @property
    def kubelet_uid(self) -> str:
        """What its kubelet calls it: its uid, but for a mirror the static pod's."""
        return self.meta.annotations.get(MIRROR) or self.meta.uid

    @property
    def is_finished(self) -> bool:
        """Whether the phase is terminal."""
        return self.status.phase in (SUCCEEDED, FAILED)

    @property
    def is_active(self) -> bool:
        """Whether a controller counts it: neither finished nor being deleted."""
        return self.meta.deletion_ms is None and self.status.phase not in (SUCCEEDED, FAILED)

    @property
    def ready_condition(self) -> Condition | None:
        """The Ready condition, if reported."""
        for condition in self.status.conditions:
            if condition.type == "Ready":
                return condition
        return None

    @property
    def is_ready(self) -> bool:
        """Whether the Ready condition is True."""
        condition = self.ready_condition
        return condition is not None and condition.status == "True"


# What was told of it is no part of its content.
Pod._fields = tuple(name for name in Pod._fields if name != "shown")

"""Pods. One typed reading of a spec serves every pod made from the same template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..condition import Condition
from ..kinds import Kind
from ..meta import ObjectMeta, StoredObject
from ..names import DEFAULT_SCHEDULER
from ..node import Taint
from ..record import Reading, Record
from ..shown import Shown
from .api_access import with_api_access, without_api_access
from .container import ALWAYS, Container, ContainerStatus
from .status import PodStatus

PENDING, RUNNING, SUCCEEDED, FAILED, UNKNOWN = "Pending", "Running", "Succeeded", "Failed", "Unknown"
_ENDS = frozenset((SUCCEEDED, FAILED))
POD_KIND = Kind("v1", "Pod", "pods", True, "po")
MIRROR = "kubernetes.io/config.mirror"
"""The annotation that a mirror pod has, and nothing else: it names the static pod it shows."""


@dataclass(slots=True, eq=False)
class Toleration(Record):
    """One toleration; `seconds` None means for ever."""

    key: str
    operator: str
    value: str
    effect: str
    seconds: int | None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Toleration:
        """Read one entry."""
        return cls(
            data.get("key") or "",
            data.get("operator") or "Equal",
            data.get("value") or "",
            data.get("effect") or "",
            data.get("tolerationSeconds"),
        )

    def covers(self, taint: Taint) -> bool:
        """Whether a taint is tolerated. An empty key covers every taint, an empty effect any."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        return self.operator == "Exists" or (self.operator == "Equal" and self.value == taint.value)


BehaviorKey = tuple[str, str, str | None, int]
"""Container, image, the annotation that says what it does, and how often profiles have changed."""
ImageKey = tuple[str, str]
"""Container and image."""
HostPort = tuple[str, str, int]
"""Protocol, address and number of a port of the node."""


@dataclass(slots=True, eq=False)
class TemplateNotes:
    """What is worked out from a pod spec once, for all pods made from one template. None: not yet.

    A note follows from the spec alone, and from what its key says, so that it is never taken back. Notes of
    rooms above this one are kept unread: who writes one tells its class again when reading it.
    """

    # The API server's: the spec as admission completes it, what that notes of its resources, and the status
    # its pods begin with.
    admitted: PodSpec | None = None
    limited: str = ""
    new_status: PodStatus | None = None
    # The API server's: what is wrong with the completed spec, a text or FieldErrors.
    problem: str | list[Any] = ""
    # The API server's: the spec with what an autoscaler recommends, and annotations that say so, by its turn.
    recommended: tuple[tuple[str, int], PodSpec, Mapping[str, str]] | None = None
    # The API server's: for what version of all that admission reads, and for what namespace, these are true.
    admitted_at: tuple[int, str] | None = None
    judged_at: tuple[int, str] | None = None
    # The API server's: for what namespace, and what version, a pod of it was let in last.
    passed: tuple[object, int] | None = None
    # The store's: the first status of a pod, the rows its creation tells, and how it is shown then.
    first_changes: tuple[PodStatus, list[Any], Shown] | None = None
    # The store's: how a pod was shown before it was bound, what of that changes, how it is shown then.
    binding: tuple[Shown, list[Any], Shown] | None = None
    # The API server's: labels whose values belong into the spec's selectors; the spec with those, by them.
    label_keys: tuple[str, ...] | None = None
    narrowed: tuple[tuple[str | None, ...], PodSpec] | None = None
    # The rules': quality of service, also as it is without resources for the pod as a whole.
    qos_class: str | None = None
    qos_class_of_containers: str | None = None
    # The rules': amounts that the pod asks of a node, and may use.
    effective_requests: Mapping[str, int] | None = None
    effective_limits: Mapping[str, int] | None = None
    # The rules': CPU and memory that the scheduler counts the pod for where containers ask for none.
    assumed_requests: tuple[int, int] | None = None
    # The scheduler's: what of the spec decides on the node, as text.
    placement: str | None = None
    # The scheduler's: the PodResources of the pod.
    pod_resources: object = None
    # The rules': whether its use of local storage has limits.
    has_storage_limits: bool | None = None
    # The rules': ports that the pod takes of its node.
    host_ports: tuple[HostPort, ...] | None = None
    # The rules': whether the exit of a container may restart all, and the PodActions of a fresh sandbox.
    may_restart_all: bool | None = None
    first_actions: object = None
    # The kubelet's, by container: the status that is told before anything has happened to it.
    first_statuses: dict[str, ContainerStatus] = field(default_factory=dict)
    # The kubelet's: the Behavior of a container, as whom it runs (Identity), whether root may run it.
    behaviors: dict[BehaviorKey, object] = field(default_factory=dict)
    identities: dict[ImageKey, object] = field(default_factory=dict)
    is_root_allowed: dict[ImageKey, bool] = field(default_factory=dict)
    # The kubelet's: the Step that a report takes, by its key and by its number (known_steps).
    steps: dict[object, object] = field(default_factory=dict)


class PodSpec(Reading):
    """What a pod asks for. `raw` is the stored JSON (without the node, which lives on the pod).

    `base` and `overlay` tell of what `pod_overlay` made: the reading it shares, the fields that differ.
    """

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
        self.tolerations = tuple(Toleration.from_json(entry) for entry in raw.get("tolerations") or ())
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
        self.host_ipc: bool = bool(raw.get("hostIPC"))
        self.sysctls: tuple[str, ...] = tuple(
            entry.get("name", "") for entry in (raw.get("securityContext") or {}).get("sysctls") or ()
        )
        self.share_process_namespace: bool = bool(raw.get("shareProcessNamespace"))
        self.os_name: str = (raw.get("os") or {}).get("name", "")
        self.priority: int = raw.get("priority") or 0
        self.overhead: dict[str, Any] = raw.get("overhead") or {}
        self.resources: dict[str, Any] = raw.get("resources") or {}
        self.service_account_name: str = raw.get("serviceAccountName") or "default"
        self.scheduler_name: str = raw.get("schedulerName") or DEFAULT_SCHEDULER
        others = (self.init_containers, self.ephemeral_containers, self.readiness_gates)
        self.has_post_start = any(one.post_start is not None for one in self.containers)
        self.has_readiness_probes = any(one.readiness_probe is not None for one in self.all_containers)
        # One container and nothing else that its conditions wait for.
        self.is_plain = len(self.containers) == 1 and not any(others)
        self.notes = TemplateNotes()
        self.base: PodSpec | None = None
        self.overlay: dict[str, Any] | None = None
        self.read_own_fields()

    def read_own_fields(self) -> None:
        """Read what pods of one template may differ in."""
        raw = self.raw
        self._shown: dict[str, Any] | None = None
        self.affinity: dict[str, Any] = raw.get("affinity") or {}
        self.hostname: str = raw.get("hostname") or ""
        self.subdomain: str = raw.get("subdomain") or ""
        self.volumes: tuple[dict[str, Any], ...] = tuple(raw.get("volumes") or ())

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> PodSpec:
        """Read a pod spec. `nodeName` is left to the pod, and its access to the API is shown again."""
        raw = dict(data or {})
        raw.pop("nodeName", None)
        return cls(without_api_access(raw))

    @property
    def shown(self) -> dict[str, Any]:
        """The API form, made once for all pods that share this reading."""
        if self._shown is None:
            self._shown = with_api_access(self.raw)
        return self._shown


def _read_containers(raw: dict[str, Any], section: str) -> tuple[Container, ...]:
    return tuple(Container(entry, section) for entry in raw.get(section) or ())


class Pod(StoredObject):
    """A pod. `node_name` is "" until the scheduler binds it; the shared spec never says it.

    `shown` is what was told of it when it was written; the store sets it.
    """

    __slots__ = ("node_name", "shown")
    DERIVED = ("shown",)
    shown: Shown
    KIND = POD_KIND.name
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
        shown = self.spec.raw if self.is_mirror else self.spec.shown
        return {**shown, "nodeName": self.node_name} if self.node_name else shown

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

    def with_meta(self, meta: ObjectMeta) -> Pod:
        """The pod with other metadata: the hot path's `replace`."""
        new = self.with_status(self.status)
        new.meta = meta
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
        return self.status.phase in _ENDS

    @property
    def is_active(self) -> bool:
        """Whether a controller counts it: neither finished nor being deleted."""
        return self.meta.deletion_ms is None and self.status.phase not in (SUCCEEDED, FAILED)

    @property
    def ready_condition(self) -> Condition | None:
        """The Ready condition, if reported; the kubelet tells it last."""
        for condition in reversed(self.status.conditions):
            if condition.type == "Ready":
                return condition
        return None

    @property
    def is_ready(self) -> bool:
        """Whether the Ready condition is True."""
        condition = self.ready_condition
        return condition is not None and condition.status == "True"

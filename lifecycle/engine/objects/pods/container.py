"""Containers: what a pod's spec asks of one, and what its status says about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..quantity import amount
from ..record import Reading, Record
from ..times import format_time, parse_time_or_none
from .probe import EXEC, LIVENESS, READINESS, Probe

ALWAYS, ON_FAILURE, NEVER = "Always", "OnFailure", "Never"
WAITING, RUNNING, TERMINATED = "Waiting", "Running", "Terminated"


@dataclass(slots=True, eq=False)
class RestartRule(Record):
    """One entry of `restartPolicyRules`: what to do when the exit code is in, or not in, a list."""

    action: str
    operator: str
    values: tuple[int, ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RestartRule:
        """Read one rule."""
        codes = data.get("exitCodes") or {}
        return cls(data.get("action", ""), codes.get("operator", "In"), tuple(codes.get("values") or ()))


class Container(Reading, read_from=("raw", "section")):
    """A container of a pod's spec, read once per template. Resources: CPU in milli, others in units."""

    def __init__(self, raw: dict[str, Any], section: str = "containers") -> None:
        """`section`: the list of the pod's spec that it stands in."""
        lifecycle = raw.get("lifecycle") or {}
        resources = raw.get("resources") or {}
        self.raw = raw
        self.name: str = raw.get("name", "")
        self.section = section
        # Whether its environment asks for a ConfigMap or a Secret.
        self.refers_to_sources = _refers_to_sources(raw)
        self.has_sub_paths = any(
            mount.get("subPath") or mount.get("subPathExpr") for mount in raw.get("volumeMounts") or ()
        )
        self.message_path: str = raw.get("terminationMessagePath") or "/dev/termination-log"
        self.falls_back_to_logs = raw.get("terminationMessagePolicy") == "FallbackToLogsOnError"
        # What an event calls it.
        self.field_path = f"spec.{section}{{{self.name}}}"
        self.image: str = raw.get("image", "")
        self.command: tuple[str, ...] | None = _words(raw.get("command"))
        self.args: tuple[str, ...] | None = _words(raw.get("args"))
        self.image_pull_policy: str = raw.get("imagePullPolicy") or default_pull_policy(self.image)
        self.restart_policy: str | None = raw.get("restartPolicy")
        self.restart_policy_rules = tuple(
            RestartRule.from_json(rule) for rule in raw.get("restartPolicyRules") or ()
        )
        self.ports: tuple[dict[str, Any], ...] = tuple(raw.get("ports") or ())
        self.requests = read_resources(resources.get("requests"))
        self.limits = read_resources(resources.get("limits"))
        self.liveness_probe = Probe.from_json(raw.get("livenessProbe"))
        self.readiness_probe = Probe.from_json(raw.get("readinessProbe"))
        self.startup_probe = Probe.from_json(raw.get("startupProbe"))
        probes = (self.liveness_probe, self.readiness_probe, self.startup_probe)
        self.has_probes = any(probes)
        # Whether commands run beside its main process.
        self.runs_commands_later = bool(lifecycle) or any(one and one.kind == EXEC for one in probes)
        self.post_start: dict[str, Any] | None = lifecycle.get("postStart")
        self.pre_stop: dict[str, Any] | None = lifecycle.get("preStop")
        self.stop_signal: str | None = lifecycle.get("stopSignal")
        self.is_init = section == "initContainers"
        self.is_ephemeral = section == "ephemeralContainers"
        self.is_sidecar = self.is_init and self.restart_policy == ALWAYS

    def probe(self, kind: str) -> Probe | None:
        """Its probe of a kind: liveness, readiness or startup."""
        if kind == READINESS:
            return self.readiness_probe
        return self.liveness_probe if kind == LIVENESS else self.startup_probe


def _refers_to_sources(raw: dict[str, Any]) -> bool:
    if raw.get("envFrom") or any(mount.get("subPathExpr") for mount in raw.get("volumeMounts") or ()):
        return True
    origins = (entry.get("valueFrom") or {} for entry in raw.get("env") or ())
    return any(
        "configMapKeyRef" in origin
        or "secretKeyRef" in origin
        or "fileKeyRef" in origin
        or (origin.get("resourceFieldRef") or {}).get("containerName")
        for origin in origins
    )


def _words(value: Any) -> tuple[str, ...] | None:
    return tuple(str(word) for word in value) if value else None


def read_resources(data: Mapping[str, Any] | None) -> dict[str, int]:
    """Amounts by resource name: CPU in milli, all else in whole units."""
    return {name: amount(name, value) for name, value in (data or {}).items()}


def default_pull_policy(image: str) -> str:
    """`Always` for the tag `latest`, also where neither tag nor digest is said; else `IfNotPresent`."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


@dataclass(slots=True, eq=False)
class ContainerState(Record):
    """One of the three states. Instants in ms; fields that a state does not have stay None."""

    type: str
    reason: str = ""
    message: str = ""
    started_ms: int | None = None
    finished_ms: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    container_id: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> ContainerState | None:
        """Read `state` or `lastState`; None when it is empty or absent."""
        if not data:
            return None
        if data.get("running") is not None:
            return cls(RUNNING, started_ms=parse_time_or_none(data["running"].get("startedAt"), epoch_ms))
        if data.get("terminated") is not None:
            return cls._terminated(data["terminated"], epoch_ms)
        waiting = data.get("waiting") or {}
        return cls(WAITING, waiting.get("reason") or "", waiting.get("message") or "")

    @classmethod
    def _terminated(cls, ended: Mapping[str, Any], epoch_ms: int) -> ContainerState:
        return cls(
            TERMINATED,
            ended.get("reason") or "",
            ended.get("message") or "",
            parse_time_or_none(ended.get("startedAt"), epoch_ms),
            parse_time_or_none(ended.get("finishedAt"), epoch_ms),
            ended.get("exitCode", 0),
            ended.get("signal"),
            ended.get("containerID", ""),
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form, keyed by the state's name."""
        inside: dict[str, Any] = {}
        if self.type == TERMINATED:
            inside["exitCode"] = self.exit_code or 0
            if self.signal:
                inside["signal"] = self.signal
        if self.reason:
            inside["reason"] = self.reason
        if self.message:
            inside["message"] = self.message
        if self.started_ms is not None:
            inside["startedAt"] = format_time(self.started_ms, epoch_ms)
        if self.finished_ms is not None:
            inside["finishedAt"] = format_time(self.finished_ms, epoch_ms)
        if self.container_id:
            inside["containerID"] = self.container_id
        return {self.type.lower(): inside}


def waiting(reason: str, message: str = "") -> ContainerState:
    """A container that is still to start, and why."""
    return ContainerState(WAITING, reason, message)


def running(started_ms: int | None) -> ContainerState:
    """A container that runs since an instant."""
    return ContainerState(RUNNING, started_ms=started_ms)


@dataclass(slots=True, eq=False)
class ContainerStatus(Record):
    """One entry of a pod's container statuses. `started` None means not reported."""

    name: str
    state: ContainerState | None = None
    last_state: ContainerState | None = None
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    image: str = ""
    image_id: str = ""
    container_id: str = ""
    extra: dict[str, Any] | None = None

    def with_extra(self, extra: dict[str, Any] | None) -> ContainerStatus:
        """The status with other details: the hot path's `replace`."""
        return ContainerStatus(
            self.name,
            self.state,
            self.last_state,
            self.ready,
            self.started,
            self.restart_count,
            self.image,
            self.image_id,
            self.container_id,
            extra,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any], epoch_ms: int = 0) -> ContainerStatus:
        """Read one status; unknown fields (resources, user, …) are kept in `extra`."""
        return cls(
            data.get("name", ""),
            ContainerState.from_json(data.get("state"), epoch_ms),
            ContainerState.from_json(data.get("lastState"), epoch_ms),
            bool(data.get("ready")),
            data.get("started"),
            data.get("restartCount") or 0,
            data.get("image", ""),
            data.get("imageID", ""),
            data.get("containerID", ""),
            {name: value for name, value in data.items() if name not in _STATUS_READ} or None,
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form."""
        data: dict[str, Any] = {
            "name": self.name,
            "state": self.state.to_json(epoch_ms) if self.state else {},
            "lastState": self.last_state.to_json(epoch_ms) if self.last_state else {},
            "ready": self.ready,
            "restartCount": self.restart_count,
            "image": self.image,
            "imageID": self.image_id,
        }
        if self.container_id:
            data["containerID"] = self.container_id
        if self.started is not None:
            data["started"] = self.started
        if self.extra:
            data.update(self.extra)
        return data


_STATUS_READ = frozenset("name state lastState ready started restartCount image imageID containerID".split())

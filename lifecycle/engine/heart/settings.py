"""The settings of a cluster: part of the input of its history, fixed at creation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..objects.shortened import shorten
from ..objects.time_zones import UTC, is_zone
from .feature_gates import FEATURE_DEFAULTS, find_gate_problem
from .timing import Timing, parse_milliseconds

KUBERNETES_VERSION = "v1.35.6"
"""The release this engine models; defaults of feature gates and schemas follow it."""

MOST_PODS = 150_000
"""As many as Kubernetes is made for. Where it would try to hold more, here they are refused."""

MANAGER_DEFAULTS: Mapping[str, bool | float | str] = {
    "cronJobsStartAfterManyMisses": True,
    "deploymentRollbackEvents": False,
    "horizontalPodAutoscalerCPUInitializationPeriod": "5m",
    "horizontalPodAutoscalerDownscaleStabilization": "5m",
    "horizontalPodAutoscalerInitialReadinessDelay": "30s",
    "horizontalPodAutoscalerSyncPeriod": "15s",
    "largeClusterSizeThreshold": 50,
    "metricsResolution": "0s",
    "mostPods": MOST_PODS,
    "nodeEvictionRate": 0.1,
    "nodeMonitorGracePeriod": "50s",
    "nodeStartupGracePeriod": "60s",
    "scalingEventsNameFormerSize": True,
    "secondaryNodeEvictionRate": 0.01,
    "statefulSetMaxUnavailableRoundsUp": True,
    "terminatedPodGCThreshold": 12500,
    "timeZone": UTC,
    "ttlAfterFinishedClockOffset": "0s",
    "unhealthyZoneThreshold": 0.55,
}
"""What can be set of the controller manager, as the modelled release sets it.

`metricsResolution` is the metrics server's: how often it asks kubelets (its own default is 15s); 0s: what is
used is told as somebody asks. `mostPods` is the API server's: it refuses more, as it refuses what exceeds a
quota; the default is what Kubernetes is made for.
"""
_SPANS = tuple(
    name
    for name in MANAGER_DEFAULTS
    if name.startswith(("horizontal", "metrics", "nodeMonitor", "nodeStart"))
)
_SHORTEST_PERIOD_MS = 100

DEFAULT_NODES: Mapping[str, Any] = {"count": 3, "cpu": "4", "memory": "8Gi", "pods": 110}


class Settings:
    """Timing, nodes, feature gates and component settings.

    Raises ValueError for what cannot be, and for gates and settings that nobody would act on.
    """

    __slots__ = ("compatibility", "controller_manager", "feature_gates", "kubelet", "nodes", "timing")

    def __init__(
        self,
        timing: str | Mapping[str, Any] = "realistic",
        nodes: Mapping[str, Any] | None = None,
        feature_gates: Mapping[str, bool] | None = None,
        compatibility: str | None = None,
        controller_manager: Mapping[str, Any] | None = None,
        kubelet: list[dict[str, Any]] | None = None,
    ) -> None:
        Timing(timing)
        _check_gates(feature_gates or {})
        _check_manager(controller_manager or {})
        self.timing = timing
        self.nodes: dict[str, Any] = {**DEFAULT_NODES, **(nodes or {})}
        self.feature_gates: dict[str, bool] = {**FEATURE_DEFAULTS, **(feature_gates or {})}
        self.compatibility = compatibility
        self.controller_manager = dict(controller_manager or {})
        self.kubelet = list(kubelet or [])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "timing": self.timing if isinstance(self.timing, str) else dict(self.timing),
            "nodes": self.nodes,
            "featureGates": {
                name: value
                for name, value in self.feature_gates.items()
                if FEATURE_DEFAULTS.get(name) is not value
            },
            "compatibility": self.compatibility,
            "controllerManager": self.controller_manager,
            "kubelet": self.kubelet,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """Read plain data; absent fields take their defaults."""
        return cls(
            data.get("timing") or "realistic",
            data.get("nodes"),
            data.get("featureGates"),
            data.get("compatibility"),
            data.get("controllerManager"),
            data.get("kubelet"),
        )

    @classmethod
    def from_saved(cls, data: Mapping[str, Any]) -> Settings:
        """Read what a cluster was made with; gates and settings of other versions are left out."""
        gates = data.get("featureGates") or {}
        manager = data.get("controllerManager") or {}
        return cls.from_json(
            {
                **data,
                "featureGates": {name: gates[name] for name in gates if name in FEATURE_DEFAULTS},
                "controllerManager": {name: manager[name] for name in manager if name in MANAGER_DEFAULTS},
            }
        )


def _check_gates(gates: Mapping[str, Any]) -> None:
    problems = [problem for gate in gates if (problem := find_gate_problem(gate, gates[gate]))]
    if problems:
        raise ValueError("; ".join(problems))


def _check_manager(manager: Mapping[str, Any]) -> None:
    for name, value in manager.items():
        if name not in MANAGER_DEFAULTS:
            raise ValueError(f"unknown setting {shorten(name)}; there are {', '.join(MANAGER_DEFAULTS)}")
        default = MANAGER_DEFAULTS[name]
        is_number = isinstance(default, float) and type(value) in (int, float)
        if type(value) is not type(default) and not is_number:
            raise ValueError(
                f"{name}: {shorten(value)} is not of the kind of its default, {shorten(default)}"
            )
        if isinstance(default, float) and not 0 <= value <= 1000:
            raise ValueError(
                f"{name}: {shorten(value)} is no rate or share; use 0 or more, such as {default}"
            )
    if not is_zone(manager.get("timeZone", UTC)):
        raise ValueError(f"timeZone: {shorten(manager['timeZone'])} is none; write for example Europe/Berlin")
    for name, read in (
        ("ttlAfterFinishedClockOffset", read_offset_ms),
        *((one, read_span_ms) for one in _SPANS),
    ):
        try:
            read(str(manager.get(name, MANAGER_DEFAULTS[name])))
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
    period = str(manager.get("horizontalPodAutoscalerSyncPeriod", "15s"))
    if read_span_ms(period) < _SHORTEST_PERIOD_MS:
        raise ValueError(
            f"horizontalPodAutoscalerSyncPeriod: {shorten(period)} is too short;"
            f" use {_SHORTEST_PERIOD_MS}ms or more"
        )


def read_span_ms(text: str) -> int:
    """A span of time in ms. Raises ValueError."""
    return parse_milliseconds(text)


def read_offset_ms(text: str) -> int:
    """By how much a clock is ahead, `-1m` for one that is behind. Raises ValueError."""
    return -parse_milliseconds(text[1:]) if text.startswith("-") else parse_milliseconds(text)


__all__ = ["FEATURE_DEFAULTS", "KUBERNETES_VERSION", "MANAGER_DEFAULTS", "Settings"]

"""The settings of a cluster: part of the input of its history, fixed at creation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .timing import Timing

KUBERNETES_VERSION = "v1.35.0"
"""The release this engine models; defaults of feature gates and schemas follow it."""

FEATURE_DEFAULTS: Mapping[str, bool] = {
    "ChangeContainerStatusOnKubeletRestart": False,
    "ContainerRestartRules": True,
    "ContainerStopSignals": False,
    "InPlacePodVerticalScaling": True,
    "KubeletCrashLoopBackOffMax": True,
    "MemoryQoS": False,
    "PodDeletionCost": True,
    "PodLevelResources": True,
    "PodReadyToStartContainersCondition": True,
    "ReduceDefaultCrashLoopBackOffDecay": False,
    "RestartAllContainersOnContainerExits": False,
    "SidecarContainers": True,
    "UserNamespacesPodSecurityStandards": False,
    "UserNamespacesSupport": True,
}
"""Gates the model knows, as the modelled release sets them."""

DEFAULT_NODES: Mapping[str, Any] = {"count": 3, "cpu": "4", "memory": "8Gi", "pods": 110}


class Settings:
    """Timing, nodes, feature gates and component settings. Raises ValueError for what cannot be."""

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

"""Feature gates: which of them the model acts on, and whether one is on."""

from __future__ import annotations

from collections.abc import Mapping

from .known import DEFAULT_RELEASE

MODELLED = frozenset(
    """
    ChangeContainerStatusOnKubeletRestart ContainerRestartRules ContainerStopSignals
    DeploymentReplicaSetTerminatingReplicas InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy
    JobPodReplacementPolicy JobSuccessPolicy KubeletCrashLoopBackOffMax LogarithmicScaleDown
    MaxUnavailableStatefulSet MemoryQoS PodDeletionCost PodLevelResources PodReadyToStartContainersCondition
    ReduceDefaultCrashLoopBackOffDecay RestartAllContainersOnContainerExits SidecarContainers
    UserNamespacesPodSecurityStandards UserNamespacesSupport
    """.split()
)
"""Gates that the model acts on; the others stay as their release sets them."""


def is_enabled(gates: Mapping[str, bool], gate: str) -> bool:
    """Whether a gate is on: as given, else as the default release sets it. An unknown gate is a bug."""
    given = gates.get(gate)
    return DEFAULT_RELEASE.defaults[gate] if given is None else given

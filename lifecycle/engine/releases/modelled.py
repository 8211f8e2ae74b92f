"""Which feature gates the model acts on."""

from __future__ import annotations

from collections.abc import Mapping

from .release import Gate

MODELLED = frozenset(
    """
    ChangeContainerStatusOnKubeletRestart ContainerRestartRules ContainerStopSignals
    DeploymentReplicaSetTerminatingReplicas InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy
    JobPodReplacementPolicy JobSuccessPolicy KubeletCrashLoopBackOffMax LogarithmicScaleDown
    MaxUnavailableStatefulSet MemoryQoS PLEGOnDemandRelist PodDeletionCost PodLevelResources
    PodReadyToStartContainersCondition ReduceDefaultCrashLoopBackOffDecay RestartAllContainersOnContainerExits
    SidecarContainers UserNamespacesPodSecurityStandards UserNamespacesSupport
    """.split()
)
"""Gates that the model acts on; the others stay as their release sets them."""


def read_defaults(gates: Mapping[str, Gate], **otherwise: bool) -> dict[str, bool]:
    """How a release sets its gates, and how it acts where a gate is modelled that it does not have.

    That is as if it were off, where `otherwise` does not say so.
    """
    known = {name: gate.default for name, gate in gates.items()}
    return known | {name: otherwise.get(name, False) for name in sorted(MODELLED - known.keys())}

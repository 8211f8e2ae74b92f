"""What says nothing in an object, and so is left out: empty lists and maps, and zeros that are no pointers.

Which zeros these are depends on the struct: in Go their fields are numbers or truths, no pointers, and
`omitempty` (k8s.io/api, types.go). Not modelled: empty texts; zeros of definitions and API services, which
are kept as they were sent; the size of a Scale, which nobody stores.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .fields import LIST, MAP, Field

_ZEROS = """
active: JobStatus
availableReplicas: DeploymentStatus ReplicaSetStatus ReplicationControllerStatus
chapAuthDiscovery: ISCSIPersistentVolumeSource ISCSIVolumeSource
chapAuthSession: ISCSIPersistentVolumeSource ISCSIVolumeSource
count: DeviceSubRequest ExactDeviceRequest core.v1.Event core.v1.EventSeries
currentReplicas: StatefulSetStatus autoscaling.v2.HorizontalPodAutoscalerStatus
deprecatedCount: events.v1.Event
failed: JobStatus
failureThreshold: Probe
fullyLabeledReplicas: ReplicaSetStatus ReplicationControllerStatus
generation: ObjectMeta
globalDefault: PriorityClass
healthCheckNodePort: ServiceSpec
hostIPC: PodSpec
hostNetwork: PodSpec
hostPID: PodSpec
hostPort: ContainerPort
initialDelaySeconds: Probe
minReadySeconds: DaemonSetSpec DeploymentSpec ReplicaSetSpec ReplicationControllerSpec StatefulSetSpec
nodePort: ServicePort
number: ServiceBackendPort
numberAvailable: DaemonSetStatus
numberUnavailable: DaemonSetStatus
observedGeneration: Condition DaemonSetStatus DeploymentStatus PodCondition PodDisruptionBudgetStatus
    PodStatus ReplicaSetStatus ReplicationControllerStatus StatefulSetStatus ValidatingAdmissionPolicyStatus
partition: AWSElasticBlockStoreVolumeSource GCEPersistentDiskVolumeSource
paused: DeploymentSpec
periodSeconds: Probe
publishNotReadyAddresses: ServiceSpec
readOnly: AWSElasticBlockStoreVolumeSource AzureFilePersistentVolumeSource AzureFileVolumeSource
    CSIPersistentVolumeSource CephFSPersistentVolumeSource CephFSVolumeSource CinderPersistentVolumeSource
    CinderVolumeSource FCVolumeSource FlexPersistentVolumeSource FlexVolumeSource
    GCEPersistentDiskVolumeSource GlusterfsPersistentVolumeSource GlusterfsVolumeSource
    ISCSIPersistentVolumeSource ISCSIVolumeSource NFSVolumeSource PersistentVolumeClaimVolumeSource
    PortworxVolumeSource QuobyteVolumeSource RBDPersistentVolumeSource RBDVolumeSource
    ScaleIOPersistentVolumeSource ScaleIOVolumeSource StorageOSPersistentVolumeSource StorageOSVolumeSource
    VolumeMount VolumeMountStatus
readyReplicas: DeploymentStatus ReplicaSetStatus ReplicationControllerStatus StatefulSetStatus
replicas: DeploymentStatus
signal: ContainerStateTerminated
sizeBytes: ContainerImage
sslEnabled: ScaleIOPersistentVolumeSource ScaleIOVolumeSource
stdin: Container EphemeralContainer
stdinOnce: Container EphemeralContainer
succeeded: JobStatus
successThreshold: Probe
timeoutSeconds: Probe
tty: Container EphemeralContainer
unavailableReplicas: DeploymentStatus
unschedulable: NodeSpec
updatedNumberScheduled: DaemonSetStatus
updatedReplicas: DeploymentStatus StatefulSetStatus
"""
"""Fields, and the types in which 0, or no, is as good as nothing."""


def is_left_out(type_name: str, name: str, value: Any, field: Field) -> bool:
    """Whether a value says nothing in a field of this name of a type of the tables."""
    if field.shape in (LIST, MAP):
        return value in ([], {})
    is_zero = value is False if field.type_name == "boolean" else type(value) is int and value == 0
    return is_zero and type_name in _read_zeros().get(name, ())


@cache
def _read_zeros() -> dict[str, frozenset[str]]:
    lines = _ZEROS.replace("\n    ", " ").strip().splitlines()
    return {name: frozenset(types.split()) for name, _, types in (line.partition(":") for line in lines)}

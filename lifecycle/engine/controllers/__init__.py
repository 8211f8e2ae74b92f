"""Controllers: each observes, decides purely, and has its decision acted on."""

from __future__ import annotations

from ..api.context import Context
from .act import Act
from .attachments import AttachmentController
from .cluster_roles import ClusterRoleController
from .cron_job import CronJobController
from .daemon_set import DaemonSetController
from .definitions import DefinitionController
from .deployment import DeploymentController
from .disruption import DisruptionController, StaleDisruptionController
from .endpoints import EndpointSliceController, EndpointSliceMirror
from .ephemeral_volumes import EphemeralVolumeController
from .garbage import GarbageCollector
from .horizontal_pod_autoscaler import HorizontalPodAutoscalerController
from .job import JobController, JobPodReleaser
from .load_balancer import LoadBalancerController
from .loop_controller import LoopController, Remembering, tell_hot_keys
from .made_objects import MadeObjectsController
from .namespaces import NamespaceController
from .node_lifecycle import NodeLifecycleController
from .node_taints import NodeTaintController
from .own_objects import OwnObjectsController
from .owner.pods import PodOwners
from .pod_garbage import PodGarbageCollector
from .proportional_autoscaler import ProportionalAutoscalerController
from .quota import QuotaController
from .replica_set import ReplicaSetController
from .replication_controller import ReplicationControllerController
from .scaled_object import ScaledObjectController
from .stateful_set import StatefulSetController
from .storage_driver import StorageDriver
from .storage_protection import StorageProtection
from .taint_eviction import TaintEvictionController
from .ttl_after_finished import TtlAfterFinishedController
from .vertical_autoscaler import VerticalAutoscalerController
from .volume_binder import VolumeBinder


def make_controllers(context: Context, act: Act) -> list[LoopController]:
    """All controllers of a cluster."""
    # They follow the pods first: the controllers read their tally.
    pods = PodOwners(context)
    controllers: list[LoopController] = [
        ReplicaSetController(context, act, pods),
        ReplicationControllerController(context, act, pods),
        DeploymentController(context, act, pods.tally),
        StatefulSetController(context, act, pods),
        DaemonSetController(context, act, pods),
        JobController(context, act, pods),
        JobPodReleaser(context, act),
        CronJobController(context, act),
        TtlAfterFinishedController(context, act),
        GarbageCollector(context, act),
        EndpointSliceController(context, act),
        EndpointSliceMirror(context, act),
        LoadBalancerController(context, act),
        MadeObjectsController(context, act),
        NamespaceController(context, act),
        DefinitionController(context, act),
        ClusterRoleController(context, act),
        OwnObjectsController(context, act),
        NodeTaintController(context, act),
        NodeLifecycleController(context, act),
        TaintEvictionController(context, act),
        PodGarbageCollector(context, act),
        QuotaController(context, act),
        EphemeralVolumeController(context, act),
        VolumeBinder(context, act),
        StorageDriver(context, act),
        AttachmentController(context, act),
        StorageProtection(context, act),
        HorizontalPodAutoscalerController(context, act),
        ScaledObjectController(context, act),
        ProportionalAutoscalerController(context, act),
        VerticalAutoscalerController(context, act),
        DisruptionController(context, act),
        StaleDisruptionController(context, act),
    ]
    tell_hot_keys(context, controllers)
    return controllers


__all__ = ["LoopController", "Remembering", "make_controllers"]

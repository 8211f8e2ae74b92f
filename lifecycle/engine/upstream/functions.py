"""Of files that many modules model: the functions that each is about, by words that their names hold."""

from __future__ import annotations

FUNCTIONS: dict[str, dict[str, str]] = {
    "pkg/apis/apps/validation/validation.go": {
        "rules/validation/revisions": "ControllerRevision",
        "rules/validation/selectors": "Percent",
        "rules/validation/stateful_sets": "Retention StatefulSet VolumeClaimTemplates volumesToAdd",
        "rules/validation/workload_status": "Status",
        "rules/validation/workloads": "DaemonSet Deployment Percent ReplicaSet",
    },
    "pkg/apis/batch/validation/validation.go": {
        "rules/validation/cron_jobs": "Concurrency CronJob JobTemplate Schedule TimeZone",
        "rules/validation/index_ranges": "Index",
        "rules/validation/job_policies": "Policy",
        "rules/validation/job_status": "Index IsCondition JobStatus JobUpdateStatus isJob",
        "rules/validation/job_updates": (
            "Completions JobSpecUpdate JobUpdate PodTemplateUpdate ResourceUpdates"
        ),
        "rules/validation/jobs": "Completions GeneratedSelector JobSpec ValidateJob",
    },
    "pkg/apis/core/v1/defaults.go": {
        "rules/defaults/others": "ConfigMap LimitRange Namespace PersistentVolume Secret",
        "rules/defaults/pods": (
            "Container FieldSelector HTTPGet HostNetwork HugePage Pod Probe ResourceList"
            " TokenProjection Volume"
        ),
        "rules/defaults/services": "Endpoints Service",
        "rules/defaults/workloads": "ReplicationController",
    },
    "pkg/apis/core/validation/validation.go": {
        "rules/validation/addresses": "EndpointIP LegacyField",
        "rules/validation/claims": "DataSource PersistentVolumeClaim",
        "rules/validation/configurations": "ValidateConfigMap ValidateSecret",
        "rules/validation/containers": "Container PullPolicy ResizePolicy VolumeDevices",
        "rules/validation/downward": "Downward Env FieldSelector KeySelector",
        "rules/validation/endpoints": "Endpoint",
        "rules/validation/limit_ranges": "LimitRange",
        "rules/validation/metadata": "FinalizerName",
        "rules/validation/names": "LocalDescendingPath PathNoBacksteps",
        "rules/validation/node_affinity": "NodeAffinity NodeField NodeSelector PreferredScheduling",
        "rules/validation/nodes": "NodeResources NodeSpecific NodeTaints NodeUpdate",
        "rules/validation/pod_gates": (
            "NodeAffinityMutation NodeSelectorMutation OnlyAdditions SchedulingGates ValidatePodUpdate"
        ),
        "rules/validation/pod_status": "ContainerStatus HostIPs PodConditions PodIPs PodStatus",
        "rules/validation/pod_updates": (
            "CPUMemory ContainerResize ContainerUpdates EphemeralContainersUpdate OnlyAddedTolerations"
            " PodResize PodUpdate resourcesRemoved"
        ),
        "rules/validation/pods": (
            "Affinity HostNetworkDeps HostUsers ImagePullSecrets LabelKeys PodCreate PodMetadata"
            " PodSpec ReadinessGates ResourceClaim SchedulingGates Spread Tolerations"
        ),
        "rules/validation/probes": "Action Handler Lifecycle Probe StopSignal",
        "rules/validation/projections": "KeyToPath Projected Projection",
        "rules/validation/quotas": "ResourceQuota Scope",
        "rules/validation/resolution": "DNSConfig DNSPolicy HostAliases",
        "rules/validation/resources": (
            "PodResources Quantity ResourceConsistency ResourceName ResourceRequirements"
        ),
        "rules/validation/security_contexts": (
            "AppArmor FSGroup ProcMount SELinux Seccomp SecurityContext SupplementalGroups Sysctl"
        ),
        "rules/validation/services": "ClientIPAffinity ClusterIP LoadBalancer Service",
        "rules/validation/shown_changes": "PodUpdate",
        "rules/validation/storage": "NodeAffinity PersistentVolume SecretReference VolumeSource",
        "rules/validation/systems": "Linux Windows validateOS",
        "rules/validation/volume_sources": "AzureDisk AzureFile CSIDriverName VolumeSource",
        "rules/validation/volumes": (
            "HostPath KeyToPath LocalNonReserved MountPropagation RecursiveReadOnly ValidateVolumes"
            " VolumeDevices VolumeMounts VolumeSource mountName mountPath"
        ),
        "rules/validation/workloads": "NonEmptySelector PodTemplate ReplicationController",
    },
    "pkg/kubelet/kubelet.go": {
        "kubelet/admission": "HandlePodAdditions Reject",
        "kubelet/kubelet": "HandlePod SyncPod SyncTerminat syncLoop",
        "kubelet/looks": "SyncPod syncLoop",
        "kubelet/node/outages": "RuntimeUp syncLoop",
        "kubelet/starting/claims": "SyncPod",
        "kubelet/starting/mounts": "SyncPod",
        "kubelet/stopping/ending": "SyncTerminat deletePod",
        "rules/backoff": "CrashLoopBackOff NewMainKubelet",
        "rules/rejections": "Reject",
    },
    "pkg/kubelet/kubelet_pods.go": {
        "kubelet/reports": "AllocatedResources PodStatus convertStatus convertTo sortPodIPs",
        "kubelet/starting/sandboxes": "PullSecrets",
        "kubelet/world/container_world": "Environment ResourceRuntime SelectorRuntime ServiceEnv makeMounts",
        "rules/container_status": "ContainerStatuses",
        "rules/host_names": "HostAliases HostName Hostname HostsFile",
        "rules/pod_conditions": "PodStatus",
        "rules/pod_status": "PodStatus getPhase",
    },
    "pkg/kubelet/kuberuntime/kuberuntime_container.go": {
        "kubelet/node/execs": "GetExec RunInContainer",
        "kubelet/starting/sandboxes": "killContainer",
        "kubelet/starting/starter": "recordContainerEvent startContainer",
        "kubelet/stopping/exits": "ContainerStatus",
        "kubelet/stopping/last_words": "TerminationMessage readLastString",
        "kubelet/stopping/termination": "GracePeriod PreStop killContainer",
        "rules/container_status": "ContainerStatus",
        "rules/grace": "GracePeriod killContainer",
        "rules/pod_actions": "computeInitContainerActions hasAnyRegular pruneInit",
    },
    "pkg/kubelet/kuberuntime/kuberuntime_manager.go": {
        "kubelet/resize": "Resizable Resize",
        "kubelet/starting/held_back": "doBackOff",
        "kubelet/starting/sandboxes": "KillPod SyncPod computePodActions",
        "kubelet/starting/starter": "SyncPod doBackOff",
        "kubelet/stopping/exits": "doBackOff",
        "kubelet/stopping/restart_all": "ContainersToReset SyncPod computePodActions",
        "rules/backoff": "doBackOff",
        "rules/pod_actions": "computePodActions containerChanged containerSucceeded shouldRestart",
    },
    "pkg/printers/internalversion/printers.go": {
        "rules/ages": "translate",
        "rules/pod_columns": "hasPodReady isPodInitialized layout printPod",
        "rules/service_columns": "Discovery Endpoint PortString Service loadBalancer",
        "rules/storage_columns": "PersistentVolume StorageClass VolumeAttachment",
        "rules/workload_columns": (
            "DaemonSet Deployment HPA HorizontalPodAutoscaler Job ReplicaSet ReplicationController"
            " StatefulSet layout"
        ),
    },
    "pkg/registry/core/pod/strategy.go": {
        "api/deletion": "GracefulDelete",
        "api/label_keys": "LabelKeys mutate",
        "rules/grace": "GracefulDelete",
        "rules/placement/label_keys": "LabelKeys mutate",
    },
}

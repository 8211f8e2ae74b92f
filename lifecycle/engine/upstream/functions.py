"""Of files that many modules model: the functions that each is about, by words that their names hold."""

from __future__ import annotations

FUNCTIONS: dict[str, dict[str, str]] = {
    "pkg/apis/apps/validation/validation.go": {
        "rules/validation/words/selectors": "Percent",
        "rules/validation/workloads/revisions": "ControllerRevision",
        "rules/validation/workloads/stateful_sets": "Retention StatefulSet VolumeClaimTemplates volumesToAdd",
        "rules/validation/workloads/status": "Status",
        "rules/validation/workloads/workloads": "DaemonSet Deployment Percent ReplicaSet",
    },
    "pkg/apis/batch/validation/validation.go": {
        "rules/validation/workloads/cron_jobs": "Concurrency CronJob JobTemplate Schedule TimeZone",
        "rules/validation/workloads/index_ranges": "Index",
        "rules/validation/workloads/job_policies": "Policy",
        "rules/validation/workloads/job_status": "Index IsCondition JobStatus JobUpdateStatus isJob",
        "rules/validation/workloads/job_updates": (
            "Completions JobSpecUpdate JobUpdate PodTemplateUpdate ResourceUpdates"
        ),
        "rules/validation/workloads/jobs": "Completions GeneratedSelector JobSpec ValidateJob",
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
        "rules/validation/claims": "DataSource PersistentVolumeClaim",
        "rules/validation/configurations": "ValidateConfigMap ValidateSecret",
        "rules/validation/endpoints": "Endpoint",
        "rules/validation/limit_ranges": "LimitRange",
        "rules/validation/nodes": "NodeResources NodeSpecific NodeTaints NodeUpdate",
        "rules/validation/pods/containers": "Container PullPolicy ResizePolicy VolumeDevices",
        "rules/validation/pods/differences": "EphemeralContainer",
        "rules/validation/pods/downward": "Downward Env FieldSelector KeySelector",
        "rules/validation/pods/gates": (
            "NodeAffinityMutation NodeSelectorMutation OnlyAdditions SchedulingGates ValidatePodUpdate"
        ),
        "rules/validation/pods/node_affinity": "NodeAffinity NodeField NodeSelector PreferredScheduling",
        "rules/validation/pods/pods": (
            "Affinity HostNetworkDeps HostUsers ImagePullSecrets LabelKeys PodCreate PodMetadata"
            " PodSpec ReadinessGates ResourceClaim SchedulingGates Spread Tolerations"
        ),
        "rules/validation/pods/probes": "Action Handler Lifecycle Probe StopSignal",
        "rules/validation/pods/projections": "KeyToPath Projected Projection",
        "rules/validation/pods/resolution": "DNSConfig DNSPolicy HostAliases",
        "rules/validation/pods/resources": (
            "PodResources Quantity ResourceConsistency ResourceName ResourceRequirements"
        ),
        "rules/validation/pods/security_contexts": (
            "AppArmor FSGroup ProcMount SELinux Seccomp SecurityContext SupplementalGroups Sysctl"
        ),
        "rules/validation/pods/status": "ContainerStatus HostIPs PodConditions PodIPs PodStatus",
        "rules/validation/pods/systems": "Linux Windows validateOS",
        "rules/validation/pods/updates": (
            "CPUMemory ContainerResize ContainerUpdates EphemeralContainersUpdate OnlyAddedTolerations"
            " PodResize PodUpdate resourcesRemoved"
        ),
        "rules/validation/pods/volume_sources": "AzureDisk AzureFile CSIDriverName VolumeSource",
        "rules/validation/pods/volumes": (
            "HostPath KeyToPath LocalNonReserved MountPropagation RecursiveReadOnly ValidateVolumes"
            " VolumeDevices VolumeMounts VolumeSource mountName mountPath"
        ),
        "rules/validation/quotas": "ResourceQuota Scope",
        "rules/validation/services": "ClientIPAffinity ClusterIP LoadBalancer Service",
        "rules/validation/storage": "NodeAffinity PersistentVolume SecretReference VolumeSource",
        "rules/validation/words/addresses": "EndpointIP LegacyField",
        "rules/validation/words/metadata": "FinalizerName",
        "rules/validation/words/misread_addresses": "LegacyField",
        "rules/validation/words/names": "LocalDescendingPath PathNoBacksteps",
        "rules/validation/words/shown_changes": "PodUpdate",
        "rules/validation/workloads/workloads": "NonEmptySelector PodTemplate ReplicationController",
    },
    "pkg/kubelet/kubelet.go": {
        "kubelet/admission": "HandlePodAdditions Reject",
        "kubelet/ending": "SyncTerminat deletePod",
        "kubelet/kubelet": "HandlePod SyncPod SyncTerminat syncLoop",
        "kubelet/node/outages": "RuntimeUp syncLoop",
        "kubelet/pod_sync": "SyncPod syncLoop",
        "kubelet/starting/claims": "SyncPod",
        "kubelet/starting/mounts": "SyncPod",
        "kubelet/starting/remounts": "SyncPod",
        "rules/pods/backoff": "CrashLoopBackOff NewMainKubelet",
        "rules/pods/rejections": "Reject",
    },
    "pkg/kubelet/kubelet_pods.go": {
        "kubelet/reports": "AllocatedResources PodStatus convertStatus convertTo sortPodIPs",
        "kubelet/starting/sandboxes": "PullSecrets",
        "kubelet/world/container_world": "Environment ResourceRuntime SelectorRuntime ServiceEnv makeMounts",
        "rules/pods/conditions": "PodStatus",
        "rules/pods/container_status": "ContainerStatuses",
        "rules/pods/host_names": "HostAliases HostName Hostname HostsFile",
        "rules/pods/status": "PodStatus getPhase",
    },
    "pkg/kubelet/kuberuntime/kuberuntime_container.go": {
        "kubelet/execs": "GetExec RunInContainer",
        "kubelet/starting/sandboxes": "killContainer",
        "kubelet/starting/starter": "recordContainerEvent startContainer",
        "kubelet/stopping/exits": "ContainerStatus",
        "kubelet/stopping/last_words": "TerminationMessage readLastString",
        "kubelet/stopping/termination": "GracePeriod PreStop killContainer",
        "rules/pods/actions": "computeInitContainerActions hasAnyRegular pruneInit",
        "rules/pods/container_status": "ContainerStatus",
        "rules/pods/grace": "GracePeriod killContainer",
    },
    "pkg/kubelet/kuberuntime/kuberuntime_manager.go": {
        "kubelet/resize": "Resizable Resize",
        "kubelet/starting/back_off": "doBackOff",
        "kubelet/starting/sandboxes": "KillPod SyncPod computePodActions",
        "kubelet/starting/starter": "SyncPod doBackOff",
        "kubelet/stopping/exits": "doBackOff",
        "kubelet/stopping/restart_all": "ContainersToReset SyncPod computePodActions",
        "rules/pods/actions": "computePodActions containerChanged containerSucceeded shouldRestart",
        "rules/pods/backoff": "doBackOff",
        "rules/pods/shrinking": "validateMemoryResizeAction",
    },
    "pkg/printers/internalversion/printers.go": {
        "rules/columns/ages": "translate",
        "rules/columns/column": "TableHandler",
        "rules/columns/network": "IPAddress Ingress NetworkPolicy ServiceCIDR",
        "rules/columns/nodes": "Namespace Node NodeRoles",
        "rules/columns/others": "ComponentStatus ConfigMap Event Lease ResourceClaim ResourceSlice Secret",
        "rules/columns/pods": "hasPodReady isPodInitialized layout printPod",
        "rules/columns/policies": (
            "APIService Binding CertificateSigningRequest FlowSchema PriorityClass PriorityLevel"
            " ResourceQuota RuntimeClass ValidatingAdmissionPolicy Webhook"
        ),
        "rules/columns/services": "Discovery Endpoint PortString Service loadBalancer",
        "rules/columns/storage": (
            "CSIDriver CSINode PersistentVolume StorageClass VolumeAttachment VolumeAttributesClass"
        ),
        "rules/columns/workloads": (
            "ControllerRevision DaemonSet Deployment HPA HorizontalPodAutoscaler Job PodTemplate ReplicaSet"
            " ReplicationController Scale StatefulSet layout"
        ),
    },
    "pkg/registry/core/pod/strategy.go": {
        "api/deletion": "GracefulDelete",
        "api/label_keys": "LabelKeys mutate",
        "rules/placement/label_keys": "LabelKeys mutate",
        "rules/pods/grace": "GracefulDelete",
    },
}

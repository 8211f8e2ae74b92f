"""What feature gates stand for where releases set them otherwise: who does what where the gate is on."""

from __future__ import annotations

from collections.abc import Mapping

from ..switches import Change

GATE_CHANGES: Mapping[str, Change] = {
    "ChangeContainerStatusOnKubeletRestart": Change(
        "kubelet",
        "a kubelet that comes back takes started and ready from containers until it has probed them anew",
        "kubernetes/kubernetes#134746, off since v1.35: pkg/kubelet/prober/prober_manager.go",
    ),
    "ClearingNominatedNodeNameAfterBinding": Change(
        "kube-apiserver",
        "the write that binds a pod clears the node it was nominated for",
        "kubernetes/kubernetes#135103, on since v1.35: pkg/registry/core/pod/storage/storage.go",
    ),
    "ContainerRestartRules": Change(
        "kube-apiserver and kubelet",
        "containers have a restartPolicy and restartPolicyRules of their own; without, both are dropped",
        "kubernetes/kubernetes#134631, on since v1.35: pkg/api/pod/util.go",
    ),
    "DeploymentReplicaSetTerminatingReplicas": Change(
        "kube-controller-manager",
        "Deployments and ReplicaSets tell their status.terminatingReplicas",
        "kubernetes/kubernetes#133087, on since v1.35: pkg/controller/replicaset/replica_set_utils.go",
    ),
    "EnvFiles": Change(
        "kube-apiserver and kubelet",
        "env[].valueFrom.fileKeyRef is kept and read; without, it is dropped",
        "kubernetes/kubernetes#134414, on since v1.35: pkg/api/pod/util.go",
    ),
    "HPAConfigurableTolerance": Change(
        "kube-apiserver and kube-controller-manager",
        "an autoscaler's behavior.*.tolerance is kept and counts; without, it is dropped",
        "kubernetes/kubernetes#133128, on since v1.35: pkg/registry/autoscaling/horizontalpodautoscaler",
    ),
    "HostnameOverride": Change(
        "kube-apiserver and kubelet",
        "spec.hostnameOverride is kept and names the pod's host; without, it is dropped",
        "kubernetes/kubernetes#134729, on since v1.35: pkg/api/pod/util.go",
    ),
    "InPlacePodLevelResourcesVerticalScaling": Change(
        "kube-apiserver and kubelet",
        "the resources of a whole pod can be changed while it runs",
        "kubernetes/kubernetes#137684, on since v1.36: pkg/kubelet/allocation",
    ),
    "InPlacePodVerticalScalingInitContainers": Change(
        "kube-apiserver and kubelet",
        "the resources of init containers can be changed while the pod runs",
        "kubernetes/kubernetes#137352, on since v1.36: pkg/apis/core/validation/validation.go",
    ),
    "KubeletCrashLoopBackOffMax": Change(
        "kubelet",
        "a node's kubelet may be given a longest wait before restarts of its own",
        "on since v1.35: pkg/kubelet/kubelet.go",
    ),
    "KubeletEnsureSecretPulledImages": Change(
        "kubelet",
        "an image that is there is used by a pod only if that may pull it, and the event Pulled says so",
        "kubernetes/kubernetes#135228, on since v1.35: pkg/kubelet/images/image_manager.go",
    ),
    "MaxUnavailableStatefulSet": Change(
        "kube-apiserver and kube-controller-manager",
        "a StatefulSet's rollingUpdate.maxUnavailable is kept and obeyed; without, it is dropped",
        "kubernetes/kubernetes#139466, on in v1.35.0 to v1.35.3 and since v1.37:"
        " pkg/controller/statefulset/stateful_set_control.go",
    ),
    "MutablePodResourcesForSuspendedJobs": Change(
        "kube-apiserver",
        "the resources in the template of a suspended Job may be changed",
        "kubernetes/kubernetes#135965, on since v1.36: pkg/registry/batch/job/strategy.go",
    ),
    "MutableSchedulingDirectivesForSuspendedJobs": Change(
        "kube-apiserver",
        "where pods go may be changed in the template of a suspended Job that has run before",
        "kubernetes/kubernetes#139329, on since v1.36: pkg/registry/batch/job/strategy.go",
    ),
    "PodTopologyLabelsAdmission": Change(
        "kube-apiserver",
        "a pod that is bound gets its node's labels of zone and region",
        "on since v1.35: plugin/pkg/admission/podtopologylabels",
    ),
    "RelaxedServiceNameValidation": Change(
        "kube-apiserver",
        "the name of a Service may begin with a digit",
        "on since v1.36: pkg/apis/core/validation/validation.go",
    ),
    "RestartAllContainersOnContainerExits": Change(
        "kube-apiserver and kubelet",
        "a rule in restartPolicyRules may restart all containers of the pod",
        "kubernetes/kubernetes#137369, on since v1.36: pkg/kubelet/kuberuntime/kuberuntime_manager.go",
    ),
    "StrictIPCIDRValidation": Change(
        "kube-apiserver",
        "addresses and ranges have to be written in their one canonical form",
        "kubernetes/kubernetes#137293, on since v1.36: pkg/apis/core/validation/validation.go",
    ),
}


def find_gate_change(gate: str) -> Change:
    """What a gate stands for."""
    known = GATE_CHANGES.get(gate)
    return known or Change("Kubernetes", f"{gate} is on", "pkg/features/kube_features.go", gate)

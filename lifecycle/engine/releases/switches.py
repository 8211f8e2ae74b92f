"""What releases do in different ways without a feature gate. Each switch stands for one upstream change.

Names are spelled as gates are asked for: `switches[NAME]`. The value of each is for a release to say.
"""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_dataclasses import dataclass

BACK_OFF_LOOKED_AT = "kubeletLooksAtBackOffs"
BALANCE_SCORES_IMPROVEMENT = "balancedAllocationScoresImprovement"
CONTAINER_EVENTS_NAME_CONTAINER = "containerEventsNameContainer"
DRAIN_SAYS_IT_TWICE = "drainSaysItTwice"
EVICTIONS_IGNORE_POD_GRACE = "evictionsIgnorePodGrace"
EXEC_PROBES_END_WITH_SYNC = "execProbesEndAtTermination"
GRACE_OVERRIDE_IS_LAST = "graceOverrideIsLast"
KUBELET_RELISTS_ON_DEMAND = "kubeletRelistsOnDemand"
MANY_MISSES_START = "cronJobsStartAfterManyMisses"
LAST_END_IS_STATUS = "podStatusIsOfLastEnd"
MAX_UNAVAILABLE_ROUNDS_UP = "statefulSetMaxUnavailableRoundsUp"
RESIZE_EVENTS_TELL_ADMISSION = "resizeEventsTellAdmission"
RESIZE_TELLS_ITS_END_ONLY = "resizeTellsItsEndOnly"
RESIZE_VALIDATED_BY_NODE = "resizeValidatedByNode"
ROLLBACK_EVENTS = "deploymentRollbackEvents"
SANDBOX_MAKES_READY_TO_START = "sandboxMakesReadyToStart"
SCALING_EVENTS_NAME_FORMER_SIZE = "scalingEventsNameFormerSize"
STATEFUL_SET_EVENTS_IN_LOWER_CASE = "statefulSetEventsInLowerCase"


@dataclass(frozen=True, slots=True)
class Change:
    """`component`: who does it. `says`: what is done where the switch is on. `upstream`: what changed it.

    `gate`: the feature gate that turns it in releases that have that gate.
    """

    component: str
    says: str
    upstream: str
    gate: str = ""


SWITCHES: Mapping[str, Change] = {
    EVICTIONS_IGNORE_POD_GRACE: Change(
        "kubelet",
        "a soft eviction gives every pod what the kubelet says, and a hard one 0, which counts as not set",
        "kubernetes/kubernetes#115819, until v1.29: pkg/kubelet/eviction/eviction_manager.go",
    ),
    GRACE_OVERRIDE_IS_LAST: Change(
        "kubelet",
        "the grace of the whole pod is given after its preStop hook, so that a stop has all of it once more;"
        " a later deletion shortens a stop that is under way",
        "kubernetes/kubernetes#115817, until v1.27: pkg/kubelet/kuberuntime/kuberuntime_container.go",
    ),
    KUBELET_RELISTS_ON_DEMAND: Change(
        "kubelet",
        "after it has done something for a pod the kubelet looks at what has become of that at once",
        "kubernetes/kubernetes#137362, gate PLEGOnDemandRelist, since v1.36: pkg/kubelet/pleg/generic.go",
        gate="PLEGOnDemandRelist",
    ),
    MANY_MISSES_START: Change(
        "kube-controller-manager",
        "a CronJob that missed more than a hundred runs starts the latest of them",
        "kubernetes/kubernetes#93370, since v1.21: pkg/controller/cronjob/utils.go",
    ),
    MAX_UNAVAILABLE_ROUNDS_UP: Change(
        "kube-controller-manager",
        "a StatefulSet's maxUnavailable in percent is rounded up, as the API is documented",
        "kubernetes/kubernetes#82162, since v1.24: the source rounds down, in"
        " pkg/controller/statefulset/stateful_set_utils.go",
    ),
    ROLLBACK_EVENTS: Change(
        "kube-controller-manager",
        "a Deployment that goes back to a former template tells it with the event DeploymentRollback",
        "extensions/v1beta1 and its request to roll back, until v1.15: pkg/controller/deployment/rollback.go",
    ),
    SCALING_EVENTS_NAME_FORMER_SIZE: Change(
        "kube-controller-manager",
        "a Deployment's event ScalingReplicaSet names the size before: from 1 to 3",
        "kubernetes/kubernetes#101142 and, in this order of words, #125118, since v1.32:"
        " pkg/controller/deployment/sync.go",
    ),
    STATEFUL_SET_EVENTS_IN_LOWER_CASE: Change(
        "kube-controller-manager",
        "a StatefulSet's events begin in lower case: create Pod web-0 in StatefulSet web successful",
        "until v1.35: pkg/controller/statefulset/stateful_pod_control.go",
    ),
    CONTAINER_EVENTS_NAME_CONTAINER: Change(
        "kubelet",
        "events Created and Started name the container: Created container: web",
        "until v1.35: startContainer in pkg/kubelet/kuberuntime/kuberuntime_container.go",
    ),
    SANDBOX_MAKES_READY_TO_START: Change(
        "kubelet",
        "PodReadyToStartContainers is True as soon as the pod's sandbox stands, before its images are there",
        "kubernetes/kubernetes#134660, since v1.36: OnPodSandboxReady in pkg/kubelet/kubelet.go",
    ),
    RESIZE_EVENTS_TELL_ADMISSION: Change(
        "kubelet",
        "the event of a resize that has to wait tells why as an admission does: OutOfcpu",
        "since v1.36: pkg/kubelet/allocation/allocation_manager.go",
    ),
    RESIZE_TELLS_ITS_END_ONLY: Change(
        "kubelet",
        "of a resize only the event ResizeCompleted is told, without the generation",
        "kubernetes/kubernetes#134825, until v1.35: pkg/kubelet/events/resize.go",
    ),
    RESIZE_VALIDATED_BY_NODE: Change(
        "kube-apiserver",
        "a resize beyond what the pod's node can allot is refused",
        "kubernetes/kubernetes#136043, since v1.36: plugin/pkg/admission/podresize/admission.go",
    ),
    EXEC_PROBES_END_WITH_SYNC: Change(
        "kubelet",
        "from its termination on a pod's exec probes are cancelled and tell nothing of its container",
        "kubernetes/kubernetes#140881, a defect of v1.35 and v1.36.3: pkg/kubelet/prober/prober_manager.go,"
        " startPodSync in pkg/kubelet/pod_workers.go",
    ),
    BACK_OFF_LOOKED_AT: Change(
        "kubelet",
        "a container that waits for its restart is looked at every 10 to 15 seconds: it starts at the first"
        " look after its back-off, and is CrashLoopBackOff from the first one before",
        "until v1.35: completeWork in pkg/kubelet/pod_workers.go",
    ),
    BALANCE_SCORES_IMPROVEMENT: Change(
        "kube-scheduler",
        "NodeResourcesBalancedAllocation scores how much better balanced a node gets by the pod",
        "kubernetes/kubernetes#135573, since v1.36:"
        " pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go",
    ),
    LAST_END_IS_STATUS: Change(
        "kube-apiserver",
        "STATUS of a pod whose first container completed is Completed although another one failed",
        "until v1.35, where the one that failed says so: printPod in"
        " pkg/printers/internalversion/printers.go",
    ),
    DRAIN_SAYS_IT_TWICE: Change(
        "kubectl",
        "a drain that pods without a controller forbid says so twice: cannot delete cannot delete Pods",
        "kubernetes/kubernetes#137064, until v1.36: staging/src/k8s.io/kubectl/pkg/drain/filters.go",
    ),
}

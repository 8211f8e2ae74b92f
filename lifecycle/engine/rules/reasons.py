"""Why a container waits: each reason the kubelet says, and what it means for its pod.

Kubernetes has no list of them: they are what a failed start returns, and what stands in a status before there
was one. They are taken from v1.35's kubelet: `pkg/kubelet/images/types.go`, `pkg/kubelet/container/
sync_result.go`, `pkg/kubelet/kuberuntime/kuberuntime_container.go`, `pkg/kubelet/kubelet_pods.go`, and from
what a runtime may answer to a pull (`k8s.io/cri-api/pkg/errors`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_tuples import NamedTuple

CRASHING, STUCK, STARTING = "crashing", "stuck", "starting"
"""What a reason means: its container ran and failed; it never ran, and somebody has to mend its image or its
configuration; or nothing is wrong yet."""

CONTAINER_CREATING, POD_INITIALIZING = "ContainerCreating", "PodInitializing"
RESTARTING_ALL = "RestartingAllContainers"
"""The reason on every container that an in-place restart of the whole pod ended."""
CRASH_LOOP_BACK_OFF, POST_START_HOOK_ERROR = "CrashLoopBackOff", "PostStartHookError"
ERR_IMAGE_PULL, IMAGE_PULL_BACK_OFF = "ErrImagePull", "ImagePullBackOff"
ERR_IMAGE_NEVER_PULL, INVALID_IMAGE_NAME = "ErrImageNeverPull", "InvalidImageName"
CREATE_CONTAINER_CONFIG_ERROR, RUN_CONTAINER_ERROR = "CreateContainerConfigError", "RunContainerError"


class Meaning(NamedTuple):
    """What one reason means. `log`: the kubelet's words where a log is asked for, if it has some."""

    state: str
    log: str = ""


_STUCK = Meaning(STUCK)
WAITING_REASONS: Mapping[str, Meaning] = {
    CONTAINER_CREATING: Meaning(STARTING),
    POD_INITIALIZING: Meaning(STARTING),
    RESTARTING_ALL: Meaning(STARTING),
    CRASH_LOOP_BACK_OFF: Meaning(CRASHING),
    POST_START_HOOK_ERROR: Meaning(CRASHING),
    # Older runtimes' word for a container that could not be run, in histories that others recorded.
    "ContainerCannotRun": Meaning(CRASHING),
    ERR_IMAGE_PULL: Meaning(STUCK, "image can't be pulled"),
    IMAGE_PULL_BACK_OFF: Meaning(STUCK, "trying and failing to pull image"),
    ERR_IMAGE_NEVER_PULL: _STUCK,
    INVALID_IMAGE_NAME: _STUCK,
    "ImageInspectError": _STUCK,
    "RegistryUnavailable": _STUCK,
    "SignatureValidationFailed": _STUCK,
    "ImageVolumeMountFailed": _STUCK,
    CREATE_CONTAINER_CONFIG_ERROR: _STUCK,
    "PreCreateHookError": _STUCK,
    "CreateContainerError": _STUCK,
    "PreStartHookError": _STUCK,
    RUN_CONTAINER_ERROR: _STUCK,
}
_NOTHING_SAID = Meaning(STARTING)


def find_meaning(reason: str) -> Meaning:
    """What it means that a container waits for this reason.

    One that nobody knows is an error too: the kubelet has no reason but these where nothing is wrong.
    """
    return WAITING_REASONS.get(reason, _STUCK) if reason else _NOTHING_SAID

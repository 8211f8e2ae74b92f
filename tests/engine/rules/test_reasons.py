"""Every reason that a container waits for has a meaning, and is spelled in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifecycle.engine.rules import reasons
from lifecycle.engine.rules.reasons import WAITING_REASONS, find_meaning

ENGINE = Path(reasons.__file__).parents[1]


@pytest.mark.parametrize(
    "state, found",
    [
        # pkg/kubelet/kubelet_pods.go: what stands there before anything was tried.
        ("starting", "ContainerCreating PodInitializing RestartingAllContainers"),
        # pkg/kubelet/container/sync_result.go and kuberuntime_container.go: it ran, and is run again.
        ("crashing", "CrashLoopBackOff PostStartHookError"),
        # pkg/kubelet/images/types.go
        ("stuck", "ErrImagePull ImagePullBackOff ErrImageNeverPull InvalidImageName ImageInspectError"),
        # k8s.io/cri-api/pkg/errors
        ("stuck", "RegistryUnavailable SignatureValidationFailed ImageVolumeMountFailed"),
        # pkg/kubelet/kuberuntime/kuberuntime_container.go
        ("stuck", "CreateContainerConfigError PreCreateHookError CreateContainerError PreStartHookError"),
        ("stuck", "RunContainerError"),
        # What nobody knows is no good news; what says nothing is no news.
        ("stuck", "NobodyKnowsThis"),
    ],
)
def test_a_reason_means_one_state(state: str, found: str) -> None:
    assert {find_meaning(one).state for one in found.split()} == {state}


def test_no_reason_means_that_nothing_is_wrong_yet() -> None:
    assert find_meaning("").state == "starting"


def test_every_reason_that_has_a_name_has_a_meaning() -> None:
    named = {value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)}
    assert named - {reasons.CRASHING, reasons.STUCK, reasons.STARTING} <= set(WAITING_REASONS)


def list_texts(path: Path) -> Iterator[str]:
    """The texts of a module that has a reason anywhere."""
    source = path.read_text()
    if not any(reason in source for reason in WAITING_REASONS):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.slow
def test_the_engine_spells_no_reason_elsewhere() -> None:
    """A reason that a part of the engine writes itself could have no meaning."""
    others = [path for path in ENGINE.rglob("*.py") if path != Path(reasons.__file__)]
    said = {(path.name, text) for path in others for text in list_texts(path) if text in WAITING_REASONS}
    assert not said

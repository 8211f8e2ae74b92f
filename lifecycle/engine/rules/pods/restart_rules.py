"""Whether a container that ended starts again: policies of pod and container, and exit-code rules.

Rules only apply where the store let them in (gate ContainerRestartRules), so no gate is asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...objects.pods.container import ALWAYS, NEVER, ON_FAILURE, Container, ContainerState, ContainerStatus
from ...objects.pods.pod import PodSpec
from ...objects.pods.runtime import CREATED, EXITED, RUNNING, RuntimeContainer
from ..reasons import RESTARTING_ALL

RESTART, RESTART_ALL = "Restart", "RestartAllContainers"


def matching_rule(container: Container, exit_code: int) -> int | None:
    """The index of the first rule that matches an exit code, None when none does (CRULE-06)."""
    for index, rule in enumerate(container.restart_policy_rules):
        if (exit_code in rule.values) == (rule.operator == "In"):
            return index
    return None


def effective_policy(container: Container, spec: PodSpec) -> str:
    """The policy that decides when no rule does: the container's own, else the pod's.

    Regular init containers of an `Always` pod run to success once, so there it reads `OnFailure`.
    """
    policy = container.restart_policy or spec.restart_policy
    if container.is_init and not container.is_sidecar and policy == ALWAYS:
        return ON_FAILURE
    return policy


def should_restart(container: Container, spec: PodSpec, exit_code: int) -> bool:
    """Whether a container that ended with `exit_code` is to start again."""
    if container.restart_policy_rules and matching_rule(container, exit_code) is not None:
        # Both actions, Restart and RestartAllContainers, bring this container back.
        return True
    policy = effective_policy(container, spec)
    return policy == ALWAYS or (policy == ON_FAILURE and exit_code != 0)


def should_restart_after_kill(container: Container, spec: PodSpec) -> bool:
    """Whether a container that is killed for a failed probe starts again: there is no exit code yet."""
    return (container.restart_policy or spec.restart_policy) != NEVER


def should_restart_all(container: Container, exit_code: int) -> bool:
    """Whether this exit asks for an in-place restart of the whole pod (RALL-01)."""
    index = matching_rule(container, exit_code)
    return index is not None and container.restart_policy_rules[index].action == RESTART_ALL


def should_start(container: Container, spec: PodSpec, seen: RuntimeContainer | None) -> bool:
    """Whether the container is to be started, given its newest run."""
    if seen is None or seen.state == CREATED:
        return True
    if seen.state == RUNNING:
        return False
    # In an unknown state nobody can say that it ever ended: it is killed and started again.
    return seen.state != EXITED or should_restart(container, spec, seen.exit_code)


def may_restart_all(spec: PodSpec) -> bool:
    """Whether any container has a rule that restarts the whole pod."""
    return any(_has_restart_all(spec.containers)) or any(_has_restart_all(spec.init_containers))


def _has_restart_all(containers: tuple[Container, ...]) -> Iterable[bool]:
    return (rule.action == RESTART_ALL for container in containers for rule in container.restart_policy_rules)


def will_restart(container: Container, spec: PodSpec, status: ContainerStatus) -> bool:
    """Whether an ended (or held back) container's last end leads to another run."""
    ended = last_end(status)
    if ended is None:
        return True
    return ended.reason == RESTARTING_ALL or should_restart(container, spec, ended.exit_code or 0)


def last_end(status: ContainerStatus) -> ContainerState | None:
    """The end of the newest run: the terminated state, or the last one while the container waits."""
    state = status.state
    if state is not None and state.exit_code is not None:
        return state
    return status.last_state


def status_of(statuses: Sequence[ContainerStatus], name: str) -> ContainerStatus | None:
    """The status of the container of that name, the first if there are several."""
    for status in statuses:
        if status.name == name:
            return status
    return None

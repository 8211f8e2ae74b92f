"""What a `podFailurePolicy` says of a pod that has failed: the first rule that matches decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.lean_tuples import NamedTuple

from ...objects.condition import Condition
from ...objects.pods.container import TERMINATED, ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.workloads.job import FAIL_INDEX, FAIL_JOB, IGNORE, ExitCodes, FailureRule


class Verdict(NamedTuple):
    """`message`: why the Job fails, if it does. `counts`: towards the limit. `action`: the rule's, or ""."""

    message: str | None = None
    counts: bool = True
    action: str = ""


def judge(rules: Sequence[FailureRule] | None, pod: Pod, knows_indexes: bool = True) -> Verdict:
    """The verdict on a failed pod (JOB-PFP-04, -05). `knows_indexes`: whether FailIndex is known."""
    for place, rule in enumerate(rules or ()):
        cause = _find_cause(rule, pod)
        if not cause or (rule.action == FAIL_INDEX and not knows_indexes):
            continue
        if rule.action == IGNORE:
            return Verdict(counts=False, action=IGNORE)
        if rule.action == FAIL_JOB:
            return Verdict(f"{cause} matching {FAIL_JOB} rule at index {place}", action=FAIL_JOB)
        return Verdict(action=rule.action)
    return Verdict()


def _find_cause(rule: FailureRule, pod: Pod) -> str:
    """What of the pod a rule matches, in words; "" if nothing."""
    name = f"{pod.meta.namespace or ''}/{pod.meta.name}"
    if rule.exit_codes is not None:
        status = pod.status
        found = _find_exit((*status.containers, *status.init_containers), rule.exit_codes)
        if found is None or found.state is None:
            return ""
        return f"Container {found.name} for pod {name} failed with exit code {found.state.exit_code}"
    condition = _find_condition(pod.status.conditions, rule)
    return f"Pod {name} has condition {condition.type}" if condition is not None else ""


def _find_exit(statuses: Iterable[ContainerStatus], codes: ExitCodes) -> ContainerStatus | None:
    for status in statuses:
        state = status.state
        # Success is never a failure, whatever a NotIn leaves out (JOB-PFP-08).
        if state is None or state.type != TERMINATED or not state.exit_code:
            continue
        if codes.container in (None, status.name) and (state.exit_code in codes.values) == codes.is_in:
            return status
    return None


def _find_condition(conditions: Iterable[Condition], rule: FailureRule) -> Condition | None:
    return next((one for one in conditions if (one.type, one.status) in rule.conditions), None)

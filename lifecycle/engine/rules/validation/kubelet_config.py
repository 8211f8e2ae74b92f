"""Settings of a node's kubelet that cannot be (BACKOFF-03, GRACE-30, USERNS-14 to USERNS-17, VALID-18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...heart.timing import read_duration_ms
from ..cpu_manager import find_problem
from ..eviction_settings import find_problems
from ..user_namespaces import BLOCK, DEFAULT_PODS, USER_IDS
from .field_error import FieldError, invalid

LEAST_RESTART_MS = 1_000
MOST_RESTART_MS = 300_000
GROUP_IDS = "podline.dev/subordinate-group-ids"


def validate_kubelet_configuration(data: Mapping[str, Any]) -> list[FieldError]:
    """A KubeletConfiguration document. The subordinate ids of the user `kubelet` stand in two annotations,
    written as in /etc/subuid and /etc/subgid."""
    errors = _validate_restart_period(data.get("crashLoopBackOff") or {})
    errors += [invalid(path, value, detail) for path, value, detail in find_problems(data)]
    problem = find_problem(data)
    errors += [invalid(*problem)] if problem is not None else []
    annotations = (data.get("metadata") or {}).get("annotations") or {}
    max_pods = data.get("maxPods") or DEFAULT_PODS
    users, groups = annotations.get(USER_IDS), annotations.get(GROUP_IDS)
    for key, text in ((USER_IDS, users), (GROUP_IDS, groups)):
        if text is not None:
            errors += validate_subordinate_ids(text.splitlines(), max_pods, f"metadata.annotations[{key}]")
    if (users is None) != (groups is None):
        has, lacks = (GROUP_IDS, USER_IDS) if users is None else (USER_IDS, GROUP_IDS)
        detail = f"a range of its own needs both kinds of ids: give {lacks} too"
        errors.append(invalid(f"metadata.annotations[{has}]", users or groups, detail))
    elif users is not None and groups is not None and users.strip() != groups.strip():
        detail = "user and group ids of the kubelet must be the same range"
        errors.append(invalid(f"metadata.annotations[{GROUP_IDS}]", groups, detail))
    return errors


def _validate_restart_period(settings: Mapping[str, Any]) -> list[FieldError]:
    period = settings.get("maxContainerRestartPeriod")
    if period is None:
        return []
    period_ms = read_duration_ms(period)
    if period_ms is not None and LEAST_RESTART_MS <= period_ms <= MOST_RESTART_MS:
        return []
    path = "crashLoopBackOff.maxContainerRestartPeriod"
    return [invalid(path, period, "must be set between 1s and 300s")]


def validate_subordinate_ids(lines: Sequence[str], max_pods: int, path: str) -> list[FieldError]:
    """The lines of the user `kubelet` in a subordinate id file: one range, whole blocks, enough of them."""
    entries = [line.strip() for line in lines if line.strip()]
    if len(entries) != 1:
        return [invalid(path, "\n".join(entries), "the user kubelet must have exactly one line")]
    parts = entries[0].split(":")
    if len(parts) != 3 or parts[0] != "kubelet" or not (parts[1].isdigit() and parts[2].isdigit()):
        return [invalid(path, entries[0], "must have the form kubelet:<first id>:<count>")]
    first, count = int(parts[1]), int(parts[2])
    errors = []
    if first < BLOCK or first % BLOCK:
        detail = f"the first id must be a multiple of {BLOCK} and at least {BLOCK}"
        errors.append(invalid(path, first, detail))
    if count % BLOCK or count < BLOCK * max_pods:
        detail = (
            f"the count must be a multiple of {BLOCK} and at least {BLOCK * max_pods} for {max_pods} pods"
        )
        errors.append(invalid(path, count, detail))
    return errors

"""Settings of a node's kubelet that cannot be (BACKOFF-03, GRACE-30, USERNS-14 to USERNS-17, VALID-18)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...heart.timing import read_duration_ms
from ..nodes.cpu_manager import find_problem
from ..nodes.eviction_settings import find_problems
from ..nodes.shutdown import find_problem as find_shutdown_problem
from ..pods.user_namespaces import BLOCK, DEFAULT_PODS, USER_IDS
from .words.field_error import FieldError, invalid
from .words.part import Part, gathers

LEAST_RESTART_MS = 1_000
MOST_RESTART_MS = 300_000
GROUP_IDS = "podline.dev/subordinate-group-ids"


@gathers("")
def validate_kubelet_configuration(data: Part) -> None:
    """A KubeletConfiguration document. The subordinate ids of the user `kubelet` stand in two annotations,
    written as in /etc/subuid and /etc/subgid."""
    period = data.part("crashLoopBackOff")
    given = period["maxContainerRestartPeriod"]
    ms = read_duration_ms(given) if given is not None else MOST_RESTART_MS
    if ms is None or not LEAST_RESTART_MS <= ms <= MOST_RESTART_MS:
        period.refuse("maxContainerRestartPeriod", "must be set between 1s and 300s")
    problems = [*find_problems(data.data), find_problem(data.data), find_shutdown_problem(data.data)]
    data.errors += [invalid(*problem) for problem in problems if problem is not None]
    annotations = data.part("metadata")["annotations"] or {}
    users, groups = annotations.get(USER_IDS), annotations.get(GROUP_IDS)
    for key, text in ((USER_IDS, users), (GROUP_IDS, groups)):
        if text is not None:
            path = f"metadata.annotations[{key}]"
            data.errors += validate_subordinate_ids(text.splitlines(), data["maxPods"] or DEFAULT_PODS, path)
    if (users is None) != (groups is None):
        has, lacks = (GROUP_IDS, USER_IDS) if users is None else (USER_IDS, GROUP_IDS)
        detail = f"a range of its own needs both kinds of ids: give {lacks} too"
        data.refuse(f"metadata.annotations[{has}]", detail, users or groups)
    elif users is not None and groups is not None and users.strip() != groups.strip():
        detail = "user and group ids of the kubelet must be the same range"
        data.refuse(f"metadata.annotations[{GROUP_IDS}]", detail, groups)


def validate_subordinate_ids(lines: Sequence[str], max_pods: int, path: str) -> list[FieldError]:
    """The lines of the user `kubelet` in a subordinate id file: one range, whole blocks, enough of them."""
    entries = [line.strip() for line in lines if line.strip()]
    if len(entries) != 1:
        return [invalid(path, "\n".join(entries), "the user kubelet must have exactly one line")]
    found = re.fullmatch(r"kubelet:([0-9]{1,10}):([0-9]{1,10})", entries[0])
    if found is None:
        return [invalid(path, entries[0], "must have the form kubelet:<first id>:<count>")]
    first, count, least = int(found[1]), int(found[2]), BLOCK * max_pods
    errors = []
    if first < BLOCK or first % BLOCK:
        detail = f"the first id must be a multiple of {BLOCK} and at least {BLOCK}"
        errors.append(invalid(path, first, detail))
    if count % BLOCK or count < least:
        detail = f"the count must be a multiple of {BLOCK} and at least {least} for {max_pods} pods"
        errors.append(invalid(path, count, detail))
    return errors

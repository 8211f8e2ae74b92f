"""What a Job reads of its pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ...objects.pods.container import ContainerStatus
from ...objects.pods.pod import FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from ...objects.times import floor_to_second
from ...objects.workloads.job import (
    COMPLETION_INDEX,
    INDEX_FAILURE_COUNT,
    INDEX_IGNORED_FAILURE_COUNT,
    TRACKING_FINALIZER,
)

NO_INDEX = -1
_INT32_MAX = 2**31 - 1
# The year 1: what Kubernetes takes for a time that is not told.
_LONG_AGO_MS = -62_135_596_800_000


def is_tracked(pod: Pod) -> bool:
    """Whether its end is still to be counted (JOB-FIN-01)."""
    return TRACKING_FINALIZER in pod.meta.finalizers


def is_failed(pod: Pod, replaces_only_failed: bool) -> bool:
    """Whether it counts as failed: also while it is being deleted, unless replacement waits for its end.

    Pods of a lost node may never come to the phase Failed (JOB-FAIL-07, -10).
    """
    if pod.status.phase == FAILED:
        return True
    return not replaces_only_failed and pod.meta.deletion_ms is not None and pod.status.phase != SUCCEEDED


def read_index(pod: Pod) -> int:
    """Its completion index; NO_INDEX where the annotation does not say one."""
    text = pod.meta.annotations.get(COMPLETION_INDEX)
    return _read_number(text) if text is not None else NO_INDEX


@lru_cache(maxsize=16_384)
def _read_number(text: str) -> int:
    # As Go reads it: ASCII digits, which may have a sign before them.
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 18:
        return NO_INDEX
    return max(int(text), NO_INDEX)


def read_failure_count(annotations: Mapping[str, str]) -> int:
    """How many failures of its index that counted came before (JOB-BLPI-12)."""
    return _read_count(annotations, INDEX_FAILURE_COUNT)


def read_ignored_count(annotations: Mapping[str, str]) -> int:
    """How many failures of its index that were ignored came before."""
    return _read_count(annotations, INDEX_IGNORED_FAILURE_COUNT)


def _read_count(annotations: Mapping[str, str], name: str) -> int:
    count = _read_number(annotations.get(name, "0"))
    return count if 0 <= count <= _INT32_MAX else 0


def count_restarts(pod: Pod) -> int:
    """Restarts of all containers of a pod that may still run (JOB-BACKOFF-05)."""
    status = pod.status
    if status.phase not in (PENDING, RUNNING):
        return 0
    restarts = sum(one.restart_count for one in status.containers)
    return restarts + sum(one.restart_count for one in status.init_containers)


def find_finish_ms(pod: Pod, epoch_ms: int = 0) -> int:
    """When it ended, in ms, cut to the second as the API tells it.

    The end of its last container (sidecars included); else since when it is not ready; else when its deletion
    was asked for; else its creation.
    """
    found = _containers_finish_ms(pod)
    if found is None:
        ready = pod.ready_condition
        if ready is not None and ready.status == "False":
            found = ready.last_transition_ms
    if found is None and pod.meta.deletion_ms is not None:
        found = pod.meta.deletion_ms - (pod.meta.deletion_grace_seconds or 0) * 1000
    if found is None:
        found = _LONG_AGO_MS if pod.meta.creation_ms is None else pod.meta.creation_ms
    return floor_to_second(found, epoch_ms)


def _containers_finish_ms(pod: Pod) -> int | None:
    # As in Kubernetes: the end of sidecars stands also where that of another container is not known.
    last_ms = _last_finish_ms(None, pod.status.containers)
    if not pod.status.init_containers:
        return last_ms
    sidecars = {container.name for container in pod.spec.init_containers if container.is_sidecar}
    return _last_finish_ms(last_ms, [one for one in pod.status.init_containers if one.name in sidecars])


def _last_finish_ms(last_ms: int | None, statuses: Iterable[ContainerStatus]) -> int | None:
    """The latest end, `last_ms` included; None where one of the containers has none."""
    for status in statuses:
        finished_ms = status.state.finished_ms if status.state is not None else None
        if finished_ms is None:
            return None
        last_ms = finished_ms if last_ms is None else max(last_ms, finished_ms)
    return last_ms

"""How long a pod and its containers get to stop.

Models the four parts of the grace-period arithmetic: A the API server's value for a delete request,
B the value of one container's kill, C the pod-wide value a kubelet works with, D eviction. Whole seconds
throughout; hook and waiting times come in as milliseconds and are cut down to seconds, as the kubelet does.

Releases differ in two things. Where the override is last (until v1.27), an explicit 0 counts as unset in C,
and the kubelet's override is applied last in B. Where evictions ignore the pod's grace (until v1.29), they do
not look at the pod's own value.
"""

from __future__ import annotations

from ...heart.timing import MINIMUM_GRACE_SECONDS

DELETED, STARTUP_PROBE, LIVENESS_PROBE = "Deleted", "StartupProbe", "LivenessProbe"
SOFT, HARD = "soft", "hard"

MINIMUM_EVICTION_WAIT_SECONDS = 10

_FINISHED = ("Succeeded", "Failed")


def decide_deletion_grace_seconds(
    requested: int | None,
    spec_seconds: int | None,
    *,
    is_bound: bool,
    phase: str,
    has_options: bool = True,
) -> int | None:
    """Part A: what the API server stores as `deletionGracePeriodSeconds`; 0 removes the pod at once.

    None: the request carried no delete options, so the graceful path is not taken at all (GRACE-07).
    """
    if not has_options:
        return None
    # Nothing runs, so there is nothing to wait for: these two win over any requested value.
    if not is_bound or phase in _FINISHED:
        return 0
    seconds = requested if requested is not None else spec_seconds or 0
    return 1 if seconds < 0 else seconds


def decide_shortened_grace_seconds(current_seconds: int | None, requested: int | None) -> int | None:
    """The new value when a pod that is already being deleted is deleted again; None keeps the old one.

    A later request only ever shortens (GRACE-21).
    """
    if requested is None or current_seconds is None:
        return None
    seconds = 1 if requested < 0 else requested
    return seconds if seconds < current_seconds else None


def decide_effective_grace_seconds(
    earlier_seconds: int,
    deletion_seconds: int | None,
    override_seconds: int | None,
    spec_seconds: int | None,
    *,
    override_is_last: bool = False,
) -> tuple[int, bool]:
    """Part C: the pod-wide value, and whether it shortens a stop that already runs.

    `earlier_seconds` is the value recorded for this termination, 0 if none. Deletion and override can only
    speed it up: with 30 recorded, a deletion of 5 gives 5, one of 60 leaves 30.
    """
    seconds, is_told = earlier_seconds, False
    for wanted in (deletion_seconds, override_seconds):
        # A 0 means "not set" here, so that the next step may still lengthen it (GRACE-16, GRACE-17).
        if wanted is not None and (seconds == 0 or wanted < seconds):
            seconds, is_told = wanted, True
    # Where the override is last, also a 0 that was told falls through to the pod's own value (GRACE-22).
    if seconds == 0 and spec_seconds is not None and (not is_told or override_is_last):
        seconds = spec_seconds
    seconds = max(seconds, 1)
    return seconds, earlier_seconds != 0 and earlier_seconds != seconds


def decide_kill_grace_seconds(
    deletion_seconds: int | None,
    spec_seconds: int | None,
    *,
    reason: str = DELETED,
    probe_seconds: int | None = None,
    override_seconds: int | None = None,
    override_is_last: bool = False,
) -> int:
    """Part B up to the hook (B1 to B3, and B6 in its newest place): the budget a `preStop` hook may use.

    `probe_seconds` is the failed probe's own `terminationGracePeriodSeconds`. 0 means: run no hook.
    """
    seconds = _start_seconds(deletion_seconds, spec_seconds, reason, probe_seconds)
    if override_seconds is None or override_is_last:
        return seconds
    # A pod deleted with 0 is gone from the API already: an override of 1 does not bring its hook back.
    return min(seconds, override_seconds) if deletion_seconds == 0 else override_seconds


def _start_seconds(
    deletion_seconds: int | None, spec_seconds: int | None, reason: str, probe_seconds: int | None
) -> int:
    # Deleted through the API server: its word is final, probe values are not looked at.
    if deletion_seconds is not None:
        return deletion_seconds
    if spec_seconds is None:
        return MINIMUM_GRACE_SECONDS
    if reason in (STARTUP_PROBE, LIVENESS_PROBE) and probe_seconds is not None:
        return probe_seconds
    return spec_seconds


def decide_stop_timeout_seconds(
    grace_seconds: int,
    *,
    hook_ms: int = 0,
    waited_ms: int = 0,
    override_seconds: int | None = None,
    override_is_last: bool = False,
) -> int:
    """Part B from the hook on (B4 to B7): seconds between the stop signal and SIGKILL.

    `hook_ms` is what the `preStop` hook used, `waited_ms` what a sidecar spent waiting for its turn. Both
    come out of the budget: 30 with a hook of 12.9 s leaves 18; never less than 2.
    """
    if override_is_last and override_seconds is not None:
        return override_seconds
    left = grace_seconds - hook_ms // 1000 - waited_ms // 1000
    return max(left, MINIMUM_GRACE_SECONDS)


def decide_eviction_override_seconds(
    kind: str, max_pod_grace_seconds: int, spec_seconds: int | None, *, ignores_pod: bool = False
) -> int:
    """Part D: the override an eviction hands to the kubelet, by `kind` (`soft` or `hard`)."""
    if kind == HARD:
        return 0 if ignores_pod else 1
    if spec_seconds is None or ignores_pod:
        return max_pod_grace_seconds
    return min(max_pod_grace_seconds, spec_seconds)


def decide_eviction_grace_seconds(override_seconds: int | None, spec_seconds: int | None) -> int:
    """The value an eviction counts its own waiting by (D5): the override, else the pod's value, else 0."""
    if override_seconds is not None:
        return override_seconds
    return spec_seconds or 0


def decide_eviction_wait_seconds(grace_seconds: int) -> int:
    """How long an eviction waits for its kill to finish (D6): 30 → 45, 8 → 12, 7 → 10, 0 → 10."""
    return max(grace_seconds + grace_seconds // 2, MINIMUM_EVICTION_WAIT_SECONDS)

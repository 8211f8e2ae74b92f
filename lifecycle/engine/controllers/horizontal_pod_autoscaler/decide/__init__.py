"""One look at an autoscaler: what it asks for, what may be, and what its status says of that.

Models reconcileAutoscaler of Kubernetes' HorizontalController, in two steps: `decide`, then, when a rescale
was tried or none is wanted, `conclude`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field, replace

from ....objects.meta import StoredObject
from ....objects.pods.pod import Pod
from ....objects.quantity import parse_quantity
from ....objects.times import format_time
from ....rules.scaling.scales import Scale
from .calculator import TOLERANCE, Clock, Tolerances
from .limits import (
    DOWN_STABILIZED,
    READY,
    UP_STABILIZED,
    WITHIN_RANGE,
    Bounds,
    Past,
    Reason,
    Rules,
    limit_by_rules,
    limit_plainly,
    read_rules,
    remember,
    remember_change,
    stabilize,
    stabilize_down,
)
from .readings import Readings

Json = Mapping[str, Any]
ABLE, ACTIVE, LIMITED = "AbleToScale", "ScalingActive", "ScalingLimited"
GOT_SCALE = ("SucceededGetScale", "the HPA controller was able to get the target's current scale")
DISABLED = ("ScalingDisabled", "scaling is disabled since the replica count of the target is zero")


@dataclass(slots=True)
class Seen:
    """What one look sees. `scale` is a text where there is none: why.

    `rivals`: the autoscalers that select these pods, this one among them, as `namespace/name`.
    """

    autoscaler: StoredObject
    scale: Scale | str
    pods: Sequence[Pod] = ()
    readings: Readings = field(default_factory=Readings)
    rivals: Sequence[str] = ()
    has_own_tolerance: bool = True
    """Whether a `behavior` may bring its own tolerance (gate HPAConfigurableTolerance)."""


@dataclass(slots=True)
class Verdict:
    """What a look comes to. `size`: to be scaled to, for `reason`; None: left as it is.

    `warnings`: reason and message of each, in order; they are told at every look that comes to them.
    `is_recommended`: whether the metrics made a recommendation that the next looks remember.
    """

    status: dict[str, Any]
    past: Past
    warnings: list[Reason] = field(default_factory=list)
    size: int | None = None
    reason: str = ""
    current: int = 0
    is_recommended: bool = False

    def set(self, type: str, is_true: bool, reason: Reason, clock: Clock) -> None:
        """Set a condition; its time moves with its status alone."""
        status = "True" if is_true else "False"
        old = next((one for one in self.status.get("conditions") or () if one.get("type") == type), None)
        is_kept = old is not None and old.get("status") == status
        since = (old or {}).get("lastTransitionTime") if is_kept else None
        since = since or format_time(clock.now_ms, clock.epoch_ms)
        new = {
            "type": type, "status": status, "lastTransitionTime": since,
            "reason": reason[0], "message": reason[1],
        }  # fmt: skip
        known = self.status.get("conditions") or []
        others = [new if one is old else one for one in known]
        self.status["conditions"] = others if old is not None else [*known, new]


def decide(seen: Seen, past: Past | None, clock: Clock) -> Verdict:
    """What the autoscaler asks for now, and why. `past`: None at its first look (HPA-01 to HPA-14)."""
    spec, scale = seen.autoscaler.spec or {}, seen.scale
    verdict = Verdict(dict(seen.autoscaler.status or {}), _copy(past))
    if isinstance(scale, str):
        verdict.warnings.append(("FailedGetScale", scale))
        text = f"the HPA controller was unable to get the target's current scale: {scale}"
        verdict.set(ABLE, False, ("FailedGetScale", text), clock)
        return verdict
    verdict.set(ABLE, True, GOT_SCALE, clock)
    current = verdict.current = scale.replicas
    if past is None:
        verdict.past.recommendations.append([current, clock.now_ms])
    least = spec.get("minReplicas")
    bounds = Bounds(1 if least is None else least, spec.get("maxReplicas") or 0)
    if current == 0 and bounds.least != 0:
        verdict.set(ACTIVE, False, DISABLED, clock)
        _count(verdict, current, ())
    elif current > bounds.most or current < bounds.least:
        # Whatever the metrics say.
        is_above = current > bounds.most
        verdict.size = bounds.most if is_above else bounds.least
        side = "above Spec.MaxReplicas" if is_above else "below Spec.MinReplicas"
        verdict.reason = f"Current number of replicas {side}"
        _count(verdict, verdict.size, ())
    else:
        _ask_metrics(seen, scale, verdict, bounds, clock)
    return verdict


def _copy(past: Past | None) -> Past:
    if past is None:
        return Past()
    return Past(*([list(one) for one in kept] for kept in (past.recommendations, past.ups, past.downs)))


def _count(verdict: Verdict, desired: int, metrics: Sequence[Json]) -> None:
    """The numbers of the status; the replicas told are those from before its own rescale."""
    status = {
        "conditions": verdict.status.get("conditions") or [],
        "currentReplicas": verdict.current,
        "desiredReplicas": desired,
    }
    if metrics:
        status["currentMetrics"] = list(metrics)
    if verdict.status.get("lastScaleTime"):
        status["lastScaleTime"] = verdict.status["lastScaleTime"]
    verdict.status = status


# --- what the metrics ask for -------------------------------------------------------------------------------


def _ask_metrics(seen: Seen, scale: Scale, verdict: Verdict, bounds: Bounds, clock: Clock) -> None:
    spec, current = seen.autoscaler.spec or {}, verdict.current
    metrics: list[Json] = []
    failure = _find_selector_problem(seen, scale, verdict, clock)
    wanted, name = -1, ""
    if not failure:
        wanted, name, metrics, failure = _compare(seen, scale, verdict, clock)
    if wanted == -1:
        _count(verdict, verdict.status.get("desiredReplicas") or 0, metrics)
        verdict.warnings.append(("FailedComputeMetricsReplicas", failure))
        return
    verdict.is_recommended = True
    # A count that overflew is below zero, and nobody asks for less than that.
    wanted = max(wanted, 0)
    # Where the metrics ask for what is there, a rescale comes from what was asked before or from the minimum.
    told = f"{name} above target" if wanted > current else "All metrics below target"
    verdict.reason = told if wanted != current else ""
    limit = _limit if spec.get("behavior") is None else _limit_by_behavior
    desired = limit(seen, verdict, wanted, bounds, clock)
    verdict.size = desired if desired != current else None
    _count(verdict, desired, metrics)


def _find_selector_problem(seen: Seen, scale: Scale, verdict: Verdict, clock: Clock) -> str:
    """Why the pods cannot be told by the target's selector; "": they can."""
    if scale.problem:
        text = f"couldn't convert selector into a corresponding internal selector object: {scale.problem}"
        reason, told = "InvalidSelector", text
    elif not scale.selector:
        text, told = "selector is required", "the HPA target's scale is missing a selector"
        reason = "SelectorRequired"
    elif len(seen.rivals) > 1:
        rivals = " ".join(seen.rivals)
        text = f"pods by selector {scale.selector} are controlled by multiple HPAs: [{rivals}]"
        reason, told = "AmbiguousSelector", text
    else:
        return ""
    verdict.warnings.append((reason, text))
    shown = "InvalidSelector" if reason == "SelectorRequired" else reason
    verdict.set(ACTIVE, False, (shown, told), clock)
    return text


def _compare(seen: Seen, scale: Scale, verdict: Verdict, clock: Clock) -> tuple[int, str, list[Json], str]:
    """The largest proposal (-1: none to be followed), its metric, all statuses, what failed (HPA-08)."""
    from .proposals import Look, Proposal, Unusable, propose

    spec = seen.autoscaler.spec or {}
    look = Look(
        seen.autoscaler.meta.namespace or "", scale.replicas, scale.status_replicas, seen.pods, seen.readings,
        read_tolerances(spec, seen.has_own_tolerance), clock,
    )  # fmt: skip
    metrics = spec.get("metrics") or ()
    found = [propose(metric, look) for metric in metrics]
    unusable = [one for one in found if isinstance(one, Unusable)]
    proposals = [one for one in found if isinstance(one, Proposal)]
    statuses = [one.status if isinstance(one, Proposal) else {"type": ""} for one in found]
    verdict.warnings += [(one.reason, one.message) for one in unusable]
    best = max(proposals, key=lambda one: one.replicas, default=None)
    if best is not None and best.replicas == 0:
        # Nobody asks for any: it is told of the last one.
        best = proposals[-1]
    text = ""
    if unusable:
        first = f"first error is: {unusable[0].text}"
        text = f"invalid metrics ({len(unusable)} invalid out of {len(metrics)}), {first}"
    # Nobody scales down while one of the metrics cannot be read.
    if best is None or (unusable and best.replicas < scale.replicas):
        why = f"the HPA was unable to compute the replica count: {unusable[0].message}" if unusable else ""
        if unusable:
            verdict.set(ACTIVE, False, (unusable[0].reason, why), clock)
        return -1, "", statuses, text
    found_from = f"the HPA was able to successfully calculate a replica count from {best.name}"
    verdict.set(ACTIVE, True, ("ValidMetricFound", found_from), clock)
    return best.replicas, best.name, statuses, text


def read_tolerances(spec: Json, has_own: bool = True) -> Tolerances:
    """The tolerances of a `behavior`, or the controller manager's."""
    behavior = (spec.get("behavior") or {}) if has_own else {}
    given = [(behavior.get(name) or {}).get("tolerance") for name in ("scaleUp", "scaleDown")]
    return Tolerances(*(TOLERANCE if one is None else float(parse_quantity(one)) for one in given))


# --- what may be --------------------------------------------------------------------------------------------


def _limit(seen: Seen, verdict: Verdict, wanted: int, bounds: Bounds, clock: Clock) -> int:
    window_ms = clock.stabilization_ms
    stable = stabilize_down(verdict.past, wanted, clock.now_ms, window_ms)
    remember(verdict.past, wanted, clock.now_ms, window_ms)
    verdict.set(ABLE, True, READY if stable == wanted else DOWN_STABILIZED, clock)
    desired, reason = limit_plainly(verdict.current, stable, bounds)
    verdict.set(LIMITED, desired != stable, reason, clock)
    return desired


def _limit_by_behavior(seen: Seen, verdict: Verdict, wanted: int, bounds: Bounds, clock: Clock) -> int:
    up, down = rules_of(seen.autoscaler, clock.stabilization_ms)
    past, current, now_ms = verdict.past, verdict.current, clock.now_ms
    stable = stabilize(past, current, wanted, now_ms, up, down)
    remember(past, wanted, now_ms, max(up.window_ms, down.window_ms))
    held = UP_STABILIZED if wanted >= current else DOWN_STABILIZED
    verdict.set(ABLE, True, READY if stable == wanted else held, clock)
    desired, reason = limit_by_rules(current, stable, bounds, past, now_ms, up, down)
    verdict.set(LIMITED, desired != stable, reason, clock)
    return desired


def rules_of(autoscaler: StoredObject, stabilization_ms: int) -> tuple[Rules, Rules]:
    """How fast an autoscaler may go up and down; how long it stays up where it does not say."""
    return read_rules((autoscaler.spec or {}).get("behavior") or {}, stabilization_ms)


# --- when the rescale was tried -----------------------------------------------------------------------------


def conclude(seen: Seen, verdict: Verdict, problem: str, clock: Clock) -> tuple[str, Reason]:
    """Say in the status what came of a rescale; returns the type, reason and message of its event.

    `problem`: why the API server refused it, "" when it did not.
    """
    assert verdict.size is not None, verdict
    size = f"New size: {verdict.size}; reason: {verdict.reason}"
    if problem:
        text = f"the HPA controller was unable to update the target scale: {problem}"
        verdict.set(ABLE, False, ("FailedUpdateScale", text), clock)
        before = (seen.autoscaler.status or {}).get("desiredReplicas") or 0
        verdict.status = {**verdict.status, "desiredReplicas": before}
        return "Warning", ("FailedRescale", f"{size}; error: {problem}")
    text = f"the HPA controller was able to update the target scale to {verdict.size}"
    verdict.set(ABLE, True, ("SucceededRescale", text), clock)
    verdict.status = {**verdict.status, "lastScaleTime": format_time(clock.now_ms, clock.epoch_ms)}
    if (seen.autoscaler.spec or {}).get("behavior") is not None:
        _remember_rescale(seen.autoscaler, verdict, verdict.size - verdict.current, clock)
    return "Normal", ("SuccessfulRescale", size)


def _remember_rescale(autoscaler: StoredObject, verdict: Verdict, change: int, clock: Clock) -> None:
    up, down = rules_of(autoscaler, clock.stabilization_ms)
    past, now_ms = verdict.past, clock.now_ms
    if change > 0:
        verdict.past = replace(past, ups=remember_change(past.ups, change, now_ms, up.longest_ms))
    else:
        verdict.past = replace(past, downs=remember_change(past.downs, -change, now_ms, down.longest_ms))


# --- when the next look may come to something else ----------------------------------------------------------


def next_expiry_ms(autoscaler: StoredObject, past: Past, clock: Clock) -> int | None:
    """When something that is remembered next leaves a window or a period; None: nothing does."""
    up, down = rules_of(autoscaler, clock.stabilization_ms)
    windows = (up.window_ms, down.window_ms)
    ends = [at_ms + window for _, at_ms in past.recommendations[:-1] for window in windows]
    periods = [one["periodSeconds"] * 1000 for rules in (up, down) for one in rules.policies]
    ends += [at_ms + period for _, at_ms in (*past.ups, *past.downs) for period in periods]
    return min((end for end in ends if end > clock.now_ms), default=None)


__all__ = [
    "WITHIN_RANGE", "Past", "Scale", "Seen", "Verdict", "conclude", "decide", "next_expiry_ms",
]  # fmt: skip

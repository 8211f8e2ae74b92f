"""What a DaemonSet does next, from what was seen of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.meta import controller_reference
from ....objects.pods.overlay import PodOverlay
from ....objects.pods.pod import Pod
from ....objects.pods.template import PodTemplate
from ....objects.workloads.daemon_set import DaemonSet
from ....rules.actions import Action, CreatePod, Decision, DeletePod, RecordEvent, Tried, Update
from ....rules.event_sources import DAEMON_SET as SOURCE
from ....rules.workloads.daemon_pods import tie_to_node
from ...replica_set.decide import decide_batch_size
from .sums import Sums

if TYPE_CHECKING:
    from .history import History
    from .plan import Plan


@dataclass(slots=True)
class Seen:
    """What a DaemonSet's decision needs, its history being in order.

    `pods` are all there are, by uid. `template` is what new pods are made from, `live` are the hashes that
    pods are labelled with; `tried` is what this look has done so far.
    """

    daemon_set: DaemonSet
    history: History
    sums: Sums
    plan: Plan
    pods: Mapping[str, Pod]
    template: PodTemplate
    live: Collection[str] = ()
    tried: Tried = field(default_factory=Tried)


def decide(seen: Seen) -> Decision:
    """The next batch of pods to make, those that are to go, and when the plan is carried out, the status."""
    from .history import decide_surplus

    actions = _decide_pods(seen)
    if actions:
        return Decision(actions, goes_on=True)
    tried = seen.tried
    # Nothing can be made in a namespace that goes: that is no failure, and trying on would be in vain.
    is_failure = seen.plan.is_stuck or any(not one.is_ending for one in tried.refusals)
    surplus = [] if is_failure else decide_surplus(seen.daemon_set, seen.history, seen.live)
    return Decision(
        [*surplus, *_decide_status(seen.daemon_set, seen.sums)],
        recheck_at_ms=seen.sums.wake_ms,
        is_failure=is_failure,
        # What was made and deleted may ask for more.
        is_unfinished=tried.calls > len(tried.refusals),
    )


def _decide_pods(seen: Seen) -> Sequence[Action]:
    """Pods in batches of 1, 2, 4, … until one is refused; then the deletions."""
    plan, tried = seen.plan, seen.tried
    made = tried.calls - tried.deletions
    actions: list[Action] = [] if tried.calls else list(_tell_ends(seen))
    batch = decide_batch_size(len(plan.nodes), made, bool(tried.refusals))
    if batch > 0:
        return actions + list(_make_pods(seen, plan.nodes[made : made + batch]))
    if tried.deletions:
        return []
    found = map(seen.pods.get, plan.doomed)
    return actions + [DeletePod(pod, seen.daemon_set, SOURCE) for pod in found if pod is not None]


def _make_pods(seen: Seen, names: Sequence[str]) -> Iterator[Action]:
    """One for each of these nodes; but for that they are equal."""
    daemon_set, template = seen.daemon_set, seen.template
    reference, generate_name = controller_reference(daemon_set), f"{daemon_set.meta.name}-"
    for name in names:
        overlay = PodOverlay(spec={"affinity": tie_to_node(template.spec.affinity, name)})
        yield CreatePod(daemon_set, template, reference, generate_name, SOURCE, overlay=overlay)


def _tell_ends(seen: Seen) -> Iterator[Action]:
    """Which pods have ended, so that people find out (DS-GEN-06)."""
    told = (
        (seen.plan.failed, "Warning", "FailedDaemonPod", "failed", "kill"),
        (seen.plan.succeeded, "Normal", "SucceededDaemonPod", "succeeded", "delete"),
    )
    for ended, event_type, reason, how, what in told:
        for name, uid in ended:
            meta = seen.pods[uid].meta
            message = (
                f"Found {how} daemon pod {meta.namespace}/{meta.name} on node {name}, will try to {what} it"
            )
            yield RecordEvent(seen.daemon_set, event_type, reason, message, SOURCE)


def _decide_status(daemon_set: DaemonSet, sums: Sums) -> list[Action]:
    """The counts of nodes, if they differ from those that were told (DS-GEN-07)."""
    desired, current, misscheduled, ready, available, updated = sums.counts
    old = daemon_set.status
    new = old.replace(
        desired_number_scheduled=desired,
        current_number_scheduled=current,
        number_misscheduled=misscheduled,
        number_ready=ready,
        number_available=available,
        number_unavailable=desired - available,
        updated_number_scheduled=updated,
        observed_generation=daemon_set.meta.generation,
    )
    return [] if new == old else [Update(daemon_set.with_status(new))]

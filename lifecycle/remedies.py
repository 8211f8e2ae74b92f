"""What would help a workload that is not well: small changes, tried on forks before anybody hears of them.

`list_remedies` names what may help, by what is seen; `try_remedies` keeps what does, with its outcome in
figures. Nothing is offered that was not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.errors import CheckpointError
from lifecycle.engine.heart.trace import Transition
from lifecycle.engine.objects.pods.container import Container
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.pods.probe import LIVENESS, STARTUP
from lifecycle.engine.objects.quantity import parse_quantity
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.programs.images.doubts import find_meant
from lifecycle.engine.rules.nodes.drains import DONE, DRAIN, ENDS
from lifecycle.engine.rules.pods.state import UNSCHEDULABLE, decide_state
from lifecycle.engine.rules.reasons import CRASHING, ERR_IMAGE_PULL, IMAGE_PULL_BACK_OFF, INVALID_IMAGE_NAME
from lifecycle.engine.rules.telling.ends import OOM_KILLED, list_ends
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.judge import Seen, counts_failures, find_troubled
from lifecycle.pod_judge import UP, Troubled
from lifecycle.verdicts import find_stuck_ordinal, judge_rollout, read_size

Json = Mapping[str, Any]
Order = tuple[str, dict[str, Any]]
"""A command: its kind and its payload."""

LONGEST_MS = 15 * 60_000
"""So long a change may take to help."""
STEADY_MS, LONG_MS = 60_000, 60 * 60_000
"""So long all has to stay well then; of what comes again and again, an hour."""
MOST_PODS = 50
"""Of a cluster with more, nothing is tried: that would take its time."""
MOST_INSTANTS = 40_000
"""So many instants a summary lives through for all its trials: some seconds."""
_MOST_TRIED = 4
_FACTORS = (2, 4, 8)
_PULLS = (ERR_IMAGE_PULL, IMAGE_PULL_BACK_OFF, INVALID_IMAGE_NAME)
_ROLLING = (DEPLOYMENT_KIND.id, STATEFUL_SET_KIND.id, DAEMON_SET_KIND.id)
_REVISION = "deployment.kubernetes.io/revision"
_MIB = 1024 * 1024


class Remedy(NamedTuple):
    """A change in words, and what is asked for it. `is_long`: what it is against comes again and again.

    Of remedies with the same `against` the first that helps is enough.
    """

    change: str
    orders: tuple[Order, ...]
    against: str
    is_long: bool = False


class Course(NamedTuple):
    """What became of a workload: after how long it was whole, None for not in time; whether that lasted."""

    whole_ms: int | None
    is_lasting: bool = False
    is_long: bool = False

    def tell(self) -> str:
        """`whole after 14s`; `not whole within 15m 00s`"""
        if self.whole_ms is None:
            return f"not whole within {tell_span(LONGEST_MS)}"
        told = f"whole after {tell_span(self.whole_ms)}" if self.whole_ms else "whole now"
        if not self.is_lasting:
            return f"{told}, but not for long"
        return f"{told}{', no restart in the next hour' if self.is_long else ''}"


class Tried(NamedTuple):
    """A remedy that was run, and what came of it."""

    remedy: Remedy
    outcome: str

    def tell(self) -> str:
        """`delete db-1: whole after 14s`"""
        return f"{self.remedy.change}: {self.outcome}"


# --- what may help ------------------------------------------------------------------------------------------


def list_remedies(seen: Seen) -> list[Remedy]:
    """The changes that may help, the smallest first. None of it is tried yet."""
    troubled = find_troubled(seen)
    if troubled is None or not _stands_alone(seen):
        return []
    pod = Pod.from_json(troubled.pod.data, seen.epoch_ms)
    found = [
        *_replace_image(seen, pod),
        *_delete_stuck(seen),
        *_change_strategy(seen, pod, troubled),
        *_raise_limits(seen, pod),
        *_wait_longer(seen, pod, troubled),
        *_undo(seen),
    ]
    return found


def _name(seen: Seen) -> dict[str, Any]:
    meta = seen.data["metadata"]
    named = {"kind": seen.kind, "name": meta["name"]}
    return named | ({"namespace": meta["namespace"]} if meta.get("namespace") else {})


def _delete(seen: Seen, pod: str) -> Order:
    return "delete", {**_name(seen), "kind": POD_KIND.id, "name": pod}


def _change_template(seen: Seen, spec: Json) -> Order:
    return "patch", {**_name(seen), "patch": {"spec": {"template": {"spec": spec}}}}


def _followed(seen: Seen, order: Order) -> tuple[Order, ...]:
    """With the pod that would be in its way: a StatefulSet does not replace one that is not ready."""
    if seen.kind != STATEFUL_SET_KIND.id:
        return (order,)
    unwell = [one.data["metadata"]["name"] for one in seen.pods if one.state != "ready"]
    return (order, *(_delete(seen, name) for name in unwell[:1]))


def _and_delete(orders: Sequence[Order]) -> str:
    deleted = [payload["name"] for kind, payload in orders if kind == "delete"]
    return f" and delete {', '.join(deleted)}" if deleted else ""


def _replace_image(seen: Seen, pod: Pod) -> Iterator[Remedy]:
    """The image that was meant, of one that cannot be pulled."""
    for one in (*pod.status.init_containers, *pod.status.containers):
        image = next(
            (container.image for container in pod.spec.all_containers if container.name == one.name), ""
        )
        if one.state is None or one.state.reason not in _PULLS or not (meant := find_meant(image)):
            continue
        orders = _followed(seen, ("setImage", {**_name(seen), "container": one.name, "image": meant}))
        yield Remedy(f"image {meant}{_and_delete(orders)}", orders, "image")


def _delete_stuck(seen: Seen) -> Iterator[Remedy]:
    """The pod of an old revision that a StatefulSet waits for, and does not replace by itself."""
    if seen.kind != STATEFUL_SET_KIND.id:
        return
    if stuck := find_stuck_ordinal(seen.data, [(one.data, one.state) for one in seen.pods]):
        yield Remedy(f"delete {stuck}", (_delete(seen, stuck),), "stuck")


def _change_strategy(seen: Seen, pod: Pod, troubled: Troubled) -> Iterator[Remedy]:
    """Room for new pods before they are made: where old ones hold their port, their node, their volume."""
    spec = seen.data.get("spec") or {}
    rollout = judge_rollout(seen.kind, seen.data)
    if seen.kind != DEPLOYMENT_KIND.id or rollout is None or rollout.is_done:
        return
    is_blocked = (
        decide_state(pod).reason == UNSCHEDULABLE or "FailedAttachVolume" in troubled.pod.noticed.warned
    )
    if not is_blocked or (spec.get("strategy") or {}).get("type") != "RollingUpdate":
        return
    for change, strategy in (
        ("maxSurge 0, maxUnavailable 1", {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
        ("strategy Recreate", {"type": "Recreate", "rollingUpdate": None}),
    ):
        yield Remedy(change, (("patch", {**_name(seen), "patch": {"spec": {"strategy": strategy}}}),), "room")


def _raise_limits(seen: Seen, pod: Pod) -> Iterator[Remedy]:
    """A higher memory limit, of what was killed because of it."""
    for one, end in list_ends(pod):
        container = next((known for known in pod.spec.containers if known.name == one.name), None)
        limit = (
            ((container.raw.get("resources") or {}).get("limits") or {}).get("memory") if container else None
        )
        if container is None or end.reason != OOM_KILLED or not limit:
            continue
        for factor in _FACTORS:
            memory = f"{-(-int(parse_quantity(limit) * factor) // _MIB)}Mi"
            raised = {"name": one.name, "resources": {"limits": {"memory": memory}}}
            orders = _followed(seen, _change_template(seen, {"containers": [raised]}))
            change = f"memory limit {memory} for {one.name}{_and_delete(orders)}"
            yield Remedy(change, orders, f"memory of {one.name}", is_long=True)


def _wait_longer(seen: Seen, pod: Pod, troubled: Troubled) -> Iterator[Remedy]:
    """More time before the first check, of what is killed because it is slow to start."""
    for one, end in list_ends(pod):
        kill = troubled.pod.noticed.find_kill(one.name, end)
        container = next((known for known in pod.spec.containers if known.name == one.name), None)
        if kill is None or container is None:
            continue
        for factor in _FACTORS:
            yield _delay(seen, container, kill.check, factor)


def _delay(seen: Seen, container: Container, check: str, factor: int) -> Remedy:
    probe = container.probe(check)
    assert probe is not None and check in (LIVENESS, STARTUP), "it has killed"
    field = f"{check}Probe"
    written = container.raw.get(field) or {}
    known = written.get("initialDelaySeconds") or 0
    seconds = (known + probe.period_seconds * probe.failure_threshold) * factor
    later = {"name": container.name, field: {"initialDelaySeconds": seconds}}
    orders = _followed(seen, _change_template(seen, {"containers": [later]}))
    change = f"initialDelaySeconds {seconds} for the {check} probe of {container.name}{_and_delete(orders)}"
    return Remedy(change, orders, f"checks of {container.name}", is_long=True)


def _undo(seen: Seen) -> Iterator[Remedy]:
    """Back to the revision before, where a newer one is not whole."""
    rollout, meta = judge_rollout(seen.kind, seen.data), seen.data["metadata"]
    is_first = seen.kind == DEPLOYMENT_KIND.id and (meta.get("annotations") or {}).get(_REVISION, "1") == "1"
    if seen.kind in _ROLLING and rollout is not None and not is_first:
        orders = _followed(seen, ("rollout", {**_name(seen), "action": "undo"}))
        yield Remedy(f"undo the rollout{_and_delete(orders)}", orders, "undo")


# --- what does ----------------------------------------------------------------------------------------------


def _never() -> bool:
    """In a run of its own there is time for all."""
    return False


class Patience:
    """So many instants, of all forks together, are lived through for trials; then it is late."""

    def __init__(self, instants: int = MOST_INSTANTS) -> None:
        self.left = instants

    def __call__(self) -> bool:
        """Whether it is late, after one more instant."""
        self.left -= 1
        return self.is_over

    @property
    def is_over(self) -> bool:
        """Whether something was left untried."""
        return self.left < 0


def tell_untried(engine: Cluster, patience: Patience) -> str:
    """Why not all is tried that may help; "" where it is."""
    if not is_small(engine):
        return f"nothing is tried that may help: these are more than {MOST_PODS} pods"
    return (
        f"trials ended after {MOST_INSTANTS:,} instants: not all is tried that may help"
        if patience.is_over
        else ""
    )


def look_ahead(engine: Cluster, seen: Seen, is_late: Callable[[], bool] = _never) -> Course | None:
    """What becomes of a workload that is not well if nobody does anything; None where that is not known."""
    if not (_stands_alone(seen) and is_small(engine)):
        return None
    troubled = find_troubled(seen)
    # What ends again and again is whole in between.
    is_long = troubled is not None and troubled.hold is None and troubled.pod.state in (CRASHING, *UP)
    return _follow(engine.save(), Remedy("", (), "", is_long), seen, is_late)


def _stands_alone(seen: Seen) -> bool:
    """Whether it keeps pods, and no other workload decides about it."""
    return not seen.data["metadata"].get("ownerReferences") and not counts_failures(seen.kind)


def is_small(engine: Cluster) -> bool:
    """Whether there is time to try anything."""
    return len(engine.list(POD_KIND.id)) <= MOST_PODS


def try_remedies(
    engine: Cluster,
    seen: Seen,
    is_late: Callable[[], bool] = _never,
    by_itself: Course | None = None,
) -> list[Tried]:
    """Those that helped, each on a fork of its own; [] where nothing may, or the cluster is too big.

    What comes right by itself needs no help. `is_late`: whether there is no more time to try; what is
    not at its end then, is not offered. `by_itself`: what `look_ahead` has seen.
    """
    listed = list_remedies(seen) if is_small(engine) else []
    if not listed:
        return []
    saved, found, alone = engine.save(), list[Tried](), dict[bool, Course | None]()
    if by_itself is not None:
        alone[by_itself.is_long] = by_itself
    for remedy in listed:
        if any(one.remedy.against == remedy.against for one in found) or len(found) >= _MOST_TRIED:
            continue
        if remedy.is_long not in alone:
            alone[remedy.is_long] = _follow(saved, Remedy("", (), "", remedy.is_long), seen, is_late)
        untouched = alone[remedy.is_long]
        if untouched is None or untouched.is_lasting:
            continue
        course = _follow(saved, remedy, seen, is_late)
        if course is not None and course.is_lasting:
            found.append(Tried(remedy, course.tell()))
    return found


def _follow(saved: dict[str, Any], remedy: Remedy, seen: Seen, is_late: Callable[[], bool]) -> Course | None:
    """Do it on a fork, and look on; None where it was refused, or there was no time to see."""
    try:
        fork = Cluster.load(saved)
    except CheckpointError:
        return None
    began_ms = fork.now_ms
    for number, (kind, payload) in enumerate(remedy.orders, 1):
        if not fork.submit(Command(id=f"remedy-{number}", kind=kind, payload=payload)).ok:
            return None
    meta = seen.data["metadata"]

    def is_whole(cluster: Cluster) -> bool:
        cluster.take_changes()
        found = cluster.get(seen.kind, meta.get("namespace"), meta["name"])
        return found is not None and is_whole_now(seen.kind, found)

    def drop(cluster: Cluster) -> bool:
        cluster.take_changes()
        return is_late()

    if remedy.orders or not is_whole(fork):
        # Something has to happen before anything is well again.
        fork.run_until(began_ms + 1, stop=drop)
        fork.run_until(began_ms + LONGEST_MS, stop=lambda cluster: is_whole(cluster) or is_late())
    if is_late():
        return None
    if not is_whole(fork):
        return Course(None, False, remedy.is_long)
    whole_ms, before = fork.now_ms, _count_restarts(fork)
    fork.run_until(whole_ms + (LONG_MS if remedy.is_long else STEADY_MS), stop=drop)
    if is_late():
        return None
    is_lasting = is_whole(fork) and not (remedy.is_long and _count_restarts(fork) > before)
    return Course(whole_ms - began_ms, is_lasting, remedy.is_long)


def try_drain(
    engine: Cluster,
    node: str,
    sizes: Mapping[tuple[str, str], int],
    is_late: Callable[[], bool] = _never,
) -> str:
    """`scale web to 2: drained after 48s`, of a drain that budgets hold up; "" where that does not help.

    `sizes`: how many pods the workloads want whose evictions are refused, by (`Deployment/web`, namespace).
    """
    if not sizes or not is_small(engine):
        return ""
    fork, told = Cluster.load(engine.save()), list[str]()
    began_ms = fork.now_ms
    for (owner, namespace), size in sorted(sizes.items()):
        kind, _, name = owner.partition("/")
        payload = {"kind": kind, "namespace": namespace, "name": name, "replicas": size + 1}
        if not fork.submit(Command(id=f"remedy-{name}", kind="scale", payload=payload)).ok:
            return ""
        told.append(f"scale {name} to {size + 1}")
    said: list[Any] = []

    def has_ended(cluster: Cluster) -> bool:
        said.extend(
            row.new
            for row in cluster.take_changes().rows
            if isinstance(row, Transition) and row.field == DRAIN and row.subject.name == node
        )
        return is_late() or (bool(said) and said[-1] in ENDS)

    fork.run_until(began_ms + LONGEST_MS, stop=has_ended)
    is_done = bool(said) and said[-1] == DONE
    return f"{' and '.join(told)}: drained after {tell_span(fork.now_ms - began_ms)}" if is_done else ""


def is_whole_now(kind: str, workload: Json) -> bool:
    """Whether all that is wanted is there, new, and ready."""
    rollout = judge_rollout(kind, workload)
    return (rollout is None or rollout.is_done) and read_size(workload).is_full


def _count_restarts(fork: Cluster) -> int:
    return sum(
        one.get("restartCount") or 0
        for pod in fork.list(POD_KIND.id)
        for one in (pod.get("status") or {}).get("containerStatuses") or ()
    )

"""How an object of each kind stands, in a word and a colour, read from the rows of its history.

Pods have pictures of their own. What is said here of other kinds is what their rows tell: the integers and
conditions of a status, a phase, endpoints, drains (docs/formats.md, section Trace).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dashboard.plots.phases import VALUES
from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND
from lifecycle.engine.rules.nodes.drains import ENDS
from lifecycle.lost_requests import FIELD, tell_share
from lifecycle.simulation.reports.tones import Tone

ENDPOINT, CHILDREN = "endpoint", "children"
"""Made of the rows of others: by uid how each pod stands to a Service, and which Jobs of a CronJob run."""
REPLICAS, AVAILABLE = "replicas", "availableReplicas"
DEADLINE, ROLLED_OUT, PAUSED = "ProgressDeadlineExceeded", "NewReplicaSetAvailable", "DeploymentPaused"
Values = Mapping[str, Any]
TONES = {tone.name.removeprefix("value-"): tone for tone in VALUES}


class Said(NamedTuple):
    """How something stands: its colour, and the word on its bar. `notes`: what else is known."""

    tone: Tone
    word: str
    notes: tuple[str, ...] = ()


class Standing:
    """What the rows of one object have said so far."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.reasons: dict[str, str] = {}

    def take(self, row: Mapping[str, Any]) -> None:
        """The object's own next row."""
        field = row["field"]
        self.values[field], self.reasons[field] = row["new"], row["reason"] or ""

    def read(self, status: Mapping[str, Any]) -> None:
        """A whole status, as its rows would have said it."""
        self.values |= {name: value for name, value in status.items() if isinstance(value, int | str)}
        for one in status.get("conditions") or ():
            field = f"condition.{one.get('type')}"
            self.values[field], self.reasons[field] = one.get("status"), one.get("reason") or ""

    def count(self, name: str) -> int:
        """An integer of its status; what was never said is 0."""
        value = self.values.get(name)
        return value if isinstance(value, int) else 0

    def condition(self, name: str) -> tuple[str, str]:
        """The status and the reason of a condition; "" where it has none."""
        field = f"condition.{name}"
        return str(self.values.get(field) or ""), self.reasons.get(field, "")

    def group(self, name: str) -> dict[str, Any]:
        """What is known of others, by their uids."""
        found: dict[str, Any] = self.values.setdefault(name, {})
        return found


def tell_standing(kind: str, now: Standing) -> Said:
    """Of an object of that kind (its id)."""
    if now.values.get("deletion"):
        return _say("leaving", "being deleted")
    return _TELL.get(kind, _tell_any)(now)


def _say(tone: str, word: str, *notes: str) -> Said:
    return Said(TONES[tone], word, tuple(note for note in notes if note))


def _tell_deployment(now: Standing) -> Said:
    wanted, there, updated = now.count(REPLICAS), now.count(AVAILABLE), now.count("updatedReplicas")
    progress, why = now.condition("Progressing")
    word, notes = f"{there}/{wanted} available", (f"{updated} of {wanted} updated", why)
    if progress == "False":
        return _say("bad", f"{why or DEADLINE}, {word}", *notes)
    if why == PAUSED:
        return _say("idle", f"paused, {word}", *notes)
    if not wanted:
        return _say("idle", "no replicas", *notes)
    if why == ROLLED_OUT and there >= wanted and updated >= wanted:
        return _say("good", word, *notes)
    is_short = why == ROLLED_OUT and now.condition("Available")[0] == "False"
    return _say("bad" if is_short else "waiting", word, *notes)


def _tell_set(now: Standing) -> Said:
    """ReplicaSets, ReplicationControllers, StatefulSets."""
    wanted, there = now.count(REPLICAS), now.count(AVAILABLE)
    updated = now.count("updatedReplicas")
    note = f"{updated} of {wanted} updated" if updated else ""
    if not wanted:
        return _say("idle", "no replicas")
    return _say("good" if there >= wanted else "waiting", f"{there}/{wanted} available", note)


def _tell_daemon_set(now: Standing) -> Said:
    wanted, there = now.count("desiredNumberScheduled"), now.count("numberAvailable")
    updated = now.count("updatedNumberScheduled")
    if not wanted:
        return _say("idle", "no nodes")
    is_well = there >= wanted and updated >= wanted
    note = f"{updated} of {wanted} updated"
    return _say("good" if is_well else "waiting", f"{there}/{wanted} available", note)


def _tell_job(now: Standing) -> Said:
    counts = [f"{now.count(name)} {name}" for name in ("active", "succeeded", "failed") if now.count(name)]
    told = ", ".join(counts)
    for condition, tone in (("Complete", "done"), ("Failed", "bad"), ("Suspended", "idle")):
        status, why = now.condition(condition)
        if status == "True":
            return _say(tone, condition if not why or why == condition else f"{condition}: {why}", told)
    return _say("waiting", told or "not begun")


def _tell_cron_job(now: Standing) -> Said:
    running = len(now.group(CHILDREN))
    if running:
        return _say("waiting", f"{running} Job{'' if running == 1 else 's'} running")
    return _say("idle", "suspended" if now.values.get("suspended") else "waits for its time")


def _tell_service(now: Standing) -> Said:
    """Its endpoints, and the share of requests that is lost, if any is sent."""
    stands = list(now.group(ENDPOINT).values())
    ready, others = stands.count("ready"), len(stands) - stands.count("ready")
    word = f"{ready} ready endpoint{'' if ready == 1 else 's'}"
    note = f"{others} more not ready or terminating" if others else ""
    lost = max((now.count(field) for field in now.values if field.startswith(FIELD)), default=0)
    if lost:
        return _say("bad", f"{tell_share(lost)} requests lost, {word}", note)
    if ready:
        return _say("good", word, note)
    return _say("bad" if stands else "idle", word, note)


def _tell_budget(now: Standing) -> Said:
    allowed, healthy = now.count("disruptionsAllowed"), now.count("currentHealthy")
    needed, pods = now.count("desiredHealthy"), now.count("expectedPods")
    tone = "good" if allowed else "bad" if healthy < needed else "waiting"
    return _say(tone, f"allows {allowed}", f"{healthy} of {pods} pods are healthy, {needed} must be")


def _tell_autoscaler(now: Standing) -> Said:
    wanted, there = now.count("desiredReplicas"), now.count("currentReplicas")
    active, why = now.condition("ScalingActive")
    limited, limit = now.condition("ScalingLimited")
    notes = (f"{there} there", limit if limited == "True" else "")
    if active == "False":
        return _say("bad", why or "not active", *notes)
    return _say("good" if wanted == there else "waiting", f"wants {wanted}", *notes)


def _tell_node(now: Standing) -> Said:
    ready, why = now.condition("Ready")
    pressures = [
        field.removeprefix("condition.")
        for field, value in now.values.items()
        if field.startswith("condition.") and field != "condition.Ready" and value == "True"
    ]
    drain = now.values.get("drain")
    is_draining = drain is not None and drain not in ENDS
    if ready != "True":
        return _say("bad" if ready else "waiting", "NotReady", why)
    if pressures:
        return _say("bad", ", ".join(sorted(pressures)))
    if is_draining:
        return _say("leaving", f"drain {drain}")
    return _say("leaving", "cordoned") if now.values.get("unschedulable") else _say("good", "Ready")


_PHASES = {"Bound": "good", "Available": "idle", "Released": "leaving", "Lost": "bad", "Failed": "bad"}


def _tell_phase(now: Standing) -> Said:
    """Claims and volumes."""
    phase = str(now.values.get("phase") or "Pending")
    return _say(_PHASES.get(phase, "waiting"), phase)


def _tell_any(now: Standing) -> Said:
    """Of any other kind: its readiness where it says so, else that it is there."""
    for name in ("Ready", "Available", "Established"):
        status, why = now.condition(name)
        if status:
            is_true = status == "True"
            return _say("good" if is_true else "bad", name if is_true else f"not {name}", why)
    return _say("idle", "there")


_TELL: dict[str, Callable[[Standing], Said]] = {
    DEPLOYMENT.kind.id: _tell_deployment,
    **dict.fromkeys(("ReplicaSet", "ReplicationController", "StatefulSet"), _tell_set),
    DAEMON_SET.kind.id: _tell_daemon_set,
    JOB.kind.id: _tell_job,
    CRON_JOB.kind.id: _tell_cron_job,
    SERVICE.kind.id: _tell_service,
    DISRUPTION_BUDGET_KIND.id: _tell_budget,
    HORIZONTAL_POD_AUTOSCALER.kind.id: _tell_autoscaler,
    NODE_KIND.id: _tell_node,
    **dict.fromkeys(("PersistentVolumeClaim", "PersistentVolume"), _tell_phase),
}

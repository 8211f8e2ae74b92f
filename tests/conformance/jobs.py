"""A Job's pods as its controller sees them, and one look of its, for the adapters of the job tables."""

from dataclasses import dataclass, field
from typing import Any

from lifecycle.engine.controllers.job.decide import Seen, SeenPods, decide
from lifecycle.engine.controllers.job.tally import JobTally
from lifecycle.engine.objects.meta import ObjectMeta
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.objects.times import parse_time
from lifecycle.engine.objects.workloads.job import COMPLETION_INDEX, Job, JobStatus
from lifecycle.engine.rules.actions import CreatePod, DeletePod, Refusal, RemoveFinalizer, Tried, Update
from lifecycle.engine.rules.jobs.backoff import NO_FAILURES, Failures
from lifecycle.engine.rules.jobs.gates import JobGates

NOW_MS = parse_time("2024-06-01T12:00:00Z", 0)


def read_job(data: dict[str, Any], now_ms: int = NOW_MS) -> Job:
    """The Job of a case. `startTimeAgeSeconds`: how long ago it started."""
    status = dict(data.get("status") or {})
    age_seconds = status.pop("startTimeAgeSeconds", None)
    job = Job.from_json({"kind": "Job", "apiVersion": "batch/v1", **data, "status": status})
    if age_seconds is None:
        return job
    return job.with_status(job.status.replace(start_ms=now_ms - age_seconds * 1000))


def read_pods(entries: list[dict[str, Any]], job: Job) -> list[Pod]:
    """The pods of a case, which are all the Job's: those without a uid get one, all match its selector."""
    labels = job.spec.selector.match_labels
    pods = []
    for number, entry in enumerate(entries):
        meta = {"uid": f"uid-{number}", "name": f"pod-{number}", **(entry.get("metadata") or {})}
        meta["labels"] = {**(meta.get("labels") or {}), **labels}
        policy = ((job.spec.raw.get("template") or {}).get("spec") or {}).get("restartPolicy")
        spec = {"restartPolicy": policy, **(entry.get("spec") or {})}
        pods.append(
            Pod.from_json({"kind": "Pod", "apiVersion": "v1", **entry, "metadata": meta, "spec": spec})
        )
    return pods


@dataclass
class Play:
    """One look: what it did, and the statuses that it wrote."""

    job: Job
    pods: dict[str, Pod]
    created: list[CreatePod] = field(default_factory=list)
    deleted: list[Pod] = field(default_factory=list)
    released: list[Pod] = field(default_factory=list)
    statuses: list[JobStatus] = field(default_factory=list)
    is_failure: bool = False

    @property
    def status(self) -> JobStatus:
        return self.statuses[-1] if self.statuses else self.job.status

    @property
    def created_indexes(self) -> list[int]:
        overlays = [order.overlay for order in self.created]
        return sorted(int(one.annotations[COMPLETION_INDEX]) for one in overlays if one is not None)


def see(job: Job, pods: dict[str, Pod], **given: Any) -> Seen:
    """What the controller sees of a Job with these pods, by uid."""
    tally = JobTally(job.key)
    tally.describe_job(job, pods.values)

    def find(uids: dict[str, None]) -> list[Pod]:
        return [pods[uid] for uid in uids]

    seen = SeenPods(
        tally.active,
        tally.ready,
        tally.terminating,
        tally.restarts,
        find(tally.ended),
        tally.tracked,
        lambda: find(tally.active_pods),
        lambda: find(tally.tracked),
        tally.by_index,
        tally.going_by_index,
        bool(tally.repeated or tally.misplaced),
        find(tally.failing),
    )
    return Seen(job, seen, **given)


def play(
    job: Job,
    pods: list[Pod],
    now_ms: int = NOW_MS,
    gates: dict[str, bool] | None = None,
    failures: Failures = NO_FAILURES,
    create_limit: int | None = None,
    is_settled: bool = True,
) -> Play:
    """One look at a Job, as the owners' harness takes it: a cluster that makes at most so many pods."""
    done, tried, look = Play(job, {pod.meta.uid: pod for pod in pods}), Tried(), None
    while True:
        seen = see(
            job,
            done.pods,
            failures=failures,
            tried=tried,
            gates=JobGates.read(gates or {}),
            is_settled=is_settled,
            look=look,
        )
        decision = decide(seen, now_ms)
        look, refusals = decision.look, list(tried.refusals)
        for action in decision.actions:
            match action:
                case CreatePod() if create_limit is not None and len(done.created) >= create_limit:
                    refusals.append(Refusal(action, "no more"))
                case CreatePod():
                    done.created.append(action)
                    pod = _make_pod(action, len(done.created))
                    done.pods[pod.meta.uid] = pod
                case DeletePod():
                    done.deleted.append(action.pod)
                case RemoveFinalizer():
                    done.released.append(action.pod)
                case Update() if isinstance(action.new, Job):
                    done.statuses.append(action.new.status)
        done.is_failure = decision.is_failure
        if not decision.goes_on and len(refusals) == len(tried.refusals):
            return done
        calls = tried.calls + sum(isinstance(one, CreatePod) for one in decision.actions)
        tried = Tried(calls, tuple(refusals))


def _make_pod(order: CreatePod, number: int) -> Pod:
    overlay, template = order.overlay, order.template
    meta = ObjectMeta(
        f"{order.generate_name}{number}",
        order.owner.meta.namespace,
        f"new-{number}",
        template.labels,
        {**template.annotations, **(overlay.annotations if overlay else {})},
        (order.reference,),
        finalizers=template.finalizers,
    )
    return Pod(POD_KIND, meta, template.spec, PodStatus("Pending"))


def show_conditions(status: JobStatus) -> list[dict[str, Any]]:
    """Conditions without their times."""
    shown = []
    for one in status.conditions:
        entry = {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
        shown.append({name: text for name, text in entry.items() if text})
    return shown


def has_conditions(status: JobStatus, expected: list[dict[str, Any]]) -> bool:
    """Whether the conditions are those expected, in order, in what is said of them."""
    shown = show_conditions(status)
    return len(shown) == len(expected) and all(
        wanted.items() <= one.items() for one, wanted in zip(shown, expected, strict=True)
    )


def check_status(status: JobStatus, expected: dict[str, Any]) -> None:
    """Every field of a status that a case names."""
    found = {
        "active": status.active,
        "ready": status.ready,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "terminating": status.terminating,
        "completedIndexes": status.completed_indexes,
        "failedIndexes": status.failed_indexes,
    }
    for name, wanted in expected.items():
        if name in found:
            assert found[name] == wanted, (name, found[name], wanted)
    if "uncountedTerminatedPods" in expected:
        uncounted = status.uncounted
        wanted = {name: uids for name, uids in expected["uncountedTerminatedPods"].items() if uids}
        assert (uncounted.to_json() if uncounted else {}) == wanted
    if "conditions" in expected:
        assert has_conditions(status, expected["conditions"]), show_conditions(status)

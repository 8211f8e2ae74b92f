"""What a run came to: one block for each workload and pod."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.settings import MANAGER_DEFAULTS
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds.assumed_storage import list_assumed_storage
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.job import JOB_KIND
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pod import POD_KIND, Pod
from lifecycle.engine.objects.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.objects.storage import CLAIM, STORAGE_CLASS
from lifecycle.engine.programs.image_doubts import list_doubts, tell_condition
from lifecycle.engine.rules.availability import FIELDS, WINDOW_MS, Change, find_falls
from lifecycle.engine.rules.holds import FAILED_MOUNT, Failing, take_check
from lifecycle.engine.rules.namespace_words import tell_stuck
from lifecycle.engine.rules.probe_load import count_exec_checks, cpu_milli_of
from lifecycle.engine.rules.refused_pods import CREATIONS, FAILED_CREATE, is_short, take_creation
from lifecycle.engine.rules.revisions import REVISION_LABEL
from lifecycle.engine.rules.services import wants_load_balancer
from lifecycle.engine.rules.workload_words import describe_retries, describe_runs
from lifecycle.input.scenario import IDLE
from lifecycle.simulation.disruptions import Disruptions
from lifecycle.simulation.gone import GoneWorkloads
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.traces import WriteBytes, format_time
from lifecycle.verdicts import (
    ENDING,
    FAILED,
    GOING,
    HELD,
    UNWELL,
    UP,
    Findings,
    Troubled,
    count_wanted,
    counts_failures,
    explain_nodes,
    find_hold,
    find_ordinal_wait,
    find_overdue,
    find_restarted,
    find_unwell,
    read_state,
    tell_runs,
    tell_verdict,
    tell_wait,
)

Json = Mapping[str, Any]
_INTEGERS = (
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "active",
    "succeeded",
    "failed",
)
_MOST_NODES = 3
_COUNTS_OF_NODES = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "updatedNumberScheduled",
    "numberReady",
    "numberAvailable",
    "numberMisscheduled",
)


@dataclass(slots=True)
class Life:
    """What is remembered of one pod: a few values, however long it lives."""

    name: str
    created_ms: int
    fields: dict[str, Any] = field(default_factory=dict)
    first_ready_ms: int | None = None
    deleted_ms: int | None = None
    warnings: dict[str, int] = field(default_factory=dict)
    failing: dict[str, Failing] = field(default_factory=dict)

    def take(self, row: Row) -> None:
        take_failing(self.failing, row)
        if isinstance(row, Transition):
            if row.field in ("status", "ready", "phase", "node") or (
                row.field.endswith(".restartCount") and row.field.startswith("container.")
            ):
                self.fields[row.field] = row.new
            elif row.field == "condition.Ready" and row.new == "True" and self.first_ready_ms is None:
                self.first_ready_ms = row.at_ms
            elif row.field == "exists" and row.new == "deleted":
                self.deleted_ms = row.at_ms
        elif row.event_type == "Warning":
            self.warnings[row.reason] = max(self.warnings.get(row.reason, 0), row.count)

    @property
    def restarts(self) -> int:
        return sum(value for name, value in self.fields.items() if name.endswith(".restartCount"))

    def describe(self) -> Iterator[str]:
        yield f"Pod {self.name}"
        ready = self.fields.get("ready") or "0/0"
        status = "deleted" if self.deleted_ms is not None else self.fields.get("status") or "Pending"
        yield f"  status    {status}, ready {ready}, restarts {self.restarts}"
        yield f"  node      {self.fields.get('node') or 'none'}"
        times = [f"created {format_time(self.created_ms).strip()}"]
        if self.first_ready_ms is not None:
            times.append(f"ready {format_time(self.first_ready_ms).strip()}")
        if self.deleted_ms is not None:
            times.append(f"gone {format_time(self.deleted_ms).strip()}")
        yield f"  times     {', '.join(times)}"
        if self.warnings:
            yield f"  warnings  {', '.join(f'{reason} x{count}' for reason, count in self.warnings.items())}"


def take_failing(failing: dict[str, Failing], row: Row) -> None:
    """What fails of a pod or a workload, after one more of its rows."""
    if isinstance(row, Transition):
        if row.field.startswith("probe."):
            take_check(failing, row.field, row.old, row.new, row.at_ms, row.message or "")
    elif row.reason == FAILED_MOUNT:
        failing[FAILED_MOUNT] = Failing(row.first_ms, row.message)
    elif row.reason in CREATIONS:
        take_creation(failing, row.reason, row.first_ms, row.message)


def take_change(changes: dict[str, deque[Change]], row: Transition) -> None:
    """Keep the last minutes of what a workload's numbers went through, by its uid."""
    if row.field in FIELDS:
        kept = changes.setdefault(row.subject.uid, deque())
        kept.append(Change(row.at_ms, row.field, row.old, row.new))
        while kept[0].at_ms < row.at_ms - WINDOW_MS:
            kept.popleft()


class SummarySink:
    """Follows the pods of a run and writes the summary at its end."""

    def __init__(self, write: WriteBytes, plan: Plan) -> None:
        self._write = write
        self._plan = plan
        self._lives: dict[str, Life] = {}
        self._refusals: dict[str, dict[str, Failing]] = {}
        self._changes: dict[str, deque[Change]] = {}
        self._disruptions = Disruptions()
        self._gone = GoneWorkloads()

    def take(self, changes: Changes) -> None:
        self._gone.take(changes.versions)
        for row in changes.rows:
            self._disruptions.take(row)
            subject = row.subject
            if kind_id(subject.group, subject.kind) != POD_KIND.id:
                if isinstance(row, Transition):
                    take_change(self._changes, row)
                elif row.reason in CREATIONS:
                    take_failing(self._refusals.setdefault(subject.uid, {}), row)
                continue
            life = self._lives.get(subject.uid)
            if life is None:
                life = self._lives[subject.uid] = Life(f"{subject.namespace}/{subject.name}", row.at_ms)
            life.take(row)

    def finish(self, outcome: Outcome, cluster: Cluster) -> None:
        lines = ["Missing", *(f"  {line}" for line in self._plan.missing)] if self._plan.missing else []
        lines += describe_assumed(cluster)
        lines.append(f"Run ended at {format_time(outcome.at_ms).strip()}: {outcome.why}")
        if outcome.why == IDLE and any(
            not one["spec"].get("suspend") for one in cluster.list(CRON_JOB_KIND.id)
        ):
            lines.append("  schedules are not waited for: see runs of CronJobs with --until 1h")
        lines += self._disruptions.describe(map_sizes(cluster), outcome.at_ms)
        pods = map_pods(cluster)
        failing = {**self._refusals, **{uid: life.failing for uid, life in self._lives.items()}}
        for entry in list_workloads():
            for data in cluster.list(entry.kind.id):
                changes = self._changes.get(data["metadata"]["uid"], ())
                verdict = read_verdict(data, pods, cluster, outcome.at_ms, failing, changes)
                lines += describe_workload(data, verdict)
                lines += describe_batch(data, cluster)
                lines += describe_left_out(data, cluster)
                lines += self._gone.describe_runs(data["metadata"]["uid"])
        lines += self._gone.describe()
        lines += describe_namespaces(cluster)
        lines += describe_nodes(cluster)
        for life in sorted(self._lives.values(), key=lambda life: (life.created_ms, life.name)):
            lines += life.describe()
        self._write("".join(f"{line}\n" for line in lines).encode())


def map_sizes(cluster: Cluster) -> dict[tuple[str, str], int]:
    """How many pods each workload with a size wants, by (`Deployment/web`, namespace)."""
    sizes = {}
    for entry in list_workloads():
        for data in cluster.list(entry.kind.id) if entry.replicas_path else ():
            meta, spec = data["metadata"], data.get("spec") or {}
            sizes[f"{entry.kind.id}/{meta['name']}", meta["namespace"]] = int(spec.get("replicas") or 0)
    return sizes


def describe_assumed(cluster: Cluster) -> Iterator[str]:
    """A line each of what is assumed: programs nobody knows, storage, and what only a cloud would do."""
    if images := cluster.list_assumed_images():
        yield f"assumed to start and answer: {', '.join(images)} (no profile)"
    for line in list_assumed_storage([*cluster.list(STORAGE_CLASS), *cluster.list(CLAIM)]):
        yield f"assumed: {line}"
    names = [
        f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in cluster.list("Service")
        if wants_load_balancer(one.get("spec") or {})
    ]
    if names:
        yield f"assumed: a cloud that gives load balancers their addresses: {', '.join(names)}"


def describe_namespaces(cluster: Cluster) -> Iterator[str]:
    """Those that are to go and cannot."""
    for one in cluster.list(NAMESPACE.kind.id):
        if told := tell_stuck(one, cluster.now_ms, cluster.epoch_ms):
            yield f"Namespace {one['metadata']['name']}"
            yield f"  verdict   {told[:1].upper()}{told[1:]}."


def describe_nodes(cluster: Cluster) -> Iterator[str]:
    """What exec probes cost the nodes as things stand, where they cost anything."""
    pods = [Pod.from_json(data, cluster.epoch_ms) for data in cluster.list(POD_KIND.id)]
    for node, rate in sorted(count_exec_checks(pods).items()):
        yield f"Node {node}"
        yield f"  checks    {float(rate * 60):g} exec probes a minute, about {cpu_milli_of(rate)}m of CPU"


def describe_batch(data: Mapping[str, Any], cluster: Cluster) -> Iterator[str]:
    """When a CronJob runs next; what a Job that had failures may still try."""
    kind = kind_of_json(data).id
    if kind == CRON_JOB_KIND.id:
        manager = {**MANAGER_DEFAULTS, **cluster.settings.controller_manager}
        now_ms, zone = cluster.epoch_ms + cluster.now_ms, str(manager["timeZone"])
        yield f"  runs      {data['spec'].get('schedule')}: {describe_runs(data, now_ms, zone)}"
    elif kind == JOB_KIND.id and (retries := describe_retries(data)):
        yield f"  retries   {retries}"


def describe_left_out(data: Json, cluster: Cluster) -> Iterator[str]:
    """The nodes that a DaemonSet is not for, and why."""
    if kind_of_json(data).id != DAEMON_SET_KIND.id:
        return
    nodes = {one["metadata"]["name"]: one for one in cluster.list(NODE_KIND.id)}
    if told := [f"{name} ({why})" for name, why in explain_nodes(data, nodes).items()]:
        more = f" and {len(told) - _MOST_NODES} more" if len(told) > _MOST_NODES else ""
        yield f"  not on    {', '.join(told[:_MOST_NODES])}{more}"


def read_verdict(
    data: Json,
    pods_by_owner: Mapping[str, Sequence[Json]],
    cluster: Cluster,
    at_ms: int,
    failing: Mapping[str, Mapping[str, Failing]],
    changes: Iterable[Change] = (),
) -> str:
    """The sentence that its page says of a workload; `pods_by_owner` as of `map_pods`.

    `failing`: by the uid of a pod, or of a workload, what its rows say fails. `changes`: of its numbers.
    """
    owned = pods_by_owner.get(data["metadata"]["uid"], ())
    kind = kind_id(data["apiVersion"].rpartition("/")[0], data["kind"])
    pods = [(pod, read_state(pod, cluster.epoch_ms)) for pod in owned]
    held = [pod for pod, state in pods if state in HELD]
    refusal = failing.get(data["metadata"]["uid"], {}).get(FAILED_CREATE) if is_short(kind, data) else None
    up = [pod for pod, state in pods if state in UP]
    troubled = find_unwell(_find_first(pods, UNWELL), up, at_ms, cluster.epoch_ms)
    troubled = troubled or _find_held(held, failing, at_ms, cluster.epoch_ms)
    if troubled is None:
        going = (ENDING,) if counts_failures(kind) else GOING
        troubled = find_overdue([pod for pod, state in pods if state in going], at_ms, cluster.epoch_ms)
    if troubled is None and not counts_failures(kind):
        troubled = _find_first(pods, FAILED)
    troubled = troubled or find_restarted(up, at_ms, cluster.epoch_ms)
    wait = ""
    if kind == CRON_JOB_KIND.id:
        wait = _tell_runs(data, cluster, at_ms, failing)
    if kind == STATEFUL_SET_KIND.id:
        labels = [pod["metadata"].get("labels") or {} for pod, _ in pods]
        members = [
            (pod["metadata"]["name"], state, label.get(REVISION_LABEL, ""))
            for (pod, state), label in zip(pods, labels, strict=True)
        ]
        wait = tell_wait(data, find_ordinal_wait(data, members))
    falls = find_falls(changes, count_wanted(data), at_ms)
    template = {"metadata": find_pod_metadata(data), "spec": find_pod_spec(data)}
    condition = tell_condition(list_doubts([template], cluster.list(CONTAINER_PROFILE.id)))
    found = Findings(troubled, wait, refusal, falls, condition)
    return tell_verdict(kind, data, at_ms, cluster.epoch_ms, found)


def _tell_runs(
    cron_job: Json, cluster: Cluster, at_ms: int, failing: Mapping[str, Mapping[str, Failing]]
) -> str:
    """How a CronJob's Jobs are, where something is wrong with them."""
    uid = cron_job["metadata"]["uid"]
    jobs = [one for one in cluster.list(JOB_KIND.id) if _controller_of(one) == uid]
    refusals = {
        one["metadata"]["uid"]: why
        for one in jobs
        if is_short(JOB_KIND.id, one)
        and (why := failing.get(one["metadata"]["uid"], {}).get(FAILED_CREATE)) is not None
    }
    return tell_runs(jobs, refusals, at_ms, cluster.epoch_ms)


def _find_first(pods: Sequence[tuple[Json, str]], states: Sequence[str]) -> Troubled | None:
    found = [pod for pod, state in pods if state in states]
    return Troubled(found[0], len(found) - 1) if found else None


def _find_held(
    pods: Sequence[Json], failing: Mapping[str, Mapping[str, Failing]], at_ms: int, epoch_ms: int
) -> Troubled | None:
    """Of pods that are not ready the first by name that something holds."""
    for pod in sorted(pods, key=lambda pod: str(pod["metadata"]["name"])):
        hold = find_hold(pod, failing.get(pod["metadata"]["uid"], {}), at_ms, epoch_ms)
        if hold is not None:
            return Troubled(pod, len(pods) - 1, hold)
    return None


def map_pods(cluster: Cluster) -> dict[str, list[Json]]:
    """All pods by the uids of those that control them, at whatever remove."""
    above = {
        one["metadata"]["uid"]: controller
        for entry in list_workloads()
        for one in cluster.list(entry.kind.id)
        if (controller := _controller_of(one))
    }
    found: dict[str, list[Json]] = {}
    for pod in cluster.list(POD_KIND.id):
        owner = _controller_of(pod)
        seen: set[str] = set()
        while owner and owner not in seen:
            seen.add(owner)
            found.setdefault(owner, []).append(pod)
            owner = above.get(owner)
    return found


def _controller_of(data: Json) -> str | None:
    references = data["metadata"].get("ownerReferences") or ()
    return next((one["uid"] for one in references if one.get("controller")), None)


def describe_workload(data: Json, verdict: str) -> Iterator[str]:
    """A workload's verdict, numbers and conditions as they stand."""
    metadata, spec, status = data["metadata"], data.get("spec") or {}, data.get("status") or {}
    yield f"{data['kind']} {metadata.get('namespace')}/{metadata['name']}"
    yield f"  verdict   {verdict}"
    wanted = spec.get("replicas")
    numbers = [f"wanted {wanted}"] if wanted is not None else []
    found = {name: status[name] for name in _INTEGERS if status.get(name) is not None}
    # A CronJob lists its active Jobs.
    numbers += [f"{name} {len(one) if isinstance(one, list) else one}" for name, one in found.items()]
    nodes = [f"{name} {status[name]}" for name in _COUNTS_OF_NODES if status.get(name) is not None]
    if nodes:
        yield f"  nodes     {', '.join(nodes)}"
    else:
        yield f"  replicas  {', '.join(numbers) or 'none'}"
    for condition in status.get("conditions") or ():
        reason = f" ({condition['reason']})" if condition.get("reason") else ""
        yield f"  {condition['type']:<9} {condition['status']}{reason}"

"""What a run came to: one block for each workload and pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.rules.columns.pods import count_restarts
from lifecycle.engine.rules.pods.probe_load import count_exec_checks, cpu_milli_of
from lifecycle.engine.rules.telling.workloads import describe_retries, describe_runs
from lifecycle.input.scenario import IDLE
from lifecycle.judge import Seen, judge_workload
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.pod_judge import Verdict
from lifecycle.remedies import Patience, look_ahead, tell_untried, try_drain, try_remedies
from lifecycle.simulation.assumed import describe_assumed
from lifecycle.simulation.disruptions import Disruptions
from lifecycle.simulation.durations import describe_bases, list_bases
from lifecycle.simulation.gone import GoneWorkloads
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.readiness import Readiness, is_well, put_unwell_first
from lifecycle.simulation.request_remedies import find_changed, try_cures
from lifecycle.simulation.run import Outcome
from lifecycle.simulation.seen import Judged, Watch
from lifecycle.simulation.surroundings import describe_disrupted, describe_surroundings, describe_warned
from lifecycle.simulation.traces import WriteBytes, format_time
from lifecycle.verdicts import explain_nodes

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
    restarts: int = 0
    """As kubectl counts them: those of init containers only until all of them are done."""

    def take(self, row: Row) -> None:
        if isinstance(row, Transition):
            if row.field in ("status", "ready", "phase", "node"):
                self.fields[row.field] = row.new
            elif row.field == "condition.Ready" and row.new == "True" and self.first_ready_ms is None:
                self.first_ready_ms = row.at_ms
            elif row.field == "exists" and row.new == "deleted":
                self.deleted_ms = row.at_ms
        elif row.event_type == "Warning":
            self.warnings[row.reason] = max(self.warnings.get(row.reason, 0), row.count)

    def describe(self, verdict: str = "") -> Iterator[str]:
        """Its block. `verdict`: of one that no workload speaks for."""
        yield f"Pod {self.name}"
        if verdict:
            yield f"  verdict   {verdict}"
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


class SummarySink:
    """Follows the pods of a run and writes the summary at its end."""

    def __init__(self, write: WriteBytes, plan: Plan) -> None:
        self._write = write
        self._plan = plan
        self._lives: dict[str, Life] = {}
        self._watch = Watch()
        self._disruptions = Disruptions()
        self._gone = GoneWorkloads()
        self._patience = Patience()
        self._readiness = Readiness(bool(plan.steps or plan.then))

    def take(self, changes: Changes) -> None:
        self._gone.take(changes.versions)
        self._readiness.take(changes.versions)
        self._watch.take(changes)
        for row in changes.rows:
            self._disruptions.take(row)
            subject = row.subject
            if kind_id(subject.group, subject.kind) != POD_KIND.id:
                continue
            life = self._lives.get(subject.uid)
            if life is None:
                life = self._lives[subject.uid] = Life(f"{subject.namespace}/{subject.name}", row.at_ms)
            life.take(row)
        for version in changes.versions:
            if isinstance(version.new, Pod) and version.new.meta.uid in self._lives:
                self._lives[version.new.meta.uid].restarts = count_restarts(version.new)[0]

    def finish(self, outcome: Outcome, cluster: Cluster) -> None:
        judged = self._watch.judge(cluster)
        blocks = self._describe_workloads(cluster, judged)
        services = [*self._describe_services(cluster)]
        lone = judged.read_lone_pods()
        troubled = {lines_of_it[0] for is_good, lines_of_it in blocks if not is_good}
        troubled |= {f"Pod {self._lives[uid].name}" for uid, one in lone.items() if not one.is_well}
        lines = [told] if (told := self._readiness.tell(troubled)) else []
        lines += outcome.upgrade
        lines += ["Missing", *(f"  {line}" for line in self._plan.missing)] if self._plan.missing else []
        lines += describe_assumed(cluster)
        lines += describe_bases(list_bases(cluster))
        lines.append(f"Run ended at {format_time(outcome.at_ms).strip()}: {outcome.why}")
        if outcome.why == IDLE and any(
            not one["spec"].get("suspend") for one in cluster.list(CRON_JOB_KIND.id)
        ):
            lines.append("  schedules are not waited for: see runs of CronJobs with --until 1h")
        lines += self._disruptions.describe(map_sizes(cluster), outcome.at_ms)
        lines += self._describe_help(cluster)
        is_tried = self._watch.list_lost(cluster) or any(not is_good for is_good, _ in blocks)
        if is_tried and (untried := tell_untried(cluster, self._patience)):
            lines.append(untried)
        lines += describe_disrupted(self._watch, {uid: life.name for uid, life in self._lives.items()})
        lines += put_unwell_first(blocks)
        lines += services
        lines += self._gone.describe()
        lines += describe_surroundings(cluster, self._watch)
        lines += describe_warned(cluster, self._watch)
        lines += describe_nodes(cluster)
        lines += self._describe_pods(cluster, lone)
        self._write("".join(f"{line}\n" for line in lines).encode())

    def _describe_workloads(self, cluster: Cluster, judged: Judged) -> list[tuple[bool, list[str]]]:
        """Of each workload whether it is well, and its block."""
        blocks = []
        for entry in list_workloads():
            for data in cluster.list(entry.kind.id):
                seen = judged.see(data)
                verdict = judge_workload(seen)
                lines = [*describe_workload(data, verdict.sentence)]
                if not verdict.is_well:
                    lines += self._describe_future(cluster, seen)
                lines += describe_batch(data, cluster)
                lines += describe_left_out(data, cluster)
                lines += self._gone.describe_runs(data["metadata"]["uid"])
                blocks.append((is_well(data) and verdict.is_well, lines))
        return blocks

    def _describe_services(self, cluster: Cluster) -> Iterator[str]:
        """A block for each whose requests did not all fare well, with what would have kept those lost."""
        for lost in self._watch.list_troubled(cluster):
            yield from lost.describe()
            is_losing = lost.sums["lostMs"]
            for workload in find_changed(cluster, lost, self._watch.is_planned) if is_losing else ():
                for told in try_cures(self._plan, lost, workload, self._patience):
                    yield f"  would help {told}"

    def _describe_future(self, cluster: Cluster, seen: Seen) -> Iterator[str]:
        """What becomes of a workload that is not well, by itself and with help; each was tried."""
        by_itself = look_ahead(cluster, seen, self._patience)
        if by_itself is not None and not (by_itself.is_lasting and by_itself.whole_ms == 0):
            yield f"  by itself {by_itself.tell()}"
            yield from (
                f"  would help {one.tell()}" for one in try_remedies(cluster, seen, self._patience, by_itself)
            )

    def _describe_pods(self, cluster: Cluster, lone: Mapping[str, Verdict]) -> Iterator[str]:
        """A block for each pod, in the order in which they came."""
        well = {one["metadata"]["uid"] for one in cluster.list(POD_KIND.id) if is_well(one)}
        well -= {uid for uid, one in lone.items() if not one.is_well}
        told = {uid: one.sentence for uid, one in lone.items()}
        lives = sorted(self._lives.items(), key=lambda one: (one[1].created_ms, one[1].name))
        yield from put_unwell_first(
            [(uid in well, [*life.describe(told.get(uid, ""))]) for uid, life in lives]
        )

    def _describe_help(self, cluster: Cluster) -> Iterator[str]:
        """What would let drains go on that budgets hold up."""
        sizes = map_sizes(cluster)
        for node, places in self._disruptions.list_held():
            held = {place: sizes[place] for place in places if place in sizes}
            if told := try_drain(cluster, node, held, self._patience):
                yield f"  would help {told}"


def map_sizes(cluster: Cluster) -> dict[tuple[str, str], int]:
    """How many pods each workload with a size wants, by (`Deployment/web`, namespace)."""
    sizes = {}
    for entry in list_workloads():
        for data in cluster.list(entry.kind.id) if entry.replicas_path else ():
            meta, spec = data["metadata"], data.get("spec") or {}
            sizes[f"{entry.kind.id}/{meta['name']}", meta["namespace"]] = int(spec.get("replicas") or 0)
    return sizes


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
        now_ms, zone = cluster.epoch_ms + cluster.now_ms, cluster.settings.manager["timeZone"]
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

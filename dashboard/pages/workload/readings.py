"""What the page of a workload shows: facts, revisions, and what is particular to its kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from difflib import unified_diff
from itertools import islice
from typing import Any

from django.db.models import Max

from dashboard.addresses import find_page
from dashboard.live.live_figures import tell_time
from dashboard.pages.autoscaler.readings import list_autoscalers
from dashboard.pages.service.readings import tell_requests
from dashboard.pages.states import list_shares
from dashboard.pages.workload.hints import list_hints
from dashboard.pages.workload.jobs import read_calendar, read_grid
from dashboard.pages.workload.places import Revision, list_owned, read_ladder, read_matrix
from dashboard.plots.replicas import EARLIER, LATEST
from dashboard.plots.theme import clock, duration
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.engine.kinds.entry import PAUSE, RESUME, UNDO, KindEntry
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.engine.objects.names import REVISION_LABEL
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.pods.template import HASH_LABEL
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.objects.workloads.replica_set import REPLICA_SET_KIND
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.living import count_pods
from lifecycle.recorded.objects import name_owner, read_turns
from lifecycle.recorded.seen import judge, list_owners
from lifecycle.verdicts import judge_rollout

Json = dict[str, Any]
MOST_LINES = 400
MOST_STEPS = 4000
CONTROLLER_REVISION = "ControllerRevision"


def read_workload(cluster: Cluster, stored: StoredObject, entry: KindEntry) -> Json:
    """The context of the page's templates."""
    spec, data = stored.data.get("spec") or {}, stored.data
    named = {"apiVersion": entry.kind.api_version, "kind": entry.kind.name, **data}
    at_ms = tell_time(cluster)["at_ms"]
    columns = decide_columns(named, at_ms, epoch_ms=cluster.epoch_ms)
    pods = count_pods(cluster, stored.namespace, list_owners(cluster, stored))
    if restarts := sum(one.restarts for one in pods.values()):
        columns = {**columns, "RESTARTS": str(restarts)}
    revisions = _REVISIONS.get(entry.kind.id, _no_revisions)(cluster, stored)
    ladder = read_ladder(cluster, stored, revisions) if entry is STATEFUL_SET else None
    pod_spec = data
    for step in entry.pod_spec_path:
        pod_spec = pod_spec.get(step) or {}
    owner_kind, _, owner = (stored.owner or "").partition("/")
    replicas = spec.get("replicas", 1) if entry.replicas_path else None
    return {
        "workload": stored,
        "kind": entry.kind.id,
        "verdict": _tell_verdict(cluster, stored, at_ms),
        "requests": tell_requests(cluster, stored, at_ms),
        "facts": {name: value for name, value in columns.items() if name != "NAME"},
        "strategy": _describe_strategy(spec),
        "outcome": tell_outcome(cluster, stored) if entry is DEPLOYMENT else "",
        "owner_page": find_page(owner_kind, stored.namespace or "", owner) if owner else "",
        "status": data.get("status") or {},
        "replicas": replicas,
        "hints": list_hints(pod_spec, replicas) if stored.deleted_ms is None else [],
        "autoscalers": list_autoscalers(cluster, stored) if entry.replicas_path else [],
        "containers": pod_spec.get("containers") or [],
        "verbs": [verb for verb in entry.rollout if verb not in (PAUSE, RESUME)],
        "is_paused": bool(spec.get("paused")) if PAUSE in entry.rollout else None,
        "has_conditions": entry in (DEPLOYMENT, JOB),
        "can_undo": UNDO in entry.rollout,
        "revisions": revisions,
        "revision_columns": list(revisions[0].counts) if revisions else [],
        "ladder": ladder,
        "grid": read_grid(cluster, stored) if entry is JOB else None,
        "calendar": read_calendar(cluster, stored, at_ms) if entry is CRON_JOB else None,
        "is_suspended": bool(spec.get("suspend")) if entry in (JOB, CRON_JOB) else None,
        "is_over": entry is JOB and Job.from_json(data, cluster.epoch_ms).is_finished,
        "has_chart": entry is not CRON_JOB,
        "matrix": read_matrix(cluster, stored, revisions) if entry is DAEMON_SET else None,
    }


def _tell_verdict(cluster: Cluster, stored: StoredObject, at_ms: int) -> str:
    if stored.deleted_ms is not None:
        return f"Deleted at {clock(stored.deleted_ms)}."
    told = judge(cluster, stored, at_ms)
    return told.sentence if told is not None else ""


def _describe_strategy(spec: Json) -> str:
    """`RollingUpdate: maxSurge 1, maxUnavailable 0`."""
    strategy = spec.get("strategy") or spec.get("updateStrategy") or {}
    numbers = [f"{name} {value}" for name, value in (strategy.get("rollingUpdate") or {}).items()]
    kind: str = strategy.get("type", "")
    return kind + (f": {', '.join(numbers)}" if numbers else "")


def tell_outcome(cluster: Cluster, stored: StoredObject) -> str:
    """What the last rollout of a Deployment came to, once it is over: how long it took, and what it cost."""
    rollout = judge_rollout(DEPLOYMENT.kind.id, stored.data)
    if rollout is None or not rollout.is_done:
        return ""
    rows = Transition.objects.filter(cluster=cluster, uid=stored.uid, seq__lte=cluster.seq)
    began = rows.filter(field="revision").order_by("-seq").values_list("at_ms", "seq").first()
    if began is None:
        return ""
    began_ms, seq = began
    counts = rows.filter(field="availableReplicas").values_list("at_ms", "new")
    before = counts.filter(seq__lt=seq).order_by("-seq").first()
    wanted = (stored.data.get("spec") or {}).get("replicas", 1)
    # Afterwards comes what is no part of it: it is over once all that is wanted is there, and new.
    done = rows.filter(field="condition.Progressing", seq__gte=seq, reason="NewReplicaSetAvailable")
    done_ms = done.order_by("seq").values_list("at_ms", flat=True).first()
    if done_ms is None:
        return ""
    fewest = [new or 0 for at_ms, new in counts.filter(seq__gte=seq, at_ms__lte=done_ms)[:MOST_STEPS]]
    took = f"took {duration(round(done_ms - began_ms, -2))}"
    if before is None or not before[1]:
        return took
    return f"{took}, never fewer than {min([before[1], *fewest])} of {wanted} available"


def tell_difference(
    cluster: Cluster, stored: StoredObject, entry: KindEntry, number: int
) -> list[str] | None:
    """The template as it is now against that of a revision, as `kubectl diff` prints it; None without one."""
    kind = REPLICA_SET_KIND.id if entry is DEPLOYMENT else CONTROLLER_REVISION
    for row in list_owned(cluster, stored, kind):
        spec = row.data if entry is DEPLOYMENT else row.data.get("data") or {}
        found = row.revision if entry is DEPLOYMENT else row.data.get("revision")
        if found == number:
            template = deepcopy((spec.get("spec") or {}).get("template") or {})
            break
    else:
        return None
    template.pop("$patch", None)
    ((template.get("metadata") or {}).get("labels") or {}).pop(HASH_LABEL, None)
    now = (stored.data.get("spec") or {}).get("template") or {}
    before, after = (to_yaml(one).splitlines() for one in (now, template))
    return list(islice(unified_diff(before, after, n=2, lineterm=""), 2, MOST_LINES))


def find_next_revision(cluster: Cluster, stored: StoredObject, entry: KindEntry) -> int | None:
    """The number that another template of a workload gets; None for a kind without revisions."""
    if entry.kind.id not in _REVISIONS:
        return None
    kind = REPLICA_SET_KIND.id if entry is DEPLOYMENT else CONTROLLER_REVISION
    latest = list_owned(cluster, stored, kind).aggregate(latest=Max("revision"))["latest"]
    return (latest or 0) + 1


# --- revisions --------------------------------------------------------------------------------------------


def _no_revisions(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    return []


def _list_replica_sets(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    """A Deployment's, newest revision first."""
    revisions = []
    turns = read_turns(cluster, REPLICA_SET_KIND.id, stored.namespace, name_owner(stored))
    states: dict[str, Counter[str]] = {}
    for (owner, state), there in count_pods(cluster, stored.namespace, list_owners(cluster, stored)).items():
        states.setdefault(owner, Counter())[state or "unknown"] += there.count
    for row in list_owned(cluster, stored, REPLICA_SET_KIND.id):
        spec, status = row.data.get("spec") or {}, row.data.get("status") or {}
        counts = {
            "Wanted": spec.get("replicas", 1),
            "Ready": status.get("readyReplicas", 0),
            "Available": status.get("availableReplicas", 0),
        }
        page = find_page(REPLICA_SET_KIND.id, row.namespace or "", row.name)
        turn, owner = turns[row.uid], f"{REPLICA_SET_KIND.id}/{row.name}"
        has_pods = counts["Wanted"] or status.get("replicas")
        shares = list_shares(states.get(owner, Counter())) if has_pods else []
        revisions.append(
            Revision(row.name, row.revision or 0, turn, _images(spec), counts, page, shares=shares)
        )
    return sorted(revisions, key=lambda revision: revision.number, reverse=True)


def _list_controller_revisions(cluster: Cluster, stored: StoredObject) -> list[Revision]:
    """A StatefulSet's or DaemonSet's, newest first, with the pods made from each."""
    pods: dict[str, int] = {}
    for labels in list_owned(cluster, stored, POD_KIND.id).values_list("data__metadata__labels", flat=True):
        made_from = (labels or {}).get(REVISION_LABEL, "")
        pods[made_from] = pods.get(made_from, 0) + 1
    rows = list(list_owned(cluster, stored, CONTROLLER_REVISION))
    latest = max((row.data.get("revision") or 0 for row in rows), default=0)
    revisions = []
    for row in rows:
        number = row.data.get("revision") or 0
        # A StatefulSet's pods carry the revision's name, a DaemonSet's its hash alone.
        count = pods.get(row.name, 0) + pods.get(row.name.rpartition("-")[2], 0)
        images = _images((row.data.get("data") or {}).get("spec") or {})
        is_latest = number == latest
        # As in the chart, where all earlier ones are one.
        turn = LATEST if is_latest else EARLIER
        revisions.append(Revision(row.name, number, turn, images, {"Pods": count}, is_latest=is_latest))
    return sorted(revisions, key=lambda revision: revision.number, reverse=True)


_REVISIONS: dict[str, Callable[[Cluster, StoredObject], list[Revision]]] = {
    DEPLOYMENT.kind.id: _list_replica_sets,
    STATEFUL_SET.kind.id: _list_controller_revisions,
    DAEMON_SET.kind.id: _list_controller_revisions,
}


def _images(spec: Json) -> list[str]:
    template = (spec.get("template") or {}).get("spec") or {}
    return [container.get("image", "") for container in template.get("containers") or ()]

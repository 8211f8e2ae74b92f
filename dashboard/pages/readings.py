"""What pages show of stored objects: plain dicts and small records for templates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from dashboard.pages.addresses import find_page
from dashboard.plots.theme import STATES, TONES, Tone, clock
from lifecycle.engine.kinds import references, registry
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import MIRROR, POD_KIND
from lifecycle.engine.objects.storage import STORAGE_CLASS
from lifecycle.engine.objects.times import parse_time_or_none
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import kind_of_stored, of_kind
from lifecycle.verdicts import judge_rollout

Json = dict[str, Any]
MOST_OWNERS = 4
# A namespace and what stands in it: `Deployment/web`.
Key = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Share:
    """So many pods of one state, drawn after `start` others."""

    tone: Tone
    start: int
    count: int


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload of the cluster page's list."""

    kind: str
    namespace: str
    name: str
    page: str
    summary: str
    shares: list[Share]
    restarts: int = 0

    @property
    def pods(self) -> int:
        """How many living pods it has; 1 when none, so that an empty meter has a width."""
        return sum(share.count for share in self.shares) or 1


def list_workloads(cluster: Cluster) -> list[Workload]:
    """Everything that owns pods and is not itself owned, by namespace and name."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
    owners = alive.filter(kinds, owner__isnull=True).order_by("namespace", "name", "kind")
    states, restarts = _states_by_workload(cluster)
    return [_workload(row, states, restarts) for row in owners]


def list_missing(cluster: Cluster) -> list[references.Missing]:
    """What the cluster's workloads, lone pods and claims need and nobody has made."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    wanting = {entry.kind.id for entry in registry.list_entries() if entry.pod_spec_path} - {POD_KIND.id}
    alone = alive.filter(owner__isnull=True)
    # Pods by themselves: of very many the few that nobody owns are found without reading them.
    asked = [alone.filter(of_kind(*wanting, *references.ASKERS)), alone.filter(of_kind(POD_KIND.id))]
    found = [row for rows in asked for row in rows.values_list("created_ms", "uid", "data")]
    found.sort(key=lambda row: row[:2])
    return references.list_missing((data for *_, data in found), list_there(cluster))


def list_classes(cluster: Cluster) -> list[Any]:
    """The StorageClasses of a cluster, by their names."""
    stored = StoredObject.objects.filter(of_kind(STORAGE_CLASS), cluster=cluster, deleted_ms__isnull=True)
    return list(stored.order_by("name").values_list("data", flat=True))


def list_there(cluster: Cluster) -> list[references.Reference]:
    """What the cluster has of all that may be missing."""
    there = StoredObject.objects.filter(of_kind(*references.KINDS), cluster=cluster, deleted_ms__isnull=True)
    names = there.values_list("kind", "group", "namespace", "name")
    return [(kind_id(group, kind), namespace or "", name) for kind, group, namespace, name in names]


def _workload(row: StoredObject, states: dict[Key, Counter[str]], restarts: Counter[Key]) -> Workload:
    entry, namespace = registry.entry_of_id(kind_of_stored(row)), row.namespace or ""
    key = (row.namespace, f"{entry.kind.id}/{row.name}")
    shares, page = _shares(states.get(key, Counter())), find_page(entry.kind.id, namespace, row.name)
    told = describe_workload(entry, row.data)
    return Workload(row.kind, namespace, row.name, page, told, shares, restarts[key])


def _states_by_workload(cluster: Cluster) -> tuple[dict[Key, Counter[str]], Counter[Key]]:
    """How many pods of each workload are in each state, and how often all of them restarted."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    parents = read_parents(cluster)
    states: dict[Key, Counter[str]] = {}
    restarts = Counter[Key]()
    pods = alive.filter(of_kind(POD_KIND.id), owner__isnull=False).order_by()
    counted = pods.values_list("namespace", "owner", "state")
    for namespace, owner, state, count, again in counted.annotate(count=Count("pk"), again=Sum("restarts")):
        key = (namespace, parents.get((namespace, owner), owner))
        states.setdefault(key, Counter())[state or "unknown"] += count
        restarts[key] += again or 0
    return states, restarts


def read_parents(cluster: Cluster) -> dict[Key, str | None]:
    """Whose the owners of pods are: of a ReplicaSet its Deployment."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    between = alive.filter(of_kind(*list_between()), owner__isnull=False)
    return {
        (namespace, f"{kind}/{name}"): owner
        for namespace, kind, name, owner in between.values_list("namespace", "kind", "name", "owner")
    }


def list_between() -> list[str]:
    """The kinds whose pods may be those of a workload above them."""
    return [entry.kind.id for entry in registry.list_entries() if entry.stands_between]


def _shares(states: Counter[str]) -> list[Share]:
    shares: list[Share] = []
    for tone in STATES:
        if count := states[tone.name]:
            shares.append(Share(tone, sum(share.count for share in shares), count))
    return shares


def share_states(cluster: Cluster, namespace: str | None, owner: str) -> list[Share]:
    """The living pods of an owner by state."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
    counted = pods.filter(namespace=namespace, owner=owner).order_by().values_list("state")
    return _shares(
        Counter({state or "unknown": count for state, count in counted.annotate(count=Count("pk"))})
    )


def count_states(cluster: Cluster) -> list[tuple[Tone, int]]:
    """Living pods by state, in the order of the palette."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
    counts = dict(pods.order_by().values_list("state").annotate(count=Count("pk")))
    return [(tone, counts.get(tone.name, 0)) for tone in STATES]


def describe_workload(entry: KindEntry, data: Json) -> str:
    """Where it is, and its rollout as `kubectl rollout status` says it; a pause is said beside."""
    words = [entry.describe(data)]
    if rollout := judge_rollout(entry.kind.id, data):
        paused = "paused, " if (data.get("spec") or {}).get("paused") else ""
        words.append(f"{paused}{rollout.brief}")
    return " · ".join(words)


def find_object(cluster: Cluster, kind: str, namespace: str, name: str) -> StoredObject | None:
    """The latest object of that name, deleted or not."""
    where = Q(namespace=namespace) if namespace else Q(namespace__isnull=True) | Q(namespace="")
    named = StoredObject.objects.filter(of_kind(kind), where, cluster=cluster, name=name)
    return named.order_by("-rv").first()


def list_owners(cluster: Cluster, stored: StoredObject) -> list[tuple[str, str, str]]:
    """Whose an object is, and whose that is: kind, name and page of each, the highest first."""
    found: list[tuple[str, str, str]] = []
    owner, namespace = stored.owner, stored.namespace or ""
    while owner and len(found) < MOST_OWNERS:
        kind, _, name = owner.partition("/")
        found.insert(0, (kind, name, find_page(kind, namespace, name)))
        above = find_object(cluster, kind, namespace, name)
        owner = above.owner if above is not None else None
    return found


def tone_of(stored: StoredObject) -> Tone:
    """The palette's entry for a pod; a deleted one keeps its last state's."""
    return TONES.get(stored.state or "", TONES["unknown"])


def event_uid(uid: str, annotations: Json | None) -> str:
    """Whom the events of a pod name: it, but for a mirror its static pod, as `kubectl describe` has it."""
    return (annotations or {}).get(MIRROR) or uid


def event_uid_of(pod: StoredObject) -> str:
    """The same, of a pod that was read whole."""
    return event_uid(pod.uid, (pod.data.get("metadata") or {}).get("annotations"))


def list_containers(data: Json, epoch_ms: int = 0) -> list[Json]:
    """Containers in the order they start, init, main, ephemeral: of spec and status what a table shows."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    containers = []
    for role, key in (("init", "init"), ("", ""), ("ephemeral", "ephemeral")):
        specs = spec.get(f"{key}Containers" if key else "containers") or ()
        statuses = status.get(f"{key}ContainerStatuses" if key else "containerStatuses") or ()
        by_name = {known["name"]: known for known in statuses}
        for container in specs:
            known = by_name.get(container["name"], {})
            kind = "sidecar" if role == "init" and container.get("restartPolicy") == "Always" else role
            containers.append(_container(container, known, kind, epoch_ms))
    return containers


def _container(spec: Json, status: Json, role: str, epoch_ms: int) -> Json:
    return {
        "name": spec["name"],
        "role": role,
        "image": spec.get("image", ""),
        "ready": status.get("ready", False),
        "restarts": status.get("restartCount", 0),
        "state": state_words(status.get("state")),
        "times": state_times(status.get("state"), epoch_ms),
        "last": state_words(status.get("lastState")),
        "last_times": state_times(status.get("lastState"), epoch_ms),
    }


def state_words(state: Json | None) -> str:
    """`Running`, `Waiting: CrashLoopBackOff`, `Terminated: Error, exit code 1`."""
    for kind, detail in (state or {}).items():
        reason = (detail or {}).get("reason")
        code = (detail or {}).get("exitCode")
        words = [part for part in (reason, f"exit code {code}" if code is not None else None) if part]
        return kind.capitalize() + (f": {', '.join(words)}" if words else "")
    return ""


def state_times(state: Json | None, epoch_ms: int = 0) -> list[tuple[str, str]]:
    """`started 00:00:00` and `finished 00:00:05` as far as a state has these, each with its date and time."""
    detail = next(iter((state or {}).values()), None) or {}
    named = (("started", detail.get("startedAt")), ("finished", detail.get("finishedAt")))
    return [
        (f"{name} {clock(at_ms).partition('.')[0]}", time)
        for name, time in named
        if time and (at_ms := parse_time_or_none(time, epoch_ms)) is not None
    ]


def read_turns(cluster: Cluster, kind: str, namespace: str | None, owner: str) -> dict[str, int]:
    """Which of an owner's revisions an object was, from 0 on, by uid, the gone counted too.

    Their numbers change when a rollout is undone, and what was drawn of them must not.
    """
    owned = StoredObject.objects.filter(of_kind(kind), cluster=cluster, namespace=namespace, owner=owner)
    uids = owned.order_by("created_ms", "name").values_list("uid", flat=True)
    return {uid: turn for turn, uid in enumerate(uids)}

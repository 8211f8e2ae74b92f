"""What an engine that runs lets the judge see: its rows as they come, its objects as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.references import KINDS as REFERRED
from lifecycle.engine.kinds.references import refer_to
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.meta import Subject
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.rules.telling.noticed import EVICTION, NOTHING, Noticed
from lifecycle.engine.rules.telling.surroundings import find_target, tell_scaler
from lifecycle.judge import Seen, judge_workload
from lifecycle.pod_judge import SeenPod, Verdict, judge_lone, read_state
from lifecycle.simulation.lost_requests import Lost, RequestRows, selects_pods_of
from lifecycle.verdicts import tell_conditions

Json = Mapping[str, Any]
_ACCEPTED = "accepted"
_AUTOSCALER = HORIZONTAL_POD_AUTOSCALER.kind.id


def take_row(noticed: Noticed, row: Row) -> None:
    """Hand one row of an object on."""
    if isinstance(row, Transition):
        noticed.take_transition(row.field, row.old, row.new, row.at_ms, row.reason, row.message, row.detail)
    else:
        noticed.take_event(row.event_type, row.reason, row.message, row.first_ms, row.last_ms, row.count)


class Watch:
    """Follows a run; says at any instant what was seen of it."""

    def __init__(self) -> None:
        self.noticed: defaultdict[str, Noticed] = defaultdict(Noticed)
        self.subjects: dict[str, Subject] = {}
        self._owners: dict[str, str] = {}
        """Of every object that ever had one, by uid the uid of its controller."""
        self._planned: set[str] = set()
        """The uids of what somebody changed the wish of, or asked to go: rollouts, other sizes, drains."""
        self._requests = RequestRows()

    def take(self, changes: Changes) -> None:
        """What one instant changed."""
        for version in changes.versions:
            owner = next((one for one in version.new.meta.owner_references if one.controller), None)
            if owner is not None:
                self._owners[version.new.meta.uid] = owner.uid
            if version.old is not None and version.old.meta.generation != version.new.meta.generation:
                self._planned.add(version.new.meta.uid)
        for row in changes.rows:
            self.subjects[row.subject.uid] = row.subject
            take_row(self.noticed[row.subject.uid], row)
            if isinstance(row, Transition) and row.field == EVICTION and row.new == _ACCEPTED:
                self._planned.update(self._list_above(row.subject.uid))
        self._requests.take(changes)

    def know(self, data: Json) -> Noticed:
        """What was noticed of an object."""
        return self.noticed.get(data["metadata"]["uid"], NOTHING)

    def judge(self, cluster: Cluster) -> Judged:
        """What there is to say of everything, as it stands now."""
        return Judged(self, cluster)

    def list_gone(self, uid: str, living: Sequence[str]) -> list[Noticed]:
        """What made pods of a workload go that are no more."""
        there = set(living)
        return [
            noticed
            for pod, noticed in self.noticed.items()
            if noticed.disrupted is not None and pod not in there and self._is_below(pod, uid)
        ]

    def _is_below(self, uid: str, above: str) -> bool:
        return above in self._list_above(uid)

    def _list_above(self, uid: str) -> list[str]:
        """Who controls an object, who controls that, and so on."""
        found, owner = list[str](), self._owners.get(uid)
        while owner and owner != uid and owner not in found:
            found.append(owner)
            owner = self._owners.get(owner)
        return found

    def is_planned(self, uid: str) -> bool:
        """Whether a workload went through a change that somebody planned."""
        return uid in self._planned

    def list_lost(self, cluster: Cluster) -> list[Lost]:
        """What was lost of requests to Services so far."""
        return self._requests.list_lost(cluster)

    def list_troubled(self, cluster: Cluster) -> list[Lost]:
        """The same, and what was served by pods that are not ready."""
        return self._requests.list_troubled(cluster)


class Judged:
    """Verdicts on a cluster as it stands."""

    def __init__(self, watch: Watch, cluster: Cluster) -> None:
        self._watch, self._cluster = watch, cluster
        self._pods = map_pods(cluster)
        self._profiles = cluster.list(CONTAINER_PROFILE.id)
        self._lost = watch.list_lost(cluster)
        nodes = cluster.list(NODE_KIND.id)
        self._nodes = {one["metadata"]["name"]: Node.from_json(one, cluster.epoch_ms) for one in nodes}
        self._there = [refer_to(one) for kind in REFERRED for one in cluster.list(kind)]
        self._beside: dict[tuple[str, str, str], list[str]] = {}
        for one in cluster.list(_AUTOSCALER):
            kind, namespace, name = find_target(one)
            scaled = cluster.get(kind, namespace, name)
            if told := tell_scaler(one, scaled, watch.know(one)):
                self._beside.setdefault((kind, namespace, name), []).append(told)

    def read_workload(self, data: Json) -> Verdict:
        """What its page says of a workload."""
        return judge_workload(self.see(data))

    def see(self, data: Json) -> Seen:
        """What was observed of a workload."""
        cluster, uid = self._cluster, data["metadata"]["uid"]
        kind = kind_id(data["apiVersion"].rpartition("/")[0], data["kind"])
        pods = [
            SeenPod(pod, read_state(pod, cluster.epoch_ms), self._watch.know(pod))
            for pod in self._pods.get(uid, ())
        ]
        place = kind, data["metadata"].get("namespace") or "", data["metadata"]["name"]
        return Seen(
            kind,
            data,
            cluster.now_ms,
            cluster.epoch_ms,
            pods,
            self._watch.know(data),
            gone=self._watch.list_gone(uid, [one.data["metadata"]["uid"] for one in pods]),
            jobs=self._list_jobs(uid) if kind == CRON_JOB_KIND.id else (),
            condition=tell_conditions(data, self._profiles, self._there),
            beside=self._beside.get(place, ()),
            nodes=self._nodes,
            lost=self._tell_lost(data),
        )

    def _tell_lost(self, data: Json) -> list[str]:
        """What the changes of a workload that somebody planned cost of the requests to it."""
        if not self._watch.is_planned(data["metadata"]["uid"]) or controller_of(data):
            return []
        found = [one for one in self._lost if selects_pods_of(one.service, data)]
        return [f"Service {one.service['metadata']['name']} {one.tell()}" for one in found]

    def _list_jobs(self, uid: str) -> list[tuple[Json, Noticed]]:
        jobs = (one for one in self._cluster.list(JOB_KIND.id) if controller_of(one) == uid)
        return [(one, self._watch.know(one)) for one in jobs]

    def read_lone_pods(self) -> dict[str, Verdict]:
        """What their pages say of the pods that nobody controls, by uid."""
        cluster, told = self._cluster, dict[str, Verdict]()
        for pod in cluster.list(POD_KIND.id):
            if controller_of(pod) is None:
                seen = SeenPod(pod, read_state(pod, cluster.epoch_ms), self._watch.know(pod))
                condition = tell_conditions(pod, self._profiles, self._there)
                told[pod["metadata"]["uid"]] = judge_lone(
                    seen, cluster.now_ms, cluster.epoch_ms, self._nodes, condition
                )
        return told


def map_pods(cluster: Cluster) -> dict[str, list[Json]]:
    """All pods by the uids of those that control them, at whatever remove."""
    above = {
        one["metadata"]["uid"]: controller
        for entry in list_workloads()
        for one in cluster.list(entry.kind.id)
        if (controller := controller_of(one))
    }
    found: dict[str, list[Json]] = {}
    for pod in cluster.list(POD_KIND.id):
        owner = controller_of(pod)
        seen: set[str] = set()
        while owner and owner not in seen:
            seen.add(owner)
            found.setdefault(owner, []).append(pod)
            owner = above.get(owner)
    return found


def controller_of(data: Json) -> str | None:
    """The uid of whoever controls an object."""
    references = data["metadata"].get("ownerReferences") or ()
    return next((one["uid"] for one in references if one.get("controller")), None)

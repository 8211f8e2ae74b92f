"""Nodes that are not there: they send heartbeats, and their pods say that they run, are ready and end.

They obey the annotation that says how a container acts, as far as this tool draws it: `runs`, `onTerm`, and
the instant at which it is ready. For a cluster with API server, controllers and scheduler, and no kubelet.
"""

from __future__ import annotations

import heapq
import itertools
import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from tools.differential.client import MERGE, STRATEGIC, Client, Json, path_of
from tools.differential.parts import APP, BEHAVIOR
from tools.differential.watches import Heard

HEARTBEAT_SECONDS = 10
STATUS_SECONDS = 60
LEASES = "apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
SIZE = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"}
WELL = (
    (
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
"""What a kubelet says of its node, word for word."""
KILLED = 137
START_SECONDS = 0.3
"""A pod that is deleted as soon as it is there never runs, as with a kubelet."""
TIMING = {
    "sandbox": f"{1000 * START_SECONDS:g}ms",
    "kubelet_look": "20ms",
    "node_status": "0ms",
    "kubelet_start": "0ms",
}
"""How long ours are to take for what these nodes do: they look at nothing, and tell at once what becomes."""


def say_now(fraction: str = "seconds") -> str:
    return datetime.now(UTC).isoformat(timespec=fraction).replace("+00:00", "Z")


class HollowNodes:
    """All hollow nodes of a cluster, and the pods on them. Works in two threads of its own."""

    def __init__(
        self, client: Client, labels_by_node: dict[str, Json], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._labels = labels_by_node
        self._clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._wakes = threading.Condition()
        self._started: set[str] = set()
        self._ending: set[str] = set()
        self._ready: set[str] = set()
        self._last: dict[str, Json] = {}
        self._silent_until: dict[str, float] = {}

    def start(self) -> None:
        """Make the nodes, and let them live."""
        for name, labels in self._labels.items():
            self._make_node(name, labels)
        for work in (self._work, self._beat):
            threading.Thread(target=work, daemon=True).start()

    # --- nodes ----------------------------------------------------------------------------------------

    def _make_node(self, name: str, labels: Json) -> None:
        known = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": known | labels}}
        self._client.ask("POST", path_of("Node"), node)
        # One that is there from before may have other labels.
        self._client.ask("PATCH", path_of("Node", name=name), {"metadata": {"labels": known | labels}}, MERGE)
        self._show_ready(name)

    def _show_ready(self, name: str) -> None:
        now = say_now()
        conditions = [
            {"type": kind, "status": status, "reason": reason, "message": message, "lastHeartbeatTime": now}
            for kind, status, reason, message in WELL
        ]
        status = {"capacity": SIZE, "allocatable": SIZE, "conditions": conditions}
        self._client.ask(
            "PATCH", path_of("Node", name=name, subresource="status"), {"status": status}, STRATEGIC
        )

    def _beat(self) -> None:
        for number in itertools.count():
            for name in self._labels:
                if not self._find_silence_seconds(name):
                    self._renew_lease(name)
                    if number % (STATUS_SECONDS // HEARTBEAT_SECONDS) == 0:
                        self._show_ready(name)
            time.sleep(HEARTBEAT_SECONDS)

    def _renew_lease(self, node: str) -> None:
        spec = {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": say_now("microseconds")}
        if not self._client.ask("PATCH", f"{LEASES}/{node}", {"spec": spec}, MERGE).is_ok:
            self._client.ask("POST", LEASES, {"metadata": {"name": node}, "spec": spec})

    def silence(self, node: str, seconds: float) -> None:
        """A node sends no heartbeats, and its pods go on unseen, for so long; then it speaks at once."""
        self._silent_until[node] = max(self._silent_until.get(node, 0.0), self._clock() + seconds)
        self._plan(seconds, partial(self._speak, node))

    def _speak(self, node: str) -> None:
        """As a kubelet that is back: it says again of its pods what somebody else has said meanwhile."""
        if self._find_silence_seconds(node):
            return
        self._renew_lease(node)
        self._show_ready(node)
        for uid, pod in [*self._last.items()]:
            # Where nothing is told yet, it was said a moment ago.
            told = pod.get("status", {}).get("containerStatuses")
            is_here = pod["spec"]["nodeName"] == node and uid not in self._ending
            if is_here and uid in self._ready and told:
                self._show(pod, "Running", told[0]["state"], is_ready=True)

    def _find_silence_seconds(self, node: str) -> float:
        return max(0.0, self._silent_until.get(node, 0.0) - self._clock())

    # --- pods -----------------------------------------------------------------------------------------

    def hear(self, heard: Heard) -> None:
        """A listener of the watches."""
        if heard.kind != "Pod" or heard.thing.get("spec", {}).get("nodeName") not in self._labels:
            return
        uid = heard.thing["metadata"]["uid"]
        if heard.event == "DELETED":
            self._last.pop(uid, None)
            for uids in (self._started, self._ending, self._ready):
                uids.discard(uid)
            return
        self._last[uid] = heard.thing
        is_deleted = "deletionTimestamp" in heard.thing["metadata"]
        if is_deleted and uid not in self._ending:
            self._ending.add(uid)
            self._plan_for(uid, 0, self._stop)
        elif not is_deleted and uid not in self._started:
            self._started.add(uid)
            self._plan_for(uid, START_SECONDS, self._run)

    def _plan_for(self, uid: str, after_seconds: float, what: Callable[[Json], None]) -> None:
        """The same for what is done to a pod, as it stands then."""
        self._plan(after_seconds, partial(self._do_to, uid, what))

    def _plan(self, after_seconds: float, what: Callable[[], None]) -> None:
        with self._wakes:
            due = self._clock() + after_seconds
            heapq.heappush(self._due, (due, next(self._numbers), what))
            self._wakes.notify()

    def _work(self) -> None:
        while True:
            left = self.run_due()
            with self._wakes:
                if not self._due or self._due[0][0] > self._clock():
                    self._wakes.wait(left)

    def run_due(self) -> float | None:
        """Do all that is due. Returns in how many seconds there is more to do; None when nobody knows."""
        while True:
            with self._wakes:
                if not self._due or self._due[0][0] > self._clock():
                    return self._due[0][0] - self._clock() if self._due else None
                what = heapq.heappop(self._due)[2]
            what()

    def _do_to(self, uid: str, what: Callable[[Json], None]) -> None:
        pod = self._last.get(uid)
        if pod is None:
            return
        # What happens on a silent node is told when it speaks again.
        left = self._find_silence_seconds(pod["spec"]["nodeName"])
        if left:
            self._plan_for(uid, left, what)
        else:
            what(pod)

    def _run(self, pod: Json) -> None:
        acts, uid = _read_behavior(pod), pod["metadata"]["uid"]
        if uid in self._ending:
            return
        ready_seconds = _find_ready_seconds(pod, acts)
        state = {"running": {"startedAt": say_now()}}
        self._show(pod, "Running", state, is_ready=ready_seconds == 0)
        if ready_seconds:
            self._plan_for(uid, ready_seconds, partial(self._make_ready, state))
        run = acts.get("runs", [{"forever": True}])[0]
        if "for" in run:
            self._plan_for(uid, _read_seconds(run["for"]), self._end)

    def _make_ready(self, state: Json, pod: Json) -> None:
        if pod["metadata"]["uid"] not in self._ending:
            self._show(pod, "Running", state, is_ready=True)

    def _end(self, pod: Json) -> None:
        if pod["metadata"]["uid"] not in self._ending:
            self._show_end(pod, _read_behavior(pod)["runs"][0]["exit"])

    def _stop(self, pod: Json) -> None:
        """Told to stop: after what it takes, or when its grace is over, it is gone."""
        grace_seconds = pod["metadata"].get("deletionGracePeriodSeconds", 30)
        ends = _read_behavior(pod).get("onTerm", {})
        takes_seconds = _read_seconds(ends.get("takes", "0s"))
        is_running = pod.get("status", {}).get("phase") == "Running"
        after_seconds = min(takes_seconds, grace_seconds) if is_running else 0
        self._plan_for(pod["metadata"]["uid"], after_seconds, self._remove)

    def _remove(self, pod: Json) -> None:
        ends = _read_behavior(pod).get("onTerm", {})
        if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed"):
            # What never ran did not end well: a kubelet says 137 of it too.
            is_killed = pod.get("status", {}).get("phase") != "Running" or _read_seconds(
                ends.get("takes", "0s")
            ) > pod["metadata"].get("deletionGracePeriodSeconds", 30)
            self._show_end(pod, KILLED if is_killed else ends.get("exit", 0))
        meta = pod["metadata"]
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}}
        self._client.ask("DELETE", path_of("Pod", meta["namespace"], meta["name"]), options)

    # --- what a pod says ------------------------------------------------------------------------------

    def _show_end(self, pod: Json, exit_code: int) -> None:
        reason = "Completed" if exit_code == 0 else "Error"
        ended = {"exitCode": exit_code, "reason": reason, "finishedAt": say_now()}
        self._show(pod, "Failed" if exit_code else "Succeeded", {"terminated": ended}, is_ready=False)

    def _show(self, pod: Json, phase: str, state: Json, is_ready: bool) -> None:
        meta, containers = pod["metadata"], pod["spec"]["containers"]
        (self._ready.add if is_ready else self._ready.discard)(meta["uid"])
        seen = meta.get("generation", 1)
        reason = {} if is_ready else {"reason": "ContainersNotReady"}
        if phase in ("Succeeded", "Failed"):
            reason = {"reason": "PodCompleted" if phase == "Succeeded" else "PodFailed"}
        held = {
            "Initialized": ("True", {}),
            "Ready": (str(is_ready), reason),
            "ContainersReady": (str(is_ready), reason),
        }
        before = {one["type"]: one for one in pod.get("status", {}).get("conditions", [])}
        conditions = [
            {
                "type": kind,
                "status": status,
                "observedGeneration": seen,
                **why,
                **_since(before.get(kind), status),
            }
            for kind, (status, why) in held.items()
        ]
        one = {"state": state, "ready": is_ready, "started": "running" in state, "restartCount": 0}
        statuses = [
            {"name": of["name"], "image": of["image"], "imageID": of["image"], **one} for of in containers
        ]
        status: Json = {
            "phase": phase,
            "observedGeneration": seen,
            "conditions": conditions,
            "containerStatuses": statuses,
            "podIP": "192.0.2.1",
            "podIPs": [{"ip": "192.0.2.1"}],
        }
        if "startTime" not in pod.get("status", {}):
            status["startTime"] = say_now()
        patch = {"metadata": {"uid": meta["uid"]}, "status": status}
        path = path_of("Pod", meta["namespace"], meta["name"], "status")
        self._client.ask("PATCH", path, patch, STRATEGIC)


def _since(before: Json | None, status: str) -> Json:
    if before is not None and before["status"] == status:
        return {"lastTransitionTime": before["lastTransitionTime"]}
    return {"lastTransitionTime": say_now()}


def _read_behavior(pod: Json) -> Json:
    found: Json = json.loads(pod["metadata"].get("annotations", {}).get(BEHAVIOR, "{}")).get(APP, {})
    return found


def _find_ready_seconds(pod: Json, acts: Json) -> float | None:
    """None for never."""
    if "readinessProbe" not in pod["spec"]["containers"][0]:
        return 0
    seen = acts.get("probes", {}).get("readiness", [])
    return next((_read_seconds(one["at"]) for one in seen if one["result"] == "success"), None)


def _read_seconds(text: str) -> float:
    return float(text.removesuffix("s"))

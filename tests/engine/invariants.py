"""What must hold of every pod after every step, and of the rows of a history as they come."""

from typing import Any

Json = dict[str, Any]

PHASES = ("Pending", "Running", "Succeeded", "Failed")
FINAL = ("Succeeded", "Failed")
STATES = ("waiting", "running", "terminated")
AFTER_DELETION = ("container.", "hook.", "signal.")


def check_pod(pod: Json) -> None:
    """The object says nothing that contradicts itself."""
    status, name = pod["status"], pod["metadata"]["name"]
    assert status["phase"] in PHASES, (name, status["phase"])
    assert status.get("observedGeneration", 0) <= pod["metadata"].get("generation", 0), name
    for one in _statuses(status):
        _check_container(pod, one)
    _check_phase(pod)
    _check_conditions(pod)


def _statuses(status: Json, *parts: str) -> list[Json]:
    parts = parts or ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    return [one for part in parts for one in status.get(part, [])]


def _check_container(pod: Json, one: Json) -> None:
    where, state = (pod["metadata"]["name"], one), one["state"]
    assert len([kind for kind in STATES if kind in state]) == 1, where
    assert not one["ready"] or "running" in state or _is_done_init(pod, one), where
    assert not one.get("started") or "running" in state, where
    last = one.get("lastState", {}).get("terminated")
    assert set(one.get("lastState", {})) <= {"terminated"}, where
    ended = state.get("terminated")
    for run in (last, ended):
        if run is not None and run.get("startedAt") and run.get("finishedAt"):
            assert run["startedAt"] <= run["finishedAt"], where
    begun = (ended or state.get("running") or {}).get("startedAt")
    if last is not None and begun and last.get("finishedAt"):
        assert last["finishedAt"] <= begun, where
    # A run that is counted as a restart has a run before it (CSTATE-13); a new sandbox forgets those of init.
    is_app = one in pod["status"].get("containerStatuses", [])
    assert not is_app or one["restartCount"] == 0 or last is not None or ended is not None, where


def _is_regular_init(pod: Json, one: Json) -> bool:
    init = pod["spec"].get("initContainers", [])
    return one["name"] in [each["name"] for each in init if each.get("restartPolicy") != "Always"]


def _is_done_init(pod: Json, one: Json) -> bool:
    # A regular init container that succeeded counts as ready.
    return _is_regular_init(pod, one) and one["state"].get("terminated", {}).get("exitCode") == 0


def _check_phase(pod: Json) -> None:
    status, name = pod["status"], pod["metadata"]["name"]
    apps = status.get("containerStatuses", [])
    ends = [one["state"]["terminated"]["exitCode"] for one in apps if "terminated" in one["state"]]
    match status["phase"]:
        case "Succeeded":
            assert len(ends) == len(apps) and not any(ends), (name, apps)
        case "Running":
            assert all("waiting" not in one["state"] or one.get("lastState") for one in apps), (name, apps)
        case "Pending":
            init = _statuses(status, "initContainerStatuses")
            is_waiting = any("waiting" in one["state"] for one in (*apps, *init))
            # Also once more, while init containers run again in a new sandbox.
            is_again = any("running" in one["state"] for one in init)
            # A deadline keeps the phase as it is until everything has ended.
            has_deadline = "activeDeadlineSeconds" in pod["spec"]
            is_ending = _has_come_to_end(status)
            assert is_waiting or is_again or has_deadline or is_ending or not apps, (name, status)
    if status["phase"] in FINAL:
        assert not any("running" in one["state"] for one in _statuses(status)), (name, status)


def _check_conditions(pod: Json) -> None:
    status, name = pod["status"], pod["metadata"]["name"]
    held = {one["type"]: one["status"] for one in status.get("conditions", [])}
    assert len(held) == len(status.get("conditions", [])), (name, status["conditions"])
    assert set(held.values()) <= {"True", "False", "Unknown"}, (name, held)
    if held.get("Ready") == "True":
        assert held["ContainersReady"] == held["Initialized"] == held["PodScheduled"] == "True", (name, held)
    if held.get("PodScheduled") == "True":
        assert pod["spec"].get("nodeName"), name
    if "ContainersReady" not in held:
        return
    wanted = [one for one in _statuses(status, "initContainerStatuses") if not _is_regular_init(pod, one)]
    is_ready = all(one["ready"] for one in (*wanted, *status["containerStatuses"]))
    if held["ContainersReady"] == "True":
        assert is_ready and status["phase"] == "Running", (name, status)
    elif status["phase"] == "Running" and held["Initialized"] == "True":
        assert not is_ready or _has_come_to_end(status), (name, status)
    if any("running" in one["state"] for one in status["containerStatuses"]):
        assert held["Initialized"] == "True", (name, status)


def _has_come_to_end(status: Json) -> bool:
    """Conditions say how a pod ends before its phase does, which waits for all its containers."""
    reasons = {one["type"]: one.get("reason") for one in status.get("conditions", [])}
    return reasons.get("ContainersReady") in ("PodCompleted", "PodFailed")


_TOLD_WHILE_STOPPED = ("Killing", "FailedPreStopHook", "ExceededGracePeriod", "DeadlineExceeded")


class Watcher:
    """Reads rows in order and fails at the first that cannot follow what came before."""

    def __init__(self) -> None:
        self.seq = 0
        self.at_ms = 0
        self.phases: dict[str, str] = {}
        self.restarts: dict[tuple[str, str], int] = {}
        self.gone: dict[str, int] = {}
        self.told: set[str] = set()
        self.forced: set[str] = set()

    def take(self, rows: list[Json]) -> None:
        """The next rows of the history."""
        for row in rows:
            assert row["seq"] == self.seq + 1, (row, self.seq)
            assert row["at_ms"] >= self.at_ms, row
            self.seq, self.at_ms = row["seq"], row["at_ms"]
            if row["type"] == "event":
                # Containers of a pod that was deleted by force are still stopped, and that is told; so is, at
                # each status that is made up meanwhile, that its deadline has passed (activeDeadlineHandler).
                is_stop = row["reason"] in _TOLD_WHILE_STOPPED
                # An eviction that was planned for a pod is called off also when the pod is gone (recorded).
                is_stop |= row["reason"] == "TaintManagerEviction"
                # That a pod has several budgets is told at its deletion too (disruption.go, deletePod).
                is_stop |= row["reason"] == "MultiplePodDisruptionBudgets"
                # An event that was told before goes on, or ends with what it is about.
                is_stop |= row["eventId"] in self.told
                assert row["uid"] not in self.gone or is_stop, row
                self.told.add(row["eventId"])
            elif row["kind"] == "Pod":
                self._take_pod_row(row)

    def _take_pod_row(self, row: Json) -> None:
        uid, field = row["uid"], row["field"]
        if uid in self.gone and not (field == "deletion" and row["new"] == "removed"):
            # The row of the deletion itself aside, only what runs on without an object speaks.
            assert field.startswith(AFTER_DELETION), row
            assert uid in self.forced, row
        if field == "exists" and row["new"] == "deleted":
            self.gone[uid] = row["at_ms"]
        elif field == "phase":
            before = self.phases.get(uid)
            assert before not in FINAL, row
            assert row["old"] == before, row
            self.phases[uid] = row["new"]
        elif field.endswith(".restartCount"):
            key = (uid, field)
            assert row["new"] >= self.restarts.get(key, 0), row
            self.restarts[key] = row["new"]

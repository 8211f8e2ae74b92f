"""What must hold of every pod after every step, and of the rows of a history as they come."""

from typing import Any

Json = dict[str, Any]

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
FINAL = ("Succeeded", "Failed")
STATES = ("waiting", "running", "terminated")
AFTER_DELETION = ("container.", "hook.", "signal.", "probe.")


def check_pod(pod: Json) -> None:
    """The object says nothing that contradicts itself."""
    status, name = pod["status"], pod["metadata"]["name"]
    assert status["phase"] in PHASES, (name, status["phase"])
    for one in _statuses(status):
        assert len([state for state in STATES if state in one["state"]]) == 1, (name, one)
        assert not one["ready"] or "running" in one["state"] or _is_done_init(pod, one), (name, one)
    _check_phase(pod)
    _check_conditions(pod)


def _statuses(status: Json) -> list[Json]:
    return [one for part in ("initContainerStatuses", "containerStatuses") for one in status.get(part, [])]


def _is_done_init(pod: Json, one: Json) -> bool:
    # A regular init container that succeeded counts as ready.
    regular = [c["name"] for c in pod["spec"].get("initContainers", []) if c.get("restartPolicy") != "Always"]
    return one["name"] in regular and one["state"].get("terminated", {}).get("exitCode") == 0


def _check_phase(pod: Json) -> None:
    status, name = pod["status"], pod["metadata"]["name"]
    apps = status.get("containerStatuses", [])
    ends = [one["state"]["terminated"]["exitCode"] for one in apps if "terminated" in one["state"]]
    if status["phase"] == "Succeeded":
        assert len(ends) == len(apps) and not any(ends), (name, apps)
    if status["phase"] == "Running":
        for one in apps:
            was_started = "waiting" not in one["state"] or one.get("lastState")
            assert was_started, (name, one)
    if status["phase"] in FINAL and not status.get("reason"):
        assert not any("running" in one["state"] for one in apps), (name, apps)


def _check_conditions(pod: Json) -> None:
    status, name = pod["status"], pod["metadata"]["name"]
    held = {one["type"]: one["status"] for one in status.get("conditions", [])}
    assert len(held) == len(status.get("conditions", [])), (name, status["conditions"])
    if held.get("Ready") == "True":
        assert held["ContainersReady"] == held["Initialized"] == held["PodScheduled"] == "True", (name, held)
    if held.get("ContainersReady") == "True":
        assert all(one["ready"] for one in status["containerStatuses"]), (name, status)
        assert status["phase"] not in FINAL, (name, status["phase"])
    if held.get("PodScheduled") == "True":
        assert pod["spec"].get("nodeName"), name


class Watcher:
    """Reads rows in order and fails at the first that cannot follow what came before."""

    def __init__(self) -> None:
        self.seq = 0
        self.at_ms = 0
        self.phases: dict[str, str] = {}
        self.restarts: dict[tuple[str, str], int] = {}
        self.gone: set[str] = set()
        self.forced: set[str] = set()

    def take(self, rows: list[Json]) -> None:
        """The next rows of the history."""
        for row in rows:
            assert row["seq"] == self.seq + 1, (row, self.seq)
            assert row["at_ms"] >= self.at_ms, row
            self.seq, self.at_ms = row["seq"], row["at_ms"]
            if row["type"] == "transition" and row["kind"] == "Pod":
                self._take_pod_row(row)

    def _take_pod_row(self, row: Json) -> None:
        uid, field = row["uid"], row["field"]
        if uid in self.gone:
            assert field.startswith(AFTER_DELETION) or field == "deletion", row
            is_last = field == "deletion" and row["new"] == "removed"
            assert is_last or uid in self.forced, row
        if field == "exists" and row["new"] == "deleted":
            self.gone.add(uid)
        elif field == "phase":
            assert self.phases.get(uid) not in FINAL, row
            assert row["old"] == self.phases.get(uid), row
            self.phases[uid] = row["new"]
        elif field.endswith(".restartCount"):
            key = (uid, field)
            assert row["new"] >= self.restarts.get(key, 0), row
            self.restarts[key] = row["new"]

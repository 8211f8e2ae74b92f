"""How pods are replaced, and how long they may take to end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from lifecycle.check.remedies.candidates import Candidate, Case, make_patch
from lifecycle.engine.objects.storage import CLAIM_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND

SURGE, ROOM, RECREATE, PARALLEL, DEADLINE = "surge", "room", "recreate", "parallel", "progress deadline"
GRACE, SHELL, ONE_POD, LATER = "grace", "shell", "one pod", "min ready"
_READY_SECONDS = (10, 30)
GRACE_SECONDS = 30
"""What is set where nothing is said."""
_LADDER_SECONDS = (10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_800, 3_600)
_SHELLS = ("sh", "bash", "dash", "ash")
_ROLLING = "RollingUpdate"


def surge(case: Case) -> Iterator[Candidate]:
    """New pods come before old ones go."""
    room = {"maxSurge": 1, "maxUnavailable": 0}
    if (
        case.kind not in (DEPLOYMENT_KIND.id, DAEMON_SET_KIND.id)
        or case.strategy.get("rollingUpdate") == room
    ):
        return
    field = "updateStrategy" if case.kind == DAEMON_SET_KIND.id else "strategy"
    told = f"strategy {_ROLLING} with " if case.strategy.get("type", _ROLLING) != _ROLLING else ""
    change = {field: {"type": _ROLLING, "rollingUpdate": room}}
    yield case.change(f"{told}maxSurge 1, maxUnavailable 0", SURGE, change)


def make_room(case: Case) -> Iterator[Candidate]:
    """Old pods go before new ones come: they hold a place, a port or a volume."""
    field = "updateStrategy" if case.kind == DAEMON_SET_KIND.id else "strategy"
    is_rolling = case.strategy.get("type", _ROLLING) == _ROLLING
    if case.kind not in (DEPLOYMENT_KIND.id, DAEMON_SET_KIND.id) or not is_rolling:
        return
    room = {"maxSurge": 0, "maxUnavailable": 1}
    if case.strategy.get("rollingUpdate") != room:
        change = {field: {"type": _ROLLING, "rollingUpdate": room}}
        yield case.change("maxSurge 0, maxUnavailable 1", ROOM, change)


def recreate(case: Case) -> Iterator[Candidate]:
    """All old pods are gone before a new one is made."""
    if case.kind == DEPLOYMENT_KIND.id and case.strategy.get("type") != "Recreate":
        change = {"strategy": {"type": "Recreate", "rollingUpdate": None}}
        yield case.change("strategy Recreate", RECREATE, change)


def manage_in_parallel(case: Case) -> Iterator[Candidate]:
    """A pod that does not become ready is not waited for. It cannot be changed later: it is made anew."""
    if case.kind == STATEFUL_SET_KIND.id and case.spec.get("podManagementPolicy") != "Parallel":
        change = {"podManagementPolicy": "Parallel"}
        yield case.change("podManagementPolicy Parallel (the StatefulSet is made anew)", PARALLEL, change)


def wait_longer(case: Case) -> Iterator[Candidate]:
    """A rollout that takes its time is not called failed."""
    if case.kind == DEPLOYMENT_KIND.id:
        seconds = 3 * (case.spec.get("progressDeadlineSeconds") or 600)
        change = {"progressDeadlineSeconds": seconds}
        yield case.change(f"progressDeadlineSeconds {seconds}", DEADLINE, change)


def count_later(case: Case) -> Iterator[Candidate]:
    """New pods count when they have been ready for a while: what crashes takes no more old ones away."""
    known = case.spec.get("minReadySeconds") or 0
    for seconds in _READY_SECONDS if "selector" in case.spec else ():
        if seconds > known:
            yield case.change(f"minReadySeconds {seconds}", LATER, {"minReadySeconds": seconds})


def end_slower(case: Case) -> Iterator[Candidate]:
    """More time to end before it is killed: the shortest of a ladder that is enough."""
    known = case.pod.get("terminationGracePeriodSeconds", GRACE_SECONDS)
    for seconds in _LADDER_SECONDS:
        if seconds > known:
            change = {"terminationGracePeriodSeconds": seconds}
            yield case.change_pod(f"terminationGracePeriodSeconds {seconds}", GRACE, change)


def leave_shell(case: Case) -> Iterator[Candidate]:
    """The program is the first process, and gets the signals that a shell does not hand on."""
    for one in case.containers:
        words = [*(one.get("command") or ()), *(one.get("args") or ())]
        if len(words) != 3 or words[0].rpartition("/")[2] not in _SHELLS or words[1] != "-c":
            continue
        program = _find_program(words[2])
        if program:
            change = {"command": program, "args": None} if one.get("args") else {"command": program}
            text = f"command {' '.join(program)} without a shell around it, for {one['name']}"
            yield case.change_container(text, SHELL, one["name"], change)


def _find_program(script: str) -> list[str]:
    """The words of a script's only program, without what becomes of its output; [] for any other script."""
    if any(mark in script for mark in (";", "&&", "||", "$", "`", "\n", "(")):
        return []
    try:
        words = shlex.split(script.partition("|")[0])
    except ValueError:
        return []
    kept = list[str]()
    for word in words:
        if ">" in word or "<" in word:
            break
        kept.append(word)
    return [] if kept[:1] == ["exec"] else kept


def claim_for_one_pod(case: Case) -> Iterator[Candidate]:
    """A claim that no second pod can run with."""
    for volume in case.pod.get("volumes") or ():
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        claim = case.world.find((CLAIM_KIND.id, case.workload.namespace, name or ""))
        if claim is not None and (claim.get("spec") or {}).get("accessModes") == ["ReadWriteOnce"]:
            change = {"spec": {"accessModes": ["ReadWriteOncePod"]}}
            text = f"accessModes ReadWriteOncePod in PersistentVolumeClaim {name}, made anew"
            yield Candidate(text, make_patch(claim, change), ONE_POD)

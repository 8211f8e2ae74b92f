"""Simple agents by script, to measure how hard the incidents are: what a few reflexes come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern
from podline.gym.episode import Gym

_KINDS = ("deployments", "statefulsets", "daemonsets")
Agent = Callable[[Gym], Iterator[str]]
"""The actions of an agent, one after the other."""
_VERDICT = late_pattern(r"(?P<kind>[A-Z]\w+) (?P<namespace>[\w-]+)/(?P<name>[\w.-]+): (?P<text>.*)")
_UNDO = "rollout undo {kind}/{name} -n shop"
_OF_WORKLOADS: tuple[tuple[str, str, str, str], ...] = (
    # What is read, the cause, what it is about, and what is done.
    ("ImagePullBackOff|ErrImagePull", "image-not-found", "", _UNDO),
    ("OOMKilled", "memory-limit", "", "set resources {kind}/{name} -n shop --limits=memory=1Gi"),
    ("its liveness probe failed", "wrong-probe", "", _UNDO),
    ("it has to be deleted", "broken-release", "", "delete pod {pod} -n shop"),
    (r"probe of \w+ fails.*connection refused", "wrong-probe", "", _UNDO),
    (r"probe of \w+ fails|ended with exit code 1 ", "broken-release", "", _UNDO),
    ('secret "[^"]*" not found', "missing-secret", "", _UNDO),
    ("couldn't find key", "missing-key", "", _UNDO),
    ("runAsNonRoot", "security-context", "", _UNDO),
    ("serviceaccount .* not found", "missing-service-account", "", _UNDO),
    ("exceeded quota: limits", "quota", "resourcequota/limits", "delete resourcequota limits -n shop"),
    ("maximum memory usage", "limit-range", "limitrange/sizes", "delete limitrange sizes -n shop"),
    ("Insufficient", "requests-too-large", "", _UNDO),
    ("node affinity/selector", "node-selector", "", _UNDO),
    ("anti-affinity", "anti-affinity", "", _UNDO),
    ("untolerated taint", "node-tainted", "node/node-1", "taint nodes {node} maintenance-"),
    ("were unschedulable", "node-cordoned", "node/node-1", "uncordon {node}"),
    ("^Paused", "rollout-paused", "", "rollout resume {kind}/{name} -n shop"),
    (
        "suspended: no run",
        "suspended",
        "",
        'patch {kind} {name} -n shop -p \'{{"spec":{{"suspend":false}}}}\'',
    ),
    ("does not say that it has ended", "node-lost", "node/node-2", "delete pod {pod} -n shop --force"),
    ("is refused .* by budget", "disruption-budget", "poddisruptionbudget/{name}", ""),
    ("its autoscaler", "autoscaler-bounds", "horizontalpodautoscaler/{name}", ""),
    (
        "sent to nobody .* nothing will change",
        "scaled-to-zero",
        "",
        "scale {kind}/{name} --replicas=2 -n shop",
    ),
)
_POD = late_pattern(r"(?P<pod>[a-z][\w-]*-[\w]+): ")


def do_nothing(gym: Gym) -> Iterator[str]:
    """Goes at once."""
    yield "done"


def restart_everything(gym: Gym) -> Iterator[str]:
    """Restarts every workload and waits."""
    for target in _list_targets(gym):
        yield f"rollout restart {target} -n shop"
    yield from ("sleep 10m", "done")


def undo_last_rollout(gym: Gym) -> Iterator[str]:
    """Undoes the last rollout of every workload that has one."""
    for target in _list_targets(gym):
        yield f"rollout undo {target} -n shop"
    yield from ("sleep 10m", "done")


def raise_limits(gym: Gym) -> Iterator[str]:
    """Gives every workload more memory and asks for little."""
    for target in _list_targets(gym):
        yield f"set resources {target} -n shop --limits=memory=2Gi --requests=cpu=50m,memory=64Mi"
    yield from ("sleep 10m", "done")


def read_why(gym: Gym) -> Iterator[str]:
    """Reads what is said of every workload (`why`), and does what goes with the first thing it knows."""
    import re

    found = [match for match in map(_VERDICT.fullmatch, gym.cluster.describe().split("\n")) if match]
    for pattern, cause, about, action in _OF_WORKLOADS:
        for match in found:
            if match["kind"] != "ReplicaSet" and re.search(pattern, match["text"]):
                yield from _act(match.groupdict(), cause, about, action)
                yield from ("sleep 10m", "done")
                return
    yield "done"


def _act(told: Mapping[str, Any], cause: str, about: str, action: str) -> Iterator[str]:
    pod = _POD.search(told["text"])
    names = {"kind": told["kind"].lower(), "name": told["name"], "pod": pod["pod"] if pod else "none"}
    yield f"answer {cause} {about.format(**names) or '{kind}/{name}'.format(**names)}"
    for node in ("node-1", "node-2", "node-3") if "{node}" in action else ("",):
        if action:
            yield action.format(**names, node=node)


def _list_targets(gym: Gym) -> list[str]:
    found = [f"{kind}/{one['metadata']['name']}" for kind in _KINDS for one in gym.cluster.list(kind, "shop")]
    return found


AGENTS: Mapping[str, Agent] = {
    "do-nothing": do_nothing,
    "restart-everything": restart_everything,
    "undo-last-rollout": undo_last_rollout,
    "raise-limits": raise_limits,
    "read-why": read_why,
}


def play(incident: str, agent: Agent) -> Gym:
    """One episode of an agent, to be scored."""
    gym = Gym(incident)
    for action in agent(gym):
        _, _, is_over, is_cut, _ = gym.step(action, is_scored=False)
        if is_over or is_cut:
            break
    return gym

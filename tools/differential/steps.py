"""A scenario's steps as requests to a real API: what kubectl would send for each of them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.differential.client import JSON_PATCH, MERGE, PATHS, STRATEGIC, Answer, Client, Json, path_of

Silence = Callable[[str, float], None]
TYPES = {"merge": MERGE, "strategic": STRATEGIC, "json": JSON_PATCH}
KINDS = {kind.lower(): kind for kind in PATHS}
OWN_NODES_TAINT = {"key": "lab/own", "value": "yes", "effect": "NoSchedule"}
SILENT = ("kubeletDown", "partition")
"""What a node's silence is: the same for whoever listens to it."""


@dataclass(frozen=True)
class Sender:
    """Sends what is asked for to one namespace.

    `kubectl` is for what kubectl alone knows how to do; `silence` has a hollow node fall silent.
    """

    client: Client
    namespace: str
    kubectl: str = ""
    silence: Silence | None = None

    def create(self, thing: Json) -> Answer:
        return self.client.ask("POST", path_of(thing["kind"], self.namespace), thing)

    def take(self, kind: str, value: Any) -> Answer:
        """One step. Raises ValueError for one that only Podline knows."""
        if kind not in STEPS:
            raise ValueError(
                f"a step `{kind}` cannot be taken on a real cluster; these can: {', '.join(STEPS)}"
            )
        return STEPS[kind](self, value)

    def path(self, kind: str, name: str, subresource: str = "") -> str:
        return path_of(kind, self.namespace, name, subresource)

    def run_kubectl(self, *arguments: str) -> Answer:
        """What kubectl said; its exit status as a code."""
        if not self.kubectl:
            raise ValueError("a step `rollout` needs kubectl: name it with --kubectl")
        whole = [self.kubectl, "--kubeconfig", str(self.client.kubeconfig), "-n", self.namespace, *arguments]
        done = subprocess.run(whole, capture_output=True, text=True, check=False, timeout=120)
        if not done.returncode:
            return Answer(200, {})
        return Answer(500, {"message": re.sub(r"^Error from server \(\w+\): ", "", done.stderr.strip())})


def _patch(sender: Sender, value: Json) -> Answer:
    path = sender.path(value["kind"], value["name"], value.get("subresource", ""))
    return sender.client.ask("PATCH", path, value["patch"], TYPES[value.get("type", "strategic")])


def _find_named(value: Json) -> tuple[str, str]:
    """`{deployment: web, …}`"""
    short = next(name for name in value if name in KINDS)
    return KINDS[short], value[short]


def _set_image(sender: Sender, value: Json) -> Answer:
    kind, name = _find_named(value)
    containers = [{"name": value["container"], "image": value["image"]}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    return sender.client.ask("PATCH", sender.path(kind, name), patch, STRATEGIC)


def _scale(sender: Sender, value: Json) -> Answer:
    kind, name = _find_named(value)
    patch = {"spec": {"replicas": value["replicas"]}}
    return sender.client.ask("PATCH", sender.path(kind, name, "scale"), patch, MERGE)


def _delete(sender: Sender, value: Json) -> Answer:
    options = {key: value[key] for key in ("propagationPolicy", "gracePeriodSeconds") if key in value}
    options.setdefault("propagationPolicy", "Background")
    if options.get("gracePeriodSeconds") == 0:
        # As kubectl sends it: at once is only with --force.
        options["gracePeriodSeconds"] = 1
    return sender.client.ask("DELETE", sender.path(value["kind"], value["name"]), options)


def _evict(sender: Sender, value: Json) -> Answer:
    name = value["pod"]
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": sender.namespace},
    }
    return sender.client.ask("POST", sender.path("Pod", name, "eviction"), eviction)


def _cordon(sender: Sender, node: str) -> Answer:
    return sender.client.ask("PATCH", path_of("Node", name=node), {"spec": {"unschedulable": True}}, MERGE)


def _uncordon(sender: Sender, node: str) -> Answer:
    return sender.client.ask("PATCH", path_of("Node", name=node), {"spec": {"unschedulable": None}}, MERGE)


def _taint(sender: Sender, value: Json) -> Answer:
    """These taints in place of those it has; what keeps a scenario's nodes to itself stays."""
    patch = {"spec": {"taints": [OWN_NODES_TAINT, *value["taints"]]}}
    return sender.client.ask("PATCH", path_of("Node", name=value["node"]), patch, MERGE)


def _fault(sender: Sender, value: Json) -> Answer:
    if sender.silence is None or value["kind"] not in SILENT:
        raise ValueError(
            f"a fault `{value['kind']}` cannot be made there: {' and '.join(SILENT)}, with --hollow"
        )
    sender.silence(value["node"], float(value["for"].removesuffix("s")))
    return Answer(200, {})


def _rollout(sender: Sender, value: Json) -> Answer:
    action, target = next((key, value[key]) for key in ("restart", "pause", "resume", "undo") if key in value)
    more = [f"--to-revision={value['toRevision']}"] if "toRevision" in value else []
    return sender.run_kubectl("rollout", action, target, *more)


STEPS: dict[str, Callable[[Sender, Any], Answer]] = {
    "create": Sender.create,
    "patch": _patch,
    "setImage": _set_image,
    "scale": _scale,
    "delete": _delete,
    "evict": _evict,
    "cordon": _cordon,
    "uncordon": _uncordon,
    "taint": _taint,
    "fault": _fault,
    "rollout": _rollout,
}


def rename_nodes(value: Any, nodes: list[str]) -> Any:
    """The same, with `hollow-1` and so on in place of which a slot has its own nodes."""
    text = json.dumps(value)
    for number, node in reversed([*enumerate(nodes, 1)]):
        text = text.replace(f'"hollow-{number}"', json.dumps(node))
    return json.loads(text)

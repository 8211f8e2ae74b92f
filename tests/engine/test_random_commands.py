"""Objects and patches with wrong values at random places: each is answered, and no cluster dies of any."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings

pytestmark = pytest.mark.slow

Json = dict[str, Any]
Path = tuple[Any, ...]

POD_SPEC: Json = {
    "hostUsers": False,
    "terminationGracePeriodSeconds": 5,
    "securityContext": {"runAsUser": 5, "fsGroup": 3, "supplementalGroups": [1]},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "initContainers": [{"name": "init", "image": "busybox:1", "command": ["sh", "-c", "sleep 1"]}],
    "containers": [
        {
            "name": "app",
            "image": "nginx:1",
            "ports": [{"containerPort": 80, "name": "http"}],
            "env": [
                {"name": "A", "value": "b"},
                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ],
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "200m"}},
            "volumeMounts": [{"name": "config", "mountPath": "/config"}],
            "livenessProbe": {"httpGet": {"port": 80, "path": "/"}, "periodSeconds": 5},
            "lifecycle": {"preStop": {"exec": {"command": ["sleep", "1"]}}},
            "securityContext": {"capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}},
        }
    ],
    "volumes": [{"name": "config", "configMap": {"name": "config", "items": [{"key": "a", "path": "b"}]}}],
}


def make(kind: str, name: str, api_version: str = "v1", **fields: Any) -> Json:
    meta = {"name": name, "namespace": "default", "labels": {"app": name}}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **fields}


TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD_SPEC}
OBJECTS = [
    make("ConfigMap", "config", data={"a": "x"}),
    make("Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}),
    make("ResourceQuota", "quota", spec={"hard": {"pods": "100"}}),
    make("Pod", "alone", spec=POD_SPEC),
    make(
        "Deployment",
        "web",
        "apps/v1",
        spec={
            "replicas": 2,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}},
            "selector": {"matchLabels": {"app": "web"}},
            "template": TEMPLATE,
        },
    ),
]
VALUES: list[Any] = [
    None, 5, -1, 0, 10**30, 3.5, "x", "", "10Gi", "-5", "50%", True, False, [], {}, [1], ["x"], [None], [{}],
    [[]], {"a": 1}, {"a": {}}, {"name": 5}, [{"name": "app"}], {"app": "other"},
]  # fmt: skip
FIELDS = (
    "spec status metadata securityContext affinity nodeSelector os hostUsers hostNetwork overhead priority"
    " readinessGates schedulingGates topologySpreadConstraints activeDeadlineSeconds deletionTimestamp"
    " ownerReferences finalizers labels annotations phase conditions containerStatuses allocatable nodeInfo"
    " taints unschedulable hostname subdomain envFrom startupProbe readinessProbe windowsOptions"
    " seccompProfile ephemeralContainers restartPolicyRules resizePolicy lifecycle paused clusterIP replicas"
    " template data nodeName ports restartPolicy image command resources resourceVersion"
    " generation uid name namespace volumes tolerations hard capacity exec httpGet tcpSocket minReadySeconds"
).split()


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from paths(inner, (*path, name))


def spoil(data: Json, chance: random.Random) -> Json:
    """A copy with some other value somewhere, in a field that it has or in a new one."""
    data = copy.deepcopy(data)
    place: Any = data
    path = chance.choice([*paths(data)][1:])
    for name in path[:-1]:
        place = place[name]
    if isinstance(place[path[-1]], dict) and chance.random() < 0.5:
        place, path = place[path[-1]], (chance.choice(FIELDS),)
    place[path[-1]] = copy.deepcopy(chance.choice(VALUES))
    return data


class Life:
    """One cluster, and what is done to it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.cluster = Cluster(1, settings=Settings(nodes={"count": 2}))
        self.count = 0
        for data in OBJECTS:
            self.submit("create", {"object": copy.deepcopy(data)})
        self.cluster.run_until(10_000)

    def submit(self, kind: str, payload: Json) -> None:
        self.count += 1
        result = self.cluster.submit(Command(f"c{self.count}", kind, payload))
        assert result.ok or (result.status or {}).get("message"), (kind, payload, result)

    def live(self) -> None:
        for _ in range(8):
            self.chance.choice([self._patch, self._patch, self._write, self._put])()
            self.cluster.run_until(self.cluster.now_ms + 5_000)
            self.cluster.take_changes()
            self.cluster = Cluster.load(self.cluster.save())
        self.cluster.run_until(self.cluster.now_ms + 120_000)
        for kind in self.cluster.kinds():
            self.cluster.list(kind)

    def _patch(self) -> None:
        names = [(data["kind"], data["metadata"]["name"]) for data in OBJECTS]
        kind, name = self.chance.choice([*names, ("Node", "node-1")])
        known = self.cluster.get(kind, "default" if kind != "Node" else "", name)
        if known is None:
            return
        patch = spoil(known, self.chance)
        if isinstance(patch.get("metadata"), dict):
            patch["metadata"].pop("resourceVersion", None)
        how = self.chance.choice(["merge", "strategic"])
        payload = {"kind": kind, "namespace": "default", "name": name, "type": how, "patch": patch}
        subresource = self.chance.choice([None, None, "status", "resize", "ephemeralcontainers", "scale"])
        self.submit("patch", payload | ({"subresource": subresource} if subresource else {}))

    def _write(self) -> None:
        data = copy.deepcopy(self.chance.choice(OBJECTS))
        if self.chance.random() < 0.5:
            data["metadata"]["name"] += f"-{self.count}"
        self.submit(self.chance.choice(["create", "apply", "replace"]), {"object": spoil(data, self.chance)})

    def _put(self) -> None:
        spec = {name: value for name, value in POD_SPEC.items() if name != "volumes"}
        spec["containers"] = [{**spec["containers"][0], "volumeMounts": []}]
        self.submit(
            "staticPod", {"node": "node-1", "manifest": spoil(make("Pod", "st", spec=spec), self.chance)}
        )


def test_random_commands_never_break_a_cluster() -> None:
    for seed in range(8):
        Life(seed).live()


@pytest.mark.deep
@pytest.mark.parametrize("block", range(20))
def test_many_more_random_commands(block: int) -> None:
    for seed in range(100 + block * 50, 150 + block * 50):
        Life(seed).live()

"""Random manifests, and what becomes of them from one apply to the next.

A manifest is made of parts, each drawn by itself; the next one has most of them from the one before and draws
the others anew, so that entries, fields and whole parts come, change, move and go. What others do between two
applies are patches.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Draw = Callable[[random.Random], Any]
ABSENT = "absent"
DEFINITION: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "foos.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "foos", "singular": "foo", "kind": "Foo"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                        },
                    }
                },
            }
        ],
    },
}


# --- drawing ----------------------------------------------------------------------------------------------


def some(rng: random.Random, of: Any, most: int = 3, again: float = 0.0) -> list[Any]:
    """Some of these in any order; the one or the other twice."""
    names = rng.sample(list(of), rng.randint(0, min(most, len(of))))
    return [*names, *[name for name in names if rng.random() < again]]


def mapping(rng: random.Random, of: str = "abcd") -> Json:
    """Strings by name; now and then one is null."""
    return {name: None if rng.random() < 0.08 else str(rng.randint(1, 3)) for name in some(rng, of, 4)}


def strings(rng: random.Random) -> list[str]:
    return [rng.choice("xyz") for _ in range(rng.randint(0, 4))]


def one_of(*values: Any) -> Draw:
    return lambda rng: rng.choice(values)


def fields(draws: dict[str, Draw], absent: float = 0.5, null: float = 0.05) -> Draw:
    """A mapping of what is drawn; each of them may be absent or null."""

    def draw(rng: random.Random) -> Json:
        found: Json = {}
        for name, part in draws.items():
            chance = rng.random()
            if chance >= absent + null:
                found[name] = part(rng)
            elif chance >= absent:
                found[name] = None
        return found

    return draw


def entries(key: str, of: Any, more: dict[str, Draw], again: float = 0.0, most: int = 3) -> Draw:
    """A list of mappings that are told apart by a key."""
    return lambda rng: [{key: name, **fields(more, 0.5, 0)(rng)} for name in some(rng, of, most, again)]


# --- parts of pods ----------------------------------------------------------------------------------------

AMOUNTS = fields({"cpu": one_of("100m", "1", 2), "memory": one_of("64Mi", "1Gi")}, 0.4, 0)
HANDLERS = (
    {"exec": {"command": ["true"]}},
    {"httpGet": {"path": "/", "port": 80}},
    {"httpGet": {"path": "/x", "port": "web", "httpHeaders": [{"name": "H", "value": "1"}]}},
    {"tcpSocket": {"port": 53}},
)


def probe(rng: random.Random) -> Json:
    return {
        **rng.choice(HANDLERS),
        **fields({"periodSeconds": one_of(5, 7), "timeoutSeconds": one_of(2)})(rng),
    }


def environment(rng: random.Random) -> list[Json]:
    field = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    return [
        {"name": name, **rng.choice([{"value": "1"}, {"value": "2"}, {"value": ""}, {}, field])}
        for name in some(rng, "ABCD", 4, 0.15)
    ]


def ports(rng: random.Random) -> list[Json]:
    found = []
    for number in some(rng, (53, 80, 8080), 3, 0.3):
        port: Json = {"containerPort": number}
        if rng.random() < 0.5:
            port["protocol"] = rng.choice(["TCP", "UDP"])
        if rng.random() < 0.4:
            port["name"] = f"p{len(found)}-{number}"
        found.append(port)
    return found


SECURITY = fields(
    {
        "runAsUser": one_of(0, 1000),
        "capabilities": fields({"add": lambda rng: some(rng, "ABC"), "drop": one_of(["ALL"], [])}),
        "readOnlyRootFilesystem": one_of(True, False),
    }
)
READ_ONLY, PATHS = fields({"readOnly": one_of(True, False)}), ("/a", "/b", "/c")
CONTAINER: dict[str, Draw] = {
    "image": one_of("nginx:1", "nginx:2"),
    "args": strings,
    "env": environment,
    "envFrom": lambda rng: [{"configMapRef": {"name": name}} for name in some(rng, "xy")],
    "ports": ports,
    "resources": fields({"limits": AMOUNTS}),
    "livenessProbe": probe,
    "readinessProbe": probe,
    "securityContext": SECURITY,
    "volumeMounts": lambda rng: [
        {"mountPath": path, "name": "v", **READ_ONLY(rng)} for path in some(rng, PATHS)
    ],
    "lifecycle": fields({"preStop": lambda rng: rng.choice(HANDLERS[:2])}),
}


def containers(rng: random.Random) -> list[Json]:
    draw = fields(CONTAINER, 0.7)
    names = some(rng, "abc") or ["a"]
    return [{"image": "busybox", **draw(rng), "name": name} for name in names]


def volumes(rng: random.Random) -> list[Json]:
    sources = ({"emptyDir": {}}, {"emptyDir": {"medium": "Memory"}}, {"configMap": {"name": "x"}}, {})
    made = [{"name": name, **rng.choice(sources)} for name in some(rng, "wx")]
    return [{"name": "v", **rng.choice(sources)}, *made] if rng.random() < 0.9 else made


def spread(rng: random.Random) -> list[Json]:
    return [
        {"topologyKey": key, "whenUnsatisfiable": when, "maxSkew": rng.randint(1, 2)}
        for key, when in some(
            rng, [(key, when) for key in "yz" for when in ("DoNotSchedule", "ScheduleAnyway")]
        )
    ]


def tolerations(rng: random.Random) -> list[Json]:
    return [
        {"key": key, "operator": "Exists", **rng.choice([{}, {"effect": "NoSchedule"}])}
        for key in some(rng, "ab")
    ]


def affinity(rng: random.Random) -> Json:
    term = {"matchExpressions": [{"key": rng.choice("ab"), "operator": "Exists"}]}
    hard = "requiredDuringSchedulingIgnoredDuringExecution"
    near = {"weight": rng.randint(1, 2), "podAffinityTerm": {"topologyKey": "z"}}
    return rng.choice(
        [
            {"nodeAffinity": {hard: {"nodeSelectorTerms": [term]}}},
            {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [near]}},
            {},
        ]
    )


def plain_containers(rng: random.Random) -> list[Json]:
    return [{"name": name, "image": rng.choice(["x:1", "x:2"])} for name in some(rng, "ab")]


POD: dict[str, Draw] = {
    "containers": containers,
    "initContainers": lambda rng: [{**one, "name": f"i{one['name']}"} for one in plain_containers(rng)],
    "volumes": volumes,
    "nodeSelector": mapping,
    "tolerations": tolerations,
    "topologySpreadConstraints": spread,
    "affinity": affinity,
    "hostAliases": entries("ip", ("1.1.1.1", "2.2.2.2"), {"hostnames": lambda rng: some(rng, "hi")}, 0.2),
    "imagePullSecrets": entries("name", "xyz", {}),
    "terminationGracePeriodSeconds": one_of(0, 5),
    "securityContext": fields(
        {"fsGroup": one_of(1, 2), "supplementalGroups": lambda rng: some(rng, (1, 2, 3))}
    ),
    "dnsPolicy": one_of("Default", "ClusterFirst"),
}


# --- kinds ------------------------------------------------------------------------------------------------

META: dict[str, Draw] = {
    "labels": mapping,
    "annotations": mapping,
    "finalizers": lambda rng: some(rng, ("x.io/a", "x.io/b", "x.io/c")),
}
COUNT = one_of(1, 2, "30%", "50%")


def of_pods(**spec: Draw) -> dict[str, Draw]:
    """The parts of a workload: its own, and those of its template."""
    found = {f"spec.{name}": draw for name, draw in spec.items()}
    found["spec.template.metadata.annotations"] = mapping
    return found | {f"spec.template.spec.{name}": draw for name, draw in POD.items()}


def rolling(rng: random.Random) -> Json:
    return rng.choice(
        [
            {"type": "Recreate"},
            {"type": "RollingUpdate"},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": COUNT(rng)}},
            {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": COUNT(rng)}},
        ]
    )


def update_strategy(rng: random.Random) -> Json:
    return rng.choice([{"type": "OnDelete"}, {"type": "RollingUpdate"}, {}])


def service_ports(rng: random.Random) -> list[Json]:
    found = some(rng, [(number, protocol) for number in (53, 80) for protocol in ("TCP", "UDP")], 3)
    return [
        {"name": f"{protocol.lower()}{number}", "port": number, "protocol": protocol, **target(rng)}
        for number, protocol in found or [(80, "TCP")]
    ]


def target(rng: random.Random) -> Json:
    return rng.choice([{}, {}, {"targetPort": 8080}, {"targetPort": "web"}])


def metrics(rng: random.Random) -> list[Json]:
    return [
        {
            "type": "Resource",
            "resource": {
                "name": name,
                "target": {"type": "Utilization", "averageUtilization": rng.randint(50, 52)},
            },
        }
        for name in some(rng, ("cpu", "memory"))
    ]


def ingress_rules(rng: random.Random) -> list[Json]:
    def back(name: str) -> Json:
        return {"service": {"name": name, "port": {"number": 80}}}

    return [
        {
            "host": f"{host}.io",
            "http": {
                "paths": [
                    {"path": f"/{name}", "pathType": "Prefix", "backend": back(name)}
                    for name in some(rng, "xy")
                ]
                or [{"path": "/", "pathType": "Exact", "backend": back("x")}]
            },
        }
        for host in some(rng, "ab") or ["a"]
    ]


def peers(rng: random.Random) -> list[Json]:
    """Who may talk to the pods of a policy."""
    drawn = fields({"podSelector": selector, "namespaceSelector": selector}, 0.3, 0)
    block = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}
    return [block if rng.random() < 0.3 else drawn(rng) or block for _ in range(rng.randint(0, 2))]


def selector(rng: random.Random) -> Json:
    return {"matchLabels": dict.fromkeys(some(rng, "ab"), "1")}


def policy_rules(way: str) -> Draw:
    """Of one direction: lists without keys, which are taken as wholes."""
    numbers = fields({"port": one_of(53, 80, "web"), "protocol": one_of("TCP", "UDP"), "endPort": one_of(90)})
    draw = fields({way: peers, "ports": lambda rng: [numbers(rng) for _ in range(rng.randint(0, 2))]})
    return lambda rng: [draw(rng) for _ in range(rng.randint(0, 2))]


def limits(rng: random.Random) -> list[Json]:
    draw = fields({"default": AMOUNTS, "max": fields({"cpu": one_of(2, "4")}, 0.2, 0)})
    return [{"type": type_, **draw(rng)} for type_ in some(rng, ("Container", "Pod")) or ["Container"]]


def endpoints(rng: random.Random) -> list[Json]:
    draw = fields(
        {
            "conditions": fields({"ready": one_of(True, False)}),
            "hostname": one_of("h", "i"),
            "zone": one_of("z"),
        }
    )
    return [{"addresses": [address], **draw(rng)} for address in some(rng, ("10.0.0.1", "10.0.0.2"))]


def slice_ports(rng: random.Random) -> list[Json]:
    more = fields({"port": one_of(53, 80), "protocol": one_of("TCP", "UDP"), "appProtocol": one_of("http")})
    return [{"name": name, **more(rng)} for name in some(rng, ("a", "b"))]


def subjects(rng: random.Random) -> list[Json]:
    accounts = [{"kind": "ServiceAccount", "name": name, "namespace": "default"} for name in some(rng, "xyz")]
    group = "rbac.authorization.k8s.io"
    return accounts + [{"kind": "User", "name": name, "apiGroup": group} for name in some(rng, "uv", 1)]


def free(rng: random.Random, depth: int = 3) -> Any:
    """Any JSON, with entries that have names."""
    kind = rng.randint(0, 5) if depth else 0
    if kind <= 2:
        return rng.choice([1, 1.5, "x", True, None, "", 0, [], {}])
    if kind == 3:
        return [{"name": name, "value": free(rng, depth - 1)} for name in some(rng, "ab", 3, 0.2)]
    if kind == 4:
        return [free(rng, depth - 1) for _ in range(rng.randint(0, 2))]
    return {name: free(rng, depth - 1) for name in some(rng, "abc")}


def same_labels(part: str) -> Json:
    return {"selector": {"matchLabels": {"app": "n"}}, part: {"metadata": {"labels": {"app": "n"}}}}


POLICIES: dict[str, Draw] = {
    "whenDeleted": one_of("Retain", "Delete"),
    "whenScaled": one_of("Retain", "Delete"),
}
REFERENCE = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}
RULE = fields({"resources": lambda rng: some(rng, ("pods", "secrets")) or ["pods"]}, 0, 0)
KINDS: dict[str, tuple[str, Json, dict[str, Draw]]] = {
    "Deployment": (
        "apps/v1",
        {"spec": same_labels("template")},
        of_pods(
            replicas=one_of(0, 1, 3),
            strategy=rolling,
            minReadySeconds=one_of(0, 3),
            paused=one_of(True, False),
        ),
    ),
    "StatefulSet": (
        "apps/v1",
        {"spec": {**same_labels("template"), "serviceName": "n"}},
        of_pods(
            replicas=one_of(0, 2),
            updateStrategy=update_strategy,
            persistentVolumeClaimRetentionPolicy=fields(POLICIES),
        ),
    ),
    "DaemonSet": (
        "apps/v1",
        {"spec": same_labels("template")},
        of_pods(updateStrategy=update_strategy, revisionHistoryLimit=one_of(1, 3)),
    ),
    "CronJob": (
        "batch/v1",
        {
            "spec": {
                "schedule": "0 0 1 1 *",
                "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}},
            }
        },
        {
            "spec.suspend": one_of(True, False),
            "spec.concurrencyPolicy": one_of("Allow", "Forbid"),
            "spec.jobTemplate.spec.backoffLimit": one_of(0, 3),
            "spec.jobTemplate.spec.template.spec.containers": containers,
            "spec.jobTemplate.spec.template.spec.volumes": volumes,
        },
    ),
    "Service": (
        "v1",
        {},
        {
            "spec.ports": service_ports,
            "spec.selector": mapping,
            "spec.externalIPs": lambda rng: some(rng, ("1.1.1.1", "2.2.2.2")),
            "spec.sessionAffinity": one_of("None", "ClientIP"),
            "spec.publishNotReadyAddresses": one_of(True, False),
        },
    ),
    "ConfigMap": ("v1", {}, {"data": mapping, "binaryData": fields({"y": one_of("YQ==", "Yg==")})}),
    "Secret": (
        "v1",
        {},
        {"data": fields({"a": one_of("YQ==", "Yg=="), "b": one_of("YQ==")}), "stringData": mapping},
    ),
    "PodDisruptionBudget": (
        "policy/v1",
        {"spec": {"selector": {"matchLabels": {"a": "b"}}}},
        {
            "spec": lambda rng: {
                rng.choice(["minAvailable", "maxUnavailable"]): COUNT(rng),
                "selector": {"matchLabels": dict.fromkeys(some(rng, "ab"), "1")},
            }
        },
    ),
    "HorizontalPodAutoscaler": (
        "autoscaling/v2",
        {"spec": {"scaleTargetRef": REFERENCE, "maxReplicas": 4}},
        {
            "spec.minReplicas": one_of(1, 2),
            "spec.metrics": metrics,
            "spec.behavior": fields({"scaleDown": fields({"stabilizationWindowSeconds": one_of(0, 60)})}),
        },
    ),
    "Ingress": (
        "networking.k8s.io/v1",
        {},
        {
            "spec.rules": ingress_rules,
            "spec.tls": lambda rng: [
                {"hosts": some(rng, ("a.io", "b.io")), "secretName": name} for name in some(rng, "st")
            ],
            "spec.ingressClassName": one_of("x", "y"),
        },
    ),
    "Role": (
        "rbac.authorization.k8s.io/v1",
        {},
        {
            "rules": lambda rng: (
                [{"apiGroups": [""], "verbs": some(rng, ("get", "list")) or ["get"], **RULE(rng)}]
                * rng.randint(0, 2)
            )
        },
    ),
    "ServiceAccount": (
        "v1",
        {},
        {
            "imagePullSecrets": entries("name", "xyz", {}, 0.1),
            "secrets": entries("name", "xyz", {}, 0.1),
            "automountServiceAccountToken": one_of(True, False),
        },
    ),
    "ReplicaSet": (
        "apps/v1",
        {"spec": same_labels("template")},
        of_pods(replicas=one_of(0, 1), minReadySeconds=one_of(0, 3)),
    ),
    "ReplicationController": (
        "v1",
        {"spec": {"selector": {"app": "n"}, "template": {"metadata": {"labels": {"app": "n"}}}}},
        of_pods(replicas=one_of(0, 1), minReadySeconds=one_of(0, 3)),
    ),
    "PodTemplate": (
        "v1",
        {},
        {"template.metadata.labels": mapping} | {f"template.spec.{name}": draw for name, draw in POD.items()},
    ),
    "NetworkPolicy": (
        "networking.k8s.io/v1",
        {"spec": {"podSelector": {}}},
        {
            "spec.podSelector": selector,
            "spec.ingress": policy_rules("from"),
            "spec.egress": policy_rules("to"),
            "spec.policyTypes": lambda rng: some(rng, ("Ingress", "Egress")),
        },
    ),
    "LimitRange": ("v1", {}, {"spec.limits": limits}),
    "EndpointSlice": (
        "discovery.k8s.io/v1",
        {"addressType": "IPv4"},
        {"endpoints": endpoints, "ports": slice_ports},
    ),
    "RoleBinding": (
        "rbac.authorization.k8s.io/v1",
        {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"}},
        {"subjects": subjects},
    ),
    "Foo": ("example.com/v1", {}, {"spec": fields(dict.fromkeys("klm", free), 0.3), "spec.list": free}),
}


# --- sequences --------------------------------------------------------------------------------------------


def make_manifest(kind: str, name: str, parts: Json) -> Json:
    """The manifest of a kind with these parts, by their paths."""
    version, base, _draws = KINDS[kind]
    manifest = copy_of({"apiVersion": version, "kind": kind, **base})
    manifest["metadata"] = {"name": name, "namespace": "default"}
    for path, value in sorted(parts.items()):
        *above, last = path.split(".")
        within = manifest
        for step in above:
            within = within.setdefault(step, {}) if isinstance(within.get(step, {}), dict) else {}
        if value != ABSENT:
            within[last] = value
    return manifest


def copy_of(value: Any) -> Any:
    return json.loads(json.dumps(value))


def draw_parts(kind: str, rng: random.Random, former: Json | None) -> Json:
    """The parts of the next manifest; of the first one without a former."""
    draws = {f"metadata.{name}": draw for name, draw in META.items()} | KINDS[kind][2]
    found: Json = {}
    for path, draw in draws.items():
        if former is not None and rng.random() < 0.65:
            found[path] = former[path]
        else:
            is_needed = path.endswith((".containers", ".volumes", ".ports", ".rules"))
            found[path] = draw(rng) if is_needed or rng.random() < 0.5 else rng.choice([ABSENT] * 6 + [None])
    return {path: copy_of(value) for path, value in found.items()}


def make_sequence(seed: int, name: str, applies: int = 3) -> list[tuple[str, Json]]:
    """("apply", manifest) in turn, and some ("merge" or "strategic", patch) of others in between."""
    rng = random.Random(seed)
    kind = list(KINDS)[seed % len(KINDS)]
    parts, steps = None, list[tuple[str, Json]]()
    for _ in range(applies):
        if parts is not None and rng.random() < 0.4:
            others = make_manifest(kind, name, draw_parts(kind, rng, parts))
            strategy = "merge" if kind == "Foo" else rng.choice(["merge", "strategic"])
            steps.append(
                (strategy, {key: others[key] for key in others if key not in ("apiVersion", "kind")})
            )
        parts = draw_parts(kind, rng, parts)
        steps.append(("apply", make_manifest(kind, name, parts)))
    return steps

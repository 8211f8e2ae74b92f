"""What an API server answers to volumes, claims, classes, quotas and the like that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create

Json = dict[str, Any]
SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters"
EXPRESSION = "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0]"
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "old"}
UNQUALIFIED = "name is neither a standard finalizer name nor is it fully qualified"


def refuse(kind: str, version: str, **data: Any) -> list[str]:
    given = {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, **data}
    return [
        str(error) for error in validate_create(apply_defaults(given, FEATURE_DEFAULTS), FEATURE_DEFAULTS)
    ]


def begin(found: list[str], expected: list[str]) -> bool:
    """Whether each of the texts begins as expected."""
    return len(found) == len(expected) and all(map(str.startswith, found, expected))


def on(**expression: Any) -> Json:
    """The nodes that a volume can be reached from."""
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", **expression}]}]}}


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param({"nodeAffinity": on(operator="In", values=["a"])}, [], id="nodes"),
        pytest.param(
            {"nodeAffinity": on(operator="In")},
            [f"{EXPRESSION}.values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
            id="nodes with a label of no value",
        ),
        pytest.param(
            {"nodeAffinity": on(operator="Is", values=["a"])},
            [f'{EXPRESSION}.operator: Invalid value: "Is": not a valid selector operator'],
            id="nodes by an operator that is none",
        ),
        pytest.param(
            {"nodeAffinity": {"required": {}}},
            [
                "spec.nodeAffinity.required.nodeSelectorTerms: Required value:"
                " must have at least one node selector term"
            ],
            id="no nodes",
        ),
        pytest.param(
            {"nodeAffinity": {}},
            ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
            id="nodes that are not said",
        ),
        pytest.param(
            {"capacity": {"storage": "-1"}},
            [
                "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
                'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
            ],
            id="less than nothing",
        ),
        pytest.param(
            {"capacity": {}},
            [
                "spec.capacity: Required value",
                'spec.capacity: Unsupported value: {}: supported values: "storage"',
            ],
            id="no room",
        ),
        pytest.param(
            {"hostPath": {"path": "/a", "type": "Disk"}},
            ['spec.hostPath.type: Unsupported value: "Disk"'],
            id="a path of another sort",
        ),
        pytest.param(
            {"hostPath": None, "nfs": {"server": "files", "path": ""}},
            [
                "spec.nfs.path: Required value",
                'spec.nfs.path: Invalid value: "": must be an absolute path',
            ],
            id="a share without a path",
        ),
        pytest.param(
            {
                "hostPath": None,
                "csi": {"driver": "*", "volumeHandle": "v", "nodeExpandSecretRef": {"name": "."}},
            },
            [
                f'spec.csi.driver: Invalid value: "*": {SUBDOMAIN}',
                f'spec.csi.nodeExpandSecretRef.name: Invalid value: ".": {SUBDOMAIN}',
                "spec.csi.nodeExpandSecretRef.namespace: Required value",
            ],
            id="a driver and a Secret without names",
        ),
        pytest.param(
            {"hostPath": None, "csi": {"driver": "a" * 64, "volumeHandle": "v"}},
            ["spec.csi.driver: Too long: may not be more than 63 bytes"],
            id="a driver of a long name",
        ),
    ],
)
def test_volumes(spec: Json, said: list[str]) -> None:
    whole = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
    assert begin(refuse("PersistentVolume", "v1", spec={**whole, **spec}), said)


@pytest.mark.parametrize(
    "sources, said",
    [
        pytest.param({"dataSource": SNAPSHOT, "dataSourceRef": SNAPSHOT}, [], id="the same"),
        pytest.param({"dataSource": {}}, [], id="an empty one is lost"),
        pytest.param(
            {"dataSource": SNAPSHOT, "dataSourceRef": {**SNAPSHOT, "name": "new"}},
            ["spec: Invalid value: {}: must match dataSourceRef"],
            id="two that differ",
        ),
        pytest.param(
            {"dataSource": {"kind": "VolumeSnapshot", "name": "old"}, "dataSourceRef": SNAPSHOT},
            [
                "spec.dataSource: Invalid value: \"VolumeSnapshot\": must be 'PersistentVolumeClaim' when",
                "spec: Invalid value: {}: must match dataSourceRef",
            ],
            id="one of no group",
        ),
    ],
)
def test_what_a_claim_is_filled_from(sources: Json, said: list[str]) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **sources}
    assert begin(refuse("PersistentVolumeClaim", "v1", spec=spec), said)


@pytest.mark.parametrize(
    "topologies, said",
    [
        pytest.param([{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}], [], id="one"),
        pytest.param(
            [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "zone", "values": []}]}],
            ["[0].matchLabelExpressions[1].values: Required value",
             '[0].matchLabelExpressions[1].key: Duplicate value: "zone"'],
            id="a label twice",
        ),
        pytest.param(
            [{"matchLabelExpressions": [{"key": "-", "values": ["a", "a"]}]}],
            ['[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
             '[0].matchLabelExpressions[0].key: Invalid value: "-": name part must'],
            id="a value twice and no name",
        ),
        pytest.param(
            [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}] * 2,
            ['[1].matchLabelExpressions: Duplicate value: ""'],
            id="a term twice",
        ),
        pytest.param([{}], ['[0].matchLabelExpressions: Duplicate value: ""'], id="an empty term"),
    ],
)  # fmt: skip
def test_where_a_class_makes_volumes(topologies: list[Json], said: list[str]) -> None:
    found = refuse("StorageClass", "storage.k8s.io/v1", provisioner="a.io/b", allowedTopologies=topologies)
    assert begin(found, [f"allowedTopologies{text}" for text in said])


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param({"hard": {"example.com/gpu": "1"}}, [], id="devices"),
        pytest.param(
            {"hard": {"example.com/gpu": "0.5", "requests.example.com/gpu": "0.5"}},
            ['spec.hard[example.com/gpu]: Invalid value: "500m": must be an integer'],
            id="half a device",
        ),
        pytest.param(
            {"hard": {"hugepages-2Mi": "2Mi"}, "scopes": ["NotBestEffort"]},
            ['spec.scopes: Invalid value: ["NotBestEffort"]: unsupported scope applied to resource'],
            id="huge pages of some pods",
        ),
        pytest.param(
            {
                "hard": {"services": "1"},
                "scopeSelector": {"matchExpressions": [{"scopeName": "BestEffort"}]},
            },
            [
                "spec.scopeSelector.matchExpressions: Invalid value:"
                ' {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"","Values":null}]}:'
                " unsupported scope applied to resource",
                "spec.scopeSelector.matchExpressions.operator: Invalid value: \"\": must be 'Exists'",
                'spec.scopeSelector.matchExpressions.operator: Invalid value: "": not a valid selector',
            ],
            id="a scope without an operator",
        ),
    ],
)
def test_quotas(spec: Json, said: list[str]) -> None:
    assert begin(refuse("ResourceQuota", "v1", spec=spec), said)


def test_bounds_are_compared_and_no_more() -> None:
    limits = [{"type": "Container", "min": {"cpu": "-2"}, "max": {"cpu": "-1"}, "default": {"cpu": "-1"}}]
    assert refuse("LimitRange", "v1", spec={"limits": limits}) == []


@pytest.mark.parametrize(
    "data, said",
    [
        pytest.param({"endpoints": [{"addresses": ["a.example.com."]}]}, [], id="a name to its end"),
        pytest.param(
            {"endpoints": [{"addresses": ["web", ".", ""]}]},
            ['endpoints[0].addresses[0]: Invalid value: "web": should be a domain with at least two segments',
             f'endpoints[0].addresses[1]: Invalid value: "": {SUBDOMAIN}',
             "endpoints[0].addresses[2]: Required value"],
            id="names that are not whole",
        ),
        pytest.param(
            {"endpoints": [
                {"addresses": ["a.b"], "hints": {"forZones": [{"name": "z"}, {"name": "z"}]}}
            ]},
            ['endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
            id="a zone twice",
        ),
        pytest.param(
            {"endpoints": [], "ports": [{"port": 80, "protocol": "", "appProtocol": ".."}]},
            ['ports[0].protocol: Unsupported value: ""', 'ports[0].appProtocol: Invalid value: ".."'],
            id="protocols without names",
        ),
    ],
)  # fmt: skip
def test_endpoint_slices(data: Json, said: list[str]) -> None:
    assert begin(refuse("EndpointSlice", "discovery.k8s.io/v1", addressType="FQDN", **data), said)


@pytest.mark.parametrize(
    "kind, version, data, said",
    [
        pytest.param(
            "PriorityClass", "scheduling.k8s.io/v1", {"value": 1, "preemptionPolicy": ""},
            ["preemptionPolicy: Required value"],
            id="a priority that does not say whom it pushes out",
        ),
        pytest.param(
            "Secret", "v1", {"type": "kubernetes.io/ssh-auth", "data": {"ssh-privatekey": ""}},
            ["data[ssh-privatekey]: Required value"],
            id="an empty key",
        ),
        pytest.param(
            "Secret", "v1", {"type": "kubernetes.io/tls", "data": {"tls.crt": "", "tls.key": ""}},
            [],
            id="an empty certificate",
        ),
        pytest.param(
            "RuntimeClass", "node.k8s.io/v1",
            {"handler": "runc", "scheduling": {"tolerations": [{"key": "a", "operator": "Exists"}] * 2}},
            ['scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"",'
             '"Effect":"","TolerationSeconds":null}'],
            id="a toleration twice",
        ),
        pytest.param(
            "Namespace", "v1", {"spec": {"finalizers": ["mine", "a..b"]}},
            [f'spec.finalizers: Invalid value: "mine": {UNQUALIFIED}',
             f'spec.finalizers: Invalid value: "a..b": {UNQUALIFIED}'],
            id="finalizers of a namespace",
        ),
    ],
)  # fmt: skip
def test_others(kind: str, version: str, data: Json, said: list[str]) -> None:
    assert begin(refuse(kind, version, **data), said)

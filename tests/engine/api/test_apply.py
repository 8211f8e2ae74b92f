"""Client-side apply: three-way, as `kubectl apply` does it."""

import copy
import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.api.patching.three_way_apply import apply_patch, with_last_applied
from lifecycle.engine.heart.errors import BadRequest
from lifecycle.engine.objects.names import LAST_APPLIED


def make(kind: str, **fields: Any) -> dict[str, Any]:
    version = {"Deployment": "apps/v1", "Thing": "example.com/v1"}.get(kind, "v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, **fields}


def apply(kind: str, former: dict[str, Any], live: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The live object after `former` was applied, others made `live` of it, and `now` is applied."""
    annotations = with_last_applied(make(kind, **former))["metadata"]["annotations"]
    stored = make(kind, **live)
    stored["metadata"] = {**stored["metadata"], "annotations": annotations}
    manifest, given = make(kind, **now), copy.deepcopy(stored)
    result = apply_patch(stored, manifest)
    assert stored == given, "what is stored is not written to"
    assert json.loads(result["metadata"]["annotations"].pop(LAST_APPLIED))["metadata"]["annotations"] == {}
    if not result["metadata"]["annotations"]:
        del result["metadata"]["annotations"]
    return result


def pod(*containers: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), **fields}}


def box(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields}


ONE, TWO = box("A", value="1"), box("B", value="1")
TCP, UDP = {"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}


@pytest.mark.parametrize(
    "kind, former, live, now, expected",
    [
        pytest.param("ConfigMap", {"data": {"k": "1"}}, {"data": {"k": "1"}}, {"data": {"k": "2"}},
            {"data": {"k": "2"}}, id="a value changes"),
        pytest.param("ConfigMap", {"data": {"k": "1", "l": "1"}}, {"data": {"k": "1", "l": "1"}},
            {"data": {"k": "1"}}, {"data": {"k": "1"}}, id="what is given no more goes"),
        pytest.param("ConfigMap", {"data": {"k": "1"}}, {"data": {"k": "1", "x": "9"}}, {"data": {"k": "1"}},
            {"data": {"k": "1", "x": "9"}}, id="what others added stays"),
        pytest.param("ConfigMap", {"data": {"k": "1"}}, {"data": {"k": "9"}}, {"data": {"k": "1"}},
            {"data": {"k": "1"}}, id="what others changed is put back"),
        pytest.param("ConfigMap", {"data": {"k": "1"}}, {"data": {"k": "1"}}, {}, {}, id="a mapping goes"),
        pytest.param("ConfigMap", {}, {"data": {"k": "1"}}, {}, {"data": {"k": "1"}},
            id="one that others made stays"),
        pytest.param("Pod", pod(box("a"), box("b")), pod(box("a"), box("b")), pod(box("a")), pod(box("a")),
            id="an entry given no more goes"),
        pytest.param("Pod", pod(box("a")), pod(box("side"), box("a")), pod(box("a")),
            pod(box("side"), box("a")), id="an entry of others stays where it is"),
        pytest.param("Pod", pod(box("a")), pod(box("side"), box("a")), pod(box("a"), box("b")),
            pod(box("side"), box("a"), box("b")), id="a new entry stands where the manifest has it"),
        pytest.param("Pod", pod(box("a"), box("b")), pod(box("a"), box("b")), pod(box("b"), box("a")),
            pod(box("b"), box("a")), id="the manifest's order"),
        pytest.param("Pod", pod(box("a", image="1", tty=True)),
            pod(box("a", image="1", tty=True, stdin=True)), pod(box("a", image="2")),
            pod(box("a", image="2", stdin=True)),
            id="within an entry too, fields go and those of others stay"),
        pytest.param("Pod", pod(box("a", env=[ONE, TWO])), pod(box("a", env=[ONE, TWO, box("X", value="9")])),
            pod(box("a", env=[TWO])), pod(box("a", env=[TWO, box("X", value="9")])),
            id="and entries within an entry"),
        pytest.param("Pod", pod(box("a", env=[ONE])), pod(box("a", env=[ONE])), pod(box("a")), pod(box("a")),
            id="a list within an entry goes"),
        pytest.param("Pod", pod(box("a", args=["1", "2"])), pod(box("a", args=["1", "2"])),
            pod(box("a", args=["3"])), pod(box("a", args=["3"])), id="a list without key is replaced"),
        pytest.param("Pod", pod(box("a", ports=[UDP, TCP])), pod(box("a", ports=[UDP, TCP], tty=False)),
            pod(box("a", ports=[UDP, TCP])), pod(box("a", ports=[UDP, TCP], tty=False)),
            id="two ports of one number stay two"),
        pytest.param("Pod", pod(volumes=[box("v", emptyDir={})]), pod(volumes=[box("v", emptyDir={})]),
            pod(volumes=[box("v", hostPath={"path": "/"})]), pod(volumes=[box("v", hostPath={"path": "/"})]),
            id="a volume changes its source"),
        pytest.param("Pod", {}, pod(volumes=[box("v", emptyDir={})]),
            pod(volumes=[box("v", hostPath={"path": "/"})]), pod(volumes=[box("v", hostPath={"path": "/"})]),
            id="also where the old source was never applied"),
        pytest.param("Deployment", {"spec": {}},
            {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}}},
            {"spec": {"strategy": {"type": "Recreate"}}}, {"spec": {"strategy": {"type": "Recreate"}}},
            id="a strategy takes what was defaulted for another with it"),
        pytest.param("Thing", {"spec": {"a": 1, "b": 1}}, {"spec": {"a": 1, "b": 1, "c": 1}},
            {"spec": {"a": 2}}, {"spec": {"a": 2, "c": 1}}, id="a custom resource"),
        pytest.param("Thing", {"spec": {}}, {"spec": {"a": {"x": 1}}}, {"spec": {"a": None}}, {"spec": {}},
            id="a null of a custom resource takes away"),
        pytest.param("Thing", {"spec": {"a": None}}, {"spec": {"a": {"x": 1}}}, {"spec": {"a": None}},
            {"spec": {"a": {"x": 1}}}, id="but not what others made since"),
        pytest.param("Thing", {"spec": {"a": {"x": 1}}}, {"spec": {"a": {"x": 1, "y": 2}}},
            {"spec": {"a": {"x": None}}}, {"spec": {"a": {"y": 2}}}, id="a null within, too"),
        pytest.param("Thing", {"spec": {"l": [1]}}, {"spec": {"l": [1]}},
            {"spec": {"l": [{"n": "a", "v": None}, [{"v": None}]]}}, {"spec": {"l": [{"n": "a"}, [{}]]}},
            id="nulls in the lists of a custom resource are none"),
        pytest.param("Thing", {"spec": {"a": 1}}, {"spec": {"a": 1}}, {"spec": {"a": True}},
            {"spec": {"a": True}}, id="true is not 1"),
        pytest.param("Thing", {"spec": {"a": {"x": 1}}}, {"spec": {"a": {"x": 1}}}, {"spec": {"a": {}}},
            {"spec": {"a": {}}}, id="an empty mapping"),
        pytest.param("Thing", pod(box("a"), box("b")), pod(box("a"), box("b"), box("side")), pod(box("a")),
            pod(box("a")), id="the lists of a custom resource are whole"),
    ],
)  # fmt: skip
def test_apply_is_three_way(kind, former, live, now, expected):
    assert apply(kind, former, live, now) == make(kind, **expected)


@pytest.mark.parametrize(
    "former, live, now, expected",
    [
        pytest.param(["a"], ["a", "x"], ["a", "b"], ["a", "b", "x"], id="one more"),
        pytest.param(["a", "b"], ["a", "b", "x"], ["b"], ["b", "x"], id="one less"),
        pytest.param(["a"], ["a", "x"], ["a"], ["a", "x"], id="as it was"),
    ],
)
def test_finalizers_are_applied_one_by_one(former, live, now, expected):
    applied = with_last_applied(make("ConfigMap", metadata={"name": "a", "finalizers": former}))
    stored = copy.deepcopy(applied)
    stored["metadata"]["finalizers"] = live
    result = apply_patch(stored, make("ConfigMap", metadata={"name": "a", "finalizers": now}))
    assert result["metadata"]["finalizers"] == expected


def test_annotations_of_others_stay_when_a_manifest_has_none():
    stored = with_last_applied(make("ConfigMap"))
    stored["metadata"]["annotations"]["mine"] = "1"
    assert apply_patch(stored, make("ConfigMap"))["metadata"]["annotations"]["mine"] == "1"


def test_what_was_never_applied_is_only_added_to():
    stored = make("ConfigMap", data={"k": "1"})
    assert apply_patch(stored, make("ConfigMap", data={"l": "1"}))["data"] == {"k": "1", "l": "1"}


@pytest.mark.parametrize("text", ["no JSON", "[]", "5", ""])
def test_an_annotation_that_cannot_be_read_is_as_none(text):
    stored = make("ConfigMap", data={"k": "1"})
    stored["metadata"] = {"name": "a", "annotations": {LAST_APPLIED: text}}
    assert apply_patch(stored, make("ConfigMap", data={"l": "1"}))["data"] == {"k": "1", "l": "1"}


def test_an_entry_without_its_key_is_refused():
    with pytest.raises(BadRequest, match="does not contain declared merge key: name"):
        apply("Pod", pod(box("a")), pod(box("a")), pod({"image": "1"}))


def test_applying_the_same_again_changes_nothing():
    cluster = Cluster(settings=Settings(timing="instant"))
    ports = [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53}]
    volumes = [{"name": "v", "configMap": {"name": "c"}}, {"name": "w", "emptyDir": {}}]
    container = {"name": "main", "image": "nginx:1", "ports": ports, "env": [{"name": "A", "value": "1"}]}
    spec = {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"type": "RollingUpdate"},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [container], "volumes": volumes, "tolerations": [{"operator": "Exists"}]},
        },
    }
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    assert cluster.submit(Command("c", "apply", {"object": web})).code == 201
    cluster.run_until(60_000)
    before = cluster.get("Deployment", "default", "web")
    assert cluster.submit(Command("c", "apply", {"object": web})).code == 200
    assert cluster.get("Deployment", "default", "web") == before


def test_what_is_too_large_to_be_remembered_is_applied_without():
    """As by `kubectl create` or a server-side apply, which is what publishers of such objects advise."""
    large = make("ConfigMap", data={"k": "x" * 300_000})
    cluster = Cluster()
    first = cluster.submit(Command("1", "apply", {"object": make("ConfigMap", data={"k": "1", "l": "1"})}))
    assert (first.code, first.warnings) == (201, [])
    second = cluster.submit(Command("2", "apply", {"object": large}))
    assert second.code == 200
    assert second.object is not None
    assert LAST_APPLIED not in second.object["metadata"].get("annotations", {})
    assert second.object["data"] == {"k": "x" * 300_000}, "what was given before and is no more still goes"
    (warning,) = second.warnings
    assert "too large for plain `kubectl apply`" in warning
    assert "kubectl apply --server-side" in warning
    third = cluster.submit(Command("3", "apply", {"object": make("ConfigMap", data={"m": "1"})}))
    assert third.object is not None
    assert third.object["data"] == {"k": "x" * 300_000, "m": "1"}, "as it is not known who gave it"


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["create", "apply"])
@pytest.mark.parametrize(
    "size_bytes, code, message",
    [
        (3 * 1024 * 1024, 413, "Request entity too large: limit is 3145728"),
        (3 * 512 * 1024, 500, "etcdserver: request is too large"),
    ],
)
def test_an_object_is_no_larger_than_an_api_server_takes(verb, size_bytes, code, message):
    crd = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    result = Cluster().submit(Command("1", verb, {"object": {**crd, "spec": "x" * size_bytes}}))
    assert result.code == code
    assert result.status is not None
    assert result.status["message"] == message
    fitting = {**crd, "spec": "x" * (3 * 512 * 1024 - 400)}
    assert Cluster().submit(Command("1", verb, {"object": fitting})).ok


def test_applying_says_what_is_to_be_null():
    """kubectl: left out of an object that is created (pruneNulls), taken off one that is there."""
    cluster = Cluster(seed=1, epoch_ms=0, settings=Settings())

    def labels_after(labels: dict[str, Any]) -> dict[str, Any]:
        manifest = {**make("ConfigMap"), "metadata": {"name": "a", "labels": labels}}
        assert cluster.submit(Command(id=str(labels), kind="apply", payload={"object": manifest})).ok
        return cluster.get("ConfigMap", "default", "a")["metadata"].get("labels") or {}

    assert labels_after({"a": None, "b": "1"}) == {"b": "1"}
    assert labels_after({"a": "1"}) == {"a": "1"}
    assert labels_after({"a": None}) == {}


TWICE = [box("A", value="1"), box("A", value="2")]
NAMED = [{"port": 53, "name": "u", "protocol": "UDP"}, {"port": 53, "name": "t", "protocol": "TCP"}]


@pytest.mark.parametrize(
    "kind, former, now, expected",
    [
        # Recorded of kubectl v1.35.2: by one directive both entries of the key go,
        pytest.param("Pod", pod(box("a", env=TWICE)), pod(box("a", env=TWICE[:1])), pod(box("a", env=[])),
            id="of two of one key one is dropped"),
        # and of two entries of the key the last is paired with the one that is there, the other is nowhere.
        pytest.param("Service", {"spec": {"ports": NAMED[1:]}}, {"spec": {"ports": NAMED[::-1]}},
            {"spec": {"ports": NAMED[1:]}}, id="a second one of a key is added"),
    ],
)  # fmt: skip
def test_entries_of_one_key_are_paired_as_kubectl_pairs_them(kind, former, now, expected):
    assert apply(kind, former, copy.deepcopy(former), now)["spec"] == expected["spec"]


def test_a_list_whose_order_kubectl_cannot_tell_is_refused():
    """Recorded of kubectl v1.35.2: `error: The order in patch list … doesn't match $setElementOrder list`."""
    former = {"spec": {"ports": [{"port": 80, "name": "t", "protocol": "TCP"}, {"port": 81, "name": "y"}]}}
    ports = [
        {"port": 80, "name": "t"},
        {"port": 81, "name": "y", "protocol": "TCP"},
        {"port": 80, "name": "x", "protocol": "UDP"},
    ]
    with pytest.raises(BadRequest, match="The order in patch list"):
        apply("Service", former, copy.deepcopy(former), {"spec": {"ports": ports}})


@pytest.mark.parametrize(
    "manifest, annotations",
    [
        # kubectl reads them as strings, a null as an empty one (NestedNullCoercingStringMap), and says so.
        pytest.param(
            make("ConfigMap", metadata={"name": "a", "annotations": {"q": None}}), {"q": ""}, id="null"
        ),
        pytest.param(
            make("Pod", metadata={"name": "a"}, **pod(box("a", image="x", resources={"limits": {"cpu": 2}}))),
            {},
            id="a number of an amount",
        ),
        pytest.param(
            make("ConfigMap", metadata={"name": "a", "labels": {"q": None}}), {}, id="a label's null"
        ),
        pytest.param(make("ConfigMap", metadata={"name": "a", "labels": None}, data=None), {}, id="nulls"),
    ],
)
def test_what_was_applied_is_remembered_as_it_was_written(manifest: Any, annotations: Any) -> None:
    cluster = Cluster(seed=1, epoch_ms=0, settings=Settings())
    result = cluster.submit(Command("1", "apply", {"object": manifest}))
    assert result.ok and result.object is not None, result.status
    stored = dict(result.object["metadata"]["annotations"])
    wanted = {**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}}
    assert json.loads(stored.pop(LAST_APPLIED)) == wanted
    assert stored == annotations


def test_what_a_definition_completes_was_never_applied() -> None:
    """Its defaults are the server's: one that others change is not put back (kubectl knows of none)."""
    cluster = Cluster(seed=1, epoch_ms=0, settings=Settings())
    size = {"type": "integer", "default": 1}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": size}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version],
        },
    }
    assert cluster.submit(Command("1", "apply", {"object": definition})).ok
    cluster.run_until(1000)
    assert cluster.submit(Command("2", "apply", {"object": make("Thing", spec={})})).ok
    named = {"kind": "Thing.example.com", "namespace": "default", "name": "a"}
    change = {"type": "merge", "patch": {"spec": {"size": 5}}}
    assert cluster.submit(Command("3", "patch", {**named, **change})).ok
    result = cluster.submit(Command("4", "apply", {"object": make("Thing", spec={})}))
    assert result.object is not None and result.object["spec"] == {"size": 5}

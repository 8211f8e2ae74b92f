"""Commands of a wrong shape: each a clear answer, nothing written, and the cluster lives on."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings

WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
        },
    },
}


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    made = Cluster(seed=1, settings=Settings(timing="instant"))
    assert made.submit(Command("create", "create", {"object": WEB})).ok
    made.run_until(1000)
    return made


def submit_refused(cluster: Cluster, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    before = cluster.get("Deployment", "default", "web")
    result = cluster.submit(Command("c", kind, payload))
    assert cluster.get("Deployment", "default", "web") == before
    assert result.status is not None and result.code in (400, 404, 409, 422), result
    return result.status


@pytest.mark.parametrize("how", ["merge", "strategic"])
@pytest.mark.parametrize(
    "patch, said",
    [
        ({"spec": "x"}, "spec: must be a mapping, not the text"),
        ({"spec": {"replicas": "three"}}, "spec.replicas: must be a whole number, not the text"),
        ({"spec": {"replicas": True}}, "spec.replicas: must be a whole number, not the boolean true"),
        (
            {"spec": {"template": {"spec": {"containers": 5}}}},
            "spec.template.spec.containers: must be a list",
        ),
        ({"metadata": {"labels": {"a": 1}}}, "metadata.labels.a: must be text, not the number 1"),
        ({"kind": "Pod"}, "kind: must stay Deployment"),
        ({"apiVersion": 5}, "cannot unmarshal number into Go struct field .apiVersion of type string"),
        ({"spec": {"strategy": "x"}}, "spec.strategy: must be a mapping"),
        ({"spec": {"template": None}}, "spec.template"),
        ([1], "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)
def test_a_patch_of_another_shape_names_its_field(cluster: Cluster, how: str, patch: Any, said: str) -> None:
    payload = {"kind": "Deployment", "namespace": "default", "name": "web", "type": how, "patch": patch}
    status = submit_refused(cluster, "patch", payload)
    assert said in status["message"]


@pytest.mark.parametrize(
    "kind, payload",
    [
        ("create", {"object": 5}),
        ("create", {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": 5}}),
        ("apply", {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": 5}}),
        ("replace", {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": 5}}),
        ("create", {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": []}}),
        ("delete", {"kind": ["x"], "name": "web"}),
        ("scale", {"kind": "Deployment", "name": "web", "replicas": -1}),
        ("setImage", {"kind": "Deployment", "name": "web", "image": 5}),
        ("rollout", {"kind": "Deployment", "name": "web", "action": "undo", "toRevision": "x"}),
        ("taint", {"node": "node-1", "taints": [5]}),
        ("no such command", {}),
    ],
)
def test_a_payload_of_another_shape_is_refused(cluster: Cluster, kind: str, payload: dict[str, Any]) -> None:
    assert submit_refused(cluster, kind, payload)["message"]


@pytest.mark.parametrize(
    "patch, said",
    [
        ({"spec": {"minReadySeconds": "x"}}, "spec.minReadySeconds: must be a whole number, not the text"),
        (
            {"spec": {"template": {"spec": {"securityContext": {"supplementalGroups": 5}}}}},
            "spec.template.spec.securityContext.supplementalGroups: must be a list, not the number 5",
        ),
        (
            {"spec": {"template": {"spec": {"containers": [{"name": "app", "resources": {"limits": [1]}}]}}}},
            "spec.template.spec.containers[0].resources.limits: must be a mapping, not a list",
        ),
        ({"metadata": {"ownerReferences": "mine"}}, "metadata.ownerReferences: must be a list"),
    ],
)
def test_a_field_that_was_not_there_before_has_to_be_of_its_type(patch: Any, said: str) -> None:
    cluster = Cluster(seed=1, settings=Settings(timing="instant"))
    assert cluster.submit(Command("create", "create", {"object": WEB})).ok
    payload = {"kind": "Deployment", "name": "web", "type": "strategic", "patch": patch}
    status = submit_refused(cluster, "patch", payload)
    assert f'Deployment "web": {said}' in status["message"]


def test_a_field_that_may_hold_anything_may_change_its_type() -> None:
    cluster = Cluster(seed=1, settings=Settings(timing="instant"))
    profile = {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "ContainerProfile",
        "metadata": {"name": "slow"},
        "spec": {"match": {"image": "slow:*"}, "behavior": {"pull": {"takes": "3s"}}},
    }
    assert cluster.submit(Command("create", "create", {"object": profile})).ok
    patch = {"spec": {"behavior": {"pull": {"takes": {"normal": ["3s", "500ms"]}}}}}
    payload = {"kind": "ContainerProfile", "name": "slow", "type": "merge", "patch": patch}
    assert cluster.submit(Command("patch", "patch", payload)).ok


def test_an_eviction_that_cannot_be_read_leaves_no_trace(cluster: Cluster) -> None:
    name = cluster.list("Pod")[0]["metadata"]["name"]
    before = cluster.get("Pod", "default", name)
    payload = {"namespace": "default", "name": name, "gracePeriodSeconds": "soon"}
    result = cluster.submit(Command("c", "evict", payload))
    assert result.code == 400 and result.status is not None
    assert "gracePeriodSeconds 'soon': use a whole number of seconds" in result.status["message"]
    assert cluster.get("Pod", "default", name) == before


def test_the_cluster_lives_on(cluster: Cluster) -> None:
    cluster.run_until(2000)
    pods = [pod["status"]["phase"] for pod in cluster.list("Pod")]
    assert pods == ["Running", "Running"]

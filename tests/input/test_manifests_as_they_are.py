"""Objects that the API server takes as they are: what is cleared, completed or only warned of."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.trace import EventRow
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import list_warnings, validate_create, validate_update
from lifecycle.input.manifest_admission import list_problems
from tests.texts import read_text

WEB = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: nginx
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: nginx, volumeMounts: [{name: www, mountPath: /x}]}]}
  volumeClaimTemplates:
  - apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: www}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


def refusals(data: dict[str, Any]) -> list[str]:
    return [str(error) for error in validate_create(apply_defaults(data))]


def read_web() -> dict[str, Any]:
    (document,) = read_text(WEB).require_sound()
    assert list_problems(document) == []
    return document.data


def test_the_claims_of_a_stateful_set_are_volumes_of_its_pods() -> None:
    assert refusals(read_web()) == []


@pytest.mark.parametrize(
    "change, expected",
    [
        # Kubernetes v1.35: pkg/apis/apps/validation, ValidateStatefulSetSpec.
        pytest.param(
            lambda spec: spec["volumeClaimTemplates"].clear(),
            ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "www"'],
            id="no claim of that name",
        ),
        pytest.param(
            lambda spec: spec["template"]["spec"]["containers"][0].pop("image"),
            ["spec.template.spec.containers[0].image: Required value"],
            id="the template is looked at as a pod's",
        ),
        pytest.param(
            lambda spec: spec["template"]["spec"].update(hostname="Not_One", subdomain="Not_One"),
            [],
            id="names that each pod gets from the controller",
        ),
        pytest.param(
            lambda spec: spec["template"]["spec"].update(volumes=[{"name": "www"}]),
            [],
            id="a claim takes the place of a volume, however that is",
        ),
        pytest.param(
            lambda spec: spec["template"]["spec"].update(volumes=[{"name": "tmp", "hostPath": {}}]),
            ["spec.template.spec.volumes[1].hostPath.path: Required value"],
            id="volumes are counted after the claims",
        ),
        pytest.param(
            lambda spec: spec["volumeClaimTemplates"][0]["spec"].pop("accessModes"),
            [
                "spec.volumeClaimTemplates[0].spec.accessModes: Required value:"
                " at least 1 access mode is required"
            ],
            id="a claim that is none",
        ),
        pytest.param(
            lambda spec: spec.update(serviceName="a.b"),
            # A good name of another kind: only its dots are too much.
            ['spec.serviceName: Invalid value: "a.b": must not contain dots'],
            id="a Service that cannot be",
        ),
        pytest.param(
            lambda spec: spec["template"]["spec"].update(activeDeadlineSeconds=5),
            [
                "spec.template.spec.activeDeadlineSeconds: Forbidden:"
                " activeDeadlineSeconds in StatefulSet is not Supported"
            ],
            id="pods that end by themselves",
        ),
    ],
)
def test_a_stateful_set_is_looked_at_with_its_claims(change: Any, expected: list[str]) -> None:
    data = read_web()
    change(data["spec"])
    assert refusals(data) == expected


def test_what_stays_for_life_is_looked_at_once() -> None:
    old = apply_defaults(read_web())
    old["spec"]["serviceName"] = "Taken_Long_Ago"
    new = {**old, "spec": {**old["spec"], "replicas": 3}}
    assert validate_update(old, new) == []


@pytest.mark.parametrize(
    "api_version, kind, body",
    [
        ("rbac.authorization.k8s.io/v1", "ClusterRole", {"rules": []}),
        ("scheduling.k8s.io/v1", "PriorityClass", {"value": 1}),
        ("apiregistration.k8s.io/v1", "APIService", {"spec": {}}),
    ],
)
def test_the_namespace_of_a_cluster_scoped_object_is_cleared(api_version: str, kind: str, body: Any) -> None:
    metadata = {"name": "x", "namespace": "shop"}
    made = Cluster().submit(
        Command(
            "1", "create", {"object": {"apiVersion": api_version, "kind": kind, "metadata": metadata} | body}
        )
    )
    assert made.ok, made.status
    assert made.object is not None and "namespace" not in made.object["metadata"]


def test_finalizers_of_custom_resources_are_only_warned_of() -> None:
    guestbook = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": "guestbook",
            "finalizers": ["resources-finalizer.argocd.argoproj.io", "keep", "example.com/keep"],
        },
    }
    assert refusals(guestbook) == []
    text = "to avoid accidental conflicts with other finalizer writers"
    assert list_warnings(guestbook) == [
        'metadata.finalizers: "resources-finalizer.argocd.argoproj.io": prefer a domain-qualified'
        f" finalizer name including a path (/) {text}",
        f'metadata.finalizers: "keep": prefer a domain-qualified finalizer name {text}',
    ]
    own = {**guestbook, "apiVersion": "v1", "kind": "ConfigMap"}
    assert "metadata.finalizers[1]" in refusals(own)[1]
    assert list_warnings(own) == []


@pytest.mark.parametrize("labels, system", [({}, "linux"), ({"kubernetes.io/os": "windows"}, "windows")])
def test_nodes_carry_the_labels_of_old(labels: dict[str, str], system: str) -> None:
    cluster = Cluster()
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "mine", "labels": labels}}
    assert cluster.submit(Command("1", "create", {"object": node})).ok
    found = cluster.get("Node", "", "mine")
    assert found is not None
    assert found["metadata"]["labels"]["beta.kubernetes.io/os"] == system
    assert found["metadata"]["labels"]["beta.kubernetes.io/arch"] == "amd64"


def test_every_namespace_holds_what_the_api_server_is_known_by() -> None:
    cluster = Cluster()
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert cluster.submit(Command("1", "create", {"object": space})).ok
    for namespace in ("default", "kube-system", "shop"):
        found = cluster.get("ConfigMap", namespace, "kube-root-ca.crt")
        assert found is not None and list(found["data"]) == ["ca.crt"]


def test_a_pod_as_kubectl_shows_it_mounts_its_namespaces_bundle() -> None:
    cluster = Cluster()
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]
    spec = {
        "containers": [{"name": "app", "image": "nginx"}],
        "volumes": [{"name": "kube-api-access-x", "projected": {"sources": sources}}],
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"}, "spec": spec}
    assert cluster.submit(Command("1", "create", {"object": pod})).ok
    cluster.run_until(30_000)
    found = cluster.get("Pod", "default", "app")
    assert found is not None and found["status"]["phase"] == "Running"


def test_a_missing_secret_for_a_registry_is_warned_of_and_the_pod_runs() -> None:
    # pkg/kubelet/kubelet_pods.go, getPullSecretsForPod.
    cluster = Cluster()
    spec = {
        "containers": [{"name": "app", "image": "nginx"}],
        "imagePullSecrets": [{"name": "one"}, {"name": "there"}, {"name": "two"}],
    }
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "there"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"}, "spec": spec}
    for number, data in enumerate((secret, pod)):
        assert cluster.submit(Command(str(number), "create", {"object": data})).ok
    cluster.run_until(30_000)
    rows = [row for row in cluster.take_changes().rows if isinstance(row, EventRow)]
    assert [row.message for row in rows if row.reason == "FailedToRetrieveImagePullSecret"] == [
        "Unable to retrieve some image pull secrets (one, two); attempting to pull the image may not succeed."
    ]
    found = cluster.get("Pod", "default", "app")
    assert found is not None and found["status"]["phase"] == "Running"

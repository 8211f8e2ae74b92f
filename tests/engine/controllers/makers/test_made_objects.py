"""Secrets and ConfigMaps that operators and Jobs of the input make: a moment later, said to be assumed."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lifecycle.engine.kinds.makers import find_made, list_assumed_made
from lifecycle.engine.kinds.references import list_missing
from tests.engine.kubelet.world import World


def make(text: str) -> dict[str, Any]:
    data = yaml.safe_load(text)
    data.setdefault("metadata", {}).setdefault("name", "web")
    data["metadata"].setdefault("namespace", "default")
    return dict(data)


CERTIFICATE = "{apiVersion: cert-manager.io/v1, kind: Certificate, spec: {secretName: web-cert}}"
EXTERNAL = "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, spec: %s}"
JOB = """
{apiVersion: batch/v1, kind: Job, spec: {template: {spec: {restartPolicy: Never, containers: [
  {name: c, image: %s, %s}]}}}}
"""
DEPLOYMENT = """
{apiVersion: apps/v1, kind: Deployment, spec: {selector: {matchLabels: {a: b}}, template: {
  metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: %s}]}}}}
"""


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param(CERTIFICATE, "web-cert: ca.crt tls.crt tls.key", id="a certificate"),
        pytest.param(
            CERTIFICATE.replace("web-cert", "web-cert, additionalOutputFormats: [{type: CombinedPEM}]"),
            "web-cert: ca.crt tls.crt tls.key tls-combined.pem",
            id="a certificate in a further format",
        ),
        pytest.param(
            CERTIFICATE.replace("web-cert", "c, keystores: {jks: {create: true}, pkcs12: {create: false}}"),
            "c: ca.crt tls.crt tls.key keystore.jks truststore.jks",
            id="a certificate with a key store",
        ),
        pytest.param(EXTERNAL % "{data: [{secretKey: a}, {secretKey: b}]}", "web: a b", id="fetched keys"),
        pytest.param(
            EXTERNAL % "{target: {name: db, template: {data: {dsn: x}}}, data: [{secretKey: a}]}",
            "db: dsn",
            id="a template takes the place of what is fetched",
        ),
        pytest.param(
            EXTERNAL % "{target: {template: {mergePolicy: Merge, data: {dsn: x}}}, data: [{secretKey: a}]}",
            "web: a dsn",
            id="a template that joins it",
        ),
        pytest.param(EXTERNAL % "{dataFrom: [{extract: {key: x}}]}", "web: *", id="whatever is there"),
        pytest.param(EXTERNAL % "{target: {creationPolicy: None}}", "", id="nothing is to be made"),
        pytest.param(EXTERNAL % "[]", "", id="a spec that is none"),
        pytest.param(
            "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, spec: {encryptedData: {a: x, b: y}}}",
            "web: a b",
            id="a sealed secret",
        ),
        pytest.param(
            JOB
            % ("registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6", "args: [create, --secret-name=x]"),
            "x: ca cert key",
            id="certificates of a webhook",
        ),
        pytest.param(
            JOB
            % (
                "r/kube-webhook-certgen@sha256:ab",
                "args: [create, --secret-name, x, --cert-name=tls.crt, --key-name=tls.key]",
            ),
            "x: ca tls.crt tls.key",
            id="the same with other names",
        ),
        pytest.param(
            JOB % ("r/kube-webhook-certgen", "args: [patch, --secret-name=x]"), "", id="one that patches"
        ),
        pytest.param(
            JOB % ("quay.io/argoproj/argocd:v3", "command: [argocd, admin, redis-initial-password]"),
            "argocd-redis: auth",
            id="the password of Redis",
        ),
        pytest.param(
            JOB % ("bitnami/contour:1", "command: [contour], args: [certgen, --kube]"),
            "contourcert: ca.crt tls.crt tls.key, envoycert: ca.crt tls.crt tls.key",
            id="contour's certificates",
        ),
        pytest.param(
            DEPLOYMENT % "docker.io/istio/pilot:1.25", "istio-ca-root-cert: root-cert.pem", id="istiod"
        ),
        pytest.param(
            DEPLOYMENT % "ghcr.io/kedacore/keda:2.17",
            "kedaorg-certs: ca.crt ca.key tls.crt tls.key",
            id="KEDA's operator",
        ),
        pytest.param(
            DEPLOYMENT % "ghcr.io/kubeflow/kfp-cache-deployer:2.5.0",
            "webhook-server-tls: cert.pem key.pem",
            id="what deploys a cache",
        ),
        pytest.param(DEPLOYMENT % "ghcr.io/acme/pilots:1", "", id="somebody else's image"),
    ],
)
def test_who_makes_what_is_known_by_the_object(text: str, expected: str) -> None:
    found = find_made(make(text))
    told = [f"{one.name}: {' '.join([*one.keys, *'*' * one.has_other_keys])}" for one in found]
    assert ", ".join(told) == expected


POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  containers:
  - name: c
    image: ghcr.io/acme/web:1
    env: [{name: P, valueFrom: {secretKeyRef: {name: web, key: %s}}}]
"""


def test_a_pod_starts_once_its_secret_is_made_and_keys_that_are_known_bound_it() -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    assert world.create(make(EXTERNAL % "{data: [{secretKey: a}]}")).ok
    assert world.create(make(POD % ("right", "a"))).ok
    assert world.create(make(POD % ("wrong", "b"))).ok
    world.to(2)
    assert world.get("web", "Secret") is None
    world.to(600)
    states = {name: (world.get(name, "Pod") or {})["status"]["phase"] for name in ("right", "wrong")}
    assert states == {"right": "Running", "wrong": "Pending"}
    secret = world.get("web", "Secret")
    assert secret is not None
    assert list(secret["data"]) == ["a"]
    assert secret["metadata"]["annotations"] == {"podline.dev/assumed": "External Secrets"}
    events = [row["message"] for row in world.rows if row.get("reason") == "AssumedMade"]
    said = "Secret default/web (a) is made by External Secrets for ExternalSecret default/web"
    assert events == [f"assumed: {said}"]


def test_what_is_fetched_as_a_whole_holds_the_keys_that_pods_ask_for() -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    assert world.create(make(EXTERNAL % "{dataFrom: [{extract: {key: x}}]}")).ok
    assert world.create(make(POD % ("one", "password"))).ok
    world.to(30)
    secret = world.get("web", "Secret")
    assert secret is not None and list(secret["data"]) == ["password"]


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param(
            CERTIFICATE.replace("web-cert", "web"), ["own", "ca.crt", "tls.crt", "tls.key"], id="joined"
        ),
        pytest.param(EXTERNAL % "{data: [{secretKey: a}]}", ["own"], id="somebody else's is left alone"),
        pytest.param(
            EXTERNAL % "{target: {creationPolicy: Merge}, data: [{secretKey: a}]}", ["own", "a"], id="merged"
        ),
    ],
)
def test_a_secret_that_is_there_keeps_what_it_holds(text: str, expected: list[str]) -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    assert world.create(make("{apiVersion: v1, kind: Secret, data: {own: eA==}}")).ok
    assert world.create(make(text)).ok
    world.to(30)
    secret = world.get("web", "Secret")
    assert secret is not None and list(secret["data"]) == expected


def test_a_job_makes_its_secret_by_its_end() -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    text = JOB % ("r/kube-webhook-certgen:1", "args: [create, --secret-name=x, --namespace=$(POD_NAMESPACE)]")
    assert world.create(make(text)).ok
    world.to(5)
    assert world.get("x", "Secret") is None, "its program takes 10 s"
    world.to(60)
    assert world.get("x", "Secret") is not None


def test_the_root_of_istio_is_in_every_namespace_also_in_later_ones() -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    text = "{apiVersion: networking.istio.io/v1, kind: Gateway, spec: {}}"
    assert world.create(make(text)).ok
    world.to(30)
    assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "later"}}).ok
    world.to(60)
    found = [
        one["metadata"]["namespace"]
        for one in world.cluster.list("ConfigMap")
        if one["metadata"]["name"] == "istio-ca-root-cert"
    ]
    assert {"default", "kube-system", "later"} <= set(found)


@pytest.mark.parametrize(
    "image, kind, name",
    [
        ("ghcr.io/kubeflow/kfp-cache-deployer:2.5.0", "Secret", "webhook-server-tls"),
        ("ghcr.io/kedacore/keda:2.17", "Secret", "kedaorg-certs"),
        ("docker.io/istio/pilot:1.25", "ConfigMap", "istio-ca-root-cert"),
    ],
)
def test_a_program_makes_nothing_before_it_runs(image: str, kind: str, name: str) -> None:
    world = World(timing={"preset": "instant", "made_object": "3s"})
    operator = make(DEPLOYMENT % image)
    operator["metadata"]["namespace"] = "kubeflow"
    operator["spec"]["template"]["spec"]["serviceAccountName"] = "maker"
    assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kubeflow"}}).ok
    assert world.create(operator).ok
    world.to(60)
    assert world.cluster.get(kind, "kubeflow", name) is None
    account = {"name": "maker", "namespace": "kubeflow"}
    assert world.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}).ok
    world.to(600)
    assert world.cluster.get(kind, "kubeflow", name) is not None


@pytest.mark.parametrize(
    "env, namespace",
    [
        ([], "kubeflow"),
        ([{"name": "NAMESPACE_TO_WATCH", "value": "ml"}], "ml"),
        (
            [{"name": "NAMESPACE_TO_WATCH", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
            "default",
        ),
    ],
)
def test_a_cache_is_deployed_to_the_namespace_that_it_watches(
    env: list[dict[str, Any]], namespace: str
) -> None:
    deployer = make(DEPLOYMENT % "gcr.io/ml-pipeline/cache-deployer:2.0.5")
    deployer["spec"]["template"]["spec"]["containers"][0]["env"] = env
    assert [one.namespace for one in find_made(deployer)] == [namespace]


def test_what_is_made_is_not_missing_and_who_makes_it_is_said() -> None:
    pod = make(POD % ("one", "a"))
    assert [str(one) for one in list_missing([pod])] == [
        "Secret default/web, wanted by Pod default/one (spec.containers[0].env[0].valueFrom.secretKeyRef)"
    ]
    external = make(EXTERNAL % "{data: [{secretKey: a}]}")
    assert list_missing([pod, external]) == []
    assert list_assumed_made([pod, external]) == [
        "External Secrets is taken to be there and to make Secret default/web (a)"
        " for ExternalSecret default/web"
    ]


@pytest.mark.parametrize(
    "text, pod, expected",
    [
        pytest.param(
            "{apiVersion: v1, kind: Secret, stringData: {a: x}}", POD % ("one", "a"), [], id="there"
        ),
        pytest.param(
            "{apiVersion: v1, kind: Secret, stringData: {b: x}}", POD % ("one", "a"), ["a"], id="not there"
        ),
        pytest.param(
            "{apiVersion: v1, kind: Secret, data: {b: eA==}}",
            (POD % ("one", "a")).replace("key: a", "key: a, optional: true"),
            [],
            id="not needed",
        ),
        pytest.param(
            "{apiVersion: v1, kind: ConfigMap, data: {a: x}}",
            "{apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: x}],"
            " volumes: [{name: v, configMap: {name: web, items: [{key: a, path: a}, {key: b, path: b}]}}]}}",
            ["b"],
            id="a volume's items",
        ),
    ],
)
def test_missing_keys_of_what_is_there_are_named(text: str, pod: str, expected: list[str]) -> None:
    missing = list_missing([make(text), make(pod)])
    assert [one.key for one in missing] == expected
    assert all(f"default/web, key {one.key}, wanted by Pod" in str(one) for one in missing)

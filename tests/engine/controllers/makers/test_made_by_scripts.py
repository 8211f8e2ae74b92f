"""Secrets and ConfigMaps that scripts of Jobs and Deployments make by kubectl."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.makers.made import Made
from lifecycle.engine.rules.makers.scripts import list_made_by_script
from tests.engine.kubelet.world import World

ENV = [
    {"name": "NAME", "value": "of-env"},
    {"name": "SPACE", "value": "ml"},
    {"name": "OWN", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
]


def tell(made: Made) -> str:
    return f"{made.kind} {made.namespace}/{made.name}: {' '.join(made.keys)}"


@pytest.mark.parametrize(
    "script, expected",
    [
        ("kubectl create secret generic a --from-literal=x=1 --from-literal y=2", ["Secret shop/a: x y"]),
        ("kubectl create secret generic a --from-file=tls/ca.crt", ["Secret shop/a: ca.crt"]),
        ("kubectl create secret generic a --from-file=ca=tls/ca.crt", ["Secret shop/a: ca"]),
        ("kubectl create secret tls a --cert=c --key=k", ["Secret shop/a: tls.crt tls.key"]),
        ("kubectl create secret tls a --cert c --key k -n ml", ["Secret ml/a: tls.crt tls.key"]),
        ("kubectl -n ml create secret generic a", ["Secret ml/a: "]),
        (
            "kubectl create secret docker-registry a --docker-server=x --docker-username=y",
            ["Secret shop/a: .dockerconfigjson"],
        ),
        ("kubectl create configmap a --from-file=x.conf", ["ConfigMap shop/a: x.conf"]),
        ("kubectl create cm a --from-literal=x=1", ["ConfigMap shop/a: x"]),
        ("set -e; cd /tmp && /usr/bin/kubectl create cm a || true", ["ConfigMap shop/a: "]),
        ("kubectl create secret generic a \\\n  --from-literal=x=1", ["Secret shop/a: x"]),
        (
            "kubectl create secret generic a --dry-run=client -o yaml | kubectl apply -f -",
            ["Secret shop/a: "],
        ),
        ("kubectl create secret generic $NAME -n ${SPACE}", ["Secret ml/of-env: "]),
        ("kubectl create cm a; kubectl create cm b", ["ConfigMap shop/a: ", "ConfigMap shop/b: "]),
        ("kubectl create secret generic $(hostname)", []),
        ("kubectl create secret generic a -n $OWN", []),
        ("kubectl delete secret a; kubectl get secret a; kubectl create namespace a", []),
        ("echo kubectl create 'secret", []),
        ("acmectl create secret generic a", []),
    ],
)
def test_what_a_script_makes_is_read(script: str, expected: list[str]) -> None:
    container = {"command": ["sh", "-c", script], "env": ENV}
    assert [tell(made) for made in list_made_by_script(container, "shop")] == expected


def test_kubectl_itself_is_read_as_well() -> None:
    container = {"command": ["kubectl"], "args": ["create", "secret", "generic", "$(NAME)"], "env": ENV}
    assert [tell(made) for made in list_made_by_script(container, "shop")] == ["Secret shop/of-env: "]


SCRIPT = (
    "set -e; cd /tmp; openssl genrsa -out a.key 2048; openssl req -new -key a.key -out a.csr; rm *.csr;"
    " kubectl create secret generic certs --from-file=a.key"
)


def run_job(script: str) -> World:
    """A Job with a script, after some minutes."""
    container = {"name": "c", "image": "ghcr.io/acme/tools:1", "command": ["bash", "-c", script]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    world = World()
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": template}}
    assert world.create({**job, "metadata": {"name": "make", "namespace": "default"}}).ok
    return world.to(300)


@pytest.mark.parametrize(
    "script, is_made",
    [(SCRIPT, True), (f"{SCRIPT}; false", False)],
    ids=["a script that ends", "one that fails"],
)
def test_a_job_has_made_it_when_it_is_complete(script: str, is_made: bool) -> None:
    assert (run_job(script).cluster.get("Secret", "default", "certs") is not None) is is_made

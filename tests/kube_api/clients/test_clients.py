"""Client libraries that know nothing of Podline: list, watch, patch, apply and delete; and a controller."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kr8s
import kubernetes
import pytest
from kr8s.objects import ConfigMap

from tests.kube_api.live import Installation

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]


@pytest.fixture
def namespace(installation: Installation) -> Iterator[str]:
    """A namespace of the test's own."""
    name = f"t{time.time_ns() % 10**10}"
    core = kubernetes.client.CoreV1Api(official(installation))
    core.create_namespace({"metadata": {"name": name}})
    yield name
    core.delete_namespace(name)


def official(installation: Installation) -> Any:
    return kubernetes.config.new_client_from_config(str(installation.kubeconfig))


def make_deployment(image: str = "nginx:1.27") -> dict[str, Any]:
    labels = {"app": "web"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "app", "image": image}]},
            },
        },
    }


def test_the_official_client(installation, namespace):
    client = official(installation)
    apps, core = kubernetes.client.AppsV1Api(client), kubernetes.client.CoreV1Api(client)
    seen: list[tuple[str, str]] = []
    begun = core.list_namespaced_pod(namespace)
    assert begun.items == []
    watch = kubernetes.watch.Watch()

    def follow() -> None:
        version = begun.metadata.resource_version
        for event in watch.stream(
            core.list_namespaced_pod, namespace, resource_version=version, timeout_seconds=60
        ):
            pod = event["object"]
            seen.append((event["type"], pod.metadata.name))
            if len({name for _, name in seen}) == 2 and (pod.status.phase == "Running"):
                watch.stop()

    follower = threading.Thread(target=follow)
    follower.start()
    apps.create_namespaced_deployment(namespace, make_deployment())
    follower.join(60)
    assert not follower.is_alive()
    assert [type for type, _ in seen].count("ADDED") == 2
    patched = apps.patch_namespaced_deployment("web", namespace, {"spec": {"replicas": 3}})
    assert patched.spec.replicas == 3
    apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 1}})
    assert apps.read_namespaced_deployment_scale("web", namespace).spec.replicas == 1
    with pytest.raises(kubernetes.client.ApiException) as missing:
        apps.read_namespaced_deployment("none", namespace)
    assert missing.value.status == 404
    applied = apps.patch_namespaced_deployment(
        "web",
        namespace,
        make_deployment("nginx:1.28"),
        field_manager="tests",
        force=True,
        _content_type="application/apply-patch+yaml",
    )
    assert applied.spec.template.spec.containers[0].image == "nginx:1.28"
    assert apps.delete_namespaced_deployment("web", namespace)["status"] == "Success"


BOX = """apiVersion: boxes.example.org/v1
kind: Box
metadata: {{name: box}}
spec: {{size: {size}}}
"""


def test_a_custom_resource_without_subresources_keeps_its_status_and_is_applied_again(
    installation, namespace
):
    """What operators stand on: kopf's tutorial, dask's clusters."""
    client = official(installation)
    definitions = kubernetes.client.ApiextensionsV1Api(client)
    boxes, place = kubernetes.client.CustomObjectsApi(client), ("boxes.example.org", "v1", namespace, "boxes")
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {
        "group": "boxes.example.org",
        "scope": "Namespaced",
        "names": {"plural": "boxes", "kind": "Box"},
        "versions": [version],
    }
    definitions.create_custom_resource_definition(
        {"metadata": {"name": "boxes.boxes.example.org"}, "spec": spec}
    )
    try:
        wait = ("wait", "--for=condition=Established", "crd/boxes.boxes.example.org", "--timeout=60s")
        installation.kubectl(*wait)
        apply = ("apply", "-n", namespace, "-f", "-")
        installation.kubectl(*apply, stdin=BOX.format(size=1))
        boxes.patch_namespaced_custom_object(*place, "box", {"status": {"phase": "Up"}})
        told = installation.kubectl(*apply, stdin=BOX.format(size=2)).stdout
        found = boxes.get_namespaced_custom_object(*place, "box")
        assert told == "box.boxes.example.org/box configured\n"
        assert (found["spec"], found["status"]) == ({"size": 2}, {"phase": "Up"})
    finally:
        definitions.delete_custom_resource_definition("boxes.boxes.example.org")


def test_kr8s(installation, namespace):
    async def use() -> None:
        api = await kr8s.asyncio.api(kubeconfig=str(installation.kubeconfig), namespace=namespace)
        seen: list[str] = []

        async def follow() -> None:
            async for event, found in api.async_watch("configmaps", namespace=namespace):
                if found.name == "told":
                    seen.append(event)
                if event == "DELETED":
                    return

        follower = asyncio.ensure_future(follow())
        await asyncio.sleep(1)
        resource = {"metadata": {"name": "told", "namespace": namespace}, "data": {"k": "1"}}
        told = await kr8s.asyncio.objects.ConfigMap(resource, api=api)
        await told.create()
        await told.patch({"data": {"k": "2"}})
        found = [one async for one in api.get("configmaps", "told", namespace=namespace)]
        assert [one.raw["data"]["k"] for one in found] == ["2"]
        await told.delete()
        await asyncio.wait_for(follower, 30)
        assert seen == ["ADDED", "MODIFIED", "DELETED"]

    asyncio.run(use())
    assert ConfigMap.kind == "ConfigMap"


CONTROLLER = """
import kopf

@kopf.on.create("v1", "configmaps", labels={"watched": "yes"})
def made(name, patch, **_):
    patch.metadata.annotations["example.org/made"] = "seen"
    return None

@kopf.on.field("v1", "configmaps", field="data.k", labels={"watched": "yes"})
def changed(old, new, patch, **_):
    if old is not None:
        patch.metadata.annotations["example.org/changed"] = f"{old} to {new}"
"""


def test_a_kopf_controller_acts_on_a_simulated_cluster(installation, namespace, tmp_path: Path):
    core = kubernetes.client.CoreV1Api(official(installation))
    (tmp_path / "controller.py").write_text(CONTROLLER)
    with running(installation, namespace, tmp_path):
        labels = {"watched": "yes"}
        core.create_namespaced_config_map(
            namespace, {"metadata": {"name": "told", "labels": labels}, "data": {"k": "1"}}
        )
        wait_for_annotation(core, namespace, "example.org/made", "seen")
        core.patch_namespaced_config_map("told", namespace, {"data": {"k": "2"}})
        wait_for_annotation(core, namespace, "example.org/changed", "1 to 2")
        core.delete_namespaced_config_map("told", namespace)


@contextlib.contextmanager
def running(installation: Installation, namespace: str, folder: Path) -> Iterator[None]:
    """The controller as a process of its own."""
    command = [sys.executable, "-m", "kopf", "run", "-n", namespace, "controller.py", "--standalone"]
    environment = os.environ | {"KUBECONFIG": str(installation.kubeconfig)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield
        except AssertionError as problem:
            raise AssertionError((folder / "log").read_text()[-3000:]) from problem
        finally:
            process.terminate()
            process.wait(20)


def wait_for_annotation(core: Any, namespace: str, name: str, value: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = core.read_namespaced_config_map("told", namespace).metadata.annotations or {}
        if found.get(name) == value:
            return
        time.sleep(0.2)
    raise AssertionError(f"no annotation {name}={value}: {found}")

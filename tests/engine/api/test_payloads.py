"""Payloads of commands: each field is looked at before anything is done; a fault of the engine is its own."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Command
from lifecycle.engine.api import server
from lifecycle.engine.api.payloads import find_unreadable
from lifecycle.engine.clients.client import Client
from lifecycle.engine.rules.limits.json_bounds import MOST_LEVELS
from tests.engine.api.desk import Desk, make, make_deployment, make_pod, said

WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}
NESTED: Any = "deep"
for _ in range(MOST_LEVELS):
    NESTED = [NESTED]


@pytest.fixture(scope="module")
def desk() -> Desk:
    made = Desk()
    assert made.create(make_deployment()).ok
    made.cluster.run_until(1000)
    made.take_versions()
    return made


@pytest.mark.parametrize(
    "command, payload, message",
    [
        pytest.param("create", {}, "create.object: is required: use an object's JSON", id="no object"),
        pytest.param("create", {"object": []}, "create.object []: use an object's JSON", id="a list"),
        pytest.param(
            "create",
            {"object": {"kind": "Pod"}},
            "create.object.apiVersion: is required: use the version of an API, such as apps/v1",
            id="no version",
        ),
        pytest.param(
            "apply",
            {"object": {"apiVersion": "v1", "kind": ["Pod"]}},
            "apply.object.kind ['Pod']: use the kind of an object",
            id="kind",
        ),
        pytest.param(
            "replace",
            {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}}},
            "replace.object.metadata.name 5: use text",
            id="name",
        ),
        pytest.param(
            "delete", {"kind": "Pod"}, "delete.name: is required: use the object's name", id="whose"
        ),
        pytest.param(
            "delete", {"kind": ["x"], "name": "web"}, "delete.kind ['x']: use the object's", id="what"
        ),
        pytest.param(
            "delete", {**WEB, "namespace": {}}, "delete.namespace {}: use the name of a name", id="where"
        ),
        pytest.param(
            "delete",
            {**WEB, "gracePeriodSeconds": 2**31},
            "delete.gracePeriodSeconds 2147483648: use a whole number of seconds",
            id="grace",
        ),
        pytest.param("delete", {**WEB, "force": "yes"}, "delete.force 'yes': use true or false", id="force"),
        pytest.param(
            "scale", WEB, "scale.replicas: is required: use a whole number, 0 or more", id="no size"
        ),
        pytest.param("setImage", {**WEB, "image": 5}, "setImage.image 5: use the new image", id="image"),
        pytest.param("rollout", {**WEB, "action": "stop"}, "rollout.action 'stop': use one of", id="action"),
        pytest.param(
            "rollout",
            {**WEB, "action": "undo", "toRevision": -1},
            "rollout.toRevision -1: use the number of a revision",
            id="revision",
        ),
        pytest.param("patch", {**WEB, "type": "x"}, "patch.type 'x': use one of merge, strategic", id="type"),
        pytest.param("cordon", {}, "node: is required: use the name of a node", id="no node"),
        pytest.param("taint", {"node": "node-1", "taints": [5]}, "taint.taints [5]: use a list", id="taints"),
        pytest.param("evict", {"name": {"a": 1}}, "evict.name {'a': 1}: use the object's name", id="evict"),
        pytest.param("fault", {"node": "node-1", "kind": [1]}, "fault.kind [1]: use the kind", id="fault"),
        pytest.param(
            "staticPod", {"node": "node-1", "manifest": 5}, "staticPod.manifest 5: use the manifest", id="pod"
        ),
        pytest.param("delete", {**WEB, "name": "x" * 10_000}, 'deployments.apps "xxx', id="a long name"),
        pytest.param(
            "deploy",
            {},
            "unknown command 'deploy'; use one of apply, bind, chance, connect, cordon, create",
            id="command",
        ),
        pytest.param(
            "create",
            {"object": make_pod(metadata={"labels": {"a": "\ud800"}})},
            "create.object.metadata.labels.a: half of a surrogate pair is no character",
            id="half a character",
        ),
        pytest.param(
            "patch", {**WEB, "patch": {"spec": {1: 2}}}, "the name 1 of a field must be text", id="names"
        ),
        pytest.param(
            "patch", {**WEB, "patch": {"spec": float("nan")}}, "patch.patch.spec nan: use a number", id="nan"
        ),
        pytest.param("patch", {**WEB, "patch": {"a": NESTED}}, "more than 100 levels deep", id="depth"),
        pytest.param("patch", {**WEB, "patch": {"a": 10**400}}, "a number of so many digits", id="digits"),
    ],
)
def test_a_payload_is_refused_by_the_name_of_its_field(
    desk: Desk, command: str, payload: dict[str, Any], message: str
) -> None:
    before = desk.get("Deployment")
    refused = desk.submit(command, **payload)
    assert refused.code in (400, 404) and message in said(refused), said(refused)
    assert (desk.take_versions(), desk.get("Deployment")) == ([], before)


def test_a_payload_is_a_map(desk: Desk) -> None:
    payload: Any = ["web"]
    refused = desk.cluster.submit(Command("list", "scale", payload))
    assert (
        said(refused)
        == "scale: the payload must be a map of kind, apiVersion, group, namespace, name, replicas"
    )


def test_null_and_empty_text_are_fields_left_out(desk: Desk) -> None:
    optional = {"gracePeriodSeconds": None, "propagationPolicy": "", "namespace": ""}
    assert desk.create(make("ConfigMap", "empty", data={})).ok
    assert desk.delete("ConfigMap", "empty", **optional).ok
    desk.take_versions()


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "é\U0001f600", [], {"a": [{"b": None}]}])
def test_what_json_can_say_is_readable(value: Any) -> None:
    assert find_unreadable(value, "x") == ""


# --- faults of the engine ---------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [AttributeError, KeyError, TypeError, ValueError])
def test_an_error_of_the_engine_is_not_told_as_the_users(
    monkeypatch: pytest.MonkeyPatch, problem: type[Exception]
) -> None:
    """Though nothing was written yet when it happened."""

    def fail(*_: Any) -> None:
        raise problem("a defect")

    desk = Desk()
    monkeypatch.setattr(server, "admit_new", fail)
    with pytest.raises(problem, match="a defect"):
        desk.create(make_pod())


def test_nor_is_one_of_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise LookupError("a defect")

    desk = Desk()
    assert desk.create(make_deployment()).ok
    monkeypatch.setattr(Client, "change", fail)
    with pytest.raises(LookupError, match="a defect"):
        desk.submit("setImage", **WEB, container="app", image="nginx:2")

"""Pod Security Standards enforced by a namespace."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

GATE = "UserNamespacesPodSecurityStandards"
"""Of releases before v1.36."""
LABEL = "pod-security.kubernetes.io/enforce"
COMPLIANT = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def make_world(level: str, gates: dict[str, bool] | None = None, kubernetes: str | None = None) -> World:
    world = World(gates=gates, kubernetes=kubernetes)
    meta = {"name": "shop", "labels": {LABEL: level}}
    assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta}).ok
    return world


def refusal(
    level: str, spec: Any = None, security: Any = None, gates: dict[str, bool] | None = None, **container: Any
) -> str:
    """What a pod is refused with; "" when it is not."""
    app = {"name": "app", "securityContext": security or {}, **container}
    answer = make_world(level, gates).pod(app, meta={"namespace": "shop"}, **(spec or {}))
    if answer.ok:
        return ""
    assert answer.status is not None and answer.code == 403
    text = str(answer.status["message"])
    start = f'pods "web" is forbidden: violates PodSecurity "{level}:latest": '
    assert text.startswith(start)
    return text.removeprefix(start)


def without(*names: str, **more: Any) -> dict[str, Any]:
    return {**{name: value for name, value in COMPLIANT.items() if name not in names}, **more}


@pytest.mark.slow
@pytest.mark.parametrize(
    "level, spec, security, expected",
    [
        ("privileged", {"hostNetwork": True}, {"privileged": True}, ""),
        ("baseline", {}, {}, ""),
        ("baseline", {"hostNetwork": True}, {}, "host namespaces (hostNetwork=true)"),
        (
            "baseline",
            {},
            {"privileged": True},
            'privileged (container "app" must not set securityContext.privileged=true)',
        ),
        (
            "baseline",
            {"volumes": [{"name": "data", "hostPath": {"path": "/"}}]},
            {},
            'hostPath volumes (volume "data")',
        ),
        (
            "baseline",
            {},
            {"capabilities": {"add": ["SYS_ADMIN"]}},
            'non-default capabilities (container "app" must not include "SYS_ADMIN" in'
            " securityContext.capabilities.add)",
        ),
        ("restricted", {}, COMPLIANT, ""),
        (
            "restricted",
            {},
            {},
            'allowPrivilegeEscalation != false (container "app" must set'
            " securityContext.allowPrivilegeEscalation=false), unrestricted capabilities"
            ' (container "app" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod'
            ' or container "app" must set securityContext.runAsNonRoot=true), seccompProfile (pod or'
            ' container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or'
            ' "Localhost")',
        ),
        (
            "restricted",
            {},
            without(runAsUser=0),
            'runAsUser=0 (container "app" must not set runAsUser=0)',
        ),
        (
            "restricted",
            {"volumes": [{"name": "data", "nfs": {"server": "files", "path": "/"}}]},
            COMPLIANT,
            'restricted volume types (volume "data" uses restricted volume type "nfs")',
        ),
        ("restricted", {"securityContext": {"runAsNonRoot": True}}, without("runAsNonRoot"), ""),
        pytest.param(
            "restricted",
            {"securityContext": {"runAsNonRoot": False}},
            COMPLIANT,
            "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
            id="the pod itself says that it may be root",
        ),
        pytest.param(
            "restricted",
            {
                "volumes": [
                    {"name": "a", "hostPath": {"path": "/"}},
                    {"name": "b", "nfs": {"server": "files", "path": "/"}},
                ]
            },
            COMPLIANT,
            'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
            id="a stricter rule says it alone",
        ),
        pytest.param(
            "restricted",
            {},
            without(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]}),
            'unrestricted capabilities (container "app" must not include "SYS_ADMIN" in'
            " securityContext.capabilities.add)",
            id="capabilities are complained of once",
        ),
        *(
            pytest.param(
                level,
                {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
                without(seccompProfile={"type": "Unconfined"}),
                'seccompProfile (pod and container "app" must not set securityContext.seccompProfile.type to'
                ' "Unconfined")',
                id=f"unconfined, {level}",
            )
            for level in ("baseline", "restricted")
        ),
    ],
)
def test_what_a_standard_forbids(level: str, spec: Any, security: Any, expected: str) -> None:
    assert refusal(level, spec, security) == expected


@pytest.mark.parametrize(
    "fields, expected",
    [
        (
            {"ports": [{"containerPort": port, "hostPort": port} for port in (9, 80, 8080)]},
            'hostPort (container "app" uses hostPorts 80, 8080, 9)',
        ),
        (
            {"livenessProbe": {"tcpSocket": {"port": 80, "host": "10.0.0.1"}}},
            'probe or lifecycle host (container "app" uses probe or lifecycle host "10.0.0.1")',
        ),
        (
            {"lifecycle": {"preStop": {"httpGet": {"port": 80, "host": "elsewhere"}}}},
            'probe or lifecycle host (container "app" uses probe or lifecycle host "elsewhere")',
        ),
    ],
)
def test_what_a_standard_forbids_of_a_container(fields: Any, expected: str) -> None:
    assert refusal("baseline", **fields) == expected


def test_a_pod_of_before_is_held_to_the_standard_when_its_image_changes() -> None:
    world = make_world("privileged")
    assert world.pod({"name": "app", "securityContext": {"privileged": True}}, meta={"namespace": "shop"}).ok
    where = {"namespace": "shop", "name": "web", "type": "strategic"}
    stricter = {"metadata": {"labels": {LABEL: "baseline"}}}
    assert world.submit("patch", kind="Namespace", name="shop", type="merge", patch=stricter).ok
    labels = {"metadata": {"labels": {"looked": "at"}}}
    assert world.submit("patch", kind="Pod", **where, patch=labels).ok
    image = {"spec": {"containers": [{"name": "app", "image": "sim/server:2"}]}}
    answer = world.submit("patch", kind="Pod", **where, patch=image)
    assert answer.status is not None and answer.code == 403
    assert 'violates PodSecurity "baseline:latest": privileged (container "app"' in answer.status["message"]


@pytest.mark.spec("PODOS-04")
def test_a_pod_for_windows_is_not_held_to_what_only_linux_has() -> None:
    named = {"securityContext": {"runAsNonRoot": True}}
    assert refusal("restricted", {"os": {"name": "windows"}, **named}) == ""
    linux = refusal("restricted", {"os": {"name": "linux"}, **named})
    for rule in ("allowPrivilegeEscalation", "unrestricted capabilities", "seccompProfile"):
        assert rule in linux
    # What Windows has as well is asked of both.
    assert refusal("restricted", {"os": {"name": "windows"}}).startswith("runAsNonRoot != true")


def placed(part: str, security: Any) -> dict[str, Any]:
    """A compliant pod but for one place: the pod itself or one container of a part."""
    plain = without("runAsNonRoot")
    app: dict[str, Any] = {"name": "app", "image": "sim/server:1", "securityContext": plain}
    if part == "pod":
        return {"containers": [app], "securityContext": security}
    own = {**app, "securityContext": {**plain, **security}}
    spec: dict[str, Any] = {"containers": [app], "securityContext": {"runAsNonRoot": True}}
    spec[part] = [own] if part == "containers" else [{**own, "name": "other"}]
    return spec


@pytest.mark.slow
@pytest.mark.spec("USERNS-20")
@pytest.mark.parametrize("part", ["pod", "containers", "initContainers"])
@pytest.mark.parametrize("security", [{"runAsNonRoot": False}, {"runAsNonRoot": True, "runAsUser": 0}])
@pytest.mark.parametrize(
    "gate, host_users, is_admitted",
    [(False, False, False), (True, False, True), (True, True, False), (False, True, False)],
)
def test_s34_root_in_a_user_namespace_of_its_own(
    part: str, security: Any, gate: bool, host_users: bool, is_admitted: bool
) -> None:
    world = make_world("restricted", {GATE: gate}, "v1.35")
    meta = {"name": "web", "namespace": "shop"}
    spec = {**placed(part, security), "hostUsers": host_users}
    answer = world.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    assert answer.ok is is_admitted


@pytest.mark.spec("USERNS-20")
@pytest.mark.parametrize("gate", [True, False])
def test_s34_an_ephemeral_container_is_held_to_it_too(gate: bool) -> None:
    world = make_world("restricted", {GATE: gate}, "v1.35")
    meta = {"namespace": "shop"}
    assert world.pod({"name": "app", "securityContext": COMPLIANT}, meta=meta, hostUsers=False).ok
    debug = {"name": "debug", "image": "sim/shell:1", "securityContext": without(runAsUser=0)}
    answer = world.submit(
        "patch",
        kind="Pod",
        namespace="shop",
        name="web",
        subresource="ephemeralcontainers",
        type="merge",
        patch={"spec": {"ephemeralContainers": [debug]}},
    )
    assert answer.ok is gate


def test_a_workload_is_told_that_its_pods_are_refused() -> None:
    world = make_world("restricted")
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "sim/server:1"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    meta = {"name": "web", "namespace": "shop"}
    assert world.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec}).ok
    world.to(60)
    failed = [row for row in world.rows if row.get("reason") == "FailedCreate"]
    assert failed and 'violates PodSecurity "restricted:latest"' in failed[0]["message"]
    assert world.cluster.list("Pod") == []


def test_a_level_nobody_knows_is_refused() -> None:
    meta = {"name": "shop", "labels": {LABEL: "strict"}}
    answer = World().create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    assert answer.code == 422
    assert answer.status is not None
    assert "must be one of privileged, baseline, restricted" in answer.status["message"]

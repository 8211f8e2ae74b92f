"""DaemonSets as their users meet them: how pods are reached, what a manifest may say, and other workloads."""

from typing import Any

import pytest

from tests.engine.controllers.fleet import AGENT, Fleet, make_agent


def make_service(**spec: Any) -> dict[str, Any]:
    meta = {"name": "agent", "namespace": "default"}
    whole = {"selector": {"app": "agent"}, "ports": [{"port": 80}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": whole}


# --- reaching pods ------------------------------------------------------------------------------------------


@pytest.mark.spec("DS-COMM-02")
def test_a_port_of_the_host_is_taken_once_a_node():
    fleet = Fleet()
    manifest = make_agent()
    ports = [{"containerPort": 24224, "hostPort": 24224}]
    manifest["spec"]["template"]["spec"]["containers"][0]["ports"] = ports
    fleet.apply(manifest)
    fleet.run(5)
    assert (fleet.nodes(), fleet.count("numberReady")) == (["node-1", "node-2", "node-3"], 3)
    assert [pod["spec"]["containers"][0]["ports"][0]["hostPort"] for pod in fleet.pods()] == [24224] * 3
    assert len({pod["status"]["hostIP"] for pod in fleet.pods()}) == 3
    # A surge cannot come beside the old pod: its port is taken.
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    fleet.change("patch", AGENT, "DaemonSet", type="merge", patch={"spec": {"updateStrategy": strategy}})
    fleet.change("setImage", AGENT, "DaemonSet", container="nginx", image="nginx:2")
    fleet.run(30)
    assert (fleet.nodes(), fleet.count("numberAvailable")) == (["", "node-1", "node-2", "node-3"], 3)


@pytest.mark.spec("DS-COMM-03", "DS-COMM-04")
@pytest.mark.parametrize("spec", [{"clusterIP": "None"}, {}])
def test_services_reach_the_ready_pods_of_all_nodes(spec: dict[str, Any]):
    fleet = Fleet()
    fleet.apply(make_service(**spec))
    fleet.apply(make_agent())
    fleet.run(5)
    slices = fleet.cluster.list("EndpointSlice")
    (entry,) = (one for one in slices if one["metadata"]["labels"]["kubernetes.io/service-name"] == "agent")
    assert sorted(one["nodeName"] for one in entry["endpoints"]) == ["node-1", "node-2", "node-3"]
    assert len({address for one in entry["endpoints"] for address in one["addresses"]}) == 3
    assert all(one["conditions"]["ready"] for one in entry["endpoints"])
    address = fleet.get("Service", "agent")["spec"]["clusterIP"]
    assert (address == "None") == bool(spec)


# --- what a manifest may say --------------------------------------------------------------------------------


def change(path: str, value: Any) -> dict[str, Any]:
    """The manifest with one field set, or taken away (None)."""
    manifest = make_agent()
    *steps, last = path.split(".")
    part = manifest
    for step in steps:
        part = part.setdefault(step, {})
    if value is None:
        part.pop(last)
    else:
        part[last] = value
    return manifest


LABELS = 'spec.template.metadata.labels: Invalid value: {"app":"agent"}'
MISMATCH = f"{LABELS}: `selector` does not match template `labels`"
ROLLING = "spec.updateStrategy.rollingUpdate"


@pytest.mark.slow
@pytest.mark.spec("DS-SPEC-01", "DS-SPEC-02", "DS-SPEC-03", "DS-SPEC-04", "DS-UPD-04", "KCTL-30")
@pytest.mark.parametrize(
    "path, value, said",
    [
        ("metadata.name", "Fluentd_1", 'metadata.name: Invalid value: "Fluentd_1": a lowercase RFC 1123'),
        ("spec.template", None, "spec.template.spec.containers: Required value"),
        ("spec.selector", None, MISMATCH),
        ("spec.selector", {"matchLabels": {"app": "other"}}, MISMATCH),
        ("spec.selector", {}, "spec.selector: Invalid value: {}: empty selector is invalid for daemonset"),
        (
            "spec.selector",
            {"matchLabels": {"app": "agent"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]},
            MISMATCH,
        ),
        (
            "spec.template.spec.restartPolicy", "OnFailure",
            'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        ),
        (
            "spec.template.spec.activeDeadlineSeconds", 5,
            "activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
        ),
        ("spec.minReadySeconds", -1, "spec.minReadySeconds: Invalid value: -1: must be greater than or"),
        ("spec.revisionHistoryLimit", -1, "spec.revisionHistoryLimit: Invalid value: -1"),
        (
            "spec.updateStrategy", {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": 1}},
            f"{ROLLING}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
        ),
        (
            "spec.updateStrategy", {"rollingUpdate": {"maxUnavailable": "0%"}},
            f"{ROLLING}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
        ),
        (
            "spec.updateStrategy", {"rollingUpdate": {"maxUnavailable": "101%"}},
            f'{ROLLING}.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        ),
        (
            "spec.updateStrategy", {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "101%"}},
            f'{ROLLING}.maxSurge: Invalid value: "101%": must not be greater than 100%',
        ),
        (
            "spec.updateStrategy", {"type": "BlueGreen"},
            'spec.updateStrategy: Unsupported value: {"Type":"BlueGreen","RollingUpdate":null}:'
            ' supported values: "RollingUpdate", "OnDelete"',
        ),
    ],
)  # fmt: skip
def test_what_no_daemon_set_may_be_is_refused(path: str, value: Any, said: str):
    result = Fleet().submit("create", object=change(path, value))
    assert (result.code, (result.status or {})["reason"]) == (422, "Invalid")
    assert said in (result.status or {})["message"]


AFFINITY = "spec.template.spec.affinity.nodeAffinity"
TERMS = f"{AFFINITY}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


@pytest.mark.spec("DS-NODE-02", "KCTL-30")
@pytest.mark.parametrize(
    "terms, said",
    [
        ([], f"{TERMS}: Required value: must have at least one node selector term"),
        (
            [{"matchExpressions": [{"key": "disk", "operator": "In"}]}],
            f"{TERMS}[0].matchExpressions[0].values: Required value: must be specified when",
        ),
        (
            [{"matchExpressions": [{"key": "disk", "operator": "Exists", "values": ["ssd"]}]}],
            f"{TERMS}[0].matchExpressions[0].values: Forbidden: may not be specified when",
        ),
        (
            [{"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["1", "2"]}]}],
            f"{TERMS}[0].matchExpressions[0].values: Required value: must be specified single value when",
        ),
        (
            [{"matchExpressions": [{"key": "disk", "operator": "Near", "values": ["ssd"]}]}],
            f'{TERMS}[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
        ),
        (
            [{"matchExpressions": [{"key": "a b", "operator": "Exists"}]}],
            f'{TERMS}[0].matchExpressions[0].key: Invalid value: "a b": name part must consist of',
        ),
        (
            [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1", "node-2"]}]}],
            f"{TERMS}[0].matchFields[0].values: Required value: must be only one value when `operator` is",
        ),
        (
            [{"matchFields": [{"key": "spec.podCIDR", "operator": "In", "values": ["x"]}]}],
            f'{TERMS}[0].matchFields[0].key: Invalid value: "spec.podCIDR": not a valid field selector key',
        ),
        (
            [{"matchFields": [{"key": "metadata.name", "operator": "Exists"}]}],
            f'{TERMS}[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
        ),
    ],
)
def test_terms_that_no_node_can_be_held_to_are_refused(terms: list[Any], said: str):
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    manifest = change("spec.template.spec.affinity", {"nodeAffinity": required})
    result = Fleet().submit("create", object=manifest)
    assert (result.code, (result.status or {})["reason"]) == (422, "Invalid")
    assert said in (result.status or {})["message"]


def test_a_wish_for_nodes_has_a_weight_and_a_term_that_can_be_held():
    term = {"matchExpressions": [{"key": "disk", "operator": "Near"}]}
    wish = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 101, "preference": term}]}
    result = Fleet().submit("create", object=change("spec.template.spec.affinity", {"nodeAffinity": wish}))
    path = f"{AFFINITY}.preferredDuringSchedulingIgnoredDuringExecution[0]"
    message = (result.status or {})["message"]
    assert f"{path}.weight: Invalid value: 101: must be in the range 1-100" in message
    assert f'{path}.preference.matchExpressions[0].operator: Invalid value: "Near"' in message


def test_no_number_of_a_status_is_below_0():
    fleet = Fleet()
    fleet.apply(make_agent())
    named = {"kind": "DaemonSet", "namespace": "default", "name": AGENT, "subresource": "status"}
    assert fleet.submit("patch", **named, type="merge", patch={"status": {"collisionCount": 2}}).ok
    for number, field, said in (
        (-1, "numberReady", "must be greater than"),
        (1, "collisionCount", "cannot be"),
    ):
        result = fleet.submit("patch", **named, type="merge", patch={"status": {field: number}})
        assert result.code == 422
        assert f"status.{field}: Invalid value: {number}: {said}" in (result.status or {})["message"]


@pytest.mark.spec("DS-SPEC-05")
def test_the_selector_stays_for_life():
    fleet = Fleet()
    fleet.apply(make_agent())
    patch = {"spec": {"selector": {"matchLabels": {"app": "other"}}}}
    result = fleet.submit(
        "patch", kind="DaemonSet", namespace="default", name=AGENT, type="merge", patch=patch
    )
    assert result.code == 422
    assert "spec.selector: Invalid value:" in (result.status or {})["message"]
    assert "field is immutable" in (result.status or {})["message"]


@pytest.mark.spec("DS-SPEC-03", "DS-SPEC-06", "DS-UPD-04")
def test_what_is_left_out_is_filled_in_and_both_parts_of_a_selector_hold():
    fleet = Fleet()
    expressions = [{"key": "tier", "operator": "In", "values": ["node"]}]
    manifest = change("spec.selector", {"matchLabels": {"app": "agent"}, "matchExpressions": expressions})
    manifest["spec"]["template"]["metadata"]["labels"]["tier"] = "node"
    for name, labels in (("both", {"app": "agent", "tier": "node"}), ("one", {"app": "agent"})):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": labels},
        }
        fleet.done("create", object={**pod, "spec": {"containers": [{"name": "nginx", "image": "nginx:1"}]}})
    fleet.run(3)
    fleet.apply(manifest)
    fleet.run(0)
    spec = fleet.get("DaemonSet", AGENT)["spec"]
    assert spec["template"]["spec"]["restartPolicy"] == "Always"
    assert spec["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
    }
    assert spec["revisionHistoryLimit"] == 10
    owned = {pod["metadata"]["name"] for pod in fleet.pods() if pod["metadata"].get("ownerReferences")}
    assert ("both" in owned, "one" in owned) == (True, False)


@pytest.mark.spec("DS-ALT-01")
def test_daemons_keep_to_their_limits():
    """As any container: what takes more memory than it may is killed, and started again."""
    fleet = Fleet()
    hungry = "nginx: {usage: [{at: 0s, memory: 64Mi}, {at: 5s, memory: 300Mi}]}"
    manifest = make_agent()
    manifest["spec"]["template"]["metadata"]["annotations"] = {"podline.dev/behavior": hungry}
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    container["resources"] = {"limits": {"memory": "200Mi"}}
    fleet.apply(manifest)
    fleet.run(10)
    for pod in fleet.pods():
        assert pod["spec"]["containers"][0]["resources"]["limits"] == {"memory": "200Mi"}
        assert pod["status"]["qosClass"] == "Burstable"


# --- beside other workloads ---------------------------------------------------------------------------------


@pytest.mark.spec("WL-01", "WL-07", "DS-ALT-04")
def test_a_deleted_pod_comes_back_on_its_node_and_that_of_a_deployment_anywhere():
    """SC-WL-01: the same template as a Deployment and as a DaemonSet."""
    fleet = Fleet()
    agent = make_agent()
    web = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {**agent["spec"]["template"], "metadata": {"labels": {"app": "web"}}},
        },
    }  # fmt: skip
    fleet.apply(agent)
    fleet.apply(web)
    fleet.run(5)
    owners = {
        pod["metadata"]["labels"]["app"]: pod["metadata"]["ownerReferences"][0]["kind"]
        for pod in fleet.pods()
    }
    assert owners == {"agent": "DaemonSet", "web": "ReplicaSet"}
    gone = next(pod for pod in fleet.pods() if pod["metadata"]["labels"]["app"] == "agent")
    fleet.change("delete", gone["metadata"]["name"], "Pod")
    fleet.run(10)
    assert fleet.nodes() == ["node-1", "node-2", "node-3"]
    assert gone["metadata"]["name"] not in [pod["metadata"]["name"] for pod in fleet.pods()]

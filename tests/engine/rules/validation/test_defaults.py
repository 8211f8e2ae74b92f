"""What the API server fills in before it stores an object."""

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create
from tests.engine.rules.validation.test_validation import make_deployment, make_pod


def stored(data, **gates):
    return apply_defaults(data, {**FEATURE_DEFAULTS, **gates})


def stored_container(**container):
    return stored(make_pod(container=container))["spec"]["containers"][0]


@pytest.mark.spec("RPOL-01", "POD-TERM-03")
def test_a_pod_gets_the_defaults_of_its_spec():
    spec = stored(make_pod())["spec"]
    assert {name: value for name, value in spec.items() if name not in ("containers", "tolerations")} == {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "enableServiceLinks": True,
        "serviceAccountName": "default",
        "serviceAccount": "default",
    }


def test_a_pod_leaves_a_lost_node_after_300_seconds_unless_it_says_otherwise():
    lost = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    assert stored(make_pod())["spec"]["tolerations"] == [{"key": key, **lost} for key in keys]
    own = {"key": keys[0], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 10}
    assert stored(make_pod({"tolerations": [own]}))["spec"]["tolerations"] == [own, {"key": keys[1], **lost}]
    everything = {"operator": "Exists"}
    assert stored(make_pod({"tolerations": [everything]}))["spec"]["tolerations"] == [everything]


@pytest.mark.spec("IMGPULL-03")
@pytest.mark.parametrize(
    "image, policy",
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.25", "IfNotPresent"),
        ("registry:5000/nginx", "Always"),
        ("registry:5000/nginx:1", "IfNotPresent"),
        (f"nginx@sha256:{'0' * 64}", "IfNotPresent"),
        (f"nginx:1.25@sha256:{'0' * 64}", "IfNotPresent"),
        # The tag is what is looked at, also where a digest says more.
        (f"nginx:latest@sha256:{'0' * 64}", "Always"),
    ],
)
def test_the_pull_policy_follows_the_tag(image, policy):
    assert stored_container(image=image)["imagePullPolicy"] == policy


@pytest.mark.spec("PROBE-06", "PROBE-22", "PROBE-23")
def test_a_probe_gets_its_numbers_and_its_scheme():
    probe = stored_container(readinessProbe={"httpGet": {"port": 80}, "timeoutSeconds": 0})["readinessProbe"]
    assert probe == {
        "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


@pytest.mark.spec("QOS-05")
def test_what_is_limited_is_requested():
    resources = stored_container(
        resources={"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}
    )["resources"]
    assert resources["requests"] == {"cpu": "500m", "memory": "1Gi"}


def test_ports_volumes_and_the_host_network():
    pod = make_pod(
        {"hostNetwork": True, "volumes": [{"name": "a"}, {"name": "b", "configMap": {"name": "c"}}]},
        {"ports": [{"containerPort": 80}]},
    )
    spec = stored(pod)["spec"]
    assert spec["containers"][0]["ports"] == [{"containerPort": 80, "protocol": "TCP", "hostPort": 80}]
    assert spec["volumes"] == [
        {"name": "a", "emptyDir": {}},
        {"name": "b", "configMap": {"name": "c", "defaultMode": 0o644}},
    ]


@pytest.mark.spec("SIDECAR-02", "SIDECAR-09")
def test_a_sidecar_takes_probes_and_hooks():
    fields = {
        name: {"exec": {"command": ["true"]}} for name in ("livenessProbe", "readinessProbe", "startupProbe")
    }
    sidecar = {"name": "side", "image": "a:1", "restartPolicy": "Always", **fields}
    sidecar["lifecycle"] = {"preStop": {"exec": {"command": ["true"]}}}
    assert validate_create(stored(make_pod({"initContainers": [sidecar]}))) == []


@pytest.mark.spec("CRULE-14")
def test_without_the_gate_rules_are_not_stored_but_sidecars_are():
    rules = {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart"}]}
    pod = make_pod(
        {
            "initContainers": [
                {"name": "once", "image": "a:1", **rules},
                {"name": "side", "image": "a:1", "restartPolicy": "Always"},
            ]
        },
        rules,
    )
    spec = stored(pod, ContainerRestartRules=False)["spec"]
    once, side = spec["initContainers"]
    for container in (spec["containers"][0], once):
        assert not {"restartPolicy", "restartPolicyRules"} & set(container)
    assert side["restartPolicy"] == "Always"
    assert stored(pod)["spec"]["containers"][0]["restartPolicy"] == "Never"


@pytest.mark.spec("STOPSIG-07")
def test_without_the_gate_a_stop_signal_is_not_stored():
    hook = {"exec": {"command": ["true"]}}
    pod = make_pod({"os": {"name": "linux"}}, {"lifecycle": {"stopSignal": "SIGUSR1", "preStop": hook}})
    assert stored(pod)["spec"]["containers"][0]["lifecycle"] == {"preStop": hook}
    kept = stored(pod, ContainerStopSignals=True)["spec"]["containers"][0]["lifecycle"]
    assert kept["stopSignal"] == "SIGUSR1"


@pytest.mark.spec("DEP-SPEC-03", "DEP-SPEC-07", "DEP-ROLL-01", "DEP-ROLL-02", "DEP-FAIL-02", "DEP-CLEAN-01")
def test_a_deployment_needs_only_template_and_selector():
    found = stored(make_deployment())
    assert validate_create(found) == []
    spec = found["spec"]
    assert {name: spec[name] for name in spec if name not in ("selector", "template")} == {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
    }
    template = spec["template"]["spec"]
    # What admission adds belongs to pods, so that a template's hash does not depend on it.
    assert template["restartPolicy"] == "Always"
    assert not {"tolerations", "serviceAccountName", "priority", "enableServiceLinks"} & set(template)


@pytest.mark.spec("DEP-ROLL-03")
@pytest.mark.parametrize("value", [5, "10%"])
def test_numbers_of_the_strategy_are_stored_as_given(value):
    found = stored(make_deployment(strategy={"rollingUpdate": {"maxSurge": value}}))
    assert validate_create(found) == []
    assert found["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": value, "maxUnavailable": "25%"}


@pytest.mark.parametrize(
    "kind, spec, expected",
    [
        ("StatefulSet", {}, {"replicas": 1, "podManagementPolicy": "OrderedReady"}),
        (
            "DaemonSet",
            {},
            {
                "updateStrategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
                }
            },
        ),
        ("Job", {}, {"completions": 1, "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed"}),
        ("Job", {"parallelism": 3}, {"parallelism": 3, "backoffLimit": 6}),
        ("Job", {"backoffLimitPerIndex": 1}, {"backoffLimit": 2**31 - 1}),
        ("CronJob", {}, {"concurrencyPolicy": "Allow", "successfulJobsHistoryLimit": 3}),
        (
            "Service",
            {"ports": [{"port": 80}]},
            {"type": "ClusterIP", "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]},
        ),
    ],
)
def test_other_kinds(kind, spec, expected):
    found = apply_defaults({"kind": kind, "metadata": {"name": "a"}, "spec": spec})["spec"]
    assert {name: found[name] for name in expected} == expected
    assert "completions" not in found or "completions" in expected or spec.get("parallelism") is None


def test_objects_without_a_namespace_are_in_the_default_one():
    assert stored(make_pod())["metadata"]["namespace"] == "default"
    assert "namespace" not in apply_defaults({"kind": "Node", "metadata": {"name": "a"}})["metadata"]

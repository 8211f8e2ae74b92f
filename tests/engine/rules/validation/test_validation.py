"""What the API server refuses, table by table. Wording and paths are Kubernetes' own."""

import copy

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import (
    list_warnings,
    validate_create,
    validate_manifest,
    validate_update,
)
from lifecycle.engine.rules.validation.kubelet_config import (
    validate_kubelet_configuration,
    validate_subordinate_ids,
)
from lifecycle.engine.rules.validation.words.refusal import make_invalid

ALL_GATES = {**FEATURE_DEFAULTS, "ContainerStopSignals": True, "RestartAllContainersOnContainerExits": True}


def make_pod(spec=None, container=None, **metadata):
    app = {"name": "app", "image": "nginx:1", **(container or {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", **metadata},
        "spec": {"containers": [app], **(spec or {})},
    }


def make_deployment(name="web", template=None, pod=None, **spec):
    labels = {"metadata": {"labels": {"app": "nginx"}}}
    containers = [{"name": "app", "image": "nginx:1"}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": "nginx"}},
            "template": {**labels, "spec": {"containers": containers, **(pod or {})}, **(template or {})},
            **spec,
        },
    }


def refuse_create(data, gates=ALL_GATES):
    return [str(error) for error in validate_manifest(apply_defaults(data, gates), gates)]


def refuse_update(old, change, subresource=""):
    before = apply_defaults(old, ALL_GATES)
    after = copy.deepcopy(before)
    change(after)
    return [str(error) for error in validate_update(before, after, subresource, ALL_GATES)]


RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}
SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'"


def ephemeral(**fields):
    return {"name": "debug", "image": "busybox", **fields}


@pytest.mark.parametrize(
    "pod, expected",
    [
        pytest.param(
            make_pod({"containers": []}),
            "spec.containers: Required value",
            id="no containers",
            marks=pytest.mark.spec("POD-OBJ-02"),
        ),
        pytest.param(
            make_pod(name="My_Pod"),
            f'metadata.name: Invalid value: "My_Pod": {SUBDOMAIN}',
            id="bad name",
            marks=pytest.mark.spec("POD-OBJ-05", "VALID-11"),
        ),
        pytest.param(
            make_pod(name="<script>"),
            f'metadata.name: Invalid value: "<script>": {SUBDOMAIN}',
            id="a name with markup",
        ),
        pytest.param(
            make_pod({"initContainers": [{"name": "app", "image": "a:1"}]}),
            'spec.initContainers[0].name: Duplicate value: "app"',
            id="one name twice",
            marks=pytest.mark.spec("VALID-01", "INIT-23"),
        ),
        *(
            pytest.param(
                make_pod({"initContainers": [{"name": "init", "image": "a:1", field: value}]}),
                f"spec.initContainers[0].{field}: Forbidden: "
                "may not be set for init containers without restartPolicy=Always",
                id=f"init {field}",
                marks=pytest.mark.spec("VALID-02", "INIT-06", "PROBE-37"),
            )
            for field, value in {
                "livenessProbe": {"exec": {"command": ["true"]}},
                "readinessProbe": {"exec": {"command": ["true"]}},
                "startupProbe": {"exec": {"command": ["true"]}},
                "lifecycle": {"preStop": {"exec": {"command": ["true"]}}},
            }.items()
        ),
        pytest.param(
            make_pod(container={"restartPolicyRules": [RULE]}),
            "spec.containers[0].restartPolicy: Required value: "
            "must specify restartPolicy when restart rules are used",
            id="rules without a policy",
            marks=pytest.mark.spec("VALID-05", "CRULE-05"),
        ),
        pytest.param(
            make_pod({"restartPolicy": "Sometimes"}),
            'spec.restartPolicy: Unsupported value: "Sometimes": '
            'supported values: "Always", "OnFailure", "Never"',
            id="pod policy",
            marks=pytest.mark.spec("VALID-06", "RPOL-01"),
        ),
        pytest.param(
            make_pod(container={"restartPolicy": "Sometimes"}),
            'spec.containers[0].restartPolicy: Unsupported value: "Sometimes": '
            'supported values: "Always", "Never", "OnFailure"',
            id="container policy",
            marks=pytest.mark.spec("CRULE-02"),
        ),
        pytest.param(
            make_pod(container={"restartPolicy": "Never", "restartPolicyRules": [RULE | {"action": "Stop"}]}),
            'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": '
            'supported values: "Restart"',
            id="rule action",
            marks=pytest.mark.spec("VALID-07"),
        ),
        pytest.param(
            make_pod(
                container={
                    "restartPolicy": "Never",
                    "restartPolicyRules": [RULE | {"exitCodes": {"operator": "Is", "values": [1]}}],
                }
            ),
            'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Is": '
            'supported values: "In", "NotIn"',
            id="rule operator",
            marks=pytest.mark.spec("VALID-07", "CRULE-08"),
        ),
        pytest.param(
            make_pod(container={"restartPolicy": "Never", "restartPolicyRules": [RULE] * 21}),
            "spec.containers[0].restartPolicyRules: Too long: may not be more than 20 bytes",
            id="21 rules",
            marks=pytest.mark.spec("CRULE-08"),
        ),
        pytest.param(
            make_pod(
                container={
                    "restartPolicy": "Never",
                    "restartPolicyRules": [
                        RULE | {"exitCodes": {"operator": "In", "values": list(range(256))}}
                    ],
                }
            ),
            "spec.containers[0].restartPolicyRules[0].exitCodes.values: Too long: "
            "may not be more than 255 bytes",
            id="256 exit codes",
            marks=pytest.mark.spec("CRULE-08"),
        ),
        *(
            pytest.param(
                make_pod({"hostUsers": False, field: True}),
                f"spec.{shown}: Forbidden: when `hostUsers` is false",
                id=f"userns and {field}",
                marks=pytest.mark.spec("VALID-08", "USERNS-07"),
            )
            for field, shown in (
                ("hostNetwork", "hostNetwork"),
                ("hostPID", "HostPID"),
                ("hostIPC", "HostIPC"),
            )
        ),
        pytest.param(
            make_pod({"hostUsers": False}, {"securityContext": {"runAsUser": 65536}}),
            "spec.containers[0].securityContext.runAsUser: Invalid value: 65536: "
            "must be between 0 and 65535, inclusive",
            id="userns id",
            marks=pytest.mark.spec("USERNS-05"),
        ),
        pytest.param(
            make_pod(container={"lifecycle": {"stopSignal": "SIGUSR1"}}),
            "spec.containers[0].lifecycle.stopSignal: Forbidden: "
            "may not be set for containers with empty `spec.os.name`",
            id="signal without a system",
            marks=pytest.mark.spec("VALID-09", "STOPSIG-04", "PODOS-05"),
        ),
        pytest.param(
            make_pod({"os": {"name": "windows"}}, {"lifecycle": {"stopSignal": "SIGUSR1"}}),
            'spec.containers[0].lifecycle.stopSignal: Unsupported value: "SIGUSR1": '
            'supported values: "SIGKILL", "SIGTERM"',
            id="windows signal",
            marks=pytest.mark.spec("VALID-09", "STOPSIG-05"),
        ),
        pytest.param(
            make_pod({"os": {"name": "plan9"}}),
            'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"',
            id="unknown system",
            marks=pytest.mark.spec("PODOS-01"),
        ),
        *(
            pytest.param(
                make_pod(pod, container),
                error,
                id=f"{place} on {system}",
                marks=pytest.mark.spec("SECCTX-06"),
            )
            for system, place, pod, container, error in (
                (
                    "linux",
                    "windows options of a container",
                    {"os": {"name": "linux"}},
                    {"securityContext": {"windowsOptions": {"runAsUserName": "me"}}},
                    "spec.containers[0].securityContext.windowsOptions: Forbidden: "
                    "windows options cannot be set for a linux pod",
                ),
                (
                    "linux",
                    "windows options of a pod",
                    {"os": {"name": "linux"}, "securityContext": {"windowsOptions": {"runAsUserName": "me"}}},
                    {},
                    "spec.securityContext.windowsOptions: Forbidden: "
                    "windows options cannot be set for a linux pod",
                ),
                (
                    "windows",
                    "a user id",
                    {"os": {"name": "windows"}},
                    {"securityContext": {"runAsUser": 1000}},
                    "spec.containers[0].securityContext.runAsUser: Forbidden: "
                    "cannot be set for a windows pod",
                ),
                (
                    "windows",
                    "a host process in a network of its own",
                    {"os": {"name": "windows"}},
                    {"securityContext": {"windowsOptions": {"hostProcess": True}}},
                    "spec.hostNetwork: Invalid value: false: "
                    "hostNetwork must be true if pod contains any hostProcess containers",
                ),
                (
                    "windows",
                    "a container that says other than its pod",
                    {
                        "os": {"name": "windows"},
                        "hostNetwork": True,
                        "securityContext": {"windowsOptions": {"hostProcess": False}},
                    },
                    {"securityContext": {"windowsOptions": {"hostProcess": True}}},
                    "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: "
                    "pod hostProcess value must be identical if both are specified, was false",
                ),
                (
                    "windows",
                    "a choice about users",
                    {"os": {"name": "windows"}, "hostUsers": True},
                    {},
                    "spec.hostUsers: Forbidden: cannot be set for a windows pod",
                ),
            )
        ),
        pytest.param(
            make_pod({"readinessGates": [{"conditionType": "not a label key"}]}),
            'spec.readinessGates[0].conditionType: Invalid value: "not a label key": name part must',
            id="readiness gate",
            marks=pytest.mark.spec("VALID-10", "RGATE-05"),
        ),
        pytest.param(
            make_pod(container={"livenessProbe": {"periodSeconds": 5}}),
            "spec.containers[0].livenessProbe: Required value: must specify a handler type",
            id="probe without a handler",
            marks=pytest.mark.spec("VALID-16", "PROBE-02"),
        ),
        pytest.param(
            make_pod(container={"livenessProbe": {"exec": {"command": ["true"]}, "tcpSocket": {"port": 80}}}),
            "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
            id="probe with two handlers",
            marks=pytest.mark.spec("VALID-16", "PROBE-02"),
        ),
        pytest.param(
            make_pod(container={"livenessProbe": {"httpGet": {"port": 80, "scheme": "ftp"}}}),
            'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "ftp": '
            'supported values: "HTTP", "HTTPS"',
            id="probe scheme",
            marks=pytest.mark.spec("VALID-16", "PROBE-06"),
        ),
        pytest.param(
            make_pod(container={"startupProbe": {"tcpSocket": {"port": 80}, "successThreshold": 2}}),
            "spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1",
            id="startup success threshold",
            marks=pytest.mark.spec("PROBE-24"),
        ),
        pytest.param(
            make_pod(container={"livenessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": -1}}),
            "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: "
            "must be greater than or equal to 0",
            id="negative period",
            marks=pytest.mark.spec("PROBE-23"),
        ),
        pytest.param(
            make_pod(
                container={"readinessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 5}}
            ),
            "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: "
            "must not be set for readinessProbes",
            id="readiness grace",
            marks=pytest.mark.spec("PROBE-35"),
        ),
        pytest.param(
            make_pod(
                container={"livenessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 0}}
            ),
            "spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: "
            "must be greater than 0",
            id="liveness grace",
            marks=pytest.mark.spec("PROBE-35"),
        ),
        pytest.param(
            make_pod({"ephemeralContainers": [ephemeral()]}),
            "spec.ephemeralContainers: Forbidden: cannot be set on create",
            id="ephemeral at creation",
        ),
        pytest.param(
            make_pod(
                {"volumes": [{"name": "v", "emptyDir": {}}]},
                {"volumeMounts": [{"name": "w", "mountPath": "/w"}]},
            ),
            'spec.containers[0].volumeMounts[0].name: Not found: "w"',
            id="mount of nothing",
        ),
        pytest.param(
            make_pod(container={"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}),
            'spec.containers[0].resources.requests: Invalid value: "2": '
            "must be less than or equal to cpu limit of 1",
            id="request above limit",
        ),
        pytest.param(
            make_pod(labels={"a": "not a label"}),
            'metadata.labels: Invalid value: "not a label": a valid label must be an empty string',
            id="label value",
        ),
        pytest.param(
            make_pod(annotations={"a": "x" * 262_144}),
            "metadata.annotations: Too long: may not be more than 262144 bytes",
            id="annotations",
        ),
    ],
)
def test_a_pod_is_refused(pod, expected):
    errors = refuse_create(pod)
    assert len(errors) == 1, errors
    assert errors[0].startswith(expected)


def env_field(path):
    return make_pod(container={"env": [{"name": "X", "valueFrom": {"fieldRef": {"fieldPath": path}}}]})


def volume_field(path):
    items = [{"path": "x", "fieldRef": {"fieldPath": path}}]
    return make_pod({"volumes": [{"name": "info", "downwardAPI": {"items": items}}]})


ENV_ONLY = {
    "spec.serviceAccountName": "DOWN-08",
    "spec.nodeName": "DOWN-09",
    "status.hostIP": "DOWN-10",
    "status.hostIPs": "DOWN-11",
    "status.podIP": "DOWN-12",
    "status.podIPs": "DOWN-13",
}
VOLUME_ONLY = {"metadata.labels": "DOWN-14", "metadata.annotations": "DOWN-15"}


@pytest.mark.spec("VALID-17", "DOWN-02")
@pytest.mark.parametrize("path", ["spec.containers", "status.qosClass", "metadata.foo"])
def test_an_unknown_downward_field_is_refused(path):
    place = "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath"
    text = f'{place}: Invalid value: "{path}": error converting fieldPath: field label not supported: {path}'
    assert refuse_create(env_field(path)) == [text]


@pytest.mark.spec("VALID-17", *ENV_ONLY.values())
@pytest.mark.parametrize("path", ENV_ONLY)
def test_an_environment_field_is_refused_in_a_volume(path):
    assert refuse_create(env_field(path)) == []
    (error,) = refuse_create(volume_field(path))
    place = "spec.volumes[0].downwardAPI.fieldRef.fieldPath"
    assert error.startswith(f'{place}: Unsupported value: "{path}": supported values: "metadata.annotations"')


@pytest.mark.spec("VALID-17", *VOLUME_ONLY.values())
@pytest.mark.parametrize("path", VOLUME_ONLY)
def test_a_volume_field_is_refused_in_the_environment(path):
    assert refuse_create(volume_field(path)) == []
    (error,) = refuse_create(env_field(path))
    assert error.startswith(
        f'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "{path}"'
    )


def test_both_forms_take_names_and_single_labels():
    for path in ("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['a.b/C']"):
        assert refuse_create(env_field(path)) == refuse_create(volume_field(path)) == []


@pytest.mark.parametrize(
    "deployment, expected",
    [
        pytest.param(
            make_deployment(selector={"matchLabels": {"app": "web"}}),
            [
                'spec.template.metadata.labels: Invalid value: {"app":"nginx"}: '
                "`selector` does not match template `labels`"
            ],
            id="selector mismatch",
            marks=pytest.mark.spec("DEP-SPEC-08", "DEP-SEL-02"),
        ),
        pytest.param(
            make_deployment(selector=None),
            [
                "spec.selector: Required value",
                'spec.template.metadata.labels: Invalid value: {"app":"nginx"}: '
                "`selector` does not match template `labels`",
            ],
            id="no selector",
            marks=pytest.mark.spec("DEP-SPEC-03", "DEP-SEL-06"),
        ),
        pytest.param(
            make_deployment(template={"metadata": {}}),
            [
                "spec.template.metadata.labels: Invalid value: null:"
                " `selector` does not match template `labels`"
            ],
            id="no labels",
            marks=pytest.mark.spec("DEP-SPEC-05"),
        ),
        *(
            pytest.param(
                make_deployment(pod={"restartPolicy": policy}),
                [
                    f'spec.template.spec.restartPolicy: Unsupported value: "{policy}": '
                    'supported values: "Always"'
                ],
                id=policy,
                marks=pytest.mark.spec("DEP-SPEC-06", "POD-TPL-09", "VALID-19"),
            )
            for policy in ("Never", "OnFailure")
        ),
        pytest.param(
            make_deployment(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}),
            [
                "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: "
                "may not be 0 when `maxSurge` is 0"
            ],
            id="both zero",
            marks=pytest.mark.spec("DEP-ROLL-06"),
        ),
        pytest.param(
            make_deployment(strategy={"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "0%"}}),
            [
                'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": '
                "may not be 0 when `maxSurge` is 0"
            ],
            id="both 0%",
            marks=pytest.mark.spec("DEP-ROLL-06"),
        ),
        pytest.param(
            make_deployment(strategy={"rollingUpdate": {"maxUnavailable": "101%"}}),
            [
                'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": '
                "must not be greater than 100%"
            ],
            id="101%",
            marks=pytest.mark.spec("DEP-ROLL-08"),
        ),
        pytest.param(
            make_deployment(strategy={"rollingUpdate": {"maxSurge": "300%"}}),
            [],
            id="surge 300%",
            marks=pytest.mark.spec("DEP-ROLL-08"),
        ),
        pytest.param(
            make_deployment(strategy={"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}),
            [
                "spec.strategy.rollingUpdate: Forbidden: "
                "may not be specified when strategy `type` is 'Recreate'"
            ],
            id="Recreate with numbers",
        ),
        pytest.param(
            make_deployment(progressDeadlineSeconds=10, minReadySeconds=10),
            ["spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds"],
            id="deadline",
            marks=pytest.mark.spec("DEP-SPEC-10"),
        ),
        pytest.param(
            make_deployment(replicas=-1),
            ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
            id="replicas",
        ),
        pytest.param(
            make_deployment(name="nginx.v2"), [], id="a subdomain", marks=pytest.mark.spec("DEP-SPEC-02")
        ),
        pytest.param(
            make_deployment(strategy={"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "1%"}}),
            [],
            id="1% of 3",
        ),
    ],
)
def test_a_deployment_is_refused_or_not(deployment, expected):
    assert refuse_create(deployment) == expected


@pytest.mark.spec("DEP-SPEC-02")
def test_a_deployment_name_with_capitals_is_refused():
    (error,) = refuse_create(make_deployment(name="My_App"))
    assert error.startswith(f'metadata.name: Invalid value: "My_App": {SUBDOMAIN}')


@pytest.mark.spec("RS-SPEC-02", "RS-SPEC-03", "RS-SPEC-04", "RS-SPEC-05")
@pytest.mark.parametrize(
    "change, path",
    [
        ({"selector": {"matchLabels": {"app": "web"}}}, "spec.template.metadata.labels"),
        ({"template": {"metadata": {}}}, "spec.template.metadata.labels"),
        ({"pod": {"restartPolicy": "Never"}}, "spec.template.spec.restartPolicy"),
        ({"name": "Front_End"}, "metadata.name"),
    ],
)
def test_a_replica_set_is_refused(change, path):
    data = make_deployment(**change) | {"kind": "ReplicaSet"}
    (error,) = validate_create(apply_defaults(data))
    assert error.path == path


@pytest.mark.spec("RS-SPEC-06", "RS-SPEC-07")
def test_a_replica_set_takes_set_based_selectors_and_one_replica():
    expressions = [{"key": "app", "operator": "In", "values": ["nginx", "cache"]}]
    data = make_deployment(selector={"matchExpressions": expressions}) | {"kind": "ReplicaSet"}
    stored = apply_defaults(data)
    assert validate_create(stored) == []
    assert stored["spec"]["replicas"] == 1


@pytest.mark.spec("VALID-19", "POD-TPL-09")
def test_a_job_template_may_not_restart_for_ever():
    template = {"spec": {"containers": [{"name": "a", "image": "b:1"}], "restartPolicy": "Always"}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template}}
    path = "spec.template.spec.restartPolicy"
    assert refuse_create(job) == [f'{path}: Required value: valid values: "OnFailure", "Never"']


@pytest.mark.spec("DEP-SEL-01", "RS-SPEC-08")
@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet"])
def test_a_selector_cannot_change(kind):
    old = apply_defaults(make_deployment() | {"kind": kind})
    new = copy.deepcopy(old)
    new["spec"]["selector"] = {"matchLabels": {"app": "nginx", "tier": "web"}}
    errors = [str(error) for error in validate_update(old, new)]
    expected = (
        'spec.selector: Invalid value: {"matchLabels":{"app":"nginx","tier":"web"}}: field is immutable'
    )
    # The spec is looked at as that of a new object first.
    assert errors[-1] == expected


def set_spec(**fields):
    return lambda pod: pod["spec"].update(fields)


def set_metadata(**fields):
    return lambda pod: pod["metadata"].update(fields)


def set_container(**fields):
    return lambda pod: pod["spec"]["containers"][0].update(fields)


GATED = {"schedulingGates": [{"name": "a"}]}
REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
NODE_TERMS = f"spec.affinity.nodeAffinity.{REQUIRED_TERMS}.nodeSelectorTerms"


def require(*terms):
    """A node affinity of terms, each a list of labels that must be there."""
    found = [{"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]} for keys in terms]
    return {"nodeAffinity": {REQUIRED_TERMS: {"nodeSelectorTerms": found}}}


def add_to(field, entry):
    return lambda pod: pod["spec"].setdefault(field, []).append(entry)


@pytest.mark.parametrize(
    "pod, change, path",
    [
        pytest.param(
            make_pod(), set_container(image="nginx:2"), None, id="image", marks=pytest.mark.spec("POD-OBJ-14")
        ),
        pytest.param(
            make_pod(),
            set_spec(restartPolicy="Never"),
            "spec",
            id="restartPolicy",
            marks=pytest.mark.spec("POD-OBJ-14", "RPOL-15", "VALID-12"),
        ),
        pytest.param(
            make_pod(),
            set_container(command=["true"]),
            "spec",
            id="command",
            marks=pytest.mark.spec("POD-OBJ-14", "VALID-12"),
        ),
        pytest.param(
            make_pod(),
            add_to("containers", {"name": "b", "image": "b:1"}),
            "spec.containers",
            id="another container",
            marks=pytest.mark.spec("EPHEM-02"),
        ),
        pytest.param(
            make_pod(),
            add_to("ephemeralContainers", ephemeral()),
            "spec",
            id="ephemeral by update",
            marks=pytest.mark.spec("VALID-04", "EPHEM-07"),
        ),
        pytest.param(
            make_pod(),
            set_metadata(name="other"),
            "metadata.name",
            id="name",
            marks=pytest.mark.spec("POD-OBJ-11", "VALID-12"),
        ),
        pytest.param(
            make_pod(uid="1"),
            set_metadata(uid="2"),
            "metadata.uid",
            id="uid",
            marks=pytest.mark.spec("POD-OBJ-11"),
        ),
        pytest.param(
            make_pod(),
            set_metadata(namespace="other"),
            "metadata.namespace",
            id="namespace",
            marks=pytest.mark.spec("POD-OBJ-11"),
        ),
        pytest.param(
            make_pod(creationTimestamp="2026-01-01T00:00:00Z"),
            set_metadata(creationTimestamp="2026-01-02T00:00:00Z"),
            None,
            id="creationTimestamp, which is not heard",
            marks=pytest.mark.spec("POD-OBJ-11"),
        ),
        pytest.param(
            make_pod(generation=3),
            set_metadata(generation=2),
            "metadata.generation",
            id="generation",
            marks=pytest.mark.spec("POD-OBJ-12"),
        ),
        pytest.param(
            make_pod(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a.b/c"]),
            set_metadata(finalizers=["a.b/c", "a.b/d"]),
            "metadata.finalizers",
            id="new finalizer",
            marks=pytest.mark.spec("POD-OBJ-13", "VALID-14"),
        ),
        pytest.param(
            make_pod(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a.b/c"]),
            set_metadata(finalizers=[]),
            None,
            id="finalizer removed",
            marks=pytest.mark.spec("POD-OBJ-13"),
        ),
        pytest.param(
            make_pod(),
            add_to("tolerations", {"key": "a", "operator": "Exists"}),
            None,
            id="toleration added",
            marks=pytest.mark.spec("POD-OBJ-15"),
        ),
        pytest.param(
            make_pod({"tolerations": [{"key": "a", "operator": "Exists"}]}),
            set_spec(tolerations=[]),
            "spec.tolerations",
            id="toleration removed",
            marks=pytest.mark.spec("POD-OBJ-15", "VALID-13"),
        ),
        pytest.param(
            make_pod(),
            set_spec(activeDeadlineSeconds=100),
            None,
            id="deadline set",
            marks=pytest.mark.spec("POD-OBJ-16"),
        ),
        pytest.param(
            make_pod({"activeDeadlineSeconds": 100}),
            set_spec(activeDeadlineSeconds=40),
            None,
            id="deadline lowered",
            marks=pytest.mark.spec("POD-OBJ-16"),
        ),
        pytest.param(
            make_pod({"activeDeadlineSeconds": 40}),
            set_spec(activeDeadlineSeconds=0),
            # The specification lets it; v1.35.6 holds a changed spec to the rules of a new one (recorded).
            "spec.activeDeadlineSeconds",
            id="deadline to 0",
            marks=pytest.mark.spec("POD-OBJ-16"),
        ),
        pytest.param(
            make_pod({"activeDeadlineSeconds": 40}),
            set_spec(activeDeadlineSeconds=60),
            "spec.activeDeadlineSeconds",
            id="deadline raised",
            marks=pytest.mark.spec("POD-OBJ-16", "VALID-13"),
        ),
        pytest.param(
            make_pod({"activeDeadlineSeconds": 40}),
            set_spec(activeDeadlineSeconds=None),
            "spec.activeDeadlineSeconds",
            id="deadline unset",
            marks=pytest.mark.spec("POD-OBJ-16", "VALID-13"),
        ),
        pytest.param(
            make_pod({"schedulingGates": [{"name": "a"}, {"name": "b"}]}),
            set_spec(schedulingGates=[{"name": "a"}]),
            None,
            id="gate removed",
            marks=pytest.mark.spec("SGATE-04"),
        ),
        pytest.param(
            make_pod(),
            set_spec(schedulingGates=[{"name": "a"}]),
            "spec.schedulingGates[0].name",
            id="gate added",
            marks=pytest.mark.spec("SGATE-04"),
        ),
        pytest.param(
            make_pod(GATED | {"nodeSelector": {"os": "linux"}}),
            set_spec(schedulingGates=None),
            None,
            id="last gate removed from a directed pod",
        ),
        pytest.param(
            make_pod(GATED | {"nodeSelector": {"os": "linux"}}),
            set_spec(nodeSelector={"os": "linux", "disk": "ssd"}),
            None,
            id="gated: selector narrowed",
        ),
        pytest.param(
            make_pod(GATED | {"nodeSelector": {"os": "linux"}}),
            set_spec(nodeSelector={"disk": "ssd"}),
            "spec.nodeSelector",
            id="gated: selector turned",
        ),
        pytest.param(
            make_pod(GATED),
            set_spec(affinity=require(["a"])),
            None,
            id="gated: affinity given",
        ),
        pytest.param(
            make_pod(GATED | {"affinity": require(["a"])}),
            set_spec(affinity=require(["a"], ["b"])),
            NODE_TERMS,
            id="gated: another term would widen the choice",
        ),
        pytest.param(
            make_pod(GATED | {"affinity": require(["a"])}),
            set_spec(affinity=require(["a", "b"])),
            None,
            id="gated: another requirement narrows it",
        ),
        pytest.param(
            make_pod(GATED | {"affinity": require(["a", "b"])}),
            set_spec(affinity=require(["b"])),
            f"{NODE_TERMS}[0]",
            id="gated: a requirement dropped",
        ),
        pytest.param(
            make_pod(),
            set_spec(nodeSelector={"os": "linux"}),
            "spec",
            id="selector without gates",
        ),
    ],
)
def test_what_may_change_on_a_living_pod(pod, change, path):
    # Of metadata it is said as often as the API server looks at it.
    errors = dict.fromkeys(refuse_update(pod, change))
    assert [error.partition(": ")[0] for error in errors] == ([path] if path else [])


@pytest.mark.spec("VALID-03", "EPHEM-04", "EPHEM-05", "EPHEM-06")
@pytest.mark.parametrize(
    "field, value",
    [
        ("ports", [{"containerPort": 80}]),
        ("livenessProbe", {"tcpSocket": {"port": 80}}),
        ("readinessProbe", {"tcpSocket": {"port": 80}}),
        ("startupProbe", {"tcpSocket": {"port": 80}}),
        ("lifecycle", {"preStop": {"exec": {"command": ["true"]}}}),
        ("resources", {"requests": {"cpu": "1"}}),
    ],
)
def test_an_ephemeral_container_is_refused(field, value):
    errors = refuse_update(
        make_pod(), add_to("ephemeralContainers", ephemeral(**{field: value})), "ephemeralcontainers"
    )
    place = f"spec.ephemeralContainers[0].{field}"
    assert errors == [f"{place}: Forbidden: cannot be set for an Ephemeral Container"]


@pytest.mark.spec("EPHEM-07", "EPHEM-10")
def test_ephemeral_containers_can_be_added_but_never_changed():
    with_one = make_pod({"ephemeralContainers": [ephemeral()]})
    adding = add_to("ephemeralContainers", ephemeral(name="second"))
    assert refuse_update(with_one, adding, "ephemeralcontainers") == []
    for changed in ([], [ephemeral(image="alpine")]):
        (error,) = refuse_update(with_one, set_spec(ephemeralContainers=changed), "ephemeralcontainers")
        assert error.startswith('spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug"')


REQUESTS = {"requests": {"cpu": "500m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "512Mi"}}


@pytest.mark.spec("VALID-15", "RESIZE-04", "RESIZE-05")
@pytest.mark.parametrize(
    "resources, expected",
    [
        pytest.param({"requests": {"cpu": "700m"}}, "", id="cpu"),
        pytest.param(
            {"limits": {"ephemeral-storage": "1Gi"}},
            "spec: Forbidden: only cpu and memory resources are mutable",
            id="storage",
        ),
        pytest.param({"requests": {"cpu": "1", "memory": "512Mi"}}, "spec: Invalid value: ", id="class"),
    ],
)
def test_a_resize_touches_only_cpu_and_memory_within_its_class(resources, expected):
    def change(pod):
        current = pod["spec"]["containers"][0]["resources"]
        pod["spec"]["containers"][0]["resources"] = {
            group: {**current[group], **resources.get(group, {})} for group in ("requests", "limits")
        }

    errors = refuse_update(make_pod(container={"resources": REQUESTS}), change, "resize")
    assert len(errors) == bool(expected)
    assert not errors or errors[0].startswith(expected)


@pytest.mark.spec("VALID-18", "BACKOFF-03")
@pytest.mark.parametrize(
    "period, is_valid", [("1s", True), ("300s", True), ("5m", True), ("301s", False), ("0s", False)]
)
def test_the_longest_restart_delay_of_a_node(period, is_valid):
    errors = validate_kubelet_configuration({"crashLoopBackOff": {"maxContainerRestartPeriod": period}})
    assert bool(errors) is not is_valid


@pytest.mark.spec("VALID-18", "USERNS-15", "USERNS-16", "USERNS-17", "USERNS-18")
@pytest.mark.parametrize(
    "lines, max_pods, is_valid",
    [
        (["kubelet:65536:7208960"], 110, True),
        (["kubelet:65536:7208960"], 111, False),
        (["kubelet:65537:7208960"], 110, False),
        (["kubelet:0:7208960"], 110, False),
        (["kubelet:65536:7208961"], 110, False),
        (["kubelet:65536:7208960", "kubelet:7274496:7208960"], 110, False),
    ],
)
def test_the_id_range_of_user_namespaces(lines, max_pods, is_valid):
    assert bool(validate_subordinate_ids(lines, max_pods, "ids")) is not is_valid


@pytest.mark.spec("USERNS-17")
def test_user_and_group_ids_must_be_the_same_range():
    annotations = {
        "podline.dev/subordinate-user-ids": "kubelet:65536:7208960",
        "podline.dev/subordinate-group-ids": "kubelet:131072:7208960",
    }
    (error,) = validate_kubelet_configuration({"metadata": {"annotations": annotations}})
    assert "must be the same range" in error.detail


@pytest.mark.spec("SECCTX-01", "SECCTX-05")
@pytest.mark.parametrize(
    "pod, container, error",
    [
        (
            {"seccompProfile": {"type": "Strict"}},
            {},
            'seccompProfile.type: Unsupported value: "Strict": supported values: "Localhost",'
            ' "RuntimeDefault", "Unconfined"',
        ),
        (
            {"seccompProfile": {"type": "Localhost"}},
            {},
            "seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
        ),
        (
            {},
            {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "a.json"}},
            "seccompProfile.localhostProfile: Invalid value:"
            ' {"Type":"RuntimeDefault","LocalhostProfile":"a.json"}:'
            " can only be set when seccomp type is Localhost",
        ),
        (
            {},
            {"procMount": "Unmasked"},
            'procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
        ),
        (
            {"fsGroupChangePolicy": "Never"},
            {},
            'fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
        ),
        ({"seccompProfile": {"type": "RuntimeDefault"}}, {"procMount": "Default"}, None),
        ({}, {"seccompProfile": {"type": "Localhost", "localhostProfile": "audit.json"}}, None),
    ],
)
def test_what_a_security_context_may_say(pod, container, error):
    found = refuse_create(make_pod({"securityContext": pod}, {"securityContext": container}))
    place = "spec.securityContext" if pod else "spec.containers[0].securityContext"
    assert found == ([f"{place}.{error}"] if error else [])


@pytest.mark.spec("SECCTX-01")
@pytest.mark.parametrize(
    "container, error",
    [
        ({"privileged": True}, "`privileged` to true"),
        ({"capabilities": {"add": ["CAP_SYS_ADMIN"]}}, "`capabilities.Add` CAP_SYS_ADMIN"),
    ],
)
def test_privileges_that_contradict_each_other(container, error):
    own = {"allowPrivilegeEscalation": False, **container}
    (found,) = refuse_create(make_pod({}, {"securityContext": own}))
    assert found.startswith("spec.containers[0].securityContext: Invalid value: {")
    assert found.endswith(f"cannot set `allowPrivilegeEscalation` to false and {error}")


def test_processes_are_shared_with_the_node_or_within_the_pod():
    (found,) = refuse_create(make_pod({"shareProcessNamespace": True, "hostPID": True}))
    said = "ShareProcessNamespace and HostPID cannot both be enabled"
    assert found == f"spec.securityContext.shareProcessNamespace: Invalid value: true: {said}"


def keyed(source, item, **more):
    return {source: {("secretName" if source == "secret" else "name"): "x", "items": [item], **more}}


@pytest.mark.parametrize(
    "source, error",
    [
        (keyed("configMap", {"path": "b"}), "configMap.items[0].key: Required value"),
        (keyed("secret", {"key": "a"}), "secret.items[0].path: Required value"),
        (
            keyed("configMap", {"key": "a", "path": "/b"}),
            'configMap.items[0].path: Invalid value: "/b": must be a relative path',
        ),
        (
            keyed("configMap", {"key": "a", "path": "b/../c"}),
            "configMap.items[0].path: Invalid value: \"b/../c\": must not contain '..'",
        ),
        (
            keyed("configMap", {"key": "a", "path": "..b"}),
            "configMap.items[0].path: Invalid value: \"..b\": must not start with '..'",
        ),
        (
            keyed("secret", {"key": "a", "path": "b", "mode": 0o1000}),
            "secret.items[0].mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both"
            " inclusive",
        ),
        (
            {"projected": {"sources": [{"configMap": {"items": [{"key": "a", "path": "b"}]}}]}},
            "projected.sources[0].configMap.name: Required value",
        ),
        (
            {"downwardAPI": {"items": [{"path": "/x", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            'downwardAPI.path: Invalid value: "/x": must be a relative path',
        ),
    ],
)
def test_files_of_a_volume_are_keys_at_paths_below_it(source, error):
    pod = make_pod({"volumes": [{"name": "v", **source}]})
    assert refuse_create(pod) == [f"spec.volumes[0].{error}"]


@pytest.mark.spec("SECCTX-06")
def test_host_processes_are_accepted_for_windows():
    options = {"hostProcess": True, "runAsUserName": "NT AUTHORITY\\SYSTEM"}
    security = {"securityContext": {"windowsOptions": options}}
    assert refuse_create(make_pod({"os": {"name": "windows"}, "hostNetwork": True, **security})) == []


@pytest.mark.spec("SECCTX-06")
def test_what_is_not_asked_for_is_no_setting_of_linux():
    nothing = {
        "hostPID": False,
        "hostIPC": False,
        "securityContext": {"supplementalGroups": [], "sysctls": []},
    }
    assert refuse_create(make_pod({"os": {"name": "windows"}, **nothing})) == []


@pytest.mark.spec("USERNS-14")
@pytest.mark.parametrize(
    "annotations, is_valid",
    [
        ({}, True),
        ({"user": "kubelet:65536:7208960", "group": "kubelet:65536:7208960"}, True),
        ({"user": "kubelet:65536:7208960"}, False),
        ({"group": "kubelet:65536:7208960"}, False),
        ({"user": "root:65536:7208960", "group": "root:65536:7208960"}, False),
    ],
)
def test_a_range_of_its_own_takes_both_entries_of_the_user_kubelet(annotations, is_valid):
    data = {f"podline.dev/subordinate-{kind}-ids": line for kind, line in annotations.items()}
    assert bool(validate_kubelet_configuration({"metadata": {"annotations": data}})) is not is_valid


@pytest.mark.spec("GRACE-30")
@pytest.mark.parametrize(
    "settings, path",
    [
        ({"evictionHard": {"memory.available": "200Mi", "nodefs.available": "5%"}}, None),
        ({"evictionHard": {"memory.free": "200Mi"}}, "evictionHard[memory.free]"),
        ({"evictionHard": {"memory.available": "lots"}}, "evictionHard[memory.available]"),
        ({"evictionHard": {"memory.available": "101%"}}, "evictionHard[memory.available]"),
        ({"evictionSoft": {"memory.available": "1Gi"}}, "evictionSoft[memory.available]"),
        (
            {
                "evictionSoft": {"memory.available": "1Gi"},
                "evictionSoftGracePeriod": {"memory.available": "soon"},
            },
            "evictionSoftGracePeriod[memory.available]",
        ),
        ({"evictionPressureTransitionPeriod": "later"}, "evictionPressureTransitionPeriod"),
        ({"evictionMaxPodGracePeriod": -1}, "evictionMaxPodGracePeriod"),
    ],
)
def test_the_eviction_settings_of_a_node(settings, path):
    errors = validate_kubelet_configuration(settings)
    assert [error.path for error in errors] == ([path] if path else [])


@pytest.mark.parametrize(
    "settings, path",
    [
        ({"cpuManagerPolicy": "none"}, None),
        ({"cpuManagerPolicy": "static", "reservedSystemCPUs": "0-1"}, None),
        ({"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "500m"}}, None),
        ({"cpuManagerPolicy": "static"}, "cpuManagerPolicy"),
        ({"cpuManagerPolicy": "best"}, "cpuManagerPolicy"),
        ({"cpuManagerPolicy": "static", "reservedSystemCPUs": "few"}, "reservedSystemCPUs"),
        ({"reservedSystemCPUs": "0-99999999999"}, "reservedSystemCPUs"),
        ({"reservedSystemCPUs": "3-1"}, "reservedSystemCPUs"),
        ({"kubeReserved": {"cpu": "some"}}, "kubeReserved[cpu]"),
    ],
)
def test_the_cpu_policy_of_a_node(settings, path):
    errors = validate_kubelet_configuration(settings)
    assert [error.path for error in errors] == ([path] if path else [])


@pytest.mark.spec("POD-OBJ-05")
def test_a_subdomain_is_accepted_with_a_warning():
    pod = make_pod(name="web.v2")
    assert refuse_create(pod) == []
    (warning,) = list_warnings(pod)
    assert warning.endswith("a DNS label is recommended: [must not contain dots]")


def test_the_status_names_every_field():
    data = apply_defaults(make_deployment(selector=None, replicas=-1))
    status = make_invalid("Deployment", "web", validate_create(data)).to_status()
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert status["message"].startswith(
        'Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must'
    )
    assert status["details"]["group"] == "apps"
    assert status["details"]["causes"][1] == {
        "reason": "FieldValueRequired",
        "message": "Required value",
        "field": "spec.selector",
    }


def test_validating_and_defaulting_leave_the_input_alone():
    data = make_deployment(pod={"hostNetwork": True, "volumes": [{"name": "v"}]})
    before = copy.deepcopy(data)
    validate_create(apply_defaults(data))
    assert data == before

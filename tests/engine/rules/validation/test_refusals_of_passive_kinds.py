"""What the API server refuses in objects that nothing here acts on, or that others only read.

Rows marked `answered` are what a v1.35.6 server answered; the others are what its validation says
(pkg/apis/*/validation of that version).
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lifecycle.engine import Cluster, Command
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_manifest, validate_update
from lifecycle.engine.rules.validation.workloads.cron_jobs import check_schedule

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
    " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
    " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
API_VERSIONS = {
    "CronJob": "batch/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "PriorityClass": "scheduling.k8s.io/v1",
    "RuntimeClass": "node.k8s.io/v1",
    "StorageClass": "storage.k8s.io/v1",
    "EndpointSlice": "discovery.k8s.io/v1",
    "Ingress": "networking.k8s.io/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    **dict.fromkeys(
        ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"), "rbac.authorization.k8s.io/v1"
    ),
}


def make(kind: str, body: str) -> dict[str, Any]:
    data = {"apiVersion": API_VERSIONS.get(kind, "v1"), "kind": kind, "metadata": {"name": "x"}}
    return data | (yaml.safe_load(body) if body else {})


def refusals(data: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(str(error) for error in validate_manifest(apply_defaults(data))))


ANSWERED = [
    (
        "Service",
        "spec: {ports: [{port: 0}, {port: 80}]}",
        [
            "spec.ports[0].name: Required value",
            "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
            "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
            "spec.ports[1].name: Required value",
        ],
    ),
    (
        "Service",
        "spec: {ports: [{port: 80}], type: Magic, sessionAffinity: Sticky}",
        [
            'spec.sessionAffinity: Unsupported value: "Sticky": supported values: "ClientIP", "None"',
            'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName",'
            ' "LoadBalancer", "NodePort"',
        ],
    ),
    (
        "Service",
        "spec: {ports: [{port: 80}], type: LoadBalancer, clusterIP: None}",
        ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services"],
    ),
    (
        "Service",
        "spec: {ports: [{port: 80}], ipFamilies: [IPv6], ipFamilyPolicy: SingleStack}",
        ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ),
    (
        "HorizontalPodAutoscaler",
        "spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}, minReplicas: 5}",
        [
            "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
            'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
        ],
    ),
    (
        "PersistentVolumeClaim",
        "spec: {accessModes: [ReadMaybe], resources: {requests: {storage: '0'}}, volumeMode: Tape}",
        [
            'spec.accessModes: Unsupported value: "ReadMaybe": supported values: "ReadOnlyMany",'
            ' "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
            'spec.resources[storage]: Invalid value: "0": must be greater than zero',
            'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
        ],
    ),
    (
        "ConfigMap",
        "{data: {k: v}, binaryData: {k: AAE=}}",
        ['data[k]: Invalid value: "k": duplicate of key present in binaryData'],
    ),
    (
        "Secret",
        "{type: kubernetes.io/tls, data: {}}",
        ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
    ),
    (
        "Secret",
        "{type: kubernetes.io/basic-auth, data: {}}",
        ["data[username]: Required value", "data[password]: Required value"],
    ),
    (
        "PriorityClass",
        "{metadata: {name: system-mine}, value: 1}",
        [
            "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use"
            " only. error: system-mine is not a known system priority class"
        ],
    ),
    (
        "StorageClass",
        "{volumeBindingMode: Later, reclaimPolicy: Burn}",
        [
            "provisioner: Required value",
            'reclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Retain"',
            'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate",'
            ' "WaitForFirstConsumer"',
        ],
    ),
    (
        "EndpointSlice",
        "{addressType: IPv4, endpoints: [{addresses: [nope]}, {addresses: []}],"
        " ports: [{name: Bad_, port: 1}]}",
        [
            f'ports[0].name: Invalid value: "Bad_": {LABEL}',
            f'endpoints[0].addresses[0]: Invalid value: "nope": {IP}',
            "endpoints[1].addresses: Required value: must contain at least 1 address",
        ],
    ),
    (
        "Endpoints",
        "subsets: [{addresses: [{ip: 127.0.0.1}], ports: [{port: 0}]}]",
        [
            'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1":'
            " may not be in the loopback range (127.0.0.0/8, ::1/128)",
            "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        ],
    ),
    (
        "Ingress",
        "spec: {rules: [{host: Bad_, http: {paths: [{path: x, pathType: Exact, backend: {}}]}}]}",
        [
            f'spec.rules[0].host: Invalid value: "Bad_": {SUBDOMAIN}',
            'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
            'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
        ],
    ),
    (
        "Role",
        "rules: [{verbs: []}, {verbs: [get], resources: [pods]}]",
        [
            "rules[0].verbs: Required value: verbs must contain at least one value",
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
            "rules[0].resources: Required value: resource rules must supply at least one resource",
            "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
        ],
    ),
    (
        "LimitRange",
        "spec: {limits: [{type: Pod, default: {cpu: '1'}}, {type: Pod}]}",
        [
            "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
            'spec.limits[1].type: Duplicate value: "Pod"',
        ],
    ),
]
PORT = "{name: a, port: 80}, {name: b, port: 80}"
NODE_PORT = "provided port is not in the valid range. The range of valid ports is 30000-32767"
PATH = "{path: /, backend: {service: {name: web, port: {number: 80}}}}"
CLAIM = "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}"
VERSION = "{name: v1, served: true, storage: true}"
SAID = [
    (
        "Service",
        f"spec: {{ports: [{PORT}]}}",
        [
            'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,'
            '"TargetPort":0,"NodePort":0}'
        ],
    ),
    (
        "Service",
        "spec: {type: NodePort, ports: [{port: 80, nodePort: 8080}]}",
        [f"spec.ports[0].nodePort: Invalid value: 8080: {NODE_PORT}"],
    ),
    (
        "Service",
        "spec: {ports: [{port: 80, nodePort: 30080}]}",
        ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ),
    (
        "Service",
        "spec: {clusterIP: 300.1.1.1, ports: [{port: 80}]}",
        [f'spec.clusterIPs[0]: Invalid value: "300.1.1.1": {IP}'],
    ),
    (
        "Service",
        "spec: {ipFamilyPolicy: RequireDualStack, ports: [{port: 80}]}",
        [
            'spec.ipFamilyPolicy: Invalid value: "RequireDualStack":'
            " this cluster is not configured for dual-stack services"
        ],
    ),
    (
        "PersistentVolumeClaim",
        "spec: {resources: {requests: {storage: 1Gi}}}",
        ["spec.accessModes: Required value: at least 1 access mode is required"],
    ),
    (
        "PersistentVolumeClaim",
        "spec: {accessModes: [ReadWriteOnce]}",
        ["spec.resources[storage]: Required value"],
    ),
    (
        "PersistentVolumeClaim",
        "spec: {accessModes: [ReadWriteOncePod, ReadWriteMany], resources: {requests: {storage: 1Gi}}}",
        ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
    ),
    (
        "PersistentVolume",
        "spec: {capacity: {storage: 1Gi}}",
        ["spec.accessModes: Required value", "spec: Required value: must specify a volume type"],
    ),
    (
        "PersistentVolume",
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: /mnt}}",
        ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
    ),
    (
        "ResourceQuota",
        "spec: {hard: {foo: 1, pods: 1500m}}",
        [
            'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
            'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
            'spec.hard[pods]: Invalid value: "1500m": must be an integer',
        ],
    ),
    (
        "ResourceQuota",
        "spec: {hard: {services: 1}, scopes: [BestEffort]}",
        ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
    ),
    (
        "LimitRange",
        "spec: {limits: [{type: Container, default: {cpu: '2'}, defaultRequest: {cpu: '1'},"
        " max: {cpu: '1'}}]}",
        ['spec.limits[0].default[cpu]: Invalid value: "1": default value 2 is greater than max value 1'],
    ),
    (
        "LimitRange",
        "spec: {limits: [{max: {cpu: '2'}}]}",
        [
            'spec.limits[0].type: Invalid value: "": name part must be non-empty',
            f'spec.limits[0].type: Invalid value: "": name part {QUALIFIED}',
        ],
    ),
    (
        "LimitRange",
        "spec: {limits: [{type: Pod, min: {cpu: '1'}, max: {cpu: '2'}, maxLimitRequestRatio: {cpu: '3'}}]}",
        [
            'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3":'
            " ratio 3 is greater than max/min = 2.000000"
        ],
    ),
    (
        "PriorityClass",
        "value: 2000000000",
        ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
    ),
    (
        "Ingress",
        "spec: {}",
        ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
    ),
    (
        "Ingress",
        f"spec: {{rules: [{{http: {{paths: [{PATH}]}}}}]}}",
        ["spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"],
    ),
    (
        "Ingress",
        "spec: {rules: [{host: 'shop.example.com:8080'}]}",
        [f'spec.rules[0].host: Invalid value: "shop.example.com:8080": {SUBDOMAIN}'],
    ),
    (
        "HorizontalPodAutoscaler",
        "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}",
        [
            "spec.maxReplicas: Invalid value: 0: must be greater than 0",
            "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
        ],
    ),
    (
        "Secret",
        "{type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: oops}}",
        [
            'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>":'
            " invalid character 'o' looking for beginning of value"
        ],
    ),
    (
        "Secret",
        "type: kubernetes.io/service-account-token",
        ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ),
    (
        "NetworkPolicy",
        "spec: {podSelector: {}, ingress: [{ports: [{port: 99999}],"
        " from: [{ipBlock: {cidr: 10.0.0.0/33}}]}]}",
        [
            "spec.ingress[0].ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive",
            f'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0/33": {CIDR}',
        ],
    ),
    (
        "NetworkPolicy",
        "spec: {podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/16]}}]}]}",
        [
            'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16":'
            " must be a strict subset of `cidr`"
        ],
    ),
    (
        "RoleBinding",
        "subjects: [{kind: User, name: jane}]",
        [
            'roleRef.apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"',
            'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
            "roleRef.name: Required value",
        ],
    ),
    (
        "ClusterRoleBinding",
        "{roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: bot}]}",
        ["subjects[0].namespace: Required value"],
    ),
    ("RuntimeClass", "", [f'handler: Invalid value: "": {LABEL}']),
    (
        "CustomResourceDefinition",
        f"{{metadata: {{name: foos}}, spec: {{group: acme.io, scope: Namespaced, versions: [{VERSION}],"
        " names: {plural: foos, kind: Foo}}}",
        [
            'metadata.name: Invalid value: "foos": must be spec.names.plural+"."+spec.group',
            "spec.versions[0].schema.openAPIV3Schema: Required value",
        ],
    ),
]


@pytest.mark.parametrize("kind, body, expected", ANSWERED)
def test_it_is_refused_as_a_real_server_answered(kind: str, body: str, expected: list[str]) -> None:
    assert refusals(make(kind, body)) == expected


@pytest.mark.parametrize("kind, body, expected", SAID)
def test_it_is_refused_as_kubernetes_validates_it(kind: str, body: str, expected: list[str]) -> None:
    assert refusals(make(kind, body)) == expected


@pytest.mark.parametrize(
    "kind, body",
    [
        ("Service", "spec: {type: ExternalName, externalName: example.com.}"),
        ("Service", "spec: {clusterIP: None, ipFamilyPolicy: RequireDualStack}"),
        ("Service", "spec: {ports: [{name: a, port: 53, protocol: UDP}, {name: b, port: 53}]}"),
        ("PersistentVolumeClaim", f"spec: {{{CLAIM}, storageClassName: ''}}"),
        ("ResourceQuota", "spec: {hard: {count/deployments.apps: 2, requests.nvidia.com/gpu: 4}}"),
        (
            "Ingress",
            f"spec: {{rules: [{{http: {{paths: [{PATH.replace('path:', 'pathType: Prefix, path:')}]}}}}]}}",
        ),
        ("NetworkPolicy", "spec: {podSelector: {}}"),
        ("RoleBinding", "{roleRef: {kind: Role, name: 'system:node'}, subjects: [{kind: Group, name: a}]}"),
        ("RuntimeClass", "{handler: runsc, overhead: {podFixed: {cpu: 100m}}}"),
        ("StorageClass", "provisioner: kubernetes.io/no-provisioner"),
        (
            "HorizontalPodAutoscaler",
            "spec: {maxReplicas: 2, scaleTargetRef: {kind: ReplicationController, name: d}}",
        ),
    ],
)
def test_it_is_taken(kind: str, body: str) -> None:
    assert refusals(make(kind, body)) == []


@pytest.mark.parametrize(
    "schedule, problem",
    [
        ("*/5 0-23 ? jan-mar mon,fri", ""),
        ("@daily", ""),
        ("@every 1h30m", ""),
        ("every day", "expected exactly 5 fields, found 2: [every day]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@noon", "unrecognized descriptor: @noon"),
        ("@every now", 'failed to parse duration @every now: time: invalid duration "now"'),
    ],
)
def test_schedules_are_read_as_cron_reads_them(schedule: str, problem: str) -> None:
    # robfig/cron v3, by which Kubernetes reads them.
    assert check_schedule(schedule) == problem


@pytest.mark.parametrize(
    "spec, expected",
    [
        # Answered by a real server, but for the last.
        (
            {"schedule": "every day"},
            ['spec.schedule: Invalid value: "every day": expected exactly 5 fields, found 2: [every day]'],
        ),
        (
            {"schedule": "TZ=Europe/Berlin 0 * * * *"},
            [
                'spec.schedule: Invalid value: "TZ=Europe/Berlin 0 * * * *": cannot use TZ or CRON_TZ in'
                " schedule, use timeZone field instead"
            ],
        ),
        (
            {"schedule": "* * * * *", "timeZone": "Nowhere/Land"},
            ['spec.timeZone: Invalid value: "Nowhere/Land": unknown time zone Nowhere/Land'],
        ),
        ({"schedule": "* * * * *", "timeZone": "Europe/Berlin"}, []),
    ],
)
def test_a_cron_job_has_a_time_to_run(spec: dict[str, Any], expected: list[str]) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}
    job = {"spec": {"template": {"spec": pod}}}
    data = make("CronJob", "") | {"spec": {"jobTemplate": job, **spec}}
    assert refusals(data) == expected
    data["metadata"] = {"name": 53 * "x"}
    name = f'metadata.name: Invalid value: "{53 * "x"}": must be no more than 52 characters'
    assert refusals(data) == [*expected, name]


def test_a_services_fields_go_with_its_type() -> None:
    cluster = Cluster()

    def apply(spec: dict[str, Any]) -> Any:
        data = make("Service", "") | {"spec": {"ports": [{"port": 80}], **spec}}
        return cluster.submit(Command("1", "apply", {"object": data}))

    assert apply({"type": "LoadBalancer"}).object["spec"]["allocateLoadBalancerNodePorts"] is True
    plain = apply({"type": "ClusterIP"})
    assert plain.ok, plain.status
    assert not {"allocateLoadBalancerNodePorts", "externalTrafficPolicy"} & plain.object["spec"].keys()
    alias = apply({"type": "ExternalName", "externalName": "example.com"})
    assert alias.ok, alias.status
    assert "clusterIP" not in alias.object["spec"]


def test_a_changed_object_is_held_to_the_same_rules() -> None:
    old = apply_defaults(make("Ingress", "spec: {defaultBackend: {service: {name: a, port: {number: 80}}}}"))
    assert [str(error) for error in validate_update(old, {**old, "spec": {}})] == [
        "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"
    ]

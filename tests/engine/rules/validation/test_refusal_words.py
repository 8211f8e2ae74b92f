"""Words, values and order of v1.35's refusals: by its own validation, and as recordings show them."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create
from lifecycle.engine.rules.validation.words.go_structs import show_struct, show_texts

CONTAINER = {"name": "app", "image": "busybox:1.36"}


def refusals(api_version: str, kind: str, spec: dict[str, Any]) -> list[str]:
    data = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}
    return [str(error) for error in validate_create(apply_defaults(data))]


def of_pod(container: dict[str, Any] | None = None, **spec: Any) -> list[str]:
    return refusals("v1", "Pod", {"containers": [{**CONTAINER, **(container or {})}], **spec})


def requests(**amounts: str) -> dict[str, Any]:
    return {"resources": {"requests": amounts}}


@pytest.mark.parametrize(
    "struct, data, shown",
    [
        pytest.param(
            "DeploymentStrategy",
            {"type": "BlueGreen"},
            '{"Type":"BlueGreen","RollingUpdate":null}',
            id="absent",
        ),
        pytest.param(
            "DeploymentStrategy",
            {"type": "B", "rollingUpdate": {"maxSurge": "25%"}},
            '{"Type":"B","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"25%"}}',
            id="nested, with zeros",
        ),
        pytest.param(
            "PodDisruptionBudgetSpec",
            {"selector": {"matchExpressions": [], "matchLabels": {"b": "1", "a": "2"}}, "minAvailable": 1},
            '{"MinAvailable":1,"Selector":{"matchLabels":{"a":"2","b":"1"}},"MaxUnavailable":null,'
            '"UnhealthyPodEvictionPolicy":null}',
            id="a struct with JSON names within",
        ),
        pytest.param(
            "LabelSelector",
            {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]},
            '{"matchExpressions":[{"key":"app","operator":"In"}]}',
            id="an empty list with a JSON name",
        ),
        pytest.param(
            "Probe",
            {"httpGet": {"path": "/a<b&c", "port": "web"}, "periodSeconds": 5},
            '{"Exec":null,"HTTPGet":{"Path":"/a\\u003cb\\u0026c","Port":"web","Host":"","Scheme":"",'
            '"HTTPHeaders":null},"TCPSocket":null,"GRPC":null,"InitialDelaySeconds":0,"TimeoutSeconds":0,'
            '"PeriodSeconds":5,"SuccessThreshold":0,"FailureThreshold":0,"TerminationGracePeriodSeconds":null}',
            id="fields of a struct among others, and what HTML could read",
        ),
        pytest.param(
            "PersistentVolumeClaimTemplate",
            {"metadata": {"labels": {"a": "1"}}, "spec": {"accessModes": ["ReadWriteOnce"]}},
            '{"labels":{"a":"1"},"Spec":{"AccessModes":["ReadWriteOnce"],"Selector":null,"Resources":'
            '{"Limits":null,"Requests":null},"VolumeName":"","StorageClassName":null,"VolumeMode":null,'
            '"DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null}}',
            id="metadata, and a struct that is there in any case",
        ),
        pytest.param("Capabilities", {"add": ["NET_ADMIN"]}, '{"Add":["NET_ADMIN"],"Drop":null}', id="lists"),
    ],
)
def test_a_struct_is_shown_by_its_names_in_go(struct: str, data: dict[str, Any], shown: str):
    assert show_struct(struct, data) == shown


def test_a_list_of_texts_is_shown_with_its_type_in_go():
    assert show_texts(["a/b", 'c"d']) == '[]string{"a/b", "c\\"d"}'


def test_a_container_is_checked_in_the_api_servers_order():
    twin = {
        **CONTAINER,
        "imagePullPolicy": "Maybe",
        "ports": [{"containerPort": 70000}],
        "volumeMounts": [{"name": "nope", "mountPath": "/x"}],
        "securityContext": {"runAsUser": -1},
    }
    found = refusals("v1", "Pod", {"containers": [CONTAINER, twin], "restartPolicy": "Sometimes"})
    assert [error.partition(": ")[0] for error in found] == [
        "spec.containers[1].ports[0].containerPort",
        "spec.containers[1].volumeMounts[0].name",
        "spec.containers[1].imagePullPolicy",
        "spec.containers[1].securityContext.runAsUser",
        "spec.containers[1].name",
        "spec.restartPolicy",
    ]


@pytest.mark.parametrize(
    "toleration, said",
    [
        ({"key": "a", "operator": "Exists", "value": "x"}, 'Invalid value: "x": value must be empty when'),
        ({"value": "x"}, 'Invalid value: "": operator must be Exists when `key` is empty'),
        ({"key": "a", "operator": "Lt", "value": "5"}, 'Unsupported value: "Lt": supported values: "Equal",'),
        ({"key": "a", "value": "b c"}, 'Invalid value: "b c": a valid label must be an empty string or'),
    ],
)
def test_all_about_a_tolerations_value_stands_at_its_operator(toleration: dict[str, Any], said: str):
    (found,) = of_pod(tolerations=[toleration])
    assert found.startswith(f"spec.tolerations[0].operator: {said}")


def test_ports_of_the_node_are_told_apart_over_all_containers_of_a_pod():
    port = {"containerPort": 80, "hostPort": 8080}
    pods = [{**CONTAINER, "name": name, "ports": [port]} for name in ("a", "b")]
    (found,) = refusals("v1", "Pod", {"containers": pods})
    assert found == 'spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//8080"'


@pytest.mark.parametrize(
    "resources, container, said",
    [
        pytest.param({"requests": {"cpu": "200m"}}, requests(cpu="150m"), [], id="it fits"),
        pytest.param(
            {"requests": {"memory": "1Gi"}},
            requests(memory="1536Mi"),
            [
                'requests[memory]: Invalid value: "1Gi": must be greater than or equal to'
                " aggregate container requests of 1536Mi"
            ],
            id="asks for less than its containers",
        ),
        pytest.param(
            {"limits": {"cpu": "1"}},
            {"resources": {"limits": {"cpu": "1500m"}}},
            [
                'containers[0][cpu].limits: Invalid value: "1500m":'
                " must be less than or equal to pod limits of 1"
            ],
            id="one container has more than the pod",
        ),
        pytest.param(
            {"limits": {"ephemeral-storage": "1Gi"}},
            {},
            [
                'limits[ephemeral-storage]: Unsupported value: "ephemeral-storage":'
                ' supported values: "cpu", "hugepages-", "memory"'
            ],
            id="not of a pod",
        ),
    ],
)
def test_resources_of_a_pod_hold_those_of_its_containers(
    resources: dict[str, Any], container: dict[str, Any], said: list[str]
):
    assert of_pod(container, resources=resources) == [f"spec.resources.{text}" for text in said]


@pytest.mark.parametrize(
    "item, said",
    [
        pytest.param({"default": {"cpu": "1"}, "max": {"cpu": "1"}}, [], id="at the maximum"),
        pytest.param(
            {"default": {"cpu": "2"}, "max": {"cpu": "1"}},
            [
                'defaultRequest[cpu]: Invalid value: "2": default request value 2'
                " is greater than max value 1",
                'default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
            ],
            id="recorded: a default above the maximum",
        ),
        pytest.param(
            {"min": {"memory": "2Gi"}, "max": {"memory": "1Gi"}},
            [
                'min[memory]: Invalid value: "2Gi": min value 2Gi is greater than max value 1Gi',
                'defaultRequest[memory]: Invalid value: "1Gi": min value 2Gi is greater than'
                " default request value 1Gi",
                'default[memory]: Invalid value: "2Gi": min value 2Gi is greater than default value 1Gi',
            ],
            id="the least above the most",
        ),
    ],
)
def test_bounds_of_a_limit_range_hold_together(item: dict[str, Any], said: list[str]):
    found = refusals("v1", "LimitRange", {"limits": [{"type": "Container", **item}]})
    assert found == [f"spec.limits[0].{text}" for text in said]


def test_a_strategy_of_no_known_type_is_shown_whole():
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [CONTAINER]}}
    spec = {
        "selector": {"matchLabels": {"app": "web"}},
        "template": template,
        "strategy": {"type": "BlueGreen"},
    }
    assert refusals("apps/v1", "Deployment", spec) == [
        'spec.strategy: Unsupported value: {"Type":"BlueGreen","RollingUpdate":null}:'
        ' supported values: "Recreate", "RollingUpdate"'
    ]


def test_a_budget_is_of_at_most_all_pods():
    selector = {"matchLabels": {"app": "web"}}
    assert refusals("policy/v1", "PodDisruptionBudget", {"minAvailable": "120%", "selector": selector}) == [
        'spec.minAvailable: Invalid value: "120%": must not be greater than 100%'
    ]


def test_behind_a_malformed_selector_the_template_is_not_looked_at():
    selector = {"matchExpressions": [{"key": "app", "operator": "Like"}], "matchLabels": {"app": "web"}}
    spec = {"selector": selector, "template": {"spec": {"containers": []}}}
    assert refusals("apps/v1", "Deployment", spec) == [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":'
        '[{"key":"app","operator":"Like"}]}: invalid label selector',
    ]

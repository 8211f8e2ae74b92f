"""What a container is told: environment, downward API, files of volumes."""

from collections.abc import Mapping
from typing import Any

import pytest

from lifecycle.engine.programs.downward import PodFields, field_value, resource_value
from lifecycle.engine.programs.environment import ServiceFacts, make_environment, service_variables
from lifecycle.engine.programs.references import expand_references
from lifecycle.engine.programs.volumes import is_read_only_volume, make_mounts, refresh_layer, volume_files
from lifecycle.lean_dataclasses import replace
from lifecycle.userland.file_layers import FileLayer
from tests.engine.programs.worlds import FakeWorld, make_layer, run_script

FIELDS = PodFields(
    name="down",
    namespace="shop",
    uid="u-1",
    labels={"tier": "gold", "app": "web"},
    annotations={"note": 'say "hi"'},
    node_name="node-1",
    service_account_name="robot",
    pod_ips=("10.1.0.5", "fd00::5"),
    host_ips=("192.168.0.1", "fd01::1"),
    allocatable={"cpu": "3920m", "memory": "7Gi"},
)


class Sources:
    def __init__(self, config_maps: Mapping[str, Any] = {}, secrets: Mapping[str, Any] = {}) -> None:
        self.config_maps = config_maps
        self.secrets = secrets

    def config_map(self, name: str) -> Mapping[str, str] | None:
        return self.config_maps.get(name)

    def binary_data(self, name: str) -> Mapping[str, str]:
        return {}

    def secret(self, name: str) -> Mapping[str, str] | None:
        return self.secrets.get(name)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("metadata.name", "down", marks=pytest.mark.spec("DOWN-03")),
        pytest.param("metadata.namespace", "shop", marks=pytest.mark.spec("DOWN-04")),
        pytest.param("metadata.uid", "u-1", marks=pytest.mark.spec("DOWN-05")),
        pytest.param("metadata.annotations['note']", 'say "hi"', marks=pytest.mark.spec("DOWN-06")),
        pytest.param("metadata.labels['tier']", "gold", marks=pytest.mark.spec("DOWN-07")),
        pytest.param("metadata.labels['none']", ""),
        pytest.param("spec.serviceAccountName", "robot", marks=pytest.mark.spec("DOWN-08")),
        pytest.param("spec.nodeName", "node-1", marks=pytest.mark.spec("DOWN-09")),
        pytest.param("status.hostIP", "192.168.0.1", marks=pytest.mark.spec("DOWN-10")),
        pytest.param("status.hostIPs", "192.168.0.1,fd01::1", marks=pytest.mark.spec("DOWN-11")),
        pytest.param("status.podIP", "10.1.0.5", marks=pytest.mark.spec("DOWN-12")),
        pytest.param("status.podIPs", "10.1.0.5,fd00::5", marks=pytest.mark.spec("DOWN-13")),
        pytest.param("metadata.labels", 'app="web"\ntier="gold"', marks=pytest.mark.spec("DOWN-14")),
        pytest.param("metadata.annotations", r'note="say \"hi\""', marks=pytest.mark.spec("DOWN-15")),
    ],
)
def test_field_of_the_pod(path: str, expected: str) -> None:
    assert field_value(path, FIELDS) == expected


RESOURCES = {
    "requests": {"cpu": "250m", "memory": "64Mi", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1Gi"},
    "limits": {"cpu": "1500m", "memory": "128Mi", "hugepages-2Mi": "8Mi", "ephemeral-storage": "2Gi"},
}


@pytest.mark.parametrize(
    ("resource", "divisor", "resources", "expected"),
    [
        pytest.param("limits.cpu", None, RESOURCES, "2", marks=pytest.mark.spec("DOWN-16")),
        pytest.param("limits.cpu", "1m", RESOURCES, "1500"),
        pytest.param("requests.cpu", "1m", RESOURCES, "250", marks=pytest.mark.spec("DOWN-17")),
        pytest.param("limits.memory", "1Mi", RESOURCES, "128", marks=pytest.mark.spec("DOWN-18")),
        pytest.param("requests.memory", None, RESOURCES, "67108864", marks=pytest.mark.spec("DOWN-19")),
        pytest.param("limits.hugepages-2Mi", "1Mi", RESOURCES, "8", marks=pytest.mark.spec("DOWN-20")),
        pytest.param("requests.hugepages-2Mi", "1Mi", RESOURCES, "4", marks=pytest.mark.spec("DOWN-21")),
        pytest.param("limits.ephemeral-storage", "1Gi", RESOURCES, "2", marks=pytest.mark.spec("DOWN-22")),
        pytest.param("requests.ephemeral-storage", "1Gi", RESOURCES, "1", marks=pytest.mark.spec("DOWN-23")),
        pytest.param("limits.memory", None, {}, str(7 << 30), marks=pytest.mark.spec("DOWN-24")),
        pytest.param("limits.cpu", None, {}, "4", marks=pytest.mark.spec("DOWN-24")),
        pytest.param("requests.cpu", None, {}, "0"),
        pytest.param("requests.memory", "1Mi", {"limits": {"memory": "5Mi"}}, "5"),
    ],
)
def test_resource_of_the_container(
    resource: str, divisor: str | None, resources: dict[str, Any], expected: str
) -> None:
    reference = {"resource": resource, **({"divisor": divisor} if divisor else {})}
    assert resource_value(reference, {"resources": resources}, FIELDS) == expected


def env(*entries: Mapping[str, Any], env_from: Any = (), sources: Sources | None = None) -> Any:
    container = {"env": list(entries), "envFrom": list(env_from)}
    return make_environment(container, FIELDS, sources or Sources())


@pytest.mark.spec("DOWN-01", "DOWN-02")
def test_environment_of_the_worked_scenario() -> None:
    container = {
        "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}},
        "env": [
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            {"name": "TIER", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['tier']"}}},
            {
                "name": "CPU_REQ",
                "valueFrom": {"resourceFieldRef": {"resource": "requests.cpu", "divisor": "1m"}},
            },
            {"name": "MEM_LIM", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}},
        ],
    }
    assert make_environment(container, FIELDS, Sources()).values == {
        "POD": "down",
        "NODE": "node-1",
        "IP": "10.1.0.5",
        "TIER": "gold",
        "CPU_REQ": "250",
        "MEM_LIM": str(7 << 30),
    }


def test_values_refer_to_earlier_ones() -> None:
    made = env(
        {"name": "A", "value": "1"}, {"name": "B", "value": "$(A)$(C)$$(A)"}, {"name": "C", "value": "3"}
    )
    assert made.values == {"A": "1", "B": "1$(C)$(A)", "C": "3"}


def test_later_sources_win() -> None:
    sources = Sources({"c": {"A": "map", "B": "map", "1st.of-all": "x"}}, {"s": {"B": "secret"}})
    made = env(
        {"name": "C", "value": "own"},
        env_from=[{"configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}, "prefix": "P_"}],
        sources=sources,
    )
    # Since v1.34 every key will do (RelaxedEnvironmentVariableValidation).
    assert made.values == {"A": "map", "B": "map", "1st.of-all": "x", "P_B": "secret", "C": "own"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"configMapKeyRef": {"name": "none", "key": "k"}}, 'configmap "none" not found'),
        ({"secretKeyRef": {"name": "none", "key": "k"}}, 'secret "none" not found'),
        ({"configMapKeyRef": {"name": "c", "key": "k"}}, "couldn't find key k in ConfigMap shop/c"),
        ({"secretKeyRef": {"name": "s", "key": "k"}}, "couldn't find key k in Secret shop/s"),
        ({"secretKeyRef": {"name": "s", "key": "k", "optional": True}}, None),
        ({"configMapKeyRef": {"name": "none", "key": "k", "optional": True}}, None),
    ],
)
def test_missing_source_keeps_the_container_from_being_created(
    entry: dict[str, Any], problem: str | None
) -> None:
    made = env({"name": "X", "valueFrom": entry}, sources=Sources({"c": {}}, {"s": {}}))
    assert (made.problem, made.values) == (problem, {})


def test_services_are_in_the_environment() -> None:
    services = (
        ServiceFacts("my-web", "10.96.0.9", (("http", 80, "TCP"), ("", 443, "TCP"))),
        ServiceFacts("headless", "None", (("", 80, "TCP"),)),
    )
    values = service_variables(services)
    assert values["MY_WEB_SERVICE_HOST"] == "10.96.0.9"
    assert values["MY_WEB_SERVICE_PORT"] == values["MY_WEB_SERVICE_PORT_HTTP"] == "80"
    assert values["MY_WEB_PORT"] == values["MY_WEB_PORT_80_TCP"] == "tcp://10.96.0.9:80"
    assert values["MY_WEB_PORT_443_TCP_ADDR"] == "10.96.0.9"
    assert not any(name.startswith("HEADLESS") for name in values)


@pytest.mark.parametrize(
    ("volume", "files", "problem"),
    [
        ({"emptyDir": {}}, None, None),
        ({"configMap": {"name": "c"}}, {"a": "1", "b": "2"}, None),
        ({"configMap": {"name": "c", "items": [{"key": "a", "path": "x/y"}]}}, {"x/y": "1"}, None),
        (
            {"configMap": {"name": "c", "items": [{"key": "z", "path": "x"}]}},
            None,
            "configmap references non-existent config key: z",
        ),
        ({"configMap": {"name": "none"}}, None, 'configmap "none" not found'),
        ({"configMap": {"name": "none", "optional": True}}, {}, None),
        ({"secret": {"secretName": "s"}}, {"p": "q"}, None),
        ({"secret": {"secretName": "none"}}, None, 'secret "none" not found'),
        (
            {"secret": {"secretName": "s", "items": [{"key": "z", "path": "x"}]}},
            None,
            "references non-existent secret key: z",
        ),
        (
            {
                "projected": {
                    "sources": [
                        {"configMap": {"name": "c", "items": [{"key": "a", "path": "a"}]}},
                        {"secret": {"name": "s"}},
                        {
                            "downwardAPI": {
                                "items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]
                            }
                        },
                    ]
                }
            },
            {"a": "1", "p": "q", "n": "down"},
            None,
        ),
    ],
)
def test_files_of_a_volume(volume: dict[str, Any], files: dict[str, str] | None, problem: str | None) -> None:
    sources = Sources({"c": {"a": "1", "b": "2"}}, {"s": {"p": "q"}})
    found = volume_files(volume, FIELDS, sources)
    assert (found.files, found.problem) == (files, problem)
    assert is_read_only_volume(volume) is ("emptyDir" not in volume)


@pytest.mark.spec("DOWN-14", "DOWN-15", "DOWN-25")
def test_downward_files_follow_the_labels() -> None:
    volume = {
        "downwardAPI": {
            "items": [
                {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                {
                    "path": "cpu",
                    "resourceFieldRef": {"containerName": "app", "resource": "limits.cpu", "divisor": "1m"},
                },
            ]
        }
    }
    fields = replace(FIELDS, containers={"app": {"resources": {"limits": {"cpu": "2"}}}})
    layer = FileLayer()
    first = volume_files(volume, fields, Sources()).files
    assert first == {"labels": 'app="web"\ntier="gold"', "cpu": "2000"}
    assert refresh_layer(layer, first, 0)
    assert not refresh_layer(layer, first, 1_000)
    assert refresh_layer(layer, {"labels": 'tier="silver"'}, 50_000)
    assert (layer.entries["labels"].text, "cpu" in layer.entries) == ('tier="silver"', False)


def test_container_sees_its_mounts() -> None:
    container = {
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/app"},
            {"name": "data", "mountPath": "/data", "subPathExpr": "$(POD)"},
            {"name": "data", "mountPath": "/all/", "readOnly": True},
            {"name": "unknown", "mountPath": "/x"},
        ]
    }
    layers = {"config": make_layer({"a": "1"}), "data": FileLayer()}
    mounts = make_mounts(container, layers, frozenset(("config",)), {"POD": "web-0"})
    assert [(mount.path, mount.sub_path, mount.is_read_only) for mount in mounts] == [
        ("/etc/app", "", True),
        ("/data", "web-0", False),
        ("/all", "", True),
    ]
    text = "cat /etc/app/a; echo; echo mine > /data/f; cat /all/web-0/f; echo no > /all/g || echo refused"
    _, lines = run_script(text, FakeWorld(volumes=mounts))
    assert lines[:2] == ["1", "mine"]
    assert lines[-1] == "refused"


@pytest.mark.parametrize("names", [40, 400])
def test_references_do_not_grow_beyond_what_linux_takes(names: int) -> None:
    """Each variable is the one before, twice: 2 to the power of 40 signs, if nobody looked."""
    doubled = [{"name": f"E{n}", "value": f"$(E{n - 1})$(E{n - 1})"} for n in range(1, names)]
    made = make_environment({"env": [{"name": "E0", "value": "xy"}, *doubled]}, FIELDS, Sources())
    if made.problem is None:
        assert max(map(len, made.values.values())) <= 128 * 1024
        # What no longer fits stays as written.
        assert "$(" in made.values["E39"]
    else:
        assert made.problem.startswith("argument list too long")
    long = {"E": "x" * 100_000}
    assert len(expand_references("$(E)" * 10_000, long)) <= 128 * 1024

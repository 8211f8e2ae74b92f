"""What the containers of a pod are given, for its page: environment, mounts, requests and limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lifecycle.verdicts import list_pod_amounts

Json = dict[str, Any]
WHOLE = "the pod as a whole"
_SOURCES = {
    "configMapKeyRef": "ConfigMap {name}, key {key}",
    "secretKeyRef": "Secret {name}, key {key}",
    "fieldRef": "the pod's {fieldPath}",
    "resourceFieldRef": "its {resource}",
    "configMapRef": "ConfigMap {name}",
    "secretRef": "Secret {name}",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """One container's lines on the page."""

    container: str
    environment: list[str]
    mounts: list[str]
    resources: list[str]


def list_configurations(data: Json) -> list[Configuration]:
    """Containers in the order they start, and the pod as a whole."""
    spec = data.get("spec") or {}
    volumes = {volume["name"]: _kind_of(volume) for volume in spec.get("volumes") or ()}
    groups = ("initContainers", "containers", "ephemeralContainers")
    containers = [container for group in groups for container in spec.get(group) or ()]
    found = [
        Configuration(
            container["name"],
            list(_environment(container)),
            [_mount(mount, volumes) for mount in container.get("volumeMounts") or ()],
            list(_resources(container.get("resources") or {})),
        )
        for container in containers
    ]
    return [*found, Configuration(WHOLE, [], [], list(_whole(spec)))]


def _whole(spec: Json) -> Iterator[str]:
    """What the pod counts with everywhere, and the cgroup that is made from it."""
    for part, amounts in list_pod_amounts(spec).items():
        if amounts:
            yield _amounts(part, amounts)


def _environment(container: Json) -> Iterator[str]:
    for entry in container.get("envFrom") or ():
        yield f"{entry.get('prefix', '')}… from {_source(entry)}"
    for entry in container.get("env") or ():
        if "valueFrom" in entry:
            yield f"{entry['name']} from {_source(entry['valueFrom'])}"
        else:
            yield f"{entry['name']}={entry.get('value', '')}"


def _source(entry: Json) -> str:
    for name, words in _SOURCES.items():
        if name in entry:
            return words.format_map({"name": "", "key": "", "fieldPath": "", "resource": ""} | entry[name])
    return "elsewhere"


def _mount(mount: Json, volumes: dict[str, str]) -> str:
    kind = volumes.get(mount["name"], "")
    flag = ", read-only" if mount.get("readOnly") else ""
    return f"{mount['mountPath']} from {mount['name']} ({kind}{flag})"


def _kind_of(volume: Json) -> str:
    return next((name for name in volume if name != "name"), "emptyDir")


def _resources(resources: Json) -> Iterator[str]:
    for part in ("requests", "limits"):
        amounts = resources.get(part) or {}
        if amounts:
            yield _amounts(part, amounts)


def _amounts(part: str, amounts: Json) -> str:
    return f"{part} " + ", ".join(f"{name} {amount}" for name, amount in amounts.items())

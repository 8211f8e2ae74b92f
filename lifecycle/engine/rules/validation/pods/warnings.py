"""What the API server accepts of pods and templates, but warns of: it does nothing, or not what it seems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....objects.names import OLD_REGION, OLD_ZONE, PREFERRED, REGION, REQUIRED, ZONE
from ....objects.quantity import parse_quantity
from ..words.misread_addresses import list_address_warnings

Json = Mapping[str, Any]
_OLD_LABELS = {
    "beta.kubernetes.io/arch": ("v1.14", "kubernetes.io/arch"),
    "beta.kubernetes.io/os": ("v1.14", "kubernetes.io/os"),
    OLD_REGION: ("v1.17", REGION),
    OLD_ZONE: ("v1.17", ZONE),
    "beta.kubernetes.io/instance-type": ("v1.17", "node.kubernetes.io/instance-type"),
}
_OLD_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": ("v1.16", "priorityClassName"),
    "security.alpha.kubernetes.io/sysctls": ("v1.11", "sysctls"),
    "security.alpha.kubernetes.io/unsafe-sysctls": ("v1.11", "sysctls"),
}
_OLD_VOLUMES = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_WHOLE_BYTES = ("memory", "ephemeral-storage")
_NO_POD = "a null labelSelector results in matching no pod"
_SECTIONS = ("initContainers", "containers", "ephemeralContainers")


def list_pod_warnings(spec: Json, metadata: Json, prefix: str) -> list[str]:
    """Warnings of a pod's spec and metadata. `prefix`: where both stand, such as `spec.template`."""
    at = f"{prefix}." if prefix else ""
    return [
        *_warn_of_labels(spec, f"{at}spec"),
        *_warn_of_annotations(metadata, f"{at}metadata"),
        *_warn_of_volumes(spec, f"{at}spec"),
        *_warn_of_repeats(spec, f"{at}spec"),
        *_warn_of_fractions(spec.get("overhead"), f"{at}spec.overhead"),
        *_warn_of_containers(spec, f"{at}spec"),
        *_warn_of_ports(spec, f"{at}spec"),
        *_warn_of_affinity(spec, f"{at}spec.affinity"),
        *_warn_of_addresses(spec, f"{at}spec"),
    ]


def _say_old_label(name: str) -> str:
    since, better = _OLD_LABELS[name]
    return f'deprecated since {since}; use "{better}" instead'


def _warn_of_labels(spec: Json, path: str) -> Iterator[str]:
    for name in spec.get("nodeSelector") or ():
        if name in _OLD_LABELS:
            yield f"{path}.nodeSelector[{name}]: {_say_old_label(name)}"
    for index, one in enumerate(spec.get("topologySpreadConstraints") or ()):
        here, key = f"{path}.topologySpreadConstraints[{index}]", one.get("topologyKey")
        if key in _OLD_LABELS:
            yield f"{here}.topologyKey: {key} is {_say_old_label(key)}"
        if one.get("labelSelector") is None:
            yield f"{here}.labelSelector: {_NO_POD}"


def _warn_of_annotations(metadata: Json, path: str) -> Iterator[str]:
    given = metadata.get("annotations") or {}
    for name, (since, field) in _OLD_ANNOTATIONS.items():
        if name in given:
            yield f'{path}.annotations[{name}]: non-functional in {since}+; use the "{field}" field instead'


def _warn_of_volumes(spec: Json, path: str) -> Iterator[str]:
    for index, volume in enumerate(spec.get("volumes") or ()):
        for name, why in _OLD_VOLUMES.items():
            if volume.get(name) is not None:
                yield f"{path}.volumes[{index}].{name}: {why}"


def _warn_of_repeats(spec: Json, path: str) -> Iterator[str]:
    for section, field, word in (("hostAliases", "ip", "ip"), ("imagePullSecrets", "name", "name")):
        seen: set[str] = set()
        for index, one in enumerate(spec.get(section) or ()):
            value = one.get(field) or ""
            if value in seen:
                yield f'{path}.{section}[{index}].{field}: duplicate {word} "{value}"'
            seen.add(value)
    for index, one in enumerate(spec.get("imagePullSecrets") or ()):
        if not one.get("name"):
            yield f'{path}.imagePullSecrets[{index}].name: invalid empty name ""'


def _warn_of_fractions(amounts: Json | None, path: str) -> Iterator[str]:
    for name in _WHOLE_BYTES:
        text = (amounts or {}).get(name)
        if text is not None and parse_quantity(str(text)) % 1:
            yield f'{path}[{name}]: fractional byte value "{text}" is invalid, must be an integer'


def _list_containers(spec: Json, path: str) -> Iterator[tuple[str, Json]]:
    for section in _SECTIONS:
        for index, container in enumerate(spec.get(section) or ()):
            yield f"{path}.{section}[{index}]", container


def _warn_of_containers(spec: Json, path: str) -> Iterator[str]:
    for here, container in _list_containers(spec, path):
        resources = container.get("resources") or {}
        for name in _WHOLE_BYTES:
            for part in ("limits", "requests"):
                amounts = {key: one for key, one in (resources.get(part) or {}).items() if key == name}
                yield from _warn_of_fractions(amounts, f"{here}.resources.{part}")
        yield from _warn_of_environment(container, here)


def _warn_of_environment(container: Json, path: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, one in enumerate(container.get("env") or ()):
        name, reference = one.get("name") or "", f"$({one.get('name') or ''})"
        value = one.get("value") or ""
        # A later value that goes on from the former is meant so.
        is_hiding = one.get("valueFrom") is not None or value == reference or reference not in value
        if name in seen and is_hiding:
            told = f'hides previous definition of "{name}", which may be dropped when using apply'
            yield f"{path}.env[{index}]: {told}"
        seen.add(name)


def _warn_of_ports(spec: Json, path: str) -> Iterator[str]:
    known: dict[tuple[Any, str], list[tuple[str, Json]]] = {}
    names: dict[str, str] = {}
    named: list[str] = []
    for here, container in _list_containers(spec, path):
        for index, port in enumerate(container.get("ports") or ()):
            at = f"{here}.ports[{index}]"
            others = known.setdefault((port.get("containerPort"), port.get("protocol") or "TCP"), [])
            yield from filter(None, (_compare_ports(at, port, *other) for other in others))
            others.append((at, port))
            name = port.get("name")
            if name and name in names:
                first = names[name]
                told = f"services and probes that select ports by name will use {first}"
                named.append(f'{at}: duplicate port name "{name}" with {first}, {told}')
            elif name:
                names[name] = at
    yield from named


def _compare_ports(at: str, port: Json, other_at: str, other: Json) -> str:
    address, other_address = port.get("hostIP") or "", other.get("hostIP") or ""
    number, other_number = port.get("hostPort") or 0, other.get("hostPort") or 0
    if (address, number) == (other_address, other_number):
        return f"{at}: duplicate port definition with {other_at}"
    if not number or not other_number:
        return f"{at}: overlapping port definition with {other_at}"
    if number == other_number and bool(address) != bool(other_address):
        return f"{at}: dangerously ambiguous port definition with {other_at}"
    return ""


def _warn_of_affinity(spec: Json, path: str) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        given = (spec.get("affinity") or {}).get(kind) or {}
        for index, term in enumerate(given.get(REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{path}.{kind}.{REQUIRED}[{index}].labelSelector: {_NO_POD}"
        for index, weighted in enumerate(given.get(PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                yield f"{path}.{kind}.{PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NO_POD}"


def _warn_of_addresses(spec: Json, path: str) -> Iterator[str]:
    for index, text in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        yield from list_address_warnings(f"{path}.dnsConfig.nameservers[{index}]", text)
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from list_address_warnings(f"{path}.hostAliases[{index}].ip", alias.get("ip") or "")

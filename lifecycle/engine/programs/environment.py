"""A container's environment as the kubelet makes it: Services, then `envFrom`, then `env`.

Later entries win. A value may refer to earlier ones as `$(NAME)`. A ConfigMap, Secret or key that is missing
and not optional keeps the container from being created: reason CreateContainerConfigError. So do a container
that is named for its resources and is not there, and a folder of a mount that an unset variable names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from lifecycle.lean_dataclasses import dataclass, field

from .downward import PodFields, field_value, resource_value
from .references import expand_references, list_references

if TYPE_CHECKING:
    from .env_files import ReadFile


class Sources(Protocol):
    """The ConfigMaps and Secrets of the pod's namespace, as text by key; None when there is none."""

    def config_map(self, name: str) -> Mapping[str, str] | None:
        """The ConfigMap of a name."""

    def binary_data(self, name: str) -> Mapping[str, str]:
        """What the ConfigMap of a name holds beside its texts, decoded: for volumes alone."""

    def secret(self, name: str) -> Mapping[str, str] | None:
        """The Secret of a name, decoded."""


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """What a Service puts into the environment of later pods. Ports: (name, number, protocol)."""

    name: str
    cluster_ip: str
    ports: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables, or the message of what keeps the container from being created."""

    values: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


MOST_TOGETHER = 2 * 1024 * 1024
"""Linux starts no program with a larger environment."""


class MissingSource(Exception):
    """A source or key that is not there and not optional."""


def _no_file(volume: str, path: str) -> str | None:
    return None


def make_environment(
    container: Mapping[str, Any],
    fields: PodFields,
    sources: Sources,
    services: Sequence[ServiceFacts] = (),
    read_file: ReadFile = _no_file,
) -> Environment:
    """The environment of a container, given its JSON."""
    values, size = dict(service_variables(tuple(services))), 0
    try:
        for entry in container.get("envFrom") or ():
            values.update(_values_from(entry, sources))
        for entry in container.get("env") or ():
            reference = (entry.get("valueFrom") or {}).get("fileKeyRef")
            if reference:
                value = _value_of_file(reference, fields.uid, read_file)
            else:
                value = _value_of(entry, container, fields, sources, values)
            if value is not None:
                values[str(entry.get("name", ""))] = value
                size += len(value)
                if size > MOST_TOGETHER:
                    return Environment({}, f"argument list too long: more than {MOST_TOGETHER:,} bytes")
    except MissingSource as missing:
        return Environment({}, str(missing))
    return Environment(values)


def find_mount_problem(container: Mapping[str, Any], values: Mapping[str, str]) -> str:
    """Why a `subPathExpr` of a container's mounts names no folder; "" if all do."""
    for mount in container.get("volumeMounts") or ():
        text = str(mount.get("subPathExpr") or "")
        missing = sorted({name for name in list_references(text) if not values.get(name)})
        if missing:
            return f"missing value for {', '.join(missing)}"
        path = expand_references(text, values)
        if path.startswith("/"):
            return f"error SubPath `{path}` must not be an absolute path"
        if ".." in path.split("/"):
            return f"unable to provision SubPath `{path}`: must not contain '..'"
    return ""


@lru_cache(maxsize=64)
def service_variables(services: tuple[ServiceFacts, ...]) -> Mapping[str, str]:
    """`WEB_SERVICE_HOST` and its companions for every Service that has an address."""
    values: dict[str, str] = {}
    for service in services:
        if not service.cluster_ip or service.cluster_ip == "None" or not service.ports:
            continue
        prefix = service.name.upper().replace("-", "_")
        values[f"{prefix}_SERVICE_HOST"] = service.cluster_ip
        values[f"{prefix}_SERVICE_PORT"] = str(service.ports[0][1])
        for name, number, protocol in service.ports:
            if name:
                values[f"{prefix}_SERVICE_PORT_{name.upper().replace('-', '_')}"] = str(number)
            low, link = protocol.lower(), f"{prefix}_PORT_{number}_{protocol.upper()}"
            url = f"{low}://{service.cluster_ip}:{number}"
            values.setdefault(f"{prefix}_PORT", url)
            values[link] = url
            values[f"{link}_PROTO"], values[f"{link}_PORT"] = low, str(number)
            values[f"{link}_ADDR"] = service.cluster_ip
    return values


def _values_from(entry: Mapping[str, Any], sources: Sources) -> dict[str, str]:
    kind = "configMapRef" if "configMapRef" in entry else "secretRef"
    reference = entry.get(kind) or {}
    found = find_source(kind, reference, sources)
    prefix = str(entry.get("prefix") or "")
    # Every key will do, also one that no shell takes for a variable's name (since v1.34).
    return {prefix + key: value for key, value in found.items()}


def find_source(kind: str, reference: Mapping[str, Any], sources: Sources) -> Mapping[str, str]:
    """The ConfigMap or Secret that is referred to, empty where it may be missing. Raises MissingSource."""
    name = str(reference.get("name") or reference.get("secretName") or "")
    is_config_map = kind.startswith("configMap")
    found = sources.config_map(name) if is_config_map else sources.secret(name)
    if found is None and not reference.get("optional"):
        raise MissingSource(f'{"configmap" if is_config_map else "secret"} "{name}" not found')
    return found or {}


def _value_of(
    entry: Mapping[str, Any],
    container: Mapping[str, Any],
    fields: PodFields,
    sources: Sources,
    values: Mapping[str, str],
) -> str | None:
    origin = entry.get("valueFrom")
    if not origin:
        return expand_references(str(entry.get("value") or ""), values)
    if "fieldRef" in origin:
        return field_value(str(origin["fieldRef"].get("fieldPath", "")), fields)
    if "resourceFieldRef" in origin:
        name = origin["resourceFieldRef"].get("containerName")
        if name and name not in fields.containers:
            raise MissingSource(f"container {name} not found")
        return resource_value(origin["resourceFieldRef"], container, fields)
    return _value_of_key(origin, fields.namespace, sources)


def _value_of_file(reference: Mapping[str, Any], uid: str, read_file: ReadFile) -> str | None:
    """None for what may be missing. A file that is not there, or no list of variables, is never optional."""
    from .env_files import BadEnvFile, find_value

    volume, path, key = (str(reference.get(name) or "") for name in ("volumeName", "path", "key"))
    text = read_file(volume, path)
    try:
        value = find_value(text, key) if text is not None else None
    except BadEnvFile:
        value = None
    if value is None:
        raise MissingSource("couldn't parse env file")
    if value or reference.get("optional"):
        return value or None
    file = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/{volume}/{path}"
    raise MissingSource(f'environment variable key "{key}" not found in file "{file}"')


def _value_of_key(origin: Mapping[str, Any], namespace: str, sources: Sources) -> str | None:
    kind = "configMapKeyRef" if "configMapKeyRef" in origin else "secretKeyRef"
    reference = origin.get(kind) or {}
    key = str(reference.get("key", ""))
    found = find_source(kind, reference, sources)
    if key in found:
        return found[key]
    if reference.get("optional"):
        return None
    what = "ConfigMap" if kind == "configMapKeyRef" else "Secret"
    raise MissingSource(f"couldn't find key {key} in {what} {namespace}/{reference.get('name', '')}")

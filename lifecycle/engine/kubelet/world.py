"""What a container's program may see: its pod, environment, mounts, cluster DNS and peers.

Everything is worked out when a program asks, so that a container whose program asks nothing costs nothing.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..context import Context
from ..objects.container import Container
from ..objects.meta import StoredObject
from ..objects.pod import Pod
from ..objects.quantity import cpu_milli, parse_quantity
from ..programs import ConnectResult, FileLayer, Identity, Limits, Mount, PodFacts, ProcessNamespace
from ..programs.downward import format_map
from ..programs.references import expand_references as expand
from ..programs.volumes import is_read_only_volume, make_mounts, refresh_layer
from .cpu_manager import format_cpus
from .identity import identity_of
from .kernel_files import control_group_files, id_files
from .user_namespaces import BLOCK
from .worker import PodWorker

OUTSIDE = "203.0.113.1"
"""The address of everything outside the cluster (a range kept for examples)."""
OUTSIDE_TAKES_MS = 30
"""How long a call to the world outside takes: an assumption, as is that it is answered."""
PUBLIC_ENDINGS = ("com", "org", "net", "io", "dev")


_NO_LIMITS = Limits()


class ContainerWorld:
    """The world of one container, for one call. Models the kubelet's environment and volume building."""

    __slots__ = ("_connect", "_container", "_context", "_cpus_of", "_env", "_pod", "_worker")

    def __init__(
        self,
        context: Context,
        worker: PodWorker,
        pod: Pod,
        container: Container,
        connect: Any,
        cpus_of: Callable[[PodWorker, str], tuple[int, ...]],
    ) -> None:
        self._cpus_of = cpus_of
        self._context = context
        self._worker = worker
        self._pod = pod
        self._container = container
        self._connect = connect
        self._env: dict[str, str] | None = None

    @property
    def pod(self) -> PodFacts:
        pod, meta = self._pod, self._pod.meta
        return PodFacts(
            meta.name,
            meta.namespace or "",
            meta.uid,
            self._worker.ip,
            pod.node_name,
            meta.labels,
            meta.annotations,
        )

    @property
    def epoch_ms(self) -> int:
        return self._context.clock.epoch_ms

    @property
    def limits(self) -> Limits:
        limits = self._container.limits
        return Limits(limits.get("cpu"), limits.get("memory")) if limits else _NO_LIMITS

    @property
    def identity(self) -> Identity:
        return identity_of(self._pod, self._container)

    @property
    def kernel_files(self) -> Mapping[str, str]:
        node = self._context.store.get("Node", "", self._pod.node_name)
        memory = node.status.allocatable.get("memory", 0) if node is not None else 0
        has_memory_qos = self._context.features.get("MemoryQoS", False)
        qos_class = self._pod.status.qos_class
        groups = control_group_files(self._container, qos_class, memory, has_memory_qos)
        cpus = format_cpus(self._cpus_of(self._worker, self._container.name))
        groups["/sys/fs/cgroup/cpuset.cpus.effective"] = f"{cpus}\n"
        return {**id_files(self._worker.first_host_id, BLOCK), **groups}

    def draw(self, purpose: str, *key: object) -> float:
        return self._context.chance.draw(purpose, *key)

    # --- environment ----------------------------------------------------------------------------------

    @property
    def env(self) -> Mapping[str, str]:
        if self._env is None:
            self._env = self._make_env()
        return self._env

    def _make_env(self) -> dict[str, str]:
        pod = self._pod
        found = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOSTNAME": pod.spec.raw.get("hostname") or pod.meta.name,
            "HOME": "/root" if self.identity.user == 0 else "/",
        }
        if pod.spec.raw.get("enableServiceLinks", True):
            found.update(self._service_links())
        for source in self._container.raw.get("envFrom") or ():
            found.update(self._from_source(source))
        for entry in self._container.raw.get("env") or ():
            name = entry.get("name", "")
            if "valueFrom" in entry:
                value = self._from_value(entry["valueFrom"] or {})
                if value is None:
                    continue
            else:
                value = expand(str(entry.get("value") or ""), found)
            found[name] = value
        return found

    def _service_links(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for service in self._context.store.list("Service", self._pod.meta.namespace):
            spec = service.spec or {}
            address = spec.get("clusterIP")
            ports = spec.get("ports") or ()
            if not address or address == "None" or not ports:
                continue
            stem = service.meta.name.upper().replace("-", "_")
            found[f"{stem}_SERVICE_HOST"] = address
            found[f"{stem}_SERVICE_PORT"] = str(ports[0].get("port"))
        return found

    def _from_source(self, source: Mapping[str, Any]) -> dict[str, str]:
        prefix = source.get("prefix") or ""
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            reference = source.get(field)
            if reference:
                return {prefix + key: text for key, text in self._data(kind, reference.get("name")).items()}
        return {}

    def _from_value(self, source: Mapping[str, Any]) -> str | None:
        if "fieldRef" in source:
            return self.field((source["fieldRef"] or {}).get("fieldPath", ""))
        if "resourceFieldRef" in source:
            return self.resource_field(source["resourceFieldRef"] or {})
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            reference = source.get(field)
            if reference:
                return self._data(kind, reference.get("name")).get(reference.get("key", ""))
        return None

    def _data(self, kind: str, name: str | None) -> dict[str, str]:
        found = self._context.store.get(kind, self._pod.meta.namespace, name or "")
        return read_data(found) if found is not None else {}

    def field(self, path: str) -> str:
        """A field of the downward API (DOWN rows): metadata, labels and annotations by key, spec, status."""
        meta, pod = self._pod.meta, self._pod
        stem, _, key = path.partition("['")
        if key:
            values = meta.labels if stem == "metadata.labels" else meta.annotations
            return values.get(key.rstrip("']"), "")
        simple = {
            "metadata.name": meta.name,
            "metadata.namespace": meta.namespace or "",
            "metadata.uid": meta.uid,
            "spec.nodeName": pod.node_name,
            "spec.serviceAccountName": pod.spec.service_account_name,
            "status.podIP": self._worker.ip,
            "status.podIPs": self._worker.ip,
            "status.hostIP": pod.status.host_ip,
            "status.hostIPs": pod.status.host_ip,
        }
        if path in simple:
            return simple[path]
        values = {"metadata.labels": meta.labels, "metadata.annotations": meta.annotations}.get(path, {})
        return format_map(values)

    def resource_field(self, reference: Mapping[str, Any]) -> str:
        """A request or limit of a container in the asked divisor; an unset limit is the node's capacity."""
        name = reference.get("containerName") or self._container.name
        run = self._worker.runs.get(name)
        container = run.container if run is not None else self._container
        part, _, resource = str(reference.get("resource") or "").partition(".")
        values = container.limits if part == "limits" else container.requests
        value = values.get(resource)
        if value is None:
            node = self._context.store.get("Node", "", self._pod.node_name)
            value = node.status.allocatable.get(resource, 0) if node is not None and part == "limits" else 0
        divisor = reference.get("divisor") or "0"
        if resource == "cpu":
            unit = cpu_milli(divisor) or 1000
            return str(-(-value // unit))
        exact = parse_quantity(divisor)
        return str(-(-value // int(exact)) if exact >= 1 else value)

    # --- volumes --------------------------------------------------------------------------------------

    @property
    def volumes(self) -> Sequence[Mount]:
        return self._mounts() if self._container.raw.get("volumeMounts") else ()

    def _mounts(self) -> tuple[Mount, ...]:
        names = [entry.get("name", "") for entry in self._container.raw.get("volumeMounts") or ()]
        layers = {name: layer for name in names if (layer := self._layer(name)) is not None}
        volumes = self._worker.spec.volumes
        fixed = frozenset(one.get("name", "") for one in volumes if is_read_only_volume(one))
        return make_mounts(self._container.raw, layers, fixed, self.env)

    def _layer(self, name: str) -> FileLayer | None:
        worker = self._worker
        if worker.volumes is None:
            worker.volumes = {}
        volume = next((one for one in worker.spec.volumes if one.get("name") == name), {})
        layer = worker.volumes.get(name)
        if layer is None:
            layer = worker.volumes[name] = FileLayer()
        if is_read_only_volume(volume):
            # Files made from objects follow them (DOWN-25).
            refresh_layer(layer, self._volume_files(volume), self._context.clock.now_ms)
        return layer

    def _volume_files(self, volume: Mapping[str, Any]) -> dict[str, str]:
        if "configMap" in volume:
            return self._projected(
                volume["configMap"], self._data("ConfigMap", volume["configMap"].get("name"))
            )
        if "secret" in volume:
            return self._projected(volume["secret"], self._data("Secret", volume["secret"].get("secretName")))
        if "downwardAPI" in volume:
            return self._downward(volume["downwardAPI"])
        found: dict[str, str] = {}
        for source in (volume.get("projected") or {}).get("sources") or ():
            for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
                if field in source:
                    found.update(self._projected(source[field], self._data(kind, source[field].get("name"))))
            if "downwardAPI" in source:
                found.update(self._downward(source["downwardAPI"]))
        return found

    def _projected(self, source: Mapping[str, Any], data: dict[str, str]) -> dict[str, str]:
        items = source.get("items")
        if not items:
            return data
        return {item["path"]: data[item["key"]] for item in items if item.get("key") in data}

    def _downward(self, source: Mapping[str, Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for item in source.get("items") or ():
            if "fieldRef" in item:
                found[item["path"]] = self.field(item["fieldRef"].get("fieldPath", ""))
            elif "resourceFieldRef" in item:
                found[item["path"]] = self.resource_field(item["resourceFieldRef"])
        return found

    @property
    def processes(self) -> ProcessNamespace | None:
        """The process ids that the pod's containers share, with those whose processes are seen now."""
        namespace = self._worker.processes
        if namespace is not None:
            programs = [run.process for run in self._worker.runs.values() if run.process is not None]
            namespace.machines = [one.machine for one in programs if one.machine is not None]
        return namespace

    # --- network --------------------------------------------------------------------------------------

    def resolve(self, host: str) -> str | None:
        """Cluster DNS: Services by name, name.namespace and name.namespace.svc.cluster.local."""
        if host == "localhost":
            return "127.0.0.1"
        if host == self._pod.meta.name:
            return self._worker.ip
        parts = host.rstrip(".").split(".")
        if self._is_outside(parts):
            return OUTSIDE
        if len(parts) > 2 and parts[2:] not in (["svc"], ["svc", "cluster", "local"]):
            return None
        namespace = parts[1] if len(parts) > 1 else self._pod.meta.namespace
        service = self._context.store.get("Service", namespace, parts[0])
        if service is None:
            return None
        address = (service.spec or {}).get("clusterIP")
        return address if address and address != "None" else "10.96.0.1"

    def _is_outside(self, parts: list[str]) -> bool:
        """A name of the world outside: neither in the cluster's domain nor in one of its namespaces."""
        last = parts[-1]
        if len(parts) < 2 or last in ("svc", "local", "internal") or last.isdigit():
            return False
        if len(parts) == 2:
            # A Service of a namespace that is not there looks the same but for its ending.
            return last in PUBLIC_ENDINGS
        return self._context.store.get("Namespace", "", last) is None

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from this pod to an address meets now. The world outside is taken to answer."""
        address = self.resolve(host) or host
        if address == OUTSIDE:
            return ConnectResult("connected", OUTSIDE_TAKES_MS)
        found: ConnectResult = self._connect(self._worker, address, port, now_ms)
        return found


def read_data(obj: StoredObject) -> dict[str, str]:
    """The texts of a ConfigMap or, decoded, of a Secret."""
    extra = obj.extra or {}
    found = {name: str(text) for name, text in (extra.get("data") or {}).items()}
    if obj.kind.name != "Secret":
        return found
    decoded: dict[str, str] = {}
    for name, text in found.items():
        try:
            decoded[name] = base64.b64decode(text, validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            decoded[name] = text
    return decoded

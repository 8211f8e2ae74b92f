"""What a container's program may see: its pod, environment, mounts, cluster DNS and peers.

Everything is worked out when a program asks, so that a container whose program asks nothing costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import replace
from lifecycle.userland.crowd import Crowd
from lifecycle.userland.file_layers import FILE, File

from ...api.context import Context
from ...kinds.plain import SERVICE_ACCOUNT
from ...kinds.service import API_SERVER_KEY
from ...objects.node import Node
from ...objects.pods.container import Container
from ...objects.pods.pod import Pod
from ...programs import (
    ConnectResult,
    Environment,
    FileLayer,
    Identity,
    Limits,
    Mount,
    PodFacts,
    ProcessNamespace,
    ServiceFacts,
    make_environment,
    make_runtime_files,
)
from ...programs.downward import PodFields
from ...programs.environment import find_mount_problem
from ...programs.images.files import is_missing
from ...programs.volumes import is_read_only_volume, make_mounts, refresh_layer, volume_files
from ...releases.gates import is_enabled
from ...rules.nodes.cpu_manager import format_cpus
from ...rules.pods.host_names import HostName, Resolver, decide_host_name, decide_kernel_name, decide_resolver
from ...rules.pods.security import has_read_only_root
from ...rules.pods.user_namespaces import BLOCK
from ...rules.volumes.claims import list_claims
from ...rules.volumes.local_storage import decide_memory_volume_size, is_in_memory
from ...rules.volumes.sources import is_of_sources
from ..state.cpus import Cpus
from ..state.worker import PodWorker
from .cluster_dns import OUTSIDE
from .identity import identity_of
from .network import OUTSIDE_TAKES_MS, Network, is_outside

if TYPE_CHECKING:
    from .sources import StoredSources

_NO_LIMITS = Limits()


class ContainerWorld:
    """The world of one container, for one call. Models the kubelet's environment and volume building."""

    __slots__ = ("_container", "_context", "_cpus", "_env", "_network", "_pod", "_worker", "crowd")

    def __init__(
        self,
        context: Context,
        worker: PodWorker,
        pod: Pod,
        container: Container,
        network: Network,
        cpus: Cpus,
        crowd: Crowd,
    ) -> None:
        self.crowd = crowd
        self._context = context
        self._worker = worker
        self._pod = pod
        self._container = container
        self._network = network
        self._cpus = cpus
        self._env: dict[str, str] | None = None

    @property
    def pod(self) -> PodFacts:
        """Who its pod is, and where."""
        pod, meta, host = self._pod, self._pod.meta, self._host_name
        return PodFacts(
            meta.name,
            meta.namespace or "",
            meta.uid,
            self._worker.ip,
            pod.node_name,
            meta.labels,
            meta.annotations,
            decide_kernel_name(pod.spec.raw, host),
            host.domain,
            pod.status.host_ip or "",
        )

    @property
    def pod_uid(self) -> str:
        """Its pod's uid alone, asked for far more often than all the rest."""
        return self._pod.meta.uid

    @property
    def epoch_ms(self) -> int:
        """The wall time of instant 0."""
        return self._context.clock.epoch_ms

    @property
    def limits(self) -> Limits:
        """What it may use."""
        limits = self._container.limits
        return Limits(limits.get("cpu"), limits.get("memory")) if limits else _NO_LIMITS

    @property
    def identity(self) -> Identity:
        """As whom it runs."""
        return identity_of(self._pod, self._container)

    @property
    def message_path(self) -> str:
        """The file for its last words, mounted by the kubelet with a mode of 0666."""
        return self._container.message_path

    @property
    def runtime_files(self) -> Mapping[str, str]:
        """What the kubelet and the runtime put into the container: text by absolute path."""
        aliases = self._pod.spec.raw.get("hostAliases") or ()
        return make_runtime_files(self.pod, self._resolver, aliases, self._has_token)

    @property
    def _has_token(self) -> bool:
        """Whether the token of its account is mounted: the pod's own word counts first, then the account's.

        Kubernetes settles it when the pod is made; here an account that changes later is taken at its word.
        """
        spec, store = self._pod.spec, self._context.store
        account = store.get(SERVICE_ACCOUNT.id, self._pod.meta.namespace, spec.service_account_name)
        field = "automountServiceAccountToken"
        asked = spec.raw.get(field)
        if asked is None and account is not None:
            asked = (account.extra or {}).get(field)
        return asked is not False

    @property
    def kernel_files(self) -> Mapping[str, str]:
        """What the kernel tells it: text by absolute path."""
        from ...rules.pods.kernel_files import control_group_files, id_files

        memory = self._node_memory
        has_memory_qos = is_enabled(self._context.features, "MemoryQoS")
        qos_class = self._pod.status.qos_class
        groups = control_group_files(self._container, qos_class, memory, has_memory_qos)
        cpus = format_cpus(self._cpus.of_container(self._worker, self._container.name))
        groups["/sys/fs/cgroup/cpuset.cpus.effective"] = f"{cpus}\n"
        return {**id_files(self._worker.first_host_id, BLOCK), **groups}

    @property
    def image_files(self) -> FileLayer:
        """What its image holds."""
        from ...programs.images.folders import find_image_files

        return find_image_files(self._container.image)

    def lacks(self, command: str) -> bool:
        """Whether its image surely has no such program."""
        return is_missing(self._container.image, command)

    @property
    def _node_memory(self) -> int:
        node = self._context.store.get("Node", "", self._pod.node_name)
        return node.status.allocatable.get("memory", 0) if isinstance(node, Node) else 0

    def draw(self, purpose: str, *key: object) -> float:
        """Chance from 0 to 1, the same for the same purpose and key."""
        return self._context.chance.draw(purpose, *key)

    # --- environment ----------------------------------------------------------------------------------

    @property
    def env(self) -> Mapping[str, str]:
        """Its environment, as it was when its run began."""
        if self._env is None:
            run = self._worker.runs.get(self._container.name)
            kept = run.env if run is not None else None
            self._env = kept if kept is not None else {**self._image_env(), **self.given_env}
        return self._env

    def _image_env(self) -> dict[str, str]:
        return {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOSTNAME": decide_kernel_name(self._pod.spec.raw, self._host_name),
            "HOME": "/root" if self.identity.user == 0 else "/",
        }

    @property
    def given_env(self) -> dict[str, str]:
        """What Services, `envFrom` and `env` give it, as things stand now."""
        return self._make_env().values

    def _make_env(self) -> Environment:
        return make_environment(
            self._container.raw, self._fields(), self._sources, self._services(), self._read_file
        )

    def _read_file(self, volume: str, path: str) -> str | None:
        """A file of one of the pod's volumes, whoever mounts it."""
        is_known = any(one.get("name") == volume for one in self._worker.spec.volumes)
        layer = self._layer(volume) if is_known else None
        file = layer.get(path.strip("/")) if layer is not None else None
        return file.text if file is not None and file.kind == FILE else None

    def missing_source(self) -> str:
        """What the environment or a mount needs and is not there; "" when all is."""
        made = self._make_env()
        return made.problem or find_mount_problem(self._container.raw, made.values)

    @property
    def _sources(self) -> StoredSources:
        from .sources import StoredSources

        return StoredSources(self._context.store, self._pod.meta.namespace or "")

    def _fields(self) -> PodFields:
        pod, meta, worker = self._pod, self._pod.meta, self._worker
        node = self._context.store.get("Node", "", pod.node_name)
        return PodFields(
            name=meta.name,
            namespace=meta.namespace or "",
            uid=meta.uid,
            labels=meta.labels,
            annotations=meta.annotations,
            node_name=pod.node_name,
            service_account_name=pod.spec.service_account_name,
            pod_ips=(worker.ip,),
            host_ips=(pod.status.host_ip,),
            allocatable=(node.status.raw.get("allocatable") or {}) if isinstance(node, Node) else {},
            containers={name: run.container.raw for name, run in worker.runs.items()},
        )

    def _services(self) -> list[ServiceFacts]:
        """The API server's own, and those of its namespace unless it wants no links to them."""
        store, has_links = self._context.store, self._pod.spec.raw.get("enableServiceLinks", True)
        first = store.get("Service", *API_SERVER_KEY)
        own = store.list("Service", self._pod.meta.namespace) if has_links else ()
        services = {service.meta.name: service for service in (first, *own) if service is not None}
        found = []
        for service in services.values():
            spec = service.spec or {}
            ports = tuple(
                (one.get("name") or "", one.get("port", 0), one.get("protocol") or "TCP")
                for one in spec.get("ports") or ()
            )
            found.append(ServiceFacts(service.meta.name, spec.get("clusterIP") or "", ports))
        return found

    # --- volumes --------------------------------------------------------------------------------------

    @property
    def volumes(self) -> Sequence[Mount]:
        """What is mounted into it, and where."""
        return self._mounts() if self._container.raw.get("volumeMounts") else ()

    def _mounts(self) -> tuple[Mount, ...]:
        names = [entry.get("name", "") for entry in self._container.raw.get("volumeMounts") or ()]
        layers = {name: layer for name in names if (layer := self._layer(name)) is not None}
        volumes = self._worker.spec.volumes
        fixed = frozenset(one.get("name", "") for one in volumes if is_read_only_volume(one))
        mounts = make_mounts(self._container.raw, layers, fixed, self.env, self._volumes_group or 0)
        return tuple(self._freeze(one) if one.sub_path and one.group is not None else one for one in mounts)

    def _freeze(self, mount: Mount) -> Mount:
        """What is mounted as a part of an object's volume stays as it was when the container was started."""
        volumes, run = self._worker.volumes, self._worker.runs.get(self._container.name)
        assert volumes is not None, mount.path
        part, prefix = mount.sub_path, f"{self._container.name}{mount.path}"
        key = f"{prefix}@{run.attempt if run is not None else 0}"
        if key not in volumes:
            for old in [one for one in volumes if one.startswith(f"{prefix}@")]:
                del volumes[old]
            layer = volumes[key] = FileLayer()
            for path, file in list(mount.layer.entries.items()):
                if path == part or path.startswith(f"{part}/"):
                    layer.put(path, File.load(file.save()))
        return replace(mount, layer=volumes[key])

    def _layer(self, name: str) -> FileLayer | None:
        worker = self._worker
        if worker.volumes is None:
            worker.volumes = {}
        volume = next((one for one in worker.spec.volumes if one.get("name") == name), {})
        layer = worker.volumes.get(name)
        is_new = layer is None
        if layer is None:
            layer = worker.volumes[name] = FileLayer()
        layer = self._shared_layer(name, layer)
        if is_in_memory(volume):
            layer.capacity = decide_memory_volume_size(volume, worker.spec, self._node_memory) or None
        # What is made of the pod alone follows it at once (DOWN-25).
        if is_read_only_volume(volume) and (is_new or not is_of_sources(volume)):
            self._fill(volume, layer)
        return layer

    def _fill(self, volume: Mapping[str, Any], layer: FileLayer) -> None:
        """Bring the files of a volume to what it is made of; those of an object that is gone stay."""
        found = volume_files(volume, self._fields(), self._sources, self._volumes_group is not None)
        if found.files is not None:
            refresh_layer(layer, found.files, self._context.clock.now_ms, found.modes)

    def remount(self) -> None:
        """Bring what ConfigMaps and Secrets are mounted up to date, in all of the pod's containers."""
        for volume in self._worker.spec.volumes:
            layer = (self._worker.volumes or {}).get(volume.get("name", ""))
            if layer is not None and is_of_sources(volume):
                self._fill(volume, layer)

    @property
    def _volumes_group(self) -> int | None:
        group: int | None = (self._worker.spec.raw.get("securityContext") or {}).get("fsGroup")
        return group

    def _shared_layer(self, name: str, own: FileLayer) -> FileLayer:
        """The files of a claim's volume, which outlive the pod; `own` of any other."""
        pod = self._pod
        claim = next((claim for volume, claim in list_claims(pod) if volume == name), None)
        volumes = self._context.volumes
        found = volumes.volume_of(pod.meta.namespace, claim) if claim is not None else None
        return volumes.files.setdefault(found.meta.uid, own) if found is not None else own

    @property
    def is_root_read_only(self) -> bool:
        """Whether it can write to its volumes only."""
        return has_read_only_root(self._container.raw)

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
        """The first address of a name."""
        return next(iter(self.resolve_all(host)), None)

    def resolve_all(self, host: str) -> Sequence[str]:
        """The addresses of a name: by the pod's own hosts file, or what DNS knows."""
        known = self._host_file.get(host.rstrip("."))
        return [known] if known else self._network.dns.look_up(self._resolver, host)

    def find_services(self, name: str) -> Sequence[tuple[str, int]]:
        """Hosts and ports behind a name of the form `_http._tcp.web`."""
        return self._network.dns.find_services(self._resolver, name)

    @property
    def _host_file(self) -> Mapping[str, str]:
        """Address by name. What it says is true before any DNS."""
        aliases = {
            name: entry.get("ip", "")
            for entry in self._pod.spec.raw.get("hostAliases") or ()
            for name in entry.get("hostnames") or ()
        }
        host, ip = self._host_name, self._worker.ip
        return {**aliases, host.full: ip, host.name: ip, self._pod.meta.name: ip, "localhost": "127.0.0.1"}

    @property
    def _host_name(self) -> HostName:
        pod, domain = self._pod, self._network.dns.domain
        return decide_host_name(pod.spec.raw, pod.meta.name, pod.meta.namespace or "", pod.node_name, domain)

    @property
    def _resolver(self) -> Resolver:
        pod = self._pod
        return decide_resolver(pod.spec.raw, pod.meta.namespace or "", self._network.dns.domain)

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from this pod to an address meets now. The world outside is taken to answer."""
        address = self.resolve(host) or host
        if address == OUTSIDE or (address != host and is_outside(address) and address != "127.0.0.1"):
            return ConnectResult("connected", OUTSIDE_TAKES_MS)
        return self._network.connect(self._worker, address, port, now_ms)

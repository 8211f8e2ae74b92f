"""A small world for programs: names and peers as a test gives them, chance by hashing the key."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.programs import (
    Behavior,
    ConnectResult,
    FileLayer,
    Identity,
    Limits,
    Mount,
    PodFacts,
    Process,
    ProcessNamespace,
    make_runtime_files,
    refresh_layer,
    resolve_behavior,
    start_process,
)
from lifecycle.engine.programs.images.folders import find_image_files
from lifecycle.userland.crowd import Crowd
from lifecycle.userland.file_layers import IMAGE_LAYER

EPOCH_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
FOREVER_MS = 10**9
POD = PodFacts("pod-1", "default", "uid-1", "10.1.0.1", "node-1", {}, {})
NO_LIMITS = Limits()
ROOT = Identity()


def make_layer(text_by_path: Mapping[str, str], mode: int = 0o644) -> FileLayer:
    """A volume that holds these files."""
    layer = FileLayer()
    refresh_layer(layer, text_by_path, 0, dict.fromkeys(text_by_path, mode))
    return layer


@dataclass
class FakeWorld:
    """`hosts` maps names to addresses; `answers` maps (host, port) to what a connection meets."""

    pod: PodFacts = POD
    env: Mapping[str, str] = field(default_factory=dict)
    """Beside what every image gives."""
    given_env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = NO_LIMITS
    identity: Identity = ROOT
    kernel_files: Mapping[str, str] = field(default_factory=dict)
    epoch_ms: int = EPOCH_MS
    volumes: Sequence[Mount] = ()
    hosts: dict[str, str] = field(default_factory=dict)
    answers: dict[tuple[str, int], ConnectResult] = field(default_factory=dict)
    image_files: FileLayer = IMAGE_LAYER
    """Those of the container's image, once a container of this world is started."""
    is_root_read_only: bool = False
    message_path: str = "/dev/termination-log"
    processes: ProcessNamespace | None = None
    crowd: Crowd = field(default_factory=Crowd)
    connections: list[tuple[int, str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        self.env = {"PATH": path, "HOSTNAME": self.pod.name, "HOME": "/root", **self.env}

    @property
    def pod_uid(self) -> str:
        return self.pod.uid

    @property
    def runtime_files(self) -> Mapping[str, str]:
        return make_runtime_files(self.pod)

    def lacks(self, command: str) -> bool:
        return False

    def draw(self, purpose: str, *key: object) -> float:
        digest = hashlib.sha256(repr((purpose, *key)).encode()).hexdigest()
        return int(digest[:12], 16) / 16**12

    def resolve(self, host: str) -> str | None:
        return self.hosts.get(host)

    def resolve_all(self, host: str) -> Sequence[str]:
        return [self.hosts[host]] if host in self.hosts else []

    def find_services(self, name: str) -> Sequence[tuple[str, int]]:
        return []

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        self.connections.append((now_ms, host, port))
        return self.answers.get((host, port), ConnectResult("refused"))


def pod_spec(container: Mapping[str, Any], **spec: Any) -> PodSpec:
    """A pod's spec with one container."""
    return PodSpec.from_json({"containers": [{"name": "app", "image": "busybox:1.36", **container}], **spec})


def behavior_of(spec: PodSpec, annotations: Mapping[str, str] | None = None, **labels: str) -> Behavior:
    return resolve_behavior(spec, spec.containers[0], annotations or {}, (), labels)


def start(spec: PodSpec, world: FakeWorld | None = None, attempt: int = 0, **annotations: str) -> Process:
    """Starts the spec's first container at instant 0."""
    world = world or FakeWorld()
    world.image_files = find_image_files(spec.containers[0].image)
    behavior = behavior_of(spec, {"podline.dev/behavior": annotations["behavior"]} if annotations else None)
    return start_process(behavior, spec.containers[0], attempt, 0, world)


def start_script(text: str, world: FakeWorld | None = None, shell: str = "sh", **container: Any) -> Process:
    # There is no bash in busybox.
    image = "bash:5.2" if shell == "bash" else "busybox:1.36"
    return start(pod_spec({"image": image, "command": [shell, "-c", text], **container}), world)


def run_until(process: Process, world: FakeWorld, until_ms: int = FOREVER_MS) -> None:
    """Wakes the process whenever it is due, up to and including an instant."""
    while (due_ms := process.next_wake_ms()) is not None and due_ms <= until_ms:
        process.run(due_ms, world)


def reload(process: Process) -> Process:
    """The process after a journey through JSON."""
    return Process.load(json.loads(json.dumps(process.save())), process.behavior, process.container)


def run_script(
    text: str, world: FakeWorld | None = None, until_ms: int = FOREVER_MS, **container: Any
) -> tuple[Process, list[str]]:
    """Runs a script to its end, or to an instant; gives the process and its log's lines."""
    world = world or FakeWorld()
    process = start_script(text, world, **container)
    run_until(process, world, until_ms)
    return process, [line for _, line in process.take_output()]


def probe(kind: str, timeout_seconds: int = 1, **handler: Any) -> Any:
    return SimpleNamespace(kind=kind, handler=handler, timeout_seconds=timeout_seconds)


def exec_probe(*command: str, timeout_seconds: int = 1) -> Any:
    return probe("exec", timeout_seconds, command=list(command))
